//! Whether two tensors may lie in the same bytes: the one predicate.
//!
//! Two versions at places of one buffer interfere where one is written while the other is needed. That they do not is
//! shown in one of these ways:
//!
//! - they have no byte in common, or the use that needs the one reads no byte of the other;
//! - the use that needs the one is just the operation that writes the other over it (a destination, or an element that is
//!   read in the step that overwrites it), and both lie in the same place;
//! - the use that needs the one writes all bytes of the other before anything reads them there (`tensor.insert_slice`
//!   into a tensor in which a part was computed).

use strata_ir::planted;

use super::{
    places::{Path, Steps},
    streams::Streams,
    values::{Interval, Values, Version, VersionId, WRITE, Why},
};

/// A version at a place of the buffer in question.
#[derive(Clone, Copy)]
pub struct Placed<'p> {
    /// The version.
    pub version: VersionId,
    /// From the buffer to it.
    pub path: &'p Path,
}

/// What the predicate needs to know of what was decided so far.
pub struct Interference<'i, 'c> {
    /// The versions.
    pub values: &'i Values<'c>,
    /// The steps of all paths.
    pub steps: &'i Steps<'c>,
    /// Whether each version is written over its destination, so that nothing is copied there first.
    pub in_place: &'i [bool],
    /// The version that would be in place by the merge in question.
    pub granting: Option<VersionId>,
    /// For the loop nests that read an input element by element just before they write the result there: what they
    /// write, and which version they read so.
    pub streams: &'i Streams<'c>,
}

impl<'c> Interference<'_, 'c> {
    /// Whether the write of `writer` destroys what `needed` is needed for in `interval`, which contains that write.
    pub fn destroys(&self, writer: Placed<'_>, needed: Placed<'_>, interval: &Interval) -> bool {
        let written = &self.values.versions[writer.version];
        let kept = &self.values.versions[needed.version];
        // An insertion that is in place writes its part only.
        let mut region = writer.path.clone();
        if let Some(part) = written.part.filter(|_| self.is_in_place(writer.version)) {
            region.push(part);
        }
        if self.steps.are_disjoint(&region, needed.path) {
            return false;
        }
        let Some(reason) = kept.uses.get(interval.reason as usize) else { return true };
        let mut used = self.steps.join(needed.path, &reason.path);
        if self.steps.are_disjoint(&region, &used) {
            return false;
        }
        if self.streams.covers(reason.user, writer.version, interval.end)
            && (is_prefix(&used, writer.path) || planted("interference-stream-elsewhere"))
        {
            return false;
        }
        // What a loop needs again in its next trip is not done with in this one.
        let is_last = interval.end <= self.values.enter(reason.user, WRITE);
        if !is_last && !planted("interference-next-trip") {
            return true;
        }
        match reason.why {
            Why::Read => !planted("interference-read"),
            Why::Handed => !planted("interference-handed"),
            Why::Pointwise(op) => {
                !(self.is_result(written, op)
                    && self.is_in_place(writer.version)
                    && (self.is_same(writer.path, &used)
                        || planted("interference-pointwise-elsewhere")))
            }
            Why::Destination(op) => {
                let is_result = self.is_result(written, op) && self.is_same(writer.path, &used);
                !(is_result || planted("interference-destination"))
            }
            Why::Around(op, step) => {
                let is_result = self.is_result(written, op) && self.is_same(writer.path, &used);
                used.push(step);
                !(is_result || is_prefix(&used, writer.path) || planted("interference-destination"))
            }
            Why::Part(op) => {
                let part = written.part.filter(|_| self.is_result(written, op));
                let is_there = part.is_some_and(|part| {
                    let mut at = writer.path.clone();
                    at.push(part);
                    self.is_same(&at, &used)
                });
                !(is_there || planted("interference-part-elsewhere"))
                    || !self.is_in_place(writer.version)
            }
        }
    }

    fn is_in_place(&self, version: VersionId) -> bool {
        self.in_place[version] || self.granting == Some(version)
    }

    fn is_result(&self, written: &Version<'c>, op: strata_ir::Op<'c>) -> bool {
        written.value.owner() == Some(op)
    }

    fn is_same(&self, left: &Path, right: &Path) -> bool {
        self.steps.normal(left) == self.steps.normal(right)
    }
}

fn is_prefix(prefix: &Path, path: &Path) -> bool {
    path.len() >= prefix.len() && path[..prefix.len()] == prefix[..]
}
