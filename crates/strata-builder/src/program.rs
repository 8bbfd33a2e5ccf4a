//! Outputs of a program: text, an artifact, an object, a function in this process.

use strata::{Artifact, Compiler, Options, Signature, Target, TensorSpec, target};
use strata_diag::{Diagnostic, codes};
use strata_eval::{Evaluator, Session, shape::valid_parts};
use strata_ir as ir;
use strata_run::{Linked, Loaded};
use strata_vhlo::Version;

use crate::{
    computation::Computation,
    error::{Error, Result, Site},
    literal::Literal,
    shape::{ArrayShape, Shape},
};

impl Computation {
    /// The program as MLIR text in StableHLO.
    ///
    /// # Errors
    /// Undefined symbols.
    pub fn to_text(&self) -> Result<String> {
        Ok(ir::print(&self.module()?, false))
    }

    /// As [`Self::to_text`], with the lines of Rust that built it.
    ///
    /// # Errors
    /// As [`Self::to_text`].
    pub fn to_text_with_locations(&self) -> Result<String> {
        Ok(ir::print(&self.module()?, true))
    }

    /// The program as a portable artifact of StableHLO `version`, such as `1.10.0`.
    ///
    /// # Errors
    /// `S1012` for a version that is not supported, `S1013` for what that version cannot express.
    pub fn to_artifact(&self, version: &str) -> Result<Vec<u8>> {
        let version: Version = version.parse().map_err(|_| {
            Diagnostic::new(codes::S1012)
                .reason(format!("`{version}` is not a version"))
                .hint(format!("versions look like {}", Version::NEWEST))
        })?;
        let module = self.module()?;
        Ok(strata_vhlo::write(self.shared().get(), &module, version)?)
    }

    /// The program as an object, or in the form of an earlier stage.
    ///
    /// # Errors
    /// The compiler's errors, at the lines of Rust that built the program.
    pub fn compile(&self, options: Options) -> Result<Artifact> {
        self.compile_with(Compiler::new(options))
    }

    /// As [`Self::compile`], with a given compiler.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_with(&self, compiler: Compiler<'_>) -> Result<Artifact> {
        Ok(compiler.compile_module(self.shared().get(), self.module()?)?)
    }

    /// The program as a function of this process, compiled for the machine that it runs on.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn load(&self) -> Result<Function> {
        self.load_with(Options::new(native()?), &Linked::default())
    }

    /// As [`Self::load`], with given options and external functions: `linked` must outlive the calls.
    ///
    /// # Errors
    /// As [`Self::compile`], and for functions that `linked` lacks.
    pub fn load_with(&self, options: Options, linked: &Linked) -> Result<Function> {
        let artifact = self.compile(options.clone())?;
        let signature = artifact
            .signature()
            .cloned()
            .ok_or_else(|| Diagnostic::new(codes::S9002).reason("the object has no signature"))?;
        let loaded = Loaded::linked(artifact.bytes(), &options, &signature, linked)?;
        Ok(Function { loaded, signature })
    }

    /// The results by the reference evaluator, which is slow and shares no code with the compiler: the leaves of the
    /// result from left to right.
    ///
    /// # Errors
    /// `S1801` to `S1803` for arguments that do not fit, `S1911` for operations that cannot be evaluated.
    #[track_caller]
    pub fn evaluate(&self, arguments: &[Literal]) -> Result<Vec<Literal>> {
        let site = Site::new("Evaluate");
        self.evaluated(arguments).map_err(|error| error.or_called_from(site))
    }

    fn evaluated(&self, arguments: &[Literal]) -> Result<Vec<Literal>> {
        let mut parameters = Vec::new();
        self.parameters().iter().for_each(|(_, shape)| shape.leaves(&mut parameters));
        let arrays = parameters.into_iter().filter_map(Shape::as_array);
        for (at, (argument, takes)) in arguments.iter().zip(arrays).enumerate() {
            check(at, argument, takes)?;
        }
        let module = self.module()?;
        let inputs: Vec<_> = arguments.iter().map(Literal::tensor).collect::<Result<_>>()?;
        let results = Evaluator::new(&module)?.run(None, &inputs, &Session::new(0))?;
        let mut leaves = Vec::new();
        self.result().leaves(&mut leaves);
        let arrays = leaves.into_iter().filter_map(Shape::as_array);
        Ok(arrays
            .zip(&results)
            .map(|(shape, one)| Literal::of_tensor(one, shape.element))
            .collect())
    }
}

/// The machine that this process runs on.
///
/// # Errors
/// Where LLVM does not know it.
pub fn native() -> Result<Target> {
    Ok(target::resolve(Some(&target::host_triple()), Some("native"), None)?)
}

/// A compiled program in this process. It may be called from several threads at once.
#[derive(Debug)]
pub struct Function {
    loaded: Loaded,
    signature: Signature,
}

impl Function {
    /// Calls the program: takes the leaves of the parameters and returns those of the result, from left to right.
    ///
    /// # Errors
    /// `S1801` to `S1803` for arguments that do not fit, `S1805` if the program returns a nonzero status.
    #[track_caller]
    pub fn call(&self, arguments: &[Literal]) -> Result<Vec<Literal>> {
        let site = Site::new("Call");
        self.called(arguments).map_err(|error| error.or_called_from(site))
    }

    fn called(&self, arguments: &[Literal]) -> Result<Vec<Literal>> {
        let inputs = &self.signature.inputs;
        if inputs.len() != arguments.len() {
            let arrays = if inputs.len() == 1 { "array" } else { "arrays" };
            let (wanted, given) = (inputs.len(), arguments.len());
            let reason = format!("the program takes {wanted} {arrays}, the call gives {given}");
            return Err(Diagnostic::new(codes::S1801).reason(reason).into());
        }
        for (at, (argument, spec)) in arguments.iter().zip(inputs).enumerate() {
            let sizes: Vec<i64> = spec.shape.iter().map(|size| *size as i64).collect();
            check(at, argument, &ArrayShape::new(spec.element, sizes))?;
        }
        let inputs: Vec<Vec<u8>> = arguments.iter().map(|one| one.bytes().to_vec()).collect();
        let (status, outputs) = self.loaded.call(&inputs)?;
        if status != 0 {
            let reason = format!("the entry returned {status}");
            return Err(Diagnostic::new(codes::S1805).reason(reason).into());
        }
        let specs = self.signature.outputs.iter();
        let all = specs.zip(outputs).map(|(spec, bytes)| literal(spec, bytes));
        let all = all.collect::<Result<Vec<_>>>()?;
        if self.signature.shapes.is_empty() {
            return Ok(all);
        }
        // Of outputs whose size depends on values only the valid part is a result.
        let tensors = all.iter().map(Literal::tensor).collect::<Result<_>>()?;
        let valid = valid_parts(tensors, &self.signature.shapes);
        Ok(valid
            .iter()
            .zip(&all)
            .map(|(one, of)| Literal::of_tensor(one, of.element_type()))
            .collect())
    }

    /// The program's signature.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
}

fn literal(spec: &TensorSpec, bytes: Vec<u8>) -> Result<Literal> {
    let sizes: std::result::Result<Vec<usize>, _> =
        spec.shape.iter().map(|size| usize::try_from(*size)).collect();
    let sizes = sizes
        .map_err(|error| Error::from(Diagnostic::new(codes::S9001).reason(error.to_string())))?;
    Literal::from_bytes(spec.element, &sizes, bytes)
}

fn check(at: usize, argument: &Literal, takes: &ArrayShape) -> Result<()> {
    let refuse = |code| {
        let reason =
            format!("argument {at} is {}, the program takes {takes}", argument.array_shape());
        Err(Diagnostic::new(code).reason(reason).into())
    };
    if argument.element_type() != takes.element {
        return refuse(codes::S1803);
    }
    let sizes = argument.dimensions().iter().map(|size| *size as i64);
    if takes.is_static() && !sizes.eq(takes.dimensions.iter().copied()) {
        return refuse(codes::S1802);
    }
    Ok(())
}
