//! Compiles programs, links what comes out and calls it, with guard pages around every buffer.

use std::{
    ffi::c_void,
    fs,
    path::{Path, PathBuf},
    process::Command,
    ptr,
};

use strata::{
    Artifact, Compiler, Observer, Options, Product, Remarks, Signature, Stage, StageInfo,
};
use strata_abi::{Executor, Task};
use strata_eval::Element;

/// Constants of more elements than this are elided in snapshots.
const ELIDE: i64 = 32;

/// The CPUs that programs are compiled for when their results are checked: the baseline, every
/// vector instruction set beyond it that this machine has, and this machine with all it has.
pub fn cpus() -> Vec<&'static str> {
    let mut cpus = vec!["x86-64"];
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if avx2 {
            cpus.push("x86-64-v3");
        }
        if avx512 {
            cpus.push("x86-64-v4");
        }
    }
    cpus.push("native");
    cpus
}

/// The options for a CPU of [`cpus`], with the exported names prefixed by `test`.
pub fn options(cpu: &str) -> Options {
    let target = strata_codegen::target::resolve(None, Some(cpu), None).expect("a known CPU");
    named(Options::new(target))
}

/// The options for the snapshots: the same on every machine.
pub fn snapshot_options() -> Options {
    options("x86-64-v3")
}

fn named(options: Options) -> Options {
    Options { name: "test".into(), ..options }
}

/// Gathers the text after every stage, and the remarks.
#[derive(Default)]
pub struct Stages {
    /// The stem of the stage's file name, and the text.
    pub forms: Vec<(String, String)>,
    /// The remarks of each part.
    pub remarks: Vec<String>,
}

impl Observer for Stages {
    fn stage_finished(
        &mut self,
        info: &StageInfo,
        product: &Product<'_, '_>,
        _elapsed: std::time::Duration,
    ) {
        if let Some(text) = product.elided(ELIDE) {
            self.forms.push((info.stem(), text));
        }
    }

    fn remarked(&mut self, remarks: &Remarks) {
        self.remarks.push(remarks.text());
    }

    fn wants_remarks(&self) -> bool {
        true
    }
}

/// Compiles the file to an object; a diagnostic fails the test with its rendered text.
#[track_caller]
pub fn compile(path: &Path, options: Options) -> Artifact {
    let bytes = fs::read(path).expect("the program");
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("program");
    match Compiler::new(options).to(Stage::Obj).compile(name, &bytes) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{}: {errors}", path.display()),
    }
}

/// An object, linked into a shared library and loaded.
pub struct Loaded {
    library: libloading::Library,
    signature: Signature,
    _folder: tempfile::TempDir,
}

type Entry = unsafe extern "C" fn(
    *const *const c_void,
    *const *mut c_void,
    *mut c_void,
    *const c_void,
) -> i32;
type OpenEntry = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    *mut c_void,
    *const c_void,
    *const i64,
) -> i32;
type WorkspaceSize = unsafe extern "C" fn() -> usize;

impl Loaded {
    /// Links the object of `artifact`, whose name is `test`.
    #[track_caller]
    pub fn new(artifact: &Artifact) -> Self {
        Self::of(artifact, artifact.signature().expect("an object has a signature"))
    }

    /// Another function of the object, with this signature.
    #[track_caller]
    pub fn of(artifact: &Artifact, signature: &Signature) -> Self {
        crate::objects::assert_self_contained(artifact.bytes(), false);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let object = folder.path().join("test.o");
        let shared = folder.path().join("test.so");
        fs::write(&object, artifact.bytes()).expect("the object is written");
        let linked = Command::new("cc")
            .args(["-shared", "-o"])
            .args([&shared, &object])
            .args(["-lm", "-Wl,-z,noexecstack"])
            .output()
            .expect("cc runs");
        assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
        // SAFETY: the library was made from our own object, which has no initialisers.
        let library = unsafe { libloading::Library::new(&shared) }.expect("the library loads");
        Self { library, signature: signature.clone(), _folder: folder }
    }

    /// Says that the system permits tiles.
    pub fn permit_tiles(&self) {
        // SAFETY: the object's code reads the variable atomically, and nothing runs it now.
        unsafe {
            let variable = self.library.get::<*mut i32>(b"strata_tiles");
            **variable.expect("code with tiles has the variable") = 1;
        }
    }

    /// Bytes of workspace that the object asks for.
    pub fn workspace_size(&self) -> usize {
        let symbol = format!("test_{}_workspace_size", self.signature.entry);
        // SAFETY: the symbol has this type by the object's ABI.
        unsafe { self.library.get::<WorkspaceSize>(symbol.as_bytes()).expect("exported")() }
    }

    /// Calls the entry. Inputs, outputs and workspace end at guard pages, so that the first byte
    /// past any of them faults; inputs are read-only pages.
    #[track_caller]
    pub fn call(&self, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
        self.call_with(inputs, false)
    }

    /// As [`Self::call`], with one buffer for a donated input and its output.
    #[track_caller]
    pub fn call_in_place(&self, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
        self.call_with(inputs, true)
    }

    /// As [`Self::call`], but a NaN that is computed may have other bits where tasks are done in another order.
    #[track_caller]
    pub fn call_with_any_nan(&self, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let [found, again] = [NAN, 0xA5].map(|bytes| self.call_on(inputs, false, bytes, None));
        assert!(found == again, "the results depend on the workspace's initial contents");
        let scattered = self.call_on(inputs, false, 0xA5, Some(&scattered()));
        let tensors = |outputs: &[Vec<u8>]| {
            strata_verify::tensors(&self.signature, outputs.to_vec()).expect("outputs of the types")
        };
        let is_same = |one: f64, other: f64| {
            one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
        };
        for (one, other) in tensors(&found).iter().zip(tensors(&scattered)) {
            let same = (0..one.len()).all(|at| match (one.get(at), other.get(at)) {
                (Element::Float(one), Element::Float(other)) => is_same(one, other),
                (one, other) => one == other,
            });
            assert!(same, "the results depend on the order of tasks");
        }
        found
    }

    /// Calls the entry on these threads.
    #[track_caller]
    pub fn call_on_threads(&self, inputs: &[Vec<u8>], threads: &Executor) -> Vec<Vec<u8>> {
        self.call_on(inputs, false, 0xA5, Some(threads))
    }

    /// Calls the entry of an object with open sizes, with guard pages as [`Self::call`]: the status, and outputs of these
    /// numbers of bytes.
    pub fn call_open(
        &self,
        inputs: &[Vec<u8>],
        symbols: &[i64],
        outputs: &[usize],
    ) -> (i32, Vec<Vec<u8>>) {
        self.call_open_on(inputs, symbols, outputs, (NAN, None))
    }

    /// The same with this byte in the workspace and the outputs, on these threads.
    pub fn call_open_on(
        &self,
        inputs: &[Vec<u8>],
        symbols: &[i64],
        outputs: &[usize],
        (fill, threads): (u8, Option<&Executor>),
    ) -> (i32, Vec<Vec<u8>>) {
        let outputs: Vec<_> = outputs.iter().map(|size| Guarded::filled(*size, fill)).collect();
        let inputs: Vec<_> = inputs.iter().map(|bytes| Guarded::read_only(bytes)).collect();
        let needed = self.open_workspace_size(symbols);
        let needed = if needed == usize::MAX { 0 } else { needed };
        let workspace = Guarded::filled(needed, fill);
        let input_pointers: Vec<_> = inputs.iter().map(|one| one.data.cast_const()).collect();
        let output_pointers: Vec<_> = outputs.iter().map(|one| one.data).collect();
        let symbol = format!("test_{}", self.signature.entry);
        // SAFETY: the symbol has this type, and the buffers have the sizes that the symbols say.
        let status = unsafe {
            let entry = self.library.get::<OpenEntry>(symbol.as_bytes()).expect("exported");
            entry(
                input_pointers.as_ptr().cast(),
                output_pointers.as_ptr().cast(),
                workspace.data.cast(),
                threads.map_or(ptr::null(), |threads| ptr::from_ref(threads).cast()),
                symbols.as_ptr(),
            )
        };
        (status, outputs.iter().map(|one| one.bytes().to_vec()).collect())
    }

    /// Bytes of workspace of an object with open sizes.
    pub fn open_workspace_size(&self, symbols: &[i64]) -> usize {
        let symbol = format!("test_{}_workspace_size", self.signature.entry);
        // SAFETY: the symbol has this type by the object's ABI.
        unsafe {
            let size =
                self.library.get::<unsafe extern "C" fn(*const i64) -> usize>(symbol.as_bytes());
            size.expect("exported")(symbols.as_ptr())
        }
    }

    /// The values of the symbols for these shapes of the inputs; `None` if the object refuses them.
    pub fn symbols_of(&self, shapes: &[Vec<i64>], count: usize) -> Option<Vec<i64>> {
        let symbol = format!("test_{}_dims", self.signature.entry);
        let shapes: Vec<_> = shapes.iter().map(|shape| shape.as_ptr()).collect();
        let mut found = vec![-1_i64; count];
        // SAFETY: the symbol has this type by the object's ABI, and each shape has the rank of its input.
        let status = unsafe {
            let dims = self
                .library
                .get::<unsafe extern "C" fn(*const *const i64, *mut i64) -> i32>(symbol.as_bytes());
            dims.expect("exported")(shapes.as_ptr(), found.as_mut_ptr())
        };
        assert!(status == 0 || found.iter().all(|value| *value == -1), "written though refused");
        (status == 0).then_some(found)
    }

    /// The shapes of the outputs.
    pub fn output_shapes(&self, symbols: &[i64]) -> Vec<Vec<i64>> {
        let symbol = format!("test_{}_output_shapes", self.signature.entry);
        let mut shapes: Vec<Vec<i64>> =
            self.signature.outputs.iter().map(|spec| vec![-1; spec.shape.len()]).collect();
        let pointers: Vec<_> = shapes.iter_mut().map(|shape| shape.as_mut_ptr()).collect();
        // SAFETY: the symbol has this type by the object's ABI, and each list has the rank of its output.
        let status = unsafe {
            let write = self
                .library
                .get::<unsafe extern "C" fn(*const i64, *const *mut i64) -> i32>(symbol.as_bytes());
            write.expect("exported")(symbols.as_ptr(), pointers.as_ptr())
        };
        assert_eq!(status, 0, "the shapes for {symbols:?}");
        shapes
    }

    /// Twice: no result may depend on what the outputs and the workspace held before.
    #[track_caller]
    fn call_with(&self, inputs: &[Vec<u8>], in_place: bool) -> Vec<Vec<u8>> {
        let found = self.call_on(inputs, in_place, NAN, None);
        let scattered = Executor { parallel_for: Some(scatter), ..alone() };
        let again = self.call_on(inputs, in_place, 0xA5, Some(&scattered));
        assert!(
            found == again,
            "the results depend on the workspace's initial contents, or on the order of tasks"
        );
        found
    }

    #[track_caller]
    fn call_on(
        &self,
        inputs: &[Vec<u8>],
        in_place: bool,
        fill: u8,
        threads: Option<&Executor>,
    ) -> Vec<Vec<u8>> {
        assert_eq!(inputs.len(), self.signature.inputs.len(), "number of inputs");
        for (bytes, spec) in inputs.iter().zip(&self.signature.inputs) {
            assert_eq!(bytes.len() as u64, spec.byte_count(), "bytes of input {spec}");
        }
        let (status, outputs) = self.result_on(inputs, in_place, fill, threads);
        assert_eq!(status, 0, "the entry's status");
        outputs
    }

    /// The status of a call on inputs of any sizes.
    pub fn status(&self, inputs: &[Vec<u8>]) -> i32 {
        self.result_on(inputs, false, NAN, None).0
    }

    fn result_on(
        &self,
        inputs: &[Vec<u8>],
        in_place: bool,
        fill: u8,
        threads: Option<&Executor>,
    ) -> (i32, Vec<Vec<u8>>) {
        let donated = |output| {
            let pair = self.signature.donations.iter().find(|(shared, _)| *shared == output);
            pair.filter(|_| in_place).map(|(_, input)| *input)
        };
        let outputs: Vec<_> = self
            .signature
            .outputs
            .iter()
            .enumerate()
            .map(|(output, spec)| match donated(output) {
                Some(input) => Guarded::writable(&inputs[input]),
                None => Guarded::filled(spec.byte_count() as usize, fill),
            })
            .collect();
        let inputs: Vec<_> = inputs.iter().map(|bytes| Guarded::read_only(bytes)).collect();
        let workspace = Guarded::filled(self.workspace_size(), fill);
        let mut input_pointers: Vec<_> = inputs.iter().map(|one| one.data.cast_const()).collect();
        for (output, buffer) in outputs.iter().enumerate() {
            if let Some(input) = donated(output) {
                input_pointers[input] = buffer.data;
            }
        }
        let output_pointers: Vec<_> = outputs.iter().map(|one| one.data).collect();
        let symbol = format!("test_{}", self.signature.entry);
        // SAFETY: the symbol has this type, and the buffers have the sizes of the signature.
        let status = unsafe {
            let entry = self.library.get::<Entry>(symbol.as_bytes()).expect("exported");
            entry(
                input_pointers.as_ptr().cast(),
                output_pointers.as_ptr().cast(),
                workspace.data.cast(),
                threads.map_or(ptr::null(), |threads| ptr::from_ref(threads).cast()),
            )
        };
        (status, outputs.iter().map(|one| one.bytes().to_vec()).collect())
    }
}

/// Bytes of which every format of floating-point numbers makes NaN, but for those that have none.
const NAN: u8 = 0xFF;

/// An executor of one thread.
pub fn alone() -> Executor {
    Executor { context: ptr::null_mut(), concurrency: 2, parallel_for: None, host: ptr::null() }
}

/// An executor that does tasks in another order.
pub fn scattered() -> Executor {
    Executor { parallel_for: Some(scatter), ..alone() }
}

/// Does tasks from the last to the first, in ranges of one, two and three.
///
/// # Safety
/// `task` may be called with `state` for all ranges up to `count`.
unsafe extern "C" fn scatter(_: *mut c_void, count: usize, task: Task, state: *mut c_void) {
    let (mut end, mut length) = (count, 1);
    while end > 0 {
        let begin = end.saturating_sub(length);
        // SAFETY: as the caller promises.
        unsafe { task(state, begin, end) };
        end = begin;
        length = length % 3 + 1;
    }
}

/// Memory between two pages that cannot be touched.
struct Guarded {
    data: *mut u8,
    size: usize,
    base: *mut c_void,
    mapped: usize,
}

impl Guarded {
    /// `size` bytes of `fill`, so that what is not written is seen.
    fn filled(size: usize, fill: u8) -> Self {
        let guarded = Self::new(size);
        // SAFETY: the mapping holds `size` writable bytes from `data`.
        unsafe { ptr::write_bytes(guarded.data, fill, size) };
        guarded
    }

    /// A copy of `bytes` that can be written.
    fn writable(bytes: &[u8]) -> Self {
        let guarded = Self::new(bytes.len());
        // SAFETY: the mapping holds `bytes.len()` writable bytes from `data`.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), guarded.data, bytes.len()) };
        guarded
    }

    /// A copy of `bytes` on pages that cannot be written.
    fn read_only(bytes: &[u8]) -> Self {
        let guarded = Self::new(bytes.len());
        // SAFETY: the mapping holds `bytes.len()` writable bytes from `data`; the pages between
        // the guards belong to it alone.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), guarded.data, bytes.len());
            let inner = guarded.base.cast::<u8>().add(page()).cast();
            let length = guarded.mapped - 2 * page();
            assert_eq!(libc::mprotect(inner, length, libc::PROT_READ), 0);
        }
        guarded
    }

    fn new(size: usize) -> Self {
        let page = page();
        let inner = size.div_ceil(page).max(1) * page;
        let mapped = inner + 2 * page;
        // SAFETY: a fresh private mapping, then its two outer pages made inaccessible.
        unsafe {
            let base = libc::mmap(
                ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(base, libc::MAP_FAILED, "mmap");
            let bytes = base.cast::<u8>();
            assert_eq!(libc::mprotect(base, page, libc::PROT_NONE), 0);
            assert_eq!(libc::mprotect(bytes.add(page + inner).cast(), page, libc::PROT_NONE), 0);
            Self { data: bytes.add(page + inner - size), size, base, mapped }
        }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping holds `size` readable bytes from `data`.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing refers to it any more.
        unsafe { libc::munmap(self.base, self.mapped) };
    }
}

fn page() -> usize {
    // SAFETY: asks for a constant.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// The files `<stem>0.npy`, `<stem>1.npy`, … in `folder`, as raw bytes.
#[track_caller]
pub fn arrays(folder: &Path, stem: &str) -> Vec<Vec<u8>> {
    (0..)
        .map(|index| folder.join(format!("{stem}{index}.npy")))
        .take_while(|path| path.exists())
        .map(|path| npy_data(&path))
        .collect()
}

/// The data of a `.npy` file; its header is checked by comparing sizes.
#[track_caller]
fn npy_data(path: &PathBuf) -> Vec<u8> {
    let bytes = fs::read(path).expect("the array");
    let file = npyz::NpyFile::new(&bytes[..]).expect("an .npy file");
    assert_eq!(file.order(), npyz::Order::C, "{}", path.display());
    let data = bytes.len() - (file.len() as usize * file.dtype().num_bytes().expect("plain"));
    bytes[data..].to_vec()
}

/// Fails unless `found` is within `relative` of `expected`, elementwise, as little-endian f32.
#[track_caller]
pub fn assert_close_f32(found: &[u8], expected: &[u8], relative: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: bytes");
    let floats = |bytes: &[u8]| -> Vec<f32> {
        let words = bytes.chunks_exact(4);
        words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    for (index, (found, expected)) in floats(found).into_iter().zip(floats(expected)).enumerate() {
        let tolerance = relative * expected.abs().max(1.0);
        let close = (found - expected).abs() <= tolerance
            || found == expected
            || (found.is_nan() && expected.is_nan());
        assert!(close, "{what}[{index}]: found {found}, expected {expected}");
    }
}
