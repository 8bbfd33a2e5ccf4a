//! No iteration of a loop copies its state: where it reads the old one until the new one is complete, two buffers are rotated.
//! Stages 40, 50 and 70 are read for copies.

use std::{fmt::Write as _, fs, path::Path};

use strata::{Compiler, Stage};
use strata_ir::TypeExt as _;

use crate::harness::snapshot_options;

/// The program at a stage.
#[track_caller]
fn text(path: &Path, stage: Stage) -> String {
    let bytes = fs::read(path).expect("the program");
    match Compiler::new(snapshot_options()).to(stage).compile("input.mlir", &bytes) {
        Ok(artifact) => String::from_utf8(artifact.bytes().to_vec()).expect("text"),
        Err(errors) => panic!("{}: {errors}", path.display()),
    }
}

/// The lines of the bodies of `scf.while`, by indentation: from `scf.while` to the brace that closes it.
fn inside_loops(text: &str) -> Vec<&str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inside = Vec::new();
    let mut open: Option<usize> = None;
    for line in text.lines() {
        match open {
            None if line.contains("scf.while") => open = Some(indent(line)),
            Some(depth) if indent(line) == depth && line.trim_start() == "}" => open = None,
            Some(_) => inside.push(line),
            None => {}
        }
    }
    inside
}

/// Whether a nest of loops only moves elements from one buffer to another of the same shape, at the same place.
fn copy_nests(lines: &[&str]) -> usize {
    let body = |window: &&[&str]| {
        let [load, store] = window else { return false };
        let (load, store) = (load.trim(), store.trim());
        let at = |text: &str| Some(text.split_once('[')?.1.split_once(']')?.0.to_owned());
        // The shape, whatever the layout; a single element does not count as carried state.
        let ty = |text: &str| {
            let shape = text.rsplit_once("memref<")?.1;
            Some(shape.split([',', '>']).next()?.to_owned())
        };
        let is_pair = load.contains("affine.load") && store.starts_with("affine.store");
        let value = load.split(' ').next().unwrap_or_default();
        is_pair
            && store.contains(&format!("affine.store {value},"))
            && at(load) == at(store)
            && ty(load).is_some_and(|shape| shape.contains('x'))
            && ty(load) == ty(store)
    };
    lines.windows(2).filter(body).count()
}

#[rstest::rstest]
fn no_trip_copies_the_state(
    #[values("stencil", "swapped", "nested", "branches", "stacked", "product")] case: &str,
) {
    let path = Path::new("ops/while").join(case).join("input.mlir");
    // The row that a scan writes does not count as carried state.
    let rows = usize::from(case == "stacked");
    for stage in [Stage::Affine, Stage::Vector] {
        let text = text(&path, stage);
        let inside = inside_loops(&text);
        assert!(!inside.is_empty(), "{case}: the loop is left\n{text}");
        let copies = inside.iter().filter(|line| line.contains("memref.copy")).count();
        assert!(copies + copy_nests(&inside) <= rows, "{case}: stage {stage:?}\n{text}");
    }
    // The copies of stage 40 before and after the loop are in the LLVM IR, and no others, except the row of each of the nine
    // iterations of a scan, which LLVM may unroll.
    let outside = text(&path, Stage::Affine).matches("memref.copy").count() + 9 * rows;
    let found = text(&path, Stage::LlvmIr).matches("call void @llvm.memcpy").count();
    assert!(found <= outside, "{case}: {found} copies, {outside} before the loop and after it");
}

/// A program that does twice in each trip of a loop what the one at `path` does, on inputs that change from trip to trip, so that
/// nothing is moved out of the loop and temporaries of the two share memory.
#[track_caller]
fn twice_in_a_loop(path: &Path) -> String {
    let context = strata::new_context();
    let bytes = fs::read(path).expect("the program");
    let module = strata_ir::parse(&context, "input.mlir", &bytes).expect("parses");
    let entry = strata_ir::entry(&module, None).expect("an entry");
    let body = entry.body(0);
    let inputs: Vec<_> = body.args().iter().map(|value| value.ty()).collect();
    let outputs: Vec<_> =
        body.terminator().expect("a return").operands().iter().map(|value| value.ty()).collect();
    entry.set_attr("sym_name", strata_ir::string(&context, "inner"));
    entry.set_attr("sym_visibility", strata_ir::string(&context, "private"));

    let list = |types: &[strata_ir::Type<'_>]| {
        types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let values = |name: &str, count| {
        (0..count).map(|at| format!("%{name}{at}")).collect::<Vec<_>>().join(", ")
    };
    let arguments = |name: &str| {
        let each = inputs.iter().enumerate();
        each.map(|(at, ty)| format!("%{name}{at}: {ty}, ")).collect::<String>()
    };
    let call = |name: &str, given: &str| {
        let found = match outputs.len() {
            0 => String::new(),
            count => format!("{} = ", values(name, count)),
        };
        let given = values(given, inputs.len());
        format!("{found}func.call @inner({given}) : ({}) -> ({})\n", list(&inputs), list(&outputs))
    };
    let choose = |to: &str, [yes, no]: [&str; 2], types: &[strata_ir::Type<'_>]| {
        let mut text = String::new();
        for (at, ty) in types.iter().enumerate() {
            // Nothing chooses between tuples or between tokens.
            let _ = match ty.is_tensor_type() {
                true => writeln!(
                    text,
                    "%{to}{at} = stablehlo.select %odd, %{yes}{at}, %{no}{at} : tensor<i1>, {ty}"
                ),
                false => writeln!(
                    text,
                    "%{to}{at} = builtin.unrealized_conversion_cast %{yes}{at} : {ty} to {ty}"
                ),
            };
        }
        text
    };
    let count = outputs.len();
    let state = list(
        &[vec![strata_ir::tensor(&[], strata_ir::integer(&context, 32))], outputs.clone()].concat(),
    );
    let begin: String = (0..count).map(|at| format!(", %s{at} = %f{at}")).collect();
    let next = |name: &str| (0..count).map(|at| format!(", %{name}{at}")).collect::<String>();
    let left: Vec<_> = (1..=count).map(|at| format!("%r#{at}")).collect();
    let main = format!(
        "func.func public @main({}{}%trips: tensor<i32>) -> ({}) {{
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           {}
           %r:{} = stablehlo.while(%i = %zero{begin}) : {state}
           cond {{
             %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           }} do {{
             %j = stablehlo.add %i, %one : tensor<i32>
             %bit = stablehlo.and %i, %one : tensor<i32>
             %odd = stablehlo.compare EQ, %bit, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
             {}{}{}{}{}
             stablehlo.return %j{} : {state}
           }}
           return {} : {}
         }}\n",
        arguments("a"),
        arguments("b"),
        list(&outputs),
        call("f", "a"),
        count + 1,
        choose("u", ["a", "b"], &inputs),
        choose("v", ["b", "a"], &inputs),
        call("g", "u"),
        call("h", "v"),
        choose("w", ["g", "h"], &outputs),
        next("w"),
        left.join(", "),
        list(&outputs),
    );
    let text = strata_ir::print(&module, false);
    let end = text.rfind('}').expect("a module");
    format!("{}{main}}}\n", &text[..end])
}

/// Temporaries of one operation share memory with those of an earlier one, also in the next iteration.
#[rstest::rstest]
fn operations_work_twice_in_a_trip(#[files("ops/**/input.mlir")] path: std::path::PathBuf) {
    // Loops carry no tuples.
    if path.ends_with("ops/tuple/signature/input.mlir") {
        return;
    }
    // No `select` takes elements with a scale for each index.
    let program = std::fs::read_to_string(&path).expect("the program");
    if program.contains("!quant.uniform") && program.contains(", {") {
        return;
    }
    let text = twice_in_a_loop(&path);
    let compiler = Compiler::new(snapshot_options()).to(Stage::Affine);
    if let Err(errors) = compiler.compile("input.mlir", text.as_bytes()) {
        panic!("{}: {errors}\n{text}", path.display());
    }
}
