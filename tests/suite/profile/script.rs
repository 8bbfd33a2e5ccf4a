//! `strata profile --perf-script`: samples of another process, which may have several objects.

use std::{fs, process::Command};

use strata::Options;
use strata_diag::codes;
use strata_profile::Program;

use super::{PLANTED, allows_events, json, names_the_heavy_one, options};
use crate::command::strata;

/// A program that objects are linked into, with its functions: the object's name, the function's and its address.
struct Host {
    folder: tempfile::TempDir,
    functions: Vec<(String, String, u64)>,
}

/// Where the host's addresses begin in the processes that samples are of.
const DISTANCE: u64 = 0x5555_1234_5000;

impl Host {
    /// Links the objects of these programs, which are compiled for `cpu`.
    fn of(programs: &[(&str, &str)], cpu: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let (mut objects, mut main) = (Vec::new(), "int main(void) { return 0; }\n".to_owned());
        for (name, text) in programs {
            let object = format!("{name}.o");
            fs::write(here.join(format!("{name}.mlir")), text).expect("written");
            let input = format!("{name}.mlir");
            strata(here, &["compile", &input, "-o", &object, "--target-cpu", cpu]).succeeded();
            main += &format!(
                "int {name}_main(const void *const *, void *const *, void *, const void *);\nint call_{name}(void) {{ return {name}_main(0, 0, 0, 0); }}\n"
            );
            objects.push(object);
        }
        fs::write(here.join("host.c"), main).expect("written");
        let run = |command: &str, arguments: &[&str]| {
            let ended = Command::new(command).args(arguments).current_dir(here).output();
            let ended = ended.unwrap_or_else(|error| panic!("{command}: {error}"));
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
            String::from_utf8_lossy(&ended.stdout).into_owned()
        };
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        run("cc", &[&["-O1", "-w", "host.c", "-o", "the host", "-lm"], &objects[..]].concat());
        let (mut functions, mut object) = (Vec::new(), String::new());
        for line in run("nm", &["-ap", "the host"]).lines() {
            let (address, rest) = line.split_at_checked(16).unwrap_or_default();
            let (kind, name) = rest.trim_start().split_once(' ').unwrap_or_default();
            match (kind, u64::from_str_radix(address, 16)) {
                ("a", _) => name.clone_into(&mut object),
                ("t" | "T", Ok(address)) => functions.push((object.clone(), name.into(), address)),
                _ => {}
            }
        }
        Self { folder, functions }
    }

    /// Its file.
    fn path(&self) -> String {
        self.folder.path().join("the host").display().to_string()
    }

    /// What `strata profile` reads of files.
    fn contents(file: &str) -> Option<Vec<u8>> {
        fs::read(file).ok()
    }

    /// Where a function is, of the object if it is a local one.
    fn address(&self, object: &str, symbol: &str) -> u64 {
        let is_it = |one: &&(String, String, u64)| {
            one.1 == symbol && (one.0 == object || symbol.starts_with(&format!("{object}_main")))
        };
        self.functions
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{object} {symbol}: {:?}", self.functions))
            .2
    }

    /// Samples in a function of an object, with a frame around each.
    fn samples(&self, object: &str, symbol: &str, offset: u64, from: &str) -> String {
        let at = DISTANCE + self.address(object, symbol) + offset;
        let one = format!(
            "my app 29236 [001] 38821.851488:    2004008 cpu-clock:u: \n\t    {at:x} {symbol}+{offset:#x} ({})\n{from}\n",
            self.path()
        );
        one.repeat(60)
    }
}

/// Samples at each byte of each function, as `perf script` prints them: those at instructions are of an operation, others of another build.
#[test]
fn samples_of_another_process_are_read() {
    let program = Program::compile(&options("x86-64-v3"), "p.mlir", PLANTED.as_bytes(), None);
    let program = program.expect("compiles");
    let host = Host::of(&[("p", PLANTED)], "x86-64-v3");
    let read = |text: &str| program.read_script(text.as_bytes(), "s.txt", &Host::contents);
    let script = |symbol: &str, offset: u64| host.samples("p", symbol, offset, "");
    let mut first = Vec::new();
    let mut refused = 0;
    for (symbol, size) in program.functions().filter(|(symbol, _)| !symbol.ends_with("_size")) {
        for offset in 0..size {
            match read(&script(symbol, offset)) {
                Ok(profile) => first.push((
                    symbol.to_owned(),
                    offset,
                    profile.operations.first().map(|row| profile.operation_name(row.key)),
                )),
                Err(errors) => {
                    let code = errors.iter().next().expect("an error").code();
                    assert_eq!(code, codes::S1809, "{}", errors.render());
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > first.len(), "{refused} of {}", first.len());
    // Also at instructions that fill up to an aligned one.
    let listing = Command::new("objdump").args(["-d", "--no-show-raw-insn", &host.path()]).output();
    let listing = String::from_utf8(listing.expect("binutils").stdout).expect("text");
    let mut fillers = 0;
    for (symbol, size) in program.functions().filter(|(symbol, _)| !symbol.ends_with("_size")) {
        let begin = host.address("p", symbol);
        let instructions = listing.lines().filter_map(|line| {
            let (at, text) = line.trim_start().split_once(":\t")?;
            let at = u64::from_str_radix(at, 16).ok()?;
            (begin..begin + size).contains(&at).then(|| (at - begin, text))
        });
        for (offset, text) in instructions {
            let is_read = first.iter().any(|(of, at, _)| of == symbol && *at == offset);
            assert!(is_read, "{symbol}+{offset}: {text}");
            fillers += u32::from(text.contains("nop"));
        }
    }
    assert!(fillers > 0, "nothing is aligned");
    for name in ["stablehlo.dot_general #1", "stablehlo.exponential #0", "stablehlo.add #2"] {
        let found = first.iter().filter(|(.., of)| of.as_deref() == Some(name)).count();
        assert!(found > 0, "{name}: {first:?}");
    }
    // A function of the C library is of the operation that calls it: the frame around it is after a call.
    let mut called = 0;
    let library = |from: &str| {
        format!(
            "my app 1 [001] 38.8: 20 cpu-clock:u: \n\t    7f00 __memmove_avx+0x5 (/lib/c)\n{from}\n"
        )
        .repeat(60)
    };
    for (symbol, offset, _) in &first {
        let at = DISTANCE + host.address("p", symbol) + offset;
        let from = format!("\t    {at:x} {symbol}+{offset:#x} ({})\n", host.path());
        if let Ok(profile) = read(&library(&from)) {
            assert_eq!((profile.counts.inside, profile.counts.called), (60, 60));
            assert_eq!(
                (profile.run, profile.operations.first().and_then(|row| row.seconds)),
                (None, None)
            );
            called += 1;
        }
    }
    assert!(called > 0 && called * 20 < first.len(), "{called} of {}", first.len());
    // Without what is needed.
    let refuse = |text: &str, code, words: &str| {
        let errors = read(text).expect_err("refused");
        let text = errors.render();
        assert_eq!(errors.iter().next().expect("an error").code(), code, "{text}");
        assert!(text.contains(words), "{text}");
    };
    let (symbol, ..) = first.first().expect("an instruction");
    refuse("", codes::S1808, "0 samples are of the program");
    refuse("", codes::S1808, "there are no samples in it: `perf record`");
    refuse(&library(""), codes::S1808, "60 of other code");
    refuse(&format!("a 1: 1 x:  7f {symbol} (/a)\n").repeat(60), codes::S1808, "+symoff");
    refuse(&script(symbol, 1 << 20), codes::S1809, "no instruction");
}

/// Another program, whose object has functions with the same names.
const OTHER: &str = r#"
func.func @main(%x: tensor<96x160xf32>, %y: tensor<160x224xf32>) -> (tensor<96x224xf32>, tensor<96x160xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<96x160xf32>, tensor<160x224xf32>) -> tensor<96x224xf32>
  %1 = stablehlo.tanh %x : tensor<96x160xf32>
  return %0, %1 : tensor<96x224xf32>, tensor<96x160xf32>
}
"#;

/// Functions of several objects in one process have the same names: their addresses in the file say whose they are.
#[test]
fn samples_of_two_objects_in_one_process_are_told_apart() {
    let host = Host::of(&[("q", OTHER), ("p", PLANTED)], "x86-64-v3");
    let compile = |name: &str, text: &str, cpu: &str| {
        let options = Options { name: name.into(), ..options(cpu) };
        Program::compile(&options, "p.mlir", text.as_bytes(), None).expect("compiles")
    };
    let (p, q) = (compile("p", PLANTED, "x86-64-v3"), compile("q", OTHER, "x86-64-v3"));
    let kernel = "strata.kernel.0";
    let text = [
        host.samples("p", kernel, 0, ""),
        host.samples("q", kernel, 0, ""),
        host.samples("q", kernel, 0, ""),
        host.samples("q", "q_main", 0, ""),
    ];
    for (program, inside) in [(&p, 60), (&q, 180)] {
        let profile = program.read_script(text.concat().as_bytes(), "s.txt", &Host::contents);
        let profile = profile.unwrap_or_else(|errors| panic!("{}", errors.render()));
        assert_eq!((profile.counts.inside, profile.counts.outside), (inside, 240 - inside));
    }
    let refuse = |program: &Program<'_>, text: &str, code, words: &str| {
        let errors =
            program.read_script(text.as_bytes(), "s.txt", &Host::contents).expect_err("refused");
        assert_eq!(errors.iter().next().expect("an error").code(), code, "{}", errors.render());
        assert!(errors.render().contains(words), "{words}: {}", errors.render());
    };
    // Only the other program ran.
    refuse(&p, &text[1..].concat(), codes::S1808, "0 samples are of the program and 180");
    // A third one is not there, and the fourth is another build of the first.
    let third = compile("r", OTHER, "x86-64-v3");
    refuse(&third, &text.concat(), codes::S1808, "0 samples are of the program");
    refuse(&compile("p", PLANTED, "x86-64-v2"), &text[0], codes::S1809, "other code for `p_main");
    let larger = PLANTED.replace("777", "778");
    refuse(&compile("p", &larger, "x86-64-v3"), &text[0], codes::S1809, "other code for `p_main");
    // Without the file it is not known whose a common name is, and with one that has changed neither.
    let gone = text[0].replace("the host", "gone");
    refuse(&p, &gone, codes::S1809, "cannot be read");
    let at = DISTANCE + host.address("p", kernel);
    let moved = text[0].replace(&format!("{at:x}"), &format!("{:x}", at + 16));
    refuse(&p, &moved, codes::S1809, "is not the file that was recorded");
}

/// What `perf record` and `perf script` make of a process with the object, where they are installed.
#[test]
fn a_recorded_process_is_read() {
    if !allows_events() || Command::new("perf").arg("--version").output().is_err() {
        eprintln!("not run: perf is not installed, or not allowed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(here.join("p.mlir"), PLANTED).expect("written");
    let cpu = ["--target-cpu", "native"];
    let object = ["compile", "p.mlir", "-o", "p.o", "--header", "p.h"];
    strata(here, &[&object[..], &cpu].concat()).succeeded();
    fs::write(here.join("q.mlir"), OTHER).expect("written");
    let other = ["compile", "q.mlir", "-o", "q.o", "--header", "q.h"];
    strata(here, &[&other[..], &cpu].concat()).succeeded();
    let host = "#include \"p.h\"\n#include \"q.h\"\n#include <stdlib.h>\nstatic _Alignas(64) float x[35840], v[777], o0[25600], o1[777], y[35840], r[21504], t[15360];\n\
                int main(void) {\n  const void *in[] = {x, v}, *other[] = {x, y};\n  void *out[] = {o0, o1}, *results[] = {r, t}, *w = aligned_alloc(64, 1 << 20);\n\
                for (int i = 0; i < 8000; i++)\n    if (p_main(in, out, w, 0) || q_main(other, results, w, 0)) return 1;\n  return 0;\n}\n";
    fs::write(here.join("host.c"), host).expect("written");
    let run = |command: &str, arguments: &[&str]| {
        let ended = Command::new(command).args(arguments).current_dir(here).output();
        let ended = ended.unwrap_or_else(|error| panic!("{command}: {error}"));
        assert!(ended.status.success(), "{command}: {}", String::from_utf8_lossy(&ended.stderr));
        ended.stdout
    };
    let include = crate::command::workspace().join("include");
    let include = format!("-I{}", include.display());
    run("cc", &["-O1", "host.c", "q.o", "p.o", &include, "-o", "host", "-lm"]);
    for calls in [&[][..], &["-g"]] {
        run(
            "perf",
            &[&["record", "-F", "999", "-e", "cpu-clock:u", "-o", "p.data"], calls, &["./host"]]
                .concat(),
        );
        fs::write(here.join("s.txt"), run("perf", &["script", "-i", "p.data"])).expect("written");
        let told = ["profile", "p.mlir", "--perf-script", "s.txt", "--json"];
        let ended = strata(here, &[&told[..], &cpu].concat()).succeeded();
        let profile = json(ended.text());
        names_the_heavy_one(&profile, "perf record");
        // The other object is a large part of the process.
        let count = |name: &str| profile["samples"][name].as_f64().expect("a number");
        assert!(count("elsewhere") > 0.2 * count("program"), "{}", profile["samples"]);
        let told = ["profile", "q.mlir", "--perf-script", "s.txt", "--json"];
        let other = json(strata(here, &[&told[..], &cpu].concat()).succeeded().text());
        let both = count("program") + other["samples"]["program"].as_f64().expect("a number");
        assert!(both <= count("program") + count("elsewhere"), "{}", other["samples"]);
    }
    // The recording itself, what it is not, and a file that was not recorded.
    let refuse = |arguments: &[&str], words: &[&str]| {
        let refused = strata(here, &[&["profile", "p.mlir"][..], arguments, &cpu].concat());
        assert_eq!((refused.code, refused.stdout.as_slice()), (2, &b""[..]), "{}", refused.stderr);
        for word in words {
            assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
        }
    };
    refuse(&["--perf-script", "p.data"], &["S1808", "p.data", "`perf script"]);
    refuse(&["--perf-script", "q.mlir"], &["S1808", "q.mlir", "line 2, `func.func"]);
    refuse(&["--perf-script", "s.txt", "--binary", "p.mlir"], &["S0001", "p.mlir", "--binary"]);
    refuse(&["--perf-script", "s.txt", "--binary", "p.o"], &["S0001", "p.o", "--binary"]);
    // Recorded elsewhere, and the file brought along.
    let text = fs::read_to_string(here.join("s.txt")).expect("written");
    let folder = here.display().to_string();
    fs::write(here.join("s.txt"), text.replace(&folder, "/none")).expect("written");
    let told = [&["profile", "p.mlir", "--perf-script", "s.txt", "--json"][..], &cpu].concat();
    let refused = strata(here, &told);
    assert!(refused.code == 2 && refused.stderr.contains("--binary"), "{}", refused.stderr);
    let ended = strata(here, &[&told[..], &["--binary", "host"]].concat()).succeeded();
    names_the_heavy_one(&json(ended.text()), "perf record");
}
