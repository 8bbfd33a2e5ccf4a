//! `gather` and `scatter`: batching dimensions, any index vector dimension, indices out of range, windows; index vectors that are inputs, or
//! concatenations of inputs, places and numbers.

use crate::source::{Case, Source, Tensor, combiner, i64s, is_float, join, signature};

/// How indices select windows of a tensor; the same for both operations.
struct Selection {
    shape: Vec<i64>,
    indices: Tensor,
    index_vector_dim: usize,
    start_index_map: Vec<usize>,
    /// Dimensions that windows have no dimension for.
    absent: Vec<usize>,
    batching: Vec<usize>,
    indices_batching: Vec<usize>,
    window: Vec<i64>,
    /// The dimensions of the windows among those of all windows together.
    window_dims: Vec<usize>,
    /// The shape of all windows together.
    all: Vec<i64>,
}

impl Selection {
    fn draw(source: &mut Source) -> Self {
        let rank = source.between(0, 4) as usize;
        let shape = source.shape(rank as i64);
        let dims: Vec<usize> = (0..rank).collect();
        let batch_rank = source.between(0, 3) as usize;
        let mut batch: Vec<i64> = source.shape(batch_rank as i64);
        let count = source.below(3).min(rank as i64).min(batch_rank as i64) as usize;
        let mut batching = source.choose(count, rank);
        batching.sort_unstable();
        let of_batch = source.choose(count, batch_rank);
        for (dim, position) in batching.iter().zip(&of_batch) {
            batch[*position] = shape[*dim];
        }
        let rest: Vec<usize> = dims.iter().copied().filter(|dim| !batching.contains(dim)).collect();
        let absent: Vec<usize> =
            source.subset(&rest).into_iter().filter(|dim| shape[*dim] > 0).collect();
        let mut window = Vec::new();
        for (dim, size) in shape.iter().copied().enumerate() {
            window.push(match () {
                () if batching.contains(&dim) => size.min(1),
                () if absent.contains(&dim) => 1,
                () if source.once_in(2) => size,
                () => source.between(0, size),
            });
        }
        let mapped = source.subset(&rest);
        let order = source.permutation(mapped.len());
        let start_index_map: Vec<usize> = order.into_iter().map(|at| mapped[at]).collect();
        let implicit = start_index_map.len() == 1 && source.once_in(2);
        let index_vector_dim =
            if implicit { batch_rank } else { source.between(0, batch_rank as i64) as usize };
        let mut indices = batch.clone();
        if !implicit {
            indices.insert(index_vector_dim, start_index_map.len() as i64);
        }
        let indices_batching = of_batch
            .iter()
            .map(|at| if !implicit && *at >= index_vector_dim { at + 1 } else { *at })
            .collect();
        let kept: Vec<i64> = dims
            .iter()
            .filter(|dim| !batching.contains(dim) && !absent.contains(dim))
            .map(|dim| window[*dim])
            .collect();
        let mut window_dims = source.choose(kept.len(), batch_rank + kept.len());
        window_dims.sort_unstable();
        let (mut next_batch, mut next_window) = (batch.iter(), kept.iter());
        let all = (0..batch_rank + kept.len())
            .filter_map(|dim| {
                let of_window = window_dims.contains(&dim);
                if of_window { next_window.next() } else { next_batch.next() }.copied()
            })
            .collect();
        let element = source.pick(&["i32", "i64", "ui8", "i8", "ui32", "i16", "i4", "ui64"]);
        Self {
            shape,
            indices: Tensor::new(&indices, element),
            index_vector_dim,
            start_index_map,
            absent,
            batching,
            indices_batching,
            window,
            window_dims,
            all,
        }
    }
}

/// Index vectors in a program.
struct Vectors {
    /// What computes them, before the operation that reads them.
    body: String,
    /// The inputs that these read.
    inputs: Vec<Tensor>,
    name: String,
}

impl Vectors {
    fn input(first: usize, indices: &Tensor) -> Self {
        Self { body: String::new(), inputs: vec![indices.clone()], name: format!("%{first}") }
    }

    /// An input, or a concatenation of components.
    fn draw(source: &mut Source, selection: &Selection, first: usize) -> Self {
        let Selection { indices, index_vector_dim: vector, start_index_map, .. } = selection;
        let is_listed = indices.shape.len() > *vector && !start_index_map.is_empty();
        if !is_listed || source.once_in(2) {
            return Self::input(first, indices);
        }
        let mut all = Self { body: String::new(), inputs: Vec::new(), name: "%all".to_owned() };
        let mut one = indices.clone();
        one.shape[*vector] = 1;
        let rest: Vec<usize> = (0..one.shape.len()).filter(|dim| dim != vector).collect();
        for (at, dim) in start_index_map.iter().enumerate() {
            let size = selection.shape[*dim];
            match source.below(5) {
                0 => {
                    all.body += &format!("  %vc{at} = {}\n", splat(source.between(-1, 2), &one));
                }
                1 | 2 if !rest.is_empty() => all.place(source, at, (&one, &rest), size),
                _ => all.repeated(source, at, (&one, &rest), first),
            }
        }
        let names: Vec<_> = (0..start_index_map.len()).map(|at| format!("%vc{at}")).collect();
        let types = vec![one.to_string(); names.len()];
        let (names, types) = (names.join(", "), types.join(", "));
        all.body += &format!(
            "  %all = stablehlo.concatenate {names}, dim = {vector} : ({types}) -> {indices}\n"
        );
        all
    }

    /// Component `at` is the place along a dimension, as programs write it that permit places from the end.
    fn place(
        &mut self,
        source: &mut Source,
        at: usize,
        (one, rest): (&Tensor, &[usize]),
        size: i64,
    ) {
        let dim = source.pick(rest);
        let line = Tensor::new(&[one.shape[dim]], &one.element);
        let mask = Tensor::new(&line.shape, "i1");
        let body = &mut self.body;
        *body += &format!("  %vi{at} = stablehlo.iota dim = 0 : {line}\n");
        let mut last = format!("%vi{at}");
        if source.once_in(3) {
            let by = splat(source.between(-1, 2), &line);
            let what = source.pick(&["add", "subtract", "multiply"]);
            *body += &format!(
                "  %vb{at} = {by}\n  %vp{at} = stablehlo.{what} {last}, %vb{at} : {line}\n"
            );
            last = format!("%vp{at}");
        }
        if source.once_in(2) {
            *body += &format!(
                "  %vz{at} = {}\n  %vs{at} = {}\n  %vn{at} = stablehlo.compare LT, {last}, %vz{at} : ({line}, {line}) -> {mask}\n  \
                 %vm{at} = stablehlo.add {last}, %vs{at} : {line}\n  %vw{at} = stablehlo.select %vn{at}, %vm{at}, {last} : {mask}, {line}\n",
                splat(0, &line),
                splat(size, &line),
            );
            last = format!("%vw{at}");
        }
        *body += &format!(
            "  %vc{at} = stablehlo.broadcast_in_dim {last}, dims = [{dim}] : ({line}) -> {one}\n"
        );
    }

    /// Component `at` is an input that has only some of the dimensions.
    fn repeated(
        &mut self,
        source: &mut Source,
        at: usize,
        (one, rest): (&Tensor, &[usize]),
        first: usize,
    ) {
        let kept = source.subset(rest);
        let sizes: Vec<_> = kept.iter().map(|dim| one.shape[*dim]).collect();
        let own = Tensor::new(&sizes, &one.element);
        let input = first + self.inputs.len();
        self.body += &format!(
            "  %vc{at} = stablehlo.broadcast_in_dim %{input}, dims = [{}] : ({own}) -> {one}\n",
            join(&kept)
        );
        self.inputs.push(own);
    }
}

/// A constant all of whose elements are this number, or the largest that there is below it.
fn splat(number: i64, ty: &Tensor) -> String {
    let (least, most) = match ty.element.as_str() {
        "i4" => (-8, 7),
        element if element.starts_with('u') => (0, 255),
        _ => (-128, 127),
    };
    format!("stablehlo.constant dense<{}> : {ty}", number.clamp(least, most))
}

pub fn gather(source: &mut Source) -> Case {
    let selection = Selection::draw(source);
    let element = source.element();
    let operand = Tensor::new(&selection.shape, &element);
    let result = Tensor::new(&selection.all, &element);
    let vectors = Vectors::draw(source, &selection, 1);
    let arguments = [operand.clone(), selection.indices];
    let operation = format!(
        "\"stablehlo.gather\"(%0, {}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [{}], \
         collapsed_slice_dims = [{}], operand_batching_dims = [{}], start_indices_batching_dims = [{}], \
         start_index_map = [{}], index_vector_dim = {}>, slice_sizes = {}, indices_are_sorted = false}}> : {}",
        vectors.name,
        join(&selection.window_dims),
        join(&selection.absent),
        join(&selection.batching),
        join(&selection.indices_batching),
        join(&selection.start_index_map),
        selection.index_vector_dim,
        i64s(&selection.window),
        signature(&arguments, std::slice::from_ref(&result)),
    );
    let arguments = [vec![operand], vectors.inputs].concat();
    Case::after(&arguments, &vectors.body, &operation, &[result])
}

pub fn scatter(source: &mut Source) -> Case {
    let selection = Selection::draw(source);
    let count = if source.once_in(3) { 2 } else { 1 };
    let elements: Vec<String> = (0..count).map(|_| source.element()).collect();
    let inputs: Vec<_> =
        elements.iter().map(|element| Tensor::new(&selection.shape, element)).collect();
    let updates: Vec<_> =
        elements.iter().map(|element| Tensor::new(&selection.all, element)).collect();
    let vectors = Vectors::draw(source, &selection, 2 * count);
    let typed = [&inputs[..], std::slice::from_ref(&selection.indices), &updates].concat();
    let arguments = [&inputs[..], &updates, &vectors.inputs].concat();
    let names = |of: std::ops::Range<usize>| {
        let names: Vec<_> = of.map(|at| format!("%{at}")).collect();
        names.join(", ")
    };
    let region = match source.below(3) {
        0 => {
            let scalars: Vec<_> =
                elements.iter().map(|element| Tensor::new(&[], element)).collect();
            let names: Vec<_> =
                (0..2 * count).map(|at| format!("%a{at}: {}", scalars[at % count])).collect();
            let returned: Vec<_> = (count..2 * count).map(|at| format!("%a{at}")).collect();
            format!(
                "({{\n  ^bb0({}):\n    stablehlo.return {} : {}\n  }})",
                names.join(", "),
                returned.join(", "),
                join(&scalars)
            )
        }
        _ => combiner(source, &elements),
    };
    let operation = format!(
        "\"stablehlo.scatter\"({}, {}, {}) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = \
         [{}], inserted_window_dims = [{}], input_batching_dims = [{}], scatter_indices_batching_dims = [{}], \
         scatter_dims_to_operand_dims = [{}], index_vector_dim = {}>, indices_are_sorted = false, \
         unique_indices = false}}> {region} : {}",
        names(0..count),
        vectors.name,
        names(count..2 * count),
        join(&selection.window_dims),
        join(&selection.absent),
        join(&selection.batching),
        join(&selection.indices_batching),
        join(&selection.start_index_map),
        selection.index_vector_dim,
        signature(&typed, &inputs),
    );
    let case = Case::after(&arguments, &vectors.body, &operation, &inputs);
    match elements.iter().find(|element| is_float(element)) {
        Some(element) if source.once_in(2) => case.summed(element),
        _ => case,
    }
}
