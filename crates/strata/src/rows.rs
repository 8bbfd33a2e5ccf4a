//! Programs whose number of rows is open: which numbers of rows they are compiled for.

use strata_codegen::rows::{RowDimension, RowEntry};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_ir::{
    Options, new_context,
    sizes::{Size, Truth, Variable},
};

use crate::{compiler::Compiler, stage::Stage};

/// The numbers of rows that every such program has code for: any number is a sum of these with few terms.
const VERSIONS: &[u64] = &[1, 2, 3, 4, 8, 16, 32];

/// What an object for any number of rows consists of.
pub(crate) struct Plan {
    /// The entry.
    pub(crate) entry: RowEntry,
}

/// The plan of a compilation that ends in code, where the options leave sizes open.
///
/// # Errors
/// As [`plan`].
pub(crate) fn of(
    compiler: &Compiler<'_>,
    name: &str,
    bytes: &[u8],
) -> Result<Option<Plan>, Diagnostics> {
    let options = &compiler.options;
    let is_asked = options.open
        && compiler.from == Stage::Input
        && compiler.to >= Stage::LlvmIr
        && !options.is_joint()
        && options.input_shapes.is_none();
    if is_asked { plan(options, name, bytes) } else { Ok(None) }
}

/// The plan of a program; `None` if all its sizes are given.
///
/// # Errors
/// `S1101` for a program that does not compute its rows apart, `S1106` for wrong sizes.
pub(crate) fn plan(
    options: &Options,
    name: &str,
    bytes: &[u8],
) -> Result<Option<Plan>, Diagnostics> {
    // Text without a question mark has no open size.
    if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&b'?') {
        return Ok(None);
    }
    let context = new_context();
    let mut module = strata_vhlo::parse(&context, name, bytes)?;
    let Some((symbols, rows)) = strata_hlo::rows(&context, &mut module, options)? else {
        return Ok(None);
    };
    let dimensions = |list: &[Option<strata_hlo::RowDimension>]| {
        let one = |row: &Option<strata_hlo::RowDimension>| {
            row.map(|row| RowDimension { dim: row.dim, factor: row.factor as u64 })
        };
        list.iter().map(one).collect()
    };
    let symbol = symbols.names[rows.symbol].clone();
    let variable = Variable::Symbol(rows.symbol);
    let mut conditions: Vec<Truth> =
        symbols.constraints.iter().map(|(truth, _)| truth.clone()).collect();
    let largest = options.max.iter().find(|(name, _)| *name == symbol).map(|(_, size)| *size);
    if let Some(unknown) = options.max.iter().chain(&options.also).find(|(name, _)| *name != symbol)
    {
        return Err(Diagnostic::new(codes::S1106)
            .reason(format!("`{}` is not the symbol that is left open, `{symbol}`", unknown.0))
            .into());
    }
    let holds = |rows: i64, conditions: &[Truth]| {
        let value = |at| (at == variable).then_some(rows);
        conditions.iter().all(|truth: &Truth| truth.holds(&value) == Some(true))
    };
    if let Some(largest) = largest {
        let left = Size::known(largest).minus(&Size::variable(variable));
        conditions.extend(left.map(Truth::NotNegative));
    }
    // Without rows, outputs that are the same for all would not be written.
    if rows.outputs.contains(&None) {
        let one = Size::variable(variable).minus(&Size::known(1)).map(Truth::NotNegative);
        let is_new = |one: &Truth| !conditions.iter().any(|known| known.implies(one));
        let one = one.filter(is_new);
        conditions.extend(one);
    }
    let mut versions: Vec<u64> = VERSIONS.to_vec();
    for (_, size) in &options.also {
        match u64::try_from(*size) {
            Ok(rows) if rows > 0 && holds(*size, &conditions) => versions.push(rows),
            _ => {
                return Err(Diagnostic::new(codes::S1106)
                    .reason(format!("the program does not take `{symbol}` = {size}"))
                    .into());
            }
        }
    }
    if let Some(largest) = largest {
        versions.retain(|rows| *rows <= largest.max(1) as u64);
    }
    versions.sort_unstable();
    versions.dedup();
    let text = |truth: &Truth| truth.text(&|variable| symbols.name(variable));
    let entry = RowEntry {
        conditions: conditions.iter().map(|truth| (truth.clone(), text(truth))).collect(),
        symbol: symbol.clone(),
        inputs: dimensions(&rows.inputs),
        outputs: dimensions(&rows.outputs),
        versions,
    };
    entry.check()?;
    // Parts of a call have fewer rows than the whole, which conditions may not hold for.
    let apart = entry.versions.iter().all(|rows| holds(*rows as i64, &conditions));
    if !apart {
        return Err(Diagnostic::new(codes::S1101)
            .reason(format!(
                "rows of `{symbol}` cannot be computed apart: the program asserts {}",
                entry
                    .conditions
                    .iter()
                    .map(|(_, text)| text.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            ))
            .hint(format!("`--bind {symbol}=8` compiles for one size"))
            .into());
    }
    Ok(Some(Plan { entry }))
}
