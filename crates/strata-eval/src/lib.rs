//! The reference evaluator: StableHLO programs run as their semantics say, one obvious function per
//! operation.
//!
//! It is the reference for compiled code, and shares no code with the lowerings. There is one module of
//! functions on [`Tensor`]s per family of operations; each can be called directly:
//!
//! ```
//! use strata_eval::{Tensor, elementwise};
//!
//! let x = Tensor::from_i32(&[2], &[7, i32::MIN]);
//! let y = Tensor::from_i32(&[2], &[0, -1]);
//! assert_eq!(elementwise::divide(&x, &y).unwrap(), Tensor::from_i32(&[2], &[-1, i32::MIN]));
//! ```
//!
//! Numbers: integers wrap around. A floating-point result is computed in `f64` and rounded once to its
//! type, so that `f32` and narrower results of the transcendental functions are nearly always correctly
//! rounded. Contractions (dot, convolution) accumulate in `f32` for types of up to 32 bits and in `f64` for
//! wider ones; FFT and linear algebra in `f64`; folds with a body (reduce, reduce_window) round wherever the
//! body does, in row-major order. Sums of more than 128 floats are computed in blocks.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod batch_norm;
pub mod chlo;
pub mod compare;
pub mod compare_select;
pub mod complex_inverse;
pub mod complex_math;
pub mod constant_iota;
pub mod conv;
pub mod convert;
pub mod dot;
pub mod dynamic;
mod element;
pub mod elementwise;
mod error;
mod evaluate;
mod exact;
pub mod fft;
mod float_format;
pub mod fold;
pub mod gather_scatter;
pub mod index;
mod inputs;
mod interpret;
pub mod linear_algebra;
mod print;
mod program;
pub mod quantized;
pub mod reduce;
pub mod rng;
pub mod shape;
pub mod sort;
pub mod special;
mod tensor;
pub mod window;

pub use element::{
    BF16, C64, C128, Element, ElementType, F16, F32, F64, I1, I8, I32, I64, UI8, UI32, UI64,
};
pub use error::{ErrorKind, EvalError, Place, Result};
pub use evaluate::{Evaluator, evaluate};
pub use float_format::FloatType;
pub use inputs::{Values, random_tensor};
pub use interpret::{
    CustomCall, HostSource, Outside, OutsideCall, Processes, Session, Watch, supports,
};
pub use program::Attr;
pub use quantized::Quantization;
pub use tensor::Tensor;
