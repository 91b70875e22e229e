//! How digests by name are written in the ledger: as an object.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::digests::{Digest, Digests};

/// A digest as a JSON string.
struct Text<'a>(Digest<'a>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

pub(super) fn serialize<S: Serializer>(digests: &Digests, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(digests.iter().map(|(name, digest)| (name, Text(digest))))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Digests, D::Error> {
    let digests = BTreeMap::<String, String>::deserialize(from)?;
    Ok(digests.into_iter().collect())
}
