//! The table against the evaluator: what it says of the operations of `tests/ops` holds for their values.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use strata_eval::{Evaluator, Session, Tensor, Values};
use strata_ir::{
    Block, Builder, Context, Module, Op, TypeExt as _, Value, WalkOrder, module_op, new_context,
    parse, parse_text,
};
use strata_shapes::{DimRules, Factor, FactorKind, rules};

/// Why something is not checked.
type Skip = &'static str;

/// How much of all factors may be left out for each reason, in percent.
const SKIPPED: &[(Skip, usize)] = &[
    (OPEN, 15),
    (TABLE, 5),
    (ALONE, 1),
    (REFUSED, 3),
    (SMALL, 15),
    (PROMISES, 17),
    (QUANTIZED, 15),
    (ROUNDS, 1),
    (TIES, 1),
    (NO_RESULT, 2),
    (EQUAL, 1),
];

const OPEN: Skip = "a type is too large, of open size or no tensor";
const TABLE: Skip = "the table says nothing";
const ALONE: Skip = "the operation does not stand alone";
const REFUSED: Skip = "the evaluator refuses the inputs";
const SMALL: Skip = "it has one index at most";
const PROMISES: Skip = "the kind promises nothing of values";
/// Each of their dimensions is whole: scales that differ along one are not in the operands.
const QUANTIZED: Skip = "the table has no kinds for quantized elements";
const ROUNDS: Skip = "another order rounds otherwise";
const TIES: Skip = "equal keys are in any order";
const NO_RESULT: Skip = "no result has it";
const EQUAL: Skip = "the elements are equal by chance";

/// Kinds that promise something of values.
const CHECKED: &[FactorKind] = &[
    FactorKind::Parallel,
    FactorKind::Reduced,
    FactorKind::Sorted,
    FactorKind::Reversed,
    FactorKind::Gathered,
    FactorKind::Updated,
    FactorKind::Scattered,
    FactorKind::Concatenated,
    FactorKind::Sliced,
    FactorKind::Padded,
];

fn programs(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|end| end == "mlir") {
            found.push(path);
        }
    }
    found.sort();
}

/// A function of that operation alone.
fn alone<'c>(context: &'c Context, op: Op<'c>) -> Option<Module<'c>> {
    let types = |values: &[Value<'c>]| -> Vec<String> {
        values.iter().map(|value| value.ty().to_string()).collect()
    };
    let (operands, results) = (types(&op.operands()), types(&op.results()));
    let named: Vec<_> =
        operands.iter().enumerate().map(|(at, ty)| format!("%a{at}: {ty}")).collect();
    let names: Vec<_> = (0..operands.len()).map(|at| format!("%a{at}")).collect();
    let returned: Vec<_> = (0..results.len()).map(|at| format!("%r#{at}")).collect();
    let (arguments, names, returned) = (named.join(", "), names.join(", "), returned.join(", "));
    let (from, to, count) = (operands.join(", "), results.join(", "), results.len());
    let text = format!(
        "func.func @main({arguments}) -> ({to}) {{\n %r:{count} = \"stablehlo.custom_call\"({names}) \
         {{call_target_name = \"placeholder\"}} : ({from}) -> ({to})\n return {returned} : {to}\n}}"
    );
    let module = parse_text(context, &text).ok()?;
    let block: Block<'c> = strata_ir::entry(&module, None).ok()?.region(0).first_block()?;
    let placeholder = block.ops().into_iter().next()?;
    let mut known: HashMap<_, _> = op.operands().into_iter().zip(block.args()).collect();
    let copy = Builder::before(context, placeholder).copy(op, &mut known);
    // An operand may occur twice.
    for (index, argument) in block.args().into_iter().enumerate() {
        copy.set_operand(index, argument);
    }
    let end = block.terminator()?;
    for (index, value) in copy.results().into_iter().enumerate() {
        end.set_operand(index, value);
    }
    placeholder.erase();
    strata_ir::verify(context, &module, "case").ok().map(|()| module)
}

/// The index along a factor of the element at `position`, and the distance between two indices; `None` without the factor.
fn along(
    tensor: &Tensor,
    dim: usize,
    position: usize,
    inner: usize,
    size: usize,
) -> (usize, usize) {
    let step = tensor.shape()[dim + 1..].iter().product::<usize>() * inner;
    ((position / step) % size, step)
}

/// The elements with the indices along a factor in reverse order.
fn reversed(tensor: &Tensor, dim: usize, inner: usize, size: usize) -> Tensor {
    tensor.rearranged(tensor.shape(), |position| {
        let (index, step) = along(tensor, dim, position, inner, size);
        position + (size - 1) * step - 2 * index * step
    })
}

/// How many indices the factors inside of this one have in that dimension.
fn inner<'a>(mut factors: impl Iterator<Item = &'a Factor>, own: &Factor) -> usize {
    factors.by_ref().find(|factor| *factor == own);
    factors.map(|factor| factor.part.unwrap_or(1) as usize).product()
}

struct Case<'a> {
    name: String,
    table: &'a DimRules,
    evaluator: &'a Evaluator,
    inputs: Vec<Tensor>,
    others: Vec<Tensor>,
    /// The results for the inputs.
    before: Vec<Tensor>,
}

/// One place of a factor, as a tensor sees it.
#[derive(Clone, Copy)]
struct Place {
    dim: usize,
    /// Indices of the factors inside of it in the same dimension.
    inner: usize,
    size: usize,
}

impl Place {
    /// The index of an element along the factor.
    fn index(self, tensor: &Tensor, position: usize) -> usize {
        along(tensor, self.dim, position, self.inner, self.size).0
    }

    /// The first element of the line along the factor that an element is in.
    fn line(self, tensor: &Tensor, position: usize) -> usize {
        let (index, step) = along(tensor, self.dim, position, self.inner, self.size);
        position - index * step
    }
}

impl<'a> Case<'a> {
    fn new(name: String, table: &'a DimRules, evaluator: &'a Evaluator) -> Result<Self, Skip> {
        let draw = |seed| evaluator.random_inputs(None, Values::Tame, seed).map_err(|_| REFUSED);
        let (inputs, others) = (draw(1)?, draw(2)?);
        let mut case = Self { name, table, evaluator, inputs, others, before: Vec::new() };
        case.before = case.run(&case.inputs)?;
        Ok(case)
    }

    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Skip> {
        self.evaluator.run(None, inputs, &Session::new(0)).map_err(|_| REFUSED)
    }

    fn operand(&self, factor: &Factor, at: usize) -> Option<Place> {
        let dim = factor.operand(at)?;
        let size = self.inputs[at].shape()[dim];
        let size = factor.part.map_or(size, |part| part as usize);
        Some(Place { dim, inner: inner(self.table.of_operand(at, dim), factor), size })
    }

    fn result(&self, factor: &Factor, at: usize) -> Option<Place> {
        let dim = factor.result(at)?;
        let size = self.before[at].shape()[dim];
        let size = factor.part.map_or(size, |part| part as usize);
        Some(Place { dim, inner: inner(self.table.of_result(at, dim), factor), size })
    }

    /// The inputs, with those elements of the others that have an index along the factor for which `is_other`, in some operands.
    fn mixed(
        &self,
        factor: &Factor,
        operands: &[usize],
        is_other: impl Fn(usize) -> bool,
    ) -> Vec<Tensor> {
        let mut mixed = self.inputs.clone();
        for at in operands.iter().copied() {
            let Some(place) = self.operand(factor, at) else { continue };
            for position in 0..mixed[at].len() {
                if is_other(place.index(&self.inputs[at], position)) {
                    mixed[at].copy_element(position, &self.others[at], position);
                }
            }
        }
        mixed
    }

    /// The inputs with the indices along the factor in reverse order.
    fn reversed(&self, factor: &Factor, inputs: &[Tensor]) -> Vec<Tensor> {
        let one = |(at, input): (usize, &Tensor)| match self.operand(factor, at) {
            Some(place) => reversed(input, place.dim, place.inner, place.size),
            None => input.clone(),
        };
        inputs.iter().enumerate().map(one).collect()
    }

    /// Results differ from those before only at indices along the factor for which `may`.
    fn differs_only(&self, factor: &Factor, after: &[Tensor], may: impl Fn(usize) -> bool) {
        for (at, (before, after)) in self.before.iter().zip(after).enumerate() {
            let place = self.result(factor, at);
            for position in 0..before.len() {
                let may = place.is_some_and(|place| may(place.index(before, position)));
                let equal = before.element_bytes(position) == after.element_bytes(position);
                assert!(may || equal, "{}: {factor:?}: result {at}, element {position}", self.name);
            }
        }
    }

    fn sizes(&self, factor: &Factor) {
        let operands = factor.operands().iter().map(|(at, dim)| self.inputs[*at].shape()[*dim]);
        let results = factor.results().iter().map(|(at, dim)| self.before[*at].shape()[*dim]);
        let (operands, results): (Vec<_>, Vec<_>) = (operands.collect(), results.collect());
        let all = || operands.iter().chain(&results);
        let holds = match factor.kind {
            _ if factor.part.is_some() => {
                let part = factor.part.unwrap_or(1) as usize;
                all().all(|size| size % part == 0)
            }
            kind if kind.keeps_size() => all().all(|size| Some(size) == all().next()),
            FactorKind::Updated | FactorKind::Scattered => {
                results.iter().all(|size| Some(size) == operands.first())
            }
            FactorKind::Concatenated => *results == [operands.iter().sum::<usize>()],
            _ => true,
        };
        assert!(holds, "{}: {factor:?} has sizes {operands:?} and {results:?}", self.name);
    }

    /// Checks what a kind says of values.
    fn check(&self, factor: &Factor) -> Result<(), Skip> {
        self.sizes(factor);
        let places = (0..self.inputs.len()).filter_map(|at| self.operand(factor, at));
        let places = places.chain((0..self.before.len()).filter_map(|at| self.result(factor, at)));
        if places.map(|place| place.size).max().unwrap_or_default() < 2 {
            return Err(SMALL);
        }
        match factor.kind {
            FactorKind::Parallel => self.parallel(factor),
            FactorKind::Reduced => self.reduced(factor),
            FactorKind::Sorted => self.sorted(factor),
            FactorKind::Reversed => self.mirrored(factor),
            FactorKind::Gathered | FactorKind::Sliced | FactorKind::Padded => self.picked(factor),
            FactorKind::Updated | FactorKind::Scattered => self.written(factor),
            FactorKind::Concatenated => self.concatenated(factor),
            FactorKind::Window | FactorKind::Expanded | FactorKind::Whole => Err(PROMISES),
        }
    }

    /// Independent of other indices, and equivariant.
    fn parallel(&self, factor: &Factor) -> Result<(), Skip> {
        let moved = self.run(&self.reversed(factor, &self.inputs))?;
        for (at, result) in self.before.iter().enumerate() {
            let expected = match self.result(factor, at) {
                Some(place) => reversed(result, place.dim, place.inner, place.size),
                None => result.clone(),
            };
            let holds = same(&expected, &moved[at]);
            assert!(holds, "{}: {factor:?} depends on the index", self.name);
        }
        let all: Vec<_> = factor.operands().iter().map(|(at, _)| *at).collect();
        let mixed = self.run(&self.mixed(factor, &all, |index| index != 0))?;
        self.differs_only(factor, &mixed, |index| index != 0);
        Ok(())
    }

    /// Any order gives the same.
    fn reduced(&self, factor: &Factor) -> Result<(), Skip> {
        let mut whole = self.inputs.clone();
        for tensor in &mut whole {
            let name = tensor.element_type().to_string();
            match name.as_str() {
                "f32" | "f64" => {
                    // Sums and products of these are exact.
                    let numbers = (0..tensor.len()).map(|at| [1.0, -1.0, 2.0, 1.0, 1.0][at % 5]);
                    let numbers: Vec<f64> = numbers.collect();
                    let (shape, ty) = (tensor.shape().to_vec(), tensor.element_type());
                    *tensor = Tensor::of_floats(&shape, ty, &numbers);
                }
                name if name.starts_with("f") || name.starts_with("bf") => return Err(ROUNDS),
                name if name.starts_with("complex") => return Err(ROUNDS),
                _ => {}
            }
        }
        let before = self.run(&whole)?;
        let after = self.run(&self.reversed(factor, &whole))?;
        let holds = before.iter().zip(&after).all(|(one, other)| same(one, other));
        assert!(holds, "{}: {factor:?} depends on the order", self.name);
        Ok(())
    }

    /// The order of the operand does not matter. Positions of what was sorted are results of their own.
    fn sorted(&self, factor: &Factor) -> Result<(), Skip> {
        let [(operand, _)] = factor.operands() else {
            return Err(if factor.operands().is_empty() { PROMISES } else { TIES });
        };
        let after = self.run(&self.reversed(factor, &self.inputs))?;
        assert!(same(&self.before[*operand], &after[*operand]), "{}: {factor:?}", self.name);
        Ok(())
    }

    /// What is at an index depends on what was as far from the other end.
    fn mirrored(&self, factor: &Factor) -> Result<(), Skip> {
        let mixed = self.run(&self.mixed(factor, &[0], |index| index != 0))?;
        let last = self.result(factor, 0).ok_or(NO_RESULT)?.size - 1;
        self.differs_only(factor, &mixed, |index| index != last);
        Ok(())
    }

    /// What is at an index of the operand is at one of the result at most, and they are in the same order.
    fn picked(&self, factor: &Factor) -> Result<(), Skip> {
        let place = self.result(factor, 0).ok_or(NO_RESULT)?;
        let size = self.operand(factor, 0).ok_or(NO_RESULT)?.size;
        let mut last: HashMap<usize, usize> = HashMap::new();
        for from in 0..size.min(8) {
            let mixed = self.run(&self.mixed(factor, &[0], |index| index == from))?;
            let before = &self.before[0];
            let mut changed: HashMap<usize, usize> = HashMap::new();
            for position in 0..before.len() {
                if before.element_bytes(position) == mixed[0].element_bytes(position) {
                    continue;
                }
                let (line, to) = (place.line(before, position), place.index(before, position));
                let other = changed.insert(line, to);
                assert_eq!(other, None, "{}: {factor:?}: {from} is in two places", self.name);
                let before = last.insert(line, to);
                let in_order = before.is_none_or(|before| before < to);
                assert!(in_order, "{}: {factor:?}: {from} is out of order", self.name);
            }
        }
        if last.is_empty() { Err(EQUAL) } else { Ok(()) }
    }

    /// What is at an index depends, of what is written to, on that index only.
    fn written(&self, factor: &Factor) -> Result<(), Skip> {
        if factor.results().is_empty() {
            return Err(NO_RESULT);
        }
        let written: Vec<_> = factor.results().iter().map(|(at, _)| *at).collect();
        let mixed = self.run(&self.mixed(factor, &written, |index| index != 0))?;
        self.differs_only(factor, &mixed, |index| index != 0);
        Ok(())
    }

    /// Operands follow one another.
    fn concatenated(&self, factor: &Factor) -> Result<(), Skip> {
        let mut start = 0;
        for at in 0..self.inputs.len() {
            let place = self.operand(factor, at).ok_or(NO_RESULT)?;
            let mixed = self.run(&self.mixed(factor, &[at], |index| index != 0))?;
            let end = start + place.size;
            self.differs_only(factor, &mixed, |index| index > start && index < end);
            start = end;
        }
        Ok(())
    }
}

fn same(one: &Tensor, other: &Tensor) -> bool {
    one.shape() == other.shape() && one.bytes() == other.bytes()
}

/// What was checked: factors by operation and kind, and how many were left out for each reason.
#[derive(Default)]
struct Report {
    checked: BTreeMap<(String, String), usize>,
    skipped: BTreeMap<Skip, usize>,
    /// How often an operation was run.
    run: BTreeMap<String, usize>,
}

impl Report {
    fn of(&mut self, path: &Path, op: Op<'_>, context: &Context) -> Result<(), Skip> {
        let elements = |value: &Value<'_>| value.ty().element_count();
        let small = |value: &Value<'_>| elements(value).is_some_and(|count| count <= 4096);
        let values = [op.operands(), op.results()].concat();
        if !values.iter().all(small) {
            return Err(OPEN);
        }
        if values.iter().any(|value| value.ty().element().dialect() == "quant") {
            return Err(QUANTIZED);
        }
        let table = rules(op).map_err(|_| TABLE)?;
        let module = alone(context, op).ok_or(ALONE)?;
        let evaluator = Evaluator::new(&module).map_err(|_| ALONE)?;
        let name = format!("{}: {}", path.display(), op.name());
        // A dozen of an operation: the evaluator is slow.
        let run = self.run.entry(op.name().to_string()).or_default();
        *run += 1;
        if *run > 12 {
            return Ok(());
        }
        let case = Case::new(name, &table, &evaluator)?;
        for factor in table.factors() {
            let key = (format!("{:?}", factor.kind), op.name().to_string());
            match case.check(factor) {
                Ok(()) => *self.checked.entry(key).or_default() += 1,
                Err(reason) => *self.skipped.entry(reason).or_default() += 1,
            }
        }
        Ok(())
    }
}

#[test]
fn kinds_say_what_operations_do() {
    let mut paths = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ops"), &mut paths);
    let mut report = Report::default();
    for path in paths {
        let context = new_context();
        let bytes = fs::read(&path).expect("a readable file");
        let Ok(module) = parse(&context, "input.mlir", &bytes) else { continue };
        let mut ops = Vec::new();
        module_op(&module).walk(WalkOrder::Pre, &mut |op| ops.push(op));
        for op in ops.into_iter().filter(|op| op.result_count() > 0) {
            if let Err(reason) = report.of(&path, op, &context) {
                *report.skipped.entry(reason).or_default() += 1;
            }
        }
    }
    let Report { checked, skipped, .. } = report;
    for kind in CHECKED {
        let name = format!("{kind:?}");
        assert!(checked.iter().any(|((own, _), _)| *own == name), "no {name}: {checked:?}");
    }
    let parallel =
        ["add", "dot_general", "gather", "scatter", "reduce", "reshape", "convolution", "sort"];
    for name in parallel {
        let key = ("Parallel".to_owned(), format!("stablehlo.{name}"));
        assert!(checked.contains_key(&key), "nothing of {name} was checked: {checked:?}");
    }
    let all: usize = checked.values().chain(skipped.values()).sum();
    for (reason, count) in &skipped {
        let most = SKIPPED.iter().find(|(known, _)| known == reason).map(|(_, most)| most * all);
        let share = count * 100;
        assert!(most.is_some_and(|most| share <= most), "{reason}: {count} of {all}: {skipped:?}");
    }
}
