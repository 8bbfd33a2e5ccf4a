//! What is needed of the tensors that loops of the program carry, and of those that its branches return.
//!
//! ```mlir
//! %r = scf.while (%h = %init) {                  // of %r, the first d0 rows are needed …
//!   scf.condition(%go) %h
//! } do {
//! ^bb0(%h: tensor<8x128xf32>):
//!   %next = linalg.matmul ins(%h, %w)            // … so of %next, and of %h for it: again the first d0 rows
//!   scf.yield %next
//! }
//! ```
//! An iteration reads what the one before it made: the operations of a loop are gone through until no more is needed.

use std::collections::HashMap;

use strata_ir::{Block, Op, Value, bounded_entry, scf};

use super::{Need, demand::Needs, facts::Facts};

/// How often a loop is gone through; what grows for longer is needed whole.
const MAX_ROUNDS: usize = 4;

impl<'c> Needs<'c> {
    /// What the operations in a loop or branches of the program need. Returns whether it is one.
    pub(super) fn regions(&mut self, op: Op<'c>, facts: &Facts<'c>, valid: &[Vec<Need>]) -> bool {
        match op.name() {
            scf::IF => self.branches(op, facts, valid),
            scf::WHILE => self.carried(op, facts, valid),
            _ => None,
        }
        .is_some()
    }

    fn branches(&mut self, op: Op<'c>, facts: &Facts<'c>, valid: &[Vec<Need>]) -> Option<()> {
        for block in (0..op.region_count()).filter_map(|at| op.region(at).first_block()) {
            self.inside(block, &op.results(), facts, valid)?;
        }
        Some(())
    }

    fn carried(&mut self, op: Op<'c>, facts: &Facts<'c>, valid: &[Vec<Need>]) -> Option<()> {
        let [before, after] = [op.region(0).first_block()?, op.region(1).first_block()?];
        let arguments: Vec<_> = before.args().into_iter().chain(after.args()).collect();
        let mut round = 0;
        loop {
            let known: Vec<_> = arguments.iter().map(|argument| self.needed(*argument)).collect();
            self.inside(after, &before.args(), facts, valid)?;
            // Its first operand is whether the loop goes on.
            let end = before.terminator().filter(|end| end.is(scf::CONDITION))?;
            for (at, made) in end.operands().into_iter().skip(1).enumerate() {
                let needed = [op.result(at), after.arg(at)].map(|value| self.needed(value));
                needed.into_iter().for_each(|needed| self.add(made, needed));
            }
            self.operations(before, facts, valid);
            let grown = arguments.iter().zip(known);
            let grown: Vec<_> =
                grown.filter(|(argument, known)| self.needed(**argument) != *known).collect();
            if grown.is_empty() {
                break;
            }
            round += 1;
            if round == MAX_ROUNDS {
                arguments.iter().for_each(|argument| self.add_all(*argument));
            }
        }
        for (operand, argument) in op.operands().into_iter().zip(before.args()) {
            self.add(operand, self.needed(argument));
        }
        Some(())
    }

    /// What a block needs that returns the values of which what is needed of `results` is.
    fn inside(
        &mut self,
        block: Block<'c>,
        results: &[Value<'c>],
        facts: &Facts<'c>,
        valid: &[Vec<Need>],
    ) -> Option<()> {
        let end = block.terminator().filter(|end| end.is(scf::YIELD))?;
        for (made, result) in end.operands().into_iter().zip(results) {
            self.add(made, self.needed(*result));
        }
        self.operations(block, facts, valid);
        Some(())
    }

    /// What the operations of a block but its last one need, the last of them first.
    fn operations(&mut self, block: Block<'c>, facts: &Facts<'c>, valid: &[Vec<Need>]) {
        let ops = block.ops();
        let before = ops.split_last().map_or(&[][..], |(_, before)| before);
        before.iter().rev().for_each(|op| self.step(*op, facts, valid));
    }

    /// The needs of values in loops and branches of the program, whose blocks are scheduled after that of the entry.
    pub fn of_inner(&self, entry: Op<'c>) -> HashMap<Value<'c>, Vec<Need>> {
        let inner = entry.collect(|op| op != entry && op.parent() != Some(entry));
        let results = inner.into_iter().flat_map(Op::results);
        results.filter_map(|value| Some((value, self.known.get(&value)?.clone()))).collect()
    }

    /// The needs of the values of such a block, taken from `inner`; none of an algorithm's own loops.
    pub fn of_block(
        block: Block<'c>,
        inner: &mut HashMap<Value<'c>, Vec<Need>>,
        least: &[i64],
    ) -> Self {
        let results = block.ops().into_iter().flat_map(Op::results);
        let known: HashMap<_, _> = results.filter_map(|value| inner.remove_entry(&value)).collect();
        match block.parent_op().and_then(bounded_entry).filter(|_| !known.is_empty()) {
            Some(entry) => Self::of_part(entry, known, least),
            None => Self::default(),
        }
    }
}
