//! Which build of the library this is: compiled code depends on everything in the compiler, not on its version alone.

use std::{
    ffi::{c_int, c_void},
    fmt::Write as _,
    slice,
    sync::OnceLock,
};

use strata::Options;

/// `NT_GNU_BUILD_ID` and its owner.
const BUILD_ID: u32 = 3;
const OWNER: &[u8] = b"GNU\0";

/// What code of this library depends on besides the program: the build, the processor, the options.
pub fn of(options: &Options) -> String {
    let (version, build, target) = (env!("CARGO_PKG_VERSION"), build(), &options.target);
    format!(
        "strata {version} {build} {} {} {} {} {} {} O{}{}",
        target.triple,
        target.cpu,
        target.features,
        target.vector_bits(),
        target.l1_bytes,
        target.l2_bytes,
        options.opt_level.digit(),
        options.permissions()
    )
}

/// 128 bits of FNV-1a, in hexadecimal digits.
pub fn digest(parts: &[&[u8]]) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let bytes = parts.iter().flat_map(|part| part.iter());
    let hash = bytes.fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}

/// The linker's identifier of this library; that of the program where the crate is linked into one, which may be empty.
fn build() -> &'static str {
    static FOUND: OnceLock<String> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut search = Search { address: build as *const () as usize, found: String::new() };
        // SAFETY: `visit` takes what it is called with and the address of a `Search`.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
        search.found
    })
}

struct Search {
    /// An address of the library.
    address: usize,
    found: String,
}

/// Looks at a loaded library, and ends the search at the one with the address.
///
/// # Safety
/// As `dl_iterate_phdr` calls it, with the address of a [`Search`].
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: as the caller promises; segments of a loaded library are in memory at its base.
    unsafe {
        let (info, search) = (&*info, &mut *data.cast::<Search>());
        let headers = slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        let segment = |header: &libc::Elf64_Phdr| {
            let begin = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            (begin, header.p_memsz as usize)
        };
        let holds = |header: &&libc::Elf64_Phdr| {
            let (begin, size) = segment(header);
            header.p_type == libc::PT_LOAD && search.address.wrapping_sub(begin) < size
        };
        if !headers.iter().any(|header| holds(&header)) {
            return 0;
        }
        for header in headers.iter().filter(|header| header.p_type == libc::PT_NOTE) {
            let (begin, size) = segment(header);
            if let Some(id) = build_id(slice::from_raw_parts(begin as *const u8, size)) {
                for byte in id {
                    // Writing to a string cannot fail.
                    let _ = write!(search.found, "{byte:02x}");
                }
                break;
            }
        }
        1
    }
}

/// The build's identifier among notes.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    loop {
        let (head, rest) = notes.split_at_checked(12)?;
        let word =
            |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name, rest) = rest.split_at_checked((word(0) as usize).next_multiple_of(4))?;
        let (text, rest) = rest.split_at_checked((word(4) as usize).next_multiple_of(4))?;
        if word(8) == BUILD_ID && name == OWNER {
            return text.get(..word(4) as usize);
        }
        notes = rest;
    }
}
