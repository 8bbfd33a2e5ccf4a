//! Misuse of every kind: an error with operation, place and rule, never a panic.

use strata_builder::{
    ArrayShape, Builder, C64, Computation, ElementType, F32, F64, FftType, GatherDimensionNumbers,
    Literal, Op, PRED, Padding, Result, S32, ScatterDimensionNumbers, ScatterOptions, Shape,
    Transpose, U8,
};

use num_complex::Complex;
use strata_diag::codes;

use super::refuses;

#[test]
fn values_of_another_builder() {
    let other = Builder::new("other");
    let foreign = other.parameter(F32, [3], "x");
    refuses(|b| b.parameter(F32, [3], "x").add(&foreign), "S1015", "another builder");
    refuses(|b| foreign.add(b.parameter(F32, [3], "x")), "S1015", "another builder");
    refuses(|b| b.tuple(std::slice::from_ref(&foreign)), "S1015", "another builder");
    refuses(
        |b| b.concat_in_dim(&[b.constant([1.0_f32]), foreign.clone()], 0),
        "S1015",
        "another builder",
    );
    refuses(|b| b.constant(true).select(&foreign, &foreign), "S1015", "another builder");
    refuses(
        |b| b.parameter(F32, [3], "x").reduce(&foreign, &Computation::add(F32)?, &[0]),
        "S1015",
        "another builder",
    );
    let identity =
        Computation::new("id", &[Shape::array(F32, [3])], |_, p| Ok(p[0].clone())).expect("one");
    refuses(|b| b.call(&identity, std::slice::from_ref(&foreign)), "S1015", "another builder");
    let error = Builder::new("test").build(&foreign).expect_err("not its own");
    assert_eq!((error.code(), error.operation()), (codes::S1015, Some("Build")));
    // A computation's builder gives its values to no other.
    let leaked = std::cell::RefCell::new(None);
    Computation::new("leaky", &[Shape::scalar(F32)], |_, p| {
        *leaked.borrow_mut() = Some(p[0].clone());
        Ok(p[0].clone())
    })
    .expect("one");
    let leaked = leaked.into_inner().expect("a value");
    refuses(|b| b.constant(1.0_f32).add(&leaked), "S1015", "another builder");
}

#[test]
fn parameters_that_cannot_be_are_reported_where_they_are_declared() {
    for (dimensions, words) in [
        (vec![-1_i64], "negative"),
        (vec![i64::MAX, i64::MAX], "2^47"),
        (vec![1 << 40, 1 << 40, 0], "2^47"),
        (vec![1; 300], "at most 256 dimensions"),
        (vec![i64::MIN + 1], "negative"),
    ] {
        let b = Builder::new("test");
        let line = line!() + 1;
        let x = b.parameter(F32, &dimensions, "x");
        let used = x.neg().expect_err("it failed");
        let built = b.build(&b.constant(1_i32)).expect_err("it failed");
        for error in [used, built] {
            assert_eq!(error.code().id(), "S1014");
            assert_eq!(error.operation(), Some("Parameter"));
            assert_eq!(error.location().map(|place| place.line), Some(line));
            assert!(error.to_string().contains(words), "{error}");
        }
        assert!(x.shape().is_err() && format!("{x:?}").contains("failed"));
    }
    for element in [
        ElementType::Signed(7),
        ElementType::Float(24),
        ElementType::SmallFloat("f3"),
        ElementType::Complex(8),
    ] {
        let b = Builder::new("test");
        assert!(b.parameter(element, [2], "x").shape().is_err(), "{element}");
    }
    let uneven = ArrayShape { element: F32, dimensions: vec![1, 2], is_dynamic: vec![false] };
    assert!(Builder::new("test").parameter_of(&Shape::Array(uneven), "x").shape().is_err());
}

#[test]
fn parameters_with_numbers_that_are_taken_or_missing() {
    let b = Builder::new("test");
    let x = b.parameter_at(0, &Shape::scalar(F32), "x");
    let again = b.parameter_at(0, &Shape::scalar(F32), "again");
    assert!(x.shape().is_ok());
    assert!(
        again
            .shape()
            .expect_err("taken")
            .to_string()
            .contains("there is a parameter 0 already, `x`")
    );
    let b = Builder::new("test");
    let x = b.parameter_at(2, &Shape::scalar(F32), "x");
    assert!(b.build(&x).expect_err("missing").to_string().contains("parameter 0 is missing"));
}

#[test]
fn literals_that_do_not_fill_their_arrays() {
    assert_eq!(Literal::new(&[2, 3], &[1.0_f32]).expect_err("too few").code().id(), "S1802");
    assert_eq!(
        Literal::from_bytes(F32, &[2], vec![0; 7]).expect_err("too few").code().id(),
        "S1802"
    );
    assert_eq!(
        Literal::from_bytes(F32, &[usize::MAX, 2], vec![]).expect_err("overflow").code().id(),
        "S1802"
    );
    assert_eq!(
        Literal::full(F32, &[usize::MAX, 2], 0.0).expect_err("overflow").code().id(),
        "S1802"
    );
    assert_eq!(
        Literal::from([1.0_f32]).to_vec::<f64>().expect_err("another type").code().id(),
        "S1803"
    );
    assert_eq!(
        Literal::from([1.0_f32, 2.0]).to_scalar::<f32>().expect_err("two").code().id(),
        "S1802"
    );
    assert_eq!(Literal::full(S32, &[2], 7.0).expect("one").to_vec::<i32>().expect("ints"), [7, 7]);
    assert_eq!(Literal::min_value(S32).to_scalar::<i32>().expect("one"), i32::MIN);
    assert_eq!(Literal::max_value(U8).to_scalar::<u8>().expect("one"), u8::MAX);
    assert_eq!(Literal::min_value(F32).to_scalar::<f32>().expect("one"), f32::NEG_INFINITY);
    assert!(Literal::one(PRED).to_scalar::<bool>().expect("one"));
}

#[test]
fn tuples_and_tokens_where_arrays_are_expected() {
    let pair = |b: &Builder| b.tuple(&[b.constant(1.0_f32), b.constant(2.0_f32)]);
    refuses(|b| pair(b)?.add(1.0), "S1014", "tuple");
    refuses(|b| pair(b)?.neg(), "S1014", "tuple");
    refuses(|b| b.constant(1.0_f32).add(pair(b)), "S1014", "tuple");
    refuses(|b| pair(b)?.reshape(&[1]), "S1014", "");
    refuses(|b| b.create_token()?.reshape(&[1]), "S1014", "");
    refuses(|b| b.create_token()?.neg(), "S1014", "token");
    refuses(|b| b.create_token()?.dot(b.constant([1.0_f32])), "S1014", "");
    refuses(|b| pair(b)?.dot(b.constant([1.0_f32])), "S1014", "");
    refuses(|b| b.create_token()?.transpose(&[]), "S1014", "");
    refuses(|b| b.create_token()?.slice(&[], &[], &[]), "S1014", "");
}

/// Values of every kind for an operand.
fn operands(b: &Builder) -> Vec<Op> {
    let mut all = Vec::new();
    for element in [
        F32,
        S32,
        PRED,
        C64,
        U8,
        strata_builder::BF16,
        strata_builder::F8E4M3FN,
        strata_builder::S4,
    ] {
        for dimensions in [&[][..], &[2], &[2, 2], &[0, 3], &[2, 2, 2]] {
            all.push(b.parameter(element, dimensions, ""));
        }
    }
    all.push(b.parameter_of(
        &Shape::Array(ArrayShape::new(F32, [4, 2]).with_dynamic(0).expect("a dimension")),
        "bounded",
    ));
    let unbounded = ArrayShape {
        element: F32,
        dimensions: vec![strata_builder::UNBOUNDED, 2],
        is_dynamic: vec![true, false],
    };
    all.push(b.parameter_of(&Shape::Array(unbounded), "unbounded"));
    all.push(b.tuple(&[all[0].clone(), all[1].clone()]).expect("a tuple"));
    all.push(b.create_token().expect("a token"));
    all
}

/// Whatever operands they get, operations give a value or an error with a place; nothing panics or ends the process.
#[test]
fn any_operands_for_any_operation() {
    let b = Builder::new("any");
    let all = operands(&b);
    let add = Computation::add(F32).expect("a sum");
    let less = Computation::lt(F32).expect("an order");
    let gather = GatherDimensionNumbers {
        offset_dims: vec![0],
        index_vector_dim: 1,
        start_index_map: vec![0],
        ..Default::default()
    };
    let scatter = ScatterDimensionNumbers {
        update_window_dims: vec![0],
        index_vector_dim: 1,
        ..Default::default()
    };
    type Two<'a> = (&'static str, Box<dyn Fn(&Op, &Op) -> Result<Op> + 'a>);
    let calls: Vec<Two<'_>> = vec![
        ("add", Box::new(|x, y| x.add(y))),
        ("add_in_dim", Box::new(|x, y| x.add_in_dim(y, &[1]))),
        ("complex", Box::new(|x, y| x.complex(y))),
        ("shift_left", Box::new(|x, y| x.shift_left(y))),
        ("compare", Box::new(|x, y| x.lt(y))),
        ("total order", Box::new(|x, y| x.lt_total_order(y, &[]))),
        ("clamp", Box::new(|x, y| x.clamp(y, y))),
        ("select", Box::new(|x, y| x.select(y, y))),
        ("dot", Box::new(|x, y| x.dot(y))),
        ("dot_general", Box::new(|x, y| x.dot_general(y, &Default::default()))),
        ("conv", Box::new(|x, y| x.conv(y, &[], Padding::Same, &Default::default()))),
        ("reduce", Box::new(|x, y| x.reduce(y, &add, &[0]))),
        ("reduce_window", Box::new(|x, y| x.reduce_window(y, &add, &[1], &[1], Padding::Same))),
        (
            "select_and_scatter",
            Box::new(|x, y| x.select_and_scatter(&less, &[1], &[1], Padding::Same, x, y, &add)),
        ),
        ("sort", Box::new(|x, y| b.sort(&[x.clone(), y.clone()], &less, None, true))),
        ("sort one", Box::new(|x, _| x.sort(&less, None, true))),
        ("map", Box::new(|x, y| b.map(&[x.clone(), y.clone()], &add, &[], &[]))),
        ("gather", Box::new(|x, y| x.gather(y, &gather, &[1], false))),
        ("scatter", Box::new(|x, y| x.scatter(y, y, &add, &scatter, ScatterOptions::default()))),
        ("pad", Box::new(|x, y| x.pad(y, &[(1, 1, 1).into()]))),
        ("dynamic_slice", Box::new(|x, y| x.dynamic_slice(std::slice::from_ref(y), &[1]))),
        (
            "dynamic_update_slice",
            Box::new(|x, y| x.dynamic_update_slice(x, std::slice::from_ref(y))),
        ),
        ("concatenate", Box::new(|x, y| b.concat_in_dim(&[x.clone(), y.clone()], 0))),
        ("batch_norm", Box::new(|x, y| x.batch_norm_training(y, y, 0.0, 0))),
        ("batch_norm_grad", Box::new(|x, y| x.batch_norm_grad(y, y, y, x, 0.0, 0))),
        ("cholesky", Box::new(|x, _| x.cholesky(true))),
        (
            "triangular_solve",
            Box::new(|x, y| x.triangular_solve(y, true, true, true, Transpose::Adjoint)),
        ),
        ("fft", Box::new(|x, _| x.fft(FftType::Fft, &[2]))),
        ("rfft", Box::new(|x, _| x.fft(FftType::Rfft, &[2, 2]))),
        ("irfft", Box::new(|x, _| x.fft(FftType::Irfft, &[2]))),
        ("rng_uniform", Box::new(|x, y| b.rng_uniform(x, y, &Shape::array(F32, [2])))),
        (
            "rng_bit_generator",
            Box::new(|x, _| {
                b.rng_bit_generator(
                    strata_builder::RandomAlgorithm::Default,
                    x,
                    &Shape::array(S32, [2]),
                )
            }),
        ),
        ("top_k", Box::new(|x, _| x.top_k(1, true))),
        ("top_k smallest", Box::new(|x, _| x.top_k(1, false))),
        ("set_dimension_size", Box::new(|x, y| x.set_dimension_size(y, 0))),
        ("get_dimension_size", Box::new(|x, _| x.get_dimension_size(0))),
        ("all_to_all", Box::new(|x, _| x.all_to_all(0, 0, 2, &[], None))),
        ("all_gather", Box::new(|x, _| x.all_gather(0, 2, &[], Default::default()))),
        ("reduce_scatter", Box::new(|x, _| x.reduce_scatter(&add, 0, 2, &[], Default::default()))),
        ("while", Box::new(|x, _| b.while_loop(&less, &add, x))),
        ("conditional", Box::new(|x, y| b.conditional(x, y, &add, y, &add))),
        ("after_all", Box::new(|x, y| b.after_all(&[x.clone(), y.clone()]))),
        ("reduce_precision", Box::new(|x, _| x.reduce_precision(5, 10))),
        ("bitcast_convert", Box::new(|x, _| x.bitcast_convert(F32))),
        ("convert", Box::new(|x, _| x.convert(C64))),
        ("exp", Box::new(|x, _| x.exp())),
        ("abs", Box::new(|x, _| x.abs())),
        ("real", Box::new(|x, _| x.real())),
        ("transpose", Box::new(|x, _| x.transpose(&[1, 0]))),
        ("broadcast", Box::new(|x, _| x.broadcast(&[2]))),
        ("rev", Box::new(|x, _| x.rev(&[0]))),
        ("slice", Box::new(|x, _| x.slice(&[0], &[1], &[1]))),
        ("iota-like reshape", Box::new(|x, _| x.reshape(&[4]))),
        (
            "ragged_dot",
            Box::new(|x, y| x.ragged_dot(y, y, &Default::default(), &Default::default())),
        ),
        (
            "scaled_dot",
            Box::new(|x, y| x.scaled_dot(y, x, y, &Default::default(), &Default::default())),
        ),
        ("optimization_barrier", Box::new(|x, _| x.optimization_barrier())),
    ];
    let (mut made, mut refused) = (0, 0);
    for (name, call) in &calls {
        for x in &all {
            // Every third: with 44 kinds of `x`, all pairs of elements and of ranks come up.
            for y in all.iter().step_by(3) {
                match call(x, y) {
                    Ok(op) => {
                        assert!(op.shape().is_ok(), "{name}");
                        made += 1;
                    }
                    Err(error) => {
                        assert!(error.location().is_some(), "{name}: {error}");
                        assert!(!error.reason().is_empty(), "{name}: {error}");
                        assert_ne!(error.code().id(), "S9001", "{name}: {error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(made > 1000 && refused > 5000, "{made} made, {refused} refused");
}

#[test]
fn arrays_that_no_memory_holds() {
    let error = Literal::full(F32, &[1 << 60], 1.0).expect_err("too large");
    assert_eq!(error.code(), codes::S1802);
}

#[test]
fn element_types_that_there_are_not() {
    for element in [
        ElementType::Signed(7),
        ElementType::Unsigned(0),
        ElementType::Float(8),
        ElementType::SmallFloat("f8E9M9"),
    ] {
        for literal in [
            Literal::full(element, &[2], 1.0),
            Literal::from_bytes(element, &[], vec![0]),
            Literal::from_bytes(element, &[], vec![]),
        ] {
            assert_eq!(literal.expect_err("no such type").code(), codes::S1803, "{element}");
        }
        let nothing = Literal::zero(element);
        assert_eq!(nothing.to_f64s(), [0.0; 0]);
        refuses(|b| b.constant(nothing).neg(), "S1014", "no element type");
        refuses(|b| b.parameter(element, [2], "x").neg(), "S1014", "no element type");
    }
}

#[test]
fn dimensions_that_cannot_be() {
    let error = ArrayShape::new(F32, [4, 2]).with_dynamic(2).expect_err("two dimensions");
    assert!(error.to_string().contains("dimension 2 is not in f32[4,2]"), "{error}");
    let unbounded = ArrayShape::new(F32, [strata_builder::UNBOUNDED, 2]);
    assert_eq!(unbounded.is_dynamic, [true, false]);
    for edge in [i64::MAX, i64::MAX / 2] {
        let padding = strata_builder::PaddingDimension {
            edge_padding_low: edge,
            edge_padding_high: edge,
            interior_padding: 1,
        };
        refuses(|b| b.parameter(F32, [4], "x").pad(0.0, &[padding]), "S1014", "larger than 2^63");
    }
    refuses(|b| b.parameter(F32, [], "x").sort_ascending(), "S1014", "a scalar");
    let error = Builder::new("b").parameter(F32, [4], "x").reshape_in_order(&[1], &[2, 2]);
    assert_eq!(error.expect_err("no such order").operation(), Some("Reshape"));
}

#[test]
fn tuples_nested_too_deeply() {
    let nested = |b: &Builder, depth: usize| {
        (0..depth).try_fold(b.constant(1.0_f32), |inner, _| b.tuple(&[inner]))
    };
    let b = Builder::new("test");
    assert!(nested(&b, 256).and_then(|root| b.build(&root)).is_ok());
    refuses(|b| nested(b, 257), "S1014", "at most 256 deep");
    refuses(|b| nested(b, 20_000), "S1014", "at most 256 deep");
    // Few handles, and more elements than there is memory.
    let doubled = |b: &Builder| {
        (0..100).try_fold(b.constant(1.0_f32), |inner, _| b.tuple(&[inner.clone(), inner]))
    };
    refuses(doubled, "S1014", "1048576 elements");
    let shape = (0..5_000).fold(Shape::scalar(F32), |inner, _| Shape::tuple(vec![inner]));
    let b = Builder::new("test");
    let error = b.parameter_of(&shape, "x").tuple_elements().map(drop);
    let error = error.expect_err("too deep").to_string();
    assert!(error.contains("at most 256 deep"), "{error}");
}

#[test]
fn numbers_that_the_element_type_does_not_have() {
    let f4 = ElementType::SmallFloat("f4E2M1FN");
    let f8 = ElementType::SmallFloat("f8E4M3FN");
    let added = |element: ElementType, number: f64| {
        move |b: &Builder| b.parameter(element, [2], "x").add(number)
    };
    refuses(added(f4, f64::NAN), "S1014", "");
    refuses(added(f4, f64::INFINITY), "S1014", "");
    refuses(added(f8, 1e30), "S1014", "");
    refuses(added(strata_builder::F16, 1e30), "S1014", "");
    refuses(added(F32, 1e300), "S1014", "");
    refuses(|b| b.parameter(F32, [2], "x").add(16_777_217_i64), "S1014", "");
    refuses(|b| b.parameter(F64, [2], "x").add((1_i64 << 53) + 1), "S1014", "");
    refuses(|b| b.parameter(F32, [2], "x").add(i64::MAX), "S1014", "");
    refuses(|b| b.parameter(C64, [2], "x").add(Complex::new(0.0, 1e300)), "S1014", "");
    let b = Builder::new("test");
    for number in [0.1, f64::NAN, f64::INFINITY, 1e-300, -0.0] {
        assert!(b.parameter(F32, [2], "").add(number).is_ok(), "{number}");
    }
    assert!(b.parameter(F32, [2], "").add(16_777_216_i64).is_ok());
    assert!(b.parameter(F64, [2], "").add(i64::MIN).is_ok());
    assert!(b.parameter(C64, [2], "").add(Complex::new(0.1, f64::NAN)).is_ok());
}

#[test]
fn padding_of_another_rank() {
    let add = || Computation::add(F32);
    let none = || Padding::General(vec![]);
    refuses(
        |b| b.parameter(F32, [4], "x").reduce_window(0.0, &add()?, &[1], &[1], none()),
        "S1014",
        "one pair of padding",
    );
    refuses(
        |b| {
            let (x, k) = (b.parameter(F32, [1, 1, 4], "x"), b.parameter(F32, [1, 1, 2], "k"));
            x.conv_with_general_padding(&k, &[], &[], &strata_builder::ConvOptions::default())
        },
        "S1014",
        "one pair of padding",
    );
    refuses(
        |b| {
            b.parameter(F32, [4], "x").reduce_window(0.0, &add()?, &[i64::MAX], &[1], Padding::Same)
        },
        "S1014",
        "less than 2^63",
    );
}

#[test]
fn complex_numbers_have_no_order() {
    refuses(
        |b| b.parameter(C64, [2], "x").lt(b.parameter(C64, [2], "y")),
        "S1014",
        "only be compared for equality",
    );
    let b = Builder::new("test");
    assert!(b.parameter(C64, [2], "x").ne(b.parameter(C64, [2], "y")).is_ok());
}

#[test]
fn errors_of_ready_computations_are_where_they_are_asked_for() {
    let line = line!() + 1;
    let error = Computation::and(F32).expect_err("no booleans");
    let place = error.location().expect("a place").to_string();
    assert!(place.contains("misuse.rs") && place.contains(&line.to_string()), "{place}");
    let b = Builder::new("test");
    let line = line!() + 1;
    let error = b.set_frontend_attributes(&[("", "x")]).expect_err("no name");
    let place = error.location().expect("a place").to_string();
    assert!(place.contains("misuse.rs") && place.contains(&line.to_string()), "{place}");
}

#[test]
fn a_ready_computation_names_its_operation() {
    let error = Computation::and(F32).expect_err("floats have no bits");
    assert_eq!(error.operation(), Some("And"));
    assert!(error.location().expect("a place").file.ends_with("misuse.rs"), "{error}");
}

#[test]
fn errors_spell_types_as_the_builder_does() {
    let mixed = "the operands have different element types: f32[3] and s32[3]";
    type Binary = fn(&Op, &Op) -> Result<Op>;
    let calls: [Binary; 3] = [|x, y| x.add(y), |x, y| x.eq(y), |x, y| x.dot(y)];
    for call in calls {
        let b = Builder::new("test");
        let (x, y) = (b.parameter(F32, [3], "x"), b.parameter(S32, [3], "y"));
        let error = call(&x, &y).expect_err("mixed types");
        assert_eq!(error.reason(), mixed);
        assert!(error.to_string().contains("`convert_element_type`"), "{error}");
    }
    let b = Builder::new("test");
    let program = b.build(&b.parameter(F32, [3], "x").tanh().expect("built")).expect("built");
    for (argument, words) in [
        (Literal::from([1.0_f64, 2.0, 3.0]), "argument 0 is f64[3], the program takes f32[3]"),
        (Literal::from([1.0_f32, 2.0]), "argument 0 is f32[2], the program takes f32[3]"),
    ] {
        let error = program.evaluate(&[argument]).expect_err("another type");
        assert!(error.to_string().contains(words), "{error}");
    }
    let wrong = Computation::add(F32).expect("one");
    let error = Builder::new("test");
    let x = error.parameter(F64, [3], "x");
    let error = x.reduce(error.constant(0.0_f64), &wrong, &[0]).expect_err("a narrower sum");
    assert!(!error.to_string().contains("tensor<"), "{error}");
    assert!(!error.to_string().contains("promotable"), "{error}");
    assert!(error.to_string().contains("f32[]"), "{error}");
}

#[test]
fn literals_and_calls_are_reported_where_they_are_made() {
    let line = line!() + 1;
    let error = Literal::new(&[2], &[1.0_f32]).expect_err("too few");
    assert_eq!(error.location().map(|place| place.line), Some(line), "{error}");
    let line = line!() + 1;
    let error = Literal::scalar(1.0_f32).to_vec::<i32>().expect_err("another type");
    assert_eq!(error.location().map(|place| place.line), Some(line), "{error}");
    assert_eq!(error.reason(), "the elements are f32, s32 were asked for");
    let program = Computation::add(F32).expect("one");
    let line = line!() + 1;
    let error = program.evaluate(&[]).expect_err("no arguments");
    assert!(error.location().is_some_and(|place| place.line == line), "{error}");
    let function = program.load().expect("loaded");
    let line = line!() + 1;
    let error = function.call(&[]).expect_err("no arguments");
    assert_eq!(error.location().map(|place| place.line), Some(line), "{error}");
}

#[test]
fn two_parameters_of_one_name_are_refused() {
    let b = Builder::new("test");
    let x = b.parameter(F32, [3], "x");
    let line = line!() + 1;
    let again = b.parameter(F32, [3], "x");
    let error = x.add(again).expect_err("one name");
    assert_eq!(
        (error.code(), error.location().map(|place| place.line)),
        (codes::S1014, Some(line))
    );
    assert_eq!(error.reason(), "parameter 0 is called `x` already");
    // Parameters without a name are told apart by their numbers.
    let b = Builder::new("test");
    assert!((b.parameter(F32, [3], "") + b.parameter(F32, [3], "")).is_ok());
}
