//! Where the values that a tile writes come from: from which rows of the buffers that it writes, too.

use std::collections::HashMap;

use strata_ir::{Op, Value, memref, scf, vector};

/// What of a tile's rows a value is computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source<'c> {
    /// Those before this one.
    Before(i64),
    /// The one that a loop in the body is at.
    At(Op<'c>),
    Several,
}

/// Where values come from.
pub struct Sources<'c> {
    pub read: HashMap<Op<'c>, Source<'c>>,
    pub writes: HashMap<Op<'c>, Source<'c>>,
    pub values: HashMap<Value<'c>, Source<'c>>,
}

impl<'c> Sources<'c> {
    /// Whether the writes in the body of `each` are of rows that come from their own and those before.
    pub fn of_body(&mut self, each: Op<'c>) -> bool {
        each.body(0).ops().into_iter().all(|op| match op.name() {
            scf::FOR => self.of_loop(op),
            scf::YIELD => true,
            vector::TRANSFER_WRITE | memref::STORE => match (self.from(op), self.writes.get(&op)) {
                (None, _) => true,
                (Some(Source::Before(end)), Some(Source::Before(own))) => end <= *own,
                (Some(Source::At(from)), Some(Source::At(own))) => from == *own,
                _ => false,
            },
            _ => {
                let own = self.read.get(&op).copied();
                if let Some(from) = either(own, self.from(op)) {
                    self.values.extend(op.results().into_iter().map(|result| (result, from)));
                }
                true
            }
        })
    }

    /// The same of a loop in the body.
    fn of_loop(&mut self, op: Op<'c>) -> bool {
        if op.operands()[..3].iter().any(|bound| self.values.contains_key(bound)) {
            return false;
        }
        loop {
            let count = self.values.len();
            let known: Vec<_> =
                op.body(0).args()[1..].iter().map(|arg| self.values.get(arg).copied()).collect();
            let returned = op.body(0).terminator().map(Op::operands).unwrap_or_default();
            let starts = op.operands()[3..].to_vec();
            let args = op.body(0).args()[1..].to_vec();
            for (at, arg) in args.iter().enumerate() {
                let from = [starts[at], returned[at]].map(|value| self.values.get(&value).copied());
                if let Some(from) = either(known[at], either(from[0], from[1])) {
                    self.values.insert(*arg, from);
                    self.values.insert(op.result(at), from);
                }
            }
            let is_right = self.of_body(op);
            let now: Vec<_> = args.iter().map(|arg| self.values.get(arg).copied()).collect();
            if !is_right || now == known && count == self.values.len() {
                return is_right;
            }
        }
    }

    fn from(&self, op: Op<'c>) -> Option<Source<'c>> {
        let of = |value: Value<'c>| self.values.get(&value).copied();
        op.operands().into_iter().fold(None, |from, value| either(from, of(value)))
    }
}

fn either<'c>(one: Option<Source<'c>>, other: Option<Source<'c>>) -> Option<Source<'c>> {
    match (one, other) {
        (None, one) | (one, None) => one,
        (Some(Source::Before(one)), Some(Source::Before(other))) => {
            Some(Source::Before(one.max(other)))
        }
        (one, other) if one == other => one,
        _ => Some(Source::Several),
    }
}
