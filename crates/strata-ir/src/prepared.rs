//! Inputs that are laid out once, in a block that the entry takes in their place.
//!
//! | stage | the entry | the function that makes the block |
//! |---|---|---|
//! | `linalg` | lists the inputs in [`PREPARE`] | the same |
//! | `schedule` | takes a tensor for each layout, after its other inputs | takes the inputs, returns the tag and these tensors |
//! | `affine` | takes the block, whose input [`PREPARED`] names | returns the block |
//!
//! The block is the tag and then the tensors, each aligned. The tag is a hash of what makes the tensors, so that the entry can tell
//! a block that was made for it.

use crate::{
    attrs::AttributeExt as _,
    handles::{Op, Value},
    signature::{Signature, TensorSpec, WORKSPACE_ALIGNMENT},
    types::TypeExt as _,
};
use melior::ir::Type;

/// Marks an argument in a program; on the entry, from the end of stage `linalg` to that of `schedule`, the numbers of such inputs.
pub const PREPARE: &str = "strata.prepare";
/// The [`Prepared`] of the entry, or of the function that makes the block.
pub const PREPARED: &str = "strata.prepared";
/// The input that is the block, in names of inputs.
pub const PREPARED_NAME: &str = "prepared";
/// What the name of the function that makes the block has after that of the entry.
pub const PREPARE_SUFFIX: &str = "_prepare";

/// The first number of a tag.
const MARK: i64 = i64::from_le_bytes(*b"strata.1");

/// Which inputs are laid out once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepare {
    /// Their names, with `*` and `?` for any characters.
    pub patterns: Vec<String>,
    /// Whether the program's own marks ([`PREPARE`]) count.
    pub marked: bool,
    /// The function that is compiled; `None` for an object with both.
    pub part: Option<PreparePart>,
    /// The least bytes of the block.
    pub least: u64,
}

/// One of the functions of an entry with prepared inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreparePart {
    /// The entry.
    Entry,
    /// The function that makes the block.
    Block,
}

impl Prepare {
    /// Whether the object has a function that makes a block.
    pub fn is_joint(&self) -> bool {
        self.part.is_none() && self.may_have_any()
    }

    /// Whether there may be inputs to prepare.
    pub fn may_have_any(&self) -> bool {
        self.marked || !self.patterns.is_empty()
    }

    /// The same for this program: without marks where its text or bytecode has none.
    #[must_use]
    pub fn of_program(&self, bytes: &[u8]) -> Self {
        let marked =
            self.marked && bytes.windows(PREPARE.len()).any(|window| window == PREPARE.as_bytes());
        Self { marked, ..self.clone() }
    }
}

/// The block of an entry, or of the function that makes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Prepared {
    /// The entry's input of this number is a block with this tag. Before stage `llvm` the inputs from there on are in it.
    Input(usize, [i64; 2]),
    /// The outputs are in the block, and the inputs are those of the program that have these numbers.
    Outputs(Vec<usize>),
}

impl Prepared {
    /// The value of the attribute [`PREPARED`] of a function.
    pub fn of(func: Op<'_>) -> Option<Self> {
        let number = |number: &i64| usize::try_from(*number).ok();
        match &func.attr(PREPARED)?.as_i64s()?[..] {
            [-1, inputs @ ..] => {
                Some(Self::Outputs(inputs.iter().map(number).collect::<Option<_>>()?))
            }
            [input, mark, hash] => Some(Self::Input(number(input)?, [*mark, *hash])),
            _ => None,
        }
    }

    /// The numbers of the attribute.
    pub fn numbers(&self) -> Vec<i64> {
        match self {
            Self::Outputs(inputs) => {
                std::iter::once(-1).chain(inputs.iter().map(|input| *input as i64)).collect()
            }
            Self::Input(input, [mark, hash]) => vec![*input as i64, *mark, *hash],
        }
    }
}

/// Two functions whose inputs are those of one program.
#[derive(Clone, Copy, Debug)]
pub struct PreparedProgram<'s> {
    /// The entry.
    pub entry: &'s Signature,
    /// The function that makes its block.
    pub maker: &'s Signature,
    /// The number of the input that is the block.
    block: usize,
    /// The numbers of the program's inputs that are in it, in ascending order.
    prepared: &'s [usize],
}

impl<'s> PreparedProgram<'s> {
    /// Those with these signatures; `None` if they are others.
    pub fn of(entry: &'s Signature, maker: &'s Signature) -> Option<Self> {
        match (entry.prepared.as_ref()?, maker.prepared.as_ref()?) {
            (Prepared::Input(block, _), Prepared::Outputs(prepared)) => {
                Some(Self { entry, maker, block: *block, prepared })
            }
            _ => None,
        }
    }

    /// The inputs of the program that are prepared, and the others.
    pub fn divided<T>(&self, inputs: Vec<T>) -> [Vec<T>; 2] {
        let (mut prepared, mut others) = (Vec::new(), Vec::new());
        for (at, input) in inputs.into_iter().enumerate() {
            let list = if self.prepared.contains(&at) { &mut prepared } else { &mut others };
            list.push(input);
        }
        [prepared, others]
    }

    /// The bytes of the block.
    pub fn size(&self) -> u64 {
        self.entry.inputs.get(self.block).map_or(0, TensorSpec::byte_count)
    }

    /// The signature of the program.
    pub fn signature(&self) -> Signature {
        let Self { entry, maker, block, prepared } = *self;
        let count = block + prepared.len();
        let mut own = 0..block;
        // For each input of the program, where it is.
        let places: Vec<_> = (0..count)
            .map(|at| match prepared.iter().position(|one| *one == at) {
                Some(made) => (maker, made),
                None => (entry, own.next().unwrap_or_default()),
            })
            .collect();
        let name =
            |(of, at): &(&Signature, usize)| of.input_names.get(*at).cloned().unwrap_or_default();
        let names: Vec<_> = places.iter().map(name).collect();
        let is_named = names.iter().any(|name| !name.is_empty());
        let place = |input: usize| {
            places.iter().position(|(of, at)| std::ptr::eq(*of, entry) && *at == input)
        };
        let donations = entry.donations.iter();
        Signature {
            inputs: places.iter().filter_map(|(of, at)| of.inputs.get(*at).cloned()).collect(),
            input_names: if is_named { names } else { Vec::new() },
            donations: donations
                .filter_map(|(output, input)| Some((*output, place(*input)?)))
                .collect(),
            prepared: None,
            ..entry.clone()
        }
    }
}

/// The tag of a block whose tensors are made as this text says. The rest of what is before the first tensor is zero.
pub fn prepared_tag(text: &str) -> [i64; 2] {
    [MARK, crate::devices::hash_of(text)]
}

/// The offsets of tensors of these types in a block, after the tag, and its bytes; `None` for types without a size.
pub fn prepared_places(types: &[Type<'_>]) -> Option<(Vec<u64>, u64)> {
    places(types, WORKSPACE_ALIGNMENT, WORKSPACE_ALIGNMENT)
}

/// The same for what makes a block: the tag, the tensors, and the zeros between them, one after the other.
pub fn made_places(types: &[Type<'_>]) -> Option<(Vec<u64>, u64)> {
    places(types, 0, 1)
}

fn places(types: &[Type<'_>], start: u64, alignment: u64) -> Option<(Vec<u64>, u64)> {
    let mut end = start;
    let mut offsets = Vec::new();
    for ty in types {
        offsets.push(end);
        let bytes = ty.element_count()?.checked_mul(ty.element().byte_width()?)?;
        end = end.checked_add(bytes)?.checked_next_multiple_of(alignment)?;
    }
    Some((offsets, end))
}

/// Whether a value is an argument of the entry that [`PREPARE`] lists.
pub fn is_to_prepare(value: Value<'_>) -> bool {
    let listed = || {
        let (block, at) = value.block_arg()?;
        let list = block.parent_op()?.attr(PREPARE)?.as_i64s()?;
        Some(list.contains(&i64::try_from(at).ok()?))
    };
    listed() == Some(true)
}

/// The inputs that one of `patterns` names, by their names in the program or those of parameters; the first pattern that names none is
/// the error.
///
/// # Errors
/// The pattern.
pub fn named_inputs(
    patterns: &[String],
    names: &[String],
    parameters: &[String],
) -> Result<Vec<usize>, String> {
    let mut found = vec![false; parameters.len()];
    for pattern in patterns {
        let mut is_used = false;
        for (at, parameter) in parameters.iter().enumerate() {
            let own = names.get(at).filter(|name| !name.is_empty());
            if own.is_some_and(|name| matches(pattern, name)) || matches(pattern, parameter) {
                found[at] = true;
                is_used = true;
            }
        }
        if !is_used {
            return Err(pattern.clone());
        }
    }
    Ok((0..found.len()).filter(|at| found[*at]).collect())
}

/// Whether a name is as a pattern says.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<_>, Vec<_>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut position) = (0, 0);
    // The last `*`, and how much of the name it stands for so far.
    let mut star: Option<(usize, usize)> = None;
    while position < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, position));
                at += 1;
            }
            Some(one) if *one == '?' || *one == name[position] => {
                at += 1;
                position += 1;
            }
            _ => {
                let Some((back, length)) = star else { return false };
                star = Some((back, length + 1));
                (at, position) = (back + 1, length + 1);
            }
        }
    }
    pattern[at..].iter().all(|one| *one == '*')
}

#[cfg(test)]
mod tests {
    use super::{Prepare, matches, named_inputs};

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name) in [
            ("w", "w"),
            ("w*", "w"),
            ("*", "params['w']"),
            ("params['*']", "params['w']['b']"),
            ("*b*b", "abcb"),
            ("?1", "w1"),
            ("**", ""),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("w", "w1"), ("?", ""), ("*b*b", "ab"), ("w*x", "wy"), ("", "w")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn inputs_have_two_names() {
        let list = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let (names, parameters) = (list(&["p['w']", "", "x"]), list(&["p_w", "input1", "x"]));
        let found = |patterns: &[&str]| named_inputs(&list(patterns), &names, &parameters);
        assert_eq!(found(&["p_*", "input1"]), Ok(vec![0, 1]));
        assert_eq!(found(&["x", "p['w']"]), Ok(vec![0, 2]));
        assert_eq!(found(&["x", "y"]), Err("y".to_owned()));
    }

    #[test]
    fn marks_count_where_there_are_any() {
        let wanted = Prepare { marked: true, ..Prepare::default() };
        assert!(wanted.is_joint());
        assert!(!wanted.of_program(b"func.func @main()").is_joint());
        assert!(wanted.of_program(b"(%w: tensor<2xf32> {strata.prepare})").is_joint());
    }
}
