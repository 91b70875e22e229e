//! What outlasts a build: the ledger of changes, the cache, and the site that is staged and swapped in.

pub mod cache;
pub mod ledger;
pub mod publish;
