//! Parts of the documentation that are generated from the code.
//!
//! `STRATA_BLESS=1` rewrites them; otherwise a difference is a failure.

use std::{env, fmt::Write as _, fs, path::Path};

use strata::STAGES;

fn stage_table() -> String {
    let mut table = String::from(
        "| no. | stage | what is in it | contract at its end | why here |\n\
         |---|---|---|---|---|\n",
    );
    for info in STAGES {
        writeln!(
            table,
            "| {:02} | `{}` | {} | {} | {} |",
            info.number, info.name, info.contents, info.contract, info.because
        )
        .expect("writing to a string");
    }
    table
}

#[test]
fn the_stage_table_is_the_one_in_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ARCHITECTURE.md");
    let page = fs::read_to_string(&path).expect("docs/ARCHITECTURE.md");
    let (head, rest) = page.split_once("<!-- stages:begin").expect("the begin mark");
    let (mark, rest) = rest.split_once("-->\n").expect("the end of the begin mark");
    let (found, tail) = rest.split_once("<!-- stages:end -->").expect("the end mark");
    let table = stage_table();
    if env::var_os("STRATA_BLESS").is_some() {
        let page = format!("{head}<!-- stages:begin{mark}-->\n{table}<!-- stages:end -->{tail}");
        fs::write(&path, page).expect("docs/ARCHITECTURE.md is writable");
    } else {
        assert_eq!(found, table, "run the tests with STRATA_BLESS=1");
    }
}
