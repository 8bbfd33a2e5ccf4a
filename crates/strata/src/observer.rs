//! Watching a compilation: dumps, timings and snapshots are observers.

use std::time::Duration;

use strata_ir::{Module, print, print_elided};

use crate::stage::StageInfo;

/// What the stages after `input` leave, to be looked at.
pub enum Product<'a, 'c> {
    /// An MLIR module.
    Mlir(&'a Module<'c>),
    /// LLVM IR or assembly as text.
    Text(&'a str),
    /// The object file.
    Bytes(&'a [u8]),
}

impl Product<'_, '_> {
    /// The text that `--from` reads back; `None` for the object.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Mlir(module) => Some(print(module, false)),
            Self::Text(text) => Some((*text).to_owned()),
            Self::Bytes(_) => None,
        }
    }

    /// The text for a reader: as [`Self::text`], with constants of more than `limit` elements
    /// elided.
    pub fn elided(&self, limit: i64) -> Option<String> {
        match self {
            Self::Mlir(module) => Some(print_elided(module, limit)),
            _ => self.text(),
        }
    }
}

/// Hears of every stage once it has finished and its contract holds.
pub trait Observer {
    /// Stage `info` took `elapsed`, contract check and verification not counted.
    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, elapsed: Duration);

    /// Step `number` of stage `info`, called `name`, took `elapsed`. The module is on the way: only that it verifies is
    /// sure of it.
    fn step_finished(
        &mut self,
        _info: &StageInfo,
        _number: usize,
        _name: &str,
        _product: &Product<'_, '_>,
        _elapsed: Duration,
    ) {
    }

    /// Whether the assembly is to be made on the way to an object, which does not need it.
    fn wants_assembly(&self) -> bool {
        true
    }
}
