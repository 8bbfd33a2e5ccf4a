//! Which loops an extremum with its place gets.

use std::fmt;

use strata_ir::TypeExt as _;
use strata_target::{
    Isa, Target,
    tuning::tiling::{
        EXTREMUM_BLOCK, EXTREMUM_ROWS, EXTREMUM_WORK, MAX_EXTREMUM_VECTORS_WORK, ROW_ACCUMULATORS,
        ROW_STREAMS,
    },
};

use super::find::{Extremum, is_on_elements};
use crate::{
    structured::{Structured, vector_bits},
    tiling::elementwise::{is_contiguous, vectors_within},
};

/// What of a nest may end within its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Loops over results.
    pub results: bool,
    /// Any loop over elements of inputs.
    pub inputs: bool,
    /// The loop along the innermost dimension of an input.
    pub columns: bool,
}

/// The loops of an extremum.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Elements of a vector.
    pub lanes: i64,
    /// Bits of an element in a vector, 32 or 64.
    pub bits: u32,
    /// Vectors of an iteration.
    pub vectors: i64,
    /// Whether the loop over vectors may end within its bounds.
    pub is_limited: bool,
    /// Whether integers are compared in as many bits as places have.
    pub is_widened: bool,
    pub along: Along,
}

/// What a vector is along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// The dimension that is reduced; so many rows at a time.
    Row(i64),
    /// Results, whose lanes are in registers.
    Columns,
    /// Results, in blocks of so many, whose lanes are in memory.
    Blocks(i64),
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = self.lanes;
        match self.along {
            Along::Row(1) => write!(formatter, "extremum {lanes}"),
            Along::Row(rows) => write!(formatter, "extremum {rows}x{lanes}"),
            Along::Columns => write!(formatter, "extremum of columns {lanes}"),
            Along::Blocks(block) => write!(formatter, "extremum of {block} columns {lanes}"),
        }
    }
}

impl Plan {
    /// The loops of an extremum, where loops over its results, or along its inputs, may end within their bounds.
    ///
    /// # Errors
    /// Why it has none.
    pub fn of(found: &Extremum<'_>, target: &Target, limits: Limits) -> Result<Self, &'static str> {
        let nest = &found.nest;
        if !found.computation().into_iter().all(is_on_elements) {
            return Err("its body is more than arithmetic on elements");
        }
        if !is_contiguous(nest) {
            return Err("an operand is not contiguous along the innermost loop");
        }
        let element = found.element.ty();
        let bits = vector_bits(nest.op).and(element.bit_width());
        let bits = bits.filter(|bits| !found.is_float() || *bits >= 32);
        let own = bits.ok_or("the element type's storage differs from its vector form")?;
        let inputs =
            (0..nest.inputs).filter_map(|at| nest.op.operand(at).ty().element().bit_width());
        let bits = inputs.fold(own.max(32), u32::max);
        let lanes = i64::from(target.lanes(bits));
        if lanes < 2 || target.isa == Isa::Scalar {
            return Err("the target has no vectors of its elements");
        }
        let extent = nest.extents.last().copied().ok_or("it has no loops")?;
        if extent < 2 || i32::try_from(nest.extents[found.dim]).is_err() {
            return Err(
                "its innermost loop has one iteration, or its places have more than 32 bits",
            );
        }
        let is_along = found.dim + 1 == nest.extents.len();
        // Rows of which only the number is open do not end within.
        let is_open = limits.results || limits.inputs;
        let is_limited = if is_along { limits.columns } else { is_open };
        if is_along && extent < lanes {
            return Err("a row does not fill a vector");
        }
        // What is left of an extent is one more vector, which overlaps.
        let lanes = if extent < lanes { 1 << extent.ilog2() } else { lanes };
        let work = nest.work().saturating_sub(EXTREMUM_WORK);
        let most = if work > MAX_EXTREMUM_VECTORS_WORK { 1 } else { ROW_ACCUMULATORS };
        let vectors = match is_limited {
            true => vectors_within(most, extent, lanes),
            false => most.min(extent / lanes),
        };
        let plan = Self {
            lanes,
            bits,
            vectors,
            is_limited,
            is_widened: !found.is_float() && own < bits && !is_limited,
            along: if is_along { Along::Row(1) } else { Along::Columns },
        };
        if work > MAX_EXTREMUM_VECTORS_WORK || limits.results {
            return Ok(plan);
        }
        Ok(match (is_along, is_limited) {
            (true, _) => plan.of_short_rows(nest),
            (false, false) => plan.in_blocks(found),
            (false, true) => plan,
        })
    }

    /// Several rows at a time where they are short, a vector of each in an iteration: the extrema of one would wait for each other, and
    /// those of several vectors would have to be compared.
    fn of_short_rows(self, nest: &Structured<'_>) -> Self {
        let Some(row) = nest.extents.len().checked_sub(2) else { return self };
        let is_short = nest.extents[row + 1] <= ROW_STREAMS * ROW_ACCUMULATORS * self.lanes;
        match (is_short || self.is_limited) && nest.extents[row] >= ROW_STREAMS {
            true => Self { along: Along::Row(ROW_STREAMS), vectors: 1, ..self },
            false => self,
        }
    }

    /// Blocks of columns where there are many rows, so far apart that a processor would not read ahead.
    fn in_blocks(self, found: &Extremum<'_>) -> Self {
        let Some(columns) = found.nest.extents.last() else { return self };
        let few = self.vectors * self.lanes;
        if found.nest.extents[found.dim] <= EXTREMUM_ROWS || *columns < 2 * few {
            return self;
        }
        // Blocks of the same size, the last of which overlaps.
        let blocks = (columns + EXTREMUM_BLOCK - 1) / EXTREMUM_BLOCK;
        let block = (columns + blocks - 1) / blocks;
        let block = ((block + self.lanes - 1) / self.lanes * self.lanes)
            .min(columns / self.lanes * self.lanes);
        Self { along: Along::Blocks(block), ..self }
    }
}
