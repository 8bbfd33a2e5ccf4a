//! Compiled code against the evaluator: inputs to try, how far apart results may be, and which operation is
//! the first to differ.
//!
//! The compiled side is a function that the caller gives, from a program's text and inputs to outputs.

mod bisect;
mod generate;
mod inputs;

pub use bisect::{Compiled, Culprit, first_difference};
pub use generate::{Generated, random_program};
pub use inputs::{Values, random_tensor};

use crate::{
    compare::{self, Worst},
    element::Element,
    error::Result,
    tensor::Tensor,
};

/// How far a compiled result may be from the evaluated one.
///
/// Sums may be formed in another order, so that a small sum of large terms may differ by many units in the
/// last place: a difference is also accepted that is small beside the tensor's largest finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Units in the last place of each element. Integers must be equal whatever it says.
    pub ulps: u64,
    /// Share of the largest finite absolute value in the expected tensor.
    pub relative: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { ulps: 16, relative: 1e-5 }
    }
}

impl Tolerance {
    /// The element that is too far from the expected one, the worst of them; `None` where all are near.
    ///
    /// # Errors
    /// Where the tensors are of different types.
    pub fn exceeded(&self, actual: &Tensor, expected: &Tensor) -> Result<Option<Worst>> {
        let Some(worst) = compare::worst(actual, expected)? else { return Ok(None) };
        let scale = largest_finite(expected) * self.relative;
        let floating = expected.element_type().is_float() || expected.element_type().is_complex();
        let mut exceeded: Option<Worst> = None;
        for position in 0..expected.len() {
            let (a, b) = (actual.get(position), expected.get(position));
            let distance = compare::element_distance(a, b, expected.element_type());
            let near = distance == 0 || (floating && (distance <= self.ulps || gap(a, b) <= scale));
            if !near && exceeded.as_ref().is_none_or(|known| known.distance < distance) {
                let index = crate::index::unravel(position, expected.shape());
                exceeded = Some(Worst { distance, index, actual: a, expected: b });
            }
        }
        debug_assert!(exceeded.as_ref().is_none_or(|found| found.distance <= worst.distance));
        Ok(exceeded)
    }
}

/// The absolute difference of two floating-point elements.
fn gap(a: Element, b: Element) -> f64 {
    match (a, b) {
        (Element::Float(a), Element::Float(b)) => (a - b).abs(),
        (Element::Complex(a), Element::Complex(b)) => (a.re - b.re).abs().max((a.im - b.im).abs()),
        _ => f64::INFINITY,
    }
}

fn largest_finite(tensor: &Tensor) -> f64 {
    let parts = tensor.elements().into_iter().flat_map(|element| match element {
        Element::Float(value) => [value, 0.0],
        Element::Complex(value) => [value.re, value.im],
        _ => [0.0, 0.0],
    });
    parts.filter(|value| value.is_finite()).fold(0.0, |largest, value| value.abs().max(largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_sums_may_differ_and_integers_may_not() {
        let tolerance = Tolerance::default();
        let expected = Tensor::from_f32(&[2], &[1000.0, 0.001]);
        let near = Tensor::from_f32(&[2], &[1000.0, 0.002]);
        assert_eq!(tolerance.exceeded(&near, &expected), Ok(None));
        let far = Tensor::from_f32(&[2], &[1000.0, 1.0]);
        let worst = tolerance.exceeded(&far, &expected).unwrap().unwrap();
        assert_eq!(worst.index, [1]);
        let nan = Tensor::from_f32(&[2], &[f32::NAN, 0.001]);
        assert!(tolerance.exceeded(&nan, &expected).unwrap().is_some());
        let one = Tensor::from_i32(&[], &[1]);
        assert!(tolerance.exceeded(&one, &Tensor::from_i32(&[], &[2])).unwrap().is_some());
        assert!(tolerance.exceeded(&one, &expected).is_err());
    }
}
