//! Erased operations, which stay in memory for as long as there may be handles to them.
//!
//! Handles are copied freely, so an erased operation may still be referenced. [`Op::erase`](super::Op::erase) therefore takes the operation out of
//! its block, takes away its operands and those of all operations in it, and keeps the rest until the context goes, which all handles borrow from, or
//! until [`release_erased`](crate::release_erased) at the end of a stage. Reading an erased operation is harmless (it has a name, no operands and no
//! block); to put it or a result of it back into a program is a panic.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use mlir_sys as sys;

use super::{Op, WalkOrder, str_from, string_ref};

/// The location that erased operations have. A program may have it too: it only tells where to look closer.
const MARK: &str = "strata.erased";

/// For each context, by its address, the addresses of the operations that were erased in it. They are in no block, and are only destroyed here.
type Erased = HashMap<usize, BTreeSet<usize>>;

static ERASED: Mutex<Option<Erased>> = Mutex::new(None);

fn erased() -> MutexGuard<'static, Option<Erased>> {
    // It is whole after a panic, too: single entries come and go.
    ERASED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes `op`, whose results have no uses and which is not erased yet, out of its program.
pub(super) fn retire(op: Op<'_>) {
    // SAFETY: `op` is alive, and so are all operations in it, which the walk visits. Without operands none of them is in the list of
    // uses of a value any more, so that they can be destroyed after what they used.
    let context = unsafe {
        let context = sys::mlirOperationGetContext(op.0);
        let none = sys::MlirLocation { ptr: std::ptr::null() };
        let mark = sys::mlirLocationNameGet(context, string_ref(MARK), none);
        sys::mlirOperationRemoveFromParent(op.0);
        op.walk(WalkOrder::Pre, &mut |op| {
            sys::mlirOperationSetOperands(op.0, 0, std::ptr::null());
            sys::mlirOperationSetLocation(op.0, mark);
        });
        context
    };
    erased()
        .get_or_insert_default()
        .entry(context.ptr as usize)
        .or_default()
        .insert(op.0.ptr as usize);
}

/// Whether `op` was erased, by itself or with an operation around it.
pub(super) fn is_erased(op: Op<'_>) -> bool {
    // SAFETY: `op` is alive or erased, and either is in memory; the name of a location lives as long as the context.
    let context = unsafe {
        let location = sys::mlirOperationGetLocation(op.0);
        let is_marked = sys::mlirLocationIsAName(location)
            && str_from(sys::mlirIdentifierStr(sys::mlirLocationNameGetName(location))) == MARK;
        if !is_marked {
            return false;
        }
        sys::mlirOperationGetContext(op.0).ptr as usize
    };
    let all = erased();
    let Some(all) = all.as_ref().and_then(|all| all.get(&context)) else { return false };
    std::iter::successors(Some(op), |op| op.parent()).any(|op| all.contains(&(op.0.ptr as usize)))
}

/// Destroys what was erased in `context`.
///
/// # Safety
/// No handle of the context is used any more.
pub(crate) unsafe fn destroy_erased(context: sys::MlirContext) {
    let all = erased().as_mut().and_then(|all| all.remove(&(context.ptr as usize)));
    for op in all.into_iter().flatten() {
        // SAFETY: `retire` took the operation out of its block, and nothing puts an erased operation back, so that the list owns
        // it; the caller vouches for the handles.
        unsafe { sys::mlirOperationDestroy(sys::MlirOperation { ptr: op as *mut _ }) }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::erased;
    use crate::{
        Builder, Context, Module, Op, entry, module_op, new_context, parse_text, stablehlo,
    };

    const PROGRAM: &str = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %a : tensor<2xf32> loc(\"strata.erased\")
  %1 = \"stablehlo.reduce_precision\"(%0) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}";

    fn parsed(context: &Context) -> Module<'_> {
        parse_text(context, PROGRAM).expect("a program")
    }

    fn ops<'c>(module: &Module<'c>) -> [Op<'c>; 3] {
        let func = entry(module, None).expect("an entry");
        func.body(0).ops().try_into().expect("three operations")
    }

    fn panics(body: impl FnOnce()) -> bool {
        catch_unwind(AssertUnwindSafe(body)).is_err()
    }

    #[test]
    fn an_erased_operation_can_be_read_but_not_used() {
        let context = new_context();
        let module = parsed(&context);
        let [abs, unused, end] = ops(&module);
        let value = unused.result(0);
        unused.erase();
        assert!(unused.is_erased() && !abs.is_erased() && !end.is_erased());
        assert_eq!(unused.name(), stablehlo::REDUCE_PRECISION);
        assert_eq!((unused.operand_count(), unused.block(), unused.parent()), (0, None, None));
        assert_eq!(abs.result(0).uses(), [(end, 0)], "the erased user is gone");
        let builder = Builder::before(&context, end);
        assert!(panics(|| unused.erase()), "twice");
        assert!(panics(|| {
            let _ = unused.operand(0);
        }));
        assert!(panics(|| {
            let _ = builder.insert(unused);
        }));
        assert!(panics(|| {
            let _ = builder.adopt(unused);
        }));
        assert!(panics(|| unused.move_before(end)));
        assert!(panics(|| abs.move_before(unused)));
        assert!(panics(|| {
            let _ = unused.clone_detached();
        }));
        assert!(panics(|| end.set_operand(0, value)));
        assert!(panics(|| abs.result(0).replace_all_uses_with(value)));
        assert!(panics(|| {
            let _ = Builder::before(&context, unused).insert(abs.clone_detached());
        }));
        let doubled = || builder.op(stablehlo::NEGATE).operand(value).result(value.ty()).build();
        assert!(panics(|| {
            let _ = doubled();
        }));
        assert!(module_op(&module).verify());
    }

    #[test]
    fn what_was_inside_is_erased_with_it_and_lives_as_long_as_the_context() {
        let context = new_context();
        let address = context.to_raw().ptr as usize;
        let module = parsed(&context);
        let [abs, _, end] = ops(&module);
        let func = abs.parent().expect("a function");
        let argument = func.body(0).arg(0);
        let is_kept = |op: usize| {
            erased()
                .as_ref()
                .is_some_and(|all| all.get(&address).is_some_and(|ops| ops.contains(&op)))
        };
        let raw = func.to_raw().ptr as usize;
        func.erase();
        drop(module);
        assert!([func, abs, end].iter().all(|op| op.is_erased()));
        assert_eq!(
            (abs.name(), abs.parent(), end.operand_count()),
            (stablehlo::ABS, Some(func), 0)
        );
        assert!(!argument.has_uses());
        assert!(panics(|| abs.erase()));
        assert!(is_kept(raw));
        drop(context);
        assert!(!is_kept(raw));
    }

    #[test]
    fn a_location_of_that_name_is_not_a_mark() {
        let context = new_context();
        let module = parsed(&context);
        let [abs, unused, _] = ops(&module);
        assert!(!abs.is_erased());
        unused.erase();
        assert!(!abs.is_erased(), "another was erased");
    }
}
