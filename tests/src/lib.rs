//! Tests that look at Strata from outside: the cases lie beside this crate in folders of their own.

pub mod damage;
