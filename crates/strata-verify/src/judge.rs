//! Whether a compiled result is wrong, element by element.
//!
//! An element may be off by a few units in the last place, and by as much as the program leaves open: results of evaluations
//! with rounding noise ([`strata_eval::Session::add_noise`]) lie around the evaluated one, the wider apart the less sums that cancel,
//! functions that are steep or sums that may overflow determine it. Results far outside of these are wrong. What the noise moves
//! a lot, but not as far as the compiled code, proves nothing either way.

use strata_eval::{
    Element, ElementType, FloatType, Result, Tensor,
    compare::{self, Worst, ulp_distance},
};

/// How far a compiled result may be from the evaluated one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Units in the last place of each element. Integers must be equal whatever it says.
    pub ulps: u64,
    /// How many times as far as the furthest result with rounding noise.
    pub spread: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { ulps: 8, spread: 8.0 }
    }
}

/// How many evaluations with rounding noise decide; the second number where the first leave a difference: of many elements
/// some are moved little by a few evaluations.
const NOISY: [u64; 2] = [6, 24];

/// Judges all results, each with a tolerance of its own; `noisy` is an evaluation with the noise of a seed, which may have no
/// results.
///
/// # Errors
/// Where the tensors are of different types.
pub fn judge_all(
    actual: &[Tensor],
    expected: &[Tensor],
    tolerance: impl Fn(usize) -> Tolerance,
    mut noisy: impl FnMut(u64) -> Option<Vec<Tensor>>,
) -> Result<Vec<Judgement>> {
    let judge = |noisy: &[Vec<Tensor>]| -> Result<Vec<Judgement>> {
        let outputs = actual.iter().zip(expected).enumerate();
        outputs
            .map(|(at, (actual, expected))| {
                let around: Vec<_> = noisy.iter().filter_map(|all| all.get(at)).collect();
                tolerance(at).judge(actual, expected, &around)
            })
            .collect()
    };
    let is_settled = |judged: &[Judgement]| {
        let settled = |(at, one): (usize, &Judgement)| {
            let is_near = one.wrong.is_none() && one.unsure.is_none();
            // Noise leaves exact results as they are, but for the signs of NaNs, which a total order shows.
            is_near || (tolerance(at) == Tolerance::EXACT && !one.has_nan())
        };
        judged.iter().enumerate().all(settled)
    };
    let mut judged = judge(&[])?;
    let mut evaluated = Vec::new();
    let mut next = 0;
    for end in NOISY {
        if is_settled(&judged) {
            break;
        }
        // Noise may lead where the program has no meaning: such an evaluation says nothing.
        evaluated.extend((next..end).filter_map(&mut noisy));
        next = end;
        judged = judge(&evaluated)?;
    }
    Ok(judged)
}

/// An element that noise moves by more units than this is badly determined.
const BAD: f64 = 64.0;
/// So many times the allowed distance is wrong also of a badly determined element.
const FAR: f64 = 1000.0;

/// What the elements of a result show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The worst of the elements that are off by more than is allowed, without a proof that they are wrong.
    pub unsure: Option<Worst>,
    /// The worst of the elements that are wrong.
    pub wrong: Option<Worst>,
}

impl Judgement {
    /// Whether a NaN is where a number should be, or a number where a NaN should be.
    fn has_nan(&self) -> bool {
        let is_nan = |element: Element| match element {
            Element::Float(number) => number.is_nan(),
            Element::Complex(number) => number.is_nan(),
            _ => false,
        };
        // The distance of a NaN is the largest one, so that it is the worst element.
        [&self.wrong, &self.unsure]
            .into_iter()
            .flatten()
            .any(|worst| is_nan(worst.actual) || is_nan(worst.expected))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    Near,
    Unsure,
    Wrong,
}

impl Tolerance {
    /// Nothing but equal elements.
    pub const EXACT: Self = Self { ulps: 0, spread: 0.0 };

    /// Compares every element of `actual` with the expected one, which evaluations with noise gave as in `noisy`.
    ///
    /// # Errors
    /// Where the tensors are of different types.
    pub fn judge(
        &self,
        actual: &Tensor,
        expected: &Tensor,
        noisy: &[&Tensor],
    ) -> Result<Judgement> {
        compare::same_type(actual, expected)?;
        let mut judgement = Judgement::default();
        for position in 0..expected.len() {
            let (a, b) = (actual.get(position), expected.get(position));
            let around: Vec<Element> = noisy
                .iter()
                .filter(|tensor| tensor.len() == expected.len())
                .map(|tensor| tensor.get(position))
                .collect();
            let slot = match self.element(a, b, &around, expected.element_type()) {
                Finding::Near => continue,
                Finding::Unsure => &mut judgement.unsure,
                Finding::Wrong => &mut judgement.wrong,
            };
            let distance = compare::element_distance(a, b, expected.element_type());
            if slot.as_ref().is_none_or(|known| known.distance < distance) {
                let index = strata_eval::index::unravel(position, expected.shape());
                *slot = Some(Worst { distance, index, actual: a, expected: b });
            }
        }
        Ok(judgement)
    }

    fn element(&self, a: Element, b: Element, noisy: &[Element], ty: ElementType) -> Finding {
        let parts = |get: &dyn Fn(&Element) -> Option<f64>| -> Vec<f64> {
            noisy.iter().filter_map(get).collect()
        };
        match (a, b, ty) {
            (Element::Float(a), Element::Float(b), ElementType::Float(format)) => {
                let around = parts(&|element| match element {
                    Element::Float(value) => Some(*value),
                    _ => None,
                });
                self.float(a, b, &around, format)
            }
            (Element::Complex(a), Element::Complex(b), ElementType::Complex(format)) => {
                let part = |get: fn(&num_complex::Complex64) -> f64| {
                    let around = parts(&|element| match element {
                        Element::Complex(value) => Some(get(value)),
                        _ => None,
                    });
                    // If one part is infinite or NaN and the other is open too, the number is not finite, and no more is said.
                    if !a.is_finite() && is_open(get(&b), &around) {
                        return Finding::Near;
                    }
                    self.float(get(&a), get(&b), &around, format)
                };
                part(|value| value.re).max(part(|value| value.im))
            }
            _ if a == b || noisy.contains(&a) => Finding::Near,
            _ if noisy.iter().all(|one| *one == b) => Finding::Wrong,
            _ => {
                let gap = |one: Element| compare::element_distance(one, b, ty) as f64;
                let spread = noisy.iter().map(|one| gap(*one)).fold(0.0, f64::max);
                if gap(a) <= self.spread * spread { Finding::Near } else { Finding::Unsure }
            }
        }
    }

    fn float(&self, a: f64, b: f64, noisy: &[f64], format: FloatType) -> Finding {
        // Of few digits each unit is much: operations round to one of them.
        let ulps = match format.mantissa_bits() {
            0..=4 => self.ulps.min(1),
            5..=10 => self.ulps.min(4),
            _ => self.ulps,
        };
        let near = |a: f64, b: f64| {
            let zeros = a == 0.0 && b == 0.0;
            ulp_distance(a, b, format) <= ulps
                && (!zeros || a.is_sign_negative() == b.is_sign_negative())
        };
        if near(a, b) || noisy.iter().any(|one| near(a, *one) && (a == 0.0) == (*one == 0.0)) {
            return Finding::Near;
        }
        let is_open = is_open(b, noisy);
        if is_open && (!a.is_finite() || noisy.iter().any(|one| near(a, *one))) {
            return Finding::Near;
        }
        // If the evaluated one is not finite, the others are compared with one of themselves.
        let first = noisy.iter().copied().find(|one| one.is_finite());
        let b = match (b.is_finite(), is_open, first) {
            (true, ..) => b,
            (false, true, Some(first)) => first,
            (false, true, None) if *self != Self::EXACT => return Finding::Unsure,
            (false, ..) => return Finding::Wrong,
        };
        let finite = noisy.iter().filter(|one| one.is_finite());
        let spread = finite.map(|one| (one - b).abs()).fold(0.0, f64::max);
        let unit = unit_of(b, format);
        let allowed = self.spread * spread + ulps as f64 * unit;
        let off = match a {
            _ if a.is_nan() => f64::INFINITY,
            // As far as the largest number: beyond it is infinity.
            _ if a.is_infinite() => (format.max_finite().copysign(a) - b).abs(),
            _ => (a - b).abs(),
        };
        if off <= allowed && (off > 0.0 || spread > 0.0) {
            Finding::Near
        } else if *self == Self::EXACT {
            Finding::Wrong
        } else if is_open || (spread > BAD * unit && off <= FAR * allowed) {
            Finding::Unsure
        } else {
            Finding::Wrong
        }
    }
}

/// Whether noise leaves open if this overflows, and so what comes of it.
fn is_open(value: f64, noisy: &[f64]) -> bool {
    let sign = |value: f64| if value.is_infinite() { value.signum() } else { 0.0 };
    let kind = |value: f64| (value.is_nan(), sign(value));
    noisy.iter().any(|one| kind(*one) != kind(value))
}

/// The distance of `value` to the next number of the format.
fn unit_of(value: f64, format: FloatType) -> f64 {
    let smallest = format.decode(1);
    let bits = format.mantissa_bits() as i32;
    if value.abs() < f64::MIN_POSITIVE {
        return smallest;
    }
    2f64.powi(value.abs().log2().floor() as i32 - bits).max(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(actual: f32, expected: f32, noisy: &[f32]) -> Finding {
        let tensors: Vec<_> = noisy.iter().map(|one| Tensor::from_f32(&[1], &[*one])).collect();
        let noisy: Vec<_> = tensors.iter().collect();
        let [actual, expected] = [actual, expected].map(|one| Tensor::from_f32(&[1], &[one]));
        let found = Tolerance::default().judge(&actual, &expected, &noisy).expect("equal types");
        match (found.wrong, found.unsure) {
            (Some(_), _) => Finding::Wrong,
            (None, Some(_)) => Finding::Unsure,
            (None, None) => Finding::Near,
        }
    }

    #[test]
    fn noise_says_how_far_an_element_may_be_off() {
        assert_eq!(judge(1.000_000_2, 1.0, &[]), Finding::Near);
        assert_eq!(judge(1.001, 1.0, &[1.0, 1.000_000_1]), Finding::Wrong);
        // What is left of a difference.
        assert_eq!(judge(1e-7, 2e-7, &[3e-7, 1.5e-7]), Finding::Near);
        assert_eq!(judge(1e-5, 2e-7, &[3e-7, 1.5e-7]), Finding::Unsure);
        assert_eq!(judge(1.0, 2e-7, &[3e-7, 1.5e-7]), Finding::Wrong);
    }

    #[test]
    fn exact_results_are_open_only_to_the_signs_of_nans() {
        let row = |numbers: [f32; 2]| vec![Tensor::from_f32(&[2], &numbers)];
        let is_wrong = |actual, noisy: [f32; 2]| {
            let expected = row([f32::NAN, 1.0]);
            let exact = |_: usize| Tolerance::EXACT;
            let judged = judge_all(&row(actual), &expected, exact, |_| Some(row(noisy)));
            judged.expect("equal types")[0].wrong.is_some()
        };
        // A total order puts a NaN of the other sign last.
        assert!(!is_wrong([1.0, f32::NAN], [1.0, f32::NAN]));
        assert!(is_wrong([2.0, f32::NAN], [1.0, f32::NAN]));
        // Nothing asks for noise here.
        assert!(is_wrong([f32::NAN, 2.0], [f32::NAN, 2.0]));
    }

    #[test]
    fn small_elements_are_judged_by_themselves() {
        let tolerance = Tolerance::default();
        let expected = Tensor::from_f32(&[2], &[1000.0, 0.001]);
        let found = Tensor::from_f32(&[2], &[1000.0, 0.0011]);
        let wrong = tolerance.judge(&found, &expected, &[&expected]).expect("equal types").wrong;
        assert_eq!(wrong.expect("a difference").index, [1]);
    }

    #[test]
    fn what_may_overflow_is_left_open() {
        let inf = f32::INFINITY;
        assert_eq!(judge(inf, f32::MAX, &[f32::MAX, inf]), Finding::Near);
        assert_eq!(judge(f32::NAN, 1.0, &[1.0, inf]), Finding::Near);
        assert_eq!(judge(f32::NAN, 1.0, &[1.0, 1.0]), Finding::Wrong);
        assert_eq!(judge(inf, 1.0, &[1.0, 1.0]), Finding::Wrong);
        assert_eq!(judge(1.0, f32::NAN, &[f32::NAN]), Finding::Wrong);
    }

    #[test]
    fn a_complex_number_that_may_overflow_is_one_number() {
        use num_complex::Complex64;
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let ty = ElementType::Complex(FloatType::F32);
        let judge = |actual: (f64, f64), expected: (f64, f64), noisy: &[(f64, f64)]| {
            let [a, b] =
                [actual, expected].map(|(re, im)| Element::Complex(Complex64::new(re, im)));
            let noisy: Vec<_> =
                noisy.iter().map(|(re, im)| Element::Complex(Complex64::new(*re, *im))).collect();
            Tolerance::default().element(a, b, &noisy, ty)
        };
        let open = [(nan, inf), (inf, nan), (nan, nan)];
        assert_eq!(judge((nan, 0.0), (nan, nan), &open), Finding::Near);
        assert_eq!(judge((1.0, 0.0), (nan, nan), &open), Finding::Unsure);
        // Noise does not change it: each part is itself.
        assert_eq!(judge((nan, 0.0), (nan, nan), &[(nan, nan)]), Finding::Wrong);
        // The other part is determined.
        let half = [(inf, 5.0), (1e38, 5.0)];
        assert_eq!(judge((inf, 5.0), (1e38, 5.0), &half), Finding::Near);
        assert_eq!(judge((inf, 7.0), (1e38, 5.0), &half), Finding::Wrong);
    }

    #[test]
    fn a_finite_result_is_compared_with_what_may_be_left_of_a_nan() {
        let noisy = [f32::NAN, 1.000_01, 0.999_99];
        assert_eq!(judge(1.000_02, f32::NAN, &noisy), Finding::Near);
        assert_eq!(judge(1.1, f32::NAN, &noisy), Finding::Unsure);
    }

    #[test]
    fn the_sign_of_a_zero_counts() {
        assert_eq!(judge(-0.0, 0.0, &[0.0, 0.0]), Finding::Wrong);
        assert_eq!(judge(-0.0, 0.0, &[1e-9, 0.0]), Finding::Near);
    }

    #[test]
    fn integers_are_equal_unless_noise_changes_them() {
        let tolerance = Tolerance::default();
        let [one, two, three] = [1, 2, 3].map(|value| Tensor::from_i32(&[], &[value]));
        let judge =
            |a: &Tensor, noisy: &[&Tensor]| tolerance.judge(a, &two, noisy).expect("equal types");
        assert!(judge(&one, &[&two]).wrong.is_some());
        assert_eq!(judge(&one, &[&two, &three]), Judgement::default());
        let far = Tensor::from_i32(&[], &[20]);
        assert!(judge(&far, &[&two, &three]).unsure.is_some());
        assert!(tolerance.judge(&one, &Tensor::from_f32(&[], &[1.0]), &[]).is_err());
    }
}
