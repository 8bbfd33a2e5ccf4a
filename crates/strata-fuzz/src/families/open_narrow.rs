//! Elementwise operations and conversions between narrow types on any number of rows, in rows of one vector and of several.

use strata_verify::Tolerance;

use super::scaled::Text;
use crate::source::{Case, Source};

const ELEMENTS: &[&str] =
    &["ui8", "i8", "i8", "i16", "i32", "f16", "bf16", "bf16", "bf16", "f32", "f32"];

/// Around what an object has code of its own for.
const BOUNDS: &[i64] = &[3, 19, 33, 64];

pub fn program(source: &mut Source) -> Case {
    let mut text = Text::default();
    let row = source.pick(&[8, 16, 16, 32, 32, 64, 17, 40]);
    let ty = |element: &str| format!("tensor<?x{row}x{element}>");
    let first = source.pick(ELEMENTS);
    let mut values = vec![("%x".to_owned(), first)];
    for _ in 0..source.between(2, 6) {
        let (value, from) = values[source.below(values.len() as i64) as usize].clone();
        let to = source.pick(ELEMENTS);
        let convert = format!("stablehlo.convert {value} : ({}) -> {}", ty(from), ty(to));
        let (operation, element) = match source.below(3) {
            0 => {
                let name = source.pick(&["add", "subtract", "multiply", "maximum"]);
                (format!("stablehlo.{name} {value}, {value} : {}", ty(from)), from)
            }
            1 if from.contains('f') => {
                let name = source.pick(&["abs", "negate"]);
                (format!("stablehlo.{name} {value} : {}", ty(from)), from)
            }
            // What is too large for an integer has no value.
            _ if from.contains('f') && !to.contains('f') => {
                (format!("stablehlo.negate {value} : {}", ty(from)), from)
            }
            _ => (convert, to),
        };
        let name = text.add(&operation);
        values.push((name, element));
    }
    let count = source.between(1, 2) as usize;
    let results = values.split_off(values.len().saturating_sub(count));
    let (names, types): (Vec<_>, Vec<_>) =
        results.into_iter().map(|(name, element)| (name, ty(element))).unzip();
    let program = format!(
        "func.func public @main(%x: {}) -> ({}) {{\n{}  return {} : {}\n}}\n",
        ty(first),
        types.join(", "),
        text.lines,
        names.join(", "),
        types.join(", ")
    );
    let tolerances = vec![Tolerance::default(); types.len()];
    Case::several(program, tolerances, true).up_to(BOUNDS)
}
