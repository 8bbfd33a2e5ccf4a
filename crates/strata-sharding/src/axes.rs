//! Lists of axes and of parts of axes, as dimensions are split along.

use strata_ir::{AxisPart, Mesh};

/// A part of an axis: of the sizes whose product is the axis, those between the products `begin` and `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The position of the axis in the mesh.
    pub axis: usize,
    begin: i64,
    end: i64,
}

impl Piece {
    /// The number of devices along it.
    pub fn size(self) -> i64 {
        self.end / self.begin
    }

    /// Whether a value cannot be split along both.
    pub fn overlaps(self, other: Self) -> bool {
        self.axis == other.axis && self.begin < other.end && other.begin < self.end
    }

    /// The outer `size` of it, and the rest; `None` where it is not made of them.
    pub fn cut(self, size: i64) -> Option<(Self, Self)> {
        let middle = self.begin.checked_mul(size)?;
        let cuts = size > 1 && size < self.size() && self.end % middle == 0;
        cuts.then_some((Self { end: middle, ..self }, Self { begin: middle, ..self }))
    }
}

/// The number of parts that a list splits in.
pub fn count(list: &[Piece]) -> i64 {
    list.iter().fold(1, |count, piece| count.saturating_mul(piece.size()))
}

/// The pieces of a mesh that a list names, without those of one device; `None` for an axis that the mesh lacks.
pub fn pieces(mesh: &Mesh, list: &[AxisPart]) -> Option<Vec<Piece>> {
    let mut all = Vec::new();
    for part in list {
        let size = mesh.size(part)?;
        let axis = mesh.axes.iter().position(|(name, _)| *name == part.axis)?;
        let begin = part.part.map_or(1, |(before, _)| before);
        all.push(Piece { axis, begin, end: begin * size });
    }
    all.retain(|piece| piece.size() > 1);
    Some(merged(all))
}

/// The names of pieces.
pub fn parts(mesh: &Mesh, list: &[Piece]) -> Vec<AxisPart> {
    let part = |piece: &Piece| {
        let (name, size) = &mesh.axes[piece.axis];
        let is_whole = piece.begin == 1 && piece.end == *size;
        AxisPart { axis: name.clone(), part: (!is_whole).then(|| (piece.begin, piece.size())) }
    };
    list.iter().map(part).collect()
}

/// The same with neighbours that are one piece joined.
pub fn merged(list: Vec<Piece>) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for piece in list {
        match all.last_mut() {
            Some(last) if last.axis == piece.axis && last.end == piece.begin => {
                last.end = piece.end;
            }
            _ => all.push(piece),
        }
    }
    all
}

/// What two lists begin with both.
pub fn common(left: &[Piece], right: &[Piece]) -> Vec<Piece> {
    let mut all = Vec::new();
    for (a, b) in left.iter().zip(right) {
        if a == b {
            all.push(*a);
            continue;
        }
        let end = a.end.min(b.end);
        if (a.axis, a.begin) == (b.axis, b.begin) && a.end % end == 0 && b.end % end == 0 {
            all.push(Piece { end, ..*a });
        }
        break;
    }
    all
}

/// What follows `first` in `all`; `None` if `all` does not begin with it.
pub fn rest(first: &[Piece], all: &[Piece]) -> Option<Vec<Piece>> {
    if common(first, all) != first {
        return None;
    }
    let (Some(last), Some(same)) = (first.last(), all.get(first.len().wrapping_sub(1))) else {
        return Some(all.to_vec());
    };
    let mut rest = Vec::new();
    if last.end != same.end {
        rest.push(Piece { begin: last.end, ..*same });
    }
    rest.extend_from_slice(&all[first.len()..]);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use strata_ir::{Mesh, axis_parts};

    use super::{Piece, common, count, parts, pieces, rest};

    fn mesh() -> Mesh {
        Mesh::read("<[\"x\"=2, \"y\"=8, \"one\"=1]>")
    }

    fn read(text: &str) -> Vec<Piece> {
        pieces(&mesh(), &axis_parts(text)).expect(text)
    }

    fn written(list: &[Piece]) -> String {
        let names: Vec<_> = parts(&mesh(), list).iter().map(ToString::to_string).collect();
        names.join(" ")
    }

    #[test]
    fn neighbours_are_joined_and_axes_of_one_device_dropped() {
        let list = read(r#""x", "y":(1)2, "one", "y":(2)4"#);
        assert_eq!((written(&list), count(&list)), (r#""x" "y""#.to_owned(), 16));
        assert_eq!(written(&read(r#""y":(2)2, "x""#)), r#""y":(2)2 "x""#);
        assert_eq!(pieces(&mesh(), &axis_parts(r#""z""#)), None);
        assert_eq!(pieces(&mesh(), &axis_parts(r#""y":(3)2"#)), None);
    }

    #[test]
    fn lists_begin_alike() {
        let same = |a, b| written(&common(&read(a), &read(b)));
        assert_eq!(same(r#""x", "y""#, r#""x""#), r#""x""#);
        assert_eq!(same(r#""y", "x""#, r#""x", "y""#), "");
        assert_eq!(same(r#""y", "x""#, r#""y":(1)4, "x""#), r#""y":(1)4"#);
        assert_eq!(same(r#""y":(2)2"#, r#""y":(2)4"#), r#""y":(2)2"#);
        let after = |a, b| rest(&read(a), &read(b)).map(|list| written(&list));
        assert_eq!(after("", r#""x""#).as_deref(), Some(r#""x""#));
        assert_eq!(after(r#""y":(1)2"#, r#""y", "x""#).as_deref(), Some(r#""y":(2)4 "x""#));
        assert_eq!(after(r#""x""#, r#""x""#).as_deref(), Some(""));
        assert_eq!(after(r#""x""#, r#""y""#), None);
        assert_eq!(after(r#""x", "y""#, r#""x""#), None);
    }

    #[test]
    fn pieces_are_cut() {
        let y = read(r#""y""#)[0];
        let (outer, inner) = y.cut(2).expect("8 is 2 times 4");
        assert_eq!(written(&[outer]) + " " + &written(&[inner]), r#""y":(1)2 "y":(2)4"#);
        assert!(outer.overlaps(y) && inner.overlaps(y) && !outer.overlaps(inner));
        assert_eq!((y.cut(3), y.cut(8), y.cut(1)), (None, None, None));
    }
}
