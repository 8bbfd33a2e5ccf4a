//! Builds a program, compiles it and links it.

use std::error::Error;

use strata_build::Model;
use strata_builder::{Builder, Computation, F32, Program};

/// The mean of each row, and how far each element is from it.
fn program() -> strata_builder::Result<Program> {
    let b = Builder::new("model");
    let x = b.parameter(F32, [4, 8], "x");
    let mean = (x.reduce(0.0, &Computation::add(F32)?, &[1])? / 8.0)?;
    let centred = x.sub_in_dim(&mean, &[0])?;
    b.build(&b.tuple(&[mean, centred])?)
}

/// The program as a module and a library, for the machine that builds.
pub fn model() -> Result<Model, Box<dyn Error>> {
    Ok(Model::from_bytes("model", program()?.to_text()?).target_cpu("native"))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    model()?.compile()?;
    Ok(())
}
