//! Tiles in programs for sizes up to bounds: what is beyond the size of a call is read by no product whose sum is needed, and not written.

use half::bf16;
use strata::{Artifact, Compiler, Options, Stage, Tasks};

use super::{TARGET, Tiles, amx, at, emulator, permitted};
use crate::{
    command::binary,
    dots::{
        Dot,
        bf16::{assert_within, bytes_of, numbers},
    },
    harness::{Loaded, Stages, scattered},
};

use std::process::Command;

/// A batch of dots some of whose sizes are open: of the batch, rows, sums, columns.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// With the largest sizes.
    dot: Dot,
    is_open: [bool; 4],
    /// Whether open sizes may be zero: outputs are then in buffers of the bound.
    is_empty: bool,
    /// Whether the sums are added to an input, and are then positive.
    is_followed: bool,
}

impl Open {
    /// Of each input's dimensions the number among the sizes.
    fn roles(&self) -> [[usize; 3]; 2] {
        [1, 3].map(|own| {
            let first = self.dot.first[usize::from(own == 3)];
            if first { [0, 2, own] } else { [0, own, 2] }
        })
    }

    fn ty(&self, roles: &[usize], element: &str) -> String {
        let size = |role: &usize| match self.is_open[*role] {
            true => "?x".to_owned(),
            false => format!("{}x", self.dot.sizes[*role]),
        };
        format!("tensor<{}{element}>", roles.iter().map(size).collect::<String>())
    }

    /// The input and the dimension that an open size is known from.
    fn place(&self, role: usize) -> (usize, usize) {
        let roles = self.roles();
        let side = usize::from(role == 3);
        (side, roles[side].iter().position(|own| *own == role).expect("a dimension of it"))
    }

    fn program(&self, elements: [&str; 2], sum: &str) -> String {
        let roles = self.roles();
        let [x, y] = [0, 1].map(|side| self.ty(&roles[side], elements[side]));
        let z = self.ty(&[0, 1, 3], sum);
        let dims = self.dot.first.map(|first| if first { 1 } else { 2 });
        let added = if self.is_followed { format!(", %z: {z}") } else { String::new() };
        let mut text = format!("func.func @main(%x: {x}, %y: {y}{added}) -> {z} {{\n");
        if !self.is_empty {
            text.push_str("  %one = stablehlo.constant dense<1> : tensor<i32>\n");
            for role in (0..4).filter(|role| self.is_open[*role]) {
                let (side, dim) = self.place(role);
                let (name, ty) = (["x", "y"][side], [&x, &y][side]);
                text.push_str(&format!(
                    "  %s{role} = stablehlo.get_dimension_size %{name}, dim = {dim} : ({ty}) -> tensor<i32>
  %c{role} = stablehlo.compare GE, %s{role}, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%c{role}, %s{role}) {{api_version = 2 : i32, error_message = \"{{0}}\", has_side_effect = true}} : (tensor<i1>, tensor<i32>) -> ()\n"
                ));
            }
        }
        text.push_str(&format!(
            "  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [{}] x [{}] : ({x}, {y}) -> {z}\n",
            dims[0], dims[1]
        ));
        let (more, result) = match self.is_followed {
            true => (
                format!("  %1 = stablehlo.add %0, %z : {z}\n  %2 = stablehlo.abs %1 : {z}\n"),
                "%2",
            ),
            false => (String::new(), "%0"),
        };
        text + &more + &format!("  return {result} : {z}\n}}\n")
    }

    fn options(&self) -> Options {
        let bound = |role: usize| {
            let (side, dim) = self.place(role);
            let size = i64::try_from(self.dot.sizes[role]).expect("a size");
            (format!("{}.{dim}", ["input0", "input1"][side]), size)
        };
        let open = (0..4).filter(|role| self.is_open[*role]);
        Options { open: true, max: open.map(bound).collect(), tasks: Tasks::Always, ..amx() }
    }

    /// The same with these sizes where they are open.
    fn sized(&self, size: usize) -> Dot {
        let mut dot = self.dot;
        for role in (0..4).filter(|role| self.is_open[*role]) {
            dot.sizes[role] = size.min(dot.sizes[role]);
        }
        dot
    }

    /// The results of calls with this size, in vectors and in tiles, on memory with several contents and in several orders of tasks.
    #[track_caller]
    fn called(&self, forms: &[&Loaded; 2], dot: &Dot, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let [batch, rows, _, columns] = dot.sizes;
        let bytes = 4 * batch * rows * columns;
        let open = self.is_open.iter().filter(|open| **open).count();
        let shape = |roles: &[usize]| -> Vec<i64> {
            roles.iter().map(|role| i64::try_from(dot.sizes[*role]).expect("a size")).collect()
        };
        let [x, y] = self.roles();
        let shapes = [shape(&x), shape(&y), shape(&[0, 1, 3])];
        let shapes = &shapes[..inputs.len()];
        let tasks = scattered();
        let mut found = Vec::new();
        for loaded in forms {
            let symbols = loaded.symbols_of(shapes, open).expect("the object takes the sizes");
            let calls = [(0xFF, None), (0xA5, None), (0x7F, Some(&tasks))];
            for call in calls {
                let (status, outputs) = loaded.call_open_on(inputs, &symbols, &[bytes], call);
                assert_eq!(status, 0, "{self:?}, {dot:?}");
                found.extend(outputs);
            }
        }
        found
    }
}

fn object(program: &str, options: Options) -> Artifact {
    at(program, options, Stage::Obj)
}

/// An object with and without tiles.
fn forms(artifact: &Artifact) -> [Loaded; 2] {
    let forms = [Loaded::new(artifact), Loaded::new(artifact)];
    forms[1].permit_tiles();
    forms
}

/// Asserts that tiles were used since `before` instructions.
#[track_caller]
fn used(tiles: &Tiles, before: Option<u64>) {
    assert!(before.is_none_or(|before| tiles.executed() > Some(before)), "no tile is used");
}

const SIZES: [usize; 12] = [0, 1, 2, 8, 15, 16, 17, 31, 33, 47, 64, 100];

/// Rows, columns, sums and batches that end anywhere, with and without what follows: every element is that of 64-bit arithmetic.
#[test]
fn sums_of_bytes_end_at_the_size() {
    let Some(tiles) = permitted() else { return };
    let all = [
        // Rows after whole tiles and after half a region; a bound that tiles divide, and one that they do not.
        ([1, 64, 130, 70], [false, true, false, false], [false, true]),
        ([1, 77, 200, 40], [false, true, false, false], [true, false]),
        ([1, 40, 130, 96], [false, false, false, true], [false, true]),
        ([1, 33, 256, 77], [false, false, false, true], [false, false]),
        ([1, 48, 100, 65], [false, false, true, false], [false, true]),
        ([1, 70, 192, 64], [false, false, true, false], [true, false]),
        ([9, 24, 64, 48], [true, false, false, false], [false, true]),
        ([2, 65, 65, 65], [false, true, true, true], [false, true]),
        ([3, 50, 128, 70], [true, true, false, true], [false, false]),
    ];
    for (case, (sizes, is_open, first)) in all.into_iter().enumerate() {
        let signs = crate::dots::SIGNS[case % 4];
        let dot = Dot { sizes, first, signs };
        let open = Open { dot, is_open, is_empty: case % 2 == 0, is_followed: case % 3 == 1 };
        let names = signs.map(|is_signed| if is_signed { "i8" } else { "ui8" });
        let loaded = forms(&object(&open.program(names, "i32"), open.options()));
        let before = tiles.executed();
        for size in SIZES.into_iter().filter(|size| open.is_empty || *size > 0) {
            let dot = open.sized(size);
            let [x, y] = dot.inputs();
            let mut expected = dot.expected(&x, &y);
            let z: Vec<u8> = (0..expected.len()).map(|at| (at * 31 % 256) as u8).collect();
            if open.is_followed {
                let word = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().expect("four"));
                let pairs = expected.chunks_exact(4).zip(z.chunks_exact(4));
                let sums = pairs.map(|(sum, own)| word(sum).wrapping_add(word(own)).wrapping_abs());
                expected = sums.flat_map(i32::to_le_bytes).collect();
            }
            let [vectors, in_tiles] = &loaded;
            let inputs = if open.is_followed { vec![x, y, z] } else { vec![x, y] };
            let found = open.called(&[vectors, in_tiles], &dot, &inputs);
            for (call, found) in found.iter().enumerate() {
                assert!(*found == expected, "{open:?}, {dot:?}, call {call}");
            }
        }
        used(tiles, before);
    }
}

/// What memory has beyond the size is NaN where it is full of ones: a product with it would be.
#[test]
fn sums_of_bf16_end_at_the_size() {
    let Some(tiles) = permitted() else { return };
    let all = [
        ([1, 100, 130, 70], [false, true, false, false]),
        ([1, 40, 130, 100], [false, false, false, true]),
        ([1, 48, 101, 65], [false, false, true, false]),
        ([1, 65, 100, 65], [false, true, true, true]),
    ];
    for (case, (sizes, is_open)) in all.into_iter().enumerate() {
        let dot = Dot { sizes, first: [false, true], signs: [true, true] };
        let open = Open { dot, is_open, is_empty: case % 2 == 1, is_followed: false };
        let loaded = forms(&object(&open.program(["bf16"; 2], "f32"), open.options()));
        let before = tiles.executed();
        for size in SIZES.into_iter().filter(|size| *size > 0) {
            let dot = open.sized(size);
            let [_, m, k, n] = dot.sizes;
            let (x, y): (Vec<bf16>, Vec<bf16>) = (numbers(m * k, 1), numbers(k * n, 2));
            let inputs = [bytes_of(&x), bytes_of(&y)];
            let [vectors, in_tiles] = &loaded;
            for found in open.called(&[vectors, in_tiles], &dot, &inputs) {
                assert_within(&found, [m, k, n], (&x, &y), (24, "bf16"));
            }
        }
        used(tiles, before);
    }
}

/// What a call with a few rows computes: of a region of two tiles of rows the first one.
#[test]
fn few_rows_are_one_tile() {
    let dot = Dot { sizes: [1, 128, 256, 64], first: [false, true], signs: [true, true] };
    let is_open = [false, true, false, false];
    for is_followed in [false, true] {
        let open = Open { dot, is_open, is_empty: false, is_followed };
        let program = open.program(["bf16"; 2], "f32");
        let text = at(&program, Options { tasks: Tasks::Never, ..open.options() }, Stage::Affine);
        let text = String::from_utf8_lossy(text.bytes()).into_owned();
        let cases: Vec<_> =
            text.split("case ").map(|case| case.matches("narrow.matmul").count()).collect();
        // Before the switch two by two tiles, then one by two and two by two.
        assert_eq!(cases, [4, 2, 4], "{text}");
    }
}

/// Loops of sums end at the size, and so do those of what is packed into lanes.
#[test]
fn loops_of_lanes_have_limits() {
    let dot = Dot { sizes: [1, 64, 192, 64], first: [false, true], signs: [true, true] };
    let limits = |is_open: [bool; 4], is_negated: bool| {
        let open = Open { dot, is_open, is_empty: false, is_followed: false };
        let mut program = open.program(["bf16"; 2], "f32");
        if is_negated {
            let x = open.ty(&open.roles()[0], "bf16");
            let (before, dot) = program.split_once("  %0 =").expect("a dot");
            let dot = dot.replacen("%x", "%n", 1);
            program = format!("{before}  %n = stablehlo.cosine %x : {x}\n  %0 ={dot}");
        }
        let text = at(&program, open.options(), Stage::Schedule);
        let text = String::from_utf8_lossy(text.bytes()).into_owned();
        assert!(text.contains("narrow.matmul"), "{text}");
        text.matches("{strata.limit").count()
    };
    let (rows, sums) = ([false, true, false, false], [false, false, true, false]);
    assert_eq!(limits([false; 4], false), 0);
    assert!(limits(sums, false) > 0);
    assert!(limits(rows, true) > limits(rows, false));
}

#[test]
fn remarks_say_what_tiles_need_copied() {
    let remarks = |open: Open| {
        let mut stages = Stages::default();
        let compiler = Compiler::new(open.options()).to(Stage::Obj).observe(&mut stages);
        compiler.compile("amx.mlir", open.program(["i8"; 2], "i32").as_bytes()).expect("compiles");
        stages.remarks.concat()
    };
    let dot = Dot { sizes: [4, 64, 256, 64], first: [false, true], signs: [true, true] };
    let is_open = [false, true, false, false];
    let open = Open { dot, is_open, is_empty: false, is_followed: false };
    let text = remarks(open);
    assert!(text.contains("schedule   tiles"), "{text}");
    assert!(text.contains("because    parts of it are tiles"), "{text}");
    // Rows end where tiles do.
    let text = remarks(Open { is_open: [true, false, false, false], ..open });
    assert!(text.contains("schedule   tiles"), "{text}");
    assert!(!text.contains("parts of it are tiles"), "{text}");
}

/// Convolutions, with strides too, whose images end at the size, and attention, against the evaluator.
#[test]
fn convolutions_and_attention_end_at_the_size() {
    let Some(emulator) = emulator().filter(|_| permitted().is_some()) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let conv = |[height, width]: [&str; 2],
                result: &str,
                stride: usize,
                element: &str,
                sum: &str| {
        let (x, k) = (
            format!("tensor<1x{height}x{width}x64x{element}>"),
            format!("tensor<3x3x64x40x{element}>"),
        );
        let y = format!("tensor<1x{height}x{result}x40x{sum}>");
        format!(
            "func.func @main(%x: {x}, %k: {k}) -> {y} {{
               %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [1, {stride}], pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {k}) -> {y}
               return %0 : {y}
             }}"
        )
    };
    let attention = "func.func @main(%q: tensor<3x?x64xbf16>, %k: tensor<3x?x64xbf16>, %v: tensor<3x?x64xbf16>) -> tensor<3x?x64xf32> {
      %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x?x64xbf16>, tensor<3x?x64xbf16>) -> tensor<3x?x?xf32>
      %p = stablehlo.logistic %s : tensor<3x?x?xf32>
      %b = stablehlo.convert %p : (tensor<3x?x?xf32>) -> tensor<3x?x?xbf16>
      %o = stablehlo.dot_general %b, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x?x?xbf16>, tensor<3x?x64xbf16>) -> tensor<3x?x64xf32>
      return %o : tensor<3x?x64xf32>
    }";
    let programs = [
        ("height.mlir", conv(["?", "20"], "20", 1, "bf16", "f32"), "input0.1=9"),
        ("width.mlir", conv(["5", "?"], "?", 1, "i8", "i32"), "input0.2=40"),
        ("stride.mlir", conv(["5", "?"], "?", 2, "bf16", "f32"), "input0.2=70"),
        ("attention.mlir", attention.to_owned(), "input0.1=40,input1.1=70"),
    ];
    for (file, text, bound) in programs {
        std::fs::write(folder.path().join(file), text).expect("written");
        let fixed = ["verify", file, "--max", bound, "--rounds", "5", "--values", "tame"];
        let found = Command::new(binary())
            .args(fixed.iter().chain(&TARGET))
            .current_dir(folder.path())
            .env("LD_PRELOAD", &emulator)
            .env("STRATA_AMX_COUNT", "1")
            .output()
            .expect("the command runs");
        let said = String::from_utf8_lossy(&found.stderr);
        assert!(found.status.success(), "{file}: {said}");
        if permitted().is_some_and(|tiles| tiles.executed().is_some()) {
            assert!(said.contains("amx emulator: executed"), "{file} uses no tiles");
        }
    }
}
