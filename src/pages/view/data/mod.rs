//! Data for the scripts of pages: rows, cards and texts, equal to those on the pages. `render` turns it into scripts.

pub mod cards;
pub mod find;
pub mod rows;
pub mod search;
