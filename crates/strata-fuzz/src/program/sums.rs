//! Operations that combine elements or choose them: sums, windows, dots, gathers, sorts.

use super::{MOST_ELEMENTS, Value, Writer};
use crate::source::{Lines as _, Tensor, is_complex, is_float, join};

impl Writer<'_> {
    pub(super) fn sum(&mut self) {
        let Some(value) = self.find(|value| !value.ty.shape.is_empty()) else { return };
        match self.source.below(4) {
            0 | 1 => self.reduce(&value),
            2 => self.window(&value),
            _ => self.largest_and_its_index(&value),
        }
    }

    /// How elements are combined, and whether both sides get the same bits.
    fn combination(&mut self, element: &str) -> (&'static str, bool) {
        match element {
            "i1" => (self.source.pick(&["and", "or", "xor"]), true),
            _ if is_complex(element) => ("add", false),
            "f8E4M3FN" => ("maximum", true),
            _ if is_float(element) => {
                self.source.pick(&[("add", false), ("maximum", true), ("minimum", true)])
            }
            _ => (self.source.pick(&["add", "maximum", "minimum", "xor"]), true),
        }
    }

    fn reduce(&mut self, value: &Value) {
        let all: Vec<usize> = (0..value.ty.shape.len()).collect();
        let mut dims = self.source.subset(&all);
        if dims.is_empty() {
            dims.push(self.source.pick(&all));
        }
        let shape: Vec<i64> =
            all.iter().filter(|at| !dims.contains(at)).map(|at| value.ty.shape[*at]).collect();
        let (name, alike) = self.combination(&value.ty.element);
        let scalar = Tensor::new(&[], &value.ty.element);
        let start = if self.source.once_in(3) {
            self.of_type(&scalar)
        } else {
            Value { name: self.splat(&scalar, 0), ty: scalar.clone(), exact: true }
        };
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!(
            "stablehlo.reduce({} init: {}) applies stablehlo.{name} across dimensions = {dims:?} : \
             ({}, {scalar}) -> {ty}",
            value.name, start.name, value.ty
        );
        self.emit(ty, value.exact && start.exact && alike, &text);
    }

    /// A running sum, or the sum of neighbours.
    fn window(&mut self, value: &Value) {
        let rank = value.ty.shape.len();
        let dim = self.source.below(rank as i64) as usize;
        let size = value.ty.shape[dim];
        if size == 0 {
            return;
        }
        let runs = self.source.once_in(2);
        let reach = if runs { size } else { self.source.between(1, size.min(3)) };
        let low = if runs { size - 1 } else { self.source.between(0, reach - 1) };
        let (mut windows, mut padding, mut shape) =
            (vec![1; rank], vec!["[0, 0]".to_owned(); rank], value.ty.shape.clone());
        windows[dim] = reach;
        padding[dim] = format!("[{low}, 0]");
        shape[dim] = size + low - reach + 1;
        let (name, alike) = self.combination(&value.ty.element);
        let scalar = Tensor::new(&[], &value.ty.element);
        let start = self.splat(&scalar, 0);
        let (a, b, c) = (self.name(), self.name(), self.name());
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!(
            "\"stablehlo.reduce_window\"({}, {start}) <{{window_dimensions = array<i64: {}>, padding = \
             dense<[{}]> : tensor<{rank}x2xi64>}}> ({{\n  ^bb0({a}: {scalar}, {b}: {scalar}):\n    \
             {c} = stablehlo.{name} {a}, {b} : {scalar}\n    stablehlo.return {c} : {scalar}\n  }}) : \
             ({}, {scalar}) -> {ty}",
            value.name,
            join(&windows),
            padding.join(", "),
            value.ty
        );
        self.emit(ty, value.exact && alike, &text);
    }

    /// Two results of one reduction. Integers only: what is the largest beside a NaN depends on the order.
    fn largest_and_its_index(&mut self, value: &Value) {
        let element = value.ty.element.clone();
        if is_float(&element) || element == "i1" {
            return;
        }
        let dim = self.source.below(value.ty.shape.len() as i64) as usize;
        let mut shape = value.ty.shape.clone();
        shape.remove(dim);
        let positions = Tensor::new(&value.ty.shape, "i32");
        let scalars = [Tensor::new(&[], &element), Tensor::new(&[], "i32")];
        let results = [Tensor::new(&shape, &element), Tensor::new(&shape, "i32")];
        let iota = self.define(&format!("stablehlo.iota dim = {dim} : {positions}"));
        let (start, zero) = (self.splat(&scalars[0], 0), self.number(0));
        let name = self.name();
        let [a, i, b, j, p, q] = std::array::from_fn(|_| self.name());
        self.line(&format!(
            "{name}:2 = \"stablehlo.reduce\"({}, {iota}, {start}, {zero}) <{{dimensions = array<i64: {dim}>}}> ({{\n  \
             ^bb0({a}: {s0}, {i}: {s1}, {b}: {s0}, {j}: {s1}):\n    \
             {p} = stablehlo.compare GE, {a}, {b} : ({s0}, {s0}) -> tensor<i1>\n    \
             {q} = stablehlo.select {p}, {i}, {j} : tensor<i1>, {s1}\n    \
             {q}m = stablehlo.maximum {a}, {b} : {s0}\n    \
             stablehlo.return {q}m, {q} : {s0}, {s1}\n  }}) : ({}, {positions}, {s0}, {s1}) -> ({}, {})",
            value.name,
            value.ty,
            results[0],
            results[1],
            s0 = scalars[0],
            s1 = scalars[1],
        ));
        self.values.push(Value { name: format!("{name}#0"), ty: results[0].clone(), exact: true });
        // Which of several equal elements is meant depends on the order: nothing may depend on it.
    }

    pub(super) fn product(&mut self) {
        let fits = |value: &Value| {
            !value.ty.shape.is_empty() && !matches!(value.ty.element.as_str(), "i1" | "f8E4M3FN")
        };
        let Some(left) = self.find(fits) else { return };
        let at = self.source.below(left.ty.shape.len() as i64) as usize;
        let (size, element) = (left.ty.shape[at], left.ty.element.clone());
        let fits = |value: &Value| value.ty.element == element && value.ty.shape.contains(&size);
        let Some(right) = self.find(fits) else { return };
        let other = right.ty.shape.iter().position(|one| *one == size).unwrap_or(0);
        let free = |value: &Value, gone: usize| -> Vec<i64> {
            (0..value.ty.shape.len())
                .filter(|dim| *dim != gone)
                .map(|dim| value.ty.shape[dim])
                .collect()
        };
        let shape = [free(&left, at), free(&right, other)].concat();
        if shape.len() > 3 || shape.iter().product::<i64>() * size > 4 * MOST_ELEMENTS {
            return;
        }
        let ty = Tensor::new(&shape, &element);
        let exact = left.exact && right.exact && !is_float(&element);
        let text = format!(
            "stablehlo.dot_general {}, {}, contracting_dims = [{at}] x [{other}] : ({}, {}) -> {ty}",
            left.name, right.name, left.ty, right.ty
        );
        self.emit(ty, exact, &text);
    }

    pub(super) fn gather_or_sort(&mut self) {
        let Some(value) = self.find(|value| !value.ty.shape.is_empty()) else { return };
        match self.source.below(3) {
            0 => self.sort(&value),
            _ => self.gather(&value),
        }
    }

    /// Rows of a value at computed or constant indices.
    fn gather(&mut self, value: &Value) {
        if value.ty.shape[0] == 0 {
            return;
        }
        let known = self.find(|one| one.ty.element == "i32" && one.ty.shape.len() == 1);
        let indices = match known {
            Some(indices) if self.source.once_in(2) => indices,
            _ => {
                let count = self.source.between(1, 5);
                let ty = Tensor::new(&[count], "i32");
                let positions: Vec<i64> =
                    (0..count).map(|_| self.source.between(-2, value.ty.shape[0] + 1)).collect();
                let text = format!("stablehlo.constant dense<{positions:?}> : {ty}");
                Value { name: self.define(&text), ty, exact: true }
            }
        };
        let mut shape = value.ty.shape.clone();
        shape[0] = indices.ty.shape[0];
        if shape.iter().product::<i64>() > MOST_ELEMENTS {
            return;
        }
        let mut sizes = value.ty.shape.clone();
        sizes[0] = 1;
        let window: Vec<usize> = (1..shape.len()).collect();
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!(
            "\"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [{}], \
             collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = \
             array<i64: {}>, indices_are_sorted = false}}> : ({}, {}) -> {ty}",
            value.name,
            indices.name,
            join(&window),
            join(&sizes),
            value.ty,
            indices.ty
        );
        self.emit(ty, value.exact, &text);
    }

    /// A sort by one value that another one follows.
    fn sort(&mut self, value: &Value) {
        let element = value.ty.element.clone();
        if !value.exact || is_complex(&element) || element == "i1" {
            return;
        }
        let shape = value.ty.shape.clone();
        let follower = self.find(|one| one.ty.shape == shape).unwrap_or_else(|| value.clone());
        let dim = self.source.below(shape.len() as i64);
        let scalars = [Tensor::new(&[], &element), Tensor::new(&[], &follower.ty.element)];
        let name = self.name();
        let [a, b, c, d, p] = std::array::from_fn(|_| self.name());
        let order = if is_float(&element) { ", TOTALORDER" } else { "" };
        let direction = self.source.pick(&["LT", "GT"]);
        self.line(&format!(
            "{name}:2 = \"stablehlo.sort\"({}, {}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  \
             ^bb0({a}: {s0}, {b}: {s0}, {c}: {s1}, {d}: {s1}):\n    \
             {p} = stablehlo.compare {direction}, {a}, {b}{order} : ({s0}, {s0}) -> tensor<i1>\n    \
             stablehlo.return {p} : tensor<i1>\n  }}) : ({t0}, {t1}) -> ({t0}, {t1})",
            value.name,
            follower.name,
            s0 = scalars[0],
            s1 = scalars[1],
            t0 = value.ty,
            t1 = follower.ty,
        ));
        for (at, one) in [value, &follower].into_iter().enumerate() {
            self.values.push(Value { name: format!("{name}#{at}"), ..one.clone() });
        }
    }
}
