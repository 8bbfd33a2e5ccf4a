//! Programs with dimension variables, as exporters write them: sizes are computed by the program, and shapes of results follow
//! from them.

use std::{collections::BTreeMap, fmt::Write as _};

use strata_verify::Tolerance;

use crate::source::{Case, Source, i64s, is_float, join};

/// Products of variables with their factors.
type Terms = BTreeMap<Vec<usize>, i64>;

/// A size: a polynomial in variables. A variable stands for a dimension of an input, or for a quotient of sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Dim(Terms);

impl Dim {
    fn known(size: i64) -> Self {
        Self(if size == 0 { Terms::new() } else { Terms::from([(Vec::new(), size)]) })
    }

    fn variable(at: usize) -> Self {
        Self(Terms::from([(vec![at], 1)]))
    }

    /// Its value, if it has no variable.
    fn number(&self) -> Option<i64> {
        match self.0.first_key_value() {
            None => Some(0),
            Some((factors, number)) => (factors.is_empty() && self.0.len() == 1).then_some(*number),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut terms = self.0.clone();
        for (factors, number) in &other.0 {
            *terms.entry(factors.clone()).or_default() += number;
        }
        terms.retain(|_, number| *number != 0);
        Self(terms)
    }

    fn times(&self, other: &Self) -> Self {
        let mut terms = Terms::new();
        for (left, by) in &self.0 {
            for (right, times) in &other.0 {
                let mut factors = [&left[..], right].concat();
                factors.sort_unstable();
                *terms.entry(factors).or_default() += by * times;
            }
        }
        Self(terms)
    }

    fn degree(&self) -> usize {
        self.0.keys().map(Vec::len).max().unwrap_or(0)
    }
}

/// A value in scope.
#[derive(Clone, Debug)]
struct Value {
    name: String,
    dims: Vec<Dim>,
    element: &'static str,
    /// Whether both sides compute the same bits.
    exact: bool,
}

impl Value {
    fn ty(&self) -> String {
        ty(&self.dims, self.element)
    }

    fn is_float(&self) -> bool {
        is_float(self.element)
    }
}

fn ty(dims: &[Dim], element: &str) -> String {
    let mut text = String::from("tensor<");
    for dim in dims {
        match dim.number() {
            Some(size) => write!(text, "{size}x").expect("a string takes all text"),
            None => text.push_str("?x"),
        }
    }
    text + element + ">"
}

const ELEMENTS: [&str; 6] = ["f32", "f32", "i32", "i32", "i8", "f64"];

/// Sizes and polynomials of sizes stay small: no value has more dimensions or factors.
const LARGEST_RANK: usize = 3;
const LARGEST_DEGREE: usize = 2;

struct Writer<'s> {
    source: &'s mut Source,
    values: Vec<Value>,
    /// The scalar of each variable.
    variables: Vec<String>,
    /// Quotients that are variables: dividend, divisor and the variable.
    quotients: Vec<(Dim, i64, usize)>,
    /// Values that were flattened, with their dimensions.
    flattened: Vec<(Dim, Vec<Dim>)>,
    next: usize,
    text: String,
}

/// A program of one to three dimension variables.
pub fn program(source: &mut Source) -> Case {
    let mut writer = Writer {
        source,
        values: Vec::new(),
        variables: Vec::new(),
        quotients: Vec::new(),
        flattened: Vec::new(),
        next: 0,
        text: String::new(),
    };
    let arguments = writer.arguments();
    for _ in 0..writer.source.between(3, 9) {
        writer.step();
    }
    writer.finish(&arguments)
}

impl Writer<'_> {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").expect("a string takes all text");
    }

    fn define(&mut self, operation: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {operation}"));
        name
    }

    fn emit(&mut self, dims: &[Dim], element: &'static str, exact: bool, operation: &str) {
        let name = self.define(operation);
        self.values.push(Value { name, dims: dims.to_vec(), element, exact });
    }

    /// Inputs whose sizes are the variables, each asserted to be the same wherever it occurs again.
    fn arguments(&mut self) -> Vec<String> {
        let variables = self.source.between(1, 2) as usize;
        let mut arguments = Vec::new();
        for at in 0..self.source.between(2, 4) as usize {
            let mut dims = Vec::new();
            if at < variables {
                dims.push(Dim::variable(at));
            }
            for _ in 0..self.source.between(i64::from(at >= variables), 1) {
                dims.push(match self.source.below(3) {
                    0 => Dim::known(self.source.pick(&[1, 2, 3, 5])),
                    _ => Dim::variable(self.source.below(variables as i64) as usize),
                });
            }
            let element = self.source.pick(&ELEMENTS);
            let name = self.name();
            let value = Value { name, dims, element, exact: true };
            arguments.push(format!("{}: {}", value.name, value.ty()));
            self.values.push(value);
        }
        let mut known: Vec<Option<String>> = vec![None; variables];
        for value in self.values.clone() {
            for (dim, size) in
                value.dims.iter().enumerate().filter(|(_, size)| size.number().is_none())
            {
                let factors = size.0.keys().next().expect("a variable");
                let own = self.define(&format!(
                    "stablehlo.get_dimension_size {}, dim = {dim} : ({}) -> tensor<i32>",
                    value.name,
                    value.ty()
                ));
                let Some(first) = known[factors[0]].clone() else {
                    known[factors[0]] = Some(own);
                    continue;
                };
                let same = self.define(&format!(
                    "stablehlo.compare EQ, {own}, {first} : (tensor<i32>, tensor<i32>) -> tensor<i1>"
                ));
                self.line(&format!(
                    "stablehlo.custom_call @shape_assertion({same}, {own}, {first}) {{api_version = 2 : i32, \
                     error_message = \"{{0}} is not {{1}}\", has_side_effect = true}} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()"
                ));
            }
        }
        self.variables = known.into_iter().map(|name| name.expect("each is a dimension")).collect();
        arguments
    }

    /// The scalar that is this size.
    fn scalar(&mut self, dim: &Dim) -> String {
        let mut sum: Option<String> = None;
        for (factors, number) in dim.0.clone() {
            let mut term: Option<String> = None;
            for factor in factors {
                let own = self.variables[factor].clone();
                term = Some(match term {
                    None => own,
                    Some(term) => {
                        self.define(&format!("stablehlo.multiply {term}, {own} : tensor<i32>"))
                    }
                });
            }
            let term = match term {
                Some(term) if number == 1 => term,
                Some(term) => {
                    let by = self.number(number);
                    self.define(&format!("stablehlo.multiply {term}, {by} : tensor<i32>"))
                }
                None => self.number(number),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.define(&format!("stablehlo.add {sum}, {term} : tensor<i32>")),
            });
        }
        match sum {
            Some(sum) => sum,
            None => self.number(0),
        }
    }

    fn number(&mut self, number: i64) -> String {
        self.define(&format!("stablehlo.constant dense<{number}> : tensor<i32>"))
    }

    /// A list of sizes, and its type.
    fn shape(&mut self, dims: &[Dim]) -> (String, String) {
        let ty = format!("tensor<{}xi32>", dims.len());
        if dims.is_empty() {
            return (self.define("stablehlo.constant dense<> : tensor<0xi32>"), ty);
        }
        let parts: Vec<_> = dims
            .iter()
            .map(|dim| {
                let scalar = self.scalar(dim);
                self.define(&format!("stablehlo.reshape {scalar} : (tensor<i32>) -> tensor<1xi32>"))
            })
            .collect();
        if let [only] = &parts[..] {
            return (only.clone(), ty);
        }
        let types = vec!["tensor<1xi32>"; parts.len()];
        let list = self.define(&format!(
            "stablehlo.concatenate {}, dim = 0 : ({}) -> {ty}",
            join(&parts),
            join(&types)
        ));
        (list, ty)
    }

    /// The quotient of a size, rounded down.
    fn quotient(&mut self, dim: &Dim, by: i64) -> Dim {
        if let Some(size) = dim.number() {
            return Dim::known(size.div_euclid(by));
        }
        if let Some((.., at)) =
            self.quotients.iter().find(|(own, divisor, _)| own == dim && *divisor == by)
        {
            return Dim::variable(*at);
        }
        let (scalar, divisor) = (self.scalar(dim), self.number(by));
        let name = self.define(&format!("stablehlo.divide {scalar}, {divisor} : tensor<i32>"));
        self.variables.push(name);
        let at = self.variables.len() - 1;
        self.quotients.push((dim.clone(), by, at));
        Dim::variable(at)
    }

    /// A value that fits, with newer ones more likely.
    fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let found: Vec<Value> = self.values.iter().filter(|value| fits(value)).cloned().collect();
        let count = found.len() as i64;
        let back = self.source.below(count).min(self.source.below(count));
        found.get((count - 1 - back).max(0) as usize).cloned()
    }

    fn any(&mut self) -> Value {
        self.find(|_| true).expect("there are arguments")
    }

    /// A value with dimensions, and one of them: more likely a dynamic one.
    fn any_dim(&mut self, fits: impl Fn(&Value) -> bool) -> Option<(Value, usize)> {
        let value = self.find(|value| !value.dims.is_empty() && fits(value))?;
        let dynamic: Vec<_> =
            (0..value.dims.len()).filter(|at| value.dims[*at].number().is_none()).collect();
        let dim = if dynamic.is_empty() || self.source.once_in(4) {
            self.source.below(value.dims.len() as i64) as usize
        } else {
            self.source.pick(&dynamic)
        };
        Some((value, dim))
    }

    fn any_size(&mut self) -> Dim {
        let sizes: Vec<Dim> = self.values.iter().flat_map(|value| value.dims.clone()).collect();
        match self.source.below(4) {
            0 => Dim::known(self.source.pick(&[1, 2, 3])),
            _ => self.source.pick(&sizes),
        }
    }

    fn constant(&mut self, element: &str, number: i64) -> String {
        let literal = if is_float(element) { format!("{number}.0") } else { number.to_string() };
        self.define(&format!("stablehlo.constant dense<{literal}> : tensor<{element}>"))
    }

    /// A scalar with these dimensions.
    fn splat(&mut self, scalar: &str, element: &'static str, dims: &[Dim]) -> String {
        let (list, list_ty) = self.shape(dims);
        self.define(&format!(
            "stablehlo.dynamic_broadcast_in_dim {scalar}, {list}, dims = [] : (tensor<{element}>, {list_ty}) -> {}",
            ty(dims, element)
        ))
    }

    fn step(&mut self) {
        match self.source.below(24) {
            0..=3 => self.pointwise(),
            4 => self.new_value(),
            5 => self.broadcast(),
            6 => self.transpose_or_reverse(),
            7..=9 => self.reduce(),
            10 => self.reduce_two(),
            11 => self.argmax(),
            12 | 13 => self.dot(),
            14 => self.concatenate(),
            15 => self.pad(),
            16 => self.reshape(),
            17 => self.slice(),
            18 => self.sort(),
            19 => self.window(),
            20 => self.gather(),
            21 => self.scatter(),
            22 => self.repeat(),
            _ => self.choose(),
        }
    }

    fn pointwise(&mut self) {
        let left = self.any();
        let (dims, element) = (left.dims.clone(), left.element);
        let right = self
            .find(|value| value.dims == dims && value.element == element)
            .unwrap_or_else(|| left.clone());
        let ty = left.ty();
        let exact = left.exact && right.exact;
        match self.source.below(6) {
            0 if left.is_float() => {
                let name = self.source.pick(&["exponential", "tanh", "log", "rsqrt", "sqrt"]);
                let abs = self.define(&format!("stablehlo.abs {} : {ty}", left.name));
                self.emit(&dims, element, false, &format!("stablehlo.{name} {abs} : {ty}"));
            }
            // Padding that is 0 becomes NaN, whose sign is open: no order may depend on it.
            1 if left.is_float() => {
                let text = format!("stablehlo.divide {}, {} : {ty}", left.name, right.name);
                self.emit(&dims, element, false, &text);
            }
            2 => {
                let name = if left.is_float() { "negate" } else { "not" };
                self.emit(&dims, element, exact, &format!("stablehlo.{name} {} : {ty}", left.name));
            }
            3 => {
                let to = self.source.pick(&["f32", "i32", "f64"]);
                if left.is_float() == is_float(to) {
                    let text = format!(
                        "stablehlo.convert {} : ({ty}) -> {}",
                        left.name,
                        self::ty(&dims, to)
                    );
                    self.emit(&dims, to, exact, &text);
                }
            }
            _ => {
                let name = self.source.pick(&["add", "subtract", "multiply", "maximum", "minimum"]);
                let text = format!("stablehlo.{name} {}, {} : {ty}", left.name, right.name);
                self.emit(&dims, element, exact, &text);
            }
        }
    }

    /// A number, an iota, or a size as a number.
    fn new_value(&mut self) {
        let like = self.any();
        let (dims, element) = (like.dims.clone(), like.element);
        match self.source.below(3) {
            0 if !dims.is_empty() && element != "i8" => {
                let (list, list_ty) = self.shape(&dims);
                let dim = self.source.below(dims.len() as i64);
                let text = format!(
                    "stablehlo.dynamic_iota {list}, dim = {dim} : ({list_ty}) -> {}",
                    like.ty()
                );
                self.emit(&dims, element, true, &text);
            }
            1 if element != "i8" => {
                let size = self.any_size();
                let mut scalar = self.scalar(&size);
                if element != "i32" {
                    scalar = self.define(&format!(
                        "stablehlo.convert {scalar} : (tensor<i32>) -> tensor<{element}>"
                    ));
                }
                let name = self.splat(&scalar, element, &dims);
                self.values.push(Value { name, dims, element, exact: true });
            }
            _ => {
                let number = self.source.between(-2, 3);
                let scalar = self.constant(element, number);
                let name = self.splat(&scalar, element, &dims);
                self.values.push(Value { name, dims, element, exact: true });
            }
        }
    }

    fn broadcast(&mut self) {
        let Some(value) = self.find(|value| value.dims.len() < LARGEST_RANK) else { return };
        let size = self.any_size();
        let at = self.source.below(value.dims.len() as i64 + 1) as usize;
        let mut dims = value.dims.clone();
        dims.insert(at, size);
        let (list, list_ty) = self.shape(&dims);
        let kept: Vec<_> = (0..dims.len()).filter(|dim| *dim != at).collect();
        let text = format!(
            "stablehlo.dynamic_broadcast_in_dim {}, {list}, dims = {kept:?} : ({}, {list_ty}) -> {}",
            value.name,
            value.ty(),
            ty(&dims, value.element)
        );
        self.emit(&dims, value.element, value.exact, &text);
    }

    fn transpose_or_reverse(&mut self) {
        let Some((value, dim)) = self.any_dim(|_| true) else { return };
        if self.source.once_in(2) {
            let text = format!("stablehlo.reverse {}, dims = [{dim}] : {}", value.name, value.ty());
            return self.emit(&value.dims, value.element, value.exact, &text);
        }
        let order = self.source.permutation(value.dims.len());
        let dims: Vec<_> = order.iter().map(|at| value.dims[*at].clone()).collect();
        let text = format!(
            "stablehlo.transpose {}, dims = {order:?} : ({}) -> {}",
            value.name,
            value.ty(),
            ty(&dims, value.element)
        );
        self.emit(&dims, value.element, value.exact, &text);
    }

    /// Along one dimension or several, from any initial value.
    fn reduce(&mut self) {
        let Some((value, dim)) = self.any_dim(|_| true) else { return };
        let all: Vec<usize> = (0..value.dims.len()).collect();
        let mut along = self.source.subset(&all);
        along.push(dim);
        along.sort_unstable();
        along.dedup();
        let dims: Vec<_> =
            all.iter().filter(|at| !along.contains(at)).map(|at| value.dims[*at].clone()).collect();
        let names: &[&str] = match value.is_float() {
            true => &["add", "add", "maximum", "minimum"],
            false => &["add", "maximum", "minimum", "multiply", "xor", "and", "or"],
        };
        let name = self.source.pick(names);
        let exact = value.exact && (!value.is_float() || name != "add");
        let first = self.source.pick(&[0, 0, 1, -3, 7]);
        let first = self.constant(value.element, first);
        let text = format!(
            "stablehlo.reduce({} init: {first}) applies stablehlo.{name} across dimensions = {along:?} : ({}, tensor<{}>) -> {}",
            value.name,
            value.ty(),
            value.element,
            ty(&dims, value.element)
        );
        self.emit(&dims, value.element, exact, &text);
    }

    /// Two reductions in one, each of its own kind and initial value.
    fn reduce_two(&mut self) {
        let Some((left, dim)) = self.any_dim(|value| !value.is_float()) else { return };
        let own = left.dims.clone();
        let right = self
            .find(|value| value.dims == own && !value.is_float())
            .unwrap_or_else(|| left.clone());
        let mut dims = left.dims.clone();
        dims.remove(dim);
        let firsts = [self.source.between(-2, 10), self.source.between(-2, 10)];
        let names: [&str; 2] = std::array::from_fn(|_| {
            self.source.pick(&["add", "multiply", "maximum", "xor", "and"])
        });
        let starts =
            [self.constant(left.element, firsts[0]), self.constant(right.element, firsts[1])];
        let scalars = [format!("tensor<{}>", left.element), format!("tensor<{}>", right.element)];
        let result = self.name();
        let [a, b, c, d, p, q] = std::array::from_fn(|_| self.name());
        self.line(&format!(
            "{result}:2 = \"stablehlo.reduce\"({}, {}, {}, {}) <{{dimensions = array<i64: {dim}>}}> ({{\n  \
             ^bb0({a}: {s0}, {b}: {s1}, {c}: {s0}, {d}: {s1}):\n    \
             {p} = stablehlo.{} {a}, {c} : {s0}\n    \
             {q} = stablehlo.{} {b}, {d} : {s1}\n    \
             stablehlo.return {p}, {q} : {s0}, {s1}\n  }}) : ({}, {}, {s0}, {s1}) -> ({}, {})",
            left.name,
            right.name,
            starts[0],
            starts[1],
            names[0],
            names[1],
            left.ty(),
            right.ty(),
            ty(&dims, left.element),
            ty(&dims, right.element),
            s0 = scalars[0],
            s1 = scalars[1],
        ));
        for (at, value) in [left, right].into_iter().enumerate() {
            let exact = value.exact;
            self.values.push(Value {
                name: format!("{result}#{at}"),
                dims: dims.clone(),
                element: value.element,
                exact,
            });
        }
    }

    /// The largest element and the first of its positions, as JAX writes it; the initial value may be the largest.
    fn argmax(&mut self) {
        let Some((value, dim)) = self.any_dim(|value| value.element != "i8") else { return };
        let mut dims = value.dims.clone();
        dims.remove(dim);
        let (list, list_ty) = self.shape(&value.dims);
        let positions_ty = ty(&value.dims, "i32");
        let positions = self.define(&format!(
            "stablehlo.dynamic_iota {list}, dim = {dim} : ({list_ty}) -> {positions_ty}"
        ));
        let first = self.source.pick(&[-100_000, 0, 1]);
        let (start, zero) = (self.constant(value.element, first), self.number(0));
        let (element, result) = (format!("tensor<{}>", value.element), self.name());
        let [a, i, b, j, p, q, r, t, u, w] = std::array::from_fn(|_| self.name());
        self.line(&format!(
            "{result}:2 = \"stablehlo.reduce\"({}, {positions}, {start}, {zero}) <{{dimensions = array<i64: {dim}>}}> ({{\n  \
             ^bb0({a}: {element}, {i}: tensor<i32>, {b}: {element}, {j}: tensor<i32>):\n    \
             {p} = stablehlo.compare GT, {a}, {b} : ({element}, {element}) -> tensor<i1>\n    \
             {q} = stablehlo.compare NE, {a}, {a} : ({element}, {element}) -> tensor<i1>\n    \
             {r} = stablehlo.or {p}, {q} : tensor<i1>\n    \
             {t} = stablehlo.compare EQ, {a}, {b} : ({element}, {element}) -> tensor<i1>\n    \
             {u} = stablehlo.compare LT, {i}, {j} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    \
             {w} = stablehlo.and {t}, {u} : tensor<i1>\n    \
             {w}r = stablehlo.or {r}, {w} : tensor<i1>\n    \
             {w}v = stablehlo.select {r}, {a}, {b} : tensor<i1>, {element}\n    \
             {w}i = stablehlo.select {w}r, {i}, {j} : tensor<i1>, tensor<i32>\n    \
             stablehlo.return {w}v, {w}i : {element}, tensor<i32>\n  }}) : ({}, {positions_ty}, {element}, tensor<i32>) -> ({}, {})",
            value.name,
            value.ty(),
            ty(&dims, value.element),
            ty(&dims, "i32"),
        ));
        // Where rounding decides, so does it about the position.
        for (at, element) in [(0, value.element), (1, "i32")] {
            if at == 0 || value.exact {
                let name = format!("{result}#{at}");
                self.values.push(Value { name, dims: dims.clone(), element, exact: value.exact });
            }
        }
    }

    fn dot(&mut self) {
        let Some((left, at)) = self.any_dim(|_| true) else { return };
        let (size, element) = (left.dims[at].clone(), left.element);
        let Some(right) = self.find(|value| {
            value.element == element
                && value.dims.contains(&size)
                && value.dims.len() < LARGEST_RANK
        }) else {
            return;
        };
        let by = right.dims.iter().position(|dim| *dim == size).expect("it has the size");
        let free = |value: &Value, dim: usize| {
            let mut dims = value.dims.clone();
            dims.remove(dim);
            dims
        };
        let dims = [free(&left, at), free(&right, by)].concat();
        if dims.len() > LARGEST_RANK {
            return;
        }
        let text = format!(
            "stablehlo.dot_general {}, {}, contracting_dims = [{at}] x [{by}] : ({}, {}) -> {}",
            left.name,
            right.name,
            left.ty(),
            right.ty(),
            ty(&dims, element)
        );
        self.emit(&dims, element, left.exact && right.exact && !left.is_float(), &text);
    }

    fn concatenate(&mut self) {
        let Some((left, dim)) = self.any_dim(|_| true) else { return };
        let others = |value: &Value| {
            let mut dims = value.dims.clone();
            if dim < dims.len() {
                dims.remove(dim);
            }
            dims
        };
        let (own, element, rank) = (others(&left), left.element, left.dims.len());
        let right = self
            .find(|value| {
                value.element == element && value.dims.len() == rank && others(value) == own
            })
            .unwrap_or_else(|| left.clone());
        let mut dims = left.dims.clone();
        dims[dim] = left.dims[dim].plus(&right.dims[dim]);
        let text = format!(
            "stablehlo.concatenate {}, {}, dim = {dim} : ({}, {}) -> {}",
            left.name,
            right.name,
            left.ty(),
            right.ty(),
            ty(&dims, element)
        );
        self.emit(&dims, element, left.exact && right.exact, &text);
    }

    fn pad(&mut self) {
        let Some((value, dim)) = self.any_dim(|_| true) else { return };
        let (low, high) = (self.source.between(0, 2), self.source.between(0, 2));
        let rank = value.dims.len();
        let (mut lows, mut highs) = (vec![0; rank], vec![0; rank]);
        (lows[dim], highs[dim]) = (low, high);
        let mut dims = value.dims.clone();
        dims[dim] = dims[dim].plus(&Dim::known(low + high));
        let filler = self.source.between(-1, 1);
        let filler = self.constant(value.element, filler);
        let text = format!(
            "stablehlo.pad {}, {filler}, low = {lows:?}, high = {highs:?}, interior = {:?} : ({}, tensor<{}>) -> {}",
            value.name,
            vec![0; rank],
            value.ty(),
            value.element,
            ty(&dims, value.element)
        );
        self.emit(&dims, value.element, value.exact, &text);
    }

    /// Flattens a value, or gives one that has as many elements other dimensions again.
    fn reshape(&mut self) {
        let value = self.any();
        let count = value.dims.iter().fold(Dim::known(1), |count, dim| count.times(dim));
        let split = self.flattened.iter().find(|(own, _)| value.dims.len() == 1 && *own == count);
        let dims = match split {
            Some((_, dims)) => {
                let order = dims.clone();
                if self.source.once_in(2) { order.into_iter().rev().collect() } else { order }
            }
            None if value.dims.len() < 2 || count.degree() > LARGEST_DEGREE => return,
            None => {
                self.flattened.push((count.clone(), value.dims.clone()));
                vec![count]
            }
        };
        let (list, list_ty) = self.shape(&dims);
        let text = format!(
            "stablehlo.dynamic_reshape {}, {list} : ({}, {list_ty}) -> {}",
            value.name,
            value.ty(),
            ty(&dims, value.element)
        );
        self.emit(&dims, value.element, value.exact, &text);
    }

    /// The first half, the second half, or every second element.
    fn slice(&mut self) {
        let Some((value, dim)) = self.any_dim(|_| true) else { return };
        let size = value.dims[dim].clone();
        let kind = self.source.below(3);
        let half = match kind {
            2 => self.quotient(&size.plus(&Dim::known(1)), 2),
            _ => self.quotient(&size, 2),
        };
        let mut dims = value.dims.clone();
        let rank = dims.len();
        let (mut starts, mut limits, mut steps) =
            (vec![Dim::known(0); rank], value.dims.clone(), vec![Dim::known(1); rank]);
        match kind {
            0 => {
                limits[dim] = half.clone();
                dims[dim] = half;
            }
            1 => {
                starts[dim] = half.clone();
                dims[dim] = size.plus(&half.times(&Dim::known(-1)));
            }
            _ => {
                steps[dim] = Dim::known(2);
                dims[dim] = half;
            }
        }
        let lists = [starts, limits, steps].map(|list| self.shape(&list));
        let text = format!(
            "stablehlo.real_dynamic_slice {}, {}, {}, {} : ({}, {t}, {t}, {t}) -> {}",
            value.name,
            lists[0].0,
            lists[1].0,
            lists[2].0,
            value.ty(),
            ty(&dims, value.element),
            t = lists[0].1
        );
        self.emit(&dims, value.element, value.exact, &text);
    }

    /// Keys, with a second operand that follows them.
    fn sort(&mut self) {
        let Some((keys, dim)) = self.any_dim(|value| value.exact) else { return };
        let own = keys.dims.clone();
        let other = self.find(|value| value.dims == own).unwrap_or_else(|| keys.clone());
        let order = self.source.pick(&["LT", "GT"]);
        let kind = if keys.is_float() { "TOTALORDER" } else { "SIGNED" };
        let result = self.name();
        let [a, b, c, d, p] = std::array::from_fn(|_| self.name());
        let (s, t) = (format!("tensor<{}>", keys.element), format!("tensor<{}>", other.element));
        self.line(&format!(
            "{result}:2 = \"stablehlo.sort\"({}, {}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  \
             ^bb0({a}: {s}, {b}: {s}, {c}: {t}, {d}: {t}):\n    \
             {p} = stablehlo.compare {order}, {a}, {b}, {kind} : ({s}, {s}) -> tensor<i1>\n    \
             stablehlo.return {p} : tensor<i1>\n  }}) : ({k}, {o}) -> ({k}, {o})",
            keys.name,
            other.name,
            k = keys.ty(),
            o = other.ty(),
        ));
        for (at, value) in [keys, other].into_iter().enumerate() {
            self.values.push(Value { name: format!("{result}#{at}"), ..value });
        }
    }

    /// Three neighbours, or pairs of adjacent elements.
    fn window(&mut self) {
        let Some((value, dim)) = self.any_dim(|_| true) else { return };
        let is_pooling = self.source.once_in(2);
        let rank = value.dims.len();
        let (mut windows, mut strides, mut padding) =
            (vec![1; rank], vec![1; rank], vec!["[0, 0]".to_owned(); rank]);
        let mut dims = value.dims.clone();
        if is_pooling {
            (windows[dim], strides[dim]) = (2, 2);
            padding[dim] = "[0, 1]".to_owned();
            dims[dim] = self.quotient(&dims[dim].plus(&Dim::known(1)), 2);
        } else {
            windows[dim] = 3;
            padding[dim] = "[1, 1]".to_owned();
        }
        let name = self.source.pick(&["add", "maximum", "minimum"]);
        let exact = value.exact && (!value.is_float() || name != "add");
        let first = self.source.pick(&[0, 0, 2, -5]);
        let first = self.constant(value.element, first);
        let [a, b, c] = std::array::from_fn(|_| self.name());
        let scalar = format!("tensor<{}>", value.element);
        let text = format!(
            "\"stablehlo.reduce_window\"({}, {first}) <{{window_dimensions = {}, window_strides = {}, padding = \
             dense<[{}]> : tensor<{rank}x2xi64>}}> ({{\n  ^bb0({a}: {scalar}, {b}: {scalar}):\n    \
             {c} = stablehlo.{name} {a}, {b} : {scalar}\n    stablehlo.return {c} : {scalar}\n  }}) : \
             ({}, {scalar}) -> {}",
            value.name,
            i64s(&windows),
            i64s(&strides),
            padding.join(", "),
            value.ty(),
            ty(&dims, value.element)
        );
        self.emit(&dims, value.element, exact, &text);
    }

    /// A list of places in one column.
    fn places(&mut self) -> Option<(String, Dim)> {
        let list =
            self.find(|value| value.element == "i32" && value.dims.len() == 1 && value.exact)?;
        let dims = [list.dims[0].clone(), Dim::known(1)];
        let (shape, shape_ty) = self.shape(&dims);
        let name = self.define(&format!(
            "stablehlo.dynamic_reshape {}, {shape} : ({}, {shape_ty}) -> {}",
            list.name,
            list.ty(),
            ty(&dims, "i32")
        ));
        Some((name, list.dims[0].clone()))
    }

    /// Elements at places that are clamped.
    fn gather(&mut self) {
        let Some(value) = self.find(|value| value.dims.len() == 1) else { return };
        // There is none to take where the size may be 0.
        let filler = self.constant(value.element, 1);
        let one = self.define(&format!(
            "stablehlo.reshape {filler} : (tensor<{e}>) -> tensor<1x{e}>",
            e = value.element
        ));
        let longer = vec![value.dims[0].plus(&Dim::known(1))];
        let sized = self.define(&format!(
            "stablehlo.concatenate {}, {one}, dim = 0 : ({}, tensor<1x{}>) -> {}",
            value.name,
            value.ty(),
            value.element,
            ty(&longer, value.element)
        ));
        let Some((places, count)) = self.places() else { return };
        let source = Value { name: sized, dims: longer, ..value.clone() };
        let text = format!(
            "\"stablehlo.gather\"({}, {places}) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], \
             start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}}> : ({}, {}) -> {}",
            source.name,
            source.ty(),
            ty(&[count.clone(), Dim::known(1)], "i32"),
            ty(std::slice::from_ref(&count), value.element)
        );
        self.emit(&[count], value.element, value.exact, &text);
    }

    /// Elements added where places say; those that are outside are dropped.
    fn scatter(&mut self) {
        let Some(value) = self.find(|value| value.dims.len() == 1 && !value.is_float()) else {
            return;
        };
        let Some((places, count)) = self.places() else { return };
        let element = value.element;
        let own = count.clone();
        let Some(updates) =
            self.find(|other| other.element == element && other.dims[..] == [own.clone()])
        else {
            return;
        };
        let name = self.source.pick(&["add", "maximum", "multiply"]);
        let [a, b, c] = std::array::from_fn(|_| self.name());
        let scalar = format!("tensor<{element}>");
        let text = format!(
            "\"stablehlo.scatter\"({}, {places}, {}) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], \
             scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{\n  ^bb0({a}: {scalar}, {b}: {scalar}):\n    \
             {c} = stablehlo.{name} {a}, {b} : {scalar}\n    stablehlo.return {c} : {scalar}\n  }}) : ({}, {}, {}) -> {}",
            value.name,
            updates.name,
            value.ty(),
            ty(&[count, Dim::known(1)], "i32"),
            updates.ty(),
            value.ty()
        );
        self.emit(&value.dims, element, value.exact && updates.exact, &text);
    }

    /// A loop that runs as often as a size says, or as an element says.
    fn repeat(&mut self) {
        let state = self.any();
        let same = (state.dims.clone(), state.element);
        let other = self
            .find(|value| (value.dims.clone(), value.element) == same)
            .unwrap_or_else(|| state.clone());
        let size = self.any_size();
        let (end, zero, one) = (self.scalar(&size), self.number(0), self.number(1));
        let name = self.source.pick(&["subtract", "maximum", "add"]);
        let result = self.name();
        let [i, x, p, j, y] = std::array::from_fn(|_| self.name());
        let ty = state.ty();
        self.line(&format!(
            "{result}:2 = stablehlo.while({i} = {zero}, {x} = {}) : tensor<i32>, {ty}\n    \
             cond {{\n    {p} = stablehlo.compare LT, {i}, {end} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    \
             stablehlo.return {p} : tensor<i1>\n  }} do {{\n    \
             {j} = stablehlo.add {i}, {one} : tensor<i32>\n    \
             {y} = stablehlo.{name} {}, {x} : {ty}\n    stablehlo.return {j}, {y} : tensor<i32>, {ty}\n  }}",
            state.name, other.name,
        ));
        let exact = state.exact && other.exact;
        self.values.push(Value { name: format!("{result}#1"), exact, ..state });
    }

    /// Elements of one value or another, by a comparison.
    fn choose(&mut self) {
        let left = self.find(|value| value.exact);
        let Some(left) = left else { return };
        let same = (left.dims.clone(), left.element);
        let right = self
            .find(|value| (value.dims.clone(), value.element) == same && value.exact)
            .unwrap_or_else(|| left.clone());
        let (t, b) = (left.ty(), ty(&left.dims, "i1"));
        let order = self.source.pick(&["LT", "GE", "EQ", "NE"]);
        let mask = self.define(&format!(
            "stablehlo.compare {order}, {}, {} : ({t}, {t}) -> {b}",
            left.name, right.name
        ));
        let other = self.find(|value| (value.dims.clone(), value.element) == same).unwrap_or(right);
        let text = format!("stablehlo.select {mask}, {}, {} : {b}, {t}", other.name, left.name);
        self.emit(&left.dims, left.element, other.exact, &text);
    }

    fn finish(mut self, arguments: &[String]) -> Case {
        // The newest, which most of the program leads to, and others.
        let mut returned = vec![self.values[self.values.len() - 1].clone()];
        for _ in 0..self.source.between(0, 2) {
            returned.push(self.any());
        }
        let names: Vec<_> = returned.iter().map(|value| value.name.clone()).collect();
        let types: Vec<_> = returned.iter().map(Value::ty).collect();
        let types = types.join(", ");
        let text = format!(
            "func.func public @main({}) -> ({types}) {{\n{}  return {} : {types}\n}}\n",
            arguments.join(", "),
            self.text,
            names.join(", "),
        );
        let tolerance = |value: &Value| match value.exact || !value.is_float() {
            true => Tolerance::EXACT,
            false => Tolerance::default(),
        };
        Case::several(text, returned.iter().map(tolerance).collect(), true)
    }
}
