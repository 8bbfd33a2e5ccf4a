//! Operations are named by the constants of strata-ir, and a new one has to be decided about.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use strata_ir::{OpKind, new_context};

use super::{root, text};

/// Where operations are named in text, and why.
const TEXTS: &[(&str, &str)] = &[
    ("crates/strata-ir/", "it defines the constants"),
    ("crates/strata-diag/", "it knows nothing of MLIR: names are part of messages and pages"),
    ("crates/strata-eval/", "its programs are plain data, whose operations have names as text"),
    ("crates/strata-fuzz/", "it writes programs as text"),
];

/// The functions that say something of each kind of operation: file and name.
const DECISIONS: &[(&str, &str)] = &[
    ("crates/strata/src/cost.rs", "work"),
    ("crates/strata-eval/src/interpret/family.rs", "family"),
    ("crates/strata-hlo/src/legality.rs", "legality"),
    ("crates/strata-shapes/src/rules/family.rs", "family"),
];

#[test]
fn no_operation_is_named_in_quotes() {
    let context = new_context();
    let mut found = Vec::new();
    for path in sources() {
        let name =
            path.strip_prefix(root()).expect("a file of the repository").display().to_string();
        if TEXTS.iter().any(|(folder, _)| name.starts_with(folder)) {
            continue;
        }
        let source = fs::read_to_string(&path).expect("a readable file");
        // Tests look at printed programs.
        let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for word in code.split('"').skip(1).step_by(2) {
                let is_name = word.contains('.') && !word.contains(' ');
                if is_name && context.is_registered_operation(word) {
                    found.push(format!("{name}:{}: {word}", number + 1));
                }
                if word == "operandSegmentSizes" {
                    found
                        .push(format!("{name}:{}: builders and views know the groups", number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Decisions look at types and attributes, not at their text.
#[test]
fn no_type_and_no_attribute_is_compared_as_text() {
    let looks = [
        "== \"",
        "!= \"",
        ".as_str()",
        ".starts_with(",
        ".ends_with(",
        ".contains(",
        ".split",
        ".strip_",
        ".replace",
    ];
    let mut found = Vec::new();
    for path in sources() {
        let name =
            path.strip_prefix(root()).expect("a file of the repository").display().to_string();
        if ["crates/strata-ir/", "crates/strata-fuzz/"].iter().any(|one| name.starts_with(one)) {
            continue;
        }
        let source = fs::read_to_string(&path).expect("a readable file");
        let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for (at, text) in code.match_indices(".to_string()") {
            let rest = code[at + text.len()..].trim_start();
            if looks.iter().any(|look| rest.starts_with(look)) {
                found.push(format!("{name}:{}", code[..at].lines().count()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The Rust files of the crates, tests aside.
fn sources() -> Vec<PathBuf> {
    let mut open: Vec<_> =
        folder(&root().join("crates")).iter().map(|one| one.join("src")).collect();
    let mut files = Vec::new();
    while let Some(next) = open.pop() {
        if next.is_dir() {
            open.extend(folder(&next));
        } else if next.extension().is_some_and(|extension| extension == "rs") && !is_test(&next) {
            files.push(next);
        }
    }
    assert!(files.len() > 400, "{} files only", files.len());
    files.sort();
    files
}

fn is_test(path: &Path) -> bool {
    path.components().any(|one| one.as_os_str() == "tests") || path.ends_with("tests.rs")
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// Each decision compiles with the kinds that there are, and with one more rustc names it.
#[test]
fn a_new_operation_has_to_be_decided_about() {
    for (path, function) in DECISIONS {
        let source = text(path);
        let decision = item(&source, &format!("fn {function}("));
        let result = decision.split("-> ").nth(1).and_then(|rest| rest.split(' ').next());
        let result = item(&source, &format!("enum {} ", result.expect("a result type")));
        let known: Vec<_> = OpKind::ALL.iter().map(|kind| format!("{kind:?}")).collect();
        let compile = |kinds: &[String]| {
            let kinds = kinds.join(", ");
            compile(&format!("pub enum OpKind {{ {kinds}, Foreign }}\n{result}\n{decision}"))
        };
        assert_eq!(compile(&known), "", "{path}");
        let report = compile(&[known, vec!["Fake".to_owned()]].concat());
        assert!(
            report.contains("E0004") && report.contains("`OpKind::Fake` not covered"),
            "{report}"
        );
    }
}

/// What stage `hlo` leaves is what stage `linalg` lowers.
#[test]
fn legal_operations_have_lowerings() {
    for kind in OpKind::ALL {
        let legal = strata_hlo::legality(*kind) == strata_hlo::Legality::Legal;
        // A terminator, which goes with its region.
        let lowered = *kind == OpKind::Return
            || strata_linalg::LOWERINGS.iter().any(|one| one.roots().contains(kind));
        assert_eq!(legal, lowered, "{kind:?}");
    }
}

/// The item of a file that begins with these words, without attributes and visibility.
fn item<'s>(source: &'s str, begins: &str) -> &'s str {
    let start = source.find(begins).unwrap_or_else(|| panic!("there is no `{begins}`"));
    let end = source[start..].find("\n}\n").expect("the end of an item");
    &source[start..start + end + 3]
}

/// What rustc reports of a library.
fn compile(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lib.rs");
    fs::write(&file, source).expect("a file");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = Command::new(rustc)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--cap-lints",
            "allow",
        ])
        .arg("--out-dir")
        .arg(folder.path())
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("rustc runs");
    String::from_utf8_lossy(&told.stderr).into_owned()
}
