//! The examples of XLA's documents.

use strata_builder::{
    Builder, Computation, F32, Literal, Options, Padding, Program, Result, S32, Shape, native,
};

/// While: 1000 times, a constant vector is added to an accumulator.
pub fn while_loop() -> Result<Program> {
    let state = Shape::tuple([Shape::scalar(S32), Shape::array(F32, [10])]);
    let condition = Computation::new("condition", std::slice::from_ref(&state), |_, p| {
        p[0].get_tuple_element(0)?.lt(1000)
    })?;
    let body = Computation::new("body", &[state], |b, p| {
        let iteration = p[0].get_tuple_element(0)? + 1;
        let vector = p[0].get_tuple_element(1)? + b.iota_1d(F32, 10);
        b.tuple(&[iteration?, vector?])
    })?;
    let b = Builder::new("while_loop");
    let init = b.tuple(&[b.constant(0_i32), b.constant([0.0_f32; 10])])?;
    b.build(&b.while_loop(&condition, &body, &init)?)
}

/// Sort: three arrays reordered together by the first one.
pub fn sort_three() -> Result<Program> {
    let (int, float) = (Shape::scalar(S32), Shape::scalar(F32));
    let pairs = [int.clone(), int.clone(), int.clone(), int, float.clone(), float];
    let first = Computation::new("first", &pairs, |_, p| p[0].lt(&p[1]))?;
    let b = Builder::new("sort_three");
    let operands = [
        b.parameter(S32, [2], "operand0"),
        b.parameter(S32, [2], "operand1"),
        b.parameter(F32, [2], "operand2"),
    ];
    b.build(&b.sort(&operands, &first, None, false)?)
}

/// ReduceWindow: the average of each block of 2x2.
pub fn average() -> Result<Program> {
    let b = Builder::new("average");
    let x = b.parameter(F32, [4, 6], "x");
    let sums = x.reduce_window(0.0, &Computation::add(F32)?, &[2, 2], &[2, 2], Padding::Valid)?;
    b.build(&(sums / 4.0)?)
}

/// AllToAll: four processes exchange blocks. It is built here; compiling it is rejected, because an object is for one
/// process.
pub fn all_to_all() -> Result<Program> {
    let b = Builder::new("alltoall");
    let x = b.parameter(F32, [4, 16], "x");
    b.build(&x.all_to_all(1, 0, 4, &[&[0, 1, 2, 3]], None)?)
}

pub fn main() -> Result<()> {
    println!("while: {:?}", while_loop()?.load()?.call(&[])?);
    let arrays = [[3_i32, 1].into(), [42_i32, 50].into(), [-3.0_f32, 1.1].into()];
    println!("sort: {:?}", sort_three()?.load()?.call(&arrays)?);
    let x: Vec<f32> = (0..24).map(|at| at as f32).collect();
    println!("average: {:?}", average()?.load()?.call(&[Literal::new(&[4, 6], &x)?])?);
    println!("{}", all_to_all()?.to_text()?);
    if std::env::args().any(|argument| argument == "object") {
        for program in [while_loop()?, sort_three()?, average()?] {
            let options = Options { name: program.name().to_owned(), ..Options::new(native()?) };
            let artifact = program.compile(options)?;
            std::fs::write(format!("{}.o", program.name()), artifact.bytes()).expect("a file");
        }
    }
    Ok(())
}
