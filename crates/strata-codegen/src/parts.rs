//! Parts of a large module, which LLVM compiles apart, several at a time.
//!
//! A part is a set of functions that call no other function of the module and are inlined nowhere: the nests of a large
//! program ([`KERNEL`](strata_ir::KERNEL)). They may call formulas, of which each part has a copy. The first part is everything else. What the parts are depends on the module alone,
//! and each is compiled in an LLVM context of its own, so that the object has the same bytes whatever the number of threads.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use inkwell::{
    GlobalVisibility,
    attributes::{Attribute, AttributeLoc},
    memory_buffer::MemoryBuffer,
    module::{Linkage, Module as LlvmModule},
    passes::PassBuilderOptions,
    targets::TargetMachine,
    values::{AsValueRef, FunctionValue},
};
use llvm_sys::{
    bit_reader::LLVMGetBitcodeModuleInContext2,
    core::{
        LLVMGetBasicBlockParent, LLVMGetFirstUse, LLVMGetInstructionParent, LLVMGetNextUse,
        LLVMGetUser, LLVMIsAConstant, LLVMIsAGlobalValue, LLVMIsAInstruction,
    },
    prelude::LLVMValueRef,
    target::LLVMABISizeOfType,
};
use strata_diag::Diagnostic;
use strata_ir::MATH;
use strata_options::Options;
use strata_target::tuning::parts as tuning;

use crate::{
    llvmir::defined,
    machine::{Session, bug},
};

mod merge;

/// The functions of each part but the first, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts(Vec<Vec<String>>);

impl Parts {
    /// The parts of a module, in which nothing is left to read from bitcode.
    pub(crate) fn of(module: &LlvmModule<'_>) -> Self {
        let functions = defined(module);
        // Descriptions of the source for a debugger belong to the whole module.
        if functions.len() < 2 || module.get_global_metadata_size("llvm.dbg.cu") > 0 {
            return Self::default();
        }
        let mut tied = BTreeSet::new();
        for function in functions.iter().filter(|one| !is_copied(one)) {
            let is_free = users(function.as_value_ref(), &mut |caller| {
                tied.insert(caller as usize);
            });
            if !is_free {
                tied.insert(function.as_value_ref() as usize);
            }
        }
        for global in module.get_globals().filter(|global| global.get_initializer().is_some()) {
            let is_local = matches!(global.get_linkage(), Linkage::Private | Linkage::Internal);
            if !(is_local && global.is_constant() && size(module, &global) <= tuning::COPIED_BYTES)
            {
                users(global.as_value_ref(), &mut |user| {
                    tied.insert(user as usize);
                });
            }
        }
        let noinline = Attribute::get_named_enum_kind_id("noinline");
        let is_apart = |function: &FunctionValue<'_>| {
            function.get_linkage() == Linkage::Internal
                && !is_copied(function)
                && function.get_enum_attribute(AttributeLoc::Function, noinline).is_some()
                && !tied.contains(&(function.as_value_ref() as usize))
        };
        let apart = functions.into_iter().filter(is_apart);
        let sizes: Vec<_> =
            apart.map(|function| (instructions(function), name(function))).collect();
        Self(shared_out(&sizes))
    }

    /// Whether the module is compiled as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs `work` for the number of each part, on several threads; the results are in the order of the parts.
    pub(crate) fn each<T: Send>(
        &self,
        options: &Options,
        work: impl Fn(usize) -> Result<T, Diagnostic> + Sync,
    ) -> Result<Vec<T>, Diagnostic> {
        in_order(self.0.len() + 1, options.compile_threads, work, |_| {})
    }

    /// A part of the module in `bitcode`. Functions of other parts are declarations, those of this one are visible to the
    /// others.
    pub(crate) fn take<'l>(
        &self,
        session: &'l Session,
        bitcode: &[u8],
        part: usize,
        machine: &TargetMachine,
    ) -> Result<LlvmModule<'l>, Diagnostic> {
        // Bodies of functions are only read when they are linked.
        let whole = lazily(session, bitcode)?;
        let module = session.context().create_module("");
        let name_of_file = whole.get_source_file_name().to_string_lossy().into_owned();
        module.set_name(&name_of_file);
        module.set_source_file_name(&name_of_file);
        module.set_triple(&whole.get_triple());
        module.set_data_layout(&whole.get_data_layout());
        let show = |name: &String, linkage: Linkage| {
            if let Some(function) = whole.get_function(name) {
                function.set_linkage(linkage);
                function.as_global_value().set_visibility(GlobalVisibility::Hidden);
            }
        };
        match part.checked_sub(1) {
            None => {
                for name in self.0.iter().flatten() {
                    show(name, Linkage::AvailableExternally);
                }
            }
            Some(part) => {
                // Only what these functions need is linked.
                let is_defined = |global: &LLVMValueRef| {
                    // SAFETY: the value is a global of a module that is alive.
                    unsafe { llvm_sys::core::LLVMIsDeclaration(*global) == 0 }
                };
                for function in whole.get_functions().filter(|one| is_defined(&one.as_value_ref()))
                {
                    function.as_global_value().set_visibility(GlobalVisibility::Default);
                    function.set_linkage(Linkage::Internal);
                }
                for global in whole.get_globals().filter(|one| is_defined(&one.as_value_ref())) {
                    if global.get_linkage() == Linkage::External {
                        global.set_visibility(GlobalVisibility::Default);
                        global.set_linkage(Linkage::Internal);
                    }
                }
                for name in self.0.get(part).into_iter().flatten() {
                    show(name, Linkage::External);
                }
            }
        }
        let linked = module.link_in_module(whole);
        // Linking replaced the session's diagnostic handler.
        session.listen();
        linked.map_err(|error| bug("a part of the module does not link", &error.to_string()))?;
        if part == 0 {
            let passes = PassBuilderOptions::create();
            let done = module.run_passes("elim-avail-extern", machine, passes);
            done.map_err(|error| bug("LLVM cannot leave out functions", &error.to_string()))?;
        }
        Ok(module)
    }

    /// Links the parts again.
    pub(crate) fn link<'l>(
        &self,
        session: &'l Session,
        parts: &[Vec<u8>],
    ) -> Result<LlvmModule<'l>, Diagnostic> {
        let mut parts = parts.iter();
        let first = parts.next().map(Vec::as_slice).unwrap_or_default();
        let joint = read(session, first)?;
        for bitcode in parts {
            let linked = joint.link_in_module(read(session, bitcode)?);
            session.listen();
            linked.map_err(|error| bug("the parts do not link", &error.to_string()))?;
        }
        for name in self.0.iter().flatten() {
            if let Some(function) = joint.get_function(name) {
                function.as_global_value().set_visibility(GlobalVisibility::Default);
                function.set_linkage(Linkage::Internal);
            }
        }
        Ok(joint)
    }

    /// The names of the functions that are apart.
    fn names(&self) -> BTreeSet<&[u8]> {
        self.0.iter().flatten().map(|name| name.as_bytes()).collect()
    }
}

/// The number of threads that compile: `given`, or one for each processor for 0.
pub fn threads(given: usize) -> usize {
    match given {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        given => given,
    }
}

/// Runs `work` for the numbers below `count`, on several threads; 0 means one per processor. The results are in order, and an
/// error is that of the lowest number. `begun` is told the numbers that the calling thread begins.
///
/// # Errors
/// Those of `work`.
pub fn in_order<T: Send, E: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
    mut begun: impl FnMut(usize),
) -> Result<Vec<T>, E> {
    let threads = self::threads(threads);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let take = |begun: &mut dyn FnMut(usize)| {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= count {
                return;
            }
            begun(part);
            let result = work(part);
            if result.is_err() {
                // All before it have begun; no others are needed.
                next.fetch_max(count, Ordering::Relaxed);
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(part, result);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            let thread = thread::Builder::new().stack_size(tuning::STACK_BYTES);
            // Without the thread, this one does its work.
            let _ = thread.spawn_scoped(scope, || take(&mut |_| {}));
        }
        take(&mut begun);
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// The functions in parts of similar size: each to the smallest part so far, the largest function first.
fn shared_out(sizes: &[(usize, String)]) -> Vec<Vec<String>> {
    let total: usize = sizes.iter().map(|(size, _)| size).sum();
    let count = (total / tuning::INSTRUCTIONS).min(tuning::MOST);
    if count < 2 {
        return Vec::new();
    }
    let mut order: Vec<_> = (0..sizes.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(sizes[*index].0));
    let mut parts = vec![(0, Vec::new()); count];
    for index in order {
        if let Some(smallest) = parts.iter_mut().min_by_key(|(size, _)| *size) {
            smallest.0 += sizes[index].0;
            smallest.1.push(index);
        }
    }
    let named = |mut indices: Vec<usize>| {
        // As in the module.
        indices.sort_unstable();
        indices.into_iter().map(|index| sizes[index].1.clone()).collect()
    };
    parts.into_iter().map(|(_, indices)| named(indices)).collect()
}

/// Whether each part has its own copy of a function that it calls: a formula that few numbers need
/// ([`FORMULA`](strata_ir::FORMULA)), or one of many places ([`MATH`]).
fn is_copied(function: &FunctionValue<'_>) -> bool {
    let cold = Attribute::get_named_enum_kind_id("cold");
    function.get_linkage() == Linkage::Internal
        && (function.get_enum_attribute(AttributeLoc::Function, cold).is_some()
            || function.get_string_attribute(AttributeLoc::Function, MATH).is_some())
}

fn name(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

fn instructions(function: FunctionValue<'_>) -> usize {
    function.get_basic_block_iter().map(|block| block.get_instructions().count()).sum()
}

/// The bytes that a global takes.
fn size(module: &LlvmModule<'_>, global: &inkwell::values::GlobalValue<'_>) -> u64 {
    use inkwell::types::{AnyType as _, AsTypeRef as _};
    let layout = module.get_data_layout();
    let layout = inkwell::targets::TargetData::create(&layout.as_str().to_string_lossy());
    let ty = global.get_value_type().as_any_type_enum().as_type_ref();
    // SAFETY: the type is that of a definition, and therefore has a size.
    unsafe { LLVMABISizeOfType(layout.as_mut_ptr(), ty) }
}

/// Calls `found` with each function that uses `value`; says whether nothing else does.
fn users(value: LLVMValueRef, found: &mut dyn FnMut(LLVMValueRef)) -> bool {
    let mut only = true;
    // SAFETY: the value and its uses belong to a module that is alive and not changed meanwhile.
    unsafe {
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            let user = LLVMGetUser(next);
            if !LLVMIsAInstruction(user).is_null() {
                found(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
            } else if !LLVMIsAConstant(user).is_null() && LLVMIsAGlobalValue(user).is_null() {
                only &= users(user, found);
            } else {
                only = false;
            }
            next = LLVMGetNextUse(next);
        }
    }
    only
}

fn read<'l>(session: &'l Session, bitcode: &[u8]) -> Result<LlvmModule<'l>, Diagnostic> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "module");
    let module = LlvmModule::parse_bitcode_from_buffer(&buffer, session.context())
        .map_err(|error| bug("LLVM does not read its own bitcode", &error.to_string()))?;
    module.set_name(&module.get_source_file_name().to_string_lossy());
    Ok(module)
}

/// Reads a module, but bodies of functions only when they are linked to another one.
fn lazily<'l>(session: &'l Session, bitcode: &[u8]) -> Result<LlvmModule<'l>, Diagnostic> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "module");
    let mut module = std::ptr::null_mut();
    // SAFETY: the module takes over the buffer, also after an error.
    let failed = unsafe {
        let buffer = std::mem::ManuallyDrop::new(buffer);
        LLVMGetBitcodeModuleInContext2(
            session.context().raw(),
            buffer.as_mut_ptr(),
            &raw mut module,
        )
    };
    if failed != 0 || module.is_null() {
        return Err(bug(
            "LLVM does not read its own bitcode",
            &session.error().unwrap_or_default(),
        ));
    }
    // SAFETY: the module is not null and has no other owner.
    Ok(unsafe { LlvmModule::new(module) })
}

#[cfg(test)]
mod tests {
    use super::{in_order, shared_out};

    #[test]
    fn results_are_in_order_and_the_first_error_counts() {
        for threads in [0, 1, 2, 7] {
            let mut begun = Vec::new();
            let squares = in_order(20, threads, |at| Ok::<_, usize>(at * at), |at| begun.push(at));
            assert_eq!(squares, Ok((0..20).map(|at| at * at).collect()), "{threads} threads");
            assert!(begun.is_sorted());
            let work = |at| if at % 6 == 5 { Err(at) } else { Ok(at) };
            assert_eq!(in_order(20, threads, work, |_| {}), Err(5), "{threads} threads");
            assert_eq!(in_order(0, threads, work, |_| {}), Ok(Vec::new()));
        }
    }

    #[test]
    fn parts_are_of_similar_size_and_in_the_order_of_the_module() {
        let sizes: Vec<_> = (0..100).map(|at| (100 + 90 * (at % 7), format!("f{at}"))).collect();
        let parts = shared_out(&sizes);
        assert!(parts.len() > 1);
        let weight = |names: &Vec<String>| -> usize {
            sizes.iter().filter(|(_, name)| names.contains(name)).map(|(size, _)| size).sum()
        };
        let weights: Vec<_> = parts.iter().map(weight).collect();
        let (least, most) = (weights.iter().min(), weights.iter().max());
        assert!(most.zip(least).is_some_and(|(most, least)| most - least < 700), "{weights:?}");
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 100);
        assert!(shared_out(&sizes[..10]).is_empty());
    }
}
