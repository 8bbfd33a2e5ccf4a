//! Diagnostics as exceptions of the package.

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use strata_diag::Diagnostics;

/// The exception for these diagnostics.
pub fn raise(py: Python<'_>, diagnostics: &Diagnostics) -> PyErr {
    let text = diagnostics.render();
    let made = || {
        let module = py.import("strata._errors")?;
        let json = diagnostics.to_json().to_string();
        module.getattr("from_diagnostics")?.call1((json, text.as_str()))
    };
    match made() {
        Ok(error) => PyErr::from_value(error),
        // Without the package around it, the module has no class of its own to raise.
        Err(_) => PyRuntimeError::new_err(text),
    }
}
