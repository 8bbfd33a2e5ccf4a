//! Remarks: each operation of a program is accounted for, and asking changes nothing.

use std::collections::BTreeSet;
use std::fs;

use strata::{Compiler, Observer, Options, Product, Remarks, Stage, StageInfo};

use crate::{
    command::strata,
    harness::{options, snapshot_options},
};

/// Gathers remarks.
#[derive(Default)]
struct Gathered(Vec<Remarks>);

impl Observer for Gathered {
    fn stage_finished(&mut self, _: &StageInfo, _: &Product<'_, '_>, _: std::time::Duration) {}

    fn remarked(&mut self, remarks: &Remarks) {
        self.0.push(remarks.clone());
    }

    fn wants_remarks(&self) -> bool {
        true
    }
}

#[track_caller]
fn remarks(program: &str, options: Options) -> Remarks {
    let mut gathered = Gathered::default();
    let compiled =
        Compiler::new(options).observe(&mut gathered).compile("p.mlir", program.as_bytes());
    if let Err(errors) = compiled {
        panic!("{errors}");
    }
    let [remarks] = <[Remarks; 1]>::try_from(gathered.0).expect("one part");
    remarks
}

const LAYER: &str = "\
func.func @main(%x: tensor<37x784xf32>, %w: tensor<784x512xf32>, %b: tensor<512xf32>) -> tensor<37x512xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<37x784xf32>, tensor<784x512xf32>) -> tensor<37x512xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<512xf32>) -> tensor<37x512xf32>
  %2 = stablehlo.add %0, %1 : tensor<37x512xf32>
  %unused = stablehlo.sine %2 : tensor<37x512xf32>
  return %2 : tensor<37x512xf32>
}
";

/// The position of the only operation of that name.
#[track_caller]
fn position(remarks: &Remarks, name: &str) -> usize {
    let is_it = |one: &&(usize, &strata::OperationRemark)| one.1.operation.name == name;
    let all: Vec<_> = remarks.operations.iter().enumerate().collect();
    let found: Vec<_> = all.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{name}");
    found[0].0
}

#[test]
fn a_dot_and_its_epilogue_are_one_nest() {
    for (cpu, lanes) in [("x86-64", 4), ("x86-64-v3", 8), ("x86-64-v4", 16)] {
        let remarks = remarks(LAYER, options(cpu));
        let [nest] = remarks.nests.as_slice() else { panic!("{}", remarks.text()) };
        let of = |name: &str| position(&remarks, name);
        for name in ["stablehlo.dot_general", "stablehlo.add"] {
            assert!(nest.operations.contains(&of(name)), "{name}: {}", remarks.text());
            assert_eq!(remarks.operations[of(name)].nests, [0]);
        }
        assert_eq!(nest.kernel.as_deref(), Some("nest0"));
        assert_eq!(nest.loops, [(37, false), (512, false), (784, true)]);
        assert!(
            nest.chosen().is_some_and(|name| name.starts_with("registers ")),
            "{}",
            remarks.text()
        );
        assert_eq!(nest.attempts[0].schedule, "rows");
        assert!(nest.attempts[0].declined.is_some());
        let widths: Vec<_> =
            nest.vectors.iter().map(|one| (one.element.as_str(), one.lanes)).collect();
        assert_eq!(widths, [("f32", lanes)], "{cpu}");
        let place = remarks.operations[of("stablehlo.dot_general")].operation.place.clone();
        assert_eq!(place.map(|place| (place.line, place.column)), Some((2, 8)));
    }
}

#[test]
fn what_is_unused_is_said_to_be_removed() {
    let remarks = remarks(LAYER, snapshot_options());
    let unused = &remarks.operations[position(&remarks, "stablehlo.sine")];
    assert!(unused.nests.is_empty());
    assert_eq!(unused.last_stage(), None);
    assert!(remarks.text().contains("removed: unused"), "{}", remarks.text());
}

#[test]
fn nests_that_equal_each_other_share_a_kernel_and_keep_their_operations() {
    let text = "\
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot %0, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
";
    let remarks = remarks(text, snapshot_options());
    let names: Vec<_> = (0..remarks.nests.len()).map(|nest| remarks.nest_name(nest)).collect();
    assert_eq!(names, ["nest0", "nest0#2"]);
    assert_eq!(remarks.nests[0].operations, [0]);
    assert_eq!(remarks.nests[1].operations, [1]);
    assert!(remarks.nests.iter().all(|nest| !nest.vectors.is_empty()));
}

#[test]
fn what_has_no_schedule_says_why() {
    let text = "\
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.negate %x : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
";
    let remarks = remarks(text, Options::new(options("x86-64-v4").target));
    let [nest] = remarks.nests.as_slice() else { panic!("{}", remarks.text()) };
    assert_eq!(nest.chosen(), None);
    let reason = nest.attempts[0].declined.as_deref().unwrap_or_default();
    assert_eq!(reason, "15 elements do not fill a vector of 16");
}

#[test]
fn copies_say_what_for_and_why() {
    // Both results are the same tensor, and an input cannot be an output.
    let text = "\
func.func @main(%x: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
  %0 = stablehlo.negate %x : tensor<100xf32>
  return %x, %0 : tensor<100xf32>, tensor<100xf32>
}
";
    let remarks = remarks(text, snapshot_options());
    let [copy] = remarks.copies.as_slice() else { panic!("{}", remarks.text()) };
    assert_eq!((copy.bytes, copy.depth), (Some(400), 0));
    assert_eq!(copy.purpose, "a result of the program");
    assert!(copy.because.contains("input"), "{}", copy.because);
}

#[test]
fn loops_say_into_how_many_tasks_they_are_cut() {
    let program = |size: u32| {
        format!(
            "func.func @main(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{
  %0 = stablehlo.tanh %x : tensor<{size}xf32>
  return %0 : tensor<{size}xf32>
}}
"
        )
    };
    let large = remarks(&program(1 << 20), snapshot_options());
    let [threads] = large.threads.as_slice() else { panic!("{}", large.text()) };
    assert!(threads.tasks.is_some_and(|tasks| tasks > 1), "{}", large.text());
    let small = remarks(&program(1 << 8), snapshot_options());
    let [threads] = small.threads.as_slice() else { panic!("{}", small.text()) };
    assert_eq!(threads.tasks, None);
    assert!(threads.because.as_ref().is_some_and(|reason| reason.contains("below")));
}

/// Asking for remarks changes no byte of the object, nor of its debug information.
#[rstest::rstest]
fn objects_are_the_same_with_remarks(#[files("programs/*/input.mlir")] path: std::path::PathBuf) {
    let program = fs::read(&path).expect("the program");
    for debug_info in [false, true] {
        let options = Options { debug_info, ..snapshot_options() };
        let plain = Compiler::new(options.clone()).compile("p.mlir", &program).expect("compiles");
        let mut gathered = Gathered::default();
        let asked = Compiler::new(options).observe(&mut gathered);
        let asked = asked.compile("p.mlir", &program).expect("compiles");
        assert!(plain.bytes() == asked.bytes(), "{}: {debug_info}", path.display());
        assert_eq!(gathered.0.len(), 1);
    }
}

#[test]
fn each_part_of_a_joint_object_has_its_remarks() {
    let folder = with_layer();
    let arguments =
        ["compile", "layer.mlir", "-o", "layer.o", "--target-cpu", "x86-64-v2,x86-64-v3"];
    let arguments = [&arguments[..], &["--remarks=remarks.json"]].concat();
    strata(folder.path(), &arguments).succeeded();
    let text = fs::read_to_string(folder.path().join("remarks.json")).expect("the remarks");
    let object: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
    let parts = object["parts"].as_array().expect("parts");
    let lanes = |part: &serde_json::Value| part["nests"][0]["vectors"][0]["lanes"].as_u64();
    assert_eq!(parts.iter().map(lanes).collect::<Vec<_>>(), [Some(4), Some(8)]);
    assert_eq!(parts[0]["operations"][0]["operation"], "stablehlo.dot_general");
    assert_eq!(parts[0]["operations"][0]["nests"][0], "nest0");
    assert_eq!(parts[0]["operations"][0]["location"]["line"], 2);
}

#[test]
fn remarks_go_to_standard_error_without_a_file() {
    let folder = with_layer();
    let arguments = ["compile", "layer.mlir", "--remarks", "-o", "layer.o"];
    let done = strata(folder.path(), &arguments).succeeded();
    assert!(done.stderr.contains("nest0\n    of         stablehlo.dot_general"), "{}", done.stderr);
    let arguments = [&arguments[..], &["--diagnostic-format=json"]].concat();
    let done = strata(folder.path(), &arguments).succeeded();
    let line = done.stderr.lines().find(|line| line.contains("\"kind\":\"remarks\""));
    let object: serde_json::Value = serde_json::from_str(line.expect("a line")).expect("is JSON");
    assert_eq!(object["parts"][0]["nests"][0]["nest"], "nest0");
}

/// A cheap nest before an expensive one, of other operations on other lines.
const UNEVEN: &str = "\
func.func @main(%x: tensor<64x8xf32>, %w: tensor<256x256xf32>) -> (tensor<64x8xf32>, tensor<256x256xf32>) {
  %0 = stablehlo.tanh %x : tensor<64x8xf32>
  %1 = stablehlo.dot_general %w, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0, %1 : tensor<64x8xf32>, tensor<256x256xf32>
}
";

#[test]
fn the_most_expensive_nest_comes_first() {
    let remarks = remarks(UNEVEN, snapshot_options());
    let text = remarks.text();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}: {text}"));
    assert!(
        at("    of         stablehlo.dot_general") < at("    of         stablehlo.tanh"),
        "{text}"
    );
    let times: Vec<_> = (0..remarks.nests.len()).map(|nest| remarks.nest_time(nest)).collect();
    assert!(times.len() == 2 && times[0] > 0.0 && times[0] < times[1], "{times:?}");
    // Operations of nests are told there, and not a second time.
    assert!(!text.contains("operations outside of nests"), "{text}");
}

#[test]
fn a_filter_selects_by_operation_schedule_place_or_kind() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("uneven.mlir"), UNEVEN).expect("is written");
    let arguments = ["compile", "uneven.mlir", "-o", "u.o", "--target-cpu", "x86-64-v3"];
    let told = |filter: &str, file: Option<&str>| {
        let remarks = file.map_or("--remarks".to_owned(), |file| format!("--remarks={file}"));
        let more = [remarks.as_str(), "--remarks-filter", filter];
        strata(folder.path(), &[&arguments[..], &more].concat())
    };
    let dot = |text: &str| text.contains("of         stablehlo.dot_general");
    let tanh = |text: &str| text.contains("of         stablehlo.tanh");
    for (filter, has_dot, has_tanh) in [
        ("dot_general$", true, false),
        ("uneven.mlir:2:", false, true),
        ("^registers", true, false),
        ("^nest$", true, true),
        ("nothing of this", false, false),
    ] {
        let ended = told(filter, None).succeeded();
        let found = (dot(&ended.stderr), tanh(&ended.stderr));
        assert_eq!(found, (has_dot, has_tanh), "{filter}: {}", ended.stderr);
    }
    told("tanh", Some("r.json")).succeeded();
    let text = fs::read_to_string(folder.path().join("r.json")).expect("the remarks");
    let object: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
    let part = &object["parts"][0];
    // Positions stay what they are.
    assert_eq!(part["operations"].as_array().map(Vec::len), Some(2));
    let nests = part["nests"].as_array().expect("nests");
    assert!(nests.len() == 1 && nests[0]["operations"][0] == 0, "{part:#}");

    let wrong = told("a(b", None);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(
        wrong.stderr.contains("S0001") && wrong.stderr.contains("unclosed group"),
        "{}",
        wrong.stderr
    );
    let alone = [&arguments[..], &["--remarks-filter", "x"]].concat();
    assert_eq!(strata(folder.path(), &alone).code, 2);
}

/// What versions have in common is said once, what differs with the names of the versions.
#[test]
fn versions_have_one_report() {
    let folder = with_layer();
    let arguments = ["compile", "layer.mlir", "-o", "layer.o", "--remarks"];
    let cpus = ["--target-cpu", "x86-64-v2,x86-64-v3,x86-64-v4"];
    let text = strata(folder.path(), &[&arguments[..], &cpus].concat()).succeeded().stderr;
    assert_eq!(text.matches("of         stablehlo.dot_general").count(), 1, "{text}");
    assert_eq!(text.matches("    loops      37 x 512, reduces 784\n").count(), 1, "{text}");
    for line in ["4 x f32 [x86-64-v2]", "8 x f32 [x86-64-v3]", "16 x f32 [x86-64-v4]"] {
        assert!(text.contains(&format!("    vectors    {line}\n")), "{line}: {text}");
    }
    assert_eq!(text.matches("removed: unused").count(), 1, "{text}");

    let open = "\
func.func @main(%x: tensor<?x?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x?x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<?x?x64xf32>, tensor<64x64xf32>) -> tensor<?x?x64xf32>
  %1 = stablehlo.tanh %0 : tensor<?x?x64xf32>
  return %1 : tensor<?x?x64xf32>
}
";
    fs::write(folder.path().join("open.mlir"), open).expect("is written");
    let arguments = ["compile", "open.mlir", "-o", "open.o", "--remarks", "--max", "input0.1=8"];
    let text = strata(folder.path(), &arguments).succeeded().stderr;
    // A name stands for one nest only.
    let names: Vec<_> = text.lines().filter(|line| line.starts_with("  nest")).collect();
    let different: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(names.len(), different.len(), "{text}");
    let trips = text.lines().filter(|line| line.starts_with("    loops ")).count();
    assert!(trips > 1, "{text}");
}

/// Remarks end where the compilation does.
#[test]
fn remarks_of_a_compilation_that_stops_early_say_what_is_known() {
    let mut gathered = Gathered::default();
    let compiler = Compiler::new(snapshot_options()).to(Stage::Schedule).observe(&mut gathered);
    let artifact = compiler.compile("p.mlir", LAYER.as_bytes()).expect("compiles");
    assert_eq!(gathered.0[0].nests.len(), 1);
    let text = String::from_utf8_lossy(artifact.bytes()).into_owned();
    assert!(!text.contains("strata.operation"), "{text}");
}

/// A folder with the program `layer.mlir`.
fn with_layer() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("layer.mlir"), LAYER).expect("is written");
    folder
}

/// What a program says about its operation on line `line`.
#[track_caller]
fn fate(remarks: &Remarks, line: u32) -> String {
    let is_there = |one: &&(usize, &strata::OperationRemark)| {
        one.1.operation.place.as_ref().is_some_and(|place| place.line == line)
    };
    let all: Vec<_> = remarks.operations.iter().enumerate().collect();
    let found: Vec<_> = all.iter().filter(is_there).collect();
    let [(position, _)] = found.as_slice() else { panic!("line {line}: {}", remarks.text()) };
    remarks.fate(*position)
}

#[test]
fn operations_without_code_say_where_it_went() {
    let text = "\
func.func private @never(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.cosine %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func private @twice(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func @main(%x: tensor<64xf32>, %s: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = func.call @twice(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<64xf32>
  %3 = stablehlo.tanh %2 : tensor<64xf32>
  %4 = stablehlo.tanh %2 : tensor<64xf32>
  %c = stablehlo.constant dense<2.0> : tensor<64xf32>
  %5 = stablehlo.negate %c : tensor<64xf32>
  %6 = stablehlo.add %4, %5 : tensor<64xf32>
  %7 = stablehlo.negate %6 : tensor<64xf32>
  return %3, %6 : tensor<64xf32>, tensor<64xf32>
}
";
    let remarks = remarks(text, snapshot_options());
    let shown = remarks.text();
    assert_eq!(fate(&remarks, 2), "not compiled: `never` is not reached from the entry", "{shown}");
    assert_eq!(fate(&remarks, 10), "inlined", "{shown}");
    assert!(fate(&remarks, 11).contains("part of its users, nest"), "{shown}");
    assert!(
        fate(&remarks, 14).starts_with("computed once, with the equal stablehlo.tanh"),
        "{shown}"
    );
    assert!(fate(&remarks, 16).starts_with("a constant"), "{shown}");
    assert_eq!(fate(&remarks, 18), "removed: unused", "{shown}");
}

/// The loops that are split, in remarks and in the program after stage `affine`.
#[rstest::rstest]
fn tasks_of_remarks_are_those_of_the_code(#[files("ops/**/input.mlir")] path: std::path::PathBuf) {
    let program = fs::read(&path).expect("the program");
    let options = Options { tasks: strata::Tasks::Always, ..snapshot_options() };
    let mut gathered = Gathered::default();
    let compiler = Compiler::new(options).to(Stage::Affine).observe(&mut gathered);
    let Ok(artifact) = compiler.compile("p.mlir", &program) else { return };
    let text = String::from_utf8_lossy(artifact.bytes()).into_owned();
    // Equal nests share a function.
    let number = |rest: &str| -> i64 {
        rest.split([' ', ',', '}']).next().and_then(|it| it.parse().ok()).expect("a number")
    };
    let mut found = Vec::new();
    for function in text.split("func.func private @strata.kernel.").skip(1) {
        let line = function.lines().next().unwrap_or_default();
        let Some((_, tasks)) = line.split_once("strata.tasks = ") else { continue };
        let kernel = line.split('(').next().expect("a name");
        let calls = text.matches(&format!("call @strata.kernel.{kernel}(")).count();
        found.extend(std::iter::repeat_n(number(tasks), calls));
    }
    let mut told: Vec<_> = gathered.0[0].threads.iter().filter_map(|one| one.tasks).collect();
    found.sort_unstable();
    told.sort_unstable();
    assert_eq!(told, found, "{}", path.display());
}

/// Why sums were not computed in a way: what the nests with reductions say, and that no other nest says it.
#[track_caller]
fn declined(program: &str, options: Options, way: &str) -> BTreeSet<String> {
    let remarks = remarks(program, options);
    let mut all = BTreeSet::new();
    for nest in &remarks.nests {
        let found = nest.attempts.iter().filter(|attempt| attempt.schedule == way);
        let found: Vec<_> = found.filter_map(|attempt| attempt.declined.clone()).collect();
        assert!(found.is_empty() || nest.loops.iter().any(|(_, reduces)| *reduces));
        assert!(nest.chosen() != Some(way));
        all.extend(found);
    }
    all
}

/// That there is one reason, which begins so, or none where that is empty.
#[track_caller]
fn assert_declined(program: &str, options: Options, way: &str, because: &str) {
    let found = declined(program, options, way);
    let all: Vec<_> = found.iter().collect();
    match (because, all.as_slice()) {
        ("", []) => {}
        ("", _) => panic!("{all:?}: {program}"),
        (_, [only]) => assert!(only.starts_with(because), "{only}: {program}"),
        _ => panic!("{all:?}: {program}"),
    }
}

#[test]
fn dots_without_an_instruction_say_why() {
    let of = |triple: &str, cpu: Option<&str>| {
        Options::new(strata::target::resolve(Some(triple), cpu, None).expect("a target"))
    };
    let x86 = |cpu| of("x86_64-unknown-linux-gnu", Some(cpu));
    let arm = || of("aarch64-unknown-linux-gnu", None);
    let (v3, zen) = (|| x86("x86-64-v3"), || x86("znver4"));
    let no_bf16 = "the target has no instruction for products of `bf16` with sums of `f32`";
    let no_f16 = "the target has no instruction for products of `f16` with sums of `f32`";
    let no_bytes = "the target has no instruction for sums of products of bytes";
    let integers = "its sums are `f32`, and instructions for products of integers add integers";
    for (types, options, because) in [
        (["f16", "f16", "f32"], v3(), no_f16),
        (["f16", "f16", "f16"], zen(), no_f16),
        (["bf16", "bf16", "f32"], v3(), no_bf16),
        (["bf16", "bf16", "bf16"], arm(), no_bf16),
        (["bf16", "bf16", "bf16"], zen(), ""),
        (["i16", "i16", "i32"], zen(), "its elements have more than 8 bits"),
        (["i8", "i8", "f32"], zen(), integers),
        (["i8", "i8", "i16"], zen(), "instructions for products of bytes add them in 32 bits"),
        (["i8", "ui8", "i32"], arm(), no_bytes),
        (["i8", "ui8", "i32"], v3(), ""),
        (["f32", "f32", "f32"], v3(), ""),
        (["i32", "i32", "i32"], v3(), ""),
    ] {
        let [left, right, result] = types;
        let (left, right) = (format!("tensor<48x64x{left}>"), format!("tensor<64x32x{right}>"));
        let program = format!(
            "func.func @main(%a: {left}, %b: {right}) -> tensor<48x32x{result}> {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({left}, {right}) -> tensor<48x32x{result}>
  return %0 : tensor<48x32x{result}>
}}"
        );
        assert_declined(&program, options, "lanes", because);
    }
    // The whole of one matrix by another, in one number.
    let program = "func.func @main(%a: tensor<48x64xi8>, %b: tensor<64x48xi8>) -> tensor<i32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [1, 0] : (tensor<48x64xi8>, tensor<64x48xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}";
    assert_declined(program, zen(), "lanes", "several dimensions are summed");
}

#[test]
fn convolutions_without_an_instruction_say_why() {
    let program = |features: [i64; 2], groups: i64, elements: [&str; 2]| {
        let [inner, outer] = features;
        let [left, right] = elements;
        let image = format!("tensor<2x9x9x{inner}x");
        let kernel = format!("tensor<3x3x{}x{outer}x", inner / groups);
        format!(
            "func.func @main(%a: {image}{left}>, %b: {kernel}{right}>) -> tensor<2x7x7x{outer}xi32> {{
  %x = stablehlo.convert %a : ({image}{left}>) -> {image}i32>
  %y = stablehlo.convert %b : ({kernel}{right}>) -> {kernel}i32>
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({image}i32>, {kernel}i32>) -> tensor<2x7x7x{outer}xi32>
  return %0 : tensor<2x7x7x{outer}xi32>
}}"
        )
    };
    let bytes = ["i8", "i8"];
    for (features, groups, elements, because) in [
        ([32, 32], 1, bytes, ""),
        ([32, 32], 1, ["ui8", "i8"], ""),
        ([32, 32], 1, ["i8", "ui8"], "a convolution's operands have one type, which must hold"),
        ([32, 32], 2, bytes, "its features are in groups"),
        ([2, 32], 1, bytes, "there are too few products"),
    ] {
        let program = program(features, groups, elements);
        assert_declined(&program, options("znver4"), "lanes", because);
    }
}

#[test]
fn scaled_integers_that_are_multiplied_as_floats_say_why() {
    let program = |sizes: [i64; 3], scale: &str, lines: &str, float: &str| {
        let [rows, depth, columns] = sizes;
        let (left, right) =
            (format!("tensor<{rows}x{depth}x"), format!("tensor<{depth}x{columns}x"));
        let result = format!("tensor<{rows}x{columns}x{float}>");
        format!(
            "func.func @main(%a: {left}i8>, %b: {right}i8>) -> {result} {{
  %s = stablehlo.constant dense<{scale}> : {right}{float}>
  %z = stablehlo.constant dense<0.0> : {right}{float}>
  %x = stablehlo.convert %a : ({left}i8>) -> {left}{float}>
  %w = stablehlo.convert %b : ({right}i8>) -> {right}{float}>
  {lines} : {right}{float}>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({left}{float}>, {right}{float}>) -> {result}
  return %0 : {result}
}}"
        )
    };
    let (sizes, scaled) = ([6, 16, 8], "%y = stablehlo.multiply %w, %s");
    let sum = "%w0 = stablehlo.multiply %w, %z : tensor<16x8xf32>
  %w1 = stablehlo.multiply %w, %s : tensor<16x8xf32>
  %y = stablehlo.add %w0, %w1";
    let plain = || options("x86-64-v3");
    for (sizes, scale, lines, float, because) in [
        (sizes, "0.5", scaled, "f32", ""),
        (sizes, "0.5", sum, "f32", "an operand is more than integers less a constant"),
        ([6, 4, 8], "0.5", scaled, "f32", "sums of so few products are rounded less often"),
        (sizes, "1.0e+20", scaled, "f32", "a scale is very large or small"),
        (sizes, "0.5", scaled, "bf16", "its numbers are not `f32`"),
    ] {
        assert_declined(&program(sizes, scale, lines, float), plain(), "integers", because);
    }
    let split = program(sizes, "0.5", scaled, "f32").replacen(
        "%a: tensor<6x16xi8>",
        "%a: tensor<6x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}",
        1,
    );
    let split = format!("sdy.mesh @mesh = <[\"x\"=2]>\n{split}");
    assert_declined(&split, plain(), "integers", "values are split over devices");
    let open = program(sizes, "0.5", scaled, "f32").replace("tensor<6x", "tensor<?x");
    let bounded = Options { bounds: vec![("input0.0".into(), 8)], ..plain() };
    assert_declined(&open, bounded, "integers", "");
    let summed = "func.func @main(%a: tensor<6x?xi8>, %b: tensor<?x8xi8>) -> tensor<6x8xf32> {
  %x = stablehlo.convert %a : (tensor<6x?xi8>) -> tensor<6x?xf32>
  %y = stablehlo.convert %b : (tensor<?x8xi8>) -> tensor<?x8xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<6x?xf32>, tensor<?x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}";
    let bounded = Options { bounds: vec![("input0.1".into(), 64)], ..plain() };
    assert_declined(summed, bounded, "integers", "it sums over an open size");
}

/// The page shows what the command prints.
#[test]
fn the_page_shows_real_remarks() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/remarks.md");
    let text = fs::read_to_string(page).expect("the page");
    let (before, rest) = text.split_once("```text\n").expect("an example");
    let (example, after) = rest.split_once("```\n").expect("its end");
    assert!(before.contains(LAYER), "the page has another program");
    let folder = with_layer();
    let arguments =
        ["compile", "layer.mlir", "-o", "layer.o", "--target-cpu", "x86-64-v3", "--remarks"];
    let done = strata(folder.path(), &arguments).succeeded();
    if std::env::var_os("STRATA_BLESS").is_some() {
        let blessed = format!("{before}```text\n{}```\n{after}", done.stderr);
        fs::write(page, blessed).expect("is written");
        return;
    }
    assert_eq!(example, done.stderr);
}
