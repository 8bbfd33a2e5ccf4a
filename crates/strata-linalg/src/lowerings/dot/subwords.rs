//! Constant weights whose numbers fit in four bits, or in eight and are scaled, converted to `bf16`: several of them in a word of the object,
//! which is unpacked in registers.
//!
//! ```text
//! %f = linalg.generic { arith.sitofp } ins(constant : tensor<96x64xi8>) -> tensor<96x64xbf16>
//! %l = narrow.pack "bf16" %f to "bf16" along 0 : tensor<96x64xbf16> -> tensor<48x64xi32>
//! ```
//! becomes
//! ```text
//! %l = narrow.pack "s4" constant to "bf16" along 0 : tensor<12x64xi32> -> tensor<48x64xi32>
//! ```
//! The dimension that is summed comes before those of the result, so that registers hold numbers of the same row. What they are scaled by
//! before, each group of rows by its own, are operands of the operation ([`numbers`]).
//!
//! Weights that one vector is multiplied by, or that are rows of left tiles, are in columns, where the target looks numbers up: a register has
//! numbers of one column and one scale, of which there are sixteen.

mod numbers;
mod view;

use strata_ir::{
    Builder, Value, arith, dense_bytes, f32_type, int, integer, narrow, string, tensor,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::{Lane, Target};

pub use self::numbers::{Numbers, constant};
use self::{numbers::Floats, view::View};
use super::{Operand, Role};
use crate::dims::shape;

/// How far apart the lanes of a word are where the target looks the numbers of columns up, whose dimension is `dim`; `None` where it does not, or
/// columns are short.
pub fn looked_up(
    operand: &Operand<'_>,
    dim: usize,
    numbers: &Numbers,
    target: &Target,
) -> Option<i64> {
    let (subword, depth) = (numbers.subword, operand.sizes[dim]);
    subword.looked_up(target).filter(|lanes| {
        let (row, group) = (lanes * Lane::Bf16.count(), numbers.group(dim, depth));
        // Shorter columns are read several together.
        let words = subword.lanes() * row;
        depth > words && depth % words == 0 && group % row == 0
    })
}

/// The lanes of `bf16` of an operand that is such a constant, along dimension `dim`; those of a word are that far apart, and words in columns,
/// if `stride` says so.
pub fn unpacked<'c>(
    builder: &Builder<'c>,
    operand: &Operand<'c>,
    dim: usize,
    numbers: &Numbers,
    stride: Option<i64>,
) -> Outcome<Option<Operand<'c>>> {
    let is_batch = |dim: &usize| matches!(operand.roles[*dim], Role::Batch(_));
    let is_free = |dim: &usize| matches!(operand.roles[*dim], Role::Free(_));
    let all = 0..operand.roles.len();
    let batches: Vec<_> = all.clone().filter(is_batch).collect();
    let free: Vec<_> = all.filter(is_free).collect();
    let order = match stride {
        Some(_) => [&batches[..], &free, &[dim]].concat(),
        None => [&batches[..], &[dim], &free].concat(),
    };
    if operand.vectors() < 2 || order.len() != operand.roles.len() {
        return Ok(None);
    }
    let along = if stride.is_some() { order.len() - 1 } else { batches.len() };
    let sizes = order.iter().map(|dim| operand.sizes[*dim]).collect();
    let packing = Packing { builder, order: &order, along, stride: stride.unwrap_or(1), sizes };
    let params = packing.params(numbers).or_decline("MLIR refuses its scales")?;
    let words = packing.words(numbers).or_decline("MLIR refuses its words")?;
    let mut sizes = packing.sizes.clone();
    sizes[along] = (sizes[along] + Lane::Bf16.count() - 1) / Lane::Bf16.count();
    let number = |number: i64| int(integer(builder.context, 64), number);
    let mut op = builder
        .op(narrow::PACK)
        .operand(words)
        .operands(&params)
        .attr("dimension", number(along as i64))
        .attr("from", string(builder.context, numbers.subword.name()))
        .attr("to", string(builder.context, Lane::Bf16.name()));
    if let Some(stride) = stride {
        op = op.attr("stride", number(stride));
    }
    let value = op.result(tensor(&sizes, integer(builder.context, 32))).value();
    let roles = order.iter().map(|dim| operand.roles[*dim]).collect();
    Ok(Some(Operand { value, sizes: shape(value)?, roles }))
}

/// The order in which numbers are packed.
struct Packing<'a, 'c> {
    builder: &'a Builder<'c>,
    /// The dimensions of the operand.
    order: &'a [usize],
    /// Which of them has words of several numbers.
    along: usize,
    /// How far apart the lanes of a word are.
    stride: i64,
    /// Their sizes.
    sizes: Vec<i64>,
}

impl<'c> Packing<'_, 'c> {
    /// The words, eight numbers each; those at the end are filled with zeros.
    fn words(&self, numbers: &Numbers) -> Option<Value<'c>> {
        let mut sizes = self.sizes.clone();
        let subword = numbers.subword;
        sizes[self.along] = (sizes[self.along] + subword.count() - 1) / subword.count();
        let inner = sizes[self.along + 1..].iter().product::<i64>() as usize;
        let (depth, words_of_row) = (self.sizes[self.along] as usize, sizes[self.along] as usize);
        let mut words = vec![0_u32; sizes.iter().product::<i64>() as usize];
        for (at, place) in places(&numbers.place, self.order).enumerate() {
            let (row, column) = (at / inner, at % inner);
            let (batch, number) = (row / depth, row % depth);
            let [word, lane] = subword.word_of((number / 2) as i64, self.stride);
            let bits = u32::from(numbers.bytes[place]) & ((1 << subword.bits()) - 1);
            words[(batch * words_of_row + word as usize) * inner + column] |=
                bits << (subword.bits() as usize * lane as usize + 16 * (number % 2));
        }
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let ty = tensor(&sizes, integer(self.builder.context, 32));
        Some(arith::constant(self.builder, dense_bytes(ty, &bytes)?, ty).value())
    }

    /// A scale, and a zero point if there is one, of each group of words.
    fn params(&self, numbers: &Numbers) -> Option<Vec<Value<'c>>> {
        let depth = self.sizes[self.along];
        let group = numbers.group(self.order[self.along], depth);
        let mut sizes = self.sizes.clone();
        sizes[self.along] = depth / group;
        let ty = tensor(&sizes, f32_type(self.builder.context));
        let constant = |floats: &Floats| {
            let inner = sizes[self.along + 1..].iter().product::<i64>() as usize;
            let is_first = |at: &usize| (at / inner).is_multiple_of(group as usize);
            let places = places(&floats.place, self.order).enumerate();
            let places = places.filter(|(at, _)| is_first(at)).map(|(_, place)| place);
            let bytes: Vec<u8> = places.flat_map(|at| floats.values[at].to_le_bytes()).collect();
            Some(arith::constant(self.builder, dense_bytes(ty, &bytes)?, ty).value())
        };
        match [numbers.scale.as_ref(), numbers.zero_point.as_ref()] {
            [None, None] => Some(Vec::new()),
            [Some(scale), None] => Some(vec![constant(scale)?]),
            [scale, Some(zero_point)] => {
                let one =
                    || Floats { values: [1.0].into(), place: View::of_scalar(&self.operand()) };
                let scale = constant(scale.unwrap_or(&one()))?;
                Some(vec![scale, constant(zero_point)?])
            }
        }
    }

    /// The shape of the operand.
    fn operand(&self) -> Vec<i64> {
        let mut shape = vec![0; self.order.len()];
        for (dim, size) in self.order.iter().zip(&self.sizes) {
            shape[*dim] = *size;
        }
        shape
    }
}

/// The places of all elements, in an order of the dimensions of which the last is the fastest.
fn places(view: &View, order: &[usize]) -> impl Iterator<Item = usize> {
    let (last, before) = match order.split_last() {
        Some((last, before)) => (view.offsets(*last), before),
        None => (vec![0], order),
    };
    let before = before.iter().fold(vec![0], |places, dim| {
        let offsets = view.offsets(*dim);
        places.into_iter().flat_map(|at| offsets.iter().map(move |more| at + more)).collect()
    });
    before.into_iter().flat_map(move |at| last.clone().into_iter().map(move |more| at + more))
}
