//! Programs some of whose symbols stay open in the object: at most one is a number of rows, which are computed apart; the others
//! have bounds.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Context, Op, Options, TypeExt as _, diagnostic_at,
    sizes::{Size, Variable},
};
use strata_rewrite::apply_greedily;

use super::{PATTERNS, Rows, Symbols, bind, inputs, is_dynamic, padded, rows, set_sizes};

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
    let bound = symbols.bound(&options.bind);
    let whole = (open.len() > 1).then(|| padded::output_sizes(func, &bound.shapes)).transpose()?;
    for candidate in candidates {
        match of_rows(context, func, (symbols, candidate), options, whole.as_deref()) {
            Ok((rows, outputs)) => {
                let inputs = bound.shapes.clone();
                return Ok(Some(Open { symbols: bound, open, inputs, outputs, rows: Some(rows) }));
            }
            Err(error) if !unlimited.is_empty() => return Err(error),
            Err(_) => {}
        }
    }
    let outputs = match whole {
        Some(outputs) => outputs,
        None => padded::output_sizes(func, &bound.shapes)?,
    };
    let inputs = bound.shapes.clone();
    Ok(Some(Open { symbols: bound, open, inputs, outputs, rows: None }))
}

/// The rows of the program along one symbol, where the other open ones have their largest sizes, and the sizes of outputs. These
/// are `whole`, if other symbols are open.
fn of_rows<'c>(
    context: &'c Context,
    func: Op<'c>,
    (symbols, symbol): (&Symbols, usize),
    options: &Options,
    whole: Option<&[Vec<Size>]>,
) -> Result<(Rows, Vec<Vec<Size>>), Diagnostic> {
    let name = &symbols.names[symbol];
    let bind = options.bind.iter().chain(&options.max).filter(|(other, _)| other != name);
    let bound = symbols.bound(&bind.cloned().collect::<Vec<_>>());
    let copy = Builder::before(context, func).insert(func.clone_detached());
    set_sizes(context, copy, &bound.shapes_at(&|_| None));
    let found =
        apply_greedily(context, copy, PATTERNS).and_then(|_| rows::of(copy, &bound, symbol));
    let returned = copy.region(0).first_block().and_then(|block| block.terminator());
    let types = returned.map(|end| end.operands()).unwrap_or_default();
    let shapes: Vec<_> = types.iter().map(|value| value.ty().shape().unwrap_or_default()).collect();
    copy.erase();
    let rows = found?;
    let variable = Variable::Symbol(symbol);
    let number = |factor: i64| Size::variable(variable).times(&Size::known(factor));
    let Some(whole) = whole else {
        let outputs = shapes.into_iter().zip(&rows.outputs).map(|(shape, own)| {
            let mut sizes: Vec<Size> = shape.into_iter().map(Size::known).collect();
            if let Some((own, size)) = own.and_then(|own| Some((own, number(own.factor)?))) {
                sizes[own.dim] = size;
            }
            sizes
        });
        let outputs = outputs.collect();
        return Ok((rows, outputs));
    };
    // Whatever sizes the other symbols have, rows are in the same dimension, and those before it have size 1.
    let inputs = symbols.bound(&options.bind).shapes;
    let tensors = inputs.iter().zip(&rows.inputs).chain(whole.iter().zip(&rows.outputs));
    for (sizes, own) in tensors {
        let fits = sizes.iter().enumerate().all(|(dim, size)| match own {
            Some(own) if dim == own.dim => number(own.factor).as_ref() == Some(size),
            Some(own) if dim < own.dim => size.as_known() == Some(1),
            _ => !size.variables().contains(&variable),
        });
        if !fits {
            return Err(diagnostic_at(codes::S1101, func)
                .reason(format!(
                    "rows of `{name}` cannot be computed apart: where they are depends on other sizes"
                ))
                .hint(hint(name)));
        }
    }
    Ok((rows, whole.to_vec()))
}
