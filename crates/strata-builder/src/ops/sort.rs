//! Sorting, and the largest or smallest elements.

use strata_ir as ir;
use strata_ir::{chlo, stablehlo};

use crate::{
    Builder, Computation,
    error::{Result, Site},
    graph::Results,
    op::Op,
    shape::Shape,
};

impl Op {
    /// Sorts elements along `dimension`, by default the last, by a computation `T, T -> PRED` that returns whether its
    /// first parameter comes before its second. With `is_stable` equal elements keep their order.
    ///
    /// # Errors
    /// For a dimension that is not there, and a comparator of another type.
    #[track_caller]
    pub fn sort(
        &self,
        comparator: &Computation,
        dimension: impl Into<Option<i64>>,
        is_stable: bool,
    ) -> Result<Op> {
        let operands = std::slice::from_ref(self);
        self.builder().sorted(Site::new("Sort"), operands, comparator, dimension.into(), is_stable)
    }

    /// The elements in ascending order along the last dimension, floats by their total order: XLA's oldest
    /// `Sort(operand)`.
    ///
    /// # Errors
    /// For scalars, and complex elements, which have no order.
    #[track_caller]
    pub fn sort_ascending(&self) -> Result<Op> {
        let site = Site::new("Sort");
        let comparator = Computation::ascending(self.array_at(site)?.element, &[])?;
        self.builder().sorted(site, std::slice::from_ref(self), &comparator, None, false)
    }

    /// The `k` largest, or smallest, elements along the last dimension, in order, and their indices: a tuple. Of equal
    /// ones that with the lower index comes first.
    ///
    /// # Errors
    /// For a scalar, a negative `k`, and one larger than the last dimension.
    #[track_caller]
    pub fn top_k(&self, k: i64, largest: bool) -> Result<Op> {
        let site = Site::new("TopK");
        let graph = &self.graph;
        let value = graph.value(site, self)?;
        let own = self.array_at(site)?;
        let Some(last) = own.dimensions.last().copied() else {
            return Err(site.error(format!("the operand has at least one dimension, found {own}")));
        };
        if !(0..=last).contains(&k) {
            return Err(site.error(format!(
                "k is from 0 to the size of the last dimension, {last}, found {k}"
            )));
        }
        if !largest {
            return self.smallest(site, k);
        }
        let k = ir::int(ir::integer(graph.context(), 64), k);
        graph.emit_many(site, chlo::TOP_K, Results::Inferred, |op| op.operand(value).attr("k", k))
    }

    /// All elements in ascending order with their indices, of which the first `k` are taken.
    fn smallest(&self, site: Site, k: i64) -> Result<Op> {
        let own = self.array_at(site)?;
        let last = own.rank() as i64 - 1;
        let builder = self.builder();
        let indices = builder.iota(&Shape::array(crate::S32, &own.dimensions), last)?;
        let comparator = Computation::ascending(own.element, &[crate::S32])?;
        let both = [self.clone(), indices];
        let sorted =
            builder.sorted(site, &both, &comparator, Some(last), true)?.tuple_elements()?;
        let first = |op: &Op| op.slice_in_dim(0, k, 1, last);
        builder.tuple(&sorted.iter().map(first).collect::<Result<Vec<_>>>()?)
    }
}

impl Builder {
    /// Arrays of the same dimensions sorted together, as [`Op::sort`] sorts one: a tuple. The comparator takes a pair of
    /// elements of each array: `T_0, T_0, T_1, T_1, …`.
    ///
    /// # Errors
    /// As [`Op::sort`], and for arrays of different dimensions or none at all.
    #[track_caller]
    pub fn sort(
        &self,
        operands: &[Op],
        comparator: &Computation,
        dimension: impl Into<Option<i64>>,
        is_stable: bool,
    ) -> Result<Op> {
        self.sorted(Site::new("Sort"), operands, comparator, dimension.into(), is_stable)
    }

    fn sorted(
        &self,
        site: Site,
        operands: &[Op],
        comparator: &Computation,
        dimension: Option<i64>,
        is_stable: bool,
    ) -> Result<Op> {
        let graph = &self.graph;
        let Some(first) = operands.first() else {
            return Err(site.error("at least one operand is expected, found none"));
        };
        let values = graph.values(site, operands)?;
        let rank = first.array_at(site)?.rank() as i64;
        let dimension = dimension.unwrap_or(-1);
        if rank == 0 {
            return Err(site.error("a scalar has no dimension to sort along"));
        }
        if !(-1..rank).contains(&dimension) {
            return Err(site.error(format!("dimension {dimension} is not one of {rank}")));
        }
        let dimension = if dimension == -1 { rank - 1 } else { dimension };
        comparator.expect_scalars(site, 2 * operands.len())?;
        if *comparator.result() != Shape::scalar(crate::PRED) {
            return Err(
                site.error(format!("the comparator returns pred[], found {}", comparator.result()))
            );
        }
        let region = graph.region(site, comparator, &[]);
        let context = graph.context();
        let dimension = ir::int(ir::integer(context, 64), dimension);
        graph.emit_many(site, stablehlo::SORT, Results::Inferred, |op| {
            op.operands(&values)
                .attr("dimension", dimension)
                .attr("is_stable", ir::boolean(context, is_stable))
                .region(region)
        })
    }
}
