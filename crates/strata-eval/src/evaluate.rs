//! Evaluating a module from outside.

use strata_diag::{Diagnostic, codes};
use strata_ir as ir;

use crate::{
    error::{ErrorKind, EvalError},
    inputs::{Values, random_tensor},
    interpret::{Machine, Session, Value, check_type, run_grid},
    program::{Function, Program, Type},
    rng::RngStream,
    tensor::Tensor,
};

/// Runs a function of `module` on `inputs` and returns its results.
///
/// `entry` names the function; by default the only public one. Random numbers use seed 0.
///
/// # Errors
/// `S1006`, `S1007` and `S1010` for the entry, `S1801` to `S1803` for inputs that do not fit its arguments,
/// `S1911` for what cannot be evaluated, `S1703` for a function that is called and not given, `S1912` for a program without a meaning, `S1913` for an expectation
/// (`check.*`) that does not hold.
pub fn evaluate(
    module: &ir::Module<'_>,
    entry: Option<&str>,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, Diagnostic> {
    Evaluator::new(module)?.run(entry, inputs, &Session::new(0))
}

/// A module made ready to be evaluated, as often as wanted and from any thread.
#[derive(Clone, Debug)]
pub struct Evaluator {
    program: Program,
}

impl Evaluator {
    /// Reads a verified module.
    ///
    /// # Errors
    /// `S1911` for regions that the evaluator cannot run.
    pub fn new(module: &ir::Module<'_>) -> Result<Self, Diagnostic> {
        Ok(Self { program: Program::new(module)? })
    }

    /// The names of the public functions, in order.
    pub fn entries(&self) -> Vec<&str> {
        let public = self.program.functions.iter().filter(|function| function.public);
        public.map(|function| function.name.as_str()).collect()
    }

    /// Whether the module has no function with a body.
    pub fn is_empty(&self) -> bool {
        self.program.functions.is_empty()
    }

    /// Runs a function, as [`evaluate`] does, with the outside world of `session`.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub fn run(
        &self,
        entry: Option<&str>,
        inputs: &[Tensor],
        session: &Session,
    ) -> Result<Vec<Tensor>, Diagnostic> {
        let function = self.entry(entry)?;
        let machine = Machine::new(&self.program, session, None);
        let results = machine.start(function, arguments(function, inputs)?);
        Ok(flat(results.map_err(|error| diagnostic(&error))?))
    }

    /// Runs a function on a grid of devices, which exchange values; `inputs` has those of each, by replica and partition, and the
    /// results are in the same order.
    ///
    /// # Errors
    /// As [`evaluate`], and `S1912` where a device waits for others that never come.
    pub fn run_on_devices(
        &self,
        entry: Option<&str>,
        (replicas, partitions): (usize, usize),
        inputs: &[Vec<Tensor>],
        session: &Session,
    ) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
        let function = self.entry(entry)?;
        if inputs.len() != replicas * partitions || inputs.is_empty() {
            return Err(Diagnostic::new(codes::S1801).reason(format!(
                "there are inputs for {} devices, and {replicas} x {partitions} devices",
                inputs.len()
            )));
        }
        let devices =
            strata_ir::Devices { replicas: replicas as i64, partitions: partitions as i64 };
        devices.check_threads()?;
        let jobs = inputs.iter().map(|inputs| Ok((function, arguments(function, inputs)?)));
        let jobs = jobs.collect::<Result<Vec<_>, Diagnostic>>()?;
        let results = run_grid(&self.program, session, (replicas, partitions), jobs);
        Ok(results.map_err(|error| diagnostic(&error))?.into_iter().map(flat).collect())
    }

    /// The tensors of a function's argument types with these dense little-endian bytes.
    ///
    /// # Errors
    /// `S1006`, `S1007` and `S1010` for the entry; `S1801` and `S1802` for bytes that do not fit.
    pub fn tensors_of_bytes(
        &self,
        entry: Option<&str>,
        bytes: &[Vec<u8>],
    ) -> Result<Vec<Tensor>, Diagnostic> {
        let function = self.entry(entry)?;
        let types = input_types(function);
        if bytes.len() != types.len() {
            return Err(Diagnostic::new(codes::S1801).reason(format!(
                "@{} takes {} inputs, {} are given",
                function.name,
                types.len(),
                bytes.len()
            )));
        }
        let tensor = |(bytes, ty): (&Vec<u8>, &&Type)| -> crate::error::Result<Tensor> {
            let element = ty.element()?;
            let Type::Tensor { shape, quantization, .. } = *ty else {
                return Err(EvalError::unsupported(format!("{ty} is not a tensor")));
            };
            let shape: Option<Vec<usize>> = shape.iter().copied().collect();
            let shape = shape.ok_or_else(|| {
                EvalError::unsupported(format!("{ty} has dimensions that are not known"))
            })?;
            let tensor = Tensor::from_bytes(&shape, element, bytes.clone())?;
            Ok(tensor.with_quantization(quantization.clone()))
        };
        bytes
            .iter()
            .zip(&types)
            .map(tensor)
            .collect::<crate::error::Result<_>>()
            .map_err(|error| Diagnostic::new(codes::S1802).reason(error.to_string()))
    }

    /// Random inputs for a function; equal seeds give equal ones.
    ///
    /// # Errors
    /// `S1006`, `S1007` and `S1010` for the entry, `S1911` for an argument without a static shape.
    pub fn random_inputs(
        &self,
        entry: Option<&str>,
        values: Values,
        seed: u64,
    ) -> Result<Vec<Tensor>, Diagnostic> {
        self.random_inputs_of(entry, None, values, seed)
    }

    /// The same, of these shapes.
    ///
    /// # Errors
    /// As [`Self::random_inputs`].
    pub fn random_inputs_of(
        &self,
        entry: Option<&str>,
        shapes: Option<&[Vec<i64>]>,
        values: Values,
        seed: u64,
    ) -> Result<Vec<Tensor>, Diagnostic> {
        let mut stream = RngStream::new(seed);
        let given = |index: usize| {
            let sizes = shapes?.get(index)?.iter().map(|size| usize::try_from(*size).ok());
            sizes.collect::<Option<Vec<_>>>()
        };
        input_types(self.entry(entry)?)
            .into_iter()
            .enumerate()
            .map(|(index, ty)| {
                let shape = given(index).map_or_else(|| ty.static_shape(), Ok)?;
                let tensor = random_tensor(&shape, ty.element()?, values, &mut stream);
                Ok(tensor.with_quantization(ty.quantization().cloned()))
            })
            .collect::<crate::error::Result<_>>()
            .map_err(|error| diagnostic(&error))
    }

    /// Whether the entry, chosen as [`evaluate`] chooses it, takes arguments.
    ///
    /// # Errors
    /// `S1006`, `S1007` and `S1010` for the entry.
    pub fn takes_arguments(&self, entry: Option<&str>) -> Result<bool, Diagnostic> {
        Ok(self.entry(entry)?.takes_arguments())
    }

    /// The function with that name; without one the only public function, or the one called `main`.
    fn entry(&self, name: Option<&str>) -> Result<&Function, Diagnostic> {
        let entries = self.entries();
        let listed = entries.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ");
        if let Some(name) = name {
            return self.program.function(name).map_err(|_| {
                Diagnostic::new(codes::S1010)
                    .reason(format!("there is no function `@{name}` with a body"))
                    .hint(format!("the public functions are: {listed}"))
            });
        }
        let mut public = self.program.functions.iter().filter(|function| function.public);
        match (public.next(), public.next()) {
            (Some(only), None) => Ok(only),
            (Some(_), Some(_)) => match self.program.function("main") {
                Ok(main) => Ok(main),
                Err(_) => Err(Diagnostic::new(codes::S1007)
                    .reason(format!("the public functions are: {listed}"))
                    .hint("choose one with `--entry NAME`, or make the others private")),
            },
            (None, _) => Err(Diagnostic::new(codes::S1006)
                .reason("the module has no public function with a body")
                .hint("make the function to evaluate public: `func.func public @main(…)`")),
        }
    }
}

/// The arguments of a function that these tensors make.
fn arguments(function: &Function, inputs: &[Tensor]) -> Result<Vec<Value>, Diagnostic> {
    check_inputs(function, inputs)?;
    let mut tensors = inputs.iter().cloned();
    let arguments = function.body.types.iter().map(|ty| gather(ty, &mut tensors));
    arguments.collect::<Option<_>>().ok_or_else(|| Diagnostic::new(codes::S1801))
}

/// The tensors of all values.
fn flat(values: Vec<Value>) -> Vec<Tensor> {
    let mut tensors = Vec::with_capacity(values.len());
    values.into_iter().for_each(|value| flatten(value, &mut tensors));
    tensors
}

/// The tensors of a value; tuples give theirs in order, tokens none.
fn flatten(value: Value, tensors: &mut Vec<Tensor>) {
    match value {
        Value::Tensor(tensor) => tensors.push(tensor),
        Value::Token => {}
        Value::Tuple(elements) => {
            elements.into_iter().for_each(|element| flatten(element, tensors));
        }
    }
}

/// The types of the tensors that a caller gives: tuples are given by their elements, tokens not at all.
fn input_types(function: &Function) -> Vec<&Type> {
    let mut types = Vec::new();
    function.body.types.iter().for_each(|ty| ty.leaves(&mut types));
    types
}

/// The value of type `ty` that the next of `tensors` make; `None` where they are too few.
fn gather(ty: &Type, tensors: &mut impl Iterator<Item = Tensor>) -> Option<Value> {
    Some(match ty {
        Type::Token => Value::Token,
        Type::Tuple(types) => {
            let elements = types.iter().map(|ty| gather(ty, tensors));
            Value::Tuple(elements.collect::<Option<_>>()?)
        }
        _ => Value::Tensor(tensors.next()?),
    })
}

fn check_inputs(function: &Function, inputs: &[Tensor]) -> Result<(), Diagnostic> {
    let types = input_types(function);
    if inputs.len() != types.len() {
        return Err(Diagnostic::new(codes::S1801).reason(format!(
            "@{} takes {} inputs, {} are given",
            function.name,
            types.len(),
            inputs.len()
        )));
    }
    for (at, (input, ty)) in inputs.iter().zip(types).enumerate() {
        let reason = format!("input {at} is {}, the function takes {ty}", input.type_text());
        let wrong_element = ty.element().is_ok_and(|element| element != input.element_type());
        if wrong_element {
            return Err(Diagnostic::new(codes::S1803).reason(reason));
        }
        if check_type(&Value::Tensor(input.clone()), ty).is_err() {
            return Err(Diagnostic::new(codes::S1802).reason(reason));
        }
    }
    Ok(())
}

/// The diagnostic of an evaluation that failed.
pub(crate) fn diagnostic(error: &EvalError) -> Diagnostic {
    let code = match error.kind {
        ErrorKind::Unsupported => codes::S1911,
        ErrorKind::Invalid => codes::S1912,
        ErrorKind::Check => codes::S1913,
        ErrorKind::Missing => codes::S1703,
    };
    let mut diagnostic = Diagnostic::new(code).reason(&error.reason);
    if error.kind == ErrorKind::Missing {
        diagnostic = diagnostic.hint("`--link FILE.so` loads a library that defines it");
    }
    if let Some(place) = &error.place {
        diagnostic = diagnostic.operation(&place.operation);
        if let Some(location) = &place.location {
            diagnostic = diagnostic.at(location.clone());
        }
    }
    diagnostic
}
