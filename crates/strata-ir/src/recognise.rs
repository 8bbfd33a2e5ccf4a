//! Recognises files that are not MLIR, to report what they are and how to get the program.

mod flatbuffer;
mod protobuf;
mod text;
mod zip;

/// A recognised file that is not MLIR.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Its description: "a PNG image".
    pub what: String,
    /// The hint, if there is one.
    pub hint: Option<String>,
}

impl Foreign {
    fn new(what: impl Into<String>, hint: Option<&str>) -> Self {
        Self { what: what.into(), hint: hint.map(str::to_owned) }
    }
}

const FROM_JAX: &str = "from JAX, save `jax.jit(f).lower(x).as_text()` as text or \
                        `jax.export.export(jax.jit(f))(x).mlir_module_serialized` as bytes";
const FROM_PYTORCH: &str =
    "from PyTorch, `torch.export` and torchax's `exported_program_to_stablehlo` give StableHLO";
/// How to export the program of a TensorFlow model.
pub const FROM_TENSORFLOW: &str = "from TensorFlow, `tf.function(f, jit_compile=True).experimental_get_compiler_ir(x)\
                               (stage=\"stablehlo_serialized\")` gives StableHLO";
const FROM_KERAS: &str = "this holds a model's layers and weights, not its computation: call the model in a `tf.function` or \
                          in `jax.jit` and export that";
const FROM_LLVMIR: &str = "`--from llvmir` reads the dump of that stage";
const UNPACK: &str = "unpack it first";
const AN_ARRAY: &str =
    "arrays are passed as inputs: `--input FILE.npy`; the first argument is the program";
const ONNX: &str = "Strata does not read ONNX: export StableHLO where the model comes from; from PyTorch, `torch.export` and torchax's \
                    `exported_program_to_stablehlo` give it, from JAX `jax.jit(f).lower(x).as_text()`";
const WEIGHTS: &str =
    "weights alone are not a program: export the computation, and pass these as inputs";

/// Signatures of well-known files, their descriptions and hints.
const BEGINNINGS: &[(&[u8], &str, Option<&str>)] = &[
    (b"\x89PNG", "a PNG image", None),
    (b"\xff\xd8\xff", "a JPEG image", None),
    (b"\x1f\x8b", "compressed with gzip", Some(UNPACK)),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard", Some(UNPACK)),
    (b"BZh", "compressed with bzip2", Some(UNPACK)),
    (b"\xfd7zXZ", "compressed with xz", Some(UNPACK)),
    (b"\x89HDF\r\n", "an HDF5 file, as Keras writes them", Some(FROM_KERAS)),
    (
        b"\x7fELF",
        "an object or a program in the ELF format",
        Some("give the program that it was compiled from"),
    ),
    (b"BC\xc0\xde", "LLVM bitcode", Some(FROM_LLVMIR)),
    (b"!<arch>", "a static library", Some("give the program that it was compiled from")),
    (b"\x93NUMPY", "a NumPy array", Some(AN_ARRAY)),
    (b"GGUF", "a GGUF file, which holds weights", Some(WEIGHTS)),
    (b"%PDF", "a PDF document", None),
    (b"HloModule", "HLO text, XLA's own format", Some(FROM_JAX)),
    (b"<!DOCTYPE", "an HTML page", Some("the download returned a web page instead of the file")),
    (b"<html", "an HTML page", Some("the download returned a web page instead of the file")),
    (
        b"version https://git-lfs",
        "a Git LFS pointer, not the file itself",
        Some("`git lfs pull` fetches the file"),
    ),
    (b"; ModuleID", "LLVM IR text", Some(FROM_LLVMIR)),
    (b".file\t\"", "assembly", Some("give the program that it was compiled from")),
    (
        b"b'ML\\xef",
        "a printed Python `bytes` object",
        Some("write the bytes themselves: `open(\"model.mlirbc\", \"wb\").write(…)`"),
    ),
    (
        b"b\"ML\\xef",
        "a printed Python `bytes` object",
        Some("write the bytes themselves: `open(\"model.mlirbc\", \"wb\").write(…)`"),
    ),
    (b"TUzvU", "MLIR bytecode in Base64", Some("decode it first: `base64 -d`")),
    (
        b"\xff\xfe",
        "text in UTF-16",
        Some(
            "save it in UTF-8; PowerShell's `>` writes UTF-16, `Out-File -Encoding utf8` does not",
        ),
    ),
    (b"\xfe\xff", "text in UTF-16", Some("save it in UTF-8")),
];

/// Endings of file names, for files whose content does not tell what they are.
const ENDINGS: &[(&[&str], &str, &str)] = &[
    (&["onnx"], "an ONNX model", ONNX),
    (&["pb", "pbtxt"], "a TensorFlow graph", FROM_TENSORFLOW),
    (&["tflite", "lite"], "a TensorFlow Lite model", FROM_TENSORFLOW),
    (&["pt", "pth", "pt2", "torchscript"], "a PyTorch file", FROM_PYTORCH),
    (&["keras", "h5", "hdf5"], "a Keras model", FROM_KERAS),
    (&["safetensors", "gguf", "ggml", "msgpack"], "a file that holds weights", WEIGHTS),
    (&["npy", "npz"], "NumPy arrays", AN_ARRAY),
    (&["hlo", "hlotxt"], "HLO, XLA's own format", FROM_JAX),
];

/// What a file that cannot be read is by the ending of its name.
pub(crate) fn by_name(name: &str) -> Option<Foreign> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let found = ENDINGS.iter().find(|(endings, ..)| endings.contains(&ending.as_str()));
    found.map(|(_, what, hint)| Foreign::new(*what, Some(hint)))
}

/// Recognises well-known content that is not MLIR.
pub(crate) fn recognise(bytes: &[u8]) -> Option<Foreign> {
    let content = bytes.trim_ascii_start();
    if content.get(4..8) == Some(b"TFL3") {
        return Some(Foreign::new("a TensorFlow Lite model", Some(FROM_TENSORFLOW)));
    }
    let named = BEGINNINGS.iter().find(|(beginning, ..)| content.starts_with(beginning));
    if let Some((_, what, hint)) = named {
        return Some(Foreign::new(*what, *hint));
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Some(zip::named(bytes));
    }
    if is_pickle(bytes) {
        let hint = "save the StableHLO text or bytes themselves instead of pickling them";
        return Some(Foreign::new("a pickled Python object", Some(hint)));
    }
    if let Some(size) = bytes.first_chunk::<8>().map(|size| u64::from_le_bytes(*size))
        && bytes.get(8) == Some(&b'{')
        && size < bytes.len() as u64
    {
        return Some(Foreign::new("a safetensors file, which holds weights", Some(WEIGHTS)));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(is_binary) => text::named(text),
        _ => flatbuffer::exported(bytes).or_else(|| protobuf::named(bytes)),
    }
}

/// A character that does not occur in text.
fn is_binary(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c')
}

/// Protocols 2 to 5 begin with their number and end with a full stop.
fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, .., b'.'])
}

#[cfg(test)]
mod tests {
    use super::{by_name, recognise};

    fn what(bytes: &[u8]) -> String {
        recognise(bytes).map(|found| found.what).unwrap_or_default()
    }

    #[test]
    fn well_known_files_are_named() {
        assert_eq!(what(b"\x89PNG\r\n\x1a\n"), "a PNG image");
        assert!(what(b"\nHloModule m\n").starts_with("HLO text"));
        assert_eq!(what(b"\x1c\0\0\0TFL3"), "a TensorFlow Lite model");
        assert_eq!(what(b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x8c\x01a."), "a pickled Python object");
        assert!(what(b"\x02\0\0\0\0\0\0\0{}").starts_with("a safetensors file"));
        assert!(what(b"\xff\xfem\0o\0").contains("UTF-16"));
        assert!(by_name("net.ONNX").is_some_and(|found| found.what == "an ONNX model"));
        assert_eq!(by_name("net.mlir"), None);
        for mlir in [&b"module {}"[..], b"ML\xefR\x00", b"// text", b"", b"#loc = loc(unknown)\n"] {
            assert_eq!(recognise(mlir), None);
        }
    }
}
