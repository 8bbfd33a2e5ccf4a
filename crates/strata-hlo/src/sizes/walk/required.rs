//! Sizes of values inside the program, and those that operations require to be equal: dimensions that share a factor.
//!
//! ```text
//! %z = add %x, %y : tensor<?xf32>        x.0 == y.0
//! ```
//!
//! What a branch or the body of a loop requires need not hold, because it need not run.

use strata_ir::{ComparisonDirection, DYNAMIC, Op, OpKind, TypeExt as _, Value};
use strata_shapes::{Constraint, DimExpr, Domain, Variable, equal_places};

use super::Walk;
use crate::sizes::{refine::is_dynamic, shapes};

impl<'c> shapes::Known<'c> for Walk<'c> {
    fn dims(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        let shape = value.ty().shape()?;
        let size = |(dim, size): (usize, &i64)| match *size {
            DYNAMIC => self.dimension(value, dim),
            size => Some(DimExpr::constant(size)),
        };
        Some(shape.iter().enumerate().map(size).collect())
    }

    fn elements(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        self.numbers(value).map(<[_]>::to_vec)
    }
}

impl<'c> Walk<'c> {
    /// The size of a dimension that is not in the type.
    pub(super) fn dimension(&self, value: Value<'c>, dim: usize) -> Option<DimExpr> {
        let found = self.dimensions.get(&(value, dim)).cloned();
        found.or_else(|| {
            let input = *self.inputs.get(&value)?;
            Some(DimExpr::variable(Variable::Dimension(input, dim)))
        })
    }

    /// Finds out the sizes of an operation's results.
    pub(super) fn infer(&mut self, op: Op<'c>) {
        // A loop may change sizes from one trip to the next.
        if op.kind() == OpKind::While || !op.results().iter().any(|value| is_dynamic(value.ty())) {
            return;
        }
        let sizes = shapes::of(op, self);
        for (result, sizes) in op.results().into_iter().zip(sizes) {
            self.set_dimensions(result, sizes);
        }
    }

    /// The sizes of a value, and no other ones that it had in another call of its function.
    pub(super) fn set_dimensions(&mut self, value: Value<'c>, sizes: Vec<Option<DimExpr>>) {
        for (dim, size) in sizes.into_iter().enumerate() {
            match size {
                Some(size) => self.dimensions.insert((value, dim), size),
                None => self.dimensions.remove(&(value, dim)),
            };
        }
    }

    /// Adds to the constraints what an operation requires of the sizes of its operands.
    pub(super) fn require(&mut self, op: Op<'c>) {
        if !op.operands().iter().any(|value| is_dynamic(value.ty())) {
            return;
        }
        for places in equal_places(op) {
            let mut first: Option<DimExpr> = None;
            for (operand, dim) in places {
                let Some(size) = shapes::Known::size(self, op.operand(operand), dim) else {
                    continue;
                };
                match &first {
                    None => first = Some(size),
                    Some(first) => self.constraints.extend(
                        equal(first, &size).map(|equal| (equal, message(op, operand, dim))),
                    ),
                }
            }
        }
    }
}

/// That two sums of multiples of several dimensions are equal; `None` for other sizes, and if they are.
fn equal(left: &DimExpr, right: &DimExpr) -> Option<Constraint> {
    let difference = left.minus(right)?;
    let variables = difference.variables();
    let is_linear = variables.iter().all(|one| difference.linear_factor(*one).is_some());
    if variables.len() < 2 || !is_linear {
        return None;
    }
    Constraint::compared(ComparisonDirection::Eq, left, right, &Domain::default())
}

fn message(op: Op<'_>, operand: usize, dim: usize) -> String {
    let name = op.name().to_string();
    // Messages are shown up to their first full stop.
    let kind = name.rsplit('.').next().unwrap_or_default();
    format!("dimension {dim} of operand {operand} of `{kind}` is as large as that of others")
}
