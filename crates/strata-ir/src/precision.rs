//! How precise numbers of `bf16` and `f16` are between the operations of a program.

use melior::{
    Context,
    ir::{Module, Type},
};

use crate::{
    attrs::unit,
    handles::{Op, Value},
    module::module_op,
    quantized::QuantizedType,
    signature::ElementType,
    types::TypeExt as _,
};

/// The attribute of a module whose numbers of `bf16` and `f16` may have more digits than their type, until something other than arithmetic
/// reads them.
pub const EXCESS_PRECISION: &str = "strata.excess_precision";

/// On functions of `f32` whose results need no more digits than a narrower format has, and on roundings to `bf16`, which need not tell
/// ties: the functions are not exact. Its value is the format's bits of an exponent.
pub const ROUNDED: &str = "strata.rounded";

/// Permits a program more digits than its types have.
pub fn allow_excess_precision<'c>(context: &'c Context, module: &Module<'c>) {
    module_op(module).set_attr(EXCESS_PRECISION, unit(context));
}

/// Whether numbers of a program keep more digits than their types have: where it is permitted, and no quantized type means numbers of
/// `bf16` or `f16`, whose integers follow from each rounding.
pub fn allows_excess_precision(module: &Module<'_>) -> bool {
    let module = module_op(module);
    let is_quantized_half = |value: &Value<'_>| {
        let quantized = QuantizedType::of(value.ty().element());
        quantized.is_some_and(|quantized| half_exponent(quantized.expressed).is_some())
    };
    let is_exact = |op: Op<'_>| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        let mut values = op.results().into_iter().chain(blocks.flat_map(|block| block.args()));
        values.any(|value| is_quantized_half(&value))
    };
    module.has_attr(EXCESS_PRECISION) && module.collect(is_exact).is_empty()
}

/// The bits of an exponent of `bf16` or `f16`; `None` for every other type.
pub fn half_exponent(element: Type<'_>) -> Option<i64> {
    match ElementType::from_type(element.element())? {
        ElementType::BFloat16 => Some(8),
        ElementType::Float(16) => Some(5),
        _ => None,
    }
}
