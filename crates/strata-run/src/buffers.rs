//! Memory for calls.

use std::ffi::c_void;

use strata_diag::{Diagnostic, codes};

/// A cache line: the alignment of every buffer.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line([u8; 64]);

/// Memory for `bytes` bytes that hold `fill`, at least one line, so that its address is never a dangling one.
pub(crate) fn buffer(bytes: usize, fill: u8) -> Result<Vec<Line>, Diagnostic> {
    let count = bytes.div_ceil(64).max(1);
    let mut lines = Vec::new();
    lines.try_reserve_exact(count).map_err(|_| no_memory(bytes))?;
    lines.resize(count, Line([fill; 64]));
    Ok(lines)
}

/// The first `size` bytes.
pub(crate) fn bytes_of(lines: &[Line], size: usize) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| no_memory(size))?;
    for (line, at) in lines.iter().zip((0..size).step_by(64)) {
        bytes.extend_from_slice(&line.0[..(size - at).min(64)]);
    }
    Ok(bytes)
}

fn no_memory(bytes: usize) -> Diagnostic {
    Diagnostic::new(codes::S1807).reason(format!("a buffer of {bytes} bytes cannot be allocated"))
}

pub(crate) fn aligned_copy(bytes: &[u8]) -> Result<Vec<Line>, Diagnostic> {
    let mut lines = buffer(bytes.len(), 0)?;
    for (line, chunk) in lines.iter_mut().zip(bytes.chunks(64)) {
        line.0[..chunk.len()].copy_from_slice(chunk);
    }
    Ok(lines)
}

/// What a call reads and writes, all pages of which have been touched.
pub(crate) struct Buffers {
    /// The memory of the pointers below.
    _inputs: Vec<Vec<Line>>,
    outputs: Vec<Vec<Line>>,
    output_sizes: Vec<usize>,
    workspace: Vec<Line>,
    input_pointers: Vec<*const c_void>,
    output_pointers: Vec<*mut c_void>,
}

impl Buffers {
    /// Copies of the inputs, and outputs and workspace of these sizes that hold `fill`; each pair of an output and an input in
    /// `donations` has one buffer. The weights follow the inputs.
    ///
    /// # Errors
    /// `S1807` if there is no memory.
    pub(crate) fn new(
        inputs: &[Vec<u8>],
        (output_sizes, workspace_size): (Vec<usize>, usize),
        fill: u8,
        donations: &[(usize, usize)],
        weights: Option<*const c_void>,
    ) -> Result<Self, Diagnostic> {
        let aligned = inputs.iter().map(|bytes| aligned_copy(bytes));
        let aligned = aligned.collect::<Result<Vec<Vec<Line>>, _>>()?;
        let outputs = output_sizes.iter().map(|&size| buffer(size, fill));
        let mut outputs = outputs.collect::<Result<Vec<Vec<Line>>, _>>()?;
        let workspace = buffer(workspace_size, fill)?;
        for (output, input) in donations {
            outputs[*output].copy_from_slice(&aligned[*input]);
        }
        let output_pointers: Vec<*mut c_void> =
            outputs.iter_mut().map(|one| one.as_mut_ptr().cast()).collect();
        let place = |(at, one): (usize, &Vec<Line>)| -> *const c_void {
            let shared = donations.iter().find(|(_, input)| *input == at);
            shared.map_or(one.as_ptr().cast(), |(output, _)| output_pointers[*output].cast_const())
        };
        let input_pointers = aligned.iter().enumerate().map(place).chain(weights).collect();
        Ok(Self {
            _inputs: aligned,
            outputs,
            output_sizes,
            workspace,
            input_pointers,
            output_pointers,
        })
    }

    /// The inputs, the outputs and the workspace, as an entry takes them.
    pub(crate) fn pointers(&mut self) -> (&[*const c_void], &[*mut c_void], *mut c_void) {
        let workspace = self.workspace.as_mut_ptr().cast();
        (&self.input_pointers, &self.output_pointers, workspace)
    }

    /// The bytes of the outputs.
    ///
    /// # Errors
    /// `S1807` if there is no memory for them.
    pub(crate) fn outputs(&self) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let outputs = self.outputs.iter().zip(&self.output_sizes);
        outputs.map(|(lines, &size)| bytes_of(lines, size)).collect()
    }
}
