//! The devices that a program runs on, and the groups of them that exchange values.
//!
//! A program runs on a grid of replicas and partitions, which its module declares. A device is known by its number,
//! `replica * partitions + partition`.

mod check;
mod groups;

use melior::{Context, ir::Attribute};
use strata_diag::{Diagnostic, codes};

use crate::{
    attrs::{AttributeExt as _, array, dictionary, i64s, int, string, symbol},
    calls::{Convention, ExternalCall},
    diagnostics::diagnostic_at,
    handles::Op,
    hlo_attrs::ChannelHandle,
    kinds::OpKind,
    types::integer,
};

pub use check::{check_devices, check_groups};
pub use groups::{groups_of, is_between_replicas};

/// The attribute of a module with the number of its replicas.
pub const REPLICAS: &str = "mhlo.num_replicas";

/// The attribute of a module with the number of partitions of each replica.
pub const PARTITIONS: &str = "mhlo.num_partitions";

/// The attribute of a module of a program that exchanges values with a hash of the program.
pub const PROGRAM: &str = "strata.program";

/// The attribute of an exchange whose groups are of devices, whatever its channel says.
pub const FLATTENED: &str = "strata.flattened";

/// The attribute of functions that combine two elements: they are called by what exchanges them.
pub const COMBINE: &str = "strata.combine";

/// The attribute of an `optimization_barrier` that waits for the exchange whose result it takes: until then the exchange may be under way.
pub const WAIT: &str = "strata.wait";

/// The target of the custom call that exchanges ragged rows: what JAX exports for `jax.lax.ragged_all_to_all`. Its groups and channel are
/// in the configuration.
pub const RAGGED_ALL_TO_ALL: &str = "ragged_all_to_all";

/// The most devices that a program may run on: groups are listed in the object.
pub const MOST_DEVICES: i64 = 1 << 20;

/// The most devices that are threads of one process: each has a stack and buffers of its own.
pub const MOST_THREADS: i64 = 1024;

/// The grid that a program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Devices {
    /// The number of replicas.
    pub replicas: i64,
    /// The number of partitions of each replica.
    pub partitions: i64,
}

impl Devices {
    /// What the module around `op`, or `op` itself, declares; one device if it declares nothing.
    pub fn of(op: Op<'_>) -> Self {
        let root = root_of(op);
        let count = |name: &str| root.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
        Self { replicas: count(REPLICAS), partitions: count(PARTITIONS) }
    }

    /// As [`Self::of`], of a module.
    ///
    /// # Errors
    /// `S1107` for a declaration that is not a number of devices.
    pub fn declared(module: Op<'_>) -> Result<Self, Diagnostic> {
        let fail = |reason: String| {
            Err(diagnostic_at(codes::S1107, module).reason(reason).hint(format!(
                "declare how many there are: `module attributes {{{REPLICAS} = 1 : i32, {PARTITIONS} = 4 : i32}}`"
            )))
        };
        for name in [REPLICAS, PARTITIONS] {
            let Some(attribute) = module.attr(name) else { continue };
            if attribute.as_i64().is_none_or(|count| count < 1) {
                return fail(format!("`{name}` is `{attribute}`, not a number of at least 1"));
            }
        }
        let devices = Self::of(module);
        match devices.count() <= MOST_DEVICES {
            true => Ok(devices),
            false => fail(format!("the module declares more than {MOST_DEVICES} devices")),
        }
    }

    /// Refuses more devices than can be threads of one process, before any is started.
    ///
    /// # Errors
    /// `S1107`.
    pub fn check_threads(self) -> Result<(), Diagnostic> {
        if self.count() <= MOST_THREADS {
            return Ok(());
        }
        Err(Diagnostic::new(codes::S1107)
            .reason(format!(
                "the program is for {} devices, and one process runs at most {MOST_THREADS}, each on a thread",
                self.count()
            ))
            .hint("run it over MPI, on ranks: `mpirun -n … strata run`"))
    }

    /// How many they are.
    pub fn count(self) -> i64 {
        self.replicas.saturating_mul(self.partitions)
    }
}

fn root_of(op: Op<'_>) -> Op<'_> {
    std::iter::successors(Some(op), |op| op.parent()).last().unwrap_or(op)
}

/// Whether operations of that kind exchange values between devices, or ask which one they run on.
pub fn is_exchange(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::AllGather
            | OpKind::AllReduce
            | OpKind::AllToAll
            | OpKind::CollectiveBroadcast
            | OpKind::CollectivePermute
            | OpKind::CollectiveReduce
            | OpKind::CrossReplicaSum
            | OpKind::PartitionId
            | OpKind::ReduceScatter
            | OpKind::ReplicaId
    )
}

/// Whether an operation exchanges values with other devices, or asks which one it runs on.
pub fn communicates(op: Op<'_>) -> bool {
    match op.kind() {
        OpKind::Send | OpKind::Recv => {
            !op.attr("is_host_transfer").and_then(|host| host.as_bool()).unwrap_or(false)
        }
        OpKind::SdyManualComputation => true,
        OpKind::CustomCall => is_ragged(op),
        kind => is_exchange(kind),
    }
}

/// Whether an exchange does the same with each element of its operands, whatever their dimensions are.
pub fn is_elementwise_exchange(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::AllReduce
            | OpKind::CollectiveBroadcast
            | OpKind::CollectivePermute
            | OpKind::CrossReplicaSum
    )
}

/// Whether an operation exchanges ragged rows.
pub fn is_ragged(op: Op<'_>) -> bool {
    op.kind() == OpKind::CustomCall
        && op.attr("call_target_name").and_then(|name| name.as_str()) == Some(RAGGED_ALL_TO_ALL)
}

/// The channel of an operation; 0 without one.
pub fn channel_of(op: Op<'_>) -> i64 {
    if is_ragged(op) {
        let channel = op.attr("backend_config").and_then(|config| config.entry("channel_id"));
        return channel.and_then(|channel| channel.as_i64()).unwrap_or(0);
    }
    let handle = op.attr("channel_handle").and_then(ChannelHandle::from_attribute);
    handle.map_or(0, |handle| handle.handle)
}

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// By a function that only the program knows.
    Other,
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The minimum.
    Minimum,
    /// The maximum.
    Maximum,
    /// Logical or bitwise and.
    And,
    /// Logical or bitwise or.
    Or,
    /// Logical or bitwise exclusive or.
    Xor,
}

impl Reduction {
    const NAMES: [(Self, &'static str); 8] = [
        (Self::Other, "other"),
        (Self::Sum, "sum"),
        (Self::Product, "product"),
        (Self::Minimum, "minimum"),
        (Self::Maximum, "maximum"),
        (Self::And, "and"),
        (Self::Or, "or"),
        (Self::Xor, "xor"),
    ];

    /// Its name in dumps.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(one, _)| *one == self).map_or("", |row| row.1)
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, one)| *one == name).map(|row| row.0)
    }
}

/// What a call does of an exchange that may be under way while the program goes on.
///
/// The call that begins it has the operand and a destination, and the one that waits the operand and, as its destination, the result of
/// the first. So the operand is read until then, and the result, which nothing else uses, is written until then. Both are also right where
/// the first does all, and the second nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Begins it.
    Start,
    /// Waits for its end.
    Wait,
}

impl Phase {
    const NAMES: [(Self, &'static str); 2] = [(Self::Start, "start"), (Self::Wait, "wait")];

    /// Its name in dumps.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(one, _)| *one == self).map_or("", |row| row.1)
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, one)| *one == name).map(|row| row.0)
    }
}

/// What the object passes to a function of `strata_collectives`: the configuration of an [`ExternalCall`] of convention
/// [`Convention::Collective`].
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// The grid that the program runs on.
    pub devices: Devices,
    /// The groups of devices.
    pub groups: Vec<Vec<i64>>,
    /// How elements are combined, and the function of the module that combines two; `None` where none are.
    pub reduction: Option<(Reduction, String)>,
    /// A hash of the program.
    pub program: i64,
    /// Which part of the exchange the call does, and a number that both calls have; `None` where it does all.
    pub phase: Option<(Phase, i64)>,
}

impl Exchange {
    /// The configuration.
    pub fn to_attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let word = integer(context, 64);
        let groups: Vec<_> = self.groups.iter().map(|group| i64s(context, group)).collect();
        let mut entries = vec![
            ("devices", i64s(context, &[self.devices.replicas, self.devices.partitions])),
            ("groups", array(context, &groups)),
            ("program", int(word, self.program)),
        ];
        if let Some((reduction, combine)) = &self.reduction {
            entries.push(("reduction", string(context, reduction.name())));
            entries.push(("combine", symbol(context, combine)));
        }
        if let Some((phase, flight)) = self.phase {
            entries.push(("phase", string(context, phase.name())));
            entries.push(("flight", int(word, flight)));
        }
        dictionary(context, &entries)
    }

    /// That of a call; `None` if it is none between devices, or not as [`Self::to_attribute`] writes it.
    pub fn of(call: &ExternalCall<'_>) -> Option<Self> {
        let config = call.config.filter(|_| call.convention == Convention::Collective)?;
        let devices = config.entry("devices")?.as_i64s()?;
        let [replicas, partitions] = devices[..] else { return None };
        let groups = config.entry("groups")?.as_array()?;
        let reduction = match config.entry("combine") {
            None => None,
            Some(combine) => {
                let kind = Reduction::from_name(config.entry("reduction")?.as_str()?)?;
                Some((kind, combine.as_symbol()?.to_owned()))
            }
        };
        let phase = match config.entry("phase") {
            None => None,
            Some(phase) => {
                Some((Phase::from_name(phase.as_str()?)?, config.entry("flight")?.as_i64()?))
            }
        };
        Some(Self {
            devices: Devices { replicas, partitions },
            groups: groups.into_iter().map(|group| group.as_i64s()).collect::<Option<_>>()?,
            reduction,
            program: config.entry("program")?.as_i64()?,
            phase,
        })
    }
}

/// Bytes that a device receives in an exchange of `members` that each give `bytes`, by the executor's function of that name.
pub fn received(function: &str, members: u64, bytes: u64) -> u64 {
    let others = bytes / members.max(1) * members.saturating_sub(1);
    match function {
        "all_reduce" => 2 * others,
        "all_gather" => bytes.saturating_mul(members.saturating_sub(1)),
        "reduce_scatter" | "all_to_all" => others,
        _ => bytes,
    }
}

/// A hash of a program's text (FNV-1a).
pub fn hash_of(text: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step).cast_signed()
}
