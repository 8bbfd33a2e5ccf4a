//! Outputs of programs: text, artifacts, objects, functions.

use strata_builder::{
    Builder, Computation, F32, Linked, Literal, Options, Program, S32, Shape, Stage, native,
};

use super::{build, run};

fn sum() -> Program {
    build(|b| b.parameter(F32, [3], "x").add(b.parameter(F32, [3], "y")))
}

#[test]
fn a_program_that_is_built_is_the_program_that_is_written() {
    let text = r#"module @test {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
"#;
    assert_eq!(sum().to_text().expect("text"), text);
}

#[test]
fn the_same_calls_build_the_same_bytes() {
    let bytes = || {
        let program = build(|b| {
            let x = b.parameter(F32, [2, 3], "x");
            let helper =
                Computation::new("helper", &[Shape::array(F32, [2, 3])], |_, p| p[0].tanh())?;
            b.call(&helper, &[x])?.reduce(0.0, &Computation::add(F32)?, &[1])
        });
        let artifact = program.to_artifact("1.0.0").expect("an artifact");
        let object =
            program.compile(Options::new(native().expect("a machine"))).expect("an object");
        (program.to_text().expect("text"), artifact, object.bytes().to_vec())
    };
    assert!(bytes() == bytes());
}

#[test]
fn artifacts_are_of_the_version_that_is_asked_for() {
    let bytes = sum().to_artifact("1.2.0").expect("an artifact");
    assert_eq!(
        strata_vhlo::version_of(&bytes).map(|version| version.to_string()),
        Some("1.2.0".to_owned())
    );
    for wrong in ["0.1.0", "99.0.0", "new", ""] {
        let error = sum().to_artifact(wrong).expect_err("no such version");
        assert_eq!(error.code().id(), "S1012", "{wrong}: {error}");
    }
}

#[test]
fn programs_compile_to_objects_and_to_earlier_stages() {
    let options = Options { name: "sum".into(), ..Options::new(native().expect("a machine")) };
    let artifact = sum().compile(options.clone()).expect("an object");
    assert_eq!(artifact.stage(), Stage::Obj);
    assert!(artifact.header().is_some_and(|header| header.contains("sum_main")));
    let compiler = strata::Compiler::new(options).to(Stage::Linalg);
    let linalg = sum().compile_with(compiler).expect("linalg");
    assert!(
        linalg.text().is_some_and(|text| text.contains("linalg.generic")),
        "{:?}",
        linalg.text()
    );
}

#[test]
fn functions_check_what_they_are_given() {
    let function = sum().load().expect("a function");
    let x = Literal::from([1.0_f32, 2.0, 3.0]);
    assert_eq!(
        function.call(&[x.clone(), x.clone()]).expect("a sum"),
        [Literal::from([2.0_f32, 4.0, 6.0])]
    );
    for (arguments, code) in [
        (vec![x.clone()], "S1801"),
        (vec![x.clone(), Literal::from([1.0_f32])], "S1802"),
        (vec![x.clone(), Literal::from([[1.0_f32, 2.0, 3.0]])], "S1802"),
        (vec![x.clone(), Literal::from([1_i32, 2, 3])], "S1803"),
    ] {
        assert_eq!(function.call(&arguments).expect_err("refused").code().id(), code);
        assert_eq!(sum().evaluate(&arguments).expect_err("refused").code().id(), code);
    }
}

#[test]
fn functions_are_called_from_several_threads() {
    let function = sum().load().expect("a function");
    std::thread::scope(|scope| {
        for at in 0..4 {
            let function = &function;
            scope.spawn(move || {
                let x = Literal::from([at as f32; 3]);
                for _ in 0..100 {
                    let found = function.call(&[x.clone(), x.clone()]).expect("a sum");
                    assert_eq!(found, [Literal::from([2.0 * at as f32; 3])]);
                }
            });
        }
    });
}

#[test]
fn programs_of_other_threads_have_contexts_of_their_own() {
    let results: Vec<_> = (0..3)
        .map(|_| std::thread::spawn(|| sum().evaluate(&[[1.0_f32; 3].into(), [2.0_f32; 3].into()])))
        .collect();
    for result in results {
        assert_eq!(result.join().expect("a thread").expect("a sum"), [Literal::from([3.0_f32; 3])]);
    }
}

#[test]
fn parameters_have_numbers() {
    let b = Builder::new("swapped");
    let second = b.parameter_at(1, &Shape::scalar(F32), "second");
    let first = b.parameter_at(0, &Shape::scalar(F32), "first");
    let program = b.build(&first.sub(&second).expect("a difference")).expect("a program");
    assert_eq!(run(&program, &[5.0_f32.into(), 3.0_f32.into()]), [Literal::from(2.0_f32)]);
    let names: Vec<&str> = program.parameters().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
}

#[test]
fn tuples_of_tuples_go_in_and_out_by_their_elements() {
    let inner = Shape::tuple([Shape::scalar(F32), Shape::scalar(S32)]);
    let program = build(|b| {
        let x = b.parameter_of(&Shape::tuple([inner, Shape::array(F32, [2])]), "x");
        let pair = x.get_tuple_element(0)?;
        b.tuple(&[x.get_tuple_element(1)?, b.tuple(&[pair.get_tuple_element(1)?, pair])?])
    });
    assert_eq!(program.result().to_string(), "(f32[2], (s32[], (f32[], s32[])))");
    let arguments: [Literal; 3] = [1.5_f32.into(), 7_i32.into(), [2.0_f32, 3.0].into()];
    let found = run(&program, &arguments);
    assert_eq!(found, [arguments[2].clone(), 7_i32.into(), 1.5_f32.into(), 7_i32.into()]);
}

#[test]
fn unused_operations_are_left_out_and_parameters_stay() {
    let program = build(|b| {
        let x = b.parameter(F32, [3], "x");
        let _ = b.parameter(F32, [4], "unused").exp()?;
        x.neg()
    });
    let text = program.to_text().expect("text");
    assert!(!text.contains("exponential") && text.contains("tensor<4xf32>"), "{text}");
}

#[test]
fn a_builder_builds_several_programs() {
    let b = Builder::new("several");
    let x = b.parameter(F32, [], "x");
    let double = (&x + &x).expect("a sum");
    let square = (&double * &double).expect("a product");
    let first = b.build(&double).expect("a program");
    let second = b.build(&square).expect("a program");
    assert_eq!(run(&first, &[3.0_f32.into()]), [Literal::from(6.0_f32)]);
    assert_eq!(run(&second, &[3.0_f32.into()]), [Literal::from(36.0_f32)]);
}

#[test]
fn programs_outlive_their_builders_and_handles_their_programs() {
    let handle = {
        let b = Builder::new("gone");
        b.parameter(F32, [2], "x")
    };
    let more = (&handle + 1.0).expect("a sum");
    let program = more.builder().build(&more).expect("a program");
    drop((handle, more));
    assert_eq!(run(&program, &[[1.0_f32, 2.0].into()]), [Literal::from([2.0_f32, 3.0])]);
}

#[test]
fn lines_of_rust_are_locations_of_operations() {
    let line = line!() + 3;
    let b = Builder::new("located");
    let x = b.parameter(F32, [3], "x");
    let y = x.exp().expect("one");
    let program = b.build(&y).expect("a program");
    let text = program.to_text_with_locations().expect("text");
    assert!(text.contains(&format!("programs.rs\":{line}:")), "{text}");
    // The code carries them to the object's debug information.
    let options = Options { debug_info: true, ..Options::new(native().expect("a machine")) };
    let compiler = strata::Compiler::new(options).to(Stage::LlvmIr);
    let code = program.compile_with(compiler).expect("code");
    let code = code.text().expect("text");
    assert!(code.contains("programs.rs") && code.contains(&format!("line: {line}")), "{code}");
}

#[test]
fn operations_carry_shardings_frontend_attributes_and_names() {
    let b = Builder::new("attributes");
    let x = b.parameter(F32, [3], "x");
    b.set_sharding(Some("{replicated}"));
    b.set_frontend_attributes(&[("key", "value"), ("other", "text")]).expect("attributes");
    b.set_op_metadata(Some("layer/exp"));
    let y = x.exp().expect("one");
    b.set_sharding(None);
    b.set_frontend_attributes(&[]).expect("none");
    b.set_op_metadata(None);
    let program = b.build(&y.neg().expect("one")).expect("a program");
    let text = program.to_text_with_locations().expect("text");
    let line =
        |word: &str| text.lines().find(|line| line.contains(word)).expect("a line").to_owned();
    let exp = line("stablehlo.exponential");
    assert!(exp.contains("mhlo.sharding = \"{replicated}\""), "{exp}");
    assert!(
        exp.contains("mhlo.frontend_attributes = {key = \"value\", other = \"text\"}"),
        "{exp}"
    );
    assert!(text.contains("layer/exp"), "{text}");
    assert!(!line("stablehlo.negate").contains("mhlo"), "{text}");
    assert!(b.set_frontend_attributes(&[("key", "1"), ("key", "2")]).is_err());
    assert!(b.set_frontend_attributes(&[("", "1")]).is_err());
    assert_eq!(run(&program, &[[0.0_f32; 3].into()]), [Literal::from([-1.0_f32; 3])]);
}

#[test]
fn custom_calls_run_with_the_functions_that_they_are_given() {
    use strata_builder::{ApiVersion, CustomCall};
    /// The documents' `extern "C" void myfunc(void* out, void** in)`.
    extern "C" fn myfunc(out: *mut f32, input: *const *const f32) {
        // SAFETY: the call below has operands of 2 and 6 numbers and a result of 9.
        unsafe {
            let (x, y) = (*input, *input.add(1));
            for at in 0..9 {
                *out.add(at) = 0.0;
            }
            *out = *x.add(1) + *y.add(3);
        }
    }
    let program = build(|b| {
        let operands =
            [b.constant([1.0_f32, 2.0]), b.constant([[10.0_f32, 20.0, 30.0], [40.0, 50.0, 60.0]])];
        let shape = Some(Shape::array(F32, [3, 3]));
        b.custom_call(
            &operands,
            &CustomCall {
                target: "myfunc",
                shape,
                api_version: ApiVersion::Original,
                ..CustomCall::default()
            },
        )
    });
    let options = Options::new(native().expect("a machine"));
    let missing =
        program.load_with(options.clone(), &Linked::default()).expect_err("it is not there");
    assert_eq!(missing.code().id(), "S1703", "{missing}");
    let mut linked = Linked::default();
    linked.define("myfunc", myfunc as *const std::ffi::c_void);
    let found =
        program.load_with(options, &linked).expect("a function").call(&[]).expect("a result");
    // z[0][0] = x[1] + y[1][0]
    assert_eq!(found[0].to_vec::<f32>().expect("floats")[..2], [42.0, 0.0]);
}
