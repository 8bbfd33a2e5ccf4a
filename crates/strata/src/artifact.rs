//! The result of a compilation.

use std::sync::Arc;

use strata_codegen::{Pieces, Weights};
use strata_diag::Diagnostics;
use strata_ir::{Convention, PreparedProgram, Signature};
use strata_options::Options;

use crate::stage::Stage;

/// What was compiled.
#[derive(Clone, Debug)]
pub struct Program {
    /// What locations and diagnostics call it.
    pub name: String,
    /// Its text or bytecode.
    pub bytes: Vec<u8>,
    /// The options that it was compiled with.
    pub options: Options,
}

/// The result of a compilation: the program in the form of the last stage.
#[derive(Clone, Debug)]
pub struct Artifact {
    pub(crate) stage: Stage,
    pub(crate) bytes: Pieces,
    pub(crate) signature: Option<Signature>,
    pub(crate) workspace_size: Option<u64>,
    pub(crate) foreign: Vec<(String, Convention)>,
    pub(crate) header: Option<String>,
    pub(crate) weights: Option<Arc<Weights>>,
    pub(crate) rust: Option<String>,
    pub(crate) cxx: Option<String>,
    pub(crate) warnings: Diagnostics,
    pub(crate) signatures: Vec<(Signature, u64)>,
    pub(crate) program: Option<Arc<Program>>,
}

impl Artifact {
    /// The stage that produced it.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The object, or the text of an earlier stage in UTF-8.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.joined()
    }

    /// [`Self::bytes`] in pieces, which follow each other: large constants are not copied to be in one with the code.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.parts()
    }

    /// How many bytes [`Self::bytes`] has.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The text; `None` for an object.
    pub fn text(&self) -> Option<&str> {
        (self.stage != Stage::Obj).then(|| std::str::from_utf8(self.bytes()).ok()).flatten()
    }

    /// What the entry takes and returns, the first where there are several; known when a stage from `linalg` to `llvm` was
    /// run or read.
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Bytes of workspace; known when a stage from `affine` to `llvm` was run or read.
    pub fn workspace_size(&self) -> Option<u64> {
        self.workspace_size
    }

    /// What each entry takes and returns, and its bytes of workspace, where the object has several; in the order of
    /// `Options::entries`.
    pub fn signatures(&self) -> &[(Signature, u64)] {
        &self.signatures
    }

    /// The first entry, and the function that prepares inputs for it, where there is one.
    pub fn prepared(&self) -> Option<PreparedProgram<'_>> {
        let [(entry, _), (maker, _), ..] = &self.signatures[..] else { return None };
        PreparedProgram::of(entry, maker)
    }

    /// What the program takes and returns that the first entry was made of: as [`Self::signature`], but with the inputs that the
    /// entry takes prepared.
    pub fn program_signature(&self) -> Option<Signature> {
        match self.prepared() {
            Some(prepared) => Some(prepared.signature()),
            None => self.signature.clone(),
        }
    }

    /// The large constants, where the object takes them from a weights file; known when a stage from
    /// `llvmir` on was run. The file is [`Weights::file_header`] and then [`Weights::parts`].
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_deref()
    }

    /// The program, where [`Compiler::keep_program`](crate::Compiler::keep_program) asked for it and it was StableHLO.
    pub fn program(&self) -> Option<&Program> {
        self.program.as_deref()
    }

    /// Warnings about the program.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The C header; known when signature and workspace are.
    pub fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// The C++ header, which holds the C header and a class; known when signature and workspace are.
    pub fn cxx(&self) -> Option<&str> {
        self.cxx.as_deref()
    }

    /// The Rust module that calls the object; known when signature and workspace are.
    pub fn rust(&self) -> Option<&str> {
        self.rust.as_deref()
    }

    /// The external functions that the program calls, with their conventions, by name; known when a stage
    /// from `linalg` to `llvm` was run or read.
    pub fn foreign(&self) -> &[(String, Convention)] {
        &self.foreign
    }
}
