//! How two elements differ: in a sign of a zero, in being NaN, or by how many units in the last place.

use strata_eval::{Element, ElementType, FloatType, Tensor, compare::ulp_distance};

use super::operations::Operation;

/// How the element at `position` differs from the expected one by more than engines may differ in `operation`; `None`
/// where it does not.
pub fn difference(
    found: &Tensor,
    expected: &Tensor,
    position: usize,
    operation: &Operation,
) -> Option<&'static str> {
    match (found.get(position), expected.get(position), expected.element_type()) {
        (Element::Float(a), Element::Float(b), ElementType::Float(ty)) => {
            part(a, b, ty, operation, 1.0)
        }
        (Element::Complex(a), Element::Complex(b), ElementType::Complex(ty)) => {
            // Annex G leaves the sign of an infinity with a NaN open.
            let open =
                |one: f64, other: f64| operation.ulps > 0 && one.is_infinite() && other.is_nan();
            // A part that is small relative to the other has the same absolute error.
            let scale = if b.re.is_finite() && b.im.is_finite() { b.norm().max(1.0) } else { 1.0 };
            let same = |a: f64, b: f64, other: f64| match open(b, other) {
                true => part(a.abs(), b.abs(), ty, operation, scale),
                false => part(a, b, ty, operation, scale),
            };
            same(a.re, b.re, b.im).or(same(a.im, b.im, b.re))
        }
        (a, b, _) if a == b => None,
        _ => Some("another value"),
    }
}

fn part(
    found: f64,
    expected: f64,
    ty: FloatType,
    operation: &Operation,
    scale: f64,
) -> Option<&'static str> {
    // False if one of them is NaN.
    let is_near = (found - expected).abs() <= operation.absolute * scale;
    if found.is_nan() != expected.is_nan() {
        Some("NaN on one side only")
    } else if found == 0.0
        && expected == 0.0
        && found.is_sign_negative() != expected.is_sign_negative()
    {
        Some("the sign of zero")
    } else if ulp_distance(found, expected, ty) > operation.ulps && !is_near {
        Some("too far apart")
    } else {
        None
    }
}
