//! `strata run`: compiles for this machine, loads the object and calls it.

use strata::{Compiler, Loaded, Signature};
use strata_diag::{Diagnostic, Location, codes};

use super::{Outcome, options};
use crate::args::{ArrayArgs, RunArgs};
use crate::{files, npy, supervisor, values};

pub fn run(args: &RunArgs) -> Outcome {
    let options = options::options(&args.program, &args.target)?;
    let program = files::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    let artifact = Compiler::new(options.clone()).compile(&name, &program)?;
    let signature = artifact.signature().ok_or_else(|| {
        Diagnostic::new(codes::S9002).reason("the compiled program has no signature")
    })?;
    let inputs = read_inputs(&args.arrays, signature, &name)?;
    let loaded = Loaded::new(artifact.bytes(), &options, signature)?;
    supervisor::compiled_code_starts();
    let (status, outputs) = loaded.call(&inputs)?;
    if status != 0 {
        let reason = format!("the compiled entry function returned {status}");
        return Err(Diagnostic::new(codes::S9001).at(Location::file(name)).reason(reason).into());
    }
    write_outputs(&args.arrays, signature, &outputs)
}

/// The inputs as buffers, checked against the signature.
///
/// # Errors
/// `S1801` to `S1804`, `S0002`.
pub fn read_inputs(
    args: &ArrayArgs,
    signature: &Signature,
    program: &str,
) -> Result<Vec<Vec<u8>>, Diagnostic> {
    let (expected, given) = (signature.inputs.len(), args.inputs.len());
    if expected != given {
        let types: Vec<String> = signature.inputs.iter().map(ToString::to_string).collect();
        let list = if types.is_empty() { "none".to_owned() } else { types.join(", ") };
        return Err(Diagnostic::new(codes::S1801)
            .at(Location::file(program))
            .reason(format!("the program takes {expected}, --input is given {given} times"))
            .hint(format!("its inputs are: {list}")));
    }
    args.inputs
        .iter()
        .zip(&signature.inputs)
        .enumerate()
        .map(|(index, (path, spec))| npy::read(path, index, spec))
        .collect()
}

/// Writes the outputs to files, or prints them.
///
/// # Errors
/// `S0003`.
pub fn write_outputs(args: &ArrayArgs, signature: &Signature, outputs: &[Vec<u8>]) -> Outcome {
    let all = signature.outputs.iter().zip(outputs);
    match &args.output_dir {
        Some(folder) => {
            files::create_folder(folder)?;
            for (index, (spec, bytes)) in all.enumerate() {
                files::write(&folder.join(format!("output{index}.npy")), &npy::encode(spec, bytes)?)?;
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
