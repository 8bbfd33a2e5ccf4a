//! Which operations of a program may compute in other orders, and which do.

use std::collections::{HashMap, HashSet, VecDeque};

use strata_ir::{Block, Op, OpKind, TypeExt as _, Value};
use strata_target::tuning::layout::{LOOP_TRIPS, MAX_DEPTH};

use super::{
    apply, conv,
    cut::{FIRST, Network, SECOND},
    ways::{Order, Place, Way, composed, has_orders, inverse, moves_nothing, own, way},
    window,
};
use crate::pattern::{ints, is_pointwise};

/// What is decided together: an operation, or what a loop or a branch carries in one place.
pub struct Node<'c> {
    pub op: Op<'c>,
    /// The values that it reads, as user and number of the operand.
    pub uses: Vec<(Op<'c>, usize)>,
    pub defs: Vec<Value<'c>>,
    /// How it computes in other orders, if it may.
    pub way: Option<Way>,
    kind: Kind,
}

impl Node<'_> {
    /// Whether it is what a loop or a branch carries.
    pub fn is_carried(&self) -> bool {
        self.kind == Kind::Carried
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Operation,
    /// All values that it reads and defines are in one order.
    Carried,
    /// In the orders of the program only.
    Fixed,
    /// A convolution, or windows that none spreads to: in its way in any case.
    Convolution,
}

/// The nodes of a function.
pub struct Graph<'c> {
    pub nodes: Vec<Node<'c>>,
    /// The node that defines a value.
    of_value: HashMap<Value<'c>, usize>,
    /// The node that reads an operand.
    of_use: HashMap<(Op<'c>, usize), usize>,
    /// How deep in loops a value is defined.
    depths: HashMap<Value<'c>, u32>,
    /// The order in which others would have each value.
    wanted: HashMap<Value<'c>, Order>,
}

impl<'c> Graph<'c> {
    pub fn of(func: Op<'c>) -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            of_value: HashMap::new(),
            of_use: HashMap::new(),
            depths: HashMap::new(),
            wanted: HashMap::new(),
        };
        if let Some(body) = func.region(0).first_block() {
            graph.add_block(body, 0);
        }
        graph
    }

    fn add(&mut self, op: Op<'c>, kind: Kind, uses: Vec<(Op<'c>, usize)>, defs: Vec<Value<'c>>) {
        let number = self.nodes.len();
        self.of_use.extend(uses.iter().map(|one| (*one, number)));
        self.of_value.extend(defs.iter().map(|value| (*value, number)));
        self.nodes.push(Node { op, uses, defs, way: None, kind });
    }

    fn add_block(&mut self, block: Block<'c>, depth: u32) {
        for value in block.args() {
            self.depths.insert(value, depth);
        }
        for op in block.ops() {
            for value in op.results() {
                self.depths.insert(value, depth);
            }
            let count = op.operand_count();
            match op.kind() {
                OpKind::While => self.add_loop(op, depth),
                OpKind::If | OpKind::Case => self.add_branches(op, depth),
                OpKind::OptimizationBarrier if op.result_count() == count => {
                    for index in 0..count {
                        self.add(op, Kind::Carried, vec![(op, index)], vec![op.result(index)]);
                    }
                }
                OpKind::Return if op.parent().is_some_and(carries) => {}
                kind => {
                    let kind = match kind {
                        OpKind::Convolution => Kind::Convolution,
                        _ if op.region_count() > 0 && !computes_elements(kind) => Kind::Fixed,
                        _ => Kind::Operation,
                    };
                    let uses = (0..count).map(|index| (op, index)).collect();
                    self.add(op, kind, uses, op.results());
                }
            }
        }
    }

    fn add_loop(&mut self, op: Op<'c>, depth: u32) {
        let blocks: Vec<_> =
            op.regions().into_iter().filter_map(|region| region.first_block()).collect();
        let [condition, body] = blocks[..] else { return };
        for index in 0..op.operand_count() {
            let mut uses = vec![(op, index)];
            uses.extend(body.terminator().map(|end| (end, index)));
            let defs = vec![op.result(index), condition.arg(index), body.arg(index)];
            self.add(op, Kind::Carried, uses, defs);
        }
        let uses = condition.terminator().map(|end| (end, 0)).into_iter().collect();
        self.add(op, Kind::Fixed, uses, Vec::new());
        self.add_block(condition, depth + 1);
        self.add_block(body, depth + 1);
    }

    fn add_branches(&mut self, op: Op<'c>, depth: u32) {
        let blocks: Vec<_> =
            op.regions().into_iter().filter_map(|region| region.first_block()).collect();
        self.add(op, Kind::Fixed, vec![(op, 0)], Vec::new());
        for index in 0..op.result_count() {
            let ends = blocks.iter().filter_map(|block| block.terminator());
            let uses = ends.map(|end| (end, index)).collect();
            self.add(op, Kind::Carried, uses, vec![op.result(index)]);
        }
        blocks.into_iter().for_each(|block| self.add_block(block, depth));
    }

    /// Gives convolutions their ways, and all that is beside them, as far as dimensions keep their identity. Says whether any
    /// convolution has another order than the program.
    pub fn spread(&mut self) -> bool {
        let mut found = false;
        // Those that images enter by batch and feature first: what computes gradients of kernels has the batch in the place of features.
        for batch_first in [true, false] {
            let mut next = VecDeque::new();
            for number in 0..self.nodes.len() {
                let node = &self.nodes[number];
                if node.kind != Kind::Convolution || conv::has_batch_first(node.op) != batch_first {
                    continue;
                }
                match conv::way(node.op) {
                    Some(way) => {
                        found = true;
                        self.give(number, way, &mut next);
                    }
                    None => self.nodes[number].kind = Kind::Fixed,
                }
            }
            while let Some(value) = next.pop_front() {
                self.reach(value, &mut next);
            }
        }
        // Windows that are between no convolutions.
        for number in 0..self.nodes.len() {
            let node = &self.nodes[number];
            if node.way.is_none()
                && node.kind == Kind::Operation
                && let Some(way) = window::way(node.op)
            {
                found = true;
                self.nodes[number].kind = Kind::Convolution;
                let mut next = VecDeque::new();
                self.give(number, way, &mut next);
                while let Some(value) = next.pop_front() {
                    self.reach(value, &mut next);
                }
            }
        }
        found
    }

    fn give(&mut self, number: usize, way: Way, next: &mut VecDeque<Value<'c>>) {
        let node = &self.nodes[number];
        let values = node.uses.iter().map(|(user, index)| user.operand(*index));
        let values: Vec<_> = values.chain(node.defs.iter().copied()).collect();
        for (value, order) in values.into_iter().zip(way.operands.iter().chain(&way.results)) {
            if has_orders(value) && !order.is_sorted() && !self.wanted.contains_key(&value) {
                self.wanted.insert(value, order.clone());
                next.push_back(value);
            }
        }
        self.nodes[number].way = Some(way);
    }

    /// Gives ways to what defines a value and to what reads it.
    fn reach(&mut self, value: Value<'c>, next: &mut VecDeque<Value<'c>>) {
        let Some(order) = self.wanted.get(&value).cloned() else { return };
        let mut around = Vec::new();
        if let Some(number) = self.of_value.get(&value) {
            let at = value.result_index().unwrap_or_default();
            around.push((*number, Place::Result(at)));
        }
        let mut uses = value.uses();
        uses.reverse();
        for (user, index) in uses {
            if let Some(number) = self.of_use.get(&(user, index)) {
                around.push((*number, Place::Operand(index)));
            }
        }
        for (number, place) in around {
            let node = &self.nodes[number];
            let way = match node.kind {
                _ if node.way.is_some() => None,
                Kind::Fixed | Kind::Convolution => None,
                Kind::Operation => way(node.op, place, &order),
                Kind::Carried => Some(Way {
                    operands: vec![order.clone(); node.uses.len()],
                    results: vec![order.clone(); node.defs.len()],
                }),
            };
            if let Some(way) = way {
                self.give(number, way, next);
            }
        }
    }

    /// Decides which nodes compute in their ways.
    pub fn choose(&self) -> Vec<bool> {
        let mut network = Network::new();
        let points: Vec<_> = self
            .nodes
            .iter()
            .map(|node| match (&node.way, node.kind) {
                (Some(_), Kind::Convolution) => FIRST,
                (Some(_), _) => network.point(),
                (None, _) => SECOND,
            })
            .collect();
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some(way) = &node.way {
                self.weigh_transpose(node, way, points[number], &mut network);
            }
            for (at, value) in node.defs.iter().enumerate() {
                let order = node.way.as_ref().map(|way| &way.results[at]);
                self.weigh(*value, order, &points, number, &mut network);
            }
        }
        // Arguments of the function are in the program's order.
        let mut inputs: Vec<_> = self
            .nodes
            .iter()
            .flat_map(|node| &node.uses)
            .map(|(user, at)| user.operand(*at))
            .collect();
        inputs.retain(|value| !self.of_value.contains_key(value));
        let mut seen = HashSet::new();
        inputs.retain(|value| seen.insert(*value));
        for value in inputs {
            self.weigh(value, None, &points, usize::MAX, &mut network);
        }
        let sides = network.divide();
        let mut chosen: Vec<_> = points.iter().map(|point| sides[*point]).collect();
        for number in 0..self.nodes.len() {
            if !chosen[number] && self.follows(number, &chosen) {
                chosen[number] = true;
            }
        }
        chosen
    }

    /// Whether a pointwise operation is all that reads what it computes with, which is in its other order: it costs no more there, and can
    /// be computed with what it reads.
    fn follows(&self, number: usize, chosen: &[bool]) -> bool {
        let node = &self.nodes[number];
        let Some(way) = &node.way else { return false };
        let [result] = node.defs[..] else { return false };
        if node.kind != Kind::Operation || !is_pointwise(node.op.kind()) {
            return false;
        }
        let mut reads = node.uses.iter().zip(&way.operands).filter_map(|((user, at), order)| {
            let value = user.operand(*at);
            (has_orders(value) && !is_free(value)).then_some((value, order))
        });
        let (Some((value, order)), None) = (reads.next(), reads.next()) else { return false };
        let definer = self.of_value.get(&value).copied().filter(|definer| chosen[*definer]);
        let is_in_order = definer.is_some_and(|definer| {
            let node = &self.nodes[definer];
            let at = node.defs.iter().position(|other| *other == value);
            let made = node.way.as_ref().zip(at).map(|(way, at)| &way.results[at]);
            made == Some(order)
        });
        is_in_order && value.has_one_use() && self.bytes(result) <= self.bytes(value)
    }

    /// What a transpose of the program costs, in each case.
    fn weigh_transpose(&self, node: &Node<'c>, way: &Way, point: usize, network: &mut Network) {
        if node.op.kind() != OpKind::Transpose {
            return;
        }
        let Ok(permutation) = ints(node.op, "permutation") else { return };
        let permutation: Order = permutation.into_iter().map(|dim| dim as usize).collect();
        let shape = node.op.operand(0).ty().shape().unwrap_or_default();
        let cost = self.bytes(node.op.result(0));
        if !moves_nothing(&shape, &permutation) {
            network.cost(FIRST, point, cost);
        }
        // In the other case its operand and its result have the same elements in the same order, unless others wanted it otherwise.
        let then = composed(&permutation, &way.results[0]);
        let now = composed(&shape, &way.operands[0]);
        let list = composed(&inverse(&way.operands[0]), &then);
        if !moves_nothing(&now, &list) {
            network.cost(point, SECOND, cost);
        }
    }

    /// What it costs to have a value in two orders: `made` is that in which its node would define it.
    fn weigh(
        &self,
        value: Value<'c>,
        made: Option<&Order>,
        points: &[usize],
        number: usize,
        network: &mut Network,
    ) {
        if !has_orders(value) || is_free(value) {
            return;
        }
        let of_use = |one: &(Op<'c>, usize)| {
            let number = *self.of_use.get(one)?;
            let node = &self.nodes[number];
            let at = node.uses.iter().position(|other| other == one)?;
            Some((number, node.way.as_ref().map(|way| &way.operands[at])))
        };
        let mut uses = value.uses();
        uses.reverse();
        let uses: Vec<_> = uses.iter().filter_map(of_use).collect();
        let mut orders = uses.iter().filter_map(|(_, order)| *order);
        let is_other = |order: &&Order| !order.is_sorted();
        let Some(other) = made.filter(is_other).or_else(|| orders.find(is_other)) else { return };
        let shape = value.ty().shape().unwrap_or_default();
        let cost = if moves_nothing(&shape, other) { 0 } else { self.bytes(value) };
        let side = |number: usize, order: Option<&Order>| match order {
            Some(order) if order == other => points[number],
            _ => SECOND,
        };
        let mut together = vec![match number {
            usize::MAX => SECOND,
            number => side(number, made),
        }];
        for (number, order) in uses {
            match order {
                // A third order: a transpose of its own.
                Some(order) if order != other && *order != own(value) => {
                    let third = if moves_nothing(&shape, order) { 0 } else { self.bytes(value) };
                    network.cost(points[number], SECOND, third);
                }
                order => together.push(side(number, order)),
            }
        }
        together.sort_unstable();
        together.dedup();
        network.together(&together, cost);
    }

    /// The bytes of a value, as often as it is computed.
    fn bytes(&self, value: Value<'c>) -> i64 {
        let bytes = apply::bytes(value);
        let depth = self.depths.get(&value).copied().unwrap_or(0).min(MAX_DEPTH);
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX >> 20).min(i64::MAX >> 20);
        bytes.saturating_mul(LOOP_TRIPS.pow(depth)).min(i64::MAX >> 8)
    }
}

/// Whether operations carry what their regions return.
fn carries(op: Op<'_>) -> bool {
    matches!(op.kind(), OpKind::While | OpKind::If | OpKind::Case)
}

/// Whether the regions of such operations compute with elements.
fn computes_elements(kind: OpKind) -> bool {
    matches!(kind, OpKind::Reduce | OpKind::ReduceWindow | OpKind::SelectAndScatter | OpKind::Sort)
}

/// Whether a value is there in any order at no cost.
fn is_free(value: Value<'_>) -> bool {
    let Some(op) = value.owner() else { return false };
    match op.kind() {
        // Constants are moved by the compiler.
        OpKind::Constant | OpKind::Iota => true,
        OpKind::BroadcastInDim => {
            let shape = op.operand(0).ty().shape().unwrap_or_default();
            shape.iter().filter(|size| **size != 1).count() < 2
        }
        _ => false,
    }
}
