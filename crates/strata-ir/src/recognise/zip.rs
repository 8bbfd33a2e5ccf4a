//! ZIP archives, recognised by the names of their members.

use super::{AN_ARRAY, FROM_KERAS, FROM_PYTORCH, Foreign};

/// The signature of a central directory entry, and its length before the name.
const ENTRY: &[u8] = b"PK\x01\x02";
const BEFORE_NAME: usize = 46;

/// Recognises the archive.
pub(super) fn named(bytes: &[u8]) -> Foreign {
    let names = names(bytes);
    let has = |end: &str| names.iter().any(|name| name.ends_with(end));
    if has("archive_format") || has("serialized_exported_program.json") || has("models/model.json")
    {
        return Foreign::new("a program that `torch.export.save` wrote (.pt2)", Some(FROM_PYTORCH));
    }
    if has("data.pkl") {
        let what = match has("constants.pkl") {
            true => "a TorchScript program",
            false => "what `torch.save` wrote (.pt)",
        };
        return Foreign::new(what, Some(FROM_PYTORCH));
    }
    if has("model.weights.h5") {
        return Foreign::new("a Keras model", Some(FROM_KERAS));
    }
    if !names.is_empty() && names.iter().all(|name| name.ends_with(".npy")) {
        return Foreign::new("an archive of NumPy arrays (.npz)", Some(AN_ARRAY));
    }
    Foreign::new("a ZIP archive", Some("unpack it first"))
}

/// The names in the central directory, as far as they are UTF-8.
fn names(bytes: &[u8]) -> Vec<&str> {
    let mut names = Vec::new();
    let Some(mut at) = bytes.windows(ENTRY.len()).position(|window| window == ENTRY) else {
        return names;
    };
    while let Some(entry) = bytes.get(at..).filter(|rest| rest.starts_with(ENTRY)) {
        let size = |place: usize| {
            entry.get(place..)?.first_chunk().map(|two| usize::from(u16::from_le_bytes(*two)))
        };
        let (Some(name), Some(extra), Some(comment)) = (size(28), size(30), size(32)) else {
            break;
        };
        names.extend(
            entry
                .get(BEFORE_NAME..BEFORE_NAME + name)
                .and_then(|name| std::str::from_utf8(name).ok()),
        );
        at += BEFORE_NAME + name + extra + comment;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::named;

    fn archive(names: &[&str]) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04content".to_vec();
        for name in names {
            let mut entry = b"PK\x01\x02".to_vec();
            entry.resize(46, 0);
            entry[28] = name.len() as u8;
            entry.extend(name.as_bytes());
            bytes.extend(entry);
        }
        bytes
    }

    #[test]
    fn archives_are_named_by_what_is_in_them() {
        let what = |names: &[&str]| named(&archive(names)).what;
        assert!(
            what(&["net/archive_format", "net/models/model.json"]).contains("torch.export.save")
        );
        assert!(what(&["net/data.pkl", "net/data/0"]).contains("`torch.save`"));
        assert!(what(&["net/data.pkl", "net/constants.pkl"]).contains("TorchScript"));
        assert!(what(&["config.json", "model.weights.h5"]).contains("Keras"));
        assert!(what(&["x.npy", "y.npy"]).contains(".npz"));
        assert_eq!(what(&["a.txt"]), "a ZIP archive");
        assert_eq!(what(&[]), "a ZIP archive");
    }
}
