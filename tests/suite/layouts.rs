//! Weights are stored in the layouts in which nests read them. That such programs compute the right numbers is compared with the same
//! programs with their weights in the layout of the program, bit by bit; these are compared with the evaluator elsewhere.

use std::{fmt::Write as _, fs};

use strata::{Artifact, Compiler, LaidOut, Options, Stage, Tasks, WeightsLocation};

use crate::command::strata;
use crate::harness::{Loaded, cpus, options};

/// Numbers without a pattern, as the bytes of elements of a type.
pub fn numbers(element: &str, count: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        f64::from(state % 2001) / 1000.0 - 1.0
    };
    let mut bytes = Vec::new();
    for _ in 0..count {
        let number = next();
        match element {
            "f32" => bytes.extend((number as f32).to_le_bytes()),
            "f64" => bytes.extend(number.to_le_bytes()),
            "bf16" => bytes.extend_from_slice(&(number as f32).to_le_bytes()[2..]),
            "i32" => bytes.extend(((number * 100.0) as i32).to_le_bytes()),
            "i8" => bytes.extend(((number * 100.0) as i8).to_le_bytes()),
            other => panic!("no numbers of {other}"),
        }
    }
    bytes
}

pub fn ty(element: &str, shape: &[usize]) -> String {
    let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}{element}>")
}

/// `%name = stablehlo.constant …` of numbers without a pattern.
fn weight(name: &str, element: &str, shape: &[usize]) -> String {
    let digits = numbers(element, shape.iter().product(), name.len() as u32 + 7);
    let digits = digits.iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02X}").expect("a string");
        digits
    });
    format!("%{name} = stablehlo.constant dense<\"0x{digits}\"> : {}\n", ty(element, shape))
}

/// A product with a weight of `k` rows, or as many columns where it is `transposed`.
fn product(element: &str, [m, k, n]: [usize; 3], transposed: bool) -> String {
    let (shape, at) = if transposed { ([n, k], 1) } else { ([k, n], 0) };
    let (x, w, y) = (ty(element, &[m, k]), ty(element, &shape), ty(element, &[m, n]));
    format!(
        "func.func @main(%x: {x}) -> {y} {{\n{}\
         %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [{at}] : ({x}, {w}) -> {y}\n\
         return %y : {y}\n}}\n",
        weight("w", element, &shape)
    )
}

/// A 3x3 convolution of images of `size`² with their channels last, or first.
fn convolution(size: usize, [inputs, outputs]: [usize; 2], is_last: bool) -> String {
    let (dims, x, w, y) = match is_last {
        true => (
            "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
            [1, size, size, inputs],
            [3, 3, inputs, outputs],
            [1, size, size, outputs],
        ),
        false => (
            "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
            [1, inputs, size, size],
            [outputs, inputs, 3, 3],
            [1, outputs, size, size],
        ),
    };
    let weight = weight("w", "f32", &w);
    let (x, w, y) = (ty("f32", &x), ty("f32", &w), ty("f32", &y));
    format!(
        "func.func @main(%x: {x}) -> {y} {{\n{weight}\
         %y = stablehlo.convolution(%x, %w) dim_numbers = {dims}, window = {{pad = [[1, 1], [1, 1]]}} \
         {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {y}\n\
         return %y : {y}\n}}\n"
    )
}

fn compiled(program: &str, options: Options) -> Artifact {
    let artifact = Compiler::new(options).compile("model.mlir", program.as_bytes());
    artifact.unwrap_or_else(|errors| panic!("{errors}"))
}

fn plain(options: &Options) -> Options {
    Options { laid_out: LaidOut::NONE, ..options.clone() }
}

/// Compares the bits of both, and returns the bytes of workspace of both.
fn compare(what: &str, program: &str, input: &[u8], options: &Options) -> [usize; 2] {
    let both =
        [options.clone(), plain(options)].map(|options| Loaded::new(&compiled(program, options)));
    let results = [0, 1].map(|at| both[at].call(&[input.to_vec()]));
    assert!(results[0] == results[1], "{what} for {}: the bits differ", options.target.cpu);
    [0, 1].map(|at| both[at].workspace_size())
}

#[test]
fn packed_and_plain_weights_give_the_same_bits() {
    // Rows that a register tile divides or not, one row, columns beside whole panels and beside whole vectors, odd reductions, and
    // weights that are packed in each call where they are arguments; elsewhere long sums may be cut at other places.
    let sizes = [
        [32, 300, 520],
        [33, 61, 85],
        [5, 31, 149],
        [1, 77, 261],
        [40, 100, 7],
        [2, 1, 600],
        [16, 600, 1],
        [64, 784, 184],
        // In several blocks of the reduction.
        [64, 6000, 152],
    ];
    for cpu in cpus() {
        for element in ["f32", "f64", "bf16", "i32", "i8"] {
            for (at, [m, k, n]) in sizes.into_iter().enumerate() {
                if element != "f32" && !(1..4).contains(&at) {
                    continue;
                }
                let input = numbers(element, m * k, 3);
                for transposed in [false, true] {
                    let what = format!("{m}x{k}x{n} {element}, transposed: {transposed}");
                    let program = product(element, [m, k, n], transposed);
                    compare(&what, &program, &input, &options(cpu));
                }
            }
        }
        for (channels, is_last) in
            [([64, 72], true), ([33, 50], true), ([64, 72], false), ([5, 19], false)]
        {
            let program = convolution(14, channels, is_last);
            let input = numbers("f32", 14 * 14 * channels[0], 5);
            compare(
                &format!("convolution {channels:?} {is_last}"),
                &program,
                &input,
                &options(cpu),
            );
        }
    }
}

#[test]
fn what_packs_them_and_its_memory_are_gone() {
    let options = Options { tasks: Tasks::Never, ..options("x86-64-v3") };
    let input = numbers("f32", 32 * 512, 3);
    // Squares are transposed by other shuffles there.
    let wide = Compiler::new(Options { tasks: Tasks::Never, ..self::options("x86-64-v4") });
    let wide = wide.compile("model.mlir", product("f32", [32, 512, 520], true).as_bytes());
    let wide = wide.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(wide.workspace_size(), Some(0));
    for transposed in [false, true] {
        let program = product("f32", [32, 512, 520], transposed);
        let [packed, before] = compare("a product", &program, &input, &options);
        // The panel, twice: the next one is packed ahead.
        assert!(packed == 0 && before >= 512 * 24 * 4, "{packed} and {before} bytes of workspace");
        let scheduled = |options| {
            let artifact = Compiler::new(options)
                .to(Stage::Schedule)
                .compile("model.mlir", program.as_bytes());
            let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}"));
            artifact.text().expect("text").to_owned()
        };
        let (packed, before) = (scheduled(options.clone()), scheduled(plain(&options)));
        assert!(before.contains("tensor.empty() : tensor<512x24xf32>"));
        assert!(!packed.contains("tensor.empty() : tensor<512x24xf32>"));
        assert!(packed.contains("tensor<21x512x24xf32>") && packed.contains("tensor<512x16xf32>"));
        let plain = if transposed { "tensor<520x512xf32>" } else { "tensor<512x520xf32>" };
        assert!(before.contains(plain) && !packed.contains(plain), "the plain weight is left");
    }
}

#[test]
fn the_object_does_not_grow() {
    let options = options("x86-64-v3");
    let bytes = |program: &str, options| compiled(program, options).bytes().len();
    let program = convolution(14, [64, 72], false);
    let (packed, before) = (bytes(&program, options.clone()), bytes(&program, plain(&options)));
    assert!(packed < before + 4096, "{packed} and {before} bytes");
}

/// A program that reads a weight of 300x520 in a product for each of `rows`, and beside them as the text says.
fn several(rows: &[usize], beside: &str) -> String {
    let w = ty("f32", &[300, 520]);
    let (x, y) = (|m: &usize| ty("f32", &[*m, 300]), |m: &usize| ty("f32", &[*m, 520]));
    let inputs: Vec<_> =
        rows.iter().enumerate().map(|(at, m)| format!("%x{at}: {}", x(m))).collect();
    let mut types: Vec<_> = rows.iter().map(y).collect();
    let mut results: Vec<_> = (0..rows.len()).map(|at| format!("%y{at}")).collect();
    let mut body = weight("w", "f32", &[300, 520]);
    for (at, m) in rows.iter().enumerate() {
        let (x, y) = (x(m), y(m));
        writeln!(
            body,
            "%y{at} = stablehlo.dot_general %x{at}, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {y}"
        )
        .expect("a string");
    }
    if !beside.is_empty() {
        body.push_str(beside);
        results.push("%beside".to_owned());
        types.push(w.clone());
    }
    let (types, results) = (types.join(", "), results.join(", "));
    format!(
        "func.func @main({}) -> ({types}) {{\n{body}return {results} : {types}\n}}\n",
        inputs.join(", ")
    )
}

const BYTES: usize = 300 * 520 * 4;

#[test]
fn a_layout_is_held_once_for_all_that_read_it() {
    let options = options("x86-64-v3");
    let program = several(&[32, 32, 32], "");
    let artifact = compiled(&program, options.clone());
    let size = artifact.bytes().len();
    assert!((BYTES..BYTES + BYTES / 4).contains(&size), "{size} bytes");
    let inputs: Vec<_> = (0..3).map(|at| numbers("f32", 32 * 300, at)).collect();
    let plain = Loaded::new(&compiled(&program, plain(&options))).call(&inputs);
    assert!(Loaded::new(&artifact).call(&inputs) == plain);
}

#[test]
fn a_second_layout_is_held_where_it_is_little_beside_all_weights() {
    let options = options("x86-64-v3");
    // Read as it is, too: the second copy would double the weights.
    let beside = "%beside = stablehlo.negate %w : tensor<300x520xf32>\n";
    let alone = compiled(&several(&[32], beside), options.clone()).bytes().len();
    assert!(alone < BYTES + BYTES / 4, "{alone} bytes");
    // Another weight, of twice its size, is packed without growing.
    let other = format!(
        "{}%beside0 = stablehlo.dot_general %x0, %v, contracting_dims = [1] x [0] : (tensor<32x300xf32>, tensor<300x1040xf32>) -> tensor<32x1040xf32>
         %part = stablehlo.slice %beside0 [0:1, 0:520] : (tensor<32x1040xf32>) -> tensor<1x520xf32>
         %row = stablehlo.broadcast_in_dim %part, dims = [0, 1] : (tensor<1x520xf32>) -> tensor<300x520xf32>
         %beside = stablehlo.add %row, %w : tensor<300x520xf32>\n",
        weight("v", "f32", &[300, 1040])
    );
    let program = several(&[32], &other);
    let both = compiled(&program, options.clone());
    assert!(
        (4 * BYTES..4 * BYTES + BYTES / 2).contains(&both.bytes().len()),
        "{} bytes",
        both.bytes().len()
    );
    let input = numbers("f32", 32 * 300, 1);
    let plain =
        Loaded::new(&compiled(&program, plain(&options))).call(std::slice::from_ref(&input));
    assert!(Loaded::new(&both).call(&[input]) == plain);
}

#[test]
fn a_weights_file_has_the_packed_weights() {
    let options = Options { weights: WeightsLocation::External, ..options("x86-64-v3") };
    let program = product("f32", [32, 512, 520], false);
    let artifact = compiled(&program, options);
    let weights = artifact.weights().expect("weights");
    let header = weights.file_header().expect("a header");
    let json: serde_json::Value = serde_json::from_slice(&header[8..]).expect("JSON");
    let shape = |name: &str| json[name]["shape"].clone();
    assert_eq!(shape("constant_21x512x24xf32"), serde_json::json!([21, 512, 24]));
    assert_eq!(shape("constant_512x16xf32"), serde_json::json!([512, 16]));
    // Column 504 + 3 of row 2, in the panel of the last columns.
    let numbers = numbers("f32", 512 * 520, 8);
    let bytes = weights.joined();
    let at = |tensor: &str, index: usize| {
        let start = json[tensor]["data_offsets"][0].as_u64().expect("a number") as usize;
        bytes[start + 4 * index..][..4].to_vec()
    };
    let plain = |row: usize, column: usize| numbers[4 * (520 * row + column)..][..4].to_vec();
    assert_eq!(at("constant_512x16xf32", 2 * 16 + 3), plain(2, 507));
    assert_eq!(at("constant_21x512x24xf32", (5 * 512 + 7) * 24 + 11), plain(7, 5 * 24 + 11));
}

/// A product in each iteration of a loop: `x <- tanh(x w)`.
#[test]
fn weights_in_loops_are_packed() {
    let options = options("x86-64-v3");
    let (x, w) = (ty("f32", &[32, 300]), ty("f32", &[300, 300]));
    let program = format!(
        "func.func @main(%x: {x}) -> {x} {{\n{}\
         %zero = stablehlo.constant dense<0> : tensor<i32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %count = stablehlo.constant dense<40> : tensor<i32>
         %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, {x} cond {{
           %c = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1>
         }} do {{
           %j = stablehlo.add %i, %one : tensor<i32>
           %p = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {x}
           %t = stablehlo.tanh %p : {x}
           stablehlo.return %j, %t : tensor<i32>, {x}
         }}
         return %r#1 : {x}\n}}\n",
        weight("w", "f32", &[300, 300])
    );
    let input = numbers("f32", 32 * 300, 3);
    let [packed, before] = compare("a loop", &program, &input, &options);
    assert!(packed + 300 * 16 * 4 <= before, "{packed} and {before} bytes of workspace");
}

#[test]
fn every_stage_and_step_computes_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, program) in [
        ("dot.mlir", product("f32", [9, 61, 45], true)),
        ("convolution.mlir", convolution(5, [17, 19], false)),
    ] {
        fs::write(folder.path().join(name), program).expect("written");
        let arguments =
            ["verify", "--stages", "--steps", name, "--rounds", "1", "--values", "tame"];
        let done =
            strata(folder.path(), &[&arguments[..], &["--target-cpu", "x86-64-v3"]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
}

#[test]
fn remarks_say_what_is_packed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("dot.mlir"), product("f32", [9, 61, 45], true)).expect("written");
    let arguments =
        ["compile", "dot.mlir", "-o", "dot.o", "--remarks", "--target-cpu", "x86-64-v3"];
    let done = strata(folder.path(), &arguments);
    let remarks = format!("{}{}", done.text(), done.stderr);
    let line = remarks.lines().find(|line| line.contains("packed at compile time"));
    assert!(line.is_some_and(|line| line.contains("10,980 bytes")), "{remarks}");
}

/// A product of given size beside one of open size: all versions of the object read the first one's weight in one layout, and share it.
#[test]
fn versions_share_what_all_read_alike() {
    let w = ty("f32", &[96, 192]);
    let weight = weight("w", "f32", &[96, 192]);
    // The sum or the hyperbolic tangent of `x w k^T`.
    let program = |sums: bool| {
        let [x, q] = [96, 192].map(|columns| ty("f32", &[1, columns]));
        let (k, y) = ("tensor<?x192xf32>", "tensor<1x?xf32>");
        let (last, result) = match sums {
            true => {
                let sum = "stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1]";
                (format!("{sum} : ({y}, tensor<f32>) -> tensor<1xf32>"), "tensor<1xf32>")
            }
            false => (format!("stablehlo.tanh %y : {y}"), y),
        };
        format!(
            "func.func @main(%x: {x}, %k: {k}) -> {result} {{\n{weight}\
             %zero = stablehlo.constant dense<0.0> : tensor<f32>
             %q = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {q}
             %y = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : ({q}, {k}) -> {y}
             %z = {last}
             return %z : {result}\n}}\n"
        )
    };
    let options = Options { weights: WeightsLocation::External, ..options("x86-64-v3") };
    let shapes = |program: &str, max: &[(String, i64)]| {
        let options = Options { open: true, max: max.to_vec(), ..options.clone() };
        let artifact = compiled(program, options);
        let header = artifact.weights().expect("weights").file_header().expect("a header");
        let json: serde_json::Value = serde_json::from_slice(&header[8..]).expect("JSON");
        let names = json.as_object().expect("an object").keys();
        names.filter(|name| name.starts_with("constant")).cloned().collect::<Vec<_>>()
    };
    // Sizes up to a bound, and a number of rows.
    let packed = ["constant_3x96x56xf32", "constant_96x24xf32"];
    assert_eq!(shapes(&program(true), &[("input1.0".to_owned(), 100)]), packed);
    assert_eq!(shapes(&program(false), &[]), packed);
    // Nests for other numbers of rows would read it in other layouts.
    let (x, y) = ("tensor<?x96xf32>", "tensor<?x192xf32>");
    let rows = format!(
        "func.func @main(%x: {x}) -> {y} {{\n{weight}\
         %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {y}
         return %y : {y}\n}}\n"
    );
    assert_eq!(shapes(&rows, &[]), ["constant_96x192xf32"]);
}

#[test]
fn transposed_weights_are_packed() {
    // The kernel is brought into the order that the nest reads first, and packed then: both by the compiler.
    let here = tempfile::tempdir().expect("a folder");
    fs::write(here.path().join("p.mlir"), convolution(7, [64, 256], false)).expect("written");
    let arguments = ["compile", "p.mlir", "-o", "p.o", "--target-cpu", "x86-64-v3", "--remarks"];
    let told = strata(here.path(), &arguments).succeeded().stderr;
    assert!(told.contains("576 KiB (589,824 bytes) packed at compile time"), "{told}");
}
