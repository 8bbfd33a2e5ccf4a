//! Runs the compiled MLP on the bundled inputs and prints its classes next to JAX's.
//!
//! ```text
//! cargo build --release -p strata-cli
//! STRATA=$PWD/target/release/strata cargo run --manifest-path examples/rust/Cargo.toml
//! ```

use std::ffi::c_void;

const BATCH: usize = 4;
const PIXELS: usize = 784;
const CLASSES: usize = 10;

unsafe extern "C" {
    fn mlp_main(
        inputs: *const *const c_void,
        outputs: *const *mut c_void,
        workspace: *mut c_void,
        executor: *const c_void,
    ) -> i32;
    fn mlp_main_workspace_size() -> usize;
}

/// A cache line: what the workspace must be aligned to.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The scores of each row.
fn mlp(x: &[[f32; PIXELS]; BATCH]) -> Result<[[f32; CLASSES]; BATCH], i32> {
    // SAFETY: the function takes no arguments and reads nothing.
    let size = unsafe { mlp_main_workspace_size() };
    let mut workspace = vec![Line([0; 64]); size.div_ceil(64)];
    let mut scores = [[0.0; CLASSES]; BATCH];
    let inputs = [(&raw const *x).cast()];
    let outputs = [(&raw mut scores).cast()];
    // SAFETY: one input and one output of the sizes that the program was compiled for, a workspace
    // of the size and alignment that it asks for, and no executor.
    let status = unsafe {
        mlp_main(inputs.as_ptr(), outputs.as_ptr(), workspace.as_mut_ptr().cast(), std::ptr::null())
    };
    if status == 0 { Ok(scores) } else { Err(status) }
}

/// The values of a C-ordered f32 `.npy` file (format version 1).
fn read_npy<const ROWS: usize, const COLUMNS: usize>(name: &str) -> [[f32; COLUMNS]; ROWS] {
    let path = format!("{}/../models/mlp/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values: Vec<f32> = bytes[start..]
        .chunks_exact(4)
        .map(|chunk| f32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]))
        .collect();
    std::array::from_fn(|row| std::array::from_fn(|column| values[row * COLUMNS + column]))
}

fn largest(scores: &[f32; CLASSES]) -> usize {
    (1..CLASSES).fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
}

fn main() {
    let scores = match mlp(&read_npy::<BATCH, PIXELS>("input0.npy")) {
        Ok(scores) => scores,
        Err(status) => {
            eprintln!("mlp_main returned {status}");
            std::process::exit(1);
        }
    };
    let jax = read_npy::<BATCH, CLASSES>("output0.npy");
    for (row, (ours, jax)) in scores.iter().zip(&jax).enumerate() {
        println!("row {row}: Strata {}, JAX {}", largest(ours), largest(jax));
    }
}
