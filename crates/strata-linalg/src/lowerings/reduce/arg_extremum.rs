//! Argmax and argmin: `reduce` of values and indices to an extremum and its first index, as one nest with both results.
//!
//! ```text
//! %1:2 = stablehlo.reduce(%x init: -inf), (%iota init: 0) across dimensions = [1]
//!   reducer(%a, %c) (%i, %j) { the larger value, a NaN before all others; the smaller place on a tie }
//! ```
//! becomes
//! ```text
//! %m, %p = linalg.generic ins(%x) outs(-inf, 0) {
//! ^bb0(%in, %extreme, %first):
//!   %beyond = %in is above %extreme, or either is NaN
//!   %takes = %beyond, and %extreme is a number
//!   yield %takes ? %in : %extreme, %takes ? its index : %first
//! }
//! ```
//! The form is what stage `schedule` makes vectors of, each lane with an extremum and an index of its own. Narrow floats are compared as
//! `f32`, booleans as bytes.
//!
//! Zeros of either sign are equal, and so are NaNs; the region keeps the bits of one of the elements: the last of equal numbers, the
//! first NaN. Where floats are used beside their indices, the nest has the last index of an equal element as a third result, and
//! the element is read there.
//!
//! An element that the reduction starts with changes nothing: where a mask has left it in `%x`, the nest may end.

use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, ComparisonDirection as Direction, ComparisonType,
    Op, OpKind, Type, TypeExt as _, Value, arith, integer, linalg::IteratorType,
};
use strata_rewrite::Outcome;

use crate::{
    dims::{ints, shape},
    generic::{Indexed, generic, loop_index},
    lowerings::{reduce::converted, shape::reshape::reshape},
    numbers::element::{Class, computed_in},
};

/// A reduction to the extreme value and its first index.
pub struct ArgExtremum {
    dim: i64,
    largest: bool,
    class: Class,
    positions: Class,
}

impl ArgExtremum {
    /// Reads a `reduce`; `None` if it is another reduction.
    pub fn of(op: Op<'_>) -> Option<Self> {
        let [x, positions, least, zero] = op.operands()[..] else { return None };
        let [dim] = ints(op, "dimensions").ok()?[..] else { return None };
        let iota = positions.owner().filter(|owner| owner.kind() == OpKind::Iota)?;
        if iota.attr("iota_dimension")?.as_i64()? != dim || x.ty().shape()?.contains(&0) {
            return None;
        }
        let element = x.ty().element();
        let position_bits = positions.ty().element().bit_width()?;
        let length = *x.ty().shape()?.get(usize::try_from(dim).ok()?)?;
        // All indices must be distinct.
        if length > 1 << (position_bits - 1).min(62) {
            return None;
        }
        let class = Class::of(element)?;
        let wide = class != Class::Float || element.bit_width()? >= 16;
        let position_class = Class::of(positions.ty().element())?;
        let counts = matches!(position_class, Class::Signed | Class::Unsigned);
        if !wide || !counts || class == Class::Complex {
            return None;
        }
        let largest = reads_extremum(op.region(0).first_block()?, class)?;
        let first_position = initial(zero)?.as_i64()? == 0;
        let start = initial(least)?;
        let width = 64 - element.bit_width()?;
        let neutral = match (class, largest) {
            (Class::Float, true) => start.as_f64()? == f64::NEG_INFINITY,
            (Class::Float, false) => start.as_f64()? == f64::INFINITY,
            (Class::Signed, true) => start.as_i64()? == i64::MIN >> width,
            (Class::Signed, false) => start.as_i64()? == i64::MAX >> width,
            (_, true) => start.as_i64()? == 0,
            (Class::Bool, false) => start.as_i64()? != 0,
            (_, false) => false,
        };
        (first_position && neutral).then_some(Self {
            dim,
            largest,
            class,
            positions: position_class,
        })
    }

    /// The extreme values and their indices.
    pub fn build<'c>(&self, b: &Builder<'c>, op: Op<'c>, x: Value<'c>) -> Outcome<Vec<Value<'c>>> {
        let (narrow, element) = (x.ty().element(), self.compared_in(b, x.ty().element()));
        let reads_element = self.class == Class::Float && op.result(0).has_uses();
        let kept = shape(op.result(0))?;
        let rank = kept.len() + 1;
        let dim = self.dim as usize;
        let over: Vec<_> = (0..rank).filter(|other| *other != dim).collect();
        let position_type = op.result(1).ty().element().signless();
        let zero = b.int(position_type, 0);
        if shape(x)?[dim] == 1 {
            return Ok(vec![reshape(b, x, &kept)?, b.filled(zero, &kept)]);
        }
        let mut starts = vec![self.start(b, element), zero];
        if reads_element {
            starts.push(zero);
        }
        let outputs: Vec<_> = starts
            .into_iter()
            .map(|start| Indexed::by(b.filled(start, &kept), rank, &over))
            .collect();
        let mut loops = vec![IteratorType::Parallel; rank];
        loops[dim] = IteratorType::Reduction;
        let results = generic(b, &[Indexed::identity(x)], &outputs, &loops, |b, args| {
            let (own, extreme) = (self.wide(b, args[0], element), args[1]);
            let place = b.cast(arith::INDEX_CAST, loop_index(b, dim), position_type);
            let takes = self.takes(b, own, extreme);
            let mut results = vec![b.select(takes, own, extreme), b.select(takes, place, args[2])];
            if reads_element {
                let reaches = match self.largest {
                    true => arith::CmpFPredicate::Oge,
                    false => arith::CmpFPredicate::Ole,
                };
                results.push(b.select(b.cmpf(reaches, own, extreme), place, args[3]));
            }
            Ok(results)
        })?;
        let extreme = if let [extreme, first, last] = results[..] {
            self.elements_at(b, x, extreme, first, last)?
        } else {
            converted(b, results[0], narrow, |b, value| match self.class {
                Class::Bool => b.cast(arith::TRUNCI, value, narrow),
                _ => b.cast(arith::TRUNCF, value, narrow),
            })?
        };
        Ok(vec![extreme, results[1]])
    }

    /// An element in the type that elements are compared in.
    fn wide<'c>(&self, b: &Builder<'c>, value: Value<'c>, element: Type<'c>) -> Value<'c> {
        match self.class {
            _ if value.ty() == element => value,
            Class::Bool => b.cast(arith::EXTUI, value, element),
            _ => b.cast(arith::EXTF, value, element),
        }
    }

    /// The least element of the type that elements are compared in, the greatest for minima.
    fn start<'c>(&self, b: &Builder<'c>, element: Type<'c>) -> Value<'c> {
        let width = 64 - element.bit_width().unwrap_or(64);
        match (self.class, self.largest) {
            (Class::Float, true) => b.float(element, f64::NEG_INFINITY),
            (Class::Float, false) => b.float(element, f64::INFINITY),
            (Class::Signed, true) => b.int(element, i64::MIN >> width),
            (Class::Signed, false) => b.int(element, i64::MAX >> width),
            (_, true) => b.int(element, 0),
            (_, false) => b.int(element, -1),
        }
    }

    /// Whether an element replaces what was extreme among those before it.
    fn takes<'c>(&self, b: &Builder<'c>, own: Value<'c>, extreme: Value<'c>) -> Value<'c> {
        let by = |predicate| b.cmpi(predicate, own, extreme);
        match (self.class, self.largest) {
            (Class::Float, largest) => {
                let beyond = match largest {
                    true => arith::CmpFPredicate::Ugt,
                    false => arith::CmpFPredicate::Ult,
                };
                // The first NaN stays.
                let is_number = b.cmpf(arith::CmpFPredicate::Ord, extreme, extreme);
                b.same(arith::ANDI, &[b.cmpf(beyond, own, extreme), is_number])
            }
            (Class::Signed, true) => by(arith::CmpIPredicate::Sgt),
            (Class::Signed, false) => by(arith::CmpIPredicate::Slt),
            (_, true) => by(arith::CmpIPredicate::Ugt),
            (_, false) => by(arith::CmpIPredicate::Ult),
        }
    }

    /// The elements of `x` at the first NaN of each group, else at the last element that is equal to the extreme value.
    fn elements_at<'c>(
        &self,
        b: &Builder<'c>,
        x: Value<'c>,
        extreme: Value<'c>,
        first: Value<'c>,
        last: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let kept = shape(extreme)?;
        let loops = vec![IteratorType::Parallel; kept.len()];
        let inputs = [extreme, first, last].map(Indexed::identity);
        let output = Indexed::identity(b.empty(&kept, x.ty().element()));
        let elements = generic(b, &inputs, &[output], &loops, |b, args| {
            let no_number = b.cmpf(arith::CmpFPredicate::Uno, args[0], args[0]);
            let place = b.select(no_number, args[1], args[2]);
            let cast = match self.positions {
                Class::Signed => arith::INDEX_CAST,
                _ => arith::INDEX_CASTUI,
            };
            let place = b.cast(cast, place, strata_ir::index(b.context));
            let mut places: Vec<_> = (0..kept.len()).map(|dim| loop_index(b, dim)).collect();
            places.insert(self.dim as usize, place);
            Ok(vec![b.extract(x, &places)])
        })?;
        Ok(elements[0])
    }

    /// A type with vector comparisons that represents elements of type `element` exactly.
    fn compared_in<'c>(&self, b: &Builder<'c>, element: Type<'c>) -> Type<'c> {
        match self.class {
            Class::Bool => integer(b.context, 8),
            _ => computed_in(b, element),
        }
    }
}

/// Whether a region on `(a, i, c, j)` keeps the larger (true) or the smaller value and the smaller index on a tie.
fn reads_extremum(block: Block<'_>, class: Class) -> Option<bool> {
    let [a, i, c, j] = block.args()[..] else { return None };
    let [value, place] = block.terminator()?.operands()[..] else { return None };
    let first = select_of(value, [a, c])?;
    let takes = select_of(place, [i, j])?;
    let (x, y) = or_of(takes)?;
    let tie = if x == first { y } else { x };
    if x != first && y != first {
        return None;
    }
    let tie = tie.owner().filter(|op| op.kind() == OpKind::And)?;
    let [equal, earlier] = tie.operands()[..] else { return None };
    (comparison(equal, [a, c])? == Direction::Eq).then_some(())?;
    (comparison(earlier, [i, j])? == Direction::Lt).then_some(())?;
    let direction = match or_of(first) {
        Some((x, y)) => {
            (comparison(y, [a, a])? == Direction::Ne).then_some(())?;
            comparison(x, [a, c])?
        }
        None if class == Class::Float => return None,
        None => comparison(first, [a, c])?,
    };
    match direction {
        Direction::Gt => Some(true),
        Direction::Lt => Some(false),
        _ => None,
    }
}

/// The condition of a select between two values.
fn select_of<'c>(value: Value<'c>, of: [Value<'c>; 2]) -> Option<Value<'c>> {
    let op = value.owner().filter(|op| op.kind() == OpKind::Select)?;
    let [condition, yes, no] = op.operands()[..] else { return None };
    (yes == of[0] && no == of[1]).then_some(condition)
}

fn or_of<'c>(value: Value<'c>) -> Option<(Value<'c>, Value<'c>)> {
    let op = value.owner().filter(|op| op.kind() == OpKind::Or)?;
    Some((op.operand(0), op.operand(1)))
}

/// The value of a splat constant.
fn initial(value: Value<'_>) -> Option<Attribute<'_>> {
    value.owner()?.attr("value")?.splat_value()
}

/// How two values are compared, in the order of numbers: in the total order a NaN is equal to itself.
fn comparison<'c>(value: Value<'c>, of: [Value<'c>; 2]) -> Option<Direction> {
    let op = value.owner().filter(|op| op.kind() == OpKind::Compare)?;
    let order = op.attr("compare_type").and_then(ComparisonType::from_attribute);
    (order != Some(ComparisonType::TotalOrder)).then_some(())?;
    (op.operand(0) == of[0] && op.operand(1) == of[1]).then_some(())?;
    op.attr("comparison_direction").and_then(Direction::from_attribute)
}
