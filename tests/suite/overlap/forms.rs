//! What the stages make of an exchange that is under way beside a product.

use std::path::PathBuf;

use strata::{Compiler, Stage};

use crate::harness::options;

/// The pair is a barrier, then two calls with the same operand and result.
#[test]
fn stages_of_an_exchange_under_way() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/overlap"));
    let program = std::fs::read(folder.join("beside.mlir")).expect("the program");
    for stage in [Stage::Hlo, Stage::Linalg, Stage::Affine] {
        let compiler = Compiler::new(options("x86-64-v3")).to(stage);
        let made = compiler.compile("beside.mlir", &program);
        let made = made.unwrap_or_else(|errors| panic!("{errors}"));
        let text = String::from_utf8(made.bytes().to_vec()).expect("text");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(&folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(format!("beside.{stage}"), text));
    }
}
