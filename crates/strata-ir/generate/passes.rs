//! Generates the names of MLIR's passes from their `.td` files.

use std::{collections::BTreeSet, error::Error, fmt::Write as _, path::Path};

use crate::{array, records};

/// The files below MLIR's include folder that define passes of the dialects that Strata uses.
const FILES: &[&str] = &[
    "Conversion",
    "Dialect/Affine/Transforms",
    "Dialect/Arith/Transforms",
    "Dialect/Bufferization/Transforms",
    "Dialect/Func/Transforms",
    "Dialect/LLVMIR/Transforms",
    "Dialect/Linalg",
    "Dialect/Math/Transforms",
    "Dialect/MemRef/Transforms",
    "Dialect/Quant/Transforms",
    "Dialect/SCF/Transforms",
    "Dialect/Shape/Transforms",
    "Dialect/Tensor/Transforms",
    "Dialect/Transform/Transforms",
    "Dialect/Vector/Transforms",
    "Transforms",
];

/// A constant with the names as pipelines have them, in order.
pub fn generate(prefix: &Path, root: &Path) -> Result<String, Box<dyn Error>> {
    let mut names = BTreeSet::new();
    for folder in FILES {
        let file = prefix.join("include/mlir").join(folder).join("Passes.td");
        let json = records(prefix, root, &file)?;
        for pass in array(&json["!instanceof"]["PassBase"]) {
            let argument = json[pass.as_str().ok_or("record name")?]["argument"].as_str();
            names.extend(argument.filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    let mut text = String::from("const UPSTREAM: &[&str] = &[\n");
    for name in names {
        writeln!(text, "    {name:?},")?;
    }
    text.push_str("];\n");
    Ok(text)
}
