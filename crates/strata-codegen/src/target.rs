//! Resolves a user's names to a [`Target`], with LLVM's own lists of names; LLVM's code generator
//! determines the vector instructions.

use std::collections::BTreeSet;

use inkwell::targets::{Target as LlvmTarget, TargetMachine, TargetTriple};
use strata_diag::{Code, Diagnostic, codes, did_you_mean};
use strata_target::{DOT_INSTRUCTIONS, Isa, TILE_INSTRUCTIONS, Target};

use crate::{caches, machine::initialize, probe};

mod names {
    include!(concat!(env!("OUT_DIR"), "/names.rs"));
}

const DEFAULT_TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Systems whose objects are ELF and whose C calls are the standard ones of the architecture.
const SYSTEMS: &[&str] =
    &["linux", "none", "unknown", "freebsd", "netbsd", "openbsd", "dragonfly", "fuchsia", "haiku"];

/// A triple for each of these systems, after the architecture. Versions (`freebsd14`) and other environments
/// (`linux-android`) are accepted as well.
const SUFFIXES: &[&str] = &[
    "unknown-linux-gnu",
    "unknown-linux-musl",
    "unknown-none-elf",
    "unknown-freebsd",
    "unknown-netbsd",
    "unknown-openbsd",
    "unknown-dragonfly",
    "unknown-fuchsia",
    "unknown-haiku",
];

/// Environments that change the size of pointers or the object format.
const FOREIGN_ENVIRONMENTS: &[&str] = &["x32", "ilp32", "macho", "coff", "msvc", "_be"];

/// x86 CPUs without 64-bit mode.
const ONLY_32_BIT: &[&str] = &[
    "athlon",
    "athlon-4",
    "athlon-mp",
    "athlon-tbird",
    "athlon-xp",
    "c3",
    "c3-2",
    "geode",
    "i386",
    "i486",
    "i586",
    "i686",
    "k6",
    "k6-2",
    "k6-3",
    "lakemont",
    "pentium",
    "pentium-m",
    "pentium-mmx",
    "pentium2",
    "pentium3",
    "pentium3m",
    "pentium4",
    "pentium4m",
    "pentium_4",
    "pentium_4_sse3",
    "pentium_ii",
    "pentium_iii",
    "pentium_iii_no_xmm_regs",
    "pentium_m",
    "pentium_mmx",
    "pentium_pro",
    "pentiumpro",
    "prescott",
    "winchip-c6",
    "winchip2",
    "yonah",
];

/// Features without which the C ABI of the architecture does not work, or that select another mode.
const FIXED_X86: &[&str] = &[
    "16bit-mode",
    "32bit-mode",
    "64bit",
    "64bit-mode",
    "soft-float",
    "sse",
    "sse2",
    "cmov",
    "cx8",
    "fxsr",
    "mmx",
    "x87",
];
const FIXED_AARCH64: &[&str] = &["fp-armv8", "neon", "strict-align"];

/// The description of an architecture.
struct Architecture {
    name: &'static str,
    default_cpu: &'static str,
    cpus: &'static [&'static str],
    features: &'static [&'static str],
    cpu_features: &'static [(&'static str, &'static str)],
    fixed: &'static [&'static str],
}

const ARCHITECTURES: &[Architecture] = &[
    Architecture {
        name: "x86_64",
        default_cpu: "x86-64",
        cpus: names::X86_CPUS,
        features: names::X86_FEATURES,
        cpu_features: names::X86_CPU_FEATURES,
        fixed: FIXED_X86,
    },
    Architecture {
        name: "aarch64",
        default_cpu: "generic",
        cpus: names::AARCH64_CPUS,
        features: names::AARCH64_FEATURES,
        cpu_features: names::AARCH64_CPU_FEATURES,
        fixed: FIXED_AARCH64,
    },
];

impl Architecture {
    fn cpus(&self) -> impl Iterator<Item = &'static str> {
        let is_x86 = self.name == "x86_64";
        self.cpus.iter().copied().filter(move |cpu| !(is_x86 && ONLY_32_BIT.contains(cpu)))
    }
}

/// The architecture of a target that was resolved.
fn architecture_of(target: &Target) -> &'static Architecture {
    let name = target.triple.split('-').next().unwrap_or_default();
    ARCHITECTURES.iter().find(|known| known.name == name).unwrap_or(&ARCHITECTURES[0])
}

/// Whether a target is of the architecture x86-64.
pub(crate) fn is_x86(target: &Target) -> bool {
    architecture_of(target).name == "x86_64"
}

/// The features that LLVM assumes for a target's CPU; `None` if unknown.
pub(crate) fn cpu_features(target: &Target) -> Option<Vec<&'static str>> {
    let all = architecture_of(target).cpu_features;
    // LLVM's aliases with `_`, and its name for the x86-64 baseline.
    let name = if is_x86(target) && target.cpu == "generic" { "x86-64" } else { &target.cpu };
    let alias = name.replace('_', "-");
    let found = all.iter().find(|(cpu, _)| *cpu == name || *cpu == alias);
    found.map(|(_, features)| features.split(',').filter(|name| !name.is_empty()).collect())
}

/// The baseline of a target's architecture and system.
///
/// # Errors
/// As [`resolve`].
pub fn baseline(target: &Target) -> Result<Target, Diagnostic> {
    resolve(Some(&target.triple), None, None)
}

/// The version of the LLVM that is linked in.
pub fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

/// The supported architectures, each with the CPU names that LLVM knows.
pub fn known_cpus() -> Vec<(&'static str, Vec<&'static str>)> {
    ARCHITECTURES.iter().map(|known| (known.name, known.cpus().collect())).collect()
}

/// Triples of each supported architecture, one for each system; the first is the default.
pub fn known_triples() -> Vec<String> {
    let of = |known: &'static Architecture| {
        SUFFIXES.iter().map(move |suffix| format!("{}-{suffix}", known.name))
    };
    ARCHITECTURES.iter().flat_map(of).collect()
}

/// The target for a triple (default: x86-64 Linux), a CPU (default: the architecture's baseline;
/// `native` is the CPU that runs the compiler) and features (`+avx2,-fma`).
///
/// # Errors
/// `S1601`, `S1602`, `S1603` for an unsupported triple, CPU or feature.
pub fn resolve(
    triple: Option<&str>,
    cpu: Option<&str>,
    features: Option<&str>,
) -> Result<Target, Diagnostic> {
    initialize();
    let (triple, architecture) = resolve_triple(triple.unwrap_or(DEFAULT_TRIPLE))?;
    let given = check_features(features.unwrap_or(""), architecture)?;
    let host_caches = if cpu == Some("native") { caches::of_host() } else { None };
    let (cpu, mut features) = match cpu {
        None => (architecture.default_cpu.to_owned(), Vec::new()),
        Some("native") => host(&triple, architecture)?,
        Some(cpu) if architecture.cpus().any(|known| known == cpu) => (cpu.to_owned(), Vec::new()),
        Some(cpu) => {
            let reason = format!("there is no CPU `{cpu}` for {}", architecture.name);
            return Err(unknown(codes::S1602, reason, cpu, architecture.cpus()));
        }
    };
    features.extend(given);
    let (l1, l2) = host_caches.unwrap_or_else(|| caches::of_family(&cpu));
    let mut target = Target {
        triple,
        cpu,
        features: features.join(","),
        isa: Isa::Scalar,
        dot_features: Vec::new(),
        l1_bytes: l1 << 10,
        l2_bytes: l2 << 10,
    };
    target.isa = probe::isa(&target)?;
    let has = all_features(&target);
    let of_tiles = TILE_INSTRUCTIONS.iter().map(|one| one.feature);
    // LLVM lists no feature with those that it implies: all of these imply `amx-tile`.
    let tiles = target.features.split(',').rfind(|item| item.ends_with("amx-tile"));
    let has_tiles = target.isa == Isa::Avx512 && tiles != Some("-amx-tile");
    let of_tiles = of_tiles.filter(|_| has_tiles);
    let needed = DOT_INSTRUCTIONS.iter().map(|one| one.feature).chain(of_tiles);
    let needed = needed.filter(|name| has.contains(name));
    target.dot_features = needed.collect::<BTreeSet<_>>().into_iter().collect();
    // LLVM 22 makes bf16 vectors legal with AVX512-BF16 and then aborts on some of their shuffles.
    // Generated code has its dot instruction as assembly, so the feature is always disabled.
    if target.isa == Isa::Avx512 {
        let separator = if target.features.is_empty() { "" } else { "," };
        target.features = format!("{}{separator}{NO_BF16_VECTORS}", target.features);
    }
    Ok(target)
}

fn resolve_triple(triple: &str) -> Result<(String, &'static Architecture), Diagnostic> {
    let refuse = |why: String| {
        Err(Diagnostic::new(codes::S1601)
            .reason(why)
            .hint("`strata list targets` lists the supported machines"))
    };
    if triple.contains('\0') || LlvmTarget::from_triple(&TargetTriple::create(triple)).is_err() {
        return refuse(format!("there is no code generator for `{}`", triple.escape_debug()));
    }
    let normal = TargetMachine::normalize_triple(&TargetTriple::create(triple));
    let normal = normal.as_str().to_string_lossy().into_owned();
    let mut parts = normal.split('-');
    let name = match parts.next().unwrap_or("") {
        "x86_64" | "amd64" => "x86_64",
        "aarch64" | "arm64" => "aarch64",
        other => {
            return refuse(format!("only x86_64 and aarch64 are supported, not `{other}`"));
        }
    };
    let system = parts.nth(1).unwrap_or("unknown");
    let environment = parts.next().unwrap_or("");
    if !SYSTEMS.iter().any(|known| system.starts_with(known))
        || FOREIGN_ENVIRONMENTS.iter().any(|foreign| environment.ends_with(foreign))
    {
        return refuse(format!("objects are 64-bit ELF files, which `{triple}` does not use"));
    }
    match ARCHITECTURES.iter().find(|known| known.name == name) {
        Some(architecture) => Ok((normal, architecture)),
        None => refuse(format!("there is no code generator for `{triple}`")),
    }
}

fn check_features(list: &str, architecture: &Architecture) -> Result<Vec<String>, Diagnostic> {
    let mut checked = Vec::new();
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let Some(name) = item.strip_prefix(['+', '-']) else {
            return Err(Diagnostic::new(codes::S1603)
                .reason(format!("`{item}` has no sign"))
                .hint(format!("write `+{item}` to enable the feature, `-{item}` to disable it")));
        };
        if !architecture.features.contains(&name) {
            let reason = format!("there is no feature `{name}` for {}", architecture.name);
            let known = architecture.features.iter().copied();
            return Err(unknown(codes::S1603, reason, name, known));
        }
        if architecture.fixed.contains(&name) {
            return Err(Diagnostic::new(codes::S1603).reason(format!(
                "`{name}` is part of the {} baseline and cannot be disabled",
                architecture.name
            )));
        }
        checked.push(item.to_owned());
    }
    Ok(checked)
}

/// The CPU that runs the compiler, with all its features spelled out.
fn host(triple: &str, architecture: &Architecture) -> Result<(String, Vec<String>), Diagnostic> {
    if architecture.name != std::env::consts::ARCH {
        return Err(Diagnostic::new(codes::S1602).reason(format!(
            "`native` is an {} processor, but the target is `{triple}`",
            std::env::consts::ARCH
        )));
    }
    let name = TargetMachine::get_host_cpu_name().to_string_lossy().into_owned();
    let cpu = architecture.cpus().find(|known| *known == name);
    let mut features: Vec<String> = TargetMachine::get_host_cpu_features()
        .to_string_lossy()
        .split(',')
        .filter(|item| {
            item.strip_prefix(['+', '-']).is_some_and(|name| {
                architecture.features.contains(&name) && !architecture.fixed.contains(&name)
            })
        })
        .map(str::to_owned)
        .collect();
    // LLVM lists them in the order of a hash table.
    features.sort_unstable_by(|left, right| left[1..].cmp(&right[1..]));
    Ok((cpu.unwrap_or(architecture.default_cpu).to_owned(), features))
}

/// The triple of Linux on the architecture that this process runs on.
pub fn host_triple() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The features of a target that the processor running this lacks: its code would end with an illegal instruction. Only those
/// that LLVM can detect count.
pub fn lacking_here(target: &Target) -> Vec<String> {
    initialize();
    let here = TargetMachine::get_host_cpu_features().to_string_lossy().into_owned();
    let absent: Vec<&str> = here.split(',').filter_map(|item| item.strip_prefix('-')).collect();
    let mut needed = all_features(target);
    needed.extend(&target.dot_features);
    // Code with tiles runs where the system permits them only, and LLVM uses none by itself.
    let is_needed = |name: &&str| absent.contains(name) && !name.starts_with("amx-");
    needed.into_iter().filter(is_needed).map(str::to_owned).collect()
}

/// The features of the target's CPU and those given besides, less those taken away, without what they imply.
fn all_features(target: &Target) -> BTreeSet<&str> {
    let mut all: BTreeSet<&str> = cpu_features(target).unwrap_or_default().into_iter().collect();
    for item in target.features.split(',') {
        match (item.strip_prefix('+'), item.strip_prefix('-')) {
            (Some(name), _) => all.insert(name),
            (_, Some(name)) => all.remove(name),
            _ => false,
        };
    }
    all
}

/// See [`resolve`].
const NO_BF16_VECTORS: &str = "-avx512bf16";

/// The error for a name that is not in the list, with the nearest ones as a hint.
fn unknown(
    code: Code,
    reason: String,
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Diagnostic {
    let hint = did_you_mean(name, known);
    let list = || "`strata list targets` lists the names".to_owned();
    Diagnostic::new(code).reason(reason).hint(hint.unwrap_or_else(list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_processor_lacks() {
        let of = |cpu: &str, features| {
            lacking_here(&resolve(Some(&host_triple()), Some(cpu), features).expect("a target"))
        };
        assert_eq!(of("native", None), Vec::<String>::new());
        if cfg!(target_arch = "x86_64") {
            assert_eq!(of("x86-64", None), Vec::<String>::new());
            // AMD's instructions of 2011 and those of 2022 are in no processor together.
            let both = of("x86-64", Some("+xop,+avx512bf16"));
            assert!(!both.is_empty(), "one of the two is missing");
            assert!(of("bdver4", None).contains(&"xop".to_owned()) || both == ["avx512bf16"]);
            // Tiles need a permission besides.
            assert_eq!(of("x86-64", Some("+amx-int8")), Vec::<String>::new());
        }
    }

    fn isa(cpu: &str, features: &str) -> Isa {
        resolve(None, Some(cpu), Some(features)).expect("a known CPU").isa
    }

    #[test]
    fn the_default_is_the_baseline_and_not_the_host() {
        assert_eq!(resolve(None, None, None), Ok(Target::x86_64_baseline()));
    }

    #[test]
    fn the_instruction_set_follows_cpu_and_features() {
        assert_eq!(isa("haswell", ""), Isa::Avx2);
        assert_eq!(isa("haswell", "-fma"), Isa::Sse2);
        assert_eq!(isa("sandybridge", ""), Isa::Sse2);
        assert_eq!(isa("skylake-avx512", ""), Isa::Avx512);
        assert_eq!(isa("x86-64-v4", ""), Isa::Avx512);
        assert_eq!(isa("knl", ""), Isa::Avx2);
        assert_eq!(isa("x86-64", "+avx2,+fma"), Isa::Avx2);
        assert_eq!(isa("x86-64-v3", "+avx512f,+avx512bw,+avx512dq,+avx512vl"), Isa::Avx512);
        assert_eq!(isa("znver4", "-avx512dq"), Isa::Avx2);
        let arm = resolve(Some("aarch64-unknown-linux-gnu"), None, None).expect("aarch64");
        assert_eq!((arm.isa, arm.cpu.as_str()), (Isa::Neon, "generic"));
    }

    #[test]
    fn every_listed_cpu_makes_code() {
        for (name, cpus) in known_cpus() {
            for cpu in cpus {
                let triple = format!("{name}-unknown-linux-gnu");
                let target = resolve(Some(&triple), Some(cpu), None);
                assert!(target.is_ok(), "{cpu}: {target:?}");
            }
        }
    }

    #[test]
    fn every_listed_triple_is_resolved_as_it_is() {
        let triples = known_triples();
        assert_eq!(triples[0], DEFAULT_TRIPLE);
        for triple in &triples {
            let target = resolve(Some(triple), None, None).expect("a target");
            assert_eq!(&target.triple, triple);
        }
        for system in SYSTEMS.iter().filter(|system| **system != "unknown") {
            let of_system = |triple: &&String| triple.split('-').nth(2) == Some(system);
            assert_eq!(triples.iter().filter(of_system).count() % ARCHITECTURES.len(), 0);
            assert!(triples.iter().any(|triple| of_system(&triple)), "{system}");
        }
    }

    #[test]
    fn native_names_every_feature() {
        let target = resolve(None, Some("native"), None);
        if cfg!(target_arch = "x86_64") {
            assert!(target.expect("the host").features.contains("+sse4.1"));
        } else {
            assert_eq!(target.expect_err("another architecture").code(), codes::S1602);
        }
    }

    fn error(triple: Option<&str>, cpu: Option<&str>, features: Option<&str>) -> String {
        let error = resolve(triple, cpu, features).expect_err("an error");
        let reason = error.reason_text().unwrap_or_default();
        format!("{}: {reason}; {}", error.code(), error.hint_text().unwrap_or_default())
    }

    #[test]
    fn unknown_names_are_refused_with_near_ones() {
        let list = "`strata list targets` lists the supported machines";
        assert_eq!(
            error(Some("pdp11-dec-unix"), None, None),
            format!("S1601: there is no code generator for `pdp11-dec-unix`; {list}")
        );
        assert_eq!(
            error(Some("i686-unknown-linux-gnu"), None, None),
            format!("S1601: only x86_64 and aarch64 are supported, not `i686`; {list}")
        );
        for triple in ["x86_64-pc-windows-msvc", "aarch64-apple-darwin", "x86_64-linux-gnux32"] {
            assert_eq!(
                error(Some(triple), None, None),
                format!(
                    "S1601: objects are 64-bit ELF files, which `{triple}` does not use; {list}"
                )
            );
        }
        assert_eq!(
            error(None, Some("skylark"), None),
            "S1602: there is no CPU `skylark` for x86_64; did you mean `skylake`?"
        );
        assert!(error(None, Some("pentium3"), None).starts_with("S1602: there is no CPU"));
        assert!(error(None, Some(""), None).starts_with("S1602: there is no CPU"));
        assert!(
            error(None, None, Some("+avx1024"))
                .starts_with("S1603: there is no feature `avx1024` for x86_64; did you mean")
        );
        assert_eq!(
            error(None, None, Some("avx2")),
            "S1603: `avx2` has no sign; write `+avx2` to enable the feature, `-avx2` to disable it"
        );
        assert_eq!(
            error(None, None, Some("-sse2")),
            "S1603: `sse2` is part of the x86_64 baseline and cannot be disabled; "
        );
    }
}
