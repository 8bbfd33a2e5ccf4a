//! Whole programs exported from JAX: a snapshot of every stage, and the object's results beside
//! JAX's own.

use std::{collections::BTreeSet, fs, path::Path};

use strata::{Artifact, Compiler, Stage};

use crate::harness::{
    Loaded, Stages, arrays, assert_close_f32, compile, cpus, options, snapshot_options,
};

/// JAX's results and ours differ by the order of sums and by the last bits of exp, tanh and
/// rsqrt.
const TOLERANCE: f32 = 2e-5;

#[rstest::rstest]
fn snapshots_of_every_stage(#[files("programs/*/input.mlir")] path: std::path::PathBuf) {
    snapshot_stages(&path);
}

#[rstest::rstest]
fn results_are_those_of_jax(#[files("programs/*/input.mlir")] path: std::path::PathBuf) {
    let folder = path.parent().expect("a folder");
    let inputs = arrays(folder, "input");
    let expected = arrays(folder, "output");
    assert!(!expected.is_empty(), "{}: no expected outputs", folder.display());
    for cpu in cpus() {
        let found = Loaded::new(&compile(&path, options(cpu))).call(&inputs);
        assert_eq!(found.len(), expected.len());
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let what = format!("{} on {cpu}: output {index}", folder.display());
            assert_close_f32(found, expected, TOLERANCE, &what);
        }
    }
}

#[rstest::rstest]
fn bundled_models_compute_what_jax_does(
    #[files("../examples/models/*.mlir")] path: std::path::PathBuf,
) {
    let folder = path.with_extension("");
    let inputs = arrays(&folder, "input");
    let expected = arrays(&folder, "output");
    assert!(!expected.is_empty(), "{}: no expected outputs", folder.display());
    let best = cpus().last().copied().unwrap_or("x86-64");
    let found = Loaded::new(&compile(&path, options(best))).call(&inputs);
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let what = format!("{}: output {index}", path.display());
        assert_close_f32(found, expected, 1e-4, &what);
    }
}

/// The plan of the whole function wastes little: the workspace is at most 1.2 times the largest
/// sum of temporaries that live at once.
#[rstest::rstest]
fn the_workspace_is_little_more_than_what_lives_at_once(
    #[files("../examples/models/*.mlir")] path: std::path::PathBuf,
) {
    let options = snapshot_options();
    let bytes = fs::read(&path).expect("the program");
    let scheduled = Compiler::new(options.clone())
        .to(Stage::Schedule)
        .compile("model.mlir", &bytes)
        .expect("compiles");
    let context = strata::new_context();
    let mut module =
        strata_ir::parse(&context, "scheduled.mlir", scheduled.bytes()).expect("parses again");
    let report = strata_loops::affine::run_reported(&context, &mut module, &options)
        .expect("is given buffers");
    let (workspace, live) = (report.workspace as f64, report.peak_live as f64);
    assert!(live > 0.0, "{}: no temporaries", path.display());
    assert!(workspace <= 1.2 * live, "{}: {workspace} bytes for {live}", path.display());
}

/// The programs with snapshots of the levels below `vector`: one for each kind of generated code. Those of other programs
/// would add no coverage and make diffs hard to read.
const TO_THE_END: [&str; 10] = [
    "ops/add",
    "ops/convolution",
    "ops/custom_call",
    "ops/dot_general",
    "ops/gather",
    "ops/reduce",
    "ops/sort",
    "ops/transpose",
    "ops/while",
    "programs/mlp_tiny",
];

/// A longer text has no snapshot. The remarks show what it consists of.
const LONGEST: usize = 790;

/// Compares the text after the stages, and the remarks, with the snapshots in the program's folder.
pub fn snapshot_stages(path: &Path) {
    let folder = path.parent().expect("a folder");
    let to_the_end = TO_THE_END.iter().any(|program| folder.ends_with(program));
    let (stages, _) = staged(path, if to_the_end { Stage::Obj } else { Stage::Vector });
    // The input itself is beside the snapshots already.
    let forms = stages.forms.iter().filter(|(stem, _)| stem != "00-input");
    let mut forms: Vec<_> = forms
        .filter(|(_, text)| text.lines().count() <= LONGEST)
        .map(|(stem, text)| (format!("input.{stem}"), text.as_str()))
        .collect();
    let remarks = stages.remarks.join("\n");
    forms.push(("input.remarks".to_owned(), &remarks));
    snapshot(folder, &forms);
    // None is left over.
    let expected = forms.iter().map(|(name, _)| format!("{name}.snap"));
    let expected: BTreeSet<_> = expected.collect();
    let found = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry"));
    let found = found.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let stray: Vec<_> =
        found.filter(|name| name.ends_with(".snap") && !expected.contains(name)).collect();
    assert!(stray.is_empty(), "{}: nothing makes {stray:?}", folder.display());
}

/// Compares the remarks about a program with the snapshot beside it.
pub fn snapshot_remarks(path: &Path) {
    let (stages, _) = staged(path, Stage::Vector);
    let remarks = stages.remarks.join("\n");
    snapshot(path.parent().expect("a folder"), &[("input.remarks".to_owned(), &remarks)]);
}

/// Compiles a program and gathers what it is after each stage, and what is said of it.
#[track_caller]
pub fn staged(path: &Path, to: Stage) -> (Stages, Artifact) {
    let bytes = fs::read(path).expect("the program");
    let mut stages = Stages::default();
    let compiler = Compiler::new(snapshot_options()).to(to).observe(&mut stages);
    match compiler.compile("input.mlir", &bytes) {
        Ok(artifact) => (stages, artifact),
        Err(errors) => panic!("{}: {errors}", path.display()),
    }
}

fn snapshot(folder: &Path, texts: &[(String, &str)]) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, text) in texts {
            insta::assert_snapshot!(name.as_str(), text);
        }
    });
}

/// Snapshots are read in reviews: all together they are no more than a reviewer can take in.
#[test]
fn snapshots_are_few_enough_to_be_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut lines, mut bytes) = (0, 0);
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "snap") {
                let text = fs::read(&path).expect("a snapshot");
                lines += text.iter().filter(|byte| **byte == b'\n').count();
                bytes += text.len();
            }
        }
    }
    assert!(lines > 10_000, "the snapshots are not where they are looked for");
    assert!(lines < 80_000 && bytes < 8 << 20, "{lines} lines, {bytes} bytes");
}
