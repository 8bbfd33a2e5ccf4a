//! The profile as JSON, which `strata explore --profile` reads. docs/guide/profile.md describes the keys.

use serde_json::{Value, json};

use crate::{
    limits::Limits,
    report::{Profile, Row},
};

impl Profile {
    /// All of it. Its keys are stable; later versions may add others.
    pub fn json(&self) -> Value {
        let index = &self.facts.index;
        let all = self.counts.inside as f64;
        json!({
            "kind": "strata profile",
            "format": 1,
            "compiler": index["compiler"],
            "program": self.program,
            "entry": self.entry,
            "target": index["target"],
            "code": index["code"],
            "inputs": index["inputs"],
            "method": self.how,
            "refused": self.refused,
            "samples": {
                "program": self.counts.inside,
                "elsewhere": self.counts.outside,
                "called": self.counts.called,
                "unknown": self.counts.unknown,
                "nest_only": self.counts.nest_only,
                "lost": self.counts.lost,
            },
            "run": self.run.map(|run| json!({
                "threads": run.threads,
                "devices": run.devices,
                "waiting": run.waiting,
                "calls": run.calls,
                "frequency": run.frequency,
                "seconds": run.seconds,
                "seconds_without_samples": run.undisturbed,
                "overhead": run.overhead(),
                "processor_seconds": run.processor,
                "processor_share": run.processor_share,
            })),
            "limits": self.limits.as_ref().map(Limits::json),
            "operations": self.operations.iter().map(|row| {
                let one = &index["operations"][row.key];
                let mut object = self.row(row);
                object["operation"] = row.key.into();
                for key in ["name", "label", "frames"] {
                    object[key] = one[key].clone();
                }
                object["nests"] = self.nests_of(row.key).into();
                object
            }).collect::<Vec<_>>(),
            "lines": self.lines.iter().map(|row| {
                let mut object = self.row(row);
                object["file"] = row.key.file.as_str().into();
                object["line"] = row.key.line.into();
                object
            }).collect::<Vec<_>>(),
            "nests": self.nests.iter().map(|row| {
                let mut object = self.row(row);
                object["nest"] = row.key.into();
                object["name"] = self.nest_name(row.key).into();
                object["schedule"] = index["nests"][row.key]["schedule"].clone();
                object
            }).collect::<Vec<_>>(),
            "assembly": self.assembly.iter().map(|(line, samples)| {
                json!([line, *samples as f64 / all])
            }).collect::<Vec<_>>(),
            "memory": {
                "workspace_bytes": self.facts.workspace,
                "peak_bytes": self.memory.iter().map(|step| step.bytes).max(),
                "steps": self.memory.iter().map(|step| json!({
                    "share": step.share,
                    "bytes": step.bytes,
                    "nest": step.nest,
                    "operation": step.operation,
                })).collect::<Vec<_>>(),
            },
            "stacks": self.stacks,
        })
    }

    fn row<K>(&self, row: &Row<K>) -> Value {
        let threads = self.run.map_or(1, |run| run.threads);
        let of_limit = self.limits.as_ref().and_then(|limits| row.of_limit(limits, threads));
        json!({
            "share": row.share,
            "split": row.split,
            "error": row.error,
            "seconds": row.seconds,
            "flops": row.cost.flops,
            "transcendentals": row.cost.transcendentals,
            "bytes": row.cost.bytes,
            "flops_per_second": row.rate(row.cost.flops),
            "bytes_per_second": row.rate(row.cost.bytes),
            "share_of_limit": of_limit.map(|(share, _)| share),
            "limit": of_limit.map(|(_, is_arithmetic)| if is_arithmetic { "arithmetic" } else { "memory" }),
        })
    }
}
