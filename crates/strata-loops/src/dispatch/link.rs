//! Functions and constants of several modules in one. Equal constants are one, and so are equal functions that stage `affine` outlined,
//! and declarations.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, Context, Module, Op, WalkOrder, arith, array,
    attribute_address, diagnostic_at, dictionary, func, function_name, module_op, string, symbol,
};

/// The module that others are linked into.
pub struct Linker<'c> {
    context: &'c Context,
    top: Block<'c>,
    with_locations: bool,
    /// The names in use.
    taken: FxHashSet<String>,
    /// The name of each constant, by its attributes.
    constants: FxHashMap<Vec<(String, usize)>, String>,
    /// The name of each function that others may share, by its text.
    functions: FxHashMap<String, String>,
}

/// A module that is taken apart.
struct Source<'s, 'c> {
    /// What is still in it, by name.
    left: FxHashMap<String, Op<'c>>,
    /// The new names of what is not.
    names: FxHashMap<String, String>,
    entry: Op<'c>,
    label: &'s str,
}

impl<'c> Linker<'c> {
    pub fn new(context: &'c Context, top: Block<'c>, with_locations: bool) -> Self {
        let (constants, functions) = (FxHashMap::default(), FxHashMap::default());
        Self { context, top, with_locations, taken: FxHashSet::default(), constants, functions }
    }

    /// Moves what a module has here. `label` distinguishes its names from those of others; that of its entry is the caller's to choose.
    ///
    /// # Errors
    /// `S9002` for functions that call each other.
    pub fn add(
        &mut self,
        module: &Module<'c>,
        entry: Op<'c>,
        label: &str,
    ) -> Result<(), Diagnostic> {
        let ops = module_op(module).body(0).ops();
        let left = ops.iter().map(|op| (function_name(*op).to_owned(), *op)).collect();
        let mut source = Source { left, names: FxHashMap::default(), entry, label };
        for op in ops {
            self.take(&mut source, function_name(op), 0)?;
        }
        Ok(())
    }

    /// Moves a function or constant here, those that it names before it.
    fn take(
        &mut self,
        source: &mut Source<'_, 'c>,
        name: &str,
        depth: usize,
    ) -> Result<(), Diagnostic> {
        let Some(op) = source.left.get(name).copied() else { return Ok(()) };
        if depth > source.left.len() {
            return Err(diagnostic_at(codes::S9002, op).reason("functions call each other"));
        }
        for other in names_in(op) {
            if other != name {
                self.take(source, &other, depth + 1)?;
            }
        }
        let name = name.to_owned();
        source.left.remove(&name);
        if !op.is(func::FUNC) {
            return self.take_constant(source, op, name);
        }
        rename(self.context, op, &source.names);
        if op == source.entry {
            self.adopt(op);
            return Ok(());
        }
        sort_constants(op);
        // Its text without its name, which no function can have.
        op.set_attr("sym_name", string(self.context, ""));
        let text = op.to_string();
        let is_shared = !self.with_locations || op.region(0).first_block().is_none();
        if let Some(known) = self.functions.get(&text).filter(|_| is_shared) {
            source.names.insert(name, known.clone());
            op.erase();
            return Ok(());
        }
        let own = self.free_name(&name, source.label);
        op.set_attr("sym_name", string(self.context, &own));
        self.adopt(op);
        if is_shared {
            self.functions.insert(text, own.clone());
        }
        source.names.insert(name, own);
        Ok(())
    }

    fn take_constant(
        &mut self,
        source: &mut Source<'_, 'c>,
        op: Op<'c>,
        name: String,
    ) -> Result<(), Diagnostic> {
        // Attributes of a context are unique.
        let attributes = op.attrs().into_iter().filter(|(name, _)| *name != "sym_name");
        let key = attributes.map(|(name, value)| (name.to_owned(), attribute_address(value)));
        let key: Vec<_> = key.collect();
        if let Some(known) = self.constants.get(&key) {
            source.names.insert(name, known.clone());
            op.erase();
            return Ok(());
        }
        let own = self.free_name(&name, source.label);
        op.set_attr("sym_name", string(self.context, &own));
        self.adopt(op);
        self.constants.insert(key, own.clone());
        source.names.insert(name, own);
        Ok(())
    }

    fn adopt(&self, op: Op<'c>) {
        Builder::at_end(self.context, self.top, op.location()).adopt(op);
    }

    /// The name, or one with the label.
    fn free_name(&mut self, name: &str, label: &str) -> String {
        let numbered = (1..).map(|number| format!("{name}.{label}.{number}"));
        let mut all = [name.to_owned(), format!("{name}.{label}")].into_iter().chain(numbered);
        let free = all.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(free.clone());
        free
    }
}

/// Puts the constants of a function first, in an order of their own: where they are depends on what else was in the module.
fn sort_constants(function: Op<'_>) {
    let ops = function.region(0).first_block().map(|body| body.ops()).unwrap_or_default();
    let (constants, others): (Vec<_>, Vec<_>) =
        ops.into_iter().partition(|op| op.is(arith::CONSTANT));
    let Some(first) = others.first() else { return };
    let text = |op: Op<'_>| op.attr("value").map(|value| value.to_string());
    let mut constants: Vec<_> = constants.into_iter().map(|op| (text(op), op)).collect();
    constants.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (_, constant) in constants {
        constant.move_before(*first);
    }
}

/// The symbols that attributes of an operation and of those in it name.
fn names_in(op: Op<'_>) -> Vec<String> {
    let mut found = Vec::new();
    op.walk(WalkOrder::Pre, &mut |inner| {
        for (_, value) in inner.attrs() {
            collect(value, &mut found);
        }
    });
    found
}

fn collect(attribute: Attribute<'_>, found: &mut Vec<String>) {
    if let Some(name) = attribute.as_symbol() {
        found.push(name.to_owned());
    } else if let Some(entries) = attribute.as_dictionary() {
        entries.into_iter().for_each(|(_, value)| collect(value, found));
    } else if let Some(list) = attribute.as_array() {
        list.into_iter().for_each(|value| collect(value, found));
    }
}

/// Changes the symbols that an operation and those in it name.
fn rename<'c>(context: &'c Context, op: Op<'c>, names: &FxHashMap<String, String>) {
    op.walk(WalkOrder::Pre, &mut |inner| {
        for (name, value) in inner.attrs() {
            if let Some(new) = renamed(context, value, names) {
                inner.set_attr(name, new);
            }
        }
    });
}

/// The attribute with other names; `None` if it has none of these.
fn renamed<'c>(
    context: &'c Context,
    attribute: Attribute<'c>,
    names: &FxHashMap<String, String>,
) -> Option<Attribute<'c>> {
    if let Some(name) = attribute.as_symbol() {
        return names.get(name).filter(|new| *new != name).map(|new| symbol(context, new));
    }
    if let Some(entries) = attribute.as_dictionary() {
        let new = entries.iter().map(|(_, value)| renamed(context, *value, names));
        let new: Vec<_> = new.collect();
        new.iter().any(Option::is_some).then_some(())?;
        let pairs = entries.iter().zip(new).map(|((name, old), new)| (*name, new.unwrap_or(*old)));
        return dictionary(context, &pairs.collect::<Vec<_>>());
    }
    let list = attribute.as_array()?;
    let new: Vec<_> = list.iter().map(|value| renamed(context, *value, names)).collect();
    new.iter().any(Option::is_some).then_some(())?;
    let all: Vec<_> = list.iter().zip(new).map(|(old, new)| new.unwrap_or(*old)).collect();
    Some(array(context, &all))
}
