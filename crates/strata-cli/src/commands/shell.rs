//! `strata completions` and `strata man`: what the build script made of the command line's definition.

use super::Outcome;
use crate::args::{CompletionsArgs, ManArgs, ShellName};
use crate::files;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

macro_rules! script {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/completions/", $name))
    };
}

pub fn completions(args: &CompletionsArgs) -> Outcome {
    let script = match args.shell {
        ShellName::Bash => script!("strata.bash"),
        ShellName::Elvish => script!("strata.elv"),
        ShellName::Fish => script!("strata.fish"),
        ShellName::Powershell => script!("_strata.ps1"),
        ShellName::Zsh => script!("_strata"),
    };
    Ok(files::print(script.as_bytes())?)
}

pub fn man(args: &ManArgs) -> Outcome {
    files::create_folder(&args.output_dir)?;
    for (name, page) in PAGES {
        files::write(&args.output_dir.join(name), page.as_bytes())?;
    }
    Ok(())
}
