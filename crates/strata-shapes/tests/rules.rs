//! The table against the evaluator: what it says of the operations of `tests/ops` holds for their values.

use std::{collections::HashMap, fs, path::Path};

use strata_eval::{Evaluator, Session, Tensor, Values};
use strata_ir::{
    Block, Builder, Context, Module, Op, TypeExt as _, Value, WalkOrder, module_op, new_context,
    parse, parse_text,
};
use strata_shapes::{DimRules, Factor, FactorKind, rules};

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
}

impl Case<'_> {
    fn run(&self, inputs: &[Tensor]) -> Option<Vec<Tensor>> {
        self.evaluator.run(None, inputs, &Session::new(0)).ok()
    }

    /// Checks a parallel factor; whether there was something to check.
    fn parallel(&self, factor: &Factor, inputs: &[Tensor], others: &[Tensor]) -> Option<()> {
        let before = self.run(inputs)?;
        let operands = factor.operands().iter().map(|(at, dim)| inputs[*at].shape()[*dim]);
        let results = factor.results().iter().map(|(at, dim)| before[*at].shape()[*dim]);
        let sizes: Vec<_> = operands.chain(results).collect();
        let size = factor.part.map_or_else(|| sizes[0], |part| part as usize);
        let equal = factor.part.is_some() || sizes.iter().all(|one| *one == size);
        assert!(equal, "{}: {factor:?} has sizes {sizes:?}", self.name);
        if size < 2 {
            return None;
        }
        let (mut moved, mut mixed) = (inputs.to_vec(), inputs.to_vec());
        for (at, dim) in factor.operands() {
            let inner = inner(self.table.of_operand(*at, *dim), factor);
            moved[*at] = reversed(&inputs[*at], *dim, inner, size);
            for position in 0..inputs[*at].len() {
                if along(&inputs[*at], *dim, position, inner, size).0 != 0 {
                    mixed[*at].copy_element(position, &others[*at], position);
                }
            }
        }
        let (moved, mixed) = (self.run(&moved)?, self.run(&mixed)?);
        for (at, result) in before.iter().enumerate() {
            let Some(dim) = factor.result(at) else {
                assert!(*result == moved[at] && *result == mixed[at], "{}: {factor:?}", self.name);
                continue;
            };
            let inner = inner(self.table.of_result(at, dim), factor);
            let expected = reversed(result, dim, inner, size);
            assert!(same(&expected, &moved[at]), "{}: {factor:?} depends on the index", self.name);
            for position in 0..result.len() {
                let is_first = along(result, dim, position, inner, size).0 == 0;
                let equal = result.element_bytes(position) == mixed[at].element_bytes(position);
                assert!(!is_first || equal, "{}: {factor:?} is not independent", self.name);
            }
        }
        Some(())
    }
}

fn same(one: &Tensor, other: &Tensor) -> bool {
    one.shape() == other.shape() && one.bytes() == other.bytes()
}

#[test]
fn parallel_factors_are_independent_and_equivariant() {
    let mut paths = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ops"), &mut paths);
    let mut checked: HashMap<String, usize> = HashMap::new();
    // The first program of each operation.
    paths.retain(|path| {
        path.components().rev().nth(2).is_some_and(|folder| folder.as_os_str() == "ops")
    });
    for path in paths {
        let context = new_context();
        let bytes = fs::read(&path).expect("a readable file");
        let Ok(module) = parse(&context, "input.mlir", &bytes) else { continue };
        let mut ops = Vec::new();
        module_op(&module).walk(WalkOrder::Pre, &mut |op| ops.push(op));
        for op in ops {
            let elements = |value: &Value<'_>| value.ty().element_count();
            let small = |value: &Value<'_>| elements(value).is_some_and(|count| count <= 4096);
            let values = [op.operands(), op.results()].concat();
            // A few dozen factors of each operation: the evaluator is slow.
            let enough = checked.get(&op.name().to_string()).is_some_and(|count| *count >= 24);
            if enough || op.result_count() == 0 || !values.iter().all(small) {
                continue;
            }
            let Ok(table) = rules(op) else { continue };
            let Some(module) = alone(&context, op) else { continue };
            let Ok(evaluator) = Evaluator::new(&module) else { continue };
            let draw = |seed| evaluator.random_inputs(None, Values::Tame, seed);
            let (Ok(inputs), Ok(others)) = (draw(1), draw(2)) else { continue };
            let name = format!("{}: {}", path.display(), op.name());
            let case = Case { name, table: &table, evaluator: &evaluator };
            for factor in table.factors() {
                if factor.kind == FactorKind::Parallel
                    && case.parallel(factor, &inputs, &others).is_some()
                {
                    *checked.entry(op.name().to_string()).or_default() += 1;
                }
            }
        }
    }
    for name in
        ["add", "dot_general", "gather", "scatter", "reduce", "reshape", "convolution", "sort"]
    {
        let count = checked.get(&format!("stablehlo.{name}"));
        assert!(
            count.is_some_and(|count| *count > 0),
            "nothing of {name} was checked: {checked:?}"
        );
    }
}
