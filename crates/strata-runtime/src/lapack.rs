//! The calls that JAX makes on CPUs: `lapack_<type><routine>_ffi`, and `tridiagonal_solve_perturbed_ffi` for every type.
//!
//! Every target takes matrices in column-major order with any number of leading batch dimensions, as JAX lays them out.
//! Outputs are as LAPACK documents for the routine, with JAX's additions: outputs that share a buffer with an input
//! start as its copy; `info` is 0, positive where the factorisation broke down, negative for bad values. The program
//! itself fills results with NaN.

mod arguments;
mod eigen;
mod factor;
mod householder;
mod perturbed;
mod real_schur;
mod reduce;
mod scalar;
mod schur;
mod singular;
mod small;
mod solve;

use num_complex::Complex;
use strata_abi::{Call, Target};

use arguments::Arguments;

/// Why a call cannot be made.
#[derive(Debug)]
struct BadCall;

type Outcome<T = ()> = Result<T, BadCall>;

/// Runs a target; nothing unwinds into C.
fn guarded(call: *const Call, target: fn(&Arguments<'_>) -> Outcome) -> i32 {
    // SAFETY: the caller passes a valid call, which lives until the target returns.
    let Some(call) = (unsafe { call.as_ref() }) else { return crate::BAD_CALL };
    let run = || target(&Arguments::new(call));
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok(())) => 0,
        Ok(Err(BadCall)) => crate::BAD_CALL,
        Err(_) => crate::FAILED,
    }
}

macro_rules! targets {
    ($($name:ident = $family:ident::$function:ident $(, $ty:ty)?;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.\n\n# Safety\nA call as `docs/abi.md` says.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(call: *const Call) -> i32 {
                guarded(call, $family::$function$(::<$ty>)?)
            }
        )*

        /// All targets by name, sorted.
        pub const TARGETS: &[(&str, Target)] = &[$((stringify!($name), $name)),*];
    };
}

targets! {
    lapack_cgees_ffi = schur::decompose, Complex<f32>;
    lapack_cgeev_ffi = eigen::general, Complex<f32>;
    lapack_cgehrd_ffi = reduce::hessenberg, Complex<f32>;
    lapack_cgeqp3_ffi = householder::pivoted, Complex<f32>;
    lapack_cgeqrf_ffi = householder::factor, Complex<f32>;
    lapack_cgesdd_ffi = singular::values, Complex<f32>;
    lapack_cgesvd_ffi = singular::values, Complex<f32>;
    lapack_cgetrf_ffi = factor::lu, Complex<f32>;
    lapack_cgtsv_ffi = solve::tridiagonal, Complex<f32>;
    lapack_cheevd_ffi = eigen::hermitian, Complex<f32>;
    lapack_chetrd_ffi = reduce::tridiagonal, Complex<f32>;
    lapack_cpotrf_ffi = factor::cholesky, Complex<f32>;
    lapack_ctrsm_ffi = solve::triangular, Complex<f32>;
    lapack_cungqr_ffi = householder::form, Complex<f32>;
    lapack_cunmqr_ffi = householder::apply, Complex<f32>;
    lapack_dgees_ffi = real_schur::decompose, f64;
    lapack_dgeev_ffi = eigen::general, f64;
    lapack_dgehrd_ffi = reduce::hessenberg, f64;
    lapack_dgeqp3_ffi = householder::pivoted, f64;
    lapack_dgeqrf_ffi = householder::factor, f64;
    lapack_dgesdd_ffi = singular::values, f64;
    lapack_dgesvd_ffi = singular::values, f64;
    lapack_dgetrf_ffi = factor::lu, f64;
    lapack_dgtsv_ffi = solve::tridiagonal, f64;
    lapack_dorgqr_ffi = householder::form, f64;
    lapack_dormqr_ffi = householder::apply, f64;
    lapack_dpotrf_ffi = factor::cholesky, f64;
    lapack_dsyevd_ffi = eigen::hermitian, f64;
    lapack_dsytrd_ffi = reduce::tridiagonal, f64;
    lapack_dtrsm_ffi = solve::triangular, f64;
    lapack_sgees_ffi = real_schur::decompose, f32;
    lapack_sgeev_ffi = eigen::general, f32;
    lapack_sgehrd_ffi = reduce::hessenberg, f32;
    lapack_sgeqp3_ffi = householder::pivoted, f32;
    lapack_sgeqrf_ffi = householder::factor, f32;
    lapack_sgesdd_ffi = singular::values, f32;
    lapack_sgesvd_ffi = singular::values, f32;
    lapack_sgetrf_ffi = factor::lu, f32;
    lapack_sgtsv_ffi = solve::tridiagonal, f32;
    lapack_sorgqr_ffi = householder::form, f32;
    lapack_sormqr_ffi = householder::apply, f32;
    lapack_spotrf_ffi = factor::cholesky, f32;
    lapack_ssyevd_ffi = eigen::hermitian, f32;
    lapack_ssytrd_ffi = reduce::tridiagonal, f32;
    lapack_strsm_ffi = solve::triangular, f32;
    lapack_zgees_ffi = schur::decompose, Complex<f64>;
    lapack_zgeev_ffi = eigen::general, Complex<f64>;
    lapack_zgehrd_ffi = reduce::hessenberg, Complex<f64>;
    lapack_zgeqp3_ffi = householder::pivoted, Complex<f64>;
    lapack_zgeqrf_ffi = householder::factor, Complex<f64>;
    lapack_zgesdd_ffi = singular::values, Complex<f64>;
    lapack_zgesvd_ffi = singular::values, Complex<f64>;
    lapack_zgetrf_ffi = factor::lu, Complex<f64>;
    lapack_zgtsv_ffi = solve::tridiagonal, Complex<f64>;
    lapack_zheevd_ffi = eigen::hermitian, Complex<f64>;
    lapack_zhetrd_ffi = reduce::tridiagonal, Complex<f64>;
    lapack_zpotrf_ffi = factor::cholesky, Complex<f64>;
    lapack_ztrsm_ffi = solve::triangular, Complex<f64>;
    lapack_zungqr_ffi = householder::form, Complex<f64>;
    lapack_zunmqr_ffi = householder::apply, Complex<f64>;
    tridiagonal_solve_perturbed_ffi = perturbed::solve;
}
