//! The layouts of arrays, which clients ask for by an extension of the C API: all are row-major.
//!
//! Without it jaxlib reads them off the program's text, three times for each executable, which takes as long as a small program
//! takes to compile.

use std::{
    collections::BTreeMap,
    ffi::{c_char, c_void},
    ptr,
    sync::{Mutex, PoisonError},
};

use crate::{
    abi::{
        DefaultLayout, Entry, ExecutableLayouts, Handle, Items, LAYOUTS_KIND, Of, SerializeLayout,
        Value, keep,
    },
    buffer::Buffer,
    client::Client,
    failure::Failure,
    table,
};

/// `PJRT_Layouts_Extension`.
#[repr(C)]
pub struct Layouts {
    /// The size of this structure.
    pub struct_size: usize,
    /// [`LAYOUTS_KIND`].
    pub kind: i32,
    /// The next extension.
    pub next: *const c_void,
    /// In the order of the header.
    pub functions: [Entry; 7],
}

// SAFETY: nothing writes it.
unsafe impl Sync for Layouts {}

/// The extension, the first one of the table.
pub static LAYOUTS: Layouts = Layouts {
    struct_size: size_of::<Layouts>(),
    kind: LAYOUTS_KIND,
    next: (&raw const table::SHARDINGS).cast(),
    functions: table::LAYOUT_FUNCTIONS,
};

/// `PJRT_Layouts_MemoryLayout`: the layout of all arrays of one rank, in the notation of HLO: `{1,0}`.
pub struct MemoryLayout(String);

/// The layouts that were asked for, one for each rank. They live as long as the library.
static KNOWN: Mutex<BTreeMap<usize, &'static MemoryLayout>> = Mutex::new(BTreeMap::new());

impl MemoryLayout {
    /// The layout of arrays with this many dimensions.
    pub fn of(rank: usize) -> Handle<Self> {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let layout = known.entry(rank).or_insert_with(|| {
            let order: Vec<_> = (0..rank).rev().map(|dimension| dimension.to_string()).collect();
            Box::leak(Box::new(Self(format!("{{{}}}", order.join(",")))))
        });
        Handle(ptr::from_ref(*layout).cast_mut())
    }
}

/// Layouts live on: nothing to do.
pub fn destroy(_: &mut Of<MemoryLayout>) -> Result<(), Failure> {
    Ok(())
}

pub fn serialize(arguments: &mut SerializeLayout) -> Result<(), Failure> {
    let text = &arguments.layout.get()?.0;
    (arguments.bytes, arguments.size) = (text.as_ptr().cast::<c_char>(), text.len());
    arguments.owner = ptr::null_mut();
    arguments.deleter = Some(keep);
    Ok(())
}

pub fn of_client(arguments: &mut DefaultLayout<Client>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.layout = MemoryLayout::of(arguments.rank);
    Ok(())
}

pub fn of_buffer(arguments: &mut Value<Buffer, Handle<MemoryLayout>>) -> Result<(), Failure> {
    arguments.value = MemoryLayout::of(arguments.object.get()?.rank());
    Ok(())
}

pub fn of_arguments(arguments: &mut ExecutableLayouts) -> Result<(), Failure> {
    listed(arguments, 0)
}

pub fn of_results(arguments: &mut ExecutableLayouts) -> Result<(), Failure> {
    listed(arguments, 1)
}

fn listed(arguments: &mut ExecutableLayouts, which: usize) -> Result<(), Failure> {
    let layouts = arguments.executable.get()?.layouts(which);
    (arguments.count, arguments.layouts) = (layouts.len(), Items(layouts.as_ptr()));
    Ok(())
}
