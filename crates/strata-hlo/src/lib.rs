//! Stage 10: StableHLO to the core set, simplified.
#![deny(missing_docs)]
