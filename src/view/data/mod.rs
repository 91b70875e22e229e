//! Data for the scripts of pages: rows, cards and texts, equal to those on the pages. `render` turns it into scripts.

pub(crate) mod cards;
pub(crate) mod rows;
pub(crate) mod search;
