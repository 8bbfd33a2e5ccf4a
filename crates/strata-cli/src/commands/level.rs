//! `strata eval --from`: runs the dump of a stage with the interpreter.

use std::ffi::OsStr;
use std::path::PathBuf;

use strata::{Compiler, Options, Signature, Stage};
use strata_diag::{Diagnostic, codes};
use strata_eval::Tensor;
use strata_interpreter::Program;
use strata_ir::{DISPATCH, entry, new_context};
use strata_verify::Version;
use strata_vhlo::parse;

use super::{Outcome, arrays, arrays::Named, eval};
use crate::args::{ArrayArgs, EvalArgs};
use crate::files;
use crate::mapped;

pub fn run(args: &EvalArgs, from: Stage) -> Outcome {
    check(args, from)?;
    let text = mapped::read(&args.input)?;
    let name = files::display_name(&args.input);
    let in_source = |error: Diagnostic| match std::str::from_utf8(&text) {
        Ok(text) => error.source_file(&name, text),
        Err(_) => error,
    };
    let context = new_context();
    let module = parse(&context, &name, &text)?;
    let program = Program::new(&module).map_err(|error| {
        let options = strata::target::resolve(None, None, None).map(Options::new);
        let compiler = options.map(|options| Compiler::new(options).from(from));
        let like = compiler.ok().and_then(|compiler| compiler.resemblance(&context, &module));
        in_source(not_in_its_form(error, from, like))
    })?;
    if let Some(version) = Version::of(&module)? {
        let run = |inputs: &[Tensor]| version.interpret(&program, inputs).map_err(in_source);
        return of_call(&args.arrays, program.signature().clone(), &version, &name, &run);
    }
    let mut given = program.signature().clone();
    eval::resolve(&args.arrays, &mut given, 1, &name)?;
    let signature = program.signature_of(&given.inputs)?;
    let named = Named::of(&signature);
    let inputs = arrays::read_inputs(&args.arrays, named.inputs(), &name)?;
    if entry(&module, None)?.has_attr(DISPATCH) {
        let inputs = signature.inputs.iter().zip(inputs).map(|(spec, own)| eval::tensor(spec, own));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let outputs = strata_verify::interpret_all(&program, &inputs).map_err(in_source)?;
        return write(&args.arrays, &outputs, signature);
    }
    let outputs = program.run_as(&signature, &inputs).map_err(in_source)?;
    arrays::write_outputs(&args.arrays, named.outputs(), &outputs)
}

/// Runs a program on the arrays of a call.
type Runs<'r> = dyn Fn(&[Tensor]) -> Result<Vec<Tensor>, Diagnostic> + 'r;

/// Runs the dump of a version on arrays of a call's sizes, or on those of the dump itself: with the sizes of its buffers, and the values
/// of symbols after them.
pub(super) fn of_call(
    args: &ArrayArgs,
    mut taken: Signature,
    version: &Version,
    name: &str,
    run: &Runs<'_>,
) -> Outcome {
    let is_array = |path: &PathBuf| path.extension() != Some(OsStr::new("npz"));
    let is_whole = args.inputs.len() != version.input_count() || !args.inputs.iter().all(is_array);
    let inputs = if is_whole {
        version.given(&eval::inputs(args, &taken, name)?)?
    } else {
        version.open(&mut taken);
        eval::resolve(args, &mut taken, 1, name)?;
        eval::inputs(args, &taken, name)?
    };
    write(args, &run(&inputs)?, taken)
}

/// Writes outputs with the shapes that they have.
fn write(args: &ArrayArgs, outputs: &[Tensor], signature: Signature) -> Outcome {
    let bytes: Vec<_> = outputs.iter().map(|output| output.bytes().to_vec()).collect();
    arrays::write_outputs(args, Named::of(&eval::given(outputs, signature)).outputs(), &bytes)
}

/// Options for StableHLO programs only.
fn check(args: &EvalArgs, from: Stage) -> Result<(), Diagnostic> {
    if from > Stage::Vector {
        return Err(Diagnostic::new(codes::S0001)
            .reason(format!("dumps of stage `{from}` cannot be interpreted"))
            .hint("`--from` takes the stages up to `vector`"));
    }
    if args.arrays.per_device {
        return Err(Diagnostic::new(codes::S0001)
            .reason(format!("a dump of stage `{from}` is run on one device"))
            .hint("leave out `--per-device`; `strata verify --stages` runs dumps on all devices"));
    }
    let host = &args.host;
    let calls_out = !args.libraries.is_empty()
        || !host.infeed.is_empty()
        || !host.received.is_empty()
        || host.outfeed.is_some();
    if calls_out || args.entry.is_some() {
        return Err(Diagnostic::new(codes::S0001)
            .reason(format!("a dump of stage `{from}` has one entry and makes no external calls"))
            .hint("omit --entry, --link and the host's options"));
    }
    Ok(())
}

/// Every dump of a stage has the entry's attributes; a program without them may be `like` something else.
fn not_in_its_form(error: Diagnostic, from: Stage, like: Option<String>) -> Diagnostic {
    if error.code() != codes::S9002 {
        return error;
    }
    error.with_code(codes::S0009).hint(like.unwrap_or_else(|| {
        format!(
            "`strata compile MODEL --to {from}` makes such a dump, with the attributes of its entry"
        )
    }))
}
