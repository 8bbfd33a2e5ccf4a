//! What is said about loops that are cut into tasks, and about those that are not.

use strata_ir::{
    Op, Target,
    remarks::{Decision, Remark, remark, subject, subject_of},
    scf,
};

use super::{Cut, Least, Nest, cost, disjoint};

/// Says of each nest, and of each loop around none, into how many tasks it is cut, or why it is not.
pub(super) fn tell(op: Op<'_>, cuts: &[Cut<'_>], target: &Target, least: Least) {
    let inside: Vec<_> = cuts.iter().filter(|cut| op.encloses(cut.nest.op)).collect();
    if is_around_nests(op) {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        for inner in blocks.flat_map(|block| block.ops()).filter(|op| op.region_count() > 0) {
            tell(inner, cuts, target, least);
        }
        return;
    }
    for cut in &inside {
        let decision = Decision::Tasks {
            tasks: Some(cut.tasks),
            nanoseconds: cut.cost.nanoseconds,
            because: None,
        };
        remark(|| Remark { subject: subject(cut.nest.op), decision });
    }
    if !inside.is_empty() {
        return;
    }
    let nanoseconds = cost::estimate(op, target).nanoseconds;
    let because = Some(reason(op, nanoseconds, least));
    let decision = Decision::Tasks { tasks: None, nanoseconds, because };
    remark(|| Remark { subject: subject(op), decision });
}

/// Whether the operation is control flow of the program around nests, not a loop of one.
fn is_around_nests(op: Op<'_>) -> bool {
    subject_of(op.location()).nests.is_empty()
        && (matches!(op.name(), scf::WHILE | scf::IF | scf::INDEX_SWITCH)
            || !subject(op).nests.is_empty())
}

fn reason(op: Op<'_>, nanoseconds: f64, least: Least) -> String {
    if nanoseconds < least.nest {
        return format!(
            "an estimated {:.1} us are less than the {:.0} us from which waking threads pays",
            nanoseconds / 1e3,
            least.nest / 1e3
        );
    }
    let reason = match Nest::of(op) {
        None => "its trips are not counted by constants, or each hands a value to the next",
        Some(nest) if !disjoint::trips_are_disjoint(op, nest.step) => {
            "a trip writes what others read or write"
        }
        Some(_) => {
            "it has too few trips, or cutting it would move more data between cores than it saves time"
        }
    };
    reason.to_owned()
}
