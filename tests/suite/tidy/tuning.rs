//! Thresholds are in the room for tuning, each with what it was measured on.

use super::{root, text};

const TUNING: &str = "crates/strata-target/src/tuning";

/// The Rust files below a folder, by path from the root.
fn sources(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                _ if path.is_dir() => open.push(path),
                Some(ending) if ending == "rs" => {
                    let path = path.strip_prefix(root()).expect("below the root");
                    found.push(path.to_str().expect("a plain name").to_owned());
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// The name of the constant that a line declares.
fn constant(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
    let line = line.trim_start_matches("pub(super) ");
    let name = line.strip_prefix("const ")?.split(':').next()?;
    name.chars()
        .all(|char| char.is_ascii_uppercase() || "_0123456789".contains(char))
        .then_some(name)
}

/// The crates of the stages.
const STAGES: &[&str] =
    &["strata-hlo", "strata-linalg", "strata-schedule", "strata-loops", "strata-codegen"];

/// Numbers of the stages that do not decide which code is faster, by file below `crates`.
const NOT_TUNED: &[(&str, &[&str])] = &[
    // Fixed by formats, interfaces and the word sizes of processors.
    ("strata-linalg/src/lowerings/dot/subwords/numbers.rs", &["MAX_DIFFERENCE"]),
    ("strata-schedule/src/fusion/attention/masked.rs", &["MOST_WHOLE"]),
    (
        "strata-codegen/src/abi.rs",
        &[
            "MOST_DIRECT",
            "SIGNATURE_VERSION",
            "QUANTIZED_SIGNATURE_VERSION",
            "NAMES_VERSION",
            "UNSUPPORTED_CPU",
            "WRONG_SIZES",
            "NO_HOST",
            "NOT_PREPARED",
            "NO_COLLECTIVES",
            "WRONG_DEVICES",
            "COLLECTIVE_SIZE",
            "CALL_VERSION",
            "STRING",
            "DICTIONARY",
            "LIST",
        ],
    ),
    ("strata-codegen/src/detection.rs", &["SAVED_AVX", "SAVED_AVX512"]),
    ("strata-codegen/src/embed.rs", &["REACH"]),
    ("strata-codegen/src/emit.rs", &["MAX_FRAME_BYTES"]),
    (
        "strata-codegen/src/llvm/call_text/exchanges.rs",
        &["HOST_FIELDS", "FIRST_EXCHANGE", "RAGGED_FIELDS"],
    ),
    ("strata-codegen/src/llvm/call_text/exchanges/overlap.rs", &["START"]),
    ("strata-codegen/src/llvm/external.rs", &["IS_OPERAND"]),
    ("strata-codegen/src/llvm/partitions.rs", &["PERMUTED"]),
    ("strata-codegen/src/llvm/extrema.rs", &["GROUP_BITS"]),
    ("strata-codegen/src/llvm/masks.rs", &["INDEX_BITS", "MAX_LANES", "WIDEST"]),
    ("strata-codegen/src/llvm/tables.rs", &["CHUNK"]),
    ("strata-codegen/src/machine.rs", &["MOST_IDLE"]),
    ("strata-codegen/src/weights.rs", &["ALIGNMENT", "PADDING", "FNV1A"]),
    // Where integers are as exact as floats.
    ("strata-hlo/src/expansion/quantized/scaled.rs", &["MIN_PRODUCTS", "MAX_EXPONENT"]),
    ("strata-hlo/src/interop/chlo_calls.rs", &["VERSION"]),
    ("strata-hlo/src/interop/dynamic_calls.rs", &["WINDOW"]),
    ("strata-hlo/src/sizes/padded/neutral.rs", &["FIRST", "AFTER"]),
    ("strata-hlo/src/sizes/padded/rules.rs", &["LEFT", "RIGHT"]),
    ("strata-linalg/src/algorithms/short_vectors.rs", &["DYNAMIC"]),
    ("strata-linalg/src/algorithms/sort/insertion.rs", &["POSITION_BITS"]),
    ("strata-linalg/src/algorithms/sort/ranks.rs", &["RANK_BITS"]),
    ("strata-linalg/src/lowerings/dot/widened.rs", &["EXACT_BITS"]),
    ("strata-linalg/src/lowerings/ragged.rs", &["TAKEN"]),
    ("strata-loops/src/affine/emit/control.rs", &["BOUNDS"]),
    ("strata-loops/src/affine/plan.rs", &["ALIGNMENT", "RANGES_OF_PART", "MOST_PARTS"]),
    ("strata-loops/src/affine/values.rs", &["COPY", "READ", "WRITE", "END"]),
    ("strata-loops/src/dispatch/entry.rs", &["WORD"]),
    ("strata-loops/src/nests/limits.rs", &["NO_LIMIT"]),
    ("strata-loops/src/nests/kernels.rs", &["RANGE", "ALIGNMENT"]),
    ("strata-loops/src/vector/legalise/bits.rs", &["BITS"]),
    ("strata-loops/src/vector/legalise/fold.rs", &["GROUP_BITS"]),
    ("strata-loops/src/vector/streaming/mod.rs", &["LINE"]),
    ("strata-schedule/src/limits/elements.rs", &["ANY"]),
    ("strata-schedule/src/limits/mod.rs", &["LARGEST"]),
    ("strata-schedule/src/tuned/file.rs", &["VERSION"]),
    ("strata-schedule/src/tuned/fingerprint.rs", &["PRIME"]),
    ("strata-schedule/src/vectors/short_vectors.rs", &["DYNAMIC"]),
    // Mathematics: which formula is accurate where.
    ("strata-hlo/src/expansion/zeta.rs", &["TERMS", "LAST"]),
    ("strata-linalg/src/algorithms/rng.rs", &["ROTATIONS"]),
    ("strata-linalg/src/numbers/complex/parts.rs", &["GUESS"]),
    (
        "strata-loops/src/vector/math/trig.rs",
        &["ROUNDER32", "MIDDLE", "ROUNDER", "LARGE", "TWO_OVER_PI"],
    ),
    ("strata-hlo/src/simplification/softplus.rs", &["TANH_IS_ONE"]),
    ("strata-loops/src/vector/math/num.rs", &["RECIPROCAL"]),
    ("strata-loops/src/vector/math/length.rs", &["HIGHEST", "LOWEST"]),
    (
        "strata-loops/src/vector/math/single.rs",
        &["SMALL_ASINH", "SMALL_ATANH", "GUESS", "ROOT_HALF"],
    ),
    ("strata-loops/src/vector/math/trig64.rs", &["ROUNDER", "LARGE", "TWO_OVER_PI"]),
    ("strata-loops/src/vector/math/arc.rs", &["FRAC_PI_2_LOW", "TAN_PI_8"]),
    // What the compiler itself tries, looks at or refuses.
    ("strata-codegen/src/llvm/rolled.rs", &["DEEPEST"]),
    ("strata-hlo/src/entry/call_graph.rs", &["LARGEST"]),
    ("strata-hlo/src/layout/cut.rs", &["NEVER"]),
    ("strata-hlo/src/sizes/mod.rs", &["LARGEST"]),
    ("strata-hlo/src/sizes/open.rs", &["MOST_ROWS_TRIED"]),
    ("strata-hlo/src/sizes/padded/computed.rs", &["DEEPEST"]),
    ("strata-hlo/src/sizes/padded/contractions.rs", &["MOST_SUMS"]),
    ("strata-hlo/src/sizes/padded/last.rs", &["MOST_TRIED"]),
    ("strata-hlo/src/sizes/padded/mod.rs", &["MOST_SIZES"]),
    ("strata-hlo/src/sizes/padded/neutral.rs", &["MOST_TRIED"]),
    ("strata-hlo/src/sizes/walk.rs", &["DEEPEST", "MOST_OPERATIONS", "LONGEST"]),
    ("strata-loops/src/affine/checker/facts.rs", &["EXCEPTIONS", "INSERTIONS"]),
    ("strata-loops/src/affine/checker/scalars.rs", &["DEPTH"]),
    ("strata-schedule/src/limits/carried.rs", &["MAX_ROUNDS"]),
    // Words of an error.
    ("strata-linalg/src/prepared.rs", &["MOST_NAMED"]),
];

/// Comparisons with numbers that are not thresholds: conversions are exact up to 2^53.
const NOT_COMPARED: &[(&str, &str)] =
    &[("strata-hlo/src/simplification/fold_elementwise.rs", "<= 1 << 53")];

/// Whether a line declares a number or a list of numbers; of floating-point lists only scalars count, which are the rest of mathematics.
fn is_numeric(line: &str) -> bool {
    let Some((_, ty)) = line.split_once(": ").filter(|_| constant(line).is_some()) else {
        return false;
    };
    let is_list = ty.starts_with(['&', '[']);
    let element = ty.trim_start_matches(['&', '[']);
    let end = element.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(element.len());
    let bits = ["8", "16", "32", "64", "128", "size"];
    match element.as_bytes().first() {
        Some(b'i' | b'u') => bits.contains(&&element[1..end]),
        Some(b'f') => !is_list && bits.contains(&&element[1..end]),
        _ => false,
    }
}

/// Where the number that a text begins with ends.
fn digits_end(text: &str) -> usize {
    text.find(|char: char| !(char.is_ascii_digit() || char == '_')).unwrap_or(text.len())
}

/// The number that a line compares with, if it is larger than any width of a register in bits.
fn compared(line: &str) -> Option<&str> {
    let code = line.split("//").next().unwrap_or_default();
    code.char_indices().filter(|(_, char)| "<>".contains(*char)).find_map(|(at, _)| {
        // Not a shift, an arrow or the end of a type.
        let before = code[..at].chars().next_back().unwrap_or(' ');
        let rest = code[at + 1..].strip_prefix('=').unwrap_or(&code[at + 1..]);
        let number = rest.strip_prefix(' ').filter(|_| before == ' ')?;
        let digits = number[..digits_end(number)].replace('_', "");
        let after = number[digits_end(number)..].chars().next();
        let shift = number.strip_prefix("1 << ");
        let is_shifted = shift.is_some_and(|by| by.starts_with(|char: char| char.is_ascii_digit()));
        // `202002L` is of another language.
        if after.is_some_and(char::is_alphanumeric) {
            return None;
        }
        (is_shifted || digits.parse::<u64>().is_ok_and(|number| number > 64)).then(|| &code[at..])
    })
}

/// The lines of the stages' code, without tests, with their files.
fn lines_of_stages() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in STAGES.iter().flat_map(|name| sources(&format!("crates/{name}/src"))) {
        if file.ends_with("/tests.rs") || file.contains("/tests/") {
            continue;
        }
        let text = text(&file);
        let file = file.trim_start_matches("crates/").to_owned();
        let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        found.extend(code.map(|line| (file.clone(), line.to_owned())));
    }
    found
}

/// Every number that decides which code is faster is in the room for tuning, whatever it is called; each of the others is known by name.
#[test]
fn stages_have_no_thresholds_of_their_own() {
    let lines = lines_of_stages();
    let declared = lines.iter().filter(|(_, line)| is_numeric(line));
    let declared: Vec<(&str, &str)> =
        declared.filter_map(|(file, line)| Some((file.as_str(), constant(line)?))).collect();
    assert!(declared.len() > 40, "only {} numbers were found", declared.len());
    let known: Vec<(&str, &str)> = NOT_TUNED
        .iter()
        .flat_map(|(file, names)| names.iter().map(|name| (*file, *name)))
        .collect();
    let unknown: Vec<_> = declared.iter().filter(|one| !known.contains(one)).collect();
    assert!(
        unknown.is_empty(),
        "these belong to {TUNING}, or to NOT_TUNED with the reason: {unknown:#?}"
    );
    let gone: Vec<_> = known.iter().filter(|one| !declared.contains(one)).collect();
    assert!(gone.is_empty(), "the stages have no such numbers: {gone:#?}");
}

/// Nor are there numbers without a name.
#[test]
fn stages_compare_with_no_large_literals() {
    let is_known = |file: &str, what: &str| {
        NOT_COMPARED.iter().any(|(known, text)| *known == file && what.starts_with(text))
    };
    let lines = lines_of_stages();
    let found = lines.iter().filter_map(|(file, line)| Some((file, compared(line)?)));
    let (known, found): (Vec<_>, Vec<_>) = found.partition(|(file, what)| is_known(file, what));
    assert!(found.is_empty(), "these belong to {TUNING}: {found:#?}");
    assert_eq!(known.len(), NOT_COMPARED.len(), "{known:#?}");
}

#[test]
fn numbers_are_recognised() {
    for line in [
        "const A: i64 = 7;",
        "    pub(super) const B: usize = 1;",
        "const C: &[u64] = &[1];",
        "pub const D: f64 = 0.5;",
    ] {
        assert!(is_numeric(line), "{line}");
    }
    for line in [
        "const A: &str = \"x\";",
        "let a: i64 = 7;",
        "const P: &[f64] = &[",
        "const F: fn(i64) = f;",
    ] {
        assert!(!is_numeric(line), "{line}");
    }
    for line in ["if a > 100 {", "a >= 1_000 && b", "x.size() < 256", "a <= 1 << 20"] {
        assert!(compared(line).is_some(), "{line}");
    }
    for line in [
        "a <= 64",
        "a << 100",
        "-> 100",
        "Vec<100>",
        "a > b // > 100",
        "width >= 32",
        "a < 1 << bits",
        "__cplusplus < 202002L",
    ] {
        assert!(compared(line).is_none(), "{line}");
    }
}

#[test]
fn every_threshold_says_what_it_was_measured_on() {
    let text: String = sources(TUNING).iter().map(|file| text(file)).collect();
    let (mut seen, mut docs, mut module) = (0, String::new(), String::new());
    for line in text.lines() {
        if let Some(doc) = line.trim_start().strip_prefix("///") {
            docs.push_str(doc);
        } else if line.starts_with("pub mod ") {
            module = std::mem::take(&mut docs);
        } else if constant(line).is_some() {
            let is_said =
                |text: &str| ["easured", "measurement"].iter().any(|word| text.contains(word));
            // What is said of all numbers of a module need not be said of each.
            assert!(is_said(&docs) || is_said(&module), "{line}: measured on what?");
            seen += 1;
            docs.clear();
        }
    }
    assert!(seen > 80, "only {seen} thresholds were read");
}
