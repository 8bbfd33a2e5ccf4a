//! Real transforms of even length `2 h` through complex ones of length `h`.
//!
//! Two neighbours of the real line make one complex number; with `Z` the transform of those and `w` =
//! exp(-πi k / h),
//!
//! ```text
//! X[k] = (Z[k] + conj Z[h - k]) / 2 - i w (Z[k] - conj Z[h - k]) / 2        for 0 < k < h
//! X[0] = re Z[0] + im Z[0]        X[h] = re Z[0] - im Z[0]
//! ```
//! and back `Z[k] = (X[k] + conj X[h - k]) + i conj w (X[k] - conj X[h - k])`, twice the one above. The imaginary
//! parts of `X[0]` and `X[h]` are ignored.

use strata_ir::{
    AffineExpr, Builder, Type, TypeExt as _, Value, arith, complex, linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::Target;

use super::{
    line::{Split, transform_line},
    panel::{Planes, roots, trips},
};
use crate::{
    algorithms::short_vectors::{insert_block, insert_run, slice_run},
    dims::shape,
    generic::{Indexed, generic, loop_index},
    loops::insert,
    lowerings::shape::reshape::reshape,
};

/// The first `h + 1` frequencies of the real rows of a matrix.
pub fn forward<'c>(
    b: &Builder<'c>,
    target: &Target,
    rows: Value<'c>,
    split: Split,
) -> Outcome<Value<'c>> {
    let part = rows.ty().element();
    let [lines, length] = shape(rows)?[..] else {
        return Err("the operand is not a matrix".into());
    };
    let half = length / 2;
    let result = b.empty(&[lines, half + 1], complex(part));
    let done = trips(b, lines, &[result], |b, line, carried| {
        let pairs = slice_run(b, rows, &[line, b.index(0)], length);
        let z = transform_line(b, target, split_pairs(b, pairs)?, split, false)?;
        let first = [z.re, z.im].map(|plane| b.extract(plane, &[b.index(0)]));
        let zero = b.float(part, 0.0);
        let low = b.complex(b.same(arith::ADDF, &first), zero);
        let high = b.complex(b.same(arith::SUBF, &first), zero);
        let result = insert(b, low, carried[0], &[line, b.index(0)]);
        let result = insert(b, high, result, &[line, b.index(half)]);
        let [re, im] = [z.re, z.im].map(|plane| slice_run(b, plane, &[b.index(1)], half - 1));
        let inner = mirrored(b, half, part, &[re, im], &[complex(part)], |b, z, m, w| {
            let [x, y] = combine(b, (z[0], z[1]), (m[0], m[1]), w, 0.5);
            Ok(vec![b.complex(x, y)])
        })?;
        Ok(vec![insert_run(b, inner[0], result, &[line, b.index(1)])])
    })?;
    Ok(done[0])
}

/// The real rows whose first `h + 1` frequencies are the rows of a matrix.
pub fn inverse<'c>(
    b: &Builder<'c>,
    target: &Target,
    rows: Value<'c>,
    split: Split,
) -> Outcome<Value<'c>> {
    let part = rows.ty().element().complex_element().or_decline("the operand is not complex")?;
    let [lines, count] = shape(rows)?[..] else { return Err("the operand is not a matrix".into()) };
    let half = count - 1;
    let result = b.empty(&[lines, half, 2], part);
    let done = trips(b, lines, &[result], |b, line, carried| {
        let at = |index: i64| b.parts(b.extract(rows, &[line, b.index(index)]));
        let (low, high) = (at(0)?.0, at(half)?.0);
        let ends = [b.same(arith::ADDF, &[low, high]), b.same(arith::SUBF, &[low, high])];
        let run = slice_run(b, rows, &[line, b.index(1)], half - 1);
        let inner = mirrored(b, half, part, &[run], &[part, part], |b, x, m, w| {
            // The factor is the negated conjugate of the forward one.
            let w = (b.same(arith::NEGF, &[w.0]), w.1);
            Ok(combine(b, b.parts(x[0])?, b.parts(m[0])?, w, 1.0).to_vec())
        })?;
        let planes = Planes::empty(b, &[half], part).both();
        let mut whole = Vec::new();
        for ((plane, inner), end) in planes.into_iter().zip(inner).zip(ends) {
            let plane = insert(b, end, plane, &[b.index(0)]);
            whole.push(insert_run(b, inner, plane, &[b.index(1)]));
        }
        let z = transform_line(b, target, Planes::of(&whole), split, true)?;
        let pairs = paired(b, z, 0.5 / half as f64)?;
        Ok(vec![insert_block(b, pairs, carried[0], &[line, b.index(0), b.index(0)])])
    })?;
    reshape(b, done[0], &[lines, 2 * half])
}

/// The even and the odd elements of a vector.
fn split_pairs<'c>(b: &Builder<'c>, pairs: Value<'c>) -> Outcome<Planes<'c>> {
    let half = shape(pairs)?[0] / 2;
    let to = Planes::empty(b, &[half], pairs.ty().element()).both();
    let to = to.map(Indexed::identity);
    let every_other = |first| Indexed::at(pairs, 1, vec![AffineExpr::dim(0) * 2 + first]);
    let from = [every_other(0), every_other(1)];
    let parts =
        generic(b, &from, &to, &[IteratorType::Parallel], |_, args| Ok(args[..2].to_vec()))?;
    Ok(Planes::of(&parts))
}

/// The sum and `-i w` times the difference of `z` and the conjugate of `m`, both times `factor`: before they are added, since the sum may
/// be too large where half of it is not.
fn combine<'c>(
    b: &Builder<'c>,
    z: (Value<'c>, Value<'c>),
    m: (Value<'c>, Value<'c>),
    w: (Value<'c>, Value<'c>),
    factor: f64,
) -> [Value<'c>; 2] {
    let add = |x, y| b.same(arith::ADDF, &[x, y]);
    let sub = |x, y| b.same(arith::SUBF, &[x, y]);
    let mul = |x, y| b.same(arith::MULF, &[x, y]);
    let scaled = |x: Value<'c>| if factor == 1.0 { x } else { mul(x, b.float(x.ty(), factor)) };
    let (z, m) = ((scaled(z.0), scaled(z.1)), (scaled(m.0), scaled(m.1)));
    let (sum_re, sum_im) = (add(z.0, m.0), sub(z.1, m.1));
    let (re, im) = (sub(z.0, m.0), add(z.1, m.1));
    let re_part = add(sum_re, add(mul(w.0, im), mul(w.1, re)));
    let im_part = add(sum_im, sub(mul(w.1, im), mul(w.0, re)));
    [re_part, im_part]
}

/// A nest over `0 < k < half`: `body` gets the elements of `runs` at `k`, those at `half - k`, and exp(-πi k / half).
fn mirrored<'c>(
    b: &Builder<'c>,
    half: i64,
    part: Type<'c>,
    runs: &[Value<'c>],
    to: &[Type<'c>],
    body: impl FnOnce(
        &Builder<'c>,
        &[Value<'c>],
        &[Value<'c>],
        (Value<'c>, Value<'c>),
    ) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let inner = half - 1;
    let factors = roots(b, part, &[inner], 2 * half, 1..half)?;
    let mut from: Vec<_> = runs.iter().map(|run| Indexed::identity(*run)).collect();
    for run in runs {
        from.push(Indexed::at(*run, 1, vec![AffineExpr::dim(0) * -1 + (inner - 1)]));
    }
    from.extend(factors.both().map(Indexed::identity));
    let to: Vec<_> =
        to.iter().map(|element| Indexed::identity(b.empty(&[inner], *element))).collect();
    let count = runs.len();
    generic(b, &from, &to, &[IteratorType::Parallel], |b, args| {
        let factor = (args[2 * count], args[2 * count + 1]);
        body(b, &args[..count], &args[count..2 * count], factor)
    })
}

/// Real and imaginary parts interleaved, times `scale`: a vector twice as long.
fn paired<'c>(b: &Builder<'c>, z: Planes<'c>, scale: f64) -> Outcome<Value<'c>> {
    let part = z.re.ty().element();
    let count = shape(z.re)?[0];
    let from = z.both().map(|plane| Indexed::by(plane, 2, &[0]));
    let to = Indexed::identity(b.empty(&[count, 2], part));
    let pairs = generic(b, &from, &[to], &[IteratorType::Parallel; 2], |b, args| {
        let side = loop_index(b, 1);
        let first = b.cmpi(arith::CmpIPredicate::Eq, side, b.index(0));
        let value = b.select(first, args[0], args[1]);
        Ok(vec![b.same(arith::MULF, &[value, b.float(part, scale)])])
    })?;
    Ok(pairs[0])
}
