//! Copies between views that are not contiguous. MLIR would call a function of its own runtime
//! library.
//!
//! ```mlir
//! memref.copy %a, %b : memref<2x3xf32, strided<[8, 1]>> to memref<2x3xf32>
//! ```
//! becomes
//! ```mlir
//! scf.for %i = %c0 to %c2 step %c1 {
//!   scf.for %j = %c0 to %c3 step %c1 {
//!     %x = memref.load %a[%i, %j]
//!     memref.store %x, %b[%i, %j]
//!   }
//! }
//! ```

use melior::{Context, ir::TypeLike};
use mlir_sys as sys;
use strata_ir::{Builder, Op, Type, TypeExt as _, Value, arith, index, int, memref, scf};

/// Replaces every such copy with loops.
pub(super) fn expand<'c>(context: &'c Context, root: Op<'c>) {
    let copies = root.collect(|op| {
        op.is(memref::COPY) && !op.operands().into_iter().all(|side| is_dense(side.ty()))
    });
    for copy in copies {
        let Some(shape) = copy.operand(0).ty().shape().filter(|_| has_static_shapes(copy)) else {
            continue;
        };
        let builder = Builder::before(context, copy);
        nest(&builder, &shape, &mut Vec::new(), copy.operand(0), copy.operand(1));
        copy.erase();
    }
}

fn has_static_shapes(copy: Op<'_>) -> bool {
    copy.operands().into_iter().all(|side| side.ty().has_static_shape())
}

fn nest<'c>(
    builder: &Builder<'c>,
    shape: &[i64],
    position: &mut Vec<Value<'c>>,
    from: Value<'c>,
    to: Value<'c>,
) {
    let Some((size, rest)) = shape.split_first() else {
        let element = memref::load(builder, from, position, from.ty().element()).value();
        memref::store(builder, element, to, position).build();
        return;
    };
    let ty = index(builder.context);
    let [zero, size, one] =
        [0, *size, 1].map(|value| arith::constant(builder, int(ty, value), ty).value());
    let body = builder.region(&[ty], |inner, arguments| {
        position.push(arguments[0]);
        nest(inner, rest, position, from, to);
        position.pop();
        scf::yield_(inner, &[]).build();
    });
    scf::for_(builder, zero, size, one, &[], &[], body).build();
}

/// Whether the elements are contiguous in row-major order.
fn is_dense(ty: Type<'_>) -> bool {
    let Some(shape) = ty.shape().filter(|_| ty.has_static_shape() && ty.is_memref_type()) else {
        return false;
    };
    let mut strides = vec![0i64; shape.len()];
    let mut offset = 0i64;
    // SAFETY: the type is a memref, and there is room for as many strides as it has dimensions.
    let known = unsafe {
        sys::mlirMemRefTypeGetStridesAndOffset(ty.to_raw(), strides.as_mut_ptr(), &mut offset)
    };
    let mut expected = 1;
    known.value != 0
        && shape.iter().zip(&strides).rev().all(|(size, stride)| {
            let fits = *size == 1 || *stride == expected;
            expected *= size;
            fits
        })
}
