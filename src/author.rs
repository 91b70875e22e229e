//! [edge out] How content is written from the command line: the only code that writes into a user's content.
//!
//! What is to be written is made in memory first and goes through the same formats and rules as at the next check;
//! only what they accept reaches the disk. This module reads the clock, for the time of an annotation.

mod annotate;
mod files;
mod open_run;
mod redact;
mod rehash;
pub mod starter;
mod validate;

pub use crate::formats::redactions::Reason;
pub use crate::formats::sidecar::Span;
pub use annotate::{AnnotationAuthor, Metadata, NewAnnotation, annotate};
pub use redact::{Redact, Target, redact, reveal_proof, undo};
pub use rehash::{Outcome, rehash};
pub use validate::validate;

use crate::diagnostics::Diagnostic;
use crate::diagnostics::Failure;

/// Why nothing was written.
#[derive(Debug)]
pub enum Refusal {
    /// The content has problems, or would have them.
    Content(Vec<Diagnostic>),
    /// The site cannot be read at all.
    Site(Failure),
    /// What was asked for cannot be done.
    Request {
        /// Why, as a sentence without its full stop.
        message: String,
        /// What to do next.
        help: String,
    },
}

impl Refusal {
    fn request(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Request {
            message: message.into(),
            help: help.into(),
        }
    }
}
