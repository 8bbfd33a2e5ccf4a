//! Short names for the operations that stage `vector` emits.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Context, Type, TypeExt as _, Value, dense_splat, float,
    i64s, index, int, integer, parse_attr, vector,
};

/// Emits operations before one operation.
#[derive(Clone, Copy)]
pub struct Emit<'c> {
    /// The insertion point.
    pub builder: Builder<'c>,
}

impl<'c> Emit<'c> {
    /// The context.
    pub fn context(&self) -> &'c Context {
        self.builder.context
    }

    /// `name %operands : result`.
    pub fn op(&self, name: &'c str, operands: &[Value<'c>], result: Type<'c>) -> Value<'c> {
        self.builder.op(name).operands(operands).result(result).value()
    }

    /// An operation whose result has the type of its first operand.
    pub fn same(&self, name: &'c str, operands: &[Value<'c>]) -> Value<'c> {
        self.op(name, operands, operands[0].ty())
    }

    /// A constant of a scalar type, or a splat of a vector type, from its element.
    pub fn splat(&self, ty: Type<'c>, element: Attribute<'c>) -> Value<'c> {
        let value = if ty.is_vector_type() { dense_splat(ty, element) } else { element };
        self.builder.op("arith.constant").attr("value", value).result(ty).value()
    }

    /// A floating-point constant or splat, rounded to the element type.
    pub fn float(&self, ty: Type<'c>, value: f64) -> Value<'c> {
        self.splat(ty, float(self.context(), ty.element(), value))
    }

    /// An integer or index constant or splat.
    pub fn int(&self, ty: Type<'c>, value: i64) -> Value<'c> {
        self.splat(ty, int(ty.element(), value))
    }

    /// The zero of a type.
    pub fn zero(&self, ty: Type<'c>) -> Value<'c> {
        if ty.element().is_float_type() { self.float(ty, 0.0) } else { self.int(ty, 0) }
    }

    /// An index constant.
    pub fn index(&self, value: i64) -> Value<'c> {
        self.int(index(self.context()), value)
    }

    /// `base + offset`, on indices.
    pub fn offset(&self, base: Value<'c>, offset: i64) -> Value<'c> {
        if offset == 0 {
            return base;
        }
        if let Some(known) = constant_index(base) {
            return self.index(known + offset);
        }
        self.same("arith.addi", &[base, self.index(offset)])
    }

    /// `arith.cmpi` with a predicate by its number (`slt` is 2, `ult` is 6).
    pub fn cmpi(&self, predicate: i64, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder
            .op("arith.cmpi")
            .operands(&[left, right])
            .attr("predicate", int(integer(self.context(), 64), predicate))
            .result(self.like(left.ty(), integer(self.context(), 1)))
            .value()
    }

    /// `arith.cmpf` with a predicate by its number (`oeq` 1, `ogt` 2, `olt` 4, `une` 13, `uno` 14).
    pub fn cmpf(&self, predicate: i64, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder
            .op("arith.cmpf")
            .operands(&[left, right])
            .attr("predicate", int(integer(self.context(), 64), predicate))
            .result(self.like(left.ty(), integer(self.context(), 1)))
            .value()
    }

    /// `arith.select`.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        self.op("arith.select", &[condition, yes, no], yes.ty())
    }

    /// The scalar repeated in every lane.
    pub fn broadcast(&self, scalar: Value<'c>, ty: Type<'c>) -> Value<'c> {
        self.op("vector.broadcast", &[scalar], ty)
    }

    /// Lane `lane` of a one-dimensional vector.
    pub fn lane(&self, value: Value<'c>, lane: i64) -> Value<'c> {
        self.builder
            .op("vector.extract")
            .operand(value)
            .attr("static_position", i64s(self.context(), &[lane]))
            .result(value.ty().element())
            .value()
    }

    /// The vector with lane `lane` replaced.
    pub fn with_lane(&self, value: Value<'c>, scalar: Value<'c>, lane: i64) -> Value<'c> {
        self.builder
            .op("vector.insert")
            .operands(&[scalar, value])
            .attr("static_position", i64s(self.context(), &[lane]))
            .result(value.ty())
            .value()
    }

    /// The scalar or vector type of the shape of `ty` with another element.
    pub fn like(&self, ty: Type<'c>, element: Type<'c>) -> Type<'c> {
        if ty.is_vector_type() { ty.with_element(element) } else { element }
    }

    /// The lanes `mask` of `left` followed by `right`.
    pub fn shuffle(&self, left: Value<'c>, right: Value<'c>, mask: &[i64]) -> Value<'c> {
        self.builder
            .op("vector.shuffle")
            .operands(&[left, right])
            .attr("mask", i64s(self.context(), mask))
            .result(vector(&[mask.len() as i64], left.ty().element()))
            .value()
    }

    /// `vector.reduction <kind>`; sums may reassociate.
    pub fn reduction(&self, kind: Attribute<'c>, value: Value<'c>) -> Value<'c> {
        let builder = self.builder.op("vector.reduction").operand(value).attr("kind", kind);
        let builder = match parse_attr(self.context(), "#arith.fastmath<reassoc>") {
            Some(relaxed) if value.ty().element().is_float_type() => {
                builder.attr("fastmath", relaxed)
            }
            _ => builder,
        };
        builder.result(value.ty().element()).value()
    }
}

/// The value of an index constant.
pub fn constant_index(value: Value<'_>) -> Option<i64> {
    value.owner().filter(|owner| owner.is("arith.constant"))?.attr("value")?.as_i64()
}
