//! A program of the client, compiled and linked in this process.

use std::{
    ffi::{c_char, c_void},
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use strata::{Compiler, Signature, Stage};
use strata_ir::{AttributeExt as _, Module};
use strata_run::Loaded;

use crate::{
    client::{MEMORY, Shared},
    element,
    failure::Failure,
    storage::Aligned,
};

/// Stacks to compile on, in bytes, the first that the system gives: the parser and the passes recurse over the program's
/// nesting.
const STACKS: [usize; 3] = [1 << 29, 1 << 26, 1 << 23];
const HINT: &str = "Strata's run-time library has JAX's `lapack_*_ffi`; other functions cannot be added to the plugin yet";

/// A compiled program.
pub struct Program {
    /// The code.
    pub loaded: Loaded,
    /// What it takes and returns.
    pub signature: Signature,
    /// Whether the program says that an input is donated.
    pub donors: Vec<bool>,
    /// What it is called.
    pub name: String,
    /// A hash of the program.
    pub fingerprint: String,
    /// The results as the C API asks for them.
    pub outputs: Outputs,
    code_size: usize,
    /// The workspace of an earlier call.
    spare: Mutex<Option<Aligned>>,
}

/// What the C API asks of the results: arrays that live as long as the program.
#[derive(Default)]
pub struct Outputs {
    /// The code of each element type.
    pub types: Vec<i32>,
    /// The sizes of all.
    pub dims: Vec<i64>,
    /// How many sizes each has.
    pub ranks: Vec<usize>,
    /// The kind of memory of each.
    pub kinds: Vec<Text>,
    /// The lengths of these texts.
    pub kind_sizes: Vec<usize>,
}

/// A constant text.
#[repr(transparent)]
pub struct Text(pub *const c_char);

// SAFETY: the text is a constant.
unsafe impl Send for Text {}
// SAFETY: as above.
unsafe impl Sync for Text {}

/// What is read off the program before it is compiled.
#[derive(Default)]
struct Said {
    name: String,
    donors: Vec<bool>,
}

impl Program {
    /// The program with these bytes, from the cache where it has it.
    ///
    /// # Errors
    /// The compiler's diagnostics.
    pub fn compile(client: &Shared, bytes: &[u8]) -> Result<Arc<Self>, Failure> {
        if let Some(found) = client.cache.get(bytes) {
            return Ok(found);
        }
        let program = Arc::new(on_large_stack(&|| Self::new(client, bytes))?);
        client.cache.put(bytes, &program);
        Ok(program)
    }

    fn new(client: &Shared, bytes: &[u8]) -> Result<Self, Failure> {
        let mut said = Said::default();
        let compiler = Compiler::new(client.options.clone())
            .offered(|name| client.linked.find(name).is_some(), HINT)
            .after(Stage::Input, |_, module| {
                said = Said::of(module);
                Ok(())
            });
        let artifact = compiler.compile("program", bytes)?;
        let signature = artifact.signature().cloned();
        let signature =
            signature.ok_or_else(|| Failure::internal("the object has no signature"))?;
        if !signature.shapes.is_empty() {
            return Err(Failure::unimplemented("results whose size is known only at run time"));
        }
        let outputs = Outputs::of(&signature)?;
        let loaded = Loaded::linked(artifact.bytes(), &client.options, &signature, &client.linked)?;
        said.donors.resize(signature.inputs.len(), false);
        Ok(Self {
            loaded,
            signature,
            donors: said.donors,
            name: said.name,
            fingerprint: fingerprint(bytes),
            outputs,
            code_size: artifact.bytes().len(),
            spare: Mutex::default(),
        })
    }

    /// The bytes of the object.
    pub fn code_size(&self) -> usize {
        self.code_size
    }

    /// Calls `body` with memory for temporaries, which is kept for the next call.
    ///
    /// # Errors
    /// Those of `body`, and if there is no memory.
    pub fn with_workspace<R>(
        &self,
        body: impl FnOnce(*mut c_void) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = spare().take();
        let workspace = match kept {
            Some(workspace) => workspace,
            None => Aligned::new(self.loaded.workspace_size())?,
        };
        let result = body(workspace.pointer().cast());
        *spare() = Some(workspace);
        result
    }
}

impl Said {
    fn of(module: &Module<'_>) -> Self {
        let name = strata_ir::module_op(module).attr("sym_name");
        let name = name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
        let Ok(entry) = strata_ir::entry(module, None) else {
            return Self { name, ..Self::default() };
        };
        let attributes = entry.attr("arg_attrs").and_then(|list| list.as_array());
        let is_donor = |one: &strata_ir::Attribute<'_>| {
            let donor = one.entry("jax.buffer_donor").and_then(|donor| donor.as_bool());
            donor == Some(true) || one.entry("tf.aliasing_output").is_some()
        };
        Self { name, donors: attributes.unwrap_or_default().iter().map(is_donor).collect() }
    }
}

impl Outputs {
    fn of(signature: &Signature) -> Result<Self, Failure> {
        let mut outputs = Self::default();
        for one in &signature.outputs {
            outputs.types.push(element::code(one.element)?);
            outputs.dims.extend(one.shape.iter().map(|&size| size.cast_signed()));
            outputs.ranks.push(one.shape.len());
            outputs.kinds.push(Text(MEMORY.as_ptr().cast()));
            outputs.kind_sizes.push(MEMORY.len());
        }
        for one in &signature.inputs {
            element::code(one.element)?;
        }
        Ok(outputs)
    }
}

/// Runs `body` on a large stack, and makes a panic a failure.
fn on_large_stack<R: Send>(body: &(impl Fn() -> Result<R, Failure> + Sync)) -> Result<R, Failure> {
    let guarded = || {
        catch_unwind(AssertUnwindSafe(body))
            .unwrap_or_else(|payload| Err(Failure::of_panic(payload.as_ref())))
    };
    thread::scope(|scope| {
        for size in STACKS {
            let builder = thread::Builder::new().name("strata-compiler".to_owned());
            if let Ok(thread) = builder.stack_size(size).spawn_scoped(scope, guarded) {
                return thread
                    .join()
                    .unwrap_or_else(|payload| Err(Failure::of_panic(payload.as_ref())));
            }
        }
        guarded()
    })
}

/// 128 bits of FNV-1a.
fn fingerprint(bytes: &[u8]) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let hash =
        bytes.iter().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "{hash:032x}");
    text
}
