//! Text as a program: read or rejected; what is printed can be read again.
#![no_main]

mod driver;

use libfuzzer_sys::fuzz_target;
use strata_ir::{new_context, print};
use strata_vhlo::parse;

fuzz_target!(|text: &str| {
    let context = new_context();
    let Ok(module) = parse(&context, "fuzzed.mlir", text.as_bytes()) else { return };
    let printed = print(&module, false);
    let read = parse(&context, "printed.mlir", printed.as_bytes()).expect("what is printed reads");
    assert_eq!(print(&read, false), printed);
});
