//! Products of tiles in registers (AMX), where the target has them and the system permits them.

use std::fmt::Write as _;

use strata_target::{TILE_LANES, TILE_ROWS, TILES, TileInstruction, tile_configuration};

/// Tiles of sums: the others are operands, as in the code of a dot.
const SUMS: usize = TILES / 2;

/// Iterations of the loop, so that a call takes some ten microseconds.
const TRIPS: u64 = 1_000;

/// Bytes of a tile.
pub(super) const TILE_BYTES: u64 = (TILE_ROWS * TILE_LANES * 4) as u64;

/// Operations of a call.
pub(super) fn operations(instruction: &TileInstruction) -> u64 {
    let products = TILE_ROWS * TILE_LANES * TILE_LANES * instruction.lanes[0].count();
    2 * TRIPS * SUMS as u64 * products.unsigned_abs()
}

/// The entry of an instruction: its operands are one tile of the input, its sums the output's.
pub(super) fn write(text: &mut String, instruction: &TileInstruction) -> std::fmt::Result {
    let name = instruction.name;
    let config = tile_configuration([[TILE_ROWS, 4 * TILE_LANES]; TILES]);
    let config: Vec<_> = config.iter().map(|byte| format!("i8 {byte}")).collect();
    writeln!(
        text,
        "@limits_{name}_config = internal constant [64 x i8] [{}], align 64\n\
         define i64 @limits_{name}_workspace_size() {{\n  ret i64 0\n}}\n\
         define i32 @limits_{name}(ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor) {{\n\
         entry:\n  %in = load ptr, ptr %inputs\n  %out = load ptr, ptr %outputs\n  \
         call void asm sideeffect \"ldtilecfg ($0)\", \"r,~{{memory}}\"(ptr @limits_{name}_config)",
        config.join(", ")
    )?;
    let assembly = |text: &mut String, code: String| {
        writeln!(text, "  call void asm sideeffect \"{code}\", \"\"()")
    };
    let moved = |text: &mut String, code: String, at: &str| {
        let constraints = "r,r,~{memory}";
        writeln!(text, "  call void asm sideeffect \"{code}\", \"{constraints}\"(ptr {at}, i64 64)")
    };
    for tile in 0..TILES {
        match tile < SUMS {
            true => assembly(text, format!("tilezero %tmm{tile}"))?,
            false => moved(text, format!("tileloadd ($0,$1,1), %tmm{tile}"), "%in")?,
        }
    }
    writeln!(text, "  br label %loop\nloop:\n  %i = phi i64 [0, %entry], [%next, %loop]")?;
    for tile in 0..SUMS {
        let [left, right] = [SUMS + tile / 2, SUMS + 2 + tile % 2];
        assembly(text, format!("{name} %tmm{right}, %tmm{left}, %tmm{tile}"))?;
    }
    writeln!(
        text,
        "  %next = add i64 %i, 1\n  %more = icmp ult i64 %next, {TRIPS}\n  \
         br i1 %more, label %loop, label %end\nend:"
    )?;
    moved(text, "tilestored %tmm0, ($0,$1,1)".to_owned(), "%out")?;
    assembly(text, "tilerelease".to_owned())?;
    writeln!(text, "  ret i32 0\n}}")
}
