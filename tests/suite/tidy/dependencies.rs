//! Which crate may depend on which.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    process::Command,
};

use super::{root, text};

/// The packages of the workspace with what each depends on, tests and build scripts aside.
struct Packages(BTreeMap<String, BTreeSet<String>>);

impl Packages {
    fn read() -> Self {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let told = Command::new(cargo)
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(root())
            .output()
            .expect("cargo runs");
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
        let name = |value: &serde_json::Value| value["name"].as_str().expect("a name").to_owned();
        let packages = told["packages"].as_array().expect("packages").iter().map(|package| {
            let all = package["dependencies"].as_array().expect("dependencies").iter();
            let normal = all.filter(|dependency| dependency["kind"].is_null());
            (name(package), normal.map(name).collect())
        });
        Self(packages.collect())
    }

    /// What `package` depends on, itself or through packages of the workspace.
    fn below(&self, package: &str) -> BTreeSet<&str> {
        let mut below = BTreeSet::new();
        let mut open = vec![package];
        while let Some(next) = open.pop() {
            for dependency in self.0.get(next).into_iter().flatten() {
                if below.insert(dependency.as_str()) {
                    open.push(dependency);
                }
            }
        }
        below
    }

    /// The packages for which `asks` holds of something that they depend on directly.
    fn that_use(&self, asks: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let users = self.0.iter().filter(|(_, all)| all.iter().any(|name| asks(name)));
        users.map(|(name, _)| name.as_str()).collect()
    }

    /// Fails where something below `package` is not to be there.
    fn keep_apart(&self, package: &str, forbidden: impl Fn(&str) -> bool) {
        assert!(self.0.contains_key(package), "there is no package {package}");
        let found: Vec<_> =
            self.below(package).into_iter().filter(|name| forbidden(name)).collect();
        assert!(found.is_empty(), "{package} depends on {found:?}");
    }
}

/// The crates whose functions the rows of the stage table name.
fn stage_crates() -> BTreeSet<String> {
    let table = text("crates/strata/src/stage.rs");
    let (_, rows) = table.split_once("pub const STAGES").expect("the stage table");
    let (rows, _) = rows.split_once("\n];").expect("its end");
    let paths = rows.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let crates =
        paths.filter_map(|path| path.split_once("::")).map(|(first, _)| first.replace('_', "-"));
    let crates: BTreeSet<_> = crates.filter(|name| name.starts_with("strata-")).collect();
    assert!(crates.len() >= 5, "the stage table was read wrongly: {crates:?}");
    crates
}

fn is_mlir(name: &str) -> bool {
    matches!(name, "melior" | "mlir-sys" | "strata-ir")
}

#[test]
fn a_stage_crate_never_depends_on_another() {
    let (packages, stages) = (Packages::read(), stage_crates());
    for stage in &stages {
        packages.keep_apart(stage, |name| stages.contains(name) || name == "strata");
    }
}

#[test]
fn diagnostics_and_special_functions_know_nothing_of_mlir() {
    let packages = Packages::read();
    packages.keep_apart("strata-diag", |name| is_mlir(name) || name.starts_with("strata-"));
    packages.keep_apart("strata-target", |name| is_mlir(name) || name.starts_with("strata-"));
    packages.keep_apart("strata-special", |name| is_mlir(name) || name.starts_with("strata-"));
    packages.keep_apart("strata-abi", |_| true);
    packages.keep_apart("strata-processes", |name| is_mlir(name) || name.starts_with("strata-"));
}

#[test]
fn only_codegen_compiles_with_llvm_and_three_crates_the_bindings_of_mlir() {
    let packages = Packages::read();
    let llvm = packages.that_use(|name| matches!(name, "inkwell" | "llvm-sys"));
    // The latter links objects in memory by LLVM's JIT linker.
    assert_eq!(llvm, BTreeSet::from(["strata-codegen", "strata-run"]));
    let mlir = packages.that_use(|name| matches!(name, "melior" | "mlir-sys"));
    assert_eq!(mlir, BTreeSet::from(["strata-codegen", "strata-ir", "strata-rewrite"]));
}

/// What the evaluator and the interpreter have in common with the compiler: operations and diagnostics.
#[test]
fn the_references_share_nothing_with_the_lowering() {
    let packages = Packages::read();
    let own = |package: &str| {
        packages.keep_apart(package, |_| false);
        let below = packages.below(package).into_iter().filter(|name| name.starts_with("strata-"));
        below.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let evaluator = ["strata-diag", "strata-ir", "strata-processes"].map(str::to_owned);
    assert_eq!(own("strata-eval"), BTreeSet::from(evaluator.clone()));
    let mut interpreter = BTreeSet::from(evaluator);
    interpreter.extend(["strata-eval", "strata-target"].map(str::to_owned));
    assert_eq!(own("strata-interpreter"), interpreter);
    assert_eq!(own("strata-processes"), BTreeSet::new());
}

/// Crates that test the compiler, run its objects or are linked to them are not part of it.
#[test]
fn the_compiler_has_no_lodgers() {
    let packages = Packages::read();
    packages.keep_apart("strata", |name| {
        matches!(
            name,
            "strata-builder"
                | "strata-cli"
                | "strata-eval"
                | "strata-fuzz"
                | "strata-interpreter"
                | "strata-pjrt"
                | "strata-profile"
                | "strata-python"
                | "strata-run"
                | "strata-runtime"
                | "strata-threads"
                | "strata-verify"
        )
    });
    assert_eq!(packages.that_use(|name| name == "strata-fuzz"), BTreeSet::new());
    for linked in ["strata-runtime", "strata-threads"] {
        packages.keep_apart(linked, |name| is_mlir(name) || name == "strata");
    }
}
