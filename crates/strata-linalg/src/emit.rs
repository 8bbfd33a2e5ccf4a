//! Builders of common operations on scalars and tensors.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Type, TypeExt as _, Value, bool_type, dense_splat,
    float, i32s, index, int, parse_attr, parse_type, tensor,
};
use strata_rewrite::{Guard as _, Outcome};

/// Predicates of `arith.cmpi`; the numbers are MLIR's.
#[derive(Clone, Copy)]
pub enum IntCmp {
    Eq = 0,
    Ne = 1,
    Slt = 2,
    Sle = 3,
    Sgt = 4,
    Sge = 5,
    Ult = 6,
    Ule = 7,
    Ugt = 8,
    Uge = 9,
}

/// Predicates of `arith.cmpf`; the numbers are MLIR's.
#[derive(Clone, Copy)]
pub enum FloatCmp {
    Oeq = 1,
    Ogt = 2,
    Oge = 3,
    Olt = 4,
    Ole = 5,
    Ord = 7,
    Uge = 10,
    Une = 13,
    Uno = 14,
}

/// Builders for lowerings.
pub trait Emit<'c> {
    /// An operation whose result has the type of its first operand.
    fn same(&self, name: &'static str, operands: &[Value<'c>]) -> Value<'c>;
    /// An operation with one operand and a result of type `ty`.
    fn cast(&self, name: &'static str, value: Value<'c>, ty: Type<'c>) -> Value<'c>;
    /// `arith.constant` of an integer or index type, or of a splat of integers.
    fn int(&self, ty: Type<'c>, value: i64) -> Value<'c>;
    /// `arith.constant` of type index.
    fn index(&self, value: i64) -> Value<'c>;
    /// `arith.constant` of a floating-point type.
    fn float(&self, ty: Type<'c>, value: f64) -> Value<'c>;
    /// `arith.cmpi`.
    fn cmpi(&self, predicate: IntCmp, lhs: Value<'c>, rhs: Value<'c>) -> Value<'c>;
    /// `arith.cmpf`.
    fn cmpf(&self, predicate: FloatCmp, lhs: Value<'c>, rhs: Value<'c>) -> Value<'c>;
    /// `arith.select`.
    fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c>;
    /// A number of type `ty` (integer, floating-point or complex) that equals `value`.
    fn number(&self, ty: Type<'c>, value: f64) -> Value<'c>;
    /// `complex.create`.
    fn complex(&self, re: Value<'c>, im: Value<'c>) -> Value<'c>;
    /// `complex.re` and `complex.im`.
    fn parts(&self, value: Value<'c>) -> Outcome<(Value<'c>, Value<'c>)>;
    /// `tensor.empty`.
    fn empty(&self, shape: &[i64], element: Type<'c>) -> Value<'c>;
    /// `linalg.fill` of a new tensor.
    fn filled(&self, scalar: Value<'c>, shape: &[i64]) -> Value<'c>;
    /// `tensor.extract`.
    fn extract(&self, from: Value<'c>, indices: &[Value<'c>]) -> Value<'c>;
    /// A scalar constant from an element of a dense attribute.
    fn scalar(&self, ty: Type<'c>, element: Attribute<'c>) -> Outcome<Value<'c>>;
    /// An attribute from its text.
    fn parse(&self, text: &str) -> Outcome<Attribute<'c>>;
}

impl<'c> Emit<'c> for Builder<'c> {
    fn same(&self, name: &'static str, operands: &[Value<'c>]) -> Value<'c> {
        self.op(name).operands(operands).result(operands[0].ty()).value()
    }

    fn cast(&self, name: &'static str, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        self.op(name).operand(value).result(ty).value()
    }

    fn int(&self, ty: Type<'c>, value: i64) -> Value<'c> {
        let element = int(ty.element(), value);
        let value = if ty.is_tensor_type() { dense_splat(ty, element) } else { element };
        self.op("arith.constant").attr("value", value).result(ty).value()
    }

    fn index(&self, value: i64) -> Value<'c> {
        Emit::int(self, index(self.context), value)
    }

    fn float(&self, ty: Type<'c>, value: f64) -> Value<'c> {
        let value = float(self.context, ty, value);
        self.op("arith.constant").attr("value", value).result(ty).value()
    }

    fn cmpi(&self, predicate: IntCmp, lhs: Value<'c>, rhs: Value<'c>) -> Value<'c> {
        compare(self, "arith.cmpi", predicate as i64, lhs, rhs)
    }

    fn cmpf(&self, predicate: FloatCmp, lhs: Value<'c>, rhs: Value<'c>) -> Value<'c> {
        compare(self, "arith.cmpf", predicate as i64, lhs, rhs)
    }

    fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        self.op("arith.select").operands(&[condition, yes, no]).result(yes.ty()).value()
    }

    fn number(&self, ty: Type<'c>, value: f64) -> Value<'c> {
        match ty.complex_element() {
            Some(part) => {
                self.complex(Emit::float(self, part, value), Emit::float(self, part, 0.0))
            }
            None if ty.is_float_type() => Emit::float(self, ty, value),
            None => Emit::int(self, ty, value as i64),
        }
    }

    fn complex(&self, re: Value<'c>, im: Value<'c>) -> Value<'c> {
        let ty = complex_of(self, re.ty());
        self.op("complex.create").operands(&[re, im]).result(ty).value()
    }

    fn parts(&self, value: Value<'c>) -> Outcome<(Value<'c>, Value<'c>)> {
        let part = value.ty().complex_element().or_decline("the value is not complex")?;
        Ok((self.cast("complex.re", value, part), self.cast("complex.im", value, part)))
    }

    fn empty(&self, shape: &[i64], element: Type<'c>) -> Value<'c> {
        self.op("tensor.empty").result(tensor(shape, element)).value()
    }

    fn filled(&self, scalar: Value<'c>, shape: &[i64]) -> Value<'c> {
        let element = scalar.ty();
        let into = self.empty(shape, element);
        let region = self.region(&[element, element], |body, args| {
            body.op("linalg.yield").operand(args[0]).build();
        });
        self.op("linalg.fill")
            .operands(&[scalar, into])
            .attr("operandSegmentSizes", i32s(self.context, &[1, 1]))
            .result(into.ty())
            .region(region)
            .value()
    }

    fn extract(&self, from: Value<'c>, indices: &[Value<'c>]) -> Value<'c> {
        let element = from.ty().element();
        self.op("tensor.extract").operand(from).operands(indices).result(element).value()
    }

    fn scalar(&self, ty: Type<'c>, element: Attribute<'c>) -> Outcome<Value<'c>> {
        let ty = ty.signless();
        if ty.is_complex() {
            return Ok(self.op("complex.constant").attr("value", element).result(ty).value());
        }
        if ty.is_float_type() {
            return Ok(self.op("arith.constant").attr("value", element).result(ty).value());
        }
        let value = element.as_i64().or_decline("a constant of this type is not supported")?;
        Ok(Emit::int(self, ty, value))
    }

    fn parse(&self, text: &str) -> Outcome<Attribute<'c>> {
        parse_attr(self.context, text).ok_or_else(|| format!("MLIR refuses `{text}`").into())
    }
}

fn compare<'c>(
    builder: &Builder<'c>,
    name: &'static str,
    predicate: i64,
    lhs: Value<'c>,
    rhs: Value<'c>,
) -> Value<'c> {
    let i64_type = strata_ir::integer(builder.context, 64);
    builder
        .op(name)
        .operands(&[lhs, rhs])
        .attr("predicate", int(i64_type, predicate))
        .result(bool_type(builder.context))
        .value()
}

/// `complex<part>`.
pub fn complex_of<'c>(builder: &Builder<'c>, part: Type<'c>) -> Type<'c> {
    parse_type(builder.context, &format!("complex<{part}>")).unwrap_or(part)
}

/// The dense attribute of the signless type `ty` whose elements all equal `element`.
pub fn splat<'c>(ty: Type<'c>, element: Attribute<'c>) -> Option<Attribute<'c>> {
    let scalar = ty.element();
    if scalar.is_int() {
        return Some(dense_splat(ty, int(scalar, element.as_i64()?)));
    }
    Some(dense_splat(ty, element))
}
