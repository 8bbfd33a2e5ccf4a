//! Programs with open sizes, for several of them: `tests/sizes`. The compiled program, whose shapes are refined, against the
//! evaluator, which runs the program as it is.
//!
//! A program begins with what is tried: `// sizes: n=3` is compiled, run and compared; `// refused: n=0 S1106` is an error.

use std::fs;

use strata::{Compiler, Options, Stage};
use strata_eval::Values;
use strata_verify::{Settings, verify};

use crate::{command::workspace, harness};

macro_rules! programs {
    ($($name:ident)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*
    };
}

programs! { calls computed_shapes disagreeing families loops named of_values static_entry two_inputs }

#[test]
fn every_program_is_tried() {
    let folder = fs::read_dir(workspace().join("tests/sizes")).unwrap();
    let mut found: Vec<String> = folder
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, PROGRAMS);
}

fn bound(list: &str) -> Options {
    let pairs = list.split(',').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (symbol, size) = pair.split_once('=').expect("SYMBOL=SIZE");
        (symbol.to_owned(), size.parse().expect("a size"))
    };
    Options { bind: pairs.map(pair).collect(), ..harness::options("native") }
}

fn check(name: &str) {
    let program = fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
    let text = String::from_utf8(program.clone()).unwrap();
    // Infinite inputs make some results undefined.
    let settings = Settings { values: Some(Values::Tame), rounds: 2, ..Settings::default() };
    let mut tried = 0;
    for line in text.lines() {
        if let Some(sizes) = line.strip_prefix("// sizes:") {
            let found = verify(name, &program, &bound(sizes.trim()), &settings, None);
            let found = found.unwrap_or_else(|error| panic!("{name}, {sizes}: {}", error.render()));
            let wrong = found.wrong().or(found.unsure());
            assert!(wrong.is_none(), "{name}, {sizes}: {wrong:?}");
            assert!(!found.rounds.is_empty());
        } else if let Some(refused) = line.strip_prefix("// refused: ") {
            let (sizes, code) = refused.split_once(' ').expect("SIZES CODE");
            let compiled = Compiler::new(bound(sizes)).to(Stage::Obj).compile(name, &program);
            let errors = compiled.map(|_| ()).expect_err(refused);
            let codes: Vec<_> = errors.into_iter().map(|error| error.code().id()).collect();
            assert_eq!(codes, [code], "{name}, {sizes}");
        } else {
            continue;
        }
        tried += 1;
    }
    assert!(tried > 0, "{name} says nothing to try");
}
