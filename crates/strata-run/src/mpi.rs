//! This process as one of the ranks of an MPI program: the provider in C, `include/strata/mpi.c`, for Rust.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    path::Path,
    ptr,
};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use strata_abi::{Collective, Collectives, DEVICE_FAILED, DIFFERENT_PROGRAMS, NO_REDUCTION};
use strata_diag::{Diagnostic, Location, codes};

use crate::{devices::hinted, linked::said};

/// The files of the provider, to be compiled by the `mpicc` of an MPI: names and texts.
pub const MPI_SOURCES: &[(&str, &str)] = &[
    ("mpi.c", include_str!("../../../include/strata/mpi.c")),
    ("mpi.h", include_str!("../../../include/strata/mpi.h")),
    ("abi.h", include_str!("../../../include/strata/abi.h")),
];

/// `strata_mpi_options`.
#[repr(C)]
struct Options {
    size: usize,
    replicas: i64,
    partitions: i64,
    program: u64,
    seconds: f64,
    order: i32,
    direct_members: i32,
    ordered_bytes: i64,
    communicator: *const c_void,
    library: *const c_char,
}

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*const Options, *mut Handle) -> i32;
type Offers = unsafe extern "C" fn(Handle) -> *const Collectives;
type Reason = unsafe extern "C" fn(Handle) -> *const c_char;
type End = unsafe extern "C" fn(Handle, i32) -> i32;
type Destroy = unsafe extern "C" fn(Handle) -> i32;

// The provider for the standard ABI, which is part of this crate.
unsafe extern "C" {
    fn strata_mpi_create(options: *const Options, result: *mut Handle) -> i32;
    fn strata_mpi_collectives(mpi: Handle) -> *const Collectives;
    fn strata_mpi_reason(mpi: Handle) -> *const c_char;
    fn strata_mpi_end(mpi: Handle, status: i32) -> i32;
    fn strata_mpi_destroy(mpi: Handle) -> i32;
}

#[derive(Clone, Copy)]
struct Functions {
    create: Create,
    collectives: Offers,
    reason: Reason,
    end: End,
    destroy: Destroy,
}

/// A provider of MPI's ranks.
pub struct MpiLibrary {
    functions: Functions,
    /// The file of an MPI with the standard ABI.
    standard: Option<CString>,
    /// It stays loaded: MPI may have threads.
    _library: Option<&'static Library>,
}

impl MpiLibrary {
    /// Loads a shared library: an MPI with the standard ABI (`libmpi_abi`), or the provider as compiled by an `mpicc`. Its functions are
    /// code that the caller trusts.
    ///
    /// # Errors
    /// `S0002` if it cannot be loaded, or is neither.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let wrong = |reason: String| {
            Diagnostic::new(codes::S0002).at(Location::file(path.to_string_lossy())).reason(reason)
        };
        // Parts of an MPI that are loaded later need the symbols of the first.
        // SAFETY: the caller asks for this library's code to run, initialisers included.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) };
        let library = library.map_err(|error| {
            wrong(format!("the MPI cannot be loaded: {}", said(&error)))
                .hint("`--mpi` takes a `libmpi_abi.so.1`, or `strata/mpi.c` as a shared library")
        })?;
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: the functions are those of `strata/mpi.h` where all have its names.
        let functions = unsafe {
            (|| {
                Some(Functions {
                    create: *library.get(b"strata_mpi_create\0").ok()?,
                    collectives: *library.get(b"strata_mpi_collectives\0").ok()?,
                    reason: *library.get(b"strata_mpi_reason\0").ok()?,
                    end: *library.get(b"strata_mpi_end\0").ok()?,
                    destroy: *library.get(b"strata_mpi_destroy\0").ok()?,
                })
            })()
        };
        if let Some(functions) = functions {
            return Ok(Self { functions, standard: None, _library: Some(library) });
        }
        // SAFETY: only its presence is of interest.
        if unsafe { library.get::<*const c_void>(b"MPI_Abi_get_version\0") }.is_err() {
            let hint = "build a library from strata/mpi.c by the `mpicc` of your MPI: `mpicc -shared -fPIC mpi.c -o libstrata_mpi.so -pthread`";
            return Err(wrong(
                "it is neither an MPI with the standard ABI, nor a library of strata/mpi.c"
                    .to_owned(),
            )
            .hint(hint));
        }
        let standard = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| wrong("its name has a zero byte".to_owned()))?;
        let functions = Functions {
            create: strata_mpi_create,
            collectives: strata_mpi_collectives,
            reason: strata_mpi_reason,
            end: strata_mpi_end,
            destroy: strata_mpi_destroy,
        };
        Ok(Self { functions, standard: Some(standard), _library: Some(library) })
    }

    /// Joins the other ranks of a program for this grid, which the hash `program` tells from others. A rank waits for others `seconds` at
    /// most.
    ///
    /// # Errors
    /// `S1805` with what the provider says, if they do not come, are more or fewer, or run another program.
    pub fn join(
        &self,
        (replicas, partitions): (usize, usize),
        program: i64,
        seconds: f64,
    ) -> Result<Rank, Diagnostic> {
        let library = self.standard.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        let options = Options {
            size: size_of::<Options>(),
            replicas: replicas as i64,
            partitions: partitions as i64,
            program: program.cast_unsigned(),
            seconds,
            order: 0,
            direct_members: 0,
            ordered_bytes: 0,
            communicator: ptr::null(),
            library,
        };
        let mut handle = ptr::null_mut();
        // SAFETY: the options are those of the header, and are read during the call only.
        let status = unsafe { (self.functions.create)(&raw const options, &raw mut handle) };
        let rank = Rank { functions: self.functions, handle, count: replicas * partitions };
        if status == 0 { Ok(rank) } else { Err(rank.failure(status)) }
    }
}

/// This process among the ranks, which leaves them when it is dropped.
pub struct Rank {
    functions: Functions,
    handle: Handle,
    count: usize,
}

impl Rank {
    /// What a program needs of it: `strata_host.collectives`.
    pub fn collectives(&self) -> &Collectives {
        // SAFETY: the structure is part of what the handle is of, which this value owns.
        unsafe { &*(self.functions.collectives)(self.handle) }
    }

    /// Its number, which is that of the device.
    pub fn number(&self) -> usize {
        let all = self.collectives();
        usize::try_from(all.replica * all.partition_count + all.partition).unwrap_or(0)
    }

    /// How many ranks there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Gives all ranks the bytes of each, which are as many on all.
    ///
    /// # Errors
    /// `S1805` if another rank failed, or is elsewhere.
    pub fn all_gather(&self, operation: &CStr, bytes: &[u8]) -> Result<Vec<u8>, Diagnostic> {
        let members: Vec<i64> = (0..self.count as i64).collect();
        let starts = [0, self.count as i64];
        let what = exchange(operation, &starts, &members);
        let mut output = vec![0; bytes.len() * self.count];
        let all = self.collectives();
        let status = all.all_gather.map_or(DEVICE_FAILED, |gather| {
            // SAFETY: the output has room for the bytes of all ranks.
            unsafe {
                gather(
                    all.context,
                    &raw const what,
                    bytes.len() as i64,
                    bytes.as_ptr().cast(),
                    output.as_mut_ptr().cast(),
                )
            }
        });
        if status == 0 { Ok(output) } else { Err(self.failure(status)) }
    }

    /// Gives the first rank the bytes of each, which are as many on all; nothing to the others.
    ///
    /// # Errors
    /// As [`Self::all_gather`].
    pub fn gather(&self, operation: &CStr, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let all = self.collectives();
        let (mine, count) = (self.number(), bytes.len());
        let mut gathered = Vec::new();
        for rank in 1..self.count {
            let ends = [rank as i64, 0];
            let what = exchange(operation, &[0, 2], &ends);
            let status = if mine == rank {
                // SAFETY: there are so many bytes.
                all.send.map_or(DEVICE_FAILED, |send| unsafe {
                    send(all.context, &raw const what, count as i64, bytes.as_ptr().cast())
                })
            } else if mine == 0 {
                let mut other = vec![0u8; count];
                // SAFETY: there is room for so many bytes.
                let status = all.recv.map_or(DEVICE_FAILED, |recv| unsafe {
                    recv(all.context, &raw const what, count as i64, other.as_mut_ptr().cast())
                });
                gathered.push(other);
                status
            } else {
                0
            };
            if status != 0 {
                return Err(self.failure(status));
            }
        }
        if mine == 0 {
            gathered.insert(0, bytes);
        }
        Ok(gathered)
    }

    /// Says that the program of this rank has ended with that status, and waits for the others.
    ///
    /// # Errors
    /// `S1805` if one failed, or something that was sent is not received.
    pub fn end(&self, status: i32) -> Result<(), Diagnostic> {
        // SAFETY: the handle is valid.
        let status = unsafe { (self.functions.end)(self.handle, status) };
        if status == 0 { Ok(()) } else { Err(self.failure(status)) }
    }

    /// What happened, after a function has returned this status.
    fn failure(&self, status: i32) -> Diagnostic {
        // SAFETY: the text is valid until the next call.
        let reason = unsafe { CStr::from_ptr((self.functions.reason)(self.handle)) };
        let reason = format!("status {status}: {}", reason.to_string_lossy());
        let failed = Diagnostic::new(codes::S1805).reason(reason);
        match status {
            DIFFERENT_PROGRAMS => failed
                .hint("start the same version of the command with the same program on all ranks"),
            _ => hinted(failed, status),
        }
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        // SAFETY: the handle is not used any more. What remains where other ranks do not answer, the end of the process frees.
        unsafe { (self.functions.destroy)(self.handle) };
    }
}

/// An exchange of bytes.
fn exchange(operation: &CStr, starts: &[i64], members: &[i64]) -> Collective {
    Collective {
        size: size_of::<Collective>(),
        program: 0,
        operation: operation.as_ptr(),
        channel: -1,
        group_count: 1,
        group_starts: starts.as_ptr(),
        members: members.as_ptr(),
        element_type: 0x308,
        element_size: 1,
        reduction: NO_REDUCTION,
        reserved: 0,
        combine: None,
    }
}
