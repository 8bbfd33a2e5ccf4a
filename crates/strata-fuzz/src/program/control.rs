//! Loops and branches.

use super::{Value, Writer};
use crate::source::{Lines as _, Tensor};

/// How deep regions are nested at most.
const DEEPEST: usize = 3;

impl Writer<'_> {
    pub(super) fn control(&mut self) {
        if self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        if self.source.below(5) < 3 {
            self.repeat()
        } else {
            self.branch()
        }
        self.depth -= 1;
    }

    fn next_value(&mut self, most: i64) -> Vec<Value> {
        (0..self.source.between(1, most)).map(|_| self.any()).collect()
    }

    fn defined(&mut self, name: &str, first: usize, types: &[Tensor], exact: &[bool]) {
        for (at, (ty, exact)) in types.iter().zip(exact).enumerate() {
            let name = format!("{name}#{}", first + at);
            self.values.push(Value { name, ty: ty.clone(), exact: *exact });
        }
    }

    /// `if`, or `case` with an index that may be out of range.
    fn branch(&mut self) {
        let types: Vec<Tensor> = self.next_value(3).into_iter().map(|value| value.ty).collect();
        let list = list(&types);
        let chosen = self.index(3);
        let is_if = self.source.once_in(2);
        let (operation, count, on) = if is_if {
            let limit = self.number(1);
            let on = self.define(&format!(
                "stablehlo.compare LT, {chosen}, {limit} : (tensor<i32>, tensor<i32>) -> tensor<i1>"
            ));
            ("if", 2, on)
        } else {
            ("case", self.source.between(1, 3), chosen)
        };
        let of = if is_if { "tensor<i1>" } else { "tensor<i32>" };
        let name = self.name();
        self.line(&format!("{name}:{} = \"stablehlo.{operation}\"({on}) ({{", types.len()));
        let mut exact = vec![true; types.len()];
        for branch in 0..count {
            let seen = self.values.len();
            let steps = self.source.below(4);
            let yielded = self.inside(steps, &types);
            for (exact, value) in exact.iter_mut().zip(&yielded) {
                *exact &= value.exact;
            }
            self.line(&format!("stablehlo.return {} : {list}", names(&yielded)));
            self.values.truncate(seen);
            let end = if branch + 1 < count {
                "}, {".to_owned()
            } else {
                format!("}}) : ({of}) -> ({list})")
            };
            self.line(&end);
        }
        self.defined(&name, 0, &types, &exact);
    }

    /// A loop of a few iterations whose carried values are updated, swapped or unchanged.
    fn repeat(&mut self) {
        let starts = self.next_value(5);
        let types: Vec<Tensor> = starts.iter().map(|value| value.ty.clone()).collect();
        let list = format!("tensor<i32>, {}", list(&types));
        let zero = self.number(0);
        let name = self.name();
        let counter = format!("{}_c", name.replace('v', "s"));
        let states: Vec<String> =
            (0..types.len()).map(|at| format!("{}_{at}", name.replace('v', "s"))).collect();
        let mut heads = vec![format!("{counter} = {zero}")];
        heads.extend(
            states.iter().zip(&starts).map(|(state, start)| format!("{state} = {}", start.name)),
        );
        self.line(&format!(
            "{name}:{} = stablehlo.while({}) : {list} cond {{",
            types.len() + 1,
            heads.join(", ")
        ));
        let trips = self.source.below(5);
        let trips = self.number(trips);
        let goes_on = self.define(&format!(
            "stablehlo.compare LT, {counter}, {trips} : (tensor<i32>, tensor<i32>) -> tensor<i1>"
        ));
        self.line(&format!("stablehlo.return {goes_on} : tensor<i1>"));
        self.line("} do {");
        let seen = self.values.len();
        for (state, start) in states.iter().zip(&starts) {
            // A carried float may come from a sum in the previous iteration.
            let exact = !crate::source::is_float(&start.ty.element);
            self.values.push(Value { name: state.clone(), ty: start.ty.clone(), exact });
        }
        self.counters.push(counter.clone());
        let steps = self.source.between(1, 5);
        for _ in 0..steps {
            self.step();
        }
        let yielded: Vec<Value> =
            types.iter().map(|ty| self.next_state(ty, seen, states.len())).collect();
        self.counters.pop();
        let one = self.number(1);
        let next = self.define(&format!("stablehlo.add {counter}, {one} : tensor<i32>"));
        self.line(&format!("stablehlo.return {next}, {} : {list}", names(&yielded)));
        self.line("}");
        self.values.truncate(seen);
        let exact: Vec<bool> =
            types.iter().map(|ty| !crate::source::is_float(&ty.element)).collect();
        self.defined(&name, 1, &types, &exact);
    }

    /// The next value of a carried value of `ty`: another carried value, a result of the iteration,
    /// or anything else.
    fn next_state(&mut self, ty: &Tensor, seen: usize, states: usize) -> Value {
        let of_type = |values: &[Value]| -> Vec<Value> {
            values.iter().filter(|value| value.ty == *ty).cloned().collect()
        };
        let old = of_type(&self.values[seen..seen + states]);
        let new = of_type(&self.values[seen + states..]);
        match self.source.below(5) {
            0 | 1 if !old.is_empty() => self.source.pick(&old),
            2 => self.of_type(ty),
            _ if !new.is_empty() => self.source.pick(&new),
            _ => self.of_type(ty),
        }
    }
}

pub(super) fn list(types: &[Tensor]) -> String {
    types.iter().map(Tensor::to_string).collect::<Vec<_>>().join(", ")
}

pub(super) fn names(values: &[Value]) -> String {
    values.iter().map(|value| value.name.clone()).collect::<Vec<_>>().join(", ")
}
