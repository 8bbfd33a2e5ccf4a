//! Dynamic sizes. The compiler rejects programs that need them.

use crate::{
    element::{ElementType, S32},
    error::{Result, Site},
    graph::Results,
    op::Op,
    shape::{ArrayShape, Shape},
};
use strata_ir::stablehlo;

impl Op {
    /// The size of a dimension, of `S32`.
    ///
    /// # Errors
    /// For a dimension that is not there.
    #[track_caller]
    pub fn get_dimension_size(&self, dimension: i64) -> Result<Op> {
        let site = Site::new("GetDimensionSize");
        let value = self.graph.value(site, self)?;
        let dimension = self.builder().i64_attribute(dimension);
        self.graph.emit_op(site, stablehlo::GET_DIMENSION_SIZE, Results::Inferred, |op| {
            op.operand(value).attr("dimension", dimension)
        })
    }

    /// The array with the dynamic size `size`, a scalar of `S32`, for `dimension`, bounded by its present size.
    /// Elements beyond are ignored by reductions.
    ///
    /// # Errors
    /// For a dimension that is not there, and a size that is not a scalar of `S32`.
    #[track_caller]
    pub fn set_dimension_size(&self, size: &Op, dimension: i64) -> Result<Op> {
        let site = Site::new("SetDimensionSize");
        let own = size.array_at(site)?;
        if own != ArrayShape::new(S32, []) {
            return Err(site.error(format!("the size is s32[], found {own}")));
        }
        let operands = self.graph.values(site, &[self.clone(), size.clone()])?;
        self.array_at(site)?;
        let dimension = self.builder().i64_attribute(dimension);
        self.graph.emit_op(site, stablehlo::SET_DIMENSION_SIZE, Results::Inferred, |op| {
            op.operands(&operands).attr("dimension", dimension)
        })
    }

    /// The same elements in a shape with the computed sizes `dim_sizes`, each at most `new_size_bounds`; dimensions
    /// without `dims_are_dynamic` have their bound.
    ///
    /// # Errors
    /// For lists of different lengths, and sizes that are not integer scalars.
    #[track_caller]
    pub fn dynamic_reshape(
        &self,
        dim_sizes: &[Op],
        new_size_bounds: &[i64],
        dims_are_dynamic: &[bool],
    ) -> Result<Op> {
        let site = Site::new("DynamicReshape");
        let graph = &self.graph;
        let value = graph.value(site, self)?;
        if dim_sizes.len() != new_size_bounds.len() || dim_sizes.len() != dims_are_dynamic.len() {
            return Err(site.error(format!(
                "there is one bound and one flag for each size, found {} sizes, {} bounds and {} flags",
                dim_sizes.len(),
                new_size_bounds.len(),
                dims_are_dynamic.len()
            )));
        }
        let mut parts = Vec::with_capacity(dim_sizes.len());
        for size in dim_sizes {
            let own = size.array_at(site)?;
            if own.rank() > 0
                || !matches!(own.element, ElementType::Signed(_) | ElementType::Unsigned(_))
            {
                return Err(site.error(format!("the sizes are integer scalars, found {own}")));
            }
            parts.push(size.reshape(&[1])?);
        }
        let sizes = if parts.is_empty() {
            self.builder().constant(crate::Literal::from(Vec::<i32>::new()))
        } else {
            self.builder().concat_in_dim(&parts, 0)?
        };
        let sizes = graph.value(site, &sizes)?;
        let shape = ArrayShape {
            element: self.array_at(site)?.element,
            dimensions: new_size_bounds.to_vec(),
            is_dynamic: dims_are_dynamic.to_vec(),
        };
        let ty = graph.type_of(site, &Shape::Array(shape))?;
        graph.emit_op(site, stablehlo::DYNAMIC_RESHAPE, Results::Given(vec![ty]), |op| {
            op.operand(value).operand(sizes)
        })
    }
}
