//! The lowering driver: lowers every operation once, in order, into a new function.
//!
//! ```text
//! func.func @main(%a: tensor<3xui8>) -> tensor<3xui8> {     old: read, then erased
//!   %0 = stablehlo.add %a, %a : tensor<3xui8>
//!   return %0 : tensor<3xui8>
//! }
//! func.func @main(%a: tensor<3xi8>) -> tensor<3xi8> {       new: built op by op
//!   %0 = tensor.empty() …
//!   %1 = linalg.generic … arith.addi …
//!   return %1 : tensor<3xi8>
//! }
//! ```

use std::{collections::HashMap, rc::Rc};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Block, Builder, Context, Op, OpKind, Type, Value, builtin, diagnostic_at,
    func, function, function_types, type_attr,
};
use strata_target::Target;

use crate::{
    outcome::{Declined, Outcome},
    panics::guarded,
};

/// The lowering of some kinds of operations: guards, building, returning the values that replace the
/// results. A lowering declines before it builds anything.
pub trait Lowering: Sync {
    /// A stable name, shown in reports and by `strata list patterns`.
    fn name(&self) -> &'static str;
    /// The kinds of operations that the lowering matches.
    fn roots(&self) -> &'static [OpKind];
    /// Builds the replacement of `op` from its already lowered `operands`; one value per result.
    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>>;
}

/// The insertion point of a lowering, and the map from old values to new ones.
pub struct Lowerer<'c> {
    context: &'c Context,
    lowerings: Vec<&'c dyn Lowering>,
    builder: Builder<'c>,
    values: HashMap<Value<'c>, Value<'c>>,
    convert: Rc<dyn Fn(Type<'c>) -> Type<'c> + 'c>,
    target: Rc<Target>,
    failure: Option<Diagnostic>,
    /// If set, collects operations that cannot be lowered, with placeholders for their results, instead
    /// of failing.
    leftovers: Option<Vec<Diagnostic>>,
}

impl<'c> Lowerer<'c> {
    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// A builder at the current insertion point, with the current operation's location.
    pub fn builder(&self) -> Builder<'c> {
        self.builder
    }

    /// The machine that the program is compiled for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The type that values of the old type `ty` have after lowering.
    pub fn convert(&self, ty: Type<'c>) -> Type<'c> {
        (self.convert)(ty)
    }

    /// The new value of `old`, if it was lowered.
    pub fn lookup(&self, old: Value<'c>) -> Option<Value<'c>> {
        self.values.get(&old).copied()
    }

    /// Maps `old`, a block argument of a region that a lowering enters, to its new value.
    pub fn bind(&mut self, old: Value<'c>, new: Value<'c>) {
        self.values.insert(old, new);
    }

    /// Lowers all operations of `block` except its terminator at `into`, with `args` for the block's
    /// arguments, and returns the new values of the terminator's operands.
    pub fn lower_block(
        &mut self,
        block: Block<'c>,
        into: &Builder<'c>,
        args: &[Value<'c>],
    ) -> Outcome<Vec<Value<'c>>> {
        if args.len() != block.arg_count() {
            return Err("the region's arguments do not match".into());
        }
        for (old, new) in block.args().into_iter().zip(args) {
            self.bind(old, *new);
        }
        let outer = std::mem::replace(&mut self.builder, *into);
        let result = self.lower_ops(block);
        self.builder = outer;
        result
    }

    /// As [`Self::lower_block`], for a block that is lowered several times, or inside the operation
    /// being built: the mapping is discarded.
    ///
    /// # Errors
    /// Where an operation of the block cannot be lowered.
    pub fn lower_copy(
        &self,
        block: Block<'c>,
        into: &Builder<'c>,
        args: &[Value<'c>],
    ) -> Outcome<Vec<Value<'c>>> {
        let mut copy = Lowerer {
            context: self.context,
            lowerings: self.lowerings.clone(),
            builder: *into,
            values: self.values.clone(),
            convert: Rc::clone(&self.convert),
            target: Rc::clone(&self.target),
            failure: None,
            leftovers: None,
        };
        let lowered = copy.lower_block(block, into, args);
        lowered.map_err(|declined| match copy.failure {
            Some(failure) => {
                let operation = failure.operation_name().unwrap_or("an operation");
                let reason = failure.reason_text().unwrap_or_default();
                format!("{operation} in its region: {reason}").into()
            }
            None => declined,
        })
    }

    fn lower_ops(&mut self, block: Block<'c>) -> Outcome<Vec<Value<'c>>> {
        let terminator = block.terminator();
        for op in block.ops() {
            if Some(op) == terminator {
                break;
            }
            self.lower_op(op)?;
        }
        let operands = terminator.map(Op::operands).unwrap_or_default();
        self.operands(&operands)
    }

    fn operands(&self, old: &[Value<'c>]) -> Outcome<Vec<Value<'c>>> {
        old.iter()
            .map(|value| {
                self.lookup(*value)
                    .ok_or_else(|| "an operand was not lowered before its use".into())
            })
            .collect()
    }

    fn lower_op(&mut self, op: Op<'c>) -> Outcome {
        let operands = self.operands(&op.operands())?;
        let kind = op.kind();
        let location = self.builder.location;
        self.builder.location = op.location();
        let mut reasons = Vec::new();
        let candidates: Vec<_> =
            self.lowerings.iter().copied().filter(|one| one.roots().contains(&kind)).collect();
        for lowering in candidates {
            let attempt = guarded(lowering.name(), op, || lowering.lower(op, &operands, self));
            match attempt {
                Ok(Ok(values)) => {
                    self.builder.location = location;
                    return self.bind_results(op, lowering.name(), &values);
                }
                Ok(Err(declined)) => reasons.push((lowering.name(), declined)),
                Err(bug) => {
                    self.failure.get_or_insert(bug);
                }
            }
            // A nested operation failed: report that one.
            if self.failure.is_some() {
                return Err("a nested operation failed".into());
            }
        }
        let leftover = leftover(op, &reasons);
        if self.leftovers.is_some() {
            let types: Vec<_> = op.result_types().into_iter().map(|ty| self.convert(ty)).collect();
            for (old, ty) in op.results().into_iter().zip(types) {
                let cast = self.builder.op(builtin::UNREALIZED_CONVERSION_CAST).result(ty);
                self.bind(old, cast.value());
            }
            self.builder.location = location;
            self.leftovers.iter_mut().for_each(|all| all.push(leftover.clone()));
            return Ok(());
        }
        self.failure = Some(leftover);
        Err("no lowering applies".into())
    }

    fn bind_results(&mut self, op: Op<'c>, name: &str, values: &[Value<'c>]) -> Outcome {
        let wanted: Vec<_> = op.result_types().into_iter().map(|ty| self.convert(ty)).collect();
        let found: Vec<_> = values.iter().map(|value| value.ty()).collect();
        if wanted != found {
            let show = |types: &[Type]| {
                types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            };
            self.failure = Some(diagnostic_at(codes::S9001, op).reason(format!(
                "lowering `{name}` returned values of types ({}) where ({}) are due",
                show(&found),
                show(&wanted)
            )));
            return Err("a lowering returned the wrong types".into());
        }
        for (old, new) in op.results().into_iter().zip(values) {
            self.bind(old, *new);
        }
        Ok(())
    }
}

/// The legality error: an operation that no lowering applies to, with all reasons.
fn leftover(op: Op<'_>, reasons: &[(&'static str, Declined)]) -> Diagnostic {
    let diagnostic = diagnostic_at(codes::S1201, op);
    match reasons {
        [] => diagnostic.reason("there is no lowering for this operation"),
        [(name, declined)] => diagnostic.reason(declined.reason()).note(format!("tried `{name}`")),
        _ => reasons.iter().fold(
            diagnostic.reason("no lowering applies"),
            |diagnostic, (name, declined)| {
                diagnostic.note(format!("`{name}`: {}", declined.reason()))
            },
        ),
    }
}

/// Lowers function `func`, a `func.func` with one block: builds the new function before it, erases the
/// old one and returns the new one. Keeps discardable attributes of the function; drops those of
/// arguments and results.
///
/// # Errors
/// `S1201` for an operation that no lowering applies to, `S9001` for a panic in a lowering.
pub fn lower_function<'c>(
    context: &'c Context,
    func: Op<'c>,
    lowerings: &[&'c dyn Lowering],
    target: &Target,
    convert: impl Fn(Type<'c>) -> Type<'c> + 'c,
) -> Result<Op<'c>, Diagnostic> {
    lower(context, func, lowerings, target, convert, None).map(|(func, _)| func)
}

/// All operations of function `func` that no lowering applies to, in program order. The function is
/// consumed; its replacement is of no use.
///
/// # Errors
/// As [`lower_function`], except for leftover operations.
pub fn leftover_operations<'c>(
    context: &'c Context,
    func: Op<'c>,
    lowerings: &[&'c dyn Lowering],
    target: &Target,
    convert: impl Fn(Type<'c>) -> Type<'c> + 'c,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    lower(context, func, lowerings, target, convert, Some(Vec::new())).map(|(_, all)| all)
}

fn lower<'c>(
    context: &'c Context,
    func: Op<'c>,
    lowerings: &[&'c dyn Lowering],
    target: &Target,
    convert: impl Fn(Type<'c>) -> Type<'c> + 'c,
    leftovers: Option<Vec<Diagnostic>>,
) -> Result<(Op<'c>, Vec<Diagnostic>), Diagnostic> {
    let ty = func.attr("function_type").and_then(|attr| attr.as_type());
    let blocks = func.region(0).blocks();
    let (Some((inputs, results)), [block]) = (ty.and_then(function_types), blocks.as_slice())
    else {
        return Err(diagnostic_at(codes::S1201, func)
            .reason("a function must have exactly one block to be lowered"));
    };
    let inputs: Vec<_> = inputs.into_iter().map(&convert).collect();
    let results: Vec<_> = results.into_iter().map(&convert).collect();
    let builder = Builder::before(context, func);
    let name = func.attr("sym_name").ok_or_else(|| diagnostic_at(codes::S9001, func))?;
    let region = builder.region(&inputs, |_, _| ());
    let new = builder
        .op(func::FUNC)
        .attr("sym_name", name)
        .attr("function_type", type_attr(function(context, &inputs, &results)))
        .attrs(&func.discardable_attrs())
        .region(region)
        .build();
    let body = new.body(0);
    let mut lowerer = Lowerer {
        context,
        lowerings: lowerings.to_vec(),
        builder: Builder::at_end(context, body, func.location()),
        values: HashMap::new(),
        convert: Rc::new(convert),
        target: Rc::new(target.clone()),
        failure: None,
        leftovers,
    };
    let into = lowerer.builder;
    let returned = lowerer.lower_block(*block, &into, &body.args()).map_err(|declined| {
        lowerer
            .failure
            .take()
            .unwrap_or_else(|| diagnostic_at(codes::S9001, func).reason(declined.reason()))
    })?;
    let location = block.terminator().map_or(func.location(), Op::location);
    Builder { location, ..into }.op(func::RETURN).operands(&returned).build();
    func.erase();
    Ok((new, lowerer.leftovers.unwrap_or_default()))
}
