//! The file of schedules: written, read, refused, and what it makes of programs.

use std::{fs, path::Path};

use strata::{Artifact, Choice, Compiler, Entry, Options, Schedules};
use strata_diag::codes;
use strata_eval::Values;
use strata_run::Linked;
use strata_verify::{Object, random_inputs};

use super::{DENSE, DENSE_ELSEWHERE, DOTS, IMAGES, POINTWISE, ROWS, SOFTMAX, nests, options};
use crate::command::{Ended, strata};

fn compiled(program: &str, options: &Options) -> Artifact {
    Compiler::new(options.clone()).compile("test.mlir", program.as_bytes()).expect("compiles")
}

/// The options with a file that has these schedules.
fn with(schedules: &Schedules) -> Options {
    Options { schedule: Some(schedules.text()), ..options() }
}

/// The schedules of a program with another one for each nest, where it may have one.
fn others(program: &str, choose: impl Fn(&strata::TunableNest) -> Choice) -> Schedules {
    let mut all = Schedules::default();
    for nest in nests(program, &options()) {
        all.insert(Entry {
            nest: nest.fingerprint,
            target: nest.target.clone(),
            about: nest.about.clone(),
            schedule: choose(&nest),
            gains: None,
        });
    }
    all
}

#[test]
fn the_compilers_own_schedules_change_nothing_and_others_give_the_same_bytes() {
    for program in [DENSE, SOFTMAX, POINTWISE, DOTS, ROWS, IMAGES] {
        let all = others(program, |nest| nest.chosen.clone());
        let text = all.text();
        assert_eq!(Schedules::read("own.json", &text).expect("reads").text(), text);
        let (own, tuned) = (compiled(program, &options()), compiled(program, &with(&all)));
        assert!(own.bytes() == tuned.bytes(), "{text}");
        let other = others(program, |nest| nest.space.last().expect("a schedule").clone());
        let [first, again] = [0; 2].map(|_| compiled(program, &with(&other)));
        assert!(first.bytes() == again.bytes() && first.bytes() != own.bytes(), "{other:?}");
        assert!(tuned.warnings().is_empty(), "{}", tuned.warnings());
    }
}

/// The largest difference of `f32`s, in units of eps relative to the root of the mean square, as docs/numerics.md measures sums.
fn distance(actual: &[u8], expected: &[u8]) -> f64 {
    let read = |bytes: &[u8]| -> Vec<f64> {
        let (all, []) = bytes.as_chunks() else { panic!("whole numbers") };
        all.iter().map(|one| f64::from(f32::from_le_bytes(*one))).collect()
    };
    let (actual, expected) = (read(actual), read(expected));
    let square = expected.iter().map(|one| one * one).sum::<f64>() / expected.len() as f64;
    let differences = actual.iter().zip(&expected).map(|(one, other)| (one - other).abs());
    let largest =
        differences.fold(0.0, |most, one| if one > most || one.is_nan() { one } else { most });
    largest / (square.sqrt() * f64::from(f32::EPSILON))
}

/// Every schedule that a search may try gives the program's results.
#[test]
fn all_schedules_compute_the_same() {
    let mut kinds = std::collections::BTreeSet::new();
    for program in [DENSE, SOFTMAX, POINTWISE, DOTS, ROWS, IMAGES] {
        let inputs = random_inputs("test.mlir", program.as_bytes(), &options(), Values::Tame, 1);
        let inputs = inputs.expect("inputs");
        let load = |options: &Options| {
            Object::of(&compiled(program, options), options, &Linked::default()).expect("loads")
        };
        let expected = load(&options()).call(&inputs).expect("runs");
        for nest in nests(program, &options()) {
            let step = nest.space.len().div_ceil(10).max(1);
            assert!(nest.space.contains(&nest.chosen), "{nest:?}");
            for choice in nest.space.iter().step_by(step) {
                let mut one = Schedules::default();
                one.insert(Entry {
                    nest: nest.fingerprint,
                    target: nest.target.clone(),
                    about: nest.about.clone(),
                    schedule: choice.clone(),
                    gains: None,
                });
                let tuned = Compiler::new(with(&one)).compile("test.mlir", program.as_bytes());
                // Whether MLIR can apply a schedule is known only then: an error names the nest.
                let tuned = match tuned {
                    Ok(tuned) => tuned,
                    Err(errors) => panic!("{choice:?}: {errors}"),
                };
                let object = Object::of(&tuned, &with(&one), &Linked::default()).expect("loads");
                let actual = object.call(&inputs).expect("runs");
                for (actual, expected) in actual.iter().zip(&expected) {
                    assert!(distance(actual.bytes(), expected.bytes()) <= 16.0, "{choice:?}");
                }
                let kind = choice.to_string();
                kinds.insert(kind.split(' ').next().unwrap_or_default().to_owned());
            }
        }
    }
    let kinds: Vec<_> = kinds.iter().map(String::as_str).collect();
    assert_eq!(kinds, ["apart", "elementwise", "loops", "registers", "rows", "transpose"]);
}

/// Rows that are left over, elements that are left over, and several kinds of accumulators. Rows fill the widest vectors, of 64 bytes.
#[test]
fn rows_at_a_time_give_the_same() {
    let all = [
        (13, 131, "f32", "add", "0.0"),
        (7, 64, "f32", "maximum", "0xFF800000"),
        (4, 33, "f64", "minimum", "0x7FF0000000000000"),
        (5, 200, "bf16", "maximum", "0xFF80"),
        (9, 77, "i32", "add", "3"),
        (2, 72, "i8", "maximum", "-128"),
    ];
    for (rows, columns, ty, op, start) in all {
        let program = format!(
            "func.func @main(%x: tensor<2x{rows}x{columns}x{ty}>) -> tensor<2x{rows}x{ty}> {{
               %0 = stablehlo.constant dense<{start}> : tensor<{ty}>
               %1 = stablehlo.reduce(%x init: %0) applies stablehlo.{op} across dimensions = [2] : (tensor<2x{rows}x{columns}x{ty}>, tensor<{ty}>) -> tensor<2x{rows}x{ty}>
               return %1 : tensor<2x{rows}x{ty}>
             }}"
        );
        let inputs = random_inputs("test.mlir", program.as_bytes(), &options(), Values::Tame, 1);
        let inputs = inputs.expect("inputs");
        let run = |options: &Options, artifact: &Artifact| {
            let object = Object::of(artifact, options, &Linked::default()).expect("loads");
            object.call(&inputs).expect("runs").remove(0).bytes().to_vec()
        };
        let expected = run(&options(), &compiled(&program, &options()));
        for (together, accumulators) in [(2, 1), (2, 2), (4, 1), (4, 2), (4, 4), (8, 1)] {
            let schedules = others(&program, |nest| match nest.chosen {
                Choice::Rows { lanes, unroll, .. } => {
                    Choice::Rows { lanes, accumulators, unroll, together }
                }
                ref other => other.clone(),
            });
            let options = with(&schedules);
            let tuned = Compiler::new(options.clone()).compile("test.mlir", program.as_bytes());
            let what = format!("{together} rows of {accumulators} accumulators: {program}");
            if together > rows {
                let errors = tuned.expect_err("there are not so many rows");
                assert!(errors.to_string().contains("may be taken at a time"), "{errors}");
                continue;
            }
            let actual = run(&options, &tuned.expect("compiles"));
            match (op, ty) {
                ("add", "f32") => assert!(distance(&actual, &expected) <= 16.0, "{what}"),
                _ => assert!(actual == expected, "{what}"),
            }
        }
    }
}

/// Blocks of the loops around rows change in which order results are computed, not how: their bits are the same. Blocks that do not divide the
/// loop, or are all of it, are told.
#[test]
fn blocks_of_the_loop_around_rows_give_the_same_bits() {
    let inputs = random_inputs("test.mlir", IMAGES.as_bytes(), &options(), Values::Tame, 1);
    let inputs = inputs.expect("inputs");
    let run = |options: &Options, artifact: &Artifact| {
        let object = Object::of(artifact, options, &Linked::default()).expect("loads");
        let outputs = object.call(&inputs).expect("runs");
        outputs.iter().map(|one| one.bytes().to_vec()).collect::<Vec<_>>()
    };
    let expected = run(&options(), &compiled(IMAGES, &options()));
    let blocked = |block: i64, packs: bool| {
        others(IMAGES, |nest| match nest.chosen.clone() {
            Choice::Registers { rows, lanes, pack, .. } => Choice::Registers {
                rows: rows.min(3),
                columns: lanes,
                lanes,
                row_block: 0,
                depth_block: 0,
                outer_block: block,
                // Only products have an operand that can be packed.
                pack: pack || packs && nest.about.contains("fma"),
                transpose_panels: false,
            },
            other => other,
        })
    };
    let plain = compiled(IMAGES, &with(&blocked(0, false)));
    assert_eq!(run(&options(), &plain), expected);
    for (block, packs) in [(1, false), (1, true), (2, false), (4, true), (8, false)] {
        let options = with(&blocked(block, packs));
        let tuned = Compiler::new(options.clone()).compile("test.mlir", IMAGES.as_bytes());
        let tuned = tuned.unwrap_or_else(|errors| panic!("{block}: {errors}"));
        assert!(tuned.bytes() != plain.bytes(), "{block}");
        assert_eq!(run(&options, &tuned), expected, "blocks of {block}");
    }
    for (block, reason) in [
        (3, "`outer_block` is 3, which does not divide the 8 iterations"),
        (-1, "`outer_block` is -1, which does not divide"),
        (16, "`outer_block` is 16, which does not divide"),
    ] {
        let tuned = Compiler::new(with(&blocked(block, false)));
        let errors = tuned.compile("test.mlir", IMAGES.as_bytes()).expect_err("no such blocks");
        assert!(errors.to_string().contains(reason), "{errors}");
    }
    let dense = others(DENSE, |nest| match nest.chosen.clone() {
        Choice::Registers { rows, columns, lanes, .. } => Choice::Registers {
            rows,
            columns,
            lanes,
            row_block: 0,
            depth_block: 0,
            outer_block: 1,
            pack: false,
            transpose_panels: false,
        },
        other => other,
    });
    let errors = Compiler::new(with(&dense)).compile("test.mlir", DENSE.as_bytes());
    let errors = errors.expect_err("a dot has no such loop").to_string();
    assert!(errors.contains("no loop is around the rows"), "{errors}");
}

#[test]
fn programs_share_nests() {
    let all = others(DENSE, |nest| match nest.chosen {
        Choice::Registers { lanes, .. } => Choice::Registers {
            rows: 3,
            columns: lanes,
            lanes,
            row_block: 0,
            depth_block: 0,
            outer_block: 0,
            pack: false,
            transpose_panels: false,
        },
        _ => nest.chosen.clone(),
    });
    assert_eq!(all.len(), 1);
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("schedules.json"), all.text()).expect("written");
    for (program, nests) in [(DENSE, 1), (DENSE_ELSEWHERE, 2)] {
        fs::write(place.path().join("p.mlir"), program).expect("written");
        let ended = compile(place.path(), &["--remarks"]).succeeded();
        let schedules: Vec<_> =
            ended.stderr.lines().filter(|line| line.starts_with("    schedule ")).collect();
        assert_eq!(schedules.len(), nests, "{}", ended.stderr);
        let given = schedules.iter().filter(|line| line.contains("registers 3x")).count();
        assert_eq!(given, 1, "{schedules:?}");
    }
}

fn compile(place: &Path, more: &[&str]) -> Ended {
    let mut arguments = vec!["compile", "p.mlir", "--target-cpu", "native", "-o", "p.o"];
    arguments.extend(["--schedule", "schedules.json"]);
    arguments.extend(more);
    strata(place, &arguments)
}

#[test]
fn wrong_files_are_told() {
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("p.mlir"), DENSE).expect("written");
    let right = others(DENSE, |nest| nest.chosen.clone()).text();
    let print = nests(DENSE, &options())[0].fingerprint.to_string();
    let Choice::Registers { rows, columns, .. } = nests(DENSE, &options())[0].chosen else {
        panic!("a register tile");
    };
    let replaced = |from: &str, to: &str| {
        assert!(right.contains(from), "{from} in {right}");
        right.replacen(from, to, 1)
    };
    let (own_rows, own_columns) = (format!("\"rows\": {rows}"), format!("\"columns\": {columns}"));
    let entry = right[right.find("    {").expect("an entry")..right.rfind("  ]").expect("its end")]
        .trim_end()
        .to_owned();
    let cases = [
        (right[..right.len() / 2].to_owned(), "it ends too early"),
        (replaced("\"strata_schedules\": 1", "\"strata_schedules\": 7"), "has version 7"),
        (replaced("\"strata_schedules\": 1,", ""), "lacks `strata_schedules`"),
        (replaced("\"pack\"", "\"packed\""), "unknown field `packed`"),
        (replaced("\"registers\"", "\"register\""), "unknown variant `register`"),
        (replaced(&own_rows, "\"rows\": 38"), "the result has 37 rows"),
        (replaced(&own_rows, "\"rows\": 0"), "`rows` is 0"),
        (replaced(&own_rows, "\"rows\": 37"), "registers, and the target has"),
        (replaced(&own_columns, "\"columns\": 9"), "which is not a multiple of `lanes`"),
        (replaced("\"depth_block\": 0", "\"depth_block\": 65"), "a result has 65 terms"),
        (replaced("\"depth_block\": 0", "\"depth_block\": 16"), "a block would have a single one"),
        (replaced("\"depth_block\": 0", "\"depth_block\": 1"), "a block would have a single one"),
        (replaced("\"row_block\": 0", "\"row_block\": -8"), "`row_block` is -8"),
        (replaced(&print, &print[1..]), "is not the fingerprint of a nest"),
        (right.replacen(&entry, &format!("{entry},\n{entry}"), 1), "two schedules for the nest"),
        (replaced("\"pack\": false", "\"pack\": 1"), "expected a boolean"),
        ("{}".to_owned(), "lacks `strata_schedules`"),
        (
            "{\"strata_tuning\": 1, \"nests\": []}".to_owned(),
            "it is a database, in which `strata tune`",
        ),
        (format!("\u{feff}{}", replaced(&own_rows, "\"rows\": 0")), "`rows` is 0"),
        (" \n".to_owned(), "it is empty"),
        (format!("[{right}]"), "it begins with `[`"),
    ];
    for (text, reason) in cases {
        fs::write(place.path().join("schedules.json"), &text).expect("written");
        let ended = compile(place.path(), &[]);
        assert_eq!(ended.code, 1 + i32::from(codes::S1302.fault().exit_code() == 2), "{text}");
        assert!(ended.stderr.starts_with("error[S1302]"), "{text}\n{}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{reason} in {}", ended.stderr);
        assert!(ended.stderr.contains("hint: "), "{}", ended.stderr);
    }
    let rows = "{\"rows\": {\"lanes\": 4, \"accumulators\": 4, \"unroll\": 4}}";
    let start = right.find("\"schedule\": ").expect("a schedule") + "\"schedule\": ".len();
    let end = right.rfind("\n    }").expect("its end");
    let text = format!("{}{rows}{}", &right[..start], &right[end..]);
    fs::write(place.path().join("schedules.json"), text).expect("written");
    let ended = compile(place.path(), &[]);
    assert!(ended.stderr.contains("`rows 4` is not a schedule for this nest"), "{}", ended.stderr);
}

/// A file that has nothing for the program, or the target, changes nothing, and a warning says so; one of several entries that fits is
/// used without one.
#[test]
fn files_of_other_programs_and_targets_are_told_and_change_nothing() {
    let foreign = others(SOFTMAX, |nest| nest.chosen.clone());
    let tuned = compiled(DENSE, &with(&foreign));
    assert!(tuned.bytes() == compiled(DENSE, &options()).bytes());
    let warnings: Vec<_> = tuned.warnings().iter().map(|one| one.code()).collect();
    assert_eq!(warnings, [codes::S1303]);
    let target = strata::target::resolve(None, Some("x86-64-v2"), None).expect("a target");
    let older = Options { target, ..with(&others(DENSE, |nest| nest.chosen.clone())) };
    let tuned = compiled(DENSE, &older);
    assert!(tuned.bytes() == compiled(DENSE, &Options { schedule: None, ..older }).bytes());
    let reasons: Vec<_> = tuned.warnings().iter().filter_map(|one| one.reason_text()).collect();
    assert!(reasons.len() == 1 && reasons[0].contains("the object is for"), "{reasons:?}");
    let mut both = foreign;
    others(DENSE, |nest| nest.chosen.clone()).iter().cloned().for_each(|one| both.insert(one));
    assert!(compiled(DENSE, &with(&both)).warnings().is_empty());
}

/// An object for several processors takes from one file what is for each.
#[test]
fn each_processor_of_an_object_takes_its_own() {
    let targets = ["x86-64-v2", "x86-64-v3"]
        .map(|cpu| strata::target::resolve(None, Some(cpu), None).expect("a target"));
    let mut options = options();
    options.target = targets[0].clone();
    let mut all = Schedules::default();
    for target in &targets {
        let options = Options { target: target.clone(), ..options.clone() };
        for nest in nests(DENSE, &options) {
            all.insert(Entry {
                nest: nest.fingerprint,
                target: nest.target.clone(),
                about: nest.about.clone(),
                schedule: Choice::Loops,
                gains: None,
            });
        }
    }
    assert_eq!(all.len(), 2);
    options.versions = targets.to_vec();
    let plain = compiled(DENSE, &options);
    options.schedule = Some(all.text());
    let tuned = compiled(DENSE, &options);
    assert!(tuned.warnings().is_empty(), "{}", tuned.warnings());
    assert!(tuned.bytes() != plain.bytes());
}
