//! Products of tiles (`narrow.matmul`) as the target's instructions, where the system permits tiles, and as dots of vectors where not.
//!
//! Before:
//! ```text
//! %s = scf.for %k = … iter_args(%sums = %zeros) -> (vector<16x16xi32>) {
//!   %t = narrow.matmul "s8" %a, "s8" %b into %sums : …          // %a, %b: vector.load
//!   scf.yield %t
//! }
//! vector.store %s, %out[%i, %j] : memref<64x64xi32>, vector<16x16xi32>
//! ```
//! After:
//! ```text
//! %is_permitted = …                                             // `strata_tiles` is not 0
//! scf.if %is_permitted { llvm.inline_asm "ldtilecfg ($0)" }     // before the loops around that have no other tiles
//! scf.if %is_permitted {
//!   llvm.inline_asm "tilezero %tmm0"
//!   scf.for %k = … { llvm.inline_asm "tileloadd …, %tmm4", "tileloadd …, %tmm5", "tdpbssd %tmm5, %tmm4, %tmm0" }
//!   llvm.inline_asm "tilestored %tmm0, …"
//! } else { … }                                                  // `vectors`
//! scf.if %is_permitted { llvm.inline_asm "tilerelease" }
//! ```
//! Tiles have their registers from here on: LLVM 22 allocates those of several shapes wrongly, and uses none by itself. A thread's configuration
//! lasts from `ldtilecfg` to `tilerelease`, between which nothing is called.

mod groups;
mod registers;
mod vectors;

use std::fmt::Write as _;

use melior::ir::Module;
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Context, Op, RegionBuilder, Value, arith, diagnostic_at, func, integer, llvm,
    llvm_pointer, module_op, parse_attr, scf, string, symbol, unit,
};
use strata_target::Target;

use super::globals;
use groups::Group;
use registers::Registers;

/// The variable in which a program says that the system permits tiles: one for all objects of a program or library.
pub const PERMISSION: &str = "strata_tiles";

/// What is built fails to be so only by a mistake of an earlier stage.
type Outcome<T = ()> = Result<T, String>;

/// Rewrites the products of all functions.
///
/// # Errors
/// `S9002` where stage `vector` left tiles that no registers hold.
pub(super) fn lower<'c>(
    context: &'c Context,
    module: &Module<'c>,
    target: &Target,
) -> Result<(), Diagnostic> {
    let mut configurations = Vec::new();
    let root = module_op(module);
    let functions = root.body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
    for function in functions.filter(|op| op.region(0).first_block().is_some()) {
        let groups = groups::find(function)?;
        let ends: Vec<_> = groups.iter().map(Group::end).collect();
        for group in &groups {
            replace(context, group, &ends, target, &mut configurations).map_err(|reason| {
                diagnostic_at(codes::S9002, group.end())
                    .reason(format!("its tiles cannot be lowered: {reason}"))
            })?;
        }
        for group in groups {
            group.erase();
        }
    }
    if configurations.is_empty() {
        return Ok(());
    }
    let mut text =
        format!("llvm.mlir.global weak @{PERMISSION}(0 : i32) {{addr_space = 0 : i32}} : i32\n");
    for (at, bytes) in configurations.iter().enumerate() {
        let bytes: Vec<_> = bytes.iter().map(u8::to_string).collect();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "llvm.mlir.global internal constant @{}(dense<[{}]> : tensor<64xi8>) \
             {{addr_space = 0 : i32, alignment = 64 : i64}} : !llvm.array<64 x i8>",
            configuration(at),
            bytes.join(", ")
        );
    }
    globals::add(context, root, &text)
}

/// The constant of that number with a configuration.
fn configuration(number: usize) -> String {
    format!("strata.tiles.{number}")
}

/// Builds both forms of a group, before its end.
fn replace<'c>(
    context: &'c Context,
    group: &Group<'c>,
    ends: &[Op<'c>],
    target: &Target,
    configurations: &mut Vec<[u8; 64]>,
) -> Outcome {
    let end = group.end();
    let around = outermost(end, ends);
    let mut registers = Registers::of(group, target)?;
    let number = configurations.iter().position(|known| *known == registers.configuration());
    let number = number.unwrap_or_else(|| {
        configurations.push(registers.configuration());
        configurations.len() - 1
    });
    let b = Builder::before(context, around);
    let is_permitted = permission(&b)?;
    b.when(
        is_permitted,
        b.region(&[], |b, _| {
            let address = b
                .op(llvm::MLIR_ADDRESSOF)
                .attr("global_name", symbol(context, &configuration(number)))
                .result(llvm_pointer(context))
                .value();
            assembly(b, "ldtilecfg ($0)", "r,~{memory}", &[address]);
            scf::yield_(b, &[]).build();
        }),
    );
    let inside = Builder::before(context, end);
    let mut result = Ok(());
    let mut form = |emit: &mut dyn FnMut(&Builder<'c>) -> Outcome| -> RegionBuilder {
        inside.region(&[], |b, _| {
            if let Err(reason) = emit(b) {
                result = Err(reason);
            }
            scf::yield_(b, &[]).build();
        })
    };
    let in_tiles = form(&mut |b| registers.emit(b, group));
    let in_vectors = form(&mut |b| vectors::emit(b, group));
    scf::if_(&inside, is_permitted, &[], in_tiles, in_vectors).build();
    let after = match around == end {
        true => inside,
        false => Builder::before(context, around.next().ok_or("a loop ends its block")?),
    };
    after.when(
        is_permitted,
        after.region(&[], |b, _| {
            assembly(b, "tilerelease", "~{memory}", &[]);
            scf::yield_(b, &[]).build();
        }),
    );
    result
}

/// The outermost loop around a group that has neither other tiles nor calls; its end where there is none.
fn outermost<'c>(end: Op<'c>, ends: &[Op<'c>]) -> Op<'c> {
    let mut around = end;
    while let Some(parent) = around.parent().filter(|parent| parent.is(scf::FOR)) {
        let has_others = ends.iter().any(|other| *other != end && parent.encloses(*other));
        if has_others || !parent.collect(|op| op.is(func::CALL)).is_empty() {
            break;
        }
        around = parent;
    }
    around
}

/// Whether the program said that tiles are permitted. It may say so at any time: each group asks once.
fn permission<'c>(b: &Builder<'c>) -> Outcome<Value<'c>> {
    let word = integer(b.context, 32);
    let attribute =
        |text: &str| parse_attr(b.context, text).ok_or("an attribute does not parse".to_owned());
    let address = b
        .op(llvm::MLIR_ADDRESSOF)
        .attr("global_name", symbol(b.context, PERMISSION))
        .result(llvm_pointer(b.context))
        .value();
    let monotonic = attribute("2 : i64")?;
    let said = b
        .op(llvm::LOAD)
        .operand(address)
        .attr("alignment", attribute("4 : i64")?)
        .attr("ordering", monotonic)
        .result(word)
        .value();
    Ok(b.cmpi(arith::CmpIPredicate::Ne, said, b.int(word, 0)))
}

/// Assembly without a result. It has effects, so that it stays in order.
fn assembly<'c>(b: &Builder<'c>, text: &str, constraints: &str, operands: &[Value<'c>]) {
    b.op(llvm::INLINE_ASM)
        .operands(operands)
        .attr("asm_string", string(b.context, text))
        .attr("constraints", string(b.context, constraints))
        .attr("has_side_effects", unit(b.context))
        .build();
}
