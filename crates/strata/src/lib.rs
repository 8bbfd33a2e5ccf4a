//! The compiler as a library: the stage table, the loop that runs it, and the artifact.
//!
//! No file access, no environment: bytes (or a module) in, bytes out. The command line, build scripts and tests
//! are built on this crate.
//!
//! ```no_run
//! use strata::{Compiler, Options, Stage, Target};
//!
//! let program = std::fs::read("mlp.mlir").unwrap();
//! let options = Options { name: "mlp".into(), ..Options::new(Target::x86_64_baseline()) };
//! let artifact = Compiler::new(options).to(Stage::Obj).compile("mlp.mlir", &program).unwrap();
//! std::fs::write("mlp.o", artifact.bytes()).unwrap();
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod advice;
mod artifact;
mod compiler;
mod cost;
mod exchanges;
mod joint;
mod observer;
mod open;
mod passes;
mod remarks;
mod specialize;
mod stack;
mod stage;
mod survey;

pub use artifact::{Artifact, Program};
pub use compiler::{Compiler, Interface};
pub use observer::{Observer, PartCount, Product};
pub use open::specializations;
pub use passes::{Pass, register_pass, registered_passes, user_pipeline};
pub use remarks::{
    CopyRemark, ExchangeRemark, LayoutsRemark, NestRemark, OperationRemark, Remarks, Report,
    ShardingRemark, ThreadsRemark, VectorUse,
};
pub use stack::{on_large_stack, panic_message};
pub use stage::{STAGES, Stage, StageInfo};
pub use strata_codegen::{Weights, element_code, target};
pub use strata_hlo::Symbols;
pub use strata_ir::{
    Convention, Devices, ElementType, Part, Prepare, Prepared, PreparedProgram, Semantics,
    Signature, StepInfo, TensorSpec, WeightsFile, new_context,
};
pub use strata_options::{
    AddedPasses, LaidOut, OptLevel, Options, Streaming, Tasks, Visibility,
    Weights as WeightsLocation,
};
pub use strata_remarks::{
    Arena, Attempt, NumberedOperation, ORIGINS, Origin, Subject, TemporaryBuffer,
};
pub use strata_schedule::{
    tiling::choice::Choice,
    tuned::{Entry, Fingerprint, Gains, Schedules, TunableNest},
};
pub use strata_target::{Isa, Target};
pub use survey::{Cost, Costs, Exchanges, Network, Sizes, Survey, of_entries, survey, symbols};
