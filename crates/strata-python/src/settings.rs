//! The keyword arguments of a compilation.

use std::path::PathBuf;

use pyo3::prelude::*;
use strata::{OptLevel, Options, Prepare, Semantics, WeightsLocation, target};
use strata_diag::{Diagnostic, codes, did_you_mean};
use strata_run::Linked;

/// Keyword arguments, as a dictionary that has all of them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    name: String,
    entry: Option<String>,
    entries: Vec<String>,
    weights: Option<PathBuf>,
    target: Option<String>,
    target_cpu: Option<String>,
    target_features: Option<String>,
    opt_level: u8,
    bind: Vec<(String, i64)>,
    max: Vec<(String, i64)>,
    specialize: Vec<(String, i64)>,
    semantics: Option<String>,
    excess_precision: bool,
    flush_subnormals: bool,
    schedule: Option<PathBuf>,
    debug_info: bool,
    freestanding: bool,
    compile_threads: usize,
    threads: usize,
    link: Vec<PathBuf>,
    prepare: Vec<String>,
}

/// A program, and how it is compiled.
#[derive(Clone)]
pub struct Source {
    /// Text, bytecode or a portable artifact.
    pub bytes: Vec<u8>,
    /// Its name in diagnostics.
    pub file: String,
    /// The compiler's options.
    pub options: Options,
    /// Libraries of the functions that the program calls.
    pub link: Vec<PathBuf>,
    /// The file for large constants, if they are not in the object.
    pub weights: Option<PathBuf>,
    /// Threads that calls run on; 0: one for each processor.
    pub threads: usize,
}

impl Source {
    /// What the program may call when it runs here: the functions of the given libraries, then those of the run-time library.
    ///
    /// # Errors
    /// `S0002` for a library that cannot be loaded.
    pub fn linked(&self) -> Result<Linked, Diagnostic> {
        let mut linked = Linked::default();
        self.link.iter().try_for_each(|path| linked.open(path))?;
        linked.offer(strata_runtime::TARGETS);
        Ok(linked)
    }
}

impl Settings {
    /// The program with these settings.
    ///
    /// # Errors
    /// `S0001`, `S0002` for a schedule that cannot be read, and `S16xx` for the target.
    pub fn source(self, bytes: Vec<u8>, file: String) -> Result<Source, Diagnostic> {
        let cpus: Vec<&str> = self.target_cpu.iter().flat_map(|all| all.split(',')).collect();
        let triple = self.target.unwrap_or_else(target::host_triple);
        let resolve = |cpu| target::resolve(Some(&triple), cpu, self.target_features.as_deref());
        let mut options = Options::new(resolve(cpus.first().copied())?);
        if cpus.len() > 1 {
            let versions = cpus.iter().map(|cpu| resolve(Some(cpu)));
            options.versions = versions.collect::<Result<_, _>>()?;
        }
        options.opt_level = OptLevel::from_digit(self.opt_level).ok_or_else(|| {
            wrong(format!("opt_level is {}, but goes from 0 to 3", self.opt_level))
        })?;
        options.semantics = self.semantics.as_deref().map(semantics).transpose()?;
        options.excess_precision = self.excess_precision;
        options.flush_subnormals = self.flush_subnormals;
        options.open = true;
        (options.name, options.entry) = (self.name, self.entry);
        (options.bind, options.max, options.specialize) = (self.bind, self.max, self.specialize);
        let prepare = Prepare { patterns: self.prepare, marked: true, ..Prepare::default() };
        options.prepare = prepare.of_program(&bytes);
        (options.debug_info, options.freestanding) = (self.debug_info, self.freestanding);
        options.compile_threads = self.compile_threads;
        if let Some(path) = &self.schedule {
            strata_cli::schedules::give(&mut options, path)?;
        }
        match self.entries.len() {
            0 => {}
            1 => options.entry = self.entries.into_iter().next(),
            _ => options.entries = self.entries,
        }
        let (link, weights, threads) = (self.link, self.weights, self.threads);
        if weights.is_some() {
            options.weights = WeightsLocation::External;
        }
        Ok(Source { bytes, file, options, link, weights, threads })
    }
}

fn semantics(name: &str) -> Result<Semantics, Diagnostic> {
    match name {
        "xla" => Ok(Semantics::Xla),
        "spec" => Ok(Semantics::Spec),
        _ => {
            let hint = did_you_mean(name, ["xla", "spec"]);
            let hint = hint.unwrap_or_else(|| "semantics are \"xla\" or \"spec\"".to_owned());
            Err(wrong(format!("there are no semantics `{name}`")).hint(hint))
        }
    }
}

fn wrong(reason: String) -> Diagnostic {
    Diagnostic::new(codes::S0001).reason(reason)
}
