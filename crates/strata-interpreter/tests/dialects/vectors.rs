//! `vector`: reads and writes, shuffles, reductions.

use crate::{i32s, integers, on_buffers, on_tensors};

/// The vector `%r` of `code`, which reads `%v`, the input as a vector.
fn of(x: &[i32], shape: &str, code: &str, result: &str, count: usize) -> Vec<i32> {
    let zeros = ["%o"].repeat(shape.matches('x').count()).join(", ");
    let body = format!(
        "%o = arith.constant 0 : index\n%p = arith.constant -1 : i32
         %v = vector.transfer_read %x0[{zeros}], %p {{in_bounds = [{}]}} : memref<{shape}>, vector<{shape}>
         {code}
         %flat = vector.shape_cast %r : vector<{result}> to vector<{count}xi32>
         vector.store %flat, %y0[%o] : memref<{count}xi32>, vector<{count}xi32>",
        ["true"].repeat(shape.matches('x').count()).join(", ")
    );
    integers(&on_buffers(&[shape], &[&format!("{count}xi32")], 0, &body), &[i32s(x)])
}

const SIX: [i32; 6] = [1, 2, 3, 4, 5, 6];

#[test]
fn moves() {
    let code = "%r = vector.transpose %v, [1, 0] : vector<2x3xi32> to vector<3x2xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "3x2xi32", 6), [1, 4, 2, 5, 3, 6]);
    let code = "%r = vector.shuffle %v, %v [3, 0, 5, 2] : vector<3xi32>, vector<3xi32>";
    assert_eq!(of(&[7, 8, 9], "3xi32", code, "4xi32", 4), [7, 7, 9, 9]);
    let code = "%e = vector.extract %v[1] : vector<3xi32> from vector<2x3xi32>
                %r = vector.insert %e, %v [0] : vector<3xi32> into vector<2x3xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "2x3xi32", 6), [4, 5, 6, 4, 5, 6]);
    let code = "%r = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3xi32> to vector<2x2xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "2x2xi32", 4), [2, 3, 5, 6]);
    let code = "%e = vector.extract %v[0] : vector<3xi32> from vector<2x3xi32>
                %s = vector.extract_strided_slice %e {offsets = [1], sizes = [2], strides = [1]} : vector<3xi32> to vector<2xi32>
                %r = vector.insert_strided_slice %s, %v {offsets = [1, 0], strides = [1]} : vector<2xi32> into vector<2x3xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "2x3xi32", 6), [1, 2, 3, 2, 3, 6]);
}

#[test]
fn broadcasts_and_elements() {
    let code = "%e = vector.extract %v[2] : i32 from vector<3xi32>
                %r = vector.broadcast %e : i32 to vector<2x2xi32>";
    assert_eq!(of(&[7, 8, 9], "3xi32", code, "2x2xi32", 4), [9, 9, 9, 9]);
    let code = "%c = vector.shape_cast %v : vector<2xi32> to vector<2x1xi32>
                %r = vector.broadcast %c : vector<2x1xi32> to vector<2x3xi32>";
    assert_eq!(of(&[7, 8], "2xi32", code, "2x3xi32", 6), [7, 7, 7, 8, 8, 8]);
    let code = "%e:3 = vector.to_elements %v : vector<3xi32>
                %r = vector.from_elements %e#2, %e#0 : vector<2xi32>";
    assert_eq!(of(&[7, 8, 9], "3xi32", code, "2xi32", 2), [9, 7]);
    let code = "%b = vector.bitcast %v : vector<2xi32> to vector<4xi16>
                %s = vector.shuffle %b, %b [2, 1, 0, 3] : vector<4xi16>, vector<4xi16>
                %r = vector.bitcast %s : vector<4xi16> to vector<2xi32>";
    assert_eq!(of(&[0x1_0002, 0x3_0004], "2xi32", code, "2xi32", 2), [0x1_0004, 0x3_0002]);
}

#[test]
fn folds() {
    let code = "%s = vector.reduction <maxsi>, %v : vector<3xi32> into i32
                %r = vector.broadcast %s : i32 to vector<1xi32>";
    assert_eq!(of(&[7, -8, 9], "3xi32", code, "1xi32", 1), [9]);
    let code = "%a = arith.constant dense<[100, 200, 300]> : vector<3xi32>
                %r = vector.multi_reduction <add>, %v, %a [0] : vector<2x3xi32> to vector<3xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "3xi32", 3), [105, 207, 309]);
    let code = "%a = arith.constant dense<0> : vector<2x2xi32>
      %r = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>} %v, %v, %a
        : vector<2x3xi32>, vector<2x3xi32> into vector<2x2xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "2x2xi32", 4), [14, 32, 32, 77]);
    let code = "%a = arith.constant dense<1> : vector<2x2xi32>
                %r = vector.outerproduct %v, %v, %a {kind = #vector.kind<add>} : vector<2xi32>, vector<2xi32>";
    assert_eq!(of(&[3, 4], "2xi32", code, "2x2xi32", 4), [10, 13, 13, 17]);
}

#[test]
fn masks_leave_memory_alone() {
    let code = "%one = arith.constant 1 : index\n%two = arith.constant 2 : index
      %m = vector.create_mask %two : vector<3xi1>
      %q = arith.constant dense<50> : vector<3xi32>
      %r = vector.maskedload %x0[%one], %m, %q : memref<3xi32>, vector<3xi1>, vector<3xi32> into vector<3xi32>";
    assert_eq!(of(&[7, 8, 9], "3xi32", code, "3xi32", 3), [8, 9, 50]);
    let body = "%o = arith.constant 0 : index\n%one = arith.constant 1 : index
      memref.copy %x0, %y0 : memref<3xi32> to memref<3xi32>
      %m = vector.constant_mask [2] : vector<3xi1>\n%s = vector.step : vector<3xindex>
      %v = arith.index_cast %s : vector<3xindex> to vector<3xi32>
      vector.maskedstore %y0[%one], %m, %v : memref<3xi32>, vector<3xi1>, vector<3xi32>";
    assert_eq!(
        integers(&on_buffers(&["3xi32"], &["3xi32"], 0, body), &[i32s(&[7, 8, 9])]),
        [7, 0, 1]
    );
}

#[test]
fn transfers_turn_and_pad() {
    let code = "%one = arith.constant 1 : index
      %r = vector.transfer_read %x0[%o, %one], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
        : memref<2x3xi32>, vector<3x2xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "3x2xi32", 6), [2, 5, 3, 6, -1, -1]);
    let code = "%one = arith.constant 1 : index
      %r = vector.transfer_read %x0[%one, %one], %p {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>}
        : memref<2x3xi32>, vector<2x2xi32>";
    assert_eq!(of(&SIX, "2x3xi32", code, "2x2xi32", 4), [5, 6, 5, 6]);
    let body = "%c = arith.constant 2 : index
      %v = arith.constant dense<[70, 80]> : vector<2xi32>
      %t = vector.transfer_write %v, %x0[%c] : vector<2xi32>, tensor<3xi32>
      return %t : tensor<3xi32>";
    let text = on_tensors(&["tensor<3xi32>"], &["tensor<3xi32>"], body);
    assert_eq!(integers(&text, &[i32s(&[7, 8, 9])]), [7, 8, 70]);
}
