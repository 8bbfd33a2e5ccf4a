//! Functions that LLVM's code generator calls by name: they are defined inside the object if it
//! calls them, and not exported.
//!
//! They are linked after the optimisation pipeline, which would turn the loop in `memcpy` into a
//! call of `memcpy`.

use inkwell::{
    attributes::AttributeLoc, memory_buffer::MemoryBuffer, module::Linkage,
    module::Module as LlvmModule, targets::TargetMachine, values::BasicValue as _,
};
use strata_diag::Diagnostic;
use strata_options::Options;

use crate::{
    llvmir::{defined, optimise, prepare_function},
    machine::{Session, bug},
};

const SOURCE: &str = include_str!("runtime.ll");

/// Whether `name` can be defined inside an object.
pub(crate) fn defines(name: &str) -> bool {
    SOURCE.lines().any(|line| {
        line.starts_with("define ")
            && !line.contains(" internal ")
            && line.split(['@', '(']).nth(1) == Some(name)
    })
}

/// Defines `names` inside `module`.
pub(crate) fn define<'l>(
    session: &'l Session,
    module: &LlvmModule<'l>,
    machine: &TargetMachine,
    names: &[String],
    options: &Options,
) -> Result<(), Diagnostic> {
    let context = session.context();
    let buffer = MemoryBuffer::create_from_memory_range_copy(SOURCE.as_bytes(), "runtime");
    let library = context
        .create_module_from_ir(buffer)
        .map_err(|error| bug("the runtime's functions do not parse", &error.to_string()))?;
    library.set_triple(&module.get_triple());
    library.set_data_layout(&module.get_data_layout());
    let no_builtins = context.create_string_attribute("no-builtins", "");
    for function in defined(&library) {
        prepare_function(context, function, options);
        function.add_attribute(AttributeLoc::Function, no_builtins);
        // Helpers are inlined; other functions that are not needed must be removed before linking.
        let name = function.get_name().to_string_lossy().into_owned();
        if function.get_linkage() == Linkage::External && !names.contains(&name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    optimise(&library, machine, options)?;
    let unused: Vec<_> = defined(&library)
        .into_iter()
        .filter(|function| function.get_linkage() == Linkage::Internal)
        .filter(|function| function.as_global_value().as_pointer_value().get_first_use().is_none())
        .collect();
    for function in unused {
        // SAFETY: nothing refers to the function, which is of this module and is not used after.
        unsafe { function.delete() };
    }
    module
        .link_in_module(library)
        .map_err(|error| bug("the runtime's functions do not link", &error.to_string()))?;
    // Linking replaced the session's diagnostic handler.
    session.listen();
    for name in names {
        if let Some(function) = module.get_function(name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_definitions_are_found_by_name() {
        for name in ["memcpy", "memmove", "memset", "__truncsfhf2", "__powidf2"] {
            assert!(defines(name), "{name}");
        }
        for name in ["", "mem", "round_to_odd", "tanf"] {
            assert!(!defines(name), "{name}");
        }
    }
}
