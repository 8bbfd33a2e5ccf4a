//! Messages and lists as wide as the terminal.

use std::fs;

use super::{SUM, folder};
use crate::command::{strata, strata_on_terminal, without_escapes};

/// Source lines end where the terminal does, with the caret below its text; without a terminal they have a fixed width.
#[test]
fn source_lines_are_as_wide_as_the_terminal() {
    let here = folder();
    let (values, types) = ("%a, ".repeat(30), ", tensor<3xf32>".repeat(30));
    let operation = format!(
        "  %0 = stablehlo.concatenate {values}%2, dim = 0 : (tensor<3xf32>{types}) -> tensor<93xf32>"
    );
    let lines: Vec<&str> = SUM.lines().collect();
    let program =
        [lines[0], lines[1], &operation.replace("%0", "%1"), lines[2], lines[3]].join("\n");
    fs::write(here.path().join("wrong.mlir"), program).expect("is written");
    let check = |text: &str, width: usize| {
        let lines: Vec<&str> = text.lines().collect();
        let source = lines.iter().position(|line| line.starts_with("3 |")).expect(text);
        assert!(lines[source].len() <= width, "{text}");
        let caret = lines[source + 1].find('^').expect(text);
        assert_eq!(lines[source].find("%2"), Some(caret), "{text}");
        lines[source].len()
    };
    for columns in [80, 120] {
        let (shown, code) =
            strata_on_terminal(here.path(), columns, &["compile", "wrong.mlir", "-o", "wrong.o"]);
        assert_eq!(code, 1, "{shown}");
        let length = check(&without_escapes(&shown), columns.into());
        // What there is room for is shown.
        assert!(length + 20 > columns.into(), "{shown}");
    }
    let ended = strata(here.path(), &["compile", "wrong.mlir", "-o", "wrong.o"]);
    assert!(check(&ended.stderr, 140) > 120, "{}", ended.stderr);
}

/// One line at the end, on terminals only.
#[test]
fn what_was_written_is_said_on_a_terminal() {
    let here = folder();
    let cpu = ["--target-cpu", "x86-64-v3"];
    let arguments = ["compile", "sum.mlir", "-o", "sum.o", "--header", "sum.h", cpu[0], cpu[1]];
    let (shown, code) = strata_on_terminal(here.path(), 80, &arguments);
    assert_eq!(code, 0, "{shown}");
    let plain = without_escapes(&shown);
    let last = plain.lines().last().unwrap_or_default();
    assert!(last.starts_with("wrote sum.o (") && last.contains(", sum.h ("), "{plain}");
    assert!(last.ends_with(" ms") || last.ends_with(" s"), "{plain}");
    let quiet = [&arguments[..], &["-q"]].concat();
    assert_eq!(strata_on_terminal(here.path(), 80, &quiet), (String::new(), 0));
    let ended = strata(here.path(), &arguments).succeeded();
    assert_eq!((ended.stderr.as_str(), ended.text()), ("", ""));
    // What is printed needs no line.
    let text = ["compile", "sum.mlir", "--to", "hlo"];
    let (shown, _) = strata_on_terminal(here.path(), 80, &text);
    assert!(!shown.contains("wrote"), "{shown}");
}

#[test]
fn lists_fit_the_terminal() {
    let here = folder();
    let plain = strata(here.path(), &["list", "patterns"]).succeeded();
    assert!(plain.text().lines().any(|line| line.len() > 200), "{}", plain.text());
    for columns in [80, 120] {
        let (shown, _) = strata_on_terminal(here.path(), columns, &["list", "patterns"]);
        let widest = shown.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= columns.into(), "{shown}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&shown), words(plain.text()));
    }
}
