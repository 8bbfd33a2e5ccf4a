//! Recognises attention by its softmax: a maximum along rows, the exponentials of the differences from it, their sums.

use std::collections::HashSet;

use strata_ir::{AffineExpr, Block, Op, OpName, TypeExt as _, Value, arith, linalg, math};
use strata_target::tuning::attention::{MAX_MASK_OPERATIONS, MAX_OPERATIONS};

use super::coords::{
    Coords, Dot, backward, fill_value, forward, is_f32, is_reshape, loop_coords, pair_of,
    sole_operation, through,
};
use crate::{
    fusion::merge::is_mergeable,
    structured::{Structured, is_division, is_identity, is_prefix},
};

/// An attention. Its loops are the dimensions of the scores: batches and heads, one of rows, and the last one of keys.
/// Dimension [`Self::inner`] stands for the one that the scores do not have: the contracted one of the first dot, the
/// columns of the second.
pub struct Attention<'c> {
    /// The sizes of the scores.
    pub extents: Vec<i64>,
    /// The dimension of rows.
    pub row: usize,
    /// The scores that the maximum is of.
    pub scores: Value<'c>,
    /// The dot that computes them, before they are scaled and masked.
    pub first: Dot<'c>,
    /// The operand of the first dot that has the rows.
    pub query: Placed<'c>,
    /// The operand of the first dot that has the keys.
    pub key: Placed<'c>,
    /// The right operand of the second dot.
    pub value: Placed<'c>,
    /// The columns of the second dot.
    pub width: i64,
    /// The operations that are computed on blocks: those between the first dot and the scores, and masks.
    pub members: HashSet<Op<'c>>,
    /// The operations of the softmax.
    pub softmax: Softmax<'c>,
    /// The second dot.
    pub second: Op<'c>,
    /// The value that attention computes.
    pub result: Placed<'c>,
}

impl<'c> Attention<'c> {
    /// The attention whose rows' maximum is `op`.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let (softmax, extents) = Softmax::of(op)?;
        let (scores, rank) = (op.operand(0), extents.len());
        let second = Second::of(&softmax, rank)?;
        let mut search =
            Search { home: op.block()?, first: None, members: HashSet::new(), whole: None };
        let identity: Coords = (0..rank).map(AffineExpr::Dim).collect();
        search.visit(scores, &identity)?.then_some(())?;
        let (first, coords) = search.first.clone()?;
        let (row, query, key) = ends(&first, &coords, &extents)?;
        let key_dim = rank - 1;
        let all = [&query.1, &key.1, &second.value.1, &second.result.1];
        let is_plain = |coords: &&Coords| coords.iter().all(|one| is_plain(one, row, key_dim));
        // Neither dot may be computed for rows that share it.
        let is_in =
            |dim: usize, coords: &Coords| coords.iter().any(|one| one.dims().contains(&dim));
        if !all.iter().all(is_plain)
            || is_in(row, &second.value.1)
            || !(0..rank).all(|dim| extents[dim] == 1 || is_in(dim, &coords))
        {
            return None;
        }
        // What depends on rows and keys but not on the dot, a mask, is computed on blocks, too.
        search.whole = Some((row, key_dim));
        search.members.clear();
        search.visit(scores, &identity)?;
        search.is_closed(&softmax).then_some(())?;
        Some(Self {
            extents,
            row,
            scores,
            first,
            query,
            key,
            value: second.value,
            width: second.width,
            members: search.members,
            softmax,
            second: second.dot,
            result: second.result,
        })
    }

    /// See [`Attention`].
    pub fn inner(&self) -> usize {
        self.extents.len()
    }

    /// The dimension of keys.
    pub fn key_dim(&self) -> usize {
        self.extents.len() - 1
    }
}

/// Whether rows and keys occur in the coordinate only where it is just one of them.
fn is_plain(coord: &AffineExpr, row: usize, key: usize) -> bool {
    coord.as_dim().is_some() || !coord.dims().iter().any(|dim| [row, key].contains(dim))
}

/// The operations of a softmax along the innermost dimension, but for the division.
pub struct Softmax<'c> {
    /// The maximum of each row.
    pub maximum: Op<'c>,
    /// The differences from it.
    difference: Op<'c>,
    /// The exponentials.
    pub exponential: Op<'c>,
    /// The sum of each row.
    pub sum: Op<'c>,
}

impl<'c> Softmax<'c> {
    /// The softmax whose maximum is `op`, and the sizes of what it is of.
    fn of(op: Op<'c>) -> Option<(Self, Vec<i64>)> {
        let maximum = row_reduction(op, arith::MAXIMUMF, f64::NEG_INFINITY)?;
        let (scores, extents) = (op.operand(0), maximum.extents);
        let difference = sole_user(op.result(0))?;
        let nest = Structured::of_generic(difference).filter(is_mergeable)?;
        let loops = extents.len();
        let reads = nest.extents == extents
            && difference.operands()[..nest.inputs] == [scores, op.result(0)]
            && is_identity(&nest.maps[0], loops)
            && is_row(&nest, 1);
        let body = difference.body(0);
        let subtracts =
            |inner: Op<'c>| inner.is(arith::SUBF) && inner.operands() == [body.arg(0), body.arg(1)];
        let exponential = match body.ops()[..] {
            [one, end] if end.operands() == one.results() && subtracts(one) => {
                let user = sole_user(difference.result(0))?;
                let unary = Structured::of_generic(user)
                    .filter(|nest| is_mergeable(nest) && nest.inputs == 1)?;
                sole_operation(user, math::EXP)?;
                is_identity(&unary.maps[0], loops).then_some(user)?
            }
            [one, two, end] if end.operands() == two.results() && subtracts(one) => {
                (two.is(math::EXP) && two.operands() == one.results()).then_some(difference)?
            }
            _ => return None,
        };
        (reads && exponential.block() == op.block()).then_some(())?;
        let users = users(exponential.result(0));
        let sum =
            users.into_iter().find(|user| row_reduction(*user, arith::ADDF, 0.0).is_some())?;
        Some((Self { maximum: op, difference, exponential, sum }, extents))
    }
}

/// Whether an element of the operation takes so little that it is not worth reading.
pub fn is_short(op: Op<'_>) -> bool {
    let body = op.body(0).ops();
    let is_plain = |op: &Op<'_>| op.dialect() != "math" && !is_division(op.name());
    body.len() <= MAX_MASK_OPERATIONS + 1 && body.iter().all(is_plain)
}

/// A reduction of `f32` along the innermost dimension that starts from `start` everywhere.
fn row_reduction<'c>(op: Op<'c>, name: OpName<'_>, start: f64) -> Option<Structured<'c>> {
    if !op.is(linalg::GENERIC) || op.operand_count() != 2 || op.result_count() != 1 {
        return None;
    }
    let combine = sole_operation(op, name)?;
    let nest = Structured::of_generic(op)?;
    let (loops, body) = (nest.extents.len(), op.body(0));
    let fits = nest.inputs == 1
        && loops >= 2
        && nest.row_loops() == Some(loops - 1)
        && is_identity(&nest.maps[0], loops)
        && pair_of(combine, body.arg(0), body.arg(1))
        && is_f32(op.result(0).ty().element())
        && fill_value(op.operand(1)) == Some(start);
    fits.then_some(nest)
}

/// Whether the input is one number per row.
fn is_row(nest: &Structured<'_>, input: usize) -> bool {
    nest.maps[input].len() + 1 == nest.extents.len() && is_prefix(&nest.maps[input])
}

/// The operations that use a value, each once.
pub fn users(value: Value<'_>) -> Vec<Op<'_>> {
    let mut all: Vec<_> = Vec::new();
    for (user, _) in value.uses() {
        if !all.contains(&user) {
            all.push(user);
        }
    }
    all
}

/// The operation that uses a value, in the block that defines it.
pub fn sole_user<'c>(value: Value<'c>) -> Option<Op<'c>> {
    let [user] = users(value)[..] else { return None };
    (user.block() == value.owner()?.block()).then_some(user)
}

/// What follows the softmax.
struct Second<'c> {
    dot: Op<'c>,
    value: Placed<'c>,
    width: i64,
    result: Placed<'c>,
}

impl<'c> Second<'c> {
    fn of(softmax: &Softmax<'c>, rank: usize) -> Option<Self> {
        let sum = softmax.sum.result(0);
        let mut next = users(softmax.exponential.result(0));
        next.retain(|user| *user != softmax.sum);
        let [mut user] = next[..] else { return None };
        let mut weights = softmax.exponential.result(0);
        let mut coords: Coords = (0..rank).map(AffineExpr::Dim).collect();
        let mut is_divided = false;
        let dot = loop {
            if let Some(dot) = Dot::of(user) {
                break dot;
            }
            if is_division_by(user, weights, sum, &coords, rank) {
                if is_divided || sole_user(sum) != Some(user) {
                    return None;
                }
                is_divided = true;
            } else {
                coords = moved(user, &coords)?;
            }
            weights = user.result(0);
            user = sole_user(weights)?;
        };
        let (value, mut result, width) = Self::ends(&dot, weights, &coords, rank)?;
        // What only moves the result is part of it: the rows are written where they belong.
        while let Some(user) = sole_user(result.0) {
            if !is_divided && is_division_by(user, result.0, sum, &result.1, rank) {
                sole_user(sum).filter(|other| *other == user)?;
                is_divided = true;
                result.0 = user.result(0);
            } else if let Some(coords) = moved(user, &result.1) {
                result = (user.result(0), coords);
            } else {
                break;
            }
        }
        is_divided.then_some(Self { dot: dot.op, value, width, result })
    }

    /// The other operand of the dot and its result, in coordinates, and the columns of the result.
    fn ends(
        dot: &Dot<'c>,
        weights: Value<'c>,
        coords: &Coords,
        rank: usize,
    ) -> Option<(Placed<'c>, Placed<'c>, i64)> {
        let side = (0..2).find(|side| dot.op.operand(*side) == weights)?;
        let mut loops: Vec<Option<AffineExpr>> = vec![None; dot.extents.len()];
        for (number, coord) in dot.maps[side].iter().zip(coords) {
            loops[*number] = Some(coord.clone());
        }
        let mut free = (0..loops.len()).filter(|number| loops[*number].is_none());
        let (column, None) = (free.next()?, free.next()) else { return None };
        let width = dot.extents[column];
        loops[column] = Some(AffineExpr::Dim(rank));
        (loops[dot.reduced] == Some(AffineExpr::Dim(rank - 1))).then_some(())?;
        let at = |map: &[usize]| -> Option<Coords> {
            map.iter().map(|number| loops[*number].clone()).collect()
        };
        let value = (dot.op.operand(1 - side), at(&dot.maps[1 - side])?);
        Some((value, (dot.op.result(0), at(&dot.maps[2])?), width))
    }
}

/// A value, and the coordinates of its elements.
pub type Placed<'c> = (Value<'c>, Coords);

/// Whether `op` divides `value`, whose coordinates are `coords`, by the sum of its row.
fn is_division_by<'c>(
    op: Op<'c>,
    value: Value<'c>,
    sum: Value<'c>,
    coords: &Coords,
    rank: usize,
) -> bool {
    let Some(nest) = Structured::of_generic(op).filter(is_mergeable) else { return false };
    let body = op.body(0);
    let loops = loop_coords(&nest, coords);
    let row = || loops.and_then(|loops| through(&nest.maps[1], &loops));
    op.operands()[..nest.inputs] == [value, sum]
        && is_identity(&nest.maps[0], nest.extents.len())
        && row() == Some((0..rank - 1).map(AffineExpr::Dim).collect())
        && sole_operation(op, arith::DIVF)
            .is_some_and(|one| one.operands() == [body.arg(0), body.arg(1)])
}

/// The coordinates of the result of an operation that only moves elements, from those of its operand.
fn moved<'c>(op: Op<'c>, coords: &Coords) -> Option<Coords> {
    if is_reshape(op) {
        return forward(op, coords);
    }
    let nest = Structured::of_generic(op).filter(|nest| is_mergeable(nest) && nest.inputs == 1)?;
    let body = op.body(0);
    let copies = body.ops().len() == 1 && body.terminator()?.operands() == [body.arg(0)];
    if !copies || nest.maps[0].len() != nest.extents.len() {
        return None;
    }
    let identity: Coords = (0..coords.len()).map(AffineExpr::Dim).collect();
    let places = through(&nest.maps[0], &identity)?;
    let place = |number| places.iter().position(|place| *place == AffineExpr::Dim(number));
    (0..coords.len()).map(|number| coords.get(place(number)?).cloned()).collect()
}

/// The dimension of rows, and the operands of the first dot with the rows and with the keys.
type Ends<'c> = (usize, Placed<'c>, Placed<'c>);

fn ends<'c>(dot: &Dot<'c>, result: &Coords, extents: &[i64]) -> Option<Ends<'c>> {
    let (inner, key_dim) = (extents.len(), extents.len() - 1);
    let uses = |coords: &Coords, dim: usize| coords.iter().any(|one| one.dims().contains(&dim));
    let operand =
        |side: usize| Some((dot.op.operand(side), dot.operand_coords(side, result, inner)?));
    let (left, right) = (operand(0)?, operand(1)?);
    let (query, key) = match (uses(&left.1, key_dim), uses(&right.1, key_dim)) {
        (false, true) => (left, right),
        (true, false) => (right, left),
        _ => return None,
    };
    let is_row = |dim: &usize| {
        extents[*dim] > 1 && query.1.contains(&AffineExpr::Dim(*dim)) && !uses(&key.1, *dim)
    };
    let row = (0..key_dim).filter(is_row).max_by_key(|dim| extents[*dim])?;
    Some((row, query, key))
}

/// What the scores are computed from.
struct Search<'c> {
    home: Block<'c>,
    first: Option<(Dot<'c>, Coords)>,
    /// See [`Attention::members`].
    members: HashSet<Op<'c>>,
    /// The dimensions of rows and keys, once they are known.
    whole: Option<(usize, usize)>,
}

impl<'c> Search<'c> {
    /// Whether the value, whose coordinates are `coords`, depends on the first dot; `None` where it does in a way that is not
    /// supported.
    fn visit(&mut self, value: Value<'c>, coords: &Coords) -> Option<bool> {
        let Some(op) = value.owner() else { return Some(false) };
        if let Some((first, known)) = self.first.as_ref().filter(|(first, _)| first.op == op) {
            return (known == coords && first.op.result_count() == 1).then_some(true);
        }
        if let Some(dot) = Dot::of(op) {
            let is_first = self.first.is_none() && op.block() == Some(self.home);
            if is_first {
                self.first = Some((dot, coords.clone()));
            }
            return Some(is_first);
        }
        if self.members.len() > MAX_OPERATIONS {
            return None;
        }
        if is_reshape(op) {
            let depends = self.visit(op.operand(0), &backward(op, coords)?)?;
            if depends {
                self.members.insert(op);
            }
            return Some(depends);
        }
        let Some(nest) = Structured::of_generic(op).filter(is_mergeable) else {
            return Some(false);
        };
        let Some(loops) = loop_coords(&nest, coords).filter(|_| op.result_count() == 1) else {
            return Some(false);
        };
        let mut depends = false;
        for input in 0..nest.inputs {
            match through(&nest.maps[input], &loops) {
                Some(coords) => depends |= self.visit(op.operand(input), &coords)?,
                None => return Some(false),
            }
        }
        if depends || self.is_mask(op, coords) {
            self.members.insert(op);
        }
        Some(depends)
    }

    /// Whether the operation computes an element for each row and key, from few operations.
    fn is_mask(&self, op: Op<'c>, coords: &Coords) -> bool {
        self.whole.is_some_and(|(row, key)| {
            coords.contains(&AffineExpr::Dim(row)) && coords.contains(&AffineExpr::Dim(key))
        }) && is_short(op)
    }

    /// Whether nothing else needs what depends on the first dot.
    fn is_closed(&self, softmax: &Softmax<'c>) -> bool {
        let Some((first, _)) = &self.first else { return false };
        let mut open = vec![first.op.result(0)];
        let mut seen = Vec::new();
        while let Some(value) = open.pop() {
            for user in users(value) {
                if user == softmax.maximum || user == softmax.difference || seen.contains(&user) {
                    continue;
                }
                if !self.members.contains(&user) || user.block() != Some(self.home) {
                    return false;
                }
                seen.push(user);
                open.extend(user.results());
            }
        }
        true
    }
}
