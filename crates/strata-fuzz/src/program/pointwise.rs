//! Operations on each element.

use super::{Value, Writer};
use crate::source::{Tensor, is_complex, is_float};

impl Writer<'_> {
    pub(super) fn pointwise(&mut self) {
        let value = self.any();
        match self.source.below(9) {
            0 | 1 => self.unary(&value),
            2..=4 => self.binary(&value),
            5 => self.compare_and_select(&value),
            6 => self.convert(&value),
            7 => self.clamp(&value),
            _ => self.against_a_splat(&value),
        }
    }

    fn unary(&mut self, value: &Value) {
        let (ty, name) = (&value.ty, &value.name);
        let (operation, exact) = match ty.element.as_str() {
            "i1" => ("not", true),
            element if is_complex(element) => ("negate", true),
            element if is_float(element) => {
                let mut all = vec![("negate", true), ("abs", true)];
                if value.exact {
                    all.extend([("floor", true), ("sign", true), ("round_nearest_even", true)]);
                }
                all.extend([("tanh", false), ("logistic", false), ("cosine", false)]);
                self.source.pick(&all)
            }
            element if element.starts_with("ui") => {
                self.source.pick(&[("not", true), ("popcnt", true)])
            }
            _ => {
                self.source.pick(&[("negate", true), ("abs", true), ("sign", true), ("not", true)])
            }
        };
        let text = format!("stablehlo.{operation} {name} : {ty}");
        self.emit(ty.clone(), value.exact && exact, &text);
    }

    fn binary(&mut self, value: &Value) {
        let other = self.same(value);
        let exact = value.exact && other.exact;
        let ty = &value.ty;
        let names: &[&str] = match ty.element.as_str() {
            "i1" => &["and", "or", "xor"],
            // Both sides multiply complex numbers by the same formula, but may use fused multiply-add
            // differently.
            element if is_complex(element) => &["add", "subtract"],
            element if is_float(element) => &["add", "subtract", "multiply", "maximum", "minimum"],
            _ => &[
                "add",
                "subtract",
                "multiply",
                "maximum",
                "minimum",
                "and",
                "xor",
                "shift_left",
                "divide",
            ],
        };
        let name = self.source.pick(names);
        let (a, b) = if self.source.once_in(2) { (value, &other) } else { (&other, value) };
        let text = format!("stablehlo.{name} {}, {} : {ty}", a.name, b.name);
        self.emit(ty.clone(), exact, &text);
    }

    fn compare_and_select(&mut self, value: &Value) {
        let other = self.same(value);
        let ty = value.ty.clone();
        let mask_type = Tensor::new(&ty.shape, "i1");
        let mask = match self.find(|one| one.ty == mask_type) {
            Some(mask) if self.source.once_in(2) || !(value.exact && other.exact) => mask.name,
            _ if !(value.exact && other.exact) => return,
            _ => {
                let directions: &[&str] =
                    if is_complex(&ty.element) { &["EQ", "NE"] } else { &["LT", "GE", "EQ", "GT"] };
                let direction = self.source.pick(directions);
                let text = format!(
                    "stablehlo.compare {direction}, {}, {} : ({ty}, {ty}) -> {mask_type}",
                    value.name, other.name
                );
                self.emit(mask_type.clone(), true, &text);
                self.values[self.values.len() - 1].name.clone()
            }
        };
        let text =
            format!("stablehlo.select {mask}, {}, {} : {mask_type}, {ty}", other.name, value.name);
        self.emit(ty, value.exact && other.exact, &text);
    }

    /// To another element type of the program; a float has no defined value in an integer type too small for it.
    fn convert(&mut self, value: &Value) {
        let mut to = self.elements.clone();
        to.extend(["i32".to_owned(), "f32".to_owned()]);
        let element = self.source.pick(&to);
        let from = &value.ty.element;
        let defined = if is_complex(from) {
            is_complex(&element)
        } else if is_float(from) {
            is_float(&element)
        } else {
            true
        };
        if defined && *from != element {
            let ty = Tensor::new(&value.ty.shape, &element);
            let text = format!("stablehlo.convert {} : ({}) -> {ty}", value.name, value.ty);
            self.emit(ty, value.exact, &text);
        }
    }

    fn clamp(&mut self, value: &Value) {
        let ty = &value.ty;
        if is_complex(&ty.element) || ty.element == "i1" {
            return;
        }
        let (low, high) = (self.splat(ty, 0), self.splat(ty, 3));
        let text = format!("stablehlo.clamp {low}, {}, {high} : {ty}", value.name);
        self.emit(ty.clone(), value.exact, &text);
    }

    fn against_a_splat(&mut self, value: &Value) {
        let number = self.source.between(0, 3);
        let splat = Value { name: self.splat(&value.ty, number), ..value.clone() };
        let name = match value.ty.element.as_str() {
            "i1" => "xor",
            "f8E4M3FN" => "maximum",
            _ => self.source.pick(&["add", "subtract"]),
        };
        let text = format!("stablehlo.{name} {}, {} : {}", value.name, splat.name, value.ty);
        self.emit(value.ty.clone(), value.exact, &text);
    }
}
