//! Comparisons of a place with a size ([`MASK`]) in iterations in which the place is below it: they are true.
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c1 {
//!   %m = arith.cmpi slt, %p, %size {strata.mask = [0, affine_map<(d0) -> (d0)>]}           // %p is read at %i
//!   %y = arith.select %m, %x, %none                                                        // %x
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! The same is known where an element of an argument is inside at the same place ([`super::in_place`]).

use strata_ir::{
    AffineMap, Attribute, AttributeExt as _, Builder, Context, LIMIT, MASK, Op, PLACES,
    TypeExt as _, Value, affine, arith, boolean, i64s, index, memref, scf, vector,
};

/// Settles the comparisons in `entry` whose place is the counter of a loop that ends at the size.
pub fn settle<'c>(context: &'c Context, entry: Op<'c>) {
    for compare in entry.collect(|op| op.is(arith::CMPI) && op.has_attr(MASK)) {
        let Some(Mask { place, limit }) = Mask::of(compare) else { continue };
        let counted = place.block_arg().filter(|(_, position)| *position == 0);
        let each = counted.and_then(|(block, _)| block.parent_op());
        if each.is_some_and(|each| each.is(scf::FOR) && each.attr(LIMIT) == Some(limit)) {
            let yes = truth(&Builder::before(context, compare), compare);
            compare.result(0).replace_all_uses_with(yes);
        }
    }
}

/// The same in `each` for comparisons with places that are below these sizes in all of its iterations.
pub fn settle_below<'c>(context: &'c Context, each: Op<'c>, places: &[(Value<'c>, Value<'c>)]) {
    let is_below = |mask: &Mask<'c>| {
        let own = |(at, size): &(Value<'c>, Value<'c>)| *at == mask.place && mask.is_up_to(*size);
        places.iter().any(own)
    };
    for op in each.collect(|op| op != each) {
        for (index, operand) in op.operands().into_iter().enumerate() {
            let compare = operand.owner().filter(|op| op.is(arith::CMPI) && op.has_attr(MASK));
            if let Some(compare) = compare
                && Mask::of(compare).as_ref().is_some_and(is_below)
            {
                op.set_operand(index, truth(&Builder::before(context, each), compare));
            }
        }
    }
}

/// Counts the places of lanes in `entry` that are below a size, instead of comparing places that are read. Returns whether there are any.
///
/// ```mlir
/// %p = vector.transfer_read %places[%j] : memref<128xi32>, vector<8xi32>
/// %m = arith.cmpi slt, %p, %sizes {strata.places = 0} : vector<8xi32>                    // %sizes is %size in each lane
/// ```
/// becomes
/// ```mlir
/// %left = arith.subi %size_as_index, %j
/// %m = vector.create_mask %left : vector<8xi1>
/// ```
pub fn count_places<'c>(context: &'c Context, entry: Op<'c>) -> bool {
    let compares = entry.collect(|op| op.is(arith::CMPI) && op.has_attr(PLACES));
    let counted = compares.into_iter().filter_map(|compare| count(context, compare)).count();
    entry.collect(|op| op.remove_attr(PLACES));
    counted > 0
}

fn count<'c>(context: &'c Context, compare: Op<'c>) -> Option<()> {
    let dim = usize::try_from(compare.attr(PLACES)?.as_i64()?).ok()?;
    let read = compare.operand(0).owner().filter(|op| op.is(vector::TRANSFER_READ))?;
    let rank = read.operand(0).ty().rank()?;
    let flags = read.attr("in_bounds")?.as_array()?;
    let is_inside = flags.into_iter().all(|flag| flag.as_bool() == Some(true));
    (is_inside && read.operand_count() == rank + 2 && dim < rank).then_some(())?;
    let mut size = compare.operand(1);
    while let Some(owner) = size.owner().filter(|owner| owner.is(vector::BROADCAST)) {
        size = owner.operand(0);
    }
    let before = Builder::before(context, compare);
    if size.ty().rank() == Some(0) && size.ty().is_vector_type() {
        let extract = before.op(vector::EXTRACT).operand(size);
        let extract = extract.attr("static_position", i64s(context, &[]));
        size = extract.result(size.ty().element()).value();
    }
    size.ty().is_int().then_some(())?;
    let size = before.cast(arith::INDEX_CAST, size, index(context));
    let left = before.same(arith::SUBI, &[size, read.operand(1 + dim)]);
    let mask = before.op(vector::CREATE_MASK).operand(left).result(compare.result(0).ty()).value();
    compare.result(0).replace_all_uses_with(mask);
    compare.erase();
    if read.is_unused() {
        read.erase();
    }
    Some(())
}

/// What a comparison is where it is true.
fn truth<'c>(before: &Builder<'c>, compare: Op<'c>) -> Value<'c> {
    let ty = compare.result(0).ty();
    before.splat(ty, boolean(before.context, true))
}

/// A comparison that is true where the place is below the limit.
struct Mask<'c> {
    place: Value<'c>,
    limit: Attribute<'c>,
}

impl<'c> Mask<'c> {
    fn of(compare: Op<'c>) -> Option<Self> {
        let [dim, limit] = compare.attr(MASK)?.as_array()?[..] else { return None };
        let mut read = compare.operand(0).owner()?;
        while matches!(read.name(), vector::BROADCAST | vector::EXTRACT | vector::SHAPE_CAST) {
            read = read.operand(0).owner()?;
        }
        matches!(read.name(), vector::TRANSFER_READ | memref::LOAD).then_some(())?;
        let dim = usize::try_from(dim.as_i64()?).ok()?;
        (dim < read.operand(0).ty().rank()?).then_some(())?;
        Some(Self { place: read.operand(1 + dim), limit })
    }

    /// Whether a value is computed from the sizes of the call as the limit is.
    fn is_up_to(&self, size: Value<'c>) -> bool {
        let apply = size.owner().filter(|owner| owner.is(affine::APPLY));
        let map = apply.and_then(|apply| apply.attr("map").and_then(AffineMap::of));
        map.is_some() && map == AffineMap::of(self.limit)
    }
}
