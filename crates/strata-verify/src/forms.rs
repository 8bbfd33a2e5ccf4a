//! The forms of a program: its dump after each stage, or the dump given instead.

use std::time::Duration;

use strata::{Artifact, Compiler, Observer, Options, Product, Stage, StageInfo};
use strata_diag::Diagnostic;

use crate::verify::first;

/// The program after a stage, or after a step of one.
#[derive(Clone, Debug)]
pub struct Form {
    /// The stage.
    pub stage: Stage,
    /// The step with its number; `None` for the whole stage.
    pub step: Option<(usize, String)>,
    /// The program as text; empty for the object.
    pub text: String,
}

impl Form {
    /// Its name in messages.
    pub fn name(&self) -> String {
        match &self.step {
            Some((_, step)) => format!("step `{step}` of stage `{}`", self.stage),
            None => format!("stage `{}`", self.stage),
        }
    }

    /// The stem of files that it is written to.
    pub fn stem(&self) -> String {
        let stage = self.stage.info().stem();
        match &self.step {
            Some((number, step)) => format!("{stage}.{number}-{step}"),
            None => stage,
        }
    }

    /// Whether its results must be bit-identical to those of the form before it.
    pub(crate) fn is_exact(&self) -> bool {
        let Some((number, _)) = self.step else { return false };
        self.stage.info().steps().get(number).is_some_and(|step| step.is_exact)
    }
}

/// A dump that replaces a stage's output.
#[derive(Clone, Debug)]
pub struct Dump {
    /// The stage.
    pub stage: Stage,
    /// The step; `None` for the whole stage.
    pub step: Option<String>,
    /// The name of the file.
    pub name: String,
    /// The program.
    pub text: Vec<u8>,
}

/// What to compare, in addition to [`Settings`].
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// Also the steps of the stages that have any.
    pub steps: bool,
    /// A dump of one stage, from which the later ones are compiled; or of one step, which is only
    /// run.
    pub dump: Option<Dump>,
}

/// The forms of a program in order, its object or the error, and whether the given dump is another one than the compiler's.
pub(crate) fn forms(
    name: &str,
    program: &[u8],
    options: &Options,
    levels: &Levels,
) -> (Vec<Form>, Result<Artifact, Diagnostic>, bool) {
    let mut gathered = Gathered { forms: Vec::new(), steps: levels.steps };
    let compile = |compiler: Compiler<'_>, name: &str, text: &[u8]| {
        compiler.compile(name, text).map_err(|errors| first(errors, "it cannot be compiled"))
    };
    let dump = match &levels.dump {
        Some(dump) if dump.step.is_none() => dump,
        of_step => {
            let compiler = Compiler::new(options.clone()).observe(&mut gathered);
            let object = compile(compiler, name, program);
            let is_edited = of_step.as_ref().is_some_and(|dump| put(&mut gathered.forms, dump));
            return (gathered.forms, object, is_edited);
        }
    };
    let compiler = Compiler::new(options.clone()).to(dump.stage).observe(&mut gathered);
    if let Err(error) = compile(compiler, name, program) {
        return (gathered.forms, Err(error), false);
    }
    let own = gathered.forms.iter().find(|form| form.stage == dump.stage && form.step.is_none());
    let is_edited = own.is_none_or(|own| own.text.trim().as_bytes() != dump.text.trim_ascii());
    // Replaces the output of the stage and of its steps.
    gathered.forms.retain(|form| form.stage < dump.stage);
    let text = String::from_utf8_lossy(&dump.text).into_owned();
    gathered.forms.push(Form { stage: dump.stage, step: None, text });
    let mut later = Gathered { forms: Vec::new(), steps: levels.steps };
    let compiler = Compiler::new(options.clone()).from(dump.stage).observe(&mut later);
    let object = compile(compiler, &dump.name, &dump.text);
    gathered.forms.extend(later.forms.into_iter().filter(|form| form.stage > dump.stage));
    (gathered.forms, object, is_edited)
}

/// Replaces the output of a step; returns whether it changes.
fn put(forms: &mut [Form], dump: &Dump) -> bool {
    let is_meant = |form: &&mut Form| {
        let step = form.step.as_ref().map(|(_, name)| name);
        form.stage == dump.stage && step == dump.step.as_ref()
    };
    let Some(form) = forms.iter_mut().find(is_meant) else { return false };
    let before = std::mem::replace(&mut form.text, String::from_utf8_lossy(&dump.text).into());
    before.trim() != form.text.trim()
}

/// Keeps the text after every stage that can be run.
struct Gathered {
    forms: Vec<Form>,
    steps: bool,
}

impl Observer for Gathered {
    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, _: Duration) {
        if info.stage > Stage::Input
            && info.stage <= Stage::Vector
            && let Some(text) = product.text()
        {
            self.forms.push(Form { stage: info.stage, step: None, text });
        }
    }

    fn step_finished(
        &mut self,
        info: &StageInfo,
        number: usize,
        name: &str,
        product: &Product<'_, '_>,
        _: Duration,
    ) {
        if let Some(text) = product.text().filter(|_| self.steps) {
            let step = Some((number, name.to_owned()));
            self.forms.push(Form { stage: info.stage, step, text });
        }
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}
