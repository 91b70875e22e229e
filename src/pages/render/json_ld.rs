//! Embeds structured data for search engines in a page: a script element that is not executable, allowed by its hash.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use markup::Html;

/// The element, and its source expression for the Content-Security-Policy.
pub fn element(json: &str) -> (Html, String) {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        // Escapes everything that could end the element, open a comment or reorder text; JSON has these only inside strings.
        if c.is_ascii() && !matches!(c, '<' | '>' | '&' | '\u{7f}') {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
    (Html::finished(text), format!("'sha256-{hash}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_cannot_close_its_element_and_the_hash_matches_it() {
        let (html, source) = element(r#"{"name":"</script><!--"}"#);
        assert_eq!(html.as_str(), r#"{"name":"\u003c/script\u003e\u003c!--"}"#);
        let (_, empty) = element("");
        assert_eq!(
            empty,
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        );
        assert_ne!(source, empty);
        let (html, _) = element("\"\u{202e}é𝄞\"");
        assert_eq!(html.as_str(), r#""\u202e\u00e9\ud834\udd1e""#);
    }
}
