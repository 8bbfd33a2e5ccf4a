//! Single operations with unusual attributes, shapes and types, and small programs that hand states on, compiled and
//! evaluated.
//!
//! Each family draws programs of one operation that are valid by construction: any dimension numbers,
//! dilations, negative padding, groups, dimensions of size zero, scalars, narrow types. `STRATA_FUZZ_SEED` and
//! `STRATA_FUZZ_CASES` choose other programs than the fixed ones.

mod contraction;
mod gather_scatter;
mod moving;
mod narrow;
mod source;
mod states;
mod window;

use std::env;

use source::{Case, Source};
use strata::{Options, target};
use strata_verify::{Settings, verify};

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn run(seed: u64, case: &Case, options: &Options) -> Result<(), String> {
    let settings = Settings {
        seed,
        rounds: 2,
        values: case.values,
        tolerance: case.tolerance,
        ..Settings::default()
    };
    let text = case.text.as_bytes();
    match verify("case.mlir", text, options, &settings, None) {
        Err(error) => Err(error.source_file("case.mlir", &case.text).render()),
        Ok(found) => match found.wrong().or(found.unsure()) {
            None => Ok(()),
            Some((output, worst)) => Err(format!("output {output} is {worst:?}")),
        },
    }
}

/// Draws, compiles and evaluates the programs of one family.
fn family(name: &str, draw: fn(&mut Source) -> Case) {
    let first = number("STRATA_FUZZ_SEED", 0);
    let count = number("STRATA_FUZZ_CASES", 12);
    let options = Options::new(target::resolve(None, Some("native"), None).expect("this machine"));
    let mut failures = Vec::new();
    for seed in first..first.saturating_add(count) {
        // Seen with --nocapture: the last one is at fault where the process dies.
        println!("{name} {seed}");
        let case = draw(&mut Source::new(seed));
        if let Err(reason) = run(seed, &case, &options) {
            failures.push(format!("{name}, seed {seed}:\n{}{reason}", case.text));
        }
    }
    assert!(failures.is_empty(), "{} of {count} fail\n{}", failures.len(), failures.join("\n\n"));
}

macro_rules! families {
    ($($name:ident: $draw:path;)*) => { $(
        #[test]
        fn $name() {
            family(stringify!($name), $draw);
        }
    )* };
}

families! {
    batch_norm: contraction::batch_norm;
    convolution: contraction::convolution;
    dot_general: contraction::dot_general;
    gather: gather_scatter::gather;
    scatter: gather_scatter::scatter;
    reduce: window::reduce;
    reduce_window: window::reduce_window;
    select_and_scatter: window::select_and_scatter;
    moving: moving::moving;
    dynamic_slices: moving::dynamic;
    elementwise_on_narrow_types: narrow::elementwise;
    conversions: narrow::convert;
    bit_conversions: narrow::bitcast;
    narrow_types_in_control_flow: narrow::control_flow;
    states_of_loops_and_branches: states::program;
}
