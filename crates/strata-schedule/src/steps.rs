//! The steps of the stage, and their driver.

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Block, Context, Module, Op, Step, StepInfo, VALID, apply_named_sequence, builtin, linalg,
    module_op, parse_text, print, run_pipeline, timed,
};
use strata_options::{LaidOut, Options};

use crate::{
    cleanup::{starts::take_numbers, tidy::sweep},
    constants::lay_out,
    fusion::{
        at_reads::{compute_at_reads, waiting},
        attention::block_attention,
        comparisons::fuse_booleans,
        complexes::fuse_complexes,
        gathers::merge_gathers,
        nest::{Nest, is_heavy, partition},
        positions::spread_positions,
        rematerialize::rematerialize,
        siblings::join,
        units::keep_units,
    },
    kernels::Kernel,
    layout::{
        bool_storage::store_as_bytes,
        lanes::{pack_lanes, read_in_place},
        subwords::unpack_subwords,
    },
    limits::{demand::Needs, pieces},
    transform::{
        given::Given,
        library::{library_text, sequence_of},
        script::Cleaning,
    },
    tuned::{Entry, Schedules, TunableNest, Tuned, is_schedules},
    vectors::short_vectors::vectorize,
};

/// Runs a step.
pub(crate) type Run =
    for<'c, 'o> fn(&mut Scheduler<'c, 'o>, &mut Module<'c>) -> Result<(), Diagnostic>;

/// The steps in order.
const STEPS: &[Step<Run>] = &[
    Step {
        name: "short-vectors",
        because: "arithmetic on short tensors is not in linalg operations, and later steps only handle those",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            vectorize(stage.context, module_op(module));
            Ok(())
        },
    },
    Step {
        name: "lanes",
        because: "packing is a nest of its own, with loops and vectors that no schedule makes",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            let Options { target, laid_out, .. } = stage.options;
            pack_lanes(stage.context, module_op(module), target, laid_out);
            Ok(())
        },
    },
    Step {
        name: "generalization",
        because: "fusion inspects bodies; contractions, convolutions and windows are recognised by their names until nests are formed",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| stage.generalize(module, false),
    },
    Step {
        name: "unit-extents",
        because: "dimensions of size 1 hide that two operations iterate over the same elements",
        keeps: "the value of every tensor, in another shape where extents of 1 are dropped",
        is_exact: true,
        run: |stage, module| {
            let is_bounded =
                |block: &Block<'_>| block.parent_op().is_some_and(|func| func.has_attr(VALID));
            for block in blocks_of(module_op(module)).into_iter().filter(is_bounded) {
                take_numbers(block);
                sweep(block);
            }
            let pipeline = "builtin.module(func.func(linalg-fold-unit-extent-dims,strata-canonicalize{programs=nests}))";
            run_pipeline(stage.context, module, pipeline)
        },
    },
    Step {
        name: "comparisons",
        because: "a boolean with a single user is fused with it and not stored",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            let mut blocks = blocks_of(module_op(module)).into_iter();
            blocks.try_for_each(|block| fuse_booleans(stage.context, block))
        },
    },
    Step {
        name: "gathers",
        because: "the comparisons of a mask are fused with its user by then",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            stage.rewrite(module, merge_gathers);
            Ok(())
        },
    },
    Step {
        name: "complexes",
        because: "no schedule has vectors of complex numbers, and comparisons of their parts are fused by then",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            stage.rewrite(module, fuse_complexes);
            Ok(())
        },
    },
    Step {
        name: "bool-storage",
        because: "only booleans that were not fused are stored",
        keeps: "the value of every tensor, booleans as bytes",
        is_exact: true,
        run: |stage, module| {
            store_as_bytes(stage.context, module_op(module));
            Ok(())
        },
    },
    Step {
        name: "attention",
        because: "its masks are fused by then, and its blocks become nests",
        keeps: "the value of every tensor, except for the order of float sums and what their terms are scaled by",
        is_exact: false,
        run: |stage, module| {
            for block in blocks_of(module_op(module)) {
                block_attention(stage.context, block, &stage.options.target);
            }
            Ok(())
        },
    },
    Step {
        name: "nests",
        because: "all operations are in the form that fusion and tiling expect",
        keeps: "the value of every tensor, except for the order of float sums and the rounding of multiply-adds in reductions",
        is_exact: false,
        run: |stage, module| {
            let blocks = blocks_of(module_op(module));
            for block in &blocks {
                timed("rematerialization", || rematerialize(stage.context, *block));
            }
            let least = stage.options.least_sizes();
            let mut inner = HashMap::new();
            for block in blocks {
                let entry = block.parent_op().filter(|func| func.has_attr(VALID));
                stage.needs = timed("needs", || match entry {
                    Some(entry) => {
                        let needs = Needs::of(entry, &least);
                        inner = needs.of_inner(entry);
                        needs
                    }
                    None => Needs::of_block(block, &mut inner, &least),
                });
                if entry.is_none() {
                    timed("positions", || spread_positions(stage.context, block));
                }
                let nests = partition(block);
                keep_units(stage.context, &nests);
                let nests = timed("fusion of siblings", || join(block, nests));
                if nests.iter().any(|nest| !nest.parts.is_empty()) {
                    bring_together(&nests);
                }
                for nest in nests {
                    // What is needed in part gets its limits with its nest, here.
                    let is_whole =
                        nest.results.iter().all(|result| stage.needs.partial(*result).is_none());
                    match is_whole.then(|| waiting(stage.context, &nest)).flatten() {
                        Some(op) => stage.waiting.push(op),
                        None => stage.nest(&nest)?,
                    }
                }
                stage.needs.limit_unscheduled(stage.context, block, &stage.waiting);
                if let Some(entry) = entry {
                    pieces::copy(stage.context, block, &stage.needs, &stage.options.target);
                    stage.needs.limit_by_reads(stage.context, entry, &stage.options.target);
                }
                sweep(block);
            }
            Ok(())
        },
    },
    Step {
        name: "lanes-in-place",
        because: "whether vectors of lanes are read, which need no packing, follows from the schedules",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            let Options { target, laid_out, .. } = stage.options;
            read_in_place(stage.context, module_op(module), target, laid_out);
            unpack_subwords(stage.context, module_op(module), i64::from(target.lanes(32)));
            Ok(())
        },
    },
    Step {
        name: "operands-at-reads",
        because: "how often an operand is read follows from the schedules of its readers, packing included",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            for op in std::mem::take(&mut stage.waiting) {
                if !compute_at_reads(stage.context, op) {
                    stage.nest(&Nest {
                        ops: vec![op],
                        results: op.results(),
                        parts: Vec::new(),
                    })?;
                }
            }
            blocks_of(module_op(module)).into_iter().for_each(sweep);
            Ok(())
        },
    },
    Step {
        name: "constants",
        because: "what nests copy of constants is known by then, and has no buffer yet",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |stage, module| {
            lay_out(stage.context, module, stage.options)?;
            // What would take too much memory, and what prepares inputs.
            read_in_place(stage.context, module_op(module), &stage.options.target, &LaidOut::NONE);
            Ok(())
        },
    },
];

/// The facts about the steps, in order.
pub fn steps() -> Vec<StepInfo> {
    STEPS.iter().map(Step::info).collect()
}

/// The state that the steps share.
pub(crate) struct Scheduler<'c, 'o> {
    pub context: &'c Context,
    pub options: &'o Options,
    /// The schedule that replaces those of the cost model.
    pub given: Option<Given<'c>>,
    /// The schedules that replace those of the cost model where there is one for a nest.
    pub tuned: Option<Tuned>,
    /// The nests whose schedule may be chosen, where they are asked for.
    pub listed: Option<Vec<TunableNest>>,
    /// Scheduled kernels, by the text of their functions.
    pub kernels: HashMap<String, Kernel<'c>>,
    /// The sequences that were applied, in the order of their kernels.
    pub chosen: Vec<String>,
    /// The number of the next kernel that schedules are considered for.
    pub next: usize,
    /// How many extrema with their places there were before; they have no sequence.
    pub extrema: usize,
    /// How many nests there were, equal ones counted, for remarks.
    pub nests: usize,
    /// How many regions of tiles the nests before have.
    pub tiles: i64,
    /// What is needed of the tensors of the block.
    pub needs: Needs<'c>,
    /// Operations that may be computed where they are read.
    pub waiting: Vec<Op<'c>>,
}

impl<'c, 'o> Scheduler<'c, 'o> {
    fn new(context: &'c Context, options: &'o Options) -> Self {
        Self {
            context,
            options,
            given: None,
            tuned: None,
            listed: None,
            kernels: HashMap::new(),
            chosen: Vec::new(),
            next: 0,
            extrema: 0,
            nests: 0,
            tiles: 0,
            needs: Needs::default(),
            waiting: Vec::new(),
        }
    }

    fn run(
        &mut self,
        module: &mut Module<'c>,
        seen: &mut dyn FnMut(usize, &str, &Module<'c>),
    ) -> Result<(), Diagnostic> {
        for (number, step) in STEPS.iter().enumerate() {
            timed(step.name, || (step.run)(self, module))?;
            seen(number, step.name, module);
        }
        match &self.given {
            Some(given) => given.check_names(self.next),
            None => Ok(()),
        }
    }

    /// Rewrites each block, and drops what nothing uses then.
    fn rewrite(&self, module: &Module<'c>, with: fn(&'c Context, Block<'c>)) {
        for block in blocks_of(module_op(module)) {
            with(self.context, block);
            sweep(block);
        }
    }

    /// Named operations become generic; the `heavy` ones only once nests are formed.
    pub fn generalize(&self, module: &Module<'c>, heavy: bool) -> Result<(), Diagnostic> {
        let named = module_op(module).collect(|op| {
            op.dialect() == "linalg"
                && op.region_count() > 0
                && (heavy || !is_heavy(op.name()))
                && !matches!(op.name(), linalg::GENERIC | linalg::FILL)
        });
        let mut names: Vec<_> = named.iter().map(|op| format!("{:?}", op.name())).collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            return Ok(());
        }
        let sequence = format!(
            "transform.named_sequence @generalize(%func: !transform.any_op {{transform.readonly}}) {{\n\
             %0 = transform.structured.match ops{{[{}]}} in %func : (!transform.any_op) -> !transform.any_op\n\
             %1 = transform.structured.generalize %0 : (!transform.any_op) -> !transform.any_op\n\
             transform.yield\n}}\n",
            names.join(", ")
        );
        let text = library_text(&[sequence], Cleaning::Whole);
        let library = parse_text(self.context, &text)?;
        let Some(sequence) = sequence_of(&library, "generalize") else { return Ok(()) };
        apply_named_sequence(self.context, module_op(module), sequence, module_op(&library))
            .map_err(|report| Diagnostic::new(codes::S9003).reason(report.with_notes()))
    }
}

/// Schedules every nest, by `options.schedule` if given, else by the cost model.
///
/// # Errors
/// `S1301` when a schedule that the user gave does not parse or apply, `S1302` when this holds for a file of schedules by nest. If one
/// of our own schedules fails, this is not an error:
/// its nest stays linalg.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    run_observed(context, module, options, &mut |_, _, _| {})
}

/// As [`run`]; `seen` is called after each step with its number and name.
///
/// # Errors
/// As [`run`].
pub fn run_observed<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
    seen: &mut dyn FnMut(usize, &str, &Module<'c>),
) -> Result<(), Diagnostic> {
    scheduler(context, options, options.schedule.as_deref())?.run(module, seen)
}

/// Schedules the nests by the named sequences of `schedule`, a module as [`print_schedule`]
/// prints it. A nest without a sequence stays linalg.
///
/// # Errors
/// `S1301` if the text does not parse or uses a transform that is not allowed, a sequence does not apply, or there is no nest
/// of its name.
pub fn run_with<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
    schedule: &str,
) -> Result<(), Diagnostic> {
    scheduler(context, options, Some(schedule))?.run(module, &mut |_, _, _| {})
}

fn scheduler<'c, 'o>(
    context: &'c Context,
    options: &'o Options,
    schedule: Option<&str>,
) -> Result<Scheduler<'c, 'o>, Diagnostic> {
    let name = options.schedule_name.as_deref().unwrap_or("schedule");
    let mut scheduler = Scheduler::new(context, options);
    match schedule {
        Some(text) if is_schedules(text) => scheduler.tuned = Some(Tuned::read(name, text)?),
        Some(text) => scheduler.given = Some(Given::read(context, name, text)?),
        None => {}
    }
    Ok(scheduler)
}

/// The nests of a module in the form of stage `linalg`, which is rewritten, and the schedules that they get and may get; of equal
/// nests one.
///
/// # Errors
/// As [`run`].
pub fn nests<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<Vec<TunableNest>, Diagnostic> {
    let mut scheduler = scheduler(context, options, options.schedule.as_deref())?;
    scheduler.listed = Some(Vec::new());
    scheduler.run(module, &mut |_, _, _| {})?;
    Ok(scheduler.listed.unwrap_or_default())
}

/// The file with the schedules that these nests get.
pub fn chosen(nests: &[TunableNest]) -> Schedules {
    let mut all = Schedules::default();
    for nest in nests {
        all.insert(Entry {
            nest: nest.fingerprint,
            target: nest.target.clone(),
            about: nest.about.clone(),
            schedule: nest.chosen.clone(),
            gains: None,
        });
    }
    all
}

/// The schedules that [`run`] chooses, as a module with a named sequence for every distinct nest.
///
/// # Errors
/// As [`run`].
pub fn print_schedule<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<String, Diagnostic> {
    let mut copy = parse_text(context, &print(module, false))?;
    let mut scheduler = Scheduler::new(context, options);
    scheduler.run(&mut copy, &mut |_, _, _| {})?;
    Ok(library_text(&scheduler.chosen, Cleaning::of(options)))
}

/// Moves the operations of each nest together: they must not use values that a joined nest moved after them.
fn bring_together(nests: &[Nest<'_>]) {
    for nest in nests {
        if let Some((root, others)) = nest.ops.split_last() {
            others.iter().for_each(|op| op.move_before(*root));
        }
    }
}

/// The blocks that can hold nests: those of functions and of control flow, not linalg bodies.
fn blocks_of(top: Op<'_>) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    for region in top.regions() {
        for block in region.blocks() {
            if !top.is(builtin::MODULE) {
                blocks.push(block);
            }
            for op in block.ops() {
                if matches!(op.dialect(), "func" | "scf" | "builtin") {
                    blocks.extend(blocks_of(op));
                }
            }
        }
    }
    blocks
}
