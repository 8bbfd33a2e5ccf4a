//! Asks the pinned LLVM for the CPU and feature names of each architecture: its library only prints
//! a warning for an unknown name, and has no C function that lists the known ones, or what a CPU has.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

#[path = "../strata-ir/llvm_prefix.rs"]
mod llvm_prefix;

/// Prefix of the constants, architecture for `llc`, triple and CPU attribute for Clang.
const ARCHITECTURES: &[[&str; 4]] = &[
    ["X86", "x86-64", "x86_64-unknown-linux-gnu", "arch"],
    ["AARCH64", "aarch64", "aarch64-unknown-linux-gnu", "cpu"],
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../strata-ir/llvm_prefix.rs");
    let tools = llvm_prefix::llvm_prefix()?.join("bin");
    let llc = tools.join("llc");
    let mut text = String::new();
    for [prefix, march, triple, attribute] in ARCHITECTURES {
        let output = Command::new(&llc)
            .arg(format!("-march={march}"))
            .args(["-mcpu=help", "-filetype=null", "-o", "-"])
            .stdin(Stdio::null())
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
            if kind == "CPUS" {
                let features = cpu_features(&tools.join("clang"), triple, attribute, &names)?;
                let ty = "&[(&str, &str)]";
                writeln!(text, "pub(crate) const {prefix}_CPU_FEATURES: {ty} = &{features:?};")?;
            }
        }
    }
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("names.rs"), text)?;
    Ok(())
}

/// The features of each CPU that Clang knows, separated by commas.
fn cpu_features(
    clang: &Path,
    triple: &str,
    attribute: &str,
    cpus: &[&str],
) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let source = PathBuf::from(env::var("OUT_DIR")?).join(format!("{attribute}.c"));
    let mut text = String::new();
    for (number, cpu) in cpus.iter().enumerate() {
        writeln!(text, "__attribute__((target(\"{attribute}={cpu}\"))) void f{number}(void) {{}}")?;
    }
    fs::write(&source, text)?;
    let output = Command::new(clang)
        .args(["-S", "-emit-llvm", "-w", "-o", "-"])
        .arg(format!("--target={triple}"))
        .arg(&source)
        .stdin(Stdio::null())
        .output()?;
    let code = String::from_utf8(output.stdout)?;
    let quoted = |line: &str, key: &str| {
        let rest = line.split_once(&format!("\"{key}\"=\""))?.1;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let mut found = Vec::new();
    // Of a CPU that Clang does not know the function is for another one.
    for line in code.lines().filter(|line| line.starts_with("attributes #")) {
        let Some(cpu) = quoted(line, "target-cpu").filter(|cpu| cpus.contains(&cpu.as_str()))
        else {
            continue;
        };
        let features = quoted(line, "target-features").unwrap_or_default();
        let features: Vec<_> =
            features.split(',').filter_map(|one| one.strip_prefix('+')).collect();
        found.push((cpu, features.join(",")));
    }
    found.sort();
    found.dedup();
    if found.len() < cpus.len() / 2 {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("Clang says little of the CPUs of {triple}: {errors}").into());
    }
    Ok(found)
}
