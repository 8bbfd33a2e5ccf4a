//! The little of `xla.CompileOptionsProto` that matters here: the devices that a program is for, and the options that the client
//! names (`jax.jit(…, compiler_options={…})`).

use strata::{OptLevel, Options};

use crate::failure::{Code, Failure};

/// `CompileOptionsProto.executable_build_options` and `env_option_overrides`.
const BUILD_OPTIONS: u64 = 3;
const OVERRIDES: u64 = 7;
/// `ExecutableBuildOptionsProto.num_replicas`, `num_partitions` and `device_assignment`.
const REPLICAS: u64 = 4;
const PARTITIONS: u64 = 5;
const ASSIGNMENT: u64 = 9;
/// The options that say how much is optimised: that of the client, and XLA's.
const LEVELS: [&str; 2] = ["opt_level", "xla_backend_optimization_level"];
/// The options that let numbers of `bf16` and `f16` keep more digits than their type: that of the client, and XLA's.
const EXCESS: [&str; 2] = ["excess_precision", "xla_allow_excess_precision"];
/// What options of XLA for another kind of device begin with: on a processor, XLA reads them and does nothing with them, too.
const OF_GPUS: &str = "xla_gpu_";

#[derive(Clone, Copy)]
enum Kind {
    Truth,
    Integer,
    Text,
}

/// Options of XLA whose every value fits what Strata does: they allow inexact arithmetic, which Strata does not use, or are about
/// what XLA writes, checks and does with threads.
const WITHOUT_EFFECT: &[(&str, Kind)] = &[
    ("xla_cpu_enable_concurrency_optimized_scheduler", Kind::Truth),
    ("xla_cpu_enable_fast_math", Kind::Truth),
    ("xla_cpu_enable_fast_min_max", Kind::Truth),
    ("xla_cpu_enable_xprof_traceme", Kind::Truth),
    ("xla_cpu_fast_math_honor_division", Kind::Truth),
    ("xla_cpu_fast_math_honor_functions", Kind::Truth),
    ("xla_cpu_fast_math_honor_infs", Kind::Truth),
    ("xla_cpu_fast_math_honor_nans", Kind::Truth),
    ("xla_cpu_multi_thread_eigen", Kind::Truth),
    ("xla_cpu_parallel_codegen_split_count", Kind::Integer),
    ("xla_cpu_use_thunk_runtime", Kind::Truth),
    ("xla_detailed_logging", Kind::Truth),
    ("xla_disable_hlo_passes", Kind::Text),
    ("xla_dump_max_hlo_modules", Kind::Integer),
    ("xla_embed_ir_in_executable", Kind::Truth),
    ("xla_llvm_disable_expensive_passes", Kind::Truth),
    ("xla_test_all_input_layouts", Kind::Truth),
];

/// What the client asks of one compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// How much is optimised, where it differs from the client.
    pub opt_level: Option<OptLevel>,
    /// Whether numbers may have more digits than their type, where that differs from the client.
    pub excess_precision: Option<bool>,
    /// The devices.
    pub placed: Placed,
}

/// The devices that a program is for: `xla.DeviceAssignmentProto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// How many replicas.
    pub replicas: usize,
    /// How many partitions of each.
    pub partitions: usize,
    /// The device for each, `replica * partitions + partition`; none if the client leaves it open.
    pub devices: Vec<usize>,
}

impl Default for Placed {
    fn default() -> Self {
        Self { replicas: 1, partitions: 1, devices: Vec::new() }
    }
}

/// More devices are a mistake.
const MOST_DEVICES: u64 = 1 << 16;

impl Placed {
    /// How many devices.
    pub fn count(&self) -> usize {
        self.replicas * self.partitions
    }

    /// Replicas and partitions.
    pub fn grid(&self) -> [usize; 2] {
        [self.replicas, self.partitions]
    }

    /// The devices in the message: `replica_count`, `computation_count`, and those of all replicas for each partition.
    ///
    /// # Errors
    /// For devices that do not form a grid.
    pub fn of(message: &[u8]) -> Result<Self, Failure> {
        let mut counts = [1, 1];
        let mut columns: Vec<Vec<usize>> = Vec::new();
        fields(message, &mut |number, value| {
            match (number, value) {
                (1 | 2, Field::Number(count)) => counts[number as usize - 1] = size(count)?,
                (3, Field::Bytes(column)) => {
                    let mut devices = Vec::new();
                    fields(column, &mut |number, value| {
                        match (number, value) {
                            (1, Field::Number(device)) => devices.push(size(device)?),
                            (1, Field::Bytes(mut packed)) => {
                                while !packed.is_empty() {
                                    devices.push(size(varint(&mut packed)?)?);
                                }
                            }
                            _ => {}
                        }
                        Ok(())
                    })?;
                    columns.push(devices);
                }
                _ => {}
            }
            Ok(())
        })?;
        let [replicas, partitions] = counts;
        let fits =
            columns.len() == partitions && columns.iter().all(|column| column.len() == replicas);
        if !fits {
            return Err(Failure::invalid("the device assignment is not a grid of devices"));
        }
        let device = |at: usize| columns[at % partitions][at / partitions];
        let devices = (0..replicas * partitions).map(device).collect();
        Ok(Self { replicas, partitions, devices })
    }

    /// The message.
    pub fn write(&self) -> Vec<u8> {
        let mut message = Vec::new();
        number(&mut message, 1, self.replicas as u64);
        number(&mut message, 2, self.partitions as u64);
        for partition in 0..self.partitions {
            let mut ids = Vec::new();
            for replica in 0..self.replicas {
                put(&mut ids, self.devices[replica * self.partitions + partition] as u64);
            }
            let mut column = Vec::new();
            bytes(&mut column, 1, &ids);
            bytes(&mut message, 3, &column);
        }
        message
    }
}

fn size(number: u64) -> Result<usize, Failure> {
    let size = usize::try_from(number).ok().filter(|_| number <= MOST_DEVICES);
    size.ok_or_else(|| Failure::invalid(format!("{number} is not a device, nor a number of them")))
}

fn put(message: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        message.push(value as u8 | 0x80);
        value >>= 7;
    }
    message.push(value as u8);
}

fn number(message: &mut Vec<u8>, field: u64, value: u64) {
    put(message, field << 3);
    put(message, value);
}

fn bytes(message: &mut Vec<u8>, field: u64, value: &[u8]) {
    put(message, field << 3 | 2);
    put(message, value.len() as u64);
    message.extend(value);
}

/// `xla.OpSharding` of a value that all devices have.
pub fn replicated() -> Vec<u8> {
    let mut message = Vec::new();
    number(&mut message, 1, 0);
    message
}

/// `xla.OpSharding` of a value in tiles: how many along each dimension, and the devices of the tiles in row-major order, as many for
/// each tile as have it, and as many for each of these as have `terms` of a sum.
pub fn tiled(tiles: &[u64], terms: u64, devices: &[u64]) -> Vec<u8> {
    const REPLICATED: u64 = 0;
    const UNREDUCED: u64 = 6;
    let copies = devices.len() as u64 / (tiles.iter().product::<u64>() * terms).max(1);
    let packed = |all: &mut dyn Iterator<Item = u64>| {
        let mut packed = Vec::new();
        all.for_each(|one| put(&mut packed, one));
        packed
    };
    let last =
        [(copies, REPLICATED), (terms, UNREDUCED)].into_iter().filter(|(count, _)| *count > 1);
    let mut message = Vec::new();
    number(&mut message, 1, 3);
    bytes(
        &mut message,
        3,
        &packed(&mut tiles.iter().copied().chain(last.clone().map(|(count, _)| count))),
    );
    bytes(&mut message, 4, &packed(&mut devices.iter().copied()));
    if terms > 1 {
        bytes(&mut message, 8, &packed(&mut last.map(|(_, kind)| kind)));
    } else if copies > 1 {
        number(&mut message, 6, 1);
    }
    message
}

impl CompileOptions {
    /// The options of this compilation, where they are not the client's.
    pub fn other_than(&self, client: &Options) -> Option<Options> {
        let opt_level = self.opt_level.unwrap_or(client.opt_level);
        let excess_precision = self.excess_precision.unwrap_or(client.excess_precision);
        let differs = (opt_level, excess_precision) != (client.opt_level, client.excess_precision);
        differs.then(|| Options { opt_level, excess_precision, ..client.clone() })
    }

    /// The options in such a message.
    ///
    /// # Errors
    /// For bytes that are not one, for devices that do not form a grid, and for options that Strata does not know or whose value is wrong.
    pub fn read(message: &[u8]) -> Result<Self, Failure> {
        let (mut options, mut counts) = (Self::default(), [1, 1]);
        fields(message, &mut |number, value| {
            match (number, value) {
                (BUILD_OPTIONS, Field::Bytes(build)) => fields(build, &mut |number, value| {
                    match (number, value) {
                        (REPLICAS, Field::Number(count)) => counts[0] = size(count)?.max(1),
                        (PARTITIONS, Field::Number(count)) => counts[1] = size(count)?.max(1),
                        (ASSIGNMENT, Field::Bytes(grid)) => options.placed = Placed::of(grid)?,
                        _ => {}
                    }
                    Ok(())
                })?,
                (OVERRIDES, Field::Bytes(entry)) => options.set(entry)?,
                _ => {}
            }
            Ok(())
        })?;
        let placed = &mut options.placed;
        if placed.devices.is_empty() {
            [placed.replicas, placed.partitions] = counts;
        }
        match placed.grid() == counts {
            true => Ok(options),
            false => {
                let ([replicas, partitions], [other, parts]) = (counts, placed.grid());
                Err(Failure::invalid(format!(
                    "{other} replicas of {parts} partitions have devices, of a program for {replicas} of {partitions}"
                )))
            }
        }
    }

    /// Takes an entry of the map from names to values.
    fn set(&mut self, entry: &[u8]) -> Result<(), Failure> {
        let (mut name, mut value) = (String::new(), None);
        fields(entry, &mut |number, field| {
            match (number, field) {
                (1, Field::Bytes(text)) => name = String::from_utf8_lossy(text).into_owned(),
                (2, Field::Bytes(message)) => value = Value::read(message)?,
                _ => {}
            }
            Ok(())
        })?;
        let value = value.ok_or_else(broken)?;
        if LEVELS.contains(&&*name) {
            let level = value.integer().and_then(|level| u8::try_from(level).ok());
            let level = level.and_then(OptLevel::from_digit);
            self.opt_level = Some(level.ok_or_else(|| value.wrong(&name, "level from 0 to 3"))?);
            return Ok(());
        }
        if EXCESS.contains(&&*name) {
            let permitted = value.truth();
            self.excess_precision =
                Some(permitted.ok_or_else(|| value.wrong(&name, "bool value"))?);
            return Ok(());
        }
        match WITHOUT_EFFECT.iter().find(|(known, _)| *known == name) {
            Some((_, Kind::Truth)) if value.truth().is_none() => {
                Err(value.wrong(&name, "bool value"))
            }
            Some((_, Kind::Integer)) if value.integer().is_none() => {
                Err(value.wrong(&name, "integer value"))
            }
            None if !name.starts_with(OF_GPUS) => {
                let known = "Strata takes `opt_level`, `excess_precision` and those of XLA's that docs/guide/pjrt.md names";
                let text = format!("No such compile option: '{name}': {known}");
                Err(Failure::new(Code::InvalidArgument, text))
            }
            _ => Ok(()),
        }
    }
}

/// `OptionOverrideProto`.
enum Value {
    Text(String),
    Truth(bool),
    Integer(i64),
    Float(f64),
}

impl Value {
    fn read(message: &[u8]) -> Result<Option<Self>, Failure> {
        let mut value = None;
        fields(message, &mut |number, field| {
            match (number, field) {
                (1, Field::Bytes(text)) => {
                    value = Some(Self::Text(String::from_utf8_lossy(text).into_owned()));
                }
                (2, Field::Number(truth)) => value = Some(Self::Truth(truth != 0)),
                (3, Field::Number(number)) => value = Some(Self::Integer(number.cast_signed())),
                (4, Field::Fixed(bits)) => value = Some(Self::Float(f64::from_bits(bits))),
                _ => {}
            }
            Ok(())
        })?;
        Ok(value)
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Self::Truth(truth) => Some(*truth),
            Self::Text(text) => text.to_ascii_lowercase().parse().ok(),
            _ => None,
        }
    }

    fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn wrong(&self, name: &str, wanted: &str) -> Failure {
        let value = match self {
            Self::Text(text) => text.clone(),
            Self::Truth(truth) => truth.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
        };
        Failure::invalid(format!("While setting option {name}, '{value}' is not a valid {wanted}."))
    }
}

enum Field<'b> {
    Number(u64),
    Bytes(&'b [u8]),
    /// Of 64 bits.
    Fixed(u64),
    /// Of 32 bits.
    Short,
}

fn fields<'b>(
    mut rest: &'b [u8],
    each: &mut dyn FnMut(u64, Field<'b>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut rest)?),
            1 => {
                let (bytes, after) = rest.split_first_chunk().ok_or_else(broken)?;
                rest = after;
                Field::Fixed(u64::from_le_bytes(*bytes))
            }
            2 => {
                let length = varint(&mut rest)?;
                Field::Bytes(take(&mut rest, usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => take(&mut rest, 4).map(|_| Field::Short)?,
            _ => return Err(broken()),
        };
        each(tag >> 3, field)?;
    }
    Ok(())
}

fn varint(rest: &mut &[u8]) -> Result<u64, Failure> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(broken())
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Result<&'b [u8], Failure> {
    let (taken, after) = rest.split_at_checked(count).ok_or_else(broken)?;
    *rest = after;
    Ok(taken)
}

fn broken() -> Failure {
    Failure::invalid("the compile options are not an `xla.CompileOptionsProto`")
}
