//! Stage 60: from vectors, memrefs and control flow to the LLVM dialect, and adds the exported functions.
//!
//! ```mlir
//! func.func @main(%x: memref<3xf32>, %out: memref<3xf32>, %workspace: memref<64xi8>)
//!   attributes {strata.entry, …} { … }
//! ```
//! becomes
//! ```mlir
//! llvm.func internal @mlp_main.kernel(%x: !llvm.ptr {llvm.noalias, llvm.readonly, …}, …)
//!   attributes {strata.entry = "main", …} { … }
//! llvm.func @mlp_main(%inputs: !llvm.ptr, …) -> i32 { … llvm.call @mlp_main.kernel(…) … }
//! llvm.func @mlp_main_workspace_size() -> i64 { … }
//! llvm.mlir.global external constant @mlp_main_signature() …
//! ```

mod arrays;
mod bytes;
mod call_text;
mod calls;
mod conversion;
mod copies;
mod dispatch;
mod dots;
mod dynamic;
mod external;
mod extrema;
mod fences;
mod globals;
mod half;
mod locations;
mod masks;
mod partitions;
mod prepared;
mod rolled;
mod subnormals;
mod tables;
mod tasks;
mod tiles;
mod wrapper;
mod zero_sized;

pub(crate) use tasks::ROLLED;
pub use tiles::PERMISSION;

use std::collections::BTreeSet;

use melior::{Context, ir::Module};
use strata_diag::{Diagnostic, codes};
use strata_ir::{Attribute, AttributeExt as _, Type, TypeExt as _, builtin, llvm};
use strata_ir::{
    DISPATCH, Devices, ENTRY, FORMULA, IN_PLACE, KERNEL, MATH, Op, Signature, WORKSPACE_SIZE,
    diagnostic_at, marked_entry, module_op, parse_attr, run_pipeline, string, timed,
};
use strata_options::{OptLevel, Options, Weights};
use strata_shapes::{SPECIALIZATION, Specializations};

use crate::{
    abi::{WORKSPACE_ALIGNMENT, buffer_alignment, is_direct},
    machine::machine,
    quick,
    symbols::Symbols,
};

/// Takes the module from stage 50 to the LLVM dialect.
///
/// # Errors
/// `S0001` for a name that is not a C identifier, `S1202` for a call that C cannot express, `S9002` when the input is not
/// as stage 50 leaves it, `S9003` when a pass fails.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    prepared::join(context, marked_entry(module)?, options.prepare.least)?;
    let mut entry = Entry::find(module, options)?;
    if options.in_process || options.opt_level == OptLevel::Less {
        quick::work::note(context, module);
    }
    if options.opt_level > OptLevel::Less {
        timed("rolled", || rolled::mark(context, module));
    }
    entry.rename(context, module)?;
    dispatch::take_pointers(context, module)?;
    timed("copies", || {
        copies::expand(context, module_op(module));
        zero_sized::reshape(context, module);
    });
    timed("tiles", || tiles::lower(context, module, &options.target))?;
    conversion::to_scalars(context, module, options)?;
    // In between, because emulated types are widened by now.
    let isa = options.target.isa;
    timed("dots", || dots::lower(context, module_op(module), &options.target));
    timed("partitions", || partitions::lower(context, module_op(module), &options.target))?;
    timed("extrema", || extrema::lower(context, module_op(module), isa));
    timed("masks", || masks::lower(context, module_op(module), &options.target));
    conversion::to_llvm(context, module, options)?;
    timed("bytes", || bytes::widen(context, module_op(module)));
    if options.weights == Weights::External {
        entry.signature.weights = {
            let shared = options.shared_weights.as_deref();
            external::take_pointer(context, module, shared)?
        };
    }
    timed("halves", || half::retype(context, module_op(module)));
    set_target(context, module, options)?;
    let leaving = timed("calls", || calls::define(context, module, &entry.symbols, options))?;
    let leaves = leaving.any;
    entry.devices = leaving.devices;
    timed("fences", || fences::add(context, module_op(module)));
    if arrays::are_taken(&entry) {
        timed("arrays", || arrays::take(context, marked_entry(module)?, &entry, leaves))?;
    }
    timed("wrappers", || {
        set_functions(context, module, &entry, leaves, options)?;
        wrapper::add(context, module, &entry, leaves, options)
    })?;
    if options.flush_subnormals {
        let exported = exported(&entry.symbols, &entry.signature, module, options)?;
        subnormals::flush(context, module, &exported, &options.target)?;
    }
    if options.debug_info {
        locations::settle(context, module_op(module))?;
        let pass =
            "builtin.module(ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly})";
        run_pipeline(context, module, pass)?;
    }
    Ok(())
}

/// The function that callers call.
fn exported(
    symbols: &Symbols,
    signature: &Signature,
    module: &Module<'_>,
    options: &Options,
) -> Result<String, Diagnostic> {
    let is_direct = is_direct(signature, options) && Specializations::of(module)?.is_none();
    Ok(if is_direct { symbols.kernel() } else { symbols.entry.clone() })
}

/// The contract at the stage's end: the LLVM dialect only, a marked entry.
///
/// # Errors
/// `S9002` naming the first operation that violates it.
pub fn check(module: &Module<'_>, options: &Options) -> Result<(), Diagnostic> {
    let foreign = module_op(module).collect(|op| op.dialect() != "llvm" && !op.is(builtin::MODULE));
    if let Some(op) = foreign.first() {
        return Err(diagnostic_at(codes::S9002, *op)
            .reason(format!("`{}` is left after stage `llvm`", op.name())));
    }
    let entry = marked_entry(module)?;
    let signature = Signature::of(entry)?;
    let symbols = Symbols::new(&options.name, &signature.entry)?;
    let exported = exported(&symbols, &signature, module, options)?;
    let is_exported = |op: &Op<'_>| strata_ir::function_name(*op) == exported;
    if !module_op(module).body(0).ops().iter().any(is_exported) {
        let error = diagnostic_at(codes::S9002, entry)
            .reason(format!("there is no exported function `@{exported}`"));
        return Err(match other_name(module, &signature.entry) {
            Some(name) => {
                error.hint(format!("the dump was made with `--name {name}`: give it again"))
            }
            None => error,
        });
    }
    Ok(())
}

/// The prefix of the symbols in a module that was made with another one.
fn other_name(module: &Module<'_>, entry: &str) -> Option<String> {
    let functions = module_op(module).body(0).ops();
    let names = functions.into_iter().map(strata_ir::function_name);
    let mut sizes = names.filter_map(|name| {
        let name = name.strip_suffix("_workspace_size")?.strip_suffix(entry)?.strip_suffix('_')?;
        Some(name.to_owned())
    });
    sizes.next()
}

/// The entry function as stage 50 left it.
pub(crate) struct Entry {
    pub signature: Signature,
    pub symbols: Symbols,
    pub workspace_size: u64,
    /// The devices that the program is for, if it exchanges values with others.
    pub devices: Option<Devices>,
    /// The functions for given sizes that it calls, if its shapes are dynamic.
    pub specializations: Option<Specializations>,
}

impl Entry {
    fn find(module: &Module<'_>, options: &Options) -> Result<Self, Diagnostic> {
        let specializations = Specializations::of(module)?;
        let func = marked_entry(module)?;
        let signature = Signature::of(func)?;
        let symbols = Symbols::new(&options.name, &signature.entry)?;
        let broken = |reason: String| diagnostic_at(codes::S9002, func).reason(reason);
        let types = func
            .attr("function_type")
            .and_then(|ty| strata_ir::function_types(ty.as_type()?))
            .filter(|(_, results)| results.is_empty())
            .ok_or_else(|| broken("the entry is not a function without results".to_owned()))?
            .0;
        let own = kept_inputs(&signature);
        let buffers = own.iter().map(|index| &signature.inputs[*index]).chain(&signature.outputs);
        let is_dynamic = specializations.is_some();
        // Beside buffers and workspace, the symbols.
        let others = if is_dynamic { 2 } else { 1 };
        if types.len() != own.len() + signature.outputs.len() + others {
            return Err(broken(format!(
                "the entry has {} arguments for {} inputs, {} outputs and a workspace",
                types.len(),
                own.len(),
                signature.outputs.len()
            )));
        }
        for (position, (ty, spec)) in types.iter().zip(buffers).enumerate() {
            if is_dynamic {
                continue;
            }
            let shape = spec.shape.iter().map(|size| i64::try_from(*size).unwrap_or(-1));
            if !ty.is_memref_type() || ty.shape() != Some(shape.collect()) {
                return Err(broken(format!(
                    "argument {position} is a {ty}, and should be a {spec}"
                )));
            }
        }
        let size = func.attr(WORKSPACE_SIZE).and_then(|size| u64::try_from(size.as_i64()?).ok());
        let workspace_size = size
            .filter(|size| {
                is_dynamic
                    || types.last().and_then(|ty: &Type<'_>| ty.element_count()) == Some(*size)
            })
            .ok_or_else(|| {
                broken("the workspace is not of `strata.workspace_size` bytes".into())
            })?;
        Ok(Self { signature, symbols, workspace_size, devices: None, specializations })
    }

    /// Gives the entry the name of the kernel, which no function of libm can have.
    fn rename<'c>(&self, context: &'c Context, module: &Module<'c>) -> Result<(), Diagnostic> {
        let func = marked_entry(module)?;
        let old = strata_ir::function_name(func);
        let caller = module_op(module)
            .collect(|op| op.attr("callee").and_then(|callee| callee.as_symbol()) == Some(old));
        if let Some(call) = caller.first() {
            return Err(diagnostic_at(codes::S9002, *call).reason("the entry is called"));
        }
        dispatch::rename(context, module, func, &self.symbols);
        func.set_attr(ENTRY, string(context, old));
        func.set_attr("sym_name", string(context, &self.symbols.kernel()));
        Ok(())
    }
}

/// The inputs that the kernel takes: donated ones are passed as outputs.
fn kept_inputs(signature: &Signature) -> Vec<usize> {
    let donated: BTreeSet<_> = signature.donations.iter().map(|(_, input)| *input).collect();
    (0..signature.inputs.len()).filter(|input| !donated.contains(input)).collect()
}

/// Records the target in the module, so that its text contains it.
fn set_target<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let machine = machine(&options.target, options.opt_level)?;
    let layout = machine.get_target_data().get_data_layout();
    let layout = layout.as_str().to_string_lossy().into_owned();
    let root = module_op(module);
    root.set_attr("llvm.target_triple", string(context, &options.target.triple));
    root.set_attr("llvm.data_layout", string(context, &layout));
    Ok(())
}

/// Linkage, target, and attributes of the arguments.
fn set_functions<'c>(
    context: &'c Context,
    module: &Module<'c>,
    entry: &Entry,
    leaves: bool,
    options: &Options,
) -> Result<(), Diagnostic> {
    let attribute = |text: &str| {
        parse_attr(context, text).ok_or_else(|| {
            Diagnostic::new(codes::S9001).reason(format!("the attribute `{text}` does not parse"))
        })
    };
    let marks = TargetMarks::of(context, options)?;
    let internal = llvm::Linkage::Internal.to_attribute(context);
    let external = llvm::Linkage::External.to_attribute(context);
    let unit = strata_ir::unit(context);
    for func in module_op(module).body(0).ops() {
        if !func.is(llvm::FUNC) || func.region(0).first_block().is_none() {
            continue;
        }
        for name in ["sym_visibility", "llvm.emit_c_interface"] {
            func.remove_attr(name);
        }
        func.set_attr("linkage", internal);
        marks.set(func);
        // Not inlined: separate functions keep the time for a large program linear.
        if func.has_attr(KERNEL) || func.has_attr(DISPATCH) && !func.has_attr(ENTRY) {
            func.set_attr("no_inline", unit);
        }
        if func.has_attr(FORMULA) {
            func.set_attr("no_inline", unit);
            func.set_attr("passthrough", attribute("[\"cold\"]")?);
        }
        if func.has_attr(MATH) {
            func.set_attr("no_inline", unit);
            func.set_attr("passthrough", attribute(&format!("[\"{MATH}\"]"))?);
        }
        let is_specialization = func.has_attr(SPECIALIZATION);
        if !func.has_attr(ENTRY) && !is_specialization {
            continue;
        }
        // An entry that only chooses among these is part of its wrapper.
        if entry.specializations.is_some() && !is_specialization {
            continue;
        }
        // The attributes of the arguments would be lost by inlining.
        func.set_attr("no_inline", unit);
        if is_direct(&entry.signature, options) && !is_specialization {
            func.set_attr("linkage", external);
        }
        // The executor, if the program makes external calls.
        let executor = leaves.then(|| "{llvm.noundef}".to_owned());
        let own = match is_specialization {
            true => Some(specialization_of(func, entry)?),
            false => None,
        };
        let entry = own.as_ref().unwrap_or(entry);
        let in_place = func.attr(IN_PLACE).and_then(|places| places.as_i64s());
        let [buffers, others] = argument_promises(entry, &in_place.unwrap_or_default());
        let are_arrays = arrays::are_taken(entry);
        let buffers = if are_arrays { Vec::new() } else { buffers };
        let arrays = are_arrays.then(|| arrays::promises(entry)).into_iter().flatten();
        let arguments = buffers
            .into_iter()
            .chain(others)
            .chain(executor)
            .chain(arrays)
            .map(|text| attribute(&text))
            .collect::<Result<Vec<_>, _>>()?;
        func.set_attr("arg_attrs", strata_ir::array(context, &arguments));
    }
    Ok(())
}

/// A function for given sizes as an entry.
fn specialization_of(func: Op<'_>, entry: &Entry) -> Result<Entry, Diagnostic> {
    let mut signature = Signature::of(func)?;
    signature.weights = entry.signature.weights;
    let size = func.attr(WORKSPACE_SIZE).and_then(|size| u64::try_from(size.as_i64()?).ok());
    let workspace_size = size.ok_or_else(|| {
        diagnostic_at(codes::S9002, func).reason("the function does not record its workspace size")
    })?;
    let (symbols, devices) = (entry.symbols.clone(), entry.devices);
    Ok(Entry { signature, symbols, workspace_size, devices, specializations: None })
}

/// CPU, features and "does not throw": attributes of functions with a body.
struct TargetMarks<'c> {
    cpu: Attribute<'c>,
    features: Option<Attribute<'c>>,
    no_unwind: Attribute<'c>,
}

impl<'c> TargetMarks<'c> {
    fn of(context: &'c Context, options: &Options) -> Result<Self, Diagnostic> {
        let list = options.target.features.split(',').filter(|feature| !feature.is_empty());
        let list: Vec<_> = list.map(|feature| format!("{feature:?}")).collect();
        // A function without them gets the target's in LLVM IR; to read a list of 50 names twice takes longer than a small program.
        let features = match list.is_empty() || options.in_process {
            true => None,
            false => {
                let text = format!("#llvm.target_features<[{}]>", list.join(", "));
                Some(parse_attr(context, &text).ok_or_else(|| {
                    Diagnostic::new(codes::S9001)
                        .reason(format!("the attribute `{text}` does not parse"))
                })?)
            }
        };
        let cpu = string(context, &options.target.cpu);
        Ok(Self { cpu, features, no_unwind: strata_ir::unit(context) })
    }

    fn set(&self, func: Op<'c>) {
        func.set_attr("no_unwind", self.no_unwind);
        func.set_attr("target_cpu", self.cpu);
        if let Some(features) = self.features {
            func.set_attr("target_features", features);
        }
    }
}

/// One dictionary for each buffer that the kernel takes, and for each argument after them.
fn argument_promises(entry: &Entry, in_place: &[i64]) -> [Vec<String>; 2] {
    let signature = &entry.signature;
    // With the sizes of a call it may have fewer bytes.
    let least = |at: usize, bytes: u64| if in_place.contains(&(at as i64)) { 0 } else { bytes };
    let buffer = |bytes: u64, alignment: u64, more: &str| {
        // A buffer without elements may be NULL.
        let size = match bytes {
            0 => String::new(),
            bytes => format!("llvm.dereferenceable = {bytes} : i64, "),
        };
        let alignment = if bytes == 0 { 1 } else { alignment };
        format!("{{llvm.align = {alignment} : i64, {size}{more}llvm.noalias, llvm.noundef}}")
    };
    let inputs = kept_inputs(signature).into_iter().map(|index| {
        let spec = &signature.inputs[index];
        let bytes = least(index, spec.byte_count());
        buffer(bytes, buffer_alignment(spec.element), "llvm.readonly, ")
    });
    let outputs = signature.outputs.iter().enumerate().map(|(at, spec)| {
        let bytes = least(signature.inputs.len() + at, spec.byte_count());
        buffer(bytes, buffer_alignment(spec.element), "")
    });
    let workspace = buffer(entry.workspace_size, WORKSPACE_ALIGNMENT, "");
    let weights =
        signature.weights.map(|file| buffer(file.size, WORKSPACE_ALIGNMENT, "llvm.readonly, "));
    [inputs.chain(outputs).collect(), [workspace].into_iter().chain(weights).collect()]
}
