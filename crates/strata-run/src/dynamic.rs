//! An object with dynamic dimensions in this process: sizes are given at each call.

use std::{
    ffi::c_void,
    ptr::{self, null},
};

use strata_abi::Executor;
use strata_codegen::Symbols;
use strata_diag::{Diagnostic, codes};
use strata_ir::{Options, Signature, TensorSpec};

use crate::{
    buffers::Buffers,
    jit::{internal, link},
    library::{Code, Entry},
    linked::Linked,
    loaded::scatter,
};

type Main = unsafe extern "C" fn(
    inputs: *const *const c_void,
    outputs: *const *mut c_void,
    workspace: *mut c_void,
    executor: *const c_void,
    dims: *const i64,
) -> i32;
type Dims = unsafe extern "C" fn(shapes: *const *const i64, dims: *mut i64) -> i32;
type OutputShapes = unsafe extern "C" fn(dims: *const i64, shapes: *const *mut i64) -> i32;
type WorkspaceSize = unsafe extern "C" fn(dims: *const i64) -> usize;

/// Compiled code whose inputs have dynamic dimensions.
#[derive(Debug)]
pub struct LoadedDynamic {
    /// Owns the memory of the functions.
    _code: Code,
    main: Main,
    dims: Dims,
    output_shapes: OutputShapes,
    workspace_size: WorkspaceSize,
    signature: Signature,
}

/// What one call took and gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicCall {
    /// The shape of each output's buffer.
    pub shapes: Vec<Vec<u64>>,
    /// The bytes of each output.
    pub outputs: Vec<Vec<u8>>,
}

impl LoadedDynamic {
    /// Loads an object that this compiler made with these options for the machine that it runs on, as
    /// [`crate::Loaded::linked`].
    ///
    /// # Errors
    /// As [`crate::Loaded::linked`]; `S9001`, too, for an object whose dimensions are all static, or that has external weights.
    pub fn new(
        object: &[u8],
        options: &Options,
        signature: &Signature,
        linked: &Linked,
    ) -> Result<Self, Diagnostic> {
        if signature.weights.is_some() {
            return Err(internal("it has weights of its own"));
        }
        let (jit, symbols) = link(object, options, signature, linked)?;
        Self::of(Code::Jit(jit), &symbols, signature)
    }

    /// The entry of a shared library, as [`crate::Loaded::of_library`].
    ///
    /// # Errors
    /// `S9001` if the library lacks a symbol of an entry that takes sizes.
    pub fn of_library(entry: &Entry) -> Result<Self, Diagnostic> {
        Self::of(entry.code(), entry.symbols(), entry.signature())
    }

    fn of(code: Code, symbols: &Symbols, signature: &Signature) -> Result<Self, Diagnostic> {
        // SAFETY: these symbols of an object with dynamic dimensions have these types.
        unsafe {
            Ok(Self {
                main: std::mem::transmute::<*const c_void, Main>(code.lookup(&symbols.entry)?),
                dims: std::mem::transmute::<*const c_void, Dims>(code.lookup(&symbols.dims())?),
                output_shapes: std::mem::transmute::<*const c_void, OutputShapes>(
                    code.lookup(&symbols.output_shapes())?,
                ),
                workspace_size: std::mem::transmute::<*const c_void, WorkspaceSize>(
                    code.lookup(&symbols.workspace_size())?,
                ),
                signature: signature.clone(),
                _code: code,
            })
        }
    }

    /// The values of the dimension variables for inputs of these shapes; `None` if the object refuses them. There may be zeros
    /// after the last variable.
    ///
    /// # Errors
    /// `S9001` for shapes of other ranks or numbers than the inputs.
    pub fn dims(&self, shapes: &[Vec<i64>]) -> Result<Option<Vec<i64>>, Diagnostic> {
        let ranks = self.signature.inputs.iter().map(|spec| spec.shape.len());
        if !shapes.iter().map(Vec::len).eq(ranks) {
            return Err(internal("the inputs do not have the ranks of the signature"));
        }
        // Each variable is a dimension of an input, or is computed from one.
        let open = |spec: &TensorSpec| spec.shape.len();
        let most: usize = self.signature.inputs.iter().map(open).sum();
        let mut dims = vec![0; most.max(1)];
        let pointers: Vec<_> = shapes.iter().map(|shape| shape.as_ptr()).collect();
        // SAFETY: each shape has the rank of its input, and there is room for all variables.
        let status = unsafe { (self.dims)(pointers.as_ptr(), dims.as_mut_ptr()) };
        Ok((status == 0).then_some(dims))
    }

    /// The shapes of the outputs for these values of [`Self::dims`]; `None` if the object refuses them.
    pub fn output_shapes(&self, dims: &[i64]) -> Option<Vec<Vec<i64>>> {
        let ranks = self.signature.outputs.iter().map(|spec| spec.shape.len());
        let mut shapes: Vec<Vec<i64>> = ranks.map(|rank| vec![0; rank]).collect();
        let pointers: Vec<_> = shapes.iter_mut().map(|shape| shape.as_mut_ptr()).collect();
        // SAFETY: the values are as many as the object has variables, and there is room for all dimensions of outputs.
        let status = unsafe { (self.output_shapes)(dims.as_ptr(), pointers.as_ptr()) };
        (status == 0).then_some(shapes)
    }

    /// The size in bytes of the memory that a call needs for temporaries; `None` if the object refuses the values.
    pub fn workspace_size(&self, dims: &[i64]) -> Option<usize> {
        // SAFETY: as above; it only computes.
        let size = unsafe { (self.workspace_size)(dims.as_ptr()) };
        (size != usize::MAX).then_some(size)
    }

    /// Calls the entry on buffers of the caller and returns its status, as [`crate::Loaded::call_raw`].
    ///
    /// # Errors
    /// `S9001` if the number of inputs or outputs does not match the signature.
    ///
    /// # Safety
    /// As [`crate::Loaded::call_raw`], with the sizes of [`Self::output_shapes`] and [`Self::workspace_size`]; `dims` are of
    /// [`Self::dims`] for the shapes of the inputs.
    pub unsafe fn call_raw(
        &self,
        inputs: &[*const c_void],
        outputs: &[*mut c_void],
        workspace: *mut c_void,
        executor: *const Executor,
        dims: &[i64],
    ) -> Result<i32, Diagnostic> {
        let Signature { inputs: taken, outputs: given, .. } = &self.signature;
        if inputs.len() != taken.len() || outputs.len() != given.len() {
            return Err(internal("the buffers are not as many as the signature has"));
        }
        // SAFETY: the caller's buffers and variables are those of the signature.
        Ok(unsafe {
            let (inputs, outputs) = (inputs.as_ptr(), outputs.as_ptr());
            (self.main)(inputs, outputs, workspace, executor.cast(), dims.as_ptr())
        })
    }

    /// Calls the entry for inputs of these shapes, three times: its outputs and workspace, and so all padding, hold NaN, 0xA5 and
    /// the largest integers before the calls, and tasks run in different orders. `None` if the object refuses the shapes.
    ///
    /// # Errors
    /// `S9001` if the results differ, or inputs do not have the bytes of their shapes; `S1807` if there is no memory.
    pub fn call_repeatedly(
        &self,
        shapes: &[Vec<i64>],
        inputs: &[Vec<u8>],
    ) -> Result<Option<DynamicCall>, Diagnostic> {
        let Some(dims) = self.dims(shapes)? else { return Ok(None) };
        let call = |fill, executor: Option<&Executor>| -> Result<_, Diagnostic> {
            let Some(mut bound) = self.bound(&dims, shapes, inputs, fill)? else { return Ok(None) };
            bound.checked(executor).map(Some)
        };
        let found = call(0xFF, None)?;
        let scattered = Executor {
            context: ptr::null_mut(),
            concurrency: 2,
            parallel_for: Some(scatter),
            host: null(),
        };
        let again = call(0xA5, Some(&scattered))?;
        if found != again || found != call(0x7F, None)? {
            return Err(internal(
                "the results depend on what buffers held before, or on the order of tasks",
            ));
        }
        Ok(found)
    }

    /// Buffers for calls with inputs of these shapes; `None` if the object refuses them.
    ///
    /// # Errors
    /// `S9001` if inputs do not have the bytes of their shapes; `S1807` if there is no memory.
    pub fn bind(
        &self,
        shapes: &[Vec<i64>],
        inputs: &[Vec<u8>],
    ) -> Result<Option<BoundDynamic<'_>>, Diagnostic> {
        match self.dims(shapes)? {
            Some(dims) => self.bound(&dims, shapes, inputs, 0),
            None => Ok(None),
        }
    }

    fn bound(
        &self,
        dims: &[i64],
        shapes: &[Vec<i64>],
        inputs: &[Vec<u8>],
        fill: u8,
    ) -> Result<Option<BoundDynamic<'_>>, Diagnostic> {
        let bytes = |spec: &TensorSpec, shape: &[u64]| {
            let spec = TensorSpec { shape: shape.to_vec(), element: spec.element };
            usize::try_from(spec.byte_count()).unwrap_or(usize::MAX)
        };
        let sizes = |shape: &Vec<i64>| -> Vec<u64> {
            shape.iter().map(|size| u64::try_from(*size).unwrap_or(u64::MAX)).collect()
        };
        let needed = self.signature.inputs.iter().zip(shapes);
        let needed = needed.map(|(spec, shape)| bytes(spec, &sizes(shape)));
        if !inputs.iter().map(Vec::len).eq(needed) {
            return Err(internal("the inputs do not have the sizes of their shapes"));
        }
        let Some(results) = self.output_shapes(dims) else { return Ok(None) };
        let Some(workspace) = self.workspace_size(dims) else { return Ok(None) };
        let results: Vec<Vec<u64>> = results.iter().map(sizes).collect();
        let lengths = self.signature.outputs.iter().zip(&results);
        let lengths: Vec<usize> = lengths.map(|(spec, shape)| bytes(spec, shape)).collect();
        let buffers = Buffers::new(inputs, (lengths, workspace), fill, &[], None)?;
        Ok(Some(BoundDynamic { loaded: self, dims: dims.to_vec(), shapes: results, buffers }))
    }
}

/// An entry with dynamic dimensions, and buffers for calls at some sizes.
pub struct BoundDynamic<'l> {
    loaded: &'l LoadedDynamic,
    dims: Vec<i64>,
    shapes: Vec<Vec<u64>>,
    buffers: Buffers,
}

impl BoundDynamic<'_> {
    /// The shape of each output's buffer.
    pub fn shapes(&self) -> &[Vec<u64>] {
        &self.shapes
    }

    /// Calls the entry, on these threads or on one, and returns its status.
    pub fn call(&mut self, executor: Option<&Executor>) -> i32 {
        let executor = executor.map_or(null(), |executor| ptr::from_ref(executor).cast());
        let (inputs, outputs, workspace) = self.buffers.pointers();
        // SAFETY: the buffers have the sizes that the object says for these variables, and do not overlap.
        unsafe { (self.loaded.main)(inputs, outputs, workspace, executor, self.dims.as_ptr()) }
    }

    fn checked(&mut self, executor: Option<&Executor>) -> Result<DynamicCall, Diagnostic> {
        let status = self.call(executor);
        if status != 0 {
            let reason = format!("the entry returned {status}");
            return Err(Diagnostic::new(codes::S1805).reason(reason));
        }
        Ok(DynamicCall { shapes: self.shapes.clone(), outputs: self.buffers.outputs()? })
    }
}
