//! Knows what is kept of a run after its pages are made: small, whatever the size of the run.

use super::annotation::Counts;
use super::review::Rating;

/// What tables, roll-ups and feeds need of a run besides its record.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Its overall rating.
    pub rating: Option<Rating>,
    /// Events on all tapes.
    pub events: usize,
    /// Annotations on all tapes.
    pub annotations: Counts,
    /// Its review threads, where there are any.
    pub threads: Option<ThreadCounts>,
    /// The run's newest annotations, for the home page.
    pub newest: Vec<Glimpse>,
    /// The writeup as HTML, for the newest runs only: JSON Feed carries it.
    pub writeup_html: Option<String>,
}

/// How much was said in the review threads: the protocol's `AnnotationsSummary`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadCounts {
    /// URI of the channel, where it is known.
    pub channel: Option<String>,
    /// Threads.
    pub threads: usize,
    /// Entries of all threads.
    pub entries: usize,
}

/// An annotation as a list shows it.
#[derive(Debug, Clone)]
pub struct Glimpse {
    /// The word of its kind.
    pub kind: String,
    /// The first line of its evidence, as text.
    pub evidence: String,
    /// Where it stands, relative to the site's root.
    pub href: String,
    /// When it was written, if it says so and the time can be read; milliseconds since 1970-01-01 UTC.
    pub at: Option<i64>,
}
