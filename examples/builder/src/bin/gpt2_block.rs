//! One block of GPT-2: attention over what came before, and a feed-forward layer, each on normalised inputs and added to
//! them.

use strata_builder::{
    Builder, Computation, DotDimensionNumbers, F32, Literal, Op, Options, Program, Result, S32,
    Shape, native,
};

/// Sizes of a block.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub tokens: i64,
    pub heads: i64,
    pub features: i64,
}

/// `(x - mean) / sqrt(variance + 1e-5) * scale + offset`, over the features.
fn normalised(x: &Op, scale: &Op, offset: &Op, sizes: Sizes) -> Result<Op> {
    let add = Computation::add(F32)?;
    let mean = |values: &Op| values.reduce(0.0, &add, &[1])? / sizes.features as f64;
    let centred = x.sub_in_dim(mean(x), &[0])?;
    let variance = mean(&(&centred * &centred)?)?;
    centred
        .mul_in_dim((variance + 1e-5)?.rsqrt(), &[0])?
        .mul_in_dim(scale, &[1])?
        .add_in_dim(offset, &[1])
}

/// The largest of a row goes away first, so that nothing overflows.
fn softmax(x: &Op) -> Result<Op> {
    let largest = x.reduce(f64::NEG_INFINITY, &Computation::max(F32)?, &[2])?;
    let powers = x.sub_in_dim(&largest, &[0, 1])?.exp()?;
    powers.div_in_dim(powers.reduce(0.0, &Computation::add(F32)?, &[2]), &[0, 1])
}

/// The approximation that GPT-2 uses.
fn gelu(x: &Op) -> Result<Op> {
    let cube = ((x * x)? * x)?;
    let inner = ((x + (cube * 0.044715)?)? * 0.797_884_560_802_865_4)?;
    (x * 0.5)? * (inner.tanh()? + 1.0)
}

fn attention(b: &Builder, qkv: &Op, sizes: Sizes) -> Result<Op> {
    let Sizes { tokens, heads, features } = sizes;
    let size = features / heads;
    let part = |at: i64| {
        let part = qkv.slice_in_dim(at * features, (at + 1) * features, 1, 1)?;
        part.reshape(&[tokens, heads, size])?.transpose(&[1, 0, 2])
    };
    let batched = |left: i64, right: i64| DotDimensionNumbers {
        lhs_contracting_dimensions: vec![left],
        rhs_contracting_dimensions: vec![right],
        lhs_batch_dimensions: vec![0],
        rhs_batch_dimensions: vec![0],
    };
    let scores = (part(0)?.dot_general(part(1), &batched(2, 2))? / (size as f64).sqrt())?;
    let square = Shape::array(S32, [heads, tokens, tokens]);
    let past = b.iota(&square, 2)?.le(b.iota(&square, 1))?;
    let masked = past.select(&scores, (&scores * 0.0)? - 1e9)?;
    let mixed = softmax(&masked)?.dot_general(part(2), &batched(2, 1))?;
    mixed.transpose(&[1, 0, 2])?.reshape(&[tokens, features])
}

pub fn program(sizes: Sizes) -> Result<Program> {
    let Sizes { tokens, features, .. } = sizes;
    let b = Builder::new("gpt2_block");
    let x = b.parameter(F32, [tokens, features], "x");
    let vector = |size: i64, name: &str| b.parameter(F32, [size], name);
    let matrix = |rows: i64, columns: i64, name: &str| b.parameter(F32, [rows, columns], name);
    let linear = |x: &Op, w: &Op, bias: &Op| x.dot(w)?.add_in_dim(bias, &[1]);

    let (scale1, offset1) = (vector(features, "ln_1.weight"), vector(features, "ln_1.bias"));
    let (w_qkv, b_qkv) = (matrix(features, 3 * features, "attn.w"), vector(3 * features, "attn.b"));
    let (w_out, b_out) = (matrix(features, features, "proj.w"), vector(features, "proj.b"));
    let (scale2, offset2) = (vector(features, "ln_2.weight"), vector(features, "ln_2.bias"));
    let (w_up, b_up) = (matrix(features, 4 * features, "fc.w"), vector(4 * features, "fc.b"));
    let (w_down, b_down) = (matrix(4 * features, features, "mlp.w"), vector(features, "mlp.b"));

    let qkv = linear(&normalised(&x, &scale1, &offset1, sizes)?, &w_qkv, &b_qkv)?;
    let x = (&x + linear(&attention(&b, &qkv, sizes)?, &w_out, &b_out))?;
    let up = gelu(&linear(&normalised(&x, &scale2, &offset2, sizes)?, &w_up, &b_up)?)?;
    b.build(&(&x + linear(&up, &w_down, &b_down))?)
}

/// Small numbers for each parameter, the same each time; scales are 1.
pub fn arguments(program: &Program) -> Result<Vec<Literal>> {
    let parameters = program.parameters().iter().enumerate();
    parameters
        .map(|(at, (name, shape))| {
            let sizes: Vec<usize> = shape
                .as_array()
                .map(|array| array.dimensions.iter().map(|size| *size as usize).collect())
                .unwrap_or_default();
            let count: usize = sizes.iter().product();
            let number =
                |index: usize| ((index * 2_654_435 + at * 97) % 1000) as f32 / 5000.0 - 0.1;
            let values: Vec<f32> = (0..count)
                .map(|index| if name.ends_with(".weight") { 1.0 } else { number(index) })
                .collect();
            Literal::new(&sizes, &values)
        })
        .collect()
}

pub fn main() -> Result<()> {
    let program = program(Sizes { tokens: 64, heads: 12, features: 768 })?;
    let results = program.load()?.call(&arguments(&program)?)?;
    let values = results[0].to_vec::<f32>()?;
    println!("{:?}, first values {:?}", results[0].dimensions(), &values[..4]);
    if std::env::args().any(|argument| argument == "object") {
        let options = Options { name: "gpt2_block".to_owned(), ..Options::new(native()?) };
        std::fs::write("gpt2_block.o", program.compile(options)?.bytes()).expect("a file");
    }
    Ok(())
}
