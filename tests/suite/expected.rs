//! Programs that say what they compute: truth that neither engine has from the other.

use std::path::Path;

use crate::command::strata;

#[test]
fn both_engines_compute_what_the_programs_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ended = strata(folder, &["test", "--engine", "both", "expected"]);
    let last = ended.text().lines().last().unwrap_or_default().to_owned();
    assert_eq!(ended.code, 0, "{}{}", ended.text(), ended.stderr);
    assert!(last.ends_with(", 0 failed, 0 skipped") && !last.starts_with("0 "), "{last}");
}

/// Each kind of expectation with what it accepts and what it does not, of the product 2.0000005, two numbers above 2.
const EXPECTATIONS: &[(&str, bool)] = &[
    ("check.expect_eq %p, %same : tensor<1xf32>", true),
    ("check.expect_eq %p, %two : tensor<1xf32>", false),
    ("check.expect_eq_const %p, dense<0x40000002> : tensor<1xf32>", true),
    ("check.expect_eq_const %p, dense<2.0> : tensor<1xf32>", false),
    ("check.expect_almost_eq %p, %two : tensor<1xf32>", true),
    ("check.expect_almost_eq %p, %two, tolerance = 1.0e-9 : tensor<1xf32>", false),
    ("check.expect_almost_eq_const %p, dense<2.0> : tensor<1xf32>", true),
    (
        "check.expect_almost_eq_const %p, dense<2.0> : tensor<1xf32> {tolerance = 1.0e-9 : f64}",
        false,
    ),
    ("check.expect_close %p, %two : tensor<1xf32>, tensor<1xf32>", false),
    ("check.expect_close %p, %two, max_ulp_difference = 2 : tensor<1xf32>, tensor<1xf32>", true),
    (
        "check.expect_close %p, %two, max_ulp_difference = 2, min_ulp_difference = 2 : tensor<1xf32>, tensor<1xf32>",
        true,
    ),
    (
        "check.expect_close %p, %two, max_ulp_difference = 9, min_ulp_difference = 3 : tensor<1xf32>, tensor<1xf32>",
        false,
    ),
    (
        "stablehlo.custom_call @check.expect_close(%p, %two) {has_side_effect = true, \
         min_ulp_difference = 1 : ui64, max_ulp_difference = 2 : ui64} : (tensor<1xf32>, tensor<1xf32>) -> ()",
        true,
    ),
    (
        "stablehlo.custom_call @check.expect_close(%p, %two) {has_side_effect = true, \
         min_ulp_difference = 3 : ui64, max_ulp_difference = 4 : ui64} : (tensor<1xf32>, tensor<1xf32>) -> ()",
        false,
    ),
    (
        "stablehlo.custom_call @check.expect_close(%p, %two) {has_side_effect = true, \
         max_ulp_difference = 1 : ui64} : (tensor<1xf32>, tensor<1xf32>) -> ()",
        false,
    ),
    (
        "stablehlo.custom_call @check.expect_almost_eq(%p, %two) {has_side_effect = true} \
         : (tensor<1xf32>, tensor<1xf32>) -> ()",
        true,
    ),
    (
        "stablehlo.custom_call @check.expect_eq(%p, %two) {has_side_effect = true} \
         : (tensor<1xf32>, tensor<1xf32>) -> ()",
        false,
    ),
];

/// Bounds that no difference is within, and attributes of another kind: what `strata test` says of each.
const BAD_BOUNDS: &[(&str, &str)] = &[
    (
        "check.expect_close %a, %b, max_ulp_difference = 2, min_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>",
        "expected min_ulp_difference to be at most max_ulp_difference (2), found 3",
    ),
    (
        "check.expect_close %a, %b, max_ulp_difference = 9, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>",
        "at index [1] the value is 2e0, expected 2e0 (equal, at least 1 expected)",
    ),
    (
        "check.expect_close %a, %b, max_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>",
        "(2 ULP apart, at most 1 allowed)",
    ),
    (
        "stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true, \
         min_ulp_difference = 4 : i64} : (tensor<2xf32>, tensor<2xf32>) -> ()",
        "min_ulp_difference (4) is larger than max_ulp_difference (3)",
    ),
    (
        "stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true, \
         max_ulp_difference = -1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> ()",
        "max_ulp_difference is not a number of units in the last place",
    ),
    (
        "stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true, \
         max_ulp_difference = \"3\"} : (tensor<2xf32>, tensor<2xf32>) -> ()",
        "max_ulp_difference is not a number of units in the last place",
    ),
];

#[test]
fn bounds_of_units_hold_for_each_element_and_are_checked() {
    for (expectation, says) in BAD_BOUNDS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = format!(
            "func.func @main() {{\n  %a = stablehlo.constant dense<[0x3F800002, 0x40000000]> : tensor<2xf32>\n  \
             %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n  {expectation}\n  return\n}}\n"
        );
        std::fs::write(folder.path().join("x.mlir"), text).expect("written");
        let ended = strata(folder.path(), &["test", "x.mlir"]);
        assert!(ended.text().contains("0 passed, 1 failed"), "{expectation}\n{}", ended.text());
        assert!(ended.text().contains(says), "{expectation}\n{}", ended.text());
    }
}

#[test]
fn both_engines_know_every_expectation() {
    for engine in ["eval", "compiled"] {
        for (expectation, holds) in EXPECTATIONS {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let text = format!(
                "func.func @main() {{\n  %a = stablehlo.constant dense<0x3F800002> : tensor<1xf32>\n  \
                 %two = stablehlo.constant dense<2.0> : tensor<1xf32>\n  \
                 %same = stablehlo.constant dense<0x40000002> : tensor<1xf32>\n  \
                 %p = stablehlo.multiply %a, %two : tensor<1xf32>\n  {expectation}\n  return\n}}\n"
            );
            std::fs::write(folder.path().join("x.mlir"), text).expect("written");
            let ended = strata(folder.path(), &["test", "--engine", engine, "x.mlir"]);
            let counts = if *holds { "1 passed, 0 failed" } else { "0 passed, 1 failed" };
            assert!(ended.text().contains(counts), "{engine}: {expectation}\n{}", ended.text());
            let says = ended.text().contains("S1913");
            assert_eq!(says, !holds, "{engine}: {expectation}\n{}", ended.text());
        }
    }
}
