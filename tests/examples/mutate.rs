//! Reads mutations of artifacts: `mutate FIRST END FILE…` reads the mutations with the numbers FIRST to END. Each is
//! named before it is read, so that the last line names the one that ended the process.

use std::{
    env, fs,
    io::{self, Write as _},
    process::ExitCode,
    time::{Duration, Instant},
};

use strata_ir::new_context;

/// What reading one file may take.
const LONGEST: Duration = Duration::from_secs(10);

/// Steele and Vigna's generator for seeds: every number gives another sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }
}

/// One of: a few bits flipped, bytes replaced, the end cut off, a part taken out, doubled or overwritten with zeros.
fn mutate(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    let at = random.below(bytes.len());
    let length = random.below(32).min(bytes.len() - at);
    match random.below(6) {
        0 => {
            for _ in 0..=random.below(4) {
                let place = random.below(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
        }
        1 => {
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len());
                bytes[place] = random.next() as u8;
            }
        }
        2 => bytes.truncate(at),
        3 => {
            bytes.drain(at..at + length);
        }
        4 => {
            let part = bytes[at..at + length].to_vec();
            bytes.splice(at..at, part);
        }
        _ => bytes[at..at + length].fill(0),
    }
    bytes
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok());
    let (Some(first), Some(end)) = (number(), number()) else {
        eprintln!("usage: mutate FIRST END FILE…");
        return ExitCode::from(2);
    };
    let files: Vec<_> = arguments.filter_map(|name| fs::read(name).ok()).collect();
    if files.is_empty() {
        eprintln!("there is no file to mutate");
        return ExitCode::from(2);
    }
    let (mut valid, mut refused) = (0_u64, 0_u64);
    for seed in first..end {
        println!("{seed}");
        // A crash must not lose the line.
        let _ = io::stdout().flush();
        let mut random = Random(seed);
        let file = random.below(files.len());
        let bytes = mutate(&files[file], &mut random);
        let started = Instant::now();
        let context = new_context();
        match strata_vhlo::parse(&context, "mutated.mlirbc", &bytes) {
            Ok(_) => valid += 1,
            Err(_) => refused += 1,
        }
        if started.elapsed() > LONGEST {
            eprintln!("mutation {seed} took {:?}", started.elapsed());
            return ExitCode::FAILURE;
        }
    }
    println!("{valid} valid, {refused} refused");
    ExitCode::SUCCESS
}
