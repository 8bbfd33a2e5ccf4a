//! Copyable handles to operations, regions, blocks and values.

mod block;
pub(crate) mod erased;
mod op;
mod value;

use std::{hash, marker::PhantomData};

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Location, Type, TypeLike},
};
use mlir_sys as sys;

/// A handle to an operation. One to an erased operation can be read, and nothing else (the head of `handles/erased.rs` says how).
#[derive(Clone, Copy)]
pub struct Op<'c>(pub(crate) sys::MlirOperation, PhantomData<&'c Context>);

/// A handle to a region of an operation.
#[derive(Clone, Copy)]
pub struct Region<'c>(pub(crate) sys::MlirRegion, PhantomData<&'c Context>);

/// A handle to a block.
#[derive(Clone, Copy)]
pub struct Block<'c>(pub(crate) sys::MlirBlock, PhantomData<&'c Context>);

/// A handle to an SSA value: the result of an operation or the argument of a block.
#[derive(Clone, Copy)]
pub struct Value<'c>(pub(crate) sys::MlirValue, PhantomData<&'c Context>);

/// When [`Op::walk`] calls its visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkOrder {
    /// An operation before those nested in it.
    Pre,
    /// An operation after those nested in it.
    Post,
}

pub(crate) fn string_ref(text: &str) -> sys::MlirStringRef {
    sys::MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// # Safety
/// `raw` points at bytes that live as long as `'c`.
pub(crate) unsafe fn str_from<'c>(raw: sys::MlirStringRef) -> &'c str {
    if raw.length == 0 {
        return "";
    }
    // SAFETY: as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    std::str::from_utf8(bytes).unwrap_or("")
}

pub(crate) unsafe extern "C" fn append_text(part: sys::MlirStringRef, sink: *mut std::ffi::c_void) {
    // SAFETY: the callers below give the vector that they hold as `sink`, and MLIR a view of bytes that live during the call.
    let sink = unsafe { &mut *sink.cast::<Vec<u8>>() };
    if part.length > 0 {
        // SAFETY: as above.
        sink.extend_from_slice(unsafe {
            std::slice::from_raw_parts(part.data.cast::<u8>(), part.length)
        });
    }
}

pub(crate) fn text_of(
    print: impl FnOnce(sys::MlirStringCallback, *mut std::ffi::c_void),
) -> String {
    let mut bytes = Vec::<u8>::new();
    print(Some(append_text), (&raw mut bytes).cast());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Pointer equality: types are uniqued in their context.
pub fn type_address(ty: Type<'_>) -> usize {
    ty.to_raw().ptr as usize
}

/// Pointer equality: attributes are uniqued in their context.
pub fn attribute_address(attribute: Attribute<'_>) -> usize {
    attribute.to_raw().ptr as usize
}

/// Pointer equality: locations are uniqued in their context.
pub fn location_address(location: Location<'_>) -> usize {
    location.to_raw().ptr as usize
}

/// Pointer equality.
pub fn value_address(value: Value<'_>) -> usize {
    value.0.ptr as usize
}

macro_rules! identity {
    ($handle:ident) => {
        impl PartialEq for $handle<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.0.ptr == other.0.ptr
            }
        }
        impl Eq for $handle<'_> {}
        impl hash::Hash for $handle<'_> {
            fn hash<H: hash::Hasher>(&self, state: &mut H) {
                (self.0.ptr as usize).hash(state)
            }
        }
    };
}
identity!(Op);
identity!(Block);
identity!(Value);
