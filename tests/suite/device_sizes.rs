//! Reductions between devices of one process, of all the sizes for which they are computed in another way; sizes that are known at calls only.

use std::{fs, sync::Arc};

use rstest::rstest;
use strata::{Artifact, Compiler};
use strata_run::{Loaded, call_on_devices};
use strata_threads::devices::Devices;

use crate::{
    arrays::npy,
    command::strata,
    devices::{C, by_the_header, module},
    harness::options,
};

/// What keeps the order of the members apart: `a / 2 + b`, exactly.
const REGION: &str = r#"({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %h = stablehlo.multiply %a, %half : tensor<f32>
    %s = stablehlo.add %h, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })"#;

/// A sum of `count` elements for each of the members, and one of as many of which each gets its part.
fn program(members: usize, count: usize) -> Artifact {
    let ids: Vec<_> = (0..members).map(|id| id.to_string()).collect();
    let groups =
        format!("replica_groups = dense<[[{}]]> : tensor<1x{members}xi64>", ids.join(", "));
    let all = members * count;
    let text = module(
        members,
        1,
        &format!(
            "func.func public @main(%x: tensor<{count}xf32>, %y: tensor<{all}xf32>) -> (tensor<{count}xf32>, tensor<{count}xf32>) {{\n  \
             %0 = \"stablehlo.all_reduce\"(%x) {REGION} {{{groups}}} : (tensor<{count}xf32>) -> tensor<{count}xf32>\n  \
             %1 = \"stablehlo.reduce_scatter\"(%y) {REGION} {{{groups}, scatter_dimension = 0 : i64}} : (tensor<{all}xf32>) -> tensor<{count}xf32>\n  \
             return %0, %1 : tensor<{count}xf32>, tensor<{count}xf32>\n}}"
        ),
    );
    let artifact = Compiler::new(options("x86-64")).compile("test.mlir", text.as_bytes());
    artifact.unwrap_or_else(|errors| panic!("{errors}"))
}

/// `x` of all members, the parts of `y` that are for each, and `x` of the member before and of the first one.
fn copies(members: usize, count: usize) -> Artifact {
    let ids: Vec<_> = (0..members).map(|id| id.to_string()).collect();
    let groups =
        format!("replica_groups = dense<[[{}]]> : tensor<1x{members}xi64>", ids.join(", "));
    let pairs: Vec<_> = (1..members).map(|to| format!("[{}, {to}]", to - 1)).collect();
    let (all, pairs, most) = (members * count, pairs.join(", "), members - 1);
    let (one, whole) = (format!("tensor<{count}xf32>"), format!("tensor<{all}xf32>"));
    let body = format!(
        "func.func public @main(%x: {one}, %y: {whole}) -> ({whole}, {whole}, {one}, {one}) {{\n  \
         %0 = \"stablehlo.all_gather\"(%x) {{{groups}, all_gather_dim = 0 : i64}} : ({one}) -> {whole}\n  \
         %1 = \"stablehlo.all_to_all\"(%y) {{{groups}, split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = {members} : i64}} : ({whole}) -> {whole}\n  \
         %2 = \"stablehlo.collective_permute\"(%x) {{source_target_pairs = dense<[{pairs}]> : tensor<{most}x2xi64>}} : ({one}) -> {one}\n  \
         %3 = \"stablehlo.collective_broadcast\"(%x) {{{groups}}} : ({one}) -> {one}\n  \
         return %0, %1, %2, %3 : {whole}, {whole}, {one}, {one}\n}}"
    );
    let text = module(members, 1, &body);
    let artifact = Compiler::new(options("x86-64")).compile("test.mlir", text.as_bytes());
    artifact.unwrap_or_else(|errors| panic!("{errors}"))
}

/// Element `at` of a member's inputs: small integers, whose halves are exact.
fn element(member: usize, at: usize) -> f32 {
    ((at * 7 + member * 1301) % 4093) as f32
}

fn input(member: usize, count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| element(member, at).to_le_bytes()).collect()
}

/// The elements of all members, combined in their order.
fn combined(members: usize, at: usize) -> f32 {
    (1..members).fold(element(0, at), |sum, member| sum / 2.0 + element(member, at))
}

fn output(members: usize, first: usize, count: usize) -> Vec<u8> {
    (first..first + count).flat_map(|at| combined(members, at).to_le_bytes()).collect()
}

/// Calls the program on all devices with `in.bin`, and writes their outputs.
const CALLER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include "test.h"
#include "strata/devices.h"

static const void *inputs[3][2];
static void *outputs[3][4];
static void *workspaces[3];

static int32_t body(void *argument, int64_t device, const strata_executor *executor) {
  (void)argument;
  return test_main(inputs[device], outputs[device], workspaces[device], executor);
}

int main(void) {
  FILE *in = fopen("in.bin", "rb"), *out = fopen("out.bin", "wb");
  strata_devices *devices = strata_devices_create(TEST_MAIN_REPLICAS, 1, 60);
  for (int device = 0; device < TEST_MAIN_REPLICAS; device++) {
    for (int index = 0; index < 2; index++) {
      size_t size = 4 * (size_t)test_main_signature.inputs[index].dimensions[0];
      void *data = malloc(size);
      if (fread(data, 1, size, in) != size) return 1;
      inputs[device][index] = data;
    }
    for (int index = 0; index < test_main_signature.output_count; index++)
      outputs[device][index] = malloc(4 * (size_t)test_main_signature.outputs[index].dimensions[0]);
    workspaces[device] = aligned_alloc(64, (test_main_workspace_size() + 127) / 64 * 64);
  }
  if (strata_devices_run(devices, body, NULL) != STRATA_OK) return 2;
  for (int device = 0; device < TEST_MAIN_REPLICAS; device++)
    for (int index = 0; index < test_main_signature.output_count; index++)
      fwrite(outputs[device][index], 4, (size_t)test_main_signature.outputs[index].dimensions[0], out);
  fclose(out);
  strata_devices_destroy(devices);
  return 0;
}
"#;

/// Sums of up to 1 MiB of the others' are computed by all members, larger ones in shares; results from 8 MiB on bypass the caches.
#[rstest]
#[case::one(1)]
#[case::few(1025)]
#[case::the_last_whole_one_of_two(262_144)]
#[case::the_first_in_shares(262_145)]
#[case::past_the_caches((8 << 20) / 4 + 3)]
fn reductions_of_all_sizes_keep_the_order(#[case] count: usize) {
    for members in [2, 3] {
        check(&program(members, count), members, count, |member| {
            vec![output(members, 0, count), output(members, member * count, count)]
        });
    }
}

/// Copies to outputs of 8 MiB and more bypass the caches.
#[rstest]
#[case::one(1)]
#[case::few(1025)]
#[case::all_members_past_the_caches((4 << 20) / 4 + 3)]
#[case::past_the_caches((8 << 20) / 4 + 3)]
fn copies_of_all_sizes_are_whole(#[case] count: usize) {
    for members in [2, 3] {
        check(&copies(members, count), members, count, |member| {
            let parts = (0..members).map(|from| input(from, members * count));
            let parts = parts.map(|part| part[4 * member * count..][..4 * count].to_vec());
            let before = match member {
                0 => vec![0; 4 * count],
                _ => input(member - 1, count),
            };
            let all = (0..members).flat_map(|from| input(from, count)).collect();
            vec![all, parts.collect::<Vec<_>>().concat(), before, input(0, count)]
        });
    }
}

/// Both kinds of devices give the outputs that are expected of each.
fn check(
    artifact: &Artifact,
    members: usize,
    count: usize,
    expected: impl Fn(usize) -> Vec<Vec<u8>>,
) {
    let signature = artifact.signature().expect("a signature");
    let program = Loaded::new(artifact.bytes(), &options("x86-64"), signature).expect("it links");
    let inputs: Vec<_> = (0..members)
        .map(|member| vec![input(member, count), input(member, members * count)])
        .collect();
    let expected: Vec<_> = (0..members).map(expected).collect();
    let calls: Vec<_> = inputs.iter().map(|one| (&program, &one[..])).collect();
    let found = call_on_devices(&Arc::new(Devices::new(members, 1)), &calls, &|_| None);
    assert!(found.expect("all run") == expected, "{members} members");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.bin"), inputs.concat().concat()).expect("written");
    by_the_header(C, folder.path(), artifact, CALLER);
    let found = fs::read(folder.path().join("out.bin")).expect("written");
    assert!(found == expected.concat().concat(), "{members} members, by the header");
}

/// Where sizes are known once the program is called, those of results follow: along other dimensions, and along those that are joined or
/// split.
#[rstest]
#[case::joined("all_gather_dim = 1 : i64", "all_gather", "", "tensor<?x8xf32>", ["0", "6"])]
#[case::joined_along("all_gather_dim = 0 : i64", "all_gather", "", "tensor<?x4xf32>", ["2", "6"])]
#[case::split("scatter_dimension = 1 : i64", "reduce_scatter", REGION, "tensor<?x2xf32>", ["0", "6"])]
#[case::split_along("scatter_dimension = 0 : i64", "reduce_scatter", REGION, "tensor<?x4xf32>", ["2", "6"])]
fn sizes_of_results_follow(
    #[case] dimension: &str,
    #[case] operation: &str,
    #[case] region: &str,
    #[case] result: &str,
    #[case] sizes: [&str; 2],
) {
    let folder = tempfile::tempdir().expect("a folder");
    let groups = "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>";
    let text = format!(
        "func.func public @main(%x: tensor<?x4xf32>) -> {result} {{\n  \
         %0 = \"stablehlo.{operation}\"(%x) {region} {{{dimension}, {groups}}} : (tensor<?x4xf32>) -> {result}\n  \
         return %0 : {result}\n}}"
    );
    fs::write(folder.path().join("p.mlir"), module(2, 1, &text)).expect("written");
    for rows in sizes {
        let size = format!("input0.0={rows}");
        strata(folder.path(), &["verify", "p.mlir", "--bind", &size, "--rounds", "2"]).succeeded();
    }
}

/// A part of a size that the members do not divide is none.
#[test]
fn sizes_that_members_do_not_divide_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {{\n  \
         %0 = \"stablehlo.reduce_scatter\"(%x) {REGION} {{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<?xf32>) -> tensor<?xf32>\n  \
         return %0 : tensor<?xf32>\n}}"
    );
    fs::write(folder.path().join("p.mlir"), module(2, 1, &text)).expect("written");
    let refused =
        strata(folder.path(), &["compile", "p.mlir", "--bind", "input0.0=5", "-o", "p.o"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("reduce_scatter"), "{}", refused.stderr);
}

/// A body that is written for parts of as many rows as there are, which are passed to it as exporters do, and columns that are split or not.
fn of_parts(argument: &str, rows: &str, columns: &str) -> String {
    let sharding = format!("<@mesh, [{{{rows}}}, {{{columns}}}]>");
    let width = if columns.is_empty() { 6 } else { 3 };
    let divided = if rows.is_empty() { 1 } else { 2 };
    module(
        1,
        2,
        &format!(
            "sdy.mesh @mesh = <[\"x\"=2]>
             func.func public @main(%x: tensor<?x6xf32>{argument}) -> tensor<?x6xf32> {{
               %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
               %1 = func.call @parts(%0, %x) : (tensor<i32>, tensor<?x6xf32>) -> tensor<?x6xf32>
               return %1 : tensor<?x6xf32>
             }}
             func.func private @parts(%n: tensor<i32> {{jax.global_constant = \"b\"}}, %x: tensor<?x6xf32>) -> tensor<?x6xf32> {{
               %0 = sdy.manual_computation(%n, %x) in_shardings=[<@mesh, []>, {sharding}] out_shardings=[{sharding}] manual_axes={{\"x\"}} (%m: tensor<i32>, %p: tensor<?x{width}xf32>) {{
                 %parts = stablehlo.constant dense<{divided}> : tensor<i32>
                 %width = stablehlo.constant dense<{width}> : tensor<1xi32>
                 %more = stablehlo.constant dense<0.5> : tensor<f32>
                 %1 = stablehlo.divide %m, %parts : tensor<i32>
                 %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
                 %3 = stablehlo.concatenate %2, %width, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
                 %4 = stablehlo.dynamic_broadcast_in_dim %more, %3, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x{width}xf32>
                 %5 = \"stablehlo.collective_permute\"(%p) {{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}} : (tensor<?x{width}xf32>) -> tensor<?x{width}xf32>
                 %6 = stablehlo.add %5, %4 : tensor<?x{width}xf32>
                 sdy.return %6 : tensor<?x{width}xf32>
               }} : (tensor<i32>, tensor<?x6xf32>) -> tensor<?x6xf32>
               return %0 : tensor<?x6xf32>
             }}"
        ),
    )
}

/// Sizes of parts follow from those of the whole, and those of results from parts. Where none is given, the hint gives one that compiles.
#[rstest]
#[case::rows("", "\"x\"", "")]
#[case::columns("", "", "\"x\"")]
#[case::beside_shardings(" {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}", "\"x\"", "")]
fn parts_have_sizes_of_the_whole(
    #[case] argument: &str,
    #[case] rows: &str,
    #[case] columns: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), of_parts(argument, rows, columns)).expect("written");
    for size in ["0", "2", "10"] {
        let size = format!("b={size}");
        strata(folder.path(), &["verify", "p.mlir", "--bind", &size, "--rounds", "2"]).succeeded();
    }
    let compile = |more: &[&str]| {
        strata(folder.path(), &[&["compile", "p.mlir", "-o", "p.o"], more].concat())
    };
    let refused = compile(&[]);
    assert!(refused.code == 1 && refused.stderr.contains("S1101"), "{}", refused.stderr);
    let hint = refused.stderr.split_once("hint: `--bind b=").expect("a hint").1;
    let size = format!("b={}", hint.split('`').next().expect("a size"));
    compile(&["--bind", &size]).succeeded();
    let odd = compile(&["--bind", "b=5"]);
    match rows.is_empty() {
        true => assert_eq!(odd.code, 0, "{}", odd.stderr),
        false => {
            let said = &odd.stderr;
            assert!(odd.code == 1 && said.contains("S1106"), "{said}");
            assert!(
                said.contains("that the manual axes divide by 2") && said.contains("found 5"),
                "{said}"
            );
        }
    }
    let bytes: Vec<u8> = (0..24).flat_map(|at| (at as f32).to_le_bytes()).collect();
    fs::write(folder.path().join("x.npy"), npy("<f4", "(4, 6)", &bytes)).expect("written");
    for (command, output) in [("run", "run.npy"), ("eval", "eval.npy")] {
        let call = [command, "p.mlir", "--input", "x.npy", "--output", output];
        strata(folder.path(), &call).succeeded();
    }
    let [run, eval] =
        ["run.npy", "eval.npy"].map(|file| fs::read(folder.path().join(file)).expect("written"));
    // The last element is that of the other device.
    let last: f32 = if columns.is_empty() { 11.5 } else { 20.5 };
    assert!(run == eval && run.ends_with(&last.to_le_bytes()));
}
