//! Guarantees of every object: it needs only libm and the memory functions, two compilations give the same bytes, a call
//! accesses only its buffers, does not write its inputs, needs exactly the stated workspace, and may run concurrently with other
//! calls.
//!
//! `objects/host.c` makes the calls, so that the header is compiled by a C compiler as well.

mod debug_information;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use strata::{Artifact, Compiler, Options, Stage, Target};
use strata_codegen::{emit, rust};

use crate::harness::{arrays, assert_close_f32, cpus};

/// A program as stage `vector` leaves it: loops over three rows of five, a vector and a rest, a
/// constant, a temporary and a copy between views that are not dense.
const DENSE: &str = r"
module {
  memref.global constant @weights : memref<4x5xf32> = dense<[
    [1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 0.0, 0.0, 0.0, -1.0],
    [0.0, 1.0, 0.0, 1.0, 0.0], [2.0, 2.0, 2.0, 2.0, 2.0]]> {alignment = 64 : i64}
  func.func @main(%x: memref<3x4xf32>, %out: memref<3x5xf32>, %column: memref<3xf32>,
      %workspace: memref<64xi8>)
      attributes {strata.entry, strata.inputs = [tensor<3x4xf32>],
        strata.outputs = [tensor<3x5xf32>, tensor<3xf32>], strata.workspace_size = 64 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %zero1 = arith.constant 0.0 : f32
    %weights = memref.get_global @weights : memref<4x5xf32>
    %sums = memref.view %workspace[%c0][] : memref<64xi8> to memref<3x5xf32>
    scf.for %i = %c0 to %c3 step %c1 {
      %sum:2 = scf.for %k = %c0 to %c4 step %c1
          iter_args(%before = %zero, %before1 = %zero1) -> (vector<4xf32>, f32) {
        %element = memref.load %x[%i, %k] : memref<3x4xf32>
        %left = vector.broadcast %element : f32 to vector<4xf32>
        %right = vector.load %weights[%k, %c0] : memref<4x5xf32>, vector<4xf32>
        %after = vector.fma %left, %right, %before : vector<4xf32>
        %right1 = memref.load %weights[%k, %c4] : memref<4x5xf32>
        %product1 = arith.mulf %element, %right1 : f32
        %after1 = arith.addf %before1, %product1 : f32
        scf.yield %after, %after1 : vector<4xf32>, f32
      }
      vector.store %sum#0, %sums[%i, %c0] : memref<3x5xf32>, vector<4xf32>
      memref.store %sum#1, %sums[%i, %c4] : memref<3x5xf32>
    }
    %last = memref.subview %sums[0, 4] [3, 1] [1, 1]
      : memref<3x5xf32> to memref<3xf32, strided<[5], offset: 4>>
    memref.copy %last, %column : memref<3xf32, strided<[5], offset: 4>> to memref<3xf32>
    memref.copy %sums, %out : memref<3x5xf32> to memref<3x5xf32>
    return
  }
}";

/// Scalars, booleans in bytes, complex numbers, no elements at all.
const ODD: &str = r"
module {
  func.func @main(%flag: memref<i1>, %bits: memref<5xi1>, %z: memref<complex<f32>>,
      %none: memref<0x3xf64>, %any: memref<i1>, %flipped: memref<5xi1>,
      %twice: memref<complex<f32>>, %nothing: memref<0xi32>, %workspace: memref<0xi8>)
      attributes {strata.entry,
        strata.inputs = [tensor<i1>, tensor<5xi1>, tensor<complex<f32>>, tensor<0x3xf64>],
        strata.outputs = [tensor<i1>, tensor<5xi1>, tensor<complex<f32>>, tensor<0xi32>],
        strata.workspace_size = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %ones = arith.constant dense<true> : vector<4xi1>
    %one = arith.constant true
    %four = vector.load %bits[%c0] : memref<5xi1>, vector<4xi1>
    %not = arith.xori %four, %ones : vector<4xi1>
    vector.store %not, %flipped[%c0] : memref<5xi1>, vector<4xi1>
    %fifth = memref.load %bits[%c4] : memref<5xi1>
    %not5 = arith.xori %fifth, %one : i1
    memref.store %not5, %flipped[%c4] : memref<5xi1>
    %f = memref.load %flag[] : memref<i1>
    %or = arith.ori %f, %fifth : i1
    memref.store %or, %any[] : memref<i1>
    %value = memref.load %z[] : memref<complex<f32>>
    %sum = complex.add %value, %value : complex<f32>
    memref.store %sum, %twice[] : memref<complex<f32>>
    return
  }
}";

/// Calls of libm, and a copy that is long enough to become a call.
const CALLS: &str = r"
module {
  func.func @main(%x: memref<257xf64>, %out: memref<257xf64>, %copy: memref<257xf64>,
      %workspace: memref<0xi8>)
      attributes {strata.entry, strata.inputs = [tensor<257xf64>],
        strata.outputs = [tensor<257xf64>, tensor<257xf64>], strata.workspace_size = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c257 = arith.constant 257 : index
    scf.for %i = %c0 to %c257 step %c1 {
      %element = memref.load %x[%i] : memref<257xf64>
      %tan = math.tan %element : f64
      memref.store %tan, %out[%i] : memref<257xf64>
    }
    memref.copy %x, %copy : memref<257xf64> to memref<257xf64>
    return
  }
}";

fn options(name: &str) -> Options {
    Options { name: name.to_owned(), ..Options::new(Target::x86_64_baseline()) }
}

#[track_caller]
fn compile_vector(text: &str, options: Options) -> Artifact {
    match Compiler::new(options)
        .from(Stage::Vector)
        .to(Stage::Obj)
        .compile("test.mlir", text.as_bytes())
    {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}"),
    }
}

/// Fails unless all that the object needs is on the allowed list.
#[track_caller]
pub fn assert_self_contained(object: &[u8], freestanding: bool) {
    let mut names = emit::undefined_symbols(object).expect("an object");
    names.retain(|name| !emit::is_allowed(name, freestanding));
    assert!(names.is_empty(), "the object needs {names:?}");
}

/// Links the object with `objects/host.c`, which checks what can be checked from outside; returns
/// the outputs, one after the other.
#[track_caller]
pub fn examine(artifact: &Artifact, name: &str, inputs: &[u8]) -> Vec<u8> {
    examine_with(Command::new("cc"), None, artifact, name, inputs)
}

/// As [`examine`], linked by this C compiler and run by this emulator.
#[track_caller]
pub fn examine_with(
    mut cc: Command,
    emulator: Option<&str>,
    artifact: &Artifact,
    name: &str,
    inputs: &[u8],
) -> Vec<u8> {
    assert_self_contained(artifact.bytes(), false);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("x.o"), artifact.bytes()).expect("the object is written");
    fs::write(at("x.h"), artifact.header().expect("a header")).expect("the header is written");
    let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/objects/host.c");
    let entry = format!("{name}_main");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-pthread"])
        .arg("-DHEADER=\"x.h\"")
        .arg(format!("-DENTRY={entry}"))
        .arg(format!("-DPREFIX={}", entry.to_uppercase()))
        .arg("-I")
        .arg(folder.path())
        .args([&host, &at("x.o")])
        .args(["-lm", "-o"])
        .arg(at("host"));
    run(&mut cc, b"");
    match emulator {
        None => run(&mut Command::new(at("host")), inputs),
        Some(emulator) => {
            let mut emulated = Command::new(emulator);
            emulated.arg(at("host"));
            let mut found = output(&mut emulated, inputs);
            // QEMU itself crashes once in some hundred runs that start threads; our code would each time.
            for _ in 0..2 {
                if found.status.code().is_none() {
                    found = output(&mut emulated, inputs);
                }
            }
            succeeded(&emulated, found)
        }
    }
}

/// Runs a command that must succeed, and returns its standard output.
#[track_caller]
fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let output = output(command, input);
    succeeded(command, output)
}

fn output(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("the command ends")
    })
}

#[track_caller]
fn succeeded(command: &Command, output: Output) -> Vec<u8> {
    assert!(
        output.status.success(),
        "{:?}: {}: {}",
        command.get_program(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn a_dense_program_keeps_to_its_buffers() {
    let inputs: [f32; 12] = [1.0, 2.0, 3.0, 4.0, 0.5, 0.0, 0.0, 0.0, -1.0, 1.0, 1.0, 0.0];
    let expected = floats(&[
        10.0, 13.0, 11.0, 15.0, 11.0, // 1·w0 + 2·w1 + 3·w2 + 4·w3
        0.5, 1.0, 1.5, 2.0, 2.5, // w0 / 2
        -0.5, -1.0, -3.0, -3.0, -6.0, // w1 + w2 - w0
        11.0, 2.5, -6.0, // the last column
    ]);
    for cpu in cpus() {
        let target = strata_codegen::target::resolve(None, Some(cpu), None).expect("a known CPU");
        let options = Options { target, ..options("dense") };
        let artifact = compile_vector(DENSE, options);
        assert_close_f32(&examine(&artifact, "dense", &floats(&inputs)), &expected, 1e-6, cpu);
    }
}

#[test]
fn scalars_bytes_and_empty_buffers_pass() {
    let artifact = compile_vector(ODD, options("odd"));
    let mut inputs = vec![0, 1, 0, 0, 1, 1];
    inputs.extend(floats(&[1.5, -2.0]));
    let mut expected = vec![1, 0, 1, 1, 0, 0];
    expected.extend(floats(&[3.0, -4.0]));
    assert_eq!(examine(&artifact, "odd", &inputs), expected);
}

#[test]
fn only_the_lowest_bit_of_a_boolean_counts() {
    let artifact = compile_vector(ODD, options("odd"));
    let mut inputs = vec![2, 3, 2, 4, 5, 0xFE];
    inputs.extend(floats(&[0.0, 0.0]));
    assert_eq!(examine(&artifact, "odd", &inputs)[..6], [0, 0, 1, 1, 0, 1]);
}

#[test]
fn the_pointers_of_many_buffers_are_checked() {
    // Two runs of pointers that are looked at in loops, around an input without elements, which may be null.
    let types: Vec<_> =
        (0..120).map(|n| if n == 41 { "tensor<0xf32>" } else { "tensor<f32>" }).collect();
    let inputs: Vec<_> = types.iter().enumerate().map(|(n, ty)| format!("%x{n}: {ty}")).collect();
    let text = format!(
        "func.func @main({}) -> tensor<f32> {{\n  %0 = stablehlo.subtract %x119, %x40 : tensor<f32>\n  \
         return %0 : tensor<f32>\n}}",
        inputs.join(", ")
    );
    let artifact = Compiler::new(options("many")).compile("many.mlir", text.as_bytes());
    let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}"));
    let values: Vec<f32> = (0..120u16).filter(|n| *n != 41).map(f32::from).collect();
    assert_eq!(examine(&artifact, "many", &floats(&values)), floats(&[79.0]));
}

/// The kernel of a program with more than 256 buffers takes the arrays of pointers.
#[test]
fn programs_of_hundreds_of_buffers_find_each() {
    for count in [127u16, 128, 129, 200] {
        // Every input and output is another one, and one of each has no elements.
        let empty = 41;
        let ty = |n: u16| if n == empty { "tensor<0xf32>" } else { "tensor<3xf32>" };
        let inputs: Vec<_> = (0..count).map(|n| format!("%x{n}: {}", ty(n))).collect();
        let types: Vec<_> = (0..count).map(ty).collect();
        let operations: String = (0..count)
            .map(|n| {
                let other = (n + 7) % count;
                let other = if ty(other) == ty(n) { other } else { n };
                format!("%y{n} = stablehlo.subtract %x{n}, %x{other} : {}\n", ty(n))
            })
            .collect();
        let results: Vec<_> = (0..count).map(|n| format!("%y{n}")).collect();
        let types = types.join(", ");
        let text = format!(
            "func.func @main({}) -> ({types}) {{\n{operations}return {} : {types}\n}}",
            inputs.join(", "),
            results.join(", ")
        );
        let artifact = Compiler::new(options("hundreds")).compile("many.mlir", text.as_bytes());
        let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}"));
        let input = |n: u16, at: u16| f32::from(n * n) + f32::from(at);
        let filled = || (0..count).filter(|n| *n != empty);
        let values: Vec<f32> = filled().flat_map(|n| (0..3).map(move |at| input(n, at))).collect();
        let output = |n: u16, at: u16| {
            let other = (n + 7) % count;
            let other = if other == empty { n } else { other };
            input(n, at) - input(other, at)
        };
        let expected: Vec<f32> =
            filled().flat_map(|n| (0..3).map(move |at| output(n, at))).collect();
        let found = examine(&artifact, "hundreds", &floats(&values));
        assert_eq!(found, floats(&expected), "{count}");
    }
}

/// Up to 64 pointers are looked at one by one, more in a loop.
#[test]
fn pointers_are_checked_whatever_their_number() {
    for count in [63u16, 64, 65] {
        let inputs: Vec<_> = (0..count).map(|n| format!("%x{n}: tensor<f32>")).collect();
        let text = format!(
            "func.func @main({}) -> tensor<f32> {{\n  %0 = stablehlo.subtract %x{}, %x20 : tensor<f32>\n  \
             return %0 : tensor<f32>\n}}",
            inputs.join(", "),
            count - 1,
        );
        let artifact = Compiler::new(options("count")).compile("count.mlir", text.as_bytes());
        let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}"));
        let values: Vec<f32> = (0..count).map(f32::from).collect();
        let expected = floats(&[f32::from(count) - 21.0]);
        assert_eq!(examine(&artifact, "count", &floats(&values)), expected, "{count}");
    }
}

#[test]
fn libm_is_called_where_it_must_be() {
    let artifact = compile_vector(CALLS, options("calls"));
    assert_eq!(emit::undefined_symbols(artifact.bytes()).expect("an object"), ["memcpy", "tan"]);
    let values: Vec<f64> = (0..257).map(|index| f64::from(index) / 64.0).collect();
    let bytes = |values: &[f64]| -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    };
    let found = examine(&artifact, "calls", &bytes(&values));
    let (tangents, copy) = found.split_at(8 * values.len());
    assert_eq!(copy, bytes(&values));
    for (value, found) in values.iter().zip(tangents.chunks_exact(8)) {
        let found = f64::from_le_bytes(found.try_into().expect("eight bytes"));
        assert!((found - value.tan()).abs() <= 1e-12 * value.tan().abs(), "tan {value}: {found}");
    }
}

#[test]
fn freestanding_objects_define_the_memory_functions_themselves() {
    let without_tan = CALLS.replace("math.tan %element : f64", "arith.negf %element : f64");
    let hosted = compile_vector(&without_tan, options("calls"));
    assert_eq!(emit::undefined_symbols(hosted.bytes()).expect("an object"), ["memcpy"]);
    let options = Options { freestanding: true, ..options("calls") };
    let artifact = compile_vector(&without_tan, options);
    assert_self_contained(artifact.bytes(), true);
    let values: Vec<u8> = (0..257).flat_map(|index| f64::from(index).to_le_bytes()).collect();
    let found = examine(&artifact, "calls", &values);
    assert_eq!(found[8 * 257..], values);
    assert_eq!(found[8..16], (-1.0f64).to_le_bytes());
}

#[test]
fn freestanding_objects_that_need_libm_are_refused() {
    let options = Options { freestanding: true, ..options("calls") };
    let compiled = Compiler::new(options).from(Stage::Vector).compile("x.mlir", CALLS.as_bytes());
    let errors = compiled.expect_err("tan is not there");
    let text = errors.to_string();
    assert!(text.contains("S1705") && text.contains("`tan` is undefined"), "{text}");
}

#[test]
fn two_compilations_give_the_same_bytes() {
    for text in [DENSE, ODD, CALLS] {
        let first = compile_vector(text, options("same"));
        let second = compile_vector(text, options("same"));
        assert!(first.bytes() == second.bytes(), "two compilations differ");
        assert_eq!(first.header(), second.header());
    }
}

#[test]
fn the_later_stages_read_their_own_text() {
    let whole = compile_vector(DENSE, options("again"));
    for stage in [Stage::Llvm, Stage::LlvmIr] {
        let middle = Compiler::new(options("again"))
            .from(Stage::Vector)
            .to(stage)
            .compile("again.mlir", DENSE.as_bytes());
        let middle = middle.unwrap_or_else(|errors| panic!("{stage}: {errors}"));
        let end = Compiler::new(options("again")).from(stage).compile("again", middle.bytes());
        let end = end.unwrap_or_else(|errors| panic!("from {stage}: {errors}"));
        assert!(whole.bytes() == end.bytes(), "from {stage}: another object");
    }
}

#[test]
fn an_object_for_aarch64_is_made_too() {
    let target = strata_codegen::target::resolve(Some("aarch64-unknown-linux-gnu"), None, None);
    let options = Options { target: target.expect("aarch64"), ..options("arm") };
    for text in [DENSE, ODD, CALLS] {
        let artifact = compile_vector(text, options.clone());
        assert_self_contained(artifact.bytes(), false);
        // The ELF header's machine.
        assert_eq!(artifact.bytes()[18..20], [183, 0]);
    }
}

#[test]
fn the_header_is_valid_cxx_and_the_typed_wrapper_works() {
    let artifact = compile_vector(DENSE, options("dense"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("dense.o"), artifact.bytes()).expect("written");
    fs::write(at("dense.h"), artifact.header().expect("a header")).expect("written");
    let odd = compile_vector(ODD, options("odd"));
    fs::write(at("odd.o"), odd.bytes()).expect("written");
    fs::write(at("odd.h"), odd.header().expect("a header")).expect("written");
    let source = r#"
#include "dense.h"
#include "odd.h"
#include "dense.h"
#include <stdio.h>
#ifdef __cplusplus
#define ALIGNED alignas
#else
#define ALIGNED _Alignas
#endif
int main(void) {
  static const float x[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  static float out[3][5], column[3];
  ALIGNED(DENSE_MAIN_ALIGNMENT) static unsigned char workspace[DENSE_MAIN_WORKSPACE_SIZE];
  if (dense_main_typed(x, out, column, workspace) != STRATA_OK) return 1;
  printf("%g %g %g", (double)out[0][3], (double)column[0], (double)column[1]);
  static const uint8_t flag = 0, bits[5] = {1, 0, 0, 1, 1};
  static const float z[2] = {1.5f, -2};
  uint8_t any, flipped[5];
  float twice[2];
  if (odd_main_typed(&flag, bits, z, NULL, &any, flipped, twice, NULL, NULL) != STRATA_OK) return 1;
  printf(" %d %d %g", any, flipped[2], (double)twice[1]);
  return 0;
}"#;
    fs::write(at("typed.c"), source).expect("written");
    fs::write(at("typed.cpp"), source).expect("written");
    for (compiler, standard, file) in
        [("cc", "-std=c11", "typed.c"), ("c++", "-std=c++17", "typed.cpp")]
    {
        let mut command = Command::new(compiler);
        command
            .args([standard, "-Wall", "-Wextra", "-Werror", "-I"])
            .arg(folder.path())
            .args([at(file), at("dense.o"), at("odd.o")])
            .args(["-lm", "-o"])
            .arg(at("typed"));
        run(&mut command, b"");
        assert_eq!(run(&mut Command::new(at("typed")), b""), b"4 5 -1 1 1 -4", "{compiler}");
    }
}

#[test]
fn the_class_of_the_cxx_header_owns_its_workspace() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |file: &str| folder.path().join(file);
    for (text, name) in [(DENSE, "dense"), (ODD, "odd")] {
        let artifact = compile_vector(text, options(name));
        fs::write(at(&format!("{name}.o")), artifact.bytes()).expect("written");
        fs::write(at(&format!("{name}.hpp")), artifact.cxx().expect("a header")).expect("written");
        fs::write(at(&format!("{name}.h")), artifact.header().expect("a header")).expect("written");
    }
    let source = r#"
#include "dense.hpp"
#include "odd.hpp"
#include "dense.h"
#include "dense.hpp"
#include <array>
#include <cstdio>
#include <utility>
int main() {
  std::array<float, 12> x{};
  x[0] = x[5] = x[10] = 1;
  float out[15], column[3];
  dense_main_program first;
  dense_main_program dense = std::move(first);
  dense(x, out, column);
  std::printf("%g %g %g", out[3], column[0], column[1]);
  const std::uint8_t flag[1] = {0}, bits[5] = {1, 0, 0, 1, 1};
  const std::complex<float> z[1] = {{1.5f, -2}};
  std::uint8_t any[1], flipped[5];
  std::complex<float> twice[1];
  odd_main_program{}(flag, bits, z, {}, any, flipped, twice, {});
  std::printf(" %d %d %g", any[0], flipped[2], twice[0].imag());
}"#;
    fs::write(at("main.cpp"), source).expect("written");
    let compile = |source: &str| {
        let mut command = Command::new("c++");
        command
            .args(["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsanitize=address", "-I"])
            .arg(folder.path())
            .args([at(source), at("dense.o"), at("odd.o")])
            .args(["-lm", "-o"])
            .arg(at("main"));
        command
    };
    run(&mut compile("main.cpp"), b"");
    assert_eq!(run(&mut Command::new(at("main")), b""), b"4 5 -1 1 1 -4");
    // A span of another size is not accepted.
    fs::write(at("wrong.cpp"), source.replace("out[15]", "out[14]")).expect("written");
    let wrong = output(&mut compile("wrong.cpp"), b"");
    let messages = String::from_utf8_lossy(&wrong.stderr);
    assert!(!wrong.status.success() && messages.contains("dense_main_program"), "{messages}");
}

#[test]
fn the_rust_module_is_valid_and_calls_the_object() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |file: &str| folder.path().join(file);
    let options = options("dense");
    let mut link = vec!["-Clink-arg=-lm".to_owned()];
    for (text, name) in [(DENSE, "dense"), (ODD, "odd")] {
        let options = Options { name: name.to_owned(), ..options.clone() };
        let artifact = compile_vector(text, options.clone());
        let signature = artifact.signature().expect("a signature");
        let size = artifact.workspace_size().expect("a workspace");
        let module = rust::rust_module(signature, size, &[], &options).expect("a module");
        fs::write(at(&format!("{name}.rs")), module).expect("written");
        let object = at(&format!("{name}.o"));
        fs::write(&object, artifact.bytes()).expect("written");
        link.push(format!("-Clink-arg={}", object.display()));
    }
    let source = r#"
mod dense;
mod odd;
fn main() {
    let x = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let (mut out, mut column) = ([[0.0; 5]; 3], [0.0; 3]);
    dense::dense_main(&x, &mut out, &mut column, &mut dense::Workspace::new());
    let (mut any, mut flipped, mut twice) = (0, [0; 5], [0.0; 2]);
    odd::odd_main(&0, &[1, 0, 0, 1, 1], &[1.5, -2.0], &[], &mut any, &mut flipped, &mut twice,
        &mut [], &mut odd::Workspace::default());
    print!("{} {} {} {any} {flipped:?} {twice:?}", out[0][3], column[0], column[1]);
    assert_eq!(odd::ODD_MAIN_WORKSPACE_SIZE, 0);
    assert_eq!(dense::DENSE_MAIN_WORKSPACE_SIZE, 64);
}"#;
    fs::write(at("main.rs"), source).expect("written");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-D", "warnings", "-o"]).args([at("program"), at("main.rs")]);
    run(rustc.args(link), b"");
    let found = run(&mut Command::new(at("program")), b"");
    assert_eq!(String::from_utf8_lossy(&found), "4 5 -1 1 [0, 1, 1, 0, 0] [3.0, -4.0]");
}

#[test]
fn names_that_c_cannot_spell_are_refused() {
    let compiled =
        Compiler::new(options("a-b")).from(Stage::Vector).compile("x.mlir", DENSE.as_bytes());
    let errors = compiled.expect_err("no identifier");
    assert!(errors.to_string().contains("`a-b_main` is not an identifier of C"), "{errors}");
}

#[rstest::rstest]
fn bundled_programs_keep_their_promises(
    #[files("programs/*/input.mlir")] path: std::path::PathBuf,
) {
    let folder = path.parent().expect("a folder");
    let text = fs::read(&path).expect("the program");
    for cpu in cpus() {
        let target = strata_codegen::target::resolve(None, Some(cpu), None).expect("a known CPU");
        let options = Options { target, ..options("program") };
        let compile = || Compiler::new(options.clone()).compile("input.mlir", &text);
        let artifact = compile().unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
        let again = compile().unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
        assert!(artifact.bytes() == again.bytes(), "two compilations differ for {cpu}");
        let inputs = arrays(folder, "input").concat();
        let found = examine(&artifact, "program", &inputs);
        let expected = arrays(folder, "output").concat();
        assert_close_f32(&found, &expected, 2e-5, &format!("{} on {cpu}", path.display()));
        // Without libm the results may differ in the last bits, and nothing may be undefined.
        let options = Options { freestanding: true, ..options };
        let artifact = Compiler::new(options).compile("input.mlir", &text);
        let artifact = artifact.unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
        assert_self_contained(artifact.bytes(), true);
        let found = examine(&artifact, "program", &inputs);
        assert_close_f32(&found, &expected, 2e-5, &format!("{} on {cpu}", path.display()));
    }
}
