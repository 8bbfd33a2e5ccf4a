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
use strata_ir::{Options, Signature, Target, timed};

use crate::{
    abi::UNSUPPORTED_CPU,
    detection,
    llvmir::{LlvmIr, defined, prepare_function, set_visibility},
    machine::{Session, bug, machine},
    open::{self, Compiled, Object, OpenEntry, OpenVersion},
    symbols::Symbols,
    weights::{Union, Weights},
};

/// The code of a program for one processor.
pub struct Version<'p> {
    /// The processor.
    pub target: &'p Target,
    /// The sizes that it is for, of an entry with open sizes, and its types.
    pub open: Option<(OpenVersion, Signature)>,
    /// Optimised code with the exports of an object for this processor alone.
    pub ir: LlvmIr,
    /// Bytes of workspace that it needs.
    pub workspace_size: u64,
}

/// A program and its code for each processor.
pub struct Program<'p> {
    /// Its symbols.
    pub symbols: Symbols,
    /// What versions for several sizes have in common, with the signature of one of them.
    pub open: Option<(OpenEntry, Signature)>,
    /// At least one; of a program with open sizes those for one processor after those for another.
    pub versions: Vec<Version<'p>>,
}

impl Program<'_> {
    /// The processors, each once.
    fn targets(&self) -> Vec<Target> {
        let mut found: Vec<Target> = Vec::new();
        for version in &self.versions {
            if found.iter().all(|one| one.cpu != version.target.cpu) {
                found.push(version.target.clone());
            }
        }
        found
    }

    /// What distinguishes a version from the others.
    fn label(&self, version: &Version<'_>) -> String {
        self.compiled(version).map_or_else(|| version.target.cpu.clone(), |one| one.label())
    }

    /// What is known of a version of an entry with open sizes.
    fn compiled(&self, version: &Version<'_>) -> Option<Compiled> {
        let (open, signature) = version.open.as_ref()?;
        // The actual sizes are its last inputs.
        let own = signature.inputs.len().saturating_sub(open.bounds.len());
        Some(Compiled {
            version: open.clone(),
            cpu: (self.targets().len() > 1).then(|| version.target.cpu.clone()),
            inputs: signature.inputs[..own].to_vec(),
            outputs: signature.outputs.clone(),
            workspace_size: version.workspace_size,
        })
    }
}

/// The number of the version in use, one for the whole object.
const CHOICE: &str = "strata.choice";

/// The parameters of the exported function, where all sizes are known.
const PARAMETERS: &str = "ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor";

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
        let several = program.versions.len() > 1 || program.open.is_some();
        let largest = largest(&program.versions);
        for (position, version) in program.versions.iter().enumerate() {
            let module = version.ir.load(session.context())?;
            if let Some(own) = version.ir.embedded() {
                let label = format!("{}.{}", program.symbols.entry, program.label(version));
                rename(&module, embedded.absorb(own, &label));
            }
            if several {
                let label = program.label(version);
                let name = version_name(&program.symbols.entry, &label);
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
                if position != largest || program.open.is_some() {
                    remove_tables(&module, &program.symbols);
                }
                let done = module.run_passes("globaldce", &machine, PassBuilderOptions::create());
                done.map_err(|error| bug("LLVM cannot remove unused code", &error.to_string()))?;
            }
            link(&session, &joint, module)?;
        }
        let (targets, symbols) = (program.targets(), &program.symbols);
        let is_choice = targets.len() > 1;
        if let Some((entry, signature)) = &program.open {
            let versions = program.versions.iter().filter_map(|one| program.compiled(one));
            let versions: Vec<_> = versions.collect();
            let object = Object { symbols, entry, signature, versions: &versions };
            object.check()?;
            let text = open::functions(&object);
            link_text(&session, &joint, &text, (&machine, options))?;
            if is_choice {
                hidden.extend(targets.iter().map(|one| version_name(&symbols.entry, &one.cpu)));
            }
        }
        if is_choice {
            let parameters = if program.open.is_some() { open::PARAMETERS } else { PARAMETERS };
            // Writing to a string does not fail.
            let _ = dispatcher(&mut entries, &symbols.entry, &targets, parameters)?;
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
        global.set_name(new);
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

/// Another version's metadata is kept.
fn remove_tables(module: &LlvmModule<'_>, symbols: &Symbols) {
    if let Some(function) = module.get_function(&symbols.workspace_size()) {
        // SAFETY: it is exported for callers of the object and has no uses inside.
        unsafe { function.delete() };
    }
    for table in [symbols.signature(), symbols.names_table()] {
        if let Some(table) = module.get_global(&table) {
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
