//! Expands operations of older programs: einsum and index select.
//!
//! ```text
//! einsum(x, y), config "ijk,ikm->ijm"          → dot_general, with a transpose of the result where letters move
//! unary_einsum(x), config "ab->a"              → reduce by addition
//! torch_index_select(x, i), dim, batch_dims    → gather
//! ```
//!
//! A repeated letter of one operand takes its diagonal; a letter of one operand only, and not of the result, is
//! summed over first.

use strata_ir::{
    AttributeExt as _, Builder, DotDimensionNumbers, GatherDimensionNumbers, Op, TypeExt as _,
    Value, i64s, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{emit::Emit as _, pattern::patterns};

patterns! {
    /// Sums of products of two operands.
    ExpandEinsum = "expand-einsum" on [Einsum] by einsum;
    /// Sums of one operand.
    ExpandUnaryEinsum = "expand-unary-einsum" on [UnaryEinsum] by unary_einsum;
    /// Elements along one dimension.
    ExpandIndexSelect = "expand-index-select" on [TorchIndexSelect] by index_select;
}

/// A value with a letter for each dimension.
struct Lettered<'c> {
    value: Value<'c>,
    letters: Vec<char>,
}

/// The letters of the operands and of the result.
fn letters(op: Op<'_>) -> Outcome<(Vec<Vec<char>>, Vec<char>)> {
    let config = op.attr("einsum_config").and_then(|config| config.as_str());
    let config = config.or_decline("attribute `einsum_config` is missing")?;
    let (operands, result) = config.split_once("->").or_decline("the result has no letters")?;
    let of = |part: &str| part.trim().chars().collect::<Vec<_>>();
    let operands: Vec<_> = operands.split(',').map(of).collect();
    let result = of(result);
    let plain = operands.iter().flatten().chain(&result).all(char::is_ascii_alphabetic);
    plain.or_decline("a dimension is not named by a letter")?;
    let known = result.iter().all(|letter| operands.iter().flatten().any(|one| one == letter));
    known.or_decline("the result has a letter that no operand has")?;
    let once = (1..result.len()).all(|at| !result[..at].contains(&result[at]));
    once.or_decline("the result has a letter twice")?;
    Ok((operands, result))
}

impl<'c> Lettered<'c> {
    fn of(value: Value<'c>, letters: &[char]) -> Outcome<Self> {
        value.ty().has_static_shape().or_decline("the shape is not static")?;
        (value.ty().rank() == Some(letters.len())).or_decline("the letters do not fit")?;
        Ok(Self { value, letters: letters.to_vec() })
    }

    fn shape(&self) -> Vec<i64> {
        self.value.ty().shape().unwrap_or_default()
    }

    fn reshaped(&self, b: &Builder<'c>, shape: &[i64]) -> Value<'c> {
        let ty = tensor(shape, self.value.ty().element());
        b.op(stablehlo::RESHAPE).operand(self.value).result(ty).value()
    }

    fn position(&self, letter: char) -> Option<usize> {
        self.letters.iter().position(|one| *one == letter)
    }

    /// The dimensions in the order of `letters`, which are all of them.
    fn transposed(&self, b: &Builder<'c>, letters: &[char]) -> Outcome<Self> {
        if self.letters == letters {
            return Ok(Self { value: self.value, letters: letters.to_vec() });
        }
        let order = letters.iter().map(|letter| self.position(*letter));
        let order: Option<Vec<_>> = order.collect();
        let order = order.or_decline("a letter is missing")?;
        let value = b.transposed(self.value, &order);
        Ok(Self { value, letters: letters.to_vec() })
    }

    /// Removes repeated letters: takes the diagonal of two dimensions with the same letter.
    fn diagonal(mut self, b: &Builder<'c>) -> Outcome<Self> {
        while let Some(second) =
            (1..self.letters.len()).find(|at| self.letters[..*at].contains(&self.letters[*at]))
        {
            let letter = self.letters[second];
            let shape = self.shape();
            let first = self.position(letter).or_decline("a letter is missing")?;
            let size = shape[first];
            (shape[second] == size).or_decline("a letter has two sizes")?;
            // Adjacent and last: elements of the diagonal are size + 1 apart.
            let mut order: Vec<usize> =
                (0..shape.len()).filter(|dim| *dim != first && *dim != second).collect();
            let rest: Vec<char> = order.iter().map(|dim| self.letters[*dim]).collect();
            let mut kept: Vec<i64> = order.iter().map(|dim| shape[*dim]).collect();
            order.extend([first, second]);
            let moved: Vec<_> = order.iter().map(|dim| shape[*dim]).collect();
            let permutation: Vec<_> = order.iter().map(|dim| *dim as i64).collect();
            let element = self.value.ty().element();
            let value = b
                .op(stablehlo::TRANSPOSE)
                .operand(self.value)
                .attr("permutation", i64s(b.context, &permutation))
                .result(tensor(&moved, element))
                .value();
            let mut line = kept.clone();
            line.push(size * size);
            let flat = Self { value, letters: Vec::new() }.reshaped(b, &line);
            kept.push(size);
            let mut strides = vec![1; kept.len()];
            if let Some(last) = strides.last_mut() {
                *last = size + 1;
            }
            let value = b
                .op(stablehlo::SLICE)
                .operand(flat)
                .attr("start_indices", i64s(b.context, &vec![0; kept.len()]))
                .attr("limit_indices", i64s(b.context, &line))
                .attr("strides", i64s(b.context, &strides))
                .result(tensor(&kept, element))
                .value();
            let mut letters = rest;
            letters.push(letter);
            self = Self { value, letters };
        }
        Ok(self)
    }

    /// Sums over the letters that do not satisfy `keeps`.
    fn summed(self, b: &Builder<'c>, keeps: impl Fn(char) -> bool) -> Outcome<Self> {
        let dims: Vec<usize> =
            (0..self.letters.len()).filter(|dim| !keeps(self.letters[*dim])).collect();
        if dims.is_empty() {
            return Ok(self);
        }
        let is_complex = self.value.ty().element().is_complex();
        (!is_complex).or_decline("sums over complex numbers are not supported here")?;
        let value = b.summed(self.value, &dims)?;
        let kept = (0..self.letters.len()).filter(|dim| !dims.contains(dim));
        let letters = kept.map(|dim| self.letters[dim]).collect();
        Ok(Self { value, letters })
    }
}

fn unary_einsum<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (operands, result) = letters(op)?;
    let [letters] = &operands[..] else { return Err("there is one operand".into()) };
    let builder = rewriter.builder();
    let sums = Lettered::of(op.operand(0), letters)?
        .diagonal(&builder)?
        .summed(&builder, |letter| result.contains(&letter))?
        .transposed(&builder, &result)?;
    replace(op, rewriter, sums.value)
}

fn einsum<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (operands, result) = letters(op)?;
    let [left, right] = &operands[..] else { return Err("there are two operands".into()) };
    let builder = rewriter.builder();
    let lhs = Lettered::of(op.operand(0), left)?
        .diagonal(&builder)?
        .summed(&builder, |letter| result.contains(&letter) || right.contains(&letter))?;
    let rhs = Lettered::of(op.operand(1), right)?
        .diagonal(&builder)?
        .summed(&builder, |letter| result.contains(&letter) || left.contains(&letter))?;
    let shared: Vec<char> =
        lhs.letters.iter().copied().filter(|letter| rhs.letters.contains(letter)).collect();
    let (batch, contract): (Vec<char>, Vec<char>) =
        shared.into_iter().partition(|letter| result.contains(letter));
    let at = |operand: &Lettered<'_>, letters: &[char]| -> Vec<i64> {
        letters
            .iter()
            .filter_map(|letter| operand.position(*letter))
            .map(|dim| dim as i64)
            .collect()
    };
    let free = |operand: &Lettered<'_>| -> Vec<char> {
        let shared = |letter: &char| batch.contains(letter) || contract.contains(letter);
        operand.letters.iter().copied().filter(|letter| !shared(letter)).collect()
    };
    let mut order = batch.clone();
    order.extend(free(&lhs));
    order.extend(free(&rhs));
    let size = |letter: &char| {
        let of = |operand: &Lettered<'_>| Some(operand.shape()[operand.position(*letter)?]);
        of(&lhs).or_else(|| of(&rhs)).unwrap_or(1)
    };
    let sizes: Vec<_> = order.iter().map(size).collect();
    let numbers = DotDimensionNumbers {
        lhs_batching_dimensions: at(&lhs, &batch),
        rhs_batching_dimensions: at(&rhs, &batch),
        lhs_contracting_dimensions: at(&lhs, &contract),
        rhs_contracting_dimensions: at(&rhs, &contract),
    };
    let numbers = numbers.to_attribute(builder.context).or_decline("the dimensions do not fit")?;
    let product = builder
        .op(stablehlo::DOT_GENERAL)
        .operands(&[lhs.value, rhs.value])
        .attr("dot_dimension_numbers", numbers)
        .result(tensor(&sizes, op.result(0).ty().element()))
        .value();
    let product = Lettered { value: product, letters: order }.transposed(&builder, &result)?;
    replace(op, rewriter, product.value)
}

/// Replaces `op` by the value, converted if the element types differ.
fn replace<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>, value: Value<'c>) -> Outcome {
    let ty = op.result(0).ty();
    let value = if value.ty() == ty {
        value
    } else {
        (value.ty().shape() == ty.shape()).or_decline("the result has another shape")?;
        rewriter.builder().op(stablehlo::CONVERT).operand(value).result(ty).value()
    };
    rewriter.replace(&[value]);
    Ok(())
}

fn index_select<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (operand, index) = (op.operand(0), op.operand(1));
    let number = |name: &'static str| op.attr(name).and_then(|value| value.as_i64());
    let dim = number("dim").or_decline("attribute `dim` is missing")?;
    let batch = number("batch_dims").or_decline("attribute `batch_dims` is missing")?;
    let shape = operand.ty().shape().or_decline("the shape is not static")?;
    let indices = index.ty().shape().or_decline("the shape is not static")?;
    let (rank, index_rank) = (shape.len() as i64, indices.len() as i64);
    let in_range = 0 <= batch && batch <= dim && dim < rank && batch <= index_rank;
    in_range.or_decline("the dimension is out of range")?;
    let added = index_rank - batch;
    let batches: Vec<i64> = (0..batch).collect();
    let numbers = GatherDimensionNumbers {
        offset_dims: (batch..dim).chain(dim + added..rank + added - 1).collect(),
        collapsed_slice_dims: vec![dim],
        operand_batching_dims: batches.clone(),
        start_indices_batching_dims: batches,
        start_index_map: vec![dim],
        index_vector_dim: index_rank,
    };
    let builder = rewriter.builder();
    let numbers = numbers.to_attribute(builder.context).or_decline("the dimensions do not fit")?;
    let sizes = shape.iter().enumerate().map(|(at, size)| {
        let at = at as i64;
        if at == dim || at < batch { (*size).min(1) } else { *size }
    });
    let sizes: Vec<_> = sizes.collect();
    let value = builder
        .op(stablehlo::GATHER)
        .operands(&[operand, index])
        .attr("dimension_numbers", numbers)
        .attr("slice_sizes", i64s(builder.context, &sizes))
        .result(op.result(0).ty())
        .value();
    rewriter.replace(&[value]);
    Ok(())
}
