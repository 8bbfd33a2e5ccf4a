//! Writes the shell completions and the manual pages from the definition of the command line, into
//! `completions/` and `man/` of the build's output folder.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use clap::{CommandFactory, ValueEnum};
use clap_complete::{Shell, generate_to};

// The definitions are used by the command itself, which this script is not.
#[allow(dead_code)]
#[path = "src/args.rs"]
mod args;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/args.rs");
    println!("cargo::rerun-if-changed=src/args");
    println!("cargo::rerun-if-changed=build.rs");
    tell_commit();
    link_at_fixed_address();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);

    let completions = out.join("completions");
    fs::create_dir_all(&completions)?;
    for shell in Shell::value_variants() {
        generate_to(*shell, &mut args::Cli::command(), "strata", &completions)?;
    }
    let pages = out.join("man");
    fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(args::Cli::command(), &pages)?;
    fs::write(out.join("pages.rs"), table(&pages)?)?;
    Ok(())
}

/// Sets `STRATA_COMMIT` to the commit that is built. Sources outside of a checkout of Strata have none, also where an outer
/// folder is a checkout of something else.
fn tell_commit() {
    println!("cargo::rerun-if-env-changed=STRATA_COMMIT");
    if env::var_os("STRATA_COMMIT").is_some() {
        return;
    }
    let root = Path::new("../..").canonicalize().ok();
    if root.is_none() || git(&["rev-parse", "--show-toplevel"]).map(PathBuf::from) != root {
        return;
    }
    // The log of HEAD changes with every commit and every checkout.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(log) = log.filter(|log| Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo::rustc-env=STRATA_COMMIT={commit}");
    }
}

/// Links the command at a fixed address. An executable that moves has 270,000 addresses to change before it starts, in pages that the kernel
/// copies for that, again in the worker: a tenth of the time of a small compilation.
fn link_at_fixed_address() {
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The text of a constant with the name and the content of each page, in the order of the names.
fn table(pages: &Path) -> Result<String, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(pages)? {
        names.push(entry?.file_name().into_string().map_err(|_| "a page's name is not UTF-8")?);
    }
    names.sort();
    let rows: String = names
        .iter()
        .map(|name| format!("    ({name:?}, include_str!({:?})),\n", pages.join(name)))
        .collect();
    Ok(format!("const PAGES: &[(&str, &str)] = &[\n{rows}];\n"))
}
