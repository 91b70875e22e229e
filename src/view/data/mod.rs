//! Knows what the scripts of pages load: rows, cards and texts, as the pages have them. `render` makes scripts of it.

pub mod cards;
pub mod rows;
pub mod search;
