//! Portable artifacts: written at every version, read back, damaged, rejected.

use std::fs;
use std::path::{Path, PathBuf};

use num_complex::Complex64;
use strata_eval::{ElementType, Evaluator, Session, Tensor, compare};
use strata_ir::{new_context, print};
use strata_tests::damage::damaged;
use strata_vhlo::{Version, parse, to_vhlo, version_of, write};

use crate::command::{strata_with_input, workspace};

/// Versions at which something changes, and adjacent ones.
const VERSIONS: &[&str] = &[
    "0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.15.0", "0.20.0", "1.0.0", "1.1.0", "1.4.1", "1.5.0",
    "1.6.0", "1.8.0", "1.9.0", "1.10.0", "1.11.0", "1.12.0", "1.17.0", "1.18.0", "1.20.0",
];

/// What every version can say, with regions, constants, calls and attributes of all kinds.
const OLD: &str = r#"
module @old attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<2x3xf32> {jax.name = "x"}, %n: tensor<i32>)
      -> (tensor<2xf32> {jax.result_info = ""}, tensor<4xi1>) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %mask = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
    %all = stablehlo.constant dense<true> : tensor<4xi1>
    %wide = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi64>
    %c = stablehlo.constant dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>
    %t = stablehlo.tanh %x {note = {a = [1 : i32, "two"], b = true}} : tensor<2x3xf32>
    %e = stablehlo.exponential %t : tensor<2x3xf32>
    %r = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %s:2 = stablehlo.while(%i = %n, %a = %r) : tensor<i32>, tensor<2xf32>
      cond {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %0 = stablehlo.compare LT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %0 : tensor<i1>
      } do {
        %0 = stablehlo.add %i, %i : tensor<i32>
        %1 = func.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
        stablehlo.return %0, %1 : tensor<i32>, tensor<2xf32>
      }
    %d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT]
      : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    %g = "stablehlo.gather"(%x, %wide) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<3x3xf32>
    %p = stablehlo.pad %x, %zero, low = [0, 1], high = [1, 0], interior = [0, 0]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>
    %call = stablehlo.custom_call @foo(%x) {
      backend_config = "opaque", has_side_effect = true,
      operand_layouts = [dense<[1, 0]> : tensor<2xindex>],
      result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %and = stablehlo.and %mask, %all : tensor<4xi1>
    return %s#1, %and : tensor<2xf32>, tensor<4xi1>
  }
  func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"#;

/// One operation, the first version that has it, and what the refusal must say.
const NEW: &[(&str, &str, &str)] = &[
    ("%0 = stablehlo.tan %x : tensor<4xf32>", "1.4.0", "stablehlo.tan"),
    (
        "%0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, \
         mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>",
        "1.9.0",
        "result_accuracy",
    ),
    ("%0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf8E4M3FNUZ>", "0.10.0", "f8E4M3FNUZ"),
    ("%0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi2>", "1.2.0", "i2"),
    (
        "%0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {a = 1 : i32}} \
         : (tensor<4xf32>) -> tensor<4xf32>",
        "1.3.0",
        "typed call",
    ),
    (
        "%0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], \
         algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, \
         accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, \
         num_primitive_operations = 1, allow_imprecise_accumulation = false> \
         : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
        "1.6.0",
        "stablehlo.dot_general",
    ),
    (
        "%0 = \"stablehlo.gather\"(%i, %x2) <{dimension_numbers = #stablehlo.gather<\
         operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], \
         collapsed_slice_dims = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> \
         : (tensor<4x5xf32>, tensor<4x1xi32>) -> tensor<4xf32>",
        "1.1.0",
        "batching_dims",
    ),
];

fn text(bytes: &[u8]) -> String {
    let context = new_context();
    let module = parse(&context, "test", bytes).unwrap_or_else(|errors| panic!("{errors}"));
    print(&module, false)
}

fn artifact(program: &str, version: Version) -> Result<Vec<u8>, strata_diag::Diagnostic> {
    let context = new_context();
    let module = parse(&context, "test.mlir", program.as_bytes())
        .unwrap_or_else(|errors| panic!("{errors}\n{program}"));
    write(&context, &module, version)
}

#[test]
fn every_version_reads_back_as_it_was() {
    let before = text(OLD.as_bytes());
    for version in VERSIONS {
        let version: Version = version.parse().expect("a version");
        let bytes = artifact(OLD, version).unwrap_or_else(|error| panic!("{version}: {error}"));
        assert_eq!(version_of(&bytes), Some(version));
        assert_eq!(text(&bytes), before, "{version}");
        assert_eq!(artifact(OLD, version).expect("again"), bytes, "{version} is deterministic");
    }
}

#[test]
fn what_a_version_lacks_is_refused_with_its_place() {
    for (line, since, named) in NEW {
        let program = format!(
            "func.func @main(%x: tensor<4xf32>, %i: tensor<4x5xf32>, %x2: tensor<4x1xi32>) {{\n\
             {line}\nreturn\n}}"
        );
        let since: Version = since.parse().expect("a version");
        let before = text(program.as_bytes());
        let bytes = artifact(&program, since).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(text(&bytes), before);
        let older = Version::new(since.major, since.minor - 1, 0);
        let error = artifact(&program, older).expect_err(line);
        assert_eq!(error.code().id(), "S1013", "{line}");
        let message = error.to_string();
        assert!(message.contains(named), "{line}: {message}");
        assert!(message.contains(&since.to_string()), "{line}: {message}");
        assert_eq!(error.location().map(|place| place.line), Some(2), "{line}");
    }
}

#[test]
fn the_text_form_reads_back_at_every_version() {
    let before = text(OLD.as_bytes());
    for version in VERSIONS {
        let context = new_context();
        let module = parse(&context, "old.mlir", OLD.as_bytes()).expect("parses");
        let versioned =
            to_vhlo(&context, &module, version.parse().expect("a version")).expect("written");
        let printed = print(&versioned, false);
        assert!(printed.contains("vhlo.func_v1 @main("), "{printed}");
        assert_eq!(text(printed.as_bytes()), before, "{version}:\n{printed}");
    }
}

/// Shardings speak of tensors, which an artifact's own types are not.
#[test]
fn shardings_read_back_as_they_were() {
    let program = r#"
module @sharded {
  sdy.mesh @mesh = <["a"=2]>
  func.func public @main(%x: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<4x3xf32> {
    %0 = stablehlo.custom_call @f(%x) {
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>,
      sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=3}, custom>}
      : (tensor<4x3xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
"#;
    let before = text(program.as_bytes());
    assert!(before.contains("sdy.sharding_rule"), "{before}");
    for version in ["1.11.0", "1.17.0", "1.20.0"] {
        let bytes = artifact(program, version.parse().expect("a version"));
        let bytes = bytes.unwrap_or_else(|error| panic!("{version}: {error}"));
        assert_eq!(text(&bytes), before, "{version}");
    }
}

#[test]
fn newer_and_older_versions_are_named() {
    let context = new_context();
    for version in ["2.0.0", "1.21.0", "0.8.0"] {
        let bytes = [b"ML\xefR\x0dStableHLO_v", version.as_bytes(), b"\0"].concat();
        let errors = parse(&context, "a.mlirbc", &bytes).expect_err(version);
        let message = errors.to_string();
        assert!(message.contains(version) && message.contains("1.20.0"), "{message}");
        assert!(message.contains("S1012"), "{message}");
    }
}

#[test]
fn unknown_numbers_and_names_are_refused() {
    let context = new_context();
    let bytes = artifact("func.func @main() { return }", Version::NEWEST).expect("written");
    // The name of an operation that no version has.
    let at = bytes.windows(9).position(|part| part == b"return_v1").expect("the name");
    let mut renamed = bytes.clone();
    renamed[at..at + 9].copy_from_slice(b"return_v9");
    let message = parse(&context, "a.mlirbc", &renamed).expect_err("refused").to_string();
    assert!(message.contains("return_v9"), "{message}");
    for text in [
        "func.func private @f(!vhlo.f99_v1)",
        "module attributes {a = #vhlo.nothing_v1<1>} {}",
        "module attributes {a = #vhlo<precision_v1 LOW>} {}",
        "module attributes {a = #vhlo.tensor_v1<1 : i32>} {}",
        "\"vhlo.abs_v1\"() : () -> ()",
    ] {
        let message = parse(&context, "a.mlir", text.as_bytes()).expect_err(text).to_string();
        assert!(message.contains("error[S10") || message.contains("S10"), "{text}: {message}");
    }
}

#[test]
fn every_cut_is_refused() {
    let bytes = artifact(OLD, Version::NEWEST).expect("written");
    let context = new_context();
    for length in (0..bytes.len()).step_by(7) {
        assert!(parse(&context, "cut.mlirbc", &bytes[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn chlo_is_written_as_what_every_version_has() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let program = |line: &str| {
        let result = line.rsplit("-> ").next().unwrap_or_default();
        let (name, ty) = match line.starts_with("%0:2") {
            true => ("%0#0", "tensor<2x2xf32>"),
            false => ("%0", result),
        };
        format!(
            "func.func public @main(%x: tensor<3xf32>, %y: tensor<2x3xf32>, %z: tensor<3xcomplex<f32>>) -> {ty} {{\n\
             {line}\nreturn {name} : {ty}\n}}"
        )
    };
    for (line, becomes) in [
        ("%0 = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>", "custom_call @mhlo.erf(%arg0)"),
        (
            "%0:2 = chlo.top_k(%y, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)",
            "custom_call @mhlo.topk(%arg1) {mhlo.attributes = {k = 2 : i64}, mhlo.version = 1 : i64}",
        ),
        ("%0 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>", "stablehlo.multiply %arg0, %arg0"),
        ("%0 = chlo.atan %x : tensor<3xf32> -> tensor<3xf32>", "stablehlo.atan2 %arg0"),
        (
            "%0 = chlo.conj %z : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>",
            "stablehlo.complex",
        ),
        (
            "%0 = chlo.broadcast_add %y, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
            "stablehlo.add",
        ),
    ] {
        let arguments = ["translate", "-", "--to", "artifact@0.9.0", "-o", "a.mlirbc"];
        strata_with_input(here.path(), &arguments, program(line).as_bytes()).succeeded();
        let bytes = fs::read(here.path().join("a.mlirbc")).expect("an artifact");
        let read = text(&bytes);
        assert!(read.contains(becomes) && !read.contains("chlo."), "{line}: {read}");
    }
    // A shape that is not known has no constants of its size.
    let program = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n\
                   %0 = chlo.lgamma %x : tensor<?xf32> -> tensor<?xf32>\nreturn %0 : tensor<?xf32>\n}";
    let arguments = ["translate", "-", "--to", "artifact", "-o", "b.mlirbc"];
    let ended = strata_with_input(here.path(), &arguments, program.as_bytes());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let names = ended.stderr.contains("S1013") && ended.stderr.contains("chlo.lgamma");
    assert!(names, "{}", ended.stderr);
}

/// Operations that artifacts can store neither directly nor as a call, and the tolerance of their formulas in units in the
/// last place.
#[test]
fn special_functions_are_written_as_formulas() {
    const REAL: [&str; 4] = ["f64", "f32", "f16", "f8E4M3FN"];
    const COMPLEX: [&str; 2] = ["complex<f64>", "complex<f32>"];
    let here = tempfile::tempdir().expect("a temporary folder");
    for (name, arity, elements, ulp) in [
        ("bessel_i1e", 1, &REAL[..], 16),
        ("digamma", 1, &REAL, 256),
        ("erf_inv", 1, &REAL, 8),
        ("erfc", 1, &REAL, 16),
        ("lgamma", 1, &REAL, 64),
        ("next_after", 2, &REAL, 0),
        ("polygamma", 2, &REAL[..2], 64),
        ("zeta", 2, &REAL[..2], 64),
        ("_asin_acos_kernel", 1, &COMPLEX, 8),
        ("atan", 1, &COMPLEX, 8),
        ("square", 1, &COMPLEX, 0),
    ] {
        for element in elements {
            let ty = format!("tensor<9x{element}>");
            let (operands, types) =
                if arity == 1 { ("%x", ty.clone()) } else { ("%x, %y", format!("{ty}, {ty}")) };
            let program = format!(
                "func.func public @main(%x: {ty}, %y: {ty}) -> {ty} {{\n\
                 %0 = \"chlo.{name}\"({operands}) : ({types}) -> {ty}\nreturn %0 : {ty}\n}}"
            );
            let arguments = ["translate", "-", "--to", "artifact@0.17.0", "-o", "a.mlirbc"];
            strata_with_input(here.path(), &arguments, program.as_bytes()).succeeded();
            let bytes = fs::read(here.path().join("a.mlirbc")).expect("an artifact");
            assert!(!text(&bytes).contains("chlo.") && !text(&bytes).contains("custom_call"));
            let (expected, found) =
                (evaluated(program.as_bytes(), element), evaluated(&bytes, element));
            compare::close(&found, &expected, 0, ulp)
                .unwrap_or_else(|error| panic!("{name} of {element}: {error}"));
        }
    }
}

/// What a program of two arguments of nine elements computes from numbers on both sides of every special point of the
/// functions.
fn evaluated(program: &[u8], element: &str) -> Tensor {
    let context = new_context();
    let module = parse(&context, "program", program).expect("parses");
    let evaluator = Evaluator::new(&module).expect("can be evaluated");
    let ty = ElementType::parse(element).expect("an element type");
    let values = [
        [1.0, 0.25, -0.5, 2.5, 9.0, 0.0, -2.25, f64::INFINITY, f64::NAN],
        [1.0, 3.0, 0.75, 2.0, 40.0, -0.0, 0.5, 1.0, 2.0],
    ];
    let tensors: Vec<_> = values
        .iter()
        .map(|values| match ty {
            ElementType::Complex(_) => {
                let rotated = values.iter().zip(values[1..].iter().chain(&values[..1]));
                let values: Vec<_> = rotated.map(|(re, im)| Complex64::new(*re, *im)).collect();
                Tensor::of_complexes(&[9], ty, &values)
            }
            _ => Tensor::of_floats(&[9], ty, values),
        })
        .collect();
    let mut outputs = evaluator.run(None, &tensors, &Session::new(0)).expect("evaluates");
    outputs.pop().expect("an output")
}

#[test]
fn what_tensorflow_leaves_of_mhlo_is_read() {
    let read = text(
        b"func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n\
          %0 = mhlo.copy %x : tensor<3xf32>\n\
          %1 = mhlo.erf %0 {cross = 1 : i32} : tensor<3xf32>\nreturn %1 : tensor<3xf32>\n}",
    );
    assert!(read.contains("chlo.erf %arg0") && !read.contains("mhlo"), "{read}");
    let context = new_context();
    for wrong in
        ["mhlo.copy %x : tensor<4xf32>", "\"mhlo.fusion\"(%x) : (tensor<3xf32>) -> tensor<3xf32>"]
    {
        let program = format!("func.func @main(%x: tensor<3xf32>) {{\n%0 = {wrong}\nreturn\n}}");
        assert!(parse(&context, "wrong.mlir", program.as_bytes()).is_err(), "{wrong}");
    }
}

/// The first few of what `scripts/fuzz.sh artifacts` reads.
#[test]
fn damaged_artifacts_are_read_or_refused() {
    let versions = ["0.9.0", "0.14.0", "1.8.0", "1.20.0"];
    let version = |text: &str| text.parse().expect("a version");
    let files = versions.map(|text| artifact(OLD, version(text)).expect("written"));
    let (mut read, mut refused) = (0, 0);
    for number in 0..300 {
        let bytes = damaged(&files, number);
        let context = new_context();
        match parse(&context, "damaged.mlirbc", &bytes) {
            // What was read is a program: it can be written again.
            Ok(module) => {
                read += 1;
                let _ = write(&context, &module, Version::NEWEST);
            }
            Err(_) => refused += 1,
        }
    }
    // Few bytes say nothing.
    assert!(read > 0 && refused > read, "{read} read, {refused} refused");
}

/// The shared files, where they are.
fn shared() -> Option<PathBuf> {
    let folder = workspace().join("../shared/conformance/vhlo");
    folder.is_dir().then_some(folder)
}

#[test]
fn shared_artifacts_are_the_programs_beside_them() {
    let Some(folder) = shared() else { return };
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bc"))
        .collect();
    files.sort();
    for file in files {
        let program = fs::read(file.with_extension("")).expect("the program beside it");
        let bytes = fs::read(&file).expect("an artifact");
        assert_eq!(text(&bytes), text(&program), "{}", file.display());
        rewritten(&file, &bytes);
    }
}

/// Written again for its own version, an artifact reads as before.
fn rewritten(file: &Path, bytes: &[u8]) {
    let Some(version) = version_of(bytes) else { panic!("{} has no version", file.display()) };
    let context = new_context();
    let module = parse(&context, "artifact", bytes).expect("parses");
    let again = write(&context, &module, version)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_eq!(text(&again), print(&module, false), "{}", file.display());
}
