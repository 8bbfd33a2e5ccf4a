//! Schedules given by the user: parsed and checked.

use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_ir::{AttributeExt as _, Context, Module, module_op, parse, transform};

use crate::transform::{allowed, library::sequence_names};

/// A schedule in the form that `strata schedule` prints.
pub struct Given<'c> {
    /// Its sequences.
    pub library: Module<'c>,
    /// What diagnostics call it.
    pub name: String,
    /// Its text.
    pub text: String,
    sequences: Vec<String>,
}

impl<'c> Given<'c> {
    /// Reads a schedule that diagnostics call `name`.
    ///
    /// # Errors
    /// `S1301` when the text does not parse, or uses a transform that is not allowed.
    pub fn read(context: &'c Context, name: &str, text: &str) -> Result<Self, Diagnostic> {
        let library = parse(context, name, text.as_bytes()).map_err(unreadable)?;
        allowed::check(context, &library).map_err(|error| error.source_file(name, text))?;
        let sequences = sequence_names(&library);
        let unusable = |reason: String| {
            Diagnostic::new(codes::S1301)
                .at(Location::file(name))
                .reason(reason)
                .hint("`strata schedule MODEL` prints the nests with their schedules")
        };
        if !module_op(&library).has_attr("transform.with_named_sequence") {
            return Err(unusable(
                "it is not a schedule: its module lacks `transform.with_named_sequence`".to_owned(),
            ));
        }
        let included = module_op(&library).collect(|op| op.is(transform::INCLUDE));
        let included: Vec<_> =
            included.iter().filter_map(|op| op.attr("target")?.as_symbol()).collect();
        let has_no_use = |name: &&String| {
            !name.starts_with("nest") && *name != "clean" && !included.contains(&name.as_str())
        };
        if let Some(unused) = sequences.iter().find(has_no_use) {
            return Err(unusable(format!(
                "the sequence `@{unused}` does not belong to a nest: sequences of nests are named `@nest0`, `@nest1`, …"
            )));
        }
        Ok(Self { library, name: name.to_owned(), text: text.to_owned(), sequences })
    }

    /// Whether every sequence is for one of the program's `nests` nests.
    ///
    /// # Errors
    /// `S1301` for one that is not.
    pub fn check_names(&self, nests: usize) -> Result<(), Diagnostic> {
        let is_nest = |name: &&String| {
            let number = name.strip_prefix("nest").and_then(|number| number.parse::<usize>().ok());
            number.is_none_or(|number| number < nests)
        };
        let Some(unknown) = self.sequences.iter().find(|name| !is_nest(name)) else {
            return Ok(());
        };
        let nests = match nests {
            0 => "it has no nests with schedules".to_owned(),
            1 => "its only nest is `nest0`".to_owned(),
            count => format!("its nests are `nest0` to `nest{}`", count - 1),
        };
        Err(Diagnostic::new(codes::S1301)
            .reason(format!(
                "the sequence `@{unknown}` does not belong to a nest of the program: {nests}"
            ))
            .hint("`strata schedule MODEL` prints the nests with their schedules"))
    }
}

/// The error in the text, with its location in the file.
fn unreadable(errors: Diagnostics) -> Diagnostic {
    let Some(error) = errors.into_iter().next() else {
        return Diagnostic::new(codes::S1301).reason("it does not parse");
    };
    let title = error.code().title();
    let reason = match error.reason_text() {
        Some(reason) => format!("{title}: {reason}"),
        None => title.to_owned(),
    };
    error.with_code(codes::S1301).reason(reason)
}
