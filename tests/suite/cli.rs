//! The command line as a user meets it.

use crate::command::strata;

#[test]
fn help_and_version_succeed() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let help = strata(here.path(), &["--help"]).succeeded();
    assert!(help.text().contains("Usage: strata"), "{}", help.text());
    let version = strata(here.path(), &["--version"]).succeeded();
    assert!(version.text().starts_with("strata "), "{}", version.text());
}

#[test]
fn no_command_is_wrong_usage() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let ended = strata(here.path(), &[] as &[&str]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("Usage: strata"), "{}", ended.stderr);
}

#[test]
fn explain_prints_the_page_of_a_code() {
    let here = tempfile::tempdir().expect("a temporary folder");
    for name in ["S1003", "s1003"] {
        let ended = strata(here.path(), &["explain", name]).succeeded();
        assert_eq!(ended.text(), strata_diag::codes::S1003.page());
    }
    let ended = strata(here.path(), &["explain", "S9999"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("there is no code `S9999`"), "{}", ended.stderr);
}

#[test]
fn codes_are_listed_with_their_titles() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let ended = strata(here.path(), &["list", "codes"]).succeeded();
    assert_eq!(ended.text().lines().count(), strata_diag::codes::TABLE.len());
    assert!(ended.text().contains("S1001  program  syntax error\n"), "{}", ended.text());
}

#[test]
fn diagnostics_can_be_json() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let ended = strata(here.path(), &["list", "nothing", "--diagnostic-format", "json"]);
    assert_eq!(ended.code, 2);
    let value: serde_json::Value = serde_json::from_str(ended.stderr.trim()).expect("one object");
    assert_eq!(value["code"], "S0001");
    assert_eq!(value["fault"], "usage");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(crate::command::binary())
        .args(["explain", "S1803"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("the command ends");
    assert!(ended.status.success(), "{}", ended.status);
    assert!(ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
}
