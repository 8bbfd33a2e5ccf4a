//! Gather and scatter.

use strata_ir as ir;
use strata_ir::stablehlo;

use crate::{
    Builder, Computation,
    error::{Result, Site},
    graph::Results,
    op::Op,
    operand::Operand,
};

/// How the indices and slices of a gather map to dimensions.
pub use strata_ir::GatherDimensionNumbers;
/// How the indices and windows of a scatter map to dimensions.
pub use strata_ir::ScatterDimensionNumbers;

/// Guarantees by the caller of a scatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScatterOptions {
    /// The indices are in ascending order.
    pub indices_are_sorted: bool,
    /// No index occurs twice.
    pub unique_indices: bool,
}

impl Op {
    /// Slices of the sizes `slice_sizes`, each at a start in `start_indices`.
    ///
    /// # Errors
    /// For dimension numbers and sizes that do not fit the operand and the indices.
    #[track_caller]
    pub fn gather(
        &self,
        start_indices: impl Operand,
        dimension_numbers: &GatherDimensionNumbers,
        slice_sizes: &[i64],
        indices_are_sorted: bool,
    ) -> Result<Op> {
        let site = Site::new("Gather");
        let graph = &self.graph;
        let indices = self.beside(site, start_indices)?;
        let operands = graph.values(site, &[self.clone(), indices.clone()])?;
        indices.array_at(site)?;
        let context = graph.context();
        let numbers = graph.made(|context| dimension_numbers.to_attribute(context));
        let numbers = numbers.ok_or_else(|| site.error("the dimension numbers are invalid"))?;
        graph.emit_op(site, stablehlo::GATHER, Results::Inferred, |op| {
            op.operands(&operands)
                .attr("dimension_numbers", numbers)
                .attr("slice_sizes", ir::i64s(context, slice_sizes))
                .attr("indices_are_sorted", ir::boolean(context, indices_are_sorted))
        })
    }

    /// Combines the windows of `updates` into the array at `scatter_indices`, by a computation `T, T -> T` whose first
    /// parameter is the present element.
    ///
    /// # Errors
    /// For dimension numbers that do not fit, and a computation of another type.
    #[track_caller]
    pub fn scatter(
        &self,
        scatter_indices: impl Operand,
        updates: impl Operand,
        update_computation: &Computation,
        dimension_numbers: &ScatterDimensionNumbers,
        options: ScatterOptions,
    ) -> Result<Op> {
        let site = Site::new("Scatter");
        let (indices, updates) = (self.beside(site, scatter_indices)?, self.beside(site, updates)?);
        let operands = std::slice::from_ref(self);
        self.builder().scattered(
            site,
            operands,
            &indices,
            &[updates],
            update_computation,
            dimension_numbers,
            options,
        )
    }
}

impl Builder {
    /// Several arrays of the same dimensions, each with updates of its own, as [`Op::scatter`] does with one: a tuple.
    ///
    /// # Errors
    /// As [`Op::scatter`], and for arrays of different dimensions or none at all.
    #[track_caller]
    pub fn scatter(
        &self,
        operands: &[Op],
        scatter_indices: &Op,
        updates: &[Op],
        update_computation: &Computation,
        dimension_numbers: &ScatterDimensionNumbers,
        options: ScatterOptions,
    ) -> Result<Op> {
        let site = Site::new("Scatter");
        self.scattered(
            site,
            operands,
            scatter_indices,
            updates,
            update_computation,
            dimension_numbers,
            options,
        )
    }

    #[allow(clippy::too_many_arguments)] // the documents' list
    fn scattered(
        &self,
        site: Site,
        operands: &[Op],
        indices: &Op,
        updates: &[Op],
        computation: &Computation,
        numbers: &ScatterDimensionNumbers,
        options: ScatterOptions,
    ) -> Result<Op> {
        let graph = &self.graph;
        if operands.is_empty() || operands.len() != updates.len() {
            return Err(site.error(format!(
                "at least one operand and as many updates are expected, found {} and {}",
                operands.len(),
                updates.len()
            )));
        }
        let mut values = graph.values(site, operands)?;
        values.push(graph.value(site, indices)?);
        values.extend(graph.values(site, updates)?);
        for one in operands.iter().chain(updates).chain([indices]) {
            one.array_at(site)?;
        }
        computation.expect_scalars(site, 2 * operands.len())?;
        let context = graph.context();
        let attribute = graph.made(|context| numbers.to_attribute(context));
        let attribute = attribute.ok_or_else(|| site.error("the dimension numbers are invalid"))?;
        let region = graph.region(site, computation, &[]);
        graph.emit_many(site, stablehlo::SCATTER, Results::Inferred, |op| {
            op.operands(&values)
                .attr("scatter_dimension_numbers", attribute)
                .attr("indices_are_sorted", ir::boolean(context, options.indices_are_sorted))
                .attr("unique_indices", ir::boolean(context, options.unique_indices))
                .region(region)
        })
    }
}
