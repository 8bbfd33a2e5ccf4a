//! Debug information of objects: places and stacks of calls.

use strata::{Compiler, Options, Stage, Target};

#[test]
fn debug_information_knows_inlined_functions() {
    // The sine's constants come from the callee, whose locations are unknown in one program and those of the file in the other.
    for place in ["", " loc(unknown)"] {
        let text = format!(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
               %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
               return %0 : tensor<4xf32>
             }}
             func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {{
               %0 = stablehlo.sine %a : tensor<4xf32>{place}
               return %0 : tensor<4xf32>
             }}"
        );
        let options = Options { debug_info: true, ..Options::new(Target::x86_64_baseline()) };
        let object = Compiler::new(options).to(Stage::Obj).compile("f.mlir", text.as_bytes());
        assert!(object.is_ok(), "{place}");
    }
}

/// The LLVM IR, with debug information, of a program with one operation at `place`.
fn with_tanh_at(place: &str) -> String {
    let text = format!(
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
           %0 = stablehlo.tanh %a : tensor<4xf32> {place}
           return %0 : tensor<4xf32>
         }}"
    );
    let options = Options { debug_info: true, ..Options::new(Target::x86_64_baseline()) };
    let ir = Compiler::new(options).to(Stage::LlvmIr).compile("f.mlir", text.as_bytes());
    ir.expect("LLVM IR").text().expect("text").to_owned()
}

/// The stack of calls of an operation of line 11, from LLVM's own metadata: function and line of each frame.
fn stack_in(ir: &str) -> Vec<(String, String)> {
    let entry = |id: &str| {
        let start = format!("{id} = ");
        ir.lines().find(|line| line.starts_with(&start)).expect("metadata").to_owned()
    };
    let field = |line: &str, key: &str| {
        let (_, rest) = line.split_once(&format!("{key}: "))?;
        rest.split([',', ')']).next().map(str::to_owned)
    };
    let first = ir.lines().find(|line| line.contains("!DILocation(line: 11, column: 4,"));
    let mut next = first.map(str::to_owned);
    let mut stack = Vec::new();
    while let Some(line) = next {
        let scope = entry(&field(&line, "scope").expect("a scope"));
        stack.push((field(&scope, "name").expect("a name"), field(&line, "line").expect("a line")));
        next = field(&line, "inlinedAt").map(|id| entry(&id));
    }
    stack
}

#[test]
fn debug_information_has_the_stack_of_calls() {
    // JAX names the functions; the last frame of the second has no name.
    let positions = [
        (
            r#"loc("jit/tanh"(callsite("layer"("/src/layer.py":11:4) at callsite("step"("/src/train.py":5:6) at "<module>"("/src/train.py":20:1)))))"#,
            "<module>",
        ),
        (
            r#"loc(callsite("layer"("/src/layer.py":11:4) at callsite("step"("/src/train.py":5:6) at "/src/train.py":20:1)))"#,
            "train.py",
        ),
    ];
    for (place, last) in positions {
        let ir = with_tanh_at(place);
        let found = stack_in(&ir);
        let found: Vec<_> =
            found.iter().map(|(name, line)| (name.as_str(), line.as_str())).collect();
        let last = format!("\"{last}\"");
        let expected =
            [("\"layer\"", "11"), ("\"step\"", "5"), (&last, "20"), ("\"model_main.kernel\"", "1")];
        assert_eq!(found, expected, "{place}");
    }
}

#[test]
fn debug_information_names_the_innermost_place() {
    // Locations as JAX writes them: a name around a call stack, or several fused.
    let positions = [
        r#"loc("jit/tanh"(callsite("layer.py":11:4 at "train.py":5:6)))"#,
        r#"loc(fused[unknown, "jit/tanh"("layer.py":11:4)])"#,
        r#"loc(callsite("jit/tanh"("layer.py":11:4) at unknown))"#,
    ];
    for place in positions {
        let ir = with_tanh_at(place);
        assert!(ir.contains(r#"!DIFile(filename: "layer.py""#), "{place}:\n{ir}");
        assert!(ir.contains("!DILocation(line: 11, column: 4,"), "{place}:\n{ir}");
    }
}
