//! The operations.

use super::{BODY, Cursor, Damage, Section, Tables, damaged};

/// The maximum nesting of regions: the compiler recurses.
const DEEPEST: usize = 256;

mod mask {
    pub(super) const ATTRIBUTES: u8 = 0x01;
    pub(super) const RESULTS: u8 = 0x02;
    pub(super) const OPERANDS: u8 = 0x04;
    pub(super) const SUCCESSORS: u8 = 0x08;
    pub(super) const REGIONS: u8 = 0x10;
    pub(super) const USE_ORDERS: u8 = 0x20;
    pub(super) const PROPERTIES: u8 = 0x40;
}

/// Checks the section of operations.
pub(super) fn check(tables: &Tables, section: &[u8]) -> Result<(), Damage> {
    let mut cursor = Cursor::new(section);
    Body { tables }.block(&mut cursor, 0, 1)?;
    if cursor.is_empty() { Ok(()) } else { damaged("something follows the last operation") }
}

struct Body<'t> {
    tables: &'t Tables,
}

impl Body<'_> {
    /// A block of a region with `blocks` blocks.
    fn block(&self, cursor: &mut Cursor<'_>, depth: usize, blocks: usize) -> Result<(), Damage> {
        let head = cursor.number()?;
        if head & 1 == 1 {
            let count = cursor.count()?;
            for _ in 0..count {
                let ty = cursor.number()?;
                let (ty, has_location) =
                    if self.tables.format >= 4 { (ty >> 1, ty & 1 == 1) } else { (ty, true) };
                if usize::try_from(ty).map_or(true, |ty| ty >= self.tables.types) {
                    return damaged("the index of an argument's type is out of range");
                }
                if has_location {
                    cursor.index(self.tables.attributes)?;
                }
            }
            if self.tables.format >= 3 && cursor.byte()? != 0 {
                self.use_orders(cursor, count)?;
            }
        }
        for _ in 0..head >> 1 {
            self.op(cursor, depth, blocks)?;
        }
        Ok(())
    }

    fn op(&self, cursor: &mut Cursor<'_>, depth: usize, blocks: usize) -> Result<(), Damage> {
        let tables = self.tables;
        cursor.index(tables.operations)?;
        let mask = cursor.byte()?;
        cursor.index(tables.attributes)?;
        if mask & mask::ATTRIBUTES != 0 {
            cursor.index(tables.attributes)?;
        }
        if mask & mask::PROPERTIES != 0 {
            cursor.index(tables.properties)?;
        }
        let mut results = 0;
        if mask & mask::RESULTS != 0 {
            results = cursor.count()?;
            for _ in 0..results {
                cursor.index(tables.types)?;
            }
        }
        if mask & mask::OPERANDS != 0 {
            for _ in 0..cursor.count()? {
                cursor.number()?;
            }
        }
        if mask & mask::SUCCESSORS != 0 {
            for _ in 0..cursor.count()? {
                cursor.index(blocks)?;
            }
        }
        if tables.format >= 3 && mask & mask::USE_ORDERS != 0 {
            self.use_orders(cursor, results)?;
        }
        if mask & mask::REGIONS == 0 {
            return Ok(());
        }
        if depth >= DEEPEST {
            return damaged("regions are nested too deeply");
        }
        let head = cursor.size()?;
        let (count, is_isolated) = (head >> 1, head & 1 == 1);
        if is_isolated && tables.format >= 2 {
            let Section { id, content, .. } = cursor.section(0)?;
            if id != BODY {
                return damaged("a region's section has the wrong number");
            }
            let mut inside = Cursor::new(content);
            for _ in 0..count {
                self.region(&mut inside, depth + 1)?;
            }
            if !inside.is_empty() {
                return damaged("something follows a region");
            }
        } else {
            for _ in 0..count {
                self.region(cursor, depth + 1)?;
            }
        }
        Ok(())
    }

    fn region(&self, cursor: &mut Cursor<'_>, depth: usize) -> Result<(), Damage> {
        let blocks = cursor.count()?;
        if blocks == 0 {
            return Ok(());
        }
        // The reader allocates as many values.
        cursor.count()?;
        for _ in 0..blocks {
            self.block(cursor, depth, blocks)?;
        }
        Ok(())
    }

    fn use_orders(&self, cursor: &mut Cursor<'_>, values: usize) -> Result<(), Damage> {
        let count = if values > 1 { cursor.count()? } else { 1 };
        for _ in 0..count {
            if values > 1 {
                cursor.index(values)?;
            }
            let entries = cursor.size()? >> 1;
            for _ in 0..entries {
                cursor.number()?;
            }
        }
        Ok(())
    }
}
