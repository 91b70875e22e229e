//! How digests by name are written in the ledger: as an object.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serializer};

use crate::model::digests::Digests;

pub(super) fn serialize<S: Serializer>(digests: &Digests, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(digests.iter())
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Digests, D::Error> {
    let digests = BTreeMap::<String, String>::deserialize(from)?;
    Ok(digests.into_iter().collect())
}
