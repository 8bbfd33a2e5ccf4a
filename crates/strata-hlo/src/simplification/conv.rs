//! Convolutions of dilated inputs (transposed convolutions, gradients of strided ones) as one per phase.
//!
//! ```text
//! convolution(x, k), lhs_dilate = [2], 3 taps    → concatenate(convolution(x, k[0::2]),
//!                                                              convolution(x, k[1::2])), interleaved
//! ```
//!
//! Between the elements of a dilated input are zeros. Results at one distance from these, a phase, have the same taps on elements, and the
//! others on zeros: a convolution of the input itself with these taps, whose results are so many apart. Products of zeros with infinities
//! and NaN are NaN: where the kernel may have some, the products of the other taps with zero are summed and added, once per feature.
//! Objects for sizes up to a bound multiply the zeros.

use strata_ir::{
    AttributeExt as _, Builder, ConvDimensionNumbers, Op, Type, TypeExt as _, Value, dense_bytes,
    i64_pairs, i64s, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_shapes::gcd;
use strata_target::tuning::simplification::{MAX_PHASES, MIN_PHASED_PRODUCTS};

use crate::{
    emit::Emit as _,
    pattern::{constant, ints_or, is_whole, new_constant, patterns},
    simplification::{
        elements::{Element, Kind},
        fold_movement::reversed_constant,
    },
};

patterns! {
    /// One convolution for each phase of a dilated input.
    ConvolutionOfDilated = "convolution-of-dilated" on [Convolution] by of_dilated;
}

/// The results of a phase along one dimension: their first tap, after which each at a distance follows, and their padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Phase {
    first: i64,
    padding: [i64; 2],
}

/// What windows do along one spatial dimension.
#[derive(Clone, Copy, Debug)]
struct Axis {
    input: i64,
    taps: i64,
    output: i64,
    stride: i64,
    holes: i64,
    dilation: i64,
    low: i64,
    is_reversed: bool,
}

/// `a / b`, rounded up; both are positive.
fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

impl Axis {
    /// How many phases there are.
    fn phases(self) -> i64 {
        self.holes / gcd(self.holes, self.stride)
    }

    /// Results of a phase.
    fn results(self) -> i64 {
        ceil(self.output, self.phases())
    }

    /// The distance of a phase's taps.
    fn step(self) -> i64 {
        self.holes / gcd(self.holes, self.dilation)
    }

    /// Sets of taps that are a step apart.
    fn classes(self) -> i64 {
        self.step().min(self.taps)
    }

    /// How many taps from this one on are a step apart.
    fn count(self, first: i64) -> i64 {
        ceil(self.taps - first, self.step())
    }

    /// These taps as a slice of the kernel.
    fn slice(self, first: i64) -> [i64; 2] {
        let last = first + (self.count(first) - 1) * self.step();
        match self.is_reversed {
            true => [self.taps - 1 - last, self.taps - first],
            false => [first, last + 1],
        }
    }

    /// Of windows of a phase, and of their taps.
    fn distances(self) -> [i64; 2] {
        [self.stride / gcd(self.holes, self.stride), self.dilation / gcd(self.holes, self.dilation)]
    }

    /// The phase of that number; none where no tap is on an element.
    fn phase(self, number: i64) -> Option<Phase> {
        let place = |tap: i64| number * self.stride + tap * self.dilation - self.low;
        let first = (0..self.classes()).find(|tap| place(*tap) % self.holes == 0)?;
        let [windows, taps] = self.distances();
        let begin = place(first) / self.holes;
        let end = begin + (self.results() - 1) * windows + (self.count(first) - 1) * taps;
        Some(Phase { first, padding: [-begin, end - (self.input - 1)] })
    }
}

/// All tuples of numbers below these limits, the last number fastest.
fn tuples(limits: impl Iterator<Item = i64>) -> Vec<Vec<i64>> {
    limits.fold(vec![Vec::new()], |tuples, limit| {
        let longer = |tuple: &Vec<i64>| {
            let tuple = tuple.clone();
            (0..limit).map(move |last| [&tuple[..], &[last]].concat())
        };
        tuples.iter().flat_map(longer).collect()
    })
}

fn firsts(phase: &[Phase]) -> Vec<i64> {
    phase.iter().map(|phase| phase.first).collect()
}

/// A convolution and what it reads.
struct Phases<'c> {
    op: Op<'c>,
    builder: Builder<'c>,
    numbers: ConvDimensionNumbers,
    axes: Vec<Axis>,
    kernel: Vec<i64>,
    result: Type<'c>,
}

impl<'c> Phases<'c> {
    fn of(op: Op<'c>, builder: Builder<'c>) -> Outcome<Self> {
        let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
        let numbers = numbers.or_decline("attribute `dimension_numbers` is missing")?;
        let types = [op.operand(0).ty(), op.operand(1).ty(), op.result(0).ty()];
        let is_static = types.iter().all(|ty| ty.has_static_shape());
        is_static.or_decline("the shapes are not static")?;
        let [input, kernel, output] = types.map(|ty| ty.shape().unwrap_or_default());
        let count = numbers.input_spatial_dimensions.len();
        let list = |name, count, default| {
            let list = ints_or(op, name, count, default)?;
            (list.len() == count).or_decline("an attribute has another length").map(|()| list)
        };
        let (strides, holes) = (list("window_strides", count, 1)?, list("lhs_dilation", count, 1)?);
        let (dilations, reversed) =
            (list("rhs_dilation", count, 1)?, list("window_reversal", count, 0)?);
        let padding = list("padding", 2 * count, 0)?;
        let axes = (0..count).map(|at| Axis {
            input: input[numbers.input_spatial_dimensions[at] as usize],
            taps: kernel[numbers.kernel_spatial_dimensions[at] as usize],
            output: output[numbers.output_spatial_dimensions[at] as usize],
            stride: strides[at],
            holes: holes[at],
            dilation: dilations[at],
            low: padding[2 * at],
            is_reversed: reversed[at] != 0,
        });
        let axes: Vec<_> = axes.collect();
        Ok(Self { op, builder, numbers, axes, kernel, result: op.result(0).ty() })
    }

    /// Whether phases pay, and can be written.
    fn check(&self) -> Outcome {
        let all = self.axes.iter().try_fold(1i64, |all, axis| all.checked_mul(axis.holes));
        let all = all.or_decline("there are too many phases")?;
        (all > 1).or_decline("the input is not dilated")?;
        (all <= MAX_PHASES).or_decline("there are too many phases")?;
        let elements = self.result.element_count().unwrap_or(0);
        let features = self.kernel[self.numbers.kernel_output_feature_dimension as usize];
        let products = self.kernel.iter().product::<i64>() / features.max(1);
        let products = elements.saturating_mul(products.unsigned_abs());
        (products >= MIN_PHASED_PRODUCTS).or_decline("it is a small one")?;
        let is_plain =
            self.axes.iter().all(|axis| axis.input > 0 && axis.taps > 0 && axis.output > 0);
        is_plain.or_decline("a window is empty")?;
        let fits = |axis: &Axis| {
            let mut found = (0..axis.phases()).filter_map(|number| axis.phase(number));
            found.all(|phase| phase.padding.iter().all(|edge| -edge < axis.input))
        };
        self.axes.iter().all(fits).or_decline("a window is beside the input")
    }

    /// The phase of these numbers; none where no tap is on an element.
    fn phase(&self, number: &[i64]) -> Option<Vec<Phase>> {
        self.axes.iter().zip(number).map(|(axis, number)| axis.phase(*number)).collect()
    }

    /// The shape of a phase's results.
    fn results(&self) -> Vec<i64> {
        let mut shape = self.result.shape().unwrap_or_default();
        for (axis, dim) in self.axes.iter().zip(&self.numbers.output_spatial_dimensions) {
            shape[*dim as usize] = axis.results();
        }
        shape
    }

    /// The taps from these on that are a step apart.
    fn taps(&self, class: &[i64]) -> Outcome<Value<'c>> {
        let mut shape = self.kernel.clone();
        let (mut starts, mut limits, mut strides) =
            (vec![0; shape.len()], shape.clone(), vec![1; shape.len()]);
        let axes = self.axes.iter().zip(class).zip(&self.numbers.kernel_spatial_dimensions);
        for ((axis, first), dim) in axes {
            let dim = *dim as usize;
            [starts[dim], limits[dim]] = axis.slice(*first);
            (strides[dim], shape[dim]) = (axis.step(), axis.count(*first));
        }
        let kernel = self.op.operand(1);
        let ty = tensor(&shape, kernel.ty().element());
        // Parts of a constant are together as large as it is.
        if let Some(bytes) = self.bytes(&starts, &strides, &shape) {
            let value = dense_bytes(ty, &bytes).or_decline("the elements do not fit the type")?;
            return Ok(new_constant(&self.builder, ty, value));
        }
        Ok(self.builder.sliced(kernel, &starts, &limits, &strides))
    }

    /// A part of a kernel that is a constant.
    fn bytes(&self, starts: &[i64], strides: &[i64], shape: &[i64]) -> Option<Vec<u8>> {
        let kernel = self.op.operand(1);
        let value = constant(kernel).ok().filter(|value| value.splat_value().is_none())?;
        let (all, width) = (value.dense_bytes()?, kernel.ty().element().byte_width()? as usize);
        let mut places = vec![0];
        for dim in 0..shape.len() {
            let along = (0..shape[dim]).map(|at| starts[dim] + at * strides[dim]);
            let along: Vec<_> = along.collect();
            let size = self.kernel[dim];
            places = places
                .iter()
                .flat_map(|place| along.iter().map(move |at| place * size + at))
                .collect();
        }
        let element = |place: i64| all.get(place as usize * width..(place as usize + 1) * width);
        let elements: Option<Vec<_>> = places.into_iter().map(element).collect();
        elements.map(|elements| elements.concat())
    }

    /// Whether products of zero with the kernel's elements may be NaN.
    fn has_infinities(&self) -> bool {
        let kernel = self.op.operand(1);
        let Some(kind) = Kind::of(kernel.ty().element()) else { return true };
        if !kind.is_float() {
            return false;
        }
        let Ok(value) = constant(kernel) else { return true };
        if let Some(element) = value.splat_value() {
            return !element.as_f64().is_some_and(f64::is_finite);
        }
        let is_finite =
            |bytes: &[u8]| matches!(kind.read(bytes), Element::Float(value) if value.is_finite());
        !value.dense_bytes().is_some_and(|all| all.chunks_exact(kind.bytes()).all(is_finite))
    }

    /// The sums of products of taps with zero, one for each feature of the result: zero or NaN.
    fn products_with_zero(&self, taps: Value<'c>) -> Outcome<Value<'c>> {
        let (b, ty) = (&self.builder, taps.ty());
        let products = b.same(stablehlo::MULTIPLY, &[taps, b.zeros(ty)?]);
        let feature = self.numbers.kernel_output_feature_dimension as usize;
        let over: Vec<_> = (0..self.kernel.len()).filter(|dim| *dim != feature).collect();
        b.summed(products, &over)
    }

    /// For each phase the sum of all other taps' products with zero.
    fn of_others(&self, phases: &[Option<Vec<Phase>>]) -> Outcome<Vec<Option<Value<'c>>>> {
        if !self.has_infinities() {
            return Ok(vec![None; phases.len()]);
        }
        let classes = tuples(self.axes.iter().map(|axis| axis.classes()));
        let products = classes.iter().map(|class| self.products_with_zero(self.taps(class)?));
        let products = products.collect::<Outcome<Vec<_>>>()?;
        let add = |sum: Option<Value<'c>>, one: Option<Value<'c>>| match (sum, one) {
            (Some(sum), Some(one)) => Some(self.builder.same(stablehlo::ADD, &[sum, one])),
            (sum, one) => sum.or(one),
        };
        // Sums of those before each, and of those after: a sum with all but one is a sum of both.
        let (mut before, mut after) = (vec![None], vec![None]);
        for product in &products {
            before.push(add(*before.last().unwrap_or(&None), Some(*product)));
        }
        for product in products.iter().rev() {
            after.push(add(*after.last().unwrap_or(&None), Some(*product)));
        }
        let others = |phase: &Option<Vec<Phase>>| {
            let own = phase.as_deref().map(firsts);
            match classes.iter().position(|class| Some(class) == own.as_ref()) {
                Some(at) => add(before[at], after[products.len() - 1 - at]),
                None => before[products.len()],
            }
        };
        Ok(phases.iter().map(others).collect())
    }

    /// The results of a phase.
    fn convolved(&self, phase: &[Phase]) -> Outcome<Value<'c>> {
        let b = &self.builder;
        let distances: Vec<_> = self.axes.iter().map(|axis| axis.distances()).collect();
        let along = |at: usize| distances.iter().map(|both| both[at]).collect::<Vec<_>>();
        let edges: Vec<_> = phase.iter().flat_map(|phase| phase.padding).collect();
        let edges = i64_pairs(b.context, &edges).or_decline("there is no such padding")?;
        let changed = ["window_strides", "padding", "lhs_dilation", "rhs_dilation"];
        let attrs: Vec<_> =
            self.op.attrs().into_iter().filter(|(name, _)| !changed.contains(name)).collect();
        Ok(b.op(stablehlo::CONVOLUTION)
            .operands(&[self.op.operand(0), self.taps(&firsts(phase))?])
            .attrs(&attrs)
            .attr("window_strides", i64s(b.context, &along(0)))
            .attr("rhs_dilation", i64s(b.context, &along(1)))
            .attr("padding", edges)
            .result(tensor(&self.results(), self.result.element()))
            .value())
    }

    /// All phases as one: `parts` are in the order of their numbers.
    fn interleaved(&self, mut parts: Vec<Value<'c>>) -> Value<'c> {
        let (b, element) = (&self.builder, self.result.element());
        let shape = self.results();
        let split = |dim: usize| {
            let dims = &self.numbers.output_spatial_dimensions;
            let at = dims.iter().position(|one| *one as usize == dim);
            at.map(|at| self.axes[at].phases()).filter(|phases| *phases > 1)
        };
        // A dimension of one phase after each that is split.
        let (mut apart, mut places, mut whole) = (Vec::new(), vec![None; shape.len()], Vec::new());
        for (dim, size) in shape.iter().enumerate() {
            apart.push(*size);
            if split(dim).is_some() {
                places[dim] = Some(apart.len());
                apart.push(1);
            }
            whole.push(size * split(dim).unwrap_or(1));
        }
        parts.iter_mut().for_each(|part| *part = b.reshaped(*part, &apart));
        for (axis, dim) in self.axes.iter().zip(&self.numbers.output_spatial_dimensions).rev() {
            let Some(place) = places[*dim as usize] else { continue };
            apart[place] = axis.phases();
            let ty = tensor(&apart, element);
            let dim = strata_ir::int(strata_ir::integer(b.context, 64), place as i64);
            let joined = |parts: &[Value<'c>]| {
                b.op(stablehlo::CONCATENATE)
                    .operands(parts)
                    .attr("dimension", dim)
                    .result(ty)
                    .value()
            };
            parts = parts.chunks(axis.phases() as usize).map(joined).collect();
        }
        let joined = b.reshaped(parts[0], &whole);
        let sizes = self.result.shape().unwrap_or_default();
        if sizes == whole {
            return joined;
        }
        b.sliced(joined, &vec![0; sizes.len()], &sizes, &vec![1; sizes.len()])
    }
}

fn of_dilated<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    // Sizes up to a bound have few versions where a dimension of a result is one of a convolution: interleaved ones would have one of each
    // pair of sizes.
    is_whole(op)?;
    let waits = op.operand(1).owner().is_some_and(|kernel| reversed_constant(kernel).is_ok());
    (!waits).or_decline("its kernel is a constant that is reversed first")?;
    let all = Phases::of(op, rewriter.builder())?;
    all.check()?;
    let (b, shape) = (&all.builder, all.results());
    let numbers = tuples(all.axes.iter().map(|axis| axis.phases()));
    let phases: Vec<_> = numbers.iter().map(|numbers| all.phase(numbers)).collect();
    let others = all.of_others(&phases)?;
    let ty = tensor(&shape, all.result.element());
    let mut parts = Vec::new();
    for (phase, others) in phases.iter().zip(others) {
        let others = others.map(|others| {
            let others = b.converted(others, all.result.element());
            b.broadcast_in_dim(others, &shape, &[all.numbers.output_feature_dimension])
        });
        let sums = phase.as_ref().map(|phase| all.convolved(phase)).transpose()?;
        parts.push(match (sums, others) {
            (Some(sums), Some(others)) => b.same(stablehlo::ADD, &[sums, others]),
            (Some(sums), None) => sums,
            (None, Some(others)) => others,
            (None, None) => b.zeros(ty)?,
        });
    }
    let whole = all.interleaved(parts);
    rewriter.replace(&[whole]);
    Ok(())
}
