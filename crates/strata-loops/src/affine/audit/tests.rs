//! Plans that are right, and plans that are wrong.

use strata_ir::{marked_entry, new_context, parse_text};

use super::{check, promises};

fn is_right(body: &str) -> bool {
    let text = format!(
        "module {{ func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %w: memref<128xi8>)
           attributes {{strata.entry}} {{ {body} return }} }}"
    );
    let context = new_context();
    let module = parse_text(&context, &text).expect("a program");
    check(marked_entry(&module).expect("an entry")).is_ok()
}

/// Two temporaries, the second one at byte `at`.
fn two(at: u32, rest: &str) -> String {
    format!(
        "%a0 = arith.constant 0 : index
         %b0 = arith.constant {at} : index
         %a = memref.view %w[%a0][] : memref<128xi8> to memref<8xf32>
         %b = memref.view %w[%b0][] : memref<128xi8> to memref<8xf32>
         {}",
        rest.replace("A -> X", "memref.copy %a, %x : memref<8xf32> to memref<8xf32>")
            .replace("B -> X", "memref.copy %b, %x : memref<8xf32> to memref<8xf32>")
            .replace("Y -> A", "memref.copy %y, %a : memref<8xf32> to memref<8xf32>")
            .replace("Y -> B", "memref.copy %y, %b : memref<8xf32> to memref<8xf32>")
    )
}

#[test]
fn temporaries_share_bytes_only_one_after_the_other() {
    let beside = "Y -> A\n Y -> B\n A -> X\n B -> X\n";
    let in_turn = "Y -> A\n A -> X\n Y -> B\n B -> X\n";
    for (at, is_beside, is_in_turn) in
        [(32, true, true), (96, true, true), (31, false, true), (0, false, true)]
    {
        assert_eq!(is_right(&two(at, beside)), is_beside, "{at}");
        assert_eq!(is_right(&two(at, in_turn)), is_in_turn, "{at}");
    }
    // Past the end of the workspace.
    assert!(!is_right(&two(97, in_turn)));
}

#[test]
fn what_a_loop_reads_from_outside_is_needed_in_every_trip() {
    let around = |inside: &str| {
        format!(
            "%c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c4 = arith.constant 4 : index
             Y -> A
             scf.for %i = %c0 to %c4 step %c1 {{ {inside} }}
             "
        )
    };
    let read_before = around("A -> X\n Y -> B\n B -> X\n");
    assert!(!is_right(&two(0, &read_before)));
    assert!(is_right(&two(32, &read_before)));
    // Written in each iteration before it is read.
    let own = around("").replace("Y -> A", "") + "";
    let own = own.replace("{  }", "{ Y -> A\n A -> X\n Y -> B\n B -> X\n }");
    assert!(is_right(&two(0, &own)));
}

#[test]
fn what_a_trip_begins_with_comes_from_no_other_trip() {
    // The first row that is read was written in the same iteration: the reading loop is empty at first.
    let program = |home: &str| {
        format!(
            "%a0 = arith.constant {home} 0 : index
             %b0 = arith.constant 0 : index
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c4 = arith.constant 4 : index
             %a = memref.view %w[%a0][] : memref<128xi8> to memref<8xf32>
             %b = memref.view %w[%b0][] : memref<128xi8> to memref<8xf32>
             scf.for %trip = %c0 to %c4 step %c1 {{
               scf.for %i = %c0 to %c4 step %c1 {{
                 scf.for %j = %c0 to %i step %c1 {{
                   %old = memref.load %a[%j] : memref<8xf32>
                   memref.store %old, %x[%j] : memref<8xf32>
                 }}
                 %new = memref.load %y[%i] : memref<8xf32>
                 memref.store %new, %a[%i] : memref<8xf32>
               }}
               memref.copy %y, %b : memref<8xf32> to memref<8xf32>
               memref.copy %b, %x : memref<8xf32> to memref<8xf32>
             }}"
        )
    };
    assert!(is_right(&program("{strata.home = 1 : i64}")));
    // A buffer allocated before the loop may be live into the next iteration, and so may one without a recorded allocation.
    assert!(!is_right(&program("")));
    assert!(!is_right(&program("{strata.home = 0 : i64}")));
    assert!(!is_right(&program("{strata.home = 7 : i64}")));
    // It would be local to the inner loop if nothing outside accessed it.
    let beside =
        program("{strata.home = 2 : i64}").replace("memref.copy %b, %x", "memref.copy %a, %x");
    assert!(!is_right(&beside));
}

#[test]
fn a_loop_that_takes_a_place_keeps_it_in_all_of_its_trips() {
    // A temporary that is dead before the inner loop may share memory with that loop's second buffer, in each iteration of the
    // outer one.
    let program = |order: [&str; 2]| {
        let [first, second] = order;
        format!(
            "%t0 = arith.constant {{strata.home = 1 : i64}} 64 : index
             %r0 = arith.constant {{strata.home = 1 : i64}} 0 : index
             %r1 = arith.constant {{strata.home = 1 : i64}} 64 : index
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c4 = arith.constant 4 : index
             %t = memref.view %w[%t0][] : memref<128xi8> to memref<8xf32>
             %r = memref.view %w[%r0][] : memref<128xi8> to memref<8xf32>
             scf.for %i = %c0 to %c4 step %c1 {{
               {first}
               %end:3 = scf.while (%j = %c0, %p = %r0, %q = %r1) : (index, index, index) -> (index, index, index) {{
                 %go = arith.cmpi slt, %j, %c4 : index
                 scf.condition(%go) %j, %p, %q : index, index, index
               }} do {{
               ^bb0(%j: index, %p: index, %q: index):
                 %old = memref.view %w[%p][] : memref<128xi8> to memref<8xf32>
                 %new = memref.view %w[%q][] : memref<128xi8> to memref<8xf32>
                 memref.copy %old, %new : memref<8xf32> to memref<8xf32>
                 %n = arith.addi %j, %c1 : index
                 scf.yield %n, %q, %p : index, index, index
               }}
               {second}
             }}"
        )
    };
    let fill = "memref.copy %y, %r : memref<8xf32> to memref<8xf32>";
    let write = "memref.copy %y, %t : memref<8xf32> to memref<8xf32>";
    let read = "memref.copy %t, %x : memref<8xf32> to memref<8xf32>";
    assert!(is_right(&program([&format!("{write}\n{read}\n{fill}"), ""])));
    assert!(is_right(&program([fill, &format!("{write}\n{read}")])));
    assert!(!is_right(&program([&format!("{write}\n{fill}"), read])));
}

#[test]
fn tasks_have_memory_of_their_own() {
    // Four tasks with two buffers each, the second at byte `at` of the task's slot.
    let program = |all: u32, stride: u32, at: u32| {
        format!(
            "%w0 = arith.constant 0 : index
             %c0 = arith.constant 0 : index
             %c4 = arith.constant 4 : index
             %stride = arith.constant {stride} : index
             %at = arith.constant {at} : index
             %rows = memref.view %w[%w0][] : memref<128xi8> to memref<{all}xi8>
             scf.for %begin = %c0 to %c4 step %c4 {{
               %slot = arith.muli %begin, %stride {{strata.slot}} : index
               %place = arith.addi %slot, %at : index
               %a = memref.view %rows[%slot][] : memref<{all}xi8> to memref<4xf32>
               %b = memref.view %rows[%place][] : memref<{all}xi8> to memref<4xf32>
               memref.copy %a, %b : memref<4xf32> to memref<4xf32>
             }} {{strata.tasks = 4 : i64}}"
        )
    };
    assert!(is_right(&program(128, 32, 16)));
    // The second buffer of a task overlaps the next task's, all tasks share a slot, or there is no room for the last one.
    for (all, stride, at) in [(128, 32, 20), (128, 0, 0), (128, 16, 16), (112, 32, 16)] {
        assert!(!is_right(&program(all, stride, at)), "{all} {stride} {at}");
    }
}

/// A call of a kernel with two arguments, the second one with `promise`.
fn is_kept(promise: &str, body: &str) -> bool {
    let text = format!(
        "module {{
           func.func private @kernel(%a: memref<8xf32>, %b: memref<8xf32> {{{promise}}})
             attributes {{strata.kernel}} {{ return }}
           func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %w: memref<128xi8>)
             attributes {{strata.entry}} {{ {body} return }} }}"
    );
    let context = new_context();
    let module = parse_text(&context, &text).expect("a program");
    promises(strata_ir::module_op(&module)).is_ok()
}

#[test]
fn what_a_kernel_is_promised_is_kept() {
    let alias = "llvm.noalias";
    let call = |a: &str, b: &str| {
        format!("func.call @kernel(%{a}, %{b}) : (memref<8xf32>, memref<8xf32>) -> ()\n")
    };
    for (at, is_apart) in [(32, true), (31, false), (0, false)] {
        assert_eq!(is_kept(alias, &two(at, &call("a", "b"))), is_apart, "{at}");
        assert!(is_kept("", &two(at, &call("a", "b"))), "{at}");
    }
    // The workspace does not overlap the caller's buffers.
    assert!(is_kept(alias, &two(0, &call("x", "b"))));
    let aligned = |bytes: u32| format!("llvm.align = {bytes} : i64");
    assert!(is_kept(&aligned(4), &call("x", "y")), "as elements are");
    assert!(!is_kept(&aligned(64), &call("x", "y")), "the caller's may lie anywhere");
    assert!(is_kept(&aligned(64), &two(64, &call("a", "b"))));
    assert!(!is_kept(&aligned(64), &two(32, &call("a", "b"))));
}
