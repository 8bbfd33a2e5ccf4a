//! Dots and convolutions of bytes: sums of every machine's instruction are those of 64-bit arithmetic modulo 2³², and it is the
//! instruction that the target has.

pub mod bf16;
mod dynamic;
mod dynamic_groups;
pub mod groups;
mod integers;
mod transposed;

use strata::{Compiler, Options, Stage};
use strata_codegen::target::resolve;

use crate::harness::{Loaded, Stages, cpus, options};

/// Elements of which the first are extremes, and so many as fill all sums with them.
fn bytes(count: usize, seed: usize) -> Vec<u8> {
    let extremes = [0x80, 0x80, 0x7F, 0xFF, 0, 0x01, 0x80];
    (0..count)
        .map(|at| match at % 3 {
            0 => extremes[(at / 3 + seed) % extremes.len()],
            _ => ((at * 167 + seed * 59 + at / 256) % 256) as u8,
        })
        .collect()
}

fn number(byte: u8, is_signed: bool) -> i64 {
    if is_signed { i64::from(byte.cast_signed()) } else { i64::from(byte) }
}

fn name(is_signed: bool) -> &'static str {
    if is_signed { "i8" } else { "ui8" }
}

fn compiled(program: &str, options: Options) -> Loaded {
    let artifact = Compiler::new(options).to(Stage::Obj).compile("dots.mlir", program.as_bytes());
    Loaded::new(&artifact.expect("compiles"))
}

/// A batch of dots.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    pub sizes: [usize; 4],
    /// Whether the summed dimension of each operand comes before its own.
    pub first: [bool; 2],
    pub signs: [bool; 2],
}

impl Dot {
    /// The type of an operand, and where an element is.
    fn shape(&self, side: usize) -> [usize; 3] {
        let [batch, m, k, n] = self.sizes;
        let own = [m, n][side];
        if self.first[side] { [batch, k, own] } else { [batch, own, k] }
    }

    pub fn program(&self) -> String {
        let ty = |side: usize| {
            let [a, b, c] = self.shape(side);
            format!("tensor<{a}x{b}x{c}x{}>", name(self.signs[side]))
        };
        let dims = self.first.map(|first| if first { 1 } else { 2 });
        let [batch, m, _, n] = self.sizes;
        let (lhs, rhs, result) = (ty(0), ty(1), format!("tensor<{batch}x{m}x{n}xi32>"));
        format!(
            "func.func @main(%x: {lhs}, %y: {rhs}) -> {result} {{
               %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [{}] x [{}] : ({lhs}, {rhs}) -> {result}
               return %0 : {result}
             }}",
            dims[0], dims[1]
        )
    }

    fn element(&self, side: usize, values: &[u8], [batch, own, at]: [usize; 3]) -> i64 {
        let [_, second, third] = self.shape(side);
        let place = if self.first[side] { at * third + own } else { own * third + at };
        number(values[batch * second * third + place], self.signs[side])
    }

    pub fn expected(&self, lhs: &[u8], rhs: &[u8]) -> Vec<u8> {
        let [batches, rows, depth, columns] = self.sizes;
        let mut all = Vec::new();
        for batch in 0..batches {
            for row in 0..rows {
                for column in 0..columns {
                    let product = |at| {
                        self.element(0, lhs, [batch, row, at])
                            * self.element(1, rhs, [batch, column, at])
                    };
                    let sum: i64 = (0..depth).map(product).sum();
                    all.extend((sum as i32).to_le_bytes());
                }
            }
        }
        all
    }

    fn check(&self, inputs: &[Vec<u8>; 2]) {
        let expected = self.expected(&inputs[0], &inputs[1]);
        for cpu in cpus() {
            let found = compiled(&self.program(), options(cpu)).call(inputs);
            assert!(found == [expected.clone()], "{self:?} on {cpu}");
        }
    }

    pub fn inputs(&self) -> [Vec<u8>; 2] {
        [0, 1].map(|side| bytes(self.shape(side).iter().product(), side))
    }
}

pub const SIGNS: [[bool; 2]; 4] = [[true, true], [true, false], [false, true], [false, false]];

#[test]
fn every_pair_of_signs_and_every_remainder() {
    for signs in SIGNS {
        for sizes in
            [[1, 13, 27, 21], [1, 8, 3, 9], [3, 9, 36, 8], [1, 17, 65, 80], [1, 64, 70, 64]]
        {
            let dot = Dot { sizes, first: [false, true], signs };
            dot.check(&dot.inputs());
        }
    }
}

#[test]
fn transposed_operands() {
    for first in [[false, false], [true, true], [true, false]] {
        for signs in [[true, true], [false, true]] {
            let dot = Dot { sizes: [1, 33, 29, 40], first, signs };
            dot.check(&dot.inputs());
        }
    }
}

#[test]
fn one_row_one_column_and_nothing_to_sum() {
    for sizes in [[1, 1, 67, 35], [1, 35, 67, 1], [1, 9, 1, 9], [2, 9, 0, 9], [0, 9, 9, 9]] {
        let dot = Dot { sizes, first: [false, true], signs: [true, true] };
        dot.check(&dot.inputs());
    }
}

#[test]
fn sums_wrap_and_do_not_saturate() {
    // 140,001 products of the largest magnitude exceed 32 bits.
    for (signs, byte) in [([true, true], 0x80), ([false, false], 0xFF), ([false, true], 0xFF)] {
        let dot = Dot { sizes: [1, 9, 140_001, 16], first: [false, true], signs };
        let inputs = [0, 1].map(|side| vec![byte; dot.shape(side).iter().product()]);
        dot.check(&inputs);
    }
    // Pairs of products that 16 bits do not hold.
    let dot = Dot { sizes: [1, 8, 4, 8], first: [false, true], signs: [false, true] };
    dot.check(&[vec![0xFF; 32], vec![0x80; 32]]);
}

#[test]
fn matrices_times_vectors_are_read_in_place() {
    let sizes = [
        [1, 37, 192, 1],
        [1, 1, 192, 37],
        [2, 19, 71, 1],
        [1, 1, 70, 83],
        [1, 3, 64, 48],
        [1, 5, 67, 48],
    ];
    for (sizes, signs) in sizes.into_iter().zip(SIGNS.into_iter().cycle()) {
        for first in [[false, true], [false, false]] {
            let dot = Dot { sizes, first, signs };
            dot.check(&dot.inputs());
        }
    }
}

#[test]
fn lanes_of_constants_are_constants() {
    let weights: Vec<u8> = bytes(7 * 9, 5);
    let list = |signed| {
        let rows = weights.chunks(9).map(|row| {
            let row: Vec<_> = row.iter().map(|byte| number(*byte, signed).to_string()).collect();
            format!("[{}]", row.join(", "))
        });
        format!("[{}]", rows.collect::<Vec<_>>().join(", "))
    };
    for is_signed in [true, false] {
        let ty = name(is_signed);
        let program = format!(
            "func.func @main(%x: tensor<11x7x{ty}>) -> tensor<11x9xi32> {{
               %w = stablehlo.constant dense<{}> : tensor<7x9x{ty}>
               %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<11x7x{ty}>, tensor<7x9x{ty}>) -> tensor<11x9xi32>
               return %0 : tensor<11x9xi32>
             }}",
            list(is_signed)
        );
        let dot = Dot { sizes: [1, 11, 7, 9], first: [false, true], signs: [is_signed; 2] };
        let x = bytes(11 * 7, 2);
        let expected = dot.expected(&x, &weights);
        for cpu in cpus() {
            let found = compiled(&program, options(cpu)).call(std::slice::from_ref(&x));
            assert!(found == [expected.clone()], "{ty} on {cpu}");
        }
        let target = resolve(Some("x86_64-unknown-linux-gnu"), Some("znver4"), None);
        let compiler = Compiler::new(Options::new(target.expect("a target"))).to(Stage::Linalg);
        let artifact = compiler.compile("dots.mlir", program.as_bytes()).expect("compiles");
        let text = artifact.text().expect("text");
        // That of the input alone.
        assert_eq!(text.matches("narrow.pack").count(), 1, "{text}");
        assert!(!text.contains("arith.ext"), "{text}");
    }
}

#[test]
fn remarks_say_which_instruction() {
    let remarks = |dot: Dot, cpu: Option<&str>, triple| {
        let target = resolve(Some(triple), cpu, None).expect("a target");
        let mut stages = Stages::default();
        let compiler = Compiler::new(Options::new(target)).to(Stage::Obj).observe(&mut stages);
        compiler.compile("dots.mlir", dot.program().as_bytes()).expect("compiles");
        stages.remarks.concat()
    };
    let dot = Dot { sizes: [1, 32, 64, 32], first: [false, true], signs: [true, true] };
    let x86 = "x86_64-unknown-linux-gnu";
    let text = remarks(dot, Some("znver4"), x86);
    assert!(text.contains("narrow.dot of s8 and u8 by vpdpbusd"), "{text}");
    let text = remarks(Dot { sizes: [1, 32, 2, 32], ..dot }, Some("znver4"), x86);
    assert!(text.contains("declined   lanes: there are too few products"), "{text}");
    let one = Dot { sizes: [1, 32, 64, 1], ..dot };
    let text = remarks(one, None, "aarch64-unknown-linux-gnu");
    assert!(text.contains("declined   lanes: the target has no instruction"), "{text}");
}

#[test]
fn convolutions() {
    let (height, width, features, outputs) = (9, 8, 7, 11);
    let (taps, strides) = ([3, 2], [2, 1]);
    let (rows, columns) = (4, 8);
    for is_signed in [true, false] {
        let ty = name(is_signed);
        let program = format!(
            "func.func @main(%x: tensor<2x9x8x7x{ty}>, %k: tensor<3x2x7x11x{ty}>) -> tensor<2x4x8x11xi32> {{
               %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
                 window = {{stride = [2, 1], pad = [[1, 0], [0, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
                 : (tensor<2x9x8x7x{ty}>, tensor<3x2x7x11x{ty}>) -> tensor<2x4x8x11xi32>
               return %0 : tensor<2x4x8x11xi32>
             }}"
        );
        let inputs =
            [bytes(2 * height * width * features, 3), bytes(3 * 2 * features * outputs, 4)];
        let mut expected = Vec::new();
        for place in 0..2 * rows * columns {
            let (image, row, column) =
                (place / (rows * columns), place / columns % rows, place % columns);
            for output in 0..outputs {
                let mut sum = 0;
                for tap in 0..taps[0] * taps[1] * features {
                    let (feature, across, down) =
                        (tap % features, tap / features % taps[1], tap / features / taps[1]);
                    let (y, x) = ((row * strides[0] + down).wrapping_sub(1), column + across);
                    if y < height && x < width {
                        let at = ((image * height + y) * width + x) * features + feature;
                        sum += number(inputs[0][at], is_signed)
                            * number(inputs[1][tap * outputs + output], is_signed);
                    }
                }
                expected.extend((sum as i32).to_le_bytes());
            }
        }
        for cpu in cpus() {
            let found = compiled(&program, options(cpu)).call(&inputs);
            assert!(found == [expected.clone()], "{ty} on {cpu}");
        }
    }
}

#[test]
fn targets_use_the_instruction_that_they_have() {
    let x86 = "x86_64-unknown-linux-gnu";
    let arm = "aarch64-unknown-linux-gnu";
    let mnemonics = ["vpdpbusd", "pmaddwd", "pmaddubsw", "sdot", "udot"];
    for (triple, cpu, features, used) in [
        (x86, Some("znver4"), "", &["vpdpbusd"][..]),
        (x86, Some("znver4"), "-avx512vnni", &["pmaddwd"]),
        (x86, Some("icelake-server"), "", &["vpdpbusd"]),
        (x86, Some("alderlake"), "", &["vpdpbusd"]),
        (x86, Some("x86-64-v4"), "", &["pmaddwd"]),
        (x86, Some("x86-64-v3"), "", &["pmaddwd"]),
        (x86, None, "", &["pmaddwd"]),
        (arm, None, "", &[]),
        (arm, None, "+dotprod", &["sdot"]),
    ] {
        let dot = Dot { sizes: [1, 32, 64, 32], first: [false, true], signs: [true, true] };
        let target = resolve(Some(triple), cpu, Some(features)).expect("a target");
        let compiler = Compiler::new(Options::new(target)).to(Stage::Asm);
        let artifact = compiler.compile("dots.mlir", dot.program().as_bytes()).expect("compiles");
        let text = String::from_utf8_lossy(artifact.bytes()).into_owned();
        let found: Vec<_> = mnemonics.into_iter().filter(|name| text.contains(name)).collect();
        assert_eq!(found, used, "{triple} {cpu:?} {features}");
    }
}

/// Exporters widen the operands of a dot of two types; a convolution of bytes may be written so, too.
#[test]
fn widened_bytes_are_multiplied_as_bytes() {
    let target = resolve(None, Some("x86-64-v4"), Some("+avx512vnni")).expect("a target");
    for signs in SIGNS {
        let [m, k, n] = [9, 70, 17];
        let dot = Dot { sizes: [1, m, k, n], first: [false, true], signs };
        let [x, y] = signs.map(name);
        let dot_program = format!(
            "func.func @main(%x: tensor<{m}x{k}x{x}>, %y: tensor<{k}x{n}x{y}>) -> tensor<{m}x{n}xi32> {{
               %0 = stablehlo.convert %x : (tensor<{m}x{k}x{x}>) -> tensor<{m}x{k}xi32>
               %1 = stablehlo.convert %y : (tensor<{k}x{n}x{y}>) -> tensor<{k}x{n}xi32>
               %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<{m}x{k}xi32>, tensor<{k}x{n}xi32>) -> tensor<{m}x{n}xi32>
               return %2 : tensor<{m}x{n}xi32>
             }}"
        );
        let types = [format!("tensor<1x{m}x{k}x"), format!("tensor<1x{k}x{n}x")];
        let convolution = format!(
            "func.func @main(%x: {0}{x}>, %y: {1}{y}>) -> tensor<1x{m}x{n}xi32> {{
               %0 = stablehlo.convert %x : ({0}{x}>) -> {0}i32>
               %1 = stablehlo.convert %y : ({1}{y}>) -> {1}i32>
               %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({0}i32>, {1}i32>) -> tensor<1x{m}x{n}xi32>
               return %2 : tensor<1x{m}x{n}xi32>
             }}",
            types[0], types[1]
        );
        let inputs = dot.inputs();
        let expected = dot.expected(&inputs[0], &inputs[1]);
        for (program, takes) in [(dot_program, true), (convolution, x == y || y == "i8")] {
            for cpu in cpus() {
                let found = compiled(&program, options(cpu)).call(&inputs);
                assert!(found == [expected.clone()], "{cpu}: {program}");
            }
            let compiler = Compiler::new(Options::new(target.clone())).to(Stage::Asm);
            let artifact = compiler.compile("dots.mlir", program.as_bytes()).expect("compiles");
            let text = String::from_utf8_lossy(artifact.bytes()).into_owned();
            assert_eq!(text.contains("vpdpbusd"), takes, "{program}");
        }
    }
}
