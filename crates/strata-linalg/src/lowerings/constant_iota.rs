//! `constant` and `iota`.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Op, OpKind, Type, TypeExt as _, Value, arith,
    dense_bytes, linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};
use strata_target::tuning::lowering::MAX_STORED_SPLAT;

use crate::{
    dims::number,
    emit::splat,
    generic::{Indexed, generic, loop_index, position_type},
    lowerings::convert::convert,
};

/// `stablehlo.constant dense<…>` to `arith.constant dense<…>`, without the sign of the type; a large
/// splat to `linalg.fill`.
pub struct Constant;

impl Lowering for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Constant]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        _: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let elements = op.attr("value").or_decline("the constant has no value")?;
        let ty = op.result(0).ty();
        if let Some(element) = elements.splat_value()
            && ty.element_count().is_some_and(|count| count > MAX_STORED_SPLAT)
        {
            let scalar = builder.scalar(ty.element(), element)?;
            let shape = ty.shape().or_decline("the shape is not static")?;
            return Ok(vec![builder.filled(scalar, &shape)]);
        }
        let ty = lowerer.convert(ty);
        let value =
            signless(elements, ty).or_decline("constants of this kind are not supported")?;
        Ok(vec![builder.op(arith::CONSTANT).attr("value", value).result(ty).value()])
    }
}

/// The elements as elements of the signless type `ty`; shared where the type stays the same.
fn signless<'c>(elements: Attribute<'c>, ty: Type<'c>) -> Option<Attribute<'c>> {
    if elements.elements_type() == Some(ty) {
        return Some(elements);
    }
    match elements.splat_value() {
        Some(element) => splat(ty, element),
        None => dense_bytes(ty, &elements.raw_elements()?),
    }
}

/// `iota`: a nest without inputs that yields the index of one loop.
pub struct Iota;

impl Lowering for Iota {
    fn name(&self) -> &'static str {
        "iota"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Iota]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        _: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let dim = number(op, "iota_dimension")? as usize;
        let ty = op.result(0).ty();
        let shape = ty.shape().or_decline("the shape is not static")?;
        let out = builder.empty(&shape, ty.element().signless());
        let out = Indexed::identity(out);
        generic(&builder, &[], &[out], &vec![IteratorType::Parallel; shape.len()], |inner, _| {
            Ok(vec![index_as(inner, loop_index(inner, dim), shape[dim], ty.element())?])
        })
    }
}

/// A loop's index, below `size`, as a number of type `ty`.
fn index_as<'c>(b: &Builder<'c>, index: Value<'c>, size: i64, ty: Type<'c>) -> Outcome<Value<'c>> {
    if ty.is_int() {
        return Ok(b.cast(arith::INDEX_CAST, index, ty.signless()));
    }
    let integer = position_type(b, size);
    let value = b.cast(arith::INDEX_CAST, index, integer);
    convert(b, value, integer, ty)
}
