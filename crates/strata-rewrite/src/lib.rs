//! Patterns, the rewriter and the drivers that apply them; the only unsafe pattern callback.
#![deny(missing_docs)]
