//! The supervisor process, which runs the command in a worker process.
//!
//! MLIR and LLVM can abort the process (fatal errors, stack overflow on deeply nested programs), and compiled code can
//! crash it. Neither may look like a crash of the command: the work is done in a second process, a copy of this one, and
//! this one reports how it ended.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{self, Stdio};
use std::sync::OnceLock;
use std::thread;

use strata_diag::{Code, Diagnostic, Diagnostics, Fault, Location, codes};
use strata_run::Side;

use crate::args::Command;
use crate::files;
use crate::mapped::{self, Stamp};
use crate::progress;
use crate::reporter::Reporter;
use crate::reproducer::{self, Ran};

/// Set in a worker that was started, not copied. Its value is the file to create when compiled code starts to run.
const WORKER: &str = "STRATA_WORKER";

/// The same in a copied worker.
static MARK: OnceLock<OsString> = OnceLock::new();

/// How the command is started again, where that is not this process's file: by an interpreter that has it as a module.
static RESTART: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how the command is started again.
pub fn restart_by(command: Option<Vec<OsString>>) {
    if let Some(command) = command.filter(|command| !command.is_empty()) {
        // The first one stands: there is one command in a process.
        let _ = RESTART.set(command);
    }
}

/// The command, without arguments.
fn again() -> io::Result<process::Command> {
    let Some([first, rest @ ..]) = RESTART.get().map(Vec::as_slice) else {
        return Ok(process::Command::new(env::current_exe()?));
    };
    let mut command = process::Command::new(first);
    command.args(rest);
    Ok(command)
}

/// Whether this is the worker.
pub fn is_worker() -> bool {
    mark().is_some()
}

fn mark() -> Option<OsString> {
    MARK.get().cloned().or_else(|| env::var_os(WORKER))
}

/// Records that compiled code runs from now on.
pub fn compiled_code_starts() {
    if let Some(mark) = mark().filter(|mark| !mark.is_empty()) {
        // Without the record, a crash is blamed on the compiler instead: no harm.
        let _ = fs::write(mark, []);
    }
}

/// Makes the kernel kill this process when its supervisor is killed.
pub fn watch_parent() {
    #[cfg(target_os = "linux")]
    if is_worker() {
        let signal = rustix::process::Signal::KILL;
        // Without it, a worker whose supervisor was killed runs to its end.
        let _ = rustix::process::set_parent_process_death_signal(Some(signal));
    }
}

/// Runs the command in a worker process and returns its exit code; a crash is reported, with exit code 3. Nothing in the
/// worker itself, which is to run the command.
pub fn run(reporter: &Reporter, arguments: &[OsString], command: &Command) -> Option<u8> {
    supervise(reporter, arguments, command)
        .unwrap_or_else(|diagnostics| Some(reporter.report(&diagnostics)))
}

fn supervise(
    reporter: &Reporter,
    arguments: &[OsString],
    command: &Command,
) -> Result<Option<u8>, Diagnostics> {
    let internal = |error: io::Error| {
        Diagnostic::new(codes::S9001).reason(format!("the worker process did not start: {error}"))
    };
    // Without the file, only the attribution of a crash is less exact. It would stay where the supervisor is killed.
    let scratch = if command.only_compiles() { None } else { tempfile::tempdir().ok() };
    let mark = scratch.as_ref().map(|folder| folder.path().join("runs")).unwrap_or_default();
    let program = command.program().unwrap_or(Path::new(""));
    // Standard input can be read only once, and a reproducer needs it.
    let piped = if files::is_standard_stream(program) { Some(files::read(program)?) } else { None };

    let given = command.given();
    let before = Stamp::of(program);
    if command.holds_interrupts() {
        strata_run::pass_interrupts_on();
    }
    // What was read from standard input goes to the worker through a pipe of its own.
    let copied = if piped.is_none() { strata_run::fork().map_err(internal)? } else { None };
    let status = match copied {
        Some(Side::Worker) => {
            // Only the supervisor removes the folder.
            std::mem::forget(scratch);
            // Nothing has set it before, so that this does not fail.
            let _ = MARK.set(mark.into_os_string());
            return Ok(None);
        }
        Some(Side::Supervisor(status)) => status,
        None => {
            let mut worker = again().map_err(internal)?;
            worker.args(arguments.get(1..).unwrap_or_default()).env(WORKER, &mark);
            wait(worker, piped.as_deref()).map_err(internal)?
        }
    };
    if let Some(code) = status.code() {
        return Ok(Some(u8::try_from(code).unwrap_or(3)));
    }
    let signal = status.signal().unwrap_or(0);
    if is_request_to_end(signal) {
        return Ok(Some(u8::try_from(128 + signal).unwrap_or(3)));
    }
    if reporter.shows_progress() {
        progress::remove_left_over();
    }
    if signal == rustix::process::Signal::BUS.as_raw() && before != Stamp::of(program) {
        return Err(mapped::changed(program).into());
    }
    let place = Location::file(files::display_name(program));
    if !mark.exists() && is_unreadable(piped.as_deref(), program) {
        let reason = format!("MLIR's reader was killed by signal {signal}");
        return Err(Diagnostic::new(codes::S1011).at(place).reason(reason).into());
    }
    let ran = Ran { arguments, program: Some(program), piped: piped.as_deref() };
    let diagnostic = blame(ended_by(signal, mark.exists()), given).at(place);
    Err(with_reproducer(diagnostic, reporter.crash_dir(), &ran).into())
}

/// A crash on what the user gave beside a program, under `option`, is not told as our bug: a dump or a schedule may be anything that
/// MLIR can read.
fn blame(error: Diagnostic, given: Option<(&str, Code)>) -> Diagnostic {
    match given {
        Some((option, code)) if error.fault() == Fault::Bug => {
            let reason = error.reason_text().unwrap_or_default().to_owned();
            error.with_code(code).reason(format!("{reason}, on what {option} gives")).hint(format!(
                "leave {option} out, or undo what was changed; if the same happens without a change, please report it"
            ))
        }
        _ => error,
    }
}

/// Writes a reproducer for our bugs and adds a note; none if the processor lacks instructions or memory ran out.
fn with_reproducer(diagnostic: Diagnostic, place: Option<&Path>, ran: &Ran<'_>) -> Diagnostic {
    if diagnostic.fault() != Fault::Bug {
        return diagnostic;
    }
    let note = reproducer::write(place, ran, &diagnostic.render());
    diagnostic.note(note)
}

/// Whether reading alone crashes too. MLIR's bytecode reader trusts its input, so damaged bytecode is the user's error;
/// a crash on text is ours.
fn is_unreadable(piped: Option<&[u8]>, program: &Path) -> bool {
    let bytes = match piped {
        Some(bytes) => bytes.to_vec(),
        None => files::read_again(program).unwrap_or_default(),
    };
    if !bytes.starts_with(b"ML\xefR") {
        return false;
    }
    let Ok(mut reader) = again() else { return false };
    reader.args(["opt", "-", "-o", "-"]).env(WORKER, "");
    reader.stdout(Stdio::null()).stderr(Stdio::null());
    wait(reader, Some(&bytes)).is_ok_and(|status| status.code().is_none())
}

fn wait(mut worker: process::Command, piped: Option<&[u8]>) -> io::Result<process::ExitStatus> {
    let Some(bytes) = piped else {
        return strata_run::wait_for(&mut worker.spawn()?);
    };
    let mut child = worker.stdin(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A worker that ends early does not read all of it.
            stdin.map(|mut stdin| stdin.write_all(bytes))
        });
        strata_run::wait_for(&mut child)
    })
}

/// Whether a user or the system asked for the end (HUP, INT, QUIT, PIPE, ALRM, TERM).
fn is_request_to_end(signal: i32) -> bool {
    [1, 2, 3, 13, 14, 15].contains(&signal)
}

fn ended_by(signal: i32, compiled_code_ran: bool) -> Diagnostic {
    let name = match signal {
        4 => " (illegal instruction)",
        6 => " (aborted)",
        7 => " (bus error)",
        8 => " (arithmetic error)",
        9 => " (killed)",
        11 => " (segmentation fault)",
        24 => " (CPU time limit exceeded)",
        _ => "",
    };
    match signal {
        9 | 24 => Diagnostic::new(codes::S0006)
            .reason(format!("the worker process was killed by signal {signal}{name}"))
            .hint("memory may have run out, or a system limit was reached"),
        // LLVM also emits a trap for unreachable code, but that is the rarer cause.
        4 if compiled_code_ran => Diagnostic::new(codes::S0007)
            .reason(format!("the compiled code was killed by signal {signal}{name}"))
            .hint("leave out --target-cpu and --target-features, or give --target-cpu native"),
        _ if compiled_code_ran => Diagnostic::new(codes::S9004)
            .reason(format!("the compiled code was killed by signal {signal}{name}"))
            .hint(reproducer::HINT),
        _ => Diagnostic::new(codes::S9001)
            .reason(format!("the compiler was killed by signal {signal}{name}"))
            .hint(reproducer::HINT),
    }
}

#[cfg(test)]
mod tests {
    use super::{Ran, blame, ended_by, is_request_to_end, wait, with_reproducer};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;
    use strata_diag::codes;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_crash_is_seen_and_told_apart() {
        let status = wait(shell("kill -SEGV $$"), None).expect("started");
        assert_eq!(status.signal(), Some(11));
        assert_eq!(ended_by(11, false).code(), codes::S9001);
        let edited = blame(ended_by(11, false), Some(("--from", codes::S0009)));
        assert_eq!((edited.code(), edited.exit_code()), (codes::S0009, 2));
        assert_eq!(blame(ended_by(11, true), None).code(), codes::S9004);
        assert_eq!(ended_by(11, true).code(), codes::S9004);
        assert_eq!(ended_by(4, true).code(), codes::S0007);
        assert_eq!(ended_by(9, true).code(), codes::S0006);
        assert!(is_request_to_end(15) && !is_request_to_end(6));
    }

    #[test]
    fn only_a_bug_leaves_a_reproducer() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let ran = Ran { arguments: &["strata".into()], program: None, piped: None };
        // Killed, an instruction that the processor lacks, a crash of the compiled code.
        for (signal, left) in [(9, 0), (4, 0), (11, 1)] {
            let diagnostic = with_reproducer(ended_by(signal, true), Some(place.path()), &ran);
            assert_eq!(diagnostic.notes().len(), left, "{}", diagnostic.render());
            let folders = std::fs::read_dir(place.path()).expect("a folder").count();
            assert_eq!(folders, left, "{}", diagnostic.render());
        }
    }

    #[test]
    fn a_worker_that_reads_nothing_does_not_block() {
        let input = vec![b'x'; 1 << 20];
        let status = wait(shell("exit 1"), Some(&input)).expect("started");
        assert_eq!(status.code(), Some(1));
        let status = wait(shell("test $(wc -c) = 1048576"), Some(&input)).expect("started");
        assert!(status.success());
    }
}
