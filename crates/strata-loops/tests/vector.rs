//! Stage 50 on small functions: only legal vectors are left, and no calls.

use strata_ir::{Context, Module, new_context, parse_text, print, verify};
use strata_loops::vector;
use strata_options::Options;
use strata_target::{Isa, Target};

fn options(isa: Isa) -> Options {
    Options::new(Target { isa, ..Target::x86_64_baseline() })
}

/// The stage's result for the body of a function on `%m: memref<4x24xf32>`.
fn lower(context: &Context, isa: Isa, body: &str) -> String {
    let text = format!(
        "func.func @main(%m: memref<4x24xf32>, %n: memref<24x24xf32>, %b: memref<8xbf16>, \
         %workspace: memref<0xi8>) attributes {{strata.entry, strata.workspace_size = 0 : i64}} {{
         %c0 = arith.constant 0 : index
         %pad = arith.constant 0.0 : f32
         {body}
         return }}"
    );
    let mut module: Module<'_> = parse_text(context, &text).expect("the test's function parses");
    let options = options(isa);
    vector::run(context, &mut module, &options).expect("stage 50 succeeds");
    verify(context, &module, "vector").expect("the result verifies");
    vector::check(&module, &options).expect("the contract holds");
    print(&module, false)
}

const COPY: &str = "
  %v = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true, true]}
    : memref<4x24xf32>, vector<4x24xf32>
  %w = arith.addf %v, %v : vector<4x24xf32>
  vector.transfer_write %w, %m[%c0, %c0] {in_bounds = [true, true]}
    : vector<4x24xf32>, memref<4x24xf32>";

#[test]
fn rows_are_cut_to_the_target() {
    let context = new_context();
    // The second vector of a row of 24 begins earlier where vectors have 16 lanes.
    for (isa, lanes, pieces) in [(Isa::Avx512, 16, 2), (Isa::Avx2, 8, 3), (Isa::Neon, 4, 6)] {
        let text = lower(&context, isa, COPY);
        let sums = text.lines().filter(|line| line.contains("arith.addf"));
        let full = sums.filter(|line| line.contains(&format!("vector<{lanes}xf32>"))).count();
        assert_eq!(full, 4 * pieces, "{isa:?}\n{text}");
    }
}

const CONTRACTION: &str = "
  %a = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true, true]}
    : memref<4x24xf32>, vector<4x3xf32>
  %r = vector.transfer_read %n[%c0, %c0], %pad {in_bounds = [true, true]}
    : memref<24x24xf32>, vector<3x16xf32>
  %s = arith.constant dense<0.0> : vector<4x16xf32>
  %p = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
      affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>}
    %a, %r, %s : vector<4x3xf32>, vector<3x16xf32> into vector<4x16xf32>
  vector.transfer_write %p, %m[%c0, %c0] {in_bounds = [true, true]}
    : vector<4x16xf32>, memref<4x24xf32>";

#[test]
fn contractions_fuse_where_the_target_does() {
    let context = new_context();
    let fused = lower(&context, Isa::Avx512, CONTRACTION);
    assert_eq!(fused.matches("vector.fma").count(), 12, "{fused}");
    let apart = lower(&context, Isa::Sse2, CONTRACTION);
    assert!(!apart.contains("fma"), "{apart}");
    assert_eq!(apart.matches("arith.mulf").count(), 48, "{apart}");
}

#[test]
fn lanes_beyond_the_buffer_are_masked() {
    let context = new_context();
    let text = lower(
        &context,
        Isa::Avx512,
        "%c20 = arith.constant 20 : index
         %v = vector.transfer_read %m[%c0, %c20], %pad {in_bounds = [false]}
           : memref<4x24xf32>, vector<16xf32>
         vector.transfer_write %v, %n[%c0, %c0] {in_bounds = [true]}
           : vector<16xf32>, memref<24x24xf32>",
    );
    assert!(text.contains("vector.maskedload"), "{text}");
    assert!(text.contains("vector.store"), "{text}");
    // A row ends with lane 23: four lanes from lane 20 on are in bounds.
    let mask = text.lines().find_map(|line| line.split_once("vector.create_mask "));
    let (_, operands) = mask.expect("a mask");
    let alive = operands.split([',', ' ']).next().expect("an operand");
    assert_eq!(index_value(&text, alive), 4, "{text}");
}

/// The value of an index that is computed from constants.
fn index_value(text: &str, name: &str) -> i64 {
    let begins = format!("{name} = ");
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(&begins));
    let line = line.unwrap_or_else(|| panic!("{name} is not defined\n{text}"));
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    match words[..] {
        ["arith.constant", value, ..] => value.parse().expect("a number"),
        ["arith.addi", a, b, ..] => index_value(text, a) + index_value(text, b),
        ["arith.subi", a, b, ..] => index_value(text, a) - index_value(text, b),
        _ => panic!("{name} = {line}\n{text}"),
    }
}

#[test]
fn a_loop_carries_parts() {
    let context = new_context();
    let text = lower(
        &context,
        Isa::Avx512,
        "%s = arith.constant dense<0.0> : vector<2x24xf32>
         %c1 = arith.constant 1 : index
         %c2 = arith.constant 2 : index
         %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %s) -> (vector<2x24xf32>) {
           %q = scf.for %j = %c0 to %c2 step %c1 iter_args(%y = %x) -> (vector<2x24xf32>) {
             %v = vector.transfer_read %m[%i, %c0], %pad {in_bounds = [true, true]}
               : memref<4x24xf32>, vector<2x24xf32>
             %z = arith.addf %y, %v : vector<2x24xf32>
             scf.yield %z : vector<2x24xf32>
           }
           scf.yield %q : vector<2x24xf32>
         }
         vector.transfer_write %r, %m[%c0, %c0] {in_bounds = [true, true]}
           : vector<2x24xf32>, memref<4x24xf32>",
    );
    let carried = "(vector<16xf32>, vector<8xf32>, vector<16xf32>, vector<8xf32>)";
    assert_eq!(text.matches(carried).count(), 2, "{text}");
}

#[test]
fn math_and_narrow_floats_are_expanded() {
    let context = new_context();
    let functions = [
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cbrt",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "floor",
        "log",
        "log10",
        "log1p",
        "log2",
        "roundeven",
        "rsqrt",
        "sin",
        "sinh",
        "tan",
        "tanh",
    ];
    for function in functions {
        let text = lower(
            &context,
            Isa::Sse2,
            &format!(
                "%v = memref.load %b[%c0] : memref<8xbf16>
                 %y = math.{function} %v : bf16
                 memref.store %y, %b[%c0] : memref<8xbf16>
                 %w = vector.load %m[%c0, %c0] : memref<4x24xf32>, vector<4xf32>
                 %z = math.{function} %w : vector<4xf32>
                 vector.store %z, %m[%c0, %c0] : memref<4x24xf32>, vector<4xf32>"
            ),
        );
        // Only single instructions are left.
        let left = text.lines().filter(|line| line.contains("math.")).find(|line| {
            !["math.absf", "math.copysign", "math.sqrt"].iter().any(|known| line.contains(known))
        });
        assert_eq!(left, None, "{function}");
        let converted = |line: &&str| {
            line.contains("bf16") && (line.contains("arith.extf") || line.contains("arith.truncf"))
        };
        assert_eq!(text.lines().find(converted), None, "{function}");
    }
}

#[test]
fn odd_shapes_leave_only_vectors_of_the_target() {
    let context = new_context();
    let body = "
      %f = arith.constant false
      %c3 = arith.constant 3 : index
      %x = vector.transfer_read %n[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<24x24xf32>, vector<7x5xf32>
      %t = vector.transpose %x, [1, 0] : vector<7x5xf32> to vector<5x7xf32>
      %p = vector.transfer_read %n[%c0, %c0], %pad {in_bounds = [true, true],
        permutation_map = affine_map<(i, j) -> (j, i)>} : memref<24x24xf32>, vector<5x7xf32>
      %q = vector.transfer_read %m[%c3, %c0], %pad {in_bounds = [false, true, true],
        permutation_map = affine_map<(i, j) -> (i, 0, j)>} : memref<4x24xf32>, vector<2x3x7xf32>
      %q1 = vector.extract %q[1] : vector<3x7xf32> from vector<2x3x7xf32>
      %r = vector.multi_reduction <maximumf>, %q, %q1 [0] : vector<2x3x7xf32> to vector<3x7xf32>
      %c = vector.shape_cast %r : vector<3x7xf32> to vector<7x3xf32>
      %e = vector.extract_strided_slice %c {offsets = [1, 1], sizes = [5, 2], strides = [1, 1]}
        : vector<7x3xf32> to vector<5x2xf32>
      %i = vector.insert_strided_slice %e, %t {offsets = [0, 3], strides = [1, 1]}
        : vector<5x2xf32> into vector<5x7xf32>
      %s = arith.addf %i, %p : vector<5x7xf32>
      %z = vector.extract %s[0, 0] : f32 from vector<5x7xf32>
      %sum = vector.multi_reduction <add>, %s, %z [0, 1] : vector<5x7xf32> to f32
      %w = vector.broadcast %sum : f32 to vector<f32>
      vector.transfer_write %w, %m[%c0, %c3] : vector<f32>, memref<4x24xf32>
      vector.transfer_write %s, %n[%c0, %c3] {in_bounds = [true, true]}
        : vector<5x7xf32>, memref<24x24xf32>";
    for isa in [Isa::Avx512, Isa::Avx2, Isa::Neon, Isa::Sse2] {
        lower(&context, isa, body);
    }
}

#[test]
fn masks_in_memory_are_read_byte_by_byte() {
    let context = new_context();
    let mut module: Module<'_> = parse_text(
        &context,
        "func.func @main(%b: memref<8xi1>, %o: memref<8xi1>, %workspace: memref<0xi8>)
           attributes {strata.entry, strata.workspace_size = 0 : i64} {
           %c0 = arith.constant 0 : index
           %f = arith.constant false
           %v = vector.transfer_read %b[%c0], %f {in_bounds = [true]} : memref<8xi1>, vector<8xi1>
           vector.transfer_write %v, %o[%c0] {in_bounds = [true]} : vector<8xi1>, memref<8xi1>
           return }",
    )
    .expect("the test's function parses");
    let options = options(Isa::Avx512);
    vector::run(&context, &mut module, &options).expect("stage 50 succeeds");
    let text = print(&module, false);
    // A vector of i1 is packed to bits, a buffer is not.
    assert_eq!(text.matches("memref.load").count(), 8, "{text}");
    assert_eq!(text.matches("memref.store").count(), 8, "{text}");
}
