//! Parts of the documentation that are generated from the code.
//!
//! `STRATA_BLESS=1` rewrites them; otherwise a difference is a failure.

use std::{env, fmt::Write as _, fs, path::Path};

use strata::{Compiler, STAGES, Stage};

use crate::harness::options;

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

/// Each row of `docs/limits.md`'s table of element types says what compiling a sum of two such tensors gives.
#[test]
fn the_element_types_are_compiled_as_the_page_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/limits.md");
    let page = fs::read_to_string(&path).expect("docs/limits.md");
    let (_, section) = page.split_once("## Element types\n").expect("the section");
    let rows: Vec<_> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let mut count = 0;
    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        for element in cells[1].split('`').skip(1).step_by(2) {
            let tensor = format!("tensor<3x{element}>");
            let text = format!(
                "func.func @main(%x: {tensor}) -> {tensor} {{\n  %0 = stablehlo.add %x, %x : {tensor}\n  \
                 return %0 : {tensor}\n}}\n"
            );
            let compiler = Compiler::new(options("x86-64")).to(Stage::Obj);
            let found = match compiler.compile("sum.mlir", text.as_bytes()) {
                Ok(_) => "yes".to_owned(),
                Err(errors) => {
                    let code = errors.iter().next().expect("an error").code();
                    format!("[{code}](diagnostics/{code}.md)")
                }
            };
            assert_eq!(cells[2], found, "{element}");
            count += 1;
        }
    }
    assert_eq!(count, 37);
}
