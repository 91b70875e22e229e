//! Values that look like a secret but are not.

use super::rules::MatchContext;

/// The first bytes of the BLAKE3 hashes of sample keys in the documentation of OAuth, JWT, Cargo, GitHub, Stripe and the Azure
/// emulators. Hashed, so that the keys are not in this file.
const SAMPLES: [&str; 21] = [
    "0bb1a84fb06982c3",
    "286e3a91f00ebdbe",
    "2bffda0ca10692e8",
    "2d8c3a8191ccfefc",
    "490e103e695c2ed2",
    "4d87e7b6f9d24362",
    "53ebe9bf99d5bd77",
    "6eb619492b49b401",
    "7b336f3f8d376e71",
    "864bab38fcb7b648",
    "a3febad5b5301c28",
    "a512326e817fa61f",
    "bbdb751e4445c1dd",
    "bc7e719b8e24b8d3",
    "d4108a2a2f944066",
    "d6d4b122bda8c692",
    "d996a14c1ebbe2f0",
    "dd9ed34928721097",
    "e4ecb7b21018ba51",
    "e8322be1fa3e0aa3",
    "fb4597af0a4a8945",
];

/// Whether the value is a sample key from well-known documentation.
pub fn is_sample(secret: &[u8]) -> bool {
    let ends = [b"EXAMPLE".as_slice(), b"EXAMPLEKEY"];
    if ends.iter().any(|end| secret.ends_with(end)) {
        return true;
    }
    let hash = blake3::hash(secret).to_hex();
    SAMPLES.contains(&&hash[..16])
}

/// Whether the value is an obvious placeholder.
pub fn is_placeholder(secret: &[u8]) -> bool {
    let same = secret.windows(2).filter(|pair| pair[0] == pair[1]).count();
    // One repeated character.
    secret.len() >= 12 && same * 2 > secret.len()
}

/// Whether the value assigned to a name is a digest, an identifier or a name.
pub fn is_digest(found: &MatchContext<'_>) -> bool {
    const WORDS: [&str; 9] = [
        "sha1-",
        "sha256-",
        "sha384-",
        "sha512-",
        "blake3",
        "sha256:",
        "md5:",
        "sha512:",
        // Sent in plain text to prove that a server speaks the protocol.
        "sec-websocket-",
    ];
    let matched = found.matched.to_ascii_lowercase();
    let has = |word: &str| memchr::memmem::find(&matched, word.as_bytes()).is_some();
    WORDS.iter().any(|word| has(word))
        || is_identifier(found.secret)
        || (is_bare(found) && is_name_in_code(found.secret))
}

/// Whether the value is without quotes before a sign that ends an argument, as names in source code do.
fn is_bare(found: &MatchContext<'_>) -> bool {
    let Some(at) = memchr::memmem::rfind(found.matched, found.secret) else {
        return false;
    };
    let before = at.checked_sub(1).map(|at| found.matched[at]);
    let after = found.matched.get(at + found.secret.len());
    !matches!(before, Some(b'"' | b'\'' | b'`'))
        && matches!(after, Some(b',' | b')' | b']' | b'}' | b'>' | b'*' | b'|'))
}

/// Whether the value is like `ec.SECP256R1` or `Ed25519PrivateKey`: short names after each other's dots, or words that each begin
/// with a capital.
fn is_name_in_code(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        part.len() <= 24
            && part.first().is_some_and(u8::is_ascii_alphabetic)
            && part
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    if value.contains(&b'.') {
        return value.split(|byte| *byte == b'.').all(is_name);
    }
    let is_cased = value.iter().any(u8::is_ascii_lowercase) && value[0].is_ascii_uppercase();
    let letters = value
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .count();
    let begins = |pair: &[u8]| {
        pair[1].is_ascii_alphabetic()
            && (!pair[0].is_ascii_alphabetic()
                || (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()))
    };
    let words = 1 + value.windows(2).filter(|pair| begins(pair)).count();
    // Random letters change their case every other time.
    is_cased && value.iter().all(u8::is_ascii_alphanumeric) && letters >= words * 4
}

/// Whether the value consists of words in one case, joined by underscores, hyphens or dots, as in constants and file names.
fn is_identifier(value: &[u8]) -> bool {
    let has_lower = value.iter().any(u8::is_ascii_lowercase);
    let has_upper = value.iter().any(u8::is_ascii_uppercase);
    let is_word = |word: &[u8]| {
        let letters = word
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let digits = &word[letters..];
        letters <= 16 && digits.len() <= 5 && digits.iter().all(u8::is_ascii_digit)
    };
    let separates = |byte: &u8| matches!(byte, b'_' | b'-' | b'.');
    has_lower != has_upper && value.iter().any(separates) && value.split(separates).all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_names_of_files_are_identifiers_and_keys_are_not() {
        for name in [
            "AES_128_FOOTER_KEY",
            "rsa-2048-private-key.pem",
            "nl80211_key_attributes",
            "_mm512_srli_epi64",
        ] {
            assert!(is_identifier(name.as_bytes()), "{name}");
        }
        for key in [
            "0f8fad5b-d9cb-469f-a165-70867728950e",
            "q8zr4lm2xw7nc5vb9ks1",
            "Aa1-Bb2-Cc3",
            "x9k2-4mq8-zz71",
            "",
        ] {
            assert!(!is_identifier(key.as_bytes()), "{key}");
        }
    }

    #[test]
    fn names_in_source_code_are_no_keys() {
        for name in [
            "ec.SECP256R1",
            "ed25519.Ed25519PrivateKey",
            "Ed448PrivateKey",
            "ES2015ComputedProperties",
        ] {
            assert!(is_name_in_code(name.as_bytes()), "{name}");
        }
        for key in [
            "q8Zr4Lm2Xw7Nc5Vb9Ks1",
            "HtRkWpZxQmNbVcYd7",
            "lsdkfol23w54jlksdef",
            "9f86d081884c7d659a2feaa0c55ad015.a3bf4f1b2b0b822c",
        ] {
            assert!(!is_name_in_code(key.as_bytes()), "{key}");
        }
    }

    #[test]
    fn keys_of_well_known_documentation_are_known() {
        let oauth = ["2Yotn", "FZFEjr1zCsicMWpAA"].concat();
        assert!(is_sample(oauth.as_bytes()));
        assert!(is_sample(b"AKIAIOSFODNN7EXAMPLE"));
        assert!(!is_sample(b"2YotnFZFEjr1zCsicMWpAB"));
    }
}
