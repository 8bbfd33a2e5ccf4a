//! `strata translate`: the same program in another form.

use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{new_context, print, write_bytecode};
use strata_vhlo::{Version, parse, to_vhlo, write};

use super::Outcome;
use crate::args::{TranslateArgs, tools::Form};
use crate::files;
use crate::mapped;

pub fn run(args: &TranslateArgs) -> Outcome {
    let program = mapped::read(&args.input)?;
    let context = new_context();
    let name = files::display_name(&args.input);
    let module = parse(&context, &name, &program)?;
    let at_name = |error: Diagnostic| match error.location() {
        Some(_) => error,
        None => error.at(Location::file(&name)),
    };
    if matches!(args.to, Form::Artifact(_) | Form::Vhlo(_)) {
        // VHLO has no CHLO operations.
        strata_hlo::express_chlo(&context, &module)?;
    }
    let bytes = match &args.to {
        Form::Text => print(&module, args.locations).into_bytes(),
        Form::Bytecode => write_bytecode(&module),
        Form::Artifact(version) => {
            write(&context, &module, target(version.as_deref())?).map_err(at_name)?
        }
        Form::Vhlo(version) => {
            let module =
                to_vhlo(&context, &module, target(version.as_deref())?).map_err(at_name)?;
            print(&module, args.locations).into_bytes()
        }
    };
    Ok(files::write(&args.output, &bytes)?)
}

/// The version that was asked for; the newest one where none was.
fn target(text: Option<&str>) -> Result<Version, Diagnostic> {
    let Some(text) = text else { return Ok(Version::NEWEST) };
    let version = text.parse::<Version>().ok().filter(|version| version.is_supported());
    version.ok_or_else(|| {
        Diagnostic::new(codes::S0001)
            .reason(format!("artifacts cannot be written for version `{text}`"))
            .hint(format!("versions go from {} to {}", Version::OLDEST, Version::NEWEST))
    })
}
