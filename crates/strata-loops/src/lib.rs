//! Stages 40 and 50: buffers, affine loops, vectors.
#![deny(missing_docs)]
