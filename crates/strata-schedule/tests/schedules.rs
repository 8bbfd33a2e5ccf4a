//! Schedules are chosen, applied and undone as a whole; numbers are checked in the workspace's tests.

use strata_ir::{
    AttributeExt as _, Context, Module, Op, TypeExt as _, linalg, math, module_op, new_context,
    parse_text, print, scf, vector,
};
use strata_options::Options;
use strata_remarks::{Attempt, Decision, Recording};
use strata_schedule::{check, print_schedule, run, run_with};
use strata_target::{Isa, Target};

fn options(isa: Isa) -> Options {
    let target = Target { isa, l1_bytes: 32 << 10, l2_bytes: 1 << 20, ..Target::x86_64_baseline() };
    Options::new(target)
}

const ISAS: [Isa; 5] = [Isa::Scalar, Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon];

/// A matmul with bias and relu.
fn dense(m: i64, n: i64, k: i64) -> String {
    format!(
        "#id = affine_map<(d0, d1) -> (d0, d1)>
         #row = affine_map<(d0, d1) -> (d1)>
         func.func @main(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>, %bias: tensor<{n}xf32>) -> tensor<{m}x{n}xf32> {{
           %zero = arith.constant 0.0 : f32
           %e = tensor.empty() : tensor<{m}x{n}xf32>
           %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
           %p = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) outs(%f : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
           %d = tensor.empty() : tensor<{m}x{n}xf32>
           %r = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = [\"parallel\", \"parallel\"]}}
               ins(%p, %bias : tensor<{m}x{n}xf32>, tensor<{n}xf32>) outs(%d : tensor<{m}x{n}xf32>) {{
             ^bb0(%x: f32, %y: f32, %o: f32):
               %s = arith.addf %x, %y : f32
               %t = arith.maximumf %s, %zero : f32
               linalg.yield %t : f32
           }} -> tensor<{m}x{n}xf32>
           return %r : tensor<{m}x{n}xf32>
         }}"
    )
}

/// The sums of the rows, subtracted from the rows.
fn centred(rows: i64, columns: i64) -> String {
    format!(
        "#id = affine_map<(d0, d1) -> (d0, d1)>
         #row = affine_map<(d0, d1) -> (d0)>
         func.func @main(%a: tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{
           %zero = arith.constant 0.0 : f32
           %e = tensor.empty() : tensor<{rows}xf32>
           %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}xf32>) -> tensor<{rows}xf32>
           %s = linalg.generic {{indexing_maps = [#id, #row], iterator_types = [\"parallel\", \"reduction\"]}}
               ins(%a : tensor<{rows}x{columns}xf32>) outs(%f : tensor<{rows}xf32>) {{
             ^bb0(%x: f32, %o: f32):
               %t = arith.addf %o, %x : f32
               linalg.yield %t : f32
           }} -> tensor<{rows}xf32>
           %d = tensor.empty() : tensor<{rows}x{columns}xf32>
           %r = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = [\"parallel\", \"parallel\"]}}
               ins(%a, %s : tensor<{rows}x{columns}xf32>, tensor<{rows}xf32>) outs(%d : tensor<{rows}x{columns}xf32>) {{
             ^bb0(%x: f32, %y: f32, %o: f32):
               %t = arith.subf %x, %y : f32
               linalg.yield %t : f32
           }} -> tensor<{rows}x{columns}xf32>
           return %r : tensor<{rows}x{columns}xf32>
         }}"
    )
}

/// A strided convolution with sizes that no tile divides.
const CONVOLUTION: &str = "
    func.func @main(%a: tensor<2x9x11x5xf32>, %b: tensor<3x2x5x19xf32>) -> tensor<2x4x5x19xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<2x4x5x19xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5x19xf32>) -> tensor<2x4x5x19xf32>
      %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
          ins(%a, %b : tensor<2x9x11x5xf32>, tensor<3x2x5x19xf32>) outs(%f : tensor<2x4x5x19xf32>) -> tensor<2x4x5x19xf32>
      return %r : tensor<2x4x5x19xf32>
    }";

/// A matmul with the right operand's rows along the reduction.
const TRANSPOSED: &str = "
    #left = affine_map<(m, n, k) -> (m, k)>
    #right = affine_map<(m, n, k) -> (n, k)>
    #result = affine_map<(m, n, k) -> (m, n)>
    func.func @main(%a: tensor<40x70xf32>, %b: tensor<50x70xf32>) -> tensor<40x50xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<40x50xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x50xf32>) -> tensor<40x50xf32>
      %r = linalg.matmul indexing_maps = [#left, #right, #result]
          ins(%a, %b : tensor<40x70xf32>, tensor<50x70xf32>) outs(%f : tensor<40x50xf32>) -> tensor<40x50xf32>
      return %r : tensor<40x50xf32>
    }";

/// A transpose whose sizes are not multiples of a vector.
const TRANSPOSE: &str = "
    func.func @main(%a: tensor<20x37xf32>) -> tensor<37x20xf32> {
      %e = tensor.empty() : tensor<37x20xf32>
      %r = linalg.transpose ins(%a : tensor<20x37xf32>) outs(%e : tensor<37x20xf32>) permutation = [1, 0]
      return %r : tensor<37x20xf32>
    }";

/// A select whose condition is stored as bytes.
const MASKED: &str = "
    #id = affine_map<(d0) -> (d0)>
    func.func @main(%c: tensor<100xi1>, %a: tensor<100xf32>) -> tensor<100xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<100xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = [\"parallel\"]}
          ins(%c, %a : tensor<100xi1>, tensor<100xf32>) outs(%e : tensor<100xf32>) {
        ^bb0(%p: i1, %x: f32, %o: f32):
          %t = arith.select %p, %x, %zero : f32
          linalg.yield %t : f32
      } -> tensor<100xf32>
      return %r : tensor<100xf32>
    }";

fn scheduled<'c>(context: &'c Context, program: &str, isa: Isa) -> Module<'c> {
    let mut module = parse_text(context, program).unwrap();
    run(context, &mut module, &options(isa)).unwrap();
    check(&module, &options(isa)).unwrap();
    assert!(module_op(&module).verify());
    module
}

/// The schedules recorded in a module, without repetition.
fn recorded(module: &Module<'_>) -> Vec<String> {
    let mut names: Vec<_> = module_op(module)
        .collect(|op| op.has_attr("strata.schedule"))
        .into_iter()
        .filter_map(|op| op.attr("strata.schedule").map(|name| name.to_string()))
        .collect();
    names.dedup();
    names
}

fn chosen(program: &str, isa: Isa) -> String {
    let context = new_context();
    let module = scheduled(&context, program, isa);
    recorded(&module).join(", ")
}

#[test]
fn each_target_gets_its_own_tiles() {
    let chosen: Vec<_> = ISAS
        .iter()
        .map(|isa| format!("{isa:?}: {}", chosen(&dense(512, 512, 512), *isa)))
        .collect();
    insta::assert_snapshot!(chosen.join("\n"));
}

#[test]
fn a_product_with_bias_and_relu_for_avx512() {
    let context = new_context();
    let module = parse_text(&context, &dense(7, 65, 300)).unwrap();
    insta::assert_snapshot!(print_schedule(&context, &module, &options(Isa::Avx512)).unwrap());
}

#[test]
fn a_centred_row_for_neon() {
    let context = new_context();
    let module = parse_text(&context, &centred(3, 21)).unwrap();
    insta::assert_snapshot!(print_schedule(&context, &module, &options(Isa::Neon)).unwrap());
}

#[test]
fn every_size_is_scheduled_on_every_vector_target() {
    for isa in [Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon] {
        for (m, n, k) in [(1, 64, 33), (17, 33, 65), (6, 1, 300), (40, 48, 5000), (3, 130, 31)] {
            let names = chosen(&dense(m, n, k), isa);
            assert!(names.starts_with("\"registers "), "{isa:?} {m}x{n}x{k}: `{names}`");
        }
        for (rows, columns) in [(1, 33), (5, 100), (7, 64)] {
            // One row that is one value has no loop that could say so.
            let attempts = attempts(&centred(rows, columns), &options(isa));
            let [nest] = &attempts[..] else { panic!("one nest") };
            let is_chosen = |(name, declined): &(String, Option<String>)| {
                name.starts_with("rows ") && declined.is_none()
            };
            assert!(nest.iter().any(is_chosen), "{isa:?} {rows}x{columns}: {nest:?}");
        }
        assert!(chosen(CONVOLUTION, isa).starts_with("\"registers "));
    }
}

#[test]
fn rows_that_come_from_memory_are_reduced_several_at_a_time() {
    let sums = |rows: i64, columns: i64| {
        let whole = centred(rows, columns);
        let end = whole.find("%d = tensor.empty").expect("what follows the sums");
        let sums = whole[..end].replace(
            &format!("-> tensor<{rows}x{columns}xf32> {{"),
            &format!("-> tensor<{rows}xf32> {{"),
        );
        chosen(&format!("{sums} return %s : tensor<{rows}xf32> }}"), Isa::Avx2)
    };
    // L2 has 1 MiB: 32 times that is memory.
    let (several, one) = ("\"rows 4x8\"", "\"rows 8\"");
    assert_eq!([sums(4096, 4096), sums(4099, 4001)], [several; 2]);
    // The last cache has it; rows are short; there are few.
    assert_eq!([sums(1024, 4096), sums(65536, 512), sums(3, 4 << 20)], [one; 3]);
    // What follows the sums reads the row again, from the first cache.
    assert_eq!(chosen(&centred(4096, 4096), Isa::Avx2), one);
}

/// The trip count of the outermost loop.
fn outermost(program: &str) -> i64 {
    let context = new_context();
    let module = scheduled(&context, program, Isa::Avx2);
    let loops = module_op(&module).collect(|op| op.is(scf::FOR));
    let end = loops.first().and_then(|first| first.operand(1).owner());
    end.and_then(|end| end.attr("value")?.as_i64()).expect("a constant bound")
}

#[test]
fn few_rows_go_through_a_matrix_with_a_row_for_each_result_once() {
    let product = |rows: i64, results: i64, terms: i64| {
        let named = [("40x", rows), ("50x", results)];
        let sized = named
            .iter()
            .fold(TRANSPOSED.to_owned(), |text, (size, by)| text.replace(size, &format!("{by}x")));
        outermost(
            &sized
                .replace("x50xf32", &format!("x{results}xf32"))
                .replace("x70xf32", &format!("x{terms}xf32")),
        )
    };
    // L1 has 32 KiB.
    assert_eq!([product(2, 300, 70), product(3, 129, 64)], [300, 129]);
    assert_eq!([product(2, 100, 70), product(3, 128, 64)], [2, 3]);
}

#[test]
fn strided_operands_are_transposed_in_registers() {
    for isa in [Isa::Avx2, Isa::Avx512, Isa::Neon] {
        assert!(chosen(TRANSPOSED, isa).starts_with("\"registers "), "{isa:?}");
        assert!(chosen(TRANSPOSE, isa).starts_with("\"transpose "), "{isa:?}");
    }
    let context = new_context();
    let module = scheduled(&context, TRANSPOSE, Isa::Avx512);
    // Stage `vector` makes shuffles of it: until then limits look through.
    let of_squares =
        |op: Op<'_>| op.is(vector::TRANSPOSE) && op.result(0).ty().shape() == Some(vec![16, 16]);
    assert!(!module_op(&module).collect(of_squares).is_empty());
}

#[test]
fn one_panel_of_a_large_operand_is_copied_at_a_time() {
    let context = new_context();
    let module = scheduled(&context, &dense(96, 192, 1024), Isa::Avx512);
    let writes = module_op(&module).collect(|op| {
        op.is(vector::TRANSFER_WRITE) && op.result(0).ty().shape() == Some(vec![1024, 64])
    });
    assert!(!writes.is_empty());
    for write in writes {
        let rows = write.parent().unwrap();
        let panels = rows.parent().and_then(|vectors| vectors.parent());
        assert_eq!(panels.map(|panels| panels.name()), Some(scf::FOR));
    }
}

#[test]
fn no_reduction_loop_keeps_its_result_in_memory() {
    let context = new_context();
    let module = scheduled(&context, &dense(17, 33, 65), Isa::Avx512);
    let in_loops = module_op(&module).collect(|op| op.is(math::FMA));
    assert!(!in_loops.is_empty());
    for fma in in_loops {
        let body = fma.block().unwrap();
        assert!(body.ops().into_iter().all(|op| !op.is(vector::TRANSFER_WRITE)));
    }
}

#[test]
fn masks_are_bytes_in_memory() {
    assert_eq!(chosen(MASKED, Isa::Avx512), "\"elementwise 16\"");
}

#[test]
fn what_memory_holds_otherwise_than_vectors_stays_linalg() {
    let narrow = MASKED.replace("tensor<100xi1>", "tensor<100xi4>").replace("%p: i1", "%p: i4");
    let bit = "%q = arith.trunci %p : i4 to i1\n%t = arith.select %q";
    let narrow = narrow.replace("%t = arith.select %p", bit);
    assert_eq!(chosen(&narrow, Isa::Avx512), "");
}

#[test]
fn a_printed_schedule_is_read_back() {
    let context = new_context();
    let program = dense(17, 33, 65);
    let options = options(Isa::Avx2);
    let module = parse_text(&context, &program).unwrap();
    let schedule = print_schedule(&context, &module, &options).unwrap();
    let mut given = parse_text(&context, &program).unwrap();
    run_with(&context, &mut given, &options, &schedule).unwrap();
    let own = scheduled(&context, &program, Isa::Avx2);
    let plain = |module: &Module<'_>| {
        print(module, false).lines().filter(|line| !line.contains("strata.schedule")).count()
    };
    assert_eq!(plain(&given), plain(&own));
    assert_eq!(recorded(&given), ["\"given @nest0\""]);
}

#[test]
fn a_nest_without_a_given_sequence_is_left_alone() {
    let context = new_context();
    let mut module = parse_text(&context, &dense(17, 33, 65)).unwrap();
    let empty = "module attributes {transform.with_named_sequence} {}";
    run_with(&context, &mut module, &options(Isa::Avx2), empty).unwrap();
    assert_eq!(module_op(&module).collect(|op| op.is(linalg::MATMUL)).len(), 1);
}

#[test]
fn a_given_sequence_that_fails_is_reported() {
    let context = new_context();
    let mut module = parse_text(&context, &dense(17, 33, 65)).unwrap();
    let wrong = "module attributes {transform.with_named_sequence} {
        transform.named_sequence @nest0(%func: !transform.any_op {transform.readonly}) {
          %0 = transform.structured.match ops{[\"linalg.fill\"]} in %func : (!transform.any_op) -> !transform.any_op
          %1, %2 = transform.split_handle %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
          transform.yield
        }
      }";
    let error = run_with(&context, &mut module, &options(Isa::Avx2), wrong).unwrap_err();
    assert_eq!(error.code().id(), "S1301");
    let error = run_with(&context, &mut module, &options(Isa::Avx2), "nothing").unwrap_err();
    assert_eq!(error.code().id(), "S1301");
}

#[test]
fn equal_nests_share_a_schedule() {
    let context = new_context();
    let two = "
      func.func @main(%a: tensor<8x32xf32>, %b: tensor<32x32xf32>) -> tensor<8x32xf32> {
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<8x32xf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
        %p = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
        %g = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
        %q = linalg.matmul ins(%p, %b : tensor<8x32xf32>, tensor<32x32xf32>) outs(%g : tensor<8x32xf32>) -> tensor<8x32xf32>
        return %q : tensor<8x32xf32>
      }";
    let module = parse_text(&context, two).unwrap();
    let text = print_schedule(&context, &module, &options(Isa::Avx512)).unwrap();
    assert_eq!(text.matches("@nest0(").count(), 1);
    assert_eq!(text.matches("@nest1(").count(), 0);
}

/// `%m` is a result and has two users; `%s` reads the same and nothing else.
const SHARED: &str = "
  #id = affine_map<(d0) -> (d0)>
  func.func @main(%p: tensor<1088xf32>, %g: tensor<1088xf32>) -> (tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>) {
    %e = tensor.empty() : tensor<1088xf32>
    %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\"]}
        ins(%g : tensor<1088xf32>) outs(%e : tensor<1088xf32>) {
      ^bb0(%x: f32, %o: f32):
        %t = arith.mulf %x, %x : f32
        linalg.yield %t : f32
    } -> tensor<1088xf32>
    %n = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = [\"parallel\"]}
        ins(%p, %m : tensor<1088xf32>, tensor<1088xf32>) outs(%e : tensor<1088xf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        %t = arith.subf %x, %y : f32
        linalg.yield %t : f32
    } -> tensor<1088xf32>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = [\"parallel\"]}
        ins(%g, %m : tensor<1088xf32>, tensor<1088xf32>) outs(%e : tensor<1088xf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        %t = arith.addf %x, %y : f32
        linalg.yield %t : f32
    } -> tensor<1088xf32>
    return %m, %n, %s : tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>
  }";

#[test]
fn elementwise_values_with_several_users_are_made_in_one_loop() {
    let context = new_context();
    for isa in [Isa::Sse2, Isa::Avx512, Isa::Neon] {
        let mut module = parse_text(&context, SHARED).unwrap();
        run(&context, &mut module, &options(isa)).unwrap();
        check(&module, &options(isa)).unwrap();
        let loops = module_op(&module).collect(|op| op.is(scf::FOR));
        assert_eq!(loops.len(), 1, "{isa:?}");
        assert_eq!(loops[0].result_count(), 3);
        assert!(module_op(&module).collect(|op| op.is(linalg::GENERIC)).is_empty());
    }
}

#[test]
fn what_is_used_before_the_last_nest_keeps_a_loop_of_its_own() {
    let context = new_context();
    // An operation outside of nests reads %m before %n.
    let read = "%c = tensor.extract_slice %m[0] [1] [1] : tensor<1088xf32> to tensor<1xf32>";
    let text = SHARED
        .replace("    %n =", &format!("    {read}\n    %n ="))
        .replace("return %m, %n, %s : tensor<1088xf32>", "return %c, %n, %s : tensor<1xf32>")
        .replace("-> (tensor<1088xf32>", "-> (tensor<1xf32>");
    let mut module = parse_text(&context, &text).unwrap();
    run(&context, &mut module, &options(Isa::Avx512)).unwrap();
    assert!(module_op(&module).verify());
    let loops = module_op(&module).collect(|op| op.is(scf::FOR));
    let results: Vec<_> = loops.iter().map(|each| each.result_count()).collect();
    assert_eq!(results, [1, 2]);
}

#[test]
fn iotas_have_the_width_of_their_use() {
    let context = new_context();
    let text = "
      #id = affine_map<(d0) -> (d0)>
      func.func @main() -> tensor<8192xi32> {
        %e = tensor.empty() : tensor<8192xi32>
        %i = linalg.generic {indexing_maps = [#id], iterator_types = [\"parallel\"]} outs(%e : tensor<8192xi32>) {
          ^bb0(%o: i32):
            %0 = linalg.index 0 : index
            %1 = arith.index_cast %0 : index to i32
            linalg.yield %1 : i32
        } -> tensor<8192xi32>
        return %i : tensor<8192xi32>
      }";
    let mut module = parse_text(&context, text).unwrap();
    run(&context, &mut module, &options(Isa::Avx512)).unwrap();
    let printed = print(&module, false);
    assert!(
        printed.contains("vector<16xi32>") && !printed.contains("vector<16xindex>"),
        "{printed}"
    );
}

/// The schedules that were considered for each nest of a program: names, and why they were declined.
fn attempts(program: &str, options: &Options) -> Vec<Vec<(String, Option<String>)>> {
    let context = new_context();
    let mut module = parse_text(&context, program).expect("a program");
    let mut recording = Recording::start();
    run(&context, &mut module, options).expect("scheduled");
    let attempts = recording.take().into_iter().filter_map(|remark| match remark.decision {
        Decision::Nest { attempts, .. } => Some(attempts),
        _ => None,
    });
    let pair = |attempt: Attempt| (attempt.schedule, attempt.declined);
    attempts.map(|attempts| attempts.into_iter().map(pair).collect()).collect()
}

#[test]
fn what_is_declined_says_why() {
    let [dense] = &attempts(&dense(512, 512, 512), &options(Isa::Avx512))[..] else {
        panic!("one nest")
    };
    let [(rows, Some(_)), (registers, None)] = &dense[..] else { panic!("{dense:?}") };
    assert_eq!(rows, "rows");
    assert!(registers.starts_with("registers 6x64"), "{registers}");

    let [scalar] = &attempts(&centred(9, 64), &options(Isa::Scalar))[..] else {
        panic!("one nest")
    };
    let [(_, Some(reason))] = &scalar[..] else { panic!("{scalar:?}") };
    assert!(reason.contains("no vectors"), "{reason}");
}

#[test]
fn a_nest_that_a_given_schedule_lacks_says_so() {
    let given = "module attributes {transform.with_named_sequence} {}";
    let options = Options { schedule: Some(given.to_owned()), ..options(Isa::Avx2) };
    let [nest] = &attempts(&dense(64, 64, 64), &options)[..] else { panic!("one nest") };
    let (schedule, declined) = nest.last().expect("an attempt");
    assert_eq!(schedule, "given @nest0");
    assert_eq!(declined.as_deref(), Some("the given schedule has no such sequence"));
}
