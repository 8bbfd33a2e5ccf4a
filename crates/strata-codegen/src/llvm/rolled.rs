//! Keeps loops that take little of a call's time as they are: LLVM would unroll them by the same rules as those that take most of it.
//!
//! A convolution has a loop over channels for each way in which a tile can stand at a border; LLVM makes four copies of the body of each.
//! Of its code half is in loops that run for a hundredth of the time.
//!
//! ```mlir
//! scf.for %k = %c0 to %c64 step %c1 { … }
//! ```
//! becomes, where the loop is not among those that make up most of the work,
//! ```mlir
//! scf.for %k = %c0 to %c64 step %c1 { … } {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
//! ```
//! The work of a loop is the number of operations that it runs in a call, by the bounds of loops, in all functions. What depends on data
//! may run always or never: a loop stays rolled if it takes little of the time either way.

use std::collections::{BTreeMap, BTreeSet};

use melior::{Context, ir::Module};
use strata_ir::{
    AttributeExt as _, Op, TASKS, Value, arith, func, function_name, marked_entry, module_op,
    parse_attr, scf,
};
use strata_shapes::Specializations;
use strata_target::tuning::unrolling::{GUESSED_TRIPS, RARELY, UNROLLED_SHARE};

use super::ROLLED;

/// How far the operations are followed that a bound is computed by: each has two operands, which may be the same.
const DEEPEST: usize = 12;

/// Marks the loops of a module at the start of stage `llvm`.
pub(super) fn mark<'c>(context: &'c Context, module: &Module<'c>) {
    let (Ok(entry), Some(rolled)) = (marked_entry(module), parse_attr(context, ROLLED)) else {
        return;
    };
    let mut roots = Specializations::functions(module);
    if roots.is_empty() {
        roots.push(entry);
    }
    let ways = roots.into_iter().flat_map(|root| [1.0, RARELY].map(|taken| (root, taken)));
    let loops: Vec<_> = ways.flat_map(|(root, taken)| small(root, module, taken)).collect();
    let key = |op: Op<'_>| op.to_raw().ptr.addr();
    let long: BTreeSet<_> =
        loops.iter().filter(|(_, is_small)| !is_small).map(|(op, _)| key(*op)).collect();
    for (op, _) in loops.into_iter().filter(|(op, _)| !long.contains(&key(*op))) {
        op.set_attr("loop_annotation", rolled);
    }
}

/// The loops that run in a call of `root`, and which take little of its time where branches that depend on data are taken with a
/// probability of `taken`.
fn small<'c>(root: Op<'c>, module: &Module<'c>, taken: f64) -> Vec<(Op<'c>, bool)> {
    let functions = module_op(module).body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
    let functions = functions.map(|function| (function_name(function), function)).collect();
    let mut work = Work { functions, known: BTreeMap::new(), finished: 0, taken };
    work.look_at(root);
    let loops = work.loops(function_name(root));
    let least = least_unrolled(&loops);
    loops.into_iter().map(|each| (each.op, each.work < least)).collect()
}

/// The work of the smallest of the innermost loops that make up [`UNROLLED_SHARE`] of the work of all of them.
fn least_unrolled(loops: &[Loop<'_>]) -> f64 {
    let mut works: Vec<_> =
        loops.iter().filter(|each| each.is_innermost).map(|each| each.work).collect();
    works.sort_by(|one, other| other.total_cmp(one));
    let wanted = works.iter().sum::<f64>() * UNROLLED_SHARE;
    let mut sum = 0.0;
    let enough = |work: &f64| {
        sum += work;
        sum >= wanted
    };
    works.iter().copied().find(enough).unwrap_or(0.0)
}

#[derive(Clone, Copy)]
struct Loop<'c> {
    op: Op<'c>,
    is_innermost: bool,
    /// In one call of the function at first, then in one of the root.
    work: f64,
}

/// A function, in one call of it.
#[derive(Default)]
struct Function<'c> {
    bounds: Bounds<'c>,
    work: f64,
    loops: Vec<Loop<'c>>,
    /// The functions that it calls, with how often.
    calls: Vec<(&'c str, f64)>,
}

struct Work<'c> {
    functions: BTreeMap<&'c str, Op<'c>>,
    /// Those that were looked at, after the functions that they call.
    known: BTreeMap<&'c str, (usize, Function<'c>)>,
    finished: usize,
    taken: f64,
}

impl<'c> Work<'c> {
    /// Looks at a function and all that it calls; its work in one call.
    fn look_at(&mut self, function: Op<'c>) -> f64 {
        let name = function_name(function);
        if let Some((_, known)) = self.known.get(name) {
            return known.work;
        }
        // One that calls itself counts as little.
        self.known.insert(name, (0, Function::default()));
        let mut found = Function { bounds: Bounds::of(function), ..Function::default() };
        found.work = self.regions(function, 1.0, &mut found);
        let work = found.work;
        self.finished += 1;
        self.known.insert(name, (self.finished, found));
        work
    }

    /// The work of what is in an operation that runs so often.
    fn regions(&mut self, op: Op<'c>, runs: f64, found: &mut Function<'c>) -> f64 {
        let blocks = (0..op.region_count()).flat_map(|index| op.region(index).blocks());
        let ops: Vec<_> = blocks.flat_map(|block| block.ops()).collect();
        ops.into_iter().map(|op| self.operation(op, runs, found)).sum()
    }

    fn operation(&mut self, op: Op<'c>, runs: f64, found: &mut Function<'c>) -> f64 {
        match op.name() {
            scf::FOR => {
                let before = found.loops.len();
                let runs = runs * found.bounds.trips(op);
                let work = self.regions(op, runs, found);
                let is_innermost = found.loops.len() == before;
                found.loops.push(Loop { op, is_innermost, work });
                work
            }
            scf::IF => runs + self.regions(op, runs * self.taken, found),
            scf::WHILE => self.regions(op, runs * GUESSED_TRIPS, found),
            func::CALL => {
                let callee = op.attr("callee").and_then(|name| name.as_symbol());
                let Some(function) = callee.and_then(|name| self.functions.get(name).copied())
                else {
                    return runs;
                };
                found.calls.push((function_name(function), runs));
                runs * self.look_at(function)
            }
            _ => runs + self.regions(op, runs, found),
        }
    }

    /// The loops of all functions that were looked at, with their work in a call of the root.
    fn loops(self, root: &str) -> Vec<Loop<'c>> {
        let mut functions: Vec<_> = self.known.into_iter().collect();
        // Callers first.
        functions.sort_by_key(|(_, (place, _))| std::cmp::Reverse(*place));
        let mut runs = BTreeMap::from([(root, 1.0)]);
        let mut loops = Vec::new();
        for (name, (_, function)) in functions {
            let own = runs.get(name).copied().unwrap_or(0.0);
            for (callee, calls) in function.calls {
                *runs.entry(callee).or_insert(0.0) += own * calls;
            }
            let in_all = |each: Loop<'c>| Loop { work: each.work * own, ..each };
            loops.extend(function.loops.into_iter().map(in_all));
        }
        loops
    }
}

/// What is known of the bounds of a function's loops: of one with tasks, the first and the last in a call for all of them.
#[derive(Default)]
struct Bounds<'c> {
    tasks: Option<(Value<'c>, Value<'c>, i64)>,
}

impl<'c> Bounds<'c> {
    fn of(function: Op<'c>) -> Self {
        let number = function.attr(TASKS).and_then(|tasks| tasks.as_i64());
        let arguments = function.region(0).first_block().map(|block| block.args());
        let tasks = number.zip(arguments).and_then(|(number, arguments)| {
            let [.., begin, end, _] = arguments.as_slice() else { return None };
            Some((*begin, *end, number))
        });
        Self { tasks }
    }

    fn trips(&self, each: Op<'c>) -> f64 {
        let step = self.value(each.operand(2), 0).filter(|step| *step > 0);
        match self.range(each, 0).zip(step) {
            Some(((first, last), step)) => last.saturating_sub(first).max(0) as f64 / step as f64,
            None => GUESSED_TRIPS,
        }
    }

    /// Where a loop begins and ends.
    fn range(&self, each: Op<'c>, depth: usize) -> Option<(i64, i64)> {
        Some((self.value(each.operand(0), depth)?, self.value(each.operand(1), depth)?))
    }

    /// An index, halfway through the loops around it: triangles have half of the work of squares. Nothing where it takes long to find out.
    fn value(&self, value: Value<'c>, depth: usize) -> Option<i64> {
        if depth > DEEPEST {
            return None;
        }
        let Some(op) = value.owner() else {
            if let Some((begin, end, number)) = self.tasks {
                if value == begin {
                    return Some(0);
                } else if value == end {
                    return Some(number);
                }
            }
            let (block, place) = value.block_arg()?;
            let each = block.parent_op().filter(|op| op.is(scf::FOR) && place == 0)?;
            let (first, last) = self.range(each, depth + 1)?;
            return first.checked_add(last.saturating_sub(first) / 2);
        };
        if op.is(arith::CONSTANT) {
            return op.attr("value")?.as_i64();
        }
        if op.operand_count() != 2 {
            return None;
        }
        let of = |operand: usize| self.value(op.operand(operand), depth + 1);
        let (one, other) = (of(0)?, of(1)?);
        match op.name() {
            arith::ADDI => one.checked_add(other),
            arith::SUBI => one.checked_sub(other),
            arith::MULI => one.checked_mul(other),
            arith::DIVUI | arith::DIVSI | arith::FLOORDIVSI => one.checked_div(other),
            arith::MINSI | arith::MINUI => Some(one.min(other)),
            arith::MAXSI | arith::MAXUI => Some(one.max(other)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use melior::ir::Module;
    use strata_ir::{module_op, new_context, scf};

    /// Which loops of a program stay rolled, in the order of its text.
    fn rolled(text: &str) -> Vec<bool> {
        let context = new_context();
        let module = Module::parse(&context, text).expect("a module");
        super::mark(&context, &module);
        let loops = module_op(&module).collect(|op| op.is(scf::FOR));
        loops.into_iter().map(|each| each.has_attr("loop_annotation")).collect()
    }

    fn program(constants: &[i64], body: &str, more: &str) -> String {
        let constants: String = constants
            .iter()
            .map(|value| format!("%c{value} = arith.constant {value} : index\n"))
            .collect();
        format!(
            "module {{ func.func @main(%m: memref<4096xf32>) attributes {{strata.entry}} {{\n\
             {constants}{body} return }}\n{more} }}"
        )
    }

    fn fill(from: &str, to: &str) -> String {
        format!(
            "scf.for %i = {from} to {to} step %c1 {{\n\
             %x = memref.load %m[%i] : memref<4096xf32>\n\
             memref.store %x, %m[%i] : memref<4096xf32>\n}}\n"
        )
    }

    #[test]
    fn what_takes_little_of_the_time_stays_rolled() {
        let body = fill("%c0", "%c4096") + &fill("%c0", "%c8") + &fill("%c0", "%c1024");
        assert_eq!(rolled(&program(&[0, 1, 8, 1024, 4096], &body, "")), [false, true, false]);
        // None is much smaller than the others.
        let body = fill("%c0", "%c4096") + &fill("%c1", "%c4096");
        assert_eq!(rolled(&program(&[0, 1, 4096], &body, "")), [false, false]);
        assert!(rolled(&program(&[0], "", "")).is_empty());
    }

    #[test]
    fn triangles_and_loops_of_unknown_length_count() {
        let triangle = format!("scf.for %j = %c0 to %c1024 step %c1 {{ {} }}", fill("%c0", "%j"));
        let body = triangle.clone() + &fill("%c0", "%c1024");
        assert_eq!(rolled(&program(&[0, 1, 1024], &body, "")), [false, false, true]);
        let body = format!("%d = memref.dim %m, %c0 : memref<4096xf32>\n{}", fill("%c0", "%d"));
        assert_eq!(rolled(&program(&[0, 1], &body, "")), [false]);
        assert_eq!(rolled(&program(&[0, 1, 1024], &(body + &triangle), "")), [true, false, false]);
    }

    #[test]
    fn what_depends_on_data_may_run_always_or_never() {
        let branch = format!(
            "%v = memref.load %m[%c0] : memref<4096xf32>\n%t = arith.cmpf olt, %v, %v : f32\n\
             scf.if %t {{ {} }}\n",
            fill("%c0", "%c4096"),
        );
        let body = branch + &fill("%c0", "%c1024") + &fill("%c0", "%c1");
        assert_eq!(rolled(&program(&[0, 1, 1024, 4096], &body, "")), [false, false, true]);
    }

    #[test]
    fn calls_run_what_they_call_and_tasks_all_of_them() {
        let kernel = format!(
            "func.func private @k(%m: memref<4096xf32>, %b: index, %e: index, %s: index) \
             attributes {{strata.tasks = 16 : i64}} {{\n\
             %c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n\
             %c256 = arith.constant 256 : index\n%first = arith.muli %b, %c256 : index\n\
             %last = arith.muli %e, %c256 : index\n{} return }}",
            fill("%first", "%last"),
        );
        let call =
            "func.call @k(%m, %c0, %c16, %c0) : (memref<4096xf32>, index, index, index) -> ()\n";
        let repeated = format!("scf.for %j = %c0 to %c16 step %c1 {{ {call} }}");
        let body = fill("%c0", "%c16") + call;
        assert_eq!(rolled(&program(&[0, 1, 16], &body, &kernel)), [true, false]);
        let body = fill("%c0", "%c4096") + &repeated;
        let found = rolled(&program(&[0, 1, 16, 4096], &body, &kernel));
        assert_eq!(found, [false, false, false]);
        let body = fill("%c0", "%c1024") + &repeated;
        let found = rolled(&program(&[0, 1, 16, 1024], &body, &kernel));
        assert_eq!(found, [true, false, false]);
    }
}
