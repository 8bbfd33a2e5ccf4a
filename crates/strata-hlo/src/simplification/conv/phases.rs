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

use strata_ir::{Op, TypeExt as _, Value, stablehlo, tensor};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_shapes::gcd;
use strata_target::tuning::simplification::{MAX_PHASES, MIN_PHASED_PRODUCTS};

use super::{Axis, Convolution, Part, Taps, ceil, tuples};
use crate::{
    emit::Emit as _,
    pattern::{is_whole, patterns},
    simplification::fold_movement::reversed_constant,
};

patterns! {
    /// One convolution for each phase of a dilated input.
    ConvolutionOfDilated = "convolution-of-dilated" on [Convolution] by of_dilated;
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

    /// The taps from this one on that are a step apart.
    fn class(self, first: i64) -> Taps {
        Taps { first, count: ceil(self.taps - first, self.step()), step: self.step() }
    }

    /// The phase of that number; none where no tap is on an element.
    fn phase(self, number: i64) -> Option<Part> {
        let place = |tap: i64| number * self.stride + tap * self.dilation - self.low;
        let first = (0..self.classes()).find(|tap| place(*tap) % self.holes == 0)?;
        let taps = self.class(first);
        let stride = self.stride / gcd(self.holes, self.stride);
        let dilation = self.dilation / gcd(self.holes, self.dilation);
        let begin = place(first) / self.holes;
        let end = begin + (self.results() - 1) * stride + (taps.count - 1) * dilation;
        let padding = [-begin, end - (self.input - 1)];
        Some(Part { taps, stride, dilation, padding, results: self.results() })
    }
}

fn firsts(phase: &[Part]) -> Vec<i64> {
    phase.iter().map(|part| part.taps.first).collect()
}

impl<'c> Convolution<'c> {
    /// Whether phases pay, and can be written.
    fn check_phases(&self) -> Outcome {
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
    fn phase(&self, number: &[i64]) -> Option<Vec<Part>> {
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

    /// For each phase the sum of all other taps' products with zero.
    fn of_others(&self, phases: &[Option<Vec<Part>>]) -> Outcome<Vec<Option<Value<'c>>>> {
        if !self.has_infinities() {
            return Ok(vec![None; phases.len()]);
        }
        let classes = tuples(self.axes.iter().map(|axis| axis.classes()));
        let products = classes.iter().map(|class| {
            let taps = self.axes.iter().zip(class).map(|(axis, first)| axis.class(*first));
            self.products_with_zero(self.kernel_part(&taps.collect::<Vec<_>>())?)
        });
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
        let others = |phase: &Option<Vec<Part>>| {
            let own = phase.as_deref().map(firsts);
            match classes.iter().position(|class| Some(class) == own.as_ref()) {
                Some(at) => add(before[at], after[products.len() - 1 - at]),
                None => before[products.len()],
            }
        };
        Ok(phases.iter().map(others).collect())
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
            let joined = |parts: &[Value<'c>]| self.concatenated(parts, place, ty);
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
    let all = Convolution::of(op, rewriter.builder())?;
    all.check_phases()?;
    let shape = all.results();
    let numbers = tuples(all.axes.iter().map(|axis| axis.phases()));
    let phases: Vec<_> = numbers.iter().map(|numbers| all.phase(numbers)).collect();
    let others = all.of_others(&phases)?;
    let mut parts = Vec::new();
    for (phase, others) in phases.iter().zip(others) {
        let sums = phase.as_deref().map(|phase| {
            let taps: Vec<_> = phase.iter().map(|part| part.taps).collect();
            all.convolved(phase, all.kernel_part(&taps)?)
        });
        parts.push(all.with_others(&shape, sums.transpose()?, others)?);
    }
    let whole = all.interleaved(parts);
    rewriter.replace(&[whole]);
    Ok(())
}
