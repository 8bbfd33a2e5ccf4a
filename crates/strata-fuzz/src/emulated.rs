//! Objects for AArch64: cross-compiled hosts under QEMU's user-mode emulation, where both are installed.

use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
    sync::OnceLock,
};

use strata::Artifact;
use strata_diag::{Diagnostic, codes};
use strata_eval::Tensor;

const COMPILER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";
/// Calls the entry several times on buffers between guard pages, as the tests of objects do.
const HOST: &str = include_str!("../../../tests/suite/objects/host.c");

/// NEON alone, and a CPU that has SVE beside it.
pub const CPUS: [&str; 2] = ["generic", "neoverse-v1"];
/// The emulated machine.
pub const TRIPLE: &str = "aarch64-unknown-linux-gnu";

/// Whether the tools are installed.
pub fn is_possible() -> bool {
    static POSSIBLE: OnceLock<bool> = OnceLock::new();
    let has = |tool| Command::new(tool).arg("--version").output().is_ok();
    *POSSIBLE.get_or_init(|| has(COMPILER) && has(EMULATOR))
}

/// A host with the object of a program in it.
pub struct Host {
    folder: tempfile::TempDir,
    artifact: Artifact,
}

impl Host {
    /// Links the object, whose entry is `@main` and whose symbols begin with `name`.
    ///
    /// # Errors
    /// `S9001` where it cannot be linked.
    pub fn new(artifact: Artifact, name: &str) -> Result<Self, Diagnostic> {
        let folder = tempfile::tempdir().map_err(failed)?;
        let at = |file: &str| folder.path().join(file);
        fs::write(at("x.o"), artifact.bytes()).map_err(failed)?;
        fs::write(at("x.h"), artifact.header().unwrap_or_default()).map_err(failed)?;
        fs::write(at("host.c"), HOST).map_err(failed)?;
        let entry = format!("{name}_main");
        let linked = Command::new(COMPILER)
            .args(["-std=c11", "-O0", "-static", "-pthread", "-DHEADER=\"x.h\""])
            .arg(format!("-DENTRY={entry}"))
            .arg(format!("-DPREFIX={}", entry.to_uppercase()))
            .arg("-I")
            .arg(folder.path())
            .args([at("host.c"), at("x.o")])
            .args(["-lm", "-o"])
            .arg(at("host"))
            .output()
            .map_err(failed)?;
        if !linked.status.success() {
            return Err(failed(String::from_utf8_lossy(&linked.stderr)));
        }
        Ok(Self { folder, artifact })
    }

    /// Calls the entry.
    ///
    /// # Errors
    /// `S9001` with the host's report if it finds an error.
    pub fn call(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let bytes: Vec<u8> = inputs.iter().flat_map(|input| input.bytes()).copied().collect();
        let signature = self.artifact.signature().ok_or_else(|| failed("no signature"))?;
        // QEMU itself crashes once in some hundred runs that start threads; our code would each time.
        for _ in 0..2 {
            if let Some(found) = self.attempt(&bytes)? {
                return strata_verify::split_outputs(signature, &found);
            }
        }
        let found = self.attempt(&bytes)?.ok_or_else(|| failed("the host ends by a signal"))?;
        strata_verify::split_outputs(signature, &found)
    }

    /// What the host writes; `None` where a signal ends it.
    fn attempt(&self, inputs: &[u8]) -> Result<Option<Vec<u8>>, Diagnostic> {
        let mut child = Command::new(EMULATOR)
            .arg(self.folder.path().join("host"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut input) = child.stdin.take() {
            // A host that ends early says why.
            let _ = input.write_all(inputs);
        }
        let output = child.wait_with_output().map_err(failed)?;
        match output.status.code() {
            None => Ok(None),
            Some(0) => Ok(Some(output.stdout)),
            Some(_) => Err(failed(String::from_utf8_lossy(&output.stderr))),
        }
    }
}

fn failed(reason: impl ToString) -> Diagnostic {
    Diagnostic::new(codes::S9001).reason(format!("on AArch64: {}", reason.to_string()))
}
