//! The MLIR context with every dialect, pass and translation that the stages use.

use std::sync::Once;

use melior::{Context, dialect::DialectRegistry};
use mlir_sys as sys;

unsafe extern "C" {
    /// Adds Strata's own dialects to a registry; defined in `dialects/capi`.
    safe fn strataRegisterDialects(registry: sys::MlirDialectRegistry);
    /// Adds those of MLIR's own dialects that Strata uses, with their extensions and their translation to LLVM IR.
    safe fn strataRegisterUpstream(registry: sys::MlirDialectRegistry);
    /// Registers the passes of these dialects.
    safe fn strataRegisterPasses();
}

/// The dialects whose operations the stages build. Others are loaded when a program or a pass uses them: each
/// canonicalization collects the patterns of every loaded dialect, and each printing its aliases. `math` is the first:
/// dialects that depend on it would load MLIR's own one, whose functions fold.
const LOADED: &[&str] = &[
    "math",
    "affine",
    "arith",
    "bufferization",
    "cf",
    "check",
    "chlo",
    "complex",
    "func",
    "index",
    "interpreter",
    "linalg",
    "llvm",
    "memref",
    "quant",
    "scf",
    "sdy",
    "shape",
    "stablehlo",
    "tensor",
    "transform",
    "ub",
    "vector",
    "vhlo",
];

/// A single-threaded context that knows the dialects of every stage: StableHLO and its companions, and those of MLIR that a
/// CPU's code goes through.
///
/// Threads stay off because the compiler parallelises over kernels and files, one context each,
/// and because pass order then never depends on scheduling.
pub fn new_context() -> Context {
    static PASSES: Once = Once::new();
    PASSES.call_once(|| strataRegisterPasses());
    let registry = DialectRegistry::new();
    // The first registration of a name wins.
    strataRegisterDialects(registry.to_raw());
    strataRegisterUpstream(registry.to_raw());
    let context = Context::new_with_registry(&registry, false);
    for name in LOADED {
        context.get_or_load_dialect(name);
    }
    context
}

/// Whether `name` is a dialect that [`new_context`] knows.
pub fn is_dialect_known(context: &Context, name: &str) -> bool {
    let raw = unsafe {
        sys::mlirContextGetOrLoadDialect(context.to_raw(), crate::handles::string_ref(name))
    };
    !raw.ptr.is_null()
}
