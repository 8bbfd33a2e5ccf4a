//! The exchange of ragged rows, `custom_call @ragged_all_to_all`.

use std::cell::OnceCell;

use strata_processes::Id;

use crate::{
    element::Element,
    error::{EvalError, Result},
    interpret::{
        Machine, Value,
        arguments::tensors,
        collective::process_of,
        groups::{Ids, process_groups},
    },
    program::{Attr, Operation},
    tensor::Tensor,
};

/// The operands: the rows, the output that they are written to, and for each member of the group where the rows for it begin, how many
/// they are, where it writes them, and how many it gets. The lists have as many entries for each member.
const OPERANDS: usize = 6;

/// Rows go to where their sender says, member by member in the order of the group: later ones replace earlier ones. Rows that the sender
/// does not have, or that are not in the output, are an error; to itself, a device that is alone in its group does not send them.
pub fn exchange(machine: &Machine<'_>, op: &Operation, operands: &[Value]) -> Result<Vec<Value>> {
    let alone = OnceCell::new();
    let process = process_of(machine, &alone);
    let operands = tensors(operands)?;
    let (Attr::Dictionary(config), OPERANDS) = (op.attr("backend_config")?, operands.len()) else {
        return Err(EvalError::invalid("it has other operands, or no groups"));
    };
    let channel = match config.get("channel_id") {
        None => 0,
        Some(Attr::Int(channel)) => *channel,
        Some(Attr::Typed(channel, _)) => match **channel {
            Attr::Int(channel) => channel,
            _ => return Err(EvalError::invalid("the channel is not a number")),
        },
        Some(_) => return Err(EvalError::invalid("the channel is not a number")),
    };
    let groups = config.get("replica_groups");
    let groups = groups.ok_or_else(|| EvalError::invalid("the groups are missing"))?;
    let groups = process_groups(machine, process, groups, Ids::of(op, channel))?;
    let group = groups.into_iter().find(|group| group.contains(&process.id));
    let group = group.ok_or_else(|| EvalError::invalid("the process is in no group"))?;
    let grid = &process.grid;
    let is_outside = |id: &&Id| id.0 >= grid.replicas || id.1 >= grid.partitions;
    if let Some((replica, partition)) = group.iter().find(is_outside) {
        return Err(EvalError::invalid(format!(
            "its groups name partition {partition} of replica {replica}, and the module declares {} replicas of {} partitions: ids are of partitions with a `channel_id`, of replicas without one",
            grid.replicas, grid.partitions
        )));
    }
    let place = group.iter().position(|id| *id == process.id).unwrap_or(0);
    let mut output = operands[1].clone();
    if group.len() > 1 && !operands[0].is_empty() && !output.is_empty() {
        let [rows, _, from, sizes, to, _] = &operands[..] else {
            return Err(EvalError::invalid("it has other operands"));
        };
        check([from, sizes, to], [rows, &output].map(row_count))?;
    }
    for brought in process.meet(&group, channel, operands).map_err(EvalError::stuck)? {
        let [rows, _, from, sizes, to, _] = &brought[..] else { continue };
        let updates = from.len() / group.len();
        if updates * group.len() != from.len()
            || sizes.len() != from.len()
            || to.len() != from.len()
        {
            return Err(EvalError::invalid("the lists have not as many entries for each member"));
        }
        for entry in place * updates..(place + 1) * updates {
            let [from, size, to] = entry_of([from, sizes, to], entry)?;
            copy(rows, from, size, &mut output, to);
        }
    }
    Ok(vec![Value::Tensor(output)])
}

fn row_count(tensor: &Tensor) -> i128 {
    tensor.shape().first().map_or(0, |size| *size as i128)
}

/// An entry of each list.
fn entry_of(lists: [&Tensor; 3], entry: usize) -> Result<[i128; 3]> {
    let mut numbers = [0; 3];
    for (number, list) in numbers.iter_mut().zip(lists) {
        *number = match list.get(entry) {
            Element::Signed(number) => i128::from(number),
            Element::Unsigned(number) => i128::from(number),
            _ => return Err(EvalError::invalid("offsets and sizes are not integers")),
        };
    }
    Ok(numbers)
}

/// Refuses lists that send rows from or to where none are.
fn check(lists: [&Tensor; 3], [rows, room]: [i128; 2]) -> Result<()> {
    for entry in 0..lists[0].len().min(lists[1].len()).min(lists[2].len()) {
        let [from, size, to] = entry_of(lists, entry)?;
        let is_right = from >= 0 && to >= 0 && from + size <= rows && to + size <= room;
        if size < 0 || size > 0 && !is_right {
            return Err(EvalError::invalid(format!(
                "entry {entry} of its lists sends {size} rows from row {from} on, of {rows}, to row {to} on, of {room}"
            )));
        }
    }
    Ok(())
}

/// Copies those of `count` rows that there are: all of them, unless a device is alone in its group.
fn copy(rows: &Tensor, from: i128, count: i128, output: &mut Tensor, to: i128) {
    if from < 0 || to < 0 {
        return;
    }
    let width: usize = rows.shape().iter().skip(1).product();
    let most = count.min(row_count(rows) - from).min(row_count(output) - to);
    for row in 0..most.max(0) {
        let (source, target) = ((from + row) as usize * width, (to + row) as usize * width);
        for at in 0..width {
            output.copy_element(target + at, rows, source + at);
        }
    }
}
