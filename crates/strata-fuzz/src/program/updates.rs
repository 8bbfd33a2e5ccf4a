//! Partial reads and writes: dynamic slices, updates, scatters.

use super::{Value, Writer};
use crate::source::{Lines as _, Tensor, join};

impl Writer<'_> {
    pub(super) fn update(&mut self) {
        let Some(value) = self.find(|value| !value.ty.shape.is_empty()) else { return };
        match self.source.below(7) {
            0 => {
                let sizes = self.part_of(&value);
                self.read_part(&value, &sizes);
            }
            1 | 2 => {
                // The written values come from another position of the same or of another buffer.
                let other = self.same(&value);
                let sizes = self.part_of(&value);
                let part = self.read_part(&other, &sizes);
                let part = if self.source.once_in(2) { self.changed(part) } else { part };
                self.write_part(&value, &part);
            }
            3 | 4 => {
                let (element, rank) = (value.ty.element.clone(), value.ty.shape.len());
                let shape = value.ty.shape.clone();
                let fits = |one: &Value| {
                    one.ty.element == element
                        && one.ty.shape.len() == rank
                        && one.ty.shape.iter().zip(&shape).all(|(part, whole)| part <= whole)
                };
                if let Some(part) = self.find(fits) {
                    self.write_part(&value, &part);
                }
            }
            5 => self.scatter(&value),
            _ => self.swapped_rows(&value),
        }
    }

    fn part_of(&mut self, value: &Value) -> Vec<i64> {
        value
            .ty
            .shape
            .iter()
            .map(|size| {
                if self.source.once_in(2) {
                    *size
                } else {
                    self.source.between(1.min(*size), *size)
                }
            })
            .collect()
    }

    fn indices(&mut self, value: &Value) -> (String, String) {
        let shape = value.ty.shape.clone();
        let names: Vec<_> = shape.iter().map(|size| self.index(*size)).collect();
        (names.join(", "), vec!["tensor<i32>"; names.len()].join(", "))
    }

    fn read_part(&mut self, value: &Value, sizes: &[i64]) -> Value {
        let (indices, types) = self.indices(value);
        let ty = Tensor::new(sizes, &value.ty.element);
        let text = format!(
            "stablehlo.dynamic_slice {}, {indices}, sizes = {sizes:?} : ({}, {types}) -> {ty}",
            value.name, value.ty
        );
        self.emit(ty, value.exact, &text);
        self.values[self.values.len() - 1].clone()
    }

    fn write_part(&mut self, value: &Value, part: &Value) {
        let (indices, types) = self.indices(value);
        let text = format!(
            "stablehlo.dynamic_update_slice {}, {}, {indices} : ({}, {}, {types}) -> {}",
            value.name, part.name, value.ty, part.ty, value.ty
        );
        self.emit(value.ty.clone(), value.exact && part.exact, &text);
    }

    /// The value, after some arithmetic.
    fn changed(&mut self, value: Value) -> Value {
        let name = match value.ty.element.as_str() {
            "i1" => "not",
            element if element.starts_with("ui") => "not",
            _ => "negate",
        };
        let text = format!("stablehlo.{name} {} : {}", value.name, value.ty);
        self.emit(value.ty.clone(), value.exact, &text);
        self.values[self.values.len() - 1].clone()
    }

    /// Swaps two rows of one value.
    fn swapped_rows(&mut self, value: &Value) {
        let mut sizes = value.ty.shape.clone();
        sizes[0] = sizes[0].min(1);
        let first = self.read_part(value, &sizes);
        let second = self.read_part(value, &sizes);
        self.write_part(value, &second);
        let between = self.values[self.values.len() - 1].clone();
        self.write_part(&between, &first);
    }

    /// Rows of a value are replaced by, or combined with, those of another.
    fn scatter(&mut self, value: &Value) {
        let count = self.source.between(1, 4);
        let mut shape = value.ty.shape.clone();
        shape[0] = count;
        let rows = Tensor::new(&shape, &value.ty.element);
        let updates = self.of_type(&rows);
        let positions: Vec<i64> =
            (0..count).map(|_| self.source.between(-1, value.ty.shape[0])).collect();
        let indices = Tensor::new(&[count, 1], "i32");
        let listed: Vec<_> = positions.iter().map(|at| format!("[{at}]")).collect();
        let at =
            self.define(&format!("stablehlo.constant dense<[{}]> : {indices}", listed.join(", ")));
        let window: Vec<usize> = (1..shape.len()).collect();
        let scalar = Tensor::new(&[], &value.ty.element);
        let (old, new, sum) = (self.name(), self.name(), self.name());
        let combine = match value.ty.element.as_str() {
            _ if self.source.once_in(2) => None,
            "i1" => Some("xor"),
            element if element.starts_with(['i', 'u']) => Some("add"),
            element if element.starts_with("complex") => None,
            _ => Some("maximum"),
        };
        let body = match combine {
            Some(name) => format!(
                "{sum} = stablehlo.{name} {old}, {new} : {scalar}\n    stablehlo.return {sum} : {scalar}"
            ),
            None => format!("stablehlo.return {new} : {scalar}"),
        };
        let text = format!(
            "\"stablehlo.scatter\"({}, {at}, {}) <{{scatter_dimension_numbers = #stablehlo.scatter<\
             update_window_dims = [{}], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], \
             index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}}> ({{\n  \
             ^bb0({old}: {scalar}, {new}: {scalar}):\n    {body}\n  }}) : ({}, {indices}, {rows}) -> {}",
            value.name,
            updates.name,
            join(&window),
            value.ty,
            value.ty
        );
        self.emit(value.ty.clone(), value.exact && updates.exact, &text);
    }
}
