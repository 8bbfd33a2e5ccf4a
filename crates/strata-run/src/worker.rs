//! A second process of this program, which continues from where the first one is.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::process::ExitStatusExt as _,
    process::ExitStatus,
    ptr,
};

use crate::interrupts::interrupts_go_to;

/// One side of a [`fork`].
#[derive(Debug)]
pub enum Side {
    /// The new process.
    Worker,
    /// The old process, once the new one has ended.
    Supervisor(ExitStatus),
}

/// Splits this process into two and waits in the old one for the end of the new one. To start the program a second time
/// instead takes as long as the compilation of a small program. `None` where this process has other threads, or where Linux
/// does not say that it has none: the new process would have what they locked, and no thread to unlock it.
///
/// # Errors
/// If the system makes no process.
pub fn fork() -> io::Result<Option<Side>> {
    let is_alone = cfg!(target_os = "linux")
        && fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1);
    if !is_alone {
        return Ok(None);
    }
    // SAFETY: this process has one thread, so that the new one has all of its state and nothing is locked.
    let worker = unsafe { libc::fork() };
    match worker {
        ..0 => Err(io::Error::last_os_error()),
        0 => Ok(Some(Side::Worker)),
        _ => {
            interrupts_go_to(worker.unsigned_abs());
            let side = wait(worker);
            interrupts_go_to(0);
            side.map(Some)
        }
    }
}

/// Ends this process, once what it wrote is out. The system takes its memory as it is: to give it back piece by piece, and to run the
/// destructors of MLIR's and LLVM's static objects, takes as long as some stages. Only where no code ran that may have left something to
/// do at the end, such as a compiled program's libraries.
pub fn leave(code: u8) -> ! {
    // As at any end of a process, it does not matter whether the output is still open.
    let _ = io::stdout().flush();
    // SAFETY: without a stream, all of them are flushed; nothing of this process runs afterwards.
    unsafe {
        libc::fflush(ptr::null_mut());
        libc::_exit(i32::from(code))
    }
}

fn wait(worker: libc::pid_t) -> io::Result<Side> {
    let mut status = 0;
    loop {
        // SAFETY: the status is written during the call only, and the process is a child that nothing else waits for.
        if unsafe { libc::waitpid(worker, &raw mut status, 0) } == worker {
            return Ok(Side::Supervisor(ExitStatus::from_raw(status)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
