//! Several programs in one object, or one for several processors or sizes: each is compiled separately to LLVM IR for
//! each, as for an object of its own, and the results are linked.

use std::sync::Arc;

use strata_codegen::{
    Symbols, constants_of, cxx, header, in_order,
    joint::{Program, Version, join},
    open::{OpenVersion, wrappers},
    rust, shared_weights, target, threads,
};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_ir::{Convention, Options, Signature, Target, TensorSpec, Weights, new_context};

use crate::{
    artifact::Artifact,
    compiler::{Compiler, End, Facts, State},
    observer::PartCount,
    open::Plan,
    stage::Stage,
    survey::of_entries,
};

/// One program for one processor, and for given values of its open symbols.
struct Part {
    entry: Option<String>,
    target: Target,
    /// The values of the symbols of its entry.
    bind: Vec<(String, i64)>,
    sizes: Option<OpenVersion>,
    /// Its distinguishing name: `decode`, `x86-64-v3`, `decode.x86-64-v3`, `b=4,s=64`, `x86-64-v3.b=4`.
    label: String,
}

/// Metadata of a program, the same for all processors.
struct Said {
    facts: Facts,
    workspace_size: u64,
    symbols: Symbols,
}

/// Compiles `bytes` to one object; `open` plans one with open sizes.
///
/// # Errors
/// As [`Compiler::compile`]; `S0001` for outputs that exist only for one program and one processor.
pub(crate) fn compile(
    mut compiler: Compiler<'_>,
    name: &str,
    bytes: &[u8],
    open: Option<Plan>,
) -> Result<Artifact, Diagnostics> {
    let mut options = compiler.options.clone();
    check(&compiler)?;
    if let Some(first) = options.versions.first() {
        options.target = target::baseline(first)?;
    }
    let parts = match &open {
        Some(plan) => open_parts(&options, plan),
        None => parts(&options, name, bytes)?,
    };
    let weights = match options.weights {
        Weights::External => {
            one_file(&mut options, (&parts, open.as_ref()), &mut compiler, name, bytes)?
        }
        Weights::Embedded => None,
    };
    let count = parts.len() / options.entries.len().max(1);
    let mut programs: Vec<(Said, Vec<Version<'_>>)> = Vec::new();
    let compiled = compile_parts(&mut compiler, &options, (&parts, open.as_ref()), name, bytes)?;
    for (position, (part, (ir, mut facts))) in parts.iter().zip(compiled).enumerate() {
        let signature = facts.signature.as_ref().ok_or_else(|| lost(part))?;
        let symbols = Symbols::new(&options.name, &signature.entry)?;
        let own = facts.workspace_size.ok_or_else(|| lost(part))?;
        let sizes = part.sizes.clone().map(|sizes| (sizes, signature.clone()));
        let version = Version { target: &part.target, open: sizes, ir, workspace_size: own };
        let workspace_size = settle(open.as_ref(), part, &mut facts, own);
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
            let signature = said.facts.signature.clone().unwrap_or_default();
            let open = open.as_ref().map(|plan| (plan.entry.clone(), signature));
            (said, Program { symbols, open, versions })
        })
        .unzip();
    check_calls(&all)?;
    let weights = weights.map(Arc::new);
    let joint = join(programs, weights.clone(), &options)?;
    compiler.options = options.clone();
    compiler.hooks.clear();
    compiler.from = Stage::LlvmIr;
    let to = compiler.to;
    let context = new_context();
    let (end, _) = compiler.advance(&context, State::Llvm(joint), None)?;
    let bytes = match end {
        End::Emitted(bytes) => bytes,
        End::State(state) => state.text(&options).into_bytes(),
    };
    Ok(artifact(to, bytes, all, (&options, open.as_ref()), weights)?)
}

/// Brings a version's signature to that of callers, and returns the bytes of workspace that its calls need.
fn settle(open: Option<&Plan>, part: &Part, facts: &mut Facts, own: u64) -> u64 {
    let Some((Plan { entry }, signature)) =
        open.filter(|_| part.sizes.is_some()).zip(facts.signature.as_mut())
    else {
        return own;
    };
    // A donated input that is the same for all rows would be overwritten before its last use.
    signature.donations.clear();
    // Callers do not pass the actual sizes as inputs.
    signature.inputs.truncate(entry.shapes.inputs.len());
    signature.input_names.truncate(entry.shapes.inputs.len());
    if signature.input_names.iter().all(String::is_empty) {
        signature.input_names.clear();
    }
    entry.workspace_size(signature, own)
}

/// Rejects options for one program and one processor.
fn check(compiler: &Compiler<'_>) -> Result<(), Diagnostic> {
    let Options { entries, versions, schedule, .. } = &compiler.options;
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
        false => (Stage::Spmd, "for several processors"),
    };
    if compiler.from > latest {
        let reason =
            format!("a dump of stage `{}` cannot be compiled as an object {what}", compiler.from);
        return wrong(reason, "start from the original program");
    }
    if versions.len() > 1 && schedule.is_some() {
        let reason = "a schedule is for one processor".to_owned();
        return wrong(reason, "name one processor, or omit the schedule");
    }
    let twice = (1..entries.len()).find(|at| entries[..*at].contains(&entries[*at]));
    if let Some(at) = twice {
        return wrong(format!("the entry `{}` is named twice", entries[at]), "name it once");
    }
    let name = &compiler.options.name;
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
        if convention.is_of_executor() {
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
fn parts(options: &Options, name: &str, bytes: &[u8]) -> Result<Vec<Part>, Diagnostics> {
    let entries = match options.entries.is_empty() {
        true => vec![options.clone()],
        false => of_entries(options, name, bytes)?,
    };
    let targets = targets(options);
    let part = |own: &Options, target: &Target| {
        let cpu = (targets.len() > 1).then(|| target.cpu.clone());
        let entry = own.entry.clone().filter(|_| options.entries.len() > 1);
        let label: Vec<_> = entry.into_iter().chain(cpu).collect();
        Part {
            entry: own.entry.clone(),
            target: target.clone(),
            bind: own.bind.clone(),
            sizes: None,
            label: label.join("."),
        }
    };
    let of = |own| targets.iter().map(move |target| part(own, target));
    Ok(entries.iter().flat_map(of).collect())
}

/// The processors.
fn targets(options: &Options) -> &[Target] {
    match options.versions.is_empty() {
        true => std::slice::from_ref(&options.target),
        false => &options.versions,
    }
}

/// The program for each version, processor by processor.
fn open_parts(options: &Options, plan: &Plan) -> Vec<Part> {
    let targets = targets(options);
    let part = |target: &Target, version: &OpenVersion| {
        let (bind, _) = plan.sizes(version);
        let sizes = bind.iter().map(|(name, size)| format!("{name}={size}"));
        let bounds = plan.entry.bounds.iter().zip(&version.bounds);
        let bounds = bounds.map(|(bound, size)| {
            let name = &plan.entry.shapes.symbols[bound.symbol];
            format!("{name}={size}")
        });
        let sizes = sizes.chain(bounds).collect::<Vec<_>>().join(",");
        let cpu = (targets.len() > 1).then(|| target.cpu.clone());
        Part {
            entry: options.entry.clone(),
            target: target.clone(),
            bind: options.bind.clone(),
            label: cpu.into_iter().chain([sizes]).collect::<Vec<_>>().join("."),
            sizes: Some(version.clone()),
        }
    };
    let of = |target| plan.entry.versions.iter().map(move |version| part(target, version));
    targets.iter().flat_map(of).collect()
}

/// The options for a single part.
fn of_part(options: &Options, part: &Part, open: Option<&Plan>) -> Options {
    let (mut bind, mut bounds, mut least) = (part.bind.clone(), Vec::new(), Vec::new());
    if let (Some(sizes), Some(plan)) = (&part.sizes, open) {
        let (rows, own) = plan.sizes(sizes);
        bind.extend(rows);
        bounds = own;
        least = plan.least(sizes);
    }
    Options {
        bind,
        bounds,
        least,
        entry: part.entry.clone(),
        entries: Vec::new(),
        target: part.target.clone(),
        versions: Vec::new(),
        lays_out_constants: options.lays_out_constants
            && open.is_none()
            && options.entries.len() < 2,
        ..options.clone()
    }
}

/// Compiles all parts to LLVM IR: at the same time, if neither an observer nor a hook is to see their stages.
fn compile_parts(
    compiler: &mut Compiler<'_>,
    options: &Options,
    (parts, open): (&[Part], Option<&Plan>),
    name: &str,
    bytes: &[u8],
) -> Result<Vec<(strata_codegen::LlvmIr, Facts)>, Diagnostics> {
    let is_one_of_programs = options.versions.len() < 2 && open.is_none();
    let noun = if is_one_of_programs { "program" } else { "version" };
    let counted = PartCount::new(parts.len(), noun);
    compiler.observers.iter_mut().for_each(|observer| observer.parts_planned(&counted));
    let is_seen = compiler.observers.iter().any(|observer| observer.wants_stages());
    // One after the other, stages can be told as well.
    if is_seen || !compiler.hooks.is_empty() || threads(options.compile_threads) == 1 {
        let one = |part: &Part| {
            compiler.tell_part(&part.label);
            let compiled = llvm_ir(compiler, of_part(options, part, open), name, bytes);
            counted.finish_one();
            compiled
        };
        return parts.iter().map(one).collect();
    }
    let (from, offered) = (compiler.from, compiler.offered.as_ref());
    let one = |at: usize| {
        let part: &Part = &parts[at];
        let own = Options { compile_threads: 1, ..of_part(options, part, open) };
        let mut apart = Compiler::new(own).from(from).to(Stage::LlvmIr);
        apart.part.clone_from(&part.label);
        if let Some(offered) = offered {
            apart = apart.offered(|name| (offered.has)(name), offered.hint);
        }
        let compiled = to_llvm_ir(apart, name, bytes);
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

/// Compiles a part to LLVM IR.
fn llvm_ir(
    compiler: &mut Compiler<'_>,
    options: Options,
    name: &str,
    bytes: &[u8],
) -> Result<(strata_codegen::LlvmIr, Facts), Diagnostics> {
    let mut part = Compiler::new(options).from(compiler.from).to(Stage::LlvmIr);
    part.part.clone_from(&compiler.part);
    for observer in &mut compiler.observers {
        part = part.observe(&mut **observer);
    }
    for (stage, hook) in &mut compiler.hooks {
        part = part.after(*stage, |context, module| hook(context, module));
    }
    if let Some(offered) = &compiler.offered {
        part = part.offered(|name| (offered.has)(name), offered.hint);
    }
    to_llvm_ir(part, name, bytes)
}

fn to_llvm_ir(
    part: Compiler<'_>,
    name: &str,
    bytes: &[u8],
) -> Result<(strata_codegen::LlvmIr, Facts), Diagnostics> {
    let context = new_context();
    match part.read_and_advance(&context, name, bytes)? {
        (End::State(State::Llvm(ir)), facts) => Ok((ir, facts)),
        _ => Err(Diagnostic::new(codes::S9001).reason("there is no LLVM IR of a part").into()),
    }
}

/// Plans one weights file for all parts. The constants are known after stage `llvm`, whose code has their offsets.
fn one_file(
    options: &mut Options,
    (parts, open): (&[Part], Option<&Plan>),
    compiler: &mut Compiler<'_>,
    name: &str,
    bytes: &[u8],
) -> Result<Option<strata_codegen::Weights>, Diagnostics> {
    let mut found = Vec::new();
    for part in parts {
        let context = new_context();
        let mut own = of_part(options, part, open);
        own.added.retain(|added| added.stage != Stage::LlvmIr.info().name);
        let mut unobserved = Compiler::new(own).from(compiler.from).to(Stage::Llvm);
        for (stage, hook) in &mut compiler.hooks {
            unobserved = unobserved.after(*stage, |context, module| hook(context, module));
        }
        let (end, _) = unobserved.read_and_advance(&context, name, bytes)?;
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
    bytes: Vec<u8>,
    all: Vec<Said>,
    (options, open): (&Options, Option<&Plan>),
    weights: Option<Arc<strata_codegen::Weights>>,
) -> Result<Artifact, Diagnostic> {
    let (mut c, mut cpp, mut modules) = (String::new(), String::new(), String::new());
    let mut foreign = std::collections::BTreeSet::new();
    let mut signatures = Vec::new();
    let mut warnings = Diagnostics::default();
    let several = all.len() > 1;
    for Said { facts, workspace_size, symbols } in all {
        let Some(mut signature) = facts.signature else { continue };
        let calls: Vec<_> = facts.foreign.into_iter().collect();
        for text in [&mut c, &mut cpp].into_iter().filter(|text| !text.is_empty()) {
            text.push('\n');
        }
        let module = match open.map(|plan| &plan.entry) {
            Some(entry) => {
                c += &wrappers::c_header(entry, &signature, workspace_size, options)?;
                cpp += &wrappers::cxx_header(entry, &signature, workspace_size, options)?;
                wrappers::rust_module(entry, &signature, workspace_size, options)?
            }
            None => {
                c += &header::c_header(&signature, workspace_size, &calls, options)?;
                cpp += &cxx::cxx_header(&signature, workspace_size, &calls, options)?;
                rust::rust_module(&signature, workspace_size, &calls, options)?
            }
        };
        if several {
            let entry = &symbols.entry;
            modules += &format!("/// `{}`\npub mod {entry} {{\n{module}}}\n", signature.entry);
        } else {
            modules = module;
        }
        foreign.extend(calls);
        // Warnings are printed once per file.
        if warnings.iter().next().is_none() {
            warnings = facts.warnings;
        }
        if let Some(plan) = open {
            leave_open(&mut signature, plan);
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

/// Makes the signature of a version that of the object: sizes that calls give are unknown.
fn leave_open(signature: &mut Signature, Plan { entry }: &Plan) {
    let inputs = signature.inputs.iter_mut().zip(&entry.shapes.inputs);
    for (spec, sizes) in inputs.chain(signature.outputs.iter_mut().zip(&entry.shapes.outputs)) {
        for (own, size) in spec.shape.iter_mut().zip(sizes) {
            if size.as_constant().is_none() {
                *own = TensorSpec::UNKNOWN;
            }
        }
    }
}

fn lost(part: &Part) -> Diagnostic {
    Diagnostic::new(codes::S9001).reason(format!("nothing is known of `{}`", part.label))
}
