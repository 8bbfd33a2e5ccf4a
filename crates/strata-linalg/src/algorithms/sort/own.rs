//! Elements that are their own keys: one operand, whose elements are compared in their order, so that only keys need to be
//! moved and the elements follow from them.
//!
//! Keys are integers in their signed order. A float `s·m`, with the sign as a mask of all bits, has the key `m ^ s`; where the
//! comparator takes -0 for 0, `(m ^ s) - s`, which is 0 for both. All NaNs may have the key of one of them. Zeros and NaNs
//! that share a key with another element are detected while keys are computed; if there are any, [`Own::restore`] restores
//! their original order.
//!
//! All of it works on scalars and on short vectors.

use strata_ir::{
    AttributeExt as _, Builder, ComparisonDirection as Direction, ComparisonType, Op, OpKind, Type,
    TypeExt as _, Value, arith, index, integer, tensor,
};
use strata_rewrite::{Guard as _, Outcome};

use super::Line;
use crate::{
    loops::{for_loop, insert, when},
    lowerings::convert::format_bits,
    numbers::element::Class,
};

/// The mapping between elements and keys.
#[derive(Clone, Copy)]
pub struct Own<'c> {
    element: Type<'c>,
    /// Bits of the key.
    pub width: u32,
    /// The bits of the key that are flipped.
    flipped: i64,
    float: Option<Float>,
}

/// How a comparator orders floats.
#[derive(Clone, Copy)]
struct Float {
    infinity: i64,
    /// Whether zeros are equal.
    zeros: bool,
    /// The bits of the NaN that all NaNs are equal to.
    nan: Option<i64>,
}

impl<'c> Own<'c> {
    /// For keys `value`, if elements of type `element` follow from them.
    pub fn of(value: Value<'c>, class: Class, descending: bool, element: Type<'c>) -> Option<Self> {
        let ty = value.ty().element();
        let width = ty.bit_width()?;
        let whole = matches!(width, 8 | 16 | 32 | 64) && ty.signless() == element;
        let float = match class {
            Class::Float => {
                let (exponent, mantissa) = format_bits(ty)?;
                let infinity = ((1 << exponent) - 1) << mantissa;
                let mut float = Float { infinity, zeros: false, nan: None };
                canonical(value, width, &mut float)?;
                Some(float)
            }
            Class::Signed | Class::Unsigned => {
                value.block_arg()?;
                None
            }
            Class::Bool | Class::Complex => return None,
        };
        let sign = if class == Class::Unsigned { least(width) } else { 0 };
        let flipped = if descending { !sign } else { sign };
        whole.then_some(Self { element, width, flipped, float })
    }

    /// The same keys in their unsigned order.
    pub fn unsigned(self) -> Self {
        Self { flipped: self.flipped ^ least(self.width), ..self }
    }

    /// The integer of a key.
    pub fn ty(&self, b: &Builder<'c>) -> Type<'c> {
        integer(b.context, self.width)
    }

    /// The largest key.
    pub fn largest(&self) -> i64 {
        most(self.width)
    }

    /// The key of an element.
    pub fn key(&self, b: &Builder<'c>, element: Value<'c>) -> Value<'c> {
        let bits = self.bits(b, element);
        let Some(float) = self.float else { return self.flip(b, bits) };
        let sign = self.sign(b, bits);
        let magnitude = self.magnitude(b, bits);
        let mut key = b.same(arith::XORI, &[magnitude, sign]);
        if float.zeros {
            key = b.same(arith::SUBI, &[key, sign]);
        }
        if let Some(nan) = float.nan {
            let other = b.same(arith::XORI, &[key, b.int(key.ty(), float.key(nan, self.width))]);
            let other = b.same(arith::ANDI, &[other, self.is_nan(b, magnitude, float)]);
            key = b.same(arith::XORI, &[key, other]);
        }
        self.flip(b, key)
    }

    /// The element of a key.
    pub fn element(&self, b: &Builder<'c>, key: Value<'c>) -> Value<'c> {
        let mut bits = self.flip(b, key);
        if let Some(float) = self.float {
            let sign = self.sign(b, bits);
            if float.zeros {
                bits = b.same(arith::ADDI, &[bits, sign]);
            }
            let flips = self.magnitude(b, sign);
            bits = b.same(arith::XORI, &[bits, flips]);
        }
        let ty = like(key.ty(), self.element);
        if bits.ty() == ty { bits } else { b.cast(arith::BITCAST, bits, ty) }
    }

    /// The initial state of [`Self::watch`], as integers of the key's width.
    pub fn unseen(&self) -> Vec<i64> {
        let Some(float) = self.float else { return Vec::new() };
        let zeros = float.zeros.then(|| most(self.width));
        zeros.into_iter().chain(float.nan.map(|_| 0)).collect()
    }

    /// Records whether an element shares its key with another one.
    pub fn watch(&self, b: &Builder<'c>, element: Value<'c>, seen: &[Value<'c>]) -> Vec<Value<'c>> {
        let Some(float) = self.float else { return Vec::new() };
        let bits = self.bits(b, element);
        let mut seen = seen.iter();
        let mut next = Vec::new();
        if float.zeros {
            // As an integer, -0 is the least of all.
            next.extend(seen.next().map(|least| b.same(arith::MINSI, &[*least, bits])));
        }
        if let (Some(nan), Some(odd)) = (float.nan, seen.next()) {
            let other = b.same(arith::XORI, &[bits, b.int(bits.ty(), nan)]);
            let is_nan = self.is_nan(b, self.magnitude(b, bits), float);
            let other = b.same(arith::ANDI, &[other, is_nan]);
            next.push(b.same(arith::ORI, &[*odd, other]));
        }
        next
    }

    /// Whether [`Self::restore`] is needed, from the vectors of recorded state.
    pub fn found(&self, b: &Builder<'c>, seen: &[Value<'c>]) -> Option<Value<'c>> {
        let mut all = Vec::new();
        for (row, unseen) in seen.iter().zip(self.unseen()) {
            for lane in 0..row.ty().shape().unwrap_or_default().iter().product() {
                let lane = b.extract(*row, &[b.index(lane)]);
                all.push(match unseen {
                    0 => b.cmpi(arith::CmpIPredicate::Ne, lane, b.int(lane.ty(), 0)),
                    _ => {
                        b.cmpi(arith::CmpIPredicate::Eq, lane, b.int(lane.ty(), least(self.width)))
                    }
                });
            }
        }
        all.into_iter().reduce(|one, other| b.same(arith::ORI, &[one, other]))
    }

    /// Restores the original order of the elements of `from` that share their keys.
    pub fn restore(
        &self,
        b: &Builder<'c>,
        line: &Line<'c>,
        [from, to]: [Value<'c>; 2],
        others: &[Value<'c>],
    ) -> Outcome<Value<'c>> {
        let classes = self.classes();
        let (zero, end) = (b.index(0), line.end(b));
        let key = |b: &Builder<'c>, position| {
            let element = b.extract(from, &line.place(others, position));
            (element, self.key(b, element))
        };
        let none = vec![zero; classes.len()];
        let firsts = for_loop(b, zero, end, &none, |b, position, firsts| {
            let (_, key) = key(b, position);
            let counted = classes.iter().zip(firsts).map(|(class, first)| {
                let before = b.cmpi(arith::CmpIPredicate::Slt, key, b.int(key.ty(), *class));
                let one = b.cast(arith::EXTUI, before, integer(b.context, 64));
                let one = b.cast(arith::INDEX_CAST, one, index(b.context));
                b.same(arith::ADDI, &[*first, one])
            });
            Ok(counted.collect())
        })?;
        let mut carried = vec![to];
        carried.extend(firsts);
        let done = for_loop(b, zero, end, &carried, |b, position, carried| {
            let (element, key) = key(b, position);
            let mut carried = carried.to_vec();
            for (number, class) in classes.iter().enumerate() {
                let own = [carried[0], carried[number + 1]];
                let is_one = b.cmpi(arith::CmpIPredicate::Eq, key, b.int(key.ty(), *class));
                let next = when(b, is_one, &own, |b| {
                    let to = insert(b, element, own[0], &line.place(others, own[1]));
                    Ok(vec![to, b.same(arith::ADDI, &[own[1], b.index(1)])])
                })?;
                (carried[0], carried[number + 1]) = (next[0], next[1]);
            }
            Ok(carried)
        })?;
        done.first().copied().or_decline("the loop carries nothing")
    }

    /// The keys that several elements have.
    fn classes(&self) -> Vec<i64> {
        let Some(float) = self.float else { return Vec::new() };
        let nan = float.nan.map(|nan| float.key(nan, self.width));
        let keys = float.zeros.then_some(0).into_iter().chain(nan);
        keys.map(|key| key ^ self.flipped).collect()
    }

    fn bits(&self, b: &Builder<'c>, element: Value<'c>) -> Value<'c> {
        let ty = like(element.ty(), self.ty(b));
        if element.ty() == ty { element } else { b.cast(arith::BITCAST, element, ty) }
    }

    fn flip(&self, b: &Builder<'c>, key: Value<'c>) -> Value<'c> {
        match self.flipped {
            0 => key,
            flipped => b.same(arith::XORI, &[key, b.int(key.ty(), flipped)]),
        }
    }

    /// All bits of a negative number, none of another.
    fn sign(&self, b: &Builder<'c>, bits: Value<'c>) -> Value<'c> {
        b.same(arith::SHRSI, &[bits, b.int(bits.ty(), i64::from(self.width) - 1)])
    }

    fn magnitude(&self, b: &Builder<'c>, bits: Value<'c>) -> Value<'c> {
        b.same(arith::ANDI, &[bits, b.int(bits.ty(), most(self.width))])
    }

    /// All bits of a NaN, none of another number.
    fn is_nan(&self, b: &Builder<'c>, magnitude: Value<'c>, float: Float) -> Value<'c> {
        let infinity = b.int(magnitude.ty(), float.infinity);
        self.sign(b, b.same(arith::SUBI, &[infinity, magnitude]))
    }
}

impl Float {
    /// The key of a number, before any bits are flipped.
    fn key(self, bits: i64, width: u32) -> i64 {
        let sign = bits >> (width - 1);
        ((bits & most(width)) ^ sign) - if self.zeros { sign } else { 0 }
    }
}

/// Looks through selects that unify zeros and NaNs down to an argument.
fn canonical(value: Value<'_>, width: u32, float: &mut Float) -> Option<()> {
    if value.block_arg().is_some() {
        return Some(());
    }
    let select = value.owner().filter(|op| op.kind() == OpKind::Select)?;
    let [condition, constant, number] = select.operands()[..] else { return None };
    let compare = condition.owner().filter(|op| op.kind() == OpKind::Compare)?;
    let [x, y] = compare.operands()[..] else { return None };
    let order = compare.attr("compare_type").and_then(ComparisonType::from_attribute);
    let same = x.block_arg().is_some() && number_of(number) == Some(x);
    if order == Some(ComparisonType::TotalOrder) || !same {
        return None;
    }
    let raw = bits_of(constant.owner()?)?;
    let magnitude = raw & most(width);
    match compare.attr("comparison_direction").and_then(Direction::from_attribute)? {
        Direction::Eq if magnitude == 0 && bits_of(y.owner()?)? & most(width) == 0 => {
            float.zeros = true;
        }
        Direction::Ne if x == y && magnitude > float.infinity => {
            // The last select takes precedence.
            float.nan.get_or_insert(raw);
        }
        _ => return None,
    }
    canonical(number, width, float)
}

/// The argument at the start of the selects.
fn number_of(value: Value<'_>) -> Option<Value<'_>> {
    let mut value = value;
    while value.block_arg().is_none() {
        let select = value.owner().filter(|op| op.kind() == OpKind::Select)?;
        value = select.operand(2);
    }
    Some(value)
}

/// The bits of a constant, sign-extended.
fn bits_of(constant: Op<'_>) -> Option<i64> {
    let raw = constant.attr("value").filter(|_| constant.kind() == OpKind::Constant)?;
    let raw = raw.raw_elements()?;
    let mut bytes = [0; 8];
    bytes.get_mut(..raw.len())?.copy_from_slice(&raw);
    let unused = 64 - 8 * raw.len() as u32;
    (unused < 64).then(|| i64::from_le_bytes(bytes) << unused >> unused)
}

fn most(width: u32) -> i64 {
    i64::MAX >> (64 - width)
}

fn least(width: u32) -> i64 {
    i64::MIN >> (64 - width)
}

/// `element`, or a vector of it if `ty` is one.
fn like<'c>(ty: Type<'c>, element: Type<'c>) -> Type<'c> {
    match ty.shape().filter(|_| ty.is_tensor_type()) {
        Some(shape) => tensor(&shape, element),
        None => element,
    }
}
