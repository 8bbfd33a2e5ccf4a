//! The machine's limits on one thread, with which `strata bench` and `strata profile` compare.
//!
//! The loops are written in LLVM IR for the vectors of the target and compiled and called like any program, so that only their
//! instructions differ from those of the measured program.

mod tiles;

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use strata::{Compiler, ElementType, Isa, OptLevel, Options, Signature, Stage, Target, TensorSpec};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_run::{Bound, Effort, Loaded};
use strata_target::{DotInstruction, Lane, NarrowDot, NarrowInt, TileInstruction};

use crate::median;

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Operations per second of multiply-adds on `f32` in registers.
    pub flops: f64,
    /// The same of sums of products of bytes, by the best instruction for them, where the target has one.
    pub dots: Option<f64>,
    /// The same of products of tiles of bytes, where the target has them and the system permits them.
    pub byte_tiles: Option<f64>,
    /// The same of `bf16`.
    pub bf16_tiles: Option<f64>,
    /// Bytes per second of reading an array.
    pub read: f64,
    /// Bytes per second of copying an array, those read and those written.
    pub copy: f64,
    /// Bytes of such an array.
    pub array_bytes: u64,
}

impl Limits {
    /// As reports have them.
    pub fn json(&self) -> Value {
        json!({
            "flops_per_second": self.flops,
            "byte_dots_per_second": self.dots,
            "byte_tiles_per_second": self.byte_tiles,
            "bf16_tiles_per_second": self.bf16_tiles,
            "read_bytes_per_second": self.read,
            "copy_bytes_per_second": self.copy,
            "array_bytes": self.array_bytes,
        })
    }
}

/// How long each loop is measured.
const TIME: Duration = Duration::from_millis(80);

/// Warm-up: vector units and clocks take a while.
const WARM_UP: Duration = Duration::from_millis(10);

/// Iterations of the loop of multiply-adds, so that a call takes some ten microseconds.
const TRIPS: u64 = 20_000;

/// Vectors that an iteration of the loops over arrays reads.
const UNROLLED: u64 = 8;

/// Minimum and maximum size of the arrays; caches may be larger than Linux reports.
const ARRAY_BYTES: (u64, u64) = (64 << 20, 256 << 20);

/// Measures the limits of this machine with the instructions of the options' target.
///
/// # Errors
/// A bug of ours if a loop does not compile; `S1807` if there is no memory for the arrays.
pub fn measure(options: &Options) -> Result<Limits, Diagnostics> {
    let array_bytes = (2 * largest_cache()).clamp(ARRAY_BYTES.0, ARRAY_BYTES.1);
    // Nothing else that is asked of a program is asked of the loops. Without optimisation, registers would be spilled.
    let options = Options {
        name: "limits".to_owned(),
        opt_level: OptLevel::Aggressive,
        ..Options::new(options.target.clone())
    };
    let loops = Loops::new(&options.target, array_bytes);
    let artifact = Compiler::new(options.clone())
        .from(Stage::LlvmIr)
        .compile("limits.ll", loops.text().as_bytes())?;
    let rate = |entry: &str, inputs: &[Vec<u8>], output: u64, work: u64| {
        let signature = Signature {
            entry: entry.to_owned(),
            inputs: inputs.iter().map(|bytes| floats(bytes.len() as u64)).collect(),
            outputs: vec![floats(output)],
            ..Signature::default()
        };
        let loaded = Loaded::new(artifact.bytes(), &options, &signature)?;
        Ok::<_, Diagnostic>(work as f64 / seconds_of_call(&mut loaded.bind(inputs)?)?)
    };
    let factors = [1e-3_f32, 0.5].map(f32::to_le_bytes).concat();
    let vector = u64::from(options.target.vector_bits() / 8);
    let flops = rate("fma", &[factors], vector, loops.flops())?;
    let bytes = [0x0302_01FF_u32, 0xFD7F_0180].map(u32::to_le_bytes).concat();
    let dots = loops.dot.map(|dot| rate("dot", &[bytes], vector, loops.dots(dot))).transpose()?;
    let tile = [vec![1; usize::try_from(tiles::TILE_BYTES).unwrap_or(usize::MAX)]];
    let in_tiles = |lane: Lane| {
        let of_lane = loops.tiles.iter().find(|one| one.lanes == [lane; 2]);
        let permitted = of_lane.filter(|_| strata_run::are_tiles_permitted());
        permitted
            .map(|one| rate(one.name, &tile, tiles::TILE_BYTES, tiles::operations(one)))
            .transpose()
    };
    let (byte_tiles, bf16_tiles) = (in_tiles(Lane::S8)?, in_tiles(Lane::Bf16)?);
    let array = [vec![0; usize::try_from(array_bytes).unwrap_or(usize::MAX)]];
    let read = rate("read", &array, vector, array_bytes)?;
    let copy = rate("copy", &array, array_bytes, 2 * array_bytes)?;
    Ok(Limits { flops, dots, byte_tiles, bf16_tiles, read, copy, array_bytes })
}

fn byte(is_signed: bool) -> NarrowInt {
    NarrowInt { bits: 8, is_signed }
}

fn floats(bytes: u64) -> TensorSpec {
    TensorSpec::new(vec![bytes / 4], ElementType::Float(32))
}

/// The median over the calls that fit into the time, at least three.
fn seconds_of_call(bound: &mut Bound<'_>) -> Result<f64, Diagnostic> {
    let mut call = || {
        let before = Effort::now();
        let started = Instant::now();
        let status = bound.call();
        let elapsed = started.elapsed();
        let after = Effort::now();
        match status {
            0 if after.interruptions == before.interruptions => Ok(elapsed),
            // Other work ran meanwhile.
            0 => Ok(after.time.saturating_sub(before.time)),
            _ => Err(Diagnostic::new(codes::S9001).reason("a loop that measures a limit failed")),
        }
    };
    let started = Instant::now();
    while started.elapsed() < WARM_UP {
        call()?;
    }
    let mut times = Vec::new();
    let started = Instant::now();
    while times.len() < 3 || started.elapsed() < TIME {
        times.push(call()?.as_secs_f64());
    }
    Ok(median(&mut times))
}

/// Bytes of the largest cache that Linux reports.
fn largest_cache() -> u64 {
    let size = |index: u32| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let text = fs::read_to_string(path).ok()?;
        text.trim().strip_suffix('K')?.parse::<u64>().ok()
    };
    (0..8).filter_map(size).max().unwrap_or(0) << 10
}

/// The loops for a target.
struct Loops {
    lanes: u32,
    /// Independent sums: more than an instruction's latency times its throughput.
    chains: u64,
    has_fma: bool,
    /// For sums of products of bytes.
    dot: Option<&'static DotInstruction>,
    /// For products of tiles.
    tiles: Vec<&'static TileInstruction>,
    array_bytes: u64,
}

impl Loops {
    fn new(target: &Target, array_bytes: u64) -> Self {
        Self {
            lanes: if target.isa == Isa::Scalar { 1 } else { target.lanes(32) },
            // Two of 16 registers hold the factors.
            chains: if target.vector_registers() >= 32 { 16 } else { 12 },
            has_fma: target.has_fma(),
            dot: NarrowDot::of(target, byte(false), byte(true)).and_then(|way| way.instruction),
            tiles: [Lane::S8, Lane::Bf16]
                .into_iter()
                .filter_map(|lane| TileInstruction::of_lanes(target, [lane; 2]))
                .collect(),
            array_bytes,
        }
    }

    /// Operations of a call of `dot`.
    fn dots(&self, dot: &DotInstruction) -> u64 {
        let products = u64::from(self.lanes) * dot.lanes[0].count().unsigned_abs();
        TRIPS * self.chains * products * 2
    }

    /// Operations of a call of `fma`.
    fn flops(&self) -> u64 {
        TRIPS * self.chains * u64::from(self.lanes) * 2
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let lanes = self.lanes;
        let (floats, ints) = (format!("<{lanes} x float>"), format!("<{lanes} x i32>"));
        let entries = ["fma", "read", "copy"].into_iter().chain(self.dot.map(|_| "dot"));
        for entry in entries {
            writeln!(
                text,
                "define i64 @limits_{entry}_workspace_size() {{\n  ret i64 0\n}}\n\
                 define i32 @limits_{entry}(ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor) {{\n\
                 entry:\n  %in = load ptr, ptr %inputs\n  %out = load ptr, ptr %outputs"
            )?;
            match entry {
                "fma" => self.write_fma(text, &floats)?,
                "dot" => self.write_dot(text, &ints)?,
                _ => self.write_memory(text, &ints, entry == "copy")?,
            }
            writeln!(text, "  ret i32 0\n}}")?;
        }
        for instruction in &self.tiles {
            tiles::write(text, instruction)?;
        }
        writeln!(text, "declare {floats} @llvm.fma.v{lanes}f32({floats}, {floats}, {floats})")?;
        let Some(dot) = self.dot else { return Ok(()) };
        let (name, elements) = (self.dot_name(dot), self.elements(dot));
        let sum = if dot.adds { format!("{ints}, ") } else { String::new() };
        writeln!(text, "declare {ints} @{name}({sum}{elements}, {elements})")
    }

    /// LLVM's intrinsic for whole vectors.
    fn dot_name(&self, dot: &DotInstruction) -> &'static str {
        dot.forms.first().map_or("", |(_, name)| name)
    }

    /// Vectors of its elements.
    fn elements(&self, dot: &DotInstruction) -> String {
        let bits = dot.lanes[0].bits();
        format!("<{} x i{bits}>", self.lanes * 32 / bits)
    }

    /// Sums of products of bytes in registers.
    fn write_dot(&self, text: &mut String, ty: &str) -> std::fmt::Result {
        let Some(dot) = self.dot else { return Ok(()) };
        let (lanes, name, elements) = (self.lanes, self.dot_name(dot), self.elements(dot));
        writeln!(text, "  %in1 = getelementptr i32, ptr %in, i64 1")?;
        for (name, from) in [("a", "%in"), ("b", "%in1")] {
            writeln!(
                text,
                "  %{name}0 = load i32, ptr {from}\n  \
                 %{name}1 = insertelement {ty} poison, i32 %{name}0, i64 0\n  \
                 %{name}2 = shufflevector {ty} %{name}1, {ty} poison, <{lanes} x i32> zeroinitializer\n  \
                 %{name} = bitcast {ty} %{name}2 to {elements}"
            )?;
        }
        writeln!(text, "  br label %loop\nloop:\n  %i = phi i64 [0, %entry], [%next, %loop]")?;
        for chain in 0..self.chains {
            writeln!(text, "  %c{chain} = phi {ty} [zeroinitializer, %entry], [%d{chain}, %loop]")?;
        }
        for chain in 0..self.chains {
            match dot.adds {
                true => writeln!(
                    text,
                    "  %d{chain} = call {ty} @{name}({ty} %c{chain}, {elements} %a, {elements} %b)"
                )?,
                // LLVM would hoist the products of the same elements out of the loop.
                false => writeln!(
                    text,
                    "  %e{chain} = bitcast {ty} %c{chain} to {elements}\n  \
                     %m{chain} = call {ty} @{name}({elements} %e{chain}, {elements} %b)\n  \
                     %d{chain} = add {ty} %m{chain}, %a2"
                )?,
            }
        }
        self.write_end(text)?;
        let sums: Vec<_> = (0..self.chains).map(|chain| format!("%d{chain}")).collect();
        write_folded(text, "add", ty, &sums)
    }

    /// The end of a loop over `TRIPS` iterations.
    fn write_end(&self, text: &mut String) -> std::fmt::Result {
        writeln!(
            text,
            "  %next = add i64 %i, 1\n  %more = icmp ult i64 %next, {TRIPS}\n  \
             br i1 %more, label %loop, label %end\nend:"
        )
    }

    /// Sums in registers, none of which grows beyond what `f32` holds.
    fn write_fma(&self, text: &mut String, ty: &str) -> std::fmt::Result {
        let lanes = self.lanes;
        writeln!(text, "  %in1 = getelementptr float, ptr %in, i64 1")?;
        // Loaded from memory, so that the optimiser does not know them.
        for (name, from) in [("a", "%in"), ("b", "%in1")] {
            writeln!(
                text,
                "  %{name}0 = load float, ptr {from}\n  \
                 %{name}1 = insertelement {ty} poison, float %{name}0, i64 0\n  \
                 %{name} = shufflevector {ty} %{name}1, {ty} poison, <{lanes} x i32> zeroinitializer"
            )?;
        }
        writeln!(text, "  br label %loop\nloop:\n  %i = phi i64 [0, %entry], [%next, %loop]")?;
        for chain in 0..self.chains {
            writeln!(text, "  %c{chain} = phi {ty} [zeroinitializer, %entry], [%d{chain}, %loop]")?;
        }
        for chain in 0..self.chains {
            match self.has_fma {
                true => writeln!(
                    text,
                    "  %d{chain} = call {ty} @llvm.fma.v{lanes}f32({ty} %a, {ty} %b, {ty} %c{chain})"
                )?,
                // LLVM would hoist the product of the factors out of the loop.
                false => writeln!(
                    text,
                    "  %m{chain} = fmul {ty} %c{chain}, %b\n  %d{chain} = fadd {ty} %m{chain}, %a"
                )?,
            }
        }
        self.write_end(text)?;
        let sums: Vec<_> = (0..self.chains).map(|chain| format!("%d{chain}")).collect();
        write_folded(text, "fadd", ty, &sums)
    }

    /// Reads the whole array and copies it to another, or stores the combination of all elements.
    fn write_memory(&self, text: &mut String, ty: &str, copies: bool) -> std::fmt::Result {
        let size = u64::from(self.lanes) * 4;
        let end = self.array_bytes / (size * UNROLLED) * size * UNROLLED;
        writeln!(text, "  br label %loop\nloop:\n  %i = phi i64 [0, %entry], [%next, %loop]")?;
        if !copies {
            for at in 0..UNROLLED {
                writeln!(text, "  %c{at} = phi {ty} [zeroinitializer, %entry], [%d{at}, %loop]")?;
            }
        }
        for at in 0..UNROLLED {
            let offset = at * size;
            writeln!(
                text,
                "  %o{at} = add i64 %i, {offset}\n  %p{at} = getelementptr i8, ptr %in, i64 %o{at}\n  \
                 %v{at} = load {ty}, ptr %p{at}, align {size}"
            )?;
            match copies {
                true => writeln!(
                    text,
                    "  %q{at} = getelementptr i8, ptr %out, i64 %o{at}\n  \
                     store {ty} %v{at}, ptr %q{at}, align {size}"
                )?,
                false => writeln!(text, "  %d{at} = or {ty} %c{at}, %v{at}")?,
            }
        }
        writeln!(
            text,
            "  %next = add i64 %i, {}\n  %more = icmp ult i64 %next, {end}\n  \
             br i1 %more, label %loop, label %end\nend:",
            size * UNROLLED
        )?;
        if copies {
            return Ok(());
        }
        let all: Vec<_> = (0..UNROLLED).map(|at| format!("%d{at}")).collect();
        write_folded(text, "or", ty, &all)
    }
}

/// Combines values and stores the result, so that they are not dead.
fn write_folded(text: &mut String, op: &str, ty: &str, values: &[String]) -> std::fmt::Result {
    let mut sum = values.first().cloned().unwrap_or_default();
    for (at, value) in values.iter().enumerate().skip(1) {
        writeln!(text, "  %s{at} = {op} {ty} {sum}, {value}")?;
        sum = format!("%s{at}");
    }
    writeln!(text, "  store {ty} {sum}, ptr %out, align 4")
}

#[cfg(test)]
mod tests {
    use strata::{Compiler, Options, Stage, Target};

    use super::Loops;

    /// Bounds are those of a program, not of the loops.
    #[test]
    fn programs_for_all_sizes_have_the_limits_of_the_machine() {
        let target: Target = strata::target::resolve(None, Some("native"), None).expect("a target");
        let max = vec![("s".to_owned(), 16)];
        let options = Options { open: true, max, ..Options::new(target) };
        super::measure(&options).unwrap_or_else(|errors| panic!("{}", errors.render()));
    }

    /// The instructions of the loops, for a CPU.
    fn assembly(cpu: &str) -> String {
        let target: Target = strata::target::resolve(None, Some(cpu), None).expect("a target");
        let text = Loops::new(&target, 1 << 20).text();
        let options = Options { name: "limits".into(), ..Options::new(target) };
        let compiler = Compiler::new(options).from(Stage::LlvmIr).to(Stage::Asm);
        let artifact = compiler
            .compile("limits.ll", text.as_bytes())
            .unwrap_or_else(|errors| panic!("{cpu}: {}", errors.render()));
        artifact.text().expect("text").to_owned()
    }

    fn count(text: &str, instruction: &str) -> usize {
        text.lines().filter(|line| line.trim_start().starts_with(instruction)).count()
    }

    #[test]
    fn multiply_adds_stay_in_registers() {
        for (cpu, register, chains) in [("x86-64-v3", "%ymm", 12), ("x86-64-v4", "%zmm", 16)] {
            let text = assembly(cpu);
            let fma = text.lines().filter(|line| line.contains("vfmadd"));
            let (inside, other): (Vec<_>, Vec<_>) =
                fma.partition(|line| line.contains(register) && !line.contains('('));
            assert_eq!((inside.len(), other.len()), (chains, 0), "{cpu}\n{text}");
        }
        let text = assembly("x86-64");
        assert_eq!(count(&text, "mulps"), 12, "{text}");
    }

    #[test]
    fn products_of_tiles_stay_in_registers() {
        let text = assembly("sapphirerapids");
        let all =
            ["tdpbssd", "tdpbf16ps", "tileloadd", "tilestored"].map(|name| count(&text, name));
        assert_eq!(all, [4, 4, 8, 2], "{text}");
    }

    #[test]
    fn products_of_bytes_stay_in_registers() {
        for (cpu, name, register, chains) in [
            ("znver4", "vpdpbusd", "%zmm", 16),
            ("alderlake", "vpdpbusd", "%ymm", 12),
            ("x86-64-v3", "vpmaddwd", "%ymm", 12),
            ("x86-64", "pmaddwd", "%xmm", 12),
        ] {
            let text = assembly(cpu);
            // AVX-VNNI's encoding is marked with `{vex}`.
            let of_name = |line: &&str| line.split_whitespace().any(|word| word == name);
            let dots = text.lines().filter(of_name);
            let (inside, other): (Vec<_>, Vec<_>) =
                dots.partition(|line| line.contains(register) && !line.contains('('));
            assert_eq!((inside.len(), other.len()), (chains, 0), "{cpu}\n{text}");
        }
    }
}
