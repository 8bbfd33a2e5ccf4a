//! The names that a program gives its inputs and outputs.
//!
//! | exporter | names |
//! |---|---|
//! | JAX, the builder | the location of an argument, `loc("x")` or `loc("params['w']"(…))` |
//! | JAX | `jax.result_info = "result[0]['w']"` of a result |
//! | JAX, for several platforms | `jax.global_constant = "_platform_index"` of an argument |
//! | TensorFlow | `tf_saved_model.index_path = ["x"]` of an argument or a result |
//!
//! A function that only wraps another, as the entry of an export with symbolic sizes does, has the names of that one:
//!
//! ```text
//! func public @main(%x loc(unknown)) { … %0 = call @inner(%n, %x) … return %0 }
//! func private @inner(%n, %x loc("params['w']"))                               %x of @main is params['w']
//! ```

use std::collections::{BTreeSet, HashMap};

use melior::{Context, ir::Location};
use mlir_sys as sys;

use crate::{
    Attribute,
    attrs::{AttributeExt as _, array, dictionary, string},
    func,
    handles::{Op, Value, str_from},
    module::function_name,
    signature::shapes,
};

/// The names of the inputs, as strings, `""` where there is none; only present if there is any.
pub const INPUT_NAMES: &str = "strata.input_names";
/// The same for the outputs.
pub const OUTPUT_NAMES: &str = "strata.output_names";

/// JAX's attribute of a result.
const RESULT_INFO: &str = "jax.result_info";

/// The maximum length of a name; longer strings are something else.
const LONGEST: usize = 256;

/// Wrappers of wrappers: exporters nest a few.
const DEEPEST: usize = 32;

/// The names of the inputs and outputs of a function of the program; an empty list if none is named.
pub fn program_names(func: Op<'_>, inputs: usize, outputs: usize) -> [Vec<String>; 2] {
    let [of_inputs, mut of_outputs] = given_names(func, 0);
    // JAX's `result` and `result[N]` say no more than the position, unless another output has more of a path.
    let own = of_outputs.len() - shapes(func, of_outputs.len()).len();
    let says_position = |(index, name): (usize, &Option<String>)| {
        name.as_ref().is_none_or(|name| name == "result" || *name == format!("result[{index}]"))
    };
    if of_outputs.iter().take(own).enumerate().all(says_position) {
        of_outputs.iter_mut().take(own).for_each(|name| *name = None);
    }
    [usable(of_inputs, inputs), usable(of_outputs, outputs)]
}

/// Gives a function the names that it has from the one that it wraps, before calls are inlined.
pub fn adopt_names<'c>(context: &'c Context, func: Op<'c>) {
    let ([own_inputs, own_outputs], [inputs, outputs]) = (own_names(func), given_names(func, 0));
    for ((argument, own), name) in arguments(func).into_iter().zip(own_inputs).zip(inputs) {
        if let (None, Some(name)) = (own, name) {
            argument.set_location(Location::name(context, &name, argument.location()));
        }
    }
    if own_outputs == outputs {
        return;
    }
    let mut attributes =
        func.attr("res_attrs").and_then(|list| list.as_array()).unwrap_or_default();
    let Some(none) = dictionary(context, &[]) else { return };
    attributes.resize(outputs.len(), none);
    for ((attributes, own), name) in attributes.iter_mut().zip(own_outputs).zip(outputs) {
        let (None, Some(name)) = (own, name) else { continue };
        let mut entries = attributes.as_dictionary().unwrap_or_default();
        entries.retain(|(key, _)| *key != RESULT_INFO);
        entries.push((RESULT_INFO, string(context, &name)));
        *attributes = dictionary(context, &entries).unwrap_or(*attributes);
    }
    func.set_attr("res_attrs", array(context, &attributes));
}

fn arguments(func: Op<'_>) -> Vec<Value<'_>> {
    func.region(0).first_block().map(|block| block.args()).unwrap_or_default()
}

/// The only call whose results a function returns, and the function that it calls.
fn wrapped(func: Op<'_>) -> Option<(Op<'_>, Op<'_>)> {
    let returned = func.region(0).first_block()?.terminator()?.operands();
    let owners = returned.into_iter().filter_map(Value::owner);
    let mut calls = owners.filter(|op| op.is(func::CALL));
    let call = calls.next()?;
    if calls.any(|other| other != call) {
        return None;
    }
    let name = call.attr("callee")?.as_symbol()?;
    let mut functions = func.block()?.ops().into_iter().filter(|op| op.is(func::FUNC));
    Some((call, functions.find(|op| function_name(*op) == name)?))
}

/// The names of the inputs and outputs of a function, from the function that it wraps where it has none itself.
fn given_names(func: Op<'_>, depth: usize) -> [Vec<Option<String>>; 2] {
    let [mut inputs, mut outputs] = own_names(func);
    let inner = if depth < DEEPEST { wrapped(func) } else { None };
    let Some((call, callee)) = inner else { return [inputs, outputs] };
    let [inner_inputs, inner_outputs] = given_names(callee, depth + 1);
    let has_paths = named_by(func, "arg_attrs").iter().any(Option::is_some);
    // Under two names a value has none.
    let mut passed: HashMap<Value<'_>, Option<&String>> = HashMap::new();
    for (value, name) in call.operands().into_iter().zip(&inner_inputs) {
        if let Some(name) = name {
            let known = passed.entry(value).or_insert(Some(name));
            *known = known.filter(|known| *known == name);
        }
    }
    for (argument, name) in arguments(func).into_iter().zip(&mut inputs) {
        if name.is_none() && !has_paths {
            *name = passed.get(&argument).copied().flatten().cloned();
        }
    }
    let end = func.region(0).first_block().and_then(|block| block.terminator());
    let returned = end.map(|end| end.operands()).unwrap_or_default();
    for (value, name) in returned.into_iter().zip(&mut outputs) {
        if name.is_none() && value.owner() == Some(call) {
            let inner = value.result_index().and_then(|index| inner_outputs.get(index));
            *name = inner.cloned().flatten();
        }
    }
    [inputs, outputs]
}

/// The names that the function itself gives.
fn own_names(func: Op<'_>) -> [Vec<Option<String>>; 2] {
    let arguments = arguments(func);
    let by_path = named_by(func, "arg_attrs");
    let inputs: Vec<_> = match by_path.iter().any(Option::is_some) {
        true => by_path,
        false => {
            let list = func.attr("arg_attrs").and_then(|list| list.as_array()).unwrap_or_default();
            let constant = |index: usize| {
                let constant = list.get(index)?.entry("jax.global_constant")?;
                constant.as_str().map(str::to_owned)
            };
            let names = arguments.iter().enumerate();
            names
                .map(|(index, value)| {
                    let located = located(*value).filter(|name| is_name(name));
                    located.or_else(|| constant(index))
                })
                .collect()
        }
    };
    let end = func.region(0).first_block().and_then(|block| block.terminator());
    let mut outputs = named_by(func, "res_attrs");
    outputs.resize(end.map_or(outputs.len(), |end| end.operand_count()), None);
    let all = [inputs, outputs];
    all.map(|names| names.into_iter().map(|name| name.filter(|name| is_name(name))).collect())
}

/// The name that is the location of an argument.
fn located(argument: Value<'_>) -> Option<String> {
    // SAFETY: the value is in memory; a location is asked to be a name first, and names live as long as the context.
    let name = unsafe {
        let location = sys::mlirValueGetLocation(argument.to_raw());
        sys::mlirLocationIsAName(location)
            .then(|| str_from(sys::mlirIdentifierStr(sys::mlirLocationNameGetName(location))))
    };
    name.map(str::to_owned)
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
    let name = |attributes: Attribute<'_>| {
        if let Some(info) = attributes.entry(RESULT_INFO).and_then(|info| info.as_str()) {
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

/// Whether it is a name, not the location of a computation.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST
        && !name.contains("jit(")
        && !name.chars().any(char::is_control)
}

/// Drops names that are given twice, and what is none.
fn usable(names: Vec<Option<String>>, count: usize) -> Vec<String> {
    if names.len() != count {
        return Vec::new();
    }
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
