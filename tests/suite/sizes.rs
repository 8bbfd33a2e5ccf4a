//! Programs with open sizes, for several of them: `tests/sizes`. The compiled program, whose shapes are refined, against the
//! evaluator, which runs the program as it is.
//!
//! A program begins with what is tried: `// sizes: n=3` is compiled, run and compared; `// refused: n=0 S1106` is an error;
//! `// rows: n` makes an object for any number of rows, which is called with several; `// open: n=64 m=9` one for sizes up to
//! these, `// every: n=9` one that is called with every size up to this; `// mixes: n REASON` is a program whose rows are not computed apart;
//! `// beyond: n=8 REASON` is refused for sizes up to that.

use std::fs;

use strata::{Artifact, Compiler, Options, Stage};
use strata_diag::Diagnostics;
use strata_eval::{Evaluator, Session, Values};
use strata_ir::new_context;
use strata_verify::{Settings, random_inputs, shapes_of, verify};

use crate::{
    command::{strata, workspace},
    harness,
};

mod declared;
mod dispatch;
mod entries;
mod examples;
mod limits;
mod matrices;
mod pairs;
mod random;
mod reduced_rows;
mod rows;
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
    added_rows bounded_layers bounded_pairs bounded_types calls carried_places computed_shapes cut_ends disagreeing empty_halves equal_chains equal_in_branch equal_operands equal_rows equal_sizes
    even_columns exact_orders exact_vectors extreme_ends families filled_views first_access flat_rows gram_sums in_place_columns in_place_rows inner_rows last_columns last_tiles limited_blocks
    limited_columns limited_images limited_layers limited_masks limited_pairs limited_panels limited_rows limited_sums limited_tiles loops lower_masks many_symbols masked_bodies masked_complex
    masked_control masked_extrema masked_features masked_indices masked_long_sorts masked_matrices masked_moves masked_norms masked_order masked_pairs masked_pools masked_quotients masked_scatters
    masked_sorts masked_starts masked_sums masked_tops masked_turns masked_updates masked_values masked_windows moved_ends named of_values open_windows put_beside random_bits reached_ends
    returned_inputs rows_beside_bounds rows_images rows_layers rows_mixed_branch rows_mixed_draws rows_mixed_loop rows_mixed_mean rows_mixed_number rows_mixed_product rows_mixed_reshape
    rows_mixed_slice rows_mixed_sort rows_mixed_sum rows_mixed_turn rows_mixed_windows rows_moves rows_pairs rows_single rows_strided segment_sums short_rows static_entry strided_images
    strided_slices taken_rows two_inputs valued_outputs valued_shapes whole_sums window_starts
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

/// The sizes that are tried of each symbol with a bound, and the bound itself.
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
        let own = sizes.iter().copied().filter(|size| size < largest).chain([*largest]);
        let own: Vec<i64> = own.collect();
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

/// The options that a hint says: `--bind b=8 --max t=8`.
fn advised(hint: &str, options: &Options) -> Option<Options> {
    let (_, words) = hint.split_once("`--")?;
    let words: Vec<_> = words.split_once('`')?.0.split(' ').collect();
    let mut followed = Options { bind: Vec::new(), max: Vec::new(), ..options.clone() };
    for pair in words.chunks(2) {
        let &[option, list] = pair else { return None };
        match option.trim_start_matches('-') {
            "max" => followed.max = bound(list).bind,
            "bind" => followed.bind = bound(list).bind,
            other => panic!("{hint}: --{other}"),
        }
    }
    Some(followed)
}

/// Follows the hint of an error about sizes: then there is no second error.
fn follow(name: &str, program: &[u8], options: &Options) -> bool {
    let survey = strata::survey(options, name, program).map(|survey| survey.unsupported);
    let errors = survey.unwrap_or_else(|errors| errors.into_iter().collect());
    let Some(error) =
        errors.first().filter(|error| ["S1101", "S1106"].contains(&error.code().id()))
    else {
        return false;
    };
    let hint = error.hint_text().unwrap_or_else(|| panic!("{name}: no hint: {error}"));
    let Some(followed) = advised(hint, options) else {
        let is_open_about_it = ["static shapes", "its symbols are", "are static", "follow from"];
        assert!(is_open_about_it.iter().any(|text| hint.contains(text)), "{name}: {hint}");
        return false;
    };
    let survey = strata::survey(&followed, name, program);
    let survey = survey.unwrap_or_else(|errors| panic!("{name}: {hint}: {}", errors.render()));
    assert!(survey.unsupported.is_empty(), "{name}: {hint}: {:?}", survey.unsupported);
    // Code for all sizes up to bounds takes long; what sizes need was tried above.
    if followed.max.is_empty() {
        let compiled = Compiler::new(followed).to(Stage::Affine).compile(name, program);
        assert!(compiled.is_ok(), "{name}: {hint}: {:?}", compiled.err());
    }
    true
}

#[test]
fn hints_about_sizes_can_be_followed() {
    let mut followed = 0;
    for name in PROGRAMS {
        let program = fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
        for open in [true, false] {
            let options = Options { open, ..harness::options("x86-64-v3") };
            followed += usize::from(follow(name, &program, &options));
        }
    }
    assert!(followed > 30, "only {followed} hints were followed");
}

/// As a user meets it: `check` says what is needed, and then the program compiles.
#[test]
fn check_says_which_sizes_are_needed() {
    let here = tempfile::tempdir().unwrap();
    let text = "func.func public @main(%x: tensor<?x?x3xf32>) -> tensor<?x3xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.add %x, %x : tensor<?x?x3xf32>
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
      return %1 : tensor<?x3xf32>
    }";
    fs::write(here.path().join("open.mlir"), text).unwrap();
    let ended = strata(here.path(), &["check", "open.mlir"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error[S1101]: size is known only at run time"));
    assert!(ended.text().contains("\nneeds sizes\n"), "{}", ended.text());
    let hint = ended.stderr.lines().find(|line| line.contains("hint: ")).expect("a hint");
    let option = hint.split('`').nth(1).expect("an option");
    assert!(option.starts_with("--max "), "{hint}");
    let words: Vec<&str> = ["check", "open.mlir"].into_iter().chain(option.split(' ')).collect();
    strata(here.path(), &words).succeeded();
    // What was given already counts.
    let words = ["compile", "open.mlir", "--emit", "exe", "--bind", "input0.1=20", "-o", "x"];
    let ended = strata(here.path(), &words);
    assert!(!ended.stderr.contains("input0.1=8"), "{}", ended.stderr);
    assert!(ended.stderr.contains("is input0.0 x 20 x 3"), "{}", ended.stderr);
    let option = ended.stderr.split('`').find(|part| part.starts_with("--bind ")).expect("a hint");
    let words: Vec<&str> = words.into_iter().chain(option.split(' ')).collect();
    strata(here.path(), &words).succeeded();
}

/// Symbols without a bound are refused by name, and so are bounds of tensors that no processor addresses.
#[test]
fn what_cannot_stay_open_is_named() {
    let read = |name: &str| fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
    let refused = |program: &[u8], max: &[(&str, i64)], own: &[(&str, i64)]| {
        let list = |list: &[(&str, i64)]| {
            list.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect()
        };
        let (max, specialize) = (list(max), list(own));
        let options = Options { open: true, max, specialize, ..harness::options("native") };
        let errors =
            Compiler::new(options).compile("open", program).map(|_| ()).expect_err("refused");
        let error = errors.iter().next().expect("an error");
        let texts = [error.reason_text(), error.hint_text()].map(|text| text.unwrap_or(""));
        format!("{}: {}; {}", error.code().id(), texts[0], texts[1])
    };
    let one = refused(&read("rows_mixed_sum"), &[], &[]);
    assert!(one.contains("rows of `x.0`") && one.contains("--max x.0="), "{one}");
    let program = read("bounded_types");
    let compile = |max: &[(&str, i64)], own: &[(&str, i64)]| refused(&program, max, own);
    let neither = compile(&[], &[]);
    assert!(neither.contains("`x.1`, `x.3`") && neither.contains("--max x.3="), "{neither}");
    let many = compile(&[("x.1", 1 << 24), ("x.3", 1 << 24)], &[]);
    assert!(many.starts_with("S1009") && many.contains("2^47 bytes"), "{many}");
    for (max, own) in [(("x.1", 0), ("x.1", 1)), (("x.1", 8), ("x.1", 9)), (("y", 8), ("x.1", 1))] {
        let others = [("x.3", 8), ("x.1", 8)].into_iter().filter(|(name, _)| *name != max.0);
        let all: Vec<_> = std::iter::once(max).chain(others).collect();
        let wrong = compile(&all, &[own]);
        assert!(wrong.starts_with("S1106"), "{wrong}");
    }
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

/// What takes more elements than there are is refused, as it is with these sizes in its types.
#[test]
fn sizes_for_which_a_part_is_larger_than_the_whole_are_refused() {
    let scatter = r#""stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<?xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> tensor<?xf32>"#;
    let gather = r#""stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3>}>
      : (tensor<?xf32>, tensor<1x1xi32>) -> tensor<1x3xf32>"#;
    for (operation, result) in [
        ("stablehlo.slice %x [0:3] : (tensor<?xf32>) -> tensor<3xf32>", "3"),
        (
            "stablehlo.dynamic_slice %x, %p, sizes = [3] : (tensor<?xf32>, tensor<i32>) -> tensor<3xf32>",
            "3",
        ),
        (
            "stablehlo.dynamic_update_slice %x, %v, %p : (tensor<?xf32>, tensor<3xf32>, tensor<i32>) -> tensor<?xf32>",
            "?",
        ),
        (gather, "1x3"),
        (scatter, "?"),
    ] {
        let program = format!(
            "func.func public @main(%x: tensor<?xf32>, %i: tensor<1x1xi32>, %u: tensor<1x3xf32>)
                 -> tensor<{result}xf32> {{
               %p = stablehlo.reshape %i : (tensor<1x1xi32>) -> tensor<i32>
               %v = stablehlo.reshape %u : (tensor<1x3xf32>) -> tensor<3xf32>
               %0 = {operation}
               return %0 : tensor<{result}xf32>
             }}"
        );
        let program = program.as_bytes();
        let max = vec![("input0.0".to_owned(), 9)];
        let options = Options { max, open: true, ..harness::options("native") };
        let artifact = Compiler::new(options).compile("part", program);
        let loaded = harness::Loaded::new(&artifact.unwrap_or_else(|errors| panic!("{errors}")));
        let context = new_context();
        let module = strata_vhlo::parse(&context, "part", program).expect("read");
        let evaluator = Evaluator::new(&module).expect("evaluated");
        for size in 0..=9 {
            let options = bound(&format!("input0.0={size}"));
            let inputs = random_inputs("part", program, &options, Values::Tame, 3);
            if size < 3 {
                assert!(inputs.is_err(), "{operation}, {size}");
                assert_eq!(loaded.call_open(&[], &[size], &[]).0, 10, "{operation}, {size}");
                continue;
            }
            let inputs = inputs.unwrap_or_else(|error| panic!("{}", error.render()));
            let expected = evaluator.run(None, &inputs, &Session::new(0)).expect("evaluated");
            let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
            let (status, outputs) = loaded.call_open(&bytes, &[size], &[expected[0].bytes().len()]);
            assert_eq!((status, &outputs[0][..]), (0, expected[0].bytes()), "{operation}, {size}");
        }
    }
}

/// Options that contradict each other are told so, with no advice that ignores them.
#[test]
fn contradicting_sizes_are_told() {
    let program = b"func.func public @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      return %x : tensor<?x4xf32>
    }";
    let pairs = |list: &[i64]| -> Vec<(String, i64)> {
        list.iter().map(|size| ("input0.0".to_owned(), *size)).collect()
    };
    for (bind, max, own, hint) in [
        (&[1, 2][..], &[][..], &[][..], "give each symbol one size"),
        (&[-1], &[], &[], "give a size of 0 or more"),
        (&[], &[4, 5], &[], "give each symbol one size, or one bound"),
        (&[2], &[4], &[], "give each symbol one size, or one bound"),
        (&[], &[4], &[9], "raise the bound, or leave out the size"),
        (&[], &[4], &[0], "leave it out: the object takes 0 without it"),
    ] {
        let (bind, max, specialize) = (pairs(bind), pairs(max), pairs(own));
        let options = Options { bind, max, specialize, open: true, ..harness::options("native") };
        let errors = Compiler::new(options).compile("said", program).map(|_| ()).expect_err(hint);
        let error = errors.iter().next().expect("an error");
        assert_eq!((error.code().id(), error.hint_text()), ("S1106", Some(hint)), "{error}");
    }
}

/// The evaluator fills in the numbers, as JAX does.
#[test]
fn assertions_that_fail_have_their_numbers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = "func.func @main() -> tensor<i1> {
      %a = stablehlo.constant dense<49> : tensor<i32>
      %b = stablehlo.constant dense<50> : tensor<i32>
      %holds = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%holds, %a, %b) {error_message = \"{0} is not {1}\", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
      return %holds : tensor<i1>
    }";
    std::fs::write(folder.path().join("fails.mlir"), program).expect("written");
    let ended = strata(folder.path(), &["eval", "fails.mlir"]);
    assert!(ended.code != 0 && ended.stderr.contains("49 is not 50"), "{}", ended.stderr);
}

/// An object says which condition shapes violate, with the sizes in it.
#[test]
fn refused_shapes_name_their_condition() {
    let program =
        b"func.func public @main(%x: tensor<?x?xf32>, %y: tensor<?x3xf32>) -> tensor<?x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
      %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %k = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
      %twice = stablehlo.multiply %two, %n : tensor<i32>
      %less = stablehlo.subtract %m, %twice : tensor<i32>
      %fits = stablehlo.compare EQ, %less, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%fits) {has_side_effect = true} : (tensor<i1>) -> ()
      %rest = stablehlo.remainder %k, %two : tensor<i32>
      %even = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%even) {has_side_effect = true} : (tensor<i1>) -> ()
      %0 = stablehlo.negate %x : tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }";
    let max = vec![("input0.0".to_owned(), 5), ("input0.1".to_owned(), 8)];
    let options = Options { open: true, max, ..harness::options("native") };
    let artifact = Compiler::new(options.clone()).compile("said", program).expect("compiles");
    let signature = artifact.signature().expect("an object has one");
    let linked = strata_run::Linked::default();
    let loaded = strata_run::LoadedDynamic::new(artifact.bytes(), &options, signature, &linked);
    let loaded = loaded.expect("loaded");
    let refusal = |x: [i64; 2], y: [i64; 2]| {
        let shapes = [x.to_vec(), y.to_vec()];
        let refusal = loaded.refusal(&shapes).expect("asked");
        assert_eq!(refusal.is_none(), loaded.dims(&shapes).expect("asked").is_some());
        refusal.unwrap_or_default()
    };
    assert_eq!(refusal([3, 4], [6, 3]), "");
    assert_eq!(refusal([0, 0], [0, 3]), "");
    assert_eq!(refusal([6, 4], [12, 3]), "input0.0 = 6 is above the bound 5");
    assert_eq!(refusal([3, -1], [6, 3]), "input0.1 = -1 is below 0");
    let odd = refusal([3, 5], [6, 3]);
    assert!(odd.contains("input0.1") && odd.ends_with("is violated: input0.1 = 5"), "{odd}");
    let other = "input1.0 == 2*input0.0 is violated: input1.0 = 5, input0.0 = 3";
    assert_eq!(refusal([3, 4], [5, 3]), other);
    assert_eq!(refusal([3, 4], [6, 2]), "input1.1 == 3 is violated: input1.1 = 2");
    assert!(loaded.refusal(&[vec![3, 4]]).is_err());
}
