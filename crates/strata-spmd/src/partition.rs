//! The program of one device.
//!
//! Values of the program are known by the part that a device has ([`Held`]). Operations are done in order: operands are brought into
//! the layouts that the operation's factors ask for, the operation is done on parts, sums over devices are added, and results are
//! brought into the layouts that the program asks for.

mod choice;
mod control_flow;
mod created;
mod cumulative;
mod folded;
mod manual;
mod replicas;
mod windows;

use std::{cell::Cell, collections::HashMap};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Block, Builder, Context, Op, OpKind, SHARDING, Type, TypeExt as _, Value,
    communicates, diagnostic_at, is_between_replicas, is_elementwise_exchange, stablehlo, tensor,
};
use strata_shapes::{DimRules, FactorKind, rules};

use self::choice::{choose, has_undivided_groups, resplit};
use crate::{
    emit::{Combination, Emit},
    factors::{combination, factor_of, localise, rules_of, selects},
    grid::{Grid, Layout, of_results, shape_of},
    notes, reshape,
    reshard::{Step, plan},
};

/// A value of the program.
#[derive(Clone, Debug)]
pub struct Held<'c> {
    /// The part that this device has.
    pub value: Value<'c>,
    /// How it is split.
    pub layout: Layout,
    /// The shape of the whole value.
    pub shape: Vec<i64>,
}

/// A value of which devices have terms: what each has, and the pieces along which its terms are added.
#[derive(Clone, Debug)]
struct Terms<'c> {
    /// The value of the program.
    of: Value<'c>,
    value: Value<'c>,
    layout: Layout,
    pieces: Vec<usize>,
    /// The sum of all terms.
    sum: Value<'c>,
}

/// The state of the partitioner.
pub struct Partition<'c, 'g> {
    context: &'c Context,
    grid: &'g Grid,
    channels: &'g Cell<i64>,
    known: HashMap<Value<'c>, Held<'c>>,
    /// Parts that were brought into another layout already.
    moved: HashMap<(Value<'c>, Layout), Value<'c>>,
    /// Values of which devices have terms, which some users take as they are.
    terms: Vec<Terms<'c>>,
    /// Why values are brought into other layouts, for remarks.
    why: &'static str,
}

type Outcome<T> = Result<T, Diagnostic>;

impl<'c, 'g> Partition<'c, 'g> {
    /// Nothing is known so far.
    pub fn new(context: &'c Context, grid: &'g Grid, channels: &'g Cell<i64>) -> Self {
        let (known, moved) = (HashMap::new(), HashMap::new());
        Self { context, grid, channels, known, moved, terms: Vec::new(), why: notes::RESHARDED }
    }

    /// Makes a value of the program known.
    pub fn learn(&mut self, old: Value<'c>, held: Held<'c>) {
        self.known.insert(old, held);
    }

    /// The type of the parts of a value.
    pub fn part_type(&self, ty: Type<'c>, layout: &Layout) -> Type<'c> {
        match ty.shape() {
            Some(shape) => tensor(&self.grid.part_shape(&shape, layout), ty.element()),
            None => ty,
        }
    }

    fn emit(&self, builder: &Builder<'c>) -> Emit<'c, 'g> {
        Emit { builder: *builder, grid: self.grid, channels: self.channels }
    }

    fn held(&self, value: Value<'c>) -> Held<'c> {
        self.known.get(&value).expect("operations are in order").clone()
    }

    /// The part of a value of the program in a layout.
    pub fn part(
        &mut self,
        builder: &Builder<'c>,
        value: Value<'c>,
        layout: &Layout,
    ) -> Outcome<Value<'c>> {
        let held = self.held(value);
        self.moved_to(builder, &held, layout)
    }

    fn moved_to(
        &mut self,
        builder: &Builder<'c>,
        held: &Held<'c>,
        layout: &Layout,
    ) -> Outcome<Value<'c>> {
        if held.layout == *layout {
            return Ok(held.value);
        }
        let key = (held.value, layout.clone());
        if let Some(known) = self.moved.get(&key) {
            return Ok(*known);
        }
        let emit = self.emit(builder);
        let unsplit = || {
            let place = held.value.owner().or_else(|| held.value.block_arg()?.0.parent_op());
            let element = held.value.ty().element();
            let error = Diagnostic::new(codes::S1103)
                .reason(format!("parts of elements of type `{element}` cannot be filled up"));
            match place.and_then(|op| strata_ir::source_location(op.location())) {
                Some(place) => error.at(place),
                None => error,
            }
        };
        let mut value = held.value;
        if held.shape.contains(&0) {
            let ty = tensor(&self.grid.part_shape(&held.shape, layout), value.ty().element());
            value = emit.zeros(ty).ok_or_else(unsplit)?;
        } else {
            for step in plan(self.grid, &held.shape, &held.layout, layout) {
                notes::moved(builder.location, self.grid, value, (&step, self.why));
                value = emit.step(value, &step).ok_or_else(unsplit)?;
            }
        }
        self.moved.insert(key, value);
        Ok(value)
    }

    /// Makes a value known of which devices have terms along pieces: `held` is what they have, and what is returned their sum.
    pub fn learn_terms(
        &mut self,
        builder: &Builder<'c>,
        old: Value<'c>,
        held: Held<'c>,
        pieces: &[usize],
    ) -> Held<'c> {
        if pieces.is_empty() {
            return held;
        }
        let sum = self.emit(builder).reduced(held.value, Combination::Add, pieces);
        let (value, layout, pieces) = (held.value, held.layout.clone(), pieces.to_vec());
        self.terms.push(Terms { of: old, value, layout, pieces, sum });
        Held { value: sum, ..held }
    }

    /// Takes out the sums that no operation takes, and tells of the others.
    pub fn drop_unused_sums(&mut self) {
        for Terms { value, pieces, sum, .. } in self.terms.drain(..) {
            let Some(op) = sum.owner() else { continue };
            match op.is_unused() {
                true => op.erase(),
                false => notes::summed(op.location(), self.grid, value, None, &pieces),
            }
        }
    }

    /// The part of a value of the program in a layout, as a term along pieces: what devices have as such already, or all of it on the
    /// first one and what changes no sum on the others.
    pub fn term(
        &mut self,
        builder: &Builder<'c>,
        value: Value<'c>,
        layout: &Layout,
        pieces: &[usize],
    ) -> Outcome<Value<'c>> {
        let as_such = |terms: &&Terms<'c>| terms.of == value && terms.pieces == pieces;
        if let Some(terms) = self.terms.iter().find(as_such) {
            let (shape, own) = (shape_of(value), terms.layout.clone());
            let held = Held { value: terms.value, layout: own, shape };
            return self.moved_to(builder, &held, layout);
        }
        self.term_of_all(builder, value, layout, pieces)
    }

    /// The same, all of it on the first device in any case.
    pub fn term_of_all(
        &mut self,
        builder: &Builder<'c>,
        value: Value<'c>,
        layout: &Layout,
        pieces: &[usize],
    ) -> Outcome<Value<'c>> {
        let part = self.part(builder, value, layout)?;
        if pieces.is_empty() {
            return Ok(part);
        }
        self.emit(builder).term(part, pieces).ok_or_else(|| {
            let element = part.ty().element();
            let reason = format!(
                "no element of type `{element}` changes no sum, for devices that have no term of one"
            );
            Diagnostic::new(codes::S1103).reason(reason)
        })
    }

    /// The layouts that the program asks for, for each result.
    fn wanted(&self, op: Op<'c>) -> Outcome<Vec<Option<Layout>>> {
        let asked = of_results(op)?.unwrap_or_default();
        let layout = |(index, result): (usize, Value<'c>)| {
            let rank = result.ty().rank()?;
            asked.get(index).map(|sharding| self.grid.layout(sharding, rank))
        };
        Ok(op.results().into_iter().enumerate().map(layout).collect())
    }

    /// The operations of a block but its terminator; returns what that takes.
    pub fn block(&mut self, builder: &Builder<'c>, block: Block<'c>) -> Outcome<Vec<Value<'c>>> {
        let end = block.terminator();
        for op in block.ops().into_iter().filter(|op| Some(*op) != end) {
            self.op(&Builder { location: op.location(), ..*builder }, op)?;
        }
        Ok(end.map(Op::operands).unwrap_or_default())
    }

    fn op(&mut self, builder: &Builder<'c>, op: Op<'c>) -> Outcome<()> {
        let wanted = self.wanted(op)?;
        let results = match op.kind() {
            OpKind::SdyShardingGroup => return Ok(()),
            OpKind::SdyShardingConstraint | OpKind::SdyReshard | OpKind::SdyPropagationBarrier => {
                vec![self.held(op.operand(0))]
            }
            OpKind::SdyManualComputation => self.manual(builder, op)?,
            OpKind::Constant => vec![self.constant(builder, op, wanted[0].as_ref())],
            OpKind::Iota => vec![self.iota(builder, op, wanted[0].as_ref())],
            OpKind::Reshape => vec![self.reshape(builder, op, wanted[0].as_ref())?],
            OpKind::While => self.repeated(builder, op, &wanted)?,
            OpKind::If | OpKind::Case => self.branches(builder, op, &wanted)?,
            kind if is_between_replicas(op) && is_elementwise_exchange(kind) => {
                self.between_replicas(builder, op, &wanted)?
            }
            _ if communicates(op) && !is_between_replicas(op) => {
                let (reason, hint) = match op.kind() {
                    OpKind::PartitionId => (
                        "each device has a number of its own, where all compute parts of the same values",
                        "a device asks for its number in `shard_map` only",
                    ),
                    _ => (
                        "it exchanges values between devices over which the program's values are split",
                        "partitions exchange values in `shard_map` only",
                    ),
                };
                return Err(diagnostic_at(codes::S1103, op).reason(reason).hint(hint));
            }
            _ => match self.cumulated(builder, op, &wanted)? {
                Some(results) => results,
                None => match self.windowed(builder, op, &wanted)? {
                    Some(results) => results,
                    None => self.by_factors(builder, op, &wanted)?,
                },
            },
        };
        for ((old, held), wanted) in op.results().into_iter().zip(results).zip(wanted) {
            let layout = wanted.unwrap_or_else(|| held.layout.clone());
            let value = self.moved_to(builder, &held, &layout)?;
            self.known.insert(old, Held { value, layout, shape: held.shape });
        }
        Ok(())
    }

    /// A copy of `op` on parts, with results in these layouts.
    fn copy(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        operands: &[Value<'c>],
        results: &[Layout],
        split: &[bool],
    ) -> Outcome<Op<'c>> {
        let copy = op.clone_detached();
        copy.remove_attr(SHARDING);
        for (index, operand) in operands.iter().enumerate() {
            copy.set_operand(index, *operand);
        }
        for (result, layout) in copy.results().into_iter().zip(results) {
            result.set_ty(self.part_type(result.ty(), layout));
        }
        // What regions take from outside is whole there.
        for inner in copy.collect(|inner| inner != copy) {
            for (index, value) in inner.operands().into_iter().enumerate() {
                if let Some(held) = self.known.get(&value).cloned() {
                    let whole = Layout::whole(held.shape.len());
                    inner.set_operand(index, self.moved_to(builder, &held, &whole)?);
                }
            }
        }
        localise(copy, self.context, split);
        Ok(builder.insert(copy))
    }

    /// An operation by the factors of its dimensions.
    fn by_factors(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: &[Option<Layout>],
    ) -> Outcome<Vec<Held<'c>>> {
        let rules = rules_of(op);
        let operands: Vec<_> = op.operands().into_iter().map(|value| self.held(value)).collect();
        let split = match &rules {
            Some(rules) => {
                let mut split = choose((self.context, self.grid), op, rules, &operands, wanted);
                resplit(self.grid, op, rules, &operands, &mut split);
                if op.kind() == OpKind::CustomCall || selects(op) {
                    self.keep_even(rules, &operands, &mut split);
                }
                split
            }
            None => Vec::new(),
        };
        let along = |has: &dyn Fn(&strata_shapes::Factor) -> bool| -> Vec<usize> {
            let factor = rules.as_ref().and_then(|rules| factor_of(rules, has));
            factor.and_then(|factor| split.get(factor)).cloned().unwrap_or_default()
        };
        let layout_of = |rank: usize, place: &dyn Fn(&strata_shapes::Factor, usize) -> bool| {
            Layout((0..rank).map(|dim| along(&|factor| place(factor, dim))).collect())
        };
        let reduced: Vec<usize> = rules
            .iter()
            .flat_map(|rules| rules.factors().iter().zip(&split))
            .filter(|(factor, _)| factor.kind == FactorKind::Reduced)
            .flat_map(|(_, pieces)| pieces.clone())
            .collect();
        let how = combination(op).filter(|_| !reduced.is_empty());
        let is_selected = how.is_none() && !reduced.is_empty();
        let emit = self.emit(builder);
        let mut parts = Vec::new();
        let mut layouts = Vec::new();
        for (index, held) in operands.iter().enumerate() {
            let layout = layout_of(held.shape.len(), &|factor, dim| {
                factor.operands().contains(&(index, dim))
            });
            let mut part = self.operand_in(builder, (op, index), held, &layout)?;
            if let Some(rules) = rules.as_ref().filter(|_| !reduced.is_empty()) {
                for (dim, pieces) in layout.0.iter().enumerate() {
                    let is_reduced = |factor: &strata_shapes::Factor| {
                        factor.kind == FactorKind::Reduced
                            && factor.operands().contains(&(index, dim))
                    };
                    if rules.factors().iter().any(is_reduced) {
                        let size = held.shape[dim];
                        if let Some(how) = how
                            && shape_of(part)[dim] * self.grid.parts(pieces) != size
                        {
                            let neutral = neutral(&emit, op, how, part.ty().element());
                            part = emit.masked(part, dim, (pieces, size), neutral);
                        }
                    }
                }
            }
            parts.push(part);
            layouts.push(layout);
        }
        let results: Vec<_> = op
            .results()
            .into_iter()
            .enumerate()
            .map(|(index, result)| {
                layout_of(result.ty().rank().unwrap_or(0), &|factor, dim| {
                    factor.results().contains(&(index, dim))
                })
            })
            .collect();
        let first = layouts.first().cloned().unwrap_or_default();
        let is_split: Vec<_> = first.0.iter().map(|pieces| !pieces.is_empty()).collect();
        let Some(how) = how else {
            let copy = self.copy(builder, op, &parts, &results, &is_split)?;
            if is_selected {
                let initial = &parts[parts.len() / 2..];
                return self.folded(builder, op, (&copy.results(), initial), &reduced, results);
            }
            let new = copy.results().into_iter().zip(results);
            return Ok(new
                .zip(op.results())
                .map(|((value, layout), old)| Held { value, layout, shape: shape_of(old) })
                .collect());
        };
        let sum = Sum { how, pieces: reduced, wanted: wanted[0].as_ref() };
        let copied = (parts, results.into_iter().next().unwrap_or_default(), is_split);
        Ok(vec![self.summed(builder, op, copied, &sum)?])
    }

    /// The part of an operand in the layout that an operation takes; a remark says why one that is split is gathered for a convolution in
    /// groups.
    fn operand_in(
        &mut self,
        builder: &Builder<'c>,
        (op, index): (Op<'c>, usize),
        held: &Held<'c>,
        layout: &Layout,
    ) -> Outcome<Value<'c>> {
        if has_undivided_groups(op, index, held, layout) {
            self.why = notes::GROUPS;
        }
        let part = self.moved_to(builder, held, layout);
        self.why = notes::RESHARDED;
        part
    }

    /// What devices found along pieces, one after the other in a dimension.
    fn gathered(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        dim: usize,
        pieces: &[usize],
    ) -> Value<'c> {
        let step = Step::Gather { dim, pieces: pieces.to_vec() };
        notes::moved(builder.location, self.grid, value, (&step, notes::RESHARDED));
        self.emit(builder).gathered(value, dim, pieces)
    }

    /// Leaves whole what a function sums over, or selects from, and parts do not divide: what they would be filled up with may be anything
    /// to it, the initial value, too, which may win where it comes after a NaN or an equal element.
    fn keep_even(&self, rules: &DimRules, operands: &[Held<'c>], split: &mut [Vec<usize>]) {
        for (factor, pieces) in rules.factors().iter().zip(split) {
            let parts = self.grid.parts(pieces);
            let is_even = |(index, dim): &(usize, usize)| operands[*index].shape[*dim] % parts == 0;
            if factor.kind == FactorKind::Reduced && !factor.operands().iter().all(is_even) {
                pieces.clear();
            }
        }
    }

    /// An operation whose result is the sum, in a general sense, of what devices have.
    fn summed(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        (mut parts, layout, split): (Vec<Value<'c>>, Layout, Vec<bool>),
        sum: &Sum<'_>,
    ) -> Outcome<Held<'c>> {
        let emit = self.emit(builder);
        let element = op.result(0).ty().element();
        let mut initial = None;
        if op.kind() == OpKind::Reduce {
            // The initial value takes part once, not once for each device.
            let given = op.operand(1);
            if !is_neutral(self.context, sum.how, given) {
                initial = Some(parts[1]);
                parts[1] = neutral(&emit, op, sum.how, element);
            }
        }
        let copy = self.copy(builder, op, &parts, std::slice::from_ref(&layout), &split)?;
        let mut value = copy.result(0);
        // Sums of narrow floats are rounded once.
        let is_narrow =
            element.is_float_type() && element.bit_width().is_some_and(|bits| bits < 32);
        let is_sum = !matches!(op.kind(), OpKind::Reduce | OpKind::CustomCall) && is_narrow;
        if is_sum {
            value.set_ty(value.ty().with_element(strata_ir::f32_type(self.context)));
        }
        let shape = shape_of(op.result(0));
        let mut held = Held { value, layout, shape };
        let mut left = sum.pieces.clone();
        if let Some((dim, pieces)) = sum.scatters(self.grid, &held) {
            notes::summed(builder.location, self.grid, value, Some(dim), &pieces);
            value = emit.scattered(value, sum.how, dim, &pieces);
            left.retain(|piece| !pieces.contains(piece));
            held.layout.0[dim].extend(pieces);
        }
        if !left.is_empty() {
            notes::summed(builder.location, self.grid, value, None, &left);
            value = emit.reduced(value, sum.how, &left);
        }
        if is_sum {
            value = emit.converted(value, element);
        }
        if let Some(initial) = initial {
            let shape = shape_of(value);
            let initial =
                if shape.is_empty() { initial } else { emit.spread(initial, &shape, &[]) };
            value = emit.same(sum.how.operation(), &[initial, value]);
        }
        Ok(Held { value, ..held })
    }

    fn reshape(
        &mut self,
        builder: &Builder<'c>,
        op: Op<'c>,
        wanted: Option<&Layout>,
    ) -> Outcome<Held<'c>> {
        let held = self.held(op.operand(0));
        let shape = shape_of(op.result(0));
        let (from, to) = match rules(op) {
            Ok(rules) => reshape::layouts(self.grid, &rules, &held, &shape, wanted),
            Err(_) => (Layout::whole(held.shape.len()), Layout::whole(shape.len())),
        };
        let part = self.moved_to(builder, &held, &from)?;
        let ty = self.part_type(op.result(0).ty(), &to);
        let value = builder.op(stablehlo::RESHAPE).operand(part).result(ty).value();
        Ok(Held { value, layout: to, shape })
    }
}

fn held_results<'c>(old: Op<'c>, new: Op<'c>, layouts: Vec<Layout>) -> Vec<Held<'c>> {
    let values = new.results().into_iter().zip(layouts).zip(old.results());
    let held = |((value, layout), old): ((Value<'c>, Layout), Value<'c>)| Held {
        value,
        layout,
        shape: shape_of(old),
    };
    values.map(held).collect()
}

/// A sum over devices.
struct Sum<'a> {
    how: Combination,
    pieces: Vec<usize>,
    wanted: Option<&'a Layout>,
}

impl Sum<'_> {
    /// The dimension that the program wants split along pieces of the sum, and these: each device computes its part of the sum.
    fn scatters(&self, grid: &Grid, held: &Held<'_>) -> Option<(usize, Vec<usize>)> {
        let wanted = self.wanted?;
        let more = |dim: usize| {
            let now = &held.layout.0[dim];
            let more = wanted.0[dim].strip_prefix(&now[..])?;
            let count = more.iter().take_while(|piece| self.pieces.contains(piece)).count();
            let pieces = more[..count].to_vec();
            let is_even = held.shape[dim] % grid.parts(&[now, &pieces[..]].concat()) == 0;
            (count > 0 && is_even && held.shape[dim] > 0).then_some((dim, pieces))
        };
        (0..held.shape.len()).find_map(more)
    }
}

/// The neutral element of an operation as a value of rank 0.
fn neutral<'c>(emit: &Emit<'c, '_>, op: Op<'c>, how: Combination, element: Type<'c>) -> Value<'c> {
    let scalar = tensor(&[], element);
    // Products with zero are zero whatever its sign.
    let zeros = || emit.zeros(scalar).expect("`choose` has seen that there is a zero");
    if op.kind() != OpKind::Reduce {
        return zeros();
    }
    let neutral = match how {
        Combination::Add => emit.neutral_of_sums(scalar),
        _ => how.neutral(emit.builder.context, element).map(|neutral| emit.splat(scalar, neutral)),
    };
    neutral.unwrap_or_else(zeros)
}

/// Whether a value is the neutral element of a combination. Zeros of both signs are.
fn is_neutral<'c>(context: &'c Context, how: Combination, value: Value<'c>) -> bool {
    let constant = value.owner().filter(|op| op.kind() == OpKind::Constant);
    let splat = constant.and_then(|op| op.attr("value")?.splat_value());
    let Some(splat) = splat else { return false };
    let element = value.ty().element();
    if how.neutral(context, element) == Some(splat) {
        return true;
    }
    how == Combination::Add && element.is_float_type() && splat.as_f64() == Some(0.0)
}
