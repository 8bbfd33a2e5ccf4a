//! Planted faults, and which layer of the tests finds each.
//!
//! `strata_ir::planted` marks them in the code; a build with the feature `faults` enables the one that `STRATA_FAULT`
//! names.

mod probe;
mod table;

pub use probe::{Layer, probe};
pub use table::table;

/// A planted fault.
pub struct Fault {
    /// Its name in `STRATA_FAULT`: the room, and what is wrong there.
    pub name: &'static str,
    /// The wrong assumption.
    pub what: &'static str,
}

const fn fault(name: &'static str, what: &'static str) -> Fault {
    Fault { name, what }
}

impl Fault {
    /// Whether it is about buffer assignment: the checks of stage `affine` have to find it.
    pub fn is_of_buffers(&self) -> bool {
        let rooms = [
            "interference-",
            "liveness-",
            "plan-",
            "copies-",
            "accesses-",
            "placement-",
            "rotation-",
            "paths-",
            "streams-",
            "emit-",
            "kernels-",
        ];
        rooms.iter().any(|room| self.name.starts_with(room))
    }
}

/// All of them, in the order of the stages within each group.
pub const FAULTS: &[Fault] = &[
    fault("interference-stream-elsewhere", "a nest that reads before it writes may use any buffer"),
    fault("interference-next-trip", "what the next iteration reads is considered dead"),
    fault("interference-read", "overwriting what is read later is allowed"),
    fault("interference-handed", "overwriting a loop-carried value is allowed"),
    fault(
        "interference-pointwise-elsewhere",
        "an elementwise result may partially overlap its operand",
    ),
    fault("interference-destination", "overwriting a live destination is allowed"),
    fault(
        "interference-part-elsewhere",
        "an inserted slice may be at another position of the buffer",
    ),
    fault("liveness-without-loops", "live ranges are not extended over loops"),
    fault("liveness-ends-early", "live ranges end where the last use begins"),
    fault("liveness-size", "temporaries have half their size"),
    fault("plan-overlap", "live ranges that begin earlier do not overlap"),
    fault("plan-gap", "every gap is large enough"),
    fault("plan-offset", "offsets of temporaries are 64 bytes too low"),
    fault("copies-order", "parallel copies are done in any order"),
    fault("copies-saved", "cycles of copies save no value"),
    fault("accesses-part-reads", "a partial write makes the whole buffer valid"),
    fault("accesses-accumulator-reads", "bodies never read their destination"),
    fault("accesses-no-trip", "a nest without iterations writes its result"),
    fault("accesses-pointwise", "operands of any map are read element by element"),
    fault("placement-in-input", "temporaries may be in inputs"),
    fault("placement-interferes", "nothing interferes"),
    fault("placement-one-way", "clobbers are only checked for the moved buffer"),
    fault("placement-unknown-index", "a slice at an index not computed yet may be a destination"),
    fault("rotation-kept", "a buffer that is not rotated is"),
    fault("rotation-outlives", "a buffer that is live after the iteration is rotated"),
    fault("paths-disjoint", "slices that share an element are disjoint"),
    fault("paths-offset", "slices start at the start of their buffer"),
    fault("streams-limit", "a nest may overwrite what its next iteration reads"),
    fault("streams-order", "elements may be overwritten before they are read"),
    fault("emit-handed", "the last copy at the end of a block is missing"),
    fault("emit-renamed", "with rotated buffers no loop-carried value is copied"),
    fault("emit-destination", "the contents of a destination are not copied"),
    fault("emit-part", "an inserted slice is not copied to its position"),
    fault("emit-select", "the wrong one of two buffers is chosen"),
    fault("emit-access", "constant offsets of slices are ignored"),
    fault("emit-access-inside", "accesses outside of a slice go through it"),
    fault("accumulators-same", "another element of the buffer is also kept in a register"),
    fault("accumulators-fixed", "an accumulator with a variable address is kept in a register"),
    fault("reductions-index", "interchanged loops keep the order of their indices"),
    fault("kernels-noalias", "aliasing arguments are marked `noalias`"),
    fault("tasks-apart", "tasks may access what others write"),
    fault("tasks-slot", "all tasks share their temporaries"),
    fault("kernels-content", "functions with different attributes are merged"),
    fault("hlo-add-zero", "x + 0.0 is x"),
    fault("hlo-select", "the wrong branch of a known condition"),
    fault("hlo-float-minus-itself", "identities of integers hold for floats"),
    fault("hlo-fold-reverse", "reversed constants are not reversed"),
    fault("hlo-fold-pad", "padded constants have no gaps"),
    fault("hlo-slice-stride", "a slice of a slice forgets the outer stride"),
    fault("hlo-slices-adjacent", "slices need not be adjacent to be merged"),
    fault("hlo-transpose-order", "two transposes are composed in the wrong order"),
    fault("hlo-short-loop", "an unrolled loop has one iteration less"),
    fault("hlo-invariant-state", "loop-variant values are hoisted"),
    fault("linalg-gather-clamp", "negative start indices are not clamped"),
    fault("linalg-gather-limit", "start indices are clamped as if slices had one element"),
    fault("linalg-scatter-bound", "an update just past the end is applied"),
    fault("linalg-scatter-unsigned", "large unsigned indices are negative"),
    fault("linalg-pad-crop", "negative padding crops the other end"),
    fault("linalg-window-edges", "a window at a single position is padded like any other"),
    fault("linalg-compare-nan", "only greater numbers are unequal"),
    fault("linalg-compare-signed", "unsigned numbers are compared as signed"),
    fault("linalg-total-order", "negative floats are ordered by their bits"),
    fault("linalg-clamp-order", "clamp takes the lower bound last"),
    fault("linalg-dot-narrow-sum", "dots of narrow floats accumulate in their type"),
    fault("linalg-reverse", "reversals begin one element early"),
    fault("linalg-transpose-units", "dimensions of size two do not count as transposed"),
    fault("linalg-select-first", "the first element of a window is compared with zero"),
    fault("linalg-fft-scale", "inverse transforms are not scaled"),
    fault("linalg-fft-mirror", "the mirrored half is not conjugated"),
    fault("linalg-conv-reversal", "kernels are reversed when they should not be"),
    fault("linalg-widen-signed", "unsigned integers are sign-extended"),
    fault("schedule-transpose", "copies are transposed by the inverse permutation"),
    fault("schedule-merge-maps", "an operand with two maps is read with one of them"),
    fault("schedule-gather-reader", "a consumer of rows may read them in any order"),
    fault("schedule-extremum-tie", "of vectors with the same extremum the last place is taken"),
    fault("schedule-extremum-rest", "what no vector of a row fills is not looked at"),
    fault("schedule-extremum-nan", "an extremum is never a NaN"),
    fault("vector-tail", "a tail of one lane too many is not masked"),
    fault("vector-row-exists", "the row after the last exists"),
    fault("vector-mask", "masks have one lane too many"),
    fault("vector-both-masks", "the mask of a bounded access is dropped"),
    fault("vector-fold-tail", "the narrow tail of a row is not added"),
    fault("vector-row-end", "what two vectors of a row have is counted twice"),
    fault("vector-bf16-ties", "ties of bf16 are rounded down"),
    fault("codegen-zeros", "maximum and minimum do not order the zeros"),
    fault("codegen-donation-apart", "donated inputs in buffers of their own are not copied"),
];
