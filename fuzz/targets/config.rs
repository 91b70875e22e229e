//! site.toml: every setting that is read is usable, and every other one is reported at its place.

use runpress::api::config::{Config, FILE_NAME, parse};
use runpress::api::url::{HttpUrl, is_host, is_site_path};

use super::places;

/// Reads `bytes` as site.toml.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (config, problems) = parse(FILE_NAME, text);
    places::check(bytes, &problems);
    if !text.starts_with('\u{feff}') {
        let (same, others) = parse(FILE_NAME, &format!("\u{feff}{text}"));
        assert_eq!(places::shown(&others), places::shown(&problems));
        assert_eq!(same, config);
    }
    let (again, _) = parse(FILE_NAME, &format!("{text}\n# nothing\n"));
    assert!(!problems.is_empty() || again == config);
    if problems.iter().any(|d| d.code.name == "config.syntax") {
        assert_eq!(
            config,
            Config::default(),
            "nothing is taken from a file that cannot be read"
        );
    }
    let limits = config.limits;
    let sizes = [
        limits.line,
        limits.file,
        limits.writeup,
        limits.inline,
        config.timeline.gap_seconds,
    ];
    assert!(sizes.iter().all(|size| *size > 0), "{config:?}");
    assert!(
        config.timeline.page_size > 0 && config.feeds.items > 0,
        "{config:?}"
    );
    assert!(
        config.policy.embed_hosts.iter().all(|host| is_host(host)),
        "{config:?}"
    );
    for link in &config.nav {
        assert!(
            HttpUrl::parse(&link.url).is_some() || is_site_path(&link.url),
            "{link:?}"
        );
    }
    if let Some(base) = &config.site.base_url {
        assert!(
            base.as_str().ends_with('/') && !base.as_str().contains(['"', '<', '>', ' ', '?', '#']),
            "{base:?}"
        );
    }
}
