//! Bytes as a portable artifact: read or rejected; what is read can be written and read again.
#![no_main]

mod driver;

use libfuzzer_sys::fuzz_target;
use strata_ir::{new_context, print};
use strata_vhlo::{Version, parse, write};

fuzz_target!(|bytes: &[u8]| {
    // Only what begins as bytecode does reaches the reader.
    let bytes = [b"ML\xefR", bytes].concat();
    let context = new_context();
    let Ok(module) = parse(&context, "fuzzed.mlirbc", &bytes) else { return };
    let Ok(again) = write(&context, &module, Version::NEWEST) else { return };
    let read = parse(&context, "again.mlirbc", &again).expect("what was written is read");
    assert_eq!(print(&read, false), print(&module, false));
});
