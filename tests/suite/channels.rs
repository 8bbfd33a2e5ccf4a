//! Networks with their channels first are computed with them last. That they compute the right numbers is among the cases of
//! `ops/convolution`; here is where transposes are left.

use std::{fs, path::PathBuf};

use rstest::rstest;
use strata::{Compiler, Stage};

use crate::{
    command::{strata, workspace},
    harness::options,
};

fn folder(name: &str) -> PathBuf {
    workspace().join(format!("tests/ops/convolution/channels_first_{name}"))
}

/// The program after a stage.
fn stage(text: &str, stage: Stage) -> String {
    let made = Compiler::new(options("x86-64-v3")).to(stage).compile("model.mlir", text.as_bytes());
    let made = made.unwrap_or_else(|errors| panic!("{errors}"));
    String::from_utf8(made.bytes().to_vec()).expect("text")
}

/// Transposes are left of inputs and of outputs, and of what has no other way: each line is one more than arguments and results explain.
#[rstest]
// Two kernels, the image and the result.
#[case::moves("moves", 4)]
// Four kernels, of which two are of one tap and one image, the image and the result.
#[case::pools("pools", 4)]
// The skip connection reads the image as it is computed with; what is flattened is in the program's order.
#[case::both_ways("both_ways", 4)]
#[case::norms("norms", 5)]
// Loops carry what is computed with, branches return it, and kernels are moved before.
#[case::control("control", 4)]
// The program's own transpose to tokens is gone.
#[case::tokens("tokens", 4)]
// Running sums and the place of an extreme are along a dimension of the program's order.
#[case::indices("indices", 5)]
// Batches take the place of features in gradients of kernels.
#[case::gradients("gradients", 11)]
#[case::no_images("no_images", 0)]
#[case::units("units", 1)]
#[case::grouped("grouped", 7)]
#[case::lines_and_volumes("lines_and_volumes", 7)]
#[case::bytes("bytes", 4)]
fn transposes_are_at_the_borders(#[case] name: &str, #[case] count: usize) {
    let text = fs::read_to_string(folder(name).join("input.mlir")).expect("the program");
    let found = stage(&text, Stage::Hlo);
    assert_eq!(found.matches("stablehlo.transpose").count(), count, "{found}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder(name));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("layouts", found));
}

/// A program of one convolution between two others, in this order of dimensions.
fn between(order: &str, kernel: &str, shape: [usize; 4], op: &str) -> String {
    let ty = shape.map(|size| size.to_string()).join("x");
    let conv = |from: &str, to: &str| {
        format!(
            "%{to} = stablehlo.convolution(%{from}, %k) dim_numbers = {order}x{kernel}->{order}, window = {{pad = [[1, 1], [1, 1]]}} \
             {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<{ty}xf32>, tensor<KERNELxf32>) -> tensor<{ty}xf32>\n"
        )
    };
    let kernel_ty = if kernel.starts_with("[o") { "4x4x3x3" } else { "3x3x4x4" };
    format!(
        "func.func @main(%x: tensor<{ty}xf32>, %k: tensor<KERNELxf32>) -> tensor<{ty}xf32> {{\n{}{op}\n{}return %z : tensor<{ty}xf32>\n}}\n",
        conv("x", "a"),
        conv("y", "z"),
    )
    .replace("KERNEL", kernel_ty)
}

#[test]
fn channels_that_are_last_stay_where_they_are() {
    let op = "%y = stablehlo.tanh %a : tensor<2x5x3x4xf32>";
    let text = between("[b, 0, 1, f]", "[0, 1, i, o]", [2, 5, 3, 4], op);
    let found = stage(&text, Stage::Hlo);
    assert!(!found.contains("transpose"), "{found}");
    let op = "%y = stablehlo.tanh %a : tensor<2x4x5x3xf32>";
    let text = between("[b, f, 0, 1]", "[o, i, 0, 1]", [2, 4, 5, 3], op);
    assert_eq!(stage(&text, Stage::Hlo).matches("transpose").count(), 3);
    // Alone, a convolution is between transposes, too: what pads its operand has channels last.
    let alone = "func.func @main(%x: tensor<2x4x5x3xf32>, %k: tensor<6x4x3x3xf32>) -> tensor<2x6x5x3xf32> {
        %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]}
            {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x5x3xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x5x3xf32>
        return %y : tensor<2x6x5x3xf32>\n}\n";
    assert_eq!(stage(alone, Stage::Hlo).matches("transpose").count(), 3);
}

#[test]
fn elements_of_windows_keep_their_order_where_it_matters() {
    // The first of equal elements of a window gets what is scattered: columns before rows, as no order of features does, would be others.
    let found = fs::read_to_string(folder("gradients").join("input.mlir")).expect("the program");
    let found = stage(&found, Stage::Hlo);
    let scatter = found.lines().find(|line| line.contains("select_and_scatter")).expect("one");
    assert!(scatter.contains("window_dimensions = array<i64: 1, 2, 2, 1>"), "{scatter}");
}

#[test]
fn remarks_say_which_layouts_were_chosen() {
    let text = fs::read_to_string(folder("moves").join("input.mlir")).expect("the program");
    let here = tempfile::tempdir().expect("a folder");
    fs::write(here.path().join("p.mlir"), text).expect("written");
    let ended = strata(here.path(), &["compile", "p.mlir", "-o", "p.o", "--remarks"]).succeeded();
    let mut lines = ended.stderr.lines();
    let line = lines.find(|line| line.starts_with("layouts:"));
    let line = line.unwrap_or_else(|| panic!("{}", ended.stderr));
    assert!(line.contains(" values as [0, 2, 3, 1]; 4 transposes, "), "{line}");
}

#[test]
fn kernels_are_transposed_as_matrices() {
    let text = "func.func @main(%k: tensor<32x20x3x3xf32>) -> tensor<3x3x20x32xf32> {
        %0 = stablehlo.transpose %k, dims = [2, 3, 1, 0] : (tensor<32x20x3x3xf32>) -> tensor<3x3x20x32xf32>
        return %0 : tensor<3x3x20x32xf32>\n}\n";
    let found = stage(text, Stage::Linalg);
    assert_eq!(found.matches("linalg.transpose").count(), 2, "{found}");
    // Rows that are not short, or not to be columns.
    for (from, to, dims) in [
        ("32x20x80", "80x20x32", "[2, 1, 0]"),
        ("32x20x3", "3x32x20", "[2, 0, 1]"),
        ("32x20x3", "20x32x3", "[1, 0, 2]"),
    ] {
        let text = format!(
            "func.func @main(%k: tensor<{from}xf32>) -> tensor<{to}xf32> {{
            %0 = stablehlo.transpose %k, dims = {dims} : (tensor<{from}xf32>) -> tensor<{to}xf32>
            return %0 : tensor<{to}xf32>\n}}\n"
        );
        let found = stage(&text, Stage::Linalg);
        assert_eq!(found.matches("linalg.transpose").count(), 1, "{found}");
    }
}
