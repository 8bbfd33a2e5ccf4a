//! Bytes of large constants, which are in memory once: in a file that is mapped to the end of the process, or in a block that
//! lives as long as one of its holders. Attributes of MLIR refer to them (`dialects/elements.h`).

use std::{
    collections::BTreeMap,
    ffi::c_void,
    io,
    ops::{Deref, Range},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use melior::{
    Context,
    ir::{Attribute, Module, Type, TypeLike as _},
};
use memmap2::{Mmap, MmapAsRawDesc, MmapMut, UncheckedAdvice};
use mlir_sys as sys;

use strata_diag::Diagnostics;

use crate::{module::module_op, types::TypeExt as _};

/// Bytes and who owns them, as in `dialects/capi/strata/capi.h`.
#[repr(C)]
pub(crate) struct OwnedBytes {
    bytes: sys::MlirStringRef,
    owner: *mut c_void,
    release: unsafe extern "C" fn(*mut c_void),
}

unsafe extern "C" {
    /// Says that bytes stay to the end of the process.
    fn strataKeepBytes(bytes: sys::MlirStringRef);
    /// Whether bytes are among those.
    fn strataAreKept(bytes: sys::MlirStringRef) -> bool;
    /// Elements that refer to bytes whose owner the context gets.
    fn strataOwnedElements(shaped: sys::MlirType, bytes: OwnedBytes) -> sys::MlirAttribute;
    /// What numbers in the text stand for that this thread parses next.
    fn strataNumberElements(elements: *mut OwnedBytes, count: isize);
    /// Writes a module with numbers for the elements that have one.
    fn strataWriteModule(
        module: sys::MlirOperation,
        sink: unsafe extern "C" fn(sys::MlirStringRef, *mut c_void),
        number: unsafe extern "C" fn(sys::MlirStringRef, *mut c_void) -> i64,
        data: *mut c_void,
    );
}

fn string_ref(bytes: &[u8]) -> sys::MlirStringRef {
    sys::MlirStringRef { data: bytes.as_ptr().cast(), length: bytes.len() }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The files that are mapped.
static FILES: Mutex<Vec<&'static Mmap>> = Mutex::new(Vec::new());

/// The content of a file, which is not read before it is used, and not copied to be used. It stays mapped: callers have few
/// such files. A file that another process changes meanwhile changes here, too, and reading what it cut off kills the process.
///
/// # Errors
/// Where the system cannot map the file.
pub fn map_file(file: impl MmapAsRawDesc) -> io::Result<&'static [u8]> {
    // SAFETY: users are told not to write to the file.
    let map: &'static Mmap = Box::leak(Box::new(unsafe { Mmap::map(file) }?));
    // SAFETY: the bytes stay, and the call stores where they are.
    unsafe { strataKeepBytes(string_ref(map)) };
    locked(&FILES).push(map);
    Ok(map)
}

/// Whether bytes are of a mapped file.
pub(crate) fn are_kept(bytes: &[u8]) -> bool {
    // SAFETY: the call compares addresses.
    unsafe { strataAreKept(string_ref(bytes)) }
}

/// Takes what was read of a mapped file out of this process's memory; it is read again where it is used again. Nothing happens
/// for other bytes.
pub fn unload(bytes: &[u8]) {
    let begin = bytes.as_ptr().addr();
    let files = locked(&FILES);
    let inside = |file: &&&Mmap| {
        let from = file.as_ptr().addr();
        from <= begin && begin + bytes.len() <= from + file.len()
    };
    let Some(file) = files.iter().find(inside) else { return };
    let offset = begin - file.as_ptr().addr();
    // SAFETY: the pages are of a file, whose content they have again when they are touched next. Nothing wrote to them.
    let advised =
        unsafe { file.unchecked_advise_range(UncheckedAdvice::DontNeed, offset, bytes.len()) };
    // They then stay where they are.
    drop(advised);
}

/// Addresses for bytes, which take no memory until they are touched.
#[derive(Debug)]
pub struct Hole(Option<MmapMut>);

impl Hole {
    /// A hole of that size.
    ///
    /// # Errors
    /// Where the process has no such addresses left.
    pub fn new(size: usize) -> io::Result<Self> {
        (size > 0).then(|| MmapMut::map_anon(size)).transpose().map(Self)
    }
}

impl Deref for Hole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Blocks that attributes refer to, by address.
static BLOCKS: Mutex<BTreeMap<usize, Weak<Block>>> = Mutex::new(BTreeMap::new());

#[derive(Debug)]
struct Block(Vec<u8>);

impl Drop for Block {
    fn drop(&mut self) {
        if self.0.is_empty() {
            return;
        }
        locked(&BLOCKS).remove(&self.0.as_ptr().addr());
    }
}

/// Bytes that several hold.
#[derive(Clone, Debug)]
pub struct HeldBytes(Holder);

#[derive(Clone, Debug)]
enum Holder {
    File(&'static [u8]),
    Block(Arc<Block>, Range<usize>),
}

impl Deref for HeldBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Holder::File(bytes) => bytes,
            Holder::Block(block, range) => block.0.get(range.clone()).unwrap_or_default(),
        }
    }
}

impl HeldBytes {
    /// Where attributes refer to, if they do.
    fn find(bytes: &[u8]) -> Option<Self> {
        if are_kept(bytes) {
            // SAFETY: the bytes of a mapped file stay to the end of the process.
            let kept = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
            return Some(Self(Holder::File(kept)));
        }
        let begin = bytes.as_ptr().addr();
        let block = locked(&BLOCKS).range(..=begin).next_back()?.1.upgrade()?;
        let offset = begin - block.0.as_ptr().addr();
        let range = offset..offset.checked_add(bytes.len())?;
        (range.end <= block.0.len()).then_some(Self(Holder::Block(block, range)))
    }

    fn to_owned_bytes(&self) -> OwnedBytes {
        let owner = match &self.0 {
            Holder::File(_) => Arc::new(Block(Vec::new())),
            Holder::Block(block, _) => Arc::clone(block),
        };
        OwnedBytes {
            bytes: string_ref(self),
            owner: Arc::into_raw(owner).cast_mut().cast(),
            release,
        }
    }
}

impl PartialEq for HeldBytes {
    fn eq(&self, other: &Self) -> bool {
        let (one, other): (&[u8], &[u8]) = (self, other);
        std::ptr::eq(one, other) || one == other
    }
}

impl Eq for HeldBytes {}

impl From<Vec<u8>> for HeldBytes {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self(Holder::Block(Arc::new(Block(bytes)), range))
    }
}

/// The bytes of dense elements as [`AttributeExt::dense_bytes`](crate::AttributeExt::dense_bytes) has them, which may outlive
/// the context. Those that its attribute does not own are not copied.
pub fn held_bytes(attribute: Attribute<'_>) -> Option<HeldBytes> {
    let bytes = crate::dense::raw_elements(attribute)?;
    Some(HeldBytes::find(&bytes).unwrap_or_else(|| HeldBytes::from(bytes.into_owned())))
}

unsafe extern "C" fn release(owner: *mut c_void) {
    // SAFETY: the owner is the block that `owned` made a pointer of, and is released once.
    drop(unsafe { Arc::from_raw(owner.cast::<Block>().cast_const()) });
}

/// What a context may own. Equal bytes are there once: several versions of a program have the same constants.
fn owned(bytes: Vec<u8>) -> OwnedBytes {
    let block = Arc::new(Block(bytes));
    // Those that are being dropped, and these where others are equal, are dropped after the lock.
    let mut found = Vec::new();
    {
        let mut blocks = locked(&BLOCKS);
        found.extend(blocks.values().filter_map(Weak::upgrade));
        if !found.iter().any(|other| other.0 == block.0) {
            blocks.insert(block.0.as_ptr().addr(), Arc::downgrade(&block));
        }
    }
    let block = found.into_iter().find(|other| other.0 == block.0).unwrap_or(block);
    let bytes = string_ref(&block.0);
    OwnedBytes { bytes, owner: Arc::into_raw(block).cast_mut().cast(), release }
}

/// As [`dense_bytes`](crate::dense_bytes), without a copy of the bytes.
pub fn dense_owned(shaped: Type<'_>, bytes: Vec<u8>) -> Option<Attribute<'_>> {
    let size = shaped.element_count()?.checked_mul(shaped.element().byte_width()?)?;
    if size != bytes.len() as u64 || bytes.is_empty() || shaped.element().bit_width() == Some(1) {
        return crate::dense_bytes(shaped, &bytes);
    }
    // SAFETY: the type is alive, and the context releases the bytes.
    unsafe { Attribute::from_option_raw(strataOwnedElements(shaped.to_raw(), owned(bytes))) }
}

/// Elements that numbers in a text or in bytecode stand for, while it is parsed.
pub(crate) struct Numbered(Vec<OwnedBytes>);

impl Numbered {
    pub(crate) fn new(elements: Vec<Vec<u8>>) -> Self {
        Self(elements.into_iter().map(owned).collect())
    }

    fn held(elements: &[HeldBytes]) -> Self {
        Self(elements.iter().map(|held| held.to_owned_bytes()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs `parse` with them.
    pub(crate) fn within<R>(&mut self, parse: impl FnOnce() -> R) -> R {
        // SAFETY: the list lives until it is replaced by an empty one; where `parse` panics, `drop` replaces it.
        unsafe { strataNumberElements(self.0.as_mut_ptr(), self.0.len() as isize) };
        parse()
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        // SAFETY: an empty list is not read, and what has an owner still was not taken.
        unsafe {
            strataNumberElements(std::ptr::null_mut(), 0);
            for left in self.0.drain(..).filter(|left| !left.owner.is_null()) {
                release(left.owner);
            }
        }
    }
}

/// A module as bytecode for another context of this process, and the bytes of elements that are not in it.
pub struct ModuleBytes {
    bytecode: Vec<u8>,
    elements: Vec<HeldBytes>,
}

impl ModuleBytes {
    /// Writes a module.
    pub fn of(module: &Module<'_>) -> Self {
        let mut this = Self { bytecode: Vec::new(), elements: Vec::new() };
        // SAFETY: the module is alive, and both callbacks get what they expect, during the call.
        unsafe {
            strataWriteModule(
                module_op(module).to_raw(),
                append,
                number,
                (&raw mut this).cast::<c_void>(),
            );
        }
        this
    }

    /// How many bytes it takes, but for elements that are held.
    pub fn size(&self) -> usize {
        self.bytecode.len()
    }

    /// The module in another context.
    ///
    /// # Errors
    /// Those of [`parse`](crate::parse()).
    pub fn read<'c>(&self, context: &'c Context, name: &str) -> Result<Module<'c>, Diagnostics> {
        crate::parse::parse_numbered(context, name, &self.bytecode, Numbered::held(&self.elements))
    }
}

unsafe extern "C" fn append(piece: sys::MlirStringRef, this: *mut c_void) {
    // SAFETY: `this` is what `of` passed on, and `piece` is valid during the call.
    unsafe {
        let piece = std::slice::from_raw_parts(piece.data.cast::<u8>(), piece.length);
        (*this.cast::<ModuleBytes>()).bytecode.extend_from_slice(piece);
    }
}

/// The number of elements that are held; negative for others, which are written.
unsafe extern "C" fn number(bytes: sys::MlirStringRef, this: *mut c_void) -> i64 {
    // SAFETY: as above.
    let (bytes, this) = unsafe {
        let bytes = std::slice::from_raw_parts(bytes.data.cast::<u8>(), bytes.length);
        (bytes, &mut *this.cast::<ModuleBytes>())
    };
    // Each attribute is seen twice: to be counted, and to be written.
    let found = this.elements.iter().position(|held| std::ptr::eq(&held[..], bytes));
    let index = found.or_else(|| {
        this.elements.push(HeldBytes::find(bytes)?);
        Some(this.elements.len() - 1)
    });
    index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1)
}
