//! Operations that move elements, of every type.

use crate::source::{Case, Source, Tensor, i64s, operands, signature};

pub fn moving(source: &mut Source) -> Case {
    let element = source.element();
    let rank = source.between(0, 4);
    let shape = source.shape(rank);
    let input = Tensor::new(&shape, &element);
    let scalar = Tensor::new(&[], &element);
    let one = |operation: String, result: Tensor| {
        let arguments = [input.clone()];
        let types = signature(&arguments, std::slice::from_ref(&result));
        Case::new(&arguments, &format!("{operation} : {types}"), &[result])
    };
    match source.below(7) {
        0 => {
            let order = source.permutation(rank as usize);
            let to: Vec<i64> = order.iter().map(|at| shape[*at]).collect();
            let order: Vec<i64> = order.iter().map(|at| *at as i64).collect();
            let operation =
                format!("\"stablehlo.transpose\"(%0) <{{permutation = {}}}>", i64s(&order));
            one(operation, Tensor::new(&to, &element))
        }
        1 => {
            let mut starts = Vec::new();
            let mut limits = Vec::new();
            let mut strides = Vec::new();
            let mut to = Vec::new();
            for size in &shape {
                let start = source.between(0, *size);
                let limit = source.between(start, *size);
                let stride = source.between(1, 3);
                to.push((limit - start + stride - 1) / stride);
                starts.push(start);
                limits.push(limit);
                strides.push(stride);
            }
            let operation = format!(
                "\"stablehlo.slice\"(%0) <{{start_indices = {}, limit_indices = {}, strides = {}}}>",
                i64s(&starts),
                i64s(&limits),
                i64s(&strides)
            );
            one(operation, Tensor::new(&to, &element))
        }
        2 => {
            let dims: Vec<i64> = source
                .subset(&(0..rank as usize).collect::<Vec<_>>())
                .into_iter()
                .map(|dim| dim as i64)
                .collect();
            let operation = format!("\"stablehlo.reverse\"(%0) <{{dimensions = {}}}>", i64s(&dims));
            one(operation, input.clone())
        }
        3 => {
            let extra = source.between(0, 2);
            let rank_to = rank + extra;
            let mut dims = source.choose(rank as usize, rank_to as usize);
            if source.once_in(2) {
                dims.sort_unstable();
            }
            let mut to = source.shape(rank_to);
            for (dim, place) in dims.iter().enumerate() {
                if shape[dim] != 1 || source.once_in(2) {
                    to[*place] = shape[dim];
                }
            }
            let dims: Vec<i64> = dims.iter().map(|dim| *dim as i64).collect();
            let operation = format!(
                "\"stablehlo.broadcast_in_dim\"(%0) <{{broadcast_dimensions = {}}}>",
                i64s(&dims)
            );
            one(operation, Tensor::new(&to, &element))
        }
        4 => {
            let (mut low, mut high, mut interior, mut to) = (vec![], vec![], vec![], vec![]);
            for size in &shape {
                let inside = source.between(0, 2);
                let base = size + (size - 1).max(0) * inside;
                let before = source.between(-2, 3).max(-base);
                let after = source.between(-2, 3).max(-base - before);
                to.push(base + before + after);
                low.push(before);
                high.push(after);
                interior.push(inside);
            }
            let arguments = [input.clone(), scalar];
            let result = Tensor::new(&to, &element);
            let operation = format!(
                "\"stablehlo.pad\"(%0, %1) <{{edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}}}> : {}",
                i64s(&low),
                i64s(&high),
                i64s(&interior),
                signature(&arguments, std::slice::from_ref(&result))
            );
            Case::new(&arguments, &operation, &[result])
        }
        5 if rank > 0 => {
            let dim = source.below(rank) as usize;
            let count = source.between(1, 3) as usize;
            let mut to = shape.clone();
            to[dim] = 0;
            let arguments: Vec<_> = (0..count)
                .map(|_| {
                    let mut part = shape.clone();
                    part[dim] = source.size();
                    to[dim] += part[dim];
                    Tensor::new(&part, &element)
                })
                .collect();
            let result = Tensor::new(&to, &element);
            let operation = format!(
                "\"stablehlo.concatenate\"({}) <{{dimension = {dim} : i64}}> : {}",
                operands(count),
                signature(&arguments, std::slice::from_ref(&result))
            );
            Case::new(&arguments, &operation, &[result])
        }
        _ => {
            let arguments = [Tensor::new(&shape, "i1"), input.clone(), input.clone()];
            let types = signature(&arguments, std::slice::from_ref(&input));
            Case::new(&arguments, &format!("\"stablehlo.select\"(%0, %1, %2) : {types}"), &[input])
        }
    }
}

pub fn dynamic(source: &mut Source) -> Case {
    let element = source.element();
    let rank = source.between(0, 3);
    let shape = source.shape(rank);
    let part: Vec<i64> = shape.iter().map(|size| source.between(0, *size)).collect();
    let index = source.pick(&["i32", "i64", "ui8", "i8", "ui32", "i4"]);
    let updates = source.once_in(2);
    let mut arguments = vec![Tensor::new(&shape, &element)];
    if updates {
        arguments.push(Tensor::new(&part, &element));
    }
    arguments.extend((0..rank).map(|_| Tensor::new(&[], index)));
    let all = operands(arguments.len());
    let result = Tensor::new(if updates { &shape } else { &part }, &element);
    let types = signature(&arguments, std::slice::from_ref(&result));
    let operation = if updates {
        format!("\"stablehlo.dynamic_update_slice\"({all}) : {types}")
    } else {
        let sizes = i64s(&part);
        format!("\"stablehlo.dynamic_slice\"({all}) <{{slice_sizes = {sizes}}}> : {types}")
    };
    Case::new(&arguments, &operation, &[result])
}
