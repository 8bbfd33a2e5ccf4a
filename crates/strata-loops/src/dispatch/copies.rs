//! Tensors of a call in the sizes of the functions for it: a block in the workspace, with zeros beyond the caller's elements.

use strata_ir::{
    Builder, DYNAMIC, Type, Value, WORKSPACE_ALIGNMENT, arith, index, integer, memref, scf,
};
use strata_shapes::{DimExpr, DynamicTensor, Specializations};

use super::sizes::{boolean, product, sum};

/// Adjacent dimensions of a tensor as one; the last one is in bytes.
struct Group<'c> {
    /// How many are copied.
    count: Value<'c>,
    /// The caller's size.
    tight: Value<'c>,
    /// The function's size.
    wide: Value<'c>,
}

/// A tensor whose sizes may differ from those of the function that is called.
pub struct Copied<'c> {
    groups: Vec<Group<'c>>,
    /// Whether a size differs.
    pub differs: Value<'c>,
    /// Bytes of the block.
    pub bytes: Value<'c>,
    /// Bytes of the workspace that it takes: none where no size differs.
    pub space: Value<'c>,
}

impl<'c> Copied<'c> {
    /// That of a tensor, whose sizes in the call and in the function are `own` and `whole`; `None` if they are the same in every call.
    pub fn of(
        builder: &Builder<'c>,
        all: &Specializations,
        tensor: &DynamicTensor<'_>,
        own: &dyn Fn(&DimExpr) -> Value<'c>,
        whole: &dyn Fn(&DimExpr) -> Value<'c>,
    ) -> Option<Self> {
        if !all.is_copied(tensor) {
            return None;
        }
        let mut differs: Option<Value<'c>> = None;
        let mut groups: Vec<Group<'c>> = Vec::new();
        for (dim, size) in tensor.sizes.iter().enumerate() {
            let wide = whole(size);
            let is_part = tensor.batch.is_some_and(|batch| batch.dim == dim);
            let is_strided = is_part && tensor.is_strided();
            if is_strided || all.is_bounded(size) {
                let tight = own(size);
                let other = builder.cmpi(arith::CmpIPredicate::Ne, tight, wide);
                differs = Some(match differs {
                    Some(before) => builder.same(arith::ORI, &[before, other]),
                    None => other,
                });
                let count = if is_strided { wide } else { tight };
                groups.push(Group { count, tight, wide });
            } else if let Some(group) = groups.last_mut() {
                // Elements of one dimension of the same size follow those of the other.
                group.scale(builder, wide);
            } else {
                groups.push(Group { count: wide, tight: wide, wide });
            }
        }
        groups.last_mut()?.scale(builder, builder.index(tensor.bytes as i64));
        let bytes =
            groups.iter().fold(builder.index(1), |all, group| product(builder, all, group.wide));
        let differs = differs.unwrap_or_else(|| boolean(builder, false));
        let space = builder.select(differs, aligned(builder, bytes), builder.index(0));
        Some(Self { groups, differs, bytes, space })
    }

    /// Copies the caller's elements to the block, and sets the others of it to zero.
    pub fn pad(&self, builder: &Builder<'c>, tight: Value<'c>, wide: Value<'c>) {
        let start = builder.index(0);
        block(builder, &self.groups, Places { tight, wide, tight_at: start, wide_at: start }, true);
    }

    /// Copies the caller's elements from the block.
    pub fn cut(&self, builder: &Builder<'c>, tight: Value<'c>, wide: Value<'c>) {
        let start = builder.index(0);
        block(
            builder,
            &self.groups,
            Places { tight, wide, tight_at: start, wide_at: start },
            false,
        );
    }
}

impl<'c> Group<'c> {
    /// Joins a dimension of that size, which follows.
    fn scale(&mut self, builder: &Builder<'c>, size: Value<'c>) {
        self.count = product(builder, self.count, size);
        self.tight = product(builder, self.tight, size);
        self.wide = product(builder, self.wide, size);
    }
}

/// The two buffers of a copy, and the bytes where it begins.
#[derive(Clone, Copy)]
struct Places<'c> {
    tight: Value<'c>,
    wide: Value<'c>,
    tight_at: Value<'c>,
    wide_at: Value<'c>,
}

/// Copies a block of these dimensions, the last one of which is in bytes.
fn block<'c>(builder: &Builder<'c>, groups: &[Group<'c>], places: Places<'c>, pads: bool) {
    let Some((group, rest)) = groups.split_first() else { return };
    let size = |of: fn(&Group<'c>) -> Value<'c>| {
        rest.iter().fold(builder.index(1), |all, group| product(builder, all, of(group)))
    };
    let (small, large) = (size(|group| group.tight), size(|group| group.wide));
    if rest.is_empty() {
        let bytes = |buffer, at| view(builder, buffer, at, group.count);
        let tight = bytes(places.tight, places.tight_at);
        let wide = bytes(places.wide, places.wide_at);
        let (from, to) = if pads { (tight, wide) } else { (wide, tight) };
        memref::copy(builder, from, to).build();
    } else {
        count(builder, builder.index(0), group.count, |inner, at| {
            let next = |start, size| sum(inner, start, product(inner, at, size));
            let tight_at = next(places.tight_at, small);
            let wide_at = next(places.wide_at, large);
            block(inner, rest, Places { tight_at, wide_at, ..places }, pads);
        });
    }
    if pads {
        let place = |size| sum(builder, places.wide_at, product(builder, size, large));
        let zero = builder.int(integer(builder.context, 8), 0);
        count(builder, place(group.count), place(group.wide), |inner, at| {
            memref::store(inner, zero, places.wide, &[at]).build();
        });
    }
}

/// A loop from `low` to below `high`.
fn count<'c>(
    builder: &Builder<'c>,
    low: Value<'c>,
    high: Value<'c>,
    body: impl FnOnce(&Builder<'c>, Value<'c>),
) {
    let region = builder.region(&[index(builder.context)], |inner, arguments| {
        body(inner, arguments[0]);
        scf::yield_(inner, &[]).build();
    });
    scf::for_(builder, low, high, builder.index(1), &[], &[], region).build();
}

/// `size` bytes of a buffer from `at` on.
pub fn view<'c>(
    builder: &Builder<'c>,
    buffer: Value<'c>,
    at: Value<'c>,
    size: Value<'c>,
) -> Value<'c> {
    memref::view(builder, buffer, at, &[size], buffer_type(builder)).value()
}

/// The type of buffers: bytes, whose number is known at a call.
pub fn buffer_type<'c>(builder: &Builder<'c>) -> Type<'c> {
    memref(&[DYNAMIC], integer(builder.context, 8))
}

/// The number, rounded up to a multiple of the alignment of workspaces.
fn aligned<'c>(builder: &Builder<'c>, bytes: Value<'c>) -> Value<'c> {
    let alignment = WORKSPACE_ALIGNMENT as i64;
    let more = sum(builder, bytes, builder.index(alignment - 1));
    builder.same(arith::ANDI, &[more, builder.index(-alignment)])
}
