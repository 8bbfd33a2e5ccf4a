//! Short vectors: short one-dimensional tensors for algorithms that are loops around straight-line
//! code.
//!
//! ```text
//! %x = tensor.extract_slice %from[%i, %j] [1, 16] [1, 1] : tensor<9x32xf32> to tensor<16xf32>
//! %y = arith.addf %x, %x : tensor<16xf32>
//! tensor.insert_slice %y into %to[%i, %j] [1, 16] [1, 1]
//! ```
//! Stage `schedule` converts them to vectors. A vector of one lane is a scalar.

use strata_ir::{
    Attribute, Builder, Type, TypeExt as _, Value, i32s, i64s, tensor,
    tuning::short_vectors::{MAX_LANES, MAX_WIDE_LANES},
};

use crate::emit::Emit as _;

/// MLIR's mark for an offset that is an operand.
const DYNAMIC: i64 = i64::MIN;

/// The number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(pub i64);

impl Lanes {
    /// As many lanes as there are at most, but no more than `extent`.
    pub fn along(extent: i64, element: Type<'_>) -> Self {
        let full = if element.bit_width() == Some(64) { MAX_WIDE_LANES } else { MAX_LANES };
        Self(extent.min(full))
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
        b.op("tensor.extract_slice")
            .operand(from)
            .operands(at)
            .attrs(&self.bounds(b, at.len()))
            .attr("operandSegmentSizes", i32s(b.context, &[1, at.len() as i32, 0, 0]))
            .result(self.row(from.ty().element()))
            .value()
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
        b.op("tensor.insert_slice")
            .operands(&[value, into])
            .operands(at)
            .attrs(&self.bounds(b, at.len()))
            .attr("operandSegmentSizes", i32s(b.context, &[1, 1, at.len() as i32, 0, 0]))
            .result(into.ty())
            .value()
    }

    fn bounds<'c>(self, b: &Builder<'c>, rank: usize) -> [(&'static str, Attribute<'c>); 3] {
        let mut sizes = vec![1; rank];
        if let Some(last) = sizes.last_mut() {
            *last = self.0;
        }
        [
            ("static_offsets", i64s(b.context, &vec![DYNAMIC; rank])),
            ("static_sizes", i64s(b.context, &sizes)),
            ("static_strides", i64s(b.context, &vec![1; rank])),
        ]
    }

    /// A splat.
    pub fn splat<'c>(self, b: &Builder<'c>, scalar: Value<'c>) -> Value<'c> {
        if self.0 == 1 {
            return scalar;
        }
        b.op("tensor.splat").operand(scalar).result(self.row(scalar.ty())).value()
    }

    /// A splat of a floating-point constant.
    pub fn float<'c>(self, b: &Builder<'c>, element: Type<'c>, value: f64) -> Value<'c> {
        self.splat(b, crate::emit::Emit::float(b, element, value))
    }
}

/// The `rows x columns` block of `from` along its last two dimensions that begins at `at`.
pub fn slice_block<'c>(
    b: &Builder<'c>,
    from: Value<'c>,
    at: &[Value<'c>],
    block: &[i64; 2],
) -> Value<'c> {
    b.op("tensor.extract_slice")
        .operand(from)
        .operands(at)
        .attrs(&block_bounds(b, at.len(), block))
        .attr("operandSegmentSizes", i32s(b.context, &[1, at.len() as i32, 0, 0]))
        .result(tensor(block, from.ty().element()))
        .value()
}

/// `into` with a matrix at `at` of its last two dimensions.
pub fn insert_block<'c>(
    b: &Builder<'c>,
    block: Value<'c>,
    into: Value<'c>,
    at: &[Value<'c>],
) -> Value<'c> {
    let sizes = block.ty().shape().unwrap_or_default();
    b.op("tensor.insert_slice")
        .operands(&[block, into])
        .operands(at)
        .attrs(&block_bounds(b, at.len(), &sizes))
        .attr("operandSegmentSizes", i32s(b.context, &[1, 1, at.len() as i32, 0, 0]))
        .result(into.ty())
        .value()
}

fn block_bounds<'c>(
    b: &Builder<'c>,
    rank: usize,
    block: &[i64],
) -> [(&'static str, Attribute<'c>); 3] {
    let mut sizes = vec![1; rank.saturating_sub(block.len())];
    sizes.extend(block);
    [
        ("static_offsets", i64s(b.context, &vec![DYNAMIC; rank])),
        ("static_sizes", i64s(b.context, &sizes)),
        ("static_strides", i64s(b.context, &vec![1; rank])),
    ]
}

/// `length` elements of `from` from `at` on, along the last dimension: a vector.
pub fn slice_run<'c>(b: &Builder<'c>, from: Value<'c>, at: &[Value<'c>], length: i64) -> Value<'c> {
    b.op("tensor.extract_slice")
        .operand(from)
        .operands(at)
        .attrs(&block_bounds(b, at.len(), &[length]))
        .attr("operandSegmentSizes", i32s(b.context, &[1, at.len() as i32, 0, 0]))
        .result(tensor(&[length], from.ty().element()))
        .value()
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
