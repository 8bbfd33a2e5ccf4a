//! Buffers and their shadow.
//!
//! Every byte records through which temporary it was last written. A temporary is a `memref.view` of the workspace or an
//! allocation; slices, reshapes and function arguments derived from it are the same temporary. A read through one temporary of
//! bytes last written through another one means that the former was overwritten too early. With double buffering the offset of a
//! view is computed: such a view stands for any temporary that occupies exactly these bytes.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use strata_diag::codes;

use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    value::{Tensor, each, outside},
};

/// The role of a buffer in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An input, by its number.
    Input(usize),
    /// An output, by its number.
    Output(usize),
    Workspace,
    Constant,
    /// Memory that the program allocated.
    Allocation,
}

/// Bytes, and by which temporary each was written: 0 for none.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub role: Role,
    pub data: Vec<u8>,
    writers: Vec<u32>,
}

/// A memref: where its elements lie in a buffer.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub buffer: usize,
    /// The temporary through which it reads and writes.
    pub temporary: u32,
    /// The bytes of the temporary in the buffer.
    pub extent: (i64, i64),
    /// The byte of element 0.
    pub offset: i64,
    pub elem: Elem,
    pub shape: Vec<i64>,
    /// In elements.
    pub strides: Vec<i64>,
}

/// All buffers of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    buffers: Vec<Buffer>,
    /// Each temporary; number 0 is never used.
    temporaries: Vec<Temporary>,
    /// Accesses of the running tasks.
    tasks: RefCell<Option<Touched>>,
    /// What may be read although it was never written; `None` where that is a fault.
    unwritten: Option<Unwritten>,
}

/// In code that ends at the sizes of a call, tiles and vectors read beyond them, where nothing was written or another temporary was:
/// results must not depend on it.
#[derive(Clone, Debug)]
struct Unwritten {
    /// Each byte that is read so.
    byte: u8,
    is_read: Rc<Cell<bool>>,
}

/// The bytes that tasks have accessed, which may run concurrently.
#[derive(Clone, Debug, Default)]
struct Touched {
    /// The current task, from 1 on.
    now: u32,
    /// By buffer and byte: the task that wrote it and the one that read it, 0 for none, [`MANY`] for several.
    bytes: HashMap<(usize, usize), (u32, u32)>,
}

const MANY: u32 = u32::MAX;

/// A range of bytes of a buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Temporary {
    pub name: String,
    pub buffer: usize,
    /// Its first byte and the one after its last.
    pub extent: (i64, i64),
    /// Whether its offset was computed.
    pub is_computed: bool,
}

impl Memory {
    /// Memory in which what was never written reads as `byte`.
    pub fn with_unwritten(byte: u8) -> Self {
        Self { unwritten: Some(Unwritten { byte, is_read: Rc::default() }), ..Self::default() }
    }

    /// A tensor without values, whose elements may be read where that is allowed.
    pub fn tensor(&self, mut tensor: Tensor) -> Tensor {
        if let Some(unwritten) = &self.unwritten {
            tensor.data.fill(unwritten.byte);
            tensor.read = Some(Rc::clone(&unwritten.is_read));
        }
        tensor
    }

    /// Whether something was read that was never written.
    pub fn has_read_unwritten(&self) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.is_read.get())
    }

    /// A buffer of that many bytes, which hold `content` where there is some.
    pub fn add(
        &mut self,
        role: Role,
        size: usize,
        content: Option<Vec<u8>>,
        name: &str,
    ) -> (usize, u32) {
        let (buffer, extent) = (self.buffers.len(), (0, size as i64));
        let temporary =
            self.temporary(Temporary { name: name.to_owned(), buffer, extent, is_computed: false });
        let writer = if content.is_some() { temporary } else { 0 };
        // Uninitialised bytes have an unlikely value.
        let data = content.unwrap_or_else(|| vec![0xFF; size]);
        self.buffers.push(Buffer { role, data, writers: vec![writer; size] });
        (buffer, temporary)
    }

    /// Whether a buffer is the workspace.
    pub fn is_workspace(&self, buffer: usize) -> bool {
        self.buffers[buffer].role == Role::Workspace
    }

    /// Begins a task; a data race with another task of the same call is a fault.
    pub fn begin_task(&mut self, number: u32) {
        self.tasks.get_mut().get_or_insert_default().now = number + 1;
    }

    /// Ends the tasks of a call.
    pub fn end_tasks(&mut self) {
        *self.tasks.get_mut() = None;
    }

    /// Records an access of the current task.
    fn touch(&self, view: &View, start: usize, width: usize, is_write: bool) -> Run {
        let mut tasks = self.tasks.borrow_mut();
        let Some(tasks) = &mut *tasks else { return Ok(()) };
        let now = tasks.now;
        for byte in start..start + width {
            let (writer, reader) = tasks.bytes.entry((view.buffer, byte)).or_default();
            let other = [*writer, if is_write { *reader } else { 0 }]
                .into_iter()
                .find(|task| *task != 0 && *task != now);
            if let Some(other) = other {
                let (element, role) = (place(view, byte as i64), self.buffers[view.buffer].role);
                let other = match other {
                    MANY => "others".to_owned(),
                    other => format!("task {}", other - 1),
                };
                let does = if is_write { "writes" } else { "reads" };
                return Err(Fault::new(
                    codes::S1925,
                    format!(
                        "task {} {does} {element} of {}, which {other} may access at the same time",
                        now - 1,
                        describe(role)
                    ),
                ));
            }
            match is_write {
                true => *writer = now,
                false if *reader == 0 => *reader = now,
                false if *reader != now => *reader = MANY,
                false => {}
            }
        }
        Ok(())
    }

    /// The number of a new temporary.
    pub fn temporary(&mut self, temporary: Temporary) -> u32 {
        if self.temporaries.is_empty() {
            self.temporaries.push(Temporary::default());
        }
        self.temporaries.push(temporary);
        self.temporaries.len() as u32 - 1
    }

    /// The bytes of an output, all of which must have been written.
    pub fn output(&self, view: &View) -> Run<Vec<u8>> {
        let found = &self.buffers[view.buffer];
        let is_own = |writer: &u32| *writer == view.temporary;
        if let Some(at) = found.writers.iter().position(|writer| !is_own(writer)) {
            return Err(self.stale(view, at as i64, found.writers[at]));
        }
        Ok(found.data.clone())
    }

    /// The bytes of an output, of which the first elements along each dimension must have been written, as many as `valid` says.
    pub fn valid_output(&self, view: &View, valid: &[i64]) -> Run<Vec<u8>> {
        let found = &self.buffers[view.buffer];
        each(valid, |index| {
            let at = view.at(index)?;
            let start = self.range(view, at)?;
            let mut own = found.writers[start..start + view.elem.bytes()].iter();
            match own.find(|writer| **writer != view.temporary) {
                Some(writer) => Err(self.stale(view, at, *writer)),
                None => Ok(()),
            }
        })?;
        Ok(found.data.clone())
    }

    /// The element of a view at a byte of its buffer.
    pub fn read(&self, view: &View, at: i64) -> Run<Bits> {
        let width = view.elem.bytes();
        let start = self.range(view, at)?;
        self.touch(view, start, width, false)?;
        let buffer = &self.buffers[view.buffer];
        for writer in &buffer.writers[start..start + width] {
            if *writer != view.temporary && !self.is_same(*writer, view.temporary) {
                let Some(unwritten) = &self.unwritten else {
                    return Err(self.stale(view, at, *writer));
                };
                unwritten.is_read.set(true);
                return Ok(view.elem.load(&vec![unwritten.byte; width]));
            }
        }
        Ok(view.elem.load(&buffer.data[start..start + width]))
    }

    /// As [`Self::read`]; `None` if the element was never written.
    pub fn peek(&self, view: &View, at: i64) -> Run<Option<Bits>> {
        let start = self.range(view, at)?;
        match self.buffers[view.buffer].writers[start..start + view.elem.bytes()].contains(&0) {
            true => Ok(None),
            false => self.read(view, at).map(Some),
        }
    }

    /// Writes an element, or what was never written, at a byte of its buffer.
    pub fn put(&mut self, view: &View, at: i64, bits: Option<Bits>) -> Run {
        let Some(bits) = bits else {
            let start = self.writable(view, at)?;
            self.touch(view, start, view.elem.bytes(), true)?;
            self.buffers[view.buffer].writers[start..start + view.elem.bytes()].fill(0);
            return Ok(());
        };
        self.write(view, at, bits)
    }

    /// Writes an element of a view at a byte of its buffer.
    pub fn write(&mut self, view: &View, at: i64, bits: Bits) -> Run {
        let start = self.writable(view, at)?;
        self.touch(view, start, view.elem.bytes(), true)?;
        let end = start + view.elem.bytes();
        let buffer = &mut self.buffers[view.buffer];
        view.elem.store(bits, &mut buffer.data[start..end]);
        buffer.writers[start..end].fill(view.temporary);
        Ok(())
    }

    /// Copies an element, even an uninitialised one: a copy of a whole buffer may contain elements that are never read.
    pub fn copy(&mut self, to: &View, to_at: i64, from: &View, from_at: i64) -> Run {
        let (source, width) = (self.range(from, from_at)?, from.elem.bytes());
        let start = self.writable(to, to_at)?;
        self.touch(from, source, width, false)?;
        self.touch(to, start, width, true)?;
        for byte in 0..width {
            let buffer = &self.buffers[from.buffer];
            let (value, writer) = (buffer.data[source + byte], buffer.writers[source + byte]);
            let is_own = writer == from.temporary || self.is_same(writer, from.temporary);
            let buffer = &mut self.buffers[to.buffer];
            buffer.data[start + byte] = value;
            buffer.writers[start + byte] = if is_own { to.temporary } else { writer };
        }
        Ok(())
    }

    fn writable(&self, view: &View, at: i64) -> Run<usize> {
        let start = self.range(view, at)?;
        match self.buffers[view.buffer].role {
            role @ (Role::Input(_) | Role::Constant) => {
                Err(Fault::new(codes::S1923, format!("{} is written", describe(role))))
            }
            _ => Ok(start),
        }
    }

    /// The first byte of an element that must be entirely inside its temporary.
    fn range(&self, view: &View, at: i64) -> Run<usize> {
        let width = view.elem.bytes() as i64;
        let size = self.buffers[view.buffer].data.len() as i64;
        let (low, high) = (view.extent.0.max(0), view.extent.1.min(size));
        if at < low || at + width > high {
            return Err(Fault::outside(format!(
                "bytes {at} to {} of {}, of which {low} to {high} belong to {}",
                at + width,
                describe(self.buffers[view.buffer].role),
                self.name(view.temporary),
            )));
        }
        Ok(at as usize)
    }

    fn stale(&self, view: &View, at: i64, writer: u32) -> Fault {
        let role = describe(self.buffers[view.buffer].role);
        let element = place(view, at);
        if writer == 0 {
            return Fault::new(codes::S1921, format!("{element} of {role} was never written"));
        }
        let (reader, writer) = (self.name(view.temporary), self.name(writer));
        Fault::new(
            codes::S1924,
            format!(
                "{element} is read through {reader}, but holds what was written through {writer}"
            ),
        )
    }

    /// Whether two temporaries of a buffer may be the same after buffer rotation.
    fn is_same(&self, one: u32, other: u32) -> bool {
        if one == 0 {
            return false;
        }
        let (one, other) = (&self.temporaries[one as usize], &self.temporaries[other as usize]);
        let place = |one: &Temporary| (one.buffer, one.extent);
        (one.is_computed || other.is_computed) && place(one) == place(other)
    }

    fn name(&self, temporary: u32) -> String {
        let found = &self.temporaries[temporary as usize];
        format!("{} (bytes {} to {})", found.name, found.extent.0, found.extent.1)
    }
}

fn describe(role: Role) -> String {
    match role {
        Role::Input(at) => format!("input {at}"),
        Role::Output(at) => format!("output {at}"),
        Role::Workspace => "the workspace".to_owned(),
        Role::Constant => "a constant".to_owned(),
        Role::Allocation => "an allocation".to_owned(),
    }
}

/// The index of the element at a byte, where the view says so.
fn place(view: &View, at: i64) -> String {
    let mut rest = (at - view.offset) / view.elem.bytes() as i64;
    let mut index = Vec::new();
    for (size, stride) in view.shape.iter().zip(&view.strides) {
        let along = if *stride > 0 && *size > 1 { rest / stride } else { 0 };
        rest -= along * stride;
        index.push(along);
    }
    if rest == 0 { format!("element {index:?}") } else { format!("byte {at}") }
}

impl View {
    /// A dense row-major view of a whole buffer from a byte on.
    pub fn dense(buffer: usize, temporary: u32, offset: i64, elem: Elem, shape: Vec<i64>) -> Self {
        let strides = dense_strides(&shape);
        let size = shape.iter().product::<i64>() * elem.bytes() as i64;
        Self { buffer, temporary, extent: (offset, offset + size), offset, elem, shape, strides }
    }

    /// The byte of the element at an index.
    pub fn at(&self, index: &[i64]) -> Run<i64> {
        let mut element = 0;
        for (dim, (index, size)) in index.iter().zip(&self.shape).enumerate() {
            if *index < 0 || index >= size {
                return Err(outside(*index, dim, *size));
            }
            element += index * self.strides[dim];
        }
        Ok(self.offset + element * self.elem.bytes() as i64)
    }
}

/// The strides of a dense row-major layout.
pub(crate) fn dense_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim].max(1);
    }
    strides
}

/// A view as a value.
pub(crate) fn shared(view: View) -> Rc<View> {
    Rc::new(view)
}

#[cfg(test)]
mod tests {
    use super::*;

    const I32: Elem = Elem::Int(32);

    #[test]
    fn reads_of_what_was_never_written_are_seen() {
        let mut memory = Memory::default();
        let (buffer, temporary) = memory.add(Role::Workspace, 8, None, "%w");
        let view = View::dense(buffer, temporary, 0, I32, vec![2]);
        memory.write(&view, 4, 9).expect("in bounds");
        assert_eq!(memory.read(&view, 4).expect("written"), 9);
        let fault = memory.read(&view, 0).expect_err("never written");
        assert_eq!(fault.code, codes::S1921);
        assert!(fault.reason.contains("element [0]"), "{}", fault.reason);
    }

    #[test]
    fn what_another_temporary_wrote_is_not_read() {
        let mut memory = Memory::default();
        let (buffer, _) = memory.add(Role::Workspace, 8, None, "%w");
        let named = |name: &str, extent| Temporary {
            name: name.into(),
            buffer,
            extent,
            is_computed: false,
        };
        let one = memory.temporary(named("%a", (0, 8)));
        let other = memory.temporary(named("%b", (4, 8)));
        let first = View::dense(buffer, one, 0, I32, vec![2]);
        let second = View::dense(buffer, other, 4, I32, vec![1]);
        memory.write(&first, 4, 1).expect("in bounds");
        memory.write(&second, 4, 2).expect("in bounds");
        assert_eq!(memory.read(&second, 4).expect("its own"), 2);
        let fault = memory.read(&first, 4).expect_err("overwritten");
        assert_eq!(fault.code, codes::S1924);
        assert!(fault.reason.contains("%a") && fault.reason.contains("%b"), "{}", fault.reason);
    }

    #[test]
    fn a_copy_of_nothing_is_nothing() {
        let mut memory = Memory::default();
        let (buffer, own) = memory.add(Role::Allocation, 8, None, "%a");
        let (other, there) = memory.add(Role::Allocation, 8, None, "%b");
        let (from, to) =
            (View::dense(buffer, own, 0, I32, vec![2]), View::dense(other, there, 0, I32, vec![2]));
        memory.write(&from, 4, 3).expect("in bounds");
        memory.write(&to, 0, 7).expect("in bounds");
        memory.copy(&to, 0, &from, 0).expect("in bounds");
        memory.copy(&to, 4, &from, 4).expect("in bounds");
        assert_eq!(memory.read(&to, 4).expect("written"), 3);
        assert_eq!(memory.read(&to, 0).expect_err("nothing").code, codes::S1921);
    }

    #[test]
    fn buffers_may_be_rotated() {
        let mut memory = Memory::default();
        let (buffer, _) = memory.add(Role::Workspace, 8, None, "%w");
        let at =
            |extent, is_computed| Temporary { name: String::new(), buffer, extent, is_computed };
        let fixed = memory.temporary(at((0, 4), false));
        let turning = memory.temporary(at((0, 4), true));
        let longer = memory.temporary(at((0, 8), true));
        let view = |temporary, size| View::dense(buffer, temporary, 0, I32, vec![size]);
        memory.write(&view(fixed, 1), 0, 5).expect("in bounds");
        assert_eq!(memory.read(&view(turning, 1), 0).expect("the same bytes"), 5);
        let fault = memory.read(&view(longer, 2), 0).expect_err("other bytes");
        assert_eq!(fault.code, codes::S1924);
    }

    #[test]
    fn inputs_are_never_written_and_accesses_are_in_bounds_of_temporaries() {
        let mut memory = Memory::default();
        let (input, own) = memory.add(Role::Input(0), 4, Some(vec![0; 4]), "%arg0");
        let view = View::dense(input, own, 0, I32, vec![1]);
        assert_eq!(memory.write(&view, 0, 1).expect_err("an input").code, codes::S1923);
        let (buffer, temporary) = memory.add(Role::Workspace, 64, None, "%w");
        let part = View::dense(buffer, temporary, 8, I32, vec![2]);
        assert_eq!(memory.write(&part, 16, 1).expect_err("beyond").code, codes::S1922);
        assert_eq!(part.at(&[2]).expect_err("beyond").code, codes::S1922);
    }

    #[test]
    fn what_was_never_written_may_be_read_beyond_sizes() {
        let mut memory = Memory::with_unwritten(0x5A);
        let (buffer, _) = memory.add(Role::Workspace, 8, None, "%w");
        let named = |name: &str| Temporary {
            name: name.into(),
            buffer,
            extent: (0, 8),
            is_computed: false,
        };
        let (one, other) = (memory.temporary(named("%a")), memory.temporary(named("%b")));
        let before = View::dense(buffer, one, 0, I32, vec![2]);
        let after = View::dense(buffer, other, 0, I32, vec![2]);
        memory.write(&before, 4, 7).expect("in bounds");
        memory.write(&after, 0, 9).expect("in bounds");
        assert_eq!(memory.read(&after, 0).expect("its own"), 9);
        assert!(!memory.has_read_unwritten());
        assert_eq!(memory.read(&after, 4).expect("of another one"), 0x5A5A_5A5A);
        assert!(memory.has_read_unwritten());
        assert_eq!(memory.read(&after, 8).expect_err("beyond").code, codes::S1922);
        let (output, own) = memory.add(Role::Output(0), 8, None, "%arg1");
        let view = View::dense(output, own, 0, I32, vec![2]);
        memory.write(&view, 0, 1).expect("in bounds");
        assert_eq!(memory.valid_output(&view, &[1]).expect("valid")[..4], [1, 0, 0, 0]);
        assert_eq!(memory.valid_output(&view, &[2]).expect_err("missing").code, codes::S1921);
    }

    #[test]
    fn outputs_are_whole() {
        let mut memory = Memory::default();
        let (output, own) = memory.add(Role::Output(1), 8, None, "%arg1");
        let view = View::dense(output, own, 0, I32, vec![2]);
        memory.write(&view, 0, 1).expect("in bounds");
        let fault = memory.output(&view).expect_err("half of it is missing");
        assert!(fault.reason.contains("element [1] of output 1"), "{}", fault.reason);
    }
}
