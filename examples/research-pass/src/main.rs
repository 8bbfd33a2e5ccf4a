//! `strata` with two passes more: `--after hlo=divide-by-sqrt`, `--after linalg=rational-tanh`.

use std::process::ExitCode;

mod divide_by_sqrt;
mod rational_tanh;

fn main() -> ExitCode {
    strata::register_pass(divide_by_sqrt::NAME, divide_by_sqrt::run);
    strata::register_pass(rational_tanh::NAME, rational_tanh::run);
    strata_cli::run()
}
