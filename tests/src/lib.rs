//! Tests of Strata from outside: the cases are in folders next to this crate.

pub mod damage;
