//! Reading, printing and taking apart modules, with MLIR linked in.

use strata_diag::codes;
use strata_ir::{
    AttributeExt as _, Module, Op, OpKind, TypeExt as _, View as _, entry, module_op, new_context,
    parse, print, views,
};

fn constant_bytes(module: &Module<'_>) -> Vec<Vec<u8>> {
    module_op(module)
        .collect(|op| op.kind() == OpKind::Constant)
        .into_iter()
        .map(|op| op.attr("value").and_then(|value| value.raw_elements()).expect("dense"))
        .collect()
}

#[test]
fn dense_elements_are_bytes_with_splats_expanded_and_bools_unpacked() {
    let context = new_context();
    let text = r#"
      func.func @main() {
        %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
        %1 = stablehlo.constant dense<true> : tensor<3xi1>
        %2 = stablehlo.constant dense<[-1, 7]> : tensor<2xi4>
        %3 = stablehlo.constant dense<258> : tensor<2xi16>
        %4 = stablehlo.constant dense<> : tensor<0xf32>
        %5 = stablehlo.constant dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>
        return
      }"#;
    let module = parse(&context, "test.mlir", text.as_bytes()).expect("parses");
    let bytes = constant_bytes(&module);
    assert_eq!(bytes[0], [1, 0, 1]);
    assert_eq!(bytes[1], [1, 1, 1]);
    assert_eq!(bytes[2].iter().map(|byte| byte & 15).collect::<Vec<_>>(), [15, 7]);
    assert_eq!(bytes[3], [2, 1, 2, 1]);
    assert!(bytes[4].is_empty());
    assert_eq!(bytes[5], [0, 0, 128, 63, 0, 0, 0, 64]);
}

#[test]
fn dense_attributes_are_made_from_bytes() {
    let context = new_context();
    let parse_type = |text: &str| strata_ir::parse_type(&context, text).expect("a type");
    for (ty, bytes) in [
        ("tensor<3xi1>", vec![1, 0, 1]),
        ("tensor<2xi1>", vec![1, 1]),
        ("tensor<2xi16>", vec![2, 1, 3, 1]),
        ("tensor<1xcomplex<f32>>", vec![0, 0, 128, 63, 0, 0, 0, 64]),
        ("tensor<i8>", vec![5]),
    ] {
        let attribute = strata_ir::dense_bytes(parse_type(ty), &bytes).expect(ty);
        assert_eq!(attribute.raw_elements().expect(ty), bytes, "{ty}: {attribute}");
    }
    assert!(strata_ir::dense_bytes(parse_type("tensor<2xf32>"), &[0; 7]).is_none());
}

#[test]
fn views_name_operands_attributes_and_regions() {
    let context = new_context();
    let text = r#"
      func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %i: tensor<f32>, %j: tensor<f32>)
          -> (tensor<2xf32>, tensor<2xf32>) {
        %0:2 = "stablehlo.reduce"(%x, %y, %i, %j) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
            stablehlo.return %a, %b : tensor<f32>, tensor<f32>
        }) {dimensions = array<i64: 1>}
          : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<2xf32>, tensor<2xf32>)
        return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
      }"#;
    let module = parse(&context, "test.mlir", text.as_bytes()).expect("parses");
    let ops: Vec<Op> = module_op(&module).collect(|op| op.kind() == OpKind::Reduce);
    let reduce = views::Reduce::cast(ops[0]).expect("a reduce");
    assert_eq!(reduce.inputs(), ops[0].operands()[..2]);
    assert_eq!(reduce.init_values(), ops[0].operands()[2..]);
    assert_eq!(reduce.dimensions().and_then(|dims| dims.as_i64s()), Some(vec![1]));
    assert_eq!(reduce.body().blocks().len(), 1);
    assert!(views::Add::cast(ops[0]).is_none());
}

#[test]
fn printing_what_was_parsed_is_a_fixed_point() {
    let context = new_context();
    let text = "module @m {\n  func.func public @main(%arg0: tensor<3xui8>) -> tensor<3xui8> {\n    \
                %0 = stablehlo.add %arg0, %arg0 : tensor<3xui8>\n    \
                return %0 : tensor<3xui8>\n  }\n}\n";
    let module = parse(&context, "test.mlir", text.as_bytes()).expect("parses");
    assert_eq!(print(&module, false), text);
}

#[test]
fn unsigned_types_become_signless() {
    let context = new_context();
    let ty = |text: &str| strata_ir::parse_type(&context, text).expect("a type");
    assert_eq!(ty("tensor<3x?xui8>").signless(), ty("tensor<3x?xi8>"));
    assert_eq!(ty("tensor<f32>").signless(), ty("tensor<f32>"));
    assert_eq!(ty("tensor<2xcomplex<f64>>").signless(), ty("tensor<2xcomplex<f64>>"));
}

#[test]
fn what_cannot_be_read_is_told_apart() {
    let context = new_context();
    for (source, code) in [
        ("", codes::S1002),
        (" \n", codes::S1002),
        ("\u{0}\u{1}", codes::S1003),
        ("// words\n  Dear reader", codes::S1003),
        ("{\"format\": \"json\"}", codes::S1003),
        ("import torch\n", codes::S1003),
        ("nosuch.op", codes::S1004),
        ("module @m {", codes::S1001),
        ("func.func @f( {", codes::S1001),
        ("func.func @f() { \"nosuch.op\"() : () -> () return }", codes::S1004),
        ("func.func @f() { nosuch.op return }", codes::S1004),
        ("func.func @f() { stablehlo.nosuch return }", codes::S1004),
        (
            "func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {\n\
             %0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n\
             return }",
            codes::S1005,
        ),
    ] {
        let errors = parse(&context, "test.mlir", source.as_bytes()).expect_err(source);
        let first = errors.iter().next().expect("an error");
        assert_eq!(first.code(), code, "{source}: {errors}");
    }
}

#[test]
fn types_that_should_be_the_same_are_shown_with_what_to_do() {
    let context = new_context();
    for (own, used, hint) in [
        ("tensor<3xf32>", "tensor<2x3xf32>", "stablehlo.broadcast_in_dim"),
        ("tensor<1x3xf32>", "tensor<2x3xf32>", "stablehlo.broadcast_in_dim"),
        ("tensor<1xcomplex<f32>>", "tensor<2xcomplex<f32>>", "stablehlo.broadcast_in_dim"),
        ("tensor<3xf32>", "tensor<2xf32>", "sizes 2 and 3 differ, and neither is 1"),
        ("tensor<3x4xf32>", "tensor<1x5xf32>", "sizes 5 and 4 differ, and neither is 1"),
        ("tensor<2xcomplex<f32>>", "tensor<2xf32>", "stablehlo.convert"),
        ("tensor<bf16>", "tensor<f32>", "stablehlo.convert"),
    ] {
        let short = format!(
            "func.func @f(%a: {used}, %b: {own}) {{\n%0 = stablehlo.add %a, %b : {used}\nreturn }}"
        );
        let errors = parse(&context, "test.mlir", short.as_bytes()).expect_err("two types");
        let text = errors.to_string() + &errors.render();
        assert!(text.contains("S1016") && text.contains(hint), "{text}");
        assert!(text.contains(&format!("`%b` is {own}, but is used as {used}")), "{text}");
        assert!(text.contains("1 | func.func @f"), "the place of the definition: {text}");
    }
}

#[test]
fn the_entry_is_the_only_public_function_or_the_named_one() {
    let context = new_context();
    let read = |text: &str| parse(&context, "test.mlir", text.as_bytes()).expect("parses");
    let two = read("func.func @f() { return } func.func public @g() { return }");
    assert_eq!(entry(&two, None).expect_err("two").code(), codes::S1007);
    assert_eq!(strata_ir::function_name(entry(&two, Some("g")).expect("g")), "g");
    assert_eq!(entry(&two, Some("h")).expect_err("no h").code(), codes::S1010);
    let with_main = read("func.func @helper() { return } func.func public @main() { return }");
    assert_eq!(strata_ir::function_name(entry(&with_main, None).expect("main")), "main");
    let none = read("func.func private @f() { return }");
    assert_eq!(entry(&none, None).expect_err("none").code(), codes::S1006);
}

#[test]
fn a_lost_mark_of_the_entry_is_our_bug() {
    let context = new_context();
    let module = parse(&context, "test.mlir", b"func.func @f() { return }").expect("parses");
    let error = strata_ir::marked_entry(&module).expect_err("no mark");
    assert_eq!(error.code(), codes::S9002);
}

#[test]
fn a_pass_that_fails_is_our_bug() {
    let context = new_context();
    let mut module = parse(&context, "test.mlir", b"func.func @f() { return }").expect("parses");
    let pipeline = "builtin.module(no-such-pass)";
    let error = strata_ir::run_pipeline(&context, &mut module, pipeline).expect_err("no pass");
    assert_eq!(error.code(), codes::S9003);
    assert!(error.reason_text().is_some_and(|text| text.contains("no-such-pass")), "{error}");
}
