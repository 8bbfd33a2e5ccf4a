//! Calls that go on after their function has returned.

use std::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use strata_pjrt::{
    Buffer, Error, Event, LoadedExecutable,
    abi::{Handle, OnReady},
};

use crate::c_api::{
    TWICE, ask, blank, buffer, call, client, compile, fetch, free, has_happened, is_deleted, read,
    run, start, told, wait,
};

/// A loop that takes many milliseconds, and leaves 1 - x: its number of rounds is odd.
fn long(argument: &str, last: &str) -> String {
    format!(
        "func.func public @main(%x: tensor<3xf32>{argument}) -> tensor<3xf32> {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %rounds = stablehlo.constant dense<20000001> : tensor<i32>
          %ones = stablehlo.constant dense<1.0> : tensor<3xf32>
          %loop:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3xf32>
          cond {{
            %less = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %less : tensor<i1>
          }} do {{
            %next = stablehlo.add %i, %one : tensor<i32>
            %w = stablehlo.subtract %ones, %v : tensor<3xf32>
            stablehlo.return %next, %w : tensor<i32>, tensor<3xf32>
          }}
          {last}
        }}"
    )
}

const RETURN: &str = "return %loop#1 : tensor<3xf32>";
const X: [f32; 3] = [0.25, 0.5, -1.0];
const ONE_MINUS_X: [f32; 3] = [0.75, 0.5, 2.0];

/// The result and the event of a call that has not ended.
fn start_long(
    executable: Handle<LoadedExecutable>,
    x: Handle<Buffer>,
) -> (Handle<Buffer>, Handle<Event>) {
    let ([result], event) = start(executable, &[x]).expect("it starts");
    assert!(!has_happened(event), "the call has ended before its function returned");
    (result, event)
}

fn ready(buffer: Handle<Buffer>) -> Handle<Event> {
    ask("Buffer_ReadyEvent", buffer).expect("an event")
}

#[test]
fn long_calls_go_on() {
    let client = client();
    let executable = compile(client, &long("", RETURN)).expect("it compiles");
    let twice = compile(client, TWICE).expect("it compiles");
    let x = buffer(client, &X);
    // Nothing is known of the first call.
    let [first] = run(executable, &[x]).expect("it runs");
    assert_eq!(read(first), Ok(ONE_MINUS_X.to_vec()));
    let (second, event) = start_long(executable, x);
    assert!(!has_happened(ready(second)));
    // Calls that take the result wait for it, however short they are, and arguments may be deleted.
    let (third, _) = start_long(executable, second);
    let ([fourth], last) = start(twice, &[third]).expect("it starts");
    for one in [x, second, third] {
        free("Buffer_Delete", one);
    }
    assert!(!has_happened(last));
    assert_eq!(read(fourth), Ok(X.map(|value| 2.0 * value).to_vec()));
    assert!([event, last, ready(fourth)].into_iter().all(has_happened));
    // The client is destroyed when its calls have ended.
    let y = buffer(client, &X);
    let (_, event) = start_long(executable, y);
    free("Client_Destroy", client);
    assert!(has_happened(event));
}

/// What was donated is taken when the calls before have ended.
#[test]
fn donated_memory_goes_from_call_to_call() {
    let client = client();
    let program = long(" {tf.aliasing_output = 0 : i32}", RETURN);
    let executable = compile(client, &program).expect("it compiles");
    let x = buffer(client, &X);
    let before: usize = ask("Buffer_UnsafePointer", x).expect("its address");
    let [y] = run(executable, &[x]).expect("it runs");
    let (z, _) = start_long(executable, y);
    let (last, _) = start_long(executable, z);
    assert!([x, y, z].into_iter().all(is_deleted));
    assert_eq!(ask("Buffer_UnsafePointer", last), Ok(before));
    assert_eq!(read(last), Ok(ONE_MINUS_X.to_vec()));
    // Who has asked for the numbers gets those from before the donation.
    let (next, _) = start_long(executable, last);
    let mut numbers = [0.0; 3];
    let fetched = fetch(next, &mut numbers);
    let (after, _) = start_long(executable, next);
    wait(fetched).expect("the numbers");
    assert_eq!(numbers, X);
    assert_eq!(read(after), Ok(ONE_MINUS_X.to_vec()));
}

static TOLD: AtomicUsize = AtomicUsize::new(0);
static IS_ERROR: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn count(error: *mut Error, number: *mut c_void) {
    TOLD.fetch_add(number.addr(), Ordering::SeqCst);
    IS_ERROR.store(told(error).is_err(), Ordering::SeqCst);
}

/// A failure is told by the events, and by what depends on the results.
#[test]
fn failures_are_told_by_events() {
    let client = client();
    // LAPACK has no factors of a vector.
    let last = "%f:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%loop#1) {api_version = 4 : i32}
            : (tensor<3xf32>) -> (tensor<3xf32>, tensor<1xi32>, tensor<i32>)
          return %f#0 : tensor<3xf32>";
    let executable = compile(client, &long("", last)).expect("it compiles");
    let twice = compile(client, TWICE).expect("it compiles");
    let x = buffer(client, &X);
    let (code, _) = run::<1>(executable, &[x]).err().expect("it fails");
    assert_eq!(code, 13);
    let (result, event) = start_long(executable, x);
    let mut arguments: OnReady = blank();
    arguments.event = event;
    arguments.callback = Some(count);
    arguments.user_arg = ptr::without_provenance_mut(7);
    call("Event_OnReady", &mut arguments).expect("it is told");
    let ([next], _) = start(twice, &[result]).expect("it starts");
    for one in [result, next] {
        let (code, text) = read(one).expect_err("there are no numbers");
        assert!(code == 13 && text.contains("returned 64"), "{text}");
        assert_eq!(wait(ready(one)).err().map(|(code, _)| code), Some(13));
    }
    assert!(wait(event).is_err() && TOLD.load(Ordering::SeqCst) == 7);
    assert!(IS_ERROR.load(Ordering::SeqCst));
    assert!(run::<1>(twice, &[result]).is_err());
    // The next call is not concerned.
    assert_eq!(read(run::<1>(twice, &[x]).expect("it runs")[0]), Ok(vec![0.5, 1.0, -2.0]));
}
