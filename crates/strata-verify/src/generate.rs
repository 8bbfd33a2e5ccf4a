//! Random programs that are well typed by construction.
//!
//! A program is grown one operation at a time from a pool of values; the types of the pool decide which
//! operations are possible.

use std::fmt::Write as _;

use strata_eval::{ElementType, Tensor, Values, random_tensor, rng::RngStream};

/// A random program and inputs for it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The module as text; its entry is `@main`.
    pub text: String,
    /// One tensor per argument.
    pub inputs: Vec<Tensor>,
}

#[derive(Clone, Debug, PartialEq)]
struct Typed {
    shape: Vec<usize>,
    element: ElementType,
}

impl Typed {
    fn text(&self) -> String {
        let sizes: String = self.shape.iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{}>", self.element)
    }

    fn with(&self, element: ElementType) -> Self {
        Self { shape: self.shape.clone(), element }
    }
}

const ELEMENTS: [&str; 12] =
    ["f32", "f32", "f64", "bf16", "f16", "i32", "i8", "ui8", "ui32", "i64", "i1", "complex<f32>"];
const SIZES: [usize; 8] = [1, 2, 3, 4, 5, 7, 1, 0];

const ANY_FLOAT: [&str; 8] =
    ["abs", "negate", "floor", "ceil", "round_nearest_even", "sign", "tanh", "logistic"];
const COMPLEX: [&str; 3] = ["negate", "sine", "exponential"];
const SIGNED: [&str; 5] = ["abs", "negate", "sign", "not", "popcnt"];
const UNSIGNED: [&str; 3] = ["not", "popcnt", "count_leading_zeros"];
const ARITHMETIC: [&str; 6] = ["add", "subtract", "multiply", "maximum", "minimum", "divide"];
const BITWISE: [&str; 6] =
    ["and", "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"];
const LOGICAL: [&str; 3] = ["and", "or", "xor"];

struct Generator {
    stream: RngStream,
    body: String,
    pool: Vec<(String, Typed)>,
    next: usize,
}

/// A program of about `length` operations, with inputs of the given kind. Equal seeds give equal programs.
pub fn random_program(seed: u64, length: usize, values: Values) -> Generated {
    let mut generator =
        Generator { stream: RngStream::new(seed), body: String::new(), pool: Vec::new(), next: 0 };
    let count = 1 + generator.below(3);
    let mut inputs = Vec::with_capacity(count);
    let mut arguments = Vec::with_capacity(count);
    for at in 0..count {
        let ty = generator.random_type();
        inputs.push(random_tensor(&ty.shape, ty.element, values, &mut generator.stream));
        arguments.push(format!("%arg{at}: {}", ty.text()));
        generator.pool.push((format!("%arg{at}"), ty));
    }
    for _ in 0..length {
        generator.grow();
    }
    // The youngest values depend on most of the others.
    let returned: Vec<_> = generator.pool.iter().rev().take(3).collect();
    let names: Vec<_> = returned.iter().map(|(name, _)| name.as_str()).collect();
    let types: Vec<_> = returned.iter().map(|(_, ty)| ty.text()).collect();
    let text = format!(
        "func.func public @main({}) -> ({types}) {{\n{}  return {} : {types}\n}}\n",
        arguments.join(", "),
        generator.body,
        names.join(", "),
        types = types.join(", "),
    );
    Generated { text, inputs }
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        (self.stream.next_u64() % bound.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn random_type(&mut self) -> Typed {
        let rank = self.below(4);
        let shape = (0..rank).map(|_| SIZES[self.below(SIZES.len())]).collect();
        let element = self.pick(&ELEMENTS);
        Typed { shape, element: ElementType::parse(element).unwrap_or(ElementType::Bool) }
    }

    /// A value of the pool, the younger the likelier.
    fn value(&mut self) -> (String, Typed) {
        let back = self.below(self.pool.len()).min(self.below(self.pool.len()));
        self.pool[self.pool.len() - 1 - back].clone()
    }

    /// A value of that type: another one of the pool, or the given one.
    fn same(&mut self, name: &str, ty: &Typed) -> String {
        let alike: Vec<String> = self
            .pool
            .iter()
            .filter(|(_, other)| other == ty)
            .map(|(name, _)| name.clone())
            .collect();
        let at = self.below(alike.len());
        alike.get(at).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn emit(&mut self, ty: Typed, operation: &str) {
        let name = format!("%v{}", self.next);
        self.next += 1;
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "  {name} = {operation}");
        self.pool.push((name, ty));
    }

    fn scalar(&mut self, element: ElementType, value: &str) -> String {
        let ty = Typed { shape: Vec::new(), element };
        let text = format!("stablehlo.constant dense<{value}> : {}", ty.text());
        self.emit(ty, &text);
        format!("%v{}", self.next - 1)
    }

    fn grow(&mut self) {
        let (x, ty) = self.value();
        match self.below(14) {
            0 | 1 => self.unary(&x, &ty),
            2..=4 => self.binary(&x, &ty),
            5 => self.compare_and_select(&x, &ty),
            6 => {
                let to = self.random_type().element;
                // A float has no defined value in an integer type that is too small for it.
                let defined = match ty.element {
                    ElementType::Complex(_) => to.is_complex(),
                    ElementType::Float(_) => to.is_float() || to.is_complex(),
                    _ => true,
                };
                if defined {
                    let result = ty.with(to);
                    let text =
                        format!("stablehlo.convert {x} : ({}) -> {}", ty.text(), result.text());
                    self.emit(result, &text);
                }
            }
            7 => self.transpose(&x, &ty),
            8 => self.broadcast(&x, &ty),
            9 => self.slice(&x, &ty),
            10 => self.pad(&x, &ty),
            11 => self.reduce(&x, &ty),
            12 => self.contract(&x, &ty),
            _ => self.concatenate_or_reverse(&x, &ty),
        }
    }

    fn unary(&mut self, x: &str, ty: &Typed) {
        let name = match ty.element {
            ElementType::Bool => "not",
            ElementType::Signed(_) => self.pick(&SIGNED),
            ElementType::Unsigned(_) => self.pick(&UNSIGNED),
            ElementType::Float(_) => self.pick(&ANY_FLOAT),
            ElementType::Complex(_) => self.pick(&COMPLEX),
        };
        self.emit(ty.clone(), &format!("stablehlo.{name} {x} : {}", ty.text()));
    }

    fn binary(&mut self, x: &str, ty: &Typed) {
        let y = self.same(x, ty);
        let name = match ty.element {
            ElementType::Bool => self.pick(&LOGICAL),
            ElementType::Complex(_) => self.pick(&ARITHMETIC[..3]),
            ElementType::Float(_) => self.pick(&ARITHMETIC),
            _ if self.below(2) == 0 => self.pick(&BITWISE),
            _ => self.pick(&ARITHMETIC),
        };
        self.emit(ty.clone(), &format!("stablehlo.{name} {x}, {y} : {}", ty.text()));
    }

    fn compare_and_select(&mut self, x: &str, ty: &Typed) {
        let y = self.same(x, ty);
        let directions = ["EQ", "NE", "LT", "LE", "GT", "GE"];
        let known = if ty.element.is_complex() { 2 } else { 6 };
        let direction = self.pick(&directions[..known]);
        let pred = ty.with(ElementType::Bool);
        let (operand, result) = (ty.text(), pred.text());
        let text =
            format!("stablehlo.compare {direction}, {x}, {y} : ({operand}, {operand}) -> {result}");
        self.emit(pred, &text);
        let chosen = format!("%v{}", self.next - 1);
        let text = format!("stablehlo.select {chosen}, {y}, {x} : {result}, {operand}");
        self.emit(ty.clone(), &text);
    }

    fn transpose(&mut self, x: &str, ty: &Typed) {
        let mut order: Vec<usize> = (0..ty.shape.len()).collect();
        for at in (1..order.len()).rev() {
            let other = self.below(at + 1);
            order.swap(at, other);
        }
        let shape = order.iter().map(|d| ty.shape[*d]).collect();
        let result = Typed { shape, element: ty.element };
        let (from, to) = (ty.text(), result.text());
        self.emit(result, &format!("stablehlo.transpose {x}, dims = {order:?} : ({from}) -> {to}"));
    }

    fn broadcast(&mut self, x: &str, ty: &Typed) {
        if ty.shape.len() > 2 {
            return;
        }
        let size = SIZES[self.below(SIZES.len())];
        let place = self.below(ty.shape.len() + 1);
        let mut shape = ty.shape.clone();
        shape.insert(place, size);
        let dims: Vec<usize> = (0..shape.len()).filter(|d| *d != place).collect();
        let result = Typed { shape, element: ty.element };
        let (from, to) = (ty.text(), result.text());
        self.emit(
            result,
            &format!("stablehlo.broadcast_in_dim {x}, dims = {dims:?} : ({from}) -> {to}"),
        );
    }

    fn slice(&mut self, x: &str, ty: &Typed) {
        let mut ranges = Vec::new();
        let mut shape = Vec::new();
        for size in &ty.shape {
            let start = self.below(size + 1);
            let limit = start + self.below(size - start + 1);
            let step = 1 + self.below(2);
            ranges.push(format!("{start}:{limit}:{step}"));
            shape.push((limit - start).div_ceil(step));
        }
        let result = Typed { shape, element: ty.element };
        let (from, to, ranges) = (ty.text(), result.text(), ranges.join(", "));
        self.emit(result, &format!("stablehlo.slice {x} [{ranges}] : ({from}) -> {to}"));
    }

    fn pad(&mut self, x: &str, ty: &Typed) {
        let zero = if ty.element.is_complex() { "(0.0, 0.0)" } else { self.zero(ty.element) };
        let zero = self.scalar(ty.element, zero);
        let (mut low, mut high, mut interior, mut shape) = (vec![], vec![], vec![], vec![]);
        for size in &ty.shape {
            let amounts = (self.below(3), self.below(2), self.below(2));
            low.push(amounts.0 as i64);
            high.push(amounts.1 as i64);
            interior.push(amounts.2 as i64);
            shape.push(size + amounts.0 + amounts.1 + size.saturating_sub(1) * amounts.2);
        }
        let result = Typed { shape, element: ty.element };
        let scalar = Typed { shape: Vec::new(), element: ty.element };
        let (from, value, to) = (ty.text(), scalar.text(), result.text());
        self.emit(
            result,
            &format!(
                "stablehlo.pad {x}, {zero}, low = {low:?}, high = {high:?}, interior = {interior:?} : \
                 ({from}, {value}) -> {to}"
            ),
        );
    }

    fn zero(&self, element: ElementType) -> &'static str {
        match element {
            ElementType::Bool => "false",
            ElementType::Signed(_) | ElementType::Unsigned(_) => "0",
            ElementType::Float(_) => "0.0",
            ElementType::Complex(_) => "(0.0, 0.0)",
        }
    }

    fn reduce(&mut self, x: &str, ty: &Typed) {
        if ty.shape.is_empty() {
            return;
        }
        let dimension = self.below(ty.shape.len());
        let name = match ty.element {
            ElementType::Bool => self.pick(&["or", "xor"]),
            ElementType::Complex(_) => "add",
            // Zero is where a sum starts, and a bound like any other for the rest.
            _ => self.pick(&["add", "maximum", "minimum"]),
        };
        let zero = self.zero(ty.element);
        let zero = self.scalar(ty.element, zero);
        let mut shape = ty.shape.clone();
        shape.remove(dimension);
        let result = Typed { shape, element: ty.element };
        let scalar = Typed { shape: Vec::new(), element: ty.element };
        let (from, value, to) = (ty.text(), scalar.text(), result.text());
        self.emit(
            result,
            &format!(
                "stablehlo.reduce({x} init: {zero}) applies stablehlo.{name} across dimensions = \
                 [{dimension}] : ({from}, {value}) -> {to}"
            ),
        );
    }

    fn contract(&mut self, x: &str, ty: &Typed) {
        if ty.shape.is_empty() || ty.element == ElementType::Bool {
            return;
        }
        let y = self.same(x, ty);
        let dimension = self.below(ty.shape.len());
        let free: Vec<usize> =
            (0..ty.shape.len()).filter(|d| *d != dimension).map(|d| ty.shape[d]).collect();
        if free.len() > 1 {
            return;
        }
        let result = Typed { shape: [free.clone(), free].concat(), element: ty.element };
        let (from, to) = (ty.text(), result.text());
        self.emit(
            result,
            &format!(
                "stablehlo.dot_general {x}, {y}, contracting_dims = [{dimension}] x [{dimension}] : \
                 ({from}, {from}) -> {to}"
            ),
        );
    }

    fn concatenate_or_reverse(&mut self, x: &str, ty: &Typed) {
        if ty.shape.is_empty() {
            return;
        }
        let dimension = self.below(ty.shape.len());
        if self.below(2) == 0 {
            let text = format!("stablehlo.reverse {x}, dims = [{dimension}] : {}", ty.text());
            self.emit(ty.clone(), &text);
            return;
        }
        let y = self.same(x, ty);
        let mut result = ty.clone();
        result.shape[dimension] *= 2;
        let (from, to) = (ty.text(), result.text());
        self.emit(
            result,
            &format!(
                "stablehlo.concatenate {x}, {y}, dim = {dimension} : ({from}, {from}) -> {to}"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_eval::evaluate;

    #[test]
    fn every_program_is_valid_and_runs() {
        let context = strata_ir::new_context();
        for seed in 0..150 {
            let values = if seed % 2 == 0 { Values::Tame } else { Values::Wild };
            let Generated { text, inputs } = random_program(seed, 12, values);
            let module = strata_ir::parse(&context, "random.mlir", text.as_bytes())
                .unwrap_or_else(|errors| panic!("{text}\n{errors}"));
            let results = evaluate(&module, Some("main"), &inputs)
                .unwrap_or_else(|error| panic!("{text}\n{}", error.render()));
            assert!(!results.is_empty());
        }
    }

    #[test]
    fn a_seed_decides_everything() {
        let first = random_program(7, 10, Values::Wild);
        let again = random_program(7, 10, Values::Wild);
        assert_eq!(first.text, again.text);
        assert_ne!(first.text, random_program(8, 10, Values::Wild).text);
    }
}
