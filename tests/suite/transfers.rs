//! Transfers from and to the host, in compiled code and in the evaluator.

use std::fs;

use strata::TensorSpec;
use strata_run::{Environment, HostIo, Loaded};

use crate::{
    arrays::npy,
    command::strata,
    external_calls::{compile, words},
    harness::{cpus, options},
};

/// Feeds numbers up, keeps what comes out.
#[derive(Default)]
struct Counting {
    next: i32,
    out: Vec<(Option<i64>, Vec<u8>)>,
}

impl HostIo for Counting {
    fn infeed(&mut self, config: &str, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        assert_eq!(config, "numbers");
        assert_eq!(types.len(), 1);
        self.next += 1;
        if self.next > 4 { Err(90) } else { Ok(vec![words(&[self.next])]) }
    }

    fn outfeed(&mut self, _: &str, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.out.extend(arrays.into_iter().map(|(_, bytes)| (None, bytes)));
        Ok(())
    }

    fn send(&mut self, channel: i64, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        self.out.extend(arrays.into_iter().map(|(_, bytes)| (Some(channel), bytes)));
        Ok(())
    }

    fn recv(&mut self, channel: i64, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        Ok(types.iter().map(|_| words(&[channel as i32])).collect())
    }
}

/// Sums what is fed until 3 arrives, outfeeding each; then a message each way.
const TRANSFERS: &str = r#"
func.func public @main(%token: !stablehlo.token, %limit: tensor<i32>) -> (tensor<i32>, tensor<i32>, !stablehlo.token) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%last = %zero, %sum = %zero, %t = %token) : tensor<i32>, tensor<i32>, !stablehlo.token
    cond {
      %more = stablehlo.compare LT, %last, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %1:2 = "stablehlo.infeed"(%t) {infeed_config = "numbers"} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
      %2 = stablehlo.add %sum, %1#0 : tensor<i32>
      %3 = "stablehlo.outfeed"(%2, %1#1) {outfeed_config = ""} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
      stablehlo.return %1#0, %2, %3 : tensor<i32>, tensor<i32>, !stablehlo.token
    }
  %4 = "stablehlo.send"(%0#1, %0#2) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
    is_host_transfer = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  %5:2 = "stablehlo.recv"(%4) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>,
    is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  %6 = stablehlo.after_all %5#1, %token : !stablehlo.token
  return %0#1, %5#0, %6 : tensor<i32>, tensor<i32>, !stablehlo.token
}"#;

#[test]
fn transfers_go_to_the_host_in_order() {
    for cpu in cpus() {
        let options = options(cpu);
        let artifact = compile(TRANSFERS, &options);
        let signature = artifact.signature().expect("a signature");
        let loaded = Loaded::new(artifact.bytes(), &options, signature).expect("it links");
        let mut host = Counting::default();
        let run = |limit: i32, host: &mut Counting| {
            let mut environment = Environment { host: Some(host), ..Environment::default() };
            loaded.call_in(&[words(&[limit])], &mut environment).expect("called")
        };
        let (status, outputs) = run(3, &mut host);
        assert_eq!((status, outputs), (0, vec![words(&[6]), words(&[6])]), "{cpu}");
        let sums = [(None, 1), (None, 3), (None, 6), (Some(5), 6)];
        let sums: Vec<_> = sums.into_iter().map(|(to, value)| (to, words(&[value]))).collect();
        assert_eq!(host.out, sums);
        // The host's status ends the loop and the program.
        assert_eq!(run(100, &mut host).0, 90);
        assert_eq!(loaded.call(&[words(&[3])]).expect("called").0, 5, "without a host");
    }
}

#[test]
fn both_engines_take_transfers_from_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(
        at("feed.mlir"),
        TRANSFERS
            .replace("%token: !stablehlo.token, ", "")
            .replace("%zero = ", "%token = stablehlo.create_token : !stablehlo.token\n  %zero = "),
    )
    .expect("written");
    for number in 1..=3 {
        let file = npy("<i4", "()", &words(&[number]));
        fs::write(at(&format!("{number}.npy")), file).expect("written");
    }
    let feeds =
        ["--infeed", "1.npy", "--infeed", "2.npy", "--infeed", "3.npy", "--recv", "6=2.npy"];
    for command in ["run", "eval"] {
        let rest = ["--input", "3.npy", "--outfeed", command, "--output-dir", command];
        let all = [&[command, "feed.mlir"], &feeds[..], &rest[..]].concat();
        strata(folder.path(), &all).succeeded();
        for (file, value) in
            [("outfeed0", 1), ("outfeed2", 6), ("send5_0", 6), ("output0", 6), ("output1", 2)]
        {
            let bytes = fs::read(at(&format!("{command}/{file}.npy"))).expect("written");
            assert!(bytes.ends_with(&words(&[value])), "{command}: {file}");
        }
        let short =
            strata(folder.path(), &[&[command, "feed.mlir"], &feeds[..2], &rest[..2]].concat());
        assert_eq!(short.code, 2);
        assert!(short.stderr.contains("S1801"), "{}", short.stderr);
    }
}
