//! `arith`, `math`, `complex`: through whole programs, so that attributes and types are read too.

use crate::{f32s, floats, i32s, integers, on_buffers};

/// `%r` of `code`, which reads `%a` and `%b`, the elements of two inputs.
fn of_floats(code: &str, a: &[f32], b: &[f32]) -> Vec<f32> {
    let ty = format!("{}xf32", a.len());
    let body = format!(
        "affine.for %i = 0 to {} {{
          %a = affine.load %x0[%i] : memref<{ty}>
          %b = affine.load %x1[%i] : memref<{ty}>
          {code}
          affine.store %r, %y0[%i] : memref<{ty}>
        }}",
        a.len()
    );
    floats(&on_buffers(&[&ty, &ty], &[&ty], 0, &body), &[f32s(a), f32s(b)])
}

fn of_integers(code: &str, a: &[i32], b: &[i32]) -> Vec<i32> {
    let ty = format!("{}xi32", a.len());
    let body = format!(
        "affine.for %i = 0 to {} {{
          %a = affine.load %x0[%i] : memref<{ty}>
          %b = affine.load %x1[%i] : memref<{ty}>
          {code}
          affine.store %r, %y0[%i] : memref<{ty}>
        }}",
        a.len()
    );
    integers(&on_buffers(&[&ty, &ty], &[&ty], 0, &body), &[i32s(a), i32s(b)])
}

#[test]
fn floats_round_in_each_operation() {
    let sum = of_floats("%r = arith.addf %a, %b : f32", &[16_777_216.0, -0.0], &[1.0, -0.0]);
    assert_eq!(sum, [16_777_216.0, 0.0]);
    assert!(sum[1].is_sign_negative());
    // The product alone rounds to 1; with the addend it is rounded once.
    let (a, b) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON / 2.0);
    let apart = "%p = arith.mulf %a, %b : f32\n%c = arith.constant -1.0 : f32\n%r = arith.addf %p, %c : f32";
    let fused = "%c = arith.constant -1.0 : f32\n%r = math.fma %a, %b, %c : f32";
    assert_ne!(of_floats(apart, &[a], &[b]), of_floats(fused, &[a], &[b]));
    assert_eq!(of_floats(fused, &[a], &[b]), [a.mul_add(b, -1.0)]);
}

#[test]
fn floats_go_through_narrow_types() {
    let code = "%n = arith.truncf %a : f32 to bf16
                %m = arith.truncf %b : f32 to bf16
                %s = arith.addf %n, %m : bf16
                %r = arith.extf %s : bf16 to f32";
    assert_eq!(of_floats(code, &[256.0, 1.0], &[1.0, 0.007_812_5]), [256.0, 1.007_812_5]);
}

#[test]
fn comparisons_and_selections() {
    let code = "%c = arith.cmpf ult, %a, %b : f32\n%r = arith.select %c, %a, %b : f32";
    let found = of_floats(code, &[1.0, 3.0, f32::NAN], &[2.0, 2.0, 5.0]);
    assert_eq!(found[..2], [1.0, 2.0]);
    assert!(found[2].is_nan());
    let code = "%c = arith.cmpi ugt, %a, %b : i32\n%r = arith.select %c, %a, %b : i32";
    assert_eq!(of_integers(code, &[-1, 4], &[1, 5]), [-1, 5]);
}

#[test]
fn conversions_keep_their_sign() {
    let code = "%n = arith.trunci %a : i32 to i8
                %s = arith.extsi %n : i8 to i32
                %u = arith.extui %n : i8 to i32
                %r = arith.subi %u, %s : i32";
    assert_eq!(of_integers(code, &[200, 100], &[0, 0]), [256, 0]);
    let code = "%f = arith.uitofp %a : i32 to f64\n%g = arith.sitofp %b : i32 to f64
                %h = arith.addf %f, %g : f64\n%r = arith.fptosi %h : f64 to i32";
    assert_eq!(of_integers(code, &[-1, 7], &[i32::MIN, -9]), [i32::MAX, -2]);
    let code = "%f = arith.bitcast %a : i32 to f32\n%g = arith.negf %f : f32
                %r = arith.bitcast %g : f32 to i32";
    assert_eq!(of_integers(code, &[0x3F80_0000], &[0]), [0xBF80_0000_u32 as i32]);
}

#[test]
fn wide_products_have_two_halves() {
    let code = "%low, %r = arith.mului_extended %a, %b : i32";
    assert_eq!(of_integers(code, &[-1, 3], &[-1, 5]), [-2, 0]);
    let code = "%low, %r = arith.mulsi_extended %a, %b : i32";
    assert_eq!(of_integers(code, &[-1, 1 << 20], &[1, 1 << 20]), [-1, 1 << 8]);
}

#[test]
fn functions_of_math() {
    let code = "%s = math.sqrt %a : f32\n%r = math.copysign %s, %b : f32";
    assert_eq!(of_floats(code, &[4.0, 9.0], &[-1.0, 0.0]), [-2.0, 3.0]);
    let code = "%p = math.powf %a, %b : f32\n%r = math.roundeven %p : f32";
    assert_eq!(of_floats(code, &[2.0, 2.5], &[10.0, 1.0]), [1024.0, 2.0]);
    let code = "%r = math.atan2 %a, %b : f32";
    assert_eq!(of_floats(code, &[1.0], &[-1.0]), [2.356_194_5]);
    let code = "%l = math.ctlz %a : i32\n%p = math.ctpop %b : i32\n%r = arith.addi %l, %p : i32";
    assert_eq!(of_integers(code, &[1, 0], &[7, -1]), [34, 64]);
}

#[test]
fn complex_numbers() {
    let make =
        "%x = complex.create %a, %b : complex<f32>\n%y = complex.create %b, %a : complex<f32>";
    let code = format!(
        "{make}\n%p = complex.mul %x, %y : complex<f32>\n%r = complex.im %p : complex<f32>"
    );
    assert_eq!(of_floats(&code, &[1.0], &[2.0]), [5.0]);
    let code = format!(
        "{make}\n%q = complex.div %x, %y : complex<f32>\n%r = complex.re %q : complex<f32>"
    );
    assert_eq!(of_floats(&code, &[3.0], &[4.0]), [0.96]);
    let code = format!(
        "{make}\n%k = complex.constant [1.0 : f32, -1.0 : f32] : complex<f32>
         %s = complex.sub %x, %k : complex<f32>\n%c = complex.conj %s : complex<f32>\n%r = complex.im %c : complex<f32>"
    );
    assert_eq!(of_floats(&code, &[3.0], &[4.0]), [-5.0]);
}
