//! The module of a program with dynamic shapes, at the end of stage `vector`: its specialisations, each of which went through the
//! stages as a program of its own, are functions of one module, and the entry calls those for the sizes of a call.
//!
//! ```mlir
//! func.func @main(%x: memref<?xi8>, %out: memref<?xi8>, %workspace: memref<?xi8>, %symbols: memref<16xi8>)
//!     attributes {strata.entry, strata.dispatch, strata.dims = {symbols = ["b", "s"], …}, strata.workspace_size = 4096 : i64, …} {
//!   %batch = …                                       // b and s
//!   scf.while (%done = %c0) : (index) -> index {     // 17 examples are a call of the function for 16 and one of that for 1
//!     …
//!   } do {
//!     %own = scf.if %differs -> (memref<?xi8>) { … } // a copy in the workspace, where the function takes a larger tensor
//!     scf.index_switch %number
//!     case 3 {
//!       %0 = memref.view %own[%c0][] : memref<?xi8> to memref<16x64xf32>
//!       …
//!       call @main.16.64(%0, %s, %1, %2) : (memref<16x64xf32>, memref<i64>, memref<16xf32>, memref<512xi8>) -> ()
//!     }
//!   }
//! }
//! func.func private @main.16.64(…) attributes {strata.specialization = {…}, …}
//! ```
//! Buffers are bytes there because their sizes are known at a call only. The functions that say which condition sizes violate, how
//! large the workspace is, and what shapes outputs have ([`helpers`]) are beside it; stage `llvm` exports them.

mod copies;
mod entry;
mod helpers;
mod link;
mod sizes;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Context, DEVICES, DISPATCH, DYNAMIC, ENTRY, IN_PLACE, INPUTS,
    Module, OUTPUTS, Op, SHAPES, Signature, Type, TypeExt as _, VALID, WORKSPACE_SIZE, ZEROS,
    array, int, integer, marked_entry, module_op, record_names, recorded_types, run_pipeline,
    string, tensor, type_attr, unit,
};
use strata_shapes::{DIMS, DimExpr, Specialization, Specializations};

use self::{entry::Dispatcher, link::Linker};

/// A specialisation, as stage `vector` left it.
struct Version<'v, 'c> {
    sizes: &'v Specialization,
    func: Op<'c>,
    /// Its inputs without the sizes after them, and its outputs.
    signature: Signature,
    workspace_size: u64,
    /// For each input and output whether it has the sizes of the call.
    in_place: Vec<bool>,
}

/// One module of a program's specialisations, `modules` in the order of the versions, which are taken apart. `with_locations` keeps
/// equal functions apart, which have different places in the source.
///
/// # Errors
/// `S9002` for a module that is not one of these specialisations at the end of stage `vector`.
pub fn assemble<'c>(
    context: &'c Context,
    all: &Specializations,
    modules: Vec<Module<'c>>,
    with_locations: bool,
) -> Result<Module<'c>, Diagnostic> {
    let first = modules.first().map(module_op);
    let first = first.ok_or_else(|| lost("there is no specialisation"))?;
    let mut joint = Module::new(first.location());
    let root = module_op(&joint);
    for (name, value) in first.discardable_attrs() {
        root.set_attr(name, value);
    }
    let mut linker = Linker::new(context, root.body(0), with_locations);
    let mut versions = Vec::new();
    for (sizes, module) in all.versions.iter().zip(&modules) {
        let func = marked_entry(module)?;
        let signature = Signature::of(func)?;
        linker.add(module, func, &sizes.label())?;
        versions.push(Version::new(all, sizes, func, signature)?);
    }
    let source = &versions[0];
    let name = source.signature.entry.clone();
    let start = Builder::at_start(context, root.body(0), source.func.location());
    let dispatcher = Dispatcher { all, versions: &versions, name: &name };
    let entry = dispatcher.emit(&start);
    describe(context, entry, &dispatcher);
    helpers::emit(&start, &dispatcher);
    for version in &versions {
        let func = version.func;
        for attribute in [ENTRY, DIMS, VALID, ZEROS] {
            func.remove_attr(attribute);
        }
        all.mark(context, func, version.sizes);
        func.set_attr("sym_visibility", string(context, "private"));
        func.set_attr("sym_name", string(context, &version.name(&name)));
    }
    // For readers: each number is there once.
    run_pipeline(context, &mut joint, "builtin.module(func.func(cse))")?;
    Ok(joint)
}

impl<'v, 'c> Version<'v, 'c> {
    fn new(
        all: &Specializations,
        sizes: &'v Specialization,
        func: Op<'c>,
        mut signature: Signature,
    ) -> Result<Self, Diagnostic> {
        let broken = |why: &str| lost(&format!("`{}`: {why}", sizes.label()));
        let size = func.attr(WORKSPACE_SIZE).and_then(|size| size.as_i64());
        let workspace_size = size.and_then(|size| u64::try_from(size).ok());
        let workspace_size = workspace_size.ok_or_else(|| broken("its workspace has no size"))?;
        if !signature.donations.is_empty() {
            return Err(broken("it overwrites inputs, which other parts of a batch may need"));
        }
        signature.inputs.truncate(all.shapes.inputs.len());
        let value = all.values_of(sizes);
        let expected = all.shapes.inputs.iter().chain(all.shapes.output_buffers());
        let mut found = signature.inputs.iter().chain(&signature.outputs);
        for shape in expected {
            let whole =
                |size: &DimExpr| size.value(&value).and_then(|size| u64::try_from(size).ok());
            let shape: Option<Vec<_>> = shape.iter().map(whole).collect();
            if found.next().map(|spec| &spec.shape) != shape.as_ref() {
                return Err(broken("its shapes are not those that its sizes say"));
            }
        }
        let mut in_place = vec![false; all.shapes.inputs.len() + all.shapes.outputs.len()];
        let places = func.attr(IN_PLACE).and_then(|places| places.as_i64s()).unwrap_or_default();
        for place in places {
            let place = usize::try_from(place).ok().and_then(|place| {
                // The sizes are between inputs and outputs.
                let inputs = all.shapes.inputs.len();
                if place < inputs { Some(place) } else { place.checked_sub(all.bounds.len()) }
            });
            let flag = place.and_then(|place| in_place.get_mut(place));
            *flag.ok_or_else(|| broken("it takes what it does not have in place"))? = true;
        }
        Ok(Self { sizes, func, signature, workspace_size, in_place })
    }

    /// The name of its function.
    fn name(&self, entry: &str) -> String {
        format!("{entry}.{}", self.sizes.label())
    }
}

fn lost(why: &str) -> Diagnostic {
    Diagnostic::new(codes::S9002).reason(format!("specialisations do not make a module: {why}"))
}

/// The attributes of the entry.
fn describe<'c>(context: &'c Context, entry: Op<'c>, dispatcher: &Dispatcher<'_, 'c>) {
    let Dispatcher { all, versions, .. } = dispatcher;
    let source = versions[0].func;
    let (inputs, outputs) = (all.shapes.inputs.len(), all.shapes.outputs.len());
    entry.set_attr(ENTRY, unit(context));
    entry.set_attr(DISPATCH, unit(context));
    all.shapes.set(context, entry);
    let open = |ty: Type<'c>, sizes: &Vec<DimExpr>| {
        let sizes = sizes.iter().map(|size| size.as_constant().unwrap_or(DYNAMIC));
        type_attr(tensor(&sizes.collect::<Vec<_>>(), ty.element()))
    };
    if let Some((own_inputs, own_outputs)) = recorded_types(source) {
        let list = |types: Vec<Type<'c>>, shapes: &[Vec<DimExpr>]| {
            let types = types.into_iter().zip(shapes).map(|(ty, sizes)| open(ty, sizes));
            array(context, &types.collect::<Vec<_>>())
        };
        entry.set_attr(INPUTS, list(own_inputs, &all.shapes.inputs));
        entry.set_attr(OUTPUTS, list(own_outputs, &all.shapes.outputs));
    }
    for name in [SHAPES, DEVICES] {
        if let Some(value) = source.attr(name) {
            entry.set_attr(name, value);
        }
    }
    let names = &versions[0].signature;
    let cut = |names: &[String], count: usize| {
        let names: Vec<_> = names.iter().take(count).cloned().collect();
        if names.iter().all(String::is_empty) { Vec::new() } else { names }
    };
    let names = [cut(&names.input_names, inputs), cut(&names.output_names, outputs)];
    record_names(context, entry, &names);
    let needs = versions
        .iter()
        .map(|own| all.workspace_size(&own.signature, own.workspace_size, |at| own.in_place[at]));
    let size = int(integer(context, 64), needs.max().unwrap_or(0) as i64);
    entry.set_attr(WORKSPACE_SIZE, size);
}
