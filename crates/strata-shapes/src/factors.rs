//! Factors: the dimensions of operands and results that an operation treats as one.

use strata_ir::{DYNAMIC, Op, TypeExt as _, Value};

/// What an operation does along a factor. All places of a factor have one size, but for the kinds that say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorKind {
    /// What is at an index of the factor in the results depends only on what is there in the operands that have it, and not on the
    /// index itself. Results without the factor do not depend on those operands.
    Parallel,
    /// Operands are combined over all indices, in any order; no result has the factor.
    Reduced,
    /// A window moves along it. Sizes differ.
    Window,
    /// It is sorted, or the first of a sorted order are taken, which are a factor of the results.
    Sorted,
    /// Its order is reversed.
    Reversed,
    /// Slices at computed positions are read; sizes differ. Parallel where they are equal, because positions are clamped.
    Gathered,
    /// A slice is written; the result is as large as the first operand that has it. Parallel where all sizes are equal.
    Updated,
    /// Elements are written to computed positions; the result is as large as the first operand that has it.
    Scattered,
    /// The operands follow one another: the size of the result is the sum of theirs.
    Concatenated,
    /// Some of its indices are taken; sizes differ. Parallel where they are equal.
    Sliced,
    /// Elements are added to its ends or between its elements, or taken away from its ends. Sizes differ.
    Padded,
    /// An operand of size 1 is repeated; of another size, it is parallel. Which one is known when sizes are.
    Expanded,
    /// Anything else: each element of a result may depend on all elements along it and on its size.
    Whole,
}

impl FactorKind {
    /// Whether all places of a factor have one size.
    pub fn keeps_size(self) -> bool {
        match self {
            Self::Parallel | Self::Reduced | Self::Sorted | Self::Reversed | Self::Whole => true,
            Self::Window
            | Self::Gathered
            | Self::Updated
            | Self::Scattered
            | Self::Concatenated
            | Self::Sliced
            | Self::Padded
            | Self::Expanded => false,
        }
    }
}

/// One factor and its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// What the operation does along it.
    pub kind: FactorKind,
    /// The number of its indices where it is a part of a dimension only, as in a reshape. The factors of one dimension are in the
    /// order of the table, the outermost first.
    pub part: Option<i64>,
    operands: Vec<(usize, usize)>,
    results: Vec<(usize, usize)>,
}

impl Factor {
    /// Its dimension in operand `index`.
    pub fn operand(&self, index: usize) -> Option<usize> {
        find(&self.operands, index)
    }

    /// Its dimension in result `index`.
    pub fn result(&self, index: usize) -> Option<usize> {
        find(&self.results, index)
    }

    /// Its places in operands: the operand and the dimension.
    pub fn operands(&self) -> &[(usize, usize)] {
        &self.operands
    }

    /// Its places in results: the result and the dimension.
    pub fn results(&self) -> &[(usize, usize)] {
        &self.results
    }
}

fn find(places: &[(usize, usize)], index: usize) -> Option<usize> {
    places.iter().find(|(at, _)| *at == index).map(|(_, dim)| *dim)
}

/// The factors of an operation. Every dimension of every operand and result belongs to at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimRules {
    factors: Vec<Factor>,
}

impl DimRules {
    pub(crate) fn new() -> Self {
        Self { factors: Vec::new() }
    }

    /// All factors.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// The factors of dimension `dim` of operand `index`, the outermost first.
    pub fn of_operand(&self, index: usize, dim: usize) -> impl Iterator<Item = &Factor> {
        self.factors.iter().filter(move |factor| factor.operands.contains(&(index, dim)))
    }

    /// The factors of dimension `dim` of result `index`, the outermost first.
    pub fn of_result(&self, index: usize, dim: usize) -> impl Iterator<Item = &Factor> {
        self.factors.iter().filter(move |factor| factor.results.contains(&(index, dim)))
    }

    /// Adds a factor that is all of the dimensions it is in.
    pub(crate) fn add(
        &mut self,
        kind: FactorKind,
        operands: impl IntoIterator<Item = (usize, usize)>,
        results: impl IntoIterator<Item = (usize, usize)>,
    ) {
        let (operands, results) = (operands.into_iter().collect(), results.into_iter().collect());
        self.factors.push(Factor { kind, part: None, operands, results });
    }

    /// Adds a factor of `size` indices that may be a part of its dimensions.
    pub(crate) fn add_part(
        &mut self,
        kind: FactorKind,
        size: i64,
        operand: Option<usize>,
        result: Option<usize>,
    ) {
        let place = |dim: Option<usize>| dim.map(|dim| (0, dim)).into_iter().collect();
        let (operands, results) = (place(operand), place(result));
        self.factors.push(Factor { kind, part: Some(size), operands, results });
    }

    /// Adds a factor in these places, a part of dimensions if `part` is its size.
    pub(crate) fn add_stated(
        &mut self,
        kind: FactorKind,
        part: Option<i64>,
        operands: Vec<(usize, usize)>,
        results: Vec<(usize, usize)>,
    ) {
        self.factors.push(Factor { kind, part, operands, results });
    }

    /// Drops the factors of these dimensions of operands and results.
    pub(crate) fn leave_whole(&mut self, operands: &[(usize, usize)], results: &[(usize, usize)]) {
        self.factors.retain(|factor| {
            let mut places = factor.operands.iter().map(|place| (operands, place));
            let mut of_results = factor.results.iter().map(|place| (results, place));
            !places.any(|(list, place)| list.contains(place))
                && !of_results.any(|(list, place)| list.contains(place))
        });
    }

    /// Dimensions that no factor has are a factor each, of which nothing is known.
    pub(crate) fn complete(mut self, op: Op<'_>) -> Self {
        for (index, value) in op.operands().into_iter().enumerate() {
            for dim in 0..value.ty().rank().unwrap_or_default() {
                if self.of_operand(index, dim).next().is_none() {
                    self.add(FactorKind::Whole, [(index, dim)], []);
                }
            }
        }
        for (index, value) in op.results().into_iter().enumerate() {
            for dim in 0..value.ty().rank().unwrap_or_default() {
                if self.of_result(index, dim).next().is_none() {
                    self.add(FactorKind::Whole, [], [(index, dim)]);
                }
            }
        }
        self
    }
}

/// The size of a dimension, if it is known before the program runs.
pub fn size(value: Value<'_>, dim: usize) -> Option<i64> {
    let size = *value.ty().shape()?.get(dim)?;
    (size != DYNAMIC).then_some(size)
}
