//! What the feeds say of the whole site: its settings, its rules and its decisions.

use std::sync::Arc;

use serde_json::{Value, json};

use formats::config::{self, Config};
use formats::decisions::Decision;
use formats::model::rule_result::RuleResult;
use formats::model::run::Run;
use formats::model::tape::Tape;
use gate::{Expectation, Rule, RuleCheck, Rules, RunExtras, RunFacts};

use super::feeds::{Documents, INDEX};

/// The feed of decisions.
pub(crate) const DECISIONS: &str = "feeds/decisions.json";
/// The feed of rules.
pub(crate) const RULES: &str = "feeds/rules.json";

/// Keys of a rule in its feed that its file has, too.
const RULE_KEYS: [&str; 12] = [
    "id", "title", "why", "blind", "fix", "applies", "find", "after", "expect", "require",
    "trials", "files",
];

/// Variables of rules whose values are not published as they were checked: which folders are the workspace, and which files of the
/// run directory other files only refer to.
const UNPUBLISHED: [&str; 2] = ["outside", "files"];

/// The settings of a site, as far as its feeds have them.
#[derive(Debug)]
pub(crate) struct SiteSettings {
    pub(crate) config: Config,
    /// The rules, as in the feed of rules.
    pub(crate) rules: Rules,
    pub(crate) decisions: Vec<Arc<Decision>>,
    /// Whether templates of the site may show the values of a page elsewhere.
    pub(crate) has_own_templates: bool,
}

impl SiteSettings {
    pub(crate) fn of(documents: &Documents) -> Self {
        let document = |path: &str| documents.get(path).unwrap_or(&Value::Null);
        let decisions = document(DECISIONS)["decisions"].as_array();
        let decisions = decisions.into_iter().flatten();
        let decisions = decisions.filter_map(|it| serde_json::from_value(it.clone()).ok());
        let own_templates = &document(INDEX)["pages"]["ownTemplates"];
        Self {
            config: config(documents),
            rules: rules(document(RULES)),
            decisions: decisions.map(Arc::new).collect(),
            has_own_templates: own_templates.as_array().is_some_and(|own| !own.is_empty()),
        }
    }

    /// The results of the rules for a run: of those about the number of runs, or of all others.
    pub(crate) fn evaluate(
        &self,
        run: &Run,
        tape: Option<&Tape<'_>>,
        extras: RunExtras,
        are_about_trials: bool,
    ) -> Vec<RuleResult> {
        let facts = RunFacts::new(&self.config, run, tape, extras);
        let mut results = self.rules.evaluate(&self.config, &run.subject, &facts);
        results.retain(|result| self.rules.is_about_trials(&result.rule) == are_about_trials);
        results
    }

    /// Whether everything that a rule reads is published.
    pub(crate) fn can_evaluate(&self, id: &str) -> bool {
        let reads = |rule: &Rule| match &rule.check {
            RuleCheck::Find { find, after, .. } => {
                let after = after.as_ref().map_or("", |after| &after.text);
                format!("{} {after}", find.text)
            }
            RuleCheck::Require(expression) => expression.text.clone(),
            RuleCheck::Trials { .. } => String::new(),
        };
        let Some(rule) = self.rules.find(id) else {
            return false;
        };
        let mut text = reads(rule);
        if let RuleCheck::Find {
            expect: Expectation::FirstBefore(other) | Expectation::LastAfter(other),
            ..
        } = &rule.check
            && let Some(other) = self.rules.list.get(*other)
        {
            text.push_str(&reads(other));
        }
        !UNPUBLISHED.iter().any(|word| text.contains(word))
    }
}

fn config(documents: &Documents) -> Config {
    let document = |path: &str| documents.get(path).unwrap_or(&Value::Null);
    let index = document(INDEX);
    let site = &index["site"];
    let success = &document("feeds/cells.json")["success"];
    let settings = json!({
        "site": {
            "title": site["title"],
            "description": site["description"],
            "base_url": site["baseUrl"],
            "language": site["language"],
            "author": site["author"],
        },
        "policy": { "licence": site["licence"], "canary": site["canary"] },
        "publish": { "run_folders": document(store::ledger::PATH)["runFolders"] },
        "cells": {
            "outcome": success["outcome"],
            "scorer": success["scorer"],
            "at_least": success["atLeast"],
        },
    });
    let text = toml_of(&settings).unwrap_or_default();
    let (mut config, _) = config::parse(config::FILE_NAME, &text);
    let pages = &index["pages"];
    let number = |key: &str| pages[key].as_u64();
    let length = |number: u64| usize::try_from(number).ok().filter(|length| *length > 0);
    if let Some(size) = number("eventsPerPage").and_then(length) {
        config.timeline.page_size = size;
    }
    if let Some(seconds) = number("gapSeconds") {
        config.timeline.gap_seconds = seconds;
    }
    if let Some(items) = number("feedItems").and_then(|it| usize::try_from(it).ok()) {
        config.feeds.items = items;
    }
    if let Some(bytes) = number("textBytes") {
        config.limits.inline = bytes;
    }
    config
}

/// The rules of the feed of rules, read as from files: the version and the severity are those of a file.
fn rules(document: &Value) -> Rules {
    let list = document["rules"].as_array().into_iter().flatten();
    let files = list.filter_map(|rule| {
        let mut file = json!({ "version": rule["version"], "severity": rule["severity"] });
        if rule["builtIn"] == true {
            file["use"] = json!([rule["id"]]);
        } else {
            let keys = RULE_KEYS.into_iter();
            let entry: serde_json::Map<String, Value> = keys
                .filter(|key| !rule[*key].is_null())
                .map(|key| (key.to_owned(), rule[key].clone()))
                .collect();
            file["rule"] = json!([entry]);
        }
        Some((RULES.to_owned(), toml_of(&file)?.into_bytes()))
    });
    Rules::read(&files.collect::<Vec<_>>()).0
}

/// A document as TOML, without what is null.
fn toml_of(value: &Value) -> Option<String> {
    fn without_null(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let members = members.iter().filter(|(_, value)| !value.is_null());
                members
                    .map(|(key, value)| (key.clone(), without_null(value)))
                    .collect()
            }
            value => value.clone(),
        }
    }
    toml::to_string(&without_null(value)).ok()
}
