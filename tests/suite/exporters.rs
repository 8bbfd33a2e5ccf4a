//! The scripts that export programs, where the Python packages that they need are installed: `STRATA_PYTHON` names
//! the interpreter, `python3` by default.

use std::{env, path::Path, process::Command};

use crate::command::{binary, workspace};

/// The interpreter, if it has the packages; says why not otherwise.
fn python(packages: &str) -> Option<String> {
    let python = env::var("STRATA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let tried =
        Command::new(&python).args(["-W", "ignore", "-c", &format!("import {packages}")]).output();
    match tried {
        Ok(output) if output.status.success() => Some(python),
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr);
            let reason = message.lines().last().unwrap_or("no reason given");
            println!("skipped: {python} cannot import {packages}: {reason}");
            None
        }
        Err(error) => {
            println!("skipped: {python} does not start: {error}");
            None
        }
    }
}

#[track_caller]
fn run(python: &str, script: &str, arguments: &[&Path], words: &[&str]) {
    let output = Command::new(python)
        .current_dir(workspace())
        .args(["-W", "ignore", script])
        .args(words)
        .args(arguments)
        .output()
        .expect("the interpreter starts");
    let (told, wrong) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script}: {told}{wrong}");
}

#[test]
fn a_pytorch_model_computes_what_pytorch_does() {
    let Some(python) = python("torch, torchax.export") else { return };
    run(&python, "scripts/export_pytorch.py", &[Path::new("--strata"), binary()], &[]);
}

#[test]
fn tiny_models_compute_what_jax_does() {
    let Some(python) = python("jax") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = [Path::new("--output"), folder.path()];
    let script = "scripts/export_models.py";
    let names = ["--tiny", "lstm", "mobilenet", "gpt2_decode", "cnn_train"];
    run(&python, script, &output, &[&["export"], &names[..]].concat());
    let arguments = [output[0], output[1], Path::new("--strata"), binary()];
    run(&python, script, &arguments, &[&["compare"], &names[..]].concat());
}

#[test]
fn programs_compute_what_jax_does() {
    let Some(python) = python("jax") else { return };
    let arguments = [Path::new("--strata"), binary()];
    let names = [
        "branches",
        "indexing",
        "sorting",
        "random_numbers",
        "approximate_top_k",
        "buffer",
        "cholesky_factor",
        "kept_argument",
        "dropped_argument",
        "calls_back",
    ];
    run(&python, "scripts/check_jax.py", &arguments, &names);
}

#[test]
fn artifacts_have_the_bytes_that_jaxlib_writes() {
    let Some(python) = python("jaxlib.mlir") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program.mlir");
    // Casts from and to another dialect, uses by operations of older versions, values that a region takes.
    std::fs::write(&program, PROGRAM).expect("written");
    let versions = ["--versions", "0.9.0,0.12.0,1.4.0,1.8.0,1.11.0,1.13.0,1.17.0"];
    let arguments = [Path::new("--strata"), binary(), &program];
    run(&python, "scripts/check_artifacts.py", &arguments, &versions);
}

const PROGRAM: &str = r#"
module @uses {
  func.func public @main(%x: tensor<4x4xf32>, %n: tensor<i32>) -> (tensor<4x4xf32>, tensor<i32>) {
    %0 = stablehlo.exponential %x : tensor<4x4xf32>
    %1 = stablehlo.log %0 : tensor<4x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xf32>
    %3 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.dot_general %0, %3, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %5:2 = stablehlo.while(%i = %n, %a = %4) : tensor<i32>, tensor<4x4xf32>
      cond {
        %7 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      } do {
        %7 = stablehlo.add %i, %n : tensor<i32>
        %8 = stablehlo.multiply %a, %0 : tensor<4x4xf32>
        stablehlo.return %7, %8 : tensor<i32>, tensor<4x4xf32>
      }
    %6 = stablehlo.subtract %5#1, %2 : tensor<4x4xf32>
    return %6, %5#0 : tensor<4x4xf32>, tensor<i32>
  }
}
"#;

#[test]
fn the_harness_of_comparisons_computes_what_it_says() {
    let Some(python) = python("statistics") else { return };
    let doctests = Path::new("scripts/peers/summary.py");
    run(&python, "-m", &[doctests], &["doctest"]);
}
