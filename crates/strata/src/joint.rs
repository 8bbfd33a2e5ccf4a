//! Several programs in one object, or one for several processors: each is compiled separately to LLVM IR for each, as for an object of
//! its own, and the results are linked.

use std::sync::Arc;

use strata_codegen::{
    Pieces, Symbols, constants_of, in_order,
    joint::{Program, Version, join},
    shared_weights, target, threads,
};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_ir::{
    Context, Convention, LentContext, PREPARE_SUFFIX, Prepare, PreparePart, Prepared, TensorSpec,
    new_context,
};
use strata_options::{LaidOut, Options, Weights};
use strata_schedule::tuned::is_schedules;
use strata_target::Target;

use crate::{
    artifact::Artifact,
    compiler::{Compiler, End, Facts, State},
    observer::PartCount,
    open::Plan,
    stage::Stage,
    survey::of_entries,
};

/// One program for one processor.
struct Part<'p> {
    /// The options of its entry.
    own: Options,
    target: Target,
    /// The functions that it has, if its shapes are dynamic.
    plan: Option<&'p Plan>,
    /// Which of its functions, if inputs are prepared.
    prepare: Option<PreparePart>,
    /// Its distinguishing name: `decode`, `x86-64-v3`, `decode.prepare.x86-64-v3`.
    label: String,
}

/// Metadata of a program, the same for all processors.
struct Said {
    facts: Facts,
    workspace_size: u64,
    symbols: Symbols,
}

/// Compiles `bytes` to one object; `plans` say for each entry which functions a program with dynamic shapes has.
///
/// # Errors
/// As [`Compiler::compile`]; `S0001` for outputs that exist only for one program and one processor.
pub(crate) fn compile(
    mut compiler: Compiler<'_>,
    name: &str,
    bytes: &[u8],
    plans: &[Option<Plan>],
) -> Result<Artifact, Diagnostics> {
    let mut options = compiler.options.clone();
    check(&compiler)?;
    if let Some(first) = options.versions.first() {
        options.target = target::baseline(first)?;
    }
    let source = Source { name, bytes };
    let parts = parts(&options, source, plans)?;
    let weights = match options.weights {
        Weights::External => one_file(&mut options, &parts, &mut compiler, source)?,
        Weights::Embedded => None,
    };
    let count = targets(&options).len();
    let mut programs: Vec<(Said, Vec<Version<'_>>)> = Vec::new();
    let mut compiled = compile_parts(&mut compiler, &options, &parts, source)?;
    take_one_size(&mut compiler, &options, &parts, source, &mut compiled)?;
    for (position, (part, (ir, facts))) in parts.iter().zip(compiled).enumerate() {
        // A mark of another function asks for nothing here.
        let prepared = facts.signature.as_ref().and_then(|signature| signature.prepared.as_ref());
        let makes_block = matches!(prepared, Some(Prepared::Outputs(_)));
        if part.prepare == Some(PreparePart::Block) && !makes_block {
            continue;
        }
        let signature = facts.signature.as_ref().ok_or_else(|| lost(part))?;
        let symbols = Symbols::new(&options.name, &signature.entry)?;
        let workspace_size = facts.workspace_size.ok_or_else(|| lost(part))?;
        let version = Version { target: &part.target, ir, workspace_size };
        match programs.last_mut().filter(|_| position % count != 0) {
            Some((said, versions)) => {
                said.workspace_size = said.workspace_size.max(workspace_size);
                versions.push(version);
            }
            None => programs.push((Said { facts, workspace_size, symbols }, vec![version])),
        }
    }
    compiler.tell_part("");
    let (all, programs): (Vec<_>, Vec<_>) = programs
        .into_iter()
        .map(|(said, versions)| {
            let symbols = said.symbols.clone();
            let is_dynamic = said.facts.specializations.is_some();
            (said, Program { symbols, is_dynamic, versions })
        })
        .unzip();
    check_calls(&all)?;
    let weights = weights.map(Arc::new);
    let joint = join(programs, weights.clone(), &options)?;
    compiler.options = options.clone();
    compiler.hooks.clear();
    compiler.from = Stage::LlvmIr;
    let to = compiler.to;
    let context = LentContext::take();
    let (end, _) = compiler.advance(&context, State::Llvm(joint), None)?;
    let bytes = match end {
        End::Emitted(bytes) => bytes,
        End::State(state) => state.text(&options).into_bytes().into(),
    };
    Ok(artifact(to, bytes, all, &options, weights)?)
}

/// What is compiled for each part.
#[derive(Clone, Copy)]
struct Source<'s> {
    name: &'s str,
    bytes: &'s [u8],
}

/// Rejects options for one program and one processor.
///
/// # Errors
/// `S0001`.
pub(crate) fn check(compiler: &Compiler<'_>) -> Result<(), Diagnostic> {
    let Options { entries, versions, schedule, prepare, .. } = &compiler.options;
    let wrong =
        |reason: String, hint: &str| Err(Diagnostic::new(codes::S0001).reason(reason).hint(hint));
    if compiler.to < Stage::LlvmIr {
        let reason =
            format!("the output of stage `{}` is for one program and one processor", compiler.to);
        return wrong(
            reason,
            "name one entry and one processor, or compile to `llvmir` or further",
        );
    }
    let (latest, what) = match entries.len() > 1 {
        true => (Stage::Input, "of several entries"),
        false if versions.len() > 1 => (Stage::Spmd, "for several processors"),
        false => (Stage::Spmd, "with prepared inputs"),
    };
    if compiler.from > latest {
        let reason =
            format!("a dump of stage `{}` cannot be compiled as an object {what}", compiler.from);
        return wrong(reason, "start from the original program");
    }
    if versions.len() > 1 && schedule.as_ref().is_some_and(|text| !is_schedules(text)) {
        let reason = "a schedule in the transform dialect is for one processor".to_owned();
        return wrong(
            reason,
            "name one processor, omit the schedule, or give a file of schedules by nest",
        );
    }
    let twice = (1..entries.len()).find(|at| entries[..*at].contains(&entries[*at]));
    if let Some(at) = twice {
        return wrong(format!("the entry `{}` is named twice", entries[at]), "name it once");
    }
    let name = &compiler.options.name;
    let of_preparing = |entry: &String| format!("{entry}{PREPARE_SUFFIX}");
    let preparing = entries.iter().filter(|_| prepare.is_joint()).map(of_preparing);
    let entries: &Vec<_> = &entries.iter().cloned().chain(preparing).collect();
    let symbols = entries.iter().map(|entry| Symbols::new(name, entry));
    let symbols = symbols.collect::<Result<Vec<_>, _>>()?;
    for (at, own) in symbols.iter().enumerate() {
        for (before, other) in symbols[..at].iter().enumerate() {
            let (own_names, other_names) = (own.all(), other.all());
            let both = own_names.iter().find(|name| other_names.contains(name)).cloned();
            // Macros are in upper case.
            let both = both.or_else(|| {
                (own.macro_prefix() == other.macro_prefix()).then(|| own.macro_prefix() + "_H")
            });
            if let Some(both) = both {
                let (first, second) = (&entries[before], &entries[at]);
                let reason =
                    format!("the entries `{first}` and `{second}` would both export `{both}`");
                return wrong(reason, "rename one of them, or put them into two objects");
            }
        }
    }
    let same = |one: &Target, other: &Target| one.cpu == other.cpu;
    let twice =
        (1..versions.len()).find(|at| versions[..*at].iter().any(|one| same(one, &versions[*at])));
    if let Some(at) = twice {
        return wrong(
            format!("the processor `{}` is named twice", versions[at].cpu),
            "name it once",
        );
    }
    Ok(())
}

/// An external function has one prototype for all entries, and is not an entry itself.
fn check_calls(all: &[Said]) -> Result<(), Diagnostic> {
    let refused = |reason: String| Err(Diagnostic::new(codes::S1202).reason(reason));
    let own: Vec<_> = all.iter().flat_map(|said| said.symbols.all()).collect();
    let mut known: Vec<&(String, Convention)> = Vec::new();
    for call in all.iter().flat_map(|said| &said.facts.foreign) {
        let (target, convention) = call;
        if !convention.is_symbol() {
            continue;
        }
        if own.contains(target) {
            return refused(format!("the object itself defines `{target}`"));
        }
        if known.iter().any(|(other, way)| other == target && way != convention) {
            return refused(format!("`{target}` is called with two versions of the interface"));
        }
        known.push(call);
    }
    Ok(())
}

/// Every program for every processor, program by program.
fn parts<'p>(
    options: &Options,
    Source { name, bytes }: Source<'_>,
    plans: &'p [Option<Plan>],
) -> Result<Vec<Part<'p>>, Diagnostics> {
    let entries = match options.entries.is_empty() {
        true => vec![options.clone()],
        false => of_entries(options, name, bytes)?,
    };
    let targets = targets(options);
    let part = |at: usize, target: &Target, prepare: Option<PreparePart>| {
        let own = entries[at].clone();
        let cpu = (targets.len() > 1).then(|| target.cpu.clone());
        let entry = own.entry.clone().filter(|_| options.entries.len() > 1);
        let block = (prepare == Some(PreparePart::Block)).then(|| "prepare".to_owned());
        let label: Vec<_> = entry.into_iter().chain(block).chain(cpu).collect();
        let plan = plans.get(at).and_then(Option::as_ref);
        Part { own, target: target.clone(), plan, prepare, label: label.join(".") }
    };
    let functions: &[_] = match options.prepare.is_joint() {
        true => &[Some(PreparePart::Entry), Some(PreparePart::Block)],
        false => &[None],
    };
    let mut parts = Vec::new();
    for at in 0..entries.len() {
        for prepare in functions {
            parts.extend(targets.iter().map(|target| part(at, target, *prepare)));
        }
    }
    Ok(parts)
}

/// The processors.
fn targets(options: &Options) -> &[Target] {
    match options.versions.is_empty() {
        true => std::slice::from_ref(&options.target),
        false => &options.versions,
    }
}

/// The options for a single part.
fn of_part(options: &Options, part: &Part<'_>) -> Options {
    let Options { bind, max, specialize, entry, .. } = part.own.clone();
    Options {
        bind,
        max,
        specialize,
        entry,
        entries: Vec::new(),
        target: part.target.clone(),
        versions: Vec::new(),
        prepare: Prepare { part: part.prepare, ..options.prepare.clone() },
        laid_out: match options.entries.len() {
            ..2 => options.laid_out.clone(),
            _ => LaidOut::NONE,
        },
        ..options.clone()
    }
}

/// Compiles all parts to LLVM IR: at the same time, if neither an observer nor a hook is to see their stages or what became of their
/// operations, and each is not one of several functions already.
fn compile_parts(
    compiler: &mut Compiler<'_>,
    options: &Options,
    parts: &[Part<'_>],
    source: Source<'_>,
) -> Result<Vec<(strata_codegen::LlvmIr, Facts)>, Diagnostics> {
    if parts.iter().any(|part| part.plan.is_some()) {
        let one = |part: &Part<'_>| llvm_ir(compiler, (of_part(options, part), part), source);
        return parts.iter().map(one).collect();
    }
    let noun = if options.versions.len() < 2 { "program" } else { "version" };
    let counted = PartCount::new(parts.len(), noun);
    compiler.observers.iter_mut().for_each(|observer| observer.parts_planned(&counted));
    let is_seen = compiler
        .observers
        .iter()
        .any(|observer| observer.wants_stages() || observer.wants_remarks());
    // One after the other, stages can be told as well.
    if is_seen || !compiler.hooks.is_empty() || threads(options.compile_threads) == 1 {
        let one = |part: &Part<'_>| {
            let compiled = llvm_ir(compiler, (of_part(options, part), part), source);
            counted.finish_one();
            compiled
        };
        return parts.iter().map(one).collect();
    }
    let (from, offered) = (compiler.from, compiler.offered.as_ref());
    let one = |at: usize| {
        let part: &Part<'_> = &parts[at];
        let own = Options { compile_threads: 1, ..of_part(options, part) };
        let mut apart = Compiler::new(own).from(from).to(Stage::LlvmIr);
        apart.part.clone_from(&part.label);
        if let Some(offered) = offered {
            apart = apart.offered_by(|name| (offered.has)(name), offered.hint);
        }
        let compiled = to_llvm_ir(apart, source, part.plan);
        counted.finish_one();
        compiled
    };
    let observers = &mut compiler.observers;
    let tell = |at: usize| {
        for observer in observers.iter_mut() {
            observer.part_started(&parts[at].label);
        }
    };
    in_order(parts.len(), options.compile_threads, one, tell)
}

/// The bytes of the block that a part takes or makes.
fn block_size(facts: &Facts) -> Option<u64> {
    let signature = facts.signature.as_ref()?;
    let block = match signature.prepared.as_ref()? {
        Prepared::Input(input, _) => signature.inputs.get(*input),
        Prepared::Outputs(_) => signature.outputs.first(),
    };
    block.map(TensorSpec::byte_count)
}

/// Compiles parts again whose block is smaller than that of the same entry for another processor: callers allocate one for all.
fn take_one_size(
    compiler: &mut Compiler<'_>,
    options: &Options,
    parts: &[Part<'_>],
    source: Source<'_>,
    compiled: &mut [(strata_codegen::LlvmIr, Facts)],
) -> Result<(), Diagnostics> {
    let sizes: Vec<_> = compiled.iter().map(|(_, facts)| block_size(facts)).collect();
    for (at, part) in parts.iter().enumerate() {
        let same = parts.iter().zip(&sizes).filter(|(other, _)| other.own.entry == part.own.entry);
        let largest = same.filter_map(|(_, size)| *size).max();
        if let (Some(own), Some(least)) = (sizes[at], largest)
            && own < least
        {
            let mut own = of_part(options, part);
            own.prepare.least = least;
            let mut unobserved = Compiler::new(own).from(compiler.from).to(Stage::LlvmIr);
            for (stage, hook) in &mut compiler.hooks {
                unobserved = unobserved.after(*stage, |context, module| hook(context, module));
            }
            compiled[at] = to_llvm_ir(unobserved, source, part.plan)?;
        }
    }
    Ok(())
}

/// Compiles a part to LLVM IR.
fn llvm_ir(
    compiler: &mut Compiler<'_>,
    (options, of): (Options, &Part<'_>),
    source: Source<'_>,
) -> Result<(strata_codegen::LlvmIr, Facts), Diagnostics> {
    compiler.tell_part(&of.label);
    let mut part = Compiler::new(options).from(compiler.from).to(Stage::LlvmIr);
    part.part.clone_from(&compiler.part);
    for observer in &mut compiler.observers {
        part = part.observe(&mut **observer);
    }
    for (stage, hook) in &mut compiler.hooks {
        part = part.after(*stage, |context, module| hook(context, module));
    }
    if let Some(offered) = &compiler.offered {
        part = part.offered_by(|name| (offered.has)(name), offered.hint);
    }
    to_llvm_ir(part, source, of.plan)
}

fn to_llvm_ir(
    part: Compiler<'_>,
    source: Source<'_>,
    plan: Option<&Plan>,
) -> Result<(strata_codegen::LlvmIr, Facts), Diagnostics> {
    let context = LentContext::take();
    let is_ours = part.has_no_passes_of_callers();
    let (ir, facts) = match end_of(part, &context, source, plan)? {
        (End::State(State::Llvm(ir)), facts) => (ir, facts),
        _ => {
            return Err(Diagnostic::new(codes::S9001)
                .reason("there is no LLVM IR of a part")
                .into());
        }
    };
    if is_ours {
        context.give_back(source.bytes.len().max(ir.bitcode().len()));
    }
    Ok((ir, facts))
}

/// Runs the stages on a part.
fn end_of<'c>(
    part: Compiler<'_>,
    context: &'c Context,
    Source { name, bytes }: Source<'_>,
    plan: Option<&Plan>,
) -> Result<(End<'c>, Facts), Diagnostics> {
    match plan {
        Some(plan) => part.run_specialized(context, (name, bytes), plan),
        None => part.read_and_advance(context, name, bytes),
    }
}

/// Plans one weights file for all parts. The constants are known after stage `llvm`, whose code has their offsets.
fn one_file(
    options: &mut Options,
    parts: &[Part<'_>],
    compiler: &mut Compiler<'_>,
    source: Source<'_>,
) -> Result<Option<strata_codegen::Weights>, Diagnostics> {
    let mut found = Vec::new();
    for part in parts {
        let context = new_context();
        let mut own = of_part(options, part);
        own.added.retain(|added| added.stage != Stage::LlvmIr.info().name);
        let mut unobserved = Compiler::new(own).from(compiler.from).to(Stage::Llvm);
        for (stage, hook) in &mut compiler.hooks {
            unobserved = unobserved.after(*stage, |context, module| hook(context, module));
        }
        let (end, _) = end_of(unobserved, &context, source, part.plan)?;
        if let End::State(State::Mlir(module)) = &end {
            found.push((part.label.clone(), constants_of(module)));
        }
    }
    let Some((shared, weights)) = shared_weights(&found)? else { return Ok(None) };
    options.shared_weights = Some(Arc::new(shared));
    Ok(Some(weights))
}

/// Headers one after the other; a Rust module per program.
fn artifact(
    stage: Stage,
    bytes: Pieces,
    all: Vec<Said>,
    options: &Options,
    weights: Option<Arc<strata_codegen::Weights>>,
) -> Result<Artifact, Diagnostic> {
    let (mut c, mut cpp, mut modules) = (String::new(), String::new(), String::new());
    let mut foreign = std::collections::BTreeSet::new();
    let mut signatures = Vec::new();
    let mut warnings = Diagnostics::default();
    let several = all.len() > 1;
    for Said { facts, workspace_size, symbols } in all {
        let Some([own_c, module, own_cpp]) = facts.headers(workspace_size, options)? else {
            continue;
        };
        for text in [&mut c, &mut cpp].into_iter().filter(|text| !text.is_empty()) {
            text.push('\n');
        }
        c += &own_c;
        cpp += &own_cpp;
        let Some(signature) = facts.signature else { continue };
        if several {
            let entry = &symbols.entry;
            modules += &format!("/// `{}`\npub mod {entry} {{\n{module}}}\n", signature.entry);
        } else {
            modules = module;
        }
        foreign.extend(facts.foreign);
        // Warnings are printed once per file.
        if warnings.iter().next().is_none() {
            warnings = facts.warnings;
        }
        signatures.push((signature, workspace_size));
    }
    let first = signatures.first().cloned();
    Ok(Artifact {
        stage,
        bytes,
        signature: first.as_ref().map(|(signature, _)| signature.clone()),
        workspace_size: first.map(|(_, size)| size),
        foreign: foreign.into_iter().collect(),
        header: Some(c),
        weights,
        rust: Some(modules),
        cxx: Some(cpp),
        warnings,
        signatures,
        program: None,
    })
}

fn lost(part: &Part<'_>) -> Diagnostic {
    Diagnostic::new(codes::S9001).reason(format!("nothing is known of `{}`", part.label))
}
