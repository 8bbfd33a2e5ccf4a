//! The table of codes.
//!
//! To add one: a row here, a page `docs/diagnostics/<code>.md` that opens with `# <code>: <title>` and
//! has a section `## Example`, and a case in `tests/suite/diagnostics.rs` that provokes it.
//!
//! | codes | area |
//! |---|---|
//! | `S00xx` | command line, files |
//! | `S10xx` | reading the input |
//! | `S11xx` | stage `hlo` |
//! | `S12xx` | stage `linalg` |
//! | `S13xx` | stage `schedule` |
//! | `S14xx` | stage `affine`: loops and memory |
//! | `S15xx` | stage `vector` |
//! | `S16xx` | stages `llvm` and `llvmir`, the target |
//! | `S17xx` | the object |
//! | `S18xx` | inputs and outputs of a run |
//! | `S19xx` | evaluation and checks of values |
//! | `S90xx` | our own bugs |

use crate::{Code, Fault};

macro_rules! codes {
    ($($id:ident $fault:ident $title:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($id), "`: ", $title, ".\n\n")]
            #[doc = include_str!(concat!("../../../docs/diagnostics/", stringify!($id), ".md"))]
            pub const $id: Code = Code::new(
                stringify!($id),
                $title,
                Fault::$fault,
                include_str!(concat!("../../../docs/diagnostics/", stringify!($id), ".md")),
            );
        )*

        /// Every code, in order.
        pub const TABLE: &[Code] = &[$($id),*];
    };
}

codes! {
    S0001 Usage "invalid command line";
    S0002 Usage "file cannot be read";
    S0003 Usage "file cannot be written";
    S0004 Usage "unknown stage";
    S0005 Usage "stages in the wrong order";
    S0006 Usage "process was killed";
    S0007 Usage "program is compiled for another machine";
    S0008 Usage "pass pipeline failed";
    S0009 Usage "program is not a dump of that stage";
    S0010 Usage "program is wrong after added passes";

    S1001 Program "syntax error";
    S1002 Program "input is empty";
    S1003 Program "input is not MLIR";
    S1004 Program "unknown operation or dialect";
    S1005 Program "operation violates its definition";
    S1006 Program "no public entry function";
    S1007 Program "several public entry functions";
    S1008 Program "program is nested too deeply";
    S1009 Program "tensor is too large";
    S1010 Usage "no such entry function";
    S1011 Program "bytecode is damaged";
    S1012 Program "portable artifact has an unsupported version";
    S1013 Program "program cannot be expressed in that version";
    S1014 Program "operation cannot be built";
    S1015 Program "value belongs to another builder";
    S1016 Program "operand type does not match the value's type";
    S1017 Program "unknown attribute, possibly misspelt";

    S1101 Program "size is known only at run time";
    S1102 Program "element type is not supported";
    S1103 Program "program for several devices is not supported";
    S1104 Program "program is too large after inlining";
    S1105 Program "program for several devices compiled for one";
    S1106 Program "sizes contradict the program";
    S1107 Program "groups do not match the devices";

    S1201 Program "operation is not supported";
    S1202 Program "custom call cannot be compiled";

    S1301 Usage "schedule cannot be used";
    S1302 Usage "file of schedules cannot be used";
    S1303 Usage "file of schedules has none for the program";

    S1601 Usage "unknown target triple";
    S1602 Usage "unknown target CPU";
    S1603 Usage "unknown target feature";
    S1604 Usage "compiled for the baseline processor";
    S1605 Usage "processor cannot be detected at run time";

    S1701 Bug "object has an undefined symbol that is not allowed";
    S1702 Usage "linking failed";
    S1703 Usage "external function is missing";
    S1704 Usage "constants are too large for the object";
    S1705 Program "program needs the C mathematics library";
    S1706 Usage "inputs cannot be prepared";

    S1801 Usage "wrong number of inputs";
    S1802 Usage "input has the wrong shape";
    S1803 Usage "input has the wrong element type";
    S1804 Usage "input is not a valid .npy file";
    S1805 Usage "program returned an error status";
    S1806 Usage "weights file does not match the program";
    S1807 Usage "not enough memory for the buffers";
    S1808 Usage "too few samples of the program";
    S1809 Usage "profile is not of this program";

    S1901 Program "expected error was not reported";
    S1902 Program "test cases failed";
    S1911 Program "operation cannot be evaluated";
    S1912 Program "behaviour is undefined for these values";
    S1913 Program "expectation does not hold";
    S1914 Program "results differ, possibly by rounding";
    S1915 Program "edited dump computes something else";
    S1921 Program "read of an uninitialised value";
    S1922 Program "access out of bounds";
    S1923 Program "write to an input or a constant";
    S1924 Program "read of an overwritten temporary";
    S1925 Program "tasks touch the same memory";

    S9001 Bug "internal error";
    S9002 Bug "stage violated its contract";
    S9003 Bug "pass failed";
    S9004 Bug "compiled program crashed";
    S9005 Bug "compiled code gives wrong results";
    S9006 Bug "stage changes the program's results";
}

/// The code with that name (`S1003`, in any case), or `None`.
pub fn find(id: &str) -> Option<Code> {
    let at = TABLE.iter().position(|code| code.id().eq_ignore_ascii_case(id))?;
    TABLE.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn codes_are_sorted_and_unique() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].id() < pair[1].id(), "{} before {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn pages_open_with_the_title_and_show_an_example() {
        for code in TABLE {
            let heading = format!("# {code}: {}\n", code.title());
            assert!(code.page().starts_with(&heading), "{code}: heading");
            let (_, example) = code
                .page()
                .split_once("\n## Example\n")
                .unwrap_or_else(|| panic!("{code}: no example"));
            assert!(
                example.contains(&format!("[{code}]: {}", code.title())),
                "{code}: the example does not show the message"
            );
        }
    }
}
