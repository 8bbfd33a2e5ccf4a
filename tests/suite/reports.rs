//! `strata bench`, and what is said on standard error about a compilation.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use strata::{STAGES, StageInfo};

use crate::arrays::npy;
use crate::cli::{SUM, folder};
use crate::command::{Ended, binary, strata, workspace};

const QUICK: [&str; 6] = ["bench", "sum.mlir", "--rounds", "3", "--min-time", "0.001"];

/// The words of the line that begins with `label`.
#[track_caller]
fn line<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
    let words = |line: &'a str| line.split_whitespace().collect::<Vec<_>>();
    let found = text.lines().map(words).find(|words| words.first() == Some(&label));
    found.unwrap_or_else(|| panic!("no line `{label}`:\n{text}"))
}

/// Standard error as the objects that it consists of.
#[track_caller]
fn objects(ended: &Ended) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    ended.stderr.lines().map(parse).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect()
}

#[test]
fn bench_prints_times_and_what_they_are_of() {
    let here = folder();
    let ended = strata(here.path(), &[&QUICK[..], &["--no-limits"]].concat()).succeeded();
    let text = ended.text();
    assert_eq!(line(text, "target").last(), Some(&"(native)"), "{text}");
    assert_eq!(line(text, "input")[1..], ["0", "tensor<3xf32>,", "random,", "seed", "0"]);
    assert_eq!(line(text, "measured")[1..4], ["3", "rounds", "of"]);
    assert!(text.contains("on one thread"), "{text}");
    for label in ["median", "quartiles", "extremes"] {
        let value: f64 = line(text, label)[1].parse().expect("a number");
        assert!(value > 0.0, "{text}");
    }
    assert_eq!(line(text, "arithmetic")[2], "GFLOP/s");
    assert_eq!(line(text, "memory")[2], "GB/s");
    assert!(!text.contains("% of"), "unrequested limits:\n{text}");
    assert!(ended.stderr.is_empty(), "{}", ended.stderr);
}

#[test]
fn bench_as_json_has_the_documented_keys() {
    let here = folder();
    let ended = strata(here.path(), &[&QUICK[..], &["--format", "json"]].concat()).succeeded();
    let value: Value = serde_json::from_str(ended.text()).expect("one object");
    let page = fs::read_to_string(workspace().join("docs/bench.md")).expect("docs/bench.md");
    let object = value.as_object().expect("an object");
    for key in object.keys() {
        assert!(page.contains(&format!("`{key}`")), "{key} is not in docs/bench.md");
    }
    assert_eq!(value["flops"], 3);
    assert_eq!(value["bytes"], 36);
    assert_eq!(value["threads"], 1);
    assert_eq!(value["native"], true);
    assert_eq!(value["rounds"], 3);
    let calls = value["calls_per_round"].as_u64().expect("a number");
    assert_eq!(value["calls"], 3 * calls);
    let number = |value: &Value| value.as_f64().filter(|number| *number > 0.0).expect("above 0");
    let seconds = ["least", "lower_quartile", "median", "upper_quartile", "most"]
        .map(|key| number(&value["seconds"][key]));
    assert!(seconds.is_sorted(), "{seconds:?}");
    let limits = &value["limits"];
    let keys = ["flops_per_second", "read_bytes_per_second", "copy_bytes_per_second"];
    let limits = keys.map(|key| number(&limits[key]));
    let share = number(&value["flops_per_second"]) / limits[0];
    assert!((share - number(&value["share_of_flops"])).abs() < 1e-9, "{value}");
    number(&value["share_of_read"]);
    number(&value["share_of_copy"]);

    let short = strata(here.path(), &[&QUICK[..], &["--json", "--no-limits"]].concat()).succeeded();
    let short: Value = serde_json::from_str(short.text()).expect("one object");
    assert!(short["limits"].is_null() && short["share_of_flops"].is_null(), "{short}");
    assert!(short.as_object().expect("an object").keys().eq(object.keys()), "{short}");
}

#[test]
fn bench_takes_inputs_and_another_processor() {
    let here = folder();
    let numbers: Vec<u8> = [1.0_f32, 2.0, 3.0].into_iter().flat_map(f32::to_le_bytes).collect();
    fs::write(here.path().join("a.npy"), npy("<f4", "(3,)", &numbers)).expect("written");
    let given = ["--input", "a.npy", "--input", "a.npy", "--no-limits", "--json"];
    let cpu = ["--target-cpu", "x86-64-v2", "--target", "x86_64-unknown-linux-gnu"];
    if cfg!(target_arch = "x86_64") {
        let ended = strata(here.path(), &[&QUICK[..], &given, &cpu].concat()).succeeded();
        let value: Value = serde_json::from_str(ended.text()).expect("one object");
        assert_eq!(value["target"]["cpu"], "x86-64-v2");
        assert_eq!(value["native"], false);
        assert!(value["seed"].is_null(), "{value}");
    }
    let missing = strata(here.path(), &[&QUICK[..], &given[..2]].concat());
    assert!(missing.code == 2 && missing.stderr.contains("[S1801]"), "{}", missing.stderr);
}

#[test]
fn bench_refuses_what_it_cannot_measure() {
    let here = folder();
    for wrong in [&["--rounds", "0"][..], &["--min-time", "0"], &["--min-time", "nan"]] {
        let ended = strata(here.path(), &[&["bench", "sum.mlir"], wrong].concat());
        assert!(ended.code == 2 && ended.stderr.contains("[S0001]"), "{wrong:?}: {}", ended.stderr);
    }
    let program = "func.func public @main() -> tensor<3xf32> {\n  \
                   %t = stablehlo.create_token : !stablehlo.token\n  \
                   %0:2 = \"stablehlo.infeed\"(%t) {infeed_config = \"\"} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)\n  \
                   return %0#0 : tensor<3xf32>\n}\n";
    fs::write(here.path().join("feed.mlir"), program).expect("written");
    let ended = strata(here.path(), &["bench", "feed.mlir"]);
    assert!(ended.code == 2 && ended.stderr.contains("exchanges data"), "{}", ended.stderr);
}

#[test]
fn verbose_tells_target_stages_and_symbols() {
    let here = folder();
    let words = ["compile", "sum.mlir", "--target-cpu", "x86-64-v3", "-v"];
    let ended = strata(here.path(), &words).succeeded();
    let text = &ended.stderr;
    assert_eq!(line(text, "target")[1..4], ["x86_64-unknown-linux-gnu,", "CPU", "x86-64-v3,"]);
    for (stage, unit) in
        [("10-hlo", "operations"), ("70-llvmir", "instructions"), ("80-obj", "bytes")]
    {
        assert_eq!(line(text, stage).last(), Some(&unit), "{text}");
    }
    let size = fs::metadata(here.path().join("sum.o")).expect("the object").len();
    assert_eq!(line(text, "object")[1..], [size.to_string().as_str(), "bytes"]);
    assert_eq!(line(text, "workspace")[1..], ["0", "bytes"]);
    assert!(line(text, "defines").contains(&"sum_main"), "{text}");
    assert_eq!(line(text, "needs")[1..], ["nothing"]);
    assert_eq!(line(text, "10-hlo")[3], "3", "the function, the sum, the return:\n{text}");

    let json = strata(here.path(), &[&words[..], &["--diagnostic-format=json"]].concat());
    let objects = objects(&json.succeeded());
    let kinds: Vec<_> = objects.iter().map(|object| object["kind"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&Some("target")), Some(&Some("result"))));
    assert_eq!(kinds.iter().filter(|kind| **kind == Some("stage")).count(), 9);
    assert_eq!(objects[kinds.len() - 1]["bytes"], size);
}

#[test]
fn time_passes_lists_steps_and_passes() {
    let here = folder();
    let compile = ["compile", "sum.mlir", "--target-cpu", "native"];
    let words = [&compile[..], &["--time-passes"]].concat();
    let ended = strata(here.path(), &words).succeeded();
    for step in STAGES.iter().flat_map(StageInfo::steps) {
        line(&ended.stderr, step.name);
    }
    for row in [
        "20-linalg",
        "patterns",
        "lowerings",
        "strata-canonicalize",
        "convert-linalg-to-affine-loops",
        "convert-func-to-llvm",
        "translation",
        "optimisation",
        "code",
        "verification",
        "total",
    ] {
        line(&ended.stderr, row);
    }

    let json = strata(here.path(), &[&words[..], &["--diagnostic-format=json"]].concat());
    let objects = objects(&json.succeeded());
    assert_eq!(objects.len(), 1);
    assert_eq!(objects[0]["kind"], "times");
    let find = |parts: &Value, name: &str| -> Value {
        let parts = parts.as_array().expect("a list");
        parts.iter().find(|part| part["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    let affine = find(&objects[0]["stages"], "40-affine");
    let loops = find(&affine["parts"], "loops");
    let pass = find(&loops["parts"], "convert-linalg-to-affine-loops");
    assert_eq!(pass["runs"], 1);
    let seconds = |part: &Value| part["seconds"].as_f64().expect("a number");
    assert!(0.0 < seconds(&pass) && seconds(&pass) <= seconds(&loops), "{loops}");
    assert!(seconds(&loops) <= seconds(&affine), "{affine}");
    // Times do not change what is made.
    let timed = fs::read(here.path().join("sum.o")).expect("the object");
    strata(here.path(), &compile).succeeded();
    assert!(timed == fs::read(here.path().join("sum.o")).expect("the object"));
}

#[test]
fn a_failed_compilation_still_says_its_times() {
    let here = folder();
    let program = "func.func public @main(%n: tensor<1xi32>) -> tensor<?xf32> {
      %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }";
    fs::write(here.path().join("open.mlir"), program).expect("written");
    let ended = strata(here.path(), &["compile", "open.mlir", "--time-passes", "-v"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    line(&ended.stderr, "00-input");
    line(&ended.stderr, "total");
    assert!(ended.stderr.contains("error[S1101]"), "{}", ended.stderr);
}

/// Takes seconds, which a terminal would show.
#[test]
fn no_progress_is_written_to_a_pipe() {
    let here = folder();
    let program = workspace().join("examples/models/transformer.mlir");
    let program = program.to_str().expect("a path");
    let words = ["compile", program, "-o", "t.o", "--target-cpu", "native"];
    let ended = strata(here.path(), &words).succeeded();
    assert_eq!(ended.stderr, "");
}

/// A library that ends the process that loads it.
fn deadly_library(folder: &Path) {
    let code =
        "#include <stdlib.h>\n__attribute__((constructor)) static void end(void) { abort(); }\n";
    fs::write(folder.join("deadly.c"), code).expect("written");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "deadly.c", "-o", "deadly.so"]).current_dir(folder);
    assert!(cc.status().expect("a C compiler").success());
}

#[test]
fn crashes_leave_their_folder_where_it_is_asked_for() {
    let here = folder();
    deadly_library(here.path());
    let words = ["run", "sum.mlir", "--link", "./deadly.so"];
    let bugs = |folder: &str| {
        let names = names(&here.path().join(folder));
        names.into_iter().filter(|name| name.starts_with("strata-bug-")).collect::<Vec<_>>()
    };
    let ended = strata(here.path(), &[&words[..], &["--crash-dir", "deep/crashes"]].concat());
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert_eq!(bugs(".").len(), 0, "{}", ended.stderr);
    let [name] = bugs("deep/crashes").try_into().expect("one folder");
    let place = format!("deep/crashes/{name}");
    assert!(ended.stderr.contains(&format!("written to `{place}`")), "{}", ended.stderr);
    let copy = fs::read_to_string(here.path().join(place).join("input.mlir")).expect("the program");
    assert_eq!(copy, SUM);

    let with_variable = |value: &str| {
        let mut command = Command::new(binary());
        command.args(words).current_dir(here.path()).env("STRATA_CRASH_DIR", value);
        assert_eq!(command.output().expect("it starts").status.code(), Some(3));
    };
    with_variable("by-variable");
    assert_eq!((bugs("by-variable").len(), bugs(".").len()), (1, 0));
    with_variable("");
    assert_eq!(bugs(".").len(), 1);
}
