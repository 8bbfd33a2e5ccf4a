//! Programs of several sizes with bounds: how many versions they have, and what ends where only one of the sizes says so.

use std::fs;

use crate::command::{strata, workspace};

/// The versions that a program has, and whether parts of its rows are computed apart.
fn versions(program: &str, max: &str) -> (usize, bool) {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let text =
        strata(here.path(), &["check", "p.mlir", "--max", max]).succeeded().text().to_owned();
    let count = text.lines().find_map(|line| line.strip_prefix("versions")).expect("versions");
    (count.trim().parse().expect("a number"), text.contains("\nrows "))
}

fn read(name: &str) -> String {
    fs::read_to_string(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap()
}

/// Each symbol has the sizes that the work along its dimensions asks for.
#[test]
fn each_symbol_has_sizes_of_its_own() {
    // One loop over all elements, whichever of the sizes are open; those of none and one have code of their own.
    let elements = "func.func public @main(%x: tensor<?x?xf32> loc(\"x\")) -> tensor<?x?xf32> {
      %y = stablehlo.tanh %x : tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }";
    assert_eq!(versions(elements, "x.0=100,x.1=90"), (4, false));
    assert_eq!(versions(elements, "x.0=100000,x.1=90"), (8, true));
    let some = |dim: usize| {
        format!(
            "%n{dim} = stablehlo.get_dimension_size %x, dim = {dim} : (tensor<?x?xf32>) -> tensor<i32>
      %is{dim} = stablehlo.compare GE, %n{dim}, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%is{dim}) {{error_message = \"none\", has_side_effect = true}} : (tensor<i1>) -> ()"
        )
    };
    let one = "%one = stablehlo.constant dense<1> : tensor<i32>".to_owned();
    let some = [one, some(0), some(1), "%y".to_owned()].join("\n");
    let some = elements.replacen("%y", &some, 1);
    assert_eq!(versions(&some, "x.0=100,x.1=90"), (1, false));
    // An input that is a result is copied from its buffer.
    let copied = "func.func public @main(%x: tensor<?x?xf32> loc(\"x\")) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
      %y = stablehlo.tanh %x : tensor<?x?xf32>
      return %x, %y : tensor<?x?xf32>, tensor<?x?xf32>
    }";
    // Short rows have code of their own, few of them have not.
    assert_eq!(versions(copied, "x.0=100,x.1=90"), (10, false));
    // More rows than buffers should have: they are computed in parts of four numbers, each with code for the bound only.
    assert_eq!(versions(copied, "x.0=100000,x.1=90"), (4, true));
    assert_eq!(versions(&read("limited_pairs"), "x.0=100,y.0=100"), (1, false));
    let beside = versions(&read("limited_pairs"), "x.0=100,y.0=3");
    assert_eq!(beside, (1, false));
}

/// An extremum and its place are found in long rows as in the program of a size, whatever the number of rows.
#[test]
fn places_in_long_rows_have_one_version() {
    let program = |row: i64| {
        format!(
            "func.func public @main(%x: tensor<?x{row}xf32> loc(\"x\")) -> tensor<?xi32> {{
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %first = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x{row}xf32>) -> tensor<i32>
      %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %columns = stablehlo.constant dense<{row}> : tensor<1xi32>
      %shape = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %places = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x{row}xi32>
      %found:2 = stablehlo.reduce(%x init: %low), (%places init: %first) across dimensions = [1] : (tensor<?x{row}xf32>, tensor<?x{row}xi32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {{
          %0 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %1 = stablehlo.select %0, %a, %b : tensor<i1>, tensor<f32>
          %2 = stablehlo.select %0, %p, %q : tensor<i1>, tensor<i32>
          stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
        }}
      return %found#1 : tensor<?xi32>
    }}"
        )
    };
    assert_eq!(versions(&program(1000), "x.0=100"), (1, false));
    assert_eq!(versions(&program(64), "x.0=100"), (7, true));
}

/// Dots of sequences are computed for one row of the batch after the other, where that has rows enough.
#[test]
fn dots_of_sequences_have_one_version() {
    let sequences = read("rows_single");
    assert_eq!(versions(&sequences, "x.1=64"), (1, true));
    assert_eq!(versions(&sequences, "x.0=64,x.1=64"), (1, true));
    // Short ones are computed for four numbers of rows.
    assert_eq!(versions(&sequences, "x.1=8"), (4, true));
}

/// What only a dot reads that ends at a size ends there, too: the exponentials of a softmax.
#[test]
fn what_limited_dots_read_ends_with_them() {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("p.mlir"), read("limited_pairs")).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--to", "schedule"];
    let arguments = [&arguments[..], &["-o", "-", "--max", "x.0=40,y.0=64"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let ends_of = |what: &str| {
        let after = text.split_once(what).expect("its loop").1;
        after.lines().map(str::trim).find(|line| line.starts_with('}')).expect("its end").to_owned()
    };
    for what in ["math.exp", "arith.divf", "math.cos"] {
        let end = ends_of(what);
        assert!(end.contains("strata.limit"), "{what}: {end}: {text}");
    }
}

/// A tile of two vectors of columns has code for one of them, beside the code for the rows that are left.
#[test]
fn last_columns_have_code_beside_last_rows() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?x64xf32> loc(\"x\"), %y: tensor<64x?xf32> loc(\"y\")) -> tensor<?x?xf32> {
      %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x?xf32>) -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    }";
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let choices = |sizes: &str| {
        let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--to", "affine"];
        let arguments = [&arguments[..], &["-o", "-", "--max", sizes]].concat();
        let text = strata(here.path(), &arguments).succeeded().text().to_owned();
        text.matches("scf.index_switch").count()
    };
    // Rows of whole tiles of columns, of the half of one, and the choice of that.
    assert!(choices("x.0=40,y.1=64") >= 3);
}

/// Reductions of short rows, which have no schedule, and elementwise operations on all rows end with the rows of a call, in the tensors
/// of callers.
#[test]
fn short_rows_end_with_the_call() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?x?xf32> loc(\"x\")) -> (tensor<?xf32>, tensor<?x?xf32>) {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
      %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
      %a = stablehlo.compare GE, %r, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %b = stablehlo.compare GE, %s, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%a, %r) {error_message = \"{0}\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      stablehlo.custom_call @shape_assertion(%b, %s) {error_message = \"{0}\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
      %y = stablehlo.tanh %x : tensor<?x?xf32>
      return %sum, %y : tensor<?xf32>, tensor<?x?xf32>
    }";
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--to", "vector"];
    let arguments = [&arguments[..], &["-o", "-", "--max", "x.0=100,x.1=90"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    for size in [1, 2, 3, 5, 7, 89] {
        let name = format!("@main.100.{size}(");
        let (_, function) = text.split_once(&format!("private {name}")).expect("its function");
        let (function, _) = function.split_once("\n  }\n").expect("its end");
        assert!(function.contains("strata.in_place = array<i64: 0, 3, 4>"), "{function}");
        assert!(!function.contains(" to %c100 "), "{function}");
    }
}

/// A product that sums rows of open length, and a sort of open length, take much less for a few elements in the program of a size.
#[test]
fn few_elements_of_open_rows_have_code_of_their_own() {
    let product = |matrix: &str, along: i64| {
        format!(
            "func.func public @main(%x: tensor<{matrix}xf32> loc(\"x\"), %v: tensor<?xf32> loc(\"v\")) -> tensor<20xf32> {{
              %y = stablehlo.dot_general %x, %v, contracting_dims = [{along}] x [0] : (tensor<{matrix}xf32>, tensor<?xf32>) -> tensor<20xf32>
              return %y : tensor<20xf32>
            }}"
        )
    };
    let count = |program: &str, max: &str| versions(program, max).0;
    assert_eq!(count(&product("20x?", 1), "x.1=100"), 10);
    // Rows of given length are added to each other.
    assert_eq!(count(&product("?x20", 0), "x.0=100"), 1);
    let sorted = |dim: i64| {
        format!(
            "func.func public @main(%x: tensor<?x20xi32> loc(\"x\")) -> tensor<?x20xi32> {{
              %r = \"stablehlo.sort\"(%x) <{{dimension = {dim} : i64}}> ({{
              ^bb0(%a: tensor<i32>, %b: tensor<i32>):
                %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                stablehlo.return %less : tensor<i1>
              }}) : (tensor<?x20xi32>) -> tensor<?x20xi32>
              return %r : tensor<?x20xi32>
            }}"
        )
    };
    assert_eq!(count(&sorted(0), "x.0=100"), 10);
}
