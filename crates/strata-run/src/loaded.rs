//! Loads a compiled object into this process and calls its entry function.
//!
//! The object is linked in memory by LLVM's JIT linker, so that the code that runs is byte-identical to what `compile`
//! writes, and no system linker is needed.

use std::{ffi::c_void, fs::File, ptr};

use memmap2::Mmap;
use strata_abi::{Executor, Task};
use strata_codegen::{Symbols, Weights, abi::MOST_DIRECT, fnv1a};
use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{Signature, TensorSpec, WeightsFile};
use strata_options::Options;

use crate::{
    buffers::{Buffers, Line, aligned_copy},
    jit::{Image, internal},
    library::{Code, Entry},
    linked::{Environment, Linked},
};

type Main = unsafe extern "C" fn(
    inputs: *const *const c_void,
    outputs: *const *mut c_void,
    workspace: *mut c_void,
    executor: *const c_void,
) -> i32;

/// How the code is called.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// With the arrays of the buffers.
    Arrays(Main),
    /// With the buffers themselves.
    Direct(Direct),
}

/// A kernel, and whether it takes an executor after the workspace and returns a status.
#[derive(Clone, Copy, Debug)]
struct Direct {
    kernel: *const c_void,
    leaves: bool,
}

impl Call {
    /// Calls the code and returns its status.
    ///
    /// # Safety
    /// The buffers are those of the signature.
    unsafe fn call(
        self,
        inputs: &[*const c_void],
        outputs: &[*mut c_void],
        workspace: *mut c_void,
        executor: *const c_void,
    ) -> i32 {
        match self {
            // SAFETY: as the caller promises.
            Self::Arrays(main) => unsafe {
                main(inputs.as_ptr(), outputs.as_ptr(), workspace, executor)
            },
            // SAFETY: as the caller promises.
            Self::Direct(direct) => unsafe { direct.call(inputs, outputs, workspace, executor) },
        }
    }
}

/// Calls a function with as many pointers as the list has, which is one of the lengths given.
macro_rules! call_with {
    ($function:expr, $arguments:expr, $result:ty, $($length:literal: $($index:literal)*;)*) => {
        match $arguments.len() {
            $($length => {
                let function: unsafe extern "C" fn($(call_with!(@pointer $index)),*) -> $result =
                    std::mem::transmute($function);
                function($($arguments[$index]),*)
            })*
            _ => unreachable!("entries with more buffers have a wrapper"),
        }
    };
    (@pointer $index:literal) => { *const c_void };
}

impl Direct {
    /// # Safety
    /// As [`Call::call`].
    unsafe fn call(
        self,
        inputs: &[*const c_void],
        outputs: &[*mut c_void],
        workspace: *mut c_void,
        executor: *const c_void,
    ) -> i32 {
        let mut list = [ptr::null::<c_void>(); MOST_DIRECT + 2];
        let buffers = inputs.iter().copied().chain(outputs.iter().map(|one| one.cast_const()));
        let rest = [workspace.cast_const(), executor];
        let rest = &rest[..if self.leaves { 2 } else { 1 }];
        let mut count = 0;
        for (place, pointer) in list.iter_mut().zip(buffers.chain(rest.iter().copied())) {
            *place = pointer;
            count += 1;
        }
        let list = &list[..count];
        // SAFETY: the kernel takes these pointers and returns a status or nothing; the caller promises that the buffers are right.
        unsafe {
            macro_rules! lengths {
                ($result:ty) => {
                    call_with!(
                        self.kernel, list, $result,
                        1: 0; 2: 0 1; 3: 0 1 2; 4: 0 1 2 3; 5: 0 1 2 3 4; 6: 0 1 2 3 4 5; 7: 0 1 2 3 4 5 6;
                        8: 0 1 2 3 4 5 6 7; 9: 0 1 2 3 4 5 6 7 8; 10: 0 1 2 3 4 5 6 7 8 9;
                        11: 0 1 2 3 4 5 6 7 8 9 10; 12: 0 1 2 3 4 5 6 7 8 9 10 11;
                        13: 0 1 2 3 4 5 6 7 8 9 10 11 12; 14: 0 1 2 3 4 5 6 7 8 9 10 11 12 13;
                    )
                };
            }
            if self.leaves {
                lengths!(i32)
            } else {
                lengths!(());
                0
            }
        }
    }
}

/// Compiled code in this process, ready to be called.
#[derive(Debug)]
pub struct Loaded {
    /// Owns the memory of `call`.
    _code: Code,
    call: Call,
    workspace_size: usize,
    input_sizes: Vec<usize>,
    output_sizes: Vec<usize>,
    weights_size: usize,
    weights: Option<MappedWeights>,
}

// SAFETY: the code and the weights are only read after loading; calls share no memory but their callers' buffers.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// The external weights of an entry.
#[derive(Debug)]
pub struct MappedWeights(Held);

#[derive(Debug)]
enum Held {
    /// In their file, from an offset on.
    File(Mmap, usize),
    /// Copied from a file shared with other entries, which has them at other offsets.
    Memory(Vec<Line>),
}

impl MappedWeights {
    /// Maps `file`, called `name` in errors, after checking that it was written for `weights`, or for several entries
    /// including this one. The file must not change while it is mapped.
    ///
    /// # Errors
    /// `S1806` for a file that cannot be mapped or does not match; `S1807` if there is no memory.
    pub fn open(file: &File, name: &str, weights: &Weights) -> Result<Self, Diagnostic> {
        let wrong =
            |reason: String| Diagnostic::new(codes::S1806).at(Location::file(name)).reason(reason);
        // SAFETY: the mapping is private to this process and only read; the caller guarantees that no other process
        // writes the file.
        let mapped = unsafe { Mmap::map(file) }.map_err(|error| wrong(error.to_string()))?;
        if let Err(reason) = weights.check_file(&mapped) {
            return match weights.are_among(&mapped) {
                true => Ok(Self(Held::Memory(aligned_copy(&weights.joined())?))),
                false => Err(wrong(reason)),
            };
        }
        let offset = weights.file().map_or(0, |file| file.offset);
        Ok(Self(Held::File(mapped, usize::try_from(offset).unwrap_or(usize::MAX))))
    }

    /// Maps the file of an entry of a shared library, whose size, and offset and hash where they are not 0, are `weights`. The file
    /// must not change while it is mapped.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn of_library(file: &File, name: &str, weights: WeightsFile) -> Result<Self, Diagnostic> {
        let wrong =
            |reason: &str| Diagnostic::new(codes::S1806).at(Location::file(name)).reason(reason);
        // SAFETY: as in `open`.
        let mapped = unsafe { Mmap::map(file) }.map_err(|error| wrong(&error.to_string()))?;
        let length = mapped.first_chunk().map_or(u64::MAX, |bytes| u64::from_le_bytes(*bytes));
        let offset = length.saturating_add(8);
        let is_whole = offset.checked_add(weights.size) == Some(mapped.len() as u64);
        let header = usize::try_from(offset).ok().filter(|_| is_whole);
        let Some(header) = header.and_then(|offset| mapped.get(..offset)) else {
            return Err(wrong("it has another size than the weights of the library"));
        };
        let is_known = weights.header_hash != 0;
        if is_known && (weights.offset != offset || weights.header_hash != fnv1a(header)) {
            return Err(wrong("it was written for another program: the hashes differ"));
        }
        let offset = header.len();
        if offset % 64 != 0 {
            return Err(wrong("its data is not aligned"));
        }
        Ok(Self(Held::File(mapped, offset)))
    }

    pub(crate) fn pointer(&self) -> *const c_void {
        match &self.0 {
            Held::File(file, offset) => {
                file.get(*offset..).map_or(ptr::null(), |bytes| bytes.as_ptr().cast())
            }
            Held::Memory(lines) => lines.as_ptr().cast(),
        }
    }
}

/// An entry with buffers for everything that it reads and writes, for repeated calls. All pages of the buffers have been
/// touched.
pub struct Bound<'l> {
    loaded: &'l Loaded,
    buffers: Buffers,
}

impl Bound<'_> {
    /// Calls the entry on one thread and returns its status.
    pub fn call(&mut self) -> i32 {
        self.call_in(ptr::null())
    }

    /// Calls the entry on these threads and returns its status.
    pub fn call_on(&mut self, threads: &Executor) -> i32 {
        self.call_in(ptr::from_ref(threads).cast())
    }

    /// The bytes of the outputs.
    ///
    /// # Errors
    /// `S1807` if there is no memory for them.
    pub fn outputs(&self) -> Result<Vec<Vec<u8>>, Diagnostic> {
        self.buffers.outputs()
    }

    fn call_in(&mut self, executor: *const c_void) -> i32 {
        let (inputs, outputs, workspace) = self.buffers.pointers();
        // SAFETY: the buffers have the sizes that the signature asks for, and do not overlap.
        unsafe { self.loaded.call.call(inputs, outputs, workspace, executor) }
    }
}

/// Runs tasks from the last to the first, in ranges of one, two and three.
///
/// # Safety
/// `task` may be called with `state` for all ranges up to `count`.
pub(crate) unsafe extern "C" fn scatter(
    _: *mut c_void,
    count: usize,
    task: Task,
    state: *mut c_void,
) {
    let (mut end, mut length) = (count, 1);
    while end > 0 {
        let begin = end.saturating_sub(length);
        // SAFETY: as the caller promises.
        unsafe { task(state, begin, end) };
        end = begin;
        length = length % 3 + 1;
    }
}

impl Loaded {
    /// Loads an object that this compiler made with these options for the machine that it runs on;
    /// `signature` is that of its entry. The caller is responsible for both: they are code.
    ///
    /// # Errors
    /// `S0007` for an object of another architecture, `S9001` if it cannot be linked or lacks its symbols.
    pub fn new(
        object: &[u8],
        options: &Options,
        signature: &Signature,
    ) -> Result<Self, Diagnostic> {
        Self::linked(object, options, signature, &Linked::default())
    }

    /// As [`Self::new`], for a program with external calls: `linked` must outlive the calls.
    ///
    /// # Errors
    /// As [`Self::new`], and `S1703` if `linked` lacks one of them.
    pub fn linked(
        object: &[u8],
        options: &Options,
        signature: &Signature,
        linked: &Linked,
    ) -> Result<Self, Diagnostic> {
        Image::new(object, options, linked)?.entry(signature)
    }

    /// The entry of a shared library. Its code is the caller's responsibility, as that of [`Self::new`].
    ///
    /// # Errors
    /// `S9001` if the library lacks a symbol of an entry, or the entry takes sizes.
    pub fn of_library(entry: &Entry) -> Result<Self, Diagnostic> {
        if entry.is_dynamic() {
            return Err(internal("the entry takes sizes"));
        }
        Self::of(entry.code(), entry.symbols(), entry.signature())
    }

    pub(crate) fn of(
        code: Code,
        symbols: &Symbols,
        signature: &Signature,
    ) -> Result<Self, Diagnostic> {
        let main = code.lookup(&symbols.entry)?;
        let workspace_size = code.lookup(&symbols.workspace_size())?;
        // SAFETY: the two symbols of every object of ours have these types.
        let (main, workspace_size) = unsafe {
            (
                std::mem::transmute::<*const c_void, Main>(main),
                std::mem::transmute::<*const c_void, unsafe extern "C" fn() -> usize>(
                    workspace_size,
                ),
            )
        };
        // SAFETY: it returns a constant.
        let workspace_size = unsafe { workspace_size() };
        Ok(Self::with(code, Call::Arrays(main), workspace_size, signature))
    }

    /// An object whose kernel is called without a wrapper.
    pub(crate) fn direct(
        code: Code,
        symbols: &Symbols,
        signature: &Signature,
    ) -> Result<Self, Diagnostic> {
        let kernel = code.lookup(&symbols.kernel())?;
        let said = code.lookup(&symbols.direct())?.cast::<[u64; 2]>();
        // SAFETY: the symbol of every such object is two integers.
        let [workspace_size, leaves] = unsafe { said.read() };
        let workspace_size = usize::try_from(workspace_size).unwrap_or(usize::MAX);
        let call = Call::Direct(Direct { kernel, leaves: leaves != 0 });
        Ok(Self::with(code, call, workspace_size, signature))
    }

    fn with(code: Code, call: Call, workspace_size: usize, signature: &Signature) -> Self {
        let sizes = |all: &[TensorSpec]| all.iter().map(size).collect();
        let (input_sizes, output_sizes) = (sizes(&signature.inputs), sizes(&signature.outputs));
        let weights_size = signature.weights.map_or(0, |file| file.size);
        let weights_size = usize::try_from(weights_size).unwrap_or(usize::MAX);
        let weights = None;
        Self { _code: code, call, workspace_size, input_sizes, output_sizes, weights_size, weights }
    }

    /// Sets the external weights of the entry.
    #[must_use]
    pub fn with_weights(mut self, weights: MappedWeights) -> Self {
        self.weights = Some(weights);
        self
    }

    /// The size in bytes of the memory that a call needs for temporaries.
    pub fn workspace_size(&self) -> usize {
        self.workspace_size
    }

    /// Calls the entry function on one thread and returns its status and the outputs.
    ///
    /// # Errors
    /// `S9001` if the number or a size of the inputs does not match the signature, or if weights are missing.
    pub fn call(&self, inputs: &[Vec<u8>]) -> Result<(i32, Vec<Vec<u8>>), Diagnostic> {
        self.call_in(inputs, &mut Environment::default())
    }

    /// As [`Self::call`], with an environment.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn call_in(
        &self,
        inputs: &[Vec<u8>],
        environment: &mut Environment<'_>,
    ) -> Result<(i32, Vec<Vec<u8>>), Diagnostic> {
        self.call_on(inputs, environment, 0, &[])
    }

    /// As [`Self::call`], twice: the workspace and the outputs hold NaN before the one call and 0xA5 before the other, which
    /// runs its tasks in another order, some of them together.
    ///
    /// # Errors
    /// As [`Self::call`], and `S9001` if the results differ.
    pub fn call_twice(&self, inputs: &[Vec<u8>]) -> Result<(i32, Vec<Vec<u8>>), Diagnostic> {
        let found = self.call_on(inputs, &mut Environment::default(), 0xFF, &[])?;
        let scattered = Executor {
            context: ptr::null_mut(),
            concurrency: 2,
            parallel_for: Some(scatter),
            host: ptr::null(),
        };
        let mut environment = Environment { threads: Some(&scattered), ..Environment::default() };
        let again = self.call_on(inputs, &mut environment, 0xA5, &[])?;
        // A failing call does not write its outputs.
        if found.0 != again.0 || (found.0 == 0 && found != again) {
            return Err(internal(
                "the results depend on the workspace's initial contents, or on the order of tasks",
            ));
        }
        Ok(found)
    }

    /// As [`Self::call`], with a shared buffer for each pair of an output and an input in `donations`.
    ///
    /// # Errors
    /// As [`Self::call`], and for pairs that do not fit.
    pub fn call_in_place(
        &self,
        inputs: &[Vec<u8>],
        donations: &[(usize, usize)],
    ) -> Result<(i32, Vec<Vec<u8>>), Diagnostic> {
        let fits = |(output, input): &(usize, usize)| {
            let size = self.output_sizes.get(*output);
            size.is_some() && size == self.input_sizes.get(*input)
        };
        if !donations.iter().all(fits) {
            return Err(internal("a donated input has not the size of its output"));
        }
        self.call_on(inputs, &mut Environment::default(), 0xFF, donations)
    }

    /// `S1807` if the buffers are larger than the machine's memory: systems overcommit.
    fn check_memory(&self) -> Result<(), Diagnostic> {
        let sizes = self.input_sizes.iter().chain(&self.output_sizes);
        let all = sizes.fold(self.workspace_size, |sum, size| sum.saturating_add(*size));
        // SAFETY: it only asks for numbers.
        let (pages, page) =
            unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        let memory = usize::try_from(pages.saturating_mul(page)).unwrap_or(usize::MAX);
        match all <= memory {
            true => Ok(()),
            false => Err(Diagnostic::new(codes::S1807)
                .reason(format!("the buffers take {all} bytes, more than the machine's memory"))),
        }
    }

    /// Calls the entry on buffers of the caller and returns its status; `executor` may be null for one thread. Nothing is
    /// copied.
    ///
    /// # Errors
    /// `S9001` if the number of inputs or outputs does not match the signature, or if weights are missing.
    ///
    /// # Safety
    /// Inputs and outputs have the sizes of the signature and are aligned as their C types, `workspace` has
    /// [`Self::workspace_size`] bytes and is aligned to 64; outputs and workspace overlap nothing, but for outputs that may share an input's buffer; `executor` is null
    /// or outlives the call.
    pub unsafe fn call_raw(
        &self,
        inputs: &[*const c_void],
        outputs: &[*mut c_void],
        workspace: *mut c_void,
        executor: *const Executor,
    ) -> Result<i32, Diagnostic> {
        if self.weights_size > 0 && self.weights.is_none() {
            return Err(internal("the entry takes external weights, but none are given"));
        }
        if inputs.len() != self.input_sizes.len() || outputs.len() != self.output_sizes.len() {
            return Err(internal("the buffers are not as many as the signature has"));
        }
        let call = |inputs: &[*const c_void]| {
            // SAFETY: the caller's buffers are those of the signature.
            unsafe { self.call.call(inputs, outputs, workspace, executor.cast()) }
        };
        Ok(match &self.weights {
            None => call(inputs),
            Some(weights) => call(&[inputs, &[weights.pointer()]].concat()),
        })
    }

    /// Buffers for calls with these inputs.
    ///
    /// # Errors
    /// As [`Self::call`], and `S1807` if there is no memory for them.
    pub fn bind(&self, inputs: &[Vec<u8>]) -> Result<Bound<'_>, Diagnostic> {
        self.bound(inputs, 0, &[])
    }

    /// Calls the entry with all bytes that it writes preset to `fill`, except outputs that share donated inputs; `S1807`
    /// where there is no memory for its buffers.
    pub(crate) fn call_on(
        &self,
        inputs: &[Vec<u8>],
        environment: &mut Environment<'_>,
        fill: u8,
        donations: &[(usize, usize)],
    ) -> Result<(i32, Vec<Vec<u8>>), Diagnostic> {
        let mut bound = self.bound(inputs, fill, donations)?;
        let status = environment.with_executor(|executor| bound.call_in(executor));
        Ok((status, bound.outputs()?))
    }

    fn bound(
        &self,
        inputs: &[Vec<u8>],
        fill: u8,
        donations: &[(usize, usize)],
    ) -> Result<Bound<'_>, Diagnostic> {
        if self.weights_size > 0 && self.weights.is_none() {
            return Err(internal("the entry takes external weights, but none are given"));
        }
        if !inputs.iter().map(Vec::len).eq(self.input_sizes.iter().copied()) {
            return Err(internal("the inputs do not have the sizes of the signature"));
        }
        self.check_memory()?;
        let weights = self.weights.as_ref().map(MappedWeights::pointer);
        let sizes = (self.output_sizes.clone(), self.workspace_size);
        let buffers = Buffers::new(inputs, sizes, fill, donations, weights)?;
        Ok(Bound { loaded: self, buffers })
    }
}

fn size(spec: &TensorSpec) -> usize {
    usize::try_from(spec.byte_count()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::Loaded;
    use crate::jit::libraries;
    use strata_codegen::{emit, llvmir, target};
    use strata_diag::codes;
    use strata_ir::{ElementType, Signature, TensorSpec};
    use strata_options::Options;

    const DOUBLE: &str = r"
        define i32 @model_main(ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor) {
          %in = load ptr, ptr %inputs
          %out = load ptr, ptr %outputs
          %x = load float, ptr %in
          %y = call float @expf(float %x)
          store float %y, ptr %out
          ret i32 0
        }
        declare float @expf(float)
        define i64 @model_main_workspace_size() {
          ret i64 192
        }";

    fn signature() -> Signature {
        let scalar = TensorSpec::new(Vec::new(), ElementType::Float(32));
        let inputs = vec![scalar.clone()];
        Signature { entry: "main".into(), inputs, outputs: vec![scalar], ..Signature::default() }
    }

    #[test]
    fn objects_with_the_same_names_are_apart() {
        let options = Options::new(target::resolve(None, None, None).expect("the default target"));
        if !options.target.triple.starts_with(std::env::consts::ARCH) {
            return;
        }
        let load = |bytes: u32| {
            let text = DOUBLE.replace("192", &bytes.to_string());
            let ir = llvmir::parse("double.ll", text.as_bytes(), &options).expect("valid IR");
            let object = emit::object(&ir, &options).expect("an object");
            Loaded::new(&object, &options, &signature()).expect("linked")
        };
        let called =
            |loaded: &Loaded| loaded.call(&[0f32.to_le_bytes().to_vec()]).expect("called").1;
        let (first, second) = (load(64), load(128));
        assert_eq!((first.workspace_size(), second.workspace_size()), (64, 128));
        drop(first);
        let before = libraries();
        for _ in 0..100 {
            let third = load(256);
            assert_eq!(third.workspace_size(), 256);
            assert_eq!(called(&third), called(&second));
        }
        assert_eq!(libraries(), before, "what was dropped is used again");
    }

    #[test]
    fn what_was_compiled_can_be_called() {
        let options = Options::new(target::resolve(None, None, None).expect("the default target"));
        let ir = llvmir::parse("double.ll", DOUBLE.as_bytes(), &options).expect("valid IR");
        let object = emit::object(&ir, &options).expect("an object");
        if options.target.triple.starts_with(std::env::consts::ARCH) {
            let loaded = Loaded::new(&object, &options, &signature()).expect("linked");
            assert_eq!(loaded.workspace_size(), 192);
            let zero = 0f32.to_le_bytes().to_vec();
            let (status, outputs) = loaded.call(&[zero]).expect("called");
            assert_eq!((status, outputs), (0, vec![1f32.to_le_bytes().to_vec()]));
            assert!(loaded.call(&[vec![0; 3]]).is_err(), "a wrong size is refused");
            assert!(Loaded::new(&object[..40], &options, &signature()).is_err());
        }
    }

    #[test]
    fn code_for_another_architecture_is_refused() {
        let other = if cfg!(target_arch = "x86_64") { "aarch64" } else { "x86_64" };
        let triple = format!("{other}-unknown-linux-gnu");
        let options = Options::new(target::resolve(Some(&triple), None, None).expect("a target"));
        let error = Loaded::new(&[], &options, &signature()).expect_err("refused");
        assert_eq!(error.code(), codes::S0007);
    }
}
