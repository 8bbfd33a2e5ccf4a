//! `dot_general`, `convolution` and the batch normalisations.

use crate::{
    families::window::Along,
    source::{Case, SMALL_FLOATS, Source, Tensor, i64s, join, pairs, signature},
};

/// Element types of the operands and the result of a product.
fn dot_types(source: &mut Source) -> [String; 3] {
    let small = |source: &mut Source| source.pick(&SMALL_FLOATS[..10]).to_owned();
    let fixed = source.pick(&[
        ["f32", "f32", "f32"],
        ["f32", "f32", "f32"],
        ["f64", "f64", "f64"],
        ["f32", "f32", "f64"],
        ["bf16", "bf16", "f32"],
        ["bf16", "bf16", "bf16"],
        ["f16", "f16", "f16"],
        ["f16", "f16", "f32"],
        ["i8", "i8", "i32"],
        ["ui8", "ui8", "i32"],
        ["ui8", "i8", "i32"],
        ["i32", "i32", "i32"],
        ["i64", "i64", "i64"],
        ["ui16", "ui16", "ui32"],
        ["i4", "i4", "i32"],
        ["ui4", "ui4", "ui8"],
        ["i4", "i4", "i4"],
        ["i1", "i1", "i1"],
        ["complex<f32>", "complex<f32>", "complex<f32>"],
        ["complex<f64>", "complex<f64>", "complex<f64>"],
    ]);
    match source.below(5) {
        0 => [small(source), small(source), "f32".to_owned()],
        _ => fixed.map(str::to_owned),
    }
}

pub fn dot_general(source: &mut Source) -> Case {
    let [lhs, rhs, result] = dot_types(source);
    let roles = |source: &mut Source, most: i64| -> Vec<i64> {
        let count = source.between(0, most);
        source.shape(count)
    };
    let (batch, contract) = (roles(source, 2), roles(source, 2));
    let free = [roles(source, 2), roles(source, 2)];
    let mut numbers = Vec::new();
    let mut operands = Vec::new();
    for (free, element) in free.iter().zip([&lhs, &rhs]) {
        let sizes: Vec<i64> = batch.iter().chain(&contract).chain(free).copied().collect();
        let mut order = source.permutation(sizes.len());
        if source.once_in(2) {
            order.sort_unstable();
        }
        let place = |at: usize| order.iter().position(|other| *other == at).unwrap_or(0);
        numbers.push((0..batch.len() + contract.len()).map(place).collect::<Vec<_>>());
        // Free dimensions keep their own order, whatever it is.
        let shape: Vec<i64> = order.iter().map(|at| sizes[*at]).collect();
        operands.push(Tensor::new(&shape, element));
    }
    let mut sizes = batch.clone();
    for (operand, numbers) in operands.iter().zip(&numbers) {
        let free = (0..operand.shape.len()).filter(|dim| !numbers.contains(dim));
        sizes.extend(free.map(|dim| operand.shape[dim]));
    }
    let output = Tensor::new(&sizes, &result);
    let (lhs_batch, lhs_contract) = numbers[0].split_at(batch.len());
    let (rhs_batch, rhs_contract) = numbers[1].split_at(batch.len());
    let operation = format!(
        "\"stablehlo.dot_general\"(%0, %1) <{{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = \
         [{}], rhs_batching_dimensions = [{}], lhs_contracting_dimensions = [{}], \
         rhs_contracting_dimensions = [{}]>}}> : {}",
        join(lhs_batch),
        join(rhs_batch),
        join(lhs_contract),
        join(rhs_contract),
        signature(&operands, std::slice::from_ref(&output)),
    );
    Case::new(&operands, &operation, &[output]).summed(&result)
}

/// The dimensions of an operand: which of them is the first and the second of its roles, which are spatial.
fn layout(source: &mut Source, spatial: usize) -> Vec<usize> {
    if source.once_in(2) { source.permutation(spatial + 2) } else { (0..spatial + 2).collect() }
}

fn placed(order: &[usize], sizes: &[i64]) -> Vec<i64> {
    let mut shape = vec![0; sizes.len()];
    for (role, dim) in order.iter().enumerate() {
        shape[*dim] = sizes[role];
    }
    shape
}

pub fn convolution(source: &mut Source) -> Case {
    // Unlike a product's, its operands are of one type.
    let [lhs, _, result] = dot_types(source);
    let rhs = lhs.clone();
    let spatial = source.between(0, 3) as usize;
    let (feature_groups, batch_groups) = match source.below(4) {
        0 => (source.between(2, 3), 1),
        1 => (1, source.between(2, 3)),
        _ => (1, 1),
    };
    let inputs = source.between(1, 3);
    let outputs = source.between(1, 3) * feature_groups * batch_groups;
    let batch = source.between(1, 3) * batch_groups;
    let sizes = source.shape(spatial as i64);
    let along: Vec<_> = sizes.iter().map(|size| Along::draw(source, *size, true)).collect();
    let reversal: Vec<_> = along.iter().map(|_| source.once_in(4)).collect();
    let windows: Vec<_> = along.iter().map(|one| one.window).collect();
    let positions: Vec<_> = along.iter().map(|one| one.positions).collect();
    let orders: Vec<_> = (0..3).map(|_| layout(source, spatial)).collect();
    let with = |first: i64, second: i64, rest: &[i64]| {
        let mut all = vec![first, second];
        all.extend(rest);
        all
    };
    let input = placed(&orders[0], &with(batch, inputs * feature_groups, &sizes));
    let kernel = placed(&orders[1], &with(inputs, outputs, &windows));
    let output = placed(&orders[2], &with(batch / batch_groups, outputs, &positions));
    let names = [["b", "f"], ["i", "o"], ["b", "f"]];
    let written: Vec<_> = orders
        .iter()
        .zip(names)
        .map(|(order, names)| {
            let mut text = vec![String::new(); order.len()];
            for (role, dim) in order.iter().enumerate() {
                text[*dim] = if role < 2 { names[role].to_owned() } else { (role - 2).to_string() };
            }
            format!("[{}]", text.join(", "))
        })
        .collect();
    let all = |field: fn(&Along) -> i64| i64s(&along.iter().map(field).collect::<Vec<_>>());
    let padding: Vec<_> = along.iter().map(|one| one.padding).collect();
    let reversal = match reversal.as_slice() {
        [] => "array<i1>".to_owned(),
        _ => format!("array<i1: {}>", join(&reversal)),
    };
    let arguments = [Tensor::new(&input, &lhs), Tensor::new(&kernel, &rhs)];
    let results = [Tensor::new(&output, &result)];
    let operation = format!(
        "\"stablehlo.convolution\"(%0, %1) <{{dimension_numbers = #stablehlo.conv<{}x{}->{}>, \
         window_strides = {}, padding = {}, lhs_dilation = {}, rhs_dilation = {}, window_reversal = {reversal}, \
         feature_group_count = {feature_groups} : i64, batch_group_count = {batch_groups} : i64}}> : {}",
        written[0],
        written[1],
        written[2],
        all(|one| one.stride),
        pairs(&padding),
        all(|one| one.base_dilation),
        all(|one| one.dilation),
        signature(&arguments, &results),
    );
    Case::new(&arguments, &operation, &results).summed(&result)
}

pub fn batch_norm(source: &mut Source) -> Case {
    let element = source.pick(&["f32", "f64", "f32", "bf16", "f16"]);
    let rank = source.between(1, 4);
    let shape: Vec<i64> = (0..rank).map(|_| source.between(1, 5)).collect();
    let feature = source.below(rank) as usize;
    let full = Tensor::new(&shape, element);
    let of_feature = Tensor::new(&[shape[feature]], element);
    let (name, inputs, outputs) = source.pick(&[
        ("inference", vec![0, 1, 1, 1, 1], vec![0]),
        ("training", vec![0, 1, 1], vec![0, 1, 1]),
        ("grad", vec![0, 1, 1, 1, 0], vec![0, 1, 1]),
    ]);
    let types = |list: &[i32]| -> Vec<Tensor> {
        list.iter().map(|at| if *at == 0 { full.clone() } else { of_feature.clone() }).collect()
    };
    let (arguments, results) = (types(&inputs), types(&outputs));
    let names: Vec<_> = (0..arguments.len()).map(|at| format!("%{at}")).collect();
    let operation = format!(
        "\"stablehlo.batch_norm_{name}\"({}) <{{epsilon = 1.000000e+01 : f32, feature_index = {feature} : i64}}> : {}",
        names.join(", "),
        signature(&arguments, &results),
    );
    Case::new(&arguments, &operation, &results).summed(element).tame()
}
