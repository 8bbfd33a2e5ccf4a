//! Passes of others between the stages: `--after`, `Compiler::after`, what `opt --pattern` says, and the example
//! `examples/research-pass`.

use std::{fs, path::Path};

use strata::{AddedPasses, Artifact, Compiler, Options, Stage, register_pass, registered_passes};
use strata_diag::{Diagnostic, codes};
use strata_ir::{module_op, new_context, print};
use strata_rewrite::explain_greedily;

use crate::{
    command::strata,
    harness::{Loaded, options},
};

#[path = "../../examples/research-pass/src/divide_by_sqrt.rs"]
mod divide_by_sqrt;
#[path = "../../examples/research-pass/src/rational_tanh.rs"]
mod rational_tanh;

const NORM: &str = include_str!("../../examples/research-pass/norm.mlir");
const DOT: &str = include_str!("../../examples/research-pass/dot.mlir");

fn bytes(count: u32, value: impl Fn(u32) -> f32) -> Vec<u8> {
    (0..count).flat_map(|index| value(index).to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|chunk| f32::from_le_bytes(chunk.try_into().expect("four"))).collect()
}

fn farthest(left: &[u8], right: &[u8]) -> f32 {
    let pairs = floats(left).into_iter().zip(floats(right));
    pairs.map(|(left, right)| (left - right).abs()).fold(0.0, f32::max)
}

#[track_caller]
fn made(compiler: Compiler<'_>, text: &str) -> Artifact {
    match compiler.compile("program.mlir", text.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}"),
    }
}

fn with(stage: &str, passes: &str) -> Options {
    let added = AddedPasses { stage: stage.into(), passes: passes.into() };
    Options { added: vec![added], ..options("x86-64") }
}

/// Uses of `x` beyond the ends of the approximation, too.
const TANH: &str = "func.func @main(%x: tensor<401xf32>) -> tensor<401xf32> {
  %0 = stablehlo.tanh %x : tensor<401xf32>
  return %0 : tensor<401xf32>
}";

fn tanh_input() -> Vec<Vec<u8>> {
    vec![bytes(401, |index| index as f32 / 25.0 - 8.0)]
}

#[test]
fn a_pass_in_rust_changes_what_is_computed() {
    let exact = Loaded::new(&made(Compiler::new(options("x86-64")), TANH)).call(&tanh_input());
    register_pass(rational_tanh::NAME, rational_tanh::run);
    assert!(registered_passes().contains(&"rational-tanh"));
    let by_name = made(Compiler::new(with("linalg", rational_tanh::NAME)), TANH);
    let found = Loaded::new(&by_name).call(&tanh_input());
    let error = farthest(&found[0], &exact[0]);
    assert!((1e-6..2e-4).contains(&error), "{error}");

    let own = options("x86-64");
    let given = Compiler::new(own.clone())
        .after(Stage::Linalg, |context, module| rational_tanh::run(context, module, &own));
    assert!(made(given, TANH).bytes() == by_name.bytes());
}

#[test]
fn a_pattern_says_what_it_did_and_what_not() {
    let context = new_context();
    let module = strata_ir::parse(&context, "norm.mlir", NORM.as_bytes()).expect("a module");
    let report = explain_greedily(&context, module_op(&module), &[&divide_by_sqrt::DivideBySqrt]);
    let report = report.expect("no bug");
    assert_eq!(report.applied["divide-by-sqrt"], 1);
    let [event] = report.events.as_slice() else { panic!("{:?}", report.events) };
    assert_eq!(event.place.as_ref().map(ToString::to_string).as_deref(), Some("norm.mlir:8:8"));
    assert!(event.before.contains("stablehlo.divide %arg0, "), "{}", event.before);
    let after = event.after.as_ref().expect("applied");
    assert!(after.contains("stablehlo.multiply %arg0, "), "{after}");
    let text = print(&module, false);
    assert!(text.contains("stablehlo.rsqrt") && !text.contains("stablehlo.divide"), "{text}");

    let other = NORM.replace("stablehlo.sqrt", "stablehlo.cbrt");
    let module = strata_ir::parse(&context, "norm.mlir", other.as_bytes()).expect("a module");
    let report = explain_greedily(&context, module_op(&module), &[&divide_by_sqrt::DivideBySqrt]);
    let report = report.expect("no bug");
    let reasons: Vec<_> = report.events.iter().map(|event| event.after.clone()).collect();
    assert_eq!(reasons, [Err("the divisor is not a square root".to_owned())]);
}

#[test]
fn a_pattern_of_ones_own_runs_in_the_compiler() {
    register_pass(divide_by_sqrt::NAME, divide_by_sqrt::run);
    let input = vec![bytes(5 * 33, |index| (index * 37 % 101) as f32 / 50.0 - 1.0)];
    let exact = Loaded::new(&made(Compiler::new(options("x86-64")), NORM)).call(&input);
    let mut seen = String::new();
    let compiler =
        Compiler::new(with("hlo", divide_by_sqrt::NAME)).after(Stage::Hlo, |_context, module| {
            seen = print(module, false);
            Ok(())
        });
    let found = Loaded::new(&made(compiler, NORM)).call(&input);
    assert!(seen.contains("stablehlo.rsqrt"), "{seen}");
    let error = farthest(&found[0], &exact[0]);
    assert!(error < 1e-6, "{error}");
}

#[test]
fn a_schedule_of_ones_own_is_used() {
    let schedule = include_str!("../../examples/research-pass/dot.schedule.mlir");
    let own = Options { schedule: Some(schedule.to_owned()), ..options("x86-64-v3") };
    let stage = |options: &Options| {
        made(Compiler::new(options.clone()).to(Stage::Schedule), DOT).bytes().to_vec()
    };
    assert_ne!(stage(&own), stage(&options("x86-64-v3")));
    if !crate::harness::cpus().contains(&"x86-64-v3") {
        return;
    }
    let inputs =
        [96 * 160, 160 * 64].map(|count| bytes(count, |index| (index % 7) as f32 - 3.0)).to_vec();
    // Integers: the order of sums does not matter.
    let found = Loaded::new(&made(Compiler::new(own), DOT)).call(&inputs);
    let built = Loaded::new(&made(Compiler::new(options("x86-64-v3")), DOT)).call(&inputs);
    assert!(found == built);
}

#[test]
fn schedules_change_how_a_nest_is_computed_and_nothing_else() {
    let folder = folder();
    let own = include_str!("../../examples/research-pass/dot.schedule.mlir");
    let around = |body: &str| {
        format!(
            "module attributes {{transform.with_named_sequence}} {{
               transform.named_sequence @nest0(%func: !transform.any_op {{transform.readonly}}) {{
                 %root = transform.structured.match attributes{{strata.root}} in %func : (!transform.any_op) -> !transform.any_op
                 {body}
                 transform.yield
               }}
             }}"
        )
    };
    let pad = |values: &str| {
        around(&format!(
            "%p, %q, %r = transform.structured.pad %root pad_to_multiple_of [7] {{padding_values = [{values}], padding_dimensions = [2], \
             nofold_flags = [1, 1, 0], copy_back_op = \"none\"}} : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)"
        ))
    };
    let any = "(!transform.any_op) -> (!transform.any_op, !transform.any_op)";
    for (schedule, line, words) in [
        // A tile that no size is a multiple of.
        (own.replace("tile_sizes [3, 0, 0]", "tile_sizes [5, 0, 0]"), "", "cannot be compiled"),
        (pad("1.0 : f32, 1.0 : f32, 0.0 : f32"), ":4:", "may not add elements"),
        (
            around(&format!(
                "%a, %b = transform.structured.tile_using_forall %root tile_sizes [0, 8] : {any}"
            )),
            ":4:",
            "did you mean `transform.structured.tile_using_for`?",
        ),
        (
            own.replace("transform.structured.fuse %1", "transform.structured.fus %1"),
            ":10:",
            "unknown operation",
        ),
        (own.replace("@nest0", "@first"), "", "`@first` does not belong to a nest"),
        (own.replace("@nest0", "@nest7"), "", "`@nest7` does not belong to a nest"),
        (DOT.to_owned(), "", "it is not a schedule"),
    ] {
        fs::write(folder.path().join("dot.mlir"), DOT).expect("written");
        fs::write(folder.path().join("given.mlir"), &schedule).expect("written");
        let words_of_command =
            "compile dot.mlir --target-cpu x86-64-v3 --schedule given.mlir -o dot.o";
        let ended = strata(folder.path(), &words_of_command.split(' ').collect::<Vec<_>>());
        let said = &ended.stderr;
        assert!(said.contains("error[S1301]") && ended.code == 2, "{words}: {said}");
        assert!(said.contains(words), "{words}: {said}");
        assert!(line.is_empty() || said.contains(&format!("given.mlir{line}")), "{words}: {said}");
        assert!(!folder.path().join("dot.o").exists(), "{words}");
    }
}

#[test]
fn passes_run_after_every_part_of_a_joint_object() {
    let resolve = |cpu| strata::target::resolve(None, Some(cpu), None).expect("a known CPU");
    let versions = vec![resolve("x86-64"), resolve("x86-64-v3")];
    let own = Options { versions, ..with("llvmir", "function(instcombine)") };
    let mut count = 0;
    let compiler = Compiler::new(own.clone()).after(Stage::Linalg, |context, module| {
        count += 1;
        rational_tanh::run(context, module, &own)
    });
    let found = Loaded::new(&made(compiler, TANH)).call(&tanh_input());
    assert_eq!(count, 2);
    let exact = Loaded::new(&made(Compiler::new(options("x86-64")), TANH)).call(&tanh_input());
    assert!((1e-6..2e-4).contains(&farthest(&found[0], &exact[0])));
}

#[track_caller]
fn refused(compiler: Compiler<'_>) -> Diagnostic {
    let errors = compiler.compile("tanh.mlir", TANH.as_bytes()).expect_err("an error");
    errors.into_iter().next().expect("an error")
}

#[test]
fn what_passes_break_is_theirs() {
    let new = || Compiler::new(options("x86-64"));
    // A tensor where a number is computed with.
    let invalid = refused(new().after(Stage::Linalg, |_context, module| {
        let first = |name| module_op(module).collect(|op| op.is(name))[0];
        let tanh = first(strata_ir::math::TANH);
        tanh.set_operand(0, first(strata_ir::tensor::EMPTY).result(0));
        Ok(())
    }));
    assert_eq!(invalid.code(), codes::S0010, "{invalid:?}");
    let failing = || Err(Diagnostic::new(codes::S0008).reason("not today"));
    let own = refused(new().after(Stage::Vector, move |_, _| failing()));
    assert_eq!(own.reason_text(), Some("not today"));
    let panics = refused(new().after(Stage::Hlo, |_, _| panic!("in a pass")));
    assert_eq!(panics.code(), codes::S0010);
    assert!(panics.reason_text().is_some_and(|reason| reason.contains("in a pass")), "{panics}");
    for compiler in [
        new().after(Stage::LlvmIr, |_, _| Ok(())),
        new().to(Stage::Linalg).after(Stage::Affine, |_, _| Ok(())),
        Compiler::new(with("asm", "x")),
        Compiler::new(with("nowhere", "x")),
        Compiler::new(with("llvmir", "x")).to(Stage::Llvm),
    ] {
        assert_eq!(refused(compiler).code(), codes::S0005);
    }
    for (stage, passes, words) in [
        ("linalg", "canonicalise", "there is no pass `canonicalise`"),
        ("llvmir", "canonicalise", "LLVM has no pass `canonicalise`"),
        ("llvmir", "a\0b", "contain a byte 0"),
    ] {
        let error = refused(Compiler::new(with(stage, passes)));
        assert_eq!(error.code(), codes::S0008);
        assert!(error.reason_text().is_some_and(|reason| reason.contains(words)), "{error:?}");
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("norm.mlir"), NORM).expect("written");
    folder
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).expect("written")
}

#[test]
fn pipelines_are_given_on_the_command_line() {
    let folder = folder();
    let here = folder.path();
    let passes = [
        "--after",
        "linalg=func.func(linalg-generalize-named-ops)",
        "--after",
        "llvmir=instcombine",
    ];
    let compile = ["compile", "norm.mlir", "-o", "norm.o", "--target-cpu", "x86-64"];
    strata(here, &[&compile[..], &passes].concat()).succeeded();
    // What passes leave is checked like everything else.
    let verify = ["verify", "norm.mlir", "--stages", "--values", "tame", "--rounds", "1"];
    strata(here, &[&verify[..], &passes[..2]].concat()).succeeded();
    for (passes, code, reason) in [
        ("linalg", "S0001", "expected STAGE=PASSES"),
        ("lina=cse", "S0004", "there is no stage `lina`"),
        ("obj=cse", "S0005", "passes cannot be added after `obj`"),
        ("linalg=nothing", "S0008", "there is no pass `nothing`"),
        ("llvmir=internalize,globaldce", "S0010", "is no longer exported"),
    ] {
        let ended = strata(here, &[&compile[..], &["--after", passes]].concat());
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(code) && ended.stderr.contains(reason), "{}", ended.stderr);
    }
}

/// A violated contract is reported after the passes, not in the middle of the next stage.
#[test]
fn contracts_are_checked_after_passes_of_every_stage() {
    for (stage, passes, reason) in [
        ("schedule", "one-shot-bufferize", "another dialect"),
        ("schedule", "one-shot-bufferize{bufferize-function-boundaries}", "another dialect"),
        ("schedule", "empty-tensor-to-alloc-tensor", "another dialect"),
        ("schedule", "convert-scf-to-cf", "several blocks"),
        ("schedule", "convert-vector-to-llvm", "another dialect"),
        ("affine", "convert-func-to-llvm", "the entry is not a function"),
        ("vector", "convert-func-to-llvm", "the entry is not a function"),
        ("vector", "convert-to-llvm", "the entry is not a function"),
    ] {
        let own = Options {
            target: strata::target::resolve(None, Some("x86-64-v3"), None).expect("a known CPU"),
            ..with(stage, passes)
        };
        let errors = Compiler::new(own).compile("dot.mlir", DOT.as_bytes()).expect_err(passes);
        let error = errors.into_iter().next().expect("an error");
        assert_eq!(error.code(), codes::S0010, "{stage} {passes}: {error:?}");
        let found = error.reason_text().unwrap_or_default();
        assert!(found.contains(reason), "{stage} {passes}: {found}");
    }
}

/// The output of `print-ir` has no reader.
#[test]
fn a_closed_standard_error_fails_no_compilation() {
    let folder = folder();
    for after in ["linalg=print-ir", "llvmir=print<domtree>"] {
        let mut child = std::process::Command::new(crate::command::binary())
            .args(["compile", "norm.mlir", "-o", "norm.o", "--after", after])
            .args(["--target-cpu", "x86-64"])
            .current_dir(folder.path())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stderr.take());
        let ended = child.wait().expect("the command ends");
        assert!(ended.success(), "{after}: {ended}");
        fs::remove_file(folder.path().join("norm.o")).expect("an object");
    }
}

/// LLVM aborts on invalid combinations of passes: that is not an error of the program.
#[test]
fn what_llvm_cannot_go_on_from_is_reported() {
    let folder = folder();
    let here = folder.path();
    let compile = ["compile", "norm.mlir", "-o", "norm.o", "--target-cpu", "x86-64"];
    let ended = strata(here, &[&compile[..], &["--after", "llvmir=function(licm)"]].concat());
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("LLVM cannot continue: LICM"), "{}", ended.stderr);
    assert!(ended.stderr.contains("error[S0010]"), "{}", ended.stderr);
    assert!(!here.join("norm.o").exists());
}

#[test]
fn dumps_keep_places_with_debug_info() {
    let folder = folder();
    let here = folder.path();
    let compile =
        ["compile", "norm.mlir", "-o", "norm.o", "--debug-info", "--target-cpu", "x86-64"];
    strata(here, &[&compile[..], &["--dump-stages", "dumps", "--dump-steps", "steps"]].concat())
        .succeeded();
    for file in ["dumps/20-linalg.mlir", "dumps/50-vector.mlir", "steps/40-affine.02-buffers.mlir"]
    {
        let text = read(here, file);
        assert!(text.contains("loc(\"norm.mlir\":9:8)"), "{file}: {text}");
    }
    // They are still available for later stages.
    let again = ["compile", "dumps/20-linalg.mlir", "--from", "linalg", "-g", "-o", "again.o"];
    let again = [&again[..], &["--name", "norm", "--target-cpu", "x86-64"]].concat();
    strata(here, &again).succeeded();
    let object = fs::read(here.join("again.o")).expect("an object");
    assert!(object.windows(9).any(|bytes| bytes == b"norm.mlir"), "no line of the program");
    let stage = ["compile", "norm.mlir", "--to", "linalg"];
    assert!(!strata(here, &stage).succeeded().text().contains("loc("));
    let with = strata(here, &[&stage[..], &["-g"]].concat()).succeeded();
    assert!(with.text().contains("loc(\"norm.mlir\":9:8)"), "{}", with.text());
}

#[test]
fn opt_shows_what_patterns_did() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let program =
        "func.func @main(%x: tensor<3xi1>, %f: tensor<3xf32>) -> (tensor<3xi1>, tensor<3xf32>) {
  %0 = stablehlo.and %x, %x : tensor<3xi1>
  %1 = stablehlo.subtract %f, %f : tensor<3xf32>
  return %0, %1 : tensor<3xi1>, tensor<3xf32>
}";
    fs::write(here.join("and.mlir"), program).expect("written");
    let ended = strata(here, &["opt", "and.mlir", "--pattern", "same-operands"]).succeeded();
    let expected = "\
same-operands: declined at and.mlir:3:8: the elements are floats
  before: %1 = stablehlo.subtract %arg1, %arg1 : tensor<3xf32>
same-operands: applied at and.mlir:2:8
  before: %0 = stablehlo.and %arg0, %arg0 : tensor<3xi1>
  after:  %arg0
";
    assert!(ended.stderr.starts_with(expected), "{}", ended.stderr);

    let json = ["--diagnostic-format", "json", "opt", "and.mlir", "--pattern", "same-operands"];
    let ended = strata(here, &json).succeeded();
    let objects = ended.stderr.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let objects: Vec<serde_json::Value> = objects.collect();
    let kinds: Vec<_> = objects.iter().map(|one| one["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["pattern", "pattern", "applied", "declined"]);
    assert_eq!(objects[0]["location"]["line"], 3);
    assert_eq!(objects[0]["reason"], "the elements are floats");
    assert_eq!((&objects[1]["after"], &objects[1]["reason"]), (&"%arg0".into(), &().into()));
    assert_eq!((&objects[2]["count"], &objects[3]["count"]), (&1.into(), &2.into()));
}
