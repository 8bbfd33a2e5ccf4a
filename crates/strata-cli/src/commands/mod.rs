//! One file per command.

mod arrays;
mod bench;
mod check;
mod compile;
mod devices;
mod eval;
mod expected;
mod explain;
mod explore;
mod host;
mod level;
mod link;
mod list;
mod measured;
mod mpi;
mod observers;
mod opt;
mod options;
mod package;
mod prepared;
mod profile;
mod remarks;
mod run;
mod schedule;
mod shell;
mod stages;
mod test;
mod threads;
mod translate;
mod tune;
mod verify;
mod verify_stages;
mod watch;

use std::path::{Path, PathBuf};

use strata_diag::{Code, Diagnostics, codes};

use crate::args::{Command, TargetArgs};
use crate::mapped;
use crate::reporter::Reporter;

/// How a command ends.
pub type Outcome = Result<(), Diagnostics>;

/// Runs the command line.
pub fn run(command: &Command, reporter: &Reporter) -> Outcome {
    let outcome = run_on(command, reporter);
    // What was found about a file that changed meanwhile holds for neither of its contents, errors included.
    mapped::check_unchanged()?;
    outcome
}

fn run_on(command: &Command, reporter: &Reporter) -> Outcome {
    match command {
        Command::Compile(args) => compile::run(args, reporter),
        Command::Run(args) => run::run(args, reporter),
        Command::Bench(args) => bench::run(args, reporter),
        Command::Eval(args) => eval::run(args),
        Command::Test(args) => test::run(args),
        Command::Verify(args) => verify::run(args, reporter),
        Command::Check(args) => check::run(args, reporter),
        Command::Schedule(args) => schedule::run(args),
        Command::Tune(args) => tune::run(args, reporter),
        Command::Explore(args) => explore::run(args, reporter),
        Command::Profile(args) => profile::run(args, reporter),
        Command::Opt(args) => opt::run(args, reporter),
        Command::Translate(args) => translate::run(args),
        Command::List(args) => list::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
    }
}

impl Command {
    /// The option, if there is one, under which the user gives more than a program of their own: a dump, passes, a schedule; and
    /// the code of errors in that.
    pub fn given(&self) -> Option<(&'static str, Code)> {
        let from = |stage: &str| match stage {
            "input" | "hlo" => None,
            _ => Some(("--from", codes::S0009)),
        };
        let of_target = |target: &TargetArgs| match (&target.schedule, target.after.as_slice()) {
            (Some(_), _) => Some(("--schedule", codes::S1301)),
            (None, [_, ..]) => Some(("--after", codes::S0010)),
            (None, []) => None,
        };
        match self {
            Self::Compile(args) => from(&args.from).or_else(|| of_target(&args.target)),
            Self::Run(args) => of_target(&args.target),
            Self::Bench(args) => of_target(&args.target),
            Self::Explore(args) => of_target(&args.target),
            Self::Tune(args) => of_target(&args.target),
            Self::Eval(args) => from(&args.from),
            Self::Verify(args) => match args.dump {
                Some(_) => Some(("--dump", codes::S0009)),
                None => of_target(&args.target),
            },
            _ => None,
        }
    }

    /// Whether the command hears of an interrupt (Ctrl-C) and ends by itself.
    pub fn holds_interrupts(&self) -> bool {
        matches!(self, Self::Tune(args) if !args.plan)
    }

    /// Whether the command runs neither programs nor passes of others.
    pub fn only_compiles(&self) -> bool {
        match self {
            Self::Compile(args) => args.target.after.is_empty(),
            Self::Check(_) => true,
            _ => false,
        }
    }

    /// The program that the command reads; such commands run under the supervisor.
    pub fn program(&self) -> Option<&Path> {
        match self {
            Command::Compile(args) => Some(&args.program.input),
            Command::Run(args) => Some(&args.program.input),
            Command::Bench(args) => Some(&args.program.input),
            Command::Eval(args) => Some(&args.input),
            Command::Test(args) => args.paths.first().map(PathBuf::as_path),
            Command::Verify(args) => Some(&args.program.input),
            Command::Check(args) => Some(&args.program.input),
            Command::Schedule(args) => Some(&args.program.input),
            Command::Tune(args) => Some(&args.program.input),
            Command::Explore(args) => Some(&args.program.input),
            Command::Profile(args) => Some(&args.program.input),
            Command::Opt(args) => Some(&args.input),
            Command::Translate(args) => Some(&args.input),
            Command::List(_) | Command::Explain(_) | Command::Completions(_) | Command::Man(_) => {
                None
            }
        }
    }
}
