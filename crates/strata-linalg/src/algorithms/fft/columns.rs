//! Transforms along a dimension that is not the last: later dimensions provide the lanes.

use strata_ir::{Builder, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::Target;

use super::{
    line::{block_width, interleaved, split_parts, tiles},
    panel::{self, Columns, Planes, trips},
};
use crate::{
    algorithms::short_vectors::{Lanes, insert_block, slice_block},
    dims::shape,
    lowerings::shape::reshape::reshape,
};

/// The transform along the middle dimension of a cube of complex numbers, times `scale`.
pub fn transform<'c>(
    b: &Builder<'c>,
    target: &Target,
    cube: Value<'c>,
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let [before, n, after] = shape(cube)?[..] else {
        return Err("the operand is not of rank 3".into());
    };
    let part = cube.ty().element().complex_element().or_decline("the operand is not complex")?;
    let lanes = Lanes::along(after, part, target);
    let width = block_width(after);
    // Blocks of all columns are contiguous: one long loop splits and joins their parts.
    let flat = if width == after { vec![n * width] } else { vec![n, width] };
    let result = b.empty(&[before, n, after], cube.ty().element());
    let done = trips(b, before, &[result], |b, line, carried| {
        tiles(b, after, width, carried, |b, first, carried| {
            let at = [line, b.index(0), first];
            let block = slice_block(b, cube, &at, &[n, width]);
            let parts = split_parts(b, reshape(b, block, &flat)?)?.swapped_if(inverse);
            let matrix = |plane| reshape(b, plane, &[n, width]);
            let parts = Planes { re: matrix(parts.re)?, im: matrix(parts.im)? };
            let spectra = Planes::empty(b, &[n, width], part).both();
            let spectra = tiles(b, width, lanes.0, &spectra, |b, first, spectra| {
                let from = Columns { planes: parts, first };
                let to = Columns { planes: Planes::of(spectra), first };
                let done = panel::transform(b, from, n, lanes, to, &|_, _, value| value)?;
                Ok(done.both().to_vec())
            })?;
            let flatten = |plane| reshape(b, plane, &flat);
            let spectra = Planes { re: flatten(spectra[0])?, im: flatten(spectra[1])? };
            let block = interleaved(b, spectra.swapped_if(inverse), scale)?;
            Ok(vec![insert_block(b, reshape(b, block, &[n, width])?, carried[0], &at)])
        })
    })?;
    Ok(done[0])
}
