//! `.npy` files in and out of `strata run` and `strata eval`.

use std::fs;
use std::path::Path;

use crate::cli::folder;
use crate::command::strata;

/// A file in NumPy's format, written by hand so that it can be wrong.
pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).expect("a short header").to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn write(folder: &Path, name: &str, values: &[f32]) {
    let file = npy("<f4", &format!("({},)", values.len()), &floats(values));
    fs::write(folder.join(name), file).expect("written");
}

#[test]
fn compiled_and_evaluated_results_are_printed_alike() {
    let here = folder();
    write(here.path(), "a.npy", &[1.0, -2.0, 0.5]);
    write(here.path(), "b.npy", &[10.0, 20.0, f32::INFINITY]);
    for command in ["run", "eval"] {
        let arguments = [command, "sum.mlir", "--input", "a.npy", "--input", "b.npy"];
        let ended = strata(here.path(), &arguments).succeeded();
        assert_eq!(ended.text(), "output 0: tensor<3xf32>\n[11.0, 18.0, inf]\n", "{command}");
    }
}

#[test]
fn outputs_are_files_that_numpy_reads() {
    let here = folder();
    write(here.path(), "a.npy", &[1.0, 2.0, 3.0]);
    for command in ["run", "eval"] {
        let arguments =
            [command, "sum.mlir", "--input=a.npy", "--input=a.npy", "--output-dir", command];
        strata(here.path(), &arguments).succeeded();
        let file = fs::read(here.path().join(command).join("output0.npy")).expect("read");
        let array = npyz::NpyFile::new(&file[..]).expect("a .npy file");
        assert_eq!(array.shape(), [3]);
        let values: Vec<f32> = array.into_vec().expect("floats");
        assert_eq!(values, [2.0, 4.0, 6.0], "{command}");
    }
}

#[test]
fn every_element_type_goes_through() {
    let here = tempfile::tempdir().expect("a temporary folder");
    for (ty, descr, data, shown) in [
        ("i1", "|b1", &[1][..], "true"),
        ("i8", "|i1", &[0xff], "-1"),
        ("ui8", "|u1", &[0xff], "255"),
        ("i16", "<i2", &[0, 0x80], "-32768"),
        ("ui32", "<u4", &[0xff; 4], "4294967295"),
        ("i64", ">i8", &[0, 0, 0, 0, 0, 0, 0, 5], "5"),
        ("bf16", "<V2", &[0xc0, 0x3f], "1.5"),
        ("f16", "<f2", &[0, 0x3e], "1.5"),
        ("f64", "<f8", &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f], "1.5"),
        ("complex<f32>", "<c8", &[0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80], "(1.5, -0.0)"),
    ] {
        let program = format!(
            "func.func public @main(%a: tensor<1x{ty}>) -> tensor<1x{ty}> {{\n  \
             return %a : tensor<1x{ty}>\n}}\n"
        );
        fs::write(here.path().join("same.mlir"), program).expect("written");
        fs::write(here.path().join("a.npy"), npy(descr, "(1,)", data)).expect("written");
        for command in ["run", "eval"] {
            let ended = strata(here.path(), &[command, "same.mlir", "--input", "a.npy"]);
            let text = format!("output 0: tensor<1x{ty}>\n[{shown}]\n");
            assert_eq!(ended.succeeded().text(), text, "{command}");
        }
    }
}

#[test]
fn a_damaged_array_leaves_no_output() {
    let here = folder();
    write(here.path(), "a.npy", &[1.0, 2.0, 3.0]);
    let whole = fs::read(here.path().join("a.npy")).expect("read");
    for (name, bytes) in [
        ("empty", &[][..]),
        ("header", &whole[..20]),
        ("short", &whole[..whole.len() - 1]),
        ("text", b"1 2 3\n"),
    ] {
        fs::write(here.path().join("b.npy"), bytes).expect("written");
        let arguments =
            ["run", "sum.mlir", "--input", "a.npy", "--input", "b.npy", "--output-dir", "out"];
        let ended = strata(here.path(), &arguments);
        assert_eq!(ended.code, 2, "{name}: {}", ended.stderr);
        assert!(ended.stderr.contains("error[S1804]"), "{name}: {}", ended.stderr);
        assert!(!here.path().join("out").exists(), "{name}");
    }
}
