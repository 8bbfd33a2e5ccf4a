//! Random bits whose number is a size up to a bound are those of the program with that size, bit for bit, and so is the state after them.

use std::fmt::Write as _;

use super::check_bounds;

/// Draws tensors of that shape, an element of which is a number or an input's open size, with each algorithm and some element types, from
/// states of all kinds. `%first` is the first element of the input, so that states are not known.
fn program(shape: &str, types: &[&str]) -> String {
    let sizes: Vec<&str> = shape.split('x').collect();
    let mut body = String::new();
    let mut parts = Vec::new();
    for (dim, size) in sizes.iter().enumerate() {
        match size.parse::<i64>() {
            Ok(known) => writeln!(body, "%d{dim} = stablehlo.constant dense<{known}> : tensor<1xi32>"),
            Err(_) => writeln!(
                body,
                "%e{dim} = stablehlo.get_dimension_size %{size}, dim = 0 : (tensor<?xui64>) -> tensor<i32>\n\
                 %d{dim} = stablehlo.reshape %e{dim} : (tensor<i32>) -> tensor<1xi32>"
            ),
        }
        .expect("a string");
        parts.push(format!("%d{dim}"));
    }
    let rank = sizes.len();
    let ty = vec!["tensor<1xi32>"; rank].join(", ");
    let list = parts.join(", ");
    writeln!(body, "%shape = stablehlo.concatenate {list}, dim = 0 : ({ty}) -> tensor<{rank}xi32>")
        .expect("a string");
    let open: Vec<&str> =
        sizes.iter().map(|size| size.parse::<i64>().map_or("?", |_| size)).collect();
    let (mut results, mut outputs) = (Vec::new(), Vec::new());
    let states = |algorithm: &str| match algorithm {
        "THREE_FRY" => vec!["2xui64", "4xui32", "2xi64"],
        _ => vec!["3xui64", "2xui64", "6xui32", "4xi32"],
    };
    let mut number = 0;
    for algorithm in ["THREE_FRY", "PHILOX", "DEFAULT"] {
        let kinds = states(algorithm);
        for (at, element) in types.iter().enumerate() {
            let state = kinds[(number + at) % kinds.len()];
            let bits = format!("tensor<{}x{element}>", open.join("x"));
            writeln!(
                body,
                "%r{number}:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s{state}, %shape) \
                 {{api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}} : \
                 (tensor<{state}>, tensor<{rank}xi32>) -> (tensor<{state}>, {bits})"
            )
            .expect("a string");
            results.extend([format!("%r{number}#0"), format!("%r{number}#1")]);
            outputs.extend([format!("tensor<{state}>"), bits]);
            number += 1;
        }
    }
    let mut inputs: Vec<&str> =
        sizes.iter().copied().filter(|size| size.parse::<i64>().is_err()).collect();
    inputs.dedup();
    let mut inputs: Vec<String> =
        inputs.iter().map(|name| format!("%{name}: tensor<?xui64> loc(\"{name}\")")).collect();
    for state in ["2xui64", "4xui32", "2xi64", "3xui64", "6xui32", "4xi32"] {
        inputs.push(format!("%s{state}: tensor<{state}> loc(\"s{state}\")"));
    }
    format!(
        "func.func public @main({}) -> ({}) {{\n{body}return {} : {}\n}}",
        inputs.join(", "),
        outputs.join(", "),
        results.join(", "),
        outputs.join(", ")
    )
}

/// Sizes of one dimension: none, even and odd, and all up to the bound, so that each takes its turn as the one along which pairs lie.
#[rstest::rstest]
#[case("n", "n.0=11", &["ui32", "ui64", "i8", "ui16", "i32", "i64", "ui4"])]
#[case("nx4", "n.0=7", &["ui32", "i64", "ui8"])]
#[case("nx3", "n.0=7", &["ui32", "ui64", "i16"])]
#[case("3xn", "n.0=7", &["ui32", "ui64", "i8"])]
#[case("2xn", "n.0=6", &["i32", "i64", "ui8"])]
#[case("1xnx1", "n.0=6", &["ui32", "ui64"])]
#[case("nxn", "n.0=5", &["ui32", "ui64"])]
#[case("5xnx3", "n.0=8", &["ui32", "i64"])]
#[case("nxm", "n.0=5,m.0=6", &["ui32", "ui64"])]
#[case("mx3xn", "m.0=4,n.0=5", &["i32", "i64"])]
#[case("nxmx2", "n.0=4,m.0=5", &["ui16", "ui64"])]
fn bits_are_those_of_the_size(#[case] shape: &str, #[case] bounds: &str, #[case] types: &[&str]) {
    let program = program(shape, types);
    let every: Vec<i64> = (0..12).collect();
    check_bounds(shape, program.as_bytes(), bounds, &every, "x86-64-v3");
}

/// A counter of 128 bits carries from its low word, and one of 64 starts again.
#[test]
fn counters_carry() {
    let program = r#"
func.func public @main(%x: tensor<?xf32> loc("n")) -> (tensor<?xui32>, tensor<3xui64>, tensor<6xui32>, tensor<2xui64>, tensor<2xui64>) {
  %wide = stablehlo.constant dense<[5, 18446744073709551614, 9]> : tensor<3xui64>
  %words = stablehlo.constant dense<[5, 6, 4294967295, 4294967295, 4294967295, 8]> : tensor<6xui32>
  %narrow = stablehlo.constant dense<[7, 18446744073709551615]> : tensor<2xui64>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %shape = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%wide, %shape) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<3xui64>, tensor<1xi32>) -> (tensor<3xui64>, tensor<?xui32>)
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%words, %shape) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<6xui32>, tensor<1xi32>) -> (tensor<6xui32>, tensor<?xui32>)
  %2:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%narrow, %shape) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
  %3:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%narrow, %shape) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
  return %0#1, %0#0, %1#0, %2#0, %3#0 : tensor<?xui32>, tensor<3xui64>, tensor<6xui32>, tensor<2xui64>, tensor<2xui64>
}"#;
    let every: Vec<i64> = (0..13).collect();
    check_bounds("carries", program.as_bytes(), "n.0=13", &every, "x86-64-v3");
}

/// A loop that draws in each trip goes on with the state of the size.
#[test]
fn loops_draw_on() {
    let program = r#"
func.func public @main(%x: tensor<?x3xui32> loc("x"), %key: tensor<2xui64> loc("key")) -> (tensor<?x3xui32>, tensor<2xui64>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %columns = stablehlo.constant dense<3> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xui32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0:3 = stablehlo.while(%i = %zero, %all = %x, %state = %key) : tensor<i32>, tensor<?x3xui32>, tensor<2xui64>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %drawn:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x3xui32>)
    %more = stablehlo.xor %all, %drawn#1 : tensor<?x3xui32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %more, %drawn#0 : tensor<i32>, tensor<?x3xui32>, tensor<2xui64>
  }
  return %0#1, %0#2 : tensor<?x3xui32>, tensor<2xui64>
}"#;
    let every: Vec<i64> = (0..9).collect();
    check_bounds("loop", program.as_bytes(), "x.0=9", &every, "x86-64-v3");
}
