//! Programs with errors: the text of another family's program, damaged at one to three positions.
//!
//! They may be invalid, and their results are unknown: they must be rejected or compiled, in bounded time and memory.

use super::FAMILIES;
use crate::source::{Case, Source};
use strata_ir::{func, stablehlo};

const NUMBERS: [&str; 10] = [
    "0",
    "1",
    "-1",
    "2",
    "63",
    "4294967296",
    "2147483647",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
];

const WORDS: [&str; 24] = [
    "f32",
    "i1",
    "i4",
    "ui64",
    "f8E4M3FN",
    "complex<f32>",
    "index",
    "none",
    "?",
    "dense<>",
    "array<i64>",
    "tensor<f32>",
    "tensor<?xf32>",
    "tuple<>",
    "!stablehlo.token",
    "tensor<2x!quant.uniform<i8:f32, 0.5>>",
    "true",
    "@main",
    "%0",
    func::FUNC.as_str(),
    stablehlo::RETURN.as_str(),
    "unit",
    "{",
    "}",
];

/// A damaged program.
pub fn damaged(source: &mut Source) -> Case {
    let others: Vec<_> = FAMILIES.iter().filter(|family| family.name != "texts").collect();
    let family = others[source.below(others.len() as i64) as usize];
    let seed = source.bits();
    let text = (family.draw)(&mut Source::new(seed)).text;
    let mut tokens = tokens(&text);
    for _ in 0..source.between(1, 3) {
        damage(source, &mut tokens);
    }
    Case::exact(tokens.concat())
}

/// Words, numbers, single signs and the spaces between them.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut last = None;
    for letter in text.chars() {
        let kind = match letter {
            _ if letter.is_ascii_digit() => 0,
            _ if letter.is_alphabetic() || "%@#_.\"!".contains(letter) => 1,
            ' ' => 2,
            _ => 3,
        };
        match all.last_mut() {
            Some(token) if last == Some(kind) && kind != 3 => token.push(letter),
            _ => all.push(letter.to_string()),
        }
        last = Some(kind);
    }
    all
}

fn damage(source: &mut Source, tokens: &mut Vec<String>) {
    let count = tokens.len() as i64;
    if count < 2 {
        return;
    }
    let at = source.below(count) as usize;
    let other = source.below(count) as usize;
    match source.below(9) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[other].clone()),
        2 => tokens.swap(at, other),
        3 | 4 => {
            // A number near the chosen position.
            let number = |token: &String| token.starts_with(|letter: char| letter.is_ascii_digit());
            if let Some(found) = (at..tokens.len()).find(|at| number(&tokens[*at])) {
                tokens[found] = source.pick(&NUMBERS).to_owned();
            }
        }
        5 => tokens[at] = source.pick(&WORDS).to_owned(),
        6 => {
            let end = (at + source.between(1, 30) as usize).min(tokens.len());
            tokens.drain(at..end);
        }
        7 => {
            let end = (at + source.between(1, 60) as usize).min(tokens.len());
            let copied = tokens[at..end].to_vec();
            tokens.splice(other..other, copied);
        }
        _ => tokens.truncate(at),
    }
}
