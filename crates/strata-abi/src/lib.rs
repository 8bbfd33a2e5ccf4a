//! The C structures in the interface of compiled programs. `docs/abi.md` describes them; every
//! header that Strata writes declares them for C.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::ffi::{c_char, c_void};

/// `strata_buffer`: a dense buffer and its type.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The code of the element type.
    pub element_type: i32,
    /// The number of dimensions.
    pub rank: i32,
    /// `rank` sizes, outermost first; null for rank 0.
    pub dimensions: *const i64,
    /// The elements.
    pub data: *mut c_void,
}

/// `strata_attribute`: a named constant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// The name, ended by a zero byte; empty in a list.
    pub name: *const c_char,
    /// The code of an element type, or [`STRING`], [`DICTIONARY`], [`LIST`].
    pub kind: i32,
    /// 1 for an array of numbers, 0 for one number.
    pub is_array: i32,
    /// How many numbers, bytes or entries.
    pub count: i64,
    /// The numbers, the zero-terminated bytes, or an array of [`Attribute`].
    pub data: *const c_void,
}

/// `strata_call`: what a typed target gets.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// [`CALL_VERSION`].
    pub version: i32,
    /// The number of inputs.
    pub input_count: i32,
    /// The number of outputs.
    pub output_count: i32,
    /// The number of attributes.
    pub attribute_count: i32,
    /// The inputs, which are not to be written.
    pub inputs: *const Buffer,
    /// The outputs; one that shares its buffer with an input has that input's address.
    pub outputs: *const Buffer,
    /// The attributes, sorted by name.
    pub attributes: *const Attribute,
}

/// The version of [`Call`].
pub const CALL_VERSION: i32 = 1;
/// The code of a string.
pub const STRING: i32 = 0x800;
/// The code of a dictionary.
pub const DICTIONARY: i32 = 0x900;
/// The code of a list.
pub const LIST: i32 = 0xa00;

/// A typed target.
pub type Target = unsafe extern "C" fn(call: *const Call) -> i32;

/// `strata_tensor`: an input or output in the signature table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    /// The code of the element type.
    pub element_type: i32,
    /// The number of dimensions.
    pub rank: i32,
    /// `rank` sizes, outermost first; null for rank 0; -1 for sizes that calls give.
    pub dimensions: *const i64,
}

/// `strata_signature`: what an entry takes and returns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The version of the layout: later ones add fields at the end.
    pub version: i32,
    /// Of the workspace, in bytes.
    pub workspace_alignment: i32,
    /// The number of inputs.
    pub input_count: i32,
    /// The number of outputs.
    pub output_count: i32,
    /// Bytes of the workspace.
    pub workspace_size: i64,
    /// The inputs; null where there is none.
    pub inputs: *const Tensor,
    /// The outputs; null where there is none.
    pub outputs: *const Tensor,
    /// Bytes of the weights after the inputs, or 0.
    pub weights_size: i64,
    /// For each output the input whose buffer it may share, or -1; null where there is none.
    pub donations: *const i32,
}

/// `strata_quantization`: what stored integers mean, `(integer - zero point) * scale`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Quantization {
    /// The code of the type of the numbers that are meant.
    pub expressed_type: i32,
    /// The dimension with a scale and zero point for each index; -1 for one of all.
    pub axis: i32,
    /// The number of scales.
    pub count: i64,
    /// The scales.
    pub scales: *const f64,
    /// As many zero points.
    pub zero_points: *const i64,
    /// The smallest integer that stands for a number.
    pub minimum: i64,
    /// The largest integer that stands for a number.
    pub maximum: i64,
}

/// `strata_signature` of version 3, which programs with quantized inputs or outputs have.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct QuantizedSignature {
    /// The fields of version 2.
    pub signature: Signature,
    /// For each input what it means, or null; null where none is quantized.
    pub inputs: *const *const Quantization,
    /// The same for outputs.
    pub outputs: *const *const Quantization,
}

/// `strata_executor`: what a program may use while it runs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Executor {
    /// Passed to `parallel_for`.
    pub context: *mut c_void,
    /// How many tasks run at a time at most.
    pub concurrency: usize,
    /// Calls the task for disjoint ranges that cover 0 to `count`, and returns when all have ended.
    pub parallel_for: Option<ParallelFor>,
    /// The host that the program exchanges data with; may be null.
    pub host: *const Host,
}

/// The type of [`Executor::parallel_for`].
pub type ParallelFor =
    unsafe extern "C" fn(context: *mut c_void, count: usize, task: Task, state: *mut c_void);

/// A part of a parallel loop: the iterations from `begin` up to `end`.
pub type Task = unsafe extern "C" fn(state: *mut c_void, begin: usize, end: usize);

/// `strata_host`: where infeed, outfeed, send and recv go. A callback that returns another status than
/// 0 ends the program with it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Bytes of this structure: later versions add fields at the end.
    pub size: usize,
    /// Passed to the callbacks.
    pub context: *mut c_void,
    /// Fills the buffers.
    pub infeed: Option<Feed>,
    /// Takes what is in the buffers.
    pub outfeed: Option<Feed>,
    /// Takes what is in the buffers.
    pub send: Option<Transfer>,
    /// Fills the buffers.
    pub recv: Option<Transfer>,
    /// The other devices that the program runs on; may be null.
    pub collectives: *const Collectives,
}

/// The type of [`Host::infeed`] and [`Host::outfeed`].
pub type Feed = unsafe extern "C" fn(
    context: *mut c_void,
    config: *const c_char,
    count: usize,
    buffers: *const Buffer,
) -> i32;

/// The type of [`Host::send`] and [`Host::recv`].
pub type Transfer = unsafe extern "C" fn(
    context: *mut c_void,
    channel: i64,
    count: usize,
    buffers: *const Buffer,
) -> i32;

/// `strata_collective`: one exchange between devices. It is a constant of the object.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Collective {
    /// Bytes of this structure: later versions add fields at the end.
    pub size: usize,
    /// A hash of the program, which is the same on all devices.
    pub program: u64,
    /// The name of the operation, ended by a zero byte.
    pub operation: *const c_char,
    /// The channel, or 0.
    pub channel: i64,
    /// The number of groups.
    pub group_count: i64,
    /// `group_count + 1` positions in `members`: where each group begins, and where the last one ends.
    pub group_starts: *const i64,
    /// The devices of each group in order, as `replica * partition_count + partition`.
    pub members: *const i64,
    /// The code of the element type.
    pub element_type: i32,
    /// Bytes of an element.
    pub element_size: i32,
    /// [`SUM`] and the like; [`NO_REDUCTION`] where nothing is reduced.
    pub reduction: i32,
    /// Zero.
    pub reserved: i32,
    /// Combines elements; null where nothing is reduced.
    pub combine: Option<Combine>,
}

/// `result[i] = lhs[i] combined with rhs[i]`. `result` may be `lhs` or `rhs`; the order of the operands matters.
pub type Combine =
    unsafe extern "C" fn(lhs: *const c_void, rhs: *const c_void, result: *mut c_void, count: i64);

/// Nothing is reduced.
pub const NO_REDUCTION: i32 = 0;
/// A reduction that only [`Collective::combine`] says.
pub const OTHER_REDUCTION: i32 = 1;
/// The sum.
pub const SUM: i32 = 2;
/// The product.
pub const PRODUCT: i32 = 3;
/// The minimum, NaN if one is.
pub const MINIMUM: i32 = 4;
/// The maximum, NaN if one is.
pub const MAXIMUM: i32 = 5;
/// Bits that are set in all.
pub const AND: i32 = 6;
/// Bits that are set in any.
pub const OR: i32 = 7;
/// Bits that are set in an odd number of them.
pub const XOR: i32 = 8;

/// `strata_collectives`: a device, as the program that runs on it sees the others. A function that returns another status
/// than 0 ends the program with it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Collectives {
    /// Bytes of this structure: later versions add fields at the end.
    pub size: usize,
    /// Passed to the functions.
    pub context: *mut c_void,
    /// The number of replicas.
    pub replica_count: i64,
    /// The number of partitions of each replica.
    pub partition_count: i64,
    /// The replica of this device.
    pub replica: i64,
    /// The partition of this device.
    pub partition: i64,
    /// `count` elements of every member combined, in the order of the group.
    pub all_reduce: Option<Exchange>,
    /// `count` elements of every member, one after another.
    pub all_gather: Option<Exchange>,
    /// As [`Self::all_reduce`] on `count` elements for each member, of which this one gets its own.
    pub reduce_scatter: Option<Exchange>,
    /// `count` elements for each member become `count` elements from each.
    pub all_to_all: Option<Exchange>,
    /// `count` elements of the first member of the group in which this device is the second; zeros without one.
    pub collective_permute: Option<Exchange>,
    /// `count` elements of the first member; zeros without a group.
    pub collective_broadcast: Option<Exchange>,
    /// Sends to the second member of each group in which this device is the first.
    pub send: Option<Emit>,
    /// Receives from the first member of the group in which this device is the second.
    pub recv: Option<Accept>,
    /// Exchanges rows, as many for each member as lists say.
    pub ragged_all_to_all: Option<ExchangeRows>,
    /// Begins an exchange, which may go on after the return; without it exchanges are done where they begin.
    pub start: Option<Start>,
    /// Waits for an exchange that was begun with these buffers.
    pub wait: Option<Wait>,
    /// Ends all exchanges that were begun and not waited for, after a failure: none writes to a buffer any more.
    pub abandon: Option<Abandon>,
}

/// Which of the functions of [`Collectives`] an exchange that is begun stands for, in their order there.
pub const KINDS: [&str; 6] = [
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "collective_permute",
    "collective_broadcast",
];

/// `strata_ragged`: rows, and which of them go to each member of a group: the entries `n * updates` to `(n + 1) * updates` of the lists are
/// of member `n`. Rows that are not there are [`WRONG_SIZES`]; later entries, and members, replace what earlier ones wrote.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ragged {
    /// Bytes of this structure: later versions add fields at the end.
    pub size: usize,
    /// The elements of a row.
    pub row_size: i64,
    /// The rows of the input.
    pub input_rows: i64,
    /// The rows of the output.
    pub output_rows: i64,
    /// The entries of a list for each member.
    pub updates: i64,
    /// Where rows begin in the input.
    pub input_offsets: *const i64,
    /// How many rows are sent.
    pub send_sizes: *const i64,
    /// Where they are written in the member's output.
    pub output_offsets: *const i64,
    /// The rows.
    pub input: *const c_void,
    /// Where those of others are written; keeps its rows elsewhere.
    pub output: *mut c_void,
}

/// The type of [`Collectives::ragged_all_to_all`].
pub type ExchangeRows =
    unsafe extern "C" fn(context: *mut c_void, what: *const Collective, rows: *const Ragged) -> i32;

/// The type of [`Collectives::start`]: `kind` is one more than the position in [`KINDS`], the rest is what the function of that kind takes.
pub type Start = unsafe extern "C" fn(
    context: *mut c_void,
    kind: i32,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32;

/// The type of [`Collectives::wait`].
pub type Wait =
    unsafe extern "C" fn(context: *mut c_void, input: *const c_void, output: *mut c_void) -> i32;

/// The type of [`Collectives::abandon`].
pub type Abandon = unsafe extern "C" fn(context: *mut c_void);

/// The type of most functions of [`Collectives`].
pub type Exchange = unsafe extern "C" fn(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32;

/// The type of [`Collectives::send`].
pub type Emit = unsafe extern "C" fn(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    data: *const c_void,
) -> i32;

/// The type of [`Collectives::recv`].
pub type Accept = unsafe extern "C" fn(
    context: *mut c_void,
    what: *const Collective,
    count: i64,
    data: *mut c_void,
) -> i32;

/// The status of a program for several devices whose executor offers none.
pub const NO_COLLECTIVES: i32 = 11;
/// The status of a program for another number of devices than there are.
pub const WRONG_DEVICES: i32 = 12;
/// The status where sizes disagree, or violate a condition of the program.
pub const WRONG_SIZES: i32 = 10;
/// The status where another device has not come in time.
pub const TIMED_OUT: i32 = 13;
/// The status where another device has failed or ended, so that an exchange with it cannot happen.
pub const DEVICE_FAILED: i32 = 14;
/// The status where devices run different programs, or different operations of one.
pub const DIFFERENT_PROGRAMS: i32 = 15;
