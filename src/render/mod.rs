//! Renders views to bytes. Never accesses the disk.

pub mod card;
pub(crate) mod index;
mod inline;
pub(crate) mod json_ld;
pub(crate) mod minify;
mod own_templates;
pub(crate) mod parts;
pub(crate) mod script;
pub(crate) mod slots;
mod squeeze;
pub(crate) mod templates;
pub(crate) mod terms;
pub mod timeline;
pub(crate) mod tree;

pub use own_templates::UserTemplate;
