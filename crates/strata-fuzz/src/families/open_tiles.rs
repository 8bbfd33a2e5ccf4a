//! Dots of bytes and `bf16`, some sizes of which are open, that are large enough for a processor's products of tiles.

use std::fmt::Write as _;

use strata_verify::Tolerance;

use crate::source::{Case, Source};

/// Around multiples of a tile's size.
const BOUNDS: &[i64] = &[9, 16, 17, 31, 33, 48, 64, 70];

/// The sizes of a dot: of its batch, its rows, its sums, its columns; `None` for open ones.
type Sizes = [Option<i64>; 4];

/// The type of a tensor with these of the sizes.
fn ty(sizes: &Sizes, roles: &[usize], element: &str) -> String {
    let mut text = "tensor<".to_owned();
    for role in roles {
        match sizes[*role] {
            Some(size) => write!(text, "{size}x").expect("a string takes all text"),
            None => text.push_str("?x"),
        }
    }
    text + element + ">"
}

/// A dot, and what reads its sums.
pub fn program(source: &mut Source) -> Case {
    let [left, right, sum] = source.pick(&[
        ["i8", "i8", "i32"],
        ["ui8", "ui8", "i32"],
        ["i8", "ui8", "i32"],
        ["ui8", "i8", "i32"],
        ["bf16", "bf16", "f32"],
        ["bf16", "bf16", "f32"],
    ]);
    // Of a batch of any number, small ones.
    let is_batch_open = source.once_in(4);
    let most = if is_batch_open { 32 } else { 80 };
    let (rows, columns) = (source.between(8, most), source.between(16, most));
    let mut sizes: Sizes =
        [Some(source.pick(&[1, 1, 2])), Some(rows), Some(source.between(64, 200)), Some(columns)];
    match is_batch_open {
        true => sizes[0] = None,
        false => sizes[source.between(1, 3) as usize] = None,
    }
    if source.once_in(3) {
        sizes[source.between(1, 3) as usize] = None;
    }
    let order = |source: &mut Source, own: usize| match source.once_in(2) {
        true => [0, own, 2],
        false => [0, 2, own],
    };
    let (lhs, rhs) = (order(source, 1), order(source, 3));
    let (x, y) = (ty(&sizes, &lhs, left), ty(&sizes, &rhs, right));
    let mut result = ty(&sizes, &[0, 1, 3], sum);
    let place = |roles: [usize; 3]| if roles[1] == 2 { 1 } else { 2 };
    let mut arguments = format!("%x: {x}, %y: {y}");
    let mut body = format!(
        "  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [{}] x [{}] : ({x}, {y}) -> {result}\n",
        place(lhs),
        place(rhs)
    );
    let mut value = "%0";
    if source.once_in(2) {
        write!(arguments, ", %z: {result}").expect("a string takes all text");
        body.push_str(&format!("  %1 = stablehlo.add %0, %z : {result}\n"));
        value = "%1";
    }
    if source.once_in(3) {
        body.push_str(&format!("  %2 = stablehlo.abs {value} : {result}\n"));
        value = "%2";
    }
    if source.once_in(3) {
        let to = ty(&sizes, &[0, 1, 3], if sum == "f32" { "bf16" } else { "i8" });
        body.push_str(&format!("  %3 = stablehlo.convert {value} : ({result}) -> {to}\n"));
        (value, result) = ("%3", to);
    }
    let text = format!(
        "func.func public @main({arguments}) -> {result} {{\n{body}  return {value} : {result}\n}}\n"
    );
    match sum {
        "f32" => Case::several(text, vec![Tolerance::default()], true),
        _ => Case::exact(text),
    }
    .up_to(BOUNDS)
}
