//! `select_and_scatter`: for each element of the source the window's selected element receives it.
//!
//! ```text
//! scf.for <source> iter_args(%result = filled with the initial value) {
//!   %found, %best, %at = scf.for <window>: the element that `select` keeps, padding left out
//!   %result[%at] = scatter(%result[%at], %source)
//! }
//! ```
//! Where windows do not overlap, as in most gradients of pooling, each element of the result is of one window at most. Two nests compute
//! them, in vectors along other dimensions than those of windows: which element of each window is chosen, and the result.
//! ```text
//! %chosen = linalg.generic ins(%operand[0 to 8 by 2], %operand[1 to 8 by 2]) { select(first, second) ? 0 : 1 }
//! %all = linalg.generic ins(%chosen, %source, %initial) outs(tensor<4x2xf32>) {
//!   %chosen == <the element's place in its window> ? scatter(%initial, %source) : %initial
//! }
//! %result = tensor.collapse_shape %all
//! ```

use strata_ir::{
    Block, Builder, Op, OpKind, TypeExt as _, Value, arith, bool_type, integer,
    linalg::IteratorType,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};
use strata_target::tuning::lowering::MAX_COMPARED;

use crate::{
    dims::{ints_or, padding, shape},
    generic::{Indexed, generic, loop_position},
    loops::{for_nest, insert, when},
    lowerings::shape::{extract_slice, insert_slice, reshape::collapse_dims},
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
        if window.are_apart(&shape(operands[1])?)
            && scalar::on_scalars(select)
            && scalar::on_scalars(scatter)
        {
            let result = window.at_once(&builder, operands, [select, scatter], lowerer)?;
            return Ok(vec![result]);
        }
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

    /// Whether no element is in two windows, nor padding in one, of a source of shape `windows`.
    fn are_apart(&self, windows: &[i64]) -> bool {
        let dims = self.sizes.iter().zip(&self.strides).zip(&self.padding);
        let mut dims = dims.zip(&self.from).zip(windows);
        self.sizes.iter().product::<i64>() <= MAX_COMPARED
            && dims.all(|((((size, stride), padding), from), windows)| {
                *windows > 0 && size <= stride && padding.0 == 0 && windows * stride <= *from
            })
    }

    /// The result where windows do not overlap.
    fn at_once<'c>(
        &self,
        builder: &Builder<'c>,
        operands: &[Value<'c>],
        [select, scatter]: [Block<'c>; 2],
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Value<'c>> {
        let (source, initial) = (operands[1], operands[2]);
        let (windows, element) = (shape(source)?, source.ty().element());
        let chosen = self.chosen(builder, operands[0], &windows, select, lowerer)?;
        // The dimensions of the source, and of the places in each window where these are several.
        let (mut sizes, mut own, mut places, mut counts) = (vec![], vec![], vec![], vec![]);
        for (windows, stride) in windows.iter().zip(&self.strides) {
            own.push(sizes.len());
            places.push((*stride > 1).then(|| sizes.len() + 1));
            sizes.push(*windows);
            sizes.extend((*stride > 1).then_some(*stride));
            counts.push(1 + usize::from(*stride > 1));
        }
        let loops = vec![IteratorType::Parallel; sizes.len()];
        let by = |value, dims: &[usize]| Indexed::by(value, sizes.len(), dims);
        let inputs = [by(chosen, &own), by(source, &own), by(initial, &[])];
        let output = Indexed::identity(builder.empty(&sizes, element));
        let all = generic(builder, &inputs, &[output], &loops, |b, elements| {
            let [chosen, source, initial, ..] = *elements else { return Ok(Vec::new()) };
            let number = b.int(chosen.ty(), 0);
            let number = places.iter().zip(&self.strides).fold(number, |number, (dim, stride)| {
                let Some(dim) = *dim else { return number };
                let scaled = b.same(arith::MULI, &[number, b.int(chosen.ty(), *stride)]);
                b.same(arith::ADDI, &[scaled, loop_position(b, dim, *stride)])
            });
            let is_own = b.cmpi(arith::CmpIPredicate::Eq, chosen, number);
            let sum = scalar::inline(scatter, b, &[initial, source], lowerer)?[0];
            Ok(vec![b.select(is_own, sum, initial)])
        })?;
        let all = collapse_dims(builder, all[0], &counts);
        if shape(all)? == self.from {
            return Ok(all);
        }
        let around = builder.filled(builder.extract(initial, &[]), &self.from);
        let rank = self.from.len();
        insert_slice(builder, all, around, &vec![0; rank], &vec![1; rank])
    }

    /// The numbers of the chosen elements in their windows.
    fn chosen<'c>(
        &self,
        builder: &Builder<'c>,
        operand: Value<'c>,
        windows: &[i64],
        select: Block<'c>,
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Value<'c>> {
        let taps = self.taps();
        let slices = taps.iter().map(|tap| {
            Indexed::identity(extract_slice(builder, operand, tap, windows, &self.strides))
        });
        let slices: Vec<_> = slices.collect();
        let ty = integer(builder.context, 32);
        let output = Indexed::identity(builder.empty(windows, ty));
        let loops = vec![IteratorType::Parallel; windows.len()];
        let chosen = generic(builder, &slices, &[output], &loops, |b, elements| {
            let number = |tap: &[i64]| {
                let places = tap.iter().zip(&self.strides);
                b.int(ty, places.fold(0, |number, (place, stride)| number * stride + place))
            };
            let (mut best, mut at) = (elements[0], number(&taps[0]));
            for (tap, next) in taps.iter().zip(elements).skip(1) {
                let keeps = scalar::inline(select, b, &[best, *next], lowerer)?[0];
                let stays = match strata_ir::planted("linalg-select-first") {
                    true => b.int(bool_type(b.context), 1),
                    false => keeps,
                };
                best = b.select(stays, best, *next);
                at = b.select(stays, at, number(tap));
            }
            Ok(vec![at])
        })?;
        Ok(chosen[0])
    }

    /// The places in a window, the last dimension first: as a loop over them finds them.
    fn taps(&self) -> Vec<Vec<i64>> {
        self.sizes.iter().fold(vec![Vec::new()], |taps, size| {
            let with = |tap: Vec<i64>| (0..*size).map(move |at| [&tap[..], &[at]].concat());
            taps.into_iter().flat_map(with).collect()
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
