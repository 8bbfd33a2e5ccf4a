//! Which operations of a program need functions of the C mathematics library, where none may be called.

use std::time::Duration;

use strata_codegen::libm;
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_ir::{WalkOrder, module_op, source_location};
use strata_options::Options;

use super::Compiler;
use crate::{
    observer::{Observer, Product},
    stage::{Stage, StageInfo},
};

/// The most operations that an error names.
const MOST_NAMED: usize = 4;

/// What compiles to calls of the library.
#[derive(Default)]
struct Users {
    /// The operations of the program and where they are.
    operations: Vec<(String, Location)>,
    /// Functions, and the places of what calls them.
    calls: Vec<(String, Location)>,
}

impl Observer for Users {
    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, _: Duration) {
        let Product::Mlir(module) = product else { return };
        if info.stage == Stage::Llvm {
            self.calls = libm::users(module);
        } else if info.stage <= Stage::Spmd {
            // A place that only the call of an operation's function has is the operation's once it is inlined.
            module_op(module).walk(WalkOrder::Pre, &mut |op| {
                let place = source_location(op.location());
                self.operations.extend(place.map(|place| (op.name().into(), place)));
            });
        }
    }
}

/// Adds the operations that need the functions which `S1705` names, and where they are.
pub(super) fn name_users(
    errors: Diagnostics,
    (options, from): (&Options, Stage),
    name: &str,
    bytes: &[u8],
) -> Diagnostics {
    let is_meant = |error: &Diagnostic| error.code() == codes::S1705 && error.location().is_none();
    if !errors.iter().any(is_meant) || from > Stage::Llvm {
        return errors;
    }
    // What calls them is the same for all processors and sizes.
    let mut options = options.clone();
    options.entry = options.entry.or_else(|| options.entries.first().cloned());
    (options.entries, options.versions) = (Vec::new(), Vec::new());
    let mut users = Users::default();
    let compiler = Compiler::new(options).from(from).to(Stage::Llvm).observe(&mut users);
    if compiler.compile(name, bytes).is_err() {
        return errors;
    }
    errors.map(|error| if is_meant(&error) { users.name(error) } else { error })
}

impl Users {
    /// The operation at a place that needs the library, among others of the same line of the user's program.
    fn operation(&self, place: &Location) -> Option<&str> {
        let calls = self.calls.iter().filter(|(_, known)| known == place);
        let needs = |name: &&str| {
            let mnemonic = name.rsplit('.').next().unwrap_or(name);
            let is = |function: &str| {
                function == mnemonic || libm::operations(function).contains(&mnemonic)
            };
            calls.clone().any(|(function, _)| is(function))
        };
        let here = self.operations.iter().filter(|(_, known)| known == place);
        let mut here = here.map(|(name, _)| name.as_str());
        // A call is at the place of what it calls, and before it.
        let computes = |name: &&str| !name.starts_with("func.");
        here.clone().find(needs).or_else(|| here.find(computes))
    }

    fn name(&self, error: Diagnostic) -> Diagnostic {
        let is_named = |function: &str| {
            let is = |symbol: &String| libm::of_double(symbol) == function;
            error.symbols().iter().any(is)
        };
        let mut places: Vec<&Location> = Vec::new();
        for (_, place) in self.calls.iter().filter(|(function, _)| is_named(function)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let operation = |place: &Location| self.operation(place);
        let Some((first, others)) = places.split_first() else { return error };
        let mut error = error.at((*first).clone());
        if let Some(name) = operation(first) {
            error = error.operation(name);
        }
        for place in others.iter().take(MOST_NAMED - 1) {
            let name = operation(place).unwrap_or("an operation");
            error = error.note_at((*place).clone(), format!("`{name}` needs it, too"));
        }
        match others.len().saturating_sub(MOST_NAMED - 1) {
            0 => error,
            more => error.note(format!("{more} more operations need it")),
        }
    }
}
