//! Programs for several devices: on threads of this process, and what ends them.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use strata::{Artifact, Compiler, Stage};
use strata_abi::{
    DEVICE_FAILED, DIFFERENT_PROGRAMS, Executor, Host, NO_COLLECTIVES, TIMED_OUT, WRONG_DEVICES,
};
use strata_eval::{Evaluator, Session};
use strata_run::{Loaded, call_on_devices};
use strata_threads::devices::{Device, Devices};

use crate::{
    arrays::npy,
    command::strata,
    harness::{cpus, options},
};

/// The module of a program for so many replicas and partitions.
pub(crate) fn module(replicas: usize, partitions: usize, body: &str) -> String {
    format!(
        "module attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} \
         {{\n{body}\n}}"
    )
}

/// A sum over all replicas.
pub(crate) const SUM: &str = r#"func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"#;

pub(crate) fn compiled(text: &str, cpu: &str) -> Artifact {
    let artifact = Compiler::new(options(cpu)).compile("devices.mlir", text.as_bytes());
    artifact.unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

pub(crate) fn loaded(artifact: &Artifact, cpu: &str) -> Loaded {
    let signature = artifact.signature().expect("a signature");
    Loaded::new(artifact.bytes(), &options(cpu), signature).expect("it links")
}

pub(crate) fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// What an entry gets and returns, called with an executor.
fn call(program: &Loaded, input: &[f32], executor: *const Executor) -> (i32, Vec<f32>) {
    let mut output = vec![-1.0_f32; input.len()];
    let mut workspace = vec![0_u128; program.workspace_size().div_ceil(16) + 4];
    let workspace = workspace.as_mut_ptr().cast::<u8>();
    let workspace = workspace.wrapping_add(workspace.align_offset(64));
    let (inputs, outputs) = ([input.as_ptr().cast()], [output.as_mut_ptr().cast()]);
    // SAFETY: the buffers have the sizes of the signature, and the executor outlives the call.
    let status = unsafe { program.call_raw(&inputs, &outputs, workspace.cast(), executor) };
    (status.expect("the right number of buffers"), output)
}

/// Calls the entry for a device.
pub(crate) fn call_on(program: &Loaded, input: &[f32], device: &Device) -> (i32, Vec<f32>) {
    let host = device.host();
    call(program, input, &Device::executor(&host))
}

#[test]
fn a_call_without_the_devices_writes_nothing() {
    for cpu in cpus() {
        let program = loaded(&compiled(&module(2, 1, SUM), cpu), cpu);
        let untouched = vec![-1.0; 3];
        let x = [1.0, 2.0, 3.0];
        assert_eq!(call(&program, &x, std::ptr::null()), (NO_COLLECTIVES, untouched.clone()));
        let device = Device::new(Arc::new(Devices::new(2, 1)), 0);
        let host = device.host();
        let alone = Executor { host: std::ptr::null(), ..Device::executor(&host) };
        assert_eq!(call(&program, &x, &alone), (NO_COLLECTIVES, untouched.clone()));
        // A host of an earlier version ends before the devices.
        let earlier = Host { size: 6 * size_of::<usize>(), ..host };
        let executor = Device::executor(&earlier);
        assert_eq!(call(&program, &x, &executor), (NO_COLLECTIVES, untouched.clone()));
        let mut lacking = *device.collectives();
        lacking.all_reduce = None;
        let partial = Host { collectives: &lacking, ..host };
        assert_eq!(call(&program, &x, &Device::executor(&partial)).0, NO_COLLECTIVES);
        for (replicas, partitions) in [(3, 1), (1, 2), (2, 2)] {
            let device = Device::new(Arc::new(Devices::new(replicas, partitions)), 0);
            let found = call_on(&program, &x, &device);
            assert_eq!(found, (WRONG_DEVICES, untouched.clone()), "{replicas}x{partitions}");
        }
    }
}

#[test]
fn a_device_that_does_not_come_ends_the_others_in_time() {
    let program = loaded(&compiled(&module(2, 1, SUM), "x86-64"), "x86-64");
    let limit = Duration::from_millis(200);
    let devices = Arc::new(Devices::new(2, 1).with_time_limit(limit));
    let (begun, is_late) = (Instant::now(), AtomicBool::new(false));
    let statuses = devices.run(|device| {
        if device.number() == 1 {
            // It is alive, and late.
            while begun.elapsed() < 3 * limit {
                std::thread::sleep(limit / 10);
            }
            is_late.store(true, Ordering::Relaxed);
        }
        call_on(&program, &[1.0, 2.0, 3.0], device).0
    });
    assert!(is_late.load(Ordering::Relaxed));
    assert_eq!(statuses, [TIMED_OUT, DEVICE_FAILED]);
    let failure = devices.failure().expect("a reason");
    assert_eq!((failure.device, failure.status), (0, TIMED_OUT));
    assert!(failure.reason.contains("all_reduce for device 1"), "{}", failure.reason);
}

#[test]
fn a_device_that_fails_or_ends_wakes_the_others_at_once() {
    let program = loaded(&compiled(&module(2, 1, SUM), "x86-64"), "x86-64");
    for (status, expected) in [(77, 77), (0, DEVICE_FAILED)] {
        let devices = Arc::new(Devices::new(2, 1));
        let begun = Instant::now();
        let statuses = devices.run(|device| match device.number() {
            0 => call_on(&program, &[1.0, 2.0, 3.0], device).0,
            _ => status,
        });
        assert!(begun.elapsed() < Duration::from_secs(60), "it waited for the time limit");
        assert_eq!(statuses, [DEVICE_FAILED, status]);
        assert_eq!(devices.failure().map(|failure| failure.status), Some(expected));
    }
    // A panic counts as a failure.
    let devices = Arc::new(Devices::new(2, 1));
    let statuses = devices.run(|device| match device.number() {
        0 => call_on(&program, &[1.0, 2.0, 3.0], device).0,
        _ => std::panic::resume_unwind(Box::new(())),
    });
    assert_eq!(statuses, [DEVICE_FAILED; 2]);
}

#[test]
fn two_threads_cannot_use_one_device() {
    let program = loaded(&compiled(&module(2, 1, SUM), "x86-64"), "x86-64");
    let devices = Arc::new(Devices::new(2, 1));
    let shared = Device::new(Arc::clone(&devices), 0);
    let call = || call_on(&program, &[1.0, 2.0, 3.0], &shared).0;
    let statuses = std::thread::scope(|scope| {
        let threads = [scope.spawn(call), scope.spawn(call)];
        threads.map(|thread| thread.join().expect("no panic"))
    });
    assert_eq!(statuses, [DEVICE_FAILED; 2]);
    let reason = devices.failure().expect("a reason").reason;
    assert_eq!(reason, "two threads use the executor of device 0 in all_reduce");
}

/// Operands are promoted before they are combined: the sum of two does not fit in their type.
#[test]
fn reductions_may_have_wider_results() {
    let wide = SUM.replace(
        "(tensor<3xf32>) -> tensor<3xf32>\n  return",
        "(tensor<3xf16>) -> tensor<3xf32>\n  return",
    );
    let wide = wide.replace("%x: tensor<3xf32>", "%x: tensor<3xf16>");
    let scatter = wide
        .replace("all_reduce", "reduce_scatter")
        .replace("{replica", "{scatter_dimension = 0 : i64, replica");
    let scatter = scatter.replace("3xf16", "6xf16");
    for (text, count) in [(wide, 3), (scatter, 6)] {
        let program = loaded(&compiled(&module(2, 1, &text), "x86-64"), "x86-64");
        // 60000 and 0.5, as bits of half floats.
        let halves = [0x7b53_u16, 0x3800, 0x7b53, 0x3800, 0x3800, 0x7b53];
        let x = [halves[..count].iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<u8>>()];
        let devices = Arc::new(Devices::new(2, 1));
        let found = call_on_devices(&devices, &[(&program, &x[..]), (&program, &x[..])], &|_| None);
        let found = found.expect("both run");
        let expected = match count {
            3 => [floats(&[120_000.0, 1.0, 120_000.0]), floats(&[120_000.0, 1.0, 120_000.0])],
            _ => [floats(&[120_000.0, 1.0, 120_000.0]), floats(&[1.0, 1.0, 120_000.0])],
        };
        assert_eq!(found.concat(), expected);
    }
}

#[test]
fn devices_with_other_programs_are_refused() {
    let sum = loaded(&compiled(&module(2, 1, SUM), "x86-64"), "x86-64");
    let product = SUM.replace("stablehlo.add", "stablehlo.multiply");
    let product = loaded(&compiled(&module(2, 1, &product), "x86-64"), "x86-64");
    let run = |programs: [&Loaded; 2]| {
        let devices = Arc::new(Devices::new(2, 1).with_time_limit(Duration::from_secs(20)));
        let x = [floats(&[1.0, 2.0, 3.0])];
        call_on_devices(&devices, &programs.map(|program| (program, &x[..])), &|_| None)
    };
    let outputs = run([&sum, &sum]).expect("the same program");
    assert_eq!(outputs, [[floats(&[2.0, 4.0, 6.0])], [floats(&[2.0, 4.0, 6.0])]]);
    // Code for another processor is the same program.
    let other = *cpus().last().expect("a processor");
    let also = loaded(&compiled(&module(2, 1, SUM), other), other);
    run([&sum, &also]).expect("the same program");
    let error = run([&sum, &product]).expect_err("two programs");
    let reason = error.reason_text().unwrap_or_default();
    assert!(reason.contains(&format!("status {DIFFERENT_PROGRAMS}")), "{reason}");
    assert!(reason.contains("of program"), "{reason}");
}

/// Each exchange with groups over both replicas and partitions, in a loop and a branch, on sizes with remainders.
pub(crate) const ALL: &str = r#"func.func public @main(%x: tensor<6x5xf32>, %n: tensor<i32>) -> (tensor<6x5xf32>, tensor<12x5xf32>, tensor<6x10xf32>, tensor<3x5xf32>, tensor<3x10xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<ui32>, tensor<ui32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %loop:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<6x5xf32>
    cond {
      %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %r = "stablehlo.all_reduce"(%sum) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %r : tensor<i32>, tensor<6x5xf32>
    }
  %g = "stablehlo.all_gather"(%loop#1) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<6x5xf32>) -> tensor<12x5xf32>
  %h = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids} : (tensor<6x5xf32>) -> tensor<6x10xf32>
  %s = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<6x5xf32>) -> tensor<3x5xf32>
  %t = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>} : (tensor<6x5xf32>) -> tensor<3x10xf32>
  %p = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  %is_many = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %b = "stablehlo.if"(%is_many) ({
    %c = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1]]> : tensor<1x1xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
    stablehlo.return %c : tensor<6x5xf32>
  }, {
    stablehlo.return %x : tensor<6x5xf32>
  }) : (tensor<i1>) -> tensor<6x5xf32>
  %replica = stablehlo.replica_id : tensor<ui32>
  %partition = stablehlo.partition_id : tensor<ui32>
  return %loop#1, %g, %h, %s, %t, %p, %b, %replica, %partition : tensor<6x5xf32>, tensor<12x5xf32>, tensor<6x10xf32>, tensor<3x5xf32>, tensor<3x10xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<ui32>, tensor<ui32>
}"#;

/// Inputs of [`ALL`] for four devices.
pub(crate) fn inputs_of_all(trips: i32) -> Vec<Vec<Vec<u8>>> {
    let of = |device| {
        let x = (0..30).map(|at| (device * 31 + at) as f32 * 0.37 - 17.0);
        vec![floats(&x.collect::<Vec<_>>()), trips.to_le_bytes().to_vec()]
    };
    (0..4).map(of).collect()
}

#[test]
fn results_are_those_of_the_evaluator_bit_by_bit() {
    let text = module(2, 2, ALL);
    let context = strata::new_context();
    let parsed = strata_ir::parse(&context, "devices.mlir", text.as_bytes()).expect("parses");
    let evaluator = Evaluator::new(&parsed).expect("can be evaluated");
    for trips in [0_i32, 1, 3] {
        let inputs = inputs_of_all(trips);
        let tensors: Vec<_> = inputs
            .iter()
            .map(|bytes| evaluator.tensors_of_bytes(None, bytes).expect("inputs fit"))
            .collect();
        let expected = evaluator.run_on_devices(None, (2, 2), &tensors, &Session::new(0));
        let expected = expected.expect("evaluates");
        for cpu in cpus() {
            let program = loaded(&compiled(&text, cpu), cpu);
            let calls: Vec<_> = inputs.iter().map(|one| (&program, &one[..])).collect();
            let devices = Arc::new(Devices::new(2, 2).with_time_limit(Duration::from_secs(60)));
            let found = call_on_devices(&devices, &calls, &|_| None).expect("all run");
            for (device, (found, expected)) in found.iter().zip(&expected).enumerate() {
                for (output, (found, expected)) in found.iter().zip(expected).enumerate() {
                    let place = format!("{cpu}, {trips} trips, device {device}, output {output}");
                    assert_eq!(found, expected.bytes(), "{place}");
                }
            }
        }
    }
}

/// A device that an exchange leaves out has the zero of the type, whose bits need not be zeros: the zero point of quantized numbers, and
/// `NaN` where there is no zero.
#[test]
fn devices_that_are_left_out_have_the_zero_of_the_type() {
    let pairs = "\"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[2, 1]]> : tensor<1x2xi64>}";
    let group = "\"stablehlo.collective_broadcast\"(%x) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}";
    let types: &[(&str, [u8; 3])] = &[
        ("tensor<3x!quant.uniform<i8:f32, 0.5:7>>", [7, 7, 7]),
        ("tensor<3x!quant.uniform<u8:f32, 1.5:131>>", [131, 131, 131]),
        ("tensor<3xf8E8M0FNU>", [0xff, 0xff, 0xff]),
        ("tensor<3xi8>", [0, 0, 0]),
    ];
    let values = [1_u8, 128, 3];
    for (ty, zero) in types {
        // Whom it reaches: device 1, and the root.
        for (exchange, reached) in [(pairs, &[1][..]), (group, &[1, 2])] {
            let text = module(
                3,
                1,
                &format!(
                    "func.func public @main(%x: {ty}) -> {ty} {{\n %0 = {exchange} : ({ty}) -> {ty}\n return %0 : {ty}\n}}"
                ),
            );
            let expected: Vec<_> = (0..3)
                .map(|device| {
                    vec![if reached.contains(&device) { values.to_vec() } else { zero.to_vec() }]
                })
                .collect();
            let context = strata::new_context();
            let parsed =
                strata_ir::parse(&context, "devices.mlir", text.as_bytes()).expect("parses");
            let evaluator = Evaluator::new(&parsed).expect("can be evaluated");
            let inputs: Vec<_> = (0..3)
                .map(|device| vec![if device == 2 { values.to_vec() } else { vec![5_u8; 3] }])
                .collect();
            let tensors: Vec<_> = inputs
                .iter()
                .map(|bytes| evaluator.tensors_of_bytes(None, bytes).expect("inputs fit"))
                .collect();
            let evaluated = evaluator.run_on_devices(None, (3, 1), &tensors, &Session::new(0));
            let evaluated: Vec<_> = evaluated
                .expect("evaluates")
                .iter()
                .map(|outputs| outputs.iter().map(|one| one.bytes().to_vec()).collect::<Vec<_>>())
                .collect();
            assert_eq!(evaluated, expected, "evaluated: {exchange} of {ty}");
            let program = loaded(&compiled(&text, "x86-64"), "x86-64");
            let calls: Vec<_> = inputs.iter().map(|one| (&program, &one[..])).collect();
            let devices = Arc::new(Devices::new(3, 1).with_time_limit(Duration::from_secs(60)));
            let found = call_on_devices(&devices, &calls, &|_| None).expect("all run");
            assert_eq!(found, expected, "compiled: {exchange} of {ty}");
        }
    }
}

/// What makes a group of an operation wrong, in programs for 3 replicas.
const WRONG_GROUPS: &[(&str, &str)] = &[
    ("[[0, 1]]> : tensor<1x2xi64>", "no group has replica 2"),
    ("[[0, 1], [2, 3]]> : tensor<2x2xi64>", "it names replica 3"),
    ("-1> : tensor<1x2xi64>", "no group has replica 0"),
];

#[test]
fn groups_of_other_devices_are_refused() {
    for (groups, reason) in WRONG_GROUPS {
        let text = SUM.replace("[[0, 1]]> : tensor<1x2xi64>", groups);
        let text = module(3, 1, &text);
        let errors = Compiler::new(options("x86-64")).compile("groups.mlir", text.as_bytes());
        let errors = errors.expect_err("refused");
        let error = errors.into_iter().next().expect("a reason");
        assert_eq!(error.code().id(), "S1107", "{error:?}");
        assert!(error.reason_text().unwrap_or_default().contains(reason), "{error:?}");
    }
}

/// What is not a number of devices is refused before anything is compiled for one device.
#[test]
fn modules_declare_a_number_of_devices() {
    let one = "replica_groups = dense<0> : tensor<1x1xi64>";
    let text = SUM.replace("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", one);
    let text = module(1, 1, &text);
    Compiler::new(options("x86-64")).compile("devices.mlir", text.as_bytes()).expect("compiles");
    for count in ["0 : i32", "-3 : i32", "\"two\"", "2097152 : i32"] {
        let text = text.replace("num_replicas = 1 : i32", &format!("num_replicas = {count}"));
        let errors = Compiler::new(options("x86-64")).compile("devices.mlir", text.as_bytes());
        let error = errors.expect_err("refused").into_iter().next().expect("a reason");
        assert_eq!(error.code().id(), "S1107", "{error:?}");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("devices.mlir"), &text).expect("written");
        let evaluated = strata(folder.path(), &["eval", "devices.mlir"]);
        assert!(evaluated.stderr.contains("S1107"), "{count}: {evaluated:?}");
    }
}

/// Sends an input to the other device.
const SENT: &str = r#"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.send"(%x, %0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.recv"(%1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %2#0 : tensor<2xf32>
}"#;

#[test]
fn what_only_sends_communicates() {
    let text = module(1, 2, SENT);
    let compiled = Compiler::new(options("x86-64")).compile("sent.mlir", text.as_bytes());
    assert_eq!(compiled.expect("compiles").warnings().render(), "");
}

/// Runs [`ALL`] on four devices many times, and then lets one of them fail, not come, and be used by two threads.
const CALLER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"
#include "strata/devices.h"

static const void *inputs[4][2];
static void *outputs[4][9];
static void *workspaces[4];

static size_t bytes(const strata_tensor *tensor) {
  size_t count = 4;
  for (int32_t dim = 0; dim < tensor->rank; dim++) count *= (size_t)tensor->dimensions[dim];
  return count;
}

/* Device 0 never does anything by itself: the thread of device 1 uses its executor. */
static int32_t as_device_0(void *all, int64_t device, const strata_executor *executor) {
  if (device == 0) {
    struct timespec while_others_wait = {0, 300000000};
    nanosleep(&while_others_wait, NULL);
  }
  return test_main(inputs[device], outputs[device], workspaces[device],
                   device == 0 ? executor : strata_devices_executor((const strata_devices *)all, 0));
}

static int32_t body(void *failing, int64_t device, const strata_executor *executor) {
  if (failing != NULL && device == 2) {
    struct timespec too_long = {2, 0};
    if (*(int *)failing == 1) return 77;
    nanosleep(&too_long, NULL);
  }
  return test_main(inputs[device], outputs[device], workspaces[device], executor);
}

int main(void) {
  FILE *in = fopen("in.bin", "rb"), *out = fopen("out.bin", "wb");
  strata_devices *devices = strata_devices_create(2, 2, 60);
  int failing = 1;
  if (strata_devices_create(0, 2, 1) || strata_devices_create(-1, 2, 1)) return 90;
  if (strata_devices_create((int64_t)1 << 62, 4, 1)) return 91;
  for (int device = 0; device < 4; device++) {
    for (int index = 0; index < 2; index++) {
      size_t size = bytes(&test_main_signature.inputs[index]);
      void *data = malloc(size);
      if (fread(data, 1, size, in) != size) return 1;
      inputs[device][index] = data;
    }
    for (int index = 0; index < 9; index++) outputs[device][index] = malloc(bytes(&test_main_signature.outputs[index]));
    workspaces[device] = aligned_alloc(64, (test_main_workspace_size() + 127) / 64 * 64);
  }
  for (int round = 0; round < 50; round++) {
    for (int device = 0; device < 4; device++)
      for (int index = 0; index < 9; index++) memset(outputs[device][index], round, bytes(&test_main_signature.outputs[index]));
    if (strata_devices_run(devices, body, NULL) != STRATA_OK) {
      fprintf(stderr, "%s\n", strata_devices_reason(devices));
      return 2;
    }
  }
  for (int device = 0; device < 4; device++)
    for (int index = 0; index < 9; index++) fwrite(outputs[device][index], 1, bytes(&test_main_signature.outputs[index]), out);
  fclose(out);
  if (strata_devices_failed_device(devices) != -1) return 92;
  int32_t status = strata_devices_run(devices, body, &failing);
  printf("%d, %d: %s\n", status, (int)strata_devices_failed_device(devices), strata_devices_reason(devices));
  strata_devices_destroy(devices);
  devices = strata_devices_create(2, 2, 0.5);
  failing = 2;
  status = strata_devices_run(devices, body, &failing);
  printf("%d, %d: %s\n", status, (int)strata_devices_failed_device(devices), strata_devices_reason(devices));
  strata_devices_destroy(devices);
  devices = strata_devices_create(2, 2, 60);
  status = strata_devices_run(devices, as_device_0, devices);
  printf("%d, %d: %s\n", status, (int)strata_devices_failed_device(devices), strata_devices_reason(devices));
  strata_devices_destroy(devices);
  devices = strata_devices_create(2, 1, 60);
  if (body(NULL, 0, strata_devices_executor(devices, 0)) != STRATA_WRONG_DEVICES) return 3;
  strata_devices_destroy(devices);
  return 0;
}
"#;

/// The compiler of C, with its standard.
pub(crate) const C: &[&str] = &["cc", "-std=c11"];

/// Builds a C program that includes the headers of an artifact and of devices, and runs it in the folder; returns what it prints.
pub(crate) fn by_the_header(
    compiler: &[&str],
    folder: &Path,
    artifact: &Artifact,
    caller: &str,
) -> String {
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("written");
    write("test.o", artifact.bytes());
    write("test.h", artifact.header().expect("a header").as_bytes());
    write("caller.c", caller.as_bytes());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let built = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(["-pthread", "-Wall", "-Wextra", "-Werror", "-O1", "-o", "caller", "-I"])
        .arg(include)
        .args(["caller.c", "-xnone", "test.o", "-lm"])
        .current_dir(folder)
        .output()
        .expect("a compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let done = Command::new(folder.join("caller")).current_dir(folder).output().expect("runs");
    assert!(done.status.success(), "{done:?}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// The header for C and C++ computes what the Rust one does.
#[rstest::rstest]
#[case::c(C)]
#[case::cxx(&["c++", "-std=c++17", "-xc++"])]
fn a_header_gives_devices(#[case] compiler: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let artifact = compiled(&module(2, 2, ALL), "x86-64");
    let inputs = inputs_of_all(3);
    let program = loaded(&artifact, "x86-64");
    let calls: Vec<_> = inputs.iter().map(|one| (&program, &one[..])).collect();
    let devices = Arc::new(Devices::new(2, 2));
    let expected = call_on_devices(&devices, &calls, &|_| None).expect("all run").concat().concat();
    fs::write(folder.path().join("in.bin"), inputs.concat().concat()).expect("written");
    let said = by_the_header(compiler, folder.path(), &artifact, CALLER);
    let found = fs::read(folder.path().join("out.bin")).expect("written");
    assert!(found == expected, "the outputs differ");
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[0], "77, 2: device 2 in its program: it returned the status 77");
    assert!(lines[1].starts_with("13, "), "{said}");
    assert!(lines[1].ends_with("device 2 of the group did not come in time"), "{said}");
    let at_once = "14, 0: device 0 in all_reduce: two threads use its executor at a time";
    assert_eq!(lines[2..], [at_once]);
}

/// `strata run` and `strata eval` give and take the arrays of each device.
#[test]
fn commands_take_arrays_of_each_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("sum.mlir"), module(2, 1, SUM)).expect("written");
    let (one, two) = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]);
    let both = [floats(&one), floats(&two)].concat();
    fs::write(at("both.npy"), npy("<f4", "(2, 3)", &both)).expect("written");
    fs::write(at("one.npy"), npy("<f4", "(3,)", &floats(&one))).expect("written");
    for command in ["run", "eval"] {
        let ends = |file: &str, values: &[f32]| {
            let bytes = fs::read(at(&format!("{command}/{file}"))).expect("written");
            assert!(bytes.ends_with(&floats(values)), "{command}");
        };
        let each =
            [command, "sum.mlir", "--input", "both.npy", "--per-device", "--output-dir", command];
        strata(folder.path(), &each).succeeded();
        ends("output0.npy", &[11.0, 22.0, 33.0, 11.0, 22.0, 33.0]);
        let same = [command, "sum.mlir", "--input", "one.npy", "--output-dir", command];
        strata(folder.path(), &same).succeeded();
        ends("output0.npy", &[2.0, 4.0, 6.0]);
        let wrong = [command, "sum.mlir", "--input", "one.npy", "--per-device"];
        let refused = strata(folder.path(), &wrong);
        assert!(refused.stderr.contains("S1802"), "{}", refused.stderr);
    }
    strata(folder.path(), &["verify", "sum.mlir", "--rounds", "2"]).succeeded();
}

/// A host is for one device: what would wait for it is refused before it is run.
/// A dump of each stage that is fed back makes the same object.
#[test]
fn dumps_make_the_same_object() {
    let text = module(2, 2, ALL);
    let whole = compiled(&text, "x86-64");
    for stage in [Stage::Hlo, Stage::Linalg, Stage::Affine, Stage::Vector, Stage::Llvm] {
        let dump = Compiler::new(options("x86-64")).to(stage).compile("d.mlir", text.as_bytes());
        let dump = dump.expect("a dump");
        let again = Compiler::new(options("x86-64")).from(stage).compile("d.mlir", dump.bytes());
        assert!(again.expect("compiles").bytes() == whole.bytes(), "{stage}");
    }
}
