//! What is published: one struct for each page, the templates and drawings that show it, the feeds and their schemas, and Parquet.

pub mod assets;
pub mod draw;
#[cfg(feature = "parquet")]
pub mod export;
pub mod feeds;
pub mod render;
pub mod schema;
pub mod view;
