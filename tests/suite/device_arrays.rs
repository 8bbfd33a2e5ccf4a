//! The arrays that `strata run` and `strata eval` take and give of programs for several devices: of those that exchange nothing, and of
//! those with open sizes.

use std::{fs, path::Path};

use rstest::rstest;

use crate::{arrays::npy, command::strata, devices::module};

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The shape and the numbers of a file.
fn read(folder: &Path, file: &str) -> (String, Vec<f32>) {
    let bytes = fs::read(folder.join(file)).expect("written");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let shape = text.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')'));
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]])) + 10;
    let numbers = bytes[length..].as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let shape = shape.expect("a shape").0.trim_end_matches([',', ' ']);
    (shape.to_owned(), numbers.collect())
}

/// A sum of two devices of as many rows as arrays have, each with the number of rows added.
const ROWS: &str = r#"func.func public @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %2 = stablehlo.convert %1 : (tensor<i32>) -> tensor<f32>
  %3 = chlo.broadcast_add %0, %2 : (tensor<?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  return %3 : tensor<?x2xf32>
}"#;

/// Arrays of all devices have one more dimension, which is none of the program's; sizes are those of the others.
#[test]
fn open_sizes_are_those_of_each_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("p.mlir"), module(2, 1, ROWS)).expect("written");
    let values: Vec<f32> = (0..12).map(|value| value as f32).collect();
    fs::write(at("x.npy"), npy("<f4", "(2, 3, 2)", &floats(&values))).expect("written");
    fs::write(at("one.npy"), npy("<f4", "(3, 2)", &floats(&values[..6]))).expect("written");
    fs::write(at("none.npy"), npy("<f4", "(2, 0, 2)", &[])).expect("written");
    fs::write(at("three.npy"), npy("<f4", "(3, 2, 2)", &floats(&values))).expect("written");
    let sums: Vec<f32> = (0..6).map(|at| (at + at + 6 + 3) as f32).collect();
    for command in ["run", "eval"] {
        let call = |more: &[&str]| strata(folder.path(), &[&[command, "p.mlir"], more].concat());
        call(&["--input", "x.npy", "--per-device", "--output", "y.npy"]).succeeded();
        let expected = ("2, 3, 2".to_owned(), [&sums[..], &sums].concat());
        assert_eq!(read(folder.path(), "y.npy"), expected, "{command}");
        call(&["--input", "none.npy", "--per-device", "--output", "y.npy"]).succeeded();
        assert_eq!(read(folder.path(), "y.npy"), ("2, 0, 2".to_owned(), Vec::new()), "{command}");
        for (file, found) in [("one.npy", "(3, 2)"), ("three.npy", "(3, 2, 2)")] {
            let refused = call(&["--input", file, "--per-device"]);
            let reason = format!("must have the shape (2, ?, 2), the file holds {found}");
            assert!(refused.stderr.contains(&reason), "{command}: {}", refused.stderr);
        }
        // All get the same without the option.
        call(&["--input", "one.npy", "--output", "y.npy"]).succeeded();
        let twice: Vec<f32> = values[..6].iter().map(|value| value * 2.0 + 3.0).collect();
        assert_eq!(read(folder.path(), "y.npy"), ("3, 2".to_owned(), twice), "{command}");
    }
    let bound = ["run", "p.mlir", "--bind", "input0.0=3", "--per-device"];
    let call = |more: &[&str]| strata(folder.path(), &[&bound[..], more].concat());
    call(&["--input", "x.npy", "--output", "y.npy"]).succeeded();
    assert_eq!(read(folder.path(), "y.npy").1, [&sums[..], &sums].concat());
    let refused = call(&["--input", "none.npy"]);
    assert!(refused.stderr.contains("must have the shape (2, 3, 2)"), "{}", refused.stderr);
}

/// Parts do not say how large the whole is, which `--bind` does.
#[test]
fn open_sizes_of_parts_are_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    let text = "module attributes {mhlo.num_partitions = 2 : i32} {
      sdy.mesh @mesh = <[\"x\"=2]>
      func.func @main(%x: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<f32> {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32>
      }
    }";
    fs::write(at("p.mlir"), text).expect("written");
    fs::write(at("parts.npy"), npy("<f4", "(2, 2)", &floats(&[1.0, 2.0, 4.0, 8.0]))).expect("ok");
    fs::write(at("whole.npy"), npy("<f4", "(3,)", &floats(&[1.0, 2.0, 4.0]))).expect("written");
    let parts = ["run", "p.mlir", "--input", "parts.npy", "--per-device"];
    let refused = strata(folder.path(), &parts);
    let hint = "give the sizes of the whole by `--bind`";
    assert!(refused.code != 0 && refused.stderr.contains(hint), "{}", refused.stderr);
    let bound = [&parts[..], &["--bind", "input0.0=3", "--output", "y.npy"]].concat();
    strata(folder.path(), &bound).succeeded();
    // What a part is filled up with is in no sum.
    assert_eq!(read(folder.path(), "y.npy"), ("2".to_owned(), vec![7.0, 7.0]));
    let whole = ["run", "p.mlir", "--input", "whole.npy", "--output", "y.npy"];
    strata(folder.path(), &whole).succeeded();
    assert_eq!(read(folder.path(), "y.npy"), (String::new(), vec![7.0]));
    let refused = strata(folder.path(), &["compile", "p.mlir", "-o", "p.o"]);
    let hint = "`--bind input0.0=8` compiles for one size";
    assert!(refused.code == 1 && refused.stderr.contains(hint), "{}", refused.stderr);
    // The evaluator has whole values, and says how parts are evaluated.
    let refused =
        strata(folder.path(), &["eval", "p.mlir", "--input", "parts.npy", "--per-device"]);
    assert!(refused.code != 0 && refused.stderr.contains("--to spmd"), "{}", refused.stderr);
}

const DOUBLED: &str = "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}";

/// A program that exchanges nothing is run once, and on each device's own array where these are given.
#[test]
fn what_exchanges_nothing_takes_arrays_of_each_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("p.mlir"), module(1, 3, DOUBLED)).expect("written");
    fs::write(at("alone.mlir"), module(1, 1, DOUBLED)).expect("written");
    let values: Vec<f32> = (1..7).map(|value| value as f32).collect();
    fs::write(at("x.npy"), npy("<f4", "(3, 2)", &floats(&values))).expect("written");
    fs::write(at("one.npy"), npy("<f4", "(2,)", &floats(&values[..2]))).expect("written");
    for command in ["run", "eval"] {
        let own = [command, "p.mlir", "--input", "x.npy", "--per-device", "--output", "y.npy"];
        strata(folder.path(), &own).succeeded();
        let expected = ("3, 2".to_owned(), values.iter().map(|value| value * 2.0).collect());
        assert_eq!(read(folder.path(), "y.npy"), expected, "{command}");
        let same = [command, "p.mlir", "--input", "one.npy", "--output", "y.npy"];
        strata(folder.path(), &same).succeeded();
        assert_eq!(read(folder.path(), "y.npy"), ("2".to_owned(), vec![2.0, 4.0]), "{command}");
        let refused =
            strata(folder.path(), &[command, "alone.mlir", "--input", "x.npy", "--per-device"]);
        let said = refused.stderr;
        assert!(said.contains("S0001") && said.contains("mhlo.num_partitions"), "{said}");
    }
    let prepared = ["run", "p.mlir", "--input", "x.npy", "--per-device", "--prepare", "*"];
    let refused = strata(folder.path(), &prepared);
    assert!(refused.code != 0 && !refused.stderr.contains("S9"), "{}", refused.stderr);
}

/// Sizes of outputs that are values: those of the first device are written, those of all if they are alike.
#[rstest]
#[case::alike([2.0, 1.0, 5.0, 3.0], Some("2, 2"))]
#[case::unlike([2.0, -1.0, 5.0, 3.0], None)]
fn sizes_that_are_values(#[case] values: [f32; 4], #[case] shape: Option<&str>) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    // As many as are positive, of the sum of both devices.
    let text = r#"func.func public @main(%x: tensor<2xf32>) -> tensor<?xf32, #stablehlo.bounds<2>> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %0 = stablehlo.compare GT, %x, %zeros : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.convert %0 : (tensor<2xi1>) -> tensor<2xi32>
  %2 = stablehlo.reduce(%1 init: %none) applies stablehlo.add across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  %3 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = stablehlo.set_dimension_size %3, %2, dim = 0 : (tensor<2xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<2>>
  return %4 : tensor<?xf32, #stablehlo.bounds<2>>
}"#;
    fs::write(at("p.mlir"), module(2, 1, text)).expect("written");
    fs::write(at("x.npy"), npy("<f4", "(2, 2)", &floats(&values))).expect("written");
    let sums = [values[0] + values[2], values[1] + values[3]];
    for command in ["run", "eval"] {
        let own = [command, "p.mlir", "--input", "x.npy", "--per-device", "--output", "y.npy"];
        let called = strata(folder.path(), &own);
        match shape {
            Some(shape) => {
                called.succeeded();
                let expected = (shape.to_owned(), [sums, sums].concat());
                assert_eq!(read(folder.path(), "y.npy"), expected, "{command}");
            }
            None => {
                let reason = "output 0 is tensor<1xf32> on device 0, and tensor<2xf32> on device 1";
                assert!(called.stderr.contains(reason), "{command}: {}", called.stderr);
                assert!(!at("y.npy").exists(), "{command}");
            }
        }
    }
}
