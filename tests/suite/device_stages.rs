//! `strata verify --stages` and `strata bench` of programs for several devices: the dump of each stage runs on all of them.

use std::{fs, path::Path};

use crate::{
    command::strata,
    devices::{ALL, module},
};

/// All exchanges, along with a part of each device.
const EXCHANGES: &str = r#"func.func public @main(%x: tensor<4x6xbf16>, %y: tensor<3xi32>) -> (tensor<8x6xbf16>, tensor<4x6xbf16>, tensor<2x6xbf16>, tensor<4x6xbf16>, tensor<3xi32>, tensor<3xi32>, tensor<ui32>) {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4x6xbf16>) -> tensor<8x6xbf16>
  %1 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.subtract %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %2 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>} : (tensor<4x6xbf16>) -> tensor<2x6xbf16>
  %3 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>} : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %4 = "stablehlo.collective_permute"(%y) {source_target_pairs = dense<[[0, 1], [1, 3], [2, 2]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>} : (tensor<3xi32>) -> tensor<3xi32>
  %5 = "stablehlo.collective_broadcast"(%y) {replica_groups = dense<[[3, 0, 1]]> : tensor<1x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>} : (tensor<3xi32>) -> tensor<3xi32>
  %6 = stablehlo.partition_id : tensor<ui32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8x6xbf16>, tensor<4x6xbf16>, tensor<2x6xbf16>, tensor<4x6xbf16>, tensor<3xi32>, tensor<3xi32>, tensor<ui32>
}"#;

/// A program whose values are split, with a sum over devices and a body of theirs.
const SPLIT: &str = r#"module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<5x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %w: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x6xi32>, tensor<6x4xi32>) -> tensor<5x4xi32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{}, {"y"}]>] out_shardings=[<@m, [{}, {"y"}]>] manual_axes={"y"} (%a: tensor<5x2xi32>) {
      %2 = stablehlo.partition_id : tensor<ui32>
      %3 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 0], [2, 3], [3, 2]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<5x2xi32>) -> tensor<5x2xi32>
      sdy.return %3 : tensor<5x2xi32>
    } : (tensor<5x4xi32>) -> tensor<5x4xi32>
    return %1 : tensor<5x4xi32>
  }
}"#;

/// What `verify --stages` prints of a program that every stage computes as the evaluator does.
fn stages_of(folder: &Path, text: &str) -> String {
    fs::write(folder.join("p.mlir"), text).expect("written");
    let arguments =
        ["verify", "p.mlir", "--stages", "--steps", "--rounds", "1", "--values", "tame"];
    strata(folder, &arguments).succeeded().text().to_owned()
}

#[test]
fn every_stage_computes_what_the_evaluator_does_on_all_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    for text in [
        module(1, 4, EXCHANGES),
        module(2, 2, ALL),
        SPLIT.to_owned(),
        SPLIT.replace("num_replicas = 1", "num_replicas = 2"),
    ] {
        let told = stages_of(folder.path(), &text);
        for stage in ["hlo", "linalg", "schedule", "affine", "vector", "obj"] {
            let line = told.lines().find(|line| line.contains(&format!("stage `{stage}`")));
            let line = line.unwrap_or_else(|| panic!("{stage} is not run: {told}"));
            assert!(!line.contains("not run"), "{line}");
        }
    }
}

/// An edited dump of a later stage is the first that differs, and the message says on which device.
#[test]
fn the_stage_that_is_wrong_is_named_with_its_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = r#"func.func public @main(%x: tensor<3xi32>) -> tensor<3xi32> {
      %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<3xi32>) -> tensor<3xi32>
      %1 = stablehlo.add %0, %x : tensor<3xi32>
      return %1 : tensor<3xi32>
    }"#;
    fs::write(folder.path().join("p.mlir"), module(2, 1, body)).expect("written");
    let dumped =
        ["compile", "p.mlir", "-o", "p.o", "--dump-stages", ".", "--target-cpu", "x86-64-v3"];
    strata(folder.path(), &dumped).succeeded();
    let dump = fs::read_to_string(folder.path().join("40-affine.mlir")).expect("written");
    // Device 1 gets zeros.
    let edited = dump
        .replace("groups = [array<i64: 0, 1>, array<i64: 1, 0>]", "groups = [array<i64: 1, 0>]");
    assert_ne!(dump, edited, "the dump has other groups");
    fs::write(folder.path().join("edited.mlir"), edited).expect("written");
    let arguments = [
        "verify",
        "p.mlir",
        "--stages",
        "--rounds",
        "1",
        "--target-cpu",
        "x86-64-v3",
        "--dump",
        "affine=edited.mlir",
    ];
    let refused = strata(folder.path(), &arguments);
    assert_ne!(refused.code, 0, "{}", refused.text());
    assert!(
        refused.stderr.contains("stage `affine` is the first that differs"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("output 0 of device 1"), "{}", refused.stderr);
}

/// All devices call the object; what is split has whole inputs.
#[test]
fn programs_for_several_devices_are_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    for text in [module(1, 4, EXCHANGES), SPLIT.to_owned()] {
        fs::write(folder.path().join("p.mlir"), text).expect("written");
        let arguments = ["bench", "p.mlir", "--rounds", "2", "--min-time", "0.01", "--no-limits"];
        let told = strata(folder.path(), &arguments).succeeded().text().to_owned();
        assert!(told.contains("on 4 devices, a thread each"), "{told}");
        let json = strata(folder.path(), &[&arguments[..], &["--json"]].concat()).succeeded();
        assert!(json.text().contains("\"devices\": 4"), "{}", json.text());
    }
}
