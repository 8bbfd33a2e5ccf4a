//! Pairs of `bf16` as integers of 32 bits.
//!
//! A register holds twice as many elements of `bf16` as of `f32`: a vector of the former is widened to two registers. The first ones of the
//! latter are its first half only if lanes move. If everything between treats all lanes alike, they may as well be the even lanes:
//! ```mlir
//! %w = arith.extf %x : vector<32xbf16> to vector<32xf32>
//! %y = … the same in every lane …
//! %n = arith.truncf %y : vector<32xf32> to vector<32xbf16>
//! ```
//! becomes
//! ```mlir
//! %pairs = vector.bitcast %x : vector<32xbf16> to vector<16xi32>
//! %low = arith.shli %pairs, 16     %high = arith.andi %pairs, 0xffff0000
//! %w = vector.shuffle %low, %high [0, …, 31]                                 // split into its halves later
//! %y = …
//! %n = vector.bitcast (the even lanes' upper halves, the odd ones' upper halves in place) : vector<16xi32> to vector<32xbf16>
//! ```
//! This is the order of lanes in all vectors of a component: values that reach each other through operations on lanes, loops, and buffers
//! of rows. Sums and maxima over all lanes do not depend on it; one operation that may refuses all of the component.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, ElementType, IN_PLACE, Op, TypeExt as _, Value,
    WalkOrder, arith, constant_index, memref, scf, ub, vector,
};
use strata_target::Target;

use super::interleave::split;

/// The conversions from and to `bf16` in `root` that need not move lanes.
pub(super) fn find<'c>(root: Op<'c>, target: &Target) -> FxHashSet<Op<'c>> {
    let converts = |op: Op<'c>| {
        (op.is(arith::EXTF) && is_bf16(op.operand(0)))
            || (op.is(arith::TRUNCF) && is_bf16(op.result(0)))
    };
    if root.collect(|op| converts(op) && op.result(0).ty().is_vector_type()).is_empty() {
        return FxHashSet::default();
    }
    let pair = i64::from(target.lanes(16));
    let mut graph = Graph { pair, places: Places::of(root), ..Graph::default() };
    root.walk(WalkOrder::Pre, &mut |op| graph.add(op));
    graph.finish()
}

/// Vectors of whole pairs of registers, buffers of them, and what is connected.
#[derive(Default)]
struct Graph<'c> {
    /// Lanes of two registers.
    pair: i64,
    nodes: FxHashMap<Value<'c>, usize>,
    /// Another node of the same component, or the node itself for the one that stands for it.
    parent: Vec<usize>,
    refused: Vec<usize>,
    conversions: Vec<(Op<'c>, usize)>,
    places: Places<'c>,
    /// The node of a buffer of whole pairs, where that was asked; `None` for others.
    rows: FxHashMap<Value<'c>, Option<Value<'c>>>,
}

impl<'c> Graph<'c> {
    /// Whether a value is a vector whose lanes could have another order. Those of `bf16` keep theirs.
    fn holds(&self, value: Value<'c>) -> bool {
        let row = value.ty().shape().and_then(|shape| shape.last().copied());
        value.ty().is_vector_type()
            && !is_bf16(value)
            && row.is_some_and(|row| row > 0 && row % self.pair == 0)
    }

    fn add(&mut self, op: Op<'c>) {
        let held: Vec<_> =
            op.operands().into_iter().chain(op.results()).filter(|one| self.holds(*one)).collect();
        match op.name() {
            arith::EXTF if is_bf16(op.operand(0)) => self.convert(op, op.result(0)),
            arith::TRUNCF if is_bf16(op.result(0)) => self.convert(op, op.operand(0)),
            scf::FOR => {
                let body = op.body(0);
                let ends = body.terminator().map_or(Vec::new(), |end| end.operands());
                let carried = [op.operands().split_off(3), body.args().split_off(1), ends];
                for values in carried {
                    values.into_iter().zip(op.results()).for_each(|(one, to)| self.join(one, to));
                }
            }
            scf::IF => {
                for end in op.regions().into_iter().filter_map(|region| region.first_block()) {
                    let ends = end.terminator().map_or(Vec::new(), |end| end.operands());
                    ends.into_iter().zip(op.results()).for_each(|(one, to)| self.join(one, to));
                }
            }
            // Of the loops and conditions above; others refuse their results.
            scf::YIELD => {}
            _ if op.results().first().is_some_and(|result| is_uniform(*result)) => {}
            vector::BROADCAST | vector::SHAPE_CAST => {
                let rows = [op.operand(0), op.result(0)].map(|value| value.ty().shape());
                let [from, to] = rows.map(|shape| shape.and_then(|shape| shape.last().copied()));
                if from == to { self.join_all(&held) } else { self.refuse(&held) }
            }
            vector::REDUCTION => {}
            vector::MULTI_REDUCTION => {
                let rank = op.operand(0).ty().rank().unwrap_or(0) as i64;
                let dims = op.attr("reduction_dims").and_then(|dims| dims.as_i64s());
                if dims.is_some_and(|dims| dims.contains(&(rank - 1))) {
                    self.refuse(&[op.operand(1), op.result(0)]);
                } else {
                    self.join_all(&held);
                }
            }
            vector::LOAD | vector::STORE | vector::TRANSFER_READ | vector::TRANSFER_WRITE => {
                let access = access(op).filter(|access| self.holds(access.moved));
                match access.and_then(|access| Some((access.moved, self.rows(access.buffer)?))) {
                    Some((moved, rows)) => {
                        let nodes = [moved, rows].map(|value| self.node(value));
                        self.unite(nodes);
                    }
                    None => self.refuse(&held),
                }
            }
            name => {
                let computes = matches!(op.dialect(), "arith" | "math") || name == vector::FMA;
                let values = || op.operands().into_iter().chain(op.results());
                let is_alike = values().all(|one| !one.ty().is_vector_type() || self.holds(one));
                let is_apart = !computes || name == arith::CONSTANT || !is_alike;
                if is_apart { self.refuse(&held) } else { self.join_all(&held) }
            }
        }
    }

    /// A conversion from or to `bf16`; `wide` is the other end.
    fn convert(&mut self, op: Op<'c>, wide: Value<'c>) {
        if !self.holds(wide) {
            return;
        }
        let node = self.node(wide);
        self.conversions.push((op, node));
        let is_pair = wide.ty().shape().is_some_and(|shape| shape == [self.pair]);
        if !is_pair || wide.ty().element().bit_width() != Some(32) {
            self.refused.push(node);
        }
    }

    /// The value that stands for a buffer, if it is a temporary whose rows are only accessed in whole pairs of registers, from their
    /// beginning, and so are the others at its place, which have the same order of lanes.
    fn rows(&mut self, buffer: Value<'c>) -> Option<Value<'c>> {
        if let Some(known) = self.rows.get(&buffer) {
            return *known;
        }
        let beside = self.places.beside(buffer);
        let first = beside.first().copied();
        let found = first.filter(|_| beside.iter().all(|one| self.has_only_pairs(*one)));
        self.rows.insert(buffer, found);
        found
    }

    fn has_only_pairs(&self, buffer: Value<'c>) -> bool {
        let is_aligned =
            |bound: Value<'c>| constant_index(bound).is_some_and(|at| at % self.pair == 0);
        let is_whole = |(user, _): (Op<'c>, usize)| {
            let Some(access) = access(user).filter(|access| self.holds(access.moved)) else {
                return false;
            };
            let (base, offset) = split(access.last);
            let starts = base.is_none_or(|base| {
                let argument = base.block_arg().filter(|(_, position)| *position == 0);
                let by = argument.and_then(|(block, _)| block.parent_op());
                by.is_some_and(|by| {
                    by.is(scf::FOR) && is_aligned(by.operand(0)) && is_aligned(by.operand(2))
                })
            });
            starts && offset % self.pair == 0 && access.buffer == buffer
        };
        buffer.uses().into_iter().all(is_whole)
    }

    fn node(&mut self, value: Value<'c>) -> usize {
        let next = self.parent.len();
        let node = *self.nodes.entry(value).or_insert(next);
        if node == next {
            self.parent.push(next);
        }
        node
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    fn join(&mut self, one: Value<'c>, other: Value<'c>) {
        let both: Vec<_> = [one, other].into_iter().filter(|one| self.holds(*one)).collect();
        self.join_all(&both);
    }

    /// These have the same order of lanes.
    fn join_all(&mut self, values: &[Value<'c>]) {
        let ordered = values.iter().filter(|value| !is_uniform(**value)).copied();
        let nodes: Vec<_> =
            ordered.collect::<Vec<_>>().into_iter().map(|one| self.node(one)).collect();
        for both in nodes.windows(2) {
            self.unite([both[0], both[1]]);
        }
    }

    fn unite(&mut self, nodes: [usize; 2]) {
        let [one, other] = nodes.map(|node| self.find(node));
        self.parent[one] = other;
    }

    fn refuse(&mut self, values: &[Value<'c>]) {
        for value in values {
            if self.holds(*value) && !is_uniform(*value) {
                let node = self.node(*value);
                self.refused.push(node);
            }
        }
    }

    fn finish(mut self) -> FxHashSet<Op<'c>> {
        let refused: Vec<_> = std::mem::take(&mut self.refused);
        let refused: FxHashSet<_> = refused.into_iter().map(|node| self.find(node)).collect();
        let mut conversions = std::mem::take(&mut self.conversions);
        conversions.retain(|(_, node)| !refused.contains(&self.find(*node)));
        conversions.into_iter().map(|(op, _)| op).collect()
    }
}

/// The temporaries of a function by their places in what they are parts of.
#[derive(Default)]
struct Places<'c> {
    views: FxHashMap<Place<'c>, Vec<Value<'c>>>,
    /// What has parts whose places change from one iteration to the next.
    rotated: FxHashSet<Value<'c>>,
}

/// What it is a part of, where it starts, and the bits of an element: a tensor is never read in elements of another width.
type Place<'c> = (Value<'c>, (Option<Value<'c>>, i64), Option<u32>);

impl<'c> Places<'c> {
    fn of(root: Op<'c>) -> Self {
        let mut places = Self::default();
        // What callers give and read has an order of its own.
        let given = root.attr(IN_PLACE).and_then(|places| places.as_i64s()).unwrap_or_default();
        let is_given = |view: Op<'c>| {
            let argument = view.operand(0).block_arg();
            argument.is_some_and(|(block, position)| {
                block.parent_op() == Some(root) && given.contains(&(position as i64))
            })
        };
        for view in root.collect(|op| op.is(memref::VIEW) && !is_given(op)) {
            let place = Self::place(view);
            let base = place.1.0;
            if base.is_some_and(|base| base.owner().is_none_or(|by| !by.is(arith::MULI))) {
                places.rotated.insert(place.0);
            }
            places.views.entry(place).or_default().push(view.result(0));
        }
        places
    }

    fn place(view: Op<'c>) -> Place<'c> {
        let width = view.result(0).ty().element().bit_width();
        (view.operand(0), split(view.operand(1)), width)
    }

    /// The views at the place of a buffer; none if it is not one, or places change.
    fn beside(&self, buffer: Value<'c>) -> Vec<Value<'c>> {
        let view = buffer.owner().filter(|owner| owner.is(memref::VIEW));
        let view = view.filter(|view| !self.rotated.contains(&view.operand(0)));
        view.and_then(|view| self.views.get(&Self::place(view))).cloned().unwrap_or_default()
    }
}

/// Whether all lanes of a row are equal.
fn is_uniform(value: Value<'_>) -> bool {
    value.owner().is_some_and(|op| match op.name() {
        vector::BROADCAST => {
            let row = op.operand(0).ty().shape().filter(|_| op.operand(0).ty().is_vector_type());
            row.and_then(|row| row.last().copied()).is_none_or(|last| last == 1)
        }
        arith::CONSTANT => op.attr("value").is_some_and(|value| value.is_splat()),
        ub::POISON => true,
        _ => false,
    })
}

/// Whether a value is a `bf16` or a vector of them.
pub(super) fn is_bf16(value: Value<'_>) -> bool {
    ElementType::from_type(value.ty().element()) == Some(ElementType::BFloat16)
}

/// An access of all lanes of a vector, one after the other.
struct Access<'c> {
    moved: Value<'c>,
    buffer: Value<'c>,
    last: Value<'c>,
}

fn access(op: Op<'_>) -> Option<Access<'_>> {
    let (moved, buffer, first) = match op.name() {
        vector::LOAD | vector::TRANSFER_READ => (op.result(0), op.operand(0), 1),
        vector::STORE | vector::TRANSFER_WRITE => (op.operand(0), op.operand(1), 2),
        _ => return None,
    };
    let rank = buffer.ty().rank().filter(|rank| *rank > 0 && buffer.ty().is_memref_type())?;
    let is_transfer = matches!(op.name(), vector::TRANSFER_READ | vector::TRANSFER_WRITE);
    // The padding of a read comes last, before a mask.
    let operands = first + rank + usize::from(op.is(vector::TRANSFER_READ));
    let is_plain = op.operand_count() == operands && moved.ty().element() == buffer.ty().element();
    let is_whole = !is_transfer || {
        let map = op.attr("permutation_map").and_then(AffineMap::of);
        let ends_rows =
            map.is_some_and(|map| map.results.last() == Some(&AffineExpr::Dim(rank - 1)));
        let flags = op.attr("in_bounds").and_then(|flags| flags.as_array());
        ends_rows
            && flags.is_some_and(|flags| flags.iter().all(|flag| flag.as_bool() == Some(true)))
    };
    let last = op.operand(first + rank - 1);
    (is_plain && is_whole).then_some(Access { moved, buffer, last })
}
