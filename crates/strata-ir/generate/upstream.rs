//! Generates names, views and builders of the operations of MLIR's own dialects from their `.td` files: one Rust module per dialect.
//!
//! `vector.transfer_read` becomes the name `vector::TRANSFER_READ`, the view `vector::TransferRead` and the builder
//! `vector::transfer_read`.

use std::{collections::BTreeMap, error::Error, fmt::Write as _, path::Path, process};

use serde_json::Value;

use crate::{array, camel, def};

mod attributes;

use attributes::Kind;

/// The files below MLIR's include folder that define the operations of a dialect and of its extensions.
const FILES: &[(&str, &[&str])] = &[
    ("affine", &["Dialect/Affine/IR/AffineOps.td"]),
    ("arith", &["Dialect/Arith/IR/ArithOps.td"]),
    ("bufferization", &["Dialect/Bufferization/IR/BufferizationOps.td"]),
    ("builtin", &["IR/BuiltinOps.td"]),
    ("cf", &["Dialect/ControlFlow/IR/ControlFlowOps.td"]),
    ("complex", &["Dialect/Complex/IR/ComplexOps.td"]),
    ("func", &["Dialect/Func/IR/FuncOps.td"]),
    ("linalg", &["Dialect/Linalg/IR/LinalgOps.td", "Dialect/Linalg/IR/LinalgStructuredOps.td"]),
    ("llvm", &["Dialect/LLVMIR/LLVMOps.td", "Dialect/LLVMIR/LLVMIntrinsicOps.td"]),
    ("math", &["Dialect/Math/IR/MathOps.td"]),
    ("memref", &["Dialect/MemRef/IR/MemRefOps.td"]),
    ("scf", &["Dialect/SCF/IR/SCFOps.td"]),
    ("tensor", &["Dialect/Tensor/IR/TensorOps.td"]),
    (
        "transform",
        &[
            "Dialect/Transform/IR/TransformOps.td",
            "Dialect/Transform/DebugExtension/DebugExtensionOps.td",
            "Dialect/Transform/LoopExtension/LoopExtensionOps.td",
            "Dialect/Linalg/TransformOps/LinalgTransformOps.td",
            "Dialect/SCF/TransformOps/SCFTransformOps.td",
            "Dialect/Tensor/TransformOps/TensorTransformOps.td",
            "Dialect/Vector/TransformOps/VectorTransformOps.td",
        ],
    ),
    ("ub", &["Dialect/UB/IR/UBOps.td"]),
    ("vector", &["Dialect/Vector/IR/VectorOps.td"]),
];

/// Files of this repository that add operations to dialects of MLIR.
const OWN_FILES: &[(&str, &str)] = &[("transform", "dialects/capi/schedule.td")];

/// The enumerations that operations take or hold: dialect, record, its name in Rust, how it stands in an attribute.
const ENUMERATIONS: &[(&str, &str, &str, Storage)] = &[
    ("arith", "Arith_CmpFPredicateAttr", "CmpFPredicate", Storage::I64),
    ("arith", "Arith_CmpIPredicateAttr", "CmpIPredicate", Storage::I64),
    ("linalg", "IteratorType", "IteratorType", Storage::Attribute("linalg.iterator_type")),
    ("llvm", "FCmpPredicate", "FCmpPredicate", Storage::I64),
    ("llvm", "LinkageEnum", "Linkage", Storage::Attribute("llvm.linkage")),
    ("llvm", "ICmpPredicate", "ICmpPredicate", Storage::I64),
    ("vector", "CombiningKind", "CombiningKind", Storage::Attribute("vector.kind")),
    ("vector", "Vector_IteratorType", "IteratorType", Storage::Attribute("vector.iterator_type")),
];

/// How the value of an enumeration stands in an attribute.
#[derive(Clone, Copy)]
enum Storage {
    /// As an integer of 64 bits.
    I64,
    /// As an attribute of its own, with that name.
    Attribute(&'static str),
}

/// Runs `llvm-tblgen` on all files at once and renders the modules.
pub fn generate(prefix: &Path, root: &Path) -> Result<String, Box<dyn Error>> {
    let include = prefix.join("include");
    let upstream = FILES.iter().flat_map(|(dialect, files)| {
        files.iter().map(|file| (*dialect, include.join("mlir").join(file)))
    });
    let own = OWN_FILES.iter().map(|(dialect, file)| (*dialect, root.join(file)));
    let mut runs = Vec::new();
    for (dialect, file) in upstream.chain(own) {
        let mut command = process::Command::new(prefix.join("bin/llvm-tblgen"));
        command.arg("--dump-json").arg("-I").arg(&include).arg(&file);
        command.stdout(process::Stdio::piped()).stderr(process::Stdio::piped());
        let run = command.spawn()?;
        // Waiting in a thread: a run whose output is not read blocks when the pipe is full.
        runs.push((dialect, std::thread::spawn(move || run.wait_with_output())));
    }
    let mut dialects = BTreeMap::<&str, Dialect>::new();
    for (dialect, run) in runs {
        let output = run.join().map_err(|_| "llvm-tblgen was not waited for")??;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let json = serde_json::from_slice(&output.stdout)?;
        dialects.entry(dialect).or_default().add(dialect, &json)?;
    }
    let mut text = String::new();
    for (name, dialect) in dialects {
        text.push_str(&dialect.render(name)?);
    }
    Ok(text)
}

/// A module of the names of operations that Strata itself defines.
pub fn names(dialect: &str, mnemonics: &[String]) -> Result<String, Box<dyn Error>> {
    let mut text = format!(
        "/// The operations of dialect `{dialect}`.\npub mod {dialect} {{\n    use super::OpName;\n"
    );
    for mnemonic in mnemonics {
        writeln!(text, "{}", constant(dialect, mnemonic))?;
    }
    text.push_str("}\n");
    Ok(text)
}

fn constant(dialect: &str, mnemonic: &str) -> String {
    let name = mnemonic.replace(['.', '-'], "_").to_ascii_uppercase();
    format!(
        "    /// `{dialect}.{mnemonic}`.\n    \
         pub const {name}: OpName<'static> = OpName::of(\"{dialect}.{mnemonic}\");"
    )
}

#[derive(Default)]
struct Dialect {
    operations: BTreeMap<String, Operation>,
    enumerations: BTreeMap<&'static str, (Storage, Vec<Case>)>,
}

/// A case of an enumeration: what it is in Rust, its keyword, its number.
type Case = (String, String, i64);

struct Operation {
    summary: String,
    arguments: Vec<Argument>,
    results: Vec<(String, Arity)>,
    regions: Vec<(String, bool)>,
    successors: Vec<String>,
    /// Whether the sizes of operand groups are an attribute.
    is_sized: bool,
    /// Whether the result has the type of the operands.
    is_same_type: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Arity {
    One,
    Optional,
    Many,
}

enum Argument {
    Operand(String, Arity),
    Attribute { label: String, kind: Kind, is_required: bool },
}

impl Dialect {
    fn add(&mut self, dialect: &str, json: &Value) -> Result<(), Box<dyn Error>> {
        for name in array(&json["!instanceof"]["Op"]) {
            let record = &json[name.as_str().ok_or("record name")?];
            let owner = json[def(&record["opDialect"])]["name"].as_str().unwrap_or_default();
            let mnemonic = record["opName"].as_str().unwrap_or_default();
            if owner == dialect && !mnemonic.is_empty() {
                let operation = Operation::read(dialect, record, json);
                self.operations.insert(mnemonic.to_owned(), operation);
            }
        }
        for (owner, record, name, storage) in ENUMERATIONS {
            let values = array(&json[*record]["enumerants"]);
            if *owner == dialect && !values.is_empty() {
                let cases = values.iter().map(|one| {
                    let case = &json[def(one)];
                    let keyword = case["str"].as_str().unwrap_or_default();
                    let number = case["value"].as_i64().unwrap_or_default();
                    (case_name(keyword), keyword.to_owned(), number)
                });
                self.enumerations.insert(name, (*storage, cases.collect()));
            }
        }
        Ok(())
    }

    fn render(&self, dialect: &str) -> Result<String, Box<dyn Error>> {
        let mut text = format!(
            "/// Dialect `{dialect}` of MLIR.\n\
             #[allow(unused_imports, clippy::too_many_arguments, clippy::doc_markdown, clippy::doc_lazy_continuation, rustdoc::all)]\n\
             pub mod {dialect} {{\n    use super::prelude::*;\n"
        );
        for (mnemonic, operation) in &self.operations {
            writeln!(text, "{}", constant(dialect, mnemonic))?;
            operation.view(&mut text, mnemonic)?;
            operation.builder(&mut text, mnemonic)?;
        }
        for (name, (storage, cases)) in &self.enumerations {
            enumeration(&mut text, name, *storage, cases)?;
        }
        text.push_str("}\n");
        Ok(text)
    }
}

/// `oeq` as `Oeq`, `parallel` as `Parallel`, `_true` as `True`.
fn case_name(keyword: &str) -> String {
    camel(keyword.trim_start_matches('_'))
}

fn enumeration(
    text: &mut String,
    name: &str,
    storage: Storage,
    cases: &[Case],
) -> Result<(), Box<dyn Error>> {
    writeln!(text, "    /// Cases and their numbers are MLIR's.")?;
    writeln!(text, "    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]")?;
    writeln!(text, "    pub enum {name} {{")?;
    for (case, keyword, number) in cases {
        writeln!(text, "        /// `{keyword}`.\n        {case} = {number},")?;
    }
    writeln!(text, "    }}\n    impl {name} {{")?;
    writeln!(text, "        /// All cases.\n        pub const ALL: &'static [Self] = &[")?;
    cases.iter().try_for_each(|(case, ..)| write!(text, "Self::{case}, "))?;
    writeln!(text, "];\n        /// The case as it is written.")?;
    writeln!(text, "        pub fn keyword(self) -> &'static str {{\n            match self {{")?;
    for (case, keyword, _) in cases {
        writeln!(text, "                Self::{case} => {keyword:?},")?;
    }
    writeln!(text, "            }}\n        }}\n        /// The case with that number.")?;
    writeln!(text, "        pub fn from_number(number: i64) -> Option<Self> {{")?;
    writeln!(text, "            Some(match number {{")?;
    for (case, _, number) in cases {
        writeln!(text, "                {number} => Self::{case},")?;
    }
    writeln!(text, "                _ => return None,\n            }})\n        }}")?;
    let (read, write) = match storage {
        Storage::I64 => {
            ("attribute.as_i64()".to_owned(), "int(integer(context, 64), self as i64)".to_owned())
        }
        Storage::Attribute(attribute) => (
            format!("enumerated(attribute, {attribute:?})"),
            format!("new_enumerated(context, {attribute:?}, self as i64)"),
        ),
    };
    writeln!(
        text,
        "        /// The case in an attribute; `None` for other attributes.\n        \
         pub fn of(attribute: Attribute<'_>) -> Option<Self> {{ Self::from_number({read}?) }}\n        \
         /// The attribute.\n        \
         pub fn to_attribute(self, context: &Context) -> Attribute<'_> {{ {write} }}\n    }}"
    )?;
    Ok(())
}

impl Operation {
    fn read(dialect: &str, record: &Value, json: &Value) -> Self {
        let label = |entry: &Value, otherwise: &str| {
            entry[1].as_str().map_or_else(|| otherwise.to_owned(), str::to_owned)
        };
        let mut arguments = Vec::new();
        for (at, argument) in array(&record["arguments"]["args"]).iter().enumerate() {
            let label = label(argument, &format!("argument{at}"));
            let constraint = constraint(def(&argument[0]), json);
            let classes = classes(constraint);
            if classes.contains(&"TypeConstraint") {
                arguments.push(Argument::Operand(label, arity(&classes)));
            } else if classes.contains(&"AttrConstraint") {
                let kind = Kind::of(dialect, constraint, json);
                let is_optional =
                    ["OptionalAttr", "DefaultValuedAttr", "DefaultValuedOptionalAttr"];
                let is_required = !matches!(kind, Kind::Unit)
                    && !is_optional.iter().any(|class| classes.contains(class));
                arguments.push(Argument::Attribute { label, kind, is_required });
            } else {
                // A property without an attribute constraint: all that operations have of these have a default.
                arguments.push(Argument::Attribute { label, kind: Kind::Any, is_required: false });
            }
        }
        let results = array(&record["results"]["args"]).iter();
        let results = results.map(|result| {
            let constraint = constraint(def(&result[0]), json);
            (label(result, "result"), arity(&classes(constraint)))
        });
        let regions = array(&record["regions"]["args"]).iter().map(|region| {
            let is_many = classes(&json[def(&region[0])]).contains(&"VariadicRegion");
            (label(region, "region"), is_many)
        });
        let successors = array(&record["successors"]["args"]).iter();
        let summary = record["summary"].as_str().unwrap_or_default();
        let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            summary: summary.replace(['`', '[', ']', '<', '>'], ""),
            arguments,
            results: results.collect(),
            regions: regions.collect(),
            successors: successors.map(|successor| label(successor, "successor")).collect(),
            is_sized: has_trait(&record["traits"], json, "AttrSizedOperandSegments"),
            is_same_type: has_trait(&record["traits"], json, "SameOperandsAndResultType"),
        }
    }

    fn operands(&self) -> Vec<(&str, Arity)> {
        let operands = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Operand(label, arity) => Some((label.as_str(), *arity)),
            Argument::Attribute { .. } => None,
        });
        operands.collect()
    }

    /// Operand groups that callers give by name: those of operations that have several, which are often empty.
    fn is_named(&self, arity: Arity) -> bool {
        match arity {
            Arity::One => false,
            Arity::Optional => true,
            Arity::Many => {
                self.operands().iter().filter(|(_, arity)| *arity != Arity::One).count() > 1
            }
        }
    }

    fn view(&self, text: &mut String, mnemonic: &str) -> Result<(), Box<dyn Error>> {
        let view = camel(&mnemonic.replace('.', "_"));
        let name = mnemonic.replace('.', "_").to_ascii_uppercase();
        let summary = if self.summary.is_empty() { mnemonic } else { &self.summary };
        writeln!(text, "    /// {summary}.\n    #[derive(Clone, Copy, Debug)]")?;
        writeln!(text, "    pub struct {view}<'c>(Op<'c>);")?;
        writeln!(text, "    impl<'c> OpView<'c> for {view}<'c> {{")?;
        writeln!(text, "        const NAME: OpName<'static> = {name};")?;
        writeln!(text, "        fn wrap(op: Op<'c>) -> Self {{ Self(op) }}")?;
        writeln!(text, "        fn op(self) -> Op<'c> {{ self.0 }}\n    }}")?;
        writeln!(text, "    impl<'c> {view}<'c> {{")?;
        let operands = self.operands();
        let many = operands.iter().filter(|(_, arity)| *arity != Arity::One).count();
        for (at, (label, arity)) in operands.iter().enumerate() {
            let earlier = operands[..at].iter().filter(|(_, arity)| *arity != Arity::One).count();
            let group = match (earlier, many) {
                (0, 0) => format!("self.0.operand({at})"),
                (0, _) if *arity == Arity::One => format!("self.0.operand({at})"),
                (_, 1) => {
                    format!("self.0.operand(self.0.operand_count() - {})", operands.len() - at)
                }
                _ => format!("segment(self.0, {at})[0]"),
            };
            let list = match many {
                1 => format!(
                    "self.0.operands()[{at}..self.0.operand_count() - {}].to_vec()",
                    operands.len() - at - 1
                ),
                _ if self.is_sized => format!("segment(self.0, {at})"),
                _ => format!("equal_segment(self.0, {at}, {})", operands.len()),
            };
            let function = keyword(&snake(label));
            match arity {
                Arity::One => writeln!(
                    text,
                    "        /// Operand `{label}`.\n        #[inline]\n        \
                     pub fn {function}(self) -> Value<'c> {{ {group} }}"
                )?,
                Arity::Optional => writeln!(
                    text,
                    "        /// Operand `{label}`, where it is given.\n        #[inline]\n        \
                     pub fn {function}(self) -> Option<Value<'c>> {{ {list}.first().copied() }}"
                )?,
                Arity::Many => writeln!(
                    text,
                    "        /// Operands `{label}`.\n        #[inline]\n        \
                     pub fn {function}(self) -> Vec<Value<'c>> {{ {list} }}"
                )?,
            }
        }
        for argument in &self.arguments {
            if let Argument::Attribute { label, kind, .. } = argument {
                let (ty, read) = kind.reader();
                let read = read.replace("$", &format!("self.0.attr({label:?})"));
                writeln!(
                    text,
                    "        /// Attribute `{label}`.\n        #[inline]\n        \
                     pub fn {}(self) -> {ty} {{ {read} }}",
                    keyword(&snake(label))
                )?;
            }
        }
        for (at, (label, is_many)) in self.regions.iter().enumerate() {
            if !is_many {
                writeln!(
                    text,
                    "        /// Region `{label}`.\n        #[inline]\n        \
                     pub fn {}(self) -> Region<'c> {{ self.0.region({at}) }}",
                    snake(label)
                )?;
            }
        }
        writeln!(text, "    }}")?;
        Ok(())
    }

    fn builder(&self, text: &mut String, mnemonic: &str) -> Result<(), Box<dyn Error>> {
        let flat = mnemonic.replace('.', "_");
        let view = camel(&flat);
        let name = flat.to_ascii_uppercase();
        let mut parameters = String::new();
        let mut body = String::new();
        let mut setters = String::new();
        let mut group = 0;
        for argument in &self.arguments {
            match argument {
                Argument::Operand(label, arity) => {
                    let parameter = safe(&snake(label));
                    let (ty, add) = match arity {
                        Arity::One => ("Value<'c>", format!(".group(&[{parameter}])")),
                        _ => ("&[Value<'c>]", format!(".group({parameter})")),
                    };
                    if self.is_named(*arity) {
                        body.push_str(".group(&[])");
                        writeln!(
                            setters,
                            "        /// Operands `{label}`; none where this is not called.\n        #[inline]\n        \
                             pub fn {parameter}(self, values: &[Value<'c>]) -> Self {{ self.filled({group}, values) }}"
                        )?;
                    } else {
                        write!(parameters, ", {parameter}: {ty}")?;
                        body.push_str(&add);
                    }
                    group += 1;
                }
                Argument::Attribute { label, kind, is_required } => {
                    let parameter = safe(&snake(label));
                    let (ty, value) = kind.writer();
                    let value = value.replace("$", &parameter);
                    if *is_required {
                        write!(parameters, ", {parameter}: {ty}")?;
                        write!(
                            body,
                            ".attr({label:?}, {})",
                            value.replace("CONTEXT", "builder.context")
                        )?;
                    } else if matches!(kind, Kind::Unit) {
                        writeln!(
                            setters,
                            "        /// Sets attribute `{label}`.\n        #[inline]\n        \
                             pub fn {parameter}(self) -> Self {{ let value = unit(self.context()); self.attr({label:?}, value) }}"
                        )?;
                    } else {
                        writeln!(
                            setters,
                            "        /// Attribute `{label}`.\n        #[inline]\n        \
                             pub fn {parameter}(self, {parameter}: {ty}) -> Self {{ \
                             let value = {}; self.attr({label:?}, value) }}",
                            value.replace("CONTEXT", "self.context()")
                        )?;
                    }
                }
            }
        }
        let operands = self.operands();
        let first = operands.first().filter(|(_, arity)| *arity == Arity::One);
        let first = first.map(|(label, _)| safe(&snake(label)));
        match first {
            Some(operand) if self.is_same_type && self.results.len() == 1 => {
                write!(body, ".result({operand}.ty())")?;
            }
            _ => {
                for (label, arity) in &self.results {
                    let parameter = match self.results.len() {
                        1 if *arity == Arity::Many => "types".to_owned(),
                        1 => "ty".to_owned(),
                        _ => format!("{}_type", snake(label)),
                    };
                    if *arity == Arity::One {
                        write!(parameters, ", {parameter}: Type<'c>")?;
                        write!(body, ".result({parameter})")?;
                    } else {
                        write!(parameters, ", {parameter}: &[Type<'c>]")?;
                        write!(body, ".results({parameter})")?;
                    }
                }
            }
        }
        for label in &self.successors {
            let parameter = safe(&snake(label));
            write!(parameters, ", {parameter}: Block<'c>")?;
            write!(body, ".successor({parameter})")?;
        }
        for (label, is_many) in &self.regions {
            let parameter = safe(&snake(label));
            if *is_many {
                write!(parameters, ", {parameter}: Vec<RegionBuilder>")?;
                write!(body, ".regions({parameter})")?;
            } else {
                write!(parameters, ", {parameter}: RegionBuilder")?;
                write!(body, ".region({parameter})")?;
            }
        }
        let sized = if self.is_sized { ".sized()" } else { "" };
        let function = safe(&flat);
        writeln!(
            text,
            "    /// Builds [`{view}`].\n    #[inline]\n    \
             pub fn {function}<'c>(builder: &Builder<'c>{parameters}) -> New<'c, {view}<'c>> {{\n        \
             New::of(builder, {name}){body}{sized}\n    }}"
        )?;
        if !setters.is_empty() {
            writeln!(text, "    impl<'c> New<'c, {view}<'c>> {{\n{setters}    }}")?;
        }
        Ok(())
    }
}

/// The constraint on an argument, out of `Arg<constraint, …>` and `Res<constraint, …>`.
fn constraint<'j>(name: &str, json: &'j Value) -> &'j Value {
    let record = &json[name];
    if classes(record).contains(&"OpVariable") {
        return constraint(def(&record["constraint"]), json);
    }
    record
}

fn classes(record: &Value) -> Vec<&str> {
    array(&record["!superclasses"]).iter().filter_map(Value::as_str).collect()
}

fn arity(classes: &[&str]) -> Arity {
    if classes.contains(&"Optional") {
        Arity::Optional
    } else if classes.contains(&"Variadic") || classes.contains(&"VariadicOfVariadic") {
        Arity::Many
    } else {
        Arity::One
    }
}

fn has_trait(traits: &Value, json: &Value, name: &str) -> bool {
    array(traits).iter().any(|entry| {
        let record = &json[def(entry)];
        record["trait"].as_str() == Some(name) || has_trait(&record["traits"], json, name)
    })
}

/// `lowerBoundMap` as `lower_bound_map`.
fn snake(label: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in label.chars().enumerate() {
        if letter.is_ascii_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// A name that is not a keyword.
fn keyword(name: &str) -> String {
    const KEYWORDS: &[&str] = &[
        "box", "break", "const", "continue", "final", "for", "if", "in", "loop", "match", "mod",
        "move", "op", "ref", "return", "static", "true", "false", "try", "type", "while", "yield",
    ];
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// A name that is neither a keyword nor that of a builder's own methods and parameter.
fn safe(name: &str) -> String {
    match name {
        "attr" | "attrs" | "build" | "builder" | "value" => format!("{name}_"),
        _ => keyword(name),
    }
}
