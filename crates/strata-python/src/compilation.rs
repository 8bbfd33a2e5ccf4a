//! Compiling beside the interpreter's thread, which keeps answering to signals.

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use pyo3::prelude::*;
use strata::{Artifact, Compiler, Costs, Observer, Product, Remarks, Report, Stage, StageInfo};
use strata_diag::{Diagnostic, Diagnostics, codes};

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
    apart(py, move || compile(&source, stage, None))
}

/// What became of each operation, as text.
///
/// # Errors
/// As [`to`].
pub fn remarks(py: Python<'_>, source: Source) -> PyResult<String> {
    apart(py, move || {
        let mut collected = Collected::default();
        compile(&source, Stage::Obj, Some(&mut collected))?;
        Ok(Report::of(&collected.0).text())
    })
}

/// What the program costs.
///
/// # Errors
/// As [`to`].
pub fn costs(py: Python<'_>, source: Source) -> PyResult<Costs> {
    apart(py, move || {
        let found = strata::survey(&source.options, &source.file, &source.bytes)?;
        Ok(found.costs)
    })
}

fn compile(
    source: &Source,
    stage: Stage,
    observer: Option<&mut Collected>,
) -> Result<Artifact, Diagnostics> {
    let linked = source.linked()?;
    let has = |name: &str| linked.find(name).is_some();
    let mut compiler = Compiler::new(source.options.clone()).to(stage).offered(has, HINT);
    if let Some(observer) = observer {
        compiler = compiler.observe(observer);
    }
    compiler.compile(&source.file, &source.bytes)
}

/// Runs `body` on a thread of its own. A signal whose handler raises an exception ends the wait, not the thread.
fn apart<R: Send + 'static>(
    py: Python<'_>,
    body: impl Fn() -> Result<R, Diagnostics> + Send + Sync + 'static,
) -> PyResult<R> {
    let internal = |reason: String| Diagnostics::from(Diagnostic::new(codes::S9001).reason(reason));
    let (sender, mut receiver) = mpsc::channel();
    let running = Running::new();
    let thread = move || {
        let ended = strata::on_large_stack(&body).unwrap_or_else(|panic| Err(internal(panic)));
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
            Err(mpsc::RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let reason = "the compilation ended without a result".to_owned();
                return Err(failure::raise(py, &internal(reason)));
            }
        }
    }
}

/// The remarks on all parts of an object.
#[derive(Default)]
struct Collected(Vec<Remarks>);

impl Observer for Collected {
    fn stage_finished(&mut self, _: &StageInfo, _: &Product<'_, '_>, _: Duration) {}

    fn remarked(&mut self, remarks: &Remarks) {
        self.0.push(remarks.clone());
    }

    fn wants_remarks(&self) -> bool {
        true
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}
