//! Stage 70: from the LLVM dialect to LLVM IR, optimised by LLVM's own pipeline.

use std::{collections::BTreeSet, sync::Arc};

use inkwell::{
    GlobalVisibility,
    attributes::AttributeLoc,
    context::Context as LlvmContext,
    memory_buffer::MemoryBuffer,
    module::{Linkage, Module as LlvmModule},
    passes::PassBuilderOptions,
    targets::{TargetMachine, TargetTriple},
    values::FunctionValue,
};
use melior::{Context, ir::Module};
use mlir_sys as sys;
use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{capture, forget_unread_output, func, llvm, module_op, timed};
use strata_options::{OptLevel, Options, Visibility};

use crate::{
    abi::FOREIGN,
    emit, llvm_passes,
    machine::{Session, bug, machine},
    parts::Parts,
    quick,
    weights::{self, Weights},
};

/// A module of LLVM IR as bitcode: plain data that any thread and any LLVM context can read.
#[derive(Clone, PartialEq, Eq)]
pub struct LlvmIr {
    bitcode: Vec<u8>,
    /// The functions that are compiled apart.
    parts: Parts,
    weights: Option<Arc<Weights>>,
    /// The code, if it was generated from the module before that was let go.
    code: Option<Vec<u8>>,
}

impl std::fmt::Debug for LlvmIr {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "LlvmIr({} bytes)", self.bitcode.len())
    }
}

impl LlvmIr {
    pub(crate) fn of(module: &LlvmModule<'_>, weights: Option<Arc<Weights>>) -> Self {
        let bitcode = module.write_bitcode_to_memory().as_slice().to_vec();
        Self { bitcode, parts: Parts::of(module), weights, code: None }
    }

    /// The bitcode. Large constants are not in it: see [`Self::weights`].
    pub fn bitcode(&self) -> &[u8] {
        &self.bitcode
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The object's code, if it is there already.
    pub(crate) fn code(&self) -> Option<&[u8]> {
        self.code.as_deref()
    }

    /// The large constants, if there are any.
    pub fn weights(&self) -> Option<&Arc<Weights>> {
        self.weights.as_ref()
    }

    /// Those that go into the object.
    pub(crate) fn embedded(&self) -> Option<&Weights> {
        self.weights.as_deref().filter(|weights| weights.file().is_none())
    }

    /// The text, as [`parse`] reads it back; large constants that go into the object included.
    pub fn text(&self) -> String {
        let session = Session::new();
        match self.load_complete(session.context()) {
            Ok(module) => module.print_to_string().to_string(),
            // Reads bitcode that was just written, so this does not fail.
            Err(error) => format!("; {error}\n"),
        }
    }

    /// The functions outside of the object that the program itself calls, sorted.
    ///
    /// # Errors
    /// `S9003` when the bitcode cannot be read.
    pub fn foreign(&self) -> Result<Vec<String>, Diagnostic> {
        let session = Session::new();
        let module = self.load(session.context())?;
        let marked = |function: &FunctionValue<'_>| {
            let mark = function.get_string_attribute(AttributeLoc::Function, FOREIGN);
            mark.is_some() && function.count_basic_blocks() == 0
        };
        let mut names: Vec<_> = module
            .get_functions()
            .filter(marked)
            .map(|function| function.get_name().to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The number of instructions in all functions.
    ///
    /// # Errors
    /// `S9003` when the bitcode cannot be read.
    pub fn instruction_count(&self) -> Result<usize, Diagnostic> {
        let session = Session::new();
        let module = self.load(session.context())?;
        let blocks = module.get_functions().flat_map(|function| function.get_basic_block_iter());
        Ok(blocks.map(|block| block.get_instructions().count()).sum())
    }

    pub(crate) fn load<'l>(&self, context: &'l LlvmContext) -> Result<LlvmModule<'l>, Diagnostic> {
        let buffer = MemoryBuffer::create_from_memory_range_copy(&self.bitcode, "module");
        let module = LlvmModule::parse_bitcode_from_buffer(&buffer, context)
            .map_err(|error| bug("LLVM does not read its own bitcode", &error.to_string()))?;
        // The module's own name, not that of the buffer.
        module.set_name(&module.get_source_file_name().to_string_lossy());
        Ok(module)
    }
}

impl LlvmIr {
    /// The module with the large constants that go into the object.
    pub(crate) fn load_complete<'l>(
        &self,
        context: &'l LlvmContext,
    ) -> Result<LlvmModule<'l>, Diagnostic> {
        let module = self.load(context)?;
        let Some(weights) = self.embedded() else { return Ok(module) };
        for (tensor, bytes) in weights.tensors().iter().zip(weights.data()) {
            let Some(declared) = module.get_global(&tensor.symbol) else { continue };
            let value = context.const_string(bytes, false);
            let defined = module.add_global(value.get_type(), None, "");
            defined.set_initializer(&value);
            defined.set_constant(true);
            defined.set_linkage(Linkage::Private);
            defined.set_alignment(declared.get_alignment());
            declared.as_pointer_value().replace_all_uses_with(defined.as_pointer_value());
            // SAFETY: nothing uses it any more.
            unsafe { declared.delete() };
            defined.set_name(&tensor.symbol);
        }
        Ok(module)
    }
}

/// Translates the module of stage 60 and optimises it; moves its large constants to the result.
///
/// # Errors
/// `S9003` if the module is invalid LLVM IR.
pub fn translate(
    context: &Context,
    module: &Module<'_>,
    options: &Options,
) -> Result<LlvmIr, Diagnostic> {
    let machine = machine(&options.target, options.opt_level)?;
    let quick = quick::plan(context, module, options);
    let weights = timed("weights", || weights::take(context, module))?;
    let session = Session::new();
    let (raw, reports) = timed("translation", || {
        // SAFETY: module and LLVM context are alive; the dialects that the module has were registered with their translation.
        capture(context, || unsafe {
            sys::mlirTranslateModuleToLLVMIR(
                module_op(module).to_raw(),
                session.context().raw().cast(),
            )
        })
    });
    if raw.is_null() {
        let report = reports.iter().find(|report| report.is_error);
        let detail = report.map_or("MLIR gave no reason", |report| report.message.as_str());
        let diagnostic = bug("the module does not translate to LLVM IR", detail);
        return Err(match report.and_then(|report| report.location.clone()) {
            Some(location) => diagnostic.at(location),
            None => diagnostic,
        });
    }
    // SAFETY: the module is not null and has no other owner.
    let module = unsafe { LlvmModule::new(raw.cast()) };
    module.set_name(&options.name);
    module.set_source_file_name(&options.name);
    prepare(session.context(), &module, &machine, options);
    timed("verification", || verify(&module, "translation"))?;
    let parts = Parts::of(&module);
    let module = match (parts.is_whole(), &quick) {
        (true, Some(quick)) => {
            timed("few passes", || run(&module, &machine, &quick.passes))?;
            module
        }
        (true, None) => {
            timed("optimisation", || optimise(&module, &machine, options))?;
            module
        }
        (false, Some(quick)) if options.opt_level == OptLevel::Less => {
            optimise_apart(&session, &parts, module, &quick.passes, options)?
        }
        // What is small as a whole is not where it has parts.
        (false, _) => optimise_apart(&session, &parts, module, &pipeline(options), options)?,
    };
    timed("verification", || verify(&module, "optimisation"))?;
    if let Some(error) = session.error() {
        return Err(bug("LLVM's optimisation failed", &error));
    }
    set_visibility(&module, options);
    let mut ir = timed("bitcode", || LlvmIr::of(&module, weights.map(Arc::new)));
    if let Some(quick) = quick.filter(|quick| quick.at_once && ir.parts.is_whole()) {
        let code =
            timed("code generation", || emit::at_once(&session, &module, quick.level, options))?;
        ir.code = Some(code);
    }
    Ok(ir)
}

/// Hides what the module exports, if the options say so.
pub(crate) fn set_visibility(module: &LlvmModule<'_>, options: &Options) {
    if options.visibility == Visibility::Default {
        return;
    }
    let functions = defined(module).into_iter().map(|function| function.as_global_value());
    let globals = module.get_globals().filter(|global| global.get_initializer().is_some());
    for global in functions.chain(globals) {
        // Weak is what all objects of a program have in common.
        if matches!(global.get_linkage(), Linkage::External | Linkage::WeakAny) {
            global.set_visibility(GlobalVisibility::Hidden);
        }
    }
}

/// Runs LLVM passes over the module, in the syntax of LLVM's `opt -passes`.
///
/// # Errors
/// `S0008` for unknown passes, and for a module that is invalid after them.
pub fn run_passes(ir: &LlvmIr, passes: &str, options: &Options) -> Result<LlvmIr, Diagnostic> {
    let failed = |reason: String| Diagnostic::new(codes::S0008).reason(reason);
    if passes.contains('\0') {
        return Err(failed("the passes' names contain a byte 0".to_owned()));
    }
    let machine = machine(&options.target, options.opt_level)?;
    let session = Session::new();
    let module = ir.load(session.context())?;
    let lenient = llvm_passes::lenient(passes);
    let ran = module.run_passes(&lenient, &machine, PassBuilderOptions::create());
    forget_unread_output();
    ran.map_err(|error| llvm_passes::refused(passes, &error.to_string_lossy()))?;
    module.verify().map_err(|error| {
        let error = error.to_string_lossy();
        failed(format!("the LLVM IR is invalid after `{passes}`: {}", error.trim()))
    })?;
    // The exports must not change.
    let before = ir.load(session.context())?;
    let left = exported(&module);
    if let Some(lost) = exported(&before).into_iter().find(|name| !left.contains(name)) {
        return Err(Diagnostic::new(codes::S0010)
            .reason(format!("`{lost}` is no longer exported after `{passes}`")));
    }
    match session.error() {
        Some(error) => Err(failed(format!("the passes `{passes}` failed: {error}"))),
        None => Ok(LlvmIr::of(&module, ir.weights.clone())),
    }
}

/// The exported names of the module.
fn exported(module: &LlvmModule<'_>) -> BTreeSet<String> {
    let functions = defined(module).into_iter().map(|function| function.as_global_value());
    let globals = module.get_globals().filter(|global| global.get_initializer().is_some());
    let globals = globals.filter(|global| global.get_linkage() == Linkage::External);
    functions
        .filter(|function| function.get_linkage() == Linkage::External)
        .chain(globals)
        .map(|global| global.get_name().to_string_lossy().into_owned())
        .collect()
}

/// Reads LLVM IR text or bitcode as stage 70 leaves it; it is not optimised again.
///
/// # Errors
/// `S1001` for a syntax error, `S1005` for IR that violates LLVM's rules, `S1601` for IR for another
/// target than the options'.
pub fn parse(name: &str, bytes: &[u8], options: &Options) -> Result<LlvmIr, Diagnostic> {
    let machine = machine(&options.target, options.opt_level)?;
    let session = Session::new();
    let label = name.replace('\0', "?");
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, &label);
    let module = session.context().create_module_from_ir(buffer).map_err(|error| {
        let found = syntax_error(name, &error.to_string());
        let is_mlir =
            [llvm::FUNC.as_str(), func::FUNC.as_str(), "module {", "module @", "module attributes"]
                .iter()
                .any(|word| bytes.windows(word.len()).any(|part| part == word.as_bytes()));
        match is_mlir {
            true => found.hint(
                "the content looks like MLIR text: name its stage with --from, such as `llvm`",
            ),
            false => found,
        }
    })?;
    let made_for = module.get_triple().as_str().to_string_lossy().into_owned();
    let normal = TargetMachine::normalize_triple(&TargetTriple::create(&made_for));
    if !made_for.is_empty() && normal.as_str().to_string_lossy() != options.target.triple {
        return Err(Diagnostic::new(codes::S1601)
            .at(Location::file(name))
            .reason(format!("the module is for `{made_for}`, not `{}`", options.target.triple))
            .hint(format!("compile it with `--target {made_for}`")));
    }
    prepare(session.context(), &module, &machine, options);
    if let Err(error) = module.verify() {
        return Err(Diagnostic::new(codes::S1005)
            .at(Location::file(name))
            .reason(error.to_string().trim().to_owned()));
    }
    set_visibility(&module, options);
    Ok(LlvmIr::of(&module, None))
}

/// `name:2:7: error: expected type` and the lines after it.
fn syntax_error(name: &str, message: &str) -> Diagnostic {
    let first = message.lines().next().unwrap_or_default();
    let place = first.strip_prefix(name).and_then(|rest| rest.strip_prefix(':'));
    let parts: Vec<_> = place.map(|rest| rest.splitn(3, ':').collect()).unwrap_or_default();
    let (location, text) = match parts.as_slice() {
        [line, column, text] => (
            Location::new(name, line.parse().unwrap_or(0), column.parse().unwrap_or(0)),
            text.trim(),
        ),
        _ => (Location::file(name), first),
    };
    let reason = text.strip_prefix("error:").unwrap_or(text).trim();
    Diagnostic::new(codes::S1001).at(location).reason(reason)
}

/// Sets the target, and function attributes that MLIR does not set.
fn prepare(
    context: &LlvmContext,
    module: &LlvmModule<'_>,
    machine: &TargetMachine,
    options: &Options,
) {
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    for function in defined(module) {
        prepare_function(context, function, options);
    }
}

/// The functions with a body.
pub(crate) fn defined<'l>(module: &LlvmModule<'l>) -> Vec<FunctionValue<'l>> {
    module.get_functions().filter(|function| function.count_basic_blocks() > 0).collect()
}

/// Sets a function's section and, if it has none, the target's attributes.
pub(crate) fn prepare_function(
    context: &LlvmContext,
    function: FunctionValue<'_>,
    options: &Options,
) {
    use inkwell::attributes::{Attribute, AttributeLoc::Function};
    let width = options.target.vector_bits().to_string();
    for (key, value) in [
        ("target-cpu", options.target.cpu.as_str()),
        ("target-features", options.target.features.as_str()),
        // LLVM prefers narrower vectors on some CPUs than the schedules use.
        ("prefer-vector-width", width.as_str()),
    ] {
        if !value.is_empty() && function.get_string_attribute(Function, key).is_none() {
            function.add_attribute(Function, context.create_string_attribute(key, value));
        }
    }
    let nounwind = Attribute::get_named_enum_kind_id("nounwind");
    function.add_attribute(Function, context.create_enum_attribute(nounwind, 0));
    // A separate section, so that the linker can drop unused functions.
    let name = function.get_name().to_string_lossy().into_owned();
    function.as_global_value().set_section(Some(&format!(".text.{name}")));
}

pub(crate) fn optimise(
    module: &LlvmModule<'_>,
    machine: &TargetMachine,
    options: &Options,
) -> Result<(), Diagnostic> {
    run(module, machine, &pipeline(options))
}

/// LLVM's pipeline of the level.
fn pipeline(options: &Options) -> String {
    format!("default<O{}>", options.opt_level.digit())
}

fn run(module: &LlvmModule<'_>, machine: &TargetMachine, passes: &str) -> Result<(), Diagnostic> {
    let builder = PassBuilderOptions::create();
    builder.set_verify_each(false);
    module
        .run_passes(&llvm_passes::lenient(passes), machine, builder)
        .map_err(|error| bug("LLVM's optimisation failed", &error.to_string()))
}

/// Optimises each part, and links them again.
fn optimise_apart<'l>(
    session: &'l Session,
    parts: &Parts,
    module: LlvmModule<'l>,
    passes: &str,
    options: &Options,
) -> Result<LlvmModule<'l>, Diagnostic> {
    let bitcode = timed("bitcode", || module.write_bitcode_to_memory().as_slice().to_vec());
    drop(module);
    let optimised = timed("optimisation", || {
        parts.each(options, |part| {
            let machine = machine(&options.target, options.opt_level)?;
            let session = Session::new();
            let module = parts.take(&session, &bitcode, part, &machine)?;
            run(&module, &machine, passes)?;
            match session.error() {
                Some(error) => Err(bug("LLVM's optimisation failed", &error)),
                None => Ok(module.write_bitcode_to_memory().as_slice().to_vec()),
            }
        })
    })?;
    drop(bitcode);
    timed("linking", || parts.link(session, &optimised))
}

fn verify(module: &LlvmModule<'_>, after: &str) -> Result<(), Diagnostic> {
    module.verify().map_err(|error| {
        Diagnostic::new(codes::S9002)
            .reason(format!("the LLVM IR is invalid after {after}: {}", error.to_string().trim()))
    })
}
