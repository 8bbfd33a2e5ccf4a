//! The order of the uses of a value, which bytecode keeps: that in which upstream's conversions leave it.
//!
//! A list of uses begins with the latest one. Upstream makes VHLO of the newest version first, operation by operation,
//! and then replaces operations by older versions: those create new uses of their operands, and uses of their results
//! are moved to the new results one by one, which reverses the order. Casts between dialects replace values likewise.

use std::collections::HashMap;

use strata_ir::{
    Module, Op, OpName, TypeExt as _, VHLO_OPS, Value, WalkOrder, builtin, module_op, vhlo_op,
};

use crate::{
    import::base,
    version::{Version, of_table},
};

/// The version of upstream's writer, that of jaxlib 0.10.2: operations added later were not replaced by it.
const WRITER: Version = Version::new(1, 17, 0);

const CAST: OpName<'_> = builtin::UNREALIZED_CONVERSION_CAST;

/// Reorders all uses in `module`, which were created in program order.
pub(crate) fn reorder(module: &Module<'_>) {
    let mut older = HashMap::new();
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        let is_older = is_older(op, &mut older);
        let is_cast = op.is(CAST) && op.operand(0).ty().dialect() != "vhlo";
        for result in op.results() {
            reorder_one(result, is_older, is_cast, &mut older);
        }
        for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
            for argument in block.args() {
                reorder_one(argument, false, false, &mut older);
            }
        }
    });
}

fn reorder_one<'c>(
    value: Value<'c>,
    is_older: bool,
    is_cast: bool,
    older: &mut HashMap<OpName<'c>, bool>,
) {
    let made = value.uses();
    if made.len() < 2 {
        return;
    }
    let (again, mut rest): (Vec<_>, Vec<_>) =
        made.iter().copied().partition(|(user, _)| self::is_older(*user, older));
    if is_cast {
        rest.reverse();
    }
    let mut wanted = [again, rest].concat();
    if is_older {
        wanted.reverse();
    }
    if wanted != made {
        // Setting an operand moves its use to the front.
        for (user, position) in wanted.into_iter().rev() {
            user.set_operand(position, value);
        }
    }
}

/// Whether the writer knew a newer version of the operation.
fn is_older<'c>(op: Op<'c>, known: &mut HashMap<OpName<'c>, bool>) -> bool {
    let name = op.name();
    *known.entry(name).or_insert_with(|| {
        let Some(own) = vhlo_op(name) else { return false };
        let same = VHLO_OPS.iter().filter(|row| base(row.name) == base(name));
        let mut newer = same.map(|row| of_table(row.since)).filter(|since| *since <= WRITER);
        newer.any(|since| since > of_table(own.since))
    })
}
