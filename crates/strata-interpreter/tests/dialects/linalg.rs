//! `linalg`: named operations and `generic`, on tensors and on buffers.

use crate::{f32s, floats, i32s, integers, on_buffers, on_tensors};

#[test]
fn matmuls() {
    let body = "%z = arith.constant 0 : i32\n%e = tensor.empty() : tensor<2x2xi32>
      %f = linalg.fill ins(%z : i32) outs(%e : tensor<2x2xi32>) -> tensor<2x2xi32>
      %r = linalg.matmul ins(%x0, %x1 : tensor<2x3xi32>, tensor<3x2xi32>) outs(%f : tensor<2x2xi32>) -> tensor<2x2xi32>
      return %r : tensor<2x2xi32>";
    let text = on_tensors(&["tensor<2x3xi32>", "tensor<3x2xi32>"], &["tensor<2x2xi32>"], body);
    let inputs = [i32s(&[1, 2, 3, 4, 5, 6]), i32s(&[1, 0, 2, 1, 0, 3])];
    assert_eq!(integers(&text, &inputs), [5, 11, 14, 23]);
    let body =
        "linalg.vecmat ins(%x0, %x1 : memref<3xi32>, memref<3x2xi32>) outs(%y0 : memref<2xi32>)";
    let zero = "%z = arith.constant 7 : i32\nlinalg.fill ins(%z : i32) outs(%y0 : memref<2xi32>)";
    let text = on_buffers(&["3xi32", "3x2xi32"], &["2xi32"], 0, &format!("{zero}\n{body}"));
    let inputs = [i32s(&[1, 2, 3]), i32s(&[1, 0, 2, 1, 0, 3])];
    assert_eq!(integers(&text, &inputs), [12, 18]);
}

#[test]
fn batches_of_matmuls() {
    let body = "%z = arith.constant 0 : i32\n%e = tensor.empty() : tensor<2x1x2xi32>
      %f = linalg.fill ins(%z : i32) outs(%e : tensor<2x1x2xi32>) -> tensor<2x1x2xi32>
      %r = linalg.batch_matmul ins(%x0, %x1 : tensor<2x1x2xi32>, tensor<2x2x2xi32>) outs(%f : tensor<2x1x2xi32>) -> tensor<2x1x2xi32>
      return %r : tensor<2x1x2xi32>";
    let text =
        on_tensors(&["tensor<2x1x2xi32>", "tensor<2x2x2xi32>"], &["tensor<2x1x2xi32>"], body);
    let inputs = [i32s(&[1, 2, 3, 4]), i32s(&[1, 2, 3, 4, 5, 6, 7, 8])];
    assert_eq!(integers(&text, &inputs), [7, 10, 43, 50]);
}

#[test]
fn moves_and_sums() {
    let body = "%e = tensor.empty() : tensor<3x2xi32>
      %t = linalg.transpose ins(%x0 : tensor<2x3xi32>) outs(%e : tensor<3x2xi32>) permutation = [1, 0]
      %k = arith.constant dense<100> : tensor<3xi32>
      %s = linalg.reduce { arith.addi } ins(%t : tensor<3x2xi32>) outs(%k : tensor<3xi32>) dimensions = [1]
      %f = tensor.empty() : tensor<3x2xi32>
      %b = linalg.broadcast ins(%s : tensor<3xi32>) outs(%f : tensor<3x2xi32>) dimensions = [1]
      %r = arith.subi %b, %t : tensor<3x2xi32>
      return %r : tensor<3x2xi32>";
    let text = on_tensors(&["tensor<2x3xi32>"], &["tensor<3x2xi32>"], body);
    let found = integers(&text, &[i32s(&[1, 2, 3, 10, 20, 30])]);
    assert_eq!(found, [110, 101, 120, 102, 130, 103]);
}

#[test]
fn convolutions_step_and_dilate() {
    let body = "%z = arith.constant 0 : i32\n%e = tensor.empty() : tensor<1x2x1xi32>
      %f = linalg.fill ins(%z : i32) outs(%e : tensor<1x2x1xi32>) -> tensor<1x2x1xi32>
      %r = linalg.conv_1d_nwc_wcf {dilations = dense<2> : tensor<1xi64>, strides = dense<3> : tensor<1xi64>}
        ins(%x0, %x1 : tensor<1x6x1xi32>, tensor<2x1x1xi32>) outs(%f : tensor<1x2x1xi32>) -> tensor<1x2x1xi32>
      return %r : tensor<1x2x1xi32>";
    let text =
        on_tensors(&["tensor<1x6x1xi32>", "tensor<2x1x1xi32>"], &["tensor<1x2x1xi32>"], body);
    // Elements 0 and 2, then 3 and 5.
    let found = integers(&text, &[i32s(&[1, 2, 3, 4, 5, 6]), i32s(&[10, 1])]);
    assert_eq!(found, [13, 46]);
}

#[test]
fn windows_pool() {
    let body = "%k = arith.constant -1.0e9 : f32\n%w = tensor.empty() : tensor<2x1xf32>
      %z = arith.constant 0.0 : f32
      %v = linalg.fill ins(%z : f32) outs(%w : tensor<2x1xf32>) -> tensor<2x1xf32>
      %e = tensor.empty() : tensor<1x2x2x1xf32>
      %f = linalg.fill ins(%k : f32) outs(%e : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
      %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
        ins(%x0, %v : tensor<1x3x2x1xf32>, tensor<2x1xf32>) outs(%f : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
      return %r : tensor<1x2x2x1xf32>";
    let text = on_tensors(&["tensor<1x3x2x1xf32>"], &["tensor<1x2x2x1xf32>"], body);
    let found = floats(&text, &[f32s(&[1.0, 6.0, 3.0, 4.0, 5.0, 2.0])]);
    assert_eq!(found, [3.0, 6.0, 5.0, 4.0]);
}

#[test]
fn generics_have_maps_and_indices() {
    // Reversed, with the index added, summed along the rows into what was there.
    let body = "%k = arith.constant dense<1000> : tensor<2xi32>
      %r = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, -d1 + 2)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = [\"parallel\", \"reduction\"]} ins(%x0, %x0 : tensor<2x3xi32>, tensor<2x3xi32>) outs(%k : tensor<2xi32>) {
      ^bb0(%a: i32, %b: i32, %sum: i32):
        %j = linalg.index 1 : index
        %v = arith.index_cast %j : index to i32
        %m = arith.muli %a, %v : i32
        %t = arith.addi %m, %b : i32
        %s = arith.addi %sum, %t : i32
        linalg.yield %s : i32
      } -> tensor<2xi32>
      return %r : tensor<2xi32>";
    let text = on_tensors(&["tensor<2x3xi32>"], &["tensor<2xi32>"], body);
    // 3*0 + 2*1 + 1*2 + 6, then 6*0 + 5*1 + 4*2 + 15.
    assert_eq!(integers(&text, &[i32s(&[1, 2, 3, 4, 5, 6])]), [1010, 1028]);
}

#[test]
fn a_generic_in_place_reads_what_it_wrote() {
    // A running sum: in one buffer, the previous element is already the new one.
    let body = "memref.copy %x0, %y0 : memref<4xi32> to memref<4xi32>
      %head = memref.subview %y0[0] [3] [1] : memref<4xi32> to memref<3xi32>
      %tail = memref.subview %y0[1] [3] [1] : memref<4xi32> to memref<3xi32, strided<[1], offset: 1>>
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]}
        ins(%head : memref<3xi32>) outs(%tail : memref<3xi32, strided<[1], offset: 1>>) {
      ^bb0(%a: i32, %b: i32):
        %s = arith.addi %a, %b : i32
        linalg.yield %s : i32
      }";
    let text = on_buffers(&["4xi32"], &["4xi32"], 0, body);
    assert_eq!(integers(&text, &[i32s(&[1, 2, 3, 4])]), [1, 3, 6, 10]);
}
