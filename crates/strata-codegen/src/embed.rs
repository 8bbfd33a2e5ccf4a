//! Adds large constants to the object as a section.
//!
//! LLVM's object leaves the constants' symbols undefined; here they become local symbols of a read-only
//! section, so that the object is self-contained and LLVM never sees the bytes.

use object::{
    build::elf::{Builder, SectionData},
    elf,
    write::WritableBuffer,
};
use strata_diag::{Diagnostic, codes};
use strata_ir::Hole;

use crate::{machine::bug, pieces::Pieces, weights::Weights};

/// The range of relative addresses in the code: less than 2 GiB.
const REACH: usize = 0x7000_0000;

/// The object with the weights inside.
///
/// # Errors
/// `S1704` for weights that the code cannot reach, `S9003` if the object cannot be parsed.
pub(crate) fn embed(object: &[u8], weights: &Weights) -> Result<Pieces, Diagnostic> {
    check_reach(weights.size())?;
    let broken =
        |error: object::build::Error| bug("the object cannot be parsed", &error.to_string());
    let mut builder = Builder::read(object).map_err(broken)?;
    // LLVM uses one string table for sections and symbols.
    let has_names =
        builder.sections.iter().any(|one| matches!(one.data, SectionData::SectionString));
    if !has_names {
        let names = builder.sections.add();
        names.name = b".shstrtab"[..].into();
        names.sh_type = elf::SHT_STRTAB;
        names.sh_addralign = 1;
        names.data = SectionData::SectionString;
    }
    let section = builder.sections.add();
    section.name = b".rodata.weights"[..].into();
    section.sh_type = elf::SHT_PROGBITS;
    section.sh_flags = elf::SHF_ALLOC.into();
    section.sh_addralign = 64;
    // They are in many places; the writer gets as many bytes in one, which are neither read nor written: they take no memory.
    let hole = Hole::new(weights.size())
        .map_err(|error| bug("there are no addresses for the weights", &error.to_string()))?;
    section.data = SectionData::Data((&hole[..]).into());
    let section = section.id();
    for symbol in &mut builder.symbols {
        if symbol.section.is_some() || symbol.st_shndx != elf::SHN_UNDEF {
            continue;
        }
        let tensor = weights.tensors().iter().find(|one| one.symbol.as_bytes() == &symbol.name[..]);
        let Some(tensor) = tensor else { continue };
        symbol.section = Some(section);
        symbol.st_value = tensor.offset as u64;
        symbol.st_size = tensor.size as u64;
        symbol.st_other = elf::STV_DEFAULT;
        symbol.set_st_info(elf::STB_LOCAL, elf::STT_OBJECT);
    }
    let mut writer = Writer { pieces: Pieces::default(), end: Vec::new(), hole: &hole, weights };
    builder.write(&mut writer).map_err(broken)?;
    let Writer { mut pieces, end, .. } = writer;
    pieces.push(end.into());
    Ok(pieces)
}

/// Writes an object, with weights in place of a hole.
struct Writer<'w> {
    pieces: Pieces,
    /// What was written after the pieces.
    end: Vec<u8>,
    hole: &'w [u8],
    weights: &'w Weights,
}

impl WritableBuffer for Writer<'_> {
    fn len(&self) -> usize {
        self.pieces.len() + self.end.len()
    }

    fn reserve(&mut self, _: usize) -> Result<(), ()> {
        Ok(())
    }

    fn resize(&mut self, length: usize) {
        self.end.resize(length - self.pieces.len(), 0);
    }

    fn write_bytes(&mut self, bytes: &[u8]) {
        if !std::ptr::eq(bytes, self.hole) {
            self.end.extend_from_slice(bytes);
            return;
        }
        self.pieces.push(std::mem::take(&mut self.end).into());
        let start = self.pieces.len();
        for (tensor, bytes) in self.weights.tensors().iter().zip(self.weights.data()) {
            let padding = start + tensor.offset - self.pieces.len();
            self.pieces.push(vec![0; padding].into());
            self.pieces.push(bytes.clone());
        }
    }
}

pub(crate) fn check_reach(size: usize) -> Result<(), Diagnostic> {
    if size <= REACH {
        return Ok(());
    }
    Err(Diagnostic::new(codes::S1704)
        .reason(format!("the program's constants are {size} bytes, the limit is {REACH}"))
        .hint("`--weights external` writes them to a separate file"))
}

#[cfg(test)]
mod tests {
    use super::check_reach;
    use strata_diag::codes;

    #[test]
    fn constants_that_no_address_reaches_are_refused() {
        assert!(check_reach(1 << 30).is_ok());
        let error = check_reach(1 << 31).expect_err("too far");
        assert_eq!(error.code(), codes::S1704);
        assert!(error.hint_text().is_some_and(|hint| hint.contains("--weights external")));
    }
}
