//! Whole programs exported from JAX: a snapshot of every stage, and the object's results beside
//! JAX's own.

use std::{fs, path::Path};

use strata::{Compiler, Stage};

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

/// Compares the text after every stage with the snapshots beside the program.
pub fn snapshot_stages(path: &Path) {
    let bytes = fs::read(path).expect("the program");
    let mut stages = Stages::default();
    let compiled = Compiler::new(snapshot_options())
        .to(Stage::Obj)
        .observe(&mut stages)
        .compile("input.mlir", &bytes);
    if let Err(errors) = compiled {
        panic!("{}: {errors}", path.display());
    }
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(path.parent().expect("a folder"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        // The input itself is beside the snapshots already.
        for (stem, text) in stages.0.iter().filter(|(stem, _)| stem != "00-input") {
            insta::assert_snapshot!(format!("input.{stem}"), text);
        }
    });
}
