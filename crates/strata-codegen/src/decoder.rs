//! Where machine instructions end, by LLVM's disassembler.

use std::{ffi::CString, ptr, sync::Once};

use inkwell::targets::{InitializationConfig, Target as LlvmTarget};
use llvm_sys::disassembler::{
    LLVMCreateDisasmCPUFeatures, LLVMDisasmContextRef, LLVMDisasmDispose, LLVMDisasmInstruction,
};
use strata_target::Target;

use crate::machine;

/// Reads instructions of a target.
#[derive(Debug)]
pub struct Decoder(LLVMDisasmContextRef);

impl Decoder {
    /// `None` for a target without a disassembler.
    pub fn new(target: &Target) -> Option<Self> {
        static ONCE: Once = Once::new();
        machine::initialize();
        ONCE.call_once(|| {
            let config = InitializationConfig::default();
            LlvmTarget::initialize_x86(&config);
            LlvmTarget::initialize_aarch64(&config);
        });
        let text = |text: &str| CString::new(text).ok();
        let (triple, cpu, features) =
            (text(&target.triple)?, text(&target.cpu)?, text(&target.features)?);
        // SAFETY: the three texts are read during the call; without callbacks nothing else is.
        let context = unsafe {
            LLVMCreateDisasmCPUFeatures(
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                ptr::null_mut(),
                0,
                None,
                None,
            )
        };
        (!context.is_null()).then_some(Self(context))
    }

    /// The bytes of the instruction at the start of `code`; `None` for what is not one.
    pub fn length(&mut self, code: &[u8]) -> Option<usize> {
        // The interface asks for bytes that it could change, and does not. No instruction is longer.
        let mut start = code[..code.len().min(16)].to_vec();
        let mut text = [0; 128];
        // SAFETY: the context is alive, and both buffers are as long as the call is told.
        let length = unsafe {
            LLVMDisasmInstruction(
                self.0,
                start.as_mut_ptr(),
                start.len() as u64,
                0,
                text.as_mut_ptr(),
                text.len(),
            )
        };
        (length > 0).then_some(length)
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: it is disposed once.
        unsafe { LLVMDisasmDispose(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::Decoder;
    use crate::target;

    #[test]
    fn instructions_have_their_lengths() {
        let of = |triple: &str, code: &[u8]| {
            let target = target::resolve(Some(triple), None, None).expect("a target");
            Decoder::new(&target).expect("a disassembler").length(code)
        };
        let x86 = "x86_64-unknown-linux-gnu";
        // push rbp; a long nop; an instruction that is cut off.
        assert_eq!(of(x86, &[0x55, 0x90]), Some(1));
        assert_eq!(of(x86, &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x90]), Some(10));
        assert_eq!(of(x86, &[0x0f]), None);
        assert_eq!(of("aarch64-unknown-linux-gnu", &[0xc0, 0x03, 0x5f, 0xd6, 1]), Some(4));
    }
}
