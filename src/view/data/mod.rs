//! What the scripts of pages load: rows, cards and texts, as the pages have them. `render` makes scripts of it.

pub(crate) mod cards;
pub(crate) mod rows;
pub(crate) mod search;
