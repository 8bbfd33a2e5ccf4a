//! Compiles the C file of the MPI provider for the standard ABI of MPI, whose library is loaded at run time.

fn main() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include/strata");
    for file in ["mpi.c", "mpi.h", "mpi_abi.h", "abi.h"] {
        println!("cargo:rerun-if-changed={folder}/{file}");
    }
    cc::Build::new()
        .file(format!("{folder}/mpi.c"))
        .define("STRATA_MPI_ABI", None)
        .flag("-std=c11")
        .flag("-fvisibility=hidden")
        .opt_level(2)
        .compile("strata_mpi_abi");
}
