//! Loops and branches.

use strata_ir::{RegionBuilder, scf};

use super::*;
use crate::affine::{rotation::Slot, trace::Carried};

/// What copies are for, in remarks.
const INITIAL: &str = "the initial value of what a loop carries";
const CARRIED: &str = "a loop-carried value";
const BRANCH: &str = "the result of a branch";

/// A region of a loop that was emitted.
struct Half<'c> {
    region: RegionBuilder,
    /// Its arguments that are buffers of slots.
    names: Vec<Value<'c>>,
    /// The buffers of its block arguments.
    args: Vec<Option<Value<'c>>>,
    /// The buffers of slots that its terminator forwards.
    last: Vec<Value<'c>>,
    events: Vec<Event<'c>>,
}

impl<'c> Emitter<'_, 'c> {
    pub(super) fn control(&mut self, op: Op<'c>, at: &Builder<'c>) -> Result<(), Diagnostic> {
        match op.name() {
            scf::FOR => self.counted(op, at),
            scf::WHILE => self.conditional(op, at),
            scf::IF | scf::INDEX_SWITCH => self.branch(op, at),
            name => Err(broken(op, &format!("`{name}` is in the middle of a block"))),
        }
    }

    /// Copies `values` to the buffers of `becomes`, in parallel.
    fn hand(
        &mut self,
        at: &Builder<'c>,
        values: &[Value<'c>],
        becomes: &[Value<'c>],
        purpose: (&'static str, Op<'c>),
    ) -> Result<(), Diagnostic> {
        let mut moves = Vec::new();
        for (value, becomes) in values.iter().zip(becomes) {
            if !accesses::is_tensor(*becomes) {
                continue;
            }
            let place = self.placement.place(self.values, self.steps, *becomes);
            let Some(place) = place else {
                return Err(Diagnostic::new(codes::S9002).reason("a yielded tensor has no buffer"));
            };
            let buffer = self.at(at, &place)?;
            self.request(at, *value, Target { place, buffer }, purpose, &mut moves)?;
        }
        if strata_ir::planted("emit-handed") {
            moves.pop();
        }
        self.copy_all(at, moves)
    }

    fn buffers(
        &mut self,
        at: &Builder<'c>,
        values: &[Value<'c>],
    ) -> Result<Vec<Option<Value<'c>>>, Diagnostic> {
        values.iter().map(|value| self.optional(at, *value)).collect()
    }

    fn others(&self, values: &[Value<'c>]) -> Vec<Value<'c>> {
        let values = values.iter().filter(|value| !accesses::is_tensor(**value));
        values.map(|value| self.number(*value)).collect()
    }

    /// Maps those of `old` that are not tensors to `new`.
    fn know(&mut self, old: &[Value<'c>], new: &[Value<'c>]) {
        let old = old.iter().filter(|value| !accesses::is_tensor(**value));
        self.known.extend(old.copied().zip(new.iter().copied()));
    }

    fn counted(&mut self, op: Op<'c>, at: &Builder<'c>) -> Result<(), Diagnostic> {
        const BOUNDS: usize = 3;
        let body = op.body(0);
        let arguments = body.args();
        let operands = op.operands();
        let (bounds, inits) = operands.split_at(BOUNDS);
        let yields = body.terminator().map(Op::operands).unwrap_or_default();
        self.hand(at, inits, &arguments[1..], (INITIAL, op))?;
        let args = self.buffers(at, &arguments[1..])?;
        let types: Vec<_> = arguments
            .iter()
            .filter(|value| !accesses::is_tensor(**value))
            .map(|value| value.ty())
            .collect();
        let outer = std::mem::take(&mut self.events);
        let mut outcome = Ok(());
        let region = at.region(&types, |inner, new| {
            self.know(&arguments, new);
            outcome = self.trip(body, inner, &yields, &arguments[1..], (CARRIED, op));
        });
        outcome?;
        let events = std::mem::replace(&mut self.events, outer);
        let new = at
            .op(scf::FOR)
            .operands(&self.others(bounds))
            .operands(&self.others(inits))
            .results(&types[1..])
            .attrs(&op.attrs())
            .region(region)
            .build();
        self.know(&op.results(), &new.results());
        let results = self.buffers(at, &op.results())?;
        self.events.push(Event::Loop {
            op,
            args,
            before: Vec::new(),
            after_args: Vec::new(),
            body: events,
            results,
            carried: Vec::new(),
        });
        Ok(())
    }

    /// Emits the body of a loop or of a branch.
    fn trip(
        &mut self,
        body: Block<'c>,
        inner: &Builder<'c>,
        yields: &[Value<'c>],
        becomes: &[Value<'c>],
        purpose: (&'static str, Op<'c>),
    ) -> Result<(), Diagnostic> {
        self.block(body, inner)?;
        let location = body.terminator().map_or(inner.location, |end| end.location());
        let at = Builder { location, ..*inner };
        self.hand(&at, yields, becomes, purpose)?;
        scf::yield_(&at, &self.others(yields)).build();
        self.close();
        Ok(())
    }

    fn branch(&mut self, op: Op<'c>, at: &Builder<'c>) -> Result<(), Diagnostic> {
        let results = op.results();
        let buffers = self.buffers(at, &results)?;
        let outer = std::mem::take(&mut self.events);
        let mut regions = Vec::new();
        let mut events = Vec::new();
        for region in op.regions() {
            let Some(block) = region.first_block() else {
                regions.push(RegionBuilder::empty());
                events.push(Vec::new());
                continue;
            };
            let yields = block.terminator().map(Op::operands).unwrap_or_default();
            let mut outcome = Ok(());
            regions.push(at.region(&[], |inner, _| {
                outcome = self.trip(block, inner, &yields, &results, (BRANCH, op));
            }));
            outcome?;
            events.push(std::mem::take(&mut self.events));
        }
        self.events = outer;
        let types: Vec<_> = results
            .iter()
            .filter(|value| !accesses::is_tensor(**value))
            .map(|value| value.ty())
            .collect();
        let mut new = at
            .op(op.name())
            .operands(&self.others(&op.operands()))
            .results(&types)
            .attrs(&op.attrs());
        for region in regions {
            new = new.region(region);
        }
        let new = new.build();
        self.know(&results, &new.results());
        self.events.push(Event::Branch { op, regions: events, results: buffers });
        Ok(())
    }

    fn conditional(&mut self, op: Op<'c>, at: &Builder<'c>) -> Result<(), Diagnostic> {
        let (before, after) = (op.body(0), op.body(1));
        let (inits, states, arguments) = (op.operands(), before.args(), after.args());
        if before.terminator().is_none() {
            return Ok(());
        }
        let slots: Vec<Slot> = self.placement.rotations.get(&op).cloned().unwrap_or_default();
        self.hand(at, &inits, &states, (INITIAL, op))?;
        let mut first = Vec::new();
        for slot in &slots {
            first.push(self.name(slot.buffer)?);
        }
        let numbers = |values: &[Value<'c>]| -> Vec<Type<'c>> {
            let values = values.iter().filter(|value| !accesses::is_tensor(**value));
            values.map(|value| value.ty()).collect()
        };
        let buffer_types: Vec<_> = first.iter().map(|value| value.ty()).collect();
        let state_types = [numbers(&states), buffer_types.clone()].concat();
        let passed_types = [numbers(&arguments), buffer_types].concat();

        let outer = std::mem::take(&mut self.events);
        let test = self.half(at, &state_types, (before, &slots), |this, inner| {
            this.condition(op, inner, &slots)
        })?;
        let body = self.half(at, &passed_types, (after, &slots), |this, inner| {
            this.next_trip(op, inner, &slots)
        })?;
        self.events = outer;

        let new = at
            .op(scf::WHILE)
            .operands(&self.others(&inits))
            .operands(&first)
            .results(&passed_types)
            .attrs(&op.attrs())
            .region(test.region)
            .region(body.region)
            .build();
        let results = new.results();
        let (numbers, names) = results.split_at(results.len() - slots.len());
        self.know(&op.results(), numbers);
        self.rename(&slots, names);
        let carried = (0..slots.len())
            .map(|index| Carried {
                init: first[index],
                before: test.names[index],
                after: body.names[index],
                next: body.last[index],
                result: names[index],
            })
            .collect();
        let results = self.buffers(at, &op.results())?;
        self.events.push(Event::Loop {
            op,
            args: test.args,
            before: test.events,
            after_args: body.args,
            body: body.events,
            results,
            carried,
        });
        Ok(())
    }

    /// Emits a region of a loop, whose last arguments are the buffers of `slots`; `end` emits its terminator and returns
    /// the buffers that it forwards.
    fn half(
        &mut self,
        at: &Builder<'c>,
        types: &[Type<'c>],
        (block, slots): (Block<'c>, &[Slot]),
        end: impl FnOnce(&mut Self, &Builder<'c>) -> Result<Vec<Value<'c>>, Diagnostic>,
    ) -> Result<Half<'c>, Diagnostic> {
        let arguments = block.args();
        let (mut names, mut args, mut last) = (Vec::new(), Vec::new(), Vec::new());
        let mut outcome = Ok(());
        let region = at.region(types, |inner, new| {
            let (new, buffers) = new.split_at(new.len() - slots.len());
            self.know(&arguments, new);
            self.rename(slots, buffers);
            names = buffers.to_vec();
            outcome = (|| {
                args = self.in_block(block, inner, |this| this.buffers(inner, &arguments))?;
                self.block(block, inner)?;
                let location = block.terminator().map_or(inner.location, |end| end.location());
                last = end(self, &Builder { location, ..*inner })?;
                self.close();
                Ok(())
            })();
        });
        outcome?;
        Ok(Half { region, names, args, last, events: std::mem::take(&mut self.events) })
    }

    /// The end of a loop's first region: what it passes gets to the arguments of the second.
    fn condition(
        &mut self,
        op: Op<'c>,
        here: &Builder<'c>,
        slots: &[Slot],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let Some(condition) = op.body(0).terminator() else { return Ok(Vec::new()) };
        let passed = condition.operands().split_off(1);
        self.hand(here, &passed, &op.body(1).args(), (CARRIED, op))?;
        let buffers = self.current(slots);
        here.op(scf::CONDITION)
            .operand(self.number(condition.operand(0)))
            .operands(&self.others(&passed))
            .operands(&buffers)
            .build();
        Ok(buffers)
    }

    /// The end of a loop's second region: the state of the next trip gets to the arguments of the first. Rotated buffers
    /// need no copy.
    fn next_trip(
        &mut self,
        op: Op<'c>,
        here: &Builder<'c>,
        slots: &[Slot],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let yields = op.body(1).terminator().map(Op::operands).unwrap_or_default();
        let renamed = |this: &mut Self, value: Value<'c>, state: Value<'c>| {
            let from = this.placement.place(this.values, this.steps, value);
            let to = this.placement.place(this.values, this.steps, state);
            let (Some(from), Some(to)) = (from, to) else { return false };
            let is_slot = |slot: &Slot| slot.buffer == to.buffer && slot.next == from.buffer;
            from.path == to.path && slots.iter().any(is_slot) || strata_ir::planted("emit-renamed")
        };
        let mut copied = (Vec::new(), Vec::new());
        for (value, state) in yields.iter().zip(op.body(0).args()) {
            if accesses::is_tensor(state) && !renamed(self, *value, state) {
                copied.0.push(*value);
                copied.1.push(state);
            }
        }
        self.hand(here, &copied.0, &copied.1, (CARRIED, op))?;
        let mut last = Vec::new();
        for slot in slots {
            last.push(self.name(slot.next)?);
        }
        here.op(scf::YIELD).operands(&self.others(&yields)).operands(&last).build();
        Ok(last)
    }

    /// Runs `work` with `block` open, to emit at its start.
    fn in_block<T>(
        &mut self,
        block: Block<'c>,
        inner: &Builder<'c>,
        work: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        self.open.push((block, *inner));
        self.scopes.push(Vec::new());
        let outcome = work(self);
        self.close();
        outcome
    }

    fn rename(&mut self, slots: &[Slot], names: &[Value<'c>]) {
        for (slot, name) in slots.iter().zip(names) {
            self.names[slot.buffer] = Some(*name);
        }
    }

    fn current(&self, slots: &[Slot]) -> Vec<Value<'c>> {
        slots.iter().filter_map(|slot| self.names[slot.buffer]).collect()
    }
}
