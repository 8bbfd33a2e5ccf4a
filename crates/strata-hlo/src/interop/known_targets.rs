//! Targets of custom calls that are not functions to link, but operations of XLA's for several devices or for another platform.
//!
//! A call of any other name is one of a function that the user links. These would be undefined symbols.

use strata_diag::{Code, Diagnostic, codes};
use strata_ir::{Op, diagnostic_at};

/// What a target belongs to: how its name begins, the code, what it is, the hint.
struct Family {
    names: &'static [&'static str],
    beginnings: &'static [&'static str],
    code: Code,
    what: &'static str,
    hint: &'static str,
}

const FOR_CPU: &str = "export for the CPU: `jax.export.export(jax.jit(f), platforms=[\"cpu\"])`, or `JAX_PLATFORMS=cpu`";

const FAMILIES: &[Family] = &[
    Family {
        names: &["mhlo.ragged_all_to_all", "CrossReplicaSum"],
        beginnings: &["xla.sdy.", "_SPMD"],
        code: codes::S1103,
        what: "exchanges values between devices",
        hint: "export the program for one device, without collectives",
    },
    Family {
        names: &["MoveToHost", "MoveToDevice", "PinToDevice", "PinToDeviceSram", "PinToHost"],
        beginnings: &[],
        code: codes::S1202,
        what: "moves a value between the memories of a device and its host",
        hint: "export the program without memory kinds (`jax.device_put` to `pinned_host`, offloading)",
    },
    Family {
        names: &[
            "tpu_custom_call",
            "ApproxTopK",
            "PartialReduce",
            "LuDecomposition",
            "Qr",
            "Eigh",
            "InspectSharding",
        ],
        beginnings: &["xla_tpu_", "ProductOfElementaryHouseholder", "X64Combine", "X64Split"],
        code: codes::S1202,
        what: "is a kernel for TPUs",
        hint: FOR_CPU,
    },
    Family {
        names: &[
            "triton_kernel_call",
            "triton_kernel_call_ffi",
            "cu_threefry2x32",
            "cu_threefry2x32_ffi",
            "cu_cholesky_update_ffi",
            "cu_lu_pivots_to_permutation",
            "hip_threefry2x32",
            "hip_threefry2x32_ffi",
            "hip_cholesky_update_ffi",
            "hip_lu_pivots_to_permutation",
        ],
        beginnings: &[
            "__cublas$",
            "__cudnn$",
            "__gpu$",
            "__op$",
            "__triton",
            "cublas_",
            "cudnn",
            "cufft",
            "cusolver_",
            "cusparse_",
            "hipblas_",
            "hipsolver_",
            "hipsparse_",
            "miopen",
            "rocm_",
            "mosaic_gpu",
            "xla.gpu.",
        ],
        code: codes::S1202,
        what: "is a kernel for GPUs",
        hint: FOR_CPU,
    },
    Family {
        names: &["tf.call_tf_function"],
        beginnings: &["tf."],
        code: codes::S1202,
        what: "calls a function of TensorFlow",
        hint: "write what `jax2tf.call_tf` calls in JAX",
    },
    Family {
        names: &["TopK", "SliceToDynamic", "PadToStatic"],
        beginnings: &["__onednn$", "stablehlo.", "mhlo.", "chlo."],
        code: codes::S1202,
        what: "is an operation of XLA's own, in a form that is not known",
        hint: "export the program as StableHLO before XLA's own passes run",
    },
];

/// The error for a call of one of these.
pub(super) fn refused(op: Op<'_>, target: &str) -> Option<Diagnostic> {
    let is_of = |family: &&Family| {
        family.names.contains(&target)
            || family.beginnings.iter().any(|start| target.starts_with(start))
    };
    let family = FAMILIES.iter().find(is_of)?;
    let error = diagnostic_at(family.code, op);
    Some(error.reason(format!("`{target}` {}", family.what)).hint(family.hint))
}
