//! The contracts of the stage table: a form that breaks one is refused, by the words of the stage's check.

use strata::{Compiler, Observer, Product, STAGES, Stage, StageInfo};
use strata_diag::{Diagnostics, codes};

use crate::harness::options;

const PROGRAM: &str = "func.func public @main(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.exponential %a : tensor<4x8xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}";

/// The program with values that are split over devices.
const SPLIT: &str = "module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @m = <[\"x\"=2]>
  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> tensor<4xf32> {
    %0 = stablehlo.exponential %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}";

/// What every stage leaves of the program, as text.
#[derive(Default)]
struct Forms(Vec<(Stage, String)>);

impl Observer for Forms {
    fn stage_finished(
        &mut self,
        info: &StageInfo,
        product: &Product<'_, '_>,
        _: std::time::Duration,
    ) {
        self.0.extend(product.text().map(|text| (info.stage, text)));
    }
}

fn forms() -> Forms {
    let mut forms = Forms::default();
    Compiler::new(options("x86-64-v3"))
        .observe(&mut forms)
        .compile("program.mlir", PROGRAM.as_bytes())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let mut split = Forms::default();
    Compiler::new(options("x86-64-v3"))
        .to(Stage::Spmd)
        .observe(&mut split)
        .compile("split.mlir", SPLIT.as_bytes())
        .unwrap_or_else(|errors| panic!("{errors}"));
    forms.0.extend(split.0.into_iter().filter(|(stage, _)| *stage == Stage::Spmd));
    forms
}

/// A stage; what its form says and what it is made to say; the words of the check.
type Break = (Stage, &'static str, &'static str, &'static str);

const BREAKS: &[Break] = &[
    // One entry function of core StableHLO on static shapes.
    (
        Stage::Hlo,
        "module {",
        "module {\n  func.func private @other() {\n    return\n  }\n",
        "there is a function beside the entry",
    ),
    (
        Stage::Hlo,
        "stablehlo.exponential",
        "math.exp",
        "operations of dialect `math` cannot be compiled",
    ),
    (
        Stage::Hlo,
        "stablehlo.exponential %arg0 : tensor<4x8xf32>",
        "\"chlo.tan\"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>",
        "operations of dialect `chlo` cannot be compiled",
    ),
    (
        Stage::Hlo,
        "    return",
        "    %9 = stablehlo.exponential %arg0 : (tensor<4x8xf32>) -> tensor<4x?xf32>\n    return",
        "type `tensor<4x?xf32>` has a dimension that is known only at run time",
    ),
    // As at the end of `hlo`; no sharding is left.
    (
        Stage::Spmd,
        "  func.func",
        "  sdy.mesh @m = <[\"x\"=2]>\n  func.func",
        "a sharding of it is left",
    ),
    (
        Stage::Spmd,
        "stablehlo.exponential %arg0 : tensor<2xf32>",
        "stablehlo.exponential %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<[\"x\"=2]>, [{}]>]>} : tensor<2xf32>",
        "a sharding of it is left",
    ),
    // No StableHLO operation is left; integers are signless.
    (
        Stage::Linalg,
        "    return",
        "    %9 = stablehlo.negate %arg0 : tensor<4x8xf32>\n    return",
        "an operation of another dialect is left",
    ),
    (
        Stage::Linalg,
        "    return",
        "    %9 = tensor.empty() : tensor<3xui8>\n    return",
        "a type with a sign, or narrower than a byte, is left",
    ),
    (
        Stage::Linalg,
        "%arg1: tensor<8x8xf32>)",
        "%arg1: tensor<8x8xf32>, %arg2: tensor<3xui8>)",
        "a type with a sign, or narrower than a byte, is left",
    ),
    // Tensors only, in regions of one block; no vector above 4 KiB, no tag of a schedule.
    (
        Stage::Schedule,
        "    return",
        "    %9 = memref.alloc() : memref<3xf32>\n    return",
        "an operation of another dialect is left",
    ),
    (
        Stage::Schedule,
        "    return",
        "    %9 = ub.poison : memref<3xf32>\n    return",
        "there is a buffer, but buffers are assigned later",
    ),
    (
        Stage::Schedule,
        "    return",
        "    %9 = ub.poison : vector<1025xf32>\n    return",
        "a vector is larger than any schedule needs",
    ),
    (
        Stage::Schedule,
        "    return",
        "    %9 = tensor.empty() {strata.transpose} : tensor<3xf32>\n    return",
        "a tag of a schedule is left",
    ),
    // No tensor is left; every buffer is an argument, a constant or has an offset.
    (
        Stage::Affine,
        "    return",
        "    %9 = ub.poison : tensor<3xf32>\n    return",
        "a tensor has no buffer",
    ),
    (
        Stage::Affine,
        "    return",
        "    %9 = memref.alloc() : memref<3xf32>\n    return",
        "a buffer is not in the memory plan",
    ),
    (
        Stage::Affine,
        "    return",
        "    %9 = ub.poison : memref<3xf32>\n    return",
        "a buffer is not an argument, not a constant and has no offset in the workspace",
    ),
    (
        Stage::Affine,
        "arith.constant 0 : index",
        "arith.constant 64 : index",
        "a buffer ends outside the workspace",
    ),
    (
        Stage::Affine,
        "module {",
        "module {\n  memref.global \"private\" @state : memref<3xf32> = dense<0.0>\n",
        "a global is not constant",
    ),
    (
        Stage::Affine,
        "strata.workspace_size = 128",
        "strata.workspace_size = 192",
        "the entry's last argument is not the workspace",
    ),
    // Only vectors that the target has.
    (
        Stage::Vector,
        "    return",
        "    %9 = ub.poison : vector<16xf32>\n    return",
        "the target has no `vector<16xf32>`",
    ),
    (
        Stage::Vector,
        "    return",
        "    %9 = ub.poison : vector<2x4xf32>\n    return",
        "the target has no `vector<2x4xf32>`",
    ),
    (
        Stage::Vector,
        "    return",
        "    affine.for %i = 0 to 4 {\n    }\n    return",
        "the loop or access should have been lowered",
    ),
    // LLVM dialect only, with the marked entry and the exported function.
    (
        Stage::Llvm,
        "    llvm.return",
        "    %c = arith.constant 1 : i32\n    llvm.return",
        "`arith.constant` is left after stage `llvm`",
    ),
    (
        Stage::Llvm,
        "strata.entry = \"main\", ",
        "",
        "no function carries the attribute `strata.entry`",
    ),
    (Stage::Llvm, "@test_main(", "@another(", "there is no exported function `@test_main`"),
];

fn refused(from: Stage, to: Stage, text: &str) -> Diagnostics {
    let compiler = Compiler::new(options("x86-64-v3")).from(from).to(to);
    match compiler.compile("edited.mlir", text.as_bytes()) {
        Ok(_) => panic!("it is taken:\n{text}"),
        Err(errors) => errors,
    }
}

#[test]
fn what_breaks_a_contract_is_refused_by_its_check() {
    let forms = forms();
    for (stage, from, to, words) in BREAKS {
        let (_, text) = forms.0.iter().find(|(of, _)| of == stage).expect("the form");
        assert!(text.contains(from), "nothing to edit at stage {stage}: `{from}` in\n{text}");
        let errors = refused(*stage, *stage, &text.replacen(from, to, 1));
        let first = errors.iter().next().expect("an error");
        let reason = first.reason_text().unwrap_or_default();
        assert!(reason.contains(words), "{stage}: `{to}`: {first}");
    }
}

/// What no stage has changed yet is refused as it is read.
#[test]
fn input_and_llvm_ir_verify() {
    let wrong = PROGRAM.replace("%a : tensor<4x8xf32>", "%a : tensor<4x9xf32>");
    assert_eq!(
        refused(Stage::Input, Stage::Input, &wrong).iter().next().map(|it| it.code()),
        Some(codes::S1016)
    );
    let forms = forms();
    let (_, text) = forms.0.iter().find(|(of, _)| *of == Stage::LlvmIr).expect("LLVM IR");
    let wrong = text.replacen("ret void", "ret i8 0", 1);
    assert_ne!(*text, wrong);
    let errors = refused(Stage::LlvmIr, Stage::LlvmIr, &wrong);
    assert!(errors.iter().all(|it| it.code() == codes::S1001), "{errors}");
}

/// The text and the object need the same symbols, and neither is made with others.
#[test]
fn assembly_and_object_need_allowed_symbols_only() {
    let forms = forms();
    let (_, text) = forms.0.iter().find(|(of, _)| *of == Stage::LlvmIr).expect("LLVM IR");
    let call = "  call void @elsewhere()\n  ret void";
    let wrong = text.replace("  ret void", call) + "\ndeclare void @elsewhere()\n";
    assert!(wrong.contains(call), "{text}");
    for to in [Stage::Asm, Stage::Obj] {
        let errors = refused(Stage::LlvmIr, to, &wrong);
        let said = errors.iter().filter_map(|it| it.reason_text()).collect::<String>();
        assert!(errors.iter().all(|it| it.code() == codes::S0009), "{to}: {errors}");
        assert!(said.contains("(S1701): `elsewhere`"), "{to}: {errors}");
    }
}

#[test]
fn every_stage_is_broken_here() {
    let elsewhere = [Stage::Input, Stage::LlvmIr, Stage::Asm, Stage::Obj];
    for info in STAGES {
        let here = BREAKS.iter().any(|(stage, ..)| *stage == info.stage);
        assert!(here || elsewhere.contains(&info.stage), "{}: {}", info.name, info.contract);
    }
}
