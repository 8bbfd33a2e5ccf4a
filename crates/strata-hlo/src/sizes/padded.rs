//! Programs for any size up to a bound: their dimensions have the bound's size, and they take the actual sizes as inputs.

use strata_diag::Diagnostic;
use strata_ir::{
    AttributeExt as _, Context, DYNAMIC, Op, Options, TypeExt as _, array, dictionary, integer,
    sizes::Size, tensor,
};

use super::{Symbols, inputs, is_dynamic, set_signature, set_sizes};

/// Gives the dimensions of `options.bounds` their sizes, and the function an input `tensor<i64>` for each, after its own.
///
/// # Errors
/// None yet.
pub fn pad_to_bounds<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
) -> Result<(), Diagnostic> {
    let given = |index: usize| {
        let mut all = options.bind.iter().chain(&options.bounds);
        all.find(|(name, _)| *name == symbols.names[index]).map(|(_, size)| *size)
    };
    set_sizes(context, func, &symbols.shapes_at(&given));
    let Some(block) = func.region(0).first_block() else { return Ok(()) };
    let size = tensor(&[], integer(context, 64));
    for _ in &options.bounds {
        block.add_arg(size, func.location());
    }
    let attributes = func.attr("arg_attrs").and_then(|list| list.as_array());
    if let Some((mut list, none)) = attributes.zip(dictionary(context, &[])) {
        list.resize(block.arg_count(), none);
        func.set_attr("arg_attrs", array(context, &list));
    }
    set_signature(context, func);
    Ok(())
}

/// The sizes of the outputs, as expressions of symbols. `shapes` has those of the inputs.
///
/// # Errors
/// None yet.
pub fn output_sizes(func: Op<'_>, shapes: &[Vec<Size>]) -> Result<Vec<Vec<Size>>, Diagnostic> {
    let returned = func.region(0).first_block().and_then(|block| block.terminator());
    let of_type = |shape: &[i64]| {
        let same = inputs(func).iter().position(|input| {
            is_dynamic(input.ty()) && input.ty().shape().as_deref() == Some(shape)
        });
        same.and_then(|input| shapes.get(input).cloned())
    };
    let sizes = returned.map(|end| end.operands()).unwrap_or_default().into_iter().map(|value| {
        let shape = value.ty().shape().unwrap_or_default();
        match shape.contains(&DYNAMIC) {
            true => of_type(&shape).unwrap_or_default(),
            false => shape.into_iter().map(Size::known).collect(),
        }
    });
    Ok(sizes.collect())
}
