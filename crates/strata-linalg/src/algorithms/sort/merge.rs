//! Merge sort from the bottom up with the comparator inlined: stable, O(n log n), for every comparator.
//!
//! ```text
//! scf.for %pass = 0 to ceil(log2(n)) iter_args(%from) {          runs of 1, 2, 4, … are sorted already
//!   scf.for <all other dimensions> iter_args(%to = empty) {
//!     scf.for %start = 0 to n step 2 * width {
//!       scf.for %k = %start to %end iter_args(%to, %i, %j) {     the heads of the two runs
//!         %right_first = j < end and (i >= middle or comparator(from[j], from[i]))
//!         to[k] = right_first ? from[j] : from[i]
//! } } } }
//! ```

use strata_ir::{Builder, TypeExt as _, Value, arith};
use strata_rewrite::Outcome;

use super::Line;
use crate::loops::{for_loop, for_nest, for_step, insert};

/// Whether the first values come before the second ones.
pub type Before<'a, 'c> =
    dyn FnMut(&Builder<'c>, &[Value<'c>], &[Value<'c>]) -> Outcome<Value<'c>> + 'a;

/// Sorts along the line's dimension.
pub fn sort<'c>(
    b: &Builder<'c>,
    line: &Line<'c>,
    values: &[Value<'c>],
    before: &mut Before<'_, 'c>,
) -> Outcome<Vec<Value<'c>>> {
    let passes = match line.valid {
        Some(valid) => passes(b, line, valid),
        None => b.index(i64::from(64 - ((line.length - 1) as u64).leading_zeros())),
    };
    for_loop(b, b.index(0), passes, values, |b, pass, from| {
        let width = b.same(arith::SHLI, &[b.index(1), pass]);
        line.pass(b, from, width, before)
    })
}

/// How often runs of 1, 2, 4, … elements are merged until one has `valid` elements.
fn passes<'c>(b: &Builder<'c>, line: &Line<'c>, valid: Value<'c>) -> Value<'c> {
    let widths = std::iter::successors(Some(1), |width: &i64| width.checked_mul(2));
    let widths = widths.take_while(|width| *width < line.length);
    widths.fold(b.index(0), |passes, width| {
        let more = b.cmpi(arith::CmpIPredicate::Ugt, valid, b.index(width));
        b.select(more, b.same(arith::ADDI, &[passes, b.index(1)]), passes)
    })
}

impl<'c> Line<'c> {
    /// Merges neighbouring sorted runs of `width` elements into new tensors.
    fn pass(
        &self,
        b: &Builder<'c>,
        from: &[Value<'c>],
        width: Value<'c>,
        before: &mut Before<'_, 'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let to: Vec<_> =
            from.iter().map(|value| b.empty(&self.sizes, value.ty().element())).collect();
        for_nest(b, &self.others(), &to, &mut |b, at, to| {
            let length = self.end(b);
            let both = b.same(arith::ADDI, &[width, width]);
            for_step(b, [b.index(0), length, both], to, |b, start, to| {
                let run_end = |from: Value<'c>, by: Value<'c>| {
                    let end = b.same(arith::ADDI, &[from, by]);
                    b.same(arith::MINUI, &[end, length])
                };
                let (middle, end) = (run_end(start, width), run_end(start, both));
                let mut carried = to.to_vec();
                carried.extend([start, middle]);
                let merged = for_loop(b, start, end, &carried, |b, k, carried| {
                    self.step(b, from, at, [middle, end, k], carried, before)
                })?;
                Ok(merged[..to.len()].to_vec())
            })
        })
    }

    /// Moves the smaller head of the two runs to position `k`; both heads are the last carried values.
    fn step(
        &self,
        b: &Builder<'c>,
        from: &[Value<'c>],
        others: &[Value<'c>],
        [middle, end, k]: [Value<'c>; 3],
        carried: &[Value<'c>],
        before: &mut Before<'_, 'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let (to, heads) = carried.split_at(from.len());
        let (i, j) = (heads[0], heads[1]);
        let at = |position| self.place(others, position);
        // A head past the last element is not taken, and must not be read either.
        let last = b.index(self.length - 1);
        let read = |position: Value<'c>| -> Vec<_> {
            let position = b.same(arith::MINUI, &[position, last]);
            from.iter().map(|value| b.extract(*value, &at(position))).collect()
        };
        let (left, right) = (read(i), read(j));
        let comes_first = before(b, &right, &left)?;
        let left_is_empty = b.cmpi(arith::CmpIPredicate::Uge, i, middle);
        let right_is_there = b.cmpi(arith::CmpIPredicate::Ult, j, end);
        let preferred = b.same(arith::ORI, &[left_is_empty, comes_first]);
        let takes_right = b.same(arith::ANDI, &[right_is_there, preferred]);
        let mut next: Vec<_> = to
            .iter()
            .zip(left.iter().zip(&right))
            .map(|(to, (left, right))| {
                let chosen = b.select(takes_right, *right, *left);
                insert(b, chosen, *to, &at(k))
            })
            .collect();
        let one = b.index(1);
        let (i_next, j_next) = (b.same(arith::ADDI, &[i, one]), b.same(arith::ADDI, &[j, one]));
        next.push(b.select(takes_right, i, i_next));
        next.push(b.select(takes_right, j_next, j));
        Ok(next)
    }
}
