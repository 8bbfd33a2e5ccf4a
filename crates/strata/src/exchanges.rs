//! What a device receives from others in a call, in how many steps, and what that takes on a network.
//!
//! The model is that of `strata/mpi.h`. With n members, and B bytes of what each of them gives:
//!
//! | exchange | up to 16 members: steps, bytes received | more: steps |
//! |---|---|---|
//! | `all_reduce`, short | 1, (n-1)·B | as a long one |
//! | `all_reduce`, long | 2, 2·B·(n-1)/n | n-1 + 2·⌈log₂ n⌉ |
//! | `reduce_scatter`, `all_to_all` | 1, B·(n-1)/n | n-1 + ⌈log₂ n⌉ |
//! | `all_gather` | 1, (n-1)·B | 2·⌈log₂ n⌉ |
//! | `collective_broadcast` | 1, B | 2·⌈log₂ n⌉ |
//! | `collective_permute`, `recv` | 1, B | 1 |
//! | `ragged_all_to_all`, as many rows for each | 2, B·(n-1)/n | 2·(n-1) + ⌈log₂ n⌉ |
//!
//! Large groups first agree on what they do, in ⌈log₂ n⌉ steps; MPI then moves what is for all in as many steps (doubling), and what is for
//! each in n-1 (pairwise). Steps follow each other; in one of them a device may hear of all others. Sums are combined in the order of
//! the group, not on the way.

use std::cmp::Reverse;

use strata_ir::{
    Module, Op, OpKind, RAGGED_ALL_TO_ALL, Type, TypeExt as _, Value, communicates, groups_of,
    is_ragged,
};

use crate::cost::executed;

/// The members of the largest groups that exchange values by messages of their own: `direct_members` of `strata/mpi.c`.
const MOST_DIRECT: u64 = 16;
/// The most bytes of a value that goes with the message that says what is done: its `EAGER`.
const MOST_WITH_HEAD: u64 = 3968;
/// The most bytes of a sum of two members that both compute whole: its `WHOLE`.
const MOST_WHOLE_OF_TWO: u64 = 32768;

/// Exchanges of one kind and size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchanges {
    /// The operation's name without its dialect.
    pub operation: String,
    /// How many devices of a group exchange values.
    pub members: u64,
    /// How often a device does it in a call.
    pub count: u64,
    /// What a device gives, in bytes.
    pub bytes: u64,
    /// How many messages follow each other, in one of them.
    pub steps: u64,
    /// The bytes that a device receives, in one of them.
    pub received: u64,
}

/// What connects devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// The seconds that a message without bytes takes.
    pub latency: f64,
    /// The bytes that a device receives in a second.
    pub bandwidth: f64,
}

impl Exchanges {
    /// An estimate of the seconds that all of them take.
    pub fn time(&self, network: Network) -> f64 {
        let one = self.steps as f64 * network.latency + self.received as f64 / network.bandwidth;
        self.count as f64 * one
    }

    fn of(op: Op<'_>, value: Value<'_>, count: u64) -> Option<Self> {
        let bytes = bytes_of(value.ty());
        let groups = groups_of(op).ok()?;
        let is_pair = matches!(op.kind(), OpKind::CollectivePermute | OpKind::Recv);
        // A device that is its own source receives nothing, and the longest of several groups is waited for.
        let members = match is_pair {
            true => groups.iter().any(|pair| pair[0] != pair[1]).then_some(2)?,
            false => groups.iter().map(Vec::len).max().filter(|members| *members > 1)? as u64,
        };
        let (steps, received) = model(op.kind(), members, bytes)?;
        let operation = match is_ragged(op) {
            true => RAGGED_ALL_TO_ALL,
            false => op.name().mnemonic(),
        };
        let operation = operation.to_owned();
        Some(Self { operation, members, count, bytes, steps, received })
    }
}

fn bytes_of(ty: Type<'_>) -> u64 {
    let width = ty.element().byte_width().unwrap_or(0);
    ty.element_count().unwrap_or(0).saturating_mul(width)
}

/// Steps, and bytes received; `None` for operations that exchange nothing.
fn model(kind: OpKind, members: u64, bytes: u64) -> Option<(u64, u64)> {
    let doubling = u64::from(members.next_power_of_two().ilog2());
    let is_direct = members <= MOST_DIRECT;
    let agreement = if is_direct { 0 } else { doubling };
    let (to_all, to_each) = if is_direct { (1, 1) } else { (doubling, members - 1) };
    let others = bytes / members * (members - 1);
    let all = bytes.saturating_mul(members - 1);
    Some(match kind {
        OpKind::AllReduce => {
            let most = if members == 2 { MOST_WHOLE_OF_TWO } else { MOST_WITH_HEAD };
            match is_direct && bytes <= most {
                true => (1, all),
                false => (agreement + to_each + to_all, 2 * others),
            }
        }
        OpKind::AllGather => (agreement + to_all, all),
        OpKind::ReduceScatter | OpKind::AllToAll => (agreement + to_each, others),
        OpKind::CollectiveBroadcast => (agreement + to_all, bytes),
        // Lists first; then rows, of which as many are for each member.
        OpKind::CustomCall => (agreement + 2 * to_each, others),
        OpKind::CollectivePermute | OpKind::Recv => (1, bytes),
        _ => return None,
    })
}

/// All exchanges of a module's entry functions after stage `hlo`, or `spmd`: those that receive most first. Loops with an unknown number
/// of rounds count as one round, and all branches as if they were taken.
pub(crate) fn exchanges(module: &Module<'_>) -> Vec<Exchanges> {
    let mut found: Vec<Exchanges> = Vec::new();
    for (op, count) in executed(module) {
        if !communicates(op) {
            continue;
        }
        let mut values = if op.kind() == OpKind::Recv { op.results() } else { op.operands() };
        if is_ragged(op) {
            // The rows; the lists are few.
            values.truncate(1);
        }
        for value in values.into_iter().filter(|value| value.ty().is_tensor_type()) {
            let Some(own) = Exchanges::of(op, value, count) else { continue };
            let is_like = |other: &&mut Exchanges| Exchanges { count, ..(**other).clone() } == own;
            match found.iter_mut().find(is_like) {
                Some(other) => other.count = other.count.saturating_add(count),
                None => found.push(own),
            }
        }
    }
    found.sort_by_key(|one| Reverse((one.received.saturating_mul(one.count), one.steps)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_exchange_at_once() {
        // 12 bytes of each of 4; what is short goes whole to all.
        assert_eq!(model(OpKind::AllReduce, 4, 12), Some((1, 36)));
        assert_eq!(model(OpKind::AllReduce, 4, 4096), Some((2, 6144)));
        // Two do that up to 32 KiB.
        assert_eq!(model(OpKind::AllReduce, 2, 32768), Some((1, 32768)));
        assert_eq!(model(OpKind::AllReduce, 2, 32772), Some((2, 32772)));
        assert_eq!(model(OpKind::AllGather, 16, 4096), Some((1, 15 * 4096)));
        assert_eq!(model(OpKind::ReduceScatter, 4, 4096), Some((1, 3072)));
        assert_eq!(model(OpKind::CollectivePermute, 2, 4096), Some((1, 4096)));
        assert_eq!(model(OpKind::CustomCall, 4, 4096), Some((2, 3072)));
        assert_eq!(model(OpKind::PartitionId, 2, 4), None);
    }

    #[test]
    fn large_groups_agree_first() {
        assert_eq!(model(OpKind::AllReduce, 1024, 4096), Some((10 + 1023 + 10, 2 * 4 * 1023)));
        assert_eq!(model(OpKind::AllGather, 17, 8), Some((5 + 5, 16 * 8)));
        assert_eq!(model(OpKind::AllToAll, 32, 64), Some((5 + 31, 62)));
        assert_eq!(model(OpKind::CollectiveBroadcast, 64, 8), Some((12, 8)));
    }

    #[test]
    fn time_has_two_parts() {
        let one = Exchanges {
            operation: "all_gather".to_owned(),
            members: 3,
            count: 5,
            bytes: 500,
            steps: 1,
            received: 1000,
        };
        let time = one.time(Network { latency: 2e-6, bandwidth: 1e9 });
        assert!((time - 5.0 * 3e-6).abs() < 1e-12, "{time}");
    }
}
