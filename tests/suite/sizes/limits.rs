//! Where loops along bounded dimensions end.

use std::fs;

use crate::command::{strata, workspace};

/// Loops along a dimension with a bound have its size as their limit, and what is computed of masked rows has a schedule.
#[test]
fn loops_along_bounded_dimensions_have_limits() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/limited_layers.mlir");
    let program = program.to_str().unwrap();
    let compiled = |stage: &str, sizes: &[&str]| {
        let arguments = ["compile", program, "--target-cpu", "x86-64-v3", "--to", stage, "-o", "-"];
        strata(here.path(), &[&arguments[..], sizes].concat()).succeeded().text().to_owned()
    };
    let bounded = &["--max", "x.0=37"];
    let scheduled = compiled("schedule", bounded);
    let count = |text: &str, what: &str| text.matches(what).count();
    assert!(count(&scheduled, "strata.limit") >= 6, "{scheduled}");
    assert!(scheduled.contains("strata.schedule = \"rows 8\""), "{scheduled}");
    let lowered = compiled("affine", bounded);
    // The limit and its whole tiles of each height, of which each loop takes the smaller one and its bound.
    assert!((1..=6).contains(&count(&lowered, "strata.limit")), "{lowered}");
    assert!(count(&lowered, "arith.minsi") > 6, "{lowered}");
    assert_eq!(count(&compiled("schedule", &["--bind", "x.0=37"]), "strata.limit"), 0);
}

/// The last tile of rows of dots and convolutions has code for each number of rows, and no access of an input or output in it has to look
/// where that ends.
#[test]
fn last_tiles_have_code_for_each_number_of_rows() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/last_tiles.mlir");
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--max", "x.0=27", "--dump-stages", "d"]].concat();
    strata(here.path(), &[&arguments[..], &["-o", "x.o"]].concat()).succeeded();
    let lowered = fs::read_to_string(here.path().join("d/x.0=27/40-affine.mlir")).unwrap();
    // The five dots and the convolution.
    let choices = lowered.matches("scf.index_switch").count();
    assert!(choices >= 5, "{choices}: {lowered}");
    assert!(!lowered.contains("strata.row") && !lowered.contains("strata.below"), "{lowered}");
}

/// Rows of several dimensions have a loop for each, of which the inner one ends at the size; so do those within a block of rows.
#[test]
fn inner_rows_and_rows_of_blocks_end_at_the_size() {
    let here = tempfile::tempdir().unwrap();
    let compiled = |name: &str, stage: &str, bound: &str| {
        let program = workspace().join(format!("tests/sizes/{name}.mlir"));
        let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
        let arguments = [&arguments[..], &["--max", bound, "--to", stage, "-o", "-"]].concat();
        strata(here.path(), &arguments).succeeded().text().to_owned()
    };
    let program = compiled("inner_rows", "hlo", "x.1=90,z.1=90");
    // The rows of each dot, two of them as the dimensions that a reshape joined.
    assert_eq!(program.matches("strata.apart").count(), 4, "{program}");
    assert!(!program.contains("(tensor<270x5xf32>, tensor<5x40xf32>)"), "{program}");
    let scheduled = compiled("limited_blocks", "schedule", "x.0=700");
    let of_blocks = scheduled.matches("strata.blocks = [0, #").count();
    assert!(of_blocks > 0 && scheduled.contains("strata.blocks = 0 : i64"), "{scheduled}");
    let lowered = compiled("limited_blocks", "affine", "x.0=700");
    assert!(!lowered.contains("strata.blocks"), "{lowered}");
    assert!(lowered.matches("arith.subi").count() >= of_blocks, "{lowered}");
}

/// Panels that are packed from an operand whose elements are zero from the size on end there, as the sums that read them.
#[test]
fn panels_end_with_the_sums_that_read_them() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/limited_panels.mlir");
    // Eight rows are transposed at once, and sixteen.
    for target in ["x86-64-v3", "x86-64-v4"] {
        let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", target];
        let arguments = [&arguments[..], &["--max", "v.0=128", "--to", "schedule"]].concat();
        let arguments = [&arguments[..], &["-o", "-"]].concat();
        let text = strata(here.path(), &arguments).succeeded().text().to_owned();
        assert!(text.contains(" transposed\""), "{text}");
        // The panel, the sums of its tiles and of the last one, and the columns of the result.
        assert_eq!(text.matches("} {strata.limit").count(), 4, "{target}: {text}");
    }
}

/// A masked operand whose rows are shorter than a vector has no schedule, and ends with the sums that read it, too: the function of the rows,
/// its mask with the places that it compares, and the sums.
#[test]
fn masked_copies_end_with_the_sums_that_read_them() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/limited_masks.mlir");
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--max", "x.0=128", "--to", "schedule", "-o", "-"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    assert_eq!(text.matches("{strata.limit = [#").count(), 3, "{text}");
}

/// Elementwise work on tensors whose rows follow each other is one loop, and extrema with their places have no masks: their last vector
/// meets elements again.
#[test]
fn rows_that_follow_each_other_are_one_and_extrema_meet_elements_again() {
    let here = tempfile::tempdir().unwrap();
    let lowered = |name: &str| {
        let program = workspace().join(format!("tests/sizes/{name}.mlir"));
        let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
        let arguments = [&arguments[..], &["--max", "x.1=41", "--dump-stages", name]].concat();
        strata(here.path(), &[&arguments[..], &["-o", "x.o"]].concat()).succeeded();
        let lowered = here.path().join(name).join("x.1=40/40-affine.mlir");
        fs::read_to_string(lowered).unwrap()
    };
    let text = lowered("flat_rows");
    let views = |ty: &str| text.matches(&format!("to memref<{ty}>")).count();
    // What three operations read and write, a row, and an output of one row; what an operation does in another type.
    assert_eq!([views("?xf32"), views("?xf64")], [9, 2], "{text}");
    assert!(!text.contains("strata.flat"), "{text}");
    let text = lowered("extreme_ends");
    assert!(text.matches("strata.schedule = \"extremum").count() >= 5, "{text}");
    assert!(!text.contains("in_bounds = [false]") && !text.contains("strata.again"), "{text}");
}

/// Dots of a number of rows with a bound are computed for all of them at once; other rows are computed in parts.
#[test]
fn dots_of_a_number_of_rows_have_one_version() {
    let here = tempfile::tempdir().unwrap();
    let program = |operation: &str| {
        let program = format!(
            "func.func public @main(%x: tensor<?x64xf32> loc(\"x\"), %w: tensor<64x64xf32>) -> tensor<?x64xf32> {{
              %y = {operation}
              return %y : tensor<?x64xf32>
            }}"
        );
        fs::write(here.path().join("p.mlir"), program).unwrap();
    };
    let check = |most: &str| {
        let arguments = ["check", "p.mlir", "--max", most];
        strata(here.path(), &arguments).succeeded().text().to_owned()
    };
    program(
        "stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>",
    );
    let few = check("x.0=100");
    assert!(few.contains("versions    1\n") && !few.contains("rows "), "{few}");
    // Buffers of this bound would be large for a few rows.
    let many = check("x.0=100000");
    assert!(many.contains("rows        x.0"), "{many}");
    program("stablehlo.tanh %x : tensor<?x64xf32>");
    let elements = check("x.0=100");
    assert!(elements.contains("versions    2\n") && !elements.contains("rows "), "{elements}");
    // So are rows that are reduced, unless several of them fit into some vectors.
    let maxima = |row: i64| {
        let program = format!(
            "func.func public @main(%x: tensor<?x{row}xf32> loc(\"x\")) -> tensor<?xf32> {{
              %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
              %y = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<?x{row}xf32>, tensor<f32>) -> tensor<?xf32>
              return %y : tensor<?xf32>
            }}"
        );
        fs::write(here.path().join("p.mlir"), program).unwrap();
        check("x.0=100")
    };
    assert!(maxima(10).contains("rows        x.0"));
    let long = maxima(1000);
    assert!(long.contains("versions    1\n") && !long.contains("rows "), "{long}");
    // Four vectors at a time, as in the program of a size: only rows end within.
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--to", "vector"];
    let arguments = [&arguments[..], &["-o", "-", "--max", "x.0=100"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    assert!(text.contains("memref<1x32xf32>"), "{text}");
}

/// What is left of a tile and the tile before it are parts of about as many rows, and sums of few rows are added up beside each other.
#[test]
fn last_tiles_of_few_rows_do_not_wait_for_their_sums() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<?x63xf32> loc(\"x\"), %w: tensor<63x48xf32>) -> (tensor<?x48xf32>, tensor<48xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x63xf32>, tensor<63x48xf32>) -> tensor<?x48xf32>
      %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x48xf32>, tensor<f32>) -> tensor<48xf32>
      return %y, %s : tensor<?x48xf32>, tensor<48xf32>
    }";
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--max", "x.0=40"];
    let arguments = [&arguments[..], &["--dump-stages", "d", "-o", "p.o"]].concat();
    strata(here.path(), &arguments).succeeded();
    let lowered = fs::read_to_string(here.path().join("d/x.0=40/40-affine.mlir")).unwrap();
    let (tiles, parts) = lowered.split_once("scf.index_switch").expect("parts of tiles");
    let first = parts.split("case 2").next().unwrap_or_default();
    let sums = |text: &str| text.matches("math.fma").count();
    // One row of 24 columns, of two elements at a time, and of the last one.
    assert_eq!(sums(first), 2 * 3 + 3, "{first}");
    assert_eq!(first.matches("arith.addf").count(), 3, "{first}");
    assert!(first.contains("dense<-0.000000e+00>") || lowered.contains("dense<-0.000000e+00>"));
    // The loop around the choice takes one part or two.
    let (_, around) = tiles.rsplit_once("scf.for").expect("a loop of parts");
    assert!(around.contains("arith.select"), "{around}");
}

/// Rows of a softmax end at the size, with the temporary row of exponentials, and whole tiles of vectors have no masks.
#[test]
fn vectors_along_rows_end_at_the_size() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/exact_vectors.mlir");
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--max", "x.1=75", "--dump-stages", "d"]].concat();
    strata(here.path(), &[&arguments[..], &["-o", "x.o"]].concat()).succeeded();
    let folders = fs::read_dir(here.path().join("d")).unwrap();
    let sizes = folders.filter_map(|folder| folder.ok()?.file_name().into_string().ok());
    // 1 to 8, the bound, and one for what is between, with rounder buffers.
    assert_eq!(sizes.filter(|name| name.starts_with("x.1=")).count(), 10);
    let dump = |stage: &str| fs::read_to_string(here.path().join("d/x.1=74").join(stage)).unwrap();
    let scheduled = dump("30-schedule.mlir");
    let softmax = scheduled.split("scf.for").skip_while(|text| !text.contains("maximumf"));
    let softmax: Vec<_> = softmax.collect();
    assert!(softmax.iter().any(|text| text.contains("math.exp")), "{scheduled}");
    let count = |text: &str, what: &str| text.matches(what).count();
    // The maximum, the exponentials, their sum, the quotients.
    assert!(count(&scheduled, "strata.limit = ") >= 4 + 2 + 2, "{scheduled}");
    assert!(count(&scheduled, "strata.mask = ") >= 2, "{scheduled}");
    assert!(scheduled.contains("x80xf32"), "{scheduled}");
    let lowered = dump("40-affine.mlir");
    assert!(!lowered.contains("strata.mask") && !lowered.contains("strata.below"), "{lowered}");
    let masks = |text: &str| count(text, "arith.select");
    assert!(masks(&lowered) > 0, "{lowered}");
}

/// Dots of rows have code for the bound alone, which reads constant weights in its own layout, unless other sizes are asked for.
#[test]
fn dots_of_rows_have_one_version() {
    let here = tempfile::tempdir().unwrap();
    let weights: Vec<_> = (0..64 * 100).map(|at| format!("{}.5", at % 7)).collect();
    let rows: Vec<_> = weights.chunks(100).map(|row| format!("[{}]", row.join(","))).collect();
    let program = format!(
        "func.func public @main(%x: tensor<?x64xf32> loc(\"x\")) -> tensor<?x100xf32> {{
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %w = stablehlo.constant dense<[{}]> : tensor<64x100xf32>
          %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x100xf32>) -> tensor<?x100xf32>
          %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x64xf32>) -> tensor<i32>
          %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
          %c = stablehlo.constant dense<100> : tensor<1xi32>
          %shape = stablehlo.concatenate %s, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
          %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x100xf32>, tensor<f32>) -> tensor<f32>
          %all = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x100xf32>
          %r = stablehlo.add %y, %all : tensor<?x100xf32>
          return %r : tensor<?x100xf32>
        }}",
        rows.join(",")
    );
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let lowered = |sizes: &[&str]| {
        let common =
            ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--to", "vector", "-o", "-"];
        strata(here.path(), &[&common[..], sizes].concat()).succeeded().text().to_owned()
    };
    let alone = lowered(&["--max", "x.0=90"]);
    assert_eq!(alone.matches("strata.specialization").count(), 1);
    assert!(!alone.contains(": memref<64x100xf32>"), "the weights are as in the program");
    let beside = lowered(&["--max", "x.0=90", "--specialize", "x.0=7"]);
    assert_eq!(beside.matches("strata.specialization").count(), 2);
    assert!(beside.contains(": memref<64x100xf32>"), "there are two layouts");
}

/// Outputs are written without masks where the last vector of a row may begin earlier, transposed blocks too.
#[test]
fn last_vectors_end_with_the_row() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/moved_ends.mlir");
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--max", "x.1=41", "--dump-stages", "d"]].concat();
    strata(here.path(), &[&arguments[..], &["-o", "x.o"]].concat()).succeeded();
    let lowered = fs::read_to_string(here.path().join("d/x.1=40/40-affine.mlir")).unwrap();
    let writes = lowered.lines().filter(|line| line.contains("vector.transfer_write"));
    let whole = ["vector<8xf32>", "vector<4xf64>", "vector<32xi8>", "vector<8x8xf32>"];
    let is_whole = |line: &&str| whole.iter().any(|ty| line.contains(&format!(": {ty}")));
    let (inside, outside): (Vec<_>, Vec<_>) =
        writes.filter(is_whole).partition(|line| line.contains("in_bounds = [true"));
    assert!(inside.len() >= 10, "{lowered}");
    // Slices of the first input are read in place, too.
    let all = "strata.in_place = array<i64: 0, 1, 2, 3, 6, 7, 8, 9, 10, 12, 13, 14, 15>";
    assert!(lowered.contains(all), "{lowered}");
    // Where the row itself may be outside.
    assert!(
        outside.len() <= 2 && outside.iter().all(|line| line.contains("memref<?x?xf32>")),
        "{outside:?}"
    );
}

/// A dump of stage `linalg` in which the first rows of both outputs are needed: READ says where a nest reads what another one computes,
/// and DIVIDES what is done with integers.
const PARTLY_NEEDED: &str = r#"
#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (36 - d0, d1)>
#columns = affine_map<(d0, d1) -> (d0, 63 - d1)>
func.func @main(%x: tensor<37x64xf32>, %i: tensor<37x64xi32>, %n: tensor<i64>) -> (tensor<37x64xf32>, tensor<37x64xi32>)
    attributes {strata.entry, strata.inputs = [tensor<37x64xf32>, tensor<37x64xi32>, tensor<i64>],
      strata.outputs = [tensor<37x64xf32>, tensor<37x64xi32>],
      strata.valid = [affine_map<(d0) -> (d0, 64)>, affine_map<(d0) -> (d0, 64)>]} {
  %e = tensor.empty() : tensor<37x64xf32>
  %ei = tensor.empty() : tensor<37x64xi32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<37x64xf32>) outs(%e : tensor<37x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = math.exp %a : f32
      linalg.yield %r : f32
  } -> tensor<37x64xf32>
  %read = linalg.generic {indexing_maps = [#READ, #id], iterator_types = ["parallel", "parallel"]} ins(%exp : tensor<37x64xf32>) outs(%e : tensor<37x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %a : f32
      linalg.yield %r : f32
  } -> tensor<37x64xf32>
  %or = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<37x64xi32>) outs(%ei : tensor<37x64xi32>) {
    ^bb0(%a: i32, %o: i32):
      %one = arith.constant 1 : i32
      %r = arith.ori %a, %one : i32
      linalg.yield %r : i32
  } -> tensor<37x64xi32>
  %rest = linalg.generic {indexing_maps = [#id, #READ, #id], iterator_types = ["parallel", "parallel"]} ins(%i, %or : tensor<37x64xi32>, tensor<37x64xi32>) outs(%ei : tensor<37x64xi32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %r = arith.DIVIDES %a, %b : i32
      linalg.yield %r : i32
  } -> tensor<37x64xi32>
  return %read, %rest : tensor<37x64xf32>, tensor<37x64xi32>
}
"#;

/// What is read from its end, and what integers are divided by, is computed whole: one that memory holds could be zero.
#[test]
fn what_is_needed_whole_has_no_limit() {
    let here = tempfile::tempdir().unwrap();
    let limits = |read: &str, divides: &str| {
        let program = PARTLY_NEEDED.replace("READ", read).replace("DIVIDES", divides);
        fs::write(here.path().join("dump.mlir"), program).unwrap();
        let stages = ["--from", "linalg", "--to", "affine", "--target-cpu", "x86-64-v3"];
        let arguments = [&["compile", "dump.mlir", "-o", "-"][..], &stages].concat();
        let text = strata(here.path(), &arguments).succeeded().text().to_owned();
        text.matches("arith.minsi %c37").count() + text.matches("= 0 to min ").count()
    };
    // Four nests, none of which reads other rows than it writes.
    assert_eq!(limits("columns", "muli"), 4);
    // Divisors are computed whole.
    assert_eq!(limits("columns", "divui"), 3);
    // The last rows are read first.
    assert_eq!(limits("rows", "muli"), 2);
}

/// A dump of stage `linalg` with a product whose operands have GIVEN rows and columns that are not zero, and an extremum of what
/// MASK leaves.
const REDUCED: &str = r#"
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%x: tensor<64x37xf32>, %y: tensor<37x64xf32>, %n: tensor<i64>) -> (tensor<64x64xf32>, tensor<64xf32>)
    attributes {strata.entry, strata.inputs = [tensor<64x37xf32>, tensor<37x64xf32>, tensor<i64>],
      strata.outputs = [tensor<64x64xf32>, tensor<64xf32>],
      strata.valid = [affine_map<(d0) -> (64, 64)>, affine_map<(d0) -> (64)>],
      strata.zeros = [GIVEN]} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %dot = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<64x37xf32>, tensor<37x64xf32>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
  } -> tensor<64x64xf32>
  %ei = tensor.empty() : tensor<37xi64>
  %size = tensor.extract %n[] : tensor<i64>
  %ek = tensor.empty() : tensor<37x64xf32>
  %masked = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<37x64xf32>) outs(%ek : tensor<37x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %at = arith.index_cast %i : index to i64
      %valid = arith.cmpi slt, %at, %size : i64
      %r = arith.select %valid, %a, %MASK : f32
      linalg.yield %r : f32
  } -> tensor<37x64xf32>
  %ec = tensor.empty() : tensor<64xf32>
  %zc = linalg.fill ins(%low : f32) outs(%ec : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%masked : tensor<37x64xf32>) outs(%zc : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %o, %a : f32
      linalg.yield %r : f32
  } -> tensor<64xf32>
  return %dot, %max : tensor<64x64xf32>, tensor<64xf32>
}
"#;

/// Reductions end where masks and zeros leave what changes nothing, and nowhere else: a zero times what may be infinite does.
#[test]
fn reductions_end_where_they_see_neutral_elements() {
    let here = tempfile::tempdir().unwrap();
    let limits = |left: &str, right: &str, mask: &str| {
        let maps = [left, right].map(|sizes| format!("affine_map<(d0) -> {sizes}>"));
        let program = REDUCED.replace("GIVEN", &maps.join(", ")).replace("MASK", mask);
        fs::write(here.path().join("dump.mlir"), program).unwrap();
        let stages = ["--from", "linalg", "--to", "affine", "--target-cpu", "x86-64-v3"];
        let arguments = [&["compile", "dump.mlir", "-o", "-"][..], &stages].concat();
        let text = strata(here.path(), &arguments).succeeded().text().to_owned();
        let ends = text.matches("arith.minsi %c37").count();
        let columns = text.matches("arith.minsi %c64").count();
        assert_eq!(columns, 0, "{text}");
        ends
    };
    let none = limits("(64, 37)", "(37, 64)", "zero");
    assert_eq!(none, 0);
    let max = limits("(64, 37)", "(37, 64)", "low");
    assert!(max > 0);
    assert_eq!(limits("(64, d0)", "(37, 64)", "low"), max);
    assert_eq!(limits("(64, 37)", "(d0, 64)", "low"), max);
    assert_eq!(limits("(64, d0)", "(d0 floordiv 2, 64)", "low"), max);
    assert!(limits("(64, d0)", "(d0, 64)", "low") > max);
}

/// The size that a mask compares with is computed before the convolution that is masked, which keeps its schedule.
#[test]
fn masked_convolutions_have_schedules() {
    let here = tempfile::tempdir().unwrap();
    let convolution = "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} \
                       {batch_group_count = 1 : i64, feature_group_count = 1 : i64}";
    let program = format!(
        "func.func public @main(%x: tensor<2x?x?x8xf32> loc(\"x\"), %k: tensor<3x3x8x32xf32>, %l: tensor<3x3x32x32xf32>)
          -> tensor<2x?x?x32xf32> {{
          %0 = stablehlo.convolution(%x, %k) {convolution} : (tensor<2x?x?x8xf32>, tensor<3x3x8x32xf32>) -> tensor<2x?x?x32xf32>
          %1 = stablehlo.logistic %0 : tensor<2x?x?x32xf32>
          %2 = stablehlo.convolution(%1, %l) {convolution} : (tensor<2x?x?x32xf32>, tensor<3x3x32x32xf32>) -> tensor<2x?x?x32xf32>
          return %2 : tensor<2x?x?x32xf32>
        }}"
    );
    fs::write(here.path().join("program.mlir"), program).unwrap();
    let arguments = ["compile", "program.mlir", "--max", "x.1=24,x.2=24", "--to", "schedule"];
    let text = strata(here.path(), &[&arguments[..], &["-o", "-"]].concat()).succeeded();
    let plain: Vec<_> = text.text().lines().filter(|line| line.contains("linalg.conv_")).collect();
    assert!(plain.is_empty(), "{plain:?}");
}

/// Beside few versions the largest one reads constants in layouts of its own, the others as they are in the program.
#[test]
fn the_largest_version_lays_out_kernels() {
    let here = tempfile::tempdir().unwrap();
    let row = |at: usize| {
        let row: Vec<_> = (0..48).map(|column| format!("{}.5", (at + column) % 7)).collect();
        format!("[{}]", row.join(","))
    };
    let tap = |tap: usize| {
        let rows: Vec<_> = (0..16).map(|at| row(16 * tap + at)).collect();
        format!("[{}]", rows.join(","))
    };
    let program = format!(
        "func.func public @main(%x: tensor<1x?x16xf32> loc(\"x\")) -> tensor<1x?x48xf32> {{
          %k = stablehlo.constant dense<[{}]> : tensor<3x16x48xf32>
          %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{pad = [[1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<1x?x16xf32>, tensor<3x16x48xf32>) -> tensor<1x?x48xf32>
          return %0 : tensor<1x?x48xf32>
        }}",
        (0..3).map(tap).collect::<Vec<_>>().join(",")
    );
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--max", "x.1=90"];
    let arguments = [&arguments[..], &["--to", "vector", "-o", "-"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let functions: Vec<_> = text.split("func.func ").collect();
    let of = |size: usize| {
        let start = format!("private @main.{size}(");
        functions.iter().find(|text| text.starts_with(&start)).expect("a version")
    };
    let plain = "memref<3x16x48xf32>";
    let reads = |size: usize| of(size).matches("memref.get_global").count();
    for size in 1..=4 {
        assert!(of(size).contains(plain), "{size}");
    }
    assert!(!of(90).contains(plain) && reads(90) > 0, "{}", of(90));
}

/// What a dump says of the end of a loop is refused where the loop cannot have it.
#[test]
fn wrong_limits_of_a_dump_are_refused() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/limited_layers.mlir");
    let compile = ["compile", program.to_str().unwrap(), "--max", "x.0=37", "--to", "schedule"];
    let text = strata(here.path(), &[&compile[..], &["-o", "-"]].concat()).succeeded();
    let text = text.text().to_owned();
    let (before, after) = text.split_once("strata.limit = #map").expect("a limit of a loop");
    let number = after.find(|c: char| !c.is_ascii_digit()).unwrap();
    let refused = |limit: &str, words: &str| {
        let edited = format!("{before}{limit}{}", &after[number..]);
        fs::write(here.path().join("edited.mlir"), edited).unwrap();
        let arguments = ["compile", "edited.mlir", "--from", "schedule", "-o", "edited.o"];
        let ended = strata(here.path(), &arguments);
        let said = &ended.stderr;
        assert!(said.contains("error[S0009]") && said.contains(words), "{limit}: {said}");
    };
    let sizes = "is not a map from the sizes of `strata.valid`";
    refused("strata.limit = affine_map<(d0, d1) -> (d1)>", sizes);
    refused("strata.limit = affine_map<()[s0] -> (s0)>", sizes);
    refused("strata.limit = affine_map<(d0) -> (d0, d0)>", sizes);
    refused("strata.limit = affine_map<(d0) -> (d0 mod 4)>", sizes);
    refused("strata.limit = affine_map<(d0) -> (-d0)>", sizes);
    refused("strata.limit = 7", sizes);
    refused("strata.limit = [affine_map<(d0) -> (d0)>]", sizes);
    let edited = text.replace("strata.valid", "strata.other");
    fs::write(here.path().join("edited.mlir"), edited).unwrap();
    let arguments = ["compile", "edited.mlir", "--from", "schedule", "-o", "edited.o"];
    let said = strata(here.path(), &arguments).stderr;
    assert!(said.contains("but no `strata.valid` on the entry"), "{said}");
}

/// Sorts end at the size: there is code for small sizes, the bound and the sizes between, and blocks of rows are counted there only.
#[test]
fn sorts_have_few_versions() {
    let here = tempfile::tempdir().unwrap();
    let program = r#"func.func public @main(%x: tensor<9x?xi32> loc("x")) -> tensor<9x?xi32> {
      %r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) : (tensor<9x?xi32>) -> tensor<9x?xi32>
      return %r : tensor<9x?xi32>
    }"#;
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--max", "x.1=40"];
    let arguments = [&arguments[..], &["--to", "vector", "-o", "-"]].concat();
    let lowered = strata(here.path(), &arguments).succeeded().text().to_owned();
    let function = |size: &str| {
        let start = lowered.find(&format!("func.func private @main.{size}(")).expect("a version");
        let rest = &lowered[start..];
        &rest[..rest.find("\n  }\n").expect("its end")]
    };
    assert_eq!(lowered.matches("strata.specialization").count(), 10);
    assert!(function("39").contains("arith.divui"), "{lowered}");
    assert!(!function("40").contains("arith.divui"), "{lowered}");
}

/// What packing reads beyond the rows of a caller is a row that there is, and zero, without masks.
#[test]
fn rows_beyond_the_end_are_read_without_masks() {
    let here = tempfile::tempdir().unwrap();
    let program = "func.func public @main(%x: tensor<8x64xf32>, %y: tensor<?x64xf32> loc(\"y\")) -> tensor<8x?xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %s = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x64xf32>) -> tensor<i32>
      %a = stablehlo.compare GE, %s, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%a, %s) {error_message = \"{0}\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      %o = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<?x64xf32>) -> tensor<8x?xf32>
      return %o : tensor<8x?xf32>
    }";
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "--to", "vector"];
    let arguments = [&arguments[..], &["-o", "-", "--max", "y.0=100"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let (_, function) = text.split_once("private @main.99(").expect("its function");
    let (function, _) = function.split_once("\n  }\n").expect("its end");
    assert!(function.contains("strata.in_place = array<i64: 1, 3>"), "{function}");
    assert!(function.contains("arith.extsi") && !function.contains("maskedload"), "{function}");
}

/// The function of a version in stage `vector`.
fn version(program: &str, max: &str, name: &str) -> String {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join(format!("tests/sizes/{program}.mlir"));
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments = [&arguments[..], &["--to", "vector", "-o", "-", "--max", max]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    let (_, function) = text.split_once(&format!("private @{name}(")).expect("its function");
    function.split_once("\n  }\n").expect("its end").0.to_owned()
}

/// Elements of an input that are inside have no mask, and loops over windows that are never longer than the size have no other end.
#[test]
fn what_is_inside_has_no_mask() {
    let function = version("open_windows", "x.1=24", "main.16");
    // Of rows and columns, of elements beside the edge only.
    let masks = function.lines().filter(|line| line.contains("arith.cmpi slt, %"));
    assert_eq!(masks.filter(|line| line.contains("vector<")).count(), 2, "{function}");
    assert!(function.contains("to %c2 step %c1 iter_args"), "{function}");
}

/// How many vectors rows have after their tiles is decided before the rows.
#[test]
fn rows_of_few_vectors_have_code_for_each_number() {
    let function = version("added_rows", "x.2=63", "main.62");
    // Of both results, for none to four vectors each.
    assert_eq!(function.matches("scf.index_switch").count(), 2, "{function}");
    assert_eq!(function.matches("case 4 {").count(), 2, "{function}");
    assert!(!function.contains("strata.part"), "{function}");
}

/// Scatters, whose places are outside from the size on, end there, and so does what only they read.
#[test]
fn scatters_end_at_the_size() {
    let here = tempfile::tempdir().unwrap();
    let program = workspace().join("tests/sizes/segment_sums.mlir");
    let arguments = ["compile", program.to_str().unwrap(), "--target-cpu", "x86-64-v3"];
    let arguments =
        [&arguments[..], &["--to", "schedule", "-o", "-", "--max", "from.0=48"]].concat();
    let text = strata(here.path(), &arguments).succeeded().text().to_owned();
    // The loops of both and that over their places; the gather, which has no schedule.
    assert_eq!(text.matches("} {strata.limit = #").count(), 3, "{text}");
    assert!(text.contains("{strata.limit = [#"), "{text}");
}
