//! Remarks on what devices exchange.

use strata_ir::{Location, TypeExt as _, Value};
use strata_remarks::{Decision, Remark, remark, subject_of};

use crate::{
    grid::{Grid, shape_of},
    halo::Block,
    reshard::Step,
};

fn bytes(value: Value<'_>) -> i64 {
    let width = value.ty().element().byte_width().unwrap_or(0) as i64;
    shape_of(value).iter().product::<i64>() * width
}

fn note(location: Location<'_>, what: &str, members: i64, bytes: i64, purpose: &str) {
    remark(|| Remark {
        subject: subject_of(location),
        decision: Decision::Exchange {
            what: what.to_owned(),
            members: members as u64,
            bytes: bytes as u64,
            purpose: purpose.to_owned(),
        },
    });
}

/// Why a value is brought into another layout where there is nothing special about it.
pub const RESHARDED: &str = "another sharding";

/// Why a convolution in groups takes the whole of what is split.
pub const GROUPS: &str = "groups of a convolution that parts do not divide";

/// A step that brings a value into another layout, and why; those that need no other device are not told.
pub fn moved(location: Location<'_>, grid: &Grid, value: Value<'_>, (step, why): (&Step, &str)) {
    let part = bytes(value);
    let tell = |what, members: i64, received: i64| note(location, what, members, received, why);
    match step {
        Step::Fill { .. } | Step::Keep { .. } | Step::Take { .. } => {}
        Step::Gather { pieces, .. } => {
            let members = grid.parts(pieces);
            tell("all_gather", members, part * (members - 1));
        }
        Step::Exchange { pieces, .. } => {
            let members = grid.parts(pieces);
            tell("all_to_all", members, part / members * (members - 1));
        }
        Step::Send { .. } => tell("collective_permute", grid.count(), part),
    }
}

/// What devices get of a part along a dimension from the devices that have it.
pub fn fetched(location: Location<'_>, part: Value<'_>, dim: usize, block: &Block) {
    let size = shape_of(part)[dim].max(1);
    for sent in &block.sent {
        let received = bytes(part) / size * (sent.end - sent.begin);
        note(
            location,
            "collective_permute",
            sent.pairs.len() as i64,
            received,
            "what is beside a part",
        );
    }
}

/// A sum over devices; `dim` is the dimension of which each computes its part.
pub fn summed(
    location: Location<'_>,
    grid: &Grid,
    value: Value<'_>,
    dim: Option<usize>,
    pieces: &[usize],
) {
    let members = grid.parts(pieces);
    // Each member reads its share of the others', and then the others' shares of the result.
    let share = bytes(value) / members * (members - 1);
    match dim {
        Some(_) => note(location, "reduce_scatter", members, share, "a sum over devices"),
        None => note(location, "all_reduce", members, 2 * share, "a sum over devices"),
    }
}
