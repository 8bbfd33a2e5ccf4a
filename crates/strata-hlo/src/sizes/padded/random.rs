//! Random bits. A generator numbers its blocks by the places of elements among all of a tensor, so the bits of an element depend on the
//! valid sizes, and not on those of buffers: bits are generated as one line, of which each element takes its own.
//!
//! ```text
//! %s1, %bits = custom_call @stablehlo.dynamic_rng_bit_generator(%s0, [4, %n]) : tensor<4x?xui32>
//! =>
//! %_, %line = rng_bit_generator(%s0) : tensor<Nxui32>
//! %bits = %line[place of each element among 4 x %n]
//! %s1 = %s0, after as many blocks as 4 x %n elements take
//! ```

use strata_ir::{
    Builder, ComparisonDirection, Op, RngAlgorithm, Type, TypeExt as _, Value, i64s, int, integer,
    stablehlo, tensor, unsigned_integer,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::DimExpr;

use super::{Padded, Padding, extent::Extent, padded_type};
use crate::emit::Emit as _;

/// How a generator gives bits to elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// So many elements, one after the other, have one block.
    Line(i64),
    /// Two neighbours along one dimension have a block: the first dimension of even size, else the first of the largest.
    Pairs,
}

impl Blocks {
    fn of(algorithm: RngAlgorithm, width: u32) -> Self {
        match (algorithm, width) {
            (RngAlgorithm::ThreeFry, 64) => Self::Line(1),
            (RngAlgorithm::ThreeFry, _) => Self::Pairs,
            (_, 64) => Self::Line(2),
            _ => Self::Line(4),
        }
    }

    /// The bits of all blocks that sizes up to these take.
    fn length(self, bounds: &[i64]) -> Outcome<i64> {
        let product = |half: Option<usize>| {
            let size = |(dim, size): (usize, &i64)| match half == Some(dim) {
                true => (size + 1) / 2,
                false => *size,
            };
            bounds.iter().enumerate().map(size).try_fold(1, i64::checked_mul)
        };
        let length = match self {
            Self::Line(_) => product(None),
            Self::Pairs => {
                let all = (0..bounds.len()).map(|dim| product(Some(dim))?.checked_mul(2));
                all.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max())
            }
        };
        length.or_decline("there are too many bits")
    }

    /// Whether the bits of sizes up to a bound are the first ones of those of the bound, in a buffer of the bound.
    fn are_first(self, dims: &[Extent], bounds: &[i64]) -> bool {
        let long = |dim: &usize| bounds[*dim] > 1;
        let mut long = (0..dims.len()).filter(long);
        long.next();
        match self {
            Self::Line(_) => long.all(|dim| dims[dim].is_full()),
            Self::Pairs => long.next().is_none(),
        }
    }
}

impl<'c> Padding<'c> {
    /// `dynamic_rng_bit_generator`: the next state, and the bits.
    pub fn random_bits(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        (op.operand_count() == 2 && op.result_count() == 2).or_decline("it has other values")?;
        let state = self.padded(op.operand(0))?;
        state.is_full().or_decline("its state has an open size")?;
        let shape = self.shape(op.operand(1))?;
        for size in &shape {
            self.fits_into(&DimExpr::constant(0), size);
        }
        let dims = self.extents(&shape)?;
        let ty = padded_type(&dims, op.result(1).ty().element())?;
        let bounds = ty.shape().unwrap_or_default();
        let algorithm =
            op.attr("rng_algorithm").or_decline("attribute `rng_algorithm` is missing")?;
        let generated = |length: &[i64]| {
            let generator = builder.op(stablehlo::RNG_BIT_GENERATOR).operand(state.value);
            let ty = tensor(length, ty.element());
            generator.attr("rng_algorithm", algorithm).results(&[state.value.ty(), ty]).build()
        };
        let of = |value: Value<'c>, bits: Value<'c>| {
            let state = Padded { value, ..state.clone() };
            vec![state, Padded { value: bits, dims: dims.clone(), zero: false }]
        };
        if dims.iter().all(Extent::is_full) {
            let new = generated(&bounds);
            return Ok(of(new.result(0), new.result(1)));
        }
        if bounds.contains(&0) {
            return Ok(of(state.value, builder.zeros(ty)?));
        }
        let algorithm = RngAlgorithm::from_attribute(algorithm)
            .or_decline("attribute `rng_algorithm` is not an algorithm")?;
        let width = ty.element().bit_width().or_decline("the element type has no bits")?;
        let blocks = Blocks::of(algorithm, width);
        let sizes = shape.iter().map(|size| self.number(builder, size));
        let sizes = sizes.collect::<Outcome<Vec<_>>>()?;
        // For pairs, whether a dimension is that along which they lie, and the sizes in blocks.
        let paired = match blocks {
            Blocks::Pairs => paired(builder, &sizes)?,
            Blocks::Line(_) => Vec::new(),
        };
        let mut counts = sizes;
        for (size, is_paired) in counts.iter_mut().zip(&paired) {
            // Rounded up where it is halved, the same else.
            let more = builder.same(stablehlo::ADD, &[*size, *is_paired]);
            *size = builder.same(stablehlo::SHIFT_RIGHT_LOGICAL, &[more, *is_paired]);
        }
        let all = counts
            .iter()
            .copied()
            .reduce(|all, size| builder.same(stablehlo::MULTIPLY, &[all, size]));
        let mut taken = all.unwrap_or_else(|| builder.counter(1));
        if let Blocks::Line(each @ 2..) = blocks {
            let last = builder.same(stablehlo::ADD, &[taken, builder.counter(each - 1)]);
            taken = builder.same(stablehlo::DIVIDE, &[last, builder.counter(each)]);
        }
        let next = advanced(builder, state.value, taken, algorithm)?;
        let length = blocks.length(&bounds)?;
        let count = bounds.iter().product();
        let line = |length: i64| generated(&[length]).result(1);
        if blocks.are_first(&dims, &bounds) {
            return Ok(of(next, builder.reshaped(line(count), &bounds)));
        }
        let element = integer(self.context, if length > i64::from(i32::MAX) { 64 } else { 32 });
        let places = places(builder, (&bounds, element), &counts, &paired);
        let places = builder.reshaped(places, &[count]);
        let bits = self.picked(builder, line(length), 0, places)?;
        Ok(of(next, builder.reshaped(bits, &bounds)))
    }
}

/// 1 for the dimension along which pairs lie, 0 for all others, as `tensor<i64>`.
fn paired<'c>(builder: &Builder<'c>, sizes: &[Value<'c>]) -> Outcome<Vec<Value<'c>>> {
    let (zero, two) = (builder.counter(0), builder.counter(2));
    let is_even = |size: &Value<'c>| {
        let rest = builder.same(stablehlo::REMAINDER, &[*size, two]);
        builder.compare(ComparisonDirection::Eq, rest, zero)
    };
    let even = sizes.iter().map(is_even).collect::<Outcome<Vec<_>>>()?;
    let largest =
        sizes.iter().copied().reduce(|one, other| builder.same(stablehlo::MAXIMUM, &[one, other]));
    let largest = largest.or_decline("there is no dimension")?;
    let is_largest = |size: &Value<'c>| builder.compare(ComparisonDirection::Eq, *size, largest);
    let large = sizes.iter().map(is_largest).collect::<Outcome<Vec<_>>>()?;
    let (even, has_even) = first(builder, &even);
    let (large, _) = first(builder, &large);
    let has_even = has_even.or_decline("there is no dimension")?;
    let chosen = even.into_iter().zip(large);
    let chosen = chosen.map(|(even, large)| builder.selected(has_even, even, large));
    Ok(chosen.map(|one| builder.converted(one, integer(builder.context, 64))).collect())
}

/// The first of these that holds, alone, and whether one does.
fn first<'c>(builder: &Builder<'c>, all: &[Value<'c>]) -> (Vec<Value<'c>>, Option<Value<'c>>) {
    let mut before: Option<Value<'c>> = None;
    let mut firsts = Vec::new();
    for one in all {
        firsts.push(match before {
            None => *one,
            Some(before) => {
                let none = builder.same(stablehlo::NOT, &[before]);
                builder.same(stablehlo::AND, &[*one, none])
            }
        });
        before = Some(match before {
            None => *one,
            Some(before) => builder.same(stablehlo::OR, &[before, *one]),
        });
    }
    (firsts, before)
}

/// Which bits of the line each element has: its place among the valid ones, in blocks along the dimension of pairs.
fn places<'c>(
    builder: &Builder<'c>,
    (bounds, element): (&[i64], Type<'c>),
    counts: &[Value<'c>],
    paired: &[Value<'c>],
) -> Value<'c> {
    let spread = |number: Value<'c>| {
        builder.broadcast_in_dim(builder.converted(number, element), bounds, &[])
    };
    let mut block: Option<Value<'c>> = None;
    let mut within: Option<Value<'c>> = None;
    for (dim, count) in counts.iter().enumerate() {
        let mut own = builder.iota(bounds, element, dim as i64);
        if let Some(is_paired) = paired.get(dim) {
            let is_paired = spread(*is_paired);
            let second = builder.same(stablehlo::AND, &[own, is_paired]);
            within = Some(match within {
                None => second,
                Some(within) => builder.same(stablehlo::OR, &[within, second]),
            });
            own = builder.same(stablehlo::SHIFT_RIGHT_LOGICAL, &[own, is_paired]);
        }
        block = Some(match block {
            None => own,
            Some(block) => {
                let before = builder.same(stablehlo::MULTIPLY, &[block, spread(*count)]);
                builder.same(stablehlo::ADD, &[before, own])
            }
        });
    }
    let block = block.unwrap_or_else(|| builder.int_constant(tensor(bounds, element), 0));
    match within {
        None => block,
        Some(within) => {
            let first = builder.same(stablehlo::ADD, &[block, block]);
            builder.same(stablehlo::ADD, &[first, within])
        }
    }
}

/// The state after so many blocks: a key, and a counter of 64 bits, or of 128 where there are three words.
fn advanced<'c>(
    builder: &Builder<'c>,
    state: Value<'c>,
    blocks: Value<'c>,
    algorithm: RngAlgorithm,
) -> Outcome<Value<'c>> {
    let own = state.ty();
    let word = unsigned_integer(builder.context, 64);
    let &[count] = own.shape().unwrap_or_default().as_slice() else {
        return Err("the state is not a vector".into());
    };
    let cast = |value: Value<'c>, ty: Type<'c>| {
        if value.ty() == ty {
            return value;
        }
        builder.op(stablehlo::BITCAST_CONVERT).operand(value).result(ty).value()
    };
    let (words, length) = match own.element().bit_width() {
        Some(64) => (cast(state, tensor(&[count], word)), count),
        Some(32) if count % 2 == 0 => {
            let halves = builder.reshaped(state, &[count / 2, 2]);
            (cast(halves, tensor(&[count / 2], word)), count / 2)
        }
        _ => return Err("the state's element type is not supported".into()),
    };
    let is_known = length == 2 || length == 3 && algorithm != RngAlgorithm::ThreeFry;
    is_known.or_decline("the state has another number of words")?;
    let part = |at: i64| {
        let list = |value: i64| i64s(builder.context, &[value]);
        let slice = builder.op(stablehlo::SLICE).operand(words);
        let slice = slice.attr("start_indices", list(at)).attr("limit_indices", list(at + 1));
        slice.attr("strides", list(1)).result(tensor(&[1], word)).value()
    };
    let blocks = builder.reshaped(builder.converted(blocks, word), &[1]);
    let low = builder.same(stablehlo::ADD, &[part(1), blocks]);
    let mut all = vec![part(0), low];
    if length == 3 {
        let carries = builder.compare(ComparisonDirection::Lt, low, blocks)?;
        let carry = builder.converted(carries, word);
        all.push(builder.same(stablehlo::ADD, &[part(2), carry]));
    }
    let next = builder
        .op(stablehlo::CONCATENATE)
        .operands(&all)
        .attr("dimension", int(integer(builder.context, 64), 0))
        .result(tensor(&[length], word))
        .value();
    Ok(match own.element().bit_width() {
        Some(32) => {
            let halves = cast(next, tensor(&[length, 2], own.element()));
            builder.reshaped(halves, &[count])
        }
        _ => cast(next, own),
    })
}
