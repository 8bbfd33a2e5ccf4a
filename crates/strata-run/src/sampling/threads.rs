//! The threads of this process.

use std::fs;

/// Their numbers.
pub fn all() -> Result<Vec<i32>, String> {
    let entries = fs::read_dir("/proc/self/task").map_err(|error| error.to_string())?;
    let mut found: Vec<i32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    found.sort_unstable();
    Ok(found)
}
