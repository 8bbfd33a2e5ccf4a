//! One-dimensional vectors assembled from lanes of others.

use strata_ir::{Builder, TypeExt as _, Value, vector};

use super::Outcome;

/// A lane of a vector.
pub(super) type Origin<'c> = (Value<'c>, i64);

/// The source of each lane of a row.
pub(super) fn origins<'c>(row: &[Value<'c>]) -> Vec<Origin<'c>> {
    row.iter().flat_map(|piece| (0..width_of(*piece)).map(move |lane| (*piece, lane))).collect()
}

/// A row of arbitrary lanes as pieces of these widths.
pub(super) fn cut<'c>(
    emit: Builder<'c>,
    lanes: &[Origin<'c>],
    widths: &[i64],
) -> Outcome<Vec<Value<'c>>> {
    let mut rest = lanes;
    widths
        .iter()
        .map(|width| {
            let (own, others) =
                rest.split_at_checked(*width as usize).ok_or("a row is too short")?;
            rest = others;
            gather(emit, own)
        })
        .collect()
}

/// One vector of arbitrary lanes: a shuffle for each source vector, all of the width of the result,
/// so that no intermediate one is wider than legal.
pub(super) fn gather<'c>(emit: Builder<'c>, lanes: &[Origin<'c>]) -> Outcome<Value<'c>> {
    let (first, _) = *lanes.first().ok_or("a vector without lanes")?;
    let width = lanes.len() as i64;
    let in_order = lanes.iter().enumerate().all(|(at, lane)| *lane == (first, at as i64));
    if in_order && width_of(first) == width {
        return Ok(first);
    }
    let mask_of_first = lanes.iter().map(|(from, lane)| if *from == first { *lane } else { 0 });
    let mut whole = emit.shuffle(first, first, &mask_of_first.collect::<Vec<_>>());
    let mut done = vec![first];
    for (piece, _) in lanes {
        if done.contains(piece) {
            continue;
        }
        done.push(*piece);
        let mask: Vec<i64> = lanes
            .iter()
            .enumerate()
            .map(|(at, (from, lane))| if from == piece { width + lane } else { at as i64 })
            .collect();
        whole = emit.shuffle(whole, *piece, &mask);
    }
    Ok(whole)
}

/// A one-dimensional vector of scalars.
pub(super) fn from_scalars<'c>(emit: Builder<'c>, scalars: &[Value<'c>]) -> Value<'c> {
    let ty = vector(&[scalars.len() as i64], scalars[0].ty());
    if scalars.iter().all(|one| *one == scalars[0]) {
        return emit.broadcast(scalars[0], ty);
    }
    let mut whole = emit.zero(ty);
    for (lane, scalar) in scalars.iter().enumerate() {
        whole = emit.with_lane(whole, *scalar, lane as i64);
    }
    whole
}

/// The lanes of a one-dimensional vector.
pub(super) fn width_of(value: Value<'_>) -> i64 {
    value.ty().shape().and_then(|shape| shape.last().copied()).unwrap_or(1)
}
