//! How two elements differ: in a sign of a zero, in being NaN, or by how many units in the last place.

use strata_eval::{Element, ElementType, FloatType, Tensor, compare::ulp_distance};

/// How the element at `position` differs from the expected one by more than `ulps`; `None` where it does not.
pub fn difference(
    found: &Tensor,
    expected: &Tensor,
    position: usize,
    ulps: u64,
) -> Option<&'static str> {
    match (found.get(position), expected.get(position), expected.element_type()) {
        (Element::Float(a), Element::Float(b), ElementType::Float(ty)) => part(a, b, ty, ulps),
        (Element::Complex(a), Element::Complex(b), ElementType::Complex(ty)) => {
            part(a.re, b.re, ty, ulps).or(part(a.im, b.im, ty, ulps))
        }
        (a, b, _) if a == b => None,
        _ => Some("another value"),
    }
}

fn part(found: f64, expected: f64, ty: FloatType, ulps: u64) -> Option<&'static str> {
    if found.is_nan() != expected.is_nan() {
        Some("NaN on one side only")
    } else if found == 0.0
        && expected == 0.0
        && found.is_sign_negative() != expected.is_sign_negative()
    {
        Some("the sign of zero")
    } else if ulp_distance(found, expected, ty) > ulps {
        Some("too far apart")
    } else {
        None
    }
}
