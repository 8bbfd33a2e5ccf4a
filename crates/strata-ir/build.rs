//! Builds the C++ dialect library and generates `OpKind` and the typed views from the `.td` files.

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

#[path = "llvm_prefix.rs"]
mod llvm_prefix;
#[path = "generate/passes.rs"]
mod passes;
#[path = "generate/upstream.rs"]
mod upstream;

/// Dialect, record file below `dialects/`, prefix of the variants of `OpKind`.
const DIALECTS: &[(&str, &str, &str)] = &[
    ("stablehlo", "stablehlo/ops.td", ""),
    ("chlo", "chlo/ops.td", "Chlo"),
    ("check", "check/ops.td", "Check"),
    ("interpreter", "interpreter/ops.td", "Interpreter"),
    ("sdy", "sdy/ops.td", "Sdy"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let root = manifest.join("../..");
    let prefix = llvm_prefix::llvm_prefix()?;
    println!("cargo:rerun-if-changed=llvm_prefix.rs");
    println!("cargo:rerun-if-changed=generate");
    println!("cargo:rerun-if-env-changed=STRATA_DIALECTS_BUILD");
    println!("cargo:rerun-if-changed={}", root.join("dialects").display());
    println!("cargo:rerun-if-changed={}", root.join("CMakeLists.txt").display());

    let library = match env::var_os("STRATA_DIALECTS_BUILD") {
        Some(build) => {
            let library = PathBuf::from(build).join("lib");
            // Files that this script writes are newer than its start: watching them would build everything twice.
            let archive = library.join("libstrata-dialects.a");
            println!("cargo:rerun-if-changed={}", archive.display());
            library
        }
        None => build_dialects(&root, &prefix).join("lib"),
    };
    println!("cargo:rustc-link-search=native={}", library.display());
    println!("cargo:rustc-link-lib=static:-bundle=strata-dialects");

    let mut kinds = Kinds::default();
    let mut modules = upstream::generate(&prefix, &root)?;
    for (dialect, file, prefix_name) in DIALECTS {
        let file = root.join("dialects").join(file);
        if file.exists() {
            let records = records(&prefix, &root, &file)?;
            kinds.add(dialect, prefix_name, &records)?;
            kinds.add_enumerations(&records);
            modules.push_str(&upstream::names(dialect, &kinds.mnemonics(dialect))?);
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("kinds.rs"), kinds.render())?;
    let vhlo = records(&prefix, &root, &root.join("dialects/vhlo/ops.td"))?;
    // Those of which only the names are needed.
    for dialect in ["mhlo", "narrow"] {
        let mut others = Kinds::default();
        let file = root.join("dialects").join(dialect).join("ops.td");
        others.add(dialect, "", &records(&prefix, &root, &file)?)?;
        modules.push_str(&upstream::names(dialect, &others.mnemonics(dialect))?);
    }
    let (table, mnemonics) = vhlo_ops(&vhlo)?;
    modules.push_str(&upstream::names("vhlo", &mnemonics)?);
    fs::write(out.join("vhlo.rs"), table)?;
    fs::write(out.join("upstream.rs"), modules)?;
    fs::write(out.join("passes.rs"), passes::generate(&prefix, &root)?)?;
    Ok(())
}

fn build_dialects(root: &Path, prefix: &Path) -> PathBuf {
    let cmake_dir = prefix.join("lib/cmake");
    cmake::Config::new(root)
        .generator("Ninja")
        .profile("Release")
        .define("CMAKE_CXX_COMPILER", prefix.join("bin/clang++"))
        .define("CMAKE_C_COMPILER", prefix.join("bin/clang"))
        .define("LLVM_DIR", cmake_dir.join("llvm"))
        .define("MLIR_DIR", cmake_dir.join("mlir"))
        .build_target("strata-dialects")
        .build()
        .join("build")
}

/// All TableGen records of `file`, as `llvm-tblgen --dump-json` prints them.
fn records(prefix: &Path, root: &Path, file: &Path) -> Result<Value, Box<dyn Error>> {
    let output = Command::new(prefix.join("bin/llvm-tblgen"))
        .arg("--dump-json")
        .arg("-I")
        .arg(prefix.join("include"))
        .arg("-I")
        .arg(root.join("dialects"))
        .arg("-I")
        .arg(root)
        .arg(file)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

#[derive(Default)]
struct Kinds {
    /// What the attribute is, how it is spelt, its keywords.
    enumerations: BTreeSet<(String, String, Vec<String>)>,
    variants: Vec<(String, String)>,
    definitions: String,
    views: String,
}

impl Kinds {
    fn mnemonics(&self, dialect: &str) -> Vec<String> {
        let names = self.variants.iter().filter_map(|(_, name)| name.split_once('.'));
        names.filter(|(own, _)| *own == dialect).map(|(_, name)| name.to_owned()).collect()
    }

    fn add(&mut self, dialect: &str, prefix: &str, json: &Value) -> Result<(), Box<dyn Error>> {
        let mut ops: Vec<(String, &Value)> = Vec::new();
        for name in array(&json["!instanceof"]["Op"]) {
            let record = &json[name.as_str().ok_or("record name")?];
            let owner = json[def(&record["opDialect"])]["name"].as_str().unwrap_or_default();
            if owner == dialect {
                let mnemonic = record["opName"].as_str().ok_or("opName")?;
                ops.push((mnemonic.to_owned(), record));
            }
        }
        ops.sort_by(|left, right| left.0.cmp(&right.0));
        for (mnemonic, record) in ops {
            let variant = format!("{prefix}{}", camel(&mnemonic));
            self.view(&variant, &format!("{dialect}.{mnemonic}"), record, json)?;
            self.definition(&variant, record, json)?;
            self.variants.push((variant, format!("{dialect}.{mnemonic}")));
        }
        Ok(())
    }

    /// Attributes with a keyword out of a list.
    fn add_enumerations(&mut self, json: &Value) {
        for name in array(&json["!instanceof"]["EnumAttr"]) {
            let record = &json[name.as_str().unwrap_or_default()];
            let values = &json[def(&record["enum"])];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let keywords =
                array(&values["enumerants"]).iter().map(|one| text(&json[def(one)]["str"]));
            let dialect = text(&json[def(&record["dialect"])]["name"]);
            let spelling = format!("#{dialect}<{} {{}}>", text(&record["mnemonic"]));
            self.enumerations.insert((text(&values["summary"]), spelling, keywords.collect()));
        }
    }

    /// The arm of `OpKind::definition` for one operation.
    fn definition(
        &mut self,
        variant: &str,
        record: &Value,
        json: &Value,
    ) -> Result<(), Box<dyn Error>> {
        let place = array(&record["!locs"]).last().and_then(Value::as_str).unwrap_or_default();
        let file = place.split(':').next().unwrap_or_default();
        let family = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let is_set = |field: &str| record[field].as_i64() == Some(1);
        let own_text = record["assemblyFormat"].is_string() || is_set("hasCustomAssemblyFormat");
        let verifier = is_set("hasVerifier") || is_set("hasRegionVerifier");
        let infers = infers(&record["traits"], json);
        let attributes = attributes(record, json);
        let operands = fixed_operands(record, json);
        writeln!(
            self.definitions,
            "            Self::{variant} => Definition {{ family: {family:?}, own_text: {own_text}, \
             verifier: {verifier}, infers: {infers}, attributes: &{attributes:?}, \
             operands: {operands:?} }},"
        )?;
        Ok(())
    }

    fn view(
        &mut self,
        variant: &str,
        name: &str,
        record: &Value,
        json: &Value,
    ) -> Result<(), Box<dyn Error>> {
        let mut methods = String::new();
        let mut operands = Vec::new();
        for argument in array(&record["arguments"]["args"]) {
            let label = argument[1].as_str().unwrap_or_default();
            let constraint = &json[def(&argument[0])];
            let classes: Vec<_> =
                array(&constraint["!superclasses"]).iter().filter_map(Value::as_str).collect();
            if classes.contains(&"TypeConstraint") {
                let many = classes.contains(&"Variadic") || classes.contains(&"Optional");
                operands.push((label.to_owned(), many));
            } else if classes.contains(&"AttrConstraint") {
                writeln!(
                    methods,
                    "    /// Attribute `{label}`; `None` where it is absent.\n    \
                     pub fn {}(self) -> Option<Attribute<'c>> {{ self.0.attr({label:?}) }}",
                    method(label)
                )?;
            }
        }
        let same_size =
            array(&record["traits"]).iter().any(|entry| def(entry) == "SameVariadicOperandSize");
        let many = operands.iter().filter(|operand| operand.1).count();
        for (position, (label, is_many)) in operands.iter().enumerate() {
            let before = operands[..position].iter().filter(|operand| operand.1).count();
            let single_before = position - before;
            let single = operands.len() - many;
            let start = match (before, many, same_size) {
                (0, ..) => format!("{single_before}"),
                (_, 1, _) => format!("self.0.operand_count() - {}", operands.len() - position),
                (_, _, true) => format!(
                    "{single_before} + {before} * ((self.0.operand_count() - {single}) / {many})"
                ),
                _ => format!("segment_start(self.0, {position})"),
            };
            if *is_many {
                let length = if many == 1 {
                    format!("self.0.operand_count() - {single}")
                } else if same_size {
                    format!("(self.0.operand_count() - {single}) / {many}")
                } else {
                    format!("segment_start(self.0, {position} + 1) - ({start})")
                };
                writeln!(
                    methods,
                    "    /// Operands `{label}`.\n    \
                     pub fn {}(self) -> Vec<Value<'c>> {{\n        let start = {start};\n        \
                     let length = {length};\n        \
                     (start..start + length).map(|index| self.0.operand(index)).collect()\n    }}",
                    method(label)
                )?;
            } else {
                writeln!(
                    methods,
                    "    /// Operand `{label}`.\n    \
                     pub fn {}(self) -> Value<'c> {{ self.0.operand({start}) }}",
                    method(label)
                )?;
            }
        }
        for (position, region) in array(&record["regions"]["args"]).iter().enumerate() {
            let label = region[1].as_str().unwrap_or_default();
            let variadic = array(&json[def(&region[0])]["!superclasses"])
                .iter()
                .any(|class| class.as_str() == Some("VariadicRegion"));
            if !variadic {
                writeln!(
                    methods,
                    "    /// Region `{label}`.\n    \
                     pub fn {}(self) -> Region<'c> {{ self.0.region({position}) }}",
                    method(label)
                )?;
            }
        }
        let summary = record["summary"].as_str().unwrap_or_default().replace(['\n', '`'], " ");
        write!(
            self.views,
            "/// `{name}`: {}\n#[derive(Clone, Copy, Debug)]\npub struct {variant}<'c>(Op<'c>);\n\
             impl<'c> View<'c> for {variant}<'c> {{\n    const NAME: OpName<'static> = OpName::of({name:?});\n    \
             fn wrap(op: Op<'c>) -> Self {{ Self(op) }}\n    \
             fn op(self) -> Op<'c> {{ self.0 }}\n}}\n#[allow(clippy::identity_op)]\n\
             impl<'c> {variant}<'c> {{\n{methods}}}\n",
            if summary.is_empty() { "see the dialect's documentation" } else { &summary }
        )?;
        Ok(())
    }

    fn render(&self) -> String {
        let mut variants = String::new();
        let mut names = String::new();
        let mut parse = String::new();
        for (variant, name) in &self.variants {
            variants.push_str(&format!("    /// `{name}`.\n    {variant},\n"));
            names.push_str(&format!("            Self::{variant} => {name:?},\n"));
            parse.push_str(&format!("            {name:?} => Self::{variant},\n"));
        }
        let definitions = &self.definitions;
        let enumerations: String = self
            .enumerations
            .iter()
            .map(|(summary, spelling, keywords)| {
                format!("    ({summary:?}, {spelling:?}, &{keywords:?}),\n")
            })
            .collect();
        let all: String =
            self.variants.iter().map(|(variant, _)| format!("Self::{variant}, ")).collect();
        format!(
            "/// Attributes with a keyword out of a list: what each is, how it is spelt, its keywords.\n\
             pub(crate) const ENUMERATIONS: &[(&str, &str, &[&str])] = &[\n{enumerations}];\n\n\
             /// Every operation that Strata's dialects define.\n\
             #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
             pub enum OpKind {{\n{variants}    /// Any operation of another dialect.\n    Foreign,\n}}\n\
             impl OpKind {{\n    /// All kinds but [`Self::Foreign`], by dialect and name.\n    \
             pub const ALL: &'static [Self] = &[{all}];\n\n    \
             /// The operation's full name; empty for [`Self::Foreign`].\n    \
             pub fn name(self) -> OpName<'static> {{\n        OpName::of(match self {{\n{names}            \
             Self::Foreign => \"\",\n        }})\n    }}\n\n    \
             /// The kind with that full name.\n    \
             pub fn from_name(name: &str) -> Self {{\n        match name {{\n{parse}            \
             _ => Self::Foreign,\n        }}\n    }}\n\n    \
             /// What the operation's definition says; empty for [`Self::Foreign`].\n    \
             pub fn definition(self) -> Definition {{\n        match self {{\n{definitions}            \
             Self::Foreign => Definition::default(),\n        }}\n    }}\n}}\n\n\
             /// Typed views: one struct per operation, one method per operand, attribute and region.\n\
             #[allow(unused_imports, clippy::wrong_self_convention)]\npub mod views {{\n\
             use melior::ir::Attribute;\nuse super::{{View, segment_start}};\n\
             use crate::{{OpName, handles::{{Op, Region, Value}}}};\n{}\n}}\n",
            self.views
        )
    }
}

/// The names of the attributes that an operation is defined with.
fn attributes<'j>(record: &'j Value, json: &Value) -> Vec<&'j str> {
    let is_attribute = |argument: &&Value| {
        let classes = array(&json[def(&argument[0])]["!superclasses"]);
        classes.iter().any(|class| class.as_str() == Some("AttrConstraint"))
    };
    let arguments = array(&record["arguments"]["args"]).iter().filter(is_attribute);
    arguments.filter_map(|argument| argument[1].as_str()).collect()
}

/// The number of an operation's operands, where it is always the same.
fn fixed_operands(record: &Value, json: &Value) -> Option<usize> {
    let mut count = 0;
    for argument in array(&record["arguments"]["args"]) {
        let classes = array(&json[def(&argument[0])]["!superclasses"]);
        let is = |name: &str| classes.iter().any(|class| class.as_str() == Some(name));
        if is("Variadic") || is("Optional") {
            return None;
        }
        count += usize::from(is("TypeConstraint"));
    }
    Some(count)
}

/// Whether traits, or those that they consist of, infer result types.
fn infers(traits: &Value, json: &Value) -> bool {
    array(traits).iter().any(|entry| {
        let record = &json[def(entry)];
        let name = ["cppInterfaceName", "trait", "!name"]
            .iter()
            .find_map(|field| record[*field].as_str())
            .unwrap_or_default();
        name.contains("InferTypeOp")
            || name.contains("SameOperandsAndResultType")
            || infers(&record["traits"], json)
    })
}

/// The table of VHLO operations: these are versions of StableHLO's, so they get no `OpKind`.
fn vhlo_ops(json: &Value) -> Result<(String, Vec<String>), Box<dyn Error>> {
    let mut rows = Vec::new();
    for name in array(&json["!instanceof"]["VHLO_Op"]) {
        let record = &json[name.as_str().ok_or("record name")?];
        let text = |field: &str| record[field].as_str().unwrap_or_default();
        let mut attributes = attributes(record, json);
        attributes.sort_unstable();
        rows.push((format!("vhlo.{}", text("opName")), text("since"), text("until"), attributes));
    }
    rows.sort();
    let mut table = "/// All operations of the VHLO dialect, by name.\n\
                     pub const VHLO_OPS: &[VhloOp] = &[\n"
        .to_owned();
    let mnemonics = rows.iter().map(|row| row.0.trim_start_matches("vhlo.").to_owned()).collect();
    for (name, since, until, attributes) in rows {
        writeln!(
            table,
            "    VhloOp {{ name: OpName::of({name:?}), since: {since:?}, until: {until:?}, \
             attributes: &{attributes:?} }},"
        )?;
    }
    table.push_str("];\n");
    Ok((table, mnemonics))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn def(value: &Value) -> &str {
    value["def"].as_str().unwrap_or_default()
}

fn camel(name: &str) -> String {
    name.split(['_', '-', '.'])
        .map(|part| {
            let mut chars = part.chars();
            chars.next().map_or(String::new(), |first| {
                first.to_ascii_uppercase().to_string() + chars.as_str()
            })
        })
        .collect()
}

fn method(label: &str) -> String {
    const TAKEN: &[&str] =
        &["op", "cast", "kind", "type", "if", "else", "match", "where", "use", "in"];
    let mut snake = String::new();
    for (position, letter) in label.chars().enumerate() {
        if letter.is_ascii_uppercase() && position > 0 {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    if TAKEN.contains(&snake.as_str()) { format!("{snake}_") } else { snake }
}
