//! The pages of the user's guide, and others with commands: these run, in order, on the files that they show.
//!
//! A block of `sh` is run; a block whose first line names a file after the language (```` ```c app.c ````) is written to it. Other blocks are
//! for reading: what needs programs that are not everywhere, and output.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use crate::command::binary;

struct Block<'a> {
    language: &'a str,
    file: Option<&'a str>,
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (number, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => {
                let mut words = info.split_whitespace();
                let (language, file) = (words.next().unwrap_or_default(), words.next());
                open = Some(Block { language, file, line: number + 1, text: String::new() });
            }
            (None, Some(block)) => block.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block does not end");
    blocks
}

#[rstest::rstest]
fn commands_do_what_the_page_says(
    #[files("../docs/guide/*.md")]
    #[files("../docs/passes.md")]
    #[files("../CONTRIBUTING.md")]
    path: PathBuf,
) {
    run(&path);
}

/// Runs the blocks of a page, in a folder of its own.
fn run(path: &Path) -> tempfile::TempDir {
    let page = fs::read_to_string(path).expect("a page");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    for name in ["examples", "include"] {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        symlink(own.canonicalize().expect("a folder"), here.join(name)).expect("linked");
    }
    let commands = here.join("bin");
    fs::create_dir(&commands).expect("made");
    symlink(binary(), commands.join("strata")).expect("linked");
    let search = format!("{}:{}", commands.display(), std::env::var("PATH").expect("PATH"));
    for block in blocks(&page) {
        if let Some(file) = block.file {
            fs::write(here.join(file), &block.text).expect("written");
        } else if block.language == "sh" {
            let ended = Command::new("sh")
                .args(["-e", "-c", &block.text])
                .env("PATH", &search)
                .current_dir(here)
                .output()
                .expect("a shell");
            let (out, errors) = (&ended.stdout, String::from_utf8_lossy(&ended.stderr));
            let place = format!("{}:{}", path.display(), block.line);
            assert!(ended.status.success(), "{place}: {}\n{errors}", String::from_utf8_lossy(out));
            assert!(!errors.contains("error["), "{place}: {errors}");
        }
    }
    folder
}

/// `docs/guide/training.md`, whose commands need JAX and the Python packages: `python/jax-plugin-strata/tests/test_tutorial.py` runs them
/// where `STRATA_PYTHON`, or else `python3`, has these. `scripts/python_tests.sh` runs it in any case.
#[test]
fn the_training_page_prints_what_it_shows() {
    let python = std::env::var_os("STRATA_PYTHON").unwrap_or_else(|| "python3".into());
    let has_packages =
        Command::new(&python).args(["-c", "import jax, strata, jax_plugin_strata"]).output();
    if !has_packages.is_ok_and(|ended| ended.status.success()) {
        eprintln!("left out: {} has no JAX with Strata", python.to_string_lossy());
        return;
    }
    let ended = Command::new(&python)
        .args(["-m", "unittest", "test_tutorial"])
        .current_dir(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/jax-plugin-strata/tests"),
        )
        .output()
        .expect("Python");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// Each excerpt of `docs/guide/stages-walkthrough.md` is in the dump of its stage, line by line and in order.
#[test]
fn the_walkthrough_shows_what_stages_write() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/stages-walkthrough.md");
    let page = fs::read_to_string(&path).expect("a page");
    let folder = run(&path);
    let mut sections = page.split("\n## `").skip(1);
    for stage in strata::STAGES {
        let section = sections.next().expect("a section for each stage");
        let (name, text) = section.split_once("`\n").expect("a heading");
        assert_eq!(name, stage.name);
        let shown: Vec<_> = blocks(text).into_iter().filter(|one| one.language != "sh").collect();
        // Stage `spmd` is left out where values are not split.
        let is_silent = ["obj", "spmd"].contains(&name);
        assert!(!shown.is_empty() || is_silent, "{name}: nothing is shown");
        for excerpt in shown {
            let dumps = fs::read_dir(folder.path().join("stages")).expect("dumps");
            let mut files = dumps.map(|file| file.expect("a file").path());
            let of_stage = |file: &PathBuf| {
                file.file_stem().is_some_and(|stem| stem.to_string_lossy() == stage.stem())
            };
            let file = files.find(of_stage).expect("a dump");
            let dump = fs::read_to_string(&file).expect("text");
            let mut rest = dump.as_str();
            for line in excerpt.text.lines() {
                let line = line.split("//").next().unwrap_or_default().trim();
                if line.is_empty() || line == "..." {
                    continue;
                }
                let at = rest.find(line);
                assert!(at.is_some(), "stage `{name}`: `{line}` is not in what follows:\n{rest}");
                rest = &rest[at.unwrap_or_default() + line.len()..];
            }
        }
    }
    assert_eq!(sections.next(), None);
}

/// Links between the pages of the documentation lead somewhere.
#[rstest::rstest]
fn links_lead_to_pages(
    #[files("../docs/*.md")]
    #[files("../docs/guide/*.md")]
    #[files("../docs/diagnostics/*.md")]
    #[files("../README.md")]
    #[files("../CONTRIBUTING.md")]
    #[files("../CHANGELOG.md")]
    path: PathBuf,
) {
    let page = fs::read_to_string(&path).expect("a page");
    let folder = path.parent().expect("a folder");
    for rest in page.split("](").skip(1) {
        let Some((target, _)) = rest.split_once(')') else { continue };
        if target.contains("://") || target.contains(char::is_whitespace) {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let aim = if file.is_empty() { path.clone() } else { folder.join(file) };
        assert!(aim.exists(), "{}: `{target}` leads nowhere", path.display());
        if !anchor.is_empty() && aim.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&aim).expect("a page");
            let found = text.lines().any(|line| line.starts_with('#') && slug(line) == anchor);
            assert!(found, "{}: no heading `{target}`", path.display());
        }
    }
}

/// What a heading is called in links.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
