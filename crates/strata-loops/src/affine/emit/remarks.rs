//! What is said about copies.

use strata_remarks::{Decision, Remark, Subject, remark, subject, subject_of};

use super::*;

/// What a copy to a temporary is for, and why there is one.
pub(super) const CYCLE: &str = "a temporary, as tensors change places";
pub(super) const IN_A_CYCLE: &str =
    "each buffer of a cycle of copies is read by one and written by another";

impl<'c> Emitter<'_, 'c> {
    /// Says that `value` is copied, what for, and why.
    pub(super) fn remark_copy(
        &self,
        value: Value<'c>,
        (purpose, needs): (&'static str, Op<'c>),
        (because, blamed): (&'static str, Option<Op<'c>>),
    ) {
        let is_loop = |op: &Op<'c>| matches!(op.name(), scf::FOR | scf::WHILE);
        let around = self.open.iter().filter_map(|(block, _)| block.parent_op());
        let bytes = static_bytes(value);
        if bytes == Some(0) {
            return;
        }
        let mut about = value.owner().map(of_whole_nest).unwrap_or_default();
        if let Some((block, input)) = value.block_arg() {
            match block.parent_op() {
                Some(function) if function.is(func::FUNC) => about.inputs.extend([input]),
                around => {
                    about.extend(around.map(|op| subject_of(op.location())).unwrap_or_default())
                }
            }
        }
        about.extend(subject_of(needs.location()));
        remark(|| Remark {
            subject: about,
            decision: Decision::Copy {
                bytes,
                depth: around.filter(is_loop).count(),
                purpose: purpose.to_owned(),
                because: because.to_owned(),
                blame: blamed.map(of_whole_nest).unwrap_or_default(),
            },
        });
    }
}

/// What an operation comes from: a nest with all that was fused into it, control flow without what is in it.
fn of_whole_nest(op: Op<'_>) -> Subject {
    match op.dialect() {
        "linalg" => subject(op),
        _ => subject_of(op.location()),
    }
}

/// Bytes of a tensor of a known size.
fn static_bytes(value: Value<'_>) -> Option<u64> {
    value.ty().element_count()?.checked_mul(value.ty().element().byte_width()?)
}
