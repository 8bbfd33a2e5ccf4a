//! Products of tiles: the instructions that machines have for small matrices of lanes, as data.
//!
//! A tile is a register of up to [`TILE_ROWS`] rows of [`TILE_LANES`] lanes of 32 bits. An instruction adds to each sum of a tile
//! the dots of a row of lanes of the left tile and a column of lanes of the right one (`narrow.matmul`). The left tile is a part of an operand as
//! it is in memory, where the elements of a sum are adjacent; a row of the right one has the lanes of several columns, as those
//! that are packed for the instructions of vectors have.

use crate::{
    DotInstruction, Isa, Lane, NarrowInt, Target,
    tuning::lowering::{MIN_TILED_BYTES, MIN_TILED_COLUMNS, MIN_TILED_ROWS, MIN_TILED_WORK},
};

/// Rows of a tile.
pub const TILE_ROWS: i64 = 16;
/// Lanes of a row.
pub const TILE_LANES: i64 = 16;
/// Tiles of a processor.
pub const TILES: usize = 8;

/// An instruction that adds the products of two tiles.
#[derive(Debug, PartialEq, Eq)]
pub struct TileInstruction {
    /// As assemblers write it.
    pub name: &'static str,
    /// The lanes of the left and the right tile.
    pub lanes: [Lane; 2],
    /// The feature that it needs.
    pub feature: &'static str,
}

/// The bytes that `ldtilecfg` reads for tiles of these rows and bytes of a row: palette 1, then bytes of rows and rows of each.
pub fn configuration(tiles: impl IntoIterator<Item = [i64; 2]>) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    for (at, [rows, width]) in tiles.into_iter().enumerate().take(TILES) {
        // At most 16 rows of 64 bytes.
        bytes[16 + 2 * at] = width as u8;
        bytes[48 + at] = rows as u8;
    }
    bytes
}

/// The instructions. None saturates, as none of vectors does.
pub const TILE_INSTRUCTIONS: &[TileInstruction] = &[
    TileInstruction { name: "tdpbssd", lanes: [Lane::S8, Lane::S8], feature: "amx-int8" },
    TileInstruction { name: "tdpbsud", lanes: [Lane::S8, Lane::U8], feature: "amx-int8" },
    TileInstruction { name: "tdpbusd", lanes: [Lane::U8, Lane::S8], feature: "amx-int8" },
    TileInstruction { name: "tdpbuud", lanes: [Lane::U8, Lane::U8], feature: "amx-int8" },
    TileInstruction { name: "tdpbf16ps", lanes: [Lane::Bf16, Lane::Bf16], feature: "amx-bf16" },
    TileInstruction { name: "tdpfp16ps", lanes: [Lane::F16, Lane::F16], feature: "amx-fp16" },
];

impl TileInstruction {
    /// Whether the target has it, and what takes its place where the system does not permit tiles: dots of the same operands in vectors, of
    /// `f16` by conversions, which all of these have.
    pub fn is_on(&self, target: &Target) -> bool {
        let has = |stand_in| DotInstruction::of_lanes(target, stand_in).is_some();
        target.isa == Isa::Avx512
            && target.dot_features.contains(&self.feature)
            && match self.lanes {
                [Lane::F16, _] => true,
                [Lane::Bf16, _] => has([Lane::Bf16, Lane::Bf16]),
                _ => has([Lane::U8, Lane::S8]),
            }
    }

    /// Why tiles do not pay for a result of so many rows and columns, whose sums are of so many bytes of each operand, and which takes so many
    /// products; `None` where they do.
    pub fn declined([rows, columns]: [i64; 2], bytes: i64, products: i64) -> Option<&'static str> {
        if rows < MIN_TILED_ROWS || columns < MIN_TILED_COLUMNS {
            Some("the result is smaller than a tile")
        } else if bytes < MIN_TILED_BYTES || products < MIN_TILED_WORK {
            Some("there are too few products")
        } else {
            None
        }
    }

    /// That of the target for a left and a right tile of these lanes.
    pub fn of_lanes(target: &Target, lanes: [Lane; 2]) -> Option<&'static Self> {
        TILE_INSTRUCTIONS.iter().find(|one| one.lanes == lanes && one.is_on(target))
    }

    /// That of the target for operands of these types.
    pub fn of(target: &Target, left: NarrowInt, right: NarrowInt) -> Option<&'static Self> {
        let lane = |one: NarrowInt| match one.bits {
            ..=8 if one.is_signed => Some(Lane::S8),
            ..=8 => Some(Lane::U8),
            _ => None,
        };
        Self::of_lanes(target, [lane(left)?, lane(right)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(isa: Isa, features: &[&'static str]) -> Target {
        Target { isa, dot_features: features.to_vec(), ..Target::x86_64_baseline() }
    }

    const SIGNED: NarrowInt = NarrowInt { bits: 8, is_signed: true };
    const UNSIGNED: NarrowInt = NarrowInt { bits: 4, is_signed: false };

    #[test]
    fn every_pair_of_signs_has_an_instruction() {
        let on = target(Isa::Avx512, &["amx-bf16", "amx-int8", "avx512bf16", "avx512vnni"]);
        let name = |left, right| TileInstruction::of(&on, left, right).map(|one| one.name);
        assert_eq!(name(SIGNED, SIGNED), Some("tdpbssd"));
        assert_eq!(name(SIGNED, UNSIGNED), Some("tdpbsud"));
        assert_eq!(name(UNSIGNED, SIGNED), Some("tdpbusd"));
        assert_eq!(name(UNSIGNED, UNSIGNED), Some("tdpbuud"));
        let of_bf16 = TileInstruction::of_lanes(&on, [Lane::Bf16; 2]);
        assert_eq!(of_bf16.map(|one| one.name), Some("tdpbf16ps"));
        assert_eq!(TileInstruction::of_lanes(&on, [Lane::S16; 2]), None);
        assert_eq!(TileInstruction::of_lanes(&on, [Lane::F16; 2]), None);
        let of_f16 = target(Isa::Avx512, &["amx-fp16"]);
        let of_f16 = TileInstruction::of_lanes(&of_f16, [Lane::F16; 2]);
        assert_eq!(of_f16.map(|one| one.name), Some("tdpfp16ps"));
        assert_eq!(name(NarrowInt { bits: 16, is_signed: true }, SIGNED), None);
    }

    #[test]
    fn tiles_need_their_feature_and_vectors_that_stand_in_for_them() {
        let has = |isa, features: &[&'static str]| {
            TileInstruction::of(&target(isa, features), SIGNED, SIGNED).is_some()
        };
        assert!(has(Isa::Avx512, &["amx-int8", "avx512vnni"]));
        assert!(!has(Isa::Avx512, &["amx-bf16", "avx512vnni"]));
        assert!(!has(Isa::Avx512, &["amx-int8"]));
        assert!(!has(Isa::Avx2, &["amx-int8", "avxvnni"]));
    }
}
