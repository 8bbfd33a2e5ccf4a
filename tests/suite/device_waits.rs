//! Devices of one process that wait for each other, and those to which nothing is sent.

use std::{fs, sync::Arc, time::Duration};

use strata_abi::DIFFERENT_PROGRAMS;
use strata_threads::devices::Devices;

use crate::{
    arrays::npy,
    command::strata,
    devices::{C, by_the_header, call_on, compiled, floats, loaded, module},
};

/// Device 0 comes to a sum, device 1 to a permute, and device 2 to neither.
fn other_exchanges() -> String {
    module(
        1,
        3,
        r#"func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %which = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %0 = "stablehlo.case"(%which) ({
    %1 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %1 : tensor<3xf32>
  }, {
    %1 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %1 : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"#,
    )
}

/// Each device receives from the next one before it sends.
fn circle() -> String {
    let pairs = "source_target_pairs = dense<[[0, 2], [2, 1], [1, 0]]> : tensor<3x2xi64>, is_host_transfer = false, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    module(
        3,
        1,
        &format!(
            r#"func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) {{{pairs}}} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  %1 = "stablehlo.send"(%x, %0#1) {{{pairs}}} : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %0#0 : tensor<3xf32>
}}"#
        ),
    )
}

/// Calls the program on three devices, with the time limit that is asked for; prints what happened.
const CALLER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include "test.h"
#include "strata/devices.h"

static float input[3] = {1, 2, 3}, outputs[3][3];
static void *workspaces[3];

static int32_t body(void *argument, int64_t device, const strata_executor *executor) {
  const void *inputs[] = {input};
  void *results[] = {outputs[device]};
  (void)argument;
  return test_main(inputs, results, workspaces[device], executor);
}

int main(void) {
  strata_devices *devices = strata_devices_create(TEST_MAIN_REPLICAS, TEST_MAIN_PARTITIONS, 600);
  for (int device = 0; device < 3; device++) workspaces[device] = aligned_alloc(64, (test_main_workspace_size() + 127) / 64 * 64);
  int32_t status = strata_devices_run(devices, body, NULL);
  printf("%d: %s\n", status, strata_devices_reason(devices));
  strata_devices_destroy(devices);
  return 0;
}
"#;

/// With ten minutes of time they end at once, by the status of different programs and not of a time limit.
#[test]
fn devices_that_wait_for_each_other_are_told() {
    let header = |text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        by_the_header(C, folder.path(), &compiled(text, "x86-64"), CALLER)
    };
    let both = [
        (other_exchanges(), (1, 3), ["all_reduce", "collective_permute"]),
        (circle(), (3, 1), ["device 2 in recv", "device 1 in recv"]),
    ];
    for (text, (replicas, partitions), operations) in both {
        let program = loaded(&compiled(&text, "x86-64"), "x86-64");
        let devices = Devices::new(replicas, partitions).with_time_limit(Duration::from_secs(600));
        let devices = Arc::new(devices);
        let statuses = devices.run(|device| call_on(&program, &[1.0, 2.0, 3.0], device).0);
        assert!(statuses.contains(&DIFFERENT_PROGRAMS), "{statuses:?}");
        let failure = devices.failure().expect("a reason");
        assert_eq!(failure.status, DIFFERENT_PROGRAMS);
        let reason = failure.reason;
        assert!(operations.iter().all(|one| reason.contains(one)), "{reason}");
        assert!(reason.ends_with("wait for each other"), "{reason}");

        let said = header(&text);
        assert!(said.starts_with("15: device "), "{said}");
        assert!(said.ends_with("and this one wait for each other\n"), "{said}");
    }
    let said = header(&other_exchanges());
    assert!(said.contains("all_reduce") && said.contains("collective_permute"), "{said}");
}

/// A device to which no pair leads receives zeros, compiled and evaluated; the command says what to do where devices do not meet.
#[test]
fn commands_agree_on_what_is_not_sent() {
    let pairs = "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, is_host_transfer = false, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    let text = module(
        3,
        1,
        &format!(
            r#"func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %t = stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.send"(%x, %t) {{{pairs}}} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %0:2 = "stablehlo.recv"(%1) {{{pairs}}} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}}"#
        ),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("recv.mlir"), text).expect("written");
    let input = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    fs::write(at("x.npy"), npy("<f4", "(3, 2)", &input)).expect("written");
    for command in ["run", "eval"] {
        let arguments =
            [command, "recv.mlir", "--input", "x.npy", "--per-device", "--output-dir", command];
        strata(folder.path(), &arguments).succeeded();
        let bytes = fs::read(at(&format!("{command}/output0.npy"))).expect("written");
        assert!(bytes.ends_with(&floats(&[0.0, 0.0, 1.0, 2.0, 0.0, 0.0])), "{command}");
    }
    strata(folder.path(), &["verify", "recv.mlir", "--rounds", "2"]).succeeded();

    fs::write(at("circle.mlir"), circle()).expect("written");
    fs::write(at("nine.npy"), npy("<f4", "(3, 3)", &floats(&[1.0; 9]))).expect("written");
    let arguments = ["run", "circle.mlir", "--input", "nine.npy", "--per-device"];
    let failed = strata(folder.path(), &arguments).stderr;
    assert!(failed.contains("S1805") && failed.contains("in the same order"), "{failed}");
    assert!(failed.contains("--> circle.mlir:4:") && failed.contains("stablehlo.recv"), "{failed}");

    fs::write(at("other.mlir"), other_exchanges()).expect("written");
    let arguments = ["run", "other.mlir", "--input", "nine.npy", "--per-device"];
    let failed = strata(folder.path(), &arguments).stderr;
    let (sum, permute) = ("--> other.mlir:6:", "or in this `collective_permute`");
    assert!(failed.contains(sum) && failed.contains(permute), "{failed}");
}
