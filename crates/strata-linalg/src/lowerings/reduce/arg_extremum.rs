//! Argmax and argmin: `reduce` of values and indices to an extremum and its first index, as two vectorisable reductions
//! instead of one on pairs.
//!
//! ```text
//! %1:2 = stablehlo.reduce(%x init: -inf), (%iota init: 0) across dimensions = [1]
//!   reducer(%a, %c) (%i, %j) { the larger value, a NaN before all others; the smaller place on a tie }
//! ```
//! becomes
//! ```text
//! %m = linalg.reduce %x by maximumf
//! %p = linalg.generic ins(%x, %m) outs(largest integer) { %x equals %m or is NaN ? its index : largest, by minsi }
//! ```
//! Narrow floats are compared as `f32`, booleans as bytes.
//!
//! Zeros of either sign are equal, and so are NaNs to `maximumf`; the region keeps the bits of one of the elements: the
//! last of equal numbers, the first NaN. Where floats are used beside their indices, the second reduction has the
//! largest index of an equal element as another result, and the element is read there.
//!
//! Where a mask has left the least value in `%x` from some element on, the second reduction leaves these out instead of comparing them,
//! so that both may end there. Without any element before, the index is 0, as it is of least values only.

use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, ComparisonDirection as Direction, ComparisonType,
    Op, OpKind, Type, TypeExt as _, Value, arith, integer, linalg::IteratorType,
};
use strata_rewrite::{Lowerer, Outcome};

use crate::{
    dims::{ints, shape},
    generic::{Indexed, generic, loop_index},
    lowerings::reduce::{converted, reduce},
    masked::Masked,
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
    pub fn build<'c>(
        &self,
        b: &Builder<'c>,
        op: Op<'c>,
        x: Value<'c>,
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let (narrow, element) = (x.ty().element(), self.compared_in(b, x.ty().element()));
        let reads_element = self.class == Class::Float && op.result(0).has_uses();
        let masked = self.masked(op).filter(|_| !reads_element);
        let masked = masked
            .and_then(|masked| Some((lowerer.lookup(masked.plain)?, lowerer.lookup(masked.mask)?)));
        let given = x;
        let wide = |value| {
            converted(b, value, element, |b, value| match self.class {
                Class::Bool => b.cast(arith::EXTUI, value, element),
                _ => b.cast(arith::EXTF, value, element),
            })
        };
        let x = wide(given)?;
        let sizes = shape(x)?;
        let kept = shape(op.result(0))?;
        let name = match (self.class, self.largest) {
            (Class::Float, true) => arith::MAXIMUMF,
            (Class::Float, false) => arith::MINIMUMF,
            (Class::Signed, true) => arith::MAXSI,
            (Class::Signed, false) => arith::MINSI,
            (_, true) => arith::MAXUI,
            (_, false) => arith::MINUI,
        };
        let width = 64 - element.bit_width().unwrap_or(64);
        let start = match (self.class, self.largest) {
            (Class::Float, true) => b.float(element, f64::NEG_INFINITY),
            (Class::Float, false) => b.float(element, f64::INFINITY),
            (Class::Signed, true) => b.int(element, i64::MIN >> width),
            (Class::Signed, false) => b.int(element, i64::MAX >> width),
            (_, true) => b.int(element, 0),
            (_, false) => b.int(element, -1),
        };
        let extreme =
            reduce(b, &[x], &[b.filled(start, &kept)], &[self.dim], |b, sums, elements| {
                Ok(vec![b.same(name, &[elements[0], sums[0]])])
            })?[0];
        let rank = sizes.len();
        let dim = self.dim as usize;
        let over: Vec<_> = (0..rank).filter(|other| *other != dim).collect();
        let position_type = op.result(1).ty().element().signless();
        let signed = self.positions == Class::Signed;
        let bits = position_type.bit_width().unwrap_or(64);
        let none = if signed { i64::MAX >> (64 - bits) } else { -1 };
        let before_all = if signed { -1 } else { 0 };
        let (least, greatest) =
            if signed { (arith::MINSI, arith::MAXSI) } else { (arith::MINUI, arith::MAXUI) };
        let compared = masked.map_or(Ok(x), |(plain, _)| wide(plain))?;
        let mut inputs = vec![Indexed::identity(compared), Indexed::by(extreme, rank, &over)];
        inputs.extend(masked.map(|(_, mask)| Indexed::by(mask, rank, &[dim])));
        let mut outputs =
            vec![Indexed::by(b.filled(b.int(position_type, none), &kept), rank, &over)];
        if reads_element {
            let start = b.filled(b.int(position_type, before_all), &kept);
            outputs.push(Indexed::by(start, rank, &over));
        }
        let mut loops = vec![IteratorType::Parallel; rank];
        loops[dim] = IteratorType::Reduction;
        let mut positions = generic(b, &inputs, &outputs, &loops, |b, args| {
            let (args, carried) = args.split_at(inputs.len());
            let (equal, here) = match self.class {
                Class::Float => {
                    let equal = b.cmpf(arith::CmpFPredicate::Oeq, args[0], args[1]);
                    let no_number = b.cmpf(arith::CmpFPredicate::Uno, args[0], args[0]);
                    (equal, b.same(arith::ORI, &[equal, no_number]))
                }
                _ => {
                    let equal = b.cmpi(arith::CmpIPredicate::Eq, args[0], args[1]);
                    (equal, equal)
                }
            };
            let place = b.cast(arith::INDEX_CAST, loop_index(b, dim), position_type);
            // Not the accumulator: the select must be independent of the reduction to be vectorised.
            let none = b.int(position_type, none);
            let mut first = b.select(here, place, none);
            if let Some(valid) = args.get(2) {
                first = b.select(*valid, first, none);
            }
            let mut results = vec![b.same(least, &[first, carried[0]])];
            if reads_element {
                let last = b.select(equal, place, b.int(position_type, before_all));
                results.push(b.same(greatest, &[last, carried[1]]));
            }
            Ok(results)
        })?;
        if masked.is_some() {
            let found = [Indexed::identity(positions[0])];
            let output = Indexed::identity(b.empty(&kept, position_type));
            let loops = vec![IteratorType::Parallel; kept.len()];
            positions = generic(b, &found, &[output], &loops, |b, args| {
                let none = b.int(position_type, none);
                let is_none = b.cmpi(arith::CmpIPredicate::Eq, args[0], none);
                Ok(vec![b.select(is_none, b.int(position_type, 0), args[0])])
            })?;
        }
        let extreme = if let [first, last] = positions[..] {
            self.elements_at(b, given, extreme, first, last)?
        } else {
            converted(b, extreme, narrow, |b, value| match self.class {
                Class::Bool => b.cast(arith::TRUNCI, value, narrow),
                _ => b.cast(arith::TRUNCF, value, narrow),
            })?
        };
        Ok(vec![extreme, positions[0]])
    }

    /// The operand, if from some element on it is what the reduction starts with.
    fn masked<'c>(&self, op: Op<'c>) -> Option<Masked<'c>> {
        let dim = usize::try_from(self.dim).ok()?;
        let masked = Masked::of(op.operand(0), dim)?;
        let length = *op.operand(0).ty().shape()?.get(dim)?;
        let bits = op.operand(1).ty().element().bit_width()?;
        // Which is below the largest number of the type.
        let fits = length < 1 << (bits - 1).min(62);
        (fits && masked.constant == initial(op.operand(2))?).then_some(masked)
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
