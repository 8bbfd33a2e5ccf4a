//! The extension that says how arrays lie in memory.

use strata_pjrt::{
    LAYOUTS, MemoryLayout,
    abi::{
        Arguments, DefaultLayout, Entry, ExecutableLayouts, Handle, Items, LAYOUTS_KIND, Of,
        SerializeLayout, Value,
    },
};

use crate::c_api::{
    INVALID_ARGUMENT, UNIMPLEMENTED, blank, client, compile, free, from_host, program_of, told,
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
fn arrays_are_row_major() {
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
