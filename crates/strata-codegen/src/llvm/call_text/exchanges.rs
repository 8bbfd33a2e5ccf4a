//! Exchanges with other devices: the check that the executor offers them, and calls of its functions.
//!
//! Those that may be under way while the program goes on are in `overlap.rs`.

mod overlap;

use std::fmt::Write as _;

use strata_ir::{Devices, Exchange, Phase, RAGGED_ALL_TO_ALL, TensorSpec};

pub(in crate::llvm) use overlap::{ABANDON, abandon};

use super::Writer;
use crate::{
    abi::{COLLECTIVE_SIZE, NO_COLLECTIVES, REDUCTIONS, WRONG_DEVICES, element_code},
    llvm::tables::Fields,
};

const COLLECTIVE: &str =
    "!llvm.struct<(i64, i64, ptr, i64, i64, ptr, ptr, i32, i32, i32, i32, ptr)>";

/// The function that checks that the executor offers the devices that the program is for, and returns the status if not.
pub(in crate::llvm) const DEVICES: &str = "strata.devices";

/// The function [`DEVICES`].
pub(in crate::llvm) fn devices(devices: Devices) -> String {
    let Devices { replicas, partitions } = devices;
    let field = |name: &str, base: &str, index: i64, ty: &str| {
        format!(
            "  %{name}_at = llvm.getelementptr {base}[{index}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %{name} = llvm.load %{name}_at : !llvm.ptr -> {ty}\n"
        )
    };
    let unless_null = |name: &str, value: &str, next: &str| {
        format!(
            "  %no_{name} = llvm.icmp \"eq\" {value}, %null : !llvm.ptr\n  \
             llvm.cond_br %no_{name}, ^none, ^{next}\n^{next}:\n"
        )
    };
    let unless_short = |name: &str, fields: i64, next: &str| {
        format!(
            "  %{name}_needed = llvm.mlir.constant({} : i64) : i64\n  \
             %{name}_short = llvm.icmp \"ult\" %{name}_size, %{name}_needed : i64\n  \
             llvm.cond_br %{name}_short, ^none, ^{next}\n^{next}:\n",
            8 * fields
        )
    };
    let mut text = format!(
        "llvm.func internal @{DEVICES}(%executor: !llvm.ptr) -> i32 {{\n  \
         %null = llvm.mlir.zero : !llvm.ptr\n  \
         %ok = llvm.mlir.constant(0 : i32) : i32\n  \
         %lacking = llvm.mlir.constant({NO_COLLECTIVES} : i32) : i32\n  \
         %different = llvm.mlir.constant({WRONG_DEVICES} : i32) : i32\n  \
         %replicas = llvm.mlir.constant({replicas} : i64) : i64\n  \
         %partitions = llvm.mlir.constant({partitions} : i64) : i64\n"
    );
    text += &unless_null("executor", "%executor", "executor");
    text += &field("host", "%executor", 3, "!llvm.ptr");
    text += &unless_null("host", "%host", "host");
    text += &field("host_size", "%host", 0, "i64");
    text += &unless_short("host", HOST_FIELDS, "long_host");
    text += &field("collectives", "%host", HOST_FIELDS - 1, "!llvm.ptr");
    text += &unless_null("collectives", "%collectives", "collectives");
    text += &field("collectives_size", "%collectives", 0, "i64");
    text += &unless_short("collectives", FIRST_EXCHANGE, "long_collectives");
    text += &field("replica_count", "%collectives", 2, "i64");
    text += &field("partition_count", "%collectives", 3, "i64");
    text += "  %same_replicas = llvm.icmp \"eq\" %replica_count, %replicas : i64\n  \
             %same_partitions = llvm.icmp \"eq\" %partition_count, %partitions : i64\n  \
             %same = llvm.and %same_replicas, %same_partitions : i1\n  \
             %status = llvm.select %same, %ok, %different : i1, i32\n  \
             llvm.return %status : i32\n^none:\n  llvm.return %lacking : i32\n}\n";
    text
}

/// Pointers and sizes in `strata_host` up to the devices.
const HOST_FIELDS: i64 = 7;

/// The position of the first function in `strata_collectives`: after its size, context, counts and numbers.
const FIRST_EXCHANGE: i64 = 6;

/// The functions of `strata_collectives` in order.
const EXCHANGES: [&str; 9] = [
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "collective_permute",
    "collective_broadcast",
    "send",
    "recv",
    RAGGED_ALL_TO_ALL,
];

/// Pointers and sizes in `strata_ragged`.
const RAGGED_FIELDS: i64 = 10;

impl Writer<'_, '_> {
    /// Gets the function of the devices from the executor; without one the program ends.
    pub(super) fn collective(&mut self, exchange: &Exchange) -> std::fmt::Result {
        writeln!(
            self.body,
            "  %null = llvm.mlir.zero : !llvm.ptr\n  \
             %lacking = llvm.mlir.constant({NO_COLLECTIVES} : i32) : i32\n  \
             %devices = llvm.call @{DEVICES}(%executor) : (!llvm.ptr) -> i32\n  \
             %refused = llvm.icmp \"ne\" %devices, %ok : i32\n  \
             llvm.cond_br %refused, ^refused, ^offered\n\
             ^refused:\n  llvm.return %devices : i32\n^offered:\n  \
             %host_at = llvm.getelementptr %executor[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %host = llvm.load %host_at : !llvm.ptr -> !llvm.ptr\n  \
             %all_at = llvm.getelementptr %host[{}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %all = llvm.load %all_at : !llvm.ptr -> !llvm.ptr",
            HOST_FIELDS - 1
        )?;
        let target = self.call.target.as_str();
        let Some(position) = EXCHANGES.iter().position(|name| *name == target) else {
            let field = if target == "replica_id" { 4 } else { 5 };
            return writeln!(
                self.body,
                "  %number_at = llvm.getelementptr %all[{field}] : (!llvm.ptr) -> !llvm.ptr, i64\n  \
                 %number = llvm.load %number_at : !llvm.ptr -> i64\n  \
                 %id = llvm.trunc %number : i64 to i32\n  \
                 llvm.store %id, {} : i32, !llvm.ptr\n  llvm.return %ok : i32",
                self.output(0)
            );
        };
        if matches!(exchange.phase, Some((Phase::Wait, _))) {
            return self.wait();
        }
        let field = FIRST_EXCHANGE + position as i64;
        // Of ragged rows there is no number that all exchange.
        let count = match target {
            RAGGED_ALL_TO_ALL => None,
            _ => Some(self.parts(exchange)),
        };
        self.description(exchange)?;
        let (data, types) = match target {
            RAGGED_ALL_TO_ALL => {
                self.ragged(exchange)?;
                ("%rows".to_owned(), "!llvm.ptr, !llvm.ptr, !llvm.ptr")
            }
            "send" => (self.input(0), "!llvm.ptr, !llvm.ptr, i64, !llvm.ptr"),
            "recv" => (self.output(0), "!llvm.ptr, !llvm.ptr, i64, !llvm.ptr"),
            _ => (
                format!("{}, {}", self.input(0), self.output(0)),
                "!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr",
            ),
        };
        let (counted, passed) = match count {
            None => (String::new(), ""),
            Some(count) => {
                (format!("%count = llvm.mlir.constant({count} : i64) : i64\n  "), "%count, ")
            }
        };
        writeln!(self.body, "  %size = llvm.load %all : !llvm.ptr -> i64")?;
        if let (Some((Phase::Start, _)), Some(count)) = (exchange.phase, count) {
            self.start(position, count)?;
        }
        writeln!(
            self.body,
            "  %needed = llvm.mlir.constant({} : i64) : i64\n  \
             %short = llvm.icmp \"ult\" %size, %needed : i64\n  \
             llvm.cond_br %short, ^none, ^long\n^long:\n  \
             %context_at = llvm.getelementptr %all[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %context = llvm.load %context_at : !llvm.ptr -> !llvm.ptr\n  \
             %function_at = llvm.getelementptr %all[{field}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %function = llvm.load %function_at : !llvm.ptr -> !llvm.ptr\n  \
             %unset = llvm.icmp \"eq\" %function, %null : !llvm.ptr\n  \
             llvm.cond_br %unset, ^none, ^there\n^there:\n  \
             {counted}%what = llvm.mlir.addressof @{}.what : !llvm.ptr\n  \
             %status = llvm.call %function(%context, %what, {passed}{data}) : !llvm.ptr, ({types}) -> i32\n  \
             llvm.return %status : i32\n^none:\n  llvm.return %lacking : i32",
            8 * (field + 1),
            self.name
        )
    }

    /// The structure that says which rows go where, `%rows`, on the stack.
    fn ragged(&mut self, exchange: &Exchange) -> std::fmt::Result {
        let members = exchange.groups.first().map_or(1, Vec::len).max(1) as u64;
        let specs = &self.call.inputs;
        let rows = |at: usize| specs.get(at).and_then(|spec| spec.shape.first()).copied();
        let count = |at: usize| specs.get(at).map_or(0, TensorSpec::element_count);
        let (input_rows, output_rows) = (rows(0).unwrap_or(0), rows(1).unwrap_or(0));
        let row_size = count(0) / input_rows.max(1);
        let updates = count(2) / members;
        let numbers = [
            8 * RAGGED_FIELDS,
            row_size as i64,
            input_rows as i64,
            output_rows as i64,
            updates as i64,
        ];
        writeln!(
            self.body,
            "  %rows = llvm.alloca %one x !llvm.array<{RAGGED_FIELDS} x i64> : (i64) -> !llvm.ptr"
        )?;
        let mut fields = Vec::new();
        for (at, number) in numbers.into_iter().enumerate() {
            writeln!(self.body, "  %number{at} = llvm.mlir.constant({number} : i64) : i64")?;
            fields.push((format!("%number{at}"), "i64"));
        }
        let pointers = [self.input(2), self.input(3), self.input(4), self.input(0), self.output(0)];
        fields.extend(pointers.map(|pointer| (pointer, "!llvm.ptr")));
        for (at, (value, ty)) in fields.into_iter().enumerate() {
            writeln!(
                self.body,
                "  %rows_{at} = llvm.getelementptr %rows[{at}] : (!llvm.ptr) -> !llvm.ptr, i64\n  \
                 llvm.store {value}, %rows_{at} : {ty}, !llvm.ptr"
            )?;
        }
        Ok(())
    }

    /// The number of elements that the function is told: where a buffer has a part for each member, those of a part.
    fn parts(&self, exchange: &Exchange) -> u64 {
        let members = exchange.groups.first().map_or(1, Vec::len).max(1) as u64;
        let elements = |specs: &[TensorSpec]| specs.first().map_or(0, TensorSpec::element_count);
        match self.call.target.as_str() {
            "reduce_scatter" | "recv" => elements(&self.call.outputs),
            "all_to_all" => elements(&self.call.inputs) / members,
            _ => elements(&self.call.inputs),
        }
    }

    /// The constant that says what is exchanged.
    fn description(&mut self, exchange: &Exchange) -> std::fmt::Result {
        let spec = self.call.inputs.first().or(self.call.outputs.first());
        let (code, size) =
            spec.map_or((0, 0), |spec| (element_code(spec.element), spec.element.byte_width()));
        let words =
            |numbers: Vec<i64>| numbers.into_iter().flat_map(i64::to_le_bytes).collect::<Vec<_>>();
        let mut ends = vec![0];
        for group in &exchange.groups {
            ends.push(ends.last().copied().unwrap_or(0) + group.len() as i64);
        }
        let starts = self.bytes("starts", &words(ends))?;
        let members: Vec<_> = exchange.groups.concat();
        let members = match members.is_empty() {
            true => None,
            false => Some(self.bytes("members", &words(members))?),
        };
        let operation = self.bytes("operation", &[self.call.target.as_bytes(), b"\0"].concat())?;
        let combine = match (&exchange.reduction, self.combined) {
            (Some((_, function)), Some(ty)) => Some(self.combining(function, ty)?),
            _ => None,
        };
        let reduction = exchange.reduction.as_ref().map(|(kind, _)| *kind);
        let reduction = REDUCTIONS.iter().find(|(kind, ..)| Some(*kind) == reduction);
        let global = format!("{}.what", self.name);
        writeln!(
            self.constants,
            "llvm.mlir.global private constant @{global}() : {COLLECTIVE} {{"
        )?;
        let mut fields = Fields::named(&mut self.constants, COLLECTIVE, "%w")?;
        fields.constant("i64", COLLECTIVE_SIZE)?;
        fields.constant("i64", exchange.program)?;
        fields.address(Some(&operation))?;
        fields.constant("i64", self.call.channel)?;
        fields.constant("i64", exchange.groups.len() as i64)?;
        fields.address(Some(&starts))?;
        fields.address(members.as_deref())?;
        fields.constant("i32", i64::from(code))?;
        fields.constant("i32", size as i64)?;
        fields.constant("i32", reduction.map_or(0, |(.., code)| i64::from(*code)))?;
        fields.constant("i32", 0)?;
        fields.address(combine.as_deref())?;
        let value = fields.value;
        writeln!(self.constants, "  llvm.return {value} : {COLLECTIVE}\n}}")
    }

    /// The loop over elements that `function` combines, which takes values of type `ty`. Its accesses are parallel, so that LLVM
    /// uses vectors even where the result overwrites an operand.
    fn combining(&mut self, function: &str, ty: &str) -> Result<String, std::fmt::Error> {
        let symbol = format!("{}.combine", self.name);
        // A boolean takes a byte.
        let stored = if ty == "i1" { "i8" } else { ty };
        let (narrow, widen, value) = match ty == "i1" {
            false => (String::new(), String::new(), ["%x", "%y", "%z"]),
            true => (
                "  %xb = llvm.trunc %x : i8 to i1\n  %yb = llvm.trunc %y : i8 to i1\n".to_owned(),
                "  %zb = llvm.zext %z : i1 to i8\n".to_owned(),
                ["%xb", "%yb", "%zb"],
            ),
        };
        let [x, y, z] = value;
        let group = "#llvm.access_group<id = distinct[0]<>>";
        let access = format!("{{access_groups = [{group}]}}");
        let at = |name: &str, base: &str| {
            format!(
                "  %{name}_at = llvm.getelementptr %{base}[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {stored}\n"
            )
        };
        let load = |name: &str, base: &str| {
            at(name, base)
                + &format!("  %{name} = llvm.load %{name}_at {access} : !llvm.ptr -> {stored}\n")
        };
        writeln!(
            self.constants,
            "llvm.func @{function}({ty}, {ty}) -> {ty}\n\
             llvm.func internal @{symbol}(%lhs: !llvm.ptr, %rhs: !llvm.ptr, %result: !llvm.ptr, %count: i64) {{\n  \
             %zero = llvm.mlir.constant(0 : i64) : i64\n  %one = llvm.mlir.constant(1 : i64) : i64\n  \
             llvm.br ^test(%zero : i64)\n^test(%i: i64):\n  \
             %more = llvm.icmp \"slt\" %i, %count : i64\n  llvm.cond_br %more, ^next, ^end\n^next:\n\
             {}{}{narrow}  %z = llvm.call @{function}({x}, {y}) : ({ty}, {ty}) -> {ty}\n{widen}\
             {}  llvm.store {z}, %result_at {access} : {stored}, !llvm.ptr\n  \
             %j = llvm.add %i, %one : i64\n  \
             llvm.br ^test(%j : i64) {{loop_annotation = #llvm.loop_annotation<parallelAccesses = {group}>}}\n\
             ^end:\n  llvm.return\n}}",
            load("x", "lhs"),
            load("y", "rhs"),
            at("result", "result")
        )?;
        Ok(symbol)
    }
}
