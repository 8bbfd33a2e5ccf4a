//! Words that the sources do not use, because the field has another one, or because the phrase does not say what happens.
//!
//! A phrase is a sequence of whole words, and an identifier is the words it is made of: `behind the loop` is found in
//! `is_behind_the_loop` and in `BehindTheLoop`. A phrase may be broken over two lines. What is Strata's own is in
//! docs/glossary.md.

use std::{ffi::OsStr, fmt::Write as _, fs, path::Path, process::Command};

use super::root;

/// A phrase that is not to be written.
struct Banned {
    phrase: &'static str,
    /// It may be written after one of these words.
    unless_after: &'static [&'static str],
    /// It may be written before one of these words.
    unless_before: &'static [&'static str],
    instead: &'static str,
    why: &'static str,
}

const fn banned(phrase: &'static str, instead: &'static str, why: &'static str) -> Banned {
    Banned { phrase, unless_after: &[], unless_before: &[], instead, why }
}

const PLACES_IN_TIME: &str = "programs and data have an order, not a front and a back";
const TRANSPOSE: &str = "it may be transposed, reversed, rotated or negated";
const ROTATION: &str = "the field's term for the buffers of a loop";
const LOCATION: &str = "memory and files do not lie";
const NEGATION: &str = "\"is no X\" reads as a translation";

const BANNED: &[Banned] = &[
    banned("behind", "after, past the end of, of", PLACES_IN_TIME),
    banned("in front", "before, ahead of, leading", PLACES_IN_TIME),
    banned("put together", "merged, concatenated, combined, fused", "it says not how"),
    banned("puts together", "merges, concatenates, combines, fuses", "it says not how"),
    banned("dearest", "most expensive", "costs are high or low"),
    banned("turned", "transposed, reversed, rotated, negated, converted", TRANSPOSE),
    banned("take turns", "alternate; are rotated", ROTATION),
    banned("takes turns", "alternates; is rotated", ROTATION),
    banned("by turns", "alternately", ROTATION),
    banned("change roles", "are rotated", ROTATION),
    banned("change their roles", "are rotated", ROTATION),
    banned("hand on", "pass, forward, yield", "values are passed, yielded or returned"),
    banned("hands on", "passes, forwards, yields", "values are passed, yielded or returned"),
    banned("handed on", "passed, forwarded, yielded", "values are passed, yielded or returned"),
    banned("stretch", "range, block, run of", "a length has a name: block, panel, interval"),
    banned("stretches", "ranges, blocks, runs of", "a length has a name: block, panel, interval"),
    banned("lies", "is, is at, is located", LOCATION),
    banned("stays near", "stays in cache, is reused from L1", "say which memory"),
    banned("matrix product", "dot, matmul, contraction", "the operation's name"),
    banned("matrix products", "dots, matmuls, contractions", "the operation's name"),
    banned("product of matrices", "dot, matmul, contraction", "the operation's name"),
    banned("products of matrices", "dots, matmuls, contractions", "the operation's name"),
    banned("somebody", "the caller, the user, a pass", "say who"),
    banned("anybody", "any caller, any use", "say who"),
    banned("nobody", "no caller, no use", "say who"),
    banned("whoever", "the caller, the pass that", "say who"),
    banned("in its place", "instead; replaced by", "a replacement is a replacement"),
    banned("anew", "again", "plain"),
    banned("mend", "fix, repair", "plain"),
    banned("mends", "fixes, repairs", "plain"),
    banned("mended", "fixed, repaired", "plain"),
    banned("made small", "reduced, minimised", "the field's term for test cases"),
    banned("side by side", "adjacent; at the same time", "it says not whether in space or in time"),
    banned("next to nothing", "a number", "costs have numbers"),
    Banned {
        phrase: "is no",
        unless_after: &["there"],
        unless_before: &["longer", "more", "less", "better", "worse", "larger", "smaller"],
        instead: "is not a",
        why: NEGATION,
    },
    Banned {
        phrase: "are no",
        unless_after: &["there"],
        unless_before: &["longer", "more", "less", "better", "worse", "larger", "smaller"],
        instead: "are not",
        why: NEGATION,
    },
];

/// Files that are data: programs, dumps, expected output.
const DATA: &[&str] = &[
    "tests/dumps/",
    "tests/examples/",
    "tests/expected/",
    "tests/found/",
    "tests/ops/",
    "tests/programs/",
    "tests/wrong/",
];

/// This file shows the phrases.
const TABLE: &str = "tests/suite/tidy/words.rs";

const TEXT: &[&str] =
    &["c", "cmake", "cpp", "h", "hpp", "in", "ll", "md", "py", "rs", "sh", "td", "toml", "txt"];

/// The words of a text in lower case, each with its line; an identifier is split at underscores and capitals.
fn words(text: &str) -> Vec<(String, usize)> {
    let mut words = Vec::new();
    for (line, text) in text.lines().enumerate() {
        for run in text.split(|character: char| !character.is_ascii_alphabetic()) {
            let bytes = run.as_bytes();
            let mut start = 0;
            for end in 1..=bytes.len() {
                let is_end = end == bytes.len() || {
                    let (last, next) = (bytes[end - 1], bytes[end]);
                    let starts_word = bytes.get(end + 1).is_some_and(u8::is_ascii_lowercase);
                    next.is_ascii_uppercase() && (last.is_ascii_lowercase() || starts_word)
                };
                if is_end {
                    words.push((run[start..end].to_ascii_lowercase(), line + 1));
                    start = end;
                }
            }
        }
    }
    words
}

impl Banned {
    /// The lines of `words` with the phrase.
    fn lines(&self, words: &[(String, usize)]) -> Vec<usize> {
        let phrase: Vec<_> = self.phrase.split(' ').collect();
        let word = |index: Option<usize>| {
            index.and_then(|index| words.get(index)).map_or("", |(word, _)| word.as_str())
        };
        let found = words.windows(phrase.len()).enumerate().filter(|&(start, window)| {
            let is_phrase = window.iter().zip(&phrase).all(|((word, _), banned)| word == banned);
            let is_near = window[window.len() - 1].1 - window[0].1 <= 1;
            is_phrase
                && is_near
                && !self.unless_after.contains(&word(start.checked_sub(1)))
                && !self.unless_before.contains(&word(Some(start + phrase.len())))
        });
        found.map(|(_, window)| window[0].1).collect()
    }
}

/// The text files that git tracks, data aside.
fn files() -> Vec<String> {
    let told = Command::new("git").arg("ls-files").current_dir(root()).output().expect("git runs");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let names = String::from_utf8(told.stdout).expect("UTF-8");
    let is_text = |name: &&str| {
        let extension = Path::new(name).extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| TEXT.contains(&extension))
    };
    let is_ours = |name: &&str| *name != TABLE && !DATA.iter().any(|data| name.starts_with(data));
    names.lines().filter(is_text).filter(is_ours).map(str::to_owned).collect()
}

#[test]
fn words_are_the_fields_terms() {
    let mut faults = String::new();
    for name in files() {
        // A file that is deleted but not yet committed.
        let Ok(text) = fs::read_to_string(root().join(&name)) else { continue };
        let named = words(&name).into_iter().map(|(word, _)| (word, 0)).collect::<Vec<_>>();
        let words = words(&text);
        for banned in BANNED {
            for line in banned.lines(&named).into_iter().chain(banned.lines(&words)) {
                let Banned { phrase, instead, why, .. } = banned;
                writeln!(faults, "{name}:{line}: \"{phrase}\": write {instead} ({why})")
                    .expect("a string grows");
            }
        }
    }
    assert!(faults.is_empty(), "words that are not the field's terms:\n{faults}");
}

/// Whether a line separates the two sides of a conflict, as git writes them.
fn is_conflict(line: &str) -> bool {
    ["<<<<<<< ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker))
}

#[test]
fn no_text_has_both_sides_of_a_conflict() {
    assert!(is_conflict(&format!("{} HEAD", "<".repeat(7))), "what git writes is recognised");
    let mut faults = String::new();
    for name in files() {
        let Ok(text) = fs::read_to_string(root().join(&name)) else { continue };
        for (line, _) in text.lines().enumerate().filter(|(_, line)| is_conflict(line)) {
            writeln!(faults, "{name}:{}", line + 1).expect("a string grows");
        }
    }
    assert!(faults.is_empty(), "conflicts that were committed:\n{faults}");
}

#[test]
fn identifiers_are_their_words() {
    let split = |text: &str| words(text).into_iter().map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(
        split("is_in_front MLIRContext F32x8"),
        ["is", "in", "front", "mlir", "context", "f", "x"]
    );
    let front = BANNED.iter().find(|banned| banned.phrase == "in front").expect("a row");
    assert_eq!(front.lines(&words("a\nfn isInFront() {}\n// what is in\n// front\n")), [2, 3]);
    let negation = BANNED.iter().find(|banned| banned.phrase == "is no").expect("a row");
    assert_eq!(
        negation.lines(&words("there is no file\nthis is no longer so\nit is no file")),
        [3]
    );
}
