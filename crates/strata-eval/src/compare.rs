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

impl Worst {
    /// How far the elements are apart; `None` where there is no number for it: a NaN or an infinity against something else, one
    /// zero against the other, two booleans.
    pub fn gap(&self) -> Option<String> {
        gap(self.actual, self.expected, self.distance)
    }

    /// `differs …`: the sentence that follows the name of a result. `other` computes the second tensor.
    pub fn differs_from(&self, other: &str) -> String {
        let gap = self.gap().map(|gap| format!(" by {gap}")).unwrap_or_default();
        let Self { actual, index, expected, .. } = self;
        format!("differs{gap} at {index:?}: it is {actual}, {other} has {expected}")
    }
}

fn gap(a: Element, b: Element, distance: u64) -> Option<String> {
    match a {
        _ if distance == 0 || distance == u64::MAX => None,
        Element::Bool(_) => None,
        Element::Signed(_) | Element::Unsigned(_) => Some(distance.to_string()),
        // Of a NaN that both have the distance says nothing.
        Element::Complex(a) if matches!(b, Element::Complex(b) if !(a + b).is_finite()) => {
            Some(format!("{distance} ULP in a part"))
        }
        Element::Float(_) | Element::Complex(_) => Some(format!("{distance} ULP")),
    }
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

/// Succeeds if the distance of every element is within the bounds, both included.
pub fn close(actual: &Tensor, expected: &Tensor, min_ulp: u64, max_ulp: u64) -> Result<()> {
    same_type(actual, expected)?;
    let ty = actual.element_type();
    for position in 0..actual.len() {
        let (a, b) = (actual.get(position), expected.get(position));
        let distance = element_distance(a, b, ty);
        let bound = match () {
            () if distance > max_ulp => format!("at most {max_ulp} allowed"),
            () if distance < min_ulp => format!("at least {min_ulp} expected"),
            () => continue,
        };
        let apart = match gap(a, b, distance) {
            Some(gap) => format!("{gap} apart"),
            None if distance == 0 => "equal".to_owned(),
            None => "no number of ULP apart".to_owned(),
        };
        return Err(fail(position, actual, expected, &format!("{apart}, {bound}")));
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
        // The lower bound holds for each element, as the upper one does: the second is equal.
        assert!(close(&a, &b, 1, 9).is_err());
        assert!(close(&a, &a, 0, 0).is_ok());
        let c = Tensor::of_floats(&[2], F16, &[5.010, 1.0]);
        let error = close(&a, &c, 0, 3).expect_err("a NaN against a number");
        assert!(
            error.reason.ends_with("(no number of ULP apart, at most 3 allowed)"),
            "{}",
            error.reason
        );
        assert!(close(&a, &c, 3, u64::MAX).is_ok());
        assert!(equal(&a, &b).is_err());
        assert!(equal(&a, &a).is_ok());
        assert!(almost_equal(&a, &b, 0.02).is_ok());
        assert!(almost_equal(&a, &b, 0.001).is_err());
        assert!(equal(&a, &Tensor::of_floats(&[2], BF16, &[5.0, 5.0])).is_err());
        let worst = worst(&a, &b).unwrap().unwrap();
        assert_eq!((worst.distance, worst.index), (3, vec![0]));
    }

    #[test]
    fn differences_are_sentences() {
        use num_complex::Complex64;
        let text = |actual, expected, ty| {
            let distance = element_distance(actual, expected, ty);
            Worst { distance, index: vec![1, 2], actual, expected }.differs_from("the evaluator")
        };
        let float =
            |a, b| text(Element::Float(a), Element::Float(b), ElementType::Float(FloatType::F64));
        assert_eq!(
            float(1.0, 1.0 + f64::EPSILON),
            "differs by 1 ULP at [1, 2]: it is 1e0, the evaluator has 1.0000000000000002e0"
        );
        assert_eq!(float(f64::NAN, 1.0), "differs at [1, 2]: it is NaN, the evaluator has 1e0");
        assert_eq!(
            float(f64::INFINITY, f64::NAN),
            "differs at [1, 2]: it is inf, the evaluator has NaN"
        );
        assert_eq!(float(-0.0, 0.0), "differs at [1, 2]: it is -0e0, the evaluator has 0e0");
        let complex = |a: (f64, f64), b: (f64, f64)| {
            let [a, b] = [a, b].map(|(re, im)| Element::Complex(Complex64::new(re, im)));
            text(a, b, ElementType::Complex(FloatType::F64))
        };
        assert_eq!(
            complex((f64::NAN, 0.0), (f64::NAN, f64::NAN)),
            "differs at [1, 2]: it is (NaN, 0e0), the evaluator has (NaN, NaN)"
        );
        assert_eq!(
            complex((f64::NAN, 1.0), (f64::NAN, 1.0 + f64::EPSILON)),
            "differs by 1 ULP in a part at [1, 2]: it is (NaN, 1e0), the evaluator has (NaN, 1.0000000000000002e0)"
        );
        assert_eq!(
            text(Element::Signed(-3), Element::Signed(4), ElementType::Signed(8)),
            "differs by 7 at [1, 2]: it is -3, the evaluator has 4"
        );
        assert_eq!(
            text(Element::Bool(true), Element::Bool(false), ElementType::Bool),
            "differs at [1, 2]: it is true, the evaluator has false"
        );
    }
}
