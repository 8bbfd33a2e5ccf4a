//! The one table of reasons for not running a case.

/// A reason for not running a case.
#[derive(Clone, Copy, Debug)]
pub struct Skip {
    /// Cases whose text contains this.
    pub text: &'static str,
    /// Of files whose name contains this; empty: of all files.
    pub file: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// Why a case whose entry takes arguments is not run without them.
pub const NO_ARGUMENTS: &str =
    "the entry takes arguments, and the file does not give any, nor what the results must be";

/// Why a case without an operation is not run.
pub const EMPTY: &str = "there is nothing in the case";

/// Every reason, the first that applies counts.
pub const SKIPS: &[Skip] = &[Skip {
    text: "expected-error",
    file: "",
    reason: "the case is about diagnostics: `strata opt --verify-diagnostics` runs it",
}];

/// The reason for not running a case of the file `name`.
pub fn reason(name: &str, text: &str) -> Option<String> {
    SKIPS
        .iter()
        .find(|skip| name.contains(skip.file) && text.contains(skip.text))
        .map(|skip| skip.reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_found() {
        assert!(reason("a.mlir", "// expected-error@+1 {{no}}").is_some());
        assert!(reason("a.mlir", "func.func @main() { return }").is_none());
        assert!(SKIPS.iter().all(|skip| !skip.reason.is_empty()));
    }
}
