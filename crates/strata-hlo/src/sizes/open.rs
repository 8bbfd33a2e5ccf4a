//! Programs some of whose symbols stay open in the object: at most one is a number of rows, which are computed apart; the others
//! have bounds.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Context, Op, Options, diagnostic_at,
    sizes::{Size, Truth},
};
use strata_rewrite::apply_greedily;

use super::{PATTERNS, Rows, Symbols, bind, inputs, is_dynamic, padded, rows};

/// What is known of a program whose object takes sizes at each call.
#[derive(Clone, Debug)]
pub struct Open {
    /// The symbols of the program, with those replaced that have values.
    pub symbols: Symbols,
    /// The symbols that stay open.
    pub open: Vec<usize>,
    /// For each input the sizes of its dimensions, as expressions of symbols.
    pub inputs: Vec<Vec<Size>>,
    /// The same for each output.
    pub outputs: Vec<Vec<Size>>,
    /// How rows lie in memory, if one of the symbols is their number. The others have bounds.
    pub rows: Option<Rows>,
}

/// The bound of a number of rows, where only the sizes of outputs are looked for.
const MOST_ROWS_TRIED: i64 = 64;

/// What to do about a symbol that cannot stay open.
pub fn hint(name: &str) -> String {
    format!("`--max {name}=512` compiles for any size up to it, `--bind {name}=8` for one")
}

/// What the object is made of; `None` if the options leave no symbol open. Changes the function.
///
/// # Errors
/// `S1101` for symbols without a bound that are not a number of rows; `S1106` as [`super::resolve`].
pub fn of<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
) -> Result<Option<Open>, Diagnostic> {
    bind(context, func, symbols, options)?;
    if let Some((unknown, _)) =
        options.max.iter().chain(&options.also).find(|(name, _)| !symbols.names.contains(name))
    {
        let names: Vec<_> = symbols.names.iter().map(|name| format!("`{name}`")).collect();
        return Err(diagnostic_at(codes::S1106, func)
            .reason(format!("no size of the program depends on a symbol `{unknown}`"))
            .hint(format!("its symbols are {}", names.join(", "))));
    }
    let has = |list: &[(String, i64)], index: &usize| {
        list.iter().any(|(name, _)| *name == symbols.names[*index])
    };
    let mut open: Vec<usize> = (0..symbols.names.len()).collect();
    open.retain(|index| !has(&options.bind, index));
    if open.is_empty() || !inputs(func).iter().any(|input| is_dynamic(input.ty())) {
        return Ok(None);
    }
    let unlimited: Vec<usize> =
        open.iter().copied().filter(|index| !has(&options.max, index)).collect();
    let candidates = match unlimited[..] {
        [] => open.clone(),
        [one] => vec![one],
        [.., last] => {
            let names: Vec<_> =
                unlimited.iter().map(|index| format!("`{}`", symbols.names[*index])).collect();
            return Err(diagnostic_at(codes::S1101, func)
                .reason(format!(
                    "of the open symbols {}, one at most is a number of rows",
                    names.join(", ")
                ))
                .hint(hint(&symbols.names[last])));
        }
    };
    apply_greedily(context, func, PATTERNS)?;
    let bound = symbols.bound(&options.bind);
    for candidate in candidates {
        match rows::of(func, &bound, candidate, options) {
            Ok((rows, outputs)) => {
                let (outputs, conditions) = match outputs {
                    Some(outputs) => (outputs, rows.conditions.clone()),
                    None => padded_shapes(context, func, symbols, options, &open)?,
                };
                return Ok(Some(with_conditions(bound, open, outputs, conditions, Some(rows))));
            }
            Err(error) if !unlimited.is_empty() => return Err(error),
            Err(_) => {}
        }
    }
    let (outputs, conditions) = padded_shapes(context, func, symbols, options, &open)?;
    Ok(Some(with_conditions(bound, open, outputs, conditions, None)))
}

fn with_conditions(
    mut symbols: Symbols,
    open: Vec<usize>,
    outputs: Vec<Vec<Size>>,
    conditions: Vec<Truth>,
    rows: Option<Rows>,
) -> Open {
    for condition in conditions {
        let is_new = symbols.constraints.iter().all(|(known, _)| !known.implies(&condition));
        if is_new {
            symbols.constraints.push((condition, String::new()));
        }
    }
    let inputs = symbols.shapes.clone();
    Open { symbols, open, inputs, outputs, rows }
}

/// The sizes of the outputs of the padded program, and the conditions that it is right under.
fn padded_shapes<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
    open: &[usize],
) -> Result<(Vec<Vec<Size>>, Vec<Truth>), Diagnostic> {
    let most = |name: &String| {
        let max = options.max.iter().find(|(own, _)| own == name);
        max.map_or(MOST_ROWS_TRIED, |(_, size)| *size)
    };
    let names = open.iter().map(|index| &symbols.names[*index]);
    let bounds = names.map(|name| (name.clone(), most(name))).collect();
    let options = Options { bounds, ..options.clone() };
    let copy = Builder::before(context, func).insert(func.clone_detached());
    let shapes = padded::pad_to_bounds(context, copy, symbols, &options);
    copy.erase();
    let shapes = shapes?;
    Ok((shapes.outputs, shapes.conditions))
}
