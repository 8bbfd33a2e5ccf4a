//! The exchange of ragged rows to a call of the executor's function.
//!
//! ```text
//! %y = stablehlo.custom_call @ragged_all_to_all(%rows, %output, %from, %sizes, %to, %received)
//! ```
//! becomes
//! ```text
//! %y = func.call @strata.call.0(%rows, %from, %sizes, %to, %output)
//! ```
//! with a declaration that has the groups of devices. The result has the buffer of `%output`, whose rows stay where none is written.

use strata_ir::{Convention, Op, RAGGED_ALL_TO_ALL, Value, channel_of};
use strata_rewrite::{Guard as _, Lowerer, Outcome};

use crate::{
    lowerings::{
        collective::exchange,
        external_call::{Argument, Foreign},
    },
    numbers::narrow::call_types,
};

/// The operands that the function takes: the rows, the output, where rows begin, how many they are, where they are written. How many are
/// received is not read.
const TAKEN: usize = 5;

/// Lowers such a call.
///
/// # Errors
/// If operands or groups are missing.
pub fn lower<'c>(
    op: Op<'c>,
    operands: &[Value<'c>],
    lowerer: &mut Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let values = operands.get(..TAKEN).or_decline("operands are missing")?;
    let [operand_types, result_types] = call_types(op);
    let inputs = operand_types.iter().take(TAKEN);
    let call = Foreign {
        target: RAGGED_ALL_TO_ALL.to_owned(),
        convention: Convention::Collective,
        inputs: inputs.map(|ty| Argument::row_major(*ty)).collect(),
        outputs: result_types.iter().map(|ty| Argument::row_major(*ty)).collect(),
        aliases: vec![Some(1)],
        tuple: false,
        nesting: Vec::new(),
        config: exchange(op)?.to_attribute(lowerer.context()),
        channel: channel_of(op),
    };
    call.build(op, values, lowerer)
}
