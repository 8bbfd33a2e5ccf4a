//! Exchanges that are under way while the program goes on: `async_start` and `async_done` with operations between them.
//!
//! The executors here do an exchange at its begin or at the wait for it, and look at what the object does with the buffers in between.

mod forms;
mod ranks;

use std::{
    ffi::c_void,
    fs, ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use strata::{Compiler, Stage};
use strata_abi::{Collective, Collectives, Exchange};
use strata_run::{Environment, Loaded};
use strata_threads::devices::{Device, Devices};

use crate::{
    command::strata,
    devices::module,
    harness::{cpus, options},
};

/// When an executor does what is begun.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    /// At the begin, kept until the wait.
    Begin,
    /// At the wait.
    Wait,
    /// As executors of earlier versions, whose structure ends before.
    Older,
    /// As executors that have no such functions.
    Never,
}

/// What the buffer of a result is filled with until the wait.
const FILLED: u8 = 0xA5;

/// What a program returns that does with a buffer what it must not.
const BROKEN: i32 = 99;

/// What an exchange returns that fails on purpose.
const FAILED: i32 = 77;

struct Flight {
    kind: i32,
    what: *const Collective,
    count: i64,
    input: usize,
    output: usize,
    operand: Vec<u8>,
    result: Vec<u8>,
}

/// An executor for a device, which does exchanges by another one.
struct Provider<'d> {
    device: &'d Device,
    when: When,
    flights: Mutex<Vec<Flight>>,
    begun: AtomicUsize,
    /// The most that were under way at once.
    most: AtomicUsize,
    abandoned: AtomicUsize,
    /// Whether exchanges that are not only begun fail.
    fails: bool,
}

/// A function of the executor that does all at once.
macro_rules! at_once {
    ($($name:ident),+) => {
        $(
            unsafe extern "C" fn $name(
                context: *mut c_void,
                what: *const Collective,
                count: i64,
                input: *const c_void,
                output: *mut c_void,
            ) -> i32 {
                // SAFETY: the context is the executor, and the rest what the object passes.
                unsafe {
                    let own = &*context.cast::<Provider<'_>>();
                    if own.fails {
                        return FAILED;
                    }
                    let inner = own.device.collectives();
                    inner.$name.map_or(BROKEN, |function| function(inner.context, what, count, input, output))
                }
            }
        )+
    };
}

at_once!(
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    collective_permute,
    collective_broadcast
);

impl<'d> Provider<'d> {
    fn new(device: &'d Device, when: When) -> Self {
        Self {
            device,
            when,
            flights: Mutex::default(),
            begun: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            abandoned: AtomicUsize::new(0),
            fails: false,
        }
    }

    fn table(&self) -> Collectives {
        let overlaps = matches!(self.when, When::Begin | When::Wait);
        Collectives {
            size: match self.when {
                When::Older => size_of::<Collectives>() - 3 * size_of::<usize>(),
                _ => size_of::<Collectives>(),
            },
            context: ptr::from_ref(self).cast_mut().cast(),
            all_reduce: Some(all_reduce),
            all_gather: Some(all_gather),
            reduce_scatter: Some(reduce_scatter),
            all_to_all: Some(all_to_all),
            collective_permute: Some(collective_permute),
            collective_broadcast: Some(collective_broadcast),
            // An earlier version has something else there.
            start: (overlaps || self.when == When::Older).then_some(start),
            wait: overlaps.then_some(wait),
            abandon: overlaps.then_some(abandon),
            ..*self.device.collectives()
        }
    }

    /// The function of that kind, and how many bytes its operand and result have.
    ///
    /// # Safety
    /// `what` is a constant of an object.
    unsafe fn exchange(
        &self,
        kind: i32,
        what: *const Collective,
        count: i64,
    ) -> (Exchange, [usize; 2]) {
        let inner = self.device.collectives();
        let all = [
            inner.all_reduce,
            inner.all_gather,
            inner.reduce_scatter,
            inner.all_to_all,
            inner.collective_permute,
            inner.collective_broadcast,
        ];
        // SAFETY: as the caller promises.
        let (members, size) = unsafe { (*(*what).group_starts.add(1), (*what).element_size) };
        let part = (count * i64::from(size)) as usize;
        let whole = part * members as usize;
        let sizes = match kind {
            2 => [part, whole],
            3 => [whole, part],
            4 => [whole, whole],
            _ => [part, part],
        };
        (all[kind as usize - 1].expect("the function"), sizes)
    }
}

unsafe extern "C" fn start(
    context: *mut c_void,
    kind: i32,
    what: *const Collective,
    count: i64,
    input: *const c_void,
    output: *mut c_void,
) -> i32 {
    // SAFETY: the context is the executor, and the buffers have the elements that the object says.
    unsafe {
        let own = &*context.cast::<Provider<'_>>();
        let (function, [read, written]) = own.exchange(kind, what, count);
        let operand = std::slice::from_raw_parts(input.cast::<u8>(), read).to_vec();
        let mut status = 0;
        let mut result = Vec::new();
        if own.when == When::Begin {
            let inner = own.device.collectives();
            status = function(inner.context, what, count, input, output);
            result = std::slice::from_raw_parts(output.cast::<u8>(), written).to_vec();
        }
        ptr::write_bytes(output.cast::<u8>(), FILLED, written);
        own.begun.fetch_add(1, Ordering::Relaxed);
        let mut flights = own.flights.lock().unwrap();
        let (input, output) = (input as usize, output as usize);
        flights.push(Flight { kind, what, count, input, output, operand, result });
        own.most.fetch_max(flights.len(), Ordering::Relaxed);
        status
    }
}

unsafe extern "C" fn wait(context: *mut c_void, input: *const c_void, output: *mut c_void) -> i32 {
    // SAFETY: as in `start`.
    unsafe {
        let own = &*context.cast::<Provider<'_>>();
        let mut flights = own.flights.lock().unwrap();
        let is_it = |one: &Flight| (one.input, one.output) == (input as usize, output as usize);
        let Some(at) = flights.iter().position(is_it) else { return BROKEN };
        let flight = flights.remove(at);
        let (function, [read, written]) = own.exchange(flight.kind, flight.what, flight.count);
        let now = std::slice::from_raw_parts(input.cast::<u8>(), read);
        let there = std::slice::from_raw_parts(output.cast::<u8>(), written);
        if now != flight.operand || there.iter().any(|byte| *byte != FILLED) {
            return BROKEN;
        }
        if own.when == When::Begin {
            ptr::copy_nonoverlapping(flight.result.as_ptr(), output.cast(), written);
            return 0;
        }
        let inner = own.device.collectives();
        function(inner.context, flight.what, flight.count, input, output)
    }
}

unsafe extern "C" fn abandon(context: *mut c_void) {
    // SAFETY: as in `start`.
    let own = unsafe { &*context.cast::<Provider<'_>>() };
    own.flights.lock().unwrap().clear();
    own.abandoned.fetch_add(1, Ordering::Relaxed);
}

/// What programs return on each device, with their outputs.
type Outcomes = Vec<(i32, Vec<Vec<u8>>)>;

fn compiled(text: &str, cpu: &str) -> Loaded {
    let artifact = Compiler::new(options(cpu)).compile("overlap.mlir", text.as_bytes());
    let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let signature = artifact.signature().expect("a signature");
    Loaded::new(artifact.bytes(), &options(cpu), signature).expect("it links")
}

/// Runs a program on devices that do exchanges `when`; also how many of each device were begun, and the most at once.
fn run(program: &Loaded, when: When, inputs: &[Vec<Vec<u8>>]) -> (Outcomes, [usize; 2]) {
    let devices = Arc::new(Devices::new(inputs.len(), 1));
    let found = Mutex::new(vec![(0, Vec::new()); inputs.len()]);
    let counted = Mutex::new([0; 2]);
    devices.run(|device| {
        let own = Provider::new(device, when);
        let table = own.table();
        let mut environment = Environment { collectives: Some(&table), ..Environment::default() };
        let (status, outputs) =
            program.call_in(&inputs[device.number()], &mut environment).expect("called");
        found.lock().unwrap()[device.number()] = (status, outputs);
        *counted.lock().unwrap() =
            [&own.begun, &own.most].map(|count| count.load(Ordering::Relaxed));
        status
    });
    (found.into_inner().unwrap(), counted.into_inner().unwrap())
}

/// `async_start` of one exchange.
fn begun(name: &str, of: &str, exchange: &str, (from, to): (&str, &str)) -> String {
    let (region, attributes) = exchange.split_once('|').expect("both");
    let operation = attributes.split_once(' ').expect("a name");
    format!(
        "{name} = \"stablehlo.async_start\"({of}) ({{\n^bb0(%given: tensor<{from}>):\n\
         %got = \"stablehlo.{}\"(%given) {region} {} : (tensor<{from}>) -> tensor<{to}>\n\
         stablehlo.return %got : tensor<{to}>\n}}) : (tensor<{from}>) -> !stablehlo.future<tensor<{to}>>\n",
        operation.0, operation.1
    )
}

fn awaited(name: &str, of: &str, to: &str) -> String {
    format!(
        "{name} = \"stablehlo.async_done\"({of}) : (!stablehlo.future<tensor<{to}>>) -> tensor<{to}>\n"
    )
}

/// A sum in which the order of the members is seen.
fn sum(element: &str) -> String {
    format!(
        "({{\n^bb0(%left: tensor<{element}>, %right: tensor<{element}>):\n\
         %both = stablehlo.subtract %left, %right : tensor<{element}>\n\
         stablehlo.return %both : tensor<{element}>\n}})"
    )
}

const GROUP: &str = "replica_groups = dense<[[2, 0, 3, 1]]> : tensor<1x4xi64>";

/// The programs, with the number of exchanges that are begun in one run on a device, and the most that are under way at once.
fn programs() -> Vec<(&'static str, String, [usize; 2])> {
    let reduce = format!("{}|all_reduce {{{GROUP}}}", sum("f32"));
    let gather = format!("|all_gather {{all_gather_dim = 1 : i64, {GROUP}}}");
    let scatter = format!("{}|reduce_scatter {{scatter_dimension = 1 : i64, {GROUP}}}", sum("f32"));
    let exchange = format!(
        "|all_to_all {{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, {GROUP}}}"
    );
    let permute = "|collective_permute {source_target_pairs = dense<[[0, 1], [1, 3], [2, 2]]> : tensor<3x2xi64>}";
    let broadcast = "|collective_broadcast {replica_groups = dense<[[3, 0, 1]]> : tensor<1x3xi64>}";
    // All kinds at once, of an input and of what is computed, awaited in another order, beside what is as large.
    let all = format!(
        "func.func public @main(%x: tensor<4x12xf32>, %n: tensor<7xi32>) -> (tensor<4x12xf32>, tensor<4x48xf32>, tensor<4x3xf32>, tensor<1x48xf32>, tensor<7xi32>, tensor<4x12xf32>) {{
  %y = stablehlo.add %x, %x : tensor<4x12xf32>\n{}{}{}{}{}
  %m = stablehlo.multiply %n, %n : tensor<7xi32>\n{}
  %z0 = stablehlo.exponential %y : tensor<4x12xf32>
  %z1 = stablehlo.multiply %z0, %y : tensor<4x12xf32>
  %z2 = stablehlo.reverse %z1, dims = [0, 1] : tensor<4x12xf32>\n{}{}{}{}{}{}
  %o = stablehlo.subtract %z2, %r0 : tensor<4x12xf32>
  %p = stablehlo.add %r4, %r5 : tensor<7xi32>
  return %o, %r1, %r2, %r3, %p, %z2 : tensor<4x12xf32>, tensor<4x48xf32>, tensor<4x3xf32>, tensor<1x48xf32>, tensor<7xi32>, tensor<4x12xf32>
}}",
        begun("%f0", "%y", &reduce, ("4x12xf32", "4x12xf32")),
        begun("%f1", "%x", &gather, ("4x12xf32", "4x48xf32")),
        begun("%f2", "%y", &scatter, ("4x12xf32", "4x3xf32")),
        begun("%f3", "%y", &exchange, ("4x12xf32", "1x48xf32")),
        begun("%f4", "%n", permute, ("7xi32", "7xi32")),
        begun("%f5", "%m", broadcast, ("7xi32", "7xi32")),
        awaited("%r5", "%f5", "7xi32"),
        awaited("%r1", "%f1", "4x48xf32"),
        awaited("%r3", "%f3", "1x48xf32"),
        awaited("%r0", "%f0", "4x12xf32"),
        awaited("%r4", "%f4", "7xi32"),
        awaited("%r2", "%f2", "4x3xf32"),
    );
    // The operand has no use after the begin, and others want its memory, and the result's before.
    let pressure = format!(
        "func.func public @main(%x: tensor<17x5xf32>) -> tensor<17x5xf32> {{
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<17x5xf32>) -> tensor<5x17xf32>
  %y = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<17x5xf32>, tensor<5x17xf32>) -> tensor<17x17xf32>\n{}
  %a = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<17x5xf32>, tensor<5x17xf32>) -> tensor<17x17xf32>
  %b = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<17x17xf32>, tensor<17x17xf32>) -> tensor<17x17xf32>
  %c = stablehlo.dot_general %b, %a, contracting_dims = [1] x [1] : (tensor<17x17xf32>, tensor<17x17xf32>) -> tensor<17x17xf32>
  %d = stablehlo.dot_general %c, %b, contracting_dims = [0] x [1] : (tensor<17x17xf32>, tensor<17x17xf32>) -> tensor<17x17xf32>\n{}
  %e = stablehlo.dot_general %d, %r, contracting_dims = [1] x [0] : (tensor<17x17xf32>, tensor<17x17xf32>) -> tensor<17x17xf32>
  %g = stablehlo.dot_general %e, %x, contracting_dims = [1] x [0] : (tensor<17x17xf32>, tensor<17x5xf32>) -> tensor<17x5xf32>
  return %g : tensor<17x5xf32>
}}",
        begun("%f", "%y", &reduce, ("17x17xf32", "17x17xf32")),
        awaited("%r", "%f", "17x17xf32"),
    );
    // The operand is updated, and the result is a part of what others are parts of.
    let parts = format!(
        "func.func public @main(%x: tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<13x5xf32>) {{
  %y = stablehlo.negate %x : tensor<6x5xf32>\n{}
  %i = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.slice %x [2:4, 1:5] : (tensor<6x5xf32>) -> tensor<2x4xf32>
  %v = stablehlo.dynamic_update_slice %y, %u, %i, %i : (tensor<6x5xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
  %w = stablehlo.exponential %x : tensor<6x5xf32>
  %s = stablehlo.slice %w [0:1, 0:5] : (tensor<6x5xf32>) -> tensor<1x5xf32>\n{}
  %c = stablehlo.concatenate %w, %r, %s, dim = 0 : (tensor<6x5xf32>, tensor<6x5xf32>, tensor<1x5xf32>) -> tensor<13x5xf32>
  return %v, %c : tensor<6x5xf32>, tensor<13x5xf32>
}}",
        begun("%f", "%y", &reduce, ("6x5xf32", "6x5xf32")),
        awaited("%r", "%f", "6x5xf32"),
    );
    // In each iteration, one begun before the other is awaited; what is carried is the operand.
    let turns = format!(
        "func.func public @main(%x: tensor<9xf32>, %n: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<37> : tensor<i32>
  %q:3 = stablehlo.while(%i = %zero, %a = %x, %b = %n) : tensor<i32>, tensor<9xf32>, tensor<9xf32>
  cond {{
    %0 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }} do {{\n{}
    %h = stablehlo.constant dense<2.500000e-01> : tensor<9xf32>
    %b1 = stablehlo.multiply %b, %h : tensor<9xf32>\n{}
    %b2 = stablehlo.tanh %b1 : tensor<9xf32>\n{}
    %a1 = stablehlo.multiply %r, %h : tensor<9xf32>
    %b3 = stablehlo.add %b2, %a1 : tensor<9xf32>\n{}
    %b4 = stablehlo.subtract %b3, %g : tensor<9xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a1, %b4 : tensor<i32>, tensor<9xf32>, tensor<9xf32>
  }}
  return %q#1, %q#2 : tensor<9xf32>, tensor<9xf32>
}}",
        begun("%f", "%a", &reduce, ("9xf32", "9xf32")),
        begun("%k", "%b1", permute, ("9xf32", "9xf32")),
        awaited("%r", "%f", "9xf32"),
        awaited("%g", "%k", "9xf32"),
    );
    // Types without arithmetic in memory of their own.
    let narrow = format!(
        "func.func public @main(%x: tensor<5xbf16>, %b: tensor<11xi1>) -> (tensor<5xbf16>, tensor<44xi1>, tensor<5xbf16>) {{\n{}{}
  %y = stablehlo.multiply %x, %x : tensor<5xbf16>\n{}{}
  return %r, %s, %y : tensor<5xbf16>, tensor<44xi1>, tensor<5xbf16>
}}",
        begun("%f", "%x", &reduce.replace("f32", "bf16"), ("5xbf16", "5xbf16")),
        begun("%g", "%b", &gather.replace("dim = 1", "dim = 0"), ("11xi1", "44xi1")),
        awaited("%r", "%f", "5xbf16"),
        awaited("%s", "%g", "44xi1"),
    );
    // A part of an input whose elements are not one after another: the begin has a copy, which the wait does not.
    let strided = format!(
        "func.func public @main(%x: tensor<8x6xf32>) -> (tensor<4x3xf32>, tensor<8x6xf32>) {{
  %p = stablehlo.slice %x [1:5, 2:5] : (tensor<8x6xf32>) -> tensor<4x3xf32>\n{}
  %y = stablehlo.exponential %x : tensor<8x6xf32>\n{}
  return %r, %y : tensor<4x3xf32>, tensor<8x6xf32>
}}",
        begun("%f", "%p", &reduce, ("4x3xf32", "4x3xf32")),
        awaited("%r", "%f", "4x3xf32"),
    );
    vec![
        ("all", all, [6, 6]),
        ("pressure", pressure, [1, 1]),
        ("parts", parts, [1, 1]),
        ("turns", turns, [74, 2]),
        ("narrow", narrow, [2, 2]),
        ("strided", strided, [0, 0]),
    ]
}

/// Numbers of each device, as bytes of what each type has.
fn inputs(name: &str) -> Vec<Vec<Vec<u8>>> {
    let floats = |device: usize, count: usize| -> Vec<u8> {
        let value = |at: usize| ((device * 31 + at * 7) % 23) as f32 * 0.09 - 1.0;
        (0..count).flat_map(|at| value(at).to_le_bytes()).collect()
    };
    let words = |device: usize| {
        (0..7).flat_map(|at| (device as i32 * 10 + at).to_le_bytes()).collect::<Vec<_>>()
    };
    let each = |device: usize| match name {
        "all" => vec![floats(device, 48), words(device)],
        "pressure" => vec![floats(device, 85)],
        "parts" => vec![floats(device, 30)],
        "turns" => vec![floats(device, 9), floats(device + 5, 9)],
        "narrow" => vec![
            floats(device, 5).chunks(4).flat_map(|bytes| [bytes[2], bytes[3]]).collect(),
            (0..11).map(|at| u8::from((at * device) % 3 == 1)).collect(),
        ],
        _ => vec![floats(device, 48)],
    };
    (0..4).map(each).collect()
}

/// Whenever an executor does it, the results are those of exchanges that are done at once, to the bit, and buffers stay as they have to.
#[test]
fn results_do_not_depend_on_when_an_exchange_is_done() {
    for (name, body, [begun, most]) in programs() {
        let text = module(4, 1, &body);
        for cpu in cpus() {
            let (program, inputs) = (compiled(&text, cpu), inputs(name));
            let (expected, counted) = run(&program, When::Never, &inputs);
            assert_eq!(counted, [0, 0], "{name}");
            assert!(expected.iter().all(|(status, _)| *status == 0), "{name}: {expected:?}");
            for when in [When::Begin, When::Wait, When::Older] {
                let (found, counted) = run(&program, when, &inputs);
                assert_eq!(found, expected, "{name} {when:?} {cpu}");
                let wanted = if when == When::Older { [0, 0] } else { [begun, most] };
                assert_eq!(counted, wanted, "{name} {when:?} {cpu}");
            }
        }
    }
}

/// Every stage, and the steps of some, computes what the evaluator does, and no buffer of an exchange under way is touched.
#[test]
fn stages_keep_the_buffers_of_exchanges_under_way() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, body, _) in programs() {
        fs::write(folder.path().join("p.mlir"), module(4, 1, &body)).expect("written");
        let mut arguments =
            vec!["verify", "p.mlir", "--stages", "--rounds", "1", "--values", "tame"];
        if matches!(name, "pressure" | "parts") {
            arguments.push("--steps");
        }
        let told = strata(folder.path(), &arguments).succeeded().text().to_owned();
        for stage in ["hlo", "linalg", "schedule", "affine", "vector", "obj"] {
            let line = told.lines().find(|line| line.contains(&format!("stage `{stage}`")));
            let line = line.unwrap_or_else(|| panic!("{name}: {stage} is not run: {told}"));
            assert!(!line.contains("not run"), "{name}: {line}");
        }
    }
}

/// A failure between begin and wait ends what is under way; without one nothing is abandoned.
#[test]
fn a_failure_ends_what_is_under_way() {
    let reduce = format!("{}|all_reduce {{{GROUP}}}", sum("f32"));
    let body = format!(
        "func.func public @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {{\n{}
  %y = \"stablehlo.all_reduce\"(%x) {} {{{GROUP}}} : (tensor<5xf32>) -> tensor<5xf32>\n{}
  return %r, %y : tensor<5xf32>, tensor<5xf32>
}}",
        begun("%f", "%x", &reduce, ("5xf32", "5xf32")),
        sum("f32"),
        awaited("%r", "%f", "5xf32"),
    );
    let program = compiled(&module(4, 1, &body), "x86-64");
    for fails in [true, false] {
        let devices = Arc::new(Devices::new(4, 1));
        devices.run(|device| {
            let own = Provider { fails, ..Provider::new(device, When::Wait) };
            let table = own.table();
            let mut environment =
                Environment { collectives: Some(&table), ..Environment::default() };
            let input = [vec![0; 20]];
            let (status, _) = program.call_in(&input, &mut environment).expect("called");
            let counts = [&own.begun, &own.abandoned].map(|count| count.load(Ordering::Relaxed));
            assert_eq!((status, counts), if fails { (FAILED, [1, 1]) } else { (0, [1, 0]) });
            assert!(own.flights.lock().unwrap().is_empty());
            0
        });
    }
}

/// What is not one exchange, has nothing beside it, or is awaited twice or elsewhere, is done at once, as remarks say.
#[test]
fn other_futures_are_done_at_once() {
    let reduce = format!("{}|all_reduce {{{GROUP}}}", sum("f32"));
    let ty = ("5xf32", "5xf32");
    let (one, end) = (begun("%f", "%x", &reduce, ty), awaited("%r", "%f", "5xf32"));
    let beside = "%y = stablehlo.exponential %x : tensor<5xf32>\n";
    let returned = "return %r, %y : tensor<5xf32>, tensor<5xf32>\n";
    let twice = awaited("%s", "%f", "5xf32");
    let part = "%f = \"stablehlo.async_start\"(%x) ({\n^bb0(%given: tensor<5xf32>):\n\
        %got = stablehlo.slice %given [0:5] : (tensor<5xf32>) -> tensor<5xf32>\n\
        stablehlo.return %got : tensor<5xf32>\n}) : (tensor<5xf32>) -> !stablehlo.future<tensor<5xf32>>\n";
    let at_once = "async_start, which is done at once: nothing is between";
    let programs = [
        (format!("{one}{beside}{end}{returned}"), Some("async_start, beside one operation"), true),
        (format!("{one}{end}{beside}{returned}"), Some(at_once), false),
        (format!("{one}{beside}{end}{twice}{returned}"), Some(at_once), false),
        (format!("{part}{beside}{end}{returned}"), None, false),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (body, remark, overlaps) in programs {
        let body = format!(
            "func.func public @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {{\n{body}}}"
        );
        let text = module(4, 1, &body);
        let dump = Compiler::new(options("x86-64")).to(Stage::Linalg);
        let dump =
            dump.compile("p.mlir", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
        let dump = String::from_utf8_lossy(dump.bytes()).into_owned();
        assert_eq!(dump.contains("flight = "), overlaps, "{body}\n{dump}");
        fs::write(folder.path().join("p.mlir"), &text).expect("written");
        let told = strata(folder.path(), &["compile", "p.mlir", "--remarks", "-o", "p.o"]).stderr;
        match remark {
            Some(remark) => assert!(told.contains(remark), "{body}\n{told}"),
            None => assert!(told.contains("1 nest") && !told.contains("async_start, "), "{told}"),
        }
    }
}

/// A dump in which the two calls have different buffers is refused; one that is not edited makes the same object.
#[test]
fn dumps_with_other_buffers_at_the_wait_are_refused() {
    let (_, body, _) = programs().swap_remove(1);
    let text = module(4, 1, &body);
    let whole = Compiler::new(options("x86-64")).compile("d.mlir", text.as_bytes());
    let whole = whole.unwrap_or_else(|errors| panic!("{errors}"));
    for stage in [Stage::Hlo, Stage::Linalg, Stage::Affine, Stage::Vector, Stage::Llvm] {
        let dump = Compiler::new(options("x86-64")).to(stage).compile("d.mlir", text.as_bytes());
        let dump = dump.expect("a dump");
        let again = Compiler::new(options("x86-64")).from(stage).compile("d.mlir", dump.bytes());
        assert!(again.expect("compiles").bytes() == whole.bytes(), "{stage}");
    }
    let dump =
        Compiler::new(options("x86-64")).to(Stage::Affine).compile("d.mlir", text.as_bytes());
    let dump = String::from_utf8_lossy(dump.expect("a dump").bytes()).into_owned();
    let wait = dump.lines().find(|line| line.contains("call @strata.call.1(")).expect("a wait");
    let (before, after) = wait.split_once('(').expect("operands");
    let (operand, rest) = after.split_once(", ").expect("two");
    let (result, rest) = rest.split_once(')').expect("an end");
    let edited = dump.replace(wait, &format!("{before}({result}, {operand}){rest}"));
    assert_ne!(edited, dump);
    let refused =
        Compiler::new(options("x86-64")).from(Stage::Affine).compile("d.mlir", edited.as_bytes());
    let said = refused.expect_err("refused").to_string();
    assert!(said.contains("its operand is in another buffer when it is waited for"), "{said}");
}
