//! Loops, branches and calls.

use strata_ir as ir;
use strata_ir::{OpName, func, stablehlo};

use crate::{
    Builder, Computation,
    error::{Result, Site},
    graph::Results,
    op::Op,
    shape::{ArrayShape, Shape},
};

impl Builder {
    /// Applies `body` to `init` repeatedly while `condition` holds: XLA's `While`. `condition` is a computation
    /// `T -> PRED`, `body` one `T -> T`; a tuple `T` may also be taken by one parameter for each element.
    ///
    /// # Errors
    /// For computations of other types, and a condition that is not a scalar boolean.
    #[track_caller]
    pub fn while_loop(&self, condition: &Computation, body: &Computation, init: &Op) -> Result<Op> {
        let site = Site::new("While");
        let graph = &self.graph;
        let values = graph.leaves(site, init)?;
        let state = init.shape_at(site)?;
        takes(site, condition, &state, "condition")?;
        takes(site, body, &state, "body")?;
        if *condition.result() != Shape::scalar(crate::PRED) {
            return Err(
                site.error(format!("the condition returns pred[], found {}", condition.result()))
            );
        }
        if *body.result() != state {
            return Err(site.error(format!(
                "the body returns its parameter's shape {state}, found {}",
                body.result()
            )));
        }
        let regions = [graph.region(site, condition, &[]), graph.region(site, body, &[])];
        let loop_op = graph.emit(site, stablehlo::WHILE, Results::Inferred, |op| {
            let op = op.operands(&values);
            regions.into_iter().fold(op, |op, region| op.region(region))
        })?;
        graph
            .gathered(&state, &mut loop_op.results().into_iter())
            .ok_or_else(|| site.error("the loop has no result"))
    }

    /// `true_computation` of `true_operand` if the scalar `predicate` holds, else `false_computation` of
    /// `false_operand`. Only one of them runs.
    ///
    /// # Errors
    /// For a predicate that is not a scalar boolean, and computations that do not take the operands or return different
    /// results.
    #[track_caller]
    pub fn conditional(
        &self,
        predicate: &Op,
        true_operand: &Op,
        true_computation: &Computation,
        false_operand: &Op,
        false_computation: &Computation,
    ) -> Result<Op> {
        let site = Site::new("Conditional");
        let branches = [(true_computation, true_operand), (false_computation, false_operand)];
        self.branched(site, predicate, stablehlo::IF, &ArrayShape::new(crate::PRED, []), &branches)
    }

    /// `branch_computations[branch_index]` of its operand. An index out of range selects the last one. Only
    /// one of them runs.
    ///
    /// # Errors
    /// For an index that is not a scalar of `S32`, no branch at all, and computations that do not take the operands or
    /// return different results.
    #[track_caller]
    pub fn conditional_indexed(
        &self,
        branch_index: &Op,
        branch_computations: &[Computation],
        branch_operands: &[Op],
    ) -> Result<Op> {
        let site = Site::new("Conditional");
        if branch_computations.len() != branch_operands.len() {
            return Err(site.error(format!(
                "one operand is expected for each branch, found {} for {}",
                branch_operands.len(),
                branch_computations.len()
            )));
        }
        let branches: Vec<_> = branch_computations.iter().zip(branch_operands).collect();
        self.branched(
            site,
            branch_index,
            stablehlo::CASE,
            &ArrayShape::new(crate::S32, []),
            &branches,
        )
    }

    fn branched(
        &self,
        site: Site,
        index: &Op,
        name: OpName<'static>,
        wanted: &ArrayShape,
        branches: &[(&Computation, &Op)],
    ) -> Result<Op> {
        let graph = &self.graph;
        let value = graph.value(site, index)?;
        let shape = index.array_at(site)?;
        if shape != *wanted {
            return Err(site.error(format!("the branch is chosen by {wanted}, found {shape}")));
        }
        let Some(((first, _), rest)) = branches.split_first() else {
            return Err(site.error("at least one branch is expected, found none"));
        };
        if let Some((other, _)) = rest.iter().find(|(one, _)| one.result() != first.result()) {
            return Err(site.error(format!(
                "all branches return the same shape, found {} and {}",
                first.result(),
                other.result()
            )));
        }
        let mut regions = Vec::with_capacity(branches.len());
        for (computation, operand) in branches {
            let captured = graph.leaves(site, operand)?;
            takes(site, computation, &operand.shape_at(site)?, "branch")?;
            regions.push(graph.region(site, computation, &captured));
        }
        let branch = graph.emit(site, name, Results::Inferred, |op| {
            regions.into_iter().fold(op.operand(value), |op, region| op.region(region))
        })?;
        graph
            .gathered(first.result(), &mut branch.results().into_iter())
            .ok_or_else(|| site.error("the branches have no result"))
    }

    /// Calls a computation with the operands, one for each of its parameters.
    ///
    /// # Errors
    /// For operands of another number or other shapes.
    #[track_caller]
    pub fn call(&self, computation: &Computation, operands: &[Op]) -> Result<Op> {
        self.called(Site::new("Call"), computation, operands)
    }

    pub(super) fn called(
        &self,
        site: Site,
        computation: &Computation,
        operands: &[Op],
    ) -> Result<Op> {
        let graph = &self.graph;
        let values = self.arguments(site, computation, operands)?;
        let types = graph.types_of(site, computation.result())?;
        let symbol = ir::symbol(graph.context(), &graph.symbol(computation));
        let call = graph.emit(site, func::CALL, Results::Given(types), |op| {
            op.operands(&values).attr("callee", symbol)
        })?;
        graph
            .gathered(computation.result(), &mut call.results().into_iter())
            .ok_or_else(|| site.error("the computation has no result"))
    }

    /// The leaves of the operands, which are those of the computation's parameters.
    pub(super) fn arguments(
        &self,
        site: Site,
        computation: &Computation,
        operands: &[Op],
    ) -> Result<Vec<ir::Value<'static>>> {
        let parameters = computation.parameters();
        if parameters.len() != operands.len() {
            return Err(site.error(format!(
                "`{}` takes {} operands, {} are given",
                computation.name(),
                parameters.len(),
                operands.len()
            )));
        }
        let mut values = Vec::new();
        for (operand, (name, wanted)) in operands.iter().zip(parameters) {
            values.extend(self.graph.leaves(site, operand)?);
            let shape = operand.shape_at(site)?;
            if shape != *wanted {
                return Err(site.error(format!(
                    "parameter `{name}` of `{}` is {wanted}, the operand is {shape}",
                    computation.name()
                )));
            }
        }
        Ok(values)
    }
}

/// The computation takes one value of that shape, or its elements.
fn takes(site: Site, computation: &Computation, shape: &Shape, what: &str) -> Result<()> {
    let parameters = computation.parameters();
    let whole = matches!(parameters, [(_, only)] if only == shape);
    let parts = matches!(shape, Shape::Tuple(elements)
        if elements.len() == parameters.len()
            && elements.iter().zip(parameters).all(|(element, (_, own))| element == own));
    if whole || parts {
        return Ok(());
    }
    Err(site.error(format!(
        "the {what} takes {shape}, found `{}` of type {}",
        computation.name(),
        computation.signature()
    )))
}
