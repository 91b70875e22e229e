//! Knows how views become bytes. It never touches the disk.

pub mod json_ld;
pub mod minify;
mod own_templates;
pub mod parts;
pub mod plot;
pub mod script;
pub mod strip;
pub mod templates;
pub mod timeline;
pub mod tree;

pub use own_templates::UserTemplate;
