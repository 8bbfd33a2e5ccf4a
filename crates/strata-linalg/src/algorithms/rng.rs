//! `rng_bit_generator`: counter-based generators, one block of random bits per iteration of a parallel
//! nest.
//!
//! ```text
//! %state, %bits = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY
//!                   : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
//! ```
//! becomes
//! ```text
//! %a, %b = linalg.generic outs(2x3, 2x3) { a block of ThreeFry at counter + position }
//! %bits = the rows of %a and %b interleaved
//! ```
//!
//! The generators are those of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011):
//! ThreeFry 2x32 with 20 rounds and Philox 4x32 with 10; blocks are laid out as XLA lays them out.

use strata_ir::{
    Builder, Op, OpKind, RngAlgorithm, Type, TypeExt as _, Value, arith, integer,
    linalg::IteratorType, tensor,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::shape,
    generic::{Indexed, generic, loop_index},
    lowerings::{
        convert::{bitcast::from_bits, resize},
        shape::{extract_slice, insert_slice, reshape::reshape},
    },
};

/// The lowering of `rng_bit_generator`.
pub struct RngBitGenerator;

impl Lowering for RngBitGenerator {
    fn name(&self) -> &'static str {
        "rng-bit-generator"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::RngBitGenerator]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let algorithm = op.attr("rng_algorithm").and_then(RngAlgorithm::from_attribute);
        let three_fry = algorithm == Some(RngAlgorithm::ThreeFry);
        let words = state_words(&builder, operands[0])?;
        let sizes = shape(op.result(1))?;
        let element = op.result(1).ty().element().signless();
        (!element.is_complex()).or_decline("random bits cannot be complex")?;
        let width = element.bit_width().or_decline("the element type has no bits")?;
        let (next, bits) = if three_fry {
            three_fry_bits(&builder, &words, &sizes, width)?
        } else {
            philox_bits(&builder, &words, &sizes, width)?
        };
        let state = state_tensor(&builder, &next, operands[0])?;
        Ok(vec![state, as_elements(&builder, bits, element)?])
    }
}

/// The bits, 32 or 64 of them per element, as elements of type `element`: the low ones are used.
fn as_elements<'c>(
    builder: &Builder<'c>,
    bits: Value<'c>,
    element: Type<'c>,
) -> Outcome<Value<'c>> {
    if bits.ty().element() == element {
        return Ok(bits);
    }
    let width = element.bit_width().or_decline("the element type has no bits")?;
    let sizes = shape(bits)?;
    let input = Indexed::identity(bits);
    let output = Indexed::identity(builder.empty(&sizes, element));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    let elements = generic(builder, &[input], &[output], &loops, |b, args| {
        let word = resize(b, args[0], integer(b.context, width), false);
        Ok(vec![from_bits(b, word, element)?])
    })?;
    Ok(elements[0])
}

/// The state as 64-bit words; 32-bit elements are joined from the low end.
fn state_words<'c>(b: &Builder<'c>, state: Value<'c>) -> Outcome<Vec<Value<'c>>> {
    let sizes = shape(state)?;
    let [length] = sizes[..] else { return Err("the state is not a vector".into()) };
    let i64_type = integer(b.context, 64);
    let read = |at: i64| b.extract(state, &[b.index(at)]);
    match state.ty().element().bit_width() {
        Some(64) => Ok((0..length).map(read).collect()),
        Some(32) if length % 2 == 0 => Ok((0..length / 2)
            .map(|word| {
                let low = b.cast(arith::EXTUI, read(2 * word), i64_type);
                let high = b.cast(arith::EXTUI, read(2 * word + 1), i64_type);
                let shifted = b.same(arith::SHLI, &[high, b.int(i64_type, 32)]);
                b.same(arith::ORI, &[low, shifted])
            })
            .collect()),
        _ => Err("the state's element type is not supported".into()),
    }
}

/// The words as a tensor of the type of `state`.
fn state_tensor<'c>(b: &Builder<'c>, words: &[Value<'c>], state: Value<'c>) -> Outcome<Value<'c>> {
    let ty = state.ty();
    let mut elements = Vec::new();
    for word in words {
        if ty.element().bit_width() == Some(64) {
            elements.push(*word);
        } else {
            let (low, high) = halves(b, *word);
            elements.extend([low, high]);
        }
    }
    Ok(b.op(tensor::FROM_ELEMENTS).operands(&elements).result(ty).value())
}

/// The low and the high 32 bits.
fn halves<'c>(b: &Builder<'c>, word: Value<'c>) -> (Value<'c>, Value<'c>) {
    let i32_type = integer(b.context, 32);
    let shifted = b.same(arith::SHRUI, &[word, b.int(word.ty(), 32)]);
    (b.cast(arith::TRUNCI, word, i32_type), b.cast(arith::TRUNCI, shifted, i32_type))
}

fn join<'c>(b: &Builder<'c>, low: Value<'c>, high: Value<'c>) -> Value<'c> {
    let i64_type = integer(b.context, 64);
    let (low, high) = (b.cast(arith::EXTUI, low, i64_type), b.cast(arith::EXTUI, high, i64_type));
    let shifted = b.same(arith::SHLI, &[high, b.int(i64_type, 32)]);
    b.same(arith::ORI, &[low, shifted])
}

/// The position of the current iteration in row-major order, as a 64-bit integer.
fn linear_index<'c>(b: &Builder<'c>, sizes: &[i64]) -> Value<'c> {
    let i64_type = integer(b.context, 64);
    let start = b.int(i64_type, 0);
    sizes.iter().enumerate().fold(start, |position, (dim, size)| {
        let scaled = b.same(arith::MULI, &[position, b.int(i64_type, *size)]);
        let index = b.cast(arith::INDEX_CAST, loop_index(b, dim), i64_type);
        b.same(arith::ADDI, &[scaled, index])
    })
}

/// A nest over `sizes` whose body gives the words of one block from its number.
fn blocks<'c>(
    builder: &Builder<'c>,
    sizes: &[i64],
    words: usize,
    element: Type<'c>,
    body: impl FnOnce(&Builder<'c>, Value<'c>) -> Vec<Value<'c>>,
) -> Outcome<Vec<Value<'c>>> {
    let outputs: Vec<_> =
        (0..words).map(|_| Indexed::identity(builder.empty(sizes, element))).collect();
    generic(builder, &[], &outputs, &vec![IteratorType::Parallel; sizes.len()], |b, _| {
        let number = linear_index(b, sizes);
        Ok(body(b, number))
    })
}

/// One block of ThreeFry 2x32-20.
fn three_fry<'c>(
    b: &Builder<'c>,
    counter: (Value<'c>, Value<'c>),
    key: (Value<'c>, Value<'c>),
) -> (Value<'c>, Value<'c>) {
    const ROTATIONS: [[i64; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let i32_type = integer(b.context, 32);
    let parity = b.int(i32_type, 0x1BD1_1BDA);
    let mixed = b.same(arith::XORI, &[key.0, key.1]);
    let keys = [key.0, key.1, b.same(arith::XORI, &[mixed, parity])];
    let mut x = b.same(arith::ADDI, &[counter.0, keys[0]]);
    let mut y = b.same(arith::ADDI, &[counter.1, keys[1]]);
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x = b.same(arith::ADDI, &[x, y]);
            let left = b.same(arith::SHLI, &[y, b.int(i32_type, rotation)]);
            let right = b.same(arith::SHRUI, &[y, b.int(i32_type, 32 - rotation)]);
            let rotated = b.same(arith::ORI, &[left, right]);
            y = b.same(arith::XORI, &[x, rotated]);
        }
        x = b.same(arith::ADDI, &[x, keys[(group + 1) % 3]]);
        let step = b.int(i32_type, group as i64 + 1);
        let with_key = b.same(arith::ADDI, &[y, keys[(group + 2) % 3]]);
        y = b.same(arith::ADDI, &[with_key, step]);
    }
    (x, y)
}

/// The next state and the bits.
type Generated<'c> = Outcome<(Vec<Value<'c>>, Value<'c>)>;

fn three_fry_bits<'c>(
    builder: &Builder<'c>,
    words: &[Value<'c>],
    sizes: &[i64],
    width: u32,
) -> Generated<'c> {
    let [key, counter] = words[..] else {
        return Err("a ThreeFry state has two 64-bit words".into());
    };
    let (i32_type, i64_type) = (integer(builder.context, 32), integer(builder.context, 64));
    let advanced = |blocks: i64| {
        let next = builder.same(arith::ADDI, &[counter, builder.int(i64_type, blocks)]);
        vec![key, next]
    };
    let block = |b: &Builder<'c>, number: Value<'c>| {
        let at = b.same(arith::ADDI, &[counter, number]);
        three_fry(b, halves(b, at), halves(b, key))
    };
    if width == 64 {
        let bits = blocks(builder, sizes, 1, i64_type, |b, number| {
            let (low, high) = block(b, number);
            vec![join(b, low, high)]
        })?;
        return Ok((advanced(sizes.iter().product()), bits[0]));
    }
    let Some(split) = split_dimension(sizes) else {
        let bits = blocks(builder, sizes, 1, i32_type, |b, number| vec![block(b, number).0])?;
        return Ok((advanced(1), bits[0]));
    };
    let mut half = sizes.to_vec();
    half[split] = (sizes[split] + 1) / 2;
    let pair = blocks(builder, &half, 2, i32_type, |b, number| {
        let (first, second) = block(b, number);
        vec![first, second]
    })?;
    let bits = interleave(builder, &pair, split, sizes)?;
    Ok((advanced(half.iter().product()), bits))
}

/// The dimension along which the two words of a block are adjacent: the first of even size, else the
/// first of the largest.
fn split_dimension(sizes: &[i64]) -> Option<usize> {
    sizes.iter().position(|size| size % 2 == 0).or_else(|| {
        let largest = sizes.iter().max()?;
        sizes.iter().position(|size| size == largest)
    })
}

/// Element `i` of tensor `t` becomes element `i * parts + t` along dimension `dim`, as far as `sizes`
/// reaches.
fn interleave<'c>(
    builder: &Builder<'c>,
    parts: &[Value<'c>],
    dim: usize,
    sizes: &[i64],
) -> Outcome<Value<'c>> {
    let count = parts.len() as i64;
    let mut result = builder.empty(sizes, parts[0].ty().element());
    let (zeros, ones) = (vec![0; sizes.len()], vec![1; sizes.len()]);
    for (number, part) in parts.iter().enumerate() {
        let mut taken = shape(*part)?;
        taken[dim] = (sizes[dim] - number as i64 + count - 1).div_euclid(count).max(0);
        if taken.contains(&0) {
            continue;
        }
        let part = match taken == shape(*part)? {
            true => *part,
            false => extract_slice(builder, *part, &zeros, &taken, &ones),
        };
        let (mut offsets, mut strides) = (zeros.clone(), ones.clone());
        (offsets[dim], strides[dim]) = (number as i64, count);
        result = insert_slice(builder, part, result, &offsets, &strides)?;
    }
    Ok(result)
}

/// One block of Philox 4x32-10.
fn philox<'c>(
    b: &Builder<'c>,
    mut counter: [Value<'c>; 4],
    mut key: (Value<'c>, Value<'c>),
) -> [Value<'c>; 4] {
    let (i32_type, i64_type) = (integer(b.context, 32), integer(b.context, 64));
    let product = |value: Value<'c>, factor: i64| {
        let wide = b.cast(arith::EXTUI, value, i64_type);
        halves(b, b.same(arith::MULI, &[wide, b.int(i64_type, factor)]))
    };
    let constant = |value: u32| b.int(i32_type, i64::from(value as i32));
    for _ in 0..10 {
        let (a_low, a_high) = product(counter[0], 0xD251_1F53);
        let (b_low, b_high) = product(counter[2], 0xCD9E_8D57);
        let x = b.same(arith::XORI, &[b_high, counter[1]]);
        let y = b.same(arith::XORI, &[a_high, counter[3]]);
        counter =
            [b.same(arith::XORI, &[x, key.0]), b_low, b.same(arith::XORI, &[y, key.1]), a_low];
        key = (
            b.same(arith::ADDI, &[key.0, constant(0x9E37_79B9)]),
            b.same(arith::ADDI, &[key.1, constant(0xBB67_AE85)]),
        );
    }
    counter
}

fn philox_bits<'c>(
    builder: &Builder<'c>,
    words: &[Value<'c>],
    sizes: &[i64],
    width: u32,
) -> Generated<'c> {
    // With a state of two words, the key doubles as the counter's high half.
    let (key, low, high) = match words[..] {
        [key, low, high] => (key, low, high),
        [key, low] => (key, low, key),
        _ => return Err("a Philox state has two or three 64-bit words".into()),
    };
    let (i32_type, i64_type) = (integer(builder.context, 32), integer(builder.context, 64));
    let advance = |b: &Builder<'c>, by: Value<'c>| {
        let next = b.same(arith::ADDI, &[low, by]);
        let carries = b.cmpi(arith::CmpIPredicate::Ult, next, low);
        let carry = b.cast(arith::EXTUI, carries, i64_type);
        (next, b.same(arith::ADDI, &[high, carry]))
    };
    let count: i64 = sizes.iter().product();
    let per_block = if width == 64 { 2 } else { 4 };
    let total = (count + per_block - 1) / per_block;
    let element = if width == 64 { i64_type } else { i32_type };
    let parts = blocks(builder, &[total], per_block as usize, element, |b, number| {
        let (low, high) = advance(b, number);
        let ((c0, c1), (c2, c3)) = (halves(b, low), halves(b, high));
        let out = philox(b, [c0, c1, c2, c3], halves(b, key));
        match width {
            64 => vec![join(b, out[0], out[1]), join(b, out[2], out[3])],
            _ => out.to_vec(),
        }
    })?;
    let line = interleave(builder, &parts, 0, &[total * per_block])?;
    let line = match total * per_block == count {
        true => line,
        false => extract_slice(builder, line, &[0], &[count], &[1]),
    };
    let bits = reshape(builder, line, sizes)?;
    debug_assert!(bits.ty() == tensor(sizes, element));
    let (low, high) = advance(builder, builder.int(i64_type, total));
    let mut next = vec![key, low, high];
    next.truncate(words.len());
    Ok((next, bits))
}
