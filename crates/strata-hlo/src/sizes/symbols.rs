//! The symbols that the sizes of a program's inputs are expressed by, and what the program asserts of them.
//!
//! The program is read, not changed: its integer arithmetic on sizes is followed from the entry through calls. Symbols have the
//! names that the exporter gave to the values (`jax.global_constant`); a dimension without one is called by input and index.
//!
//! ```text
//! %n = get_dimension_size %x, dim = 0
//! %q, %r = call @divmod(%n, 2)
//! custom_call @shape_assertion(%r == 0, …)       n is d / 2, so d is 2*n
//! call @_wrapped(%q) with the argument named "n"
//! ```

use std::collections::BTreeMap;

use strata_ir::{
    DYNAMIC, Module, Op, Type, TypeExt as _, dimension_bounds, func, function_name, module_op,
    program_names,
};
use strata_shapes::{Constraint, DimExpr, Domain, Variable};

use super::walk::Walk;

/// What the sizes of the inputs depend on.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// The names of the symbols.
    pub names: Vec<String>,
    /// The name of each input, for readers.
    pub inputs: Vec<String>,
    /// For each input the sizes of its dimensions, as expressions of symbols; empty for what is not a tensor.
    pub shapes: Vec<Vec<DimExpr>>,
    /// What the program asserts of the symbols, with its message.
    pub constraints: Vec<(Constraint, String)>,
    /// The value of each symbol in terms of dimensions of inputs.
    pub values: Vec<DimExpr>,
}

impl Symbols {
    /// Those of the entry.
    pub fn of<'c>(module: &Module<'c>, entry: Op<'c>) -> Self {
        let functions = module_op(module).body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
        let functions = functions.map(|op| (function_name(op), op)).collect();
        let mut walk = Walk::of(entry, functions);
        let arguments = entry.region(0).first_block().map(|block| block.args()).unwrap_or_default();
        let [names, _] = program_names(entry, arguments.len(), 0);
        let name = |index: usize| {
            let given = names.get(index).filter(|name| !name.is_empty());
            given.cloned().unwrap_or_else(|| format!("input{index}"))
        };
        let names: Vec<String> = (0..arguments.len()).map(name).collect();
        for (input, (value, name)) in arguments.iter().zip(&names).enumerate() {
            walk.constraints.extend(typed_bounds(value.ty(), input, name));
        }
        let shapes: Vec<Vec<i64>> =
            arguments.iter().map(|value| value.ty().shape().unwrap_or_default()).collect();
        let mut solver = Solver::new(names, &shapes, &walk);
        solver.solve();
        solver.finish(&shapes, &walk)
    }

    /// The least value of a symbol that the program's assertions allow.
    pub fn least(&self, variable: Variable) -> i64 {
        let mut least = 0;
        for (truth, _) in &self.constraints {
            if let Constraint::NotNegative(size) = truth
                && size.variables().iter().eq([&variable])
                && size.linear_factor(variable) == Some(1)
                && let Some(number) = size.value(&|_| Some(0))
            {
                least = least.max(-number);
            }
        }
        least
    }

    /// The name of a symbol.
    pub fn name(&self, variable: Variable) -> String {
        match variable {
            Variable::Symbol(index) => self.names.get(index).cloned().unwrap_or_default(),
            Variable::Dimension(input, dim) => format!("{}.{dim}", self.inputs[input]),
        }
    }

    /// The size of the dimension that is called by its input and position (`x.0`), as text.
    pub fn dimension(&self, name: &str) -> Option<String> {
        let (input, dim) = name.rsplit_once('.')?;
        let input = self.inputs.iter().position(|known| known == input)?;
        let size = self.shapes[input].get(dim.parse::<usize>().ok()?)?;
        Some(size.text(&|variable| self.name(variable)))
    }

    /// The sizes of an input's dimensions as text: `2*n`, `8`.
    pub fn shape_texts(&self, input: usize) -> Vec<String> {
        self.shapes[input].iter().map(|size| size.text(&|variable| self.name(variable))).collect()
    }

    /// The shape of an input as text: `2*n x 8`.
    pub fn shape_text(&self, input: usize) -> String {
        self.shape_texts(input).join(" x ")
    }

    /// What the program asserts, as text.
    pub fn constraint_texts(&self) -> Vec<String> {
        let text = |(truth, _): &(Constraint, String)| truth.text(&|variable| self.name(variable));
        self.constraints.iter().map(text).collect()
    }

    /// The shapes of inputs where symbols have these values; `None` for a size that is unknown, negative or overflows.
    pub fn shapes_at(&self, value: &impl Fn(usize) -> Option<i64>) -> Vec<Vec<Option<i64>>> {
        let of = |variable| match variable {
            Variable::Symbol(index) => value(index),
            Variable::Dimension(..) => None,
        };
        let size = |size: &DimExpr| size.value(&of).filter(|size| *size >= 0);
        self.shapes.iter().map(|shape| shape.iter().map(size).collect()).collect()
    }
}

impl Symbols {
    /// The same with some symbols replaced by their values.
    pub fn bound(&self, values: &[(String, i64)]) -> Self {
        let by = |variable| match variable {
            Variable::Symbol(index) => {
                let name = self.names.get(index)?;
                let value = values.iter().find(|(bound, _)| bound == name);
                Some(value.map_or_else(
                    || DimExpr::variable(variable),
                    |(_, value)| DimExpr::constant(*value),
                ))
            }
            Variable::Dimension(..) => Some(DimExpr::variable(variable)),
        };
        let size = |size: &DimExpr| size.replaced(&by).unwrap_or_else(|| size.clone());
        let shape = |shape: &Vec<DimExpr>| shape.iter().map(size).collect();
        let constraints = self.constraints.iter().filter_map(|(truth, message)| {
            let truth = truth.replaced(&by, &Domain::default())?;
            (truth != Constraint::Known(true)).then(|| (truth, message.clone()))
        });
        Self {
            shapes: self.shapes.iter().map(shape).collect(),
            constraints: constraints.collect(),
            ..self.clone()
        }
    }

    /// The shapes of the inputs where symbols have these values; `None` if these violate what the program asserts.
    pub fn shapes_for(&self, values: &[i64]) -> Option<Vec<Vec<i64>>> {
        let value = |variable| match variable {
            Variable::Symbol(index) => values.get(index).copied(),
            Variable::Dimension(..) => None,
        };
        let holds = self.constraints.iter().all(|(truth, _)| truth.holds(&value) == Some(true));
        let shapes = self.shapes_at(&|index| values.get(index).copied());
        let shapes = shapes.into_iter().map(|shape| shape.into_iter().collect());
        holds.then(|| shapes.collect::<Option<_>>()).flatten()
    }
}

/// That no dimension of an input is larger than the bound that its type has (`#stablehlo.bounds`).
fn typed_bounds(ty: Type<'_>, input: usize, name: &str) -> Vec<(Constraint, String)> {
    let bounds = dimension_bounds(ty).unwrap_or_default().into_iter().enumerate();
    let bounds = bounds.filter_map(|(dim, bound)| {
        let size = DimExpr::variable(Variable::Dimension(input, dim));
        let room = DimExpr::constant(bound?).minus(&size)?;
        let message =
            format!("the type of `{name}` says that dimension {dim} is at most {}", bound?);
        Some((Constraint::NotNegative(room), message))
    });
    bounds.collect()
}

/// Expresses dimensions by symbols.
struct Solver {
    names: Vec<String>,
    inputs: Vec<String>,
    values: Vec<DimExpr>,
    /// The dimensions that are expressed by symbols.
    solved: BTreeMap<Variable, DimExpr>,
    /// The dimensions of unknown size.
    open: Vec<Variable>,
    /// Names given to sizes, and the sizes.
    named: Vec<(String, DimExpr)>,
    /// What is known to be 0.
    zeros: Vec<DimExpr>,
}

impl Solver {
    fn new(inputs: Vec<String>, shapes: &[Vec<i64>], walk: &Walk<'_>) -> Self {
        let open = shapes.iter().enumerate().flat_map(|(input, shape)| {
            let dims = shape.iter().enumerate().filter(|(_, size)| **size == DYNAMIC);
            dims.map(move |(dim, _)| Variable::Dimension(input, dim))
        });
        let zeros = walk.constraints.iter().filter_map(|(truth, _)| match truth {
            Constraint::Zero(size) => Some(size.clone()),
            _ => None,
        });
        Self {
            names: Vec::new(),
            inputs,
            values: Vec::new(),
            solved: BTreeMap::new(),
            open: open.collect(),
            named: walk.named.clone(),
            zeros: zeros.collect(),
        }
    }

    fn solve(&mut self) {
        for (name, size) in self.named.clone() {
            let symbol = DimExpr::variable(Variable::Symbol(self.names.len()));
            // floordiv(p, q) + r is n, and q divides p: p is q*(n - r).
            let sides = match size.as_floordiv() {
                Some((of, by, more)) if self.divides(of, by) => {
                    let quotient = symbol.minus(&DimExpr::constant(more));
                    quotient.and_then(|quotient| quotient.times(by)).map(|side| (of, side))
                }
                _ => Some((&size, symbol)),
            };
            let solved = sides.is_some_and(|(size, side)| self.isolate(size, &side));
            if solved {
                self.names.push(name);
                self.values.push(size);
            }
        }
        self.solve_equal();
        for variable in self.open.clone() {
            let Variable::Dimension(input, dim) = variable else { continue };
            if !self.solved.contains_key(&variable) {
                let symbol = DimExpr::variable(Variable::Symbol(self.names.len()));
                self.solved.insert(variable, symbol);
                self.names.push(format!("{}.{dim}", self.inputs[input]));
                self.values.push(DimExpr::variable(variable));
                self.solve_equal();
            }
        }
    }

    /// Expresses dimensions that the program asserts to equal others.
    fn solve_equal(&mut self) {
        // One that is expressed may leave a single one in those before.
        let zeros = self.zeros.clone();
        while zeros.iter().any(|zero| self.isolate(zero, &DimExpr::constant(0))) {}
    }

    /// Whether the program asserts that `by` divides `size`.
    fn divides(&self, size: &DimExpr, by: &DimExpr) -> bool {
        size.modulo(by).is_some_and(|rest| self.zeros.contains(&rest.primitive()))
    }

    /// Expresses a dimension in `size`, which equals `side`, by the rest; false if there is none left.
    fn isolate(&mut self, size: &DimExpr, side: &DimExpr) -> bool {
        let known = |variable| self.solved.get(&variable).cloned();
        let Some(size) = size.replaced(&|at| Some(known(at).unwrap_or(DimExpr::variable(at))))
        else {
            return false;
        };
        let unsolved = |at: &&Variable| matches!(at, Variable::Dimension(..));
        let variables = size.variables();
        let left: Vec<_> = variables.iter().filter(unsolved).copied().collect();
        let [one] = left[..] else { return false };
        let Some(factor) = size.linear_factor(one) else { return false };
        // factor*d + rest is side.
        let rest = size.replaced(&|at| {
            Some(if at == one { DimExpr::constant(0) } else { DimExpr::variable(at) })
        });
        let number = rest.and_then(|rest| side.minus(&rest));
        let number = number.and_then(|number| number.times(&DimExpr::constant(factor.signum())));
        let value =
            number.and_then(|number| match number.modulo(&DimExpr::constant(factor.abs())) {
                Some(remainder) if remainder.as_constant() == Some(0) => {
                    number.floordiv(&DimExpr::constant(factor.abs()))
                }
                _ => None,
            });
        match value {
            Some(value) => {
                self.solved.insert(one, value);
                true
            }
            None => false,
        }
    }

    fn finish(self, shapes: &[Vec<i64>], walk: &Walk<'_>) -> Symbols {
        let of = |variable| match variable {
            Variable::Symbol(_) => Some(DimExpr::variable(variable)),
            Variable::Dimension(..) => self.solved.get(&variable).cloned(),
        };
        let shape = |(input, shape): (usize, &Vec<i64>)| {
            let size = |(dim, size): (usize, &i64)| match *size {
                DYNAMIC => of(Variable::Dimension(input, dim)).unwrap_or_default(),
                size => DimExpr::constant(size),
            };
            shape.iter().enumerate().map(size).collect()
        };
        // What follows from the way in which dimensions are expressed is left out.
        let constraints = walk.constraints.iter().filter_map(|(truth, message)| {
            let truth = truth.replaced(&of, &Domain::default())?;
            (truth != Constraint::Known(true)).then(|| (truth, message.clone()))
        });
        let mut kept: Vec<(Constraint, String)> = Vec::new();
        for constraint in constraints {
            if !kept.iter().any(|(truth, _)| truth.implies(&constraint.0)) {
                kept.retain(|(truth, _)| !constraint.0.implies(truth));
                kept.push(constraint);
            }
        }
        Symbols {
            shapes: shapes.iter().enumerate().map(shape).collect(),
            constraints: kept,
            names: self.names,
            inputs: self.inputs,
            values: self.values,
        }
    }
}
