//! No trip of a loop copies its state: where a trip needs the old one until the new one is there, two buffers change
//! roles. Stages 40, 50 and 70 are read for copies.

use std::{fs, path::Path};

use strata::{Compiler, Stage};

use crate::harness::snapshot_options;

/// The program at a stage.
#[track_caller]
fn text(path: &Path, stage: Stage) -> String {
    let bytes = fs::read(path).expect("the program");
    match Compiler::new(snapshot_options()).to(stage).compile("input.mlir", &bytes) {
        Ok(artifact) => String::from_utf8(artifact.bytes().to_vec()).expect("text"),
        Err(errors) => panic!("{}: {errors}", path.display()),
    }
}

/// The lines of the bodies of `scf.while`, by indentation: from `scf.while` to the brace that closes it.
fn inside_loops(text: &str) -> Vec<&str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inside = Vec::new();
    let mut open: Option<usize> = None;
    for line in text.lines() {
        match open {
            None if line.contains("scf.while") => open = Some(indent(line)),
            Some(depth) if indent(line) == depth && line.trim_start() == "}" => open = None,
            Some(_) => inside.push(line),
            None => {}
        }
    }
    inside
}

/// Whether a nest of loops only moves elements from one buffer to another of the same shape, at the same place.
fn copy_nests(lines: &[&str]) -> usize {
    let body = |window: &&[&str]| {
        let [load, store] = window else { return false };
        let (load, store) = (load.trim(), store.trim());
        let at = |text: &str| Some(text.split_once('[')?.1.split_once(']')?.0.to_owned());
        // The shape, whatever the layout; a single element is no state.
        let ty = |text: &str| {
            let shape = text.rsplit_once("memref<")?.1;
            Some(shape.split([',', '>']).next()?.to_owned())
        };
        let is_pair = load.contains("affine.load") && store.starts_with("affine.store");
        let value = load.split(' ').next().unwrap_or_default();
        is_pair
            && store.contains(&format!("affine.store {value},"))
            && at(load) == at(store)
            && ty(load).is_some_and(|shape| shape.contains('x'))
            && ty(load) == ty(store)
    };
    lines.windows(2).filter(body).count()
}

#[rstest::rstest]
fn no_trip_copies_the_state(
    #[values("stencil", "swapped", "nested", "branches", "stacked", "product")] case: &str,
) {
    let path = Path::new("ops/while").join(case).join("input.mlir");
    // The row that a scan writes is no state.
    let rows = usize::from(case == "stacked");
    for stage in [Stage::Affine, Stage::Vector] {
        let text = text(&path, stage);
        let inside = inside_loops(&text);
        assert!(!inside.is_empty(), "{case}: the loop is left\n{text}");
        let copies = inside.iter().filter(|line| line.contains("memref.copy")).count();
        assert!(copies + copy_nests(&inside) <= rows, "{case}: stage {stage:?}\n{text}");
    }
    // What stage 40 copies in front of the loop and behind it, LLVM copies; nothing else, but for the row of each of the
    // nine trips of a scan, which LLVM may unroll.
    let outside = text(&path, Stage::Affine).matches("memref.copy").count() + 9 * rows;
    let found = text(&path, Stage::LlvmIr).matches("call void @llvm.memcpy").count();
    assert!(
        found <= outside,
        "{case}: {found} copies, {outside} in front of the loop and behind it"
    );
}
