//! Where the elements of a temporary come from that loops copy from another tensor, as a panel of an operand is packed.
//!
//! ```mlir
//! %panel = scf.for %j = %c0 to %c16 step %c8 iter_args(%p = %empty) {                  // %panel[k, j] is %a[i + j, k]
//!   %columns = scf.for %k = %c0 to %c128 step %c8 iter_args(%q = %p's columns from %j on) {
//!     %x = vector.transfer_read %a[%i + %j, %k] : vector<8x8xf32>
//!     %y = vector.transpose %x, [1, 0]
//!     %z = vector.transfer_write %y, %q's rows from %k on
//!   }
//! }
//! ```

use strata_ir::{
    AffineMap, AttributeExt as _, Op, TypeExt as _, Value, affine, arith, constant_index, scf,
    tensor, ub, vector,
};

use super::loops::{Start, offsets};

/// The tensor that `copy`, made by loops, is a copy of, and its dimension in which elements have the same place as in dimension `dim` of
/// the copy. `None` if an element of the copy is anything else.
pub fn source<'c>(copy: Value<'c>, dim: usize) -> Option<(Value<'c>, usize)> {
    let whole = copy.owner().filter(|owner| owner.is(scf::FOR))?;
    // What is not copied has no value.
    let start = whole.operand(3 + copy.result_index()?).owner();
    start.filter(|start| start.is(tensor::EMPTY))?;
    let is_other = |op: Op<'c>| {
        !matches!(
            op.name(),
            scf::FOR
                | scf::YIELD
                | affine::APPLY
                | arith::CONSTANT
                | ub::POISON
                | tensor::EXTRACT_SLICE
                | tensor::INSERT_SLICE
                | vector::TRANSFER_READ
                | vector::TRANSFER_WRITE
                | vector::BROADCAST
                | vector::TRANSPOSE
                | vector::EXTRACT
        )
    };
    if !whole.collect(is_other).is_empty() {
        return None;
    }
    let writes = whole.collect(|op| op.is(vector::TRANSFER_WRITE));
    let mut sources = writes.into_iter().map(|write| source_of(write, whole, dim));
    let first = sources.next()??;
    sources.all(|other| other == Some(first)).then_some(first)
}

/// The same of what one write puts there.
fn source_of<'c>(write: Op<'c>, whole: Op<'c>, dim: usize) -> Option<(Value<'c>, usize)> {
    let rank = write.operand(1).ty().rank()?;
    let (read, lanes) = lanes_of(write.operand(0))?;
    let place = place(write, 2, rank, dim)?;
    let mut at: Vec<Value<'c>> = place.counters;
    let mut to = write.operand(1);
    // Slices of what the loops carry.
    loop {
        if let Some((block, index)) = to.block_arg() {
            let each = block.parent_op().filter(|each| each.is(scf::FOR) && index > 0)?;
            if each == whole {
                break;
            }
            to = each.operand(2 + index);
            continue;
        }
        let owner = to.owner()?;
        match owner.name() {
            tensor::EXTRACT_SLICE if owner.operand(0).ty().rank() == Some(rank) => {
                match offsets(owner)?.get(dim)? {
                    Start::At(0) => {}
                    Start::At(_) => return None,
                    Start::Computed(start) => at.push(*start),
                }
                to = owner.operand(0);
            }
            vector::TRANSFER_WRITE | tensor::INSERT_SLICE => to = owner.operand(1),
            scf::FOR => to = owner.operand(3 + to.result_index()?),
            _ => return None,
        }
    }
    let from_rank = read.operand(0).ty().rank()?;
    let is_alike = |other: &usize| {
        let other = self::place(read, 1, from_rank, *other);
        other.is_some_and(|other| {
            let lane = other.lane.map(|lane| lanes.iter().position(|own| *own == Some(lane)));
            other.counters == at && lane == place.lane.map(Some)
        })
    };
    (0..from_rank).find(is_alike).map(|from| (read.operand(0), from))
}

/// The read that a vector's elements come from, and for each of its dimensions the one of what was read; `None` for one of size 1.
fn lanes_of<'c>(value: Value<'c>) -> Option<(Op<'c>, Vec<Option<usize>>)> {
    let owner = value.owner()?;
    let rank = value.ty().rank()?;
    if owner.is(vector::TRANSFER_READ) {
        return Some((owner, (0..rank).map(Some).collect()));
    }
    let (read, lanes) = lanes_of(owner.operand(0))?;
    let lanes = match owner.name() {
        vector::BROADCAST => {
            let more = rank.checked_sub(lanes.len())?;
            let shape = value.ty().shape()?;
            let from = owner.operand(0).ty().shape()?;
            (shape[..more].iter().all(|size| *size == 1) && shape[more..] == from[..])
                .then(|| [vec![None; more], lanes].concat())?
        }
        vector::EXTRACT => {
            let places = owner.attr("static_position")?.as_i64s()?;
            let (gone, kept) = lanes.split_at_checked(places.len())?;
            (places.iter().all(|at| *at == 0) && gone.iter().all(Option::is_none))
                .then(|| kept.to_vec())?
        }
        vector::TRANSPOSE => {
            let order = owner.attr("permutation")?.as_i64s()?;
            order
                .into_iter()
                .map(|from| lanes.get(from as usize).copied())
                .collect::<Option<_>>()?
        }
        _ => return None,
    };
    Some((read, lanes))
}

/// Where a transfer is in a dimension: at the sum of these values, and lanes of that dimension of its vector further on.
struct Place<'c> {
    counters: Vec<Value<'c>>,
    lane: Option<usize>,
}

/// The place in dimension `dim` of a transfer whose indices begin at operand `first`, if it is one value or 0.
fn place<'c>(transfer: Op<'c>, first: usize, rank: usize, dim: usize) -> Option<Place<'c>> {
    let map = transfer.attr("permutation_map").and_then(AffineMap::of)?.projected()?;
    if transfer.operand_count() > first + rank + usize::from(transfer.is(vector::TRANSFER_READ)) {
        // A mask leaves elements out.
        return None;
    }
    let index = *transfer.operands().get(first + dim)?;
    let counters = match constant_index(index) {
        Some(0) => Vec::new(),
        Some(_) => return None,
        None => vec![index],
    };
    let is_inside = transfer.attr("in_bounds").and_then(|list| list.as_array());
    let is_inside =
        is_inside.is_some_and(|list| list.into_iter().all(|one| one.as_bool() == Some(true)));
    (is_inside || map.is_empty())
        .then(|| Place { counters, lane: map.iter().position(|own| *own == dim) })
}
