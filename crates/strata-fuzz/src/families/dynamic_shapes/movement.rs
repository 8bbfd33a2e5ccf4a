//! Operations that move elements.

use super::{Dim, LARGEST_DEGREE, LARGEST_RANK, Value, Writer, ty};
use crate::source::Lines as _;

impl Writer<'_> {
    pub(super) fn broadcast(&mut self) {
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

    pub(super) fn transpose_or_reverse(&mut self) {
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

    pub(super) fn concatenate(&mut self) {
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

    /// Two values along a dimension that they lack.
    pub(super) fn stack(&mut self) {
        let first = self.any();
        let same = (first.dims.clone(), first.element);
        let other = self
            .find(|value| (value.dims.clone(), value.element) == same)
            .unwrap_or_else(|| first.clone());
        if first.dims.len() >= LARGEST_RANK {
            return;
        }
        let dim = self.source.below(first.dims.len() as i64 + 1) as usize;
        let with = |size: i64| {
            let mut dims = first.dims.clone();
            dims.insert(dim, Dim::known(size));
            dims
        };
        let (list, list_ty) = self.shape(&with(1));
        let piece = ty(&with(1), first.element);
        let pieces = [&first, &other].map(|value| {
            self.define(&format!(
                "stablehlo.dynamic_reshape {}, {list} : ({}, {list_ty}) -> {piece}",
                value.name,
                value.ty()
            ))
        });
        let text = format!(
            "stablehlo.concatenate {}, {}, dim = {dim} : ({piece}, {piece}) -> {}",
            pieces[0],
            pieces[1],
            ty(&with(2), first.element)
        );
        self.emit(&with(2), first.element, first.exact && other.exact, &text);
    }

    pub(super) fn pad(&mut self) {
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
    pub(super) fn reshape(&mut self) {
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
    pub(super) fn slice(&mut self) {
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

    /// A list of places in one column.
    pub(super) fn places(&mut self) -> Option<(String, Dim)> {
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
    pub(super) fn gather(&mut self) {
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
    pub(super) fn scatter(&mut self) {
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
}
