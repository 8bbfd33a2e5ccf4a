//! Links the LLVM IR of several programs, or of one program for several processors, into one module.
//!
//! Each program was compiled separately for each processor. Here these modules are linked; with several processors,
//! the exported function detects the processor and calls its code:
//!
//! ```llvm
//! define i32 @mlp_main(ptr %inputs, …) {
//!   %known = load atomic i32, ptr @strata.choice monotonic, align 4
//!   …                                       ; asked at the first call, see `detection`
//!   %r = musttail call i32 @mlp_main.x86-64-v4(ptr %inputs, …)
//! ```
//!
//! Concurrent detections write the same answer.

use std::{fmt::Write as _, sync::Arc};

use inkwell::{
    GlobalVisibility, memory_buffer::MemoryBuffer, module::Linkage, module::Module as LlvmModule,
    passes::PassBuilderOptions, targets::TargetMachine, values::FunctionValue,
};
use strata_diag::Diagnostic;
use strata_ir::timed;
use strata_options::Options;
use strata_target::Target;

use crate::{
    abi::UNSUPPORTED_CPU,
    detection,
    llvmir::{LlvmIr, defined, prepare_function, set_visibility},
    machine::{Session, bug, machine},
    symbols::Symbols,
    weights::{Union, Weights},
};

/// The code of a program for one processor.
pub struct Version<'p> {
    /// The processor.
    pub target: &'p Target,
    /// Optimised code with the exports of an object for this processor alone.
    pub ir: LlvmIr,
    /// Bytes of workspace that it needs.
    pub workspace_size: u64,
}

/// A program and its code for each processor.
pub struct Program<'p> {
    /// Its symbols.
    pub symbols: Symbols,
    /// Whether sizes are given at each call.
    pub is_dynamic: bool,
    /// At least one.
    pub versions: Vec<Version<'p>>,
}

impl Program<'_> {
    /// The processors.
    fn targets(&self) -> Vec<Target> {
        self.versions.iter().map(|version| version.target.clone()).collect()
    }

    /// The parameters of the exported function.
    fn parameters(&self) -> &'static str {
        if self.is_dynamic { DYNAMIC_PARAMETERS } else { PARAMETERS }
    }
}

/// The number of the version in use, one for the whole object.
const CHOICE: &str = "strata.choice";

/// The parameters of the exported function, where all sizes are known.
const PARAMETERS: &str = "ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor";

/// The same where symbols have values.
const DYNAMIC_PARAMETERS: &str =
    "ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor, ptr %symbols";

/// Links the programs; equal constants are stored once. `weights` are those in an external file. `options.target` is
/// the baseline of the architecture.
///
/// # Errors
/// `S1605` for a processor that cannot be detected, `S9003` if LLVM cannot link the modules.
pub fn join(
    programs: Vec<Program<'_>>,
    weights: Option<Arc<Weights>>,
    options: &Options,
) -> Result<LlvmIr, Diagnostic> {
    let machine = machine(&options.target, options.opt_level)?;
    let session = Session::new();
    let joint = session.context().create_module(&options.name);
    joint.set_source_file_name(&options.name);
    joint.set_triple(&machine.get_triple());
    joint.set_data_layout(&machine.get_target_data().get_data_layout());
    let mut embedded = Union::default();
    let mut hidden = Vec::new();
    let mut entries = String::new();
    for program in &programs {
        let several = program.versions.len() > 1;
        let largest = largest(&program.versions);
        for (position, version) in program.versions.iter().enumerate() {
            let module = version.ir.load(session.context())?;
            if let Some(own) = version.ir.embedded() {
                let label = format!("{}.{}", program.symbols.entry, version.target.cpu);
                rename(&module, embedded.absorb(own, &label));
            }
            if several {
                let label = &version.target.cpu;
                let name = version_name(&program.symbols.entry, label);
                hide(&module, &program.symbols, &name)?;
                hidden.push(name);
                for function in defined(&module) {
                    // Distinguishes the versions in profiles.
                    if function.get_linkage() == Linkage::Internal {
                        let name = function.get_name().to_string_lossy().into_owned();
                        let name = format!("{name}.{label}");
                        function.as_global_value().set_name(&name);
                    }
                }
                if program.is_dynamic {
                    keep_size(&module, &program.symbols, label, &mut hidden);
                }
                if position != largest {
                    remove_tables(&module, &program.symbols);
                }
                let done = module.run_passes("globaldce", &machine, PassBuilderOptions::create());
                done.map_err(|error| bug("LLVM cannot remove unused code", &error.to_string()))?;
            }
            link(&session, &joint, module)?;
        }
        if several {
            let targets = program.targets();
            // Writing to a string does not fail.
            let _ =
                dispatcher(&mut entries, &program.symbols.entry, &targets, program.parameters())?;
            if program.is_dynamic {
                let _ = largest_size(&mut entries, &program.symbols, &targets);
            }
        }
    }
    if !entries.is_empty() {
        let text = choice(&programs[0].targets())? + &entries;
        link_text(&session, &joint, &text, (&machine, options))?;
    }
    for name in &hidden {
        if let Some(function) = joint.get_function(name) {
            function.set_linkage(Linkage::Internal);
            function.as_global_value().set_visibility(GlobalVisibility::Default);
        }
    }
    for function in defined(&joint) {
        own_section(function);
    }
    set_visibility(&joint, options);
    timed("verification", || joint.verify())
        .map_err(|error| bug("the joint module is invalid", error.to_string().trim()))?;
    Ok(LlvmIr::of(&joint, weights.or_else(|| embedded.finish().map(Arc::new))))
}

/// Links functions written as text.
fn link_text<'l>(
    session: &'l Session,
    joint: &LlvmModule<'l>,
    text: &str,
    (machine, options): (&TargetMachine, &Options),
) -> Result<(), Diagnostic> {
    let module = parse(session, text, machine)?;
    for function in defined(&module) {
        prepare_function(session.context(), function, options);
    }
    link(session, joint, module)
}

/// The version with the largest workspace: its metadata holds for all.
fn largest(versions: &[Version<'_>]) -> usize {
    let size = |position: &usize| versions[*position].workspace_size;
    // Of several the first.
    (0..versions.len()).rev().max_by_key(size).unwrap_or(0)
}

/// `mlp_main.x86-64-v3`, which is not a C identifier.
fn version_name(entry: &str, label: &str) -> String {
    format!("{entry}.{label}")
}

/// Renames the constants to their names in the object, in two steps, since new and old names may collide.
fn rename(module: &LlvmModule<'_>, names: Vec<(String, String)>) {
    let found: Vec<_> = names
        .iter()
        .filter_map(|(old, new)| Some((module.get_global(old)?, new)))
        .filter(|(global, new)| global.get_name().to_bytes() != new.as_bytes())
        .collect();
    for (position, (global, _)) in found.iter().enumerate() {
        global.set_name(&format!("strata.constant.{position}"));
    }
    for (global, new) in found {
        match module.get_global(new) {
            // Two constants of a program have the same bytes, and one name.
            Some(known) => {
                global.as_pointer_value().replace_all_uses_with(known.as_pointer_value());
                // SAFETY: nothing uses it any more.
                unsafe { global.delete() };
            }
            None => global.set_name(new),
        }
    }
}

/// Makes the exported function local to the object.
fn hide(module: &LlvmModule<'_>, symbols: &Symbols, name: &str) -> Result<(), Diagnostic> {
    let function = module
        .get_function(&symbols.entry)
        .ok_or_else(|| bug("there is nothing to link", &format!("no `{}`", symbols.entry)))?;
    let value = function.as_global_value();
    value.set_name(name);
    // It is called from another module, until they are linked.
    value.set_visibility(GlobalVisibility::Hidden);
    Ok(())
}

/// Makes the function that says how large the workspace of a call is local to the object: that for another processor may need more.
fn keep_size(module: &LlvmModule<'_>, symbols: &Symbols, label: &str, hidden: &mut Vec<String>) {
    if let Some(function) = module.get_function(&symbols.workspace_size()) {
        let name = version_name(&symbols.workspace_size(), label);
        let value = function.as_global_value();
        value.set_name(&name);
        value.set_visibility(GlobalVisibility::Hidden);
        hidden.push(name);
    }
}

/// The exported function that says how large the workspace of a call is: as large as for any of the processors.
fn largest_size(text: &mut String, symbols: &Symbols, targets: &[Target]) -> std::fmt::Result {
    let name = symbols.workspace_size();
    let all = targets.iter().map(|target| version_name(&name, &target.cpu));
    let all: Vec<_> = all.collect();
    for one in &all {
        writeln!(text, "\ndeclare hidden i64 @\"{one}\"(ptr)")?;
    }
    writeln!(text, "\ndefine i64 @{name}(ptr %symbols) {{")?;
    let mut largest = "0".to_owned();
    for (at, one) in all.iter().enumerate() {
        writeln!(
            text,
            "  %size{at} = call i64 @\"{one}\"(ptr %symbols)\n  \
             %is_more{at} = icmp ugt i64 %size{at}, {largest}\n  \
             %most{at} = select i1 %is_more{at}, i64 %size{at}, i64 {largest}"
        )?;
        largest = format!("%most{at}");
    }
    writeln!(text, "  ret i64 {largest}\n}}")
}

/// Another version's metadata is kept.
fn remove_tables(module: &LlvmModule<'_>, symbols: &Symbols) {
    for name in symbols.all().into_iter().filter(|name| *name != symbols.entry) {
        if let Some(function) = module.get_function(&name) {
            // SAFETY: it is exported for callers of the object and has no uses inside.
            unsafe { function.delete() };
        }
        if let Some(table) = module.get_global(&name) {
            // SAFETY: as above.
            unsafe { table.delete() };
        }
    }
}

fn link<'l>(
    session: &Session,
    joint: &LlvmModule<'l>,
    module: LlvmModule<'l>,
) -> Result<(), Diagnostic> {
    let linked = joint.link_in_module(module);
    // Linking replaced the session's diagnostic handler.
    session.listen();
    linked.map_err(|error| bug("the programs do not link", &error.to_string()))
}

fn parse<'l>(
    session: &'l Session,
    text: &str,
    machine: &TargetMachine,
) -> Result<LlvmModule<'l>, Diagnostic> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "versions");
    let module = session
        .context()
        .create_module_from_ir(buffer)
        .map_err(|error| bug("the choice of a version does not parse", &error.to_string()))?;
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    Ok(module)
}

/// A section for each function by its name in the whole object, so that the linker can drop what nothing uses.
fn own_section(function: FunctionValue<'_>) {
    let name = function.get_name().to_string_lossy().into_owned();
    function.as_global_value().set_section(Some(&format!(".text.{name}")));
}

/// The variable with the chosen version, and the function that chooses it.
fn choice(targets: &[Target]) -> Result<String, Diagnostic> {
    let order = detection::best_first(targets)?;
    let sorted: Vec<_> = order.iter().map(|position| &targets[*position]).collect();
    let detection = detection::function(&sorted)?;
    let ask = detection::FUNCTION;
    Ok(format!(
        "@{CHOICE} = internal global i32 0, align 4\n\n{detection}\n\
         define internal i32 @strata.choose() noinline cold {{\n  \
         %found = call i32 @{ask}()\n  \
         store atomic i32 %found, ptr @{CHOICE} monotonic, align 4\n  ret i32 %found\n}}\n"
    ))
}

/// The exported function: it calls the version for the processor.
fn dispatcher(
    text: &mut String,
    entry: &str,
    targets: &[Target],
    parameters: &str,
) -> Result<std::fmt::Result, Diagnostic> {
    let order = detection::best_first(targets)?;
    let names: Vec<_> =
        order.iter().map(|position| version_name(entry, &targets[*position].cpu)).collect();
    Ok(write_dispatcher(text, entry, &names, parameters))
}

fn write_dispatcher(
    text: &mut String,
    entry: &str,
    names: &[String],
    parameters: &str,
) -> std::fmt::Result {
    for name in names {
        let types = parameters.split(", ").map(|_| "ptr").collect::<Vec<_>>().join(", ");
        writeln!(text, "\ndeclare hidden i32 @\"{name}\"({types})")?;
    }
    writeln!(
        text,
        "\ndefine i32 @{entry}({parameters}) {{\nentry:\n  \
         %known = load atomic i32, ptr @{CHOICE} monotonic, align 4\n  \
         %is_known = icmp ne i32 %known, 0\n  \
         br i1 %is_known, label %go, label %ask, !prof !0\nask:\n  \
         %found = call i32 @strata.choose()\n  br label %go\ngo:\n  \
         %choice = phi i32 [ %known, %entry ], [ %found, %ask ]\n  br label %try1"
    )?;
    for (position, name) in names.iter().enumerate() {
        let number = position + 1;
        writeln!(
            text,
            "try{number}:\n  %is{number} = icmp eq i32 %choice, {number}\n  \
             br i1 %is{number}, label %run{number}, label %try{}\nrun{number}:\n  \
             %status{number} = musttail call i32 @\"{name}\"({parameters})\n  ret i32 %status{number}",
            number + 1
        )?;
    }
    writeln!(text, "try{}:\n  ret i32 {UNSUPPORTED_CPU}\n}}", names.len() + 1)?;
    if !text.contains("\n!0 = ") {
        writeln!(text, "\n!0 = !{{!\"branch_weights\", i32 2000, i32 1}}")?;
    }
    Ok(())
}
