//! Dots and convolutions: padding is zero along what they sum over.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, ConvDimensionNumbers, Op, OpKind, TypeExt as _,
    sizes::Size,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{FactorKind, rules};

use super::{Padded, Padding, extent::Extent, padded_type, windows::ints_or};
use crate::emit::Emit as _;

fn places(list: &[i64]) -> Vec<usize> {
    list.iter().map(|dim| usize::try_from(*dim).unwrap_or(usize::MAX)).collect()
}

impl<'c> Padding<'c> {
    pub fn dot(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let (mut lhs, mut rhs) = (self.padded(op.operand(0))?, self.padded(op.operand(1))?);
        let table = rules(op).map_err(|why| why.reason())?;
        let summed = |side: usize| -> Vec<usize> {
            let factors = table.factors().iter();
            let summed = factors.filter(|factor| factor.kind == FactorKind::Reduced);
            summed.filter_map(|factor| factor.operand(side)).collect()
        };
        let meet = |lhs: &Padded<'c>, rhs: &Padded<'c>| {
            let pairs = table.factors().iter();
            let mut pairs = pairs.filter_map(|factor| factor.operand(0).zip(factor.operand(1)));
            pairs.all(|(left, right)| lhs.dims[left] == rhs.dims[right])
        };
        if !meet(&lhs, &rhs) {
            (lhs, rhs) = (self.compact(builder, &lhs)?, self.compact(builder, &rhs)?);
            meet(&lhs, &rhs).or_decline("sizes of operands are not known to be equal")?;
        }
        // Both sides: what is not valid may be infinite.
        let values =
            [self.clean(builder, &lhs, &summed(0))?, self.clean(builder, &rhs, &summed(1))?];
        let dims = Self::extents_of(op, &[lhs, rhs])?.pop().or_decline("it has no result")?;
        let ty = padded_type(&dims, op.result(0).ty().element())?;
        let new = self.rebuilt(builder, op, &values, &[ty], &[]);
        Ok(Padded { value: new.result(0), dims, zero: false })
    }

    /// Low and high padding of each spatial dimension.
    fn edges(&self, op: Op<'c>, spatial: usize) -> Outcome<Vec<[Size; 2]>> {
        let list: Vec<Size> = match op.kind() {
            OpKind::DynamicConv => self.shape(op.operand(2))?,
            _ => match op.attr("padding").and_then(|padding| padding.as_i64s()) {
                Some(list) => list.into_iter().map(Size::known).collect(),
                None => vec![Size::known(0); 2 * spatial],
            },
        };
        (list.len() == 2 * spatial).or_decline("its padding has another size")?;
        Ok(list.chunks(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect())
    }

    /// Numbers of an attribute, one for each spatial dimension; 1 where it is absent.
    fn steps(op: Op<'c>, name: &'static str, spatial: usize) -> Outcome<Vec<i64>> {
        let mut list = ints_or(op, name, spatial, 1)?;
        list.truncate(spatial);
        (list.len() == spatial).or_decline("an attribute has another length")?;
        Ok(list)
    }

    pub fn convolution(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
        let numbers = numbers.or_decline("it has no dimensions")?;
        let count = |name| op.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
        let (groups, batches) = (count("feature_group_count"), count("batch_group_count"));
        let mut input = self.padded(op.operand(0))?;
        let mut kernel = self.padded(op.operand(1))?;
        let spatial = places(&numbers.input_spatial_dimensions);
        let kernel_spatial = places(&numbers.kernel_spatial_dimensions);
        let output_spatial = places(&numbers.output_spatial_dimensions);
        let (batch, feature) =
            (numbers.input_batch_dimension as usize, numbers.input_feature_dimension as usize);
        let (from, to) = (
            numbers.kernel_input_feature_dimension as usize,
            numbers.kernel_output_feature_dimension as usize,
        );
        if !input.dims.iter().all(Extent::is_prefix) {
            // Images of a batch keep their places.
            let alone =
                (0..input.dims.len()).all(|dim| dim == batch || input.dims[dim].is_prefix());
            if !alone || batches != 1 {
                input = self.compact(builder, &input)?;
            }
        }
        kernel = self.compact(builder, &kernel)?;
        let fixed = kernel_spatial.iter().all(|dim| kernel.dims[*dim].is_full());
        fixed.or_decline("the window has an open size")?;
        (batches == 1 || input.dims[batch].is_full())
            .or_decline("groups of a batch of open size")?;
        let features = input.dims[feature].is_full()
            && kernel.dims[from].is_full()
            && kernel.dims[to].is_full();
        (features || groups == 1 && batches == 1).or_decline("groups of features of open size")?;
        (features || input.dims[feature] == kernel.dims[from])
            .or_decline("sizes of operands are not known to be equal")?;
        let kernel_value = self.clean(builder, &kernel, &[from])?;
        let mut along = spatial.clone();
        along.push(feature);
        input.value = self.clean(builder, &input, &along)?;
        let count = spatial.len();
        let strides = Self::steps(op, "window_strides", count)?;
        let holes = Self::steps(op, "lhs_dilation", count)?;
        let kernel_holes = Self::steps(op, "rhs_dilation", count)?;
        let mut edges = self.edges(op, count)?;
        input = self.shifted(builder, input, &spatial, &mut edges, &holes)?;
        let old = op.result(0).ty();
        let rank = input.dims.len();
        let mut dims = vec![Extent::full(1); rank];
        dims[numbers.output_batch_dimension as usize] = match batches {
            1 => input.dims[batch].clone(),
            _ => Extent::full(input.dims[batch].bound().unwrap_or(0) / batches),
        };
        dims[numbers.output_feature_dimension as usize] = kernel.dims[to].clone();
        let mut padding = Vec::new();
        let mut reached = Vec::new();
        for at in 0..count {
            let window = kernel.dims[kernel_spatial[at]].bound().unwrap_or(0);
            let window = (window - 1) * kernel_holes[at] + 1;
            let own = &input.dims[spatial[at]];
            let low = edges[at][0].as_known().or_decline("padding is not a number")?;
            let size = self.windows(
                &Self::size(own)?,
                holes[at],
                &edges[at],
                &Size::known(window),
                strides[at],
            )?;
            let extent = self.extent(size)?;
            let wanted = extent.bound().unwrap_or(0);
            let bound = own.bound().unwrap_or(0);
            let dilated = if bound == 0 { 0 } else { (bound - 1) * holes[at] + 1 };
            let high = match edges[at][1].as_known().filter(|_| own.is_full()) {
                Some(high) => high,
                None => ((wanted - 1).max(0) * strides[at] + window - low - dilated).max(0),
            };
            let all = low + dilated + high;
            reached.push(if all < window { 0 } else { (all - window) / strides[at] + 1 });
            padding.push([low, high]);
            dims[output_spatial[at]] = extent;
        }
        let mut shape: Vec<i64> = padded_type(&dims, old.element())?.shape().unwrap_or_default();
        for (dim, reached) in output_spatial.iter().zip(reached) {
            shape[*dim] = reached;
        }
        let ty = strata_ir::tensor(&shape, old.element());
        let padding = self.pairs(&padding)?;
        let strides = strata_ir::i64s(self.context, &strides);
        let mut others: Vec<(&str, Attribute<'c>)> = vec![("window_strides", strides)];
        others.extend(padding.map(|padding| ("padding", padding)));
        let new = match op.kind() {
            OpKind::DynamicConv => {
                let mut attributes = op.attrs();
                attributes.retain(|(name, _)| !others.iter().any(|(other, _)| other == name));
                builder
                    .op(strata_ir::stablehlo::CONVOLUTION)
                    .operands(&[input.value, kernel_value])
                    .attrs(&attributes)
                    .attrs(&others)
                    .result(ty)
                    .build()
            }
            _ => self.rebuilt(builder, op, &[input.value, kernel_value], &[ty], &others),
        };
        self.fitted(builder, new.result(0), dims, false)
    }

    /// Pairs of padding before and after as an attribute; `None` for none.
    pub fn pairs(&self, list: &[[i64; 2]]) -> Outcome<Option<Attribute<'c>>> {
        if list.is_empty() {
            return Ok(None);
        }
        let text = format!("dense<{list:?}> : tensor<{}x2xi64>", list.len());
        strata_ir::parse_attr(self.context, &text).map(Some).or_decline("the padding is wrong")
    }

    /// The input with low padding that is not a number added to it.
    fn shifted(
        &self,
        builder: &Builder<'c>,
        mut input: Padded<'c>,
        spatial: &[usize],
        edges: &mut [[Size; 2]],
        holes: &[i64],
    ) -> Outcome<Padded<'c>> {
        let none = Size::known(0);
        for (at, dim) in spatial.iter().enumerate() {
            if edges[at][0].as_known().is_some() {
                continue;
            }
            (holes[at] == 1).or_decline("padding of a dilated input is not a number")?;
            let rank = input.dims.len();
            let mut amounts =
                [vec![none.clone(); rank], vec![none.clone(); rank], vec![none.clone(); rank]];
            amounts[0][*dim] = std::mem::replace(&mut edges[at][0], none.clone());
            let zero = builder.zeros(strata_ir::tensor(&[], input.value.ty().element()))?;
            // Only the input's own elements were zero before.
            input.zero = true;
            input = self.padded_by(builder, &input, zero, &amounts)?;
        }
        Ok(input)
    }

    /// How many windows there are along a dimension.
    pub fn windows(
        &self,
        size: &Size,
        holes: i64,
        [low, high]: &[Size; 2],
        window: &Size,
        stride: i64,
    ) -> Outcome<Size> {
        let one = Size::known(1);
        let count = || -> Option<Size> {
            let dilated = match holes {
                1 => size.clone(),
                _ => size.minus(&one)?.times(&Size::known(holes))?.plus(&one)?,
            };
            let room = dilated.plus(low)?.plus(high)?.minus(window)?;
            let last = room.floor(&Size::known(stride))?;
            let count = last.plus(&one)?;
            match self.least(&room) {
                Some(0..) => Some(count),
                _ => count.larger(&Size::known(0)),
            }
        };
        (holes == 1 || self.least(size) >= Some(1))
            .or_decline("what is dilated may have no elements")?;
        count().or_decline("a size is too large an expression")
    }
}
