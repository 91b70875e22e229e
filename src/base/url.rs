//! Decides which addresses may be published: an allowlist of schemes, and the syntax of hosts and site paths.

use core::net::Ipv4Addr;

use percent_encoding::{
    AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode,
};
use serde::{Deserialize, Serialize};

/// An absolute `http` or `https` address that cannot be parsed in more than one way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HttpUrl(String);

/// Whether an annotation's link is allowed: `http`, `https` or `mailto`.
pub fn is_allowed_link(address: &str) -> bool {
    let mail = strip_scheme(address, "mailto:");
    HttpUrl::parse(address).is_some() || mail.is_some_and(|rest| !rest.contains(is_blank))
}

/// Whether a character is invisible.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || crate::characters::is_hidden(c)
}

impl HttpUrl {
    /// Accepts an address that begins with `http://` or `https://` (in any case), has a host and no white space, control
    /// characters, quotes, backslashes or user information.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = strip_scheme(text, "https://").or_else(|| strip_scheme(text, "http://"))?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let clean = !text.contains(|c| is_blank(c) || matches!(c, '"' | '<' | '>' | '\\' | '`'));
        let (host, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
        (clean && is_host(host) && is_port(port)).then(|| Self(text.into()))
    }

    /// A base address: no query or fragment, no empty segment, `.` or `..` in its path, which would change it when resolved, and
    /// a `/` at the end. Non-ASCII characters are percent-encoded.
    pub fn base(text: &str) -> Option<Self> {
        let url = Self::parse(text)?;
        let path = url.path().strip_prefix('/')?;
        let parts = path.strip_suffix('/').unwrap_or(path);
        // Browsers treat an encoded dot as a dot.
        let is_plain = |part: &str| {
            let normalized = part.to_ascii_lowercase().replace("%2e", ".");
            !matches!(normalized.as_str(), "" | "." | "..")
        };
        if url.0.contains(['?', '#']) || !path.is_empty() && !parts.split('/').all(is_plain) {
            return None;
        }
        let ascii = utf8_percent_encode(&url.0, CONTROLS).to_string();
        let end = if ascii.ends_with('/') { "" } else { "/" };
        Some(Self(ascii + end))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host with its port, and the rest.
    fn parts(&self) -> (&str, &str) {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()))
    }

    /// The host in lowercase, without its port.
    pub fn host(&self) -> String {
        let host = self.parts().0.split(':').next();
        host.unwrap_or_default().to_ascii_lowercase()
    }

    pub fn has_port(&self) -> bool {
        self.parts().0.contains(':')
    }

    /// The path from its first `/`. The address must have no query.
    pub fn path(&self) -> &str {
        match self.parts().1 {
            "" => "/",
            path => path,
        }
    }

    /// Whether the scheme is `https`.
    pub fn is_https(&self) -> bool {
        strip_scheme(&self.0, "https://").is_some()
    }
}

/// An address or a host name whose host has letters outside ASCII, with the host in its ASCII form (`xn--`), which is the only one
/// that is accepted. `None` if that is not the problem.
pub fn with_ascii_host(text: &str) -> Option<String> {
    let host = match text.split_once("://") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next()?.split(':').next()?,
        None => text,
    };
    let ascii = idna::domain_to_ascii(host).ok()?;
    let changed = text.replacen(host, &ascii, 1);
    let is_accepted = HttpUrl::parse(&changed).is_some() || is_host(&changed);
    (!host.is_ascii() && is_host(&ascii) && is_accepted).then_some(changed)
}

/// The help for an address whose host is not ASCII: it shows the ASCII form.
pub fn ascii_host_help(text: &str) -> Option<String> {
    let ascii = with_ascii_host(text)?;
    Some(format!("Write the host in its ASCII form: `{ascii}`."))
}

fn strip_scheme<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let head = text.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme)
        .then(|| &text[scheme.len()..])
}

/// Whether a text is a host name: letters, digits, hyphens and dots.
pub fn is_host(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 253
        && text.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        })
}

/// Whether a text is a path inside the site, relative to its root.
pub fn is_site_path(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('/')
        && !text.split('/').any(|part| part == "..")
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./#".contains(c))
}

/// Resolves a relative address on the page at path `page` to a path from the site's root. `None` if it leads out of the site, or
/// begins at the root of the host, since the site may be in any folder there.
pub fn resolve(page: &str, address: &str) -> Option<String> {
    let normalized = normalize(address);
    if link_kind(&normalized) != Some(LinkKind::Relative) {
        return None;
    }
    let path = normalized
        .split(['?', '#'])
        .next()
        .filter(|path| !path.is_empty())?;
    let mut parts: Vec<String> = page.split('/').map(str::to_owned).collect();
    // Relative addresses begin in the folder of the page.
    parts.pop();
    for part in path.split('/') {
        let part = percent_decode_str(part).decode_utf8().ok()?;
        match part.as_ref() {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            // Servers treat empty segments differently, and an encoded slash is not a separator.
            part if part.is_empty() || part.contains('/') => return None,
            part => parts.push(part.to_owned()),
        }
    }
    Some(parts.join("/"))
}

/// The kind of a link in published Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// A link to another site or an email address.
    External,
    /// A link to a place on the same page.
    Fragment,
    /// A link to another file of the same site.
    Relative,
}

/// Classifies the destination of a Markdown link as a browser would parse it; `None` if it must be dropped.
pub fn link_kind(destination: &str) -> Option<LinkKind> {
    let normalized = normalize(destination);
    if normalized.chars().any(|c| c.is_control() || c == '\\') || normalized.starts_with("//") {
        return None;
    }
    if normalized.starts_with('#') {
        return Some(LinkKind::Fragment);
    }
    let scheme_end =
        normalized.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    match scheme_end.filter(|end| *end > 0 && normalized[*end..].starts_with(':')) {
        Some(end) => {
            let scheme = normalized[..end].to_ascii_lowercase();
            let known = match scheme.as_str() {
                "http" | "https" => has_readable_host(&normalized[end + 1..]),
                scheme => scheme == "mailto",
            };
            known.then_some(LinkKind::External)
        }
        None if normalized.split(['/', '?', '#']).next()?.contains(':') => None,
        None => Some(LinkKind::Relative),
    }
}

/// The address as browsers parse it: without tabs and line breaks, and without control characters and spaces around it.
fn normalize(address: &str) -> String {
    address
        .trim_matches(|c: char| c <= ' ' || c.is_control())
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect()
}

/// Whether the text after `http:` has a valid host; otherwise the link leads nowhere. Without `//`, a browser may resolve it
/// within the site.
fn has_readable_host(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix("//") else {
        return false;
    };
    let rest = rest.trim_start_matches('/');
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let is_known = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let last = host.trim_end_matches('.').rsplit('.').next();
    let is_number = last.is_some_and(|label| {
        label.bytes().all(|byte| byte.is_ascii_digit()) || label.starts_with("0x")
    });
    !host.is_empty()
        && host.chars().all(is_known)
        // A host whose last label is a number is an IPv4 address.
        && (!is_number || host.parse::<Ipv4Addr>().is_ok())
        && is_port(port)
}

/// Whether a text is a port, or empty.
fn is_port(text: &str) -> bool {
    text.is_empty() || text.parse::<u16>().is_ok()
}

/// Escapes everything in a URL path except letters, digits and `-._~/`.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Percent-encodes a path for a URL, except for letters, digits and `-._~/`.
pub fn encode(name: &str) -> String {
    utf8_percent_encode(name, PATH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_other_letters_has_an_ascii_form() {
        for (text, ascii) in [
            (
                "https://пример.example/sub",
                Some("https://xn--e1afmkfd.example/sub"),
            ),
            (
                "https://BÜCHER.example:8080/?q",
                Some("https://xn--bcher-kva.example:8080/?q"),
            ),
            ("日本語.example", Some("xn--wgv71a119e.example")),
            ("https://example.org/ü", None),
            ("https://user@пример.example", None),
            ("https://пример example", None),
            ("ü ü", None),
            ("example.org", None),
            ("", None),
        ] {
            assert_eq!(with_ascii_host(text).as_deref(), ascii, "{text}");
        }
    }

    #[test]
    fn only_plain_http_addresses_are_addresses() {
        for good in [
            "https://example.org",
            "HTTP://example.org:8080/a?b#c",
            "http://localhost/x",
        ] {
            assert!(HttpUrl::parse(good).is_some(), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "//example.org",
            "https://",
            "https://user@example.org",
            "https://exa mple.org",
            "https://example.org/\"onx",
            "https://example.org\\@evil.org",
            "ftp://example.org",
            "https://a..b/",
        ] {
            assert!(HttpUrl::parse(bad).is_none(), "{bad}");
        }
        let base = |text| HttpUrl::base(text).map(|base| base.0);
        for (text, base_url) in [
            ("https://example.org", "https://example.org/"),
            ("https://example.org/", "https://example.org/"),
            ("https://example.org/a", "https://example.org/a/"),
            ("https://example.org/a/b/", "https://example.org/a/b/"),
            ("https://example.org/ä", "https://example.org/%C3%A4/"),
        ] {
            assert_eq!(base(text).as_deref(), Some(base_url), "{text}");
        }
        for bad in [
            "https://example.org//",
            "https://example.org//a/",
            "https://example.org/a//",
            "https://example.org/a/../b/",
            "https://example.org/./",
            "https://example.org/%2E./b",
            "https://example.org/?a",
            "https://example.org/#a",
            "https://example.org?a",
        ] {
            assert_eq!(base(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_relative_address_is_followed_from_its_page() {
        for (page, address, path) in [
            ("index.html", "a.png", "a.png"),
            ("index.html", "./pictures/./a.png", "pictures/a.png"),
            ("guide/index.html", "../pictures/a.png", "pictures/a.png"),
            ("guide/index.html", "a.png", "guide/a.png"),
            ("a/b/index.html", "../../p/../a.png?v=1#x", "a.png"),
            ("guide/index.html", "%2e%2E/a%20%C3%A4 b.png", "a ä b.png"),
            ("index.html", "a%2.png", "a%2.png"),
            ("index.html", " a.p\nng ", "a.png"),
        ] {
            assert_eq!(resolve(page, address).as_deref(), Some(path), "{address}");
        }
        for (page, address) in [
            ("index.html", "../a.png"),
            ("guide/index.html", "../../guide/a.png"),
            ("guide/index.html", "/a.png"),
            ("guide/index.html", "//example.org/a.png"),
            ("guide/index.html", "https://example.org/a.png"),
            ("guide/index.html", "data:image/png;base64,"),
            ("guide/index.html", "..\\a.png"),
            ("guide/index.html", "..%2Fa.png"),
            ("guide/index.html", "a//b.png"),
            ("guide/index.html", "%ff.png"),
            ("guide/index.html", "?a.png"),
            ("guide/index.html", "#a.png"),
            ("guide/index.html", ""),
        ] {
            assert_eq!(resolve(page, address), None, "{address}");
        }
    }

    #[test]
    fn a_scheme_is_read_as_browsers_read_it() {
        assert_eq!(link_kind(" https://example.org"), Some(LinkKind::External));
        for host in [
            "xn--bcher-kva.example:80",
            "bücher.example",
            "user@example.org",
            "127.0.0.1:8000",
            "4all",
        ] {
            let link = format!("https://{host}/a");
            assert_eq!(link_kind(&link), Some(LinkKind::External), "{link}");
        }
        for nowhere in [
            "https://www.rfc-[ditor.org/",
            "https:///",
            "http:?a",
            "https:example.org/",
            "https:/example.org/",
            "https://example.o\u{fffd}rg/",
            "https://18446744073709551616/",
            "https://1.2.3.4.5/",
            "https://a:99999/",
            "https://a b/",
        ] {
            assert_eq!(link_kind(nowhere), None, "{nowhere}");
        }
        assert_eq!(link_kind("#e-1"), Some(LinkKind::Fragment));
        assert_eq!(
            link_kind("../guide/index.html?a=b:c"),
            Some(LinkKind::Relative)
        );
        for bad in [
            "java\tscript:alert(1)",
            "\u{1}javascript:x",
            "data:text/html,x",
            "//evil.org",
            "\\\\evil.org",
            "vbscript:x",
            "ä:b",
        ] {
            assert_eq!(link_kind(bad), None, "{bad}");
        }
    }
}
