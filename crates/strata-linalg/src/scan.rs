//! Running reductions, which `reduce_window` expresses by windows that hold a line up to each element: linear in
//! the number of elements.
//!
//! ```text
//! %1 = "stablehlo.reduce_window"(%0, %zero) <{window_dimensions = array<i64: 5>, padding = dense<[[4, 0]]>}> ({ add })
//!        : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
//! ```
//! becomes
//! ```text
//! scf.for %i = 1 to 5 iter_args(%sum = %0[0], %to) { %sum' = %sum + %0[%i];  to[%i] = %sum' }
//! ```

use strata_ir::{Builder, TypeExt as _, Value};
use strata_rewrite::{Lowerer, Outcome};

use crate::{
    emit::Emit as _,
    loops::{for_loop, insert},
    reduce::Combiner,
    reshape::reshape,
};

/// A running reduction along dimension `dim`.
pub struct Scan {
    /// The shape of operand and result.
    pub sizes: Vec<i64>,
    /// The dimension of the lines.
    pub dim: usize,
    /// Whether each element's window begins with the element, instead of ending with it.
    pub backward: bool,
}

impl Scan {
    /// The running reduction of `x`, whose initial value changes nothing.
    pub fn build<'c>(
        &self,
        b: &Builder<'c>,
        x: Value<'c>,
        combiner: &Combiner<'c>,
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Value<'c>> {
        let before: i64 = self.sizes[..self.dim].iter().product();
        let length = self.sizes[self.dim];
        let behind: i64 = self.sizes[self.dim + 1..].iter().product();
        let cube = reshape(b, x, &[before, length, behind])?;
        let result = b.empty(&[before, length, behind], x.ty().element());
        let combine = |b: &Builder<'c>, sum: Value<'c>, element: Value<'c>| -> Outcome<Value<'c>> {
            Ok(combiner.combine(b, &[sum], &[element], lowerer)?[0])
        };
        let position = |b: &Builder<'c>, step: Value<'c>| match self.backward {
            true => b.same("arith.subi", &[b.index(length - 1), step]),
            false => step,
        };
        let range = |b: &Builder<'c>, low: i64, high: i64| (b.index(low), b.index(high));
        let (low, high) = range(b, 0, before);
        let done = for_loop(b, low, high, &[result], |b, line, carried| {
            if behind == 1 {
                let zero = b.index(0);
                let at = [line, position(b, zero), zero];
                let sum = b.extract(cube, &at);
                let to = insert(b, sum, carried[0], &at);
                let (low, high) = range(b, 1, length);
                let done = for_loop(b, low, high, &[to, sum], |b, step, carried| {
                    let at = [line, position(b, step), b.index(0)];
                    let sum = combine(b, carried[1], b.extract(cube, &at))?;
                    Ok(vec![insert(b, sum, carried[0], &at), sum])
                })?;
                return Ok(vec![done[0]]);
            }
            // Lines side by side: each row of the result from the one before.
            let (low, high) = range(b, 0, behind);
            let first = position(b, b.index(0));
            let begun = for_loop(b, low, high, carried, |b, column, to| {
                let at = [line, first, column];
                Ok(vec![insert(b, b.extract(cube, &at), to[0], &at)])
            })?;
            let (start, end) = range(b, 1, length);
            for_loop(b, start, end, &begun, |b, step, to| {
                let row = position(b, step);
                let previous = position(b, b.same("arith.subi", &[step, b.index(1)]));
                for_loop(b, low, high, to, |b, column, to| {
                    let sum = b.extract(to[0], &[line, previous, column]);
                    let at = [line, row, column];
                    let sum = combine(b, sum, b.extract(cube, &at))?;
                    Ok(vec![insert(b, sum, to[0], &at)])
                })
            })
        })?;
        reshape(b, done[0], &self.sizes)
    }
}
