//! `strata check`: whether a program compiles, and what it then needs. Nothing is written.

use std::fmt::Write;

use strata::{Compiler, Signature};
use strata_diag::{Diagnostic, codes};

use super::{Outcome, options};
use crate::args::CheckArgs;
use crate::files;

pub fn run(args: &CheckArgs) -> Outcome {
    let options = options::options(&args.program, &args.target)?;
    let program = files::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    let artifact = Compiler::new(options).compile(&name, &program)?;
    let (Some(signature), Some(workspace)) = (artifact.signature(), artifact.workspace_size())
    else {
        let reason = "the compiled program has no signature";
        return Err(Diagnostic::new(codes::S9002).reason(reason).into());
    };
    let text = report(signature, workspace, artifact.bytes().len());
    Ok(files::print(text.as_bytes())?)
}

fn report(signature: &Signature, workspace: u64, object: usize) -> String {
    let mut text = format!("entry      {}\n", signature.entry);
    let buffers = [("input", &signature.inputs), ("output", &signature.outputs)];
    for (kind, specs) in buffers {
        for (index, spec) in specs.iter().enumerate() {
            let label = format!("{kind} {index}");
            // Writing to a string does not fail.
            let _ = writeln!(text, "{label:<10} {spec}, {} bytes", spec.byte_count());
        }
    }
    let _ = writeln!(text, "workspace  {workspace} bytes");
    let _ = writeln!(text, "object     {object} bytes");
    text
}

#[cfg(test)]
mod tests {
    use super::report;
    use strata::{ElementType, Signature, TensorSpec};

    #[test]
    fn buffers_and_sizes_are_shown() {
        let spec = TensorSpec { shape: vec![2, 3], element: ElementType::Float(32) };
        let signature = Signature {
            entry: "main".into(),
            inputs: vec![spec.clone()],
            outputs: vec![spec],
            ..Signature::default()
        };
        assert_eq!(
            report(&signature, 64, 1000),
            "entry      main\ninput 0    tensor<2x3xf32>, 24 bytes\n\
             output 0   tensor<2x3xf32>, 24 bytes\nworkspace  64 bytes\nobject     1000 bytes\n"
        );
    }
}
