//! Flattens tuples in the signature of the entry.
//!
//! ```text
//! func.func @main(%t: tuple<a, tuple<b, c>>) -> tuple<b, c>   →   func.func @main(%0: a, %1: b, %2: c) -> (b, c)
//! ```
//!
//! Nested tuples are flattened from left to right. Calls are inlined, and loops and branches carry no tuples: the remaining ones are built
//! and immediately unpacked, which [`crate::interop::annotations::ElementOfTuple`] folds.

use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, Context, Op, Type, Value, array, dictionary,
    function, function_types, int, integer, stablehlo, tuple_types, type_attr,
};

fn is_tuple(ty: Type<'_>) -> bool {
    tuple_types(ty).is_some()
}

/// The types of the elements; `ty` itself if it is not a tuple.
pub(crate) fn leaves<'c>(ty: Type<'c>) -> Vec<Type<'c>> {
    match tuple_types(ty) {
        Some(types) => types.into_iter().flat_map(leaves).collect(),
        None => vec![ty],
    }
}

/// For `ty` and each type in it, outermost first, the number of its elements; -1 if it is not a tuple.
pub(crate) fn arities(ty: Type<'_>) -> Vec<i64> {
    let Some(types) = tuple_types(ty) else { return vec![-1] };
    let inner = types.iter().flat_map(|ty| arities(*ty));
    std::iter::once(types.len() as i64).chain(inner).collect()
}

fn all_leaves<'c>(types: &[Type<'c>]) -> Vec<Type<'c>> {
    types.iter().copied().flat_map(leaves).collect()
}

/// The elements of `value`, extracted.
fn unpacked<'c>(builder: &Builder<'c>, value: Value<'c>) -> Vec<Value<'c>> {
    let Some(types) = tuple_types(value.ty()) else { return vec![value] };
    let element = |(index, ty): (usize, Type<'c>)| {
        let index = int(integer(builder.context, 32), index as i64);
        let element = builder.op(stablehlo::GET_TUPLE_ELEMENT).operand(value).attr("index", index);
        unpacked(builder, element.result(ty).value())
    };
    types.into_iter().enumerate().flat_map(element).collect()
}

/// The value of type `ty` whose elements come from `elements`.
pub(crate) fn packed<'c>(
    builder: &Builder<'c>,
    ty: Type<'c>,
    elements: &mut impl Iterator<Item = Value<'c>>,
) -> Option<Value<'c>> {
    let Some(types) = tuple_types(ty) else { return elements.next() };
    let operands: Vec<_> =
        types.into_iter().map(|ty| packed(builder, ty, elements)).collect::<Option<_>>()?;
    Some(builder.op(stablehlo::TUPLE).operands(&operands).result(ty).value())
}

/// Replaces the block's arguments by their elements.
fn flatten_arguments<'c>(context: &'c Context, block: Block<'c>, owner: Op<'c>) {
    let old = block.args();
    if !old.iter().any(|argument| is_tuple(argument.ty())) {
        return;
    }
    let start = Builder::at_start(context, block, owner.location());
    for argument in &old {
        let types = leaves(argument.ty());
        let new: Vec<_> =
            types.into_iter().map(|ty| block.add_arg(ty, argument.location())).collect();
        if let Some(value) = packed(&start, argument.ty(), &mut new.into_iter()) {
            argument.replace_all_uses_with(value);
        }
    }
    old.iter().for_each(|_| block.erase_arg(0));
}

/// Makes the block return the elements of its results.
fn flatten_returned<'c>(context: &'c Context, block: Block<'c>) {
    let Some(end) = block.terminator() else { return };
    if end.operands().iter().any(|value| is_tuple(value.ty())) {
        let builder = Builder::before(context, end);
        let values: Vec<_> =
            end.operands().into_iter().flat_map(|value| unpacked(&builder, value)).collect();
        builder.op(end.name()).operands(&values).build();
        end.erase();
    }
}

/// Flattens the tuples in the signature of `func`.
pub fn flatten<'c>(context: &'c Context, func: Op<'c>) {
    let ty = func.attr("function_type").and_then(|ty| ty.as_type());
    let Some((inputs, outputs)) = ty.and_then(function_types) else { return };
    if !inputs.iter().chain(&outputs).any(|ty| is_tuple(*ty)) {
        return;
    }
    let [block] = func.region(0).blocks()[..] else { return };
    flatten_arguments(context, block, func);
    flatten_returned(context, block);
    let ty = function(context, &all_leaves(&inputs), &all_leaves(&outputs));
    func.set_attr("function_type", type_attr(ty));
    let renumbered = |attribute| renumbered(context, attribute, &outputs);
    spread_attributes(context, func, "arg_attrs", &inputs, renumbered);
    spread_attributes(context, func, "res_attrs", &outputs, |attribute| attribute);
}

/// Expands an array with an entry per value of `types` to one per element; empty entries for elements of tuples.
fn spread_attributes<'c>(
    context: &'c Context,
    func: Op<'c>,
    name: &str,
    types: &[Type<'c>],
    kept: impl Fn(Attribute<'c>) -> Attribute<'c>,
) {
    let Some(old) = func.attr(name).and_then(|list| list.as_array()) else { return };
    let Some(nothing) = dictionary(context, &[]) else { return };
    let of_one = |(attribute, ty): (&Attribute<'c>, &Type<'c>)| match is_tuple(*ty) {
        true => vec![nothing; leaves(*ty).len()],
        false => vec![kept(*attribute)],
    };
    let new: Vec<_> = old.iter().zip(types).flat_map(of_one).collect();
    func.set_attr(name, array(context, &new));
}

/// The attributes of an argument with the index of its donated output updated.
fn renumbered<'c>(
    context: &'c Context,
    attributes: Attribute<'c>,
    outputs: &[Type<'c>],
) -> Attribute<'c> {
    const ALIASED: &str = "tf.aliasing_output";
    let aliased = attributes.entry(ALIASED).and_then(|output| output.as_i64());
    let Some(output) = aliased.and_then(|output| usize::try_from(output).ok()) else {
        return attributes;
    };
    let Some(preceding) = outputs.get(..output) else { return attributes };
    let moved = int(integer(context, 32), all_leaves(preceding).len() as i64);
    let entries = attributes.as_dictionary().unwrap_or_default();
    let entries: Vec<_> = entries
        .into_iter()
        .map(|(name, value)| (name, if name == ALIASED { moved } else { value }))
        .collect();
    dictionary(context, &entries).unwrap_or(attributes)
}
