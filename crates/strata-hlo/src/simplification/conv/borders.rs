//! Convolutions whose windows reach far into their padding (dilated ones, on images of a few dilations) as one per part of the results.
//!
//! ```text
//! convolution(x, k), 20 places, 3 taps, rhs_dilate = [12], pad = [12, 12]
//!   → concatenate(convolution(x, k[1:3]), convolution(x, k[1:2]), convolution(x, k[0:2]))    of 8, 4, 8 places
//! ```
//!
//! The taps of a part are those that are on elements for all of its results: no padding is multiplied. As for
//! [phases](super::phases), products of the other taps with zero are added where they may be NaN.
//! Objects for sizes up to a bound multiply the padding.

use strata_ir::{Op, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::{
    MAX_BORDER_PARTS, MAX_BORDER_SHARE, MIN_BORDER_PLACES, MIN_BORDER_PRODUCTS,
};

use super::{Axis, Convolution, Part, Taps, ceil, tuples};
use crate::{
    pattern::{is_whole, patterns},
    simplification::elements::Kind,
};

patterns! {
    /// One convolution for each part of the results whose windows have the same taps on elements.
    ConvolutionAtBorders = "convolution-at-borders" on [Convolution] by at_borders;
}

impl Axis {
    /// The first tap on an element for this result, and the one after the last.
    fn inside(self, result: i64) -> [i64; 2] {
        let begin = result * self.stride - self.low;
        let [first, end] =
            [-begin, self.input - begin].map(|distance| ceil(distance, self.dilation));
        [first.clamp(0, self.taps), end.clamp(0, self.taps)]
    }

    /// The results, and all taps.
    fn whole(self) -> Part {
        let taps = Taps { first: 0, count: self.taps, step: 1 };
        self.part(taps, 0, self.output)
    }

    /// Some results, from `begin` to `end`, of some taps.
    fn part(self, taps: Taps, begin: i64, end: i64) -> Part {
        let place = |result: i64, tap: i64| result * self.stride + tap * self.dilation - self.low;
        let last = place(end - 1, taps.first + taps.count - 1);
        let padding = [-place(begin, taps.first), last - (self.input - 1)];
        let (stride, dilation, results) = (self.stride, self.dilation, end - begin);
        Part { taps, stride, dilation, padding, results }
    }

    /// The results from which on a tap is on an element, or beside them, in order, and the last one's successor.
    fn changes(self) -> Vec<i64> {
        let of_tap = |tap: i64| {
            let begin = self.low - tap * self.dilation;
            [begin, begin + self.input].map(|distance| ceil(distance, self.stride))
        };
        let mut changes: Vec<_> = (0..self.taps).flat_map(of_tap).collect();
        changes.retain(|result| (1..self.output).contains(result));
        changes.push(self.output);
        changes.sort_unstable();
        changes.dedup();
        changes
    }

    /// The parts of the results; all of them where a window has no element, or where parts do not spare a tenth of the products.
    fn parts(self) -> Vec<Part> {
        let changes = self.changes();
        let begins = [0].into_iter().chain(changes.iter().copied());
        let ranges = begins.zip(&changes).map(|(begin, end)| (begin, *end, self.inside(begin)));
        let ranges: Vec<_> = ranges.collect();
        let products: i64 =
            ranges.iter().map(|(begin, end, [first, after])| (end - begin) * (after - first)).sum();
        let is_less = products * 10 <= self.output * self.taps * 9;
        let is_empty = ranges.iter().any(|(.., [first, after])| after <= first);
        if is_empty || !is_less || ranges.len() > MAX_BORDER_PARTS {
            return vec![self.whole()];
        }
        let part = |(begin, end, [first, after]): (i64, i64, [i64; 2])| {
            self.part(Taps { first, count: after - first, step: 1 }, begin, end)
        };
        ranges.into_iter().map(part).collect()
    }
}

/// The parts of these numbers.
fn chosen(parts: &[Vec<Part>], numbers: &[i64]) -> Vec<Part> {
    parts.iter().zip(numbers).map(|(parts, number)| parts[*number as usize]).collect()
}

impl<'c> Convolution<'c> {
    /// The parts of the results along each dimension, if they pay.
    fn borders(&self) -> Outcome<Vec<Vec<Part>>> {
        let is_plain = self
            .axes
            .iter()
            .all(|axis| axis.holes == 1 && axis.input > 0 && axis.taps > 0 && axis.output > 0);
        is_plain.or_decline("the input is dilated, or a window is empty")?;
        Kind::of(self.result.element()).or_decline("the elements are not real numbers")?;
        let places: i64 = self.axes.iter().map(|axis| axis.output).product();
        let taps: i64 = self.axes.iter().map(|axis| axis.taps).product();
        let features = self.kernel[self.numbers.kernel_output_feature_dimension as usize];
        let elements = self.result.element_count().unwrap_or(0) as i64;
        // Of a place and a tap.
        let kernel: i64 = self.kernel.iter().product();
        let products = elements / places * (kernel / taps / features.max(1));
        let all = places.saturating_mul(taps).saturating_mul(products);
        (all >= MIN_BORDER_PRODUCTS).or_decline("it is a small one")?;
        let parts: Vec<_> = self.axes.iter().map(|axis| axis.parts()).collect();
        let count: usize = parts.iter().map(Vec::len).product();
        (count <= MAX_BORDER_PARTS).or_decline("there are too many parts")?;
        let images = elements / (places * features.max(1));
        let cost = |part: &Vec<Part>| {
            let places: i64 = part.iter().map(|part| part.results).product();
            let taps: i64 = part.iter().map(|part| part.taps.count).product();
            (places * images).max(MIN_BORDER_PLACES) * taps
        };
        let numbers = tuples(parts.iter().map(|parts| parts.len() as i64));
        let cost: i64 = numbers.iter().map(|numbers| cost(&chosen(&parts, numbers))).sum();
        (cost * 100 <= places * images * taps * MAX_BORDER_SHARE)
            .or_decline("few products are with padding")?;
        Ok(parts)
    }

    /// The sum of the products with zero of the taps that are not these.
    fn of_taps_beside(&self, part: &[Part]) -> Outcome<Option<Value<'c>>> {
        // Those before and after along a dimension, among these along the dimensions before it.
        let mut sum = None;
        let mut taps: Vec<_> = self.axes.iter().map(|axis| axis.whole().taps).collect();
        for (at, part) in part.iter().enumerate() {
            let Taps { first, count, step } = part.taps;
            let after = first + count;
            let ends = [(0, first), (after, taps[at].count - after)];
            for (first, count) in ends.into_iter().filter(|(_, count)| *count > 0) {
                taps[at] = Taps { first, count, step };
                let products = self.products_with_zero(self.kernel_part(&taps)?)?;
                sum = Some(match sum {
                    Some(sum) => self.builder.same(strata_ir::stablehlo::ADD, &[sum, products]),
                    None => products,
                });
            }
            taps[at] = part.taps;
        }
        Ok(sum)
    }
}

fn at_borders<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    // Sizes up to a bound are those of the results along one dimension, whose parts would have others.
    is_whole(op)?;
    let all = Convolution::of(op, rewriter.builder())?;
    let parts = all.borders()?;
    let has_infinities = all.has_infinities();
    let numbers = tuples(parts.iter().map(|parts| parts.len() as i64));
    let results = numbers.iter().map(|numbers| {
        let part = chosen(&parts, numbers);
        let taps: Vec<_> = part.iter().map(|part| part.taps).collect();
        let sums = all.convolved(&part, all.kernel_part(&taps)?)?;
        let others = if has_infinities { all.of_taps_beside(&part)? } else { None };
        all.with_others(&all.part_shape(&part), Some(sums), others)
    });
    let mut results = results.collect::<Outcome<Vec<_>>>()?;
    let dims = &all.numbers.output_spatial_dimensions;
    for (parts, dim) in parts.iter().zip(dims).rev().filter(|(parts, _)| parts.len() > 1) {
        let dim = *dim as usize;
        let joined = |results: &[Value<'c>]| {
            let mut shape = results[0].ty().shape().unwrap_or_default();
            shape[dim] = parts.iter().map(|part| part.results).sum();
            let ty = strata_ir::tensor(&shape, all.result.element());
            all.concatenated(results, dim, ty)
        };
        results = results.chunks(parts.len()).map(joined).collect();
    }
    rewriter.replace(&results);
    Ok(())
}
