//! Kernels that are an extremum with its place, whose loops no sequence makes.

use strata_ir::{Module, Op, TypeExt as _, Value, module_op, scf, unit};
use strata_remarks::Attempt;

use super::{Kernel, computes::shown, generics};
use crate::{
    extrema::{self, Along, Extremum, Limits},
    limits::{Need, facts::Fact},
    steps::Scheduler,
    transform::{failure::Failure, tags},
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
        let (loops, computes) = shown(std::slice::from_ref(&found.nest), target, false);
        let kernel = |attempt| Kernel { loops, computes, ..Kernel::left_alone(vec![attempt]) };
        let declined =
            |schedule: String, reason: String| Attempt { schedule, declined: Some(reason) };
        let arguments = found.nest.op.parent().map_or_else(Vec::new, |func| func.body(0).args());
        let ends_within = |(argument, fact): (Value<'c>, &Option<Fact>)| {
            fact.as_ref().is_some_and(|fact| fact.ends_along(argument.ty().rank()))
        };
        let limits = Limits {
            results: needs.iter().flatten().any(|need| matches!(need, Need::Below(_))),
            inputs: facts.iter().flatten().any(Fact::has_bounds),
            columns: arguments.into_iter().zip(facts).any(ends_within),
        };
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
        if plan.is_limited && matches!(plan.along, Along::Row(_)) {
            // Loops that carry vectors are over them; none is written for what they leave at a size of a call.
            let carries = |op: Op<'c>| op.result_types().iter().any(|ty| ty.is_vector_type());
            for each in module_op(&module).collect(|op| op.is(scf::FOR) && carries(op)) {
                each.set_attr(tags::AGAIN, unit(self.context));
            }
        }
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
