//! What is needed of each tensor of a block: from the last operation to the first, what its users need.
//!
//! ```mlir
//! %m = linalg.generic … { arith.select (%d1 < %s), %x, %zero }         // of %x, the first %s columns
//! %r = linalg.matmul ins(%a, %b)                                       // of %a, the rows that are needed of %r; all of %b
//! return %r                                                            // what the entry says
//! ```
//! Tensors whose values become addresses, divisors or trip counts are needed whole, and so is all that they are computed from.
//! A mask is a comparison of an index with a size ([`super::facts`]); what is chosen where it holds is needed there only. Reductions
//! need all that they run over, also where they end earlier: masks before them are what makes parts of it unnecessary.

mod movement;

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Block, Context, LIMIT, Op, TypeExt as _, VALID,
    Value, arith, func, linalg, narrow, scf, tensor,
};
use strata_target::Target;

use super::{
    Bound, Need,
    columns::Columns,
    elements,
    facts::{Fact, Facts, Loops},
    idle::Idle,
    joins::Join,
    loops, masks, pieces, plain, reads,
};
use crate::structured::Structured;

/// What is needed of the tensors of a block.
#[derive(Default)]
pub struct Needs<'c> {
    /// The number of sizes that the entry takes.
    pub sizes: usize,
    pub(super) known: HashMap<Value<'c>, Vec<Need>>,
    facts: Facts<'c>,
    /// Whether nests have their schedules and limits, which say what they read.
    is_scheduled: bool,
}

impl<'c> Needs<'c> {
    /// The needs of the tensors in the body of the entry, where sizes are at least `least`; none where the program has no bounds.
    pub fn of(entry: Op<'c>, least: &[i64]) -> Self {
        let Some((sizes, valid)) = valid(entry) else { return Self::default() };
        let Some(body) = entry.region(0).first_block() else { return Self::default() };
        let facts = Facts::of(entry, body, sizes, least);
        let mut needs = Self { sizes, ..Self::default() };
        for op in body.ops().into_iter().rev() {
            needs.step(op, &facts, &valid);
        }
        needs.facts = facts;
        needs
    }

    /// Those of a part of the entry that is scheduled later, of whose values `known` is needed.
    pub(super) fn of_part(
        entry: Op<'c>,
        known: HashMap<Value<'c>, Vec<Need>>,
        least: &[i64],
    ) -> Self {
        let (Some((sizes, _)), Some(body)) = (valid(entry), entry.region(0).first_block()) else {
            return Self::default();
        };
        Self { sizes, known, facts: Facts::of(entry, body, sizes, least), is_scheduled: false }
    }

    /// Limits what only limited loops of scheduled nests read: a reduction that ends at a size leaves what comes after it unread, and
    /// all that is computed for that. Returns how many operations make less.
    pub fn limit_by_reads(&self, context: &'c Context, entry: Op<'c>, target: &Target) -> usize {
        let (Some((sizes, valid)), Some(body)) = (valid(entry), entry.region(0).first_block())
        else {
            return 0;
        };
        let mut needs = Self { sizes, is_scheduled: true, ..Self::default() };
        let mut count = 0;
        // Those that read come after those that write.
        for op in body.ops().into_iter().rev() {
            let needed: Vec<_> =
                op.results().into_iter().map(|result| needs.needed(result)).collect();
            if reads::limit(context, op, &needed, sizes) {
                count += 1;
                self.mark_places(context, op);
            }
            if op.is(tensor::INSERT_SLICE)
                && let Some(copied) = pieces::updated_input(context, body, op, &needs, target)
            {
                op.set_operand(1, copied);
                count += 1;
            }
            needs.step(op, &self.facts, &valid);
        }
        count
    }

    /// What is known of the elements of a tensor.
    pub fn fact(&self, value: Value<'c>) -> Option<&Fact> {
        self.facts.get(value)
    }

    /// What was known of `old` is known of `new`, which replace them.
    pub fn rename(&mut self, old: &[Value<'c>], new: &[Value<'c>]) {
        for (old, new) in old.iter().zip(new).filter(|(_, new)| new.owner().is_some()) {
            self.facts.rename(*old, *new);
        }
    }

    /// Nothing is known of the results of an operation that is erased: others may be where they were.
    pub fn forget(&mut self, op: Op<'c>) {
        for result in op.results() {
            self.known.remove(&result);
            self.facts.forget(result);
        }
    }

    /// What is needed of a tensor, if that is less than all of it.
    pub fn partial(&self, value: Value<'c>) -> Option<&[Need]> {
        let needs = self.known.get(&value)?;
        needs.iter().any(|need| matches!(need, Need::Below(_))).then_some(needs)
    }

    /// Gives pads, and the elementwise operations and reductions that have no schedule, the numbers of iterations that are needed of each loop
    /// ([`set_limits`]). Loops of algorithms get limits as those of nests do. Operations that are `waiting` have no schedule yet.
    pub fn limit_unscheduled(
        &mut self,
        context: &'c Context,
        block: Block<'c>,
        waiting: &[Op<'c>],
    ) {
        self.limit_by_ends(context, block);
        if self.known.is_empty() {
            return;
        }
        for (old, new) in plain::merge_into_reductions(context, block, waiting) {
            if let Some(needs) = self.known.remove(&old) {
                self.known.insert(new, needs);
            }
            self.facts.rename(old, new);
        }
        for op in block.ops() {
            if op.is(scf::FOR) {
                if let Some(idle) = Idle::of(op, &self.facts).filter(|_| !op.has_attr(LIMIT)) {
                    op.set_attr(LIMIT, idle.end.to_map(self.sizes).to_attribute(context));
                    continue;
                }
                let needs: Vec<_> =
                    op.results().into_iter().map(|result| self.needed(result)).collect();
                if let Some(columns) = Columns::of(op, &needs) {
                    let limit = columns.bound.to_map(self.sizes).to_attribute(context);
                    columns.loops.iter().for_each(|each| each.set_attr(LIMIT, limit));
                    continue;
                }
                loops::limit_unscheduled(context, op, &needs, self.sizes);
                continue;
            }
            let limits = match op.name() {
                tensor::PAD => Some(self.needed(op.result(0))),
                linalg::FILL => Some(self.needed(op.result(0))),
                _ => self.iterations(op),
            };
            if let Some(limits) = limits
                && set_limits(context, op, &limits, self.sizes)
            {
                self.mark_places(context, op);
            }
        }
    }

    /// Says which masks in the body of an operation with limits, and without a schedule, are true below them.
    fn mark_places(&self, context: &'c Context, op: Op<'c>) {
        if let Some(nest) = Loops::of(op).filter(|_| op.is(linalg::GENERIC)) {
            masks::mark_places(context, op, &self.facts.of_body(op, &nest), self.sizes);
        }
    }

    /// Gives loops whose end is at most a size of the call this limit, too: what they read at their counter is then known to be below.
    fn limit_by_ends(&self, context: &'c Context, block: Block<'c>) {
        let is_open = |op: Op<'c>| op.is(scf::FOR) && !op.has_attr(LIMIT);
        for each in block.ops().into_iter().flat_map(|op| op.collect(is_open)) {
            if let Some(Fact::Number { bound, .. }) = self.facts.get(each.operand(1)) {
                each.set_attr(LIMIT, bound.to_map(self.sizes).to_attribute(context));
            }
        }
    }

    /// The iterations that are needed of an operation without a schedule: those for needed results, of which those of reductions may all
    /// change these.
    fn iterations(&self, op: Op<'c>) -> Option<Vec<Need>> {
        let needed: Vec<_> = op.results().into_iter().map(|result| self.needed(result)).collect();
        let mut limits = written(op, &needed)?;
        // Loops that no result has.
        if let Some(changing) = plain::changing(op, &self.facts) {
            let pairs = limits.iter_mut().zip(changing);
            pairs.filter(|(limit, _)| **limit == Need::All).for_each(|(limit, own)| *limit = own);
        }
        Some(limits)
    }

    pub(super) fn add(&mut self, value: Value<'c>, needs: Vec<Need>) {
        let Some(rank) = value.ty().rank().filter(|_| value.ty().is_tensor_type()) else { return };
        let known = self.known.entry(value).or_insert_with(|| vec![Need::Nothing; rank]);
        let needs = if needs.len() == rank { needs } else { vec![Need::All; rank] };
        for (known, need) in known.iter_mut().zip(needs) {
            *known = known.or(need);
        }
    }

    pub(super) fn add_all(&mut self, value: Value<'c>) {
        let rank = value.ty().rank().unwrap_or_default();
        self.add(value, vec![Need::All; rank]);
    }

    /// The rows that a loop joins.
    pub fn join(&self, each: Op<'c>) -> Option<Join<'c>> {
        Join::of(each, &self.facts)
    }

    /// What is needed of a result.
    pub fn needed(&self, value: Value<'c>) -> Vec<Need> {
        let rank = value.ty().rank().unwrap_or_default();
        self.known.get(&value).cloned().unwrap_or_else(|| vec![Need::Nothing; rank])
    }

    /// What an operation needs of its operands, and of tensors around its regions, where `valid` is what is needed of the results of
    /// the entry.
    pub(super) fn step(&mut self, op: Op<'c>, facts: &Facts<'c>, valid: &[Vec<Need>]) {
        if op.is(func::RETURN) {
            for (index, value) in op.operands().into_iter().enumerate() {
                // Lists of sizes come after the outputs.
                match valid.get(index) {
                    Some(valid) => self.add(value, valid.clone()),
                    None => self.add_all(value),
                }
            }
            return;
        }
        if op.is(scf::FOR) {
            let needed: Vec<_> =
                op.results().into_iter().map(|result| self.needed(result)).collect();
            if let Some((source, needs)) =
                Join::of(op, facts).and_then(|join| join.needs(&needed[0]))
            {
                self.add(source, needs);
                return;
            }
            if let Some(columns) = Columns::of(op, &needed) {
                columns.needs().into_iter().for_each(|(value, needs)| self.add(value, needs));
                return;
            }
        }
        if !self.is_scheduled && self.regions(op, facts, valid) {
            return;
        }
        let mut elements = Vec::new();
        let handled = match op.name() {
            tensor::PAD => self.pad(op),
            tensor::EXTRACT_SLICE => self.extract_slice(op, facts),
            tensor::INSERT_SLICE => self.insert_slice(op, facts),
            tensor::COLLAPSE_SHAPE => self.collapse(op),
            tensor::EXPAND_SHAPE => self.expand(op),
            narrow::PACK => self.pack(op),
            _ if op.dialect() == "linalg" => self.structured(op, facts, &mut elements),
            _ => None,
        };
        if handled.is_none() {
            // What a loop does not write of a tensor is what it started from.
            let carried = if op.is(scf::FOR) { reads::only_written(op) } else { Vec::new() };
            for (index, operand) in op.operands().into_iter().enumerate() {
                match index.checked_sub(3).filter(|at| carried.contains(at)) {
                    Some(at) => self.add(operand, self.needed(op.result(at))),
                    None => self.add_all(operand),
                }
            }
        }
        // Whatever regions use of tensors around them.
        let idle = Idle::of(op, facts);
        for inner in op.collect(|inner| inner != op && !elements.contains(&inner)) {
            for value in inner.operands().into_iter().filter(|value| value.ty().is_tensor_type()) {
                let is_around = value.owner().is_some_and(|owner| !op.encloses(owner))
                    || value.block_arg().is_some();
                let need = idle.as_ref().and_then(|idle| idle.need(inner, value));
                let need = need.or_else(|| elements::sliced(inner, value, facts));
                let of_reads = || reads::of_use(inner, value, self.sizes);
                match need.or_else(|| self.is_scheduled.then(of_reads)) {
                    _ if !is_around => {}
                    Some(need) => self.add(value, need),
                    None => self.add_all(value),
                }
            }
        }
    }

    /// Adds to `elements` the reads in the body of which it has said what they need.
    fn structured(
        &mut self,
        op: Op<'c>,
        facts: &Facts<'c>,
        elements: &mut Vec<Op<'c>>,
    ) -> Option<()> {
        let nest = Loops::of(op).filter(|_| op.body(0).arg_count() == op.operand_count())?;
        let mut needs = vec![Need::All; nest.extents.len()];
        let inputs = op.operand_count() - op.result_count();
        for (index, result) in op.results().into_iter().enumerate() {
            let own = self.needed(result);
            let dims = nest.maps[inputs + index].projected()?;
            for (number, need) in needs.iter_mut().enumerate() {
                // Loops that a result is not indexed by are reductions.
                let at = dims.iter().position(|dim| *dim == number);
                let at = at.map_or(Need::All, |at| own[at]);
                *need = if index == 0 { at } else { need.or(at) };
            }
        }
        let of_body = facts.of_body(op, &nest);
        let known = in_body(op, &nest, &needs, &of_body);
        let nothing = vec![Need::Nothing; needs.len()];
        let of = |value: Value<'c>| known.get(&value).unwrap_or(&nothing);
        for read in
            op.body(0).ops().into_iter().filter(|read| elements::is_inside(*read, &nest.extents))
        {
            self.add(read.operand(0), elements::needs(read, of(read.result(0)), &of_body));
            elements.push(read);
        }
        let arguments = op.body(0).args().into_iter().map(of);
        for (index, (operand, needs)) in op.operands().into_iter().zip(arguments).enumerate() {
            let of_dim = |index: &AffineExpr| nest.need_at(index, needs);
            self.add(operand, nest.maps[index].results.iter().map(of_dim).collect());
        }
        Some(())
    }
}

impl Loops {
    /// What is needed of a dimension that is indexed by an expression of the loops, of whose iterations `needs` are needed.
    fn need_at(&self, index: &AffineExpr, needs: &[Need]) -> Need {
        if let Some(dim) = index.as_dim() {
            return needs[dim];
        }
        let Some((factors, mut more)) = index.linear(self.extents.len()) else { return Need::All };
        let mut bounded = None;
        for (dim, factor) in factors.into_iter().enumerate().filter(|(_, factor)| *factor != 0) {
            match needs[dim] {
                _ if factor < 0 => return Need::All,
                Need::Nothing => return Need::Nothing,
                Need::Below(_) if bounded.is_none() => bounded = Some((dim, factor)),
                _ => more += factor * (self.extents[dim] - 1),
            }
        }
        bounded.map_or(Need::All, |(dim, factor)| needs[dim].moved(factor, more))
    }
}

/// The iterations in which each value in the body of a linalg operation is needed, where `needs` are needed of the operation.
fn in_body<'c>(
    op: Op<'c>,
    nest: &Loops,
    needs: &[Need],
    facts: &HashMap<Value<'c>, Fact>,
) -> HashMap<Value<'c>, Vec<Need>> {
    let nothing = vec![Need::Nothing; needs.len()];
    let body = op.body(0);
    let mut known: HashMap<Value<'c>, Vec<Need>> = HashMap::new();
    let add = |known: &mut HashMap<Value<'c>, Vec<Need>>, value: Value<'c>, more: &[Need]| {
        let own = known.entry(value).or_insert_with(|| nothing.clone());
        own.iter_mut().zip(more).for_each(|(own, more)| *own = own.or(*more));
    };
    for inner in body.ops().into_iter().rev() {
        let own = if inner.is(linalg::YIELD) {
            needs.to_vec()
        } else if is_risky(inner) && !elements::is_inside(inner, &nest.extents) {
            vec![Need::All; needs.len()]
        } else {
            let results = inner.results().into_iter().filter_map(|result| known.get(&result));
            results.fold(nothing.clone(), |all, own| {
                all.into_iter().zip(own).map(|(all, own)| all.or(*own)).collect()
            })
        };
        let mask = inner.is(arith::SELECT).then(|| facts.get(&inner.operand(0))).flatten();
        for (index, operand) in inner.operands().into_iter().enumerate() {
            let mut own = own.clone();
            if let (1, Some(Fact::Below(list))) = (index, mask) {
                for (dim, bound) in list {
                    if own[*dim] == Need::All {
                        own[*dim] = Need::Below(*bound);
                    }
                }
            }
            add(&mut known, operand, &own);
        }
    }
    known
}

/// The iterations of each loop of an operation without a schedule that write what is needed of its results; all of loops that a result
/// does not have.
pub(super) fn written(op: Op<'_>, needed: &[Vec<Need>]) -> Option<Vec<Need>> {
    let nest = Structured::of_generic(op)?;
    let maps = op.indexing_maps()?;
    let dims = maps.get(nest.inputs..)?.iter().map(AffineMap::projected);
    let dims: Vec<_> = dims.collect::<Option<_>>()?;
    let needs = |number: usize| {
        let place = |dims: &Vec<usize>| dims.iter().position(|dim| *dim == number);
        // Each result has all parallel loops, and no other one.
        let places: Option<Vec<usize>> = dims.iter().map(place).collect();
        places.map_or(Need::All, |places| {
            let results = needed.iter().zip(places);
            results.fold(Need::Nothing, |all, (needs, at)| all.or(needs[at]))
        })
    };
    Some((0..nest.extents.len()).map(needs).collect())
}

/// Gives an operation without a schedule the numbers of iterations of its loops: a list of maps from the sizes, without a result for a loop
/// that is needed whole. Returns whether one is not.
pub(super) fn set_limits<'c>(
    context: &'c Context,
    op: Op<'c>,
    limits: &[Need],
    sizes: usize,
) -> bool {
    let is_limited = limits.iter().any(|limit| matches!(limit, Need::Below(_)));
    if is_limited {
        let map = |limit: &Need| match limit {
            Need::Below(bound) => bound.to_map(sizes),
            Need::Nothing | Need::First(_) | Need::All => AffineMap::new(sizes, Vec::new()),
        };
        let maps: Vec<_> = limits.iter().map(map).collect();
        op.set_attr(LIMIT, AffineMap::list(context, &maps));
    }
    is_limited
}

/// Whether an operation of a body must not be given just any value: it reads from where a number says, divides integers, or is not
/// known.
pub(super) fn is_risky(op: Op<'_>) -> bool {
    let divides = ["arith.div", "arith.rem", "arith.ceildiv", "arith.floordiv"];
    let is_integer =
        op.results().first().is_some_and(|result| !result.ty().element().is_float_type());
    op.region_count() > 0
        || !matches!(op.dialect(), "arith" | "math" | "narrow" | "complex" | "linalg")
        || is_integer && divides.iter().any(|name| op.name().as_str().starts_with(name))
}

/// The number of sizes that the entry takes, and what callers read of its outputs.
fn valid(entry: Op<'_>) -> Option<(usize, Vec<Vec<Need>>)> {
    let maps = entry.attr(VALID)?.as_array()?;
    let maps = maps.into_iter().map(AffineMap::of).collect::<Option<Vec<_>>>()?;
    let sizes = maps.first()?.dims;
    let needs = |map: &AffineMap| {
        let need = |size| Bound::of(size, sizes).map_or(Need::All, Need::Below);
        map.results.iter().map(need).collect()
    };
    Some((sizes, maps.iter().map(needs).collect()))
}
