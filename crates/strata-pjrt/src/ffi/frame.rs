//! Call frames from the descriptions of calls that compiled programs make.

use std::{
    ffi::{CStr, c_char, c_void},
    mem, ptr, slice,
};

use strata::{ElementType, element_code};
use strata_abi::{Attribute, Buffer, DICTIONARY, STRING};

use super::{
    api::API,
    header::{
        ATTRIBUTE_ARRAY, ATTRIBUTE_DICTIONARY, ATTRIBUTE_SCALAR, ATTRIBUTE_STRING, Array,
        Attributes, BUFFER, CallFrame, EXECUTE, Scalar, Span, Tensor, Tensors,
    },
    state,
};

/// All types that have a code of `XLA_FFI_DataType`, by it.
const TYPES: &[(i32, ElementType)] = &[
    (1, ElementType::Bool),
    (2, ElementType::Signed(8)),
    (3, ElementType::Signed(16)),
    (4, ElementType::Signed(32)),
    (5, ElementType::Signed(64)),
    (6, ElementType::Unsigned(8)),
    (7, ElementType::Unsigned(16)),
    (8, ElementType::Unsigned(32)),
    (9, ElementType::Unsigned(64)),
    (10, ElementType::Float(16)),
    (11, ElementType::Float(32)),
    (12, ElementType::Float(64)),
    (15, ElementType::Complex(64)),
    (16, ElementType::BFloat16),
    (18, ElementType::Complex(128)),
    (19, ElementType::SmallFloat("f8E5M2")),
    (20, ElementType::SmallFloat("f8E4M3FN")),
    (21, ElementType::Signed(4)),
    (22, ElementType::Unsigned(4)),
    (23, ElementType::SmallFloat("f8E4M3B11FNUZ")),
    (24, ElementType::SmallFloat("f8E5M2FNUZ")),
    (25, ElementType::SmallFloat("f8E4M3FNUZ")),
    (26, ElementType::Signed(2)),
    (27, ElementType::Unsigned(2)),
    (28, ElementType::SmallFloat("f8E4M3")),
    (29, ElementType::SmallFloat("f8E3M4")),
    (32, ElementType::SmallFloat("f4E2M1FN")),
    (33, ElementType::SmallFloat("f8E8M0FNU")),
];

/// The code of `XLA_FFI_DataType` for one of ours.
fn kind_of(code: i32) -> Option<i32> {
    TYPES.iter().find(|(_, element)| element_code(*element) == code).map(|(kind, _)| *kind)
}

/// Buffers in the form of XLA's interface.
#[derive(Default)]
pub struct OwnedTensors {
    kinds: Vec<i32>,
    places: Vec<*const Tensor>,
    /// What the places point to.
    _tensors: Vec<Tensor>,
}

impl OwnedTensors {
    /// # Safety
    /// There are `count` buffers, which live as long as this.
    pub unsafe fn of(buffers: *const Buffer, count: i32) -> Result<Self, String> {
        let count = usize::try_from(count).unwrap_or_default();
        let buffers = match count {
            0 => &[],
            // SAFETY: as the caller promises.
            _ => unsafe { slice::from_raw_parts(buffers, count) },
        };
        let tensor = |buffer: &Buffer| -> Result<Tensor, String> {
            let code = buffer.element_type;
            Ok(Tensor {
                struct_size: size_of::<Tensor>(),
                extension: ptr::null_mut(),
                kind: kind_of(code).ok_or_else(|| format!("XLA has no type for code {code:#x}"))?,
                data: buffer.data,
                rank: i64::from(buffer.rank),
                dims: buffer.dimensions,
            })
        };
        let tensors = buffers.iter().map(tensor).collect::<Result<Vec<_>, String>>()?;
        let places = tensors.iter().map(ptr::from_ref).collect();
        Ok(Self { kinds: vec![BUFFER; count], places, _tensors: tensors })
    }

    fn frame(&self) -> Tensors {
        Tensors {
            struct_size: size_of::<Tensors>(),
            extension: ptr::null_mut(),
            size: self.places.len() as i64,
            kinds: self.kinds.as_ptr(),
            items: self.places.as_ptr(),
        }
    }
}

/// Attributes in the form of XLA's interface, sorted by name as they are in a call.
#[derive(Default)]
#[allow(clippy::vec_box, reason = "the call frame has the addresses")]
pub struct OwnedAttributes {
    kinds: Vec<i32>,
    names: Vec<*const Span>,
    items: Vec<*const c_void>,
    /// What the names and items point to.
    spans: Vec<Box<Span>>,
    scalars: Vec<Box<Scalar>>,
    arrays: Vec<Box<Array>>,
    nested: Vec<(Box<Attributes>, Self)>,
}

impl OwnedAttributes {
    /// # Safety
    /// There are `count` attributes as a call has them, which live as long as this.
    pub unsafe fn of(attributes: *const Attribute, count: i64) -> Result<Self, String> {
        let mut owned = Self::default();
        let count = usize::try_from(count).unwrap_or_default();
        let all = match count {
            0 => &[],
            // SAFETY: as the caller promises.
            _ => unsafe { slice::from_raw_parts(attributes, count) },
        };
        for one in all {
            // SAFETY: names end with a zero byte.
            let name = unsafe { CStr::from_ptr(one.name) };
            if state::is_hidden(name) {
                continue;
            }
            let place = owned.span(one.name, name.to_bytes().len());
            owned.names.push(place);
            let size = usize::try_from(one.count).unwrap_or_default();
            let (kind, item): (i32, *const c_void) = match one.kind {
                STRING => (ATTRIBUTE_STRING, owned.span(one.data.cast(), size).cast()),
                DICTIONARY => {
                    // SAFETY: a dictionary has as many attributes.
                    let nested = unsafe { Self::of(one.data.cast(), one.count) }?;
                    let frame = Box::new(nested.frame());
                    let place = ptr::from_ref(&*frame).cast();
                    owned.nested.push((frame, nested));
                    (ATTRIBUTE_DICTIONARY, place)
                }
                code => {
                    let Some(kind) = kind_of(code) else {
                        let name = name.to_string_lossy();
                        return Err(format!("attribute `{name}` has no form in XLA's interface"));
                    };
                    if one.is_array == 0 {
                        owned.scalars.push(Box::new(Scalar { kind, value: one.data }));
                        let last = owned.scalars.last().map_or(ptr::null(), |one| &raw const **one);
                        (ATTRIBUTE_SCALAR, last.cast())
                    } else {
                        owned.arrays.push(Box::new(Array { kind, size, data: one.data }));
                        let last = owned.arrays.last().map_or(ptr::null(), |one| &raw const **one);
                        (ATTRIBUTE_ARRAY, last.cast())
                    }
                }
            };
            owned.kinds.push(kind);
            owned.items.push(item);
        }
        Ok(owned)
    }

    fn span(&mut self, text: *const c_char, size: usize) -> *const Span {
        let span = Box::new(Span { text, size });
        let place = ptr::from_ref(&*span);
        self.spans.push(span);
        place
    }

    fn frame(&self) -> Attributes {
        Attributes {
            struct_size: size_of::<Attributes>(),
            extension: ptr::null_mut(),
            size: self.items.len() as i64,
            kinds: self.kinds.as_ptr(),
            names: self.names.as_ptr(),
            items: self.items.as_ptr(),
        }
    }
}

impl CallFrame {
    /// The frame of a call in the stage `execute`.
    pub(super) fn new(
        arguments: &OwnedTensors,
        results: &OwnedTensors,
        attributes: &OwnedAttributes,
    ) -> Self {
        Self {
            // Without the last field: what the header calls the size, and its functions compare with.
            struct_size: mem::offset_of!(Self, future),
            extension: ptr::null_mut(),
            api: &raw const API,
            context: ptr::null(),
            stage: EXECUTE,
            arguments: arguments.frame(),
            results: results.frame(),
            attributes: attributes.frame(),
            future: ptr::null_mut(),
        }
    }
}
