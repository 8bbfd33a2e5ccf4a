//! Which loops may become tasks.

use strata_ir::{module_op, new_context, parse_text};

use super::{across::Columns, disjoint::trips_are_disjoint};

/// Whether the iterations of a loop over `%i`, from 0 to 62, share nothing that one of them writes.
fn are_disjoint(body: &str) -> bool {
    let text = format!(
        "func.func @main(%x: memref<64xf32>, %out: memref<64xf32>, %y: memref<8x8xf32>, %z: memref<64x8xf32>) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c2 = arith.constant 2 : index
           %c8 = arith.constant 8 : index
           affine.for %i = 0 to 63 {{ {body} }} {{looked_at}}
           return }}"
    );
    let context = new_context();
    let module = parse_text(&context, &text).expect("parses");
    let nest = module_op(&module).collect(|op| op.has_attr("looked_at"))[0];
    trips_are_disjoint(nest, 1)
}

/// Dependent iterations, of different kinds: none of them may become tasks.
#[test]
fn dependent_iterations_are_not_tasks() {
    for (name, body) in [
        (
            "carried",
            "%0 = affine.load %out[%i] : memref<64xf32>\n affine.store %0, %out[%i + 1] : memref<64xf32>",
        ),
        (
            "same_element",
            "%0 = affine.load %x[%i] : memref<64xf32>\n affine.store %0, %out[0] : memref<64xf32>",
        ),
        (
            "halves",
            "%0 = affine.load %x[%i] : memref<64xf32>\n affine.store %0, %out[%i floordiv 2] : memref<64xf32>",
        ),
        (
            "backwards",
            "%0 = affine.load %out[-%i + 62] : memref<64xf32>\n affine.store %0, %out[%i] : memref<64xf32>",
        ),
        (
            "unknown",
            "%0 = memref.load %x[%i] : memref<64xf32>\n %1 = arith.fptosi %0 : f32 to i32\n %2 = arith.index_cast %1 : i32 to index\n memref.store %0, %out[%2] : memref<64xf32>",
        ),
        (
            "rows_of_all",
            "scf.for %j = %c0 to %c8 step %c1 { %0 = memref.load %x[%i] : memref<64xf32>\n memref.store %0, %y[%j, %c0] : memref<8x8xf32> }",
        ),
        (
            "further",
            "scf.for %j = %c0 to %c2 step %c1 { %k = arith.addi %i, %j : index\n %0 = memref.load %x[%k] : memref<64xf32>\n memref.store %0, %out[%k] : memref<64xf32> }",
        ),
        (
            "vector",
            "%0 = affine.load %x[%i] : memref<64xf32>\n %1 = vector.broadcast %0 : f32 to vector<2xf32>\n vector.transfer_write %1, %out[%i] : vector<2xf32>, memref<64xf32>",
        ),
        ("copied", "memref.copy %x, %out : memref<64xf32> to memref<64xf32>"),
        (
            "called",
            "func.call @main(%x, %out, %y, %z) : (memref<64xf32>, memref<64xf32>, memref<8x8xf32>, memref<64x8xf32>) -> ()",
        ),
        (
            "wrapped",
            "%0 = affine.load %x[%i] : memref<64xf32>\n affine.store %0, %out[%i mod 32] : memref<64xf32>",
        ),
        (
            "overlapping_slices",
            "%0 = affine.load %x[%i] : memref<64xf32>\n %s = memref.subview %z[%i, 0] [2, 8] [1, 1] : memref<64x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>\n scf.for %j = %c0 to %c2 step %c1 { memref.store %0, %s[%j, %c0] : memref<2x8xf32, strided<[8, 1], offset: ?>> }",
        ),
        (
            "copied_slice",
            "%a = memref.alloc() : memref<2x8xf32>\n %s = memref.subview %z[%i, 0] [2, 8] [1, 1] : memref<64x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>\n memref.copy %a, %s : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>",
        ),
    ] {
        assert!(!are_disjoint(body), "{name}");
    }
}

#[test]
fn trips_that_share_nothing_are_tasks() {
    for (name, body) in [
        (
            "own",
            "%0 = affine.load %x[%i] : memref<64xf32>\n affine.store %0, %out[%i] : memref<64xf32>",
        ),
        (
            "allocated",
            "%a = memref.alloc() : memref<4xf32>\n %0 = affine.load %x[%i] : memref<64xf32>\n affine.store %0, %a[2] : memref<4xf32>",
        ),
        (
            "row",
            "%j = arith.muli %i, %c2 : index\n scf.for %k = %c0 to %c2 step %c1 { %l = arith.addi %j, %k : index\n %0 = memref.load %x[%l] : memref<64xf32>\n memref.store %0, %out[%l] : memref<64xf32> }",
        ),
        (
            "vector",
            "%j = arith.muli %i, %c8 : index\n %0 = affine.load %x[%i] : memref<64xf32>\n %1 = vector.broadcast %0 : f32 to vector<8xf32>\n vector.transfer_write %1, %out[%j] : vector<8xf32>, memref<64xf32>",
        ),
        (
            "column",
            "scf.for %j = %c0 to %c8 step %c1 { %0 = memref.load %x[%i] : memref<64xf32>\n memref.store %0, %y[%j, %i] : memref<8x8xf32> }",
        ),
        (
            "within_a_row",
            "%0 = affine.load %x[%i] : memref<64xf32>\n affine.store %0, %out[%i mod 64 + 64 * (%i floordiv 64)] : memref<64xf32>",
        ),
        (
            "in_place",
            "%0 = affine.load %out[%i + 1] : memref<64xf32>\n affine.store %0, %out[%i + 1] : memref<64xf32>",
        ),
        (
            "backwards",
            "%0 = affine.load %x[%i] : memref<64xf32>\n affine.store %0, %out[-%i + 62] : memref<64xf32>",
        ),
        (
            "slice",
            "%0 = affine.load %x[%i] : memref<64xf32>\n %s = memref.subview %z[%i, 2] [1, 4] [1, 1] : memref<64x8xf32> to memref<4xf32, strided<[1], offset: ?>>\n scf.for %j = %c0 to %c2 step %c1 { memref.store %0, %s[%j] : memref<4xf32, strided<[1], offset: ?>> }",
        ),
        (
            "copied_slice",
            "%a = memref.alloc() : memref<8xf32>\n %s = memref.subview %z[%i, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>\n memref.copy %a, %s : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>",
        ),
    ] {
        assert!(are_disjoint(body), "{name}");
    }
}

/// Whether the columns of a loop over `%k`, from 0 to 7, are independent.
fn has_columns(body: &str) -> bool {
    let text = format!(
        "func.func @main(%x: memref<8x64xf32>, %out: memref<64xf32>, %y: memref<65xf32>) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c8 = arith.constant 8 : index
           %c64 = arith.constant 64 : index
           %zero = arith.constant 0.0 : f32
           %none = ub.poison : f32
           scf.for %k = %c0 to %c8 step %c1 {{ {body} }} {{looked_at}}
           return }}"
    );
    let context = new_context();
    let module = parse_text(&context, &text).expect("parses");
    Columns::of(module_op(&module).collect(|op| op.has_attr("looked_at"))[0]).is_some()
}

const ADD: &str = "affine.for %j = 0 to 64 {
    %0 = memref.load %x[%k, %j] : memref<8x64xf32>
    %1 = memref.load %out[%j] : memref<64xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %out[%j] : memref<64xf32> }";
const ADD_VECTORS: &str = "scf.for %j = %c0 to %c64 step %c8 {
    %0 = vector.transfer_read %x[%k, %j], %none : memref<8x64xf32>, vector<8xf32>
    %1 = vector.transfer_read %out[%j], %none : memref<64xf32>, vector<8xf32>
    %2 = arith.addf %0, %1 : vector<8xf32>
    vector.transfer_write %2, %out[%j] : vector<8xf32>, memref<64xf32> }";

#[test]
fn sums_over_rows_are_cut_into_columns() {
    assert!(has_columns(ADD));
    assert!(has_columns(ADD_VECTORS));
    assert!(has_columns(&format!("{ADD}\n{}", ADD_VECTORS.replace("%j", "%i"))));
    let temporary = format!(
        "%t = memref.alloc() : memref<64xf32>
         affine.for %i = 0 to 64 {{ memref.store %zero, %t[%i] : memref<64xf32> }}
         {}",
        ADD.replace("%x[%k, %j] : memref<8x64xf32>", "%t[%j] : memref<64xf32>")
    );
    assert!(has_columns(&temporary));
}

#[test]
fn columns_that_need_one_another_are_not_cut() {
    let shifted = ADD.replace(
        "memref.store %2, %out[%j] : memref<64xf32>",
        "%3 = arith.addi %j, %c1 : index\n memref.store %2, %y[%3] : memref<65xf32>",
    );
    let read_elsewhere = format!(
        "{ADD}\n %e = memref.load %out[%c1] : memref<64xf32>\n memref.store %e, %y[%c0] : memref<65xf32>"
    );
    let one_sum = ADD.replace("%out[%j]", "%out[%c0]");
    let neighbour = ADD.replace(
        "%1 = memref.load %out[%j]",
        "%m = arith.subi %j, %c1 : index\n %1 = memref.load %out[%m]",
    );
    let too_long = ADD_VECTORS.replace("step %c8", "step %c1");
    let filled_first = format!(
        "%t = memref.alloc() : memref<64xf32>
         memref.store %zero, %t[%c0] : memref<64xf32>
         {}",
        ADD.replace("%x[%k, %j] : memref<8x64xf32>", "%t[%j] : memref<64xf32>")
    );
    for (name, body) in [
        ("shifted", shifted),
        ("read elsewhere", read_elsewhere),
        ("one sum", one_sum),
        ("neighbour", neighbour),
        ("too long", too_long),
        ("filled first", filled_first),
    ] {
        assert!(!has_columns(&body), "{name}");
    }
}

/// Whether tasks over the loops over `%i` and `%j` repeat what is before the inner one; `None` if they may not be over both.
fn repeats(before: &str, inside: &str, after: &str) -> Option<bool> {
    let text = format!(
        "func.func @main(%x: memref<64xf32>, %y: memref<8x8xf32>, %z: memref<8xf32>) {{
           affine.for %i = 0 to 8 {{
             %a = memref.alloc() : memref<8xf32>
             {before}
             affine.for %j = 0 to 8 {{ {inside} }} {{inner}}
             {after}
           }} {{outer}}
           return }}"
    );
    let context = new_context();
    let module = parse_text(&context, &text).expect("parses");
    let find = |name: &str| module_op(&module).collect(|op| op.has_attr(name))[0];
    super::pairs::repeats(find("outer"), find("inner"))
}

#[test]
fn what_tasks_over_two_loops_repeat_is_their_own() {
    let inside =
        "%0 = affine.load %a[%j] : memref<8xf32>\n affine.store %0, %y[%i, %j] : memref<8x8xf32>";
    let fill = |buffer: &str| {
        format!(
            "affine.for %k = 0 to 8 {{ %1 = affine.load %x[%k + 8] : memref<64xf32>\n affine.store %1, {buffer} }}"
        )
    };
    let (own, shared) = (fill("%a[%k] : memref<8xf32>"), fill("%y[%i, %k] : memref<8x8xf32>"));
    assert_eq!(repeats("", inside, ""), Some(false));
    assert_eq!(repeats(&own, inside, ""), Some(true));
    // Others would read or write it meanwhile.
    assert_eq!(repeats(&shared, inside, ""), None);
    let read =
        "%2 = affine.load %y[%i, 0] : memref<8x8xf32>\n affine.store %2, %a[0] : memref<8xf32>";
    assert_eq!(repeats(read, inside, ""), None);
    // What is after the loop is of all of its iterations.
    assert_eq!(repeats("", inside, &own), None);
    assert_eq!(repeats("", inside, "memref.copy %a, %z : memref<8xf32> to memref<8xf32>"), None);
}
