//! Shares of nests.

use std::fs;

use super::json;
use crate::command::strata;

/// A gather, whose loops have no schedule, takes nearly all of the time.
const PLANTED_GATHER: &str = r#"
func.func @main(%x: tensor<64x8192xf32>, %i: tensor<4096xi32>, %v: tensor<777xf32>) -> (tensor<64x4096xf32>, tensor<777xf32>) {
  %0 = stablehlo.exponential %v : tensor<777xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 64, 1>}> : (tensor<64x8192xf32>, tensor<4096xi32>) -> tensor<64x4096xf32>
  return %1, %0 : tensor<64x4096xf32>, tensor<777xf32>
}
"#;

#[test]
fn loops_without_a_schedule_are_those_of_their_nest() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), PLANTED_GATHER).expect("written");
    let command = ["profile", "p.mlir", "--time", "0.6", "--no-limits", "--json"];
    let profile = json(strata(folder.path(), &command).succeeded().text());
    let first = &profile["nests"][0];
    assert!(
        first["name"].as_str().is_some_and(|name| name.starts_with("unscheduled")),
        "{profile:#}"
    );
    assert!(first["share"].as_f64() > Some(0.6), "{profile:#}");
    assert_eq!(profile["operations"][0]["name"], "stablehlo.gather");
    assert_eq!(profile["operations"][0]["nests"][0], first["nest"]);
}
