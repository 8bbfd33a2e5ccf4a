//! The exports of the object: the entry that takes arrays of pointers, the workspace's size and the [`tables`](super::tables).
//! Written as text of the LLVM dialect, which is the most readable.

use std::{collections::BTreeSet, fmt::Write as _, ops::Range};

use melior::{Context, ir::Module};
use strata_diag::Diagnostic;
use strata_ir::{Builder, Prepared, Signature, TensorSpec, llvm, module_op, parse_text};
use strata_options::Options;
use strata_target::tuning::code::MAX_UNROLLED_CHECKS;

use super::{
    Entry, TargetMarks, arrays,
    call_text::DEVICES,
    dynamic, kept_inputs,
    tables::{names_table, signature_table},
};
use crate::abi::{NOT_PREPARED, WORKSPACE_ALIGNMENT, is_direct};

/// Adds the exported functions and the table at the end of the module.
pub(super) fn add<'c>(
    context: &'c Context,
    module: &Module<'c>,
    entry: &Entry,
    leaves: bool,
    options: &Options,
) -> Result<(), Diagnostic> {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = match &entry.specializations {
        Some(all) => dynamic::exports(&mut text, entry, all, leaves),
        None if is_direct(&entry.signature, options) => direct(&mut text, entry, leaves),
        None => exports(&mut text, entry, leaves),
    };
    let exports = parse_text(context, &text)?;
    let marks = TargetMarks::of(context, options)?;
    let target = module_op(module);
    let builder = Builder::at_end(context, target.body(0), target.location());
    for op in module_op(&exports).body(0).ops() {
        // The kernel is declared only so that the text is a module of its own.
        if op.is(llvm::FUNC) && op.region(0).first_block().is_none() {
            continue;
        }
        let copy = builder.insert(op.clone_detached());
        if copy.is(llvm::FUNC) {
            marks.set(copy);
        }
    }
    Ok(())
}

/// What is said of a kernel that is called without a wrapper.
fn direct(text: &mut String, entry: &Entry, leaves: bool) -> std::fmt::Result {
    writeln!(
        text,
        "llvm.mlir.global external constant @{}(dense<[{}, {}]> : tensor<2xi64>) \
         {{alignment = 8 : i64}} : !llvm.array<2 x i64>",
        entry.symbols.direct(),
        entry.workspace_size,
        i64::from(leaves)
    )
}

/// The functions and tables of an object for others.
fn exports(text: &mut String, entry: &Entry, leaves: bool) -> std::fmt::Result {
    entry_function(text, entry, leaves)?;
    writeln!(
        text,
        "llvm.func @{}() -> i64 {{\n  %size = llvm.mlir.constant({} : i64) : i64\n  \
         llvm.return %size : i64\n}}",
        entry.symbols.workspace_size(),
        entry.workspace_size
    )?;
    signature_table(text, entry)?;
    names_table(text, entry)
}

/// Ends a call of a program for several devices that does not say how they exchange values, before anything is written.
pub(super) fn refuse_alone(text: &mut String, entry: &Entry) -> std::fmt::Result {
    if entry.devices.is_none() {
        return Ok(());
    }
    writeln!(
        text,
        "  %devices = llvm.call @{DEVICES}(%executor) : (!llvm.ptr) -> i32\n  \
         %alone = llvm.icmp \"ne\" %devices, %done : i32\n  \
         llvm.cond_br %alone weights([0, 1]), ^alone, ^together\n\
         ^alone:\n  llvm.return %devices : i32\n^together:"
    )
}

/// The cheap checks, then the call of the kernel with the pointers loaded from the arrays. A kernel that `leaves` the
/// program gets the executor and returns a status.
fn entry_function(text: &mut String, entry: &Entry, leaves: bool) -> std::fmt::Result {
    let signature = &entry.signature;
    writeln!(
        text,
        "llvm.func @{}(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %workspace: !llvm.ptr, \
         %executor: !llvm.ptr) -> i32 {{\n  %null = llvm.mlir.zero : !llvm.ptr\n  \
         %done = llvm.mlir.constant(0 : i32) : i32",
        entry.symbols.entry
    )?;
    refuse_alone(text, entry)?;
    let are_arrays = arrays::are_taken(entry);
    let mut checks = Checks::new(text);
    let mut arguments = Vec::new();
    for (array, status, specs) in
        [("inputs", 1, &signature.inputs), ("outputs", 2, &signature.outputs)]
    {
        let has_weights = status == 1 && signature.weights.is_some();
        if specs.is_empty() && !has_weights {
            continue;
        }
        let array = format!("%{array}");
        checks.refuse_null(&[&array], status)?;
        if has_weights {
            writeln!(
                checks.text,
                "  %weights_at = llvm.getelementptr {array}[{}] : (!llvm.ptr) -> !llvm.ptr, \
                 !llvm.ptr\n  %weights = llvm.load %weights_at : !llvm.ptr -> !llvm.ptr",
                specs.len()
            )?;
            checks.refuse_null(&["%weights"], 6)?;
            checks.refuse_unaligned("%weights", 6)?;
        }
        let values: Vec<_> = (0..specs.len()).map(|index| format!("{array}_{index}")).collect();
        let (long, few) = checked(specs);
        let mut named: BTreeSet<usize> = BTreeSet::new();
        if are_arrays {
            named.extend(&few);
            let donated = signature.donations.iter();
            named.extend(donated.map(|(output, input)| if status == 1 { *input } else { *output }));
            named.extend(block(signature, status));
        } else {
            named.extend(0..specs.len());
        }
        for (position, value) in
            values.iter().enumerate().filter(|(position, _)| named.contains(position))
        {
            writeln!(
                checks.text,
                "  {value}_at = llvm.getelementptr {array}[{position}] : (!llvm.ptr) -> !llvm.ptr, \
                 !llvm.ptr\n  {value} = llvm.load {value}_at : !llvm.ptr -> !llvm.ptr"
            )?;
        }
        for run in long {
            checks.refuse_null_among(&array, run, status)?;
        }
        let few: Vec<_> = few.into_iter().map(|position| values[position].as_str()).collect();
        checks.refuse_null(&few, status)?;
        if let Some(position) = block(signature, status) {
            checks.refuse_unprepared(&values[position], signature)?;
        }
        let own = match status {
            _ if are_arrays => Vec::new(),
            1 => kept_inputs(signature),
            _ => (0..specs.len()).collect(),
        };
        arguments.extend(own.into_iter().map(|position| values[position].clone()));
    }
    if entry.workspace_size > 0 {
        checks.refuse_null(&["%workspace"], 3)?;
        checks.refuse_unaligned("%workspace", 4)?;
    }
    donate(text, signature)?;
    arguments.push("%workspace".to_owned());
    arguments.extend(signature.weights.map(|_| "%weights".to_owned()));
    if leaves {
        arguments.push("%executor".to_owned());
    }
    if are_arrays {
        arguments.extend(["%inputs".to_owned(), "%outputs".to_owned()]);
    }
    let types = vec!["!llvm.ptr"; arguments.len()].join(", ");
    let arguments = arguments.join(", ");
    let kernel = entry.symbols.kernel();
    let devices = match entry.devices {
        Some(_) => format!("\nllvm.func @{DEVICES}(!llvm.ptr) -> i32"),
        None => String::new(),
    };
    if leaves {
        writeln!(
            text,
            "  %status = llvm.call @{kernel}({arguments}) : ({types}) -> i32\n  \
             llvm.return %status : i32\n}}\nllvm.func @{kernel}({types}) -> i32{devices}"
        )
    } else {
        writeln!(
            text,
            "  llvm.call @{kernel}({arguments}) : ({types}) -> ()\n  llvm.return %done : i32\n}}\n\
             llvm.func @{kernel}({types})"
        )
    }
}

/// The buffer that is a block of prepared inputs, among those that are refused with this status if they are NULL.
fn block(signature: &Signature, status: i32) -> Option<usize> {
    match signature.prepared.as_ref()? {
        Prepared::Input(position, _) => (status == 1).then_some(*position),
        Prepared::Outputs(_) => (status == 2).then_some(0),
    }
}

/// The buffers with elements, which must not be NULL: where many follow each other, they are checked in a loop, and the others one
/// by one.
fn checked(specs: &[TensorSpec]) -> (Vec<Range<usize>>, Vec<usize>) {
    let filled: Vec<_> =
        (0..specs.len()).filter(|position| specs[*position].element_count() > 0).collect();
    let (mut long, mut few) = (Vec::new(), Vec::new());
    for run in filled.chunk_by(|one, next| one + 1 == *next) {
        match run.len() > MAX_UNROLLED_CHECKS {
            true => long.push(run[0]..run[0] + run.len()),
            false => few.extend(run),
        }
    }
    (long, few)
}

/// The kernel finds donated inputs in their outputs, also where the caller has two buffers.
fn donate(text: &mut String, signature: &Signature) -> std::fmt::Result {
    for (output, input) in &signature.donations {
        let bytes = signature.outputs[*output].byte_count();
        if bytes == 0 || strata_ir::planted("codegen-donation-apart") {
            continue;
        }
        writeln!(
            text,
            "  %apart{output} = llvm.icmp \"ne\" %inputs_{input}, %outputs_{output} : !llvm.ptr\n  \
             llvm.cond_br %apart{output}, ^copy{output}, ^together{output}\n^copy{output}:\n  \
             %bytes{output} = llvm.mlir.constant({bytes} : i64) : i64\n  \
             \"llvm.intr.memcpy\"(%outputs_{output}, %inputs_{input}, %bytes{output}) \
             <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()\n  \
             llvm.br ^together{output}\n^together{output}:"
        )?;
    }
    Ok(())
}

/// Writes checks that return a status when they fail.
pub(super) struct Checks<'t> {
    pub(super) text: &'t mut String,
    count: usize,
}

impl<'t> Checks<'t> {
    pub(super) fn new(text: &'t mut String) -> Self {
        Self { text, count: 0 }
    }

    /// One branch for all of `values`.
    pub(super) fn refuse_null(&mut self, values: &[&str], status: i32) -> std::fmt::Result {
        let number = self.count;
        let mut found = None;
        for (position, value) in values.iter().enumerate() {
            let mut is_null = format!("%null{number}_{position}");
            writeln!(self.text, "  {is_null} = llvm.icmp \"eq\" {value}, %null : !llvm.ptr")?;
            if let Some(before) = found {
                let both = format!("%null{number}_to_{position}");
                writeln!(self.text, "  {both} = llvm.or {before}, {is_null} : i1")?;
                is_null = both;
            }
            found = Some(is_null);
        }
        match found {
            Some(condition) => self.branch(&condition, status),
            None => Ok(()),
        }
    }

    /// The same for a range of an array of pointers, as a loop: LLVM takes cubic time for a condition of thousands of
    /// terms.
    fn refuse_null_among(
        &mut self,
        array: &str,
        range: Range<usize>,
        status: i32,
    ) -> std::fmt::Result {
        let number = self.count;
        writeln!(
            self.text,
            "  %first{number} = llvm.mlir.constant({} : i64) : i64\n  \
             %end{number} = llvm.mlir.constant({} : i64) : i64\n  \
             %one{number} = llvm.mlir.constant(1 : i64) : i64\n  \
             llvm.br ^look{number}(%first{number} : i64)\n\
             ^look{number}(%position{number}: i64):\n  \
             %pointer{number}_at = llvm.getelementptr {array}[%position{number}] : \
             (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr\n  \
             %pointer{number} = llvm.load %pointer{number}_at : !llvm.ptr -> !llvm.ptr\n  \
             %null{number} = llvm.icmp \"eq\" %pointer{number}, %null : !llvm.ptr",
            range.start, range.end
        )?;
        self.branch(&format!("%null{number}"), status)?;
        writeln!(
            self.text,
            "  %next{number} = llvm.add %position{number}, %one{number} : i64\n  \
             %more{number} = llvm.icmp \"ult\" %next{number}, %end{number} : i64\n  \
             llvm.cond_br %more{number}, ^look{number}(%next{number} : i64), ^all{number}\n\
             ^all{number}:"
        )
    }

    /// One branch for `value`, where a condition holds.
    pub(super) fn refuse_null_if(
        &mut self,
        condition: Option<&str>,
        value: &str,
        status: i32,
    ) -> std::fmt::Result {
        let number = self.count;
        writeln!(self.text, "  %null{number} = llvm.icmp \"eq\" {value}, %null : !llvm.ptr")?;
        self.branch_if(condition, &format!("%null{number}"), status)
    }

    pub(super) fn refuse_unaligned(&mut self, value: &str, status: i32) -> std::fmt::Result {
        self.refuse_unaligned_if(None, value, status)
    }

    /// The same where a condition holds.
    pub(super) fn refuse_unaligned_if(
        &mut self,
        condition: Option<&str>,
        value: &str,
        status: i32,
    ) -> std::fmt::Result {
        let number = self.count;
        let low_bits = WORKSPACE_ALIGNMENT - 1;
        writeln!(
            self.text,
            "  %address{number} = llvm.ptrtoint {value} : !llvm.ptr to i64\n  \
             %mask{number} = llvm.mlir.constant({low_bits} : i64) : i64\n  \
             %low{number} = llvm.and %address{number}, %mask{number} : i64\n  \
             %zero{number} = llvm.mlir.constant(0 : i64) : i64\n  \
             %unaligned{number} = llvm.icmp \"ne\" %low{number}, %zero{number} : i64"
        )?;
        self.branch_if(condition, &format!("%unaligned{number}"), status)
    }

    /// The block of prepared inputs is aligned, and where it is read it has the tag of those that the program reads.
    fn refuse_unprepared(&mut self, value: &str, signature: &Signature) -> std::fmt::Result {
        self.refuse_unaligned(value, NOT_PREPARED)?;
        let Some(Prepared::Input(_, tag)) = &signature.prepared else { return Ok(()) };
        for (at, number) in tag.iter().enumerate() {
            let count = self.count;
            writeln!(
                self.text,
                "  %tag{count}_at = llvm.getelementptr {value}[{at}] : (!llvm.ptr) -> !llvm.ptr, i64\n  \
                 %tag{count} = llvm.load %tag{count}_at : !llvm.ptr -> i64\n  \
                 %own{count} = llvm.mlir.constant({number} : i64) : i64\n  \
                 %other{count} = llvm.icmp \"ne\" %tag{count}, %own{count} : i64"
            )?;
            self.branch(&format!("%other{count}"), NOT_PREPARED)?;
        }
        Ok(())
    }

    /// Returns a status where two conditions hold, or the second one alone if there is no first.
    fn branch_if(&mut self, first: Option<&str>, second: &str, status: i32) -> std::fmt::Result {
        let Some(first) = first else { return self.branch(second, status) };
        let number = self.count;
        writeln!(self.text, "  %both{number} = llvm.and {first}, {second} : i1")?;
        self.branch(&format!("%both{number}"), status)
    }

    pub(super) fn branch(&mut self, condition: &str, status: i32) -> std::fmt::Result {
        let number = self.count;
        self.count += 1;
        writeln!(
            self.text,
            "  llvm.cond_br {condition} weights([0, 1]), ^fail{number}, ^go{number}\n\
             ^fail{number}:\n  %status{number} = llvm.mlir.constant({status} : i32) : i32\n  \
             llvm.return %status{number} : i32\n^go{number}:"
        )
    }
}
