//! LLVM's side of a target: initialisation, the target machine, and errors that code generation
//! reports through the context instead of returning them.

use std::{
    cell::UnsafeCell,
    ffi::{CStr, c_char, c_void},
    mem::ManuallyDrop,
    ops::Deref,
    sync::{Mutex, Once, PoisonError},
};

use inkwell::{
    OptimizationLevel,
    context::Context,
    targets::{
        CodeModel, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine,
        TargetMachineOptions, TargetTriple,
    },
};
use llvm_sys::{
    LLVMDiagnosticSeverity,
    core::{
        LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription,
        LLVMGetDiagInfoSeverity,
    },
    error_handling::LLVMInstallFatalErrorHandler,
    prelude::LLVMDiagnosticInfoRef,
};
use strata_diag::{Diagnostic, codes};
use strata_options::OptLevel;
use strata_target::Target;

/// Registers the targets that are built in; later calls do nothing.
pub fn initialize() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let config = InitializationConfig { disassembler: false, ..Default::default() };
        LlvmTarget::initialize_x86(&config);
        LlvmTarget::initialize_aarch64(&config);
        // SAFETY: the function stays as long as the process.
        unsafe { LLVMInstallFatalErrorHandler(Some(stop)) };
    });
}

/// Handler of fatal errors: by itself LLVM would exit as if the program were at fault.
extern "C" fn stop(reason: *const c_char) {
    // SAFETY: LLVM gives a text.
    let reason = unsafe { CStr::from_ptr(reason) };
    eprintln!("LLVM cannot continue: {}", reason.to_string_lossy());
    std::process::abort();
}

/// What a target machine is made for: triple, CPU, features and level.
type Purpose = (String, String, String, u8);

/// Machines that are not in use. A machine keeps the tables of instructions and registers of each subtarget that it has seen, which
/// take longer to make than the code of a small program.
static IDLE: Mutex<Vec<(Purpose, Idle)>> = Mutex::new(Vec::new());
/// How many of them are kept.
const MOST_IDLE: usize = 8;

struct Idle(TargetMachine);

// SAFETY: a machine belongs to no LLVM context and no thread, and one in the list is used by none.
unsafe impl Send for Idle {}

/// A target machine, lent to one compilation at a time.
pub(crate) struct Machine {
    machine: ManuallyDrop<TargetMachine>,
    purpose: Purpose,
}

impl Deref for Machine {
    type Target = TargetMachine;

    fn deref(&self) -> &TargetMachine {
        &self.machine
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: it is taken once, here.
        let machine = unsafe { ManuallyDrop::take(&mut self.machine) };
        let purpose = std::mem::take(&mut self.purpose);
        // After a panic LLVM may have left it in any state.
        if std::thread::panicking() {
            return;
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= MOST_IDLE {
            idle.remove(0);
        }
        idle.push((purpose, Idle(machine)));
    }
}

/// The target machine for position-independent code for `target`, without LLVM's debugging comments in assembly.
///
/// The CPU and the features must be known ones: LLVM prints a warning about others.
pub(crate) fn machine(target: &Target, level: OptLevel) -> Result<Machine, Diagnostic> {
    let digit = level.digit();
    let purpose = (target.triple.clone(), target.cpu.clone(), target.features.clone(), digit);
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = idle.iter().rposition(|(known, _)| *known == purpose);
    let found = found.map(|index| idle.remove(index).1.0);
    drop(idle);
    let machine = match found {
        Some(machine) => machine,
        None => made(target, level)?,
    };
    Ok(Machine { machine: ManuallyDrop::new(machine), purpose })
}

fn made(target: &Target, level: OptLevel) -> Result<TargetMachine, Diagnostic> {
    initialize();
    let triple = TargetTriple::create(&target.triple);
    let unknown = |detail: String| {
        Diagnostic::new(codes::S1601)
            .reason(format!("there is no code generator for `{}`{detail}", target.triple))
            .hint("`strata list targets` shows the machines that are known")
    };
    let llvm = LlvmTarget::from_triple(&triple).map_err(|_| unknown(String::new()))?;
    let options = TargetMachineOptions::new()
        .set_cpu(&target.cpu)
        .set_features(&target.features)
        .set_level(match level {
            OptLevel::None => OptimizationLevel::None,
            OptLevel::Less => OptimizationLevel::Less,
            OptLevel::Default => OptimizationLevel::Default,
            OptLevel::Aggressive => OptimizationLevel::Aggressive,
        })
        .set_reloc_mode(RelocMode::PIC)
        .set_code_model(CodeModel::Default);
    let machine = llvm
        .create_target_machine_from_options(&triple, options)
        .ok_or_else(|| unknown(": LLVM made no target machine".to_owned()))?;
    machine.set_asm_verbosity(false);
    Ok(machine)
}

/// An LLVM context whose errors are collected; without this LLVM prints them and exits.
pub(crate) struct Session {
    // Declared before the errors: reports during its disposal are still collected.
    context: Context,
    // Boxed, because the context keeps its address.
    errors: Box<UnsafeCell<Vec<String>>>,
}

impl Session {
    pub(crate) fn new() -> Self {
        let session = Self { context: Context::create(), errors: Box::default() };
        session.listen();
        session
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The first error that LLVM reported so far.
    pub(crate) fn error(&self) -> Option<String> {
        // SAFETY: LLVM calls `collect` only inside of calls of ours on this thread, and none of these is running, so the list
        // is not being written to.
        unsafe { (*self.errors.get()).first().cloned() }
    }

    /// Makes the context collect errors; needed again after a call that sets its own handler.
    pub(crate) fn listen(&self) {
        let sink = self.errors.get().cast();
        // SAFETY: the list is boxed and dropped after the context, so that it is alive whenever `collect` is called.
        unsafe { LLVMContextSetDiagnosticHandler(self.context.raw(), Some(collect), sink) };
    }
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: LLVM gives a report that lives during the call, and the list that `listen` gave it; the message is copied before
    // it is freed.
    unsafe {
        let text = LLVMGetDiagInfoDescription(info);
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        let is_error = LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError;
        // Only a warning in LLVM.
        if is_error || message.contains("stack frame size (") {
            (*sink.cast::<Vec<String>>()).push(message);
        }
    }
}

/// A failure of LLVM that no program should cause.
pub(crate) fn bug(what: &str, detail: &str) -> Diagnostic {
    Diagnostic::new(codes::S9003).reason(format!("{what}: {detail}"))
}
