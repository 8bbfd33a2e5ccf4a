//! Stage 20: StableHLO to linalg on tensors.
#![deny(missing_docs)]
