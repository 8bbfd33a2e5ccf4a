//! Systems of linear inequalities over integers, for what is asked of expressions.
//!
//! ```text
//! n - 2*floordiv(n, 2) >= 2    is    n - 2*q >= 2,  n - 2*q >= 0,  2*q + 1 - n >= 0
//! ```

use std::{collections::BTreeMap, slice};

use strata_ir::presburger::has_solution;

use crate::{Constraint, DimExpr, DimFactor, Domain};

/// Systems with more unknowns are given up.
const MOST_UNKNOWNS: usize = 24;

/// Systems with more alternatives, of minima, maxima and signs, are given up.
const MOST_ALTERNATIVES: usize = 64;

/// A sum of unknowns with coefficients, and a number.
#[derive(Clone, Default)]
struct Sum {
    terms: BTreeMap<usize, i64>,
    number: i64,
}

impl Sum {
    fn number(number: i64) -> Self {
        Self { number, ..Self::default() }
    }

    fn unknown(at: usize) -> Self {
        Self { terms: [(at, 1)].into(), number: 0 }
    }

    /// The sum with a multiple of another; `None` if a number overflows.
    fn plus(mut self, other: &Self, times: i64) -> Option<Self> {
        for (at, coefficient) in &other.terms {
            let own = self.terms.entry(*at).or_default();
            *own = own.checked_add(coefficient.checked_mul(times)?)?;
        }
        self.number = self.number.checked_add(other.number.checked_mul(times)?)?;
        Some(self)
    }
}

/// Sums that are 0 or more for some numbers in place of the unknowns.
pub struct System<'d> {
    domain: &'d Domain,
    /// What each unknown stands for, a product of factors.
    unknowns: Vec<Vec<DimFactor>>,
    rows: Vec<Sum>,
    /// Of each list of alternatives, all rows of one are 0 or more.
    choices: Vec<Vec<Vec<Sum>>>,
}

impl<'d> System<'d> {
    /// The one that an expression of values of a domain is 0 or more; `None` if it becomes too large.
    pub fn of(domain: &'d Domain, size: &DimExpr) -> Option<Self> {
        let mut system =
            Self { domain, unknowns: Vec::new(), rows: Vec::new(), choices: Vec::new() };
        let row = system.sum(size)?;
        system.rows.push(row);
        for condition in domain.conditions_on(&size.variables()) {
            system.assume(condition)?;
        }
        let alternatives = system.choices.iter().map(Vec::len);
        (alternatives.product::<usize>() <= MOST_ALTERNATIVES).then_some(system)
    }

    fn assume(&mut self, condition: &Constraint) -> Option<()> {
        match condition {
            Constraint::Known(_) => {}
            Constraint::Zero(size) => {
                let sum = self.sum(size)?;
                self.rows.extend([sum.clone(), Sum::default().plus(&sum, -1)?]);
            }
            Constraint::NotZero(size) => {
                let sum = self.sum(size)?;
                let one = Sum::number(1);
                let sides =
                    [vec![sum.clone().plus(&one, -1)?], vec![Sum::number(-1).plus(&sum, -1)?]];
                self.choices.push(sides.into());
            }
            Constraint::NotNegative(size) => {
                let sum = self.sum(size)?;
                self.rows.push(sum);
            }
            Constraint::All(list) => list.iter().try_for_each(|one| self.assume(one))?,
        }
        Some(())
    }

    fn sum(&mut self, size: &DimExpr) -> Option<Sum> {
        size.terms().try_fold(Sum::default(), |sum, (factors, coefficient)| {
            let term = match factors {
                [] => Sum::number(1),
                // With the quotient, so that both belong to one division.
                [DimFactor::Mod(dividend, divisor)] if divisor.as_constant().is_some() => {
                    let quotient = DimFactor::FloorDiv(dividend.clone(), divisor.clone());
                    let quotient = self.unknown(slice::from_ref(&quotient))?;
                    self.sum(dividend)?.plus(&quotient, divisor.as_constant()?.checked_neg()?)?
                }
                _ => self.unknown(factors)?,
            };
            sum.plus(&term, coefficient)
        })
    }

    /// The unknown for a product, with what is known of it.
    fn unknown(&mut self, factors: &[DimFactor]) -> Option<Sum> {
        if let Some(at) = self.unknowns.iter().position(|known| known == factors) {
            return Some(Sum::unknown(at));
        }
        let own = Sum::unknown(self.unknowns.len());
        (self.unknowns.len() < MOST_UNKNOWNS).then(|| self.unknowns.push(factors.to_vec()))?;
        let interval = self.domain.factor_bounds(factors);
        if let Some(low) = interval.low {
            self.rows.push(own.clone().plus(&Sum::number(low), -1)?);
        }
        if let Some(high) = interval.high {
            self.rows.push(Sum::number(high).plus(&own, -1)?);
        }
        let [factor] = factors else { return Some(own) };
        let at_least = |a: &Sum, b: &Sum| a.clone().plus(b, -1);
        match factor {
            DimFactor::Variable(_) => {}
            DimFactor::FloorDiv(dividend, divisor) => {
                let product = match divisor.as_constant() {
                    Some(number) => Sum::default().plus(&own, number)?,
                    None => self.sum(&divisor.times(&DimExpr::factor(factor.clone()))?)?,
                };
                let rest = self.sum(dividend)?.plus(&product, -1)?;
                let most = self.sum(divisor)?.plus(&Sum::number(1), -1)?;
                self.rows.extend([rest.clone(), at_least(&most, &rest)?]);
            }
            DimFactor::Mod(_, divisor) => {
                let most = self.sum(divisor)?.plus(&Sum::number(1), -1)?;
                self.rows.push(at_least(&most, &own)?);
            }
            DimFactor::Max(a, b) => {
                let [a, b] = [self.sum(a)?, self.sum(b)?];
                self.rows.extend([at_least(&own, &a)?, at_least(&own, &b)?]);
                self.choices.push(vec![vec![at_least(&a, &own)?], vec![at_least(&b, &own)?]]);
            }
            DimFactor::Min(a, b) => {
                let [a, b] = [self.sum(a)?, self.sum(b)?];
                self.rows.extend([at_least(&a, &own)?, at_least(&b, &own)?]);
                self.choices.push(vec![vec![at_least(&own, &a)?], vec![at_least(&own, &b)?]]);
            }
            DimFactor::Sign(of) => {
                let (of, one) = (self.sum(of)?, Sum::number(1));
                let minus = Sum::number(-1);
                self.choices.push(vec![
                    vec![at_least(&own, &one)?, at_least(&of, &one)?],
                    vec![
                        own.clone(),
                        at_least(&Sum::default(), &own)?,
                        of.clone(),
                        at_least(&Sum::default(), &of)?,
                    ],
                    vec![at_least(&minus, &own)?, at_least(&minus, &of)?],
                ]);
            }
        }
        Some(own)
    }

    /// Whether no numbers solve it.
    pub fn is_empty(&self) -> bool {
        self.is_empty_with(&mut self.rows.clone(), &self.choices)
    }

    fn is_empty_with(&self, rows: &mut Vec<Sum>, choices: &[Vec<Vec<Sum>>]) -> bool {
        let Some((alternatives, others)) = choices.split_first() else {
            let row = |row: &Sum| {
                let coefficient = |at: usize| row.terms.get(&at).copied().unwrap_or(0);
                (0..self.unknowns.len()).map(coefficient).chain([row.number]).collect::<Vec<_>>()
            };
            let rows: Vec<_> = rows.iter().map(row).collect();
            return !has_solution(self.unknowns.len(), &rows);
        };
        let count = rows.len();
        alternatives.iter().all(|more| {
            rows.truncate(count);
            rows.extend_from_slice(more);
            self.is_empty_with(rows, others)
        })
    }
}
