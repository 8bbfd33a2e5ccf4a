//! Why sizes of options cannot be those of an object.

use strata_diag::{Diagnostic, codes};
use strata_shapes::Variable;

use super::{MOST_REFUSED, Planned};
use crate::{compiler::Compiler, stage::Stage};

/// Why sizes that `--max` or `--specialize` name cannot stay open.
pub(super) fn cannot_stay_open(compiler: &Compiler<'_>) -> Diagnostic {
    let options = &compiler.options;
    let (reason, hint) = if compiler.from != Stage::Input {
        (
            "`--max` and `--specialize` are about sizes of a program, and a dump has the sizes that it was made with",
            "compile the program itself, without --from",
        )
    } else if options.input_shapes.is_some() {
        ("`--max` and `--specialize` leave sizes open, and the inputs give them", "leave them out")
    } else {
        (
            "`--max` and `--specialize` leave sizes to the caller, which this kind of output does not have",
            "emit an object or a library, or give all sizes with `--bind`",
        )
    };
    Diagnostic::new(codes::S0001).reason(reason).hint(hint)
}

/// A bound below the smallest size.
pub(super) fn leaves_none(name: &str, most: i64) -> Diagnostic {
    let reason = match most {
        0 => format!("`--max {name}=0` leaves no size that there is code for"),
        _ => format!("`--max {name}={most}` leaves no size"),
    };
    Diagnostic::new(codes::S1106).reason(reason)
}

impl Planned<'_> {
    /// The program's own conditions refuse a size of a symbol.
    pub(super) fn refused(&self, symbol: usize, size: i64) -> Diagnostic {
        let name = &self.shapes.symbols[symbol];
        let value = |at| (at == Variable::Symbol(symbol)).then_some(size);
        let mut all = self.shapes.constraints.iter().zip(self.shapes.constraint_texts());
        let broken = all.find(|(truth, _)| truth.holds(&value) == Some(false));
        let why = broken.map(|(_, text)| format!(": it asserts `{text}`")).unwrap_or_default();
        Diagnostic::new(codes::S1106)
            .reason(format!("the program does not take `{name}` = {size}{why}"))
    }

    /// The same of a size of `--specialize`, with the nearest one, `most` at most, that they do not refuse.
    pub(super) fn not_specialized(&self, symbol: usize, size: i64, most: i64) -> Diagnostic {
        let error = self.refused(symbol, size);
        let mut others = (1..MOST_REFUSED as i64).flat_map(|by| [size - by, size + by]);
        match others.find(|other| (1..=most).contains(other) && self.takes(symbol, *other)) {
            Some(near) => {
                let name = &self.shapes.symbols[symbol];
                error.hint(format!("the nearest one is `--specialize {name}={near}`"))
            }
            None => error,
        }
    }
}
