//! Exchanges that may be under way while the program goes on. An executor that cannot do that does them where they begin, as others.

use std::fmt::Write as _;

use super::{DEVICES, EXCHANGES, FIRST_EXCHANGE, HOST_FIELDS, Writer};

/// The position of `start` in `strata_collectives`, which `wait` and `abandon` follow.
const START: i64 = FIRST_EXCHANGE + EXCHANGES.len() as i64;

/// The function that ends what is under way when the program leaves early.
pub(in crate::llvm) const ABANDON: &str = "strata.abandon";

/// The function [`ABANDON`].
pub(in crate::llvm) fn abandon() -> String {
    format!(
        "llvm.func @{DEVICES}(!llvm.ptr) -> i32\n\
         llvm.func internal @{ABANDON}(%executor: !llvm.ptr) {{\n  \
         %ok = llvm.mlir.constant(0 : i32) : i32\n  \
         %null = llvm.mlir.zero : !llvm.ptr\n  \
         %devices = llvm.call @{DEVICES}(%executor) : (!llvm.ptr) -> i32\n  \
         %refused = llvm.icmp \"ne\" %devices, %ok : i32\n  \
         llvm.cond_br %refused, ^done, ^offered\n^offered:\n  \
         %host_at = llvm.getelementptr %executor[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
         %host = llvm.load %host_at : !llvm.ptr -> !llvm.ptr\n  \
         %all_at = llvm.getelementptr %host[{}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
         %all = llvm.load %all_at : !llvm.ptr -> !llvm.ptr\n  \
         %size = llvm.load %all : !llvm.ptr -> i64\n\
         {}  llvm.call %abandon(%own_context) : !llvm.ptr, (!llvm.ptr) -> ()\n  \
         llvm.br ^done\n^done:\n  llvm.return\n}}\n",
        HOST_FIELDS - 1,
        function_of("abandon", START + 2, "done")
    )
}

/// Gets `%name`, the function in field `field` of `%all`, and `%own_context`, or goes to `otherwise` where there is no `start`.
fn function_of(name: &str, field: i64, otherwise: &str) -> String {
    let load = |name: &str, field: i64| {
        format!(
            "  %{name}_at = llvm.getelementptr %all[{field}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %{name} = llvm.load %{name}_at : !llvm.ptr -> !llvm.ptr\n"
        )
    };
    format!(
        "  %fields = llvm.mlir.constant({} : i64) : i64\n  \
         %is_older = llvm.icmp \"ult\" %size, %fields : i64\n  \
         llvm.cond_br %is_older, ^{otherwise}, ^newer\n^newer:\n\
         {}  %no_start = llvm.icmp \"eq\" %first, %null : !llvm.ptr\n  \
         llvm.cond_br %no_start, ^{otherwise}, ^overlaps\n^overlaps:\n{}{}",
        8 * (START + 3),
        load("first", START),
        load(name, field),
        load("own_context", 1)
    )
}

impl Writer<'_, '_> {
    /// Begins the exchange if the executor can, and goes on otherwise.
    pub(super) fn start(&mut self, position: usize, count: u64) -> std::fmt::Result {
        let (input, output) = (self.input(0), self.output(0));
        writeln!(
            self.body,
            "{}  %kind = llvm.mlir.constant({} : i32) : i32\n  \
             %begun_count = llvm.mlir.constant({count} : i64) : i64\n  \
             %begun_what = llvm.mlir.addressof @{}.what : !llvm.ptr\n  \
             %begun = llvm.call %start(%own_context, %kind, %begun_what, %begun_count, {input}, {output}) : \
             !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32\n  \
             llvm.return %begun : i32\n^now:",
            function_of("start", START, "now"),
            position + 1,
            self.name
        )
    }

    /// Waits for what was begun, if something was.
    pub(super) fn wait(&mut self) -> std::fmt::Result {
        let (input, output) = (self.input(0), self.output(0));
        writeln!(
            self.body,
            "  %size = llvm.load %all : !llvm.ptr -> i64\n{}  \
             %status = llvm.call %wait(%own_context, {input}, {output}) : \
             !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32\n  \
             llvm.return %status : i32\n^done:\n  llvm.return %ok : i32",
            function_of("wait", START + 1, "done")
        )
    }
}
