//! Collectives: built, and rejected by the compiler if unsupported.

use strata_builder::{
    Builder, ChannelHandle, CollectiveOptions, Computation, F32, Literal, Op, Program, Result, S32,
    Shape,
};

use super::{build, code_of, gives, refuses, shape};

fn add() -> Computation {
    Computation::add(F32).expect("a sum")
}

fn x(b: &Builder, sizes: &[i64]) -> Op {
    b.parameter(F32, sizes, "")
}

/// Built, printed and read again; the compiler says that it takes several processes.
#[track_caller]
fn is_for_several(root: impl Fn(&Builder) -> Result<Op>, expected: &str, operation: &str) {
    assert_eq!(shape(&root), expected);
    let program = build(&root);
    let text = program.to_text().expect("text");
    assert!(text.contains(operation), "{operation}: {text}");
    let context = strata_ir::new_context();
    let module = strata_ir::parse(&context, "built.mlir", text.as_bytes()).expect("it parses");
    assert_eq!(strata_ir::print(&module, false), text);
    assert_eq!(code_of(program.load()).map(|code| code.id()), Some("S1103"), "{text}");
}

const GROUPS: &[&[i64]] = &[&[0, 2], &[1, 3]];

#[test]
fn d000_all_gather() {
    let options = CollectiveOptions::default();
    is_for_several(
        |b| x(b, &[2, 3]).all_gather(0, 2, GROUPS, options),
        "f32[4,3]",
        "stablehlo.all_gather",
    );
    refuses(|b| x(b, &[2]).all_gather(1, 2, GROUPS, options), "S1014", "dimension 1 is not in");
    refuses(|b| x(b, &[2]).all_gather(0, 0, &[], options), "S1014", "shard_count is positive");
    refuses(|b| x(b, &[2]).all_gather(0, 3, GROUPS, options), "S1014", "shard_count = 3");
    refuses(|b| x(b, &[2]).all_gather(0, 2, &[&[0, 0]], options), "S1005", "");
    refuses(|b| x(b, &[2]).all_gather(0, i64::MAX, &[], options), "S1014", "too large");
    let global = CollectiveOptions { use_global_device_ids: true, ..options };
    refuses(|b| x(b, &[2]).all_gather(0, 2, GROUPS, global), "S1005", "");
    let channel = Some(ChannelHandle { handle: 1, kind: 1 });
    let global = CollectiveOptions { use_global_device_ids: true, channel_id: channel };
    assert_eq!(shape(|b| x(b, &[2]).all_gather(0, 2, GROUPS, global)), "f32[4]");
}

#[test]
fn d000_all_reduce_of_an_array_and_of_a_tuple() {
    let options = CollectiveOptions::default();
    is_for_several(
        |b| x(b, &[2]).all_reduce(&add(), GROUPS, options),
        "f32[2]",
        "stablehlo.all_reduce",
    );
    let pair =
        |b: &Builder| b.tuple(&[x(b, &[2]), x(b, &[3, 4])])?.all_reduce(&add(), GROUPS, options);
    assert_eq!(shape(pair), "(f32[2], f32[3,4])");
    refuses(|b| b.tuple(&[])?.all_reduce(&add(), GROUPS, options), "S1014", "non-empty tuple");
    refuses(|b| x(b, &[2]).all_reduce(&Computation::add(S32)?, GROUPS, options), "S1005", "");
    refuses(|b| x(b, &[2]).all_reduce(&add(), &[&[0, 1], &[1, 2]], options), "S1005", "");
    refuses(|b| x(b, &[2]).all_reduce(&add(), &[&[]], options), "S1014", "at least one replica");
}

#[test]
fn d001_cross_replica_sum() {
    is_for_several(|b| x(b, &[2]).cross_replica_sum(GROUPS), "f32[2]", "stablehlo.all_reduce");
    assert_eq!(
        shape(|b| b.tuple(&[x(b, &[2]), x(b, &[3])])?.cross_replica_sum(&[])),
        "(f32[2], f32[3])"
    );
    refuses(|b| b.tuple(&[])?.cross_replica_sum(&[]), "S1014", "arrays are expected");
}

#[test]
fn d000_all_to_all() {
    // f32[4,16] split into 4 along dimension 1, concatenated along dimension 0.
    let groups: &[&[i64]] = &[&[0, 1, 2, 3]];
    is_for_several(
        |b| x(b, &[4, 16]).all_to_all(1, 0, 4, groups, None),
        "f32[16,4]",
        "stablehlo.all_to_all",
    );
    // d002, example 2.
    is_for_several(
        |b| x(b, &[2, 4]).all_to_all(1, 0, 2, &[&[0, 1]], None),
        "f32[4,2]",
        "stablehlo.all_to_all",
    );
    refuses(|b| x(b, &[4, 15]).all_to_all(1, 0, 4, groups, None), "S1005", "");
    refuses(|b| x(b, &[4, 16]).all_to_all(2, 0, 4, groups, None), "S1005", "");
    refuses(|b| x(b, &[4, 16]).all_to_all(1, -1, 4, groups, None), "S1005", "");
    refuses(|b| x(b, &[4, 16]).all_to_all(1, 0, 2, groups, None), "S1005", "");
    refuses(|b| x(b, &[4, 16]).all_to_all(1, 0, 0, &[], None), "S1014", "split_count is positive");
    refuses(|b| b.tuple(&[x(b, &[4, 16])])?.all_to_all(1, 0, 4, groups, None), "S1014", "tuple");
    let program = |groups: &[&[i64]]| {
        build(|b| x(b, &[4, 16]).all_to_all(1, 0, 4, groups, None)).to_text().expect("text")
    };
    assert_eq!(program(&[]), program(groups), "no groups are one of all");
    for count in [(1 << 20) + 1, i64::MAX] {
        refuses(|b| x(b, &[4, 16]).all_to_all(1, 0, count, &[], None), "S1014", "1048576 replicas");
    }
}

#[test]
fn d002_collective_broadcast() {
    is_for_several(
        |b| x(b, &[2]).collective_broadcast(GROUPS, None),
        "f32[2]",
        "stablehlo.collective_broadcast",
    );
    refuses(|b| x(b, &[2]).collective_broadcast(&[&[0, 0]], None), "S1005", "");
}

#[test]
fn d000_collective_permute() {
    is_for_several(
        |b| x(b, &[2]).collective_permute(&[(0, 1), (1, 0)], None),
        "f32[2]",
        "stablehlo.collective_permute",
    );
    // Any two pairs have different sources and different targets.
    refuses(|b| x(b, &[2]).collective_permute(&[(0, 1), (2, 1)], None), "S1005", "");
    refuses(|b| x(b, &[2]).collective_permute(&[(0, 1), (0, 2)], None), "S1005", "");
}

#[test]
fn d002_reduce_scatter() {
    let options = CollectiveOptions::default();
    is_for_several(
        |b| x(b, &[2, 4]).reduce_scatter(&add(), 1, 2, &[&[0, 1]], options),
        "f32[2,2]",
        "stablehlo.reduce_scatter",
    );
    let pair = |b: &Builder| {
        b.tuple(&[x(b, &[2]), x(b, &[4, 3])])?.reduce_scatter(&add(), 0, 2, &[&[0, 1]], options)
    };
    assert_eq!(shape(pair), "(f32[1], f32[2,3])");
    refuses(
        |b| x(b, &[2, 3]).reduce_scatter(&add(), 1, 2, &[&[0, 1]], options),
        "S1014",
        "divisible by 2",
    );
    refuses(
        |b| x(b, &[2, 4]).reduce_scatter(&add(), 2, 2, &[&[0, 1]], options),
        "S1014",
        "dimension 2 is not in",
    );
    refuses(
        |b| x(b, &[2, 4]).reduce_scatter(&add(), 1, 4, &[&[0, 1]], options),
        "S1014",
        "shard_count = 4",
    );
}

#[test]
fn d002_ragged_all_to_all() {
    let ragged = |sizes: &'static [i64]| {
        move |b: &Builder| {
            let list = |name: &str| b.parameter(S32, [2], name);
            let output = b.parameter(F32, sizes, "output");
            x(b, &[3, 5]).ragged_all_to_all(
                &list("input_offsets"),
                &list("send_sizes"),
                &output,
                &list("output_offsets"),
                &list("recv_sizes"),
                &[&[0, 1]],
                None,
            )
        }
    };
    assert_eq!(shape(ragged(&[4, 5])), "f32[4,5]");
    let text = build(ragged(&[4, 5])).to_text().expect("text");
    assert!(text.contains("stablehlo.custom_call @ragged_all_to_all"), "{text}");
    refuses(ragged(&[4, 6]), "S1014", "the same rows");
    refuses(
        |b| {
            let (two, three) = (b.parameter(S32, [2], "two"), b.parameter(S32, [3], "three"));
            x(b, &[3]).ragged_all_to_all(&two, &three, &x(b, &[4]), &two, &two, &[], None)
        },
        "S1014",
        "of one shape",
    );
}

#[test]
fn d000_replica_and_partition_ids() {
    assert_eq!(shape(|b| b.replica_id()), "u32[]");
    assert_eq!(shape(|b| b.partition_id()), "u32[]");
    assert_eq!(shape(|b| b.build_partition_id()), "u32[]");
    // The only process is the first.
    gives(|b| b.replica_id(), 0_u32);
}

/// The results of each replica, run concurrently by the evaluator: the program with one parameter for each list of
/// `inputs`, which has one array for each replica.
fn concurrently(program: &Program, inputs: &[&[Literal]]) -> Vec<Literal> {
    let replicas = inputs[0].len();
    let text = program.to_text().expect("text");
    let text = text.replace("func.func public @main", "func.func private @replica");
    let (open, close) = (text.find('{').expect("a module"), text.rfind('}').expect("a module"));
    let ty = |one: &Literal| {
        let sizes: String = one.dimensions().iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{}>", one.element_type())
    };
    let given: Vec<&Literal> =
        (0..replicas).flat_map(|at| inputs.iter().map(move |list| &list[at])).collect();
    let mut leaves = vec![program.result().clone()];
    if let Shape::Tuple(elements) = program.result() {
        leaves = elements.clone();
    }
    let results: Vec<String> = leaves
        .iter()
        .map(|shape| {
            let array = shape.as_array().expect("an array");
            let sizes: String = array.dimensions.iter().map(|size| format!("{size}x")).collect();
            format!("tensor<{sizes}{}>", array.element)
        })
        .collect();
    let results = vec![results.join(", "); replicas].join(", ");
    let list = |of: &dyn Fn(usize, &Literal) -> String| {
        given.iter().enumerate().map(|(at, one)| of(at, one)).collect::<Vec<_>>().join(", ")
    };
    let count = replicas * leaves.len();
    let main = format!(
        "func.func public @main({}) -> ({results}) {{
           %r:{count} = \"interpreter.run_parallel\"({}) {{programs = [{}]}} : ({}) -> ({results})
           return {} : {results}
         }}",
        list(&|at, one| format!("%x{at}: {}", ty(one))),
        list(&|at, _| format!("%x{at}")),
        vec!["[@replica]"; replicas].join(", "),
        list(&|_, one| ty(one)),
        (0..count).map(|at| format!("%r#{at}")).collect::<Vec<_>>().join(", "),
    );
    let text = format!("module {{{}\n{main}\n}}", &text[open + 1..close]);
    let context = strata_ir::new_context();
    let module = strata_ir::parse(&context, "concurrently.mlir", text.as_bytes());
    let module = module.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    super::evaluated(&module, &given.into_iter().cloned().collect::<Vec<_>>())
}

fn pair(one: [f32; 2], other: [f32; 2]) -> [Literal; 2] {
    [one.into(), other.into()]
}

#[test]
fn d000_all_gather_of_two_replicas() {
    let program = build(|b| x(b, &[2]).all_gather(0, 2, &[&[0, 1]], CollectiveOptions::default()));
    let all = Literal::from([1.0_f32, 2.5, 3.0, 5.25]);
    assert_eq!(concurrently(&program, &[&pair([1.0, 2.5], [3.0, 5.25])]), [all.clone(), all]);
}

#[test]
fn d000_all_reduce_of_two_replicas() {
    let program =
        build(|b| x(b, &[2]).all_reduce(&add(), &[&[0, 1]], CollectiveOptions::default()));
    let sum = Literal::from([4.0_f32, 7.75]);
    assert_eq!(concurrently(&program, &[&pair([1.0, 2.5], [3.0, 5.25])]), [sum.clone(), sum]);
}

#[test]
fn d001_cross_replica_sum_of_two_replicas() {
    let program = build(|b| x(b, &[2]).cross_replica_sum(&[&[0, 1]]));
    for found in concurrently(&program, &[&pair([1.0, 2.5], [3.0, 5.1])]) {
        super::assert_close(&found, &Literal::from([4.0_f32, 7.6]));
    }
}

#[test]
fn d002_reduce_scatter_of_two_replicas() {
    let program = build(|b| {
        x(b, &[2]).reduce_scatter(&add(), 0, 2, &[&[0, 1]], CollectiveOptions::default())
    });
    let found = concurrently(&program, &[&pair([1.0, 2.25], [3.0, 5.25])]);
    assert_eq!(found, [Literal::from([4.0_f32]), Literal::from([7.5_f32])]);
}

#[test]
fn d000_all_to_all_of_two_replicas() {
    let program = build(|b| x(b, &[2, 4]).all_to_all(1, 0, 2, &[&[0, 1]], None));
    let one = Literal::from([[1.0_f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]);
    let other = Literal::from([[9.0_f32, 10.0, 11.0, 12.0], [13.0, 14.0, 15.0, 16.0]]);
    let found = concurrently(&program, &[&[one, other]]);
    let expected = [
        Literal::from([[1.0_f32, 2.0], [5.0, 6.0], [9.0, 10.0], [13.0, 14.0]]),
        Literal::from([[3.0_f32, 4.0], [7.0, 8.0], [11.0, 12.0], [15.0, 16.0]]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn d000_collective_permute_of_two_replicas() {
    // Processes that are not the target of a pair get zeros.
    let program = build(|b| x(b, &[2]).collective_permute(&[(0, 1)], None));
    let found = concurrently(&program, &[&pair([1.0, 2.5], [3.0, 5.25])]);
    assert_eq!(found, [Literal::from([0.0_f32, 0.0]), Literal::from([1.0_f32, 2.5])]);
}

#[test]
fn d002_collective_broadcast_and_replica_id_of_two_replicas() {
    let program = build(|b| {
        let sent = x(b, &[2]).collective_broadcast(&[&[1, 0]], None)?;
        b.tuple(&[sent, b.replica_id()?])
    });
    let found = concurrently(&program, &[&pair([1.0, 2.5], [3.0, 5.25])]);
    let sent = Literal::from([3.0_f32, 5.25]);
    assert_eq!(found, [sent.clone(), 0_u32.into(), sent, 1_u32.into()]);
}

#[test]
fn d002_async_collectives_are_waited_for() {
    let start = Computation::new("sum", &[Shape::array(F32, [2])], |_, p| {
        p[0].all_reduce(&add(), &[&[0, 1]], CollectiveOptions::default())
    })
    .expect("a computation");
    let program = build(|b| b.async_start(&start, &[x(b, &[2])])?.async_done());
    assert!(program.to_text().expect("text").contains("async_start"));
    let sum = Literal::from([4.0_f32, 7.75]);
    assert_eq!(concurrently(&program, &[&pair([1.0, 2.5], [3.0, 5.25])]), [sum.clone(), sum]);
}
