//! Rewords MLIR's messages for readers who do not know its internals.
//!
//! A pattern's `{}` matches any text; `{0}`, `{1}`, … in the reason and the hint are the matches.

use std::borrow::Cow;

use strata_diag::{Code, codes};

use super::{attributes, devices, quantized};

/// The replacement of a message of MLIR.
pub(super) struct Said {
    pub reason: String,
    pub hint: Option<String>,
    /// The code, if it is not a syntax error.
    pub code: Option<Code>,
}

/// Pattern, reason, hint, whether it is about a well-formed operation that violates its definition.
type Row = (&'static str, &'static str, Option<&'static str>, bool);

const RETURN: &str =
    "end a function with `return`, and a region of an operation with `stablehlo.return`";
const SIZES: &str = "a tensor type is written like `tensor<4x8xf32>`, with `?` for a dynamic size";

const ROWS: &[Row] = &[
    (
        "redefinition of SSA value '{}'",
        "the value `{0}` is defined twice",
        Some("rename one of them"),
        false,
    ),
    (
        "region entry argument '{}' is already in use",
        "the value `{0}` is defined twice",
        Some("rename one of them"),
        false,
    ),
    (
        "redefinition of symbol named '{}'",
        "the name `@{0}` is defined twice",
        Some("rename one of them"),
        true,
    ),
    (
        "operand #{} does not dominate this use",
        "operand {0} is used before its definition",
        Some("a value must be defined before its use, in the same or an enclosing region"),
        true,
    ),
    ("'{}' does not reference a valid function", "there is no function `@{0}`", None, true),
    (
        "incorrect number of operands for callee",
        "the call has a different number of operands than the function",
        None,
        true,
    ),
    (
        "incorrect number of results for callee",
        "the call has a different number of results than the function",
        None,
        true,
    ),
    (
        "operand type mismatch: expected operand type '{}', but provided '{}' for operand number {}",
        "operand {2} is {1}, but the function takes {0}",
        None,
        true,
    ),
    (
        "result type mismatch: expected result type '{}', but provided '{}' for result number {}",
        "result {2} is {1}, but the function returns {0}",
        None,
        true,
    ),
    (
        "result type mismatch at index {}",
        "the type of result {0} differs from the function's",
        None,
        true,
    ),
    (
        "has {} operands, but enclosing function (@{}) returns {}",
        "the number of returned values is {0}, but `@{1}` is declared with {2}",
        None,
        true,
    ),
    (
        "type of return operand {} ('{}') doesn't match function result type ('{}') in function @{}",
        "the returned value is {1}, but result {0} of `@{3}` is declared as {2}",
        None,
        true,
    ),
    ("block with no terminator, has {}", "the final `return` is missing", Some(RETURN), true),
    ("block with no terminator", "the final `return` is missing", Some(RETURN), true),
    (
        "empty block: expect at least a terminator",
        "the body is empty: nothing is returned",
        Some(RETURN),
        true,
    ),
    ("requires a single operand", "the operation takes 1 operand", None, true),
    ("requires zero operands", "the operation takes no operands", None, true),
    (
        "expected {} operands, but found {}",
        "the number of operands is {1}, but the operation takes {0}",
        None,
        true,
    ),
    (
        "expected {} or more operands, but found {}",
        "the number of operands is {1}, but the operation takes at least {0}",
        None,
        true,
    ),
    (
        "expected {} operand types but had {}",
        "the number of operands is {0}, but that of their types is {1}",
        None,
        false,
    ),
    (
        "operation defines {} results but was provided {} to bind",
        "the number of results is {0}, but that of their names is {1}",
        None,
        true,
    ),
    (
        "inferred shape of elements literal ([{}]) does not match type ([{}])",
        "the literal has shape [{0}], but the type has shape [{1}]",
        None,
        true,
    ),
    (
        "expected integer elements, but parsed floating-point",
        "the literal has floating-point numbers, but the type has integers",
        Some("write integers, or use a type such as `tensor<2xf32>`"),
        true,
    ),
    (
        "expected floating-point elements, but parsed integer",
        "the literal has integers, but the type has floating-point numbers",
        Some("write the numbers with a decimal point: `1.0`"),
        true,
    ),
    (
        "tensor literal is invalid; ranks are not consistent between elements",
        "the rows of the literal are of different lengths",
        None,
        true,
    ),
    (
        "expected 'x' in dimension list",
        "the type is incomplete, or its sizes are not separated by `x`",
        Some(SIZES),
        false,
    ),
    ("expected non-function type", "this is not a type", Some(SIZES), false),
    ("use of undeclared SSA value name", "no value of that name is defined", None, false),
    ("expected SSA operand", "expected a value, such as `%0`", None, false),
    ("expected operation name in quotes", "expected an operation", None, false),
    (
        "expected '\"' in string literal",
        "the string is not closed on its line",
        Some("close it with `\"`"),
        false,
    ),
    ("expected '{}' in {}", "expected `{0}` in the {1}", None, false),
    ("expected '{}' to {}", "expected `{0}` to {1}", None, false),
    ("expected '{}'", "expected `{0}`", None, false),
    ("custom op '{}' expected '{}'", "expected `{1}`", None, false),
    (
        "operation location alias was never defined",
        "this location is not defined",
        Some(
            "a line such as `#loc7 = loc(\"model.py\":3:1)` defines it; `loc(…)` may also be omitted",
        ),
        false,
    ),
    (
        "undefined symbol alias id '{}'",
        "`{0}` is not defined",
        Some("a line `#{0} = …` or `!{0} = …` defines it"),
        false,
    ),
    (
        "inferred type(s) {} are incompatible with return type(s) of operation {}",
        "the result is written as {1}, but the operands imply {0}",
        None,
        true,
    ),
    (
        "failed to infer returned types",
        "the types of the results do not follow from the operands",
        None,
        true,
    ),
    ("requires attribute '{}'", "the attribute `{0}` is missing", None, true),
    (
        "operand #{} must be {}, but got '{}!quant.uniform<{}'",
        "operand {0} is `{2}!quant.uniform<{3}`, which the operation does not accept",
        Some("it accepts a {1}"),
        true,
    ),
    (
        "result #{} must be {}, but got '{}!quant.uniform<{}'",
        "result {0} is `{2}!quant.uniform<{3}`, which the operation cannot return",
        Some("it returns a {1}"),
        true,
    ),
    (
        "operand #{} must be {}, but got {}",
        "operand {0} is {2}, which the operation does not accept",
        Some("it accepts a {1}"),
        true,
    ),
    (
        "result #{} must be {}, but got {}",
        "result {0} is {2}, which the operation cannot return",
        Some("it returns a {1}"),
        true,
    ),
];

/// Messages that only repeat that a previous error occurred.
const CONSEQUENCES: &[&str] = &[
    "'{}' op failed to infer returned types",
    "failed to infer returned types",
    "custom op '{}' failed to parse {} parameter '{}' which is to be a {}",
    "failed to parse {} parameter '{}' which is to be a {}",
];

/// Texts of notes, and better ones.
const NOTES: &[(&str, &str)] = &[
    ("prior use here", "the value comes from here"),
    ("previously defined here", "first defined here"),
    ("previously referenced here", "first defined here"),
    ("see existing symbol definition here", "first defined here"),
    ("operand defined here (op in the same block)", "defined here"),
    ("operand defined here (op in a parent block)", "defined here"),
    ("operand defined here (op in the same region)", "defined here"),
    ("operand defined here (op in a parent region)", "defined here"),
    ("operand defined here (op in a block in the same region)", "defined here"),
];

/// Whether the message only says that something failed because of a previous error.
pub(super) fn is_consequence(message: &str) -> bool {
    CONSEQUENCES.iter().any(|pattern| captures(message, pattern).is_some())
}

/// Whether the message is about what an operation may be, as its dialect checks it, and not about how it is written.
pub(super) fn is_of_definition(message: &str) -> bool {
    captures(message, "expected {}, found {}").is_some()
}

/// What the message says of an attribute that was read as a part of an operation's text, if that is not how it is written: there
/// the part that was found is in quotes.
pub(super) fn of_attribute(message: &str) -> Option<&str> {
    let [_, _, found] =
        captures(message, "custom op '{}' expected {}, found {}")?.try_into().ok()?;
    let (_, own) = message.split_once("' ")?;
    (!found.starts_with('\'')).then_some(own)
}

/// The text of a note.
pub(super) fn of_note(note: &str) -> Cow<'_, str> {
    match NOTES.iter().find(|(words, _)| *words == note) {
        Some((_, better)) => Cow::Borrowed(better),
        None => without_cxx(note),
    }
}

/// The replacement of a message; `None` if it is good as it is.
pub(super) fn of(message: &str) -> Option<Said> {
    if let Some(said) = quantized::invalid(message) {
        return Some(said);
    }
    if let Some([value, used, own]) = types_of_use(message) {
        let reason = format!("`{value}` is {own}, but is used as {used}");
        return Some(Said { reason, hint: conversion(used, own), code: None });
    }
    if let Some(said) = attributes::invalid(message) {
        return Some(said);
    }
    let enumerators = captures(message, "{}expected {} to be one of: {}");
    if let Some([_, _, names]) = enumerators.as_deref() {
        return Some(said(format!("expected one of {names}")));
    }
    let row = ROWS.iter().find_map(|row| Some((row, captures(message, row.0)?)));
    let Some(((_, reason, hint, does_not_fit), parts)) = row else {
        let words = in_backticks(&without_cxx(message));
        let types = types_that_differ(message).and_then(|(one, other)| conversion(one, other));
        let hint = types.or_else(|| devices::hint(message).map(str::to_owned));
        let is_changed = words != message || hint.is_some();
        return is_changed.then_some(Said { reason: words, hint, code: None });
    };
    let parts: Vec<_> = parts.into_iter().map(plain).collect();
    let filled = |text: &str| {
        parts.iter().enumerate().fold(text.to_owned(), |text, (index, part)| {
            text.replace(&format!("{{{index}}}"), part)
        })
    };
    let types = types_that_differ(message).and_then(|(one, other)| conversion(one, other));
    Some(Said {
        reason: filled(reason),
        hint: hint.map(filled).or(types),
        code: does_not_fit.then_some(codes::S1005),
    })
}

fn said(reason: String) -> Said {
    Said { reason, hint: None, code: None }
}

/// The error for a wrong number of operands, of which the message only says the right one: `dump` is the operation in
/// MLIR's generic form.
pub(super) fn operand_count(message: &str, dump: &str) -> Option<String> {
    let taken = match message {
        "requires a single operand" => 1,
        "requires zero operands" => 0,
        _ => return None,
    };
    let (_, operands) = dump.split_once("\"(")?;
    let (operands, _) = operands.split_once(')')?;
    let given = operands.matches('%').count();
    Some(format!("the number of operands is {given}, but the operation takes {taken}"))
}

/// A value that is used with the wrong type: its name, the type of the use, its own type.
pub(super) fn types_of_use(message: &str) -> Option<[&str; 3]> {
    let pattern = "use of value '{}' expects different type than prior uses: '{}' vs '{}'";
    captures(message, pattern)?.try_into().ok()
}

/// Two types that should be the same.
fn types_that_differ(message: &str) -> Option<(&str, &str)> {
    const PATTERNS: &[&str] = &[
        "expected one shape of operands and results, found '{}' and '{}'",
        "expected operands of compatible types, found '{}' and '{}'",
        "requires compatible types for all operands and results: expected '{}', found '{}'",
        "requires compatible element types for all operands and results: expected '{}', found '{}'",
        "operand type mismatch: expected operand type '{}', but provided '{}' for operand number {}",
        "type of return operand {} ('{}') doesn't match function result type ('{}') in function @{}",
    ];
    let parts = PATTERNS.iter().find_map(|pattern| captures(message, pattern))?;
    let types: Vec<&str> = parts
        .into_iter()
        .filter(|part| part.contains(|c: char| c == '<' || c.is_ascii_digit()))
        .collect();
    match types.as_slice() {
        [one, other] | [one, other, _] if one.contains('<') || !other.contains('<') => {
            Some((*one, *other))
        }
        [_, one, other] | [_, one, other, _] => Some((*one, *other)),
        _ => None,
    }
}

/// The operation that converts one of two types to the other.
fn conversion(one: &str, other: &str) -> Option<String> {
    let parts = |ty: &str| {
        let inside = ty.strip_prefix("tensor<")?.strip_suffix('>')?.to_owned();
        let is_size =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '?');
        let mut element = inside.as_str();
        while let Some((_, rest)) = element.split_once('x').filter(|(size, _)| is_size(size)) {
            element = rest;
        }
        let sizes: Vec<String> =
            inside.strip_suffix(element)?.split_terminator('x').map(str::to_owned).collect();
        Some((sizes, element.to_owned()))
    };
    let is_quantized = |ty: &str| ty.contains("!quant.");
    let by_element = match is_quantized(one) || is_quantized(other) {
        true => QUANTIZE,
        false => CONVERT,
    };
    let Some(((from, _), (to, _))) = parts(one).zip(parts(other)) else {
        let is_element =
            |ty: &str| !ty.contains('<') || ty.starts_with("tensor<") || ty.starts_with("!quant.");
        return (is_element(one) && is_element(other)).then(|| by_element.to_owned());
    };
    if from == to {
        return Some(by_element.to_owned());
    }
    let (mut left, mut right) = (from.clone(), to.clone());
    left.sort_unstable();
    right.sort_unstable();
    if left == right {
        return Some("`stablehlo.transpose` permutes dimensions".to_owned());
    }
    let count = |sizes: &[String]| {
        sizes
            .iter()
            .map(|size| size.parse::<u64>().ok())
            .try_fold(1, |all: u64, size| all.checked_mul(size?))
    };
    if from.len() != to.len() && count(&from).is_some() && count(&from) == count(&to) {
        return Some("`stablehlo.reshape` changes the shape and keeps the elements".to_owned());
    }
    match clash(&from, &to) {
        Some((one, other)) => Some(format!(
            "neither can be broadcast to the other: sizes {one} and {other} differ, and neither is 1"
        )),
        None => Some(BROADCAST.to_owned()),
    }
}

/// Two corresponding sizes that are neither equal nor 1, which no broadcast can fix. For shapes of different rank the
/// correspondence is not known.
fn clash(one: &[String], other: &[String]) -> Option<(String, String)> {
    let fits = |size: &str| size == "1" || size == "?";
    let clashes = |(one, other): &(&String, &String)| one != other && !fits(one) && !fits(other);
    let found = one.iter().zip(other).find(clashes).filter(|_| one.len() == other.len());
    found.map(|(one, other)| (one.clone(), other.clone()))
}

const BROADCAST: &str = "`stablehlo.broadcast_in_dim` repeats an array along other dimensions; `chlo.broadcast_add` and its like do so with \
     their operands";

const CONVERT: &str = "`stablehlo.convert` gives an array another element type";

const QUANTIZE: &str = "`stablehlo.uniform_quantize` gives an array a quantized type, `stablehlo.uniform_dequantize` that of its numbers";

/// A part of a message without quotes around types and without MLIR jargon.
pub(super) fn plain(part: &str) -> String {
    without_cxx(part)
        .replace('\'', "")
        .replace("ranked tensor of ", "tensor of ")
        .replace("statically shaped tensor of ", "tensor of ")
        .trim()
        .to_owned()
}

/// The text with backticks instead of quotes; apostrophes are kept.
fn in_backticks(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut is_open = false;
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let opens = !is_open && !before.is_alphanumeric();
        let closes = is_open && chars.peek().is_none_or(|next| !next.is_alphanumeric());
        if c == '\'' && (opens || closes) {
            is_open = !is_open;
            words.push('`');
        } else {
            words.push(c);
        }
        before = c;
    }
    words
}

/// The text with C++ names (`::mlir::Attribute`) reduced to their last part.
fn without_cxx(text: &str) -> Cow<'_, str> {
    if !text.contains("::") {
        return Cow::Borrowed(text);
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let (before, name) = rest.split_at(start);
        let (name, after) = name.split_at(name.find(|c| !is_name(c)).unwrap_or(name.len()));
        words.push_str(before);
        match name.rsplit_once("::") {
            // A colon at the end is punctuation.
            Some((_, last)) => words.push_str(last),
            None => words.push_str(name),
        }
        rest = after;
    }
    words.push_str(rest);
    Cow::Owned(words)
}

/// The matches of `{}` in a pattern that matches the whole text.
pub(super) fn captures<'t>(text: &'t str, pattern: &str) -> Option<Vec<&'t str>> {
    let mut parts = pattern.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    let parts: Vec<&str> = parts.collect();
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        let (before, after) = match is_last {
            true => (rest.strip_suffix(part)?, ""),
            false => rest.split_once(part)?,
        };
        // What is quoted ends at the first quote.
        if is_last && part.starts_with('\'') && before.contains('\'') {
            return None;
        }
        found.push(before);
        rest = after;
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{ROWS, captures, conversion, in_backticks, of, without_cxx};

    #[test]
    fn patterns_fit_whole_sentences() {
        assert_eq!(captures("a 'b' c 'd'", "a '{}' c '{}'"), Some(vec!["b", "d"]));
        assert_eq!(captures("a 'b' c", "a '{}'"), None);
        assert_eq!(captures("a 'b' or 'c'", "a '{}'"), None);
        assert_eq!(captures("exact", "exact"), Some(vec![]));
        assert_eq!(captures("exactly", "exact"), None);
    }

    #[test]
    fn every_place_that_is_filled_in_is_in_the_pattern() {
        for (pattern, reason, hint, _) in ROWS {
            let count = pattern.matches("{}").count();
            for at in count..9 {
                let place = format!("{{{at}}}");
                assert!(
                    !reason.contains(&place) && !hint.unwrap_or_default().contains(&place),
                    "{pattern}"
                );
            }
        }
    }

    #[test]
    fn names_of_cxx_lose_their_namespaces() {
        let text = "expected ::strata::stablehlo::Direction: found mlir::Type";
        assert_eq!(without_cxx(text), "expected Direction: found Type");
        assert_eq!(without_cxx("nothing: here"), "nothing: here");
        assert_eq!(in_backticks("found 'a' and 'b', x's c"), "found `a` and `b`, x's c");
    }

    #[test]
    fn hints_say_what_makes_one_type_of_the_other() {
        let hint = |one: &str, other: &str| conversion(one, other).unwrap_or_default();
        assert!(hint("tensor<4xf32>", "tensor<4xf64>").contains("convert"));
        assert!(hint("tensor<4x8xf32>", "tensor<8x4xf32>").contains("transpose"));
        assert!(hint("tensor<4x8xf32>", "tensor<32xf32>").contains("reshape"));
        assert!(hint("tensor<4x8xf32>", "tensor<8xf32>").contains("broadcast"));
        assert!(hint("tensor<4xcomplex<f32>>", "tensor<4xf32>").contains("convert"));
        let said =
            of("type of return operand 0 ('tensor<8x4xf32>') doesn't match function result type \
                       ('tensor<4x8xf32>') in function @main");
        let said = said.expect("known");
        assert!(said.hint.is_some_and(|hint| hint.contains("transpose")));
    }
}
