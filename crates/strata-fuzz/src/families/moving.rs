//! Operations that move elements, of every type.

use crate::source::{Case, Source, Tensor, i64s, operands, signature};

pub fn moving(source: &mut Source) -> Case {
    let element = source.element();
    let rank = source.between(0, 4);
    let shape = source.shape(rank);
    let input = Tensor::new(&shape, &element);
    match source.below(7) {
        0 => transpose(source, &input),
        1 => slice(source, &input),
        2 => {
            let all: Vec<_> = (0..rank as usize).collect();
            let dims: Vec<i64> = source.subset(&all).into_iter().map(|dim| dim as i64).collect();
            let operation = format!("\"stablehlo.reverse\"(%0) <{{dimensions = {}}}>", i64s(&dims));
            of_one(&input, &operation, input.clone())
        }
        3 => broadcast(source, &input),
        4 => pad(source, &input),
        5 if rank > 0 => concatenate(source, &input),
        _ => {
            let arguments = [Tensor::new(&shape, "i1"), input.clone(), input.clone()];
            let types = signature(&arguments, std::slice::from_ref(&input));
            Case::new(&arguments, &format!("\"stablehlo.select\"(%0, %1, %2) : {types}"), &[input])
        }
    }
}

/// An operation on one tensor.
fn of_one(input: &Tensor, operation: &str, result: Tensor) -> Case {
    let arguments = [input.clone()];
    let types = signature(&arguments, std::slice::from_ref(&result));
    Case::new(&arguments, &format!("{operation} : {types}"), &[result])
}

fn transpose(source: &mut Source, input: &Tensor) -> Case {
    let order = source.permutation(input.shape.len());
    let to: Vec<i64> = order.iter().map(|at| input.shape[*at]).collect();
    let order: Vec<i64> = order.iter().map(|at| *at as i64).collect();
    let operation = format!("\"stablehlo.transpose\"(%0) <{{permutation = {}}}>", i64s(&order));
    of_one(input, &operation, Tensor::new(&to, &input.element))
}

fn slice(source: &mut Source, input: &Tensor) -> Case {
    let (mut starts, mut limits, mut strides, mut to) = (vec![], vec![], vec![], vec![]);
    for size in &input.shape {
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
    of_one(input, &operation, Tensor::new(&to, &input.element))
}

fn broadcast(source: &mut Source, input: &Tensor) -> Case {
    let rank = input.shape.len();
    let rank_to = rank as i64 + source.between(0, 2);
    let mut dims = source.choose(rank, rank_to as usize);
    if source.once_in(2) {
        dims.sort_unstable();
    }
    let mut to = source.shape(rank_to);
    for (dim, place) in dims.iter().enumerate() {
        if input.shape[dim] != 1 || source.once_in(2) {
            to[*place] = input.shape[dim];
        }
    }
    let dims: Vec<i64> = dims.iter().map(|dim| *dim as i64).collect();
    let operation =
        format!("\"stablehlo.broadcast_in_dim\"(%0) <{{broadcast_dimensions = {}}}>", i64s(&dims));
    of_one(input, &operation, Tensor::new(&to, &input.element))
}

fn pad(source: &mut Source, input: &Tensor) -> Case {
    let (mut low, mut high, mut interior, mut to) = (vec![], vec![], vec![], vec![]);
    for size in &input.shape {
        let inside = source.between(0, 2);
        let base = size + (size - 1).max(0) * inside;
        let before = source.between(-2, 3).max(-base);
        let after = source.between(-2, 3).max(-base - before);
        to.push(base + before + after);
        low.push(before);
        high.push(after);
        interior.push(inside);
    }
    let arguments = [input.clone(), Tensor::new(&[], &input.element)];
    let result = Tensor::new(&to, &input.element);
    let operation = format!(
        "\"stablehlo.pad\"(%0, %1) <{{edge_padding_low = {}, edge_padding_high = {}, interior_padding = {}}}> : {}",
        i64s(&low),
        i64s(&high),
        i64s(&interior),
        signature(&arguments, std::slice::from_ref(&result))
    );
    Case::new(&arguments, &operation, &[result])
}

fn concatenate(source: &mut Source, input: &Tensor) -> Case {
    let dim = source.below(input.shape.len() as i64) as usize;
    let count = source.between(1, 3) as usize;
    let mut to = input.shape.clone();
    to[dim] = 0;
    let mut piece = || {
        let mut piece = input.shape.clone();
        piece[dim] = source.size();
        to[dim] += piece[dim];
        Tensor::new(&piece, &input.element)
    };
    let arguments: Vec<_> = (0..count).map(|_| piece()).collect();
    let result = Tensor::new(&to, &input.element);
    let operation = format!(
        "\"stablehlo.concatenate\"({}) <{{dimension = {dim} : i64}}> : {}",
        operands(count),
        signature(&arguments, std::slice::from_ref(&result))
    );
    Case::new(&arguments, &operation, &[result])
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
