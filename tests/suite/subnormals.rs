//! Subnormal numbers: kept by default, zeros with `--flush-subnormals`, and callers whose processor flushes them by itself.

use std::arch::asm;

use strata::{Artifact, Compiler, Options, Stage, Tasks};
use strata_threads::Pool;

use crate::{
    command::strata,
    harness::{Loaded, cpus, options},
};

/// Bits of `MXCSR` that flush operands and results.
const FLUSHES: u32 = 1 << 6 | 1 << 15;

fn mode() -> u32 {
    let mut mode = 0_u32;
    // SAFETY: stores four bytes.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack)) };
    mode
}

/// Calls `work` where the processor flushes subnormal numbers.
fn flushing<R>(work: impl FnOnce() -> R) -> R {
    let set = |mode: u32| {
        // SAFETY: loads four bytes; the mode is restored below, and `work` computes nothing but what is tested.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack)) };
    };
    let own = mode();
    set(own | FLUSHES);
    let result = work();
    set(own);
    result
}

fn compiled(text: &str, options: Options) -> Artifact {
    Compiler::new(options).compile("subnormals.mlir", text.as_bytes()).expect("it compiles")
}

fn bytes(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

/// `%x * %y` and `%x + %z`, of so many numbers.
fn program(count: usize) -> String {
    let ty = format!("tensor<{count}xf32>");
    format!(
        "func.func public @main(%x: {ty}, %y: {ty}, %z: {ty}) -> ({ty}, {ty}) {{
           %0 = stablehlo.multiply %x, %y : {ty}
           %1 = stablehlo.add %x, %z : {ty}
           return %0, %1 : {ty}, {ty}
         }}"
    )
}

/// Subnormal products, and sums with a subnormal operand and result.
#[test]
fn subnormal_numbers_are_kept_or_flushed() {
    let count = 1000;
    let inputs = [1e-30, 1e-10, -1e-30].map(|one| bytes(vec![one; count]));
    let tiny = [bytes(vec![3e-39; count]), bytes(vec![1.0; count]), bytes(vec![1e-39; count])];
    for cpu in cpus() {
        for flush_subnormals in [false, true] {
            let artifact = compiled(&program(count), Options { flush_subnormals, ..options(cpu) });
            let loaded = Loaded::new(&artifact);
            let before = mode();
            let products = numbers(&loaded.call(&inputs)[0]);
            let of_tiny: Vec<_> = loaded.call(&tiny).iter().map(|one| numbers(one)).collect();
            assert_eq!(before & FLUSHES, mode() & FLUSHES, "{cpu}");
            let expected =
                if flush_subnormals { [0.0; 3] } else { [1e-30 * 1e-10, 3e-39, 3e-39 + 1e-39] };
            assert_eq!(products, vec![expected[0]; count], "{cpu}");
            assert_eq!(of_tiny[0], vec![expected[1]; count], "{cpu}");
            assert_eq!(of_tiny[1], vec![expected[2]; count], "{cpu}");
            // A caller who flushes still does after a call, and so does the call.
            flushing(|| {
                assert_eq!(numbers(&loaded.call(&inputs)[0]), vec![0.0; count], "{cpu}");
                assert_eq!(mode() & FLUSHES, FLUSHES, "{cpu}");
            });
        }
    }
}

/// Each thread is told by the task that it runs.
#[test]
fn tasks_flush_on_all_threads() {
    let count = 1 << 12;
    let pool = Pool::new(3);
    let inputs = [1e-30, 1e-10, -1e-30].map(|one| bytes(vec![one; count]));
    for cpu in cpus() {
        for flush_subnormals in [false, true] {
            let options = Options { flush_subnormals, tasks: Tasks::Always, ..options(cpu) };
            let artifact = compiled(&program(count), options);
            let loaded = Loaded::new(&artifact);
            let expected = if flush_subnormals { 0.0 } else { 1e-30 * 1e-10 };
            for _ in 0..20 {
                let products = numbers(&loaded.call_on_threads(&inputs, pool.executor())[0]);
                assert_eq!(products, vec![expected; count], "{cpu}");
            }
        }
    }
}

/// Programs of open sizes, and those for several processors, flush whatever they choose.
#[test]
fn every_way_into_an_object_flushes() {
    let open = "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
        %0 = stablehlo.multiply %x, %x : tensor<?xf32>
        return %0 : tensor<?xf32>
    }";
    for (flush_subnormals, expected) in [(false, 1e-20 * 1e-20), (true, 0.0)] {
        let options = || Options { flush_subnormals, ..options("x86-64") };
        let bounds = vec![("input0.0".to_owned(), 40)];
        let loaded = Loaded::new(&compiled(open, Options { open: true, max: bounds, ..options() }));
        for size in [1, 3, 17, 40] {
            let inputs = [bytes(vec![1e-20; size])];
            let (status, found) = loaded.call_open(&inputs, &[size as i64], &[4 * size]);
            assert_eq!(status, 0);
            assert_eq!(numbers(&found[0]), vec![expected; size], "{size}");
        }
        let target = |cpu: &&str| strata_codegen::target::resolve(None, Some(cpu), None);
        let versions = ["x86-64", "x86-64-v3"].iter().map(|cpu| target(cpu).expect("a target"));
        let several = Options { versions: versions.collect(), ..options() };
        let loaded = Loaded::new(&compiled(&program(100), several));
        let inputs = [1e-20, 1e-20, 1.0].map(|one| bytes(vec![one; 100]));
        assert_eq!(numbers(&loaded.call(&inputs)[0]), vec![expected; 100]);
    }
}

#[test]
fn aarch64_has_a_register_for_it() {
    let target = strata_codegen::target::resolve(Some("aarch64-unknown-linux-gnu"), None, None);
    let options = Options { flush_subnormals: true, ..Options::new(target.expect("a target")) };
    let compiler = Compiler::new(options).to(Stage::Llvm);
    let artifact = compiler.compile("subnormals.mlir", program(64).as_bytes()).expect("compiles");
    let text = artifact.text().expect("text");
    let count = |name| text.matches(name).count();
    assert!(count("llvm.aarch64.get.fpcr") >= 2, "{text}");
    assert_eq!(count("llvm.aarch64.get.fpcr"), count("llvm.aarch64.set.fpcr"), "{text}");
}

/// Numbers of `f16` below its normal range are not subnormal in `f32`.
#[test]
fn conversions_do_not_depend_on_the_mode_of_the_caller() {
    let text =
        "func.func public @main(%x: tensor<65536xf16>) -> (tensor<65536xf32>, tensor<65536xf16>) {
        %0 = stablehlo.convert %x : (tensor<65536xf16>) -> tensor<65536xf32>
        %1 = stablehlo.negate %x : tensor<65536xf16>
        return %0, %1 : tensor<65536xf32>, tensor<65536xf16>
    }";
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for cpu in cpus() {
        let loaded = Loaded::new(&compiled(text, options(cpu)));
        let expected = loaded.call(std::slice::from_ref(&all));
        let halves = numbers(&expected[0]);
        assert_eq!(halves[1], 2f32.powi(-24), "{cpu}");
        assert_eq!(halves[0x83ff], -1023.0 * 2f32.powi(-24), "{cpu}");
        let found = flushing(|| loaded.call(std::slice::from_ref(&all)));
        assert!(found == expected, "{cpu}");
    }
}

/// Where results are compared with those of the evaluator.
#[test]
fn what_compares_declines_to_flush() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.mlir"), program(8)).expect("written");
    let given = ["verify", "p.mlir", "--flush-subnormals"];
    let ended = strata(folder.path(), &given);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("S0001"), "{}", ended.stderr);
}
