//! Dots and convolutions of `f16` on tiles, which processors of AMX-FP16 have: on any other one by the emulator.

use half::f16;
use strata::{Options, Stage};
use strata_codegen::target::resolve;

use super::{FEATURES, at, emulator, permitted};
use crate::harness::{Loaded, options};

fn of_halves(features: &str) -> Options {
    let target = resolve(None, Some("x86-64-v4"), Some(features)).expect("a target");
    Options { target, ..options("x86-64") }
}

fn amx() -> Options {
    of_halves(&format!("{FEATURES},+amx-fp16"))
}

fn assembly(program: &str, options: Options) -> String {
    String::from_utf8_lossy(at(program, options, Stage::Asm).bytes()).into_owned()
}

/// Permits this process tiles, those of `f16` by the emulator; `None` where code for them cannot run.
fn permitted_halves() -> Option<()> {
    permitted()?;
    // SAFETY: the emulator's start sets a handler of signals that no other code of this process needs.
    let library = unsafe { libloading::Library::new(emulator()?) }.expect("the emulator loads");
    // SAFETY: the function has this type.
    unsafe { library.get::<unsafe extern "C" fn()>(b"amx_permit").expect("exported")() };
    // Its handler stays.
    std::mem::forget(library);
    Some(())
}

fn dot([m, k, n]: [usize; 3], result: &str) -> String {
    let types = format!("(tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) -> tensor<{m}x{n}x{result}>");
    format!(
        "func.func @main(%x: tensor<{m}x{k}xf16>, %y: tensor<{k}x{n}xf16>) -> tensor<{m}x{n}x{result}> {{
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : {types}
           return %0 : tensor<{m}x{n}x{result}>
         }}"
    )
}

/// Numbers whose products and sums are exact, every fourth of them below the normal range of `f16`, which is in that of sums.
fn numbers(count: usize, seed: usize, subnormal: bool) -> Vec<f16> {
    let number = |at: usize| {
        let bits = (at.wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(40_503)) >> 7;
        match subnormal && at.is_multiple_of(4) {
            true => f16::from_bits((bits % 32) as u16),
            false if subnormal => f16::ZERO,
            false => f16::from_f32((bits % 64) as f32 - 31.0),
        }
    };
    (0..count).map(number).collect()
}

fn bytes(numbers: &[f16]) -> Vec<u8> {
    numbers.iter().flat_map(|one| one.to_le_bytes()).collect()
}

#[test]
fn dots_of_f16_take_tiles_where_these_are_of_f16() {
    let program = dot([64, 90, 48], "f32");
    assert!(assembly(&program, amx()).contains("tdpfp16ps"));
    for features in [FEATURES, "+amx-tile,+amx-fp16,-amx-fp16", "+amx-fp16,-amx-tile"] {
        assert!(!assembly(&program, of_halves(features)).contains("tdp"), "{features}");
    }
    // Of two formats, and of few rows.
    let mixed = program.replace("tensor<90x48xf16>", "tensor<90x48xbf16>");
    assert!(!assembly(&mixed, amx()).contains("tdp"));
    assert!(!assembly(&dot([2, 90, 48], "f32"), amx()).contains("tdp"));
    let precise = program.replace("[1] x [0]", "[1] x [0], precision = [HIGHEST, HIGHEST]");
    assert!(assembly(&precise, amx()).contains("tdpfp16ps"));
    let processor = resolve(None, Some("graniterapids"), None).expect("a target");
    let options = Options { target: processor, ..options("x86-64") };
    assert!(assembly(&program, options).contains("tdpfp16ps"));
}

#[test]
fn sums_of_f16_are_exact_where_they_can_be() {
    for [m, k, n] in [[16, 512, 16], [64, 90, 48], [13, 1025, 33], [100, 65, 31], [8, 2048, 17]] {
        for (left, result) in [(false, "f32"), (true, "f32"), (false, "f16")] {
            let (x, y) = (numbers(m * k, 1, left), numbers(k * n, 2, false));
            let expected = (0..m * n).map(|at| {
                let (row, column) = (at / n, at % n);
                let product = |step| f64::from(x[row * k + step]) * f64::from(y[step * n + column]);
                (0..k).map(product).sum::<f64>()
            });
            let expected: Vec<u8> = match result {
                "f32" => expected.flat_map(|sum| (sum as f32).to_le_bytes()).collect(),
                _ => expected.flat_map(|sum| f16::from_f64(sum).to_le_bytes()).collect(),
            };
            let loaded = Loaded::new(&at(&dot([m, k, n], result), amx(), Stage::Obj));
            let inputs = [bytes(&x), bytes(&y)];
            let what = format!("{m}, {k}, {n}, {left}, {result}");
            if permitted().is_some() {
                assert!(loaded.call(&inputs).concat() == expected, "in vectors: {what}");
            }
            if permitted_halves().is_some() {
                loaded.permit_tiles();
                assert!(loaded.call(&inputs).concat() == expected, "in tiles: {what}");
            }
        }
    }
}

#[test]
fn convolutions_of_f16_are_those_of_vectors() {
    let (x, k) = ("tensor<2x12x16x32xf16>", "tensor<3x3x32x24xf16>");
    let result = "tensor<2x12x16x24xf32>";
    let program = format!(
        "func.func @main(%x: {x}, %k: {k}) -> {result} {{
           %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {k}) -> {result}
           return %0 : {result}
         }}"
    );
    assert!(assembly(&program, amx()).contains("tdpfp16ps"));
    let loaded = Loaded::new(&at(&program, amx(), Stage::Obj));
    let inputs =
        [bytes(&numbers(2 * 12 * 16 * 32, 1, false)), bytes(&numbers(9 * 32 * 24, 2, false))];
    if permitted_halves().is_none() {
        return;
    }
    let in_vectors = loaded.call(&inputs);
    loaded.permit_tiles();
    assert!(loaded.call(&inputs) == in_vectors);
    assert!(in_vectors[0].iter().any(|byte| *byte != 0));
}
