//! Steps of stages, as rows of a table.

/// A step of a stage, run by an `R`.
pub struct Step<R> {
    /// Its name, also in the names of dumps.
    pub name: &'static str,
    /// The reason for its position.
    pub because: &'static str,
    /// What it preserves.
    pub keeps: &'static str,
    /// Whether it preserves every bit of the results.
    pub is_exact: bool,
    /// Runs it.
    pub run: R,
}

/// The facts about a step of any stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepInfo {
    /// Its name, also in the names of dumps.
    pub name: &'static str,
    /// The reason for its position.
    pub because: &'static str,
    /// What it preserves.
    pub keeps: &'static str,
    /// Whether it preserves every bit of the results.
    pub is_exact: bool,
}

impl<R> Step<R> {
    /// The facts about it.
    pub fn info(&self) -> StepInfo {
        let Self { name, because, keeps, is_exact, .. } = *self;
        StepInfo { name, because, keeps, is_exact }
    }
}
