//! `bf16` and `f16`: every rounding, and the instructions that it takes.

use half::{bf16, f16};
use rstest::rstest;
use strata::{Compiler, Options, Stage};
use strata_codegen::target::resolve;

use crate::harness::{Loaded, cpus, options};

fn load(program: &str, cpu: &str) -> Loaded {
    let compiler = Compiler::new(options(cpu)).to(Stage::Obj);
    Loaded::new(&compiler.compile("narrow.mlir", program.as_bytes()).expect("compiles"))
}

fn assembly(program: &str, cpu: &str) -> String {
    let compiler = Compiler::new(options(cpu)).to(Stage::Asm);
    let artifact = compiler.compile("narrow.mlir", program.as_bytes()).expect("compiles");
    String::from_utf8(artifact.bytes().to_vec()).expect("text")
}

/// The numbers around each `bf16`, or with it in the upper half of its bits: ties, their neighbours, NaN with bits in the lower half only.
fn around(upper: impl Iterator<Item = u16>) -> Vec<f32> {
    const LOWER: [u16; 7] = [0, 1, 0x7fff, 0x8000, 0x8001, 0x9000, 0xffff];
    let bits = upper.flat_map(|high| LOWER.map(|low| u32::from(high) << 16 | u32::from(low)));
    bits.map(f32::from_bits).collect()
}

fn bytes_f32(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn bytes(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|word| u16::from_le_bytes([word[0], word[1]])).collect()
}

/// Compares bits, of NaN only that they are NaN.
fn assert_same(
    found: &[u16],
    expected: &[u16],
    is_nan: impl Fn(u16) -> bool,
    what: &str,
    inputs: impl Fn(usize) -> String,
) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (one, other)) in found.iter().zip(expected).enumerate() {
        let is_same = one == other || is_nan(*one) && is_nan(*other);
        assert!(is_same, "{what}: {one:#06x}, not {other:#06x}, of {}", inputs(at));
    }
}

fn is_nan_bf16(bits: u16) -> bool {
    bf16::from_bits(bits).is_nan()
}

fn is_nan_f16(bits: u16) -> bool {
    f16::from_bits(bits).is_nan()
}

#[test]
fn every_f32_next_to_a_bf16_is_rounded_to_the_nearest() {
    let values = around(0..=u16::MAX);
    let expected: Vec<_> = values.iter().map(|one| bf16::from_f32(*one).to_bits()).collect();
    let count = values.len();
    let program = format!(
        "func.func @main(%x: tensor<{count}xf32>) -> tensor<{count}xbf16> {{
           %0 = stablehlo.convert %x : (tensor<{count}xf32>) -> tensor<{count}xbf16>
           return %0 : tensor<{count}xbf16>
         }}"
    );
    for cpu in cpus() {
        let found = load(&program, cpu).call(&[bytes_f32(&values)]);
        assert_same(&words(&found[0]), &expected, is_nan_bf16, cpu, |at| {
            format!("{:#010x}", values[at].to_bits())
        });
    }
}

/// One row per pair of sizes that vectors, pairs of vectors and what is left over of them have.
#[test]
fn sums_of_bf16_are_rounded_once_in_every_lane() {
    for count in [1_usize, 2, 15, 16, 17, 31, 32, 33, 64, 97, 131, 65536] {
        let left: Vec<u16> = (0..count).map(|at| (at * 65521 / count.min(977)) as u16).collect();
        let right: Vec<u16> = left
            .iter()
            .zip((0..=u16::MAX).cycle())
            .map(|(x, at)| (x ^ (at << 15)).wrapping_sub(at % 1031))
            .collect();
        let sum = |(x, y): (&u16, &u16)| {
            bf16::from_f32(bf16::from_bits(*x).to_f32() + bf16::from_bits(*y).to_f32()).to_bits()
        };
        let expected: Vec<_> = left.iter().zip(&right).map(sum).collect();
        let program = format!(
            "func.func @main(%x: tensor<{count}xbf16>, %y: tensor<{count}xbf16>) -> tensor<{count}xbf16> {{
               %0 = stablehlo.add %x, %y : tensor<{count}xbf16>
               return %0 : tensor<{count}xbf16>
             }}"
        );
        for cpu in cpus() {
            let found = load(&program, cpu).call(&[bytes(&left), bytes(&right)]);
            let what = format!("{count} on {cpu}");
            assert_same(&words(&found[0]), &expected, is_nan_bf16, &what, |at| {
                format!("{:#06x} + {:#06x}", left[at], right[at])
            });
        }
    }
}

/// A number that is rounded and used at once, and also stored.
#[test]
fn each_operation_on_bf16_rounds() {
    for count in [7_usize, 33, 1021, 65536] {
        let x: Vec<u16> = (0..count).map(|at| (at * 65521 / count.min(1021)) as u16).collect();
        let y: Vec<u16> = x.iter().map(|one| one.rotate_left(3) ^ 0x0180).collect();
        let value = |bits: u16| bf16::from_bits(bits).to_f32();
        let products: Vec<_> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| bf16::from_f32(value(*x) * value(*y)).to_bits())
            .collect();
        let sums: Vec<_> = products
            .iter()
            .zip(&x)
            .map(|(product, x)| bf16::from_f32(value(*product) + value(*x)).to_bits())
            .collect();
        let program = format!(
            "func.func @main(%x: tensor<{count}xbf16>, %y: tensor<{count}xbf16>)
                 -> (tensor<{count}xbf16>, tensor<{count}xbf16>) {{
               %0 = stablehlo.multiply %x, %y : tensor<{count}xbf16>
               %1 = stablehlo.add %0, %x : tensor<{count}xbf16>
               return %0, %1 : tensor<{count}xbf16>, tensor<{count}xbf16>
             }}"
        );
        for cpu in cpus() {
            let found = load(&program, cpu).call(&[bytes(&x), bytes(&y)]);
            let inputs = |at: usize| format!("{:#06x}, {:#06x}", x[at], y[at]);
            let what = format!("{count} on {cpu}");
            assert_same(&words(&found[0]), &products, is_nan_bf16, &what, inputs);
            assert_same(&words(&found[1]), &sums, is_nan_bf16, &what, inputs);
        }
    }
}

#[test]
fn sums_of_f16_are_rounded_once_in_every_lane() {
    for count in [1_usize, 17, 33, 97, 65536] {
        let left: Vec<u16> = (0..count).map(|at| (at * 65521 / count.min(977)) as u16).collect();
        let right: Vec<u16> = left.iter().map(|one| one.rotate_left(5) ^ 0x8400).collect();
        // Exact in f32, or rounded there far below the last place of an f16.
        let sum = |(x, y): (&u16, &u16)| {
            f16::from_f64(f16::from_bits(*x).to_f64() + f16::from_bits(*y).to_f64()).to_bits()
        };
        let expected: Vec<_> = left.iter().zip(&right).map(sum).collect();
        let program = format!(
            "func.func @main(%x: tensor<{count}xf16>, %y: tensor<{count}xf16>) -> tensor<{count}xf16> {{
               %0 = stablehlo.add %x, %y : tensor<{count}xf16>
               return %0 : tensor<{count}xf16>
             }}"
        );
        for cpu in cpus() {
            let found = load(&program, cpu).call(&[bytes(&left), bytes(&right)]);
            let what = format!("{count} on {cpu}");
            assert_same(&words(&found[0]), &expected, is_nan_f16, &what, |at| {
                format!("{:#06x} + {:#06x}", left[at], right[at])
            });
        }
    }
}

/// The interpreter of dumps keeps numbers, and has no signalling NaN: this is about objects.
#[test]
fn nan_that_are_moved_keep_their_bits() {
    for (ty, constant, input) in
        [("bf16", 0xffa1, [0x7f81, 0x3f80, 0xffa5]), ("f16", 0xfd01, [0x7c01, 0x3c00, 0xfe03])]
    {
        let program = format!(
            "func.func public @main(%x: tensor<3x{ty}>) -> tensor<4x{ty}> {{\n  \
             %0 = stablehlo.constant dense<{constant:#X}> : tensor<{ty}>\n  \
             %1 = stablehlo.pad %x, %0, low = [1], high = [0], interior = [0]\n    \
             : (tensor<3x{ty}>, tensor<{ty}>) -> tensor<4x{ty}>\n  return %1 : tensor<4x{ty}>\n}}\n"
        );
        for cpu in cpus() {
            let found = words(&load(&program, cpu).call(&[bytes(&input)])[0]);
            assert_eq!(found, [&[constant][..], &input].concat(), "{ty} for {cpu}");
        }
    }
}

fn count(text: &str, instruction: &str) -> usize {
    text.lines().filter(|line| line.split_whitespace().next() == Some(instruction)).count()
}

/// Vectors of `bf16` are widened and narrowed in place: no lane moves. AVX512-BF16 is not used, which flushes subnormal numbers.
#[test]
fn lanes_of_bf16_stay_where_they_are() {
    let program =
        "func.func @main(%x: tensor<4096xbf16>, %y: tensor<4096xbf16>) -> tensor<4096xbf16> {
       %0 = stablehlo.add %x, %y : tensor<4096xbf16>
       return %0 : tensor<4096xbf16>
     }";
    for cpu in ["x86-64", "x86-64-v3", "x86-64-v4", "znver4", "sapphirerapids"] {
        let text = assembly(program, cpu);
        for moves in ["vpmovzxwd", "vpmovdw", "vpackusdw", "packssdw", "punpcklwd", "vcvtneps2bf16"]
        {
            assert_eq!(count(&text, moves), 0, "{moves} on {cpu}\n{text}");
        }
        // Two vectors become one by a shift and a mask, or by one instruction.
        assert!(count(&text, "vpermt2w") <= count(&text, "vmovdqu64"), "{cpu}\n{text}");
        let (mask, shift) = match cpu {
            "x86-64" => (["andps", "pand"], "psrld"),
            "x86-64-v3" => (["vandps", "vpand"], "vpsrld"),
            _ => (["vpandd", "vpandq"], "vpsrld"),
        };
        assert!(mask.iter().any(|one| count(&text, one) > 0), "{cpu}\n{text}");
        assert!(count(&text, shift) > 0, "{cpu}\n{text}");
    }
}

/// The processor's conversions, where it has them.
#[test]
fn f16_is_converted_by_the_processor() {
    let program =
        "func.func @main(%x: tensor<4096xf16>, %y: tensor<4096xf16>) -> tensor<4096xf16> {
       %0 = stablehlo.add %x, %y : tensor<4096xf16>
       return %0 : tensor<4096xf16>
     }";
    for (cpu, has) in [("x86-64", false), ("x86-64-v3", true), ("x86-64-v4", true)] {
        let text = assembly(program, cpu);
        for instruction in ["vcvtph2ps", "vcvtps2ph"] {
            assert_eq!(count(&text, instruction) > 0, has, "{instruction} on {cpu}\n{text}");
        }
    }
}

/// The exponent of the smallest number of a format, and the bits of a mantissa.
fn error_in_places(found: f64, exact: f64, [smallest, mantissa, largest]: [i32; 3]) -> f64 {
    let top = 2_f64.powi(largest);
    // What is rounded to the next power of two is infinite.
    let (found, exact) = (found.min(top), exact.min(top));
    let place = (exact.log2().max(-1e3).floor() as i32 - mantissa).max(smallest);
    (found - exact).abs() / 2_f64.powi(place.min(largest - 1 - mantissa))
}

/// In formulas that are as accurate as the format needs, where the function is of the format and where its result is only converted to it.
#[rstest]
#[case::exponential("exponential", f64::exp)]
#[case::tanh("tanh", f64::tanh)]
fn functions_of_every_number_are_within_their_bound(
    #[case] name: &str,
    #[case] function: fn(f64) -> f64,
) {
    // Elements after the last whole vector, too.
    let bits: Vec<u16> = (0..=u16::MAX).chain(0x3f00..0x3f21).collect();
    let length = bits.len();
    let wide = around((0x3000..0x4400).chain(0xb000..0xc400).chain(0x7f70..0x7f90));
    type Format = (&'static str, [i32; 3], fn(u16) -> f64);
    let formats: [Format; 2] = [
        ("bf16", [-133, 7, 128], |bits| bf16::from_bits(bits).to_f64()),
        ("f16", [-24, 10, 16], |bits| f16::from_bits(bits).to_f64()),
    ];
    for ((ty, format, value), cpu) in
        formats.iter().flat_map(|format| cpus().into_iter().map(move |cpu| (format, cpu)))
    {
        let check = |found: &[u8], exact: &mut dyn Iterator<Item = f64>, what: &str| {
            for (at, (found, x)) in words(found).into_iter().zip(exact).enumerate() {
                let (found, exact) = (value(found), function(x));
                let is_right = match x.is_nan() {
                    true => found.is_nan(),
                    false => {
                        found.is_sign_negative() == exact.is_sign_negative()
                            && error_in_places(found.abs(), exact.abs(), *format) <= 0.51
                    }
                };
                assert!(is_right, "{what} on {cpu}: {name}({x:e}) is not {found:e}, element {at}");
            }
        };
        let own = format!(
            "func.func @main(%x: tensor<{length}x{ty}>) -> tensor<{length}x{ty}> {{
               %0 = stablehlo.{name} %x : tensor<{length}x{ty}>
               return %0 : tensor<{length}x{ty}>
             }}"
        );
        let found = load(&own, cpu).call(&[bytes(&bits)]);
        check(&found[0], &mut bits.iter().map(|bits| value(*bits)), ty);
        let number = wide.len();
        let converted = format!(
            "func.func @main(%x: tensor<{number}xf32>) -> tensor<{number}x{ty}> {{
               %0 = stablehlo.{name} %x : tensor<{number}xf32>
               %1 = stablehlo.convert %0 : (tensor<{number}xf32>) -> tensor<{number}x{ty}>
               return %1 : tensor<{number}x{ty}>
             }}"
        );
        let found = load(&converted, cpu).call(&[bytes_f32(&wide)]);
        check(&found[0], &mut wide.iter().map(|x| f64::from(*x)), "a converted one");
    }
    // Fewer multiply-adds than in `f32`, of which a vector has as many elements; a division takes longer than eight of them.
    let products = ["f32", "bf16", "f16"].map(|ty| {
        let program = format!(
            "func.func @main(%x: tensor<16x{ty}>) -> tensor<16x{ty}> {{
               %0 = stablehlo.{name} %x : tensor<16x{ty}>
               return %0 : tensor<16x{ty}>
             }}"
        );
        let text = assembly(&program, "x86-64-v4");
        let count =
            |name: &str| text.lines().filter(|line| line.trim_start().starts_with(name)).count();
        count("vfm") + 8 * count("vdivps")
    });
    assert!(products[1] + 3 <= products[0] && products[2] + 2 <= products[0], "{products:?}");
}

/// Rows of bytes that are read a few lines of each at a time: the next block of rows is asked for, and none after the last.
#[test]
fn rows_of_narrow_weights_are_asked_for_ahead() {
    let target = resolve(Some("x86_64-unknown-linux-gnu"), Some("znver4"), None);
    let target = target.expect("a target");
    let program = |[k, n]: [usize; 2], [x, w]: [&str; 2]| {
        format!(
            "func.func @main(%x: tensor<1x{k}x{x}>, %w: tensor<{k}x{n}x{w}>) -> tensor<1x{n}xf32> {{
               %c = stablehlo.convert %w : (tensor<{k}x{n}x{w}>) -> tensor<{k}x{n}x{x}>
               %0 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<1x{k}x{x}>, tensor<{k}x{n}x{x}>) -> tensor<1x{n}xf32>
               return %0 : tensor<1x{n}xf32>
             }}"
        )
    };
    let requests = |sizes: [usize; 2], types: [&str; 2]| {
        let compiler = Compiler::new(Options::new(target.clone())).to(Stage::Affine);
        let text = compiler.compile("rows.mlir", program(sizes, types).as_bytes());
        let text = text.expect("compiles").bytes().to_vec();
        String::from_utf8(text).expect("text").matches("memref.prefetch").count()
    };
    // Two lines of each of eight rows.
    assert_eq!(requests([1024, 1024], ["bf16", "i8"]), 16);
    // What a cache holds, and rows that are long enough.
    assert_eq!(requests([512, 512], ["bf16", "i8"]), 0);
    assert_eq!(requests([1024, 1024], ["f32", "f32"]), 0);

    let [k, n] = [1030, 1037];
    let weight = |at: usize| (at * 7 + at / 13) as u8 as i8;
    let w: Vec<u8> = (0..k * n).map(|at| weight(at) as u8).collect();
    let x = bytes(&vec![bf16::from_f32(2.0).to_bits(); k]);
    let column = |at| (0..k).map(|row| 2 * i32::from(weight(row * n + at))).sum::<i32>();
    let expected: Vec<f32> = (0..n).map(|at| column(at) as f32).collect();
    for cpu in cpus() {
        let found = load(&program([k, n], ["bf16", "i8"]), cpu).call(&[x.clone(), w.clone()]);
        assert_eq!(found[0], bytes_f32(&expected), "{cpu}");
    }
}

/// The statistics of rows in `f32`: with AVX-512 no row of `f32` is stored, elsewhere one is, in the order of lanes that widening leaves.
#[test]
fn rows_are_widened_where_they_are_read() {
    let program = "func.func @main(%x: tensor<64x1024xbf16>) -> tensor<64x1024xbf16> {
       %zero = stablehlo.constant dense<0.0> : tensor<f32>
       %w = stablehlo.convert %x : (tensor<64x1024xbf16>) -> tensor<64x1024xf32>
       %0 = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x1024xf32>, tensor<f32>) -> tensor<64xf32>
       %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x1024xf32>
       %2 = stablehlo.subtract %w, %1 : tensor<64x1024xf32>
       %3 = stablehlo.multiply %2, %2 : tensor<64x1024xf32>
       %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x1024xf32>, tensor<f32>) -> tensor<64xf32>
       %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x1024xf32>
       %6 = stablehlo.multiply %2, %5 : tensor<64x1024xf32>
       %7 = stablehlo.convert %6 : (tensor<64x1024xf32>) -> tensor<64x1024xbf16>
       return %7 : tensor<64x1024xbf16>
     }";
    for (cpu, is_stored) in [("x86-64-v3", true), ("x86-64-v4", false), ("znver4", false)] {
        let compiler = Compiler::new(options(cpu)).to(Stage::Schedule);
        let artifact = compiler.compile("narrow.mlir", program.as_bytes()).expect("compiles");
        let text = String::from_utf8(artifact.bytes().to_vec()).expect("text");
        assert_eq!(text.contains("tensor<1x1024xf32>"), is_stored, "{cpu}\n{text}");
        let text = assembly(program, cpu);
        for moves in ["vpmovzxwd", "vpmovdw", "vpackusdw"] {
            assert_eq!(count(&text, moves), 0, "{moves} on {cpu}\n{text}");
        }
    }
}

/// A row that is divided by one number: products with its reciprocal are the quotients in every bit.
#[test]
fn quotients_by_the_number_of_a_row_are_rounded_once() {
    let special = [
        0x0000, 0x8000, 0x0001, 0x8001, 0x0003, 0x0040, 0x007f, 0x0080, 0x80ff, 0x0100, 0x3f80,
        0x3f81, 0xbfff, 0x3faa, 0x3fc0, 0x4040, 0x7e7f, 0x7e80, 0x7e81, 0xfeff, 0x7f00, 0x7f7f,
        0xff55, 0x7f80, 0xff80, 0x7fc0_u16,
    ];
    let divisors: Vec<u16> =
        special.into_iter().chain((0..38).map(|at: u16| at.wrapping_mul(2749))).collect();
    let (rows, columns) = (divisors.len(), 1 << 16);
    let program = format!(
        "func.func @main(%x: tensor<{rows}x{columns}xbf16>, %d: tensor<{rows}x{columns}xbf16>) -> tensor<{rows}x{columns}xbf16> {{
           %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
           %0 = stablehlo.reduce(%d init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<{rows}x{columns}xbf16>, tensor<bf16>) -> tensor<{rows}xbf16>
           %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<{rows}xbf16>) -> tensor<{rows}x{columns}xbf16>
           %2 = stablehlo.divide %x, %1 : tensor<{rows}x{columns}xbf16>
           return %2 : tensor<{rows}x{columns}xbf16>
         }}"
    );
    let x: Vec<u16> = (0..rows).flat_map(|_| 0..=u16::MAX).collect();
    let d: Vec<u16> = divisors.iter().flat_map(|d| std::iter::repeat_n(*d, columns)).collect();
    let value = |bits: u16| bf16::from_bits(bits).to_f32();
    let quotient = |(x, d): (&u16, &u16)| bf16::from_f32(value(*x) / value(*d)).to_bits();
    let expected: Vec<_> = x.iter().zip(&d).map(quotient).collect();
    for cpu in cpus() {
        let found = load(&program, cpu).call(&[bytes(&x), bytes(&d)]);
        assert_same(&words(&found[0]), &expected, is_nan_bf16, cpu, |at| {
            format!("{:#06x} / {:#06x}", x[at], d[at])
        });
    }
    for (cpu, instruction) in [("x86-64", "divps"), ("x86-64-v3", "vdivps"), ("znver4", "vdivps")] {
        let text = assembly(&program, cpu);
        assert_eq!(count(&text, instruction), 0, "{cpu}\n{text}");
    }
}

/// The value of the bits of a number.
type ValueOf = fn(u16) -> f32;

/// They are compared as integers: in any row, with NaN of either sign, and the order of zeros.
#[test]
fn extrema_of_16_bits_are_those_of_all_numbers_of_a_row() {
    let (rows, columns) = (1031, 67);
    let all: [(&str, [u16; 4], ValueOf); 2] = [
        ("bf16", [0x7f80, 0x7f81, 0x7fff, 0x0001], |bits| bf16::from_bits(bits).to_f32()),
        ("f16", [0x7c00, 0x7c01, 0x7fff, 0x0001], |bits| f16::from_bits(bits).to_f32()),
    ];
    for (ty, [infinity, signalling, last, least], value) in all {
        let is_nan = |bits: u16| value(bits).is_nan();
        // Rows of few numbers, of many, and with a NaN at each place.
        let few = [0, 0x8000, infinity, infinity | 0x8000, least, least | 0x8000, infinity - 1];
        let number = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            let nan = [signalling, signalling | 0x8000, last, last | 0x8000, infinity | 0x8040];
            let bits = match row % 4 {
                0 => few[(row / 4) % 7],
                1 => few[(at * 31 / 7 + row) % if row % 8 == 1 { 2 } else { 7 }],
                _ => (at as u16).wrapping_mul(40503) & if row % 8 == 2 { 0xffff } else { 0x8fff },
            };
            let is_here = row % 4 != 2 && row % 3 == 0 && column == (row / 3) % columns;
            match (is_here, is_nan(bits)) {
                (true, _) => nan[row % 5],
                (false, true) => 0x3c00,
                (false, false) => bits,
            }
        };
        let x: Vec<u16> = (0..rows * columns).map(number).collect();
        for (name, initial, is_better) in [
            ("maximum", infinity | 0x8000, f32::gt as fn(&f32, &f32) -> bool),
            ("minimum", infinity, f32::lt),
        ] {
            let better = |one: u16, other: u16| {
                let (a, b) = (value(one), value(other));
                let is_smaller_zero = a == b && (one >> 15 == 1) != (name == "maximum");
                if a.is_nan() || !b.is_nan() && (is_better(&a, &b) || is_smaller_zero) {
                    one
                } else {
                    other
                }
            };
            let row = |row: &[u16]| row.iter().fold(initial, |best, one| better(*one, best));
            let expected: Vec<_> = x.chunks(columns).map(row).collect();
            let program = format!(
                "func.func @main(%x: tensor<{rows}x{columns}x{ty}>) -> tensor<{rows}x{ty}> {{
                   %0 = stablehlo.constant dense<{initial:#06X}> : tensor<{ty}>
                   %1 = stablehlo.reduce(%x init: %0) applies stablehlo.{name} across dimensions = [1] : (tensor<{rows}x{columns}x{ty}>, tensor<{ty}>) -> tensor<{rows}x{ty}>
                   return %1 : tensor<{rows}x{ty}>
                 }}"
            );
            for cpu in cpus() {
                let found = load(&program, cpu).call(&[bytes(&x)]);
                let what = format!("{name} of {ty} on {cpu}");
                assert_same(&words(&found[0]), &expected, is_nan, &what, |row| {
                    format!("{:04x?}", &x[row * columns..][..columns])
                });
            }
            for (cpu, kind) in [("x86-64", "p"), ("x86-64-v3", "vp"), ("znver4", "vp")] {
                let instruction = format!("{kind}{}sw", &name[..3]);
                let text = assembly(&program, cpu);
                assert!(count(&text, &instruction) > 0, "{instruction} on {cpu}\n{text}");
            }
        }
    }
}

/// What is beyond the size of a row is an infinity, whose place in the order changes nothing: the loop ends at the size.
#[rstest]
#[case("bf16", "maximum", "0xFF80")]
#[case("bf16", "minimum", "0x7F80")]
#[case("f16", "maximum", "0xFC00")]
#[case("f16", "minimum", "0x7C00")]
fn extrema_of_open_rows_end_at_the_size(
    #[case] ty: &str,
    #[case] name: &str,
    #[case] initial: &str,
) {
    let program = format!(
        "func.func public @main(%x: tensor<8x?x{ty}>) -> tensor<8x{ty}> {{
           %0 = stablehlo.constant dense<{initial}> : tensor<{ty}>
           %1 = stablehlo.reduce(%x init: %0) applies stablehlo.{name} across dimensions = [1] : (tensor<8x?x{ty}>, tensor<{ty}>) -> tensor<8x{ty}>
           return %1 : tensor<8x{ty}>
         }}"
    );
    let max = vec![("input0.1".to_owned(), 128)];
    let options = Options { open: true, max, ..options("x86-64-v4") };
    let compiler = Compiler::new(options).to(Stage::Schedule);
    let artifact = compiler.compile("narrow.mlir", program.as_bytes()).expect("compiles");
    let text = String::from_utf8(artifact.bytes().to_vec()).expect("text");
    assert!(text.contains("strata.limit"), "{text}");
}
