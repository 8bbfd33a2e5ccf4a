//! Operands of methods: handles, results of other calls, and Rust numbers.

use std::{ops, rc::Rc};

use half::{bf16, f16};
use num_complex::Complex;

use crate::{
    error::{Result, Site},
    literal::{Literal, Number},
    op::Op,
};

mod sealed {
    pub trait Sealed {}
}

/// A second operand: a handle, the result of another call, a literal, or a number, which becomes a scalar of the other
/// operand's element type. A number that this type cannot represent is an error.
pub trait Operand: sealed::Sealed {
    #[doc(hidden)]
    fn resolve(self, site: Call, beside: &Op) -> Result<Op>;
}

/// A call that resolves its operands.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Call(pub(crate) Site);

macro_rules! operand {
    ($ty:ty, |$value:ident, $site:ident, $beside:ident| $body:expr) => {
        impl sealed::Sealed for $ty {}

        impl Operand for $ty {
            fn resolve(self, $site: Call, $beside: &Op) -> Result<Op> {
                let $value = self;
                $body
            }
        }
    };
}

operand!(Op, |op, _site, _beside| Ok(op));
operand!(&Op, |op, _site, _beside| Ok(op.clone()));
operand!(Result<Op>, |op, _site, _beside| op);
operand!(&Result<Op>, |op, _site, _beside| op.clone());
operand!(Literal, |literal, site, beside| Ok(beside.builder().literal_at(site.0, &literal)));
operand!(&Literal, |literal, site, beside| Ok(beside.builder().literal_at(site.0, literal)));

fn number(site: Site, beside: &Op, number: Number) -> Result<Op> {
    beside.builder().number(site, &beside.array_at(site)?, number)
}

macro_rules! numbers {
    ($($ty:ty: |$value:ident| $number:expr;)*) => {
        $(operand!($ty, |$value, site, beside| number(site.0, beside, $number));)*
    };
}

numbers! {
    bool: |value| Number::Bool(value);
    i8: |value| Number::Int(value.into());
    i16: |value| Number::Int(value.into());
    i32: |value| Number::Int(value.into());
    i64: |value| Number::Int(value.into());
    u8: |value| Number::Int(value.into());
    u16: |value| Number::Int(value.into());
    u32: |value| Number::Int(value.into());
    u64: |value| Number::Int(value.into());
    usize: |value| Number::Int(value as i128);
    f16: |value| Number::Float(value.to_f64());
    bf16: |value| Number::Float(value.to_f64());
    f32: |value| Number::Float(value.into());
    f64: |value| Number::Float(value);
    Complex<f32>: |value| Number::Complex(value.re.into(), value.im.into());
    Complex<f64>: |value| Number::Complex(value.re, value.im);
}

/// `&x + &y`, `x * 2.0`, `1.0 - &x`: XLA's implicit broadcasting, a `Result` each.
macro_rules! operators {
    ($($interface:ident $method:ident $call:ident;)*) => {$(
        impl<R: Operand> ops::$interface<R> for &Op {
            type Output = Result<Op>;

            #[track_caller]
            fn $method(self, rhs: R) -> Result<Op> {
                Op::$call(self, rhs)
            }
        }

        impl<R: Operand> ops::$interface<R> for Op {
            type Output = Result<Op>;

            #[track_caller]
            fn $method(self, rhs: R) -> Result<Op> {
                Op::$call(&self, rhs)
            }
        }

        // One float type and one integer type: with several, the type of `1.0` would be ambiguous.
        operators!(@numbers $interface $method $call f64 i32);
    )*};
    (@numbers $interface:ident $method:ident $call:ident $($number:ty)*) => {$(
        impl ops::$interface<&Op> for $number {
            type Output = Result<Op>;

            #[track_caller]
            fn $method(self, rhs: &Op) -> Result<Op> {
                Op::$call(&self.resolve(Call(Site::new("ConstantLiteral")), rhs)?, rhs)
            }
        }

        impl ops::$interface<Op> for $number {
            type Output = Result<Op>;

            #[track_caller]
            fn $method(self, rhs: Op) -> Result<Op> {
                Op::$call(&self.resolve(Call(Site::new("ConstantLiteral")), &rhs)?, &rhs)
            }
        }
    )*};
}

operators! {
    Add add add;
    Sub sub sub;
    Mul mul mul;
    Div div div;
    Rem rem rem;
    BitAnd bitand and;
    BitOr bitor or;
    BitXor bitxor xor;
    Shl shl shift_left;
}

impl ops::Neg for &Op {
    type Output = Result<Op>;

    #[track_caller]
    fn neg(self) -> Result<Op> {
        Op::neg(self)
    }
}

impl ops::Neg for Op {
    type Output = Result<Op>;

    #[track_caller]
    fn neg(self) -> Result<Op> {
        Op::neg(&self)
    }
}

impl ops::Not for &Op {
    type Output = Result<Op>;

    #[track_caller]
    fn not(self) -> Result<Op> {
        Op::not(self)
    }
}

impl ops::Not for Op {
    type Output = Result<Op>;

    #[track_caller]
    fn not(self) -> Result<Op> {
        Op::not(&self)
    }
}

/// Right shifts keep the sign of signed integers, as Rust's do.
impl<R: Operand> ops::Shr<R> for &Op {
    type Output = Result<Op>;

    #[track_caller]
    fn shr(self, rhs: R) -> Result<Op> {
        let element = self.array_at(Site::new("ShiftRightArithmetic"))?.element;
        match element {
            crate::ElementType::Unsigned(_) => self.shift_right_logical(rhs),
            _ => self.shift_right_arithmetic(rhs),
        }
    }
}

impl<R: Operand> ops::Shr<R> for Op {
    type Output = Result<Op>;

    #[track_caller]
    fn shr(self, rhs: R) -> Result<Op> {
        &self >> rhs
    }
}

impl Op {
    /// Resolves the other operand.
    pub(crate) fn beside(&self, site: Site, other: impl Operand) -> Result<Op> {
        let other = other.resolve(Call(site), self)?;
        if Rc::ptr_eq(&self.graph, &other.graph) {
            Ok(other)
        } else {
            Err(site.foreign("an operand"))
        }
    }
}
