//! The integration tests: small sites go in, console text, pages and feeds come out. See tests/README.md.

mod codes;
mod crawl;
mod determinism;
mod harn;
mod pagination;
mod publishing;
mod records;
mod sidecars;
mod support;
