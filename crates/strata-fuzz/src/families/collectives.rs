//! Programs for several devices: exchanges of all kinds one after another, in loops and branches, among random groups.

use crate::source::{Case, SMALL_FLOATS, SUB_BYTE, Source, Tensor, WIDE, combiner, join};

/// What groups are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    /// Replicas, for each partition.
    Replicas,
    /// Partitions, for each replica.
    Partitions,
    /// Replicas with all of their partitions.
    Both,
    /// Devices.
    Devices,
}

/// A program that is being written.
struct Writer<'s> {
    source: &'s mut Source,
    replicas: i64,
    partitions: i64,
    channel: i64,
    names: usize,
    text: String,
}

/// Up to four exchanges of a value.
pub fn program(source: &mut Source) -> Case {
    let element = match source.below(6) {
        0 => source.pick(&SMALL_FLOATS).to_owned(),
        1 => source.pick(&SUB_BYTE).to_owned(),
        _ => source.pick(&WIDE).to_owned(),
    };
    let rank = source.between(1, 3);
    // Sizes that several numbers of devices divide, and those that they do not.
    let shape: Vec<_> = (0..rank).map(|_| source.pick(&[1, 2, 3, 4, 5, 6, 8, 12])).collect();
    let grids = [
        (1, 1),
        (2, 1),
        (1, 2),
        (3, 1),
        (1, 4),
        (2, 2),
        (2, 3),
        (3, 2),
        (4, 2),
        (2, 4),
        (8, 1),
        (1, 5),
    ];
    let (replicas, partitions) = source.pick(&grids);
    let mut writer =
        Writer { source, replicas, partitions, channel: 0, names: 0, text: String::new() };
    let argument = Tensor::new(&shape, &element);
    let (mut value, mut ty) = ("%0".to_owned(), argument.clone());
    let mut results = Vec::new();
    for _ in 0..writer.source.between(1, 4) {
        (value, ty) = match writer.source.below(5) {
            0 => (writer.in_loop(&value, &ty), ty),
            1 => (writer.in_branch(&value, &ty), ty),
            _ => writer.exchange(&value, &ty, false),
        };
        if writer.source.once_in(3) {
            results.push((value.clone(), ty.clone()));
        }
    }
    results.push((value, ty));
    if writer.source.once_in(3) {
        for name in ["replica_id", "partition_id"] {
            let id = writer.define(&format!("stablehlo.{name} : tensor<ui32>"));
            results.push((id, Tensor::new(&[], "ui32")));
        }
    }
    let values: Vec<_> = results.iter().map(|(value, _)| value.clone()).collect();
    let types = join(&results.iter().map(|(_, ty)| ty).collect::<Vec<_>>());
    let text = format!(
        "module attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} {{\n\
         func.func public @main(%0: {argument}) -> ({types}) {{\n{}  return {} : {types}\n}}\n}}\n",
        writer.text,
        values.join(", "),
    );
    Case::exact(text)
}

impl Writer<'_> {
    fn define(&mut self, operation: &str) -> String {
        self.names += 1;
        let name = format!("%v{}", self.names);
        self.text += &format!("  {name} = {operation}\n");
        name
    }

    fn count(&self, ids: Ids) -> i64 {
        match ids {
            Ids::Replicas | Ids::Both => self.replicas,
            Ids::Partitions => self.partitions,
            Ids::Devices => self.replicas * self.partitions,
        }
    }

    /// A list of groups, and how many devices each has: the same number for all, unless `uneven`. All devices are in one, unless
    /// `partial`.
    fn groups(&mut self, ids: Ids, uneven: bool, partial: bool) -> (String, i64) {
        let count = self.count(ids);
        let order = self.source.permutation(count as usize);
        let divisors: Vec<i64> = (1..=count).filter(|size| count % size == 0).collect();
        let size = if uneven { self.source.between(1, count) } else { self.source.pick(&divisors) };
        let mut rows: Vec<Vec<i64>> = order
            .chunks(size as usize)
            .map(|row| row.iter().map(|id| *id as i64).collect())
            .collect();
        if partial && rows.len() > 1 && self.source.once_in(2) {
            rows.pop();
        }
        let members = size * if ids == Ids::Both { self.partitions } else { 1 };
        let height = rows.len();
        let row = |row: &Vec<i64>| {
            // Shorter groups are filled up.
            let all = (0..size as usize).map(|at| row.get(at).copied().unwrap_or(-1));
            format!("[{}]", join(&all.collect::<Vec<_>>()))
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        (
            format!("replica_groups = dense<[{}]> : tensor<{height}x{size}xi64>", rows.join(", ")),
            members,
        )
    }

    /// The attributes that say what groups are of.
    fn how(&mut self, ids: Ids) -> String {
        self.channel += 1;
        let channel = self.channel;
        let handle =
            format!(", channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>");
        match ids {
            Ids::Replicas => String::new(),
            Ids::Devices => format!("{handle}, use_global_device_ids"),
            _ => handle,
        }
    }

    /// One exchange, and the type of its result: that of the value if `same`.
    fn exchange(&mut self, value: &str, ty: &Tensor, same: bool) -> (String, Tensor) {
        let kind = self.source.below(if same { 4 } else { 7 });
        let mut result = ty.clone();
        let dim = self.source.below(ty.shape.len() as i64) as usize;
        // Values do not grow without an end.
        let is_large = ty.shape.iter().product::<i64>() > 2000;
        let among = [Ids::Replicas, Ids::Both, Ids::Devices];
        let operation = match kind {
            0 => {
                let ids = self.source.pick(&among);
                let (groups, _) = self.groups(ids, true, false);
                let how = self.how(ids);
                let body = combiner(self.source, std::slice::from_ref(&ty.element));
                format!("\"stablehlo.all_reduce\"({value}) {body} {{{groups}{how}}}")
            }
            1 | 2 => {
                let ids = self.source.pick(&[Ids::Replicas, Ids::Partitions]);
                let how = self.how(ids);
                if kind == 1 {
                    // Groups of a broadcast are not filled up, but may leave devices out.
                    let (groups, _) = self.groups(ids, false, true);
                    format!("\"stablehlo.collective_broadcast\"({value}) {{{groups}{how}}}")
                } else {
                    let count = self.count(ids) as usize;
                    let (from, to) =
                        (self.source.permutation(count), self.source.permutation(count));
                    let kept = self.source.between(0, count as i64) as usize;
                    let pairs: Vec<_> = from
                        .iter()
                        .zip(&to)
                        .take(kept)
                        .map(|(a, b)| (*a as i64, *b as i64))
                        .collect();
                    let pairs = crate::source::pairs(&pairs);
                    format!(
                        "\"stablehlo.collective_permute\"({value}) {{source_target_pairs = {pairs}{how}}}"
                    )
                }
            }
            3 => {
                let ids = self.source.pick(&[Ids::Replicas, Ids::Partitions]);
                let (groups, members) = self.groups(ids, false, false);
                let how = self.how(ids);
                if ty.shape[dim] % members != 0 {
                    return (value.to_owned(), result);
                }
                format!(
                    "\"stablehlo.all_to_all\"({value}) {{split_dimension = {dim} : i64, concat_dimension = {dim} : i64, split_count = {members} : i64, {groups}{how}}}"
                )
            }
            4 if !is_large => {
                let ids = self.source.pick(&among);
                let (groups, members) = self.groups(ids, false, false);
                let how = self.how(ids);
                result.shape[dim] *= members;
                format!(
                    "\"stablehlo.all_gather\"({value}) {{all_gather_dim = {dim} : i64, {groups}{how}}}"
                )
            }
            5 => {
                let ids = self.source.pick(&among);
                let (groups, members) = self.groups(ids, false, false);
                let how = self.how(ids);
                if ty.shape[dim] % members != 0 {
                    return (value.to_owned(), result);
                }
                result.shape[dim] /= members;
                let body = combiner(self.source, std::slice::from_ref(&ty.element));
                format!(
                    "\"stablehlo.reduce_scatter\"({value}) {body} {{scatter_dimension = {dim} : i64, {groups}{how}}}"
                )
            }
            6 => {
                let ids = self.source.pick(&[Ids::Replicas, Ids::Partitions]);
                let (groups, members) = self.groups(ids, false, false);
                let how = self.how(ids);
                let concat = self.source.below(ty.shape.len() as i64) as usize;
                if ty.shape[dim] % members != 0 {
                    return (value.to_owned(), result);
                }
                result.shape[dim] /= members;
                result.shape[concat] *= members;
                format!(
                    "\"stablehlo.all_to_all\"({value}) {{split_dimension = {dim} : i64, concat_dimension = {concat} : i64, split_count = {members} : i64, {groups}{how}}}"
                )
            }
            _ => return (value.to_owned(), result),
        };
        (self.define(&format!("{operation} : ({ty}) -> {result}")), result)
    }

    /// An exchange that is done as often as a constant says.
    fn in_loop(&mut self, value: &str, ty: &Tensor) -> String {
        let trips = self.source.between(0, 3);
        let constant = |number| format!("stablehlo.constant dense<{number}> : tensor<i32>");
        let zero = self.define(&constant(0));
        let one = self.define(&constant(1));
        let end = self.define(&constant(trips));
        self.names += 1;
        let own = self.names;
        self.text += &format!(
            "  %w{own}:2 = stablehlo.while(%i{own} = {zero}, %x{own} = {value}) : tensor<i32>, {ty}\n    cond {{\n  \
             %c{own} = stablehlo.compare LT, %i{own}, {end} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  \
             stablehlo.return %c{own} : tensor<i1>\n    }} do {{\n"
        );
        let (inner, _) = self.exchange(&format!("%x{own}"), ty, true);
        let next = self.define(&format!("stablehlo.add %i{own}, {one} : tensor<i32>"));
        self.text += &format!("  stablehlo.return {next}, {inner} : tensor<i32>, {ty}\n    }}\n");
        format!("%w{own}#1")
    }

    /// An exchange in one or both branches of a decision that all devices make the same way, and the compiler does not know.
    fn in_branch(&mut self, value: &str, ty: &Tensor) -> String {
        let truth = self.source.once_in(2);
        let known = self.define(&format!("stablehlo.constant dense<{truth}> : tensor<i1>"));
        let flag = self.define(&format!("stablehlo.optimization_barrier {known} : tensor<i1>"));
        self.names += 1;
        let own = self.names;
        self.text += &format!("  %b{own} = \"stablehlo.if\"({flag}) ({{\n");
        for branch in 0..2 {
            let (inner, _) = self.exchange(value, ty, true);
            self.text += &format!("  stablehlo.return {inner} : {ty}\n");
            self.text += if branch == 0 { "  }, {\n" } else { "  })" };
        }
        self.text += &format!(" : (tensor<i1>) -> {ty}\n");
        format!("%b{own}")
    }
}
