//! Attributes of dialect `sdy`, read from their text: the only fields that the compiler looks at.

use melior::ir::Attribute;

/// The axes of a mesh, with the number of devices along each: `<["x"=2, "y"=4]>`.
pub fn mesh_axes(mesh: Attribute<'_>) -> Vec<(String, i64)> {
    axes_in(&mesh.to_string())
}

/// The names in a list of axes, such as those of `manual_axes`.
pub fn axis_names(list: Attribute<'_>) -> Vec<String> {
    quoted(&list.to_string()).map(str::to_owned).collect()
}

/// Whether a sharding has its mesh inside, instead of the name of one.
pub fn has_mesh_inside(sharding: Attribute<'_>) -> bool {
    sharding.to_string().contains("mesh<")
}

fn axes_in(text: &str) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    let pieces: Vec<&str> = text.split('"').collect();
    for pair in pieces[1..].chunks_exact(2) {
        let digits: String = pair[1].chars().skip(1).take_while(char::is_ascii_digit).collect();
        found.extend(digits.parse().ok().map(|size| (pair[0].to_owned(), size)));
    }
    found
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::{axes_in, quoted};

    #[test]
    fn meshes_are_read() {
        let pair = |name: &str, size| (name.to_owned(), size);
        assert_eq!(axes_in("#sdy.mesh<[\"x\"=2, \"long\"=14]>"), [pair("x", 2), pair("long", 14)]);
        assert_eq!(axes_in("#sdy.mesh<[], device_ids=[3]>"), []);
        assert_eq!(quoted("{\"x\", \"y\"}").collect::<Vec<_>>(), ["x", "y"]);
    }
}
