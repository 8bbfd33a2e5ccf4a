//! `cholesky` and `triangular_solve` on the last two dimensions: real matrices by tiles ([`blocked`]), small and
//! complex ones element by element.
//!
//! ```text
//! cholesky, lower:                        for j: for i ≥ j:
//!   L[i, j] = (A[i, j] - sum over k < j of L[i, k] * conj(L[j, k])) / L[j, j], the root for i = j
//!   all L[i, j] = NaN unless every L[j, j] > 0: a matrix that is not positive definite has no factor
//! triangular_solve, op(A) X = B, lower:   for i: for each column c:
//!   X[i, c] = (B[i, c] - sum over k < i of op(A)[i, k] * X[k, c]) / op(A)[i, i]
//! ```

mod blocked;

use strata_ir::{
    AttributeExt as _, Builder, FastMath, Op, OpKind, OpName, Transpose, TypeExt as _, Value,
    arith, bool_type, complex, linalg::IteratorType, math,
};
use strata_rewrite::{Lowerer, Lowering, Outcome};
use strata_target::{Target, tuning::linear_algebra::MIN_ORDER};

use crate::{
    algorithms::short_vectors::{insert_block, slice_block},
    dims::shape,
    generic::{Indexed, generic, loop_position},
    loops::{for_loop, for_nest, insert},
    lowerings::shape::transpose,
    numbers::{
        complex::{
            arithmetic::divide,
            parts::{narrow_complex, wide_parts},
        },
        element::{narrow, widen},
    },
};

fn flag(op: Op<'_>, name: &str) -> bool {
    op.attr(name).and_then(|value| value.as_bool()).unwrap_or(false)
}

/// Arithmetic on real and complex numbers alike; narrow floats are kept in `f32` throughout, `complex<f32>` in `complex<f64>`,
/// where products of parts are exact.
struct Field<'c> {
    builder: Builder<'c>,
    complex: bool,
    /// Whether products of elements are exact, so that fusing one with a sum changes no result.
    has_exact_products: bool,
}

impl<'c> Field<'c> {
    fn of(builder: &Builder<'c>, value: Value<'c>) -> Self {
        let part = value.ty().element().complex_element();
        let has_exact_products = part.is_some_and(|part| part.bit_width() == Some(32));
        Self { builder: *builder, complex: part.is_some(), has_exact_products }
    }

    fn apply(
        &self,
        real: OpName<'static>,
        complex: OpName<'static>,
        args: &[Value<'c>],
    ) -> Value<'c> {
        self.builder.same(if self.complex { complex } else { real }, args)
    }

    fn read(&self, from: Value<'c>, at: &[Value<'c>]) -> Outcome<Value<'c>> {
        let value = self.builder.extract(from, at);
        if !self.complex {
            return Ok(widen(&self.builder, value));
        }
        let (_, (re, im)) = wide_parts(&self.builder, value)?;
        Ok(self.builder.complex(re, im))
    }

    fn write(&self, value: Value<'c>, into: Value<'c>, at: &[Value<'c>]) -> Outcome<Value<'c>> {
        let element = into.ty().element();
        let value = match element.complex_element() {
            Some(part) => narrow_complex(&self.builder, self.builder.parts(value)?, part),
            None => narrow(&self.builder, value, element),
        };
        Ok(insert(&self.builder, value, into, at))
    }

    fn conjugate(&self, value: Value<'c>) -> Value<'c> {
        if self.complex { self.builder.same(complex::CONJ, &[value]) } else { value }
    }

    fn subtract_product(&self, from: Value<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let product = match self.has_exact_products {
            true => {
                let contract = FastMath::CONTRACT.to_attribute(self.builder.context);
                let product = self.builder.op(complex::MUL).operands(&[a, b]);
                product.attr("fastmath", contract).result(a.ty()).value()
            }
            false => self.apply(arith::MULF, complex::MUL, &[a, b]),
        };
        self.apply(arith::SUBF, complex::SUB, &[from, product])
    }

    /// `a / b`, where `b` is real.
    fn divide_by_pivot(&self, a: Value<'c>, b: Value<'c>) -> Outcome<Value<'c>> {
        if !self.complex {
            return self.divide(a, b);
        }
        let (re, im) = self.builder.parts(a)?;
        let pivot = self.builder.parts(b)?.0;
        let [re, im] = [re, im].map(|part| self.builder.same(arith::DIVF, &[part, pivot]));
        Ok(self.builder.complex(re, im))
    }

    fn divide(&self, a: Value<'c>, b: Value<'c>) -> Outcome<Value<'c>> {
        match self.complex {
            true => divide(&self.builder, &[a, b]),
            false => Ok(self.builder.same(arith::DIVF, &[a, b])),
        }
    }
}

/// The batch dimensions and the last two.
fn split(sizes: &[i64]) -> Outcome<(Vec<i64>, i64, i64)> {
    match sizes {
        [batch @ .., rows, columns] => Ok((batch.to_vec(), *rows, *columns)),
        _ => Err("the operand is not a matrix".into()),
    }
}

fn at<'c>(batch: &[Value<'c>], row: Value<'c>, column: Value<'c>) -> Vec<Value<'c>> {
    batch.iter().copied().chain([row, column]).collect()
}

/// The lowering of `cholesky`. The triangle that is not computed is zero.
pub struct Cholesky;

impl Lowering for Cholesky {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Cholesky]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let sizes = shape(operands[0])?;
        let (batch, order, _) = split(&sizes)?;
        let lower = flag(op, "lower");
        let element = operands[0].ty().element();
        if has_tiles(operands[0], order) {
            let result = builder.empty(&sizes, element);
            return for_nest(&builder, &batch, &[result], &mut |b, batch, carried| {
                let place = at(batch, b.index(0), b.index(0));
                let matrix = slice_block(b, operands[0], &place, &[order, order]);
                let factor = blocked::cholesky(b, lowerer.target(), matrix, lower)?;
                let factor = definite_or_nan(b, factor, order, lower)?;
                Ok(vec![insert_block(b, factor, carried[0], &place)])
            });
        }
        let zeros = builder.filled(builder.number(element, 0.0), &sizes);
        if order == 0 {
            return Ok(vec![zeros]);
        }
        for_nest(&builder, &batch, &[zeros], &mut |b, batch, carried| {
            let (low, high) = (b.index(0), b.index(order));
            let factors = for_loop(b, low, high, carried, |b, j, carried| {
                for_loop(b, j, high, carried, |b, i, carried| {
                    let field = Field::of(b, operands[0]);
                    // The upper factor is the lower one of the conjugate transpose.
                    let place = |row, column| match lower {
                        true => at(batch, row, column),
                        false => at(batch, column, row),
                    };
                    let start = field.read(operands[0], &place(i, j))?;
                    let sum = for_loop(b, low, j, &[start], |b, k, sum| {
                        let field = Field::of(b, operands[0]);
                        let (x, y) = (
                            field.read(carried[0], &place(i, k))?,
                            field.read(carried[0], &place(j, k))?,
                        );
                        Ok(vec![field.subtract_product(sum[0], x, field.conjugate(y))])
                    })?[0];
                    let value = pivot_or_quotient(b, &field, carried[0], sum, i, j, &place(j, j))?;
                    Ok(vec![field.write(value, carried[0], &place(i, j))?])
                })
            })?;
            let place = at(batch, b.index(0), b.index(0));
            let factor = slice_block(b, factors[0], &place, &[order, order]);
            let factor = definite_or_nan(b, factor, order, lower)?;
            Ok(vec![insert_block(b, factor, factors[0], &place)])
        })
    }
}

/// `factor` where its diagonal holds positive numbers only, else NaN in the whole triangle.
fn definite_or_nan<'c>(
    b: &Builder<'c>,
    factor: Value<'c>,
    order: i64,
    lower: bool,
) -> Outcome<Value<'c>> {
    let yes = b.int(bool_type(b.context), 1);
    let definite = for_loop(b, b.index(0), b.index(order), &[yes], |b, k, all| {
        let field = Field::of(b, factor);
        let pivot = field.read(factor, &[k, k])?;
        let pivot = if field.complex { b.parts(pivot)?.0 } else { pivot };
        let positive = b.cmpf(arith::CmpFPredicate::Ogt, pivot, b.float(pivot.ty(), 0.0));
        Ok(vec![b.same(arith::ANDI, &[all[0], positive])])
    })?[0];
    let element = factor.ty().element();
    let input = Indexed::identity(factor);
    let output = Indexed::identity(b.empty(&[order, order], element));
    let results = generic(b, &[input], &[output], &[IteratorType::Parallel; 2], |b, args| {
        let nan = match element.complex_element() {
            Some(part) => b.complex(b.float(part, f64::NAN), b.float(part, f64::NAN)),
            None => b.float(element, f64::NAN),
        };
        let [row, column] = [0, 1].map(|dim| loop_position(b, dim, order));
        let [high, low] = if lower { [column, row] } else { [row, column] };
        let outside = b.cmpi(arith::CmpIPredicate::Ugt, high, low);
        let stays = b.same(arith::ORI, &[definite, outside]);
        Ok(vec![b.select(stays, args[0], nan)])
    })?;
    Ok(results[0])
}

/// The root of `sum` on the diagonal, which is real, elsewhere `sum` over the column's pivot.
fn pivot_or_quotient<'c>(
    b: &Builder<'c>,
    field: &Field<'c>,
    factor: Value<'c>,
    sum: Value<'c>,
    i: Value<'c>,
    j: Value<'c>,
    pivot: &[Value<'c>],
) -> Outcome<Value<'c>> {
    let on_diagonal = b.cmpi(arith::CmpIPredicate::Eq, i, j);
    let root = match field.complex {
        true => {
            let real = b.parts(sum)?.0;
            b.complex(b.same(math::SQRT, &[real]), b.float(real.ty(), 0.0))
        }
        false => b.same(math::SQRT, &[sum]),
    };
    let divisor = field.read(factor, pivot)?;
    let quotient = field.divide_by_pivot(sum, divisor)?;
    Ok(b.select(on_diagonal, root, quotient))
}

/// The lowering of `triangular_solve`.
pub struct TriangularSolve;

impl Lowering for TriangularSolve {
    fn name(&self) -> &'static str {
        "triangular-solve"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::TriangularSolve]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let sizes = shape(operands[1])?;
        let (batch, rows, columns) = split(&sizes)?;
        let form = op.attr("transpose_a").and_then(Transpose::from_attribute);
        let system = System {
            matrix: operands[0],
            left: flag(op, "left_side"),
            unit: flag(op, "unit_diagonal"),
            lower: flag(op, "lower"),
            transposed: matches!(form, Some(Transpose::Transpose | Transpose::Adjoint)),
            adjoint: form == Some(Transpose::Adjoint),
        };
        let (order, lines) = if system.left { (rows, columns) } else { (columns, rows) };
        if has_tiles(operands[1], order) {
            let result = builder.empty(&sizes, operands[1].ty().element());
            return for_nest(&builder, &batch, &[result], &mut |b, batch, carried| {
                let place = at(batch, b.index(0), b.index(0));
                let matrix = slice_block(b, operands[0], &place, &[order, order]);
                let rhs = slice_block(b, operands[1], &place, &[rows, columns]);
                let solution = system.by_tiles(b, lowerer.target(), matrix, rhs)?;
                Ok(vec![insert_block(b, solution, carried[0], &place)])
            });
        }
        // Every element is written before it is read.
        let solution = builder.empty(&sizes, operands[1].ty().element());
        let mut extents = batch.clone();
        extents.push(order);
        extents.push(lines);
        for_nest(&builder, &extents, &[solution], &mut |b, indices, carried| {
            let (batch, last) = indices.split_at(indices.len() - 2);
            system.unknown(b, operands[1], carried[0], batch, [last[0], last[1]], order)
        })
    }
}

struct System<'c> {
    matrix: Value<'c>,
    left: bool,
    unit: bool,
    lower: bool,
    transposed: bool,
    adjoint: bool,
}

/// Whether a matrix is worth tiling: large and of a vectorisable type.
fn has_tiles(matrix: Value<'_>, order: i64) -> bool {
    let element = matrix.ty().element();
    let wide = matches!(element.bit_width(), Some(32 | 64));
    order >= MIN_ORDER && element.is_float_type() && wide
}

impl<'c> System<'c> {
    /// Solves by tiles: `X op(A) = B` is `op(A)ᵀ Xᵀ = Bᵀ`.
    fn by_tiles(
        &self,
        b: &Builder<'c>,
        target: &Target,
        matrix: Value<'c>,
        rhs: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let is_transposed = self.transposed == self.left;
        let transpose_if = |value, wanted| match wanted {
            true => transpose(b, value, &[1, 0]),
            false => Ok(value),
        };
        let matrix = transpose_if(matrix, is_transposed)?;
        let rhs = transpose_if(rhs, !self.left)?;
        let solution =
            blocked::solve(b, target, matrix, rhs, self.lower != is_transposed, self.unit)?;
        transpose_if(solution, !self.left)
    }

    /// Solves for the unknown that is `step`-th in order, on line `line` of the right-hand side.
    fn unknown(
        &self,
        b: &Builder<'c>,
        rhs: Value<'c>,
        solution: Value<'c>,
        batch: &[Value<'c>],
        [step, line]: [Value<'c>; 2],
        order: i64,
    ) -> Outcome<Vec<Value<'c>>> {
        // Unknowns are found in ascending order if each depends on those before it.
        let ascending = (self.lower != self.transposed) == self.left;
        let number = |b: &Builder<'c>, step: Value<'c>| match ascending {
            true => step,
            false => b.same(arith::SUBI, &[b.index(order - 1), step]),
        };
        let place = |unknown| match self.left {
            true => at(batch, unknown, line),
            false => at(batch, line, unknown),
        };
        let field = Field::of(b, rhs);
        let i = number(b, step);
        let start = field.read(rhs, &place(i))?;
        let sum = for_loop(b, b.index(0), step, &[start], |b, earlier, sum| {
            let field = Field::of(b, rhs);
            let k = number(b, earlier);
            let factor = self.coefficient(&field, batch, i, k)?;
            let known = field.read(solution, &place(k))?;
            Ok(vec![field.subtract_product(sum[0], factor, known)])
        })?[0];
        let value = match self.unit {
            true => sum,
            false => field.divide(sum, self.coefficient(&field, batch, i, i)?)?,
        };
        Ok(vec![field.write(value, solution, &place(i))?])
    }

    /// The factor of unknown `k` in the equation of unknown `i`.
    fn coefficient(
        &self,
        field: &Field<'c>,
        batch: &[Value<'c>],
        i: Value<'c>,
        k: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let swapped = self.transposed == self.left;
        let place = if swapped { at(batch, k, i) } else { at(batch, i, k) };
        let value = field.read(self.matrix, &place)?;
        Ok(if self.adjoint { field.conjugate(value) } else { value })
    }
}
