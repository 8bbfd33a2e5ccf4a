//! `scf`, `affine`, `func`: loops, branches and calls.

use crate::{i32s, integers, on_buffers, on_tensors, run_module};

const STORE: &str = "%zero = arith.constant 0 : index\nmemref.store %r, %y0[%zero] : memref<1xi32>";
const LOAD: &str = "%o = arith.constant 0 : index\n%n = memref.load %x0[%o] : memref<1xi32>";

fn of_one(code: &str, x: i32) -> i32 {
    let body = format!("{LOAD}\n{code}\n{STORE}");
    integers(&on_buffers(&["1xi32"], &["1xi32"], 0, &body), &[i32s(&[x])])[0]
}

#[test]
fn loops_carry_their_state() {
    let code = "%b = arith.constant 2 : index\n%e = arith.constant 11 : index\n%s = arith.constant 3 : index
      %i0 = arith.constant 0 : i32\n%i1 = arith.constant 1 : i32
      %r, %q = scf.for %i = %b to %e step %s iter_args(%sum = %i0, %last = %i1) -> (i32, i32) {
        %v = arith.index_cast %i : index to i32
        %m = arith.muli %v, %n : i32
        %t = arith.addi %sum, %m : i32
        scf.yield %t, %sum : i32, i32
      }";
    // 2, 5 and 8.
    assert_eq!(of_one(code, 10), 150);
    // No iteration at all.
    assert_eq!(of_one(&code.replace("constant 11", "constant 2"), 10), 0);
}

#[test]
fn a_while_tests_its_condition_first() {
    let code = "%one = arith.constant 1 : i32\n%three = arith.constant 3 : i32
      %r, %steps = scf.while (%v = %n, %c = %one) : (i32, i32) -> (i32, i32) {
        %big = arith.cmpi sgt, %v, %three : i32
        scf.condition(%big) %v, %c : i32, i32
      } do {
      ^bb0(%v: i32, %c: i32):
        %half = arith.divsi %v, %three : i32
        %d = arith.addi %c, %one : i32
        scf.yield %half, %d : i32, i32
      }";
    assert_eq!(of_one(code, 100), 3);
    assert_eq!(of_one(code, 2), 2);
}

#[test]
fn branches_choose() {
    let code = "%k = arith.constant 10 : i32\n%c = arith.cmpi slt, %n, %k : i32
      %r = scf.if %c -> (i32) {
        %d = arith.addi %n, %k : i32
        scf.yield %d : i32
      } else {
        %i = arith.index_cast %n : i32 to index
        %s = scf.index_switch %i -> i32
        case 11 { %v = arith.constant 1 : i32 scf.yield %v : i32 }
        case 13 { %v = arith.constant 3 : i32 scf.yield %v : i32 }
        default { %v = arith.constant -1 : i32 scf.yield %v : i32 }
        scf.yield %s : i32
      }";
    assert_eq!([3, 11, 12, 13].map(|x| of_one(code, x)), [13, 1, -1, 3]);
}

#[test]
fn affine_loops_and_maps() {
    let code = "%z = arith.constant 0 : i32\n%m = arith.index_cast %n : i32 to index
      %r = affine.for %i = max affine_map<(d0) -> (d0 - 2, 1)>(%m) to min affine_map<(d0) -> (d0 + 3, 9)>(%m) step 2
          iter_args(%sum = %z) -> (i32) {
        %a = affine.apply affine_map<(d0)[s0] -> (d0 * 10 + s0 mod 4)>(%i)[%m]
        %v = arith.index_cast %a : index to i32
        %t = arith.addi %sum, %v : i32
        affine.yield %t : i32
      }";
    // From 4 to below 9: 4, 6, 8, each with 6 mod 4.
    assert_eq!(of_one(code, 6), 186);
    // From 1 to below 4: 1, 3.
    assert_eq!(of_one(code, 1), 42);
    let code = "%m = arith.index_cast %n : i32 to index\n%two = arith.constant 2 : index
      %l = affine.linearize_index disjoint [%m, %two] by (5, 3) : index
      %d:2 = affine.delinearize_index %l into (7) : index, index
      %e = affine.min affine_map<(d0, d1) -> (d0 * 100, d1)>(%d#0, %l)
      %f = arith.addi %e, %d#1 : index
      %r = arith.index_cast %f : index to i32";
    // 4 * 3 + 2 is 14: two sevens and nothing.
    assert_eq!(of_one(code, 4), 14);
}

#[test]
fn functions_have_frames_of_their_own() {
    let text = "func.func private @twice(%a: i32) -> i32 {
        %b = arith.addi %a, %a : i32
        return %b : i32
      }\n"
    .to_owned()
        + &on_tensors(
            &["tensor<i32>"],
            &["tensor<i32>"],
            "%a = tensor.extract %x0[] : tensor<i32>
             %b = func.call @twice(%a) : (i32) -> i32
             %c = func.call @twice(%b) : (i32) -> i32
             %d = arith.subi %c, %a : i32
             %t = tensor.from_elements %d : tensor<i32>
             return %t : tensor<i32>",
        );
    assert_eq!(integers(&text, &[i32s(&[5])]), [15]);
}

#[test]
fn what_is_not_known_is_told() {
    let text = "func.func private @outside(i32) -> i32\n".to_owned()
        + &on_tensors(
            &["tensor<i32>"],
            &["tensor<i32>"],
            "%a = tensor.extract %x0[] : tensor<i32>
             %b = func.call @outside(%a) : (i32) -> i32
             %t = tensor.from_elements %b : tensor<i32>
             return %t : tensor<i32>",
        );
    let error = run_module(&text, &[i32s(&[5])]).expect_err("outside of the program");
    assert_eq!(error.code().id(), "S1911");
    assert_eq!(error.operation_name(), Some("func.call"));
    let wrong = run_module(
        &on_tensors(&["tensor<2xi32>"], &["tensor<2xi32>"], "return %x0 : tensor<2xi32>"),
        &[i32s(&[5])],
    );
    assert_eq!(wrong.expect_err("too short").code().id(), "S1802");
}
