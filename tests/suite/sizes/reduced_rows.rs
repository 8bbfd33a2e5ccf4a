//! Rows that end at a size and are short: those that are reduced, those that a row is added to, and what is copied.

use std::fs;

use crate::command::strata;

/// The code for a bound that `program` has on a processor, at the end of a stage.
fn bounded(program: &str, target: &str, stage: &str) -> String {
    up_to("x.1=128", program, target, stage)
}

fn up_to(max: &str, program: &str, target: &str, stage: &str) -> String {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", target, "--max", max, "--to"];
    let arguments = [&arguments[..], &[stage, "-o", "-"]].concat();
    strata(here.path(), &arguments).succeeded().text().to_owned()
}

fn reduction(rows: i64, kind: &str, start: &str) -> String {
    format!(
        "func.func public @main(%x: tensor<{rows}x?xf32> loc(\"x\")) -> tensor<{rows}xf32> {{
          %0 = stablehlo.constant dense<{start}> : tensor<f32>
          %y = stablehlo.reduce(%x init: %0) applies stablehlo.{kind} across dimensions = [1] : (tensor<{rows}x?xf32>, tensor<f32>) -> tensor<{rows}xf32>
          return %y : tensor<{rows}xf32>
        }}"
    )
}

/// Eight rows have a vector of accumulators each, whose lanes are combined together.
#[test]
fn rows_that_end_at_a_size_are_reduced_several_at_a_time() {
    for target in ["x86-64-v3", "x86-64-v4"] {
        let lanes = if target == "x86-64-v3" { 8 } else { 16 };
        for (rows, together) in [(64, 8), (7, 4), (2, 2)] {
            let text = bounded(&reduction(rows, "add", "0.0"), target, "schedule");
            let schedule = format!("strata.schedule = \"rows {together}x{lanes}\"");
            assert!(text.contains(&schedule), "{rows}: {text}");
            let all = format!("vector<{together}x{lanes}xf32>");
            assert!(
                text.contains("vector.multi_reduction <add>, ") && text.contains(&all),
                "{text}"
            );
        }
        let text = bounded(&reduction(64, "maximum", "0xFF800000"), target, "schedule");
        assert!(text.contains(&format!("strata.schedule = \"rows 8x{lanes}\"")), "{text}");
        assert!(!bounded(&reduction(1, "add", "0.0"), target, "schedule").contains("rows 8x"));
    }
}

/// The last vector of extrema begins earlier and meets elements again, so that only rows that are shorter than a vector have a mask.
#[test]
fn extrema_of_rows_end_with_a_whole_vector() {
    let code = |kind: &str, start: &str| {
        let text = bounded(&reduction(64, kind, start), "x86-64-v3", "vector");
        let (_, text) = text.split_once("@main.127(%arg0: memref<?xi8>").expect("its own code");
        let (_, text) = text.split_once("scf.for %arg4 = %c0 to %c64").expect("a loop over rows");
        let (text, _) = text.split_once("return").expect("its end");
        text.to_owned()
    };
    let maxima = code("maximum", "0xFF800000");
    assert_eq!(maxima.matches("scf.if").count(), 1, "{maxima}");
    let sums = code("add", "0.0");
    assert_eq!(sums.matches("scf.if").count(), 0, "{sums}");
    // Neither is unrolled up to the bound.
    assert!(sums.contains("loop_annotation") && maxima.contains("loop_annotation"), "{sums}");
}

/// Rows of a few vectors are a loop each without loops in it, also those of less than a vector, and are not unrolled: addresses of several
/// rows, how far they are apart being a size, are more than there are registers.
#[test]
fn rows_of_less_than_a_vector_have_one_mask() {
    let program = "func.func public @main(%x: tensor<64x?xf32> loc(\"x\"), %y: tensor<?xf32> loc(\"y\")) -> tensor<64x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xf32>) -> tensor<i32>
      %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %same = stablehlo.compare EQ, %n, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%same, %n, %m) {error_message = \"{0} and {1}\", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
      %columns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %rows = stablehlo.constant dense<64> : tensor<1xi32>
      %shape = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %all = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<64x?xf32>
      %z = stablehlo.add %x, %all : tensor<64x?xf32>
      return %z : tensor<64x?xf32>
    }";
    let text = bounded(program, "x86-64-v4", "vector");
    let (_, text) = text.split_once("@main.127(%arg0: memref<?xi8>").expect("its own code");
    let (text, _) = text.split_once("func.func").unwrap_or((text, ""));
    let (few, short) = text.split_once("default {").expect("a row of less than a vector");
    assert_eq!(short.matches("scf.for").count(), 1, "{short}");
    assert!(short.contains("scf.if") && short.contains("vector.maskedstore"), "{short}");
    assert!(!few.contains("vector.mask"), "{few}");
    // Those of one to four vectors beside tiles, and this one.
    assert_eq!(text.matches("{loop_annotation").count(), 5, "{text}");
}

/// Of rows whose number is a size, too, whole tiles do not look whether each of their rows is there.
#[test]
fn whole_tiles_of_rows_do_not_look_for_them() {
    let program = "func.func public @main(%x: tensor<?x?xf32> loc(\"x\")) -> tensor<?xf32> {
      %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
      %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %e = stablehlo.compare GE, %r, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.compare GE, %s, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%e, %r) {error_message = \"{0} is 0\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      stablehlo.custom_call @shape_assertion(%f, %s) {error_message = \"{0} is 0\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      %0 = stablehlo.constant dense<0.0> : tensor<f32>
      %y = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
      return %y : tensor<?xf32>
    }";
    let text = up_to("x.0=128,x.1=128", program, "x86-64-v4", "vector");
    let (_, text) = text.split_once("func private @main.128.127(").expect("its code");
    let (text, _) = text.split_once("func.func").unwrap_or((text, ""));
    let tiles: Vec<_> = text.split("scf.for %arg5 = ").collect();
    // What is before them, the whole ones, and the last one, each of which may be beyond the end.
    let looks: Vec<_> = tiles.iter().map(|text| text.matches("arith.select").count()).collect();
    assert!(tiles.len() > 2 && looks[1] == 0 && looks[2] >= 8, "{looks:?}: {text}");
}

/// What the code for 17 and more elements has, where there is code for 16.
fn more_than_16(program: &str, open: &str) -> String {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let (max, one) = (format!("{open}=100"), format!("{open}=16"));
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v4", "--max", &max];
    let arguments = [&arguments[..], &["--specialize", &one, "--to", "vector", "-o", "-"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let (_, function) = text.split_once("private @main.99(").expect("its function");
    function.split_once("\n  }\n").expect("its end").0.to_owned()
}

/// The last rows of squares begin earlier, along both dimensions.
#[test]
fn the_last_squares_of_transposes_have_no_masks() {
    let program = "func.func public @main(%x: tensor<?x?xf32> loc(\"x\")) -> tensor<?x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
      %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
      %e = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%e, %n, %m) {error_message = \"{0} and {1}\", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
      %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }";
    let function = more_than_16(program, "x.0");
    assert!(function.contains("strata.in_place = array<i64: 0, 2>"), "{function}");
    assert!(function.contains("vector.shuffle") && !function.contains("mask"), "{function}");
}

/// Rows that are repeated are read where they are, again and again, and written without masks.
#[test]
fn repeated_rows_are_copied_once() {
    let program = "func.func public @main(%x: tensor<8x?xf32> loc(\"x\")) -> tensor<8x?xf32> {
      %three = stablehlo.constant dense<3> : tensor<1xi32>
      %eight = stablehlo.constant dense<8> : tensor<1xi32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<8x?xf32>) -> tensor<i32>
      %1 = stablehlo.constant dense<1> : tensor<i32>
      %some = stablehlo.compare GE, %n, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%some, %n) {error_message = \"{0}\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %s3 = stablehlo.multiply %s, %three : tensor<1xi32>
      %rows = stablehlo.concatenate %one, %eight, %three, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
      %all = stablehlo.concatenate %eight, %s3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %r = stablehlo.dynamic_broadcast_in_dim %x, %rows, dims = [1, 3] : (tensor<8x?xf32>, tensor<4xi32>) -> tensor<1x8x3x?xf32>
      %y = stablehlo.dynamic_reshape %r, %all : (tensor<1x8x3x?xf32>, tensor<2xi32>) -> tensor<8x?xf32>
      return %y : tensor<8x?xf32>
    }";
    let function = more_than_16(program, "x.1");
    assert!(function.contains("strata.in_place = array<i64: 0, 2>"), "{function}");
    assert!(!function.contains("mask"), "{function}");
    // One pass, without a temporary.
    assert!(function.contains("%arg3: memref<0xi8>"), "{function}");
}

/// The last vector of an extremum begins earlier in an input, but not in what the loop before has just written: processors wait for a read
/// of parts of two writes.
#[test]
fn what_is_just_written_is_met_once() {
    let branches = |scaled: &str| {
        let text = format!(
            "func.func @main(%x: tensor<64x?xf32> loc(\"x\")) -> tensor<64x?xf32> {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %rows = stablehlo.constant dense<64> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xf32>) -> tensor<i32>
  %length = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.multiply %x, %x : tensor<64x?xf32>
  %1 = stablehlo.reduce({scaled} init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x?xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %1, %shape, dims = [0] : (tensor<64xf32>, tensor<2xi32>) -> tensor<64x?xf32>
  %3 = stablehlo.subtract {scaled}, %2 : tensor<64x?xf32>
  return %3 : tensor<64x?xf32>
}}"
        );
        // Rows of more vectors than have code without such loops.
        let text = up_to("x.1=400", &text, "x86-64-v4", "vector");
        text.matches("scf.if").count()
    };
    assert_eq!(branches("%x"), branches("%0") + 1);
}

/// Rows that are reduced and read again have code for one to three vectors and for any number, four rows at a time: none of it asks in a row
/// where this ends.
#[test]
fn rows_that_are_read_again_have_code_for_few_vectors() {
    let program = "func.func public @main(%x: tensor<64x?xf32> loc(\"x\")) -> tensor<64x?xf32> {
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %rows = stablehlo.constant dense<64> : tensor<1xi32>
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xf32>) -> tensor<i32>
      %length = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %shape = stablehlo.concatenate %rows, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x?xf32>, tensor<f32>) -> tensor<64xf32>
      %1 = stablehlo.dynamic_broadcast_in_dim %0, %shape, dims = [0] : (tensor<64xf32>, tensor<2xi32>) -> tensor<64x?xf32>
      %2 = stablehlo.subtract %x, %1 : tensor<64x?xf32>
      return %2 : tensor<64x?xf32>
    }";
    let text = bounded(program, "x86-64-v4", "vector");
    let (_, text) = text.split_once("@main.127(%arg0: memref<?xi8>").expect("its own code");
    let (text, _) = text.split_once("return").expect("its end");
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("case "), count("default")), (3, 1), "{text}");
    // All rows, and both loops of those of any number of vectors.
    assert_eq!((count("step %c4 "), count("scf.for")), (4, 6), "{text}");
    // A mask for the row and one for what is left out of the maximum.
    assert!(count("scf.if") == 0 && count("vector.create_mask") <= 2 * 4, "{text}");
    // Longer rows keep the loops that end in others.
    let text = up_to("x.1=400", program, "x86-64-v4", "vector");
    let (_, text) = text.split_once("scf.index_switch").expect("a choice");
    assert!(text.contains("case 4 ") && text.contains("scf.if"), "{text}");
}
