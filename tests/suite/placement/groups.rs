//! Groups of devices that exchange values, and transfers between two.

use super::{Row, SUM, X, module, partitions};

/// A sum over groups of 4 replicas, on line 4.
pub fn groups(groups: &str, more: &str) -> String {
    let sum = format!(
        "%0 = \"stablehlo.all_reduce\"(%x) ({{\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n\
         %s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n\
         }}) {{replica_groups = {groups}{more}}} : ({X}) -> {X}"
    );
    module("mhlo.num_replicas = 4", "", "", &sum)
}

fn pairs(pairs: &str) -> String {
    let permute = format!(
        "%0 = \"stablehlo.collective_permute\"(%x) {{source_target_pairs = dense<{pairs}> : tensor<2x2xi64>}} : ({X}) -> {X}"
    );
    module("mhlo.num_replicas = 4", "", "", &permute)
}

pub const SEND: &str = "%t = stablehlo.create_token : !stablehlo.token\n\
    %u = \"stablehlo.send\"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token\n";
pub const RECV: &str = "%r:2 = \"stablehlo.recv\"(%u) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> (tensor<4x2xf32>, !stablehlo.token)\n";

/// A send on line 5 and a receive on line 6.
pub fn transfer(send: &str, recv: &str) -> String {
    module(&partitions("2"), "", "", &format!("{send}{recv}{SUM}"))
}

pub fn of_groups() -> Vec<Row> {
    let of = |listed: &str| groups(listed, "");
    let own = "stablehlo.all_reduce";
    let global =
        ", use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    let all = "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>";
    let along = |size: u32, axis: &str| {
        let mesh = format!("#stablehlo.mesh<axes = [<name = \"x\", size = {size}>]>");
        of(&format!(
            "#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [#stablehlo.axis_ref<name = \"{axis}\">]>"
        ))
    };
    vec![
        (
            of("dense<[[0, -1, 1], [2, 3, -1]]> : tensor<2x3xi64>"),
            "S1107",
            4,
            own,
            "has -1 before replica 1",
        ),
        (
            of("dense<[[-1, 0, 1], [2, 3, -1]]> : tensor<2x3xi64>"),
            "S1107",
            4,
            own,
            "group [-1, 0, 1] has -1 before",
        ),
        (
            of("dense<[[-1, 0, 1, 2, 3]]> : tensor<1x5xi64>"),
            "S1107",
            4,
            own,
            "has -1 before replica 3",
        ),
        (
            of("dense<[[0, 1, 2], [3, -2, -2]]> : tensor<2x3xi64>"),
            "S1005",
            4,
            own,
            "at least 0, found -2",
        ),
        (of("dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>"), "S1005", 4, own, "found 1 twice"),
        (of("dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>"), "S1005", 4, own, "found 0 twice"),
        (of("dense<[[0, 1], [2, 4]]> : tensor<2x2xi64>"), "S1005", 4, own, "ids 0 to 3, found 4"),
        (of("dense<[[0, 1, 2]]> : tensor<1x3xi64>"), "S1107", 4, own, "no group has replica 3"),
        (of("dense<[[0, 1, 2, 3, 4]]> : tensor<1x5xi64>"), "S1107", 4, own, "names replica 4"),
        (
            of("dense<[0, 1, 2, 3]> : tensor<4xi64>"),
            "S1005",
            4,
            own,
            "`replica_groups` has an invalid value",
        ),
        (groups(all, ", use_global_device_ids"), "S1005", 4, own, "expected a positive channel"),
        (
            groups("dense<> : tensor<0x0xi64>", global),
            "S1005",
            4,
            own,
            "expected replica_groups with",
        ),
        (
            groups(all, global)
                .replace("num_replicas = 4", "num_replicas = 4, mhlo.num_partitions = 2"),
            "S1107",
            4,
            own,
            "no group has device 4",
        ),
        (of(all).replace("num_replicas", "num_partitions"), "S1107", 4, own, "declares 1 replica"),
        (along(4, "z"), "S1107", 4, own, "the mesh has no axis `z`"),
        (along(3, "x"), "S1107", 4, own, "no group has device 3"),
        (pairs("[[0, 1], [0, 2]]"), "S1005", 4, "stablehlo.collective_permute", "found 0 twice"),
        (pairs("[[0, 1], [2, 1]]"), "S1005", 4, "stablehlo.collective_permute", "found 1 twice"),
        (pairs("[[0, 1], [2, 4]]"), "S1107", 4, "stablehlo.collective_permute", "names replica 4"),
        (pairs("[[0, 1], [2, -1]]"), "S1005", 4, "stablehlo.collective_permute", "found -1"),
    ]
}

/// An exchange of the argument between four replicas, on line 4, whose result is not used.
fn exchange(operation: &str, attributes: &str, result: &str) -> String {
    let exchange =
        format!("%e = \"stablehlo.{operation}\"(%x) {{{attributes}}} : ({X}) -> {result}");
    module("mhlo.num_replicas = 4", "", "", &format!("{exchange}\n{SUM}"))
}

pub fn of_exchanges() -> Vec<Row> {
    let all = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>";
    let gather = |dim: &str, groups: &str, result: &str| {
        exchange("all_gather", &format!("all_gather_dim = {dim} : i64, {groups}"), result)
    };
    let every = |dim: &str, count: &str| {
        let attributes = format!(
            "split_dimension = {dim} : i64, concat_dimension = 1 : i64, split_count = {count} : i64, {all}"
        );
        exchange("all_to_all", &attributes, "tensor<1x8xf32>")
    };
    let broadcast = |attributes: &str| exchange("collective_broadcast", attributes, X);
    let permute = |pairs: &str| {
        exchange("collective_permute", &format!("source_target_pairs = dense<{pairs}>"), X)
    };
    let (gathers, everyone) = ("stablehlo.all_gather", "stablehlo.all_to_all");
    let (broadcasts, permutes) = ("stablehlo.collective_broadcast", "stablehlo.collective_permute");
    let invalid = "has an invalid value";
    let uneven = "replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>";
    vec![
        (gather("2", all, "tensor<16x2xf32>"), "S1005", 4, gathers, "range [0, 2), found 2"),
        (gather("0", all, "tensor<15x2xf32>"), "S1005", 4, gathers, "multiple of 4, found 15"),
        (gather("0", all, "tensor<16x3xf32>"), "S1005", 4, gathers, "along dimension 1, found 3"),
        (gather("0", all, "tensor<8x2xf32>"), "S1107", 4, gathers, "is not the whole of 8"),
        (gather("0", uneven, "tensor<12x2xf32>"), "S1005", 4, gathers, "at least 0, found -1"),
        (every("0", "2"), "S1005", 4, everyone, "of 2 ids each, found 4"),
        (every("0", "0"), "S1005", 4, everyone, invalid),
        (every("1", "4"), "S1005", 4, everyone, "divisible by split_count 4, found 2"),
        (
            broadcast("replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>"),
            "S1005",
            4,
            broadcasts,
            "found 0 twice",
        ),
        (
            broadcast("replica_groups = dense<[[0, 9]]> : tensor<1x2xi64>"),
            "S1107",
            4,
            broadcasts,
            "it names replica 9",
        ),
        (
            broadcast("replica_groups = dense<[0, 1]> : tensor<2xi64>"),
            "S1005",
            4,
            broadcasts,
            invalid,
        ),
        (
            broadcast("replica_groups = dense<[[0.0, 1.0]]> : tensor<1x2xf32>"),
            "S1005",
            4,
            broadcasts,
            "rows of 64-bit integers",
        ),
        (
            broadcast(&format!("channel_handle = 3 : i64, {all}")),
            "S1005",
            4,
            broadcasts,
            "a channel, such as `#stablehlo.channel_handle",
        ),
        (permute("[[0, -1]]> : tensor<1x2xi64"), "S1005", 4, permutes, "at least 0, found -1"),
        (permute("[[0, 1, 2]]> : tensor<1x3xi64"), "S1005", 4, permutes, "of shape [N, 2]"),
        (permute("[[0, 4]]> : tensor<1x2xi64"), "S1107", 4, permutes, "it names replica 4"),
    ]
}

pub fn of_transfers() -> Vec<Row> {
    let (send, recv) = ("stablehlo.send", "stablehlo.recv");
    let twice =
        |text: &str| text.replace("[[0, 1]]> : tensor<1x2", "[[0, 1], [0, 1]]> : tensor<2x2");
    let outside = |text: &str| text.replace("[[0, 1]]", "[[0, 2]]");
    vec![
        (
            transfer(SEND, ""),
            "S1107",
            5,
            send,
            "it sends from device 0 to device 1 on channel 5, and nothing receives there",
        ),
        (
            transfer(SEND, &RECV.replace("handle = 5", "handle = 6")),
            "S1107",
            5,
            send,
            "on channel 5, and nothing receives there",
        ),
        (
            transfer("%u = stablehlo.create_token : !stablehlo.token\n", RECV),
            "S1107",
            5,
            recv,
            "it receives from device 0 to device 1 on channel 5, and nothing sends there",
        ),
        (
            transfer(SEND, &RECV.replace("[[0, 1]]", "[[1, 0]]")),
            "S1107",
            5,
            send,
            "nothing receives there",
        ),
        (
            transfer(
                &SEND.replace("[[0, 1]]> : tensor<1x2", "[[0, 1], [1, 0]]> : tensor<2x2"),
                RECV,
            ),
            "S1107",
            5,
            send,
            "from device 1 to device 0",
        ),
        (
            transfer(SEND, &RECV.replace("(tensor<4x2xf32>", "(tensor<4x3xf32>")),
            "S1107",
            5,
            send,
            "what receives there is of `tensor<4x3xf32>`",
        ),
        (
            transfer(SEND, &RECV.replace("(tensor<4x2xf32>", "(tensor<4x2xi32>")),
            "S1107",
            5,
            send,
            "what receives there is of `tensor<4x2xi32>`",
        ),
        (transfer(&outside(SEND), &outside(RECV)), "S1107", 5, send, "names device 2"),
        (
            transfer(&twice(SEND), &twice(RECV)),
            "S1107",
            5,
            send,
            "device 0 is the source of two pairs",
        ),
        (
            transfer(
                &SEND.replace(", source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>", ""),
                RECV,
            ),
            "S1107",
            5,
            send,
            "it names no source and target",
        ),
    ]
}
