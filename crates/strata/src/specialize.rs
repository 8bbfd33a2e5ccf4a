//! Programs with dynamic shapes: each specialisation goes through the stages up to `vector` as a program of its own, several at a time;
//! then all are functions of one module, which the later stages see.

use strata_codegen::{in_order, threads};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_ir::{Context, LentContext, Module, ModuleBytes, declare_devices};
use strata_options::{LaidOut, Options};
use strata_shapes::Specialization;

use crate::{
    compiler::{Compiler, End, Facts, State},
    observer::PartCount,
    open::Plan,
    stage::Stage,
};

/// The module of a specialisation at the end of stage `vector`, and what is known of it.
pub(crate) type Version = (ModuleBytes, Facts);

/// Compiles all specialisations.
///
/// # Errors
/// As [`Compiler::compile`].
pub(crate) fn versions(
    compiler: &mut Compiler<'_>,
    (name, bytes): (&str, &[u8]),
    plan: &Plan,
) -> Result<Vec<Version>, Diagnostics> {
    let all = &plan.entry;
    let outer = compiler.part.clone();
    let counted = PartCount::new(all.versions.len(), "version");
    compiler.observers.iter_mut().for_each(|observer| observer.parts_planned(&counted));
    let options = compiler.options.clone();
    let label = |version: &Specialization| {
        let own = all.text(version);
        if outer.is_empty() { own } else { format!("{outer}.{own}") }
    };
    let is_seen = compiler.observers.iter().any(|observer| observer.wants_stages());
    // One after the other, stages can be told as well.
    let compiled = if is_seen || !compiler.hooks.is_empty() || threads(options.compile_threads) == 1
    {
        let mut origins = 0;
        let one = |version: &Specialization| {
            compiler.tell_part(&label(version));
            let mut part = part(&options, plan, version);
            part.part.clone_from(&compiler.part);
            part.origins_before = origins;
            for observer in &mut compiler.observers {
                part = part.observe(&mut **observer);
            }
            for (stage, hook) in compiler.hooks.iter_mut().filter(|one| one.0 < Stage::Vector) {
                part = part.after(*stage, |context, module| hook(context, module));
            }
            if let Some(offered) = &compiler.offered {
                part = part.offered_by(|name| (offered.has)(name), offered.hint);
            }
            let compiled = bytecode(part, name, bytes);
            counted.finish_one();
            origins += compiled.as_ref().map_or(0, |(_, facts)| facts.origins);
            compiled
        };
        all.versions.iter().map(one).collect::<Result<Vec<_>, _>>()?
    } else {
        let offered = compiler.offered.as_ref();
        let one = |at: usize| {
            let mut part = part(&options, plan, &all.versions[at]);
            part.options.compile_threads = 1;
            part.part = label(&all.versions[at]);
            if let Some(offered) = offered {
                part = part.offered_by(|name| (offered.has)(name), offered.hint);
            }
            let compiled = bytecode(part, name, bytes);
            counted.finish_one();
            compiled
        };
        let observers = &mut compiler.observers;
        let tell = |at: usize| {
            for observer in observers.iter_mut() {
                observer.part_started(&label(&all.versions[at]));
            }
        };
        in_order(all.versions.len(), options.compile_threads, one, tell)?
    };
    compiler.tell_part(&outer);
    Ok(compiled)
}

/// The module of all specialisations in the form of stage `vector`, and what is known of one of them.
///
/// # Errors
/// As [`Compiler::compile`].
pub(crate) fn assembled<'c>(
    compiler: &Compiler<'_>,
    (context, name): (&'c Context, &str),
    plan: &Plan,
    versions: Vec<Version>,
) -> Result<(Module<'c>, Facts), Diagnostics> {
    let (mut modules, mut first) = (Vec::new(), None);
    for (bytecode, facts) in versions {
        let module = bytecode.read(context, name)?;
        declare_devices(context, &module);
        modules.push(module);
        first.get_or_insert(facts);
    }
    let with_locations = compiler.options.debug_info;
    let module = strata_loops::dispatch::assemble(context, &plan.entry, modules, with_locations)?;
    Ok((module, first.unwrap_or_default()))
}

/// The compilation of a version.
fn part<'o>(options: &Options, plan: &Plan, version: &Specialization) -> Compiler<'o> {
    let (given, bounds) = plan.sizes(version);
    let before = |stage: &str| Stage::from_name(stage).is_some_and(|stage| stage < Stage::Vector);
    let added = options.added.iter().filter(|added| before(&added.stage)).cloned();
    let own = Options {
        bind: options.bind.iter().cloned().chain(given).collect(),
        bounds,
        least: plan.least(version),
        is_specialization: true,
        output_buffers: plan.output_buffers(version),
        added: added.collect(),
        laid_out: match options.laid_out {
            LaidOut::All => plan.laid_out(version),
            _ => options.laid_out.clone(),
        },
        ..options.clone()
    };
    Compiler::new(own).to(Stage::Vector)
}

/// Compiles a version to a module of stage `vector`, which any context can read.
fn bytecode(part: Compiler<'_>, name: &str, bytes: &[u8]) -> Result<Version, Diagnostics> {
    let context = LentContext::take();
    let is_ours = part.has_no_passes_of_callers();
    let compiled = match part.read_and_advance(&context, name, bytes)? {
        (End::State(State::Mlir(module)), facts) => (ModuleBytes::of(&module), facts),
        _ => {
            let error = Diagnostic::new(codes::S9001).reason("there is no module of a version");
            return Err(error.into());
        }
    };
    if is_ours {
        context.give_back(bytes.len().max(compiled.0.size()));
    }
    Ok(compiled)
}
