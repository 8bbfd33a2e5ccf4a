//! Compiles the model with the `strata` command (from `PATH`, or the one that `STRATA` names) and links it.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=STRATA");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/mlp.mlir");
    println!("cargo:rerun-if-changed={}", model.display());
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let strata = std::env::var("STRATA").unwrap_or_else(|_| "strata".into());
    let status = Command::new(&strata)
        .arg("compile")
        .arg(&model)
        .args(["--emit", "static", "-o"])
        .arg(Path::new(&out).join("libmlp.a"))
        .status()
        .unwrap_or_else(|error| panic!("{strata}: {error}; set STRATA to the strata command"));
    assert!(status.success(), "{strata} compile failed");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=mlp");
}
