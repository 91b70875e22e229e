//! Values that have the shape of a secret and are none.

use super::rules::Found;

/// The beginnings of the BLAKE3 hashes of sample keys in well-known documentation, so that the keys are not in this file.
const SAMPLES: [&str; 0] = [];

/// Whether it is a key that well-known documentation shows.
pub fn is_sample(secret: &[u8]) -> bool {
    let ends = [b"EXAMPLE".as_slice(), b"EXAMPLEKEY"];
    if ends.iter().any(|end| secret.ends_with(end)) {
        return true;
    }
    let hash = blake3::hash(secret).to_hex();
    SAMPLES.contains(&&hash[..16])
}

/// Whether it says that it is a placeholder.
pub fn is_placeholder(secret: &[u8]) -> bool {
    let same = secret.windows(2).filter(|pair| pair[0] == pair[1]).count();
    // One character, again and again.
    secret.len() >= 12 && same * 2 > secret.len()
}

/// Whether a value that is assigned to a name is the digest, the identifier or the name of something.
pub fn is_digest(found: &Found<'_>) -> bool {
    const WORDS: [&[u8]; 8] = [
        b"sha1-", b"sha256-", b"sha384-", b"sha512-", b"blake3", b"sha256:", b"md5:", b"sha512:",
    ];
    WORDS
        .iter()
        .any(|word| memchr::memmem::find(found.matched, word).is_some())
}
