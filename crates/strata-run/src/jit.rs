//! LLVM's JIT linker: an object in the memory of this process, so that no system linker is needed.

use std::{
    collections::BTreeMap,
    ffi::{CStr, CString, c_char, c_void},
    mem, ptr,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcLLJITAddObjectFile, LLVMOrcLLJITGetExecutionSession,
    LLVMOrcLLJITGetGlobalPrefix, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCJITDylibSearchOrderElement, LLVMOrcCLookupSetElement, LLVMOrcCSymbolMapPair,
    LLVMOrcCSymbolMapPairs, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess,
    LLVMOrcExecutionSessionCreateBareJITDylib, LLVMOrcExecutionSessionGetSymbolStringPool,
    LLVMOrcExecutionSessionLookup, LLVMOrcJITDylibAddGenerator, LLVMOrcJITDylibClear,
    LLVMOrcJITDylibDefine, LLVMOrcJITDylibLookupFlags, LLVMOrcJITDylibRef, LLVMOrcLookupKind,
    LLVMOrcSymbolLookupFlags, LLVMOrcSymbolStringPoolClearDeadEntries,
};
use object::{
    Endianness, Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind,
    elf::{STB_GLOBAL, Sym64},
    read::elf::ElfFile64,
};
use strata_codegen::{
    Symbols,
    abi::is_direct,
    emit::{is_allowed, undefined_symbols},
    llvm::PERMISSION,
    machine,
};
use strata_diag::{Diagnostic, codes};
use strata_ir::Signature;
use strata_options::Options;

use crate::{
    dynamic::LoadedDynamic,
    library::Code,
    linked::{Linked, missing},
    loaded::Loaded,
    tiles,
};

/// LLVM's linker, one for all objects: to make one takes longer than to link a small object. Each object is a library of its own
/// in it, which finds the functions of the process and no other object's.
struct Linker(LLVMOrcLLJITRef);

// SAFETY: the linker has locks of its own.
unsafe impl Send for Linker {}
// SAFETY: as above.
unsafe impl Sync for Linker {}

/// Made at the first object; it stays as long as the process.
static LINKER: OnceLock<Linker> = OnceLock::new();
/// Libraries that are empty again: LLVM's interface for C cannot remove one.
static EMPTY: Mutex<Vec<Library>> = Mutex::new(Vec::new());
/// How many libraries there are, which are called by their number.
static LIBRARIES: AtomicUsize = AtomicUsize::new(0);
/// How many objects were unlinked. After some of them, names that no object has any more are forgotten.
static UNLINKED: AtomicUsize = AtomicUsize::new(0);
const FORGET_AFTER: usize = 1024;

/// How many libraries there are.
#[cfg(test)]
pub(crate) fn libraries() -> usize {
    LIBRARIES.load(Ordering::Relaxed)
}

#[derive(Clone, Copy, Debug)]
struct Library(LLVMOrcJITDylibRef);

// SAFETY: the linker, to which it belongs, has locks of its own.
unsafe impl Send for Library {}

fn linker() -> Result<LLVMOrcLLJITRef, Diagnostic> {
    if let Some(made) = LINKER.get() {
        return Ok(made.0);
    }
    machine::initialize();
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = LINKER.get() {
        return Ok(made.0);
    }
    let mut jit = ptr::null_mut();
    // SAFETY: a null builder means the host's defaults, whose target is registered.
    check(unsafe { LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut()) })?;
    Ok(LINKER.get_or_init(|| Linker(jit)).0)
}

/// A library without symbols.
fn library(jit: LLVMOrcLLJITRef) -> Result<Library, Diagnostic> {
    let empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner).pop();
    if let Some(library) = empty {
        return Ok(library);
    }
    let number = LIBRARIES.fetch_add(1, Ordering::Relaxed);
    let name = CString::new(format!("object{number}")).unwrap_or_default();
    // SAFETY: the linker is alive, the name is of no other library, and the library takes ownership of what finds the functions of
    // the process.
    unsafe {
        let session = LLVMOrcLLJITGetExecutionSession(jit);
        let mut process = ptr::null_mut();
        check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
            &mut process,
            LLVMOrcLLJITGetGlobalPrefix(jit),
            None,
            ptr::null_mut(),
        ))?;
        let library = LLVMOrcExecutionSessionCreateBareJITDylib(session, name.as_ptr());
        LLVMOrcJITDylibAddGenerator(library, process);
        Ok(Library(library))
    }
}

/// An object in the memory of this process. Its entries share code and constants.
#[derive(Clone, Debug)]
pub struct Image {
    jit: Arc<Jit>,
    options: Options,
}

impl Image {
    /// Links an object that this compiler made with these options for the machine that it runs on, with external calls of functions in
    /// `linked`, which must outlive them. The caller is responsible for the object: it is code.
    ///
    /// # Errors
    /// `S0007` for an object of another architecture, `S1703` if `linked` lacks a function, `S9001` if it cannot be linked.
    pub fn new(object: &[u8], options: &Options, linked: &Linked) -> Result<Self, Diagnostic> {
        let jit = Arc::new(link(object, options, linked)?);
        Ok(Self { jit, options: options.clone() })
    }

    /// As [`Self::new`], with the address of each of the object's functions, by name; also of those that it keeps to itself.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_functions(
        object: &[u8],
        options: &Options,
        linked: &Linked,
    ) -> Result<(Self, BTreeMap<String, u64>), Diagnostic> {
        let (object, names) = exposed(object)?;
        let image = Self::new(&object, options, linked)?;
        let address = |name: String| Ok((image.jit.lookup(&name)? as u64, name));
        let found = names.into_iter().map(address);
        let found = found.map(|found| found.map(|(address, name)| (name, address)));
        let found = found.collect::<Result<_, Diagnostic>>()?;
        Ok((image, found))
    }

    /// The entry with this signature, whose sizes are known.
    ///
    /// # Errors
    /// `S9001` if the object lacks its symbols.
    pub fn entry(&self, signature: &Signature) -> Result<Loaded, Diagnostic> {
        let (code, symbols) = (Code::Jit(Arc::clone(&self.jit)), self.symbols(signature)?);
        match is_direct(signature, &self.options) {
            true => Loaded::direct(code, &symbols, signature),
            false => Loaded::of(code, &symbols, signature),
        }
    }

    /// The entry with this signature, which takes sizes at each call.
    ///
    /// # Errors
    /// As [`Self::entry`].
    pub fn dynamic_entry(&self, signature: &Signature) -> Result<LoadedDynamic, Diagnostic> {
        LoadedDynamic::of(Code::Jit(Arc::clone(&self.jit)), &self.symbols(signature)?, signature)
    }

    fn symbols(&self, signature: &Signature) -> Result<Symbols, Diagnostic> {
        Symbols::new(&self.options.name, &signature.entry)
    }
}

/// Links an object that was compiled with these options for this machine.
fn link(object: &[u8], options: &Options, linked: &Linked) -> Result<Jit, Diagnostic> {
    let architecture = options.target.triple.split('-').next().unwrap_or_default();
    if architecture != std::env::consts::ARCH {
        let here = std::env::consts::ARCH;
        return Err(Diagnostic::new(codes::S0007)
            .reason(format!("the code is for {architecture}, this machine is {here}")));
    }
    let foreign = external_symbols(object, linked)?;
    let jit = linker()?;
    let guard = Jit(library(jit)?);
    let library = guard.0.0;
    define(jit, library, &foreign)?;
    // SAFETY: linker and library are alive; the linker owns the copy from here on, even on failure.
    unsafe {
        let copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            object.as_ptr().cast::<c_char>(),
            object.len(),
            c"object".as_ptr(),
        );
        check(LLVMOrcLLJITAddObjectFile(jit, library, copy))?;
    }
    if defines(object, PERMISSION) {
        let variable = guard.lookup(PERMISSION)?;
        // SAFETY: it is the object's.
        unsafe { tiles::tell(variable) };
    }
    Ok(guard)
}

/// Whether the object has a variable of that name.
fn defines(object: &[u8], name: &str) -> bool {
    let Ok(file) = ElfFile64::<Endianness>::parse(object) else { return false };
    file.symbols().any(|one| one.is_definition() && one.name() == Ok(name))
}

/// The object with all of its functions global, as the linker finds only those, and their names. The code is the same.
fn exposed(object: &[u8]) -> Result<(Vec<u8>, Vec<String>), Diagnostic> {
    let unreadable = |error: object::Error| internal(&format!("it cannot be read: {error}"));
    let file = ElfFile64::<Endianness>::parse(object).map_err(unreadable)?;
    let table = file.section_by_name(".symtab").and_then(|section| section.file_range());
    let Some((table, _)) = table else { return Err(internal("it has no symbols")) };
    let (mut bytes, mut names) = (object.to_vec(), Vec::new());
    for symbol in file.symbols() {
        if symbol.kind() != SymbolKind::Text || !symbol.is_definition() {
            continue;
        }
        let place = table + (symbol.index().0 * size_of::<Sym64<Endianness>>()) as u64;
        let info = usize::try_from(place)
            .ok()
            .map(|place| place + mem::offset_of!(Sym64<Endianness>, st_info));
        let Some(info) = info.and_then(|info| bytes.get_mut(info)) else { continue };
        *info = STB_GLOBAL << 4 | *info & 0xF;
        names.push(symbol.name().map_err(unreadable)?.to_owned());
    }
    Ok((bytes, names))
}

/// The external functions of the object, by name.
fn external_symbols(
    object: &[u8],
    linked: &Linked,
) -> Result<Vec<(String, *const c_void)>, Diagnostic> {
    let Ok(names) = undefined_symbols(object) else { return Ok(Vec::new()) };
    let needed = names.into_iter().filter(|name| !is_allowed(name, false));
    let (found, lacking): (Vec<_>, Vec<_>) =
        needed.map(|name| (linked.find(&name), name)).partition(|(address, _)| address.is_some());
    if !lacking.is_empty() {
        let names: Vec<_> = lacking.into_iter().map(|(_, name)| name).collect();
        return Err(missing(&names));
    }
    Ok(found.into_iter().filter_map(|(address, name)| Some((name, address?))).collect())
}

/// Defines these functions in a library.
fn define(
    jit: LLVMOrcLLJITRef,
    library: LLVMOrcJITDylibRef,
    symbols: &[(String, *const c_void)],
) -> Result<(), Diagnostic> {
    let mut pairs = Vec::with_capacity(symbols.len());
    for (name, address) in symbols {
        let name =
            CString::new(name.as_str()).map_err(|_| internal("a symbol holds a zero byte"))?;
        let symbol = LLVMJITEvaluatedSymbol {
            Address: *address as u64,
            Flags: LLVMJITSymbolFlags {
                GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
                    | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8,
                TargetFlags: 0,
            },
        };
        // SAFETY: the linker is alive and the name ends with a zero byte.
        let name = unsafe { LLVMOrcLLJITMangleAndIntern(jit, name.as_ptr()) };
        pairs.push(LLVMOrcCSymbolMapPair { Name: name, Sym: symbol });
    }
    if pairs.is_empty() {
        return Ok(());
    }
    // SAFETY: the table takes ownership of the names, the library of the table.
    check(unsafe {
        let table = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
        LLVMOrcJITDylibDefine(library, table)
    })
}

/// Owns the linked code.
#[derive(Debug)]
pub(crate) struct Jit(Library);

// SAFETY: it owns the memory of the code; after its creation only symbols are looked up, which LLVM allows several threads to do at
// once, and its disposal may be on another thread. The code itself is reentrant.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

impl Jit {
    /// The address of a symbol.
    ///
    /// # Errors
    /// `S9001` if the object does not define it.
    pub(crate) fn lookup(&self, symbol: &str) -> Result<*const c_void, Diagnostic> {
        lookup(linker()?, self.0.0, symbol)
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: the library has no other owner, and nothing runs its code any more.
        if check(unsafe { LLVMOrcJITDylibClear(self.0.0) }).is_err() {
            // What is left in it stays; the library is not used again.
            return;
        }
        EMPTY.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
        let unlinked = UNLINKED.fetch_add(1, Ordering::Relaxed);
        if let (Some(linker), 0) = (LINKER.get(), unlinked % FORGET_AFTER) {
            // SAFETY: the linker is alive.
            unsafe {
                let session = LLVMOrcLLJITGetExecutionSession(linker.0);
                let names = LLVMOrcExecutionSessionGetSymbolStringPool(session);
                LLVMOrcSymbolStringPoolClearDeadEntries(names);
            }
        }
    }
}

/// What a lookup found.
type Found = Result<u64, Diagnostic>;

extern "C" fn found(
    error: LLVMErrorRef,
    symbols: LLVMOrcCSymbolMapPairs,
    count: usize,
    sender: *mut c_void,
) {
    // SAFETY: it is the sender that `lookup` gave for this one call.
    let sender = unsafe { Box::from_raw(sender.cast::<mpsc::Sender<Found>>()) };
    let address = check(error).map(|()| match count {
        0 => 0,
        // SAFETY: there are `count` symbols.
        _ => unsafe { (*symbols).Sym.Address },
    });
    // The receiver waits.
    let _ = sender.send(address);
}

fn lookup(
    jit: LLVMOrcLLJITRef,
    library: LLVMOrcJITDylibRef,
    symbol: &str,
) -> Result<*const c_void, Diagnostic> {
    let name = CString::new(symbol).map_err(|_| internal("a symbol holds a zero byte"))?;
    let (sender, receiver) = mpsc::channel::<Found>();
    // SAFETY: linker and library are alive, and the name ends with a zero byte; the lookup takes ownership of the interned name and
    // calls `found` once, with the sender.
    unsafe {
        let mut place = LLVMOrcCJITDylibSearchOrderElement {
            JD: library,
            JDLookupFlags:
                LLVMOrcJITDylibLookupFlags::LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly,
        };
        let mut wanted = LLVMOrcCLookupSetElement {
            Name: LLVMOrcLLJITMangleAndIntern(jit, name.as_ptr()),
            LookupFlags: LLVMOrcSymbolLookupFlags::LLVMOrcSymbolLookupFlagsRequiredSymbol,
        };
        LLVMOrcExecutionSessionLookup(
            LLVMOrcLLJITGetExecutionSession(jit),
            LLVMOrcLookupKind::LLVMOrcLookupKindStatic,
            &mut place,
            1,
            &mut wanted,
            1,
            found,
            Box::into_raw(Box::new(sender)).cast(),
        );
    }
    let address = receiver.recv().map_err(|_| internal("the linker gave no answer"))??;
    if address == 0 {
        return Err(internal(&format!("the object has no symbol `{symbol}`")));
    }
    Ok(address as *const c_void)
}

fn check(error: LLVMErrorRef) -> Result<(), Diagnostic> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: taking the message consumes the error; the message is copied before it is freed.
    let text = unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        text
    };
    Err(internal(&text))
}

pub(crate) fn internal(reason: &str) -> Diagnostic {
    Diagnostic::new(codes::S9001).reason(format!("loading the compiled object failed: {reason}"))
}
