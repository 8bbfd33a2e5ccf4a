//! What `strata bench`, `strata profile` and `strata tune` have in common: programs that are compiled for this machine and called.

use std::path::PathBuf;

use strata::{Options, Signature};
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_eval::Values;

use super::{
    arrays::{self, Named},
    eval, options,
};
use crate::args::{ArrayArgs, ProgramArgs, TargetArgs};

/// The options, for this machine's processor unless another one is named; and whether it is this machine's.
///
/// # Errors
/// As [`options::options`].
pub fn options(program: &ProgramArgs, target: &TargetArgs) -> Result<(Options, bool), Diagnostics> {
    let mut options = options::options(program, target)?;
    let is_native = target.target_cpu.is_none() && target.target.is_none();
    if is_native {
        let features = target.target_features.as_deref();
        options.target = strata::target::resolve(None, Some("native"), features)?;
    }
    Ok((options, is_native))
}

/// Gives open sizes those of the arrays, if there are any and `--bind` gives none.
///
/// # Errors
/// As [`eval::open_shapes`].
pub fn take_shapes(
    options: &mut Options,
    arrays: &[PathBuf],
    name: &str,
    program: &[u8],
) -> Result<(), Diagnostics> {
    if options.bind.is_empty() && !arrays.is_empty() {
        let entry = options.entry.clone();
        options.input_shapes = eval::open_shapes(&given(arrays), entry.as_deref(), name, program)?;
    }
    Ok(())
}

fn given(arrays: &[PathBuf]) -> ArrayArgs {
    ArrayArgs { inputs: arrays.to_vec(), ..ArrayArgs::default() }
}

/// The inputs as buffers: those of the command line, or random ones as in `strata verify`, for which seed, program and options are.
///
/// # Errors
/// As [`arrays::read_inputs`] and [`strata_verify::random_inputs`].
pub fn inputs(
    arrays: &[PathBuf],
    (seed, program, options): (u64, &[u8], &Options),
    signature: &Signature,
    name: &str,
) -> Result<Vec<Vec<u8>>, Diagnostic> {
    if !arrays.is_empty() {
        return arrays::read_inputs(&given(arrays), Named::of(&signature.whole()).inputs(), name);
    }
    let drawn = strata_verify::random_inputs(name, program, options, Values::Tame, seed)?;
    Ok(drawn.iter().map(|tensor| tensor.bytes().to_vec()).collect())
}

/// The shapes of the inputs at the largest value of each symbol.
///
/// # Errors
/// `S0001` for a symbol without a value, `S1106` for one that the program does not have, and for values that it does not take.
pub fn largest_shapes(
    options: &Options,
    max: &[(String, i64)],
    name: &str,
    program: &[u8],
) -> Result<Vec<Vec<i64>>, Diagnostics> {
    let hint = "--input gives arrays, whose sizes are taken";
    let wrong = |reason: String| {
        Diagnostic::new(codes::S1106).at(Location::file(name)).reason(reason).hint(hint)
    };
    let Some(symbols) = strata::symbols(options, name, program)? else {
        return Err(wrong("--max is for programs with open sizes, and all have values".into())
            .hint("leave out --max")
            .into());
    };
    if let Some((unknown, _)) = max.iter().find(|(name, _)| !symbols.names.contains(name)) {
        let known: Vec<_> = symbols.names.iter().map(|name| format!("`{name}`")).collect();
        return Err(Diagnostic::new(codes::S1106)
            .at(Location::file(name))
            .reason(format!("no size of the program depends on a symbol `{unknown}`"))
            .hint(format!("its symbols are {}", known.join(", ")))
            .into());
    }
    let value = |symbol: &String| {
        let mut given = options.bind.iter().chain(max);
        given.find(|(known, _)| known == symbol).map(|(_, size)| *size).ok_or_else(|| {
            Diagnostic::new(codes::S0001)
                .reason(format!("no size is given for `{symbol}` to measure at"))
                .hint(format!("`--max {symbol}=…` gives the largest, or --input an array"))
        })
    };
    let values = symbols.names.iter().map(value).collect::<Result<Vec<_>, _>>()?;
    let told: Vec<_> =
        symbols.names.iter().zip(&values).map(|(name, size)| format!("{name}={size}")).collect();
    let refuse = || wrong(format!("the program does not take {}", told.join(", ")));
    Ok(symbols.shapes_for(&values).ok_or_else(refuse)?)
}

/// The signature with these shapes of the inputs.
pub fn at_sizes(signature: &Signature, shapes: Option<&[Vec<i64>]>) -> Signature {
    let mut signature = signature.clone();
    for (spec, shape) in signature.inputs.iter_mut().zip(shapes.unwrap_or_default()) {
        spec.shape = shape.iter().map(|size| u64::try_from(*size).unwrap_or(0)).collect();
    }
    signature
}
