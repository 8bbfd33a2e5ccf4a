//! Which inputs are prepared.
//!
//! ```mlir
//! func.func @main(%x: tensor<9xf32>, %w: tensor<9x9xf32> {strata.prepare})
//! ```
//! becomes the attribute `strata.prepare = array<i64: 1>` of the entry: the numbers of the inputs. Names that the options give count
//! as well.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Context, Devices, Op, PREPARE, PREPARED, PROGRAM, SHARDS, TypeExt as _,
    diagnostic_at, function_name, function_types, i64s, named_inputs, parameter_names,
};
use strata_options::Options;

/// How many names an error lists.
const MOST_NAMED: usize = 12;

/// Whether the program marks each input, but tokens. What only later stages write on a function is taken away.
///
/// # Errors
/// `S1706` for a mark that is neither a unit nor a boolean.
pub fn marked(func: Op<'_>, options: &Options) -> Result<Vec<bool>, Diagnostic> {
    for name in [PREPARE, PREPARED] {
        func.remove_attr(name);
    }
    let ty = func.attr("function_type").and_then(|attr| attr.as_type());
    let (inputs, _) = ty.and_then(function_types).unwrap_or_default();
    let attributes = func.attr("arg_attrs").and_then(|list| list.as_array()).unwrap_or_default();
    let is_marked = |at: usize| {
        let mark = attributes.get(at).and_then(|one| one.entry(PREPARE));
        let Some(mark) = mark.filter(|_| options.prepare.marked) else { return Ok(false) };
        match mark.as_bool() {
            Some(is_true) => Ok(is_true),
            None if mark.is_unit() => Ok(true),
            None => Err(diagnostic_at(codes::S1706, func)
                .reason(format!("argument {at} has `{PREPARE} = {mark}`, not a mark"))
                .hint(format!("write `{PREPARE}` alone, or `{PREPARE} = true`"))),
        }
    };
    let kept = inputs.iter().enumerate().filter(|(_, ty)| !ty.is_token());
    kept.map(|(at, _)| is_marked(at)).collect()
}

/// The numbers of the inputs to prepare, in order.
///
/// # Errors
/// `S1706` for a name that no input has, and for programs and inputs that cannot be prepared.
pub fn inputs(
    func: Op<'_>,
    mut wanted: Vec<bool>,
    ([inputs, outputs], donated): (&[Vec<String>; 2], &[Option<usize>]),
    options: &Options,
) -> Result<Vec<usize>, Diagnostic> {
    if !options.prepare.may_have_any() {
        return Ok(Vec::new());
    }
    let refused = |reason: String, hint: &str| {
        Err(diagnostic_at(codes::S1706, func).reason(reason).hint(hint))
    };
    let [parameters, _] = parameter_names(&[], inputs, wanted.len(), outputs, donated.len());
    match named_inputs(&options.prepare.patterns, inputs, &parameters) {
        Ok(named) => named.into_iter().for_each(|at| wanted[at] = true),
        Err(pattern) => {
            let entry = function_name(func);
            let all = match parameters.len() {
                0 => "it has none".to_owned(),
                count if count <= MOST_NAMED => format!("they are {}", parameters.join(", ")),
                count => {
                    let first = parameters[..MOST_NAMED].join(", ");
                    format!("they are {first} and {} others", count - MOST_NAMED)
                }
            };
            let reason = format!("no input of `{entry}` is named `{pattern}`: {all}");
            return refused(reason, "`*` stands for any characters; quote it for the shell");
        }
    }
    let wanted: Vec<_> = (0..wanted.len()).filter(|at| wanted[*at]).collect();
    if wanted.is_empty() {
        return Ok(wanted);
    }
    if let Some(at) = wanted.iter().find(|at| donated.contains(&Some(**at))) {
        return refused(
            format!("`{}` is donated: the program writes an output to its buffer", parameters[*at]),
            "prepare inputs that stay as they are, such as weights, or do not donate it",
        );
    }
    if options.is_specialization || !options.bounds.is_empty() {
        return refused(
            "sizes of the program are open, and each function for given sizes has layouts of its own".to_owned(),
            "bind the sizes with `--bind`, or leave out the preparation",
        );
    }
    let Devices { replicas, partitions } = Devices::of(func);
    let is_for_several = func.has_attr(SHARDS)
        || replicas.saturating_mul(partitions) > 1 && root(func).has_attr(PROGRAM);
    if is_for_several {
        return refused(
            "the program is for several devices, each of which has its own part of an input"
                .to_owned(),
            "leave out the preparation",
        );
    }
    Ok(wanted)
}

fn root(func: Op<'_>) -> Op<'_> {
    std::iter::successors(Some(func), |op| op.parent()).last().unwrap_or(func)
}

/// Records the inputs on the entry, if there are any.
pub fn record<'c>(context: &'c Context, func: Op<'c>, wanted: &[usize]) {
    if !wanted.is_empty() {
        let numbers: Vec<_> = wanted.iter().map(|at| *at as i64).collect();
        func.set_attr(PREPARE, i64s(context, &numbers));
    }
}
