//! How compile time grows with the size of a program: chains of pointwise operations, programs of mixed
//! ones whose layers are equal, and such whose layers all differ, in three sizes each. The issue of linear
//! growth shows in the last column.

use std::fmt::Write as _;

use crate::{Result, stages::time_stages, strata};

/// Times chains of up to 10 000 and mixed programs of up to 2 000 operations.
pub fn time_all() -> Result<()> {
    let strata = strata()?;
    let folder = tempfile::tempdir()?;
    for (name, program, sizes) in [
        ("chain", chain as fn(usize) -> String, [2500, 5000, 10_000]),
        ("mixed", mixed, [500, 1000, 2000]),
        ("varied", varied, [500, 1000, 2000]),
    ] {
        let mut columns = Vec::new();
        for size in sizes {
            let file = folder.path().join(format!("{name}_{size}.mlir"));
            std::fs::write(&file, program(size))?;
            columns.push(time_stages(&strata, &file, 1)?);
        }
        println!(
            "{name}: milliseconds for {sizes:?} operations, and the growth of the last doubling"
        );
        for (index, (stage, small)) in columns[0].iter().enumerate() {
            let (middle, large) = (columns[1][index].1, columns[2][index].1);
            let growth = large / middle;
            println!("  {stage:<12} {small:>10.1} {middle:>10.1} {large:>10.1}  x{growth:.2}");
        }
    }
    Ok(())
}

/// `x = f(x)` so many times, on a vector that fits no register.
fn chain(size: usize) -> String {
    let mut text =
        String::from("func.func public @main(%x0: tensor<64xf32>) -> tensor<64xf32> {\n");
    for index in 0..size {
        let next = index + 1;
        let line = match index % 4 {
            0 => format!("%x{next} = stablehlo.add %x{index}, %x0 : tensor<64xf32>"),
            1 => format!("%x{next} = stablehlo.multiply %x{index}, %x0 : tensor<64xf32>"),
            2 => format!("%x{next} = stablehlo.negate %x{index} : tensor<64xf32>"),
            _ => format!("%x{next} = stablehlo.maximum %x{index}, %x0 : tensor<64xf32>"),
        };
        writeln!(text, "  {line}").unwrap_or_default();
    }
    writeln!(text, "  return %x{size} : tensor<64xf32>\n}}").unwrap_or_default();
    text
}

/// Layers of ten operations: a product, a bias, a reduction, a softmax's half, movements.
fn mixed(size: usize) -> String {
    let mut text = String::from(
        "func.func public @main(%x0: tensor<8x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16xf32>) \
         -> tensor<8x16xf32> {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n",
    );
    let layers = size / 10;
    for layer in 0..layers {
        let next = layer + 1;
        let m = "tensor<8x16xf32>";
        let t = "tensor<16x8xf32>";
        let v = "tensor<8xf32>";
        writeln!(
            text,
            "  %p{layer} = stablehlo.dot_general %x{layer}, %w, contracting_dims = [1] x [0] : ({m}, tensor<16x16xf32>) -> {m}\n  \
             %b{layer} = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> {m}\n  \
             %a{layer} = stablehlo.add %p{layer}, %b{layer} : {m}\n  \
             %r{layer} = stablehlo.reduce(%a{layer} init: %z) applies stablehlo.maximum across dimensions = [1] : ({m}, tensor<f32>) -> {v}\n  \
             %c{layer} = stablehlo.broadcast_in_dim %r{layer}, dims = [0] : ({v}) -> {m}\n  \
             %s{layer} = stablehlo.subtract %a{layer}, %c{layer} : {m}\n  \
             %e{layer} = stablehlo.tanh %s{layer} : {m}\n  \
             %t{layer} = stablehlo.transpose %e{layer}, dims = [1, 0] : ({m}) -> {t}\n  \
             %u{layer} = stablehlo.reverse %t{layer}, dims = [0] : {t}\n  \
             %x{next} = stablehlo.transpose %u{layer}, dims = [1, 0] : ({t}) -> {m}"
        )
        .unwrap_or_default();
    }
    writeln!(text, "  return %x{layers} : tensor<8x16xf32>\n}}").unwrap_or_default();
    text
}

/// Layers of ten operations as in [`mixed`], each with a different extent: no two share a kernel.
fn varied(size: usize) -> String {
    let m = "tensor<8x16xf32>";
    let mut text = format!(
        "func.func public @main(%x0: {m}) -> {m} {{\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    );
    let layers = size / 10;
    for layer in 0..layers {
        let next = layer + 1;
        // The work of a layer does not grow with the program's length.
        let extent = 3 + layer % 41;
        let height = 8 + layer / 41;
        let w = format!("tensor<{height}x{extent}xf32>");
        let t = format!("tensor<{extent}x{height}xf32>");
        writeln!(
            text,
            "  %w{layer} = stablehlo.iota dim = 0 : tensor<16x{extent}xf32>\n  \
             %h{layer} = stablehlo.iota dim = 1 : tensor<{height}x8xf32>\n  \
             %p{layer} = stablehlo.dot_general %x{layer}, %w{layer}, contracting_dims = [1] x [0] : ({m}, tensor<16x{extent}xf32>) -> tensor<8x{extent}xf32>\n  \
             %q{layer} = stablehlo.dot_general %h{layer}, %p{layer}, contracting_dims = [1] x [0] : (tensor<{height}x8xf32>, tensor<8x{extent}xf32>) -> {w}\n  \
             %e{layer} = stablehlo.tanh %q{layer} : {w}\n  \
             %r{layer} = stablehlo.reduce(%e{layer} init: %z) applies stablehlo.maximum across dimensions = [1] : ({w}, tensor<f32>) -> tensor<{height}xf32>\n  \
             %c{layer} = stablehlo.broadcast_in_dim %r{layer}, dims = [0] : (tensor<{height}xf32>) -> {w}\n  \
             %s{layer} = stablehlo.subtract %e{layer}, %c{layer} : {w}\n  \
             %t{layer} = stablehlo.transpose %s{layer}, dims = [1, 0] : ({w}) -> {t}\n  \
             %x{next} = stablehlo.pad %t{layer}, %z, low = [0, 0], high = [{}, {}], interior = [0, 0] : ({t}, tensor<f32>) -> {m}",
            8 - extent as i64,
            16 - height as i64
        )
        .unwrap_or_default();
    }
    writeln!(text, "  return %x{layers} : {m}\n}}").unwrap_or_default();
    text
}
