//! Bodies that only compare and select: what they return follows from the order of their operands, so that a few values stand for
//! all of a type.

use strata_ir::{
    AttributeExt as _, Block, ComparisonDirection as Direction, ComparisonType, ElementType, Op,
    OpKind, Type, TypeExt as _, Value,
};

/// A value that a body is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// A number, by its place in the order of its type.
    Number(i128),
    /// A boolean.
    Constraint(bool),
}

/// How values of a type are ordered, and which places they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// False before true.
    Truths,
    /// Integers have their own number as their place.
    Integers {
        /// The smallest one.
        least: i128,
        /// The largest one.
        largest: i128,
        /// The bytes of one.
        bytes: usize,
    },
    /// Positive floats have their bits as their place, and -x that before the one of x as far as x is from 0: -0 is at -1. NaNs are
    /// after and before the infinities.
    Floats {
        /// The place of infinity.
        infinity: i128,
        /// Bits of a float; `None` for a type whose elements have no places of their own here.
        width: Option<u32>,
    },
}

impl Order {
    /// That of a type of numbers or booleans.
    pub fn of(element: Type<'_>) -> Option<Self> {
        let floats = |infinity: i128, width| Self::Floats { infinity, width: Some(width) };
        Some(match ElementType::from_type(element)? {
            ElementType::Bool => Self::Truths,
            ElementType::Signed(width) => {
                let largest = (1 << (width - 1)) - 1;
                Self::Integers { least: -largest - 1, largest, bytes: bytes_of(width) }
            }
            ElementType::Unsigned(width) => {
                Self::Integers { least: 0, largest: (1 << width) - 1, bytes: bytes_of(width) }
            }
            ElementType::Float(16) => floats(0x7c00, 16),
            ElementType::BFloat16 => floats(0x7f80, 16),
            ElementType::Float(32) => floats(0x7f80_0000, 32),
            ElementType::Float(64) => floats(0x7ff0_0000_0000_0000, 64),
            ElementType::Float(_) | ElementType::SmallFloat(_) => {
                Self::Floats { infinity: 0x7c00, width: None }
            }
            ElementType::Complex(_) => return None,
        })
    }

    /// The value of an element with these bytes.
    fn read(self, bytes: &[u8]) -> Option<Tried> {
        let mut word = [0; 16];
        word.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let bits = i128::from_le_bytes(word);
        Some(match self {
            Self::Truths => Tried::Constraint(bits != 0),
            Self::Integers { least, bytes, .. } => {
                let unused = 128 - 8 * bytes;
                Tried::Number(if least < 0 { bits << unused >> unused } else { bits })
            }
            Self::Floats { width, .. } => {
                let sign = 1_i128 << (width? - 1);
                Tried::Number(if bits & sign == 0 { bits } else { -(bits & !sign) - 1 })
            }
        })
    }

    /// The bytes of an element with that value.
    pub fn bytes(self, value: Tried) -> Option<Vec<u8>> {
        let (bits, bytes) = match (self, value) {
            (Self::Truths, Tried::Constraint(truth)) => (i128::from(truth), 1),
            (Self::Integers { bytes, .. }, Tried::Number(number)) => (number, bytes),
            (Self::Floats { width: Some(width), .. }, Tried::Number(place)) => {
                let sign = 1_i128 << (width - 1);
                (if place < 0 { (-place - 1) | sign } else { place }, bytes_of(width))
            }
            _ => return None,
        };
        Some(bits.to_le_bytes()[..bytes].to_vec())
    }

    /// Whether a number at that place is NaN.
    fn is_nan(self, place: i128) -> bool {
        matches!(self, Self::Floats { infinity, .. } if place > infinity || place < -infinity - 1)
    }

    /// The first and the last place.
    pub fn ends(self) -> [Tried; 2] {
        match self {
            Self::Truths => [false, true].map(Tried::Constraint),
            Self::Integers { least, largest, .. } => [least, largest].map(Tried::Number),
            Self::Floats { infinity, width } => {
                let last = width.map_or(infinity + 1, |width| (1 << (width - 1)) - 1);
                [-last - 1, last].map(Tried::Number)
            }
        }
    }

    /// Whether two values are equal, all NaNs taken for one.
    pub fn is_same(self, left: Tried, right: Tried) -> bool {
        match (left, right) {
            (Tried::Number(a), Tried::Number(b)) => a == b || self.is_nan(a) && self.is_nan(b),
            _ => left == right,
        }
    }

    fn compare(self, direction: Direction, is_total: bool, left: Tried, right: Tried) -> bool {
        let place = |value: Tried| match value {
            Tried::Constraint(truth) => i128::from(truth),
            Tried::Number(place) => place,
        };
        let (mut a, mut b) = (place(left), place(right));
        if matches!(self, Self::Floats { .. }) && !is_total {
            if self.is_nan(a) || self.is_nan(b) {
                return direction == Direction::Ne;
            }
            // -0 equals 0.
            (a, b) = (if a == -1 { 0 } else { a }, if b == -1 { 0 } else { b });
        }
        match direction {
            Direction::Eq => a == b,
            Direction::Ne => a != b,
            Direction::Ge => a >= b,
            Direction::Gt => a > b,
            Direction::Le => a <= b,
            Direction::Lt => a < b,
        }
    }

    /// The smaller or the larger one; a NaN if one is.
    fn extremum(self, is_largest: bool, left: Tried, right: Tried) -> Tried {
        match (left, right) {
            (Tried::Number(a), Tried::Number(b)) => {
                let nan = [a, b].into_iter().find(|place| self.is_nan(*place));
                let extreme = if is_largest { a.max(b) } else { a.min(b) };
                Tried::Number(nan.unwrap_or(extreme))
            }
            (Tried::Constraint(a), Tried::Constraint(b)) => {
                Tried::Constraint(if is_largest { a || b } else { a && b })
            }
            _ => left,
        }
    }
}

fn bytes_of(width: u32) -> usize {
    width.div_ceil(8) as usize
}

/// What an operation of a body does.
#[derive(Clone, Copy, Debug)]
enum Does {
    Constant(Tried),
    Compare { direction: Direction, order: Order, is_total: bool },
    Select,
    Not,
    And,
    Or,
    Xor,
    Extremum { is_largest: bool, order: Order },
}

/// A body, read once to be tried often: its values are numbered, arguments first.
#[derive(Debug)]
pub struct Body {
    arguments: Vec<Order>,
    steps: Vec<(Does, Vec<usize>)>,
    results: Vec<usize>,
    constants: Vec<(Order, Tried)>,
    is_total: bool,
}

impl Body {
    /// Reads a block; `None` if it does more than to compare and select.
    pub fn of(block: Block<'_>) -> Option<Self> {
        let mut values: Vec<Value<'_>> = block.args();
        let arguments = values.iter().map(|arg| Order::of(arg.ty().element()));
        let mut body = Self {
            arguments: arguments.collect::<Option<_>>()?,
            steps: Vec::new(),
            results: Vec::new(),
            constants: Vec::new(),
            is_total: false,
        };
        let end = block.terminator()?;
        for op in block.ops().into_iter().filter(|op| *op != end) {
            let operands = body.numbers(&mut values, op.operands())?;
            let does = body.read(op)?;
            body.steps.push((does, operands));
            values.push(op.result(0));
        }
        body.results = body.numbers(&mut values, end.operands())?;
        Some(body)
    }

    /// The numbers of values; constants of around the block get one.
    fn numbers<'c>(
        &mut self,
        values: &mut Vec<Value<'c>>,
        list: Vec<Value<'c>>,
    ) -> Option<Vec<usize>> {
        let mut number = |one: Value<'c>| {
            if let Some(known) = values.iter().position(|value| *value == one) {
                return Some(known);
            }
            let constant = one.owner().filter(|op| op.kind() == OpKind::Constant)?;
            let does = self.read(constant)?;
            self.steps.push((does, Vec::new()));
            values.push(one);
            Some(values.len() - 1)
        };
        list.into_iter().map(&mut number).collect()
    }

    fn read(&mut self, op: Op<'_>) -> Option<Does> {
        let order = Order::of(op.result_types().first()?.element())?;
        let of_operands = || Order::of(op.operands().first()?.ty().element());
        let truths = |does: Does| (order == Order::Truths).then_some(does);
        match op.kind() {
            OpKind::Constant => {
                let value = order.read(&op.attr("value")?.raw_elements()?)?;
                self.constants.push((order, value));
                Some(Does::Constant(value))
            }
            OpKind::Compare => {
                let kind = op.attr("compare_type").and_then(ComparisonType::from_attribute);
                let is_total = kind == Some(ComparisonType::TotalOrder);
                self.is_total |= is_total;
                let direction = op.attr("comparison_direction");
                let direction = direction.and_then(Direction::from_attribute)?;
                Some(Does::Compare { direction, order: of_operands()?, is_total })
            }
            OpKind::Select => Some(Does::Select),
            OpKind::Not => truths(Does::Not),
            OpKind::And => truths(Does::And),
            OpKind::Or => truths(Does::Or),
            OpKind::Xor => truths(Does::Xor),
            OpKind::Maximum => Some(Does::Extremum { is_largest: true, order }),
            OpKind::Minimum => Some(Does::Extremum { is_largest: false, order }),
            _ => None,
        }
    }

    /// The orders of the arguments.
    pub fn arguments(&self) -> &[Order] {
        &self.arguments
    }

    /// Constants that it has, and their orders.
    pub fn constants(&self) -> &[(Order, Tried)] {
        &self.constants
    }

    /// Whether it compares floats in their total order.
    pub fn is_total(&self) -> bool {
        self.is_total
    }

    /// Whether what it returns may depend on an argument.
    pub fn uses(&self, argument: usize) -> bool {
        let read = self.steps.iter().flat_map(|(_, operands)| operands);
        read.chain(&self.results).any(|value| *value == argument)
    }

    /// Whether each comparison is of elements of one operand, and of constants, where arguments are a pair for each operand.
    pub fn compares_apart(&self) -> bool {
        let mut of: Vec<u128> = (0..self.arguments.len())
            .map(|at| 1_u128.checked_shl(at as u32 / 2))
            .map(Option::unwrap_or_default)
            .collect();
        for (does, operands) in &self.steps {
            let read = operands.iter().fold(0, |all, value| all | of[*value]);
            if matches!(does, Does::Compare { .. }) && read.count_ones() > 1 {
                return false;
            }
            of.push(read);
        }
        self.arguments.len() <= 2 * u128::BITS as usize
    }

    /// What it returns for these arguments.
    pub fn returned(&self, arguments: &[Tried]) -> Option<Vec<Tried>> {
        let mut values = arguments.to_vec();
        for (does, operands) in &self.steps {
            let own = |at: usize| operands.get(at).and_then(|value| values.get(*value)).copied();
            let truth = |at: usize| match own(at)? {
                Tried::Constraint(truth) => Some(truth),
                Tried::Number(_) => None,
            };
            values.push(match does {
                Does::Constant(value) => *value,
                Does::Compare { direction, order, is_total } => {
                    Tried::Constraint(order.compare(*direction, *is_total, own(0)?, own(1)?))
                }
                Does::Select => own(if truth(0)? { 1 } else { 2 })?,
                Does::Not => Tried::Constraint(!truth(0)?),
                Does::And => Tried::Constraint(truth(0)? && truth(1)?),
                Does::Or => Tried::Constraint(truth(0)? || truth(1)?),
                Does::Xor => Tried::Constraint(truth(0)? != truth(1)?),
                Does::Extremum { is_largest, order } => {
                    order.extremum(*is_largest, own(0)?, own(1)?)
                }
            });
        }
        self.results.iter().map(|value| values.get(*value).copied()).collect()
    }
}
