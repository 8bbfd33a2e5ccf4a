//! Which operations were seen next to each other.

use std::collections::BTreeMap;

use strata_ir::{self as ir, WalkOrder};

/// How often an operation reads the result of another: by the names of both.
pub type Pairs = BTreeMap<String, u64>;

/// Adds the pairs of a program; what cannot be read has none.
pub fn add(text: &str, pairs: &mut Pairs) {
    let context = crate::context();
    let Ok(module) = ir::parse_text(context, text) else { return };
    ir::module_op(&module).walk(WalkOrder::Pre, &mut |op| {
        for value in op.operands() {
            let from = match value.owner() {
                Some(owner) => owner.name().into(),
                None => match value.block_arg().and_then(|(block, _)| block.parent_op()) {
                    Some(parent) => format!("argument of {}", parent.name()),
                    None => continue,
                },
            };
            *pairs.entry(format!("{from} -> {}", op.name())).or_default() += 1;
        }
    });
}
