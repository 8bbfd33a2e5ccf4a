//! What each of several devices exchanges with a host of its own: infeed, outfeed, send and recv.

use std::{fs, path::Path};

use crate::{arrays::npy, command::strata, devices::module};

/// A device takes a number, gives its host the sum of all, and takes another one over a channel, with which it is done again.
const FED: &str = r#"func.func public @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %1 = stablehlo.add %0#0, %x : tensor<2xi32>
  %2 = "stablehlo.all_reduce"(%1) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  %3 = "stablehlo.outfeed"(%2, %0#1) {outfeed_config = ""} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %4 = "stablehlo.send"(%1, %3) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %5:2 = "stablehlo.recv"(%4) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %6 = stablehlo.subtract %5#0, %1 : tensor<2xi32>
  return %6 : tensor<2xi32>
}"#;

pub(crate) fn words(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Writes [`FED`] for two replicas, and the arrays that it takes: of each device, and one for all.
pub(crate) fn write_fed(folder: &Path) {
    fs::write(folder.join("fed.mlir"), module(2, 1, FED)).expect("written");
    for (name, values) in [("x", [1, 2, 3, 4]), ("fed", [10, 20, 30, 40]), ("more", [0, 1, 2, 3])] {
        let write = |file: String, shape: &str, values: &[i32]| {
            fs::write(folder.join(file), npy("<i4", shape, &words(values))).expect("written");
        };
        write(format!("{name}2.npy"), "(2, 2)", &values);
        write(format!("{name}.npy"), "(2,)", &values[..2]);
    }
}

/// What a command wrote of [`FED`] with arrays of each device has the right elements.
pub(crate) fn check_fed(folder: &Path) {
    // x + fed is 11, 22 and 33, 44.
    let expected = [
        ("outfeed0", words(&[44, 66, 44, 66])),
        ("send5_0", words(&[11, 22, 33, 44])),
        ("output0", words(&[-11, -21, -31, -41])),
    ];
    for (file, bytes) in expected {
        let found = fs::read(folder.join(format!("{file}.npy"))).expect("written");
        assert!(found.ends_with(&bytes), "{file}: {found:?}");
    }
}

/// Each device has a host of its own, by both engines: with an entry of each array, or with the same arrays.
#[test]
fn each_device_has_a_host() {
    let folder = tempfile::tempdir().expect("a folder");
    write_fed(folder.path());
    for command in ["run", "eval"] {
        let own = ["--input", "x2.npy", "--infeed", "fed2.npy", "--recv", "6=more2.npy"];
        let to = ["--per-device", "--outfeed", command, "--output-dir", command];
        strata(folder.path(), &[&[command, "fed.mlir"], &own[..], &to].concat()).succeeded();
        check_fed(&folder.path().join(command));

        let same = ["--input", "x.npy", "--infeed", "fed.npy", "--recv", "6=more.npy"];
        let alone = format!("{command}-same");
        let to = ["--outfeed", &alone, "--output-dir", &alone];
        strata(folder.path(), &[&[command, "fed.mlir"], &same[..], &to].concat()).succeeded();
        for (file, values) in
            [("outfeed0", [22, 44]), ("send5_0", [11, 22]), ("output0", [-11, -21])]
        {
            let found = fs::read(folder.path().join(&alone).join(format!("{file}.npy")));
            let found = found.expect("written");
            assert!(found.ends_with(&words(&values)), "{command}: {file}");
        }

        let short = strata(folder.path(), &[&[command, "fed.mlir"], &same[..4], &to].concat());
        assert_eq!(short.code, 2, "{command}: {}", short.stderr);
        assert!(short.stderr.contains("--recv 6=FILE.npy"), "{command}: {}", short.stderr);
    }
}

/// Arrays of all devices are concatenated only where all give as many.
#[test]
fn arrays_of_hosts_are_alike_on_all_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = r#"func.func public @main(%x: tensor<i32>) -> tensor<i32> {
      %t = stablehlo.create_token : !stablehlo.token
      %id = stablehlo.replica_id : tensor<ui32>
      %index = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
      %0 = "stablehlo.case"(%index) ({
        %1 = "stablehlo.outfeed"(%x, %t) {outfeed_config = ""} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
        stablehlo.return %x : tensor<i32>
      }, {
        stablehlo.return %index : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32>
    }"#;
    fs::write(folder.path().join("p.mlir"), module(2, 1, body)).expect("written");
    fs::write(folder.path().join("x.npy"), npy("<i4", "(2,)", &words(&[7, 8]))).expect("written");
    for command in ["run", "eval"] {
        let ended = strata(folder.path(), &[command, "p.mlir", "--input", "x.npy", "--per-device"]);
        assert_eq!(ended.code, 2, "{command}: {}", ended.stderr);
        let reason = "device 1 gave its host nothing, and device 0 outfeed0: tensor<i32>";
        assert!(ended.stderr.contains(reason), "{command}: {}", ended.stderr);
    }
}
