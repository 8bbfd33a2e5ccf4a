//! Pairs of tensors that should share a buffer, and what that saves.

use strata_ir::{Block, Op, TypeExt as _, Value, func, scf, tensor};

use super::{
    accesses::{self, Role},
    flights,
    values::Values,
};

/// Two tensors that should share a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish<'c> {
    /// A result of an operation and its destination.
    Tie(Op<'c>, accesses::Tie),
    /// A value that control flow passes on, and the argument or result that receives it.
    Passed(Value<'c>, Value<'c>),
    /// The source of a `tensor.insert_slice` and its destination.
    Part(Op<'c>),
    /// A result of the program and the output of that number.
    Output(Value<'c>, usize),
    /// An operand that dies and a result without a destination.
    Reuse(Value<'c>, Value<'c>),
}

/// All wishes of a function, with their benefit: bytes, times ten for each enclosing loop.
#[derive(Default)]
pub struct Wishes<'c> {
    /// Results and their destinations, and values passed on by control flow.
    pub bindings: Vec<(u64, Wish<'c>)>,
    /// Sources of insertions.
    pub parts: Vec<(u64, Wish<'c>)>,
    /// Results of the program.
    pub outputs: Vec<Wish<'c>>,
    /// Operands that die.
    pub reuses: Vec<Wish<'c>>,
}

impl<'c> Wishes<'c> {
    /// The wishes of `entry`, in program order.
    pub fn of(entry: Op<'c>, values: &Values<'c>) -> Self {
        let mut wishes = Self::default();
        wishes.visit(values, entry.body(0), 1);
        wishes
    }

    fn visit(&mut self, values: &Values<'c>, block: Block<'c>, scale: u64) {
        for &(op, role) in values.body(block).iter() {
            match role {
                Role::Compute => self.compute(op, scale),
                Role::Control => self.control(values, op, scale),
                _ => {}
            }
        }
    }

    fn compute(&mut self, op: Op<'c>, scale: u64) {
        let ties = accesses::ties(op);
        for tie in &ties {
            // The result of an exchange that is under way cannot be copied.
            let weight = match flights::is_wait(op) {
                true => u64::MAX,
                false => bytes(op.result(tie.result)).saturating_mul(scale),
            };
            self.bindings.push((weight, Wish::Tie(op, *tie)));
        }
        if op.is(tensor::INSERT_SLICE) {
            let weight = bytes(op.operand(0)).saturating_mul(scale);
            self.parts.push((weight, Wish::Part(op)));
        }
        for tie in ties.iter().filter(|tie| !tie.is_read) {
            let result = op.result(tie.result);
            let same = (0..op.operand_count())
                .filter(|index| op.operand(*index).ty() == result.ty())
                .filter(|index| accesses::is_pointwise(op, *index));
            for index in same {
                self.reuses.push(Wish::Reuse(op.operand(index), result));
            }
        }
    }

    fn hand(&mut self, scale: u64, value: Value<'c>, becomes: Value<'c>) {
        if accesses::is_tensor(value) {
            let weight = bytes(value).saturating_mul(scale);
            self.bindings.push((weight, Wish::Passed(value, becomes)));
        }
    }

    fn control(&mut self, values: &Values<'c>, op: Op<'c>, scale: u64) {
        let inner = scale.saturating_mul(10);
        match op.name() {
            func::RETURN => {
                for (index, value) in op.operands().into_iter().enumerate() {
                    self.outputs.push(Wish::Output(value, index));
                }
            }
            scf::FOR => {
                let body = op.body(0);
                let arguments = body.args().into_iter().skip(1);
                let inits = op.operands().into_iter().skip(3);
                let yields = body.terminator().map(Op::operands).unwrap_or_default();
                for ((argument, init), next) in arguments.zip(inits).zip(yields) {
                    self.hand(scale, init, argument);
                    self.hand(inner, next, argument);
                }
                self.visit(values, body, inner);
            }
            scf::WHILE => {
                let (before, after) = (op.body(0), op.body(1));
                let passed = before.terminator().map(Op::operands).unwrap_or_default();
                let yields = after.terminator().map(Op::operands).unwrap_or_default();
                for ((argument, init), next) in
                    before.args().into_iter().zip(op.operands()).zip(yields)
                {
                    self.hand(scale, init, argument);
                    self.hand(inner, next, argument);
                }
                for (argument, value) in after.args().into_iter().zip(passed.into_iter().skip(1)) {
                    // First: otherwise each iteration would copy a value that is only passed through.
                    self.hand(inner.saturating_mul(2), value, argument);
                }
                self.visit(values, before, inner);
                self.visit(values, after, inner);
            }
            scf::IF | scf::INDEX_SWITCH => {
                for region in op.regions() {
                    let Some(block) = region.first_block() else { continue };
                    let yields = block.terminator().map(Op::operands).unwrap_or_default();
                    for (value, result) in yields.into_iter().zip(op.results()) {
                        self.hand(scale, value, result);
                    }
                    self.visit(values, block, scale);
                }
            }
            _ => {}
        }
    }
}

/// Bytes of a tensor; run-time extents count as one.
fn bytes(value: Value<'_>) -> u64 {
    let shape = value.ty().shape().unwrap_or_default();
    let count =
        shape.into_iter().map(|size| u64::try_from(size).unwrap_or(1)).fold(1, u64::saturating_mul);
    count.saturating_mul(value.ty().element().byte_width().unwrap_or(1))
}
