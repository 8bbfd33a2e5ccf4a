//! Text that is no MLIR, told by its first line.

use super::{FROM_JAX, FROM_PYTORCH, Foreign};

/// How the first line begins, what the text is, what to do.
const LINES: &[(&str, &str, Option<&str>)] = &[
    ("import ", "a Python program", Some("run it: a program exports StableHLO, it is none")),
    ("from ", "a Python program", Some("run it: a program exports StableHLO, it is none")),
    ("def ", "a Python program", Some("run it: a program exports StableHLO, it is none")),
    ("{ lambda", "a jaxpr, what JAX traces a function to", Some(FROM_JAX)),
    ("{lambda", "a jaxpr, what JAX traces a function to", Some(FROM_JAX)),
    ("ExportedProgram:", "what `torch.export` prints", Some(FROM_PYTORCH)),
    ("class GraphModule", "what `torch.fx` prints", Some(FROM_PYTORCH)),
    ("graph(", "what TorchScript prints", Some(FROM_PYTORCH)),
    ("ENTRY ", "HLO text, the form that XLA itself prints", Some(FROM_JAX)),
    (
        "Traceback (most recent call last)",
        "an error of Python",
        Some("the export has failed: look at what it says"),
    ),
];

/// What the text is, where its first line tells.
pub(super) fn named(text: &str) -> Option<Foreign> {
    let is_comment = |line: &&str| {
        line.starts_with("# ") || line.starts_with("#!") || line.starts_with("\"\"\"")
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // Comments of Python may be before its first statement; a MLIR text has none of that form.
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
