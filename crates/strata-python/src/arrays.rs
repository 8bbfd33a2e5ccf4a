//! NumPy's arrays as the buffers of a call.

use std::{ffi::c_void, ptr};

use numpy::{
    PyArrayDescr, PyArrayDescrMethods as _, PyUntypedArray, PyUntypedArrayMethods as _,
    npyffi::{self, NpyTypes, PY_ARRAY_API, npy_intp},
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
};
use strata::TensorSpec;

/// An input or output, as NumPy sees it.
pub struct Port {
    /// Its sizes and its type.
    pub spec: TensorSpec,
    /// Its name in the program, or `""`.
    pub name: String,
    dtype: Py<PyArrayDescr>,
    sizes: Vec<npy_intp>,
}

/// What is wrong with an array for an input.
pub enum Fit<'a> {
    /// Nothing: its elements, and its sizes.
    Yes(*const c_void, &'a [npy_intp]),
    /// It is another object, or an array that has to be copied, or a wrong one.
    No,
}

/// The bytes of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: *mut c_void,
    bytes: usize,
}

impl Span {
    /// Those of a dense array.
    pub fn of(object: &Bound<'_, PyAny>) -> Option<Self> {
        let array = object.cast_exact::<PyUntypedArray>().ok()?;
        // SAFETY: it is an array; nothing changes its structure while the interpreter's lock is held.
        let start = unsafe { (*array.as_array_ptr()).fields.data };
        Some(Self { start: start.cast(), bytes: array.len() * array.dtype().itemsize() })
    }

    /// Where they begin.
    pub fn start(self) -> *mut c_void {
        self.start
    }

    /// Whether a byte is in both.
    pub fn overlaps(self, other: Self) -> bool {
        let (own, others) = (self.start.addr(), other.start.addr());
        self.bytes > 0 && other.bytes > 0 && own < others + other.bytes && others < own + self.bytes
    }
}

impl Port {
    /// The inputs or outputs with these types and names.
    ///
    /// # Errors
    /// If NumPy, or the package that has the type, is not there.
    pub fn all(py: Python<'_>, specs: &[TensorSpec], names: &[String]) -> PyResult<Vec<Self>> {
        let dtype = py.import("strata._arrays")?.getattr("dtype")?;
        let of = |(at, spec): (usize, &TensorSpec)| {
            let dtype = dtype.call1((spec.element.to_string(),))?.cast_into::<PyArrayDescr>()?;
            let name = names.get(at).cloned().unwrap_or_default();
            let sizes = spec.shape.iter().map(|&size| npy_intp::try_from(size).unwrap_or(-1));
            Ok(Self { spec: spec.clone(), name, dtype: dtype.unbind(), sizes: sizes.collect() })
        };
        specs.iter().enumerate().map(of).collect()
    }

    /// The type of its elements.
    pub fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        self.dtype.bind(py).clone()
    }

    /// Its sizes; -1 where calls give them.
    pub fn sizes(&self) -> &[npy_intp] {
        &self.sizes
    }

    /// Whether the elements of `object` are the input as they are in memory.
    pub fn fits<'a>(&self, object: &'a Bound<'_, PyAny>) -> Fit<'a> {
        // A subclass may compute its elements.
        let Ok(array) = object.cast_exact::<PyUntypedArray>() else { return Fit::No };
        // SAFETY: it is an array; nothing changes its structure while the interpreter's lock is held.
        let fields = unsafe { &(*array.as_array_ptr()).fields };
        const DENSE: i32 = npyffi::NPY_ARRAY_C_CONTIGUOUS | npyffi::NPY_ARRAY_ALIGNED;
        let own = self.dtype.bind(object.py());
        let is_type = ptr::eq(fields.descr, own.as_dtype_ptr()) || array.dtype().is_equiv_to(own);
        let sizes: &'a [npy_intp] = match usize::try_from(fields.nd) {
            // SAFETY: an array has as many sizes as dimensions.
            Ok(rank) if rank > 0 => unsafe { std::slice::from_raw_parts(fields.dimensions, rank) },
            _ => &[],
        };
        let is_shape = sizes.len() == self.sizes.len()
            && sizes.iter().zip(&self.sizes).all(|(given, own)| *own < 0 || given == own);
        match is_type && is_shape && fields.flags & DENSE == DENSE {
            true => Fit::Yes(fields.data.cast_const().cast(), sizes),
            false => Fit::No,
        }
    }

    /// The elements of an array that results of these sizes are to be written to, which errors call `what`.
    ///
    /// # Errors
    /// `TypeError` for another object or type, `ValueError` for another shape, and for what cannot be written as a whole.
    pub fn takes(
        &self,
        py: Python<'_>,
        object: &Bound<'_, PyAny>,
        sizes: &[npy_intp],
        what: &str,
    ) -> PyResult<Span> {
        let Ok(array) = object.cast_exact::<PyUntypedArray>() else {
            let class = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{what} is a {class}, not a NumPy array")));
        };
        let own = self.dtype.bind(py);
        if !array.dtype().is_equiv_to(own) {
            let reason =
                format!("{what} is of type {}, but the result is of type {own}", array.dtype());
            return Err(PyTypeError::new_err(reason));
        }
        let shape = array.shape();
        if !shape.iter().map(|&size| size as npy_intp).eq(sizes.iter().copied()) {
            let reason = format!("{what} has the shape {shape:?}, but the result has {sizes:?}");
            return Err(PyValueError::new_err(reason));
        }
        // SAFETY: it is an array; nothing changes its structure while the interpreter's lock is held.
        let flags = unsafe { (*array.as_array_ptr()).fields.flags };
        let lacks = [
            (npyffi::NPY_ARRAY_WRITEABLE, "cannot be written"),
            (npyffi::NPY_ARRAY_C_CONTIGUOUS, "is not dense in row-major order"),
            (npyffi::NPY_ARRAY_ALIGNED, "is not aligned"),
        ];
        match (lacks.iter().find(|(flag, _)| flags & flag == 0), Span::of(object)) {
            (None, Some(span)) => Ok(span),
            (lacking, _) => {
                let lacking = lacking.map_or("is not an array", |(_, text)| text);
                Err(PyValueError::new_err(format!("{what} {lacking}")))
            }
        }
    }

    /// A new array of this type and these sizes, and its elements, which are not initialised.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn make<'py>(
        &self,
        py: Python<'py>,
        sizes: &[npy_intp],
    ) -> PyResult<(Bound<'py, PyAny>, *mut c_void)> {
        let rank = i32::try_from(sizes.len()).unwrap_or(i32::MAX);
        let dtype = self.dtype(py).into_dtype_ptr();
        // SAFETY: the function takes the reference to the type, reads the sizes, and gives an array or sets an exception.
        unsafe {
            let class = npyffi::get_type_object(py, NpyTypes::PyArray_Type);
            let array = PY_ARRAY_API.PyArray_NewFromDescr(
                py,
                class,
                dtype,
                rank,
                sizes.as_ptr().cast_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
                0,
                ptr::null_mut(),
            );
            let array = Bound::from_owned_ptr_or_err(py, array)?;
            let data = (*array.as_ptr().cast::<npyffi::PyArrayObject>()).fields.data;
            Ok((array, data.cast()))
        }
    }
}
