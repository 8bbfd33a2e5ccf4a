//! What a sort may meet in place of elements that are not valid: elements that come before no other one. These follow all valid
//! ones, as they do in the operand, and the comparison stays the program's own, which later stages have algorithms for.
//!
//! ```text
//! compare LT, %a, %b, TOTALORDER           the NaN with all bits but the sign
//! compare GT, %a, %b                       of integers the smallest
//! %a < %b, or equal and %p < %q            the largest of either type
//! ```

use strata_ir::{Block, Builder, Type, Value, dense_bytes, tensor};

use super::{
    Padding,
    compared::{Body, Order, Tried},
};
use crate::pattern::new_constant;

/// No more comparisons are tried to find such elements.
const MOST_TRIED: usize = 1 << 16;

impl<'c> Padding<'c> {
    /// For each operand of a sort with that comparison an element, or nothing if its elements are not compared; `None` if there are
    /// no elements that are known to come before no other ones.
    pub fn last(
        &self,
        builder: &Builder<'c>,
        block: Block<'c>,
        elements: &[Type<'c>],
    ) -> Option<Vec<Option<Value<'c>>>> {
        let body = Body::of(block).filter(Body::compares_apart)?;
        let found = last_values(&body)?;
        let constant = |(value, element): (Option<Tried>, &Type<'c>)| {
            let Some(value) = value else { return Some(None) };
            let ty = tensor(&[], *element);
            let bytes = Order::of(*element)?.bytes(value)?;
            Some(Some(new_constant(builder, ty, dense_bytes(ty, &bytes)?)))
        };
        found.into_iter().zip(elements).map(constant).collect()
    }
}

/// The values of such elements.
///
/// Comparisons of one element with an other one of the same operand return the same for all others between which there is no
/// constant of the body, no infinity, no zero and not the one itself. So it is tried with all of these and what is next to them.
fn last_values(body: &Body) -> Option<Vec<Option<Tried>>> {
    let count = body.arguments().len() / 2;
    // A pair of arguments for each operand.
    let used: Vec<usize> =
        (0..count).filter(|at| body.uses(2 * at) || body.uses(2 * at + 1)).collect();
    let order = |at: &usize| body.arguments()[2 * at];
    let others: Vec<Vec<Tried>> =
        used.iter().map(|at| tried(order(at), body)).collect::<Option<_>>()?;
    let candidates: Vec<Vec<Tried>> =
        used.iter().map(|at| candidates(order(at), body)).collect::<Option<_>>()?;
    let mut left = MOST_TRIED;
    let mut arguments: Vec<Tried> = body.arguments().iter().map(|order| order.ends()[0]).collect();
    let is_last = |choice: &[Tried], left: &mut usize| -> Option<bool> {
        let mut is_last = true;
        each(&others, &mut |other| {
            *left = left.checked_sub(1)?;
            for (at, (own, other)) in used.iter().zip(choice.iter().zip(other)) {
                (arguments[2 * at], arguments[2 * at + 1]) = (*own, *other);
            }
            is_last = body.returned(&arguments)? == [Tried::Constraint(false)];
            Some(is_last)
        })?;
        Some(is_last)
    };
    let (mut found, mut is_last) = (None, is_last);
    each(&candidates, &mut |choice| {
        if is_last(choice, &mut left)? {
            found = Some(choice.to_vec());
        }
        Some(found.is_none())
    })?;
    let mut found = found?.into_iter();
    Some((0..count).map(|at| used.contains(&at).then(|| found.next()).flatten()).collect())
}

/// Calls `test` with one element of each list, for all combinations, while it says true.
fn each(lists: &[Vec<Tried>], test: &mut dyn FnMut(&[Tried]) -> Option<bool>) -> Option<()> {
    let mut places = vec![0; lists.len()];
    loop {
        let chosen: Vec<Tried> = lists.iter().zip(&places).map(|(list, at)| list[*at]).collect();
        if !test(&chosen)? {
            return Some(());
        }
        // The next combination, as the digits of a number.
        let Some(next) = (0..lists.len()).find(|at| places[*at] + 1 < lists[*at].len()) else {
            return Some(());
        };
        places[next] += 1;
        places[..next].fill(0);
    }
}

/// Elements that stand for all of an order.
fn tried(order: Order, body: &Body) -> Option<Vec<Tried>> {
    let [first, last] = order.ends();
    let (Tried::Number(first), Tried::Number(last)) = (first, last) else {
        return Some(order.ends().to_vec());
    };
    let mut places = vec![first, last];
    if let Order::Floats { infinity, width } = order {
        width?;
        places.extend([-infinity - 1, -1, 0, infinity]);
    }
    places.extend(body.constants().iter().filter(|(own, _)| *own == order).filter_map(
        |(_, value)| match value {
            Tried::Number(place) => Some(*place),
            Tried::Constraint(_) => None,
        },
    ));
    let around = places.iter().flat_map(|place| [place - 1, *place, place + 1]);
    let mut all: Vec<i128> = around.filter(|place| (first..=last).contains(place)).collect();
    all.sort_unstable();
    all.dedup();
    Some(all.into_iter().map(Tried::Number).collect())
}

/// Elements that may come last: what the body names first, because an algorithm may take all that it makes equal for it, and the
/// ends of the order.
fn candidates(order: Order, body: &Body) -> Option<Vec<Tried>> {
    let own = body.constants().iter().filter(|(own, _)| *own == order);
    let mut all: Vec<Tried> = own.map(|(_, value)| *value).collect();
    if let Order::Floats { infinity, width } = order {
        width?;
        all.extend([infinity, -infinity - 1].map(Tried::Number));
    }
    let [first, last] = order.ends();
    all.extend([last, first]);
    all.dedup();
    Some(all)
}
