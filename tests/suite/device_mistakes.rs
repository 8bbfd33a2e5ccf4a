//! Groups, meshes and shardings that are wrong: each has a code, its operation, the reason and a way out.

use strata::Compiler;
use strata_diag::Diagnostic;

use crate::{devices::module, harness::options};

/// The error of a program, which is refused.
fn refused(text: &str) -> Diagnostic {
    let errors = Compiler::new(options("x86-64")).compile("wrong.mlir", text.as_bytes());
    errors.err().unwrap_or_else(|| panic!("compiles: {text}")).into_iter().next().expect("one")
}

/// Asserts what is said of a program.
fn is_told(text: &str, code: &str, operation: &str, reason: &str, hint: &str) {
    let error = refused(text);
    assert_eq!(error.code().id(), code, "{text}\n{error:?}");
    assert_eq!(error.operation_name(), Some(operation), "{text}\n{error:?}");
    assert!(error.reason_text().unwrap_or_default().contains(reason), "{text}\n{error:?}");
    assert!(error.hint_text().unwrap_or_default().contains(hint), "{text}\n{error:?}");
    assert!(error.location().is_some_and(|at| at.line > 1), "{text}\n{error:?}");
}

/// Meshes and shardings of an 8x4 argument: code, operation, reason, hint.
const SHARDINGS: &[(&str, &str, [&str; 4])] = &[
    (
        r#"["x"=0, "y"=2]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "size 1 or more, found 0", "number of devices"],
    ),
    (
        r#"["x"=-2, "y"=2]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "size 1 or more, found -2", "number of devices"],
    ),
    (
        r#"["x"=2, "x"=2]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "found \"x\" twice", "another name"],
    ),
    (
        r#"["x"=2, "y"=2], device_ids=[0, 1, 2, -3]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "at least 0, found -3", "permutation"],
    ),
    (
        r#"["x"=2, "y"=2], device_ids=[0, 1, 2]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "expected 4 device_ids", "permutation"],
    ),
    (
        r#"["x"=2, "y"=2], device_ids=[0, 1, 2, 2]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "found 2 more than once and no 3", "permutation"],
    ),
    (
        r#"["x"=2, "y"=2], device_ids=[0, 1, 2, 5]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "0 to 3, found 5", "permutation"],
    ),
    (
        r#"["x"=2, "y"=2], device_ids=[]"#,
        r#"[{"x"}, {}]"#,
        ["S1005", "sdy.mesh", "found none", "leave `device_ids` out"],
    ),
    (GRID, r#"[{"z"}, {}]"#, ["S1005", "func.func", "found \"z\"", "axes of their mesh"]),
    (GRID, r#"[{"x"}, {"x"}]"#, ["S1005", "func.func", "do not overlap", "splits one dimension"]),
    (
        GRID,
        r#"[{"x":(0)2}, {}]"#,
        ["S1005", "func.func", "pre-size 1 or more", "sub-axis of size s"],
    ),
    (GRID, r#"[{"x":(1)3}, {}]"#, ["S1005", "func.func", "divide the axis", "sub-axis of size s"]),
    (
        GRID,
        r#"[{"x":(1)2}, {}]"#,
        ["S1005", "func.func", "smaller than its axis", "sub-axis of size s"],
    ),
    (
        r#"["x"=4]"#,
        r#"[{"x":(1)2, "x":(2)2}, {}]"#,
        ["S1005", "func.func", "to be one", "larger sub-axis"],
    ),
    (GRID, r#"[{"x"}]"#, ["S1005", "func.func", "rank 2, found 1", "for each dimension"]),
    (GRID, r#"[{"x"}q1, {}]"#, ["S1001", "func.func", "found `q1`", "closing brace"]),
    (GRID, r#"[{"x"}p-1, {}]"#, ["S1001", "func.func", "a priority such as p1", "closing brace"]),
    (GRID, r#"[{"x"}, {}p1]"#, ["S1005", "func.func", "closed and has no axes", "`{?}p1`"]),
    (
        GRID,
        r#"[{"x"}, {}], replicated={"x"}"#,
        ["S1005", "func.func", "do not overlap", "splits one dimension"],
    ),
    (
        GRID,
        r#"[{}, {}], replicated={"y", "x"}"#,
        ["S1005", "func.func", "in the order of the mesh", "as the mesh does"],
    ),
    (
        GRID,
        r#"[{}, {}], repliated={"x"}"#,
        ["S1001", "func.func", "`replicated` or `unreduced`, found `repliated`", "may be left out"],
    ),
];

const GRID: &str = r#"["x"=2, "y"=2]"#;

#[test]
fn of_meshes_and_shardings() {
    for (mesh, sharding, [code, operation, reason, hint]) in SHARDINGS {
        let argument =
            format!("%x: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}");
        let body = format!(
            "sdy.mesh @mesh = <{mesh}>\nfunc.func public @main({argument}) -> tensor<8x4xf32> {{\n  return %x : tensor<8x4xf32>\n}}"
        );
        is_told(&module(1, 4, &body), code, operation, reason, hint);
    }
}

/// Bodies per device: the operand, its part, its sharding, the manual axes; reason and hint.
const BODIES: &[(&str, &str, &str, &str, [&str; 2])] = &[
    (
        "7x4",
        "3x4",
        r#"[{"x"}, {}]"#,
        r#""x""#,
        ["divide by 2 for operand 0, found 7", "pad the array"],
    ),
    ("8x4", "8x4", r#"[{"x"}, {}]"#, r#""x""#, ["to be `tensor<4x4xf32>`", "divided by the sizes"]),
    ("8x4", "4x4", r#"[{"x"}, {}]"#, r#""z""#, ["found \"z\"", "that the shardings name"]),
    ("8x4", "4x4", r#"[{"x"}, {}]"#, r#""x", "x""#, ["found \"x\" twice", "list each axis once"]),
    (
        "8x4",
        "4x4",
        r#"[{"y", "x"}, {}]"#,
        r#""x""#,
        ["manual axes before free ones", "first in each dimension"],
    ),
];

#[test]
fn of_bodies_for_each_device() {
    for (whole, part, sharding, axes, [reason, hint]) in BODIES {
        let (whole, part) = (format!("tensor<{whole}xf32>"), format!("tensor<{part}xf32>"));
        let body = format!(
            "sdy.mesh @mesh = <{GRID}>
func.func public @main(%x: {whole}) -> {whole} {{
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, {sharding}>] out_shardings=[<@mesh, {sharding}>] manual_axes={{{axes}}} (%a: {part}) {{
    %1 = stablehlo.add %a, %a : {part}
    sdy.return %1 : {part}
  }} : ({whole}) -> {whole}
  return %0 : {whole}
}}"
        );
        is_told(&module(1, 4, &body), "S1005", "sdy.manual_computation", reason, hint);
    }
}

/// Exchanges of 4x4 between four replicas: the operation, its attributes, its result; code, reason, hint.
const EXCHANGES: &[(&str, &str, &str, [&str; 3])] = &[
    (
        "all_gather",
        "all_gather_dim = 0, [[0, 1], [1, 2]]",
        "8x4",
        ["S1005", "found 1 twice", "in one of them"],
    ),
    (
        "all_gather",
        "all_gather_dim = 0, [[0, 1], [2, 4]]",
        "8x4",
        ["S1005", "ids 0 to 3, found 4", "each once"],
    ),
    (
        "all_gather",
        "all_gather_dim = 0, [[0, 1], [2, -1]]",
        "8x4",
        ["S1005", "at least 0, found -1", "-1"],
    ),
    (
        "all_gather",
        "all_gather_dim = 0, [[0, 1, 2, 3]]",
        "15x4",
        ["S1005", "multiple of 4, found 15", "together"],
    ),
    (
        "all_gather",
        "all_gather_dim = 0, [[0, 1, 2, 3]]",
        "16x5",
        ["S1005", "dimension 1, found 5", "only the dimension"],
    ),
    (
        "all_gather",
        "all_gather_dim = 0, [[0, 1, 2, 3]]",
        "8x4",
        ["S1107", "not the whole of 8", "mhlo.num_replicas"],
    ),
    (
        "all_to_all",
        "split_dimension = 0, concat_dimension = 1, split_count = 2, [[0, 1, 2, 3]]",
        "2x8",
        ["S1005", "of 2 ids each, found 4", "number of members"],
    ),
    (
        "all_to_all",
        "split_dimension = 0, concat_dimension = 1, split_count = 0, [[0, 1, 2, 3]]",
        "2x8",
        ["S1005", "`split_count` has an invalid value", "at least 1"],
    ),
    (
        "all_to_all",
        "split_dimension = 0, concat_dimension = 1, split_count = 3, [[0, 1, 2]]",
        "1x12",
        ["S1005", "divisible by split_count 3, found 4", "pad the array"],
    ),
    ("collective_broadcast", "[[0, 0]]", "4x4", ["S1005", "found 0 twice", "in one of them"]),
    (
        "collective_broadcast",
        "[[0, 9]]",
        "4x4",
        ["S1107", "it names replica 9", "mhlo.num_replicas"],
    ),
    (
        "collective_permute",
        "[[0, 1], [0, 2]]",
        "4x4",
        ["S1005", "found 0 twice", "collective_broadcast"],
    ),
    (
        "collective_permute",
        "[[0, 1], [2, 1]]",
        "4x4",
        ["S1005", "found 1 twice", "receives from one"],
    ),
    (
        "collective_permute",
        "[[0, -1]]",
        "4x4",
        ["S1005", "at least 0, found -1", "leave out the pairs"],
    ),
    (
        "collective_permute",
        "[[0, 1, 2]]",
        "4x4",
        ["S1005", "of shape [N, 2]", "the one that receives"],
    ),
    ("collective_permute", "[[0, 4]]", "4x4", ["S1107", "it names replica 4", "mhlo.num_replicas"]),
];

#[test]
fn of_groups() {
    for (operation, attributes, result, [code, reason, hint]) in EXCHANGES {
        let (dimensions, table) = attributes.split_at(attributes.find('[').expect("a table"));
        let dimensions = dimensions.replace(", ", " : i64, ");
        let rows = table.matches('[').count() - 1;
        let members = (table.matches(',').count() + 1) / rows;
        let name = match *operation {
            "collective_permute" => "source_target_pairs",
            _ => "replica_groups",
        };
        let body = format!(
            "func.func public @main(%x: tensor<4x4xf32>) -> tensor<{result}xf32> {{
  %0 = \"stablehlo.{operation}\"(%x) {{{dimensions}{name} = dense<{table}> : tensor<{rows}x{members}xi64>}} : (tensor<4x4xf32>) -> tensor<{result}xf32>
  return %0 : tensor<{result}xf32>
}}"
        );
        is_told(&module(4, 1, &body), code, &format!("stablehlo.{operation}"), reason, hint);
    }
}

/// A table that is none, and a channel that is none.
#[test]
fn of_attributes() {
    for (attributes, hint) in [
        ("replica_groups = dense<[0, 1]> : tensor<2xi64>", "rows of 64-bit integers"),
        ("replica_groups = dense<[[0.0, 1.0]]> : tensor<1x2xf32>", "rows of 64-bit integers"),
        (
            "channel_handle = 3 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
            "#stablehlo.channel_handle",
        ),
    ] {
        let body = format!(
            "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = \"stablehlo.collective_broadcast\"(%x) {{{attributes}}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}"
        );
        let operation = "stablehlo.collective_broadcast";
        is_told(&module(2, 1, &body), "S1005", operation, "has an invalid value", hint);
    }
}
