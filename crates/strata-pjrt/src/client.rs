//! The client, its devices and the memory of each: all are this processor and its memory.

use std::{
    ffi::c_char,
    ptr,
    sync::{Arc, OnceLock},
};

use strata::{OptLevel, Options, Semantics, Target, target};
use strata_run::Linked;
use strata_threads::Pool;

use crate::{
    abi::{
        Counted, CreateClient, DefaultAssignment, DeviceAttributes, DeviceMemory, Handle, Items,
        List, Lookup, NamedValue, Of, Value, keep,
    },
    cache::Cache,
    callback,
    failure::{Code, Failure},
    ffi, identity,
    queue::Queue,
    storage::Usage,
};

/// What the platform is called, which JAX finds its lowerings by.
pub const PLATFORM: &str = "strata";
const VERSION: &str = concat!("strata ", env!("CARGO_PKG_VERSION"));
/// Hexadecimal digits of the identity in the version, which JAX finds serialised executables by.
const DIGITS: usize = 16;
const KIND: &str = "cpu";
/// The kind of memory that devices have.
pub const MEMORY: &str = "device";
/// What to do about too few devices.
pub const MORE_DEVICES: &str = "set the option `num_devices` (`STRATA_NUM_DEVICES` for JAX)";
/// More threads are a mistake.
const MOST_THREADS: i64 = 1024;
/// And so are more devices.
const MOST_DEVICES: i64 = 256;

/// `PJRT_Client`.
pub struct Client(pub Arc<Shared>);

/// What buffers and executables keep of their client.
pub struct Shared {
    /// The options of every compilation.
    pub options: Options,
    /// The threads that programs run on.
    pub pool: Pool,
    /// Calls that go on after their functions have returned.
    pub queue: Queue,
    /// Compiled programs.
    pub cache: Cache,
    /// What compiled code depends on besides the program.
    pub identity: Arc<str>,
    version: String,
    /// Those of programs that run on several devices at once, a pool for each device.
    pools: OnceLock<Vec<Pool>>,
    /// What handles lead to.
    _places: Box<[(Device, Memory)]>,
    devices: Vec<Handle<Device>>,
    memories: Vec<Handle<Memory>>,
}

/// `PJRT_Device` and `PJRT_DeviceDescription`.
pub struct Device {
    number: usize,
    text: String,
    memories: OnceLock<[Handle<Memory>; 1]>,
}

/// `PJRT_Memory`.
pub struct Memory {
    number: usize,
    text: String,
    devices: OnceLock<[Handle<Device>; 1]>,
}

impl Shared {
    /// A device.
    pub fn device(&self, number: usize) -> Handle<Device> {
        self.devices[number]
    }

    /// The memory of a device.
    pub fn memory(&self, number: usize) -> Handle<Memory> {
        self.memories[number]
    }

    /// What custom calls find: the functions that the client has registered so far, and the run-time library's.
    pub fn linked() -> Linked {
        let mut linked = Linked::default();
        ffi::define(&mut linked);
        linked.offer(strata_runtime::TARGETS);
        linked.define(callback::TARGET, callback::call as *const _);
        linked
    }

    /// How many devices there are.
    pub fn count(&self) -> usize {
        self.devices.len()
    }

    /// The threads of a program that runs on a device while it runs on others, too. They share the processors.
    pub fn pool_of(&self, device: usize) -> &Pool {
        let pools = self.pools.get_or_init(|| {
            let threads = self.pool.executor().concurrency / self.count();
            (0..self.count()).map(|_| Pool::new(threads.max(1))).collect()
        });
        &pools[device]
    }

    /// The number of the device that is named by itself or by its memory; null is none, and the first device if both are.
    ///
    /// # Errors
    /// For a device or a memory that is not this client's, and for memory of another device.
    pub fn place(&self, device: Handle<Device>, memory: Handle<Memory>) -> Result<usize, Failure> {
        let by_device = self.devices.iter().position(|one| ptr::eq(one.0, device.0));
        let by_memory = self.memories.iter().position(|one| ptr::eq(one.0, memory.0));
        match (device.0.is_null(), memory.0.is_null(), by_device, by_memory) {
            (true, true, ..) => Ok(0),
            (false, true, Some(number), _) | (true, false, _, Some(number)) => Ok(number),
            (false, false, Some(number), Some(other)) if number == other => Ok(number),
            _ => Err(Failure::invalid("the device or the memory is not this client's")),
        }
    }

    fn new(settings: &Settings) -> Result<Self, Failure> {
        let mut options = Options::new(native()?);
        options.semantics = Some(Semantics::Xla);
        options.in_process = true;
        options.opt_level = settings.opt_level;
        let place = |number| {
            let text = format!("StrataDevice(id={number})");
            let device = Device { number, text, memories: OnceLock::new() };
            let text = format!("StrataMemory(id={number}, kind={MEMORY})");
            (device, Memory { number, text, devices: OnceLock::new() })
        };
        let places: Box<[_]> = (0..settings.devices).map(place).collect();
        let handles = |(device, memory): &(Device, Memory)| {
            let pair = (
                Handle(ptr::from_ref(device).cast_mut()),
                Handle(ptr::from_ref(memory).cast_mut()),
            );
            device.memories.get_or_init(|| [pair.1]);
            memory.devices.get_or_init(|| [pair.0]);
            pair
        };
        let (devices, memories) = places.iter().map(handles).unzip();
        let (pool, cache) = (Pool::new(settings.threads), Cache::default());
        let queue = Queue::new(pool.executor().concurrency);
        let identity: Arc<str> = identity::of(&options).into();
        let version =
            format!("{VERSION} ({})", &identity::digest(&[identity.as_bytes()])[..DIGITS]);
        let client = Self {
            options,
            pool,
            queue,
            cache,
            identity,
            version,
            pools: OnceLock::new(),
            _places: places,
            devices,
            memories,
        };
        Ok(client)
    }
}

/// The machine that this process runs on.
fn native() -> Result<Target, Failure> {
    Ok(target::resolve(Some(&target::host_triple()), Some("native"), None)?)
}

struct Settings {
    threads: usize,
    devices: usize,
    opt_level: OptLevel,
}

impl Settings {
    fn of(options: &[NamedValue]) -> Result<Self, Failure> {
        let mut settings = Self { threads: 0, devices: 1, opt_level: OptLevel::default() };
        for option in options {
            let name = Items(option.name.cast::<u8>()).get(option.name_size)?;
            let name = String::from_utf8_lossy(name);
            let number = || match option.kind {
                // SAFETY: the kind says that it is a number.
                1 => Ok(unsafe { option.value.int }),
                _ => Err(Failure::invalid(format!("option `{name}` is an integer"))),
            };
            let wrong = |number, range| {
                Failure::invalid(format!("option `{name}` is {number}, but goes {range}"))
            };
            match &*name {
                "threads" => {
                    let number = number()?;
                    let valid = (0..=MOST_THREADS).contains(&number);
                    let threads = usize::try_from(number).ok().filter(|_| valid);
                    settings.threads = threads.ok_or_else(|| wrong(number, "from 0 to 1024"))?;
                }
                "num_devices" => {
                    let number = number()?;
                    let valid = (1..=MOST_DEVICES).contains(&number);
                    let devices = usize::try_from(number).ok().filter(|_| valid);
                    settings.devices = devices.ok_or_else(|| wrong(number, "from 1 to 256"))?;
                }
                "opt_level" => {
                    let number = number()?;
                    let level = u8::try_from(number).ok().and_then(OptLevel::from_digit);
                    settings.opt_level = level.ok_or_else(|| wrong(number, "from 0 to 3"))?;
                }
                _ => {
                    let known = "Strata has the options `threads`, `num_devices` and `opt_level`";
                    return Err(Failure::invalid(format!("option `{name}` is unknown: {known}")));
                }
            }
        }
        Ok(settings)
    }
}

pub fn create(arguments: &mut CreateClient) -> Result<(), Failure> {
    let settings = Settings::of(arguments.options.get(arguments.count)?)?;
    arguments.client = Handle::new(Client(Arc::new(Shared::new(&settings)?)));
    Ok(())
}

/// Calls have ended before: what is told of their ends may be gone with the client.
pub fn destroy(arguments: &mut Of<Client>) -> Result<(), Failure> {
    if let Ok(client) = arguments.object.get() {
        client.0.queue.finish();
    }
    arguments.object.destroy();
    Ok(())
}

/// A text that is there as long as the library.
fn tell<T>(arguments: &mut List<T, c_char>, text: &'static str) -> Result<(), Failure> {
    arguments.object.get()?;
    (arguments.items, arguments.count) = (text.as_ptr().cast(), text.len());
    Ok(())
}

pub fn platform_name(arguments: &mut List<Client, c_char>) -> Result<(), Failure> {
    tell(arguments, PLATFORM)
}

pub fn platform_version(arguments: &mut List<Client, c_char>) -> Result<(), Failure> {
    let version = &arguments.object.get()?.0.version;
    (arguments.items, arguments.count) = (version.as_ptr().cast(), version.len());
    Ok(())
}

pub fn process_index(arguments: &mut Value<Client, i32>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.value = 0;
    Ok(())
}

pub fn devices(arguments: &mut List<Client, Handle<Device>>) -> Result<(), Failure> {
    let devices = &arguments.object.get()?.0.devices;
    (arguments.items, arguments.count) = (devices.as_ptr(), devices.len());
    Ok(())
}

pub fn memories(arguments: &mut List<Client, Handle<Memory>>) -> Result<(), Failure> {
    let memories = &arguments.object.get()?.0.memories;
    (arguments.items, arguments.count) = (memories.as_ptr(), memories.len());
    Ok(())
}

pub fn lookup(arguments: &mut Lookup) -> Result<(), Failure> {
    let client = &arguments.client.get()?.0;
    let number = usize::try_from(arguments.id).ok().filter(|number| *number < client.count());
    let number = number.ok_or_else(|| {
        Failure::new(Code::NotFound, format!("there is no device {}", arguments.id))
    })?;
    arguments.device = client.device(number);
    Ok(())
}

/// The first devices, those of a replica one after another.
pub fn default_assignment(arguments: &mut DefaultAssignment) -> Result<(), Failure> {
    let client = &arguments.client.get()?.0;
    let (replicas, partitions) = (arguments.replicas, arguments.partitions);
    let wanted = replicas.checked_mul(partitions).filter(|_| replicas > 0 && partitions > 0);
    let wanted = wanted.and_then(|wanted| usize::try_from(wanted).ok());
    let wanted = wanted.filter(|wanted| *wanted <= client.count()).ok_or_else(|| {
        let count = client.count();
        Failure::invalid(format!(
            "{replicas} replicas of {partitions} partitions do not fit on {count} devices: {MORE_DEVICES}"
        ))
    })?;
    if arguments.size < wanted || arguments.assignment.is_null() {
        return Err(Failure::invalid("the assignment has no place for all devices"));
    }
    for number in 0..wanted {
        // SAFETY: the client has that many numbers there.
        unsafe { arguments.assignment.add(number).write(number as i32) };
    }
    Ok(())
}

/// The identifier, and the hardware's number.
pub fn device_number(arguments: &mut Value<Device, i32>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.number as i32;
    Ok(())
}

/// The number of the process.
pub fn device_process(arguments: &mut Value<Device, i32>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.value = 0;
    Ok(())
}

pub fn no_attributes(arguments: &mut Counted<Device, NamedValue>) -> Result<(), Failure> {
    arguments.object.get()?;
    (arguments.items, arguments.count) = (ptr::null(), 0);
    Ok(())
}

pub fn device_attributes(arguments: &mut DeviceAttributes) -> Result<(), Failure> {
    arguments.device.get()?;
    (arguments.items, arguments.count) = (ptr::null(), 0);
    arguments.owner = ptr::null_mut();
    arguments.deleter = Some(keep);
    Ok(())
}

pub fn device_kind(arguments: &mut List<Device, c_char>) -> Result<(), Failure> {
    tell(arguments, KIND)
}

pub fn device_text(arguments: &mut List<Device, c_char>) -> Result<(), Failure> {
    let text = &arguments.object.get()?.text;
    (arguments.items, arguments.count) = (text.as_ptr().cast(), text.len());
    Ok(())
}

/// The device is its own description.
pub fn description(arguments: &mut Value<Device, Handle<Device>>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.value = arguments.object;
    Ok(())
}

pub fn is_addressable(arguments: &mut Value<Device, bool>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.value = true;
    Ok(())
}

pub fn device_memories(arguments: &mut List<Device, Handle<Memory>>) -> Result<(), Failure> {
    let memories = arguments.object.get()?.memories.get().map_or(&[][..], |all| &all[..]);
    (arguments.items, arguments.count) = (memories.as_ptr(), memories.len());
    Ok(())
}

pub fn default_memory(arguments: &mut Value<Device, Handle<Memory>>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.memories.get().map_or(Handle::NULL, |all| all[0]);
    Ok(())
}

/// The memory of all clients of the process.
pub fn memory_stats(arguments: &mut DeviceMemory) -> Result<(), Failure> {
    arguments.device.get()?;
    let Usage { in_use, peak, count, largest, limit } = Usage::now();
    arguments.in_use = in_use.cast_signed();
    (arguments.peak, arguments.has_peak) = (peak.cast_signed(), true);
    (arguments.count, arguments.has_count) = (count.cast_signed(), true);
    (arguments.largest, arguments.has_largest) = (largest.cast_signed(), true);
    (arguments.limit, arguments.has_limit) = (limit.cast_signed(), true);
    (arguments.has_reserved, arguments.has_peak_reserved) = (false, false);
    // Nothing is reserved: all that there is can be.
    (arguments.reservable, arguments.has_reservable) = (limit.cast_signed(), true);
    arguments.has_largest_free = false;
    (arguments.has_pool, arguments.has_peak_pool) = (false, false);
    Ok(())
}

pub fn memory_number(arguments: &mut Value<Memory, i32>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.number as i32;
    Ok(())
}

/// All memories are of one kind.
pub fn memory_kind_number(arguments: &mut Value<Memory, i32>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.value = 0;
    Ok(())
}

pub fn memory_kind(arguments: &mut List<Memory, c_char>) -> Result<(), Failure> {
    tell(arguments, MEMORY)
}

pub fn memory_text(arguments: &mut List<Memory, c_char>) -> Result<(), Failure> {
    let text = &arguments.object.get()?.text;
    (arguments.items, arguments.count) = (text.as_ptr().cast(), text.len());
    Ok(())
}

pub fn memory_devices(arguments: &mut List<Memory, Handle<Device>>) -> Result<(), Failure> {
    let devices = arguments.object.get()?.devices.get().map_or(&[][..], |all| &all[..]);
    (arguments.items, arguments.count) = (devices.as_ptr(), devices.len());
    Ok(())
}
