//! `select_and_scatter`: for each element of the source the window's selected element receives it.
//!
//! ```text
//! scf.for <source> iter_args(%result = filled with the initial value) {
//!   %found, %best, %at = scf.for <window>: the element that `select` keeps, padding left out
//!   %result[%at] = scatter(%result[%at], %source)
//! }
//! ```

use strata_ir::{Block, Builder, Op, OpKind, TypeExt as _, Value, arith, bool_type};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints_or, padding, shape},
    loops::{for_nest, insert, when},
    scalar,
};

/// The lowering of `select_and_scatter`.
pub struct SelectAndScatter;

impl Lowering for SelectAndScatter {
    fn name(&self) -> &'static str {
        "select-and-scatter"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::SelectAndScatter]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let window = Window::of(op, operands[0])?;
        let select = op.region(0).first_block().or_decline("a region is empty")?;
        let scatter = op.region(1).first_block().or_decline("a region is empty")?;
        let initial = builder.extract(operands[2], &[]);
        let result = builder.filled(initial, &window.from);
        for_nest(&builder, &shape(operands[1])?, &[result], &mut |b, at, carried| {
            let (found, place) = window.choose(b, operands[0], at, select, lowerer)?;
            when(b, found, carried, |b| {
                let current = b.extract(carried[0], &place);
                let source = b.extract(operands[1], at);
                let sum = scalar::inline(scatter, b, &[current, source], lowerer)?;
                Ok(vec![insert(b, sum[0], carried[0], &place)])
            })
        })
    }
}

struct Window {
    from: Vec<i64>,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    padding: Vec<(i64, i64)>,
}

impl Window {
    fn of<'c>(op: Op<'c>, operand: Value<'c>) -> Outcome<Self> {
        let from = shape(operand)?;
        let rank = from.len();
        Ok(Self {
            sizes: ints_or(op, "window_dimensions", rank, 1),
            strides: ints_or(op, "window_strides", rank, 1),
            padding: padding(op, rank),
            from,
        })
    }

    /// Whether the window at `at` contains an element of the operand, and the index of the selected
    /// one.
    fn choose<'c>(
        &self,
        b: &Builder<'c>,
        operand: Value<'c>,
        at: &[Value<'c>],
        select: Block<'c>,
        lowerer: &Lowerer<'c>,
    ) -> Outcome<(Value<'c>, Vec<Value<'c>>)> {
        let none = b.int(bool_type(b.context), 0);
        let mut start = vec![none, b.number(operand.ty().element(), 0.0)];
        start.resize(2 + at.len(), b.index(0));
        let chosen = for_nest(b, &self.sizes, &start, &mut |b, tap, best| {
            let place: Vec<_> =
                (0..at.len()).map(|dim| self.place(b, dim, at[dim], tap[dim])).collect();
            let inside = place
                .iter()
                .zip(&self.from)
                // Indices before the operand are large unsigned numbers.
                .map(|(place, size)| b.cmpi(arith::CmpIPredicate::Ult, *place, b.index(*size)))
                .reduce(|all, one| b.same(arith::ANDI, &[all, one]))
                .unwrap_or_else(|| b.int(bool_type(b.context), 1));
            when(b, inside, best, |b| {
                let element = b.extract(operand, &place);
                let keeps = scalar::inline(select, b, &[best[1], element], lowerer)?[0];
                let stays = match strata_ir::planted("linalg-select-first") {
                    true => keeps,
                    false => b.same(arith::ANDI, &[best[0], keeps]),
                };
                let mut next = vec![b.int(bool_type(b.context), 1)];
                next.push(b.select(stays, best[1], element));
                let positions = place.iter().zip(&best[2..]);
                next.extend(positions.map(|(new, old)| b.select(stays, *old, *new)));
                Ok(next)
            })
        })?;
        Ok((chosen[0], chosen[2..].to_vec()))
    }

    fn place<'c>(&self, b: &Builder<'c>, dim: usize, at: Value<'c>, tap: Value<'c>) -> Value<'c> {
        let scaled = b.same(arith::MULI, &[at, b.index(self.strides[dim])]);
        let shifted = b.same(arith::SUBI, &[scaled, b.index(self.padding[dim].0)]);
        b.same(arith::ADDI, &[shifted, tap])
    }
}
