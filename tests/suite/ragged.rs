//! The exchange of ragged rows: how many rows each device sends to another is known at run time.

use std::{fs, path::Path};

use rstest::rstest;
use strata::{Compiler, Stage};

use crate::{arrays::npy, command::strata, devices::module, harness::options};

/// A program of one exchange, of rows `r` and an output `o`, with lists of type `l`.
fn program(rows: &str, output: &str, list: &str, config: &str) -> String {
    format!(
        "func.func @main(%x: tensor<{rows}>, %o: tensor<{output}>, %f: tensor<{list}>, %s: tensor<{list}>, %t: tensor<{list}>, %r: tensor<{list}>) -> tensor<{output}> {{\n  \
         %0 = stablehlo.custom_call @ragged_all_to_all(%x, %o, %f, %s, %t, %r) {{api_version = 4 : i32, backend_config = {{{config}}}}} \
         : (tensor<{rows}>, tensor<{output}>, tensor<{list}>, tensor<{list}>, tensor<{list}>, tensor<{list}>) -> tensor<{output}>\n  \
         return %0 : tensor<{output}>\n}}"
    )
}

const REPLICAS: &str = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";

/// Each replica is in a group of its own.
const ALONE: &str = "replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>";

/// A file for all devices.
fn write(folder: &Path, name: &str, shape: &str, values: &[i32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    fs::write(folder.join(name), npy("<i4", shape, &bytes)).expect("written");
}

/// What all devices return.
fn returned(folder: &Path, command: &str) -> Vec<i32> {
    let mut arguments = vec![command, "p.mlir", "--per-device", "--output", "out.npy"];
    for file in ["x.npy", "o.npy", "f.npy", "s.npy", "t.npy", "r.npy"] {
        arguments.extend(["--input", file]);
    }
    strata(folder, &arguments).succeeded();
    let bytes = fs::read(folder.join("out.npy")).expect("written");
    // The header is filled up to a multiple of 64 bytes.
    let (_, values) = bytes.split_at(128);
    values.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect()
}

/// The example of XLA's operation semantics.
#[test]
fn rows_go_where_their_sender_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = module(2, 1, &program("3xi32", "4xi32", "2xi32", REPLICAS));
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    write(folder.path(), "x.npy", "(2, 3)", &[1, 2, 2, 3, 4, 0]);
    write(folder.path(), "o.npy", "(2, 4)", &[0; 8]);
    write(folder.path(), "f.npy", "(2, 2)", &[0, 1, 0, 1]);
    write(folder.path(), "s.npy", "(2, 2)", &[1, 2, 1, 1]);
    write(folder.path(), "t.npy", "(2, 2)", &[0, 0, 1, 2]);
    write(folder.path(), "r.npy", "(2, 2)", &[1, 1, 2, 1]);
    for command in ["run", "eval"] {
        assert_eq!(returned(folder.path(), command), [1, 3, 0, 0, 2, 2, 4, 0], "{command}");
    }
}

/// Files of two devices of one replica, and the program of two updates for each member, of rows of two elements.
fn two_updates(folder: &Path, lists: [[i32; 8]; 3]) {
    let config = format!("{REPLICAS}, channel_id = 1 : i64");
    let text = module(1, 2, &program("3x2xi32", "5x2xi32", "2x2xi32", &config));
    fs::write(folder.join("p.mlir"), text).expect("written");
    let rows = [10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25];
    write(folder, "x.npy", "(2, 3, 2)", &rows);
    let outputs: Vec<i32> = (-20..0).collect();
    write(folder, "o.npy", "(2, 5, 2)", &outputs);
    for (name, list) in ["f.npy", "s.npy", "t.npy"].into_iter().zip(lists) {
        write(folder, name, "(2, 2, 2)", &list);
    }
    write(folder, "r.npy", "(2, 2, 2)", &[0; 8]);
}

/// Later rows replace earlier ones, no rows may be anywhere, and what nothing is written to is the output's own.
#[test]
fn later_rows_replace_earlier_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    // Device 0 sends rows 0 and 1 to row 0 of itself, and row 2 to row 4; to device 1 nothing, from a row that it has not.
    let from = [0, 2, 1, 3, 2, 1, 0, i32::MAX];
    let sizes = [2, 1, 0, 0, 1, 1, 2, 0];
    let to = [0, 4, 0, 0, 3, 1, 3, i32::MIN];
    two_updates(folder.path(), [from, sizes, to]);
    let first = [10, 11, 22, 23, -16, -15, 24, 25, 14, 15];
    let second = [-10, -9, -8, -7, -6, -5, 20, 21, 22, 23];
    for command in ["run", "eval"] {
        assert_eq!(returned(folder.path(), command), [first, second].concat(), "{command}");
    }
    strata(folder.path(), &["verify", "p.mlir", "--rounds", "2"]).succeeded();
}

/// Rows that the sender has not, or that are not in the output, end the program on all devices; of several, the error is of one.
#[rstest]
#[case::beyond_the_rows([0, 2], [2, 2], [0, 3], "entry 1 of its lists sends 2 rows from row 2 on, of 3, to row 3 on, of 5")]
#[case::beyond_the_output([0, 1], [2, 2], [0, 4], "sends 2 rows from row 1 on, of 3, to row 4 on, of 5")]
#[case::less_than_none([0, 0], [1, -1], [0, 0], "sends -1 rows")]
#[case::before_the_rows([-1, 0], [1, 0], [0, 0], "sends 1 rows from row -1 on")]
#[case::before_the_output([0, 0], [1, 1], [0, -2], "to row -2 on")]
#[case::where_sums_wrap([i32::MAX, 0], [i32::MAX, 0], [i32::MAX, 0], "sends 2147483647 rows")]
fn rows_that_are_not_there_are_refused(
    #[case] from: [i32; 2],
    #[case] sizes: [i32; 2],
    #[case] to: [i32; 2],
    #[case] reason: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    // What device 1 sends to itself.
    let list = |own: [i32; 2]| [[0; 6].as_slice(), &own].concat().try_into().expect("eight");
    two_updates(folder.path(), [from, sizes, to].map(list));
    let arrays = ["x.npy", "o.npy", "f.npy", "s.npy", "t.npy", "r.npy"];
    let arrays = arrays.into_iter().flat_map(|file| ["--input", file]);
    let arguments: Vec<_> = ["p.mlir", "--per-device"].into_iter().chain(arrays).collect();
    for (command, code) in [("run", "S1805"), ("eval", "S1912")] {
        let refused = strata(folder.path(), &[&[command], &arguments[..]].concat());
        let said = &refused.stderr;
        assert!(said.contains(code) && said.contains("ragged_all_to_all"), "{said}");
        let entry = reason.replace("entry 1", "entry 3");
        assert!(said.contains(&entry) && !said.contains("device 0"), "{command}: {said}");
    }
    assert!(!folder.path().join("out.npy").exists());
}

/// Types and sizes that have nothing to send, or no room, and one device.
#[rstest]
#[case("0x3xf32", "4x3xf32", "4xi64")]
#[case("3x0xf32", "4x0xf32", "4xi64")]
#[case("3xcomplex<f32>", "0xcomplex<f32>", "4xui8")]
#[case("1xbf16", "9xbf16", "0xi32")]
#[case("5xi1", "2xi1", "4x3xui64")]
fn other_sizes_are_those_of_the_evaluator(
    #[case] rows: &str,
    #[case] output: &str,
    #[case] list: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = "channel_id = 1 : i64, replica_groups = dense<[[3, 1], [0, 2]]> : tensor<2x2xi64>";
    let alone = "replica_groups = dense<0> : tensor<1x1xi64>";
    for (partitions, config) in [(4, config), (1, alone)] {
        let text = module(1, partitions, &program(rows, output, list, config));
        fs::write(folder.path().join("p.mlir"), text).expect("written");
        strata(folder.path(), &["verify", "p.mlir", "--rounds", "2"]).succeeded();
    }
}

#[rstest]
#[case(
    "3xi32",
    "4xf32",
    "2xi32",
    REPLICAS,
    "S1103",
    "rows of `tensor<3xi32>` are none of `tensor<4xf32>`"
)]
#[case("3x2xi32", "4x3xi32", "2xi32", REPLICAS, "S1103", "are none of")]
#[case("i32", "i32", "2xi32", REPLICAS, "S1103", "are none of")]
#[case("3xi32", "4xi32", "2xf32", REPLICAS, "S1103", "not integers of one shape")]
#[case(
    "3xi32",
    "4xi32",
    "3xi32",
    REPLICAS,
    "S1103",
    "3 entries of its lists are not as many for each of 2 members"
)]
#[case("3xi32", "4xi32", "2xi32", "channel_id = 0 : i64", "S1103", "its groups are not listed")]
#[case(
    "3xi32",
    "4xi32",
    "2xi32",
    "replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>",
    "S1103",
    "it names replica 2, and the module declares 2 replicas"
)]
#[case(
    "3xi32",
    "4xi32",
    "2xi32",
    "replica_groups = dense<0> : tensor<1x1xi64>",
    "S1103",
    "no group has replica 1"
)]
fn what_cannot_be_exchanged_is_refused(
    #[case] rows: &str,
    #[case] output: &str,
    #[case] list: &str,
    #[case] config: &str,
    #[case] code: &str,
    #[case] reason: &str,
) {
    let text = module(2, 1, &program(rows, output, list, config));
    let errors = Compiler::new(options("x86-64")).compile("p.mlir", text.as_bytes());
    let error = errors.expect_err("refused").into_iter().next().expect("a reason");
    assert_eq!(error.code().id(), code, "{error:?}");
    assert!(error.reason_text().unwrap_or_default().contains(reason), "{error:?}");
}

/// Ids that the module does not declare are named by the evaluator, too.
#[rstest]
#[case(1, 2, "", "partition 0 of replica 1, and the module declares 1 replicas of 2 partitions")]
#[case(
    2,
    1,
    ", channel_id = 1 : i64",
    "partition 1 of replica 0, and the module declares 2 replicas"
)]
fn ids_of_other_devices_are_named(
    #[case] replicas: usize,
    #[case] partitions: usize,
    #[case] channel: &str,
    #[case] reason: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = format!("{REPLICAS}{channel}");
    let text = module(replicas, partitions, &program("3xi32", "4xi32", "2xi32", &config));
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    write(folder.path(), "x.npy", "(3,)", &[1, 2, 3]);
    write(folder.path(), "o.npy", "(4,)", &[0; 4]);
    write(folder.path(), "l.npy", "(2,)", &[0; 2]);
    let files = ["x.npy", "o.npy", "l.npy", "l.npy", "l.npy", "l.npy"];
    let files = files.into_iter().flat_map(|file| ["--input", file]);
    let called =
        strata(folder.path(), &["eval", "p.mlir"].into_iter().chain(files).collect::<Vec<_>>());
    assert!(called.code == 1 && called.stderr.contains(reason), "{}", called.stderr);
}

/// The rows that lists name are moved by one function of the executor, and nothing is where nothing is moved, or one device.
#[rstest]
#[case(module(2, 1, &program("3xi32", "4xi32", "2xi32", REPLICAS)), 1)]
#[case(module(2, 1, &program("3xi32", "4xi32", "2xui64", REPLICAS)), 1)]
#[case(module(2, 1, &program("0xi32", "4xi32", "2xi32", REPLICAS)), 0)]
#[case(module(2, 1, &program("3xi32", "4xi32", "2xi32", ALONE)), 0)]
fn it_is_one_call(#[case] text: String, #[case] calls: usize) {
    let made = Compiler::new(options("x86-64")).to(Stage::Hlo).compile("p.mlir", text.as_bytes());
    let made = String::from_utf8(made.expect("compiles").bytes().to_vec()).expect("text");
    assert_eq!(made.matches("custom_call @ragged_all_to_all").count(), calls, "{made}");
    assert!(!made.contains("all_gather"), "{made}");
}

/// Each stage does what the evaluator does, with all rows in one of the lists, and in a loop whose rows are those of the round before.
#[test]
fn stages_and_rounds_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "tensor<4x3xbf16>";
    let lists = "tensor<2xi32>";
    let text = format!(
        "func.func @main(%x: {rows}, %i: {lists}) -> {rows} {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %three = stablehlo.constant dense<3> : tensor<i32>
           %sizes = stablehlo.constant dense<[3, 1]> : {lists}
           %one_of = stablehlo.constant dense<1> : {lists}
           %from = stablehlo.and %i, %one_of : {lists}
           %0:2 = stablehlo.while(%at = %zero, %v = %x) : tensor<i32>, {rows}
           cond {{
             %1 = stablehlo.compare LT, %at, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }} do {{
             %2 = stablehlo.custom_call @ragged_all_to_all(%v, %v, %from, %sizes, %from, %sizes) {{api_version = 4 : i32, backend_config = {{{REPLICAS}}}}} : ({rows}, {rows}, {lists}, {lists}, {lists}, {lists}) -> {rows}
             %one = stablehlo.constant dense<1> : tensor<i32>
             %3 = stablehlo.add %at, %one : tensor<i32>
             stablehlo.return %3, %2 : tensor<i32>, {rows}
           }}
           return %0#1 : {rows}
         }}"
    );
    fs::write(folder.path().join("p.mlir"), module(2, 1, &text)).expect("written");
    strata(folder.path(), &["verify", "p.mlir", "--stages"]).succeeded();
    strata(folder.path(), &["verify", "p.mlir", "--rounds", "6"]).succeeded();
}

#[test]
fn what_it_may_take_is_estimated() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = module(2, 1, &program("8x4xi32", "9x4xi32", "2xi32", REPLICAS));
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    let told = strata(folder.path(), &["check", "p.mlir"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let line = told.lines().find(|line| line.starts_with("ragged_all_to_all"));
    let line: Vec<_> = line.expect("it is listed").split_whitespace().collect();
    assert_eq!(line[1..8], ["2", "1", "128", "bytes", "64", "bytes", "2"], "{told}");
}
