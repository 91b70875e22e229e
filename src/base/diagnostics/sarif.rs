//! SARIF 2.1.0: one run with at most 5,000 results, and the explanations of the codes as rules.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::text::visible;
use super::{Code, Diagnostic, codes};

/// Maximum results of one run that GitHub shows; the worst come first.
const LIMIT: usize = 5_000;
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The document as bytes.
pub fn render(diagnostics: &[Diagnostic]) -> serde_json::Result<Vec<u8>> {
    let mut shown: Vec<&Diagnostic> = diagnostics.iter().collect();
    // Stable, so that problems of equal severity stay ordered by place.
    shown.sort_by_key(|diagnostic| diagnostic.severity);
    let left_out = shown.len().saturating_sub(LIMIT);
    shown.truncate(LIMIT);
    let used: BTreeSet<&str> = shown.iter().map(|d| d.code.name).collect();
    let rules: Vec<_> = codes::all()
        .filter(|code| used.contains(code.name))
        .collect();
    let results: Vec<_> = shown.iter().map(|d| result(d, &rules)).collect();
    let driver = json!({
        "name": "runpress",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|code| rule(code)).collect::<Vec<_>>(),
    });
    let mut run = json!({
        "tool": { "driver": driver },
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    if left_out > 0 {
        run["properties"] = json!({ "resultsLeftOut": left_out });
    }
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    let mut bytes = serde_json::to_vec_pretty(&document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn rule(code: &Code) -> Value {
    let help = format!(
        "{}\n\nBad:\n\n{}\n\nGood:\n\n{}",
        code.explanation, code.bad, code.good
    );
    json!({
        "id": code.name,
        "shortDescription": { "text": code.summary },
        "fullDescription": { "text": code.explanation },
        "help": { "text": help },
        "defaultConfiguration": { "level": code.severity.word() },
    })
}

fn result(diagnostic: &Diagnostic, rules: &[&'static Code]) -> Value {
    let Diagnostic { code, place, .. } = diagnostic;
    let mut physical = json!({
        "artifactLocation": { "uri": crate::url::encode(&place.path) },
    });
    if let Some(line) = place.line {
        physical["region"] = json!({ "startLine": line });
        if let Some(column) = place.column {
            physical["region"]["startColumn"] = column.into();
        }
    }
    let mut location = json!({ "physicalLocation": physical });
    if let Some(pointer) = place.pointer.as_deref().filter(|p| !p.is_empty()) {
        let name = visible(pointer);
        location["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": "member" }]);
    }
    let (message, help) = (visible(&diagnostic.message), visible(&diagnostic.help));
    json!({
        "ruleId": code.name,
        "ruleIndex": rules.iter().position(|rule| rule == code),
        "level": diagnostic.severity.word(),
        "message": { "text": format!("{message}. {help}") },
        "locations": [location],
        "partialFingerprints": { "runpress/v1": fingerprint(diagnostic) },
    })
}

/// A fingerprint that stays the same when lines move: it leaves out line and column.
fn fingerprint(diagnostic: &Diagnostic) -> String {
    let place = &diagnostic.place;
    let mut hasher = blake3::Hasher::new();
    let pointer = place.pointer.as_deref().unwrap_or_default();
    for part in [
        diagnostic.code.name,
        &place.path,
        pointer,
        &diagnostic.message,
    ] {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
