//! The dialects' own programs: `dialects/<dialect>/verify/*.mlir` are rejected at the lines and for
//! the reasons that their comments give, `dialects/<dialect>/text/*.mlir` print as they are written,
//! also after a round trip through bytecode.

use std::{
    fs,
    path::{Path, PathBuf},
};

use strata_ir::{new_context, parse, print, write_bytecode};

/// Files in `dialects/<dialect>/<room>`, for every dialect that has the folder.
fn files(room: &str) -> Vec<PathBuf> {
    let dialects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dialects");
    let mut files: Vec<PathBuf> = fs::read_dir(dialects)
        .expect("dialects/ is there")
        .filter_map(|dialect| fs::read_dir(dialect.ok()?.path().join(room)).ok())
        .flatten()
        .map(|file| file.expect("readable").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "mlir"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there are files in {room}/");
    files
}

/// Programs separated by `// -----`, each with the number of lines before it.
fn programs(text: &str) -> Vec<(usize, String)> {
    let mut programs = vec![(0, String::new())];
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("// -----") {
            programs.push((number + 1, String::new()));
        } else if let Some((_, program)) = programs.last_mut() {
            program.push_str(line);
            program.push('\n');
        }
    }
    programs
}

/// Line and text of each `// expected-error@+N {{text}}` of a program.
fn expectations(program: &str) -> Vec<(usize, &str)> {
    program
        .lines()
        .enumerate()
        .filter_map(|(number, line)| {
            let rest = line.split_once("expected-error@+")?.1;
            let (offset, rest) = rest.split_once(" {{")?;
            Some((number + 1 + offset.parse::<usize>().ok()?, rest.strip_suffix("}}")?))
        })
        .collect()
}

#[test]
fn programs_are_rejected_where_and_why_they_say() {
    let mut failures = Vec::new();
    for file in files("verify") {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("readable");
        for (before, program) in programs(&text) {
            let expected = expectations(&program);
            if program.trim().is_empty() {
                continue;
            }
            // A separate context: a rejected program must not affect the next.
            let context = new_context();
            let errors = match parse(&context, &name, program.as_bytes()) {
                Ok(_) => {
                    failures.push(format!("{name}:{}: accepted", before + 1));
                    continue;
                }
                Err(errors) => errors,
            };
            // Follow-up errors are part of it, and have comments of their own.
            let said: Vec<_> = errors
                .iter()
                .flat_map(|error| error.messages().iter().map(move |said| (error, said)))
                .collect();
            for (line, text) in &expected {
                let found = said.iter().any(|(error, said)| {
                    error.location().is_some_and(|place| place.line as usize == *line)
                        && said.contains(text)
                });
                if !found {
                    failures.push(format!("{name}:{}: not reported: {text}", before + line));
                }
            }
            if said.len() != expected.len() {
                failures.push(format!("{name}:{}: {} errors", before + 1, said.len()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs_print_as_they_are_written() {
    for file in files("text") {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("readable");
        let code: String = text
            .lines()
            .filter(|line| !line.starts_with("//"))
            .map(|line| line.to_owned() + "\n")
            .collect();
        let context = new_context();
        let module = parse(&context, &name, text.as_bytes()).expect("parses");
        let printed = print(&module, false);
        assert_eq!(printed.trim(), code.trim(), "{name}");
        let bytes = write_bytecode(&module);
        let module = parse(&context, &name, &bytes).expect("bytecode reads back");
        assert_eq!(print(&module, false).trim(), code.trim(), "{name} through bytecode");
    }
}
