//! `strata eval`: runs a program as its semantics say, without compiling it.

use strata::{ElementType, TensorSpec};
use strata_diag::{Diagnostic, codes};
use strata_eval::{Evaluator, FloatType, Session, Tensor};
use strata_ir::{Module, entry, new_context};
use strata_vhlo::parse;

use super::{Outcome, arrays};
use crate::args::{ArrayArgs, EvalArgs};
use crate::files;

pub fn run(args: &EvalArgs) -> Outcome {
    let program = files::read(&args.input)?;
    let name = files::display_name(&args.input);
    let in_source = |error: Diagnostic| match std::str::from_utf8(&program) {
        Ok(text) => error.source_file(&name, text),
        Err(_) => error,
    };
    let context = new_context();
    let module = parse(&context, &name, &program)?;
    let evaluator = Evaluator::new(&module).map_err(in_source)?;
    let function = match &args.entry {
        Some(name) => Some(name.as_str()),
        None => evaluator.entries().into_iter().find(|name| *name == "main"),
    };
    let inputs = inputs(&args.arrays, &module, function, &name).map_err(in_source)?;
    let session = Session::new(args.seed);
    let outputs = evaluator.run(function, &inputs, &session).map_err(in_source)?;
    let bytes: Vec<Vec<u8>> = outputs.iter().map(|tensor| tensor.bytes().to_vec()).collect();
    let specs: Vec<TensorSpec> = outputs.iter().map(spec).collect();
    arrays::write_outputs(&args.arrays, &specs, &bytes)
}

/// The arrays of the command line as inputs of a function of the program.
pub(super) fn inputs(
    args: &ArrayArgs,
    module: &Module<'_>,
    function: Option<&str>,
    name: &str,
) -> Result<Vec<Tensor>, Diagnostic> {
    let function = entry(module, function)?;
    let types = function.region(0).first_block().map(|block| block.args()).unwrap_or_default();
    let specs = types
        .into_iter()
        .enumerate()
        .map(|(index, value)| {
            TensorSpec::from_type(value.ty()).ok_or_else(|| {
                Diagnostic::new(codes::S1911)
                    .reason(format!("no file can hold input {index}: it is {}", value.ty()))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let buffers = arrays::read_inputs(args, &specs, name)?;
    specs.iter().zip(buffers).map(|(spec, bytes)| tensor(spec, bytes)).collect()
}

fn tensor(spec: &TensorSpec, bytes: Vec<u8>) -> Result<Tensor, Diagnostic> {
    let internal = || Diagnostic::new(codes::S9001).reason(format!("no tensor can be {spec}"));
    let sizes = spec.shape.iter().map(|&size| usize::try_from(size)).collect::<Result<Vec<_>, _>>();
    let shape = sizes.map_err(|_| internal())?;
    let element =
        strata_eval::ElementType::parse(&spec.element.to_string()).ok_or_else(internal)?;
    Tensor::from_bytes(&shape, element, bytes).map_err(|_| internal())
}

fn spec(tensor: &Tensor) -> TensorSpec {
    use strata_eval::ElementType as Evaluated;
    let element = match tensor.element_type() {
        Evaluated::Bool => ElementType::Bool,
        Evaluated::Signed(bits) => ElementType::Signed(bits.into()),
        Evaluated::Unsigned(bits) => ElementType::Unsigned(bits.into()),
        Evaluated::Float(FloatType::BF16) => ElementType::BFloat16,
        Evaluated::Float(FloatType::F16) => ElementType::Float(16),
        Evaluated::Float(FloatType::F32) => ElementType::Float(32),
        Evaluated::Float(FloatType::F64) => ElementType::Float(64),
        Evaluated::Float(small) => ElementType::SmallFloat(small.name()),
        Evaluated::Complex(FloatType::F32) => ElementType::Complex(64),
        Evaluated::Complex(_) => ElementType::Complex(128),
    };
    let shape = tensor.shape().iter().map(|&size| size as u64).collect();
    TensorSpec { shape, element }
}
