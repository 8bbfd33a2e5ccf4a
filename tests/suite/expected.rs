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

/// A scatter of a window that starts one element before the end of its operand.
fn partly_outside(module: &str, expected: &str) -> String {
    format!(
        "module{module} {{\n  func.func @main() {{\n    %x = stablehlo.constant dense<0> : tensor<3xi32>\n    \
         %i = stablehlo.constant dense<2> : tensor<1xi32>\n    %u = stablehlo.constant dense<[5, 6]> : tensor<2xi32>\n    \
         %0 = \"stablehlo.scatter\"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], \
         scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}}> ({{\n    ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n      \
         stablehlo.return %b : tensor<i32>\n    }}) : (tensor<3xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>\n    \
         check.expect_eq_const %0, dense<{expected}> : tensor<3xi32>\n    return\n  }}\n}}\n"
    )
}

/// By default what XLA does; else what the module says, and before that the option.
#[test]
fn windows_partly_outside_mean_what_is_asked_for() {
    let (spec, xla) =
        (" attributes {strata.semantics = \"spec\"}", " attributes {strata.semantics = \"xla\"}");
    let (dropped, written) = ("[0, 0, 0]", "[0, 0, 5]");
    let cases: [(&str, &[&str], &str); 6] = [
        ("", &[], dropped),
        ("", &["--semantics", "spec"], written),
        (spec, &[], written),
        (spec, &["--semantics", "xla"], dropped),
        (xla, &[], dropped),
        (xla, &["--semantics", "spec"], written),
    ];
    for (module, option, expected) in cases {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        write("x.mlir", &partly_outside(module, expected));
        let ended =
            strata(folder.path(), &[&["test", "--engine", "both", "x.mlir"], option].concat());
        assert!(ended.text().contains("1 passed"), "{module} {option:?}: {}", ended.text());
        // The same with the indices as an input, and as an artifact.
        let program =
            "(%x: tensor<3xi32>, %i: tensor<1xi32>, %u: tensor<2xi32>) -> tensor<3xi32> {";
        let text =
            partly_outside(module, expected).replace("@main() {", &format!("@main{program}"));
        let kept = |line: &&str| !line.contains("stablehlo.constant") && !line.contains("check.");
        let lines: Vec<_> = text.lines().filter(kept).collect();
        let text = lines.join("\n").replace("    return\n", "    return %0 : tensor<3xi32>\n");
        write("y.mlir", &text);
        strata(folder.path(), &["translate", "--to", "artifact", "y.mlir", "-o", "y.mlirbc"])
            .succeeded();
        for name in ["y.mlir", "y.mlirbc"] {
            let arguments = ["verify", "--stages", "--steps", name, "--target-cpu", "native"];
            strata(folder.path(), &[&arguments[..], option].concat()).succeeded();
            let dumped = strata(
                folder.path(),
                &[&["compile", name, "--to", "hlo", "-o", "-"], option].concat(),
            );
            let says = dumped.succeeded().text().contains("strata.semantics = \"spec\"");
            assert_eq!(says, expected == written, "{module} {option:?} {name}");
        }
    }
}

#[test]
fn what_a_module_means_has_a_known_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for value in ["\"tpu\"", "7 : i32"] {
        let module = format!(" attributes {{strata.semantics = {value}}}");
        let text = partly_outside(&module, "[0, 0, 0]");
        std::fs::write(folder.path().join("x.mlir"), text).expect("written");
        for command in ["compile", "eval", "test"] {
            let ended = strata(folder.path(), &[command, "x.mlir"]);
            let said = format!("{}{}", ended.text(), ended.stderr);
            assert_eq!(ended.code, 1, "{command}: {said}");
            assert!(
                said.contains("S1005") && said.contains("neither \"xla\" nor \"spec\""),
                "{said}"
            );
        }
    }
}
