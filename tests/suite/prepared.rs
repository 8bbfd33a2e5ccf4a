//! Inputs that are laid out once, by a function beside the entry: results are those of the object that lays them out in every call,
//! bit by bit, and a block of another object is refused.

use std::{fs, path::Path, process::Command};

use strata::{Artifact, Compiler, Options, Prepare, Signature, Stage, Tasks, WeightsLocation};

use crate::{
    arrays::npy,
    command::{strata, workspace},
    harness::{Loaded, cpus, options},
    layouts::{numbers, ty},
};

const NOT_PREPARED: i32 = 16;

fn compile(text: &str, options: Options) -> Artifact {
    match Compiler::new(options).compile("prepared.mlir", text.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}\n{text}"),
    }
}

/// With these inputs prepared, and those that the program marks.
fn preparing(options: Options, patterns: &[&str]) -> Options {
    let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    Options { prepare: Prepare { patterns, marked: true, ..Prepare::default() }, ..options }
}

/// Numbers for the inputs of a program.
fn inputs(signature: &Signature) -> Vec<Vec<u8>> {
    let one = |(at, spec): (usize, &strata::TensorSpec)| {
        let count = spec.element_count() as usize;
        match spec.element.to_string().as_str() {
            "i1" => numbers("i8", count, at as u32 + 3).iter().map(|byte| byte & 1).collect(),
            "i4" => numbers("i8", count, at as u32 + 3).iter().map(|byte| byte % 8).collect(),
            element => numbers(element, count, at as u32 + 3),
        }
    };
    signature.inputs.iter().enumerate().map(one).collect()
}

/// The inputs of the entry: those that are not prepared, and the block.
fn prepared(artifact: &Artifact, inputs: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let program = artifact.prepared().expect("inputs are prepared");
    let [own, mut others] = program.divided(inputs);
    let maker = Loaded::of(artifact, program.maker);
    // Lanes of narrow elements are packed before panels are.
    assert!(maker.workspace_size() as u64 <= program.size(), "as much memory as the block at most");
    let block = maker.call(&own).remove(0);
    assert_eq!(block.len() as u64, program.size());
    others.push(block);
    others
}

/// Compares with the object that lays everything out in every call; returns the bytes of the block.
#[track_caller]
fn compare(text: &str, patterns: &[&str], options: &Options) -> u64 {
    let plain = compile(text, options.clone());
    let artifact = compile(text, preparing(options.clone(), patterns));
    let signature = plain.signature().expect("a signature");
    assert_eq!(
        artifact.program_signature().as_ref().map(|one| &one.inputs),
        Some(&signature.inputs)
    );
    let inputs = inputs(signature);
    let expected = Loaded::new(&plain).call(&inputs);
    let found = Loaded::new(&artifact).call(&prepared(&artifact, inputs));
    assert!(found == expected, "{}\n{text}", options.target.cpu);
    artifact.prepared().expect("inputs are prepared").size()
}

/// A product with a weight of `k` rows, or as many columns where it is `transposed`.
fn product(element: &str, [m, k, n]: [usize; 3], transposed: bool) -> String {
    let (shape, at) = if transposed { ([n, k], 1) } else { ([k, n], 0) };
    let result = if element == "i8" { "i32" } else { element };
    let (x, w, y) = (ty(element, &[m, k]), ty(element, &shape), ty(result, &[m, n]));
    format!(
        "func.func @main(%x: {x}, %w: {w} {{strata.prepare}}) -> {y} {{\n\
         %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [{at}] : ({x}, {w}) -> {y}\n\
         return %y : {y}\n}}\n"
    )
}

#[rstest::rstest]
#[case("f32", [7, 65, 131], false)]
#[case("f32", [64, 96, 129], true)]
#[case("f32", [1, 300, 257], false)]
#[case("f32", [1, 300, 257], true)]
#[case("f64", [5, 40, 77], false)]
#[case("bf16", [9, 63, 130], false)]
#[case("bf16", [9, 64, 130], true)]
#[case("i8", [6, 67, 96], false)]
#[case("i8", [6, 64, 100], true)]
#[case("f32", [0, 65, 131], false)]
#[case("f32", [3, 0, 131], false)]
#[case("f32", [3, 5, 1], false)]
fn products_have_the_same_bits(
    #[case] element: &str,
    #[case] sizes: [usize; 3],
    #[case] transposed: bool,
) {
    for cpu in cpus() {
        for tasks in [Tasks::Worthwhile, Tasks::Always] {
            compare(&product(element, sizes, transposed), &[], &Options { tasks, ..options(cpu) });
        }
    }
}

/// Convolutions, a weight with two readers of different layouts, weights that are returned, read as they are, or not read at all,
/// and those of elements that the schedule does not lay out.
const ALL: &str = "
func.func @main(%x: tensor<1x9x11x5xf32>, %w: tensor<3x3x5x37xf32> {strata.prepare},
    %t: tensor<140x37xf32> {strata.prepare}, %xs: tensor<4x140xf32>, %m: tensor<140xi1> {strata.prepare},
    %unread: tensor<3xf32> {strata.prepare = true}, %z: tensor<0x4xf32> {strata.prepare},
    %n: tensor<6xi4> {strata.prepare}, %not: tensor<6xi4> {strata.prepare = false})
    -> (tensor<99x140xf32>, tensor<4x37xf32>, tensor<3x3x5x37xf32>, tensor<0x4xf32>, tensor<140xi1>, tensor<6xi4>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x9x11x5xf32>, tensor<3x3x5x37xf32>) -> tensor<1x9x11x37xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x9x11x37xf32>) -> tensor<99x37xf32>
  %2 = stablehlo.dot_general %1, %t, contracting_dims = [1] x [1] : (tensor<99x37xf32>, tensor<140x37xf32>) -> tensor<99x140xf32>
  %3 = stablehlo.dot_general %xs, %t, contracting_dims = [1] x [0] : (tensor<4x140xf32>, tensor<140x37xf32>) -> tensor<4x37xf32>
  %4 = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<140xi1>) -> tensor<99x140xi1>
  %5 = stablehlo.negate %2 : tensor<99x140xf32>
  %6 = stablehlo.select %4, %2, %5 : tensor<99x140xi1>, tensor<99x140xf32>
  %7 = stablehlo.add %n, %not : tensor<6xi4>
  return %6, %3, %w, %z, %m, %7 : tensor<99x140xf32>, tensor<4x37xf32>, tensor<3x3x5x37xf32>, tensor<0x4xf32>, tensor<140xi1>, tensor<6xi4>
}
";

#[test]
fn weights_are_read_in_several_ways() {
    for cpu in cpus() {
        let artifact = compile(ALL, preparing(options(cpu), &[]));
        let program = artifact.prepared().expect("inputs are prepared");
        assert_eq!(program.entry.inputs.len(), 4, "three others and the block");
        assert_eq!(program.maker.inputs.len(), 6);
        compare(ALL, &[], &options(cpu));
    }
}

/// What nothing reads as it is takes no memory but in its layout: 37 columns are a panel of 24 and a rest, or as the processor has it.
#[test]
fn only_layouts_that_are_read_are_held() {
    let text = product("f32", [64, 100, 192], false);
    let bytes = compare(&text, &[], &options("x86-64-v3"));
    assert_eq!(bytes, 64 + 4 * 100 * 192, "the tag and the panels");
    let both =
        text.replace("-> tensor<64x192xf32> {", "-> (tensor<64x192xf32>, tensor<100x192xf32>) {");
    let both = both
        .replace("return %y : ", "return %y, %w : ")
        .replace("tensor<64x192xf32>\n}", "tensor<64x192xf32>, tensor<100x192xf32>\n}");
    let bytes = compare(&both, &[], &options("x86-64-v3"));
    assert_eq!(bytes, 64 + 4 * 100 * 192, "a second copy is more than the growth that pays");
}

/// The layout of four matrices in a loop: each iteration takes its own.
const STACKED: &str = "
func.func @main(%x: tensor<5x64xf32>, %w: tensor<4x64x64xf32> {strata.prepare}) -> tensor<5x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<5x64xf32>
  cond {
    %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 64, 64]
      : (tensor<4x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
    %m = stablehlo.reshape %s : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
    %y = stablehlo.dot_general %h, %m, contracting_dims = [1] x [0] : (tensor<5x64xf32>, tensor<64x64xf32>) -> tensor<5x64xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %y : tensor<i32>, tensor<5x64xf32>
  }
  return %r#1 : tensor<5x64xf32>
}
";

#[test]
fn loops_read_their_own_part() {
    for cpu in cpus() {
        compare(STACKED, &[], &options(cpu));
    }
}

#[test]
fn several_processors_share_one_size_and_choose_their_layout() {
    let text = product("f32", [7, 65, 131], false);
    let of = |cpu: &str| options(cpu).target;
    let versions = vec![of("x86-64"), of("x86-64-v3"), of("x86-64-v4")];
    let several = Options { versions, ..options("x86-64") };
    let size = compare(&text, &[], &several);
    let alone = |cpu: &str| compile(&text, preparing(options(cpu), &[]));
    let sizes: Vec<_> = ["x86-64", "x86-64-v3", "x86-64-v4"]
        .iter()
        .map(|cpu| alone(cpu).prepared().expect("inputs are prepared").size())
        .collect();
    assert_eq!(Some(&size), sizes.iter().max(), "the largest of {sizes:?}");
    let artifact = compile(&text, preparing(several, &[]));
    let header = artifact.header().expect("a header");
    assert!(header.contains(&format!("_PREPARED_SIZE {size}\n")), "{header}");
    assert!(header.contains(&format!("uint8_t prepared[{size}]")), "{header}");
    if sizes.iter().any(|one| *one != sizes[0]) && cpus().contains(&"x86-64-v3") {
        // The layout of the baseline is not the one that runs here.
        let baseline = alone("x86-64");
        let inputs = inputs(&artifact.program_signature().expect("a signature"));
        let mut given = prepared(&baseline, inputs);
        given[1].resize(size as usize, 0);
        assert_eq!(Loaded::new(&artifact).status(&given), NOT_PREPARED);
    }
}

#[test]
fn other_blocks_are_refused_before_anything_is_written() {
    let artifact = compile(&product("f32", [7, 65, 131], false), preparing(options("x86-64"), &[]));
    let other = compile(&product("f32", [7, 65, 130], false), preparing(options("x86-64"), &[]));
    let entry = Loaded::new(&artifact);
    let program = inputs(&artifact.program_signature().expect("a signature"));
    let given = prepared(&artifact, program.clone());
    assert_eq!(entry.status(&given), 0);
    let x = given[0].clone();
    let size = given[1].len();
    assert_eq!(entry.status(&[x.clone(), vec![0; size]]), NOT_PREPARED, "not prepared");
    let of_other = inputs(&other.program_signature().expect("a signature"));
    let mut block = prepared(&other, of_other).remove(1);
    block.resize(size, 0);
    assert_eq!(entry.status(&[x.clone(), block]), NOT_PREPARED, "by another object");
    let mut shifted = given[1].clone();
    shifted.push(0);
    assert_eq!(entry.status(&[x.clone(), shifted]), NOT_PREPARED, "not aligned");
    for at in [0, 8] {
        let mut broken = given[1].clone();
        broken[at] ^= 1;
        assert_eq!(entry.status(&[x.clone(), broken]), NOT_PREPARED, "byte {at} of the tag");
    }
    // The same program compiled again reads it.
    let again =
        compile(&product("f32", [7, 65, 131], false), preparing(options("x86-64"), &["input1"]));
    assert_eq!(Loaded::new(&again).status(&given), 0);
    assert_eq!(artifact.bytes(), again.bytes(), "marks and names mean the same");
}

/// The kernel of a program of many inputs takes arrays.
#[test]
fn programs_of_many_inputs_take_one_block() {
    let count = 300;
    let mut text = String::from("func.func @main(%x: tensor<3x40xf32>");
    for at in 0..count {
        text += &format!(", %w{at}: tensor<40x40xf32>");
    }
    text += ") -> tensor<3x40xf32> {\n";
    for at in 0..count {
        let before = if at == 0 { "x".to_owned() } else { format!("y{}", at - 1) };
        text += &format!(
            "%y{at} = stablehlo.dot_general %{before}, %w{at}, contracting_dims = [1] x [0] : \
             (tensor<3x40xf32>, tensor<40x40xf32>) -> tensor<3x40xf32>\n"
        );
    }
    text += &format!("return %y{} : tensor<3x40xf32>\n}}\n", count - 1);
    compare(&text, &["input1*", "input2??"], &options("x86-64"));
}

#[test]
fn several_entries_have_blocks_of_their_own() {
    let text = product("f32", [7, 65, 131], false).replace("@main", "public @one")
        + &product("f32", [2, 65, 131], true).replace("@main", "public @two");
    let entries = vec!["one".to_owned(), "two".to_owned()];
    let artifact = compile(&text, preparing(Options { entries, ..options("x86-64") }, &[]));
    let names: Vec<_> = artifact.signatures().iter().map(|(one, _)| one.entry.as_str()).collect();
    assert_eq!(names, ["one", "one_prepare", "two", "two_prepare"]);
    let all = artifact.signatures();
    let own = compile(&text, Options { entry: Some("two".into()), ..options("x86-64") });
    let inputs = inputs(own.signature().expect("a signature"));
    let expected = Loaded::new(&own).call(&inputs);
    let block = Loaded::of(&artifact, &all[3].0).call(&inputs[1..]).remove(0);
    let found = Loaded::of(&artifact, &all[2].0).call(&[inputs[0].clone(), block]);
    assert!(found == expected);
}

#[test]
fn an_input_may_have_the_name_of_the_block() {
    let text = "func.func @main(%x: tensor<3x65xf32> loc(\"prepared\"), %w: tensor<65x99xf32> loc(\"w\")) -> tensor<3x99xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x65xf32>, tensor<65x99xf32>) -> tensor<3x99xf32>
  return %0 : tensor<3x99xf32>
}";
    let artifact = compile(text, preparing(options("x86-64"), &["w"]));
    let names = |signature: Option<Signature>| signature.expect("a signature").input_names;
    assert_eq!(names(artifact.signature().cloned()), ["prepared", "prepared2"]);
    assert_eq!(names(artifact.program_signature()), ["prepared", "w"]);
    compare(text, &["w"], &options("x86-64"));
}

#[test]
fn a_mark_of_another_function_means_nothing() {
    let text = product("f32", [7, 65, 131], false).replace("@main", "public @marked")
        + &product("f32", [7, 65, 131], false)
            .replace("@main", "public @main")
            .replace(" {strata.prepare}", "");
    let one = Options { entry: Some("main".into()), ..options("x86-64") };
    let artifact = compile(&text, preparing(one.clone(), &[]));
    assert!(artifact.prepared().is_none());
    let inputs = inputs(artifact.signature().expect("a signature"));
    assert!(
        Loaded::new(&artifact).call(&inputs) == Loaded::new(&compile(&text, one)).call(&inputs)
    );
}

#[test]
fn without_the_option_marks_mean_nothing() {
    let marked = product("f32", [7, 65, 131], false);
    let plain = marked.replace(" {strata.prepare}", "");
    let of = |text: &str| compile(text, options("x86-64"));
    assert_eq!(of(&marked).bytes(), of(&plain).bytes());
}

/// Constants of a file beside prepared inputs.
#[test]
fn weights_files_and_blocks_go_together() {
    let text = product("f32", [7, 65, 131], false)
        .replace("return", "%c = stablehlo.iota dim = 0 : tensor<7x131xf32>\nreturn");
    let external = Options { weights: WeightsLocation::External, ..options("x86-64") };
    compare(&text, &[], &external);
}

/// The dump of a stage before `llvm` is that of the entry, and compiles on.
#[test]
fn dumps_show_the_entry() {
    let text = product("f32", [7, 65, 131], false);
    for stage in [Stage::Linalg, Stage::Schedule, Stage::Vector] {
        let dump = Compiler::new(preparing(options("x86-64"), &[])).to(stage);
        let dump = dump.compile("prepared.mlir", text.as_bytes());
        let dump = dump.unwrap_or_else(|errors| panic!("{errors}"));
        let again = Compiler::new(preparing(options("x86-64"), &[])).from(stage);
        let again = again.compile("dump", dump.bytes()).unwrap_or_else(|errors| panic!("{errors}"));
        let artifact = compile(&text, preparing(options("x86-64"), &[]));
        let given =
            prepared(&artifact, inputs(&artifact.program_signature().expect("a signature")));
        assert!(Loaded::new(&again).call(&given) == Loaded::new(&artifact).call(&given), "{stage}");
    }
}

/// Writes the program and its inputs.
fn write(folder: &Path) -> Vec<String> {
    let text = product("f32", [7, 65, 131], false).replace(" {strata.prepare}", "");
    fs::write(folder.join("model.mlir"), text).expect("written");
    for (name, shape, count) in [("x", "(7, 65)", 7 * 65), ("w", "(65, 131)", 65 * 131)] {
        let data = npy("<f4", shape, &numbers("f32", count, count as u32));
        fs::write(folder.join(format!("{name}.npy")), data).expect("written");
    }
    ["--input", "x.npy", "--input", "w.npy"].map(str::to_owned).to_vec()
}

fn with(first: &[&str], rest: &[String], last: &[&str]) -> Vec<String> {
    let words = first.iter().map(|word| (*word).to_owned()).chain(rest.iter().cloned());
    words.chain(last.iter().map(|word| (*word).to_owned())).collect()
}

#[test]
fn the_command_prepares_before_it_calls() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = write(folder.path());
    let run = |more: &[&str], output: &str| {
        let words = with(&["run", "model.mlir"], &inputs, &[&["--output", output], more].concat());
        strata(folder.path(), &words).succeeded();
        fs::read(folder.path().join(output)).expect("the result")
    };
    let plain = run(&[], "plain.npy");
    for threads in ["1", "2", "3"] {
        let found = run(&["--prepare", "input1", "--threads", threads], "prepared.npy");
        assert!(found == plain, "{threads} threads");
    }
    let words = [
        "bench",
        "model.mlir",
        "--prepare",
        "*1",
        "--rounds",
        "1",
        "--min-time",
        "0.001",
        "--no-limits",
    ];
    let told = strata(folder.path(), &words).succeeded();
    assert!(told.text().contains("prepared    in "), "{}", told.text());
    let words = [&words[..], &["--json"]].concat();
    let told = strata(folder.path(), &words).succeeded();
    assert!(told.text().contains("\"prepare_seconds\": 0."), "{}", told.text());
}

/// The example of the page is the last one of these.
#[test]
fn what_cannot_be_prepared_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path());
    let donated = product("f32", [7, 65, 65], false).replace(
        "%x: tensor<7x65xf32>",
        "%x: tensor<7x65xf32> {strata.prepare, jax.buffer_donor = true}",
    );
    fs::write(folder.path().join("donated.mlir"), donated).expect("written");
    let open = "func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n\
                %y = stablehlo.negate %x : tensor<?x4xf32>\nreturn %y : tensor<?x4xf32>\n}\n";
    fs::write(folder.path().join("open.mlir"), open).expect("written");
    let sum = "module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {\n\
               func.func @main(%x: tensor<7x64xf32> {strata.prepare}) -> tensor<7x64xf32> {\n\
               %y = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({\n\
               ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\n\
               stablehlo.return %s : tensor<f32>\n}) : (tensor<7x64xf32>) -> tensor<7x64xf32>\n\
               return %y : tensor<7x64xf32>\n}\n}\n";
    fs::write(folder.path().join("devices.mlir"), sum).expect("written");
    let marked =
        |mark: &str| open.replace('?', "5").replace("4xf32>)", &format!("4xf32> {{{mark}}})"));
    fs::write(folder.path().join("number.mlir"), marked("strata.prepare = 0")).expect("written");
    // What later stages write on a function means nothing in a program.
    let later = marked("strata.prepare = false").replace(
        "-> tensor<5x4xf32> {",
        "-> tensor<5x4xf32> attributes {strata.prepare = array<i64: 7>, strata.prepared = array<i64: 1, 2, 3>} {",
    );
    fs::write(folder.path().join("later.mlir"), later).expect("written");
    let ended = strata(folder.path(), &["check", "later.mlir"]);
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.code == 0 && !text.contains("prepared"), "{text}{}", ended.stderr);
    for (words, told) in [
        (&["compile", "devices.mlir"][..], "for several devices"),
        (&["compile", "model.mlir", "--prepare", "w*"][..], "no input of `main` is named `w*`"),
        (&["check", "model.mlir", "--prepare", "input2"], "they are input0, input1"),
        (&["compile", "donated.mlir"], "`input0` is donated"),
        (&["compile", "number.mlir"], "not a mark"),
        (&["compile", "open.mlir", "--prepare", "*"], "sizes of the program are open"),
    ] {
        let ended = strata(folder.path(), words);
        assert_eq!(ended.code, 2, "{words:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("S1706") && ended.stderr.contains(told), "{}", ended.stderr);
    }
    let ended =
        strata(folder.path(), &["compile", "model.mlir", "--emit", "exe", "--prepare", "*"]);
    assert!(ended.stderr.contains("S0001"), "{}", ended.stderr);
}

#[track_caller]
fn done(command: &mut Command) -> String {
    let output = command.output().expect("the command runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_example_in_c_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let examples = workspace().join("examples/prepared");
    let program = examples.join("layer.mlir").display().to_string();
    for cpus in ["x86-64", "x86-64,x86-64-v3"] {
        let words =
            ["compile", &program, "--target-cpu", cpus, "-o", "layer.o", "--header", "layer.h"];
        strata(folder.path(), &words).succeeded();
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I."])
            .arg(examples.join("layer.c"));
        done(cc.args(["layer.o", "-lm", "-o", "layer"]).current_dir(folder.path()));
        let said = done(&mut Command::new(folder.path().join("layer")));
        assert!(said.starts_with("3 calls with weights that were prepared once"), "{said}");
    }
    let told = strata(folder.path(), &["check", &program]).succeeded();
    assert!(told.text().contains("prepared    tensor<65x131xf32> `weights`"), "{}", told.text());
    let told = strata(folder.path(), &["check", &program, "--prepare", "x", "--json"]).succeeded();
    assert!(told.text().contains("\"name\": \"x\""), "{}", told.text());
    let words = ["compile", &program, "--target-cpu", "x86-64-v3", "-o", "layer.o", "--remarks"];
    let told = strata(folder.path(), &words).succeeded();
    assert!(told.stderr.contains("packed once, before calls"), "{}", told.stderr);
}

/// The module of Rust has a type for the block, so that only one that is aligned is given; an empty one is refused.
#[test]
fn the_wrappers_compile() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = workspace().join("examples/prepared/layer.mlir").display().to_string();
    let words = [
        "compile",
        &program,
        "--name",
        "layer",
        "-o",
        "layer.o",
        "--rust",
        "layer.rs",
        "--cxx",
        "layer.hpp",
    ];
    strata(folder.path(), &words).succeeded();
    let main = "mod layer;\nuse layer::{layer_main, layer_main_prepare};\nfn main() {\n\
                let mut block = layer_main::Prepared::boxed();\n\
                let (x, weights, bias) = ([[1.0; 65]; 3], [[0.5; 131]; 65], [2.0; 131]);\n\
                let mut y = [[0.0; 131]; 3];\n\
                let (mut own, mut other) = (layer_main::Workspace::boxed(), layer_main_prepare::Workspace::boxed());\n\
                assert_eq!(layer_main::layer_main(&x, &block, &mut y, &mut own), Err(16));\n\
                layer_main_prepare::layer_main_prepare(&weights, &bias, &mut block, &mut other);\n\
                assert_eq!(layer_main::layer_main(&x, &block, &mut y, &mut own), Ok(()));\n\
                assert_eq!(y, [[34.5; 131]; 3]);\n}\n";
    fs::write(folder.path().join("main.rs"), main).expect("written");
    let mut rustc = Command::new("rustc");
    rustc.args([
        "--edition",
        "2024",
        "-D",
        "warnings",
        "main.rs",
        "-Clink-arg=layer.o",
        "-Clink-arg=-lm",
    ]);
    done(rustc.current_dir(folder.path()));
    done(&mut Command::new(folder.path().join("main")));
    let main = "#include \"layer.hpp\"\nalignas(64) static std::uint8_t block[LAYER_MAIN_PREPARED_SIZE];\n\
                static float x[3 * 65], w[65 * 131], b[131], y[3 * 131];\nint main() {\n\
                layer_main_program layer;\nlayer_main_prepare_program prepare;\nb[130] = 2;\n\
                if (layer(x, block, y) != STRATA_NOT_PREPARED || prepare(w, b, block) != STRATA_OK) return 1;\n\
                return layer(x, block, y) == STRATA_OK && y[130] == 2 ? 0 : 2;\n}\n";
    fs::write(folder.path().join("main.cpp"), main).expect("written");
    let mut cxx = Command::new("c++");
    cxx.args([
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Werror",
        "main.cpp",
        "layer.o",
        "-lm",
        "-o",
        "cxx",
    ]);
    done(cxx.current_dir(folder.path()));
    done(&mut Command::new(folder.path().join("cxx")));
}
