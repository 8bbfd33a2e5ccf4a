//! Codes of diagnostics, and whose fault they are.

use std::fmt;

/// Who has to act to fix the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The program given to the compiler: exit code 1.
    Program = 1,
    /// The command line, an option or a file: exit code 2.
    Usage = 2,
    /// Strata itself: exit code 3.
    Bug = 3,
}

impl Fault {
    /// The exit code of a command that ends with such an error: 1, 2 or 3.
    pub const fn exit_code(self) -> u8 {
        self as u8
    }

    /// One word for tables and JSON: `program`, `usage` or `bug`.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Program => "program",
            Fault::Usage => "usage",
            Fault::Bug => "bug",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A row of the table in [`crate::codes`].
#[derive(Clone, Copy)]
pub struct Code {
    id: &'static str,
    title: &'static str,
    fault: Fault,
    page: &'static str,
}

impl Code {
    pub(crate) const fn new(
        id: &'static str,
        title: &'static str,
        fault: Fault,
        page: &'static str,
    ) -> Self {
        Self { id, title, fault, page }
    }

    /// The code as it is printed, such as `S1003`.
    pub const fn id(self) -> &'static str {
        self.id
    }

    /// The headline, without a full stop.
    pub const fn title(self) -> &'static str {
        self.title
    }

    /// Whose fault the error is.
    pub const fn fault(self) -> Fault {
        self.fault
    }

    /// The page that explains the code, in Markdown.
    pub const fn page(self) -> &'static str {
        self.page
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}
