//! Names of stages on the command line.

use strata::{STAGES, Stage};
use strata_diag::{Diagnostic, codes, did_you_mean};

/// The stage of that name, which may be its number or written with a hyphen.
///
/// # Errors
/// `S0004`.
pub fn parse(name: &str) -> Result<Stage, Diagnostic> {
    let plain = name.replace('-', "");
    Stage::from_name(&plain).ok_or_else(|| {
        let diagnostic =
            Diagnostic::new(codes::S0004).reason(format!("there is no stage `{name}`"));
        let hint = did_you_mean(&plain, STAGES.iter().map(|info| info.name));
        diagnostic.hint(hint.unwrap_or_else(|| "`strata list stages` lists them".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::parse;
    use strata::Stage;

    #[test]
    fn hyphens_do_not_matter() {
        assert_eq!(parse("llvm-ir").ok(), Some(Stage::LlvmIr));
        assert_eq!(parse("llvmir").ok(), Some(Stage::LlvmIr));
        assert!(parse("linlag").is_err());
    }
}
