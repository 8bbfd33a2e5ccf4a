//! The library exports functions of its own alone, and its own calls stay inside of it: its client has another LLVM in the same
//! process. The build's identifier tells whose executables a library may load.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in ["-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic", "-Wl,--build-id=sha1"] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
