//! Checks what MLIR's bytecode reader trusts, before it reads: sections are in the file, counts fit the file,
//! indices are in range, types and attributes do not contain themselves.
//!
//! The reader reserves memory for counts that it has not checked and follows references by recursion, so that a
//! damaged file would end the process. What passes this check may still be rejected by the reader; encodings of
//! dialects are left to it.

mod body;
mod entries;

use super::{
    MAGIC,
    container::{BODY, DIALECTS, ENTRIES, ENTRY_SIZES, PROPERTIES, SECTIONS, STRINGS, Section},
    cursor::{Cursor, Damage, damaged},
};

/// The newest format that the linked MLIR reads.
const NEWEST_FORMAT: u64 = 6;

/// The sizes of the tables that indices refer to.
struct Tables {
    format: u64,
    strings: usize,
    dialects: Vec<Vec<u8>>,
    operations: usize,
    attributes: usize,
    types: usize,
    properties: usize,
}

/// Checks MLIR bytecode; the error says what is wrong.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    whole(bytes).map_err(|damage| damage.to_string())
}

fn whole(bytes: &[u8]) -> Result<(), Damage> {
    let mut file = Cursor::new(bytes);
    if file.take(MAGIC.len())? != MAGIC {
        return damaged("the magic number is wrong");
    }
    let format = file.number()?;
    if format > NEWEST_FORMAT {
        return Err(Damage::Owned(format!(
            "it has format {format} of MLIR bytecode, but only formats up to {NEWEST_FORMAT} are supported"
        )));
    }
    file.text()?;
    let sections = sections(&mut file, bytes)?;
    let section = |id: u8| sections.get(usize::from(id)).copied().flatten();
    let needed = |id: u8| section(id).map_or_else(|| damaged("a section is missing"), Ok);

    let strings = strings(needed(STRINGS)?)?;
    let (dialects, operations) = names(needed(DIALECTS)?, format, &strings)?;
    let mut tables = Tables {
        format,
        strings: strings.len(),
        dialects,
        operations,
        attributes: 0,
        types: 0,
        properties: 0,
    };
    entries::check(&mut tables, needed(ENTRY_SIZES)?, needed(ENTRIES)?)?;
    if let Some(properties) = section(PROPERTIES) {
        let mut properties = Cursor::new(properties);
        tables.properties = properties.count()?;
        for _ in 0..tables.properties {
            let size = properties.size()?;
            properties.take(size)?;
        }
    }
    body::check(&tables, needed(BODY)?)
}

/// The contents of the sections, by number.
fn sections<'b>(
    file: &mut Cursor<'b>,
    bytes: &[u8],
) -> Result<[Option<&'b [u8]>; SECTIONS], Damage> {
    let mut found = [None; SECTIONS];
    while !file.is_empty() {
        let Section { id, content, .. } = file.section(bytes.len())?;
        match found.get_mut(usize::from(id)) {
            Some(place @ None) => *place = Some(content),
            Some(Some(_)) => return damaged("a section occurs twice"),
            None => return damaged("a section has an unknown number"),
        }
    }
    Ok(found)
}

fn strings(section: &[u8]) -> Result<Vec<&[u8]>, Damage> {
    let mut cursor = Cursor::new(section);
    let count = cursor.count()?;
    let mut sizes = Vec::with_capacity(count);
    for _ in 0..count {
        sizes.push(cursor.size()?);
    }
    // Sizes are in reverse order of the strings, which all end with a zero.
    let mut strings = Vec::with_capacity(count);
    for size in sizes.iter().rev() {
        match cursor.take(*size)?.split_last() {
            Some((0, text)) => strings.push(text),
            _ => return damaged("a string does not end with a zero"),
        }
    }
    if !cursor.is_empty() {
        return damaged("the strings do not fill their section");
    }
    Ok(strings)
}

/// The dialects, and the number of operation names.
fn names(section: &[u8], format: u64, strings: &[&[u8]]) -> Result<(Vec<Vec<u8>>, usize), Damage> {
    let mut cursor = Cursor::new(section);
    let count = cursor.count()?;
    let mut dialects = Vec::with_capacity(count);
    for _ in 0..count {
        let mut name = cursor.number()?;
        if format >= 1 {
            if name & 1 == 1 {
                cursor.section(0)?;
            }
            name >>= 1;
        }
        match usize::try_from(name).ok().and_then(|name| strings.get(name)) {
            Some(name) => dialects.push(name.to_vec()),
            None => return damaged("the index of a dialect's name is out of range"),
        }
    }
    if format >= 4 {
        cursor.count()?;
    }
    let mut operations = 0;
    while !cursor.is_empty() {
        cursor.index(dialects.len())?;
        let names = cursor.count()?;
        for _ in 0..names {
            let name = cursor.number()?;
            let name = if format >= 5 { name >> 1 } else { name };
            if usize::try_from(name).map_or(true, |name| name >= strings.len()) {
                return damaged("the index of an operation's name is out of range");
            }
            operations += 1;
        }
    }
    Ok((dialects, operations))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::{Builder, module_op, new_context, write_bytecode_as};
    use melior::ir::{Location, Module};

    fn sample() -> Vec<u8> {
        let context = new_context();
        let text = "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n\
                    %0 = stablehlo.add %a, %a : tensor<2xf32>\n\
                    return %0 : tensor<2xf32>\n}";
        let module = crate::parse(&context, "sample.mlir", text.as_bytes()).expect("parses");
        write_bytecode_as(module_op(&module), "sample", 6).expect("written")
    }

    #[test]
    fn what_mlir_writes_is_well_formed() {
        for format in [0, 1, 3, 4, 5, 6] {
            let context = new_context();
            let module = Module::new(Location::unknown(&context));
            let inside = module_op(&module).body(0);
            let builder = Builder::at_end(&context, inside, Location::unknown(&context));
            builder.op(crate::stablehlo::CREATE_TOKEN).infer().build();
            let bytes = write_bytecode_as(module_op(&module), "test", format).expect("written");
            assert_eq!(check(&bytes), Ok(()), "format {format}");
        }
        assert_eq!(check(&sample()), Ok(()));
    }

    #[test]
    fn every_prefix_is_refused() {
        let bytes = sample();
        for length in 0..bytes.len() {
            assert!(check(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
    }

    /// Replaces the type of each elements attribute by every other type of the program.
    #[test]
    fn elements_of_any_type_are_read_or_refused() {
        let context = new_context();
        let text = "func.func @f(%a: tensor<2x3xf32>, %m: memref<2xindex>, %t: !stablehlo.token, %i: index) -> tensor<1x3xf32> {\n\
                    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n\
                    %0 = stablehlo.slice %a [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>\n\
                    return %0 : tensor<1x3xf32>\n}";
        let module = crate::parse(&context, "sample.mlir", text.as_bytes()).expect("parses");
        let bytes = write_bytecode_as(module_op(&module), "sample", 6).expect("written");
        let (mut read, mut refused) = (0, 0);
        for at in 0..bytes.len() {
            // Small numbers of the encoding are odd bytes.
            for number in (0..12).map(|number| number << 1 | 1).filter(|_| bytes[at] & 1 == 1) {
                let mut damaged = bytes.clone();
                damaged[at] = number;
                match crate::parse(&context, "damaged.mlirbc", &damaged) {
                    Ok(_) => read += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(read > 0 && refused > read, "{read} read, {refused} refused");
    }

    #[test]
    fn newer_formats_are_named() {
        let error = check(b"ML\xefR\x0fnewer\0").expect_err("format 7");
        assert!(error.contains("format 7"), "{error}");
    }
}
