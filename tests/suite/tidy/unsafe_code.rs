//! Where `unsafe` is, and that each block of it says why it is sound.

use std::collections::BTreeSet;

use super::{Source, crates, root, sources, text};

/// The crates that docs/ARCHITECTURE.md allows it.
fn allowed() -> BTreeSet<String> {
    let page = text("docs/ARCHITECTURE.md");
    let sentence =
        page.split("- `unsafe` appears in ").nth(1).expect("the sentence about `unsafe`");
    let list = sentence.split(" only").next().expect("its list");
    let names = list.split([',', ' ', '\n']).filter(|word| word.starts_with("strata-"));
    names.map(str::to_owned).collect()
}

#[test]
fn crates_without_unsafe_code_forbid_it() {
    let (allowed, crates) = (allowed(), crates());
    let unknown: Vec<_> = allowed.iter().filter(|name| !crates.contains(name)).collect();
    assert!(unknown.is_empty(), "docs/ARCHITECTURE.md names {unknown:?}");
    for name in &crates {
        let roots = ["src/lib.rs", "src/main.rs"].map(|file| format!("crates/{name}/{file}"));
        let roots: Vec<_> = roots.into_iter().filter(|file| root().join(file).exists()).collect();
        assert!(!roots.is_empty(), "{name} has neither a library nor a command");
        for file in roots {
            let forbids = text(&file).lines().any(|line| line == "#![forbid(unsafe_code)]");
            assert_eq!(forbids, !allowed.contains(name), "{file}: `#![forbid(unsafe_code)]`");
        }
    }
    for name in allowed {
        let uses =
            sources(&format!("crates/{name}/src")).iter().any(|source| !blocks(source).is_empty());
        assert!(uses, "docs/ARCHITECTURE.md allows {name} what it does not need");
    }
}

/// The lines with a block or implementation that is `unsafe`.
fn blocks(source: &Source) -> Vec<usize> {
    let lines = source.text.lines().enumerate().filter(|(_, line)| {
        let code = line.split("//").next().unwrap_or_default().trim_end();
        let starts =
            |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || "_\"`".contains(c));
        let opens =
            |rest: &str| rest.is_empty() || rest.starts_with(" {") || rest.starts_with(" impl");
        code.match_indices("unsafe").any(|(at, word)| starts(at) && opens(&code[at + word.len()..]))
    });
    lines.map(|(at, _)| at).collect()
}

/// Whether the comment that ends right above line `at` says it, or that above the statement that the line goes on with.
fn is_explained(lines: &[&str], at: usize) -> bool {
    let comment = |below: usize| {
        let above =
            lines[..below].iter().rev().take_while(|line| line.trim_start().starts_with("//"));
        above.into_iter().any(|line| line.contains("SAFETY: "))
    };
    let goes_on = at > 0 && lines[at - 1].trim_end().ends_with(['=', '(']);
    comment(at) || goes_on && comment(at - 1)
}

#[test]
fn each_unsafe_block_says_why_it_is_sound() {
    let mut found = 0;
    let mut silent = Vec::new();
    for folder in ["crates", "tests", "benches", "examples", "fuzz"] {
        for source in sources(folder) {
            let lines: Vec<_> = source.text.lines().collect();
            for at in blocks(&source) {
                found += 1;
                if !is_explained(&lines, at) {
                    silent.push(format!("{}:{}: {}", source.path, at + 1, lines[at].trim()));
                }
            }
        }
    }
    assert!(found > 150, "{found} blocks: the search is wrong");
    assert!(silent.is_empty(), "without `// SAFETY: …` right above:\n{}", silent.join("\n"));
}
