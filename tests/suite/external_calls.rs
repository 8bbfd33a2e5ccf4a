//! Calls that leave the program: targets in C for every convention, JAX's linear algebra.

mod run_time_library;

use std::{fs, path::Path, process::Command, sync::Arc};

use strata::{Artifact, Compiler, Options, TensorSpec};
use strata_diag::codes;
use strata_eval::{Evaluator, Session, Tensor};
use strata_run::{Environment, HostIo, Linked, Loaded};

use crate::{
    arrays::npy,
    command::strata,
    harness::{cpus, options},
};

const CALLS: &str = include_str!("external_calls/calls.mlir");

/// The functions of the run-time library.
fn runtime() -> Linked {
    let mut linked = Linked::default();
    linked.offer(strata_runtime::TARGETS);
    linked
}

/// A host that feeds the bytes of 1.0, 2.0, … and keeps what comes out.
#[derive(Default)]
struct Numbers {
    fed: u16,
    out: Vec<(Option<i64>, Vec<u8>)>,
}

impl Numbers {
    fn array(&mut self, bytes: u64) -> Vec<u8> {
        let mut next = || {
            self.fed += 1;
            f32::from(self.fed)
        };
        let numbers = (0..bytes.div_ceil(4)).flat_map(|_| next().to_le_bytes());
        numbers.take(bytes as usize).collect()
    }

    fn keep(
        &mut self,
        channel: Option<i64>,
        arrays: Vec<(TensorSpec, Vec<u8>)>,
    ) -> Result<(), i32> {
        self.out.extend(arrays.into_iter().map(|(_, bytes)| (channel, bytes)));
        Ok(())
    }
}

impl HostIo for Numbers {
    fn infeed(&mut self, _: &str, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        Ok(types.iter().map(|spec| self.array(spec.byte_count())).collect())
    }

    fn outfeed(&mut self, _: &str, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.keep(None, arrays)
    }

    fn send(&mut self, channel: i64, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.keep(Some(channel), arrays)
    }

    fn recv(&mut self, _: i64, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        self.infeed("", types)
    }
}

/// Gives the evaluator the run-time library and the same host.
pub fn serve(session: &mut Session) {
    session.set_outside(strata_verify::outside(Arc::new(runtime())));
    let mut host = Numbers::default();
    session.set_host(Box::new(move |_, _, types| {
        let tensor = |(shape, element): &(Vec<usize>, _)| {
            let bytes = host.array(strata_verify::spec_of(shape, *element).byte_count());
            Tensor::from_bytes(shape, *element, bytes)
        };
        types.iter().map(tensor).collect::<strata_eval::Result<_>>().map(Some)
    }));
}

/// Calls an object that leaves the program; what came out has to be what the evaluator gave its host.
#[track_caller]
pub fn call(
    artifact: &Artifact,
    options: &Options,
    inputs: &[Vec<u8>],
    evaluated: &Session,
) -> Vec<Vec<u8>> {
    let signature = artifact.signature().expect("a signature");
    let loaded =
        Loaded::linked(artifact.bytes(), options, signature, &runtime()).expect("it links");
    let mut host = Numbers::default();
    let mut environment = Environment { host: Some(&mut host), ..Environment::default() };
    let (status, outputs) = loaded.call_in(inputs, &mut environment).expect("called");
    assert_eq!(status, 0);
    let outfed = evaluated.outfed_by(0).into_iter().map(|tensors| (None, tensors));
    let sent = evaluated.sent_by(0).into_iter().map(|(channel, tensors)| (Some(channel), tensors));
    let expected: Vec<_> = outfed
        .chain(sent)
        .flat_map(|(to, all)| all.into_iter().map(move |one| (to, one.bytes().to_vec())))
        .collect();
    assert_eq!(host.out, expected);
    outputs
}

#[track_caller]
pub fn compile(text: &str, options: &Options) -> Artifact {
    match Compiler::new(options.clone()).compile("calls.mlir", text.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}"),
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub fn words(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Builds `external_calls/targets.c` against the header of `artifact` as a shared library.
#[track_caller]
fn library(artifact: &Artifact, folder: &Path) -> std::path::PathBuf {
    fs::write(folder.join("calls.h"), artifact.header().expect("a header")).expect("written");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/external_calls/targets.c");
    let shared = folder.join("targets.so");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1"])
        .arg("-DHEADER=\"calls.h\"")
        .arg("-I")
        .arg(folder)
        .arg(source)
        .arg("-o")
        .arg(&shared);
    let output = cc.output().expect("cc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    shared
}

/// x, y, m and what comes out of them.
fn inputs() -> Vec<Vec<u8>> {
    vec![
        floats(&[1.0, 2.0, 3.0]),
        floats(&[1.0, 0.0, -1.0]),
        floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    ]
}

fn outputs() -> Vec<Vec<u8>> {
    vec![
        floats(&[12.0, 2.0, -8.0]),
        floats(&[6.0, 1.0, -4.0]),
        words(&[12, 2, -8]),
        words(&[97, 98, -1]),
        // 2 m + the position in column-major order.
        floats(&[2.0, 6.0, 10.0, 9.0, 13.0, 17.0]),
        // The operand that shared its buffer is still what it was.
        floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        words(&[13, 3, -7]),
    ]
}

#[test]
fn targets_get_what_their_convention_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for cpu in cpus() {
        let options = options(cpu);
        let artifact = compile(CALLS, &options);
        let shared = library(&artifact, folder.path());
        let mut linked = Linked::default();
        linked.open(&shared).expect("the library loads");
        let signature = artifact.signature().expect("a signature");
        let loaded =
            Loaded::linked(artifact.bytes(), &options, signature, &linked).expect("it links");
        assert_eq!(loaded.call(&inputs()).expect("called"), (0, outputs()), "{cpu}");
        // A target's status ends the program and is what the entry returns.
        let mut negative = inputs();
        negative[0] = floats(&[-100.0, 0.0, 0.0]);
        assert_eq!(loaded.call(&negative).expect("called").0, 77);
    }
}

#[test]
fn the_evaluator_calls_the_same_targets() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let artifact = compile(CALLS, &options("x86-64"));
    let mut linked = Linked::default();
    linked.open(&library(&artifact, folder.path())).expect("the library loads");
    // What needs a dictionary in it is not called for the evaluator.
    let text = "func.func public @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
        %0 = stablehlo.custom_call @weigh(%x, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
        %1:2 = stablehlo.custom_call @halves(%0) {api_version = 2 : i32}
          : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)
        return %1#0, %1#1 : tensor<3xf32>, tensor<3xi32>
      }";
    let context = strata::new_context();
    let module = strata_ir::parse(&context, "calls.mlir", text.as_bytes()).expect("parses");
    let evaluator = Evaluator::new(&module).expect("can be evaluated");
    let mut session = Session::new(0);
    session.set_outside(strata_verify::outside(Arc::new(linked)));
    let run = |x: &[f32]| {
        let inputs = [Tensor::from_f32(&[3], x), Tensor::from_f32(&[3], &[1.0, 0.0, -1.0])];
        evaluator.run(None, &inputs, &session)
    };
    let found = run(&[2.0, 2.0, 2.0]).expect("evaluates");
    assert_eq!(found[0].bytes(), floats(&[6.0, 1.0, -4.0]));
    assert_eq!(found[1].bytes(), words(&[12, 2, -8]));
    let error = run(&[-100.0, 0.0, 0.0]).expect_err("a status");
    assert!(error.reason_text().is_some_and(|reason| reason.contains("@halves returned 77")));
}

/// What a target does not write of a buffer that it shares with an operand is the operand's. Operands that say a
/// shape are not passed.
#[test]
fn both_engines_share_buffers() {
    let text = "func.func public @main(%s: tensor<1xi32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
        %0 = stablehlo.custom_call @first(%x) {api_version = 2 : i32,
          output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
            operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>
        %1 = stablehlo.custom_call @first(%s, %x) {api_version = 2 : i32,
          indices_of_shape_operands = dense<0> : tensor<1xi64>,
          output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
            operand_index = 1, operand_tuple_indices = []>]} : (tensor<1xi32>, tensor<3xf32>) -> tensor<3xf32>
        return %0, %1, %x : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
      }";
    let inputs = vec![words(&[3]), floats(&[1.0, 2.0, 3.0])];
    let expected = vec![floats(&[101.0, 2.0, 3.0]); 2];
    let expected = [expected, vec![inputs[1].clone()]].concat();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = options("x86-64");
    let artifact = compile(text, &options);
    let mut linked = Linked::default();
    linked.open(&library(&artifact, folder.path())).expect("the library loads");
    let signature = artifact.signature().expect("a signature");
    let loaded = Loaded::linked(artifact.bytes(), &options, signature, &linked).expect("it links");
    assert_eq!(loaded.call(&inputs).expect("called"), (0, expected.clone()));

    let context = strata::new_context();
    let module = strata_ir::parse(&context, "calls.mlir", text.as_bytes()).expect("parses");
    let evaluator = Evaluator::new(&module).expect("can be evaluated");
    let mut session = Session::new(0);
    session.set_outside(strata_verify::outside(Arc::new(linked)));
    let tensors = evaluator.tensors_of_bytes(None, &inputs).expect("inputs fit");
    let found = evaluator.run(None, &tensors, &session).expect("evaluates");
    let found: Vec<_> = found.iter().map(|tensor| tensor.bytes().to_vec()).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_object_needs_its_targets_and_nothing_else() {
    let artifact = compile(CALLS, &options("x86-64"));
    let mut needed = strata_codegen::emit::undefined_symbols(artifact.bytes()).expect("an object");
    needed.retain(|name| !strata_codegen::emit::is_allowed(name, false));
    assert_eq!(needed, ["halves", "letters", "pairs", "scaled", "weigh"]);
    let names: Vec<_> = artifact.foreign().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["halves", "letters", "pairs", "scaled", "weigh"]);
    let signature = artifact.signature().expect("a signature");
    let error = Loaded::new(artifact.bytes(), &options("x86-64"), signature).expect_err("missing");
    assert_eq!(error.code(), codes::S1703);
}

#[test]
fn one_target_has_one_prototype() {
    let text = "func.func public @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
        %0 = stablehlo.custom_call @f(%x) : (tensor<3xf32>) -> tensor<3xf32>
        %1 = stablehlo.custom_call @f(%x) {api_version = 2 : i32} : (tensor<3xf32>) -> tensor<3xf32>
        return %0, %1 : tensor<3xf32>, tensor<3xf32>
      }";
    let errors = Compiler::new(options("x86-64")).compile("f.mlir", text.as_bytes());
    assert!(errors.expect_err("refused").to_string().contains("S1202"));
}

#[test]
fn names_that_are_taken_are_refused() {
    for taken in [
        "test_main",
        "test_main_signature",
        "TEST_MAIN_WORKSPACE_SIZE",
        "expf",
        "memcpy",
        "malloc",
        "printf",
        "int",
        "static_assert",
        "strata_executor",
        "STRATA_OK",
        "INT32_MAX",
    ] {
        let text = format!(
            "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
               %0 = stablehlo.custom_call @{taken}(%x) : (tensor<3xf32>) -> tensor<3xf32>
               return %0 : tensor<3xf32>
             }}"
        );
        let errors = Compiler::new(options("x86-64")).compile("f.mlir", text.as_bytes());
        assert!(errors.expect_err("refused").to_string().contains("S1202"), "{taken}");
    }
}

/// A call in a loop whose state it updates in place, in a branch, and with buffers without elements.
#[test]
fn calls_stand_in_loops_and_branches() {
    let text = "func.func public @main(%x: tensor<3xf32>, %n: tensor<i32>, %none: tensor<0x3xf32>)
        -> (tensor<3xf32>, tensor<3xf32>, tensor<2x0xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3xf32>
        cond {
          %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %more : tensor<i1>
        } do {
          %1:2 = stablehlo.custom_call @halves(%v) {api_version = 2 : i32, output_operand_aliases = [
            #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0,
            operand_tuple_indices = []>]} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)
          %2 = stablehlo.add %i, %one : tensor<i32>
          %3 = stablehlo.subtract %v, %1#0 : tensor<3xf32>
          %4 = stablehlo.convert %1#1 : (tensor<3xi32>) -> tensor<3xf32>
          %5 = stablehlo.add %3, %4 : tensor<3xf32>
          stablehlo.return %2, %5 : tensor<i32>, tensor<3xf32>
        }
      %6 = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = \"stablehlo.if\"(%6) ({
        %8 = stablehlo.custom_call @weigh(%0#1, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
        stablehlo.return %8 : tensor<3xf32>
      }, {
        stablehlo.return %x : tensor<3xf32>
      }) : (tensor<i1>) -> tensor<3xf32>
      %9 = stablehlo.custom_call @empty(%none) : (tensor<0x3xf32>) -> tensor<2x0xf32>
      return %0#1, %7, %9 : tensor<3xf32>, tensor<3xf32>, tensor<2x0xf32>
    }";
    let inputs = |n| vec![floats(&[8.0, 2.5, 1.0]), words(&[n]), Vec::new()];
    engines_agree(text, &(0..4).map(inputs).collect::<Vec<_>>());
}

/// A target gets a pointer: what it is given is dense, also where it is a column or a part of each row.
#[test]
fn slices_are_copied_for_calls() {
    let text = "func.func public @main(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %0 = stablehlo.slice %x [0:3, 1:2] : (tensor<3x4xf32>) -> tensor<3x1xf32>
      %1 = stablehlo.reshape %0 : (tensor<3x1xf32>) -> tensor<3xf32>
      %2 = stablehlo.slice %x [1:2, 1:4] : (tensor<3x4xf32>) -> tensor<1x3xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x3xf32>) -> tensor<3xf32>
      %4 = stablehlo.custom_call @weigh(%1, %3) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %5 = stablehlo.add %x, %x : tensor<3x4xf32>
      %6 = stablehlo.slice %5 [0:3, 3:4] : (tensor<3x4xf32>) -> tensor<3x1xf32>
      %7 = stablehlo.reshape %6 : (tensor<3x1xf32>) -> tensor<3xf32>
      %8 = stablehlo.custom_call @weigh(%7, %4) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      return %4, %8 : tensor<3xf32>, tensor<3xf32>
    }";
    let inputs = (0_u8..12).map(|one| f32::from(one) * 1.5 - 4.0).collect::<Vec<_>>();
    engines_agree(text, &[vec![floats(&inputs)]]);
}

/// Checks that compiled code computes what the evaluator does, where both call the targets of the library.
fn engines_agree(text: &str, inputs: &[Vec<Vec<u8>>]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let calls = compile(CALLS, &options("x86-64"));
    let mut linked = Linked::default();
    linked.open(&library(&calls, folder.path())).expect("the library loads");
    let context = strata::new_context();
    let module = strata_ir::parse(&context, "calls.mlir", text.as_bytes()).expect("parses");
    let evaluator = Evaluator::new(&module).expect("can be evaluated");
    let linked = Arc::new(linked);
    for cpu in cpus() {
        let options = options(cpu);
        let artifact = compile(text, &options);
        let signature = artifact.signature().expect("a signature");
        let loaded =
            Loaded::linked(artifact.bytes(), &options, signature, &linked).expect("it links");
        for (round, inputs) in inputs.iter().enumerate() {
            let tensors = evaluator.tensors_of_bytes(None, inputs).expect("inputs fit");
            let mut session = Session::new(0);
            session.set_outside(strata_verify::outside(Arc::clone(&linked)));
            let expected = evaluator.run(None, &tensors, &session).expect("evaluates");
            let expected: Vec<_> = expected.iter().map(|one| one.bytes().to_vec()).collect();
            assert_eq!(loaded.call(inputs).expect("called"), (0, expected), "{round} on {cpu}");
        }
    }
}

#[test]
fn the_command_loads_and_links_libraries() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("calls.mlir"), CALLS).expect("written");
    for ((name, shape), bytes) in
        [("x", "(3,)"), ("y", "(3,)"), ("m", "(2, 3)")].iter().zip(inputs())
    {
        fs::write(at(&format!("{name}.npy")), npy("<f4", shape, &bytes)).expect("written");
    }
    let arrays = ["--input", "x.npy", "--input", "y.npy", "--input", "m.npy"];
    let missing = strata(folder.path(), &[&["run", "calls.mlir"], &arrays[..]].concat());
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.contains("`halves`, `letters`, `pairs`, `scaled`, `weigh`"),
        "{}",
        missing.stderr
    );

    let artifact = compile(CALLS, &Options { name: "calls".into(), ..options("x86-64") });
    library(&artifact, folder.path());
    let link = ["--link", "targets.so", "--output-dir", "out"];
    strata(folder.path(), &[&["run", "calls.mlir"], &arrays[..], &link[..]].concat()).succeeded();
    let written = fs::read(at("out/output4.npy")).expect("an output");
    assert!(written.ends_with(&outputs()[4]));

    let build = ["compile", "calls.mlir", "--emit", "exe", "-o", "program", "--link", "targets.so"];
    strata(folder.path(), &build).succeeded();
    let refused = strata(folder.path(), &build[..6]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

/// Whatever runs a program says which function is missing and how to give it.
#[test]
fn missing_functions_are_told_by_every_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let call = "stablehlo.custom_call @mine(%x) {api_version = 2 : i32} : (tensor<3xf32>) -> tensor<3xf32>";
    let program = format!(
        "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {{\n  %0 = {call}\n  return %0 : tensor<3xf32>\n}}\n"
    );
    let case = format!(
        "func.func @main() {{\n  %x = stablehlo.constant dense<1.0> : tensor<3xf32>\n  %0 = {call}\n  \
         check.expect_eq_const %0, dense<1.0> : tensor<3xf32>\n  return\n}}\n"
    );
    fs::write(folder.path().join("mine.mlir"), program).expect("written");
    fs::write(folder.path().join("case.mlir"), case).expect("written");
    for words in [
        "verify mine.mlir",
        "verify mine.mlir --stages",
        "test case.mlir",
        "test case.mlir --engine compiled",
    ] {
        let ended = strata(folder.path(), &words.split(' ').collect::<Vec<_>>());
        let said = format!("{}{}", ended.stderr, String::from_utf8_lossy(&ended.stdout));
        assert!(ended.code != 0 && said.contains("error[S1703]"), "{words}: {said}");
        assert!(
            said.contains("the program calls `mine`, which nothing defines"),
            "{words}: {said}"
        );
        assert!(said.contains("`--link FILE.so`"), "{words}: {said}");
    }
}

/// `verify` refuses a program in the words of `compile`, before it evaluates anything.
#[test]
fn verify_refuses_as_compile_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = |line: &str| {
        format!(
            "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {{\n  {line}\n  return %0 : tensor<3xf32>\n}}\n"
        )
    };
    let callback = "%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>";
    let gathered = "%0 = \"stablehlo.all_reduce\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  stablehlo.return %a : tensor<f32>\n}) \
                    {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>) -> tensor<3xf32>";
    for (line, code) in [(callback, "S1202"), (gathered, "S1103")] {
        fs::write(folder.path().join("p.mlir"), program(line)).expect("written");
        let said = |words: &str| {
            let ended = strata(folder.path(), &words.split(' ').collect::<Vec<_>>());
            assert_ne!(ended.code, 0, "{words}: {}", ended.stderr);
            ended.stderr
        };
        let compiled = said("compile p.mlir -o p.o");
        assert!(compiled.contains(&format!("error[{code}]")), "{compiled}");
        assert_eq!(said("verify p.mlir"), compiled);
        assert_eq!(said("verify p.mlir --stages"), compiled);
    }
}
