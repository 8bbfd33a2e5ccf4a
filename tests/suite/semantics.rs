//! `docs/semantics/`: the table of what each operation has, and the list of each family's operations and
//! rooms, generated from the dialects' definitions, the evaluator, the lowerings and `tests/ops`.
//!
//! `STRATA_BLESS=1` rewrites the generated parts; otherwise a difference is a failure.

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use strata_ir::OpKind;

/// Older forms, which the StableHLO specification does not describe.
const UNSPECIFIED: &[&str] = &[
    "broadcast",
    "create_token",
    "cross-replica-sum",
    "dot",
    "einsum",
    "torch_index_select",
    "unary_einsum",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of every case under `tests/ops`, by path.
fn cases() -> Vec<String> {
    fn gather(folder: &Path, texts: &mut Vec<String>) {
        let mut entries: Vec<_> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")).collect();
        entries.sort_by_key(fs::DirEntry::path);
        for entry in entries {
            let path = entry.path();
            if path.is_dir() {
                gather(&path, texts);
            } else if path.file_name().is_some_and(|name| name == "input.mlir") {
                texts.push(fs::read_to_string(path).expect("a program"));
            }
        }
    }
    let mut texts = Vec::new();
    gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join("ops"), &mut texts);
    texts
}

/// Whether `text` uses the operation, not one whose name only begins so.
fn uses(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let next = text[at + name.len()..].chars().next();
        !next.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// The lowering that takes the operation, or the pattern of stage `hlo`.
fn lowering(kind: OpKind) -> String {
    let lowering = strata_linalg::LOWERINGS.iter().find(|one| one.roots().contains(&kind));
    if let Some(lowering) = lowering {
        return format!("linalg: {}", lowering.name());
    }
    match strata_hlo::taken_by(kind) {
        Some(name) => format!("hlo: {name}"),
        None => String::new(),
    }
}

fn dialect(kind: OpKind) -> &'static str {
    kind.name().dialect()
}

fn status_table() -> String {
    let cases = cases();
    let mut table = String::new();
    let mut last = "";
    for kind in OpKind::ALL.iter().filter(|kind| dialect(**kind) != "vhlo") {
        let (name, definition) = (kind.name(), kind.definition());
        if dialect(*kind) != last {
            last = dialect(*kind);
            write!(
                table,
                "\n## {last}\n\n| operation | text | verify | infer | evaluate | lower | cases |\n\
                 |---|---|---|---|---|---|---|\n"
            )
            .expect("writing to a string");
        }
        let has_case = cases.iter().any(|text| uses(text, name.as_str()));
        let short = name.mnemonic();
        let operation = match (last, definition.family) {
            ("stablehlo", family) => format!("[`{short}`]({family}.md)"),
            ("chlo", _) => format!("[`{short}`](chlo.md)"),
            _ => format!("`{short}`"),
        };
        writeln!(
            table,
            "| {operation} | {} | {} | {} | {} | {} | {} |",
            if definition.own_text { "own" } else { "generic" },
            if definition.verifier { "yes" } else { "types" },
            if definition.infers { "yes" } else { "" },
            if strata_eval::supports(name.as_str()) { "yes" } else { "" },
            lowering(*kind),
            if has_case { "yes" } else { "" },
        )
        .expect("writing to a string");
    }
    table
}

/// The operations of a family and the files where the family lives.
fn family_part(family: &str, kinds: &[OpKind]) -> String {
    let mut text = String::from("| operation | specified in | cases |\n|---|---|---|\n");
    for kind in kinds {
        let short = kind.name().mnemonic();
        let source = match dialect(*kind) {
            "stablehlo" if !UNSPECIFIED.contains(&short) => format!(
                "[StableHLO](https://github.com/openxla/stablehlo/blob/main/docs/spec.md#{short})"
            ),
            "stablehlo" => {
                "an older form: [XLA](https://openxla.org/xla/operation_semantics)".into()
            }
            _ => "[CHLO](https://openxla.org/stablehlo/generated/chlo)".into(),
        };
        let folder = root().join("tests/ops").join(short);
        let cases = match folder.is_dir() {
            true => format!("[`tests/ops/{short}`](../../tests/ops/{short})"),
            false => String::new(),
        };
        writeln!(text, "| `{}` | {source} | {cases} |", kind.name()).expect("writing to a string");
    }
    text.push_str("\nFiles:");
    let dialect = dialect(kinds[0]);
    let rooms = [
        format!("dialects/{dialect}/ops/{family}.td"),
        format!("dialects/{dialect}/lib/{family}.cpp"),
        format!("dialects/{dialect}/verify/{family}.mlir"),
        format!("crates/strata-eval/src/{family}.rs"),
        format!("crates/strata-eval/src/interpret/{family}.rs"),
        format!("crates/strata-hlo/src/expansion/{family}.rs"),
        format!("crates/strata-hlo/src/interop/{family}.rs"),
        format!("crates/strata-hlo/src/simplification/{family}.rs"),
        format!("crates/strata-linalg/src/algorithms/{family}.rs"),
        format!("crates/strata-linalg/src/lowerings/{family}.rs"),
    ];
    let rooms: Vec<_> = rooms.iter().filter(|room| root().join(room).is_file()).collect();
    for (index, room) in rooms.iter().enumerate() {
        let end = if index + 1 == rooms.len() { '.' } else { ',' };
        write!(text, "\n[`{room}`](../../{room}){end}").expect("writing to a string");
    }
    text.push('\n');
    text
}

/// Compares the generated part of a page with `part`, or writes it.
fn settle(page: &str, part: &str) {
    let path = root().join("docs/semantics").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("docs/semantics/{page}"));
    let (head, rest) = text.split_once("<!-- generated:begin -->\n").expect("the begin mark");
    let (found, tail) = rest.split_once("<!-- generated:end -->").expect("the end mark");
    if env::var_os("STRATA_BLESS").is_some() {
        let text = format!("{head}<!-- generated:begin -->\n{part}<!-- generated:end -->{tail}");
        fs::write(&path, text).expect("the page is writable");
    } else {
        assert_eq!(found, part, "docs/semantics/{page}: run the tests with STRATA_BLESS=1");
    }
}

#[test]
fn the_status_table_is_what_the_code_says() {
    settle("README.md", &status_table());
}

#[test]
fn every_family_has_its_page() {
    let mut families: BTreeMap<&str, Vec<OpKind>> = BTreeMap::new();
    for kind in OpKind::ALL {
        let family = match dialect(*kind) {
            "stablehlo" => kind.definition().family,
            "chlo" => "chlo",
            _ => continue,
        };
        families.entry(family).or_default().push(*kind);
    }
    for (family, kinds) in families {
        settle(&format!("{family}.md"), &family_part(family, &kinds));
    }
}
