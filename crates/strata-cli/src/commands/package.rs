//! Wraps an object into a library or a program.

use std::io::Cursor;
use std::path::PathBuf;

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember};
use object::read::archive::ArchiveFile;
use strata::{Options, Signature, TensorSpec};
use strata_diag::{Diagnostic, codes};
use strata_run::link_by_cc;

use crate::npy;

/// A static library with the object, the members of the static library `beside`, and a symbol table. Deterministic.
///
/// # Errors
/// `S9001` where the object, `S1702` where the library cannot be read.
pub fn archive(name: &str, object: &[u8], beside: Option<&[u8]>) -> Result<Vec<u8>, Diagnostic> {
    let unreadable = |error: object::Error| {
        Diagnostic::new(codes::S1702).reason(format!("the run-time library: {error}"))
    };
    let member = |data, name| NewArchiveMember::new(data, &DEFAULT_OBJECT_READER, name);
    let mut members = vec![member(object, format!("{name}.o"))];
    if let Some(library) = beside {
        let archive = ArchiveFile::parse(library).map_err(unreadable)?;
        for found in archive.members() {
            let found = found.map_err(unreadable)?;
            let name = String::from_utf8_lossy(found.name()).into_owned();
            members.push(member(found.data(library).map_err(unreadable)?, name));
        }
    }
    let mut bytes = Cursor::new(Vec::new());
    ar_archive_writer::write_archive_to_stream(&mut bytes, &members, ArchiveKind::Gnu, false, None)
        .map_err(|error| {
            Diagnostic::new(codes::S9001).reason(format!("the archive was not made: {error}"))
        })?;
    Ok(bytes.into_inner())
}

/// A shared library, linked by the system's C compiler.
///
/// # Errors
/// `S1702`.
pub fn shared_library(
    options: &Options,
    object: &[u8],
    beside: &[PathBuf],
) -> Result<Vec<u8>, Diagnostic> {
    let soname = format!("-Wl,-soname,lib{}.so", options.name);
    link_by_cc(&options.target, object, None, &["-shared", &soname], beside)
}

/// A program that reads its inputs from `.npy` files and writes its outputs to such files.
///
/// # Errors
/// `S1702`.
pub fn executable(
    options: &Options,
    object: &[u8],
    signature: &Signature,
    beside: &[PathBuf],
) -> Result<Vec<u8>, Diagnostic> {
    let source = main_source(options, signature);
    link_by_cc(&options.target, object, Some(&source), &[], beside)
}

/// The C text of the program around the entry function.
fn main_source(options: &Options, signature: &Signature) -> String {
    let entry = format!("{}_{}", options.name, signature.entry);
    let (inputs, outputs) = (&signature.inputs, &signature.outputs);
    let names = signature.parameters(&[]);
    // Code that has a form for tiles runs it where the system permits them.
    let has_tiles = options.target.dot_features.iter().any(|name| name.starts_with("amx-"));
    let tiles = match has_tiles {
        true => concat!(
            include_str!("../../../../include/strata/tiles.h"),
            "#define PERMIT strata_permit_tiles()\n"
        ),
        false => "",
    };
    format!(
        "{tiles}#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         extern int32_t {entry}(const void *const *, void *const *, void *, const void *);\n\
         extern size_t {entry}_workspace_size(void);\n\
         #define ENTRY {entry}\n#define WORKSPACE_SIZE {entry}_workspace_size\n\
         #define INPUTS {}\n#define OUTPUTS {}\n\
         struct array {{ const char *name; const char *type; const char *shape; size_t bytes; }};\n{}{}\n{}",
        inputs.len(),
        outputs.len(),
        table("inputs", inputs, &names[0]),
        table("outputs", outputs, &names[1]),
        include_str!("main.c"),
    )
}

/// The fields of each array's `.npy` header and its size. C has no empty arrays: each table ends with a row of zeros.
fn table(name: &str, specs: &[TensorSpec], names: &[String]) -> String {
    let rows: String = specs
        .iter()
        .zip(names)
        .map(|(spec, name)| {
            let (descr, shape) = (npy::descr(spec.element), npy::shape_text(&spec.shape));
            let bytes = spec.byte_count();
            format!("  {{\"{name}\", \"'descr': '{descr}'\", \"'shape': {shape}\", {bytes}u}},\n")
        })
        .collect();
    format!("static const struct array {name}[] = {{\n{rows}  {{0, 0, 0, 0}}\n}};\n")
}
