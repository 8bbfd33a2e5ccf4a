//! Sizes as polynomials in dimension variables.

use std::collections::BTreeMap;

/// Products of variables with their factors.
pub(super) type Terms = BTreeMap<Vec<usize>, i64>;

/// A size: a polynomial in variables. A variable stands for a dimension of an input, or for a quotient of sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dim(pub(super) Terms);

impl Dim {
    pub(super) fn known(size: i64) -> Self {
        Self(if size == 0 { Terms::new() } else { Terms::from([(Vec::new(), size)]) })
    }

    pub(super) fn variable(at: usize) -> Self {
        Self(Terms::from([(vec![at], 1)]))
    }

    /// Its value, if it has no variable.
    pub(super) fn number(&self) -> Option<i64> {
        match self.0.first_key_value() {
            None => Some(0),
            Some((factors, number)) => (factors.is_empty() && self.0.len() == 1).then_some(*number),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut terms = self.0.clone();
        for (factors, number) in &other.0 {
            *terms.entry(factors.clone()).or_default() += number;
        }
        terms.retain(|_, number| *number != 0);
        Self(terms)
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut terms = Terms::new();
        for (left, by) in &self.0 {
            for (right, times) in &other.0 {
                let mut factors = [&left[..], right].concat();
                factors.sort_unstable();
                *terms.entry(factors).or_default() += by * times;
            }
        }
        Self(terms)
    }

    pub(super) fn degree(&self) -> usize {
        self.0.keys().map(Vec::len).max().unwrap_or(0)
    }
}
