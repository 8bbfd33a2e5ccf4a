//! Weights of four bits with a scale for each group of rows, and a zero point: they stay four bits in the object, and each is the number that
//! the program computes.

use half::bf16;
use strata::{Compiler, Options, Stage};
use strata_codegen::target::resolve;

use super::{
    bf16::{assert_within, bytes_of, numbers},
    compiled,
};
use crate::{
    command::strata,
    harness::{cpus, options},
};

/// How a program writes its weights.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Rows of `x`, numbers in a sum, columns, and rows of a group.
    pub sizes: [usize; 4],
    /// Of each weight, four or eight.
    pub bits: u32,
    pub is_signed: bool,
    /// Whether columns come first.
    pub is_transposed: bool,
    pub has_zero_point: bool,
    /// Where they are scaled: in `f32` before they are rounded, or in `bf16`.
    pub is_wide: bool,
}

impl Weights {
    fn integer(&self, row: usize, column: usize) -> i32 {
        let count = 1 << self.bits;
        let low = if self.is_signed { -(count / 2) } else { 0 };
        let step = if self.bits == 8 { 37 } else { 7 };
        (row * step + column * 3 + row * column / 5) as i32 % count + low
    }

    fn scale(&self, group: usize, column: usize) -> f32 {
        let at = group * 31 + column;
        let scale = match at % 13 {
            4 => 0.0,
            9 => -0.0117,
            _ => (at % 17 + 3) as f32 * 0.0031,
        };
        if self.is_wide { scale } else { bf16::from_f32(scale).to_f32() }
    }

    fn zero_point(&self, group: usize, column: usize) -> i32 {
        let step = if self.bits == 8 { 13 } else { 1 };
        if self.has_zero_point { ((group * 5 + column) % 16 * step) as i32 } else { 0 }
    }

    /// Whether a register has numbers of one column and one scale.
    fn is_by_columns(&self) -> bool {
        let [rows, depth, _, group] = self.sizes;
        self.bits == 4 && rows == 1 && depth > 128 && depth % 128 == 0 && group % 32 == 0
    }

    /// The numbers that are multiplied, row by row.
    pub fn numbers(&self) -> Vec<bf16> {
        let [_, depth, columns, group] = self.sizes;
        let number = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            let integer = self.integer(row, column) - self.zero_point(row / group, column);
            bf16::from_f32(integer as f32 * self.scale(row / group, column))
        };
        (0..depth * columns).map(number).collect()
    }

    pub fn program(&self) -> String {
        let [rows, depth, columns, group] = self.sizes;
        let groups = depth / group;
        let element = if self.is_wide { "f32" } else { "bf16" };
        let bits = format!("{}i{}", if self.is_signed { "" } else { "u" }, self.bits);
        let list = |shape: [usize; 2], value: &dyn Fn(usize, usize) -> String| {
            let at = |one, other| {
                if self.is_transposed { value(other, one) } else { value(one, other) }
            };
            let row =
                |one| (0..shape[1]).map(|other| at(one, other)).collect::<Vec<_>>().join(", ");
            (0..shape[0]).map(|one| format!("[{}]", row(one))).collect::<Vec<_>>().join(", ")
        };
        let order = |[one, other]: [usize; 2]| {
            if self.is_transposed { [other, one] } else { [one, other] }
        };
        let ([a, b], [c, d]) = (order([depth, columns]), order([groups, columns]));
        let (split, dims, contracted) = match self.is_transposed {
            true => (format!("{columns}x{groups}x{group}"), "0, 1", 1),
            false => (format!("{groups}x{group}x{columns}"), "0, 2", 0),
        };
        let integers = list([a, b], &|row, column| self.integer(row, column).to_string());
        let scales = list([c, d], &|group, column| format!("{:?}", self.scale(group, column)));
        let zeros = list([c, d], &|group, column| format!("{}.0", self.zero_point(group, column)));
        let (weight, params) = (format!("tensor<{a}x{b}x"), format!("tensor<{c}x{d}x{element}>"));
        let parts = format!("tensor<{split}x{element}>");
        let less = match self.has_zero_point {
            true => format!(
                "%zc = stablehlo.constant dense<[{zeros}]> : {params}
                 %zb = stablehlo.broadcast_in_dim %zc, dims = [{dims}] : ({params}) -> {parts}
                 %d = stablehlo.subtract %p, %zb : {parts}"
            ),
            false => format!("%d = stablehlo.reshape %p : ({parts}) -> {parts}"),
        };
        let (x, result) =
            (format!("tensor<{rows}x{depth}xbf16>"), format!("tensor<{rows}x{columns}xf32>"));
        format!(
            "func.func @main(%x: {x}) -> {result} {{
               %i = stablehlo.constant dense<[{integers}]> : {weight}{bits}>
               %f = stablehlo.convert %i : ({weight}{bits}>) -> {weight}{element}>
               %p = stablehlo.reshape %f : ({weight}{element}>) -> {parts}
               {less}
               %sc = stablehlo.constant dense<[{scales}]> : {params}
               %sb = stablehlo.broadcast_in_dim %sc, dims = [{dims}] : ({params}) -> {parts}
               %m = stablehlo.multiply %d, %sb : {parts}
               %j = stablehlo.reshape %m : ({parts}) -> {weight}{element}>
               %w = stablehlo.convert %j : ({weight}{element}>) -> {weight}bf16>
               %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [{contracted}] : ({x}, {weight}bf16>) -> {result}
               return %r : {result}
             }}"
        )
    }
}

fn all() -> Vec<Weights> {
    let sizes = [
        [1, 64, 48, 16],
        [1, 48, 33, 48],
        [3, 40, 37, 8],
        [20, 96, 70, 32],
        [5, 24, 44, 4],
        [9, 37, 50, 37],
        // By columns, of which a register has a part.
        [1, 256, 24, 32],
        [1, 128, 33, 128],
        [1, 384, 17, 96],
        [1, 512, 9, 256],
        [1, 256, 17, 64],
    ];
    let mut all = Vec::new();
    for (at, sizes) in sizes.into_iter().enumerate() {
        for is_transposed in [false, true] {
            let has_zero_point = (at % 4 < 2) == is_transposed;
            let (is_signed, is_wide) = (!has_zero_point, at % 2 == 0);
            let weights =
                Weights { sizes, bits: 4, is_signed, is_transposed, has_zero_point, is_wide };
            all.push(weights);
            if at < 5 && is_transposed == (at % 2 == 0) {
                all.push(Weights { bits: 8, ..weights });
            }
        }
    }
    all
}

/// Rows of zeros with a one, each of which picks a row of the weights.
pub fn picks(picked: &[usize], depth: usize) -> Vec<u8> {
    let mut x = vec![bf16::ZERO; picked.len() * depth];
    for (row, at) in picked.iter().enumerate() {
        x[row * depth + at] = bf16::ONE;
    }
    bytes_of(&x)
}

/// Whether these are the rows of the weights.
pub fn assert_picked(found: &[u8], picked: &[usize], weights: &[bf16], what: &str) {
    let columns = found.len() / 4 / picked.len();
    for (at, one) in found.chunks_exact(4).enumerate() {
        let found = f32::from_le_bytes([one[0], one[1], one[2], one[3]]);
        let (row, column) = (picked[at / columns], at % columns);
        let expected = weights[row * columns + column].to_f32();
        assert!(found == expected, "{what}, {row}, {column}: {found}, not {expected}");
    }
}

#[test]
fn each_weight_is_scaled_and_rounded_as_in_the_program() {
    for weights in all() {
        let [rows, depth, ..] = weights.sizes;
        let (program, w) = (weights.program(), weights.numbers());
        for cpu in cpus() {
            let loaded = compiled(&program, options(cpu));
            for first in (0..depth).step_by(rows.max(7)) {
                let picked: Vec<_> = (0..rows).map(|row| (first + row * 5) % depth).collect();
                let found = loaded.call(&[picks(&picked, depth)]);
                assert_picked(&found[0], &picked, &w, &format!("{weights:?} on {cpu}"));
            }
        }
    }
}

#[test]
fn sums_of_scaled_weights_are_within_their_bound() {
    for weights in all() {
        let [rows, depth, columns, _] = weights.sizes;
        let (x, w) = (numbers(rows * depth, 11), weights.numbers());
        for cpu in cpus() {
            let found = compiled(&weights.program(), options(cpu)).call(&[bytes_of(&x)]);
            let what = format!("{weights:?} on {cpu}");
            assert_within(&found[0], [rows, depth, columns], (&x, &w), (24, &what));
        }
    }
}

#[test]
fn every_stage_scales_weights_as_the_program_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let is_of_way = |weights: &Weights| weights.is_by_columns() || weights.bits == 8;
    for (at, weights) in all().into_iter().filter(is_of_way).enumerate() {
        let name = format!("w{at}.mlir");
        std::fs::write(folder.path().join(&name), weights.program()).expect("written");
        let fixed = ["verify", &name, "--stages", "--rounds", "1", "--values", "tame"];
        let done = strata(folder.path(), &[&fixed[..], &["--target-cpu", "native"]].concat());
        assert_eq!(done.code, 0, "{weights:?}: {}", done.stderr);
    }
}

/// As `dense<…>` of one number for all, which tensors of scales are at times.
#[test]
fn one_scale_may_be_that_of_all_weights() {
    let [depth, columns] = [256, 40];
    let row = |row: usize| {
        let all = (0..columns).map(|column| ((row * 5 + column * 3) % 16) as i32 - 8);
        format!("[{}]", all.map(|one| one.to_string()).collect::<Vec<_>>().join(", "))
    };
    let rows = (0..depth).map(row).collect::<Vec<_>>().join(", ");
    let scale = bf16::from_f32(0.0117);
    for rows_of_x in [1, 9] {
        let (x, weight) =
            (format!("tensor<{rows_of_x}x{depth}xbf16>"), format!("{depth}x{columns}"));
        let result = format!("tensor<{rows_of_x}x{columns}xf32>");
        let program = format!(
            "func.func @main(%x: {x}) -> {result} {{
               %i = stablehlo.constant dense<[{rows}]> : tensor<{weight}xi4>
               %f = stablehlo.convert %i : (tensor<{weight}xi4>) -> tensor<{weight}xbf16>
               %s = stablehlo.constant dense<{scale:?}> : tensor<{weight}xbf16>
               %w = stablehlo.multiply %f, %s : tensor<{weight}xbf16>
               %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({x}, tensor<{weight}xbf16>) -> {result}
               return %r : {result}
             }}"
        );
        assert!(text(&program, Stage::Linalg).contains("narrow.pack \"s4\""), "{rows_of_x}");
        let weights = (0..depth * columns).map(|at| {
            let integer = ((at / columns * 5 + at % columns * 3) % 16) as f32 - 8.0;
            bf16::from_f32(integer * scale.to_f32())
        });
        let weights: Vec<_> = weights.collect();
        for cpu in cpus() {
            let picked: Vec<_> = (0..rows_of_x).map(|row| row * 11 + 3).collect();
            let found = compiled(&program, options(cpu)).call(&[picks(&picked, depth)]);
            assert_picked(&found[0], &picked, &weights, cpu);
        }
    }
}

/// The text of a stage for a processor that has the instruction.
fn text(program: &str, stage: Stage) -> String {
    let target = resolve(Some("x86_64-unknown-linux-gnu"), Some("znver4"), None);
    let compiler = Compiler::new(Options::new(target.expect("a target"))).to(stage);
    let artifact = compiler.compile("groups.mlir", program.as_bytes()).expect("compiles");
    String::from_utf8_lossy(artifact.bytes()).into_owned()
}

#[test]
fn scaled_weights_stay_few_bits() {
    for weights in all() {
        let [_, depth, columns, group] = weights.sizes;
        let program = weights.program();
        let linalg = text(&program, Stage::Linalg);
        // A word is of one group.
        let of_word = 32 / weights.bits as usize;
        // Nor do bytes of a vector that have no other groups than columns.
        let is_column = group == depth && weights.bits == 8 && weights.sizes[0] == 1;
        let stay = (group == depth || group % of_word == 0) && !is_column;
        let sign = if weights.is_signed { 's' } else { 'u' };
        let pack = format!("narrow.pack \"{sign}{}\"", weights.bits);
        assert_eq!(linalg.contains(&pack), stay, "{weights:?}: {linalg}");
        if !stay {
            continue;
        }
        let is_by_columns = weights.is_by_columns();
        let order = |[row, column]: [usize; 2]| match is_by_columns {
            true => format!("{column}x{row}"),
            false => format!("{row}x{column}"),
        };
        let words = format!(": tensor<{}xi32>", order([depth.div_ceil(of_word), columns]));
        let scales = format!(": tensor<{}xf32>", order([depth / group, columns]));
        assert_eq!(linalg.contains("{stride = 16 : i64}"), is_by_columns, "{weights:?}");
        for ty in [words, scales] {
            let is_constant =
                |line: &str| line.contains("arith.constant dense<") && line.ends_with(&ty);
            assert!(linalg.lines().any(is_constant), "{weights:?}: {ty}");
        }
        assert!(!linalg.contains("arith.sitofp") && !linalg.contains("arith.uitofp"), "{linalg}");
        let text = text(&program, Stage::Asm);
        // Of a table, one half is rounded.
        let rounding = if is_by_columns { "vcvtneps2bf16" } else { "vcvtne2ps2bf16" };
        assert!(text.contains(rounding) && text.contains("vdpbf16ps"), "{weights:?}");
    }
}

/// Products with such scales may be NaN or subnormal, which the instruction does not round.
#[test]
fn other_scales_are_multiplied_before() {
    let sizes = [8, 64, 48, 64];
    let weights = Weights {
        sizes,
        bits: 4,
        is_signed: true,
        is_transposed: false,
        has_zero_point: false,
        is_wide: true,
    };
    let usual = format!("{:?}", weights.scale(0, 0));
    let program = weights.program();
    assert!(text(&program, Stage::Linalg).contains("narrow.pack \"s4\""));
    for (scale, value) in [
        ("0x7F800000", f32::INFINITY),
        ("0x7FC00000", f32::NAN),
        ("0x00000700", f32::from_bits(0x700)),
    ] {
        // That of the first column.
        let (before, after) = program.split_once("%sc = ").expect("scales");
        let other = format!("{before}%sc = {}", after.replacen(&usual, scale, 1));
        assert!(!text(&other, Stage::Linalg).contains("narrow.pack \"s4\""), "{scale}");
        for cpu in cpus() {
            let mut x = vec![bf16::ZERO; 8 * 64];
            x[1] = bf16::ONE;
            let found = compiled(&other, options(cpu)).call(&[bytes_of(&x)]);
            let found = f32::from_le_bytes([0, 1, 2, 3].map(|at| found[0][at]));
            let expected = weights.integer(1, 0) as f32 * value;
            // An infinite weight is also multiplied by zeros.
            let is_right = match value.is_finite() {
                true => found.abs() <= expected.abs(),
                false => found.is_nan(),
            };
            assert!(is_right, "{scale} on {cpu}: {found}, not {expected}");
        }
    }
}

/// Of a group of 128 rows, a register is one table for four parts, which are read once.
#[test]
fn one_table_is_made_for_the_rows_of_a_scale() {
    for (group, tables) in [(128, 1), (256, 1), (64, 2), (32, 4)] {
        let weights = Weights {
            sizes: [1, 512, 10, group],
            bits: 4,
            is_signed: true,
            is_transposed: false,
            has_zero_point: false,
            is_wide: false,
        };
        let text = text(&weights.program(), Stage::Asm);
        let count = |name: &str| text.lines().filter(|line| line.contains(name)).count();
        let dots = count("vdpbf16ps");
        assert_eq!(count("vcvtneps2bf16") * 4, dots * tables, "groups of {group}: {text}");
    }
}

#[test]
fn words_that_do_not_fit_are_refused() {
    let pack = |operands: &str, dimension: i64, attributes: &str, types: [&str; 3]| {
        let [words, params, lanes] = types.map(|shape| format!("tensor<{shape}>"));
        // As many types as operands.
        let all = vec![params.as_str(); operands.matches("%s").count()].join(", ");
        let of_params = if all.is_empty() { all } else { format!(" by {all}") };
        format!(
            "func.func @main(%w: {words}, %s: {params}) -> {lanes} attributes {{strata.entry, strata.inputs = [{words}, {params}], strata.outputs = [{lanes}]}} {{
               %l = narrow.pack \"s4\" {operands} to \"bf16\" along {dimension} {attributes} : {words}{of_params} -> {lanes}
               return %l : {lanes}
             }}"
        )
    };
    let (plain, strided) = ("", "{stride = 16 : i64}");
    let fits = [
        pack("%w by %s", 0, plain, ["4x6xi32", "2x6xf32", "15x6xi32"]),
        pack("%w by %s", 1, strided, ["6x32xi32", "6x4xf32", "6x128xi32"]),
        pack("%w", 1, strided, ["6x32xi32", "1xf32", "6x128xi32"]),
        pack("%w", 0, plain, ["0x6xi32", "1xf32", "0x6xi32"]),
        pack("%w", 1, strided, ["0x32xi32", "1xf32", "0x128xi32"]),
    ];
    let bad = [
        (
            pack("%w by %s", 0, plain, ["4x6xi32", "3x6xf32", "16x6xi32"]),
            "a parameter for each group",
        ),
        (
            pack("%w by %s", 0, plain, ["4x6xi32", "0x6xf32", "16x6xi32"]),
            "a parameter for each group",
        ),
        (
            pack("%w by %s", 0, plain, ["0x6xi32", "1x6xf32", "0x6xi32"]),
            "a parameter for each group",
        ),
        (
            pack("%w by %s, %s, %s", 0, plain, ["4x6xi32", "2x6xf32", "16x6xi32"]),
            "at most a zero point",
        ),
        (pack("%w", 0, plain, ["4x6xi32", "1xf32", "17x6xi32"]), "lanes of 4 elements"),
        (
            pack("%w by %s", 1, strided, ["6x32xi32", "6x16xf32", "6x128xi32"]),
            "a parameter for each group",
        ),
        (pack("%w", 1, strided, ["6x32xi32", "1xf32", "6x127xi32"]), "4 strides of 16"),
        (pack("%w", 1, strided, ["6x8xi32", "1xf32", "6x32xi32"]), "4 strides of 16"),
        (pack("%w", 0, strided, ["32x6xi32", "1xf32", "128x6xi32"]), "the last dimension"),
        (pack("%w", 1, "{stride = 0 : i64}", ["6x32xi32", "1xf32", "6x128xi32"]), "4 strides of 0"),
    ];
    let target = resolve(Some("x86_64-unknown-linux-gnu"), Some("znver4"), None).expect("a target");
    let compile = |text: &str| {
        let options = Options::new(target.clone());
        Compiler::new(options).from(Stage::Linalg).to(Stage::Obj).compile("p.mlir", text.as_bytes())
    };
    for text in fits {
        compile(&text).map_err(|error| error.to_string()).expect(&text);
    }
    for (text, reason) in bad {
        let error = compile(&text).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(reason), "{reason}: {error}\n{text}");
    }
}
