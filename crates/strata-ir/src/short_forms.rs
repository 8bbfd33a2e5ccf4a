//! Short forms of the operations that stages emit most: arithmetic on scalars and vectors, constants, new tensors.

use melior::ir::{Attribute, Type};

use crate::{
    AttributeExt as _, Builder, FastMath, OpBuilder, OpName, RegionBuilder, TypeExt as _, Value,
    arith, complex, dense_splat, dialects::SEGMENT_SIZES, float, i32s, index, int, integer, linalg,
    scf, tensor, vector,
};

impl<'c> Builder<'c> {
    /// `name %operands : ty`, with one result.
    pub fn apply(&self, name: OpName<'c>, operands: &[Value<'c>], ty: Type<'c>) -> Value<'c> {
        self.op(name).operands(operands).result(ty).value()
    }

    /// An operation whose result has the type of its first operand.
    pub fn same(&self, name: OpName<'c>, operands: &[Value<'c>]) -> Value<'c> {
        self.apply(name, operands, operands[0].ty())
    }

    /// An operation with one operand and a result of type `ty`.
    pub fn cast(&self, name: OpName<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        self.apply(name, &[value], ty)
    }

    /// A constant of a scalar type, or one of a shaped type whose elements are all the same, from the element.
    pub fn splat(&self, ty: Type<'c>, element: Attribute<'c>) -> Value<'c> {
        let value = if ty.rank().is_some() { dense_splat(ty, element) } else { element };
        arith::constant(self, value, ty).value()
    }

    /// An integer or index constant or splat.
    pub fn int(&self, ty: Type<'c>, value: i64) -> Value<'c> {
        self.splat(ty, int(ty.element(), value))
    }

    /// A floating-point constant or splat, rounded to the element type.
    pub fn float(&self, ty: Type<'c>, value: f64) -> Value<'c> {
        self.splat(ty, float(self.context, ty.element(), value))
    }

    /// An index constant.
    pub fn index(&self, value: i64) -> Value<'c> {
        self.int(index(self.context), value)
    }

    /// The zero of a type of integers or floats.
    pub fn zero(&self, ty: Type<'c>) -> Value<'c> {
        if ty.element().is_float_type() { self.float(ty, 0.0) } else { self.int(ty, 0) }
    }

    /// A number of a scalar type (integer, floating-point or complex) that equals `value`.
    pub fn number(&self, ty: Type<'c>, value: f64) -> Value<'c> {
        match ty.complex_element() {
            Some(part) => self.complex(self.float(part, value), self.float(part, 0.0)),
            None if ty.is_float_type() => self.float(ty, value),
            None => self.int(ty, value as i64),
        }
    }

    /// A scalar constant from an element of a dense attribute.
    ///
    /// # Errors
    /// The reason why it is not a number.
    pub fn scalar(&self, ty: Type<'c>, element: Attribute<'c>) -> Result<Value<'c>, &'static str> {
        let ty = ty.signless();
        if ty.is_complex() {
            return Ok(self.op(complex::CONSTANT).attr("value", element).result(ty).value());
        }
        if ty.is_float_type() {
            return Ok(arith::constant(self, element, ty).value());
        }
        let value = element.as_i64().ok_or("a constant of this type is not supported")?;
        Ok(self.int(ty, value))
    }

    /// `base + offset`, on indices.
    pub fn offset(&self, base: Value<'c>, offset: i64) -> Value<'c> {
        match constant_index(base) {
            _ if offset == 0 => base,
            Some(known) => self.index(known + offset),
            None => self.same(arith::ADDI, &[base, self.index(offset)]),
        }
    }

    /// The scalar or vector type of the shape of `ty` with another element.
    pub fn like(&self, ty: Type<'c>, element: Type<'c>) -> Type<'c> {
        if ty.is_vector_type() { ty.with_element(element) } else { element }
    }

    /// `arith.cmpi`, on scalars or vectors.
    pub fn cmpi(
        &self,
        predicate: arith::CmpIPredicate,
        left: Value<'c>,
        right: Value<'c>,
    ) -> Value<'c> {
        let ty = self.like(left.ty(), integer(self.context, 1));
        arith::cmpi(self, predicate, left, right, ty).value()
    }

    /// `arith.cmpf`, on scalars or vectors.
    pub fn cmpf(
        &self,
        predicate: arith::CmpFPredicate,
        left: Value<'c>,
        right: Value<'c>,
    ) -> Value<'c> {
        let ty = self.like(left.ty(), integer(self.context, 1));
        arith::cmpf(self, predicate, left, right, ty).value()
    }

    /// `arith.select`.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        arith::select(self, condition, yes, no, yes.ty()).value()
    }

    /// `complex.create`.
    pub fn complex(&self, re: Value<'c>, im: Value<'c>) -> Value<'c> {
        complex::create(self, re, im, crate::types::complex(re.ty())).value()
    }

    /// `complex.re` and `complex.im`.
    ///
    /// # Errors
    /// The reason, for values that are not complex.
    pub fn parts(&self, value: Value<'c>) -> Result<(Value<'c>, Value<'c>), &'static str> {
        let part = value.ty().complex_element().ok_or("the value is not complex")?;
        Ok((self.cast(complex::RE, value, part), self.cast(complex::IM, value, part)))
    }

    /// The scalar repeated in every lane.
    pub fn broadcast(&self, scalar: Value<'c>, ty: Type<'c>) -> Value<'c> {
        vector::broadcast(self, scalar, ty).value()
    }

    /// Lane `lane` of a one-dimensional vector.
    pub fn lane(&self, value: Value<'c>, lane: i64) -> Value<'c> {
        vector::extract(self, value, &[], &[lane], value.ty().element()).value()
    }

    /// The vector with lane `lane` replaced.
    pub fn with_lane(&self, value: Value<'c>, scalar: Value<'c>, lane: i64) -> Value<'c> {
        vector::insert(self, scalar, value, &[], &[lane], value.ty()).value()
    }

    /// The lanes `mask` of `left` followed by `right`.
    pub fn shuffle(&self, left: Value<'c>, right: Value<'c>, mask: &[i64]) -> Value<'c> {
        let ty = crate::types::vector(&[mask.len() as i64], left.ty().element());
        vector::shuffle(self, left, right, mask, ty).value()
    }

    /// `vector.reduction <kind>`; sums of floats may reassociate.
    pub fn reduction(&self, kind: vector::CombiningKind, value: Value<'c>) -> Value<'c> {
        let element = value.ty().element();
        let reduction = vector::reduction(self, kind, value, element);
        if element.is_float_type() {
            return reduction.fastmath(FastMath::REASSOC).value();
        }
        reduction.value()
    }

    /// `tensor.empty`.
    pub fn empty(&self, shape: &[i64], element: Type<'c>) -> Value<'c> {
        tensor::empty(self, &[], crate::types::tensor(shape, element)).value()
    }

    /// `linalg.fill` of a new tensor.
    pub fn filled(&self, scalar: Value<'c>, shape: &[i64]) -> Value<'c> {
        self.fill(scalar, self.empty(shape, scalar.ty()))
    }

    /// `linalg.fill` of a tensor.
    pub fn fill(&self, scalar: Value<'c>, into: Value<'c>) -> Value<'c> {
        let element = scalar.ty();
        let body = self.region(&[element, element], |body, args| {
            linalg::yield_(body, &[args[0]]).build();
        });
        linalg::fill(self, &[into.ty()], body).inputs(&[scalar]).outputs(&[into]).value()
    }

    /// An operation of linalg on tensors that is known by its name only, as one of several that fit.
    pub fn structured(
        &self,
        name: OpName<'c>,
        inputs: &[Value<'c>],
        outputs: &[Value<'c>],
        body: RegionBuilder,
    ) -> OpBuilder<'c> {
        let types: Vec<_> = outputs.iter().map(|output| output.ty()).collect();
        let sizes = [inputs.len() as i32, outputs.len() as i32];
        let op = self.op(name).operands(inputs).operands(outputs).results(&types).region(body);
        op.attr(SEGMENT_SIZES, i32s(self.context, &sizes))
    }

    /// `tensor.extract`.
    pub fn extract(&self, from: Value<'c>, indices: &[Value<'c>]) -> Value<'c> {
        tensor::extract(self, from, indices, from.ty().element()).value()
    }

    /// `scf.if` without results and without an else.
    pub fn when(&self, condition: Value<'c>, then: RegionBuilder) {
        scf::if_(self, condition, &[], then, RegionBuilder::empty()).build();
    }
}

/// The value of an index constant.
pub fn constant_index(value: Value<'_>) -> Option<i64> {
    value.owner()?.cast::<arith::Constant>()?.value()?.as_i64()
}
