//! Square f32 matmuls against the machine's FMA peak, measured in the same run.

use std::fs;
use std::process::Command;

use crate::{Result, root, run, strata};

const SIZES: [usize; 5] = [64, 128, 256, 512, 1024];

/// `C = A · B` with the given side.
fn matmul(n: usize) -> String {
    let t = format!("tensor<{n}x{n}xf32>");
    format!(
        "func.func public @main(%a: {t}, %b: {t}) -> {t} {{\n  \
           %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}\n  \
           return %c : {t}\n}}\n"
    )
}

/// Compiles, links with the timing harness, runs and prints one line per size.
pub fn time_all() -> Result<()> {
    let strata = strata()?;
    let native = root().join("benches/native");
    let folder = tempfile::tempdir()?;
    println!(
        "{:>12} {:>10} {:>9} {:>9} {:>8} {:>10} {:>8}",
        "program", "ms", "GFLOP/s", "peak", "of peak", "sustained", "of it"
    );
    for n in SIZES {
        let source = folder.path().join(format!("matmul_{n}.mlir"));
        let object = source.with_extension("o");
        let executable = source.with_extension("exe");
        fs::write(&source, matmul(n))?;
        run(Command::new(&strata).arg("compile").arg(&source).arg("-o").arg(&object).args([
            "--name",
            "program",
            "--target-cpu",
            "native",
        ]))?;
        let bytes = n * n * size_of::<f32>();
        run(Command::new("cc")
            .args([
                "-O2",
                &format!("-DINPUT_BYTES={bytes},{bytes}"),
                &format!("-DOUTPUT_BYTES={bytes}"),
            ])
            .args([native.join("harness.c"), native.join("peak.c"), object])
            .args(["-lm", "-o"])
            .arg(&executable))?;
        let output = String::from_utf8(run(&mut Command::new(&executable))?.stdout)?;
        let mut numbers = output.split_whitespace().map(str::parse::<f64>);
        let mut next = || numbers.next().and_then(|one| one.ok());
        let (Some(seconds), Some(peak), Some(sustained)) = (next(), next(), next()) else {
            return Err(format!("the harness printed {output:?}").into());
        };
        let gflops = 2.0 * (n as f64).powi(3) / seconds * 1e-9;
        println!(
            "{:>12} {:>10.4} {gflops:>9.1} {peak:>9.1} {:>7.1}% {sustained:>10.1} {:>7.1}%",
            format!("matmul_{n}"),
            seconds * 1e3,
            100.0 * gflops / peak,
            100.0 * gflops / sustained
        );
    }
    Ok(())
}
