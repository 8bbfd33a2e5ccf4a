//! Kernels in tiles: what a schedule leaves for them, and their numbers.

use strata_ir::{
    AttributeExt as _, Context, Op, TILES, apply_named_sequence, int, integer, module_op,
    parse_text,
};

use crate::{
    steps::Scheduler,
    tiling::tiles,
    transform::{
        failure::Failure,
        library::{library_text, sequence_of},
        script::Cleaning,
    },
};

impl<'c> Scheduler<'c, '_> {
    /// Makes vector code of what a schedule left as tiles.
    pub(super) fn tiles(&self, func: Op<'c>) -> Result<(), Failure> {
        let tiles = tiles::vectorize(self.context, func).map_err(Failure::Result)?;
        let Some(tiles) = tiles else { return Ok(()) };
        let text = library_text(&[tiles::keep_sums()], Cleaning::of(self.options));
        let missing = || Failure::Result("the sequence of tiles does not parse".to_owned());
        let library = parse_text(self.context, &text).map_err(|_| missing())?;
        let entry = sequence_of(&library, tiles::SUMS).ok_or_else(missing)?;
        apply_named_sequence(self.context, func, entry, module_op(&library))
            .map_err(Failure::Transform)?;
        match tiles::writes(func) == tiles {
            true => {
                tiles::read_apart(self.context, func);
                Ok(())
            }
            false => Err(Failure::Result("sums of tiles would go through memory".to_owned())),
        }
    }
}

/// Gives the regions of tiles in a nest numbers that no other nest has: equal nests are copies of one. `before` is how many there are.
pub(super) fn number<'c>(context: &'c Context, top: Op<'c>, before: &mut i64) {
    let mut count = 0;
    for read in top.collect(|op| op.has_attr(TILES)) {
        let Some(own) = read.attr(TILES).and_then(|number| number.as_i64()) else { continue };
        count = count.max(own + 1);
        read.set_attr(TILES, int(integer(context, 64), *before + own));
    }
    *before += count;
}
