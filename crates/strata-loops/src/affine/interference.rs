//! Whether two tensors may share memory: the only predicate for it.
//!
//! Two versions in one buffer interfere if one is written while the other is live. They do not interfere if
//!
//! - they are disjoint, or the use that keeps the one live reads no byte of the other;
//! - the use is the operation that overwrites it with the other one (a destination, or an element that is read by the
//!   iteration that overwrites it), and both have the same offset and layout;
//! - the use writes all bytes of the other before anything reads them there (`tensor.insert_slice` into a tensor in which
//!   the slice was computed).

use strata_ir::planted;

use super::{
    paths::{Path, Steps},
    streams::Streams,
    values::{Interval, Values, Version, VersionId, WRITE, Why},
};

/// A version and its path in the buffer.
#[derive(Clone, Copy)]
pub struct Placed<'p> {
    /// The version.
    pub version: VersionId,
    /// The path from the buffer.
    pub path: &'p Path,
}

/// The state of placement that the predicate depends on.
pub struct Interference<'i, 'c> {
    /// The versions.
    pub values: &'i Values<'c>,
    /// The steps of all paths.
    pub steps: &'i Steps<'c>,
    /// Whether each version is computed in its destination's buffer, without a copy.
    pub in_place: &'i [bool],
    /// The version that the merge would put in place.
    pub granting: Option<VersionId>,
    /// Nests that compute in place, reading an input element by element just before overwriting it: what they write, and
    /// which version they read.
    pub streams: &'i Streams<'c>,
}

impl<'c> Interference<'_, 'c> {
    /// Whether the write of `writer` clobbers `needed` in `interval`, which contains that write.
    pub fn destroys(&self, writer: Placed<'_>, needed: Placed<'_>, interval: &Interval) -> bool {
        let written = &self.values.versions[writer.version];
        let kept = &self.values.versions[needed.version];
        // An insertion in place writes the inserted slice only.
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
        // What a loop reads again in its next iteration is not dead in this one.
        let is_last = interval.end <= self.values.enter(reason.user, WRITE);
        if !is_last && !planted("interference-next-trip") {
            return true;
        }
        match reason.why {
            Why::Read => !planted("interference-read"),
            Why::Passed => !planted("interference-handed"),
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
