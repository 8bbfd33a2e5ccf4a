//! A prepared module, whose entry is called like compiled code.

use std::{collections::BTreeMap, rc::Rc};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AffineMap, AttributeExt as _, DISPATCH, DYNAMIC, LIMIT, Module, Op, Signature, TASKS,
    TensorSpec, TypeExt as _, diagnostic_at, function_name, marked_entry, memref, module_op,
};

use crate::{
    dynamic::Dynamic,
    element::Elem,
    fault::{Fault, Run},
    machine::{Device, Function, Machine},
    memory::{Memory, Role, View, shared},
    ops,
    prepare::{Preparer, Unsupported, functions},
    value::{Tensor, Value, each, position},
};

/// The module of stage `linalg`, `schedule`, `affine` or `vector`, ready to run any number of times.
pub struct Program<'c> {
    functions: Rc<Vec<Function>>,
    entry: usize,
    signature: Signature,
    /// The arguments of an entry on buffers; `None` if it takes and returns tensors.
    buffers: Option<Vec<Argument>>,
    globals: Vec<Global>,
    places: Vec<Op<'c>>,
    /// Whether all loops with limits have them as their ends: until step `limits` of stage `affine` they are attributes, and what a last
    /// tile has left is computed by the whole loops.
    has_limits: bool,
    /// What says which sizes follow from those of a call's inputs, if there are such.
    dynamic: Option<Dynamic>,
}

/// What a run gives of a program for sizes up to bounds.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// The bytes of the outputs, with those that are not valid.
    pub outputs: Vec<Vec<u8>>,
    /// Whether it read what was never written.
    pub has_read_unwritten: bool,
}

/// What is valid in a run of a program for sizes up to bounds.
struct Limits<'a> {
    /// How many elements of each dimension of each output.
    outputs: &'a [Vec<u64>],
    /// What bytes hold that were never written.
    unwritten: u8,
}

/// An argument of an entry on buffers.
struct Argument {
    role: Role,
    elem: Elem,
    shape: Vec<i64>,
}

/// A constant of the module.
struct Global {
    elem: Elem,
    shape: Vec<i64>,
    data: Vec<u8>,
    name: String,
}

impl<'c> Program<'c> {
    /// Resolves a verified module.
    ///
    /// # Errors
    /// `S9002` for a module without a marked entry, `S1911` for an operation that is not known.
    pub fn new(module: &Module<'c>) -> Result<Self, Diagnostic> {
        let entry = marked_entry(module)?;
        let signature = Signature::of(entry)?;
        let root = module_op(module);
        let globals = globals(root)?;
        let names: BTreeMap<_, _> =
            globals.iter().enumerate().map(|(at, global)| (global.name.clone(), at)).collect();
        let found = functions(root);
        let numbers = found.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
        let tasks = found.iter().enumerate().filter(|(_, (_, op))| op.has_attr(TASKS));
        let tasks = tasks.map(|(at, _)| at).collect();
        let mut preparer = Preparer::new(numbers, tasks, names);
        let prepared = found
            .iter()
            .map(|(_, function)| preparer.function(*function))
            .collect::<Result<Vec<_>, _>>()?;
        let at = found
            .iter()
            .position(|(_, op)| *op == entry)
            .ok_or_else(|| diagnostic_at(codes::S1911, entry).reason("the entry has no body"))?;
        Ok(Self {
            buffers: arguments(entry, &signature)?,
            functions: Rc::new(prepared),
            entry: at,
            signature,
            globals,
            places: preparer.places,
            has_limits: root
                .collect(|op| op.attr(LIMIT).and_then(AffineMap::of).is_some())
                .is_empty(),
            dynamic: Dynamic::of(entry, |name| found.iter().position(|(own, _)| own == name))?,
        })
    }

    /// The signature of a call, from the shapes of its inputs: that of the program, where its shapes are static.
    ///
    /// # Errors
    /// `S1802` for shapes that disagree, or violate a condition of the program.
    pub fn signature_of(&self, inputs: &[TensorSpec]) -> Result<Signature, Diagnostic> {
        let mut signature = self.signature.clone();
        let Some(dynamic) = &self.dynamic else { return Ok(signature) };
        let call = dynamic.symbols(&self.functions, inputs);
        let symbols = call.map_err(|fault| self.diagnostic(&fault))??;
        signature.inputs = inputs.to_vec();
        let sizes = dynamic.output_sizes(&self.functions, &symbols, &signature.outputs);
        let mut sizes = sizes.map_err(|fault| self.diagnostic(&fault))?.into_iter();
        for spec in &mut signature.outputs {
            for size in &mut spec.shape {
                *size = sizes.next().and_then(|own| u64::try_from(own).ok()).unwrap_or(*size);
            }
        }
        Ok(signature)
    }

    /// What the entry takes and returns.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Calls the entry with the bytes of its inputs, and returns those of its outputs.
    ///
    /// # Errors
    /// `S1801` and `S1802` for inputs that do not match the signature; `S1912` for undefined behaviour; `S1921` to `S1924`
    /// for errors that the shadow finds.
    pub fn run(&self, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Diagnostic> {
        self.run_as(&self.signature, inputs)
    }

    /// As [`Self::run`], on one of several devices, which are the processes of a row and run the same program at the same time.
    ///
    /// # Errors
    /// As [`Self::run`], and `S1912` where a device fails that this one waits for.
    pub fn run_on(&self, device: Device, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let device = Rc::new(device);
        let run = || self.run_in(&self.signature, inputs, (Some(Rc::clone(&device)), None));
        Ok(device.run(run)?.outputs)
    }

    /// As [`Self::run`], with the signature that [`Self::signature_of`] gives for the inputs.
    ///
    /// # Errors
    /// As [`Self::run`] and [`Self::signature_of`].
    pub fn run_as(
        &self,
        signature: &Signature,
        inputs: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, Diagnostic> {
        Ok(self.run_in(signature, inputs, (None, None))?.outputs)
    }

    /// As [`Self::run_as`], of a program that ends at the sizes of a call: of an output, callers read the first elements of each dimension,
    /// as many as `valid` says, and only these need a value. What was never written, nor through the same temporary, may be read: each of
    /// its bytes is `unwritten`. Where arguments are taken in place, the signature has the sizes of the call.
    ///
    /// # Errors
    /// As [`Self::run_as`].
    pub fn run_up_to(
        &self,
        signature: &Signature,
        inputs: &[Vec<u8>],
        valid: &[Vec<u64>],
        unwritten: u8,
    ) -> Result<Bounded, Diagnostic> {
        self.run_in(signature, inputs, (None, Some(Limits { outputs: valid, unwritten })))
    }

    fn run_in(
        &self,
        signature: &Signature,
        inputs: &[Vec<u8>],
        (process, limits): (Option<Rc<Device>>, Option<Limits<'_>>),
    ) -> Result<Bounded, Diagnostic> {
        check_inputs(signature, inputs)?;
        let memory = match &limits {
            Some(limits) => Memory::with_unwritten(limits.unwritten),
            None => Memory::default(),
        };
        let valid = limits.as_ref().map(|limits| limits.outputs);
        let mut machine = Machine::new(memory, Rc::clone(&self.functions));
        machine.process = process;
        machine.has_limits = limits.is_some() && self.has_limits;
        for global in &self.globals {
            let data = Some(global.data.clone());
            let own = machine.memory.add(Role::Constant, global.data.len(), data, &global.name);
            let view = View::dense(own.0, own.1, 0, global.elem, global.shape.clone());
            machine.globals.push(shared(view));
        }
        let outcome = match &self.buffers {
            Some(arguments) => {
                let symbols = match &self.dynamic {
                    Some(dynamic) => {
                        let call = dynamic.symbols(&self.functions, &signature.inputs);
                        call.map_err(|fault| self.diagnostic(&fault))??
                    }
                    None => Vec::new(),
                };
                let called = (signature, &symbols[..]);
                self.run_on_buffers(&mut machine, arguments, called, (inputs, valid))
            }
            None => self.run_on_tensors(&mut machine, (inputs, valid)),
        };
        let outputs = outcome.map_err(|fault| self.diagnostic(&fault))?;
        Ok(Bounded { outputs, has_read_unwritten: machine.memory.has_read_unwritten() })
    }

    fn run_on_tensors(
        &self,
        machine: &mut Machine,
        (inputs, valid): (&[Vec<u8>], Option<&[Vec<u64>]>),
    ) -> Run<Vec<Vec<u8>>> {
        let args = inputs.iter().zip(&self.signature.inputs).map(|(bytes, spec)| {
            let shape = spec.shape.iter().map(|size| *size as usize).collect();
            let elem = signless(spec.element)?;
            Ok(Value::Tensor(Rc::new(Tensor {
                elem,
                shape,
                data: bytes.clone(),
                missing: None,
                read: None,
            })))
        });
        let args = args.collect::<Run<Vec<_>>>()?;
        let results = machine.call(self.entry, args)?;
        let whole = results.into_iter().enumerate().map(|(at, value)| match value {
            Value::Tensor(tensor) => {
                let whole: Vec<_> = tensor.shape.iter().map(|size| *size as i64).collect();
                each(&valid_of(valid, at).unwrap_or(whole), |index| {
                    tensor.check(position(index, &tensor.shape)?)
                })
                .map_err(|fault| Fault {
                    reason: format!("output {at}: {}", fault.reason),
                    ..fault
                })?;
                Ok(tensor.data.clone())
            }
            other => Err(crate::machine::unexpected(&other, "a tensor")),
        });
        whole.collect()
    }

    fn run_on_buffers(
        &self,
        machine: &mut Machine,
        arguments: &[Argument],
        (signature, symbols): (&Signature, &[i64]),
        (inputs, valid): (&[Vec<u8>], Option<&[Vec<u64>]>),
    ) -> Run<Vec<Vec<u8>>> {
        let mut values = Vec::new();
        let mut outputs = BTreeMap::new();
        for (at, argument) in arguments.iter().enumerate() {
            let is_open = argument.shape.contains(&DYNAMIC);
            let shape = match (&self.dynamic, argument.role) {
                (None, _) if !is_open => argument.shape.clone(),
                (_, Role::Input(input)) => vec![signature.inputs[input].byte_count() as i64],
                (_, Role::Output(output)) => vec![signature.outputs[output].byte_count() as i64],
                (Some(dynamic), Role::Workspace) => vec![dynamic.workspace_size],
                _ => argument.shape.clone(),
            };
            let size = shape.iter().product::<i64>() as usize * argument.elem.bytes();
            let content = match argument.role {
                Role::Input(input) => inputs.get(input).cloned(),
                Role::Constant => {
                    Some(symbols.iter().flat_map(|size| size.to_le_bytes()).collect())
                }
                // An output in the buffer of an input starts with the input's contents.
                Role::Output(output) => {
                    let donated = self.signature.donations.iter().find(|(to, _)| *to == output);
                    donated.and_then(|(_, input)| inputs.get(*input)).cloned()
                }
                _ => None,
            };
            let own = machine.memory.add(argument.role, size, content, &format!("argument {at}"));
            let view = shared(View::dense(own.0, own.1, 0, argument.elem, shape));
            if let Role::Output(output) = argument.role {
                outputs.insert(output, Rc::clone(&view));
            }
            values.push(Value::Buffer(view));
        }
        machine.call(self.entry, values)?;
        // What is taken in place has the sizes of the call, and is whole.
        let is_in_place = |output: usize| {
            let open = |argument: &&Argument| argument.shape.contains(&DYNAMIC);
            arguments.iter().filter(open).any(|argument| argument.role == Role::Output(output))
        };
        let bytes = |(at, view): (&usize, &Rc<View>)| match valid_of(valid, *at) {
            Some(valid) if !is_in_place(*at) => machine.memory.valid_output(view, &valid),
            _ => machine.memory.output(view),
        };
        outputs.iter().map(bytes).collect()
    }

    /// The fault as a diagnostic, with the operation, its location and its text.
    fn diagnostic(&self, fault: &Fault) -> Diagnostic {
        let Some(op) = fault.place.and_then(|place| self.places.get(place)) else {
            return Diagnostic::new(fault.code).reason(&fault.reason);
        };
        let text = op.to_string();
        let line = text.lines().next().unwrap_or_default().trim();
        let shown: String = line.chars().take(160).collect();
        diagnostic_at(fault.code, *op).reason(&fault.reason).note(format!("at `{shown}`"))
    }
}

/// How many elements of each dimension of an output are valid, where that is less than all.
fn valid_of(valid: Option<&[Vec<u64>]>, output: usize) -> Option<Vec<i64>> {
    valid?.get(output).map(|sizes| sizes.iter().map(|size| *size as i64).collect())
}

fn check_inputs(signature: &Signature, inputs: &[Vec<u8>]) -> Result<(), Diagnostic> {
    let wanted = &signature.inputs;
    if inputs.len() != wanted.len() {
        let (count, given) = (wanted.len(), inputs.len());
        let plural = if count == 1 { "" } else { "s" };
        return Err(Diagnostic::new(codes::S1801)
            .reason(format!("the program takes {count} input{plural}, the call gives {given}")));
    }
    for (at, (bytes, spec)) in inputs.iter().zip(wanted).enumerate() {
        if bytes.len() as u64 != spec.byte_count() {
            return Err(Diagnostic::new(codes::S1802)
                .reason(format!("input {at} has {} bytes, {spec} does not", bytes.len())));
        }
    }
    Ok(())
}

/// The element type of the code for one of the signature: integers lose their sign.
fn signless(element: strata_ir::ElementType) -> Run<Elem> {
    use strata_ir::ElementType::{Signed, Unsigned};
    if let Signed(bits) | Unsigned(bits) = element {
        return Ok(Elem::Int(bits));
    }
    match strata_eval::ElementType::parse(&element.to_string()) {
        Some(strata_eval::ElementType::Bool) => Ok(Elem::Int(1)),
        Some(strata_eval::ElementType::Float(ty)) => Ok(Elem::Float(ty)),
        Some(strata_eval::ElementType::Complex(part)) => Ok(Elem::Complex(part)),
        _ => Err(Fault::internal(format!("no element is of {element}"))),
    }
}

/// The arguments of an entry on buffers: the inputs that are not donated, the outputs, the workspace.
fn arguments(entry: Op<'_>, signature: &Signature) -> Result<Option<Vec<Argument>>, Diagnostic> {
    let args = entry.body(0).args();
    let has_results = strata_ir::function_types(function_type(entry)?)
        .is_some_and(|(_, results)| !results.is_empty());
    if has_results || args.iter().any(|arg| arg.ty().is_tensor_type()) {
        return Ok(None);
    }
    if args.is_empty() && signature.outputs.is_empty() {
        return Ok(None);
    }
    let donated = |input: usize| signature.output_of_donated(input).is_some();
    let inputs = (0..signature.inputs.len()).filter(|input| !donated(*input)).map(Role::Input);
    let outputs = (0..signature.outputs.len()).map(Role::Output);
    let roles: Vec<_> = inputs.chain(outputs).collect();
    let lost = |reason: String| diagnostic_at(codes::S0009, entry).reason(reason);
    // The values of symbols are read only.
    let others: &[Role] = match entry.has_attr(DISPATCH) {
        true => &[Role::Workspace, Role::Constant],
        false => &[Role::Workspace],
    };
    if args.len() != roles.len() && args.len() != roles.len() + others.len() {
        return Err(lost(format!(
            "the entry has {} arguments where its signature wants {}",
            args.len(),
            roles.len() + others.len()
        )));
    }
    let roles = roles.into_iter().chain(others.iter().copied());
    let of = |(arg, role): (strata_ir::Value<'_>, Role)| {
        let refuse = |_: Unsupported| lost(format!("an argument is {}", arg.ty()));
        let view = ops::whole(arg.ty(), (0, 0)).map_err(refuse)?;
        Ok(Argument { role, elem: view.elem, shape: view.shape })
    };
    args.into_iter().zip(roles).map(of).collect::<Result<Vec<_>, _>>().map(Some)
}

fn function_type<'c>(function: Op<'c>) -> Result<strata_ir::Type<'c>, Diagnostic> {
    function.attr("function_type").and_then(|ty| ty.as_type()).ok_or_else(|| {
        diagnostic_at(codes::S9002, function)
            .reason(format!("`@{}` has no type", function_name(function)))
    })
}

fn globals(root: Op<'_>) -> Result<Vec<Global>, Diagnostic> {
    let all = root.body(0).ops().into_iter().filter(|op| op.is(memref::GLOBAL));
    all.map(|op| {
        let refuse = |reason: &str| diagnostic_at(codes::S1911, op).reason(reason);
        let ty = op.attr("type").and_then(|ty| ty.as_type()).ok_or_else(|| refuse("no type"))?;
        let content = op.attr("initial_value").and_then(|value| value.raw_elements());
        let data = content.ok_or_else(|| refuse("its elements are not stored in the program"))?;
        let elem = Elem::of(ty).ok_or_else(|| refuse("its elements are of no known type"))?;
        let shape = ty.shape().unwrap_or_default();
        Ok(Global { elem, shape, data, name: function_name(op).to_owned() })
    })
    .collect()
}
