//! Outputs whose size depends on values: the part that is valid, what is around it, and the shape beside it.

use std::fs;

use strata::{Artifact, Compiler, Options};
use strata_diag::Diagnostics;
use strata_eval::{ElementType, Evaluator, Session, Tensor, Values};
use strata_ir::new_context;
use strata_verify::random_inputs;

use super::examples::{WARNS, example, in_folder};
use crate::{
    command::{strata, workspace},
    harness::{self, Loaded},
};

fn scalar(value: i64) -> Tensor {
    Tensor::from_fn(&[], ElementType::parse("i32").unwrap(), |_| {
        strata_eval::Element::Signed(value)
    })
}

/// The bytes of an array of `shape` with `part` at its start and zeros elsewhere.
fn padded(part: &Tensor, shape: &[u64]) -> Vec<u8> {
    let shape: Vec<usize> = shape.iter().map(|size| usize::try_from(*size).unwrap()).collect();
    let zero = part.element_type().from_i64(0);
    let strides = |sizes: &[usize], at: usize| sizes[at + 1..].iter().product::<usize>();
    let element = |position: usize| {
        let place: Vec<usize> =
            (0..shape.len()).map(|at| position / strides(&shape, at) % shape[at]).collect();
        let inside = place.iter().zip(part.shape()).all(|(index, size)| index < size);
        if inside { part.at(&place) } else { zero }
    };
    Tensor::from_fn(&shape, part.element_type(), element).bytes().to_vec()
}

/// All numbers of rows and columns, and all numbers of positive elements.
#[test]
fn outputs_are_padded_and_have_their_shapes() {
    let program = fs::read(workspace().join("tests/sizes/valued_outputs.mlir")).unwrap();
    let options = harness::options("native");
    let inputs = random_inputs("valued", &program, &options, Values::Tame, 3).unwrap();
    let artifact = Compiler::new(options).compile("valued", &program).unwrap();
    let (loaded, signature) = (Loaded::new(&artifact), artifact.signature().unwrap());
    assert_eq!(signature.shapes, [(0, 5), (1, 6), (3, 7), (4, 8)]);
    let context = new_context();
    let module = strata_vhlo::parse(&context, "valued", &program).unwrap();
    let evaluator = Evaluator::new(&module).unwrap();
    for rows in 0..=5 {
        for columns in 0..=7 {
            let positive = (rows * 8 + columns) as usize % 10;
            let mask = |at: usize| if at * 2 % 9 < positive { 1.5 } else { -0.5 };
            let mask: Vec<f32> = (0..9).map(mask).collect();
            let values =
                [inputs[0].clone(), scalar(rows), scalar(columns), Tensor::from_f32(&[9], &mask)];
            let expected = evaluator.run(None, &values, &Session::new(0)).unwrap();
            let bytes: Vec<_> = values.iter().map(|value| value.bytes().to_vec()).collect();
            let found = loaded.call(&bytes);
            let what = format!("{rows} rows, {columns} columns");
            for (output, expected) in expected.iter().enumerate() {
                let whole = padded(expected, &signature.outputs[output].shape);
                let what = format!("{what}, output {output}");
                if output == 3 {
                    assert_eq!(found[output], whole, "{what}");
                } else {
                    harness::assert_close_f32(&found[output], &whole, 1e-4, &what);
                }
            }
            for (output, shape) in &signature.shapes {
                let valid: Vec<u8> = expected[*output]
                    .shape()
                    .iter()
                    .flat_map(|size| (*size as i64).to_le_bytes())
                    .collect();
                assert_eq!(found[*shape], valid, "{what}, shape of output {output}");
            }
        }
    }
}

/// Sizes outside of what a type says are the nearest that it allows, so that no shape is larger than its buffer.
#[test]
fn sizes_are_at_most_those_of_types() {
    let program = fs::read(workspace().join("tests/sizes/valued_shapes.mlir")).unwrap();
    let options = harness::options("native");
    let artifact = Compiler::new(options).compile("valued", &program).unwrap();
    let (loaded, signature) = (Loaded::new(&artifact), artifact.signature().unwrap());
    for size in [i64::from(i32::MIN), -1, 0, 4, 5, 6, 9, i64::from(i32::MAX)] {
        let short = (size as i32).to_le_bytes();
        let x = vec![0; 72];
        let inputs = [
            short.to_vec(),
            x,
            [size.to_le_bytes(), (-size).to_le_bytes()].concat(),
            [3_i32.to_le_bytes(), short].concat(),
        ];
        let found = loaded.call(&inputs);
        for (output, shape) in &signature.shapes {
            let valid = found[*shape].chunks_exact(8).map(|size| {
                i64::from_le_bytes([
                    size[0], size[1], size[2], size[3], size[4], size[5], size[6], size[7],
                ])
            });
            for (valid, most) in valid.zip(&signature.outputs[*output].shape) {
                assert!(
                    (0..=*most as i64).contains(&valid),
                    "{size}, output {output}: {valid} of {most}"
                );
            }
        }
    }
}

const BESIDE: &str = "func.func @main(%x: tensor<?x4xf32> loc(\"x\"), %n: tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<?x4xf32>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<?, 4>>
}";

fn beside(max: &[(&str, i64)]) -> Result<Artifact, Diagnostics> {
    let max = max.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let options = Options { open: true, max, ..harness::options("native") };
    Compiler::new(options).compile("beside", BESIDE.as_bytes())
}

/// The buffer has the open size of the input and the bound, the list of actual sizes both.
#[test]
fn open_sizes_and_values_set_one_shape() {
    let artifact = beside(&[("x.0", 6)]).expect("compiled");
    let loaded = Loaded::new(&artifact);
    let signature = artifact.signature().unwrap();
    assert_eq!(signature.shapes, [(0, 1)]);
    assert!(artifact.header().unwrap().contains("outputs[1] is the shape of the valid part"));
    for rows in 0..=6_usize {
        let x: Vec<f32> = (0..rows * 4).map(|at| at as f32 + 1.0).collect();
        let bytes = Tensor::from_f32(&[rows, 4], &x).bytes().to_vec();
        let symbols = [rows as i64];
        assert_eq!(loaded.output_shapes(&symbols), [vec![rows as i64, 4], vec![2]]);
        for columns in 0..=4_i32 {
            let inputs = [bytes.clone(), columns.to_le_bytes().to_vec()];
            let (status, found) = loaded.call_open(&inputs, &symbols, &[rows * 16, 16]);
            assert_eq!(status, 0);
            let value = |at: usize| if at % 4 < columns as usize { x[at] } else { 0.0 };
            let all: Vec<f32> = (0..rows * 4).map(value).collect();
            let what = format!("{rows} rows, {columns} columns");
            assert_eq!(found[0], Tensor::from_f32(&[rows, 4], &all).bytes(), "{what}");
            let shape: Vec<u8> =
                [rows as i64, columns.into()].iter().flat_map(|size| size.to_le_bytes()).collect();
            assert_eq!(found[1], shape, "{what}");
        }
    }
}

/// A part of the rows does not know the shape of all.
#[test]
fn rows_do_not_say_the_size_of_an_output() {
    let errors = beside(&[]).map(|_| ()).expect_err("refused");
    let error = errors.iter().next().expect("an error");
    assert_eq!(error.code().id(), "S1101");
    let reason = error.reason_text().unwrap();
    assert!(reason.starts_with("rows of `x.0` cannot be computed apart"), "{reason}");
}

/// The example's C program, the C++ wrapper and the Rust module.
#[test]
fn examples_read_a_computed_size() {
    let here = example(&["places.mlir", "calls_places.c"]);
    let texts = ["--header", "places.h", "--cxx", "places.hpp", "--rust", "places.rs"];
    strata(here.path(), &[&["compile", "places.mlir", "-o", "places.o"][..], &texts].concat())
        .succeeded();
    let cc =
        [&["cc", "-std=c11", "calls_places.c", "places.o", "-lm", "-o", "c"][..], WARNS].concat();
    let cxx = [&["c++", "-std=c++20", "-x", "c++", "-fsyntax-only", "places.hpp"][..], WARNS];
    let rustc = ["rustc", "--edition", "2024", "--crate-type", "lib", "places.rs"];
    for command in [&cc[..], &["./c"], &cxx.concat(), &rustc] {
        in_folder(here.path(), command);
    }
    let header = fs::read_to_string(here.path().join("places.h")).unwrap();
    assert!(header.contains("outputs[1] is the shape of the valid part of outputs[0]"), "{header}");
}
