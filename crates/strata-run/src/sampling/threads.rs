//! The threads of this process, and what they do with their time.

use std::{fs, time::Duration};

/// Their numbers.
pub fn all() -> Result<Vec<i32>, String> {
    let entries = fs::read_dir("/proc/self/task").map_err(|error| error.to_string())?;
    let mut found: Vec<i32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    found.sort_unstable();
    Ok(found)
}

/// How long a thread ran, and for how long it waited for a processor; none where the system does not count that.
pub fn scheduled(thread: i32) -> Option<(Duration, Duration)> {
    read(&fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?)
}

/// Nanoseconds of both, and how often the thread began to run: zeros where nothing is counted.
fn read(text: &str) -> Option<(Duration, Duration)> {
    let numbers: Option<Vec<u64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    match numbers?.as_slice() {
        [0, 0, 0] => None,
        [ran, waited, _] => Some((Duration::from_nanos(*ran), Duration::from_nanos(*waited))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, read};

    #[test]
    fn times_are_read_where_they_are_counted() {
        let times = [636_492, 1_143_164].map(Duration::from_nanos);
        assert_eq!(read("636492 1143164 28\n"), Some(times.into()));
        for text in ["0 0 0\n", "", "1 2", "1 2 3 4", "1 -2 3"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
