//! Arithmetic in StableHLO on tensors of one shape and one floating-point type, for expansions of special functions.

use strata_ir::{
    Builder, ComparisonDirection as Is, Op, Type, TypeExt as _, Value, integer, stablehlo, tensor,
};
use strata_rewrite::{Declined, Guard as _, Outcome};
use strata_special::{Arithmetic, Function, Relation};

use crate::{emit::Emit as _, pattern::new_splat};

/// The insertion point, and the type of all values.
#[derive(Clone, Copy)]
pub struct Real<'c> {
    pub b: Builder<'c>,
    pub ty: Type<'c>,
}

impl<'c> Real<'c> {
    /// Arithmetic in `element` for the result of `op`, whose shape is static.
    pub fn of(op: Op<'c>, b: Builder<'c>, element: Type<'c>) -> Outcome<Self> {
        let ty = op.result(0).ty();
        ty.has_static_shape().or_decline("the shape is known only at run time")?;
        let shape = ty.shape().or_decline("the result is unranked")?;
        Ok(Self { b, ty: tensor(&shape, element) })
    }

    pub fn power(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(stablehlo::POWER, &[x, y])
    }

    pub fn floor(&self, x: Value<'c>) -> Value<'c> {
        self.apply(Function::Floor, x)
    }

    /// `yes` where the comparison with a number holds.
    pub fn choose(
        &self,
        (x, is, y): (Value<'c>, Is, f64),
        yes: Value<'c>,
        no: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let holds = self.b.compare(is, x, self.number(y))?;
        Ok(self.b.selected(holds, yes, no))
    }

    /// `x - floor(x)`: zero for integers, NaN for infinity.
    pub fn fraction(&self, x: Value<'c>) -> Value<'c> {
        self.sub(x, self.floor(x))
    }

    /// Zero for even integers.
    pub fn oddness(&self, x: Value<'c>) -> Value<'c> {
        self.fraction(self.mul(x, self.number(0.5)))
    }
}

impl<'c> Arithmetic for Real<'c> {
    type Value = Value<'c>;
    type Truth = Value<'c>;
    type Error = Declined;

    fn is_double(&self) -> bool {
        self.ty.element().bit_width() == Some(64)
    }

    fn number(&self, value: f64) -> Value<'c> {
        new_splat(&self.b, self.ty, strata_ir::float(self.b.context, self.ty.element(), value))
    }

    fn add(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(stablehlo::ADD, &[x, y])
    }

    fn sub(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(stablehlo::SUBTRACT, &[x, y])
    }

    fn mul(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(stablehlo::MULTIPLY, &[x, y])
    }

    fn div(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(stablehlo::DIVIDE, &[x, y])
    }

    fn apply(&self, function: Function, x: Value<'c>) -> Value<'c> {
        let name = match function {
            Function::Abs => stablehlo::ABS,
            Function::Cos => stablehlo::COSINE,
            Function::Exp => stablehlo::EXPONENTIAL,
            Function::Floor => stablehlo::FLOOR,
            Function::Log => stablehlo::LOG,
            Function::Log1p => stablehlo::LOG_PLUS_ONE,
            Function::Negate => stablehlo::NEGATE,
            Function::Sin => stablehlo::SINE,
            Function::Sqrt => stablehlo::SQRT,
        };
        self.b.same(name, &[x])
    }

    fn atan2(&self, y: Value<'c>, x: Value<'c>) -> Value<'c> {
        self.b.same(stablehlo::ATAN2, &[y, x])
    }

    fn with_sign(&self, size: Value<'c>, of: Value<'c>) -> Outcome<Value<'c>> {
        let width = self.ty.element().bit_width().or_decline("the numbers have no size")?;
        let ty = self.ty.with_element(integer(self.b.context, width));
        let bits = |value, mask| {
            let bits = self.b.op(stablehlo::BITCAST_CONVERT).operand(value).result(ty).value();
            self.b.same(stablehlo::AND, &[bits, self.b.int_constant(ty, mask)])
        };
        let sign = i64::MIN >> (64 - width);
        let both = self.b.same(stablehlo::OR, &[bits(size, !sign), bits(of, sign)]);
        Ok(self.b.op(stablehlo::BITCAST_CONVERT).operand(both).result(self.ty).value())
    }

    fn holds(&self, x: Value<'c>, relation: Relation, y: Value<'c>) -> Outcome<Value<'c>> {
        let direction = match relation {
            Relation::Equal => Is::Eq,
            Relation::Less => Is::Lt,
            Relation::LessEqual => Is::Le,
            Relation::Greater => Is::Gt,
        };
        self.b.compare(direction, x, y)
    }

    fn both(&self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        self.b.same(stablehlo::AND, &[x, y])
    }

    fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        self.b.selected(condition, yes, no)
    }
}
