//! The operations of MLIR's own dialects, generated from their `.td` files: a module per dialect with a name, a view and a
//! builder of each operation.
//!
//! | MLIR | name | view | builder |
//! |---|---|---|---|
//! | `vector.transfer_read` | [`vector::TRANSFER_READ`] | [`vector::TransferRead`] | [`vector::transfer_read`] |
//! | `llvm.mlir.constant` | [`llvm::MLIR_CONSTANT`] | [`llvm::MlirConstant`] | [`llvm::mlir_constant`] |
//!
//! A builder takes what an operation always has, in the order of its definition: operands and attributes, the types of
//! results where they do not follow, successors, regions. Operands in several groups, and attributes that may be
//! absent, are given by name. `operandSegmentSizes` is computed.
//!
//! ```
//! # use strata_ir::{Builder, Type, Value, memref, scf};
//! # fn example<'c>(b: &Builder<'c>, ty: Type<'c>, from: Value<'c>, at: &[Value<'c>]) {
//! let buffer = memref::alloc(b, ty).alignment(64).value();
//! let element = memref::load(b, from, at, ty).value();
//! scf::yield_(b, &[element, buffer]).build();
//! # }
//! ```
// Generated views count the operands after a variadic group, of which there may be none.
#![allow(clippy::identity_op)]

use std::marker::PhantomData;

use melior::{
    Context,
    ir::{Attribute, Type},
};

use crate::{Block, Builder, Op, OpBuilder, OpName, RegionBuilder, Value, View, i32s};

/// What the generated modules use.
mod prelude {
    pub(super) use melior::{
        Context,
        ir::{Attribute, Type},
    };

    pub(super) use super::{New, equal_segment, segment};
    pub(super) use crate::{
        AffineMap, AttributeExt as _, Block, Builder, FastMath, Op, OpName, Region, RegionBuilder,
        Value, View as OpView, array, boolean, booleans, bools,
        enumerations::{enumerated, new_enumerated},
        i32s, i64s, index, int, integer, string, symbol, type_attr, unit,
    };
}

include!(concat!(env!("OUT_DIR"), "/upstream.rs"));

/// An operation of a known kind under construction.
#[must_use]
pub struct New<'c, V> {
    op: OpBuilder<'c>,
    /// The number of operands in each group.
    groups: Vec<i32>,
    is_sized: bool,
    view: PhantomData<V>,
}

impl<'c, V: View<'c>> New<'c, V> {
    fn of(builder: &Builder<'c>, name: OpName<'static>) -> Self {
        Self { op: builder.op(name), groups: Vec::new(), is_sized: false, view: PhantomData }
    }

    fn group(mut self, values: &[Value<'c>]) -> Self {
        self.groups.push(values.len() as i32);
        self.op = self.op.operands(values);
        self
    }

    /// Adds operands to a group that was begun.
    fn filled(mut self, group: usize, values: &[Value<'c>]) -> Self {
        let end: i32 = self.groups[..=group].iter().sum();
        self.groups[group] += values.len() as i32;
        self.op = self.op.operands_at(end as usize, values);
        self
    }

    fn sized(mut self) -> Self {
        self.is_sized = true;
        self
    }

    fn result(mut self, ty: Type<'c>) -> Self {
        self.op = self.op.result(ty);
        self
    }

    fn results(mut self, types: &[Type<'c>]) -> Self {
        self.op = self.op.results(types);
        self
    }

    fn successor(mut self, block: Block<'c>) -> Self {
        self.op = self.op.successors(&[block]);
        self
    }

    fn region(mut self, region: RegionBuilder) -> Self {
        self.op = self.op.region(region);
        self
    }

    fn regions(mut self, regions: Vec<RegionBuilder>) -> Self {
        self.op = regions.into_iter().fold(self.op, OpBuilder::region);
        self
    }

    fn context(&self) -> &'c Context {
        self.op.context()
    }

    /// Adds an attribute that is not in the operation's definition.
    pub fn attr(mut self, name: &str, value: impl Into<Attribute<'c>>) -> Self {
        self.op = self.op.attr(name, value);
        self
    }

    /// Adds the attributes of an operation that this one replaces, but for those that it was given and the sizes of operand
    /// groups.
    pub fn attrs(mut self, attributes: &[(&str, Attribute<'c>)]) -> Self {
        for (name, value) in attributes {
            if *name != SEGMENT_SIZES && !self.op.has_attr(name) {
                self.op = self.op.attr(name, *value);
            }
        }
        self
    }

    /// Creates and inserts the operation.
    pub fn build(self) -> V {
        let sizes = self.is_sized.then(|| i32s(self.context(), &self.groups));
        let op = match sizes {
            Some(sizes) => self.op.attr(SEGMENT_SIZES, sizes),
            None => self.op,
        };
        V::wrap(op.build())
    }

    /// As [`Self::build`], giving the only result.
    pub fn value(self) -> Value<'c> {
        self.build().op().result(0)
    }
}

pub(crate) const SEGMENT_SIZES: &str = "operandSegmentSizes";

/// The operands of group `group`, where the sizes of groups are an attribute.
fn segment<'c>(op: Op<'c>, group: usize) -> Vec<Value<'c>> {
    let sizes = op.operand_segments().unwrap_or_default();
    let start = sizes.iter().take(group).sum();
    let size = sizes.get(group).copied().unwrap_or(0);
    op.operands().into_iter().skip(start).take(size).collect()
}

/// The operands of group `group` of `count`, where all groups are of the same size.
fn equal_segment<'c>(op: Op<'c>, group: usize, count: usize) -> Vec<Value<'c>> {
    let size = op.operand_count() / count;
    op.operands().into_iter().skip(group * size).take(size).collect()
}
