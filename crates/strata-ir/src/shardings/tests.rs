use super::{DimSharding, MeshRef, TensorSharding, read_shardings};
use crate::{AxisPart, Mesh, new_context};

fn axis(name: &str) -> AxisPart {
    AxisPart { axis: name.to_owned(), part: None }
}

fn read(text: &str) -> TensorSharding {
    let mut all = read_shardings(&format!("[{text}]")).expect(text);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn shardings_are_read_and_written() {
    let texts = [
        "<@m, [{\"x\", \"y\":(1)2}, {?}p1], replicated={\"y\":(2)2}, unreduced={\"z\"}>",
        "<@\"odd name\", []>",
        "<@m, [{\"x\", ?}, {}]>",
        "<mesh<[\"x\"=2, \"y\"=3], device_ids=[0, 1, 2, 5, 4, 3]>, [{\"y\"}p0]>",
        "<@m, [{\"a\\22\\5Cb\\C3\\A4\"}]>",
    ];
    for text in texts {
        assert_eq!(read(text).to_string(), text);
    }
    let first = read(texts[0]);
    assert_eq!(first.mesh, MeshRef::Named("m".to_owned()));
    let part = AxisPart { axis: "y".to_owned(), part: Some((1, 2)) };
    assert_eq!(first.dims[0], DimSharding::closed(vec![axis("x"), part]));
    assert_eq!(first.dims[1], DimSharding { axes: Vec::new(), is_open: true, priority: Some(1) });
    assert_eq!(read(texts[4]).dims[0].axes[0].axis, "a\"\\bä");
    for broken in ["", "<@m>", "[<@m, [{\"x\"}>]", "[<@m, [{x}]>]", "[<@m, []>", "[<@m, []>] x"] {
        assert_eq!(read_shardings(broken), None, "{broken}");
    }
}

#[test]
fn the_dialect_reads_what_is_written() {
    let context = new_context();
    let text = "<@m, [{\"a\\22\\5Cb\", \"y\":(1)2}, {?}p1], replicated={\"y\":(2)2}>";
    let sharding = read(text);
    let attribute = sharding.to_attribute(&context).expect("it is well formed");
    assert_eq!(TensorSharding::from_attribute(attribute), Some(sharding));
}

#[test]
fn mistakes_are_named() {
    let mesh = Mesh::read("<[\"x\"=2, \"y\"=8]>");
    let check = |text: &str, rank| read(text).check(&mesh, rank);
    assert_eq!(
        check("<@m, [{\"x\"}, {\"y\":(1)2, \"y\":(4)2}], replicated={\"y\":(2)2}>", 2),
        Ok(())
    );
    let wrong = |text: &str, rank| check(text, rank).expect_err(text);
    assert_eq!(wrong("<@m, [{\"x\"}]>", 2), "the sharding has 1 dimensions, and the value 2");
    assert_eq!(wrong("<@m, [{\"z\"}]>", 1), "the mesh has no axis `\"z\"`");
    assert_eq!(
        wrong("<@m, [{\"y\":(3)2}]>", 1),
        "axis `\"y\":(3)2` has no such part: its size is 8"
    );
    assert_eq!(wrong("<@m, [{\"x\"}, {\"x\"}]>", 2), "axes `\"x\"` and `\"x\"` overlap");
    assert_eq!(
        wrong("<@m, [{\"y\":(1)4}], replicated={\"y\":(2)2}>", 1),
        "axes `\"y\":(1)4` and `\"y\":(2)2` overlap"
    );
    assert_eq!(
        wrong("<@m, [{\"y\"}], unreduced={\"y\":(1)2}>", 1),
        "axes `\"y\"` and `\"y\":(1)2` overlap"
    );
}

#[test]
fn parts_have_shapes() {
    let mesh = Mesh::read("<[\"x\"=2, \"y\"=3]>");
    let sharding = read("<@m, [{\"x\", \"y\"}, {}, {\"x\"}]>");
    assert_eq!(sharding.part_shape(&mesh, &[12, 5, 7]), Some(vec![2, 5, 4]));
    assert_eq!(sharding.part_shape(&mesh, &[13, 0, 0]), Some(vec![3, 0, 0]));
    assert!(sharding.is_split(&mesh));
    assert!(read("<@m, [{}, {}], unreduced={\"x\"}>").is_split(&mesh));
    assert!(!read("<@m, [{}, {?}]>").is_split(&mesh));
}
