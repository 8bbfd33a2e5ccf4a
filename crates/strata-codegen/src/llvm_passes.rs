//! The names of LLVM's passes, for suggestions, and texts that name some.

use std::borrow::Cow;

use strata_diag::{Diagnostic, codes, did_you_mean};

/// Transformations that need no arguments.
const PASSES: &[&str] = &[
    "adce",
    "aggressive-instcombine",
    "always-inline",
    "argpromotion",
    "attributor",
    "bdce",
    "chr",
    "constmerge",
    "constraint-elimination",
    "correlated-propagation",
    "dce",
    "deadargelim",
    "dfa-jump-threading",
    "div-rem-pairs",
    "dse",
    "early-cse",
    "elim-avail-extern",
    "flatten-cfg",
    "float2int",
    "function-attrs",
    "globaldce",
    "globalopt",
    "gvn",
    "gvn-hoist",
    "gvn-sink",
    "indvars",
    "infer-alignment",
    "inferattrs",
    "inline",
    "instcombine",
    "instnamer",
    "instsimplify",
    "ipsccp",
    "irce",
    "jump-threading",
    "lcssa",
    "libcalls-shrinkwrap",
    "licm",
    "load-store-vectorizer",
    "loop-data-prefetch",
    "loop-deletion",
    "loop-distribute",
    "loop-flatten",
    "loop-fusion",
    "loop-idiom",
    "loop-instsimplify",
    "loop-interchange",
    "loop-load-elim",
    "loop-predication",
    "loop-reduce",
    "loop-rotate",
    "loop-simplify",
    "loop-simplifycfg",
    "loop-sink",
    "loop-unroll",
    "loop-unroll-and-jam",
    "loop-unroll-full",
    "loop-vectorize",
    "loop-versioning",
    "loop-versioning-licm",
    "lower-expect",
    "lower-switch",
    "mem2reg",
    "memcpyopt",
    "mergefunc",
    "mergeicmps",
    "mergereturn",
    "mldst-motion",
    "nary-reassociate",
    "newgvn",
    "partially-inline-libcalls",
    "reassociate",
    "scalarizer",
    "sccp",
    "separate-const-offset-from-gep",
    "simple-loop-unswitch",
    "simplifycfg",
    "sink",
    "slp-vectorizer",
    "speculative-execution",
    "sroa",
    "strip-dead-prototypes",
    "structurizecfg",
    "tailcallelim",
    "vector-combine",
    "verify",
];

/// The pass that LLVM ends the process in where a text names it and its one round leaves something to combine. LLVM's own
/// pipelines do not ask that of it.
const COMBINING: &str = "instcombine";
const UNASKED: &str = "no-verify-fixpoint";

/// The same passes, none of which LLVM asks to leave nothing to do.
pub(crate) fn lenient(passes: &str) -> Cow<'_, str> {
    if !passes.contains(COMBINING) {
        return passes.into();
    }
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let (mut told, mut rest) = (String::new(), passes);
    while let Some(at) = rest.find(COMBINING) {
        let end = at + COMBINING.len();
        let is_pass = !rest[..at].bytes().next_back().is_some_and(is_of_name)
            && !rest[end..].bytes().next().is_some_and(is_of_name);
        told += &rest[..end];
        rest = &rest[end..];
        if !is_pass {
            continue;
        }
        match rest.strip_prefix('<').and_then(|options| options.split_once('>')) {
            // The last option counts.
            Some((options, after)) => {
                told += &format!("<{options};{UNASKED}>");
                rest = after;
            }
            None => told += &format!("<{UNASKED}>"),
        }
    }
    (told + rest).into()
}

/// The error for passes that LLVM refuses with `message`.
pub(crate) fn refused(passes: &str, message: &str) -> Diagnostic {
    let error = Diagnostic::new(codes::S0008);
    let Some(name) = unknown(message) else {
        return error.reason(format!("the passes `{passes}` failed: {message}"));
    };
    let hint = did_you_mean(name, PASSES.iter().copied()).unwrap_or_else(|| {
        "LLVM's passes go by their names there, such as `instcombine`, those over functions also as `function(NAME)`".to_owned()
    });
    error.reason(format!("LLVM has no pass `{name}`")).hint(hint)
}

/// The name in a message of LLVM that says that there is no such pass: `unknown pass name 'x'`, `unknown function pass 'x'`.
fn unknown(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("unknown ")?;
    let (kind, name) = rest.split_once('\'')?;
    let is_pass = kind.split_whitespace().any(|word| word == "pass");
    is_pass.then(|| name.strip_suffix('\'').unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use strata_options::Options;

    use super::{PASSES, lenient, refused};
    use crate::{llvmir, target};

    #[test]
    fn llvm_has_these_passes() {
        let options = Options::new(target::resolve(None, None, None).expect("a target"));
        let text = format!("target triple = \"{}\"\n", options.target.triple);
        let ir = llvmir::parse("empty.ll", text.as_bytes(), &options).expect("parses");
        for name in PASSES {
            let ran = llvmir::run_passes(&ir, name, &options);
            assert!(
                ran.is_ok(),
                "{name}: {}",
                ran.err().map(|error| error.render()).unwrap_or_default()
            );
        }
        let error = llvmir::run_passes(&ir, "instcombin", &options).expect_err("no such pass");
        assert_eq!(error.hint_text(), Some("did you mean `instcombine`?"));
    }

    #[test]
    fn combining_may_leave_something_to_do() {
        for (passes, wanted) in [
            ("gvn", "gvn"),
            ("aggressive-instcombine,sroa<modify-cfg>", "aggressive-instcombine,sroa<modify-cfg>"),
            ("instcombine", "instcombine<no-verify-fixpoint>"),
            (
                "function(instcombine,instcombined)",
                "function(instcombine<no-verify-fixpoint>,instcombined)",
            ),
            (
                "instcombine<max-iterations=2>,adce",
                "instcombine<max-iterations=2;no-verify-fixpoint>,adce",
            ),
        ] {
            assert_eq!(lenient(passes), wanted);
        }
    }

    #[test]
    fn messages_name_the_pass() {
        for kind in ["pass name", "function pass", "loop pass"] {
            let error = refused("x", &format!("unknown {kind} 'lick'"));
            assert_eq!(error.reason_text(), Some("LLVM has no pass `lick`"));
            assert_eq!(error.hint_text(), Some("did you mean `licm`?"));
        }
        let error = refused("x(", "invalid pipeline 'x('");
        assert_eq!(error.reason_text(), Some("the passes `x(` failed: invalid pipeline 'x('"));
    }
}
