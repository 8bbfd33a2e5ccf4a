//! The trace of emission, in program order, for [`super::checker`].

use rustc_hash::FxHashMap;
use strata_ir::{Op, Value};

/// A step of emission. Operations and tensors are those of the old function, on tensors; buffers are values of the new one.
pub enum Event<'c> {
    /// An operation that computes.
    Op {
        /// The operation.
        op: Op<'c>,
        /// The buffers of its operands; `None` for undefined tensors and other values.
        operands: Vec<Option<Value<'c>>>,
        /// The buffers that its results are written to.
        results: Vec<Option<Value<'c>>>,
        /// Tensors that its regions read, and their buffers.
        captured: Vec<(Value<'c>, Value<'c>)>,
    },
    /// A copy.
    Copy {
        /// What is read.
        from: Value<'c>,
        /// What is written.
        to: Value<'c>,
    },
    /// A view, or a select between tensors: the result is in `buffer`.
    View {
        /// The operation.
        op: Op<'c>,
        /// The buffer of its result.
        buffer: Value<'c>,
    },
    /// A constant.
    Constant {
        /// The tensor.
        value: Value<'c>,
        /// Its buffer.
        buffer: Value<'c>,
    },
    /// `scf.if` or `scf.index_switch`.
    Branch {
        /// The operation.
        op: Op<'c>,
        /// The events in each region.
        regions: Vec<Vec<Event<'c>>>,
        /// The buffers of the results.
        results: Vec<Option<Value<'c>>>,
    },
    /// `scf.for` or `scf.while`.
    Loop {
        /// The operation.
        op: Op<'c>,
        /// The buffers of the arguments of the body, or of the region with the condition.
        args: Vec<Option<Value<'c>>>,
        /// The events in the region with the condition.
        before: Vec<Event<'c>>,
        /// Those of the arguments of the region after the condition.
        after_args: Vec<Option<Value<'c>>>,
        /// The events in the body.
        body: Vec<Event<'c>>,
        /// Those of the results, after the loop.
        results: Vec<Option<Value<'c>>>,
        /// Buffers that the new loop carries.
        carried: Vec<Carried<'c>>,
    },
    /// A result of the program.
    Return {
        /// Its number.
        index: usize,
        /// The tensor.
        value: Value<'c>,
        /// The output.
        buffer: Value<'c>,
    },
}

/// A buffer that a loop carries under several names.
#[derive(Clone, Copy)]
pub struct Carried<'c> {
    /// Before the loop.
    pub init: Value<'c>,
    /// In the region with the condition; in the body of `scf.for`.
    pub before: Value<'c>,
    /// In the region after the condition.
    pub after: Value<'c>,
    /// The value that an iteration yields for it.
    pub next: Value<'c>,
    /// After the loop.
    pub result: Value<'c>,
}

/// The trace of emission.
#[derive(Default)]
pub struct Trace<'c> {
    /// All events.
    pub events: Vec<Event<'c>>,
    /// The arguments of the old function, where each is at the start, and whether it may be written.
    pub inputs: Vec<(Value<'c>, Value<'c>, bool)>,
    /// The outputs.
    pub outputs: Vec<Value<'c>>,
    /// Operations that read or write elements, and the buffers of the new ones.
    pub accesses: Vec<(Op<'c>, Value<'c>)>,
    /// The map from scalars of the old function to the new one.
    pub numbers: FxHashMap<Value<'c>, Value<'c>>,
}
