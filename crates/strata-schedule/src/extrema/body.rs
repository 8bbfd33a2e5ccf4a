//! Elements on vectors, and what lanes carry.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, Builder, Type, TypeExt as _, Value,
    arith::{self, CmpFPredicate, CmpIPredicate},
    dense_bytes, int, integer, ub, vector,
};

use super::{
    find::{Extremum, Start},
    plan::Plan,
};
use crate::structured::Index;

/// An extremum on vectors.
pub struct Lanes<'a, 'c> {
    pub of: &'a Extremum<'c>,
    pub plan: &'a Plan,
}

impl<'c> Lanes<'_, 'c> {
    /// The element that lanes compare.
    pub fn element(&self, b: &Builder<'c>) -> Type<'c> {
        match self.plan.is_widened {
            true => integer(b.context, self.plan.bits),
            false => self.of.element.ty(),
        }
    }

    /// The type of places in lanes.
    pub fn number(&self, b: &Builder<'c>) -> Type<'c> {
        integer(b.context, self.plan.bits)
    }

    /// A vector of elements of a type.
    pub fn vector(&self, element: Type<'c>) -> Type<'c> {
        strata_ir::vector(&[self.plan.lanes], element)
    }

    /// How many values a lane carries: the extremum, its first place, and maybe its last one.
    pub fn carried(&self) -> usize {
        self.of.nest.op.result_count()
    }

    /// What lanes of type `ty` carry first, as value `at` of those that they carry.
    pub fn start(&self, b: &Builder<'c>, at: usize) -> Option<Value<'c>> {
        let ty = self.vector(self.type_of(b, at));
        if at > 0 {
            return Some(b.int(ty, 0));
        }
        Some(match self.of.neutral()? {
            Start::Float(number) => b.float(ty, number),
            // All bits are set in the greatest number without a sign.
            Start::Integer(number) if self.plan.is_widened && !self.of.signed => {
                let own = self.of.element.ty().bit_width()?;
                b.int(ty, number & ((1 << own) - 1))
            }
            Start::Integer(number) => b.int(ty, number),
        })
    }

    /// The type of value `at` of those that a lane carries.
    pub fn type_of(&self, b: &Builder<'c>, at: usize) -> Type<'c> {
        if at == 0 { self.element(b) } else { self.number(b) }
    }

    /// The elements at these indices of the loops, of which the innermost is that of the first lane.
    pub fn elements(&self, b: &Builder<'c>, at: &[Value<'c>]) -> Option<Value<'c>> {
        let (nest, body) = (&self.of.nest, self.of.nest.op.body(0));
        let mut known: HashMap<Value<'c>, Value<'c>> = HashMap::new();
        for operand in 0..nest.inputs {
            if body.arg(operand).has_uses() {
                known.insert(body.arg(operand), self.read(b, operand, at)?);
            }
        }
        for op in self.of.computation() {
            let b = Builder { location: op.location(), ..*b };
            let operand =
                |value: Value<'c>| known.get(&value).copied().or_else(|| self.outer(&b, value));
            let operands = op.operands().into_iter().map(operand).collect::<Option<Vec<_>>>()?;
            let ty = self.vector(op.result(0).ty());
            let made = b.op(op.name()).operands(&operands).attrs(&op.attrs()).result(ty).value();
            known.insert(op.result(0), made);
        }
        let element = self.of.element;
        let own = known.get(&element).copied().or_else(|| self.outer(b, element))?;
        if !self.plan.is_widened {
            return Some(own);
        }
        let cast = if self.of.signed { arith::EXTSI } else { arith::EXTUI };
        Some(b.cast(cast, own, self.vector(self.element(b))))
    }

    /// Elements of an input: a vector of them, or one in all lanes.
    fn read(&self, b: &Builder<'c>, operand: usize, at: &[Value<'c>]) -> Option<Value<'c>> {
        let nest = &self.of.nest;
        let (from, map) = (nest.op.operand(operand), &nest.maps[operand]);
        let element = from.ty().element();
        if !from.ty().is_tensor_type() {
            return Some(b.broadcast(from, self.vector(element)));
        }
        let index = |index: &Index| match index {
            Index::Loop(number) => at.get(*number).copied(),
            Index::Mixed(_) => None,
        };
        let indices = map.iter().map(index).collect::<Option<Vec<_>>>()?;
        let padding = ub::poison(b, element).value();
        let along = nest.walks_along(operand, at.len() - 1);
        let (dims, ty) = match along {
            true => (vec![map.len() - 1], self.vector(element)),
            false => (Vec::new(), strata_ir::vector(&[], element)),
        };
        let whole = vec![true; dims.len()];
        let map = AffineMap::projection(map.len(), &dims);
        let read = vector::transfer_read(b, from, &map, padding, &whole, ty);
        let read = read.indices(&indices).value();
        Some(if along { read } else { b.broadcast(read, self.vector(element)) })
    }

    /// A value from outside of the body in all lanes.
    fn outer(&self, b: &Builder<'c>, value: Value<'c>) -> Option<Value<'c>> {
        let ty = self.vector(value.ty());
        let constant = value.owner().filter(|owner| owner.is(arith::CONSTANT));
        Some(match constant {
            Some(owner) => b.splat(ty, owner.attr("value")?),
            None => b.broadcast(value, ty),
        })
    }

    /// What lanes carry once they have met `elements`, at `place`.
    pub fn next(
        &self,
        b: &Builder<'c>,
        elements: Value<'c>,
        place: Value<'c>,
        carried: &[Value<'c>],
    ) -> Vec<Value<'c>> {
        let (of, extreme) = (self.of, carried[0]);
        let takes = if of.is_float() {
            let beyond = if of.largest { CmpFPredicate::Ugt } else { CmpFPredicate::Ult };
            let number = match strata_ir::planted("schedule-extremum-nan") {
                true => elements,
                false => extreme,
            };
            let is_number = b.cmpf(CmpFPredicate::Ord, number, number);
            b.same(arith::ANDI, &[b.cmpf(beyond, elements, extreme), is_number])
        } else {
            let predicate = match (of.largest, of.signed) {
                (true, true) => CmpIPredicate::Sgt,
                (true, false) => CmpIPredicate::Ugt,
                (false, true) => CmpIPredicate::Slt,
                (false, false) => CmpIPredicate::Ult,
            };
            b.cmpi(predicate, elements, extreme)
        };
        let mut next = vec![b.select(takes, elements, extreme), b.select(takes, place, carried[1])];
        if let Some(last) = carried.get(2) {
            let reaches = if of.largest { CmpFPredicate::Oge } else { CmpFPredicate::Ole };
            next.push(b.select(b.cmpf(reaches, elements, extreme), place, *last));
        }
        next
    }

    /// An index in all lanes.
    pub fn place(&self, b: &Builder<'c>, index: Value<'c>) -> Value<'c> {
        let number = b.cast(arith::INDEX_CAST, index, self.number(b));
        b.broadcast(number, self.vector(self.number(b)))
    }

    /// Numbers from `first` on, one in each lane.
    pub fn numbers(&self, b: &Builder<'c>, first: i64) -> Option<Value<'c>> {
        let ty = self.vector(self.number(b));
        let width = usize::try_from(self.plan.bits / 8).ok()?;
        let numbers = first..first + self.plan.lanes;
        let bytes: Vec<u8> =
            numbers.flat_map(|number| number.to_le_bytes().into_iter().take(width)).collect();
        Some(arith::constant(b, dense_bytes(ty, &bytes)?, ty).value())
    }

    /// Value `at` of those that lanes carry, a scalar or a vector, as elements of the operation's result.
    pub fn result(&self, b: &Builder<'c>, at: usize, value: Value<'c>) -> Value<'c> {
        let element = self.of.nest.op.result(at).ty().element();
        let (own, wanted) = (value.ty().element().bit_width(), element.bit_width());
        let ty = b.like(value.ty(), element);
        match own.cmp(&wanted) {
            std::cmp::Ordering::Less => b.cast(arith::EXTSI, value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => b.cast(arith::TRUNCI, value, ty),
        }
    }

    /// The largest number of places.
    pub fn none(&self, b: &Builder<'c>) -> Value<'c> {
        let number = self.number(b);
        b.splat(self.vector(number), int(number, i64::MAX >> (64 - self.plan.bits)))
    }
}
