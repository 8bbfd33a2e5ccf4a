//! What is said about nests.

use strata_ir::AttributeExt as _;
use strata_remarks::{Decision, Remark, Subject, subject};

use super::Kernel;
use crate::{fusion::nest::Nest, transform::tags};

/// The remark on a nest: its operations, its loops, and the schedules that were considered for it.
pub(super) fn about(nest: &Nest<'_>, kernel: &Kernel<'_>, number: usize) -> Remark {
    let mut about = Subject::default();
    for op in &nest.ops {
        about.extend(subject(*op));
    }
    // The schedule of the loops around it, those of an attention.
    let first = nest.ops.first().and_then(|op| op.parent());
    let around = std::iter::successors(first, |op| op.parent())
        .find_map(|op| op.attr(tags::SCHEDULE).and_then(|name| name.as_str()));
    let mut attempts = kernel.attempts.clone();
    let chosen = attempts.iter_mut().filter(|attempt| attempt.declined.is_none());
    for (attempt, around) in chosen.zip(around) {
        attempt.schedule.push_str(&format!(" in {around}"));
    }
    Remark {
        subject: about,
        decision: Decision::Nest {
            number,
            kernel: kernel.sequence.clone(),
            loops: kernel.loops.clone(),
            computes: kernel.computes.clone(),
            attempts,
        },
    }
}
