//! Stages 60 to 80: LLVM dialect, LLVM IR, objects, headers.
//!
//! The only crate that compiles with LLVM. Its functions exchange plain data: a module of the LLVM
//! dialect, bitcode, bytes.
#![deny(missing_docs)]

pub mod abi;
mod caches;
pub mod cxx;
mod decoder;
mod detection;
mod embed;
pub mod emit;
pub mod header;
pub mod joint;
pub mod libm;
pub mod llvm;
mod llvm_passes;
pub mod llvmir;
pub mod machine;
pub mod open;
mod order;
mod parts;
mod pieces;
mod probe;
mod quick;
mod reserved_names;
mod runtime;
pub mod rust;
mod symbols;
pub mod target;
mod weights;

pub use abi::element_code;
pub use decoder::Decoder;
pub use llvmir::LlvmIr;
pub use parts::{in_order, threads};
pub use pieces::Pieces;
pub use symbols::Symbols;
pub use weights::{Weights, constants_of, fnv1a, shared_weights};
