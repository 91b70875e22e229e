//! Turns the secrets of a run, or of the site's own files, into diagnostics.

use std::collections::BTreeSet;

use base::diagnostics::{Code, Collector, Diagnostic, Excerpt, Place, Severity, codes};
use formats::config::{Allowance, Secrets};

use super::mask::Mask;
use super::{Finding, ScanSettings, scan, scan_name};

/// Scans the files of one run, or of the site.
#[derive(Debug)]
pub struct Scanner<'a> {
    config: &'a Secrets,
    owner: &'a str,
    scanned: ScanReport,
}

/// The results of a scan.
#[derive(Debug, Default)]
pub struct ScanReport {
    /// Findings that are not allowed.
    pub problems: Vec<Diagnostic>,
    /// The values of all findings.
    pub mask: Mask,
    /// Indices of the allowances that matched a finding.
    pub used: BTreeSet<usize>,
    /// Findings that are errors, with the names of their files.
    pub errors: Vec<(String, Finding)>,
}

impl<'a> Scanner<'a> {
    /// A scanner for the run with this id, or for the files of the site.
    pub fn new(config: &'a Secrets, owner: &'a str) -> Self {
        Self {
            config,
            owner,
            scanned: ScanReport::default(),
        }
    }

    /// Scans a file and its name. `name` is its path in the run directory, `shown` its path in diagnostics.
    pub fn file(&mut self, name: &str, shown: &str, bytes: &[u8]) {
        self.file_where(name, shown, bytes, |_, _| true);
    }

    /// Scans a file that is only partly published.
    pub fn file_where(
        &mut self,
        name: &str,
        shown: &str,
        bytes: &[u8],
        is_published: impl Fn(&Finding, &[u8]) -> bool,
    ) {
        if !self.config.scan {
            return;
        }
        let (findings, private): (Vec<_>, Vec<_>) = scan(name, bytes, &self.settings())
            .into_iter()
            .partition(|finding| is_published(finding, &bytes[finding.raw_range.clone()]));
        for finding in private {
            self.scanned.mask.hide(&bytes[finding.raw_range]);
        }
        self.report(findings, name, shown, bytes);
        self.name(name, shown);
    }

    /// Scans the name of a file.
    pub fn name(&mut self, name: &str, shown: &str) {
        if self.config.scan {
            let findings = scan_name(name, &self.settings());
            self.report(findings, name, shown, name.as_bytes());
        }
    }

    /// Returns the results.
    pub fn finish(self) -> ScanReport {
        self.scanned
    }

    fn settings(&self) -> ScanSettings<'a> {
        ScanSettings {
            owner: self.owner,
            paths: self.config.paths.severity().is_some(),
            personal: self.config.personal.severity().is_some(),
        }
    }

    fn report(&mut self, findings: Vec<Finding>, name: &str, shown: &str, bytes: &[u8]) {
        let mut problems = Collector::default();
        let mut paths = Vec::new();
        for finding in findings {
            let allow = self.config.allow.iter().enumerate();
            let used: Vec<_> = allow
                .filter(|(_, allowance)| allows(allowance, &finding, shown))
                .map(|(index, _)| index)
                .collect();
            let severity = match finding.family {
                "path" => self.config.paths.severity(),
                "personal" => self.config.personal.severity(),
                _ => Some(Severity::Error),
            };
            let is_allowed = !used.is_empty();
            self.scanned.used.extend(used);
            if finding.family != "path" {
                // An allowed value may be shown, but must not reveal more of the line.
                self.scanned.mask.hide(&bytes[finding.raw_range.clone()]);
            }
            let Some(severity) = severity.filter(|_| !is_allowed) else {
                continue;
            };
            if severity == Severity::Error {
                self.scanned.errors.push((name.to_owned(), finding.clone()));
            }
            if finding.family == "path" {
                paths.push(finding);
                continue;
            }
            let code = code(finding.family);
            problems.add_as(code, severity, || {
                problem(code, &finding, shown, bytes, self.owner)
            });
        }
        if let (Some(first), Some(severity)) = (paths.first(), self.config.paths.severity()) {
            let place = place(first, shown, bytes);
            problems.push(home(place, first, paths.len()).with_severity(severity));
        }
        self.scanned.problems.extend(problems.finish(shown));
    }
}

/// The diagnostic code of a family.
fn code(family: &str) -> &'static Code {
    codes::find(&format!("secret.{family}")).unwrap_or(&codes::SECRET_TOKEN)
}

fn allows(allowance: &Allowance, finding: &Finding, path: &str) -> bool {
    let is =
        |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
    is(&allowance.fingerprint, &finding.fingerprint)
        && is(&allowance.rule, finding.rule)
        && allowance
            .path
            .as_ref()
            .is_none_or(|pattern| pattern.matches_end(path))
}

fn problem(
    code: &'static Code,
    finding: &Finding,
    path: &str,
    bytes: &[u8],
    owner: &str,
) -> Diagnostic {
    let Finding {
        rule, fingerprint, ..
    } = finding;
    let (what, first, reason) = if finding.family == "personal" {
        ("Personal data", "", "personal")
    } else {
        ("A secret", "Revoke it first. Then ", "secret")
    };
    let where_in_file = match (finding.line, finding.is_key) {
        (0, _) => "in the name of this file ",
        (_, true) => "in a key ",
        _ => "",
    };
    let message = format!(
        "{what} {where_in_file}would be published: {}, found by rule `{rule}`, fingerprint `{fingerprint}`",
        finding.masked_value()
    );
    let is_redaction = path.ends_with("/redactions.jsonl");
    let mut help = if owner.is_empty() || finding.line == 0 || is_redaction {
        format!("{first}remove it from here, or allow it with a reason in `[[secrets.allow]]`.")
    } else {
        format!(
            "{first}withhold it: `runpress redact {owner} --finding {fingerprint} --reason {reason}`, or allow it with a reason in `[[secrets.allow]]`."
        )
    };
    if let Some(letter) = help.get(..1).map(str::to_uppercase) {
        help.replace_range(..1, &letter);
    }
    code.at(place(finding, path, bytes), message, help)
}

fn home(place: Place, first: &Finding, count: usize) -> Diagnostic {
    let paths = if count == 1 {
        "A home directory with a name is".to_owned()
    } else {
        format!("{count} home directories with a name are")
    };
    codes::SECRET_PATH.at(
        place,
        format!(
            "{paths} in this file, the first one here: {}, fingerprint `{}`",
            first.masked_value(),
            first.fingerprint
        ),
        "Record runs in a folder such as `/workspace`, or set `paths = \"off\"` in `[secrets]`.",
    )
}

/// The place of a finding. The excerpt is the mask alone: the value may continue next to it.
fn place(finding: &Finding, path: &str, bytes: &[u8]) -> Place {
    if finding.line == 0 {
        return Place::file(path);
    }
    let start = finding.raw_range.start;
    let line = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |at| at + 1);
    // A byte order mark is not part of a line.
    let before = String::from_utf8_lossy(&bytes[line..start]);
    let column = before.trim_start_matches('\u{feff}').chars().count() + 1;
    // An ellipsis shows that the line is cut on the left.
    let cut = if finding.prefix.is_empty() { "" } else { "…" };
    let text = format!("{cut}{}", finding.masked_value());
    Place {
        path: path.to_owned(),
        line: Some(finding.line),
        column: Some(u32::try_from(column).unwrap_or(u32::MAX)),
        pointer: finding.pointer.clone(),
        excerpt: Some(Excerpt {
            start: cut.len(),
            end: text.len(),
            text,
        }),
    }
}

/// Reports allowances that match no finding, at their places in site.toml.
pub fn unused_allowances(
    config: &Secrets,
    used: &BTreeSet<usize>,
    places: &[Place],
) -> Vec<Diagnostic> {
    let unused = (0..config.allow.len()).filter(|index| config.scan && !used.contains(index));
    let problems = unused.map(|index| {
        let site = || Place::file(formats::config::FILE_NAME);
        codes::SECRET_UNUSED_ALLOWANCE.at(
            places.get(index).cloned().unwrap_or_else(site),
            "This entry of `[[secrets.allow]]` allows nothing",
            "Remove it, or correct its fingerprint, rule or path.",
        )
    });
    problems.collect()
}

#[cfg(test)]
mod tests {
    use formats::config::Pattern;

    use super::*;

    const PATH: &str = "content/runs/a/writeup.md";

    fn scanned(config: &Secrets, text: &str) -> ScanReport {
        let mut scanner = Scanner::new(config, "r1");
        scanner.file("writeup.md", PATH, text.as_bytes());
        scanner.finish()
    }

    fn text() -> String {
        format!(
            "x\n{}_{} in /home/mkowalski/a and /home/mkowalski/b\n",
            "ghp", "x7Kq2mPz9LwTn4Rb8VcJ3hYd6FsG1aQeXoWk"
        )
    }

    #[test]
    fn a_secret_is_an_error_and_home_directories_are_one_note() {
        let found = scanned(&Secrets::default(), &text()).problems;
        let codes: Vec<_> = found.iter().map(|it| (it.code.name, it.severity)).collect();
        let expected = [
            ("secret.vcs", Severity::Error),
            ("secret.path", Severity::Note),
        ];
        assert_eq!(codes, expected);
        assert_eq!(
            (found[0].place.line, found[0].place.column),
            (Some(2), Some(1))
        );
        assert!(found[1].message.starts_with("2 home directories"));
        assert!(!format!("{found:?}").contains("x7Kq2"));
    }

    #[test]
    fn an_allowance_holds_where_all_of_its_conditions_do() {
        let fingerprint = scan(
            "writeup.md",
            text().as_bytes(),
            &ScanSettings {
                owner: "r1",
                ..ScanSettings::default()
            },
        )
        .remove(0)
        .fingerprint;
        let some = |text: &str| Some(text.to_owned());
        for (fingerprint, rule, path, holds) in [
            (some(&fingerprint), None, None, true),
            (some("0000000000000000"), None, None, false),
            (None, some("github-pat"), some("runs/**"), true),
            (None, some("github-pat"), some("other/**"), false),
            (None, some("generic-api-key"), some("writeup.md"), false),
        ] {
            let allowance = Allowance {
                fingerprint,
                rule,
                path: path.as_deref().and_then(Pattern::parse),
                reason: "a test".to_owned(),
            };
            let config = Secrets {
                allow: vec![allowance],
                ..Secrets::default()
            };
            let found = scanned(&config, &text());
            assert_eq!(found.problems.iter().all(|it| !it.is_error()), holds);
            assert_eq!(found.used.contains(&0), holds);
            assert_eq!(
                unused_allowances(&config, &found.used, &[]).is_empty(),
                holds
            );
            assert!(
                !found.mask.is_empty(),
                "an allowed value is hidden in other messages"
            );
        }
    }

    #[test]
    fn nothing_is_searched_where_the_scan_is_off_and_every_byte_where_it_is_on() {
        let off = Secrets {
            scan: false,
            ..Secrets::default()
        };
        assert_eq!(scanned(&off, &text()).problems, []);
        for text in [format!("\0{}", text()), text().replace('p', "p\0")] {
            let problems = scanned(&Secrets::default(), &text).problems;
            assert!(problems.iter().any(Diagnostic::is_error), "{problems:?}");
        }
    }
}
