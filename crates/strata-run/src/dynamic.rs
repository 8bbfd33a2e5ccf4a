//! An object with dynamic dimensions in this process: sizes are given at each call.

use std::{
    ffi::{CStr, c_char, c_void},
    ptr::{self, null},
};

use strata_abi::Executor;
use strata_codegen::Symbols;
use strata_diag::{Diagnostic, codes};
use strata_ir::{Signature, TensorSpec};
use strata_options::Options;

use crate::{
    buffers::Buffers,
    jit::{Image, internal},
    library::{Code, Entry},
    linked::Linked,
    loaded::{MappedWeights, scatter},
};

type Main = unsafe extern "C" fn(
    inputs: *const *const c_void,
    outputs: *const *mut c_void,
    workspace: *mut c_void,
    executor: *const c_void,
    dims: *const i64,
) -> i32;
/// That of `dims`, and of what says which condition shapes violate.
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
    conditions: Option<Conditions>,
    weights: Option<MappedWeights>,
    signature: Signature,
}

/// What an object says of the sizes that it takes.
#[derive(Debug)]
struct Conditions {
    mismatch: Dims,
    /// The names of the symbols.
    symbols: Vec<String>,
    /// Those on the symbols, and then one for each dimension of the inputs.
    texts: Vec<String>,
}

impl Conditions {
    /// `None` for an object that does not say it.
    fn of(code: &Code, symbols: &Symbols) -> Option<Self> {
        let mismatch = code.lookup(&symbols.mismatch()).ok()?;
        let texts = |table: String| -> Option<Vec<String>> {
            let mut place = code.lookup(&table).ok()?.cast::<*const c_char>();
            let mut found = Vec::new();
            // SAFETY: the table is a list of texts that ends with null.
            while let Some(text) = unsafe { (*place).as_ref() } {
                // SAFETY: as above.
                let text = unsafe { CStr::from_ptr(text) };
                found.push(text.to_string_lossy().into_owned());
                // SAFETY: as above.
                place = unsafe { place.add(1) };
            }
            Some(found)
        };
        Some(Self {
            // SAFETY: this symbol of an object with dynamic dimensions has this type.
            mismatch: unsafe { std::mem::transmute::<*const c_void, Dims>(mismatch) },
            symbols: texts(symbols.symbol_names())?,
            texts: texts(symbols.constraints())?,
        })
    }

    /// The condition of that index, which these sizes violate.
    fn violated(&self, index: usize, values: &[i64], sizes: &[i64]) -> Option<String> {
        let text = self.texts.get(index)?;
        let symbols = self.symbols.iter().map(String::as_str).zip(values.iter().copied());
        let of_symbols = self.texts.len().checked_sub(sizes.len())?;
        // A condition on a dimension begins with its name.
        let own = index.checked_sub(of_symbols).and_then(|dim| sizes.get(dim).copied());
        let own = own.zip(text.split(" == ").next());
        Some(told(text, own.map(|(size, name)| (name, size)).into_iter().chain(symbols)))
    }
}

/// How values violate a condition: `s = 65 is above the bound 64`, `2*b == c is violated: b = 3, c = 5`.
fn told<'t>(text: &str, values: impl Iterator<Item = (&'t str, i64)>) -> String {
    let values: Vec<(&str, i64)> = values.collect();
    let range = text.strip_prefix("0 <= ").unwrap_or(text).rsplit_once(" <= ");
    if let Some((name, most)) = range
        && let Some((_, value)) = values.iter().find(|(known, _)| *known == name)
    {
        return match *value < 0 {
            true => format!("{name} = {value} is below 0"),
            false => format!("{name} = {value} is above the bound {most}"),
        };
    }
    let is_word = |char: char| char.is_alphanumeric() || "_.'[]".contains(char);
    let is_named = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !before.ends_with(is_word) && !after.starts_with(is_word)
        })
    };
    let named = values.iter().filter(|(name, _)| is_named(name));
    let named: Vec<_> = named.map(|(name, value)| format!("{name} = {value}")).collect();
    match named.is_empty() {
        true => format!("{text} is violated"),
        false => format!("{text} is violated: {}", named.join(", ")),
    }
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
    /// As [`crate::Loaded::linked`]; `S9001`, too, for an object whose dimensions are all static.
    pub fn new(
        object: &[u8],
        options: &Options,
        signature: &Signature,
        linked: &Linked,
    ) -> Result<Self, Diagnostic> {
        Image::new(object, options, linked)?.dynamic_entry(signature)
    }

    /// The entry of a shared library, as [`crate::Loaded::of_library`].
    ///
    /// # Errors
    /// `S9001` if the library lacks a symbol of an entry that takes sizes.
    pub fn of_library(entry: &Entry) -> Result<Self, Diagnostic> {
        Self::of(entry.code(), entry.symbols(), entry.signature())
    }

    pub(crate) fn of(
        code: Code,
        symbols: &Symbols,
        signature: &Signature,
    ) -> Result<Self, Diagnostic> {
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
                conditions: Conditions::of(&code, symbols),
                weights: None,
                signature: signature.clone(),
                _code: code,
            })
        }
    }

    /// Sets the external weights of the entry.
    #[must_use]
    pub fn with_weights(mut self, weights: MappedWeights) -> Self {
        self.weights = Some(weights);
        self
    }

    /// # Errors
    /// `S9001` if weights are missing.
    fn check_weights(&self) -> Result<(), Diagnostic> {
        match self.signature.weights.is_some() && self.weights.is_none() {
            true => Err(internal("the entry takes external weights, but none are given")),
            false => Ok(()),
        }
    }

    /// The values of the dimension variables for inputs of these shapes; `None` if the object refuses them. There may be zeros
    /// after the last variable.
    ///
    /// # Errors
    /// `S9001` for shapes of other ranks or numbers than the inputs.
    pub fn dims(&self, shapes: &[Vec<i64>]) -> Result<Option<Vec<i64>>, Diagnostic> {
        let (status, dims) = self.ask(self.dims, shapes)?;
        Ok((status == 0).then_some(dims))
    }

    /// Why the object refuses inputs of these shapes: the first condition that they violate, with the sizes in it, such as
    /// `s = 65 is above the bound 64`. `None` if it takes them, or does not say why, as objects of older compilers.
    ///
    /// # Errors
    /// As [`Self::dims`].
    pub fn refusal(&self, shapes: &[Vec<i64>]) -> Result<Option<String>, Diagnostic> {
        let Some(conditions) = &self.conditions else { return Ok(None) };
        let (index, values) = self.ask(conditions.mismatch, shapes)?;
        let sizes = shapes.concat();
        Ok(usize::try_from(index).ok().and_then(|at| conditions.violated(at, &values, &sizes)))
    }

    /// What a function of the object returns for these shapes, and the values of the variables that it writes.
    fn ask(&self, function: Dims, shapes: &[Vec<i64>]) -> Result<(i32, Vec<i64>), Diagnostic> {
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
        let answer = unsafe { function(pointers.as_ptr(), dims.as_mut_ptr()) };
        Ok((answer, dims))
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
        self.check_weights()?;
        let call = |inputs: &[*const c_void]| {
            let (inputs, outputs) = (inputs.as_ptr(), outputs.as_ptr());
            // SAFETY: the caller's buffers and variables are those of the signature.
            unsafe { (self.main)(inputs, outputs, workspace, executor.cast(), dims.as_ptr()) }
        };
        Ok(match &self.weights {
            None => call(inputs),
            Some(weights) => call(&[inputs, &[weights.pointer()]].concat()),
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
            let spec = TensorSpec::new(shape.to_vec(), spec.element);
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
        self.check_weights()?;
        let weights = self.weights.as_ref().map(MappedWeights::pointer);
        let buffers = Buffers::new(inputs, (lengths, workspace), fill, &[], weights)?;
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
        unsafe {
            let (inputs, outputs) = (inputs.as_ptr(), outputs.as_ptr());
            (self.loaded.main)(inputs, outputs, workspace, executor, self.dims.as_ptr())
        }
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

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn conditions_are_told_with_the_sizes_in_them() {
        let told =
            |text: &str| told(text, [("b", 3), ("c", 65), ("x.0", -1), ("x.01", 7)].into_iter());
        assert_eq!(told("0 <= c <= 64"), "c = 65 is above the bound 64");
        assert_eq!(told("c <= 64"), "c = 65 is above the bound 64");
        assert_eq!(told("2*b <= c"), "2*b <= c is violated: b = 3, c = 65");
        assert_eq!(told("0 <= x.0 <= 64"), "x.0 = -1 is below 0");
        assert_eq!(told("2*b == c"), "2*b == c is violated: b = 3, c = 65");
        assert_eq!(told("mod(x.01, 4) == 0"), "mod(x.01, 4) == 0 is violated: x.01 = 7");
        assert_eq!(told("cb >= 1"), "cb >= 1 is violated");
    }
}
