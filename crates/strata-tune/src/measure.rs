//! What a search asks of the machine.

use std::time::Duration;

use strata::Schedules;
use strata_diag::Diagnostic;

/// What is compiled and measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A program of one nest, by its position in the list of nests.
    Nest(usize),
    /// The whole program.
    Program,
}

/// Why a schedule is not a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It does not apply, or the subject cannot be compiled.
    Fails(String),
    /// Its results differ from those of the untuned object by more than `docs/numerics.md` allows.
    Differs(String),
}

/// Compiles and times schedules. A test gives fixed times.
pub trait Measure {
    /// Compiles a subject with these schedules and checks its results against those of the untuned object; returns the number by
    /// which it is timed.
    ///
    /// # Errors
    /// Why it is not a candidate.
    fn load(&mut self, subject: Subject, schedules: &Schedules) -> Result<usize, Rejection>;

    /// Calls all of these in turn, in so many rounds, or fewer where a call takes long; for each round the seconds of a call of each.
    ///
    /// # Errors
    /// `S1805` where a call fails, `S1807` without memory for buffers.
    fn times(&mut self, objects: &[usize], rounds: usize) -> Result<Vec<Vec<f64>>, Diagnostic>;

    /// Forgets an object.
    fn unload(&mut self, object: usize);

    /// The time since the search began.
    fn elapsed(&self) -> Duration;

    /// Whether the user asked for the end: no more schedules are looked at, and what was found is kept.
    fn is_interrupted(&self) -> bool {
        false
    }
}
