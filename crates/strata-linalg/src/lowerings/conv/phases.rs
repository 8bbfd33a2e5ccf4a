//! Convolutions with strides in tiles: a tile has rows that follow each other.
//!
//! ```text
//! sum over t < 3 of x[2 p + t] k[t]  =  sum over t < 2 of x[0::2][p + t] k[0::2][t]  +  x[1::2][p] k[1::2][0]
//! ```

use strata_ir::{Builder, Value};
use strata_rewrite::Outcome;
use strata_target::{Lane, Target, TileInstruction};

use super::Window;
use crate::{dims::shape, lowerings::shape::extract_slice};

/// A part of a convolution whose features come last.
pub(super) struct Phase {
    pub window: Window,
    /// Of the last spatial dimension: the first tap, the stride, the number of taps, and that of the input's elements; `None` for all.
    along: Option<[i64; 4]>,
}

impl Phase {
    /// Its part of the input and of the kernel.
    pub fn of<'c>(
        &self,
        builder: &Builder<'c>,
        [input, kernel]: [Value<'c>; 2],
    ) -> Outcome<[Value<'c>; 2]> {
        let Some([first, stride, taps, elements]) = self.along else { return Ok([input, kernel]) };
        let rank = self.window.input.spatial.len();
        let part = |value: Value<'c>, dim: usize, size: i64| -> Outcome<Value<'c>> {
            let mut sizes = shape(value)?;
            let (mut offsets, mut strides) = (vec![0; sizes.len()], vec![1; sizes.len()]);
            (offsets[dim], sizes[dim], strides[dim]) = (first, size, stride);
            Ok(extract_slice(builder, value, &offsets, &sizes, &strides))
        };
        Ok([part(input, rank, elements)?, part(kernel, rank - 1, taps)?])
    }
}

impl Window {
    /// Whether rows of the result and its features make tiles, of one part or of several.
    pub(super) fn has_tiles(&self, taps: &[i64], lanes: [Lane; 2], target: &Target) -> bool {
        let rank = self.output.spatial.len();
        let positions: Vec<_> = self.output.spatial.iter().map(|dim| self.sizes[*dim]).collect();
        let features = taps[self.kernel.second];
        let bytes = taps[self.kernel.first] * i64::from(lanes[0].bits() / 8);
        let rows = self.sizes[self.output.first] * positions.iter().product::<i64>();
        let step = |of: &[i64]| rank.checked_sub(1).map_or(1, |last| of[last]);
        let pixels = positions.last().copied().unwrap_or(1);
        let products = taps.iter().fold(rows, |all, one| all.saturating_mul(*one));
        TileInstruction::of_lanes(target, [lanes[1], lanes[0]]).is_some()
            && (step(&self.strides) == 1 || step(&self.dilation) == 1)
            && TileInstruction::declined([pixels, features], bytes, products).is_none()
    }

    /// The parts whose sums are this one's: several `in_tiles` with a stride along rows, each of the taps, and of the elements of the input, that
    /// are a stride apart.
    pub(super) fn phases(&self, taps: &[i64], in_tiles: bool) -> Vec<Phase> {
        let last = self.strides.len().wrapping_sub(1);
        let stride = self.strides.get(last).copied().unwrap_or(1);
        if stride == 1 || !in_tiles {
            return vec![Phase { window: self.clone(), along: None }];
        }
        let count = taps[self.kernel.spatial[last]];
        let positions = self.sizes[self.output.spatial[last]];
        let part = |first: i64| {
            let mut window = self.clone();
            window.strides[last] = 1;
            let taps = (count - first + stride - 1) / stride;
            Phase { window, along: Some([first, stride, taps, positions + taps - 1]) }
        };
        (0..stride.min(count)).map(part).collect()
    }
}
