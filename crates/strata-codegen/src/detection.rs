//! CPU detection in objects for several processors.
//!
//! Only features that LLVM's code generator uses by itself are tested, not those used only by operating systems and
//! intrinsics. They are read with `cpuid` on x86-64, with `xgetbv` for the registers that the system saves (Intel's
//! Software Developer's Manual, volume 2A; AMD's Programmer's Manual, volume 3), and from the identification registers
//! of AArch64 (Arm's Architecture Reference Manual, D24.2), which Linux lets programs read.

use std::{cmp::Reverse, fmt::Write as _};

use strata_diag::{Diagnostic, codes};
use strata_options::Options;
use strata_target::Target;

use crate::target::{cpu_features, is_x86};

/// The function that detects the processor: returns its number in the list, from 1 on, or -1 for none of them.
pub(crate) const FUNCTION: &str = "strata.processor";

/// A condition on a word that describes a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// These bits of the word are set.
    Bits(u64),
    /// The field of four bits from here on is at least this.
    Field(u32, u64),
    /// The same for a field in which 15 means absent.
    SignedField(u32, u64),
}

use Need::{Bits, Field, SignedField};

/// The source of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    /// Leaf and subleaf of `cpuid`, and which of `eax`, `ebx`, `ecx`, `edx`.
    Cpuid(u32, u32, u32),
    /// The registers that the system saves; 0 if unknown.
    Saved,
    /// A register of AArch64 by its name.
    Register(&'static str),
}

const LEAF_1_C: Word = Word::Cpuid(1, 0, 2);
const LEAF_7_B: Word = Word::Cpuid(7, 0, 1);
const LEAF_7_C: Word = Word::Cpuid(7, 0, 2);
const LEAF_7_D: Word = Word::Cpuid(7, 0, 3);
const LEAF_7_1_A: Word = Word::Cpuid(7, 1, 0);
const LEAF_7_1_D: Word = Word::Cpuid(7, 1, 3);
const EXTENDED_C: Word = Word::Cpuid(0x8000_0001, 0, 2);
const ISAR0: Word = Word::Register("ID_AA64ISAR0_EL1");
const ISAR1: Word = Word::Register("ID_AA64ISAR1_EL1");
/// ID_AA64ISAR2_EL1, whose name older assemblers do not know.
const ISAR2: Word = Word::Register("S3_0_C0_C6_2");
const PFR0: Word = Word::Register("ID_AA64PFR0_EL1");
/// ID_AA64ZFR0_EL1.
const ZFR0: Word = Word::Register("S3_0_C0_C4_4");

/// Registers of 128 and 256 bits, and those of AVX-512, as bits of the registers that the system saves.
const SAVED_AVX: u64 = 0x06;
const SAVED_AVX512: u64 = 0xe6;

/// The feature, and how it is detected.
type Row = (&'static str, &'static [(Word, Need)]);

const fn bit(number: u32) -> Need {
    Bits(1 << number)
}

const X86: &[Row] = &[
    ("sse3", &[(LEAF_1_C, bit(0))]),
    ("pclmul", &[(LEAF_1_C, bit(1))]),
    ("ssse3", &[(LEAF_1_C, bit(9))]),
    ("fma", &[(LEAF_1_C, bit(12))]),
    ("cx16", &[(LEAF_1_C, bit(13))]),
    ("sse4.1", &[(LEAF_1_C, bit(19))]),
    ("sse4.2", &[(LEAF_1_C, bit(20))]),
    ("crc32", &[(LEAF_1_C, bit(20))]),
    ("movbe", &[(LEAF_1_C, bit(22))]),
    ("popcnt", &[(LEAF_1_C, bit(23))]),
    ("aes", &[(LEAF_1_C, bit(25))]),
    ("avx", &[(LEAF_1_C, bit(28)), (Word::Saved, Bits(SAVED_AVX))]),
    ("f16c", &[(LEAF_1_C, bit(29)), (Word::Saved, Bits(SAVED_AVX))]),
    ("bmi", &[(LEAF_7_B, bit(3))]),
    ("avx2", &[(LEAF_7_B, bit(5)), (Word::Saved, Bits(SAVED_AVX))]),
    ("bmi2", &[(LEAF_7_B, bit(8))]),
    ("avx512f", &[(LEAF_7_B, bit(16)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512dq", &[(LEAF_7_B, bit(17)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("adx", &[(LEAF_7_B, bit(19))]),
    ("avx512ifma", &[(LEAF_7_B, bit(21)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512cd", &[(LEAF_7_B, bit(28)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512bw", &[(LEAF_7_B, bit(30)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512vl", &[(LEAF_7_B, bit(31)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512vbmi", &[(LEAF_7_C, bit(1)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512vbmi2", &[(LEAF_7_C, bit(6)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("gfni", &[(LEAF_7_C, bit(8))]),
    ("vaes", &[(LEAF_7_C, bit(9)), (Word::Saved, Bits(SAVED_AVX))]),
    ("vpclmulqdq", &[(LEAF_7_C, bit(10)), (Word::Saved, Bits(SAVED_AVX))]),
    ("avx512vnni", &[(LEAF_7_C, bit(11)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512bitalg", &[(LEAF_7_C, bit(12)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512vpopcntdq", &[(LEAF_7_C, bit(14)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512vp2intersect", &[(LEAF_7_D, bit(8)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avx512fp16", &[(LEAF_7_D, bit(23)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avxvnni", &[(LEAF_7_1_A, bit(4)), (Word::Saved, Bits(SAVED_AVX))]),
    ("avx512bf16", &[(LEAF_7_1_A, bit(5)), (Word::Saved, Bits(SAVED_AVX512))]),
    ("avxifma", &[(LEAF_7_1_A, bit(23)), (Word::Saved, Bits(SAVED_AVX))]),
    ("avxvnniint8", &[(LEAF_7_1_D, bit(4)), (Word::Saved, Bits(SAVED_AVX))]),
    ("avxneconvert", &[(LEAF_7_1_D, bit(5)), (Word::Saved, Bits(SAVED_AVX))]),
    ("avxvnniint16", &[(LEAF_7_1_D, bit(10)), (Word::Saved, Bits(SAVED_AVX))]),
    ("sahf", &[(EXTENDED_C, bit(0))]),
    ("lzcnt", &[(EXTENDED_C, bit(5))]),
    ("sse4a", &[(EXTENDED_C, bit(6))]),
    ("prfchw", &[(EXTENDED_C, bit(8))]),
    ("xop", &[(EXTENDED_C, bit(11)), (Word::Saved, Bits(SAVED_AVX))]),
    ("fma4", &[(EXTENDED_C, bit(16)), (Word::Saved, Bits(SAVED_AVX))]),
    ("tbm", &[(EXTENDED_C, bit(21))]),
];

/// Features of every x86-64, or used by intrinsics only. Code with tiles (AMX) runs where the program says that the system permits them.
const X86_UNUSED: &[&str] = &[
    "amx-avx512",
    "amx-bf16",
    "amx-complex",
    "amx-fp16",
    "amx-fp8",
    "amx-int8",
    "amx-movrs",
    "amx-tf32",
    "amx-tile",
    "cldemote",
    "clflushopt",
    "clwb",
    "clzero",
    "cmov",
    "cmpccxadd",
    "cx8",
    "enqcmd",
    "fsgsbase",
    "fxsr",
    "hreset",
    "invpcid",
    "kl",
    "lwp",
    "mmx",
    "movdir64b",
    "movdiri",
    "movrs",
    "mwaitx",
    "pconfig",
    "pku",
    "prefetchi",
    "ptwrite",
    "rdpid",
    "rdpru",
    "rdrnd",
    "rdseed",
    "serialize",
    "sgx",
    "sha",
    "sha512",
    "shstk",
    "sm3",
    "sm4",
    "sse",
    "sse2",
    "tsxldtrk",
    "uintr",
    "usermsr",
    "waitpkg",
    "wbnoinvd",
    "widekl",
    "x87",
    "xsave",
    "xsavec",
    "xsaveopt",
    "xsaves",
];

const AARCH64: &[Row] = &[
    ("fullfp16", &[(PFR0, SignedField(16, 1)), (PFR0, SignedField(20, 1))]),
    ("aes", &[(ISAR0, Field(4, 1))]),
    ("sha2", &[(ISAR0, Field(12, 1))]),
    ("crc", &[(ISAR0, Field(16, 1))]),
    ("lse", &[(ISAR0, Field(20, 2))]),
    ("rdm", &[(ISAR0, Field(28, 1))]),
    ("sha3", &[(ISAR0, Field(32, 1))]),
    ("sm4", &[(ISAR0, Field(40, 1))]),
    ("dotprod", &[(ISAR0, Field(44, 1))]),
    ("fp16fml", &[(ISAR0, Field(48, 1))]),
    ("flagm", &[(ISAR0, Field(52, 1))]),
    ("altnzcv", &[(ISAR0, Field(52, 2))]),
    ("jsconv", &[(ISAR1, Field(12, 1))]),
    ("complxnum", &[(ISAR1, Field(16, 1))]),
    ("rcpc", &[(ISAR1, Field(20, 1))]),
    ("rcpc-immo", &[(ISAR1, Field(20, 2))]),
    ("rcpc3", &[(ISAR1, Field(20, 3))]),
    ("fptoint", &[(ISAR1, Field(32, 1))]),
    ("bf16", &[(ISAR1, Field(44, 1))]),
    ("i8mm", &[(ISAR1, Field(52, 1))]),
    ("mops", &[(ISAR2, Field(16, 1))]),
    ("cssc", &[(ISAR2, Field(52, 1))]),
    ("sve", &[(PFR0, Field(32, 1))]),
    ("sve2", &[(ZFR0, Field(0, 1))]),
    ("sve-aes", &[(ZFR0, Field(4, 1))]),
    ("sve-bitperm", &[(ZFR0, Field(16, 1))]),
    ("sve-sha3", &[(ZFR0, Field(32, 1))]),
    ("sve-sm4", &[(ZFR0, Field(40, 1))]),
];

/// Features of every AArch64, for operating systems or streaming functions only, or groups of features that are listed
/// separately.
const AARCH64_UNUSED: &[&str] = &[
    "am",
    "brbe",
    "bti",
    "ccdp",
    "ccidx",
    "ccpp",
    "chk",
    "clrbhb",
    "dit",
    "ete",
    "fgt",
    "fmv",
    "fp-armv8",
    "fpac",
    "hbc",
    "hcx",
    "lor",
    "ls64",
    "lse2",
    "mec",
    "mpam",
    "mte",
    "neon",
    "outline-atomics",
    "pan",
    "pan-rwv",
    "pauth",
    "perfmon",
    "predres",
    "rand",
    "ras",
    "rme",
    "sb",
    "sel2",
    "sme",
    "sme-b16b16",
    "sme-f16f16",
    "sme-f64f64",
    "sme-i16i64",
    "sme2",
    "sme2p1",
    "spe",
    "spe-eef",
    "specres2",
    "specrestrict",
    "ssbs",
    "tracev8.4",
    "trbe",
    "uaops",
    "v8.1a",
    "v8.2a",
    "v8.3a",
    "v8.4a",
    "v8.5a",
    "v8.6a",
    "v8.7a",
    "v8.8a",
    "v8a",
    "v8r",
    "v9.1a",
    "v9.2a",
    "v9.3a",
    "v9a",
    "vh",
    "wfxt",
];

/// The conditions for running code for `target`, in order, each word once per kind of condition.
///
/// # Errors
/// `S1605` if it cannot be detected.
fn conditions(target: &Target) -> Result<Vec<(Word, Need)>, Diagnostic> {
    let (rows, unused) = match is_x86(target) {
        true => (X86, X86_UNUSED),
        false => (AARCH64, AARCH64_UNUSED),
    };
    let mut names = cpu_features(target).ok_or_else(|| unknown(target, None))?;
    for item in target.features.split(',').filter(|item| !item.is_empty()) {
        let name = &item[1..];
        names.retain(|known| *known != name);
        if item.starts_with('+') {
            names.push(name);
        }
    }
    // One that LLVM may not use is among those taken away.
    for name in &target.dot_features {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut found: Vec<(Word, Need)> = Vec::new();
    for name in names {
        let Some((_, needs)) = rows.iter().find(|(known, _)| *known == name) else {
            match unused.contains(&name) || is_tuning(name) {
                true => continue,
                false => return Err(unknown(target, Some(name))),
            }
        };
        for (word, need) in *needs {
            let same = found.iter_mut().find(|(known, old)| known == word && is_mask(old));
            match (same, need) {
                (Some((_, Bits(mask))), Bits(more)) => *mask |= more,
                _ => found.push((*word, *need)),
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn is_mask(need: &Need) -> bool {
    matches!(need, Bits(_))
}

/// LLVM features that only affect tuning.
fn is_tuning(name: &str) -> bool {
    ["fast-", "slow-", "prefer-", "no-", "tuning-", "false-deps-", "use-", "fuse-", "sbb-", "lea-"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

fn unknown(target: &Target, feature: Option<&str>) -> Diagnostic {
    let what = feature.map_or_else(
        || "whose features are not known".to_owned(),
        |feature| format!("which has `{feature}`"),
    );
    Diagnostic::new(codes::S1605)
        .reason(format!("`{}`, {what}, cannot be detected at run time", target.cpu))
        .hint("name the levels x86-64, x86-64-v2, x86-64-v3, x86-64-v4, or compile an object for it alone")
}

/// Whether there are processors of the architecture that the object does not support.
pub(crate) fn may_refuse(options: &Options) -> bool {
    let is_for_all =
        |target: &Target| conditions(target).is_ok_and(|conditions| conditions.is_empty());
    options.versions.len() > 1 && !options.versions.iter().any(is_for_all)
}

/// The order of detection: the widest vectors first, then the most features.
///
/// # Errors
/// `S1605` for a processor that cannot be detected.
pub(crate) fn best_first(targets: &[Target]) -> Result<Vec<usize>, Diagnostic> {
    let mut order = Vec::new();
    for (position, target) in targets.iter().enumerate() {
        let weight: u32 = conditions(target)?
            .iter()
            .map(|(_, need)| if let Bits(mask) = need { mask.count_ones() } else { 1 })
            .sum();
        order.push((Reverse((target.isa, weight)), position));
    }
    order.sort_unstable();
    Ok(order.into_iter().map(|(_, position)| position).collect())
}

/// LLVM IR of [`FUNCTION`] for these, the best first.
///
/// # Errors
/// `S1605` for a processor that cannot be detected.
pub(crate) fn function(targets: &[&Target]) -> Result<String, Diagnostic> {
    let all = targets.iter().map(|target| conditions(target)).collect::<Result<Vec<_>, _>>()?;
    let mut words: Vec<Word> = all.iter().flatten().map(|(word, _)| *word).collect();
    words.sort_unstable();
    words.dedup();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, &all, &words);
    Ok(text)
}

fn write(text: &mut String, all: &[Vec<(Word, Need)>], words: &[Word]) -> std::fmt::Result {
    if words.iter().any(|word| matches!(word, Word::Cpuid(..) | Word::Saved)) {
        text.push_str(include_str!("detection.ll"));
    }
    writeln!(text, "define internal i32 @{FUNCTION}() {{\nentry:")?;
    for (position, word) in words.iter().enumerate() {
        match word {
            Word::Cpuid(leaf, subleaf, register) => writeln!(
                text,
                "  %leaf{position} = call {{ i32, i32, i32, i32 }} @strata.cpuid(i32 {}, i32 {subleaf})\n  \
                 %half{position} = extractvalue {{ i32, i32, i32, i32 }} %leaf{position}, {register}\n  \
                 %word{position} = zext i32 %half{position} to i64",
                *leaf as i32
            )?,
            Word::Saved => writeln!(text, "  %word{position} = call i64 @strata.saved()")?,
            Word::Register(name) => {
                writeln!(text, "  %word{position} = call i64 asm \"mrs $0, {name}\", \"=r\"()")?
            }
        }
    }
    let mut count = 0;
    for (position, conditions) in all.iter().enumerate() {
        let mut fits = "true".to_owned();
        for (word, need) in conditions {
            let word = words.iter().position(|known| known == word).unwrap_or_default();
            let (masked, test) = (format!("%masked{count}"), format!("%test{count}"));
            match need {
                Bits(mask) => writeln!(
                    text,
                    "  {masked} = and i64 %word{word}, {mask}\n  {test} = icmp eq i64 {masked}, {mask}"
                )?,
                Field(shift, least) | SignedField(shift, least) => {
                    writeln!(
                        text,
                        "  %shifted{count} = lshr i64 %word{word}, {shift}\n  \
                         {masked} = and i64 %shifted{count}, 15"
                    )?;
                    let most = if matches!(need, SignedField(..)) { 7 } else { 15 };
                    writeln!(
                        text,
                        "  %less{count} = sub i64 {masked}, {least}\n  \
                         {test} = icmp ule i64 %less{count}, {}",
                        most - least
                    )?;
                }
            }
            writeln!(text, "  %fits{count} = and i1 {fits}, {test}")?;
            fits = format!("%fits{count}");
            count += 1;
        }
        writeln!(text, "  br i1 {fits}, label %is{position}, label %no{position}")?;
        writeln!(text, "is{position}:\n  ret i32 {}\nno{position}:", position + 1)?;
    }
    writeln!(text, "  ret i32 -1\n}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{known_cpus, resolve};

    fn named(triple: &str, cpu: &str) -> Target {
        resolve(Some(triple), Some(cpu), None).expect("a known CPU")
    }

    fn level(cpu: &str) -> Target {
        named("x86_64-unknown-linux-gnu", cpu)
    }

    /// The levels of the x86-64 psABI.
    #[test]
    fn levels_ask_for_what_the_abi_lists() {
        assert_eq!(conditions(&level("x86-64")), Ok(Vec::new()));
        let v2 = vec![
            (LEAF_1_C, Bits(1 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23)),
            (EXTENDED_C, Bits(1)),
        ];
        assert_eq!(conditions(&level("x86-64-v2")), Ok(v2));
        let v3 = vec![
            (
                LEAF_1_C,
                Bits(1 | 1 << 9 | 1 << 12 | 1 << 13 | 3 << 19 | 3 << 22 | 1 << 28 | 1 << 29),
            ),
            (LEAF_7_B, Bits(1 << 3 | 1 << 5 | 1 << 8)),
            (EXTENDED_C, Bits(1 | 1 << 5)),
            (Word::Saved, Bits(SAVED_AVX)),
        ];
        assert_eq!(conditions(&level("x86-64-v3")), Ok(v3));
        let v4 = conditions(&level("x86-64-v4")).expect("known");
        let avx512 = 1 << 16 | 1 << 17 | 1 << 28 | 1 << 30 | 1 << 31;
        assert!(v4.contains(&(LEAF_7_B, Bits(1 << 3 | 1 << 5 | 1 << 8 | avx512))), "{v4:?}");
        assert!(v4.contains(&(Word::Saved, Bits(SAVED_AVX512))), "{v4:?}");
    }

    #[test]
    fn features_are_added_and_taken_away() {
        let of = |features: &str| {
            conditions(&resolve(None, Some("x86-64-v2"), Some(features)).expect("known"))
        };
        assert!(of("+f16c").expect("known").contains(&(Word::Saved, Bits(SAVED_AVX))));
        assert_eq!(
            of("-sse4.2,-crc32").expect("known")[0].1,
            Bits(1 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 23)
        );
        assert_eq!(of("+egpr").expect_err("unknown").code(), codes::S1605);
    }

    #[test]
    fn better_processors_come_first() {
        let order = |cpus: &[&str]| {
            let targets: Vec<_> = cpus.iter().map(|cpu| level(cpu)).collect();
            best_first(&targets).expect("known")
        };
        assert_eq!(order(&["x86-64-v2", "x86-64-v4", "x86-64-v3"]), [1, 2, 0]);
        assert_eq!(order(&["skylake", "x86-64-v3", "znver4"]), [2, 0, 1]);
    }

    /// Those that cannot be detected are the newest, or unknown to Clang.
    #[test]
    fn nearly_every_cpu_can_be_recognised() {
        for (name, cpus) in known_cpus() {
            let triple = format!("{name}-unknown-linux-gnu");
            let cannot = |cpu: &&&str| conditions(&named(&triple, cpu)).is_err();
            let refused: Vec<_> = cpus.iter().filter(cannot).copied().collect();
            insta::assert_debug_snapshot!(
                format!("{name}_cpus_that_cannot_be_recognised"),
                refused
            );
        }
    }
}
