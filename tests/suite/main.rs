//! Tests that look at Strata from outside, through the built command and the public library.

mod accuracy;
mod arrays;
mod artifacts;
mod builder;
mod cli;
mod command;
mod constants;
mod diagnostics;
mod docs;
mod donation;
mod emulated;
mod expected;
mod exporters;
mod harness;
mod later;
mod loops;
mod objects;
mod ops;
mod outside;
mod programs;
mod robustness;
mod semantics;
mod special_values;
mod stages;
mod sums;
mod weights;
