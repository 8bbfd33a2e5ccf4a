//! Modules of named sequences, as `strata schedule` prints them.

use strata_ir::{AttributeExt as _, Module, Op, module_op, transform};

use crate::transform::script::{Cleaning, clean};

/// The text of a module that holds `sequences`, which clean up as `cleaning` says.
pub fn library_text(sequences: &[String], cleaning: Cleaning) -> String {
    let mut text = String::from("module attributes {transform.with_named_sequence} {\n");
    text.push_str(&clean(cleaning));
    for sequence in sequences {
        text.push('\n');
        text.push_str(sequence);
    }
    text.push_str("}\n");
    text
}

/// The sequence called `name`.
pub fn sequence_of<'c>(library: &Module<'c>, name: &str) -> Option<Op<'c>> {
    module_op(library)
        .body(0)
        .ops()
        .into_iter()
        .find(|op| op.is(transform::NAMED_SEQUENCE) && strata_ir::function_name(*op) == name)
}

/// The names of all sequences.
pub fn sequence_names(library: &Module<'_>) -> Vec<String> {
    let sequences = module_op(library).body(0).ops().into_iter();
    let named = sequences.filter(|op| op.is(transform::NAMED_SEQUENCE));
    named.filter_map(|op| op.attr("sym_name")?.as_str().map(str::to_owned)).collect()
}
