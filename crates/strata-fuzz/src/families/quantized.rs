//! Quantized types: arithmetic, dots and convolutions, conversions, what moves elements, reductions and control flow. Results are
//! the same to the bit.

use crate::source::{Case, Source, Tensor, i64s, join, signature};

/// Storage types with the smallest and the largest integer of each.
const STORAGE: [(&str, i64, i64); 9] = [
    ("i8", -128, 127),
    ("i8", -128, 127),
    ("i8", -128, 127),
    ("u8", 0, 255),
    ("i4", -8, 7),
    ("u4", 0, 15),
    ("i16", -32768, 32767),
    ("u16", 0, 65535),
    ("i32", -2_147_483_648, 2_147_483_647),
];

const SCALES: [&str; 10] =
    ["1.0", "0.5", "0.1", "0.0371", "1.5", "2.0", "0.00392157", "13.0", "0.125", "0.7"];

/// What the types of one program have in common.
#[derive(Clone, Copy)]
struct Kind {
    storage: (&'static str, i64, i64),
    /// How much the bounds in use are inside of the storage type's, which operands have to share.
    inside: (i64, i64),
    expressed: &'static str,
}

impl Kind {
    fn draw(source: &mut Source) -> Self {
        let expressed = source.pick(&["f32", "f32", "f32", "f32", "bf16", "f16", "f64"]);
        let inside = source.pick(&[(0, 0), (0, 0), (0, 0), (1, 0), (2, 3)]);
        Self { storage: source.pick(&STORAGE), inside, expressed }
    }

    /// The storage type's text, and the bounds in use.
    fn range(&self) -> (String, i64, i64) {
        let (name, low, high) = self.storage;
        match self.inside {
            (0, 0) => (name.to_owned(), low, high),
            (above, below) => {
                let (low, high) = (low + above, high - below);
                (format!("{name}<{low}:{high}>"), low, high)
            }
        }
    }

    fn point(source: &mut Source, low: i64, high: i64) -> i64 {
        match source.below(4) {
            0 => low,
            1 => high,
            2 => source.between(low.max(-20), high.min(20)),
            _ => 0.clamp(low, high),
        }
    }

    /// A type with one scale; with zero point 0 if it `is_centered`.
    fn per_tensor(&self, source: &mut Source, is_centered: bool) -> String {
        let (storage, low, high) = self.range();
        let scale = source.pick(&SCALES);
        let point = if is_centered { 0.clamp(low, high) } else { Self::point(source, low, high) };
        if is_centered && point != 0 {
            return format!("!quant.uniform<{}:{}, {scale}>", self.storage.0, self.expressed);
        }
        format!("!quant.uniform<{storage}:{}, {scale}:{point}>", self.expressed)
    }

    /// A type with scales along a dimension of `count` indices.
    fn per_axis(&self, source: &mut Source, axis: usize, count: i64, is_centered: bool) -> String {
        let (mut storage, low, high) = self.range();
        if is_centered && (low > 0 || high < 0) {
            storage = self.storage.0.to_owned();
        }
        let one = |source: &mut Source| {
            let scale = source.pick(&SCALES);
            let point = if is_centered { 0 } else { Self::point(source, low, high) };
            format!("{scale}:{point}")
        };
        let all: Vec<_> = (0..count).map(|_| one(source)).collect();
        format!("!quant.uniform<{storage}:{}:{axis}, {{{}}}>", self.expressed, all.join(", "))
    }
}

/// A program of one operation on quantized tensors.
pub fn program(source: &mut Source) -> Case {
    match source.below(11) {
        0 | 1 => elementwise(source),
        2 | 3 => dot_general(source),
        4 => convolution(source),
        5 | 6 => conversions(source),
        7 => reduction(source),
        8 => moving(source),
        9 => control_flow(source),
        _ => chain(source),
    }
}

fn elementwise(source: &mut Source) -> Case {
    let kind = Kind::draw(source);
    let shape = [source.pick(&[1, 7, 33, 173])];
    let tensor = |source: &mut Source| Tensor::new(&shape, &kind.per_tensor(source, false));
    let (x, y, mut result) = (tensor(source), tensor(source), tensor(source));
    let mut arguments = vec![x.clone()];
    let operation = match source.below(8) {
        0 | 1 => {
            let exact = [
                "abs",
                "ceil",
                "floor",
                "negate",
                "round_nearest_afz",
                "round_nearest_even",
                "sign",
                "sqrt",
            ];
            let others = [
                "cbrt",
                "cosine",
                "exponential",
                "exponential_minus_one",
                "log",
                "log_plus_one",
                "logistic",
                "rsqrt",
                "sine",
                "tan",
                "tanh",
            ];
            // Of `f64` numbers approximations are not rounded away.
            let is_exact = kind.expressed == "f64" || source.once_in(2);
            let name = if is_exact { source.pick(&exact) } else { source.pick(&others) };
            format!("\"stablehlo.{name}\"(%0)")
        }
        2..=4 => {
            arguments.push(y);
            let names =
                ["add", "divide", "maximum", "minimum", "multiply", "remainder", "subtract"];
            format!("\"stablehlo.{}\"(%0, %1)", source.pick(&names))
        }
        5 => {
            arguments.push(y);
            result.element = "i1".to_owned();
            let direction = source.pick(&["EQ", "NE", "LT", "LE", "GT", "GE"]);
            format!(
                "\"stablehlo.compare\"(%0, %1) <{{comparison_direction = #stablehlo<comparison_direction \
                 {direction}>}}>"
            )
        }
        6 => {
            let bound = Tensor::new(&[], &x.element);
            arguments = vec![bound.clone(), x.clone(), bound];
            "\"stablehlo.clamp\"(%0, %1, %2)".to_owned()
        }
        _ => {
            // An operand with a scale for each index, and a result of the same.
            let kept = kind.per_axis(source, 0, shape[0], false);
            arguments = vec![Tensor::new(&shape, &kept)];
            let other = source.once_in(2);
            let element = match other {
                true => kind.per_tensor(source, false),
                false => kind.per_axis(source, 0, shape[0], false),
            };
            arguments.push(Tensor::new(&shape, &element));
            result.element = kind.per_axis(source, 0, shape[0], false);
            "\"stablehlo.add\"(%0, %1)".to_owned()
        }
    };
    let types = signature(&arguments, std::slice::from_ref(&result));
    Case::new(&arguments, &format!("{operation} : {types}"), &[result])
}

fn dot_general(source: &mut Source) -> Case {
    let kind = Kind::draw(source);
    let [batch, left, right, sum] = [(); 4].map(|()| source.pick(&[1, 2, 3, 5, 17, 40]));
    let has_batch = source.once_in(3);
    let is_transposed = source.once_in(2);
    let batches: &[i64] = if has_batch { &[batch] } else { &[] };
    let first = batches.len();
    let with = |rest: &[i64]| [batches, rest].concat();
    let lhs_shape = with(&[left, sum]);
    let rhs_shape = if is_transposed { with(&[right, sum]) } else { with(&[sum, right]) };
    let (rhs_free, rhs_sum) = if is_transposed { (first, first + 1) } else { (first + 1, first) };
    let is_per_axis = source.once_in(2);
    let rhs = match is_per_axis {
        true => kind.per_axis(source, rhs_free, right, true),
        false => kind.per_tensor(source, true),
    };
    let lhs = match source.below(8) {
        // Weights only. Sums of floats are not exact.
        0 if kind.expressed == "f32" => "f32".to_owned(),
        _ => kind.per_tensor(source, false),
    };
    let is_weights_only = lhs == "f32";
    let result_shape = with(&[left, right]);
    let result = match (is_weights_only, source.below(4)) {
        (true, _) => "f32".to_owned(),
        (_, 0) if is_per_axis => kind.per_axis(source, first + 1, right, false),
        (_, 1) => Kind { storage: source.pick(&STORAGE), ..kind }.per_tensor(source, false),
        (_, 2) => kind.expressed.to_owned(),
        _ => kind.per_tensor(source, false),
    };
    let arguments = [Tensor::new(&lhs_shape, &lhs), Tensor::new(&rhs_shape, &rhs)];
    let result = Tensor::new(&result_shape, &result);
    let batching: Vec<_> = (0..first).collect();
    let operation = format!(
        "\"stablehlo.dot_general\"(%0, %1) <{{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = \
         [{}], rhs_batching_dimensions = [{}], lhs_contracting_dimensions = [{}], \
         rhs_contracting_dimensions = [{rhs_sum}]>}}> : {}",
        join(&batching),
        join(&batching),
        first + 1,
        signature(&arguments, std::slice::from_ref(&result)),
    );
    let case = Case::new(&arguments, &operation, &[result]);
    if is_weights_only { case.tame().summed("f32") } else { case }
}

fn convolution(source: &mut Source) -> Case {
    let kind = Kind::draw(source);
    let [batch, inputs, outputs] = [(); 3].map(|()| source.between(1, 3));
    let groups = if source.once_in(4) { 2 } else { 1 };
    let (height, width) = (source.between(3, 9), source.between(3, 9));
    let (rows, columns) = (source.between(1, 3), source.between(1, 3));
    let [top, bottom, left, right] = [(); 4].map(|()| source.between(0, 2));
    let stride = source.between(1, 2);
    let holes = source.between(1, 2);
    let (inputs, outputs) = (inputs, outputs * groups);
    let size = |size: i64, window: i64, low: i64, high: i64| {
        ((size - 1) * holes + 1 + low + high - window) / stride + 1
    };
    let is_centered = source.once_in(2);
    let kernel = match source.once_in(2) {
        true => kind.per_axis(source, 3, outputs, is_centered),
        false => kind.per_tensor(source, is_centered),
    };
    let arguments = [
        Tensor::new(&[batch, height, width, inputs * groups], &kind.per_tensor(source, false)),
        Tensor::new(&[rows, columns, inputs, outputs], &kernel),
    ];
    let shape =
        [batch, size(height, rows, top, bottom), size(width, columns, left, right), outputs];
    let result = Tensor::new(&shape, &kind.per_tensor(source, false));
    let operation = format!(
        "stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
         window = {{stride = [{stride}, {stride}], pad = [[{top}, {bottom}], [{left}, {right}]], \
         lhs_dilate = [{holes}, {holes}]}} {{batch_group_count = 1 : i64, \
         feature_group_count = {groups} : i64}} : {}",
        signature(&arguments, std::slice::from_ref(&result)),
    );
    Case::new(&arguments, &operation, &[result])
}

/// Numbers to integers, to other integers, and back.
fn conversions(source: &mut Source) -> Case {
    let kind = Kind::draw(source);
    let shape = [source.pick(&[1, 5]), source.pick(&[1, 3, 40])];
    let element = |source: &mut Source| {
        let other = Kind { storage: source.pick(&STORAGE), ..kind };
        match source.once_in(2) {
            true => {
                let axis = source.below(2) as usize;
                other.per_axis(source, axis, shape[axis], false)
            }
            false => other.per_tensor(source, false),
        }
    };
    let number = Tensor::new(&shape, kind.expressed);
    let (first, second) =
        (Tensor::new(&shape, &element(source)), Tensor::new(&shape, &element(source)));
    let text = format!(
        "func.func public @main(%x: {number}, %q: {first}) -> ({first}, {second}, {number}, {number}) {{\n  \
         %0 = stablehlo.uniform_quantize %x : ({number}) -> {first}\n  \
         %1 = stablehlo.uniform_quantize %q : ({first}) -> {second}\n  \
         %2 = stablehlo.uniform_dequantize %0 : ({first}) -> {number}\n  \
         %3 = stablehlo.uniform_dequantize %1 : ({second}) -> {number}\n  \
         return %0, %1, %2, %3 : {first}, {second}, {number}, {number}\n}}\n"
    );
    Case::exact(text)
}

fn reduction(source: &mut Source) -> Case {
    let kind = Kind::draw(source);
    let element = kind.per_tensor(source, false);
    let shape = [source.pick(&[1, 4, 9]), source.pick(&[1, 3, 20])];
    let scalar = Tensor::new(&[], &element);
    let body = source.pick(&["add", "maximum", "minimum", "multiply", "subtract"]);
    let body = format!(
        "({{\n  ^bb0(%a: {scalar}, %b: {scalar}):\n    %s = stablehlo.{body} %a, %b : {scalar}\n    \
         stablehlo.return %s : {scalar}\n  }})"
    );
    let arguments = [Tensor::new(&shape, &element), scalar];
    let (operation, result) = match source.once_in(3) {
        true => {
            let window: Vec<_> = shape.iter().map(|size| source.between(1, *size)).collect();
            let shape: Vec<_> =
                shape.iter().zip(&window).map(|(size, window)| size - window + 1).collect();
            let result = Tensor::new(&shape, &element);
            let window = i64s(&window);
            (
                format!(
                    "\"stablehlo.reduce_window\"(%0, %1) <{{window_dimensions = {window}}}> {body}"
                ),
                result,
            )
        }
        false => {
            let axis = source.below(2) as usize;
            let result = Tensor::new(&[shape[1 - axis]], &element);
            let dims = i64s(&[axis as i64]);
            (format!("\"stablehlo.reduce\"(%0, %1) <{{dimensions = {dims}}}> {body}"), result)
        }
    };
    let types = signature(&arguments, std::slice::from_ref(&result));
    Case::new(&arguments, &format!("{operation} : {types}"), &[result])
}

fn moving(source: &mut Source) -> Case {
    let kind = Kind::draw(source);
    let (rows, columns) = (source.between(1, 6), source.between(1, 9));
    let element = kind.per_tensor(source, false);
    let x = Tensor::new(&[rows, columns], &element);
    let (arguments, operation, result) = match source.below(6) {
        0 => {
            let axis = source.below(2) as usize;
            let count = [rows, columns][axis];
            let state = source.bits();
            let typed = |axis| kind.per_axis(&mut Source::new(state), axis, count, false);
            let x = Tensor::new(&[rows, columns], &typed(axis));
            let result = Tensor::new(&[columns, rows], &typed(1 - axis));
            (
                vec![x],
                "\"stablehlo.transpose\"(%0) <{permutation = array<i64: 1, 0>}>".to_owned(),
                result,
            )
        }
        1 => {
            let result = Tensor::new(&[2 * rows, columns], &element);
            let operation = "\"stablehlo.concatenate\"(%0, %1) <{dimension = 0 : i64}>";
            (vec![x.clone(), x], operation.to_owned(), result)
        }
        2 => {
            let low = source.between(0, 2);
            let result = Tensor::new(&[rows + low, 2 * columns - 1], &element);
            let operation = format!(
                "\"stablehlo.pad\"(%0, %1) <{{edge_padding_low = array<i64: {low}, 0>, \
                 edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>}}>"
            );
            (vec![x, Tensor::new(&[], &element)], operation, result)
        }
        3 => {
            let result = Tensor::new(&[rows * columns], &element);
            (vec![x], "\"stablehlo.reshape\"(%0)".to_owned(), result)
        }
        4 => {
            let result = Tensor::new(&[3, rows, columns], &element);
            let operation =
                "\"stablehlo.broadcast_in_dim\"(%0) <{broadcast_dimensions = array<i64: 1, 2>}>";
            (vec![x], operation.to_owned(), result)
        }
        _ => {
            let mask = Tensor::new(&[rows, columns], "i1");
            (vec![mask, x.clone(), x.clone()], "\"stablehlo.select\"(%0, %1, %2)".to_owned(), x)
        }
    };
    let types = signature(&arguments, std::slice::from_ref(&result));
    Case::new(&arguments, &format!("{operation} : {types}"), &[result])
}

fn control_flow(source: &mut Source) -> Case {
    let kind = Kind::draw(source);
    let x = Tensor::new(&[source.between(1, 9)], &kind.per_tensor(source, false));
    let scalar = Tensor::new(&[], &x.element);
    let body = source.pick(&["add", "subtract", "multiply", "maximum"]);
    let text = match source.below(3) {
        0 => format!(
            "func.func public @main(%x: {x}, %y: {x}) -> {x} {{\n  \
             %n = stablehlo.constant dense<3> : tensor<i32>\n  \
             %z = stablehlo.constant dense<0> : tensor<i32>\n  \
             %o = stablehlo.constant dense<1> : tensor<i32>\n  \
             %r:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, {x}\n  \
             cond {{\n    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    \
             stablehlo.return %c : tensor<i1>\n  }} do {{\n    \
             %b = stablehlo.{body} %a, %y : {x}\n    \
             %j = stablehlo.add %i, %o : tensor<i32>\n    \
             stablehlo.return %j, %b : tensor<i32>, {x}\n  }}\n  \
             return %r#1 : {x}\n}}\n"
        ),
        1 => format!(
            "func.func public @main(%c: tensor<i1>, %x: {x}, %y: {x}) -> {x} {{\n  \
             %r = \"stablehlo.if\"(%c) ({{\n    %0 = stablehlo.{body} %x, %y : {x}\n    \
             stablehlo.return %0 : {x}\n  }}, {{\n    stablehlo.return %y : {x}\n  }}) : (tensor<i1>) -> {x}\n  \
             return %r : {x}\n}}\n"
        ),
        _ => format!(
            "func.func public @main(%x: {x}) -> {x} {{\n  \
             %r = \"stablehlo.sort\"(%x) <{{dimension = 0 : i64, is_stable = true}}> ({{\n  \
             ^bb0(%a: {scalar}, %b: {scalar}):\n    \
             %c = stablehlo.compare LT, %a, %b : ({scalar}, {scalar}) -> tensor<i1>\n    \
             stablehlo.return %c : tensor<i1>\n  }}) : ({x}) -> {x}\n  return %r : {x}\n}}\n"
        ),
    };
    Case::exact(text)
}

/// A layer: numbers are quantized, multiplied with weights, shifted and dequantized.
fn chain(source: &mut Source) -> Case {
    let kind = Kind { storage: source.pick(&STORAGE[..4]), inside: (0, 0), expressed: "f32" };
    let [rows, sum, columns] = [(); 3].map(|()| source.pick(&[1, 3, 8, 33]));
    let x = Tensor::new(&[rows, sum], "f32");
    let q = Tensor::new(&[rows, sum], &kind.per_tensor(source, false));
    let w = Tensor::new(&[sum, columns], &kind.per_axis(source, 1, columns, true));
    let wide = Kind { storage: STORAGE[8], ..kind };
    let sums = Tensor::new(&[rows, columns], &wide.per_axis(source, 1, columns, true));
    let y = Tensor::new(&[rows, columns], &kind.per_tensor(source, false));
    let number = Tensor::new(&[rows, columns], "f32");
    let text = format!(
        "func.func public @main(%x: {x}, %w: {w}, %b: {sums}) -> ({y}, {number}) {{\n  \
         %0 = stablehlo.uniform_quantize %x : ({x}) -> {q}\n  \
         %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : ({q}, {w}) -> {sums}\n  \
         %2 = stablehlo.add %1, %b : {sums}\n  \
         %3 = stablehlo.uniform_quantize %2 : ({sums}) -> {y}\n  \
         %4 = stablehlo.uniform_dequantize %3 : ({y}) -> {number}\n  \
         return %3, %4 : {y}, {number}\n}}\n"
    );
    Case::exact(text)
}
