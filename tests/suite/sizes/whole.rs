//! Work on whole tensors that ends at sizes: reductions to few elements, copies.

use std::fs;

use crate::command::{strata, workspace};

/// A program up to bounds after a stage.
fn compiled(program: &str, max: &str, stage: &str) -> String {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "-o", "-"];
    let arguments = [&arguments[..], &["--max", max, "--to", stage]].concat();
    strata(here.path(), &arguments).succeeded().text().to_owned()
}

/// A sum of `x` along dimensions.
fn sum(shape: &str, dims: &str, result: &str) -> String {
    format!(
        "func.func public @main(%x: tensor<{shape}xf32> loc(\"x\")) -> tensor<{result}f32> {{
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = {dims} : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{result}f32>
          return %0 : tensor<{result}f32>
        }}"
    )
}

/// Sums without a schedule, and of rows that are joined, end at the size, as the blocks of a long sum do.
#[test]
fn sums_of_few_elements_end_at_the_size() {
    for (shape, dims, result, whole) in [
        ("?x3", "[0]", "3x", "to 128"),
        ("?x64", "[0, 1]", "", "to %c8192"),
        ("?x8x6", "[0, 2]", "8x", "to 128"),
    ] {
        let text = compiled(&sum(shape, dims, result), "x.0=128", "affine");
        assert!(!text.contains(whole) && text.contains("strata.limit"), "{shape}: {text}");
    }
    let text = compiled(&sum("?x3", "[0]", "3x"), "x.0=1500", "affine");
    assert!(text.contains("strata.limit") && !text.contains("to %c1500"), "{text}");
}

/// An input that is returned beside other results is read and written where callers have it, up to the size.
#[test]
fn returned_inputs_are_copied_up_to_the_size() {
    for shape in ["64x?", "?x64", "?x3"] {
        let ty = format!("tensor<{shape}xf32>");
        let program = format!(
            "func.func public @main(%x: {ty} loc(\"x\")) -> ({ty}, {ty}) {{
              %0 = stablehlo.tanh %x : {ty}
              return %x, %0 : {ty}, {ty}
            }}"
        );
        let symbol = if shape.starts_with('?') { "x.0=128" } else { "x.1=128" };
        let text = compiled(&program, symbol, "vector");
        // Code for one size alone copies whole buffers.
        let copies = text.matches("memref.copy %arg").count();
        let versions = text.matches("sizes = array<i64").count();
        assert!(copies < versions, "{shape}: {copies} of {versions}, {text}");
    }
}

/// Reductions of everything have a schedule for each step, and masks count places instead of reading them from a tensor of the bound.
#[test]
fn reductions_of_everything_have_schedules() {
    for (shape, dims, symbol) in [
        ("?x64", "[0, 1]", "x.0"),
        ("64x?", "[0, 1]", "x.1"),
        ("4x?x8", "[0, 1, 2]", "x.1"),
        ("?", "[0]", "x.0"),
    ] {
        let program = sum(shape, dims, "").replace("dense<0.0>", "dense<0xFF800000>");
        let program = program.replace("applies stablehlo.add", "applies stablehlo.maximum");
        let text = compiled(&program, &format!("{symbol}=120"), "schedule");
        assert!(!text.contains("\"reduction\""), "{shape}: {text}");
        let text = compiled(&program, &format!("{symbol}=120"), "vector");
        // The last vector of an extremum along one row meets elements again.
        assert_eq!(text.contains("vector.create_mask"), shape != "?", "{shape}: {text}");
        for places in ["120xi32", "960xi32", "7680xi32"] {
            assert!(!text.contains(places), "{shape}: {text}");
        }
    }
}

/// Inputs that are put beside each other, rolled or returned in part stay where the caller has them, and so does what is made of them.
#[test]
fn pieces_of_inputs_are_copied_in_place() {
    let x = "tensor<64x?xf32>";
    let beside = format!(
        "func.func public @main(%x: {x} loc(\"x\"), %y: {x} loc(\"y\")) -> ({x}, {x}) {{
          %0 = stablehlo.concatenate %x, %y, dim = 1 : ({x}, {x}) -> {x}
          %1 = stablehlo.add %x, %y : {x}
          return %0, %1 : {x}, {x}
        }}"
    );
    let below = beside.replace("dim = 1", "dim = 0");
    let below = below.replace(&format!("({x}, {x}) {{"), &format!("(tensor<128x?xf32>, {x}) {{"));
    let below = below
        .replace(&format!("({x}, {x}) -> {x}\n"), &format!("({x}, {x}) -> tensor<128x?xf32>\n"));
    let below = below.replace(&format!("%1 : {x}, {x}"), &format!("%1 : tensor<128x?xf32>, {x}"));
    // As JAX takes all but the last column.
    let window = format!(
        "func.func public @main(%x: {x} loc(\"x\")) -> {x} {{
          %one = stablehlo.constant dense<1> : tensor<i32>
          %rows = stablehlo.constant dense<64> : tensor<1xi32>
          %first = stablehlo.constant dense<1> : tensor<1xi32>
          %n = stablehlo.get_dimension_size %x, dim = 1 : ({x}) -> tensor<i32>
          %more = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.custom_call @shape_assertion(%more, %n) {{error_message = \"{{0}}\", has_side_effect = true}} : (tensor<i1>, tensor<i32>) -> ()
          %m = stablehlo.subtract %n, %one : tensor<i32>
          %c = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
          %sizes = stablehlo.concatenate %rows, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
          %0 = \"stablehlo.dynamic_gather\"(%x, %first, %sizes) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true}}> : ({x}, tensor<1xi32>, tensor<2xi32>) -> {x}
          return %0 : {x}
        }}"
    );
    for (program, inputs, places) in [
        (&beside, "x.1=128", "0, 1, 3, 4"),
        (&below, "x.1=128", "0, 1, 3, 4"),
        (&window, "x.1=128", "0, 2"),
    ] {
        let text = compiled(program, inputs, "vector");
        let own = format!("strata.in_place = array<i64: {places}>");
        assert!(text.contains(&own), "{program}: {text}");
    }
    assert!(!compiled(&window, "x.1=128", "hlo").contains("gather"), "{window}");
    let pad = format!(
        "func.func public @main(%x: {x} loc(\"x\")) -> {x} {{
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.pad %x, %zero, low = [0, 1], high = [0, 1], interior = [0, 0] : ({x}, tensor<f32>) -> {x}
          return %0 : {x}
        }}"
    );
    let text = compiled(&pad, "x.1=128", "schedule");
    assert!(!text.contains("tensor.pad") && !text.contains("arith.select"), "{text}");
}

/// Where each loop of a scheduled program ends: `…` for one that has no limit.
fn ends(name: &str, bounds: &str) -> Vec<(String, String)> {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join(format!("tests/sizes/{name}.mlir"));
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--max", bounds, "--to", "schedule", "-o", "-"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let limit = |line: &str| {
        let found = line.split_once("strata.limit = ");
        found.map_or_else(
            || "…".to_owned(),
            |(_, limit)| limit[..limit.find('}').unwrap()].to_owned(),
        )
    };
    let mut lines = text.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let kind = ["linalg.generic", "tensor.pad"].into_iter().find(|kind| line.contains(kind));
        let Some(kind) = kind else { continue };
        // The attributes of a pad follow its region.
        let with_limit = match kind {
            "tensor.pad" => lines.find(|line| line.starts_with("    }")).unwrap_or_default(),
            _ => line,
        };
        if line.contains("iterator_types = []") {
            continue;
        }
        found.push((kind.to_owned(), limit(with_limit)));
    }
    found
}

/// A window whose padding depends on the size is moved by one pad and one slice, and the pad makes as much as is read; the masks and
/// transposes before a sum over all rows end with it.
#[test]
fn what_moved_windows_and_sums_read_ends_at_the_size() {
    let all = ends("strided_images", "x.1=40,x.2=44");
    let pads = all.iter().filter(|(kind, _)| kind == "tensor.pad");
    assert_eq!(pads.count(), 2, "{all:?}");
    assert!(all.iter().all(|(_, limit)| limit != "…"), "{all:?}");
}

/// Slices of an input, also at computed places, do not make it one that is copied.
#[test]
fn slices_of_inputs_are_read_in_place() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?x9xf32> loc(\"x\")) -> tensor<1x9xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x9xf32>) -> tensor<i32>
      %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%some, %n) {error_message = \"{0}\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      %end = stablehlo.subtract %n, %one : tensor<i32>
      %last = stablehlo.dynamic_slice %x, %end, %none, sizes = [1, 9] : (tensor<?x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
      return %last : tensor<1x9xf32>
    }";
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--max", "x.0=40", "--to", "vector", "-o", "-"];
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    // That for several sizes: the others have the input whole.
    let open = text.matches("strata.in_place = array<i64: 0>").count();
    assert!(open == 1 && open == text.matches("strata.in_place").count(), "{text}");
    let bound = text.lines().find(|line| line.contains("func private @main.39(")).unwrap();
    assert!(bound.contains("strata.in_place = array<i64: 0>"), "{text}");
}

/// Lines that are sorted in groups end with the group of the last line.
#[test]
fn groups_of_sorted_lines_end_at_their_number() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?x64xi32> loc(\"x\")) -> tensor<?x64xi32> {
      %0 = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
      }) : (tensor<?x64xi32>) -> tensor<?x64xi32>
      return %0 : tensor<?x64xi32>
    }";
    fs::write(here.path().join("p.mlir"), program).unwrap();
    for (target, lanes) in [("x86-64-v3", 8), ("x86-64-v4", 16)] {
        let arguments = ["compile", "p.mlir", "--target-cpu", target, "--max", "x.0=128"];
        let arguments = [&arguments[..], &["--to", "schedule", "-o", "-"]].concat();
        let text = strata(here.path(), &arguments).succeeded().text().to_owned();
        let step = format!("%c128 step %c{lanes} ");
        let end = text.lines().rev().find(|line| line.starts_with("    }")).unwrap();
        assert!(text.contains(&step) && end.contains("strata.limit"), "{target}: {text}");
    }
}

/// Slices become accesses without a change to loops that are split into tasks: they are still from the first task's part to the last one's.
#[test]
fn tasks_keep_their_bounds_beside_slices() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/tasks_beside_slices.mlir");
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64"];
    let arguments = [&arguments[..], &["--max", "x.1=40", "--dump-stages", "d"]].concat();
    strata(here.path(), &[&arguments[..], &["-o", "x.o"]].concat()).succeeded();
    let text = fs::read_to_string(here.path().join("d/x.1=32/40-affine.mlir")).unwrap();
    assert!(text.contains("strata.in_place = array<i64: 0>"), "{text}");
    let of_tasks =
        text.lines().filter(|line| line.contains("affine.for") && line.contains("(%arg"));
    let (both, one): (Vec<_>, Vec<_>) =
        of_tasks.partition(|line| line.matches("(%arg").count() == 2);
    assert!(!both.is_empty() && one.is_empty(), "{text}");
}

/// What is reversed is read backwards from the end of what is valid, where callers have it, without a buffer for it.
#[test]
fn inputs_are_reversed_in_place() {
    for (shape, dims, symbol) in
        [("?", "[0]", "x.0"), ("?x64", "[0]", "x.0"), ("4x?", "[1]", "x.1")]
    {
        let ty = format!("tensor<{shape}xf32>");
        let program = format!(
            "func.func public @main(%x: {ty} loc(\"x\")) -> {ty} {{
              %0 = stablehlo.reverse %x, dims = {dims} : {ty}
              return %0 : {ty}
            }}"
        );
        let text = compiled(&program, &format!("{symbol}=100"), "vector");
        let version = text.split("func.func private @main.99(").nth(1).expect("a version");
        let version = version.split("func.func").next().unwrap();
        let in_place = version.contains("strata.in_place = array<i64: 0, 2>");
        assert!(in_place && !version.contains("arith.select"), "{shape}: {version}");
        assert!(version.contains("strata.workspace_size = 0"), "{shape}: {version}");
    }
}

/// Rows of open length are put after each other by loops over vectors: those of an input as one line, which is a copy.
#[test]
fn rows_are_put_after_each_other() {
    let program = "func.func public @main(%x: tensor<64x?xf32> loc(\"x\")) -> tensor<?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xf32>) -> tensor<i32>
      %rows = stablehlo.constant dense<64> : tensor<i32>
      %all = stablehlo.multiply %n, %rows : tensor<i32>
      %shape = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
      %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<64x?xf32>, tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }";
    let text = compiled(program, "x.1=128", "vector");
    let version = text.split("func.func private @main.127(").nth(1).expect("a version");
    let version = version.split("func.func").next().unwrap();
    assert!(version.contains("strata.in_place = array<i64: 0, 2>"), "{version}");
    let wide = version.contains("memref<?xf32>, vector<8xf32>");
    assert!(wide && !version.contains("memref<64x?xf32>, vector"), "{version}");
}

/// Reductions without a schedule apply their masks themselves, and have none where they end at the size: no masked copy is made.
#[test]
fn reductions_of_few_columns_apply_their_masks() {
    let program = "func.func public @main(%x: tensor<?x3xf32> loc(\"x\")) -> (tensor<3xf32>, tensor<3xf32>) {
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
      %1 = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
      return %0, %1 : tensor<3xf32>, tensor<3xf32>
    }";
    let text = compiled(program, "x.0=100", "vector");
    let version = text.split("func.func private @main.100(").nth(1).expect("a version");
    let version = version.split("func.func").next().unwrap();
    let is_plain = !version.contains("arith.select") && !version.contains("xi1>");
    // Of the places that a mask compares, nothing is left.
    assert!(is_plain && !version.contains("100xi32"), "{version}");
}

/// Running sums along rows of given number end at the number of columns, with all that they carry.
#[test]
fn running_sums_of_columns_end_at_the_size() {
    let program = "func.func public @main(%x: tensor<64x?xf32> loc(\"x\")) -> tensor<64x?xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = \"stablehlo.reduce_window\"(%x, %zero) <{padding = dense<[[63, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 64, 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<64x?xf32>, tensor<f32>) -> tensor<64x?xf32>
      return %0 : tensor<64x?xf32>
    }";
    let text = compiled(program, "x.1=100", "vector");
    let version = text.split("func.func private @main.99(").nth(1).expect("a version");
    let version = version.split("func.func").next().unwrap();
    assert!(!version.contains("to %c100") && !version.contains("scf.if"), "{version}");
}

/// Extrema of rows read their input, not a copy of it whose mask is true up to the size.
#[test]
fn masked_copies_of_inputs_are_not_made() {
    for (shape, dim, result, symbol) in
        [("?x64", 0, "64", "x.0"), ("4x?x32", 1, "4x32", "x.1"), ("?x3x16", 0, "3x16", "x.0")]
    {
        let program = format!(
            "func.func public @main(%x: tensor<{shape}xf32> loc(\"x\")) -> tensor<{result}xf32> {{
              %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
              %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [{dim}] : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{result}xf32>
              return %0 : tensor<{result}xf32>
            }}"
        );
        let text = compiled(&program, &format!("{symbol}=100"), "vector");
        let version = text.split("func.func private @main.100(").nth(1).expect("a version");
        let version = version.split("func.func").next().unwrap();
        let stores = version.matches("vector.store").count();
        let loops = version.matches("scf.for").count();
        assert!(stores <= 8 && loops <= 2, "{shape}: {version}");
    }
}

/// Convolutions of dilated inputs have few versions: their results are not interleaved phases.
#[test]
fn dilated_inputs_have_few_versions() {
    let program = "func.func public @main(%x: tensor<1x?x?x32xf32> loc(\"x\"), %w: tensor<3x3x32x32xf32>) -> tensor<1x?x?x32xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %h = stablehlo.get_dimension_size %x, dim = 1 : (tensor<1x?x?x32xf32>) -> tensor<i32>
      %a = stablehlo.compare GE, %h, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%a) {error_message = \"no rows\", has_side_effect = true} : (tensor<i1>) -> ()
      %v = stablehlo.get_dimension_size %x, dim = 2 : (tensor<1x?x?x32xf32>) -> tensor<i32>
      %c = stablehlo.compare GE, %v, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%c) {error_message = \"no columns\", has_side_effect = true} : (tensor<i1>) -> ()
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2]}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x?x32xf32>, tensor<3x3x32x32xf32>) -> tensor<1x?x?x32xf32>
      return %0 : tensor<1x?x?x32xf32>
    }";
    let text = compiled(program, "x.1=16,x.2=16", "hlo");
    assert!(
        text.matches("stablehlo.convolution").count() == 1 && text.contains("lhs_dilat"),
        "{text}"
    );
    let text = compiled(program, "x.1=16,x.2=16", "vector");
    assert!(text.matches("strata.specialization").count() <= 25, "{text}");
}
