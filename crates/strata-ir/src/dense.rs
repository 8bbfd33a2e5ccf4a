//! The bytes of dense element attributes.

use std::borrow::Cow;

use melior::ir::{Attribute, AttributeLike, Type};
use mlir_sys as sys;

use crate::types::TypeExt;

/// The elements as raw little-endian row-major bytes, splats expanded; sub-byte types take one
/// byte each. `None` for attributes that are not dense elements. Borrowed from the context, which keeps
/// attributes for its whole life, unless they have to be expanded.
pub(crate) fn raw_elements(attribute: Attribute<'_>) -> Option<Cow<'_, [u8]>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute was asked to be of dense elements first. Its data is one element for a splat and all of them
    // otherwise, each in whole bytes but for `i1`, and lives as long as the context.
    unsafe {
        if !sys::mlirAttributeIsADenseElements(raw) {
            return None;
        }
        let ty = Type::from_raw(sys::mlirAttributeGetType(raw));
        let count = usize::try_from(ty.element_count()?).ok()?;
        let width = usize::try_from(ty.element().byte_width()?).ok()?;
        // i1 goes through the accessor: whether its storage is packed depends on MLIR's version.
        if ty.element().bit_width() == Some(1) {
            return Some(Cow::Owned(
                (0..count)
                    .map(|index| {
                        u8::from(sys::mlirDenseElementsAttrGetBoolValue(raw, index as isize))
                    })
                    .collect(),
            ));
        }
        let data = sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
        if count == 0 || data.is_null() {
            return Some(Cow::Owned(Vec::new()));
        }
        if sys::mlirDenseElementsAttrIsSplat(raw) {
            let element = std::slice::from_raw_parts(data, width);
            return Some(Cow::Owned(element.repeat(count)));
        }
        Some(Cow::Borrowed(std::slice::from_raw_parts(data, count.checked_mul(width)?)))
    }
}
