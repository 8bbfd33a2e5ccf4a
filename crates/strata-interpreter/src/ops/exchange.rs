//! Exchanges between devices: calls of functions of the executor, which the dump declares with their groups.
//!
//! Each device runs the dump on a thread of its own, and meets the others of its group. Operands and results are contiguous parts along
//! the first dimension, as stage `hlo` makes them.
//!
//! An exchange that may be under way is done where it begins. On buffers its result is kept until the wait: in between the operand must
//! not change, and nothing may read or write where the result goes.

use strata_ir::{Exchange, ExternalCall, Op, Phase, RAGGED_ALL_TO_ALL};

use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    machine::{Flight, Machine, Operand},
    memory::View,
    prepare::{Prepared, Preparer, unsupported},
    value::{Tensor, Value, each},
};

/// Where a call's result goes.
#[derive(Clone, Copy)]
enum Target {
    AllGather,
    AllReduce,
    AllToAll,
    Broadcast,
    Permute,
    ReduceScatter,
    Rows,
    PartitionId,
    ReplicaId,
}

impl Target {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "all_gather" => Self::AllGather,
            "all_reduce" => Self::AllReduce,
            "all_to_all" => Self::AllToAll,
            "collective_broadcast" => Self::Broadcast,
            "collective_permute" => Self::Permute,
            "reduce_scatter" => Self::ReduceScatter,
            "partition_id" => Self::PartitionId,
            "replica_id" => Self::ReplicaId,
            RAGGED_ALL_TO_ALL => Self::Rows,
            _ => return None,
        })
    }
}

/// A call, ready to be made any number of times.
struct Call {
    target: Target,
    exchange: Exchange,
    channel: i64,
    /// The function that combines two elements.
    combine: Option<usize>,
    operands: Vec<Operand>,
    result: Option<usize>,
}

/// The call of a function that the module only declares.
pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>, call: &ExternalCall<'c>) -> Prepared {
    let name = &call.target;
    let (Some(exchange), Some(target)) = (Exchange::of(call), Target::of(name)) else {
        return unsupported(format!("`{name}` is an external function"));
    };
    let combine = match &exchange.reduction {
        None => None,
        Some((_, combine)) => match p.functions.get(combine.as_str()) {
            Some(function) => Some(*function),
            None => return unsupported(format!("there is no function `@{combine}`")),
        },
    };
    let (operands, result) = (p.operands(op), p.results(op).first().copied());
    let channel = call.channel;
    let call = Call { target, exchange, channel, combine, operands, result };
    Ok(Box::new(move |machine| call.run(machine)))
}

impl Call {
    fn run(&self, machine: &mut Machine) -> Run {
        let Some((into, inputs)) = self.operands.split_last() else {
            return Err(Fault::internal("an exchange without a result"));
        };
        let into = machine.value(*into);
        let own = match inputs {
            [] => Vec::new(),
            [rows, lists @ ..] if matches!(self.target, Target::Rows) => {
                return self.rows(machine, *rows, lists, &into);
            }
            [input, ..] => {
                let value = machine.value(*input);
                contents(machine, &value)?
            }
        };
        let (elem, count) = extent(&into)?;
        match (self.exchange.phase, &into) {
            (Some((Phase::Wait, number)), Value::Buffer(view)) => {
                let result = landed(machine, number, &own, view)?;
                return self.write(machine, &into, result);
            }
            (Some((Phase::Wait, _)), _) => {
                let Some(slot) = self.result else {
                    return Err(Fault::internal("a wait without a result"));
                };
                machine.set(slot, into);
                return Ok(());
            }
            _ => {}
        }
        let operand = own.clone();
        let result = self.result_of(machine, own, elem, count)?;
        match (self.exchange.phase, &into) {
            (Some((Phase::Start, number)), Value::Buffer(view)) => {
                machine.flights.insert(number, Flight { operand, result });
                // Nothing there has a value until the wait.
                each(&view.shape, |index| machine.memory.put(view, view.at(index)?, None))
            }
            _ => self.write(machine, &into, result),
        }
    }

    /// Puts elements where the result goes.
    fn write(&self, machine: &mut Machine, into: &Value, bytes: Vec<u8>) -> Run {
        let (elem, count) = extent(into)?;
        if bytes.len() != count * elem.bytes() {
            return Err(Fault::undefined(format!(
                "an exchange of {} bytes where {} are written",
                bytes.len(),
                count * elem.bytes()
            )));
        }
        match (into, self.result) {
            (Value::Tensor(tensor), Some(slot)) => {
                let shape = tensor.shape.clone();
                let whole = Tensor { elem, shape, data: bytes, missing: None, read: None };
                machine.set(slot, Value::Tensor(whole.into()));
                Ok(())
            }
            (Value::Buffer(view), None) => {
                let mut elements = bytes.chunks_exact(elem.bytes());
                each(&view.shape, |index| {
                    let bits = elem.load(elements.next().unwrap_or_default());
                    machine.memory.write(view, view.at(index)?, bits)
                })
            }
            _ => Err(Fault::internal("an exchange has a tensor or a buffer")),
        }
    }

    /// Rows that others send, as many as their lists say, in what is there.
    fn rows(&self, machine: &mut Machine, rows: Operand, lists: &[Operand], into: &Value) -> Run {
        let count = |value: &Value| match value {
            Value::Tensor(tensor) => tensor.shape.first().map_or(0, |size| *size as i64),
            Value::Buffer(view) => view.shape.first().copied().unwrap_or(0),
            _ => 0,
        };
        let Some(process) = machine.process.clone() else {
            return Err(Fault::undefined("the dump is run on one device, and it exchanges values"));
        };
        let device = process.id.1 as i64;
        let Some(group) = self.exchange.groups.iter().find(|group| group.contains(&device)) else {
            return Err(Fault::undefined("the device is in no group"));
        };
        let place = group.iter().position(|member| *member == device).unwrap_or(0);
        let mut own = Vec::new();
        for list in lists {
            let list = machine.value(*list);
            own.extend(contents(machine, &list)?);
        }
        let entries = own.len() / size_of::<i64>() / lists.len().max(1);
        let rows = machine.value(rows);
        let input = contents(machine, &rows)?;
        let (has, room) = (count(&rows), count(into));
        let (words, _) = own.as_chunks();
        let own_number = |list: usize, entry: usize| {
            words.get(list * entries + entry).map_or(0, |word| i64::from_le_bytes(*word))
        };
        for entry in 0..entries {
            let [from, sent, to] = [0, 1, 2].map(|list| own_number(list, entry));
            let fits = |first: i64, all: i64| first >= 0 && sent <= all.saturating_sub(first);
            if sent < 0 || sent > 0 && !(fits(from, has) && fits(to, room)) {
                return Err(Fault::undefined(format!(
                    "entry {entry} of its lists sends {sent} rows from row {from} on, of {has}, to row {to} on, of {room}"
                )));
            }
        }
        let width = input.len() / has.max(1) as usize;
        own.extend(input);
        let members: Vec<_> = group.iter().map(|member| (0, *member as usize)).collect();
        let met = process.meet(&members, self.channel, own);
        let mut result = contents(machine, into)?;
        let updates = entries / group.len();
        for brought in met.map_err(|stuck| Fault::undefined(stuck.to_string()))? {
            let (numbers, theirs) = brought.split_at(entries * lists.len() * size_of::<i64>());
            let number = |list: usize, entry: usize| {
                let (words, _) = numbers.as_chunks();
                words.get(list * entries + entry).map_or(0, |word| i64::from_le_bytes(*word))
            };
            for entry in place * updates..(place + 1) * updates {
                let [from, sent, to] = [0, 1, 2].map(|list| number(list, entry));
                for row in 0..sent {
                    let [source, target] = [from + row, to + row].map(|row| row as usize * width);
                    let row = &theirs[source..source + width];
                    result[target..target + width].copy_from_slice(row);
                }
            }
        }
        self.write(machine, into, result)
    }

    fn result_of(
        &self,
        machine: &mut Machine,
        own: Vec<u8>,
        elem: Elem,
        count: usize,
    ) -> Run<Vec<u8>> {
        let Some(process) = machine.process.clone() else {
            return Err(Fault::undefined("the dump is run on one device, and it exchanges values"));
        };
        let device = process.id.1 as i64;
        let partitions = self.exchange.devices.partitions.max(1);
        let number = |number: i64| {
            let mut bytes = vec![0; elem.bytes()];
            elem.store(number as Bits, &mut bytes);
            bytes
        };
        let zeros = || vec![0; count * elem.bytes()];
        let meet = |members: &[i64], own: Vec<u8>| {
            let members: Vec<_> = members.iter().map(|member| (0, *member as usize)).collect();
            let met = process.meet(&members, self.channel, own);
            met.map_err(|stuck| Fault::undefined(stuck.to_string()))
        };
        let groups = &self.exchange.groups;
        match self.target {
            Target::PartitionId => return Ok(number(device % partitions)),
            Target::ReplicaId => return Ok(number(device / partitions)),
            Target::Permute => {
                let mut result = zeros();
                for pair in groups.iter().filter(|pair| pair.contains(&device)) {
                    let members = if pair[0] == pair[1] { &pair[..1] } else { &pair[..] };
                    let brought = meet(members, own.clone())?;
                    if pair[1] == device {
                        result.clone_from(&brought[0]);
                    }
                }
                return Ok(result);
            }
            _ => {}
        }
        let Some(group) = groups.iter().find(|group| group.contains(&device)) else {
            return Ok(zeros());
        };
        let place = group.iter().position(|member| *member == device).unwrap_or(0);
        let brought = meet(group, own)?;
        let part = |bytes: &Vec<u8>| {
            let size = bytes.len() / group.len();
            bytes[place * size..(place + 1) * size].to_vec()
        };
        Ok(match self.target {
            Target::AllGather => brought.concat(),
            Target::AllToAll => brought.iter().flat_map(part).collect(),
            Target::Broadcast => brought[0].clone(),
            Target::ReduceScatter => part(&self.folded(machine, brought, elem)?),
            _ => self.folded(machine, brought, elem)?,
        })
    }

    /// What members brought, combined element by element in the order of the group.
    fn folded(&self, machine: &mut Machine, brought: Vec<Vec<u8>>, elem: Elem) -> Run<Vec<u8>> {
        let Some(combine) = self.combine else {
            return Err(Fault::internal("a reduction without a function"));
        };
        let width = elem.bytes();
        let mut all = brought.into_iter();
        let mut sum = all.next().unwrap_or_default();
        for other in all {
            for (left, right) in sum.chunks_exact_mut(width).zip(other.chunks_exact(width)) {
                let values = [elem.load(left), elem.load(right)].map(Value::Scalar).to_vec();
                match machine.call(combine, values)?.first() {
                    Some(Value::Scalar(bits)) => elem.store(*bits, left),
                    _ => return Err(Fault::internal("a combination that is not a scalar")),
                }
            }
        }
        Ok(sum)
    }
}

/// The result of an exchange that was under way, if its operand is what it was, and nothing has been written to `view` since then.
fn landed(machine: &mut Machine, number: i64, operand: &[u8], view: &View) -> Run<Vec<u8>> {
    let Some(flight) = machine.flights.remove(&number) else {
        return Err(Fault::undefined("an exchange is waited for that was not begun"));
    };
    if flight.operand != operand {
        return Err(Fault::undefined("the operand of an exchange changes while it is under way"));
    }
    each(&view.shape, |index| match machine.memory.peek(view, view.at(index)?)? {
        None => Ok(()),
        Some(_) => Err(Fault::undefined(
            "something is written where the result of an exchange goes while it is under way",
        )),
    })?;
    Ok(flight.result)
}

/// The type of the elements that are written, and how many they are.
fn extent(into: &Value) -> Run<(Elem, usize)> {
    match into {
        Value::Tensor(tensor) => Ok((tensor.elem, tensor.len())),
        Value::Buffer(view) => Ok((view.elem, view.shape.iter().product::<i64>() as usize)),
        other => Err(crate::machine::unexpected(other, "what is written to")),
    }
}

/// The bytes of a tensor or buffer, all of which have to have a value.
pub(super) fn contents(machine: &Machine, value: &Value) -> Run<Vec<u8>> {
    match value {
        Value::Tensor(tensor) => {
            (0..tensor.len()).try_for_each(|at| tensor.get(at).map(|_| ()))?;
            Ok(tensor.data.clone())
        }
        Value::Buffer(view) => read(machine, view),
        other => Err(crate::machine::unexpected(other, "what is sent")),
    }
}

fn read(machine: &Machine, view: &View) -> Run<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut element = vec![0; view.elem.bytes()];
    each(&view.shape, |index| {
        view.elem.store(machine.memory.read(view, view.at(index)?)?, &mut element);
        bytes.extend_from_slice(&element);
        Ok(())
    })?;
    Ok(bytes)
}
