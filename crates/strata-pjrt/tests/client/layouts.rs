//! The extension that says how arrays lie in memory.

use strata_pjrt::{
    Buffer, LAYOUTS, MemoryLayout,
    abi::{
        Arguments, DefaultLayout, Entry, ExecutableLayouts, GetLayout, Handle, Items, LAYOUTS_KIND,
        Layout, Of, SerializeLayout, ToHost, Value,
    },
};

use crate::c_api::{
    INVALID_ARGUMENT, ONLY_DURING_CALL, UNIMPLEMENTED, blank, client, compile, deserialize, free,
    from_host, ordered, program_of, read, run, serialize, told,
};

const DESTROY: usize = 0;
const SERIALIZE: usize = 1;
const OF_CLIENT: usize = 2;
const OF_BUFFER: usize = 3;
const OF_TOPOLOGY: usize = 4;
const OF_RESULTS: usize = 5;
const OF_ARGUMENTS: usize = 6;

const RANKS: &str = "func.func @main(%a: tensor<f32>, %b: tensor<2x3x1xf32>, %token: !stablehlo.token) -> (tensor<2x3x1xf32>, !stablehlo.token, tensor<1x0xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2x3x1xf32>
  %1 = stablehlo.add %0, %b : tensor<2x3x1xf32>
  %2 = stablehlo.constant dense<0.0> : tensor<1x0xf32>
  return %1, %token, %2 : tensor<2x3x1xf32>, !stablehlo.token, tensor<1x0xf32>
}";

fn call<A: Arguments>(which: usize, arguments: &mut A) -> Result<(), (i32, String)> {
    let function: Entry = LAYOUTS.functions[which];
    // SAFETY: the tests pass what the extension asks for.
    told(unsafe { function(std::ptr::from_mut(arguments).cast()) })
}

fn text(layout: Handle<MemoryLayout>) -> String {
    let mut arguments: SerializeLayout = blank();
    arguments.layout = layout;
    call(SERIALIZE, &mut arguments).expect("a text");
    let bytes = Items(arguments.bytes.cast::<u8>()).get(arguments.size).expect("a text").to_vec();
    let deleter = arguments.deleter.expect("a deleter");
    // SAFETY: the owner is deleted once.
    unsafe { deleter(arguments.owner) };
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn arrays_are_row_major_unless_asked() {
    let client = client();
    assert_eq!((LAYOUTS.kind, LAYOUTS.struct_size), (LAYOUTS_KIND, 80));
    let mut default: DefaultLayout<_> = blank();
    (default.object, default.rank) = (client, 12);
    call(OF_CLIENT, &mut default).expect("a layout");
    assert_eq!(text(default.layout), "{11,10,9,8,7,6,5,4,3,2,1,0}");
    let mut destroy: Of<MemoryLayout> = blank();
    destroy.object = default.layout;
    call(DESTROY, &mut destroy).expect("nothing");
    for (dims, wanted) in [(&[][..], "{}"), (&[2, 3], "{1,0}"), (&[0, 4, 1], "{2,1,0}")] {
        let (buffer, done) = from_host(client, &[0.0; 6], (dims, &[]), 0).expect("a buffer");
        free("Event_Destroy", done);
        let mut layout: Value<_, Handle<MemoryLayout>> = blank();
        layout.object = buffer;
        call(OF_BUFFER, &mut layout).expect("a layout");
        assert_eq!(text(layout.value), wanted);
        free("Buffer_Destroy", buffer);
    }
    let mut none: SerializeLayout = blank();
    assert_eq!(call(SERIALIZE, &mut none).map_err(|(code, _)| code), Err(INVALID_ARGUMENT));
    let mut topology: DefaultLayout<()> = blank();
    assert_eq!(call(OF_TOPOLOGY, &mut topology).map_err(|(code, _)| code), Err(UNIMPLEMENTED));
    free("Client_Destroy", client);
}

#[test]
fn a_program_has_a_layout_for_each_argument_and_result() {
    let client = client();
    let executable = compile(client, RANKS).expect("it compiles");
    let program = program_of(executable);
    let told = |which| {
        let mut arguments: ExecutableLayouts = blank();
        arguments.executable = program;
        call(which, &mut arguments).expect("layouts");
        let layouts = arguments.layouts.get(arguments.count).expect("layouts");
        layouts.iter().copied().map(text).collect::<Vec<_>>()
    };
    // A token is an array without elements.
    assert_eq!(told(OF_ARGUMENTS), ["{}", "{2,1,0}", "{0}"]);
    assert_eq!(told(OF_RESULTS), ["{2,1,0}", "{0}", "{1,0}"]);
    free("Executable_Destroy", program);
    free("LoadedExecutable_Destroy", executable);
    free("Client_Destroy", client);
}

const ORDERS: &str = "func.func @main(%a: tensor<2x3xf32> {mhlo.layout_mode = \"{0,1}\"}, %b: tensor<2x3xf32> {mhlo.layout_mode = \"default\"})
    -> (tensor<2x3xf32> {mhlo.layout_mode = \"auto\"}, tensor<2x1x3xf32> {mhlo.layout_mode = \"{1,0,2}\"}) {
  %0 = stablehlo.subtract %a, %b : tensor<2x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x1x3xf32>
}";

/// The layout of the C API: an order, or strides.
fn layout(numbers: &[i64], is_order: bool) -> Layout {
    let mut layout: Layout = blank();
    (layout.order, layout.order_size) = (Items(numbers.as_ptr()), numbers.len());
    layout.kind = i32::from(!is_order);
    layout
}

/// The bytes of a buffer as they lie, or in an order.
fn bytes(buffer: Handle<Buffer>, order: &[i64]) -> Vec<f32> {
    let (mut found, wanted) = (vec![0.0_f32; 6], layout(order, true));
    let mut arguments: ToHost = blank();
    (arguments.buffer, arguments.data, arguments.size) = (buffer, found.as_mut_ptr().cast(), 24);
    if !order.is_empty() {
        arguments.layout = Items(&raw const wanted);
    }
    crate::c_api::call("Buffer_ToHostBuffer", &mut arguments).expect("its bytes");
    found
}

#[test]
fn arrays_of_other_orders_are_taken_and_returned() {
    let client = client();
    let a = [0., 1., 2., 3., 4., 5.];
    let compiled = compile(client, ORDERS).expect("it compiles");
    let loaded = deserialize(client, &serialize(compiled).expect("bytes")).expect("it is loaded");
    let given = |numbers: &[i64], is_order| {
        let layout = layout(numbers, is_order);
        let layout = Items(&raw const layout);
        ordered(client, &a, (&[2, 3], &[]), ONLY_DURING_CALL, layout).map(|(buffer, _)| buffer)
    };
    let column_major = given(&[0, 1], true).expect("a buffer");
    let by_strides = given(&[4, 8], false).expect("a buffer");
    let row_major = from_host(client, &[10., 10., 10., 20., 20., 20.], (&[2, 3], &[]), 0);
    let row_major = row_major.expect("a buffer").0;
    for buffer in [column_major, by_strides] {
        assert_eq!(read(buffer), Ok(vec![0., 3., 1., 4., 2., 5.]));
        assert_eq!(bytes(buffer, &[1, 0]), a);
        let mut own: GetLayout = blank();
        own.buffer = buffer;
        crate::c_api::call("Buffer_GetMemoryLayout", &mut own).expect("its layout");
        assert_eq!(own.layout.order.get(own.layout.order_size).ok(), Some(&[0, 1][..]));
    }
    for executable in [compiled, loaded] {
        let program = program_of(executable);
        for (which, wanted) in
            [(OF_ARGUMENTS, ["{0,1}", "{1,0}"]), (OF_RESULTS, ["{1,0}", "{1,0,2}"])]
        {
            let mut arguments: ExecutableLayouts = blank();
            arguments.executable = program;
            call(which, &mut arguments).expect("layouts");
            let layouts = arguments.layouts.get(arguments.count).expect("layouts");
            assert!(layouts.iter().copied().map(text).eq(wanted));
        }
        for first in [column_major, by_strides] {
            let [difference, spread] = run(executable, &[first, row_major]).expect("it runs");
            let wanted = [-10., -9., -8., -17., -16., -15.];
            assert_eq!(read(difference), Ok(wanted.to_vec()));
            assert_eq!(bytes(spread, &[]), [-10., -17., -9., -16., -8., -15.]);
            assert_eq!(bytes(spread, &[2, 1, 0]), wanted);
        }
        let (code, told) =
            run::<2>(executable, &[row_major, row_major]).err().expect("another order");
        assert!(
            code == INVALID_ARGUMENT && told.contains("takes `tensor<2x3xf32>{0,1}`"),
            "{told}"
        );
    }
}

#[test]
fn layouts_that_are_none_are_refused() {
    let client = client();
    for (mode, wanted, words) in [
        ("{0,1:T(8,128)}", UNIMPLEMENTED, "without tiles"),
        ("{0,0}", INVALID_ARGUMENT, "not a layout of 2 dimensions"),
        ("{0}", INVALID_ARGUMENT, "not a layout of 2 dimensions"),
        ("{0,1,2}", INVALID_ARGUMENT, "not a layout of 2 dimensions"),
        ("0,1", INVALID_ARGUMENT, "not a layout"),
        ("{a,1}", INVALID_ARGUMENT, "not a layout"),
        ("", INVALID_ARGUMENT, "not a layout"),
    ] {
        let (code, told) = compile(client, &ORDERS.replace("{0,1}", mode)).err().expect(mode);
        assert!(code == wanted && told.contains(words), "{mode}: {told}");
    }
    let refused = |numbers: &[i64], is_order| {
        let layout = layout(numbers, is_order);
        let given = ordered(client, &[0.0; 6], (&[2, 3], &[]), 0, Items(&raw const layout));
        given.err().map(|(code, _)| code)
    };
    assert_eq!(refused(&[0, 0], true), Some(INVALID_ARGUMENT));
    assert_eq!(refused(&[-1, 0], true), Some(INVALID_ARGUMENT));
    assert_eq!(refused(&[1, 0, 2], true), Some(INVALID_ARGUMENT));
    assert_eq!(refused(&[0, 4], false), Some(UNIMPLEMENTED));
    assert_eq!(refused(&[4], false), Some(INVALID_ARGUMENT));
    assert_eq!(refused(&[12, 4], false), None);
}
