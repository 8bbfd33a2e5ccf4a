//! Objects that begin exchanges, on the ranks of each MPI that is installed.

use std::{fs, path::Path};

use strata::Compiler;

use super::programs;
use crate::{
    devices::module,
    harness::options,
    mpi::{installed, text},
};

/// Outputs of objects whose exchanges are under way are those of exchanges that are done at once, to the bit.
#[test]
fn objects_begin_exchanges_on_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("mpi/object.c");
    for (name, body, _) in programs() {
        // That has no inputs of four bytes.
        if name == "narrow" {
            continue;
        }
        let text_of = module(4, 1, &body);
        let object = Compiler::new(options("x86-64")).compile("test.mlir", text_of.as_bytes());
        let object = object.unwrap_or_else(|errors| panic!("{errors}"));
        fs::write(folder.path().join("test.o"), object.bytes()).expect("written");
        let header = object.header().expect("a header");
        fs::write(folder.path().join("test.h"), header).expect("written");
        for mpi in installed() {
            let program = mpi.build(&source, &["-I.", "test.o"], folder.path());
            let said = text(&mpi.run(4, &program, &["4"], folder.path()));
            assert_eq!(said, "right\n", "{} {name}", mpi.name);
        }
    }
}
