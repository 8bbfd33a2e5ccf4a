use super::{Cost, Costs};
use strata_ir::{new_context, parse};

fn costs(body: &str) -> Costs {
    let context = new_context();
    let text = format!("func.func @main{body}");
    let module = parse(&context, "cost.mlir", text.as_bytes()).expect("a program");
    Costs::of(&module)
}

fn total(body: &str) -> Cost {
    costs(body).total()
}

#[test]
fn products_count_twice() {
    let dot = total(
        "(%a: tensor<2x3x5xf32>, %b: tensor<2x5x7xf32>) -> tensor<2x3x7xf32> {
           %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
             : (tensor<2x3x5xf32>, tensor<2x5x7xf32>) -> tensor<2x3x7xf32>
           return %0 : tensor<2x3x7xf32> }",
    );
    let bytes = 4 * (2 * 3 * 5 + 2 * 5 * 7 + 2 * 3 * 7);
    assert_eq!(dot, Cost { flops: 2 * 2 * 3 * 7 * 5, transcendentals: 0, bytes });
    let conv = total(
        "(%x: tensor<1x6x6x4xf32>, %k: tensor<3x3x2x8xf32>) -> tensor<1x4x4x8xf32> {
           %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
             {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
             : (tensor<1x6x6x4xf32>, tensor<3x3x2x8xf32>) -> tensor<1x4x4x8xf32>
           return %0 : tensor<1x4x4x8xf32> }",
    );
    assert_eq!(conv.flops, 2 * (4 * 4 * 8) * (3 * 3 * 2));
}

#[test]
fn pointwise_and_transcendental_are_apart() {
    let cost = total(
        "(%x: tensor<5xf32>) -> tensor<5xf32> {
           %0 = stablehlo.exponential %x : tensor<5xf32>
           %1 = stablehlo.add %0, %x : tensor<5xf32>
           %2 = stablehlo.reshape %1 : (tensor<5xf32>) -> tensor<5xf32>
           return %2 : tensor<5xf32> }",
    );
    assert_eq!(cost, Cost { flops: 5, transcendentals: 5, bytes: 4 * (10 + 15) });
}

#[test]
fn a_sum_of_n_takes_one_less() {
    let cost = total(
        "(%x: tensor<5x3xf32>) -> tensor<3xf32> {
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
             : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
           return %0 : tensor<3xf32> }",
    );
    assert_eq!(cost.flops, 12);
}

#[test]
fn a_running_sum_adds_each_element_once() {
    let sum = |padding: &str| {
        total(&format!(
            "(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {{
               %zero = stablehlo.constant dense<0.0> : tensor<f32>
               %0 = \"stablehlo.reduce_window\"(%x, %zero) <{{padding = dense<{padding}> : tensor<2x2xi64>, window_dimensions = array<i64: 5, 1>}}> ({{
               ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                 %1 = stablehlo.add %a, %b : tensor<f32>
                 stablehlo.return %1 : tensor<f32>
               }}) : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x3xf32>
               return %0 : tensor<5x3xf32> }}"
        ))
    };
    assert_eq!(sum("[[4, 0], [0, 0]]").flops, 12);
    assert_eq!(sum("[[0, 4], [0, 0]]").flops, 12);
    assert_eq!(sum("[[2, 2], [0, 0]]").flops, 60);
}

#[test]
fn loops_count_as_often_as_they_run() {
    let program = |end: &str| {
        costs(&format!(
            "(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {{
               %one = stablehlo.constant dense<1> : tensor<i32>
               %ten = stablehlo.constant dense<10> : tensor<i32>
               %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i32>, tensor<3xf32>
                 cond {{
                   %1 = stablehlo.compare LT, %i, {end} : (tensor<i32>, tensor<i32>) -> tensor<i1>
                   stablehlo.return %1 : tensor<i1>
                 }} do {{
                   %1 = stablehlo.add %i, %one : tensor<i32>
                   %2 = stablehlo.multiply %a, %a : tensor<3xf32>
                   stablehlo.return %1, %2 : tensor<i32>, tensor<3xf32>
                 }}
               return %0#1 : tensor<3xf32> }}"
        ))
    };
    let counted = program("%ten");
    assert_eq!((counted.open_loops, counted.operations["multiply"].1.flops), (0, 27));
    let open = program("%n");
    assert_eq!((open.open_loops, open.operations["multiply"].1.flops), (1, 3));
}

#[test]
fn weights_are_constants_that_differ() {
    let costs = costs(
        "() -> (tensor<3xf32>, tensor<4xf32>) {
           %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
           %1 = stablehlo.constant dense<0.0> : tensor<4xf32>
           return %0, %1 : tensor<3xf32>, tensor<4xf32> }",
    );
    assert_eq!((costs.weights, costs.total()), ((1, 12), Cost::default()));
}
