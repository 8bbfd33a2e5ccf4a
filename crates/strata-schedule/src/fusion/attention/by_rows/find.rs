//! Recognises a dot of what is computed, row by row, from other dots.

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AttributeExt as _, Block, Op, TypeExt as _, Value, arith, linalg, narrow,
};
use strata_target::tuning::attention::MAX_OPERATIONS;

use super::super::{
    coords::{Coords, backward, is_reshape, loops_of, named_maps, through},
    find::{Placed, is_short, sole_user, users},
};
use crate::{
    fusion::merge::{is_mergeable, reads_inputs_only},
    structured::{Index, Structured},
};

/// A dot whose rows are computed from those of other dots, none of which anything else needs.
pub struct ByRows<'c> {
    /// The sizes of the dimensions of which a block has one index; the coordinates after them are [`Axes`].
    pub batches: Vec<i64>,
    /// The number of rows.
    pub rows: i64,
    /// The number of keys.
    pub keys: i64,
    /// Products of the dots.
    pub products: i64,
    /// What is computed on blocks, with the coordinates of the results: the dots, what is between them, and what follows them.
    pub members: HashMap<Op<'c>, Coords>,
    /// The dot that they end with, and which of its operands is the weights.
    pub last: (Op<'c>, usize),
    /// The value that the last of them computes.
    pub result: Placed<'c>,
    /// Bytes of a row of the scores and of the weights.
    pub row_bytes: i64,
}

/// The coordinates that are not batches.
#[derive(Clone, Copy)]
pub struct Axes {
    pub row: usize,
    /// What blocks have all of: the columns of the operands.
    pub whole: usize,
    /// The columns of the scores.
    pub key: usize,
}

impl Axes {
    /// Those after so many batches.
    pub fn after(batches: usize) -> Self {
        Self { row: batches, whole: batches + 1, key: batches + 2 }
    }
}

impl<'c> ByRows<'c> {
    /// What the dot `op` is the last one of.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let dot = contraction(op)?;
        (0..2).find_map(|side| Self::from_weights(&dot, side))
    }

    pub fn axes(&self) -> Axes {
        Axes::after(self.batches.len())
    }

    fn from_weights(dot: &Structured<'c>, side: usize) -> Option<Self> {
        let maps = loops_of(dot)?;
        let [weights, values] = [side, 1 - side].map(|operand| dot.op.operand(operand));
        let home = dot.op.block()?;
        (weights.owner()?.block() == Some(home) && !is_constant(values)).then_some(())?;
        let is_of = |number: &usize, operand: usize| maps[operand].contains(number);
        let parallel = || (0..dot.extents.len()).filter(|number| !dot.reduction[*number]);
        // Rows of the weights only; the others of them are batches.
        let free = parallel().filter(|number| is_of(number, side) && !is_of(number, 1 - side));
        let row = free.max_by_key(|number| dot.extents[*number])?;
        let batches: Vec<usize> = parallel()
            .filter(|number| *number != row && is_of(number, side) && dot.extents[*number] > 1)
            .collect();
        let axes = Axes::after(batches.len());
        let coord = |number: usize| match batches.iter().position(|own| *own == number) {
            _ if dot.extents[number] == 1 => AffineExpr::Constant(0),
            Some(place) => AffineExpr::Dim(place),
            None if number == row => AffineExpr::Dim(axes.row),
            None if dot.reduction[number] => AffineExpr::Dim(axes.key),
            None => AffineExpr::Dim(axes.whole),
        };
        let coords = |operand: usize| -> Coords {
            maps[operand].iter().map(|number| coord(*number)).collect()
        };
        let mut search = Search {
            home,
            axes,
            seen: HashMap::new(),
            members: HashMap::new(),
            dots: Vec::new(),
            reduces: false,
        };
        let depends = search.visit(weights, &coords(side))?;
        (depends && search.reduces && !search.visit(values, &coords(1 - side)).unwrap_or(true))
            .then_some(())?;
        search.members.insert(dot.op, coords(2));
        search.is_closed(dot.op).then_some(())?;
        let bytes = |value: Value<'c>, coords: &Coords| -> Option<i64> {
            let width = value.ty().element().bit_width()?.div_ceil(8);
            let sizes = coords.iter().zip(value.ty().shape()?);
            let is_all = |dim: usize| [axes.whole, axes.key].contains(&dim);
            let all = sizes.filter(|(coord, _)| coord.as_dim().is_some_and(is_all));
            all.map(|(_, size)| size).try_fold(i64::from(width), i64::checked_mul)
        };
        let first = search.dots.first()?;
        let sizes = search.members[first].iter().zip(first.result(0).ty().shape()?);
        let is_key = |(coord, _): &(&AffineExpr, i64)| coord.as_dim() == Some(axes.key);
        let (_, keys) = sizes.into_iter().find(is_key)?;
        let loops = (0..dot.extents.len()).map(|number| match dot.reduction[number] {
            true => keys,
            false => dot.extents[number],
        });
        let products = loops.into_iter().try_fold(1i64, i64::checked_mul)?;
        let products = products.checked_mul(1 + i64::try_from(search.dots.len()).ok()?)?;
        let mut row_bytes = bytes(weights, &coords(side))?;
        for first in &search.dots {
            row_bytes = row_bytes.checked_add(bytes(first.result(0), &search.members[first])?)?;
        }
        let mut found = Self {
            batches: batches.iter().map(|number| dot.extents[*number]).collect(),
            rows: dot.extents[row],
            keys,
            products,
            members: search.members,
            last: (dot.op, side),
            result: (dot.op.result(0), coords(2)),
            row_bytes,
        };
        found.follow(home);
        Some(found)
    }

    /// Takes what only the result is for, an element for each.
    fn follow(&mut self, home: Block<'c>) {
        while let Some(user) = sole_user(self.result.0) {
            let Some(coords) = self.after(user) else { break };
            (user.block() == Some(home)).then(|| self.members.insert(user, coords.clone()));
            self.result = (user.result(0), coords);
        }
    }

    /// The coordinates of the result of an elementwise operation on the result so far.
    fn after(&self, user: Op<'c>) -> Option<Coords> {
        let nest = Structured::of_generic(user)
            .filter(|nest| is_mergeable(nest) && nest.inputs == 1 && user.result_count() == 1)?;
        let maps = loops_of(&nest)?;
        let place = |number: usize| maps[0].iter().position(|own| *own == number);
        let is_whole = maps[0].len() == nest.extents.len();
        let coords =
            (0..nest.extents.len()).map(|loop_| Some(self.result.1[place(loop_)?].clone()));
        is_whole.then(|| coords.collect())?
    }
}

/// The loops of an operation, with those of a matmul or a batch of them.
pub fn structured(op: Op<'_>) -> Option<Structured<'_>> {
    if !is_matmul(op) {
        return Structured::of_generic(op);
    }
    let maps = named_maps(op)?;
    let loops = maps.iter().flatten().max()? + 1;
    let mut extents = vec![0; loops];
    for (value, map) in op.operands().into_iter().zip(&maps) {
        for (size, number) in value.ty().shape()?.into_iter().zip(map) {
            extents[*number] = size;
        }
    }
    let reduction = (0..loops).map(|number| !maps[2].contains(&number)).collect();
    let index = |map: Vec<usize>| map.into_iter().map(Index::Loop).collect();
    Some(Structured {
        op,
        extents,
        reduction,
        maps: maps.into_iter().map(index).collect(),
        inputs: 2,
    })
}

/// Whether the operation is a contraction that has a name.
pub fn is_matmul(op: Op<'_>) -> bool {
    matches!(op.name(), linalg::MATMUL | linalg::BATCH_MATMUL)
}

/// A sum of products of two operands along one loop.
fn contraction(op: Op<'_>) -> Option<Structured<'_>> {
    let dot = structured(op)?;
    let maps = loops_of(&dot)?;
    let mut reduced = (0..dot.extents.len()).filter(|number| dot.reduction[*number]);
    let (Some(one), None) = (reduced.next(), reduced.next()) else { return None };
    // A product with a vector has no use of its operands to gain.
    let has_columns =
        (0..2).all(|side| maps[side].iter().any(|number| !maps[1 - side].contains(number)));
    let fits = dot.inputs == 2
        && op.result_count() == 1
        && maps[..2].iter().all(|map| map.iter().filter(|number| **number == one).count() == 1)
        && op.operand(2).owner().is_some_and(|owner| owner.is(linalg::FILL))
        && dot.is_pure_map();
    (fits && has_columns).then_some(dot)
}

/// Whether the value is a constant, in another order or as lanes: it is laid out once, not in each block.
fn is_constant(value: Value<'_>) -> bool {
    value.owner().is_some_and(|op| {
        let moves = is_reshape(op) || op.is(narrow::PACK) || op.is(linalg::GENERIC);
        op.is(arith::CONSTANT) || (moves && is_constant(op.operand(0)))
    })
}

/// What weights are computed from.
struct Search<'c> {
    home: Block<'c>,
    axes: Axes,
    /// Whether each operation depends on the rows of a dot, and where its elements are.
    seen: HashMap<Op<'c>, (Coords, bool)>,
    /// See [`ByRows::members`].
    members: HashMap<Op<'c>, Coords>,
    /// The dots among them.
    dots: Vec<Op<'c>>,
    /// Whether something is reduced along rows.
    reduces: bool,
}

impl<'c> Search<'c> {
    /// Whether the value, whose coordinates are `coords`, is computed from rows of a dot; `None` where it is in a way that blocks of rows do
    /// not have.
    fn visit(&mut self, value: Value<'c>, coords: &Coords) -> Option<bool> {
        let Some(op) = value.owner().filter(|op| op.block() == Some(self.home)) else {
            return Some(false);
        };
        if let Some((known, depends)) = self.seen.get(&op).cloned() {
            if known != *coords && !depends {
                self.members.remove(&op);
            }
            return (!depends || known == *coords).then_some(depends);
        }
        // What depends on a dot nevertheless is a user of a member that is none.
        if self.seen.len() > MAX_OPERATIONS || !self.is_plain(coords) {
            return Some(false);
        }
        self.seen.insert(op, (coords.clone(), false));
        let depends = self.operation(op, coords)?;
        if depends {
            self.has_rows(coords).then_some(())?;
            self.seen.insert(op, (coords.clone(), true));
            self.members.insert(op, coords.clone());
        }
        Some(depends)
    }

    fn operation(&mut self, op: Op<'c>, coords: &Coords) -> Option<bool> {
        if is_reshape(op) {
            return self.visit(op.operand(0), &backward(op, coords)?);
        }
        if op.is(narrow::PACK) {
            let dim = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
            let is_along = coords[dim].as_dim() == Some(self.axes.key);
            let depends = self.visit(op.operand(0), coords)?;
            return (!depends || is_along).then_some(depends);
        }
        if let Some(dot) = contraction(op) {
            let is_scores = self.has_rows(coords)
                && coords.iter().any(|coord| coord.as_dim() == Some(self.axes.key));
            let is_known = is_scores && !(0..2).any(|side| is_constant(dot.op.operand(side)));
            if is_known {
                self.dots.push(op);
            }
            return Some(is_known);
        }
        let Some(nest) = Structured::of_generic(op).filter(|_| op.result_count() == 1) else {
            return Some(false);
        };
        let Some(loops) = loops(&nest, coords, self.axes) else { return Some(false) };
        let is_reduction = nest.reduction.contains(&true);
        let starts_known =
            reads_inputs_only(&nest) || op.operand(nest.inputs).owner()?.is(linalg::FILL);
        let is_row_wise = match is_reduction {
            true => nest.is_pure_map() && starts_known,
            false => is_mergeable(&nest),
        };
        if !is_row_wise {
            return Some(false);
        }
        let mut depends = false;
        for input in 0..nest.inputs {
            match through(&nest.maps[input], &loops) {
                Some(coords) => depends |= self.visit(op.operand(input), &coords)?,
                None => return Some(false),
            }
        }
        self.reduces |= depends && is_reduction;
        if !depends && !is_reduction && self.is_mask(op, coords) {
            self.members.insert(op, coords.clone());
        }
        Some(depends)
    }

    /// Whether rows, keys and columns are coordinates of their own.
    fn is_plain(&self, coords: &Coords) -> bool {
        let Axes { row, whole, key } = self.axes;
        let inside =
            |coord: &AffineExpr| coord.dims().iter().any(|dim| [row, whole, key].contains(dim));
        coords.iter().all(|coord| coord.as_dim().is_some() || !inside(coord))
    }

    fn has_rows(&self, coords: &Coords) -> bool {
        coords.iter().filter(|coord| coord.as_dim() == Some(self.axes.row)).count() == 1
    }

    /// Whether the operation computes an element for each row and key, from few operations: a mask, which is not read then.
    fn is_mask(&self, op: Op<'c>, coords: &Coords) -> bool {
        let is_in = |dim: usize| coords.iter().any(|coord| coord.as_dim() == Some(dim));
        is_in(self.axes.row) && is_in(self.axes.key) && is_short(op)
    }

    /// Whether only `last` and members need what depends on the dots, which read other operands.
    fn is_closed(&self, last: Op<'c>) -> bool {
        let depends = |op: Op<'c>| self.seen.get(&op).is_some_and(|(_, depends)| *depends);
        let reads_others = |dot: &Op<'c>| {
            let owners = dot.operands().into_iter().filter_map(|operand| operand.owner());
            owners.into_iter().all(|owner| !depends(owner))
        };
        #[allow(clippy::disallowed_methods, reason = "all are asked, in any order")]
        let mut inside = self.members.keys().filter(|member| depends(**member));
        self.dots.iter().all(reads_others)
            && inside.all(|member| {
                let mut users = users(member.result(0)).into_iter();
                users.all(|user| user == last || depends(user))
            })
    }
}

/// The coordinates of the loops of an operation from those of its result; loops of sums are along keys, those of the dots that have a result
/// for each key along columns.
pub fn loops(nest: &Structured<'_>, result: &Coords, axes: Axes) -> Option<Coords> {
    let maps = loops_of(nest)?;
    let has_keys = result.iter().any(|coord| coord.as_dim() == Some(axes.key));
    let reduced = if has_keys { axes.whole } else { axes.key };
    let coord = |number: usize| match nest.extents[number] {
        1 => Some(AffineExpr::Constant(0)),
        _ if nest.reduction[number] => Some(AffineExpr::Dim(reduced)),
        _ => {
            let place = maps[nest.inputs].iter().position(|own| *own == number)?;
            result.get(place).cloned()
        }
    };
    (0..nest.extents.len()).map(coord).collect()
}
