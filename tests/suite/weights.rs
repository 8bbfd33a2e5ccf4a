//! Large constants: inside the object, or in a file that the caller maps.

use std::{fmt::Write as _, fs, path::Path, process::Command};

use strata::{Compiler, Stage, WeightsLocation};

use crate::command::strata;
use crate::harness::{Loaded, compile, options};

/// Adds constants of 1201, 300 and 5 elements to parts of the input; the last is too small to be a weight, and
/// the first has a size that leaves a gap.
fn program() -> String {
    let mut text = String::from(
        "func.func @main(%x: tensor<1201xf32>) -> (tensor<1201xf32>, tensor<300xi32>) {\n",
    );
    let mut constant = |name: &str, count: u32, ty: &str, bytes: &dyn Fn(u32) -> [u8; 4]| {
        let digits = (0..count).flat_map(bytes).fold(String::new(), |mut digits, byte| {
            write!(digits, "{byte:02X}").expect("a string");
            digits
        });
        writeln!(text, "%{name} = stablehlo.constant dense<\"0x{digits}\"> : tensor<{count}x{ty}>")
            .expect("a string");
    };
    constant("a", 1201, "f32", &|index| (index as f32 / 4.0).to_le_bytes());
    constant("b", 300, "i32", &|index| (7 * index).to_le_bytes());
    constant("c", 5, "i32", &|index| index.to_le_bytes());
    text.push_str(
        "%0 = stablehlo.add %x, %a : tensor<1201xf32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %1 = stablehlo.slice %b [0:5] : (tensor<300xi32>) -> tensor<5xi32>
         %2 = stablehlo.add %1, %c : tensor<5xi32>
         %3 = stablehlo.slice %b [5:300] : (tensor<300xi32>) -> tensor<295xi32>
         %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<5xi32>, tensor<295xi32>) -> tensor<300xi32>
         return %0, %4 : tensor<1201xf32>, tensor<300xi32>\n}\n",
    );
    text
}

fn input() -> Vec<u8> {
    (0..1201).flat_map(|index| (index as f32).to_le_bytes()).collect()
}

fn expected() -> Vec<Vec<u8>> {
    let sums = (0..1201).flat_map(|index| (index as f32 * 1.25).to_le_bytes()).collect();
    let whole = (0..300).flat_map(|index: i32| {
        let extra = if index < 5 { index } else { 0 };
        (7 * index + extra).to_le_bytes()
    });
    vec![sums, whole.collect()]
}

fn write(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("model.mlir");
    fs::write(&path, program()).expect("written");
    path
}

#[test]
fn embedded_weights_need_nothing_from_outside() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = write(folder.path());
    let artifact = compile(&path, options("x86-64"));
    assert!(artifact.weights().is_none());
    assert_eq!(Loaded::new(&artifact).call(&[input()]), expected());
    let again = compile(&path, options("x86-64"));
    assert_eq!(artifact.bytes(), again.bytes(), "the same bytes");
}

/// Each stage's text holds the constants, so that it can be compiled on.
#[test]
fn every_stage_keeps_the_weights_in_its_text() {
    for stage in [Stage::Linalg, Stage::Vector, Stage::Llvm, Stage::LlvmIr] {
        let options = options("x86-64");
        let dump =
            Compiler::new(options.clone()).to(stage).compile("model.mlir", program().as_bytes());
        let dump = dump.unwrap_or_else(|errors| panic!("{errors}"));
        let object = Compiler::new(options).from(stage).compile("dump", dump.bytes());
        let object = object.unwrap_or_else(|errors| panic!("{stage}: {errors}"));
        assert!(object.bytes().len() > 4 * 1500, "{stage}: the constants are in the object");
        if object.signature().is_some() {
            assert_eq!(Loaded::new(&object).call(&[input()]), expected(), "{stage}");
        }
    }
}

#[test]
fn weights_of_their_own_are_a_safetensors_file() {
    let mut options = options("x86-64");
    options.weights = WeightsLocation::External;
    let artifact = Compiler::new(options).compile("model.mlir", program().as_bytes());
    let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}"));
    let weights = artifact.weights().expect("weights");
    assert!(artifact.bytes().len() < 4 * 1201, "the constants are not in the object");
    let header = weights.file_header().expect("a header");
    let text = std::str::from_utf8(&header[8..]).expect("JSON");
    let json: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(json["constant_1201xf32"]["dtype"], "F32");
    assert_eq!(json["constant_1201xf32"]["shape"], serde_json::json!([1201]));
    assert_eq!(json["constant_300xi32"]["dtype"], "I32");
    assert_eq!(json["constant_300xi32"]["data_offsets"][0].as_u64().expect("a number") % 64, 0);
    let length = u64::from_le_bytes(header[..8].try_into().expect("eight bytes"));
    assert_eq!(header.len() as u64, 8 + length);
}

/// Maps the weights as the header shows it, and adds up the outputs.
const HOST: &str = r#"
#include "model.h"
#include <stdio.h>
static float x[1201], y[1201];
static int32_t z[300];
static _Alignas(64) unsigned char workspace[MODEL_MAIN_WORKSPACE_SIZE + 1];
int main(int count, char **arguments) {
  const void *weights = NULL;
  double sum = 0;
  (void)count;
  for (int i = 0; i < 1201; i++) x[i] = (float)i;
  int32_t status = model_main_map_weights(arguments[1], &weights);
  if (status != STRATA_OK) return status;
  status = model_main_typed(x, y, z, NULL, workspace);
  if (status != STRATA_BAD_WEIGHTS) return 90;
  status = model_main_typed(x, y, z, weights, workspace);
  if (status != STRATA_OK) return status;
  for (int i = 0; i < 1201; i++) sum += y[i];
  for (int i = 0; i < 300; i++) sum += z[i];
  printf("%.1f", sum);
  model_main_unmap_weights(weights);
  return model_main_signature.weights_size == MODEL_MAIN_WEIGHTS_SIZE ? 0 : 91;
}
"#;

#[test]
fn a_program_maps_its_weights() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    write(folder.path());
    let words = "compile model.mlir -o model.o --header model.h --weights external";
    strata(folder.path(), &words.split(' ').collect::<Vec<_>>()).succeeded();
    fs::write(at("host.c"), HOST).expect("written");
    let linked = Command::new("cc")
        .current_dir(folder.path())
        .args("-std=c11 -Wall -Wextra -Wpedantic -Werror host.c model.o -lm -o host".split(' '))
        .output()
        .expect("cc runs");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    let host =
        |file: &str| Command::new(at("host")).arg(at(file)).output().expect("the program starts");
    let sum = 1.25 * 720_600.0 + 7.0 * 44_850.0 + 10.0;
    let ended = host("model.safetensors");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&ended.stdout), format!("{sum:.1}"));
    assert_eq!(host("missing").status.code(), Some(7), "no file");
    let mut bytes = fs::read(at("model.safetensors")).expect("the file");
    bytes.push(0);
    fs::write(at("longer"), &bytes).expect("written");
    assert_eq!(host("longer").status.code(), Some(8), "another size");
    bytes.pop();
    let place = bytes.windows(3).position(|text| text == b"F32").expect("a type");
    bytes[place..place + 3].copy_from_slice(b"I32");
    fs::write(at("retyped"), &bytes).expect("written");
    assert_eq!(host("retyped").status.code(), Some(8), "another type");
}

#[test]
fn run_takes_weights_from_their_file_and_checks_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    write(folder.path());
    fs::write(at("x.npy"), crate::arrays::npy("<f4", "(1201,)", &input())).expect("written");
    let call = |words: &str| strata(folder.path(), &words.split(' ').collect::<Vec<_>>());
    call("compile model.mlir -o model.o --weights external --weights-file w.safetensors")
        .succeeded();
    assert!(!at("model.safetensors").exists(), "the file has the name that was asked for");
    let run = "run model.mlir --input x.npy --output-dir . --weights-file ";
    call(&format!("{run}w.safetensors")).succeeded();
    let found = fs::read(at("output1.npy")).expect("an output");
    assert!(found.ends_with(&expected()[1]));

    let bytes = fs::read(at("w.safetensors")).expect("the file");
    let refused = |name: &str, bytes: &[u8], code: &str, reason: &str| {
        fs::write(at(name), bytes).expect("written");
        let ended = call(&format!("{run}{name}"));
        assert_eq!(ended.code, 2, "{name}: {}", ended.stderr);
        assert!(ended.stderr.contains(code) && ended.stderr.contains(reason), "{}", ended.stderr);
    };
    refused("short", &bytes[..bytes.len() - 1], "S1806", "not a safetensors file");
    let mut changed = bytes.clone();
    *changed.last_mut().expect("bytes") ^= 1;
    refused("changed", &changed, "S1806", "its contents were changed");
    let place = bytes.windows(3).position(|text| text == b"F32").expect("a type");
    let mut retyped = bytes.clone();
    retyped[place..place + 3].copy_from_slice(b"I32");
    refused("retyped", &retyped, "S1806", "is I32[1201] in it, and F32[1201] in the program");
    let ended = call(&format!("{run}missing"));
    assert!(ended.stderr.contains("S0002"), "{}", ended.stderr);
    let ended = call("compile model.mlir --emit exe --weights external");
    assert!(ended.code == 2 && ended.stderr.contains("S0001"), "{}", ended.stderr);
}
