//! Compiling beside the interpreter's thread, which keeps answering to signals.

use std::{
    panic::resume_unwind,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use pyo3::prelude::*;
use strata::{
    Artifact, Compiler, Costs, Observer, Options, Product, Remarks, Report, Stage, StageInfo,
};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_profile::{Method, Program, Settings};

use crate::{failure, settings::Source};

/// How often signals are looked at.
const PERIOD: Duration = Duration::from_millis(50);
const HINT: &str = "`link=[\"FILE.so\"]` loads a library of external functions";

/// Compilations that have not ended.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Whether there is one.
pub fn is_running() -> bool {
    RUNNING.load(Ordering::Acquire) > 0
}

/// Counts a compilation as long as it lives, however it ends.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The program in the form of a stage.
///
/// # Errors
/// The compiler's diagnostics, and the exception of a signal's handler.
pub fn to(py: Python<'_>, source: Source, stage: Stage) -> PyResult<Artifact> {
    apart(py, move |stop| compile(&source, stage, Watch::new(stop, false)).map(|found| found.0))
}

/// What became of each operation, as text.
///
/// # Errors
/// As [`to`].
pub fn remarks(py: Python<'_>, source: Source) -> PyResult<String> {
    apart(py, move |stop| {
        let (_, watch) = compile(&source, Stage::Obj, Watch::new(stop, true))?;
        Ok(Report::of(&watch.remarks).text())
    })
}

/// The page of `strata explore`, with the source files that are in `folders`.
///
/// # Errors
/// As [`to`].
pub fn page(py: Python<'_>, source: Source, folders: Vec<PathBuf>) -> PyResult<String> {
    apart(py, move |_| {
        let folders = strata_cli::sources::folders(&folders)?;
        let found = strata_explore::explore(&source.options, &source.file, &source.bytes)?;
        let program = (source.file.as_str(), source.bytes.as_slice());
        Ok(strata_cli::sources::add(found, program, &folders).html())
    })
}

/// How samples are taken, by its name.
///
/// # Errors
/// `S0001` for another name.
pub fn method(name: Option<&str>) -> Result<Option<Method>, Diagnostic> {
    match name {
        None => Ok(None),
        Some("perf") => Ok(Some(Method::Perf)),
        Some("signals") => Ok(Some(Method::Signals)),
        Some(name) => Err(Diagnostic::new(codes::S0001)
            .reason(format!("there is not a method `{name}`"))
            .hint("methods are \"perf\" and \"signals\"")),
    }
}

/// A profile of calls with these inputs: JSON, the report, folded stacks, the flame graph.
///
/// # Errors
/// As [`to`]; `S1808` without samples.
pub fn profile(
    py: Python<'_>,
    source: Source,
    inputs: Vec<Vec<u8>>,
    settings: Settings,
) -> PyResult<(String, String, String, String)> {
    apart(py, move |_| {
        if source.weights.is_some() {
            let reason = "the program has its weights in a file, and a profile is about an object";
            let error = Diagnostic::new(codes::S0001).reason(reason);
            return Err(error.hint("compile without `weights=`").into());
        }
        let linked = source.linked()?;
        let options = Options { open: false, ..source.options.clone() };
        let program =
            Program::compile(&options, &source.file, &source.bytes, Some((&linked, HINT)))?;
        let found = program.measure(&inputs, &settings)?;
        Ok((found.json().to_string(), found.text(ROWS), found.folded(), found.flame_graph()?))
    })
}

/// Rows of the tables of a report.
const ROWS: usize = 15;

/// What the program costs.
///
/// # Errors
/// As [`to`].
pub fn costs(py: Python<'_>, source: Source) -> PyResult<Costs> {
    apart(py, move |_| {
        let found = strata::survey(&source.options, &source.file, &source.bytes)?;
        Ok(found.costs)
    })
}

fn compile(
    source: &Source,
    stage: Stage,
    mut watch: Watch,
) -> Result<(Artifact, Watch), Diagnostics> {
    let linked = source.linked()?;
    let has = |name: &str| linked.find(name).is_some();
    let compiler = Compiler::new(source.options.clone()).to(stage).offered(has, HINT);
    let artifact = compiler.observe(&mut watch).compile(&source.file, &source.bytes)?;
    Ok((artifact, watch))
}

/// Runs `body` on a thread of its own. A signal whose handler raises an exception ends the wait, and makes the argument of `body`
/// true.
fn apart<R: Send + 'static>(
    py: Python<'_>,
    body: impl Fn(&Arc<AtomicBool>) -> Result<R, Diagnostics> + Send + Sync + 'static,
) -> PyResult<R> {
    let internal = |reason: String| Diagnostics::from(Diagnostic::new(codes::S9001).reason(reason));
    let (sender, mut receiver) = mpsc::channel();
    let running = Running::new();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let thread = move || {
        let ended =
            strata::on_large_stack(&|| body(&stopped)).unwrap_or_else(|panic| Err(internal(panic)));
        // Before the result is there: the process may end right after it.
        drop(running);
        // After an interruption the receiver is gone.
        let _ = sender.send(ended);
    };
    let started = thread::Builder::new().name("strata".to_owned()).spawn(thread);
    started.map_err(|error| {
        let reason = format!("no thread for the compilation: {error}");
        failure::raise(py, &Diagnostic::new(codes::S0006).reason(reason).into())
    })?;
    loop {
        let (waited, back) = py.detach(move || (receiver.recv_timeout(PERIOD), receiver));
        receiver = back;
        match waited {
            Ok(ended) => return ended.map_err(|errors| failure::raise(py, &errors)),
            Err(mpsc::RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| {
                stop.store(true, Ordering::Relaxed);
            })?,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let reason = "the compilation ended without a result".to_owned();
                return Err(failure::raise(py, &internal(reason)));
            }
        }
    }
}

/// Ends a compilation that nothing waits for any more, and collects remarks.
struct Watch {
    stop: Arc<AtomicBool>,
    wants_remarks: bool,
    /// On all parts of the object.
    remarks: Vec<Remarks>,
}

impl Watch {
    fn new(stop: &Arc<AtomicBool>, wants_remarks: bool) -> Self {
        Self { stop: Arc::clone(stop), wants_remarks, remarks: Vec::new() }
    }

    fn check(&self) {
        if self.stop.load(Ordering::Relaxed) {
            // No message of a panic: it is caught where the compilation began.
            resume_unwind(Box::new("the compilation was interrupted"));
        }
    }
}

impl Observer for Watch {
    fn stage_started(&mut self, _: &StageInfo, _: usize, _: usize) {
        self.check();
    }

    fn stage_finished(&mut self, _: &StageInfo, _: &Product<'_, '_>, _: Duration) {
        self.check();
    }

    fn remarked(&mut self, remarks: &Remarks) {
        self.remarks.push(remarks.clone());
    }

    fn wants_stages(&self) -> bool {
        false
    }

    fn wants_remarks(&self) -> bool {
        self.wants_remarks
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}
