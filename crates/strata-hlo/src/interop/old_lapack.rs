//! LAPACK custom calls from before JAX's typed interface, in artifacts up to JAX 0.4: sizes and options were scalars
//! before the matrices, and results included scratch memory.
//!
//! ```text
//! %l, %info = custom_call @lapack_spotrf(%lower, %batch, %n, %a) {api_version = 2}
//! ```
//! becomes
//! ```text
//! %l, %info = custom_call @lapack_spotrf_ffi(%a) {api_version = 4, backend_config = {uplo = 76 : ui8}}
//! ```

use strata_ir::{
    Attribute, AttributeExt as _, Context, Op, Value, array, dictionary, int, integer, parse_attr,
    stablehlo, string,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    interop::custom_call::target,
    pattern::{constant, patterns},
};

patterns! {
    /// The same call by the typed interface.
    TypedLapack = "typed-lapack" on [CustomCall] by typed;
}

/// The meaning of a scalar operand.
#[derive(Clone, Copy)]
enum Choice {
    /// Of these characters, the one at that position.
    Of(&'static [u8]),
    /// A character.
    Char,
    /// Eigenvectors, which were always computed.
    Always,
    /// A number of 32 bits.
    Number,
    /// Which singular vectors: whether all of them, and in the next operand, whether any.
    Vectors,
}

/// The old convention of a routine.
struct Routine {
    /// After `lapack_` or `blas_` and the letter of the type.
    names: &'static [&'static str],
    operands: usize,
    /// Attributes of the typed call and the operands that they were.
    choices: &'static [(&'static str, usize, Choice)],
    /// The remaining operands, in their new order.
    taken: &'static [usize],
    /// The remaining results.
    results: &'static [usize],
    /// The status result that the typed call does not have, zero for success.
    success: Option<usize>,
    /// The input whose buffer the first result takes, as a position in `taken`.
    shared: Option<i64>,
}

const UPLO: Choice = Choice::Of(b"UL");

const ROUTINES: &[Routine] = &[
    Routine {
        names: &["potrf"],
        operands: 4,
        choices: &[("uplo", 0, UPLO)],
        taken: &[3],
        results: &[0, 1],
        success: None,
        shared: Some(0),
    },
    Routine {
        names: &["trsm"],
        operands: 10,
        choices: &[
            ("side", 0, Choice::Of(b"RL")),
            ("uplo", 1, UPLO),
            ("trans_x", 2, Choice::Of(b"NTC")),
            ("diag", 3, Choice::Of(b"NU")),
        ],
        taken: &[8, 9, 7],
        results: &[0],
        success: None,
        shared: Some(1),
    },
    Routine {
        names: &["getrf"],
        operands: 4,
        choices: &[],
        taken: &[3],
        results: &[0, 1, 2],
        success: None,
        shared: Some(0),
    },
    Routine {
        names: &["geqrf"],
        operands: 5,
        choices: &[],
        taken: &[4],
        results: &[0, 1],
        success: Some(2),
        shared: Some(0),
    },
    Routine {
        names: &["orgqr", "ungqr"],
        operands: 7,
        choices: &[],
        taken: &[5, 6],
        results: &[0],
        success: Some(1),
        shared: Some(0),
    },
    Routine {
        names: &["gesdd"],
        operands: 7,
        choices: &[("mode", 0, Choice::Vectors)],
        taken: &[6],
        results: &[0, 1, 2, 3, 4],
        success: None,
        shared: Some(0),
    },
    Routine {
        names: &["gehrd"],
        operands: 7,
        choices: &[("low", 1, Choice::Number), ("high", 2, Choice::Number)],
        taken: &[6],
        results: &[0, 1, 2],
        success: None,
        shared: Some(0),
    },
    Routine {
        names: &["sytrd", "hetrd"],
        operands: 6,
        choices: &[("uplo", 1, UPLO)],
        taken: &[5],
        results: &[0, 1, 2, 3, 4],
        success: None,
        shared: Some(0),
    },
    Routine {
        names: &["syevd", "heevd"],
        operands: 4,
        choices: &[("mode", 0, Choice::Always), ("uplo", 0, UPLO)],
        taken: &[3],
        results: &[0, 1, 2],
        success: None,
        shared: Some(0),
    },
];

/// `geev` has its scratch memory first: more of it for real matrices, whose eigenvalues are two arrays.
fn geev(is_real: bool) -> Routine {
    Routine {
        names: &["geev"],
        operands: 5,
        choices: &[("compute_left", 2, Choice::Char), ("compute_right", 3, Choice::Char)],
        taken: &[4],
        results: if is_real { &[3, 4, 5, 6, 7] } else { &[2, 3, 4, 5] },
        success: None,
        shared: None,
    }
}

/// The eigenvalues of real matrices are two arrays here as well, followed by the vectors.
fn gees(is_real: bool) -> Routine {
    Routine {
        names: &["gees"],
        operands: 5,
        choices: &[("mode", 2, Choice::Char), ("sort", 3, Choice::Char)],
        taken: &[4],
        // A complex matrix has scratch memory before its eigenvalues.
        results: if is_real { &[0, 3, 1, 2, 4, 5] } else { &[0, 3, 2, 4, 5] },
        success: None,
        shared: Some(0),
    }
}

fn typed<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let target = target(op);
    let name = target.strip_prefix("lapack_").or_else(|| target.strip_prefix("blas_"));
    let name = name.or_decline("the call is not one of LAPACK's")?;
    let letter = name.chars().next().filter(|letter| "sdcz".contains(*letter));
    let letter = letter.or_decline("the call is not one of LAPACK's")?;
    let stem = &name[1..];
    let is_real = "sd".contains(letter);
    let eigen;
    let routine = match stem {
        "geev" | "gees" => {
            eigen = if stem == "geev" { geev(is_real) } else { gees(is_real) };
            &eigen
        }
        _ => {
            let found = ROUTINES.iter().find(|routine| routine.names.contains(&stem));
            found.or_decline("the routine is not known")?
        }
    };
    (op.operand_count() == routine.operands).or_decline("it has other operands")?;
    let last = routine.results.iter().max().copied().unwrap_or(0);
    (op.result_count() > last).or_decline("it has other results")?;
    // Dropped results must not be used.
    for (index, result) in op.results().into_iter().enumerate() {
        let is_left = routine.results.contains(&index)
            || routine.success == Some(index)
            || result.uses().is_empty();
        is_left.or_decline("its scratch memory is read")?;
    }

    let context = rewriter.context();
    let mut config = Vec::new();
    for (name, operand, choice) in routine.choices {
        let value = match choice {
            Choice::Vectors => vectors(context, op, *operand)?,
            choice => chosen(context, op.operand(*operand), *choice)?,
        };
        config.push((*name, value));
    }
    let config = dictionary(context, &config).or_decline("there is no such configuration")?;
    let operands: Vec<_> = routine.taken.iter().map(|index| op.operand(*index)).collect();
    let types: Vec<_> = routine.results.iter().map(|index| op.result(*index).ty()).collect();
    let mut call = rewriter
        .builder()
        .op(stablehlo::CUSTOM_CALL)
        .operands(&operands)
        .attr("call_target_name", string(context, &format!("lapack_{name}_ffi")))
        .attr("api_version", int(integer(context, 32), 4))
        .attr("backend_config", config);
    for (name, kept) in [("operand_layouts", routine.taken), ("result_layouts", routine.results)] {
        if let Some(layouts) = op.attr(name).and_then(|layouts| layouts.as_array()) {
            let kept: Option<Vec<_>> = kept.iter().map(|at| layouts.get(*at).copied()).collect();
            call = call.attr(name, array(context, &kept.or_decline("a layout is missing")?));
        }
    }
    if let Some(input) = routine.shared {
        let output = if types.len() == 1 { "[]" } else { "[0]" };
        let alias = parse_attr(
            context,
            &format!(
                "[#stablehlo.output_operand_alias<output_tuple_indices = {output}, \
                 operand_index = {input}, operand_tuple_indices = []>]"
            ),
        );
        call = call.attr("output_operand_aliases", alias.or_decline("there is no such alias")?);
    }
    let call = call.results(&types).build();
    // Unused results need no replacement.
    for (new, index) in call.results().into_iter().zip(routine.results) {
        op.result(*index).replace_all_uses_with(new);
    }
    if let Some(index) = routine.success {
        let info = op.result(index);
        info.replace_all_uses_with(rewriter.builder().zeros(info.ty())?);
    }
    rewriter.erase();
    Ok(())
}

fn low_byte(elements: &[u8]) -> Outcome<u8> {
    elements.first().copied().or_decline("an option has no value")
}

/// `A` for all singular vectors, `S` for as many as there are values, `N` for none.
fn vectors<'c>(context: &'c Context, op: Op<'c>, all: usize) -> Outcome<Attribute<'c>> {
    let is_set = |index| -> Outcome<bool> {
        let elements = constant(op.operand(index))?.raw_elements();
        Ok(low_byte(&elements.or_decline("an option is not constant")?)? != 0)
    };
    let mode = match (is_set(all + 1)?, is_set(all)?) {
        (false, _) => b'N',
        (true, true) => b'A',
        (true, false) => b'S',
    };
    parse_attr(context, &format!("{mode} : ui8")).or_decline("there is no such attribute")
}

fn chosen<'c>(context: &'c Context, operand: Value<'c>, choice: Choice) -> Outcome<Attribute<'c>> {
    let elements = constant(operand)?.raw_elements().or_decline("an option is not constant")?;
    let low = low_byte(&elements)?;
    let char = |value: u8| parse_attr(context, &format!("{value} : ui8"));
    match choice {
        Choice::Of(letters) => {
            let letter = letters.get(usize::from(low)).or_decline("an option is out of range")?;
            char(*letter).or_decline("there is no such attribute")
        }
        Choice::Always => char(b'V').or_decline("there is no such attribute"),
        Choice::Char | Choice::Vectors => char(low).or_decline("there is no such attribute"),
        Choice::Number => {
            let bytes = elements.get(..4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
            let number = i32::from_le_bytes(bytes.or_decline("a number has another type")?);
            Ok(int(integer(context, 32), i64::from(number)))
        }
    }
}
