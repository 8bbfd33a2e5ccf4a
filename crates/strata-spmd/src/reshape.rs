//! Reshapes of values that are split: the parts of devices are reshaped where dimensions are split along the outermost of their
//! common factors.
//!
//! ```text
//! 12 split in 4 → 6x2: factors 6 and 2; 4 does not divide 6: whole
//! 12 split in 3 → 6x2: parts of 4 → parts of 2x2
//! ```

use strata_shapes::{DimRules, FactorKind};

use crate::{
    grid::{Grid, Layout},
    partition::Held,
};

/// The layouts of operand and result in which a reshape of parts is the part of the reshape.
pub fn layouts(
    grid: &Grid,
    rules: &DimRules,
    operand: &Held<'_>,
    result: &[i64],
    wanted: Option<&Layout>,
) -> (Layout, Layout) {
    let from = Side { grid, rules, shape: &operand.shape, is_result: false };
    let to = Side { grid, rules, shape: result, is_result: true };
    let mut split = vec![Vec::new(); rules.factors().len()];
    let mut used = Vec::new();
    if let Some(wanted) = wanted {
        to.give(wanted, &mut split, &mut used);
    }
    from.give(&operand.layout, &mut split, &mut used);
    // What one side cannot have, the other has not either.
    while from.clear(&mut split) || to.clear(&mut split) {}
    (from.layout(&split), to.layout(&split))
}

struct Side<'a> {
    grid: &'a Grid,
    rules: &'a DimRules,
    shape: &'a [i64],
    is_result: bool,
}

impl Side<'_> {
    /// The factors of a dimension, the outermost first.
    fn factors(&self, dim: usize) -> Vec<usize> {
        let places = self.rules.factors().iter().enumerate();
        let has = |factor: &strata_shapes::Factor| match self.is_result {
            true => factor.result(0) == Some(dim),
            false => factor.operand(0) == Some(dim),
        };
        places.filter(|(_, factor)| has(factor)).map(|(index, _)| index).collect()
    }

    fn size(&self, factor: usize) -> i64 {
        self.rules.factors()[factor].part.unwrap_or(1)
    }

    /// Whether a factor is a dimension of both sides, which may be split unevenly.
    fn is_alone(&self, factor: usize) -> bool {
        let all = self.rules.factors();
        let one = &all[factor];
        let shares = |other: &strata_shapes::Factor| {
            (other.operand(0).is_some() && other.operand(0) == one.operand(0))
                || (other.result(0).is_some() && other.result(0) == one.result(0))
        };
        all.iter().filter(|other| shares(other)).count() == 1
    }

    fn is_common(&self, factor: usize) -> bool {
        let factor = &self.rules.factors()[factor];
        factor.kind == FactorKind::Parallel
            && factor.operand(0).is_some()
            && factor.result(0).is_some()
    }

    /// Splits the factors of each dimension along its pieces, as far as they divide them.
    fn give(&self, layout: &Layout, split: &mut [Vec<usize>], used: &mut Vec<usize>) {
        for (dim, pieces) in layout.0.iter().enumerate() {
            let mut left = &pieces[..];
            for factor in self.factors(dim) {
                if !self.is_common(factor) || !split[factor].is_empty() {
                    break;
                }
                let fits = |count: &usize| {
                    let parts = self.grid.parts(&left[..*count]);
                    self.is_alone(factor) || self.size(factor) % parts == 0
                };
                let free = left.iter().take_while(|piece| !used.contains(piece)).count();
                let count = (0..=free).rev().find(fits).unwrap_or(0);
                split[factor] = left[..count].to_vec();
                used.extend(&left[..count]);
                left = &left[count..];
                if left.is_empty() || self.grid.parts(&split[factor]) != self.size(factor) {
                    break;
                }
            }
        }
    }

    /// Leaves whole what is inside of a factor that is not split in parts of size 1; whether anything changed.
    fn clear(&self, split: &mut [Vec<usize>]) -> bool {
        let mut changed = false;
        for dim in 0..self.shape.len() {
            let mut is_inside = false;
            for factor in self.factors(dim) {
                if is_inside && !split[factor].is_empty() {
                    split[factor].clear();
                    changed = true;
                }
                is_inside |= self.grid.parts(&split[factor]) != self.size(factor);
            }
        }
        changed
    }

    fn layout(&self, split: &[Vec<usize>]) -> Layout {
        let dim = |dim| self.factors(dim).into_iter().flat_map(|factor| split[factor].clone());
        Layout((0..self.shape.len()).map(|one| dim(one).collect()).collect())
    }
}
