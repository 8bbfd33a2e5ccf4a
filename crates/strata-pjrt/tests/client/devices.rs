//! Clients with several devices.

use std::ptr;

use strata_pjrt::{
    Buffer, Client, Device, Event, LoadedExecutable, Memory,
    abi::{
        Assignment, CopyTo, DefaultAssignment, Entry, Execute, ExecuteOptions, Handle, Items,
        Lookup, PerOutput,
    },
    table::SHARDINGS,
};

use crate::{
    c_api::{
        DONATING, INVALID_ARGUMENT, UNIMPLEMENTED, ask, blank, buffer, call, client_of,
        compile_with, deserialize, free, is_deleted, list, program_of, read, serialize, wait,
    },
    options::field,
};

/// A sum over two partitions, to which each adds its number.
const SUM: &str = "module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<3xf32> {jax.buffer_donor = true}) -> (tensor<3xf32>, tensor<f32>) {
    %0 = \"stablehlo.all_reduce\"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<3xf32>) -> tensor<3xf32>
    %id = stablehlo.partition_id : tensor<ui32>
    %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.add %0, %1 : tensor<3xf32>
    return %2, %number : tensor<3xf32>, tensor<f32>
  }
}";

/// Rows that the first device of a mesh has as the first, moved to the next one; and all rows, added.
const ROWS: &str = "module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <[\"x\"=2]>
  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> (tensor<4xf32>, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"x\"}]>] out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%a: tensor<2xf32>) {
      %1 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
    return %0, %2 : tensor<4xf32>, tensor<4xf32>
  }
}";

/// Two results without shardings: one follows in parts from the argument, the other one would have 3 and 2 elements.
const SQUARES: &str = "module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <[\"x\"=2]>
  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> (tensor<4xf32>, tensor<5xf32>) {
    %seven = stablehlo.constant dense<7.0> : tensor<f32>
    %0 = stablehlo.multiply %x, %x : tensor<4xf32>
    %1 = stablehlo.pad %x, %seven, low = [0], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{\"x\"}]> : tensor<5xf32>
    %3 = stablehlo.negate %2 : tensor<5xf32>
    return %0, %3 : tensor<4xf32>, tensor<5xf32>
  }
}";

/// Compile options for partitions on these devices.
fn on(devices: &[u8]) -> Vec<u8> {
    let column = |device: &u8| field(3, &field(1, &[*device]));
    let columns = devices.iter().flat_map(column).collect::<Vec<_>>();
    let count = devices.len() as u8;
    let grid = [vec![1 << 3, 1, 2 << 3, count], columns].concat();
    field(3, &[vec![4 << 3, 1, 5 << 3, count], field(9, &grid)].concat())
}

fn copied(buffer: Handle<Buffer>, device: Handle<Device>) -> Handle<Buffer> {
    let mut arguments: CopyTo<Device> = blank();
    (arguments.buffer, arguments.to) = (buffer, device);
    call("Buffer_CopyToDevice", &mut arguments).expect("a copy");
    arguments.copy
}

fn is_on(buffer: Handle<Buffer>, device: Handle<Device>) -> bool {
    let own: Handle<Device> = ask("Buffer_Device", buffer).expect("a device");
    let memory: Handle<Memory> = ask("Buffer_Memory", buffer).expect("a memory");
    let default: Handle<Memory> = ask("Device_DefaultMemory", device).expect("a memory");
    ptr::eq(own.0, device.0) && ptr::eq(memory.0, default.0)
}

/// Calls a program with two results on devices, with one argument for each.
fn run(
    executable: Handle<LoadedExecutable>,
    given: &[Handle<Buffer>],
) -> Result<Vec<[Handle<Buffer>; 2]>, (i32, String)> {
    let options: ExecuteOptions = blank();
    let mut outputs = vec![[Handle::NULL; 2]; given.len()];
    let lists: Vec<_> = given.iter().map(|one| Items(ptr::from_ref(one))).collect();
    let places: Vec<_> = outputs.iter_mut().map(|own| own.as_mut_ptr()).collect();
    let mut events = vec![Handle::<Event>::NULL; given.len()];
    let mut arguments: Execute = blank();
    (arguments.executable, arguments.options) = (executable, Items(&raw const options));
    (arguments.arguments, arguments.outputs) = (Items(lists.as_ptr()), Items(places.as_ptr()));
    (arguments.devices, arguments.count) = (given.len(), 1);
    arguments.events = events.as_mut_ptr();
    call("LoadedExecutable_Execute", &mut arguments)?;
    for event in events {
        let ended = wait(event);
        free("Event_Destroy", event);
        ended?;
    }
    Ok(outputs)
}

fn devices_of(client: Handle<Client>) -> &'static [Handle<Device>] {
    list("Client_Devices", client)
}

#[test]
fn a_client_has_as_many_devices_as_it_is_asked_for() {
    for wrong in [0, -1, 257] {
        let (code, text) = client_of("num_devices", wrong).err().expect("not a number of devices");
        assert!(code == INVALID_ARGUMENT && text.contains("from 1 to 256"), "{text}");
    }
    let client = client_of("num_devices", 3).expect("a client");
    let devices = devices_of(client);
    assert_eq!(devices.len(), 3);
    let memories: &[Handle<Memory>] = list("Client_AddressableMemories", client);
    assert_eq!(memories.len(), 3);
    for (number, device) in devices.iter().enumerate() {
        let description: Handle<Device> = ask("Device_GetDescription", *device).expect("a text");
        assert_eq!(ask("DeviceDescription_Id", description), Ok(number as i32));
        assert_eq!(ask("DeviceDescription_ProcessIndex", description), Ok(0_i32));
        assert_eq!(ask("Memory_Id", memories[number]), Ok(number as i32));
        let mut arguments: Lookup = blank();
        (arguments.client, arguments.id) = (client, number as i32);
        call("Client_LookupDevice", &mut arguments).expect("a device");
        assert!(ptr::eq(arguments.device.0, device.0));
    }
    let mut assignment = [-1; 4];
    let mut arguments: DefaultAssignment = blank();
    (arguments.client, arguments.replicas, arguments.partitions) = (client, 3, 1);
    (arguments.size, arguments.assignment) = (4, assignment.as_mut_ptr());
    call("Client_DefaultDeviceAssignment", &mut arguments).expect("an assignment");
    assert_eq!(assignment, [0, 1, 2, -1]);
    (arguments.replicas, arguments.partitions) = (2, 2);
    let (code, text) = call("Client_DefaultDeviceAssignment", &mut arguments).expect_err("4");
    assert!(code == INVALID_ARGUMENT && text.contains("num_devices"), "{text}");
}

#[test]
fn buffers_are_on_devices() {
    let client = client_of("num_devices", 2).expect("a client");
    let devices = devices_of(client);
    let x = buffer(client, &[1.0, 2.0, 3.0]);
    assert!(is_on(x, devices[0]));
    let y = copied(x, devices[1]);
    assert!(is_on(y, devices[1]) && is_on(x, devices[0]));
    free("Buffer_Destroy", x);
    assert_eq!(read(y), Ok(vec![1.0, 2.0, 3.0]));
    // A donated buffer does not take what another device has.
    let executable = compile_with(client, DONATING, &on(&[1])).expect("it compiles");
    let (mine, other) = (y, copied(y, devices[0]));
    let z = copied(buffer(client, &[10.0, 20.0, 30.0]), devices[1]);
    let [sum] = crate::c_api::run(executable, &[mine, z]).expect("it runs");
    assert!(is_on(sum, devices[1]) && is_deleted(mine));
    assert_eq!(read(sum), Ok(vec![11.0, 22.0, 33.0]));
    assert_eq!(read(other), Ok(vec![1.0, 2.0, 3.0]));
    // Nor does a program take buffers of another device.
    let (code, text) = crate::c_api::run::<1>(executable, &[other, z]).err().expect("elsewhere");
    assert!(code == INVALID_ARGUMENT && text.contains("is on device 0"), "{text}");
}

#[test]
fn programs_run_on_the_devices_that_they_are_for() {
    let client = client_of("num_devices", 3).expect("a client");
    let devices = devices_of(client);
    let compiled = compile_with(client, SUM, &on(&[2, 0])).expect("it compiles");
    let loaded = deserialize(client, &serialize(compiled).expect("bytes")).expect("it is loaded");
    for executable in [compiled, loaded] {
        let own: &[Handle<Device>] = list("LoadedExecutable_AddressableDevices", executable);
        assert!(
            own.len() == 2 && ptr::eq(own[0].0, devices[2].0) && ptr::eq(own[1].0, devices[0].0)
        );
        let program = program_of(executable);
        assert_eq!(ask("Executable_NumPartitions", program), Ok(2_usize));
        assert_eq!(ask("Executable_NumReplicas", program), Ok(1_usize));
        let mut arguments: Assignment = blank();
        arguments.executable = executable;
        call("LoadedExecutable_GetDeviceAssignment", &mut arguments).expect("an assignment");
        // SAFETY: there are as many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(arguments.bytes, arguments.size) };
        assert_eq!(bytes, [8, 1, 16, 2, 26, 3, 10, 1, 2, 26, 3, 10, 1, 0]);
        for round in 0..200 {
            let first = copied(buffer(client, &[1.0, 2.0, round as f32]), devices[2]);
            let second = buffer(client, &[10.0, 20.0, 30.0]);
            let outputs = run(executable, &[first, second]).expect("both run");
            assert!(is_deleted(first) && is_deleted(second));
            for (number, [sum, own]) in outputs.into_iter().enumerate() {
                let all = [11.0, 22.0, 30.0 + round as f32].map(|sum| sum + number as f32);
                assert_eq!((read(sum), read(own)), (Ok(all.to_vec()), Ok(vec![number as f32])));
                assert!(is_on(sum, [devices[2], devices[0]][number]));
                free("Buffer_Destroy", sum);
            }
        }
        // An argument on the wrong device: nothing is donated.
        let both = [buffer(client, &[1.0; 3]), buffer(client, &[2.0; 3])];
        let (code, text) = run(executable, &both).err().expect("on device 0");
        assert!(code == INVALID_ARGUMENT && text.contains("is on device 0"), "{text}");
        let good = [copied(both[0], devices[2]), copied(both[0], devices[1])];
        let (code, _) = run(executable, &good).err().expect("on device 1");
        assert_eq!((code, is_deleted(good[0])), (INVALID_ARGUMENT, false));
        let (code, text) = run(executable, &both[..1]).err().expect("one is missing");
        assert!(code == INVALID_ARGUMENT && text.contains("runs on 2 devices"), "{text}");
    }
    for (devices, wanted) in [(&[0, 3][..], "client has 3 devices"), (&[1, 1], "device 1 twice")] {
        let (code, text) = compile_with(client, SUM, &on(devices)).err().expect("not these");
        assert!(code == INVALID_ARGUMENT && text.contains(wanted), "{text}");
    }
    let (code, text) = compile_with(client, SUM, &[]).err().expect("for one device");
    assert!(
        code == INVALID_ARGUMENT && text.contains("splits values over devices, or exchanges them"),
        "{text}"
    );
}

/// Devices take and return their parts: those of a body, and those of values that are whole inside.
#[test]
fn devices_have_parts() {
    let client = client_of("num_devices", 2).expect("a client");
    let devices = devices_of(client);
    let executable = compile_with(client, ROWS, &on(&[0, 1])).expect("it compiles");
    let parts = [buffer(client, &[1.0, 2.0]), copied(buffer(client, &[3.0, 4.0]), devices[1])];
    let outputs = run(executable, &parts).expect("both run");
    let found = outputs.iter().map(|own| own.map(|one| read(one).expect("numbers")));
    let expected = [[[3.0, 4.0], [4.0, 3.0]], [[1.0, 2.0], [2.0, 1.0]]];
    assert!(found.eq(expected.map(|own| own.map(|one: [f32; 2]| one.to_vec()))));
    let odd = "module attributes {mhlo.num_partitions = 2 : i32} {
      sdy.mesh @mesh = <[\"x\"=2]>
      func.func public @main(%x: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<5xf32> {
        return %x : tensor<5xf32>
      }
    }";
    let (code, text) = compile_with(client, odd, &on(&[0, 1])).err().expect("5 rows on 2");
    assert!(code == UNIMPLEMENTED && text.contains("not divided by the 2 parts"), "{text}");
    let (code, text) = compile_with(client, ROWS, &on(&[0])).err().expect("two on one");
    assert!(code == INVALID_ARGUMENT && text.contains("compile options are for one"), "{text}");
}

/// Devices compute with their parts, and a result that would not be in equal ones is whole.
#[test]
fn devices_compute_with_parts() {
    let client = client_of("num_devices", 2).expect("a client");
    let devices = devices_of(client);
    let executable = compile_with(client, SQUARES, &on(&[0, 1])).expect("it compiles");
    let (_, text) = crate::c_api::optimized(executable);
    assert!(text.contains("multiply %arg0, %arg0 : tensor<2xf32>"), "{text}");
    let parts = [buffer(client, &[1.0, 2.0]), copied(buffer(client, &[3.0, 4.0]), devices[1])];
    let outputs = run(executable, &parts).expect("both run");
    let found = outputs.iter().map(|own| own.map(|one| read(one).expect("numbers")));
    let negated = vec![-1.0, -2.0, -3.0, -4.0, -7.0];
    assert!(found.eq([[vec![1.0, 4.0], negated.clone()], [vec![9.0, 16.0], negated]]));
}

/// What the extension of the C API says of arguments and results.
#[test]
fn parts_are_told() {
    let client = client_of("num_devices", 2).expect("a client");
    let executable = compile_with(client, ROWS, &on(&[0, 1])).expect("it compiles");
    let program = program_of(executable);
    let told = |ask: Entry| -> Vec<Vec<u8>> {
        let mut arguments: PerOutput<Items<u8>, usize> = blank();
        arguments.executable = program;
        // SAFETY: the arguments are those of the function.
        assert!(unsafe { ask(ptr::from_mut(&mut arguments).cast()) }.is_null());
        let (texts, sizes) = (Items(arguments.items), Items(arguments.sizes));
        let sizes = sizes.get(arguments.count).expect("sizes");
        let texts = texts.get(arguments.count).expect("texts");
        texts
            .iter()
            .zip(sizes)
            .map(|(text, size)| text.get(*size).expect("a text").to_vec())
            .collect()
    };
    // Two tiles, on devices 0 and 1.
    let split = vec![8, 3, 26, 1, 2, 34, 2, 0, 1];
    assert_eq!(told(SHARDINGS.parameters), std::slice::from_ref(&split));
    assert_eq!(told(SHARDINGS.outputs), [split.clone(), split]);
}
