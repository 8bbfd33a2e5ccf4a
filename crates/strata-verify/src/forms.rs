//! The forms of a program: what each stage leaves, as text, or what was given in its place.

use std::time::Duration;

use strata::{Artifact, Compiler, Observer, Options, Product, Stage, StageInfo};
use strata_diag::Diagnostic;

use crate::verify::first;

/// The program in the form of a stage, or behind a step of one.
#[derive(Clone, Debug)]
pub struct Form {
    /// The stage.
    pub stage: Stage,
    /// The step with its number; `None` at the stage's end.
    pub step: Option<(usize, String)>,
    /// The program as text; empty for the object.
    pub text: String,
}

impl Form {
    /// What it is called in messages.
    pub fn name(&self) -> String {
        match &self.step {
            Some((_, step)) => format!("step `{step}` of stage `{}`", self.stage),
            None => format!("stage `{}`", self.stage),
        }
    }

    /// What files are called that it is written to.
    pub fn stem(&self) -> String {
        let stage = self.stage.info().stem();
        match &self.step {
            Some((number, step)) => format!("{stage}.{number}-{step}"),
            None => stage,
        }
    }

    /// Whether its results have the same bits as those in front of it.
    pub(crate) fn is_exact(&self) -> bool {
        let Some((number, _)) = self.step else { return false };
        self.stage.info().steps().get(number).is_some_and(|step| step.is_exact)
    }
}

/// The program that takes the place of a stage's.
#[derive(Clone, Debug)]
pub struct Dump {
    /// Which stage's.
    pub stage: Stage,
    /// Which step's of it; `None` for what it leaves at its end.
    pub step: Option<String>,
    /// What the file is called.
    pub name: String,
    /// The program.
    pub text: Vec<u8>,
}

/// What to look at beside [`Settings`].
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// Also at the steps of the stages that have some.
    pub steps: bool,
    /// The program of one stage, of which what follows is made; or of one step, of which nothing is.
    pub dump: Option<Dump>,
}

/// The forms of a program in order, and its object or why there is none.
pub(crate) fn forms(
    name: &str,
    program: &[u8],
    options: &Options,
    levels: &Levels,
) -> (Vec<Form>, Result<Artifact, Diagnostic>) {
    let mut gathered = Gathered { forms: Vec::new(), steps: levels.steps };
    let compile = |compiler: Compiler<'_>, name: &str, text: &[u8]| {
        compiler.compile(name, text).map_err(|errors| first(errors, "it cannot be compiled"))
    };
    let dump = match &levels.dump {
        Some(dump) if dump.step.is_none() => dump,
        of_step => {
            let compiler = Compiler::new(options.clone()).observe(&mut gathered);
            let object = compile(compiler, name, program);
            if let Some(dump) = of_step {
                put(&mut gathered.forms, dump);
            }
            return (gathered.forms, object);
        }
    };
    let compiler = Compiler::new(options.clone()).to(dump.stage).observe(&mut gathered);
    if let Err(error) = compile(compiler, name, program) {
        return (gathered.forms, Err(error));
    }
    // In the place of what the stage left, and of the steps on the way there.
    gathered.forms.retain(|form| form.stage < dump.stage);
    let text = String::from_utf8_lossy(&dump.text).into_owned();
    gathered.forms.push(Form { stage: dump.stage, step: None, text });
    let mut behind = Gathered { forms: Vec::new(), steps: levels.steps };
    let compiler = Compiler::new(options.clone()).from(dump.stage).observe(&mut behind);
    let object = compile(compiler, &dump.name, &dump.text);
    gathered.forms.extend(behind.forms.into_iter().filter(|form| form.stage > dump.stage));
    (gathered.forms, object)
}

/// Puts the program of a step in the place of what it left.
fn put(forms: &mut [Form], dump: &Dump) {
    let is_meant = |form: &&mut Form| {
        let step = form.step.as_ref().map(|(_, name)| name);
        form.stage == dump.stage && step == dump.step.as_ref()
    };
    if let Some(form) = forms.iter_mut().find(is_meant) {
        form.text = String::from_utf8_lossy(&dump.text).into_owned();
    }
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
