//! `strata explain`: the page of a code.

use strata_diag::{Diagnostic, codes};

use super::Outcome;
use crate::args::ExplainArgs;
use crate::files;

pub fn run(args: &ExplainArgs) -> Outcome {
    let page = strata_diag::explain(&args.code).ok_or_else(|| {
        Diagnostic::new(codes::S0001)
            .reason(format!("there is no code `{}`", args.code))
            .hint("`strata list codes` lists them")
    })?;
    Ok(files::print(page.as_bytes())?)
}
