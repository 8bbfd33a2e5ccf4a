//! What locations are made of, and new ones of such parts.

use melior::{
    Context,
    ir::{Attribute, AttributeLike as _, Location},
};
use mlir_sys as sys;

use crate::{
    diagnostics::fused_parts,
    handles::{str_from, string_ref},
};

/// A location by its kind.
#[derive(Clone, Debug)]
pub enum LocationParts<'c> {
    /// Several locations, with an attribute.
    Fused(Vec<Location<'c>>, Option<Attribute<'c>>),
    /// A name, and where it is.
    Named(&'c str, Location<'c>),
    /// The location inside of a function, and that of its call.
    CallSite(Location<'c>, Location<'c>),
    /// A position in a file, or nothing that is known.
    Leaf,
}

/// The parts of a location.
pub fn location_parts<'c>(location: Location<'c>) -> LocationParts<'c> {
    let raw = location.to_raw();
    // SAFETY: the location is one of a context that is alive, as are its parts; each accessor is called for its kind only.
    unsafe {
        if sys::mlirLocationIsAFused(raw) {
            let parts = fused_parts(raw).into_iter().map(|part| Location::from_raw(part)).collect();
            let metadata = sys::mlirLocationFusedGetMetadata(raw);
            let metadata = (!metadata.ptr.is_null()).then(|| Attribute::from_raw(metadata));
            return LocationParts::Fused(parts, metadata);
        }
        if sys::mlirLocationIsAName(raw) {
            let name = str_from(sys::mlirIdentifierStr(sys::mlirLocationNameGetName(raw)));
            return LocationParts::Named(
                name,
                Location::from_raw(sys::mlirLocationNameGetChildLoc(raw)),
            );
        }
        if sys::mlirLocationIsACallSite(raw) {
            return LocationParts::CallSite(
                Location::from_raw(sys::mlirLocationCallSiteGetCallee(raw)),
                Location::from_raw(sys::mlirLocationCallSiteGetCaller(raw)),
            );
        }
    }
    LocationParts::Leaf
}

/// The location of `parts`.
pub fn location_of<'c>(context: &'c Context, parts: &LocationParts<'c>) -> Location<'c> {
    // SAFETY: all parts are of contexts that outlive `'c`; lists and names are copied.
    unsafe {
        Location::from_raw(match parts {
            LocationParts::Fused(parts, metadata) => {
                let raw: Vec<_> = parts.iter().map(|part| part.to_raw()).collect();
                let none = sys::MlirAttribute { ptr: std::ptr::null() };
                let metadata = metadata.map_or(none, |metadata| metadata.to_raw());
                let count = isize::try_from(raw.len()).unwrap_or_default();
                sys::mlirLocationFusedGet(context.to_raw(), count, raw.as_ptr(), metadata)
            }
            LocationParts::Named(name, child) => {
                sys::mlirLocationNameGet(context.to_raw(), string_ref(name), child.to_raw())
            }
            LocationParts::CallSite(callee, caller) => {
                sys::mlirLocationCallSiteGet(callee.to_raw(), caller.to_raw())
            }
            LocationParts::Leaf => return Location::unknown(context),
        })
    }
}
