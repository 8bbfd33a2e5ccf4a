//! The names that an object defines and its header declares.

use strata_diag::{Diagnostic, codes};
use strata_ir::Signature;
use strata_options::Options;

use crate::reserved_names;

/// The exported names for one entry: everything starts with `<name>_<entry>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// The entry: `<name>_<entry>`.
    pub entry: String,
}

impl Symbols {
    /// The names for function `entry` of a module named `name`.
    ///
    /// # Errors
    /// `S0001` if they are not C identifiers, or already in use.
    pub fn new(name: &str, entry: &str) -> Result<Self, Diagnostic> {
        let symbol = format!("{name}_{entry}");
        let starts_well =
            name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let is_identifier = |part: &str| {
            !part.is_empty() && part.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        };
        if reserved_names::is_taken(&symbol) {
            return Err(Diagnostic::new(codes::S0001)
                .reason(format!(
                    "`{symbol}` is already defined in C or in the header of every object"
                ))
                .hint("give another name with `--name`"));
        }
        if starts_well && is_identifier(name) && is_identifier(entry) {
            return Ok(Self { entry: symbol });
        }
        Err(Diagnostic::new(codes::S0001)
            .reason(format!("`{}` is not an identifier of C", symbol.escape_debug()))
            .hint(if starts_well && is_identifier(name) {
                "rename the entry function: letters, digits and `_` only"
            } else {
                "give another name with `--name`: letters, digits and `_` only, no digit first"
            }))
    }

    /// The function that returns the workspace's size.
    pub fn workspace_size(&self) -> String {
        format!("{}_workspace_size", self.entry)
    }

    /// Two integers of 64 bits in an object whose kernel is called without a wrapper ([`crate::abi::is_direct`]): the bytes of
    /// workspace, and 1 if the kernel takes an executor after the workspace and returns a status.
    pub fn direct(&self) -> String {
        format!("{}.direct", self.entry)
    }

    /// The signature table.
    pub fn signature(&self) -> String {
        format!("{}_signature", self.entry)
    }

    /// The table of names, if the program names an input or output.
    pub fn names(&self, signature: &Signature) -> Option<String> {
        let is_named = !signature.input_names.is_empty() || !signature.output_names.is_empty();
        is_named.then(|| self.names_table())
    }

    /// The name of that table.
    pub fn names_table(&self) -> String {
        format!("{}_names", self.entry)
    }

    /// The function that finds the sizes that the shapes of the inputs have, of a program with open sizes.
    pub fn dims(&self) -> String {
        format!("{}_dims", self.entry)
    }

    /// The function that says the shapes of the outputs.
    pub fn output_shapes(&self) -> String {
        format!("{}_output_shapes", self.entry)
    }

    /// The function that says which condition sizes violate.
    pub fn constraint(&self) -> String {
        format!("{}_constraint", self.entry)
    }

    /// The table of the conditions as text.
    pub fn constraints(&self) -> String {
        format!("{}_constraints", self.entry)
    }

    /// The function that says which condition shapes of inputs violate.
    pub fn mismatch(&self) -> String {
        format!("{}_mismatch", self.entry)
    }

    /// The table of the names of the symbols that sizes are open in.
    pub fn symbol_names(&self) -> String {
        format!("{}_symbols", self.entry)
    }

    /// The inline wrapper with typed arguments, in the header.
    pub fn typed(&self) -> String {
        format!("{}_typed", self.entry)
    }

    /// The class that owns a workspace, in the C++ header.
    pub fn class(&self) -> String {
        format!("{}_program", self.entry)
    }

    /// The function with the program's code, not exported by objects for others. C identifiers have no dots.
    pub fn kernel(&self) -> String {
        format!("{}.kernel", self.entry)
    }

    /// Everything that object and header may define for the entry.
    pub fn all(&self) -> Vec<String> {
        let parts = [
            "workspace_size",
            "signature",
            "names",
            "typed",
            "program",
            "map_weights",
            "unmap_weights",
            "dims",
            "output_shapes",
            "constraint",
            "constraints",
            "mismatch",
            "symbols",
        ];
        let derived = parts.iter().map(|part| format!("{}_{part}", self.entry));
        std::iter::once(self.entry.clone()).chain(derived).collect()
    }

    /// Everything that a wrapper of the entry may name, its macros and constants included.
    fn reserved(&self) -> Vec<String> {
        let prefix = self.macro_prefix();
        let macros = [
            "WORKSPACE_SIZE",
            "ALIGNMENT",
            "SYMBOLS",
            "WEIGHTS_INPUT",
            "WEIGHTS_SIZE",
            "WEIGHTS_OFFSET",
            "WEIGHTS_HASH",
        ];
        let macros = macros.iter().map(|name| format!("{prefix}_{name}"));
        let guards = ["H", "HPP"].map(|ending| format!("STRATA_{prefix}_{ending}"));
        self.all().into_iter().chain(macros).chain(guards).collect()
    }

    /// The names of the inputs and the outputs in the wrappers, which must not shadow other definitions there.
    pub fn parameters(&self, signature: &Signature, options: &Options) -> [Vec<String>; 2] {
        let entries = options.entries.iter().map(|entry| format!("{}_{entry}", options.name));
        let beside = entries.flat_map(|entry| Self { entry }.reserved());
        signature.parameters(&self.reserved().into_iter().chain(beside).collect::<Vec<_>>())
    }

    /// The same where wrappers have more words of their own.
    pub(crate) fn parameters_beside(
        &self,
        signature: &Signature,
        words: &[&str],
    ) -> [Vec<String>; 2] {
        let words = words.iter().map(|word| (*word).to_owned());
        signature.parameters(&self.reserved().into_iter().chain(words).collect::<Vec<_>>())
    }

    /// Whether the headers define this name, so that it cannot be a function's.
    pub fn is_reserved(&self, name: &str) -> bool {
        self.reserved().iter().any(|own| own == name)
    }

    /// The prefix of the header's macros.
    pub fn macro_prefix(&self) -> String {
        self.entry.to_ascii_uppercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_must_be_identifiers_of_c() {
        assert_eq!(Symbols::new("mlp", "main").expect("a name").entry, "mlp_main");
        assert_eq!(Symbols::new("_m2", "0").expect("a name").entry, "_m2_0");
        for (name, entry) in [("", "main"), ("2x", "main"), ("a-b", "main"), ("é", "main")] {
            let error = Symbols::new(name, entry).expect_err("no name");
            assert!(error.hint_text().is_some_and(|hint| hint.contains("--name")), "{name}");
        }
        for (name, entry) in [("strata", "executor"), ("static", "assert"), ("char16", "t")] {
            let error = Symbols::new(name, entry).expect_err("no name");
            assert!(error.hint_text().is_some_and(|hint| hint.contains("--name")), "{name}");
        }
        for entry in ["", "a.b", "a b", "a\0"] {
            let error = Symbols::new("mlp", entry).expect_err("no entry");
            assert!(error.hint_text().is_some_and(|hint| hint.starts_with("rename")), "{entry}");
        }
    }
}
