//! `strata profile`: where the time goes, by both methods, and what it refuses. Ranks are checked, not times: the machine has other work.

use std::{
    env, fs,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;
use strata::Options;
use strata_diag::codes;
use strata_explore::explore;
use strata_profile::{Method, Profile, Program, Settings};

use crate::{
    command::{Ended, strata},
    devices,
    explore::in_browser,
    harness::cpus,
};

#[cfg(target_os = "linux")]
mod busy;
mod nests;
mod script;
mod sizes;

/// A dot that takes nearly all of the time, and two light operations around it.
const PLANTED: &str = r#"
func.func @main(%x: tensor<160x160xf32>, %v: tensor<777xf32>) -> (tensor<160x160xf32>, tensor<777xf32>) {
  %0 = stablehlo.exponential %v : tensor<777xf32> loc("jit(f)/light/exp"(callsite("light"("model.py":3:9) at "f"("model.py":12:5))))
  %1 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<160x160xf32>, tensor<160x160xf32>) -> tensor<160x160xf32> loc("jit(f)/heavy/dot"(callsite("heavy"("model.py":7:9) at "f"("model.py":13:5))))
  %2 = stablehlo.add %0, %v : tensor<777xf32> loc("jit(f)/light/add"(callsite("light"("model.py":4:9) at "f"("model.py":12:5))))
  return %1, %2 : tensor<160x160xf32>, tensor<777xf32>
}
"#;

/// The command on the planted program in a folder of its own.
fn profiled(arguments: &[&str]) -> (tempfile::TempDir, Ended) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), PLANTED).expect("written");
    let samples = ["--time", "0.6", "--frequency", "4999", "--no-limits"];
    let own = if arguments.contains(&"--perf-script") { &[][..] } else { &samples };
    let ended = strata(folder.path(), &[&["profile", "p.mlir"], own, arguments].concat());
    (folder, ended)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn options(cpu: &str) -> Options {
    let target = strata_codegen::target::resolve(None, Some(cpu), None);
    Options { name: "p".into(), ..Options::new(target.expect("a known CPU")) }
}

/// The program with inputs of ones.
#[track_caller]
fn measured(text: &str, settings: &Settings) -> Profile {
    measured_on("native", text, settings)
}

/// The same of code for another CPU.
#[track_caller]
fn measured_on(cpu: &str, text: &str, settings: &Settings) -> Profile {
    let program = Program::compile(&options(cpu), "p.mlir", text.as_bytes(), None)
        .unwrap_or_else(|errors| panic!("{}", errors.render()));
    let inputs = &program.signature().expect("a signature").inputs;
    let ones = |bytes: u64| 1f32.to_le_bytes().repeat(usize::try_from(bytes / 4).expect("small"));
    let inputs: Vec<_> = inputs.iter().map(|input| ones(input.byte_count())).collect();
    // Where other work leaves devices that wait for one another too little of the machine, a later try has more.
    let mut tries = 0;
    loop {
        match program.measure(&inputs, settings) {
            Ok(profile) => return profile,
            Err(errors) => {
                let text = errors.render();
                assert!(tries < 5 && text.contains("other work left the program"), "{text}");
                tries += 1;
            }
        }
    }
}

fn settings(method: Option<Method>) -> Settings {
    Settings { seconds: 0.6, frequency: 4999, method, has_limits: false, ..Settings::default() }
}

/// Whether this machine allows `perf_event_open`.
fn allows_events() -> bool {
    let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    let is_open = level.trim().parse::<i32>().is_ok_and(|level| level <= 2);
    is_open && profiled(&["--method", "perf"]).1.code == 0
}

#[track_caller]
fn names_the_heavy_one(profile: &Value, how: &str) {
    assert!(profile["method"].as_str().is_some_and(|method| method.contains(how)), "{profile:#}");
    let first = &profile["operations"][0];
    assert_eq!(first["name"], "stablehlo.dot_general", "{profile:#}");
    assert_eq!(first["operation"], 1);
    assert!(first["share"].as_f64() > Some(0.6), "{profile:#}");
    assert_eq!(profile["lines"][0]["file"], "model.py");
    assert_eq!(profile["lines"][0]["line"], 7);
    assert_eq!(profile["nests"][0]["nest"], profile["operations"][0]["nests"][0]);
}

#[test]
fn the_heavy_operation_and_its_line_come_first_by_signals() {
    let (_folder, ended) = profiled(&["--method", "signals", "--json"]);
    names_the_heavy_one(&json(ended.succeeded().text()), "signals");
}

#[test]
fn the_heavy_operation_and_its_line_come_first_by_events() {
    if allows_events() {
        let (_folder, ended) = profiled(&["--method", "perf", "--json"]);
        names_the_heavy_one(&json(ended.succeeded().text()), "perf_event_open");
    }
}

#[test]
fn threads_are_all_counted() {
    for method in ["signals", "auto"] {
        let (_folder, ended) = profiled(&["--threads", "3", "--method", method, "--json"]);
        let profile = json(ended.succeeded().text());
        assert_eq!(profile["run"]["threads"], 3);
        assert_eq!(profile["operations"][0]["name"], "stablehlo.dot_general", "{profile:#}");
    }
}

/// Lets a command run where `perf_event_open` is refused, as in a container.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn without_events(folder: &Path, arguments: &[&str]) -> Output {
    let binary = env::var_os("STRATA_BIN").expect("STRATA_BIN names the command");
    let mut command = Command::new(binary);
    command.args(arguments).current_dir(folder);
    let filter = || {
        let code = |code: u16, yes, no, k: u32| libc::sock_filter { code, jt: yes, jf: no, k };
        // Load the number of the call; if it is this one, fail with EPERM; else allow it.
        let mut program = [
            code(0x20, 0, 0, 0),
            code(0x15, 0, 1, u32::try_from(libc::SYS_perf_event_open).unwrap_or(0)),
            code(0x06, 0, 0, 0x0005_0000 | libc::EPERM.unsigned_abs()),
            code(0x06, 0, 0, 0x7FFF_0000),
        ];
        let program = libc::sock_fprog { len: 4, filter: program.as_mut_ptr() };
        // SAFETY: both calls only change what this process, which is about to become the command, may ask of the system.
        let failed = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
                    != 0
        };
        if failed { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the function only makes system calls.
    unsafe { command.pre_exec(filter) };
    command.output().expect("the command runs")
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn signals_are_used_where_events_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), PLANTED).expect("written");
    let command = ["profile", "p.mlir", "--time", "0.6", "--frequency", "4999", "--no-limits"];
    let ended = without_events(folder.path(), &command);
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(text.contains("by signals of a timer for each thread"), "{text}");
    assert!(text.contains("as perf_event_open is not possible: Operation not permitted"), "{text}");
    // Asked for, it is an error with what to do.
    let ended = without_events(folder.path(), &[&command[..], &["--method", "perf"]].concat());
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{errors}");
    assert!(errors.contains("S1808") && errors.contains("--method signals"), "{errors}");
}

/// Nests that equal each other share functions: the calls say which of them runs. Which share one, and whether calls of it are left,
/// differs from CPU to CPU.
#[rstest::rstest]
fn equal_nests_are_told_apart_by_their_calls(#[values("x86-64", "x86-64-v3", "native")] cpu: &str) {
    if !cpus().contains(&cpu) {
        return;
    }
    let dot = |result: &str, of: &str, line: u32| {
        format!(
            "  %{result} = stablehlo.dot_general %{of}, %w, contracting_dims = [1] x [0] : (tensor<96x96xf32>, tensor<96x96xf32>) -> \
             tensor<96x96xf32> loc(\"dot\"(\"model.py\":{line}:1))\n"
        )
    };
    let text = format!(
        "func.func @main(%x: tensor<96x96xf32>, %w: tensor<96x96xf32>) -> tensor<96x96xf32> {{\n{}{}{}{}  return %3 : tensor<96x96xf32>\n}}\n",
        dot("0", "x", 1),
        dot("1", "0", 2),
        dot("2", "1", 3),
        dot("3", "2", 4)
    );
    for method in [Some(Method::Signals), None] {
        let profile = measured_on(cpu, &text, &settings(method));
        assert_eq!(profile.lines.len(), 4, "{}", profile.text(9));
        for row in &profile.lines {
            assert!(row.share > 0.08 && row.split < 0.02, "{}", profile.text(9));
        }
        let sum: f64 = profile.operations.iter().map(|row| row.share).sum();
        assert!(sum > 0.9 && sum < 1.000_001, "{sum}");
    }
}

/// JAX makes functions of what is jitted in itself, also in its library, whose operations have no line of the user's.
#[test]
fn operations_of_functions_have_the_lines_of_their_calls() {
    let text = r#"
func.func public @main(%x: tensor<160x160xf32>) -> tensor<160x160xf32> {
  %0 = call @outer(%x) : (tensor<160x160xf32>) -> tensor<160x160xf32> loc("f"("model.py":3:8))
  %1 = stablehlo.tanh %0 : tensor<160x160xf32> loc("f"("model.py":5:8))
  %2 = call @outer(%1) : (tensor<160x160xf32>) -> tensor<160x160xf32> loc("f"("model.py":7:8))
  return %2 : tensor<160x160xf32>
}
func.func private @outer(%x: tensor<160x160xf32>) -> tensor<160x160xf32> {
  %0 = call @inner(%x) : (tensor<160x160xf32>) -> tensor<160x160xf32> loc("jit(inner)")
  return %0 : tensor<160x160xf32>
}
func.func private @inner(%x: tensor<160x160xf32>) -> tensor<160x160xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<160x160xf32>, tensor<160x160xf32>) -> tensor<160x160xf32> loc("dot"("/usr/lib/python3.11/site-packages/jax/linalg.py":99:3))
  return %0 : tensor<160x160xf32>
}
"#;
    for method in [Some(Method::Signals), None] {
        let profile = measured(text, &settings(method));
        let lines: Vec<_> =
            profile.lines.iter().map(|row| (row.key.line, row.cost.flops)).collect();
        for line in [3, 7] {
            assert!(lines.contains(&(line, 2 * 160 * 160 * 160)), "{lines:?}");
        }
        for row in profile.lines.iter().filter(|row| row.key.line != 5) {
            assert_eq!(row.key.file, "model.py");
            assert!(row.share > 0.2 && row.split < 0.02, "{}", profile.text(9));
        }
        // The library's line is inside of the user's.
        let stacks: Vec<&String> = profile.stacks.keys().collect();
        let inner = "jax/linalg.py:99);stablehlo.dot_general #4";
        for line in ["f (model.py:3);dot", "f (model.py:7);dot"] {
            let is_it = |stack: &&&String| stack.starts_with(line) && stack.ends_with(inner);
            assert!(stacks.iter().any(|stack| is_it(&stack)), "{line}: {stacks:?}");
        }
    }
}

#[test]
fn the_report_says_how_it_was_measured() {
    let (_folder, ended) = profiled(&["--top", "1"]);
    let text = ended.succeeded().text().to_owned();
    for words in [
        "samples     by ",
        "overhead    ",
        " of it is processor time",
        " of the program",
        "model.py:7",
        "of workspace",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn stacks_are_folded_and_add_up() {
    let (folder, ended) = profiled(&["--folded", "p.folded", "--svg", "p.svg", "-o", "p.json"]);
    ended.succeeded();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("written");
    let folded = read("p.folded");
    let samples = |line: &str| -> u64 {
        let (stack, count) = line.rsplit_once(' ').expect("a number");
        assert!(!stack.is_empty() && stack.split(';').all(|frame| !frame.is_empty()), "{line}");
        count.parse().expect("a number")
    };
    let sum: u64 = folded.lines().map(samples).sum();
    assert_eq!(Some(sum), json(&read("p.json"))["samples"]["program"].as_u64());
    let heaviest = folded.lines().max_by_key(|line| samples(line)).expect("a line");
    let stack = "f (model.py:13);heavy (model.py:7);stablehlo.dot_general #1 ";
    assert!(heaviest.starts_with(stack), "{folded}");
    let svg = read("p.svg");
    assert!(svg.starts_with("<?xml") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("heavy (model.py:7)"), "{svg}");
}

#[test]
fn markup_in_names_is_text() {
    let name = r#"</title><script>hostile()</script>\0A;\"&"#;
    let text = PLANTED.replace("\"heavy\"", &format!("\"{name}\""));
    let profile = measured(&text, &settings(None));
    let svg = profile.flame_graph().expect("drawn");
    assert!(!svg.contains("<script>hostile") && svg.contains("&lt;script&gt;hostile"), "{svg}");
    // Neither a line nor a frame more.
    let folded = profile.folded();
    let heavy = folded.lines().find(|line| line.contains("hostile")).expect("the frame");
    assert_eq!(heavy.split(';').count(), 3, "{folded}");
}

#[test]
fn places_cannot_write_to_the_terminal() {
    let text = PLANTED.replace("\"model.py\"", "\"mo\\1B[31m\\0A\\E2\\80\\AEdel.py\"");
    let profile = measured(&text, &settings(None));
    let graph = profile.flame_graph().expect("drawn");
    let text = profile.text(10);
    assert!(text.contains("mo\\u{1b}[31m\\n\\u{202e}del.py"), "{text}");
    for told in [text, profile.folded(), graph] {
        assert!(told.contains("\\u{202e}del.py"), "{told}");
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told}");
    }
}

#[test]
fn the_keys_of_the_json_object_stay() {
    let (_folder, ended) = profiled(&["--json"]);
    let profile = json(ended.succeeded().text());
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(profile["kind"], "strata profile");
    assert_eq!(profile["format"], 1);
    let all = [
        "assembly",
        "code",
        "compiler",
        "entry",
        "format",
        "inputs",
        "kind",
        "limits",
        "lines",
        "memory",
        "method",
        "nests",
        "operations",
        "program",
        "refused",
        "run",
        "samples",
        "stacks",
        "target",
    ];
    assert_eq!(keys(&profile), all);
    let rates = [
        "bytes",
        "bytes_per_second",
        "error",
        "flops",
        "flops_per_second",
        "limit",
        "seconds",
        "share",
        "share_of_limit",
        "split",
        "transcendentals",
    ];
    for (list, own) in [
        ("operations", &["frames", "label", "name", "nests", "operation"][..]),
        ("lines", &["file", "line"]),
        ("nests", &["name", "nest", "schedule"]),
    ] {
        let mut expected = [own, &rates[..]].concat();
        expected.sort_unstable();
        assert_eq!(keys(&profile[list][0]), expected, "{list}");
    }
    let share = |value: &Value| value["share"].as_f64().expect("a number");
    let rows = profile["operations"].as_array().expect("a list");
    assert!(rows.is_sorted_by(|one, other| share(one) >= share(other)));
    let time = profile["operations"][0]["seconds"].as_f64().expect("a time");
    let call = profile["run"]["seconds"].as_f64().expect("a time");
    assert!(time > 0.0 && time <= call, "{time} of {call}");
    // 2 * 160 * 160 * 160.
    assert_eq!(profile["operations"][0]["flops"], 8_192_000);
}

/// The memory is that of the plan, and no time is lost on the way.
#[test]
fn memory_over_time_is_the_plan_along_the_time() {
    let text = r#"
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
"#;
    let profile = measured(text, &settings(None));
    let peak = profile.memory.iter().map(|step| step.bytes).max();
    let program = Program::compile(&options("native"), "p.mlir", text.as_bytes(), None);
    let program = program.expect("compiles");
    let arena = &program.exploration().index()["arena"];
    assert_eq!(peak, arena["peak"].as_u64(), "{:?}", profile.memory);
    assert!(peak > Some(0));
    let time: f64 = profile.memory.iter().map(|step| step.share).sum();
    assert!((0.9..1.000_001).contains(&time), "{:?}", profile.memory);
}

#[test]
fn what_cannot_be_profiled_is_refused() {
    let refuse = |arguments: &[&str], code: &str, words: &str| {
        let (_folder, ended) = profiled(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.stderr);
        let has = |word| ended.stderr.contains(word);
        assert!(has(code) && has(words), "{arguments:?}: {}", ended.stderr);
    };
    let (_folder, ended) = profiled(&["--max", "n=4"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("S1106") && ended.stderr.contains("leave out --max"));
    refuse(&["--threads", "5000"], "S0001", "the maximum is");
    let (_folder, ended) = profiled(&["--perf-script", "/dev/null"]);
    assert!(ended.stderr.contains("S1808"), "{}", ended.stderr);
    refuse(&["--svg", "none/p.svg"], "S0003", "none/p.svg");
    refuse(&["--svg", "p.out", "--folded", "p.out"], "S0001", "would be overwritten");
    refuse(&["--perf-script", "none.txt"], "S0002", "none.txt");
    refuse(&["--perf-script", "s.txt", "--threads", "2"], "S0001", "cannot be used with");
    if Path::new("/dev/full").exists() {
        refuse(&["-o", "/dev/full"], "S0003", "/dev/full");
    }
}

/// Three samples would name an operation, too.
#[test]
fn too_few_samples_are_refused() {
    let program = Program::compile(&options("native"), "p.mlir", PLANTED.as_bytes(), None);
    let settings = Settings { seconds: 1e-4, ..settings(None) };
    let inputs = [25_600, 777].map(|elements| vec![0; 4 * elements]);
    let errors = program.expect("compiles").measure(&inputs, &settings).expect_err("refused");
    let text = errors.render();
    assert_eq!(errors.iter().next().expect("an error").code(), codes::S1808, "{text}");
    assert!(text.contains("--time SECONDS"), "{text}");
}

/// More time would not give samples of a program without operations.
#[test]
fn a_program_that_computes_nothing_is_told_as_such() {
    let of = |elements: usize| {
        let text = format!(
            "func.func @main(%x: tensor<{elements}xf32>) -> tensor<{elements}xf32> {{\n  return %x : tensor<{elements}xf32>\n}}\n"
        );
        let program = Program::compile(&options("native"), "p.mlir", text.as_bytes(), None);
        program.expect("compiles").measure(&[vec![0; 4 * elements]], &settings(None))
    };
    // How many samples are are of a call that copies nothing is the machine's: too few or not, it is said why. Of a copy that takes a while there are enough.
    for (elements, is_enough) in [(0, false), (200_000, true)] {
        match of(elements) {
            Ok(profile) => {
                assert!(profile.operations.is_empty(), "{}", profile.text(3));
                assert!(
                    profile.text(3).contains("No sample is of an operation"),
                    "{}",
                    profile.text(3)
                );
            }
            Err(errors) => {
                let text = errors.render();
                assert!(!is_enough, "{text}");
                assert_eq!(errors.iter().next().expect("an error").code(), codes::S1808, "{text}");
                assert!(text.contains("`strata bench` times calls"), "{text}");
            }
        }
    }
}

/// A dot that each of two devices computes, and an exchange.
fn on_two_devices() -> String {
    let body = r#"func.func public @main(%x: tensor<160x160xf32>) -> tensor<160x160xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<160x160xf32>, tensor<160x160xf32>) -> tensor<160x160xf32> loc("dot"("model.py":7:9))
  %1 = "stablehlo.all_reduce"(%0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<160x160xf32>) -> tensor<160x160xf32> loc("psum"("model.py":8:9))
  return %1 : tensor<160x160xf32>
}"#;
    devices::module(2, 1, body)
}

/// Samples are of all devices, each of which runs on a thread of its own.
#[test]
fn programs_for_several_devices_are_measured_on_all_of_them() {
    for method in [Some(Method::Signals), None] {
        let profile = measured(&on_two_devices(), &settings(method));
        let run = profile.run.expect("calls were timed");
        assert_eq!((run.devices, run.threads), (2, 1));
        assert!((0.0..=1.0).contains(&run.waiting), "{run:?}");
        let first = profile.operations.first().expect("an operation");
        assert_eq!(profile.operation_name(first.key), "stablehlo.dot_general #0");
        assert!(first.share > 0.5, "{}", profile.text(9));
        assert_eq!(profile.lines.first().map(|row| row.key.line), Some(7));
        // Each of the two computes one product in a call, in no more time than the call takes.
        assert_eq!(first.cost.flops, 2 * 160 * 160 * 160);
        assert!(first.seconds <= Some(run.seconds), "{run:?}");
        let text = profile.text(3);
        assert!(
            text.contains("2 devices, a thread each") && text.contains("a device waits"),
            "{text}"
        );
        assert_eq!(profile.json()["run"]["devices"], 2);
    }
}

#[test]
fn programs_that_exchange_data_with_their_host_are_refused() {
    let text = "func.func @main(%t: !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token) {\n  \
                %0:2 = \"stablehlo.infeed\"(%t) {infeed_config = \"\"} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)\n  \
                return %0#0, %0#1 : tensor<3xf32>, !stablehlo.token\n}\n";
    let refused = Program::compile(&options("native"), "p.mlir", text.as_bytes(), None);
    let errors = refused.err().expect("refused");
    assert_eq!(errors.iter().next().expect("an error").code(), codes::S0001);
    assert!(errors.render().contains("with its host"), "{}", errors.render());
}

/// A profile and the page of the same code.
fn page_with_profile() -> (String, strata_explore::Exploration) {
    let profile = measured(PLANTED, &settings(None)).json().to_string();
    let page = explore(&options("native"), "p.mlir", PLANTED.as_bytes()).expect("compiles");
    (profile, page)
}

#[test]
fn a_page_shows_a_profile_of_its_code() {
    let (profile, page) = page_with_profile();
    let page = page.with_profile(&profile, "p.json").expect("of the same code");
    let measured = &page.index()["profile"];
    assert_eq!(measured["operations"][0][0], 1, "{measured:#}");
    assert!(measured["operations"][0][1]["share"].as_f64() > Some(0.6));
    assert!(measured["nests"][0][1]["share"].as_f64() > Some(0.6));
    // The hottest line is an instruction of the dot.
    let lines = measured["assembly"].as_array().expect("a list");
    let part = |line: &&Value| line[1].as_f64().expect("a number");
    let hottest = lines.iter().max_by(|one, other| part(one).total_cmp(&part(other)));
    let at = hottest.expect("a line")[0].as_u64().and_then(|at| usize::try_from(at).ok());
    let (text, of) = page.stage(strata::Stage::Asm).expect("assembly");
    let at = at.expect("a number");
    assert!(text.lines().nth(at).is_some_and(|line| line.starts_with('\t')), "line {at}");
    assert!(of[at].contains(&1), "line {at}: {:?}", of[at]);
    let sum: f64 = lines.iter().map(|line| part(&line)).sum();
    assert!(sum > 0.9 && sum < 1.000_001, "{sum}");
}

#[test]
fn a_page_shows_a_profile_of_several_devices() {
    let profile = measured(&on_two_devices(), &settings(None)).json().to_string();
    let page =
        explore(&options("native"), "p.mlir", on_two_devices().as_bytes()).expect("compiles");
    let page = page.with_profile(&profile, "p.json").expect("of the same code");
    assert_eq!(page.index()["profile"]["operations"][0][0], 0);
}

#[test]
fn a_page_refuses_a_profile_of_other_code() {
    let (profile, page) = page_with_profile();
    let refuse = |text: &str, words: &str| {
        let error = page.clone().with_profile(text, "p.json").expect_err("refused");
        let text = error.render();
        assert_eq!(error.code(), codes::S1809, "{text}");
        assert!(text.contains(words), "{text}");
    };
    refuse("", "it is empty");
    refuse("\n", "`strata profile -o FILE.json` writes one");
    refuse("profile", "it is not JSON");
    refuse("profile", "`strata profile -o FILE.json` writes one");
    refuse("{}", "not a profile");
    refuse(r#"{"kind": "strata profile", "format": 2}"#, "its format is 2");
    let changed = |key: &str, value: Value| {
        let mut changed = json(&profile);
        changed[key] = value;
        changed.to_string()
    };
    refuse(&changed("code", "0".into()), "another program, or with other options");
    refuse(&changed("operations", serde_json::json!([{"operation": 99}])), "it is damaged");
    refuse(&changed("assembly", serde_json::json!([[99_999_999, 0.5]])), "it is damaged");
    let other = explore(&options("x86-64-v2"), "p.mlir", PLANTED.as_bytes()).expect("compiles");
    let error = other.with_profile(&profile, "p.json").expect_err("refused").render();
    assert!(error.contains("the page shows code for x86-64-v2"), "{error}");
    let text = PLANTED.replace("160x160", "161x161");
    let other = explore(&options("native"), "p.mlir", text.as_bytes()).expect("compiles");
    let error = other.with_profile(&profile, "p.json").expect_err("refused").render();
    assert!(error.contains("another program"), "{error}");
}

#[test]
fn the_commands_work_together() {
    let (folder, ended) = profiled(&["-o", "p.json"]);
    ended.succeeded();
    let page = ["explore", "p.mlir", "--profile", "p.json"];
    let ended = strata(folder.path(), &[&page[..], &["--target-cpu", "native"]].concat());
    ended.succeeded();
    assert!(folder.path().join("p.html").exists());
    let refused = strata(folder.path(), &[&page[..], &["--target-cpu", "x86-64"]].concat());
    assert!(refused.code == 2 && refused.stderr.contains("S1809"), "{}", refused.stderr);
}

#[test]
fn a_reader_sees_hot_lines_in_a_browser() {
    let (profile, page) = page_with_profile();
    in_browser("measured", &page.with_profile(&profile, "p.json").expect("of the same code"));
}
