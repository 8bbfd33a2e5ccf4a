//! From nests to kernels: each distinct nest is scheduled once, in a function of its own.

mod computes;
mod extremum;
mod remarks;
mod tiles;
mod weights;

use std::collections::BTreeSet;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Context, Module, Op, PACKED, TypeExt as _, Value, apply_named_sequence, capture, func,
    function, linalg, module_op, parse_text, print as print_module, run_pipeline, scf, string,
    tensor, timed, type_attr, unit,
};
use strata_remarks::{Attempt, mark, remark, wants_remarks};
use strata_target::tuning::tiling::MIN_ROLLED_WORK;

use self::weights::{moves_weight, own_weights};
use crate::{
    cleanup::{destinations::thread_destinations, tidy::tidy},
    contract::has_huge_vector,
    fusion::{
        in_place::compute_in_place,
        merge::{merge, merge_into_users},
        nest::{Nest, role},
        rematerialize::compute_again,
    },
    layout::{
        collapse::{collapse_reductions, collapse_transpose},
        subwords::unpacked,
        transpose_operands::transpose_operands,
    },
    limits::{Need, facts::Fact, loops, masks, reductions, temporaries},
    steps::Scheduler,
    structured::Structured,
    tiling::{
        candidates::{self, Considered, Parts, consider},
        choice::Choice,
        elementwise::is_contiguous,
        plan::Plan,
        rows::step_tag,
        space::space,
    },
    transform::{
        failure::{Failure, failed},
        library::{library_text, sequence_of},
        outline::{function_of, inline_before, outline},
        script::Cleaning,
        tags,
    },
    tuned::{Entry, Fingerprint, TunableNest, segments, standalone, target_name},
    vectors::{fma::fuse_multiply_add, index_vectors::narrow_index_vectors},
};

/// Why a nest has no schedule for which a file of schedules says so.
const LEFT_TO_LOOPS: &str = "the file of schedules leaves it to plain loops";

/// A scheduled kernel, reused for equal nests.
pub(crate) struct Kernel<'c> {
    /// The transformed function; `None` if the nest is not scheduled.
    module: Option<Module<'c>>,
    /// The name of the schedule recorded on the nest.
    name: String,
    /// Whether that packs panels.
    is_packed: bool,
    /// The name of its sequence, where there are schedules for it, or of an extremum.
    sequence: Option<String>,
    /// The loops of its deepest operation: trip counts, and whether they are reductions.
    loops: Vec<(i64, bool)>,
    /// Its scalar operations.
    computes: BTreeSet<String>,
    /// The schedules that were considered.
    attempts: Vec<Attempt>,
    /// Whether a file of schedules divides the nest into several.
    is_apart: bool,
    /// The position in [`Scheduler::listed`].
    listed: Option<usize>,
}

impl Kernel<'_> {
    fn left_alone(attempts: Vec<Attempt>) -> Self {
        Self {
            module: None,
            name: String::new(),
            is_packed: false,
            sequence: None,
            loops: Vec::new(),
            computes: BTreeSet::new(),
            attempts,
            is_apart: false,
            listed: None,
        }
    }

    fn declined(reason: &str) -> Self {
        Self::left_alone(vec![Attempt {
            schedule: "all".to_owned(),
            declined: Some(reason.to_owned()),
        }])
    }

    fn apart() -> Self {
        Self { is_apart: true, ..Self::declined("the file of schedules divides the nest") }
    }

    /// Its loops and operations, for people: `64 x 96, reduces 128: arith.addf, math.fma`.
    fn about(&self) -> String {
        let of = |is_reduction: bool| {
            let own = self.loops.iter().filter(|(_, reduces)| *reduces == is_reduction);
            own.map(|(trips, _)| trips.to_string()).collect::<Vec<_>>().join(" x ")
        };
        let computes: Vec<_> = self.computes.iter().map(String::as_str).collect();
        let reduces = match of(true) {
            none if none.is_empty() => none,
            trips => format!(", reduces {trips}"),
        };
        format!("{}{reduces}: {}", of(false), computes.join(", "))
    }
}

impl<'c> Scheduler<'c, '_> {
    /// Schedules a nest, or leaves it as it is.
    pub fn nest(&mut self, nest: &Nest<'c>) -> Result<(), Diagnostic> {
        let root = nest.ops[nest.ops.len() - 1];
        if moves_weight(nest, &self.options.laid_out) {
            let kernel = Kernel::declined("it is not in a call: its elements are moved before");
            remark(|| remarks::about(nest, &kernel, self.nests));
            self.nests += 1;
            return Ok(());
        }
        let (outlined, key, needs, facts, weights, subwords) = timed("outlining", || {
            let outlined = outline(self.context, nest);
            let needs = nest.results.iter().map(|result| self.needs.partial(*result));
            let needs: Vec<_> = needs.map(|needs| needs.unwrap_or_default().to_vec()).collect();
            let is_part = |need: &Need| matches!(need, Need::Below(_));
            let ends_in_tiles = |(result, needs): (&Value<'c>, &Vec<Need>)| {
                is_output(*result) && needs.iter().rev().take(2).any(is_part)
            };
            if nest.results.iter().zip(&needs).any(ends_in_tiles)
                && let Some(func) = function_of(&outlined.module)
            {
                func.set_attr(tags::OUTPUT, unit(self.context));
            }
            let mut key = print_module(&outlined.module, false);
            let facts = outlined.inputs.iter().map(|input| self.needs.fact(*input).cloned());
            let facts: Vec<_> = facts.collect();
            if self.needs.sizes > 0 {
                key.push_str(&format!("{needs:?} {facts:?}"));
            }
            let weights = own_weights(nest, &outlined.inputs, &self.options.laid_out);
            if !weights.is_empty() {
                key.push_str(&format!("weights {weights:?}"));
            }
            let subwords = unpacked(&outlined.inputs);
            if !subwords.is_empty() {
                key.push_str(&format!("unpacked {subwords:?}"));
            }
            (outlined, key, needs, facts, weights, subwords)
        });
        let inputs = outlined.inputs;
        if !self.kernels.contains_key(&key) {
            let inputs = [&weights[..], &subwords];
            let kernel = self.new_kernel(nest, outlined.module, &key, inputs, (&needs, &facts))?;
            self.kernels.insert(key.clone(), kernel);
        }
        let Some(kernel) = self.kernels.get(&key) else { return Ok(()) };
        let number = self.nests;
        self.nests += 1;
        remark(|| remarks::about(nest, kernel, number));
        if let Some((at, listed)) = kernel.listed.zip(self.listed.as_mut()) {
            listed[at].count += 1;
        }
        let Some(func) = kernel.module.as_ref().and_then(function_of) else {
            let parts = if kernel.is_apart { segments(nest) } else { nest.parts.clone() };
            return parts.iter().try_for_each(|part| self.nest(part));
        };
        let copy = func.clone_detached();
        let returned = copy.body(0).terminator().map(Op::operands).unwrap_or_default();
        self.needs.rename(&nest.results, &returned);
        let name = string(self.context, &kernel.name);
        for op in inline_before(copy, &inputs, &nest.results, root) {
            if op.is(scf::FOR) || op.dialect() == "linalg" {
                op.set_attr(tags::SCHEDULE, name);
                if kernel.is_packed {
                    op.set_attr(PACKED, unit(self.context));
                }
            }
            if wants_remarks() {
                mark(self.context, op, number);
            }
            tiles::number(self.context, op, &mut self.tiles);
        }
        copy.erase();
        for op in nest.ops.iter().rev() {
            if op.is_unused() {
                self.needs.forget(*op);
                op.erase();
            }
        }
        Ok(())
    }

    /// Schedules a nest that is like none before it, outlined as `module`; `key` says all that its schedule depends on.
    fn new_kernel(
        &mut self,
        nest: &Nest<'c>,
        mut module: Module<'c>,
        key: &str,
        [weights, subwords]: [&[usize]; 2],
        (needs, facts): (&[Vec<Need>], &[Option<Fact>]),
    ) -> Result<Kernel<'c>, Diagnostic> {
        let print = (self.tuned.is_some() || self.listed.is_some())
            .then(|| Fingerprint::of(key, &self.options.target));
        let entry = print.and_then(|print| self.tuned.as_ref()?.schedules.get(print)).cloned();
        let count = segments(nest).len();
        let divided = match entry.as_ref().map(|entry| &entry.schedule) {
            Some(Choice::Apart) if count > 1 => Some(Kernel::apart()),
            Some(Choice::Loops) if nest.parts.is_empty() => Some(Kernel::declined(LEFT_TO_LOOPS)),
            _ => None,
        };
        if let Some(kernel) = divided {
            self.options.used_schedules.add();
            return Ok(kernel);
        }
        let is_open =
            needs.iter().any(|needs| !needs.is_empty()) || facts.iter().any(Option::is_some);
        let text = self.listed.is_some().then(|| print_module(&module, false));
        timed("generalization", || self.generalize(&module, true))?;
        timed("fusion", || self.fuse(&mut module, !nest.parts.is_empty()))?;
        let listed = print.filter(|_| self.listed.is_some()).map(|fingerprint| TunableNest {
            fingerprint,
            about: String::new(),
            target: target_name(&self.options.target),
            count: 0,
            work: 0.0,
            chosen: Choice::Loops,
            space: match nest.parts.is_empty() {
                true if count > 1 => vec![Choice::Apart, Choice::Loops],
                true => vec![Choice::Loops],
                false => vec![Choice::Apart],
            },
            program: text
                .filter(|_| !is_open)
                .and_then(|text| standalone(self.context, &text, weights)),
        });
        let kernel = timed("schedules", || {
            self.kernel(module, [weights, subwords], (needs, facts), entry.as_ref(), listed)
        })?;
        if let Some(func) = kernel.module.as_ref().and_then(function_of) {
            loops::limit(self.context, func, needs, self.needs.sizes);
            reductions::limit(self.context, func, facts, self.needs.sizes);
            temporaries::limit(func);
            masks::mark(self.context, func, facts, self.needs.sizes);
        }
        if let Some(entry) = entry {
            self.options.used_schedules.add();
            if kernel.module.is_none() {
                return Err(self.unusable(&entry, "the nest has no schedule of this kind"));
            }
        }
        Ok(kernel)
    }

    /// The error of an entry of the file of schedules that is not one for its nest.
    fn unusable(&self, entry: &Entry, reason: &str) -> Diagnostic {
        match &self.tuned {
            Some(tuned) => tuned.unusable(entry, reason),
            None => Diagnostic::new(codes::S1302).reason(reason),
        }
    }

    /// Fuses elementwise chains, so that an epilogue is one operation; a joined nest becomes a single operation.
    fn fuse(&self, module: &mut Module<'c>, is_joint: bool) -> Result<(), Diagnostic> {
        let Some(func) = function_of(module) else { return Ok(()) };
        if func.body(0).ops().into_iter().filter(|op| role(*op).is_some()).count() < 2 {
            return Ok(());
        }
        let nests: Vec<_> = generics(func).collect();
        if is_joint {
            let results = func.body(0).terminator().map(Op::operands).unwrap_or_default();
            merge(self.context, &nests, &results);
            return Ok(());
        }
        merge_into_users(self.context, &nests);
        let nests: Vec<_> = generics(func).collect();
        let is_over_rows = nests.iter().any(|nest| nest.row_loops().is_some());
        if is_over_rows && compute_again(self.context, &nests, &self.options.target) {
            merge_into_users(self.context, &generics(func).collect::<Vec<_>>());
        }
        let Some(root) = candidates::parts(func).map(|parts| parts.root) else { return Ok(()) };
        let loops = Structured::of_generic(root).map_or(usize::MAX, |nest| nest.extents.len());
        // The remaining ones read others in a different order.
        let is_left = |nest: Structured<'c>| {
            let value = nest.op.result(0);
            nest.is_parallel()
                && nest.extents.len() == loops
                && value.has_one_use()
                && value.uses().iter().any(|(user, _)| user.is(linalg::GENERIC))
        };
        match generics(func).any(is_left) {
            true => self.fuse_elementwise(module, func, root, loops),
            false => Ok(()),
        }
    }

    /// MLIR's fusion, but for what is computed once per row of `root`, which has `loops` loops: fused into operations over whole
    /// rows, it would be computed for each element. As a result of the function it has a second use, which forbids that.
    fn fuse_elementwise(
        &self,
        module: &mut Module<'c>,
        func: Op<'c>,
        root: Op<'c>,
        loops: usize,
    ) -> Result<(), Diagnostic> {
        let mut shown = root.results();
        for nest in generics(func).filter(|nest| nest.extents.len() < loops) {
            shown.extend(nest.op.results());
        }
        let results = root.result_count();
        let many = shown.len() > results;
        if many {
            set_results(self.context, func, &shown);
        }
        let pipeline = "builtin.module(func.func(linalg-fuse-elementwise-ops))";
        run_pipeline(self.context, module, pipeline)?;
        if let Some(func) = function_of(module).filter(|_| many) {
            let kept: Vec<_> = func.body(0).terminator().map(Op::operands).unwrap_or_default();
            set_results(self.context, func, &kept[..results.min(kept.len())]);
        }
        Ok(())
    }

    /// Tries the schedules of a kernel, of whose results `needs` are needed, and of whose arguments `facts` are known, until one succeeds;
    /// only that of `entry`, if there is one. `weights` are arguments that only this kernel reads, and that are constants, `subwords` are
    /// unpacked at reads. `listed` is what is known of it so far.
    fn kernel(
        &mut self,
        module: Module<'c>,
        [weights, subwords]: [&[usize]; 2],
        (needs, facts): (&[Vec<Need>], &[Option<Fact>]),
        entry: Option<&Entry>,
        listed: Option<TunableNest>,
    ) -> Result<Kernel<'c>, Diagnostic> {
        let Some(func) = function_of(&module) else {
            return Ok(Kernel::declined("it has no function"));
        };
        // A splat fused into its reduction leaves loops whose extents no operand determines; MLIR tiles them without a check.
        let has_extents = |op: &Op<'c>| Structured::of_generic(*op).is_some();
        let mut generics = func.body(0).ops().into_iter().filter(|op| op.is(linalg::GENERIC));
        if !generics.all(|op| has_extents(&op)) {
            return Ok(Kernel::declined("no operand determines the trip count of a loop"));
        }
        if let Some(found) = extremum::only(func).filter(|_| entry.is_none()) {
            return Ok(self.extremum(module, &found, (needs, facts)));
        }
        if needs.iter().all(Vec::is_empty) && facts.iter().all(Option::is_none) {
            collapse_transpose(self.context, func, &self.options.target);
        }
        let prepared = self.prepare(func);
        let Some(mut parts) = prepared else {
            return Ok(Kernel::declined("its result is one of its operands"));
        };
        parts.short_work = self.options.short_work();
        [parts.weights, parts.unpacked] =
            [weights, subwords].map(|list| list.iter().map(|at| func.body(0).arg(*at)).collect());
        let dims = needs.first().into_iter().flatten().enumerate();
        let limited = dims.filter(|(_, need)| matches!(need, Need::Below(_)));
        parts.limited = limited.map(|(dim, _)| dim).collect();
        let rank = needs.first().map_or(0, Vec::len);
        let arguments = func.body(0).args().into_iter().zip(facts);
        let is_innermost = |(argument, fact): (Value<'c>, &Option<Fact>)| {
            fact.as_ref().is_some_and(|fact| fact.ends_along(argument.ty().rank()))
        };
        parts.has_limited_columns = !parts.has_row_results()
            && parts.limited.iter().any(|dim| dim + 1 == rank)
            || arguments.into_iter().any(is_innermost);
        let (loops, computes) = computes::shown(&parts.generics, &self.options.target, false);
        let sequence = format!("nest{}", self.next);
        let Considered { candidates, declined } = consider(&parts, &self.options.target);
        let mut kernel = Kernel { loops, computes, ..Kernel::left_alone(declined) };
        if candidates.is_empty() && entry.is_none() {
            return Ok(kernel);
        }
        self.next += 1;
        kernel.sequence = Some(sequence.clone());
        if self.given.is_some() {
            return self.apply_given(&module, &sequence, kernel);
        }
        let cleaning = Cleaning::of(self.options);
        let candidates = match entry {
            Some(entry) => {
                let plan = Plan::of(&entry.schedule, &parts, &self.options.target);
                vec![plan.map_err(|reason| self.unusable(entry, &reason))?]
            }
            None => candidates,
        };
        for candidate in candidates {
            let choice = candidate.choice();
            let text = candidate.sequence(&sequence);
            let library = library_text(std::slice::from_ref(&text), cleaning);
            let library = parse_text(self.context, &library)?;
            let scheduled = self.apply(&module, &library, &sequence);
            if let (Some(entry), Err(failure)) = (entry, &scheduled) {
                let reason = match failure {
                    Failure::Transform(_) => "its steps cannot be applied to the nest",
                    Failure::Result(_) => "what it makes of the nest cannot be compiled",
                };
                return Err(self.unusable(entry, reason).note(format!("MLIR: {}", failure.text())));
            }
            kernel.attempts.push(Attempt {
                schedule: match entry {
                    Some(_) => format!("{}, from the file of schedules", choice.in_full()),
                    None => choice.to_string(),
                },
                declined: scheduled.as_ref().err().map(Failure::text),
            });
            if let Ok(scheduled) = scheduled {
                self.chosen.push(text);
                if matches!(choice, Choice::Tiles { .. }) {
                    kernel.computes =
                        computes::shown(&parts.generics, &self.options.target, true).1;
                }
                if let Some(found) = listed {
                    let at = self.list(found, &parts, &kernel, choice.clone());
                    kernel.listed = Some(at);
                }
                let (name, is_packed) = (choice.to_string(), choice.is_packed());
                return Ok(Kernel { module: Some(scheduled), name, is_packed, ..kernel });
            }
        }
        Ok(kernel)
    }

    /// Adds a nest to the list, and returns its position.
    fn list(
        &mut self,
        mut found: TunableNest,
        parts: &Parts<'c>,
        kernel: &Kernel<'c>,
        chosen: Choice,
    ) -> usize {
        let mut space = space(parts, &self.options.target);
        space.extend(std::mem::take(&mut found.space));
        if !space.contains(&chosen) {
            space.push(chosen.clone());
        }
        let trips = |nest: &Structured<'c>| {
            let trips: f64 = nest.extents.iter().map(|extent| *extent as f64).product();
            trips * nest.work().max(1) as f64
        };
        found.work = parts.generics.iter().map(trips).sum();
        found.about = kernel.about();
        found.chosen = chosen;
        found.space = space;
        let listed = self.listed.get_or_insert_default();
        listed.push(found);
        listed.len() - 1
    }

    /// Normalises reductions for register tiles and tags all operations.
    fn prepare(&self, func: Op<'c>) -> Option<Parts<'c>> {
        let parts = candidates::parts(func)?;
        if let [only] = parts.generics.as_slice() {
            collapse_reductions(self.context, only);
        }
        let parts = candidates::parts(func)?;
        let is_row = |nest: &Structured<'c>| nest.row_loops().is_some() && is_contiguous(nest);
        for nest in parts.generics.iter().filter(|nest| !nest.is_parallel()) {
            let is_transposed = parts.generics.len() <= 2 && transpose_operands(self.context, nest);
            if (is_transposed || !is_row(nest)) && self.options.target.has_fma() {
                fuse_multiply_add(self.context, nest);
            }
        }
        let parts = candidates::parts(func)?;
        if let [sum, last] = parts.generics.as_slice()
            && !sum.is_parallel()
            && !is_row(sum)
            && last.work() >= MIN_ROLLED_WORK
        {
            compute_in_place(self.context, sum.op, last);
        }
        let parts = candidates::parts(func)?;
        parts.root.set_attr(tags::ROOT, unit(self.context));
        for (index, nest) in parts.generics.iter().enumerate() {
            nest.op.set_attr(&step_tag(index), unit(self.context));
            if !nest.is_parallel() {
                nest.op.set_attr(tags::REDUCTION, unit(self.context));
            }
        }
        Some(parts)
    }

    /// Applies the sequence that the user gave for a kernel, if there is one.
    fn apply_given(
        &self,
        module: &Module<'c>,
        sequence: &str,
        mut kernel: Kernel<'c>,
    ) -> Result<Kernel<'c>, Diagnostic> {
        let given = self.given.as_ref().map(|given| &given.library);
        let given = given.filter(|library| sequence_of(library, sequence).is_some());
        let schedule = format!("given @{sequence}");
        let Some(library) = given else {
            let declined = Some("the given schedule has no such sequence".to_owned());
            kernel.attempts.push(Attempt { schedule, declined });
            return Ok(kernel);
        };
        let scheduled = self.apply(module, library, sequence);
        let scheduled = scheduled.map_err(|failure| self.failed(module, sequence, failure))?;
        kernel.attempts.push(Attempt { schedule: schedule.clone(), declined: None });
        Ok(Kernel { module: Some(scheduled), name: schedule, ..kernel })
    }

    /// The error of a given sequence that fails.
    fn failed(&self, module: &Module<'c>, sequence: &str, failure: Failure) -> Diagnostic {
        let fails = |library: &Module<'c>| self.apply(module, library, sequence).is_err();
        match &self.given {
            Some(given) => failed(self.context, given, module, sequence, &failure, &fails),
            None => Diagnostic::new(codes::S1301).reason(failure.text()),
        }
    }

    /// Applies a sequence to a copy of a kernel.
    fn apply(
        &self,
        module: &Module<'c>,
        library: &Module<'c>,
        sequence: &str,
    ) -> Result<Module<'c>, Failure> {
        let missing = || Failure::Result(format!("there is no sequence `@{sequence}`"));
        let entry = sequence_of(library, sequence).ok_or_else(missing)?;
        let original = function_of(module).ok_or_else(missing)?;
        let copy = Module::new(original.location());
        let func = Builder::at_end(self.context, module_op(&copy).body(0), original.location())
            .insert(original.clone_detached());
        timed("transformation", || {
            apply_named_sequence(self.context, func, entry, module_op(library))
        })
        .map_err(Failure::Transform)?;
        let gone = || Failure::Result("the function is gone".to_owned());
        let func = function_of(&copy).ok_or_else(gone)?;
        self.tiles(func)?;
        self.finished(&copy, func)?;
        Ok(copy)
    }

    /// Tidies a scheduled kernel, the only function of its module, and checks it.
    fn finished(&self, module: &Module<'c>, func: Op<'c>) -> Result<(), Failure> {
        timed("tidying", || {
            tidy(self.context, func);
            thread_destinations(self.context, func);
        });
        if !narrow_index_vectors(self.context, func) {
            return Err(Failure::Result("a vector holds element indices".to_owned()));
        }
        let (valid, reports) =
            timed("verification", || capture(self.context, || module_op(module).verify()));
        if !valid {
            let report = reports.into_iter().find(|report| report.is_error);
            let reason = report.map_or_else(String::new, |report| report.with_notes());
            return Err(Failure::Result(reason));
        }
        if !func.collect(has_huge_vector).is_empty() {
            return Err(Failure::Result("a vector is larger than 4 KiB".to_owned()));
        }
        Ok(())
    }
}

/// Whether the function returns a value, perhaps in another shape.
fn is_output(value: Value<'_>) -> bool {
    value.uses().into_iter().any(|(user, _)| match user.name() {
        tensor::COLLAPSE_SHAPE | tensor::EXPAND_SHAPE => is_output(user.result(0)),
        name => name == func::RETURN,
    })
}

/// The generic operations of a function that can be read.
fn generics<'c>(func: Op<'c>) -> impl Iterator<Item = Structured<'c>> {
    func.body(0).ops().into_iter().filter_map(Structured::of_generic)
}

/// Makes the function return `values`.
fn set_results<'c>(context: &'c Context, func: Op<'c>, values: &[Value<'c>]) {
    let body = func.body(0);
    if let Some(old) = body.terminator() {
        Builder::before(context, old).op(func::RETURN).operands(values).build();
        old.erase();
    }
    let inputs: Vec<_> = body.args().into_iter().map(Value::ty).collect();
    let outputs: Vec<_> = values.iter().map(|value| value.ty()).collect();
    func.set_attr("function_type", type_attr(function(context, &inputs, &outputs)));
}
