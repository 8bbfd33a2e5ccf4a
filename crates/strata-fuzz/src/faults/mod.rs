//! Mistakes that are made on purpose, and which layer of the tests finds each.
//!
//! `strata_ir::planted` marks the places; a build with the feature `faults` makes the mistake that `STRATA_FAULT` names.

mod probe;
mod table;

pub use probe::{Layer, probe};
pub use table::table;

/// A mistake that can be made.
pub struct Fault {
    /// What `STRATA_FAULT` calls it: the room, and what is wrong there.
    pub name: &'static str,
    /// What is believed wrongly.
    pub what: &'static str,
}

const fn fault(name: &'static str, what: &'static str) -> Fault {
    Fault { name, what }
}

impl Fault {
    /// Whether it is one of where values lie: the checks of stage `affine` have to find it.
    pub fn is_of_buffers(&self) -> bool {
        let rooms = [
            "interference-",
            "liveness-",
            "plan-",
            "moves-",
            "touches-",
            "placement-",
            "rotation-",
            "places-",
            "streams-",
            "emit-",
            "kernels-",
        ];
        rooms.iter().any(|room| self.name.starts_with(room))
    }
}

/// All of them, along the way through the stages within each group.
pub const FAULTS: &[Fault] = &[
    fault("interference-stream-elsewhere", "a nest that reads before it writes may lie anywhere"),
    fault("interference-next-trip", "what the next trip needs is taken for done with"),
    fault("interference-read", "a write over what is read later does no harm"),
    fault("interference-handed", "a write over what is handed on does no harm"),
    fault(
        "interference-pointwise-elsewhere",
        "an elementwise result may overlap its operand at another place",
    ),
    fault("interference-destination", "a write over a destination that is needed does no harm"),
    fault("interference-part-elsewhere", "a part may lie beside the place that it is put into"),
    fault("liveness-without-loops", "lifetimes are not extended over loops"),
    fault("liveness-ends-early", "lifetimes end where their last use begins"),
    fault("liveness-size", "temporaries have half their size"),
    fault("plan-overlap", "what begins earlier does not overlap"),
    fault("plan-gap", "a gap is large enough whatever it is to hold"),
    fault("plan-offset", "temporaries lie 64 bytes too low"),
    fault("moves-order", "copies at once are done in any order"),
    fault("moves-saved", "what a cycle of copies would overwrite is not saved"),
    fault("touches-part-reads", "writes of a part keep nothing of the rest"),
    fault("touches-accumulator-reads", "a body does not read its destination"),
    fault("touches-no-trip", "a nest that runs not even once writes its result"),
    fault("touches-pointwise", "an operand of any map is read element by element"),
    fault("placement-in-input", "temporaries may lie in inputs"),
    fault("placement-interferes", "nothing interferes"),
    fault("placement-one-way", "only the moved buffer is looked at for clobbers"),
    fault("placement-unknown-index", "a slice at an index that is not known yet may be a place"),
    fault("rotation-kept", "a buffer that keeps its role takes another"),
    fault("rotation-outlives", "a buffer that outlives the trip changes its role"),
    fault("places-disjoint", "slices that share an element are disjoint"),
    fault("places-offset", "slices begin where their buffer begins"),
    fault("streams-limit", "a nest may overwrite what its next trip reads"),
    fault("streams-order", "elements may be overwritten before they are read"),
    fault("emit-handed", "the last copy at a block's end is left out"),
    fault("emit-renamed", "no state is copied at a trip's end where buffers change roles"),
    fault("emit-destination", "what a destination holds is not copied"),
    fault("emit-part", "a part is not copied to its place"),
    fault("emit-select", "the other buffer of two is chosen"),
    fault("emit-access", "constant offsets of slices are left out"),
    fault("emit-access-inside", "accesses beyond a slice are seen through it"),
    fault("accumulators-same", "another element of the buffer is kept in a register, too"),
    fault("accumulators-fixed", "an accumulator that moves is kept in a register"),
    fault("reductions-index", "exchanged loops keep the numbers of indices"),
    fault("kernels-noalias", "arguments that share bytes are said not to"),
    fault("tasks-apart", "tasks may touch what others write"),
    fault("tasks-slot", "all tasks have the same memory for what they allocate"),
    fault("kernels-content", "functions of other promises are one"),
    fault("hlo-add-zero", "x + 0.0 is x"),
    fault("hlo-select", "the other side of a known choice"),
    fault("hlo-float-minus-itself", "identities of integers hold for floats"),
    fault("hlo-fold-reverse", "reversed constants are not reversed"),
    fault("hlo-fold-pad", "padded constants have no gaps"),
    fault("hlo-slice-stride", "a slice of a slice forgets the outer stride"),
    fault("hlo-slices-adjacent", "slices side by side need not touch"),
    fault("hlo-transpose-order", "two transposes are one, in the other order"),
    fault("hlo-short-loop", "an unrolled loop has one trip less"),
    fault("hlo-invariant-state", "what depends on a state is moved out of the loop"),
    fault("linalg-gather-clamp", "negative places are not clamped"),
    fault("linalg-gather-limit", "places are clamped as if slices had one element"),
    fault("linalg-scatter-bound", "an update just behind the end is done"),
    fault("linalg-scatter-unsigned", "large unsigned places are negative ones"),
    fault("linalg-pad-crop", "negative padding cuts the other end"),
    fault("linalg-window-edges", "a window of one place is padded as any other"),
    fault("linalg-compare-nan", "only greater numbers are unequal"),
    fault("linalg-compare-signed", "unsigned numbers are compared as signed"),
    fault("linalg-total-order", "negative floats are ordered by their bits"),
    fault("linalg-clamp-order", "clamp takes the lower bound last"),
    fault("linalg-dot-narrow-sum", "products of narrow floats are added in their type"),
    fault("linalg-reverse", "reversals begin one element early"),
    fault("linalg-transpose-units", "dimensions of two do not count as moved"),
    fault("linalg-select-first", "the first element of a window is compared with zero"),
    fault("linalg-fft-scale", "inverse transforms are not scaled"),
    fault("linalg-fft-mirror", "the mirrored half is not conjugated"),
    fault("linalg-conv-reversal", "kernels are reversed the other way"),
    fault("linalg-widen-signed", "unsigned integers widen with a sign"),
    fault("schedule-transpose", "copies are transposed by the inverse permutation"),
    fault("schedule-merge-maps", "an operand read twice is read by one map"),
    fault("schedule-gather-reader", "a reader of rows may read them in any order"),
    fault("vector-tail", "a tail of one lane too many is no tail"),
    fault("vector-row-exists", "the row behind the last exists"),
    fault("vector-mask", "masks have one lane too many"),
    fault("vector-both-masks", "the mask of an access with a bound is forgotten"),
    fault("vector-fold-tail", "the narrow tail of a row is not added"),
    fault("codegen-zeros", "maximum and minimum do not order the zeros"),
    fault("codegen-donation-apart", "donated inputs in buffers of their own are not copied"),
];
