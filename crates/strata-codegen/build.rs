//! Asks the pinned LLVM for the CPU and feature names of each architecture: its library only prints
//! a warning for an unknown name, and has no C function that lists the known ones.

use std::{env, error::Error, fmt::Write as _, fs, path::PathBuf, process::Command};

#[path = "../strata-ir/llvm_prefix.rs"]
mod llvm_prefix;

/// Prefix of the constants, name that `llc` takes.
const ARCHITECTURES: &[(&str, &str)] = &[("X86", "x86-64"), ("AARCH64", "aarch64")];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../strata-ir/llvm_prefix.rs");
    let llc = llvm_prefix::llvm_prefix()?.join("bin/llc");
    let mut text = String::new();
    for (prefix, march) in ARCHITECTURES {
        let output = Command::new(&llc)
            .arg(format!("-march={march}"))
            .args(["-mcpu=help", "-filetype=null", "-o", "-"])
            .stdin(std::process::Stdio::null())
            .output()?;
        let listing = String::from_utf8_lossy(&output.stderr);
        let (cpus, features) =
            listing.split_once("Available features").ok_or("llc lists no features")?;
        for (kind, section) in [("CPUS", cpus), ("FEATURES", features)] {
            let mut names: Vec<_> = section
                .lines()
                .filter(|line| line.starts_with("  "))
                .filter_map(|line| line.split_once(" - "))
                .map(|(name, _)| name.trim())
                .collect();
            names.sort_unstable();
            if names.is_empty() {
                return Err(format!("llc lists no {kind} for {march}").into());
            }
            writeln!(text, "pub(crate) const {prefix}_{kind}: &[&str] = &{names:?};")?;
        }
    }
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("names.rs"), text)?;
    Ok(())
}
