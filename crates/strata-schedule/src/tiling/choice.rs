//! A decision on the schedule of a nest, as data: what the cost model chooses, and what a file of schedules may choose instead.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The schedule of a nest. Whether it is one for a given nest and target, [`super::plan`] decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Choice {
    /// A tile of the result stays in vector registers while the reduction runs.
    Registers {
        /// Rows of the register tile.
        rows: i64,
        /// Columns of the register tile, a multiple of `lanes`.
        columns: i64,
        /// Elements of a vector.
        lanes: i64,
        /// Rows of a block of the left operand that stays in cache; 0: all.
        row_block: i64,
        /// Terms of a block of the reduction; 0: all.
        depth_block: i64,
        /// Iterations of the loop around the rows, such as the rows of an image, that are finished before the next ones begin; 0: each panel of
        /// columns goes through all of them.
        #[serde(default, skip_serializing_if = "is_zero")]
        outer_block: i64,
        /// Whether panels of the right operand are copied to be contiguous.
        pack: bool,
        /// Whether an operand is transposed panel by panel instead of as a whole.
        transpose_panels: bool,
    },
    /// Reductions along rows and what surrounds them.
    Rows {
        /// Elements of a vector.
        lanes: i64,
        /// Vectors of accumulators of a reduction.
        accumulators: i64,
        /// Vectors per iteration of the other operations.
        unroll: i64,
        /// Rows at a time.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        together: i64,
    },
    /// One loop over vectors.
    Elementwise {
        /// Elements of a vector.
        lanes: i64,
        /// Vectors per iteration.
        unroll: i64,
        /// Whether all loops become one.
        flat: bool,
    },
    /// Square tiles that are transposed in registers.
    Transpose {
        /// Rows and columns of a square.
        side: i64,
        /// Rows of the result that are written before the next rows of the input are read; 0: all.
        block: i64,
    },
    /// Products of a processor's tiles.
    Tiles {
        /// Whether panels of the right operand are copied to be contiguous.
        pack: bool,
        /// Whether an operand is transposed panel by panel instead of as a whole.
        transpose_panels: bool,
    },
    /// Its reductions, and the elementwise operations between them, are nests of their own.
    Apart,
    /// Plain loops, which stage `affine` writes.
    Loops,
}

fn one() -> i64 {
    1
}

fn is_zero(count: &i64) -> bool {
    *count == 0
}

fn is_one(count: &i64) -> bool {
    *count == 1
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Registers {
                rows,
                columns,
                row_block,
                depth_block,
                outer_block,
                pack,
                transpose_panels,
                ..
            } => {
                write!(formatter, "registers {rows}x{columns}")?;
                if transpose_panels {
                    formatter.write_str(" transposed")?;
                } else if pack {
                    formatter.write_str(" packed")?;
                }
                if row_block > 0 {
                    write!(formatter, " rows {row_block}")?;
                }
                if depth_block > 0 {
                    write!(formatter, " depth {depth_block}")?;
                }
                match outer_block {
                    0 => Ok(()),
                    block => write!(formatter, " outer {block}"),
                }
            }
            Self::Rows { lanes, together: 1, .. } => write!(formatter, "rows {lanes}"),
            Self::Rows { lanes, together, .. } => write!(formatter, "rows {together}x{lanes}"),
            Self::Elementwise { lanes, flat, .. } => {
                write!(formatter, "elementwise {lanes}{}", if flat { " flat" } else { "" })
            }
            Self::Transpose { side, .. } => write!(formatter, "transpose {side}"),
            Self::Tiles { pack, transpose_panels } => {
                formatter.write_str(match (pack, transpose_panels) {
                    (_, true) => "tiles transposed",
                    (true, _) => "tiles packed",
                    _ => "tiles",
                })
            }
            Self::Apart => formatter.write_str("apart"),
            Self::Loops => formatter.write_str("loops"),
        }
    }
}

impl Choice {
    /// Whether panels of an operand are packed in the order of its rows.
    pub fn is_packed(&self) -> bool {
        matches!(
            self,
            Self::Registers { pack: true, transpose_panels: false, .. }
                | Self::Tiles { pack: true, transpose_panels: false }
        )
    }

    /// The decision with all of its numbers; [`Display`](fmt::Display) has those that the cost model varies.
    pub fn in_full(&self) -> String {
        match self {
            Self::Registers { lanes, .. } => format!("{self}, vectors of {lanes}"),
            Self::Rows { accumulators, unroll, .. } => {
                format!("{self}, {accumulators} accumulators, unrolled by {unroll}")
            }
            Self::Elementwise { unroll, .. } => format!("{self}, unrolled by {unroll}"),
            Self::Transpose { block, .. } if *block > 0 => format!("{self}, blocks of {block}"),
            _ => self.to_string(),
        }
    }
}
