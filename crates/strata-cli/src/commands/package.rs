//! Wraps an object into a library.

use std::env::consts::ARCH;
use std::fs;
use std::io::Cursor;
use std::process::Command;

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember};
use strata::Options;
use strata_diag::{Diagnostic, codes};

/// A static library with the object and a table of its symbols. The same object gives the same bytes.
///
/// # Errors
/// `S9001` where the object cannot be read.
pub fn archive(name: &str, object: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Cursor::new(Vec::new());
    let member = NewArchiveMember::new(object, &DEFAULT_OBJECT_READER, format!("{name}.o"));
    ar_archive_writer::write_archive_to_stream(
        &mut bytes,
        &[member],
        ArchiveKind::Gnu,
        false,
        None,
    )
    .map_err(|error| {
        Diagnostic::new(codes::S9001).reason(format!("the archive was not made: {error}"))
    })?;
    Ok(bytes.into_inner())
}

/// A shared library, linked by the system's C compiler.
///
/// # Errors
/// `S1702`.
pub fn shared_library(options: &Options, object: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let failed = |reason: String| {
        Diagnostic::new(codes::S1702)
            .reason(reason)
            .hint("install a C compiler as `cc`, or link the object yourself")
    };
    let machine = options.target.triple.split('-').next().unwrap_or_default();
    if machine != ARCH {
        let reason = format!("`cc` makes libraries for {ARCH} only, the object is for {machine}");
        return Err(failed(reason));
    }
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let input = folder.path().join(format!("{}.o", options.name));
    let output = folder.path().join("library.so");
    fs::write(&input, object).map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new("cc");
    // Without a build id the bytes depend on the object alone.
    command.args(["-shared", "-Wl,--build-id=none", "-Wl,-soname"]);
    command.arg(format!("-Wl,lib{}.so", options.name)).arg("-o").arg(&output).arg(&input);
    if options.freestanding {
        command.arg("-nostdlib");
    } else {
        command.arg("-lm");
    }
    let ended = command.output().map_err(|error| failed(format!("`cc` did not start: {error}")))?;
    if !ended.status.success() {
        let message = String::from_utf8_lossy(&ended.stderr);
        return Err(failed(format!("`cc` ended with {}: {}", ended.status, message.trim_end())));
    }
    fs::read(&output).map_err(|error| failed(error.to_string()))
}
