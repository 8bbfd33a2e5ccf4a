//! Long sums, and only these, are split into blocks.

use strata_ir::{Context, Module, new_context, parse_text, print, verify};
use strata_loops::affine;
use strata_options::Options;
use strata_target::{Isa, Target};

/// The program at the end of stage `affine`.
fn lower(context: &Context, text: &str, isa: Isa) -> String {
    let mut module: Module<'_> = parse_text(context, text).expect("the test's program parses");
    let options = Options::new(Target { isa, ..Target::x86_64_baseline() });
    affine::run(context, &mut module, &options).expect("stage 40 succeeds");
    verify(context, &module, "affine").expect("the result verifies");
    print(&module, false)
}

/// A scheduled loop of `trips` that carries `x + y` by `combine`.
fn streamed(trips: i64, combine: &str) -> String {
    format!(
        "func.func @main(%x: tensor<{trips}x16xf32>) -> tensor<16xf32> attributes {{strata.entry}} {{
           %zero = arith.constant 0 : index
           %end = arith.constant {trips} : index
           %one = arith.constant 1 : index
           %pad = ub.poison : f32
           %start = arith.constant dense<7.0> : vector<16xf32>
           %sum = scf.for %k = %zero to %end step %one iter_args(%s = %start) -> (vector<16xf32>) {{
             %v = vector.transfer_read %x[%k, %zero], %pad {{in_bounds = [true]}} : tensor<{trips}x16xf32>, vector<16xf32>
             %next = {combine} : vector<16xf32>
             scf.yield %next : vector<16xf32>
           }} {{strata.schedule = \"by hand\"}}
           %e = tensor.empty() : tensor<16xf32>
           %r = vector.transfer_write %sum, %e[%zero] {{in_bounds = [true]}} : vector<16xf32>, tensor<16xf32>
           return %r : tensor<16xf32> }}"
    )
}

/// The loops of a program, and its additions of vectors.
fn count(text: &str) -> (usize, usize) {
    (text.matches("scf.for").count(), text.matches("arith.addf").count())
}

#[test]
fn a_long_sum_in_a_register_is_a_sum_of_blocks() {
    let context = new_context();
    let add = "arith.addf %s, %v";
    assert_eq!(count(&lower(&context, &streamed(64, add), Isa::Avx512)), (1, 1));
    // Blocks of 25, of which 4 are one, of which there are 5.
    let text = lower(&context, &streamed(500, add), Isa::Avx512);
    assert_eq!(count(&text), (3, 3), "{text}");
    assert!(text.contains("dense<-0.000000e+00>"), "{text}");
    assert!(text.contains("strata.schedule = \"by hand\""), "{text}");
    // 67 has no divisors: two blocks and a remainder.
    let text = lower(&context, &streamed(67, add), Isa::Avx512);
    assert_eq!(count(&text), (3, 4), "{text}");
}

#[test]
fn other_reductions_keep_their_loop() {
    let context = new_context();
    for combine in ["arith.maximumf %s, %v", "arith.mulf %s, %v", "arith.addf %s, %s"] {
        let text = lower(&context, &streamed(5000, combine), Isa::Avx512);
        assert_eq!(text.matches("scf.for").count(), 1, "{text}");
    }
}

#[test]
fn loops_of_the_program_keep_their_order() {
    let context = new_context();
    let text = lower(
        &context,
        "func.func @main(%x: tensor<5000xf32>) -> tensor<f32> attributes {strata.entry} {
           %zero = arith.constant 0 : index
           %end = arith.constant 5000 : index
           %one = arith.constant 1 : index
           %start = arith.constant 7.0 : f32
           %sum = scf.for %k = %zero to %end step %one iter_args(%s = %start) -> (f32) {
             %v = tensor.extract %x[%k] : tensor<5000xf32>
             %next = arith.addf %s, %v : f32
             scf.yield %next : f32
           }
           %r = tensor.from_elements %sum : tensor<f32>
           return %r : tensor<f32> }",
        Isa::Avx512,
    );
    assert_eq!(count(&text), (1, 1), "{text}");
}

/// A reduction of rows without a schedule, with two results.
fn unscheduled(rows: i64, body: &str) -> String {
    format!(
        "#in = affine_map<(i, j) -> (i, j)>
         #out = affine_map<(i, j) -> (j)>
         func.func @main(%x: tensor<{rows}x5xf32>, %f: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
             attributes {{strata.entry}} {{
           %sum:2 = linalg.generic {{indexing_maps = [#in, #out, #out], iterator_types = [\"reduction\", \"parallel\"]}}
             ins(%x : tensor<{rows}x5xf32>) outs(%f, %f : tensor<5xf32>, tensor<5xf32>) {{
             ^bb0(%v: f32, %a: f32, %b: f32):
               {body}
               linalg.yield %r, %s : f32, f32 }} -> (tensor<5xf32>, tensor<5xf32>)
           return %sum#0, %sum#1 : tensor<5xf32>, tensor<5xf32> }}"
    )
}

#[test]
fn a_long_sum_without_a_schedule_is_a_sum_of_blocks() {
    let context = new_context();
    let body = "%r = arith.addf %a, %v : f32
                %w = arith.mulf %v, %v : f32
                %s = arith.addf %w, %b : f32";
    assert_eq!(lower(&context, &unscheduled(128, body), Isa::Scalar).matches("scf.for").count(), 0);
    let text = lower(&context, &unscheduled(30_000, body), Isa::Scalar);
    assert!(text.matches("scf.for").count() >= 2, "{text}");
    assert!(!text.contains("0 to 30000"), "{text}");
    assert!(!text.contains("strata.sums") && !text.contains("strata.block"), "{text}");
    // A prime: the remainder is separate code.
    let text = lower(&context, &unscheduled(30_011, body), Isa::Scalar);
    assert!(!text.contains("0 to 30011"), "{text}");
}

#[test]
fn a_sum_of_sums_keeps_its_order() {
    let context = new_context();
    let body = "%r = arith.addf %a, %v : f32
                %s = arith.addf %r, %b : f32";
    let text = lower(&context, &unscheduled(30_000, body), Isa::Scalar);
    assert!(text.contains("0 to 30000"), "{text}");
}
