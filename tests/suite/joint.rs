//! Objects for several processors, and objects of several programs.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path, process::Command};

use strata::{Artifact, Compiler, Options, Stage, Target};
use strata_codegen::{emit::undefined_symbols, target};

use crate::{
    arrays::npy,
    command::strata,
    harness::{Loaded, arrays, compile, cpus, options},
    objects::{examine, examine_with},
};

const LEVELS: [&str; 3] = ["x86-64-v2", "x86-64-v3", "x86-64-v4"];

/// What a list of processors on the command line becomes.
pub fn versions(triple: Option<&str>, cpus: &[&str]) -> Options {
    let resolve = |cpu: &&str| target::resolve(triple, Some(cpu), None).expect("a known CPU");
    let versions: Vec<Target> = cpus.iter().map(resolve).collect();
    Options { name: "test".into(), versions: versions.clone(), ..Options::new(versions[0].clone()) }
}

/// The best of the levels that runs here.
fn best_here() -> &'static str {
    let here = cpus();
    LEVELS.into_iter().rev().find(|level| here.contains(level)).unwrap_or(LEVELS[0])
}

fn undefined(artifact: &Artifact) -> BTreeSet<String> {
    undefined_symbols(artifact.bytes()).expect("an object").into_iter().collect()
}

/// The code that is taken here is, bit by bit, that of the object for this processor alone, which needs nothing less.
#[rstest::rstest]
fn the_best_version_runs(
    #[files("programs/*/input.mlir")]
    #[files("../examples/models/*.mlir")]
    path: std::path::PathBuf,
) {
    let beside = path.with_extension("");
    let folder = if beside.is_dir() { beside } else { path.parent().expect("a folder").to_owned() };
    let inputs = arrays(&folder, "input");
    let joint = compile(&path, versions(None, &LEVELS));
    let alone = compile(&path, options(best_here()));
    let found = Loaded::new(&joint).call(&inputs);
    assert!(found == Loaded::new(&alone).call(&inputs), "{}", path.display());
    let each: Vec<_> = LEVELS.iter().map(|level| compile(&path, options(level))).collect();
    let largest = each.iter().filter_map(Artifact::workspace_size).max();
    assert_eq!(joint.workspace_size(), largest);
    let size = Loaded::new(&joint).workspace_size();
    assert_eq!(Some(size as u64), largest);
    let needed: BTreeSet<_> = each.iter().flat_map(undefined).collect();
    assert_eq!(undefined(&joint), needed);
}

/// Sums whose order differs from one vector size to another, so that their last bits tell the versions apart, and what a
/// wrong one would do to the caller.
const SUMS: &str = r#"
func.func @main(%x: tensor<129x65xf32>, %y: tensor<65x33xf32>) -> (tensor<129x33xf32>, tensor<f32>) {
  %0 = stablehlo.dot %x, %y : (tensor<129x65xf32>, tensor<65x33xf32>) -> tensor<129x33xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<129x65xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<129x33xf32>, tensor<f32>
}
"#;

fn sums_inputs() -> Vec<Vec<u8>> {
    let values = |count: u32| {
        let value = |index: u32| ((index * 7919 % 1009) as f32 / 1009.0 - 0.3) * 1.7;
        (0..count).flat_map(|index| value(index).to_le_bytes()).collect::<Vec<u8>>()
    };
    vec![values(129 * 65), values(65 * 33)]
}

fn sums(options: Options) -> Artifact {
    match Compiler::new(options).compile("sums.mlir", SUMS.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}"),
    }
}

#[test]
fn several_threads_may_ask_at_once() {
    // The host calls from several threads, from the first call on.
    let found = examine(&sums(versions(None, &LEVELS)), "test", &sums_inputs().concat());
    let alone = examine(&sums(options(best_here())), "test", &sums_inputs().concat());
    assert!(found == alone);
}

#[test]
fn the_order_of_the_list_does_not_matter_and_bytes_are_the_same_each_time() {
    let forward = sums(versions(None, &LEVELS));
    assert!(forward.bytes() == sums(versions(None, &LEVELS)).bytes());
    let backward = sums(versions(None, &["x86-64-v4", "x86-64-v2", "x86-64-v3"]));
    let inputs = sums_inputs();
    assert!(Loaded::new(&forward).call(&inputs) == Loaded::new(&backward).call(&inputs));
}

/// A product whose rows are any number, and whose columns are up to a bound; last bits tell processors apart.
const OPEN: &str = r#"
func.func @main(%x: tensor<?x65xf32>, %y: tensor<65x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<?x65xf32>, tensor<65x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"#;

fn open(options: Options) -> Artifact {
    let max = vec![("input1.1".to_owned(), 12)];
    let options = Options { open: true, max, compile_threads: 0, ..options };
    match Compiler::new(options).compile("open.mlir", OPEN.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}"),
    }
}

/// With open sizes, too, the code that is taken is that of the object for this processor alone.
#[test]
fn processors_are_chosen_beside_sizes() {
    let cpus = ["x86-64-v2", "x86-64-v3"];
    let of = |cpus: &[&str]| open(versions(None, cpus));
    let (joint, alone) = (of(&cpus), cpus.map(|cpu| open(options(cpu))));
    let best = if best_here() == "x86-64-v2" { 0 } else { 1 };
    let largest = alone.iter().filter_map(Artifact::workspace_size).max();
    assert_eq!(joint.workspace_size(), largest);
    let loaded = [&joint, &of(&["x86-64-v3", "x86-64-v2"]), &alone[best]].map(Loaded::new);
    let values = sums_inputs().swap_remove(0);
    let mut differs = false;
    for (rows, columns) in [(1, 1), (0, 5), (3, 0), (3, 7), (17, 8), (23, 11), (33, 12)] {
        let part = |count: i64| values[..count as usize * 65 * 4].to_vec();
        let (inputs, bytes) = ([part(rows), part(columns)], (rows * columns * 4) as usize);
        let call = |loaded: &Loaded| {
            let shapes = [vec![rows, 65], vec![65, columns]];
            assert_eq!(loaded.symbols_of(&shapes, 2), Some(vec![rows, columns]));
            assert_eq!(loaded.output_shapes(&[rows, columns]), [[rows, columns]]);
            let (status, outputs) = loaded.call_open(&inputs, &[rows, columns], &[bytes]);
            assert_eq!(status, 0, "{rows} rows, {columns} columns");
            outputs
        };
        let found = loaded.each_ref().map(call);
        assert!(found[0] == found[2] && found[1] == found[2], "{rows} rows, {columns} columns");
        differs |= best == 1 && call(&Loaded::new(&alone[0])) != found[0];
        assert!(loaded[0].open_workspace_size(&[rows, columns]) as u64 <= largest.unwrap_or(0));
    }
    assert!(differs || best == 0, "the versions cannot be distinguished");
    for symbols in [[1, 13], [-1, 1]] {
        assert_eq!(loaded[0].call_open(&[], &symbols, &[]).0, 10, "{symbols:?}");
    }
    assert_eq!(undefined(&joint), alone.iter().flat_map(undefined).collect());
    // No processor of today has FMA4.
    let old = Loaded::new(&of(&["bdver2", "bdver4"]));
    assert_eq!(old.call_open(&[vec![0; 260], vec![0; 260]], &[1, 1], &[4]).0, 9);
}

/// Runs a program under QEMU as another processor; the bytes of its outputs, or its exit code.
fn emulated(folder: &Path, emulator: &str, cpu: &str) -> Result<Vec<Vec<u8>>, i32> {
    let ended = Command::new(emulator)
        .args(["-cpu", cpu, "./sums", "x.npy", "y.npy"])
        .current_dir(folder)
        .output()
        .expect("the emulator starts");
    match ended.status.code() {
        Some(0) => {
            let read = |name: &str| fs::read(folder.join(name)).expect("an output");
            let outputs = ["output0.npy", "output1.npy"].map(read);
            Ok(outputs.map(|file| file[128..].to_vec()).to_vec())
        }
        Some(code) => {
            let text = String::from_utf8_lossy(&ended.stderr);
            assert!(text.contains("status 9"), "{cpu}: {text}");
            Err(code)
        }
        None => panic!("{cpu}: ended by {}", ended.status),
    }
}

/// What QEMU plays: the first lacks SSE4.2, the second AVX, the third AVX-512.
#[cfg(target_arch = "x86_64")]
#[test]
fn other_processors_take_other_versions() {
    if Command::new("qemu-x86_64").arg("--version").output().is_err() {
        eprintln!("not run: qemu-x86_64 is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("sums.mlir"), SUMS).expect("written");
    let inputs = sums_inputs();
    fs::write(here.join("x.npy"), npy("<f4", "(129, 65)", &inputs[0])).expect("written");
    fs::write(here.join("y.npy"), npy("<f4", "(65, 33)", &inputs[1])).expect("written");
    let levels = LEVELS.join(",");
    let compile = ["compile", "sums.mlir", "--emit", "exe", "-o", "sums", "--target-cpu", &levels];
    strata(here, &compile).succeeded();
    let alone = |cpu: &str| Loaded::new(&sums(options(cpu))).call(&inputs);
    assert_eq!(emulated(here, "qemu-x86_64", "qemu64"), Err(1));
    assert!(emulated(here, "qemu-x86_64", "Nehalem") == Ok(alone("x86-64-v2")));
    if cpus().contains(&"x86-64-v3") {
        assert!(emulated(here, "qemu-x86_64", "Haswell") == Ok(alone("x86-64-v3")));
        assert_ne!(alone("x86-64-v3"), alone("x86-64-v2"), "the versions cannot be distinguished");
    }
}

#[test]
fn processors_of_aarch64_are_told_apart() {
    let missing = ["aarch64-linux-gnu-gcc", "qemu-aarch64"]
        .into_iter()
        .find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        eprintln!("not run: {tool} is not installed");
        return;
    }
    let triple = Some("aarch64-unknown-linux-gnu");
    let call = |cpus: &[&str]| {
        let mut cc = Command::new("aarch64-linux-gnu-gcc");
        cc.arg("-static");
        let options = match cpus {
            [cpu] => Options {
                name: "test".into(),
                ..Options::new(target::resolve(triple, Some(cpu), None).expect("a known CPU"))
            },
            _ => versions(triple, cpus),
        };
        examine_with(cc, Some("qemu-aarch64"), &sums(options), "test", &sums_inputs().concat())
    };
    // The emulator's own processor has all that these ask for.
    let best = call(&["neoverse-v1"]);
    assert!(call(&["generic", "neoverse-n1", "neoverse-v1"]) == best);
    assert!(call(&["neoverse-v1", "generic"]) == best);
}

/// Two functions with a shared constant, one separate constant each, and arguments of the same name.
fn two_programs() -> String {
    let mut text = String::new();
    let mut function = |name: &str, rows: u32, own: u32| {
        let digits = |seed: u32| {
            (0..32 * 32).fold(String::new(), |mut text, index: u32| {
                let value = ((index * 31 + seed) % 17) as f32 - 8.0;
                for byte in value.to_le_bytes() {
                    write!(text, "{byte:02X}").expect("a string");
                }
                text
            })
        };
        let (ty, weights) = (format!("tensor<{rows}x32xf32>"), "tensor<32x32xf32>");
        writeln!(
            text,
            "func.func @{name}(%x: {ty}) -> {ty} {{\n\
             %own = stablehlo.constant dense<\"0x{}\"> : {weights}\n\
             %both = stablehlo.constant dense<\"0x{}\"> : {weights}\n\
             %0 = stablehlo.dot %x, %own : ({ty}, {weights}) -> {ty}\n\
             %1 = stablehlo.dot %0, %both : ({ty}, {weights}) -> {ty}\nreturn %1 : {ty}\n}}",
            digits(own),
            digits(5)
        )
        .expect("a string");
    };
    function("prefill", 8, 1);
    function("decode", 1, 2);
    text
}

/// Calls both, as C does, with the weights in the object or in a file.
const CALLER: &str = r#"
#include "lm.h"
#include <stdio.h>
int main(void) {
  static float many[8][32], one[1][32], results[8][32], result[1][32];
  _Alignas(64) static char workspace[1 << 20];
  if (lm_prefill_workspace_size() > sizeof workspace || lm_decode_workspace_size() > sizeof workspace) return 1;
  for (int i = 0; i < 8 * 32; i++) many[i / 32][i % 32] = (float)(i % 5);
  for (int i = 0; i < 32; i++) one[0][i] = (float)(i % 5);
#ifdef LM_PREFILL_WEIGHTS_SIZE
  const void *weights;
  if (lm_prefill_map_weights("lm.safetensors", &weights)) return 2;
  if (lm_prefill_typed(many, results, weights, workspace)) return 3;
  if (lm_decode_typed(one, result, weights, workspace)) return 4;
#else
  if (lm_prefill_typed(many, results, workspace)) return 3;
  if (lm_decode_typed(one, result, workspace)) return 4;
#endif
  for (int i = 0; i < 32; i++) printf("%g %g\n", results[0][i], result[0][i]);
  return 0;
}"#;

/// What the caller prints, from sums over whole numbers.
fn expected() -> String {
    let weight = |seed: u32, index: u32| ((index * 31 + seed) % 17) as f32 - 8.0;
    let row: Vec<f32> = (0..32).map(|index| (index % 5) as f32).collect();
    let times = |row: &[f32], seed: u32| -> Vec<f32> {
        (0..32)
            .map(|to| (0..32).map(|k| row[k as usize] * weight(seed, k * 32 + to)).sum())
            .collect()
    };
    let [first, second] = [1, 2].map(|own| times(&times(&row, own), 5));
    first.iter().zip(&second).map(|(first, second)| format!("{first} {second}\n")).collect()
}

fn built(folder: &Path, compiler: &str, flags: &[&str]) -> String {
    let built = Command::new(compiler).args(flags).current_dir(folder).output().expect("it starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.join("main")).current_dir(folder).output().expect("it starts");
    assert!(ran.status.success(), "{}", ran.status);
    String::from_utf8(ran.stdout).expect("text")
}

#[rstest::rstest]
#[case("x86-64", false)]
#[case("x86-64", true)]
#[case("x86-64,x86-64-v3,x86-64-v4", false)]
#[case("x86-64,x86-64-v3,x86-64-v4", true)]
fn entries_share_an_object_and_its_constants(#[case] cpus: &str, #[case] is_external: bool) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("lm.mlir"), two_programs()).expect("written");
    let mut arguments = vec!["compile", "lm.mlir", "--entry", "prefill,decode", "-o", "lm.o"];
    arguments.extend(["--header", "lm.h", "--target-cpu", cpus]);
    if is_external {
        arguments.extend(["--weights", "external"]);
    }
    strata(here, &arguments).succeeded();
    let size = |file: &str| fs::metadata(here.join(file)).expect("written").len();
    // Three constants of 4 KiB, once each whatever the number of versions.
    let constants = if is_external { size("lm.safetensors") } else { size("lm.o") };
    let code = if is_external { 1 << 10 } else { 40 << 10 };
    assert!((12 << 10..(12 << 10) + code).contains(&constants), "{constants} bytes");
    fs::write(here.join("main.c"), CALLER).expect("written");
    let flags =
        ["-std=c11", "-Wall", "-Werror", "-D_GNU_SOURCE", "main.c", "lm.o", "-lm", "-o", "main"];
    assert_eq!(built(here, "cc", &flags), expected());
}

/// Constants of one entry with the same bytes and other shapes are one in the object.
#[test]
fn constants_of_the_same_bytes_are_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let digits = (0..2048_u32).fold(String::new(), |mut text, index| {
        for byte in (index as f32).to_le_bytes() {
            write!(text, "{byte:02X}").expect("a string");
        }
        text
    });
    let program = format!(
        "func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {{\n\
         %0 = stablehlo.add %x, %x : tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}}\n\
         func.func @rows(%i: tensor<i32>) -> (tensor<1x4xf32>, tensor<4xf32>) {{\n\
         %zero = stablehlo.constant dense<0> : tensor<i32>\n\
         %one = stablehlo.constant dense<\"0x{digits}\"> : tensor<512x4xf32>\n\
         %two = stablehlo.constant dense<\"0x{digits}\"> : tensor<2048xf32>\n\
         %0 = stablehlo.dynamic_slice %one, %i, %zero, sizes = [1, 4] : (tensor<512x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>\n\
         %1 = stablehlo.dynamic_slice %two, %i, sizes = [4] : (tensor<2048xf32>, tensor<i32>) -> tensor<4xf32>\n\
         return %0, %1 : tensor<1x4xf32>, tensor<4xf32>\n}}\n"
    );
    fs::write(here.join("p.mlir"), program).expect("written");
    for cpus in ["x86-64", "x86-64,x86-64-v3"] {
        let arguments =
            ["compile", "p.mlir", "--entry", "none,rows", "-o", "p.o", "--header", "p.h"];
        strata(here, &[&arguments[..], &["--target-cpu", cpus]].concat()).succeeded();
        let size = fs::metadata(here.join("p.o")).expect("written").len();
        assert!((8 << 10..16 << 10).contains(&size), "{size} bytes");
        let caller = r#"
#include "p.h"
#include <stdio.h>
int main(void) {
  static float row[1][4], part[4];
  _Alignas(64) static char workspace[1 << 16];
  int32_t at = 300;
  if (p_rows_workspace_size() > sizeof workspace || p_rows_typed(&at, row, part, workspace)) return 1;
  printf("%g %g\n", row[0][1], part[3]);
  return 0;
}"#;
        fs::write(here.join("main.c"), caller).expect("written");
        let flags = ["-std=c11", "-Werror", "-D_GNU_SOURCE", "main.c", "p.o", "-lm", "-o", "main"];
        assert_eq!(built(here, "cc", &flags), "1201 303\n");
    }
}

/// The file of all entries, whose offsets differ from those of a single entry.
#[test]
fn run_takes_the_weights_of_an_entry_from_the_file_of_all() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("lm.mlir"), two_programs()).expect("written");
    let row: Vec<u8> = (0..32).flat_map(|index| ((index % 5) as f32).to_le_bytes()).collect();
    fs::write(here.join("x.npy"), npy("<f4", "(1, 32)", &row)).expect("written");
    let external = ["--weights", "external", "-o", "lm.o"];
    let compile = ["compile", "lm.mlir", "--entry", "prefill,decode", "--target-cpu", "x86-64"];
    strata(here, &[&compile[..], &external].concat()).succeeded();
    let run = ["run", "lm.mlir", "--entry", "decode", "--input", "x.npy"];
    let embedded = strata(here, &run).succeeded();
    let with_file = |file| strata(here, &[&run[..], &["--weights-file", file]].concat());
    assert_eq!(with_file("lm.safetensors").succeeded().text(), embedded.text());

    let mut changed = fs::read(here.join("lm.safetensors")).expect("the file");
    // The last constant is the second entry's own.
    *changed.last_mut().expect("bytes") ^= 1;
    fs::write(here.join("changed"), changed).expect("written");
    let ended = with_file("changed");
    assert!(ended.code == 2 && ended.stderr.contains("S1806"), "{}", ended.stderr);
}

#[test]
fn wrappers_hold_every_entry() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("lm.mlir"), two_programs()).expect("written");
    let outputs = ["--cxx", "lm.hpp", "--rust", "lm.rs", "--emit", "static", "-o", "liblm.a"];
    let compile = ["compile", "lm.mlir", "--entry", "prefill,decode", "--target-cpu", "x86-64"];
    strata(here, &[&compile[..], &outputs].concat()).succeeded();
    let main = r#"
#include "lm.hpp"
#include <cstdio>
#include <vector>
int main() {
  lm_prefill_program prefill;
  lm_decode_program decode;
  std::vector<float> many(8 * 32), one(32), results(8 * 32), result(32);
  for (int i = 0; i < 8 * 32; i++) many[i] = float(i % 5);
  for (int i = 0; i < 32; i++) one[i] = float(i % 5);
  prefill(std::span<const float, 256>(many), std::span<float, 256>(results));
  decode(std::span<const float, 32>(one), std::span<float, 32>(result));
  for (int i = 0; i < 32; i++) std::printf("%g %g\n", results[i], result[i]);
}"#;
    fs::write(here.join("main.cpp"), main).expect("written");
    let flags = ["-std=c++20", "-Wall", "-Werror", "main.cpp", "liblm.a", "-lm", "-o", "main"];
    assert_eq!(built(here, "c++", &flags), expected());

    let main = r#"
mod lm;
fn main() {
    let row: [f32; 32] = core::array::from_fn(|index| (index % 5) as f32);
    // The rows of the caller in C begin at other positions.
    let many: [[f32; 32]; 8] = core::array::from_fn(|line| core::array::from_fn(|i| ((line * 32 + i) % 5) as f32));
    let (mut results, mut result) = ([[0.0; 32]; 8], [[0.0; 32]; 1]);
    let mut workspace = lm::lm_prefill::Workspace::boxed();
    lm::lm_prefill::lm_prefill(&many, &mut results, &mut workspace);
    let mut workspace = lm::lm_decode::Workspace::boxed();
    lm::lm_decode::lm_decode(&[row], &mut result, &mut workspace);
    for index in 0..32 {
        println!("{} {}", results[0][index], result[0][index]);
    }
}"#;
    fs::write(here.join("main.rs"), main).expect("written");
    let flags =
        ["--edition=2024", "-Dwarnings", "main.rs", "-L.", "-lstatic=lm", "-lm", "-o", "main"];
    assert_eq!(built(here, "rustc", &flags), expected());
}

/// Where a wrapper may refuse to run, its type says so.
#[test]
fn wrappers_of_objects_that_may_refuse_return_a_status() {
    let text = |cpus: &[&str]| sums(versions(None, cpus)).rust().expect("a module").to_owned();
    let refusing = text(&["x86-64-v3", "x86-64-v4"]);
    assert!(refusing.contains(") -> Result<(), i32> {"), "{refusing}");
    assert!(refusing.contains("or 9 where there is no code for this processor"), "{refusing}");
    assert!(!text(&["x86-64", "x86-64-v4"]).contains("Result"));
    let class = sums(versions(None, &["x86-64-v3", "x86-64-v4"]));
    assert!(class.cxx().expect("a header").contains("[[nodiscard]] std::int32_t operator()"));
}

#[test]
fn dumps_and_times_are_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("lm.mlir"), two_programs()).expect("written");
    let compile = ["compile", "lm.mlir", "--entry", "prefill,decode", "--target-cpu"];
    let more = ["x86-64,x86-64-v3", "-o", "lm.o", "--dump-stages", "dumps", "--time-stages", "-v"];
    let ended = strata(here, &[&compile[..], &more].concat()).succeeded();
    for part in ["prefill.x86-64", "prefill.x86-64-v3", "decode.x86-64", "decode.x86-64-v3"] {
        assert!(here.join("dumps").join(part).join("40-affine.mlir").is_file(), "{part}");
        assert!(ended.stderr.contains(&format!("part        {part}\n")), "{}", ended.stderr);
        assert!(ended.stderr.contains(&format!("{part}/40-affine")), "{}", ended.stderr);
    }
    assert!(here.join("dumps/80-obj.o").is_file());
    // The module of the whole object can be compiled further.
    let again = ["compile", "dumps/70-llvmir.ll", "--from", "llvmir", "-o", "again.o"];
    strata(here, &again).succeeded();
    let read = |file: &str| fs::read(here.join(file)).expect("an object");
    let names = |file: &str| undefined_symbols(&read(file)).expect("an object");
    assert_eq!(names("again.o"), names("lm.o"));
}

#[test]
fn what_is_of_one_program_only_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("lm.mlir"), two_programs()).expect("written");
    fs::write(here.join("schedule.mlir"), "module {}").expect("written");
    let entries = ["--entry", "prefill,decode"];
    let cpus = ["--entry", "decode", "--target-cpu", "x86-64,x86-64-v3"];
    let cases: [(&str, &[&str], &[&str], &str); 10] = [
        ("compile", &entries, &["--to", "affine"], "stage `affine` is for one program"),
        ("compile", &cpus, &["--to", "llvm"], "stage `llvm` is for one program"),
        (
            "compile",
            &entries,
            &["--from", "hlo"],
            "cannot be compiled as an object of several entries",
        ),
        (
            "compile",
            &cpus,
            &["--from", "linalg"],
            "cannot be compiled as an object for several processors",
        ),
        (
            "compile",
            &cpus,
            &["--schedule", "schedule.mlir"],
            "a schedule in the transform dialect is for one processor",
        ),
        ("compile", &entries, &["--emit", "exe"], "supports one entry function only"),
        ("run", &entries, &[], "--entry names several functions"),
        ("bench", &cpus, &[], "--target-cpu names several processors"),
        ("check", &cpus, &[], "--target-cpu names several processors"),
        ("schedule", &entries, &[], "--entry names several functions"),
    ];
    for (command, what, more, reason) in cases {
        let ended = strata(here, &[&[command, "lm.mlir"], what, more].concat());
        assert_eq!(ended.code, 2, "{command} {more:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{command} {more:?}: {}", ended.stderr);
    }
    for (list, code, reason) in [
        ("prefill,prefill", "S0001", "the entry `prefill` is named twice"),
        ("prefill,", "S0001", "has an empty item"),
        ("prefill,decod", "S1010", "did you mean `decode`?"),
    ] {
        let ended = strata(here, &["compile", "lm.mlir", "--entry", list, "-o", "x.o"]);
        assert!(ended.stderr.contains(code) && ended.stderr.contains(reason), "{}", ended.stderr);
    }
    for (list, code, reason) in [
        ("x86-64-v3,x86-64-v3", "S0001", "the processor `x86-64-v3` is named twice"),
        ("x86-64-v3,x86-64-v5", "S1602", "there is no CPU `x86-64-v5`"),
        ("x86-64-v3,", "S0001", "did you mean `--target-cpu x86-64-v3`?"),
        ("x86-64-v3,novalake", "S1605", "which has `"),
    ] {
        let compile =
            ["compile", "lm.mlir", "--entry", "decode", "-o", "x.o", "--target-cpu", list];
        let ended = strata(here, &compile);
        assert!(ended.stderr.contains(code) && ended.stderr.contains(reason), "{}", ended.stderr);
    }
    assert!(!here.join("x.o").exists());
}

/// The library takes modules and bytes alike.
#[test]
fn modules_become_joint_objects_too() {
    let context = strata::new_context();
    let module = strata_ir::parse(&context, "sums.mlir", SUMS.as_bytes()).expect("a module");
    let options = versions(None, &LEVELS);
    let found = Compiler::new(options.clone()).compile_module(&context, module);
    let found = found.unwrap_or_else(|errors| panic!("{errors}"));
    let inputs = sums_inputs();
    assert!(Loaded::new(&found).call(&inputs) == Loaded::new(&sums(options.clone())).call(&inputs));
    let text = Compiler::new(options).to(Stage::LlvmIr).compile("sums.mlir", SUMS.as_bytes());
    let text = text.unwrap_or_else(|errors| panic!("{errors}"));
    assert!(text.text().is_some_and(|text| text.contains("\"target-cpu\"=\"x86-64-v4\"")));
}

#[test]
fn entries_get_in_nobodys_way() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let function = |name: &str, body: &str| {
        format!(
            "func.func @{name}(%x: tensor<4xf32>) -> tensor<4xf32> {{\n%0 = {body}\nreturn %0 : tensor<4xf32>\n}}\n"
        )
    };
    let own = "stablehlo.abs %x : tensor<4xf32>";
    let call = |target: &str, version: u32| {
        format!(
            "stablehlo.custom_call @{target}(%x) {{api_version = {version} : i32}} : (tensor<4xf32>) -> tensor<4xf32>"
        )
    };
    let pair = |second: &str| function("f", own) + &function(second, own);
    for (program, entries, code, reason) in [
        (function("f", &call("n_g", 2)) + &function("g", own), "f,g", "S1202", "defines `n_g`"),
        (
            function("f", &call("t", 2)) + &function("g", &call("t", 3)),
            "f,g",
            "S1202",
            "`t` is called with two versions of the interface",
        ),
        (pair("F"), "f,F", "S0001", "would both export `N_F_H`"),
        (pair("f_signature"), "f,f_signature", "S0001", "would both export `n_f_signature`"),
        (pair("f_typed"), "f_typed,f", "S0001", "would both export `n_f_typed`"),
    ] {
        fs::write(here.join("p.mlir"), program).expect("written");
        let ended =
            strata(here, &["compile", "p.mlir", "--entry", entries, "--name", "n", "-o", "n.o"]);
        assert!(ended.stderr.contains(code) && ended.stderr.contains(reason), "{}", ended.stderr);
        assert!(!here.join("n.o").exists());
    }
}
