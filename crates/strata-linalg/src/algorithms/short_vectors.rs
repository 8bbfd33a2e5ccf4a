//! Short vectors: short one-dimensional tensors for algorithms that are loops around straight-line
//! code.
//!
//! ```text
//! %x = tensor.extract_slice %from[%i, %j] [1, 16] [1, 1] : tensor<9x32xf32> to tensor<16xf32>
//! %y = arith.addf %x, %x : tensor<16xf32>
//! tensor.insert_slice %y into %to[%i, %j] [1, 16] [1, 1]
//! ```
//! Stage `schedule` converts them to vectors. A vector of one lane is a scalar.

use strata_ir::{Builder, Type, TypeExt as _, Value, arith, dense_bytes, integer, tensor};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::{Target, tuning::short_vectors::MIN_BITS};

/// MLIR's mark for an offset that is an operand.
const DYNAMIC: i64 = i64::MIN;

/// The number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(pub i64);

impl Lanes {
    /// As many lanes of at least 32 bits as the target computes together, but no more than `extent`.
    pub fn along(extent: i64, element: Type<'_>, target: &Target) -> Self {
        let bits = element.bit_width().unwrap_or(32).max(32);
        let full = target.lanes(bits).max(MIN_BITS / bits);
        Self(extent.min(i64::from(full)))
    }

    /// The type of a short vector.
    pub fn row<'c>(self, element: Type<'c>) -> Type<'c> {
        if self.0 == 1 { element } else { tensor(&[self.0], element) }
    }

    /// The short vector of `from` at `at` along the last dimension.
    pub fn load<'c>(self, b: &Builder<'c>, from: Value<'c>, at: &[Value<'c>]) -> Value<'c> {
        if self.0 == 1 {
            return b.extract(from, at);
        }
        slice_at(b, from, at, &[self.0], self.row(from.ty().element()))
    }

    /// `into` with the short vector `value` at `at`.
    pub fn store<'c>(
        self,
        b: &Builder<'c>,
        value: Value<'c>,
        into: Value<'c>,
        at: &[Value<'c>],
    ) -> Value<'c> {
        if self.0 == 1 {
            return crate::loops::insert(b, value, into, at);
        }
        insert_at(b, value, into, at, &[self.0])
    }

    /// A splat.
    pub fn splat<'c>(self, b: &Builder<'c>, scalar: Value<'c>) -> Value<'c> {
        if self.0 == 1 {
            return scalar;
        }
        b.op(tensor::SPLAT).operand(scalar).result(self.row(scalar.ty())).value()
    }

    /// Two vectors, one after the other, for [`Self::shuffle`].
    pub fn both<'c>(self, b: &Builder<'c>, vectors: [Value<'c>; 2]) -> Value<'c> {
        let ty = tensor(&[2 * self.0], vectors[0].ty().element());
        tensor::concat(b, 0, &vectors, ty).value()
    }

    /// Lanes of two vectors at constant places ([`places`]).
    ///
    /// ```text
    /// %both = tensor.concat dim(0) %x, %y : (tensor<16xi32>, tensor<16xi32>) -> tensor<32xi32>
    /// %z = tensor.gather %both[%places] gather_dims([0]) : (tensor<32xi32>, tensor<16x1xi32>) -> tensor<16xi32>
    /// ```
    pub fn shuffle<'c>(self, b: &Builder<'c>, both: Value<'c>, places: Value<'c>) -> Value<'c> {
        tensor::gather(b, both, places, &[0], self.row(both.ty().element())).value()
    }

    /// A splat of a floating-point constant.
    pub fn float<'c>(self, b: &Builder<'c>, element: Type<'c>, value: f64) -> Value<'c> {
        self.splat(b, b.float(element, value))
    }
}

/// A constant of places that lanes are taken from.
pub fn places<'c>(b: &Builder<'c>, places: impl Iterator<Item = i64>) -> Outcome<Value<'c>> {
    let places: Vec<_> = places.collect();
    let bytes: Vec<u8> = places.iter().flat_map(|place| (*place as i32).to_le_bytes()).collect();
    let ty = tensor(&[places.len() as i64, 1], integer(b.context, 32));
    let all = dense_bytes(ty, &bytes).or_decline("MLIR refuses the places")?;
    Ok(arith::constant(b, all, ty).value())
}

/// The `rows x columns` block of `from` along its last two dimensions that begins at `at`.
pub fn slice_block<'c>(
    b: &Builder<'c>,
    from: Value<'c>,
    at: &[Value<'c>],
    block: &[i64; 2],
) -> Value<'c> {
    slice_at(b, from, at, block, tensor(block, from.ty().element()))
}

/// `into` with a matrix at `at` of its last two dimensions.
pub fn insert_block<'c>(
    b: &Builder<'c>,
    block: Value<'c>,
    into: Value<'c>,
    at: &[Value<'c>],
) -> Value<'c> {
    let sizes = block.ty().shape().unwrap_or_default();
    insert_at(b, block, into, at, &sizes)
}

/// The part of `from` at run-time offsets that has `block` along the last dimensions and one element along all others.
fn slice_at<'c>(
    b: &Builder<'c>,
    from: Value<'c>,
    at: &[Value<'c>],
    block: &[i64],
    ty: Type<'c>,
) -> Value<'c> {
    let (offsets, sizes, strides) = block_bounds(at.len(), block);
    tensor::extract_slice(b, from, &offsets, &sizes, &strides, ty).offsets(at).value()
}

/// `into` with `part` where [`slice_at`] would read it.
fn insert_at<'c>(
    b: &Builder<'c>,
    part: Value<'c>,
    into: Value<'c>,
    at: &[Value<'c>],
    block: &[i64],
) -> Value<'c> {
    let (offsets, sizes, strides) = block_bounds(at.len(), block);
    let inserted = tensor::insert_slice(b, part, into, &offsets, &sizes, &strides, into.ty());
    inserted.offsets(at).value()
}

/// Static offsets, sizes and strides.
fn block_bounds(rank: usize, block: &[i64]) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
    let mut sizes = vec![1; rank.saturating_sub(block.len())];
    sizes.extend(block);
    (vec![DYNAMIC; rank], sizes, vec![1; rank])
}

/// `length` elements of `from` from `at` on, along the last dimension: a vector.
pub fn slice_run<'c>(b: &Builder<'c>, from: Value<'c>, at: &[Value<'c>], length: i64) -> Value<'c> {
    slice_at(b, from, at, &[length], tensor(&[length], from.ty().element()))
}

/// `into` with a vector at `at` along its last dimension.
pub fn insert_run<'c>(
    b: &Builder<'c>,
    run: Value<'c>,
    into: Value<'c>,
    at: &[Value<'c>],
) -> Value<'c> {
    insert_block(b, run, into, at)
}
