//! What a program means where the compiler that it was exported for differs from the text of StableHLO's specification.

use std::{fmt, str::FromStr};

use melior::{Context, ir::Module};
use strata_diag::{Diagnostic, codes};

use crate::{
    attrs::{AttributeExt as _, string},
    diagnostics::diagnostic_at,
    handles::Op,
    kinds::OpKind,
    module::module_op,
};

/// The attribute of a module that says what it means, and of the operations that mean something else than XLA's.
pub const SEMANTICS: &str = "strata.semantics";

/// Whose meaning of a program holds where the two differ: in the windows of a `scatter` that are partly outside of the operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Semantics {
    /// XLA's, which exporters rely on: such a window is dropped.
    #[default]
    Xla,
    /// The specification's: those of its elements that are outside are dropped.
    Spec,
}

impl Semantics {
    /// All of them, the default first.
    pub const ALL: [Self; 2] = [Self::Xla, Self::Spec];

    /// The name in attributes and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xla => "xla",
            Self::Spec => "spec",
        }
    }

    /// What an operation means.
    pub fn of(op: Op<'_>) -> Self {
        let name = op.attr(SEMANTICS).and_then(|name| name.as_str());
        name.and_then(|name| name.parse().ok()).unwrap_or_default()
    }

    /// Has a program mean this, whatever it says itself.
    pub fn set<'c>(self, context: &'c Context, module: &Module<'c>) {
        let module = module_op(module);
        for op in module.collect(differs) {
            match self {
                Self::Xla => {
                    op.remove_attr(SEMANTICS);
                }
                Self::Spec => op.set_attr(SEMANTICS, string(context, self.name())),
            }
        }
        if module.has_attr(SEMANTICS) {
            module.set_attr(SEMANTICS, string(context, self.name()));
        }
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Semantics {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|one| one.name() == name);
        known.ok_or_else(|| format!("`{name}` is neither `xla` nor `spec`"))
    }
}

/// Whether the two meanings of an operation differ.
fn differs(op: Op<'_>) -> bool {
    op.kind() == OpKind::Scatter
}

/// Has the operations of a program mean what its module says: they keep it where they are moved to another.
///
/// # Errors
/// `S1005` for an attribute that is not the name of a meaning.
pub fn spread_semantics<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), Diagnostic> {
    let root = module_op(module);
    let Some(said) = root.attr(SEMANTICS) else { return Ok(()) };
    let name = said.as_str().unwrap_or_default();
    match name.parse::<Semantics>() {
        Ok(semantics) => {
            semantics.set(context, module);
            Ok(())
        }
        Err(_) => Err(diagnostic_at(codes::S1005, root)
            .reason(format!("`{SEMANTICS}` is {said}, which is neither \"xla\" nor \"spec\""))
            .hint("leave it out for what XLA does, which exporters rely on")),
    }
}
