//! `func`: calls of functions of the module.

use strata_ir::{AttributeExt as _, Op};

use super::unknown;
use crate::prepare::{Prepared, Preparer, unsupported};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    if !op.is("func.call") {
        return unknown();
    }
    let Some(name) = op.attr("callee").and_then(|callee| callee.as_symbol()) else {
        return unsupported("it names no function");
    };
    let Some(function) = p.functions.get(name).copied() else {
        return unsupported(format!("`@{name}` is outside of the program"));
    };
    let (operands, results) = (p.operands(op), p.results(op));
    Ok(Box::new(move |machine| {
        let values = machine.all(&operands)?;
        let found = machine.call(function, values)?;
        for (slot, value) in results.iter().zip(found) {
            machine.set(*slot, value);
        }
        Ok(())
    }))
}
