//! Drawings: tapes as strips, as glyphs of a few columns and on cards, and runs in plots. Drawings of tapes use only integers, so that
//! they have the same bytes on every machine.

pub mod axis;
pub mod card;
pub mod density;
pub mod plot;
pub mod strip;
