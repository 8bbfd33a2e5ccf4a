//! `sort`, by an algorithm that suits the comparator and the users of the result.
//!
//! * [`radix`]: if the comparator compares one key of either side ([`keys`]), by the digits of the key, O(n).
//! * [`across`]: of those, lines of some length whose elements are their own keys ([`own`]), in the lanes of vectors.
//! * [`quick`]: of those, longer lines, parted in place by compressed vectors.
//! * [`panel`]: of those, several short lines, a lane for each.
//! * [`select`]: of those, if only the first few elements are used, without sorting the others.
//! * [`merge`]: any other comparator, and short lines.
//! * [`ranks`]: few short lines, where less code counts more than time ([`BriefSort`]).
//!
//! All are stable. In programs for sizes up to bounds, only the first elements of each line are sorted where the others are known to
//! come last: they stay where they are ([`open`]).

mod across;
mod insertion;
mod keys;
mod merge;
mod network;
mod open;
mod own;
mod panel;
mod quick;
mod radix;
mod ranks;
mod select;

use strata_ir::{AttributeExt as _, Builder, Op, OpKind, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};
use strata_target::tuning::sorting::max_merged_length;

use crate::{
    dims::{ints, number, shape},
    masked::Masked,
    scalar,
};
use keys::Key;

/// The lowering of `sort`.
pub struct Sort;

impl Lowering for Sort {
    fn name(&self) -> &'static str {
        "sort"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Sort]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let line = Line::of(op, operands)?;
        if line.sizes.contains(&0) || line.length == 1 {
            return Ok(operands.to_vec());
        }
        let is_open = !sizes_panel(op, &line, operands, lowerer);
        if let Some(open) = open::Open::of(op, line.dim, lowerer).filter(|_| is_open) {
            let plain = open.plain(operands);
            let line = Line { valid: Some(open.count(&builder, &line)), ..line };
            let sorted = sorted(op, &line, &plain, Some(&open), lowerer)?;
            let key = op.region(0).first_block().and_then(Key::of);
            // Nothing else is used.
            if key.is_some_and(|key| selected(op, &line, &key).is_some()) {
                return Ok(sorted);
            }
            return open.completed(&builder, &line, operands, &sorted);
        }
        sorted(op, &line, operands, None, lowerer)
    }
}

/// The lowering of `sort` that comes first where a client waits for the compilation.
pub struct BriefSort;

impl Lowering for BriefSort {
    fn name(&self) -> &'static str {
        "brief-sort"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Sort]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let line = Line::of(op, operands)?;
        let is_short = line.length > 1 && !line.sizes.contains(&0);
        is_short.then_some(()).or_decline("there is nothing to sort")?;
        let comparator = op.region(0).first_block().or_decline("its region is empty")?;
        let key = Key::of(comparator).filter(|_| scalar::on_scalars(comparator));
        let key = key.or_decline("the comparator does not compare a key")?;
        let is_whole =
            selected(op, &line, &key).is_none() && open::Open::of(op, line.dim, lowerer).is_none();
        is_whole.then_some(()).or_decline("the first elements are enough")?;
        let ranks = ranks::Ranks::of(&builder, &line, &key, lowerer.target());
        let ranks = ranks.or_decline("lines are long, or many")?;
        ranks.sort(&builder, &line, operands, &key, lowerer)
    }
}

/// Whether all elements of each line are sorted in a panel, which is only made for whole blocks of rows.
fn sizes_panel<'c>(
    op: Op<'c>,
    line: &Line<'c>,
    operands: &[Value<'c>],
    lowerer: &Lowerer<'c>,
) -> bool {
    let key = op.region(0).first_block().and_then(Key::of);
    match (operands, key) {
        ([operand], Some(key)) => key.own(operand.ty().element()).is_some_and(|own| {
            panel::Panel::of(line, &own, lowerer.target()).is_some_and(|panel| !panel.has_blocks())
        }),
        _ => false,
    }
}

/// The first elements of each line in order; what comes after them is not defined.
fn sorted<'c>(
    op: Op<'c>,
    line: &Line<'c>,
    operands: &[Value<'c>],
    open: Option<&open::Open<'c>>,
    lowerer: &mut Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let builder = lowerer.builder();
    let length = line.length;
    let comparator = op.region(0).first_block().or_decline("its region is empty")?;
    // Positions are kept in 32 bits.
    let keyed = scalar::on_scalars(comparator) && i32::try_from(length).is_ok();
    if let Some(key) = Key::of(comparator).filter(|_| keyed) {
        let is_long = length > max_merged_length(key.width);
        if let Some(first) = selected(op, line, &key) {
            let plain = op.operands().into_iter().map(|one| match open {
                Some(_) => Masked::of(one, line.dim).map_or(one, |masked| masked.plain),
                None => one,
            });
            let are_places = plain.map(|one| counts_places(one, line.dim));
            let operands =
                select::Operands { values: operands.to_vec(), are_places: are_places.collect() };
            return select::first(&builder, line, (&operands, open), first, &key, lowerer);
        }
        if let [operand] = operands
            && let Some(own) = key.own(operand.ty().element())
        {
            if let Some(sorted) = quick::sort(&builder, line, *operand, &own, lowerer.target()) {
                return sorted;
            }
            if let Some(sorted) = across::sort(&builder, line, *operand, &own, lowerer.target()) {
                return sorted;
            }
            if let Some(sorted) = panel::sort(&builder, line, *operand, &own, lowerer.target()) {
                return sorted;
            }
            if is_long {
                return radix::sort_own(&builder, lowerer.target(), line, *operand, &own);
            }
        }
        if is_long {
            return radix::sort(&builder, line, operands, &key, lowerer);
        }
    }
    merge::sort(&builder, line, operands, &mut |b, lhs, rhs| {
        // The comparator takes pairs of values, one pair per operand.
        let args: Vec<_> = lhs.iter().zip(rhs).flat_map(|(lhs, rhs)| [*lhs, *rhs]).collect();
        let holds = scalar::inline(comparator, b, &args, lowerer)?;
        holds.first().copied().or_decline("the comparator yields nothing")
    })
}

/// The dimension that is sorted along, and the others.
struct Line<'c> {
    sizes: Vec<i64>,
    dim: usize,
    length: i64,
    /// How many elements are sorted, if not all: an index from 0 to the length.
    valid: Option<Value<'c>>,
}

impl<'c> Line<'c> {
    /// Whole lines.
    fn of(op: Op<'c>, operands: &[Value<'c>]) -> Outcome<Self> {
        let sizes = shape(operands[0])?;
        let rank = sizes.len() as i64;
        let dim = number(op, "dimension")?;
        let dim = if dim < 0 { dim + rank } else { dim } as usize;
        let length = *sizes.get(dim).or_decline("there is no such dimension")?;
        Ok(Self { sizes, dim, length, valid: None })
    }

    /// The number of elements that are sorted.
    fn end(&self, b: &Builder<'c>) -> Value<'c> {
        self.valid.unwrap_or_else(|| b.index(self.length))
    }

    /// The numbers of elements of the dimensions before and after.
    fn around(&self) -> [i64; 2] {
        let [before, after] = [&self.sizes[..self.dim], &self.sizes[self.dim + 1..]];
        [before, after].map(|sizes| sizes.iter().product())
    }

    /// The extents of the other dimensions.
    fn others(&self) -> Vec<i64> {
        let mut others = self.sizes.clone();
        others.remove(self.dim);
        others
    }

    /// The indices of the element at `position` of the line at `others`.
    fn place(&self, others: &[Value<'c>], position: Value<'c>) -> Vec<Value<'c>> {
        let mut at = others.to_vec();
        at.insert(self.dim, position);
        at
    }

    /// The elements at `position` of the line at `others`.
    fn read(
        &self,
        b: &Builder<'c>,
        from: &[Value<'c>],
        others: &[Value<'c>],
        position: Value<'c>,
    ) -> Vec<Value<'c>> {
        let at = self.place(others, position);
        from.iter().map(|value| b.extract(*value, &at)).collect()
    }
}

/// Whether each element of an operand, before it is lowered, is the integer of its place along dimension `dim`.
fn counts_places(operand: Value<'_>, dim: usize) -> bool {
    let iota = operand.owner().filter(|owner| owner.kind() == OpKind::Iota);
    let along = iota.and_then(|iota| number(iota, "iota_dimension").ok());
    along == Some(dim as i64) && operand.ty().element().is_int()
}

/// The number of leading elements of each line that are selected instead of sorting the line.
fn selected(op: Op<'_>, line: &Line<'_>, key: &Key<'_>) -> Option<i64> {
    used_of(op, line).filter(|first| select::pays(*first, line.length, key))
}

/// The number of leading elements of each line that are used, if all users are slices.
fn used_of(op: Op<'_>, line: &Line<'_>) -> Option<i64> {
    let mut used = 0;
    for user in op.results().into_iter().flat_map(Value::uses).map(|(user, _)| user) {
        if user.kind() != OpKind::Slice {
            return None;
        }
        let whole = user.result(0).ty().shape()?;
        let from_start = ints(user, "start_indices").ok()?.iter().all(|start| *start == 0)
            && user.attr("strides")?.as_i64s()?.iter().all(|stride| *stride == 1)
            && (0..whole.len()).all(|dim| dim == line.dim || whole[dim] == line.sizes[dim]);
        if !from_start {
            return None;
        }
        used = used.max(whole[line.dim]);
    }
    (used > 0).then_some(used)
}
