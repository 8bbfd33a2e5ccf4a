//! Pointwise arithmetic, mathematical functions, bits and parts of complex numbers.
//!
//! ```text
//! %2 = stablehlo.add %0, %1 : tensor<5x3xf32>
//! ```
//! becomes
//! ```text
//! %e = tensor.empty() : tensor<5x3xf32>
//! %2 = linalg.generic {parallel, parallel} ins(%0, %1) outs(%e) {
//!   ^bb0(%a: f32, %b: f32, %out: f32):
//!     %s = arith.addf %a, %b : f32
//!     linalg.yield %s : f32
//! } -> tensor<5x3xf32>
//! ```
//!
//! One row per operation, one column per class of element. Floats narrower than 32 bits are computed
//! in `f32` and rounded to their type at every operation's result.

use std::sync::LazyLock;

use strata_ir::{
    Attribute, Builder, Op, OpKind, OpName, ROUNDED, TypeExt as _, Value, arith, complex, math,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    numbers::{
        complex::{arithmetic as product, circular, inverse, power, root},
        element::{Class, computed_in, narrow, widen},
        functions as f,
        narrow::logical,
        small_float::{Format, next_after},
        special,
    },
    pointwise,
};

/// How a row computes one element.
#[derive(Clone, Copy)]
pub enum Cell {
    /// The operation is not defined for the class, or not supported.
    No,
    /// One operation whose result has the operands' type.
    Op(OpName<'static>),
    /// A small expression; the result's type may differ.
    Expr(for<'c> fn(&Builder<'c>, &[Value<'c>]) -> Outcome<Value<'c>>),
}

use Cell::{Expr, No, Op as Is};

struct Row {
    kind: OpKind,
    float: Cell,
    signed: Cell,
    unsigned: Cell,
    boolean: Cell,
    complex: Cell,
}

const fn row(
    kind: OpKind,
    float: Cell,
    signed: Cell,
    unsigned: Cell,
    boolean: Cell,
    complex: Cell,
) -> Row {
    Row { kind, float, signed, unsigned, boolean, complex }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    //  operation                    float                 signed                unsigned              i1                 complex
    row(OpKind::Abs,                 Is(math::ABSF),      Is(math::ABSI),      Expr(f::same),        No,                Expr(root::abs)),
    row(OpKind::Add,                 Is(arith::ADDF),     Is(arith::ADDI),     Is(arith::ADDI),     Is(arith::ORI),   Expr(product::add)),
    row(OpKind::And,                 No,                   Is(arith::ANDI),     Is(arith::ANDI),     Is(arith::ANDI),  No),
    row(OpKind::Atan2,               Is(math::ATAN2),     No,                   No,                   No,                Expr(power::atan2)),
    row(OpKind::Cbrt,                Is(math::CBRT),      No,                   No,                   No,                Expr(root::cbrt)),
    row(OpKind::Ceil,                Is(math::CEIL),      No,                   No,                   No,                No),
    row(OpKind::Complex,             Expr(f::make_complex), No,                  No,                   No,                No),
    row(OpKind::Cosine,              Is(math::COS),       No,                   No,                   No,                Expr(circular::cosine)),
    row(OpKind::CountLeadingZeros,   No,                   Is(math::CTLZ),      Is(math::CTLZ),      No,                No),
    row(OpKind::Divide,              Is(arith::DIVF),     Expr(f::divide_signed), Expr(f::divide_unsigned), No,          Expr(product::divide)),
    row(OpKind::Exponential,         Is(math::EXP),       No,                   No,                   No,                Expr(power::exp)),
    row(OpKind::ExponentialMinusOne, Is(math::EXPM1),     No,                   No,                   No,                Expr(circular::exp_minus_one)),
    row(OpKind::Floor,               Is(math::FLOOR),     No,                   No,                   No,                No),
    row(OpKind::Imag,                Expr(f::zero),        No,                   No,                   No,                Expr(f::imaginary)),
    row(OpKind::IsFinite,            Expr(f::is_finite),   No,                   No,                   No,                No),
    row(OpKind::Log,                 Is(math::LOG),       No,                   No,                   No,                Expr(inverse::log)),
    row(OpKind::LogPlusOne,          Is(math::LOG1P),     No,                   No,                   No,                Expr(inverse::log_plus_one)),
    row(OpKind::Logistic,            Expr(f::logistic),    No,                   No,                   No,                Expr(power::logistic)),
    row(OpKind::Maximum,             Is(arith::MAXIMUMF), Is(arith::MAXSI),    Is(arith::MAXUI),    Is(arith::ORI),   Expr(f::complex_max)),
    row(OpKind::Minimum,             Is(arith::MINIMUMF), Is(arith::MINSI),    Is(arith::MINUI),    Is(arith::ANDI),  Expr(f::complex_min)),
    row(OpKind::Multiply,            Is(arith::MULF),     Is(arith::MULI),     Is(arith::MULI),     Is(arith::ANDI),  Expr(product::multiply)),
    row(OpKind::Negate,              Is(arith::NEGF),     Expr(f::negate_int),  Expr(f::negate_int),  No,                Is(complex::NEG)),
    row(OpKind::Not,                 No,                   Expr(f::not),         Expr(f::not),         Expr(f::not),      No),
    row(OpKind::Or,                  No,                   Is(arith::ORI),      Is(arith::ORI),      Is(arith::ORI),   No),
    row(OpKind::Popcnt,              No,                   Is(math::CTPOP),     Is(math::CTPOP),     No,                No),
    row(OpKind::Power,               Is(math::POWF),      Expr(f::power_signed), Expr(f::power_unsigned), No,            Expr(power::power)),
    row(OpKind::Real,                Expr(f::same),        No,                   No,                   No,                Expr(f::real)),
    row(OpKind::Remainder,           Is(arith::REMF),     Expr(f::remainder_signed), Expr(f::remainder_unsigned), No,    No),
    row(OpKind::RoundNearestAfz,     Is(math::ROUND),     No,                   No,                   No,                No),
    row(OpKind::RoundNearestEven,    Is(math::ROUNDEVEN), No,                   No,                   No,                No),
    row(OpKind::Rsqrt,               Is(math::RSQRT),     No,                   No,                   No,                Expr(root::rsqrt)),
    row(OpKind::ShiftLeft,           No,                   Expr(f::shift_left),  Expr(f::shift_left),  No,                No),
    row(OpKind::ShiftRightArithmetic, No,                  Expr(f::shift_right_arithmetic), Expr(f::shift_right_arithmetic), No, No),
    row(OpKind::ShiftRightLogical,   No,                   Expr(f::shift_right_logical), Expr(f::shift_right_logical), No, No),
    row(OpKind::Sign,                Expr(f::sign_float),  Expr(f::sign_int),    No,                   No,                Expr(root::sign)),
    row(OpKind::Sine,                Is(math::SIN),       No,                   No,                   No,                Expr(circular::sine)),
    row(OpKind::Sqrt,                Is(math::SQRT),      No,                   No,                   No,                Expr(root::sqrt)),
    row(OpKind::Subtract,            Is(arith::SUBF),     Is(arith::SUBI),     Is(arith::SUBI),     No,                Expr(product::subtract)),
    row(OpKind::Tan,                 Is(math::TAN),       No,                   No,                   No,                Expr(circular::tan)),
    row(OpKind::Tanh,                Is(math::TANH),      No,                   No,                   No,                Expr(circular::tanh)),
    row(OpKind::Xor,                 No,                   Is(arith::XORI),     Is(arith::XORI),     Is(arith::XORI),  No),
    // CHLO functions that stage 10 keeps.
    row(OpKind::ChloAsinAcosKernel,  No,                   No,                   No,                   No,                Expr(inverse::asin_acos_kernel)),
    row(OpKind::ChloAcos,            Is(math::ACOS),      No,                   No,                   No,                Expr(inverse::acos)),
    row(OpKind::ChloAcosh,           Is(math::ACOSH),     No,                   No,                   No,                Expr(inverse::acosh)),
    row(OpKind::ChloAsin,            Is(math::ASIN),      No,                   No,                   No,                Expr(inverse::asin)),
    row(OpKind::ChloAsinh,           Is(math::ASINH),     No,                   No,                   No,                Expr(inverse::asinh)),
    row(OpKind::ChloAtan,            Is(math::ATAN),      No,                   No,                   No,                Expr(inverse::atan)),
    row(OpKind::ChloAtanh,           Is(math::ATANH),     No,                   No,                   No,                Expr(inverse::atanh)),
    row(OpKind::ChloBesselI1e,       Expr(special::bessel_i1e), No,                No,                   No,                No),
    row(OpKind::ChloConj,            Expr(f::same),        No,                   No,                   No,                Expr(f::conjugate)),
    row(OpKind::ChloCosh,            Is(math::COSH),         No,                   No,                   No,                Expr(circular::cosh)),
    row(OpKind::ChloDigamma,         Expr(special::digamma), No,                 No,                   No,                No),
    row(OpKind::ChloErf,             Is(math::ERF),       No,                   No,                   No,                No),
    row(OpKind::ChloErfInv,          Expr(special::erf_inv), No,                 No,                   No,                No),
    row(OpKind::ChloErfc,            Is(math::ERFC),      No,                   No,                   No,                No),
    row(OpKind::ChloLgamma,          Expr(special::lgamma), No,                  No,                   No,                No),
    row(OpKind::ChloMulhi,           No,                   Expr(f::high_signed), Expr(f::high_unsigned), No,              No),
    row(OpKind::ChloSinh,            Is(math::SINH),         No,                   No,                   No,                Expr(circular::sinh)),
    row(OpKind::ChloSquare,          No,                   No,                   No,                   No,                Expr(inverse::square)),
];

static KINDS: LazyLock<Vec<OpKind>> = LazyLock::new(|| ROWS.iter().map(|row| row.kind).collect());

/// Whether operations of that kind are pointwise ones of the table.
pub fn has_row(kind: OpKind) -> bool {
    KINDS.contains(&kind)
}

/// The lowering of the table's operations.
pub struct Elementwise;

impl Lowering for Elementwise {
    fn name(&self) -> &'static str {
        "elementwise"
    }

    fn roots(&self) -> &'static [OpKind] {
        &KINDS
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        pointwise::lower(op, operands, lowerer, emit)
    }
}

/// `chlo.next_after`: the one operation on the bits of its operands' own type, narrow or not.
pub struct NextAfter;

impl Lowering for NextAfter {
    fn name(&self) -> &'static str {
        "next-after"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ChloNextAfter]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        pointwise::lower(op, operands, lowerer, |op, builder, args| {
            match Format::of(logical(op)[0]) {
                Some(format) => next_after(builder, args[0], args[1], format),
                None => special::next_after(builder, args[0], args[1]),
            }
        })
    }
}

/// Computes one element of the result of `op`, whose kind has a row.
pub fn emit<'c>(op: Op<'c>, builder: &Builder<'c>, args: &[Value<'c>]) -> Outcome<Value<'c>> {
    let kind = op.kind();
    let row =
        ROWS.iter().find(|row| row.kind == kind).or_decline("the operation is not pointwise")?;
    let operand = op.operand(0).ty().element();
    let result = op.result(0).ty().element();
    let class = Class::of(operand).or_decline("the element type is not supported")?;
    let cell = match class {
        Class::Bool => row.boolean,
        Class::Signed => row.signed,
        Class::Unsigned => row.unsigned,
        Class::Float => row.float,
        Class::Complex => row.complex,
    };
    let wide: Vec<_> = args.iter().map(|arg| widen(builder, *arg)).collect();
    let value = match cell {
        Cell::No => return Err(format!("it is not defined for {operand}").into()),
        Cell::Op(name) => builder.same(name, &wide),
        Cell::Expr(build) => build(builder, &wide)?,
    };
    debug_assert!(value.ty() == computed_in(builder, result));
    if let Some(bits) = op.attr(ROUNDED) {
        mark_functions(value, &wide, bits);
    }
    Ok(narrow(builder, value, result))
}

/// Marks the functions and quotients that `value` is computed by from `args`: they need no more digits than the operation does.
fn mark_functions<'c>(value: Value<'c>, args: &[Value<'c>], bits: Attribute<'c>) {
    let Some(op) = value.owner().filter(|_| !args.contains(&value)) else { return };
    if matches!(op.name(), math::EXP | math::TANH | arith::DIVF) {
        op.set_attr(ROUNDED, bits);
    }
    op.operands().into_iter().for_each(|operand| mark_functions(operand, args, bits));
}

#[cfg(test)]
mod tests {
    use super::ROWS;

    #[test]
    fn every_operation_has_one_row() {
        for pair in ROWS.windows(2) {
            assert!(pair[0].kind < pair[1].kind, "{:?} before {:?}", pair[0].kind, pair[1].kind);
        }
    }
}
