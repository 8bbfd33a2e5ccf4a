//! Transforms along a dimension behind which others follow: those give the lanes.

use strata_ir::{Builder, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome};

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
    cube: Value<'c>,
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let [before, n, behind] = shape(cube)?[..] else {
        return Err("the operand is no cube".into());
    };
    let part = cube.ty().element().complex_element().or_decline("the operand is not complex")?;
    let lanes = Lanes::along(behind, part);
    let width = block_width(behind);
    // Blocks of all columns are contiguous: one long loop splits and joins their parts.
    let flat = if width == behind { vec![n * width] } else { vec![n, width] };
    let result = b.empty(&[before, n, behind], cube.ty().element());
    let done = trips(b, before, &[result], |b, line, carried| {
        tiles(b, behind, width, carried, |b, first, carried| {
            let at = [line, b.index(0), first];
            let block = slice_block(b, cube, &at, &[n, width]);
            let parts = split_parts(b, reshape(b, block, &flat)?)?.turned(inverse);
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
            let block = interleaved(b, spectra.turned(inverse), scale)?;
            Ok(vec![insert_block(b, reshape(b, block, &[n, width])?, carried[0], &at)])
        })
    })?;
    Ok(done[0])
}
