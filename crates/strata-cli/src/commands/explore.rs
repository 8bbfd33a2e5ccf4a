//! `strata explore`: a page that shows what the compiler makes of a program.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use strata_diag::units;
use strata_explore::explore;

use super::{Outcome, options};
use crate::{args::ExploreArgs, files, reporter::Reporter, sources};

pub fn run(args: &ExploreArgs, reporter: &Reporter) -> Outcome {
    let started = Instant::now();
    let options = options::options(&args.program, &args.target)?;
    let input = &args.program.input;
    let output = args.output.clone().unwrap_or_else(|| named_after(input));
    files::check_outputs(input, &[&output])?;
    let folders = sources::folders(&args.sources)?;
    let program = files::read(input)?;
    let name = files::display_name(input);
    let profile = args.profile.as_ref().map(|path| files::read(path).map(|text| (path, text)));
    let mut page = explore(&options, &name, &program)?;
    if let Some((path, text)) = profile.transpose()? {
        page = page.with_profile(&String::from_utf8_lossy(&text), &files::display_name(path))?;
    }
    let page = sources::add(page, (&name, &program), &folders);
    let html = page.html();
    files::write(&output, html.as_bytes())?;
    reporter.warn(page.warnings());
    if !files::is_standard_stream(&output) {
        let size = units::bytes(html.len() as u64);
        let time = units::rough_time(started.elapsed().as_secs_f64());
        reporter.done("wrote", &format!("{} ({size}) in {time}", output.display()));
    }
    Ok(())
}

/// `model.html` for `folder/model.mlir`.
fn named_after(input: &Path) -> PathBuf {
    let stem = input.file_stem().filter(|_| !files::is_standard_stream(input));
    Path::new(stem.unwrap_or("program".as_ref())).with_extension("html")
}
