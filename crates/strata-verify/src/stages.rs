//! `strata verify --stages`: runs the program after every stage on the same inputs.
//!
//! Up to stage `hlo` the evaluator runs it, from `linalg` to `vector` the interpreter, after them the object itself. Each form is
//! compared with the evaluator's results; those that must not change any bit also with the form before them, bit by bit.
//!
//! Of a program with open sizes the versions that a round's sizes run are run so, each on its rows, then the module of all versions.

mod calls;

use crate::judge::judge_all;
use strata::{Options, Stage};
use strata_diag::{Code, Diagnostic, codes};
use strata_eval::{Evaluator, Tensor, compare::Worst, shape::valid_parts};
use strata_interpreter::Program;
use strata_ir::{self as ir, DISPATCH};
use strata_shapes::Specializations;

use self::calls::{Call, Chain};
use crate::{
    DynamicObject, Object, devices,
    forms::{Dump, Edited, Form, Kept, Levels, forms},
    object::tensors,
    shapes::input_shapes,
    verify::{Settings, first, inputs_of_round, read, refused, shapes_of},
    version::{Version, interpret_all},
};

/// The result of a form on one set of inputs.
#[derive(Clone, Debug)]
pub struct FormReport {
    /// Which inputs.
    pub round: String,
    /// The form's name.
    pub form: String,
    /// The outcome.
    pub outcome: FormOutcome,
}

/// The outcome of running a form.
#[derive(Clone, Debug)]
pub enum FormOutcome {
    /// Its results agree; the element that differs most, if any does.
    Agrees(Option<Worst>),
    /// It cannot be run, and why.
    NotRun(String),
    /// Its results differ, or it fails.
    Differs,
}

/// The first form that fails.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The form before it.
    pub before: Form,
    /// The form itself.
    pub after: Form,
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// The inputs that reproduce it.
    pub inputs: Vec<Tensor>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct StageVerification {
    /// Every form on every set of inputs, up to the first that differs.
    pub reports: Vec<FormReport>,
    /// The first form that differs, if one does.
    pub difference: Option<Difference>,
}

/// Runs a program after every stage, on the given inputs or on random ones. One whose options leave sizes open is compiled for all of
/// them, and run at other sizes in each round.
///
/// # Errors
/// Where the program cannot be read, evaluated or compiled. A difference is not an error here, and takes precedence over an error of a
/// later stage.
pub fn verify_stages(
    name: &str,
    program: &[u8],
    options: &Options,
    settings: &Settings,
    inputs: Option<Vec<Tensor>>,
    levels: &Levels,
) -> Result<StageVerification, Diagnostic> {
    let context = ir::new_context();
    let module = read(&context, name, program, options)?;
    ir::check_devices(&module)?;
    let count = match ir::is_split(&module) || devices::communicates(&module) {
        true => {
            let devices = ir::Devices::of(ir::module_op(&module));
            devices.check_threads()?;
            devices.count() as usize
        }
        false => 1,
    };
    let evaluator = Evaluator::new(&module)?;
    let entry = ir::function_name(ir::entry(&module, options.entry.as_deref())?).to_owned();
    let mut options =
        Options { name: "verified".to_owned(), entry: Some(entry.clone()), ..options.clone() };
    let versions = open_sizes(name, program, &mut options)?;
    if versions.is_some() && count > 1 {
        return Err(Diagnostic::new(codes::S0001)
            .reason("dumps of programs for several devices are run for given sizes")
            .hint("leave out --open, --max and --specialize: sizes are then those of the inputs"));
    }
    if versions.is_none() {
        // One object for all rounds, so that they have the same sizes.
        options.input_shapes = input_shapes(name, program, &options, settings.seed)?;
        if options.input_shapes.is_some()
            && let Some(inputs) = &inputs
        {
            options.input_shapes = Some(shapes_of(inputs));
        }
    }
    settings.progress.tell("compiling, and keeping the program after each stage");
    let Kept { forms, object, edited } = forms(name, program, &options, levels, versions.as_ref())?;
    let mut verifier =
        Verifier { settings, options: &options, found: StageVerification::default() };
    let text = String::from_utf8_lossy(program).into_owned();
    let start = Form { stage: Stage::Input, step: None, version: None, text };
    let rounds = if inputs.is_some() { 1 } else { settings.rounds };
    for round in 0..rounds {
        let (kind, tensors) =
            inputs_of_round((name, program), &options, settings, round, inputs.as_deref())?;
        let part = format!("round {} of {rounds}", round + 1);
        let session = settings.session(None, &part);
        let expected = devices::evaluate(&evaluator, &module, Some(&entry), &tensors, &session)?;
        let (chains, sizes) = match &versions {
            Some(all) => calls::of_versions(all, &forms, &tensors, &expected)?,
            None => {
                (vec![calls::whole(forms.iter().collect(), &tensors, &expected)], String::new())
            }
        };
        let beside = if sizes.is_empty() { String::new() } else { format!(", {sizes}") };
        let round = format!("round {} ({kind} inputs{beside})", round + 1);
        let sets = Sets {
            round,
            part,
            sizes,
            inputs: tensors,
            evaluator: &evaluator,
            module: &module,
            entry: &entry,
            devices: count,
            versions: versions.as_ref(),
            object: object.as_ref().ok(),
        };
        if verifier.differs(&start, &chains, &sets)? {
            break;
        }
    }
    if let Some(found) = &mut verifier.found.difference
        && let Some(dump) = &levels.dump
        && let Some(edited) = &edited
    {
        found.blame(dump, edited);
    }
    match object {
        Err(error) if verifier.found.difference.is_none() => Err(error),
        _ => Ok(verifier.found),
    }
}

/// What there is code for, if the options leave sizes open that the program has; otherwise they leave none open.
///
/// # Errors
/// Those of the compiler for sizes that cannot stay open.
fn open_sizes(
    name: &str,
    program: &[u8],
    options: &mut Options,
) -> Result<Option<Specializations>, Diagnostic> {
    options.open |= !options.max.is_empty();
    if !options.open {
        return Ok(None);
    }
    let versions = strata::specializations(options, name, program);
    let versions = versions.map_err(|errors| first(errors, "its sizes cannot stay open"))?;
    options.open = versions.is_some();
    Ok(versions)
}

impl Difference {
    /// What an edited dump does differently is not a mistake of the stage's.
    fn blame(&mut self, dump: &Dump, edited: &Edited) {
        if edited.is_cause_of(&self.after) {
            let error = self.diagnostic.clone().with_code(codes::S1915);
            self.diagnostic = error.source_file(&dump.name, &String::from_utf8_lossy(&dump.text));
        }
    }
}

/// A given dump with these errors is invalid, so there is nothing to compare.
const UNREADABLE: &[Code] = &[codes::S1001, codes::S1002, codes::S1003, codes::S1004];

/// One set of inputs, and the evaluator.
struct Sets<'a> {
    round: String,
    /// `round 1 of 4`.
    part: String,
    /// Those of a program with open sizes, for readers.
    sizes: String,
    inputs: Vec<Tensor>,
    evaluator: &'a Evaluator,
    module: &'a ir::Module<'a>,
    entry: &'a str,
    /// How many devices run the program.
    devices: usize,
    /// What there is code for, if sizes stay open.
    versions: Option<&'a Specializations>,
    object: Option<&'a strata::Artifact>,
}

struct Verifier<'a> {
    settings: &'a Settings,
    options: &'a Options,
    found: StageVerification,
}

/// Runs a form on the inputs of a call.
type Runs<'r> = dyn Fn(&[Tensor]) -> Result<Vec<Tensor>, Diagnostic> + 'r;

impl Verifier<'_> {
    /// Runs all forms up to the first that differs; returns whether one does.
    fn differs(
        &mut self,
        start: &Form,
        chains: &[Chain<'_>],
        sets: &Sets<'_>,
    ) -> Result<bool, Diagnostic> {
        let forms: usize = chains.iter().map(|chain| chain.forms.len()).sum();
        let count = forms + usize::from(sets.object.is_some());
        let mut number = 0;
        let mut last = None;
        for chain in chains {
            let expected = |call: &Call| call.expected.clone();
            let mut before: (&Form, Vec<_>) = (start, chain.calls.iter().map(expected).collect());
            for form in &chain.forms {
                number += 1;
                self.tell(sets, form, number, count);
                if self.form_differs(form, chain, &mut before, sets)? {
                    return Ok(true);
                }
            }
            last = Some((before, &chain.calls));
        }
        // The last chain is run on the whole.
        match last {
            Some(((form, results), calls)) => match (results.first(), calls.first()) {
                (Some(results), Some(call)) => {
                    self.object_differs((form, results), call, sets, count)
                }
                _ => Ok(false),
            },
            None => Ok(false),
        }
    }

    /// Runs a form on all calls; returns whether it differs. Becomes what the next one is compared with.
    fn form_differs<'f>(
        &mut self,
        form: &'f Form,
        chain: &Chain<'_>,
        before: &mut (&'f Form, Vec<Vec<Tensor>>),
        sets: &Sets<'_>,
    ) -> Result<bool, Diagnostic> {
        if let Some(why) = form.unready() {
            self.report(form, sets, FormOutcome::NotRun(why.to_owned()));
            return Ok(false);
        }
        let mut largest: Option<Worst> = None;
        let mut all = Vec::new();
        let ran = self.run(form, &chain.calls, sets);
        for (call, results) in chain.calls.iter().zip(ran) {
            match results {
                Err(error) if error.code() == codes::S1911 => {
                    let reason = error.reason_text().unwrap_or("an operation is not known");
                    let operation = error.operation_name().unwrap_or_default();
                    self.report(form, sets, FormOutcome::NotRun(format!("{operation}: {reason}")));
                    return Ok(false);
                }
                Err(error) if UNREADABLE.contains(&error.code()) => return Err(error),
                // The entry refuses the sizes, as the object does.
                Err(error) if error.code() == codes::S1802 && sets.versions.is_some() => {
                    return Err(error);
                }
                Err(error) => {
                    let diagnostic = broken(form, &error, &sets.place());
                    self.differ(before.0, form, (sets, call), diagnostic);
                    return Ok(true);
                }
                Ok(results) => {
                    let known = (before.0, &before.1[all.len()][..]);
                    let (worst, wrong) = self.compare(form, &results, known, (sets, call));
                    if let Some(diagnostic) = wrong {
                        self.differ(before.0, form, (sets, call), diagnostic);
                        return Ok(true);
                    }
                    largest = worse(largest, worst);
                    all.push(results);
                }
            }
        }
        self.report(form, sets, FormOutcome::Agrees(largest));
        *before = (form, all);
        Ok(false)
    }

    /// Says which form is run: `round 1 of 4: 3 of 9, stage `schedule``.
    fn tell(&self, sets: &Sets<'_>, form: &Form, number: usize, count: usize) {
        let (part, name) = (&sets.part, form.name());
        self.settings.progress.tell(&format!("{part}: {number} of {count}, {name}"));
    }

    /// Runs the object, if there is one.
    fn object_differs(
        &mut self,
        before: (&Form, &Vec<Tensor>),
        call: &Call,
        sets: &Sets<'_>,
        count: usize,
    ) -> Result<bool, Diagnostic> {
        let Some(object) = sets.object else { return Ok(false) };
        let form = Form { stage: Stage::Obj, step: None, version: None, text: String::new() };
        self.tell(sets, &form, count, count);
        let (options, linked) = (self.options, &self.settings.linked);
        let results = match sets.versions {
            Some(_) => {
                let object = DynamicObject::of(object, options, linked)?;
                match object.call(&sets.inputs)? {
                    Some(results) => results,
                    None => return Err(refused(&sets.inputs, object.refusal(&sets.inputs)?)),
                }
            }
            None => Object::of(object, options, linked)?.call(&sets.inputs)?,
        };
        let before = (before.0, &before.1[..]);
        let (worst, wrong) = self.compare(&form, &results, before, (sets, call));
        let Some(diagnostic) = wrong else {
            self.report(&form, sets, FormOutcome::Agrees(worst));
            return Ok(false);
        };
        self.differ(before.0, &form, (sets, call), diagnostic);
        Ok(true)
    }

    fn report(&mut self, form: &Form, sets: &Sets<'_>, outcome: FormOutcome) {
        let round = sets.round.clone();
        self.found.reports.push(FormReport { round, form: form.name(), outcome });
    }

    fn differ(
        &mut self,
        before: &Form,
        after: &Form,
        (sets, call): (&Sets<'_>, &Call),
        diagnostic: Diagnostic,
    ) {
        self.report(after, sets, FormOutcome::Differs);
        self.found.difference = Some(Difference {
            before: before.clone(),
            after: after.clone(),
            diagnostic,
            inputs: call.inputs.clone(),
        });
    }

    /// The results of a form on each call, up to the first that fails.
    fn run(
        &self,
        form: &Form,
        calls: &[Call],
        sets: &Sets<'_>,
    ) -> Vec<Result<Vec<Tensor>, Diagnostic>> {
        let mut all = Vec::new();
        let mut each = |run: &Runs<'_>| {
            for call in calls {
                all.push(run(&call.inputs));
                if all.last().is_some_and(Result::is_err) {
                    break;
                }
            }
        };
        match self.run_each(form, sets, &mut each) {
            Ok(()) => all,
            Err(error) => vec![Err(error)],
        }
    }

    /// Reads a form, and has `each` run it.
    fn run_each(
        &self,
        form: &Form,
        sets: &Sets<'_>,
        each: &mut dyn FnMut(&Runs<'_>),
    ) -> Result<(), Diagnostic> {
        let context = ir::new_context();
        let name = format!("{}.mlir", form.stem());
        let module = strata_vhlo::parse(&context, &name, form.text.as_bytes())
            .map_err(|errors| first(errors, "it cannot be read"))?;
        let entry = ir::entry(&module, None)?;
        let version = Version::of(&module)?;
        let session = || self.settings.session(None, &sets.part);
        if form.stage <= Stage::Hlo {
            let evaluator = Evaluator::new(&module)?;
            each(&|inputs| match &version {
                Some(version) => version.evaluate(&module, inputs, &session()),
                None => {
                    let results = devices::evaluate(&evaluator, &module, None, inputs, &session())?;
                    let shapes = ir::shapes(entry, results.len());
                    Ok(valid_parts(results, &shapes))
                }
            });
            return Ok(());
        }
        if let Some(shards) = ir::Shards::of(entry)
            && form.stage == Stage::Spmd
        {
            each(&|inputs| devices::evaluate_split(&module, None, &shards, inputs, &session()));
            return Ok(());
        }
        if sets.devices > 1 {
            each(&|inputs| devices::interpret(&name, &form.text, sets.devices, inputs));
            return Ok(());
        }
        let program = Program::new(&module)?;
        let is_of_all = entry.has_attr(DISPATCH);
        each(&|inputs| match &version {
            Some(version) => version.interpret(&program, inputs),
            None if is_of_all => interpret_all(&program, inputs),
            None => {
                let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
                tensors(program.signature(), program.run(&bytes)?)
            }
        });
        Ok(())
    }

    /// The element that differs most from the evaluator's, and what is wrong.
    fn compare(
        &self,
        form: &Form,
        results: &[Tensor],
        before: (&Form, &[Tensor]),
        (sets, call): (&Sets<'_>, &Call),
    ) -> (Option<Worst>, Option<Diagnostic>) {
        let (expected, place) = (&call.expected, sets.place());
        let wrong = |reason: &str| (None, Some(wrong(form, &format!("{place}{reason}"))));
        if results.len() != expected.len() {
            return wrong(&format!("{} outputs for {}", results.len(), expected.len()));
        }
        let noisy = |seed| {
            let session = self.settings.session(Some(seed), &sets.part);
            let (evaluator, inputs) = (sets.evaluator, &sets.inputs);
            let all = devices::evaluate(evaluator, sets.module, Some(sets.entry), inputs, &session);
            call.own(sets.versions, all.ok()?).ok()
        };
        let judged = match judge_all(results, expected, |_| self.settings.tolerance, noisy) {
            Ok(judged) => judged,
            Err(error) => return wrong(&error.reason),
        };
        let mut largest: Option<Worst> = None;
        for (at, (actual, expected)) in results.iter().zip(expected).enumerate() {
            if let Some(worst) = &judged[at].wrong {
                return wrong(&apart(&sets.output(at, call), worst, "the evaluator"));
            }
            if form.is_exact()
                && let Some(worst) = first_other_bits(actual, &before.1[at])
            {
                return wrong(&apart(&sets.output(at, call), &worst, &before.0.name()));
            }
            largest = worse(largest, strata_eval::compare::worst(actual, expected).ok().flatten());
        }
        (largest, None)
    }
}

/// The one that is further off.
fn worse(known: Option<Worst>, other: Option<Worst>) -> Option<Worst> {
    match (known, other) {
        (Some(known), Some(other)) if known.distance < other.distance => Some(other),
        (Some(known), _) => Some(known),
        (None, other) => other,
    }
}

impl Sets<'_> {
    /// The name of an output; each device has its own where values are not split.
    fn output(&self, at: usize, call: &Call) -> String {
        let own = call.expected.len() / self.devices.max(1);
        match self.devices > 1 && !ir::is_split(self.module) && own > 0 {
            true => format!("output {} of device {}", at % own, at / own),
            false => format!("output {at}{}", call.text()),
        }
    }

    /// What comes before what is wrong.
    fn place(&self) -> String {
        match self.sizes.as_str() {
            "" => String::new(),
            sizes => format!("with {sizes}, "),
        }
    }
}

fn apart(output: &str, worst: &Worst, other: &str) -> String {
    format!("{output} {}", worst.differs_from(other))
}

/// The first element whose bits differ; all NaNs are equal.
pub(crate) fn first_other_bits(actual: &Tensor, before: &Tensor) -> Option<Worst> {
    (0..actual.len()).find_map(|at| {
        let (a, b) = (actual.get(at), before.get(at));
        let distance = strata_eval::compare::element_distance(a, b, actual.element_type());
        let is_same = actual.element_bytes(at) == before.element_bytes(at)
            || (distance == 0 && format!("{a}") == format!("{b}"));
        let index = strata_eval::index::unravel(at, actual.shape());
        (!is_same).then_some(Worst { distance, index, actual: a, expected: b })
    })
}

fn wrong(form: &Form, reason: &str) -> Diagnostic {
    Diagnostic::new(codes::S9006)
        .reason(format!("{} is the first that differs: {reason}", form.name()))
}

/// The error that ended a form: the difference takes its operation, location and reason.
fn broken(form: &Form, error: &Diagnostic, place: &str) -> Diagnostic {
    let (title, code) = (error.code().title(), error.code());
    let reason = error.reason_text().unwrap_or_default();
    let mut diagnostic = wrong(form, &format!("{place}{title} ({code}): {reason}"));
    if let Some(operation) = error.operation_name() {
        diagnostic = diagnostic.operation(operation);
    }
    if let Some(location) = error.location() {
        diagnostic = diagnostic.at(location.clone());
    }
    for note in error.notes() {
        diagnostic = diagnostic.note(note.text.clone());
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use strata::Stage;
    use strata_diag::codes;

    use super::{Difference, wrong};
    use crate::forms::{Dump, Edited, Form};

    #[test]
    fn only_what_comes_from_an_edited_dump_is_due_to_it() {
        let blamed = |stage, own: Option<&str>, edited: Option<&str>| {
            let form = |stage| Form {
                stage,
                step: None,
                version: own.map(str::to_owned),
                text: String::new(),
            };
            let after = form(stage);
            let diagnostic = wrong(&after, "output 0 is 1 at [0] where the evaluator computes 2");
            let before = form(Stage::Input);
            let mut found = Difference { before, after, diagnostic, inputs: Vec::new() };
            let (name, text) = ("edited.mlir".to_owned(), Vec::new());
            let (stage, step) = (Stage::Schedule, None);
            let edited = Edited { stage, step: None, version: edited.map(str::to_owned) };
            found.blame(&Dump { stage, step, name, text }, &edited);
            found.diagnostic.code()
        };
        assert_eq!(blamed(Stage::Linalg, None, None), codes::S9006);
        assert_eq!(blamed(Stage::Schedule, None, None), codes::S1915);
        assert_eq!(blamed(Stage::Obj, None, None), codes::S1915);
        // Later stages of a version are not compiled from its dump.
        assert_eq!(blamed(Stage::Schedule, Some("n=4"), Some("n=4")), codes::S1915);
        assert_eq!(blamed(Stage::Affine, Some("n=4"), Some("n=4")), codes::S9006);
        assert_eq!(blamed(Stage::Schedule, Some("n=8"), Some("n=4")), codes::S9006);
        assert_eq!(blamed(Stage::Obj, None, Some("n=4")), codes::S9006);
    }
}
