//! Outputs that share an input's buffer: the result is the same whether the caller gives one buffer or two,
//! and with two the input is not changed.

use strata::{Artifact, Compiler, Options, Stage};

use crate::harness::{Loaded, cpus, options};

/// What a donated input says in the program; without it the program is what the results are compared with.
const MARKS: [&str; 4] = [
    " {tf.aliasing_output = 0 : i32}",
    " {tf.aliasing_output = 1 : i32}",
    " {tf.aliasing_output = 2 : i32}",
    " {jax.buffer_donor = true}",
];

#[track_caller]
fn compile(text: &str, options: Options) -> Artifact {
    match Compiler::new(options).to(Stage::Obj).compile("donated.mlir", text.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}"),
    }
}

/// Distinct values for all elements, the same on every run.
fn values(count: u64, seed: u64) -> Vec<u8> {
    let value = |index: u64| (((index * 37 + seed * 11) % 101) as f32 - 50.0) / 8.0;
    (0..count).flat_map(|index| value(index).to_le_bytes()).collect()
}

/// Compiles the program with and without its marks; returns the donations and the workspace.
#[track_caller]
fn check(text: &str) -> (Vec<(usize, usize)>, u64) {
    let plain = MARKS.iter().fold(text.to_owned(), |text, mark| text.replace(mark, ""));
    assert_ne!(plain, text, "the program has marks");
    let mut answer = None;
    for cpu in cpus() {
        let expected = compile(&plain, options(cpu));
        let signature = expected.signature().expect("a signature").clone();
        assert!(signature.donations.is_empty());
        let inputs: Vec<_> = (0..)
            .zip(&signature.inputs)
            .map(|(seed, spec)| match spec.element_count() {
                // Indices are the only integers here.
                1 => 2i32.to_le_bytes().to_vec(),
                count => values(count, seed),
            })
            .collect();
        let expected = Loaded::new(&expected).call(&inputs);
        let donated = compile(text, options(cpu));
        let loaded = Loaded::new(&donated);
        assert_eq!(loaded.call(&inputs), expected, "{cpu}: two buffers");
        assert_eq!(loaded.call_in_place(&inputs), expected, "{cpu}: one buffer");
        let donations = donated.signature().expect("a signature").donations.clone();
        answer = Some((donations, donated.workspace_size().expect("known")));
    }
    answer.expect("a CPU")
}

#[test]
fn one_of_hundreds_of_buffers_is_donated() {
    // The kernel takes the arrays of pointers, in which the donated input is not read.
    let inputs: String = (1..200).map(|n| format!(", %x{n}: tensor<5xf32>")).collect();
    let operations: String =
        (1..200).map(|n| format!("%y{n} = stablehlo.add %x{n}, %x0 : tensor<5xf32>\n")).collect();
    let results: String = (1..200).map(|n| format!(", %y{n}")).collect();
    let types = vec!["tensor<5xf32>"; 200].join(", ");
    let (donations, _) = check(&format!(
        "func.func @main(%x0: tensor<5xf32> {{tf.aliasing_output = 0 : i32}}{inputs}) -> ({types}) {{
          %two = stablehlo.constant dense<2.0> : tensor<5xf32>
          {operations}
          %y0 = stablehlo.multiply %x0, %two : tensor<5xf32>
          return %y0{results} : {types}
        }}"
    ));
    assert_eq!(donations, [(0, 0)]);
}

#[test]
fn an_update_of_a_slice_is_in_place() {
    let answer = check(
        "func.func @main(%cache: tensor<5x7xf32> {tf.aliasing_output = 1 : i32}, %new: tensor<1x7xf32>,
             %at: tensor<i32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %sum0 = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.dynamic_update_slice %cache, %new, %at, %zero
             : (tensor<5x7xf32>, tensor<1x7xf32>, tensor<i32>, tensor<i32>) -> tensor<5x7xf32>
           %1 = stablehlo.reduce(%0 init: %sum0) applies stablehlo.add across dimensions = [0]
             : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
           return %1, %0 : tensor<7xf32>, tensor<5x7xf32>
         }",
    );
    assert_eq!(answer, (vec![(1, 0)], 0), "no copy of the cache");
}

#[test]
fn pointwise_results_may_overwrite_what_they_read() {
    let answer = check(
        "func.func @main(%w: tensor<3x11xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<3x11xf32>)
             -> tensor<3x11xf32> {
           %0 = stablehlo.multiply %g, %w : tensor<3x11xf32>
           %1 = stablehlo.subtract %w, %0 : tensor<3x11xf32>
           return %1 : tensor<3x11xf32>
         }",
    );
    assert_eq!(answer, (vec![(0, 0)], 0), "no copy of the weights");
}

/// The new weights are read by a second result, and the old ones by a third.
#[test]
fn pointwise_results_that_are_read_again_stay_right() {
    check(
        "func.func @main(%w: tensor<5x32xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<5x32xf32>)
             -> (tensor<5x32xf32>, tensor<32xf32>, tensor<32x5xf32>, tensor<5x32xf32>) {
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.multiply %g, %w : tensor<5x32xf32>
           %1 = stablehlo.subtract %w, %0 : tensor<5x32xf32>
           %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
             : (tensor<5x32xf32>, tensor<f32>) -> tensor<32xf32>
           %3 = stablehlo.transpose %w, dims = [1, 0] : (tensor<5x32xf32>) -> tensor<32x5xf32>
           %4 = stablehlo.reverse %w, dims = [0] : tensor<5x32xf32>
           %5 = stablehlo.add %4, %1 : tensor<5x32xf32>
           return %1, %2, %3, %5 : tensor<5x32xf32>, tensor<32xf32>, tensor<32x5xf32>, tensor<5x32xf32>
         }",
    );
}

#[test]
fn buffers_can_change_places() {
    let (donations, _) = check(
        "func.func @main(%a: tensor<5x3xf32> {tf.aliasing_output = 0 : i32},
             %b: tensor<5x3xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
           return %b, %a : tensor<5x3xf32>, tensor<5x3xf32>
         }",
    );
    assert_eq!(donations, [(0, 0), (1, 1)]);
}

#[test]
fn three_buffers_can_go_round_and_be_read_besides() {
    check(
        "func.func @main(%a: tensor<9xf32> {tf.aliasing_output = 1 : i32},
             %b: tensor<9xf32> {tf.aliasing_output = 2 : i32}, %c: tensor<9xf32> {tf.aliasing_output = 0 : i32})
             -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
           %0 = stablehlo.add %a, %b : tensor<9xf32>
           %1 = stablehlo.reverse %c, dims = [0] : tensor<9xf32>
           return %a, %0, %1, %c : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
         }",
    );
}

#[test]
fn what_reads_elsewhere_than_it_writes_is_not_in_place() {
    for result in [
        "stablehlo.transpose %x, dims = [1, 0] : (tensor<7x7xf32>) -> tensor<7x7xf32>",
        "stablehlo.reverse %x, dims = [1] : tensor<7x7xf32>",
        "stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
           : (tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>",
    ] {
        check(&format!(
            "func.func @main(%x: tensor<7x7xf32> {{tf.aliasing_output = 0 : i32}})
                 -> (tensor<7x7xf32>, tensor<7x7xf32>) {{
               %0 = {result}
               %1 = stablehlo.add %x, %0 : tensor<7x7xf32>
               return %0, %1 : tensor<7x7xf32>, tensor<7x7xf32>
             }}"
        ));
    }
}

#[test]
fn old_values_that_are_read_after_an_update_survive() {
    check(
        "func.func @main(%x: tensor<6x5xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<1x5xf32>, %at: tensor<i32>)
             -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xf32>) {
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %0 = stablehlo.dynamic_update_slice %x, %y, %at, %zero
             : (tensor<6x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
           %1 = stablehlo.multiply %0, %x : tensor<6x5xf32>
           %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
           return %0, %1, %2 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xf32>
         }",
    );
}

#[test]
fn loops_carry_donated_buffers() {
    check(
        "func.func @main(%x: tensor<9xf32> {tf.aliasing_output = 0 : i32},
             %y: tensor<9xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<9xf32>, tensor<9xf32>) {
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %five = stablehlo.constant dense<5> : tensor<i32>
           %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<9xf32>, tensor<9xf32>
            cond {
             %1 = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           } do {
             %1 = stablehlo.add %i, %one : tensor<i32>
             %2 = stablehlo.subtract %a, %b : tensor<9xf32>
             stablehlo.return %1, %b, %2 : tensor<i32>, tensor<9xf32>, tensor<9xf32>
           }
           return %0#1, %0#2 : tensor<9xf32>, tensor<9xf32>
         }",
    );
}

#[test]
fn a_donor_goes_to_an_output_of_its_type() {
    let (donations, _) = check(
        "func.func @main(%x: tensor<3xf32> {jax.buffer_donor = true}, %y: tensor<4xf32> {jax.buffer_donor = true})
             -> (tensor<f32>, tensor<4xf32>) {
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
             : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
           %1 = stablehlo.add %y, %y : tensor<4xf32>
           return %0, %1 : tensor<f32>, tensor<4xf32>
         }",
    );
    assert_eq!(donations, [(1, 1)], "no output is like the first input");
}
