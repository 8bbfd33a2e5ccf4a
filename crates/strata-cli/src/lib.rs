//! The `strata` command: reads files, calls the library, writes files.
//!
//! A crate that registers its own passes ([`strata::register_pass`]) and then calls [`run`] is a `strata` with these passes;
//! `examples/research-pass` is one.
//!
//! Commands that read a program work in a second process, so that any crash of the compiler or of compiled code ends in a
//! diagnostic; see [`supervisor`].
#![forbid(unsafe_code)]

mod args;
mod commands;
mod files;
mod mapped;
mod npy;
mod npz;
mod panics;
mod progress;
mod reporter;
mod reproducer;
pub mod schedules;
pub mod sources;
mod supervisor;
mod values;
mod version;

use std::{env, ffi::OsString, process::ExitCode};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use strata_diag::{Diagnostic, Diagnostics, codes};

use crate::args::Cli;
use crate::reporter::Reporter;

/// Runs the command line of this process, and returns the exit code.
pub fn run() -> ExitCode {
    let (code, may_leave) = outcome(env::args_os().collect(), None);
    if may_leave {
        strata_run::leave(code);
    }
    ExitCode::from(code)
}

/// The version, with those of the components.
pub fn version() -> String {
    version::long()
}

/// Runs the command line `arguments`, which starts with the name of the command, and returns the exit code. `restart` is how to
/// start the command again, without its arguments, where that is not the file of this process.
pub fn run_as(arguments: Vec<OsString>, restart: Option<Vec<OsString>>) -> u8 {
    outcome(arguments, restart).0
}

/// The exit code, and whether nothing but our own code ran in this process.
fn outcome(arguments: Vec<OsString>, restart: Option<Vec<OsString>>) -> (u8, bool) {
    panics::keep_for_the_report();
    supervisor::restart_by(restart);
    // clap wants texts that live as long as the process.
    let version: &str = version::long().leak();
    let command = Cli::command().long_version(version);
    let matches = command.try_get_matches_from(&arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return (refuse(&arguments, &error), false),
    };
    let reporter = Reporter::new(cli.diagnostic_format, cli.color)
        .quiet(cli.quiet)
        .with_crash_dir(reproducer::folder(cli.crash_dir.as_deref()));
    let program = cli.command.program();
    let is_alone = program.is_none() || cli.in_process || supervisor::is_worker();
    let reported = match is_alone {
        true => None,
        false => supervisor::run(&reporter, &arguments, &cli.command),
    };
    if let Some(code) = reported {
        return (code, true);
    }
    supervisor::watch_parent();
    let run = || commands::run(&cli.command, &reporter);
    (panics::guard(&reporter, &arguments, program, run), cli.command.only_compiles())
}

/// Suggestions for an unknown command, option or value.
fn suggestion(error: &clap::Error) -> Option<String> {
    let kinds =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let known = kinds.into_iter().find_map(|kind| error.get(kind))?;
    let mut names: Vec<&str> = match known {
        ContextValue::String(name) => vec![name.as_str()],
        ContextValue::Strings(names) => names.iter().map(String::as_str).collect(),
        _ => return None,
    };
    let kinds =
        [ContextKind::InvalidSubcommand, ContextKind::InvalidArg, ContextKind::InvalidValue];
    if let Some(ContextValue::String(given)) = kinds.into_iter().find_map(|kind| error.get(kind)) {
        strata_diag::sort_by_likeness(given, &mut names);
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// Which commands have an option that the given one does not have.
fn option_of_others(arguments: &[OsString], error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = given.strip_prefix("--").filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    let command = Cli::command();
    let has = |command: &clap::Command, name: &str| {
        command.get_arguments().any(|one| {
            one.get_long() == Some(name)
                || one.get_all_aliases().is_some_and(|all| all.contains(&name))
        })
    };
    let owners = command.get_subcommands().filter(|command| has(command, name));
    let owners: Vec<_> = owners.map(|command| format!("`strata {}`", command.get_name())).collect();
    let (last, first) = owners.split_last()?;
    let list = match first {
        [] => last.clone(),
        _ => format!("{} and {last}", first.join(", ")),
    };
    // Those that read arrays take sizes from them.
    let mut words = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let given_to = words.find_map(|argument| command.find_subcommand(argument))?;
    let is_size = ["bind", "max", "specialize", "also"].contains(&name);
    let sizes = match is_size && has(given_to, "input") {
        true => "here the arrays of `--input` give the sizes; ",
        false => "",
    };
    Some(format!("{sizes}`{given}` is an option of {list}"))
}

/// Reports a command line that clap did not accept, which includes requests for help.
fn refuse(arguments: &[OsString], error: &clap::Error) -> u8 {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // A closed pipe after the help text is not an error.
        let _ = error.print();
        return if error.use_stderr() { 2 } else { 0 };
    }
    // clap's own text: the reason up to the first empty line, then the usage.
    let text = error.to_string();
    let reason = text.split("\n\n").next().unwrap_or_default();
    let reason = reason.trim_start_matches("error: ");
    let known = option_of_others(arguments, error).or_else(|| suggestion(error));
    let hint = known.unwrap_or_else(|| {
        "`strata help` lists the commands, `strata help COMMAND` their options".to_owned()
    });
    let diagnostic = Diagnostic::new(codes::S0001).reason(reason).hint(hint);
    Reporter::from_arguments(arguments).report(&Diagnostics::from(diagnostic))
}
