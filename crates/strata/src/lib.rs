//! The stage table, the compiler and its artifacts. No file access.
#![deny(missing_docs)]
