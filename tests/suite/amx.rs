//! Dots on the tiles of AMX, by an emulator of its instructions (`tests/amx/emulator.c`), so that any x86-64 runs them.

mod bounds;
mod halves;
mod weights;

use half::bf16;
use strata::{Artifact, Compiler, Options, Stage};
use strata_codegen::target::resolve;
use strata_threads::Pool;

use crate::{
    command::binary,
    dots::{
        Dot, SIGNS,
        bf16::{assert_within, bf16_program, bytes_of, numbers},
    },
    harness::{Loaded, options},
};

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// Compiles a file of `tests/amx`; where it is, for as long as the process lives.
fn built(file: &str, flags: &[&str]) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
    let made = folder.path().join(file).with_extension("built");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("amx").join(file);
    let cc = Command::new("cc")
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .arg("-o")
        .args([&made, &source])
        .args(["-lm", "-lpthread"])
        .output()
        .expect("cc runs");
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    made
}

/// The emulator, as a shared library; `None` where there is nothing to emulate.
pub fn emulator() -> Option<PathBuf> {
    let is_possible = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    if !is_possible {
        eprintln!("not run: AMX is emulated on Linux for x86-64 only");
    }
    is_possible.then(|| built("emulator.c", &["-mfma", "-mf16c", "-fPIC", "-shared"]))
}

/// Each instruction, each kind of operand, and what must end the process.
#[test]
fn the_emulator_does_what_the_manual_says() {
    let Some(emulator) = emulator() else { return };
    let check = built("check.c", &[]);
    for (answer, argument) in [("right", "all"), ("refused", "refused")] {
        let found = Command::new(&check)
            .arg(argument)
            .env("LD_PRELOAD", &emulator)
            .env("STRATA_AMX", if answer == "refused" { "refuse" } else { "" })
            .output()
            .expect("it runs");
        assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), answer, "{found:?}");
    }
}

/// What AMX needs besides, and what stands in for it.
const FEATURES: &str = "+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16";

/// The emulator in this process.
struct Tiles {
    library: Option<libloading::Library>,
}

/// Permits this process tiles; `None` where code for them cannot run.
fn permitted() -> Option<&'static Tiles> {
    static TILES: OnceLock<Option<Tiles>> = OnceLock::new();
    let start = || {
        #[cfg(target_arch = "x86_64")]
        if !is_x86_feature_detected!("avx512vnni") || !is_x86_feature_detected!("avx512bf16") {
            eprintln!("not run: the processor has no AVX-512 with VNNI and BF16");
            return None;
        }
        let emulator = emulator()?;
        if strata_run::are_tiles_permitted() {
            return Some(Tiles { library: None });
        }
        // SAFETY: the emulator's start sets a handler of signals that no other code of this process needs.
        let library = unsafe { libloading::Library::new(emulator) }.expect("the emulator loads");
        // SAFETY: the function has this type.
        unsafe { library.get::<unsafe extern "C" fn()>(b"amx_permit").expect("exported")() };
        Some(Tiles { library: Some(library) })
    };
    TILES.get_or_init(start).as_ref()
}

impl Tiles {
    /// Instructions that were emulated; `None` on a processor that has them.
    fn executed(&self) -> Option<u64> {
        let library = self.library.as_ref()?;
        // SAFETY: the function has this type.
        let executed = unsafe { library.get::<unsafe extern "C" fn() -> u64>(b"amx_executed") };
        // SAFETY: as above.
        Some(unsafe { executed.expect("exported")() })
    }
}

fn amx() -> Options {
    let target = resolve(None, Some("x86-64-v4"), Some(FEATURES)).expect("a target");
    Options { target, ..options("x86-64") }
}

fn at(program: &str, options: Options, stage: Stage) -> Artifact {
    let compiled = Compiler::new(options).to(stage).compile("amx.mlir", program.as_bytes());
    compiled.unwrap_or_else(|errors| panic!("{program}: {errors}"))
}

fn assembly(program: &str) -> String {
    String::from_utf8_lossy(at(program, amx(), Stage::Asm).bytes()).into_owned()
}

/// The target as the command takes it.
const TARGET: [&str; 4] = ["--target-cpu", "x86-64-v4", "--target-features", FEATURES];

/// The results in vectors, then in tiles, on buffers between guard pages.
#[track_caller]
fn both(program: &str, tiles: &Tiles, inputs: &[Vec<u8>]) -> [Vec<Vec<u8>>; 2] {
    let loaded = Loaded::new(&at(program, amx(), Stage::Obj));
    let before = tiles.executed();
    let in_vectors = loaded.call(inputs);
    assert_eq!(tiles.executed(), before, "tiles are used that nothing permitted");
    loaded.permit_tiles();
    let in_tiles = loaded.call(inputs);
    assert!(before.is_none_or(|before| tiles.executed() > Some(before)), "no tile is used");
    [in_vectors, in_tiles]
}

/// The least number of a residue class of 64 for which a dot is worth tiles.
fn deep([m, n]: [usize; 2], class: usize) -> usize {
    let least = (1_usize << 17).div_ceil(m * n).max(64);
    (0..64).map(|more| least + more).find(|depth| depth % 64 == class % 64).unwrap_or(least)
}

const ROWS: [usize; 8] = [8, 13, 16, 17, 31, 33, 64, 100];
const SIZES: [usize; 7] = [16, 17, 31, 33, 64, 65, 100];
const CLASSES: [usize; 9] = [0, 1, 3, 15, 16, 17, 31, 33, 36];

#[test]
fn sums_of_bytes_are_those_of_64_bit_arithmetic() {
    let Some(tiles) = permitted() else { return };
    for case in 0..ROWS.len() * 3 {
        let (m, n) = (ROWS[case % ROWS.len()], SIZES[(3 * case + case / ROWS.len()) % SIZES.len()]);
        let k = deep([m, n], CLASSES[case % CLASSES.len()]);
        let dot = Dot {
            sizes: [1, m, k, n],
            first: [case % 5 == 4, case % 3 != 2],
            signs: SIGNS[case % 4],
        };
        let inputs = dot.inputs();
        let expected = dot.expected(&inputs[0], &inputs[1]);
        for (found, form) in both(&dot.program(), tiles, &inputs).iter().zip(["vectors", "tiles"]) {
            assert!(*found == [expected.clone()], "{dot:?} in {form}");
        }
    }
}

/// Panels have the columns of several regions of tiles, and operands are larger than L1, so that they are read past it.
#[test]
fn panels_of_several_regions() {
    let Some(tiles) = permitted() else { return };
    // The last one has a panel of one tile, which is transposed.
    let firsts = [[false, true], [false, false], [true, true], [true, false], [false, false]];
    for (case, [m, k, n]) in
        [[70, 520, 200], [40, 1029, 331], [9, 700, 145], [33, 4100, 97], [49, 64, 48]]
            .into_iter()
            .enumerate()
    {
        let dot = Dot { sizes: [1, m, k, n], first: firsts[case], signs: SIGNS[case % 4] };
        let inputs = dot.inputs();
        let expected = dot.expected(&inputs[0], &inputs[1]);
        for (found, form) in both(&dot.program(), tiles, &inputs).iter().zip(["vectors", "tiles"]) {
            assert!(*found == [expected.clone()], "{dot:?} in {form}");
        }
    }
    let text = assembly(
        &Dot { sizes: [1, 70, 520, 200], first: [false, true], signs: SIGNS[0] }.program(),
    );
    assert!(text.contains("tileloaddt1") && text.contains("tileloadd\t"), "{text}");
}

/// Rows of pixels that leave a rest of a tile: two tiles of the same number of rows, of one row or of two, read what they have in common once.
#[test]
fn rows_of_pixels_share_right_operands() {
    let Some(tiles) = permitted() else { return };
    const FROM: usize = 64;
    const TO: usize = 64;
    for ([height, width], is_shared) in
        [([3, 28], true), ([4, 14], true), ([2, 56], true), ([3, 14], false), ([2, 27], false)]
    {
        let (x, y) = (
            format!("tensor<1x{height}x{width}x{FROM}xi8>"),
            format!("tensor<1x{height}x{width}x{TO}xi32>"),
        );
        let program = format!(
            "func.func @main(%x: {x}, %k: tensor<3x3x{FROM}x{TO}xi8>) -> {y} {{
              %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, tensor<3x3x{FROM}x{TO}xi8>) -> {y}
              return %0 : {y}
            }}"
        );
        let image: Vec<i8> = (0..height * width * FROM).map(|at| (at * 37 % 251) as i8).collect();
        let kernel: Vec<i8> = (0..9 * FROM * TO).map(|at| (at * 91 % 253) as i8).collect();
        let mut expected = Vec::new();
        for place in 0..height * width {
            let mut sums = [0_i32; TO];
            for tap in 0..9 {
                let row = (place / width + tap / 3).checked_sub(1).filter(|row| *row < height);
                let pixel = (place % width + tap % 3).checked_sub(1).filter(|at| *at < width);
                let (Some(row), Some(pixel)) = (row, pixel) else { continue };
                for from in 0..FROM {
                    let one = i32::from(image[(row * width + pixel) * FROM + from]);
                    for (to, sum) in sums.iter_mut().enumerate() {
                        *sum += one * i32::from(kernel[(tap * FROM + from) * TO + to]);
                    }
                }
            }
            expected.extend(sums.iter().flat_map(|sum| sum.to_le_bytes()));
        }
        let bytes = |of: &[i8]| of.iter().map(|one| one.cast_unsigned()).collect::<Vec<u8>>();
        for found in both(&program, tiles, &[bytes(&image), bytes(&kernel)]) {
            assert!(found == [expected.clone()], "{height}x{width}");
        }
        let text = assembly(&program);
        let count = |name: &str| text.matches(name).count();
        let [products, loads] = [count("tdpb"), count("tileload")];
        assert_eq!(loads <= products, is_shared, "{height}x{width}: {loads} for {products}");
    }
}

/// Batches between rows and sums, and dimensions of one element, as exporters write the scores of attention.
#[test]
fn scores_of_attention_take_tiles() {
    let Some(tiles) = permitted() else { return };
    let program = "func.func @main(%q: tensor<1x40x3x1x64xi8>, %k: tensor<1x60x3x64xi8>) -> tensor<1x3x40x1x60xi32> {
      %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<1x40x3x1x64xi8>, tensor<1x60x3x64xi8>) -> tensor<1x3x40x1x60xi32>
      return %0 : tensor<1x3x40x1x60xi32>
    }";
    let q: Vec<i8> = (0..40 * 3 * 64).map(|at| (at * 37 % 251 - 125) as i8).collect();
    let k: Vec<i8> = (0..60 * 3 * 64).map(|at| (at * 91 % 253 - 126) as i8).collect();
    let mut expected = Vec::new();
    for head in 0..3 {
        for row in 0..40 {
            for column in 0..60 {
                let product = |at: usize| {
                    i32::from(q[(row * 3 + head) * 64 + at])
                        * i32::from(k[(column * 3 + head) * 64 + at])
                };
                expected.extend((0..64).map(product).sum::<i32>().to_le_bytes());
            }
        }
    }
    let bytes = |of: &[i8]| of.iter().map(|one| one.cast_unsigned()).collect::<Vec<u8>>();
    for found in both(program, tiles, &[bytes(&q), bytes(&k)]) {
        assert!(found == [expected.clone()]);
    }
}

/// Blocks of rows of attention whose results are those of all heads, row by row: rows of a tile are far apart.
#[test]
fn results_of_attention_are_between_those_of_other_heads() {
    let Some(tiles) = permitted() else { return };
    let [heads, rows, keys, width] = [2, 300, 512, 16];
    let program = "func.func @main(%q: tensor<2x300x16xbf16>, %k: tensor<2x512x16xbf16>, %v: tensor<2x512x16xbf16>) -> tensor<300x2x16xf32> {
      %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x300x16xbf16>, tensor<2x512x16xbf16>) -> tensor<2x300x512xf32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<2x300x512xf32>, tensor<f32>) -> tensor<2x300xf32>
      %b = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x300xf32>) -> tensor<2x300x512xf32>
      %d = stablehlo.subtract %s, %b : tensor<2x300x512xf32>
      %w = stablehlo.convert %d : (tensor<2x300x512xf32>) -> tensor<2x300x512xbf16>
      %o = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x300x512xbf16>, tensor<2x512x16xbf16>) -> tensor<2x300x16xf32>
      %r = stablehlo.transpose %o, dims = [1, 0, 2] : (tensor<2x300x16xf32>) -> tensor<300x2x16xf32>
      return %r : tensor<300x2x16xf32>
    }";
    let schedule = at(program, amx(), Stage::Schedule);
    assert!(
        String::from_utf8_lossy(schedule.bytes()).contains("\"attention "),
        "no blocks of rows"
    );
    // Numbers whose sums are exact, in any order.
    let numbers = |count: usize, most: i32, seed: i32| -> Vec<i32> {
        let number = |at: usize| (at as i32 * 37 + seed * 11) % 97 % (2 * most + 1) - most;
        (0..count).map(number).collect()
    };
    let q = numbers(heads * rows * width, 1, 1);
    let [k, v] = [(1, 2), (3, 3)].map(|(most, seed)| numbers(heads * keys * width, most, seed));
    let mut expected = Vec::new();
    for row in 0..rows {
        for head in 0..heads {
            let product = |key: usize, at: usize| {
                q[(head * rows + row) * width + at] * k[(head * keys + key) * width + at]
            };
            let scores: Vec<i32> =
                (0..keys).map(|key| (0..width).map(|at| product(key, at)).sum()).collect();
            let most = *scores.iter().max().expect("keys");
            for column in 0..width {
                let weighed =
                    |key: usize| (scores[key] - most) * v[(head * keys + key) * width + column];
                let sum: i32 = (0..keys).map(weighed).sum();
                expected.extend((sum as f32).to_le_bytes());
            }
        }
    }
    let halves = [&q, &k, &v].map(|of| {
        of.iter().flat_map(|one| bf16::from_f32(*one as f32).to_le_bytes()).collect::<Vec<u8>>()
    });
    for found in both(program, tiles, &halves) {
        assert!(found == [expected.clone()]);
    }
}

#[test]
fn batches_and_every_pair_of_signs() {
    let Some(tiles) = permitted() else { return };
    for (at, signs) in SIGNS.into_iter().enumerate() {
        let dot = Dot { sizes: [3, 33, 200, 48], first: [at == 1, at != 2], signs };
        let inputs = dot.inputs();
        let expected = dot.expected(&inputs[0], &inputs[1]);
        for found in both(&dot.program(), tiles, &inputs) {
            assert!(found == [expected.clone()], "{dot:?}");
        }
    }
}

#[test]
fn sums_of_bf16_are_within_their_bound() {
    let Some(tiles) = permitted() else { return };
    for [m, k, n] in [[64, 64, 64], [33, 130, 70], [64, 1029, 65], [17, 500, 100], [100, 98, 31]] {
        let (x, y): (Vec<bf16>, Vec<bf16>) = (numbers(m * k, 1), numbers(k * n, 2));
        let inputs = [bytes_of(&x), bytes_of(&y)];
        for found in both(&bf16_program([m, k, n], "f32", ""), tiles, &inputs) {
            assert_within(&found[0], [m, k, n], (&x, &y), (24, "bf16"));
        }
    }
}

/// What follows a dot is fused with it, in a loop of the program, on several threads.
#[test]
fn tiles_are_each_threads_own() {
    let Some(tiles) = permitted() else { return };
    let program = "func.func @main(%x: tensor<256x256xi8>, %y: tensor<256x300xi8>, %z: tensor<256x300xi32>) -> tensor<256x300xi32> {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %s = %z) : tensor<i32>, tensor<256x300xi32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<256x256xi8>, tensor<256x300xi8>) -> tensor<256x300xi32>
        %q = stablehlo.multiply %s, %p : tensor<256x300xi32>
        %t = stablehlo.add %q, %s : tensor<256x300xi32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %t : tensor<i32>, tensor<256x300xi32>
      }
      return %r#1 : tensor<256x300xi32>
    }";
    let dot = Dot { sizes: [1, 256, 256, 300], first: [false, true], signs: [true, true] };
    let [x, y] = dot.inputs();
    let words = |bytes: &[u8]| -> Vec<i32> {
        bytes
            .chunks_exact(4)
            .map(|one| i32::from_le_bytes([one[0], one[1], one[2], one[3]]))
            .collect()
    };
    let z: Vec<i32> = (0..256 * 300).map(|at| at * 7919 - 3).collect();
    let bytes =
        |words: &[i32]| -> Vec<u8> { words.iter().flat_map(|one| one.to_le_bytes()).collect() };
    let mut expected = z.clone();
    for _ in 0..3 {
        for (sum, product) in expected.iter_mut().zip(words(&dot.expected(&x, &y))) {
            *sum = sum.wrapping_mul(product).wrapping_add(*sum);
        }
    }
    let inputs = [x, y, bytes(&z)];
    for found in both(program, tiles, &inputs) {
        assert!(found == [bytes(&expected)]);
    }
    let loaded =
        Loaded::new(&at(program, Options { tasks: strata::Tasks::Always, ..amx() }, Stage::Obj));
    loaded.permit_tiles();
    for threads in [1, 2, 3] {
        let pool = Pool::new(threads);
        assert!(
            loaded.call_on_threads(&inputs, pool.executor()) == [bytes(&expected)],
            "{threads}"
        );
    }
}

#[test]
fn features_that_are_taken_away_are_not_used() {
    for (features, takes) in
        [("", true), ("-amx-tile", false), ("-amx-bf16", false), ("-amx-tile,+amx-tile", true)]
    {
        let target = resolve(None, Some("sapphirerapids"), Some(features)).expect("a target");
        let options = Options { target, ..options("x86-64") };
        let asm = at(&bf16_program([64, 90, 48], "f32", ""), options, Stage::Asm);
        let text = String::from_utf8_lossy(asm.bytes()).into_owned();
        assert_eq!(text.contains("tdpbf16ps"), takes, "{features}");
    }
}

/// Each stage is run by the interpreter, and the object in tiles, which the command asks for.
#[test]
fn the_command_runs_every_stage() {
    let Some(emulator) = emulator().filter(|_| permitted().is_some()) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dot = Dot { sizes: [2, 40, 72, 50], first: [false, true], signs: [false, false] };
    std::fs::write(folder.path().join("dot.mlir"), dot.program()).expect("written");
    let bf16 = bf16_program([64, 90, 48], "f32", "");
    std::fs::write(folder.path().join("bf16.mlir"), bf16).expect("written");
    // With a stride of 3, of the taps that are 0, 1 and 2 after a multiple of it.
    let conv = |element: &str, sum: &str, [stride, width, taps]: [usize; 3]| {
        let (x, k) = (
            format!("tensor<1x7x{width}x64x{element}>"),
            format!("tensor<3x{taps}x64x40x{element}>"),
        );
        let positions = (width - taps) / stride + 1;
        let y = format!("tensor<1x7x{positions}x40x{sum}>");
        format!(
            "func.func @main(%x: {x}, %k: {k}, %z: tensor<40x{sum}>) -> {y} {{
               %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [1, {stride}], pad = [[1, 1], [0, 0]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {k}) -> {y}
               %b = stablehlo.broadcast_in_dim %z, dims = [3] : (tensor<40x{sum}>) -> {y}
               %1 = stablehlo.add %0, %b : {y}
               return %1 : {y}
             }}"
        )
    };
    for (file, text) in [
        ("conv.mlir", conv("bf16", "f32", [1, 33, 2])),
        ("bytes.mlir", conv("i8", "i32", [1, 33, 2])),
        ("strides.mlir", conv("i8", "i32", [3, 60, 4])),
        ("single.mlir", conv("bf16", "f32", [2, 40, 1])),
    ] {
        std::fs::write(folder.path().join(file), text).expect("written");
    }
    for file in ["dot.mlir", "bf16.mlir", "conv.mlir", "bytes.mlir", "strides.mlir", "single.mlir"]
    {
        let fixed = ["verify", file, "--stages", "--rounds", "1", "--values", "tame"];
        let found = Command::new(binary())
            .args(fixed.iter().chain(&TARGET))
            .current_dir(folder.path())
            .env("LD_PRELOAD", &emulator)
            .env("STRATA_AMX_COUNT", "1")
            .output()
            .expect("the command runs");
        if permitted().is_some_and(|tiles| tiles.executed().is_some()) {
            let said = String::from_utf8_lossy(&found.stderr);
            assert!(said.contains("amx emulator: executed"), "{file} uses no tiles");
        }
        assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
        let text = String::from_utf8_lossy(&found.stdout);
        assert!(text.contains("stage `vector`") && text.contains("stage `obj`"), "{text}");
    }
}

/// Configured before the loops over rows, released after them, with sums in four tiles.
#[test]
fn tiles_are_configured_once_for_rows() {
    let text = assembly(&bf16_program([256, 1024, 64], "f32", ""));
    let lines = text.lines().map(str::trim).filter(|line| {
        ["tile", "tdp", "ldtile"].iter().any(|start| line.starts_with(start))
            || line.starts_with("vdpbf16ps")
    });
    let mut seen: Vec<(String, usize)> = Vec::new();
    for name in lines.filter_map(|line| line.split_whitespace().next()) {
        match seen.last_mut() {
            Some((last, count)) if last == name => *count += 1,
            _ => seen.push((name.to_owned(), 1)),
        }
    }
    let seen: Vec<_> = seen.iter().map(|(name, count)| format!("{count} {name}")).collect();
    insta::assert_snapshot!("amx_kernel_of_bf16", seen.join("\n"));
}

/// Also where a client waits for the compilation.
#[test]
fn quick_compilations_have_tiles() {
    let options = Options { in_process: true, ..amx() };
    let artifact = at(&bf16_program([64, 90, 48], "f32", ""), options, Stage::Asm);
    let text = String::from_utf8_lossy(artifact.bytes()).into_owned();
    assert!(text.contains("tdpbf16ps") && text.contains("vdpbf16ps"), "{text}");
}

/// A program in C asks by the header; where the system refuses, or where no object has tiles, it runs all the same.
#[test]
fn the_header_asks_for_tiles() {
    let Some(emulator) = emulator().filter(|_| permitted().is_some()) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dot = Dot { sizes: [1, 48, 128, 48], first: [false, true], signs: [true, true] };
    let [x, y] = dot.inputs();
    let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let source = format!(
        "#include \"strata/tiles.h\"\n#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n\
         #ifdef __cplusplus\nextern \"C\"\n#endif\n\
         int32_t test_main(const void *const *, void *const *, void *, const void *);\n\
         static const uint8_t x[] = {{{}}}, y[] = {{{}}}, expected[] = {{{}}};\n\
         static uint8_t z[sizeof expected], w[1 << 20] __attribute__((aligned(64)));\n\
         int main(void) {{\n\
           int is_permitted = strata_permit_tiles();\n\
           const void *inputs[] = {{x, y}}; void *outputs[] = {{z}};\n\
           int status = test_main(inputs, outputs, w, NULL);\n\
           printf(\"%d %d %d\\n\", is_permitted, status, memcmp(z, expected, sizeof z) == 0);\n\
           return 0;\n\
         }}\n",
        list(&x),
        list(&y),
        list(&dot.expected(&x, &y))
    );
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    for (compiler, standard, file, target) in [
        ("cc", "-std=c11", "main.c", amx()),
        ("c++", "-std=c++17", "main.cpp", amx()),
        ("cc", "-std=gnu11", "gnu.c", options("x86-64-v3")),
    ] {
        let has_tiles = target.target.dot_features.contains(&"amx-int8");
        let object = at(&dot.program(), target, Stage::Obj);
        std::fs::write(folder.path().join("dot.o"), object.bytes()).expect("written");
        std::fs::write(folder.path().join(file), &source).expect("written");
        let built = Command::new(compiler)
            .args([standard, "-Wall", "-Wextra", "-Werror", "-I"])
            .arg(&include)
            .args([file, "dot.o", "-lm", "-o", "main"])
            .current_dir(folder.path())
            .output()
            .expect("the compiler runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        for (wish, answer) in [("", "1 0 1"), ("refuse", "0 0 1")] {
            let found = Command::new(folder.path().join("main"))
                .env("LD_PRELOAD", &emulator)
                .env("STRATA_AMX", wish)
                .env("STRATA_AMX_COUNT", "1")
                .output()
                .expect("it runs");
            assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), answer, "{file} {wish}");
            let text = String::from_utf8_lossy(&found.stderr);
            let uses = text.lines().any(|line| line.starts_with("amx emulator: executed"));
            let is_emulated = permitted().is_some_and(|tiles| tiles.executed().is_some());
            if is_emulated {
                assert_eq!(uses, has_tiles && wish.is_empty(), "{file} {wish}: {text}");
            }
        }
    }
}
