//! What the library says of itself.

use std::{ffi::c_void, ptr};

use crate::{
    abi::{Attributes, NamedValue, Nothing, Union},
    failure::Failure,
};

/// Newest and oldest version of StableHLO that programs may be written for.
static NEWEST: [i64; 3] = [1, 17, 0];
static OLDEST: [i64; 3] = [0, 9, 0];
/// `PJRT_NamedValue_kInt64List`.
const LIST: i32 = 2;

const fn version(name: &'static str, value: &'static [i64; 3]) -> NamedValue {
    NamedValue {
        struct_size: size_of::<NamedValue>(),
        extension_start: ptr::null::<c_void>(),
        name: name.as_ptr().cast(),
        name_size: name.len(),
        kind: LIST,
        value: Union { ints: value.as_ptr() },
        value_size: value.len(),
    }
}

static ATTRIBUTES: [NamedValue; 2] =
    [version("stablehlo_current_version", &NEWEST), version("stablehlo_minimum_version", &OLDEST)];

/// There is nothing to do before a client is created.
pub fn initialize(_: &mut Nothing) -> Result<(), Failure> {
    Ok(())
}

pub fn attributes(arguments: &mut Attributes) -> Result<(), Failure> {
    (arguments.items, arguments.count) = (ATTRIBUTES.as_ptr(), ATTRIBUTES.len());
    Ok(())
}
