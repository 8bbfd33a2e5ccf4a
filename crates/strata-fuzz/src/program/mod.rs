//! Realistic programs of several operations with nested regions.
//!
//! A program grows one step at a time from the values in scope. Few sizes and element types make values of equal type
//! likely, so that buffers are shared and operations fused; the focus sets the probabilities of steps.

mod calls;
mod control;
mod movement;
mod pointwise;
mod sums;
mod updates;

use strata_verify::Tolerance;

use crate::source::{Case, Lines, Source, Tensor, is_complex, is_float};

/// The groups of steps, in the order of a focus's weights.
const GROUPS: [fn(&mut Writer<'_>); 8] = [
    |writer| writer.pointwise(),
    |writer| writer.movement(),
    |writer| writer.update(),
    |writer| writer.sum(),
    |writer| writer.product(),
    |writer| writer.gather_or_sort(),
    |writer| writer.control(),
    |writer| writer.call(),
];

/// How likely each group of steps is.
type Focus = [i64; GROUPS.len()];

/// Values that are partially updated, carried by loops and branches, and read again afterwards.
const ALIASES: Focus = [3, 3, 7, 1, 0, 1, 5, 1];
/// The operations of a loop nest: elementwise operations around sums, products, windows and gathers.
const FUSIONS: Focus = [8, 5, 1, 4, 3, 2, 1, 1];
/// All groups equally, in deeper regions.
const NESTED: Focus = [2, 2, 2, 2, 1, 2, 5, 2];

/// Sizes around those of vectors and of unrolled loops.
const LONGER: [i64; 10] = [2, 3, 4, 5, 7, 8, 9, 16, 17, 33];

/// The largest number of elements of a value.
const MOST_ELEMENTS: i64 = 3000;

/// A program of partial updates, loops and branches.
pub fn aliases(source: &mut Source) -> Case {
    let elements: &[&str] =
        &["i32", "f32", "i32", "f64", "i8", "ui8", "i64", "bf16", "complex<f32>", "i4"];
    program(source, ALIASES, elements, (6, 14))
}

/// A program of what is fused.
pub fn fusions(source: &mut Source) -> Case {
    let elements: &[&str] =
        &["f32", "f32", "f32", "f64", "i32", "f16", "bf16", "i8", "ui32", "complex<f32>"];
    program(source, FUSIONS, elements, (5, 14))
}

/// A program of nested regions and calls.
pub fn nested(source: &mut Source) -> Case {
    let elements: &[&str] = &["i32", "f32", "i16", "f64", "i64", "ui16", "f8E4M3FN", "i1"];
    program(source, NESTED, elements, (4, 9))
}

fn program(source: &mut Source, focus: Focus, elements: &[&str], steps: (i64, i64)) -> Case {
    let mut elements = vec![source.pick(elements).to_owned(), source.pick(elements).to_owned()];
    elements.dedup();
    let mut sizes = vec![source.pick(&LONGER)];
    sizes.extend((0..source.between(0, 2)).map(|_| draw_size(source)).collect::<Vec<_>>());
    let mut writer = Writer {
        source,
        focus,
        sizes,
        elements,
        values: Vec::new(),
        counters: Vec::new(),
        next: 0,
        depth: 0,
        text: String::new(),
        functions: String::new(),
    };
    let mut arguments = Vec::new();
    for at in 0..writer.source.between(3, 5) {
        // Inputs that branches and indices depend on, so that they are unknown at compile time.
        let ty = if at == 0 { Tensor::new(&[], "i32") } else { writer.any_type() };
        let name = writer.name();
        arguments.push(format!("{name}: {ty}"));
        writer.values.push(Value { name, ty, exact: true });
    }
    for _ in 0..writer.source.between(steps.0, steps.1) {
        writer.step();
    }
    writer.finish(&arguments)
}

fn draw_size(source: &mut Source) -> i64 {
    match source.below(16) {
        0 => 0,
        1..=3 => 1,
        _ => source.pick(&LONGER),
    }
}

/// A value in scope.
#[derive(Clone, Debug)]
struct Value {
    name: String,
    ty: Tensor,
    /// Whether both sides compute the same bits: no sum of floats and no function is in it.
    exact: bool,
}

struct Writer<'s> {
    source: &'s mut Source,
    focus: Focus,
    sizes: Vec<i64>,
    elements: Vec<String>,
    values: Vec<Value>,
    /// The counters of the loops around, `tensor<i32>` each.
    counters: Vec<String>,
    next: usize,
    depth: usize,
    text: String,
    functions: String,
}

impl Lines for Writer<'_> {
    fn lines(&mut self) -> (&mut usize, &mut String) {
        (&mut self.next, &mut self.text)
    }
}

impl Writer<'_> {
    /// Writes an operation whose value may be used from now on.
    fn emit(&mut self, ty: Tensor, exact: bool, operation: &str) {
        let name = self.define(operation);
        self.values.push(Value { name, ty, exact });
    }

    fn number(&mut self, value: i64) -> String {
        self.define(&format!("stablehlo.constant dense<{value}> : tensor<i32>"))
    }

    /// A splat of a small number that every element type has.
    fn splat(&mut self, ty: &Tensor, value: i64) -> String {
        let value = literal(&ty.element, value);
        self.define(&format!("stablehlo.constant dense<{value}> : {ty}"))
    }

    fn any_type(&mut self) -> Tensor {
        loop {
            let rank = self.source.pick(&[0, 1, 1, 2, 2, 2, 3]);
            let shape: Vec<i64> = (0..rank).map(|_| self.source.pick(&self.sizes)).collect();
            if shape.iter().product::<i64>() <= MOST_ELEMENTS {
                let element = self.source.pick(&self.elements);
                return Tensor::new(&shape, &element);
            }
        }
    }

    /// A value, with newer ones more likely.
    fn any(&mut self) -> Value {
        let count = self.values.len() as i64;
        let back = self.source.below(count).min(self.source.below(count));
        self.values[(count - 1 - back) as usize].clone()
    }

    /// A value that fits, with newer ones more likely.
    fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let found: Vec<Value> = self.values.iter().filter(|value| fits(value)).cloned().collect();
        let count = found.len() as i64;
        let back = self.source.below(count).min(self.source.below(count));
        found.get((count - 1 - back).max(0) as usize).cloned()
    }

    /// A value of the type of `like`: any other one, or itself.
    fn same(&mut self, like: &Value) -> Value {
        let ty = like.ty.clone();
        self.find(|value| value.ty == ty).unwrap_or_else(|| like.clone())
    }

    /// An index into a dimension: a loop's counter, a value of the program or a number, which may be out of range.
    fn index(&mut self, size: i64) -> String {
        match self.source.below(5) {
            0 | 1 if !self.counters.is_empty() => self.source.pick(&self.counters),
            1 | 2 => match self.find(|value| value.ty == Tensor::new(&[], "i32")) {
                Some(value) => value.name,
                None => self.number(0),
            },
            _ => {
                let at = self.source.between(-1, size);
                self.number(at)
            }
        }
    }

    fn step(&mut self) {
        let total = self.focus.iter().sum();
        let mut left = self.source.below(total);
        for (weight, write) in self.focus.into_iter().zip(GROUPS) {
            if left < weight {
                return write(self);
            }
            left -= weight;
        }
    }

    /// Writes steps within a region and returns its yielded values, of `types`. Values of the region go out of scope.
    fn inside(&mut self, steps: i64, types: &[Tensor]) -> Vec<Value> {
        for _ in 0..steps {
            self.step();
        }
        types.iter().map(|ty| self.of_type(ty)).collect()
    }

    /// One of the newest values of a type; a splat where there is none.
    fn of_type(&mut self, ty: &Tensor) -> Value {
        match self.find(|value| value.ty == *ty) {
            Some(value) => value,
            None => Value { name: self.splat(ty, 1), ty: ty.clone(), exact: true },
        }
    }

    fn finish(mut self, arguments: &[String]) -> Case {
        let mut returned = Vec::new();
        for _ in 0..self.source.between(1, 5) {
            returned.push(self.any());
        }
        let names: Vec<_> = returned.iter().map(|value| value.name.clone()).collect();
        let types: Vec<_> = returned.iter().map(|value| value.ty.to_string()).collect();
        let types = types.join(", ");
        let text = format!(
            "func.func public @main({}) -> ({types}) {{\n{}  return {} : {types}\n}}\n{}",
            arguments.join(", "),
            self.text,
            names.join(", "),
            self.functions,
        );
        let tolerances = returned.iter().map(tolerance).collect();
        // Where sums meet infinities, their order decides.
        let tame = self.values.iter().any(|value| !value.exact);
        Case::several(text, tolerances, tame)
    }
}

fn tolerance(value: &Value) -> Tolerance {
    let is_exact = value.exact || !is_float(&value.ty.element);
    if is_exact { Tolerance::EXACT } else { Tolerance::default() }
}

/// A small number as a literal of an element type.
fn literal(element: &str, value: i64) -> String {
    match element {
        "i1" => if value % 2 == 0 { "false" } else { "true" }.to_owned(),
        _ if is_complex(element) => format!("({value}.0, 1.0)"),
        _ if is_float(element) => format!("{value}.0"),
        _ => value.to_string(),
    }
}
