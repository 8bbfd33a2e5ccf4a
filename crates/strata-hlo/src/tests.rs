//! Each family of patterns on the smallest program that it changes, and what the contract refuses.

use strata_ir::{Options, Target, new_context, parse, print, verify};

use crate::{check, run};

/// The entry after the stage, or the code and reason of the refusal.
fn stage(text: &str) -> Result<String, String> {
    let context = new_context();
    let options = Options::new(Target::x86_64_baseline());
    let mut module =
        parse(&context, "test.mlir", text.as_bytes()).map_err(|errors| errors.to_string())?;
    run(&context, &mut module, &options)
        .and_then(|()| verify(&context, &module, "hlo"))
        .and_then(|()| check(&module, &options))
        .map_err(|error| error.to_string())?;
    Ok(print(&module, false))
}

/// The operations left in `@main(%x: ty) -> ty` with that body, but the return.
fn left(ty: &str, body: &str) -> Vec<String> {
    let text = format!("func.func public @main(%x: {ty}) -> {ty} {{\n{body}\n}}");
    let printed = stage(&text).unwrap_or_else(|error| panic!("{error}"));
    let names = printed.split_whitespace().filter(|word| word.starts_with("stablehlo."));
    names.map(str::to_owned).collect()
}

#[test]
fn movements_that_cancel_go() {
    let body = "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
        %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
        %2 = stablehlo.reshape %1 : (tensor<2x3xf32>) -> tensor<6xf32>
        %3 = stablehlo.reshape %2 : (tensor<6xf32>) -> tensor<2x3xf32>
        %4 = stablehlo.slice %3 [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
        return %4 : tensor<2x3xf32>";
    assert!(left("tensor<2x3xf32>", body).is_empty());
}

#[test]
fn a_transpose_of_unit_dimensions_is_a_reshape() {
    let body =
        "%0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<3x1x1xf32>) -> tensor<3x1x1xf32>
        return %0 : tensor<3x1x1xf32>";
    assert!(left("tensor<3x1x1xf32>", body).is_empty());
}

#[test]
fn broadcasts_of_broadcasts_and_splats_are_one() {
    let body = "%c = stablehlo.constant dense<2.0> : tensor<f32>
        %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<1x3xf32>
        %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
        %2 = stablehlo.multiply %x, %1 : tensor<2x3xf32>
        return %2 : tensor<2x3xf32>";
    assert_eq!(left("tensor<2x3xf32>", body), ["stablehlo.constant", "stablehlo.multiply"]);
}

#[test]
fn only_true_identities_are_used() {
    let neutral = "%c = stablehlo.constant dense<0xFF800000> : tensor<3xf32>
        %0 = stablehlo.maximum %c, %x : tensor<3xf32>
        return %0 : tensor<3xf32>";
    assert!(left("tensor<3xf32>", neutral).is_empty());
    // -0.0 + 0.0 is 0.0: the sum changes something.
    let zero = "%c = stablehlo.constant dense<0.0> : tensor<3xf32>
        %0 = stablehlo.add %x, %c : tensor<3xf32>
        return %0 : tensor<3xf32>";
    assert_eq!(left("tensor<3xf32>", zero).last().map(String::as_str), Some("stablehlo.add"));
}

#[test]
fn calls_and_composites_are_inlined() {
    let text = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = call @twice(%x) : (tensor<3xf32>) -> tensor<3xf32>
          %1 = stablehlo.composite \"my.op\" %0 {decomposition = @twice} : (tensor<3xf32>) -> tensor<3xf32>
          return %1 : tensor<3xf32>
        }
        func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = stablehlo.add %x, %x : tensor<3xf32>
          return %0 : tensor<3xf32>
        }";
    let printed = stage(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(printed.matches("stablehlo.add").count(), 2);
    assert!(!printed.contains("@twice"), "{printed}");
}

#[test]
fn recursion_is_refused() {
    let text = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = call @again(%x) : (tensor<3xf32>) -> tensor<3xf32>
          return %0 : tensor<3xf32>
        }
        func.func private @again(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = call @again(%x) : (tensor<3xf32>) -> tensor<3xf32>
          return %0 : tensor<3xf32>
        }";
    let error = stage(text).expect_err("recursive");
    assert!(error.contains("S1201") && error.contains("recursive"), "{error}");
}

#[test]
fn what_later_stages_lack_is_refused_by_its_own_code() {
    let program = |ty: &str, op: &str| {
        format!("func.func public @main(%x: {ty}) -> {ty} {{\n{op}\nreturn %x : {ty}\n}}")
    };
    for (code, ty, op) in [
        ("S1101", "tensor<?xf32>", ""),
        ("S1102", "tensor<3x!quant.uniform<i8:f32, 1.0>>", ""),
        ("S1103", "tensor<3xf32>", "%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64,
            replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>) -> tensor<6xf32>
            %1 = stablehlo.custom_call @keep(%0) {has_side_effect = true} : (tensor<6xf32>) -> tensor<ui32>"),
    ] {
        let error = stage(&program(ty, op)).expect_err(code);
        assert!(error.contains(code), "{code}: {error}");
    }
}
