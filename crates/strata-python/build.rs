//! The calls of the module stay inside of it: JAX has another LLVM in the same process. Its identifier tells the PJRT plugin in it
//! whose executables it may load. What LLVM and MLIR need beside the C library is linked statically, so that a wheel runs where
//! none of it is installed.

use std::{env, error::Error, fs, os::unix::fs::symlink, path::Path, process::Command};

const LIBRARIES: &[&str] = &["libstdc++.a", "libz.a", "libzstd.a", "libffi.a"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in ["-Wl,-Bsymbolic", "-Wl,--build-id=sha1"] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
    // In a folder that has nothing but static libraries, the linker finds these first.
    let folder = Path::new(&env::var("OUT_DIR")?).join("static");
    fs::create_dir_all(&folder)?;
    for name in LIBRARIES {
        let told = Command::new("cc").arg(format!("-print-file-name={name}")).output()?;
        let path = String::from_utf8(told.stdout)?;
        let (path, link) = (Path::new(path.trim()), folder.join(name));
        // The compiler prints the bare name of what it does not have; the library is then linked dynamically.
        if path.is_absolute() && !link.exists() {
            symlink(path, link)?;
        }
    }
    println!("cargo::rustc-link-search=native={}", folder.display());
    Ok(())
}
