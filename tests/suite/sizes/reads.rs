//! What is computed for loops that end at a size ends there, too.

use crate::command::{strata, workspace};

/// Where each loop of a scheduled program ends: `…` for one that has no limit.
fn ends(name: &str, bounds: &str) -> Vec<(String, String)> {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join(format!("tests/sizes/{name}.mlir"));
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--max", bounds, "--to", "schedule", "-o", "-"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let limit = |line: &str| {
        let found = line.split_once("strata.limit = ");
        found.map_or_else(
            || "…".to_owned(),
            |(_, limit)| limit[..limit.find('}').unwrap()].to_owned(),
        )
    };
    let mut lines = text.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let kind = ["linalg.generic", "tensor.pad"].into_iter().find(|kind| line.contains(kind));
        let Some(kind) = kind else { continue };
        // The attributes of a pad follow its region.
        let with_limit = match kind {
            "tensor.pad" => lines.find(|line| line.starts_with("    }")).unwrap_or_default(),
            _ => line,
        };
        if line.contains("iterator_types = []") {
            continue;
        }
        found.push((kind.to_owned(), limit(with_limit)));
    }
    found
}

/// A window whose padding depends on the size is moved by one pad and one slice, and the pad makes as much as is read; the masks and
/// transposes before a sum over all rows end with it.
#[test]
fn what_moved_windows_and_sums_read_ends_at_the_size() {
    let all = ends("strided_images", "x.1=40,x.2=44");
    let pads = all.iter().filter(|(kind, _)| kind == "tensor.pad");
    assert_eq!(pads.count(), 2, "{all:?}");
    assert!(all.iter().all(|(_, limit)| limit != "…"), "{all:?}");
}

/// Slices of an input, also at computed places, do not make it one that is copied.
#[test]
fn slices_of_inputs_are_read_in_place() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?x9xf32> loc(\"x\")) -> tensor<1x9xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x9xf32>) -> tensor<i32>
      %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%some, %n) {error_message = \"{0}\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      %end = stablehlo.subtract %n, %one : tensor<i32>
      %last = stablehlo.dynamic_slice %x, %end, %none, sizes = [1, 9] : (tensor<?x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
      return %last : tensor<1x9xf32>
    }";
    std::fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--max", "x.0=40", "--to", "vector", "-o", "-"];
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    // Those for several sizes: the others have the input whole.
    let open = text.matches("strata.in_place = array<i64: 0>").count();
    assert!(open > 1 && open == text.matches("strata.in_place").count(), "{text}");
    let bound = text.lines().find(|line| line.contains("func private @main.39(")).unwrap();
    assert!(bound.contains("strata.in_place = array<i64: 0>"), "{text}");
}

/// Lines that are sorted in groups end with the group of the last line.
#[test]
fn groups_of_sorted_lines_end_at_their_number() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?x64xi32> loc(\"x\")) -> tensor<?x64xi32> {
      %0 = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
      }) : (tensor<?x64xi32>) -> tensor<?x64xi32>
      return %0 : tensor<?x64xi32>
    }";
    std::fs::write(here.path().join("p.mlir"), program).unwrap();
    for (target, lanes) in [("x86-64-v3", 8), ("x86-64-v4", 16)] {
        let arguments = ["compile", "p.mlir", "--target-cpu", target, "--max", "x.0=128"];
        let arguments = [&arguments[..], &["--to", "schedule", "-o", "-"]].concat();
        let text = strata(here.path(), &arguments).succeeded().text().to_owned();
        let step = format!("%c128 step %c{lanes} ");
        let end = text.lines().rev().find(|line| line.starts_with("    }")).unwrap();
        assert!(text.contains(&step) && end.contains("strata.limit"), "{target}: {text}");
    }
}
