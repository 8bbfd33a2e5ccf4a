//! Dumps of a program for sizes up to bounds, called with tensors of the sizes of a call.
//!
//! Until stage `vector` makes one module of all versions, each is a program whose inputs have the sizes of its buffers, with zeros
//! beyond those of a call, and which takes the values of its symbols as further inputs. Of its outputs the first elements are valid.

use strata::{Signature, TensorSpec};
use strata_diag::{Diagnostic, codes};
use strata_eval::{
    ElementType, EvalError, Evaluator, Session, Tensor,
    shape::{pad, slice, valid_parts},
};
use strata_interpreter::{Bounded, Program};
use strata_ir::{self as ir, AttributeExt as _, DISPATCH, IN_PLACE};
use strata_shapes::{DimExpr, DynamicShapes, Variable};

use crate::{object::tensors, shapes_of};

/// What bytes hold that were never written: numbers that show in results, in floats and in integers of either sign.
const UNWRITTEN: [u8; 2] = [0xFF, 0x5A];

/// How a dump of a version takes the tensors of a call.
pub struct Version {
    shapes: DynamicShapes,
    /// The numbers of inputs, of the values after them and of outputs that have the sizes of the call.
    in_place: Vec<usize>,
}

/// A call of such a dump.
struct Called {
    /// Its inputs, the values of symbols among them.
    inputs: Vec<Tensor>,
    /// The valid sizes of the buffers of its outputs.
    valid: Vec<Vec<usize>>,
    /// The sizes of its outputs, which have as many elements.
    outputs: Vec<Vec<usize>>,
}

impl Version {
    /// That of a dump; `None` for a program of given sizes, and for one whose entry chooses among versions.
    ///
    /// # Errors
    /// For a program without an entry, and `S9002` for attributes that do not describe it.
    pub fn of(module: &ir::Module<'_>) -> Result<Option<Self>, Diagnostic> {
        let entry = ir::entry(module, None)?;
        if entry.has_attr(DISPATCH) {
            return Ok(None);
        }
        let shapes = DynamicShapes::of(entry)?;
        let Some(shapes) = shapes.filter(|own| own.bounds.iter().all(Option::is_some)) else {
            return Ok(None);
        };
        let places = entry.attr(IN_PLACE).and_then(|places| places.as_i64s()).unwrap_or_default();
        let in_place = places.into_iter().filter_map(|place| usize::try_from(place).ok());
        Ok(Some(Self { shapes, in_place: in_place.collect() }))
    }

    /// How many tensors a call gives.
    pub fn input_count(&self) -> usize {
        self.shapes.inputs.len()
    }

    /// The inputs of a call, of those of the dump itself: without what is beyond its sizes and without the values of symbols.
    ///
    /// # Errors
    /// `S1106` for other inputs than the dump's.
    pub fn given(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let (own, symbols) = inputs.split_at(self.input_count().min(inputs.len()));
        let value = |tensor: &Tensor| tensor.to_i64s().ok()?.first().copied();
        let of_call = values(symbols.iter().map(value).collect());
        let cut = |(input, shape): (&Tensor, &Vec<DimExpr>)| {
            let sizes = sizes(shape, &of_call)?;
            prefix(input, &sizes)
        };
        own.iter().zip(&self.shapes.inputs).map(cut).collect()
    }

    /// Leaves the inputs that calls give, with their sizes open, in the signature of the dump.
    pub fn open(&self, signature: &mut Signature) {
        signature.inputs.truncate(self.input_count());
        signature.input_names.truncate(self.input_count());
        for (spec, shape) in signature.inputs.iter_mut().zip(&self.shapes.inputs) {
            for (size, own) in spec.shape.iter_mut().zip(shape) {
                if own.as_constant().is_none() {
                    *size = TensorSpec::UNKNOWN;
                }
            }
        }
    }

    /// What the dump of stage `hlo` computes.
    ///
    /// # Errors
    /// The evaluator's; `S1106` for sizes that are not those of a call, or above the bounds.
    pub fn evaluate(
        &self,
        module: &ir::Module<'_>,
        inputs: &[Tensor],
        session: &Session,
    ) -> Result<Vec<Tensor>, Diagnostic> {
        let called = self.called(inputs)?;
        let results = Evaluator::new(module)?.run(None, &called.inputs, session)?;
        let shapes = ir::shapes(ir::entry(module, None)?, results.len());
        Ok(valid_parts(self.cut(results, &called)?, &shapes))
    }

    /// What the dump of a later stage computes.
    ///
    /// # Errors
    /// The interpreter's; `S1921` where a result depends on what was never written; `S1106` as [`Self::evaluate`].
    pub fn interpret(
        &self,
        program: &Program<'_>,
        inputs: &[Tensor],
    ) -> Result<Vec<Tensor>, Diagnostic> {
        let called = self.called(inputs)?;
        let mut signature = program.signature().clone();
        let before = self.shapes.inputs.len() + self.shapes.symbols.len();
        for place in &self.in_place {
            let (spec, shape) = if *place < before {
                (signature.inputs.get_mut(*place), called.inputs.get(*place).map(Tensor::shape))
            } else {
                let output = place - before;
                (signature.outputs.get_mut(output), called.valid.get(output).map(Vec::as_slice))
            };
            if let (Some(spec), Some(shape)) = (spec, shape) {
                spec.shape = shape.iter().map(|size| *size as u64).collect();
            }
        }
        let valid = called.valid.iter().map(|sizes| sizes.iter().map(|size| *size as u64));
        let valid: Vec<Vec<u64>> = valid.map(Iterator::collect).collect();
        let cut = |outputs: Vec<Vec<u8>>| {
            let whole = Signature { shapes: Vec::new(), ..signature.clone() };
            let results = self.cut(tensors(&whole, outputs)?, &called)?;
            Ok(valid_parts(results, &signature.shapes))
        };
        twice(program, (&signature, &called.inputs), &valid, &cut)
    }

    /// The inputs with the sizes of buffers, and the values of symbols.
    fn called(&self, inputs: &[Tensor]) -> Result<Called, Diagnostic> {
        let wrong = |reason: String| Diagnostic::new(codes::S1106).reason(reason);
        if inputs.len() != self.shapes.inputs.len() {
            let (count, given) = (self.shapes.inputs.len(), inputs.len());
            return Err(wrong(format!("the program takes {count} inputs, the call gives {given}")));
        }
        let given = symbols_of(&self.shapes, inputs)?;
        let of_call = values(given.iter().copied().map(Some).collect());
        let of_buffers = values(self.shapes.bounds.clone());
        let mut padded = Vec::new();
        for (at, (input, shape)) in inputs.iter().zip(&self.shapes.inputs).enumerate() {
            let (own, whole) = (sizes(shape, &of_call)?, sizes(shape, &of_buffers)?);
            let fits = own.iter().zip(&whole).all(|(own, whole)| own <= whole);
            if own != input.shape() || !fits {
                return Err(wrong(format!(
                    "input {at} is {:?}, and {own:?} of at most {whole:?} is taken",
                    input.shape()
                )));
            }
            padded.push(match self.in_place.contains(&at) {
                true => input.clone(),
                false => widened(input, &whole)?,
            });
        }
        padded.extend(given.iter().map(|value| Tensor::from_i64(&[], &[*value])));
        let of = |shapes: &[Vec<DimExpr>]| {
            shapes.iter().map(|shape| sizes(shape, &of_call)).collect::<Result<Vec<_>, _>>()
        };
        let (valid, outputs) = (of(self.shapes.output_buffers())?, of(&self.shapes.outputs)?);
        Ok(Called { inputs: padded, valid, outputs })
    }

    /// The valid parts of outputs.
    fn cut(&self, outputs: Vec<Tensor>, called: &Called) -> Result<Vec<Tensor>, Diagnostic> {
        let valid = &called.valid;
        if outputs.len() != valid.len() {
            let (own, count) = (outputs.len(), valid.len());
            let reason = format!("the program has {own} outputs, and the sizes of {count}");
            return Err(Diagnostic::new(codes::S9002).reason(reason));
        }
        let own = outputs.iter().zip(valid).zip(&called.outputs);
        let own = own.map(|((output, sizes), shape)| {
            let part = prefix(output, sizes)?;
            Tensor::from_bytes(shape, part.element_type(), part.bytes().to_vec()).map_err(invalid)
        });
        own.collect()
    }
}

/// What the module of all versions, at the end of stage `vector`, computes.
///
/// # Errors
/// As [`Version::interpret`].
pub fn interpret_all(program: &Program<'_>, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    let mut specs = program.signature().inputs.clone();
    for (spec, input) in specs.iter_mut().zip(inputs) {
        spec.shape = input.shape().iter().map(|size| *size as u64).collect();
    }
    let signature = program.signature_of(&specs)?;
    let valid: Vec<_> = signature.outputs.iter().map(|spec| spec.shape.clone()).collect();
    let results = |outputs: Vec<Vec<u8>>| tensors(&signature, outputs);
    twice(program, (&signature, inputs), &valid, &results)
}

/// Runs a program, and again with other bytes where nothing was written if it reads any: results must be the same.
fn twice(
    program: &Program<'_>,
    (signature, inputs): (&Signature, &[Tensor]),
    valid: &[Vec<u64>],
    results: &dyn Fn(Vec<Vec<u8>>) -> Result<Vec<Tensor>, Diagnostic>,
) -> Result<Vec<Tensor>, Diagnostic> {
    let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
    let run = |unwritten: u8| -> Result<(Vec<Tensor>, bool), Diagnostic> {
        let Bounded { outputs, has_read_unwritten } =
            program.run_up_to(signature, &bytes, valid, unwritten)?;
        Ok((results(outputs)?, has_read_unwritten))
    };
    let (own, reads) = run(UNWRITTEN[0])?;
    if !reads {
        return Ok(own);
    }
    let (other, _) = run(UNWRITTEN[1])?;
    for (at, (one, other)) in own.iter().zip(&other).enumerate() {
        if let Some(worst) = crate::stages::first_other_bits(one, other) {
            let (index, one, other) = (&worst.index, worst.actual, worst.expected);
            return Err(Diagnostic::new(codes::S1921).reason(format!(
                "output {at} depends on it at {index:?}: it is {one} or {other}, by what is in memory that was never written"
            )));
        }
    }
    Ok(own)
}

/// The values of symbols that inputs have.
///
/// # Errors
/// `S1106` for inputs of another rank.
pub fn symbols_of(shapes: &DynamicShapes, inputs: &[Tensor]) -> Result<Vec<i64>, Diagnostic> {
    let given = shapes_of(inputs);
    let size = |variable| match variable {
        Variable::Dimension(input, dim) => given.get(input)?.get(dim).copied(),
        Variable::Symbol(_) => None,
    };
    let lacks = || Diagnostic::new(codes::S1106).reason("the inputs have other ranks");
    shapes.values.iter().map(|value| value.value(&size).ok_or_else(lacks)).collect()
}

/// Values by symbol.
fn values(values: Vec<Option<i64>>) -> impl Fn(Variable) -> Option<i64> {
    move |variable| match variable {
        Variable::Symbol(index) => values.get(index).copied().flatten(),
        Variable::Dimension(..) => None,
    }
}

fn sizes(
    shape: &[DimExpr],
    value: &impl Fn(Variable) -> Option<i64>,
) -> Result<Vec<usize>, Diagnostic> {
    let size = |size: &DimExpr| usize::try_from(size.value(value)?).ok();
    let known = shape.iter().map(size).collect::<Option<_>>();
    known.ok_or_else(|| Diagnostic::new(codes::S1106).reason("a size does not follow from a call"))
}

/// The first elements of each dimension.
fn prefix(tensor: &Tensor, sizes: &[usize]) -> Result<Tensor, Diagnostic> {
    slice(tensor, &vec![0; sizes.len()], sizes, &vec![1; sizes.len()])
        .map_err(|error| Diagnostic::new(codes::S1106).reason(error.reason))
}

/// The tensor with zeros after its elements.
fn widened(tensor: &Tensor, shape: &[usize]) -> Result<Tensor, Diagnostic> {
    let ty: ElementType = tensor.element_type();
    let zero = Tensor::from_bytes(&[], ty, vec![0; ty.bytes()]).map_err(invalid)?;
    let high: Vec<_> =
        shape.iter().zip(tensor.shape()).map(|(whole, own)| (whole - own) as i64).collect();
    let none = vec![0; shape.len()];
    pad(tensor, &zero, &none, &high, &none).map_err(invalid)
}

fn invalid(error: EvalError) -> Diagnostic {
    Diagnostic::new(codes::S9001).reason(error.reason)
}
