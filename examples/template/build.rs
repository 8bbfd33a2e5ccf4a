//! Builds a program, compiles it to an object and links it.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use strata_builder::{Builder, Computation, F32, Options, Program, native};

/// The mean of each row, and how far each element is from it.
fn program() -> strata_builder::Result<Program> {
    let b = Builder::new("model");
    let x = b.parameter(F32, [4, 8], "x");
    let mean = (x.reduce(0.0, &Computation::add(F32)?, &[1])? / 8.0)?;
    let centred = x.sub_in_dim(&mean, &[0])?;
    b.build(&b.tuple(&[mean, centred])?)
}

/// Writes the object and the Rust module that calls it into a folder; gives the object's path.
pub fn write(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    // For the machine that builds; `Target` names others.
    let options = Options { name: "model".to_owned(), ..Options::new(native()?) };
    let artifact = program()?.compile(options)?;
    let object = folder.join("model.o");
    fs::write(&object, artifact.bytes())?;
    fs::write(folder.join("model.rs"), artifact.rust().ok_or("the object has no module")?)?;
    Ok(object)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let object = write(Path::new(&env::var("OUT_DIR")?))?;
    println!("cargo:rustc-link-arg-bins={}", object.display());
    println!("cargo:rustc-link-arg-bins=-lm");
    Ok(())
}
