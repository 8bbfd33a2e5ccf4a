//! `reduce`, `reduce_window` and `select_and_scatter`.

use crate::source::{Case, Source, Tensor, combiner, i64s, is_complex, operands, pairs, signature};

fn summed(case: Case, elements: &[String]) -> Case {
    // Sums of narrow numbers depend on their order the most: one tolerance for all results.
    let order = ["f4", "f6", "f8", "bf16", "f16", "f32", "complex<f32>", "f64", "complex<f64>"];
    let narrowest = order.iter().find_map(|kind| elements.iter().find(|one| one.starts_with(kind)));
    match narrowest {
        Some(element) => case.summed(element),
        None => case,
    }
}

pub fn reduce(source: &mut Source) -> Case {
    let rank = source.between(0, 4);
    let shape = source.shape(rank);
    let count = if source.once_in(3) { 2 } else { 1 };
    let elements: Vec<String> = (0..count).map(|_| source.element()).collect();
    let dims: Vec<usize> = source.subset(&(0..rank as usize).collect::<Vec<_>>());
    let order = source.permutation(dims.len());
    let dimensions: Vec<i64> = order.iter().map(|at| dims[*at] as i64).collect();
    let kept: Vec<i64> =
        (0..rank as usize).filter(|dim| !dims.contains(dim)).map(|dim| shape[dim]).collect();
    let mut arguments: Vec<_> = elements.iter().map(|one| Tensor::new(&shape, one)).collect();
    arguments.extend(elements.iter().map(|one| Tensor::new(&[], one)));
    let results: Vec<_> = elements.iter().map(|one| Tensor::new(&kept, one)).collect();
    let region = combiner(source, &elements);
    let operation = format!(
        "\"stablehlo.reduce\"({}) <{{dimensions = {}}}> {region} : {}",
        operands(arguments.len()),
        i64s(&dimensions),
        signature(&arguments, &results),
    );
    summed(Case::new(&arguments, &operation, &results), &elements)
}

/// The dilated size.
fn dilated(size: i64, dilation: i64) -> i64 {
    if size == 0 { 0 } else { (size - 1) * dilation + 1 }
}

/// How a window moves along one dimension, and its number of positions.
pub struct Along {
    pub window: i64,
    pub stride: i64,
    pub base_dilation: i64,
    pub dilation: i64,
    pub padding: (i64, i64),
    pub positions: i64,
}

impl Along {
    pub fn draw(source: &mut Source, size: i64, dilates: bool) -> Self {
        let often_one =
            |source: &mut Source| if source.once_in(2) { 1 } else { source.between(1, 3) };
        let window = source.between(1, 3);
        let stride = often_one(source);
        let base_dilation = if dilates { often_one(source) } else { 1 };
        let dilation = if dilates { often_one(source) } else { 1 };
        let base = dilated(size, base_dilation);
        let low = source.between(-1, 2).max(-base);
        let high = source.between(-1, 3).max(-base - low);
        let padded = low + base + high;
        let reach = dilated(window, dilation);
        let positions = if padded < reach { 0 } else { (padded - reach) / stride + 1 };
        Self { window, stride, base_dilation, dilation, padding: (low, high), positions }
    }
}

pub fn reduce_window(source: &mut Source) -> Case {
    let rank = source.between(0, 4);
    let shape = source.shape(rank);
    let count = if source.once_in(4) { 2 } else { 1 };
    let elements: Vec<String> = (0..count).map(|_| source.element()).collect();
    let along: Vec<_> = shape.iter().map(|size| Along::draw(source, *size, true)).collect();
    let all = |field: fn(&Along) -> i64| i64s(&along.iter().map(field).collect::<Vec<_>>());
    let positions: Vec<_> = along.iter().map(|one| one.positions).collect();
    let padding: Vec<_> = along.iter().map(|one| one.padding).collect();
    let mut arguments: Vec<_> = elements.iter().map(|one| Tensor::new(&shape, one)).collect();
    arguments.extend(elements.iter().map(|one| Tensor::new(&[], one)));
    let results: Vec<_> = elements.iter().map(|one| Tensor::new(&positions, one)).collect();
    let region = combiner(source, &elements);
    let operation = format!(
        "\"stablehlo.reduce_window\"({}) <{{window_dimensions = {}, window_strides = {}, base_dilations = {}, \
         window_dilations = {}, padding = {}}}> {region} : {}",
        operands(arguments.len()),
        all(|one| one.window),
        all(|one| one.stride),
        all(|one| one.base_dilation),
        all(|one| one.dilation),
        pairs(&padding),
        signature(&arguments, &results),
    );
    summed(Case::new(&arguments, &operation, &results), &elements)
}

pub fn select_and_scatter(source: &mut Source) -> Case {
    let rank = source.between(1, 3);
    let shape = source.shape(rank);
    let mut element = source.element();
    while is_complex(&element) {
        element = source.element();
    }
    let along: Vec<_> = shape.iter().map(|size| Along::draw(source, *size, false)).collect();
    let all = |field: fn(&Along) -> i64| i64s(&along.iter().map(field).collect::<Vec<_>>());
    let positions: Vec<_> = along.iter().map(|one| one.positions).collect();
    let padding: Vec<_> = along.iter().map(|one| one.padding).collect();
    let operand = Tensor::new(&shape, &element);
    let scalar = Tensor::new(&[], &element);
    let arguments = [operand.clone(), Tensor::new(&positions, &element), scalar.clone()];
    let direction = source.pick(&["GE", "GT", "LE"]);
    let region = combiner(source, std::slice::from_ref(&element));
    let operation = format!(
        "\"stablehlo.select_and_scatter\"(%0, %1, %2) <{{window_dimensions = {}, window_strides = {}, \
         padding = {}}}> ({{\n  ^bb0(%x: {scalar}, %y: {scalar}):\n    \
         %s = stablehlo.compare {direction}, %x, %y : ({scalar}, {scalar}) -> tensor<i1>\n    \
         stablehlo.return %s : tensor<i1>\n  }}, {} : {}",
        all(|one| one.window),
        all(|one| one.stride),
        pairs(&padding),
        region.trim_start_matches('('),
        signature(&arguments, std::slice::from_ref(&operand)),
    );
    Case::new(&arguments, &operation, &[operand]).summed(&element)
}
