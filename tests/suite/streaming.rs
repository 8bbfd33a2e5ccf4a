//! Outputs that are written past the caches: the same bits as with ordinary stores, wherever the caller's buffers begin.

use strata::{Compiler, Options, Stage, Streaming};

use crate::harness::{Loaded, cpus, options, snapshot_options};

/// Programs whose rows begin at every place of a line: rows of 701 elements are not a multiple of it. Those of the transpose are.
const STREAMED: [(&str, &str); 6] = [
    (
        "add",
        "func.func @main(%x: tensor<6400xf32>, %y: tensor<6400xf32>) -> tensor<6400xf32> {
           %0 = stablehlo.add %x, %y : tensor<6400xf32>
           return %0 : tensor<6400xf32>
         }",
    ),
    (
        "pad",
        "func.func @main(%x: tensor<17x689xf32>) -> tensor<20x701xf32> {
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.pad %x, %zero, low = [1, 5], high = [2, 7], interior = [0, 0] : (tensor<17x689xf32>, tensor<f32>) -> tensor<20x701xf32>
           return %0 : tensor<20x701xf32>
         }",
    ),
    (
        "slice",
        "func.func @main(%x: tensor<19x1402xf32>) -> tensor<17x701xf32> {
           %0 = stablehlo.slice %x [1:18, 1:1402:2] : (tensor<19x1402xf32>) -> tensor<17x701xf32>
           return %0 : tensor<17x701xf32>
         }",
    ),
    (
        "concatenate",
        "func.func @main(%x: tensor<17x300xf64>, %y: tensor<17x401xf64>) -> tensor<17x701xf64> {
           %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<17x300xf64>, tensor<17x401xf64>) -> tensor<17x701xf64>
           return %0 : tensor<17x701xf64>
         }",
    ),
    (
        "bytes",
        "func.func @main(%x: tensor<5x1501xi8>) -> tensor<7x1501xi8> {
           %zero = stablehlo.constant dense<7> : tensor<i8>
           %0 = stablehlo.pad %x, %zero, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<5x1501xi8>, tensor<i8>) -> tensor<7x1501xi8>
           return %0 : tensor<7x1501xi8>
         }",
    ),
    (
        "transpose",
        "func.func @main(%x: tensor<3x48x53xf32>) -> tensor<3x53x48xf32> {
           %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<3x48x53xf32>) -> tensor<3x53x48xf32>
           return %0 : tensor<3x53x48xf32>
         }",
    ),
];

fn text(program: &str, stage: Stage, options: Options) -> String {
    let artifact = Compiler::new(options).to(stage).compile("streamed.mlir", program.as_bytes());
    String::from_utf8(artifact.expect("compiles").bytes().to_vec()).expect("text")
}

#[test]
fn results_have_the_same_bits() {
    for (name, program) in STREAMED {
        for cpu in cpus() {
            let with = |streaming| {
                let compiler = Compiler::new(Options { streaming, ..options(cpu) }).to(Stage::Obj);
                let artifact =
                    compiler.compile("streamed.mlir", program.as_bytes()).expect("compiles");
                let signature = artifact.signature().expect("a signature").clone();
                (Loaded::new(&artifact), signature)
            };
            let (streamed, signature) = with(Streaming::Always);
            let (ordinary, _) = with(Streaming::Never);
            let bytes = |size: u64, seed: u64| {
                (0..size).map(|at| ((at * 31 + seed * 7) % 251) as u8 & 0x3f).collect::<Vec<u8>>()
            };
            let inputs: Vec<_> = signature
                .inputs
                .iter()
                .zip(1..)
                .map(|(one, seed)| bytes(one.byte_count(), seed))
                .collect();
            assert!(streamed.call(&inputs) == ordinary.call(&inputs), "{name} on {cpu}");
        }
    }
}

#[test]
fn outputs_that_caches_hold_are_written_as_always() {
    for (name, program) in STREAMED {
        for cpu in cpus() {
            let with =
                |streaming, stage| text(program, stage, Options { streaming, ..options(cpu) });
            assert!(
                with(Streaming::Always, Stage::Vector).contains("nontemporal"),
                "{name} on {cpu}"
            );
            let ordinary = with(Streaming::Worthwhile, Stage::Vector);
            assert!(!ordinary.contains("nontemporal"), "{name} on {cpu}");
        }
    }
    let large = "func.func @main(%x: tensor<4194304xf32>) -> tensor<4194304xf32> {
        %0 = stablehlo.negate %x : tensor<4194304xf32>
        return %0 : tensor<4194304xf32>
    }";
    assert!(text(large, Stage::Vector, snapshot_options()).contains("nontemporal"));
    let other = Options {
        target: strata::target::resolve(Some("aarch64-unknown-linux-gnu"), None, None)
            .expect("a target"),
        ..snapshot_options()
    };
    assert!(!text(large, Stage::Vector, other).contains("nontemporal"));
}

/// Such stores become visible in any order.
#[test]
fn tasks_end_with_a_fence() {
    for (name, program) in STREAMED {
        let options = Options { streaming: Streaming::Always, ..snapshot_options() };
        let llvm = text(program, Stage::Llvm, options);
        assert!(llvm.contains("llvm.x86.sse.sfence"), "{name}");
    }
}

#[test]
fn donated_outputs_are_read_and_stay_in_caches() {
    let program = "func.func @main(%x: tensor<6400xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<6400xf32>) -> tensor<6400xf32> {
        %0 = stablehlo.add %x, %y : tensor<6400xf32>
        return %0 : tensor<6400xf32>
    }";
    let options = Options { streaming: Streaming::Always, ..snapshot_options() };
    assert!(!text(program, Stage::Vector, options).contains("nontemporal"));
}

fn on(cpu: &str) -> Options {
    let target = strata::target::resolve(Some("x86_64-unknown-linux-gnu"), Some(cpu), None);
    Options { target: target.expect("a target"), ..snapshot_options() }
}

/// What is computed by more operations waits for memory on some processors only.
#[test]
fn functions_pass_the_caches_on_processors_with_tiles() {
    let of = |function: &str| {
        format!(
            "func.func @main(%x: tensor<4194304xf32>) -> tensor<4194304xf32> {{
               %0 = stablehlo.{function} %x : tensor<4194304xf32>
               return %0 : tensor<4194304xf32>
             }}"
        )
    };
    let passes = |function: &str, cpu: &str| {
        text(&of(function), Stage::Vector, on(cpu)).contains("nontemporal")
    };
    for cpu in ["x86-64-v4", "znver5", "sapphirerapids"] {
        assert_eq!(passes("tanh", cpu), cpu == "sapphirerapids", "{cpu}");
        assert!(passes("negate", cpu) && !passes("sine", cpu), "{cpu}");
    }
}

#[test]
fn rows_of_large_inputs_are_asked_for_ahead_on_processors_with_tiles() {
    let reduced = |rows: usize, columns: usize, ty: &str| {
        format!(
            "func.func @main(%x: tensor<{rows}x{columns}x{ty}>) -> tensor<{rows}x{ty}> {{
               %0 = stablehlo.constant dense<0.0> : tensor<{ty}>
               %1 = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<{rows}x{columns}x{ty}>, tensor<{ty}>) -> tensor<{rows}x{ty}>
               return %1 : tensor<{rows}x{ty}>
             }}"
        )
    };
    let requests = |program: &str, cpu: &str| {
        text(program, Stage::Affine, on(cpu)).matches("memref.prefetch").count()
    };
    let large = reduced(4096, 2048, "f32");
    // Four vectors of a line each.
    assert_eq!(requests(&large, "sapphirerapids"), 4);
    assert_eq!(requests(&large, "znver5"), 0);
    assert_eq!(requests(&reduced(4096, 4096, "bf16"), "graniterapids"), 4);
    // What a cache holds, and rows that end before the request.
    assert_eq!(requests(&reduced(4096, 1024, "f32"), "sapphirerapids"), 0);
    assert_eq!(requests(&reduced(65536, 256, "f32"), "sapphirerapids"), 0);
}
