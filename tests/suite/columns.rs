//! Reductions that are computed another way: of short rows by column, of diagonals by slices, of packed bits without widening. Each is
//! compared with the evaluator, on random inputs with infinities and NaNs, at sizes around those where the way changes.

use std::fmt::Write as _;

use strata::{Compiler, Stage};

use crate::{
    command::strata,
    harness::{Loaded, cpus, options},
};

/// A program of several results.
#[derive(Default)]
struct Program {
    arguments: Vec<String>,
    body: String,
    results: Vec<(String, String)>,
}

impl Program {
    fn argument(&mut self, ty: String) -> String {
        self.arguments.push(ty);
        format!("%x{}", self.arguments.len() - 1)
    }

    /// Adds an operation, and returns its result.
    fn op(&mut self, text: &str) -> String {
        let name = format!("%v{}", self.body.lines().count());
        let _ = writeln!(self.body, "  {name} = {text}");
        name
    }

    fn give(&mut self, value: String, ty: String) {
        self.results.push((value, ty));
    }

    fn text(&self) -> String {
        let arguments = self.arguments.iter().enumerate();
        let arguments: Vec<_> = arguments.map(|(at, ty)| format!("%x{at}: {ty}")).collect();
        let (values, types): (Vec<_>, Vec<_>) = self.results.iter().cloned().unzip();
        format!(
            "func.func public @main({}) -> ({}) {{\n{}  return {} : {}\n}}\n",
            arguments.join(", "),
            types.join(", "),
            self.body,
            values.join(", "),
            types.join(", ")
        )
    }

    /// Compiles it for each processor and compares.
    fn verify(&self) {
        let folder = tempfile::tempdir().expect("a folder");
        let text = self.text();
        std::fs::write(folder.path().join("p.mlir"), &text).expect("it is written");
        for cpu in cpus() {
            // One round with tame values, one with all.
            let arguments = ["verify", "p.mlir", "--rounds", "2", "--target-cpu", cpu];
            let ended = strata(folder.path(), &arguments);
            assert_eq!(ended.code, 0, "{cpu}: {}{}\n{text}", ended.text(), ended.stderr);
        }
    }
}

/// A splat of any type.
fn constant(program: &mut Program, value: &str, ty: &str) -> String {
    program.op(&format!("stablehlo.constant dense<{value}> : {ty}"))
}

#[test]
fn short_rows_are_reduced_as_whole_ones() {
    let floats = [("add", "0.0"), ("add", "1.5"), ("multiply", "1.0"), ("maximum", "0xFF800000")];
    let integers = [("minimum", "7"), ("or", "5")];
    for rows in [0, 15, 37] {
        let mut program = Program::default();
        for columns in 1..5 {
            let shape = format!("{rows}x{columns}x");
            let kinds = floats.iter().map(|kind| (kind, "f32"));
            for ((kind, start), element) in kinds.chain(integers.iter().map(|kind| (kind, "i32"))) {
                let (ty, reduced) =
                    (format!("tensor<{shape}{element}>"), format!("tensor<{rows}x{element}>"));
                let x = program.argument(ty.clone());
                let start = constant(&mut program, start, &format!("tensor<{element}>"));
                let value = program.op(&format!(
                    "stablehlo.reduce({x} init: {start}) applies stablehlo.{kind} across dimensions = [1] : ({ty}, tensor<{element}>) -> {reduced}"
                ));
                program.give(value, reduced);
            }
        }
        program.verify();
    }
}

#[test]
fn what_is_computed_for_short_rows_is_computed_by_column() {
    for (rows, columns) in [(1, 3), (19, 3), (130, 4)] {
        let mut program = Program::default();
        let (whole, short) =
            (format!("tensor<{rows}x{columns}xf32>"), format!("tensor<{rows}xf32>"));
        let (x, y) = (program.argument(whole.clone()), program.argument(whole.clone()));
        let w = program.argument(format!("tensor<{columns}xf32>"));
        let r = program.argument(short.clone());
        let bytes = program.argument(format!("tensor<{rows}x{columns}xui8>"));
        let spread = |value: &str, ty: &str, dim: i64| {
            format!("stablehlo.broadcast_in_dim {value}, dims = [{dim}] : ({ty}) -> {whole}")
        };
        let weights = program.op(&spread(&w, &format!("tensor<{columns}xf32>"), 1));
        let row = program.op(&spread(&r, &short, 0));
        let zero = constant(&mut program, "0.0", "tensor<f32>");
        let half = constant(&mut program, "0.5", &whole);
        let difference = program.op(&format!("stablehlo.subtract {x}, {row} : {whole}"));
        let square =
            program.op(&format!("stablehlo.multiply {difference}, {difference} : {whole}"));
        let wide = program
            .op(&format!("stablehlo.convert {bytes} : (tensor<{rows}x{columns}xui8>) -> {whole}"));
        let positive = program.op(&format!(
            "stablehlo.compare GT, {y}, {half} : ({whole}, {whole}) -> tensor<{rows}x{columns}xi1>"
        ));
        let chosen = program.op(&format!(
            "stablehlo.select {positive}, {x}, {weights} : tensor<{rows}x{columns}xi1>, {whole}"
        ));
        let product = program.op(&format!("stablehlo.multiply {y}, {weights} : {whole}"));
        let shared = program.op(&format!("stablehlo.add {x}, {y} : {whole}"));
        for value in [&square, &wide, &chosen, &product, &shared] {
            let sum = program.op(&format!(
                "stablehlo.reduce({value} init: {zero}) applies stablehlo.add across dimensions = [1] : ({whole}, tensor<f32>) -> {short}"
            ));
            program.give(sum, short.clone());
        }
        program.give(shared, whole.clone());
        let dot = program.op(&format!(
            "stablehlo.dot_general {x}, {w}, contracting_dims = [1] x [0] : ({whole}, tensor<{columns}xf32>) -> {short}"
        ));
        program.give(dot, short);
        program.verify();
    }
}

#[test]
fn sums_of_diagonals_are_those_of_masked_matrices() {
    for (rows, columns) in [(1, 1), (5, 9), (40, 7)] {
        let mut program = Program::default();
        let positions = format!("tensor<{rows}x{columns}xi32>");
        let mask_type = format!("tensor<{rows}x{columns}xi1>");
        let row = program.op(&format!("stablehlo.iota dim = 0 : {positions}"));
        let column = program.op(&format!("stablehlo.iota dim = 1 : {positions}"));
        for (offset, element, start) in [
            (0, "f32", "0.0"),
            (3, "f32", "0.0"),
            (-2, "i32", "0"),
            (0, "bf16", "0.0"),
            (50, "f32", "0.0"),
            (1, "f32", "2.0"),
            (0, "f32", "-0.0"),
        ] {
            let ty = format!("tensor<3x{rows}x{columns}x{element}>");
            let x = program.argument(ty.clone());
            let by = constant(&mut program, &offset.to_string(), &positions);
            let moved = program.op(&format!("stablehlo.add {row}, {by} : {positions}"));
            let mask = program.op(&format!(
                "stablehlo.compare EQ, {moved}, {column} : ({positions}, {positions}) -> {mask_type}"
            ));
            let masks = format!("tensor<3x{rows}x{columns}xi1>");
            let mask = program.op(&format!(
                "stablehlo.broadcast_in_dim {mask}, dims = [1, 2] : ({mask_type}) -> {masks}"
            ));
            let zero = if element == "i32" { "0" } else { "0.0" };
            let zeros = constant(&mut program, zero, &ty);
            let start = constant(&mut program, start, &format!("tensor<{element}>"));
            let masked =
                program.op(&format!("stablehlo.select {mask}, {x}, {zeros} : {masks}, {ty}"));
            for (dims, left) in [("1, 2", "3x"), ("0, 1, 2", ""), ("0, 2", &format!("{rows}x")[..])]
            {
                let reduced = format!("tensor<{left}{element}>");
                let sum = program.op(&format!(
                    "stablehlo.reduce({masked} init: {start}) applies stablehlo.add across dimensions = [{dims}] : ({ty}, tensor<{element}>) -> {reduced}"
                ));
                program.give(sum, reduced);
            }
        }
        program.verify();
    }
}

#[test]
fn bits_are_packed_in_both_orders() {
    for bytes in [0, 3, 130] {
        let bits = bytes * 8;
        let mut program = Program::default();
        let (numbers, grid) = (format!("tensor<{bits}xui8>"), format!("tensor<{bytes}x8xui8>"));
        let masks = format!("tensor<{bits}xi1>");
        let (x, y) =
            (program.argument(numbers.clone()), program.argument(format!("tensor<{bits}xf32>")));
        let p = program.argument(masks.clone());
        let wide = program.argument(grid.clone());
        let zero = constant(&mut program, "0", &numbers);
        let half = constant(&mut program, "0.5", &format!("tensor<{bits}xf32>"));
        let no = constant(&mut program, "false", &masks);
        let yes = constant(&mut program, "true", &masks);
        let mut predicates = Vec::new();
        for (direction, left, right, ty) in [
            ("NE", &x, &zero, numbers.clone()),
            ("LT", &y, &half, format!("tensor<{bits}xf32>")),
            ("NE", &p, &no, masks.clone()),
            ("EQ", &p, &yes, masks.clone()),
            ("EQ", &p, &no, masks.clone()),
        ] {
            predicates.push(program.op(&format!(
                "stablehlo.compare {direction}, {left}, {right} : ({ty}, {ty}) -> {masks}"
            )));
        }
        let start = constant(&mut program, "3", "tensor<ui32>");
        let places = program.op("stablehlo.iota dim = 0 : tensor<8xui8>");
        let back = program.op(&format!("stablehlo.reverse {places}, dims = [0] : tensor<8xui8>"));
        // Some places are beyond the bits of a byte.
        let two = constant(&mut program, "2", "tensor<8xui8>");
        let beyond = program.op(&format!("stablehlo.multiply {places}, {two} : tensor<8xui8>"));
        let reduced = format!("tensor<{bytes}xui8>");
        let sum = |program: &mut Program, value: &str| {
            let words = format!("tensor<{bytes}x8xui32>");
            let value = program.op(&format!("stablehlo.convert {value} : ({grid}) -> {words}"));
            let value = program.op(&format!(
                "stablehlo.reduce({value} init: {start}) applies stablehlo.add across dimensions = [1] : ({words}, tensor<ui32>) -> tensor<{bytes}xui32>"
            ));
            let value = program
                .op(&format!("stablehlo.convert {value} : (tensor<{bytes}xui32>) -> {reduced}"));
            program.give(value, reduced.clone());
        };
        for predicate in predicates {
            for places in [&places, &back, &beyond] {
                let value =
                    program.op(&format!("stablehlo.convert {predicate} : ({masks}) -> {numbers}"));
                let value =
                    program.op(&format!("stablehlo.reshape {value} : ({numbers}) -> {grid}"));
                let places = program.op(&format!(
                    "stablehlo.broadcast_in_dim {places}, dims = [1] : (tensor<8xui8>) -> {grid}"
                ));
                let value = program.op(&format!("stablehlo.shift_left {value}, {places} : {grid}"));
                sum(&mut program, &value);
            }
        }
        // A sum that does not fit.
        sum(&mut program, &wide);
        program.verify();
    }
}

#[test]
fn variances_over_several_dimensions_are_sums_of_joined_ones() {
    for sizes in [[3, 33, 2, 8], [2, 2, 3, 130]] {
        let mut program = Program::default();
        let whole = format!("tensor<{}xf32>", sizes.map(|size| size.to_string()).join("x"));
        let x = program.argument(whole.clone());
        for dims in [&[0, 1, 2, 3][..], &[2, 3], &[1, 3], &[0, 3], &[0, 2, 3], &[0, 1]] {
            let kept: Vec<_> = (0..4).filter(|dim| !dims.contains(dim)).collect();
            let shape = kept.iter().map(|dim| format!("{}x", sizes[*dim])).collect::<String>();
            let reduced = format!("tensor<{shape}f32>");
            let list = dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let kept = kept.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            for (kind, start) in [("add", "1.0"), ("maximum", "0xFF800000")] {
                let start = constant(&mut program, start, "tensor<f32>");
                let mean = program.op(&format!(
                    "stablehlo.reduce({x} init: {start}) applies stablehlo.{kind} across dimensions = [{list}] : ({whole}, tensor<f32>) -> {reduced}"
                ));
                let spread = program.op(&format!(
                    "stablehlo.broadcast_in_dim {mean}, dims = [{kept}] : ({reduced}) -> {whole}"
                ));
                let difference = program.op(&format!("stablehlo.subtract {x}, {spread} : {whole}"));
                let square =
                    program.op(&format!("stablehlo.multiply {difference}, {difference} : {whole}"));
                let sum = program.op(&format!(
                    "stablehlo.reduce({square} init: {start}) applies stablehlo.{kind} across dimensions = [{list}] : ({whole}, tensor<f32>) -> {reduced}"
                ));
                program.give(sum, reduced.clone());
            }
        }
        program.verify();
    }
}

/// The operations that stage `hlo` leaves of one on `%x` and `%y`.
fn left(types: [&str; 2], body: &str, result: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "func.func public @main(%x: {}, %y: {}) -> {result} {{\n{body}\n  return %0 : {result}\n}}\n",
        types[0], types[1]
    );
    std::fs::write(folder.path().join("p.mlir"), text).expect("it is written");
    strata(folder.path(), &["compile", "p.mlir", "--to", "hlo"]).succeeded().text().to_owned()
}

#[test]
fn reductions_are_computed_another_way_where_that_is_faster() {
    let sum = |dims: &str, from: &str, to: &str| {
        format!(
            "  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %y : {from}
  %0 = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [{dims}] : ({from}, tensor<f32>) -> {to}"
        )
    };
    for (rows, columns, is_by_column) in
        [(16, 4, true), (16, 5, false), (15, 3, false), (16, 1, false)]
    {
        let (from, to) = (format!("tensor<{rows}x{columns}xf32>"), format!("tensor<{rows}xf32>"));
        let text = left([&from, &from], &sum("1", &from, &to), &to);
        assert_eq!(!text.contains("stablehlo.reduce"), is_by_column, "{rows}x{columns}: {text}");
    }
    let (from, to) = ("tensor<4x100x8x4xf32>", "tensor<4x8xf32>");
    let text = left([from, from], &sum("1, 3", from, to), to);
    assert!(text.contains("tensor<4x100x32xf32>"), "{text}");
    let text = left(
        ["tensor<40x3xf32>", "tensor<3xf32>"],
        "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<40x3xf32>, tensor<3xf32>) -> tensor<40xf32>",
        "tensor<40xf32>",
    );
    assert!(!text.contains("dot_general"), "{text}");
    let trace = "  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<0.0> : tensor<9x7xf32>
  %i = stablehlo.iota dim = 0 : tensor<9x7xi32>
  %j = stablehlo.iota dim = 1 : tensor<9x7xi32>
  %m = stablehlo.compare EQ, %i, %j : (tensor<9x7xi32>, tensor<9x7xi32>) -> tensor<9x7xi1>
  %s = stablehlo.select %m, %x, %n : tensor<9x7xi1>, tensor<9x7xf32>
  %0 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x7xf32>, tensor<f32>) -> tensor<f32>";
    let text = left(["tensor<9x7xf32>", "tensor<f32>"], trace, "tensor<f32>");
    assert!(text.contains("[0:49:8]") && !text.contains("stablehlo.iota"), "{text}");
}

#[test]
fn dots_of_short_rows_start_from_zero() {
    let program = "func.func public @main(%x: tensor<37x3xf32>, %y: tensor<3xf32>) -> tensor<37xf32> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<37x3xf32>, tensor<3xf32>) -> tensor<37xf32>
      return %0 : tensor<37xf32>
    }";
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
    // All products are -0.
    let inputs: [Vec<u8>; 2] = [bytes(&[-1.0; 111]), bytes(&[0.0; 3])];
    for cpu in cpus() {
        let compiler = Compiler::new(options(cpu)).to(Stage::Obj);
        let artifact = compiler.compile("dot.mlir", program.as_bytes()).expect("compiles");
        let sums = Loaded::new(&artifact).call(&inputs);
        assert_eq!(sums, [vec![0; 148]], "{cpu}");
    }
}
