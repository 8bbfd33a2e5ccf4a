//! The MLIR context with every dialect, pass and translation that the stages use.

use std::{
    ffi::c_void,
    ops::Deref,
    sync::{Mutex, Once, PoisonError},
};

use melior::{Context, dialect::DialectRegistry, ir::Module};
use mlir_sys as sys;

use crate::{handles::erased::destroy_erased, pass::kept};

unsafe extern "C" {
    /// Adds Strata's own dialects to a registry; defined in `dialects/capi`.
    safe fn strataRegisterDialects(registry: sys::MlirDialectRegistry);
    /// Adds those of MLIR's own dialects that Strata uses, with their extensions and their translation to LLVM IR.
    safe fn strataRegisterUpstream(registry: sys::MlirDialectRegistry);
    /// Registers the passes of these dialects.
    safe fn strataRegisterPasses();
    /// Calls `sink` with the name of each operation of a loaded dialect.
    fn strataOperationsOf(
        context: sys::MlirContext,
        dialect: sys::MlirStringRef,
        sink: extern "C" fn(sys::MlirStringRef, *mut c_void),
        data: *mut c_void,
    );
    /// Whether a program left constants in the context that are stored apart from it (`dense_resource<name>`).
    fn strataHoldsResources(context: sys::MlirContext) -> bool;
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
    "narrow",
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

/// A context with what was erased in it ([`crate::Op::erase`]), which goes with it.
pub struct OwnedContext(Context);

impl Deref for OwnedContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
    }
}

impl Drop for OwnedContext {
    fn drop(&mut self) {
        kept::end(&self.0);
        // SAFETY: handles borrow from the context, of which this is the only owner, so that none is left.
        unsafe { destroy_erased(self.0.to_raw()) }
    }
}

/// Destroys what was erased so far, for callers with many programs or stages in one context. `_module` is the only module of the
/// context in use: the exclusive borrow proves that no handle into it is in use.
pub fn release_erased(context: &Context, _module: &mut Module<'_>) {
    // SAFETY: handles into the module are in use only while it is borrowed, and callers with other modules in this context read no
    // erased operations.
    unsafe { destroy_erased(context.to_raw()) }
}

/// A single-threaded context that knows the dialects of every stage: StableHLO and its companions, and those of MLIR that a
/// CPU's code goes through.
///
/// Threads stay off because the compiler parallelises over kernels and files, one context each,
/// and because pass order then never depends on scheduling.
pub fn new_context() -> OwnedContext {
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
    kept::begin(&context);
    OwnedContext(context)
}

/// Contexts that compilations are done with.
static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());
/// How many of them are kept.
const MOST_IDLE: usize = 4;
/// After how many programs a context goes: it keeps every type, attribute and location that it has seen.
const MOST_PROGRAMS: usize = 64;
/// A program and what became of it have fewer bytes than this, or the context goes with them.
const MOST_BYTES: usize = 1 << 18;

struct Idle {
    context: OwnedContext,
    programs: usize,
}

// SAFETY: a context whose threads are off belongs to no thread, and one in the list is used by none.
unsafe impl Send for Idle {}

/// A context for one program, which earlier ones may have been compiled in: it has gathered the patterns of MLIR's passes, which
/// takes longer than a small program.
pub struct LentContext {
    context: OwnedContext,
    programs: usize,
}

impl Deref for LentContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl LentContext {
    /// A context as [`new_context`] makes it, or one that was [returned](Self::give_back).
    pub fn take() -> Self {
        let found = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match found {
            Some(Idle { context, programs }) => Self { context, programs },
            None => Self { context: new_context(), programs: 0 },
        }
    }

    /// Leaves the context to later programs. `bytes` is the size of this one, or of what became of it if that is more. A context that
    /// is dropped instead, after an error, is not used again.
    pub fn give_back(self, bytes: usize) {
        let Self { context, programs } = self;
        let programs = programs + 1;
        // SAFETY: the context is alive; handles borrow from it, so that none is left.
        let is_clean = unsafe {
            destroy_erased(context.to_raw());
            !strataHoldsResources(context.to_raw())
        };
        if !is_clean || programs >= MOST_PROGRAMS || bytes >= MOST_BYTES {
            return;
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(Idle { context, programs });
        }
    }
}

/// Whether `name` is a dialect that [`new_context`] knows.
pub fn is_dialect_known(context: &Context, name: &str) -> bool {
    // SAFETY: the context is alive, and the name is read during the call only; a null dialect is not asked for anything.
    let raw = unsafe {
        sys::mlirContextGetOrLoadDialect(context.to_raw(), crate::handles::string_ref(name))
    };
    !raw.ptr.is_null()
}

/// The names of the operations of a dialect, those of its extensions among them, in order; none of a dialect that
/// [`new_context`] does not know.
pub fn operations_of(context: &Context, dialect: &str) -> Vec<String> {
    extern "C" fn add(name: sys::MlirStringRef, names: *mut c_void) {
        // SAFETY: the text lives as long as the context, and the list as the call that got it.
        unsafe {
            let names = &mut *names.cast::<Vec<String>>();
            names.push(crate::handles::str_from(name).to_owned());
        }
    }
    let mut names: Vec<String> = Vec::new();
    if is_dialect_known(context, dialect) {
        let dialect = crate::handles::string_ref(dialect);
        // SAFETY: the context is alive, and both the text and the list live longer than the call.
        unsafe {
            strataOperationsOf(context.to_raw(), dialect, add, (&raw mut names).cast());
        }
    }
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::{LentContext, MOST_BYTES, MOST_PROGRAMS};
    use crate::parse_text;

    /// How many programs the context was used for that comes after one for this program.
    fn next(text: &str, bytes: usize) -> usize {
        let context = LentContext::take();
        drop(parse_text(&context, text).expect("a program"));
        context.give_back(bytes);
        LentContext::take().programs
    }

    #[test]
    fn contexts_are_used_again_but_not_for_ever() {
        let plain =
            "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }";
        assert_eq!(next(plain, 100), 1, "used once before");
        assert_eq!(next(plain, MOST_BYTES), 0, "a large program");
        let apart =
            "func.func @main() { %0 = stablehlo.constant dense_resource<a> : tensor<1xi8> return }
            {-# dialect_resources: { builtin: { a: \"0x0100000001\" } } #-}";
        assert_eq!(next(apart, 100), 0, "constants apart from it");
        let mut context = LentContext::take();
        for programs in 0..MOST_PROGRAMS {
            assert_eq!(context.programs, programs);
            context.give_back(100);
            context = LentContext::take();
        }
        assert_eq!(context.programs, 0, "a new one");
    }

    #[test]
    fn a_context_that_is_dropped_is_gone() {
        let context = LentContext::take();
        drop(context);
        assert_eq!(LentContext::take().programs, 0);
    }
}
