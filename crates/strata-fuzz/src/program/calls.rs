//! Functions, tuples and barriers: constructs that are removed before loops exist.

use super::{
    Value, Writer,
    control::{list, names},
};
use crate::source::{Lines as _, Tensor};

impl Writer<'_> {
    pub(super) fn call(&mut self) {
        match self.source.below(3) {
            0 => self.barrier(),
            1 => self.tuple(),
            _ => self.function(),
        }
    }

    fn some(&mut self) -> Vec<Value> {
        (0..self.source.between(1, 3)).map(|_| self.any()).collect()
    }

    /// A value of the type of `like`, exact if that one is: the function may compare it.
    fn as_exact(&mut self, like: &Value) -> Value {
        let fits = |value: &Value| value.ty == like.ty && (value.exact || !like.exact);
        self.find(fits).unwrap_or_else(|| like.clone())
    }

    fn barrier(&mut self) {
        let values = self.some();
        let types: Vec<Tensor> = values.iter().map(|value| value.ty.clone()).collect();
        let (name, types) = (self.name(), list(&types));
        self.line(&format!(
            "{name}:{} = \"stablehlo.optimization_barrier\"({}) : ({types}) -> ({types})",
            values.len(),
            names(&values)
        ));
        for (at, value) in values.into_iter().enumerate() {
            self.values.push(Value { name: format!("{name}#{at}"), ..value });
        }
    }

    fn tuple(&mut self) {
        let values = self.some();
        let types: Vec<Tensor> = values.iter().map(|value| value.ty.clone()).collect();
        let ty = format!("tuple<{}>", list(&types));
        let tuple = self.define(&format!("stablehlo.tuple {} : {ty}", names(&values)));
        let at = self.source.below(values.len() as i64) as usize;
        let value = &values[at];
        let text = format!("stablehlo.get_tuple_element {tuple}[{at}] : ({ty}) -> {}", value.ty);
        self.emit(value.ty.clone(), value.exact, &text);
    }

    /// A separate function, called once or twice.
    fn function(&mut self) {
        if self.depth > 0 {
            return;
        }
        let arguments = self.some();
        let seen = std::mem::take(&mut self.values);
        let outer = std::mem::take(&mut self.text);
        self.depth += 1;
        let mut heads = Vec::new();
        for value in &arguments {
            let name = self.name();
            heads.push(format!("{name}: {}", value.ty));
            self.values.push(Value { name, ..value.clone() });
        }
        for _ in 0..self.source.between(1, 4) {
            self.step();
        }
        let returned = self.some();
        self.depth -= 1;
        let results: Vec<Tensor> = returned.iter().map(|value| value.ty.clone()).collect();
        let results = list(&results);
        let name = format!("f{}", self.next);
        let body = std::mem::replace(&mut self.text, outer);
        self.functions += &format!(
            "func.func private @{name}({}) -> ({results}) {{\n{body}  return {} : {results}\n}}\n",
            heads.join(", "),
            names(&returned)
        );
        self.values = seen;
        for _ in 0..self.source.between(1, 2) {
            let given: Vec<Value> = arguments.iter().map(|value| self.as_exact(value)).collect();
            let exact = given.iter().all(|value| value.exact);
            let types: Vec<Tensor> = given.iter().map(|value| value.ty.clone()).collect();
            let called = self.name();
            self.line(&format!(
                "{called}:{} = func.call @{name}({}) : ({}) -> ({results})",
                returned.len(),
                names(&given),
                list(&types)
            ));
            for (at, value) in returned.iter().enumerate() {
                let exact = exact && value.exact;
                self.values.push(Value {
                    name: format!("{called}#{at}"),
                    ty: value.ty.clone(),
                    exact,
                });
            }
        }
    }
}
