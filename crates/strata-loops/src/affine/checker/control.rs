//! Loops and branches, and what a loop overwrites in any iteration.

use std::rc::Rc;

use strata_ir::{Op, Value, scf};

use super::{
    Checked, Checker, Event, ends,
    facts::Facts,
    key, nested,
    paths::{Node, Num, Step},
    rings::Ring,
    wrong,
};

impl<'c> Checker<'c> {
    pub(super) fn branch(
        &mut self,
        op: Op<'c>,
        regions: &[Vec<Event<'c>>],
        results: &[Option<Value<'c>>],
    ) -> Checked {
        if results.len() != op.result_count() || regions.len() > op.region_count() {
            return Err(wrong(Some(op), "its buffers do not match its results"));
        }
        let count = self.state.renamings();
        let (mut ends, mut renamed) = (Vec::new(), Vec::new());
        for index in 0..op.region_count() {
            self.state.enter();
            if let Some(events) = regions.get(index) {
                self.run_inside(events)?;
            }
            self.yielded(op, index, results)?;
            ends.push(self.state.leave());
            renamed.extend(self.state.undo_renamings(count));
        }
        if op.is(scf::IF) && op.region_count() == 1 {
            ends.push(Facts::default());
        }
        self.state.join(&ends);
        renamed.into_iter().for_each(|whole| self.state.rename(whole));
        self.settled(op, results)
    }

    /// Checks that region `index` yields each result in its expected buffer.
    fn yielded(&mut self, op: Op<'c>, index: usize, results: &[Option<Value<'c>>]) -> Checked {
        let end = op.region(index).first_block().and_then(|block| block.terminator());
        let values = end.map(|end| end.operands()).unwrap_or_default();
        for (position, buffer) in results.iter().enumerate() {
            let Some(buffer) = *buffer else { continue };
            let Some(value) = values.get(position) else {
                return Err(wrong(Some(op), "a region yields no tensor"));
            };
            // A new branch that yields buffers has one for each region.
            let pointer = buffer.owner().filter(|new| {
                matches!(new.name(), scf::IF | scf::INDEX_SWITCH)
                    && new.region_count() == op.region_count()
            });
            let buffer = match pointer.zip(buffer.result_index()) {
                Some((new, result)) => {
                    let end = new.region(index).first_block().and_then(|block| block.terminator());
                    let yielded = end.and_then(|end| end.operands().get(result).copied());
                    yielded.ok_or_else(|| wrong(Some(op), "a region yields no buffer"))?
                }
                None => buffer,
            };
            let place = self.place(buffer)?;
            self.require(op, *value, place)?;
        }
        Ok(())
    }

    /// Records the buffers of the results of a branch or loop.
    fn settled(&mut self, op: Op<'c>, results: &[Option<Value<'c>>]) -> Checked {
        for (index, buffer) in results.iter().enumerate() {
            if let Some(buffer) = buffer {
                self.learn(*buffer, op.result(index))?;
            }
        }
        Ok(())
    }

    /// Checks that each of `values` is in its buffer of `buffers`, where memories are still named as in `names`.
    fn hand_over(
        &mut self,
        op: Op<'c>,
        values: &[Value<'c>],
        buffers: &[Option<Value<'c>>],
        names: &[(Node, Node)],
    ) -> Checked {
        if values.len() != buffers.len() {
            return Err(wrong(Some(op), "its buffers do not match what it carries"));
        }
        for (value, buffer) in values.iter().zip(buffers) {
            let Some(buffer) = buffer else { continue };
            let mut place = self.place(*buffer)?;
            let paths = &mut self.state.places.paths;
            let whole = paths.whole_of(place);
            if let Some((_, before)) = names.iter().find(|(later, _)| *later == whole) {
                place = paths.moved(place, *before);
            }
            self.require(op, *value, place)?;
        }
        Ok(())
    }

    pub(super) fn repeat(&mut self, event: &Event<'c>) -> Checked {
        let Event::Loop { op, args, results, carried, .. } = event else { return Ok(()) };
        let op = *op;
        let rings = self.rings(op, carried)?;
        let bounds = if op.is(scf::FOR) { 3 } else { 0 };
        let enter = Ring::names(&rings, |ring| (ring.before, ring.init));
        let inits = op.operands().split_off(bounds.min(op.operand_count()));
        self.hand_over(op, &inits, args, &enter)?;
        self.forget_written(event)?;
        rings.iter().for_each(|ring| self.state.rename(ring.init));
        self.state.enter();
        self.trip(event, &rings)?;
        // What held at the start of each iteration holds at the end of the last one.
        self.state.leave();
        self.settled(op, results)
    }

    /// Checks one iteration, which represents all.
    fn trip(&mut self, event: &Event<'c>, rings: &[Ring]) -> Checked {
        let Event::Loop { op, args, before, after_args, body, results, carried, .. } = event else {
            return Ok(());
        };
        let op = *op;
        let is_for = op.is(scf::FOR);
        let arguments = op.body(0).args().split_off(usize::from(is_for));
        self.learn_all(args, &arguments)?;
        let leaving = Ring::names(rings, |ring| (ring.result, ring.before));
        if is_for {
            self.hand_over(op, &arguments, results, &leaving)?;
        } else {
            self.run_inside(before)?;
            let passed = ends(op, 0).split_off(1);
            self.hand_over(op, &passed, results, &leaving)?;
            let going_on = Ring::names(rings, |ring| (ring.after, ring.before));
            self.hand_over(op, &passed, after_args, &going_on)?;
            for ring in rings {
                self.state.copy(ring.before, ring.after);
                self.state.rename(ring.before);
            }
            self.learn_all(after_args, &op.body(1).args())?;
        }
        self.run_inside(body)?;
        let next = self.close_rings(op, carried, rings)?;
        let back = rings.iter().map(|ring| ring.before).zip(next).collect::<Vec<_>>();
        self.hand_over(op, &ends(op, usize::from(!is_for)), args, &back)
    }

    fn learn_all(&mut self, buffers: &[Option<Value<'c>>], values: &[Value<'c>]) -> Checked {
        for (buffer, value) in buffers.iter().zip(values) {
            if let Some(buffer) = buffer {
                self.learn(*buffer, *value)?;
            }
        }
        Ok(())
    }

    /// Drops facts about what a loop overwrites in any iteration.
    fn forget_written(&mut self, event: &Event<'c>) -> Checked {
        let written = self.written_by(event)?;
        let mut places: Vec<_> = written.iter().map(|place| self.in_any_trip(*place)).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().for_each(|place| self.state.overwrite(place));
        Ok(())
    }

    /// The memory that a loop writes, by its names in the loop.
    fn written_by(&mut self, event: &Event<'c>) -> Checked<Rc<Vec<Node>>> {
        let key = key(event);
        if let Some(known) = self.written.get(&key) {
            return Ok(Rc::clone(known));
        }
        let mut places = Vec::new();
        if let Event::Loop { carried, .. } = event {
            for one in carried {
                places.push(self.place(one.init)?);
            }
        }
        for events in nested(event) {
            self.collect_written(events, &mut places)?;
        }
        places.sort_unstable();
        places.dedup();
        let places = Rc::new(places);
        self.written.insert(key, Rc::clone(&places));
        Ok(places)
    }

    fn collect_written(&mut self, events: &[Event<'c>], places: &mut Vec<Node>) -> Checked {
        for event in events {
            match event {
                Event::Op { op, operands, results, captured } => {
                    let ready = self.effects(*op, operands, results, captured)?;
                    places.extend(&ready.1.writes);
                    self.ready.insert(key(event), ready);
                }
                Event::Copy { from, to } => {
                    let (from, to) = (self.place(*from)?, self.place(*to)?);
                    places.extend((from != to).then_some(to));
                }
                Event::Loop { .. } => places.extend(self.written_by(event)?.iter()),
                Event::Branch { .. } => {
                    for events in nested(event) {
                        self.collect_written(events, places)?;
                    }
                }
                Event::View { .. } | Event::Constant { .. } | Event::Return { .. } => {}
            }
        }
        Ok(())
    }

    /// All memory that `place` may refer to in any iteration of a loop at this point: scalars of the loop may have
    /// any value.
    fn in_any_trip(&mut self, place: Node) -> Node {
        let whole = self.state.places.paths.whole_of(place);
        let mut at = whole;
        for id in self.state.places.paths.suffix(whole, place).unwrap_or_default() {
            let scalars = &self.state.places.scalars;
            let fixed = |number: Num| scalars.is_from(number, &self.scope);
            let paths = &mut self.state.places.paths;
            match paths.step(id).clone() {
                Step::Slice(mut ranges) => {
                    let mut is_fixed = true;
                    for number in ranges
                        .iter_mut()
                        .flat_map(|range| [&mut range.offset, &mut range.size, &mut range.stride])
                    {
                        if !fixed(*number) {
                            *number = Num::Any;
                            is_fixed = false;
                        }
                    }
                    if !is_fixed {
                        return paths.append(at, Step::Slice(ranges));
                    }
                    at = paths.extend(at, id);
                }
                Step::Reshape(to) if to.iter().all(|size| *size == Num::Any || fixed(*size)) => {
                    at = paths.extend(at, id);
                }
                Step::Reshape(_) | Step::Opaque => return at,
            }
        }
        at
    }
}
