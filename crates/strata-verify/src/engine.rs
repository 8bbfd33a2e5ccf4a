//! The engines of `strata test`: the evaluator, compiled code, or both.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    str::FromStr,
    sync::{Arc, PoisonError},
};

use crate::suite::{self, Case, Outcome, Report, Source};
use strata::{Compiler, Options};
use strata_diag::{Diagnostic, codes};
use strata_eval::{Evaluator, Session, Tensor};
use strata_ir::{self as ir, Context, Module, Op, interpreter, module_op};
use strata_run::{Linked, Loaded};

use crate::{
    devices,
    object::{offered, tensors},
    split::{Split, Uncut},
};

/// The engine that runs the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The reference evaluator.
    Eval,
    /// Compiled code; the evaluator only decides on the expectations.
    Compiled,
    /// The evaluator, then compiled code: a case passes when both do.
    Both,
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "eval" => Ok(Self::Eval),
            "compiled" => Ok(Self::Compiled),
            "both" => Ok(Self::Both),
            _ => Err("expected `eval`, `compiled` or `both`".to_owned()),
        }
    }
}

/// Runs all cases of all files with an engine; `options` are those of the compiled code, whose
/// target must be this machine, `linked` the external functions that programs may call.
pub fn run(
    sources: &[Source],
    threads: usize,
    engine: Engine,
    options: &Options,
    linked: &Linked,
    done: &(dyn Fn(&[Report]) + Sync),
) -> Vec<Report> {
    suite::run_with(sources, threads, done, &|context, case| {
        if engine != Engine::Compiled {
            match suite::evaluate_case(context, case)? {
                Outcome::Passed if engine == Engine::Both => {}
                other => return Ok(other),
            }
        }
        compile_case(context, case, options, linked)
    })
}

/// Codes for features that are not supported yet: such cases are only evaluated, not compiled.
const LATER: &[strata_diag::Code] = &[codes::S1101, codes::S1102, codes::S1103];

fn compile_case(
    context: &Context,
    case: &Case<'_>,
    options: &Options,
    linked: &Linked,
) -> Result<Outcome, Diagnostic> {
    let Some(parsed) = suite::parse_case(context, case)? else {
        return suite::evaluate_case(context, case);
    };
    if Evaluator::new(&parsed.module)?.is_empty() {
        return Ok(Outcome::Passed);
    }
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let options = Options { name: "case".to_owned(), entry: None, ..options.clone() };
        if has_processes(&parsed.module) {
            return compile_processes(&parsed, &options);
        }
        let split = match Split::new(context, parsed.module, &parsed.arguments) {
            Ok(split) => split,
            Err(Uncut::Reason(reason)) => return Ok(Outcome::Skipped(reason.to_owned())),
            Err(Uncut::Error(error)) => return Err(error),
        };
        let results = call(case.name, &split, &options, linked)?;
        expect(context, &split, &results)?;
        Ok(Outcome::Passed)
    }));
    match attempt {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(error)) if LATER.contains(&error.code()) => {
            let reason = error.reason_text().unwrap_or_default();
            Ok(Outcome::Skipped(format!("{} {}: {reason}", error.code(), error.code().title())))
        }
        Ok(Err(error)) => Err(error.source_file(case.name, case.text)),
        Err(_) => Err(Diagnostic::new(codes::S9001).reason("the compiler panicked")),
    }
}

fn has_processes(module: &Module<'_>) -> bool {
    !module_op(module).collect(|op| op.is(interpreter::RUN_PARALLEL)).is_empty()
}

/// The evaluator runs the program, and compiled code its processes.
fn compile_processes(parsed: &suite::Parsed<'_>, options: &Options) -> Result<Outcome, Diagnostic> {
    let feeds = |op: Op<'_>| op.is(interpreter::RUN_PARALLEL) && op.has_attr("infeed");
    if !module_op(&parsed.module).collect(feeds).is_empty() {
        return Ok(Outcome::Skipped("the case feeds its processes".to_owned()));
    }
    let why = devices::Reason::default();
    let mut session = Session::new(0);
    let program = ir::print(&parsed.module, true);
    session.set_processes(devices::processes(program, options.clone(), Arc::clone(&why)));
    let outcome = Evaluator::new(&parsed.module)?.run(None, &parsed.arguments, &session);
    let why = why.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (outcome, why) {
        (_, Some(error)) | (Err(error), None) => Err(error),
        (Ok(_), None) => Ok(Outcome::Passed),
    }
}

/// What a computation returned.
enum Results {
    /// Of the types that the program says.
    Bytes(Vec<Vec<u8>>),
    /// Of shapes that are known only now.
    Tensors(Vec<Tensor>),
}

/// Compiles the computation, loads and calls it.
fn call(
    name: &str,
    split: &Split,
    options: &Options,
    linked: &Linked,
) -> Result<Results, Diagnostic> {
    let artifact = offered(Compiler::new(options.clone()), linked)
        .compile(name, split.computation.as_bytes())
        .map_err(|errors| first(errors, "the computation cannot be compiled"))?;
    let signature = artifact
        .signature()
        .ok_or_else(|| Diagnostic::new(codes::S9002).reason("the object has no signature"))?;
    let loaded = Loaded::linked(artifact.bytes(), options, signature, linked)?;
    let (status, outputs) = loaded.call_twice(&split.inputs)?;
    if status != 0 {
        return Err(Diagnostic::new(codes::S1805).reason(format!("the entry returned {status}")));
    }
    match signature.shapes.is_empty() {
        true => Ok(Results::Bytes(outputs)),
        false => Ok(Results::Tensors(tensors(signature, outputs)?)),
    }
}

/// Has the evaluator check the results of the compiled code.
fn expect(context: &Context, split: &Split, results: &Results) -> Result<(), Diagnostic> {
    let module = ir::parse(context, "expectations", split.expectations.as_bytes())
        .map_err(|errors| first(errors, "the expectations cannot be read"))?;
    let evaluator = Evaluator::new(&module)?;
    let tensors = match results {
        Results::Bytes(bytes) => evaluator.tensors_of_bytes(None, bytes)?,
        Results::Tensors(tensors) => tensors.clone(),
    };
    evaluator.run(None, &tensors, &Session::new(0)).map(|_| ())
}

fn first(errors: strata_diag::Diagnostics, fallback: &'static str) -> Diagnostic {
    errors.into_iter().next().unwrap_or_else(|| Diagnostic::new(codes::S9001).reason(fallback))
}
