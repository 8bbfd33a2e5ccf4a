//! Expressions of sizes in the languages of the wrappers.

use strata_shapes::{DimExpr, DimFactor, Variable};

/// The languages that expressions of sizes are written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Cxx,
    Rust,
}

/// A number as it is written with a type.
pub(super) fn number(number: i64, language: Language) -> String {
    match language {
        Language::Rust => format!("{number}_i64"),
        Language::Cxx => format!("std::int64_t{{{number}}}"),
    }
}

/// An expression of the list `symbols`, in parentheses where it is a sum.
pub(super) fn expression(size: &DimExpr, language: Language) -> String {
    let terms = size.terms().map(|(atoms, factor)| {
        let mut parts: Vec<String> = atoms.iter().map(|atom| of_atom(atom, language)).collect();
        if factor != 1 || parts.is_empty() {
            parts.insert(0, number(factor, language));
        }
        parts.join(" * ")
    });
    let terms: Vec<_> = terms.collect();
    match terms.len() {
        0 => number(0, language),
        1 => terms[0].clone(),
        _ => format!("({})", terms.join(" + ")),
    }
}

fn of_atom(atom: &DimFactor, language: Language) -> String {
    let of = |size: &DimExpr| format!("({})", expression(size, language));
    let method = |a: &DimExpr, name: &str, b: &DimExpr| format!("{}.{name}{}", of(a), of(b));
    let chosen = |a: &DimExpr, sign: &str, b: &DimExpr| {
        let (a, b) = (of(a), of(b));
        format!("({a} {sign} {b} ? {a} : {b})")
    };
    // Rounded down.
    let remainder = |a: &DimExpr, b: &DimExpr| {
        let (a, b) = (of(a), of(b));
        format!("(({a} % {b} + {b}) % {b})")
    };
    match (atom, language) {
        (DimFactor::Variable(Variable::Symbol(index)), _) => format!("symbols[{index}]"),
        (DimFactor::Variable(Variable::Dimension(..)), _) => number(0, language),
        (DimFactor::FloorDiv(a, b), Language::Rust) => method(a, "div_euclid", b),
        (DimFactor::Mod(a, b), Language::Rust) => method(a, "rem_euclid", b),
        (DimFactor::Max(a, b), Language::Rust) => method(a, "max", b),
        (DimFactor::Min(a, b), Language::Rust) => method(a, "min", b),
        (DimFactor::Sign(a), Language::Rust) => format!("{}.signum()", of(a)),
        (DimFactor::FloorDiv(a, b), Language::Cxx) => {
            format!("(({} - {}) / {})", of(a), remainder(a, b), of(b))
        }
        (DimFactor::Mod(a, b), Language::Cxx) => remainder(a, b),
        (DimFactor::Max(a, b), Language::Cxx) => chosen(a, ">", b),
        (DimFactor::Min(a, b), Language::Cxx) => chosen(a, "<", b),
        (DimFactor::Sign(a), Language::Cxx) => {
            let a = of(a);
            format!("(std::int64_t{{{a} > 0}} - std::int64_t{{{a} < 0}})")
        }
    }
}
