//! Programs of several processes: collectives, channels, and what happens when a process does not come.

use strata_diag::{Diagnostic, codes};
use strata_eval::evaluate;
use strata_ir::{new_context, parse};

/// Runs `function` (a function `@p`) in a grid; `programs` is the grid, `checks` compares `%r`.
fn run(
    function: &str,
    programs: &str,
    inputs: &str,
    results: &str,
    checks: &str,
) -> Result<(), Diagnostic> {
    let text = format!(
        "{function}
        func.func @main() {{
          %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
          %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
          %t = stablehlo.create_token : !stablehlo.token
          %r:{count} = \"interpreter.run_parallel\"({inputs}) {{programs = {programs}}} : {results}
          {checks}
          return
        }}",
        count = results.split_once("->").map_or(0, |(_, types)| types.matches("tensor").count()
            + types.matches("token").count()),
    );
    let context = new_context();
    let module = parse(&context, "case.mlir", text.as_bytes())
        .unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    evaluate(&module, None, &[]).map(|_| ())
}

/// Two processes with `%a` and `%b`, one result of `ty` each.
fn two(operation: &str, ty: &str, programs: &str, checks: &str) {
    let function = format!(
        "func.func private @p(%x: tensor<2xi32>) -> {ty} {{ {operation} return %y : {ty} }}"
    );
    let results = format!("(tensor<2xi32>, tensor<2xi32>) -> ({ty}, {ty})");
    if let Err(error) = run(&function, programs, "%a, %b", &results, checks) {
        panic!("{operation}: {}", error.render());
    }
}

const REPLICAS: &str = "[[@p], [@p]]";
const PARTITIONS: &str = "[[@p, @p]]";
const ADD: &str = "({ ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32> })";

#[test]
fn gathering_and_reducing() {
    two(
        "%y = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>",
        "tensor<4xi32>",
        REPLICAS,
        "check.expect_eq_const %r#0, dense<[3, 4, 1, 2]> : tensor<4xi32>",
    );
    two(
        &format!(
            "%y = \"stablehlo.all_reduce\"(%x) {ADD} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<2xi32>) -> tensor<2xi32>"
        ),
        "tensor<2xi32>",
        REPLICAS,
        "check.expect_eq_const %r#1, dense<[4, 6]> : tensor<2xi32>",
    );
    two(
        &format!(
            "%y = \"stablehlo.reduce_scatter\"(%x) {ADD} {{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<2xi32>) -> tensor<1xi32>"
        ),
        "tensor<1xi32>",
        REPLICAS,
        "check.expect_eq_const %r#0, dense<4> : tensor<1xi32>
         check.expect_eq_const %r#1, dense<6> : tensor<1xi32>",
    );
    // The groups are of global numbers.
    two(
        &format!(
            "%y = \"stablehlo.all_reduce\"(%x) {ADD} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}} : (tensor<2xi32>) -> tensor<2xi32>"
        ),
        "tensor<2xi32>",
        PARTITIONS,
        "check.expect_eq_const %r#1, dense<[4, 6]> : tensor<2xi32>",
    );
    // The groups are of replicas, of which there is one.
    two(
        &format!(
            "%y = \"stablehlo.all_reduce\"(%x) {ADD} {{replica_groups = dense<[[0]]> : tensor<1x1xi64>}} : (tensor<2xi32>) -> tensor<2xi32>"
        ),
        "tensor<2xi32>",
        PARTITIONS,
        "check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>
         check.expect_eq_const %r#1, dense<[3, 4]> : tensor<2xi32>",
    );
}

#[test]
fn exchanging() {
    two(
        "%y = \"stablehlo.all_to_all\"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>",
        "tensor<2xi32>",
        REPLICAS,
        "check.expect_eq_const %r#0, dense<[1, 3]> : tensor<2xi32>
         check.expect_eq_const %r#1, dense<[2, 4]> : tensor<2xi32>",
    );
    two(
        "%y = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>",
        "tensor<2xi32>",
        REPLICAS,
        "check.expect_eq_const %r#0, dense<0> : tensor<2xi32>
         check.expect_eq_const %r#1, dense<[1, 2]> : tensor<2xi32>",
    );
    two(
        "%y = \"stablehlo.collective_broadcast\"(%x) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>",
        "tensor<2xi32>",
        REPLICAS,
        "check.expect_eq_const %r#0, dense<[3, 4]> : tensor<2xi32>",
    );
    // Meetings of the same processes follow each other.
    two(
        "%0 = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
         %y = \"stablehlo.collective_permute\"(%0) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>",
        "tensor<2xi32>",
        REPLICAS,
        "check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>",
    );
}

#[test]
fn mesh_axes_name_groups() {
    two(
        &format!(
            "%y = \"stablehlo.all_reduce\"(%x) {ADD} {{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = \"x\", size = 2>]>, axes = [#stablehlo.axis_ref<name = \"x\">]>}} : (tensor<2xi32>) -> tensor<2xi32>"
        ),
        "tensor<2xi32>",
        REPLICAS,
        "check.expect_eq_const %r#1, dense<[4, 6]> : tensor<2xi32>",
    );
}

const SENDER: &str = "func.func private @s(%x: tensor<2xi32>, %t: !stablehlo.token) -> !stablehlo.token {
    %u = \"stablehlo.send\"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    return %u : !stablehlo.token
  }";
const RECEIVER: &str = "func.func private @q(%t: !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token) {
    %y:2 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    return %y#0, %y#1 : tensor<2xi32>, !stablehlo.token
  }";

#[test]
fn messages_arrive() {
    let sent = run(
        &format!("{SENDER}\n{RECEIVER}"),
        "[[@q], [@s]]",
        "%t, %a, %t",
        "(!stablehlo.token, tensor<2xi32>, !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token, !stablehlo.token)",
        "check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi32>",
    );
    assert!(sent.is_ok(), "{sent:?}");
}

#[test]
fn waiting_without_a_sender_is_an_error() {
    let alone = run(
        RECEIVER,
        "[[@q], [@q]]",
        "%t, %t",
        "(!stablehlo.token, !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token)",
        "",
    );
    let error = alone.expect_err("no process sends");
    assert_eq!((error.code(), error.operation_name()), (codes::S1912, Some("stablehlo.recv")));
}

#[test]
fn one_failure_ends_all_and_is_the_one_reported() {
    let failing = "func.func private @f(%t: !stablehlo.token) -> !stablehlo.token {
        %x = stablehlo.constant dense<1> : tensor<i32>
        check.expect_eq_const %x, dense<2> : tensor<i32>
        return %t : !stablehlo.token
      }";
    let run = run(
        &format!("{RECEIVER}\n{failing}"),
        "[[@q], [@f]]",
        "%t, %t",
        "(!stablehlo.token, !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token, !stablehlo.token)",
        "",
    );
    assert_eq!(run.expect_err("a check fails").code(), codes::S1913);
}
