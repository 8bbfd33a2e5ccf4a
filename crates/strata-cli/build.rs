//! Writes the shell completions and the manual pages from the definition of the command line, into
//! `completions/` and `man/` of the build's output folder.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
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

/// The text of a constant with the name and the content of each page, in the order of the names.
fn table(pages: &Path) -> Result<String, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(pages)? {
        names.push(entry?.file_name().into_string().map_err(|_| "a page's name is no text")?);
    }
    names.sort();
    let rows: String = names
        .iter()
        .map(|name| format!("    ({name:?}, include_str!({:?})),\n", pages.join(name)))
        .collect();
    Ok(format!("const PAGES: &[(&str, &str)] = &[\n{rows}];\n"))
}
