use super::overlapping;

#[test]
fn what_overlaps_is_what_pairs_say() {
    // All lists of three ranges within six bytes, and a gap that has none.
    let ranges: Vec<_> =
        (0..6).flat_map(|start| (start + 1..=6).map(move |end| (start, end))).collect();
    for one in &ranges {
        for other in &ranges {
            for third in &ranges {
                let list = [Some(*one), None, Some(*other), Some(*third)];
                let shares = |at: usize| {
                    let (start, end) = list[at]?;
                    let others = list.iter().enumerate().filter(|(place, _)| *place != at);
                    let mut others = others.filter_map(|(_, range)| *range);
                    Some(others.any(|(low, high)| low < end && start < high))
                };
                let expected: Vec<_> = (0..4).map(|at| shares(at).unwrap_or(false)).collect();
                assert_eq!(overlapping(&list), expected, "{list:?}");
            }
        }
    }
}
