//! rng_bit_generator and rng.
//!
//! The counter-based generators are those of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
//! (2011), with the numbers laid out as XLA does.

use std::f64::consts::TAU;

use crate::{
    convert::bitcast_convert,
    element::{Element, ElementType, UI64},
    error::{EvalError, Result},
    index,
    tensor::Tensor,
};

/// The algorithm of a bit generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RngAlgorithm {
    /// ThreeFry 2x32 with 20 rounds; the state is a key and a 64-bit counter.
    ThreeFry,
    /// Philox 4x32 with 10 rounds; the state is a key and a 128-bit counter (or a 64-bit one).
    Philox,
}

impl RngAlgorithm {
    /// The algorithm with that name; `DEFAULT` is Philox.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "THREE_FRY" => RngAlgorithm::ThreeFry,
            "DEFAULT" | "PHILOX" => RngAlgorithm::Philox,
            _ => return None,
        })
    }
}

fn low(value: u64) -> u32 {
    value as u32
}

fn high(value: u64) -> u32 {
    (value >> 32) as u32
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// One block of ThreeFry 2x32-20.
pub fn three_fry(counter: [u32; 2], key: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], 0x1BD1_1BDA ^ key[0] ^ key[1]];
    let mut x = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x[0] = x[0].wrapping_add(x[1]);
            x[1] = x[0] ^ x[1].rotate_left(rotation);
        }
        x[0] = x[0].wrapping_add(keys[(group + 1) % 3]);
        x[1] = x[1].wrapping_add(keys[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    x
}

/// One block of Philox 4x32-10.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let a = u64::from(counter[0]) * 0xD251_1F53;
        let b = u64::from(counter[2]) * 0xCD9E_8D57;
        counter = [high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// The new state and random bits of the given shape and type.
pub fn rng_bit_generator(
    state: &Tensor,
    algorithm: RngAlgorithm,
    shape: &[usize],
    ty: ElementType,
) -> Result<(Tensor, Tensor)> {
    let words = state_words(state)?;
    let (words, bits) = match algorithm {
        RngAlgorithm::ThreeFry => three_fry_bits(&words, shape, ty)?,
        RngAlgorithm::Philox => philox_bits(&words, shape, ty)?,
    };
    let state_words = Tensor::from_fn(&[words.len()], UI64, |at| Element::Unsigned(words[at]));
    let new_state = if state.element_type().bits() == 64 {
        bitcast_convert(&state_words, state.element_type())?
    } else {
        bitcast_convert(&state_words, state.element_type())?.reshaped(state.shape())?
    };
    let width = ty.bytes();
    let bytes = bits.iter().flat_map(|bits| bits.to_le_bytes()[..width].to_vec()).collect();
    let mask_needed = ty.bits() < 8;
    let bytes: Vec<u8> = if mask_needed {
        let keep = (1u8 << ty.bits()) - 1;
        let bytes: Vec<u8> = bytes;
        bytes.into_iter().map(|byte| byte & keep).collect()
    } else {
        bytes
    };
    Ok((new_state, Tensor::from_bytes(shape, ty, bytes)?))
}

/// The state as 64-bit words; narrower elements are joined from the low end.
fn state_words(state: &Tensor) -> Result<Vec<u64>> {
    if !state.element_type().is_integer()
        || !(state.len() * state.element_type().bytes()).is_multiple_of(8)
    {
        return Err(EvalError::invalid(format!("{} is not a generator state", state.type_text())));
    }
    Ok(state
        .bytes()
        .chunks_exact(8)
        .map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
        .collect())
}

/// The dimension along which XLA splits 32-bit results in halves: the first even one, else the largest.
fn split_dimension(shape: &[usize]) -> Option<usize> {
    shape.iter().position(|size| size % 2 == 0).or_else(|| {
        let largest = shape.iter().max()?;
        shape.iter().position(|size| size == largest)
    })
}

fn three_fry_bits(words: &[u64], shape: &[usize], ty: ElementType) -> Result<(Vec<u64>, Vec<u64>)> {
    let [key, counter] = words else {
        return Err(EvalError::invalid("a ThreeFry state has two 64-bit words"));
    };
    let block = |step: u64| {
        let at = counter.wrapping_add(step);
        three_fry([low(at), high(at)], [low(*key), high(*key)])
    };
    let count = index::element_count(shape);
    if ty.bits() == 64 {
        let bits = (0..count as u64).map(block).map(|[a, b]| join(a, b)).collect();
        return Ok((vec![*key, counter.wrapping_add(count as u64)], bits));
    }
    // A block gives two neighbours along the split dimension.
    let Some(split) = split_dimension(shape) else {
        return Ok((vec![*key, counter.wrapping_add(1)], vec![u64::from(block(0)[0])]));
    };
    let mut half = shape.to_vec();
    half[split] = half[split].div_ceil(2);
    let mut bits = Vec::with_capacity(count);
    index::for_each(shape, |at, _| {
        let mut source = at.to_vec();
        source[split] /= 2;
        let pair = block(index::position(&source, &half) as u64);
        bits.push(u64::from(pair[at[split] % 2]));
    });
    Ok((vec![*key, counter.wrapping_add(index::element_count(&half) as u64)], bits))
}

fn philox_bits(words: &[u64], shape: &[usize], ty: ElementType) -> Result<(Vec<u64>, Vec<u64>)> {
    // With a state of two words, the key doubles as the counter's high half.
    let (key, counter) = match words {
        [key, low, high] => (*key, u128::from(*low) | u128::from(*high) << 64),
        [key, low] => (*key, u128::from(*low) | u128::from(*key) << 64),
        _ => return Err(EvalError::invalid("a Philox state has two or three 64-bit words")),
    };
    let count = index::element_count(shape);
    let per_block = if ty.bits() == 64 { 2 } else { 4 };
    let blocks = count.div_ceil(per_block);
    let mut bits = Vec::with_capacity(blocks * per_block);
    for step in 0..blocks {
        let at = counter.wrapping_add(step as u128);
        let (lower, upper) = (at as u64, (at >> 64) as u64);
        let out = philox([low(lower), high(lower), low(upper), high(upper)], [low(key), high(key)]);
        if per_block == 2 {
            bits.extend([join(out[0], out[1]), join(out[2], out[3])]);
        } else {
            bits.extend(out.map(u64::from));
        }
    }
    bits.truncate(count);
    let end = counter.wrapping_add(blocks as u128);
    let mut state = vec![key, end as u64, (end >> 64) as u64];
    state.truncate(words.len());
    Ok((state, bits))
}

/// The distribution of `rng`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Uniform in `[a, b)`.
    Uniform,
    /// Normal with mean `a` and standard deviation `b`.
    Normal,
}

impl Distribution {
    /// The distribution with that name (`UNIFORM`, `NORMAL`).
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "UNIFORM" => Distribution::Uniform,
            "NORMAL" => Distribution::Normal,
            _ => return None,
        })
    }
}

/// The stream for `rng`: ThreeFry blocks of a key with an increasing counter. Equal seeds give equal
/// numbers.
#[derive(Clone, Debug)]
pub struct RngStream {
    key: u64,
    counter: u64,
}

impl RngStream {
    /// A stream at its start.
    pub fn new(seed: u64) -> Self {
        Self { key: seed, counter: 0 }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let counter = [low(self.counter), high(self.counter)];
        self.counter = self.counter.wrapping_add(1);
        let [a, b] = three_fry(counter, [low(self.key), high(self.key)]);
        join(a, b)
    }

    /// The next number in `[0, 1)`, a multiple of 2^-53.
    pub fn next_unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Random elements of the given shape in the type of `a` and `b`.
pub fn rng(
    a: &Tensor,
    b: &Tensor,
    shape: &[usize],
    distribution: Distribution,
    stream: &mut RngStream,
) -> Result<Tensor> {
    let ty = a.element_type();
    let (low, high) = (a.single()?, b.single()?);
    Tensor::try_from_fn(shape, ty, |_| match (distribution, low, high) {
        (Distribution::Uniform, Element::Float(low), Element::Float(high)) => {
            let ElementType::Float(format) = ty else {
                return Err(EvalError::invalid("the bounds have different types"));
            };
            let value = format.round(low + (high - low) * stream.next_unit());
            // Rounding may reach the bound, which is excluded.
            Ok(Element::Float(if value >= high { low } else { value }))
        }
        (Distribution::Normal, Element::Float(mean), Element::Float(deviation)) => {
            // Box-Muller; the first factor must not be the logarithm of zero.
            let radius = (-2.0 * (1.0 - stream.next_unit()).ln()).sqrt();
            Ok(Element::Float(mean + deviation * radius * (TAU * stream.next_unit()).cos()))
        }
        (Distribution::Uniform, Element::Bool(low), Element::Bool(high)) => {
            // Drawn in any case: how many numbers are drawn must not depend on the bounds.
            let coin = stream.next_u64() & 1 == 1;
            Ok(Element::Bool(if low == high { low } else { coin }))
        }
        (Distribution::Uniform, Element::Unsigned(low), Element::Unsigned(high)) => {
            let range = high.wrapping_sub(low).max(1);
            Ok(Element::Unsigned(low.wrapping_add(stream.next_u64() % range)))
        }
        (Distribution::Uniform, Element::Signed(low), Element::Signed(high)) => {
            let range = (high.wrapping_sub(low) as u64).max(1);
            Ok(Element::Signed(low.wrapping_add((stream.next_u64() % range) as i64)))
        }
        _ => Err(EvalError::unsupported(format!("{distribution:?} is not defined for {ty}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{F32, I32, UI8, UI32};

    #[test]
    fn published_test_vectors() {
        // kat_vectors of the authors' library.
        assert_eq!(three_fry([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(three_fry([u32::MAX; 2], [u32::MAX; 2]), [0x1cb9_96fc, 0xbb00_2be7]);
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }

    fn state(words: &[i64]) -> Tensor {
        Tensor::of_integers(&[words.len()], UI64, words)
    }

    #[test]
    fn the_counter_advances_by_blocks() {
        let (next, bits) =
            rng_bit_generator(&state(&[0, 0]), RngAlgorithm::ThreeFry, &[3], UI32).unwrap();
        assert_eq!(next.to_i64s().unwrap(), [0, 2]);
        assert_eq!(bits.to_i64s().unwrap()[..2], [0x6b20_0159, 0x99ba_4efe]);
        let (next, bits) =
            rng_bit_generator(&state(&[0, 0, 0]), RngAlgorithm::Philox, &[5], UI32).unwrap();
        assert_eq!(next.to_i64s().unwrap(), [0, 2, 0]);
        assert_eq!(bits.to_i64s().unwrap()[1], 0xe169_c58d);
        let (_, narrow) =
            rng_bit_generator(&state(&[0, 0, 0]), RngAlgorithm::Philox, &[2], UI8).unwrap();
        assert_eq!(narrow.to_i64s().unwrap(), [0xd5, 0x8d]);
        let (_, wide) =
            rng_bit_generator(&state(&[0, 0, 0]), RngAlgorithm::Philox, &[1], UI64).unwrap();
        assert_eq!(wide.get(0), Element::Unsigned(0xe169_c58d_6627_e8d5));
    }

    #[test]
    fn bad_states_are_errors() {
        assert!(rng_bit_generator(&state(&[0]), RngAlgorithm::ThreeFry, &[1], UI32).is_err());
        let odd = Tensor::from_i32(&[3], &[0; 3]);
        assert!(rng_bit_generator(&odd, RngAlgorithm::Philox, &[1], UI32).is_err());
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut stream = RngStream::new(7);
        let (low, high) = (Tensor::from_f32(&[], &[2.0]), Tensor::from_f32(&[], &[3.0]));
        let drawn = rng(&low, &high, &[100], Distribution::Uniform, &mut stream).unwrap();
        assert!(drawn.to_f64s().iter().all(|x| (2.0..3.0).contains(x)));
        let (low, high) = (Tensor::from_i32(&[], &[-2]), Tensor::from_i32(&[], &[2]));
        let drawn = rng(&low, &high, &[100], Distribution::Uniform, &mut stream).unwrap();
        let drawn = drawn.to_i64s().unwrap();
        assert!((-2..2).all(|x| drawn.contains(&x)) && drawn.iter().all(|x| (-2..2).contains(x)));
        assert!(rng(&low, &high, &[1], Distribution::Normal, &mut stream).is_err());
    }

    #[test]
    fn normal_numbers_have_mean_and_deviation() {
        let mut stream = RngStream::new(1);
        let (mean, deviation) = (Tensor::from_f32(&[], &[5.0]), Tensor::from_f32(&[], &[2.0]));
        let drawn = rng(&mean, &deviation, &[4001], Distribution::Normal, &mut stream).unwrap();
        assert_eq!(drawn.element_type(), F32);
        let values = drawn.to_f64s();
        let average = values.iter().sum::<f64>() / 4001.0;
        let variance = values.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 4001.0;
        assert!((average - 5.0).abs() < 0.15 && (variance.sqrt() - 2.0).abs() < 0.1);
        assert_eq!(I32.bytes(), 4);
    }
}
