//! The state sent to open pages: the served build, and the problems of the latest one.

use serde::Serialize;

use base::diagnostics::Failure;
use base::diagnostics::json::DiagnosticReport;
use base::diagnostics::{Diagnostic, Severity, SeverityCounts};
use pipeline::Outcome;
use pipeline::site::Site;

/// Maximum problems shown on a page; the terminal lists the rest.
const MAX_PROBLEMS: usize = 50;

#[derive(Debug)]
pub(super) struct SiteState {
    session: String,
    number: u64,
    /// The path of the site, from its `base_url`; begins and ends with `/`.
    pub(super) base: String,
    /// Whether any build has succeeded.
    pub(super) has_build: bool,
    /// The message to pages, on one line.
    pub(super) message: String,
}

#[derive(Serialize)]
struct PageMessage<'a> {
    build: String,
    failed: bool,
    /// Whether an earlier build is still served.
    has_build: bool,
    errors: usize,
    warnings: usize,
    #[serde(flatten)]
    report: DiagnosticReport<'a>,
}

impl SiteState {
    /// The state before the first build. `session` distinguishes pages of another process.
    pub(super) fn initial(session: &str) -> Self {
        let initial = Self {
            session: session.to_owned(),
            number: 0,
            base: "/".to_owned(),
            has_build: false,
            message: String::new(),
        };
        initial.with_message(&[], false)
    }

    /// The name of the served build; pages of another build reload.
    pub(super) fn build(&self) -> String {
        format!("{}-{}", self.session, self.number)
    }

    /// The state after a build.
    pub(super) fn after(&self, result: &Result<(Site, Outcome), Failure>) -> Self {
        let (problems, site) = match result {
            Ok((site, outcome)) => (&outcome.diagnostics, outcome.published.then_some(site)),
            Err(problems) => (problems, None),
        };
        let base = site.map(|site| {
            let base = site.config.site.base_url.as_ref();
            base.map_or("/", |base| base.path())
        });
        let published = site.is_some();
        let next = Self {
            session: self.session.clone(),
            number: self.number + u64::from(published),
            base: base.unwrap_or(&self.base).to_owned(),
            has_build: self.has_build || published,
            message: String::new(),
        };
        next.with_message(problems, !published)
    }

    fn with_message(self, problems: &[Diagnostic], failed: bool) -> Self {
        let tally = SeverityCounts::of(problems);
        let of = |severity| problems.iter().filter(move |p| p.severity == severity);
        let listed: Vec<Diagnostic> = of(Severity::Error)
            .chain(of(Severity::Warning))
            .filter(|_| failed)
            .take(MAX_PROBLEMS)
            .cloned()
            .collect();
        let message = PageMessage {
            build: self.build(),
            failed,
            has_build: self.has_build,
            errors: tally.errors,
            warnings: tally.warnings,
            report: DiagnosticReport::new(&listed, 0, 0),
        };
        // Serialization cannot fail.
        let message = pages::render::script::marked_json(&message).unwrap_or_default();
        Self { message, ..self }
    }
}
