//! Operations that move elements.

use super::{MOST_ELEMENTS, Value, Writer};
use crate::source::{Lines as _, Tensor};

impl Writer<'_> {
    pub(super) fn movement(&mut self) {
        let value = self.any();
        match self.source.below(8) {
            0 => self.transpose(&value),
            1 => self.reverse(&value),
            2 => self.slice(&value),
            3 => self.pad(&value),
            4 => self.concatenate(&value),
            5 => self.broadcast(&value),
            6 => self.reshape(&value),
            _ => self.cut_and_join(&value),
        }
    }

    fn transpose(&mut self, value: &Value) {
        let order = self.source.permutation(value.ty.shape.len());
        let shape: Vec<i64> = order.iter().map(|at| value.ty.shape[*at]).collect();
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!(
            "stablehlo.transpose {}, dims = {order:?} : ({}) -> {ty}",
            value.name, value.ty
        );
        self.emit(ty, value.exact, &text);
    }

    fn reverse(&mut self, value: &Value) {
        let all: Vec<usize> = (0..value.ty.shape.len()).collect();
        let dims = self.source.subset(&all);
        let text = format!("stablehlo.reverse {}, dims = {dims:?} : {}", value.name, value.ty);
        self.emit(value.ty.clone(), value.exact, &text);
    }

    fn slice(&mut self, value: &Value) {
        let (mut ranges, mut shape) = (Vec::new(), Vec::new());
        for size in value.ty.shape.clone() {
            let start = self.source.between(0, size);
            let limit = self.source.between(start, size);
            let step = self.source.pick(&[1, 1, 2]);
            ranges.push(format!("{start}:{limit}:{step}"));
            shape.push((limit - start + step - 1) / step);
        }
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!(
            "stablehlo.slice {} [{}] : ({}) -> {ty}",
            value.name,
            ranges.join(", "),
            value.ty
        );
        self.emit(ty, value.exact, &text);
    }

    fn pad(&mut self, value: &Value) {
        let scalar = Tensor::new(&[], &value.ty.element);
        let filler = self.of_type(&scalar);
        let (mut low, mut high, mut interior, mut shape) = (vec![], vec![], vec![], vec![]);
        for size in value.ty.shape.clone() {
            let inside = self.source.pick(&[0, 0, 1]);
            let base = size + (size - 1).max(0) * inside;
            let before = self.source.between(-1, 2).max(-base);
            let after = self.source.between(-1, 1).max(-base - before);
            low.push(before);
            high.push(after);
            interior.push(inside);
            shape.push(base + before + after);
        }
        if shape.iter().product::<i64>() > MOST_ELEMENTS {
            return;
        }
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!(
            "stablehlo.pad {}, {}, low = {low:?}, high = {high:?}, interior = {interior:?} : ({}, {scalar}) -> {ty}",
            value.name, filler.name, value.ty
        );
        self.emit(ty, value.exact && filler.exact, &text);
    }

    fn concatenate(&mut self, value: &Value) {
        let rank = value.ty.shape.len() as i64;
        if rank == 0 {
            return;
        }
        let dim = self.source.below(rank) as usize;
        let count = self.source.between(1, 3) as usize;
        let mut parts = vec![value.clone()];
        for _ in 1..count {
            let (shape, element) = (value.ty.shape.clone(), value.ty.element.clone());
            let fits = |one: &Value| {
                one.ty.element == element
                    && one.ty.shape.len() == shape.len()
                    && (0..shape.len()).all(|at| at == dim || one.ty.shape[at] == shape[at])
            };
            parts.extend(self.find(fits));
        }
        self.join(&parts, dim);
    }

    /// The concatenation of `parts` along `dim`.
    fn join(&mut self, parts: &[Value], dim: usize) {
        let mut shape = parts[0].ty.shape.clone();
        shape[dim] = parts.iter().map(|part| part.ty.shape[dim]).sum();
        if shape.iter().product::<i64>() > MOST_ELEMENTS {
            return;
        }
        let ty = Tensor::new(&shape, &parts[0].ty.element);
        let names: Vec<_> = parts.iter().map(|part| part.name.clone()).collect();
        let types: Vec<_> = parts.iter().map(|part| part.ty.to_string()).collect();
        let text = format!(
            "stablehlo.concatenate {}, dim = {dim} : ({}) -> {ty}",
            names.join(", "),
            types.join(", ")
        );
        self.emit(ty, parts.iter().all(|part| part.exact), &text);
    }

    /// Two slices of one value, concatenated in reverse order.
    fn cut_and_join(&mut self, value: &Value) {
        let rank = value.ty.shape.len() as i64;
        if rank == 0 {
            return;
        }
        let dim = self.source.below(rank) as usize;
        let size = value.ty.shape[dim];
        let cut = self.source.between(0, size);
        let mut parts = Vec::new();
        for (start, limit) in [(cut, size), (0, cut)] {
            let mut shape = value.ty.shape.clone();
            shape[dim] = limit - start;
            let ty = Tensor::new(&shape, &value.ty.element);
            let ranges: Vec<_> = (0..shape.len())
                .map(|at| {
                    if at == dim { format!("{start}:{limit}") } else { format!("0:{}", shape[at]) }
                })
                .collect();
            let text = format!(
                "stablehlo.slice {} [{}] : ({}) -> {ty}",
                value.name,
                ranges.join(", "),
                value.ty
            );
            parts.push(Value { name: self.define(&text), ty, exact: value.exact });
        }
        self.join(&parts, dim);
    }

    fn broadcast(&mut self, value: &Value) {
        let rank = value.ty.shape.len();
        let size = self.source.pick(&self.sizes);
        let place = self.source.below(rank as i64 + 1) as usize;
        let mut shape = value.ty.shape.clone();
        shape.insert(place, size);
        if rank > 2 || shape.iter().product::<i64>() > MOST_ELEMENTS {
            return;
        }
        // A dimension of one element may be expanded, too.
        if let Some(unit) = (0..shape.len()).find(|at| *at != place && shape[*at] == 1) {
            shape[unit] = self.source.pick(&[1, 3]);
        }
        let dims: Vec<usize> = (0..=rank).filter(|at| *at != place).collect();
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!(
            "stablehlo.broadcast_in_dim {}, dims = {dims:?} : ({}) -> {ty}",
            value.name, value.ty
        );
        self.emit(ty, value.exact, &text);
    }

    fn reshape(&mut self, value: &Value) {
        let old = &value.ty.shape;
        let shape = match self.source.below(4) {
            0 => vec![old.iter().product()],
            1 => {
                let mut shape = old.clone();
                shape.insert(self.source.below(old.len() as i64 + 1) as usize, 1);
                shape
            }
            2 => old.iter().copied().filter(|size| *size != 1).collect(),
            _ => {
                let mut shape = old.clone();
                match shape.iter().position(|size| *size > 2 && size % 2 == 0) {
                    Some(at) => {
                        shape[at] /= 2;
                        shape.insert(at, 2);
                    }
                    None => shape.reverse(),
                }
                shape
            }
        };
        if shape.len() > 4 {
            return;
        }
        let ty = Tensor::new(&shape, &value.ty.element);
        let text = format!("stablehlo.reshape {} : ({}) -> {ty}", value.name, value.ty);
        self.emit(ty, value.exact, &text);
    }
}
