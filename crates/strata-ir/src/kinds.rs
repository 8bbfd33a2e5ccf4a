//! `OpKind` and typed views, generated from the `.td` files by the build script.

use crate::{OpName, handles::Op};

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

/// The definition of an operation in the `.td` file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// The file's stem.
    pub family: &'static str,
    /// Whether it has its own text form besides MLIR's generic one.
    pub own_text: bool,
    /// Whether it checks more than the types of its operands and results.
    pub verifier: bool,
    /// Whether its result types follow from its operands.
    pub infers: bool,
    /// The names of its attributes.
    pub attributes: &'static [&'static str],
    /// The number of its operands, where it is always the same.
    pub operands: Option<usize>,
}

/// A typed view of an operation.
pub trait View<'c>: Copy {
    /// The name of the operation that the view is of.
    const NAME: OpName<'static>;

    /// The view of an operation of that name.
    #[doc(hidden)]
    fn wrap(op: Op<'c>) -> Self;

    /// The view, if `op` is such an operation.
    fn cast(op: Op<'c>) -> Option<Self> {
        op.is(Self::NAME).then(|| Self::wrap(op))
    }

    /// The operation of the view.
    fn op(self) -> Op<'c>;
}

/// The first operand of group `group`, by `operandSegmentSizes`.
#[allow(dead_code)]
fn segment_start(op: Op<'_>, group: usize) -> usize {
    op.operand_segments().map_or(0, |sizes| sizes.iter().take(group).sum())
}
