//! Operations that combine elements or order them.

use super::{Dim, LARGEST_RANK, Value, Writer, ty};
use crate::source::{Lines as _, i64s};

impl Writer<'_> {
    /// Along one dimension or several, from any initial value.
    pub(super) fn reduce(&mut self) {
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
    pub(super) fn reduce_two(&mut self) {
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
    pub(super) fn argmax(&mut self) {
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

    pub(super) fn dot(&mut self) {
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

    /// Keys, with a second operand that follows them.
    pub(super) fn sort(&mut self) {
        let Some((keys, dim)) = self.any_dim(|value| value.exact) else { return };
        let own = keys.dims.clone();
        let other = self.find(|value| value.dims == own).unwrap_or_else(|| keys.clone());
        let order = self.source.pick(&["LT", "GT"]);
        let kind = if keys.is_float() { "TOTALORDER" } else { "SIGNED" };
        let result = self.name();
        let [a, b, c, d, p] = std::array::from_fn(|_| self.name());
        let (s, t) = (format!("tensor<{}>", keys.element), format!("tensor<{}>", other.element));
        // Keys alone are moved in other ways.
        let is_alone = other.name == keys.name;
        let with = |text: String| if is_alone { String::new() } else { text };
        let types = format!("{}{}", keys.ty(), with(format!(", {}", other.ty())));
        self.line(&format!(
            "{result}{} = \"stablehlo.sort\"({}{}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  \
             ^bb0({a}: {s}, {b}: {s}{}):\n    \
             {p} = stablehlo.compare {order}, {a}, {b}, {kind} : ({s}, {s}) -> tensor<i1>\n    \
             stablehlo.return {p} : tensor<i1>\n  }}) : ({types}) -> ({types})",
            with(":2".to_owned()),
            keys.name,
            with(format!(", {}", other.name)),
            with(format!(", {c}: {t}, {d}: {t}")),
        ));
        if is_alone {
            self.values.push(Value { name: result, ..keys });
            return;
        }
        for (at, value) in [keys, other].into_iter().enumerate() {
            self.values.push(Value { name: format!("{result}#{at}"), ..value });
        }
    }

    /// Three neighbours, or pairs of adjacent elements.
    pub(super) fn window(&mut self) {
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
}
