//! The command line as a user meets it.

mod check;
mod dialects;
mod terminal;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use strata::{STAGES, StageInfo, StepInfo};

use crate::arrays::npy;
use crate::command::{binary, strata, strata_with_input};

/// Two vectors are added.
pub const SUM: &str = "\
func.func public @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %b : tensor<3xf32>
  return %0 : tensor<3xf32>
}
";

/// A folder with `sum.mlir` in it.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("sum.mlir"), SUM).expect("written");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn help_and_version_succeed() {
    let here = folder();
    for arguments in [&["--help"][..], &["help", "compile"], &["run", "--help"]] {
        let help = strata(here.path(), arguments).succeeded();
        assert!(help.text().contains("Usage: strata"), "{}", help.text());
    }
    // What the guide names is found in the help.
    let help = strata(here.path(), &["compile", "--help"]).succeeded();
    assert!(help.text().contains("--in-process"), "{}", help.text());
    let version = strata(here.path(), &["--version"]).succeeded();
    let short = strata(here.path(), &["-V"]).succeeded();
    assert_eq!(short.text(), concat!("strata ", env!("CARGO_PKG_VERSION"), "\n"));
    let parts = version.text().trim_end().strip_prefix(&format!("{} (", short.text().trim_end()));
    let parts: Vec<&str> =
        parts.and_then(|rest| rest.strip_suffix(')')).unwrap_or("").split(", ").collect();
    let versions = [
        format!("LLVM {}", strata::target::llvm_version()),
        format!("StableHLO {}", strata_vhlo::Version::NEWEST),
        "for x86_64-unknown-linux-gnu x86-64".to_owned(),
    ];
    let commit = match parts.as_slice() {
        [commit, rest @ ..] if rest == versions => commit.strip_prefix("commit "),
        rest if rest == versions => Some(""),
        _ => None,
    };
    let commit = commit.unwrap_or_else(|| panic!("{}", version.text()));
    assert!(commit.chars().all(|digit| digit.is_ascii_hexdigit()), "{}", version.text());
    let ended = strata(here.path(), &[] as &[&str]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("Usage: strata"), "{}", ended.stderr);
}

#[test]
fn explain_prints_the_page_of_a_code() {
    let here = folder();
    for name in ["S1003", "s1003"] {
        let ended = strata(here.path(), &["explain", name]).succeeded();
        assert_eq!(ended.text(), strata_diag::codes::S1003.page());
    }
    let ended = strata(here.path(), &["explain", "S9999"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("there is no code `S9999`"), "{}", ended.stderr);
}

#[test]
fn lists_have_a_line_for_each_thing() {
    let here = folder();
    let list = |what: &str| strata(here.path(), &["list", what]).succeeded().text().to_owned();
    assert_eq!(list("codes").lines().count(), strata_diag::codes::TABLE.len());
    assert!(list("codes").contains("S1001  program  syntax error\n"));
    let stages = list("stages");
    let first = stages.lines().next().expect("a stage");
    assert!(first.starts_with("00  input"), "{first}");
    assert!(list("ops").lines().any(|line| line == "stablehlo.dot_general"));
    let targets = list("targets");
    assert!(targets.starts_with("triple   x86_64-unknown-linux-gnu\n"), "{targets}");
    assert!(targets.lines().any(|line| line == "x86_64   skylake-avx512"));
    // Each triple is one that `--target` takes.
    let triples: Vec<_> = targets.lines().filter_map(|line| line.strip_prefix("triple")).collect();
    assert_eq!(triples.len(), 18);
    for triple in triples {
        let arguments = ["compile", "sum.mlir", "--freestanding", "-o", "sum.o", "--target"];
        strata(here.path(), &[&arguments[..], &[triple.trim()]].concat()).succeeded();
    }
}

#[test]
fn diagnostics_can_be_json() {
    let here = folder();
    let ended = strata(here.path(), &["list", "nothing", "--diagnostic-format", "json"]);
    assert_eq!(ended.code, 2);
    let value: serde_json::Value = serde_json::from_str(ended.stderr.trim()).expect("one object");
    assert_eq!((&value["code"], &value["fault"]), (&"S0001".into(), &"usage".into()));

    let bad = SUM.replace("%b :", "%c :");
    let arguments = ["--diagnostic-format=json", "compile", "-", "--to", "hlo"];
    let ended = strata_with_input(here.path(), &arguments, bad.as_bytes());
    assert_eq!(ended.code, 1);
    let value: serde_json::Value = serde_json::from_str(ended.stderr.trim()).expect("one object");
    assert_eq!(value["code"], "S1001");
    assert_eq!(value["location"]["file"], "<stdin>");
    assert_eq!(value["location"]["line"], 2);
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let mut child = Command::new(binary())
        .args(["explain", "S1803"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("the command ends");
    assert!(ended.status.success(), "{}", ended.status);
    assert!(ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn completions_and_manual_pages_are_at_hand() {
    let here = folder();
    for (shell, word) in [("bash", "complete "), ("zsh", "#compdef strata"), ("fish", "complete ")]
    {
        let script = strata(here.path(), &["completions", shell]).succeeded();
        assert!(script.text().contains(word), "{shell}");
        assert!(script.text().contains("dump-stages"), "{shell}");
    }
    strata(here.path(), &["man", "--output-dir", "man"]).succeeded();
    let pages = names(&here.path().join("man"));
    assert!(pages.contains(&"strata.1".to_owned()), "{pages:?}");
    assert!(pages.contains(&"strata-compile.1".to_owned()), "{pages:?}");
}

#[test]
fn an_object_goes_beside_a_header() {
    let here = folder();
    strata(here.path(), &["compile", "sum.mlir", "--header", "sum.h"]).succeeded();
    assert_eq!(names(here.path()), ["sum.h", "sum.mlir", "sum.o"]);
    let object = fs::read(here.path().join("sum.o")).expect("read");
    assert!(object.starts_with(b"\x7fELF"));
    let header = fs::read_to_string(here.path().join("sum.h")).expect("read");
    assert!(header.contains("sum_main("), "{header}");
}

#[test]
fn text_goes_to_standard_output_and_objects_where_they_are_sent() {
    let here = folder();
    let text = strata(here.path(), &["compile", "sum.mlir", "--to", "linalg"]).succeeded();
    assert!(text.text().contains("linalg."), "{}", text.text());
    let object = strata_with_input(here.path(), &["compile", "-", "-o", "-"], SUM.as_bytes());
    assert!(object.succeeded().stdout.starts_with(b"\x7fELF"));
    assert_eq!(names(here.path()), ["sum.mlir"]);
}

#[test]
fn dumps_of_steps_are_named_by_step_and_verify() {
    let here = folder();
    let arguments = ["compile", "sum.mlir", "--dump-steps", "steps", "--time-stages", "-o", "a.o"];
    let ended = strata(here.path(), &arguments).succeeded();
    let dumps = names(&here.path().join("steps"));
    let of_stage = |stage: &StageInfo| {
        let steps = stage.steps().into_iter().enumerate();
        let file =
            |number, step: StepInfo| format!("{}.{number:02}-{}.mlir", stage.stem(), step.name);
        steps.map(|(number, step)| file(number, step)).collect::<Vec<_>>()
    };
    let expected: Vec<_> = STAGES.iter().flat_map(of_stage).collect();
    assert_eq!(dumps, expected);
    assert!(dumps.iter().any(|dump| dump.starts_with("30-schedule.")), "{dumps:?}");
    for step in STAGES.iter().flat_map(StageInfo::steps) {
        assert!(ended.stderr.contains(&format!("  {} ", step.name)), "{}", ended.stderr);
        assert!(!step.because.is_empty() && !step.keeps.is_empty(), "{}", step.name);
    }
    for dump in dumps {
        strata(here.path(), &["opt", &format!("steps/{dump}")]).succeeded();
    }
}

#[test]
fn dumps_are_named_by_stage_and_read_back() {
    let here = folder();
    let arguments = ["compile", "sum.mlir", "--dump-stages", "dump", "--time-stages", "-o", "a.o"];
    let ended = strata(here.path(), &arguments).succeeded();
    for row in ["00-input ", "20-linalg ", "70-llvmir ", "total "] {
        assert!(ended.stderr.contains(row), "{}", ended.stderr);
    }
    let dumps = names(&here.path().join("dump"));
    let expected = [
        "00-input.mlir",
        "10-hlo.mlir",
        "20-linalg.mlir",
        "30-schedule.mlir",
        "40-affine.mlir",
        "50-vector.mlir",
        "60-llvm.mlir",
        "70-llvmir.ll",
        "80-asm.s",
        "80-obj.o",
    ];
    assert_eq!(dumps, expected);
    let direct = fs::read(here.path().join("a.o")).expect("read");
    for (dump, stage) in [("10-hlo.mlir", "hlo"), ("40-affine.mlir", "affine")] {
        let path = format!("dump/{dump}");
        let arguments = ["compile", &path, "--from", stage, "--name", "a", "-o", "b.o"];
        strata(here.path(), &arguments).succeeded();
        let again = fs::read(here.path().join("b.o")).expect("read");
        assert!(again == direct, "{dump} leads to another object");
    }
}

#[test]
fn symbols_are_named_after_the_object() {
    let here = folder();
    for (kind, file, name) in [
        ("obj", "first.o", "first"),
        ("obj", "out.d/second.v2.o", "second_v2"),
        ("obj", "out.d/second.v3.o", "second_v3"),
        ("static", "libthird.a", "third"),
        ("obj", "lib.o", "lib"),
    ] {
        fs::create_dir_all(here.path().join("out.d")).expect("a folder");
        let arguments = ["compile", "sum.mlir", "--emit", kind, "-o", file, "--header", "x.h"];
        strata(here.path(), &arguments).succeeded();
        let header = fs::read_to_string(here.path().join("x.h")).expect("read");
        assert!(header.contains(&format!("{name}_main(const void *const *inputs")), "{header}");
    }
}

/// `é.o` and `ü.o` would both export `__main`.
#[test]
fn a_name_that_c_cannot_spell_is_asked_for() {
    let here = folder();
    fs::copy(here.path().join("sum.mlir"), here.path().join("é.mlir")).expect("copied");
    for arguments in [&["compile", "sum.mlir", "-o", "é.o"][..], &["compile", "é.mlir"]] {
        let ended = strata(here.path(), arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("`--name NAME`"), "{arguments:?}: {}", ended.stderr);
        strata(here.path(), &[arguments, &["--name", "e"]].concat()).succeeded();
    }
    // Without exports the name does not matter.
    for arguments in [&["compile", "é.mlir", "--to", "hlo"][..], &["check", "é.mlir"]] {
        strata(here.path(), arguments).succeeded();
    }
}

#[test]
fn lists_with_a_comma_too_many_are_told() {
    let here = folder();
    for (option, list, hint) in [
        ("--entry", ",", "omit --entry, or give a name"),
        ("--entry", "main,", "did you mean `--entry main`?"),
        ("--target-cpu", "x86-64,", "did you mean `--target-cpu x86-64`?"),
        ("--target-cpu", "x86-64,,x86-64-v3", "did you mean `--target-cpu x86-64,x86-64-v3`?"),
        ("--target-cpu", "", "omit --target-cpu, or give a name"),
    ] {
        let ended = strata(here.path(), &["compile", "sum.mlir", option, list]);
        assert_eq!(ended.code, 2, "{option} {list}: {}", ended.stderr);
        assert!(ended.stderr.contains("error[S0001]"), "{option} {list}: {}", ended.stderr);
        assert!(ended.stderr.contains(hint), "{option} {list}: {}", ended.stderr);
    }
}

#[test]
fn programs_for_several_devices_are_told_that_they_are_for_one() {
    let here = folder();
    let module = format!("module attributes {{mhlo.num_partitions = 2 : i32}} {{\n{SUM}}}\n");
    fs::write(here.path().join("parts.mlir"), module).expect("written");
    let ended = strata(here.path(), &["compile", "parts.mlir", "-o", "a.o"]).succeeded();
    assert!(ended.stderr.starts_with("warning[S1105]"), "{}", ended.stderr);
    let ended = strata(here.path(), &["compile", "sum.mlir", "--target-cpu", "x86-64"]).succeeded();
    assert!(ended.stderr.is_empty(), "{}", ended.stderr);
}

/// An unknown attribute is reported if it resembles a known one; others, and those of other dialects, are ignored.
#[test]
fn attributes_that_are_almost_known_are_told() {
    let here = folder();
    let stderr = |attribute: &str| {
        let own = format!("stablehlo.exponential %a {{{attribute}}} :");
        let own = SUM.replace("stablehlo.add %a, %b :", &own);
        fs::write(here.path().join("own.mlir"), own).expect("written");
        let arguments = ["compile", "own.mlir", "--to", "hlo", "-o", "own.hlo"];
        strata(here.path(), &arguments).succeeded().stderr
    };
    let told = stderr("result_acuracy = 1 : i32");
    assert!(told.starts_with("warning[S1017]"), "{told}");
    assert!(told.contains("has no attribute `result_acuracy`"), "{told}");
    assert!(told.contains("did you mean `result_accuracy`?"), "{told}");
    for silent in ["mhlo.result_acuracy = 1 : i32", "jax.x = 1 : i32", "note = \"mine\""] {
        assert_eq!(stderr(silent), "", "{silent}");
    }
}

#[test]
fn objects_for_old_processors_are_told_of() {
    let here = folder();
    let stderr = |arguments: &[&str]| {
        let all = [&["compile", "sum.mlir"][..], arguments].concat();
        strata(here.path(), &all).succeeded().stderr
    };
    let note = stderr(&["--target", "x86_64-linux-gnu"]);
    assert!(note.starts_with("note[S1604]"), "{note}");
    assert!(note.contains("`x86-64-v3`"), "{note}");
    let json = stderr(&["--target", "x86_64-linux-gnu", "--diagnostic-format", "json"]);
    assert!(json.contains(r#""severity":"note""#), "{json}");
    for quiet in [
        &["--target-cpu", "x86-64"][..],
        &["--target-cpu", "native"],
        &["--target", "x86_64-linux-gnu", "--target-features", "+avx2"],
        &["--target", "aarch64-linux-gnu"],
        &["--to", "llvm"],
    ] {
        assert_eq!(stderr(quiet), "", "{quiet:?}");
    }
}

#[test]
fn a_printed_schedule_can_be_given_back() {
    let here = folder();
    let program = "func.func public @main(%a: tensor<24x40xf32>, %b: tensor<40x33xf32>) -> tensor<24x33xf32> {\n  \
                   %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : \
                   (tensor<24x40xf32>, tensor<40x33xf32>) -> tensor<24x33xf32>\n  \
                   return %0 : tensor<24x33xf32>\n}\n";
    fs::write(here.path().join("dot.mlir"), program).expect("written");
    let cpu = "--target-cpu=x86-64-v3";
    let ended = strata(here.path(), &["schedule", "dot.mlir", cpu, "-o", "own.mlir"]);
    ended.succeeded();
    let text = fs::read_to_string(here.path().join("own.mlir")).expect("read");
    assert!(text.contains("transform.named_sequence @nest0"), "{text}");
    let compile = ["compile", "dot.mlir", cpu, "--name", "dot"];
    strata(here.path(), &[&compile[..], &["-o", "a.o"]].concat()).succeeded();
    let scheduled = ["--schedule", "own.mlir", "-o", "b.o"];
    strata(here.path(), &[&compile[..], &scheduled].concat()).succeeded();
    let read = |name: &str| fs::read(here.path().join(name)).expect("read");
    assert!(read("a.o") == read("b.o"), "the schedule leads to another object");
}

#[test]
fn libraries_hold_the_object_and_are_reproducible() {
    let here = folder();
    for (kind, name, magic) in
        [("static", "libsum.a", &b"!<arch>\n"[..]), ("shared", "libsum.so", &b"\x7fELF"[..])]
    {
        let mut all = Vec::new();
        for _ in 0..2 {
            strata(here.path(), &["compile", "sum.mlir", "--emit", kind]).succeeded();
            all.push(fs::read(here.path().join(name)).expect("read"));
        }
        assert!(all[0].starts_with(magic), "{kind}");
        assert!(all[0] == all[1], "{kind}: two runs, two results");
        let has_symbol = all[0].windows(8).any(|bytes| bytes == b"sum_main");
        assert!(has_symbol, "{kind}");
    }
}

#[test]
fn a_program_reads_and_writes_arrays() {
    let here = folder();
    strata(here.path(), &["compile", "sum.mlir", "--emit", "exe"]).succeeded();
    let floats = |values: [f32; 3]| values.map(f32::to_le_bytes).concat();
    let a = npy("<f4", "(3,)", &floats([1.0, 2.0, 3.0]));
    fs::write(here.path().join("a.npy"), &a).expect("written");
    fs::write(here.path().join("short.npy"), &a[..a.len() - 1]).expect("written");
    let run = |inputs: &[&str]| {
        let program = here.path().join("sum");
        let ended = Command::new(program).args(inputs).current_dir(here.path()).output();
        ended.expect("the program starts").status.code()
    };
    assert_eq!(run(&["a.npy", "a.npy"]), Some(0));
    let file = fs::read(here.path().join("output0.npy")).expect("read");
    let array = npyz::NpyFile::new(&file[..]).expect("a .npy file");
    let values: Vec<f32> = array.into_vec().expect("floats");
    assert_eq!(values, [2.0, 4.0, 6.0]);
    assert_eq!(run(&["a.npy"]), Some(2));
    assert_eq!(run(&["a.npy", "short.npy"]), Some(2));
    assert_eq!(run(&["a.npy", "sum.mlir"]), Some(2));
}

/// Runs take the sizes from the arrays, and other commands from `--bind`.
#[test]
fn open_sizes_come_from_arrays() {
    let here = folder();
    let text = "func.func public @main(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<i32>) {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
      %0 = stablehlo.add %x, %x : tensor<?x2xf32>
      return %0, %n : tensor<?x2xf32>, tensor<i32>
    }";
    fs::write(here.path().join("open.mlir"), text).expect("written");
    let elements: Vec<u8> = [1.0_f32; 6].iter().flat_map(|one| one.to_le_bytes()).collect();
    fs::write(here.path().join("x.npy"), npy("<f4", "(3, 2)", &elements)).expect("written");
    fs::write(here.path().join("y.npy"), npy("<f4", "(2, 3)", &elements)).expect("written");
    for command in ["run", "eval"] {
        let ended = strata(here.path(), &[command, "open.mlir", "--input", "x.npy"]).succeeded();
        assert!(ended.text().contains("tensor<3x2xf32>"), "{command}: {}", ended.text());
        let ended = strata(here.path(), &[command, "open.mlir", "--input", "y.npy"]);
        assert!(ended.stderr.contains("must have the shape (?, 2)"), "{command}: {}", ended.stderr);
    }
    strata(here.path(), &["verify", "open.mlir"]).succeeded();
    strata(here.path(), &["verify", "open.mlir", "--input", "x.npy"]).succeeded();
    let ended = strata(here.path(), &["compile", "open.mlir", "--bind", "input0.0"]);
    assert!(ended.stderr.contains("expected SYMBOL=SIZE"), "{}", ended.stderr);
}

#[test]
fn the_rust_module_comes_with_the_object() {
    let folder = folder();
    let at = |file: &str| folder.path().join(file);
    let arguments = ["compile", "sum.mlir", "-o", "sum.o", "--rust", "sum.rs"];
    strata(folder.path(), &arguments).succeeded();
    let main = "mod sum;\nfn main() {\n  let mut out = [0.0; 3];\n  \
                sum::sum_main(&[1.0, 2.0, 3.0], &[0.5; 3], &mut out, &mut sum::Workspace::new());\n  \
                print!(\"{out:?}\");\n}\n";
    fs::write(at("main.rs"), main).expect("written");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-D", "warnings", "main.rs", "-Clink-arg=sum.o"]);
    let built = rustc.args(["-Clink-arg=-lm", "-o", "main"]).current_dir(folder.path()).output();
    let built = built.expect("rustc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(at("main")).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "[1.5, 2.5, 3.5]");
    let early = strata(folder.path(), &["compile", "sum.mlir", "--to", "hlo", "--rust", "x.rs"]);
    assert_eq!(early.code, 2, "the sizes are not known yet");
}

#[test]
fn a_large_workspace_of_the_rust_module_is_on_the_heap() {
    let folder = folder();
    let at = |file: &str| folder.path().join(file);
    // Both sums need the whole product, which is larger than a stack.
    let program = "func.func public @main(%a: tensor<2000x1xf32>, %b: tensor<1x2000xf32>) -> (tensor<2000xf32>, tensor<2000xf32>) {\n\
        %z = stablehlo.constant dense<0.0> : tensor<f32>\n\
        %0 = stablehlo.dot %a, %b : (tensor<2000x1xf32>, tensor<1x2000xf32>) -> tensor<2000x2000xf32>\n\
        %s = \"stablehlo.sort\"(%0) <{dimension = 0 : i64}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n\
        %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n\
        stablehlo.return %c : tensor<i1>\n}) : (tensor<2000x2000xf32>) -> tensor<2000x2000xf32>\n\
        %1 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2000x2000xf32>, tensor<f32>) -> tensor<2000xf32>\n\
        %2 = stablehlo.reduce(%s init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<2000x2000xf32>, tensor<f32>) -> tensor<2000xf32>\n\
        return %1, %2 : tensor<2000xf32>, tensor<2000xf32>\n}\n";
    fs::write(at("large.mlir"), program).expect("written");
    let arguments = ["compile", "large.mlir", "-o", "large.o", "--rust", "large.rs"];
    strata(folder.path(), &arguments).succeeded();
    let main = "mod large;\nfn main() {\n  assert!(large::LARGE_MAIN_WORKSPACE_SIZE > 12 << 20);\n  \
                let mut workspace = large::Workspace::boxed();\n  \
                let (mut sums, mut most) = ([0.0; 2000], [0.0; 2000]);\n  \
                large::large_main(&[[1.0]; 2000], &[[2.0; 2000]], &mut sums, &mut most, &mut workspace);\n  \
                print!(\"{} {}\", sums[7], most[9]);\n}\n";
    fs::write(at("main.rs"), main).expect("written");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-D", "warnings", "-Copt-level=0", "main.rs"]);
    let built =
        rustc.args(["-Clink-arg=large.o", "-Clink-arg=-lm"]).current_dir(folder.path()).output();
    let built = built.expect("rustc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(at("main")).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "4000 2", "{:?}", ran.status);
}

#[test]
fn verify_says_how_far_results_are_apart() {
    let here = folder();
    let text = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  \
                %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n";
    fs::write(here.path().join("sum.mlir"), text).expect("written");
    let ended = strata(here.path(), &["verify", "sum.mlir"]).succeeded();
    assert!(ended.text().lines().count() >= 2, "{}", ended.text());
    assert!(ended.text().lines().all(|line| line.ends_with("output 0: equal")), "{}", ended.text());
}

/// Partial sums of extreme inputs are infinite or NaN in one order and not in another.
#[test]
fn verify_accepts_transforms_that_overflow() {
    let here = folder();
    for (name, input, result, kind) in [
        ("rfft", "3x30xf32", "3x16xcomplex<f32>", "RFFT"),
        ("irfft", "3x16xcomplex<f32>", "3x30xf32", "IRFFT"),
        ("fft", "2x15xcomplex<f64>", "2x15xcomplex<f64>", "FFT"),
    ] {
        let length = if kind == "FFT" { 15 } else { 30 };
        let text = format!(
            "func.func public @main(%x: tensor<{input}>) -> tensor<{result}> {{\n  \
             %0 = stablehlo.fft %x, type = {kind}, length = [{length}] : (tensor<{input}>) -> tensor<{result}>\n  \
             return %0 : tensor<{result}>\n}}\n"
        );
        let file = format!("{name}.mlir");
        fs::write(here.path().join(&file), text).expect("written");
        let ended = strata(here.path(), &["verify", &file, "--rounds", "40"]).succeeded();
        assert!(ended.text().contains("output 0: differs at ["), "{}", ended.text());
        assert!(ended.text().contains("]: it is "), "{}", ended.text());
        assert!(!ended.text().contains("comparable"), "{}", ended.text());
    }
}

#[test]
fn special_files_do_not_hang() {
    let here = folder();
    let at = |name: &str| here.path().join(name);
    let refused = |arguments: &[&str], words: &str| {
        let ended = strata(here.path(), arguments);
        assert!(ended.code != 0 && ended.stderr.contains(words), "{}", ended.stderr);
    };
    refused(&["check", "/dev/zero"], "are NUL");
    refused(&["check", "/dev/urandom"], "goes on after 64 MiB");
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("bound");
    refused(&["check", "socket"], "this is a socket");
    refused(&["compile", "sum.mlir", "-o", "socket"], "this is a socket");
    fs::create_dir(at("folder")).expect("created");
    refused(&["compile", "sum.mlir", "-o", "folder"], "this is a folder");
    let made = Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    // Without a reader.
    refused(&["compile", "sum.mlir", "-o", "pipe"], "no process reads from this pipe");
    // With a reader and with a writer it is a file like others.
    let path = at("pipe");
    let reader = std::thread::spawn(move || fs::read(path).expect("read"));
    strata(here.path(), &["compile", "sum.mlir", "-o", "pipe"]).succeeded();
    assert!(reader.join().expect("no panic").starts_with(b"\x7fELF"));
    let path = at("pipe");
    let writer = std::thread::spawn(move || fs::write(path, SUM).expect("written"));
    strata(here.path(), &["compile", "pipe", "-o", "sum.o"]).succeeded();
    writer.join().expect("no panic");
}

#[test]
fn sizes_beyond_memory_are_told_before_the_work() {
    let here = folder();
    for option in ["--bind", "--max", "--specialize"] {
        for size in ["9223372036854775807", "99999999999999999999"] {
            let given = format!("b={size}");
            let ended = strata(here.path(), &["compile", "sum.mlir", option, &given]);
            let words = format!("`{size}` is larger than any array can be");
            assert!(ended.stderr.contains(&words), "{}", ended.stderr);
        }
    }
    let open = SUM.replace("tensor<3xf32>", "tensor<?xf32>");
    fs::write(here.path().join("open.mlir"), open).expect("written");
    for option in ["--max", "--specialize"] {
        let given = "input0.0=140737488355328";
        let ended = strata(here.path(), &["compile", "open.mlir", option, given]);
        let words = format!("`{option} {given}` is more than 2147483647");
        assert!(ended.stderr.contains(&words), "{}", ended.stderr);
    }
}

#[test]
fn semantics_of_a_dump_without_stablehlo_are_refused() {
    let here = folder();
    let dump = ["compile", "sum.mlir", "--to", "linalg", "-o", "linalg.mlir"];
    strata(here.path(), &dump).succeeded();
    for meaning in ["xla", "spec"] {
        let again = ["compile", "linalg.mlir", "--from", "linalg", "--semantics", meaning];
        let ended = strata(here.path(), &again);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("stage `linalg` no longer has"), "{}", ended.stderr);
    }
}
