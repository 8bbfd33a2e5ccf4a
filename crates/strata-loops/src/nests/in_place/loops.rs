//! Affine loops as `scf` ones, whose ends can be any value.

use strata_ir::{
    AffineMap, Builder, Context, Op, RegionBuilder, Value, View as _, affine, arith, index, scf,
};

use super::guards;

/// The loop as an `scf` one, with those in it.
pub fn to_scf<'c>(context: &'c Context, each: Op<'c>) -> Option<Op<'c>> {
    let is_other =
        |op: Op<'c>| op.dialect() == "affine" && op.region_count() > 0 && !op.is(affine::FOR);
    if !each.collect(is_other).is_empty() {
        return None;
    }
    for inner in each.collect(|op| op != each && op.is(affine::FOR)).into_iter().rev() {
        to_scf(context, inner)?;
    }
    for access in each.collect(|op| matches!(op.name(), affine::LOAD | affine::STORE)) {
        guards::plain(context, access);
    }
    let own = each.cast::<affine::For>()?;
    let before = Builder::before(context, each);
    let bound = |map: AffineMap, operands: Vec<Value<'c>>, nearest| {
        let values = map.results.iter().map(|result| match result.as_constant() {
            Some(number) => before.index(number),
            None => {
                let one = AffineMap { results: vec![result.clone()], ..map.clone() };
                let apply = before.op(affine::APPLY).operands(&operands);
                apply.attr("map", one.to_attribute(context)).result(index(context)).value()
            }
        });
        values.reduce(|one, other| before.same(nearest, &[one, other]))
    };
    let low = bound(own.lower_bound_map()?, own.lower_bound_operands(), arith::MAXSI)?;
    let high = bound(own.upper_bound_map()?, own.upper_bound_operands(), arith::MINSI)?;
    let (step, inits) = (before.index(own.step()?), own.inits());
    let body = RegionBuilder::take(each.region(0));
    let new = scf::for_(&before, low, high, step, &inits, &each.result_types(), body);
    let new = new.attrs(&each.discardable_attrs()).build().op();
    if let Some(end) = new.body(0).terminator() {
        scf::yield_(&Builder::before(context, end), &end.operands()).build();
        end.erase();
    }
    for (old, result) in each.results().into_iter().zip(new.results()) {
        old.replace_all_uses_with(result);
    }
    each.erase();
    Some(new)
}
