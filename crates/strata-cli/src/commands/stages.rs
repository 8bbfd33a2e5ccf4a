//! Names of stages on the command line.

use strata::{STAGES, Stage};
use strata_diag::{Diagnostic, codes};

/// The stage of that name, which may be its number or written with a hyphen.
///
/// # Errors
/// `S0004`.
pub fn parse(name: &str) -> Result<Stage, Diagnostic> {
    let plain = name.replace('-', "");
    Stage::from_name(&plain).ok_or_else(|| {
        let diagnostic =
            Diagnostic::new(codes::S0004).reason(format!("there is no stage `{name}`"));
        match nearest(&plain, STAGES.iter().map(|info| info.name)) {
            Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
            None => diagnostic.hint("`strata list stages` shows them"),
        }
    })
}

/// The candidate that differs least from `name`, if by little.
fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (strsim::levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().div_ceil(3))
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::{nearest, parse};
    use strata::Stage;

    #[test]
    fn only_near_names_are_proposed() {
        assert_eq!(nearest("vectr", ["affine", "vector"].into_iter()), Some("vector"));
        assert_eq!(nearest("xyz", ["affine", "vector"].into_iter()), None);
    }

    #[test]
    fn hyphens_do_not_matter() {
        assert_eq!(parse("llvm-ir").ok(), Some(Stage::LlvmIr));
        assert_eq!(parse("llvmir").ok(), Some(Stage::LlvmIr));
        assert!(parse("linlag").is_err());
    }
}
