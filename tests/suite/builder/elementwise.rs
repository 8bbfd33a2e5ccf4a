//! Functions of single elements, comparisons, selection, conversions.

use strata_builder::{AccuracyMode, F32, Literal, PRED, ResultAccuracy, S32, Shape, U32};

use super::{gives, gives_all, refuses, shape};

#[test]
fn d000_element_wise_unary_functions() {
    let x = [-1.5_f32, -0.0, 0.0, 2.5];
    gives(|b| b.constant(x).abs(), [1.5_f32, 0.0, 0.0, 2.5]);
    gives(|b| b.constant(x).ceil(), [-1.0_f32, -0.0, 0.0, 3.0]);
    gives(|b| b.constant(x).floor(), [-2.0_f32, -0.0, 0.0, 2.0]);
    gives(|b| b.constant(x).neg(), [1.5_f32, 0.0, -0.0, -2.5]);
    gives(
        |b| b.constant([1.0_f32, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]).is_finite(),
        [true, false, false, false],
    );
    gives(|b| b.constant([true, false]).logical_not(), [false, true]);
    gives(|b| b.constant([0_i32, 5, -1]).not(), [-1_i32, -6, 0]);
    gives(|b| b.constant([0_u32, 1, 255, u32::MAX]).population_count(), [0_u32, 1, 8, 32]);
    gives(|b| b.constant([0_i32, 1, -1]).clz(), [32_i32, 31, 0]);
    gives(|b| b.constant([4.0_f32, 0.25]).rsqrt(), [0.5_f32, 2.0]);
    gives(|b| b.constant([4.0_f32, 0.25]).sqrt(), [2.0_f32, 0.5]);
    gives(|b| b.constant([8.0_f32, -27.0]).cbrt(), [2.0_f32, -3.0]);
    gives(|b| b.constant([0.0_f32]).logistic(), [0.5_f32]);
}

#[test]
fn d000_element_wise_unary_functions_of_scalars() {
    gives(|b| b.constant(1.0_f32).exp(), Literal::scalar(std::f32::consts::E));
    gives(|b| b.constant(1.0_f64).log(), Literal::scalar(0.0_f64));
}

#[test]
fn d000_element_wise_unary_functions_sign_by_cases() {
    let found =
        super::run(&super::build(|b| b.constant([-3.0_f32, -0.0, 0.0, 3.0, f32::NAN]).sign()), &[]);
    let found = found[0].to_vec::<f32>().expect("floats");
    assert_eq!(found[..1], [-1.0]);
    assert!(found[1] == 0.0 && found[1].is_sign_negative());
    assert!(found[2] == 0.0 && found[2].is_sign_positive());
    assert_eq!(found[3], 1.0);
    assert!(found[4].is_nan());
}

#[test]
fn d000_element_wise_unary_functions_parts_of_complex_and_real_numbers() {
    use num_complex::Complex;
    let z = [Complex::new(3.0_f32, -4.0)];
    gives(|b| b.constant(z).real(), [3.0_f32]);
    gives(|b| b.constant(z).imag(), [-4.0_f32]);
    gives(|b| b.constant(z).abs(), [5.0_f32]);
    // "If the operand is a floating point type, returns the same value", and 0.
    gives(|b| b.constant([3.0_f32]).real(), [3.0_f32]);
    gives(|b| b.constant([3.0_f32]).imag(), [0.0_f32]);
    gives(|b| b.constant([3.0_f32]).complex(b.constant([-4.0_f32])), z);
}

#[test]
fn d002_functions_take_a_result_accuracy() {
    let highest = ResultAccuracy { atol: 0.0, rtol: 0.0, ulps: 0, mode: AccuracyMode::Highest };
    let within = ResultAccuracy { atol: 0.0, rtol: 1e-5, ulps: 0, mode: AccuracyMode::Tolerance };
    let wrong = ResultAccuracy { atol: -1.0, ..within };
    macro_rules! each {
        ($($plain:ident $with:ident;)*) => {$(
            let plain = super::run(&super::build(|b| b.constant([0.5_f32, 0.75]).$plain()), &[]);
            for accuracy in [highest, within] {
                gives(|b| b.constant([0.5_f32, 0.75]).$with(&accuracy), plain[0].clone());
            }
            refuses(|b| b.constant([0.5_f32]).$with(&wrong), "S1014", "accuracy");
        )*};
    }
    each! {
        cbrt cbrt_with_accuracy; cos cos_with_accuracy; exp exp_with_accuracy; expm1 expm1_with_accuracy;
        log log_with_accuracy; log1p log1p_with_accuracy; logistic logistic_with_accuracy;
        rsqrt rsqrt_with_accuracy; sin sin_with_accuracy; sqrt sqrt_with_accuracy; tan tan_with_accuracy;
        tanh tanh_with_accuracy; cosh cosh_with_accuracy; erf erf_with_accuracy;
    }
}

#[test]
fn d002_functions_of_the_newest_list() {
    gives(|b| b.constant([0.0_f32]).cosh(), [1.0_f32]);
    gives(|b| b.constant([0.0_f32, 1.0]).erf(), [0.0_f32, 0.842_700_8]);
    gives(|b| b.constant([0.5_f32]).tan(), [0.5_f32.tan()]);
    gives(|b| b.constant([0.5_f32]).sin(), [0.5_f32.sin()]);
    gives(|b| b.constant([0.5_f32]).cos(), [0.5_f32.cos()]);
    gives(|b| b.constant([0.5_f32]).tanh(), [0.5_f32.tanh()]);
    gives(|b| b.constant([1e-8_f32]).expm1(), [1e-8_f32]);
    gives(|b| b.constant([1e-8_f32]).log1p(), [1e-8_f32]);
    let x = [-2.5_f32, -0.5, 0.5, 1.5, 2.5];
    gives(|b| b.constant(x).round(), [-3.0_f32, -1.0, 1.0, 2.0, 3.0]);
    gives(|b| b.constant(x).round_nearest_afz(), [-3.0_f32, -1.0, 1.0, 2.0, 3.0]);
    gives(|b| b.constant(x).round_nearest_even(), [-2.0_f32, -0.0, 0.0, 2.0, 2.0]);
    gives(|b| b.constant([1.0_f32]).atan2(b.constant([1.0_f32])), [std::f32::consts::FRAC_PI_4]);
    gives(|b| b.constant([2.0_f32, 3.0]).pow(2.0), [4.0_f32, 9.0]);
}

#[test]
fn d000_element_wise_binary_arithmetic_operations() {
    let (x, y) = ([7_i32, -7, 7, -7], [2_i32, 2, -2, -2]);
    gives(|b| b.constant(x).add(b.constant(y)), [9_i32, -5, 5, -9]);
    gives(|b| b.constant(x).sub(b.constant(y)), [5_i32, -9, 9, -5]);
    gives(|b| b.constant(x).mul(b.constant(y)), [14_i32, -14, -14, 14]);
    gives(|b| b.constant(x).div(b.constant(y)), [3_i32, -3, -3, 3]);
    // "the sign of the result is taken from the dividend"
    gives(|b| b.constant(x).rem(b.constant(y)), [1_i32, -1, 1, -1]);
    gives(|b| b.constant(x).max(b.constant(y)), [7_i32, 2, 7, -2]);
    gives(|b| b.constant(x).min(b.constant(y)), [2_i32, -7, -2, -7]);
    let (p, q) = ([true, true, false, false], [true, false, true, false]);
    gives(|b| b.constant(p).logical_and(b.constant(q)), [true, false, false, false]);
    gives(|b| b.constant(p).logical_or(b.constant(q)), [true, true, true, false]);
}

#[test]
fn d002_bits() {
    gives(|b| b.constant([12_i32]).and(10), [8_i32]);
    gives(|b| b.constant([12_i32]).or(10), [14_i32]);
    gives(|b| b.constant([12_i32]).xor(10), [6_i32]);
    gives(|b| b.constant([-8_i32, 8]).shift_left(1), [-16_i32, 16]);
    gives(|b| b.constant([-8_i32, 8]).shift_right_arithmetic(1), [-4_i32, 4]);
    gives(|b| b.constant([-8_i32, 8]).shift_right_logical(1), [0x7FFF_FFFC_i32, 4]);
    gives(|b| b.constant([-8_i32]) >> 1, [-4_i32]);
    gives(|b| b.constant([0x8000_0000_u32]) >> 31, [1_u32]);
    gives(|b| b.constant([1_u32]) << 31, [0x8000_0000_u32]);
}

#[test]
fn operators_take_numbers_and_results() {
    gives(|b| 1.0 - b.constant([0.25_f32]), [0.75_f32]);
    gives(|b| 2 * &b.constant([3_i32]), [6_i32]);
    gives(|b| (b.constant([3_i32]) + 1)? % 3, [1_i32]);
    gives(|b| b.constant([3_i32]) + (b.constant([3_i32]) * 2), [9_i32]);
    gives(|b| -(b.constant([3_i32])), [-3_i32]);
    gives(|b| !b.constant([true]), [false]);
    // Numbers that the element type does not hold.
    refuses(|b| b.constant([3_i32]) + 1.5, "S1014", "is not a value of s32");
    refuses(|b| b.constant([3_u8]) + 256, "S1014", "is not a value of u8");
    refuses(|b| b.constant([3_u8]) + -1, "S1014", "is not a value of u8");
    refuses(|b| b.constant([true]) + 1.5, "S1014", "is not a value of pred");
    gives(|b| b.constant([3_u8]) + 252, [255_u8]);
}

#[test]
fn d000_comparisons() {
    let (x, y) = ([1.0_f32, 2.0, f32::NAN], [2.0_f32, 2.0, f32::NAN]);
    gives(|b| b.constant(x).eq(b.constant(y)), [false, true, false]);
    gives(|b| b.constant(x).ne(b.constant(y)), [true, false, true]);
    gives(|b| b.constant(x).ge(b.constant(y)), [false, true, false]);
    gives(|b| b.constant(x).gt(b.constant(y)), [false, false, false]);
    gives(|b| b.constant(x).le(b.constant(y)), [true, true, false]);
    gives(|b| b.constant(x).lt(b.constant(y)), [true, false, false]);
    // Unsigned integers are compared as such.
    gives(|b| b.constant([u32::MAX]).gt(b.constant([1_u32])), [true]);
    gives(|b| b.constant([-1_i32]).gt(b.constant([1_i32])), [false]);
}

#[test]
fn d002_comparisons_by_total_order() {
    // -NaN < -Inf < -Finite < -0 < +0 < +Finite < +Inf < +NaN
    let order = [-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, f32::INFINITY, f32::NAN];
    let (low, high) = (&order[..7], &order[1..]);
    let all = |value| Literal::from(vec![value; 7]);
    gives(|b| b.constant(low).lt_total_order(b.constant(high), &[]), all(true));
    gives(|b| b.constant(low).le_total_order(b.constant(high), &[]), all(true));
    gives(|b| b.constant(low).gt_total_order(b.constant(high), &[]), all(false));
    gives(|b| b.constant(low).ge_total_order(b.constant(high), &[]), all(false));
    gives(|b| b.constant(low).eq_total_order(b.constant(low), &[]), all(true));
    gives(|b| b.constant(low).ne_total_order(b.constant(low), &[]), all(false));
    // Integers have one order only.
    gives(|b| b.constant([-1_i32]).lt_total_order(b.constant([2_i32]), &[]), [true]);
}

#[test]
fn d000_clamp() {
    let x = [-1_i32, 5, 9];
    gives(|b| b.clamp(0, &b.constant(x), 6), [0_i32, 5, 6]);
    gives(
        |b| b.constant(x).clamp(b.constant([0_i32, 6, 0]), b.constant([3_i32, 8, 4])),
        [0_i32, 6, 4],
    );
    refuses(|b| b.constant(x).clamp(b.constant([0_i32, 6]), 3), "S1005", "");
    refuses(|b| b.constant(x).clamp(b.constant(0.0_f32), 3), "S1005", "");
}

#[test]
fn d000_select() {
    let (v1, v2) = ([1_i32, 2, 3, 4], [100_i32, 200, 300, 400]);
    gives(
        |b| b.select(&b.constant([true, false, false, true]), &b.constant(v1), &b.constant(v2)),
        [1_i32, 200, 300, 4],
    );
    gives(|b| b.constant(true).select(b.constant(v1), b.constant(v2)), v1);
    gives(|b| b.constant(false).select(b.constant(v1), b.constant(v2)), v2);
}

#[test]
fn d000_select_rules() {
    // The alternatives have the same shape, and the predicate that shape or none.
    refuses(|b| b.constant(true).select(b.constant([1_i32]), b.constant([1_i32, 2])), "S1005", "");
    refuses(
        |b| b.constant([true, false]).select(b.constant([1_i32]), b.constant([2_i32])),
        "S1005",
        "",
    );
    refuses(|b| b.constant([1_i32]).select(b.constant([1_i32]), b.constant([2_i32])), "S1005", "");
    // Tuples are chosen by a scalar.
    gives_all(
        |b| {
            let (one, other) = (
                [b.constant(1_i32), b.constant([1.0_f32])],
                [b.constant(2_i32), b.constant([2.0_f32])],
            );
            b.constant(false).select(&b.tuple(&one)?, &b.tuple(&other)?)
        },
        &[2_i32.into(), [2.0_f32].into()],
    );
    refuses(
        |b| {
            let (one, other) = (b.tuple(&[b.constant([1_i32])])?, b.tuple(&[b.constant([2_i32])])?);
            b.constant([true]).select(&one, &other)
        },
        "S1014",
        "tuples are selected by a scalar",
    );
    refuses(
        |b| {
            let (one, other) = (b.tuple(&[b.constant([1_i32])])?, b.tuple(&[b.constant(2_i32)])?);
            b.constant(true).select(&one, &other)
        },
        "S1014",
        "the same shape",
    );
}

#[test]
fn d000_convert_element_type() {
    gives(|b| b.constant([0_i32, 1, 2]).convert_element_type(F32), [0.0_f32, 1.0, 2.0]);
    gives(|b| b.constant([0_i32, 1, 2]).convert(PRED), [false, true, true]);
    // Round to nearest even: 2^24 + 1 is between two floats.
    gives(
        |b| b.constant([16_777_217_i32, 16_777_219]).convert(F32),
        [16_777_216.0_f32, 16_777_220.0],
    );
    refuses(|b| b.tuple(&[b.constant(1_i32)])?.convert_element_type(F32), "S1014", "tuple");
}

#[test]
fn d002_bitcast_convert_type_of_one_width_and_of_others() {
    gives(|b| b.constant([1.0_f32]).bitcast_convert_type(S32), [0x3F80_0000_i32]);
    // An element of s32 becomes four of s8.
    gives(
        |b| b.constant([0x0403_0201_i32]).bitcast_convert_type(strata_builder::S8),
        [[1_i8, 2, 3, 4]],
    );
    gives(|b| b.constant([[1_i8, 2, 3, 4]]).bitcast_convert(S32), [0x0403_0201_i32]);
    let f16 = strata_builder::F16;
    assert_eq!(shape(|b| b.parameter(F32, [10], "x").bitcast_convert_type(f16)), "f16[10,2]");
    assert_eq!(shape(|b| b.parameter(F32, [], "x").bitcast_convert_type(f16)), "f16[2]");
    assert_eq!(shape(|b| b.parameter(f16, [10, 2], "x").bitcast_convert_type(F32)), "f32[10]");
    refuses(|b| b.parameter(f16, [10, 3], "x").bitcast_convert_type(F32), "S1005", "");
    refuses(|b| b.parameter(f16, [], "x").bitcast_convert_type(F32), "S1005", "");
}

#[test]
fn d000_reduce_precision() {
    // 1 + 2^-9 needs 9 bits of mantissa; f16 has 10, bf16 has 7.
    let x = [1.0_f32 + 1.0 / 512.0, 1e30, 1e-30];
    let bf16 = x.map(|one| half::bf16::from_f32(one).to_f32());
    gives(|b| b.constant(x).reduce_precision(8, 7), bf16);
    gives(
        |b| b.constant([1e30_f32, -1e30]).reduce_precision(5, 10),
        [f32::INFINITY, f32::NEG_INFINITY],
    );
    // Ties to even.
    gives(|b| b.constant([1.25_f32, 1.75]).reduce_precision(8, 1), [1.0_f32, 2.0]);
    // More bits than the type has change nothing.
    gives(|b| b.constant(x).reduce_precision(11, 52), x);
    refuses(|b| b.constant(x).reduce_precision(0, 7), "S1005", "");
    refuses(|b| b.constant(x).reduce_precision(8, -1), "S1005", "");
    refuses(|b| b.constant([1_i32]).reduce_precision(8, 7), "S1005", "");
}

#[test]
fn operand_types_that_operations_do_not_have() {
    refuses(|b| b.constant([1_i32]).exp(), "S1005", "");
    refuses(|b| b.constant([1.0_f32]).clz(), "S1005", "");
    refuses(|b| b.constant([1.0_f32]).not(), "S1005", "");
    refuses(|b| b.constant([true]).neg(), "S1005", "");
    refuses(|b| b.constant([1_i32]).is_finite(), "S1005", "");
    refuses(|b| b.constant([1.0_f32]).shift_left(b.constant([1.0_f32])), "S1005", "");
    refuses(|b| b.constant([1.0_f32]).add(b.constant([1_i32])), "S1014", "f32[1] and s32[1]");
    refuses(|b| b.constant([1.0_f32]).eq(b.constant([1_i32])), "S1014", "f32[1] and s32[1]");
    refuses(|b| b.constant([1_i32]).complex(b.constant([1_i32])), "S1005", "");
    refuses(|b| b.constant([1_i32]).real(), "S1005", "");
    refuses(|b| b.create_token()?.add(b.constant(1_i32)), "S1014", "token");
    assert_eq!(shape(|b| b.parameter_of(&Shape::array(U32, [2]), "x").not()), "u32[2]");
}
