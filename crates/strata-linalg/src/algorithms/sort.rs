//! `sort`, by an algorithm that suits the comparator and the users of the result.
//!
//! * [`radix`]: if the comparator compares one key of either side ([`keys`]), by the digits of the key, O(n).
//! * [`panel`]: of those, several short lines whose elements are their own keys ([`own`]), in parallel.
//! * [`select`]: of those, if only the first few elements are used, without sorting the others.
//! * [`merge`]: any other comparator, and short lines.
//!
//! All are stable.

mod insertion;
mod keys;
mod merge;
mod network;
mod own;
mod panel;
mod radix;
mod select;

use strata_ir::{
    AttributeExt as _, Op, OpKind, TypeExt as _, Value, tuning::sorting::MAX_MERGED_LENGTH,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints, number, shape},
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
        let sizes = shape(operands[0])?;
        let rank = sizes.len() as i64;
        let dim = number(op, "dimension")?;
        let dim = if dim < 0 { dim + rank } else { dim } as usize;
        let length = *sizes.get(dim).or_decline("there is no such dimension")?;
        if sizes.contains(&0) || length == 1 {
            return Ok(operands.to_vec());
        }
        let comparator = op.region(0).first_block().or_decline("its region is empty")?;
        let line = Line { sizes, dim, length };
        // Positions are kept in 32 bits.
        let keyed = scalar::on_scalars(comparator) && i32::try_from(length).is_ok();
        if let Some(key) = Key::of(comparator).filter(|_| keyed) {
            if let Some(first) =
                used_of(op, &line).filter(|first| select::pays(*first, length, &key))
            {
                return select::first(&builder, &line, operands, first, &key, lowerer);
            }
            if let [operand] = operands
                && let Some(own) = key.own(operand.ty().element())
            {
                if let Some(sorted) = panel::sort(&builder, &line, *operand, &own, lowerer.target())
                {
                    return sorted;
                }
                if length > MAX_MERGED_LENGTH {
                    return radix::sort_own(&builder, lowerer.target(), &line, *operand, &own);
                }
            }
            if length > MAX_MERGED_LENGTH {
                return radix::sort(&builder, &line, operands, &key, lowerer);
            }
        }
        merge::sort(&builder, &line, operands, &mut |b, lhs, rhs| {
            // The comparator takes pairs of values, one pair per operand.
            let args: Vec<_> = lhs.iter().zip(rhs).flat_map(|(lhs, rhs)| [*lhs, *rhs]).collect();
            let holds = scalar::inline(comparator, b, &args, lowerer)?;
            holds.first().copied().or_decline("the comparator yields nothing")
        })
    }
}

/// The dimension that is sorted along, and the others.
struct Line {
    sizes: Vec<i64>,
    dim: usize,
    length: i64,
}

impl Line {
    /// The extents of the other dimensions.
    fn others(&self) -> Vec<i64> {
        let mut others = self.sizes.clone();
        others.remove(self.dim);
        others
    }

    /// The indices of the element at `position` of the line at `others`.
    fn place<'c>(&self, others: &[Value<'c>], position: Value<'c>) -> Vec<Value<'c>> {
        let mut at = others.to_vec();
        at.insert(self.dim, position);
        at
    }

    /// The elements at `position` of the line at `others`.
    fn read<'c>(
        &self,
        b: &strata_ir::Builder<'c>,
        from: &[Value<'c>],
        others: &[Value<'c>],
        position: Value<'c>,
    ) -> Vec<Value<'c>> {
        let at = self.place(others, position);
        from.iter().map(|value| b.extract(*value, &at)).collect()
    }
}

/// The number of leading elements of each line that are used, if all users are slices.
fn used_of(op: Op<'_>, line: &Line) -> Option<i64> {
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
