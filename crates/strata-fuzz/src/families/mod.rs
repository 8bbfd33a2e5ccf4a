//! The families of programs.

mod collectives;
mod contraction;
mod dynamic_shapes;
mod gather_scatter;
mod layers;
mod moving;
mod narrow;
mod open_narrow;
mod open_scaled;
mod open_tiles;
mod ordered;
mod quantized;
mod scaled;
mod states;
mod texts;
mod tiles;
mod window;

use strata_eval::Values;
use strata_verify::{Tolerance, random_program};

use crate::{
    program,
    source::{Case, Source},
};

/// A generator of programs.
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// One program; equal numbers give equal programs.
    pub draw: fn(&mut Source) -> Case,
    /// The oracles that are useful for its programs.
    pub kind: Kind,
}

/// The kind of programs of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of one operation.
    Single,
    /// Of several operations, which can be rewritten equivalently.
    Composed,
    /// For several devices.
    Exchanging,
    /// With dynamic dimensions.
    Dynamic,
    /// Possibly invalid.
    Damaged,
}

const fn single(name: &'static str, draw: fn(&mut Source) -> Case) -> Family {
    Family { name, draw, kind: Kind::Single }
}

const fn composed(name: &'static str, draw: fn(&mut Source) -> Case) -> Family {
    Family { name, draw, kind: Kind::Composed }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    composed("aliases", program::aliases),
    composed("fusions", program::fusions),
    composed("nested", program::nested),
    composed("grown", grown),
    composed("states", states::program),
    composed("layers", layers::program),
    single("batch_norm", contraction::batch_norm),
    single("convolution", contraction::convolution),
    single("dot_general", contraction::dot_general),
    single("gather", gather_scatter::gather),
    single("scatter", gather_scatter::scatter),
    single("reduce", window::reduce),
    single("reduce_window", window::reduce_window),
    single("select_and_scatter", window::select_and_scatter),
    single("ordered", ordered::ordered),
    single("sorts", ordered::sorts),
    single("moving", moving::moving),
    single("dynamic_slices", moving::dynamic),
    single("elementwise_on_narrow_types", narrow::elementwise),
    single("conversions", narrow::convert),
    single("bit_conversions", narrow::bitcast),
    single("narrow_types_in_control_flow", narrow::control_flow),
    single("quantized", quantized::program),
    single("scaled", scaled::program),
    single("tiles", tiles::program),
    Family { name: "collectives", draw: collectives::program, kind: Kind::Exchanging },
    Family { name: "dynamic_shapes", draw: dynamic_shapes::program, kind: Kind::Dynamic },
    Family { name: "open_tiles", draw: open_tiles::program, kind: Kind::Dynamic },
    Family { name: "open_narrow", draw: open_narrow::program, kind: Kind::Dynamic },
    Family { name: "open_scaled", draw: open_scaled::program, kind: Kind::Dynamic },
    Family { name: "texts", draw: texts::damaged, kind: Kind::Damaged },
];

/// The family of a name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// A straight program over many element types.
fn grown(source: &mut Source) -> Case {
    let generated = random_program(source.bits(), 8, Values::Tame);
    Case::exact(generated.text).tame().within(Tolerance::default())
}
