//! `fft`: transforms of any length in O(n log n), as loops over panels of vectors.
//!
//! The transforms of the columns of a panel are computed in parallel, one per lane ([`panel`]), each pass made of
//! straight-line codelets of the length's factors ([`codelet`]). How the operand is split into panels:
//!
//! * [`columns`]: along a dimension that is not the last, other dimensions give the lanes.
//! * [`mod@line`]: along the last dimension, a line of length `n1 * n2` is a matrix: transforms of its columns, a
//!   twiddle factor for each element, transforms of its rows. Twiddle tables are as long as the square root of
//!   the line's length.
//! * [`bluestein`]: lengths with a prime factor above 31, as a convolution of a length without.
//!
//! A real transform of even length is a complex one of half the length ([`real`]); another one keeps the first
//! half of the complex transform, or restores the other half by symmetry. Transforms of several
//! dimensions go dimension by dimension.

mod bluestein;
mod codelet;
mod columns;
mod line;
mod panel;
mod real;

use strata_ir::{
    Builder, FftType, Op, OpKind, Type, TypeExt as _, Value, complex, linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};
use strata_target::Target;

use crate::{
    dims::{ints, shape},
    generic::{Indexed, generic},
    lowerings::shape::{concatenate, extract_slice, reshape::reshape, reverse::reverse, transpose},
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
        let (builder, target) = (lowerer.builder(), lowerer.target());
        let lengths = ints(op, "fft_length")?;
        let sizes = shape(op.result(0))?;
        if sizes.contains(&0) {
            return Ok(vec![builder.empty(&sizes, op.result(0).ty().element())]);
        }
        let rank = sizes.len();
        let first = rank.checked_sub(lengths.len()).or_decline("there are too few dimensions")?;
        let all: Vec<usize> = (first..rank).collect();
        let length = *lengths.last().or_decline("there is no length")?;
        let x = operands[0];
        let kind = op.attr("fft_type").and_then(FftType::from_attribute);
        // The specification only checks the lengths of real tensors; other lengths are meaningless as well.
        if matches!(kind, Some(FftType::Fft | FftType::Ifft)) && !sizes.ends_with(&lengths) {
            return Err("the lengths are not those of the operand".into());
        }
        let result = match kind {
            Some(FftType::Fft) => transform_all(&builder, target, x, &all, false)?,
            Some(FftType::Ifft) => transform_all(&builder, target, x, &all, true)?,
            Some(FftType::Rfft) => {
                let half = forward_real(&builder, target, x, length)?;
                transform_all(&builder, target, half, &all[..all.len() - 1], false)?
            }
            Some(FftType::Irfft) => {
                let lines = transform_all(&builder, target, x, &all[..all.len() - 1], true)?;
                inverse_real(&builder, target, lines, length)?
            }
            None => return Err("attribute `fft_type` is missing".into()),
        };
        Ok(vec![result])
    }
}

fn transform_all<'c>(
    builder: &Builder<'c>,
    target: &Target,
    value: Value<'c>,
    dims: &[usize],
    inverse: bool,
) -> Outcome<Value<'c>> {
    dims.iter().rev().try_fold(value, |value, dim| transform(builder, target, value, *dim, inverse))
}

/// The transform along one dimension.
fn transform<'c>(
    builder: &Builder<'c>,
    target: &Target,
    value: Value<'c>,
    dim: usize,
    inverse: bool,
) -> Outcome<Value<'c>> {
    let sizes = shape(value)?;
    let before: i64 = sizes[..dim].iter().product();
    let after: i64 = sizes[dim + 1..].iter().product();
    let cube = reshape(builder, value, &[before, sizes[dim], after])?;
    let scaled = inverse && !strata_ir::planted("linalg-fft-scale");
    let scale = if scaled { 1.0 / sizes[dim] as f64 } else { 1.0 };
    let spectrum = cube_transform(builder, target, cube, inverse, scale)?;
    reshape(builder, spectrum, &sizes)
}

/// The transform along the middle dimension, times `scale`.
fn cube_transform<'c>(
    builder: &Builder<'c>,
    target: &Target,
    cube: Value<'c>,
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let [before, length, after] = shape(cube)?[..] else {
        return Err("the operand is not of rank 3".into());
    };
    if length == 1 {
        return Ok(cube);
    }
    if codelet::radices(length).is_none() {
        return bluestein::transform(builder, target, cube, inverse, scale);
    }
    if after > 1 {
        return columns::transform(builder, target, cube, inverse, scale);
    }
    if let Some(split) = line::split(length, before) {
        let rows = reshape(builder, cube, &[before, length])?;
        let lines = line::transform_lines(builder, target, rows, split, inverse, scale)?;
        return reshape(builder, lines, &[before, length, 1]);
    }
    // Short lines are transposed to columns.
    let transposed = transpose(builder, cube, &[2, 1, 0])?;
    let spectrum = columns::transform(builder, target, transposed, inverse, scale)?;
    transpose(builder, spectrum, &[2, 1, 0])
}

/// The first half of the transform of real lines, the last dimension.
fn forward_real<'c>(
    builder: &Builder<'c>,
    target: &Target,
    x: Value<'c>,
    length: i64,
) -> Outcome<Value<'c>> {
    let mut sizes = shape(x)?;
    let rank = sizes.len();
    let lines: i64 = sizes[..rank - 1].iter().product();
    sizes[rank - 1] = length / 2 + 1;
    if length % 2 == 0
        && let Some(split) = line::split(length / 2, lines)
    {
        let rows = reshape(builder, x, &[lines, length])?;
        let half = real::forward(builder, target, rows, split)?;
        return reshape(builder, half, &sizes);
    }
    let complex = complexified(builder, x)?;
    let line = transform(builder, target, complex, rank - 1, false)?;
    Ok(extract_slice(builder, line, &vec![0; rank], &sizes, &vec![1; rank]))
}

/// The real lines of `length` elements whose transforms begin with the lines of `half`.
fn inverse_real<'c>(
    builder: &Builder<'c>,
    target: &Target,
    half: Value<'c>,
    length: i64,
) -> Outcome<Value<'c>> {
    let mut sizes = shape(half)?;
    let rank = sizes.len();
    let lines: i64 = sizes[..rank - 1].iter().product();
    if length % 2 == 0
        && sizes[rank - 1] == length / 2 + 1
        && let Some(split) = line::split(length / 2, lines)
    {
        sizes[rank - 1] = length;
        let rows = reshape(builder, half, &[lines, length / 2 + 1])?;
        let signal = real::inverse(builder, target, rows, split)?;
        return reshape(builder, signal, &sizes);
    }
    let full = symmetric(builder, half, length)?;
    let line = transform(builder, target, full, rank - 1, true)?;
    real_part(builder, line)
}

/// A pointwise change of element type.
fn elementwise<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    element: Type<'c>,
    body: impl FnOnce(&Builder<'c>, Value<'c>) -> Outcome<Value<'c>>,
) -> Outcome<Value<'c>> {
    let sizes = shape(value)?;
    let input = Indexed::identity(value);
    let output = Indexed::identity(builder.empty(&sizes, element));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    Ok(generic(builder, &[input], &[output], &loops, |b, args| Ok(vec![body(b, args[0])?]))?[0])
}

fn complexified<'c>(builder: &Builder<'c>, value: Value<'c>) -> Outcome<Value<'c>> {
    let part = value.ty().element();
    elementwise(builder, value, complex(part), |b, x| {
        let zero = b.float(part, 0.0);
        Ok(b.complex(x, zero))
    })
}

fn real_part<'c>(builder: &Builder<'c>, value: Value<'c>) -> Outcome<Value<'c>> {
    let element = value.ty().element();
    let part = element.complex_element().or_decline("the spectrum is not complex")?;
    elementwise(builder, value, part, |b, x| Ok(b.parts(x)?.0))
}

/// The `length` frequencies of a real signal from the first half: `X[length - k] = conj(X[k])`. The imaginary
/// parts of frequencies that are their own mirror images are ignored.
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
        Ok(if strata_ir::planted("linalg-fft-mirror") { x } else { b.same(complex::CONJ, &[x]) })
    })?;
    let mut full = sizes;
    full[last] = length;
    concatenate(builder, &[half, conjugated], last, &full)
}
