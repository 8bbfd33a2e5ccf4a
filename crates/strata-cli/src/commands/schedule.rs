//! `strata schedule`: prints the schedules that stage `schedule` chooses, in the form that it
//! reads.

use strata::{Compiler, Stage};
use strata_ir::{new_context, parse};
use strata_schedule::{chosen, print_schedule};

use super::{Outcome, options};
use crate::args::{ScheduleArgs, ScheduleFormat};
use crate::files;
use crate::mapped;

pub fn run(args: &ScheduleArgs) -> Outcome {
    let options = options::options(&args.program, &args.target)?;
    let program = mapped::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    if args.format == ScheduleFormat::Json {
        let nests = Compiler::new(options).nests(&name, &program)?;
        return Ok(files::write(&args.output, chosen(&nests).text().as_bytes())?);
    }
    let linalg = Compiler::new(options.clone()).to(Stage::Linalg).compile(&name, &program)?;
    let context = new_context();
    let module = parse(&context, &name, linalg.bytes())?;
    let text = print_schedule(&context, &module, &options)?;
    Ok(files::write(&args.output, text.as_bytes())?)
}
