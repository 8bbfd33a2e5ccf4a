//! `memref`: views of views, copies, constants.

use crate::{i32s, integers, on_buffers, run_module};

#[test]
fn views_of_views() {
    let body = "%c4 = arith.constant 4 : index\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index
      %v = memref.view %w[%c4][] : memref<64xi8> to memref<2x3xi32>
      memref.copy %x0, %v : memref<2x3xi32> to memref<2x3xi32>
      %s = memref.subview %v[0, %c1] [2, 2] [1, 1] : memref<2x3xi32> to memref<2x2xi32, strided<[3, 1], offset: ?>>
      %t = memref.subview %s[1, 0] [1, 2] [1, 1] : memref<2x2xi32, strided<[3, 1], offset: ?>> to memref<2xi32, strided<[1], offset: ?>>
      %a = memref.load %t[%c0] : memref<2xi32, strided<[1], offset: ?>>
      memref.store %a, %y0[%c0] : memref<3xi32>
      %f = memref.collapse_shape %v [[0, 1]] : memref<2x3xi32> into memref<6xi32>
      %b = memref.load %f[%c4] : memref<6xi32>
      memref.store %b, %y0[%c1] : memref<3xi32>
      %e = memref.expand_shape %f [[0, 1]] output_shape [3, 2] : memref<6xi32> into memref<3x2xi32>
      %c2 = arith.constant 2 : index
      %d = memref.load %e[%c2, %c1] : memref<3x2xi32>
      memref.store %d, %y0[%c2] : memref<3xi32>";
    let text = on_buffers(&["2x3xi32"], &["3xi32"], 64, body);
    assert_eq!(integers(&text, &[i32s(&[1, 2, 3, 4, 5, 6])]), [5, 5, 6]);
}

#[test]
fn metadata_and_back() {
    let body = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index
      %s = memref.subview %x0[1, 0] [1, 3] [1, 1] : memref<2x3xi32> to memref<3xi32, strided<[1], offset: 3>>
      %base, %offset, %size, %stride = memref.extract_strided_metadata %s : memref<3xi32, strided<[1], offset: 3>> -> memref<i32>, index, index, index
      %back = memref.reinterpret_cast %base to offset: [%offset], sizes: [2], strides: [%c1] : memref<i32> to memref<2xi32, strided<[?], offset: ?>>
      %a = memref.load %back[%c1] : memref<2xi32, strided<[?], offset: ?>>
      %b = arith.index_cast %size : index to i32
      %c = arith.muli %a, %b : i32
      memref.store %c, %y0[%c0] : memref<1xi32>";
    let text = on_buffers(&["2x3xi32"], &["1xi32"], 0, body);
    assert_eq!(integers(&text, &[i32s(&[1, 2, 3, 4, 5, 6])]), [15]);
}

#[test]
fn constants_and_allocations() {
    let body = "%k = memref.get_global @k : memref<3xi32>
      %t = memref.alloc() : memref<3xi32>
      affine.for %i = 0 to 3 {
        %a = affine.load %k[-%i + 2] : memref<3xi32>
        affine.store %a, %t[%i] : memref<3xi32>
      }
      memref.copy %t, %y0 : memref<3xi32> to memref<3xi32>
      memref.dealloc %t : memref<3xi32>";
    let text = "memref.global \"private\" constant @k : memref<3xi32> = dense<[1, 2, 3]>\n"
        .to_owned()
        + &on_buffers(&[], &["3xi32"], 0, body);
    assert_eq!(integers(&text, &[]), [3, 2, 1]);
}

#[test]
fn a_donated_input_is_in_the_output() {
    let body = "affine.for %i = 0 to 2 {
        %a = affine.load %y0[%i] : memref<2xi32>
        %b = arith.addi %a, %a : i32
        affine.store %b, %y0[%i] : memref<2xi32>
      }";
    let text = on_buffers(&[], &["2xi32"], 0, body)
        .replace("strata.inputs = []", "strata.inputs = [tensor<2xi32>], strata.donations = [0]");
    assert_eq!(integers(&text, &[i32s(&[3, 4])]), [6, 8]);
    let not_donated = on_buffers(&[], &["2xi32"], 0, body);
    let error = run_module(&not_donated, &[]).expect_err("nothing is in it");
    assert_eq!(error.code().id(), "S1921");
}
