//! Buffer rotation: loops that permute buffers in each iteration.
//!
//! An iteration must yield the memories that came in, each once: then the arguments are distinct memories, and
//! none aliases memory that the loop knows by another name.

use strata_ir::{Op, Value, scf};

use super::{Checked, Checker, ends, facts::name, paths::Node, wrong};
use crate::affine::trace::Carried;

/// The memories of a rotated buffer, by role.
pub struct Ring {
    /// The initial one.
    pub init: Node,
    /// The argument of the region with the condition, or of the body.
    pub before: Node,
    /// The argument of the region after the condition, or of the body.
    pub after: Node,
    /// The result.
    pub result: Node,
}

impl Ring {
    /// Pairs of names for the same memory.
    pub fn names(rings: &[Self], pair: impl Fn(&Self) -> (Node, Node)) -> Vec<(Node, Node)> {
        rings.iter().map(pair).collect()
    }
}

impl<'c> Checker<'c> {
    /// The memories of loop-carried buffers.
    pub(super) fn rings(&mut self, op: Op<'c>, carried: &[Carried<'c>]) -> Checked<Vec<Ring>> {
        let mut rings: Vec<Ring> = Vec::new();
        for one in carried {
            let before = self.place(one.before)?;
            let after = if op.is(scf::FOR) { before } else { self.place(one.after)? };
            let (init, result) = (self.place(one.init)?, self.place(one.result)?);
            let memory = self.state.places.memories.get(&init);
            let is_own = memory.is_some_and(|memory| memory.is_own);
            if !is_own || !self.state.is_alive(init) || rings.iter().any(|ring| ring.init == init) {
                let init = name(one.init);
                return Err(wrong(Some(op), format!("it rotates {init}, which it must not")));
            }
            if self.is_wired(op.is(scf::FOR), one, init) != Some(true) {
                let before = name(one.before);
                return Err(wrong(Some(op), format!("{before} is not what the loop carries")));
            }
            rings.push(Ring { init, before, after, result });
        }
        Ok(rings)
    }

    /// Whether the new loop carries the buffers as the trace says.
    fn is_wired(&mut self, is_for: bool, one: &Carried<'c>, init: Node) -> Option<bool> {
        let (block, argument) = one.before.block_arg()?;
        let new = block.parent_op()?;
        if !new.is(if is_for { scf::FOR } else { scf::WHILE }) {
            return Some(false);
        }
        // Bounds and step come first, and so does the induction variable.
        let (operand, state) = match is_for {
            true => (argument + 2, argument.checked_sub(1)?),
            false => (argument, argument),
        };
        let start = self.place(*new.operands().get(operand)?).ok()?;
        let last = usize::from(!is_for);
        let next = ends(new, last).get(state).copied()?;
        let result = match is_for {
            true => state,
            false => {
                let (argument_block, position) = one.after.block_arg()?;
                if argument_block.parent_op()? != new
                    || *ends(new, 0).get(1 + position)? != one.before
                {
                    return Some(false);
                }
                position
            }
        };
        let is_result = *new.results().get(result)? == one.result;
        Some(start == init && is_result && self.same(next, one.next))
    }

    fn same(&mut self, one: Value<'c>, other: Value<'c>) -> bool {
        one == other || self.place(one).ok().is_some_and(|one| self.place(other).ok() == Some(one))
    }

    /// Checks that an iteration yields the memories that it got, each once; returns the memory for each role.
    pub(super) fn close_rings(
        &mut self,
        op: Op<'c>,
        carried: &[Carried<'c>],
        rings: &[Ring],
    ) -> Checked<Vec<Node>> {
        let mut next: Vec<Node> = Vec::new();
        let mut origins = Vec::new();
        for one in carried {
            let place = self.place(one.next)?;
            let from = self.origins(place);
            let is_own = from.iter().all(|one| rings.iter().any(|ring| ring.after == *one));
            let is_whole = self.state.places.paths.whole_of(place) == place;
            if !is_own || !is_whole || next.contains(&place) || !self.state.is_alive(place) {
                let next = name(one.next);
                return Err(wrong(Some(op), format!("it yields {next}, which it must not")));
            }
            next.push(place);
            origins.push(from);
        }
        for (ring, circle) in rings.iter().zip(circles(rings, &origins)) {
            let inits = circle.into_iter().map(|index| rings[index].init).collect();
            self.state.places.memories.entry(ring.result).or_default().origins = inits;
        }
        Ok(next)
    }

    /// The memories that a loop result may be.
    fn origins(&self, place: Node) -> Vec<Node> {
        let mut found = Vec::new();
        let mut work = vec![place];
        let mut seen = vec![place];
        while let Some(one) = work.pop() {
            let from = self.state.places.memories.get(&one).map(|memory| memory.origins.clone());
            let from = from.unwrap_or_default();
            if from.is_empty() {
                found.push(one);
            }
            for next in from {
                if !seen.contains(&next) {
                    seen.push(next);
                    work.push(next);
                }
            }
        }
        found
    }
}

/// For each ring those that it may be permuted with in any number of iterations.
fn circles(rings: &[Ring], origins: &[Vec<Node>]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..rings.len()).collect();
    for (index, from) in origins.iter().enumerate() {
        for (other, ring) in rings.iter().enumerate() {
            if from.contains(&ring.after) {
                let (old, new) = (group[other], group[index]);
                group.iter_mut().filter(|one| **one == old).for_each(|one| *one = new);
            }
        }
    }
    let members = |of: &usize| (0..group.len()).filter(|one| group[*one] == *of).collect();
    group.iter().map(members).collect()
}
