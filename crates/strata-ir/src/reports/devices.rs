//! Ways out of what is wrong with groups of devices, meshes and shardings.

use super::words::captures;

const IDS: &str = "`device_ids` is a permutation of 0 to the number of devices less 1; without it they are in order";
const GROUPS: &str =
    "a row of `replica_groups` is a group of devices, and each device is in one of them at most";
const PAIRS: &str = "each device sends to one other at most and receives from one at most: a broadcast is `stablehlo.collective_broadcast`";
const SUB_AXES: &str = "`\"x\":(p)s` is a sub-axis of size s, of those whose sizes before it have the product p: of an axis of size 8, \
     `\"x\":(1)2` is the outer factor and `\"x\":(2)4` the inner one";
const ONCE: &str = "an axis splits one dimension, or is `replicated` or `unreduced`: take it out of all lists but one";
const RULE: &str = "factors are letters from i on: `#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=2, k=3}>` is that of a dot";
const FROM_ZERO: &str = "dimensions are counted from 0 on";
const MESH: &str = "`sdy.mesh @name = <[\"x\"=2]>` in the module declares one";

/// What the dialects say of them, and what to do. A message may begin with the value that it is about.
const ROWS: &[(&str, &str)] = &[
    (
        "expected axis {} of size 1 or more, found {}",
        "the product of the sizes of all axes is the number of devices",
    ),
    ("expected distinct axes, found {} twice", "give one of them another name"),
    ("expected device_ids of at least 0, found {}", IDS),
    ("expected {} device_ids, one for each device, found {}", IDS),
    ("expected device_ids 0 to {}, found {}", IDS),
    (
        "expected one device id or more, found none",
        "leave `device_ids` out: devices are in order then",
    ),
    ("{}expected a mesh of the module, found {}", MESH),
    (
        "{}expected an axis of the mesh {}, found {}",
        "shardings name axes of their mesh; other axes need a mesh of their own",
    ),
    ("{}expected a sub-axis {}, found {}", SUB_AXES),
    (
        "{}expected consecutive sub-axes to be one, found {}",
        "write the larger sub-axis, or the axis where they are the whole of it",
    ),
    ("{}expected axes that do not overlap, found {}", ONCE),
    ("{}expected {} axes in the order of the mesh, found {}", "list them as the mesh does"),
    (
        "{}expected a sharding of rank 0 {}, found {}",
        "write `[]` for the dimensions: it has none that could be split",
    ),
    (
        "{}expected a sharding of rank {}, found {}",
        "a sharding has a list of axes for each dimension of the value; `{}` is one that is not split",
    ),
    (
        "{}expected a priority of at least 0 for dimension {}, found {}",
        "p0 comes first, and is that of dimensions without a priority",
    ),
    (
        "{}expected no priority for dimension {}",
        "`{?}p1` is open with a priority; a dimension that nothing splits has none",
    ),
    (
        "expected a priority such as p1, found {}",
        "a priority follows the closing brace, `{\"x\"}p1`; p0 comes first",
    ),
    (
        "expected 'replicated' or 'unreduced', found {}",
        "after the dimensions come `replicated={…}` and `unreduced={…}`, each of which may be left out",
    ),
    (
        "{}expected sdy.sharding to be {}, found {}",
        "a sharding is written `#sdy.sharding<@mesh, [{\"x\"}, {}]>`; results of operations have `#sdy.sharding_per_value<[…]>`",
    ),
    (
        "{}expected {} shardings, one for each {}, found {}",
        "a value that is not split has a sharding, too: `<@mesh, [{}, {}]>`",
    ),
    (
        "expected axes that no sdy.manual_computation around deals with, found {}",
        "inside of the body values are shards along its `manual_axes` already",
    ),
    (
        "expected no manual_axes without shardings, found {}",
        "give each operand and result a sharding of the mesh that has these axes",
    ),
    (
        "expected shardings of one mesh, found {}",
        "all shardings of an `sdy.manual_computation` name the same mesh",
    ),
    (
        "expected manual_axes of the mesh {}, found {}",
        "`manual_axes` are axes of the mesh that the shardings name",
    ),
    ("expected distinct manual_axes, found {} twice", "list each axis once"),
    (
        "expected manual axes before free ones in dimension {}, found {}",
        "write the axes of `manual_axes` first in each dimension",
    ),
    (
        "expected a length that the manual axes divide by {} for {}, found {}",
        "each device takes an equal part: pad the array before, or split it along fewer axes",
    ),
    (
        "expected {} of the body to be {}, found {}",
        "in the body each dimension is as long as outside, divided by the sizes of the manual axes that split it",
    ),
    (
        "expected a body of {}s, found {}",
        "the body takes a shard of each operand, and returns one of each result",
    ),
    ("expected factors i to z {}", RULE),
    (
        "expected replica_groups with use_global_device_ids, found none",
        "a group lists the devices, each of which is in one: `dense<[[0, 1]]> : tensor<1x2xi64>`",
    ),
    ("expected distinct values in replica_groups, found {} twice", GROUPS),
    (
        "expected replica_groups of ids 0 to {}, found {}",
        "the ids of the groups are 0 to their number less 1, each once",
    ),
    (
        "expected replica_groups of ids of at least 0, found {}",
        "only -1 may stand for a device that is not there, at the end of a group; groups of an operation that splits or joins arrays by \
         their number of members are all of one length",
    ),
    (
        "expected replica_groups of {} ids each, found {}",
        "`split_count` is the number of members of each group",
    ),
    (
        "expected a positive channel with use_global_device_ids, found {}",
        "`channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>` is one",
    ),
    ("expected distinct values in {} of source_target_pairs, found {} twice", PAIRS),
    (
        "expected source_target_pairs of ids of at least 0, found {}",
        "leave out the pairs of devices that are not there",
    ),
    (
        "expected source_target_pairs of shape [N, 2], found {}",
        "a row is the device that sends and the one that receives",
    ),
    ("expected all_gather_dim in the range {}, found {}", FROM_ZERO),
    ("expected scatter_dimension in the range {}, found {}", FROM_ZERO),
    ("expected split_dimension in the range {}, found {}", FROM_ZERO),
    ("expected concat_dimension in the range {}, found {}", FROM_ZERO),
    (
        "expected a result whose length along dimension {} is a multiple of {}, found {}",
        "it is as long as the operands of all members of a group together",
    ),
    (
        "expected a result whose length along dimension {} divides {}, found {}",
        "it is one of the equal parts that the members of a group get of the operand",
    ),
    (
        "expected a result of length {} along dimension {}, found {}",
        "the operands give it; of exchanges between devices only the dimension that these exchange along changes its length",
    ),
    (
        "expected dimension {} to be divisible by split_count {}, found {}",
        "each device sends an equal part to each: pad the array before",
    ),
];

/// The hint for a message about devices.
pub(super) fn hint(message: &str) -> Option<&'static str> {
    ROWS.iter().find(|(pattern, _)| captures(message, pattern).is_some()).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ROWS, hint};

    #[test]
    fn a_message_may_begin_with_its_value() {
        let overlap = "expected axes that do not overlap, found \"x\" and \"x\"";
        assert!(hint(overlap).is_some());
        assert_eq!(hint(&format!("argument 0: {overlap}")), hint(overlap));
        assert_eq!(hint("expected a tensor, found i32"), None);
    }

    #[test]
    fn no_pattern_hides_another() {
        // Each row's own words, filled in, find that row.
        let mut found = BTreeSet::new();
        for (pattern, words) in ROWS {
            let message = pattern.trim_start_matches("{}").replace("{}", "7");
            assert_eq!(hint(&message), Some(*words), "{message}");
            assert!(found.insert(message), "{pattern} is there twice");
        }
    }
}
