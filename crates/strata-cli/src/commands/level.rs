//! `strata eval --from`: runs the dump of a stage with the interpreter.

use strata::{Compiler, Options, Stage};
use strata_diag::{Diagnostic, codes};
use strata_interpreter::Program;
use strata_ir::new_context;
use strata_vhlo::parse;

use super::{Outcome, arrays, arrays::Named, eval};
use crate::args::EvalArgs;
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
    let mut given = program.signature().clone();
    eval::resolve(&args.arrays, &mut given, 1, &name)?;
    let signature = program.signature_of(&given.inputs)?;
    let named = Named::of(&signature);
    let inputs = arrays::read_inputs(&args.arrays, named.inputs(), &name)?;
    let outputs = program.run_as(&signature, &inputs).map_err(in_source)?;
    arrays::write_outputs(&args.arrays, named.outputs(), &outputs)
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
