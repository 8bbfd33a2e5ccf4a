//! Where the time of a compiled program goes: `strata profile`.
//!
//! A program is compiled as always, with debug information that says what each instruction comes from, and is called again and again while
//! samples of its threads are taken. Each sample is of an operation of the program, and so of a line of its source. `perf script`'s text of a
//! process that has the same object is read in the same way.
//!
//! ```no_run
//! use strata::{Options, target};
//! use strata_profile::{Program, Settings};
//!
//! let bytes = std::fs::read("mlp.mlir").unwrap();
//! let options = Options::new(target::resolve(None, Some("native"), None).unwrap());
//! let program = Program::compile(&options, "mlp.mlir", &bytes, None).unwrap();
//! let inputs: Vec<Vec<u8>> = vec![vec![0; 64 * 4]];
//! let profile = program.measure(&inputs, &Settings::default()).unwrap();
//! println!("{}", profile.text(10));
//! std::fs::write("mlp.svg", profile.flame_graph().unwrap()).unwrap();
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use strata::Artifact;
use strata_diag::{Diagnostic, Diagnostics, codes};

mod attribution;
mod code;
mod costs;
mod devices;
mod flame;
mod json;
pub mod limits;
mod memory;
mod placed;
mod program;
mod report;
mod script;
mod shares;
mod spent;
mod text;

pub use devices::OnDevices;
pub use memory::Step;
pub use placed::is_linked;
pub use program::{Program, Settings};
pub use report::{Counts, Place, Profile, Row, Run};
pub use strata_run::sampling::Method;

/// [`Artifact::profile`](Measure::profile).
pub trait Measure {
    /// Compiles the artifact's program once more, with the same options, calls it with these inputs and says where its time goes.
    ///
    /// # Errors
    /// As [`Program::compile`] and [`Program::measure`]; `S0001` for an artifact without its program, which
    /// [`Compiler::keep_program`](strata::Compiler::keep_program) keeps.
    fn profile(&self, inputs: &[Vec<u8>], settings: &Settings) -> Result<Profile, Diagnostics>;
}

impl Measure for Artifact {
    fn profile(&self, inputs: &[Vec<u8>], settings: &Settings) -> Result<Profile, Diagnostics> {
        let Some(program) = self.program() else {
            return Err(Diagnostic::new(codes::S0001)
                .reason("the artifact does not have the program that it was compiled from")
                .hint("compile with `Compiler::keep_program`")
                .into());
        };
        Program::compile(&program.options, &program.name, &program.bytes, None)?
            .measure(inputs, settings)
    }
}

/// The middle of the values, which become sorted.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(values, 0.5)
}

/// A quantile of sorted values, interpolated.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * sorted.len().saturating_sub(1) as f64;
    let at = |index: usize| sorted.get(index).or(sorted.last()).copied().unwrap_or(f64::NAN);
    let (low, high) = (at(place.floor() as usize), at(place.ceil() as usize));
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::{median, quantile};

    #[test]
    fn quantiles_lie_between_values() {
        assert_eq!(median(&mut [4.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0]), 2.5);
        let sorted = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!([0.0, 0.25, 1.0].map(|part| quantile(&sorted, part)), [1.0, 2.0, 5.0]);
        assert_eq!(quantile(&[7.0], 0.75), 7.0);
    }
}
