//! Libraries and programs, linked by the system's C compiler.

use std::{env::consts::ARCH, fs, io, path::PathBuf, process::Command};

use strata_diag::{Diagnostic, codes};
use strata_target::Target;

/// Links an object for `target`, with the C file `source` if there is one and the files `beside`, by the system's `cc` with
/// these flags; gives the bytes of what it makes.
///
/// # Errors
/// `S1702`.
pub fn link_by_cc(
    target: &Target,
    object: &[u8],
    source: Option<&str>,
    flags: &[&str],
    beside: &[PathBuf],
) -> Result<Vec<u8>, Diagnostic> {
    let failed = |reason: String| {
        Diagnostic::new(codes::S1702)
            .reason(reason)
            .hint("install a C compiler as `cc`, or link the object yourself")
    };
    let system = |error: io::Error| failed(error.to_string());
    let machine = target.triple.split('-').next().unwrap_or_default();
    if machine != ARCH {
        let reason = format!("`cc` links for {ARCH} only, the object is for {machine}");
        return Err(failed(reason));
    }
    let folder = tempfile::tempdir().map_err(system)?;
    let output = folder.path().join("linked");
    let mut command = Command::new("cc");
    // Relative names and no build id: the bytes depend on the object only.
    command.current_dir(folder.path()).args(["-O2", "-Wl,--build-id=none", "-o", "linked"]);
    command.args(flags);
    fs::write(folder.path().join("object.o"), object).map_err(system)?;
    if let Some(source) = source {
        fs::write(folder.path().join("main.c"), source).map_err(system)?;
        command.arg("main.c");
    }
    command.arg("object.o").args(beside).args(["-lm", "-lpthread", "-ldl"]);
    let ended = command.output().map_err(|error| failed(format!("`cc` did not start: {error}")))?;
    if !ended.status.success() {
        let message = String::from_utf8_lossy(&ended.stderr);
        return Err(failed(format!("`cc` ended with {}: {}", ended.status, message.trim_end())));
    }
    fs::read(&output).map_err(system)
}
