//! Portable artifacts: StableHLO that every later version of StableHLO reads.
//!
//! An artifact is MLIR bytecode in the VHLO dialect, whose operations never change: a new version of StableHLO
//! adds new ones. [`parse`] reads artifacts of every version (and MLIR text and bytecode as well) and converts
//! them, and XLA's `mhlo`, to StableHLO; [`write()`] writes artifacts.
//!
//! The encoding of types and attributes and the versions of operations are tables in `dialects/vhlo`; the
//! conversion of attributes is a table in `rules`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod defaults;
mod export;
mod groups;
mod import;
mod mhlo;
mod rules;
mod uses;
mod values;
mod version;

use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_ir::{
    Context, Module, capture, check_sizes, module_op, read_errors, spread_semantics,
    write_bytecode_as,
};

pub use version::{NoVersion, Version};

/// The start of artifacts: the magic number of MLIR bytecode, then the format's version.
const MAGIC: &[u8] = b"ML\xefR";

/// The prefix of an artifact's producer.
const PRODUCER: &str = "StableHLO_v";

/// The version that an artifact names; `None` if it is not an artifact.
pub fn version_of(bytes: &[u8]) -> Option<Version> {
    let rest = bytes.strip_prefix(MAGIC)?;
    // The format's version is one byte, as long as it is below 128.
    let producer = rest.get(1..)?.split(|byte| *byte == 0).next()?;
    std::str::from_utf8(producer).ok()?.strip_prefix(PRODUCER)?.parse().ok()
}

/// Reads a program: a portable artifact, MLIR text or MLIR bytecode. VHLO is converted to StableHLO.
///
/// `name` is what locations and diagnostics call the source.
///
/// # Errors
/// `S1012` for an artifact of a version that is not supported, `S1005` for VHLO that is invalid in every version
/// of StableHLO, and all errors of [`strata_ir::parse`].
pub fn parse<'c>(
    context: &'c Context,
    name: &str,
    bytes: &[u8],
) -> Result<Module<'c>, Diagnostics> {
    let version = version_of(bytes);
    if let Some(version) = version.filter(|version| !version.is_supported()) {
        return Err(unsupported(version).at(Location::file(name)).into());
    }
    let module = strata_ir::parse(context, name, bytes)?;
    mhlo::take_out(context, &module);
    spread_semantics(context, &module)?;
    if !import::is_versioned(&module) {
        strata_ir::declare_devices(context, &module);
        return Ok(module);
    }
    let module = import::run(context, &module)?;
    verify(context, name, &module)?;
    check_sizes(&module)?;
    spread_semantics(context, &module)?;
    strata_ir::declare_devices(context, &module);
    Ok(module)
}

/// Writes `module` as an artifact of `version`. The module is not changed.
///
/// # Errors
/// `S1012` for a version that is not supported, `S1013` for what that version cannot express.
pub fn write(
    context: &Context,
    module: &Module<'_>,
    version: Version,
) -> Result<Vec<u8>, Diagnostic> {
    let versioned = to_vhlo(context, module, version)?;
    let producer = format!("{PRODUCER}{version}");
    write_bytecode_as(module_op(&versioned), &producer, version.bytecode())
        .ok_or_else(|| Diagnostic::new(codes::S9001).reason("MLIR did not write the bytecode"))
}

/// The program in VHLO of `version`.
///
/// # Errors
/// As [`write()`].
pub fn to_vhlo<'c>(
    context: &'c Context,
    module: &Module<'c>,
    version: Version,
) -> Result<Module<'c>, Diagnostic> {
    if !version.is_supported() {
        return Err(unsupported(version));
    }
    export::run(context, module, version)
}

fn unsupported(version: Version) -> Diagnostic {
    Diagnostic::new(codes::S1012)
        .reason(format!(
            "the artifact is of StableHLO {version}, but Strata supports {} to {}",
            Version::OLDEST,
            Version::NEWEST
        ))
        .hint(format!("export the program for StableHLO {} or older", Version::NEWEST))
}

/// A program that was read must satisfy the definitions of its operations.
fn verify(context: &Context, name: &str, module: &Module<'_>) -> Result<(), Diagnostics> {
    let (valid, reports) = capture(context, || module_op(module).verify());
    if valid {
        return Ok(());
    }
    Err(read_errors(context, name, None, &reports))
}
