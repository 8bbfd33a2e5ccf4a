//! Operations that move elements.

use strata_ir as ir;
use strata_ir::stablehlo;

use crate::{
    Builder,
    element::ElementType,
    error::{Result, Site},
    graph::Results,
    op::Op,
    operand::Operand,
    shape::{ArrayShape, Shape},
};

/// How much a dimension is padded: `PaddingConfigDimension`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaddingDimension {
    /// Elements added before index 0; a negative number takes elements away.
    pub edge_padding_low: i64,
    /// Elements added after the highest index; a negative number takes elements away.
    pub edge_padding_high: i64,
    /// Elements added between any two.
    pub interior_padding: i64,
}

impl PaddingDimension {
    /// The size of a padded dimension, if valid.
    fn padded(self, size: i64) -> i128 {
        let (size, interior) = (i128::from(size), i128::from(self.interior_padding));
        let edges = i128::from(self.edge_padding_low) + i128::from(self.edge_padding_high);
        edges + size + (size - 1).max(0) * interior
    }
}

impl From<(i64, i64, i64)> for PaddingDimension {
    fn from((edge_padding_low, edge_padding_high, interior_padding): (i64, i64, i64)) -> Self {
        Self { edge_padding_low, edge_padding_high, interior_padding }
    }
}

impl Op {
    /// The array with new leading dimensions of these sizes, its elements repeated.
    ///
    /// # Errors
    /// For negative sizes, and more elements than memory holds.
    #[track_caller]
    pub fn broadcast(&self, broadcast_sizes: &[i64]) -> Result<Op> {
        let site = Site::new("Broadcast");
        let value = self.graph.value(site, self)?;
        let mut shape = self.array_at(site)?;
        let rank = shape.rank();
        shape.dimensions.splice(0..0, broadcast_sizes.iter().copied());
        shape.is_dynamic.splice(0..0, vec![false; broadcast_sizes.len()]);
        self.graph.type_of(site, &Shape::Array(shape.clone()))?;
        if rank + broadcast_sizes.len() == rank {
            return Ok(self.clone());
        }
        let sizes = ir::i64s(self.graph.context(), broadcast_sizes);
        self.graph.emit_op(site, stablehlo::BROADCAST, Results::Inferred, |op| {
            op.operand(value).attr("broadcast_sizes", sizes)
        })
    }

    /// The array in a shape of the sizes `out_dim_size`: dimension `i` becomes dimension `broadcast_dimensions[i]`,
    /// whose size it has or to which it is repeated from 1. Other dimensions are repetitions.
    ///
    /// # Errors
    /// For dimensions out of range or given twice, and sizes that are neither equal nor 1.
    #[track_caller]
    pub fn broadcast_in_dim(
        &self,
        out_dim_size: &[i64],
        broadcast_dimensions: &[i64],
    ) -> Result<Op> {
        let site = Site::new("BroadcastInDim");
        let value = self.graph.value(site, self)?;
        let shape = ArrayShape::new(self.array_at(site)?.element, out_dim_size);
        let ty = self.graph.type_of(site, &Shape::Array(shape))?;
        let dims = ir::i64s(self.graph.context(), broadcast_dimensions);
        self.graph.emit_op(site, stablehlo::BROADCAST_IN_DIM, Results::Given(vec![ty]), |op| {
            op.operand(value).attr("broadcast_dimensions", dims)
        })
    }

    /// The same elements in row-major order under other dimensions.
    ///
    /// # Errors
    /// For another number of elements.
    #[track_caller]
    pub fn reshape(&self, dimensions: &[i64]) -> Result<Op> {
        let site = Site::new("Reshape");
        let element = self.array_at(site)?.element;
        self.reshaped(site, &Shape::array(element, dimensions))
    }

    /// As [`Op::reshape`], to a shape of the same element type: XLA's explicit `Reshape(shape, operand)`.
    ///
    /// # Errors
    /// As [`Op::reshape`], and for another element type.
    #[track_caller]
    pub fn reshape_to(&self, shape: &Shape) -> Result<Op> {
        let site = Site::new("Reshape");
        let (own, other) = (self.array_at(site)?, shape.as_array().map(|array| array.element));
        if other != Some(own.element) {
            return Err(
                site.error(format!("a reshape keeps the element type, found {own} and {shape}"))
            );
        }
        self.reshaped(site, shape)
    }

    fn reshaped(&self, site: Site, shape: &Shape) -> Result<Op> {
        let value = self.graph.value(site, self)?;
        let ty = self.graph.type_of(site, shape)?;
        self.graph
            .emit_op(site, stablehlo::RESHAPE, Results::Given(vec![ty]), |op| op.operand(value))
    }

    /// As [`Op::reshape`], where `dimensions` is the order, from the slowest one on, in which the operand's dimensions
    /// are read: XLA's older `Reshape(operand, dimensions, new_sizes)`.
    ///
    /// # Errors
    /// As [`Op::reshape`], and for an order that lacks a dimension or names one twice.
    #[track_caller]
    pub fn reshape_in_order(&self, dimensions: &[i64], new_sizes: &[i64]) -> Result<Op> {
        let site = Site::new("Reshape");
        let ordered = self.transposed(site, dimensions)?;
        let own = ordered.array_at(site)?;
        ordered.reshaped(site, &Shape::array(own.element, new_sizes))
    }

    /// Collapses consecutive dimensions, in order, into one.
    ///
    /// # Errors
    /// For dimensions out of range, not in order or not consecutive.
    #[track_caller]
    pub fn collapse(&self, dimensions: &[i64]) -> Result<Op> {
        let site = Site::new("Collapse");
        let own = self.array_at(site)?;
        let Some((&first, rest)) = dimensions.split_first() else { return Ok(self.clone()) };
        if dimensions.windows(2).any(|pair| pair[1].checked_sub(pair[0]) != Some(1)) {
            return Err(site.error(format!(
                "dimensions are an in-order, consecutive subset of the operand's, found {dimensions:?}"
            )));
        }
        let (start, end) = (first, first.saturating_add(rest.len() as i64));
        let in_range = usize::try_from(start).is_ok_and(|_| end < own.rank() as i64);
        if !in_range {
            return Err(site.error(format!("dimensions {dimensions:?} are not all in {own}")));
        }
        let (start, end) = (start as usize, end as usize);
        let product = own.dimensions[start..=end]
            .iter()
            .try_fold(1_i64, |product, size| product.checked_mul(*size))
            .ok_or_else(|| site.error("the collapsed dimension is too large"))?;
        let mut sizes = own.dimensions.clone();
        sizes.splice(start..=end, [product]);
        self.reshaped(site, &Shape::array(own.element, sizes))
    }

    /// The dimensions in another order: dimension `i` of the result is dimension `permutation[i]` of the operand.
    ///
    /// # Errors
    /// For a permutation that lacks a dimension or names one twice.
    #[track_caller]
    pub fn transpose(&self, permutation: &[i64]) -> Result<Op> {
        self.transposed(Site::new("Transpose"), permutation)
    }

    fn transposed(&self, site: Site, permutation: &[i64]) -> Result<Op> {
        let value = self.graph.value(site, self)?;
        let dims = ir::i64s(self.graph.context(), permutation);
        self.graph.emit_op(site, stablehlo::TRANSPOSE, Results::Inferred, |op| {
            op.operand(value).attr("permutation", dims)
        })
    }

    /// The elements in reverse order along dimensions.
    ///
    /// # Errors
    /// For dimensions that are not there or come twice.
    #[track_caller]
    pub fn rev(&self, dimensions: &[i64]) -> Result<Op> {
        let site = Site::new("Rev");
        let value = self.graph.value(site, self)?;
        let dims = ir::i64s(self.graph.context(), dimensions);
        self.graph.emit_op(site, stablehlo::REVERSE, Results::Inferred, |op| {
            op.operand(value).attr("dimensions", dims)
        })
    }

    /// Every `strides[d]`-th element from `start_indices[d]` up to `limit_indices[d]`, exclusively, of each dimension
    /// `d`. Empty strides mean 1.
    ///
    /// # Errors
    /// For lists of another length than there are dimensions, and for indices outside of them.
    #[track_caller]
    pub fn slice(
        &self,
        start_indices: &[i64],
        limit_indices: &[i64],
        strides: &[i64],
    ) -> Result<Op> {
        self.sliced(Site::new("Slice"), start_indices, limit_indices, strides)
    }

    fn sliced(&self, site: Site, starts: &[i64], limits: &[i64], strides: &[i64]) -> Result<Op> {
        let value = self.graph.value(site, self)?;
        let ones = vec![1; starts.len()];
        let strides = if strides.is_empty() { &ones } else { strides };
        let context = self.graph.context();
        self.graph.emit_op(site, stablehlo::SLICE, Results::Inferred, |op| {
            op.operand(value)
                .attr("start_indices", ir::i64s(context, starts))
                .attr("limit_indices", ir::i64s(context, limits))
                .attr("strides", ir::i64s(context, strides))
        })
    }

    /// As [`Op::slice`], along one dimension: XLA's `SliceInDim`.
    ///
    /// # Errors
    /// As [`Op::slice`], and for a dimension that is not there.
    #[track_caller]
    pub fn slice_in_dim(
        &self,
        start_index: i64,
        limit_index: i64,
        stride: i64,
        dimension: i64,
    ) -> Result<Op> {
        let site = Site::new("SliceInDim");
        let own = self.array_at(site)?;
        let at = usize::try_from(dimension).ok().filter(|at| *at < own.rank());
        let at = at.ok_or_else(|| site.error(format!("dimension {dimension} is not in {own}")))?;
        let (mut starts, mut limits) = (vec![0; own.rank()], own.dimensions);
        let mut strides = vec![1; starts.len()];
        (starts[at], limits[at], strides[at]) = (start_index, limit_index, stride);
        self.sliced(site, &starts, &limits, &strides)
    }

    /// A block of the sizes `slice_sizes` that begins at `start_indices`, scalars that are computed: one for each
    /// dimension. They are clamped so that the block is in bounds.
    ///
    /// # Errors
    /// For sizes larger than the operand's, and for a wrong number or type of start indices.
    #[track_caller]
    pub fn dynamic_slice(&self, start_indices: &[Op], slice_sizes: &[i64]) -> Result<Op> {
        let site = Site::new("DynamicSlice");
        let starts = self.starts(site, start_indices)?;
        let value = self.graph.value(site, self)?;
        let sizes = ir::i64s(self.graph.context(), slice_sizes);
        self.graph.emit_op(site, stablehlo::DYNAMIC_SLICE, Results::Inferred, |op| {
            op.operand(value).operands(&starts).attr("slice_sizes", sizes)
        })
    }

    /// The array with the block `update` written at `start_indices`, as [`Op::dynamic_slice`] takes them.
    ///
    /// # Errors
    /// For an update of another element type or larger than the operand, and as [`Op::dynamic_slice`].
    #[track_caller]
    pub fn dynamic_update_slice(&self, update: impl Operand, start_indices: &[Op]) -> Result<Op> {
        let site = Site::new("DynamicUpdateSlice");
        let update = self.beside(site, update)?;
        let starts = self.starts(site, start_indices)?;
        let operands = self.graph.values(site, &[self.clone(), update])?;
        self.graph.emit_op(site, stablehlo::DYNAMIC_UPDATE_SLICE, Results::Inferred, |op| {
            op.operands(&operands).operands(&starts)
        })
    }

    /// Start indices are scalars, one for each dimension; the first documents give them as one vector.
    fn starts(&self, site: Site, starts: &[Op]) -> Result<Vec<ir::Value<'static>>> {
        let values = self.graph.values(site, starts)?;
        let rank = self.array_at(site)?.rank();
        let [one] = starts else { return Ok(values) };
        let shape = one.array_at(site)?;
        if shape.rank() != 1 {
            return Ok(values);
        }
        if shape.dimensions != [rank as i64] {
            return Err(site.error(format!(
                "start_indices have one entry for each of the {rank} dimensions, found {shape}"
            )));
        }
        let part = |at: i64| {
            let one = one.sliced(site, &[at], &[at + 1], &[])?;
            let one = one.reshaped(site, &Shape::scalar(shape.element))?;
            self.graph.value(site, &one)
        };
        (0..rank as i64).map(part).collect()
    }

    /// The array with `padding_value` around it and between its elements. Padding at an edge may be negative, which
    /// removes elements after interior padding.
    ///
    /// # Errors
    /// For a padding value that is not a scalar of the element type, negative interior padding, and another number of
    /// entries than there are dimensions.
    #[track_caller]
    pub fn pad(
        &self,
        padding_value: impl Operand,
        padding_config: &[PaddingDimension],
    ) -> Result<Op> {
        let site = Site::new("Pad");
        let padding = self.beside(site, padding_value)?;
        let operands = self.graph.values(site, &[self.clone(), padding])?;
        let own = self.array_at(site)?;
        for (at, (size, padding)) in own.dimensions.iter().zip(padding_config).enumerate() {
            let padded = padding.padded(*size);
            if !own.is_dynamic[at] && padded > i64::MAX.into() {
                return Err(site.error(format!(
                    "dimension {at} of {own} becomes larger than 2^63 - 1: {padded}"
                )));
            }
        }
        let context = self.graph.context();
        let list = |field: fn(&PaddingDimension) -> i64| {
            ir::i64s(context, &padding_config.iter().map(field).collect::<Vec<_>>())
        };
        self.graph.emit_op(site, stablehlo::PAD, Results::Inferred, |op| {
            op.operands(&operands)
                .attr("edge_padding_low", list(|one| one.edge_padding_low))
                .attr("edge_padding_high", list(|one| one.edge_padding_high))
                .attr("interior_padding", list(|one| one.interior_padding))
        })
    }
}

impl Builder {
    /// Concatenates arrays along a dimension.
    ///
    /// # Errors
    /// For no array at all, scalars, a dimension out of range, and arrays that differ in another one.
    #[track_caller]
    pub fn concat_in_dim(&self, operands: &[Op], dimension: i64) -> Result<Op> {
        self.concatenated(Site::new("ConcatInDim"), operands, dimension)
    }

    /// As [`Builder::concat_in_dim`].
    ///
    /// # Errors
    /// As [`Builder::concat_in_dim`].
    #[track_caller]
    pub fn concatenate(&self, operands: &[Op], dimension: i64) -> Result<Op> {
        self.concatenated(Site::new("Concatenate"), operands, dimension)
    }

    fn concatenated(&self, site: Site, operands: &[Op], dimension: i64) -> Result<Op> {
        if operands.is_empty() {
            return Err(site.error("at least one operand is expected, found none"));
        }
        let values = self.graph.values(site, operands)?;
        for operand in operands {
            operand.array_at(site)?;
        }
        let context = self.graph.context();
        let dimension = ir::int(ir::integer(context, 64), dimension);
        self.graph.emit_op(site, stablehlo::CONCATENATE, Results::Inferred, |op| {
            op.operands(&values).attr("dimension", dimension)
        })
    }

    /// Numbers from 0 on along a dimension of that shape, the same along the others.
    ///
    /// # Errors
    /// For a dimension that is not there, and for booleans.
    #[track_caller]
    pub fn iota(&self, shape: &Shape, iota_dimension: i64) -> Result<Op> {
        let site = Site::new("Iota");
        let ty = self.graph.type_of(site, shape)?;
        let dimension = ir::int(ir::integer(self.graph.context(), 64), iota_dimension);
        self.graph.emit_op(site, stablehlo::IOTA, Results::Given(vec![ty]), |op| {
            op.attr("iota_dimension", dimension)
        })
    }

    /// The numbers from 0 to `size` - 1: XLA's one-dimensional `Iota(type, size)`.
    ///
    /// # Errors
    /// For a negative size, and for booleans.
    #[track_caller]
    pub fn iota_1d(&self, element: ElementType, size: i64) -> Result<Op> {
        self.iota(&Shape::array(element, [size]), 0)
    }
}
