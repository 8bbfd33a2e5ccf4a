//! Stages 60 to 80: LLVM dialect, LLVM IR, objects, headers.
#![deny(missing_docs)]
