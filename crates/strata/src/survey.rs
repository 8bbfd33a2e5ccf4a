//! The signature and cost of a program, and everything in it that cannot be compiled.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::compiler::with_source;
use crate::exchanges::exchanges;
pub use crate::{
    cost::{Cost, Costs},
    exchanges::{Exchanges, Network},
};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_hlo::Symbols;
use strata_ir::{
    AttributeExt as _, Devices, Options, Signature, TensorSpec, entry, function_name,
    function_types, module_op, new_context, program_names,
};

/// What [`survey`] finds.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The entry function's name.
    pub entry: String,
    /// Its inputs and outputs, with [`TensorSpec::UNKNOWN`] for sizes that are known only at run time; `None` if one is not a
    /// tensor.
    pub signature: Option<Signature>,
    /// What the sizes of the inputs depend on, where some are known only at run time.
    pub sizes: Option<Sizes>,
    /// Every operation that cannot be compiled, in the order of the program.
    pub unsupported: Vec<Diagnostic>,
    /// What the program's operations cost, after inlining and simplification; those of one device, where there are several.
    pub costs: Costs,
    /// The devices that the program is for.
    pub devices: Devices,
    /// What these exchange.
    pub exchanges: Vec<Exchanges>,
}

/// Symbolic sizes, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The names of the symbols.
    pub symbols: Vec<String>,
    /// For each input the sizes of its dimensions: `2*n`, `16`.
    pub shapes: Vec<Vec<String>>,
    /// The same for each output, where an object with open sizes can be made.
    pub outputs: Vec<Vec<String>>,
    /// What the program asserts of the symbols: `n >= 1`.
    pub constraints: Vec<String>,
    /// The symbol that is a number of rows, which are computed apart.
    pub rows: Option<String>,
    /// The largest value of each symbol with a bound.
    pub bounds: Vec<(String, u64)>,
    /// For how many combinations of sizes an object has code.
    pub versions: usize,
}

impl Sizes {
    fn of(symbols: &Symbols) -> Self {
        Self {
            symbols: symbols.names.clone(),
            shapes: (0..symbols.shapes.len()).map(|input| symbols.shape_texts(input)).collect(),
            constraints: symbols.constraint_texts(),
            ..Self::default()
        }
    }
}

/// What the sizes of a program's inputs depend on; `None` if all its sizes are static.
///
/// # Errors
/// If the program cannot be read or its entry cannot be found.
pub fn symbols(
    options: &Options,
    name: &str,
    bytes: &[u8],
) -> Result<Option<Symbols>, Diagnostics> {
    // Text without a question mark has no open size: it need not be read.
    if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&b'?') {
        return Ok(None);
    }
    let context = new_context();
    let module = strata_vhlo::parse(&context, name, bytes)?;
    Ok(strata_hlo::symbols_of(&module, options)?)
}

/// The options for each entry of an object of several: sizes are those of the symbols that it has. Ones that no entry has stay, and are
/// refused where they are used.
///
/// # Errors
/// If the program cannot be read or an entry cannot be found.
pub fn of_entries(
    options: &Options,
    name: &str,
    bytes: &[u8],
) -> Result<Vec<Options>, Diagnostics> {
    let of = |entry: &String| Options {
        entry: Some(entry.clone()),
        entries: Vec::new(),
        ..options.clone()
    };
    let mut all: Vec<Options> = options.entries.iter().map(of).collect();
    let Options { bind, max, specialize, .. } = options;
    if bind.is_empty() && max.is_empty() && specialize.is_empty() {
        return Ok(all);
    }
    let names =
        symbols_of_each(&all, name, bytes).map_err(|errors| with_source(errors, name, bytes))?;
    let is_known = |name: &String| names.iter().any(|list| list.contains(name));
    for (options, own) in all.iter_mut().zip(&names) {
        let Options { bind, max, specialize, .. } = options;
        for list in [bind, max, specialize] {
            list.retain(|(name, _)| own.contains(name) || !is_known(name));
        }
    }
    Ok(all)
}

/// The names of the symbols with each of these options.
fn symbols_of_each(
    all: &[Options],
    name: &str,
    bytes: &[u8],
) -> Result<Vec<Vec<String>>, Diagnostics> {
    let context = new_context();
    let module = strata_vhlo::parse(&context, name, bytes)?;
    let mut found = Vec::new();
    for options in all {
        let symbols = strata_hlo::symbols_of(&module, options)?;
        found.push(symbols.map(|one| one.names).unwrap_or_default());
    }
    Ok(found)
}

/// Reads and simplifies a program and goes through all its operations; nothing is compiled.
///
/// # Errors
/// If the program cannot be read or its entry cannot be found.
pub fn survey(options: &Options, name: &str, bytes: &[u8]) -> Result<Survey, Diagnostics> {
    let with_source = |errors| with_source(errors, name, bytes);
    let advised = |errors| crate::advice::advise(errors, options, name, bytes);
    let found = catch_unwind(AssertUnwindSafe(|| look(options, name, bytes)));
    let found = found.unwrap_or_else(|_| {
        Err(Diagnostic::new(codes::S9001).reason("going through the program panicked").into())
    });
    let mut survey = found.map_err(|errors| with_source(advised(errors)))?;
    let list: Diagnostics = survey.unsupported.into_iter().collect();
    survey.unsupported = with_source(advised(list)).into_iter().collect();
    Ok(survey)
}

fn look(options: &Options, name: &str, bytes: &[u8]) -> Result<Survey, Diagnostics> {
    let context = new_context();
    let mut module = strata_vhlo::parse(&context, name, bytes)?;
    let symbols = strata_hlo::symbols_of(&module, options)?.filter(|found| !found.names.is_empty());
    let mut sizes = symbols.as_ref().map(Sizes::of);
    let unbound = match strata_hlo::run(&context, &mut module, options) {
        Err(error) if error.code() == codes::S1101 && sizes.is_some() => Some(error),
        Err(error) => return Err(error.into()),
        Ok(()) => {
            if strata_spmd::applies(&module) {
                strata_spmd::run(&context, &mut module, options)?;
                strata_hlo::resume(&context, &mut module)?;
            }
            None
        }
    };
    let function = entry(&module, options.entry.as_deref())?;
    let types = function.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types);
    let (inputs, outputs) = types.unwrap_or_default();
    let specs = |list: &[strata_ir::Type<'_>]| {
        list.iter().map(|ty| TensorSpec::open(*ty)).collect::<Option<Vec<_>>>()
    };
    let entry = function_name(function).to_owned();
    let [input_names, output_names] = program_names(function, inputs.len(), outputs.len());
    let signature = specs(&inputs).zip(specs(&outputs)).map(|(inputs, outputs)| Signature {
        entry: entry.clone(),
        inputs,
        outputs,
        input_names,
        output_names,
        ..Signature::default()
    });
    if let Some(error) = unbound {
        // What is unknown of the inputs is unknown of everything else.
        let unsupported = match crate::open::plan(options, name, bytes) {
            Ok(Some(plan)) => {
                sizes = sizes.map(|sizes| plan.describe(sizes));
                Vec::new()
            }
            Ok(None) => vec![error],
            Err(errors) => errors.into_iter().collect(),
        };
        let (costs, devices) = (Costs::default(), Devices::of(module_op(&module)));
        return Ok(Survey {
            entry,
            signature,
            sizes,
            unsupported,
            costs,
            devices,
            exchanges: Vec::new(),
        });
    }
    let costs = Costs::of(&module);
    let (devices, exchanges) = (Devices::of(module_op(&module)), exchanges(&module));
    let mut unsupported = strata_hlo::violations(&module);
    // Lowerings rely on static shapes.
    let lowers = unsupported.iter().all(|error| error.code() != codes::S1101);
    let leftover = match lowers {
        true => strata_linalg::unsupported(&context, &module, options)?,
        false => Vec::new(),
    };
    for leftover in leftover {
        let is_known = |known: &Diagnostic| {
            known.location() == leftover.location()
                && known.operation_name() == leftover.operation_name()
        };
        if !unsupported.iter().any(is_known) {
            unsupported.push(leftover);
        }
    }
    Ok(Survey { entry, signature, sizes, unsupported, costs, devices, exchanges })
}
