//! Renders views to bytes. Never accesses the disk.

pub mod index;
mod inline;
pub mod minify;
mod own_templates;
pub mod parts;
pub mod script;
pub mod single_file;
pub mod slots;
mod squeeze;
pub mod templates;
pub mod terms;
pub mod timeline;

pub use own_templates::UserTemplate;
