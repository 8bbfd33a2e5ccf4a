//! Dot products of narrow elements: the instructions that machines have for them, as data.
//!
//! A lane of 32 bits holds several elements that follow each other along the dimension that is summed. An instruction multiplies
//! the elements of two lanes in pairs and adds the products. Operands are packed into such lanes (`narrow.pack`), and the dot
//! of lanes (`narrow.dot`) is scheduled as one of 32-bit elements is.

use crate::{Isa, Target, TileInstruction};

/// What a lane of 32 bits holds, lowest bits first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Four bytes with a sign.
    S8,
    /// Four bytes without a sign.
    U8,
    /// Two integers of 16 bits with a sign.
    S16,
    /// Two numbers of `bf16`.
    Bf16,
    /// Two numbers of `f16`.
    F16,
}

impl Lane {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::S8, Self::U8, Self::S16, Self::Bf16, Self::F16];

    /// As the narrow dialect writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::S8 => "s8",
            Self::U8 => "u8",
            Self::S16 => "s16",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }

    /// The lane of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.name() == name)
    }

    /// Bits of an element.
    pub fn bits(self) -> u32 {
        match self {
            Self::S8 | Self::U8 => 8,
            Self::S16 | Self::Bf16 | Self::F16 => 16,
        }
    }

    /// Elements of a lane.
    pub fn count(self) -> i64 {
        i64::from(32 / self.bits())
    }

    /// Whether elements are floats, whose sums are of `f32`.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Bf16 | Self::F16)
    }

    /// Whether elements have a sign.
    pub fn is_signed(self) -> bool {
        self != Self::U8
    }

    /// What must be added to integers so that they are elements; `None` if no number will do.
    fn shift_for(self, from: NarrowInt) -> Option<i64> {
        match (self, from) {
            (Self::S16, NarrowInt { bits, .. }) if bits <= 8 => Some(0),
            (Self::S8, NarrowInt { bits, is_signed }) if bits < 8 || bits == 8 && is_signed => {
                Some(0)
            }
            (Self::U8, NarrowInt { bits, is_signed: false }) if bits <= 8 => Some(0),
            (Self::S8, NarrowInt { bits: 8, .. }) => Some(-128),
            (Self::U8, NarrowInt { bits, .. }) if bits <= 8 => Some(128),
            _ => None,
        }
    }
}

/// An integer type of few bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NarrowInt {
    /// Its bits.
    pub bits: u32,
    /// Whether it has a sign.
    pub is_signed: bool,
}

/// Integers of four or eight bits, of which a word of 32 bits has several where `narrow.pack` makes lanes of `bf16` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subword {
    /// Four bits with a sign.
    S4,
    /// Four bits without one.
    U4,
    /// Eight bits with a sign.
    S8,
    /// Eight bits without one.
    U8,
}

impl Subword {
    /// As the narrow dialect writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::S4 => "s4",
            Self::U4 => "u4",
            Self::S8 => "s8",
            Self::U8 => "u8",
        }
    }

    /// The integers of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::S4, Self::U4, Self::S8, Self::U8].into_iter().find(|one| one.name() == name)
    }

    /// Bits of each.
    pub fn bits(self) -> i64 {
        match self {
            Self::S4 | Self::U4 => 4,
            Self::S8 | Self::U8 => 8,
        }
    }

    /// Whether they have a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::S4 | Self::S8)
    }

    /// The least and the largest of them.
    pub fn range(self) -> [i32; 2] {
        let count = 1 << self.bits();
        let least = if self.is_signed() { -count / 2 } else { 0 };
        [least, least + count - 1]
    }

    /// How many are in a word.
    pub fn count(self) -> i64 {
        32 / self.bits()
    }

    /// How many lanes of `bf16` a word becomes.
    pub fn lanes(self) -> i64 {
        self.count() / Lane::Bf16.count()
    }

    /// The number that the lowest bits are.
    pub fn number(self, bits: u32) -> i32 {
        let above = 32 - self.bits() as u32;
        match self.is_signed() {
            true => (bits << above).cast_signed() >> above,
            false => (bits << above >> above).cast_signed(),
        }
    }

    /// The bits of that number as `bf16`, in which it is exact.
    pub fn bf16_bits(self, bits: u32) -> u16 {
        ((self.number(bits) as f32).to_bits() >> 16) as u16
    }

    /// How many lanes of `bf16`, all of one scale, a register of the target looks up at once in another that has all scaled numbers; `None`
    /// where it does not.
    pub fn looked_up(self, target: &Target) -> Option<i64> {
        (self.bits() == 4 && has_avx512_bf16(target)).then_some(16)
    }

    /// The word of a row of them that a lane is in, and which of its lanes it is; those of a word are `stride` apart.
    pub fn word_of(self, lane: i64, stride: i64) -> [i64; 2] {
        let block = lane / (self.lanes() * stride);
        [block * stride + lane % stride, lane / stride % self.lanes()]
    }
}

/// Whether the target has AVX512-BF16, which also rounds to `bf16`.
pub fn has_avx512_bf16(target: &Target) -> bool {
    DotInstruction::of_lanes(target, [Lane::Bf16; 2])
        .is_some_and(|found| found.feature == "avx512bf16")
}

/// An instruction that adds the products of elements of two lanes.
#[derive(Debug, PartialEq, Eq)]
pub struct DotInstruction {
    /// As assemblers write it.
    pub name: &'static str,
    /// The lanes of its operands, in the order of LLVM's intrinsic.
    pub lanes: [Lane; 2],
    /// The instruction set whose vectors it computes on.
    pub isa: Isa,
    /// The feature that it needs besides; empty if none.
    pub feature: &'static str,
    /// LLVM's intrinsic for vectors of that many bits, the widest first.
    pub forms: &'static [(u32, &'static str)],
    /// Whether it adds to a sum, its first operand.
    pub adds: bool,
    /// The instruction as LLVM's assembly, of the sum `$0` and the operands `$2` and `$3`, and the constraints of all: where LLVM
    /// would compute on vectors of `bf16` to have the intrinsic.
    pub assembly: Option<[&'static str; 2]>,
}

const VPDPBUSD: [(u32, &str); 3] = [
    (512, "llvm.x86.avx512.vpdpbusd.512"),
    (256, "llvm.x86.avx512.vpdpbusd.256"),
    (128, "llvm.x86.avx512.vpdpbusd.128"),
];
const VDPBF16PS: [(u32, &str); 3] = [
    (512, "llvm.x86.avx512bf16.dpbf16ps.512"),
    (256, "llvm.x86.avx512bf16.dpbf16ps.256"),
    (128, "llvm.x86.avx512bf16.dpbf16ps.128"),
];
const PMADDWD: [(u32, &str); 3] = [
    (512, "llvm.x86.avx512.pmaddw.d.512"),
    (256, "llvm.x86.avx2.pmadd.wd"),
    (128, "llvm.x86.sse2.pmadd.wd"),
];

/// The instructions. None saturates: sums of integers are those of 64-bit arithmetic, modulo 2³².
pub const DOT_INSTRUCTIONS: &[DotInstruction] = &[
    DotInstruction {
        name: "vdpbf16ps",
        lanes: [Lane::Bf16, Lane::Bf16],
        isa: Isa::Avx512,
        feature: "avx512bf16",
        forms: &VDPBF16PS,
        adds: true,
        assembly: Some(["vdpbf16ps $3, $2, $0", "=v,0,v,v"]),
    },
    DotInstruction {
        name: "vpdpbusd",
        lanes: [Lane::U8, Lane::S8],
        isa: Isa::Avx512,
        feature: "avx512vnni",
        forms: &VPDPBUSD,
        adds: true,
        assembly: None,
    },
    DotInstruction {
        name: "vpdpbusd",
        lanes: [Lane::U8, Lane::S8],
        isa: Isa::Avx2,
        feature: "avxvnni",
        forms: VPDPBUSD.split_at(1).1,
        adds: true,
        assembly: None,
    },
    DotInstruction {
        name: "vpmaddwd",
        lanes: [Lane::S16, Lane::S16],
        isa: Isa::Avx512,
        feature: "",
        forms: &PMADDWD,
        adds: false,
        assembly: None,
    },
    DotInstruction {
        name: "vpmaddwd",
        lanes: [Lane::S16, Lane::S16],
        isa: Isa::Avx2,
        feature: "",
        forms: PMADDWD.split_at(1).1,
        adds: false,
        assembly: None,
    },
    DotInstruction {
        name: "pmaddwd",
        lanes: [Lane::S16, Lane::S16],
        isa: Isa::Sse2,
        feature: "",
        forms: PMADDWD.split_at(2).1,
        adds: false,
        assembly: None,
    },
    DotInstruction {
        name: "sdot",
        lanes: [Lane::S8, Lane::S8],
        isa: Isa::Neon,
        feature: "dotprod",
        forms: &[(128, "llvm.aarch64.neon.sdot.v4i32.v16i8")],
        adds: true,
        assembly: None,
    },
    DotInstruction {
        name: "udot",
        lanes: [Lane::U8, Lane::U8],
        isa: Isa::Neon,
        feature: "dotprod",
        forms: &[(128, "llvm.aarch64.neon.udot.v4i32.v16i8")],
        adds: true,
        assembly: None,
    },
    DotInstruction {
        name: "usdot",
        lanes: [Lane::U8, Lane::S8],
        isa: Isa::Neon,
        feature: "i8mm",
        forms: &[(128, "llvm.aarch64.neon.usdot.v4i32.v16i8")],
        adds: true,
        assembly: None,
    },
    DotInstruction {
        name: "bfdot",
        lanes: [Lane::Bf16, Lane::Bf16],
        isa: Isa::Neon,
        feature: "bf16",
        forms: &[(128, "llvm.aarch64.neon.bfdot.v4f32.v8bf16")],
        adds: true,
        assembly: Some(["bfdot $0.4s, $2.8h, $3.8h", "=w,0,w,w"]),
    },
];

/// How a machine computes a dot of narrow elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NarrowDot {
    /// By which instruction; `None` where vectors have none, and tiles do.
    pub instruction: Option<&'static DotInstruction>,
    /// The lanes of the left and the right operand.
    pub lanes: [Lane; 2],
    /// What is added to each element of the right operand: that many times the sum of the left elements is too much.
    pub shift: i64,
}

impl DotInstruction {
    /// Whether the target has it.
    pub fn is_on(&self, target: &Target) -> bool {
        self.isa == target.isa
            && (self.feature.is_empty() || target.dot_features.contains(&self.feature))
    }

    /// That of the target for lanes of these kinds, in either order.
    pub fn of_lanes(target: &Target, [left, right]: [Lane; 2]) -> Option<&'static Self> {
        let fits = |one: &&Self| one.lanes == [left, right] || one.lanes == [right, left];
        DOT_INSTRUCTIONS.iter().filter(fits).find(|one| one.is_on(target))
    }
}

/// LLVM's names of processors with tiles of `bf16`.
const TILED: [&str; 4] = ["sapphirerapids", "emeraldrapids", "graniterapids", "diamondrapids"];

impl Target {
    /// Whether it is one of Intel's processors with tiles of `bf16`, whether they may be used or not.
    pub fn has_tiles(&self) -> bool {
        self.dot_features.contains(&"amx-bf16")
            || TILED.iter().any(|name| self.cpu.starts_with(name))
    }
}

impl NarrowDot {
    /// The way for operands of floats in such lanes and sums of `f32`; `None` where the target has no instruction.
    pub fn of_floats(target: &Target, lane: Lane) -> Option<Self> {
        let lanes = [lane; 2];
        let instruction = DotInstruction::of_lanes(target, lanes);
        let is_there = instruction.is_some() || TileInstruction::of_lanes(target, lanes).is_some();
        (lane.is_float() && is_there).then_some(Self { instruction, lanes, shift: 0 })
    }

    /// Whether products of whole matrices are faster by this than through `f32` where they are not in tiles: on the processors that have tiles for
    /// them, `vdpbf16ps` makes half of the multiply-adds of `f32` in the same time.
    pub fn is_fast(&self, target: &Target) -> bool {
        self.instruction.is_some() && (self.lanes != [Lane::Bf16; 2] || !target.has_tiles())
    }

    /// The best way for operands of these types; `None` where the target has no instruction.
    pub fn of(target: &Target, left: NarrowInt, right: NarrowInt) -> Option<Self> {
        let ways =
            DOT_INSTRUCTIONS.iter().filter(|one| one.is_on(target)).flat_map(|instruction| {
                let [first, second] = instruction.lanes;
                [[first, second], [second, first]].map(|lanes| (instruction, lanes))
            });
        let ways = ways.filter_map(|(instruction, lanes)| {
            let is_plain = lanes[0].shift_for(left) == Some(0);
            let shift = lanes[1].shift_for(right).filter(|_| is_plain)?;
            Some(Self { instruction: Some(instruction), lanes, shift })
        });
        // Many products at once count for more than a correction.
        ways.min_by_key(|way| (way.lanes[0].bits(), way.shift != 0))
    }
}

/// What `narrow.pack` makes of the bytes of an array of this shape, along dimension `dim`; `None` where they are not as many.
pub fn packed_lanes(
    bytes: &[u8],
    shape: &[i64],
    dim: usize,
    (from, to): (Lane, Lane),
) -> Option<Vec<u8>> {
    let size = |range: &[i64]| usize::try_from(range.iter().product::<i64>()).ok();
    let (rows, columns) = (size(shape.get(..dim)?)?, size(shape.get(dim + 1..)?)?);
    let (depth, count) = (size(&shape[dim..=dim])?, usize::try_from(to.count()).ok()?);
    let width = if to.is_float() { 2 } else { 1 };
    if rows.checked_mul(depth)?.checked_mul(columns)?.checked_mul(width)? != bytes.len() {
        return None;
    }
    let wide = |byte: u8| match from.is_signed() {
        true => i16::from(byte.cast_signed()),
        false => i16::from(byte),
    };
    let mut lanes = Vec::with_capacity(4 * rows * depth.div_ceil(count) * columns);
    let mut add = |element: Option<&[u8]>| match (to, element) {
        (Lane::Bf16 | Lane::F16, element) => lanes.extend_from_slice(element.unwrap_or(&[0; 2])),
        (Lane::S16, element) => {
            lanes.extend_from_slice(&element.map_or(0, |byte| wide(byte[0])).to_le_bytes());
        }
        (_, None) => lanes.push(0),
        // 128 more or less where the signs differ.
        (_, Some(byte)) => lanes.push(if from == to { byte[0] } else { byte[0] ^ 0x80 }),
    };
    for row in 0..rows {
        for first in (0..depth).step_by(count) {
            for column in 0..columns {
                for at in first..first + count {
                    let place = width * ((row * depth + at) * columns + column);
                    add((at < depth).then(|| &bytes[place..place + width]));
                }
            }
        }
    }
    Some(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(isa: Isa, features: &[&'static str]) -> Target {
        Target { isa, dot_features: features.to_vec(), ..Target::x86_64_baseline() }
    }

    const S8: NarrowInt = NarrowInt { bits: 8, is_signed: true };
    const U8: NarrowInt = NarrowInt { bits: 8, is_signed: false };
    const U4: NarrowInt = NarrowInt { bits: 4, is_signed: false };

    #[test]
    fn each_row_has_the_vectors_of_its_instruction_set() {
        for row in DOT_INSTRUCTIONS {
            let widest = target(row.isa, &[]).vector_bits();
            assert_eq!(row.forms.first().map(|(bits, _)| *bits), Some(widest), "{}", row.name);
            assert_eq!(row.lanes[0].count(), row.lanes[1].count(), "{}", row.name);
        }
    }

    #[test]
    fn lanes_hold_neighbours_along_their_dimension() {
        let bytes = [1, 2, 3, 0xFF, 5, 6];
        let packed = |dim, from, to| packed_lanes(&bytes, &[3, 2], dim, (from, to));
        let lanes = [0x81, 0x83, 0x85, 0, 0x82, 0x7F, 0x86, 0];
        assert_eq!(packed(0, Lane::S8, Lane::U8).as_deref(), Some(&lanes[..]));
        let lanes = [1, 0, 2, 0, 3, 0, 0xFF, 0xFF, 5, 0, 6, 0];
        assert_eq!(packed(1, Lane::S8, Lane::S16).as_deref(), Some(&lanes[..]));
        let bf16 = |shape: &[i64], dim| packed_lanes(&bytes, shape, dim, (Lane::Bf16, Lane::Bf16));
        assert_eq!(bf16(&[3, 1], 0).as_deref(), Some(&[1, 2, 3, 0xFF, 5, 6, 0, 0][..]));
        assert_eq!(bf16(&[3, 2], 0), None);
    }

    #[test]
    fn bf16_needs_its_feature() {
        let name = |isa, features: &[&'static str]| {
            let way = NarrowDot::of_floats(&target(isa, features), Lane::Bf16)?;
            way.instruction.map(|one| one.name)
        };
        assert_eq!(name(Isa::Avx512, &["avx512bf16", "avx512vnni"]), Some("vdpbf16ps"));
        assert_eq!(name(Isa::Avx512, &["avx512vnni"]), None);
        assert_eq!(name(Isa::Avx2, &["avx512bf16"]), None);
        assert_eq!(name(Isa::Neon, &["bf16", "dotprod"]), Some("bfdot"));
        assert_eq!(name(Isa::Neon, &["dotprod"]), None);
    }

    #[test]
    fn f16_is_multiplied_in_tiles_alone() {
        let way = |features: &[&'static str]| {
            NarrowDot::of_floats(&target(Isa::Avx512, features), Lane::F16)
        };
        assert_eq!(way(&["amx-bf16", "amx-int8", "avx512bf16", "avx512vnni"]), None);
        let found = way(&["amx-fp16"]).expect("tiles");
        assert_eq!((found.instruction, found.lanes), (None, [Lane::F16; 2]));
        assert!(!found.is_fast(&target(Isa::Avx512, &["amx-fp16"])));
    }

    #[test]
    fn signs_decide_what_is_shifted() {
        let vnni = target(Isa::Avx512, &["avx512vnni"]);
        let way = |left, right| {
            let way = NarrowDot::of(&vnni, left, right).expect("an instruction");
            (way.instruction.expect("one").name, way.lanes, way.shift)
        };
        assert_eq!(way(S8, S8), ("vpdpbusd", [Lane::S8, Lane::U8], 128));
        assert_eq!(way(U8, U8), ("vpdpbusd", [Lane::U8, Lane::S8], -128));
        assert_eq!(way(U8, S8), ("vpdpbusd", [Lane::U8, Lane::S8], 0));
        assert_eq!(way(S8, U8), ("vpdpbusd", [Lane::S8, Lane::U8], 0));
        assert_eq!(way(U4, U4), ("vpdpbusd", [Lane::U8, Lane::S8], 0));
        assert_eq!(way(U4, U8), ("vpdpbusd", [Lane::S8, Lane::U8], 0));
    }

    #[test]
    fn machines_take_what_they_have() {
        let name = |isa, features: &[&'static str], left, right| {
            let way = NarrowDot::of(&target(isa, features), left, right)?;
            let one = way.instruction?;
            Some((one.name, one.forms[0].0, way.shift != 0))
        };
        assert_eq!(name(Isa::Avx512, &[], S8, S8), Some(("vpmaddwd", 512, false)));
        assert_eq!(name(Isa::Avx2, &["avxvnni"], S8, S8), Some(("vpdpbusd", 256, true)));
        // Without the feature for short vectors it is not encodable.
        assert_eq!(name(Isa::Avx2, &["avx512vnni"], S8, S8), Some(("vpmaddwd", 256, false)));
        assert_eq!(name(Isa::Sse2, &[], U8, S8), Some(("pmaddwd", 128, false)));
        assert_eq!(name(Isa::Neon, &[], S8, S8), None);
        assert_eq!(name(Isa::Neon, &["dotprod"], S8, S8), Some(("sdot", 128, false)));
        assert_eq!(name(Isa::Neon, &["dotprod"], U8, U8), Some(("udot", 128, false)));
        assert_eq!(name(Isa::Neon, &["dotprod"], S8, U8), Some(("sdot", 128, true)));
        assert_eq!(name(Isa::Neon, &["dotprod", "i8mm"], S8, U8), Some(("usdot", 128, false)));
        assert_eq!(name(Isa::Scalar, &[], S8, S8), None);
    }
}
