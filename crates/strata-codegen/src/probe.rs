//! Determines a target's vector instructions: those of a CPU from LLVM's own list of its features, those of other features
//! by having LLVM compile functions that each need one instruction, because features imply others.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use inkwell::{memory_buffer::MemoryBuffer, targets::FileType};
use strata_diag::{Diagnostic, codes};
use strata_options::OptLevel;
use strata_target::{Isa, Target};

use crate::{
    machine::{Session, bug, machine},
    target::{cpu_features, is_x86},
};

const X86: &str = r#"
define void @avx2(ptr %p, ptr %q) {
  %a = load <8 x i32>, ptr %p
  %b = load <8 x i32>, ptr %q
  %c = add <8 x i32> %a, %b
  store <8 x i32> %c, ptr %p
  ret void
}
define void @fma(ptr %p) {
  %a = load <4 x float>, ptr %p
  %b = call <4 x float> @llvm.fma.v4f32(<4 x float> %a, <4 x float> %a, <4 x float> %a)
  store <4 x float> %b, ptr %p
  ret void
}
define void @bw(ptr %p, ptr %q) #0 {
  %a = load <64 x i8>, ptr %p
  %b = load <64 x i8>, ptr %q
  %c = add <64 x i8> %a, %b
  store <64 x i8> %c, ptr %p
  ret void
}
define void @dq(ptr %p) #0 {
  %a = load <8 x i64>, ptr %p
  %b = mul <8 x i64> %a, %a
  store <8 x i64> %b, ptr %p
  ret void
}
define void @vl(ptr %p) #0 {
  %a = load <4 x i32>, ptr %p
  %b = uitofp <4 x i32> %a to <4 x float>
  store <4 x float> %b, ptr %p
  ret void
}
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
attributes #0 = { "min-legal-vector-width"="512" "prefer-vector-width"="512" }
"#;

const AARCH64: &str = r#"
define void @neon(ptr %p) {
  %a = load <4 x float>, ptr %p
  %b = fadd <4 x float> %a, %a
  store <4 x float> %b, ptr %p
  ret void
}
"#;

/// What was found for a triple, a CPU and features: the question costs as much as compiling a small program.
static KNOWN: Mutex<BTreeMap<[String; 3], Isa>> = Mutex::new(BTreeMap::new());

/// The widest vectors of the target; `isa` of `target` is not looked at.
pub(crate) fn isa(target: &Target) -> Result<Isa, Diagnostic> {
    if let Some(isa) = listed(target) {
        return Ok(isa);
    }
    let key = [target.triple.clone(), target.cpu.clone(), target.features.clone()];
    // A thread that panicked left the map as it was.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(isa) = known().get(&key) {
        return Ok(*isa);
    }
    let isa = probe(target)?;
    known().insert(key, isa);
    Ok(isa)
}

const AVX2: [&str; 2] = ["avx2", "fma"];
const AVX512: [&str; 4] = ["avx512f", "avx512bw", "avx512dq", "avx512vl"];
/// What these imply.
const OLDER: [&str; 8] = ["sse", "sse2", "sse3", "ssse3", "sse4.1", "sse4.2", "avx", "f16c"];

/// What LLVM's list of the CPU's features says, where no feature is given besides, or a list that says it of each, as that of
/// the host does.
fn listed(target: &Target) -> Option<Isa> {
    if !is_x86(target) {
        return None;
    }
    let given: Vec<&str> = target.features.split(',').filter(|item| !item.is_empty()).collect();
    let features = match given.is_empty() {
        true => cpu_features(target)?,
        false => {
            let says = |name: &&str, sign: char| {
                given.iter().any(|item| item.strip_prefix(sign) == Some(*name))
            };
            let mut all = AVX2.iter().chain(&AVX512);
            let is_clear = all.all(|name| says(name, '+') != says(name, '-'))
                && AVX2.iter().chain(&OLDER).all(|name| !says(name, '-'));
            if !is_clear {
                return None;
            }
            given.iter().filter_map(|item| item.strip_prefix('+')).collect()
        }
    };
    let has = |names: &[&str]| names.iter().all(|name| features.contains(name));
    Some(match (has(&AVX2), has(&AVX512)) {
        (true, true) => Isa::Avx512,
        (true, false) => Isa::Avx2,
        _ => Isa::Sse2,
    })
}

fn probe(target: &Target) -> Result<Isa, Diagnostic> {
    if target.triple.starts_with("x86_64") || target.triple.starts_with("amd64") {
        let code = compile(target, X86)?;
        let has = |function: &str, mnemonic: &str, register: &str| {
            body(&code, function).any(|line| line.contains(mnemonic) && line.contains(register))
        };
        let avx2 = has("avx2", "vpaddd", "%ymm") && has("fma", "vfm", "%xmm");
        let avx512 = has("bw", "vpaddb", "%zmm")
            && has("dq", "vpmullq", "%zmm")
            && has("vl", "vcvtudq2ps", "%xmm");
        Ok(match (avx2, avx512) {
            (true, true) => Isa::Avx512,
            (true, false) => Isa::Avx2,
            _ => Isa::Sse2,
        })
    } else {
        let code = compile(target, AARCH64)?;
        let neon = body(&code, "neon").any(|line| line.contains("fadd") && line.contains(".4s"));
        Ok(if neon { Isa::Neon } else { Isa::Scalar })
    }
}

/// The lines of a function in assembly text.
fn body<'a>(code: &'a str, function: &str) -> impl Iterator<Item = &'a str> {
    let label = format!("{function}:");
    code.lines()
        .skip_while(move |line| !line.starts_with(&label))
        .skip(1)
        .take_while(|line| !line.contains(".size"))
}

fn compile(target: &Target, text: &str) -> Result<String, Diagnostic> {
    let session = Session::new();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "probe");
    let module = session
        .context()
        .create_module_from_ir(buffer)
        .map_err(|error| bug("the probe of the target does not parse", &error.to_string()))?;
    let machine = machine(target, OptLevel::Default)?;
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let code = machine.write_to_memory_buffer(&module, FileType::Assembly);
    match (session.error(), code) {
        (None, Ok(code)) => Ok(String::from_utf8_lossy(code.as_slice()).into_owned()),
        (error, code) => {
            let error = error.or_else(|| code.err().map(|error| error.to_string()));
            Err(Diagnostic::new(codes::S1603).reason(format!(
                "LLVM makes no code for `{}` with `{}`: {}",
                target.cpu,
                target.features,
                error.unwrap_or_default()
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::target::{known_cpus, resolve};

    #[test]
    fn the_list_of_features_says_what_the_code_generator_does() {
        let mut compared = 0;
        for (name, cpus) in known_cpus() {
            for cpu in cpus {
                let triple = format!("{name}-unknown-linux-gnu");
                let target = resolve(Some(&triple), Some(cpu), None).expect("a known CPU");
                let plain = strata_target::Target { features: String::new(), ..target };
                let Some(listed) = super::listed(&plain) else { continue };
                assert_eq!(super::probe(&plain), Ok(listed), "{cpu}");
                compared += 1;
            }
        }
        assert!(compared > 50, "{compared}");
        for features in ["", ",+avx512bw", ",-avx512bw"] {
            let features = format!("+avx2,+fma,+avx512f,+avx512dq,+avx512vl{features}");
            let plain = strata_target::Target {
                features,
                ..resolve(None, Some("x86-64-v3"), None).expect("a known CPU")
            };
            if let Some(listed) = super::listed(&plain) {
                assert_eq!(super::probe(&plain), Ok(listed), "{}", plain.features);
            }
        }
        let native = resolve(None, Some("native"), None);
        if let Some(native) = native.ok().filter(super::is_x86) {
            assert_eq!(super::probe(&native), Ok(native.isa), "{}", native.features);
        }
    }
}
