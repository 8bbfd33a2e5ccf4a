//! `strata verify --stages`: runs the program after every stage on the same inputs.
//!
//! Up to stage `hlo` the evaluator runs it, from `linalg` to `vector` the interpreter, after them the object itself. Each form is
//! compared with the evaluator's results; those that must not change any bit also with the form before them, bit by bit.

use crate::judge::judge_all;
use strata::{Options, Stage};
use strata_diag::{Code, Diagnostic, codes};
use strata_eval::{Evaluator, Tensor, compare::Worst, shape::valid_parts};
use strata_interpreter::Program;
use strata_ir as ir;

use crate::{
    Object, devices,
    forms::{Dump, Form, Levels, forms},
    object::tensors,
    shapes::input_shapes,
    verify::{Settings, first, inputs_of_round, read, shapes_of},
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

/// Runs a program after every stage, on the given inputs or on random ones.
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
    // One object for all rounds, so that they have the same sizes.
    options.input_shapes = input_shapes(name, program, &options, settings.seed)?;
    if options.input_shapes.is_some()
        && let Some(inputs) = &inputs
    {
        options.input_shapes = Some(shapes_of(inputs));
    }
    settings.progress.tell("compiling, and keeping the program after each stage");
    let (forms, object, is_edited) = forms(name, program, &options, levels);
    let mut verifier =
        Verifier { settings, options: &options, found: StageVerification::default() };
    let text = String::from_utf8_lossy(program).into_owned();
    let start = Form { stage: Stage::Input, step: None, text };
    let rounds = if inputs.is_some() { 1 } else { settings.rounds };
    for round in 0..rounds {
        let (kind, tensors) =
            inputs_of_round((name, program), &options, settings, round, inputs.as_deref())?;
        let part = format!("round {} of {rounds}", round + 1);
        let session = settings.session(None, &part);
        let expected = devices::evaluate(&evaluator, &module, Some(&entry), &tensors, &session)?;
        let round = format!("round {} ({kind} inputs)", round + 1);
        let sets = Sets {
            round,
            part,
            inputs: tensors,
            expected,
            evaluator: &evaluator,
            module: &module,
            entry: &entry,
            devices: count,
            object: object.as_ref().ok(),
        };
        if verifier.differs(&start, &forms, &sets)? {
            break;
        }
    }
    if let Some(found) = &mut verifier.found.difference
        && let Some(dump) = levels.dump.as_ref().filter(|_| is_edited)
    {
        found.blame(dump);
    }
    match object {
        Err(error) if verifier.found.difference.is_none() => Err(error),
        _ => Ok(verifier.found),
    }
}

impl Difference {
    /// What an edited dump does differently is not a mistake of the stage's.
    fn blame(&mut self, dump: &Dump) {
        let is_due = match &dump.step {
            Some(step) => {
                let own = self.after.step.as_ref().map(|(_, name)| name);
                self.after.stage == dump.stage && own == Some(step)
            }
            // Later ones are compiled from it.
            None => self.after.stage >= dump.stage,
        };
        if is_due {
            let error = self.diagnostic.clone().with_code(codes::S1915);
            self.diagnostic = error.source_file(&dump.name, &String::from_utf8_lossy(&dump.text));
        }
    }
}

/// A given dump with these errors is invalid, so there is nothing to compare.
const UNREADABLE: &[Code] = &[codes::S1001, codes::S1002, codes::S1003, codes::S1004];

/// One set of inputs, and the evaluator's results.
struct Sets<'a> {
    round: String,
    /// `round 1 of 4`.
    part: String,
    inputs: Vec<Tensor>,
    expected: Vec<Tensor>,
    evaluator: &'a Evaluator,
    module: &'a ir::Module<'a>,
    entry: &'a str,
    /// How many devices run the program.
    devices: usize,
    object: Option<&'a strata::Artifact>,
}

struct Verifier<'a> {
    settings: &'a Settings,
    options: &'a Options,
    found: StageVerification,
}

impl Verifier<'_> {
    /// Runs all forms up to the first that differs; returns whether one does.
    fn differs(
        &mut self,
        start: &Form,
        forms: &[Form],
        sets: &Sets<'_>,
    ) -> Result<bool, Diagnostic> {
        let mut before = (start, sets.expected.clone());
        let count = forms.len() + usize::from(sets.object.is_some());
        for (at, form) in forms.iter().enumerate() {
            self.tell(sets, form, at + 1, count);
            let ran = self.run(form, sets);
            match ran {
                Err(error) if error.code() == codes::S1911 => {
                    let reason = error.reason_text().unwrap_or("an operation is not known");
                    let operation = error.operation_name().unwrap_or_default();
                    self.report(form, sets, FormOutcome::NotRun(format!("{operation}: {reason}")));
                }
                Err(error) if UNREADABLE.contains(&error.code()) => return Err(error),
                Err(error) => {
                    self.differ(before.0, form, sets, broken(form, &error));
                    return Ok(true);
                }
                Ok(results) => {
                    let (worst, wrong) = self.compare(form, &results, &before, sets);
                    if let Some(diagnostic) = wrong {
                        self.differ(before.0, form, sets, diagnostic);
                        return Ok(true);
                    }
                    self.report(form, sets, FormOutcome::Agrees(worst));
                    before = (form, results);
                }
            }
        }
        self.object_differs(&before, sets, count)
    }

    /// Says which form is run: `round 1 of 4: 3 of 9, stage `schedule``.
    fn tell(&self, sets: &Sets<'_>, form: &Form, number: usize, count: usize) {
        let (part, name) = (&sets.part, form.name());
        self.settings.progress.tell(&format!("{part}: {number} of {count}, {name}"));
    }

    /// Runs the object, if there is one.
    fn object_differs(
        &mut self,
        before: &(&Form, Vec<Tensor>),
        sets: &Sets<'_>,
        count: usize,
    ) -> Result<bool, Diagnostic> {
        let Some(object) = sets.object else { return Ok(false) };
        let form = Form { stage: Stage::Obj, step: None, text: String::new() };
        self.tell(sets, &form, count, count);
        let results =
            Object::of(object, self.options, &self.settings.linked)?.call(&sets.inputs)?;
        let (worst, wrong) = self.compare(&form, &results, before, sets);
        let Some(diagnostic) = wrong else {
            self.report(&form, sets, FormOutcome::Agrees(worst));
            return Ok(false);
        };
        self.differ(before.0, &form, sets, diagnostic);
        Ok(true)
    }

    fn report(&mut self, form: &Form, sets: &Sets<'_>, outcome: FormOutcome) {
        let round = sets.round.clone();
        self.found.reports.push(FormReport { round, form: form.name(), outcome });
    }

    fn differ(&mut self, before: &Form, after: &Form, sets: &Sets<'_>, diagnostic: Diagnostic) {
        self.report(after, sets, FormOutcome::Differs);
        self.found.difference = Some(Difference {
            before: before.clone(),
            after: after.clone(),
            diagnostic,
            inputs: sets.inputs.clone(),
        });
    }

    fn run(&self, form: &Form, sets: &Sets<'_>) -> Result<Vec<Tensor>, Diagnostic> {
        let context = ir::new_context();
        let name = format!("{}.mlir", form.stem());
        let module = strata_vhlo::parse(&context, &name, form.text.as_bytes())
            .map_err(|errors| first(errors, "it cannot be read"))?;
        if form.stage <= Stage::Hlo {
            let session = self.settings.session(None, &sets.part);
            let evaluator = Evaluator::new(&module)?;
            let results = devices::evaluate(&evaluator, &module, None, &sets.inputs, &session)?;
            let shapes = ir::shapes(ir::entry(&module, None)?, results.len());
            return Ok(valid_parts(results, &shapes));
        }
        if let Some(shards) = ir::Shards::of(ir::entry(&module, None)?)
            && form.stage == Stage::Spmd
        {
            let session = self.settings.session(None, &sets.part);
            return devices::evaluate_split(&module, None, &shards, &sets.inputs, &session);
        }
        if sets.devices > 1 {
            return devices::interpret(&name, &form.text, sets.devices, &sets.inputs);
        }
        let program = Program::new(&module)?;
        let bytes: Vec<Vec<u8>> = sets.inputs.iter().map(|input| input.bytes().to_vec()).collect();
        tensors(program.signature(), program.run(&bytes)?)
    }

    /// The element that differs most from the evaluator's, and what is wrong.
    fn compare(
        &self,
        form: &Form,
        results: &[Tensor],
        before: &(&Form, Vec<Tensor>),
        sets: &Sets<'_>,
    ) -> (Option<Worst>, Option<Diagnostic>) {
        if results.len() != sets.expected.len() {
            let reason = format!("{} outputs for {}", results.len(), sets.expected.len());
            return (None, Some(wrong(form, &reason)));
        }
        let noisy = |seed| {
            let session = self.settings.session(Some(seed), &sets.part);
            let (evaluator, inputs) = (sets.evaluator, &sets.inputs);
            devices::evaluate(evaluator, sets.module, Some(sets.entry), inputs, &session).ok()
        };
        let judged = match judge_all(results, &sets.expected, |_| self.settings.tolerance, noisy) {
            Ok(judged) => judged,
            Err(error) => return (None, Some(wrong(form, &error.reason))),
        };
        let mut largest: Option<Worst> = None;
        for (at, (actual, expected)) in results.iter().zip(&sets.expected).enumerate() {
            if let Some(worst) = &judged[at].wrong {
                let reason = apart(&sets.output(at), worst, "the evaluator");
                return (None, Some(wrong(form, &reason)));
            }
            if form.is_exact()
                && let Some(worst) = first_other_bits(actual, &before.1[at])
            {
                let reason = apart(&sets.output(at), &worst, &before.0.name());
                return (None, Some(wrong(form, &reason)));
            }
            let worst = strata_eval::compare::worst(actual, expected).ok().flatten();
            if let Some(worst) = worst
                && largest.as_ref().is_none_or(|known| known.distance < worst.distance)
            {
                largest = Some(worst);
            }
        }
        (largest, None)
    }
}

impl Sets<'_> {
    /// The name of an output; each device has its own where values are not split.
    fn output(&self, at: usize) -> String {
        let own = self.expected.len() / self.devices.max(1);
        match self.devices > 1 && !ir::is_split(self.module) && own > 0 {
            true => format!("output {} of device {}", at % own, at / own),
            false => format!("output {at}"),
        }
    }
}

fn apart(output: &str, worst: &Worst, other: &str) -> String {
    format!("{output} {}", worst.differs_from(other))
}

/// The first element whose bits differ; all NaNs are equal.
fn first_other_bits(actual: &Tensor, before: &Tensor) -> Option<Worst> {
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
fn broken(form: &Form, error: &Diagnostic) -> Diagnostic {
    let reason = error.reason_text().unwrap_or_default();
    let mut diagnostic =
        wrong(form, &format!("{} ({}): {reason}", error.code().title(), error.code()));
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
    use crate::forms::{Dump, Form};

    #[test]
    fn only_what_comes_from_an_edited_dump_is_due_to_it() {
        let form = |stage| Form { stage, step: None, text: String::new() };
        let blamed = |stage| {
            let after = form(stage);
            let diagnostic = wrong(&after, "output 0 is 1 at [0] where the evaluator computes 2");
            let before = form(Stage::Input);
            let mut found = Difference { before, after, diagnostic, inputs: Vec::new() };
            let (name, text) = ("edited.mlir".to_owned(), Vec::new());
            found.blame(&Dump { stage: Stage::Schedule, step: None, name, text });
            found.diagnostic.code()
        };
        assert_eq!(blamed(Stage::Linalg), codes::S9006);
        assert_eq!(blamed(Stage::Schedule), codes::S1915);
        assert_eq!(blamed(Stage::Obj), codes::S1915);
    }
}
