//! The signature and cost of a program, and everything in it that cannot be compiled.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::compiler::with_source;
use crate::exchanges::exchanges;
pub use crate::{
    cost::{Cost, Costs},
    exchanges::{Exchanges, Network},
};
use strata_diag::{Diagnostic, Diagnostics, codes, did_you_mean};
use strata_hlo::Symbols;
use strata_ir::{
    AttributeExt as _, Devices, Signature, TensorSpec, entry, function_name, function_types,
    module_op, new_context, program_names,
};
use strata_options::Options;

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

/// The options for each entry of an object of several: sizes are those of the symbols that it has.
///
/// # Errors
/// If the program cannot be read or an entry cannot be found; `S1106` for a symbol that no entry has.
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
    let given = || [("--bind", bind), ("--max", max), ("--specialize", specialize)].into_iter();
    if given().all(|(_, list)| list.is_empty()) {
        return Ok(all);
    }
    let symbols =
        symbols_of_each(&all, name, bytes).map_err(|errors| with_source(errors, name, bytes))?;
    // A dimension that is as large as another one is refused where it is, with which.
    let has = |one: &Option<Symbols>, name: &String| {
        let has = |one: &Symbols| one.names.contains(name) || one.dimension(name).is_some();
        one.as_ref().is_some_and(has)
    };
    for (option, list) in given() {
        let unknown = list.iter().find(|(symbol, _)| !symbols.iter().any(|one| has(one, symbol)));
        if let Some((symbol, size)) = unknown {
            return Err(unknown_symbol((option, symbol, *size), &options.entries, &symbols).into());
        }
    }
    let is_symbol = |one: &Option<Symbols>, name: &String| {
        one.as_ref().is_some_and(|one| one.names.contains(name))
    };
    for (options, own) in all.iter_mut().zip(&symbols) {
        let Options { bind, max, specialize, .. } = options;
        for list in [bind, max, specialize] {
            list.retain(|(name, _)| {
                is_symbol(own, name)
                    || has(own, name) && !symbols.iter().any(|one| is_symbol(one, name))
            });
        }
    }
    Ok(all)
}

/// The symbols with each of these options.
fn symbols_of_each(
    all: &[Options],
    name: &str,
    bytes: &[u8],
) -> Result<Vec<Option<Symbols>>, Diagnostics> {
    let context = new_context();
    let module = strata_vhlo::parse(&context, name, bytes)?;
    let of = |options| strata_hlo::symbols_of(&module, options);
    Ok(all.iter().map(of).collect::<Result<_, _>>()?)
}

/// The error for a size of a symbol that none of several entries has.
fn unknown_symbol(
    (option, symbol, size): (&str, &str, i64),
    entries: &[String],
    all: &[Option<Symbols>],
) -> Diagnostic {
    let names = |one: &Option<Symbols>| one.as_ref().map_or_else(Vec::new, |one| one.names.clone());
    let close = all.iter().flat_map(&names).collect::<BTreeSet<_>>();
    let close = did_you_mean(symbol, close.iter().map(String::as_str));
    let error = Diagnostic::new(codes::S1106).reason(format!(
        "`{option} {symbol}={size}`: no size of any entry depends on a symbol `{symbol}`"
    ));
    let listed = |(entry, one): (&String, &Option<Symbols>)| {
        let names: Vec<_> = names(one).iter().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [] => format!("`{entry}` has none"),
            names => format!("`{entry}` has {}", names.join(", ")),
        }
    };
    let listed: Vec<_> = entries.iter().zip(all).map(listed).collect();
    let symbols = format!("symbols: {}", listed.join("; "));
    match close {
        Some(close) => error.hint(close).note(symbols),
        None => error.hint(symbols),
    }
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
                strata_hlo::resume(&context, &mut module, options)?;
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
