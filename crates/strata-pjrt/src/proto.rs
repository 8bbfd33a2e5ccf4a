//! The little of `xla.CompileOptionsProto` that matters here: for how many devices a program is.

use crate::failure::Failure;

/// `CompileOptionsProto.executable_build_options`.
const BUILD_OPTIONS: u64 = 3;
/// `ExecutableBuildOptionsProto.num_replicas` and `num_partitions`.
const DEVICE_COUNTS: [u64; 2] = [4, 5];

/// # Errors
/// For bytes that are not such a message, and for several devices.
pub fn check(options: &[u8]) -> Result<(), Failure> {
    let mut several = false;
    fields(options, &mut |number, value| {
        if let (BUILD_OPTIONS, Field::Bytes(build)) = (number, value) {
            fields(build, &mut |number, value| {
                if let Field::Number(count) = value {
                    several |= DEVICE_COUNTS.contains(&number) && count > 1;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    match several {
        true => Err(Failure::unimplemented("programs for several devices")),
        false => Ok(()),
    }
}

enum Field<'b> {
    Number(u64),
    Bytes(&'b [u8]),
    Fixed,
}

fn fields<'b>(
    mut rest: &'b [u8],
    each: &mut dyn FnMut(u64, Field<'b>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut rest)?),
            1 => take(&mut rest, 8).map(|_| Field::Fixed)?,
            2 => {
                let length = varint(&mut rest)?;
                Field::Bytes(take(&mut rest, usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => take(&mut rest, 4).map(|_| Field::Fixed)?,
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
