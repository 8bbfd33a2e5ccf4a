//! Programs with open sizes: which sizes they are compiled for.

mod buffers;
mod exact_work;
mod parts;
mod refusals;
mod steps;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_hlo::LARGEST;
use strata_ir::{Context, LentContext, Module, entry};
use strata_options::{Content, LaidOut, Options};
use strata_shapes::{
    Bound, Constraint, DimExpr, DynamicShapes, Specialization, Specializations, Variable,
};

use self::{
    buffers::{grows, keep_where_sizes_hold, with_more},
    exact_work::{Work, Works},
    refusals::{cannot_stay_open, leaves_none},
    steps::Steps,
};
use crate::{
    compiler::Compiler,
    joint,
    stage::Stage,
    survey::{Sizes, of_entries},
};

/// The numbers of rows that every such program has code for: any number is a sum of these with few terms.
const VERSIONS: &[u64] = &[1, 2, 3, 4, 8, 16, 32];

/// The same of a program with bounds, which has code for each combination.
const VERSIONS_BESIDE_BOUNDS: &[u64] = &[1, 2, 4, 16];

/// From this bound on, one row of a batch at a time has enough rows of its own for a dot.
const LEAST_ROWS_OF_ONE: i64 = 16;

/// Up to this bound, a number of rows on which dots do most of the work is a size up to the bound: parts of it would read the weights
/// several times, and a part of one row takes a third of the time of four. Buffers have the bound's size, those of parts at most 32 rows.
const MOST_ROWS_AT_ONCE: i64 = 512;

/// Beside more versions the largest one has no layouts of constants of its own: its sizes are few of all.
const MOST_BESIDE_LAYOUTS: usize = 6;

/// Where the sizes that each symbol would have alone are more combinations than this, there is code for the bounds only.
const MOST_VERSIONS: usize = 128;

/// The same of a program with several symbols, each of which would multiply them: code for the bounds ends at the sizes of a call.
///
/// Measured (Xeon, AVX-512): `docs/experiments.md`, sizes up to a bound.
const MOST_VERSIONS_OF_SEVERAL: usize = 12;

/// No more sizes are looked at for one that the program takes.
const MOST_REFUSED: usize = 64;

/// What an object with open sizes consists of.
pub(crate) struct Plan {
    /// The entry.
    pub(crate) entry: Specializations,
    /// The constants that all versions read alike.
    read_alike: BTreeSet<Content>,
    /// Whether nearly all of the work ends at the sizes of a call, whichever they are.
    ends_by_bound: bool,
}

/// Loops over vectors are limited whole iterations at a time: buffers along them are a multiple of these, the larger one where that is
/// less than a third more.
const ROUND: [u64; 2] = [64, 16];

/// Values of symbols.
type Values = Vec<(String, i64)>;

impl Plan {
    /// The symbols that have values in a version, and those that have bounds, with the sizes of its buffers.
    pub(crate) fn sizes(&self, version: &Specialization) -> (Values, Values) {
        let name = |symbol: usize| self.entry.shapes.symbols[symbol].clone();
        let rows = self.entry.shapes.batch.as_ref().zip(version.batch);
        let rows = rows.map(|(rows, number)| (name(rows.symbol), number as i64));
        let bounds = self.entry.bounds.iter().zip(&version.bounds);
        let bounds = bounds.map(|(bound, size)| (name(bound.symbol), bound.buffer(*size) as i64));
        (rows.into_iter().collect(), bounds.collect())
    }

    /// The shapes of a version's outputs, where they are not those of the entry.
    pub(crate) fn output_buffers(&self, version: &Specialization) -> Vec<Vec<i64>> {
        let value = self.entry.values_of(version);
        let shape = |sizes: &Vec<DimExpr>| {
            sizes.iter().map(|size| size.value(&value).unwrap_or_default()).collect()
        };
        self.entry.shapes.laid.iter().map(shape).collect()
    }

    /// The constants that a version reads in the layouts of its nests: those that all read alike, and where there are not many versions
    /// the largest one all. Others are as they are in the program, since functions for several sizes may take different layouts.
    pub(crate) fn laid_out(&self, version: &Specialization) -> LaidOut {
        let all = &self.entry;
        let largest = all.bounds.iter().map(|bound| bound.sizes.last());
        let is_largest = version.batch.is_none() && largest.eq(version.bounds.iter().map(Some));
        match all.versions.len() {
            1 => LaidOut::All,
            ..=MOST_BESIDE_LAYOUTS if is_largest => LaidOut::All,
            _ => LaidOut::Only(self.read_alike.clone()),
        }
    }

    /// The smallest sizes that a version is called with: for less there are others. Nothing is said where a version would then be
    /// for sizes that the program does not take, and is never called.
    pub(crate) fn least(&self, version: &Specialization) -> Values {
        let conditions = || self.entry.shapes.constraints.iter();
        let refuses = |symbol: usize, size: i64| {
            let value = |at| (at == Variable::Symbol(symbol)).then_some(size);
            conditions().any(|truth| truth.holds(&value) == Some(false))
        };
        let least = |(bound, size): (&Bound, &u64)| {
            let before = bound.sizes.iter().filter(|other| *other < size).max();
            let mut all = before.map_or(0, |before| *before as i64 + 1)..*size as i64;
            let least =
                all.by_ref().take(MOST_REFUSED).find(|least| !refuses(bound.symbol, *least));
            (bound.symbol, least.unwrap_or(all.start), *size as i64)
        };
        let all: Vec<_> = self.entry.bounds.iter().zip(&version.bounds).map(least).collect();
        let only = |at| {
            let of = |(symbol, _, _): &&(usize, i64, i64)| Variable::Symbol(*symbol) == at;
            all.iter().find(of).filter(|(_, least, most)| least == most).map(|(_, size, _)| *size)
        };
        if conditions().any(|truth| truth.holds(&only) == Some(false)) {
            return Vec::new();
        }
        all.iter().map(|(at, least, _)| (self.entry.shapes.symbols[*at].clone(), *least)).collect()
    }
}

impl Plan {
    /// Adds what the plan says to the sizes of a program.
    pub(crate) fn describe(&self, sizes: Sizes) -> Sizes {
        let Specializations { shapes, bounds, versions } = &self.entry;
        let name = |variable| shapes.shown(variable);
        let shape = |shape: &Vec<DimExpr>| shape.iter().map(|size| size.text(&name)).collect();
        let bound = |bound: &Bound| {
            let most = bound.sizes.last().copied().unwrap_or_default();
            (shapes.symbols[bound.symbol].clone(), most)
        };
        Sizes {
            outputs: shapes.outputs.iter().map(shape).collect(),
            constraints: shapes.constraint_texts(),
            rows: shapes.batch.as_ref().map(|batch| shapes.symbols[batch.symbol].clone()),
            bounds: bounds.iter().map(bound).collect(),
            versions: versions.len(),
            ..sizes
        }
    }
}

/// The plans of a compilation that ends in code, one for each entry, in order; `None` for one without open sizes.
///
/// # Errors
/// As [`plan`]; `S0001` where sizes cannot stay open.
pub(crate) fn of(
    compiler: &Compiler<'_>,
    name: &str,
    bytes: &[u8],
) -> Result<Vec<Option<Plan>>, Diagnostics> {
    let options = &compiler.options;
    let is_asked = options.open
        && compiler.from == Stage::Input
        && compiler.to >= Stage::Vector
        && options.input_shapes.is_none();
    let names_symbols = !options.max.is_empty() || !options.specialize.is_empty();
    if !is_asked && names_symbols && compiler.to >= Stage::Vector {
        return Err(cannot_stay_open(compiler).into());
    }
    if !is_asked {
        return Ok(Vec::new());
    }
    if options.entries.len() < 2 {
        return Ok(vec![plan(options, name, bytes)?]);
    }
    joint::check(compiler)?;
    check_sizes(options)?;
    let one = |own: &Options| {
        let entry = own.entry.as_deref().unwrap_or_default();
        plan(own, name, bytes).map_err(|errors| {
            errors.map(|error| match error.location() {
                Some(_) => error,
                None => error.note(format!("the entry is `{entry}`")),
            })
        })
    };
    of_entries(options, name, bytes)?.iter().map(one).collect()
}

/// The sizes that an object with dynamic shapes has code for; `None` if all sizes of the program are given.
///
/// # Errors
/// `S1101` for a program whose symbols cannot stay open, `S1106` for wrong sizes.
pub fn specializations(
    options: &Options,
    name: &str,
    bytes: &[u8],
) -> Result<Option<Specializations>, Diagnostics> {
    Ok(plan(options, name, bytes)?.map(|plan| plan.entry))
}

/// The plan of a program; `None` if all its sizes are given.
///
/// # Errors
/// `S1101` for a program whose symbols cannot stay open, `S1106` for wrong sizes.
pub(crate) fn plan(
    options: &Options,
    name: &str,
    bytes: &[u8],
) -> Result<Option<Plan>, Diagnostics> {
    // Text without a question mark has no open size.
    let is_asked = !options.max.is_empty() || !options.specialize.is_empty();
    if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&b'?') && !is_asked {
        return Ok(None);
    }
    check_sizes(options)?;
    let context = LentContext::take();
    let plan = planned(options, (&context, name, bytes), true)?;
    context.give_back(bytes.len());
    Ok(plan)
}

/// # Errors
/// As [`plan`].
fn planned(
    options: &Options,
    source: (&LentContext, &str, &[u8]),
    has_rows: bool,
) -> Result<Option<Plan>, Diagnostics> {
    let is_asked = !options.max.is_empty() || !options.specialize.is_empty();
    let (context, name, bytes) = source;
    let mut module = strata_vhlo::parse(context, name, bytes)?;
    let has_parts = parts::are_in(&module);
    let whole = exact_work::copy_of(context, &module);
    match strata_hlo::open(context, &mut module, options, has_rows) {
        Err(error) if has_parts && error.code() == codes::S1101 => {
            return Err(parts::refused(options, name, bytes)?.unwrap_or(error).into());
        }
        opened => opened?,
    }
    let Some(shapes) = DynamicShapes::of(entry(&module, options.entry.as_deref())?)? else {
        if is_asked {
            return Err(Diagnostic::new(codes::S1106)
                .reason(
                    "`--max` and `--specialize` are for symbols that are left open, and all have values",
                )
                .into());
        }
        return Ok(None);
    };
    if has_parts && let Some(error) = parts::refused(options, name, bytes)? {
        return Err(error.into());
    }
    let are_bounded = shapes.bounds.iter().all(Option::is_some);
    // A number of rows with a bound may be one more size up to it.
    let rows = shapes.batch.as_ref().filter(|_| has_rows && are_bounded);
    let are_few = rows
        .and_then(|rows| shapes.bounds[rows.symbol])
        .is_some_and(|most| most <= MOST_ROWS_AT_ONCE);
    let without_rows = || planned(options, source, false);
    if are_few
        && shapes.bounds.len() == 1
        && exact_work::has_rows_at_once(options, &shapes, (context, &whole))
        && let Ok(Some(plan)) = without_rows()
        && plan.entry.shapes.batch.is_none()
    {
        return Ok(Some(plan));
    }
    let works = exact_work::of(options, &shapes, (context, &whole));
    if are_few
        && works.rows.ends_by_row()
        && let Ok(Some(plan)) = without_rows()
    {
        return Ok(Some(plan));
    }
    let read_alike = works.read_alike.clone();
    let ends_by_bound = works.bounds.iter().all(|work| work.ends_by_bound());
    let with_rows = Planned { options, shapes, works };
    let are_single = with_rows.has_single_rows();
    let (entry, apart) = with_rows.entry((context, &whole))?;
    if let Err(error) = apart {
        // Then the number of rows is a size up to a bound like others.
        return if are_bounded && has_rows { without_rows() } else { Err(error.into()) };
    }
    // Code for a number of rows multiplies that for the bounds.
    if are_few
        && !are_single
        && !entry.bounds.is_empty()
        && let Ok(Some(plan)) = without_rows()
        && plan.ends_by_bound
        && plan.entry.versions.len() <= entry.versions.len()
    {
        return Ok(Some(plan));
    }
    Ok(Some(Plan { entry, read_alike, ends_by_bound }))
}

/// # Errors
/// `S1106` for a size that no dimension has, and for a bound that leaves none.
fn check_sizes(options: &Options) -> Result<(), Diagnostic> {
    if let Some((name, most)) = options.max.iter().find(|(_, most)| *most < 1) {
        return Err(leaves_none(name, *most));
    }
    let max = options.max.iter().map(|one| ("--max", one));
    let mut all = max.chain(options.specialize.iter().map(|one| ("--specialize", one)));
    match all.find(|(_, (_, size))| *size > LARGEST) {
        None => Ok(()),
        Some((option, (name, size))) => Err(Diagnostic::new(codes::S1106)
            .reason(format!(
                "`{option} {name}={size}` is more than {LARGEST}, the largest size that calls give"
            ))
            .hint(format!("give a smaller one, such as `{option} {name}=512`"))),
    }
}

/// A program with what is known of its sizes.
struct Planned<'p> {
    options: &'p Options,
    shapes: DynamicShapes,
    /// What nearly all of its work is.
    works: Works,
}

impl Planned<'_> {
    /// The entry, and whether parts of its rows can be computed.
    fn entry<'c>(
        self,
        source: (&'c Context, &Module<'c>),
    ) -> Result<(Specializations, Result<(), Diagnostic>), Diagnostic> {
        let options = self.options;
        let symbols = &self.shapes.symbols;
        let mut given = options.max.iter().chain(&options.specialize);
        if let Some((unknown, _)) = given.find(|(name, _)| !symbols.contains(name)) {
            let names = symbols.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
            let what = match names.len() {
                1 => "the symbol that is left open",
                _ => "one of the symbols that are left open",
            };
            return Err(Diagnostic::new(codes::S1106)
                .reason(format!("`{unknown}` is not {what}, {}", names.join(", "))));
        }
        let rows = self.shapes.batch.as_ref().map(|batch| batch.symbol);
        let bounded: Vec<usize> =
            (0..symbols.len()).filter(|symbol| Some(*symbol) != rows).collect();
        let bounds_of = |steps: &dyn Fn(Work) -> Steps| -> Result<Vec<Bound>, Diagnostic> {
            let works = bounded.iter().zip(&self.works.bounds);
            let steps = |symbol: usize, work: Work| match steps(work) {
                // What may be empty is not used in place.
                Steps::Largest if work == Work::Elements && self.takes(symbol, 0) => Steps::Ends,
                steps => steps,
            };
            works.map(|(symbol, work)| self.bound(*symbol, steps(*symbol, *work))).collect()
        };
        let numbers = match rows {
            Some(symbol) => {
                self.row_numbers(symbol, bounded.is_empty())?.into_iter().map(Some).collect()
            }
            None => vec![None],
        };
        let combinations = |bounds: &[Bound]| {
            bounds.iter().map(|bound| bound.sizes.len()).product::<usize>() * numbers.len()
        };
        let own = |work: Work| match work {
            _ if self.has_single_rows() => Steps::Largest,
            Work::Elements => Steps::Largest,
            Work::Dots | Work::Rows | Work::MostlyRows if rows.is_none() => Steps::Largest,
            Work::Dots | Work::Rows | Work::Windows => Steps::Few,
            Work::Products if bounded.len() > 1 => Steps::Largest,
            Work::Products | Work::Vectors | Work::MostlyRows => Steps::Small,
            Work::Whole => Steps::Halves,
        };
        let most = match symbols.len() {
            0 | 1 => MOST_VERSIONS,
            _ => MOST_VERSIONS_OF_SEVERAL,
        };
        let mut bounds = bounds_of(&own)?;
        let are_too_many = combinations(&bounds) > most;
        if are_too_many {
            bounds = bounds_of(&|_| Steps::Largest)?;
        }
        for at in 0..bounds.len() {
            // Code for the bound is as fast for smaller sizes.
            let work = self.works.bounds[at];
            let is_alone = own(work) == Steps::Largest;
            let is_only = are_too_many && !self.has_specialized(bounds[at].symbol);
            if (is_alone && work == Work::MostlyRows) || (is_only && work == Work::Vectors) {
                self.round(&mut bounds[at]);
            }
            if is_alone || is_only || matches!(work, Work::Dots | Work::Rows | Work::Windows) {
                continue;
            }
            let Some(sizes) = self.apart(&bounds[at])? else { continue };
            let all = combinations(&bounds) / bounds[at].sizes.len();
            if all * sizes.len() <= most {
                bounds[at] = with_more(&bounds[at], sizes);
                if matches!(work, Work::Products | Work::Vectors | Work::MostlyRows) {
                    self.round(&mut bounds[at]);
                }
            }
        }
        let mut versions: Vec<Specialization> =
            numbers.into_iter().map(|batch| Specialization { batch, bounds: Vec::new() }).collect();
        for bound in &bounds {
            let longer = |version: &Specialization| {
                let sizes = bound.sizes.iter();
                let longer = sizes.map(|size| [version.bounds.as_slice(), &[*size]].concat());
                let batch = version.batch;
                longer.map(|bounds| Specialization { batch, bounds }).collect::<Vec<_>>()
            };
            versions = versions.iter().flat_map(longer).collect();
        }
        let mut entry = Specializations { shapes: self.shapes.clone(), bounds, versions };
        keep_where_sizes_hold(&mut entry, options, source);
        self.check_growth(&entry.bounds)?;
        entry.check()?;
        let apart = self.check_rows(&entry);
        Ok((entry, apart))
    }

    /// Whether rows are computed one after the other, by code for the bounds: dots of several have rows that are not the first ones of
    /// their buffers, and one has rows enough.
    fn has_single_rows(&self) -> bool {
        let Some(rows) = self.shapes.batch.as_ref().filter(|_| self.works.is_of_single_rows) else {
            return false;
        };
        let mut bounds = self.shapes.bounds.iter().enumerate();
        bounds.all(|(at, most)| {
            at == rows.symbol || most.is_some_and(|most| most >= LEAST_ROWS_OF_ONE)
        })
    }

    /// The largest value of a symbol, if it has one.
    fn largest(&self, symbol: usize) -> Option<i64> {
        self.shapes.bounds[symbol]
    }

    /// Whether all conditions on this symbol alone hold for a value.
    fn takes(&self, symbol: usize, size: i64) -> bool {
        let variable = Variable::Symbol(symbol);
        let value = |at| (at == variable).then_some(size);
        let mut own =
            self.shapes.constraints.iter().filter(|truth| truth.variables() == [variable].into());
        own.all(|truth| truth.holds(&value) == Some(true))
    }

    /// Whether `--specialize` names a symbol.
    fn has_specialized(&self, symbol: usize) -> bool {
        let name = &self.shapes.symbols[symbol];
        self.options.specialize.iter().any(|(other, _)| other == name)
    }

    /// The values of `--specialize` of a symbol, from 1 to `most`.
    fn specialized(&self, symbol: usize, most: i64) -> Result<Vec<u64>, Diagnostic> {
        let name = &self.shapes.symbols[symbol];
        let own = self.options.specialize.iter().filter(|(other, _)| other == name);
        own.map(|(_, size)| match u64::try_from(*size) {
            Ok(number) if number > 0 && *size <= most && self.takes(symbol, *size) => Ok(number),
            Ok(_) if *size > most => Err(Diagnostic::new(codes::S1106)
                .reason(format!("`--specialize {name}={size}` is more than `--max {name}={most}`"))
                .hint("raise the bound, or leave out the size")),
            Ok(0) if self.takes(symbol, 0) => Err(Diagnostic::new(codes::S1106)
                .reason(format!(
                    "`--specialize {name}=0` is for code of its own, and calls with 0 run that of the smallest size"
                ))
                .hint("leave it out: the object takes 0 without it")),
            _ => Err(self.not_specialized(symbol, *size, most)),
        })
        .collect()
    }

    /// The numbers of rows that there is code for.
    fn row_numbers(&self, symbol: usize, is_alone: bool) -> Result<Vec<u64>, Diagnostic> {
        let list = if is_alone {
            VERSIONS
        } else if self.has_single_rows() {
            &[1]
        } else {
            VERSIONS_BESIDE_BOUNDS
        };
        let mut numbers: BTreeSet<u64> = list.iter().copied().collect();
        let largest = self.largest(symbol);
        self.check_some(symbol, largest)?;
        numbers.extend(self.specialized(symbol, largest.unwrap_or(i64::MAX))?);
        if let Some(largest) = largest {
            numbers.retain(|number| *number <= largest as u64);
        }
        Ok(numbers.into_iter().collect())
    }

    /// A bound leaves a size.
    fn check_some(&self, symbol: usize, largest: Option<i64>) -> Result<(), Diagnostic> {
        match largest {
            Some(largest @ ..1) => Err(leaves_none(&self.shapes.symbols[symbol], largest)),
            _ => Ok(()),
        }
    }

    /// The sizes of a symbol that there is code for: one, the bound, and those of the steps between.
    fn bound(&self, symbol: usize, steps: Steps) -> Result<Bound, Diagnostic> {
        let name = &self.shapes.symbols[symbol];
        let Some(largest) = self.largest(symbol) else {
            return Err(Diagnostic::new(codes::S1101).reason(format!("`{name}` has no bound")));
        };
        self.check_some(symbol, Some(largest))?;
        let most = u64::try_from(largest).ok();
        let Some(most) = most.filter(|_| self.takes(symbol, largest)) else {
            return Err(self.refused(symbol, largest));
        };
        let mut sizes: BTreeSet<u64> =
            steps.sizes(most).filter(|size| self.takes(symbol, *size as i64)).collect();
        sizes.insert(most);
        sizes.extend(self.specialized(symbol, largest)?);
        let sizes: Vec<u64> = sizes.into_iter().collect();
        Ok(Bound { symbol, buffers: sizes.clone(), sizes })
    }

    /// The sizes of a bound with more of them, so that there is code for the bound and for sizes of `--specialize` that is called with
    /// these only, and has no masks; `None` if there is already.
    fn apart(&self, bound: &Bound) -> Result<Option<Vec<u64>>, Diagnostic> {
        let most = bound.sizes.last().copied().unwrap_or_default();
        let mut sizes: BTreeSet<u64> = bound.sizes.iter().copied().collect();
        for size in self.specialized(bound.symbol, most as i64)?.into_iter().chain([most]) {
            let others = (1..size).rev().take(MOST_REFUSED);
            let before = others.take_while(|other| !bound.sizes.contains(other));
            sizes.extend(before.into_iter().find(|other| self.takes(bound.symbol, *other as i64)));
        }
        Ok((sizes.len() > bound.sizes.len()).then(|| sizes.into_iter().collect()))
    }

    /// Makes buffers that are for several sizes rounder.
    fn round(&self, bound: &mut Bound) {
        let mut before = 0;
        for (size, buffer) in bound.sizes.iter().zip(&mut bound.buffers) {
            let [most, least] = ROUND.map(|by| buffer.next_multiple_of(by));
            let rounder = if most - *buffer < *buffer / 3 { most } else { least };
            if before + 1 < *size && self.takes(bound.symbol, rounder as i64) {
                *buffer = rounder;
            }
            before = *size;
        }
    }

    /// Parts of a call have fewer rows than the whole, which conditions may not hold for.
    fn check_rows(&self, entry: &Specializations) -> Result<(), Diagnostic> {
        let Some(rows) = &self.shapes.batch else { return Ok(()) };
        let variable = Variable::Symbol(rows.symbol);
        let depends = |truth: &&Constraint| {
            let variables = truth.variables();
            variables.contains(&variable) && variables.len() > 1
        };
        let mut numbers = entry.versions.iter().filter_map(|version| version.batch);
        let apart = numbers.all(|number| self.takes(rows.symbol, number as i64));
        if apart && !self.shapes.constraints.iter().any(|truth| depends(&truth)) {
            return Ok(());
        }
        let symbol = &self.shapes.symbols[rows.symbol];
        Err(Diagnostic::new(codes::S1101)
            .reason(format!(
                "rows of `{symbol}` cannot be computed apart: the program asserts {}",
                self.shapes.constraint_texts().join(", ")
            ))
            .hint("export the program with static shapes"))
    }

    /// Buffers of the version for the next larger sizes have to be as large as those of a call.
    fn check_growth(&self, bounds: &[Bound]) -> Result<(), Diagnostic> {
        let sizes = self.shapes.inputs.iter().chain(&self.shapes.outputs).flatten();
        match sizes.clone().find(|size| !grows(size, bounds)) {
            None => Ok(()),
            Some(size) => Err(Diagnostic::new(codes::S1101)
                .reason(format!(
                    "the size {} may be smaller for larger sizes of inputs",
                    size.text(&|variable| self.shapes.shown(variable))
                ))
                .hint("export the program with static shapes")),
        }
    }
}
