//! Dots of `bf16`: sums are within the bound of docs/numerics.md, by the instruction that the target has or through `f32`.

use half::bf16;
use strata::{Compiler, Options, Stage};
use strata_codegen::target::resolve;

use super::compiled;
use crate::harness::{cpus, options};

/// `m × k` times `k × n` numbers of `bf16`, summed in `f32`.
pub fn bf16_program([m, k, n]: [usize; 3], result: &str, precision: &str) -> String {
    let types = format!("(tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}x{result}>");
    format!(
        "func.func @main(%x: tensor<{m}x{k}xbf16>, %y: tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}x{result}> {{
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]{precision} : {types}
           return %0 : tensor<{m}x{n}x{result}>
         }}"
    )
}

const HIGHEST: &str = ", precision = [HIGHEST, DEFAULT]";

/// Numbers of both signs and many magnitudes, some of them below the normal range.
pub fn numbers(count: usize, seed: usize) -> Vec<bf16> {
    let number = |at: usize| {
        let bits = (at.wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(40_503)) >> 7;
        match at % 11 {
            3 => bf16::from_bits((bits % 0x80) as u16 | ((bits >> 9) as u16 & 0x8000)),
            7 => bf16::from_f32(0.0),
            _ => {
                bf16::from_f32(((bits % 2001) as f32 - 1000.0) * 2.0_f32.powi(bits as i32 % 13 - 6))
            }
        }
    };
    (0..count).map(number).collect()
}

pub fn bytes_of(numbers: &[bf16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn sums_of_bf16_are_within_their_bound() {
    for [m, k, n] in
        [[8, 4, 8], [9, 37, 33], [16, 64, 16], [33, 130, 70], [64, 1029, 65], [17, 5, 100]]
    {
        let (x, y) = (numbers(m * k, 1), numbers(k * n, 2));
        for cpu in cpus() {
            let loaded = compiled(&bf16_program([m, k, n], "f32", ""), options(cpu));
            let found = loaded.call(&[bytes_of(&x), bytes_of(&y)]);
            assert_within_bound(&found[0], [m, k, n], (&x, &y), cpu);
        }
    }
}

/// As in attention: the summed dimension is the last of both operands, or the first of the right one; batches are of odd sizes, 1 and 0.
#[test]
fn batches_of_bf16_are_within_their_bound() {
    for [batch, m, k, n] in
        [[3, 9, 37, 33], [2, 16, 64, 16], [5, 1, 64, 48], [1, 8, 12, 32], [0, 8, 8, 8]]
    {
        let (x, y) = (numbers(batch * m * k, 7), numbers(batch * k * n, 8));
        for is_transposed in [false, true] {
            let (right, dim) =
                if is_transposed { (format!("{n}x{k}"), 2) } else { (format!("{k}x{n}"), 1) };
            let (lhs, rhs) =
                (format!("tensor<{batch}x{m}x{k}xbf16>"), format!("tensor<{batch}x{right}xbf16>"));
            let result = format!("tensor<{batch}x{m}x{n}xf32>");
            let program = format!(
                "func.func @main(%x: {lhs}, %y: {rhs}) -> {result} {{
                   %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [{dim}] : ({lhs}, {rhs}) -> {result}
                   return %0 : {result}
                 }}"
            );
            let place = |at: usize| {
                let (matrix, at) = (at / (k * n) * (k * n), at % (k * n));
                matrix + if is_transposed { at % k * n + at / k } else { at }
            };
            let given: Vec<_> = (0..y.len()).map(|at| y[place(at)]).collect();
            for cpu in cpus() {
                let found =
                    compiled(&program, options(cpu)).call(&[bytes_of(&x), bytes_of(&given)]);
                assert_eq!(found[0].len(), 4 * batch * m * n);
                for one in 0..batch {
                    let found = &found[0][4 * one * m * n..4 * (one + 1) * m * n];
                    let (x, y) = (&x[one * m * k..][..m * k], &y[one * k * n..][..k * n]);
                    assert_within_bound(found, [m, k, n], (x, y), &format!("{one} on {cpu}"));
                }
            }
            let target = resolve(Some("x86_64-unknown-linux-gnu"), Some("znver4"), None);
            let compiler = Compiler::new(Options::new(target.expect("a target"))).to(Stage::Asm);
            let artifact = compiler.compile("dots.mlir", program.as_bytes()).expect("compiles");
            let text = String::from_utf8_lossy(artifact.bytes()).into_owned();
            assert_eq!(text.contains("vdpbf16ps"), batch > 0, "{program}");
        }
    }
}

/// Whether the numbers of `f32` are sums of products of `m × k` and `k × n` numbers as docs/numerics.md has them.
pub fn assert_within_bound(found: &[u8], sizes: [usize; 3], xy: (&[bf16], &[bf16]), what: &str) {
    assert_within(found, sizes, xy, (24, what));
}

/// As [`assert_within_bound`], where each sum has so many bits.
pub fn assert_within(
    found: &[u8],
    [m, k, n]: [usize; 3],
    (x, y): (&[bf16], &[bf16]),
    (bits, what): (i32, &str),
) {
    let found =
        found.chunks_exact(4).map(|one| f32::from_le_bytes([one[0], one[1], one[2], one[3]]));
    assert_eq!(found.len(), m * n, "{what}");
    for (at, found) in found.enumerate() {
        let (mut sum, mut magnitude, mut lost) = (0.0, 0.0, 0.0);
        for step in 0..k {
            let (a, b) = (x[at / n * k + step], y[step * n + at % n]);
            let product = a.to_f64() * b.to_f64();
            sum += product;
            magnitude += product.abs();
            if [a, b].iter().any(|one| one.to_f32().is_subnormal()) {
                lost += product.abs();
            }
        }
        let bound = (k + 1) as f64 * (2.0_f64.powi(-bits) * magnitude + 2.0_f64.powi(-126)) + lost;
        let error = (f64::from(found) - sum).abs();
        assert!(error <= bound, "{m}x{k}x{n} {what}, {at}: {found}, not {sum}");
    }
}

/// The constant of `k × n` numbers, and the dot of `%x` with it, or with its transpose.
fn weight_program([m, k, n]: [usize; 3], y: &[bf16], is_transposed: bool, more: &str) -> String {
    let (shape, dim) = if is_transposed { ([n, k], 1) } else { ([k, n], 0) };
    let ordered: Vec<_> = match is_transposed {
        true => (0..n * k).map(|at| y[at % k * n + at / k]).collect(),
        false => y.to_vec(),
    };
    let digits: String = bytes_of(&ordered).iter().map(|byte| format!("{byte:02X}")).collect();
    let weight = format!("tensor<{}x{}xbf16>", shape[0], shape[1]);
    let results = format!("tensor<{m}x{n}xf32>{}", if more.is_empty() { "" } else { ", " });
    let (value, ty) = more.split_once(" : ").unwrap_or_default();
    let comma = if more.is_empty() { "" } else { ", " };
    format!(
        "func.func @main(%x: tensor<{m}x{k}xbf16>) -> ({results}{ty}) {{
           %w = stablehlo.constant dense<\"0x{digits}\"> : {weight}
           %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [{dim}] : (tensor<{m}x{k}xbf16>, {weight}) -> tensor<{m}x{n}xf32>
           return %0{comma}{value} : tensor<{m}x{n}xf32>{comma}{ty}
         }}"
    )
}

/// A weight is laid out by the compiler as the nest reads it, for one row and for many; what is not read as it was is not in the object.
#[test]
fn weights_of_bf16_are_packed_by_the_compiler() {
    let target = resolve(Some("x86_64-unknown-linux-gnu"), Some("znver4"), None);
    let target = target.expect("a target");
    for [m, k, n] in [[1, 64, 96], [1, 37, 65], [9, 37, 33], [16, 64, 64], [33, 130, 70]] {
        let (x, y) = (numbers(m * k, 3), numbers(k * n, 4));
        for is_transposed in [false, true] {
            let program = weight_program([m, k, n], &y, is_transposed, "");
            for cpu in cpus() {
                let found = compiled(&program, options(cpu)).call(&[bytes_of(&x)]);
                let what = format!("on {cpu}, transposed {is_transposed}");
                assert_within_bound(&found[0], [m, k, n], (&x, &y), &what);
            }
            let compiler = Compiler::new(Options::new(target.clone())).to(Stage::Schedule);
            let artifact = compiler.compile("dots.mlir", program.as_bytes()).expect("compiles");
            let text = artifact.text().expect("text");
            let constants: Vec<_> =
                text.lines().filter(|line| line.contains("arith.constant dense<\"0x")).collect();
            // Along rows, lanes are the bytes as they are.
            let is_lanes = constants.iter().all(|line| line.trim_end().ends_with("xi32>"));
            assert!(is_lanes || is_transposed && k % 2 == 0, "{m}x{k}x{n}: {text}");
            assert!(!constants.is_empty(), "{m}x{k}x{n}: {text}");
        }
    }
}

/// A weight that is also returned as it is has two layouts, unless they take too much memory.
#[test]
fn weights_of_bf16_may_be_read_in_two_ways() {
    let [m, k, n] = [16, 64, 64];
    let (x, y) = (numbers(m * k, 5), numbers(k * n, 6));
    let program = weight_program([m, k, n], &y, false, "%w : tensor<64x64xbf16>");
    for cpu in cpus() {
        let found = compiled(&program, options(cpu)).call(&[bytes_of(&x)]);
        assert_within_bound(&found[0], [m, k, n], (&x, &y), cpu);
        assert_eq!(found[1], bytes_of(&y), "{cpu}");
    }
}

/// Weights of four bits are eight to a word in the object, whatever their type is, and unpacked where they are read.
#[test]
fn weights_of_four_bits_stay_so() {
    let target = resolve(Some("x86_64-unknown-linux-gnu"), Some("znver4"), None);
    let target = target.expect("a target");
    let sizes = [[1, 256, 20], [1, 37, 65], [3, 37, 65], [20, 130, 70], [70, 32, 40], [8, 9, 1]];
    for (number, [m, k, n]) in sizes.into_iter().enumerate() {
        for (ty, low) in [("i4", -8), ("ui4", 0), ("i8", -8)] {
            let weights: Vec<_> =
                (0..k * n).map(|at| (at * 7 + at / 5 + number) as i64 % 16 + low).collect();
            let y: Vec<_> = weights.iter().map(|one| bf16::from_f32(*one as f32)).collect();
            let x = numbers(m * k, 9);
            for is_transposed in [false, true] {
                let (rows, columns, dim) = if is_transposed { (n, k, 1) } else { (k, n, 0) };
                let element = |row: usize, column: usize| match is_transposed {
                    true => weights[column * n + row],
                    false => weights[row * n + column],
                };
                let row = |row| {
                    let row: Vec<_> =
                        (0..columns).map(|column| element(row, column).to_string()).collect();
                    format!("[{}]", row.join(", "))
                };
                let all = (0..rows).map(row).collect::<Vec<_>>().join(", ");
                let (shape, result) = (format!("{rows}x{columns}"), format!("tensor<{m}x{n}xf32>"));
                let program = format!(
                    "func.func @main(%x: tensor<{m}x{k}xbf16>) -> {result} {{
                       %w = stablehlo.constant dense<[{all}]> : tensor<{shape}x{ty}>
                       %c = stablehlo.convert %w : (tensor<{shape}x{ty}>) -> tensor<{shape}xbf16>
                       %0 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [{dim}] : (tensor<{m}x{k}xbf16>, tensor<{shape}xbf16>) -> {result}
                       return %0 : {result}
                     }}"
                );
                for cpu in cpus() {
                    let found = compiled(&program, options(cpu)).call(&[bytes_of(&x)]);
                    let what = format!("{ty} on {cpu}, transposed {is_transposed}");
                    assert_within_bound(&found[0], [m, k, n], (&x, &y), &what);
                }
                if n == 1 {
                    continue;
                }
                let text = |stage| {
                    let compiler = Compiler::new(Options::new(target.clone())).to(stage);
                    let artifact = compiler.compile("dots.mlir", program.as_bytes());
                    String::from_utf8_lossy(artifact.expect("compiles").bytes()).into_owned()
                };
                let (linalg, text) = (text(Stage::Linalg), text(Stage::Asm));
                assert!(text.contains("vpermw") && text.contains("vdpbf16ps"), "{program}");
                let words = match (m, k) {
                    // By columns.
                    (1, 256) => format!(": tensor<{n}x{}xi32>", k / 8),
                    _ => format!(": tensor<{}x{n}xi32>", k.div_ceil(8)),
                };
                let is_weight = |line: &&str| line.contains("arith.constant dense<\"0x");
                let found: Vec<_> = linalg.lines().filter(is_weight).collect();
                assert!(found.len() == 1 && found[0].ends_with(&words), "{words}: {found:?}");
            }
        }
    }
}

/// A sum of products, and what IEEE 754 says of infinities and NaN in it.
#[test]
fn infinities_and_nan_of_bf16() {
    let [m, k, n] = [8, 6, 16];
    let mut x = vec![bf16::ONE; m * k];
    (x[0], x[k], x[2 * k], x[2 * k + 1]) =
        (bf16::INFINITY, bf16::NAN, bf16::INFINITY, bf16::NEG_INFINITY);
    let mut y = vec![bf16::ONE; k * n];
    y[1] = bf16::ZERO;
    for cpu in cpus() {
        let loaded = compiled(&bf16_program([m, k, n], "bf16", ""), options(cpu));
        let found = loaded.call(&[bytes_of(&x), bytes_of(&y)]);
        let found: Vec<_> = found[0]
            .chunks_exact(2)
            .map(|one| bf16::from_le_bytes([one[0], one[1]]).to_f32())
            .collect();
        assert_eq!(found[0], f32::INFINITY, "{cpu}");
        assert!(found[1].is_nan(), "{cpu}: infinity times zero");
        assert!(found[n..3 * n].iter().all(|one| one.is_nan()), "{cpu}");
        assert_eq!(found[3 * n..3 * n + 3], [6.0, 5.0, 6.0], "{cpu}");
    }
}

#[test]
fn the_highest_precision_keeps_subnormal_numbers() {
    let [m, k, n] = [16, 8, 16];
    let tiny = bf16::from_bits(3);
    let (x, y) = (vec![tiny; m * k], vec![bf16::ONE; k * n]);
    for cpu in cpus() {
        let loaded = compiled(&bf16_program([m, k, n], "f32", HIGHEST), options(cpu));
        let found = loaded.call(&[bytes_of(&x), bytes_of(&y)]);
        let expected = (8.0 * tiny.to_f32()).to_le_bytes();
        assert!(found[0].chunks_exact(4).all(|one| one == expected), "{cpu}");
    }
}

#[test]
fn bf16_takes_its_instruction_where_the_target_has_it() {
    for (cpu, features, precision, takes) in [
        ("znver4", "", "", true),
        // The instruction takes two cycles there.
        ("sapphirerapids", "", "", false),
        ("graniterapids", "-amx-bf16", "", false),
        ("cooperlake", "", "", true),
        ("znver4", "-avx512bf16", "", false),
        ("znver4", "", HIGHEST, false),
        ("icelake-server", "", "", false),
        ("x86-64-v4", "", "", false),
        ("x86-64-v3", "", "", false),
    ] {
        let target = resolve(None, Some(cpu), Some(features)).expect("a target");
        let compiler = Compiler::new(Options::new(target)).to(Stage::Asm);
        let program = bf16_program([32, 64, 32], "bf16", precision);
        let artifact = compiler.compile("dots.mlir", program.as_bytes()).expect("compiles");
        let text = String::from_utf8_lossy(artifact.bytes()).into_owned();
        assert_eq!(text.contains("vdpbf16ps"), takes, "{cpu} {features} {precision}");
    }
}
