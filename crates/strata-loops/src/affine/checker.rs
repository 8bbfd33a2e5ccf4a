//! Checks that every read of a buffer sees the tensor that the program names.
//!
//! Placement assigns a buffer to each tensor; emission writes the program on buffers and records a trace. This
//! check proves the assignment from the buffers alone, and shares no code with placement: a forward dataflow
//! analysis that keeps for each memory the tensors known to be in it ([`facts`]), and checks at each read that the
//! named tensor is there. A write invalidates all facts that it overlaps ([`paths`] decides overlap); what an
//! operation reads and writes follows from its semantics ([`effects`]).
//!
//! - A branch: facts that hold at the ends of all regions hold after it.
//! - A loop: facts about memory that it overwrites anywhere are dropped before it, except its loop-carried tensors,
//!   which must be in their buffers at the start and at the end of each iteration. So one pass over the body is
//!   enough.
//! - Buffers that a loop rotates are separate memories while it runs; the memories that go in must come out, each
//!   once.
//!
//! What cannot be proved is an error: the check never accepts an assignment that it does not understand.

mod control;
mod coverage;
mod effects;
mod facts;
mod memories;
mod paths;
mod pointwise;
mod rings;
mod scalars;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use rustc_hash::FxHashMap;
use strata_diag::{Diagnostic, codes};
use strata_ir::{Attribute, AttributeExt as _, Block, Op, Value, arith, diagnostic_at, memref};

use self::{
    effects::{Effects, Placed, Read, effects},
    facts::{State, is_insertion, name},
    paths::{Node, Num},
    pointwise::Stream,
    scalars::block_of,
};
use super::trace::{Event, Trace};

type Checked<T = ()> = Result<T, Diagnostic>;

/// Checks that every read of a buffer sees the tensor that the program names, and that every output is written.
///
/// # Errors
/// `S9002` naming the operation that may read a wrong value: our bug.
pub fn check(trace: &Trace<'_>) -> Result<(), Diagnostic> {
    let mut checker = Checker::default();
    checker.state.places.scalars.renamed = trace.numbers.clone();
    for output in &trace.outputs {
        checker.state.places.allow_writes(*output);
    }
    for (_, buffer, _) in trace.inputs.iter().filter(|(_, _, is_written)| *is_written) {
        checker.state.places.allow_writes(*buffer);
    }
    checker.register(&trace.events);
    for (value, buffer, _) in &trace.inputs {
        checker.learn(*buffer, *value)?;
    }
    let mut arguments = trace.outputs.iter().chain(trace.inputs.iter().map(|(_, one, _)| one));
    checker.scope.extend(arguments.next().and_then(|argument| block_of(*argument)));
    checker.outputs = trace.outputs.iter().map(|output| (*output, false)).collect();
    checker.run(&trace.events)?;
    // Writes after a return count, too.
    for (op, value, place) in std::mem::take(&mut checker.returned) {
        checker.require(op, value, place)?;
    }
    coverage::check(&mut checker.state.places, trace)?;
    coverage::check_accesses(&trace.accesses)?;
    match checker.outputs.iter().find(|(_, is_returned)| !is_returned) {
        Some((output, _)) => {
            Err(wrong(anchor(*output), format!("nothing is returned in {}", name(*output))))
        }
        None => Ok(()),
    }
}

#[derive(Default)]
struct Checker<'c> {
    state: State<'c>,
    /// The enclosing blocks of the new function at the current point, as far as they are known.
    scope: Vec<Block<'c>>,
    /// The nests that overwrite what they read.
    streams: Vec<Stream<'c>>,
    /// The memory that each loop writes.
    written: FxHashMap<usize, Rc<Vec<Node>>>,
    /// The effects of operations in loops, cached.
    ready: FxHashMap<usize, (Placed<'c>, Effects<'c>)>,
    /// The output buffers, and whether the result was found in each.
    outputs: Vec<(Value<'c>, bool)>,
    /// The tensors that must be in their buffers at the end.
    returned: Vec<(Op<'c>, Value<'c>, Node)>,
    /// The initial values of the globals, computed on demand.
    globals: Option<FxHashMap<&'c str, Attribute<'c>>>,
}

impl<'c> Checker<'c> {
    /// Registers all loop-carried buffers before the first one is resolved.
    fn register(&mut self, events: &[Event<'c>]) {
        for event in events {
            if let Event::Loop { carried, .. } = event {
                for one in carried {
                    for value in [one.before, one.after, one.result] {
                        self.state.places.carry(value);
                    }
                }
            }
            nested(event).into_iter().for_each(|events| self.register(events));
        }
    }

    fn run(&mut self, events: &[Event<'c>]) -> Checked {
        events.iter().try_for_each(|event| self.follow(event))
    }

    /// Processes the events of a region.
    fn run_inside(&mut self, events: &[Event<'c>]) -> Checked {
        let depth = self.scope.len();
        let home = self.scope.last().copied();
        self.scope.extend(home.and_then(|home| block_within(home, events)));
        self.run(events)?;
        self.scope.truncate(depth);
        Ok(())
    }

    fn follow(&mut self, event: &Event<'c>) -> Checked {
        self.begin_streams(event)?;
        self.happen(event)?;
        self.end_streams(event);
        Ok(())
    }

    fn happen(&mut self, event: &Event<'c>) -> Checked {
        match event {
            Event::Op { op, operands, results, captured } => {
                let (placed, effects) = match self.ready.remove(&key(event)) {
                    Some(ready) => ready,
                    None => self.effects(*op, operands, results, captured)?,
                };
                self.operation(&placed, effects)
            }
            Event::Copy { from, to } => self.copy(*from, *to),
            Event::View { op, buffer } => self.view(*op, *buffer),
            Event::Constant { value, buffer } => self.constant(*value, *buffer),
            Event::Branch { op, regions, results, .. } => self.branch(*op, regions, results),
            Event::Loop { .. } => self.repeat(event),
            Event::Return { index, value, buffer } => self.leave(*index, *value, *buffer),
        }
    }

    fn place(&mut self, buffer: Value<'c>) -> Checked<Node> {
        self.state.places.of_buffer(buffer).ok_or_else(|| {
            wrong(anchor(buffer), format!("it is not known which memory {} is", name(buffer)))
        })
    }

    fn learn(&mut self, buffer: Value<'c>, value: Value<'c>) -> Checked {
        let place = self.place(buffer)?;
        let content = self.state.places.of_tensor(value);
        self.state.learn(place, content);
        Ok(())
    }

    fn placed(
        &mut self,
        op: Op<'c>,
        operands: &[Option<Value<'c>>],
        results: &[Option<Value<'c>>],
        captured: &[(Value<'c>, Value<'c>)],
    ) -> Checked<Placed<'c>> {
        if operands.len() != op.operand_count() || results.len() != op.result_count() {
            return Err(wrong(Some(op), "its buffers do not match its operands and results"));
        }
        let mut places = |buffers: &[Option<Value<'c>>]| {
            let places = buffers.iter().map(|one| one.map(|one| self.place(one)).transpose());
            places.collect::<Checked<Vec<_>>>()
        };
        let (operands, results) = (places(operands)?, places(results)?);
        let captured = captured.iter().map(|(value, buffer)| Ok((*value, self.place(*buffer)?)));
        Ok(Placed { op, operands, results, captured: captured.collect::<Checked<_>>()? })
    }

    /// Processes an operation.
    fn effects(
        &mut self,
        op: Op<'c>,
        operands: &[Option<Value<'c>>],
        results: &[Option<Value<'c>>],
        captured: &[(Value<'c>, Value<'c>)],
    ) -> Checked<(Placed<'c>, Effects<'c>)> {
        let placed = self.placed(op, operands, results, captured)?;
        let effects = effects(&mut self.state.places, &placed);
        Ok((placed, effects))
    }

    fn operation(&mut self, placed: &Placed<'c>, effects: Effects<'c>) -> Checked {
        coverage::check_captured(&mut self.state.places, placed)?;
        for read in &effects.reads {
            self.read(placed.op, read)?;
        }
        self.clobbers(placed.op, &effects)?;
        // The tensor has no other use: in a long chain of writes its facts would be updated for each.
        if is_insertion(placed.op)
            && placed.op.operand(1).has_one_use()
            && let Some((place, _)) = effects.results.first()
        {
            let content = self.state.places.of_tensor(placed.op.operand(1));
            self.state.forget(*place, content);
        }
        for place in &effects.writes {
            self.may_write(placed.op, *place)?;
            self.disturb(Some(placed.op), *place)?;
            self.state.overwrite(*place);
        }
        for (place, value) in effects.results {
            let content = self.state.places.of_tensor(value);
            self.state.learn(place, content);
        }
        Ok(())
    }

    fn read(&mut self, op: Op<'c>, read: &Read<'c>) -> Checked {
        let content = self.state.places.of_tensor(read.value);
        if self.state.is_undefined(content) {
            return Ok(());
        }
        let Some(place) = read.place else {
            return Err(wrong(
                Some(op),
                format!("it reads {}, which is in no buffer", name(read.value)),
            ));
        };
        let is_covered =
            read.except.is_some_and(|except| self.state.places.paths.contains(except, place));
        let is_right = is_covered
            || self.state.is_alive(place)
                && (self.state.holds(place, content, read.except)
                    || read.is_part && self.holds_elements(op, place, content)
                    || self.is_read_before_written(op, read.value, place));
        if is_right { Ok(()) } else { Err(self.elsewhere(op, read.value, place)) }
    }

    /// Whether the elements that `op` reads are in `place`.
    fn holds_elements(&mut self, op: Op<'c>, place: Node, content: Node) -> bool {
        let places = &mut self.state.places;
        match (places.written_part(op, place), places.written_part(op, content)) {
            (Some(part), Some(content)) => self.state.holds(part, content, None),
            _ => false,
        }
    }

    /// The error for a tensor that is not in the buffer that is read.
    fn elsewhere(&mut self, op: Op<'c>, value: Value<'c>, place: Node) -> Diagnostic {
        let whole = self.state.places.paths.whole_of(place);
        let memory = self.state.places.memories.get(&whole).and_then(|memory| memory.name);
        let memory = memory.map_or_else(|| "a buffer".to_owned(), name);
        let there = match self.state.is_alive(place) {
            true => self.state.in_words(place),
            false => "memory that has been renamed".to_owned(),
        };
        let value = name(value);
        wrong(Some(op), format!("{value} is expected in {memory}, which contains: {there}"))
    }

    /// Checks that the operation does not overwrite what it still reads.
    fn clobbers(&mut self, op: Op<'c>, effects: &Effects<'c>) -> Checked {
        for (index, write) in effects.writes.iter().enumerate() {
            let paths = &self.state.places.paths;
            if effects.writes[..index].iter().any(|other| !paths.disjoint(*write, *other)) {
                return Err(wrong(Some(op), "two of its results overlap"));
            }
            for read in effects.reads.iter().filter(|read| !read.is_changed) {
                let Some(place) = read.place else { continue };
                if place == *write && read.same.contains(&index) {
                    continue;
                }
                if !self.state.places.overlap(place, *write) {
                    continue;
                }
                let content = self.state.places.of_tensor(read.value);
                if !self.state.is_undefined(content) {
                    let value = name(read.value);
                    return Err(wrong(
                        Some(op),
                        format!("it overwrites {value}, which it still reads"),
                    ));
                }
            }
        }
        Ok(())
    }

    fn may_write(&mut self, op: Op<'c>, place: Node) -> Checked {
        let whole = self.state.places.paths.whole_of(place);
        let memory = self.state.places.memories.get(&whole);
        if !memory.is_some_and(|memory| memory.is_writable) {
            let memory = memory.and_then(|memory| memory.name).map(name).unwrap_or_default();
            return Err(wrong(Some(op), format!("it writes {memory}, which is read-only")));
        }
        if !self.state.is_alive(place) {
            return Err(wrong(Some(op), "it writes memory that has been renamed"));
        }
        Ok(())
    }

    fn copy(&mut self, from: Value<'c>, to: Value<'c>) -> Checked {
        let (source, target) = (self.place(from)?, self.place(to)?);
        if source == target {
            return Ok(());
        }
        let Some(op) = anchor(to).or(anchor(from)) else { return Err(wrong(None, "a copy")) };
        if !self.state.is_alive(source) {
            return Err(wrong(Some(op), "a copy reads memory that has been renamed"));
        }
        if self.state.places.overlap(source, target) {
            return Err(wrong(Some(op), "a copy of a buffer to one that overlaps it"));
        }
        self.may_write(op, target)?;
        self.disturb(None, target)?;
        self.state.copy(source, target);
        Ok(())
    }

    /// A view needs no check: its result is a part of its operand. The results of a select are only known here.
    fn view(&mut self, op: Op<'c>, buffer: Value<'c>) -> Checked {
        if !op.is(arith::SELECT) {
            return Ok(());
        }
        let place = self.place(buffer)?;
        let scalars = &mut self.state.places.scalars;
        let condition = scalars.number(op.operand(0));
        let same =
            |new: &Op<'c>| new.is(arith::SELECT) && scalars.number(new.operand(0)) == condition;
        let sides = match buffer.owner().filter(same) {
            Some(new) => [self.place(new.operand(1))?, self.place(new.operand(2))?],
            None => [place, place],
        };
        let mut is_right = condition != Num::Any;
        for (index, side) in sides.into_iter().enumerate() {
            let content = self.state.places.of_tensor(op.operand(1 + index));
            is_right = is_right && self.state.holds(side, content, None);
        }
        // If it is not, the readers report it.
        if is_right { self.learn(buffer, op.result(0)) } else { Ok(()) }
    }

    fn constant(&mut self, value: Value<'c>, buffer: Value<'c>) -> Checked {
        if let Some(owner) = buffer.owner().filter(|owner| owner.is(memref::GET_GLOBAL)) {
            let symbol = owner.attr("name").and_then(|name| name.as_symbol()).unwrap_or_default();
            let globals = self.globals.get_or_insert_with(|| contents(owner));
            let stored = globals.get(symbol).copied();
            let named = value.owner().and_then(|owner| owner.attr("value"));
            if let (Some(stored), Some(named)) = (stored, named)
                && stored.elements_type().is_some()
                && stored.elements_type() == named.elements_type()
                && stored != named
            {
                return Err(wrong(
                    value.owner(),
                    format!("the global `{symbol}` has another value"),
                ));
            }
        }
        self.learn(buffer, value)
    }

    /// Checks that `value` is in `place`.
    fn require(&mut self, op: Op<'c>, value: Value<'c>, place: Node) -> Checked {
        let content = self.state.places.of_tensor(value);
        if self.state.is_undefined(content)
            || self.state.is_alive(place) && self.state.holds(place, content, None)
        {
            return Ok(());
        }
        Err(self.elsewhere(op, value, place))
    }

    fn leave(&mut self, index: usize, value: Value<'c>, buffer: Value<'c>) -> Checked {
        let op = anchor(value).or(anchor(buffer));
        let (Some(op), Some((output, is_returned))) = (op, self.outputs.get_mut(index)) else {
            return Err(wrong(op, "a result has no output buffer"));
        };
        *is_returned = true;
        let output = *output;
        let (place, output) = (self.place(buffer)?, self.place(output)?);
        if place != output {
            return Err(wrong(Some(op), "a result is not in its output buffer"));
        }
        self.returned.push((op, value, place));
        Ok(())
    }
}

/// The operands of the terminator of region `index`.
fn ends<'c>(op: Op<'c>, index: usize) -> Vec<Value<'c>> {
    op.body(index).terminator().map(Op::operands).unwrap_or_default()
}

/// A unique identity of the event.
fn key(event: &Event<'_>) -> usize {
    std::ptr::from_ref(event) as usize
}

/// The lists of events in an event.
fn nested<'t, 'c>(event: &'t Event<'c>) -> Vec<&'t [Event<'c>]> {
    match event {
        Event::Branch { regions, .. } => regions.iter().map(Vec::as_slice).collect(),
        Event::Loop { before, body, .. } => vec![before, body],
        _ => Vec::new(),
    }
}

/// The block of the new function for `events` in a region of an operation in `home`, found by a buffer that is
/// defined in it.
fn block_within<'c>(home: Block<'c>, events: &[Event<'c>]) -> Option<Block<'c>> {
    let towards = |buffer: &Value<'c>| {
        let mut block = block_of(*buffer)?;
        loop {
            let around = block.parent_op()?.block()?;
            if around == home {
                return Some(block);
            }
            block = around;
        }
    };
    events.iter().find_map(|event| {
        let own = values(event);
        own.iter()
            .find_map(towards)
            .or_else(|| nested(event).into_iter().find_map(|events| block_within(home, events)))
    })
}

/// The values of an event: its buffers, and the scalars of its operation.
fn values<'c>(event: &Event<'c>) -> Vec<Value<'c>> {
    match event {
        Event::Op { op, operands, results, captured } => {
            let captured = captured.iter().map(|(_, buffer)| *buffer);
            let buffers = operands.iter().chain(results).flatten().copied();
            buffers.chain(captured).chain(op.operands()).collect()
        }
        Event::Copy { from, to } => vec![*from, *to],
        Event::View { op, buffer } => [op.operands(), vec![*buffer]].concat(),
        Event::Constant { buffer, .. } | Event::Return { buffer, .. } => vec![*buffer],
        Event::Branch { results, .. } => results.iter().flatten().copied().collect(),
        Event::Loop { args, results, .. } => {
            args.iter().chain(results).flatten().copied().collect()
        }
    }
}

/// The initial values of the globals of the module around `op`.
fn contents<'c>(op: Op<'c>) -> FxHashMap<&'c str, Attribute<'c>> {
    let module = std::iter::successors(Some(op), |op| op.parent()).last();
    let block = module.and_then(|module| module.regions().first()?.first_block());
    let globals = block.map(|block| block.ops()).unwrap_or_default().into_iter();
    globals
        .filter(|op| op.is(memref::GLOBAL))
        .filter_map(|op| Some((op.attr("sym_name")?.as_str()?, op.attr("initial_value")?)))
        .collect()
}

/// An operation to report for a value.
fn anchor<'c>(value: Value<'c>) -> Option<Op<'c>> {
    value.owner().or_else(|| value.block_arg()?.0.parent_op())
}

fn wrong(op: Option<Op<'_>>, reason: impl Into<String>) -> Diagnostic {
    let diagnostic =
        op.map_or_else(|| Diagnostic::new(codes::S9002), |op| diagnostic_at(codes::S9002, op));
    diagnostic.reason(reason.into())
}
