//! The module of all specialisations of a program: it is run by the interpreter, and its dump is compiled further.

use std::fs;

use strata::{Compiler, Options, Stage};
use strata_eval::{Evaluator, Session, Values};
use strata_interpreter::Program;
use strata_ir::{TensorSpec, new_context};
use strata_verify::{random_inputs, shapes_of};

use super::bound;
use crate::{
    command::{strata, workspace},
    harness,
};

/// The text of a program's module after stage `vector`, for sizes up to bounds.
fn dump(name: &str, program: &[u8], bounds: &str) -> String {
    dump_beside(name, program, bounds, "")
}

/// The same with code for some sizes.
fn dump_beside(name: &str, program: &[u8], bounds: &str, sizes: &str) -> String {
    let (max, specialize) = (bound(bounds).bind, bound(sizes).bind);
    let options = Options { open: true, max, specialize, ..harness::options("x86-64-v3") };
    let artifact = Compiler::new(options).to(Stage::Vector).compile(name, program);
    let artifact = artifact.unwrap_or_else(|errors| panic!("{name}: {errors}"));
    String::from_utf8(artifact.bytes().to_vec()).expect("text")
}

/// Runs a dump for each of these sizes, and compares with the evaluator.
fn interpret(name: &str, bounds: &str, all: &[&str]) {
    let program = fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
    let text = dump(name, &program, bounds);
    let context = new_context();
    let module = strata_ir::parse(&context, "dump.mlir", text.as_bytes()).expect("parses");
    let compiled = Program::new(&module).unwrap_or_else(|error| panic!("{}", error.render()));
    let read = strata_vhlo::parse(&context, name, &program).expect("read");
    let evaluator = Evaluator::new(&read).expect("evaluated");
    for sizes in all {
        let what = format!("{name}, {sizes}");
        let inputs = random_inputs(name, &program, &bound(sizes), Values::Tame, 7).expect("inputs");
        let expected = evaluator.run(None, &inputs, &Session::new(0)).expect("evaluated");
        let given = inputs.iter().zip(&compiled.signature().inputs).map(|(input, spec)| {
            let shape = input.shape().iter().map(|size| *size as u64).collect();
            TensorSpec { shape, ..spec.clone() }
        });
        let signature = compiled.signature_of(&given.collect::<Vec<_>>()).expect("sizes");
        let shapes =
            signature.outputs.iter().map(|spec| spec.shape.iter().map(|size| *size as i64));
        let shapes: Vec<Vec<i64>> = shapes.map(Iterator::collect).collect();
        assert_eq!(shapes, shapes_of(&expected), "{what}");
        let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let found = compiled.run_as(&signature, &bytes);
        let found = found.unwrap_or_else(|error| panic!("{what}: {}", error.render()));
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            harness::assert_close_f32(found, expected.bytes(), 1e-4, &format!("{what}, {index}"));
        }
    }
}

#[test]
fn parts_of_a_batch_are_interpreted() {
    // 7 examples are 4, 2 and 1; each is a part of rows that are not contiguous.
    interpret("rows_strided", "", &["x.1=0", "x.1=1", "x.1=7", "x.1=17"]);
    interpret("rows_layers", "", &["x.0=1", "x.0=5"]);
}

#[test]
fn copies_up_to_bounds_are_interpreted() {
    let sizes = ["x.0=5,x.1=1", "x.0=1,x.1=9", "x.0=3,x.1=13", "x.0=17,x.1=20"];
    interpret("bounded_layers", "x.0=20,x.1=20", &sizes);
}

#[test]
fn what_functions_take_in_place_is_interpreted() {
    interpret("in_place_columns", "x.0=20", &["x.0=1", "x.0=9", "x.0=13", "x.0=20"]);
}

/// Between two sizes with code of their own nothing is copied, so that no workspace is needed.
#[test]
fn tensors_of_a_call_are_used_in_place() {
    let program = "func.func public @main(%x: tensor<64x?xf32> loc(\"x\"), %y: tensor<64xf32>) -> tensor<64x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xf32>) -> tensor<i32>
      %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %rows = stablehlo.constant dense<64> : tensor<1xi32>
      %shape = stablehlo.concatenate %rows, %size, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %each = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [0] : (tensor<64xf32>, tensor<2xi32>) -> tensor<64x?xf32>
      %0 = stablehlo.add %x, %each : tensor<64x?xf32>
      return %0 : tensor<64x?xf32>
    }";
    let options =
        Options { open: true, max: bound("x.1=128").bind, ..harness::options("x86-64-v3") };
    let artifact = Compiler::new(options).compile("add", program.as_bytes()).expect("compiles");
    let loaded = harness::Loaded::new(&artifact);
    for size in [2, 9, 17, 100, 127, 128] {
        assert_eq!(loaded.open_workspace_size(&[size]), 0, "{size}");
    }
    let text = dump("add", program.as_bytes(), "x.1=128");
    let open = "(%arg0: memref<?xi8>, %arg1: memref<64xf32>, %arg2: memref<i64>, %arg3: memref<?xi8>, %arg4: memref<0xi8>)";
    assert!(
        text.contains(&format!("@main.127{open} attributes {{strata.in_place = array<i64: 0, 3>")),
        "{text}"
    );
    // Called with this size only.
    assert!(text.contains("@main.128(%arg0: memref<64x128xf32>"), "{text}");
}

/// A function that is called with the sizes of its buffers only is called by the entry, which copies nothing and has nothing to save; the
/// smallest size is one of these where the program does not take 0.
#[test]
fn functions_for_one_size_are_called_directly() {
    let reversed = |condition: &str| {
        format!(
            "func.func public @main(%x: tensor<64x?xf32> loc(\"x\")) -> tensor<64x?xf32> {{
              {condition}
              %0 = stablehlo.reverse %x, dims = [1] : tensor<64x?xf32>
              return %0 : tensor<64x?xf32>
            }}"
        )
    };
    let entry = |text: &str, name: &str| {
        let start = text
            .find(&format!("func.func @{name}("))
            .or_else(|| text.find(&format!("func.func private @{name}(")));
        let start = start.unwrap_or_else(|| panic!("no {name}: {text}"));
        text[start..].split("\n  }\n").next().unwrap_or_default().to_owned()
    };
    let text = dump("reverse", reversed("").as_bytes(), "x.1=5");
    let (own, copies) = (entry(&text, "main"), entry(&text, "main.copies"));
    for size in 1..=5 {
        assert!(own.contains(&format!("call @main.{size}(")), "{size}: {own}");
        // For size 0 there is the function of size 1.
        assert_eq!(copies.contains(&format!("call @main.{size}(")), size == 1, "{copies}");
    }
    assert!(own.contains("call @main.copies(") && !own.contains("memref.copy"), "{own}");
    let positive = "%n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xf32>) -> tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%some) {has_side_effect = true, error_message = \"none\"} : (tensor<i1>) -> ()";
    let text = dump("reverse", reversed(positive).as_bytes(), "x.1=5");
    let own = entry(&text, "main");
    assert!(!text.contains("main.copies") && !own.contains("memref.copy"), "{own}");
    for (condition, sizes) in [("", 0..6), (positive, 1..6)] {
        let program = reversed(condition);
        let options =
            Options { open: true, max: bound("x.1=5").bind, ..harness::options("x86-64-v3") };
        let artifact = Compiler::new(options).compile("reverse", program.as_bytes());
        let loaded = harness::Loaded::new(&artifact.expect("compiles"));
        for size in sizes {
            let row = |at: i64| (0..size).map(move |column| (at * 10 + column) as f32);
            let bytes: Vec<u8> = (0..64).flat_map(row).flat_map(f32::to_ne_bytes).collect();
            let (status, found) = loaded.call_open(&[bytes], &[size], &[64 * 4 * size as usize]);
            let back: Vec<u8> =
                (0..64).flat_map(|at| row(at).rev()).flat_map(f32::to_ne_bytes).collect();
            assert_eq!((status, &found[0]), (0, &back), "{size}");
        }
    }
}

#[test]
fn sizes_that_there_is_no_code_for_are_refused() {
    let program = fs::read(workspace().join("tests/sizes/bounded_layers.mlir")).unwrap();
    let text = dump("bounded_layers", &program, "x.0=20,x.1=20");
    let context = new_context();
    let module = strata_ir::parse(&context, "dump.mlir", text.as_bytes()).expect("parses");
    let compiled = Program::new(&module).expect("a program");
    let shaped = |rows: u64, columns: u64, others: u64| {
        let shapes = [vec![rows, columns], vec![others, 16]];
        let pairs = shapes.into_iter().zip(&compiled.signature().inputs);
        let specs = pairs.map(|(shape, spec)| TensorSpec { shape, ..spec.clone() });
        compiled.signature_of(&specs.collect::<Vec<_>>()).map(|_| ())
    };
    assert!(shaped(20, 20, 20).is_ok());
    for (rows, columns, others) in [(3, 21, 3), (21, 3, 21), (3, 3, 4)] {
        assert!(shaped(rows, columns, others).is_err(), "{rows} {columns} {others}");
    }
}

/// What stage `vector` leaves says all that the later stages and the headers need.
#[test]
fn a_dump_of_all_specialisations_is_compiled_further() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/rows_beside_bounds.mlir");
    let program = program.to_str().unwrap();
    let bounds = fs::read_to_string(program).unwrap();
    let bounds = bounds.lines().find_map(|line| line.strip_prefix("// open: ")).expect("bounds");
    let bounds: Vec<_> = bounds.split(' ').map(|bound| format!("--max={bound}")).collect();
    let compile = |arguments: &[&str]| {
        let common = ["compile", "--name", "p", "--target-cpu", "x86-64-v3"];
        let output = strata(here.path(), &[&common[..], arguments].concat());
        assert_eq!(output.code, 0, "{}", output.stderr);
    };
    let bounds: Vec<&str> = bounds.iter().map(String::as_str).collect();
    compile(&[&[program, "--to", "vector", "-o", "dump.mlir"], &bounds[..]].concat());
    compile(&["dump.mlir", "--from", "vector", "-o", "fed.o", "--header", "fed.h"]);
    compile(&[&[program, "-o", "whole.o", "--header", "whole.h"], &bounds[..]].concat());
    let read = |name: &str| fs::read(here.path().join(name)).unwrap();
    assert!(read("fed.o") == read("whole.o"), "another object");
    assert_eq!(String::from_utf8(read("fed.h")), String::from_utf8(read("whole.h")));
}

/// What does not depend on the sizes is there once.
#[test]
fn equal_constants_and_functions_are_shared() {
    let program = fs::read(workspace().join("tests/sizes/bounded_layers.mlir")).unwrap();
    let beside = "x.0=1,x.0=2,x.0=17,x.1=1,x.1=2,x.1=17";
    let text = dump_beside("bounded_layers", &program, "x.0=20,x.1=20", beside);
    assert!(text.matches("strata.specialization").count() > 10);
    assert_eq!(text.matches("memref.global").count(), 1);
    // A nest of given size is worth tasks in each of the functions.
    let program = "func.func public @main(%x: tensor<?xf32> loc(\"x\"), %w: tensor<1024x1024xf32>)
        -> (tensor<?xf32>, tensor<1024x1024xf32>) {
      %0 = stablehlo.add %x, %x : tensor<?xf32>
      %1 = stablehlo.exponential %w : tensor<1024x1024xf32>
      return %0, %1 : tensor<?xf32>, tensor<1024x1024xf32>
    }";
    let text = dump_beside("beside", program.as_bytes(), "x.0=8", "x.0=1,x.0=2,x.0=3");
    let versions = text.matches("strata.specialization").count();
    assert!(versions > 3, "{versions}");
    assert_eq!(text.matches("strata.tasks").count(), 1);
    assert_eq!(text.matches("call @strata.kernel.").count(), versions);
}

#[test]
fn a_dump_that_lacks_a_specialisation_is_refused() {
    let program = fs::read(workspace().join("tests/sizes/bounded_layers.mlir")).unwrap();
    let text = dump("bounded_layers", &program, "x.0=4,x.1=4");
    let compile = |text: &str| {
        let options = harness::options("x86-64-v3");
        let compiled = Compiler::new(options).from(Stage::Vector).compile("d", text.as_bytes());
        compiled.map(|_| ()).map_err(|errors| errors.to_string())
    };
    assert_eq!(compile(&text), Ok(()));
    let unmarked = text.replacen("strata.specialization", "strata.other", 1);
    let reason = compile(&unmarked).expect_err("a version is missing");
    assert!(reason.contains("there is not one function for each combination"), "{reason}");
    let sizeless = text.replacen("strata.specialization = {b", "strata.specialization = {o", 1);
    let reason = compile(&sizeless).expect_err("a version has no sizes");
    assert!(reason.contains("does not name its sizes"), "{reason}");
}

/// Operations are told of once, by the specialisations that they are in.
#[test]
fn remarks_are_those_of_the_specialisations() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/bounded_layers.mlir");
    let arguments = ["compile", program.to_str().unwrap(), "--max", "x.0=2,x.1=2", "-o", "p.o"];
    let output = strata(here.path(), &[&arguments[..], &["--remarks"]].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    let heads: Vec<_> =
        output.stderr.lines().filter(|line| line.contains(" operations; ")).collect();
    assert!(!heads.is_empty() && heads.iter().all(|head| head.contains('=')), "{heads:?}");
}

/// Weights that are most of the work at short sizes leave rows shorter than a vector without code of their own; few weights do not.
#[test]
fn a_short_cache_beside_its_weights_has_one_version() {
    let program = fs::read_to_string(workspace().join("tests/sizes/short_cache.mlir")).unwrap();
    let here = tempfile::tempdir().unwrap();
    let versions = |program: &str| {
        fs::write(here.path().join("p.mlir"), program).unwrap();
        let checked = strata(here.path(), &["check", "p.mlir", "--max", "keys.0=40"]);
        let text = checked.succeeded().text().to_owned();
        text.lines().find_map(|line| line.strip_prefix("versions ")).unwrap().trim().to_owned()
    };
    assert_eq!(versions(&program), "1");
    assert_eq!(versions(&program.replace("192", "64").replace("96", "32")), "10");
}
