//! Which blocks of scores a mask hides, known from the indices alone: the upper triangle of a causal mask, what is outside of
//! a window.
//!
//! ```text
//! %t = select(%i >= %j, %s, -inf)             // %i and %j: the row's and the key's index
//! ```
//! With rows 0 to 255 and keys 256 to 511, `%i >= %j` is false everywhere: all scores of the block are -inf.

use std::{collections::HashMap, rc::Rc};

use strata_ir::{
    AffineExpr, AttributeExt as _, Op, TypeExt as _, Value, arith,
    arith::{CmpFPredicate, CmpIPredicate},
    linalg,
};

use super::coords::{Coords, backward, is_reshape, loop_coords, through};
use crate::structured::Structured;

/// The coordinates of a mask.
pub struct Scores<'a> {
    /// The size of each.
    pub extents: &'a [i64],
    /// Which of them are rows and keys.
    pub row: usize,
    pub key: usize,
}

/// The blocks of keys that a mask leaves to each block of rows.
pub struct Masked {
    /// For each block of rows the first block of keys that is not hidden, and the one after the last.
    pub visible: Vec<[i64; 2]>,
    /// What hidden scores are.
    pub value: f64,
}

/// Finds the blocks that `op`, whose loops have the coordinates `loops`, hides; `None` if there is none. The blocks have `rows` rows and
/// `keys` keys; the last block of rows may have fewer, and keys that fill no block are never hidden.
pub fn masked<'c>(
    scores: &Scores<'_>,
    (op, loops): (Op<'c>, &Coords),
    [rows, keys]: [i64; 2],
) -> Option<Masked> {
    let chosen = op.body(0).terminator()?.operand(0).owner().filter(|op| op.is(arith::SELECT))?;
    let number = |side: usize| {
        let constant = chosen.operand(side).owner().filter(|owner| owner.is(arith::CONSTANT))?;
        constant.attr("value")?.as_f64().filter(|value| !value.is_nan())
    };
    let (value, hidden) = match (number(1), number(2)) {
        (None, Some(value)) => (value, [0, 0]),
        (Some(value), None) => (value, [1, 1]),
        _ => return None,
    };
    let mut ranges: Vec<Range> = scores.extents.iter().map(|extent| [0, extent - 1]).collect();
    let (all_rows, all_keys) = (scores.extents[scores.row], scores.extents[scores.key]);
    let mut known = Known::default();
    let mut visible = Vec::new();
    let mut hides = false;
    for row in (0..all_rows).step_by(usize::try_from(rows).ok()?) {
        ranges[scores.row] = [row, (row + rows).min(all_rows) - 1];
        let mut seen: Option<[i64; 2]> = None;
        // Blocks of which nothing is known together are halved.
        let mut open = vec![[0, all_keys / keys]];
        while let Some([first, last]) = open.pop() {
            ranges[scores.key] = [first * keys, last * keys - 1];
            let mut search = Search { ranges: &ranges, known: &mut known };
            let found = search.element(op, loops, chosen.operand(0));
            if found == Some(hidden) {
                hides = true;
            } else if last - first > 1 && found.is_none_or(|[least, most]| least < most) {
                let middle = (first + last) / 2;
                open.extend([[middle, last], [first, middle]]);
            } else {
                seen = Some([seen.map_or(first, |[first, _]| first), last]);
            }
        }
        visible.push(seen.unwrap_or([0, 0]));
    }
    let is_shorter = |[first, last]: &[i64; 2]| last - first < all_keys / keys;
    (hides && visible.iter().any(is_shorter)).then_some(Masked { visible, value })
}

/// The least and the largest value; for booleans, 0 and 1.
type Range = [i64; 2];

/// What is read from the program once.
#[derive(Default)]
struct Known<'c> {
    /// The elements of constants.
    elements: HashMap<Value<'c>, Option<Vec<i64>>>,
    nests: HashMap<Op<'c>, Option<Rc<Structured<'c>>>>,
}

impl<'c> Known<'c> {
    fn nest(&mut self, op: Op<'c>) -> Option<Rc<Structured<'c>>> {
        self.nests.entry(op).or_insert_with(|| Structured::of_generic(op).map(Rc::new)).clone()
    }
}

struct Search<'a, 'c> {
    /// The indices of the block along each coordinate.
    ranges: &'a [Range],
    known: &'a mut Known<'c>,
}

impl<'c> Search<'_, 'c> {
    /// The range of a value in the body of `op`, whose loops have the coordinates `loops`; of what is not known, of a boolean, both.
    fn element(&mut self, op: Op<'c>, loops: &Coords, value: Value<'c>) -> Option<Range> {
        let is_boolean = value.ty().is_int() && value.ty().bit_width() == Some(1);
        self.known_element(op, loops, value).or(is_boolean.then_some([0, 1]))
    }

    fn known_element(&mut self, op: Op<'c>, loops: &Coords, value: Value<'c>) -> Option<Range> {
        if let Some((block, input)) = value.block_arg() {
            (block.parent_op()? == op).then_some(())?;
            let nest = self.known.nest(op).filter(|nest| input < nest.inputs)?;
            return self.tensor(op.operand(input), &through(&nest.maps[input], loops)?);
        }
        let inner = value.owner()?;
        if inner.is(linalg::INDEX) {
            let number = usize::try_from(inner.attr("dim")?.as_i64()?).ok()?;
            return self.index(loops.get(number)?);
        }
        if inner.is(arith::CONSTANT) {
            let number = inner.attr("value")?;
            let number = number.as_i64().or_else(|| as_whole(number.as_f64()?))?;
            let number = if value.ty().bit_width() == Some(1) { number & 1 } else { number };
            return Some([number, number]);
        }
        let mut operands = Vec::new();
        for operand in inner.operands() {
            operands.push(self.element(op, loops, operand)?);
        }
        combined(inner, &operands)
    }

    /// The range of an index.
    fn index(&self, coord: &AffineExpr) -> Option<Range> {
        match coord {
            AffineExpr::Constant(number) => Some([*number, *number]),
            AffineExpr::Dim(dim) => self.ranges.get(*dim).copied(),
            _ => None,
        }
    }

    /// The range of the elements of a tensor.
    fn tensor(&mut self, value: Value<'c>, coords: &Coords) -> Option<Range> {
        let owner = value.owner()?;
        if is_reshape(owner) {
            return self.tensor(owner.operand(0), &backward(owner, coords)?);
        }
        if owner.is(linalg::GENERIC) {
            let nest = self.known.nest(owner)?;
            let loops = loop_coords(&nest, coords)?;
            return self.element(owner, &loops, owner.body(0).terminator()?.operand(0));
        }
        let constant = owner.is(arith::CONSTANT).then(|| owner.attr("value"))??;
        let is_int = value.ty().element().is_int() && value.ty().element().bit_width() > Some(1);
        let [coord] = &coords[..] else { return None };
        let [first, last] = self.index(coord).filter(|_| is_int)?;
        let numbers =
            self.known.elements.entry(value).or_insert_with(|| constant.as_i64s()).as_ref()?;
        let part = numbers.get(usize::try_from(first).ok()?..=usize::try_from(last).ok()?)?;
        Some([*part.iter().min()?, *part.iter().max()?])
    }
}

/// The range of what an integer operation computes, where it cannot overflow.
fn combined(op: Op<'_>, operands: &[Range]) -> Option<Range> {
    let ty = op.result(0).ty();
    let is_float = ty.is_float_type();
    let width =
        if ty.is_index() { 64 } else { ty.bit_width().filter(|_| ty.is_int() || is_float)? };
    let fits = |range: Range| match width {
        _ if is_float => range.iter().all(|number| number.abs() <= MOST_WHOLE),
        1 => range[0] >= 0 && range[1] <= 1,
        64 => true,
        _ => range[0] >= -(1 << (width - 1)) && range[1] < 1 << (width - 1),
    };
    let found = match (op.name(), operands) {
        (arith::INDEX_CAST | arith::EXTSI | arith::EXTUI | arith::TRUNCI, [one]) => {
            let is_signed = op.is(arith::EXTSI) && op.operand(0).ty().bit_width() == Some(1);
            (!is_signed && (one[0] >= 0 || !op.is(arith::EXTUI))).then_some(*one)?
        }
        (arith::UITOFP | arith::SITOFP, [one]) => {
            let is_boolean = op.operand(0).ty().bit_width() == Some(1);
            (one[0] >= 0 && (op.is(arith::UITOFP) || !is_boolean)).then_some(*one)?
        }
        (arith::CMPF, [one, other]) => {
            compared(of_numbers(op.cast::<arith::Cmpf>()?.predicate()?)?, *one, *other)?
        }
        (arith::ADDI, [one, other]) if width > 1 => {
            [one[0].checked_add(other[0])?, one[1].checked_add(other[1])?]
        }
        (arith::SUBI, [one, other]) if width > 1 => {
            [one[0].checked_sub(other[1])?, one[1].checked_sub(other[0])?]
        }
        (arith::MULI, [one, other]) if width > 1 => {
            let [low, high] = *one;
            let ends = [low, high].map(|left| other.map(|right| left.checked_mul(right)));
            let [least, second, third, most] = [ends[0][0]?, ends[0][1]?, ends[1][0]?, ends[1][1]?];
            [least.min(second).min(third).min(most), least.max(second).max(third).max(most)]
        }
        // Rounded towards zero, where that keeps the order.
        (arith::DIVSI, [one, [by, same]]) if width > 1 && *by > 0 && by == same => {
            one.map(|number| number / by)
        }
        (arith::MINSI, [one, other]) if width > 1 => [one[0].min(other[0]), one[1].min(other[1])],
        (arith::MAXSI, [one, other]) if width > 1 => [one[0].max(other[0]), one[1].max(other[1])],
        (arith::ANDI, [one, other]) if width == 1 => [one[0] & other[0], one[1] & other[1]],
        (arith::ORI, [one, other]) if width == 1 => [one[0] | other[0], one[1] | other[1]],
        (arith::XORI, [one, other]) if width == 1 => match (one[0] == one[1], other[0] == other[1])
        {
            (true, true) => [one[0] ^ other[0]; 2],
            _ => [0, 1],
        },
        (arith::SELECT, [condition, yes, no]) => match condition {
            [1, 1] => *yes,
            [0, 0] => *no,
            _ => [yes[0].min(no[0]), yes[1].max(no[1])],
        },
        (arith::CMPI, [one, other]) => {
            compared(op.cast::<arith::Cmpi>()?.predicate()?, *one, *other)?
        }
        _ => return None,
    };
    fits(found).then_some(found)
}

/// Floats of all types have each whole number up to this.
const MOST_WHOLE: i64 = 256;

/// A float as one of those.
fn as_whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= MOST_WHOLE as f64).then_some(number as i64)
}

/// The comparison of integers that one of floats is where neither is NaN.
fn of_numbers(predicate: CmpFPredicate) -> Option<CmpIPredicate> {
    use CmpFPredicate as Float;
    Some(match predicate {
        Float::Oeq | Float::Ueq => CmpIPredicate::Eq,
        Float::One | Float::Une => CmpIPredicate::Ne,
        Float::Olt | Float::Ult => CmpIPredicate::Slt,
        Float::Ole | Float::Ule => CmpIPredicate::Sle,
        Float::Ogt | Float::Ugt => CmpIPredicate::Sgt,
        Float::Oge | Float::Uge => CmpIPredicate::Sge,
        _ => return None,
    })
}

/// Whether a comparison of integers holds: always, never, or both.
fn compared(predicate: CmpIPredicate, one: Range, other: Range) -> Option<Range> {
    let less = |one: Range, other: Range| match (one[1] < other[0], one[0] >= other[1]) {
        (true, _) => [1, 1],
        (_, true) => [0, 0],
        _ => [0, 1],
    };
    let not = |[low, high]: Range| [1 - high, 1 - low];
    let equal = match (one == other && one[0] == one[1], one[1] < other[0] || other[1] < one[0]) {
        (true, _) => [1, 1],
        (_, true) => [0, 0],
        _ => [0, 1],
    };
    Some(match predicate {
        CmpIPredicate::Slt => less(one, other),
        CmpIPredicate::Sge => not(less(one, other)),
        CmpIPredicate::Sgt => less(other, one),
        CmpIPredicate::Sle => not(less(other, one)),
        CmpIPredicate::Eq => equal,
        CmpIPredicate::Ne => not(equal),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use strata_ir::arith::CmpIPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt};

    use super::compared;

    #[test]
    fn comparisons_of_ranges_hold_always_never_or_sometimes() {
        let all = |one, other| [Slt, Sle, Sgt, Sge, Eq, Ne].map(|name| compared(name, one, other));
        let [never, always, both] = [Some([0, 0]), Some([1, 1]), Some([0, 1])];
        assert_eq!(all([0, 3], [4, 7]), [always, always, never, never, never, always]);
        assert_eq!(all([0, 4], [4, 7]), [both, always, never, both, both, both]);
        assert_eq!(all([5, 7], [0, 4]), [never, never, always, always, never, always]);
        assert_eq!(all([2, 2], [2, 2]), [never, always, never, always, always, never]);
        assert_eq!(all([0, 9], [4, 5]), [both; 6]);
    }
}
