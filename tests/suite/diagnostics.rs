//! Every diagnostic: a page, an example, a test.
//!
//! The example of a page in `docs/diagnostics/` is the test of its code: the program shown is given to
//! the command shown, which must answer with exactly the message shown. `STRATA_BLESS=1` writes the
//! answers into the pages; read them before they are committed.
//!
//! What no program and no command line can provoke (our own bugs, the environment) is provoked by a unit
//! test with an injected fault, listed in [`INJECTED`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use strata_diag::{Code, codes};

use crate::arrays::npy;
use crate::cli::SUM;
use crate::command::{strata, workspace};

/// Codes whose test injects the fault: the code, the file of the test and its name.
const INJECTED: &[(&str, &str, &str)] = &[
    ("S0006", "crates/strata-cli/src/supervisor.rs", "a_crash_is_seen_and_told_apart"),
    (
        "S1014",
        "tests/suite/builder/broadcasting.rs",
        "d004_lower_rank_without_specification_is_invalid",
    ),
    ("S1015", "tests/suite/builder/misuse.rs", "values_of_another_builder"),
    (
        "S1701",
        "crates/strata-codegen/src/emit.rs",
        "an_object_that_needs_more_than_it_may_is_refused",
    ),
    (
        "S1704",
        "crates/strata-codegen/src/embed.rs",
        "constants_that_no_address_reaches_are_refused",
    ),
    (
        "S1914",
        "crates/strata-verify/src/verify.rs",
        "a_difference_in_ill_conditioned_results_proves_nothing",
    ),
    ("S9001", "crates/strata-cli/src/panics.rs", "a_panic_is_an_internal_error"),
    ("S9002", "crates/strata-ir/tests/module.rs", "a_lost_mark_of_the_entry_is_our_bug"),
    ("S9003", "crates/strata-ir/tests/module.rs", "a_pass_that_fails_is_our_bug"),
    ("S9004", "crates/strata-cli/src/supervisor.rs", "a_crash_is_seen_and_told_apart"),
    ("S9005", "crates/strata-verify/src/verify.rs", "a_planted_difference_is_reported"),
    (
        "S9006",
        "crates/strata-verify/src/stages.rs",
        "only_what_comes_from_an_edited_dump_is_due_to_it",
    ),
];

/// The dump of stage `linalg` of the sum, with a difference instead.
const EDITED: &str = "\
#map = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> attributes {strata.entry, strata.inputs = [tensor<3xf32>, tensor<3xf32>], strata.outputs = [tensor<3xf32>]} {
    %0 = tensor.empty() : tensor<3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = [\"parallel\"]} ins(%arg0, %arg1 : tensor<3xf32>, tensor<3xf32>) outs(%0 : tensor<3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = arith.subf %in, %in_0 : f32
      linalg.yield %2 : f32
    } -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
";

/// Other files that an example needs.
fn fixtures(code: Code) -> Vec<(&'static str, Vec<u8>)> {
    let model = ("model.mlir", SUM.into());
    let arrays = |b| vec![("sum.mlir", SUM.into()), ("a.npy", npy("<f4", "(3,)", &[0; 12])), b];
    match code.id() {
        "S1002" => vec![("empty.mlir", Vec::new())],
        "S1003" => vec![("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec())],
        "S1008" => {
            let (open, close) = ("[".repeat(2000), "]".repeat(2000));
            vec![("deep.mlir", format!("module attributes {{a = {open}{close}}} {{}}\n").into())]
        }
        "S1011" => vec![("damaged.mlirbc", b"ML\xefR\x0dStableHLO_v1".to_vec())],
        "S1012" => vec![("newer.mlirbc", b"ML\xefR\x0dStableHLO_v2.0.0\0".to_vec())],
        "S1104" => {
            let function = |n: u32| {
                let head =
                    format!("func.func private @f{n}(%x: tensor<3xf32>) -> tensor<3xf32> {{");
                let call = |to: &str, of: &str| {
                    format!(
                        "%{to} = func.call @f{}(%{of}) : (tensor<3xf32>) -> tensor<3xf32>",
                        n + 1
                    )
                };
                let (first, second) = (call("0", "x"), call("1", "0"));
                format!("{head}\n  {first}\n  {second}\n  return %1 : tensor<3xf32>\n}}\n")
            };
            let all: String = (0..40).map(function).collect();
            let last = function(40)
                .lines()
                .next()
                .map(|head| format!("{head}\n  return %x : tensor<3xf32>\n}}\n"));
            let all = all.replacen("private @f0", "public @main", 1) + &last.unwrap_or_default();
            vec![("doubling.mlir", all.into())]
        }
        "S1301" => vec![model, ("schedule.mlir", b"transform.nothing\n".to_vec())],
        "S1302" => vec![model, ("schedules.json", b"{\"strata_schedules\": 2}\n".to_vec())],
        "S1303" => {
            let text = b"{\"strata_schedules\": 1, \"nests\": []}\n";
            vec![model, ("schedules.json", text.to_vec())]
        }
        "S1703" | "S1805" | "S1807" => vec![("x.npy", npy("<f4", "(3,)", &[0; 12]))],
        "S1915" => vec![model, ("edited.mlir", EDITED.into())],
        "S1921" | "S1922" | "S1923" | "S1924" => vec![("a.npy", npy("<f4", "(3,)", &[0; 12]))],
        "S1925" => vec![("a.npy", npy("<f4", "(4,)", &[0; 16]))],
        "S1801" | "S1802" => arrays(("b.npy", npy("<f4", "(4,)", &[0; 16]))),
        "S1803" => arrays(("b.npy", npy("<f8", "(3,)", &[0; 24]))),
        "S1808" => vec![("samples.txt", b"app 1 2.5: 1 cycles:  7f00 main+0x5 (/app)\n".to_vec())],
        "S1809" => {
            // Within the first instruction.
            let samples = b"app 1 2.5: 1 cycles:  7f01 model_main.kernel+0x1 (/app)\n";
            vec![("samples.txt", samples.to_vec())]
        }
        "S1806" => vec![model, ("weights.safetensors", b"\x02\0\0\0\0\0\0\0{}".to_vec())],
        "S1804" => arrays(("b.npy", npy("<f4", "(3,)", &[0; 8]))),
        _ => vec![model],
    }
}

/// The example of a page.
struct Example<'a> {
    program: Option<&'a str>,
    command: &'a str,
    answer: &'a str,
}

fn example(code: Code) -> Example<'static> {
    let (_, text) = code.page().split_once("\n## Example\n").expect("a section `Example`");
    let fence = |language: &str| {
        let (_, rest) = text.split_once(&format!("```{language}\n"))?;
        rest.split_once("\n```").map(|(inside, _)| inside)
    };
    let console = fence("console").expect("a console block");
    let (command, answer) = console.split_once('\n').expect("a command and its answer");
    Example {
        program: fence("mlir"),
        command: command.strip_prefix("$ strata ").expect("a call of strata"),
        answer,
    }
}

fn page_file(code: Code) -> PathBuf {
    workspace().join(format!("docs/diagnostics/{code}.md"))
}

fn files(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect()
}

#[test]
fn every_page_shows_what_really_happens() {
    let bless = std::env::var_os("STRATA_BLESS").is_some();
    let mut wrong = Vec::new();
    for &code in codes::TABLE {
        if INJECTED.iter().any(|(injected, ..)| *injected == code.id()) {
            continue;
        }
        let place = tempfile::tempdir().expect("a temporary folder");
        let example = example(code);
        let words: Vec<&str> = example.command.split(' ').collect();
        for (name, content) in fixtures(code) {
            fs::write(place.path().join(name), content).expect("written");
        }
        if let Some(program) = example.program {
            let name = words.iter().find(|word| word.ends_with(".mlir")).expect("a program");
            fs::write(place.path().join(name), format!("{program}\n")).expect("written");
        }
        let before = files(place.path());
        let ended = strata(place.path(), &words);
        let answer = ended.stderr.trim_end();
        // A warning or a note is all that some codes are ever given with.
        let is_mild = |severity: &&str| example.answer.starts_with(*severity);
        let (severity, exit_code) = match ["warning", "note"].into_iter().find(is_mild) {
            Some(mild) => (mild, 0),
            None => ("error", code.fault().exit_code()),
        };
        let headline = format!("{severity}[{code}]: {}", code.title());
        if ended.code != i32::from(exit_code) || !answer.starts_with(&headline) {
            wrong.push(format!("{code}: exit {} and\n{answer}", ended.code));
        } else if files(place.path()) != before {
            wrong.push(format!("{code}: left {:?}", files(place.path())));
        } else if answer != example.answer {
            if bless {
                let page = code.page().replace(example.answer, answer);
                fs::write(page_file(code), page).expect("written");
            } else {
                wrong.push(format!("{code}: the page does not show\n{answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn injected_faults_name_real_codes_and_tests() {
    for (code, file, test) in INJECTED {
        assert!(codes::find(code).is_some(), "{code} is not a code");
        let source = fs::read_to_string(workspace().join(file)).expect(file);
        assert!(source.contains(&format!("fn {test}(")), "{code}: no test {test} in {file}");
        assert!(source.contains(&format!("codes::{code}")), "{code} is not in {file}");
    }
}

#[test]
fn every_page_has_a_row() {
    let pages = files(&workspace().join("docs/diagnostics"));
    let rows = codes::TABLE.iter().map(|code| format!("{code}.md")).collect();
    let extra: Vec<_> = pages.difference(&rows).filter(|name| name.starts_with('S')).collect();
    assert!(extra.is_empty(), "pages without a code: {extra:?}");
}
