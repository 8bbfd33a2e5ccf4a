//! `strata verify --stages` of programs with open sizes: each version that a call runs, in the form of every stage, and the module of all.

use std::{fs, path::Path, time::Duration};

use strata::{Compiler, Observer, Options, Product, Stage, StageInfo};
use strata_diag::codes;
use strata_eval::{Tensor, Values};
use strata_verify::{
    Difference, Dump, FormOutcome, Levels, Settings, StageVerification, random_inputs,
    verify_stages,
};

use super::bound;
use crate::{
    arrays::npy,
    command::{strata, workspace},
    harness,
};

/// Rows that are zero do not sum to zero here, so that what is beyond the sizes shows.
const SUMS: &str = "func.func public @main(%x: tensor<?x?xf32> loc(\"x\"), %w: tensor<?x16xf32> loc(\"w\")) -> (tensor<?x16xf32>, tensor<16xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  %1 = stablehlo.exponential %0 : tensor<?x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0, %2 : tensor<?x16xf32>, tensor<16xf32>
}";

/// Rows apart.
const ROWS: &str = "func.func public @main(%x: tensor<?x4xf32> loc(\"x\"), %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %1 = stablehlo.exponential %0 : tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}";

/// The options of an object for any number of rows, and for sizes up to these.
fn open(bounds: &str) -> Options {
    let max = bound(bounds).bind;
    Options { open: true, max, ..harness::options("x86-64-v3") }
}

/// Inputs of these sizes.
fn inputs(program: &str, sizes: &str) -> Vec<Tensor> {
    random_inputs("program.mlir", program.as_bytes(), &bound(sizes), Values::Tame, 7).unwrap()
}

fn verified(
    program: &str,
    bounds: &str,
    inputs: Option<Vec<Tensor>>,
    levels: &Levels,
) -> StageVerification {
    let settings = Settings { rounds: 2, values: Some(Values::Tame), ..Settings::default() };
    let (text, options) = (program.as_bytes(), open(bounds));
    let found = verify_stages("program.mlir", text, &options, &settings, inputs, levels);
    found.unwrap_or_else(|error| panic!("{}", error.render()))
}

/// Programs of `tests/sizes`, with their bounds: no stage nor step changes what they compute.
#[rstest::rstest]
#[case::bounds("bounded_layers", "x.0=71,x.1=20")]
#[case::rows("rows_layers", "")]
#[case::strided_rows("rows_strided", "")]
#[case::rows_beside_bounds("gathered_rows", "x.0=40,i.0=70")]
#[case::in_place("even_columns", "x.0=20,y.0=33")]
#[case::ends("kept_zeros", "x.1=130")]
#[case::backwards("carried_rows", "x.0=4,x.1=21")]
#[case::products("open_products", "x.0=130")]
#[case::orders("masked_order", "x.0=17,x.1=9")]
fn versions_differ_at_no_stage(#[case] name: &str, #[case] bounds: &str) {
    let program = fs::read_to_string(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
    let found = verified(&program, bounds, None, &Levels { steps: true, dump: None });
    assert!(found.difference.is_none(), "{}", found.difference.unwrap().diagnostic.render());
    let is_reported = |form: &str| found.reports.iter().any(|report| report.form == form);
    assert!(is_reported("stage `vector`") && is_reported("stage `obj`"));
    for stage in ["hlo", "linalg", "schedule", "affine", "vector"] {
        let of_version = format!("stage `{stage}` of version `");
        let mut reports = found.reports.iter();
        assert!(reports.any(|report| report.form.starts_with(&of_version)), "{stage}");
    }
    for report in &found.reports {
        match &report.outcome {
            FormOutcome::Agrees(_) => {}
            FormOutcome::NotRun(why) => {
                let is_between = |step: &str| report.form.starts_with(&format!("step `{step}` of"));
                let between = ["rests", "in-place"];
                assert!(between.into_iter().any(is_between), "{}: {why}", report.form);
            }
            FormOutcome::Differs => panic!("{}", report.form),
        }
    }
}

/// The dumps of the versions of a program: version, stage, step and text.
#[derive(Default)]
struct Dumps {
    version: String,
    all: Vec<(String, Stage, Option<String>, String)>,
}

impl Observer for Dumps {
    fn part_started(&mut self, name: &str) {
        name.clone_into(&mut self.version);
    }

    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, _: Duration) {
        let text = product.text().unwrap_or_default();
        self.all.push((self.version.clone(), info.stage, None, text));
    }

    fn step_finished(
        &mut self,
        info: &StageInfo,
        _: usize,
        name: &str,
        product: &Product<'_, '_>,
        _: Duration,
    ) {
        let text = product.text().unwrap_or_default();
        self.all.push((self.version.clone(), info.stage, Some(name.to_owned()), text));
    }
}

fn dumps(program: &str, bounds: &str) -> Dumps {
    let mut dumps = Dumps::default();
    let compiler = Compiler::new(open(bounds)).to(Stage::Vector).observe(&mut dumps);
    compiler.compile("program.mlir", program.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    dumps
}

impl Dumps {
    /// One with each `from` in it changed.
    #[track_caller]
    fn edited(
        &self,
        version: &str,
        (stage, step): (Stage, Option<&str>),
        (from, to): (&str, &str),
    ) -> Dump {
        let mut all = self.all.iter();
        let own = all.find(|(of, at, number, _)| {
            (of.as_str(), *at, number.as_deref()) == (version, stage, step)
        });
        let text = &own.expect("the dump").3;
        assert!(text.contains(from), "nothing to edit at stage {stage}: `{from}` in\n{text}");
        let (text, step) = (text.replace(from, to).into_bytes(), step.map(str::to_owned));
        Dump { stage, step, name: "edited.mlir".to_owned(), text }
    }
}

/// What is found where a fault is put into a dump, called with these sizes.
#[track_caller]
fn found(program: &str, bounds: &str, sizes: &str, dump: Dump) -> Difference {
    let levels = Levels { steps: dump.step.is_some(), dump: Some(dump) };
    let found = verified(program, bounds, Some(inputs(program, sizes)), &levels);
    let reports: Vec<_> = found.reports.iter().map(|report| report.form.as_str()).collect();
    found.difference.unwrap_or_else(|| panic!("no difference at {}", reports.join(", ")))
}

#[test]
fn faults_are_found_in_the_version_and_at_the_stage_that_has_them() {
    let version = "x.0=20,x.1=20";
    let dumps = dumps(SUMS, version);
    let (sums, products) = ("output 1 differs by", "output 0 differs by");
    let unwritten = "read of an uninitialised value (S1921): output 1 depends on it at [0]";
    for (stage, from, to, finds) in [
        (Stage::Hlo, "compare LT", "compare GE", sums),
        (Stage::Linalg, "arith.cmpi slt", "arith.cmpi sge", sums),
        (Stage::Schedule, "arith.cmpi slt", "arith.cmpi sge", sums),
        (Stage::Affine, "arith.cmpi slt", "arith.cmpi sge", unwritten),
        // A row beyond the size, which is never computed.
        (Stage::Affine, "arith.cmpi slt", "arith.cmpi sle", unwritten),
        // The sums of a product end too early, and rows that are summed later.
        (Stage::Affine, "arith.minsi %c20, %11", "arith.minsi %c1, %11", products),
        (Stage::Affine, "arith.minsi %c20, %3", "arith.minsi %c1, %3", unwritten),
        (Stage::Vector, "arith.minsi %7, %c20", "arith.minsi %7, %c1", products),
    ] {
        let dump = dumps.edited(version, (stage, None), (from, to));
        let found = found(SUMS, version, "x.0=3,x.1=5", dump);
        let reason = found.diagnostic.reason_text().unwrap_or_default();
        let wanted = format!(
            "stage `{stage}` of version `{version}` is the first that differs: with x.0=3,x.1=5, {finds}"
        );
        assert!(reason.starts_with(&wanted), "{from}: {reason}");
        assert_eq!(found.diagnostic.code(), codes::S1915);
        assert!(found.before.stage < stage && found.inputs[0].shape() == [3, 5]);
    }
    let edit = ("arith.cmpi slt", "arith.cmpi sle");
    let dump = dumps.edited(version, (Stage::Affine, Some("limits")), edit);
    let reason = found(SUMS, version, "x.0=3,x.1=5", dump).diagnostic;
    let reason = reason.reason_text().unwrap_or_default();
    assert!(reason.starts_with("step `limits` of stage `affine` of version `x.0=20"), "{reason}");
    // The entry copies to an input.
    let edit = ("memref.copy %view_9, %view_10", "memref.copy %view_10, %view_9");
    let dump = dumps.edited("", (Stage::Vector, None), edit);
    let reason = found(SUMS, version, "x.0=3,x.1=5", dump).diagnostic;
    let reason = reason.reason_text().unwrap_or_default();
    let wanted = "stage `vector` is the first that differs: with x.0=3,x.1=5, write to an input";
    assert!(reason.starts_with(wanted), "{reason}");
}

/// Seven rows are four and three.
#[test]
fn faults_are_found_in_the_rows_that_a_version_computes() {
    let dumps = dumps(ROWS, "");
    for (version, rows) in [("4", "rows 0 to 3"), ("3", "rows 4 to 6")] {
        let version = format!("x.0={version}");
        let dump = dumps.edited(&version, (Stage::Affine, None), ("math.exp ", "math.exp2 "));
        let found = found(ROWS, "", "x.0=7", dump);
        let reason = found.diagnostic.reason_text().unwrap_or_default();
        let wanted = format!(
            "stage `affine` of version `{version}` is the first that differs: with x.0=7, output 0 of {rows} differs by"
        );
        assert!(reason.starts_with(&wanted), "{reason}");
    }
    let other = dumps.edited("x.0=8", (Stage::Affine, None), ("math.exp ", "math.exp2 "));
    let levels = Levels { steps: false, dump: Some(other) };
    let found = verified(ROWS, "", Some(inputs(ROWS, "x.0=7")), &levels);
    assert!(found.difference.is_none(), "no rows are computed by it");
}

/// What the object refuses is not run.
#[test]
fn sizes_above_bounds_are_refused() {
    let settings = Settings::default();
    let large = Some(inputs(SUMS, "x.0=3,x.1=21"));
    let (options, levels) = (open("x.0=20,x.1=20"), Levels::default());
    let found = verify_stages("p.mlir", SUMS.as_bytes(), &options, &settings, large, &levels);
    let error = found.expect_err("above the bound");
    assert_eq!(error.code(), codes::S1106);
    assert!(error.reason_text().is_some_and(|why| why.ends_with("x.1 = 21 is above the bound 20")));
}

/// The command: what it prints and writes, and what its hint says.
#[test]
fn verify_names_the_version_of_an_edited_dump() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| place.path().join(name);
    let version = "x.0=20,x.1=20";
    let edit = ("arith.minsi %c20, %11", "arith.minsi %c1, %11");
    let dump = dumps(SUMS, version).edited(version, (Stage::Affine, None), edit);
    fs::write(file("model.mlir"), SUMS).expect("written");
    fs::write(file("edited.mlir"), &dump.text).expect("written");
    let words = ["verify", "--stages", "model.mlir", "--values", "tame", "--rounds", "1", "--max"];
    let words = [&words[..], &[version, "--target-cpu", "x86-64-v3"]].concat();
    let right = strata(place.path(), &words).succeeded();
    assert_eq!(right.text().lines().count(), 7, "{}", right.text());
    let edited = ["--dump", "affine=edited.mlir", "--reproducer", "reproducer.mlir"];
    let ended = strata(place.path(), &[&words[..], &edited].concat());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error[S1915]"), "{}", ended.stderr);
    let last = format!("stage `affine` of version `{version}`: differs\n");
    assert!(ended.text().ends_with(&last), "{}", ended.text());
    let outputs = |dump: &str| {
        let [first, second] = ["0", "1"].map(|at| format!("reproducer.input{at}.npy"));
        let words = format!("eval --from {dump} --input {first} --input {second}");
        let words: Vec<_> = words.split(' ').collect();
        strata(place.path(), &words).succeeded().stdout
    };
    let before = outputs("schedule reproducer.30-schedule.mlir");
    assert_ne!(outputs("affine reproducer.40-affine.mlir"), before);
    // Dumps of a program of other sizes are of no version.
    let other = dumps(SUMS, "x.0=9,x.1=9").edited(
        "x.0=9,x.1=9",
        (Stage::Affine, None),
        ("module", "module"),
    );
    fs::write(file("edited.mlir"), &other.text).expect("written");
    let ended = strata(place.path(), &[&words[..], &edited].concat());
    assert!(ended.stderr.starts_with("error[S0001]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("the dump is of no version"), "{}", ended.stderr);
}

/// Dumps are run on the arrays of a call, and on those of their own buffers with the values of symbols.
#[test]
fn dumps_of_versions_take_arrays_of_a_call() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, ty: &str, shape: &str, bytes: &[u8]| {
        fs::write(place.path().join(name), npy(ty, shape, bytes)).expect("written");
    };
    let floats =
        |numbers: &[f32]| numbers.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<_>>();
    let program = "func.func public @main(%x: tensor<?xf32> loc(\"x\")) -> tensor<f32> {
      %0 = stablehlo.exponential %x : tensor<?xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }";
    fs::write(place.path().join("model.mlir"), program).expect("written");
    let compile = ["compile", "model.mlir", "--max", "x.0=100", "--dump-stages", "."];
    strata(place.path(), &compile).succeeded();
    let values: Vec<f32> = (0..100).map(|at| if at < 37 { at as f32 / 8.0 } else { 0.0 }).collect();
    write("call.npy", "<f4", "(37,)", &floats(&values[..37]));
    write("size.npy", "<i8", "()", &37_i64.to_le_bytes());
    let whole = strata(place.path(), &["eval", "model.mlir", "--input", "call.npy"]).succeeded();
    let sum = whole.text().lines().nth(1).and_then(|line| line.parse::<f32>().ok()).expect("a sum");
    let versions = fs::read_dir(place.path()).expect("a folder").filter_map(Result::ok);
    let folders = versions.filter(|one| one.path().is_dir()).map(|one| one.path());
    let size = |folder: &Path| folder.to_string_lossy().split("x.0=").last()?.parse::<usize>().ok();
    let mut own: Vec<_> = folders.filter(|one| size(one).is_some_and(|size| size >= 37)).collect();
    own.sort_by_key(|one| size(one));
    let folder = own.first().expect("the version for this size");
    let buffer = fs::read_to_string(folder.join("20-linalg.mlir")).expect("a dump");
    let buffer = buffer.split("%arg0: tensor<").nth(1).and_then(|rest| rest.split('x').next());
    let buffer: usize = buffer.expect("its input").parse().expect("a size");
    let padded = [&values[..37], &vec![0.0; buffer - 37]].concat();
    write("whole.npy", "<f4", &format!("({buffer},)"), &floats(&padded));
    for (stage, name) in [
        ("hlo", "10-hlo"),
        ("linalg", "20-linalg"),
        ("schedule", "30-schedule"),
        ("affine", "40-affine"),
        ("vector", "50-vector"),
    ] {
        let dump = folder.join(format!("{name}.mlir"));
        let dump = dump.to_str().expect("a name");
        for inputs in [&["call.npy"][..], &["whole.npy", "size.npy"]] {
            let mut words = vec!["eval", "--from", stage, dump];
            inputs.iter().for_each(|input| words.extend(["--input", *input]));
            let ended = strata(place.path(), &words).succeeded();
            let own = ended.text().lines().nth(1).and_then(|line| line.parse::<f32>().ok());
            assert!(
                own.is_some_and(|own| (own / sum - 1.0).abs() < 1e-5),
                "{stage}: {own:?} {sum}"
            );
        }
    }
}
