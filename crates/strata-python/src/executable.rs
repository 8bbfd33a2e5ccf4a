//! A compiled program, as Python sees it.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use pyo3::{
    exceptions::{PyAttributeError, PyTypeError},
    prelude::*,
    sync::PyOnceLock,
    types::{PyBytes, PyDict, PyTuple},
};
use serde_json::Value;
use strata::{Artifact, Prepared, Signature, Stage, Target, TensorSpec, target};
use strata_diag::{Diagnostic, Diagnostics, codes, did_you_mean};
use strata_profile::Settings;
use strata_run::{Entry, Image, Linked, Loaded, LoadedDynamic};

use crate::{
    call::{Callable, Code},
    compilation, failure, library,
    settings::Source,
    threads,
};

/// A compiled program.
#[pyclass(frozen, module = "strata._native")]
pub struct Executable {
    origin: Origin,
    signature: Signature,
    threads: AtomicUsize,
    pool: threads::Kept,
    /// The file of weights of a library.
    weights: Option<PathBuf>,
    /// What calls need, from the first one on.
    callable: PyOnceLock<Callable>,
}

/// Where the code is from.
pub enum Origin {
    /// Compiled in this process.
    Compiled(Arc<Compiled>),
    /// A shared library.
    Library(Box<Entry>, Value),
}

/// An object that was compiled in this process, which may have several entries.
pub struct Compiled {
    source: Source,
    artifact: Artifact,
    /// The code in memory, and what it calls, from the first call on.
    image: PyOnceLock<(Image, Linked)>,
}

impl Executable {
    /// Compiles a program to an object; an executable for each of its entries.
    ///
    /// # Errors
    /// The compiler's diagnostics; `S0003` where the file of weights cannot be written.
    pub fn compile(py: Python<'_>, source: Source) -> PyResult<Vec<Self>> {
        // A mistake in it would else be told at the first call only.
        let fail = |error: Diagnostic| failure::raise(py, &error.into());
        threads::check(source.threads).map_err(fail)?;
        let artifact = compilation::to(py, source.clone(), Stage::Obj)?;
        if let Some((path, weights)) = source.weights.as_ref().zip(artifact.weights()) {
            let written = py.detach(|| library::write_weights(path, weights));
            written.map_err(fail)?;
        }
        let mut signatures: Vec<Signature> =
            artifact.signatures().iter().map(|(signature, _)| signature.clone()).collect();
        if signatures.len() < 2 {
            signatures = artifact.signature().cloned().into_iter().collect();
        }
        if signatures.is_empty() {
            let reason = "the compiled program has no signature";
            return Err(fail(Diagnostic::new(codes::S9002).reason(reason)));
        }
        let count = source.threads;
        let compiled = Arc::new(Compiled { source, artifact, image: PyOnceLock::new() });
        let of = |signature| Self::new(Origin::Compiled(Arc::clone(&compiled)), signature, count);
        Ok(signatures.into_iter().map(of).collect())
    }

    /// An entry of a shared library, with what was saved beside it.
    pub fn of_library(
        entry: Entry,
        signature: Signature,
        saved: Value,
        weights: Option<PathBuf>,
    ) -> Self {
        let origin = Origin::Library(Box::new(entry), saved);
        Self { weights, ..Self::new(origin, signature, 0) }
    }

    fn new(origin: Origin, signature: Signature, threads: usize) -> Self {
        let threads = AtomicUsize::new(threads);
        let pool = threads::Kept::default();
        Self { origin, signature, threads, pool, weights: None, callable: PyOnceLock::new() }
    }

    fn compiled(&self, what: &str) -> PyResult<(&Source, &Artifact)> {
        match &self.origin {
            Origin::Compiled(compiled) => Ok((&compiled.source, &compiled.artifact)),
            Origin::Library(..) => Err(PyAttributeError::new_err(format!(
                "a program that was loaded from a shared library has no {what}: compile it"
            ))),
        }
    }

    fn callable(&self, py: Python<'_>) -> PyResult<&Callable> {
        self.callable.get_or_try_init(py, || {
            let code = self.code(py).map_err(|errors| failure::raise(py, &errors))?;
            let kept = match &self.origin {
                Origin::Compiled(compiled) => Some(Arc::clone(compiled)),
                Origin::Library(..) => None,
            };
            Callable::new(py, (code, kept), &self.signature)
        })
    }

    /// The code in this process, which must not outlive what [`Compiled`] has linked.
    ///
    /// # Errors
    /// `S0007` for code that this machine cannot run, `S1703` for functions that are not there, `S1806` for a file of weights that is
    /// not the one that was written.
    fn code(&self, py: Python<'_>) -> Result<Code, Diagnostics> {
        let signature = &self.signature;
        match &self.origin {
            Origin::Compiled(compiled) => {
                let (image, _) = compiled.image(py)?;
                let is_dynamic = signature.inputs.iter().any(TensorSpec::is_open);
                let code: Code = match is_dynamic {
                    true => image.dynamic_entry(signature)?.into(),
                    false => image.entry(signature)?.into(),
                };
                let Compiled { source, artifact, .. } = &**compiled;
                let weights = source.weights.as_ref().zip(artifact.weights());
                Ok(match weights.filter(|_| signature.weights.is_some()) {
                    Some((path, weights)) => {
                        code.with_weights(library::map_weights(path, weights)?)
                    }
                    None => code,
                })
            }
            Origin::Library(entry, _) => {
                let code: Code = match entry.is_dynamic() {
                    true => LoadedDynamic::of_library(entry)?.into(),
                    false => Loaded::of_library(entry)?.into(),
                };
                Ok(match self.weights.as_ref().zip(signature.weights) {
                    Some((path, weights)) => {
                        code.with_weights(library::open_weights(path, weights)?)
                    }
                    None => code,
                })
            }
        }
    }
}

impl Compiled {
    /// The code in memory.
    fn image(&self, py: Python<'_>) -> Result<&(Image, Linked), Diagnostics> {
        self.image.get_or_try_init(py, || {
            let Self { source, artifact, .. } = self;
            if source.options.versions.is_empty() {
                runs_here(&source.options.target)?;
            }
            let linked = source.linked()?;
            Ok((Image::new(artifact.bytes(), &source.options, &linked)?, linked))
        })
    }
}

/// # Errors
/// `S0007` for a target that this machine is not.
pub fn runs_here(target: &Target) -> Result<(), Diagnostic> {
    let machine = target.triple.split('-').next().unwrap_or_default();
    let here = std::env::consts::ARCH;
    let lacking = match machine == here {
        true => target::lacking_here(target),
        false => Vec::new(),
    };
    let reason = match (machine == here, lacking.is_empty()) {
        (true, true) => return Ok(()),
        (false, _) => format!("the code is for {machine}, this machine is {here}"),
        (true, false) => format!(
            "the code is for `{}`, but this processor lacks {}",
            target.cpu,
            lacking.join(", ")
        ),
    };
    let hint = "compile with `target_cpu=\"native\"` for this machine, or for several: `target_cpu=\"x86-64,x86-64-v3\"`";
    Err(Diagnostic::new(codes::S0007).reason(reason).hint(hint))
}

#[pymethods]
impl Executable {
    /// Calls the program; a list of arrays, which are those of `out` where it is given.
    #[pyo3(signature = (*arguments, out=None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let count = self.threads.load(Ordering::Relaxed);
        let pool = self.pool.pool(py, count);
        let pool = pool.map_err(|error| failure::raise(py, &error.into()))?;
        let results = self.callable(py)?.call(py, arguments, out, pool.as_deref())?;
        PyTuple::new(py, results)
    }

    /// Threads that calls run on, the calling one included; 0 is one for each processor.
    #[getter]
    fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    #[setter]
    fn set_threads(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        threads::check(count).map_err(|error| failure::raise(py, &error.into()))?;
        self.threads.store(count, Ordering::Relaxed);
        Ok(())
    }

    /// The inputs: name, type of the elements, sizes (`None` where calls give them).
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let Signature { inputs, input_names, .. } = &self.signature;
        ports(py, inputs, input_names)
    }

    /// The outputs, as the inputs.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let Signature { outputs, output_names, shapes, .. } = &self.signature;
        let own = outputs.len().saturating_sub(shapes.len());
        ports(py, &outputs[..own], output_names)
    }

    /// Of a function that lays inputs of another entry out: their numbers, in ascending order.
    #[getter]
    fn prepares(&self) -> Option<Vec<usize>> {
        match &self.signature.prepared {
            Some(Prepared::Outputs(inputs)) => Some(inputs.clone()),
            _ => None,
        }
    }

    /// The bytes of the object file.
    #[getter]
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.compiled("object")?.1.bytes()))
    }

    /// The header: of `c`, `c++` or `rust`.
    fn header(&self, language: &str) -> PyResult<Option<&str>> {
        let artifact = self.compiled("header")?.1;
        match language {
            "c" => Ok(artifact.header()),
            "c++" => Ok(artifact.cxx()),
            "rust" => Ok(artifact.rust()),
            _ => Err(PyTypeError::new_err(format!("there is no header for `{language}`"))),
        }
    }

    /// Warnings of the compilation, as a list of diagnostics in JSON.
    fn warnings(&self) -> PyResult<String> {
        Ok(self.compiled("warnings")?.1.warnings().to_json().to_string())
    }

    /// The program in the form of a stage.
    fn stage(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        let (source, _) = self.compiled("stages")?;
        let names = Self::stages();
        let known = strata::STAGES.iter().find(|info| info.name == name && info.name != "obj");
        let Some(info) = known else {
            let hint = did_you_mean(name, names.iter().copied())
                .unwrap_or_else(|| format!("the stages are {}", names.join(", ")));
            let error = Diagnostic::new(codes::S0004)
                .reason(format!("there is no text of a stage `{name}`"))
                .hint(hint);
            return Err(failure::raise(py, &error.into()));
        };
        let artifact = compilation::to(py, source.clone(), info.stage)?;
        Ok(String::from_utf8_lossy(artifact.bytes()).into_owned())
    }

    /// The names of the stages that have a text, in order.
    #[staticmethod]
    fn stages() -> Vec<&'static str> {
        strata::STAGES.iter().map(|info| info.name).filter(|name| *name != "obj").collect()
    }

    /// What became of each operation.
    fn remarks(&self, py: Python<'_>) -> PyResult<String> {
        compilation::remarks(py, self.compiled("remarks")?.0.clone())
    }

    /// The page of `strata explore`.
    fn explore(&self, py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<String> {
        compilation::page(py, self.compiled("page")?.0.clone(), folders)
    }

    /// Where the time of calls with these arguments goes: JSON, the report, folded stacks, the flame graph.
    #[pyo3(signature = (arguments, seconds, frequency, method, has_limits))]
    fn profile(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        seconds: f64,
        frequency: u32,
        method: Option<&str>,
        has_limits: bool,
    ) -> PyResult<(String, String, String, String)> {
        let source = self.compiled("profile")?.0.clone();
        let inputs = self.callable(py)?.bytes(py, arguments)?;
        let threads = self.threads.load(Ordering::Relaxed);
        let known = compilation::method(method);
        let method = known.map_err(|error| failure::raise(py, &error.into()))?;
        let settings = Settings { seconds, frequency, method, threads, has_limits };
        compilation::profile(py, source, inputs, settings)
    }

    /// What the program costs.
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (source, artifact) = self.compiled("cost")?;
        let costs = compilation::costs(py, source.clone())?;
        let total = costs.total();
        let cost = PyDict::new(py);
        cost.set_item("flops", total.flops)?;
        cost.set_item("transcendentals", total.transcendentals)?;
        cost.set_item("bytes", total.bytes)?;
        cost.set_item("weight_bytes", costs.weights.1)?;
        cost.set_item("workspace_bytes", artifact.workspace_size())?;
        cost.set_item("open_loops", costs.open_loops)?;
        let operations = PyDict::new(py);
        for (name, count, one) in costs.by_cost() {
            operations.set_item(name, (count, one.flops, one.transcendentals, one.bytes))?;
        }
        cost.set_item("operations", operations)?;
        Ok(cost)
    }

    /// Writes a shared library with the program and `text`, which [`Self::saved`] returns once it is loaded.
    fn save(&self, py: Python<'_>, path: PathBuf, text: &str) -> PyResult<()> {
        let (source, artifact) = self.compiled("object that could be linked")?;
        let several: Vec<_> =
            artifact.signatures().iter().map(|(signature, _)| signature).collect();
        let entries = if several.len() < 2 { vec![&self.signature] } else { several };
        let saved = py.detach(|| library::save(&path, source, artifact, &entries, text));
        saved.map_err(|error| failure::raise(py, &error.into()))
    }

    /// The text that was saved with the program.
    fn saved(&self) -> Option<&str> {
        match &self.origin {
            Origin::Library(_, saved) => saved["text"].as_str(),
            Origin::Compiled(_) => None,
        }
    }

    /// The entry's name in the program; for a library that does not say it that of its symbols.
    #[getter]
    fn entry(&self) -> &str {
        match &self.origin {
            Origin::Library(entry, saved) => saved["entry"].as_str().unwrap_or(entry.name()),
            Origin::Compiled(_) => &self.signature.entry,
        }
    }

    /// What the symbols of the entry start with.
    #[getter]
    fn symbol(&self) -> String {
        match &self.origin {
            Origin::Library(entry, _) => entry.name().to_owned(),
            Origin::Compiled(compiled) => {
                format!("{}_{}", compiled.source.options.name, self.signature.entry)
            }
        }
    }
}

fn ports<'py>(
    py: Python<'py>,
    specs: &[TensorSpec],
    names: &[String],
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let of = |(at, spec): (usize, &TensorSpec)| {
        let sizes = spec.shape.iter().map(|&size| (size != TensorSpec::UNKNOWN).then_some(size));
        let sizes = PyTuple::new(py, sizes)?;
        let name = names.get(at).map_or("", String::as_str);
        (name, spec.element.to_string(), sizes).into_pyobject(py)
    };
    specs.iter().enumerate().map(of).collect()
}
