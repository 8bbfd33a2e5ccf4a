//! Builders of ranges of a dimension that devices have parts of.

use strata_ir::{
    ComparisonDirection, TypeExt as _, Value, bool_type, i64s, int, stablehlo, tensor,
};

use super::{Combination, Emit};
use crate::{
    grid::shape_of,
    halo::{Block, Sent},
    reshard::Step,
};

impl<'c> Emit<'c, '_> {
    /// `value` with zeros before and after it; `None` where the type has no zero.
    pub fn edged(&self, value: Value<'c>, dim: usize, low: i64, high: i64) -> Option<Value<'c>> {
        if (low, high) == (0, 0) {
            return Some(value);
        }
        let mut shape = shape_of(value);
        let none = vec![0; shape.len()];
        let edge = |size: i64| {
            let mut all = none.clone();
            all[dim] = size;
            i64s(self.context(), &all)
        };
        let (low_edge, high_edge) = (edge(low), edge(high));
        shape[dim] += low + high;
        let zero = self.zeros(tensor(&[], value.ty().element()))?;
        Some(
            self.builder
                .op(stablehlo::PAD)
                .operands(&[value, zero])
                .attr("edge_padding_low", low_edge)
                .attr("edge_padding_high", high_edge)
                .attr("interior_padding", i64s(self.context(), &none))
                .result(tensor(&shape, value.ty().element()))
                .value(),
        )
    }

    /// The block of a part as this device has it: its own part, and what others send; `None` where the type has no zero.
    pub fn block(
        &self,
        part: Value<'c>,
        dim: usize,
        pieces: &[usize],
        block: &Block,
    ) -> Option<Value<'c>> {
        let count = self.grid.parts(pieces);
        if block.own.len() as i64 == count {
            return Some(part);
        }
        let mut value = match block.own.is_empty() {
            true => None,
            false => Some(part),
        };
        for sent in &block.sent {
            let got = self.sent(part, dim, pieces, sent)?;
            value = Some(match value {
                None => got,
                Some(value) => {
                    let is_target = |at: i64| sent.pairs.iter().any(|(_, to)| *to == at);
                    let flag = self.along(pieces, |at| i64::from(is_target(at)));
                    self.either(flag, got, value)
                }
            });
        }
        match value {
            Some(value) => Some(value),
            None => self.zeros(part.ty()),
        }
    }

    /// What is sent, where it is in the part of its source, with zeros around it.
    fn sent(
        &self,
        part: Value<'c>,
        dim: usize,
        pieces: &[usize],
        sent: &Sent,
    ) -> Option<Value<'c>> {
        let size = shape_of(part)[dim];
        let cut = self.cut(part, dim, sent.begin, sent.end);
        let places: Vec<Vec<i64>> = self.grid.positions(pieces);
        let of = |group: &Vec<i64>| {
            let pair = |(from, to): &(i64, i64)| (group[*from as usize], group[*to as usize]);
            sent.pairs.iter().map(pair).collect::<Vec<_>>()
        };
        let pairs = places.iter().flat_map(of).collect();
        let got = self.step(cut, &Step::Send { pairs })?;
        self.edged(got, dim, sent.begin, size - sent.end)
    }

    /// `slice` of indices `begin` to `end` of a dimension.
    pub fn cut(&self, value: Value<'c>, dim: usize, begin: i64, end: i64) -> Value<'c> {
        let mut shape = shape_of(value);
        if (begin, end) == (0, shape[dim]) {
            return value;
        }
        let mut starts = vec![0; shape.len()];
        let mut limits = shape.clone();
        (starts[dim], limits[dim], shape[dim]) = (begin, end, end - begin);
        self.builder
            .op(stablehlo::SLICE)
            .operand(value)
            .attr("start_indices", i64s(self.context(), &starts))
            .attr("limit_indices", i64s(self.context(), &limits))
            .attr("strides", i64s(self.context(), &vec![1; shape.len()]))
            .result(tensor(&shape, value.ty().element()))
            .value()
    }

    /// `concatenate` of values along a dimension.
    pub fn joined(&self, values: &[Value<'c>], dim: usize) -> Value<'c> {
        let [first, rest @ ..] = values else { unreachable!("a range has a block") };
        if rest.is_empty() {
            return *first;
        }
        let mut shape = shape_of(*first);
        shape[dim] = values.iter().map(|value| shape_of(*value)[dim]).sum();
        self.builder
            .op(stablehlo::CONCATENATE)
            .operands(values)
            .attr("dimension", int(self.word(), dim as i64))
            .result(tensor(&shape, first.ty().element()))
            .value()
    }

    /// `length` indices of a dimension, from the index on that each device has.
    pub fn range(
        &self,
        value: Value<'c>,
        dim: usize,
        (pieces, length): (&[usize], i64),
        offset: impl Fn(i64) -> i64,
    ) -> Value<'c> {
        let first = offset(0);
        match (0..self.grid.parts(pieces)).all(|at| offset(at) == first) {
            true => self.cut(value, dim, first, first + length),
            false => self.sliced(value, dim, self.along(pieces, offset), length),
        }
    }

    /// One value or the other, by a number that is not 0 or 0.
    fn either(&self, flag: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        let flag = self.compared(ComparisonDirection::Ne, flag, self.number(0));
        let shape = shape_of(yes);
        let flag = if shape.is_empty() { flag } else { self.spread(flag, &shape, &[]) };
        self.select(flag, yes, no)
    }

    fn compared(
        &self,
        direction: ComparisonDirection,
        left: Value<'c>,
        right: Value<'c>,
    ) -> Value<'c> {
        let direction = direction.to_attribute(self.context());
        self.builder
            .op(stablehlo::COMPARE)
            .operands(&[left, right])
            .attr("comparison_direction", direction.expect("the dialect has it"))
            .result(left.ty().with_element(bool_type(self.context())))
            .value()
    }

    /// The index of each of `size` places in the whole, of which this device has a range.
    fn places(&self, size: i64, pieces: &[usize], first: impl Fn(i64) -> i64) -> Value<'c> {
        let line = tensor(&[size], self.word());
        let along = int(self.word(), 0);
        let index =
            self.builder.op(stablehlo::IOTA).attr("iota_dimension", along).result(line).value();
        let first = self.spread(self.along(pieces, first), &[size], &[]);
        self.same(stablehlo::ADD, &[index, first])
    }

    /// `value` with `fill` in place of what is outside of a dimension of `whole` indices; the first index of each device is given.
    pub fn filled(
        &self,
        value: Value<'c>,
        dim: usize,
        (pieces, whole): (&[usize], i64),
        first: impl Fn(i64) -> i64,
        fill: Value<'c>,
    ) -> Value<'c> {
        let shape = shape_of(value);
        let place = self.places(shape[dim], pieces, first);
        let line = place.ty();
        let bound = |number: i64| self.splat(line, int(self.word(), number));
        let begun = self.compared(ComparisonDirection::Ge, place, bound(0));
        let not_ended = self.compared(ComparisonDirection::Lt, place, bound(whole));
        let inside = self.same(stablehlo::AND, &[begun, not_ended]);
        let inside = self.spread(inside, &shape, &[dim as i64]);
        let fill = self.spread(fill, &shape, &[]);
        self.select(inside, value, fill)
    }

    /// `after` from index `begin` of the whole on, and `before` up to there.
    pub fn switched_at(
        &self,
        after: Value<'c>,
        before: Value<'c>,
        dim: usize,
        (pieces, begin): (&[usize], i64),
        first: impl Fn(i64) -> i64,
    ) -> Value<'c> {
        let shape = shape_of(after);
        let place = self.places(shape[dim], pieces, first);
        let bound = self.splat(place.ty(), int(self.word(), begin));
        let is_after = self.compared(ComparisonDirection::Ge, place, bound);
        let is_after = self.spread(is_after, &shape, &[dim as i64]);
        self.select(is_after, after, before)
    }

    /// `values`, one index for each device along pieces, with `neutral` for this device and those after it, or before it.
    pub fn beside(
        &self,
        values: Value<'c>,
        dim: usize,
        (pieces, is_after): (&[usize], bool),
        neutral: Value<'c>,
    ) -> Value<'c> {
        let shape = shape_of(values);
        let line = tensor(&[shape[dim]], self.word());
        let along = int(self.word(), 0);
        let index =
            self.builder.op(stablehlo::IOTA).attr("iota_dimension", along).result(line).value();
        let own = self.spread(self.along(pieces, |at| at), &[shape[dim]], &[]);
        let direction = if is_after { ComparisonDirection::Gt } else { ComparisonDirection::Lt };
        let counts = self.spread(self.compared(direction, index, own), &shape, &[dim as i64]);
        let neutral = self.spread(neutral, &shape, &[]);
        self.select(counts, values, neutral)
    }

    /// `reduce` over a dimension.
    pub fn reduced_along(
        &self,
        value: Value<'c>,
        dim: usize,
        (how, neutral): (Combination, Value<'c>),
    ) -> Value<'c> {
        let mut shape = shape_of(value);
        shape.remove(dim);
        self.builder
            .op(stablehlo::REDUCE)
            .operands(&[value, neutral])
            .attr("dimensions", i64s(self.context(), &[dim as i64]))
            .region(self.combining(how, value.ty().element()))
            .result(tensor(&shape, value.ty().element()))
            .value()
    }
}
