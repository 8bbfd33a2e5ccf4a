//! Programs with one mistake each, and Strata's output: `tests/wrong/NAME.mlir` and its snapshot. `tests/wrong/README.md`
//! compares the answers with those of rustc to mistakes of the same kind.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use strata::{Compiler, Options, target};
use strata_diag::Fault;

/// Words that only those understand who know MLIR or its C++.
const INSIDES: &[&str] = &[
    "::",
    "SSA",
    "dominate",
    "terminator",
    "failed to satisfy",
    "failed to infer",
    "failed to parse",
    "ranked tensor",
    "ODS",
    "unregistered dialect",
    "MLIRContext",
    "mlir::",
    "op '",
];

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("wrong");
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("an entry").path());
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "mlir")).collect();
    files.sort();
    files
}

/// What is said about a program, and how often.
fn answer(path: &Path) -> (String, usize) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let options = Options::new(target::resolve(None, None, None).expect("a target"));
    let bytes = fs::read(path).expect("a program");
    match Compiler::new(options).compile(&name, &bytes) {
        Ok(_) => panic!("{name}: nothing is wrong with it"),
        Err(errors) => {
            assert!(errors.iter().all(|error| error.fault() == Fault::Program), "{errors}");
            (errors.render(), errors.len())
        }
    }
}

#[test]
fn mistakes_are_told_as_they_should_be() {
    let programs = programs();
    assert!(programs.len() >= 80, "{} programs", programs.len());
    let mut wrong = Vec::new();
    for path in programs {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (text, count) = answer(&path);
        if count != 1 {
            wrong.push(format!("{name}: {count} errors for one mistake:\n{text}"));
        }
        // What the program itself says is quoted.
        let said: Vec<_> = text.lines().filter(|line| line.trim_start().starts_with('=')).collect();
        let inside = INSIDES.iter().find(|word| said.iter().any(|line| line.contains(*word)));
        if let Some(word) = inside {
            wrong.push(format!("{name}: `{word}` is not a word for users:\n{text}"));
        }
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(path.parent().expect("a folder"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let is_as_before = panic::catch_unwind(AssertUnwindSafe(|| {
            settings.bind(|| insta::assert_snapshot!(name.as_str(), text));
        }));
        if is_as_before.is_err() {
            wrong.push(format!("{name}: another answer than before"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
