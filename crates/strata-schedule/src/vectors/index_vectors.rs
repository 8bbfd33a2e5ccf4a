//! Narrows vectors of element indices to the width of their use: as `index` they would take two registers
//! where the result takes one.
//!
//! ```text
//! %s = vector.step : vector<16xindex>
//! %b = vector.broadcast %i : index to vector<16xindex>
//! %p = arith.addi %b, %s
//! %n = arith.index_cast %p : vector<16xindex> to vector<16xi32>
//! ```
//! becomes
//! ```text
//! %s = arith.constant dense<[0, 1, …, 15]> : vector<16xi32>
//! %c = arith.index_cast %i : index to i32
//! %b = vector.broadcast %c : i32 to vector<16xi32>
//! %n = arith.addi %b, %s
//! ```
//! Truncation distributes over addition and multiplication.

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, Type, TypeExt as _, Value, arith, dense_bytes,
    dense_splat, int, vector,
};

/// Narrows the index vectors in `func`; returns whether none is left.
pub fn narrow_index_vectors<'c>(context: &'c Context, func: Op<'c>) -> bool {
    let is_index_vector = |ty: Type<'c>| ty.is_vector_type() && ty.element().is_index();
    for cast in func.collect(|op| matches!(op.name(), arith::INDEX_CAST | arith::INDEX_CASTUI)) {
        if is_index_vector(cast.operand(0).ty()) {
            let builder = Builder::before(context, cast);
            if let Some(value) = narrow(&builder, cast.operand(0), cast.result(0).ty()) {
                cast.result(0).replace_all_uses_with(value);
            }
        }
    }
    let left = func.collect(|op| {
        matches!(op.dialect(), "arith" | "vector")
            && op.result_types().into_iter().any(is_index_vector)
            || op.operands().first().is_some_and(|value| is_index_vector(value.ty()))
    });
    left.into_iter().rev().fold(true, |none_left, op| {
        let unused = op.is_unused();
        if unused {
            op.erase();
        }
        none_left && unused
    })
}

/// `value`, an index vector, as one of type `ty`.
fn narrow<'c>(builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
    let op = value.owner()?;
    let element = ty.element();
    match op.name() {
        vector::STEP => {
            let width = usize::try_from(element.byte_width()?).ok()?;
            let count = i64::try_from(ty.element_count()?).ok()?;
            let bytes: Vec<u8> = (0..count)
                .flat_map(|place| place.to_le_bytes().into_iter().take(width).collect::<Vec<_>>())
                .collect();
            let positions = dense_bytes(ty, &bytes)?;
            Some(builder.op(arith::CONSTANT).attr("value", positions).result(ty).value())
        }
        vector::BROADCAST if !op.operand(0).ty().is_vector_type() => {
            let place = builder.op(arith::INDEX_CAST).operand(op.operand(0)).result(element);
            Some(builder.op(vector::BROADCAST).operand(place.value()).result(ty).value())
        }
        arith::CONSTANT => {
            let place = op.attr("value")?.splat_value()?.as_i64()?;
            let splat = dense_splat(ty, int(element, place));
            Some(builder.op(arith::CONSTANT).attr("value", splat).result(ty).value())
        }
        name @ (arith::ADDI | arith::MULI) => {
            let operands =
                [narrow(builder, op.operand(0), ty)?, narrow(builder, op.operand(1), ty)?];
            Some(builder.op(name).operands(&operands).result(ty).value())
        }
        _ => None,
    }
}
