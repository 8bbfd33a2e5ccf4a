//! The layouts of arrays: orders of their dimensions, which clients ask for by an extension of the C API.
//!
//! A program says which it takes and returns by `mhlo.layout_mode` on arguments and results of its entry. Compiled code takes and
//! returns row-major arrays alone: a call copies those of another order before and after it.
//!
//! Without the extension jaxlib reads layouts off the program's text, three times for each executable, which takes as long as a small program
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
    strides, table,
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

/// The dimensions of a dense array, from the densest to the sparsest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(Box<[usize]>);

impl Order {
    /// The last dimension is the densest.
    pub fn row_major(rank: usize) -> Self {
        Self((0..rank).rev().collect())
    }

    /// These dimensions, if they are each dimension of such an array once.
    pub fn new(order: Vec<usize>, rank: usize) -> Option<Self> {
        let is_permutation =
            order.len() == rank && (0..rank).all(|dimension| order.contains(&dimension));
        is_permutation.then(|| Self(order.into()))
    }

    /// What a program says of an argument or a result: `default` and `auto`, which are row-major here, or an order: `{0,1}`.
    ///
    /// # Errors
    /// For tiles, and for anything else.
    pub fn of_mode(mode: &str, rank: usize) -> Result<Self, Failure> {
        let digits = |list: &str| -> Option<Vec<usize>> {
            let list = list.split(',').filter(|_| !list.is_empty());
            list.map(|dimension| dimension.trim().parse().ok()).collect()
        };
        match mode.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            _ if matches!(mode, "default" | "auto") => Ok(Self::row_major(rank)),
            Some(order) if order.contains(':') => Err(Failure::unimplemented(format!(
                "the layout `{mode}`: Strata has orders of dimensions, without tiles"
            ))),
            order => {
                order.and_then(digits).and_then(|order| Self::new(order, rank)).ok_or_else(|| {
                    Failure::invalid(format!("`{mode}` is not a layout of {rank} dimensions"))
                })
            }
        }
    }

    /// Whether it is the one of compiled code.
    pub fn is_row_major(&self) -> bool {
        self.0.iter().rev().copied().eq(0..self.0.len())
    }

    /// The dimensions.
    pub fn dimensions(&self) -> &[usize] {
        &self.0
    }

    /// The strides of an array of these sizes, in bytes.
    pub fn strides(&self, dims: &[i64], width: usize) -> Vec<i64> {
        strides::ordered(dims, &self.0, width)
    }

    /// The notation of HLO: `{1,0}`.
    pub fn text(&self) -> String {
        let order: Vec<_> = self.0.iter().map(usize::to_string).collect();
        format!("{{{}}}", order.join(","))
    }
}

/// `PJRT_Layouts_MemoryLayout`: an order, in the notation of HLO.
pub struct MemoryLayout(String);

/// The layouts that were asked for. They live as long as the library.
static KNOWN: Mutex<BTreeMap<Order, &'static MemoryLayout>> = Mutex::new(BTreeMap::new());

impl MemoryLayout {
    /// The layout of arrays with this order.
    pub fn of(order: &Order) -> Handle<Self> {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let layout =
            known.entry(order.clone()).or_insert_with(|| Box::leak(Box::new(Self(order.text()))));
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
    arguments.layout = MemoryLayout::of(&Order::row_major(arguments.rank));
    Ok(())
}

pub fn of_buffer(arguments: &mut Value<Buffer, Handle<MemoryLayout>>) -> Result<(), Failure> {
    arguments.value = MemoryLayout::of(arguments.object.get()?.order());
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
