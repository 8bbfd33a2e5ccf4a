//! Kernels that are an extremum with its place, whose loops no sequence makes.

use strata_ir::{Module, Op, remarks::Attempt};

use super::{Kernel, computes::shown, generics};
use crate::{
    extrema::{self, Extremum},
    limits::{Need, facts::Fact},
    steps::Scheduler,
    transform::failure::Failure,
};

/// The extremum that is all that a function computes.
pub(super) fn only(func: Op<'_>) -> Option<Extremum<'_>> {
    let mut nests = generics(func);
    let (Some(only), None) = (nests.next(), nests.next()) else { return None };
    Extremum::of(&only)
}

impl<'c> Scheduler<'c, '_> {
    /// Writes the loops of an extremum and its place, which is all that a kernel does.
    pub(super) fn extremum(
        &mut self,
        module: Module<'c>,
        found: &Extremum<'c>,
        (needs, facts): (&[Vec<Need>], &[Option<Fact>]),
    ) -> Kernel<'c> {
        let target = &self.options.target;
        let (loops, computes) = shown(std::slice::from_ref(&found.nest), target);
        let kernel = |attempt| Kernel { loops, computes, ..Kernel::left_alone(vec![attempt]) };
        let declined =
            |schedule: String, reason: String| Attempt { schedule, declined: Some(reason) };
        let limits = [
            needs.iter().flatten().any(|need| matches!(need, Need::Below(_))),
            facts.iter().flatten().any(Fact::has_bounds),
        ];
        let plan = match extrema::Plan::of(found, target, limits) {
            Ok(plan) => plan,
            Err(reason) => return kernel(declined("extremum".to_owned(), reason.to_owned())),
        };
        let (name, number) = (plan.to_string(), self.extrema);
        self.extrema += 1;
        let Some(func) = found.nest.op.parent() else {
            return kernel(declined(name, String::new()));
        };
        let done = extrema::emit(self.context, found, &plan)
            .ok_or_else(|| Failure::Result("an operand has no vectors".to_owned()))
            .and_then(|()| self.finished(&module, func));
        match done {
            Ok(()) => Kernel {
                module: Some(module),
                name: name.clone(),
                sequence: Some(format!("extremum{number}")),
                ..kernel(Attempt { schedule: name, declined: None })
            },
            Err(failure) => kernel(declined(name, failure.text())),
        }
    }
}
