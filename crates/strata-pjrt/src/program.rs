//! A program of the client, compiled and linked in this process.

use std::{
    ffi::{c_char, c_void},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use strata::{
    Artifact, Compiler, Convention, Cost, Costs, ElementType, Observer, Options, Product, Stage,
    StageInfo, TensorSpec,
};
use strata_diag::Diagnostics;
use strata_ir::{AttributeExt as _, Context, LentContext, Module, Type, TypeExt, function_types};
use strata_run::Loaded;
use strata_threads::devices::Devices;

use crate::{
    abi::{Handle, NamedValue, Union},
    callback::{self, Held},
    client::{MEMORY, Shared},
    element,
    failure::Failure,
    ffi::{self, States},
    identity,
    interrupt::Begun,
    layouts::{MemoryLayout, Order},
    proto::{self, CompileOptions, Placed},
    serial::Saved,
    split,
    storage::Aligned,
};

/// How long a device waits for another one. All start together, so that it is long only where they compute long.
const TIME_LIMIT: Duration = Duration::from_secs(3600);
/// What diagnostics call the client's program.
const NAME: &str = "program";
/// Programs of more bytes are not compared without their locations.
const MOST_COMPARED: usize = 1 << 16;
/// A call that takes longer goes on after the function has returned: waking a thread for it and waiting for that takes a tenth of it.
const SHORT: Duration = Duration::from_micros(100);
/// The same of a call on several devices, whose threads would have to be woken from sleep after the other one: a call that was late once would be late
/// again, and its caller has no processor of its own to go on.
const SHORT_TOGETHER: Duration = Duration::from_millis(2);
/// `PJRT_NamedValue_kFloat`.
const FLOAT: i32 = 3;
const HINT: &str = "Strata's run-time library has JAX's `lapack_*_ffi`; `jax.ffi.register_ffi_target` with the platform \"strata\" adds others";

/// A compiled program.
pub struct Program {
    /// The code.
    pub loaded: Loaded,
    /// Object, signature and what else is known of it.
    pub saved: Saved,
    /// The results as the C API asks for them.
    pub outputs: Outputs,
    /// The client's functions that it calls.
    held: Held,
    /// The states of functions that follow XLA's interface.
    pub states: States,
    has_states: bool,
    properties: OnceLock<[NamedValue; 3]>,
    /// The program after stage `hlo`, once it was asked for.
    text: OnceLock<Result<String, Failure>>,
    /// The workspaces of earlier calls, and the device that each was used by.
    spare: Mutex<Vec<(usize, Aligned)>>,
    /// The devices of earlier calls.
    devices: Mutex<Vec<Arc<Devices>>>,
    /// How long the last call took, in nanoseconds; 0 before the first.
    took: AtomicU64,
}

/// What the C API asks of the results: arrays that live as long as the program.
#[derive(Default)]
pub struct Outputs {
    /// The code of each element type.
    pub types: Vec<i32>,
    /// The sizes of all.
    pub dims: Vec<i64>,
    /// How many sizes each has.
    pub ranks: Vec<usize>,
    /// The kind of memory of each.
    pub kinds: Vec<Text>,
    /// The lengths of these texts.
    pub kind_sizes: Vec<usize>,
    /// `xla.OpSharding` of each argument, and of each result, with their lengths: none for one device.
    pub shardings: [(Vec<Text>, Vec<usize>); 2],
    /// The layouts of the arguments and of the results.
    pub layouts: [Vec<Handle<MemoryLayout>>; 2],
}

/// A text that lives as long as the program.
#[repr(transparent)]
pub struct Text(pub *const c_char);

// SAFETY: nothing writes the text.
unsafe impl Send for Text {}
// SAFETY: as above.
unsafe impl Sync for Text {}

/// What is read off the program while it is compiled.
struct Said {
    begun: Begun,
    name: String,
    donors: Vec<bool>,
    tokens: [Vec<bool>; 2],
    layouts: [Vec<Order>; 2],
    callbacks: Vec<i64>,
    failure: Option<Failure>,
    cost: Cost,
}

/// The options of a compilation, and replicas and partitions.
type How<'a> = (&'a Options, [usize; 2]);

/// Declares the devices that the client compiles for, where the program says otherwise.
fn declare<'c>(context: &'c Context, module: &Module<'c>, grid: [usize; 2]) {
    let root = strata_ir::module_op(module);
    let own = strata_ir::Devices::of(root);
    let wanted = grid.map(|count| count as i64);
    if wanted != [own.replicas, own.partitions] && wanted != [1, 1] {
        for (name, count) in [strata_ir::REPLICAS, strata_ir::PARTITIONS].into_iter().zip(wanted) {
            root.set_attr(name, strata_ir::int(strata_ir::integer(context, 32), count));
        }
    }
}

impl Program {
    /// The program with these bytes, from the cache where it has it.
    ///
    /// # Errors
    /// The compiler's diagnostics.
    pub fn compile(
        client: &Shared,
        bytes: &[u8],
        wanted: &CompileOptions,
    ) -> Result<Arc<Self>, Failure> {
        let (begun, grid) = (Begun::now(), wanted.placed.grid());
        if let Some(options) = wanted.other_than(&client.options) {
            // The cache is of programs with the client's options.
            let compile = || {
                let context = LentContext::take();
                let Ok(module) = strata_vhlo::parse(&context, NAME, bytes) else {
                    return Self::of_bytes(client, &options, bytes);
                };
                let compiled = Self::of_module(client, (&options, grid), bytes, &context, module)?;
                context.give_back(bytes.len().max(compiled.code_size()));
                Ok(compiled)
            };
            let compiled = on_large_stack(&compile).map_err(|failure| begun.failure(failure))?;
            return Ok(Arc::new(compiled));
        }
        let known = client.cache.get(bytes);
        if let Some(found) = known.filter(|found| found.saved.grid == grid) {
            return Ok(found);
        }
        let read = on_large_stack(&|| Self::read(client, bytes, grid));
        let (program, text) = read.map_err(|failure| begun.failure(failure))?;
        // The client's functions may go away, and there is no second program with the same numbers. States are of one executable.
        if program.held.is_empty() && !program.has_states {
            client.cache.put(Arc::clone(&program.saved.source), &program);
            if let Some(text) = text {
                client.cache.put(text.into_bytes().into(), &program);
            }
        }
        Ok(program)
    }

    /// The program, and its text without locations if it was compiled: one from another line of the client is the same.
    fn read(
        client: &Shared,
        bytes: &[u8],
        grid: [usize; 2],
    ) -> Result<(Arc<Self>, Option<String>), Failure> {
        let (context, options) = (LentContext::take(), &client.options);
        let Ok(module) = strata_vhlo::parse(&context, NAME, bytes) else {
            return Ok((Arc::new(Self::of_bytes(client, options, bytes)?), None));
        };
        let text = (bytes.len() <= MOST_COMPARED).then(|| strata_ir::print_verified(&module));
        let known = text.as_ref().and_then(|text| client.cache.get(text.as_bytes()));
        if let Some(found) = known.filter(|found| found.saved.grid == grid) {
            drop(module);
            context.give_back(bytes.len());
            return Ok((found, None));
        }
        let compiled = Self::of_module(client, (options, grid), bytes, &context, module)?;
        context.give_back(bytes.len().max(compiled.code_size()));
        Ok((Arc::new(compiled), text))
    }

    /// The program for one device with these bytes.
    fn of_bytes(client: &Shared, options: &Options, bytes: &[u8]) -> Result<Self, Failure> {
        let done = Self::done(options, |compiler| compiler.compile(NAME, bytes))?;
        Self::new(client, (options, [1, 1]), bytes, done)
    }

    /// The program of a module that was read from these bytes.
    fn of_module<'c>(
        client: &Shared,
        how: How<'_>,
        bytes: &[u8],
        context: &'c LentContext,
        mut module: Module<'c>,
    ) -> Result<Self, Failure> {
        let (options, grid) = how;
        let begun = Begun::now();
        let mut whole = Vec::new();
        loop {
            declare(context, &module, grid);
            let is_named = match grid {
                [1, 1] => Vec::new(),
                _ => split::prepare(context, &module, &whole)?,
            };
            options.settle_meaning(context, &module);
            let has_states = ffi::number_calls(context, &module);
            let done = Self::done(options, |compiler| compiler.compile_module(context, module));
            let compiled = match done {
                Ok(done) => {
                    if let Some(signature) = done.0.signature().filter(|_| grid != [1, 1]) {
                        whole = split::uneven(signature, &is_named);
                    }
                    if !whole.is_empty() {
                        module = strata_vhlo::parse(context, NAME, bytes)?;
                        continue;
                    }
                    Self::new(client, how, bytes, done)
                }
                // Diagnostics of a module lack the lines of its source. Parts are of the module alone.
                Err(failure) if begun.is_interrupted() || grid != [1, 1] => Err(failure),
                Err(_) => Self::of_bytes(client, options, bytes),
            };
            return Ok(Self { has_states, ..compiled? });
        }
    }

    /// What was compiled, and what was read off it.
    fn done(
        options: &Options,
        compile: impl FnOnce(Compiler<'_>) -> Result<Artifact, Diagnostics>,
    ) -> Result<(Artifact, Said), Failure> {
        let (mut said, linked) = (Said::new(Begun::now()), Shared::linked());
        let compiler = Compiler::new(options.clone())
            .offered(|name| linked.find(name).is_some(), HINT)
            .observe(&mut said);
        let artifact = compile(compiler)?;
        match said.failure.take() {
            Some(failure) => Err(failure),
            None => Ok((artifact, said)),
        }
    }

    fn new(
        client: &Shared,
        (options, grid): How<'_>,
        bytes: &[u8],
        (artifact, mut said): (Artifact, Said),
    ) -> Result<Self, Failure> {
        let linked = Shared::linked();
        // Exchanges between devices, and the object's own conditions, are not functions of the client.
        let is_own =
            |kind: Convention| matches!(kind, Convention::Collective | Convention::Condition);
        let foreign: Vec<_> =
            artifact.foreign().iter().filter(|(_, kind)| !is_own(*kind)).collect();
        if let Some((name, _)) = foreign.iter().find(|(_, kind)| *kind != Convention::Typed) {
            return Err(Failure::invalid(format!("`{name}` is called with another interface")));
        }
        let signature = artifact.signature().cloned();
        let signature =
            signature.ok_or_else(|| Failure::internal("the object has no signature"))?;
        if !signature.shapes.is_empty() {
            return Err(Failure::unimplemented("results whose size is known only at run time"));
        }
        if signature.grid().is_some_and(|own| own.count() > 1) && grid == [1, 1] {
            let text = "the program splits values over devices, or exchanges them, and the compile options are for one";
            return Err(Failure::invalid(text));
        }
        let shardings = match grid {
            [1, 1] => [Vec::new(), Vec::new()],
            _ => split::protos(&signature, &said.tokens)?,
        };
        let [arguments, _] = &said.tokens;
        said.donors.resize(arguments.len(), false);
        let donors = said.donors.iter().zip(arguments).filter(|(_, is_token)| !**is_token);
        let donors = donors.map(|(is_donor, _)| *is_donor).collect();
        let runtime: Vec<_> =
            strata_runtime::TARGETS.iter().map(|(_, one)| *one as *const c_void).collect();
        let is_runtime = |name: &str| linked.find(name).is_some_and(|one| runtime.contains(&one));
        let saved = Saved {
            calls_client: foreign.iter().any(|(name, _)| !is_runtime(name)),
            name: said.name,
            fingerprint: identity::digest(&[identity::of(options).as_bytes(), bytes]),
            cost: said.cost,
            signature,
            grid,
            shardings,
            donors,
            layouts: said.layouts,
            tokens: said.tokens,
            object: artifact.bytes().to_vec(),
            source: bytes.into(),
        };
        Self::load(client, saved, Held::new(said.callbacks)?)
    }

    fn load(client: &Shared, saved: Saved, held: Held) -> Result<Self, Failure> {
        let outputs = Outputs::of(&saved)?;
        let (options, linked) = (&client.options, Shared::linked());
        let loaded = Loaded::linked(&saved.object, options, &saved.signature, &linked)?;
        let (properties, text, spare) = (OnceLock::new(), OnceLock::new(), Mutex::default());
        let took = AtomicU64::new(0);
        let states = States::default();
        let has_states = false;
        let devices = Mutex::default();
        Ok(Self {
            loaded,
            saved,
            outputs,
            held,
            states,
            has_states,
            properties,
            text,
            spare,
            devices,
            took,
        })
    }

    /// The program that [`Self::serialise`] wrote, and the devices that it was for.
    ///
    /// # Errors
    /// As [`Saved::read`].
    pub fn deserialise(client: &Shared, bytes: &[u8]) -> Result<(Arc<Self>, Placed), Failure> {
        let (saved, placed) = Saved::read(bytes, &client.identity)?;
        let program = on_large_stack(&|| Self::load(client, saved.clone(), Held::default()))?;
        Ok((Arc::new(program), placed))
    }

    /// The program for another process with the same library on the same processor.
    ///
    /// # Errors
    /// For programs that call functions of this process.
    pub fn serialise(&self, identity: &str, placed: &Placed) -> Result<Vec<u8>, Failure> {
        match self.held.is_empty() {
            true => self.saved.write(identity, placed),
            false => Err(Failure::unimplemented("serialisation of programs with callbacks")),
        }
    }

    /// The program after stage `hlo`, or `spmd` for several devices: StableHLO on one function, simplified.
    ///
    /// # Errors
    /// Those of the compiler, which has compiled it before.
    pub fn text(&self, options: &Options) -> Result<&str, Failure> {
        let compile = || {
            let Saved { grid, source, shardings: [_, results], .. } = &self.saved;
            let artifact = match grid {
                [1, 1] => Compiler::new(options.clone()).to(Stage::Hlo).compile(NAME, source)?,
                _ => {
                    let context = LentContext::take();
                    let module = strata_vhlo::parse(&context, NAME, source)?;
                    declare(&context, &module, *grid);
                    let is_named = split::prepare(&context, &module, &[])?;
                    // What is whole without being named is so because its parts would not be equal, or would be whole anyway.
                    let is_whole =
                        |at: &usize| !is_named[*at] && results[*at] == proto::replicated();
                    let whole: Vec<_> = (0..is_named.len()).filter(is_whole).collect();
                    split::prepare(&context, &module, &whole)?;
                    let compiler = Compiler::new(options.clone()).to(Stage::Spmd);
                    let artifact = compiler.compile_module(&context, module)?;
                    context.give_back(source.len());
                    artifact
                }
            };
            let text = artifact.text().map(str::to_owned);
            text.ok_or_else(|| Failure::internal("the program has no text"))
        };
        let text = self.text.get_or_init(|| on_large_stack(&compile));
        text.as_ref().map(String::as_str).map_err(Failure::clone)
    }

    /// Takes note of how long a call took.
    pub fn ran(&self, time: Duration) {
        self.took.store(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Whether a call takes less than it would cost to run it on another thread, as far as is known.
    pub fn is_short(&self) -> bool {
        let short = if self.count() > 1 { SHORT_TOGETHER } else { SHORT };
        Duration::from_nanos(self.took.load(Ordering::Relaxed)) < short
    }

    /// The bytes of the object.
    pub fn code_size(&self) -> usize {
        self.saved.object.len()
    }

    /// What it costs, under the names that XLA uses.
    pub fn properties(&self) -> &[NamedValue] {
        let Cost { flops, transcendentals, bytes } = self.saved.cost;
        let property = |name: &'static str, value: u64| NamedValue {
            struct_size: size_of::<NamedValue>(),
            extension_start: std::ptr::null(),
            name: name.as_ptr().cast(),
            name_size: name.len(),
            kind: FLOAT,
            value: Union { float: value as f32 },
            value_size: 1,
        };
        self.properties.get_or_init(|| {
            [
                property("flops", flops),
                property("transcendentals", transcendentals),
                property("bytes accessed", bytes),
            ]
        })
    }

    /// Calls `body` with memory for temporaries, which is kept for the next call of the same device: its processor has it in its caches.
    ///
    /// # Errors
    /// Those of `body`, and if there is no memory.
    pub fn with_workspace<R>(
        &self,
        device: usize,
        body: impl FnOnce(*mut c_void) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let take = |spare: &mut Vec<(usize, Aligned)>| {
            let own = spare.iter().rposition(|(own, _)| *own == device);
            own.map(|at| spare.remove(at)).or_else(|| spare.pop())
        };
        let kept = take(&mut spare());
        let workspace = match kept {
            Some((_, workspace)) => workspace,
            None => Aligned::new(self.loaded.workspace_size())?,
        };
        let result = body(workspace.pointer().cast());
        let mut spare = spare();
        // One for each device is enough, unless calls overlap.
        if spare.len() < self.count() {
            spare.push((device, workspace));
        }
        result
    }

    /// How many devices it runs on.
    pub fn count(&self) -> usize {
        self.saved.grid.iter().product()
    }

    /// Calls `body` with devices for it, which are kept for the next call if all goes well.
    pub fn on_devices<R>(&self, body: impl FnOnce(&Arc<Devices>) -> R) -> R {
        let kept = || self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = kept().pop();
        let devices = spare.unwrap_or_else(|| {
            let [replicas, partitions] = self.saved.grid;
            Arc::new(Devices::new(replicas, partitions).with_time_limit(TIME_LIMIT))
        });
        let result = body(&devices);
        if devices.failure().is_none() && devices.unreceived().is_none() {
            kept().push(devices);
        }
        result
    }
}

impl Observer for Said {
    fn stage_started(&mut self, _: &StageInfo, _: usize, _: usize) {
        self.begun.check();
    }

    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, _: Duration) {
        match (info.stage, product) {
            (Stage::Input, Product::Mlir(module)) => self.read(module),
            (Stage::Hlo | Stage::Spmd, Product::Mlir(module)) => {
                self.cost = Costs::of(module).total();
            }
            _ => {}
        }
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}

impl Said {
    fn new(begun: Begun) -> Self {
        Self {
            begun,
            name: String::new(),
            donors: Vec::new(),
            tokens: Default::default(),
            layouts: Default::default(),
            callbacks: Vec::new(),
            failure: None,
            cost: Cost::default(),
        }
    }

    fn read(&mut self, module: &Module<'_>) {
        let name = strata_ir::module_op(module).attr("sym_name");
        self.name = name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
        match callback::numbers(module) {
            Ok(numbers) => self.callbacks = numbers,
            Err(failure) => self.failure = Some(failure),
        }
        let Ok(entry) = strata_ir::entry(module, None) else { return };
        let types =
            entry.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types);
        let (arguments, results) = types.unwrap_or_default();
        let are_tokens = |types: &[Type<'_>]| types.iter().map(|ty| ty.is_token()).collect();
        self.tokens = [are_tokens(&arguments), are_tokens(&results)];
        let layouts = (
            layouts(&arguments, entry.attr("arg_attrs")),
            layouts(&results, entry.attr("res_attrs")),
        );
        match layouts {
            (Ok(arguments), Ok(results)) => self.layouts = [arguments, results],
            (Err(failure), _) | (_, Err(failure)) => self.failure = Some(failure),
        }
        let attributes = entry.attr("arg_attrs").and_then(|list| list.as_array());
        let is_donor = |one: &strata_ir::Attribute<'_>| {
            let donor = one.entry("jax.buffer_donor").and_then(|donor| donor.as_bool());
            donor == Some(true) || one.entry("tf.aliasing_output").is_some()
        };
        self.donors = attributes.unwrap_or_default().iter().map(is_donor).collect();
    }
}

/// The layouts of the tensors among arguments or results, by their attributes.
fn layouts(
    types: &[Type<'_>],
    attributes: Option<strata_ir::Attribute<'_>>,
) -> Result<Vec<Order>, Failure> {
    let attributes = attributes.and_then(|list| list.as_array()).unwrap_or_default();
    let tensors = types.iter().enumerate().filter(|(_, ty)| !ty.is_token());
    let order = |(at, ty): (usize, &Type<'_>)| {
        let rank = ty.rank().unwrap_or_default();
        let mode = attributes.get(at).and_then(|one| one.entry("mhlo.layout_mode"));
        match mode.as_ref().and_then(|mode| mode.as_str()) {
            Some(mode) => Order::of_mode(mode, rank),
            None => Ok(Order::row_major(rank)),
        }
    };
    tensors.map(order).collect()
}

impl Outputs {
    fn of(saved: &Saved) -> Result<Self, Failure> {
        let mut outputs = Self::default();
        let mut tensors = saved.signature.outputs.iter();
        for is_token in &saved.tokens[1] {
            // A token is an array without elements.
            let token = TensorSpec::new(vec![0], ElementType::Bool);
            let tensor = if *is_token { None } else { tensors.next() };
            let one = tensor.unwrap_or(&token);
            outputs.types.push(element::code(one.element)?);
            outputs.dims.extend(one.shape.iter().map(|&size| size.cast_signed()));
            outputs.ranks.push(one.shape.len());
            outputs.kinds.push(Text(MEMORY.as_ptr().cast()));
            outputs.kind_sizes.push(MEMORY.len());
        }
        for one in &saved.signature.inputs {
            element::code(one.element)?;
        }
        let sides = [(&saved.tokens[0], &saved.layouts[0]), (&saved.tokens[1], &saved.layouts[1])];
        let of_token = Order::row_major(1);
        outputs.layouts = sides.map(|(tokens, layouts)| {
            let mut layouts = layouts.iter();
            let order = |is_token: &bool| match is_token {
                true => &of_token,
                false => layouts.next().unwrap_or(&of_token),
            };
            tokens.iter().map(order).map(MemoryLayout::of).collect()
        });
        outputs.shardings = saved.shardings.each_ref().map(|all| {
            let texts = all.iter().map(|one| Text(one.as_ptr().cast()));
            (texts.collect(), all.iter().map(Vec::len).collect())
        });
        Ok(outputs)
    }
}

/// Runs `body` on a large stack, and makes a panic a failure.
fn on_large_stack<R: Send>(body: &(impl Fn() -> Result<R, Failure> + Sync)) -> Result<R, Failure> {
    strata::on_large_stack(body).unwrap_or_else(|message| Err(Failure::panicked(&message)))
}
