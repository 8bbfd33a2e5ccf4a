//! Strings and what they are read as.

use strata_ir::{Context, module_op, new_context, parse_text};

use super::{Annotation, digits, parse, proto, read};

fn tiles(text: &str) -> super::Tiles {
    match &parse(text).expect(text)[..] {
        [Annotation::Tiled(tiles)] => tiles.clone(),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn strings_name_the_devices_of_each_tile() {
    assert_eq!(tiles("{devices=[2,4]<=[8]}").devices, [0, 1, 2, 3, 4, 5, 6, 7]);
    let one = tiles("{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}");
    assert_eq!(one.devices, [0, 4, 1, 5, 2, 6, 3, 7]);
    assert_eq!((one.rank(), one.manual), (2, false));
    assert_eq!(tiles("{devices=[2,2]0,2,1,3}").devices, [0, 2, 1, 3]);
    let one = tiles(
        "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated} metadata={op_name=\"a{b}\"}}",
    );
    assert_eq!((one.rank(), one.manual), (1, true));
    assert_eq!(parse("{replicated}"), Ok(vec![Annotation::Replicated]));
    assert_eq!(parse("{maximal device=3}"), Ok(vec![Annotation::Maximal(3)]));
    assert_eq!(
        parse("{{replicated}, {manual}}"),
        Ok(vec![Annotation::Replicated, Annotation::Manual])
    );
    assert_eq!(parse("{}"), Ok(Vec::new()));
}

#[test]
fn mistakes_are_named() {
    let wrong = |text: &str| parse(text).expect_err(text);
    assert_eq!(wrong(""), "`{` is missing at its end");
    assert_eq!(wrong("{replicated"), "`}` is missing at its end");
    assert_eq!(wrong("{split}"), "it is not known what `split}` is");
    assert_eq!(wrong("{devices=[2,2]<=[8]}"), "there are 4 tiles, and 8 devices");
    assert_eq!(wrong("{devices=[2,2]0,1,2}"), "there are 4 tiles, and 3 devices");
    assert_eq!(wrong("{devices=[2,2]0,1,2,2}"), "it does not list each of the devices 0 to 3 once");
    assert_eq!(wrong("{devices=[2,0]<=[0]}"), "a dimension has no tiles");
    assert_eq!(wrong("{devices=[4]<=[2,2]T(0,0)}"), "[0, 0] is not an order of 2 dimensions");
    assert_eq!(wrong("{devices=[4294967296,4294967296]<=[1]}"), "it has more than 1048576 tiles");
    assert_eq!(
        wrong("{devices=[99999999999999999999]<=[1]}"),
        "a number is missing before `99999999999999999999]<=[1]}`"
    );
    assert_eq!(wrong("{devices=[2]<=[2]} x"), "`x` follows its end");
    assert_eq!(
        wrong("{devices=[2]<=[2] last_tile_dims={manual,manual}}"),
        "it has more kinds of dimensions than dimensions"
    );
    assert_eq!(wrong("{replicated last_tile_dim_replicate}"), "only devices have tiles");
    assert_eq!(wrong("{replicated metadata={a}"), "`}` is missing at its end");
}

#[test]
fn bytes_say_what_strings_say() {
    let of = |bytes: &[u8]| proto::parse(bytes);
    assert_eq!(of(&[8, 3, 0x1a, 2, 1, 2, 0x22, 2, 0, 1]), parse("{devices=[1,2]0,1}"));
    assert_eq!(
        of(&[8, 3, 0x1a, 2, 4, 2, 0x30, 1, 0x4a, 2, 2, 4, 0x52, 2, 1, 0]),
        parse("{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}")
    );
    assert_eq!(of(&[8, 2, 0x2a, 2, 8, 4, 0x2a, 0]), parse("{{manual},{replicated}}"));
    assert_eq!(of(&[8, 1, 0x1a, 1, 1, 0x22, 1, 0]), parse("{maximal device=0}"));
    let wrong = |bytes: &[u8]| of(bytes).expect_err("it is wrong");
    assert_eq!(wrong(&[8]), "it ends early");
    assert_eq!(wrong(&[0x1a, 9, 1]), "it ends early");
    assert_eq!(wrong(&[8, 3, 0x1a, 1, 2]), "there are 2 tiles, and 0 devices");
    assert_eq!(wrong(&[8, 9]), "type 9 is not known");
    assert_eq!(wrong(&[9]), "field 1 has an unknown form");
    assert_eq!(
        wrong(&[8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        "a number is too long"
    );
}

#[test]
fn lists_that_are_grids_are_taken_apart() {
    let strides = |text: &str| {
        let dims = digits(&tiles(text))?;
        Some(dims.iter().map(|dim| dim.iter().map(|d| (d.stride, d.size)).collect()).collect())
    };
    let of = |dims: &[&[(i64, i64)]]| Some(dims.iter().map(|dim| dim.to_vec()).collect::<Vec<_>>());
    assert_eq!(strides("{devices=[2,3]<=[6]}"), of(&[&[(3, 2)], &[(1, 3)]]));
    assert_eq!(strides("{devices=[4,1,2]<=[2,4]T(1,0)}"), of(&[&[(2, 2), (1, 2)], &[], &[(4, 2)]]));
    assert_eq!(strides("{devices=[2,2]0,2,1,3}"), of(&[&[(1, 2)], &[(2, 2)]]));
    assert_eq!(strides("{devices=[4]0,1,3,2}"), None);
    assert_eq!(strides("{devices=[4]1,0,2,3}"), None);
}

fn rewritten(context: &Context, text: &str) -> String {
    let module = parse_text(context, text).expect("it parses");
    read(context, &module).expect("it is read");
    assert!(module_op(&module).verify(), "{}", strata_ir::print(&module, false));
    strata_ir::print(&module, false)
}

#[test]
fn a_program_gets_one_mesh() {
    let context = new_context();
    let text = r#"
      func.func @main(%x: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %y: tensor<8xf32> {mhlo.sharding = "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}, %z: tensor<f32>)
          -> (tensor<8x8xf32> {mhlo.sharding = "{maximal device=0}"}) {
        %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{devices=[1,8]<=[8]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
        %1 = stablehlo.add %0, %0 {mhlo.sharding = "{replicated}"} : tensor<8x8xf32>
        %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "", mhlo.sharding = "{devices=[2,4]0,1,2,3,7,6,5,4}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
        return %2 : tensor<8x8xf32>
      }"#;
    insta::assert_snapshot!(rewritten(&context, text));
}

#[test]
fn calls_between_parts_and_wholes_are_bodies_of_devices() {
    let context = new_context();
    let text = r#"
      func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
        %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
        %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x3xf32>) -> tensor<2x3xf32>
        %two = stablehlo.constant dense<2.0> : tensor<2x3xf32>
        %2 = stablehlo.multiply %1, %two : tensor<2x3xf32>
        %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<2x3xf32>) -> tensor<4x3xf32>
        %5 = stablehlo.add %4, %x : tensor<4x3xf32>
        %6 = stablehlo.custom_call @Sharding(%5) {backend_config = "", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
        %7 = stablehlo.custom_call @SPMDFullToShardShape(%6) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x3xf32>) -> tensor<2x3xf32>
        %8 = stablehlo.custom_call @SPMDShardToFullShape(%7) {backend_config = "", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<2x3xf32>) -> tensor<4x3xf32>
        return %8 : tensor<4x3xf32>
      }"#;
    insta::assert_snapshot!(rewritten(&context, text));
}

#[test]
fn strings_that_do_not_fit_are_refused() {
    let context = new_context();
    let reason = |sharding: &str| {
        let text = format!(
            "func.func @main(%x: tensor<8x8xf32> {{mhlo.sharding = \"{sharding}\"}}) {{ return }}"
        );
        let module = parse_text(&context, &text).expect("it parses");
        let error = read(&context, &module).expect_err(sharding);
        error.reason_text().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(
        [
            reason("{devices=[8]<=[8]}"),
            reason("{devices=[2,2,2]<=[8] last_tile_dims={manual}}"),
            reason("{{replicated},{replicated}}"),
            reason("{devices=[2,2"),
        ]
        .join("\n")
    );
}
