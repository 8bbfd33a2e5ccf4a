//! External functions, called for the evaluator with the same conventions as compiled code.

use std::{collections::BTreeMap, sync::Arc};

use strata::{Convention, TensorSpec};
use strata_eval::{Attr, EvalError, FloatType, Outside, OutsideCall, Tensor};
use strata_run::{Foreign, Linked, Named, Number};

/// Runs the evaluator's custom calls with the functions of `linked`.
pub fn outside(linked: Arc<Linked>) -> Arc<Outside> {
    Arc::new(move |call| evaluate(&linked, call))
}

fn evaluate(linked: &Linked, call: &OutsideCall<'_>) -> strata_eval::Result<Option<Vec<Tensor>>> {
    if linked.find(call.target).is_none() {
        return Ok(None);
    }
    let convention = match (call.config, call.version) {
        (Some(_), _) | (_, 4) => Convention::Typed,
        (_, 2) => Convention::Status,
        (_, 3) => Convention::Unified,
        _ => Convention::Original,
    };
    let inputs: Vec<_> =
        call.operands.iter().map(|one| (spec(one), one.bytes().to_vec())).collect();
    let outputs: Vec<_> =
        call.results.iter().map(|(shape, element)| spec_of(shape, *element)).collect();
    let config = call.config.map(constants).unwrap_or_default();
    let made = Foreign {
        target: call.target,
        convention,
        inputs: &inputs,
        outputs: &outputs,
        aliases: &call.aliases,
        tuple: false,
        config: &config,
        text: call.text,
    };
    let (status, found) = linked.call(&made).map_err(|error| {
        EvalError::unsupported(error.reason_text().unwrap_or("no such function"))
    })?;
    if status != 0 {
        let reason = format!("the custom call target @{} returned {status}", call.target);
        return Err(EvalError::invalid(reason));
    }
    let tensors = call.results.iter().zip(found);
    tensors
        .map(|((shape, element), bytes)| Tensor::from_bytes(shape, *element, bytes))
        .collect::<strata_eval::Result<_>>()
        .map(Some)
}

fn constants(entries: &BTreeMap<String, Attr>) -> Vec<Named> {
    let value = |attribute: &Attr| match attribute {
        Attr::Bool(value) => Number::Int(i64::from(*value), "i1".to_owned()),
        Attr::Int(value) => Number::Int(*value, "i64".to_owned()),
        Attr::Float(value) => Number::Float(*value, "f64".to_owned()),
        Attr::Typed(inner, ty) => match inner.as_ref() {
            Attr::Int(value) => Number::Int(*value, ty.clone()),
            Attr::Float(value) => Number::Float(*value, ty.clone()),
            _ => Number::Text(String::new()),
        },
        Attr::Str(text) | Attr::Symbol(text) | Attr::Text(text) => Number::Text(text.clone()),
        _ => Number::Text(String::new()),
    };
    entries
        .iter()
        .map(|(name, attribute)| Named { name: name.clone(), value: value(attribute) })
        .collect()
}

/// The compiler's description of a tensor of the evaluator.
pub fn spec(tensor: &Tensor) -> TensorSpec {
    spec_of(tensor.shape(), tensor.element_type())
}

/// The compiler's description of a shape and an element type of the evaluator.
pub fn spec_of(shape: &[usize], element: strata_eval::ElementType) -> TensorSpec {
    use strata::ElementType;
    use strata_eval::ElementType as Evaluated;
    let element = match element {
        Evaluated::Bool => ElementType::Bool,
        Evaluated::Signed(bits) => ElementType::Signed(bits.into()),
        Evaluated::Unsigned(bits) => ElementType::Unsigned(bits.into()),
        Evaluated::Float(FloatType::BF16) => ElementType::BFloat16,
        Evaluated::Float(FloatType::F16) => ElementType::Float(16),
        Evaluated::Float(FloatType::F32) => ElementType::Float(32),
        Evaluated::Float(FloatType::F64) => ElementType::Float(64),
        Evaluated::Float(small) => ElementType::SmallFloat(small.name()),
        Evaluated::Complex(FloatType::F32) => ElementType::Complex(64),
        Evaluated::Complex(_) => ElementType::Complex(128),
    };
    TensorSpec::new(shape.iter().map(|size| *size as u64).collect(), element)
}
