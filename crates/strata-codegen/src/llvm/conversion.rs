//! MLIR's passes from vectors and control flow to the LLVM dialect.

use std::collections::BTreeSet;

use melior::{Context, ir::Module};
use strata_diag::Diagnostic;
use strata_ir::{
    Op, PassFor, Type, TypeExt as _, WalkOrder, arith, memref, module_op, run_passes_for,
    run_pipeline, scf, vector,
};
use strata_options::Options;

/// Down to operations on numbers and vectors of types that LLVM computes with. In both lists the order of passes follows
/// from what the next one needs.
const SCALARS: &[PassFor] = &[
    // The passes below have no pattern for affine and forall loops, and none for remaining tensor operations.
    ("lower-affine", &["affine"]),
    ("scf-forall-to-for", &["scf"]),
    // Before vectors become LLVM's: multi-dimensional transfers become loops over one-dimensional ones.
    ("func.func(convert-vector-to-scf{full-unroll=true target-rank=1})", &[]),
    ("lower-affine", &["affine"]),
    // No supported machine computes in bf16; conversions are integer operations.
    ("func.func(arith-emulate-unsupported-floats{source-types=bf16 target-type=f32})", &[]),
];

/// Conversion to the LLVM dialect.
const PASSES: &[PassFor] = &[
    // Division that rounds up or down is made of operations that LLVM has.
    ("arith-expand{include-bf16=true}", &["arith"]),
    // Views and casts of memrefs become a pointer, an offset and strides.
    ("expand-strided-metadata", &[]),
    ("lower-affine", &["affine"]),
    ("convert-complex-to-standard", &["complex"]),
    ("convert-scf-to-cf", &["scf"]),
    // Intrinsics first: the rest becomes calls of libm, element by element.
    ("convert-math-to-llvm", &["math"]),
    ("convert-math-to-libm", &["math"]),
    (VECTORS, &[]),
    ("convert-complex-to-llvm", &["complex"]),
    ("convert-index-to-llvm", &["index"]),
    ("convert-arith-to-llvm", &["arith"]),
    ("convert-ub-to-llvm", &["ub"]),
    ("finalize-memref-to-llvm", &["memref"]),
    // Shapes are static, so that a pointer says all of a memref.
    ("convert-func-to-llvm{use-bare-ptr-memref-call-conv=true}", &[]),
    ("convert-cf-to-llvm", &["cf"]),
    ("reconcile-unrealized-casts", &[]),
    (CLEAN, &[]),
    ("cse", &[]),
];

const VECTORS: &str =
    "convert-vector-to-llvm{reassociate-fp-reductions=true force-32bit-vector-indices=false}";
const CLEAN: &str = "strata-canonicalize{programs=llvm}";

/// Runs [`SCALARS`], or of a program that a client waits for those of them that find anything.
pub(super) fn to_scalars<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    if options.in_process && Found::in_module(module).are_plain_vectors() {
        return Ok(());
    }
    run_passes_for(context, module, SCALARS)
}

/// Runs [`PASSES`]. A program that a client waits for has the conversions of most dialects in one pass, and no passes that find nothing.
pub(super) fn to_llvm<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    if !options.in_process {
        return run_passes_for(context, module, PASSES);
    }
    let found = Found::in_module(module);
    if found.has("affine") || found.has("complex") || found.has_halves || !found.is_plain {
        return run_passes_for(context, module, PASSES);
    }
    let mut passes = Vec::new();
    if found.has("scf") {
        passes.push("convert-scf-to-cf");
    }
    if found.has("math") {
        passes.extend(["convert-math-to-llvm", "convert-math-to-libm"]);
    }
    // Functions of the library are called element by element.
    if found.has("vector") || found.has("math") {
        passes.push(VECTORS);
    }
    passes.extend(["strata-to-llvm", "reconcile-unrealized-casts", CLEAN, "cse"]);
    run_pipeline(context, module, &format!("builtin.module({})", passes.join(",")))
}

/// What a module has.
struct Found<'c> {
    dialects: BTreeSet<&'c str>,
    /// Whether arithmetic and buffers need no expansion first.
    is_plain: bool,
    /// Whether there are transfers of vectors, or loops, over several dimensions perhaps.
    has_transfers: bool,
    /// Whether it computes with floats of 16 bits.
    has_halves: bool,
}

impl<'c> Found<'c> {
    fn in_module(module: &Module<'c>) -> Self {
        let mut found = Self {
            dialects: BTreeSet::new(),
            is_plain: true,
            has_transfers: false,
            has_halves: false,
        };
        let mut last = "";
        module_op(module).walk(WalkOrder::Pre, &mut |op| {
            let dialect = op.dialect();
            if dialect != last {
                found.dialects.insert(dialect);
                last = dialect;
            }
            found.see(op, dialect);
        });
        found
    }

    fn see(&mut self, op: Op<'c>, dialect: &str) {
        match dialect {
            "arith" | "math" => {
                self.is_plain &= dialect == "math" || is_plain_arithmetic(op);
                let types = op.operands().into_iter().chain(op.results()).map(|value| value.ty());
                let is_half = |ty: Type<'_>| {
                    let ty = ty.element();
                    ty.bit_width() == Some(16) && ty.is_float_type()
                };
                self.has_halves |= types.into_iter().any(is_half);
            }
            "scf" => self.has_transfers |= op.is(scf::FORALL),
            "memref" => {
                self.is_plain &= matches!(
                    op.name(),
                    memref::LOAD
                        | memref::STORE
                        | memref::GET_GLOBAL
                        | memref::GLOBAL
                        | memref::VIEW
                );
            }
            "vector" => {
                self.has_transfers |=
                    matches!(op.name(), vector::TRANSFER_READ | vector::TRANSFER_WRITE);
            }
            _ => {}
        }
    }

    fn has(&self, dialect: &str) -> bool {
        self.dialects.contains(dialect)
    }

    /// Whether the passes of [`SCALARS`] would find nothing.
    fn are_plain_vectors(&self) -> bool {
        !self.has("affine") && !self.has_transfers && !self.has_halves
    }
}

/// Whether `arith-expand` leaves an operation as it is, on other types than `bf16`.
fn is_plain_arithmetic(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        arith::CONSTANT
            | arith::ADDF
            | arith::SUBF
            | arith::MULF
            | arith::DIVF
            | arith::NEGF
            | arith::REMF
            | arith::CMPF
            | arith::ADDI
            | arith::SUBI
            | arith::MULI
            | arith::DIVSI
            | arith::DIVUI
            | arith::REMSI
            | arith::REMUI
            | arith::ANDI
            | arith::ORI
            | arith::XORI
            | arith::SHLI
            | arith::SHRSI
            | arith::SHRUI
            | arith::CMPI
            | arith::SELECT
            | arith::EXTSI
            | arith::EXTUI
            | arith::TRUNCI
            | arith::EXTF
            | arith::TRUNCF
            | arith::INDEX_CAST
            | arith::INDEX_CASTUI
            | arith::SITOFP
            | arith::UITOFP
            | arith::FPTOSI
            | arith::FPTOUI
            | arith::BITCAST
    )
}
