//! Objects for AArch64, run: cross-compiled hosts under QEMU's user-mode emulation, where both are installed
//! (`apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross`).

use std::{path::Path, process::Command};

use strata::{Artifact, Compiler, Options, Stage};

use crate::{
    dots::{Dot, SIGNS, bf16},
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

/// An object of the text for that CPU, and its assembly.
fn of_text(program: &str, cpu: &str) -> (Artifact, String) {
    let at = |stage| {
        let compiled =
            Compiler::new(options(cpu)).to(stage).compile("dot.mlir", program.as_bytes());
        compiled.expect("compiles")
    };
    let text = String::from_utf8_lossy(at(Stage::Asm).bytes()).into_owned();
    (at(Stage::Obj), text)
}

/// By instructions for bytes without a sign, with one, and, where the CPU has it, of both kinds.
#[test]
fn dots_of_bytes_are_exact() {
    if !is_possible() {
        return;
    }
    for (cpu, mixed) in [("generic", ""), ("neoverse-n1", "dot"), ("neoverse-v1", "usdot")] {
        for (sizes, signs) in
            SIGNS.iter().flat_map(|signs| [([1, 33, 37, 29], signs), ([2, 16, 64, 16], signs)])
        {
            let dot = Dot { sizes, first: [false, true], signs: *signs };
            let (artifact, text) = of_text(&dot.program(), cpu);
            let name = match signs {
                [true, true] if !mixed.is_empty() => "sdot",
                [false, false] if !mixed.is_empty() => "udot",
                _ => mixed,
            };
            assert!(text.contains(name), "{dot:?} on {cpu}: {name}");
            let inputs = dot.inputs();
            let found = call(&artifact, &inputs);
            assert!(found == dot.expected(&inputs[0], &inputs[1]), "{dot:?} on {cpu}");
        }
    }
}

/// The instruction rounds each of two sums to odd, so that they are off by less than a unit in the last place, not half of one.
#[test]
fn sums_of_bf16_are_within_their_bound() {
    if !is_possible() {
        return;
    }
    for [m, k, n] in [[8, 4, 8], [9, 37, 33], [16, 64, 16], [33, 130, 70], [17, 5, 100]] {
        let (x, y) = (bf16::numbers(m * k, 1), bf16::numbers(k * n, 2));
        let inputs = [bf16::bytes_of(&x), bf16::bytes_of(&y)];
        for (cpu, bits, has) in [("generic", 24, false), ("neoverse-v1", 23, true)] {
            let (artifact, text) = of_text(&bf16::bf16_program([m, k, n], "f32", ""), cpu);
            let is_tiny = [m, k, n] == [8, 4, 8];
            assert!(text.contains("bfdot") == has || is_tiny, "{m}x{k}x{n} on {cpu}");
            let found = call(&artifact, &inputs);
            bf16::assert_within(&found, [m, k, n], (&x, &y), (bits, cpu));
        }
    }
}
