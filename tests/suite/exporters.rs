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
