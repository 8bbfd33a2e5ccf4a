//! Linear algebra by the run-time library.

use std::{fs, path::Path, process::Command};

use super::{floats, words};
use crate::{
    arrays::npy,
    command::{binary, strata},
};

/// Factorisations as TensorFlow asks XLA for them: the results are tuples, and `Eigh` reads the upper triangle.
const XLA_FACTORS: &str = r#"
func.func public @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) {
  %0 = stablehlo.custom_call @Qr(%a) {backend_config = ""} : (tensor<2x2xf32>) -> tuple<tensor<2x2xf32>, tensor<2xf32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x2xf32>, tensor<2xf32>>) -> tensor<2x2xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  %3 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%1, %2) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %4 = stablehlo.custom_call @Eigh(%a) {backend_config = "0,1,100,0.000001"} : (tensor<2x2xf32>) -> tuple<tensor<2x2xf32>, tensor<2xf32>>
  %5 = stablehlo.get_tuple_element %4[1] : (tuple<tensor<2x2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  return %1, %3, %5 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
}"#;

#[test]
fn linear_algebra_of_xla_is_that_of_the_run_time_library() {
    if !binary().with_file_name("libstrata_runtime.a").is_file() {
        println!("skipped: libstrata_runtime.a is not next to the command");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("factors.mlir"), XLA_FACTORS).expect("written");
    let a = [3.0, 2.0, 4.0, 11.0];
    fs::write(folder.path().join("a.npy"), npy("<f4", "(2, 2)", &floats(&a))).expect("written");
    // The run-time library is at hand without being asked for.
    let arguments = ["run", "factors.mlir", "--input", "a.npy", "--output-dir", "."];
    strata(folder.path(), &arguments).succeeded();
    let output = |index: usize| {
        let file = folder.path().join(format!("output{index}.npy"));
        let bytes = fs::read(file).expect("an output");
        let count = if index == 2 { 2 } else { 4 };
        let numbers = bytes[bytes.len() - 4 * count..].chunks_exact(4);
        numbers.map(|one| f32::from_le_bytes(one.try_into().expect("4 bytes"))).collect::<Vec<_>>()
    };
    let close = |found: f32, expected: f32| (found - expected).abs() < 1e-5;
    // R of the packed factor, and Q: their product is the matrix.
    let (r, q) = (output(0), output(1));
    for (index, expected) in a.into_iter().enumerate() {
        let (row, column) = (index / 2, index % 2);
        let below = if column == 1 { q[2 * row + 1] * r[3] } else { 0.0 };
        assert!(close(q[2 * row] * r[column] + below, expected), "{q:?} {r:?}");
    }
    // Of [[3, 2], [2, 11]]: 7 - sqrt(20) and 7 + sqrt(20).
    let values = output(2);
    let root = 20f32.sqrt();
    assert!(close(values[0], 7.0 - root) && close(values[1], 7.0 + root), "{values:?}");
}

/// A Cholesky factorisation as JAX calls it.
const CHOLESKY: &str = r#"
func.func public @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32>
}"#;

const CHOLESKY_USER: &str = r#"
#include "chol.h"
int main(void) {
  static _Alignas(CHOL_MAIN_ALIGNMENT) unsigned char workspace[CHOL_MAIN_WORKSPACE_SIZE + 1];
  const float a[2][2] = {{4, 2}, {2, 10}};
  float l[2][2] = {{0}};
  int32_t info = 7;
  if (chol_main_typed(a, l, &info, workspace) != STRATA_OK)
    return 1;
  return info != 0 || l[0][0] != 2 || l[1][0] != 1 || l[1][1] != 3;
}"#;

/// The example of `scripts/quickstart.sh` for the run-time library.
#[test]
fn the_eigenvalues_of_the_example_are_those_of_jax() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/eigen");
    let place = |name: &str| example.join(name).to_str().expect("a path").to_owned();
    let (program, matrix) = (place("eigen.mlir"), place("input0.npy"));
    let near = |file: &str| {
        let bytes = fs::read(folder.path().join(file)).expect("an output");
        let expected = fs::read(example.join("output0.npy")).expect("what JAX computes");
        let values = |bytes: &[u8]| -> Vec<f32> {
            let (chunks, _) = bytes[bytes.len() - 12..].as_chunks::<4>();
            chunks.iter().map(|one| f32::from_le_bytes(*one)).collect()
        };
        for (value, expected) in values(&bytes).into_iter().zip(values(&expected)) {
            assert!((value - expected).abs() < 1e-5, "{file}: {value}, JAX has {expected}");
        }
    };
    let run = ["run", &program, "--input", &matrix, "--output", "run.npy"];
    strata(folder.path(), &run).succeeded();
    near("run.npy");
    if binary().with_file_name("libstrata_runtime.a").is_file() {
        let emit = ["compile", &program, "--link-runtime", "--emit", "exe", "-o", "eigen"];
        strata(folder.path(), &emit).succeeded();
        let ended = Command::new(folder.path().join("eigen"))
            .arg(&matrix)
            .current_dir(folder.path())
            .status()
            .expect("it starts");
        assert!(ended.success(), "{ended}");
        near("output0.npy");
    }
}

#[test]
fn the_run_time_library_goes_into_programs_and_libraries() {
    // Only a build of the whole workspace makes the library.
    if !binary().with_file_name("libstrata_runtime.a").is_file() {
        println!("skipped: libstrata_runtime.a is not next to the command");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("chol.mlir"), CHOLESKY).expect("written");
    fs::write(at("user.c"), CHOLESKY_USER).expect("written");
    fs::write(at("a.npy"), npy("<f4", "(2, 2)", &floats(&[4.0, 2.0, 2.0, 10.0]))).expect("written");
    let succeeds = |command: &mut Command| {
        let ended = command.current_dir(folder.path()).output().expect("it starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    };
    let emit = |kind: &str, file: &str| {
        let arguments = ["compile", "chol.mlir", "--emit", kind, "-o", file];
        let more = ["--header", "chol.h", "--link-runtime"];
        strata(folder.path(), &[&arguments[..], &more].concat()).succeeded();
    };

    // A missing function is reported before the program is compiled.
    let missing = strata(folder.path(), &["compile", "chol.mlir", "--emit", "exe", "-v"]);
    assert_eq!(missing.code, 2, "{}", missing.stderr);
    for words in ["error[S1703]", "--> chol.mlir:", "`lapack_spotrf_ffi`", "--link-runtime"] {
        assert!(missing.stderr.contains(words), "{words}: {}", missing.stderr);
    }
    assert!(!missing.stderr.contains("affine"), "{}", missing.stderr);

    emit("exe", "program");
    succeeds(Command::new(at("program")).arg("a.npy"));
    let factor = fs::read(at("output0.npy")).expect("an output");
    assert!(factor.ends_with(&floats(&[2.0, 2.0, 1.0, 3.0])), "the upper half stays");
    assert!(fs::read(at("output1.npy")).expect("an output").ends_with(&words(&[0])));

    let system = ["-lm", "-lpthread", "-ldl"];
    emit("static", "libchol.a");
    succeeds(Command::new("cc").args(["user.c", "libchol.a", "-o", "user"]).args(system));
    succeeds(&mut Command::new(at("user")));
    emit("shared", "libchol.so");
    succeeds(Command::new("cc").args(["user.c", "libchol.so", "-o", "user", "-Wl,-rpath,."]));
    succeeds(&mut Command::new(at("user")));

    let arguments = ["compile", "chol.mlir", "--emit", "static", "--link", "libchol.so"];
    let refused = strata(folder.path(), &arguments);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

/// Also where a program calls it: nothing is scheduled first, and nothing is written.
#[test]
fn a_missing_run_time_library_is_reported_before_the_program_is_compiled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("chol.mlir"), CHOLESKY).expect("written");
    let plain = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : tensor<3xf32>\n}\n";
    fs::write(folder.path().join("plain.mlir"), plain).expect("written");
    // The command by itself, in a folder of the same file system.
    let beside = binary().parent().expect("a folder").to_owned();
    let alone = tempfile::tempdir_in(beside).expect("a temporary folder");
    let command = alone.path().join("strata");
    fs::hard_link(binary(), &command).expect("linked");
    for kind in ["exe", "shared", "static"] {
        let compile = |program: &str| {
            let words = ["compile", program, "--emit", kind, "-o", "out", "--link-runtime", "-v"];
            Command::new(&command)
                .args(words)
                .args(["--header", "out.h"])
                .current_dir(folder.path())
                .output()
                .expect("it starts")
        };
        let ended = compile("chol.mlir");
        let text = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{kind}: {text}");
        for words in ["error[S1702]", "--> chol.mlir:3:", "`libstrata_runtime.a`"] {
            assert!(text.contains(words), "{kind}, {words}: {text}");
        }
        assert!(!text.contains("schedule"), "{kind}: {text}");
        let files = ["out", "out.h"].map(|file| folder.path().join(file));
        assert!(files.iter().all(|file| !file.exists()), "{kind}");
        // A program without calls does not need it.
        let ended = compile("plain.mlir");
        assert!(ended.status.success(), "{kind}: {}", String::from_utf8_lossy(&ended.stderr));
        files.iter().for_each(|file| fs::remove_file(file).expect("removed"));
    }
}
