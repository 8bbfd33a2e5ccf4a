//! NumPy's arrays as the buffers of a call.

use std::{ffi::c_void, ptr};

use numpy::{
    PyArrayDescr, PyArrayDescrMethods as _, PyUntypedArray, PyUntypedArrayMethods as _,
    npyffi::{self, NpyTypes, PY_ARRAY_API, npy_intp},
};
use pyo3::prelude::*;
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
