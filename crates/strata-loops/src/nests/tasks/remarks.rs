//! What is said about loops that are split into tasks, about those that are not, and about the memory of nests.

use std::collections::BTreeSet;

use strata_diag::units::rough_time;
use strata_ir::{Op, func, memref, scf};
use strata_remarks::{Decision, Remark, Subject, remark, subject, subject_of};
use strata_target::Target;

use super::{Cut, Least, Nest, bytes, cost, disjoint};

/// Says of each nest, and of each loop around none, into how many tasks it is split, or why it is not. Loops that run inside
/// a task are not mentioned.
pub(super) fn tell(op: Op<'_>, cuts: &[Cut<'_>], target: &Target, least: Least) {
    if let Some(cut) = cuts.iter().find(|cut| cut.nest.op == op) {
        return tell_cut(cut);
    }
    if is_around_nests(op) {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        for inner in blocks.flat_map(|block| block.ops()).filter(|op| op.region_count() > 0) {
            tell(inner, cuts, target, least);
        }
        return;
    }
    let mut is_whole = true;
    for cut in cuts.iter().filter(|cut| op.encloses(cut.nest.op)) {
        tell_cut(cut);
        is_whole = false;
    }
    if is_whole {
        let nanoseconds = cost::estimate(op, target).nanoseconds;
        let because = Some(reason(op, nanoseconds, least));
        let decision = Decision::Tasks { tasks: None, runs: runs(op), nanoseconds, because };
        remark(|| Remark { subject: subject(op), decision });
    }
}

fn tell_cut(cut: &Cut<'_>) {
    let decision = Decision::Tasks {
        tasks: Some(cut.tasks),
        runs: runs(cut.nest.op),
        nanoseconds: cut.cost.nanoseconds,
        because: None,
    };
    remark(|| Remark { subject: subject(cut.nest.op), decision });
}

/// How often one call of the program runs an operation; `None` where it depends on values.
fn runs(op: Op<'_>) -> Option<i64> {
    let around = std::iter::successors(op.parent(), |op| op.parent());
    around
        .take_while(|op| !op.is(func::FUNC))
        .try_fold(1i64, |runs, op| runs.checked_mul(Nest::of(op)?.trips()))
}

/// Says which memory is used by one nest only.
pub(super) fn tell_scratch(entry: Op<'_>) {
    for alloc in entry.collect(|op| op.is(memref::ALLOC)) {
        let memory = alloc.result(0);
        let users = memory.uses().into_iter().map(|(user, _)| subject_of(user.location()).nests);
        let users: BTreeSet<_> = users.collect();
        let mut users = users.into_iter();
        let (Some(nests), None, Some(bytes)) = (users.next(), users.next(), bytes(memory)) else {
            continue;
        };
        if nests.len() == 1 {
            let subject = Subject { nests, ..Subject::default() };
            remark(|| Remark { subject, decision: Decision::Scratch { bytes } });
        }
    }
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
            "estimated at {}, below the {} at which waking threads pays off",
            rough_time(nanoseconds / 1e9),
            rough_time(least.nest / 1e9)
        );
    }
    let reason = match Nest::of(op) {
        None if op.result_count() > 0 => "each iteration uses results of the one before",
        None => "its trip count is not constant",
        Some(nest) if !disjoint::trips_are_disjoint(op, nest.step) => {
            "an iteration writes memory that another one reads or writes, or is not proven not to"
        }
        Some(_) => "it has too few iterations",
    };
    reason.to_owned()
}
