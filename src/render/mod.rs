//! Knows how views become bytes. The only place that makes [`Html`]; it never touches the disk.

pub mod code;
pub mod html;
pub mod json_ld;
pub mod markdown;
pub mod minify;
pub mod outline;
pub mod plot;
pub mod strip;
mod template_errors;
pub mod templates;
pub mod terminal;
pub mod text;
pub mod timeline;
pub mod tree;

pub use html::Html;
