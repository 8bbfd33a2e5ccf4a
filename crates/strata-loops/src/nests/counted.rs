//! Loops whose bounds are constants.

use strata_ir::{BLOCKS, Block, Builder, LIMIT, Op, Value, constant_index, scf};

/// A loop with constant bounds.
#[derive(Clone, Copy)]
pub struct Counted<'c> {
    /// The loop.
    pub op: Op<'c>,
    /// Its lower bound.
    pub first: i64,
    /// Its upper bound.
    pub last: i64,
    /// Its step.
    pub step: i64,
}

impl<'c> Counted<'c> {
    /// Reads an `scf.for`; `None` for other operations, other bounds, and loops without iterations.
    pub fn of(op: Op<'c>) -> Option<Self> {
        if !op.is(scf::FOR) {
            return None;
        }
        let [first, last, step] = [0, 1, 2].map(|bound| constant_index(op.operand(bound)));
        let (first, last, step) = (first?, last?, step?);
        (step > 0 && first < last).then_some(Self { op, first, last, step })
    }

    /// The body.
    pub fn body(&self) -> Block<'c> {
        self.op.body(0)
    }

    /// The induction variable.
    pub fn counter(&self) -> Value<'c> {
        self.body().arg(0)
    }

    /// The trip count.
    pub fn trips(&self) -> i64 {
        (self.last - self.first + self.step - 1) / self.step
    }
}

/// A copy of the loop `whole` with other bounds and initial values.
pub fn part_of<'c>(
    at: &Builder<'c>,
    whole: Op<'c>,
    bounds: [Value<'c>; 2],
    starts: &[Value<'c>],
) -> Op<'c> {
    let part = at.insert(whole.clone_detached());
    let [first, last] = bounds;
    part.set_operand(0, first);
    part.set_operand(1, last);
    // Its counter may begin anywhere.
    part.remove_attr(LIMIT);
    part.remove_attr(BLOCKS);
    for (position, start) in starts.iter().enumerate() {
        part.set_operand(3 + position, *start);
    }
    part
}
