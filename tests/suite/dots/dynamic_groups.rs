//! Integers times scales of a call, times weights with a scale for each group of rows: on integers where scales and zero points are plain, as
//! the program says elsewhere.

use strata::{Compiler, Options, Stage};
use strata_codegen::target::resolve;

use super::{compiled, dynamic::weight};
use crate::harness::{cpus, options};

/// A dot, and how its program is written.
#[derive(Clone, Copy, Debug)]
struct Dot {
    rows: usize,
    groups: usize,
    size: usize,
    columns: usize,
    /// Whether columns come first.
    is_transposed: bool,
    is_signed: bool,
    has_point: bool,
}

const DOTS: [Dot; 5] = [
    dot([4, 3, 8, 9], [false, true, true]),
    dot([1, 5, 40, 33], [true, true, true]),
    dot([7, 2, 32, 1], [true, false, true]),
    dot([2, 9, 9, 17], [false, false, false]),
    // Several blocks of rows, the last of which begins in another.
    dot([259, 3, 16, 5], [true, true, true]),
];

const fn dot(
    [rows, groups, size, columns]: [usize; 4],
    [is_transposed, is_signed, has_point]: [bool; 3],
) -> Dot {
    Dot { rows, groups, size, columns, is_transposed, is_signed, has_point }
}

/// Of the first column the least and the largest that are plain.
fn plain_scale(group: usize, column: usize) -> f32 {
    match (group, column) {
        (0, 0) => 2_f32.powi(-40),
        (1, 0) => 2_f32.powi(40),
        _ => 0.01 + (group * 7 + column) as f32 / 512.0,
    }
}

impl Dot {
    fn depth(&self) -> usize {
        self.groups * self.size
    }

    fn program(&self, scale: fn(usize, usize) -> f32) -> String {
        let Self { rows, groups, size, columns, .. } = *self;
        let depth = self.depth();
        let pairs = |first: usize, second: usize, swapped: bool| {
            (0..first * second).map(move |at| {
                let (one, other) = (at / second, at % second);
                if swapped { (other, one) } else { (one, other) }
            })
        };
        let swapped = self.is_transposed;
        let order = |one: usize, other: usize| if swapped { (other, one) } else { (one, other) };
        let ((a, b), (c, d)) = (order(depth, columns), order(groups, columns));
        let weights = pairs(a, b, swapped).map(|(step, column)| weight(step, column));
        let weights: String = weights.map(|one| format!("{:02X}", one as u8)).collect();
        let scales = pairs(c, d, swapped).map(|(group, column)| scale(group, column));
        let scales: String =
            scales.flat_map(|one| one.to_le_bytes().map(|byte| format!("{byte:02X}"))).collect();
        let (parts, dims) = match swapped {
            true => (format!("tensor<{columns}x{groups}x{size}x"), "0, 1"),
            false => (format!("tensor<{groups}x{size}x{columns}x"), "0, 2"),
        };
        let (x, w) = (format!("tensor<{rows}x{depth}x"), format!("tensor<{a}x{b}x"));
        let stored = if self.is_signed { "i8" } else { "ui8" };
        let (row, result) =
            (format!("tensor<{rows}xf32>"), format!("tensor<{rows}x{columns}xf32>"));
        let less = match self.has_point {
            true => format!(
                "%p = stablehlo.broadcast_in_dim %point, dims = [0] : ({row}) -> {x}f32>
                 %d = stablehlo.subtract %f, %p : {x}f32>"
            ),
            false => String::new(),
        };
        let centered = if self.has_point { "%d" } else { "%f" };
        let contracted = usize::from(swapped);
        format!(
            "func.func @main(%x: {x}{stored}>, %scale: {row}, %point: {row}) -> {result} {{
  %f = stablehlo.convert %x : ({x}{stored}>) -> {x}f32>
  {less}
  %s = stablehlo.broadcast_in_dim %scale, dims = [0] : ({row}) -> {x}f32>
  %n = stablehlo.multiply {centered}, %s : {x}f32>
  %w = stablehlo.constant dense<\"0x{weights}\"> : {w}i8>
  %v = stablehlo.reshape %w : ({w}i8>) -> {parts}i8>
  %u = stablehlo.convert %v : ({parts}i8>) -> {parts}f32>
  %c = stablehlo.constant dense<\"0x{scales}\"> : tensor<{c}x{d}xf32>
  %b = stablehlo.broadcast_in_dim %c, dims = [{dims}] : (tensor<{c}x{d}xf32>) -> {parts}f32>
  %t = stablehlo.multiply %u, %b : {parts}f32>
  %m = stablehlo.reshape %t : ({parts}f32>) -> {w}f32>
  %r = stablehlo.dot_general %n, %m, contracting_dims = [1] x [{contracted}] : ({x}f32>, {w}f32>) -> {result}
  return %r : {result}
}}"
        )
    }

    /// What a row and a column give, as the program rounds numbers, and the sum of the moduli of its products.
    fn expected(&self, x: &[f32], [scale, point]: [f32; 2], column: usize) -> (f64, f64) {
        let point = if self.has_point { point } else { 0.0 };
        let products = x.iter().enumerate().map(|(step, one)| {
            let number = (one - point) * scale;
            let weight = f32::from(weight(step, column)) * plain_scale(step / self.size, column);
            f64::from(number) * f64::from(weight)
        });
        products.fold((0.0, 0.0), |(sum, moduli), product| (sum + product, moduli + product.abs()))
    }

    fn check(&self, cpu: &str, found: &[u8], x: &[u8], scales: &[f32], points: &[f32]) {
        let number = |byte: &u8| match self.is_signed {
            true => f32::from(byte.cast_signed()),
            false => f32::from(*byte),
        };
        let depth = self.depth();
        for (at, found) in found.chunks_exact(4).enumerate() {
            let found = f32::from_le_bytes([found[0], found[1], found[2], found[3]]);
            let (row, column) = (at / self.columns, at % self.columns);
            let own: Vec<_> = x[row * depth..][..depth].iter().map(number).collect();
            let (sum, moduli) = self.expected(&own, [scales[row], points[row]], column);
            let what =
                format!("{self:?}, {cpu}: {}, {}, {row}, {column}", scales[row], points[row]);
            if sum.is_finite() && moduli < f64::from(f32::MAX) {
                let error = (f64::from(found) - sum).abs();
                let bound = depth as f64 * 2_f64.powi(-23) * moduli;
                // Products below the normal range lose digits of their own.
                let lost = depth as f64 * 2_f64.powi(-148);
                assert!(error <= bound + lost, "{what}: {found}, {sum}");
            } else {
                assert!(!found.is_finite(), "{what}: {found}");
                assert_eq!(found.is_nan(), sum.is_nan(), "{what}: {found}, {sum}");
            }
        }
    }
}

fn hlo(program: &str) -> String {
    let target = resolve(Some("x86_64-unknown-linux-gnu"), None, None).expect("a target");
    let compiler = Compiler::new(Options::new(target)).to(Stage::Hlo);
    let artifact = compiler.compile("groups.mlir", program.as_bytes()).expect("compiles");
    String::from_utf8_lossy(artifact.bytes()).into_owned()
}

#[test]
fn scales_of_groups_are_those_of_the_program() {
    let (least, most) = (2_f32.powi(-40), 2_f32.powi(40));
    // Of the first rows; the others have plain ones.
    let first = [
        ([0.03, 1.7, least, most], [0.0, -128.0, 127.0, 255.0]),
        // Each of these has the program's own arithmetic.
        ([0.03, f32::INFINITY, 1.0, 1.0], [0.0, 3.0, 3.0, 3.0]),
        ([f32::NAN, 1.0, 1.0, 1.0], [0.0, 3.0, 3.0, 3.0]),
        ([0.0, 0.0, -0.0, -0.5], [0.0, 3.0, 3.0, 3.0]),
        ([1e-44, 1e-44, 3e20, 1.0], [0.0, 3.0, 3.0, 3.0]),
        ([1.0, 0.5, 1.0, 1.0], [0.5, 0.5, 3.0, 3.0]),
        ([1.0, 0.5, 1.0, 1.0], [1e6, 1e6, f32::NAN, f32::INFINITY]),
    ];
    for dot in DOTS {
        let text = dot.program(plain_scale);
        let hlo = hlo(&text);
        assert!(hlo.contains("stablehlo.if") && hlo.contains("xi32>"), "{dot:?}: {hlo}");
        let x: Vec<_> =
            (0..dot.rows * dot.depth()).map(|at| ((at * 91 + at / 7) % 256) as u8).collect();
        for cpu in cpus() {
            let object = compiled(&text, options(cpu));
            for (scales, points) in first {
                let of_all = |list: [f32; 4], other: fn(usize) -> f32| -> Vec<f32> {
                    (0..dot.rows).map(|row| list.get(row).copied().unwrap_or(other(row))).collect()
                };
                let scales = of_all(scales, |row| 0.02 + row as f32 / 256.0);
                let points = of_all(points, |row| (row % 256) as f32 - 128.0);
                let bytes = |list: &[f32]| list.iter().flat_map(|one| one.to_le_bytes()).collect();
                let inputs = [x.clone(), bytes(&scales), bytes(&points)];
                let found = object.call_with_any_nan(&inputs).concat();
                dot.check(cpu, &found, &x, &scales, &points);
            }
        }
    }
}

/// Weights whose scales leave the range, groups of few rows, and such that end inside of what is summed, are floats.
#[test]
fn other_groups_are_floats() {
    let dot = DOTS[0];
    let others: [fn(usize, usize) -> f32; 4] =
        [|_, _| 0.0, |_, _| f32::NAN, |_, _| f32::INFINITY, |group, _| 1e-40 + group as f32];
    for scale in others {
        assert!(!hlo(&dot.program(scale)).contains("stablehlo.if"), "{}", scale(0, 0));
    }
    let few = Dot { groups: 6, size: 4, ..dot };
    assert!(!hlo(&few.program(plain_scale)).contains("stablehlo.if"));
    let (depth, columns) = (dot.depth(), dot.columns);
    let (whole, part) =
        (format!("tensor<{depth}x{columns}xf32>"), format!("tensor<20x{columns}xf32>"));
    let text = dot.program(plain_scale).replace(
        &format!("%r = stablehlo.dot_general %n, %m, contracting_dims = [1] x [0] : (tensor<4x{depth}xf32>, {whole})"),
        &format!(
            "%o = stablehlo.slice %m [0:20, 0:{columns}] : ({whole}) -> {part}
             %q = stablehlo.slice %n [0:4, 0:20] : (tensor<4x{depth}xf32>) -> tensor<4x20xf32>
             %r = stablehlo.dot_general %q, %o, contracting_dims = [1] x [0] : (tensor<4x20xf32>, {part})"
        ),
    );
    assert!(text.contains("%q") && !hlo(&text).contains("stablehlo.if"));
}

/// However a program writes scales of groups: integers or numbers in groups, scales repeated, or as many of them as there are weights.
#[test]
fn groups_are_found_in_all_forms() {
    for dot in DOTS {
        let text = dot.program(plain_scale);
        let Dot { groups, size, columns, is_transposed, .. } = dot;
        let depth = dot.depth();
        let (parts, whole) = match is_transposed {
            true => {
                (format!("tensor<{columns}x{groups}x{size}x"), format!("tensor<{columns}x{depth}x"))
            }
            false => {
                (format!("tensor<{groups}x{size}x{columns}x"), format!("tensor<{depth}x{columns}x"))
            }
        };
        let replaced = |text: &str, lines: [(&str, String); 4]| {
            lines.into_iter().fold(text.to_owned(), |text, (name, line)| {
                let start = text.find(&format!("  {name} = ")).expect("a line");
                let end = start + text[start..].find('\n').expect("its end");
                format!("{}  {name} = {line}{}", &text[..start], &text[end..])
            })
        };
        let convert = format!("stablehlo.convert %w : ({whole}i8>) -> {whole}f32>");
        let multiply = format!("stablehlo.multiply %v, %t : {whole}f32>");
        let scale = |row: usize, column: usize| match is_transposed {
            true => plain_scale(column / size, row),
            false => plain_scale(row / size, column),
        };
        let (rows, line) = if is_transposed { (columns, depth) } else { (depth, columns) };
        let all: String = (0..rows * line)
            .flat_map(|at| scale(at / line, at % line).to_le_bytes())
            .map(|byte| format!("{byte:02X}"))
            .collect();
        let same = format!("stablehlo.reshape %v : ({whole}f32>) -> {whole}f32>");
        let all = format!("stablehlo.constant dense<\"0x{all}\"> : {whole}f32>");
        let forms = [
            [
                ("%v", convert.clone()),
                ("%u", format!("stablehlo.reshape %v : ({whole}f32>) -> {parts}f32>")),
                ("%t", format!("stablehlo.multiply %b, %u : {parts}f32>")),
                ("%m", format!("stablehlo.reshape %t : ({parts}f32>) -> {whole}f32>")),
            ],
            [
                ("%v", convert.clone()),
                ("%u", same),
                ("%t", format!("stablehlo.reshape %b : ({parts}f32>) -> {whole}f32>")),
                ("%m", multiply.clone()),
            ],
            [
                ("%v", convert),
                ("%u", all),
                ("%t", format!("stablehlo.reshape %u : ({whole}f32>) -> {whole}f32>")),
                ("%m", multiply),
            ],
        ];
        let x: Vec<_> = (0..dot.rows * depth).map(|at| ((at * 91 + at / 7) % 256) as u8).collect();
        let bytes = |first: f32| {
            (0..dot.rows).flat_map(|row| (first + row as f32).to_le_bytes()).collect::<Vec<_>>()
        };
        let inputs = [x, bytes(0.5), bytes(-3.0)];
        let expected = compiled(&text, options("x86-64-v3")).call(&inputs);
        for lines in forms {
            let form = replaced(&text, lines);
            let hlo = hlo(&form);
            assert!(hlo.contains("stablehlo.if") && hlo.contains("xi32>"), "{dot:?}: {form}");
            let found = compiled(&form, options("x86-64-v3")).call(&inputs);
            assert!(found == expected, "{dot:?}: {form}");
        }
    }
}
