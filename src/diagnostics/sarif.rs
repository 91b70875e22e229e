//! Knows SARIF 2.1.0: one run, at most 5,000 results, the explanations of the codes as rules.

use std::collections::{BTreeMap, BTreeSet};

use serde_sarif::sarif::{
    ArtifactLocation, Location, LogicalLocation, Message, MultiformatMessageString,
    PhysicalLocation, PropertyBag, Region, ReportingConfiguration, ReportingDescriptor,
    Result as SarifResult, ResultColumnKind, ResultLevel, Run, Sarif, Tool, ToolComponent,
};

use super::text::visible;
use super::{Code, Diagnostic, Severity, codes};

/// What GitHub shows of one run; the worst come first.
const LIMIT: usize = 5_000;
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The document as bytes.
///
/// # Errors
/// Never in practice: every field is a string or a number.
pub fn render(diagnostics: &[Diagnostic]) -> serde_json::Result<Vec<u8>> {
    let mut shown: Vec<&Diagnostic> = diagnostics.iter().collect();
    // Stable, so that those of one severity keep their order by place.
    shown.sort_by_key(|diagnostic| diagnostic.severity);
    let left_out = shown.len().saturating_sub(LIMIT);
    shown.truncate(LIMIT);
    let used: BTreeSet<&str> = shown.iter().map(|d| d.code.name).collect();
    let rules: Vec<&'static Code> = codes::all()
        .filter(|code| used.contains(code.name))
        .collect();
    let driver = ToolComponent::builder()
        .name("runpress")
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(rules.iter().map(|code| rule(code)).collect::<Vec<_>>())
        .build();
    let results = shown
        .iter()
        .map(|d| sarif_result(d, &rules))
        .collect::<Vec<_>>();
    let column_kind = serde_json::to_value(ResultColumnKind::UnicodeCodePoints)?;
    let mut run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .column_kind(column_kind)
        .results(results)
        .build();
    if left_out > 0 {
        let more = BTreeMap::from([("resultsLeftOut".to_owned(), left_out.into())]);
        run.properties = Some(PropertyBag::builder().additional_properties(more).build());
    }
    let document = Sarif::builder()
        .version(serde_json::Value::from("2.1.0"))
        .schema(SCHEMA)
        .runs(vec![run])
        .build();
    let mut bytes = serde_json::to_vec_pretty(&document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

const fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Note => ResultLevel::Note,
    }
}

fn level_value(severity: Severity) -> serde_json::Value {
    serde_json::Value::from(level(severity).to_string())
}

fn rule(code: &Code) -> ReportingDescriptor {
    let text = |text: &str| MultiformatMessageString::builder().text(text).build();
    let help = format!(
        "{}\n\nBad:\n\n{}\n\nGood:\n\n{}",
        code.explanation, code.bad, code.good
    );
    ReportingDescriptor::builder()
        .id(code.name)
        .short_description(text(code.summary))
        .full_description(text(code.explanation))
        .help(text(&help))
        .default_configuration(
            ReportingConfiguration::builder()
                .level(level_value(code.severity))
                .build(),
        )
        .build()
}

fn sarif_result(diagnostic: &Diagnostic, rules: &[&'static Code]) -> SarifResult {
    let place = &diagnostic.place;
    let artifact = ArtifactLocation::builder()
        .uri(crate::url::encode(&place.path))
        .build();
    let physical = match (place.line, place.column) {
        (Some(line), Some(column)) => PhysicalLocation::builder()
            .artifact_location(artifact)
            .region(
                Region::builder()
                    .start_line(i64::from(line))
                    .start_column(i64::from(column))
                    .build(),
            )
            .build(),
        (Some(line), None) => PhysicalLocation::builder()
            .artifact_location(artifact)
            .region(Region::builder().start_line(i64::from(line)).build())
            .build(),
        _ => PhysicalLocation::builder()
            .artifact_location(artifact)
            .build(),
    };
    let location = match place
        .pointer
        .as_deref()
        .filter(|pointer| !pointer.is_empty())
    {
        Some(pointer) => Location::builder()
            .physical_location(physical)
            .logical_locations(vec![
                LogicalLocation::builder()
                    .fully_qualified_name(visible(pointer))
                    .kind("member")
                    .build(),
            ])
            .build(),
        None => Location::builder().physical_location(physical).build(),
    };
    let text = format!(
        "{}. {}",
        visible(&diagnostic.message),
        visible(&diagnostic.help)
    );
    let rule = rules
        .iter()
        .position(|code| code.name == diagnostic.code.name)
        .unwrap_or_default();
    SarifResult::builder()
        .rule_id(diagnostic.code.name)
        .rule_index(i64::try_from(rule).unwrap_or_default())
        .level(level(diagnostic.severity))
        .message(Message::builder().text(text).build())
        .locations(vec![location])
        .partial_fingerprints(BTreeMap::from([(
            "runpress/v1".to_owned(),
            fingerprint(diagnostic),
        )]))
        .build()
}

/// The same for the same problem after lines moved: it leaves line and column out.
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
