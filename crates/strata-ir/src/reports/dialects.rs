//! Dialects of programs that should have been StableHLO, with hints for exporting it.

const JAX: &str =
    "`jax.jit(f).lower(x).as_text()` and `jax.export` lower JAX's functions to StableHLO";

/// Dialect, what to do.
const HINTS: &[(&[&str], &str)] = &[
    (&["mhlo", "lmhlo", "xla_hlo"], "`mhlo` is XLA's own dialect, export the program in StableHLO"),
    (&["lax", "jnp", "jax", "np", "numpy", "onp"], JAX),
    (
        &["torch", "torch_c", "aten", "prim", "torchvision"],
        "torchax's `exported_program_to_stablehlo` lowers the result of `torch.export` to StableHLO",
    ),
    (
        &["tf", "tfl", "tf_executor", "tf_device", "tf_saved_model", "tfrt"],
        "`experimental_get_compiler_ir(x)(stage=\"stablehlo_serialized\")` of a compiled `tf.function` gives StableHLO",
    ),
    (&["onnx", "krnl"], "export the model as StableHLO from the framework that it comes from"),
    (
        &["tosa"],
        "TOSA is another input language: export the program as StableHLO from its framework",
    ),
    (
        &["ttir", "tt", "triton", "mosaic", "pallas", "iree", "flow", "hal", "stream", "util"],
        "this is another compiler's intermediate form: use the StableHLO that it was compiled from",
    ),
    (
        &[
            "linalg",
            "tensor",
            "arith",
            "math",
            "scf",
            "affine",
            "memref",
            "vector",
            "bufferization",
            "complex",
            "shape",
            "cf",
            "llvm",
        ],
        "programs consist of StableHLO; `strata compile` and `strata eval` take the dump of a stage with `--from STAGE`",
    ),
];

/// The hint for a program that uses that dialect.
pub fn dialect_hint(dialect: &str) -> Option<&'static str> {
    HINTS.iter().find(|(names, _)| names.contains(&dialect)).map(|(_, hint)| *hint)
}

/// Whether an operation of that dialect and one of StableHLO of the same name are equivalent.
pub(super) fn has_names_of_stablehlo(dialect: &str) -> bool {
    ["mhlo", "xla_hlo", "lax", "jnp", "np", "jax", "numpy"].contains(&dialect)
}
