//! `tensor`: copies, slices, paddings.

use crate::{i32s, integers, on_tensors, run_module};

fn of(from: &str, to: &str, body: &str, x: &[i32]) -> Vec<i32> {
    integers(&on_tensors(&[from], &[to], body), &[i32s(x)])
}

#[test]
fn slices_go_in_and_out() {
    let body =
        "%s = tensor.extract_slice %x0[1, 0] [1, 2] [1, 2] : tensor<2x3xi32> to tensor<2xi32>
      return %s : tensor<2xi32>";
    assert_eq!(of("tensor<2x3xi32>", "tensor<2xi32>", body, &[1, 2, 3, 4, 5, 6]), [4, 6]);
    let body =
        "%s = tensor.extract_slice %x0[1, 0] [1, 2] [1, 2] : tensor<2x3xi32> to tensor<2xi32>
      %t = tensor.insert_slice %s into %x0[0, 1] [1, 2] [1, 1] : tensor<2xi32> into tensor<2x3xi32>
      return %t : tensor<2x3xi32>";
    let found = of("tensor<2x3xi32>", "tensor<2x3xi32>", body, &[1, 2, 3, 4, 5, 6]);
    assert_eq!(found, [1, 4, 6, 4, 5, 6]);
}

#[test]
fn an_update_leaves_the_old_value() {
    let body = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index
      %a = tensor.extract %x0[%c1] : tensor<2xi32>
      %t = tensor.insert %a into %x0[%c0] : tensor<2xi32>
      %b = tensor.extract %x0[%c0] : tensor<2xi32>
      %u = tensor.insert %b into %t[%c1] : tensor<2xi32>
      return %u : tensor<2xi32>";
    assert_eq!(of("tensor<2xi32>", "tensor<2xi32>", body, &[3, 8]), [8, 3]);
}

#[test]
fn shapes_and_paddings() {
    let body = "%c = tensor.collapse_shape %x0 [[0, 1]] : tensor<2x2xi32> into tensor<4xi32>
      %e = tensor.expand_shape %c [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
      %p = tensor.pad %e low[1, 0] high[0, 1] {
      ^bb0(%i: index, %j: index):
        %s = arith.addi %i, %j : index
        %v = arith.index_cast %s : index to i32
        tensor.yield %v : i32
      } : tensor<4x1xi32> to tensor<5x2xi32>
      return %p : tensor<5x2xi32>";
    let found = of("tensor<2x2xi32>", "tensor<5x2xi32>", body, &[10, 20, 30, 40]);
    assert_eq!(found, [0, 1, 10, 2, 20, 3, 30, 4, 40, 5]);
}

#[test]
fn tensors_from_nothing() {
    let body = "%a = tensor.extract %x0[] : tensor<i32>
      %s = tensor.splat %a : tensor<2xi32>
      %g = tensor.generate {
      ^bb0(%i: index):
        %v = arith.index_cast %i : index to i32
        tensor.yield %v : i32
      } : tensor<2xi32>
      %r = arith.addi %s, %g : tensor<2xi32>
      return %r : tensor<2xi32>";
    assert_eq!(of("tensor<i32>", "tensor<2xi32>", body, &[7]), [7, 8]);
}

#[test]
fn what_has_no_value_is_not_read() {
    let body = "%e = tensor.empty() : tensor<3xi32>
      %t = tensor.insert_slice %x0 into %e[1] [2] [1] : tensor<2xi32> into tensor<3xi32>
      %s = tensor.extract_slice %t[1] [2] [1] : tensor<3xi32> to tensor<2xi32>
      return %s : tensor<2xi32>";
    assert_eq!(of("tensor<2xi32>", "tensor<2xi32>", body, &[4, 5]), [4, 5]);
    let text = on_tensors(&["tensor<2xi32>"], &["tensor<2xi32>"], &body.replace("%t[1]", "%t[0]"));
    let error = run_module(&text, &[i32s(&[4, 5])]).expect_err("element 0 has no value");
    assert_eq!(error.code().id(), "S1921");
    assert!(error.reason_text().unwrap_or_default().contains("output 0"));
    let beside =
        on_tensors(&["tensor<2xi32>"], &["tensor<2xi32>"], &body.replace("%e[1]", "%e[2]"));
    assert!(strata_ir::parse(&strata_ir::new_context(), "d.mlir", beside.as_bytes()).is_err());
}

#[test]
fn an_index_beside_a_tensor_is_told() {
    let body = "%i = tensor.extract %x0[] : tensor<i32>
      %at = arith.index_cast %i : i32 to index
      %k = arith.constant dense<[5, 6]> : tensor<2xi32>
      %a = tensor.extract %k[%at] : tensor<2xi32>
      %t = tensor.from_elements %a : tensor<i32>
      return %t : tensor<i32>";
    let text = on_tensors(&["tensor<i32>"], &["tensor<i32>"], body);
    assert_eq!(integers(&text, &[i32s(&[1])]), [6]);
    let error = run_module(&text, &[i32s(&[2])]).expect_err("there are two");
    assert_eq!(error.code().id(), "S1922");
    assert_eq!(error.operation_name(), Some("tensor.extract"));
    assert_eq!(error.location().map(|location| location.line), Some(5));
}

#[test]
fn elements_of_two_tensors() {
    let body = "%both = tensor.concat dim(0) %x0, %x0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
      %at = arith.constant dense<[[4], [0], [2], [5]]> : tensor<4x1xi32>
      %r = tensor.gather %both[%at] gather_dims([0]) : (tensor<6xi32>, tensor<4x1xi32>) -> tensor<4xi32>
      return %r : tensor<4xi32>";
    assert_eq!(of("tensor<3xi32>", "tensor<4xi32>", body, &[7, 8, 9]), [8, 7, 9, 9]);
}

#[test]
fn lanes_are_parted_by_a_mask() {
    let body = "%one = arith.constant dense<1> : tensor<5xi32>
      %odd = arith.andi %x0, %one : tensor<5xi32>
      %m = arith.cmpi eq, %odd, %one : tensor<5xi32>
      %p, %n = narrow.partition %x0 by %m : tensor<5xi32>, tensor<5xi1>
      %count = arith.index_cast %n : index to i32
      %c0 = arith.constant 0 : index
      %r = tensor.insert %count into %p[%c0] : tensor<5xi32>
      return %r : tensor<5xi32>";
    assert_eq!(of("tensor<5xi32>", "tensor<5xi32>", body, &[8, 5, 6, 7, 9]), [3, 7, 9, 8, 6]);
    assert_eq!(of("tensor<5xi32>", "tensor<5xi32>", body, &[2, 4, 6, 8, 0]), [0, 4, 6, 8, 0]);
}
