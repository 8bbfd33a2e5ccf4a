//! Buffers: dense arrays, the last dimension the densest unless their layout says otherwise, an element of fewer than 8 bits in a byte
//! of its own.

use std::{
    ffi::c_void,
    ptr,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{Ordering, fence},
    },
};

use strata::{ElementType, TensorSpec};

use crate::{
    abi::{CopyTo, FromHost, GetLayout, Handle, Items, Layout, List, Of, ToHost, Value},
    client::{Device, Memory, Shared},
    element,
    event::{Event, Pending},
    failure::Failure,
    layouts::Order,
    storage::{ALIGNMENT, Aligned, Storage},
    strides,
};

/// `PJRT_HostBufferSemantics`: the host's memory stays as it is while the buffer lives.
const ZERO_COPY: i32 = 2;
/// `PJRT_Buffer_MemoryLayout_Type`.
const TILED: i32 = 0;
const STRIDES: i32 = 1;

/// `PJRT_Buffer`.
pub struct Buffer {
    client: Arc<Shared>,
    /// The number of the device.
    device: usize,
    element: ElementType,
    code: i32,
    dims: Vec<i64>,
    order: Order,
    /// The dimensions of `order`, as the C API has them.
    numbers: Vec<i64>,
    size: usize,
    /// None: deleted or donated.
    contents: Mutex<Option<Arc<Contents>>>,
    external: Mutex<External>,
}

/// The bytes of a buffer, which the call that writes them allocates.
pub struct Contents {
    storage: OnceLock<Arc<Storage>>,
    ready: Arc<Pending>,
}

impl Contents {
    /// Bytes that are there.
    pub fn new(storage: Storage) -> Arc<Self> {
        let storage = OnceLock::from(Arc::new(storage));
        Arc::new(Self { storage, ready: Pending::ready() })
    }

    /// Bytes that are there when that has happened.
    pub fn waiting(ready: &Arc<Pending>) -> Arc<Self> {
        Arc::new(Self { storage: OnceLock::new(), ready: Arc::clone(ready) })
    }

    /// What says when the bytes are there.
    pub fn ready(&self) -> &Arc<Pending> {
        &self.ready
    }

    /// Sets the bytes, before they are ready.
    pub fn set(&self, storage: Arc<Storage>) {
        // A call sets its results once.
        let _ = self.storage.set(storage);
    }

    /// The bytes, once they are there.
    ///
    /// # Errors
    /// That of the call that did not write them.
    pub fn wait(&self) -> Result<&Arc<Storage>, Failure> {
        self.ready.wait()?;
        let storage = self.storage.get();
        storage.ok_or_else(|| Failure::internal("a call has not set its results"))
    }

    /// Whether they are the host's, which the client may change when a call has returned.
    pub fn are_of_host(&self) -> bool {
        self.storage.get().is_some_and(|one| matches!(**one, Storage::Borrowed(_)))
    }

    /// The bytes, if nothing else has them: neither a buffer nor another call, nor the client by its address.
    pub fn alone(self: &Arc<Self>) -> Option<&Arc<Storage>> {
        let storage = self.storage.get().filter(|_| Arc::strong_count(self) == 1)?;
        let is_ours = matches!(**storage, Storage::Owned(_)) && Arc::strong_count(storage) == 1;
        // What others have read of it they have read before it is written.
        fence(Ordering::Acquire);
        is_ours.then_some(storage)
    }
}

/// What someone outside holds, who has the address: the bytes outlive a deletion and a donation then.
#[derive(Default)]
struct External {
    count: usize,
    storage: Option<Arc<Storage>>,
}

impl Buffer {
    /// A buffer of that type on a device.
    ///
    /// # Errors
    /// For types that PJRT does not have.
    pub fn new(
        (client, device): (&Arc<Shared>, usize),
        element: ElementType,
        (dims, order): (Vec<i64>, Order),
        contents: Arc<Contents>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            client: Arc::clone(client),
            device,
            element,
            code: element::code(element)?,
            numbers: order.dimensions().iter().map(|&dimension| dimension as i64).collect(),
            order,
            size: strides::byte_count(&dims, element::width(element))?,
            dims,
            contents: Mutex::new(Some(contents)),
            external: Mutex::default(),
        })
    }

    /// What stands for a token: an array without elements.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn token(place: (&Arc<Shared>, usize)) -> Result<Self, Failure> {
        let contents = Contents::new(Storage::Owned(Aligned::new(0)?));
        Self::new(place, ElementType::Bool, (vec![0], Order::row_major(1)), contents)
    }

    fn held(&self) -> MutexGuard<'_, Option<Arc<Contents>>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes, which may not be there yet.
    ///
    /// # Errors
    /// If it was deleted or donated.
    pub fn contents(&self) -> Result<Arc<Contents>, Failure> {
        self.held().clone().ok_or_else(|| Failure::invalid("the buffer was deleted or donated"))
    }

    /// Deletes it and gives the bytes away.
    ///
    /// # Errors
    /// As [`Self::contents`].
    pub fn take(&self) -> Result<Arc<Contents>, Failure> {
        let taken = self.held().take();
        taken.ok_or_else(|| Failure::invalid("the buffer was deleted or donated"))
    }

    /// Undoes [`Self::take`].
    pub fn put_back(&self, contents: Arc<Contents>) {
        *self.held() = Some(contents);
    }

    fn external(&self) -> MutexGuard<'_, External> {
        self.external.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The order of its dimensions.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The number of its device.
    pub fn device(&self) -> usize {
        self.device
    }

    /// Whether it is of the client and has that type and layout.
    pub fn fits(&self, client: &Arc<Shared>, spec: &TensorSpec, order: &Order) -> bool {
        let dims = self.dims.iter().map(|size| size.cast_unsigned());
        Arc::ptr_eq(&self.client, client)
            && self.element == spec.element
            && self.order == *order
            && dims.eq(spec.shape.iter().copied())
    }

    /// The type as text, with the layout if it is not row-major.
    pub fn describe(&self) -> String {
        let shape = self.dims.iter().map(|size| size.cast_unsigned()).collect();
        described(&TensorSpec::new(shape, self.element), &self.order)
    }

    fn width(&self) -> usize {
        element::width(self.element)
    }

    /// The same bytes for a device: buffers are not written.
    fn copy(&self, device: usize) -> Result<Handle<Self>, Failure> {
        let (contents, place) = (self.contents()?, (&self.client, device));
        let shape = (self.dims.clone(), self.order.clone());
        Ok(Handle::new(Self::new(place, self.element, shape, contents)?))
    }
}

/// The type of an array, with the layout if it is not row-major.
pub fn described(spec: &TensorSpec, order: &Order) -> String {
    match order.is_row_major() {
        true => spec.to_string(),
        false => format!("{spec}{}", order.text()),
    }
}

/// The order that a layout means, if it is of that kind.
fn order_of(layout: &Layout, rank: usize) -> Result<Option<Order>, Failure> {
    match layout.kind {
        TILED if layout.tile_count == 0 => {
            let order = layout.order.get(layout.order_size)?;
            let order = order.iter().map(|&dimension| usize::try_from(dimension).ok());
            let order = order.collect::<Option<_>>().and_then(|order| Order::new(order, rank));
            let wrong = || Failure::invalid("a layout is not an order of the dimensions");
            order.ok_or_else(wrong).map(Some)
        }
        TILED => Err(Failure::unimplemented("layouts with tiles")),
        STRIDES => Ok(None),
        kind => Err(Failure::invalid(format!("layout {kind} does not exist"))),
    }
}

/// The strides that a layout means.
fn strides_of(layout: &Layout, dims: &[i64], width: usize) -> Result<Vec<i64>, Failure> {
    match order_of(layout, dims.len())? {
        Some(order) => Ok(order.strides(dims, width)),
        None => {
            let strides = layout.order.get(layout.order_size)?.to_vec();
            match strides.len() == dims.len() {
                true => Ok(strides),
                false => Err(Failure::invalid("a layout has not a stride for each dimension")),
            }
        }
    }
}

/// The order of a dense array with these strides: row-major if it may be.
fn order_of_strides(dims: &[i64], strides: &[i64], width: usize) -> Option<Order> {
    let row_major = Order::row_major(dims.len());
    let mut sorted = row_major.dimensions().to_vec();
    sorted.sort_by_key(|&dimension| strides[dimension]);
    let orders = [Some(row_major), Order::new(sorted, dims.len())];
    let mut orders = orders.into_iter().flatten();
    orders.find(|order| strides::are_same(dims, strides, &order.strides(dims, width)))
}

/// Copies an array of the host to a dense one.
///
/// # Safety
/// `data` has the elements that sizes and strides name, and `memory` the bytes of the dense array.
unsafe fn fill(
    memory: &Aligned,
    element: ElementType,
    data: *const u8,
    dims: &[i64],
    (from, to): (&[i64], &[i64]),
) {
    strides::rows(dims, (from, to), element::width(element), &mut |source, target, length| {
        // SAFETY: as the caller promises.
        unsafe {
            let source = data.offset(source as isize);
            let target = memory.pointer().offset(target as isize);
            ptr::copy_nonoverlapping(source, target, length);
        }
    });
    if let Some(normal) = element::normal_form(element) {
        for at in 0..memory.size() {
            // SAFETY: all of it was written above.
            unsafe {
                let byte = memory.pointer().add(at);
                byte.write(normal(byte.read()));
            }
        }
    }
}

pub fn from_host(arguments: &mut FromHost) -> Result<(), Failure> {
    let client = &arguments.client.get()?.0;
    let device = client.place(arguments.device, arguments.memory)?;
    let element = element::of_code(arguments.element)?;
    let dims = arguments.dims.get(arguments.rank)?.to_vec();
    let width = element::width(element);
    let size = strides::byte_count(&dims, width)?;
    let given = arguments.strides.get(arguments.stride_count)?;
    let from = match given.len() {
        0 => Order::row_major(dims.len()).strides(&dims, width),
        count if count == dims.len() => given.to_vec(),
        _ => return Err(Failure::invalid("there is not a stride for each dimension")),
    };
    let order = match arguments.layout.0.is_null() {
        true => Order::row_major(dims.len()),
        false => {
            let layout = &arguments.layout.get(1)?[0];
            let own = match order_of(layout, dims.len())? {
                Some(order) => Some(order),
                None => order_of_strides(&dims, &strides_of(layout, &dims, width)?, width),
            };
            own.ok_or_else(|| Failure::unimplemented("layouts of buffers that are not dense"))?
        }
    };
    let to = order.strides(&dims, width);
    if size > 0 && arguments.data.is_null() {
        return Err(Failure::invalid("the host's data has no address"));
    }
    let shares = arguments.semantics >= ZERO_COPY
        && size > 0
        && element::normal_form(element).is_none()
        && arguments.data.addr().is_multiple_of(ALIGNMENT)
        && strides::are_same(&dims, &from, &to);
    let (storage, done) = if shares {
        let pending = Pending::new();
        let event = Event::waiting(&pending);
        (Storage::borrowed(arguments.data, size, pending), event)
    } else {
        let memory = Aligned::new(size)?;
        // SAFETY: the client says that its array has these sizes and strides.
        unsafe { fill(&memory, element, arguments.data, &dims, (&from, &to)) };
        (Storage::Owned(memory), Event::ready())
    };
    let buffer = Buffer::new((client, device), element, (dims, order), Contents::new(storage));
    match buffer {
        Ok(buffer) => (arguments.buffer, arguments.done) = (Handle::new(buffer), done),
        Err(failure) => {
            done.destroy();
            return Err(failure);
        }
    }
    Ok(())
}

/// Memory of the client, which takes what a buffer has.
struct Target {
    data: *mut u8,
    /// Those of the buffer, and of the memory.
    strides: [Vec<i64>; 2],
}

// SAFETY: the client leaves the memory alone until the event has happened.
unsafe impl Send for Target {}

pub fn to_host(arguments: &mut ToHost) -> Result<(), Failure> {
    let buffer = arguments.buffer.get()?;
    let contents = buffer.contents()?;
    if arguments.data.is_null() {
        arguments.size = buffer.size;
        return Ok(());
    }
    let (dims, width) = (&buffer.dims, buffer.width());
    let own = buffer.order.strides(dims, width);
    let strides = match arguments.layout.0.is_null() {
        true => own.clone(),
        false => strides_of(&arguments.layout.get(1)?[0], dims, width)?,
    };
    let ends = strides.iter().zip(dims).map(|(step, size)| step.saturating_mul(size - 1));
    let last = ends.fold(width as i64, i64::saturating_add);
    let fits = buffer.size == 0
        || (strides.iter().all(|&step| step >= 0) && last.cast_unsigned() <= arguments.size as u64);
    if !fits {
        let (size, given) = (buffer.size, arguments.size);
        let message = format!("a buffer of {size} bytes does not fit into {given}");
        return Err(Failure::invalid(message));
    }
    let target = Target { data: arguments.data, strides: [own, strides] };
    if contents.ready().is_ready() {
        // SAFETY: the memory has room for what the strides reach.
        unsafe { target.write(dims, width, &contents)? };
        arguments.event = Event::ready();
        return Ok(());
    }
    let (done, dims) = (Pending::new(), dims.clone());
    arguments.event = Event::waiting(&done);
    let ready = Arc::clone(contents.ready());
    ready.then(move |_| {
        // SAFETY: as above, until the event has happened.
        let written = unsafe { target.write(&dims, width, &contents) };
        // The buffer may be donated to the next call.
        drop(contents);
        done.set(written);
    });
    Ok(())
}

impl Target {
    /// # Safety
    /// The memory is there, up to the last byte that sizes and strides lead to.
    unsafe fn write(&self, dims: &[i64], width: usize, from: &Contents) -> Result<(), Failure> {
        let storage = from.wait()?;
        let (bytes, [own, wanted]) = (storage.bytes(), &self.strides);
        strides::rows(dims, (own, wanted), width, &mut |source, target, length| {
            let row = &bytes[source as usize..][..length];
            // SAFETY: the row ends before the last byte.
            unsafe {
                let target = self.data.offset(target as isize);
                ptr::copy_nonoverlapping(row.as_ptr(), target, length);
            }
        });
        Ok(())
    }
}

pub fn destroy(arguments: &mut Of<Buffer>) -> Result<(), Failure> {
    arguments.object.destroy();
    Ok(())
}

pub fn element_type(arguments: &mut Value<Buffer, i32>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.code;
    Ok(())
}

pub fn dimensions(arguments: &mut List<Buffer, i64>) -> Result<(), Failure> {
    let dims = &arguments.object.get()?.dims;
    (arguments.items, arguments.count) = (dims.as_ptr(), dims.len());
    Ok(())
}

pub fn no_dynamic_dimensions(arguments: &mut List<Buffer, usize>) -> Result<(), Failure> {
    arguments.object.get()?;
    (arguments.items, arguments.count) = (ptr::null(), 0);
    Ok(())
}

pub fn layout(arguments: &mut GetLayout) -> Result<(), Failure> {
    let order = &arguments.buffer.get()?.numbers;
    arguments.layout = Layout {
        struct_size: size_of::<Layout>(),
        extension_start: ptr::null(),
        inner_size: std::mem::offset_of!(Layout, kind) - std::mem::offset_of!(Layout, inner_size),
        inner_extension: ptr::null(),
        order: Items(order.as_ptr()),
        order_size: order.len(),
        tiles: ptr::null(),
        tile_sizes: ptr::null(),
        tile_count: 0,
        kind: TILED,
    };
    Ok(())
}

pub fn size(arguments: &mut Value<Buffer, usize>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.size;
    Ok(())
}

pub fn device(arguments: &mut Value<Buffer, Handle<Device>>) -> Result<(), Failure> {
    let buffer = arguments.object.get()?;
    arguments.value = buffer.client.device(buffer.device);
    Ok(())
}

pub fn memory(arguments: &mut Value<Buffer, Handle<Memory>>) -> Result<(), Failure> {
    let buffer = arguments.object.get()?;
    arguments.value = buffer.client.memory(buffer.device);
    Ok(())
}

pub fn delete(arguments: &mut Of<Buffer>) -> Result<(), Failure> {
    drop(arguments.object.get()?.held().take());
    Ok(())
}

pub fn is_deleted(arguments: &mut Value<Buffer, bool>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.held().is_none();
    Ok(())
}

pub fn copy_to_device(arguments: &mut CopyTo<Device>) -> Result<(), Failure> {
    let buffer = arguments.buffer.get()?;
    let device = buffer.client.place(arguments.to, Handle::NULL)?;
    arguments.copy = buffer.copy(device)?;
    Ok(())
}

pub fn copy_to_memory(arguments: &mut CopyTo<Memory>) -> Result<(), Failure> {
    let buffer = arguments.buffer.get()?;
    let device = buffer.client.place(Handle::NULL, arguments.to)?;
    arguments.copy = buffer.copy(device)?;
    Ok(())
}

pub fn is_on_cpu(arguments: &mut Value<Buffer, bool>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.value = true;
    Ok(())
}

pub fn ready_event(arguments: &mut Value<Buffer, Handle<Event>>) -> Result<(), Failure> {
    let contents = arguments.object.get()?.contents();
    arguments.value = contents.map_or_else(|_| Event::ready(), |one| Event::waiting(one.ready()));
    Ok(())
}

pub fn pointer(arguments: &mut Value<Buffer, *const c_void>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.contents()?.wait()?.pointer().cast();
    Ok(())
}

pub fn hold(arguments: &mut Of<Buffer>) -> Result<(), Failure> {
    let buffer = arguments.object.get()?;
    let storage = Arc::clone(buffer.contents()?.wait()?);
    let mut external = buffer.external();
    external.count += 1;
    external.storage = Some(storage);
    Ok(())
}

pub fn release(arguments: &mut Of<Buffer>) -> Result<(), Failure> {
    let mut external = arguments.object.get()?.external();
    let less = external.count.checked_sub(1);
    external.count = less.ok_or_else(|| Failure::invalid("the buffer is not held outside"))?;
    if external.count == 0 {
        external.storage = None;
    }
    Ok(())
}
