//! Reads the text of expressions and conditions, as attributes have it: what [`DimExpr::text`] and [`Constraint::text`] write.
//!
//! ```text
//! sum     = ["-"] product {("+" | "-") product}
//! product = factor {"*" factor}
//! factor  = number | name | name "(" sum {"," sum} ")"
//! ```

use crate::{Constraint, DimExpr, Variable};

/// Deeper functions are not read: those of programs are a few.
const DEEPEST: usize = 64;

/// The words that are functions.
pub(crate) const FUNCTIONS: [&str; 5] = ["floordiv", "mod", "max", "min", "sign"];

/// The words and signs of a text.
struct Words<'t> {
    left: &'t str,
    variable: &'t dyn Fn(&str) -> Option<Variable>,
}

/// The expression that a text is; `variable` has the variables of names.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_expression(
    text: &str,
    variable: &dyn Fn(&str) -> Option<Variable>,
) -> Result<DimExpr, String> {
    let mut words = Words { left: text, variable };
    let size = words.sum(0)?;
    words.end()?;
    Ok(size)
}

/// The condition that a text is.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_constraint(
    text: &str,
    variable: &dyn Fn(&str) -> Option<Variable>,
) -> Result<Constraint, String> {
    let mut list = text.split(" and ").map(|one| comparison(one, variable));
    let first = list.next().unwrap_or_else(|| Err("there is no condition".to_owned()))?;
    let others = list.collect::<Result<Vec<_>, _>>()?;
    Ok(match others.is_empty() {
        true => first,
        false => Constraint::All([vec![first], others].concat()),
    })
}

/// What is said of a difference.
type Condition = fn(DimExpr) -> Constraint;

fn comparison(
    text: &str,
    variable: &dyn Fn(&str) -> Option<Variable>,
) -> Result<Constraint, String> {
    if let Ok(holds) = text.trim().parse::<bool>() {
        return Ok(Constraint::Known(holds));
    }
    let mut words = Words { left: text, variable };
    let left = words.sum(0)?;
    let signs: [(&str, Condition, bool); 4] = [
        (">=", Constraint::NotNegative, false),
        ("<=", Constraint::NotNegative, true),
        ("!=", Constraint::NotZero, false),
        ("=", Constraint::Zero, false),
    ];
    let found = signs.into_iter().find(|(sign, ..)| words.take(sign));
    let (_, condition, is_mirrored) = found.ok_or_else(|| words.expected("a comparison"))?;
    let right = words.sum(0)?;
    words.end()?;
    let difference = if is_mirrored { right.minus(&left) } else { left.minus(&right) };
    difference.map(condition).ok_or_else(|| "a number overflows".to_owned())
}

impl<'t> Words<'t> {
    fn expected(&self, what: &str) -> String {
        let found: String = self.left.trim_start().chars().take(20).collect();
        match found.is_empty() {
            true => format!("{what} is expected at the end"),
            false => format!("{what} is expected at `{found}`"),
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        let rest = self.left.trim_start().strip_prefix(sign);
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }

    fn end(&self) -> Result<(), String> {
        if self.left.trim().is_empty() { Ok(()) } else { Err(self.expected("the end")) }
    }

    /// The longest prefix of these characters, if there is one.
    fn word(&mut self, is_part: fn(char) -> bool) -> Option<&'t str> {
        let text = self.left.trim_start();
        let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        (!word.is_empty()).then(|| self.left = rest)?;
        Some(word)
    }

    fn sum(&mut self, depth: usize) -> Result<DimExpr, String> {
        if depth > DEEPEST {
            return Err(format!("functions are nested more than {DEEPEST} times"));
        }
        let mut sum = DimExpr::constant(0);
        let mut is_negative = self.take("-");
        loop {
            let product = self.product(depth)?;
            let more = if is_negative { sum.minus(&product) } else { sum.plus(&product) };
            sum = more.ok_or_else(|| "a number overflows".to_owned())?;
            is_negative = self.take("-");
            if !is_negative && !self.take("+") {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Result<DimExpr, String> {
        let mut product = self.factor(depth)?;
        while self.take("*") {
            let factor = self.factor(depth)?;
            product = product.times(&factor).ok_or_else(|| "a number overflows".to_owned())?;
        }
        Ok(product)
    }

    fn factor(&mut self, depth: usize) -> Result<DimExpr, String> {
        if let Some(number) = self.word(|letter| letter.is_ascii_digit()) {
            let number = number.parse().map_err(|_| format!("`{number}` is too large"))?;
            return Ok(DimExpr::constant(number));
        }
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter);
        let name = self.word(is_part).ok_or_else(|| self.expected("a size"))?;
        if FUNCTIONS.contains(&name) && self.take("(") {
            return self.function(name, depth);
        }
        let variable = (self.variable)(name).ok_or_else(|| format!("there is no `{name}`"))?;
        Ok(DimExpr::variable(variable))
    }

    fn function(&mut self, name: &str, depth: usize) -> Result<DimExpr, String> {
        let mut operands = vec![self.sum(depth + 1)?];
        while self.take(",") {
            operands.push(self.sum(depth + 1)?);
        }
        if !self.take(")") {
            return Err(self.expected("`)`"));
        }
        let is_positive = |by: &DimExpr| by.as_constant().is_none_or(|by| by > 0);
        let size = match (name, &operands[..]) {
            ("floordiv", [a, b]) if is_positive(b) => a.floordiv(b),
            ("mod", [a, b]) if is_positive(b) => a.modulo(b),
            ("floordiv" | "mod", [_, _]) => {
                return Err(format!("`{name}` has a divisor below 1"));
            }
            ("max", [a, b]) => a.maximum(b),
            ("min", [a, b]) => a.minimum(b),
            ("sign", [a]) => Some(a.sign()),
            _ => return Err(format!("`{name}` has {} operands", operands.len())),
        };
        size.ok_or_else(|| "a number overflows".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim_expr::tests::Numbers;

    fn names(name: &str) -> Option<Variable> {
        ["n", "x.1"].iter().position(|known| *known == name).map(|at| Variable::Dimension(at, 0))
    }

    fn name(variable: Variable) -> String {
        let Variable::Dimension(at, _) = variable else { unreachable!() };
        ["n", "x.1"][at].to_owned()
    }

    #[test]
    fn text_is_read_as_it_was_written() {
        let mut numbers = Numbers(11);
        for round in 0..2000 {
            let depth = 1 + numbers.below(3) as u32;
            let (size, _) = numbers.expression(depth, round % 2 == 0);
            let text = size.text(&name);
            assert_eq!(parse_expression(&text, &names).as_ref(), Ok(&size), "{text}");
            let conditions = [
                Constraint::Zero(size.clone()),
                Constraint::NotZero(size.clone()),
                Constraint::NotNegative(size.clone()),
                Constraint::All(vec![
                    Constraint::NotNegative(size.clone()),
                    Constraint::Known(round % 3 == 0),
                ]),
            ];
            for condition in conditions {
                let text = condition.text(&name);
                let read = parse_constraint(&text, &names).unwrap();
                for at in 0..12 {
                    let value = |variable| Some(if name(variable) == "n" { at } else { 7 - at });
                    assert_eq!(read.holds(&value), condition.holds(&value), "{text} at {at}");
                }
            }
        }
    }

    #[test]
    fn wrong_text_is_refused_with_the_place() {
        let wrong = |text| parse_expression(text, &names).unwrap_err();
        assert_eq!(wrong("2*"), "a size is expected at the end");
        assert_eq!(wrong("n + m"), "there is no `m`");
        assert_eq!(wrong("n n"), "the end is expected at `n`");
        assert_eq!(wrong("floordiv(n, 0)"), "`floordiv` has a divisor below 1");
        assert_eq!(wrong("mod(n)"), "`mod` has 1 operands");
        assert_eq!(wrong("max(n, 1"), "`)` is expected at the end");
        assert_eq!(wrong("99999999999999999999"), "`99999999999999999999` is too large");
        assert_eq!(wrong("9223372036854775807*n*2"), "a number overflows");
        assert!(wrong(&"sign(".repeat(100_000)).starts_with("functions are nested"));
        let wrong = |text| parse_constraint(text, &names).unwrap_err();
        assert_eq!(wrong("n"), "a comparison is expected at the end");
        assert_eq!(wrong("n > 1"), "a comparison is expected at `> 1`");
        assert_eq!(wrong("n >= 1 and"), "the end is expected at `and`");
    }
}
