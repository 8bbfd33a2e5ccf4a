//! Programs that call functions of the client.

use std::{
    slice,
    sync::{
        Mutex,
        atomic::{AtomicI64, Ordering},
    },
};

use strata_pjrt::callback::{StrataSetHostCallback, StrataSetHostCallbackError};

use crate::c_api::{
    INVALID_ARGUMENT, UNIMPLEMENTED, buffer, client, compile, free, read, run, serialize,
};

pub const CALLING: &str = "
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @strata_host_callback(%x) {mhlo.backend_config = {number = 7 : i64}}
      : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.custom_call @strata_host_callback(%0) {mhlo.backend_config = {number = 8 : i64}}
      : (tensor<3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }";

static HELD: AtomicI64 = AtomicI64::new(0);
static CALLED: Mutex<Vec<i64>> = Mutex::new(Vec::new());

/// Function 7 adds its number; function 8 fails for values above 100; there is no function 9.
unsafe extern "C" fn handler(request: i32, number: i64, call: *const strata_abi::Call) -> i32 {
    let fail = |text: &str| {
        // SAFETY: the text is as long as it says.
        unsafe { StrataSetHostCallbackError(text.as_ptr(), text.len()) };
        1
    };
    match request {
        1 if number == 9 => return fail("nine is not there"),
        1 => HELD.fetch_add(number, Ordering::SeqCst),
        2 => HELD.fetch_sub(number, Ordering::SeqCst),
        _ => {
            CALLED.lock().expect("a lock").push(number);
            // SAFETY: the program calls with one array of three numbers, and takes one.
            let (from, to) = unsafe {
                let call = &*call;
                let from = slice::from_raw_parts((*call.inputs).data.cast::<f32>(), 3);
                (from, slice::from_raw_parts_mut((*call.outputs).data.cast::<f32>(), 3))
            };
            if number == 8 && from[0] > 100.0 {
                return fail("too large");
            }
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from + number as f32;
            }
            0
        }
    };
    0
}

#[test]
fn programs_call_the_client() {
    let client = client();
    let (code, text) = compile(client, CALLING).err().expect("there is no handler");
    assert!(code == 9 && text.contains("function 7"), "{text}");
    StrataSetHostCallback(Some(handler));
    let executable = compile(client, CALLING).expect("it compiles");
    assert_eq!(HELD.load(Ordering::SeqCst), 15);
    let given = buffer(client, &[1.0, 2.0, 3.0]);
    let [found] = run(executable, &[given]).expect("it runs");
    assert_eq!(read(found), Ok(vec![16.0, 17.0, 18.0]));
    assert_eq!(*CALLED.lock().expect("a lock"), [7, 8]);
    // A failure is the call's, with the reason; the next one is not concerned.
    let large = buffer(client, &[99.0, 2.0, 3.0]);
    let (code, text) = run::<1>(executable, &[large]).err().expect("it fails");
    assert!(code == 13 && text == "a callback failed: too large", "{text}");
    let [found] = run(executable, &[given]).expect("it runs");
    assert_eq!(read(found), Ok(vec![16.0, 17.0, 18.0]));
    let (code, _) = serialize(executable).expect_err("functions are of this process");
    assert_eq!(code, UNIMPLEMENTED);
    // The functions go with the program.
    free("LoadedExecutable_Destroy", executable);
    assert_eq!(HELD.load(Ordering::SeqCst), 0);
    let (code, text) = compile(client, &CALLING.replace("8 : i64", "9 : i64")).err().expect("none");
    assert!(code == 9 && text.contains("nine is not there"), "{text}");
    assert_eq!(HELD.load(Ordering::SeqCst), 0);
    let unnamed = CALLING.replace("number = 7 : i64", "other = 7 : i64");
    assert_eq!(compile(client, &unnamed).err().map(|(code, _)| code), Some(INVALID_ARGUMENT));
    let untyped = CALLING.replace("mhlo.backend_config = {", "other = {");
    assert_eq!(compile(client, &untyped).err().map(|(code, _)| code), Some(INVALID_ARGUMENT));
}
