//! Comparing results: exactly, by units in the last place, and by absolute distance.

use crate::{
    element::{Element, ElementType},
    error::{EvalError, Result},
    float_format::FloatType,
    tensor::Tensor,
};

/// The distance in representable numbers: 0 for equal ones and for two NaNs.
///
/// Both zeros are the same number. A NaN, or an infinity against something else, is `u64::MAX` away.
pub fn ulp_distance(a: f64, b: f64, ty: FloatType) -> u64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0;
    }
    if !a.is_finite() || !b.is_finite() {
        return u64::MAX;
    }
    let rank = |value: f64| {
        let magnitude = i128::from(ty.encode(value.abs()));
        if value.is_sign_negative() { -magnitude } else { magnitude }
    };
    u64::try_from((rank(a) - rank(b)).abs()).unwrap_or(u64::MAX)
}

/// The distance of two elements of one type: [`ulp_distance`], of complex numbers the larger of their
/// parts', of integers the difference.
pub fn element_distance(a: Element, b: Element, ty: ElementType) -> u64 {
    match (a, b, ty) {
        (Element::Float(a), Element::Float(b), ElementType::Float(ty)) => ulp_distance(a, b, ty),
        (Element::Complex(a), Element::Complex(b), ElementType::Complex(part)) => {
            ulp_distance(a.re, b.re, part).max(ulp_distance(a.im, b.im, part))
        }
        (Element::Signed(a), Element::Signed(b), _) => a.abs_diff(b),
        (Element::Unsigned(a), Element::Unsigned(b), _) => a.abs_diff(b),
        (Element::Bool(a), Element::Bool(b), _) => u64::from(a != b),
        _ => u64::MAX,
    }
}

/// The worst element of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The distance in units in the last place (integers: the difference).
    pub distance: u64,
    /// Its index.
    pub index: Vec<usize>,
    /// The element of the first tensor.
    pub actual: Element,
    /// The element of the second tensor.
    pub expected: Element,
}

/// The element that differs most; `None` where all are equal. Fails where the types differ.
pub fn worst(actual: &Tensor, expected: &Tensor) -> Result<Option<Worst>> {
    same_type(actual, expected)?;
    let ty = actual.element_type();
    let mut worst: Option<Worst> = None;
    for position in 0..actual.len() {
        let (a, b) = (actual.get(position), expected.get(position));
        let distance = element_distance(a, b, ty);
        if distance > worst.as_ref().map_or(0, |worst| worst.distance) {
            let index = crate::index::unravel(position, actual.shape());
            worst = Some(Worst { distance, index, actual: a, expected: b });
        }
    }
    Ok(worst)
}

/// Fails where the types differ.
pub fn same_type(actual: &Tensor, expected: &Tensor) -> Result<()> {
    if actual.shape() == expected.shape() && actual.element_type() == expected.element_type() {
        return Ok(());
    }
    Err(EvalError::check(format!(
        "the types differ: {} and {}",
        actual.type_text(),
        expected.type_text()
    )))
}

fn fail(position: usize, actual: &Tensor, expected: &Tensor, rule: &str) -> EvalError {
    EvalError::check(format!(
        "at index {:?} the value is {}, expected {} ({rule})",
        crate::index::unravel(position, actual.shape()),
        actual.get(position),
        expected.get(position)
    ))
}

/// Succeeds where every element equals its counterpart; two NaNs and the two zeros are equal.
pub fn equal(actual: &Tensor, expected: &Tensor) -> Result<()> {
    same_type(actual, expected)?;
    let ty = actual.element_type();
    for position in 0..actual.len() {
        if element_distance(actual.get(position), expected.get(position), ty) != 0 {
            return Err(fail(position, actual, expected, "exactly equal"));
        }
    }
    Ok(())
}

/// Succeeds if every distance is within the bounds and the largest reaches `min_ulp`.
pub fn close(actual: &Tensor, expected: &Tensor, min_ulp: u64, max_ulp: u64) -> Result<()> {
    same_type(actual, expected)?;
    let ty = actual.element_type();
    let mut largest = 0;
    for position in 0..actual.len() {
        let distance = element_distance(actual.get(position), expected.get(position), ty);
        if distance > max_ulp {
            let rule = format!("{distance} ULP apart, at most {max_ulp} allowed");
            return Err(fail(position, actual, expected, &rule));
        }
        largest = largest.max(distance);
    }
    if largest < min_ulp {
        return Err(EvalError::check(format!(
            "the largest difference is {largest} ULP, at least {min_ulp} expected"
        )));
    }
    Ok(())
}

/// Succeeds where every absolute difference is at most `tolerance`; two NaNs are equal, and so are two
/// equal infinities. Integers must be exactly equal.
pub fn almost_equal(actual: &Tensor, expected: &Tensor, tolerance: f64) -> Result<()> {
    same_type(actual, expected)?;
    let near = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance;
    for position in 0..actual.len() {
        let holds = match (actual.get(position), expected.get(position)) {
            (Element::Float(a), Element::Float(b)) => near(a, b),
            (Element::Complex(a), Element::Complex(b)) => near(a.re, b.re) && near(a.im, b.im),
            (a, b) => a == b,
        };
        if !holds {
            let rule = format!("at most {tolerance:e} apart");
            return Err(fail(position, actual, expected, &rule));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{BF16, F16};

    #[test]
    fn distances_count_numbers_of_the_format() {
        let next = 1.0 + f64::from(f32::EPSILON);
        assert_eq!(ulp_distance(1.0, next, FloatType::F32), 1);
        assert_eq!(ulp_distance(1.0, next, FloatType::F64), 1 << 29);
        assert_eq!(ulp_distance(-0.0, 0.0, FloatType::F32), 0);
        let smallest = f64::from(f32::from_bits(1));
        assert_eq!(ulp_distance(-smallest, smallest, FloatType::F32), 2);
        assert_eq!(ulp_distance(f64::NAN, f64::NAN, FloatType::F32), 0);
        assert_eq!(ulp_distance(f64::NAN, 1.0, FloatType::F32), u64::MAX);
        assert_eq!(ulp_distance(f64::MAX, f64::INFINITY, FloatType::F64), u64::MAX);
        assert_eq!(ulp_distance(-f64::MAX, f64::MAX, FloatType::F64), u64::MAX - (1 << 53) - 1);
    }

    #[test]
    fn rules() {
        let a = Tensor::of_floats(&[2], F16, &[5.0, f64::NAN]);
        let b = Tensor::of_floats(&[2], F16, &[5.010, f64::NAN]);
        assert!(close(&a, &b, 0, 3).is_ok());
        assert!(close(&a, &b, 0, 2).is_err());
        assert!(close(&a, &b, 4, 9).is_err());
        assert!(equal(&a, &b).is_err());
        assert!(equal(&a, &a).is_ok());
        assert!(almost_equal(&a, &b, 0.02).is_ok());
        assert!(almost_equal(&a, &b, 0.001).is_err());
        assert!(equal(&a, &Tensor::of_floats(&[2], BF16, &[5.0, 5.0])).is_err());
        let worst = worst(&a, &b).unwrap().unwrap();
        assert_eq!((worst.distance, worst.index), (3, vec![0]));
    }
}
