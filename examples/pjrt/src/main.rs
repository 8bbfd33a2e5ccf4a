//! Runs a program on the PJRT plugin that the first argument names.

use pjrt::{Client, HostBuffer, LoadedExecutable, Program, ProgramFormat, Result};

const PROGRAM: &str = "
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
";

fn main() -> Result<()> {
    let path = std::env::args().nth(1).expect("the path of libstrata_pjrt.so");
    let api = pjrt::plugin(&path).load()?;
    let client = Client::builder(&api).build()?;
    println!("{} on PJRT {:?}", client.platform_name(), api.version());
    let program = Program::new(ProgramFormat::MLIR, PROGRAM.as_bytes());
    let executable = LoadedExecutable::builder(&client, &program).build()?;
    let x = HostBuffer::builder().data([1.0f32, 2.0, 3.0, 4.0]).dims([4]).build();
    let y = HostBuffer::builder().data([10.0f32, 20.0, 30.0, 40.0]).dims([4]).build();
    let inputs = [x.copy_to_sync(&client)?, y.copy_to_sync(&client)?];
    let results = executable.execution(inputs).run_sync()?;
    println!("{:?}", results[0][0].copy_to_host_sync()?);
    Ok(())
}
