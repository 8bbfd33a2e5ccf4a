//! Objects for AArch64, run: cross-compiled hosts under QEMU's user-mode emulation, where both are installed
//! (`apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross`).

use std::{path::Path, process::Command};

use strata::{Artifact, Options};

use crate::{
    harness::{arrays, assert_close_f32, compile},
    objects::examine_with,
    ops::Case,
};

const COMPILER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";

/// NEON alone, and a CPU that also has SVE.
const CPUS: [&str; 2] = ["generic", "neoverse-v1"];

/// Whether what is needed is there; says so where it is not.
fn is_possible() -> bool {
    let missing: Vec<_> = [COMPILER, EMULATOR]
        .into_iter()
        .filter(|tool| Command::new(tool).arg("--version").output().is_err())
        .collect();
    if !missing.is_empty() {
        eprintln!("not run: {} is not installed", missing.join(" and "));
    }
    missing.is_empty()
}

fn options(cpu: &str) -> Options {
    let triple = "aarch64-unknown-linux-gnu";
    let target = strata_codegen::target::resolve(Some(triple), Some(cpu), None);
    Options { name: "test".into(), ..Options::new(target.expect("a known CPU")) }
}

/// Calls the object on buffers between guard pages; the outputs, one after the other.
#[track_caller]
fn call(artifact: &Artifact, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut cc = Command::new(COMPILER);
    cc.arg("-static");
    let entry = &artifact.signature().expect("a signature").entry;
    assert_eq!(entry, "main", "the entry that the host calls");
    examine_with(cc, Some(EMULATOR), artifact, "test", &inputs.concat())
}

#[rstest::rstest]
fn operations_compute_what_the_evaluator_does(
    #[files("ops/*/input.mlir")] path: std::path::PathBuf,
) {
    if !is_possible() {
        return;
    }
    let case = Case::read(&path);
    for cpu in CPUS {
        let artifact = compile(&path, options(cpu));
        // External calls are tested with another host, see `external_calls`.
        if !artifact.foreign().is_empty() {
            continue;
        }
        let signature = artifact.signature().expect("a signature");
        let run = case.evaluate(signature);
        let mut rest = call(&artifact, &run.inputs);
        let mut found = Vec::new();
        for spec in &signature.outputs {
            let others = rest.split_off(spec.byte_count() as usize);
            found.push(std::mem::replace(&mut rest, others));
        }
        case.assert_results(found, &run.expected, &format!("{} on {cpu}", path.display()));
    }
}

#[rstest::rstest]
fn models_compute_what_jax_does(
    #[files("../examples/models/*.mlir")]
    #[files("programs/*/input.mlir")]
    path: std::path::PathBuf,
) {
    if !is_possible() {
        return;
    }
    let beside = path.with_extension("");
    let folder = if beside.is_dir() { beside } else { parent(&path).to_owned() };
    let expected = arrays(&folder, "output").concat();
    assert!(!expected.is_empty(), "{}: no expected outputs", folder.display());
    for cpu in CPUS {
        let found = call(&compile(&path, options(cpu)), &arrays(&folder, "input"));
        assert_close_f32(&found, &expected, 1e-4, &format!("{} on {cpu}", path.display()));
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().expect("a folder")
}
