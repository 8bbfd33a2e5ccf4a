//! Random programs, oracles for their results, and the reduction of failing programs.
//!
//! A family draws programs from a seed that are valid by construction; an oracle compiles a program in one way and
//! compares what it computes with the reference evaluator. `strata-fuzz run` runs many seeds of all families, with an
//! oracle that changes from seed to seed; the tests run a few.

#![forbid(unsafe_code)]

mod bounded;
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
mod split;

/// The context of this thread's programs: creating one for each would cost more than compiling most of them.
fn context() -> &'static strata_ir::Context {
    thread_local! {
        static CONTEXT: &'static strata_ir::Context = Box::leak(Box::new(strata_ir::new_context()));
    }
    CONTEXT.with(|context| *context)
}
