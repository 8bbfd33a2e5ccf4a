//! Shared libraries of compiled objects: the entries that they export.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_void},
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    slice,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use object::{Object as _, ObjectSymbol as _};
use strata_abi::{Quantization, QuantizedSignature, Tensor};
use strata_codegen::{
    Symbols,
    abi::{QUANTIZED_SIGNATURE_VERSION, SIGNATURE_VERSION, element_of_code},
    llvm::PERMISSION,
};
use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{Signature, TensorSpec, WeightsFile};

use crate::{
    checksum::{checksum, is_whole},
    jit::{Jit, internal},
    linked::open,
    tiles,
};

/// What keeps code in memory.
#[derive(Debug)]
pub(crate) enum Code {
    /// Linked in this process.
    Jit(Arc<Jit>),
    /// Loaded by the system.
    Library(Arc<libloading::Library>),
}

impl Code {
    /// The address of a symbol.
    ///
    /// # Errors
    /// `S9001` if there is none.
    pub(crate) fn lookup(&self, symbol: &str) -> Result<*const c_void, Diagnostic> {
        match self {
            Self::Jit(jit) => jit.lookup(symbol),
            Self::Library(library) => address(library, symbol)
                .ok_or_else(|| internal(&format!("the library has no symbol `{symbol}`"))),
        }
    }
}

/// An entry of a shared library.
#[derive(Clone, Debug)]
pub struct Entry {
    library: Arc<libloading::Library>,
    symbols: Symbols,
    signature: Signature,
}

impl Entry {
    /// Loads a shared library and finds its entries, in the order of their symbols. Its functions are code that the caller
    /// trusts.
    ///
    /// # Errors
    /// `S0002` for a file that cannot be loaded or has no entry.
    pub fn open(path: &Path) -> Result<Vec<Self>, Diagnostic> {
        let wrong = |reason: String| {
            let place = Location::file(path.to_string_lossy());
            Diagnostic::new(codes::S0002).at(place).reason(reason)
        };
        let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
        if !is_whole(&bytes) {
            let hint = "save it again; what was changed on purpose, such as by `patchelf`, is another library: link one from the object";
            return Err(wrong(
                "its contents are not those that were saved: the checksum differs".to_owned(),
            )
            .hint(hint));
        }
        let file = object::File::parse(&*bytes)
            .map_err(|error| wrong(format!("it is not a shared library: {error}")))?;
        let names = file.dynamic_symbols().filter(|one| one.is_definition());
        let names = names.filter_map(|one| one.name().ok().map(str::to_owned));
        let mut entries: Vec<String> =
            names.filter_map(|name| name.strip_suffix("_signature").map(str::to_owned)).collect();
        entries.sort_unstable();
        if entries.is_empty() {
            let hint = "`strata compile --emit shared` makes a library with an entry";
            return Err(wrong("the library has no signature table".to_owned()).hint(hint));
        }
        let library = shared(path, &bytes)?;
        let of = |entry: String| {
            let symbols = Symbols { entry };
            let library = Arc::clone(&library);
            let signature = signature(&library, &symbols).map_err(wrong)?;
            Ok(Self { library, symbols, signature })
        };
        entries.into_iter().map(of).collect()
    }

    /// What the entry's symbols start with.
    pub fn name(&self) -> &str {
        &self.symbols.entry
    }

    /// What the entry takes and returns, as far as the library says it: not the outputs whose shape is another output.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Whether sizes are given at each call.
    pub fn is_dynamic(&self) -> bool {
        address(&self.library, &self.symbols.dims()).is_some()
    }

    /// The text that the library exports as `symbol`, which is known to be a text of C.
    pub fn text(&self, symbol: &str) -> Option<String> {
        let start = address(&self.library, symbol)?;
        // SAFETY: the symbol is a text that ends with a zero byte, as the caller says.
        let text = unsafe { CStr::from_ptr(start.cast()) };
        Some(text.to_string_lossy().into_owned())
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    pub(crate) fn code(&self) -> Code {
        Code::Library(Arc::clone(&self.library))
    }
}

/// Libraries by device and file, with a hash of their content.
type ByFile = BTreeMap<(u64, u64), (Weak<libloading::Library>, u64)>;

/// Those that are loaded.
static LOADED: Mutex<ByFile> = Mutex::new(BTreeMap::new());

/// The library at `path`, whose content is `bytes`. The system's loader takes a library for loaded if the path is the same as
/// before, and then if the file is, whatever is in them by now.
fn shared(path: &Path, bytes: &[u8]) -> Result<Arc<libloading::Library>, Diagnostic> {
    let wrong = |reason: String| {
        let place = Location::file(path.to_string_lossy());
        Diagnostic::new(codes::S0002).at(place).reason(reason)
    };
    let found = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    let (file, hash) = ((found.dev(), found.ino()), checksum(bytes));
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded.retain(|_, (library, _)| library.strong_count() > 0);
    if let Some((library, own)) = loaded.get(&file)
        && let Some(library) = library.upgrade()
    {
        let hint = "write a new file and rename it to this one, or drop the program that was loaded from it";
        return match *own == hash {
            true => Ok(library),
            false => {
                Err(wrong("the file was overwritten while it is loaded".to_owned()).hint(hint))
            }
        };
    }
    let library = Arc::new(open(&unused_name(path))?);
    if let Some(variable) = address(&library, PERMISSION) {
        // SAFETY: it is the library's, whose objects share it.
        unsafe { tiles::tell(variable) };
    }
    loaded.insert(file, (Arc::downgrade(&library), hash));
    Ok(library)
}

/// The path, spelt as no other library's in this process: `folder/./file`, `folder/././file`, ….
fn unused_name(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.as_os_str().to_owned(),
        _ => ".".into(),
    };
    // The digits of the number in base two: an empty step, or one that stays.
    for digit in (0..64 - number.leading_zeros()).map(|at| number >> at & 1) {
        folder.push(if digit == 1 { "/." } else { "/" });
    }
    folder.push("/");
    folder.push(path.file_name().unwrap_or_default());
    PathBuf::from(folder)
}

fn address(library: &libloading::Library, symbol: &str) -> Option<*const c_void> {
    // SAFETY: only the address is taken.
    let found = unsafe { library.get::<*const c_void>(symbol) }.ok()?;
    // SAFETY: as above.
    let found = unsafe { found.into_raw() };
    Some(found.as_raw_ptr().cast_const())
}

/// What the library's tables say.
fn signature(library: &libloading::Library, symbols: &Symbols) -> Result<Signature, String> {
    let missing = |name: String| format!("the library has no symbol `{name}`");
    let name = symbols.signature();
    let start = address(library, &name).ok_or_else(|| missing(name))?;
    // SAFETY: every object of ours has a table that begins so there.
    let table = unsafe { &*start.cast::<strata_abi::Signature>() };
    let version = table.version.cast_unsigned();
    let quantized = match version {
        SIGNATURE_VERSION => None,
        // SAFETY: a table of that version has two more fields.
        QUANTIZED_SIGNATURE_VERSION => Some(unsafe { &*start.cast::<QuantizedSignature>() }),
        _ => {
            return Err(format!(
                "its signature table has version {version}, but {SIGNATURE_VERSION} and \
                 {QUANTIZED_SIGNATURE_VERSION} are read"
            ));
        }
    };
    // Where they are in their file, and its hash, the table does not say.
    let weights = u64::try_from(table.weights_size).ok().filter(|size| *size > 0);
    let weights = weights.map(|size| WeightsFile { size, offset: 0, header_hash: 0 });
    let of = |tensors: *const Tensor, count: i32, meanings: *const *const Quantization| {
        // SAFETY: the table has that many there.
        let specs = unsafe { items(tensors, count) }.iter().map(spec);
        let mut specs = specs.collect::<Result<Vec<_>, String>>()?;
        // SAFETY: there is one for each tensor, or none at all.
        let meanings = unsafe { items(meanings, count) };
        for (spec, meaning) in specs.iter_mut().zip(meanings) {
            // SAFETY: it is null or the address of one.
            spec.quantization = unsafe { meaning.as_ref() }.map(quantization).transpose()?;
        }
        Ok::<_, String>(specs)
    };
    let none = std::ptr::null();
    let inputs = of(table.inputs, table.input_count, quantized.map_or(none, |all| all.inputs))?;
    let outputs = of(table.outputs, table.output_count, quantized.map_or(none, |all| all.outputs))?;
    // SAFETY: there is one for each output, if there is any.
    let donors = unsafe { items(table.donations, table.output_count) };
    let donations = donors.iter().enumerate();
    let donations =
        donations.filter_map(|(output, &input)| Some((output, usize::try_from(input).ok()?)));
    let entry = symbols.entry.clone();
    let donations = donations.collect();
    Ok(Signature { entry, inputs, outputs, donations, weights, ..Signature::default() })
}

fn spec(tensor: &Tensor) -> Result<TensorSpec, String> {
    let code = tensor.element_type;
    let element = element_of_code(code)
        .ok_or_else(|| format!("its signature table has an unknown element type {code:#x}"))?;
    // SAFETY: the table has a size for each dimension.
    let sizes = unsafe { items(tensor.dimensions, tensor.rank) };
    let size = |&size: &i64| u64::try_from(size).unwrap_or(TensorSpec::UNKNOWN);
    Ok(TensorSpec::new(sizes.iter().map(size).collect(), element))
}

fn quantization(table: &Quantization) -> Result<Box<strata_ir::Quantization>, String> {
    let code = table.expressed_type;
    let expressed = element_of_code(code)
        .ok_or_else(|| format!("its signature table has an unknown element type {code:#x}"))?;
    let count = i32::try_from(table.count).unwrap_or(0);
    // SAFETY: there are as many scales and zero points as the table says.
    let (scales, points) = unsafe { (items(table.scales, count), items(table.zero_points, count)) };
    Ok(Box::new(strata_ir::Quantization {
        expressed,
        axis: usize::try_from(table.axis).ok(),
        scales: scales.iter().map(|scale| strata_ir::Scale::new(*scale)).collect(),
        zero_points: points.to_vec(),
        min: table.minimum,
        max: table.maximum,
    }))
}

/// # Safety
/// There are `count` items there, or the pointer is null.
unsafe fn items<'a, T>(start: *const T, count: i32) -> &'a [T] {
    match usize::try_from(count) {
        // SAFETY: as the caller promises.
        Ok(count) if count > 0 && !start.is_null() => unsafe {
            slice::from_raw_parts(start, count)
        },
        _ => &[],
    }
}
