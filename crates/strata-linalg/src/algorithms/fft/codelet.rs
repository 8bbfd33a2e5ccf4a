//! Transforms of a few points as straight-line code on vectors.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use strata_ir::{Builder, FastMath, OpName, Type, Value, arith};
use strata_target::tuning::fft::LARGEST_PRIME;

use crate::algorithms::short_vectors::Lanes;

/// `exp(-2πi * exponent / of)`, exact where it is on an axis.
pub fn root_of_unity(exponent: i64, of: i64) -> (f64, f64) {
    let exponent = exponent.rem_euclid(of);
    let (eighth, rest) =
        (8 * i128::from(exponent) / i128::from(of), 8 * i128::from(exponent) % i128::from(of));
    match (eighth, rest) {
        (0, 0) => (1.0, 0.0),
        (2, 0) => (0.0, -1.0),
        (4, 0) => (-1.0, 0.0),
        (6, 0) => (0.0, 1.0),
        _ => {
            let (sin, cos) = (TAU * exponent as f64 / of as f64).sin_cos();
            (cos, -sin)
        }
    }
}

/// A vector of complex numbers: their real and imaginary parts.
#[derive(Clone, Copy)]
pub struct Row<'c> {
    /// The real parts.
    pub re: Value<'c>,
    /// The imaginary parts.
    pub im: Value<'c>,
}

/// Arithmetic on vectors. A transform is a sum of products, so its multiply-adds may be fused.
pub struct Arithmetic<'a, 'c> {
    /// The builder.
    pub builder: &'a Builder<'c>,
    /// The vectors' length.
    pub lanes: Lanes,
    /// The type of a part.
    pub part: Type<'c>,
}

impl<'a, 'c> Arithmetic<'a, 'c> {
    /// Arithmetic on vectors of `lanes` numbers with parts of type `part`.
    pub fn new(builder: &'a Builder<'c>, lanes: Lanes, part: Type<'c>) -> Self {
        Self { builder, lanes, part }
    }

    fn op(&self, name: OpName<'static>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let contract = FastMath::CONTRACT.to_attribute(self.builder.context);
        let op = self.builder.op(name).operands(&[x, y]).attr("fastmath", contract);
        op.result(x.ty()).value()
    }

    fn plus(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.op(arith::ADDF, x, y)
    }

    fn minus(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.op(arith::SUBF, x, y)
    }

    fn times(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.op(arith::MULF, x, y)
    }

    fn by(&self, x: Value<'c>, factor: f64) -> Value<'c> {
        self.times(x, self.lanes.float(self.builder, self.part, factor))
    }

    fn add(&self, x: Row<'c>, y: Row<'c>) -> Row<'c> {
        Row { re: self.plus(x.re, y.re), im: self.plus(x.im, y.im) }
    }

    fn sub(&self, x: Row<'c>, y: Row<'c>) -> Row<'c> {
        Row { re: self.minus(x.re, y.re), im: self.minus(x.im, y.im) }
    }

    /// `x - i y`.
    fn sub_i(&self, x: Row<'c>, y: Row<'c>) -> Row<'c> {
        Row { re: self.plus(x.re, y.im), im: self.minus(x.im, y.re) }
    }

    /// `x + i y`.
    fn add_i(&self, x: Row<'c>, y: Row<'c>) -> Row<'c> {
        Row { re: self.minus(x.re, y.im), im: self.plus(x.im, y.re) }
    }

    /// The product of finite numbers, without special cases for infinities.
    pub fn multiply(&self, x: Row<'c>, y: Row<'c>) -> Row<'c> {
        Row {
            re: self.minus(self.times(x.re, y.re), self.times(x.im, y.im)),
            im: self.plus(self.times(x.re, y.im), self.times(x.im, y.re)),
        }
    }

    /// `x` times a real number.
    pub fn scale(&self, x: Row<'c>, factor: f64) -> Row<'c> {
        if factor == 1.0 {
            return x;
        }
        Row { re: self.by(x.re, factor), im: self.by(x.im, factor) }
    }

    /// `x * exp(-2πi * exponent / of)`, with fewer operations at multiples of 1/8.
    fn twiddled(&self, x: Row<'c>, exponent: i64, of: i64) -> Row<'c> {
        let exponent = exponent.rem_euclid(of);
        if exponent == 0 {
            return x;
        }
        if 4 * exponent == of {
            return Row { re: x.im, im: self.builder.same(arith::NEGF, &[x.re]) };
        }
        if 8 * exponent == of {
            let (sum, difference) = (self.plus(x.re, x.im), self.minus(x.im, x.re));
            return self.scale(Row { re: sum, im: difference }, FRAC_1_SQRT_2);
        }
        if 8 * exponent == 3 * of {
            let (sum, difference) = (self.plus(x.re, x.im), self.minus(x.im, x.re));
            return Row {
                re: self.by(difference, FRAC_1_SQRT_2),
                im: self.by(sum, -FRAC_1_SQRT_2),
            };
        }
        let (re, im) = root_of_unity(exponent, of);
        let constant = |value| self.lanes.float(self.builder, self.part, value);
        self.multiply(x, Row { re: constant(re), im: constant(im) })
    }

    /// The transform of `x`, whose length has no prime factor above [`LARGEST_PRIME`].
    pub fn transform(&self, x: &[Row<'c>]) -> Vec<Row<'c>> {
        match x {
            [] | [_] => x.to_vec(),
            [a, b] => vec![self.add(*a, *b), self.sub(*a, *b)],
            [a, b, c, d] => {
                let (sum, difference) = (self.add(*a, *c), self.sub(*a, *c));
                let (odd_sum, odd_difference) = (self.add(*b, *d), self.sub(*b, *d));
                vec![
                    self.add(sum, odd_sum),
                    self.sub_i(difference, odd_difference),
                    self.sub(sum, odd_sum),
                    self.add_i(difference, odd_difference),
                ]
            }
            _ => match split(x.len()) {
                Some(first) => self.composite(x, first),
                None => self.prime(x),
            },
        }
    }

    /// `n = first * second`: input `first * j2 + j1`, output `k2 + second * k1`.
    fn composite(&self, x: &[Row<'c>], first: usize) -> Vec<Row<'c>> {
        let n = x.len();
        let second = n / first;
        let inner: Vec<Vec<_>> = (0..first)
            .map(|j1| {
                let part: Vec<_> = (0..second).map(|j2| x[first * j2 + j1]).collect();
                let transformed = self.transform(&part);
                transformed
                    .into_iter()
                    .enumerate()
                    .map(|(k2, value)| self.twiddled(value, (j1 * k2) as i64, n as i64))
                    .collect()
            })
            .collect();
        let outer: Vec<Vec<_>> = (0..second)
            .map(|k2| self.transform(&inner.iter().map(|part| part[k2]).collect::<Vec<_>>()))
            .collect();
        (0..n).map(|k| outer[k % second][k / second]).collect()
    }

    /// Inputs `j` and `n - j` share their products: their sum is multiplied by cosines, their difference by
    /// sines.
    fn prime(&self, x: &[Row<'c>]) -> Vec<Row<'c>> {
        let n = x.len();
        let half = n / 2;
        let sums: Vec<_> = (1..=half).map(|j| self.add(x[j], x[n - j])).collect();
        let differences: Vec<_> = (1..=half).map(|j| self.sub(x[j], x[n - j])).collect();
        let mut result = vec![x[0]; n];
        result[0] = sums.iter().fold(x[0], |total, sum| self.add(total, *sum));
        for k in 1..=half {
            let mut even = x[0];
            let mut odd: Option<Row<'c>> = None;
            for j in 1..=half {
                let (cos, sin) = root_of_unity((j * k) as i64, n as i64);
                even = self.add(even, self.scale(sums[j - 1], cos));
                let term = self.scale(differences[j - 1], -sin);
                odd = Some(odd.map_or(term, |odd| self.add(odd, term)));
            }
            if let Some(odd) = odd {
                result[k] = self.sub_i(even, odd);
                result[n - k] = self.add_i(even, odd);
            }
        }
        result
    }
}

/// The first factor of a composite length, 4 where it can be.
fn split(n: usize) -> Option<usize> {
    if n.is_multiple_of(4) && n != 8 {
        return Some(4);
    }
    (2..n).take_while(|factor| factor * factor <= n).find(|factor| n.is_multiple_of(*factor))
}

/// The lengths of the codelets whose product is `n`; `None` when it has a larger prime factor.
/// Powers of two are distributed evenly over as few codelets as possible.
pub fn radices(n: i64) -> Option<Vec<i64>> {
    let mut rest = n;
    let twos = rest.trailing_zeros();
    rest >>= twos;
    let mut factors = Vec::new();
    let passes = twos.div_ceil(4);
    for pass in 0..passes {
        let twos = twos / passes + u32::from(pass < twos % passes);
        factors.push(1 << twos);
    }
    for prime in (3..=LARGEST_PRIME).step_by(2) {
        while rest % prime == 0 {
            factors.push(prime);
            rest /= prime;
        }
    }
    (rest == 1).then_some(factors)
}

#[cfg(test)]
mod tests {
    use super::{radices, root_of_unity};

    #[test]
    fn powers_of_two_are_dealt_out_evenly() {
        assert_eq!(radices(1024), Some(vec![16, 8, 8]));
        assert_eq!(radices(60), Some(vec![4, 3, 5]));
        assert_eq!(radices(1), Some(vec![]));
        assert_eq!(radices(74), None);
    }

    #[test]
    fn factors_on_the_axes_are_exact() {
        assert_eq!(root_of_unity(1, 4), (0.0, -1.0));
        assert_eq!(root_of_unity(-2, 4), (-1.0, 0.0));
    }
}
