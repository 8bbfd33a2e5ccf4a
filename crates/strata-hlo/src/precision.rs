//! Numbers of `bf16` and `f16` that keep their digits in `f32` between operations, where the program or its caller permits it.
//!
//! ```text
//! %1 = multiply %x, %y : bf16        %a = multiply (convert %x), (convert %y) : f32
//! %2 = add %1, %z : bf16         =>  %b = add %a, (convert %z) : f32
//! return %2                          return convert %b : bf16
//! ```
//!
//! Every number that arithmetic computes has two forms: its digits, which all arithmetic reads, and the number of its own type, which
//! everything else reads: results, dots, slices, loops, `reduce_precision`. So two comparisons of a number never differ. A `convert` from
//! `f32` makes such a number like any other operation; `broadcast_in_dim`, `reshape` and `transpose` pass both forms on.

use std::collections::HashMap;

use strata_ir::{
    Builder, Context, EXCESS_PRECISION, Op, OpKind, ROUNDED, Type, TypeExt as _, Value, f32_type,
    half_exponent, int, integer,
};

use crate::{emit::Emit as _, pattern::combines};

/// What an operation does with numbers of `bf16` and `f16`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It computes one that its type rounds.
    Rounds,
    /// Its result is exact: one of its operands, or of as many digits.
    Chooses,
    Converts,
    /// It passes numbers on as they are.
    Moves,
    /// Its regions are parts of the program.
    Encloses,
    /// It reads numbers of their own type.
    Other,
}

#[rustfmt::skip]
fn role(op: Op<'_>) -> Role {
    match op.kind() {
        OpKind::Add | OpKind::Atan2 | OpKind::Cbrt | OpKind::Cosine | OpKind::Divide
        | OpKind::Exponential | OpKind::ExponentialMinusOne | OpKind::Log | OpKind::LogPlusOne
        | OpKind::Logistic | OpKind::Multiply | OpKind::Power | OpKind::Remainder | OpKind::Rsqrt
        | OpKind::Sine | OpKind::Sqrt | OpKind::Subtract | OpKind::Tan | OpKind::Tanh
        | OpKind::ChloAcos | OpKind::ChloAcosh | OpKind::ChloAsin | OpKind::ChloAsinh
        | OpKind::ChloAtan | OpKind::ChloAtanh | OpKind::ChloBesselI1e | OpKind::ChloCosh
        | OpKind::ChloDigamma | OpKind::ChloErf | OpKind::ChloErfInv | OpKind::ChloErfc
        | OpKind::ChloLgamma | OpKind::ChloSinh => Role::Rounds,
        OpKind::Abs | OpKind::Ceil | OpKind::Clamp | OpKind::Compare | OpKind::Floor
        | OpKind::IsFinite | OpKind::Maximum | OpKind::Minimum | OpKind::Negate
        | OpKind::RoundNearestAfz | OpKind::RoundNearestEven | OpKind::Select | OpKind::Sign => Role::Chooses,
        OpKind::Reduce if folds_extremum(op) => Role::Chooses,
        OpKind::Convert => Role::Converts,
        OpKind::BroadcastInDim | OpKind::Reshape | OpKind::Transpose => Role::Moves,
        OpKind::If | OpKind::Case | OpKind::While => Role::Encloses,
        _ => Role::Other,
    }
}

/// Whether a reduction finds the largest or the smallest elements of one operand.
fn folds_extremum(op: Op<'_>) -> bool {
    combines(op).is_ok_and(|step| matches!(step.kind(), OpKind::Maximum | OpKind::Minimum))
}

/// Has the numbers that arithmetic of `func` computes keep their digits for other arithmetic.
pub fn keep_digits<'c>(context: &'c Context, func: Op<'c>) {
    Digits { context, of: HashMap::new() }.block(func);
    // A program says it of the operations that are in it: these now say it themselves.
    let mut around = Some(func);
    while let Some(op) = around {
        op.remove_attr(EXCESS_PRECISION);
        around = op.parent();
    }
}

/// Numbers of `bf16` and `f16`, by what has all of their digits.
struct Digits<'c> {
    context: &'c Context,
    of: HashMap<Value<'c>, Value<'c>>,
}

impl<'c> Digits<'c> {
    fn block(&mut self, parent: Op<'c>) {
        let blocks = parent.regions().into_iter().flat_map(|region| region.blocks());
        for op in blocks.flat_map(|block| block.ops()) {
            self.operation(op);
        }
    }

    fn operation(&mut self, op: Op<'c>) {
        match role(op) {
            Role::Rounds => self.compute(op),
            Role::Chooses if op.operands().iter().any(|one| self.of.contains_key(one)) => {
                self.compute(op);
            }
            Role::Converts => self.convert(op),
            Role::Moves => self.pass_on(op),
            Role::Encloses => self.block(op),
            Role::Chooses | Role::Other => {}
        }
    }

    fn wide(&self, ty: Type<'c>) -> Type<'c> {
        if half_exponent(ty).is_some() { ty.with_element(f32_type(self.context)) } else { ty }
    }

    /// A number with all of its digits; those of other types are as they are.
    fn digits(&self, builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
        match self.of.get(&value) {
            Some(digits) => *digits,
            None => builder.converted(value, self.wide(value.ty()).element()),
        }
    }

    /// Computes with the digits of the operands.
    fn compute(&mut self, op: Op<'c>) {
        let ty = op.result(0).ty();
        let mut values = op.operands().into_iter().chain(op.results());
        if !values.any(|value| half_exponent(value.ty()).is_some()) {
            return;
        }
        let builder = Builder::before(self.context, op);
        let operands: Vec<_> =
            op.operands().into_iter().map(|one| self.digits(&builder, one)).collect();
        let mut new = builder.op(op.name()).operands(&operands).attrs(&op.attrs());
        if let Some(exponent) = half_exponent(ty).filter(|_| has_short_formula(op.kind())) {
            new = new.attr(ROUNDED, int(integer(self.context, 32), exponent));
        }
        if op.region_count() == 1
            && let Some(fold) = op.body(0).first_op()
        {
            let scalars: Vec<_> =
                op.body(0).args().into_iter().map(|one| self.wide(one.ty())).collect();
            new = new.region(builder.region(&scalars, |inside, args| {
                inside.returned(&[inside.same(fold.name(), args)]);
            }));
        }
        let new = new.result(self.wide(ty)).value();
        if new.ty() == ty {
            op.result(0).replace_all_uses_with(new);
        } else {
            let rounded = builder.converted(new, ty.element());
            op.result(0).replace_all_uses_with(rounded);
            self.of.insert(rounded, new);
        }
        op.erase();
    }

    fn convert(&mut self, op: Op<'c>) {
        let (from, to) = (op.operand(0), op.result(0));
        let is_float = from.ty().element().is_float_type();
        let builder = Builder::before(self.context, op);
        if half_exponent(to.ty()).is_some() {
            if from.ty().element().is_complex() {
                return;
            }
            match self.of.get(&from).copied() {
                Some(digits) => {
                    let rounded = builder.converted(digits, to.ty().element());
                    to.replace_all_uses_with(rounded);
                    self.of.insert(rounded, digits);
                }
                None => {
                    let wide = self.wide(to.ty()).element();
                    self.of.insert(to, builder.converted(from, wide));
                }
            }
        } else if let Some(digits) = self.of.get(&from).filter(|_| is_float)
            && to.ty().element().is_float_type()
            && to.ty().element().bit_width() >= Some(32)
        {
            let wide = builder.converted(*digits, to.ty().element());
            for (user, operand) in to.uses() {
                // Dots of `bf16` are computed by instructions of their own.
                if !matches!(user.kind(), OpKind::Dot | OpKind::DotGeneral | OpKind::Convolution) {
                    user.set_operand(operand, wide);
                }
            }
        }
    }

    /// Passes the digits on beside the rounded numbers: what of both nothing reads goes.
    fn pass_on(&mut self, op: Op<'c>) {
        let Some(digits) = self.of.get(&op.operand(0)) else { return };
        let builder = Builder::before(self.context, op);
        let ty = self.wide(op.result(0).ty());
        let moved = builder.op(op.name()).operand(*digits).attrs(&op.attrs()).result(ty).value();
        self.of.insert(op.result(0), moved);
    }
}

/// Whether there are formulas for results of fewer digits.
fn has_short_formula(kind: OpKind) -> bool {
    matches!(kind, OpKind::Divide | OpKind::Exponential | OpKind::Logistic | OpKind::Tanh)
}
