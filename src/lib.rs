//! runpress turns a folder of recorded agent runs into a website and into feeds.
//!
//! # Data flow
//!
//! ```text
//!  site.toml ─► config
//!  rules/ ─► Rules, which each run is checked against
//!  the ledger of the previous site ─► Ledger
//!  content/  ─► discover ─► every record (small) ─► Archive: order, slugs, neighbors, ranges
//!                               │
//!                               ▼  each run, in parallel, one at a time per thread, then dropped:
//!               load ─► formats ─► rules ─► model ─► view ─► render ─► publish::Stage
//!                               │
//!                               ▼  kept in memory for each run: findings and diagnostics
//!               Archive + Findings + Ledger ─► lists, tables, feeds, the next ledger ─► publish::Stage
//!                               │
//!                               ▼
//!               no errors: Stage::commit         errors: the stage is dropped, the old site stays
//! ```
//!
//! [`check`] and [`build`] run the same steps; a check uses a stage that writes nothing. [`pipeline`] has the steps: for all
//! runs in `gather` and `lists`, for one run in `run`. The last two list their artifacts, one function per file.
//! Except for its record, each run is read once, and its pages are staged immediately. If runs are quarantined, the archive and
//! the pages of all other runs are built again without them, since neighbors and ranges may have counted them.
//!
//! [`schema`](pages::schema) lists the JSON Schemas of inputs and feeds. They are derived from the types of [`formats`],
//! [`config`](formats::config) and [`feeds`](pages::feeds); [`shapes`](base::shapes) holds what a type alone cannot say.
//!
//! [`model::fields`](formats::model::fields) is the table of the fields of a run: the feeds and exports of all runs,
//! comparisons and the facts on the page of a run are made from it.
//!
//! The [`ledger`](store::ledger), the changes from build to build, is both a feed and an input. It is read back in the shape in
//! which it was written, so one type serves both, and [`view`](pages::view), [`rules`](content::rules) and the reports use it
//! like [`model`](formats::model).
//!
//! [`characters`](base::characters) is the only list of invisible and reordering characters; everything that shows recorded
//! text uses it.
//!
//! [`author`] writes annotations into the content, through the same formats and rules.
//!
//! Builds are incremental: a build writes a cache, which the next one reads (`pipeline::cache`). Pages of unchanged runs
//! are reused, and only files that differ are written. [`serve`] serves a site and rebuilds it after every change.
//!
//! # Crates
//!
//! Each folder below `src/` is a crate, except `cli`. A crate uses only those above it, as its manifest says.
//!
//! | Crate | Holds |
//! |---|---|
//! | [`base`] | characters, addresses, links, sizes of pictures, diagnostics, and files opened without leaving a folder |
//! | [`formats`] | the inputs as they are written, `site.toml` among them, and the checked data that is made of them |
//! | [`markup`] | how recorded text becomes HTML |
//! | [`secrets`] | what must not be published |
//! | [`store`] | (edge) the ledger, the build cache, texts kept out of memory, and how a site is staged and swapped in |
//! | [`gate`] | what a site expects of its runs, and whether a run keeps it |
//! | [`content`] | (edge) where runs are, their files, the rules for them, and all of it together for one run |
//! | [`pages`] | what pages are made of: values, templates and drawings; feeds, schemas and Parquet |
//! | [`pipeline`] | (edge) a site, the steps of a check, a build and a merge, and each page |
//! | `verify` | (edge) whether a copy of a site is what was built |
//! | [`import`] | (edge) how logs of other systems become run directories |
//! | [`author`] | (edge) how annotations and redactions are written |
//! | `serve` | (edge) how a site is shown while it is made |
//! | `runpress` | [`api`], and the program: `main` and `cli` |
//!
//! # What is public
//!
//! [`api`]: what the binary, the tests, the benchmarks and the fuzz targets use.
//!
//! # What is absent
//!
//! - Only `base::files` opens files, so that no link or swapped path leads out of their folder.
//! - Only the edges ([`discover`](content::discover), [`load`](content::load), [`cache`](store::cache),
//!   [`publish`](store::publish), [`site`](pipeline::site), [`author`], [`serve`] and the binary)
//!   touch the disk, the environment or the terminal. Files that a tape, a transcript or a thread names are known only after
//!   parsing, so [`inspect`](content::inspect) gets a [`load::RunFiles`](content::load::RunFiles) to read them, and calls no other
//!   edge. Only [`author`], [`serve`], the binary and [`cache`](store::cache) read a clock; [`cache`](store::cache) compares it
//!   with file times to find unchanged files, never for published content.
//! - The readers of [`formats`] know nothing of its [`model`](formats::model); templates see pages and [`view`](pages::view)
//!   only.
//! - The only type that a template prints unescaped is [`markup::Html`], and only [`markup`], [`render`](pages::render) and the
//!   drawings in [`view`](pages::view) make one.
//! - Recorded text never passes through the minifier: the shell of a page is minified once per depth, with
//!   slots for its content.
//! - [`discover`](content::discover) sets the order, and all steps keep it: parallel steps collect in input order, maps are
//!   sorted.

pub mod api;

pub use base::diagnostics::Failure;
#[cfg(feature = "parquet")]
pub use pipeline::export_only;
pub use pipeline::{ReplacedSite, build, check, merge};
