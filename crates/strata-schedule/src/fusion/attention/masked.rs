//! Which blocks of scores a mask hides, known from the indices alone: the upper triangle of a causal mask, what is outside of
//! a window.
//!
//! ```text
//! %t = select(%i >= %j, %s, -inf)             // %i and %j: the row's and the key's index
//! ```
//! With rows 0 to 255 and keys 256 to 511, `%i >= %j` is false everywhere: all scores of the block are -inf.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AttributeExt as _, Op, TypeExt as _, Value, arith, arith::CmpIPredicate, linalg,
};

use super::{
    coords::{Coords, loop_coords, through},
    find::Attention,
};
use crate::structured::Structured;

/// The blocks of keys that a mask leaves to each block of rows.
pub struct Masked {
    /// For each block of rows the first block of keys that is not hidden, and the one after the last.
    pub visible: Vec<[i64; 2]>,
    /// What hidden scores are.
    pub value: f64,
}

/// Finds the hidden blocks; `None` if there is none. The blocks have `rows` rows and `keys` keys; the last block of rows may have
/// fewer, and keys that fill no block are never hidden.
pub fn masked(attention: &Attention<'_>, rows: i64, keys: i64) -> Option<Masked> {
    let op = attention.scores.owner().filter(|op| attention.members.contains(op))?;
    let nest = Structured::of_generic(op)?;
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
    let extents = &attention.extents;
    let coords: Coords = (0..extents.len()).map(AffineExpr::Dim).collect();
    let loops = loop_coords(&nest, &coords)?;
    let mut ranges: Vec<Range> = extents.iter().map(|extent| [0, extent - 1]).collect();
    let (all_rows, all_keys) = (extents[attention.row], extents[attention.key_dim()]);
    let mut known = HashMap::new();
    let mut visible = Vec::new();
    let mut hides = false;
    for row in (0..all_rows).step_by(usize::try_from(rows).ok()?) {
        ranges[attention.row] = [row, (row + rows).min(all_rows) - 1];
        let mut seen: Option<[i64; 2]> = None;
        for block in 0..all_keys / keys {
            ranges[attention.key_dim()] = [block * keys, (block + 1) * keys - 1];
            let mut search = Search { attention, ranges: &ranges, known: &mut known };
            let is_hidden = search.element(op, &loops, chosen.operand(0)) == Some(hidden);
            if !is_hidden {
                seen = Some([seen.map_or(block, |[first, _]| first), block + 1]);
            }
            hides |= is_hidden;
        }
        visible.push(seen.unwrap_or([0, 0]));
    }
    let is_shorter = |[first, last]: &[i64; 2]| last - first < all_keys / keys;
    (hides && visible.iter().any(is_shorter)).then_some(Masked { visible, value })
}

/// The least and the largest value; for booleans, 0 and 1.
type Range = [i64; 2];

struct Search<'a, 'c> {
    attention: &'a Attention<'c>,
    /// The indices of the block in each dimension of the scores.
    ranges: &'a [Range],
    /// The elements of constants.
    known: &'a mut HashMap<Value<'c>, Option<Vec<i64>>>,
}

impl<'c> Search<'_, 'c> {
    /// The range of a value in the body of `op`, whose loops have the coordinates `loops`.
    fn element(&mut self, op: Op<'c>, loops: &Coords, value: Value<'c>) -> Option<Range> {
        if let Some((block, input)) = value.block_arg() {
            (block.parent_op()? == op).then_some(())?;
            let nest = Structured::of_generic(op).filter(|nest| input < nest.inputs)?;
            return self.tensor(op.operand(input), &through(&nest.maps[input], loops)?);
        }
        let inner = value.owner()?;
        if inner.is(linalg::INDEX) {
            let number = usize::try_from(inner.attr("dim")?.as_i64()?).ok()?;
            return self.index(loops.get(number)?);
        }
        if inner.is(arith::CONSTANT) {
            let number = inner.attr("value")?.as_i64()?;
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
        if owner.is(linalg::GENERIC) && self.attention.members.contains(&owner) {
            let loops = loop_coords(&Structured::of_generic(owner)?, coords)?;
            return self.element(owner, &loops, owner.body(0).terminator()?.operand(0));
        }
        let constant = owner.is(arith::CONSTANT).then(|| owner.attr("value"))??;
        let is_int = value.ty().element().is_int() && value.ty().element().bit_width() > Some(1);
        let [coord] = &coords[..] else { return None };
        let [first, last] = self.index(coord).filter(|_| is_int)?;
        let numbers = self.known.entry(value).or_insert_with(|| constant.as_i64s()).as_ref()?;
        let part = numbers.get(usize::try_from(first).ok()?..=usize::try_from(last).ok()?)?;
        Some([*part.iter().min()?, *part.iter().max()?])
    }
}

/// The range of what an integer operation computes, where it cannot overflow.
fn combined(op: Op<'_>, operands: &[Range]) -> Option<Range> {
    let ty = op.result(0).ty();
    let width = if ty.is_index() { 64 } else { ty.bit_width().filter(|_| ty.is_int())? };
    let fits = |range: Range| match width {
        1 => range[0] >= 0 && range[1] <= 1,
        64 => true,
        _ => range[0] >= -(1 << (width - 1)) && range[1] < 1 << (width - 1),
    };
    let found = match (op.name(), operands) {
        (arith::INDEX_CAST | arith::EXTSI | arith::EXTUI | arith::TRUNCI, [one]) => {
            let is_signed = op.is(arith::EXTSI) && op.operand(0).ty().bit_width() == Some(1);
            (!is_signed && (one[0] >= 0 || !op.is(arith::EXTUI))).then_some(*one)?
        }
        (arith::ADDI, [one, other]) if width > 1 => {
            [one[0].checked_add(other[0])?, one[1].checked_add(other[1])?]
        }
        (arith::SUBI, [one, other]) if width > 1 => {
            [one[0].checked_sub(other[1])?, one[1].checked_sub(other[0])?]
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
