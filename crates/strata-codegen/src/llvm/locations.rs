//! Source locations that MLIR's debug information can be made of.
//!
//! LLVM 22's `ensure-debug-info-scope-on-llvm-func` reads a null pointer where an operation outside of a function has the location of a
//! call, as the constants of inlined functions do, and where one of the two places of such a location is unknown.

use mlir_sys as sys;
use strata_ir::{Op, WalkOrder, fused_parts};

/// Leaves only such locations in `root`.
pub(super) fn settle(root: Op<'_>) {
    root.walk(WalkOrder::Pre, &mut |op| {
        let is_inside =
            std::iter::successors(Some(op), |op| op.parent()).any(|around| around.is("llvm.func"));
        let old = op.location().to_raw();
        let new = unsafe { if is_inside { known(old) } else { plain(old) } };
        if new.ptr != old.ptr {
            unsafe { sys::mlirOperationSetLocation(op.to_raw(), new) };
        }
    });
}

/// The location without names, of which debug information has none and which hide calls from it, with the first known part of
/// several, and without calls whose one end is not known.
unsafe fn known(location: sys::MlirLocation) -> sys::MlirLocation {
    unsafe {
        if sys::mlirLocationIsAName(location) {
            return known(sys::mlirLocationNameGetChildLoc(location));
        }
        if sys::mlirLocationIsAFused(location) {
            let mut parts = fused_parts(location).into_iter().map(|part| known(part));
            return parts.find(|part| has_file(*part)).unwrap_or(location);
        }
        if !sys::mlirLocationIsACallSite(location) {
            return location;
        }
        let callee = known(sys::mlirLocationCallSiteGetCallee(location));
        let caller = known(sys::mlirLocationCallSiteGetCaller(location));
        match (has_file(callee), has_file(caller)) {
            (true, true) => sys::mlirLocationCallSiteGet(callee, caller),
            (true, false) => callee,
            (false, _) => caller,
        }
    }
}

/// The location of what was called, where it is known.
unsafe fn plain(location: sys::MlirLocation) -> sys::MlirLocation {
    let mut location = unsafe { known(location) };
    unsafe {
        while sys::mlirLocationIsACallSite(location) {
            location = sys::mlirLocationCallSiteGetCallee(location);
        }
    }
    location
}

unsafe fn has_file(location: sys::MlirLocation) -> bool {
    unsafe {
        if sys::mlirLocationIsACallSite(location) {
            return has_file(sys::mlirLocationCallSiteGetCallee(location))
                && has_file(sys::mlirLocationCallSiteGetCaller(location));
        }
        sys::mlirLocationIsAFileLineColRange(location)
    }
}
