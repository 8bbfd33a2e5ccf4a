//! Recognises text that is not MLIR by its first line.

use super::{FROM_JAX, FROM_PYTORCH, Foreign};

/// The start of the first line, the description, the hint.
const LINES: &[(&str, &str, Option<&str>)] = &[
    (
        "import ",
        "a Python program",
        Some("run it to export StableHLO: the program itself is not StableHLO"),
    ),
    (
        "from ",
        "a Python program",
        Some("run it to export StableHLO: the program itself is not StableHLO"),
    ),
    (
        "def ",
        "a Python program",
        Some("run it to export StableHLO: the program itself is not StableHLO"),
    ),
    ("{ lambda", "a jaxpr, JAX's trace of a function", Some(FROM_JAX)),
    ("{lambda", "a jaxpr, JAX's trace of a function", Some(FROM_JAX)),
    ("ExportedProgram:", "what `torch.export` prints", Some(FROM_PYTORCH)),
    ("class GraphModule", "what `torch.fx` prints", Some(FROM_PYTORCH)),
    ("graph(", "what TorchScript prints", Some(FROM_PYTORCH)),
    ("ENTRY ", "HLO text, XLA's own format", Some(FROM_JAX)),
    (
        "Traceback (most recent call last)",
        "a Python error",
        Some("the export failed: see its message"),
    ),
];

/// Recognises the text by its first line.
pub(super) fn named(text: &str) -> Option<Foreign> {
    let is_comment = |line: &&str| {
        line.starts_with("# ") || line.starts_with("#!") || line.starts_with("\"\"\"")
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // Python comments may precede the first statement; MLIR text has no comments of that form.
    let line = lines.find(|line| !is_comment(line))?;
    let (_, what, hint) = LINES.iter().find(|(beginning, ..)| line.starts_with(beginning))?;
    Some(Foreign::new(*what, *hint))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn programs_of_others_are_named() {
        let what = |text: &str| named(text).map(|found| found.what).unwrap_or_default();
        assert_eq!(what("#!/usr/bin/env python3\n# words\nimport jax\n"), "a Python program");
        assert!(what("{ lambda ; a:f32[]. let in (a,) }").starts_with("a jaxpr"));
        assert!(what("ExportedProgram:\n    class GraphModule").contains("torch.export"));
        for mlir in
            ["module {}", "// from\nfunc.func @f()", "#loc = loc(unknown)", "func.func @f()", ""]
        {
            assert_eq!(what(mlir), "");
        }
    }
}
