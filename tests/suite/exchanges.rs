//! What programs after propagation have: exchanges between devices on whole values, sums that are not added yet, barriers and
//! computations with names.

use std::{fs, path::Path};

use rstest::rstest;

use crate::command::strata;

const HEAD: &str = "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n";

/// A program on 5 x 8 integers that are split along `x` and `y`.
fn program(body: &str, result: &str) -> String {
    format!(
        "{HEAD}func.func public @main(%a: tensor<5x8xi32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\"}}, {{\"y\"}}]>}}) -> \
         (tensor<5x8xi32> {{sdy.sharding = #sdy.sharding<@m, {result}>}}) {{\n{body}\nreturn %1 : tensor<5x8xi32>\n}}"
    )
}

/// The program of one device, once all devices have computed what the evaluator does.
fn split(folder: &Path, text: &str) -> String {
    fs::write(folder.join("p.mlir"), text).expect("written");
    strata(folder, &["verify", "p.mlir", "--rounds", "1"]).succeeded();
    strata(folder, &["compile", "p.mlir", "--to", "spmd", "-o", "spmd.mlir"]).succeeded();
    fs::read_to_string(folder.join("spmd.mlir")).expect("written")
}

#[rstest]
#[case::gathered(
    "%1 = sdy.all_gather [{\"x\"}, {}] %a out_sharding=<@m, [{}, {\"y\"}]>",
    "[{}, {\"y\"}]",
    "all_gather"
)]
#[case::moved(
    "%1 = sdy.all_to_all [{\"x\"}: 0->1] %a out_sharding=<@m, [{}, {\"y\", \"x\"}]>",
    "[{}, {\"y\", \"x\"}]",
    "all_to_all"
)]
#[case::permuted(
    "%1 = sdy.collective_permute %a out_sharding=<@m, [{\"y\"}, {\"x\"}]>",
    "[{\"y\"}, {\"x\"}]",
    "collective_permute"
)]
#[case::sliced(
    "%0 = sdy.all_gather [{\"x\"}, {\"y\"}] %a out_sharding=<@m, [{}, {}]> : tensor<5x8xi32>\n\
     %1 = sdy.all_slice [{}, {\"y\", \"x\"}] %0 out_sharding=<@m, [{}, {\"y\", \"x\"}]>",
    "[{}, {\"y\", \"x\"}]",
    "dynamic_slice"
)]
fn exchanges_of_whole_values_become_those_of_parts(
    #[case] body: &str,
    #[case] result: &str,
    #[case] exchange: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = split(folder.path(), &program(&format!("{body} : tensor<5x8xi32>"), result));
    assert!(parts.contains(&format!("stablehlo.{exchange}")), "{parts}");
    assert!(!parts.contains("sdy."), "{parts}");
}

/// Sums over devices are added once, whether the program says where or not.
#[rstest]
#[case(
    "%1 = sdy.all_reduce {\"y\"} %0 out_sharding=<@m, [{\"x\"}, {}]>",
    "[{\"x\"}, {}]",
    "all_reduce"
)]
#[case(
    "%1 = sdy.reduce_scatter [{}, {\"y\"}] %0 out_sharding=<@m, [{\"x\"}, {\"y\"}]>",
    "[{\"x\"}, {\"y\"}]",
    "all_reduce"
)]
#[case("%1 = sdy.reshard %0 <@m, [{\"x\"}, {}]>", "[{\"x\"}, {}]", "all_reduce")]
#[case("%1 = stablehlo.negate %0", "[{\"x\"}, {}]", "all_reduce")]
fn sums_that_are_not_added_are_added(
    #[case] then: &str,
    #[case] result: &str,
    #[case] exchange: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let body = format!(
        "%w = stablehlo.iota dim = 0 : tensor<8x8xi32>\n\
         %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] \
         {{sdy.sharding = #sdy.sharding_per_value<[<@m, [{{\"x\"}}, {{}}], unreduced={{\"y\"}}>]>}} \
         : (tensor<5x8xi32>, tensor<8x8xi32>) -> tensor<5x8xi32>\n{then} : tensor<5x8xi32>"
    );
    let parts = split(folder.path(), &program(&body, result));
    for name in ["all_reduce", "reduce_scatter"] {
        let count = parts.matches(&format!("\"stablehlo.{name}\"")).count();
        assert_eq!(count, usize::from(name == exchange), "{name}: {parts}");
    }
}

/// A value is its terms' sum, however devices have them.
#[test]
fn what_becomes_a_sum_is_the_value_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = "%0 = sdy.sharded_to_unreduced [{\"x\"}, {}] %a out_sharding=<@m, [{}, {\"y\"}], unreduced={\"x\"}> : tensor<5x8xi32>\n\
                %2 = sdy.all_reduce {\"x\"} %0 out_sharding=<@m, [{}, {\"y\"}]> : tensor<5x8xi32>\n\
                %3 = sdy.replicated_to_unreduced {\"x\"} %2 out_sharding=<@m, [{}, {\"y\"}], unreduced={\"x\"}> : tensor<5x8xi32>\n\
                %1 = sdy.all_reduce {\"x\"} %3 out_sharding=<@m, [{}, {\"y\"}]> : tensor<5x8xi32>";
    split(folder.path(), &program(body, "[{}, {\"y\"}]"));
}

/// Shardings pass a barrier in the direction that it allows.
#[rstest]
#[case("NONE", "[{}, {}]", "[{}, {\"x\"}]")]
#[case("FORWARD", "[{}, {}]", "[{\"y\"}, {\"x\"}]")]
#[case("BACKWARD", "[{}, {\"x\"}]", "[{}, {\"x\"}]")]
#[case("BOTH", "[{}, {\"x\"}]", "[{\"y\"}, {\"x\"}]")]
fn shardings_pass_barriers_in_their_direction(
    #[case] direction: &str,
    #[case] before: &str,
    #[case] after: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    // What is before the barrier is open, and gets `y` from before it only where that may go on.
    let forward = matches!(direction, "FORWARD" | "BOTH");
    let from = if forward { "[{\"y\"}, {?}]" } else { "[{?}, {?}]" };
    let text = format!(
        "{HEAD}func.func public @main(%a: tensor<4x8xi32> {{sdy.sharding = #sdy.sharding<@m, {from}>}}) -> tensor<4x8xi32> {{\n\
         %0 = stablehlo.negate %a : tensor<4x8xi32>\n\
         %1 = sdy.propagation_barrier %0 allowed_direction={direction} : tensor<4x8xi32>\n\
         %2 = sdy.sharding_constraint %1 <@m, [{{?}}, {{\"x\"}}]> : tensor<4x8xi32>\n\
         %3 = stablehlo.abs %2 : tensor<4x8xi32>\n\
         return %3 : tensor<4x8xi32>\n}}"
    );
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    let arguments = ["compile", "p.mlir", "--after", "input=propagate-shardings", "--to", "input"];
    strata(folder.path(), &[&arguments[..], &["-o", "out.mlir"]].concat()).succeeded();
    let told = fs::read_to_string(folder.path().join("out.mlir")).expect("written");
    let line = |name: &str| told.lines().find(|line| line.contains(name)).unwrap_or_default();
    let before = if forward { before.replacen("{}", "{\"y\"}", 1) } else { before.to_owned() };
    assert!(line("stablehlo.negate").contains(&before), "{told}");
    assert!(line("stablehlo.abs").contains(after), "{told}");
    strata(folder.path(), &["verify", "p.mlir", "--rounds", "1"]).succeeded();
}

/// A computation with a name is its body, with the shardings that it asks for.
#[test]
fn computations_with_names_are_their_bodies() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = "%1 = sdy.named_computation<\"f\">(%a) in_shardings=[<@m, [{}, {\"y\"}]>] out_shardings=[<@m, [{\"x\"}, {}]>] (%b: tensor<5x8xi32>) {\n\
                %2 = sdy.named_computation<\"g\">(%b) (%c: tensor<5x8xi32>) {\n\
                %3 = stablehlo.multiply %c, %c : tensor<5x8xi32>\n\
                sdy.return %3 : tensor<5x8xi32>\n} : (tensor<5x8xi32>) -> tensor<5x8xi32>\n\
                %4 = stablehlo.add %2, %b : tensor<5x8xi32>\n\
                sdy.return %4 : tensor<5x8xi32>\n} : (tensor<5x8xi32>) -> tensor<5x8xi32>";
    let parts = split(folder.path(), &program(body, "[{\"x\"}, {}]"));
    assert!(parts.contains("stablehlo.multiply"), "{parts}");
    // Without devices they are their bodies, too.
    let alone =
        body.replace(" in_shardings=[<@m, [{}, {\"y\"}]>] out_shardings=[<@m, [{\"x\"}, {}]>]", "");
    let text = format!(
        "func.func public @main(%a: tensor<5x8xi32>) -> tensor<5x8xi32> {{\n{alone}\nreturn %1 : tensor<5x8xi32>\n}}"
    );
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    strata(folder.path(), &["verify", "p.mlir", "--rounds", "1"]).succeeded();
}

/// Constants of dialect `sdy` are constants, each device with its part.
#[test]
fn constants_are_split() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "{HEAD}func.func public @main() -> (tensor<3x2xi32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\"}}, {{}}]>}}) {{\n\
         %0 = sdy.constant {{sdy.sharding = #sdy.sharding_per_value<[<@m, [{{\"x\"}}, {{}}]>]>}} dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>\n\
         return %0 : tensor<3x2xi32>\n}}"
    );
    let parts = split(folder.path(), &text);
    assert!(parts.contains("-> tensor<2x2xi32>") || parts.contains("tensor<2x2xi32>"), "{parts}");
}

/// A body on the parts of a mesh declares its devices where the module does not.
#[test]
fn bodies_of_devices_are_for_those_of_their_mesh() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "{HEAD}func.func public @main(%a: tensor<4x8xi32>) -> tensor<8x8xi32> {{\n\
         %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{{\"x\"}}, {{}}]>] out_shardings=[<@m, [{{\"x\"}}, {{}}]>] manual_axes={{\"x\", \"y\"}} (%b: tensor<2x8xi32>) {{\n\
         %1 = \"stablehlo.all_gather\"(%b) {{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, \
         channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}} : (tensor<2x8xi32>) -> tensor<4x8xi32>\n\
         sdy.return %1 : tensor<4x8xi32>\n}} : (tensor<4x8xi32>) -> tensor<8x8xi32>\n\
         return %0 : tensor<8x8xi32>\n}}"
    );
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    strata(folder.path(), &["verify", "p.mlir", "--rounds", "1"]).succeeded();
}

/// More devices than one process runs are refused before any is started.
#[test]
fn more_devices_than_threads_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "sdy.mesh @m = <[\"x\"=2048]>\n\
                func.func public @main(%a: tensor<2048xi8> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> tensor<2048xi8> {\n\
                %0 = stablehlo.negate %a : tensor<2048xi8>\nreturn %0 : tensor<2048xi8>\n}";
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    strata(folder.path(), &["compile", "p.mlir", "--to", "spmd", "-o", "spmd.mlir"]).succeeded();
    let input = crate::arrays::npy("|i1", "(2048,)", &[1; 2048]);
    fs::write(folder.path().join("x.npy"), input).expect("written");
    for arguments in [
        &["run", "p.mlir", "--input", "x.npy"][..],
        &["verify", "p.mlir"],
        &["eval", "--from", "spmd", "spmd.mlir", "--input", "x.npy"],
    ] {
        let refused = strata(folder.path(), arguments);
        assert!(refused.stderr.contains("S1107"), "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("runs at most 1024"), "{}", refused.stderr);
    }
}
