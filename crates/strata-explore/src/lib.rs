//! A page that shows what the compiler made of a program: `strata explore`.
//!
//! The program is compiled to assembly, watched by an observer. The page, one file of HTML that loads nothing, has the program's
//! operations as a graph, the text of every stage with what each line comes from, nests with their schedules, the memory plan and costs.
//! `page/` is its source, in TypeScript; `bundle/`, which is part of this crate, what `npm run build` makes of it.
//!
//! What a line comes from is what its location says, which every stage carries along, and never guessed: lines without one are shown as
//! coming from nothing that is known.
//!
//! ```no_run
//! use strata::{Options, Target};
//!
//! let program = std::fs::read("mlp.mlir").unwrap();
//! let options = Options::new(Target::x86_64_baseline());
//! let found = strata_explore::explore(&options, "mlp.mlir", &program).unwrap();
//! std::fs::write("mlp.html", found.html()).unwrap();
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::collections::BTreeSet;

use serde_json::Value;
use strata::{Artifact, Compiler, Options, Remarks, Stage};
use strata_diag::{Diagnostic, Diagnostics, codes};

mod collect;
mod locations;
mod page;
mod places;
mod profile;
mod text;

use collect::Collected;
pub use collect::Collector;
pub use locations::Frame;

/// What a compilation says of itself.
#[derive(Clone, Debug)]
pub struct Exploration {
    collected: Collected,
    sources: Vec<(String, String)>,
    warnings: Diagnostics,
}

/// Compiles a program, which locations and diagnostics call `name`, to assembly and collects what there is to see.
///
/// # Errors
/// As [`Compiler::compile`]; `S0001` for options that make one object of several programs or processors.
pub fn explore(options: &Options, name: &str, bytes: &[u8]) -> Result<Exploration, Diagnostics> {
    if options.is_joint() {
        return Err(Diagnostic::new(codes::S0001)
            .reason("a page is about one entry and one processor")
            .hint("name one of each")
            .into());
    }
    // Code for sizes up to bounds has a version for each of them.
    let options = Options { open: false, ..options.clone() };
    let mut collector = Collector::default();
    let compiler = Compiler::new(options.clone()).to(Stage::Asm).observe(&mut collector);
    let artifact = compiler.compile(name, bytes)?;
    Ok(collector.finish(name, &options, &artifact))
}

impl Exploration {
    /// The page.
    pub fn html(&self) -> String {
        page::html(&self.collected, &self.sources)
    }

    /// What the page shows, without the texts of stages: operations, nests, copies, the memory plan, costs.
    pub fn index(&self) -> &Value {
        &self.collected.index
    }

    /// What became of each operation: what the index is made of.
    pub fn remarks(&self) -> &Remarks {
        &self.collected.remarks
    }

    /// The text of a stage as the page shows it, without locations, and for each of its lines the operations of the program, by position in
    /// the index, that it is known to come from.
    pub fn stage(&self, stage: Stage) -> Option<(&str, Vec<BTreeSet<usize>>)> {
        let found = self.collected.stages.iter().find(|one| one.stage == stage)?;
        let of = |line: &usize| {
            let origin = line.checked_sub(1).and_then(|at| found.text.origins.get(at));
            origin.map(|origin| origin.operations.clone()).unwrap_or_default()
        };
        Some((&found.text.text, found.text.lines.iter().map(of).collect()))
    }

    /// The frames of an operation in the source, the innermost first, in each way in which it may be reached: over those of `calls`,
    /// by position in the index, where they are known, else over any call of its function.
    pub fn ways(&self, operation: usize, calls: &BTreeSet<usize>) -> Vec<Vec<Frame>> {
        self.collected.places.ways(operation, calls)
    }

    /// The source files that locations of the program name.
    pub fn files(&self) -> &BTreeSet<String> {
        &self.collected.files
    }

    /// Adds the text of a source file, by the name that locations give it: the page shows its lines.
    #[must_use]
    pub fn with_source(mut self, file: &str, text: &str) -> Self {
        self.sources.push((file.to_owned(), text.to_owned()));
        self
    }

    /// Warnings about the program.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }
}

/// [`Artifact::explore`](Explore::explore).
pub trait Explore {
    /// Compiles the artifact's program once more, with the same options, and collects what there is to see.
    ///
    /// # Errors
    /// As [`explore()`]; `S0001` for an artifact without its program, which [`Compiler::keep_program`] keeps.
    fn explore(&self) -> Result<Exploration, Diagnostics>;
}

impl Explore for Artifact {
    fn explore(&self) -> Result<Exploration, Diagnostics> {
        let Some(program) = self.program() else {
            return Err(Diagnostic::new(codes::S0001)
                .reason("the artifact does not have the program that it was compiled from")
                .hint("compile with `Compiler::keep_program`")
                .into());
        };
        let found = explore(&program.options, &program.name, &program.bytes)?;
        Ok(match std::str::from_utf8(&program.bytes) {
            Ok(text) => found.with_source(&program.name, text),
            Err(_) => found,
        })
    }
}
