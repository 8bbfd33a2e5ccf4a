//! The library exports `GetPjrtApi` alone, and its own calls stay inside of it: its client has another LLVM in the same process.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in ["-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic"] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
