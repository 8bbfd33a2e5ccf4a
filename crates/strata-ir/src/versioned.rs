//! Types and attributes of the VHLO dialect as plain records, the table of its operations, and bytecode of a
//! chosen format.

use std::{ffi::c_void, slice};

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Type, TypeLike},
};
use mlir_sys as sys;

use crate::{
    OpName,
    handles::{Op, append_text, str_from, string_ref},
};

/// One version of an operation of the VHLO dialect.
#[derive(Clone, Copy, Debug)]
pub struct VhloOp {
    /// Full name, such as `vhlo.gather_v2`.
    pub name: OpName<'static>,
    /// First version of StableHLO that has it.
    pub since: &'static str,
    /// Last version of StableHLO that has it.
    pub until: &'static str,
    /// Inherent attributes, by name.
    pub attributes: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/vhlo.rs"));

/// The operation of that full name.
pub fn vhlo_op(name: OpName<'_>) -> Option<&'static VhloOp> {
    let at = VHLO_OPS.binary_search_by(|op| op.name.cmp(&name)).ok()?;
    VHLO_OPS.get(at)
}

/// A type or attribute of the VHLO dialect: its number in the portable encoding and its fields. Lists are
/// preceded by their length among the integers; see `dialects/vhlo/lib/encoding.cpp`.
#[derive(Clone, Debug, Default)]
pub struct VhloRecord<'c> {
    /// The number.
    pub code: u32,
    /// Numbers, lengths of lists, and the bits of floating-point numbers.
    pub integers: Vec<i64>,
    /// Attributes that it holds.
    pub attributes: Vec<Attribute<'c>>,
    /// Types that it holds.
    pub types: Vec<Type<'c>>,
    /// Text or elements.
    pub bytes: &'c [u8],
    /// The name, such as `string_v1`; not read where a record becomes an attribute.
    pub mnemonic: &'c str,
    /// First version of StableHLO that has it; not read either.
    pub since: &'c str,
}

#[repr(C)]
struct RawRecord {
    code: u32,
    integers: *const i64,
    integer_count: isize,
    attributes: *const sys::MlirAttribute,
    attribute_count: isize,
    types: *const sys::MlirType,
    type_count: isize,
    bytes: sys::MlirStringRef,
    mnemonic: sys::MlirStringRef,
    since: sys::MlirStringRef,
}

const NO_TEXT: sys::MlirStringRef = sys::MlirStringRef { data: std::ptr::null(), length: 0 };

impl RawRecord {
    const EMPTY: Self = Self {
        code: 0,
        integers: std::ptr::null(),
        integer_count: 0,
        attributes: std::ptr::null(),
        attribute_count: 0,
        types: std::ptr::null(),
        type_count: 0,
        bytes: NO_TEXT,
        mnemonic: NO_TEXT,
        since: NO_TEXT,
    };

    /// # Safety
    /// The lists live as long as `'c`.
    unsafe fn read<'c>(&self) -> VhloRecord<'c> {
        // SAFETY: MLIR filled the lists with as many entries as it says, which live as long as `'c`.
        unsafe {
            let attributes = list(self.attributes, self.attribute_count).iter();
            let types = list(self.types, self.type_count).iter();
            VhloRecord {
                code: self.code,
                integers: list(self.integers, self.integer_count).to_vec(),
                attributes: attributes.map(|raw| Attribute::from_raw(*raw)).collect(),
                types: types.map(|raw| Type::from_raw(*raw)).collect(),
                bytes: list(self.bytes.data.cast::<u8>(), self.bytes.length as isize),
                mnemonic: str_from(self.mnemonic),
                since: str_from(self.since),
            }
        }
    }
}

/// # Safety
/// `data` points at `count` elements that live as long as `'c`, or `count` is 0.
unsafe fn list<'c, T>(data: *const T, count: isize) -> &'c [T] {
    match usize::try_from(count) {
        // SAFETY: as the caller promises.
        Ok(count) if count > 0 => unsafe { slice::from_raw_parts(data, count) },
        _ => &[],
    }
}

// Defined in dialects/capi.
unsafe extern "C" {
    fn strataVhloReadAttribute(attribute: sys::MlirAttribute, record: *mut RawRecord) -> bool;
    fn strataVhloReadType(ty: sys::MlirType, record: *mut RawRecord) -> bool;
    fn strataVhloAttribute(
        context: sys::MlirContext,
        record: *const RawRecord,
    ) -> sys::MlirAttribute;
    fn strataVhloTypeToBuiltin(ty: sys::MlirType) -> sys::MlirType;
    fn strataVhloTypeFromBuiltin(ty: sys::MlirType) -> sys::MlirType;
    fn strataVhloAttributeToBuiltin(attribute: sys::MlirAttribute) -> sys::MlirAttribute;
    fn strataVhloAttributeFromBuiltin(attribute: sys::MlirAttribute) -> sys::MlirAttribute;
    fn strataWriteBytecode(
        operation: sys::MlirOperation,
        producer: sys::MlirStringRef,
        version: i64,
        sink: sys::MlirStringCallback,
        data: *mut c_void,
    ) -> bool;
}

impl<'c> VhloRecord<'c> {
    /// The fields of an attribute; `None` when it is not of the VHLO dialect.
    pub fn of_attribute(attribute: Attribute<'c>) -> Option<Self> {
        let mut raw = RawRecord::EMPTY;
        // SAFETY: fields of an attribute live as long as its context.
        unsafe { strataVhloReadAttribute(attribute.to_raw(), &raw mut raw).then(|| raw.read()) }
    }

    /// The fields of a type; `None` when it is not of the VHLO dialect.
    pub fn of_type(ty: Type<'c>) -> Option<Self> {
        let mut raw = RawRecord::EMPTY;
        // SAFETY: fields of a type live as long as its context.
        unsafe { strataVhloReadType(ty.to_raw(), &raw mut raw).then(|| raw.read()) }
    }

    /// The attribute of these fields; `None` when they do not fit the number.
    pub fn to_attribute(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let attributes: Vec<_> = self.attributes.iter().map(|value| value.to_raw()).collect();
        let types: Vec<_> = self.types.iter().map(|ty| ty.to_raw()).collect();
        let raw = RawRecord {
            code: self.code,
            integers: self.integers.as_ptr(),
            integer_count: self.integers.len() as isize,
            attributes: attributes.as_ptr(),
            attribute_count: attributes.len() as isize,
            types: types.as_ptr(),
            type_count: types.len() as isize,
            bytes: sys::MlirStringRef {
                data: self.bytes.as_ptr().cast(),
                length: self.bytes.len(),
            },
            ..RawRecord::EMPTY
        };
        // SAFETY: all lists are alive during the call, which copies them.
        unsafe { Attribute::from_option_raw(strataVhloAttribute(context.to_raw(), &raw const raw)) }
    }
}

/// The type of MLIR or StableHLO that a VHLO type stands for; others are not changed. `None` when there is
/// none.
pub fn type_from_vhlo(ty: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: the type is alive; a null type becomes `None`.
    unsafe { Type::from_option_raw(strataVhloTypeToBuiltin(ty.to_raw())) }
}

/// The VHLO type that stands for a type of MLIR or StableHLO; `None` when there is none.
pub fn type_to_vhlo(ty: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: as above.
    unsafe { Type::from_option_raw(strataVhloTypeFromBuiltin(ty.to_raw())) }
}

/// Booleans, numbers, strings, types and elements of VHLO as those of MLIR; `None` for others and where the
/// contents are not valid.
pub fn plain_attribute_from_vhlo(attribute: Attribute<'_>) -> Option<Attribute<'_>> {
    // SAFETY: as above.
    unsafe { Attribute::from_option_raw(strataVhloAttributeToBuiltin(attribute.to_raw())) }
}

/// Booleans, numbers, strings, types and dense elements of MLIR as those of VHLO; `None` for others.
pub fn plain_attribute_to_vhlo(attribute: Attribute<'_>) -> Option<Attribute<'_>> {
    // SAFETY: as above.
    unsafe { Attribute::from_option_raw(strataVhloAttributeFromBuiltin(attribute.to_raw())) }
}

/// `op` as MLIR bytecode of format `version`, naming its `producer`; `None` if MLIR cannot write that format.
pub fn write_bytecode_as(op: Op<'_>, producer: &str, version: i64) -> Option<Vec<u8>> {
    let mut bytes = Vec::<u8>::new();
    // SAFETY: the operation is alive, and the callback gets the vector that it expects.
    let written = unsafe {
        strataWriteBytecode(
            op.to_raw(),
            string_ref(producer),
            version,
            Some(append_text),
            (&raw mut bytes).cast(),
        )
    };
    written.then_some(bytes)
}
