//! The plugin as a client of the C API sees it: through `GetPjrtApi` alone.

mod asynchronous;
mod c_api;
mod callbacks;
mod devices;
mod ffi;
mod layouts;
mod options;
mod serialized;

use std::{
    mem::{offset_of, size_of_val},
    ptr, thread,
};

use strata_pjrt::{
    Device, Executable, Memory,
    abi::{
        Api, Arguments as _, CostAnalysis, CreateClient, Deserialize, DeviceMemory, Execute,
        ExecuteOptions, FromHost, GetLayout, Handle, Items, Layout, MemoryStats, Serialize, ToHost,
    },
    table::{COUNT, NAMES},
};

use c_api::{
    DONATING, F32, INVALID_ARGUMENT, ONLY_DURING_CALL, TWICE, UNIMPLEMENTED, UPDATE, ZERO_COPY,
    ask, blank, buffer, call, client, compile, free, from_host, is_deleted, list, raw, read, run,
    told,
};

/// The sizes in the public header on 64-bit machines.
#[test]
fn structures_are_those_of_the_header() {
    assert_eq!((COUNT, size_of::<Api>()), (135, 40 + 8 * 135));
    assert_eq!(offset_of!(Api, version), 16);
    assert_eq!(NAMES.iter().position(|one| *one == "Buffer_ToHostBuffer"), Some((600 - 40) / 8));
    assert_eq!(FromHost::NEEDED, 120);
    assert_eq!(Execute::NEEDED, 80);
    assert_eq!(ExecuteOptions::NEEDED, 72);
    assert_eq!(ToHost::NEEDED, 56);
    assert_eq!(CreateClient::NEEDED, 72);
    assert_eq!(MemoryStats::NEEDED, 104);
    assert_eq!((Layout::NEEDED, size_of::<Layout>()), (76, 80));
    assert_eq!(GetLayout::NEEDED, 104);
    assert_eq!((Serialize::NEEDED, Deserialize::NEEDED, CostAnalysis::NEEDED), (56, 48, 40));
    assert_eq!((DeviceMemory::NEEDED, size_of::<DeviceMemory>()), (185, 192));
}

#[test]
fn a_client_has_one_device_with_one_memory() {
    let client = client();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    assert_eq!(text(list("Client_PlatformName", client)), "strata");
    assert!(text(list("Client_PlatformVersion", client)).starts_with("strata "));
    let devices: &[Handle<Device>] = list("Client_Devices", client);
    assert_eq!(devices.len(), 1);
    let memories: &[Handle<Memory>] = list("Device_AddressableMemories", devices[0]);
    let default: Handle<Memory> = ask("Device_DefaultMemory", devices[0]).expect("a memory");
    assert!(memories.len() == 1 && ptr::eq(memories[0].0, default.0));
    assert_eq!(text(list("Memory_Kind", default)), "device");
    let back: &[Handle<Device>] = list("Memory_AddressableByDevices", default);
    assert!(ptr::eq(back[0].0, devices[0].0));
    free("Client_Destroy", client);
}

#[test]
fn programs_compile_and_run() {
    let client = client();
    let executable = compile(client, TWICE).expect("it compiles");
    let program: Handle<Executable> =
        ask("LoadedExecutable_GetExecutable", executable).expect("a program");
    assert_eq!(list::<_, u8>("Executable_Name", program), b"jit_twice");
    assert_eq!(list::<_, i32>("Executable_OutputElementTypes", program), [F32]);
    assert_eq!(ask("Executable_NumOutputs", program), Ok(1_usize));
    assert_eq!(list::<_, u8>("Executable_Fingerprint", program).len(), 32);
    let mut stats: MemoryStats = blank();
    stats.executable = program;
    call("Executable_GetCompiledMemoryStats", &mut stats).expect("its sizes");
    assert_eq!((stats.arguments, stats.outputs, stats.aliased), (12, 12, 0));
    let mut cost: CostAnalysis = blank();
    cost.executable = program;
    call("Executable_GetCostAnalysis", &mut cost).expect("its costs");
    let costs = Items(cost.items).get(cost.count).expect("costs").iter().map(|one| {
        let name = Items(one.name.cast::<u8>()).get(one.name_size).expect("a name");
        // SAFETY: costs are numbers of 32 bits.
        (str::from_utf8(name).expect("UTF-8"), unsafe { one.value.float })
    });
    let wanted = [("flops", 3.0), ("transcendentals", 0.0), ("bytes accessed", 36.0)];
    assert!(costs.eq(wanted));
    let given = buffer(client, &[1.0, 2.5, -3.0]);
    let [found] = run(executable, &[given]).expect("it runs");
    assert_eq!(read(found), Ok(vec![2.0, 5.0, -6.0]));
    assert_eq!(list::<_, i64>("Buffer_Dimensions", found), [3]);
    assert!(!is_deleted(given));
    for one in [given, found] {
        free("Buffer_Destroy", one);
    }
    free("Executable_Destroy", program);
    free("LoadedExecutable_Destroy", executable);
    free("Client_Destroy", client);
}

/// `x.at[i].set(u)`: one round of LLVM's combining leaves something to do in it.
#[test]
fn small_programs_are_updates_at_an_index() {
    let client = client();
    let executable = compile(client, UPDATE).expect("it compiles");
    let x: Vec<f32> = (0..7).map(|value| value as f32).collect();
    for (index, place) in
        [(0.0, Some(0)), (4.0, Some(4)), (6.0, Some(6)), (7.0, None), (-1.0, None)]
    {
        let given = [&x[..], &[index], &[9.0]].map(|data| buffer(client, data));
        let [found] = run(executable, &given).expect("it runs");
        let mut wanted = x.clone();
        if let Some(place) = place {
            wanted[place] = 9.0;
        }
        assert_eq!(read(found), Ok(wanted), "index {index}");
    }
}

/// Of two programs that differ in their locations alone, one is compiled: the second handle has the first one's strings.
#[test]
fn locations_do_not_tell_programs_apart() {
    let client = client();
    let at = |line: u32| {
        TWICE.replace(
            "%x, %x : tensor<3xf32>",
            &format!("%x, %x : tensor<3xf32> loc(\"a.py\":{line}:1)"),
        )
    };
    let named = |text: &str| {
        let executable = compile(client, text).expect("it compiles");
        list::<_, u8>("Executable_Name", c_api::program_of(executable)).as_ptr()
    };
    assert!(ptr::eq(named(&at(1)), named(&at(2))));
    assert!(!ptr::eq(named(&at(1)), named(&at(1).replace("stablehlo.add", "stablehlo.multiply"))));
    let wrong = at(3).replace("%0 : tensor<3xf32>", "%0 : tensor<4xf32>");
    let (_, text) = compile(client, &wrong).err().expect("wrong types");
    assert!(text.contains("program:4") || text.contains("a.py:3"), "{text}");
}

#[test]
fn arrays_with_strides_become_dense() {
    let client = client();
    let data: Vec<f32> = (0..12).map(|value| value as f32).collect();
    let load = |dims: &[i64], strides: &[i64], first: usize| {
        let given = from_host(client, &data[first..], (dims, strides), ONLY_DURING_CALL);
        read(given.expect("a buffer").0).expect("its values")
    };
    // The transpose of a 3 x 4 matrix, every second column of it, its rows from the last, a value for all.
    assert_eq!(load(&[4, 3], &[4, 16], 0), [0., 4., 8., 1., 5., 9., 2., 6., 10., 3., 7., 11.]);
    assert_eq!(load(&[3, 2], &[16, 8], 0), [0., 2., 4., 6., 8., 10.]);
    assert_eq!(load(&[3, 2], &[-16, 4], 8), [8., 9., 4., 5., 0., 1.]);
    assert_eq!(load(&[2, 2], &[0, 0], 5), [5.0; 4]);
    assert_eq!(load(&[], &[], 7), [7.0]);
    assert_eq!(load(&[3, 0], &[0, 4], 0), [0.0; 0]);
}

#[test]
fn the_hosts_memory_is_used_until_the_buffer_is_gone() {
    #[repr(align(64))]
    struct Line([f32; 16]);
    let (client, line) = (client(), Line([3.0; 16]));
    let (shared, done) = from_host(client, &line.0, (&[16], &[4]), ZERO_COPY).expect("a buffer");
    assert_eq!(ask("Event_IsReady", done), Ok(false));
    let address: usize = ask("Buffer_UnsafePointer", shared).expect("its address");
    assert_eq!(address, line.0.as_ptr().addr());
    free("Buffer_Delete", shared);
    assert_eq!(ask("Event_IsReady", done), Ok(true));
    // An address that compiled code cannot take is copied.
    let (copied, done) = from_host(client, &line.0[1..], (&[15], &[4]), ZERO_COPY).expect("one");
    assert_eq!(ask("Event_IsReady", done), Ok(true));
    let address: usize = ask("Buffer_UnsafePointer", copied).expect("its address");
    assert_ne!(address, line.0[1..].as_ptr().addr());
}

#[test]
fn donated_buffers_are_deleted_and_taken() {
    let client = client();
    let executable = compile(client, DONATING).expect("it compiles");
    let (x, y) = (buffer(client, &[1.0, 2.0, 3.0]), buffer(client, &[10.0, 20.0, 30.0]));
    let before: usize = ask("Buffer_UnsafePointer", x).expect("its address");
    let [found] = run(executable, &[x, y]).expect("it runs");
    assert_eq!(ask("Buffer_UnsafePointer", found), Ok(before));
    assert_eq!(read(found), Ok(vec![11.0, 22.0, 33.0]));
    assert!(is_deleted(x) && !is_deleted(y));
    let (code, text) = run::<1>(executable, &[x, y]).err().expect("it is deleted");
    assert!(code == INVALID_ARGUMENT && text.contains("argument 0"), "{text}");
    // One buffer twice, once donated.
    let (code, text) = run::<1>(executable, &[y, y]).err().expect("it is donated twice");
    assert!(code == INVALID_ARGUMENT && text.contains("argument 1 is the same"), "{text}");
    assert!(!is_deleted(y));
    // A copy has the same bytes until one of the two is donated.
    let memory: Handle<Memory> = ask("Buffer_Memory", y).expect("its memory");
    let mut arguments: strata_pjrt::abi::CopyTo<Memory> = blank();
    (arguments.buffer, arguments.to) = (y, memory);
    call("Buffer_CopyToMemory", &mut arguments).expect("a copy");
    let [sum] = run(executable, &[arguments.copy, y]).expect("it runs");
    assert_eq!(read(sum), Ok(vec![20.0, 40.0, 60.0]));
    assert_eq!(read(y), Ok(vec![10.0, 20.0, 30.0]));
}

/// Who holds the address of a buffer can read it after a donation and a deletion.
#[test]
fn held_addresses_stay_valid() {
    let client = client();
    let executable = compile(client, DONATING).expect("it compiles");
    let values = |address: usize| {
        // SAFETY: the buffer has three numbers, and is held.
        unsafe { std::slice::from_raw_parts(address as *const f32, 3) }.to_vec()
    };
    let (x, y) = (buffer(client, &[1.0, 2.0, 3.0]), buffer(client, &[10.0, 20.0, 30.0]));
    for one in [x, y] {
        free("Buffer_IncreaseExternalReferenceCount", one);
    }
    let [first, second] =
        [x, y].map(|one| ask::<_, usize>("Buffer_UnsafePointer", one).expect("its address"));
    let [sum] = run(executable, &[x, y]).expect("it runs");
    free("Buffer_Delete", y);
    assert!(is_deleted(x) && is_deleted(y));
    assert_eq!(read(sum), Ok(vec![11.0, 22.0, 33.0]));
    assert_eq!((values(first), values(second)), (vec![1.0, 2.0, 3.0], vec![10.0, 20.0, 30.0]));
    for one in [x, y] {
        free("Buffer_DecreaseExternalReferenceCount", one);
    }
    let mut again: strata_pjrt::abi::Of<strata_pjrt::Buffer> = blank();
    again.object = x;
    assert!(call("Buffer_DecreaseExternalReferenceCount", &mut again).is_err());
    assert!(call("Buffer_IncreaseExternalReferenceCount", &mut again).is_err(), "it is deleted");
}

#[test]
fn wrong_input_is_an_error() {
    let client = client();
    let (code, text) = compile(client, "func.func @main(").err().expect("no program");
    assert!(code == INVALID_ARGUMENT && text.contains("error[S1"), "{text}");
    let wrong = TWICE
        .replace("stablehlo.add %x, %x : tensor<3xf32>", "stablehlo.add %x, %x : tensor<4xf32>");
    let (code, text) = compile(client, &wrong).err().expect("wrong types");
    assert!(code == INVALID_ARGUMENT && text.contains("program:3"), "{text}");
    let executable = compile(client, TWICE).expect("it compiles");
    let (code, text) = run::<1>(executable, &[]).err().expect("no argument");
    assert!(code == INVALID_ARGUMENT && text.contains("takes 1 arguments"), "{text}");
    let four = buffer(client, &[0.0; 4]);
    let (code, text) = run::<1>(executable, &[four]).err().expect("a wrong size");
    assert!(code == INVALID_ARGUMENT && text.contains("tensor<4xf32>"), "{text}");
    free("Buffer_Delete", four);
    assert!(is_deleted(four));
    assert_eq!(read(four).err().map(|(code, _)| code), Some(INVALID_ARGUMENT));
    assert_eq!(run::<1>(executable, &[Handle::NULL]).err().map(|(code, _)| code), Some(3));
    let huge = from_host(client, &[0.0], (&[1 << 62, 8], &[0, 0]), ONLY_DURING_CALL);
    assert_eq!(huge.err().map(|(code, _)| code), Some(INVALID_ARGUMENT));
    let (code, _) = from_host(client, &[0.0], (&[1 << 50], &[0]), 0).err().expect("too large");
    assert_eq!(code, 8);
}

/// Every function of the table: no arguments, and a structure that is too short, are errors; so is a null handle.
#[test]
fn every_function_checks_its_arguments() {
    for name in NAMES {
        let (code, text) = told(raw(name, ptr::null_mut())).expect_err(name);
        assert!([INVALID_ARGUMENT, UNIMPLEMENTED].contains(&code), "{name}: {text}");
        let mut short = [15_usize; 32];
        let (code, text) = told(raw(name, short.as_mut_ptr().cast())).expect_err(name);
        assert!([INVALID_ARGUMENT, UNIMPLEMENTED].contains(&code), "{name}: {text}");
        let mut nulls = [0_usize; 32];
        nulls[0] = size_of_val(&nulls);
        let found = told(raw(name, nulls.as_mut_ptr().cast()));
        let may_be_null = name.ends_with("_Destroy")
            || name.starts_with("Plugin_")
            || ["Client_Create", "Error_ForEachPayload"].contains(name);
        match found {
            Ok(()) => assert!(may_be_null, "{name}"),
            Err((code, text)) => {
                assert!([INVALID_ARGUMENT, UNIMPLEMENTED].contains(&code), "{name}: {text}");
            }
        }
    }
}

#[test]
fn threads_call_one_client_at_the_same_time() {
    let client = client();
    let executable = compile(client, TWICE).expect("it compiles");
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let mine = TWICE.replace("jit_twice", &format!("of_{thread}"));
                let own = compile(client, &mine).expect("it compiles");
                for round in 0..50 {
                    let value = (thread * 100 + round) as f32;
                    for executable in [executable, own] {
                        let given = buffer(client, &[value; 3]);
                        let [found] = run(executable, &[given]).expect("it runs");
                        assert_eq!(read(found), Ok(vec![2.0 * value; 3]));
                        free("Buffer_Destroy", given);
                        free("Buffer_Destroy", found);
                    }
                }
            });
        }
    });
}

#[test]
fn memory_is_counted() {
    let client = client();
    let devices: &[Handle<Device>] = list("Client_Devices", client);
    let usage = || {
        let mut arguments: DeviceMemory = blank();
        arguments.device = devices[0];
        call("Device_MemoryStats", &mut arguments).expect("the memory's use");
        arguments
    };
    let before = usage();
    let held = buffer(client, &[0.0; 1000]);
    let during = usage();
    assert_eq!(during.in_use - before.in_use, 4000);
    assert_eq!((during.count - before.count, during.has_count), (1, true));
    free("Buffer_Destroy", held);
    let after = usage();
    assert_eq!(after.in_use, before.in_use);
    assert!(after.peak >= during.in_use && after.limit > after.peak && !after.has_pool);
    assert_eq!((after.reservable, after.has_reservable), (after.limit, true));
}

#[test]
fn what_is_not_supported_says_so() {
    let client = client();
    let unknown = callbacks::CALLING.replace("strata_host_callback", "not_defined_here");
    let (code, text) = compile(client, &unknown).err().expect("no such function");
    assert!(code == UNIMPLEMENTED && text.contains("S1703"), "{text}");
    let open = TWICE.replace("3xf32", "?xf32");
    let (code, text) = compile(client, &open).err().expect("an open size");
    assert!(code == UNIMPLEMENTED && text.contains("S1101"), "{text}");
}
