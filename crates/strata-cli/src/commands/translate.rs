//! `strata translate`: the same program in another form.

use strata_ir::{new_context, parse, print, write_bytecode};

use super::Outcome;
use crate::args::{Form, TranslateArgs};
use crate::files;

pub fn run(args: &TranslateArgs) -> Outcome {
    let program = files::read(&args.input)?;
    let context = new_context();
    let module = parse(&context, &files::display_name(&args.input), &program)?;
    let bytes = match args.to {
        Form::Text => print(&module, args.locations).into_bytes(),
        Form::Bytecode => write_bytecode(&module),
    };
    Ok(files::write(&args.output, &bytes)?)
}
