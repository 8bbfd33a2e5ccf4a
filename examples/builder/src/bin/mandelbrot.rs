//! The Mandelbrot set: a loop over complex numbers, for all points at once, until none of them moves any more.

use strata_builder::{
    Builder, C64, Computation, F32, Options, PRED, Program, Result, S32, Shape, native,
};

/// The number of steps after which each point has left the circle of radius 2, at most `limit`.
pub fn program(height: i64, width: i64, limit: i32) -> Result<Program> {
    let numbers = Shape::array(C64, [height, width]);
    let counts = Shape::array(S32, [height, width]);
    let state = Shape::tuple([Shape::scalar(S32), numbers.clone(), numbers, counts]);
    let any = Computation::or(PRED)?;

    let condition = Computation::new("condition", std::slice::from_ref(&state), |_, p| {
        let inside = p[0].get_tuple_element(1)?.abs()?.le(2.0)?;
        p[0].get_tuple_element(0)?.lt(limit)?.and(inside.reduce_all(false, &any))
    })?;
    let body = Computation::new("body", &[state], |b, p| {
        let [step, z, c, count] = [0, 1, 2, 3].map(|at| p[0].get_tuple_element(at));
        let (step, z, c, count) = (step?, z?, c?, count?);
        let inside = z.abs()?.le(2.0)?;
        // Points outside stay where they are: their squares would become infinite.
        let moved = inside.select((&z * &z)? + &c, &z)?;
        let count = (&count + inside.convert(S32))?;
        b.tuple(&[(step + 1)?, moved, c, count])
    })?;

    let b = Builder::new("mandelbrot");
    let axis = |dimension: i64, size: i64, from: f64, to: f64| {
        let index = b.iota(&Shape::array(F32, [height, width]), dimension)?;
        (index * ((to - from) / (size - 1) as f64))? + from
    };
    let c = axis(1, width, -2.2, 0.8)?.complex(axis(0, height, -1.2, 1.2))?;
    let (start, none) = ((&c * 0.0)?, b.constant(0_i32).broadcast(&[height, width])?);
    let init = b.tuple(&[b.constant(0_i32), start, c, none])?;
    b.build(&b.while_loop(&condition, &body, &init)?.get_tuple_element(3)?)
}

/// A picture in the PGM format: dark where many steps were needed.
pub fn picture(counts: &[i32], height: i64, width: i64, limit: i32) -> Vec<u8> {
    let mut bytes = format!("P5\n{width} {height}\n255\n").into_bytes();
    bytes.extend(counts.iter().map(|count| 255 - (255 * count / limit).clamp(0, 255) as u8));
    bytes
}

pub fn main() -> Result<()> {
    let (height, width, limit) = (600, 800, 100);
    let program = program(height, width, limit)?;
    let counts = program.load()?.call(&[])?.remove(0).to_vec::<i32>()?;
    std::fs::write("mandelbrot.pgm", picture(&counts, height, width, limit)).expect("a file");
    println!("mandelbrot.pgm: {width} by {height} points");
    if std::env::args().any(|argument| argument == "object") {
        let options = Options { name: "mandelbrot".to_owned(), ..Options::new(native()?) };
        std::fs::write("mandelbrot.o", program.compile(options)?.bytes()).expect("a file");
    }
    Ok(())
}
