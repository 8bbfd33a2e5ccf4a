//! The calls of the library stay inside of it: its client has another LLVM in the same process. The build's identifier tells
//! whose executables a library may load.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in ["-Wl,-Bsymbolic", "-Wl,--build-id=sha1"] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
