//! The signature and cost of a program, and everything in it that cannot be compiled.

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use crate::cost::{Cost, Costs};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_ir::{
    AttributeExt as _, Options, Signature, TensorSpec, entry, function_name, function_types,
    new_context,
};

/// What [`survey`] finds.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The entry function's name.
    pub entry: String,
    /// Its inputs and outputs; `None` if one is not a tensor of known size.
    pub signature: Option<Signature>,
    /// Every operation that cannot be compiled, in the order of the program.
    pub unsupported: Vec<Diagnostic>,
    /// What the program's operations cost, after inlining and simplification.
    pub costs: Costs,
}

/// Reads and simplifies a program and goes through all its operations; nothing is compiled.
///
/// # Errors
/// If the program cannot be read or its entry cannot be found.
pub fn survey(options: &Options, name: &str, bytes: &[u8]) -> Result<Survey, Diagnostics> {
    let with_source = |errors: Diagnostics| match std::str::from_utf8(bytes) {
        Ok(text) => errors.map(|error| error.source_file(name, text)),
        Err(_) => errors,
    };
    let found = catch_unwind(AssertUnwindSafe(|| look(options, name, bytes)));
    let found = found.unwrap_or_else(|_| {
        Err(Diagnostic::new(codes::S9001).reason("going through the program panicked").into())
    });
    let mut survey = found.map_err(with_source)?;
    let list: Diagnostics = survey.unsupported.into_iter().collect();
    survey.unsupported = with_source(list).into_iter().collect();
    Ok(survey)
}

fn look(options: &Options, name: &str, bytes: &[u8]) -> Result<Survey, Diagnostics> {
    let context = new_context();
    let mut module = strata_vhlo::parse(&context, name, bytes)?;
    strata_hlo::run(&context, &mut module, options)?;
    let function = entry(&module, options.entry.as_deref())?;
    let types = function.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types);
    let (inputs, outputs) = types.unwrap_or_default();
    let specs = |list: &[strata_ir::Type<'_>]| {
        list.iter().map(|ty| TensorSpec::from_type(*ty)).collect::<Option<Vec<_>>>()
    };
    let entry = function_name(function).to_owned();
    let signature = specs(&inputs).zip(specs(&outputs)).map(|(inputs, outputs)| Signature {
        entry: entry.clone(),
        inputs,
        outputs,
        ..Signature::default()
    });
    let costs = Costs::of(&module);
    let mut unsupported = strata_hlo::violations(&module);
    for leftover in strata_linalg::unsupported(&context, &module, options)? {
        let is_known = |known: &Diagnostic| {
            known.location() == leftover.location()
                && known.operation_name() == leftover.operation_name()
        };
        if !unsupported.iter().any(is_known) {
            unsupported.push(leftover);
        }
    }
    Ok(Survey { entry, signature, unsupported, costs })
}
