//! Programs whose arguments and results are split over devices.
//!
//! Stage `spmd` makes them programs of one device, whose entries take and return parts. The client is told which ones, as
//! `xla.OpSharding`, and has arrays of equal parts alone.

use std::collections::BTreeMap;

use strata_ir::{
    AttributeExt as _, Context, MeshRef, Module, OpKind, SPLIT, Shard, Signature, TERMS,
    TensorSharding, TypeExt as _, entry, is_split, module_op, set_result_sharding, unit,
};

use crate::{failure::Failure, proto};

/// Prepares a program for several devices: the results `whole` are to be whole on all of them, bodies that are written for
/// parts give parts, also where nothing else of the program is split, and terms of sums, which the client adds, stay as they are. Returns for each result whether the program says how it is split.
///
/// # Errors
/// For such results of a program without a mesh.
pub fn prepare<'c>(
    context: &'c Context,
    module: &Module<'c>,
    whole: &[usize],
) -> Result<Vec<bool>, Failure> {
    let root = module_op(module);
    if !root.collect(|op| op.kind() == OpKind::SdyManualComputation).is_empty() {
        root.set_attr(SPLIT, unit(context));
    }
    if is_split(module) {
        root.set_attr(TERMS, unit(context));
    }
    let Ok(func) = entry(module, None) else { return Ok(Vec::new()) };
    let block = func.region(0).first_block();
    let results = block.and_then(|block| block.terminator()).map_or(0, |end| end.operand_count());
    for index in whole {
        let mesh = root.collect(|op| op.kind() == OpKind::SdyMesh).into_iter().next();
        let name = mesh.and_then(|mesh| mesh.attr("sym_name")?.as_str().map(str::to_owned));
        let name = name.ok_or_else(|| Failure::internal("the program has no mesh"))?;
        let value = block.and_then(|block| block.terminator()).map(|end| end.operand(*index));
        let Some(rank) = value.and_then(|value| value.ty().rank()) else { continue };
        let sharding = TensorSharding::replicated(MeshRef::Named(name), rank);
        set_result_sharding(context, func, *index, &sharding);
    }
    let is_named = |index| TensorSharding::of_result(func, index).is_some();
    Ok((0..results).map(is_named).collect())
}

/// Results whose parts are not equal, where the program does not ask for that.
pub fn uneven(signature: &Signature, is_named: &[bool]) -> Vec<usize> {
    let Some(shards) = &signature.shards else { return Vec::new() };
    let all = shards.outputs.iter().enumerate();
    let all = all.filter(|(index, shard)| !is_named[*index] && undivided(shard).is_some());
    all.map(|(index, _)| index).collect()
}

/// `xla.OpSharding` of all arguments and results; `are_tokens` says of each whether it is a token, which the signature does not have.
///
/// # Errors
/// If parts are not equal.
pub fn protos(
    signature: &Signature,
    are_tokens: &[Vec<bool>; 2],
) -> Result<[Vec<Vec<u8>>; 2], Failure> {
    let of = |shards: Option<&Vec<Shard>>, are_tokens: &[bool], devices: &[i64]| {
        let mut shards = shards.into_iter().flatten();
        let mut one = |is_token: &bool| {
            let shard = if *is_token { None } else { shards.next() };
            shard.map_or_else(|| Ok(proto::replicated()), |shard| proto_of(shard, devices))
        };
        are_tokens.iter().map(&mut one).collect::<Result<Vec<_>, _>>()
    };
    let shards = signature.shards.as_ref();
    let devices = shards.map(|shards| &*shards.devices).unwrap_or_default();
    let inputs = of(shards.map(|shards| &shards.inputs), &are_tokens[0], devices)?;
    Ok([inputs, of(shards.map(|shards| &shards.outputs), &are_tokens[1], devices)?])
}

/// A dimension of which devices would have parts of different sizes.
fn undivided(shard: &Shard) -> Option<usize> {
    (0..shard.shape.len()).find(|dim| shard.shape[*dim] % shard.parts(*dim) != 0)
}

fn proto_of(shard: &Shard, devices: &[i64]) -> Result<Vec<u8>, Failure> {
    if let Some(dim) = undivided(shard) {
        let (shape, parts) = (&shard.shape, shard.parts(dim));
        return Err(Failure::unimplemented(format!(
            "dimension {dim} of a value of {shape:?} is not divided by the {parts} parts that it is split in"
        )));
    }
    if shard.is_whole() {
        return Ok(proto::replicated());
    }
    // By tile, the devices with each term in the order of the row.
    let mut tiles: BTreeMap<Vec<i64>, BTreeMap<i64, Vec<u64>>> = BTreeMap::new();
    for (position, device) in (0..).zip(devices) {
        let tile = tiles.entry(shard.index(position)).or_default();
        tile.entry(shard.term(position)).or_default().push(device.cast_unsigned());
    }
    let counts: Vec<_> =
        (0..shard.shape.len()).map(|dim| shard.parts(dim).cast_unsigned()).collect();
    let terms: i64 = shard.terms.iter().map(|(_, size)| size).product();
    // The message lists as many devices for each tile.
    let copies = devices.len().checked_div(tiles.len() * terms as usize).unwrap_or(0);
    let is_full = |of_tile: &BTreeMap<i64, Vec<u64>>| {
        of_tile.len() as i64 == terms && of_tile.values().all(|own| own.len() == copies)
    };
    if !tiles.values().all(is_full) {
        return Err(Failure::internal("the devices do not have as many copies of each part"));
    }
    let of_tile = |terms: &BTreeMap<i64, Vec<u64>>| -> Vec<u64> {
        (0..copies).flat_map(|copy| terms.values().map(move |own| own[copy])).collect()
    };
    let devices: Vec<_> = tiles.values().flat_map(of_tile).collect();
    Ok(proto::tiled(&counts, terms.cast_unsigned(), &devices))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(split: Vec<Vec<(i64, i64)>>, devices: &[i64]) -> Option<Vec<u8>> {
        let shard = Shard { shape: vec![6, 4], split, ..Shard::default() };
        proto_of(&shard, devices).ok()
    }

    #[test]
    fn tiles_have_their_devices() {
        let tiled = |tiles: &[u64], devices: &[u64]| Some(proto::tiled(tiles, 1, devices));
        let order = [0, 1, 2, 3];
        assert_eq!(message(vec![vec![], vec![]], &order), Some(proto::replicated()));
        // The second dimension along the outer piece of the row; devices along the inner one have the same.
        assert_eq!(message(vec![vec![], vec![(2, 2)]], &order), tiled(&[1, 2], &[0, 1, 2, 3]));
        assert_eq!(message(vec![vec![(1, 2)], vec![]], &order), tiled(&[2, 1], &[0, 2, 1, 3]));
        let both = vec![vec![(1, 2)], vec![(2, 2)]];
        assert_eq!(message(both.clone(), &order), tiled(&[2, 2], &[0, 2, 1, 3]));
        assert_eq!(message(both, &[3, 2, 1, 0]), tiled(&[2, 2], &[3, 1, 2, 0]));
        assert_eq!(message(vec![vec![(1, 4)], vec![]], &order), None);
    }

    /// Along a piece of 3 devices a row of 4 has two copies of one part.
    #[test]
    fn parts_with_unequal_copies_are_refused() {
        assert_eq!(message(vec![vec![(1, 3)], vec![]], &[0, 1, 2, 3]), None);
        let uneven = Shard { shape: vec![4], split: vec![vec![]], terms: vec![(1, 3)] };
        assert!(proto_of(&uneven, &[0, 1, 2, 3]).is_err());
    }

    #[test]
    fn terms_are_told() {
        let of =
            |split, terms| proto_of(&Shard { shape: vec![4], split, terms }, &[0, 1, 2, 3]).ok();
        // All along the whole row; along the outer piece, with copies along the inner one; with tiles along the inner one.
        assert_eq!(of(vec![vec![]], vec![(1, 4)]), Some(proto::tiled(&[1], 4, &[0, 1, 2, 3])));
        assert_eq!(of(vec![vec![]], vec![(2, 2)]), Some(proto::tiled(&[1], 2, &[0, 2, 1, 3])));
        let tiles = of(vec![vec![(1, 2)]], vec![(2, 2)]);
        assert_eq!(tiles, Some(proto::tiled(&[2], 2, &[0, 2, 1, 3])));
        let kinds = [8, 3, 26, 3, 1, 2, 2, 34, 4, 0, 2, 1, 3, 66, 2, 0, 6];
        assert_eq!(of(vec![vec![]], vec![(2, 2)]).as_deref(), Some(&kinds[..]));
    }
}
