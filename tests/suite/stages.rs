//! The program in the form of every stage, run by the interpreter: what it computes is what the evaluator does.

use std::path::PathBuf;

use strata::{Compiler, Observer, Options, Product, Stage, StageInfo, Streaming};
use strata_diag::{Diagnostic, codes};
use strata_eval::Values;
use strata_interpreter::Program;
use strata_verify::random_program;
use strata_verify::{Difference, Dump, Levels, Settings, verify_stages};

use crate::{arrays::npy, cli::SUM, command::strata, harness::options, ops::Case};

/// The text after every stage that the interpreter runs.
#[derive(Default)]
struct Forms(Vec<(Stage, String)>);

impl Observer for Forms {
    fn stage_finished(
        &mut self,
        info: &StageInfo,
        product: &Product<'_, '_>,
        _: std::time::Duration,
    ) {
        if (Stage::Linalg..=Stage::Vector).contains(&info.stage) {
            self.0.push((info.stage, product.text().expect("a module")));
        }
    }
}

/// The bytes of the outputs of a dump.
fn run(text: &str, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Diagnostic> {
    let context = strata::new_context();
    let module = strata_ir::parse(&context, "dump.mlir", text.as_bytes()).expect("parses");
    Program::new(&module)?.run(inputs)
}

#[rstest::rstest]
fn every_stage_computes_what_the_evaluator_does(#[files("ops/**/input.mlir")] path: PathBuf) {
    let case = Case::read(&path);
    let mut forms = Forms::default();
    let bytes = std::fs::read(&path).expect("the program");
    // Outputs past the caches, so that the alignment of such stores is checked.
    let artifact = Compiler::new(Options { streaming: Streaming::Always, ..options("x86-64-v3") })
        .to(Stage::Vector)
        .observe(&mut forms)
        .compile("input.mlir", &bytes)
        .unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
    let evaluated = case.evaluate(artifact.signature().expect("a signature"));
    assert_eq!(forms.0.len(), 4, "stages from linalg to vector");
    for (stage, text) in forms.0 {
        let what = format!("{} at stage {stage}", path.display());
        match run(&text, &evaluated.inputs) {
            Ok(found) => case.assert_results(found, &evaluated.expected, &what),
            // What a program calls outside of itself is not in its dump.
            Err(error) if error.code() == codes::S1911 && text.contains("strata.call") => {}
            Err(error) => panic!("{what}: {}", error.render()),
        }
    }
}

#[rstest::rstest]
fn programs_differ_at_no_stage(#[files("programs/**/*.mlir")] path: PathBuf) {
    let program = std::fs::read_to_string(&path).expect("the program");
    let found = found(&program, None, false);
    assert!(found.is_none(), "{:?}", found.map(|found| found.diagnostic.render()));
}

/// Hand-written dumps of a stage, for forms that no StableHLO program compiles to: each is equivalent to the
/// `input.mlir` in its folder, and so are all later stages.
#[rstest::rstest]
fn dumps_by_hand_do_what_they_mean(#[files("dumps/**/input.mlir")] path: PathBuf) {
    let program = std::fs::read_to_string(&path).expect("the program");
    let stages = [Stage::Linalg, Stage::Schedule, Stage::Affine, Stage::Vector];
    let of = |stage: Stage| {
        let file = path.with_file_name(format!("{stage}.mlir"));
        let text = std::fs::read(&file).ok()?;
        Some(Dump { stage, step: None, name: file.display().to_string(), text })
    };
    let dumps: Vec<Dump> = stages.into_iter().filter_map(of).collect();
    assert!(!dumps.is_empty(), "{}: there is no dump", path.display());
    for dump in dumps {
        let found = found(&program, Some(dump), true);
        assert!(found.is_none(), "{:?}", found.map(|found| found.diagnostic.render()));
    }
}

/// Reversed, subtracted, scaled: nothing in it is symmetric.
const POINTWISE: &str =
    "func.func public @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c = stablehlo.constant dense<2.5> : tensor<3x5xf32>
  %0 = stablehlo.reverse %x, dims = [1] : tensor<3x5xf32>
  %1 = stablehlo.subtract %0, %y : tensor<3x5xf32>
  %2 = stablehlo.multiply %1, %c : tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}";

/// Temporaries, vectors, and a sort that copies what it merged.
const SORTED: &str = "func.func public @main(%x: tensor<4x9xf32>, %w: tensor<9x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xf32>) {
  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x9xf32>, tensor<9x9xf32>) -> tensor<4x9xf32>
  %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [1] : (tensor<4x9xf32>, tensor<9x9xf32>) -> tensor<4x9xf32>
  %c = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<4x9xf32>, tensor<9x9xf32>) -> tensor<4x9xf32>
  %e = stablehlo.exponential %a : tensor<4x9xf32>
  %r = \"stablehlo.sort\"(%c) <{dimension = 1 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %r, %e : tensor<4x9xf32>, tensor<4x9xf32>
}";

/// Two temporaries that are needed at the same time.
const TWO: &str = "func.func public @main(%x: tensor<4x6xf32>, %v: tensor<6x6xf32>, %w: tensor<6x6xf32>) -> tensor<4x4xf32> {
  %a = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %b = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}";

/// A stage, a part of its dump, its replacement, and the error found.
type Fault = (Stage, &'static str, &'static str, &'static str);

/// The dumps of a program after every stage and step that is run.
#[derive(Default)]
struct Dumps(Vec<(Stage, Option<String>, String)>);

impl Observer for Dumps {
    fn stage_finished(
        &mut self,
        info: &StageInfo,
        product: &Product<'_, '_>,
        _: std::time::Duration,
    ) {
        self.0.push((info.stage, None, product.text().unwrap_or_default()));
    }

    fn step_finished(
        &mut self,
        info: &StageInfo,
        _: usize,
        name: &str,
        product: &Product<'_, '_>,
        _: std::time::Duration,
    ) {
        self.0.push((info.stage, Some(name.to_owned()), product.text().unwrap_or_default()));
    }
}

fn dumps(program: &str) -> Dumps {
    let mut dumps = Dumps::default();
    Compiler::new(options("x86-64-v3"))
        .to(Stage::Vector)
        .observe(&mut dumps)
        .compile("program.mlir", program.as_bytes())
        .unwrap_or_else(|errors| panic!("{errors}"));
    dumps
}

/// The dump with the first `from` in it changed.
#[track_caller]
fn edited(dumps: &Dumps, stage: Stage, step: Option<&str>, from: &str, to: &str) -> Dump {
    let is_meant =
        |(of, name, _): &&(Stage, Option<String>, String)| *of == stage && name.as_deref() == step;
    let (.., text) = dumps.0.iter().find(is_meant).expect("the dump");
    assert!(text.contains(from), "nothing to edit at stage {stage}: `{from}` in\n{text}");
    let text = text.replacen(from, to, 1).into_bytes();
    Dump { stage, step: step.map(str::to_owned), name: "edited.mlir".to_owned(), text }
}

/// What `strata verify --stages` finds where this dump takes the place of its stage's.
fn found(program: &str, dump: Option<Dump>, steps: bool) -> Option<Difference> {
    let settings = Settings { rounds: 1, values: Some(Values::Tame), ..Settings::default() };
    let levels = Levels { steps, dump };
    let options = options("x86-64-v3");
    verify_stages("program.mlir", program.as_bytes(), &options, &settings, None, &levels)
        .unwrap_or_else(|error| panic!("{}", error.render()))
        .difference
}

/// Every fault is found at the stage that it was put into.
#[track_caller]
fn assert_found(program: &str, faults: &[Fault]) {
    let dumps = dumps(program);
    for (stage, from, to, finds) in faults {
        let dump = edited(&dumps, *stage, None, from, to);
        let found = found(program, Some(dump), false);
        let found = found.unwrap_or_else(|| panic!("{stage}: `{from}` made `{to}` is not seen"));
        let reason = found.diagnostic.reason_text().unwrap_or_default();
        let wanted = format!("stage `{stage}` is the first that differs: {finds}");
        assert!(reason.starts_with(&wanted), "{stage}: `{from}` made `{to}`: {reason}");
        assert!(found.before.stage < *stage, "{stage}: {}", found.before.name());
    }
}

#[test]
fn faults_in_arithmetic_are_found_where_they_are() {
    let other = "output 0 differs by";
    let outside = "access out of bounds";
    // MLIR itself sees that a map leads out of a tensor of known size.
    let invalid = "operation violates its definition";
    assert_found(
        POINTWISE,
        &[
            (Stage::Hlo, "dense<2.5", "dense<2.75", other),
            (Stage::Linalg, "arith.subf %in, %in_0", "arith.subf %in_0, %in", other),
            (Stage::Linalg, "2.500000e+00", "2.750000e+00", other),
            (Stage::Linalg, "-d1 + 4", "-d1 + 5", invalid),
            (Stage::Linalg, "arith.mulf", "arith.addf", other),
            (Stage::Schedule, "arith.subf %in, %in_0", "arith.subf %in_0, %in", other),
            (Stage::Schedule, "2.500000e+00", "2.500100e+00", other),
            (Stage::Schedule, "-d1 + 4", "-d1 + 3", invalid),
            (Stage::Affine, "arith.subf %0, %1", "arith.subf %1, %0", other),
            (Stage::Affine, "2.500000e+00", "-2.500000e+00", other),
            (Stage::Affine, "-%arg5 + 4", "-%arg5 + 5", outside),
            (Stage::Affine, "= 0 to 5", "= 0 to 4", "read of an uninitialised value"),
            (
                Stage::Affine,
                "affine.store %0, %arg2",
                "affine.store %0, %arg0",
                "write to an input",
            ),
            (Stage::Vector, "arith.subf %0, %1", "arith.subf %1, %0", other),
            (Stage::Vector, "2.500000e+00", "2.000000e+00", other),
            (Stage::Vector, "constant 4 : index", "constant 3 : index", outside),
            (Stage::Vector, "memref.load %arg1", "memref.load %arg0", other),
        ],
    );
}

#[test]
fn faults_in_buffers_and_vectors_are_found_where_they_are() {
    let unwritten = "read of an uninitialised value";
    let outside = "access out of bounds";
    assert_found(
        SORTED,
        &[
            (Stage::Linalg, "outs(%1 : tensor<4x9xf32>)", "outs(%0 : tensor<4x9xf32>)", unwritten),
            (Stage::Linalg, "arith.cmpf olt", "arith.cmpf ogt", "output 0 differs by"),
            (Stage::Schedule, "math.exp", "math.exp2", "output 1 differs by"),
            (
                Stage::Schedule,
                "vector.transfer_read %2[%arg2, %c8_0]",
                "vector.transfer_read %2[%arg2, %c9]",
                outside,
            ),
            (
                Stage::Affine,
                "memref.copy %view_1, %arg2",
                "memref.copy %arg2, %view_1",
                "output 0 differs by",
            ),
            (Stage::Affine, "affine.store %cst, %view[", "affine.store %cst, %arg2[", unwritten),
            (Stage::Affine, "%c8], %0 {in_bounds", "%c9], %0 {in_bounds", outside),
            (Stage::Affine, "arith.minui %arg10, %c8", "arith.minui %arg10, %c9", outside),
            (
                Stage::Vector,
                "memref.copy %view, %arg2",
                "memref.copy %arg2, %view",
                "output 0 differs by",
            ),
            (
                Stage::Vector,
                "vector.load %arg3[%arg5, %c8]",
                "vector.load %arg3[%arg5, %c9]",
                outside,
            ),
            (
                Stage::Vector,
                "arith.cmpf olt, %10, %8 : f32",
                "arith.cmpf oge, %10, %8 : f32",
                "output 0 differs by",
            ),
        ],
    );
}

#[test]
fn faults_in_the_arena_are_found_where_they_are() {
    assert_found(
        TWO,
        &[
            (
                Stage::Affine,
                "constant 128 : index",
                "constant 64 : index",
                "read of an overwritten temporary",
            ),
            (
                Stage::Affine,
                "constant 128 : index",
                "constant 0 : index",
                "read of an overwritten temporary",
            ),
            (Stage::Affine, "constant 128 : index", "constant 192 : index", "access out of bounds"),
            (
                Stage::Affine,
                "affine.store %cst, %view_0[",
                "affine.store %cst, %view[",
                "read of an uninitialised value",
            ),
            (
                Stage::Vector,
                "constant 128 : index",
                "constant 64 : index",
                "read of an overwritten temporary",
            ),
            (Stage::Vector, "memref.load %view_0[", "memref.load %view[", "output 0 differs by"),
        ],
    );
}

#[test]
fn a_fault_in_a_step_names_the_step() {
    let dumps = dumps(TWO);
    let find = |step: &str, from: &str, to: &str| {
        let dump = edited(&dumps, Stage::Affine, Some(step), from, to);
        let found = found(TWO, Some(dump), true).expect("a difference");
        assert_eq!(found.after.step.as_ref().map(|(_, name)| name.as_str()), Some(step));
        found.diagnostic.reason_text().unwrap_or_default().to_owned()
    };
    let reason = find("arena", "constant 128 : index", "constant 32 : index");
    assert!(reason.contains("read of an overwritten temporary"), "{reason}");
    let reason = find("loops", "arith.mulf", "arith.addf");
    assert!(reason.contains("the evaluator has"), "{reason}");
}

#[test]
fn a_step_that_changes_no_bit_is_held_to_it() {
    // Within the tolerance of a sum, but a step that only moves code may not do it.
    let program = "func.func public @main(%x: tensor<7xf32>) -> tensor<7xf32> {
      %c = stablehlo.constant dense<3.0> : tensor<7xf32>
      %0 = stablehlo.multiply %x, %c : tensor<7xf32>
      return %0 : tensor<7xf32>
    }";
    let dumps = dumps(program);
    let steps = Stage::Affine.info().steps();
    let is_last = |name: &&str| steps.last().is_some_and(|step| step.name == *name);
    let step = ["kernels"].into_iter().find(is_last).expect("the last step");
    let dump = edited(&dumps, Stage::Affine, Some(step), "3.000000e+00", "3.0000002");
    let found = found(program, Some(dump), true).expect("a difference");
    let reason = found.diagnostic.reason_text().unwrap_or_default();
    assert!(
        reason.contains("step `kernels`")
            && reason.contains("step `streams` of stage `affine` has"),
        "{reason}"
    );
}

#[test]
fn right_programs_differ_nowhere() {
    for program in [POINTWISE, SORTED, TWO] {
        let found = found(program, None, true);
        assert!(found.is_none(), "{:?}", found.map(|found| found.diagnostic.render()));
    }
}

/// The command: what it prints, what it writes, how it ends; what `S1915` says.
#[test]
fn verify_names_the_stage_of_an_edited_dump() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| place.path().join(name);
    std::fs::write(file("model.mlir"), POINTWISE).expect("written");
    let dump =
        edited(&dumps(POINTWISE), Stage::Affine, None, "arith.subf %0, %1", "arith.subf %1, %0");
    std::fs::write(file("edited.mlir"), &dump.text).expect("written");
    let words = ["verify", "--stages", "model.mlir", "--values", "tame", "--rounds", "1"];
    let words =
        [&words[..], &["--target-cpu", "x86-64-v3", "--dump", "affine=edited.mlir"]].concat();
    let ended = strata(place.path(), &[&words[..], &["--reproducer", "reproducer.mlir"]].concat());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.text().contains("stage `schedule`: equal\n"), "{}", ended.text());
    assert!(ended.text().ends_with("stage `affine`: differs\n"), "{}", ended.text());
    let headline = format!("error[{}]: {}", codes::S1915, codes::S1915.title());
    assert!(ended.stderr.starts_with(&headline), "{}", ended.stderr);
    for name in ["30-schedule.mlir", "40-affine.mlir", "input0.npy", "input1.npy", "mlir"] {
        assert!(file(&format!("reproducer.{name}")).exists(), "reproducer.{name}");
    }
    // What the hint says can be run, and both forms differ.
    let outputs =
        ["schedule reproducer.30-schedule.mlir", "affine reproducer.40-affine.mlir"].map(|dump| {
            let words = format!(
                "eval --from {dump} --input reproducer.input0.npy --input reproducer.input1.npy"
            );
            let ended = strata(place.path(), &words.split(' ').collect::<Vec<_>>());
            assert_eq!(ended.code, 0, "{}", ended.stderr);
            assert!(ended.text().starts_with("output 0: tensor<3x5xf32>\n"), "{}", ended.text());
            ended.stdout
        });
    assert_ne!(outputs[0], outputs[1]);
    std::fs::write(file("edited.mlir"), "module {").expect("written");
    let broken = strata(place.path(), &words);
    assert!(broken.code == 1 && broken.stderr.starts_with("error[S1001]"), "{}", broken.stderr);
    let right = strata(place.path(), &["verify", "--stages", "model.mlir"]);
    assert_eq!(right.code, 0, "{}", right.stderr);
    assert_eq!(right.text().lines().count(), 4 * 6, "{}", right.text());
}

#[test]
fn a_dump_runs_as_its_program_does() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| place.path().join(name);
    std::fs::write(file("model.mlir"), SUM).expect("written");
    let number = |value: f32| value.to_le_bytes();
    let numbers: Vec<u8> = [1.5_f32, -0.25, 7.0].into_iter().flat_map(number).collect();
    std::fs::write(file("a.npy"), npy("<f4", "(3,)", &numbers)).expect("written");
    let compiled =
        ["compile", "model.mlir", "--to", "vector", "-o", "v.mlir", "--dump-stages", "."];
    assert_eq!(strata(place.path(), &compiled).code, 0);
    let inputs = ["--input", "a.npy", "--input", "a.npy"];
    let whole = strata(place.path(), &[&["eval", "model.mlir"][..], &inputs].concat());
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    for (stage, dump) in [
        ("hlo", "10-hlo"),
        ("linalg", "20-linalg"),
        ("schedule", "30-schedule"),
        ("affine", "40-affine"),
        ("vector", "50-vector"),
    ] {
        let dump = format!("{dump}.mlir");
        let words = [&["eval", "--from", stage, &dump][..], &inputs].concat();
        let ended = strata(place.path(), &words);
        assert_eq!((ended.code, &ended.stdout), (0, &whole.stdout), "{stage}: {}", ended.stderr);
    }
    let beyond = strata(place.path(), &["eval", "--from", "llvm", "40-affine.mlir"]);
    assert_eq!(beyond.code, 2, "{}", beyond.stderr);
    let other =
        strata(place.path(), &[&["eval", "--from", "affine", "model.mlir"][..], &inputs].concat());
    assert!(other.stderr.starts_with("error[S0009]"), "{}", other.stderr);
}

#[test]
fn random_programs_differ_at_no_stage() {
    let mut wrong = Vec::new();
    for seed in 0..16 {
        let program = random_program(seed, 8, Values::Tame);
        let settings = Settings::default();
        let levels = Levels { steps: true, dump: None };
        let (text, inputs) = (program.text.as_bytes(), Some(program.inputs));
        let options = options("x86-64-v3");
        match verify_stages("random.mlir", text, &options, &settings, inputs, &levels) {
            Ok(found) => wrong.extend(
                found.difference.map(|found| (seed, found.diagnostic.render(), program.text)),
            ),
            // What the compiler refuses.
            Err(error) if ["S1102", "S1103", "S1201"].contains(&error.code().id()) => {}
            Err(error) => panic!("seed {seed}: {}\n{}", error.render(), program.text),
        }
    }
    let texts =
        wrong.iter().map(|(seed, finding, text)| format!("seed {seed}: {finding}\n{text}\n"));
    assert!(wrong.is_empty(), "{}", texts.collect::<String>());
}

/// MLIR does not allow a slice past the last element, not even an empty one.
#[test]
fn a_pad_of_nothing_can_be_read_back_at_every_step() {
    let program = "func.func public @main(%x: tensor<0x3xf32>) -> tensor<2x3xf32> {
      %z = stablehlo.constant dense<1.5> : tensor<f32>
      %0 = stablehlo.pad %x, %z, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
      %1 = stablehlo.exponential %0 : tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }";
    let found = found(program, None, true);
    assert!(found.is_none(), "{:?}", found.map(|found| found.diagnostic.render()));
}
