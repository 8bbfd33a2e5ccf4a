//! Recognising what is no MLIR, to say what it is instead.

/// How well-known files begin, and what to call them.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"PK\x03\x04", "a ZIP archive, as PyTorch, Keras and NumPy (.npz) write them"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ", "compressed with xz"),
    (b"\x89HDF\r\n", "an HDF5 file, as Keras writes them"),
    (b"\x7fELF", "an object or a program in the ELF format"),
    (b"BC\xc0\xde", "LLVM bitcode"),
    (b"!<arch>", "a static library"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"%PDF", "a PDF document"),
    (b"HloModule", "HLO text, the form that XLA itself prints"),
    (b"<!DOCTYPE", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"; ModuleID", "LLVM IR text"),
];

/// What the content is, where it is something well known that is not MLIR.
pub(crate) fn recognise(bytes: &[u8]) -> Option<&'static str> {
    let content = bytes.trim_ascii_start();
    if content.get(4..8) == Some(b"TFL3") {
        return Some("a TensorFlow Lite model");
    }
    let named = BEGINNINGS.iter().find(|(beginning, _)| content.starts_with(beginning));
    named.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::recognise;

    #[test]
    fn well_known_files_are_named() {
        assert_eq!(recognise(b"\x89PNG\r\n\x1a\n"), Some("a PNG image"));
        assert_eq!(recognise(b"\nHloModule m\n").map(|name| name.starts_with("HLO")), Some(true));
        assert_eq!(recognise(b"\x1c\0\0\0TFL3"), Some("a TensorFlow Lite model"));
        for mlir in [&b"module {}"[..], b"ML\xefR\x00", b"// text", b""] {
            assert_eq!(recognise(mlir), None);
        }
    }
}
