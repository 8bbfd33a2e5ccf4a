//! Reserved names, which external functions cannot have because they are defined wherever a header of Strata's is included.

/// Keywords of C, including C23 and GNU extensions.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn",
    "_Static_assert", "_Thread_local", "alignas", "alignof", "asm", "auto", "bool", "break", "case",
    "char", "const", "constexpr", "continue", "default", "do", "double", "else", "enum", "extern",
    "false", "float", "for", "goto", "if", "inline", "int", "long", "nullptr", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "struct",
    "switch", "thread_local", "true", "typedef", "typeof", "typeof_unqual", "union", "unsigned",
    "void", "volatile", "while",
];

/// Keywords of C++ that C does not have.
#[rustfmt::skip]
const KEYWORDS_OF_CXX: &[&str] = &[
    "and", "and_eq", "bitand", "bitor", "catch", "char16_t", "char32_t", "char8_t", "class",
    "co_await", "co_return", "co_yield", "compl", "concept", "const_cast", "consteval", "constinit",
    "decltype", "delete", "dynamic_cast", "explicit", "export", "friend", "mutable", "namespace",
    "new", "noexcept", "not", "not_eq", "operator", "or", "or_eq", "private", "protected", "public",
    "reinterpret_cast", "requires", "static_cast", "template", "this", "throw", "try", "typeid",
    "typename", "using", "virtual", "wchar_t", "xor", "xor_eq",
];

/// What every header defines; `header` writes it.
#[rustfmt::skip]
const HEADER: &[&str] = &[
    "STRATA_ABI", "STRATA_ADDRESS", "STRATA_CAST", "STRATA_COLLECTIVES", "STRATA_NAMES", "strata_attribute", "strata_buffer",
    "strata_call", "strata_collective", "strata_collectives",
    "strata_element_type", "strata_executor", "strata_host", "strata_names", "strata_quantization", "strata_ragged", "strata_reduction",
    "strata_signature", "strata_status", "strata_tensor",
];

/// Functions, types and macros of C's headers, and those of POSIX that programs use most.
#[rustfmt::skip]
const LIBRARY: &[&str] = &[
    "EOF", "FILE", "INT16_C", "INT16_MAX", "INT16_MIN", "INT32_C", "INT32_MAX", "INT32_MIN",
    "INT64_C", "INT64_MAX", "INT64_MIN", "INT8_C", "INT8_MAX", "INT8_MIN", "INTMAX_C", "INTMAX_MAX",
    "INTMAX_MIN", "INTPTR_MAX", "INTPTR_MIN", "NULL", "PTRDIFF_MAX", "PTRDIFF_MIN",
    "SIG_ATOMIC_MAX", "SIG_ATOMIC_MIN", "SIZE_MAX", "UINT16_C", "UINT16_MAX", "UINT32_C",
    "UINT32_MAX", "UINT64_C", "UINT64_MAX", "UINT8_C", "UINT8_MAX", "UINTMAX_C", "UINTMAX_MAX",
    "UINTPTR_MAX", "WCHAR_MAX", "WCHAR_MIN", "WINT_MAX", "WINT_MIN", "_Exit", "_exit", "abort",
    "abs", "acos", "acosh", "aligned_alloc", "asctime", "asctime_r", "asin", "asinh", "assert",
    "at_quick_exit", "atan", "atan2", "atanh", "atexit", "atof", "atoi", "atol", "atoll", "bsearch",
    "btowc", "c16rtomb", "c32rtomb", "cabs", "cacos", "cacosh", "calloc", "carg", "casin", "casinh",
    "catan", "catanh", "cbrt", "ccos", "ccosh", "ceil", "cexp", "cimag", "clearerr", "clock",
    "clock_gettime", "clock_t", "clog", "close", "conj", "copysign", "cos", "cosh", "cpow", "cproj",
    "creal", "creat", "csin", "csinh", "csqrt", "ctan", "ctanh", "ctime", "ctime_r", "difftime",
    "div", "div_t", "drem", "dup", "dup2", "erf", "erfc", "errno", "execv", "execve", "execvp",
    "exit", "exp", "exp2", "expm1", "fabs", "fclose", "fcntl", "fdim", "fdopen", "feof", "ferror",
    "fflush", "fgetc", "fgetpos", "fgets", "fgetwc", "fgetws", "fileno", "floor", "fma", "fmax",
    "fmin", "fmod", "fopen", "fork", "fpclassify", "fpos_t", "fprintf", "fputc", "fputs", "fputwc",
    "fputws", "fread", "free", "freopen", "frexp", "fscanf", "fseek", "fseeko", "fsetpos", "fstat",
    "ftell", "ftello", "ftruncate", "fwide", "fwprintf", "fwrite", "fwscanf", "gamma", "getc",
    "getchar", "getcwd", "getenv", "getline", "getpid", "gets", "getwc", "getwchar", "gmtime",
    "gmtime_r", "hypot", "ilogb", "imaxabs", "imaxdiv", "int16_t", "int32_t", "int64_t", "int8_t",
    "intmax_t", "intptr_t", "ioctl", "isalnum", "isalpha", "isblank", "iscntrl", "isdigit",
    "isfinite", "isgraph", "isgreater", "isgreaterequal", "isinf", "isless", "islessequal",
    "islessgreater", "islower", "isnan", "isnormal", "isprint", "ispunct", "isspace", "isunordered",
    "isupper", "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswctype", "iswdigit", "iswgraph",
    "iswlower", "iswprint", "iswpunct", "iswspace", "iswupper", "iswxdigit", "isxdigit", "j0", "j1",
    "jmp_buf", "jn", "kill", "labs", "ldexp", "ldiv", "ldiv_t", "lgamma", "llabs", "lldiv",
    "lldiv_t", "llrint", "llround", "localeconv", "localtime", "localtime_r", "log", "log10",
    "log1p", "log2", "logb", "longjmp", "lrint", "lround", "lseek", "main", "malloc", "max_align_t",
    "mblen", "mbrlen", "mbrtoc16", "mbrtoc32", "mbrtowc", "mbsinit", "mbsrtowcs", "mbstate_t",
    "mbstowcs", "mbtowc", "memchr", "memcmp", "memcpy", "memmove", "memset", "mkstemp", "mktime",
    "mlock", "mmap", "mode_t", "modf", "mprotect", "msync", "munlock", "munmap", "nan", "nanosleep",
    "nearbyint", "nextafter", "nexttoward", "off_t", "offsetof", "open", "openat", "optarg",
    "pause", "perror", "pid_t", "pipe", "poll", "posix_memalign", "pow", "pread", "printf",
    "ptrdiff_t", "putc", "putchar", "puts", "putwc", "putwchar", "pwrite", "qsort", "quick_exit",
    "raise", "rand", "read", "realloc", "remainder", "remove", "remquo", "rename", "rewind", "rint",
    "rmdir", "round", "scalbln", "scalbn", "scanf", "select", "setbuf", "setenv", "setjmp",
    "setlocale", "setvbuf", "shm_open", "shm_unlink", "sig_atomic_t", "sigaction", "signal",
    "signbit", "significand", "sin", "sinh", "size_t", "sleep", "snprintf", "sprintf", "sqrt",
    "srand", "sscanf", "ssize_t", "stat", "stderr", "stdin", "stdout", "strcat", "strchr", "strcmp",
    "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strftime", "strlen", "strncat",
    "strncmp", "strncpy", "strndup", "strpbrk", "strrchr", "strspn", "strstr", "strtod", "strtof",
    "strtoimax", "strtok", "strtok_r", "strtol", "strtold", "strtoll", "strtoul", "strtoull",
    "strtoumax", "strxfrm", "swprintf", "swscanf", "sysconf", "system", "tan", "tanh", "tgamma",
    "time", "time_t", "timespec_get", "tmpfile", "tmpnam", "tolower", "toupper", "towctrans",
    "towlower", "towupper", "trunc", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintmax_t",
    "uintptr_t", "ungetc", "ungetwc", "unlink", "unsetenv", "usleep", "va_arg", "va_copy", "va_end",
    "va_list", "va_start", "vfork", "vfprintf", "vfscanf", "vfwprintf", "vfwscanf", "vprintf",
    "vscanf", "vsnprintf", "vsprintf", "vsscanf", "vswprintf", "vswscanf", "vwprintf", "vwscanf",
    "wait", "waitpid", "wcrtomb", "wcscat", "wcschr", "wcscmp", "wcscoll", "wcscpy", "wcscspn",
    "wcsftime", "wcslen", "wcsncat", "wcsncmp", "wcsncpy", "wcspbrk", "wcsrchr", "wcsrtombs",
    "wcsspn", "wcsstr", "wcstod", "wcstof", "wcstoimax", "wcstok", "wcstol", "wcstold", "wcstoll",
    "wcstombs", "wcstoul", "wcstoull", "wcstoumax", "wcsxfrm", "wctob", "wctomb", "wctrans",
    "wctrans_t", "wctype", "wctype_t", "wint_t", "wmemchr", "wmemcmp", "wmemcpy", "wmemmove",
    "wmemset", "wprintf", "write", "wscanf", "y0", "y1", "yn",
];

/// Whether it is a keyword of C.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// Whether it is a keyword of C++ but not of C.
pub(crate) fn is_of_cxx_alone(name: &str) -> bool {
    KEYWORDS_OF_CXX.contains(&name)
}

/// Whether every header defines this name, equally for all programs.
pub(crate) fn is_of_header(name: &str) -> bool {
    HEADER.contains(&name) || name.starts_with("STRATA_")
}

/// Whether it is a name of the C library: a function of it takes other arguments, and may be what the linker finds.
pub(crate) fn is_of_library(name: &str) -> bool {
    LIBRARY.binary_search(&name).is_ok()
}

/// Whether an object cannot export this name.
pub(crate) fn is_taken(name: &str) -> bool {
    is_keyword(name) || is_of_cxx_alone(name) || is_of_header(name) || is_of_library(name)
}

#[cfg(test)]
mod tests {
    use super::{HEADER, LIBRARY, is_of_library};

    #[test]
    fn the_library_is_in_order() {
        assert!(LIBRARY.is_sorted());
        assert!(is_of_library("printf") && !is_of_library("my_kernel"));
    }

    /// All definitions of the header are in the list.
    #[test]
    fn the_list_of_the_header_is_complete() {
        let source = include_str!("header.rs");
        let after = |words: &str| {
            let found = source.split(words).skip(1).map(|rest| {
                rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("")
            });
            found.filter(|name| !name.is_empty()).collect::<Vec<_>>()
        };
        for name in ["typedef struct ", "\\nenum ", "#define STRATA_"].into_iter().flat_map(after) {
            let known = HEADER.iter().any(|own| *own == name || *own == format!("STRATA_{name}"));
            assert!(known, "`{name}`");
        }
    }
}
