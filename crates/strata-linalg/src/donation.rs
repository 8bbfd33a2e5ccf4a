//! Which outputs may share an input's buffer.
//!
//! ```mlir
//! func.func @main(%cache: tensor<9xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<f32> {jax.buffer_donor = true})
//! ```
//! becomes the attribute `strata.donations = array<i64: -1, 0>` of the entry: for each output the input, or -1.
//! `tf.aliasing_output` names the output; a donor without one is matched with the first free output of its type, if
//! any.

use strata_ir::{AttributeExt as _, Context, DONATIONS, Op, Type, i64s};

/// For each output the input whose buffer it may share.
pub fn pairs<'c>(func: Op<'c>, inputs: &[Type<'c>], outputs: &[Type<'c>]) -> Vec<Option<usize>> {
    let attributes = func.attr("arg_attrs").and_then(|list| list.as_array()).unwrap_or_default();
    let attribute =
        |input: usize, name: &str| attributes.get(input).and_then(|one| one.entry(name));
    let mut taken = vec![None; outputs.len()];
    for (input, ty) in inputs.iter().enumerate() {
        let named = attribute(input, "tf.aliasing_output").and_then(|output| output.as_i64());
        let Some(output) = named.and_then(|output| usize::try_from(output).ok()) else { continue };
        // A buffer of another size cannot hold the output; the second of two inputs has none left.
        if outputs.get(output) == Some(ty) && taken[output].is_none() {
            taken[output] = Some(input);
        }
    }
    for (input, ty) in inputs.iter().enumerate() {
        let is_donor =
            attribute(input, "jax.buffer_donor").and_then(|donor| donor.as_bool()) == Some(true);
        if !is_donor || taken.contains(&Some(input)) {
            continue;
        }
        let free =
            (0..outputs.len()).find(|&output| taken[output].is_none() && outputs[output] == *ty);
        if let Some(output) = free {
            taken[output] = Some(input);
        }
    }
    taken
}

/// Records the pairs on the entry, if there are any.
pub fn record<'c>(context: &'c Context, func: Op<'c>, pairs: &[Option<usize>]) {
    if pairs.iter().any(Option::is_some) {
        let inputs: Vec<_> =
            pairs.iter().map(|input| input.map_or(-1, |input| input as i64)).collect();
        func.set_attr(DONATIONS, i64s(context, &inputs));
    }
}
