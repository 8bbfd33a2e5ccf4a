//! Schedules that can be written: from a decision for a nest, and back.

use strata_target::{
    Target,
    tuning::{search::MAX_UNROLLED, tiling::OWN_OPERATION_REGISTERS},
};

use crate::tiling::{
    candidates::{Parts, lanes_of, read_reduction, read_rows},
    choice::Choice,
    cost::{self, RegisterTile},
    elementwise::{self, Elementwise},
    register::{self, Reduction},
    rows::{self, Rows},
    tiles,
    transpose::{self, Transpose},
};

/// A schedule of a nest.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Register tiles.
    Registers(Box<Reduction>, RegisterTile),
    /// Rows.
    Rows(Rows),
    /// Elementwise.
    Elementwise(Elementwise),
    /// A transpose.
    Transpose(Transpose),
    /// Products of tiles.
    Tiles(Box<Reduction>, RegisterTile),
}

impl Plan {
    /// The decision.
    pub fn choice(&self) -> Choice {
        match self {
            Self::Registers(nest, tile) => Choice::Registers {
                rows: tile.rows,
                columns: tile.columns,
                lanes: tile.lanes,
                row_block: tile.row_block,
                depth_block: tile.depth_block,
                outer_block: tile.outer_block,
                pack: tile.pack,
                transpose_panels: nest.transpose_panels,
            },
            Self::Tiles(nest, tile) => {
                Choice::Tiles { pack: tile.pack, transpose_panels: nest.transpose_panels }
            }
            Self::Rows(plan) => Choice::Rows {
                lanes: plan.lanes,
                accumulators: plan.accumulators,
                unroll: plan.unroll,
                together: plan.together,
            },
            Self::Elementwise(plan) => {
                Choice::Elementwise { lanes: plan.lanes, unroll: plan.unroll, flat: plan.flat }
            }
            Self::Transpose(plan) => {
                let block = if plan.has_blocks() { plan.block } else { 0 };
                Choice::Transpose { side: plan.lanes, block }
            }
        }
    }

    /// The schedule as a named sequence.
    pub fn sequence(&self, name: &str) -> String {
        match self {
            Self::Registers(nest, tile) => register::schedule(nest, tile, name),
            Self::Rows(plan) => rows::schedule(plan, name),
            Self::Elementwise(plan) => elementwise::schedule(plan, name),
            Self::Transpose(plan) => transpose::schedule(plan, name),
            Self::Tiles(nest, tile) => tiles::schedule(nest, tile, name),
        }
    }

    /// The plan of a decision for a nest, whose operations have schedules of their own in none.
    ///
    /// # Errors
    /// Why the decision is not one for the nest and the target.
    pub fn of(choice: &Choice, parts: &Parts<'_>, target: &Target) -> Result<Self, String> {
        let (most, bits) = lanes_of(parts, target)?;
        let only = || match parts.generics.as_slice() {
            [only] if only.is_parallel() => Ok(only),
            _ => Err("the nest has a reduction, or several operations".to_owned()),
        };
        match *choice {
            Choice::Elementwise { lanes, unroll, flat } => {
                check_lanes(lanes, most)?;
                check_count("unroll", unroll)?;
                let plan = elementwise::read(only()?, (lanes, target.isa), parts.short_work)?;
                if plan.flat != flat {
                    let rows = if flat { "cannot become" } else { "have to become" };
                    return Err(format!("its loops {rows} one"));
                }
                Ok(Self::Elementwise(Elementwise { unroll, ..plan }))
            }
            Choice::Transpose { side, block } => {
                let nest = only()?;
                check_lanes(side, most)?;
                let plan = transpose::read(nest, side).filter(|_| nest.is_pure_map());
                let mut plan = plan.ok_or("it is not a transpose with whole squares")?;
                plan.block = block;
                match plan.lanes == side && (block == 0 || plan.has_blocks()) {
                    true => Ok(Self::Transpose(plan)),
                    false => Err(format!(
                        "blocks of {block} rows do not consist of squares of {side}, or do not divide the rows"
                    )),
                }
            }
            Choice::Rows { lanes, accumulators, unroll, together } => {
                check_count("accumulators", accumulators)?;
                check_count("unroll", unroll)?;
                let mut plan = read_rows(parts, most, bits, target)?;
                if plan.is_block() {
                    return match plan.clone().with_block(together) {
                        Some(plan) if lanes == 1 => Ok(Self::Rows(plan)),
                        _ => Err("a row does not fill a vector".to_owned()),
                    };
                }
                check_lanes(lanes, plan.lanes.max(most))?;
                if lanes > plan.columns() {
                    return Err("a row does not fill a vector".to_owned());
                }
                // Whether a row is one value, which several at a time need, is a matter of these.
                (plan.lanes, plan.accumulators, plan.unroll) = (lanes, accumulators, unroll);
                check_together(together, &plan, parts)?;
                plan.together = together;
                Ok(Self::Rows(plan))
            }
            Choice::Registers { lanes, transpose_panels, .. } => {
                let (nest, bits) = read_reduction(parts, target)?;
                check_lanes(lanes, i64::from(target.lanes(bits)))?;
                let tile = register_tile(choice, &nest, target)?;
                let panels = nest.turn.is_some() && tile.depth_block == 0 && nest.n > tile.columns;
                let has_equal_blocks = tile.row_block == 0 || nest.m % tile.row_block == 0;
                match transpose_panels {
                    true if !panels => Err("no operand is transposed panel by panel".to_owned()),
                    true if !has_equal_blocks => Err(format!(
                        "panels are transposed in blocks of equally many rows, and {} rows are not blocks of {}",
                        nest.m, tile.row_block
                    )),
                    _ => {
                        Ok(Self::Registers(Box::new(Reduction { transpose_panels, ..nest }), tile))
                    }
                }
            }
            Choice::Tiles { pack, transpose_panels } => {
                let plan = tiles::read(parts, target).ok_or("the target has no tiles for it")?;
                let (nest, tile) = plan?;
                if pack && !nest.can_pack {
                    return Err("`pack` is set, and no operand can be packed".to_owned());
                }
                if transpose_panels && (nest.turn.is_none() || nest.n <= tile.columns) {
                    return Err("no operand is transposed panel by panel".to_owned());
                }
                let nest = Reduction { transpose_panels, ..nest };
                Ok(Self::Tiles(Box::new(nest), RegisterTile { pack, ..tile }))
            }
            Choice::Apart => Err("it has a single operation".to_owned()),
            Choice::Loops => Err("it has no schedule".to_owned()),
        }
    }
}

/// The tile of a decision.
///
/// # Errors
/// Why it is not one for the nest.
fn register_tile(
    choice: &Choice,
    nest: &Reduction,
    target: &Target,
) -> Result<RegisterTile, String> {
    let Choice::Registers {
        rows,
        columns,
        lanes,
        row_block,
        depth_block,
        outer_block,
        pack,
        transpose_panels,
    } = *choice
    else {
        return Err("it is not a register tile".to_owned());
    };
    if rows < 1 || rows > nest.m {
        return Err(format!("`rows` is {rows}, and the result has {} rows", nest.m));
    }
    if columns < lanes || columns % lanes != 0 {
        return Err(format!("`columns` is {columns}, which is not a multiple of `lanes`, {lanes}"));
    }
    let vectors = columns / lanes;
    let registers = cost::registers(target);
    // A row of the right operand and a broadcast element of the left one, or what an operation on an element takes.
    let others = match nest.packed {
        Some(_) => vectors + 1,
        None => OWN_OPERATION_REGISTERS.min(vectors + 1),
    };
    let needed = rows.saturating_mul(vectors).saturating_add(others);
    if needed > registers {
        return Err(format!(
            "a tile of {rows} x {columns} takes {needed} registers, and the target has {registers} for it"
        ));
    }
    if row_block < 0 || row_block % rows != 0 || row_block >= nest.m {
        return Err(format!(
            "`row_block` is {row_block}, which is not a multiple of {rows} below the {} rows of the result",
            nest.m
        ));
    }
    let depth = nest.depth();
    if depth_block < 0 || depth_block >= depth {
        return Err(format!("`depth_block` is {depth_block}, and a result has {depth} terms"));
    }
    if depth_block == 1 || depth_block > 0 && depth % depth_block == 1 {
        return Err(format!(
            "`depth_block` is {depth_block}: of {depth} terms a block would have a single one"
        ));
    }
    if depth_block > 0 && nest.reduced.len() > 1 {
        return Err("`depth_block` is for nests with one reduction loop".to_owned());
    }
    check_outer_block(outer_block, transpose_panels, nest)?;
    if pack && !nest.can_pack {
        return Err("`pack` is set, and no operand can be packed".to_owned());
    }
    Ok(RegisterTile { rows, columns, lanes, row_block, depth_block, outer_block, pack })
}

/// Whether panels of columns may go through so many iterations of the loop around the rows at a time.
///
/// # Errors
/// Why not.
fn check_outer_block(block: i64, transpose_panels: bool, nest: &Reduction) -> Result<(), String> {
    if block == 0 {
        return Ok(());
    }
    if nest.outer.is_empty() {
        return Err("`outer_block` is set, and no loop is around the rows".to_owned());
    }
    let trips = nest.outer_trips;
    if block < 0 || block > trips || trips % block != 0 {
        return Err(format!(
            "`outer_block` is {block}, which does not divide the {trips} iterations of the loop around the rows"
        ));
    }
    if block == trips && nest.outer.len() == 1 {
        return Err(format!("`outer_block` is {block}, which is all of the loop: 0 says so"));
    }
    if transpose_panels {
        return Err("`outer_block` is set, and so is `transpose_panels`".to_owned());
    }
    if nest.is_open {
        return Err("`outer_block` is set, and a loop ends at a size of the call".to_owned());
    }
    Ok(())
}

fn check_lanes(lanes: i64, most: i64) -> Result<(), String> {
    match lanes >= 2 && lanes <= most && lanes.count_ones() == 1 {
        true => Ok(()),
        false => {
            Err(format!("vectors of {lanes} elements: it takes a power of two from 2 to {most}"))
        }
    }
}

/// Whether so many rows may be reduced at a time.
///
/// # Errors
/// Why not.
fn check_together(together: i64, plan: &Rows, parts: &Parts<'_>) -> Result<(), String> {
    check_count("together", together)?;
    if together > 1 && !parts.has_limited_columns && !parts.limited.is_empty() {
        return Err(format!(
            "`together` is {together}: rows whose number is a size of the call are taken one at a time"
        ));
    }
    match together <= plan.most_together() {
        true => Ok(()),
        false => Err(format!(
            "`together` is {together}: at most {} rows of this nest may be taken at a time",
            plan.most_together()
        )),
    }
}

fn check_count(field: &str, count: i64) -> Result<(), String> {
    match (1..=MAX_UNROLLED).contains(&count) && count.count_ones() == 1 {
        true => Ok(()),
        false => {
            Err(format!("`{field}` is {count}: it takes a power of two from 1 to {MAX_UNROLLED}"))
        }
    }
}
