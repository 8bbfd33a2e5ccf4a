//! Transforms along the first dimension of a panel, a matrix as wide as a vector: Stockham's
//! algorithm, one pass over the panel per codelet.
//!
//! With `length = radix * rest` the length of the remaining transforms and `stride` of them interleaved:
//!
//! ```text
//! y[q + stride * (radix * p + k)] = exp(-2πi p k / length) * transform of x[q + stride * (p + rest * j)] over j at k
//! ```
//! for all `p < rest` and `q < stride`; the next pass has `length = rest`, `stride = stride * radix`.

use strata_ir::{Builder, Type, TypeExt as _, Value, arith, dense_bytes, tensor};
use strata_rewrite::{Guard as _, Outcome};

use super::codelet::{Arithmetic, Row, radices, root_of_unity};
use crate::{
    algorithms::short_vectors::Lanes,
    loops::{Carried, for_loop},
};

/// Real and imaginary parts of complex numbers, a tensor each.
#[derive(Clone, Copy)]
pub struct Planes<'c> {
    /// The real parts.
    pub re: Value<'c>,
    /// The imaginary parts.
    pub im: Value<'c>,
}

impl<'c> Planes<'c> {
    /// New tensors.
    pub fn empty(b: &Builder<'c>, sizes: &[i64], part: Type<'c>) -> Self {
        Self { re: b.empty(sizes, part), im: b.empty(sizes, part) }
    }

    /// From two loop-carried values.
    pub fn of(values: &[Value<'c>]) -> Self {
        Self { re: values[0], im: values[1] }
    }

    /// As loop-carried values.
    pub fn both(self) -> [Value<'c>; 2] {
        [self.re, self.im]
    }

    /// Swaps the parts if `inverse`: an inverse transform is a transform between two swaps.
    pub fn swapped_if(self, inverse: bool) -> Self {
        if inverse { Self { re: self.im, im: self.re } } else { self }
    }

    /// The row at `at`.
    pub fn load(self, b: &Builder<'c>, lanes: Lanes, at: &[Value<'c>]) -> Row<'c> {
        Row { re: lanes.load(b, self.re, at), im: lanes.load(b, self.im, at) }
    }

    /// With `row` at `at`.
    pub fn store(self, b: &Builder<'c>, lanes: Lanes, row: Row<'c>, at: &[Value<'c>]) -> Self {
        Self { re: lanes.store(b, row.re, self.re, at), im: lanes.store(b, row.im, self.im, at) }
    }
}

/// A constant of the shape `sizes` from its elements in row-major order.
pub fn table<'c>(
    b: &Builder<'c>,
    part: Type<'c>,
    sizes: &[i64],
    elements: impl Iterator<Item = f64>,
) -> Outcome<Value<'c>> {
    let single = part.bit_width() == Some(32);
    let mut bytes = Vec::new();
    for element in elements {
        match single {
            true => bytes.extend((element as f32).to_le_bytes()),
            false => bytes.extend(element.to_le_bytes()),
        }
    }
    let ty = tensor(sizes, part);
    let value = dense_bytes(ty, &bytes).or_decline("MLIR refuses the factors")?;
    Ok(b.op(arith::CONSTANT).attr("value", value).result(ty).value())
}

/// `exp(-2πi * exponents / of)` for each element of `exponents`, as two constants.
pub fn roots<'c>(
    b: &Builder<'c>,
    part: Type<'c>,
    sizes: &[i64],
    of: i64,
    exponents: impl Iterator<Item = i64> + Clone,
) -> Outcome<Planes<'c>> {
    let root = move |exponents| root_of_unity(exponents, of);
    Ok(Planes {
        re: table(b, part, sizes, exponents.clone().map(move |at| root(at).0))?,
        im: table(b, part, sizes, exponents.map(move |at| root(at).1))?,
    })
}

/// `base + factor * index`.
pub fn offset<'c>(b: &Builder<'c>, base: Value<'c>, factor: i64, index: Value<'c>) -> Value<'c> {
    let scaled = b.same(arith::MULI, &[index, b.index(factor)]);
    b.same(arith::ADDI, &[base, scaled])
}

/// A loop over `0..extent`; no loop for a single iteration.
pub fn trips<'c>(
    b: &Builder<'c>,
    extent: i64,
    carried: &[Value<'c>],
    body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
) -> Carried<'c> {
    if extent == 1 {
        return body(b, b.index(0), carried);
    }
    for_loop(b, b.index(0), b.index(extent), carried, body)
}

/// Columns of a matrix, as many as a row has lanes.
#[derive(Clone, Copy)]
pub struct Columns<'c> {
    /// The matrix.
    pub planes: Planes<'c>,
    /// The first column.
    pub first: Value<'c>,
}

/// The final operation on values before they are stored: it gets the row and the value.
pub type Finish<'a, 'c> = dyn Fn(&Arithmetic<'_, 'c>, Value<'c>, Row<'c>) -> Row<'c> + 'a;

/// The transforms of `n` rows of columns, finished and stored to other columns.
pub fn transform<'c>(
    b: &Builder<'c>,
    from: Columns<'c>,
    n: i64,
    lanes: Lanes,
    to: Columns<'c>,
    finish: &Finish<'_, 'c>,
) -> Outcome<Planes<'c>> {
    let part = from.planes.re.ty().element();
    let radices = radices(n).or_decline("the length has a large prime factor")?;
    let (mut from, mut length, mut stride) = (from, n, 1);
    for radix in radices {
        let rest = length / radix;
        let last = rest == 1;
        let into = match last {
            true => to,
            false => Columns { planes: Planes::empty(b, &[n, lanes.0], part), first: b.index(0) },
        };
        let keep: &Finish<'_, 'c> = &|_, _, value| value;
        let planes = Pass { radix, rest, stride, lanes, from, to: into }
            .build(b, if last { finish } else { keep })?;
        from = Columns { planes, first: into.first };
        length = rest;
        stride *= radix;
    }
    Ok(from.planes)
}

struct Pass<'c> {
    radix: i64,
    rest: i64,
    stride: i64,
    lanes: Lanes,
    from: Columns<'c>,
    to: Columns<'c>,
}

impl<'c> Pass<'c> {
    fn build(&self, b: &Builder<'c>, finish: &Finish<'_, 'c>) -> Outcome<Planes<'c>> {
        let Self { radix, rest, stride, lanes, from, to } = *self;
        let part = from.planes.re.ty().element();
        let exponents = move || (0..rest).flat_map(move |p| (1..radix).map(move |k| p * k));
        let factors = roots(b, part, &[rest, radix - 1], radix * rest, exponents())?;
        let done = trips(b, rest, &to.planes.both(), |b, p, carried| {
            let mut twiddles = Vec::new();
            if rest > 1 {
                for k in 0..radix - 1 {
                    let at = [p, b.index(k)];
                    let splat = |plane| lanes.splat(b, b.extract(plane, &at));
                    twiddles.push(Row { re: splat(factors.re), im: splat(factors.im) });
                }
            }
            let zero = b.index(0);
            let (reads, writes) = (offset(b, zero, stride, p), offset(b, zero, stride * radix, p));
            trips(b, stride, carried, |b, q, carried| {
                let a = Arithmetic::new(b, lanes, part);
                let row = |base, step: i64| b.same(arith::ADDI, &[base, b.index(step)]);
                let (read, write) =
                    (b.same(arith::ADDI, &[reads, q]), b.same(arith::ADDI, &[writes, q]));
                let x: Vec<_> = (0..radix)
                    .map(|j| {
                        from.planes.load(b, lanes, &[row(read, j * rest * stride), from.first])
                    })
                    .collect();
                let mut planes = Planes::of(carried);
                for (k, value) in a.transform(&x).into_iter().enumerate() {
                    let value = match k.checked_sub(1).and_then(|k| twiddles.get(k)) {
                        Some(twiddle) => a.multiply(value, *twiddle),
                        None => value,
                    };
                    let row = row(write, k as i64 * stride);
                    planes = planes.store(b, lanes, finish(&a, row, value), &[row, to.first]);
                }
                Ok(planes.both().to_vec())
            })
        })?;
        Ok(Planes::of(&done))
    }
}
