//! The attributes of operations: what they are to a caller in Rust, told from the constraints of the `.td` files.

use serde_json::Value;

use super::{ENUMERATIONS, classes};
use crate::def;

/// What an attribute is to a caller in Rust.
#[derive(Clone)]
pub enum Kind {
    AffineMap,
    AffineMaps,
    Any,
    Array,
    Bool,
    Bools,
    DenseBools,
    Enumeration(&'static str),
    Enumerations(&'static str),
    FastMath,
    I32s,
    I64s,
    Index,
    Int(u32),
    Str,
    Symbol,
    Type,
    Unit,
}

impl Kind {
    pub fn of(dialect: &str, constraint: &Value, json: &Value) -> Self {
        let mut record = constraint;
        while record["baseAttr"]["def"].is_string() {
            record = &json[def(&record["baseAttr"])];
        }
        let name = record["!name"].as_str().unwrap_or_default();
        let classes = classes(record);
        let text = |field: &str| record[field].as_str().unwrap_or_default().trim();
        let element = &json[def(&record["elementAttr"])];
        let of_enumeration = |record: &Value| {
            let values = def(&record["enum"]);
            let own = record["!name"].as_str().unwrap_or_default();
            let mut all = ENUMERATIONS.iter().filter(|(owner, ..)| *owner == dialect);
            all.find(|(_, def, ..)| *def == values || *def == own).map(|(_, _, name, _)| *name)
        };
        if let Some(name) = of_enumeration(record) {
            return Self::Enumeration(name);
        }
        if let Some(name) = of_enumeration(element) {
            return Self::Enumerations(name);
        }
        let width = match def(&record["valueType"]) {
            "I64" => Some(64),
            "I32" => Some(32),
            _ => None,
        };
        match name {
            "BoolArrayAttr" => return Self::Bools,
            "AffineMapArrayAttr" => return Self::AffineMaps,
            "IndexAttr" => return Self::Index,
            "UnitAttr" => return Self::Unit,
            _ => {}
        }
        match text("storageType") {
            "::mlir::AffineMapAttr" => Self::AffineMap,
            "::mlir::ArrayAttr" => Self::Array,
            "::mlir::BoolAttr" => Self::Bool,
            "::mlir::DenseBoolArrayAttr" => Self::DenseBools,
            "::mlir::DenseI32ArrayAttr" => Self::I32s,
            "::mlir::DenseI64ArrayAttr" => Self::I64s,
            "::mlir::FlatSymbolRefAttr" => Self::Symbol,
            "::mlir::StringAttr" => Self::Str,
            "::mlir::TypeAttr" => Self::Type,
            "::mlir::UnitAttr" => Self::Unit,
            "::mlir::arith::FastMathFlagsAttr" => Self::FastMath,
            "::mlir::IntegerAttr" if !classes.contains(&"EnumInfo") => {
                width.map_or(Self::Any, Self::Int)
            }
            _ => Self::Any,
        }
    }

    /// What a builder takes, and the attribute that it becomes; `$` is the argument.
    pub fn writer(&self) -> (String, &'static str) {
        let (ty, value) = match self {
            Self::AffineMap => ("&AffineMap", "$.to_attribute(CONTEXT)"),
            Self::AffineMaps => ("&[AffineMap]", "AffineMap::list(CONTEXT, $)"),
            Self::Any => ("Attribute<'c>", "$"),
            Self::Array => ("&[Attribute<'c>]", "array(CONTEXT, $)"),
            Self::Bool => ("bool", "boolean(CONTEXT, $)"),
            Self::Bools => ("&[bool]", "booleans(CONTEXT, $)"),
            Self::DenseBools => ("&[bool]", "bools(CONTEXT, $)"),
            Self::Enumeration(name) => (*name, "$.to_attribute(CONTEXT)"),
            Self::Enumerations(name) => {
                let list = "array(CONTEXT, &$.iter().map(|one| one.to_attribute(CONTEXT)).collect::<Vec<_>>())";
                return (format!("&[{name}]"), list);
            }
            Self::FastMath => ("FastMath", "$.to_attribute(CONTEXT)"),
            Self::I32s => ("&[i32]", "i32s(CONTEXT, $)"),
            Self::I64s => ("&[i64]", "i64s(CONTEXT, $)"),
            Self::Index => ("i64", "int(index(CONTEXT), $)"),
            Self::Int(64) => ("i64", "int(integer(CONTEXT, 64), $)"),
            Self::Int(_) => ("i64", "int(integer(CONTEXT, 32), $)"),
            Self::Str => ("&str", "string(CONTEXT, $)"),
            Self::Symbol => ("&str", "symbol(CONTEXT, $)"),
            Self::Type => ("Type<'c>", "type_attr($)"),
            Self::Unit => ("bool", "unit(CONTEXT)"),
        };
        (ty.to_owned(), value)
    }

    /// What a view gives, and how it is read; `$` is the attribute, where it is given.
    pub fn reader(&self) -> (String, &'static str) {
        let (ty, read) = match self {
            Self::AffineMap => ("AffineMap", "$.and_then(AffineMap::of)"),
            Self::AffineMaps => {
                ("Vec<AffineMap>", "$?.as_array()?.into_iter().map(AffineMap::of).collect()")
            }
            Self::Any => ("Attribute<'c>", "$"),
            Self::Array => ("Vec<Attribute<'c>>", "$?.as_array()"),
            Self::Bool => ("bool", "$?.as_bool()"),
            Self::Bools => {
                ("Vec<bool>", "$?.as_array()?.into_iter().map(|one| one.as_bool()).collect()")
            }
            Self::DenseBools => {
                ("Vec<bool>", "Some($?.as_i64s()?.into_iter().map(|one| one != 0).collect())")
            }
            Self::Enumeration(name) => {
                return (
                    format!("Option<{name}>"),
                    match *name {
                        "CmpFPredicate" => "$.and_then(CmpFPredicate::of)",
                        "CmpIPredicate" => "$.and_then(CmpIPredicate::of)",
                        "FCmpPredicate" => "$.and_then(FCmpPredicate::of)",
                        "ICmpPredicate" => "$.and_then(ICmpPredicate::of)",
                        "CombiningKind" => "$.and_then(CombiningKind::of)",
                        _ => "$.and_then(IteratorType::of)",
                    },
                );
            }
            Self::Enumerations(name) => {
                return (
                    format!("Option<Vec<{name}>>"),
                    "$?.as_array()?.into_iter().map(IteratorType::of).collect()",
                );
            }
            Self::FastMath => ("FastMath", "$.and_then(FastMath::of)"),
            Self::I32s | Self::I64s => ("Vec<i64>", "$?.as_i64s()"),
            Self::Index | Self::Int(_) => ("i64", "$?.as_i64()"),
            Self::Str => ("&'c str", "$?.as_str()"),
            Self::Symbol => ("&'c str", "$?.as_symbol()"),
            Self::Type => ("Type<'c>", "$?.as_type()"),
            Self::Unit => return ("bool".to_owned(), "$.is_some()"),
        };
        (format!("Option<{ty}>"), read)
    }
}
