//! Whether tuned results are those of the untuned object, within what `docs/numerics.md` allows.

use half::{bf16, f16};
use strata::{ElementType, TensorSpec};

/// Units in the last place that an element may be off by: functions and roundings of the same formula.
const ULPS: f64 = 8.0;

/// How far sums in another order may be apart, in units of eps relative to the root of the mean square of all results: twice the 5 of the
/// largest root-mean-square errors in the table of `docs/numerics.md`, and six times that for the worst of many elements; for each nest
/// that results pass through.
const SUMS: f64 = 64.0;

/// The most that results of a whole program may be apart, relative to the root of the mean square.
const MOST: f64 = 1e-3;

/// Where results differ by more than is allowed, in words; `nests` is the number of nests that they pass through.
pub fn difference(
    actual: &[Vec<u8>],
    expected: &[Vec<u8>],
    specs: &[TensorSpec],
    nests: usize,
) -> Option<String> {
    let outputs = actual.iter().zip(expected).zip(specs).enumerate();
    outputs.filter(|(_, ((actual, expected), _))| actual != expected).find_map(
        |(number, ((actual, expected), spec))| {
            let at = element(actual, expected, spec.element, nests)?;
            Some(format!("element {at} of output {number}, {spec}"))
        },
    )
}

/// The first element that is not near the expected one.
fn element(actual: &[u8], expected: &[u8], ty: ElementType, nests: usize) -> Option<usize> {
    let first = |size: usize| {
        let pairs = actual.chunks(size).zip(expected.chunks(size));
        pairs.enumerate().find(|(_, (one, other))| one != other).map(|(at, _)| at)
    };
    let Some((actual, eps)) = numbers(actual, ty) else {
        return first(1);
    };
    let (expected, _) = numbers(expected, ty)?;
    let finite = || expected.iter().filter(|one| one.is_finite());
    let square = finite().map(|one| one * one).sum::<f64>() / finite().count().max(1) as f64;
    let nests = nests.max(1) as f64;
    let sums = (SUMS * eps * nests).min(MOST.max(SUMS * eps)) * square.sqrt();
    let is_near = |one: f64, other: f64| {
        let equal = one == other || (one.is_nan() && other.is_nan());
        equal || (one - other).abs() <= (ULPS * eps * other.abs()).max(sums)
    };
    let pairs = actual.iter().zip(&expected);
    pairs.enumerate().find(|(_, (one, other))| !is_near(**one, **other)).map(|(at, _)| at)
}

/// Elements as numbers, and eps of their type; `None` of types whose elements have to be equal.
fn numbers(bytes: &[u8], ty: ElementType) -> Option<(Vec<f64>, f64)> {
    fn read<const N: usize>(bytes: &[u8], of: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        bytes.as_chunks().0.iter().map(|one| of(*one)).collect()
    }
    let single = |bytes| read(bytes, |one| f64::from(f32::from_le_bytes(one)));
    let double = |bytes| read(bytes, f64::from_le_bytes);
    Some(match ty {
        ElementType::Float(32) | ElementType::Complex(64) => {
            (single(bytes), f64::from(f32::EPSILON))
        }
        ElementType::Float(64) | ElementType::Complex(128) => (double(bytes), f64::EPSILON),
        ElementType::Float(16) => {
            (read(bytes, |one| f16::from_le_bytes(one).to_f64()), f16::EPSILON.to_f64())
        }
        ElementType::BFloat16 => {
            (read(bytes, |one| bf16::from_le_bytes(one).to_f64()), bf16::EPSILON.to_f64())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use strata::{ElementType, TensorSpec};

    use super::difference;

    fn bytes(numbers: &[f32]) -> Vec<Vec<u8>> {
        vec![numbers.iter().flat_map(|one| one.to_le_bytes()).collect()]
    }

    #[test]
    fn sums_may_be_apart_and_more_not() {
        let spec = [TensorSpec::new(vec![3], ElementType::Float(32))];
        let of = |actual: [f32; 3], expected: [f32; 3], nests: usize| {
            difference(&bytes(&actual), &bytes(&expected), &spec, nests)
        };
        let nan = f32::NAN;
        assert_eq!(of([1.0, 2.0, nan], [1.0, 2.0, nan], 1), None);
        assert_eq!(of([1.0, 2.0, 1e-6], [1.0, 2.0, 0.0], 1), None);
        assert!(
            of([1.0, 2.0, 1e-5], [1.0, 2.0, 0.0], 1).is_some_and(|at| at.starts_with("element 2"))
        );
        assert_eq!(of([1.0, 2.0, 3e-5], [1.0, 2.0, 0.0], 4), None);
        assert!(of([1.0, 2.0, 1e-2], [1.0, 2.0, 0.0], 100_000).is_some());
        assert!(of([1.0, nan, 0.0], [1.0, 2.0, 0.0], 1).is_some());
        assert!(of([1.0, f32::INFINITY, 0.0], [1.0, 2.0, 0.0], 1).is_some());
        let whole = [TensorSpec::new(vec![4], ElementType::Signed(8))];
        let of = |actual: [u8; 4]| difference(&[actual.to_vec()], &[vec![1, 2, 3, 4]], &whole, 9);
        assert_eq!(of([1, 2, 3, 4]), None);
        assert!(of([1, 2, 3, 5]).is_some_and(|at| at.starts_with("element 3")));
    }
}
