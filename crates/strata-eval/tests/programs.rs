//! Whole programs through the evaluator: every operation at least once, each with an expectation, and
//! expectations that must not hold.

use strata_diag::{Diagnostic, codes};
use strata_eval::{Evaluator, Session, Tensor, evaluate};
use strata_ir::{OpKind, new_context, parse};

/// Runs a module whose checks decide.
fn run(text: &str) -> Result<Vec<Tensor>, Diagnostic> {
    let context = new_context();
    let module = parse(&context, "case.mlir", text.as_bytes())
        .unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    evaluate(&module, None, &[])
}

/// Runs the body of a main function that returns nothing.
fn body(text: &str) -> Result<Vec<Tensor>, Diagnostic> {
    run(&format!("func.func @main() {{\n{text}\n  return\n}}"))
}

fn holds(cases: &[(&str, &str)]) {
    for (name, text) in cases {
        if let Err(error) = body(text) {
            panic!("{name}: {}", error.render());
        }
    }
}

#[test]
fn pointwise_operations() {
    holds(&[
        (
            "arithmetic",
            "%a = stablehlo.constant dense<[7, -7]> : tensor<2xi8>
             %b = stablehlo.constant dense<[0, 2]> : tensor<2xi8>
             %q = stablehlo.divide %a, %b : tensor<2xi8>
             check.expect_eq_const %q, dense<[-1, -3]> : tensor<2xi8>
             %r = stablehlo.remainder %a, %b : tensor<2xi8>
             check.expect_eq_const %r, dense<[7, -1]> : tensor<2xi8>
             %s = stablehlo.shift_right_logical %a, %b : tensor<2xi8>
             check.expect_eq_const %s, dense<[7, 62]> : tensor<2xi8>",
        ),
        (
            "narrow floats",
            "%a = stablehlo.constant dense<[1.0, 448.0]> : tensor<2xf8E4M3FN>
             %s = stablehlo.add %a, %a : tensor<2xf8E4M3FN>
             check.expect_eq_const %s, dense<[2.0, 0x7F]> : tensor<2xf8E4M3FN>",
        ),
        (
            "unsigned",
            "%a = stablehlo.constant dense<200> : tensor<ui8>
             %s = stablehlo.add %a, %a : tensor<ui8>
             check.expect_eq_const %s, dense<144> : tensor<ui8>
             %c = stablehlo.compare GT, %a, %s : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
             check.expect_eq_const %c, dense<true> : tensor<i1>",
        ),
        (
            "total order",
            "%a = stablehlo.constant dense<[-0.0, 0x7FC00000]> : tensor<2xf32>
             %b = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
             %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
             check.expect_eq_const %c, dense<[true, false]> : tensor<2xi1>",
        ),
        (
            "clamp and select",
            "%x = stablehlo.constant dense<[-5, 0, 5]> : tensor<3xi32>
             %lo = stablehlo.constant dense<-1> : tensor<i32>
             %hi = stablehlo.constant dense<2> : tensor<i32>
             %c = stablehlo.clamp %lo, %x, %hi : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
             check.expect_eq_const %c, dense<[-1, 0, 2]> : tensor<3xi32>
             %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
             %s = stablehlo.select %p, %x, %c : tensor<3xi1>, tensor<3xi32>
             check.expect_eq_const %s, dense<[-5, 0, 5]> : tensor<3xi32>",
        ),
        (
            "reduce_precision",
            "%x = stablehlo.constant dense<[1.00390625, 1.0e30]> : tensor<2xf32>
             %r = stablehlo.reduce_precision %x, format = e5m7 : tensor<2xf32>
             check.expect_eq_const %r, dense<[1.0, 0x7F800000]> : tensor<2xf32>",
        ),
        (
            "chlo",
            "%x = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf64>
             %y = stablehlo.constant dense<2.0> : tensor<f64>
             %e = chlo.erf %x : tensor<2xf64> -> tensor<2xf64>
             check.expect_almost_eq_const %e, dense<[0.5205, -0.8427]> : tensor<2xf64>
             %m = chlo.broadcast_multiply %x, %y : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
             check.expect_eq_const %m, dense<[1.0, -2.0]> : tensor<2xf64>
             %v, %i = chlo.top_k(%x, k = 1) : tensor<2xf64> -> (tensor<1xf64>, tensor<1xi32>)
             check.expect_eq_const %i, dense<0> : tensor<1xi32>",
        ),
    ]);
}

#[test]
fn folds_with_regions() {
    holds(&[
        (
            "reduce with two inputs",
            "%v = stablehlo.constant dense<[3, 9, 2]> : tensor<3xi32>
             %i = stablehlo.iota dim = 0 : tensor<3xi64>
             %v0 = stablehlo.constant dense<-1> : tensor<i32>
             %i0 = stablehlo.constant dense<-1> : tensor<i64>
             %r:2 = \"stablehlo.reduce\"(%v, %i, %v0, %i0) ({
             ^bb0(%a: tensor<i32>, %ai: tensor<i64>, %b: tensor<i32>, %bi: tensor<i64>):
               %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
               %m = stablehlo.select %c, %a, %b : tensor<i1>, tensor<i32>
               %n = stablehlo.select %c, %ai, %bi : tensor<i1>, tensor<i64>
               stablehlo.return %m, %n : tensor<i32>, tensor<i64>
             }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<3xi64>, tensor<i32>, tensor<i64>) -> (tensor<i32>, tensor<i64>)
             check.expect_eq_const %r#1, dense<1> : tensor<i64>",
        ),
        (
            // The region captures a value and is more than pointwise, so that it runs in the frame.
            "a region that captures",
            "%v = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
             %z = stablehlo.constant dense<0> : tensor<i32>
             %k = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
             %r = \"stablehlo.reduce\"(%v, %z) ({
             ^bb0(%a: tensor<i32>, %b: tensor<i32>):
               %first = stablehlo.slice %k [0:1] : (tensor<2xi32>) -> tensor<1xi32>
               %ten = stablehlo.reshape %first : (tensor<1xi32>) -> tensor<i32>
               %p = stablehlo.multiply %ten, %b : tensor<i32>
               %s = stablehlo.add %a, %p : tensor<i32>
               stablehlo.return %s : tensor<i32>
             }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
             check.expect_eq_const %r, dense<60> : tensor<i32>",
        ),
        (
            "reduce_window rounds once",
            "%v = stablehlo.constant dense<[256.0, 1.0, 1.0]> : tensor<3xbf16>
             %z = stablehlo.constant dense<0.0> : tensor<bf16>
             %r = \"stablehlo.reduce_window\"(%v, %z) ({
             ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
               %s = stablehlo.add %a, %b : tensor<bf16>
               stablehlo.return %s : tensor<bf16>
             }) {window_dimensions = array<i64: 3>} : (tensor<3xbf16>, tensor<bf16>) -> tensor<1xbf16>
             check.expect_eq_const %r, dense<258.0> : tensor<1xbf16>",
        ),
        (
            "sort",
            "%v = stablehlo.constant dense<[[3, 1], [2, 2]]> : tensor<2x2xi32>
             %r = \"stablehlo.sort\"(%v) ({
             ^bb0(%a: tensor<i32>, %b: tensor<i32>):
               %c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %c : tensor<i1>
             }) {dimension = 0 : i64} : (tensor<2x2xi32>) -> tensor<2x2xi32>
             check.expect_eq_const %r, dense<[[2, 1], [3, 2]]> : tensor<2x2xi32>",
        ),
        (
            "scatter",
            "%x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
             %i = stablehlo.constant dense<[[2], [5], [2]]> : tensor<3x1xi32>
             %u = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
             %r = \"stablehlo.scatter\"(%x, %i, %u) ({
             ^bb0(%a: tensor<i32>, %b: tensor<i32>):
               %s = stablehlo.add %a, %b : tensor<i32>
               stablehlo.return %s : tensor<i32>
             }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
             check.expect_eq_const %r, dense<[1, 2, 43]> : tensor<3xi32>",
        ),
        (
            "map",
            "%x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
             %r = \"stablehlo.map\"(%x, %x) ({
             ^bb0(%a: tensor<i32>, %b: tensor<i32>):
               %s = stablehlo.multiply %a, %b : tensor<i32>
               stablehlo.return %s : tensor<i32>
             }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
             check.expect_eq_const %r, dense<[1, 4, 9]> : tensor<3xi32>",
        ),
        (
            "scan backwards",
            "%x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
             %z = stablehlo.constant dense<0> : tensor<i32>
             %r:2 = chlo.scan(%x) inits(%z) dimension=0 attributes {is_reverse = true} {
             ^bb0(%a: tensor<i32>, %b: tensor<i32>):
               %s = stablehlo.add %a, %b : tensor<i32>
               stablehlo.return %s, %s : tensor<i32>, tensor<i32>
             } : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
             check.expect_eq_const %r#0, dense<[6, 5, 3]> : tensor<3xi32>",
        ),
    ]);
}

#[test]
fn control_flow_and_values() {
    holds(&[
        (
            "while",
            "%n = stablehlo.constant dense<5> : tensor<i32>
             %z = stablehlo.constant dense<0> : tensor<i32>
             %one = stablehlo.constant dense<1> : tensor<i32>
             %r:2 = stablehlo.while(%i = %z, %s = %z) : tensor<i32>, tensor<i32>
             cond {
               %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %c : tensor<i1>
             } do {
               %t = stablehlo.add %s, %i : tensor<i32>
               %j = stablehlo.add %i, %one : tensor<i32>
               stablehlo.return %j, %t : tensor<i32>, tensor<i32>
             }
             check.expect_eq_const %r#1, dense<10> : tensor<i32>",
        ),
        (
            "case out of range takes the last branch",
            "%i = stablehlo.constant dense<-3> : tensor<i32>
             %a = stablehlo.constant dense<1> : tensor<i32>
             %b = stablehlo.constant dense<2> : tensor<i32>
             %r = \"stablehlo.case\"(%i) ({ stablehlo.return %a : tensor<i32> }, { stablehlo.return %b : tensor<i32> }) : (tensor<i32>) -> tensor<i32>
             check.expect_eq_const %r, dense<2> : tensor<i32>",
        ),
        (
            "tuples and tokens",
            "%a = stablehlo.constant dense<1> : tensor<i32>
             %t = stablehlo.create_token : !stablehlo.token
             %u = stablehlo.after_all %t, %t : !stablehlo.token
             %x = stablehlo.tuple %a, %u : tuple<tensor<i32>, !stablehlo.token>
             %e = stablehlo.get_tuple_element %x[0] : (tuple<tensor<i32>, !stablehlo.token>) -> tensor<i32>
             %o = stablehlo.optimization_barrier %e : tensor<i32>
             check.expect_eq_const %o, dense<1> : tensor<i32>",
        ),
        (
            "a single process",
            "%r = stablehlo.replica_id : tensor<ui32>
             check.expect_eq_const %r, dense<0> : tensor<ui32>
             %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
             %s = \"stablehlo.all_reduce\"(%x) ({
             ^bb0(%a: tensor<i32>, %b: tensor<i32>):
               %s = stablehlo.add %a, %b : tensor<i32>
               stablehlo.return %s : tensor<i32>
             }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xi32>) -> tensor<2xi32>
             check.expect_eq %s, %x : tensor<2xi32>",
        ),
        (
            "dynamic shapes",
            "%x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
             %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
             %y = stablehlo.dynamic_reshape %x, %s : (tensor<4xi32>, tensor<2xi64>) -> tensor<?x?xi32>
             %n = stablehlo.get_dimension_size %y, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
             check.expect_eq_const %n, dense<2> : tensor<i32>
             %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
             %z = stablehlo.add %y, %i : tensor<?x?xi32>
             %w = stablehlo.dynamic_reshape %z, %s : (tensor<?x?xi32>, tensor<2xi64>) -> tensor<2x2xi32>
             check.expect_eq_const %w, dense<[[1, 2], [4, 5]]> : tensor<2x2xi32>",
        ),
        (
            "quantized",
            "%x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
             %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-1>>
             %s = stablehlo.add %q, %q : tensor<2x!quant.uniform<i8:f32, 0.5:-1>>
             %r = stablehlo.reverse %s, dims = [0] : tensor<2x!quant.uniform<i8:f32, 0.5:-1>>
             %b = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32, 0.5:-1>>) -> tensor<2xi8>
             check.expect_eq_const %b, dense<[7, 3]> : tensor<2xi8>",
        ),
    ]);
}

#[test]
fn shapes_contractions_and_generators() {
    holds(&[
        (
            "dot_general",
            "%a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
             %r = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
             check.expect_eq_const %r, dense<[[10, 14], [14, 20]]> : tensor<2x2xi32>",
        ),
        (
            "convolution",
            "%a = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
             %k = stablehlo.constant dense<[[[10]], [[1]]]> : tensor<2x1x1xi32>
             %r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xi32>, tensor<2x1x1xi32>) -> tensor<1x3x1xi32>
             check.expect_eq_const %r, dense<[[[10], [21], [32]]]> : tensor<1x3x1xi32>",
        ),
        (
            "gather",
            "%a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
             %i = stablehlo.constant dense<[[7], [0]]> : tensor<2x1xi32>
             %r = \"stablehlo.gather\"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>} : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
             check.expect_eq_const %r, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>",
        ),
        (
            "movement",
            "%a = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
             %z = stablehlo.constant dense<0> : tensor<i32>
             %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<1x3xi32>) -> tensor<3x1xi32>
             %s = stablehlo.slice %t [0:3:2, 0:1] : (tensor<3x1xi32>) -> tensor<2x1xi32>
             %p = stablehlo.pad %s, %z, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x1xi32>, tensor<i32>) -> tensor<4x1xi32>
             %c = stablehlo.concatenate %p, %t, dim = 0 : (tensor<4x1xi32>, tensor<3x1xi32>) -> tensor<7x1xi32>
             %f = stablehlo.reshape %c : (tensor<7x1xi32>) -> tensor<7xi32>
             check.expect_eq_const %f, dense<[0, 1, 0, 3, 1, 2, 3]> : tensor<7xi32>
             %b = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x3xi32>) -> tensor<2x3xi32>
             check.expect_eq_const %b, dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>",
        ),
        (
            "random bits",
            "%s = stablehlo.constant dense<0> : tensor<2xui64>
             %n, %b = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
             check.expect_eq_const %b, dense<[1797259609, 2579123966]> : tensor<2xui32>
             check.expect_eq_const %n, dense<[0, 1]> : tensor<2xui64>",
        ),
        (
            "transform",
            "%x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
             %r = stablehlo.fft %x, type = RFFT, length = [3] : (tensor<3xf32>) -> tensor<2xcomplex<f32>>
             check.expect_almost_eq_const %r, dense<[(6.0, 0.0), (-1.5, 0.8660254)]> : tensor<2xcomplex<f32>>",
        ),
        (
            "einsum",
            "%a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
             %r = stablehlo.einsum %a, %a, config = \"ab,bc->ca\" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
             check.expect_eq_const %r, dense<[[7, 15], [10, 22]]> : tensor<2x2xi32>",
        ),
    ]);
}

#[test]
fn planted_errors_are_found() {
    let wrong = [
        "%a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
         check.expect_eq_const %a, dense<[1, 3]> : tensor<2xi32>",
        "%a = stablehlo.constant dense<1.0> : tensor<f32>
         check.expect_close %a, %a, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<f32>, tensor<f32>",
        "%a = stablehlo.constant dense<1.0> : tensor<f32>
         check.expect_almost_eq_const %a, dense<1.001> : tensor<f32>",
        "%a = stablehlo.constant dense<1.0> : tensor<f32>
         %b = stablehlo.constant dense<1.0000005> : tensor<f32>
         stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()",
        "%a = stablehlo.constant dense<1.0> : tensor<f32>
         %b = stablehlo.constant dense<1.0002> : tensor<f32>
         %r = stablehlo.custom_call @check.eq(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "%a = stablehlo.constant dense<1> : tensor<i32>
         check.expect_serialized_eq %a, probe_id = \"never\" : tensor<i32>",
    ];
    for text in wrong {
        let error = body(text).expect_err(text);
        assert_eq!(error.code(), codes::S1913, "{text}");
        assert!(error.location().is_some_and(|location| location.line > 1), "{text}");
    }
}

#[test]
fn what_cannot_be_evaluated_says_why() {
    let unknown = body(
        "%a = stablehlo.constant dense<1> : tensor<i32>\n  \
                        %b = stablehlo.custom_call @unknown(%a) : (tensor<i32>) -> tensor<i32>",
    );
    let error = unknown.expect_err("the target is unknown");
    assert_eq!(
        (error.code(), error.operation_name()),
        (codes::S1703, Some("stablehlo.custom_call"))
    );

    let shapes = "func.func @main() -> tensor<?xi32> {
        %n = stablehlo.constant dense<[2]> : tensor<1xi64>
        %m = stablehlo.constant dense<[3]> : tensor<1xi64>
        %a = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
        %b = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
        %c = stablehlo.add %a, %b : tensor<?xi32>
        return %c : tensor<?xi32>
      }";
    let error = run(shapes).expect_err("the shapes differ");
    assert_eq!((error.code(), error.operation_name()), (codes::S1912, Some("stablehlo.add")));

    let recursion = "func.func @main() { call @main() : () -> () return }";
    assert_eq!(run(recursion).expect_err("endless").code(), codes::S1911);
}

#[test]
fn inputs_must_fit() {
    let context = new_context();
    let text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }";
    let module = parse(&context, "case.mlir", text.as_bytes()).expect("parses");
    let code = |inputs: &[Tensor]| evaluate(&module, None, inputs).map_err(|error| error.code());
    let fitting = Tensor::from_f32(&[2], &[1.0, 2.0]);
    assert_eq!(code(std::slice::from_ref(&fitting)), Ok(vec![fitting]));
    assert_eq!(code(&[]), Err(codes::S1801));
    assert_eq!(code(&[Tensor::from_f32(&[3], &[0.0; 3])]), Err(codes::S1802));
    assert_eq!(code(&[Tensor::from_f64(&[2], &[0.0; 2])]), Err(codes::S1803));
}

#[test]
fn the_session_is_the_world_outside() {
    let context = new_context();
    let text = "func.func @main() -> tensor<2xi32> {
        %t = stablehlo.create_token : !stablehlo.token
        %f:2 = \"stablehlo.infeed\"(%t) {infeed_config = \"\"} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
        %d = stablehlo.custom_call @double(%f#0) : (tensor<2xi32>) -> tensor<2xi32>
        %o = \"stablehlo.outfeed\"(%d, %f#1) {outfeed_config = \"\"} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
        interpreter.print %d : tensor<2xi32>
        %p = interpreter.probe %d, probe_id = \"p\" : tensor<2xi32>
        return %p : tensor<2xi32>
      }";
    let module = parse(&context, "case.mlir", text.as_bytes()).expect("parses");
    let evaluator = Evaluator::new(&module).expect("is read");
    let mut session = Session::new(0);
    let double = |inputs: &[Tensor]| {
        let sum = strata_eval::elementwise::add(&inputs[0], &inputs[0])?;
        Ok(vec![sum])
    };
    session.register("double", std::sync::Arc::new(double));
    assert_eq!(evaluator.run(None, &[], &session).expect_err("empty").code(), codes::S1912);
    session.feed(vec![Tensor::from_i32(&[2], &[1, 2])]);
    let doubled = Tensor::from_i32(&[2], &[2, 4]);
    assert_eq!(evaluator.run(None, &[], &session).expect("runs"), std::slice::from_ref(&doubled));
    assert_eq!(session.outfed_by(0), [vec![doubled.clone()]]);
    assert_eq!(session.probed("p"), [doubled]);
    assert_eq!(session.printed(), "%2 = tensor<2xi32> {\n  [2, 4]\n}\n");
}

#[test]
fn every_operation_is_known() {
    let unknown: Vec<&str> = OpKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| matches!(name.dialect(), "stablehlo" | "chlo" | "check" | "interpreter"))
        .map(|name| name.as_str())
        .filter(|name| !strata_eval::supports(name))
        .collect();
    assert_eq!(unknown, [""; 0]);
    assert!(!strata_eval::supports("stablehlo.nothing"));
}

/// Sums formed term after term, as loops form them, are among the noisy ones: they are further off than sums in blocks.
#[test]
fn noise_is_that_of_sums_in_order() {
    let terms = 1 << 14;
    let program = format!(
        "func.func @main(%a: tensor<1x{terms}xf32>, %b: tensor<{terms}x1xf32>, %s: tensor<{terms}xf32>) -> (tensor<1x1xf32>, tensor<f32>) {{
           %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x{terms}xf32>, tensor<{terms}x1xf32>) -> tensor<1x1xf32>
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %1 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<{terms}xf32>, tensor<f32>) -> tensor<f32>
           return %0, %1 : tensor<1x1xf32>, tensor<f32>
         }}"
    );
    let context = new_context();
    let module = parse(&context, "case.mlir", program.as_bytes()).expect("parses");
    let evaluator = Evaluator::new(&module).expect("reads");
    let values = vec![0.1; terms];
    let tensors =
        [&[1, terms][..], &[terms, 1], &[terms]].map(|shape| Tensor::from_f32(shape, &values));
    let run = |session: &Session| -> Vec<f64> {
        let results = evaluator.run(None, &tensors, session).expect("runs");
        results.iter().map(|tensor| tensor.to_f64s()[0]).collect()
    };
    let plain = run(&Session::new(0));
    let mut off = [0.0f64; 2];
    for seed in 0..24 {
        let mut session = Session::new(0);
        session.add_noise(seed);
        for (at, noisy) in run(&session).into_iter().enumerate() {
            off[at] = off[at].max((noisy - plain[at]).abs() / plain[at]);
        }
    }
    // Units of f32 near these sums; sums in blocks are within two.
    let unit = 2f64.powi(-24);
    assert!(off.iter().all(|off| *off > 16.0 * unit), "{:?} units", off.map(|off| off / unit));
}
