//! `strata check`: what a program needs, what is not supported, and what it costs.

use std::fs;

use super::{folder, names};
use crate::command::strata;

#[test]
fn check_says_what_a_program_needs() {
    let here = folder();
    let ended = strata(here.path(), &["check", "sum.mlir"]).succeeded();
    assert!(ended.text().contains("input 1     tensor<3xf32>, 12 bytes\n"), "{}", ended.text());
    assert!(ended.text().contains("\nworkspace   0 bytes\n"), "{}", ended.text());
    let json = strata(here.path(), &["check", "sum.mlir", "--json"]).succeeded();
    let json: serde_json::Value = serde_json::from_str(json.text()).expect("JSON");
    assert_eq!((&json["supported"], &json["flops"]), (&true.into(), &3.into()));
    assert!(json["object_bytes"].as_u64().is_some_and(|size| size > 100), "{json}");
    assert_eq!(names(here.path()), ["sum.mlir"]);
}

/// All of them, in the order of the program, and what is known besides.
#[test]
fn check_names_everything_that_is_not_supported() {
    let here = folder();
    let text = "func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.custom_call @first(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.add %0, %a : tensor<3xf32>
  %2 = \"stablehlo.all_reduce\"(%1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %4 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  %3 = stablehlo.custom_call @second(%2) : (tensor<3xf32>) -> tensor<3xf32>
  return %3, %1 : tensor<3xf32>, tensor<3xf32>
}
";
    fs::write(here.path().join("odd.mlir"), text).expect("written");
    let ended = strata(here.path(), &["check", "odd.mlir", "--json"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let json: serde_json::Value = serde_json::from_str(ended.text()).expect("JSON");
    let list = json["unsupported"].as_array().expect("a list");
    let lines: Vec<_> = list.iter().filter_map(|one| one["line"].as_u64()).collect();
    assert!(lines.contains(&4) && list.iter().all(|one| one["reason"].is_string()), "{json}");
    assert_eq!(json["flops"], 3, "the sum of two tensors of three elements");
    assert!(json["object_bytes"].is_null() && json["supported"] == false, "{json}");
    let ended = strata(here.path(), &["check", "odd.mlir"]);
    assert!(ended.text().contains("\nnot supported\n"), "{}", ended.text());
    assert_eq!(ended.stderr.matches("error[").count(), 1, "{}", ended.stderr);
}

#[test]
fn check_names_sizes_of_run_time_once() {
    let here = folder();
    let ty = "tensor<?x4xf32>";
    let adds: String =
        (0..5).map(|at| format!("%s{} = stablehlo.add %s{at}, %x : {ty}\n", at + 1)).collect();
    let text = format!(
        "func.func public @main(%x: {ty}, %ok: tensor<i1>) -> (tensor<i32>, {ty}) {{
          %s0 = stablehlo.negate %x : {ty}
          {adds}
          %n = stablehlo.get_dimension_size %x, dim = 0 : ({ty}) -> tensor<i32>
          stablehlo.custom_call @shape_assertion(%ok, %n) {{has_side_effect = true, error_message = \"n is {{0}}\"}}
            : (tensor<i1>, tensor<i32>) -> ()
          return %n, %s5 : tensor<i32>, {ty}
        }}"
    );
    fs::write(here.path().join("batch.mlir"), text).expect("written");
    let ended = strata(here.path(), &["check", "batch.mlir"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.text().contains("symbols     input0.0\n"), "{}", ended.text());
    assert!(ended.text().contains("tensor<?x4xf32>, input0.0 x 4\n"), "{}", ended.text());
    let (_, rows) = ended.text().split_once("\nnot supported\n").expect("a list");
    assert_eq!(rows.lines().count(), 1, "{rows}");
    assert!(
        rows.contains("rows of `input0.0` cannot be computed apart: the program asserts what is not a condition"),
        "{rows}"
    );
    assert_eq!(ended.stderr.matches("error[").count(), 1, "{}", ended.stderr);
    // The operations that have sizes then are not reported with the one that needs a value.
    let ended = strata(here.path(), &["check", "batch.mlir", "--bind", "input0.0=3"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let (_, rows) = ended.text().split_once("\nnot supported\n").expect("a list");
    assert_eq!(rows.lines().count(), 1, "{rows}");
    assert!(rows.contains("cannot be decided at compile time: n is 3"), "{rows}");
}

/// Separators and units for people, plain numbers for programs; the most expensive first.
#[test]
fn check_shows_costs_that_one_can_read() {
    let here = folder();
    let program = "\
func.func @main(%x: tensor<100x300xf32>, %w: tensor<300x200xf32>) -> tensor<100x200xf32> {
  %0 = stablehlo.add %x, %x : tensor<100x300xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<100x300xf32>, tensor<300x200xf32>) -> tensor<100x200xf32>
  return %1 : tensor<100x200xf32>
}
";
    fs::write(here.path().join("p.mlir"), program).expect("is written");
    let ended = strata(here.path(), &["check", "p.mlir"]).succeeded();
    let text = ended.text();
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    let (dot, add) = (text.find("dot_general"), text.find("add "));
    assert!(dot.is_some() && dot < add, "{text}");
    assert!(text.contains("12.0 MFLOP") && text.contains("30.0 kFLOP"), "{text}");
    assert!(text.contains("tensor<100x300xf32>, 117 KiB\n"), "{text}");
    let json = strata(here.path(), &["check", "p.mlir", "--json"]).succeeded();
    let json: serde_json::Value = serde_json::from_str(json.text()).expect("JSON");
    assert_eq!(json["flops"], 12_030_000);
}
