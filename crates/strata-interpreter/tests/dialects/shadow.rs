//! Errors found by the shadow: the code, the operation, the location.

use crate::{i32s, on_buffers, run_module};

/// The code and the operation of what ends the run.
#[track_caller]
fn found(body: &str) -> (String, String, String) {
    let text = on_buffers(&["4xi32"], &["4xi32"], 64, body);
    let error = run_module(&text, &[i32s(&[1, 2, 3, 4])]).expect_err("something is wrong");
    let operation = error.operation_name().unwrap_or_default().to_owned();
    let reason = error.reason_text().unwrap_or_default().to_owned();
    (error.code().id().to_owned(), operation, reason)
}

const PARTS: &str = "%c0 = arith.constant 0 : index\n%c8 = arith.constant 8 : index\n%c16 = arith.constant 16 : index
  %s = memref.view %w[%c0][] : memref<64xi8> to memref<4xi32>
  %t = memref.view %w[%c16][] : memref<64xi8> to memref<4xi32>";

#[test]
fn a_dropped_copy() {
    let body = format!(
        "{PARTS}\nmemref.copy %x0, %s : memref<4xi32> to memref<4xi32>
      affine.for %i = 0 to 4 {{
        %a = affine.load %t[%i] : memref<4xi32>
        %b = arith.addi %a, %a : i32
        affine.store %b, %y0[%i] : memref<4xi32>
      }}"
    );
    let (code, operation, reason) = found(&body);
    assert_eq!((code.as_str(), operation.as_str()), ("S1921", "affine.load"));
    assert!(reason.contains("element [0]"), "{reason}");
}

#[test]
fn what_is_only_copied_may_be_nothing_until_it_is_used() {
    let copies = |last: &str| {
        format!(
            "{PARTS}\nmemref.copy %x0, %y0 : memref<4xi32> to memref<4xi32>
             affine.for %i = 0 to 4 {{
               %a = affine.load %t[%i] : memref<4xi32>
               affine.store %a, %s[%i] : memref<4xi32>
             }}
             {last}"
        )
    };
    let body = copies("memref.copy %x0, %s : memref<4xi32> to memref<4xi32>");
    let text = on_buffers(&["4xi32"], &["4xi32"], 64, &body);
    run_module(&text, &[i32s(&[1, 2, 3, 4])]).expect("nothing is wrong");
    let (code, operation, _) = found(&copies(
        "affine.for %i = 0 to 4 {
           %a = affine.load %s[%i] : memref<4xi32>
           %b = arith.addi %a, %a : i32
           affine.store %b, %y0[%i] : memref<4xi32>
         }",
    ));
    assert_eq!((code.as_str(), operation.as_str()), ("S1921", "affine.load"));
}

#[test]
fn a_copy_of_nothing_reaches_the_output() {
    let body = format!("{PARTS}\nmemref.copy %t, %y0 : memref<4xi32> to memref<4xi32>");
    let (code, operation, reason) = found(&body);
    assert_eq!((code.as_str(), operation.as_str()), ("S1921", ""));
    assert!(reason.contains("output 0"), "{reason}");
}

#[test]
fn a_moved_offset() {
    let body = format!(
        "{}\nmemref.copy %x0, %s : memref<4xi32> to memref<4xi32>
      memref.copy %x0, %t : memref<4xi32> to memref<4xi32>
      affine.for %i = 0 to 4 {{
        %a = affine.load %s[%i] : memref<4xi32>
        %b = affine.load %t[%i] : memref<4xi32>
        %c = arith.addi %a, %b : i32
        affine.store %c, %y0[%i] : memref<4xi32>
      }}",
        PARTS.replace("%w[%c16]", "%w[%c8]")
    );
    let (code, operation, reason) = found(&body);
    assert_eq!((code.as_str(), operation.as_str()), ("S1924", "affine.load"));
    assert!(reason.contains("element [2]") && reason.contains("memref.view"), "{reason}");
}

#[test]
fn an_index_off_by_one() {
    let (code, operation, reason) = found(
        "affine.for %i = 0 to 4 {
        %a = affine.load %x0[%i + 1] : memref<4xi32>
        affine.store %a, %y0[%i] : memref<4xi32>
      }",
    );
    assert_eq!((code.as_str(), operation.as_str()), ("S1922", "affine.load"));
    assert!(reason.contains("index 4 of dimension 0, which has 4"), "{reason}");
}

#[test]
fn a_vector_that_is_too_long() {
    let read = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index
      %v = vector.load %x0[%c1] : memref<4xi32>, vector<4xi32>
      vector.store %v, %y0[%c0] : memref<4xi32>, vector<4xi32>";
    assert_eq!(found(read).0, "S1922");
    let write = read.replace("%x0[%c1]", "%x0[%c0]").replace("%y0[%c0]", "%y0[%c1]");
    let (code, operation, _) = found(&write);
    assert_eq!((code.as_str(), operation.as_str()), ("S1922", "vector.store"));
    let transfer =
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%p = ub.poison : i32
      %v = vector.transfer_read %x0[%c1], %p : memref<4xi32>, vector<4xi32>
      vector.store %v, %y0[%c0] : memref<4xi32>, vector<4xi32>";
    assert_eq!(found(transfer).1, "vector.transfer_read");
    assert_eq!(
        found(&transfer.replace("%p : memref", "%p {in_bounds = [true]} : memref")).0,
        "S1922"
    );
}

#[test]
fn a_view_beyond_the_arena() {
    let body = "%c56 = arith.constant 56 : index\n%t = memref.view %w[%c56][] : memref<64xi8> to memref<4xi32>
      memref.copy %x0, %t : memref<4xi32> to memref<4xi32>";
    assert_eq!(found(body).1, "memref.view");
    let body = "%c2 = arith.constant 2 : index
      %t = memref.subview %x0[%c2] [3] [1] : memref<4xi32> to memref<3xi32, strided<[1], offset: ?>>
      %s = memref.subview %y0[0] [3] [1] : memref<4xi32> to memref<3xi32>
      memref.copy %t, %s : memref<3xi32, strided<[1], offset: ?>> to memref<3xi32>";
    let (code, operation, _) = found(body);
    assert_eq!((code.as_str(), operation.as_str()), ("S1922", "memref.subview"));
}

#[test]
fn an_input_that_is_written() {
    let (code, operation, reason) = found(
        "memref.copy %x0, %y0 : memref<4xi32> to memref<4xi32>
      memref.copy %y0, %x0 : memref<4xi32> to memref<4xi32>",
    );
    assert_eq!((code.as_str(), operation.as_str()), ("S1923", "memref.copy"));
    assert!(reason.contains("input 0"), "{reason}");
}

#[test]
fn a_division_without_a_result() {
    let (code, operation, _) = found(
        "%z = arith.constant 0 : i32
      affine.for %i = 0 to 4 {
        %a = affine.load %x0[%i] : memref<4xi32>
        %b = arith.divsi %a, %z : i32
        affine.store %b, %y0[%i] : memref<4xi32>
      }",
    );
    assert_eq!((code.as_str(), operation.as_str()), ("S1912", "arith.divsi"));
}
