//! The names that a program gives its inputs and outputs.
//!
//! | exporter | names |
//! |---|---|
//! | JAX, the builder | the location of an argument, `loc("x")` or `loc("params['w']"(…))` |
//! | JAX | `jax.result_info = "result[0]['w']"` of a result |
//! | TensorFlow | `tf_saved_model.index_path = ["x"]` of an argument or a result |

use std::collections::BTreeSet;

use melior::Context;
use mlir_sys as sys;

use crate::{
    attrs::{AttributeExt as _, array, string},
    handles::{Op, str_from},
};

/// The names of the inputs, as strings, `""` where there is none; only present if there is any.
pub const INPUT_NAMES: &str = "strata.input_names";
/// The same for the outputs.
pub const OUTPUT_NAMES: &str = "strata.output_names";

/// The maximum length of a name; longer strings are something else.
const LONGEST: usize = 256;

/// The names of the inputs and outputs of a function of the program; an empty list if none is named.
pub fn program_names(func: Op<'_>, inputs: usize, outputs: usize) -> [Vec<String>; 2] {
    let arguments = func.region(0).first_block().map(|block| block.args()).unwrap_or_default();
    let (of_inputs, of_outputs) = (named_by(func, "arg_attrs"), named_by(func, "res_attrs"));
    // SAFETY: the values are in memory; a location is asked to be a name first, and names live as long as the context.
    let located = arguments.iter().map(|argument| unsafe {
        let location = sys::mlirValueGetLocation(argument.to_raw());
        sys::mlirLocationIsAName(location)
            .then(|| str_from(sys::mlirIdentifierStr(sys::mlirLocationNameGetName(location))))
    });
    let located: Vec<_> = located.map(|name| name.map(str::to_owned)).collect();
    let of_inputs = match of_inputs.iter().any(Option::is_some) {
        true => of_inputs,
        false => located,
    };
    // JAX's default names `result` and `result[N]` do not count.
    let of_outputs = of_outputs.into_iter().enumerate().map(|(index, name)| {
        name.filter(|name| name != "result" && *name != format!("result[{index}]"))
    });
    [usable(of_inputs, inputs), usable(of_outputs.collect(), outputs)]
}

/// Records names for later stages, if there are any.
pub fn record_names<'c>(context: &'c Context, func: Op<'c>, names: &[Vec<String>; 2]) {
    for (key, names) in [INPUT_NAMES, OUTPUT_NAMES].into_iter().zip(names) {
        if !names.is_empty() {
            let names: Vec<_> = names.iter().map(|name| string(context, name)).collect();
            func.set_attr(key, array(context, &names));
        }
    }
}

/// The recorded names under `key`, one for each of `count`; an empty list where there are none.
pub(crate) fn recorded_names(func: Op<'_>, key: &str, count: usize) -> Vec<String> {
    let list = func.attr(key).and_then(|names| names.as_array()).unwrap_or_default();
    // A dump may have been edited.
    usable(list.into_iter().map(|name| name.as_str().map(str::to_owned)).collect(), count)
}

/// The names in a list of dictionaries of attributes.
fn named_by(func: Op<'_>, list: &str) -> Vec<Option<String>> {
    let list = func.attr(list).and_then(|list| list.as_array()).unwrap_or_default();
    let name = |attributes: crate::Attribute<'_>| {
        if let Some(info) = attributes.entry("jax.result_info").and_then(|info| info.as_str()) {
            // Older versions omit the word.
            let word = if info.starts_with(['[', '.']) || info.is_empty() { "result" } else { "" };
            return Some(format!("{word}{info}"));
        }
        let path = attributes.entry("tf_saved_model.index_path")?.as_array()?;
        let steps = path.into_iter().map(|step| match step.as_str() {
            Some(name) => Some(name.to_owned()),
            None => step.as_i64().map(|index| index.to_string()),
        });
        Some(steps.collect::<Option<Vec<_>>>()?.join("."))
    };
    list.into_iter().map(name).collect()
}

/// Drops names that are given twice, and those that are locations of a computation.
fn usable(names: Vec<Option<String>>, count: usize) -> Vec<String> {
    if names.len() != count {
        return Vec::new();
    }
    let is_name = |name: &str| {
        !name.is_empty()
            && name.len() <= LONGEST
            && !name.contains("jit(")
            && !name.chars().any(char::is_control)
    };
    let names: Vec<_> = names.into_iter().map(|name| name.filter(|name| is_name(name))).collect();
    let (mut once, mut twice) = (BTreeSet::new(), BTreeSet::new());
    for name in names.iter().flatten() {
        if !once.insert(name.clone()) {
            twice.insert(name.clone());
        }
    }
    let names: Vec<_> =
        names.into_iter().map(|name| name.filter(|name| !twice.contains(name))).collect();
    if names.iter().all(Option::is_none) {
        return Vec::new();
    }
    names.into_iter().map(Option::unwrap_or_default).collect()
}

/// Reserved words of C, C++ and Rust, including macros, and names that the wrappers use.
const TAKEN: &[&str] = &[
    "BUFSIZ",
    "CHAR_BIT",
    "EOF",
    "Err",
    "HUGE_VAL",
    "I",
    "INFINITY",
    "INT16_MAX",
    "INT16_MIN",
    "INT32_MAX",
    "INT32_MIN",
    "INT64_MAX",
    "INT64_MIN",
    "INT8_MAX",
    "INT8_MIN",
    "M_E",
    "M_PI",
    "NAN",
    "NULL",
    "None",
    "Ok",
    "SIZE_MAX",
    "STRATA_ABI",
    "STRATA_NAMES",
    "Self",
    "Some",
    "UINT16_MAX",
    "UINT32_MAX",
    "UINT64_MAX",
    "UINT8_MAX",
    "Workspace",
    "_Complex_I",
    "abstract",
    "alignas",
    "alignof",
    "and",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "become",
    "bool",
    "box",
    "break",
    "call",
    "case",
    "catch",
    "char",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "complex",
    "concept",
    "const",
    "constexpr",
    "continue",
    "core",
    "crate",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "errno",
    "executor",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
    "gen",
    "goto",
    "if",
    "imaginary",
    "impl",
    "import",
    "in",
    "inline",
    "inputs",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "let",
    "linux",
    "long",
    "loop",
    "macro",
    "main",
    "match",
    "mod",
    "module",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "outputs",
    "override",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "register",
    "requires",
    "restrict",
    "return",
    "self",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "status",
    "std",
    "strata",
    "strata_buffer",
    "strata_call",
    "strata_executor",
    "strata_host",
    "strata_names",
    "strata_signature",
    "strata_tensor",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unix",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "using",
    "virtual",
    "void",
    "volatile",
    "weights",
    "where",
    "while",
    "workspace",
    "xor",
    "yield",
];

/// A valid parameter name in C, C++ and Rust for each input and output, all different and none of `taken`:
/// `params['w']` is `params_w`, unnamed ones are `input0`, `output1`.
pub fn parameter_names(
    taken: &[String],
    inputs: &[String],
    input_count: usize,
    outputs: &[String],
    output_count: usize,
) -> [Vec<String>; 2] {
    let words = TAKEN.iter().map(|word| (*word).to_owned());
    let mut taken: BTreeSet<String> = words.chain(taken.iter().cloned()).collect();
    // Numbered names are easy to find by counting.
    let numbers = |stem: &'static str, count| (0..count).map(move |index| format!("{stem}{index}"));
    taken.extend(numbers("input", input_count).chain(numbers("output", output_count)));
    let mut name = |given: &[String], stem: &str, index: usize| {
        let own = given.get(index).and_then(|name| identifier(name));
        let Some(own) = own else { return format!("{stem}{index}") };
        let mut name = own.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{own}_{number}");
            number += 1;
        }
        name
    };
    [
        (0..input_count).map(|index| name(inputs, "input", index)).collect(),
        (0..output_count).map(|index| name(outputs, "output", index)).collect(),
    ]
}

/// `name` with one `_` for each run of characters that are not allowed in identifiers.
fn identifier(name: &str) -> Option<String> {
    let words = name.split(|char: char| !char.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let name = words.join("_");
    match name.chars().next()? {
        first if first.is_ascii_digit() => Some(format!("_{name}")),
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::{parameter_names, usable};

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn parameters_are_identifiers_and_all_different() {
        let inputs =
            names(&["params['Conv_0']['bias']", "x", "", "float", "x", "3d", "input2", "+"]);
        let outputs = names(&["x", "result[0]"]);
        let [inputs, outputs] = parameter_names(&["x_2".to_owned()], &inputs, 8, &outputs, 3);
        assert_eq!(
            inputs,
            ["params_Conv_0_bias", "x", "input2", "float_2", "x_3", "_3d", "input2_2", "input7"]
        );
        assert_eq!(outputs, ["x_4", "result_0", "output2"]);
    }

    #[test]
    fn only_what_tells_apart_is_a_name() {
        let given =
            |list: &[Option<&str>]| list.iter().map(|name| name.map(str::to_owned)).collect();
        assert_eq!(usable(given(&[Some("x"), None]), 2), names(&["x", ""]));
        assert!(usable(given(&[Some("x"), None]), 3).is_empty());
        assert!(usable(given(&[Some("x"), Some("x")]), 2).is_empty());
        assert!(usable(given(&[Some("jit(f)/add"), Some("a\nb"), Some("")]), 3).is_empty());
    }
}
