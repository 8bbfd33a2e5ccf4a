//! A program as compiled code in this process.

use strata::{Artifact, Compiler, Options, Signature};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_eval::{ElementType, Tensor, shape::valid_parts};
use strata_run::{Linked, Loaded, LoadedDynamic};

use crate::devices;

/// A compiled program, ready to be called with tensors.
#[derive(Debug)]
pub struct Object {
    loaded: Loaded,
    signature: Signature,
}

impl Object {
    /// Compiles a module and loads the object.
    ///
    /// # Errors
    /// The compiler's, and `S9002` for an object without a signature.
    pub fn new(text: &str, options: &Options, linked: &Linked) -> Result<Self, Diagnostic> {
        let artifact = offered(Compiler::new(options.clone()), linked)
            .compile("program", text.as_bytes())
            .map_err(first)?;
        Self::of(&artifact, options, linked)
    }

    /// Loads an object that was compiled with these options.
    ///
    /// # Errors
    /// `S9002` for an object without a signature.
    pub fn of(artifact: &Artifact, options: &Options, linked: &Linked) -> Result<Self, Diagnostic> {
        let signature = artifact
            .signature()
            .ok_or_else(|| Diagnostic::new(codes::S9002).reason("the object has no signature"))?;
        let loaded = Loaded::linked(artifact.bytes(), options, signature, linked)?;
        Ok(Self { loaded, signature: signature.clone() })
    }

    /// Calls the entry twice, on workspaces that hold different bytes. A program for several devices is called on each, with
    /// inputs whose elements are moved by the device's number; the results are those of all, one device after another. One whose
    /// values are split over devices takes and returns whole ones.
    ///
    /// # Errors
    /// `S9001` where the results differ, `S1805` for a status other than 0.
    pub fn call(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        if let Some(grid) = self.signature.grid().and_then(devices::grid_of) {
            return devices::call_all(&self.loaded, &self.signature, grid, inputs);
        }
        let buffers: Vec<Vec<u8>> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let (status, outputs) = self.loaded.call_twice(&buffers)?;
        self.tensors(status, outputs)
    }

    /// As [`Self::call`], once, with each donated input in the buffer of its output.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn call_in_place(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let buffers: Vec<Vec<u8>> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let (status, outputs) = self.loaded.call_in_place(&buffers, &self.signature.donations)?;
        self.tensors(status, outputs)
    }

    fn tensors(&self, status: i32, outputs: Vec<Vec<u8>>) -> Result<Vec<Tensor>, Diagnostic> {
        if status != 0 {
            let reason = format!("the entry returned {status}");
            return Err(Diagnostic::new(codes::S1805).reason(reason));
        }
        tensors(&self.signature, outputs)
    }
}

/// A program whose inputs have dynamic dimensions as one object, ready to be called at any sizes that it takes.
#[derive(Debug)]
pub struct DynamicObject {
    loaded: LoadedDynamic,
    signature: Signature,
}

impl DynamicObject {
    /// Compiles a module and loads the object. The options say which dimensions stay dynamic, and their bounds.
    ///
    /// # Errors
    /// The compiler's, and `S9002` for an object without a signature.
    pub fn new(text: &str, options: &Options, linked: &Linked) -> Result<Self, Diagnostic> {
        let options = Options { open: true, ..options.clone() };
        let artifact = offered(Compiler::new(options.clone()), linked)
            .compile("program", text.as_bytes())
            .map_err(first)?;
        Self::of(&artifact, &options, linked)
    }

    /// Loads an object that was compiled with these options.
    ///
    /// # Errors
    /// `S9002` for an object without a signature.
    pub fn of(artifact: &Artifact, options: &Options, linked: &Linked) -> Result<Self, Diagnostic> {
        let signature = artifact
            .signature()
            .ok_or_else(|| Diagnostic::new(codes::S9002).reason("the object has no signature"))?;
        let loaded = LoadedDynamic::new(artifact.bytes(), options, signature, linked)?;
        Ok(Self { loaded, signature: signature.clone() })
    }

    /// Why the object refuses these inputs, as far as it says it.
    ///
    /// # Errors
    /// `S9001` for inputs of other ranks.
    pub fn refusal(&self, inputs: &[Tensor]) -> Result<Option<String>, Diagnostic> {
        self.loaded.refusal(&crate::shapes_of(inputs))
    }

    /// Calls the entry three times, with different bytes in the workspace and the outputs; `None` if the object refuses the sizes.
    ///
    /// # Errors
    /// `S9001` where the results differ, `S1805` for a status other than 0.
    pub fn call(&self, inputs: &[Tensor]) -> Result<Option<Vec<Tensor>>, Diagnostic> {
        let shapes = crate::shapes_of(inputs);
        let buffers: Vec<Vec<u8>> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let Some(called) = self.loaded.call_repeatedly(&shapes, &buffers)? else { return Ok(None) };
        let mut signature = self.signature.clone();
        for (spec, shape) in signature.outputs.iter_mut().zip(called.shapes) {
            spec.shape = shape;
        }
        tensors(&signature, called.outputs).map(Some)
    }
}

/// The compiler, which fails as soon as it finds a call of a function that is not in `linked`.
pub(crate) fn offered<'o>(compiler: Compiler<'o>, linked: &'o Linked) -> Compiler<'o> {
    let hint = "`--link FILE.so` loads a library that defines them";
    compiler.offered(|name| linked.find(name).is_some(), hint)
}

/// Converts the bytes of outputs to tensors, of which each has its valid part.
pub fn tensors(signature: &Signature, outputs: Vec<Vec<u8>>) -> Result<Vec<Tensor>, Diagnostic> {
    let refuse = || Diagnostic::new(codes::S9002).reason("an output has no known type");
    let tensors = signature
        .outputs
        .iter()
        .zip(outputs)
        .map(|(spec, bytes)| {
            let shape: Option<Vec<usize>> =
                spec.shape.iter().map(|size| usize::try_from(*size).ok()).collect();
            let shape = shape.ok_or_else(refuse)?;
            let ty = ElementType::parse(&spec.element.to_string()).ok_or_else(refuse)?;
            Tensor::from_bytes(&shape, ty, bytes).map_err(|_| refuse())
        })
        .collect::<Result<_, _>>()?;
    Ok(valid_parts(tensors, &signature.shapes))
}

/// As [`tensors`], from the bytes of all outputs one after the other.
///
/// # Errors
/// `S9002` where there are not as many bytes as outputs need, or an output has no known type.
pub fn split_outputs(signature: &Signature, bytes: &[u8]) -> Result<Vec<Tensor>, Diagnostic> {
    let mut rest = bytes;
    let mut outputs = Vec::new();
    for spec in &signature.outputs {
        let (output, others) = usize::try_from(spec.byte_count())
            .ok()
            .and_then(|size| rest.split_at_checked(size))
            .ok_or_else(|| {
                Diagnostic::new(codes::S9002).reason("there are too few bytes for the outputs")
            })?;
        outputs.push(output.to_vec());
        rest = others;
    }
    tensors(signature, outputs)
}

fn first(errors: Diagnostics) -> Diagnostic {
    let none = || Diagnostic::new(codes::S9001).reason("the program cannot be compiled");
    errors.into_iter().next().unwrap_or_else(none)
}
