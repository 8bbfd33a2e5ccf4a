//! Long programs of few kinds of nests, whose operands are often the same tensor: equal nests share a function, while the
//! aliasing of their buffers differs from call to call.

use crate::source::{Case, Source, Tensor};

/// Tensors that the next operation may read.
const ALIVE: usize = 3;

pub fn program(source: &mut Source) -> Case {
    let size = source.pick(&[4, 8, 12]);
    let element = source.pick(&["i32", "f32"]);
    let ty = Tensor::new(&[size, size], element);
    let kinds: &[&str] = match element {
        "f32" => &["add", "subtract", "maximum", "reverse", "transpose"],
        _ => &["add", "multiply", "xor", "dot", "reverse", "transpose"],
    };
    let drawn = source.between(1, 3);
    let kinds: Vec<&str> = (0..drawn).map(|_| source.pick(kinds)).collect();
    let mut alive: Vec<String> = (0..ALIVE).map(|at| format!("%x{at}")).collect();
    let arguments: Vec<_> = alive.iter().map(|name| format!("{name}: {ty}")).collect();
    let mut lines = Vec::new();
    for number in 0..source.between(50, 90) {
        let (a, b) = (source.pick(&alive), source.pick(&alive));
        let operation = match source.pick(&kinds) {
            "dot" => format!(
                "stablehlo.dot_general {a}, {b}, contracting_dims = [1] x [0] : ({ty}, {ty}) -> {ty}"
            ),
            "reverse" => format!("stablehlo.reverse {a}, dims = [0] : {ty}"),
            "transpose" => format!("stablehlo.transpose {a}, dims = [1, 0] : ({ty}) -> {ty}"),
            name => format!("stablehlo.{name} {a}, {b} : {ty}"),
        };
        // Kept separate: these are not fused.
        lines.push(format!("  %w{number} = {operation}"));
        lines.push(format!("  %v{number} = stablehlo.optimization_barrier %w{number} : {ty}"));
        let at = source.below(ALIVE as i64) as usize;
        alive[at] = format!("%v{number}");
    }
    let types = vec![ty.to_string(); ALIVE].join(", ");
    Case::exact(format!(
        "func.func public @main({}) -> ({types}) {{\n{}\n  return {} : {types}\n}}\n",
        arguments.join(", "),
        lines.join("\n"),
        alive.join(", "),
    ))
}
