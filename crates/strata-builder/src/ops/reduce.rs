//! Map and reduce.

use strata_ir as ir;
use strata_ir::stablehlo;

use crate::{
    Builder, Computation,
    error::{Result, Site},
    graph::Results,
    op::{Node, Op},
    operand::Operand,
    shape::Shape,
};

impl Op {
    /// Combines the elements along dimensions by a computation `T, T -> T`, starting from `init_value`.
    ///
    /// # Errors
    /// For dimensions out of range or given twice, and a computation or initial value of another type.
    #[track_caller]
    pub fn reduce(
        &self,
        init_value: impl Operand,
        computation: &Computation,
        dimensions_to_reduce: &[i64],
    ) -> Result<Op> {
        let site = Site::new("Reduce");
        let init = self.beside(site, init_value)?;
        self.builder().reduced(
            site,
            std::slice::from_ref(self),
            &[init],
            computation,
            dimensions_to_reduce,
        )
    }

    /// As [`Op::reduce`], along all dimensions: a scalar.
    ///
    /// # Errors
    /// As [`Op::reduce`].
    #[track_caller]
    pub fn reduce_all(&self, init_value: impl Operand, computation: &Computation) -> Result<Op> {
        let site = Site::new("ReduceAll");
        let init = self.beside(site, init_value)?;
        let all: Vec<i64> = (0..self.array_at(site)?.rank() as i64).collect();
        self.builder().reduced(site, std::slice::from_ref(self), &[init], computation, &all)
    }
}

impl Builder {
    /// Several arrays of the same dimensions reduced together by a computation
    /// `T_0, …, T_{N-1}, T_0, …, T_{N-1} -> (T_0, …, T_{N-1})`: a tuple, or for one array that array. The running values
    /// are the first parameters.
    ///
    /// # Errors
    /// As [`Op::reduce`], and for arrays of different dimensions or none at all.
    #[track_caller]
    pub fn reduce(
        &self,
        operands: &[Op],
        init_values: &[Op],
        computation: &Computation,
        dimensions_to_reduce: &[i64],
    ) -> Result<Op> {
        self.reduced(Site::new("Reduce"), operands, init_values, computation, dimensions_to_reduce)
    }

    fn reduced(
        &self,
        site: Site,
        operands: &[Op],
        init_values: &[Op],
        computation: &Computation,
        dimensions: &[i64],
    ) -> Result<Op> {
        let graph = &self.graph;
        reducer_inputs(site, operands, init_values)?;
        let mut values = graph.values(site, operands)?;
        values.extend(graph.values(site, init_values)?);
        computation.expect_scalars(site, 2 * operands.len())?;
        let region = graph.region(site, computation, &[]);
        let dimensions = ir::i64s(graph.context(), dimensions);
        graph.emit_many(site, stablehlo::REDUCE, Results::Inferred, |op| {
            op.operands(&values).attr("dimensions", dimensions).region(region)
        })
    }

    /// Applies a computation of scalars to the elements at each index: `computation(elem_0, …, elem_{N-1}, static…)`.
    /// `dimensions` are all dimensions in order; none is the same.
    ///
    /// # Errors
    /// For arrays of different dimensions, other lists of dimensions, and a computation of other parameters.
    #[track_caller]
    pub fn map(
        &self,
        operands: &[Op],
        computation: &Computation,
        dimensions: &[i64],
        static_operands: &[Op],
    ) -> Result<Op> {
        let site = Site::new("Map");
        let graph = &self.graph;
        let Some(first) = operands.first() else {
            return Err(site.error("at least one operand is expected, found none"));
        };
        let values = graph.values(site, operands)?;
        let rank = first.array_at(site)?.rank() as i64;
        let all: Vec<i64> = (0..rank).collect();
        if !dimensions.is_empty() && dimensions != all {
            return Err(site.error(format!(
                "dimensions are all of the operands' in order, found {dimensions:?} of {rank}"
            )));
        }
        let parameters = computation.parameters();
        if parameters.len() != operands.len() + static_operands.len() {
            return Err(site.error(format!(
                "the computation takes one parameter for each operand, found {} for {} arrays and {} static operands",
                parameters.len(),
                operands.len(),
                static_operands.len()
            )));
        }
        computation.expect_array_result(site)?;
        let mut captured = Vec::new();
        for (given, (name, wanted)) in static_operands.iter().zip(&parameters[operands.len()..]) {
            let shape = given.shape_at(site)?;
            if shape != *wanted {
                return Err(site.error(format!(
                    "parameter `{name}` is {wanted}, the static operand is {shape}"
                )));
            }
            captured.extend(graph.leaves(site, given)?);
        }
        let region = graph.region(site, computation, &captured);
        let dimensions = ir::i64s(graph.context(), &all);
        graph.emit_op(site, stablehlo::MAP, Results::Inferred, |op| {
            op.operands(&values).attr("dimensions", dimensions).region(region)
        })
    }
}

/// As many initial values as operands, at least one, all of them arrays.
pub(super) fn reducer_inputs(site: Site, operands: &[Op], init_values: &[Op]) -> Result<()> {
    if operands.is_empty() {
        return Err(site.error("at least one operand is expected, found none"));
    }
    if operands.len() != init_values.len() {
        return Err(site.error(format!(
            "one initial value is expected for each operand, found {} for {}",
            init_values.len(),
            operands.len()
        )));
    }
    for op in operands.iter().chain(init_values) {
        if !matches!(op.node, Node::Failed(_)) {
            op.array_at(site)?;
        }
    }
    Ok(())
}

impl Computation {
    /// The computation takes that many arrays.
    pub(crate) fn expect_scalars(&self, site: Site, count: usize) -> Result<()> {
        let is_scalar = |shape: &Shape| shape.as_array().is_some_and(|array| array.rank() == 0);
        let parameters = self.parameters();
        if parameters.len() == count && parameters.iter().all(|(_, shape)| is_scalar(shape)) {
            return Ok(());
        }
        Err(site.error(format!(
            "the computation takes {count} scalars, found `{}` of type {}",
            self.name(),
            self.signature()
        )))
    }

    /// The computation returns one array.
    pub(crate) fn expect_array_result(&self, site: Site) -> Result<()> {
        if self.result().as_array().is_some() {
            return Ok(());
        }
        Err(site.error(format!(
            "the computation returns one array, found `{}` of type {}",
            self.name(),
            self.signature()
        )))
    }
}
