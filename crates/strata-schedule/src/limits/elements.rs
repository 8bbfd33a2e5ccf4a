//! Elements of tensors around it that a body reads at places that are inside, whatever numbers it is given, and slices at places that
//! are known to be below a number.
//!
//! ```mlir
//! %r = linalg.generic … ins(%ids : tensor<128xi32>) {    // of which the first d0 are needed
//!   %row = linalg.index 0
//!   %at = arith.minsi (arith.maxsi %id, 0), 63
//!   %x = tensor.extract %table[%row, %at]                // of a tensor<128x64xf32>, whose first d0 rows are needed
//! }
//! ```

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Op, TypeExt as _, Value, arith, constant_index, linalg, tensor,
};

use super::{
    Bound, Need,
    facts::{Fact, Facts},
    loops::{Start, offsets},
};

/// Whether an operation of a body with these loops reads an element that is there.
pub fn is_inside(read: Op<'_>, extents: &[i64]) -> bool {
    let Some(shape) = read.is(tensor::EXTRACT).then(|| read.operand(0).ty().shape()).flatten()
    else {
        return false;
    };
    let places = read.operands().into_iter().skip(1);
    places.zip(shape).all(|(place, extent)| {
        interval(place, extents).is_some_and(|[least, most]| 0 <= least && most < extent)
    })
}

/// What it needs of each dimension of that tensor, where `needs` of the iterations of each loop are needed, and `facts` are those of the body:
/// a place that is at most a number needs what is up to it.
pub fn needs<'c>(read: Op<'c>, needs: &[Need], facts: &HashMap<Value<'c>, Fact>) -> Vec<Need> {
    let need = |place: Value<'c>| match place.owner().filter(|owner| owner.is(linalg::INDEX)) {
        Some(index) => counter(index).and_then(|at| needs.get(at).copied()).unwrap_or(Need::All),
        None => match facts.get(&place) {
            Some(Fact::Number { bound, .. }) => bound.plus(1).map_or(Need::All, Need::Below),
            _ => Need::All,
        },
    };
    read.operands().into_iter().skip(1).map(need).collect()
}

/// What a slice at places that are known to be below something needs of `value`, a tensor from around a loop.
pub fn sliced<'c>(op: Op<'c>, value: Value<'c>, facts: &Facts<'c>) -> Option<Vec<Need>> {
    let is_slice = op.is(tensor::EXTRACT_SLICE) && op.operand(0) == value;
    let starts = is_slice.then(|| offsets(op)).flatten()?;
    let sizes = op.attr("static_sizes")?.as_i64s()?;
    let needs = starts.into_iter().zip(sizes).map(|(start, size)| match start {
        Start::Computed(start) => match facts.get(start) {
            Some(Fact::Number { bound, .. }) if size >= 0 => {
                bound.plus(size).map_or(Need::All, Need::Below)
            }
            _ => Need::All,
        },
        Start::At(_) => Need::All,
    });
    Some(needs.collect())
}

/// The loop whose counter `linalg.index` is.
fn counter(index: Op<'_>) -> Option<usize> {
    usize::try_from(index.attr("dim")?.as_i64()?).ok()
}

/// The smallest and the largest value of an integer in a body with these loops, as far as it says.
fn interval(value: Value<'_>, extents: &[i64]) -> Option<[i64; 2]> {
    const ANY: [i64; 2] = [i64::MIN, i64::MAX];
    if let Some(number) = constant_index(value) {
        return Some([number, number]);
    }
    let Some(owner) = value.owner() else { return Some(ANY) };
    let of = |at: usize| interval(owner.operand(at), extents);
    let both = |join: fn(i64, i64) -> i64| {
        let ([least, most], [other_least, other_most]) = (of(0)?, of(1)?);
        Some([join(least, other_least), join(most, other_most)])
    };
    match owner.name() {
        linalg::INDEX => Some([0, extents.get(counter(owner)?)? - 1]),
        arith::MAXSI => both(i64::max),
        arith::MINSI => both(i64::min),
        // A number that is not negative is at least as small as one that is, of which the highest bit is set.
        arith::MINUI => {
            let mosts = [0, 1].map(|at| of(at).filter(|[least, _]| *least >= 0));
            let most = mosts.into_iter().flatten().map(|[_, most]| most).min()?;
            Some([0, most])
        }
        arith::ADDI if value.ty().is_index() => {
            let ([least, most], [other_least, other_most]) = (of(0)?, of(1)?);
            Some([least.checked_add(other_least)?, most.checked_add(other_most)?])
        }
        arith::EXTSI => of(0),
        arith::INDEX_CAST if value.ty().is_index() => of(0),
        _ => Some(ANY),
    }
}

/// What is known of a tensor that was `fact` before something was inserted: the rest is as it was. `most` is what a place is at most.
pub fn inserted<'c>(
    op: Op<'c>,
    fact: &Fact,
    most: impl Fn(Value<'c>) -> Option<Bound>,
) -> Option<Fact> {
    let Fact::Filled(list, constant) = fact else { return None };
    let (starts, sizes) = (offsets(op)?, op.attr("static_sizes")?.as_i64s()?);
    let from = |(dim, bound): &(usize, Bound)| {
        let size = sizes.get(*dim).copied().filter(|size| *size >= 0)?;
        let end = match starts.get(*dim)? {
            Start::At(at) => Bound { scale: 1, more: at.checked_add(size)?, by: 1, ..*bound },
            Start::Computed(start) => most(*start)?.plus(size)?,
        };
        Some((*dim, bound.or(end)?))
    };
    let kept: Vec<_> = list.iter().filter_map(from).collect();
    (!kept.is_empty()).then_some(Fact::Filled(kept, *constant))
}
