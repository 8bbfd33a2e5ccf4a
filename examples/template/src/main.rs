//! Calls the program that the build script compiled.

mod model {
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}

fn main() {
    let x: [[f32; 8]; 4] =
        std::array::from_fn(|row| std::array::from_fn(|column| (row * column) as f32));
    let (mut mean, mut centred) = ([0.0; 4], [[0.0; 8]; 4]);
    let mut workspace = model::Workspace::new();
    model::model_main(&x, &mut mean, &mut centred, &mut workspace);
    println!("means {mean:?}");
    assert_eq!(mean, [0.0, 3.5, 7.0, 10.5]);
    assert_eq!(centred[1], [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]);
}
