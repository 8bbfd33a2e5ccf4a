//! The arrays that go into a program and come out of it.

use strata::TensorSpec;
use strata_diag::{Diagnostic, Location, codes};

use super::Outcome;
use crate::args::ArrayArgs;
use crate::{files, npy, values};

/// The inputs as buffers, checked against the signature.
///
/// # Errors
/// `S1801` to `S1804`, `S0002`.
pub fn read_inputs(
    args: &ArrayArgs,
    expected: &[TensorSpec],
    program: &str,
) -> Result<Vec<Vec<u8>>, Diagnostic> {
    let given = args.inputs.len();
    if expected.len() != given {
        let types: Vec<String> = expected.iter().map(ToString::to_string).collect();
        let list = if types.is_empty() { "none".to_owned() } else { types.join(", ") };
        return Err(Diagnostic::new(codes::S1801)
            .at(Location::file(program))
            .reason(format!("the program takes {} inputs, --input gives {given}", expected.len()))
            .hint(format!("its inputs are: {list}")));
    }
    args.inputs
        .iter()
        .zip(expected)
        .enumerate()
        .map(|(index, (path, spec))| npy::read(path, index, spec))
        .collect()
}

/// Writes the outputs to files, or prints them.
///
/// # Errors
/// `S0003`.
pub fn write_outputs(args: &ArrayArgs, specs: &[TensorSpec], outputs: &[Vec<u8>]) -> Outcome {
    let all = specs.iter().zip(outputs);
    match &args.output_dir {
        Some(folder) => {
            files::create_folder(folder)?;
            for (index, (spec, bytes)) in all.enumerate() {
                files::write(
                    &folder.join(format!("output{index}.npy")),
                    &npy::encode(spec, bytes)?,
                )?;
            }
        }
        None => {
            for (index, (spec, bytes)) in all.enumerate() {
                let text = values::render(spec, bytes);
                files::print(format!("output {index}: {spec}\n{text}\n").as_bytes())?;
            }
        }
    }
    Ok(())
}
