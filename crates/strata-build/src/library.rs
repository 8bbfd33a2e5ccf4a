//! The compiler in this process.

use std::{fs, io::Cursor};

use ar_archive_writer::{
    ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream,
};
use strata::{Compiler, OptLevel, Options, Prepare, Stage, target};

use crate::{Error, Model, Result, Visibility, model::Output};

pub(crate) fn compile(model: &Model, name: &str, shown: &str, program: &[u8]) -> Result<Output> {
    let triple = model.triple();
    let machine =
        target::resolve(triple.as_deref(), model.cpu.as_deref(), model.features.as_deref())
            .map_err(|diagnostic| Error::new(diagnostic.render()))?;
    let opt_level = OptLevel::from_digit(model.opt_level).ok_or_else(|| {
        Error::new(format!("the optimisation level {} is not 0 to 3", model.opt_level))
    })?;
    let schedule = model.schedule_file();
    let text = schedule.as_ref().map(|(path, shown)| {
        fs::read_to_string(path)
            .map_err(|error| Error::new(format!("the schedule `{shown}` is not read: {error}")))
    });
    let options = Options {
        schedule: text.transpose()?,
        schedule_name: schedule.map(|(_, shown)| shown),
        name: name.to_owned(),
        entry: model.entry.clone(),
        bind: model.bind.clone(),
        max: model.max.clone(),
        specialize: model.specialize.clone(),
        open: true,
        visibility: match model.visibility {
            Visibility::Default => strata::Visibility::Default,
            Visibility::Hidden => strata::Visibility::Hidden,
        },
        opt_level,
        excess_precision: model.excess_precision,
        flush_subnormals: model.flush_subnormals,
        prepare: Prepare { patterns: model.prepare.clone(), marked: true, ..Prepare::default() },
        ..Options::new(machine)
    };
    let artifact = Compiler::new(options)
        .to(Stage::Obj)
        .compile(shown, program)
        .map_err(|diagnostics| Error::new(diagnostics.render()))?;
    let module = artifact.rust().ok_or_else(|| Error::new("the program has no module"))?;
    Ok(Output {
        module: module.to_owned(),
        library: archive(name, artifact.bytes())?,
        warnings: artifact.warnings().render(),
    })
}

fn archive(name: &str, object: &[u8]) -> Result<Vec<u8>> {
    let member = NewArchiveMember::new(object, &DEFAULT_OBJECT_READER, format!("{name}.o"));
    let mut bytes = Cursor::new(Vec::new());
    write_archive_to_stream(&mut bytes, &[member], ArchiveKind::Gnu, false, None)
        .map_err(|error| Error::new(format!("the static library was not made: {error}")))?;
    Ok(bytes.into_inner())
}
