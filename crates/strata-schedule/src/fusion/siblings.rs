//! Joins elementwise nests over the same elements into one nest with several results.
//!
//! A nest already includes producers with no other user. The rest are values with users in several nests,
//! or that are also results of the program, and nests that read the same tensors; each would cost a pass
//! over memory.
//!
//! ```text
//! %m = nest { 0.9 * %m0 + 0.1 * %g }          // a result, and read by %p
//! %v = nest { 0.999 * %v0 + 0.001 * %g * %g } // the same
//! %p = nest { %p0 - rate * %m / sqrt(%v) }
//! ```
//! becomes
//! ```text
//! %m, %v, %p = nest { … }
//! ```
//! The joined nest replaces the last one, so other users must come after it.

use std::collections::{HashMap, HashSet};

use strata_ir::{Block, Op, Value, inserted_columns};
use strata_target::tuning::{
    columns::MAX_ROW,
    fusion::{
        MAX_ELEMENTWISE_WORK, MAX_SIBLING_USES, MAX_STREAMS, MIN_SIBLING_COLUMNS,
        MIN_SIBLING_ELEMENTS,
    },
};

use crate::{
    fusion::{merge::is_mergeable, nest::Nest},
    structured::{Structured, is_identity, vector_bits},
    tiling::elementwise::is_contiguous,
};

/// A cluster of joined nests.
struct Cluster<'c> {
    /// The position in the block: that of the last nest.
    place: usize,
    nests: Vec<usize>,
    results: Vec<Value<'c>>,
    reads: Vec<Value<'c>>,
    /// The columns of short rows that the result's column is beside.
    beside: Vec<Value<'c>>,
    extents: Vec<i64>,
    work: usize,
}

/// Joins the nests of a block; they stay in the order of their roots.
pub fn join<'c>(block: Block<'c>, nests: Vec<Nest<'c>>) -> Vec<Nest<'c>> {
    let positions: HashMap<Op<'c>, usize> =
        block.ops().into_iter().enumerate().map(|(place, op)| (op, place)).collect();
    let members = nests.iter().enumerate();
    let of =
        members.flat_map(|(index, nest)| nest.ops.iter().map(move |op| (*op, index))).collect();
    let mut joiner =
        Joiner { block, positions, of, joined: (0..nests.len()).collect(), clusters: Vec::new() };
    // Every nest is a cluster at first, with its own number.
    for (index, nest) in nests.iter().enumerate() {
        let place = nest.ops.last().and_then(|root| joiner.positions.get(root)).copied();
        joiner.clusters.push(read(index, nest, place.unwrap_or_default()));
    }
    for index in 0..nests.len() {
        joiner.visit(index);
    }
    let positions = joiner.positions;
    joiner
        .clusters
        .into_iter()
        .filter(|cluster| !cluster.nests.is_empty())
        .map(|cluster| match cluster.nests.as_slice() {
            [only] => nests[*only].clone(),
            several => combine(several.iter().map(|index| &nests[*index]), &positions),
        })
        .collect()
}

/// Reads a nest; without extents if it cannot be joined.
fn read<'c>(index: usize, nest: &Nest<'c>, place: usize) -> Cluster<'c> {
    let mut cluster = Cluster {
        place,
        nests: vec![index],
        results: nest.results.clone(),
        reads: Vec::new(),
        beside: columns_beside(nest),
        extents: Vec::new(),
        work: 0,
    };
    let mut extents: Option<Vec<i64>> = None;
    let is_column = !cluster.beside.is_empty();
    for op in &nest.ops {
        let Some(part) = Structured::of_generic(*op) else { return cluster };
        let loops = part.extents.len();
        let flat = part.maps.iter().all(|map| is_identity(map, loops));
        let fills = part
            .extents
            .last()
            .is_some_and(|columns| flat || is_column || *columns >= MIN_SIBLING_COLUMNS);
        let fits = is_mergeable(&part)
            && vector_bits(*op).is_some()
            && is_contiguous(&part)
            && fills
            && extents.get_or_insert_with(|| part.extents.clone()) == &part.extents;
        if !fits {
            return cluster;
        }
        cluster.work += part.work();
        for operand in 0..part.inputs {
            let value = op.operand(operand);
            let is_inside = value.owner().is_some_and(|owner| nest.ops.contains(&owner));
            if !is_inside && is_identity(&part.maps[operand], loops) {
                cluster.reads.push(value);
            }
        }
    }
    let large = |extents: &Vec<i64>| extents.iter().product::<i64>() >= MIN_SIBLING_ELEMENTS;
    cluster.extents = extents.filter(large).unwrap_or_default();
    cluster
}

/// The columns beside that of a nest whose result is a column of short rows: rows that are written as a whole are one pass.
fn columns_beside<'c>(nest: &Nest<'c>) -> Vec<Value<'c>> {
    let [column] = nest.results[..] else { return Vec::new() };
    let [(insert, 0)] = column.uses()[..] else { return Vec::new() };
    let all = inserted_columns(insert, MAX_ROW).unwrap_or_default();
    all.into_iter().map(|one| one.operand(0)).filter(|one| *one != column).collect()
}

/// Joins several nests into one.
fn combine<'a, 'c: 'a>(
    nests: impl Iterator<Item = &'a Nest<'c>>,
    positions: &HashMap<Op<'c>, usize>,
) -> Nest<'c> {
    let mut all = Nest { ops: Vec::new(), results: Vec::new(), parts: Vec::new() };
    for nest in nests {
        all.ops.extend(&nest.ops);
        all.results.extend(&nest.results);
        all.parts.push(nest.clone());
    }
    all.ops.sort_by_key(|op| positions.get(op).copied().unwrap_or_default());
    let inside: HashSet<_> = all.ops.iter().copied().collect();
    let outside = |(user, _): (Op<'c>, usize)| !inside.contains(&user);
    all.results.retain(|result| result.uses().into_iter().any(outside));
    all
}

struct Joiner<'c> {
    block: Block<'c>,
    positions: HashMap<Op<'c>, usize>,
    /// The nest of every operation.
    of: HashMap<Op<'c>, usize>,
    /// The cluster of every nest.
    joined: Vec<usize>,
    clusters: Vec<Cluster<'c>>,
}

impl<'c> Joiner<'c> {
    fn cluster(&self, op: Op<'c>) -> Option<usize> {
        self.of.get(&op).map(|nest| self.joined[*nest])
    }

    /// Joins a nest with earlier clusters: those that produce its operands, then one that reads the same
    /// tensors.
    fn visit(&mut self, index: usize) {
        if self.clusters[index].extents.is_empty() {
            return;
        }
        let mut others = Vec::new();
        for value in &self.clusters[index].reads {
            others.extend(value.owner().and_then(|owner| self.cluster(owner)));
        }
        for value in &self.clusters[index].reads {
            let uses = value.uses();
            if uses.len() <= MAX_SIBLING_USES {
                let users = uses.into_iter().filter_map(|(user, _)| self.cluster(user));
                others.extend(users.filter(|other| *other < index));
            }
        }
        others.extend(
            self.clusters[index]
                .beside
                .iter()
                .filter_map(|column| self.cluster(column.owner()?))
                .filter(|other| *other < index),
        );
        for other in others {
            if other != index && self.can_join(other, index) {
                self.absorb(other, index);
            }
        }
    }

    fn can_join(&self, other: usize, index: usize) -> bool {
        let (first, last) = (&self.clusters[other], &self.clusters[index]);
        let inside = |op: Op<'c>| self.cluster(op).is_some_and(|own| own == other || own == index);
        let read: HashSet<_> = first
            .reads
            .iter()
            .chain(&last.reads)
            .filter(|value| !value.owner().is_some_and(inside))
            .collect();
        let written = first.results.iter().chain(&last.results);
        let written = written.filter(|value| value.uses().iter().any(|(user, _)| !inside(*user)));
        let streams = read.len() + written.count();
        first.extents == last.extents
            && first.place < last.place
            && first.work + last.work <= MAX_ELEMENTWISE_WORK
            && streams <= MAX_STREAMS
            && first.results.iter().all(|result| self.can_wait(*result, other, index))
    }

    /// Whether all users of `value` outside of the two clusters come after the second one.
    fn can_wait(&self, value: Value<'c>, first: usize, last: usize) -> bool {
        let uses = value.uses();
        uses.len() <= MAX_SIBLING_USES
            && uses.into_iter().all(|(user, operand)| match self.cluster(user) {
                Some(cluster) if cluster == last || cluster == first => {
                    Structured::of_generic(user).is_some_and(|reader| {
                        is_identity(&reader.maps[operand], reader.extents.len())
                    })
                }
                Some(cluster) => self.clusters[cluster].place > self.clusters[last].place,
                None => self
                    .ancestor(user)
                    .and_then(|op| self.positions.get(&op))
                    .is_some_and(|place| *place > self.clusters[last].place),
            })
    }

    /// The operation of the block that is or contains `op`.
    fn ancestor(&self, mut op: Op<'c>) -> Option<Op<'c>> {
        while op.block() != Some(self.block) {
            op = op.parent()?;
        }
        Some(op)
    }

    fn absorb(&mut self, other: usize, index: usize) {
        let Cluster { nests, results, reads, work, .. } = &mut self.clusters[other];
        let nests = std::mem::take(nests);
        let (results, reads, work) = (std::mem::take(results), std::mem::take(reads), *work);
        for nest in &nests {
            self.joined[*nest] = index;
        }
        let last = &mut self.clusters[index];
        last.work += work;
        last.reads.extend(reads);
        last.nests.splice(0..0, nests);
        let mut all = results;
        all.append(&mut last.results);
        let inside = |(user, _): &(Op<'c>, usize)| self.cluster(*user) == Some(index);
        all.retain(|value| !value.uses().iter().all(inside));
        self.clusters[index].results = all;
    }
}
