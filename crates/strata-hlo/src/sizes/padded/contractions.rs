//! Convolutions: padding is zero along what they sum over.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Op, OpKind, TypeExt as _, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, DimRules, Factor, FactorKind, rules};

use super::{super::shapes::only, Padded, Padding, extent::Extent, movement::Move, padded_type};
use crate::{emit::Emit as _, pattern::ints_or};

/// A convolution with a kernel of open size has no more results along its dimensions.
const MOST_SUMS: i64 = 64;

/// The dimensions of a convolution along which its windows move, in the input, the kernel and the result.
struct Places {
    input: Vec<usize>,
    kernel: Vec<usize>,
    output: Vec<usize>,
}

impl Places {
    fn of(table: &DimRules) -> Outcome<Self> {
        let windows = table.factors().iter().filter(|factor| factor.kind == FactorKind::Window);
        let places = windows.map(|factor| {
            let place = factor.operand(0).zip(factor.operand(1)).zip(factor.result(0));
            place.or_decline("a spatial dimension is missing")
        });
        let places = places.collect::<Outcome<Vec<_>>>()?;
        Ok(Self {
            input: places.iter().map(|((input, _), _)| *input).collect(),
            kernel: places.iter().map(|((_, kernel), _)| *kernel).collect(),
            output: places.iter().map(|(_, output)| *output).collect(),
        })
    }
}

/// The dimensions of an operand that are summed over.
pub fn summed(table: &DimRules, operand: usize) -> Vec<usize> {
    let factors = table.factors().iter();
    let summed = factors.filter(|factor| factor.kind == FactorKind::Reduced);
    summed.filter_map(|factor| factor.operand(operand)).collect()
}

/// Whether what both operands have is alike in them, where it has one size.
pub fn meet(table: &DimRules, lhs: &Padded<'_>, rhs: &Padded<'_>) -> bool {
    let mut factors = table.factors().iter().filter(|factor| factor.kind.keeps_size());
    factors.all(|factor| match (factor.operand(0), factor.operand(1)) {
        (Some(left), Some(right)) => lhs.dims[left] == rhs.dims[right],
        _ => true,
    })
}

/// What windows do along each spatial dimension.
#[derive(Clone)]
struct Steps {
    strides: Vec<i64>,
    holes: Vec<i64>,
    kernel_holes: Vec<i64>,
    edges: Vec<[DimExpr; 2]>,
}

/// Results along a spatial dimension with a kernel of open size.
struct Sum {
    dim: usize,
    to: usize,
    count: i64,
    stride: i64,
    hole: i64,
    /// The dimension of the kernel.
    part: Extent,
}

impl Sum {
    /// The number of elements that a window reaches over.
    fn reached(&self) -> i64 {
        (self.part.bound().unwrap_or(0) - 1).max(0) * self.hole + 1
    }
}

impl<'c> Padding<'c> {
    /// Low and high padding of each spatial dimension.
    fn edges(&self, op: Op<'c>, spatial: usize) -> Outcome<Vec<[DimExpr; 2]>> {
        let list: Vec<DimExpr> = match op.kind() {
            OpKind::DynamicConv => self.shape(op.operand(2))?,
            _ => match op.attr("padding").and_then(|padding| padding.as_i64s()) {
                Some(list) => list.into_iter().map(DimExpr::constant).collect(),
                None => vec![DimExpr::constant(0); 2 * spatial],
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
        let table = rules(op).map_err(|why| why.reason())?;
        let places = Places::of(&table)?;
        let mut input = self.padded(op.operand(0))?;
        let kernel = self.compact(builder, &self.padded(op.operand(1))?)?;
        let kind = |operand: usize, dim: usize| {
            only(table.of_operand(operand, dim)).map(|factor| factor.kind)
        };
        // Images that are computed apart keep their places.
        let stays =
            |dim: usize| kind(0, dim) == Some(FactorKind::Parallel) || input.dims[dim].is_prefix();
        if !(0..input.dims.len()).all(stays) {
            input = self.compact(builder, &input)?;
        }
        for (operand, padded) in [&input, &kernel].into_iter().enumerate() {
            let is_known = |dim: usize| {
                padded.dims[dim].is_full() || kind(operand, dim) != Some(FactorKind::Whole)
            };
            (0..padded.dims.len()).all(is_known).or_decline("its groups have an open size")?;
        }
        meet(&table, &input, &kernel).or_decline("sizes of operands are not known to be equal")?;
        let count = places.input.len();
        let steps = Steps {
            strides: Self::steps(op, "window_strides", count)?,
            holes: Self::steps(op, "lhs_dilation", count)?,
            kernel_holes: Self::steps(op, "rhs_dilation", count)?,
            edges: self.edges(op, count)?,
        };
        let is_open = |at: &usize| !kernel.dims[places.kernel[*at]].is_full();
        let open: Vec<usize> = (0..count).filter(is_open).collect();
        if open.is_empty() {
            return self.convolved(op, builder, &places, (input, kernel), steps);
        }
        self.open_kernel(op, builder, &places, (input, kernel), (steps, open))
    }

    /// A convolution whose kernel is full along all spatial dimensions.
    fn convolved(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        places: &Places,
        (mut input, kernel): (Padded<'c>, Padded<'c>),
        steps: Steps,
    ) -> Outcome<Padded<'c>> {
        let spatial = &places.input;
        let table = rules(op).map_err(|why| why.reason())?;
        let kernel_value = self.clean(builder, &kernel, &summed(&table, 1))?;
        // Windows of valid results that do not reach over an end see valid elements only.
        let is_seen = |(_, [_, high]): &(&usize, &[DimExpr; 2])| {
            self.bound(high).map_or(true, |high| high > 0)
        };
        let seen = spatial.iter().zip(&steps.edges).filter(is_seen).map(|(dim, _)| *dim);
        let along: Vec<usize> = seen.chain(summed(&table, 0)).collect();
        input.value = self.clean(builder, &input, &along)?;
        let Steps { strides, holes, kernel_holes, edges } = steps;
        let shifted = edges.iter().any(|[low, _]| low.as_constant().is_none());
        let mut moves: Vec<Option<Move>> = vec![None; input.dims.len()];
        let old = op.result(0).ty();
        let mut extents = Vec::new();
        let mut padding = Vec::new();
        let mut reached = Vec::new();
        for at in 0..spatial.len() {
            let window = kernel.dims[places.kernel[at]].bound().unwrap_or(0);
            let window = (window - 1) * kernel_holes[at] + 1;
            let own = &input.dims[spatial[at]];
            let size = self.windows(
                &Self::size(own)?,
                holes[at],
                &edges[at],
                &DimExpr::constant(window),
                strides[at],
            )?;
            let extent = self.extent(size)?;
            let wanted = extent.bound().unwrap_or(0);
            if shifted && holes[at] == 1 {
                let read = (wanted - 1).max(0) * strides[at] + window;
                moves[spatial[at]] = Some(Move { low: edges[at][0].clone(), read });
                padding.push([0, 0]);
                reached.push((read - window) / strides[at] + 1);
                extents.push((places.output[at], extent));
                continue;
            }
            let low = edges[at][0].as_constant();
            let low = low.or_decline("padding of a dilated input is not a number")?;
            let bound = own.bound().unwrap_or(0);
            let dilated = if bound == 0 { 0 } else { (bound - 1) * holes[at] + 1 };
            let high = match edges[at][1].as_constant().filter(|_| own.is_full()) {
                Some(high) => high,
                None => ((wanted - 1).max(0) * strides[at] + window - low - dilated).max(0),
            };
            let all = low + dilated + high;
            reached.push(if all < window { 0 } else { (all - window) / strides[at] + 1 });
            padding.push([low, high]);
            extents.push((places.output[at], extent));
        }
        let own = |factor: &Factor| {
            let mut own = extents.iter().filter(|(dim, _)| factor.result(0) == Some(*dim));
            own.next().map(|(_, extent)| extent.clone())
        };
        let dims = Self::extents_by(op, &[input.clone(), kernel.clone()], &own)?.pop();
        let dims = dims.or_decline("it has no result")?;
        let mut shape: Vec<i64> = padded_type(&dims, old.element())?.shape().unwrap_or_default();
        for (dim, reached) in places.output.iter().zip(reached) {
            shape[*dim] = reached;
        }
        let ty = tensor(&shape, old.element());
        let numbers = |list: &[i64]| strata_ir::i64s(self.context, list);
        let mut others: Vec<(&str, Attribute<'c>)> = vec![
            ("window_strides", numbers(&strides)),
            ("lhs_dilation", numbers(&holes)),
            ("rhs_dilation", numbers(&kernel_holes)),
        ];
        others.extend(self.pairs(&padding)?.map(|padding| ("padding", padding)));
        let mut attributes = op.attrs();
        attributes.retain(|(name, _)| !others.iter().any(|(other, _)| other == name));
        let value = match shifted {
            true => {
                let zero = builder.zeros(tensor(&[], input.value.ty().element()))?;
                self.moved(builder, input.value, zero, &moves)?
            }
            false => input.value,
        };
        let new = builder
            .op(stablehlo::CONVOLUTION)
            .operands(&[value, kernel_value])
            .attrs(&attributes)
            .attrs(&others)
            .result(ty)
            .build();
        self.mark_sums(new, &[input, kernel], &table);
        self.fitted(builder, new.result(0), dims, false)
    }

    /// A kernel of open size, as the gradient of a kernel by images of open size has: each result along these dimensions, of which
    /// there is a known number, is a sum of its own, in which zeros meet zeros.
    fn open_kernel(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        places: &Places,
        (input, mut kernel): (Padded<'c>, Padded<'c>),
        (mut steps, open): (Steps, Vec<usize>),
    ) -> Outcome<Padded<'c>> {
        let mut input = self.compact(builder, &input)?;
        let rank = input.dims.len();
        let zero = builder.zeros(tensor(&[], input.value.ty().element()))?;
        let mut sums = Vec::new();
        let mut amounts = vec![vec![DimExpr::constant(0); rank]; 3];
        for at in open {
            let (dim, part) = (places.input[at], kernel.dims[places.kernel[at]].clone());
            (steps.holes[at] == 1)
                .or_decline("its input is dilated, and its kernel of open size")?;
            let [stride, hole] = [steps.strides[at], steps.kernel_holes[at]];
            let one = DimExpr::constant(1);
            let span = Self::size(&part)?.minus(&one);
            let span = span.and_then(|span| span.times(&DimExpr::constant(hole))?.plus(&one));
            let span = span.or_decline("a size is too large an expression")?;
            let own = Self::size(&input.dims[dim])?;
            let count = self.windows(&own, 1, &steps.edges[at], &span, stride)?;
            let count = self.canonical(count).as_constant().filter(|count| *count <= MOST_SUMS);
            let count = count.or_decline("its kernel and its result have an open size")?;
            [amounts[0][dim], amounts[1][dim]] = steps.edges[at].clone();
            steps.edges[at] = [DimExpr::constant(0), DimExpr::constant(0)];
            (steps.strides[at], steps.kernel_holes[at]) = (1, 1);
            sums.push(Sum { dim, to: places.output[at], count, stride, hole, part });
        }
        let counts = sums.iter().try_fold(1_i64, |all, sum| all.checked_mul(sum.count));
        counts.filter(|all| *all <= MOST_SUMS).or_decline("it has too many sums of open size")?;
        let spread: Vec<usize> = sums.iter().map(|sum| sum.dim).collect();
        let amounts = [amounts[0].clone(), amounts[1].clone(), amounts[2].clone()];
        input = self.padded_by(builder, &input, zero, &amounts)?;
        let mut shape = input.value.ty().shape().unwrap_or_default();
        for sum in &sums {
            let reached = (sum.count - 1) * sum.stride + sum.reached();
            shape[sum.dim] = shape[sum.dim].max(reached);
        }
        input.value = self.resized(builder, input.value, &shape, Some(zero))?;
        let along: Vec<usize> = (0..rank)
            .filter(|dim| places.kernel.contains(dim) && !kernel.dims[*dim].is_full())
            .collect();
        kernel.value = self.clean(builder, &kernel, &along)?;
        for dim in along {
            kernel.dims[dim] = Extent::full(kernel.dims[dim].bound().unwrap_or(0));
        }
        // Only what a sum takes is masked.
        input.zero = false;
        for dim in spread {
            input.dims[dim] = Extent::full(shape[dim]);
        }
        self.sums(op, builder, places, (&input, &kernel), (&steps, &sums))
    }

    /// Each of the results along the first of these dimensions, one after the other.
    fn sums(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        places: &Places,
        (input, kernel): (&Padded<'c>, &Padded<'c>),
        (steps, sums): (&Steps, &[Sum]),
    ) -> Outcome<Padded<'c>> {
        let Some((sum, inner)) = sums.split_first() else {
            return self.convolved(
                op,
                builder,
                places,
                (input.clone(), kernel.clone()),
                steps.clone(),
            );
        };
        let mut parts = Vec::new();
        let length = sum.part.bound().unwrap_or(0);
        for at in 0..sum.count {
            let mut own = input.clone();
            let place = (at * sum.stride, length, sum.hole);
            own.value = builder.strided(own.value, sum.dim, place)?;
            own.dims[sum.dim] = sum.part.clone();
            own.value = self.clean(builder, &own, &[sum.dim])?;
            own.dims[sum.dim] = Extent::full(length);
            parts.push(self.sums(op, builder, places, (&own, kernel), (steps, inner))?);
        }
        let first = parts.first().cloned().or_decline("it has no result")?;
        let mut dims = first.dims.clone();
        dims[sum.to] = Extent::full(sum.count);
        let values: Vec<_> = parts.iter().map(|part| part.value).collect();
        let value = builder
            .op(stablehlo::CONCATENATE)
            .operands(&values)
            .attr("dimension", self.dimension_attr(sum.to))
            .result(padded_type(&dims, first.value.ty().element())?)
            .value();
        Ok(Padded { value, dims, zero: false })
    }

    /// Pairs of padding before and after as an attribute; `None` for none.
    pub fn pairs(&self, list: &[[i64; 2]]) -> Outcome<Option<Attribute<'c>>> {
        if list.is_empty() {
            return Ok(None);
        }
        let text = format!("dense<{list:?}> : tensor<{}x2xi64>", list.len());
        strata_ir::parse_attr(self.context, &text).map(Some).or_decline("the padding is wrong")
    }

    /// How many windows there are along a dimension.
    pub fn windows(
        &self,
        size: &DimExpr,
        holes: i64,
        [low, high]: &[DimExpr; 2],
        window: &DimExpr,
        stride: i64,
    ) -> Outcome<DimExpr> {
        let one = DimExpr::constant(1);
        let count = || -> Option<DimExpr> {
            let dilated = match holes {
                1 => size.clone(),
                _ => size.minus(&one)?.times(&DimExpr::constant(holes))?.plus(&one)?,
            };
            let room = dilated.plus(low)?.plus(high)?.minus(window)?;
            let last = room.floordiv(&DimExpr::constant(stride))?;
            let count = last.plus(&one)?;
            match self.domain().is_at_least(&room, 0) {
                true => Some(count),
                false => count.maximum(&DimExpr::constant(0)),
            }
        };
        (holes == 1 || self.domain().is_positive(size))
            .or_decline("what is dilated may have no elements")?;
        count().or_decline("a size is too large an expression")
    }
}
