//! Steps of stages, as rows of a table.

/// A step of a stage, run by an `R`.
pub struct Step<R> {
    /// What it is called, in the names of dumps too.
    pub name: &'static str,
    /// Why it stands where it does.
    pub because: &'static str,
    /// What holds after it as before it.
    pub keeps: &'static str,
    /// Whether every result has the same bits after it as before it.
    pub is_exact: bool,
    /// Does it.
    pub run: R,
}

/// What is known of a step, whatever stage it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepInfo {
    /// What it is called, in the names of dumps too.
    pub name: &'static str,
    /// Why it stands where it does.
    pub because: &'static str,
    /// What holds after it as before it.
    pub keeps: &'static str,
    /// Whether every result has the same bits after it as before it.
    pub is_exact: bool,
}

impl<R> Step<R> {
    /// What is known of it.
    pub fn info(&self) -> StepInfo {
        let Self { name, because, keeps, is_exact, .. } = *self;
        StepInfo { name, because, keeps, is_exact }
    }
}
