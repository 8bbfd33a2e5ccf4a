//! XLA's own linear algebra calls, from TensorFlow and JAX for other devices: replaced by LAPACK targets, which a library can
//! provide.
//!
//! ```text
//! custom_call @Qr(a)                                          =>  custom_call @lapack_sgeqrf_ffi(a)
//! custom_call @ProductOfElementaryHouseholderReflectors(a, t)  =>  custom_call @lapack_sorgqr_ffi(a, t)
//! custom_call @Eigh(a) {backend_config = "1,1,100,1e-6"}       =>  custom_call @lapack_ssyevd_ffi(a) {… uplo = 76 : ui8}
//! ```
//!
//! The configuration of `Eigh` says whether the lower triangle is read, whether eigenvalues are ascending, and two bounds of
//! XLA's iteration, which LAPACK does not use.

use strata_ir::{
    Attribute, AttributeExt as _, Context, Op, Type, TypeExt as _, array, dictionary, int, integer,
    parse_attr, stablehlo, string, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{interop::custom_call::target, pattern::patterns};

patterns! {
    /// The same by a target of LAPACK.
    LapackCall = "lapack-call" on [CustomCall] by lapack_call;
}

fn lapack_call<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (operands, results) = match target(op) {
        "Qr" => (1, 2),
        "ProductOfElementaryHouseholderReflectors" => (2, 1),
        "Eigh" => (1, 2),
        _ => return Err("the call is not one of XLA's linear algebra".into()),
    };
    (op.operand_count() == operands && op.result_count() == results)
        .or_decline("it has other values")?;
    let matrix = op.operand(0).ty();
    let element = matrix.element();
    let is_complex = element.is_complex();
    let part = element.complex_element().unwrap_or(element);
    let letter = match (part.bit_width(), is_complex) {
        (Some(32), false) => "s",
        (Some(64), false) => "d",
        (Some(32), true) => "c",
        (Some(64), true) => "z",
        _ => return Err("LAPACK has no such elements".into()),
    };
    let shape = matrix.shape().or_decline("the matrix is unranked")?;
    matrix.has_static_shape().or_decline("the shape is known only at run time")?;
    let batch = shape.len().checked_sub(2).or_decline("the operand is not a matrix")?;

    let context = rewriter.context();
    let (stem, config) = match (target(op), is_complex) {
        ("Qr", _) => ("geqrf", Vec::new()),
        ("Eigh", _) => {
            let text = op.attr("backend_config").and_then(|config| config.as_str());
            let is_lower = match text.unwrap_or_default().split(',').next() {
                Some("1") => true,
                Some("0") => false,
                _ => return Err("its configuration has an unknown form".into()),
            };
            let uplo = character(context, if is_lower { b'L' } else { b'U' })?;
            let config = vec![("mode", character(context, b'V')?), ("uplo", uplo)];
            (if is_complex { "heevd" } else { "syevd" }, config)
        }
        (_, false) => ("orgqr", Vec::new()),
        (_, true) => ("ungqr", Vec::new()),
    };
    let config = dictionary(context, &config).or_decline("there is no such configuration")?;
    let mut types = op.result_types();
    if target(op) == "Eigh" {
        // LAPACK returns a status for every matrix.
        types.push(tensor(&shape[..batch], integer(context, 32)));
    }
    let layouts = |types: &[Type<'c>]| -> Outcome<Attribute<'c>> {
        let layouts: Outcome<Vec<_>> =
            types.iter().map(|ty| by_columns(context, *ty, shape.len())).collect();
        Ok(array(context, &layouts?))
    };
    let operand_types: Vec<_> = op.operands().into_iter().map(|value| value.ty()).collect();
    let call = rewriter
        .builder()
        .op(stablehlo::CUSTOM_CALL)
        .operands(&op.operands())
        .attr("call_target_name", string(context, &format!("lapack_{letter}{stem}_ffi")))
        .attr("api_version", int(integer(context, 32), 4))
        .attr("backend_config", config)
        .attr("operand_layouts", layouts(&operand_types)?)
        .attr("result_layouts", layouts(&types)?)
        .results(&types)
        .build();
    rewriter.replace(&call.results()[..results]);
    Ok(())
}

fn character(context: &Context, value: u8) -> Outcome<Attribute<'_>> {
    parse_attr(context, &format!("{value} : ui8")).or_decline("there is no such attribute")
}

/// The minor-to-major order of column-major matrices; all others are row-major.
fn by_columns<'c>(
    context: &'c Context,
    ty: Type<'c>,
    rank_of_matrix: usize,
) -> Outcome<Attribute<'c>> {
    let rank = ty.rank().or_decline("a value is unranked")?;
    let mut order: Vec<_> = (0..rank).rev().collect();
    if rank == rank_of_matrix {
        order.swap(0, 1);
    }
    let text = if order.is_empty() { String::new() } else { format!("{order:?}") };
    parse_attr(context, &format!("dense<{text}> : tensor<{rank}xindex>"))
        .or_decline("there is no such layout")
}
