//! The MLIR context with every dialect, pass and translation that the stages use.

use std::sync::Once;

use melior::{Context, dialect::DialectRegistry, utility};
use mlir_sys as sys;

unsafe extern "C" {
    /// Adds Strata's own dialects to a registry; defined in `dialects/capi`.
    safe fn strataRegisterDialects(registry: sys::MlirDialectRegistry);
}

/// A single-threaded context with all dialects loaded: MLIR's own, StableHLO and its companions.
///
/// Threads stay off because the compiler parallelises over kernels and files, one context each,
/// and because pass order then never depends on scheduling.
pub fn new_context() -> Context {
    static PASSES: Once = Once::new();
    PASSES.call_once(utility::register_all_passes);
    let registry = DialectRegistry::new();
    utility::register_all_dialects(&registry);
    strataRegisterDialects(registry.to_raw());
    let context = Context::new_with_registry(&registry, false);
    utility::register_all_llvm_translations(&context);
    context.load_all_available_dialects();
    context
}

/// Whether `name` is a dialect that [`new_context`] knows.
pub fn is_dialect_known(context: &Context, name: &str) -> bool {
    let raw = unsafe {
        sys::mlirContextGetOrLoadDialect(context.to_raw(), crate::handles::string_ref(name))
    };
    !raw.ptr.is_null()
}
