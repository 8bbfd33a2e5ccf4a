//! What headers and tables say of entries with dynamic shapes.

mod expressions;
pub mod wrappers;

use strata_ir::Signature;
use strata_shapes::{DimExpr, Specializations};

/// The texts of the conditions, the ranges of the symbols last.
pub(crate) fn constraint_texts(entry: &Specializations, signature: &Signature) -> Vec<String> {
    let own = entry.shapes.constraint_texts().into_iter();
    let range = |(index, name): (usize, &String)| {
        format!("0 <= {name} <= {}", entry.most(index, signature))
    };
    own.chain(entry.shapes.symbols.iter().enumerate().map(range)).collect()
}

/// What each dimension of the inputs has to be, as conditions: `x.1 == 2*b`.
pub(crate) fn dimension_texts(entry: &Specializations, signature: &Signature) -> Vec<String> {
    let symbol = |variable| entry.shapes.shown(variable);
    let mut texts = Vec::new();
    for (input, sizes) in entry.shapes.inputs.iter().enumerate() {
        let given = signature.input_names.get(input).filter(|name| !name.is_empty());
        let name = given.cloned().unwrap_or_else(|| format!("input{input}"));
        let text =
            |(dim, size): (usize, &DimExpr)| format!("{name}.{dim} == {}", size.text(&symbol));
        texts.extend(sizes.iter().enumerate().map(text));
    }
    texts
}
