//! MLIR bytecode that other tools wrote: `bytecode/<name>.mlirbc` reads as `bytecode/<name>.mlir`
//! prints, and survives a round trip through our own bytecode; damaged files are rejected.

use std::{
    fs,
    path::{Path, PathBuf},
};

use strata_ir::{new_context, parse, print, write_bytecode};

/// Name, bytes and text of each program.
fn programs() -> Vec<(String, Vec<u8>, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bytecode");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|file| file.expect("readable").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "mlirbc"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(file.with_extension("mlir")).expect("text beside it");
            let text = text.lines().filter(|line| !line.starts_with("//"));
            let text = text.map(|line| line.to_owned() + "\n").collect::<String>();
            (name, fs::read(&file).expect("readable"), text.trim().to_owned())
        })
        .collect()
}

#[test]
fn bytecode_of_others_reads_as_its_text() {
    let programs = programs();
    assert!(!programs.is_empty());
    for (name, bytes, text) in programs {
        let context = new_context();
        let module = parse(&context, &name, &bytes).expect("reads");
        assert_eq!(print(&module, false).trim(), text, "{name}");
        let ours = write_bytecode(&module);
        let module = parse(&context, &name, &ours).expect("our own bytecode reads");
        assert_eq!(print(&module, false).trim(), text, "{name} through our own bytecode");
    }
}

#[test]
fn bytecode_that_ends_early_is_refused() {
    for (name, bytes, _) in programs() {
        let context = new_context();
        for end in 4..bytes.len() {
            let errors = parse(&context, &name, &bytes[..end]).err();
            let errors = errors.unwrap_or_else(|| panic!("{name} of {end} bytes reads"));
            assert!(errors.iter().all(|error| error.reason_text().is_some()), "{name}: {end}");
        }
    }
}
