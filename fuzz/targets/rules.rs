//! Files of rules: every rule that is read can be evaluated, and every other one is reported at its place.

use runpress::api::gate::Rules;

use super::places;

/// Reads `bytes` as a file of rules.
pub fn run(bytes: &[u8]) {
    let path = "rules/a.toml".to_owned();
    let (rules, problems) = Rules::read(&[(path.clone(), bytes.to_vec())]);
    places::check(bytes, &problems);
    assert!(!problems.is_empty() || rules.list.iter().all(|rule| !rule.id.is_empty()));
    let (same, others) = Rules::read(&[(path, bytes.to_vec())]);
    assert_eq!(places::shown(&others), places::shown(&problems));
    let digests = |rules: &Rules| {
        rules
            .list
            .iter()
            .map(|rule| rule.digest.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(digests(&same), digests(&rules));
}
