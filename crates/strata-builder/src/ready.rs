//! Common computations of two scalars.

use crate::{
    Builder, Computation, ElementType,
    error::{Error, Result, Site},
    op::Op,
    shape::Shape,
};

impl Computation {
    /// A computation with parameters of these shapes, built by `build`.
    ///
    /// ```
    /// use strata_builder::{Computation, F32, Shape};
    ///
    /// let scalar = Shape::scalar(F32);
    /// let axpy = Computation::new("axpy", &[scalar.clone(), scalar], |b, p| p[0].mul(2.0)? + &p[1])?;
    /// assert_eq!(axpy.parameters().len(), 2);
    /// # Ok::<(), strata_builder::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `build`, and of [`Builder::build`].
    #[track_caller]
    pub fn new(
        name: &str,
        parameters: &[Shape],
        build: impl FnOnce(&Builder, &[Op]) -> Result<Op>,
    ) -> Result<Self> {
        let builder = Builder::new(name);
        let numbered = parameters.iter().enumerate();
        let parameters: Vec<Op> =
            numbered.map(|(at, shape)| builder.parameter_of(shape, &format!("p{at}"))).collect();
        let root = build(&builder, &parameters)?;
        builder.build(&root)
    }

    #[track_caller]
    fn of_two(
        name: &str,
        element: ElementType,
        build: impl FnOnce(&Op, &Op) -> Result<Op>,
    ) -> Result<Self> {
        let scalar = Shape::scalar(element);
        Self::new(name, &[scalar.clone(), scalar], |_, parameters| match parameters {
            [left, right] => build(left, right),
            _ => Err(Error::from(strata_diag::Diagnostic::new(strata_diag::codes::S9001))),
        })
    }

    /// Whether the first scalar of an element type comes before the second: floats by their total order. Further
    /// operands of the sort are ignored.
    pub(crate) fn ascending(element: ElementType, along: &[ElementType]) -> Result<Self> {
        let all = std::iter::once(&element).chain(along);
        let shapes: Vec<Shape> =
            all.flat_map(|one| [Shape::scalar(*one), Shape::scalar(*one)]).collect();
        Self::new("ascending", &shapes, |_, parameters| {
            let (Some(left), Some(right)) = (parameters.first(), parameters.get(1)) else {
                return Err(Site::new("Sort").error("there is nothing to compare"));
            };
            match element {
                ElementType::Bool | ElementType::Signed(_) | ElementType::Unsigned(_) => {
                    left.lt(right)
                }
                _ => left.lt_total_order(right, &[]),
            }
        })
    }
}

macro_rules! ready {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl Computation {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// For an element type that the operation does not have.
            #[track_caller]
            pub fn $name(element: ElementType) -> Result<Self> {
                let site = Site::new(stringify!($name));
                Self::of_two(stringify!($name), element, |left, right| left.$name(right))
                    .map_err(|error| error.called_from(site))
            }
        )*}
    };
}

ready! {
    /// The sum of two scalars.
    add;
    /// The product of two scalars.
    mul;
    /// The larger of two scalars.
    max;
    /// The smaller of two scalars.
    min;
    /// The conjunction of two scalars.
    and;
    /// The disjunction of two scalars.
    or;
    /// Whether the first of two scalars is less: sorts in ascending order.
    lt;
    /// Whether the first of two scalars is greater: sorts in descending order.
    gt;
    /// Whether the first of two scalars is greater or equal: selects the maximum of a window.
    ge;
    /// Whether the first of two scalars is less or equal: selects the minimum of a window.
    le;
}
