//! What the artifact says beside its bytes.

use std::{collections::BTreeSet, sync::Arc};

use strata_codegen::{Pieces, Weights, cxx, header, open::wrappers, rust};
use strata_diag::{Diagnostic, Diagnostics, Severity, codes, did_you_mean};
use strata_ir::{
    AttributeExt as _, Convention, Devices, Module, Op, Signature, WORKSPACE_SIZE, WalkOrder,
    communicates, diagnostic_at, external_calls, is_split, marked_entry, module_op,
};
use strata_options::Options;
use strata_shapes::Specializations;

use super::End;
use crate::{artifact::Artifact, stage::Stage};

/// Metadata of the artifact, collected from the stages that have it.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) signature: Option<Signature>,
    pub(crate) workspace_size: Option<u64>,
    pub(super) weights: Option<Arc<Weights>>,
    pub(crate) foreign: BTreeSet<(String, Convention)>,
    pub(crate) warnings: Diagnostics,
    /// The sizes that there is code for, if shapes are dynamic.
    pub(crate) specializations: Option<Specializations>,
    /// How many origins lines of debug information stand for, where an observer wants to know.
    pub(crate) origins: usize,
}

impl Facts {
    /// Warnings about a program before it is compiled.
    pub(super) fn look_at(&mut self, module: &Module<'_>) {
        let root = module_op(module);
        let Devices { replicas, partitions } = Devices::of(root);
        let is_alone = || {
            let splits = is_split(module) || strata_sharding::gspmd::splits(module);
            root.collect(communicates).is_empty() && !splits
        };
        if (replicas > 1 || partitions > 1) && is_alone() {
            let counted = |count: i64, what: &str| match count {
                1 => format!("1 {what}"),
                _ => format!("{count} {what}s"),
            };
            let (replicas, partitions) =
                (counted(replicas, "replica"), counted(partitions, "partition"));
            self.warnings.push(
                diagnostic_at(codes::S1105, root)
                    .with_severity(Severity::Warning)
                    .reason(format!("it declares {replicas} and {partitions}"))
                    .hint("call the object once per device, with whole inputs"),
            );
        }
        root.walk(WalkOrder::Pre, &mut |op| self.look_at_attributes(op));
    }

    /// Unknown attributes whose names are close to one that the operation defines: MLIR keeps them silently.
    fn look_at_attributes(&mut self, op: Op<'_>) {
        let known = op.kind().definition().attributes;
        if known.is_empty() {
            return;
        }
        for (name, _) in op.discardable_attrs() {
            let is_own = name.contains('.') || known.contains(&name);
            let Some(hint) = (!is_own).then(|| did_you_mean(name, known.iter().copied())).flatten()
            else {
                continue;
            };
            self.warnings.push(
                diagnostic_at(codes::S1017, op)
                    .with_severity(Severity::Warning)
                    .reason(format!("`{}` has no attribute `{name}`", op.name()))
                    .hint(hint),
            );
        }
    }

    /// Attributes may be absent because an earlier stage does not set them.
    pub(super) fn gather(&mut self, module: &Module<'_>) {
        let Ok(entry) = marked_entry(module) else { return };
        if let Ok(signature) = Signature::of(entry) {
            self.signature = Some(signature);
        }
        let size = entry.attr(WORKSPACE_SIZE).and_then(|size| size.as_i64());
        if let Some(size) = size.and_then(|size| u64::try_from(size).ok()) {
            self.workspace_size = Some(size);
        }
        if let Ok(Some(all)) = Specializations::of(module) {
            self.specializations = Some(all);
        }
        if let Ok(calls) = external_calls(module) {
            self.foreign = calls.into_iter().map(|call| (call.target, call.convention)).collect();
        }
    }

    /// With the warnings about a program that was read before.
    pub(super) fn with_warnings(self, before: Self) -> Self {
        Self { warnings: before.warnings, ..self }
    }

    /// The C header, the Rust module and the C++ header; `None` where nothing is known of an entry.
    ///
    /// # Errors
    /// As those who write them.
    pub(crate) fn headers(
        &self,
        workspace_size: u64,
        options: &Options,
    ) -> Result<Option<[String; 3]>, Diagnostic> {
        let Some(signature) = &self.signature else { return Ok(None) };
        let foreign: Vec<_> = self.foreign.iter().cloned().collect();
        Ok(Some(match &self.specializations {
            Some(all) => [
                wrappers::c_header(all, signature, workspace_size, options)?,
                wrappers::rust_module(all, signature, workspace_size, options)?,
                wrappers::cxx_header(all, signature, workspace_size, options)?,
            ],
            None => [
                header::c_header(signature, workspace_size, &foreign, options)?,
                rust::rust_module(signature, workspace_size, &foreign, options)?,
                cxx::cxx_header(signature, workspace_size, &foreign, options)?,
            ],
        }))
    }

    fn artifact(
        self,
        stage: Stage,
        bytes: Pieces,
        options: &Options,
    ) -> Result<Artifact, Diagnostic> {
        // Code that is not kept has none.
        let headers = match self.workspace_size.filter(|_| !options.in_process) {
            Some(size) => self.headers(size, options)?,
            None => None,
        };
        let [header, rust, cxx] = headers.map_or_else(Default::default, |all| all.map(Some));
        let foreign: Vec<_> = self.foreign.into_iter().collect();
        Ok(Artifact {
            stage,
            bytes,
            signature: self.signature,
            workspace_size: self.workspace_size,
            foreign,
            header,
            weights: self.weights,
            rust,
            cxx,
            warnings: self.warnings,
            signatures: Vec::new(),
            program: None,
        })
    }
}

/// The artifact of one program.
pub(super) fn finished(
    stage: Stage,
    end: End<'_>,
    facts: Facts,
    options: &Options,
) -> Result<Artifact, Diagnostics> {
    let bytes = match end {
        End::Emitted(bytes) => bytes,
        End::State(state) => state.text(options).into_bytes().into(),
    };
    Ok(facts.artifact(stage, bytes, options)?)
}
