//! Long formulas keep their order in code.
//!
//! Copies of a formula alternate, operation by operation (`interleave.rs` of stage `vector`), so that none waits for the result before.
//! With 16 registers several copies do not fit, and LLVM's scheduler, which then looks at registers only, puts one copy after
//! the other: each is a chain of multiply-adds. `llvm.fake.use` becomes nothing in code, and instructions are not scheduled across it.
//!
//! ```text
//! %8 = fma(%4, %0, c2); %9 = fma(%5, %1, c2); %10 = fma(%6, %2, c2); %11 = fma(%7, %3, c2)
//! fake.use(%11)
//! %12 = fma(%8, %0, c1); …
//! ```

use inkwell::{
    attributes::AttributeLoc,
    basic_block::BasicBlock,
    intrinsics::Intrinsic,
    module::Module as LlvmModule,
    values::{
        AnyValue as _, BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue,
        InstructionOpcode, InstructionValue, Operand,
    },
};
use strata_diag::Diagnostic;
use strata_options::{OptLevel, Options};
use strata_target::{
    Isa,
    tuning::order::{KEPT, MIN_ADDED, PER_ADDED},
};

use crate::{
    llvmir::defined,
    machine::{Session, bug},
};

/// Keeps the order of the formulas in `module`, whose code is generated next.
///
/// # Errors
/// `S9003` if LLVM refuses the calls.
pub(crate) fn keep(
    session: &Session,
    module: &LlvmModule<'_>,
    options: &Options,
) -> Result<(), Diagnostic> {
    if options.opt_level == OptLevel::None || !matches!(options.target.isa, Isa::Sse2 | Isa::Avx2) {
        return Ok(());
    }
    let functions = defined(module).into_iter().filter(|function| !has_more_registers(*function));
    let blocks: Vec<_> = functions.flat_map(|function| function.get_basic_block_iter()).collect();
    let places: Vec<_> = blocks.into_iter().flat_map(places).collect();
    if places.is_empty() {
        return Ok(());
    }
    let failed = |reason: &str| bug("LLVM refuses to keep the order of instructions", reason);
    let fake_use = Intrinsic::find("llvm.fake.use");
    let fake_use = fake_use.and_then(|intrinsic| intrinsic.get_declaration(module, &[]));
    let fake_use = fake_use.ok_or_else(|| failed("it has no `llvm.fake.use`"))?;
    let builder = session.context().create_builder();
    for (before, used) in places {
        builder.position_before(&before);
        let call = builder.build_call(fake_use, &[used], "");
        call.map_err(|error| failed(&error.to_string()))?;
    }
    Ok(())
}

/// Whether a function is for a processor with AVX-512, in an object for several.
fn has_more_registers(function: FunctionValue<'_>) -> bool {
    let features = function.get_string_attribute(AttributeLoc::Function, "target-features");
    features.is_some_and(|all| all.get_string_value().to_string_lossy().contains("+avx512f"))
}

/// Where a block is not reordered across, and a value that was computed there; none where it is not a formula.
fn places<'l>(block: BasicBlock<'l>) -> Vec<(InstructionValue<'l>, BasicMetadataValueEnum<'l>)> {
    let (mut added, mut results) = (0, Vec::new());
    for instruction in block.get_instructions() {
        match Role::of(instruction) {
            // Sums that a loop carries are not of a formula.
            Role::Carried => return Vec::new(),
            Role::Other => {}
            Role::Arithmetic { adds_constant } => {
                added += usize::from(adds_constant);
                results.push(instruction);
            }
        }
    }
    if added < MIN_ADDED || results.len() > PER_ADDED * added {
        return Vec::new();
    }
    let kept = results.chunks_exact(KEPT).filter_map(|group| {
        let last = *group.last()?;
        let used = BasicValueEnum::try_from(last.as_any_value_enum()).ok()?;
        Some((last.get_next_instruction()?, used.into()))
    });
    kept.collect()
}

/// What an instruction is to a formula.
enum Role {
    /// Arithmetic of vectors of floats; whether it adds a constant, as each step of a polynomial does.
    Arithmetic {
        adds_constant: bool,
    },
    /// A vector that a loop carries.
    Carried,
    Other,
}

impl Role {
    fn of(instruction: InstructionValue<'_>) -> Self {
        use InstructionOpcode as Code;
        if !instruction.get_type().is_vector_type() {
            return Self::Other;
        }
        let is_constant = |at: u32| match instruction.get_operand(at) {
            Some(Operand::Value(value)) => {
                value.is_vector_value() && value.into_vector_value().is_const()
            }
            _ => false,
        };
        let adds_constant = match instruction.get_opcode() {
            Code::Phi => return Self::Carried,
            Code::FAdd | Code::FSub => is_constant(0) || is_constant(1),
            Code::FMul | Code::FDiv => false,
            Code::Call if is_multiply_add(instruction) => is_constant(2),
            _ => return Self::Other,
        };
        Self::Arithmetic { adds_constant }
    }
}

/// Whether a call is of `llvm.fma`.
fn is_multiply_add(call: InstructionValue<'_>) -> bool {
    let callee = CallSiteValue::try_from(call).ok().and_then(CallSiteValue::get_called_fn_value);
    callee.is_some_and(|callee| callee.get_name().to_bytes().starts_with(b"llvm.fma."))
}

#[cfg(test)]
mod tests {
    use strata_options::Options;
    use strata_target::tuning::order::MIN_ADDED;

    use super::keep;
    use crate::{llvmir, machine::Session, target};

    /// A function of four polynomials of degree `degree`, whose steps alternate.
    fn formula(degree: usize) -> String {
        let mut text = "define void @f(ptr %p) {\n".to_owned();
        for copy in 0..4 {
            text += &format!(
                "%x{copy} = load <8 x float>, ptr %p, align 4\n%s{copy}_0 = fneg <8 x float> %x{copy}\n"
            );
        }
        for step in 1..=degree {
            for copy in 0..4 {
                let before = step - 1;
                text += &format!(
                    "%s{copy}_{step} = call <8 x float> @llvm.fma.v8f32(<8 x float> %s{copy}_{before}, \
                     <8 x float> %x{copy}, <8 x float> splat (float {step}.0))\n"
                );
            }
        }
        for copy in 0..4 {
            text += &format!("store <8 x float> %s{copy}_{degree}, ptr %p, align 4\n");
        }
        text + "ret void\n}\ndeclare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)\n"
    }

    /// How many groups keep their order.
    fn kept(text: &str, cpu: &str) -> usize {
        let resolved = target::resolve(Some("x86_64-unknown-linux-gnu"), Some(cpu), None);
        let options = Options::new(resolved.expect("a target"));
        let ir = llvmir::parse("f.ll", text.as_bytes(), &options).expect("valid IR");
        let session = Session::new();
        let module = ir.load(session.context()).expect("bitcode");
        keep(&session, &module, &options).expect("kept");
        module.verify().expect("valid IR");
        module.print_to_string().to_string().matches("call void (...) @llvm.fake.use").count()
    }

    #[test]
    fn long_formulas_keep_their_order_where_registers_are_few() {
        let degree = MIN_ADDED / 4;
        assert_eq!(kept(&formula(degree), "x86-64-v3"), 2);
        assert_eq!(kept(&formula(degree), "x86-64-v4"), 0);
        assert_eq!(kept(&formula(degree - 1), "x86-64-v3"), 0);
        let products = formula(degree).replace("splat (float ", "%x0) ; (float ");
        assert_eq!(kept(&products, "x86-64-v3"), 0);
    }
}
