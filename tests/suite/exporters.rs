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

/// Long enough to be split.
const TASKS: &str = "
  func.func public @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %0 = stablehlo.tanh %x : tensor<1048576xf32>
    return %0 : tensor<1048576xf32>
  }
";

/// Runs the examples in the modules of `scripts/peers` that it is given.
const DOCTESTS: &str = r#"
import doctest, importlib, sys
sys.path.insert(0, "scripts")
found = [doctest.testmod(importlib.import_module(f"peers.{name}")) for name in sys.argv[1:]]
sys.exit(any(one.failed or not one.attempted for one in found))
"#;

#[test]
fn the_harness_of_comparisons_computes_what_it_says() {
    for (packages, modules) in [
        ("statistics", &["summary", "page", "limits", "counts", "zoo", "einsum", "schedules"][..]),
        ("numpy", &["measure", "open_vino"]),
    ] {
        let Some(python) = python(packages) else { return };
        run(&python, "-c", &[], &[&[DOCTESTS][..], modules].concat());
    }
}

/// Rows of `scripts/bench_peers.py` on tiny models.
fn measured(python: &str, words: &[&str]) -> Vec<serde_json::Value> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("rows.jsonl");
    let arguments = [Path::new("--strata"), binary(), Path::new("--log"), &log];
    let few =
        ["--tiny", "--explain", "--seconds-per-row", "0.01", "--rounds", "1", "--timeout", "600"];
    run(python, "scripts/bench_peers.py", &arguments, &[words, &few].concat());
    let lines = std::fs::read_to_string(&log).expect("the log");
    let rows = lines.lines().skip(1); // the machine
    rows.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// On as many processors as there are.
#[test]
fn cores_are_simulated_from_what_tasks_take() {
    let Some(python) = python("jax") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (program, log) = (folder.path().join("tanh.mlir"), folder.path().join("rows.jsonl"));
    std::fs::write(&program, TASKS).expect("written");
    let arguments = [Path::new("--strata"), binary(), Path::new("--log"), &log, &program];
    run(&python, "scripts/simulate_cores.py", &arguments, &["--seconds", "0.01", "--rounds", "2"]);
    let lines = std::fs::read_to_string(&log).expect("the log");
    let row: serde_json::Value = serde_json::from_str(lines.trim()).expect("JSON");
    let tasks = row["tasks"].as_array().expect("the tasks of each dispatch");
    // After the last dispatch there is code, too.
    let [tasks, rest] = &tasks[..] else { panic!("{row}") };
    let tasks = tasks.as_array().expect("the tasks of the first");
    assert!(tasks.len() > 1, "{row}");
    assert!(tasks.iter().all(|time| time.as_f64().is_some_and(|time| time > 0.0)), "{row}");
    assert_eq!(rest.as_array().map(Vec::len), Some(0), "{row}");
    assert_eq!(row["before"].as_array().map(Vec::len), Some(2), "{row}");
    assert_eq!(row["loops"][0]["tasks"].as_u64(), Some(tasks.len() as u64), "{row}");
}

#[test]
fn a_model_computes_the_same_in_all_systems() {
    let packages = "jax, iree.compiler, iree.runtime, jax2onnx, onnxruntime, openvino";
    let Some(python) = python(packages) else { return };
    let rows = measured(&python, &["--zoo", "mobilenet", "--weights", "constants,arguments"]);
    assert_eq!(rows.len(), 2);
    for row in rows {
        for system in ["Strata", "XLA", "IREE", "ONNX Runtime", "OpenVINO"] {
            let told = &row["systems"][system];
            assert!(
                told["milliseconds"].as_f64().is_some_and(|time| time > 0.0),
                "{system}: {row}"
            );
            assert!(told["difference"].is_f64() || system == "XLA", "{system}: {row}");
            assert!(row["limits"]["shares"][system].is_f64(), "{system}: {row}");
        }
    }
}

/// jax2onnx does not export every operation.
#[test]
fn a_model_without_onnx_is_measured_in_the_others() {
    let Some(python) = python("jax, jax2onnx, onnxruntime, openvino") else { return };
    let rows = measured(&python, &["--zoo", "cnn_train", "--without", "IREE"]);
    let [row] = &rows[..] else { panic!("{rows:?}") };
    for system in ["Strata", "XLA"] {
        assert!(row["systems"][system]["milliseconds"].is_f64(), "{system}: {row}");
    }
    for system in ["ONNX Runtime", "OpenVINO"] {
        let fault = row["systems"][system]["fault"].as_str().expect("a fault");
        assert!(fault.starts_with("jax2onnx: "), "{fault}");
    }
}

/// One function, exported in all ways: its arguments and results have the paths of the Python trees.
const NAMED_EXPORTS: &str = r#"
import sys
from dataclasses import dataclass
import jax, jax.numpy as jnp
from jax import export

@jax.tree_util.register_dataclass
@dataclass
class Layer:
    w: jax.Array
    b: jax.Array

def f(layers, frames, *, scale):
    h = frames @ layers["first"].w + layers["first"].b
    return {"logits": h * scale, "attention": (jax.nn.softmax(h), layers["first"].b * scale)}

def struct(*shape): return jax.ShapeDtypeStruct(shape, jnp.float32)
b, = export.symbolic_shape("b")
layer = Layer(struct(5, 3), struct(3))
layers = {"first": layer, "unused": struct(7)}
for name, rows in (("static", 4), ("open", b)):
    for platforms in ("cpu", "cpu,cuda"):
        exported = export.export(jax.jit(f, donate_argnames="frames"), platforms=platforms.split(","))
        exported = exported(layers, struct(rows, 5), scale=struct())
        file = f"{sys.argv[1]}/{name}{len(platforms)}"
        open(file + ".mlir", "w").write(exported.mlir_module())
        open(file + ".mlirbc", "wb").write(exported.mlir_module_serialized)
"#;

#[test]
fn exports_have_the_paths_of_their_trees() {
    let Some(python) = python("jax") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = folder.path().join("export.py");
    std::fs::write(&script, NAMED_EXPORTS).expect("written");
    run(&python, &script.to_string_lossy(), &[folder.path()], &[]);
    for (name, sizes) in [
        ("static", &[][..]),
        ("open", &[][..]),
        ("open", &["--bind", "b=4"]),
        ("open", &["--max", "b=4"]),
    ] {
        for (platforms, ending) in [("3", "mlir"), ("3", "mlirbc"), ("8", "mlir"), ("8", "mlirbc")]
        {
            let file = format!("{name}{platforms}.{ending}");
            let all = [&["check", &file, "--json"][..], sizes].concat();
            let ended = crate::command::strata(folder.path(), &all).succeeded();
            let report: serde_json::Value = serde_json::from_str(ended.text()).expect("JSON");
            let names = |key: &str| -> Vec<String> {
                let list = report[key].as_array().expect("a list").iter();
                list.map(|one| one["name"].as_str().unwrap_or("-").to_owned()).collect()
            };
            let mut inputs = names("inputs");
            if platforms == "8" {
                assert_eq!(inputs.remove(0), "_platform_index", "{file}");
            }
            // What is not read is dropped, unless sizes are open.
            inputs.retain(|name| name != "layers['unused']");
            let paths = ["layers['first'].w", "layers['first'].b", "frames", "scale"];
            assert_eq!(inputs, paths, "{file} {sizes:?}");
            let paths = ["result['attention'][0]", "result['attention'][1]", "result['logits']"];
            assert_eq!(names("outputs"), paths, "{file} {sizes:?}");
        }
    }
}
