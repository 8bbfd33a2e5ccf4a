//! Random programs, what their compiled results are compared with, and how a program that fails is made small.
//!
//! A family draws programs from a seed that are valid by construction; an oracle compiles a program in one way and
//! compares what it computes with the reference evaluator. `strata-fuzz run` goes through many seeds of all families,
//! with an oracle that changes from seed to seed; the tests go through a few.

#![forbid(unsafe_code)]

pub mod campaign;
pub mod coverage;
mod emulated;
pub mod families;
pub mod faults;
pub mod oracle;
mod program;
pub mod reduce;
mod rewrite;
mod schedules;
pub mod source;

/// The context of this thread's programs, which making a new one for each would cost more than compiling most of them.
fn context() -> &'static strata_ir::Context {
    thread_local! {
        static CONTEXT: &'static strata_ir::Context = Box::leak(Box::new(strata_ir::new_context()));
    }
    CONTEXT.with(|context| *context)
}
