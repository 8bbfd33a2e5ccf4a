//! Benchmarks. They are run by hand, never as tests.
fn main() {}
