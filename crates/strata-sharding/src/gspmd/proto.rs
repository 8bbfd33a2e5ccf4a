//! The structure that the strings stand for, XLA's `OpSharding`, as bytes of protocol buffers.
//!
//! ```text
//! 08 03         type: split into tiles
//! 1A 02 01 02   shape of the tiles: 1 x 2
//! 22 02 00 01   devices 0 and 1
//! ```

use super::text::{Annotation, Tiles, listed, product, transposed};

/// Reads it: one annotation, or those of the elements of a tuple.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(bytes: &[u8]) -> Result<Vec<Annotation>, String> {
    let mut message = Message::default();
    let mut reader = Reader { rest: bytes };
    while !reader.rest.is_empty() {
        message.field(&mut reader)?;
    }
    message.annotations()
}

const REPLICATED: i64 = 0;
const MAXIMAL: i64 = 1;
const TUPLE: i64 = 2;
const TILED: i64 = 3;
const MANUAL: i64 = 4;
const UNKNOWN: i64 = 5;

#[derive(Default)]
struct Message {
    kind: i64,
    shape: Vec<i64>,
    devices: Vec<i64>,
    tuple: Vec<Annotation>,
    replicates_last: bool,
    last: Vec<i64>,
    grid: Vec<i64>,
    order: Vec<i64>,
}

impl Message {
    fn field(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        let tag = reader.number()?;
        let (field, wire) = (tag >> 3, tag & 7);
        let (mut numbers, mut inner) = (Vec::new(), &[][..]);
        match wire {
            0 => numbers.push(reader.number()?),
            2 => inner = reader.bytes()?,
            _ => return Err(format!("field {field} has an unknown form")),
        }
        if wire == 2 && field != 5 && field != 7 {
            let mut packed = Reader { rest: inner };
            while !packed.rest.is_empty() {
                numbers.push(packed.number()?);
            }
        }
        match field {
            1 => self.kind = numbers.first().copied().unwrap_or(0),
            3 => self.shape.extend(numbers),
            4 => self.devices.extend(numbers),
            5 => self.tuple.extend(parse(inner)?),
            6 => self.replicates_last = numbers.first().is_some_and(|number| *number != 0),
            // What it was made from.
            7 => {}
            8 => self.last.extend(numbers),
            9 => self.grid.extend(numbers),
            10 => self.order.extend(numbers),
            _ => return Err(format!("field {field} is not known")),
        }
        Ok(())
    }

    fn annotations(self) -> Result<Vec<Annotation>, String> {
        match self.kind {
            REPLICATED => Ok(vec![Annotation::Replicated]),
            MAXIMAL => match self.devices[..] {
                [device] => Ok(vec![Annotation::Maximal(device)]),
                _ => Err(format!("one device has it, and {} are listed", self.devices.len())),
            },
            UNKNOWN => Ok(vec![Annotation::Unknown]),
            MANUAL => Ok(vec![Annotation::Manual]),
            TUPLE => Ok(self.tuple),
            TILED => {
                let count = product(&self.shape)?;
                let devices = match self.grid.is_empty() {
                    true => listed(count, self.devices)?,
                    false => transposed(count, &self.grid, &self.order)?,
                };
                let extra = if self.replicates_last { 1 } else { self.last.len() };
                if extra > self.shape.len() {
                    return Err("it has more kinds of dimensions than dimensions".to_owned());
                }
                let manual = self.last.contains(&MANUAL);
                Ok(vec![Annotation::Tiled(Tiles { shape: self.shape, devices, extra, manual })])
            }
            kind => Err(format!("type {kind} is not known")),
        }
    }
}

struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    fn number(&mut self) -> Result<i64, String> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.rest.split_first().ok_or("it ends early")?;
            self.rest = rest;
            number |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                let number = i64::try_from(number).ok();
                return number.ok_or_else(|| "a number is too large".to_owned());
            }
        }
        Err("a number is too long".to_owned())
    }

    fn bytes(&mut self) -> Result<&'b [u8], String> {
        let length = usize::try_from(self.number()?).map_err(|_| "it ends early")?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or("it ends early")?;
        self.rest = rest;
        Ok(bytes)
    }
}
