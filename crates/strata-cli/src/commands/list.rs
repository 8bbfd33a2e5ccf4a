//! `strata list`: what this command knows, one thing per line.

use strata_diag::codes;

use super::Outcome;
use crate::args::{ListArgs, Listing};
use crate::files;

pub fn run(args: &ListArgs) -> Outcome {
    let lines: Vec<String> = match args.what {
        Listing::Codes => codes::TABLE
            .iter()
            .map(|code| format!("{code}  {:<8} {}", code.fault().name(), code.title()))
            .collect(),
    };
    let mut text = lines.join("\n");
    text.push('\n');
    Ok(files::print(text.as_bytes())?)
}
