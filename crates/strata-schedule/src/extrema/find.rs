//! Recognises reductions to an extreme element and its place.

use strata_ir::{
    AttributeExt as _, Op, Type, TypeExt as _, Value,
    arith::{self, CmpFPredicate, CmpIPredicate},
    linalg,
};

use crate::structured::{Index, Structured};

/// A reduction along one dimension whose results are an extreme element, its first place, and maybe the last place of an equal one.
#[derive(Clone)]
pub struct Extremum<'c> {
    pub nest: Structured<'c>,
    /// The loop that is reduced.
    pub dim: usize,
    /// The element in the body.
    pub element: Value<'c>,
    pub largest: bool,
    /// Whether integers are compared with their sign.
    pub signed: bool,
}

impl<'c> Extremum<'c> {
    /// Reads a nest; `None` if it is another one.
    pub fn of(nest: &Structured<'c>) -> Option<Self> {
        let (op, inputs) = (nest.op, nest.inputs);
        let mut reduced = (0..nest.extents.len()).filter(|dim| nest.reduction[*dim]);
        let (Some(dim), None) = (reduced.next(), reduced.next()) else { return None };
        let kept = (0..nest.extents.len()).filter(|other| *other != dim).map(Index::Loop);
        let kept: Vec<_> = kept.collect();
        if !(2..=3).contains(&op.result_count())
            || nest.maps[inputs..].iter().any(|map| *map != kept)
        {
            return None;
        }
        let body = op.body(0);
        let carried = body.args().split_off(inputs);
        let returned = body.terminator()?.operands();
        let [takes, element, before] = choice(returned[0])?;
        let [also, place, first] = choice(returned[1])?;
        if (also, before, first) != (takes, carried[0], carried[1]) || !is_place(place, dim) {
            return None;
        }
        let (largest, signed) = direction(takes, element, before)?;
        if let (Some(last), Some(kept)) = (returned.get(2), carried.get(2)) {
            let [reaches, own, before] = choice(*last)?;
            let predicate = if largest { CmpFPredicate::Oge } else { CmpFPredicate::Ole };
            if (own, before) != (place, *kept)
                || floats(reaches, predicate, [element, carried[0]]).is_none()
            {
                return None;
            }
        }
        let found = Self { nest: nest.clone(), dim, element, largest, signed };
        let starts_from =
            |position: usize, value: Start| found.start(inputs + position) == Some(value);
        let starts = starts_from(0, found.neutral()?)
            && (1..op.result_count()).all(|position| starts_from(position, Start::Integer(0)));
        let computation = found.computation();
        let mut used = computation.iter().flat_map(|op| op.operands()).chain([element]);
        let is_apart = !used.any(|value| carried.contains(&value));
        (starts && is_apart).then_some(found)
    }

    /// The operations of the body that the element is computed by, in order.
    pub fn computation(&self) -> Vec<Op<'c>> {
        let mut needed = vec![self.element];
        let mut found = Vec::new();
        for op in self.nest.op.body(0).ops().into_iter().rev() {
            let is_needed = op.results().iter().any(|result| needed.contains(result));
            if is_needed && !op.is(arith::CONSTANT) {
                needed.extend(op.operands());
                found.push(op);
            }
        }
        found.reverse();
        found
    }

    pub fn is_float(&self) -> bool {
        self.element.ty().is_float_type()
    }

    /// The element that no other one is beyond: the least for a maximum.
    pub fn neutral(&self) -> Option<Start> {
        let ty = self.element.ty();
        let width = 64 - ty.bit_width().filter(|bits| (1..=64).contains(bits))?;
        Some(match (self.is_float(), self.largest, self.signed) {
            (true, true, _) => Start::Float(f64::NEG_INFINITY),
            (true, false, _) => Start::Float(f64::INFINITY),
            (_, true, true) => Start::Integer(i64::MIN >> width),
            (_, false, true) => Start::Integer(i64::MAX >> width),
            (_, true, false) => Start::Integer(0),
            (_, false, false) => Start::Integer(-1),
        })
    }

    /// What an operand is filled with.
    fn start(&self, operand: usize) -> Option<Start> {
        let fill = self.nest.op.operand(operand).owner().filter(|owner| owner.is(linalg::FILL))?;
        let value = fill.operand(0).owner().filter(|owner| owner.is(arith::CONSTANT))?;
        let value = value.attr("value")?;
        value.as_f64().map(Start::Float).or_else(|| value.as_i64().map(Start::Integer))
    }

    /// Whether a producer of its elements is computed on vectors with it: elementwise, of the same elements.
    pub fn takes(nest: &Structured<'c>) -> bool {
        nest.is_parallel()
            && nest.writes_identity()
            && nest.op.body(0).ops().into_iter().all(is_on_elements)
            && crate::tiling::elementwise::is_contiguous(nest)
    }
}

/// What a result begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    Float(f64),
    Integer(i64),
}

/// Whether an operation of a body is one on vectors, too.
pub fn is_on_elements(op: Op<'_>) -> bool {
    let is_number = |ty: Type<'_>| {
        (ty.is_int() || ty.is_float_type()) && ty.bit_width().is_some_and(|bits| bits <= 64)
    };
    op.is(linalg::YIELD)
        || matches!(op.dialect(), "arith" | "math")
            && op.region_count() == 0
            && op.result_types().into_iter().all(is_number)
            && op.operands().into_iter().all(|value| is_number(value.ty()))
}

/// The place: the index of a loop as an integer.
fn is_place(value: Value<'_>, dim: usize) -> bool {
    let cast = value.owner().filter(|owner| owner.is(arith::INDEX_CAST));
    let index = cast.and_then(|cast| cast.operand(0).owner()).filter(|op| op.is(linalg::INDEX));
    index.and_then(|index| index.attr("dim")?.as_i64()) == i64::try_from(dim).ok()
}

/// The operands of a selection.
fn choice(value: Value<'_>) -> Option<[Value<'_>; 3]> {
    let select = value.owner().filter(|owner| owner.is(arith::SELECT))?;
    <[Value<'_>; 3]>::try_from(select.operands()).ok()
}

/// Whether an element is taken if it is larger than the one before, and whether integers have a sign.
fn direction<'c>(takes: Value<'c>, element: Value<'c>, before: Value<'c>) -> Option<(bool, bool)> {
    let owner = takes.owner()?;
    if owner.is(arith::CMPI) {
        if owner.operands() != [element, before] {
            return None;
        }
        return match CmpIPredicate::of(owner.attr("predicate")?)? {
            CmpIPredicate::Sgt => Some((true, true)),
            CmpIPredicate::Slt => Some((false, true)),
            CmpIPredicate::Ugt => Some((true, false)),
            CmpIPredicate::Ult => Some((false, false)),
            _ => None,
        };
    }
    if !owner.is(arith::ANDI) {
        return None;
    }
    let [left, right] = [owner.operand(0), owner.operand(1)];
    [(left, right), (right, left)].into_iter().find_map(|(beyond, number)| {
        floats(number, CmpFPredicate::Ord, [before, before])?;
        let is = |predicate| floats(beyond, predicate, [element, before]).is_some();
        let largest = is(CmpFPredicate::Ugt);
        (largest || is(CmpFPredicate::Ult)).then_some((largest, true))
    })
}

/// Whether a value compares these floats.
fn floats<'c>(value: Value<'c>, predicate: CmpFPredicate, of: [Value<'c>; 2]) -> Option<()> {
    let owner = value.owner().filter(|owner| owner.is(arith::CMPF))?;
    (owner.operands() == of && CmpFPredicate::of(owner.attr("predicate")?)? == predicate)
        .then_some(())
}
