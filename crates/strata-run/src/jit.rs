//! LLVM's JIT linker: an object in the memory of this process, so that no system linker is needed.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    ptr,
    sync::Arc,
};

use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcDisposeLLJIT, LLVMOrcLLJITAddObjectFile,
    LLVMOrcLLJITGetMainJITDylib, LLVMOrcLLJITLookup, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCSymbolMapPair, LLVMOrcJITDylibDefine,
};
use strata_codegen::{
    Symbols,
    emit::{is_allowed, undefined_symbols},
    machine,
};
use strata_diag::{Diagnostic, codes};
use strata_ir::{Options, Signature};

use crate::{
    dynamic::LoadedDynamic,
    library::Code,
    linked::{Linked, missing},
    loaded::Loaded,
};

/// An object in the memory of this process. Its entries share code and constants.
#[derive(Clone, Debug)]
pub struct Image {
    jit: Arc<Jit>,
    name: String,
}

impl Image {
    /// Links an object that this compiler made with these options for the machine that it runs on, with external calls of functions in
    /// `linked`, which must outlive them. The caller is responsible for the object: it is code.
    ///
    /// # Errors
    /// `S0007` for an object of another architecture, `S1703` if `linked` lacks a function, `S9001` if it cannot be linked.
    pub fn new(object: &[u8], options: &Options, linked: &Linked) -> Result<Self, Diagnostic> {
        let jit = Arc::new(link(object, options, linked)?);
        Ok(Self { jit, name: options.name.clone() })
    }

    /// The entry with this signature, whose sizes are known.
    ///
    /// # Errors
    /// `S9001` if the object lacks its symbols.
    pub fn entry(&self, signature: &Signature) -> Result<Loaded, Diagnostic> {
        Loaded::of(Code::Jit(Arc::clone(&self.jit)), &self.symbols(signature)?, signature)
    }

    /// The entry with this signature, which takes sizes at each call.
    ///
    /// # Errors
    /// As [`Self::entry`].
    pub fn dynamic_entry(&self, signature: &Signature) -> Result<LoadedDynamic, Diagnostic> {
        LoadedDynamic::of(Code::Jit(Arc::clone(&self.jit)), &self.symbols(signature)?, signature)
    }

    fn symbols(&self, signature: &Signature) -> Result<Symbols, Diagnostic> {
        Symbols::new(&self.name, &signature.entry)
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
    machine::initialize();
    let mut jit = ptr::null_mut();
    // SAFETY: a null builder means the host's defaults, whose target is registered.
    check(unsafe { LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut()) })?;
    let guard = Jit(jit);
    define(jit, &foreign)?;
    // SAFETY: the linker owns the copy from here on, even on failure.
    unsafe {
        let copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            object.as_ptr().cast::<c_char>(),
            object.len(),
            c"object".as_ptr(),
        );
        check(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), copy))?;
    }
    Ok(guard)
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

/// Defines these functions for the linker.
fn define(jit: LLVMOrcLLJITRef, symbols: &[(String, *const c_void)]) -> Result<(), Diagnostic> {
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
        LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), table)
    })
}

/// Owns LLVM's linker and the linked code.
#[derive(Debug)]
pub(crate) struct Jit(LLVMOrcLLJITRef);

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
        lookup(self.0, symbol)
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: there is no other owner; errors cannot be reported here.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.0) });
    }
}

fn lookup(jit: LLVMOrcLLJITRef, symbol: &str) -> Result<*const c_void, Diagnostic> {
    let name = CString::new(symbol).map_err(|_| internal("a symbol holds a zero byte"))?;
    let mut address = 0;
    // SAFETY: the linker is alive and the name ends with a zero byte.
    check(unsafe { LLVMOrcLLJITLookup(jit, &mut address, name.as_ptr()) })?;
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
