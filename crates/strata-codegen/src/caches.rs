//! Sizes of a core's own data caches, for the cost model of stage 30.

use std::{fs, path::Path};

/// L1 and L2 data cache of CPU families in KiB, by the first matching prefix of the name.
const CACHES: &[(&str, u64, u64)] = &[
    ("sapphirerapids", 48, 2048),
    ("emeraldrapids", 48, 2048),
    ("graniterapids", 48, 2048),
    ("diamondrapids", 48, 2048),
    ("icelake-server", 48, 1280),
    ("icelake", 48, 512),
    ("tigerlake", 48, 1280),
    ("rocketlake", 48, 512),
    ("alderlake", 48, 1280),
    ("raptorlake", 48, 2048),
    ("meteorlake", 48, 2048),
    ("arrowlake", 48, 3072),
    ("lunarlake", 48, 2560),
    ("pantherlake", 48, 3072),
    ("skylake-avx512", 32, 1024),
    ("skx", 32, 1024),
    ("cascadelake", 32, 1024),
    ("cooperlake", 32, 1024),
    ("cannonlake", 32, 256),
    ("skylake", 32, 256),
    ("broadwell", 32, 256),
    ("haswell", 32, 256),
    ("core-avx2", 32, 256),
    ("ivybridge", 32, 256),
    ("sandybridge", 32, 256),
    ("knl", 32, 512),
    ("knm", 32, 512),
    ("znver5", 48, 1024),
    ("znver6", 48, 1024),
    ("znver4", 32, 1024),
    ("znver", 32, 512),
    ("x86-64-v4", 32, 1024),
    ("x86-64-v3", 32, 256),
    ("neoverse-n1", 64, 1024),
    ("neoverse-n2", 64, 1024),
    ("neoverse-n3", 64, 2048),
    ("neoverse-v", 64, 1024),
    ("cortex-a5", 32, 256),
    ("cortex-a7", 32, 512),
    ("cortex-x", 64, 1024),
    ("apple-m", 128, 4096),
    ("apple-a", 64, 4096),
    ("a64fx", 64, 8192),
];
const DEFAULT_CACHES: (u64, u64) = (32, 512);

/// KiB of L1 and L2 data cache of the CPU with LLVM's name `cpu`.
pub fn of_family(cpu: &str) -> (u64, u64) {
    CACHES
        .iter()
        .find(|(prefix, ..)| cpu.starts_with(prefix))
        .map_or(DEFAULT_CACHES, |(_, l1, l2)| (*l1, *l2))
}

/// KiB of L1 and L2 data cache of the machine that runs the compiler, if Linux reports them: LLVM
/// identifies many virtual machines as a smaller relative.
pub fn of_host() -> Option<(u64, u64)> {
    of_folder(Path::new("/sys/devices/system/cpu/cpu0/cache"))
}

fn of_folder(folder: &Path) -> Option<(u64, u64)> {
    let size = |wanted: &str| {
        (0..8).find_map(|index| {
            let entry = folder.join(format!("index{index}"));
            let read = |name: &str| fs::read_to_string(entry.join(name)).ok();
            let holds_data = read("type")?.trim() != "Instruction";
            let kib = read("size")?.trim().strip_suffix('K')?.parse::<u64>().ok()?;
            (holds_data && read("level")?.trim() == wanted && kib > 0).then_some(kib)
        })
    };
    Some((size("1")?, size("2")?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{of_family, of_folder};

    #[test]
    fn the_first_fitting_family_counts() {
        assert_eq!(of_family("icelake-server"), (48, 1280));
        assert_eq!(of_family("icelake-client"), (48, 512));
        assert_eq!(of_family("unheard-of"), (32, 512));
    }

    #[test]
    fn instruction_caches_are_not_data_caches() {
        let folder = tempfile::tempdir().expect("a folder");
        let caches = [("1", "Instruction", "64K"), ("1", "Data", "48K"), ("2", "Unified", "2048K")];
        for (index, (level, kind, size)) in caches.into_iter().enumerate() {
            let entry = folder.path().join(format!("index{index}"));
            fs::create_dir(&entry).expect("a folder");
            for (name, text) in [("level", level), ("type", kind), ("size", size)] {
                fs::write(entry.join(name), format!("{text}\n")).expect("a file");
            }
        }
        assert_eq!(of_folder(folder.path()), Some((48, 2048)));
        assert_eq!(of_folder(&folder.path().join("nothing")), None);
    }
}
