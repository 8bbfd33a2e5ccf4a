//! Constant weights whose numbers fit in four bits, converted to `bf16`: eight of them in a word of the object, which is unpacked in
//! registers.
//!
//! ```text
//! %f = linalg.generic { arith.sitofp } ins(constant : tensor<96x64xi8>) -> tensor<96x64xbf16>
//! %l = narrow.pack "bf16" %f to "bf16" along 0 : tensor<96x64xbf16> -> tensor<48x64xi32>
//! ```
//! becomes
//! ```text
//! %l = narrow.pack "s4" constant to "bf16" along 0 : tensor<12x64xi32> -> tensor<48x64xi32>
//! ```
//! The dimension that is summed comes before those of the result, so that registers hold numbers of the same row.

use strata_ir::{
    AffineMap, Builder, TypeExt as _, Value, arith, dense_bytes, int, integer, linalg, narrow,
    string, tensor,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::{Lane, Nibble};

use super::{Operand, Role, lanes::known};
use crate::dims::shape;

/// The elements of a constant that is converted to floats, if all of them fit in four bits.
pub fn nibbles(value: Value<'_>) -> Option<(Nibble, Vec<u8>)> {
    let convert = value.owner().filter(|op| op.is(linalg::GENERIC) && op.operand_count() == 2)?;
    let maps = convert.indexing_maps()?;
    let rank = value.ty().rank()?;
    let body = convert.body(0).ops();
    let (cast, end) = match body[..] {
        [cast, end] => (cast, end),
        // Such numbers are exact in every step.
        [cast, narrowed, end]
            if narrowed.is(arith::TRUNCF) && narrowed.operands() == cast.results() =>
        {
            (cast, end)
        }
        _ => return None,
    };
    let is_signed = match cast.name() {
        arith::SITOFP => true,
        arith::UITOFP => false,
        _ => return None,
    };
    let is_plain = maps.iter().all(|map| *map == AffineMap::identity(rank))
        && cast.operand(0) == convert.body(0).arg(0)
        && end.operands() == body[body.len() - 2].results();
    let bytes = known(convert.operand(0)).filter(|_| is_plain)?;
    if is_signed && bytes.iter().all(|byte| (-8..8).contains(&byte.cast_signed())) {
        return Some((Nibble::S4, bytes));
    }
    bytes.iter().all(|byte| *byte < 16).then_some((Nibble::U4, bytes))
}

/// The lanes of `bf16` of an operand that is such a constant, along dimension `dim`.
pub fn unpacked<'c>(
    builder: &Builder<'c>,
    operand: &Operand<'c>,
    dim: usize,
) -> Outcome<Option<Operand<'c>>> {
    let Some((nibble, bytes)) = nibbles(operand.value) else { return Ok(None) };
    let is_batch = |dim: &usize| matches!(operand.roles[*dim], Role::Batch(_));
    let is_free = |dim: &usize| matches!(operand.roles[*dim], Role::Free(_));
    let all = 0..operand.roles.len();
    let batches: Vec<_> = all.clone().filter(is_batch).collect();
    let order: Vec<_> = batches.iter().copied().chain([dim]).chain(all.filter(is_free)).collect();
    if operand.free().iter().product::<i64>() < 2 || order.len() != operand.roles.len() {
        return Ok(None);
    }
    let strides = |sizes: &[i64]| {
        (0..sizes.len()).map(|dim| sizes[dim + 1..].iter().product()).collect::<Vec<i64>>()
    };
    let mut sizes: Vec<_> = order.iter().map(|dim| operand.sizes[*dim]).collect();
    let (from, to) = (strides(&operand.sizes), strides(&sizes));
    let depth = sizes[batches.len()];
    sizes[batches.len()] = (depth + Nibble::COUNT - 1) / Nibble::COUNT;
    let place = strides(&sizes);
    let mut words = vec![0_u32; sizes.iter().product::<i64>() as usize];
    for at in 0..bytes.len() as i64 {
        let (mut source, mut word, mut number) = (0, 0, 0);
        for (position, dim) in order.iter().enumerate() {
            let mut index = at / to[position] % operand.sizes[*dim];
            source += index * from[*dim];
            if position == batches.len() {
                number = index % Nibble::COUNT;
                index /= Nibble::COUNT;
            }
            word += index * place[position];
        }
        let bits = u32::from(bytes[source as usize] & 0xF);
        words[word as usize] |= bits << (4 * (number / 2) + 16 * (number % 2));
    }
    let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let ty = tensor(&sizes, integer(builder.context, 32));
    let words = dense_bytes(ty, &words).or_decline("MLIR refuses its words")?;
    let words = arith::constant(builder, words, ty).value();
    sizes[batches.len()] = (depth + Lane::Bf16.count() - 1) / Lane::Bf16.count();
    let value = builder
        .op(narrow::PACK)
        .operand(words)
        .attr("dimension", int(integer(builder.context, 64), batches.len() as i64))
        .attr("from", string(builder.context, nibble.name()))
        .attr("to", string(builder.context, Lane::Bf16.name()))
        .result(tensor(&sizes, integer(builder.context, 32)))
        .value();
    let roles = order.iter().map(|dim| operand.roles[*dim]).collect();
    Ok(Some(Operand { value, sizes: shape(value)?, roles }))
}
