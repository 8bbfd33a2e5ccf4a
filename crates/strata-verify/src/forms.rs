//! The forms of a program: its dump after each stage, or the dump given instead.

use std::time::Duration;

use strata::{Artifact, Compiler, Observer, Options, Product, Stage, StageInfo};
use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{self as ir, DISPATCH, INPUTS};
use strata_shapes::{DIMS, Specializations};

use crate::verify::first;

/// The program after a stage, or after a step of one.
#[derive(Clone, Debug)]
pub struct Form {
    /// The stage.
    pub stage: Stage,
    /// The step with its number; `None` for the whole stage.
    pub step: Option<(usize, String)>,
    /// Of a program with open sizes, the sizes of the version whose form it is; `None` for the form of all.
    pub version: Option<String>,
    /// The program as text; empty for the object.
    pub text: String,
}

impl Form {
    /// Its name in messages.
    pub fn name(&self) -> String {
        let name = match &self.step {
            Some((_, step)) => format!("step `{step}` of stage `{}`", self.stage),
            None => format!("stage `{}`", self.stage),
        };
        match &self.version {
            Some(version) => format!("{name} of version `{version}`"),
            None => name,
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

    /// Why it cannot be run, if it cannot.
    pub(crate) fn unready(&self) -> Option<&'static str> {
        let is_between = BETWEEN.iter().any(|name| self.is_step(name));
        (is_between && self.version.is_some() && self.text.contains(ir::LIMIT)).then_some(
            "masks and accesses follow the sizes of the call, and loops end there from step `limits` on",
        )
    }

    fn is_step(&self, name: &str) -> bool {
        self.step.as_ref().is_some_and(|(_, own)| own == name)
    }

    /// Whether its results must be bit-identical to those of the form before it.
    pub(crate) fn is_exact(&self) -> bool {
        if self.version.is_some() && self.is_step(ENDS) {
            return false;
        }
        let Some((number, _)) = self.step else { return false };
        self.stage.info().steps().get(number).is_some_and(|step| step.is_exact)
    }
}

/// The step of stage `affine` from which on loops end at the sizes of a call. Sums of last tiles have another order then, in code that
/// step `rests` made.
const ENDS: &str = "limits";

/// Those before it that prepare for this: whole loops no longer compute what is needed.
const BETWEEN: [&str; 2] = ["rests", "in-place"];

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
    /// A dump of one stage, from which the later ones are compiled; or of one step, or of a version of a program with open sizes,
    /// which is only run.
    pub dump: Option<Dump>,
}

/// What a program becomes.
pub(crate) struct Kept {
    /// Its forms in order.
    pub forms: Vec<Form>,
    /// Its object, or the error.
    pub object: Result<Artifact, Diagnostic>,
    /// What the given dump replaces, where it is another one than the compiler's.
    pub edited: Option<Edited>,
}

/// The form that a dump replaces.
pub(crate) struct Edited {
    /// The stage.
    pub stage: Stage,
    /// The step.
    pub step: Option<String>,
    /// The version.
    pub version: Option<String>,
}

impl Edited {
    /// Whether a form is that dump, or compiled from it.
    pub fn is_cause_of(&self, form: &Form) -> bool {
        if self.version != form.version {
            return false;
        }
        match (&self.step, &self.version) {
            (Some(_), _) => {
                let own = form.step.as_ref().map(|(_, name)| name);
                form.stage == self.stage && own == self.step.as_ref()
            }
            // The module of all versions is made of the compiler's own.
            (None, Some(_)) => form.stage == self.stage && form.step.is_none(),
            (None, None) => form.stage >= self.stage,
        }
    }
}

/// Compiles a program and keeps its forms; `versions` is what there is code for, where sizes stay open.
///
/// # Errors
/// `S0001` for a dump that is of no version.
pub(crate) fn forms(
    name: &str,
    program: &[u8],
    options: &Options,
    levels: &Levels,
    versions: Option<&Specializations>,
) -> Result<Kept, Diagnostic> {
    let names = versions.map(|all| all.versions.iter().map(|one| all.text(one)).collect());
    let names: Vec<String> = names.unwrap_or_default();
    let gathered =
        || Gathered { forms: Vec::new(), steps: levels.steps, names: names.clone(), version: None };
    let compile = |compiler: Compiler<'_>, name: &str, text: &[u8]| {
        compiler.compile(name, text).map_err(|errors| first(errors, "it cannot be compiled"))
    };
    let mut all = gathered();
    let dump = match &levels.dump {
        Some(dump) if dump.step.is_none() && versions.is_none() => dump,
        other => {
            let compiler = Compiler::new(options.clone()).observe(&mut all);
            let object = compile(compiler, name, program);
            let Some(dump) = other else {
                return Ok(Kept { forms: all.forms, object, edited: None });
            };
            let version = match versions {
                Some(_) => version_of(dump, &all.forms)?,
                None => None,
            };
            let edited = put(&mut all.forms, dump, &version);
            if versions.is_some() && version.is_none() {
                // Later stages see the module of all versions, which says what sizes there are.
                let (max, specialize) = Default::default();
                let closed = Options { max, specialize, ..options.clone() };
                let compiler = Compiler::new(closed).from(dump.stage);
                let object = compile(compiler, &dump.name, &dump.text);
                return Ok(Kept { forms: all.forms, object, edited });
            }
            return Ok(Kept { forms: all.forms, object, edited });
        }
    };
    let compiler = Compiler::new(options.clone()).to(dump.stage).observe(&mut all);
    if let Err(error) = compile(compiler, name, program) {
        return Ok(Kept { forms: all.forms, object: Err(error), edited: None });
    }
    let own = all.forms.iter().find(|form| form.stage == dump.stage && form.step.is_none());
    let is_edited = own.is_none_or(|own| own.text.trim().as_bytes() != dump.text.trim_ascii());
    // Replaces the output of the stage and of its steps.
    all.forms.retain(|form| form.stage < dump.stage);
    let text = String::from_utf8_lossy(&dump.text).into_owned();
    all.forms.push(Form { stage: dump.stage, step: None, version: None, text });
    let mut later = gathered();
    let compiler = Compiler::new(options.clone()).from(dump.stage).observe(&mut later);
    let object = compile(compiler, &dump.name, &dump.text);
    all.forms.extend(later.forms.into_iter().filter(|form| form.stage > dump.stage));
    let edited = is_edited.then_some(Edited { stage: dump.stage, step: None, version: None });
    Ok(Kept { forms: all.forms, object, edited })
}

/// The version whose dump this is: the one whose own has the same inputs and the same symbols. `None` for the module of all.
///
/// # Errors
/// `S0001` where it is of none.
fn version_of(dump: &Dump, forms: &[Form]) -> Result<Option<String>, Diagnostic> {
    let described = |name: &str, text: &[u8]| -> Result<Option<[String; 2]>, Diagnostic> {
        let context = ir::new_context();
        let module = strata_vhlo::parse(&context, name, text)
            .map_err(|errors| first(errors, "it cannot be read"))?;
        let entry = ir::entry(&module, None)?;
        if entry.has_attr(DISPATCH) {
            return Ok(None);
        }
        let types = entry.attr(INPUTS).or_else(|| entry.attr("function_type"));
        let text = |attribute: Option<ir::Attribute<'_>>| {
            attribute.map(|attribute| attribute.to_string()).unwrap_or_default()
        };
        Ok(Some([text(types), text(entry.attr(DIMS))]))
    };
    let Some(wanted) = described(&dump.name, &dump.text)? else { return Ok(None) };
    for form in forms.iter().filter(|form| form.version.is_some() && dump.replaces(form)) {
        if described(&form.name(), form.text.as_bytes())?.as_ref() == Some(&wanted) {
            return Ok(form.version.clone());
        }
    }
    Err(Diagnostic::new(codes::S0001)
        .at(Location::file(&dump.name))
        .reason("the dump is of no version: its inputs or `strata.dims` are those of none")
        .hint("`strata compile --dump-stages` with the same options writes those of all versions"))
}

impl Dump {
    /// Whether a form is that of its stage or step.
    fn replaces(&self, form: &Form) -> bool {
        let step = form.step.as_ref().map(|(_, name)| name);
        form.stage == self.stage && step == self.step.as_ref()
    }
}

/// Replaces the output of a step, or of a stage of a version; returns what changes.
fn put(forms: &mut [Form], dump: &Dump, version: &Option<String>) -> Option<Edited> {
    let is_meant = |form: &&mut Form| form.version == *version && dump.replaces(form);
    let form = forms.iter_mut().find(is_meant)?;
    let before = std::mem::replace(&mut form.text, String::from_utf8_lossy(&dump.text).into());
    (before.trim() != form.text.trim()).then(|| Edited {
        stage: dump.stage,
        step: dump.step.clone(),
        version: version.clone(),
    })
}

/// Keeps the text after every stage that can be run.
struct Gathered {
    forms: Vec<Form>,
    steps: bool,
    /// The sizes of each version.
    names: Vec<String>,
    /// That of the stages that follow.
    version: Option<String>,
}

impl Observer for Gathered {
    fn part_started(&mut self, name: &str) {
        // In an object for several processors, theirs come before.
        let is_own = |own: &&String| name.strip_suffix(own.as_str()).is_some_and(is_before);
        self.version = self.names.iter().find(is_own).cloned();
    }

    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, _: Duration) {
        if info.stage > Stage::Input
            && info.stage <= Stage::Vector
            && let Some(text) = product.text()
        {
            let version = self.version.clone();
            self.forms.push(Form { stage: info.stage, step: None, version, text });
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
            let (step, version) = (Some((number, name.to_owned())), self.version.clone());
            self.forms.push(Form { stage: info.stage, step, version, text });
        }
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}

/// Whether this comes before the sizes of a version in the name of a part.
fn is_before(name: &str) -> bool {
    name.is_empty() || name.ends_with('.')
}
