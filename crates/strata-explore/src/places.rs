//! The places of operations in the source.
//!
//! A program has functions of its own beside the entry: JAX makes one of each function that is jitted in itself, also of its library's,
//! such as `jnp.sort`. Their operations have no place, or one in the library; where they are for a reader is at the calls.

use std::collections::{BTreeMap, BTreeSet};

use crate::locations::Frame;

/// Ways to an operation beyond which none is told.
const MOST_WAYS: usize = 16;

/// Where operations are.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Of each operation its function, and what its own location says, the innermost first.
    own: Vec<(String, Vec<Frame>)>,
    /// The calls of each function, by number.
    calls: BTreeMap<String, BTreeSet<usize>>,
}

impl Places {
    /// `own` has the function of each operation and the frames of its location, `callees` the function that an operation calls.
    pub fn new(own: Vec<(String, Vec<Frame>)>, callees: &BTreeMap<usize, String>) -> Self {
        let mut calls: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (call, callee) in callees {
            calls.entry(callee.clone()).or_default().insert(*call);
        }
        Self { own, calls }
    }

    /// The calls of the function that an operation is in.
    pub fn callers(&self, operation: usize) -> Option<&BTreeSet<usize>> {
        self.calls.get(&self.own.get(operation)?.0)
    }

    /// The frames of an operation, the innermost first, in each way in which it may be reached: over those of `calls` where they are
    /// known. Own frames end where they have a line of the user's.
    pub fn ways(&self, operation: usize, calls: &BTreeSet<usize>) -> Vec<Vec<Frame>> {
        let mut found = BTreeSet::new();
        self.follow(operation, calls, Vec::new(), &mut BTreeSet::new(), &mut found);
        match found.len() {
            0 | MOST_WAYS.. => {
                vec![self.own.get(operation).map_or(Vec::new(), |own| own.1.clone())]
            }
            _ => found.into_iter().collect(),
        }
    }

    /// As [`Self::ways`], where there is one way only; else what its own location says.
    pub fn frames(&self, operation: usize) -> Vec<Frame> {
        match self.ways(operation, &BTreeSet::new()).as_slice() {
            [only] => only.clone(),
            _ => self.own.get(operation).map_or(Vec::new(), |own| own.1.clone()),
        }
    }

    /// Goes on from an operation with the frames inside of it, once: functions may be called in many ways that tell the same, and in
    /// text that was not verified in circles.
    fn follow(
        &self,
        operation: usize,
        calls: &BTreeSet<usize>,
        mut inner: Vec<Frame>,
        seen: &mut BTreeSet<(usize, Vec<Frame>)>,
        found: &mut BTreeSet<Vec<Frame>>,
    ) {
        let Some((_, own)) = self.own.get(operation) else { return };
        for frame in own {
            if !inner.contains(frame) {
                inner.push(frame.clone());
            }
        }
        if !seen.insert((operation, inner.clone())) {
            return;
        }
        let is_told = inner.iter().any(|frame| !frame.is_installed());
        let callers = self.callers(operation).filter(|_| !is_told);
        let Some(callers) = callers else {
            found.insert(inner);
            return;
        };
        let known: Vec<_> = callers.intersection(calls).collect();
        let taken = if known.is_empty() { callers.iter().collect() } else { known };
        for call in taken {
            if found.len() >= MOST_WAYS {
                return;
            }
            self.follow(*call, calls, inner.clone(), seen, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, line: u64) -> Frame {
        Frame { name: None, file: file.into(), line, column: 1 }
    }

    /// Operations 0 and 1 of the entry call `f`, 2 and 3 are in it, 3 calls `g`, 4 is in that.
    fn places() -> Places {
        let library = || frame("/lib/python3.11/site-packages/jax/sort.py", 9);
        let own = [
            ("main", vec![frame("m.py", 1)]),
            ("main", vec![frame("m.py", 2)]),
            ("f", vec![frame("m.py", 7)]),
            ("f", vec![]),
            ("g", vec![library()]),
        ];
        let own = own.map(|(function, frames)| (function.to_owned(), frames)).to_vec();
        Places::new(own, &[(0, "f".to_owned()), (1, "f".to_owned()), (3, "g".to_owned())].into())
    }

    #[test]
    fn operations_without_a_place_have_those_of_their_calls() {
        let places = places();
        let lines = |at, calls: &[usize]| -> Vec<Vec<u64>> {
            let ways = places.ways(at, &calls.iter().copied().collect());
            ways.iter().map(|way| way.iter().map(|frame| frame.line).collect()).collect()
        };
        assert_eq!(lines(0, &[]), [[1]]);
        // A place of the user's is enough.
        assert_eq!(lines(2, &[1]), [[7]]);
        assert_eq!(lines(3, &[]), [[1], [2]]);
        assert_eq!(lines(3, &[1]), [[2]]);
        // The library's line is inside of the user's.
        assert_eq!(lines(4, &[3, 0]), [[9, 1]]);
        assert_eq!(lines(4, &[]), [[9, 1], [9, 2]]);
        assert_eq!(places.frames(4).len(), 1);
        assert!(lines(9, &[]) == [[0_u64; 0]; 1]);
    }

    #[test]
    fn circles_end_and_many_ways_that_tell_the_same_are_followed_once() {
        let own = |count| vec![("f".to_owned(), Vec::new()); count];
        let places = Places::new(own(2), &[(0, "f".to_owned()), (1, "f".to_owned())].into());
        assert_eq!(places.ways(0, &BTreeSet::new()), [Vec::new()]);
        // Each function calls the next one twice.
        let function = |at: usize| format!("f{}", at / 2);
        let own = (0..100).map(|at| (function(at), Vec::new())).collect();
        let places = Places::new(own, &(0..98).map(|at| (at, function(at + 2))).collect());
        assert_eq!(places.ways(99, &BTreeSet::new()), [Vec::new()]);
    }
}
