//! Where the frames of an object's functions are, and the calls around a program counter.

/// Calls of a sample at most.
pub const DEPTH: usize = 8;

/// The register from which the frame's address is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The stack pointer.
    Stack,
    /// The frame pointer.
    Frame,
}

/// Where the return address of a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnAddress {
    /// In memory, at this offset from the frame's address.
    At(i64),
    /// In the link register.
    Link,
    /// Not known.
    Unknown,
}

/// From one address to the next row, how to find the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first address.
    pub start: u64,
    /// The frame's address, as a register and an offset from it; `None` outside of the object's code.
    pub frame: Option<(Base, i64)>,
    /// Where the caller's frame pointer is, as an offset from the frame's address; `None` where it still is in its register.
    pub saved: Option<i64>,
    /// Where the return address is.
    pub back: ReturnAddress,
}

impl Row {
    /// What follows the object's code at an address.
    pub fn outside(start: u64) -> Self {
        Self { start, frame: None, saved: None, back: ReturnAddress::Link }
    }
}

/// The rows of an object's functions, in order of their addresses.
#[derive(Clone, Debug, Default)]
pub struct Frames(Vec<Row>);

/// The registers of a thread that was interrupted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    pub counter: u64,
    pub stack: u64,
    pub frame: u64,
    /// None on machines that keep return addresses in memory.
    pub link: Option<u64>,
}

impl Frames {
    /// Of these rows, in any order. Where two begin at one address, code comes before what is outside.
    pub fn new(mut rows: Vec<Row>) -> Self {
        rows.sort_by_key(|row| (row.start, row.frame.is_none()));
        rows.dedup_by_key(|row| row.start);
        Self(rows)
    }

    /// The largest frame.
    pub fn largest(&self) -> u64 {
        let sizes = self.0.iter().filter_map(|row| row.frame.map(|(_, offset)| offset));
        u64::try_from(sizes.max().unwrap_or(0)).unwrap_or(0)
    }

    fn row(&self, address: u64) -> Option<&Row> {
        let after = self.0.partition_point(|row| row.start <= address);
        self.0.get(after.checked_sub(1)?).filter(|row| row.frame.is_some())
    }

    /// Writes the program counter and the return addresses around it that are in the object's code, and returns how many these are.
    /// `read` gives eight bytes of the thread's stack. Calls nothing else, so that handlers of signals may call it.
    pub fn walk(
        &self,
        registers: Registers,
        read: impl Fn(u64) -> Option<u64>,
        found: &mut [u64; DEPTH],
    ) -> usize {
        let Registers { counter, mut stack, mut frame, mut link } = registers;
        found[0] = counter;
        let mut row = self.row(counter);
        let mut count = 1;
        if row.is_none() {
            // A function that the object calls, if that has not moved the stack pointer: its return address is where the call left it.
            let back = match link {
                Some(link) => Some(link),
                None => read(stack),
            };
            let Some(back) = back else { return count };
            row = self.row(back.wrapping_sub(1));
            if row.is_none() {
                return count;
            }
            found[count] = back;
            count += 1;
            if link.take().is_none() {
                stack = stack.wrapping_add(8);
            }
        }
        while let Some(one) = row.filter(|_| count < DEPTH) {
            let Some((base, offset)) = one.frame else { break };
            let from = match base {
                Base::Stack => stack,
                Base::Frame => frame,
            };
            let address = from.wrapping_add_signed(offset);
            let back = match one.back {
                ReturnAddress::At(offset) => read(address.wrapping_add_signed(offset)),
                // Only the innermost function can still have it there.
                ReturnAddress::Link => link.take(),
                ReturnAddress::Unknown => None,
            };
            let Some(back) = back else { break };
            if let Some(saved) = one.saved {
                let Some(saved) = read(address.wrapping_add_signed(saved)) else { break };
                frame = saved;
            }
            (stack, link) = (address, None);
            row = self.row(back.wrapping_sub(1));
            if row.is_some() {
                found[count] = back;
                count += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::{Base, DEPTH, Frames, Registers, ReturnAddress, Row};

    fn row(start: u64, base: Base, offset: i64, saved: Option<i64>) -> Row {
        Row { start, frame: Some((base, offset)), saved, back: ReturnAddress::At(-8) }
    }

    /// A function at 100 with a frame of 24 bytes, one at 200 with a frame pointer.
    fn frames() -> Frames {
        Frames::new(vec![
            Row::outside(300),
            row(200, Base::Frame, 16, Some(-16)),
            row(100, Base::Stack, 24, None),
            row(104, Base::Stack, 8, None),
            Row::outside(150),
        ])
    }

    /// The stack from 1000 on.
    fn walk(registers: Registers, stack: &[u64]) -> Vec<u64> {
        let read = |address: u64| {
            let at = address.checked_sub(1000)? / 8;
            stack.get(usize::try_from(at).ok()?).copied()
        };
        let mut found = [0; DEPTH];
        let count = frames().walk(registers, read, &mut found);
        found[..count].to_vec()
    }

    #[test]
    fn callers_are_found_through_both_kinds_of_frames() {
        let at = |counter| Registers { counter, stack: 1000, frame: 1032, link: None };
        // 24 bytes, the return address last; then the frame of the caller, which ends with a saved pointer and the way back.
        let stack = [0, 0, 210, 0, 77, 9999];
        assert_eq!(walk(at(101), &stack), [101, 210]);
        // After the epilogue the return address is on top.
        assert_eq!(walk(at(104), &[210, 0, 0, 0, 77, 120]), [104, 210, 120]);
        // In a function of another library, which has not pushed anything.
        assert_eq!(walk(at(5000), &[102, 0, 0, 210]), [5000, 102, 210]);
        // It has: nothing is known, and nothing is guessed.
        assert_eq!(walk(at(5000), &[1, 102, 0, 210]), [5000]);
        // The copy of the stack ends.
        assert_eq!(walk(at(101), &[0]), [101]);
    }

    #[test]
    fn a_call_at_the_end_of_a_function_is_of_that_function() {
        let registers = Registers { counter: 5000, stack: 1000, frame: 0, link: None };
        assert_eq!(walk(registers, &[150]), [5000, 150]);
        assert_eq!(walk(registers, &[151]), [5000]);
    }

    #[test]
    fn recursion_ends() {
        let registers = Registers { counter: 104, stack: 1000, frame: 0, link: None };
        assert_eq!(walk(registers, &[105; 100]).len(), DEPTH);
    }

    #[test]
    fn the_link_register_is_of_the_innermost_function() {
        let frames = Frames::new(vec![
            Row {
                start: 100,
                frame: Some((Base::Stack, 0)),
                saved: None,
                back: ReturnAddress::Link,
            },
            Row::outside(200),
        ]);
        let registers = Registers { counter: 101, stack: 0, frame: 0, link: Some(110) };
        let mut found = [0; DEPTH];
        let count = frames.walk(registers, |_| None, &mut found);
        assert_eq!(found[..count], [101, 110]);
    }
}
