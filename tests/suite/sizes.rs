//! Programs with open sizes, for several of them: `tests/sizes`. The compiled program, whose shapes are refined, against the
//! evaluator, which runs the program as it is.
//!
//! A program begins with what is tried: `// sizes: n=3` is compiled, run and compared; `// refused: n=0 S1106` is an error;
//! `// rows: n` makes an object for any number of rows, which is called with several; `// open: n=64 m=9` one for sizes up to
//! these, `// every: n=9` one that is called with every size up to this; `// mixes: n REASON` is a program whose rows are not computed apart;
//! `// beyond: n=8 REASON` is refused for sizes up to that.

use std::{collections::BTreeSet, fs};

use strata::{Artifact, Compiler, Options, Stage};
use strata_diag::Diagnostics;
use strata_eval::{Evaluator, Session, Values};
use strata_ir::new_context;
use strata_verify::{Settings, random_inputs, shapes_of, verify};

use crate::{
    command::{strata, workspace},
    harness,
};

mod columns;
mod declared;
mod dispatch;
mod entries;
mod examples;
mod integers;
mod limits;
mod matrices;
mod pairs;
mod random;
mod reduced_rows;
mod refused;
mod rows;
mod stages;
mod typed_bounds;
mod values;
mod whole;

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

programs! {
    added_rows alternating bounded_layers bounded_pairs bounded_types calls carried_places carried_rows channels_first chosen_classes columns_of_extrema
    computed_shapes cut_ends disagreeing empty_halves equal_chains equal_in_branch equal_operands equal_rows equal_sizes even_columns exact_orders
    exact_vectors extreme_ends families few_batches few_rows few_short_rows few_vectors few_vectors_of_batches filled_views first_access flat_pairs
    flat_rows flat_sums gathered_rows gram_sums grouped_kernels in_place_columns in_place_rows inner_rows joined joined_parts joined_squares just_written
    kept_zeros large_positions last_columns last_squares last_tiles limited_blocks limited_columns limited_images limited_layers limited_masks
    limited_pairs limited_panels limited_rows limited_sums limited_tiles loop_rows loops lower_masks many_symbols masked_bodies masked_complex
    masked_control masked_extrema masked_features masked_indices masked_long_sorts masked_matrices masked_moves masked_norms masked_order masked_pairs
    masked_pools masked_quotients masked_scatters masked_sorts masked_starts masked_sums masked_tops masked_turns masked_updates masked_values
    masked_windows moved_ends named narrow_extrema narrow_positions of_values open_products open_windows own_columns padded_squares points put_beside
    quantized_constants quantized_rows quantized_sums random_bits reached_ends repeated_elements repeated_rows returned_columns returned_inputs reversed
    rotated rounded_buffers rows_beside_bounds rows_images rows_layers rows_mixed_branch rows_mixed_draws rows_mixed_last rows_mixed_loop rows_mixed_mean
    rows_mixed_number rows_mixed_product rows_mixed_reshape rows_mixed_slice rows_mixed_sort rows_mixed_sum rows_mixed_turn rows_mixed_windows rows_moves
    rows_outside rows_pairs rows_single rows_strided running_columns runs scaled_dots scaled_images scaled_sums segment_sums short_cache short_rows
    slices_near_ends square_rows stacked static_entry strided_images strided_slices taken_rows tasks_beside_slices two_inputs updated_inputs
    valued_outputs valued_shapes whole_sums whole_windows widened_bytes window_starts
}

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
        } else if let Some(symbol) = line.strip_prefix("// rows: ") {
            check_rows(name, &program, symbol);
        } else if let Some(bounds) = line.strip_prefix("// open: ") {
            check_bounds(name, &program, &bounds.replace(' ', ","), SIZES, "native");
        } else if let Some(bounds) = line.strip_prefix("// every: ") {
            let sizes: Vec<i64> = (0..64).collect();
            // Vectors of other lengths end at other sizes.
            for cpu in ["native", "x86-64"] {
                check_bounds(name, &program, bounds, &sizes, cpu);
            }
        } else if let Some(refused) = line.strip_prefix("// beyond: ") {
            let (bounds, reason) = refused.split_once(' ').expect("BOUNDS REASON");
            let options =
                Options { open: true, max: bound(bounds).bind, ..harness::options("native") };
            let errors = Compiler::new(options).compile(name, &program).map(|_| ());
            let errors = errors.expect_err(refused);
            let reason = format!("it cannot be computed for sizes up to a bound: {reason}");
            let found: Vec<_> = errors.iter().map(|error| error.reason_text()).collect();
            assert_eq!(found, [Some(reason.as_str())], "{name}");
        } else if let Some(mixes) = line.strip_prefix("// mixes: ") {
            let (symbol, reason) = mixes.split_once(' ').expect("SYMBOL REASON");
            let errors = open(name, &program).map(|_| ()).expect_err(reason);
            let reason = format!("rows of `{symbol}` cannot be computed apart: {reason}");
            let found: Vec<_> = errors.iter().map(|error| error.reason_text()).collect();
            assert_eq!(found, [Some(reason.as_str())], "{name}");
        } else {
            continue;
        }
        tried += 1;
    }
    assert!(tried > 0, "{name} says nothing to try");
}

/// The numbers of rows that objects are called with: each version alone, and sums of several.
const ROWS: &[i64] = &[0, 1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 64, 71];

fn open(name: &str, program: &[u8]) -> Result<Artifact, Diagnostics> {
    Compiler::new(Options { open: true, ..harness::options("native") }).compile(name, program)
}

/// An object for any number of rows against the evaluator, which runs the program as it is.
fn check_rows(name: &str, program: &[u8], symbol: &str) {
    let artifact = open(name, program).unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let loaded = harness::Loaded::new(&artifact);
    let context = new_context();
    let module = strata_vhlo::parse(&context, name, program).expect("read");
    let evaluator = Evaluator::new(&module).expect("evaluated");
    for rows in ROWS {
        if loaded.open_workspace_size(&[*rows]) == usize::MAX {
            assert_eq!((*rows, loaded.call_open(&[], &[0], &[]).0), (0, 10), "{name}");
            continue;
        }
        let options = bound(&format!("{symbol}={rows}"));
        let inputs = random_inputs(name, program, &options, Values::Tame, 7).expect("inputs");
        let expected = evaluator.run(None, &inputs, &Session::new(0)).expect("evaluated");
        assert_eq!(loaded.symbols_of(&shapes_of(&inputs), 1), Some(vec![*rows]), "{name}");
        assert_eq!(loaded.output_shapes(&[*rows]), shapes_of(&expected), "{name}, {rows}");
        let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let sizes: Vec<_> = expected.iter().map(|output| output.bytes().len()).collect();
        let (status, outputs) = loaded.call_open(&bytes, &[*rows], &sizes);
        assert_eq!(status, 0, "{name}, {rows}");
        for (index, (found, expected)) in outputs.iter().zip(&expected).enumerate() {
            let what = format!("{name}, {rows} rows, output {index}");
            harness::assert_close_f32(found, expected.bytes(), 1e-4, &what);
        }
        let mut shapes = shapes_of(&inputs);
        shapes[0][0] += 1;
        assert_ne!(loaded.symbols_of(&shapes, 1), Some(vec![*rows]), "{name}");
    }
    // Workspaces grow with the number of rows, up to that of the largest version.
    let workspaces: Vec<_> =
        ROWS[1..].iter().map(|rows| loaded.open_workspace_size(&[*rows])).collect();
    assert!(workspaces.is_sorted(), "{name}: {workspaces:?}");
    assert_eq!(workspaces.last().copied(), artifact.workspace_size().map(|size| size as usize));
    for rows in [-1, i64::MIN, i64::MAX, (1 << 40) + 1] {
        assert_eq!(loaded.call_open(&[], &[rows], &[]).0, 10, "{name}, {rows} rows");
        assert_eq!(loaded.open_workspace_size(&[rows]), usize::MAX, "{name}, {rows} rows");
    }
}

/// The sizes that are tried of each symbol with a bound, and the bound itself and the size before it, which has no code of its own.
const SIZES: &[i64] = &[0, 1, 3, 8, 17, 64];

/// An object for sizes up to bounds against the evaluator.
fn check_bounds(name: &str, program: &[u8], bounds: &str, sizes: &[i64], cpu: &str) {
    let max = bound(bounds).bind;
    let options = Options { open: true, max: max.clone(), ..harness::options(cpu) };
    let artifact = Compiler::new(options).compile(name, program);
    let artifact = artifact.unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let loaded = harness::Loaded::new(&artifact);
    let context = new_context();
    let module = strata_vhlo::parse(&context, name, program).expect("read");
    let evaluator = Evaluator::new(&module).expect("evaluated");
    let mut grid: Vec<Vec<i64>> = vec![Vec::new()];
    for (_, largest) in &max {
        let own = sizes.iter().copied().chain([largest - 1, *largest]);
        let own: BTreeSet<i64> = own.filter(|size| size <= largest).collect();
        let longer = |symbols: &Vec<i64>| {
            let symbols = symbols.clone();
            own.iter().map(move |size| [&symbols[..], &[*size]].concat()).collect::<Vec<_>>()
        };
        grid = grid.iter().flat_map(longer).collect();
    }
    let mut called = 0;
    for symbols in grid {
        let what = format!("{name}, {symbols:?}, {cpu}");
        let values = max.iter().zip(&symbols).map(|((name, _), size)| (name.clone(), *size));
        let options = Options { bind: values.collect(), ..harness::options("native") };
        let inputs = random_inputs(name, program, &options, Values::Tame, 7);
        if loaded.open_workspace_size(&symbols) == usize::MAX {
            // The program asserts something else.
            assert!(inputs.is_err(), "{what}");
            assert_eq!(loaded.call_open(&[], &symbols, &[]).0, 10, "{what}");
            continue;
        }
        called += 1;
        let inputs = inputs.expect("inputs");
        let expected = evaluator.run(None, &inputs, &Session::new(0)).expect("evaluated");
        let shapes = shapes_of(&inputs);
        assert_eq!(loaded.symbols_of(&shapes, max.len()), Some(symbols.clone()), "{what}");
        assert_eq!(loaded.output_shapes(&symbols), shapes_of(&expected), "{what}");
        let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let sizes: Vec<_> = expected.iter().map(|output| output.bytes().len()).collect();
        let (status, outputs) = loaded.call_open(&bytes, &symbols, &sizes);
        assert_eq!(status, 0, "{what}");
        let specs = &artifact.signature().expect("an object has one").outputs;
        for (index, (found, expected)) in outputs.iter().zip(&expected).enumerate() {
            let what = format!("{what}, output {index}");
            match specs[index].element.to_string().as_str() {
                "f32" => harness::assert_close_f32(found, expected.bytes(), 1e-4, &what),
                _ => assert!(found == expected.bytes(), "{what}"),
            }
        }
        assert!(
            loaded.open_workspace_size(&symbols) <= artifact.workspace_size().unwrap() as usize
        );
        // One dimension more is another size, or disagrees with others.
        let mut wrong = shapes.clone();
        let last = wrong.iter_mut().rev().find_map(|shape| shape.last_mut());
        *last.expect("an input has a dimension") += 1;
        assert_ne!(loaded.symbols_of(&wrong, max.len()), Some(symbols.clone()), "{what}");
    }
    assert!(called > 0, "{name}: no sizes are taken");
    for (at, (_, largest)) in max.iter().enumerate() {
        for size in [-1, i64::MIN, i64::MAX, largest + 1] {
            let mut symbols = vec![1; max.len()];
            symbols[at] = size;
            assert_eq!(loaded.call_open(&[], &symbols, &[]).0, 10, "{name}, {symbols:?}");
            assert_eq!(loaded.open_workspace_size(&symbols), usize::MAX, "{name}, {symbols:?}");
        }
    }
}

/// Sizes are compared for all values of symbols, however many these have.
#[test]
fn equal_sizes_are_equal_up_to_any_bound() {
    let here = tempfile::tempdir().unwrap();
    let program = fs::read_to_string(workspace().join("tests/sizes/equal_sizes.mlir")).unwrap();
    let compiled = |program: &str, bound: &str| {
        fs::write(here.path().join("program.mlir"), program).unwrap();
        let bound = format!("input0.0={bound}");
        strata(here.path(), &["compile", "program.mlir", "--max", &bound, "--to", "hlo", "-o", "-"])
    };
    let text = compiled(&program, "1000000").succeeded().text().to_owned();
    assert!(text.contains("-> tensor<500000xf32> attributes"), "{text}");
    // Every second one of the first 1000 elements: as many up to this bound, and one fewer from 1001 on.
    let limited = program.replace("%none, %size, %two", "%none, %most, %two").replace(
        "%firsts =",
        "%limit = stablehlo.constant dense<1000> : tensor<1xi32>\n  %most = stablehlo.minimum %size, %limit : tensor<1xi32>\n  %firsts =",
    );
    compiled(&limited, "1000").succeeded();
    let refused = compiled(&limited, "1001");
    let reason = "sizes of operands are not known to be equal";
    assert!(refused.code == 1 && refused.stderr.contains(reason), "{}", refused.stderr);
}

/// A dump of a program for sizes up to bounds says what these are, and an edited one has to say what it computes.
#[test]
fn dumps_say_what_sizes_depend_on() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/equal_sizes.mlir");
    let program = program.to_str().unwrap();
    let arguments = ["compile", program, "--max", "input0.0=9", "--to", "hlo", "-o", "-"];
    let dump = strata(here.path(), &arguments).succeeded().text().to_owned();
    let outputs = "max(0, input0.0 - floordiv(input0.0, 2))";
    let sizes = format!("inputs = [[\"input0.0\"]], outputs = [[\"{outputs}\"]]");
    assert!(dump.contains(&sizes), "{dump}");
    let compiled = |dump: &str| {
        fs::write(here.path().join("dump.mlir"), dump).unwrap();
        strata(here.path(), &["compile", "dump.mlir", "--from", "hlo", "--to", "linalg", "-o", "-"])
    };
    assert!(compiled(&dump).succeeded().text().contains(&sizes));
    for (from, to, reason) in [
        (outputs, "input0.0 -", "in `input0.0 -`, a size is expected at the end"),
        (outputs, "n", "in `n`, there is no `n`"),
        (outputs, "input0.0", "output 0 is tensor<5xf32>, and input0.0 up to the bounds"),
        ("[[\"input0.0\"]]", "[[\"input0.0\"], []]", "it has 2 inputs, not 3"),
        ("array<i64: 9>", "array<i64>", "`bounds` has 0 entries for 1 symbols"),
    ] {
        assert!(dump.contains(from), "{from}");
        let refused = compiled(&dump.replace(from, to));
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        for part in ["error[S0009]", "--> dump.mlir:", reason] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
}

/// There is code for small sizes, for two in each power of two, for the bound, and for what is between the last two of these.
#[test]
fn the_header_lists_the_sizes_that_have_code() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.reverse %x, dims = [0] : tensor<?xf32>
      return %0 : tensor<?xf32>
    }";
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "-o", "p.o", "--header", "p.h", "--max", "input0.0=70"];
    strata(here.path(), &arguments).succeeded();
    let header = fs::read_to_string(here.path().join("p.h")).unwrap();
    let sizes = "`input0.0`, computed with the next larger of 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 69, 70\n";
    assert!(header.contains(sizes), "{header}");
}

/// The object with bounds is compiled and called, at other sizes in each round.
#[test]
fn objects_with_bounds_are_verified() {
    let program = fs::read(workspace().join("tests/sizes/bounded_types.mlir")).unwrap();
    let max = vec![("x.1".to_owned(), 3), ("x.3".to_owned(), 5)];
    let options = Options { max, ..harness::options("native") };
    let shapes = |seed| strata_verify::input_shapes("bounded", &program, &options, seed);
    let drawn: Vec<_> = (0..8).map(|seed| shapes(seed).expect("drawn").expect("open")).collect();
    assert!(drawn.iter().all(|shapes| shapes[0][1] <= 3 && shapes[0][3] <= 5), "{drawn:?}");
    assert!(drawn.iter().any(|shapes| *shapes != drawn[0]), "{drawn:?}");
    let settings = Settings { values: Some(Values::Tame), ..Settings::default() };
    let found = verify("bounded", &program, &options, &settings, None);
    let found = found.unwrap_or_else(|error| panic!("{}", error.render()));
    assert!(found.wrong().is_none() && found.unsure().is_none() && found.rounds.len() == 4);
    // What is compiled has the bounds: arrays beyond them are refused.
    let large = random_inputs("bounded", &program, &bound("x.1=4,x.3=3"), Values::Tame, 0);
    let error = verify("bounded", &program, &options, &settings, Some(large.expect("inputs")));
    assert_eq!(error.expect_err("refused").code().id(), "S1106");
}
