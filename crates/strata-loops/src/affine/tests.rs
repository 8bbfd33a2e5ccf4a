//! Faults planted in the assignment of buffers: the check has to find each.

use strata_ir::{Module, linalg, marked_entry, new_context, parse_text};

use super::{
    accesses, checker, emit,
    paths::Steps,
    placement::{self, Placement, Storage},
    prepare, results,
    values::Values,
};

/// A value that is read after its update, in a branch and after it.
const UPDATE: &str = "
  func.func @main(%x: tensor<8xf32>, %u: tensor<2xf32>, %p: tensor<i1>, %i: tensor<index>)
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) attributes {strata.entry} {
    %e = tensor.empty() : tensor<8xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%v: f32, %o: f32):
        %r = arith.negf %v : f32
        linalg.yield %r : f32 } -> tensor<8xf32>
    %at = tensor.extract %i[] : tensor<index>
    %b = tensor.insert_slice %u into %a[%at] [2] [1] : tensor<2xf32> into tensor<8xf32>
    %c = tensor.extract %p[] : tensor<i1>
    %d = scf.if %c -> tensor<8xf32> {
      scf.yield %a : tensor<8xf32>
    } else {
      %n = tensor.insert_slice %u into %b[0] [2] [1] : tensor<2xf32> into tensor<8xf32>
      scf.yield %n : tensor<8xf32>
    }
    return %a, %b, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }";

/// Loop-carried tensors that shift, one of which is computed from one that is still live.
const STATES: &str = "
  func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: tensor<i32>)
      -> (tensor<8xf32>, tensor<8xf32>) attributes {strata.entry} {
    %zero = arith.constant dense<0> : tensor<i32>
    %one = arith.constant 1 : i32
    %l:3 = scf.while (%i = %zero, %a = %x, %b = %y)
        : (tensor<i32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<8xf32>) {
      %j = tensor.extract %i[] : tensor<i32>
      %m = tensor.extract %n[] : tensor<i32>
      %go = arith.cmpi slt, %j, %m : i32
      scf.condition(%go) %i, %a, %b : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    } do {
    ^bb0(%i: tensor<i32>, %a: tensor<8xf32>, %b: tensor<8xf32>):
      %j = tensor.extract %i[] : tensor<i32>
      %k = arith.addi %j, %one : i32
      %next = tensor.from_elements %k : tensor<i32>
      %e = tensor.empty() : tensor<8xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (7 - d0)>, #id, #id], iterator_types = [\"parallel\"]}
        ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
        ^bb0(%v: f32, %w: f32, %o: f32):
          %r = arith.addf %v, %w : f32
          linalg.yield %r : f32 } -> tensor<8xf32>
      scf.yield %next, %b, %s : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    }
    return %l#1, %l#2 : tensor<8xf32>, tensor<8xf32>
  }";

/// Inserted slices, the last of them computed first.
const PARTS: &str = "
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) attributes {strata.entry} {
    %e = tensor.empty() : tensor<4xf32>
    %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%v: f32, %o: f32):
        %r = math.exp %v : f32
        linalg.yield %r : f32 } -> tensor<4xf32>
    %f = tensor.empty() : tensor<4xf32>
    %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = [\"parallel\"]}
      ins(%y, %p : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) {
      ^bb0(%v: f32, %w: f32, %o: f32):
        %r = arith.mulf %v, %w : f32
        linalg.yield %r : f32 } -> tensor<4xf32>
    %g = tensor.empty() : tensor<8xf32>
    %h = tensor.insert_slice %q into %g[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %k = tensor.insert_slice %p into %h[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %m = tensor.empty() : tensor<4xf32>
    %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = [\"parallel\"]}
      ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%m : tensor<4xf32>) {
      ^bb0(%v: f32, %w: f32, %o: f32):
        %r = arith.subf %v, %w : f32
        linalg.yield %r : f32 } -> tensor<4xf32>
    return %k, %t : tensor<8xf32>, tensor<4xf32>
  }";

/// A nest without iterations that does not read what it overwrites.
const NO_TRIP: &str = "
  func.func @main(%x: tensor<3x0xf32>) -> (tensor<3xf32>, tensor<3xf32>) attributes {strata.entry} {
    %c = arith.constant 7.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = [\"parallel\", \"reduction\"]} ins(%x : tensor<3x0xf32>) outs(%f : tensor<3xf32>) {
      ^bb0(%v: f32, %o: f32):
        linalg.yield %v : f32 } -> tensor<3xf32>
    return %f, %r : tensor<3xf32>, tensor<3xf32>
  }";

/// Assigns buffers to a program, without granting wishes, with `fault` applied to the placement; returns whether the check
/// passes, or `None` if no fault was planted.
fn checked(
    text: &str,
    grants: bool,
    fault: impl for<'c> FnOnce(&mut Placement<'c>, &Values<'c>) -> bool,
) -> Option<bool> {
    let context = new_context();
    let text = format!("#id = affine_map<(d0) -> (d0)>\n{text}");
    let module: Module<'_> = parse_text(&context, &text).expect("the program parses");
    let entry = marked_entry(&module).expect("an entry");
    prepare::prepare(&context, entry);
    let donated = super::donated(entry);
    let mut steps = Steps::default();
    let values = Values::of(entry, &donated, &mut steps).expect("a known program");
    let mut placement = match grants {
        true => placement::place(entry, &values, &mut steps),
        false => Placement::new(entry, &values),
    };
    for (index, value) in results(entry).into_iter().enumerate() {
        placement.output(&values, index, value.ty());
    }
    if !fault(&mut placement, &values) {
        return None;
    }
    let trace = emit::emit(&context, &module, entry, &donated, &values, &mut steps, &placement);
    let is_content = trace.is_ok_and(|trace| checker::check(&trace).is_ok());
    Some(is_content)
}

#[test]
fn a_nest_without_a_trip_leaves_its_destination() {
    let context = new_context();
    let module: Module<'_> = parse_text(&context, NO_TRIP).expect("the program parses");
    let nests = marked_entry(&module).expect("an entry").collect(|op| op.is(linalg::GENERIC));
    let is_read = |ties: Vec<accesses::Tie>| ties.iter().all(|tie| tie.is_read);
    assert!(nests.len() == 1 && is_read(accesses::ties(nests[0])));
}

#[test]
fn plans_without_a_fault_are_right() {
    for text in [UPDATE, STATES, PARTS, NO_TRIP] {
        assert_eq!(checked(text, true, |_, _| true), Some(true), "{text}");
        assert_eq!(checked(text, false, |_, _| true), Some(true), "{text}");
    }
}

/// Merges each pair of versions in different buffers: if one is written while the other is live, the check must fail.
#[test]
fn values_that_are_alive_at_the_same_time_are_never_in_one_place() {
    let mut planted = 0;
    for text in [UPDATE, STATES, PARTS] {
        for (first, second) in (0..14).flat_map(|one| (0..14).map(move |other| (one, other))) {
            let found = checked(text, false, |placement, values| {
                let (Some(into), Some(from)) =
                    (placement.places.get(first), placement.places.get(second))
                else {
                    return false;
                };
                let (into, from) = (into.buffer, from.buffer);
                let is_temporary = placement.buffers[from].storage == Storage::Temporary;
                let same = placement.buffers[into].tensor == placement.buffers[from].tensor;
                let overlap = placement.buffers[from].members.iter().any(|one| {
                    placement.buffers[into]
                        .members
                        .iter()
                        .any(|other| are_alive_together(values, *one, *other))
                });
                if into == from || !is_temporary || !same || !overlap {
                    return false;
                }
                let members = std::mem::take(&mut placement.buffers[from].members);
                for member in &members {
                    placement.places[*member].buffer = into;
                }
                placement.buffers[into].members.extend(members);
                true
            });
            planted += usize::from(found.is_some());
            assert_ne!(found, Some(true), "versions {first} and {second} of {text}");
        }
    }
    assert!(planted >= 10, "{planted} faults were planted");
}

/// Whether the one is written strictly between a write of the other and a read of it by another operation.
fn are_alive_together(values: &Values<'_>, one: usize, other: usize) -> bool {
    let clobbers = |writer: usize, needed: usize| {
        let (writer, needed) = (&values.versions[writer], &values.versions[needed]);
        writer.part.is_none()
            && writer.writes.iter().any(|at| {
                needed.alive.iter().any(|interval| interval.start < *at && *at + 4 < interval.end)
            })
    };
    clobbers(one, other) || clobbers(other, one)
}

#[test]
fn a_copy_that_is_left_out_is_found() {
    let found = checked(UPDATE, true, |placement, values| {
        // The update is marked in place although the old value is still live.
        let updated = (0..values.versions.len()).find(|id| !placement.in_place[*id]);
        let Some(updated) = updated else { return false };
        placement.in_place[updated] = true;
        placement.places[updated] = placement.places[4].clone();
        true
    });
    assert_eq!(found, Some(false));
}

#[test]
#[allow(clippy::disallowed_methods, reason = "there is one, whatever the order")]
fn wrong_rotations_are_found() {
    for fault in 0..2 {
        let found = checked(STATES, true, |placement, _| {
            let Some(slots) = placement.rotations.values_mut().next() else { return false };
            match fault {
                // Two take the same role.
                0 => slots[0].next = slots[1].next,
                // They rotate the other way.
                _ => {
                    let next: Vec<_> = slots.iter().map(|slot| slot.next).collect();
                    let count = slots.len();
                    for (index, slot) in slots.iter_mut().enumerate() {
                        slot.next = next[(index + 1) % count];
                    }
                }
            }
            true
        });
        assert_eq!(found, Some(false), "fault {fault}");
    }
}

#[test]
fn parts_in_the_wrong_place_are_found() {
    let found = checked(PARTS, true, |placement, values| {
        // Both parts are computed in the first half.
        let parts: Vec<_> = (0..values.versions.len())
            .filter(|id| !placement.places[*id].path.is_empty())
            .collect();
        let [first, second, ..] = parts[..] else { return false };
        placement.places[second] = placement.places[first].clone();
        true
    });
    assert_eq!(found, Some(false));
}

#[test]
fn inputs_are_not_written() {
    let found = checked(UPDATE, true, |placement, values| {
        let input = placement.places[0].clone();
        let computed = (0..values.versions.len()).find(|id| {
            let same = values.versions[*id].value.ty() == values.versions[0].value.ty();
            same && placement.buffers[placement.places[*id].buffer].storage != Storage::Input(0)
        });
        let Some(computed) = computed else { return false };
        placement.places[computed] = input;
        true
    });
    assert_eq!(found, Some(false));
}

#[test]
fn what_needs_no_copy_has_no_content_in_its_destination() {
    let context = new_context();
    let text = format!("#id = affine_map<(d0) -> (d0)>\n{PARTS}");
    let module: Module<'_> = parse_text(&context, &text).expect("the program parses");
    let entry = marked_entry(&module).expect("an entry");
    let values =
        Values::of(entry, &super::donated(entry), &mut Steps::default()).expect("a known program");
    let copied = values.versions.iter().filter(|version| values.needs_content(version.value));
    // Only the second insertion has a defined destination.
    assert_eq!(copied.count(), 1);
}
