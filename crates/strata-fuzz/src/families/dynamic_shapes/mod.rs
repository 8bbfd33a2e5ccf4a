//! Programs with dimension variables, as exporters write them: sizes are computed by the program, and shapes of results follow
//! from them.

mod dim;
mod movement;
mod sums;

use std::fmt::Write as _;

use strata_verify::Tolerance;

use self::dim::Dim;
use crate::source::{Case, Lines, Source, is_float, join};

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

impl Lines for Writer<'_> {
    fn lines(&mut self) -> (&mut usize, &mut String) {
        (&mut self.next, &mut self.text)
    }
}

impl Writer<'_> {
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
        if self.source.once_in(2) {
            self.assert_least();
        }
        arguments
    }

    /// That no variable is 0, as JAX asserts of its symbolic sizes; in some programs that one is more.
    fn assert_least(&mut self) {
        for own in self.variables.clone() {
            let least = if self.source.once_in(8) { 2 } else { 1 };
            let number = self.number(least);
            let holds = self.define(&format!(
                "stablehlo.compare GE, {own}, {number} : (tensor<i32>, tensor<i32>) -> tensor<i1>"
            ));
            self.line(&format!(
                "stablehlo.custom_call @shape_assertion({holds}, {own}) {{api_version = 2 : i32, \
                 error_message = \"{{0}} is less than {least}\", has_side_effect = true}} : (tensor<i1>, tensor<i32>) -> ()"
            ));
        }
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
        match self.source.below(25) {
            0..=3 => self.pointwise(),
            4 => self.new_value(),
            5 => self.broadcast(),
            6 => self.transpose_or_reverse(),
            7..=9 => self.reduce(),
            10 => self.reduce_two(),
            11 => self.argmax(),
            12 | 13 => self.dot(),
            14 if self.source.once_in(2) => self.stack(),
            14 => self.concatenate(),
            15 => self.pad(),
            16 => self.reshape(),
            17 => self.slice(),
            18 => self.sort(),
            19 => self.window(),
            20 => self.gather(),
            21 => self.scatter(),
            22 => self.repeat(),
            23 => self.random(),
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

    /// Random bits with the dimensions of a value, and the state after them.
    fn random(&mut self) {
        let Some(like) = self.find(|value| !value.dims.is_empty()) else { return };
        let algorithm = self.source.pick(&["THREE_FRY", "PHILOX", "DEFAULT"]);
        let element = self.source.pick(&["i32", "i32", "i8"]);
        let (list, list_ty) = self.shape(&like.dims);
        let key = self.source.below(1 << 40);
        let state = self.define(&format!(
            "stablehlo.constant dense<[{key}, 18446744073709551614]> : tensor<2xui64>"
        ));
        let bits = ty(&like.dims, element);
        let drawn = self.name();
        self.line(&format!(
            "{drawn}:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator({state}, {list}) \
             {{api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}} : \
             (tensor<2xui64>, {list_ty}) -> (tensor<2xui64>, {bits})"
        ));
        let two = Dim::known(2);
        let text =
            format!("stablehlo.bitcast_convert {drawn}#0 : (tensor<2xui64>) -> tensor<2x2xi32>");
        self.emit(&[two.clone(), two], "i32", true, &text);
        self.values.push(Value {
            name: format!("{drawn}#1"),
            dims: like.dims,
            element,
            exact: true,
        });
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
