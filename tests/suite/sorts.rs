//! Sorts of one operand, bit for bit what the evaluator makes of it: zeros of both signs and NaNs of all kinds among other
//! numbers, lines of all lengths around those of blocks, panels and parts, alone, many, and along every dimension.

use std::fmt::Write as _;

use strata::{Compiler, Options, Stage};
use strata_eval::{ElementType, Tensor, evaluate};
use strata_run::{Linked, Loaded};
use strata_target::tuning::sorting::{PARTED_TOGETHER, max_part, max_partings};

use crate::harness::{cpus, options};

/// How elements are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As JAX does: both zeros are equal, and so are all NaNs.
    Canonical,
    /// Both zeros are equal.
    Zeros,
    /// All NaNs are equal, to one with its sign bit set.
    Nans,
    /// By their bits, or as integers.
    Total,
}

/// Kinds of lines of which some are in most tests.
const KINDS: usize = 7;

/// Numbers that fall.
const REVERSED: usize = KINDS;
/// Numbers that rise and fall again.
const PIPES: usize = KINDS + 1;
/// Three different ones.
const FEW: usize = KINDS + 2;
/// One and the same.
const EQUAL: usize = KINDS + 3;
/// The largest one, and few others.
const LARGEST: usize = KINDS + 4;

/// An operand and how it is sorted.
struct Sort {
    element: &'static str,
    sizes: Vec<usize>,
    dim: usize,
    order: Order,
    descending: bool,
    /// The kind of the first line.
    kind: usize,
}

fn sort(element: &'static str, sizes: &[usize], dim: usize, order: Order) -> Sort {
    Sort { element, sizes: sizes.to_vec(), dim, order, descending: false, kind: 0 }
}

/// Of lines of this kind, the next one and so on.
fn of_kind(kind: usize, sort: Sort) -> Sort {
    Sort { kind, ..sort }
}

fn descending(sort: Sort) -> Sort {
    Sort { descending: true, ..sort }
}

impl Sort {
    fn ty(&self) -> String {
        let sizes: String = self.sizes.iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{}>", self.element)
    }

    fn element_type(&self) -> ElementType {
        ElementType::parse(self.element).expect("an element type")
    }

    fn bits(&self) -> u32 {
        self.element_type().bits()
    }

    /// The bits of infinity, where there is one.
    fn infinity(&self) -> Option<u64> {
        match self.element {
            "f16" => Some(0x7C00),
            "bf16" => Some(0x7F80),
            "f32" => Some(0x7F80_0000),
            "f64" => Some(0x7FF0_0000_0000_0000),
            _ => None,
        }
    }

    /// The operation, from `%x` to `%r`, each with a number.
    fn text(&self, number: usize) -> String {
        let (ty, scalar) = (self.ty(), format!("tensor<{}>", self.element));
        let infinity = self.infinity().unwrap_or_default();
        let sign = if self.order == Order::Nans { 1 << (self.bits() - 1) } else { 0 };
        let digits = self.bits() as usize / 4;
        let nan = format!("0x{:0digits$X}", infinity | infinity >> 1 | sign);
        let mut body = String::new();
        let mut keys = Vec::new();
        for side in ["a", "b"] {
            let mut key = format!("%{side}");
            let mut choose = |name: &str, direction: &str, other: &str, constant: &str| {
                let value = format!("%{name}_{side}");
                let other = if other.is_empty() { format!("{value}_c") } else { other.to_owned() };
                let _ = write!(
                    body,
                    "    {value}_c = stablehlo.constant dense<{constant}> : {scalar}
    {value}_i = stablehlo.compare {direction}, %{side}, {other}, FLOAT : ({scalar}, {scalar}) -> tensor<i1>
    {value} = stablehlo.select {value}_i, {value}_c, {key} : tensor<i1>, {scalar}\n"
                );
                key = value;
            };
            if matches!(self.order, Order::Canonical | Order::Zeros) {
                choose("zero", "EQ", "", "0.0");
            }
            if matches!(self.order, Order::Canonical | Order::Nans) {
                choose("nan", "NE", &format!("%{side}"), &nan);
            }
            keys.push(key);
        }
        let kind = match self.infinity() {
            Some(_) => "TOTALORDER",
            None if self.element.starts_with("ui") => "UNSIGNED",
            None => "SIGNED",
        };
        let direction = if self.descending { "GT" } else { "LT" };
        format!(
            "  %r{number} = \"stablehlo.sort\"(%x{number}) <{{dimension = {} : i64, is_stable = true}}> ({{
  ^bb0(%a: {scalar}, %b: {scalar}):
{body}    %before = stablehlo.compare {direction}, {}, {kind} : ({scalar}, {scalar}) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }}) : ({ty}) -> {ty}\n",
            self.dim,
            keys.join(", "),
        )
    }

    /// Lines of alternating kinds.
    fn operand(&self) -> Tensor {
        let inner: usize = self.sizes[self.dim + 1..].iter().product();
        let length = self.sizes[self.dim];
        let mut state = 7;
        let mut bytes = Vec::new();
        for place in 0..self.sizes.iter().product() {
            let position = place / inner % length;
            let line = place / inner / length * inner + place % inner;
            let bits = self.bits_of_element(line, position, &mut state);
            bytes.extend_from_slice(&bits.to_le_bytes()[..self.bits() as usize / 8]);
        }
        Tensor::from_bytes(&self.sizes, self.element_type(), bytes).expect("bytes of the type")
    }

    fn bits_of_element(&self, line: usize, position: usize, state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        let random = *state ^ *state >> 29;
        let sign = 1 << (self.bits() - 1);
        let infinity = self.infinity().unwrap_or(sign >> 1);
        let quiet = infinity | infinity >> 1;
        let special = [
            0,
            sign,
            quiet,
            quiet | sign,
            infinity | 1,
            infinity | sign | 5,
            infinity,
            infinity | sign,
            1,
            sign | 1,
            quiet | 3,
            infinity >> 1,
        ];
        let special = special[random as usize % special.len()];
        // Neither a NaN nor zero.
        let ordinary = random & !(infinity & !(infinity >> 1)) | 1;
        let end = self.sizes[self.dim];
        // Seven kinds in turns; others where they are asked for.
        let kind = if self.kind < KINDS { (line + self.kind) % KINDS } else { self.kind };
        let bits = match kind {
            0 => random,
            1 => special,
            2 => ordinary,
            3 => quiet | sign,
            4 => position as u64,
            5 => sign | position as u64,
            REVERSED => (end - position) as u64,
            PIPES => position.min(end - position) as u64,
            FEW => (random % 3) << 4,
            EQUAL => infinity >> 1,
            LARGEST if random % 37 < 36 => sign - 1,
            LARGEST => random,
            _ if position.is_multiple_of(5) => special,
            _ => ordinary,
        };
        // The evaluator compares the bits of a signalling NaN as if it were quiet.
        let is_nan = bits & (sign - 1) > infinity && self.infinity().is_some();
        let by_bits = matches!(self.order, Order::Zeros | Order::Total);
        if is_nan && by_bits { bits | quiet } else { bits }
    }
}

#[track_caller]
fn check(sorts: &[Sort]) {
    check_with(sorts, false);
}

/// As [`check`], of code that is called in this process, which a client waits for.
#[track_caller]
fn check_in_process(sorts: &[Sort]) {
    check_with(sorts, true);
}

#[track_caller]
fn check_with(sorts: &[Sort], in_process: bool) {
    let operands: Vec<_> = sorts.iter().map(Sort::operand).collect();
    check_operands(sorts, &operands, in_process);
}

#[track_caller]
fn check_operands(sorts: &[Sort], operands: &[Tensor], in_process: bool) {
    let mut arguments = Vec::new();
    let mut results = Vec::new();
    let mut body = String::new();
    for (number, sort) in sorts.iter().enumerate() {
        arguments.push(format!("%x{number}: {}", sort.ty()));
        results.push(format!("%r{number}"));
        body += &sort.text(number);
    }
    let types: Vec<_> = sorts.iter().map(Sort::ty).collect();
    let (arguments, results, types) = (arguments.join(", "), results.join(", "), types.join(", "));
    let text = format!(
        "func.func public @main({arguments}) -> ({types}) {{\n{body}  return {results} : {types}\n}}\n"
    );
    let context = strata::new_context();
    let module = match strata_ir::parse(&context, "sorts.mlir", text.as_bytes()) {
        Ok(module) => module,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    let expected = match evaluate(&module, None, operands) {
        Ok(expected) => expected,
        Err(error) => panic!("{}\n{text}", error.render()),
    };
    let inputs: Vec<_> = operands.iter().map(|operand| operand.bytes().to_vec()).collect();
    // What v4 has, `native` has as well.
    for cpu in cpus().into_iter().filter(|cpu| *cpu != "x86-64-v4") {
        let options = Options { in_process, ..options(cpu) };
        let artifact = match Compiler::new(options.clone()).compile("sorts.mlir", text.as_bytes()) {
            Ok(artifact) => artifact,
            Err(errors) => panic!("{errors}\n{text}"),
        };
        let signature = artifact.signature().expect("a signature");
        let loaded = Loaded::linked(artifact.bytes(), &options, signature, &Linked::default());
        let (status, found) = loaded.expect("it links").call_twice(&inputs).expect("called");
        assert_eq!(status, 0);
        for (number, found) in found.iter().enumerate() {
            let size = sorts[number].bits() as usize / 8;
            let pairs = found.chunks(size).zip(expected[number].bytes().chunks(size));
            for (place, (found, expected)) in pairs.enumerate() {
                let same = found == expected;
                assert!(
                    same,
                    "{cpu}: {found:02x?} at {place} of {number}, not {expected:02x?}\n{text}"
                );
            }
        }
    }
}

/// Around blocks of 8 and 16 rows, powers of two, and where other ways begin.
const LENGTHS: &[usize] = &[2, 3, 8, 15, 17, 31, 33, 100, 256, 257];

#[test]
fn lines_of_all_lengths_have_zeros_and_nans_in_their_order() {
    for &length in LENGTHS {
        check(&[
            sort("f32", &[19, length], 1, Order::Canonical),
            descending(sort("f32", &[length, 18], 0, Order::Canonical)),
            descending(sort("f32", &[7, length], 1, Order::Total)),
            sort("f32", &[length], 0, Order::Canonical),
        ]);
    }
}

#[test]
fn long_lines_have_zeros_and_nans_in_their_order() {
    check(&[
        sort("f32", &[7, 1000], 1, Order::Canonical),
        descending(sort("f32", &[1000, 7], 0, Order::Canonical)),
        sort("f32", &[3, 1000], 1, Order::Total),
        descending(sort("f32", &[2, 1031], 1, Order::Zeros)),
        sort("f64", &[601, 2], 0, Order::Nans),
    ]);
    check(&[sort("f32", &[2, 9000], 1, Order::Canonical)]);
}

#[test]
fn single_lines_of_every_kind() {
    for kind in 0..=FEW {
        check(&[
            of_kind(kind, sort("f32", &[1000], 0, Order::Canonical)),
            of_kind(kind, descending(sort("f64", &[1, 555], 1, Order::Canonical))),
            of_kind(kind, sort("i64", &[300], 0, Order::Total)),
            of_kind(kind, descending(sort("ui16", &[777], 0, Order::Total))),
            of_kind(kind, sort("bf16", &[70, 1], 0, Order::Canonical)),
        ]);
    }
}

/// Around rows, squares and blocks of 4, 8 and 16 lanes, and numbers of blocks that are merged in different ways.
#[test]
fn single_lines_of_all_lengths() {
    let lengths = [16, 18, 20, 32, 63, 64, 65, 96, 127, 128, 129, 160, 255, 259, 271, 272, 273];
    let more = [288, 320, 400, 511, 512, 513, 768, 769, 1024, 1030, 1285, 2047, 2049];
    for (number, length) in lengths.into_iter().chain(more).enumerate() {
        let other = match number % 4 {
            0 => of_kind(6, descending(sort("f64", &[length], 0, Order::Canonical))),
            1 => descending(sort("i16", &[length], 0, Order::Total)),
            2 => sort("i64", &[2, length], 1, Order::Total),
            _ => of_kind(1, sort("bf16", &[length, 1], 0, Order::Canonical)),
        };
        check(&[of_kind(number % KINDS, sort("f32", &[length], 0, Order::Canonical)), other]);
    }
}

/// Of so many keys, lines are parted by vectors where the target has AVX2 or AVX-512.
const PARTED: usize = 1 << 14;

#[test]
fn long_lines_of_every_kind() {
    for kind in 0..=LARGEST {
        check(&[
            of_kind(kind, sort("f32", &[PARTED + kind], 0, Order::Canonical)),
            of_kind(kind, descending(sort("ui32", &[PARTED + 1500], 0, Order::Total))),
            of_kind(kind, sort("i64", &[2, PARTED + 37 * kind], 1, Order::Total)),
        ]);
    }
    for order in [Order::Zeros, Order::Nans, Order::Canonical] {
        check(&[
            descending(sort("f64", &[2, PARTED], 1, order)),
            of_kind(6, sort("f32", &[PARTED * 2 + 5, 1], 0, order)),
        ]);
    }
}

/// Partitions of vectors are in each stage where the target has instructions for them: two compressions in stage `llvm`, or a permutation.
#[test]
fn long_lines_are_parted_by_instructions_of_the_target() {
    let one = sort("i32", &[PARTED], 0, Order::Total);
    let (ty, body) = (one.ty(), one.text(0));
    let text =
        format!("func.func public @main(%x0: {ty}) -> {ty} {{\n{body}  return %r0 : {ty}\n}}\n");
    let stage = |cpu: &str, stage: Stage| {
        let compiled = Compiler::new(options(cpu)).to(stage).compile("sorts.mlir", text.as_bytes());
        compiled.expect("it compiles").text().expect("text").to_owned()
    };
    let partitions = |text: &str| text.matches("= narrow.partition ").count();
    for at in [Stage::Linalg, Stage::Schedule, Stage::Affine, Stage::Vector] {
        for (cpu, lanes) in [("x86-64-v4", 16), ("x86-64-v3", 8)] {
            let text = stage(cpu, at);
            let types = format!(" : vector<{lanes}xi32>, vector<{lanes}xi1>");
            assert!(partitions(&text) > 0, "{cpu} {at}");
            assert!(
                at == Stage::Linalg || partitions(&text) <= text.matches(&types).count(),
                "{cpu} {at}"
            );
        }
        assert_eq!(partitions(&stage("x86-64-v2", at)), 0, "{at}");
    }
    for (cpu, instruction, each) in
        [("x86-64-v4", "avx512.mask.compress", 2), ("x86-64-v3", "avx2.permd", 1)]
    {
        let [before, after] = [Stage::Vector, Stage::Llvm].map(|at| stage(cpu, at));
        assert_eq!(partitions(&after), 0);
        assert_eq!(after.matches(instruction).count(), each * partitions(&before), "{cpu}");
        // One table for all.
        assert_eq!(after.matches("@strata.partition.8(dense").count(), each % 2, "{cpu}");
    }
}

/// Lines that are sorted by digits, since pivots are among the first keys of each part: where the keys are that each pivot is made of, the
/// least of those that have no place yet were put.
#[test]
fn parts_that_do_not_shrink_are_sorted_by_digits() {
    for (element, vector_bits) in [("i32", 512), ("i64", 512), ("i32", 256), ("i64", 256)] {
        let one = sort(element, &[PARTED + 9], 0, Order::Total);
        let most = max_part(vector_bits, one.bits());
        let lanes = (vector_bits / one.bits()) as usize;
        let (keys, partings) = slow_to_part(one.sizes[0], lanes, most as usize);
        assert!(partings > max_partings(one.sizes[0] as i64, most), "{partings}");
        let size = one.bits() as usize / 8;
        let bytes = keys.iter().flat_map(|key| key.to_le_bytes()[..size].to_vec()).collect();
        let operand = Tensor::from_bytes(&one.sizes, one.element_type(), bytes);
        check_operands(&[one], &[operand.expect("bytes of the type")], false);
    }
}

/// Keys of which each pivot parts few from the others, and how often all were parted.
fn slow_to_part(length: usize, lanes: usize, most: usize) -> (Vec<u64>, i64) {
    let mut keys = vec![u64::MAX; length];
    let mut order: Vec<usize> = (0..length).collect();
    let (mut start, mut next, mut work) = (0, 0, 0);
    while length - start > most {
        let part = &mut order[start..];
        work += part.len();
        let distance = (part.len() - lanes) / 4;
        let mut medians = Vec::new();
        for lane in 0..lanes {
            let mut five = [0, 1, 2, 3, 4].map(|number| {
                let key = &mut keys[part[number * distance + lane]];
                if *key == u64::MAX {
                    *key = next;
                    next += 1;
                }
                *key
            });
            five.sort_unstable();
            medians.push(five[2]);
        }
        for half in (0..lanes.ilog2()).rev().map(|bit| 1 << bit) {
            medians = (0..half).map(|at| (medians[at] + medians[at + half]) / 2).collect();
        }
        start += parted(part, lanes, |place| keys[place] < medians[0]);
    }
    let left = keys.iter_mut().filter(|key| **key == u64::MAX);
    left.zip(next..).for_each(|(key, number)| *key = number);
    (keys, (work / length) as i64)
}

/// Parts as the program does, in place; returns how many are before the pivot.
fn parted(part: &mut [usize], lanes: usize, is_less: impl Fn(usize) -> bool) -> usize {
    let together = PARTED_TOGETHER as usize * lanes;
    let last = part.len() % lanes;
    let whole = part.len() - last;
    let mut read = [together, whole - together];
    let mut written = [0, part.len()];
    let mut held = part[..together].to_vec();
    held.extend(&part[read[1]..whole]);
    let write = |part: &mut [usize], written: &mut [usize; 2], row: &[usize]| {
        let (less, others): (Vec<_>, Vec<_>) = row.iter().partition(|place| is_less(**place));
        let end = written[1] - others.len();
        part[end..written[1]].copy_from_slice(&others);
        part[written[0]..][..less.len()].copy_from_slice(&less);
        *written = [written[0] + less.len(), end];
    };
    let row = part[whole..].to_vec();
    write(part, &mut written, &row);
    for size in [together, lanes] {
        while read[1] - read[0] >= size {
            let at = match written[1] - read[1] < read[0] - written[0] {
                true => {
                    read[1] -= size;
                    read[1]
                }
                false => {
                    read[0] += size;
                    read[0] - size
                }
            };
            let rows = part[at..at + size].to_vec();
            rows.chunks(lanes).for_each(|row| write(part, &mut written, row));
        }
    }
    held.chunks(lanes).for_each(|row| write(part, &mut written, row));
    written[0]
}

#[test]
fn comparators_may_know_zeros_or_nans_only() {
    for order in [Order::Zeros, Order::Nans, Order::Total] {
        for element in ["f32", "f64"] {
            check(&[
                sort(element, &[16, 40], 1, order),
                descending(sort(element, &[3, 21, 9], 1, order)),
                sort(element, &[150], 0, order),
                descending(sort(element, &[300], 0, order)),
            ]);
        }
    }
}

#[test]
fn floats_of_all_widths() {
    for element in ["f16", "bf16", "f32", "f64"] {
        check(&[
            sort(element, &[67, 37], 1, Order::Canonical),
            descending(sort(element, &[2, 37, 33], 1, Order::Canonical)),
            sort(element, &[3, 5, 130], 2, Order::Canonical),
            sort(element, &[2, 400], 1, Order::Canonical),
        ]);
    }
}

#[test]
fn integers_of_all_widths() {
    for element in ["i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"] {
        check(&[
            sort(element, &[67, 37], 1, Order::Total),
            descending(sort(element, &[2, 37, 33], 1, Order::Total)),
            sort(element, &[130], 0, Order::Total),
            descending(sort(element, &[2, 400], 1, Order::Total)),
        ]);
    }
}

#[test]
fn one_element_and_none() {
    check(&[
        sort("f32", &[5, 1], 1, Order::Canonical),
        sort("f32", &[1], 0, Order::Canonical),
        sort("f32", &[1, 40, 1], 1, Order::Canonical),
    ]);
    for sizes in [&[0, 20][..], &[20, 0], &[4, 0, 16]] {
        for dim in 0..sizes.len() {
            check(&[sort("f32", sizes, dim, Order::Canonical)]);
        }
    }
}

#[test]
fn few_short_lines_are_sorted_by_counting_in_the_process() {
    for &length in LENGTHS {
        check_in_process(&[
            sort("f32", &[length], 0, Order::Canonical),
            descending(sort("f32", &[length], 0, Order::Total)),
            sort("f32", &[3, length, 2], 1, Order::Canonical),
            descending(sort("i32", &[length, 1], 0, Order::Total)),
        ]);
    }
    for element in ["i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"] {
        check_in_process(&[
            sort(element, &[21], 0, Order::Total),
            descending(sort(element, &[7, 5, 2], 1, Order::Total)),
        ]);
    }
    for element in ["f16", "bf16", "f32", "f64"] {
        check_in_process(&[
            sort(element, &[7, 19], 1, Order::Canonical),
            descending(sort(element, &[2, 16, 3], 1, Order::Canonical)),
        ]);
    }
    check_in_process(&[sort("f32", &[1], 0, Order::Total), sort("f32", &[3, 0], 0, Order::Total)]);
}

#[test]
fn counting_is_less_code_and_for_few_short_lines_in_the_process_only() {
    let lines = |sizes: &[usize], in_process: bool| {
        let sort = sort("f32", sizes, sizes.len() - 1, Order::Canonical);
        let (ty, body) = (sort.ty(), sort.text(0));
        let text = format!(
            "func.func public @main(%x0: {ty}) -> {ty} {{\n{body}  return %r0 : {ty}\n}}\n"
        );
        let options = Options { in_process, ..options("x86-64-v3") };
        let compiler = Compiler::new(options).to(Stage::Linalg);
        let compiled = compiler.compile("sorts.mlir", text.as_bytes()).expect("it compiles");
        compiled.text().expect("text").lines().count()
    };
    for sizes in [&[100][..], &[20], &[2, 4, 40]] {
        let [usual, brief] = [false, true].map(|in_process| lines(sizes, in_process));
        assert!(2 * brief < usual, "{sizes:?}: {brief} of {usual} lines");
    }
    for sizes in [&[200][..], &[50, 40]] {
        assert_eq!(lines(sizes, true), lines(sizes, false), "{sizes:?}");
    }
}
