//! Assignments for small programs. Old and new function are the same here, so that both have the same scalars:
//! tensors and their buffers are in one function.

use strata_ir::{Module, Op, Value, module_op, new_context, parse_text};

use super::{check, coverage};
use crate::affine::trace::{Carried, Event, Trace};

struct Program<'c>(Op<'c>);

impl<'c> Program<'c> {
    fn new(module: &Module<'c>) -> Self {
        Self(module_op(module).body(0).ops()[0])
    }

    /// Argument `index` of the function.
    fn arg(&self, index: usize) -> Value<'c> {
        self.0.body(0).arg(index)
    }

    /// The operation with the attribute `tag = "…"`.
    fn op(&self, tag: &str) -> Op<'c> {
        self.0.collect(|op| op.has_attr(tag))[0]
    }

    /// What it computes.
    fn value(&self, tag: &str) -> Value<'c> {
        self.op(tag).result(0)
    }

    /// An operation that reads and writes the given buffers.
    fn event(
        &self,
        tag: &str,
        operands: Vec<Option<Value<'c>>>,
        result: Option<Value<'c>>,
    ) -> Event<'c> {
        let op = self.op(tag);
        let mut buffers = operands;
        buffers.resize(op.operand_count(), None);
        let results = vec![result; op.result_count()];
        Event::Op { op, operands: buffers, results, captured: Vec::new() }
    }

    fn is_right(
        &self,
        inputs: &[(usize, usize, bool)],
        outputs: &[usize],
        events: Vec<Event<'c>>,
    ) -> bool {
        let inputs = inputs
            .iter()
            .map(|(value, buffer, is_written)| (self.arg(*value), self.arg(*buffer), *is_written));
        let outputs = outputs.iter().map(|output| self.arg(*output)).collect();
        let numbers = rustc_hash::FxHashMap::default();
        let inputs = inputs.collect();
        let outcome = check(&Trace { events, inputs, outputs, accesses: Vec::new(), numbers });
        if let Err(error) = &outcome {
            println!("{}", error.render());
        }
        outcome.is_ok()
    }
}

fn pointwise(tag: &str, input: &str, into: &str, size: usize) -> String {
    let map = "affine_map<(d0) -> (d0)>";
    format!(
        "linalg.generic {{indexing_maps = [{map}, {map}], iterator_types = [\"parallel\"], {tag}}} \
         ins({input} : tensor<{size}xf32>) outs({into} : tensor<{size}xf32>) {{ \
         ^bb0(%from: f32, %to: f32): %new = arith.negf %from : f32 linalg.yield %new : f32 \
         }} -> tensor<{size}xf32>"
    )
}

#[test]
fn values_are_where_they_are_read() {
    let (first, second) = (pointwise("first", "%x", "%e", 4), pointwise("second", "%y", "%e", 4));
    let text = format!(
        "func.func @f(%x: tensor<4xf32>, %in: memref<4xf32>, %out: memref<4xf32>, %other: memref<4xf32>) {{
           %e = tensor.empty() : tensor<4xf32>
           %y = {first}
           %z = {second}
           return }}"
    );
    let context = new_context();
    let module = parse_text(&context, &text).expect("a program");
    let program = Program::new(&module);
    let [input, out, other] = [1, 2, 3].map(|index| program.arg(index));
    let plan = |from, to, from_second, to_second| {
        vec![
            program.event("first", vec![Some(from)], Some(to)),
            program.event("second", vec![Some(from_second)], Some(to_second)),
            Event::Return { index: 0, value: program.value("second"), buffer: out },
        ]
    };
    let inputs = [(0, 1, false)];
    assert!(program.is_right(&inputs, &[2], plan(input, out, out, out)));
    // Read from the wrong buffer, written to the input, not in the output.
    assert!(!program.is_right(&inputs, &[2], plan(input, out, input, out)));
    assert!(!program.is_right(&inputs, &[2], plan(input, input, input, out)));
    assert!(!program.is_right(&inputs, &[2, 3], plan(input, out, out, other)));
    assert!(program.is_right(&[(0, 1, true)], &[2], plan(input, input, input, out)));
    let mut clobbered = plan(input, out, out, out);
    clobbered.insert(1, Event::Copy { from: input, to: out });
    assert!(!program.is_right(&inputs, &[2], clobbered));
}

const PARTS: &str = "
  func.func @f(%x: tensor<4xf32>, %in: memref<4xf32>, %out: memref<8xf32>) {
    %low = memref.subview %out[0] [4] [1] {low} : memref<8xf32> to memref<4xf32, strided<[1]>>
    %high = memref.subview %out[4] [4] [1] {high} : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
    %e = tensor.empty() : tensor<4xf32>
    %w = tensor.empty() : tensor<8xf32>
    %p = FIRST
    %q = SECOND
    %d = tensor.insert_slice %p into %w[0] [4] [1] {d} : tensor<4xf32> into tensor<8xf32>
    %r = tensor.insert_slice %q into %d[4] [4] [1] {r} : tensor<4xf32> into tensor<8xf32>
    return
  }";

#[test]
fn parts_are_computed_where_they_belong() {
    let text = PARTS
        .replace("FIRST", &pointwise("first", "%x", "%e", 4))
        .replace("SECOND", &pointwise("second", "%x", "%e", 4));
    let context = new_context();
    let module = parse_text(&context, &text).expect("a program");
    let program = Program::new(&module);
    let (input, out) = (program.arg(1), program.arg(2));
    let (low, high) = (program.value("low"), program.value("high"));
    let plan = |second, order: [usize; 4]| {
        order.map(|index| match index {
            0 => program.event("first", vec![Some(input)], Some(low)),
            1 => program.event("second", vec![Some(input)], Some(second)),
            2 => program.event("d", vec![Some(low), Some(out)], Some(out)),
            _ => program.event("r", vec![Some(second), Some(out)], Some(out)),
        })
    };
    for order in [[0, 1, 2, 3], [1, 0, 2, 3], [0, 2, 1, 3]] {
        let mut events: Vec<_> = plan(high, order).into();
        events.push(Event::Return { index: 0, value: program.value("r"), buffer: out });
        assert!(program.is_right(&[(0, 1, false)], &[2], events), "{order:?}");
        // The second part overwrites the first one.
        let mut events: Vec<_> = plan(low, order).into();
        events.push(Event::Return { index: 0, value: program.value("r"), buffer: out });
        assert!(!program.is_right(&[(0, 1, false)], &[2], events), "{order:?}");
    }
}

const LOOP: &str = "
  func.func @f(%x: tensor<8x4xf32>, %in: memref<8x4xf32>, %out: memref<8x4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %e = tensor.empty() : tensor<4xf32>
    %w = tensor.empty() {w} : tensor<8x4xf32>
    %l = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %w) -> tensor<8x4xf32> {
      %row = memref.subview %in[%i, 0] [1, 4] [1, 1] {row}
        : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      %into = memref.subview %out[%i, 0] [1, 4] [1, 1] {into}
        : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      %last = memref.subview %out[7, 0] [1, 4] [1, 1] {last}
        : memref<8x4xf32> to memref<4xf32, strided<[1], offset: 28>>
      %s = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] {s} : tensor<8x4xf32> to tensor<4xf32>
      %p = FIRST
      %n = tensor.insert_slice %p into %acc[%i, 0] [1, 4] [1, 1] {n} : tensor<4xf32> into tensor<8x4xf32>
      scf.yield %n : tensor<8x4xf32>
    } {l}
    return
  }";

#[test]
fn a_loop_fills_its_result_row_by_row() {
    let text = LOOP.replace("FIRST", &pointwise("first", "%s", "%e", 4));
    let context = new_context();
    let module = parse_text(&context, &text).expect("a program");
    let program = Program::new(&module);
    let (input, out) = (program.arg(1), program.arg(2));
    let [row, into, last] = ["row", "into", "last"].map(|tag| program.value(tag));
    let plan = |place, yields| {
        let body = vec![
            Event::View { op: program.op("s"), buffer: row },
            program.event("first", vec![Some(row)], Some(place)),
            program.event("n", vec![Some(place), Some(out)], Some(out)),
        ];
        vec![
            Event::Loop {
                op: program.op("l"),
                args: vec![Some(yields)],
                before: Vec::new(),
                after_args: Vec::new(),
                body,
                results: vec![Some(yields)],
                carried: Vec::new(),
            },
            Event::Return { index: 0, value: program.value("l"), buffer: out },
        ]
    };
    assert!(program.is_right(&[(0, 1, false)], &[2], plan(into, out)));
    // A row that was written before is overwritten; the wrong buffer is carried.
    assert!(!program.is_right(&[(0, 1, false)], &[2], plan(last, out)));
    assert!(!program.is_right(&[(0, 1, false)], &[2], plan(into, input)));
    // The rows overwrite what is read: row by row this is correct only for vectors, which the check knows.
    assert!(!program.is_right(&[(0, 2, true)], &[2], plan(into, out)));
}

const VECTORS: &str = "
  func.func @f(%x: tensor<64xf32>, %m: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %step = arith.constant STEP : index
    %c64 = arith.constant 64 : index
    %z = arith.constant 0.0 : f32
    %w = tensor.empty() : tensor<64xf32>
    %l = scf.for %i = %c0 to %c64 step %step iter_args(%acc = %w) -> tensor<64xf32> {
      %v = vector.transfer_read %x[%i], %z {read} : tensor<64xf32>, vector<8xf32>
      %t = arith.negf %v : vector<8xf32>
      %n = vector.transfer_write %t, %acc[%i] {write} : vector<8xf32>, tensor<64xf32>
      scf.yield %n : tensor<64xf32>
    } {l, strata.schedule}
    return
  }";

#[test]
fn vectors_are_overwritten_after_their_read() {
    let context = new_context();
    for (step, order, expected) in [("8", [0, 1], true), ("4", [0, 1], false), ("8", [1, 0], false)]
    {
        let module = parse_text(&context, &VECTORS.replace("STEP", step)).expect("a program");
        let program = Program::new(&module);
        let buffer = Some(program.arg(1));
        let body = order.map(|index| match index {
            0 => program.event("read", vec![buffer], None),
            _ => program.event("write", vec![None, buffer], buffer),
        });
        let events = vec![
            Event::Loop {
                op: program.op("l"),
                args: vec![buffer],
                before: Vec::new(),
                after_args: Vec::new(),
                body: body.into(),
                results: vec![buffer],
                carried: Vec::new(),
            },
            Event::Return { index: 0, value: program.value("l"), buffer: program.arg(1) },
        ];
        assert_eq!(program.is_right(&[(0, 1, true)], &[1], events), expected, "{step} {order:?}");
    }
}

const ROWS: &str = "
  func.func @f(%v: vector<4xf32>, %in: memref<4xf32>, %out: memref<3x4xf32>) {
    %row0 = memref.subview %out[0, 0] [1, 4] [1, 1] {row0} : memref<3x4xf32> to memref<4xf32, strided<[1]>>
    %row1 = memref.subview %out[1, 0] [1, 4] [1, 1] {row1}
      : memref<3x4xf32> to memref<4xf32, strided<[1], offset: 4>>
    %row2 = memref.subview %out[2, 0] [1, 4] [1, 1] {row2}
      : memref<3x4xf32> to memref<4xf32, strided<[1], offset: 8>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %e = tensor.empty() : tensor<3x4xf32>
    %a = vector.transfer_write %v, %e[%c0, %c0] {write0, in_bounds = [true]} : vector<4xf32>, tensor<3x4xf32>
    %b = vector.transfer_write %v, %a[%c1, %c0] {write1, in_bounds = [true]} : vector<4xf32>, tensor<3x4xf32>
    %c = vector.transfer_write %v, %b[%c2, %c0] {write2, in_bounds = [true]} : vector<4xf32>, tensor<3x4xf32>
    return
  }";

#[test]
fn rows_may_be_disturbed_only_before_they_are_written() {
    let context = new_context();
    let module = parse_text(&context, ROWS).expect("a program");
    let program = Program::new(&module);
    let out = program.arg(2);
    for row in 0..3 {
        for written in 0..=3 {
            let mut events: Vec<_> = ["write0", "write1", "write2"]
                .map(|write| program.event(write, vec![None, Some(out)], Some(out)))
                .into();
            let to = program.value(&format!("row{row}"));
            events.insert(written, Event::Copy { from: program.arg(1), to });
            let value = program.value("write2");
            events.push(Event::Return { index: 0, value, buffer: out });
            let is_right = program.is_right(&[], &[2], events);
            assert_eq!(is_right, row >= written, "row {row} after {written} writes");
        }
    }
}

const RING: &str = "
  func.func @f(%x: tensor<4xf32>, %in: memref<4xf32>, %out: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %e = tensor.empty() : tensor<4xf32>
    %one = memref.alloc() {one} : memref<4xf32>
    %two = memref.alloc() {two} : memref<4xf32>
    %l:3 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %x, %a = %one, %b = %two)
        -> (tensor<4xf32>, memref<4xf32>, memref<4xf32>) {
      %p = FIRST
      scf.yield %p, NEXT : tensor<4xf32>, memref<4xf32>, memref<4xf32>
    } {l}
    return
  }";

#[test]
fn buffers_are_rotated() {
    let context = new_context();
    for (next, expected) in
        [("%b, %a", true), ("%a, %b", false), ("%b, %b", false), ("%b, %one", false)]
    {
        let first = pointwise("first", "%acc", "%e", 4);
        let text = RING.replace("FIRST", &first).replace("NEXT", next);
        let module = parse_text(&context, &text).expect("a program");
        let program = Program::new(&module);
        let op = program.op("l");
        let body = op.body(0);
        let (old, new) = (body.arg(2), body.arg(3));
        let ends = super::ends(op, 0);
        let carried = |index: usize, init: &str| Carried {
            init: program.value(init),
            before: body.arg(1 + index),
            after: body.arg(1 + index),
            next: ends[index],
            result: op.result(index),
        };
        let (input, out) = (program.arg(1), program.arg(2));
        let events = vec![
            Event::Copy { from: input, to: program.value("one") },
            Event::Loop {
                op,
                args: vec![Some(old), None, None],
                before: Vec::new(),
                after_args: Vec::new(),
                body: vec![program.event("first", vec![Some(old)], Some(new))],
                results: vec![Some(op.result(1)), None, None],
                carried: vec![carried(1, "one"), carried(2, "two")],
            },
            Event::Copy { from: op.result(1), to: out },
            Event::Return { index: 0, value: op.result(0), buffer: out },
        ];
        assert_eq!(program.is_right(&[(0, 1, false)], &[2], events), expected, "{next}");
    }
}

const TILES: &str = "
  func.func @f(%x: tensor<8x8xf32>, %in: memref<8x8xf32>, %out: memref<8x8xf32>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %z = arith.constant 0.0 : f32
    %w = tensor.empty() : tensor<8x8xf32>
    %l = scf.for %i = %c0 to %c8 step %c4 iter_args(%acc = %w) -> tensor<8x8xf32> {
      %from = memref.subview %in[%i, 0] [4, 8] [1, 1] {from}
        : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      %into = memref.subview %out[%i, 0] [4, 8] [1, 1] {into}
        : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      %s = tensor.extract_slice %x[%i, 0] [4, 8] [1, 1] {s} : tensor<8x8xf32> to tensor<4x8xf32>
      %a = tensor.extract_slice %acc[%i, 0] [4, 8] [1, 1] {a} : tensor<8x8xf32> to tensor<4x8xf32>
      %m = scf.for %j = %c0 to %c8 step %c4 iter_args(%tile = %a) -> tensor<4x8xf32> {
        %v = vector.transfer_read %s[%c0, %j], %z {read} : tensor<4x8xf32>, vector<4x4xf32>
        %n = vector.transfer_write %v, %tile[%c0, %j] {write} : vector<4x4xf32>, tensor<4x8xf32>
        scf.yield %n : tensor<4x8xf32>
      } {m}
      %n = tensor.insert_slice %m into %acc[%i, 0] [4, 8] [1, 1] {n} : tensor<4x8xf32> into tensor<8x8xf32>
      scf.yield %n : tensor<8x8xf32>
    } {l}
    return
  }";

#[test]
fn tiles_are_written_by_loops_in_loops() {
    let context = new_context();
    // The inner loop carries the tile of the result, or wrongly that of the input.
    for (tile, expected) in [("into", true), ("from", false)] {
        let module = parse_text(&context, TILES).expect("a program");
        let program = Program::new(&module);
        let (from, out) = (Some(program.value("from")), Some(program.arg(2)));
        let into = Some(program.value(tile));
        let carries = |tag, buffer, body| Event::Loop {
            op: program.op(tag),
            args: vec![buffer],
            before: Vec::new(),
            after_args: Vec::new(),
            body,
            results: vec![buffer],
            carried: Vec::new(),
        };
        let inner = vec![
            program.event("read", vec![from], None),
            program.event("write", vec![None, into], into),
        ];
        let outer = vec![
            Event::View { op: program.op("s"), buffer: program.value("from") },
            Event::View { op: program.op("a"), buffer: program.value("into") },
            carries("m", into, inner),
            program.event("n", vec![into, out], out),
        ];
        let events = vec![
            carries("l", out, outer),
            Event::Return { index: 0, value: program.value("l"), buffer: program.arg(2) },
        ];
        assert_eq!(program.is_right(&[(0, 1, true)], &[2], events), expected, "{tile}");
    }
}

const CONDITION: &str = "
  func.func @f(%x: tensor<4xf32>, %in: memref<4xf32>, %out: memref<4xf32>, %go: i1) {
    %e = tensor.empty() : tensor<4xf32>
    %l = scf.while (%s = %x) : (tensor<4xf32>) -> tensor<4xf32> {
      scf.condition(%go) %s : tensor<4xf32>
    } do {
    ^bb0(%t: tensor<4xf32>):
      %p = FIRST
      %b = scf.if %go -> tensor<4xf32> {
        %q = SECOND
        scf.yield %q : tensor<4xf32>
      } else {
        scf.yield %p : tensor<4xf32>
      } {b}
      scf.yield %b : tensor<4xf32>
    } attributes {l}
    return
  }";

#[test]
fn branches_and_conditions_leave_values_in_place() {
    let text = CONDITION
        .replace("FIRST", &pointwise("first", "%t", "%e", 4))
        .replace("SECOND", &pointwise("second", "%p", "%e", 4));
    let context = new_context();
    let module = parse_text(&context, &text).expect("a program");
    let program = Program::new(&module);
    let (input, out) = (program.arg(1), Some(program.arg(2)));
    let plan = |second, copied: bool| {
        let branch = Event::Branch {
            op: program.op("b"),
            regions: vec![vec![program.event("second", vec![out], second)], Vec::new()],
            results: vec![out],
        };
        let state = Event::Loop {
            op: program.op("l"),
            args: vec![out],
            before: Vec::new(),
            after_args: vec![out],
            body: vec![program.event("first", vec![out], out), branch],
            results: vec![out],
            carried: Vec::new(),
        };
        let copy = Event::Copy { from: input, to: program.arg(2) };
        let end = Event::Return { index: 0, value: program.value("l"), buffer: program.arg(2) };
        if copied { vec![copy, state, end] } else { vec![state, end] }
    };
    let inputs = [(0, 1, true)];
    assert!(program.is_right(&inputs, &[2], plan(out, true)));
    assert!(!program.is_right(&inputs, &[2], plan(out, false)));
    assert!(!program.is_right(&inputs, &[2], plan(Some(input), true)));
}

#[test]
fn what_goes_beyond_a_slice_is_not_seen_through_it() {
    let context = new_context();
    for (bounds, is_inside) in [("true", true), ("false", false)] {
        let text = format!(
            "func.func @f(%x: tensor<24xf32>, %whole: memref<24xf32>, %part: memref<7xf32>) {{
               %c0 = arith.constant 0 : index
               %z = arith.constant 0.0 : f32
               %s = tensor.extract_slice %x[3] [7] [1] : tensor<24xf32> to tensor<7xf32>
               %v = vector.transfer_read %s[%c0], %z {{read, in_bounds = [{bounds}]}}
                 : tensor<7xf32>, vector<4xf32>
               return
             }}"
        );
        let module = parse_text(&context, &text).expect("a program");
        let program = Program::new(&module);
        let is_right = |buffer: usize| {
            coverage::check_accesses(&[(program.op("read"), program.arg(buffer))]).is_ok()
        };
        assert_eq!((is_right(1), is_right(2)), (is_inside, true), "{bounds}");
    }
}
