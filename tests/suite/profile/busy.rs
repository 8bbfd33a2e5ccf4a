//! Profiles beside other work, on one processor that the program and that work share.

use std::{
    env, fs,
    os::unix::process::CommandExt as _,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::{PLANTED, json};

/// A processor that this process may use.
fn one_processor() -> libc::cpu_set_t {
    // SAFETY: sets of zeros are sets, which the calls read or write within their size.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        assert_eq!(libc::sched_getaffinity(0, size, &raw mut allowed), 0);
        let first = (0..8 * size).find(|cpu| libc::CPU_ISSET(*cpu, &allowed));
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(first.expect("a processor"), &mut one);
        one
    }
}

/// Binds the calling thread to it.
fn stay_on(processor: &libc::cpu_set_t) -> std::io::Result<()> {
    // SAFETY: the call reads the set.
    match unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), processor) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Runs the command with these arguments beside three threads that want the same processor.
fn beside_others(arguments: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), PLANTED).expect("written");
    let processor = one_processor();
    let mut command =
        Command::new(env::var_os("STRATA_BIN").expect("STRATA_BIN names the command"));
    let own = ["profile", "p.mlir", "--time", "1.2", "--frequency", "4999", "--no-limits"];
    command.args(own).args(arguments).current_dir(folder.path());
    // SAFETY: the function makes one system call.
    unsafe { command.pre_exec(move || stay_on(&processor)) };
    let ends = AtomicBool::new(false);
    let ended = thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                stay_on(&processor).expect("the processor is one of this process");
                while !ends.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let ended = command.output();
        ends.store(true, Ordering::Relaxed);
        ended.expect("the command runs")
    });
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    (folder, String::from_utf8(ended.stdout).expect("text"))
}

#[test]
fn times_beside_other_work_are_processor_time() {
    for method in ["signals", "auto"] {
        let (_folder, text) = beside_others(&["--method", method, "--json"]);
        let profile = json(&text);
        let number = |value: &serde_json::Value| value.as_f64().expect("a number");
        let run = &profile["run"];
        let share = number(&run["processor_share"]);
        assert!(share > 0.01 && share < 0.8, "{run:#}");
        let (all, own) = (number(&run["seconds"]), number(&run["processor_seconds"]));
        assert!(own < 0.8 * all, "{run:#}");
        let first = &profile["operations"][0];
        assert_eq!(first["name"], "stablehlo.dot_general", "{profile:#}");
        let dot = number(&first["seconds"]);
        assert!(dot > 0.5 * own && dot < 1.1 * own, "{dot} of {own}, {all}");
        // Calls without samples are measured likewise.
        let without = number(&run["seconds_without_samples"]);
        assert!(without < 0.8 * all, "{run:#}");
    }
}

#[test]
fn the_report_warns_of_other_work() {
    for (threads, words) in
        [("1", "times below are processor time"), ("2", "are longer by the rest")]
    {
        let (folder, text) = beside_others(&["--threads", threads, "--top", "1", "-o", "p.json"]);
        let saved = fs::read_to_string(folder.path().join("p.json")).expect("written");
        if json(&saved)["run"]["processor_share"].is_null() {
            // The system does not count what several threads wait for.
            assert_ne!(threads, "1");
            continue;
        }
        let warned = text.lines().skip_while(|line| !line.starts_with("warning     other work"));
        let warned: Vec<_> = warned.take(2).collect();
        assert!(warned.len() == 2 && warned[1].contains(words), "{text}");
        assert_eq!(threads == "1", text.contains("of it is processor time"), "{text}");
    }
}
