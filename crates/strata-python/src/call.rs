//! One call: arguments to buffers, buffers to results.

use std::{
    ffi::c_void,
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

use numpy::{PyArrayDescrMethods as _, npyffi::npy_intp};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyList, PyTuple},
};
use strata::{Signature, TensorSpec};
use strata_codegen::abi;
use strata_diag::{Diagnostic, codes};
use strata_run::{Loaded, LoadedDynamic, MappedWeights};
use strata_threads::{Executor, Pool};

use crate::{
    arrays::{Fit, Port, Span},
    executable::Compiled,
    failure,
};

/// Linked code, with what calls need.
pub struct Callable {
    code: Code,
    /// What the code calls stays as long as it is there.
    _kept: Option<Arc<Compiled>>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// Outputs that are the shapes of others.
    shapes: Vec<(usize, usize)>,
    /// Outputs that may share an input's buffer.
    donations: Vec<(usize, usize)>,
    /// The workspace of an earlier call.
    spare: Mutex<Vec<Line>>,
}

/// The code of an entry.
pub enum Code {
    /// All sizes are known.
    Static(Loaded),
    /// Calls give sizes.
    Dynamic(Box<LoadedDynamic>),
}

impl From<Loaded> for Code {
    fn from(code: Loaded) -> Self {
        Self::Static(code)
    }
}

impl From<LoadedDynamic> for Code {
    fn from(code: LoadedDynamic) -> Self {
        Self::Dynamic(Box::new(code))
    }
}

impl Code {
    /// The code with its external weights.
    pub fn with_weights(self, weights: MappedWeights) -> Self {
        match self {
            Self::Static(code) => Self::Static(code.with_weights(weights)),
            Self::Dynamic(code) => Self::Dynamic(Box::new(code.with_weights(weights))),
        }
    }
}

/// A cache line: the workspace is aligned to it.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line {
    _bytes: [u8; 64],
}

/// Pointers that another thread may use while this one waits for it.
struct Buffers<'c> {
    code: &'c Code,
    inputs: Vec<*const c_void>,
    outputs: Vec<*mut c_void>,
    workspace: *mut c_void,
    executor: *const Executor,
    dims: Vec<i64>,
}

// SAFETY: the buffers belong to the call until it has ended.
unsafe impl Sync for Buffers<'_> {}

impl Buffers<'_> {
    fn call(&self) -> Result<i32, Diagnostic> {
        let Self { inputs, outputs, workspace, executor, dims, .. } = self;
        // SAFETY: each buffer has the sizes and the type of the signature, is aligned as its type, and is kept by the caller.
        unsafe {
            match self.code {
                Code::Static(code) => code.call_raw(inputs, outputs, *workspace, *executor),
                Code::Dynamic(code) => code.call_raw(inputs, outputs, *workspace, *executor, dims),
            }
        }
    }
}

/// The sizes of a call.
struct Sizes {
    dims: Vec<i64>,
    outputs: Vec<Vec<npy_intp>>,
    workspace: usize,
}

impl Callable {
    /// For code with this signature.
    ///
    /// # Errors
    /// As [`Port::all`].
    pub fn new(
        py: Python<'_>,
        (code, kept): (Code, Option<Arc<Compiled>>),
        signature: &Signature,
    ) -> PyResult<Self> {
        let inputs = Port::all(py, &signature.inputs, &signature.input_names)?;
        let outputs = Port::all(py, &signature.outputs, &signature.output_names)?;
        let (shapes, donations) = (signature.shapes.clone(), signature.donations.clone());
        let spare = Mutex::default();
        Ok(Self { code, _kept: kept, inputs, outputs, shapes, donations, spare })
    }

    fn check_count(&self, arguments: &Bound<'_, PyTuple>) -> Result<(), Diagnostic> {
        let (given, wanted) = (arguments.len(), self.inputs.len());
        match given == wanted {
            true => Ok(()),
            false => Err(Diagnostic::new(codes::S1801)
                .reason(format!("the program takes {wanted} arrays, but {given} are given"))),
        }
    }

    /// The bytes of the arguments, as the code reads them.
    ///
    /// # Errors
    /// `S1801` to `S1803` for arguments that do not fit.
    pub fn bytes<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Vec<Vec<u8>>> {
        let fail = |error: Diagnostic| failure::raise(py, &error.into());
        self.check_count(arguments).map_err(fail)?;
        let of = |(at, (argument, port)): (usize, (Borrowed<'_, 'py, PyAny>, &Port))| {
            let array = fitted(py, port, at, &argument)?;
            let Fit::Yes(pointer, sizes) = port.fits(&array) else {
                return Err(fail(unfit(port, at)));
            };
            let elements = sizes.iter().product::<npy_intp>().unsigned_abs();
            let size = elements * port.dtype(py).itemsize();
            // SAFETY: a dense array has its elements there, and stays until they are copied.
            let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
            Ok(bytes.to_vec())
        };
        arguments.iter_borrowed().zip(&self.inputs).enumerate().map(of).collect()
    }

    /// Calls the code on these threads; the results in order, in the arrays of `out` where it is given.
    ///
    /// # Errors
    /// As [`Self::places`] for `out`. `S1801` to `S1803` for arguments that do not fit, `S1805` for a program that ends with a status, `S1807` without memory.
    pub fn call<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        out: Option<&Bound<'py, PyTuple>>,
        pool: Option<&Pool>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let fail = |error: Diagnostic| failure::raise(py, &error.into());
        self.check_count(arguments).map_err(fail)?;
        let executor = pool.map_or(ptr::null(), |pool| ptr::from_ref(pool.executor()));
        let mut kept = Vec::with_capacity(self.inputs.len());
        let mut pointers = Vec::with_capacity(self.inputs.len());
        let mut given: Vec<Vec<i64>> = Vec::new();
        for (at, (argument, port)) in arguments.iter_borrowed().zip(&self.inputs).enumerate() {
            let array = fitted(py, port, at, &argument)?;
            let Fit::Yes(pointer, sizes) = port.fits(&array) else {
                return Err(fail(unfit(port, at)));
            };
            pointers.push(pointer);
            if let Code::Dynamic(_) = self.code {
                given.push(sizes.iter().map(|&size| size as i64).collect());
            }
            kept.push(array);
        }
        let sizes = self.sizes(&given).map_err(fail)?;
        let shape_of = |at: usize| match &sizes {
            None => self.outputs[at].sizes(),
            Some(sizes) => sizes.outputs[at].as_slice(),
        };
        let mut results = Vec::with_capacity(self.outputs.len());
        let mut places = Vec::with_capacity(self.outputs.len());
        if let Some(out) = out {
            places = self.places(py, out, &kept, shape_of)?;
            results.extend(out.iter());
        } else {
            for (at, port) in self.outputs.iter().enumerate() {
                let (array, place) = port.make(py, shape_of(at))?;
                results.push(array);
                places.push(place);
            }
        }
        let (bytes, dims) = match (sizes, &self.code) {
            (Some(sizes), _) => (sizes.workspace, sizes.dims),
            (None, Code::Static(code)) => (code.workspace_size(), Vec::new()),
            (None, Code::Dynamic(_)) => (0, Vec::new()),
        };
        let mut workspace = self.workspace(bytes).map_err(fail)?;
        let buffers = Buffers {
            code: &self.code,
            inputs: pointers,
            outputs: places,
            workspace: workspace.as_mut_ptr().cast(),
            executor,
            dims,
        };
        let status = py.detach(|| buffers.call());
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = workspace;
        drop(kept);
        match status.map_err(fail)? {
            0 => self.valid(py, results),
            status => Err(fail(ended_with(status))),
        }
    }

    /// The elements of the arrays that results are to be written to.
    ///
    /// # Errors
    /// `TypeError` and `ValueError` for what is not an array of a result's type and shape that can be written as a whole, and for one
    /// that overlaps an argument or another one.
    fn places<'a>(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyTuple>,
        arguments: &[Bound<'_, PyAny>],
        shape_of: impl Fn(usize) -> &'a [npy_intp],
    ) -> PyResult<Vec<*mut c_void>> {
        if !self.shapes.is_empty() {
            let reason =
                "the shapes of results depend on values here, so that `out` cannot have them";
            return Err(PyValueError::new_err(reason));
        }
        let (given, wanted) = (out.len(), self.outputs.len());
        if given != wanted {
            let reason = format!("out has {given} arrays, but the program has {wanted} results");
            return Err(PyValueError::new_err(reason));
        }
        let mut spans: Vec<Span> = Vec::with_capacity(given);
        for (at, (array, port)) in out.iter_borrowed().zip(&self.outputs).enumerate() {
            let what = if given == 1 { "out".to_owned() } else { format!("out[{at}]") };
            let span = port.takes(py, &array, shape_of(at), &what)?;
            if let Some(other) = spans.iter().position(|other| other.overlaps(span)) {
                let reason = format!("{what} overlaps out[{other}]");
                return Err(PyValueError::new_err(reason));
            }
            for (input, argument) in arguments.iter().enumerate() {
                let Some(read) = Span::of(argument) else { continue };
                let is_shared = read == span && self.donations.contains(&(at, input));
                if read.overlaps(span) && !is_shared {
                    let reason =
                        format!("{what} overlaps argument {input}, which the program reads");
                    return Err(PyValueError::new_err(reason));
                }
            }
            spans.push(span);
        }
        Ok(spans.into_iter().map(Span::start).collect())
    }

    /// The sizes of outputs and workspace, where they depend on those of the inputs.
    fn sizes(&self, given: &[Vec<i64>]) -> Result<Option<Sizes>, Diagnostic> {
        let Code::Dynamic(code) = &self.code else { return Ok(None) };
        let found = code.dims(given)?.and_then(|dims| {
            let (outputs, workspace) = (code.output_shapes(&dims)?, code.workspace_size(&dims)?);
            let sizes = |shape: Vec<i64>| shape.into_iter().map(|size| size as npy_intp).collect();
            Some(Sizes { outputs: outputs.into_iter().map(sizes).collect(), workspace, dims })
        });
        if found.is_some() {
            return Ok(found);
        }
        let shapes: Vec<String> = given.iter().map(|shape| format!("{shape:?}")).collect();
        let takes: Vec<String> = self.inputs.iter().map(|one| one.spec.to_string()).collect();
        let all = format!(
            "the program takes {}, but not with the shapes {} together",
            takes.join(", "),
            shapes.join(", ")
        );
        let hint = "equal variables need equal sizes, and sizes keep to `max` and to what the program asserts of them";
        let error = Diagnostic::new(codes::S1802).hint(hint);
        Err(match code.refusal(given)? {
            Some(violated) => error.reason(violated).note(all),
            None => error.reason(all),
        })
    }

    /// Memory for temporaries: that of an earlier call, where no other call has it and it is large enough.
    fn workspace(&self, bytes: usize) -> Result<Vec<Line>, Diagnostic> {
        let mut lines =
            std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
        let count = bytes.div_ceil(64).max(1);
        if lines.capacity() < count {
            lines = Vec::new();
            lines.try_reserve_exact(count).map_err(|_| {
                let reason = format!("a workspace of {bytes} bytes cannot be allocated");
                Diagnostic::new(codes::S1807).reason(reason)
            })?;
        }
        Ok(lines)
    }

    /// The results without the padding of those whose shapes are results, and without these.
    fn valid<'py>(
        &self,
        py: Python<'py>,
        mut results: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if self.shapes.is_empty() {
            return Ok(results);
        }
        let cut = py.import("strata._arrays")?.getattr("valid")?;
        for (output, shape) in &self.shapes {
            results[*output] = cut.call1((&results[*output], &results[*shape]))?;
        }
        let is_shape = |at: &usize| self.shapes.iter().any(|(_, shape)| shape == at);
        let kept = results.into_iter().enumerate().filter(|(at, _)| !is_shape(at));
        Ok(kept.map(|(_, array)| array).collect())
    }
}

/// The argument as the code reads it: itself, or a copy.
fn fitted<'py>(
    py: Python<'py>,
    port: &Port,
    at: usize,
    argument: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = argument.clone();
    match port.fits(&array) {
        Fit::No => fitting(py, port, at, argument),
        Fit::Yes(..) => Ok(array),
    }
}

fn unfit(port: &Port, at: usize) -> Diagnostic {
    let reason = format!("argument {at} cannot be made a `{}`", port.spec);
    Diagnostic::new(codes::S1803).reason(reason)
}

/// An array of the port's type with the elements of `argument`.
fn fitting<'py>(
    py: Python<'py>,
    port: &Port,
    at: usize,
    argument: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let sizes = port.spec.shape.iter().map(|&size| (size != TensorSpec::UNKNOWN).then_some(size));
    let sizes = PyList::new(py, sizes)?;
    let convert = py.import("strata._arrays")?.getattr("fitting")?;
    convert.call1((argument, at, &port.name, sizes, port.dtype(py)))
}

fn ended_with(status: i32) -> Diagnostic {
    let known = abi::STATUS.iter().find(|(_, code, _)| *code == status);
    let meaning = known.map(|(name, _, meaning)| format!(" ({name}: {meaning})"));
    let reason = format!("the program returned {status}{}", meaning.unwrap_or_default());
    Diagnostic::new(codes::S1805).reason(reason)
}
