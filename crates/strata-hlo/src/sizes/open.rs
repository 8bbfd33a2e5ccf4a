//! Programs some of whose symbols stay open in the object: at most one is a number of rows, which are computed apart; the others
//! have bounds.

use strata_diag::{Diagnostic, codes};
use strata_ir::{Builder, Context, Op, diagnostic_at};
use strata_options::Options;
use strata_shapes::{Batch, Constraint, DimExpr, Domain, DynamicShapes, Variable};

use super::{
    Symbols, bind, declared, inputs, is_dynamic,
    padded::{self, Buffers},
    refine_types,
    rows::{self, Rows},
    typed_bounds, unknown_symbol,
};

/// The bound of a number of rows, where only the sizes of outputs are looked for.
const MOST_ROWS_TRIED: i64 = 64;

/// What to do about symbols that cannot stay open, where nothing was tried.
pub const HINT: &str = "export the program with static shapes";

/// The largest values of symbols, each once.
///
/// # Errors
/// `S1106` for a symbol with two of them, or with a value.
fn maxima(
    func: Op<'_>,
    symbols: &Symbols,
    options: &Options,
) -> Result<Vec<(String, i64)>, Diagnostic> {
    let mut max: Vec<(String, i64)> = Vec::new();
    for (name, most) in &options.max {
        let of = |list: &[(String, i64)]| {
            list.iter().find(|(known, _)| known == name).map(|(_, size)| *size)
        };
        let reason = match (of(&options.bind), of(&max)) {
            (Some(size), _) => format!("`{name}` is given as {size}, and as at most {most}"),
            (None, Some(other)) => {
                format!("`{name}` is given as at most {other} and at most {most}")
            }
            (None, None) => String::new(),
        };
        if !reason.is_empty() {
            return Err(diagnostic_at(codes::S1106, func)
                .reason(reason)
                .hint("give each symbol one size, or one bound"));
        }
        max.push((name.clone(), *most));
    }
    for (name, bound) in typed_bounds(func, symbols) {
        match max.iter_mut().find(|(known, _)| *known == name) {
            Some((_, most)) => *most = bound.min(*most),
            None if options.bind.iter().all(|(known, _)| *known != name) => max.push((name, bound)),
            None => {}
        }
    }
    Ok(max)
}

/// What the object is made of; `None` if the options leave no symbol open. Without `has_rows` no symbol that has a bound is a number of
/// rows. Changes the function.
///
/// # Errors
/// `S1101` for symbols without a bound that are not a number of rows; `S1106` as [`super::resolve`].
pub fn of<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
    has_rows: bool,
) -> Result<Option<DynamicShapes>, Diagnostic> {
    let max = maxima(func, symbols, options)?;
    let options = &Options { max, ..options.clone() };
    bind(context, func, symbols, options)?;
    if let Some((unknown, _)) = options
        .max
        .iter()
        .chain(&options.specialize)
        .find(|(name, _)| !symbols.names.contains(name))
    {
        return Err(unknown_symbol(func, symbols, unknown));
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
        [] if has_rows => open.clone(),
        [] => Vec::new(),
        [one] => vec![one],
        _ => {
            let names: Vec<_> =
                unlimited.iter().map(|index| format!("`{}`", symbols.names[*index])).collect();
            return Err(diagnostic_at(codes::S1101, func)
                .reason(format!(
                    "{} have neither a value nor a bound, and one at most may be any number",
                    names.join(", ")
                ))
                .hint(HINT));
        }
    };
    refine_types(context, func)?;
    declared::check(context, func, false)?;
    let bound = symbols.bound(&options.bind);
    let mut strided = None;
    for candidate in candidates {
        match rows::of(func, &bound, candidate, options) {
            // Parts of rows that are not contiguous are copied, which sizes up to a bound need not be.
            Ok((rows, outputs)) if unlimited.is_empty() && !rows.contiguous => {
                let conditions = rows.conditions.clone();
                strided = outputs.filter(|_| open.len() == 1).map(|all| (all, conditions, rows));
            }
            Ok((rows, outputs)) => {
                let outcome = match outputs {
                    Some(outputs) => {
                        beside_rows(context, func, symbols, options, (&open, candidate))
                            .map(|more| (outputs, [rows.conditions.clone(), more].concat()))
                    }
                    // Parts of rows have the dimensions of callers.
                    None => padded_shapes(context, func, symbols, options, (&open, Buffers::Whole))
                        .map(|own| (own.outputs, own.conditions)),
                };
                let (outputs, conditions) = match outcome {
                    Ok(known) => known,
                    // Another symbol may be the number of rows.
                    Err(_) if unlimited.is_empty() => continue,
                    Err(error) => return Err(error),
                };
                // A part of the rows does not know how many there are.
                if outputs.len() > rows.outputs.len() {
                    if unlimited.is_empty() {
                        continue;
                    }
                    let name = &symbols.names[candidate];
                    return Err(diagnostic_at(codes::S1101, func)
                        .reason(format!(
                            "rows of `{name}` cannot be computed apart: the size of an output depends on values"
                        ))
                        .hint(HINT));
                }
                let outputs = (outputs, Vec::new());
                return finish(bound, &open, outputs, (conditions, Some(rows)), &options.max)
                    .map(Some);
            }
            Err(error) if !unlimited.is_empty() => return Err(error),
            Err(_) => {}
        }
    }
    let (outputs, conditions, rows) = match (
        padded_shapes(context, func, symbols, options, (&open, Buffers::InParts)),
        strided,
    ) {
        (Ok(own), _) => ((own.outputs, own.laid), own.conditions, None),
        (Err(_), Some((outputs, conditions, rows))) => {
            ((outputs, Vec::new()), conditions, Some(rows))
        }
        (Err(error), None) => return Err(error),
    };
    finish(bound, &open, outputs, (conditions, rows), &options.max).map(Some)
}

/// What is known of the sizes, in terms of the symbols that stay open, which have these bounds. Of outputs and their buffers.
pub fn finish(
    symbols: Symbols,
    open: &[usize],
    (outputs, laid): (Vec<Vec<DimExpr>>, Vec<Vec<DimExpr>>),
    (conditions, rows): (Vec<Constraint>, Option<Rows>),
    max: &[(String, i64)],
) -> Result<DynamicShapes, Diagnostic> {
    let position = |symbol: usize| open.iter().position(|one| *one == symbol);
    let by = |variable| match variable {
        Variable::Symbol(index) => {
            position(index).map(|index| DimExpr::variable(Variable::Symbol(index)))
        }
        Variable::Dimension(..) => Some(DimExpr::variable(variable)),
    };
    let lost = || Diagnostic::new(codes::S9001).reason("a size has a symbol with a value");
    let renumbered = |list: &[Vec<DimExpr>]| -> Result<Vec<Vec<DimExpr>>, Diagnostic> {
        let shape = |shape: &Vec<DimExpr>| shape.iter().map(|size| size.replaced(&by)).collect();
        list.iter().map(shape).collect::<Option<_>>().ok_or_else(lost)
    };
    let own = symbols.constraints.iter().map(|(condition, _)| condition);
    let mut shapes = DynamicShapes {
        symbols: open.iter().map(|index| symbols.names[*index].clone()).collect(),
        values: open.iter().map(|index| symbols.values[*index].clone()).collect(),
        bounds: open.iter().map(|index| bound_of(&symbols.names[*index], max)).collect(),
        inputs: renumbered(&symbols.shapes)?,
        outputs: renumbered(&outputs)?,
        laid: renumbered(&laid)?,
        constraints: Vec::new(),
        batch: rows.and_then(|rows| {
            Some(Batch {
                symbol: position(rows.symbol)?,
                inputs: rows.inputs,
                outputs: rows.outputs,
            })
        }),
    };
    // A bound is a condition of its own.
    let bounds: Vec<_> = open
        .iter()
        .zip(&shapes.bounds)
        .map(|(symbol, bound)| {
            let symbol = DimExpr::variable(Variable::Symbol(*symbol));
            Some(Constraint::NotNegative(DimExpr::constant((*bound)?).minus(&symbol)?))
        })
        .collect();
    let own = own.filter(|condition| !bounds.contains(&Some((*condition).clone())));
    let own = own.map(|one| one.replaced(&by, &Domain::default()));
    shapes.constraints = own.collect::<Option<_>>().ok_or_else(lost)?;
    for condition in conditions {
        let condition = condition.replaced(&by, &Domain::default()).ok_or_else(lost)?;
        add(&mut shapes.constraints, condition);
    }
    add_conditions(&mut shapes);
    Ok(shapes)
}

/// The largest value of a symbol, if it has one.
fn bound_of(name: &String, max: &[(String, i64)]) -> Option<i64> {
    max.iter().find(|(known, _)| known == name).map(|(_, most)| *most)
}

/// Adds a condition that does not follow from another one.
fn add(constraints: &mut Vec<Constraint>, condition: Constraint) {
    if constraints.iter().all(|known| !known.implies(&condition)) {
        constraints.push(condition);
    }
}

/// Adds conditions that every object has: its bound on the size of a batch, an example where an output is the same for all, and sizes that
/// are not negative.
fn add_conditions(shapes: &mut DynamicShapes) {
    if let Some(batch) = &shapes.batch {
        let symbol = DimExpr::variable(Variable::Symbol(batch.symbol));
        let largest = shapes.bounds[batch.symbol];
        let room = largest.and_then(|most| DimExpr::constant(most).minus(&symbol));
        if let Some(room) = room {
            add(&mut shapes.constraints, Constraint::NotNegative(room));
        }
        // Without rows, outputs that are the same for all would not be written.
        if batch.outputs.contains(&None)
            && let Some(others) = symbol.minus(&DimExpr::constant(1))
        {
            add(&mut shapes.constraints, Constraint::NotNegative(others));
        }
    }
    let sizes = shapes.inputs.iter().chain(&shapes.outputs).flatten();
    let negative = sizes.filter(|size| !Domain::default().is_at_least(size, 0));
    for size in negative.cloned().collect::<Vec<_>>() {
        add(&mut shapes.constraints, Constraint::NotNegative(size));
    }
}

/// The conditions that the program is right under for sizes up to the bounds of the other symbols than the number of rows. None of them
/// depends on that number.
fn beside_rows<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
    (open, rows): (&[usize], usize),
) -> Result<Vec<Constraint>, Diagnostic> {
    if open == [rows] {
        return Ok(Vec::new());
    }
    let one = (symbols.names[rows].clone(), 1);
    let bounded = options.max.iter().filter(|(name, _)| *name != one.0);
    let max = bounded.cloned().chain([one.clone()]).collect();
    let options = Options { max, least: vec![one], ..options.clone() };
    padded_shapes(context, func, symbols, &options, (open, Buffers::Whole))
        .map(|own| own.conditions)
}

/// What is known of the sizes of the padded program.
fn padded_shapes<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
    (open, buffers): (&[usize], Buffers<'_>),
) -> Result<padded::Shapes, Diagnostic> {
    let most = |name: &String| {
        let max = options.max.iter().find(|(own, _)| own == name);
        max.map_or(MOST_ROWS_TRIED, |(_, size)| *size)
    };
    let names = open.iter().map(|index| &symbols.names[*index]);
    let bounds = names.map(|name| (name.clone(), most(name))).collect();
    let options = Options { bounds, ..options.clone() };
    let copy = Builder::before(context, func).insert(func.clone_detached());
    let shapes = padded::pad_to_bounds(context, copy, symbols, &options, buffers);
    copy.erase();
    shapes
}
