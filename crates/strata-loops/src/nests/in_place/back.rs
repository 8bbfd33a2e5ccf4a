//! The vector that reaches over the end of buffers, moved back until it ends there: what it computes once more is the same.
//!
//! ```mlir
//! scf.for %j = %rest to %size step %c8 {                       // at most one iteration, of fewer than 8 elements
//!   %v = vector.transfer_read %x[%i, %j] {strata.guarded}
//!   …
//!   vector.transfer_write %w, %y[%i, %j] {strata.guarded}
//! }
//! ```
//! becomes, where there are 8 elements at least,
//! ```mlir
//! %is_left = arith.cmpi slt, %rest, %size
//! scf.if %is_left {
//!   %j = arith.subi %size, %c8
//!   %v = vector.transfer_read %x[%i, %j]
//!   …
//!   vector.transfer_write %w, %y[%i, %j]
//! }
//! ```
//! Stores with masks take as long as a dozen others on processors without AVX-512, and are loops over lanes without AVX.

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Op, RegionBuilder, TypeExt as _, Value,
    View as _, affine, arith, memref, scf, ub, vector,
};

use super::{
    GUARDED,
    guards::Access,
    sizes::{Size, ends_at},
};
use crate::nests::{indices::Place, viewed};

/// A loop whose iterations may begin anywhere: they compute elements of outputs from elements at the same places, and do not depend on
/// each other.
pub struct Movable<'c> {
    each: Op<'c>,
    step: i64,
    end: End<'c>,
    /// Other indices of its accesses, and what they are below if these are inside.
    others: Vec<[Value<'c>; 2]>,
}

/// Where an access of an iteration ends along the loop: inside up to the size.
struct End<'c> {
    place: Place<'c>,
    size: Value<'c>,
    /// The smallest size.
    least: i64,
}

impl<'c> Movable<'c> {
    /// The loop, of that step, as such a one.
    pub fn of(each: Op<'c>, step: i64) -> Option<Self> {
        if each.result_count() > 0 || step < 2 {
            return None;
        }
        let mut lanes = Lanes::new(each, step);
        let (mut written, mut read, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let (mut end, mut ends_differ) = (None::<End<'c>>, false);
        for op in each.body(0).ops() {
            lanes.add(op)?;
            match op.name() {
                vector::TRANSFER_READ | memref::LOAD => read.push(viewed(op.operand(0))),
                // What is beyond the end of a temporary may be read.
                vector::TRANSFER_WRITE => {
                    op.has_attr(GUARDED).then_some(())?;
                    written.push(viewed(op.operand(1)));
                }
                _ => {}
            }
            if op.has_attr(GUARDED) {
                let own = End::of(op, each, &mut others)?;
                let nearer = match &end {
                    None => true,
                    Some(end) => {
                        let rest = end.further_than(&own)?;
                        ends_differ |= rest != 0;
                        rest > 0
                    }
                };
                if nearer {
                    end = Some(own);
                }
            }
        }
        let is_apart = !written.is_empty() && written.iter().all(|buffer| !read.contains(buffer));
        let end = end?;
        // Of what is beyond the first end, nothing is needed.
        let is_end = |end: &End<'c>| ends_at(each, end.size, step - end.place.more);
        let is_all = !ends_differ || end.place.terms.is_empty() && is_end(&end);
        (is_apart && is_all).then_some(())?;
        Some(Self { each, step, end, others })
    }

    /// Whether nothing but the size along the loop says whether the vector that ends there is inside.
    pub fn is_alone(&self) -> bool {
        let place = &self.end.place;
        self.others.is_empty()
            && place.terms.is_empty()
            && (place.factor, place.more) == (1, self.step)
    }

    /// Replaces the loop, of which the iteration at `rest` is left if that is inside. Returns the operation that has this iteration, and the
    /// loop for less than a vector if there may be less.
    pub fn move_back(self, before: &Builder<'c>, rest: Value<'c>) -> (Op<'c>, Option<Op<'c>>) {
        let Self { each, step, end, others } = self;
        let start = end.place.left(before, before.offset(end.size, -end.place.more));
        let high = before.same(arith::MINSI, &[each.operand(1), before.offset(start, step)]);
        let mut is_moved = before.cmpi(arith::CmpIPredicate::Slt, rest, high);
        let is_long = end.place.terms.is_empty() && end.least >= end.place.more;
        let is_always = is_long && others.is_empty();
        if !is_long {
            let fits = before.cmpi(arith::CmpIPredicate::Sge, start, before.index(0));
            is_moved = before.same(arith::ANDI, &[is_moved, fits]);
        }
        for [at, size] in others {
            let inside = before.cmpi(arith::CmpIPredicate::Slt, at, size);
            is_moved = before.same(arith::ANDI, &[is_moved, inside]);
        }
        let body = before.region(&[], |inside, _| {
            let mut known = FxHashMap::default();
            known.insert(each.body(0).arg(0), start);
            for op in each.body(0).ops().into_iter().filter(|op| !op.is(scf::YIELD)) {
                inside.copy(op, &mut known).remove_attr(GUARDED);
            }
            scf::yield_(inside, &[]).build();
        });
        let last = scf::if_(before, is_moved, &[], body, RegionBuilder::empty()).build().op();
        if is_always {
            each.erase();
            return (last, None);
        }
        each.set_operand(1, before.select(is_moved, rest, each.operand(1)));
        (last, Some(each))
    }
}

impl<'c> End<'c> {
    /// That of a guarded access; what it needs of other dimensions is added to `others`.
    fn of(access: Op<'c>, each: Op<'c>, others: &mut Vec<[Value<'c>; 2]>) -> Option<Self> {
        let least = access.attr(GUARDED)?.as_i64s()?;
        let mut found = None;
        let dims = Access::of(access)?.dims;
        for (dim, least) in dims.iter().zip(least).filter(|(dim, _)| !dim.is_inside) {
            let mut place = Place::of(dim.at, each)?;
            if place.factor == 0 {
                // Vectors along it may end outside.
                let is_inner = dim.at.owner().is_some_and(|owner| each.encloses(owner));
                (dim.count == 1 && !is_inner).then_some(())?;
                if !others.contains(&[dim.at, dim.size]) {
                    others.push([dim.at, dim.size]);
                }
                continue;
            }
            place.more += dim.count;
            found.replace(Self { place, size: dim.size, least }).is_none().then_some(())?;
        }
        found
    }

    /// How many elements further along the loop it is than another one, if that is the same number in all calls.
    fn further_than(&self, other: &Self) -> Option<i64> {
        let is_alike =
            self.place.factor == other.place.factor && self.place.terms == other.place.terms;
        let rest = Size::of(self.size).minus(&Size::of(other.size)).filter(|_| is_alike)?;
        Some(rest + other.place.more - self.place.more)
    }
}

/// What the lanes of the values of an iteration are.
pub struct Lanes<'c> {
    each: Op<'c>,
    step: i64,
    known: FxHashMap<Value<'c>, Lane>,
}

/// What the lanes of a vector are.
#[derive(Clone, Copy, Default)]
struct Lane {
    /// The dimension of the vector along which lanes are for elements from the counter on. Without one they are the same in all iterations.
    along: Option<usize>,
    /// The dimensions, as bits, along which all lanes are the same.
    same: u32,
    /// How it depends on the counter, other than by elements from that on.
    counts: Counts,
}

/// How a value depends on the counter.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Counts {
    /// Not at all.
    #[default]
    No,
    /// It is the counter, and what is the same in all iterations.
    Along,
    /// In another way: it may be an index only.
    Otherwise,
}

impl Lane {
    /// Lanes that are all one value.
    const ONE: Self = Self { along: None, same: u32::MAX, counts: Counts::No };

    /// That of the counter.
    const COUNTER: Self = Self { counts: Counts::Along, ..Self::ONE };

    /// Those of a computation of each lane from lanes of both.
    fn with(self, other: Self) -> Option<Self> {
        let fits = |one: Self, along: usize| one.along == Some(along) || one.same >> along & 1 == 1;
        let along = self.along.or(other.along);
        let is_alike = along.is_none_or(|along| fits(self, along) && fits(other, along));
        is_alike.then_some(Self { along, same: self.same & other.same, ..self })
    }

    /// Those whose dimensions are these ones of the vector.
    fn permuted(self, dims: &[usize]) -> Self {
        let same = dims.iter().enumerate().map(|(at, dim)| (self.same >> dim & 1) << at).sum();
        let along = self.along.and_then(|own| dims.iter().position(|dim| *dim == own));
        Self { along, same, ..self }
    }
}

impl<'c> Lanes<'c> {
    /// Of a loop with vectors of `step` elements along it.
    pub fn new(each: Op<'c>, step: i64) -> Self {
        Self { each, step, known: FxHashMap::default() }
    }

    /// Notes what the results of an operation of the body are; `None` if lanes may be for other elements than they are at.
    pub fn add(&mut self, op: Op<'c>) -> Option<()> {
        let rank = |value: Value<'c>| value.ty().rank().unwrap_or(0);
        let lane = match op.name() {
            scf::YIELD => return Some(()),
            vector::TRANSFER_READ | memref::LOAD => self.access(op)?,
            vector::TRANSFER_WRITE => {
                let (written, own) = (self.access(op)?, self.of(op.operand(0)));
                let along = written.along?;
                let is_along =
                    own.along == Some(along) || own.along.is_none() && own.same >> along & 1 == 1;
                return (is_along && own.counts == Counts::No).then_some(());
            }
            vector::BROADCAST => {
                let more = rank(op.result(0)) - rank(op.operand(0));
                let own = self.of(op.operand(0));
                let same = own.same.checked_shl(more as u32)? | ((1 << more) - 1);
                // The only lane of a dimension becomes all.
                let source = op.operand(0).ty().shape().unwrap_or_default().into_iter().zip(more..);
                let same = source
                    .filter(|(lanes, _)| *lanes == 1)
                    .fold(same, |same, (_, at)| same | 1 << at);
                Lane { along: own.along.map(|along| along + more), same, ..own }
            }
            vector::TRANSPOSE => {
                let dims = op.attr("permutation")?.as_i64s()?;
                let dims: Vec<_> = dims.into_iter().map(|dim| dim as usize).collect();
                self.of(op.operand(0)).permuted(&dims)
            }
            arith::CONSTANT => {
                let is_one = !op.result(0).ty().is_vector_type()
                    || op.attr("value").is_some_and(|value| value.is_splat());
                if is_one { Lane::ONE } else { Lane::default() }
            }
            affine::APPLY => self.index(op),
            ub::POISON => Lane::ONE,
            vector::FMA => self.each_lane(op)?,
            _ if matches!(op.dialect(), "arith" | "math") && op.region_count() == 0 => {
                self.each_lane(op)?
            }
            _ => return None,
        };
        for result in op.results() {
            self.known.insert(result, lane);
        }
        Some(())
    }

    fn each_lane(&self, op: Op<'c>) -> Option<Lane> {
        let lanes: Vec<_> = op.operands().into_iter().map(|one| self.of(one)).collect();
        match lanes.iter().all(|lane| lane.counts == Counts::No) {
            true => lanes.into_iter().try_fold(Lane::ONE, Lane::with),
            false => Some(self.counted(op, &lanes)),
        }
    }

    /// What is computed from the counter: the counter of each lane is that of its element.
    fn counted(&self, op: Op<'c>, lanes: &[Lane]) -> Lane {
        let otherwise = Lane { counts: Counts::Otherwise, ..Lane::default() };
        match (op.name(), lanes) {
            (arith::INDEX_CAST, [own]) if own.counts == Counts::Along => *own,
            (arith::ADDI, [left, right]) => {
                let (own, more, at) = match left.counts {
                    Counts::Along => (*left, *right, 1),
                    _ => (*right, *left, 0),
                };
                if (own.counts, more.counts) != (Counts::Along, Counts::No) {
                    otherwise
                } else if more.along.is_none() && more.same == u32::MAX {
                    own
                } else if is_steps(op.operand(at), self.step) {
                    Lane { along: Some(0), ..Lane::default() }
                } else {
                    otherwise
                }
            }
            _ => otherwise,
        }
    }

    /// What an index is.
    fn index(&self, apply: Op<'c>) -> Lane {
        let mut operands = apply.operands().into_iter();
        if operands.all(|one| self.of(one).counts == Counts::No) {
            return Lane::ONE;
        }
        match Place::of(apply.result(0), self.each) {
            Some(Place { factor: 1, .. }) => Lane::COUNTER,
            _ => Lane { counts: Counts::Otherwise, ..Lane::default() },
        }
    }

    fn of(&self, value: Value<'c>) -> Lane {
        if value == self.each.body(0).arg(0) {
            return Lane::COUNTER;
        }
        self.known.get(&value).copied().unwrap_or_else(|| outside(value))
    }

    /// The lanes that are read or written.
    fn access(&self, access: Op<'c>) -> Option<Lane> {
        let first = if access.is(vector::TRANSFER_WRITE) { 2 } else { 1 };
        let rank = access.operand(first - 1).ty().rank()?;
        let map = access.attr("permutation_map").and_then(AffineMap::of);
        let lanes = match access.is(memref::LOAD) {
            true => Vec::new(),
            false if first == 1 => access.result(0).ty().shape()?,
            false => access.operand(0).ty().shape()?,
        };
        // With a mask there is one operand more.
        let operands = first + rank + usize::from(access.is(vector::TRANSFER_READ));
        (access.operand_count() == operands).then_some(())?;
        let results = map.map(|map| map.results).unwrap_or_default();
        let mut lane = Lane::default();
        for (at, result) in
            results.iter().enumerate().filter(|(_, one)| one.as_constant().is_some())
        {
            (*result == AffineExpr::Constant(0)).then_some(())?;
            lane.same |= 1 << at;
        }
        if results.is_empty() {
            lane = Lane::ONE;
        }
        for (dim, index) in access.operands()[first..first + rank].iter().enumerate() {
            let place = Place::of(*index, self.each)?;
            if place.factor == 0 {
                continue;
            }
            let at = results.iter().position(|result| result.as_dim() == Some(dim))?;
            let is_one_by_one = place.factor == 1 && lanes.get(at) == Some(&self.step);
            (is_one_by_one && lane.along.is_none()).then_some(())?;
            lane.along = Some(at);
        }
        Some(lane)
    }
}

/// Whether all lanes of a value that is the same in all iterations are one.
pub fn is_one_lane(value: Value<'_>) -> bool {
    outside(value).same == u32::MAX
}

/// What the lanes of a value are that is the same in all iterations.
fn outside(value: Value<'_>) -> Lane {
    if !value.ty().is_vector_type() {
        return Lane::ONE;
    }
    let is_one = |op: &Op<'_>| match op.name() {
        arith::CONSTANT => op.attr("value").is_some_and(|value| value.is_splat()),
        vector::BROADCAST => !op.operand(0).ty().is_vector_type(),
        vector::TRANSFER_READ => {
            let map = op.attr("permutation_map").and_then(AffineMap::of);
            map.is_some_and(|map| map.results.iter().all(|one| one.as_constant().is_some()))
        }
        _ => false,
    };
    if value.owner().as_ref().is_some_and(is_one) { Lane::ONE } else { Lane::default() }
}

/// Whether a vector is 0, 1, … up to `count`.
fn is_steps(value: Value<'_>, count: i64) -> bool {
    let constant = value.owner().filter(|owner| owner.is(arith::CONSTANT));
    let numbers = constant.and_then(|owner| owner.attr("value")?.as_i64s());
    value.ty().shape() == Some(vec![count])
        && numbers.is_some_and(|numbers| numbers.into_iter().eq(0..count))
}

/// Whether nothing is computed from the counter but indices of accesses.
pub fn only_indexes(each: Op<'_>) -> bool {
    let mut open = vec![each.body(0).arg(0)];
    while let Some(value) = open.pop() {
        for (user, operand) in value.uses() {
            let is_index = match user.name() {
                vector::TRANSFER_READ | memref::LOAD => operand > 0,
                vector::TRANSFER_WRITE => operand > 1,
                arith::ADDI | arith::MULI | affine::APPLY => {
                    let result = user.result(0);
                    open.push(result);
                    result.ty() == value.ty()
                }
                _ => false,
            };
            if !is_index {
                return false;
            }
        }
    }
    true
}
