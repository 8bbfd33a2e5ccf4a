//! `fft`: mixed-radix decimation, one nest per prime factor of the length.
//!
//! With `n = r * m`, input index `j1 * m + j2` and output index `k1 + r * k2`:
//!
//! ```text
//! y[k1, j2] = exp(-2πi k1 j2 / n) * sum over j1 of exp(-2πi k1 j1 / r) * x[j1, j2]      a nest
//! X[k1 + r * k2] = the transform of length m of y[k1, :] at k2                          recursively
//! ```
//!
//! The factors of the transform are constants. An inverse transform conjugates them and divides by the
//! length. A real transform keeps the first half of the complex one, its inverse restores the other
//! half by symmetry. Transforms of several dimensions go dimension by dimension.

use std::f64::consts::TAU;

use strata_ir::{Builder, FftType, Op, OpKind, Type, TypeExt as _, Value, dense_bytes, tensor};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints, shape},
    emit::{Emit as _, complex_of},
    generic::{Indexed, Loop, generic},
    reshape::reshape,
    shape::{concatenate, extract_slice, reverse, transpose},
};

/// The lowering of `fft`.
pub struct Fft;

impl Lowering for Fft {
    fn name(&self) -> &'static str {
        "fft"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Fft]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let lengths = ints(op, "fft_length")?;
        let sizes = shape(op.result(0))?;
        if sizes.contains(&0) {
            return Ok(vec![builder.empty(&sizes, op.result(0).ty().element())]);
        }
        let rank = sizes.len();
        let first = rank.checked_sub(lengths.len()).or_decline("there are too few dimensions")?;
        let all: Vec<usize> = (first..rank).collect();
        let x = operands[0];
        let result = match op.attr("fft_type").and_then(FftType::from_attribute) {
            Some(FftType::Fft) => transform_all(&builder, x, &all, false)?,
            Some(FftType::Ifft) => transform_all(&builder, x, &all, true)?,
            Some(FftType::Rfft) => {
                let complex = complexified(&builder, x)?;
                let line = transform(&builder, complex, rank - 1, false)?;
                let half =
                    extract_slice(&builder, line, &vec![0; rank], &halved(line)?, &vec![1; rank]);
                transform_all(&builder, half, &all[..all.len() - 1], false)?
            }
            Some(FftType::Irfft) => {
                let lines = transform_all(&builder, x, &all[..all.len() - 1], true)?;
                let length = *lengths.last().or_decline("there is no length")?;
                let full = symmetric(&builder, lines, length)?;
                let line = transform(&builder, full, rank - 1, true)?;
                real_part(&builder, line)?
            }
            None => return Err("attribute `fft_type` is missing".into()),
        };
        Ok(vec![result])
    }
}

/// The shape with only the frequencies that a real transform keeps.
fn halved(value: Value<'_>) -> Outcome<Vec<i64>> {
    let mut sizes = shape(value)?;
    if let Some(last) = sizes.last_mut() {
        *last = *last / 2 + 1;
    }
    Ok(sizes)
}

fn transform_all<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    dims: &[usize],
    inverse: bool,
) -> Outcome<Value<'c>> {
    dims.iter().rev().try_fold(value, |value, dim| transform(builder, value, *dim, inverse))
}

/// The transform along one dimension.
fn transform<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    dim: usize,
    inverse: bool,
) -> Outcome<Value<'c>> {
    let sizes = shape(value)?;
    let rank = sizes.len();
    let length = sizes[dim];
    if length == 1 {
        return Ok(value);
    }
    let mut to_last: Vec<usize> = (0..rank).filter(|other| *other != dim).collect();
    to_last.push(dim);
    let moved = transpose(builder, value, &to_last)?;
    let moved_sizes = shape(moved)?;
    let lines: i64 = moved_sizes[..rank - 1].iter().product();
    let flat = reshape(builder, moved, &[lines, length])?;
    let scale = if inverse { 1.0 / length as f64 } else { 1.0 };
    let spectrum = lines_transform(builder, flat, lines, length, inverse, scale)?;
    let spectrum = reshape(builder, spectrum, &moved_sizes)?;
    let back: Vec<usize> =
        (0..rank).map(|to| to_last.iter().position(|from| *from == to).unwrap_or(to)).collect();
    transpose(builder, spectrum, &back)
}

/// The transform of each row of a `lines x length` matrix, times `scale`.
fn lines_transform<'c>(
    builder: &Builder<'c>,
    rows: Value<'c>,
    lines: i64,
    length: i64,
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let radix = radix(length);
    let rest = length / radix;
    let split = reshape(builder, rows, &[lines, radix, rest])?;
    let mixed = butterflies(builder, split, [lines, radix, rest], inverse, scale)?;
    if rest == 1 {
        return reshape(builder, mixed, &[lines, length]);
    }
    let inner = reshape(builder, mixed, &[lines * radix, rest])?;
    let inner = lines_transform(builder, inner, lines * radix, rest, inverse, 1.0)?;
    let inner = reshape(builder, inner, &[lines, radix, rest])?;
    let ordered = transpose(builder, inner, &[0, 2, 1])?;
    reshape(builder, ordered, &[lines, length])
}

/// 4 where it divides the length, else its smallest prime factor.
fn radix(length: i64) -> i64 {
    if length % 4 == 0 {
        return 4;
    }
    (2..).take_while(|factor| factor * factor <= length).find(|f| length % f == 0).unwrap_or(length)
}

/// The complex number `exp(∓2πi * turns / of)`, exact where it is on an axis.
fn root_of_unity(turns: i64, of: i64, inverse: bool) -> (f64, f64) {
    let turns = turns.rem_euclid(of);
    let sign = if inverse { 1.0 } else { -1.0 };
    match (4 * turns).checked_rem(of) {
        Some(0) => match 4 * turns / of {
            0 => (1.0, 0.0),
            1 => (0.0, sign),
            2 => (-1.0, 0.0),
            _ => (0.0, -sign),
        },
        _ => {
            let (sin, cos) = (TAU * turns as f64 / of as f64).sin_cos();
            (cos, sign * sin)
        }
    }
}

/// A constant matrix of complex numbers.
fn table<'c>(
    builder: &Builder<'c>,
    element: Type<'c>,
    [rows, columns]: [i64; 2],
    at: impl Fn(i64, i64) -> (f64, f64),
) -> Outcome<Value<'c>> {
    let single = element.bit_width() == Some(64);
    let mut bytes = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let (re, im) = at(row, column);
            for part in [re, im] {
                match single {
                    true => bytes.extend((part as f32).to_le_bytes()),
                    false => bytes.extend(part.to_le_bytes()),
                }
            }
        }
    }
    let ty = tensor(&[rows, columns], element);
    let value = dense_bytes(ty, &bytes).or_decline("MLIR refuses the factors")?;
    Ok(builder.op("arith.constant").attr("value", value).result(ty).value())
}

/// `y[l, k, j] = scale * w[k, j] * sum over i of f[k, i] * x[l, i, j]`.
fn butterflies<'c>(
    builder: &Builder<'c>,
    x: Value<'c>,
    [lines, radix, rest]: [i64; 3],
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let element = x.ty().element();
    let factors =
        table(builder, element, [radix, radix], |k, i| root_of_unity(k * i, radix, inverse))?;
    let zeros = builder.filled(builder.number(element, 0.0), &[lines, radix, rest]);
    let inputs =
        [Indexed::by(builder, factors, 4, &[1, 3]), Indexed::by(builder, x, 4, &[0, 3, 2])];
    let output = Indexed::by(builder, zeros, 4, &[0, 1, 2]);
    let mut loops = vec![Loop::Parallel; 3];
    loops.push(Loop::Reduction);
    let sums = generic(builder, &inputs, &[output], &loops, |b, args| {
        let product = multiply(b, args[0], args[1])?;
        Ok(vec![b.same("complex.add", &[args[2], product])])
    })?;
    if rest == 1 && scale == 1.0 {
        return Ok(sums[0]);
    }
    let twiddles = table(builder, element, [radix, rest], |k, j| {
        let (re, im) = root_of_unity(k * j, radix * rest, inverse);
        (scale * re, scale * im)
    })?;
    let inputs = [Indexed::identity(builder, sums[0]), Indexed::by(builder, twiddles, 3, &[1, 2])];
    let output = Indexed::identity(builder, builder.empty(&[lines, radix, rest], element));
    let turned = generic(builder, &inputs, &[output], &[Loop::Parallel; 3], |b, args| {
        Ok(vec![multiply(b, args[0], args[1])?])
    })?;
    Ok(turned[0])
}

/// The product of finite numbers, without the cases that infinities would need.
fn multiply<'c>(b: &Builder<'c>, x: Value<'c>, y: Value<'c>) -> Outcome<Value<'c>> {
    let ((xr, xi), (yr, yi)) = (b.parts(x)?, b.parts(y)?);
    let product = |x, y| b.same("arith.mulf", &[x, y]);
    let re = b.same("arith.subf", &[product(xr, yr), product(xi, yi)]);
    let im = b.same("arith.addf", &[product(xr, yi), product(xi, yr)]);
    Ok(b.complex(re, im))
}

/// A pointwise change of element type.
fn elementwise<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    element: Type<'c>,
    body: impl FnOnce(&Builder<'c>, Value<'c>) -> Outcome<Value<'c>>,
) -> Outcome<Value<'c>> {
    let sizes = shape(value)?;
    let input = Indexed::identity(builder, value);
    let output = Indexed::identity(builder, builder.empty(&sizes, element));
    let loops = vec![Loop::Parallel; sizes.len()];
    Ok(generic(builder, &[input], &[output], &loops, |b, args| Ok(vec![body(b, args[0])?]))?[0])
}

fn complexified<'c>(builder: &Builder<'c>, value: Value<'c>) -> Outcome<Value<'c>> {
    let part = value.ty().element();
    elementwise(builder, value, complex_of(builder, part), |b, x| {
        let zero = b.float(part, 0.0);
        Ok(b.complex(x, zero))
    })
}

fn real_part<'c>(builder: &Builder<'c>, value: Value<'c>) -> Outcome<Value<'c>> {
    let element = value.ty().element();
    let part = element.complex_element().or_decline("the spectrum is not complex")?;
    elementwise(builder, value, part, |b, x| Ok(b.parts(x)?.0))
}

/// The `length` frequencies of a real signal from the first half: `X[length - k] = conj(X[k])`. The
/// imaginary parts of the frequencies that are their own mirror images do not count.
fn symmetric<'c>(builder: &Builder<'c>, half: Value<'c>, length: i64) -> Outcome<Value<'c>> {
    let sizes = shape(half)?;
    let last = sizes.len().checked_sub(1).or_decline("the operand has no dimension")?;
    let ones = vec![1; sizes.len()];
    let mirrored = length - sizes[last];
    if mirrored <= 0 {
        return Ok(half);
    }
    let mut offsets = vec![0; sizes.len()];
    offsets[last] = 1;
    let mut extent = sizes.clone();
    extent[last] = mirrored;
    let inner = extract_slice(builder, half, &offsets, &extent, &ones);
    let backwards = reverse(builder, inner, &[last])?;
    let conjugated = elementwise(builder, backwards, half.ty().element(), |b, x| {
        Ok(b.same("complex.conj", &[x]))
    })?;
    let mut full = sizes;
    full[last] = length;
    concatenate(builder, &[half, conjugated], last, &full)
}

#[cfg(test)]
mod tests {
    use super::{radix, root_of_unity};

    #[test]
    fn lengths_are_split_into_fours_and_primes() {
        assert_eq!([radix(8), radix(6), radix(15), radix(17), radix(2)], [4, 2, 3, 17, 2]);
    }

    #[test]
    fn factors_on_the_axes_are_exact() {
        assert_eq!(root_of_unity(1, 4, false), (0.0, -1.0));
        assert_eq!(root_of_unity(-2, 4, true), (-1.0, 0.0));
    }
}
