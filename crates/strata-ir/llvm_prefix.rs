//! Where LLVM is installed, for build scripts: the variable of the workspace's configuration, or what `llvm-config` of
//! the right version says, so that crates outside of the workspace need no configuration.

use std::{env, path::PathBuf, process::Command};

const MAJOR: &str = "22";

/// The folder that holds `bin`, `lib` and `include` of LLVM.
///
/// # Errors
/// What was searched, if nothing was found.
pub fn llvm_prefix() -> Result<PathBuf, String> {
    println!("cargo:rerun-if-env-changed=STRATA_LLVM_PREFIX");
    println!("cargo:rerun-if-env-changed=PATH");
    if let Some(prefix) = env::var_os("STRATA_LLVM_PREFIX") {
        return Ok(PathBuf::from(prefix));
    }
    let numbered = format!("llvm-config-{MAJOR}");
    let found = [numbered.as_str(), "llvm-config"].into_iter().find_map(|name| {
        let version = answer(name, "--version")?;
        version.starts_with(&format!("{MAJOR}.")).then(|| answer(name, "--prefix"))?
    });
    found.map(PathBuf::from).ok_or_else(|| {
        format!(
            "LLVM {MAJOR} was not found: neither `{numbered}` nor `llvm-config` of that version is in PATH; \
             install it, or set STRATA_LLVM_PREFIX"
        )
    })
}

fn answer(program: &str, question: &str) -> Option<String> {
    let output = Command::new(program).arg(question).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
