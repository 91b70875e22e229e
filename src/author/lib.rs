//! (edge) Writes content from the command line. No other code writes into a user's content.
//!
//! New content is built in memory and passes the formats and rules of a check before it reaches the disk. This module reads the
//! clock, for the time of an annotation or a decision.

mod annotate;
mod decide;
mod files;
mod findings;
mod open_run;
mod raw;
mod redact;
mod rehash;
pub mod starter;
mod validate;

pub use annotate::{Metadata, NewAnnotation, annotate, own_author};
pub use decide::{NewDecision, decide};
pub use findings::annotate_from;
pub use formats::decisions::{DecisionKind, NamedAuthor};
pub use formats::redactions::RedactionReason;
pub use formats::sidecar::{AuthorKind, Span};
pub use raw::raw;
pub use redact::{RedactionRequest, RedactionTarget, redact, reveal_proof, undo};
pub use rehash::{RehashOutcome, rehash};
pub use validate::validate;

use base::diagnostics::{Diagnostic, Failure};

/// The reason that nothing was written.
#[derive(Debug)]
pub enum Refusal {
    /// The content has problems, or would have them.
    Content(Vec<Diagnostic>),
    /// The site cannot be read.
    Site(Failure),
    /// The request cannot be carried out.
    Request {
        /// The reason, as a sentence without its full stop.
        message: String,
        /// A suggested fix.
        help: String,
    },
}

impl From<Diagnostic> for Refusal {
    fn from(problem: Diagnostic) -> Self {
        Self::Content(vec![problem])
    }
}

impl Refusal {
    pub fn request(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Request {
            message: message.into(),
            help: help.into(),
        }
    }
}
