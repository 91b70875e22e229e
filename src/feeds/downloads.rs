//! The feed of packed downloads: the pack and the member of each file of a run.

use crate::model::archive::Entry;
use crate::model::findings::Member;
use crate::shapes;

document! {
    /// A file in a pack.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Download")]
    pub struct DownloadDocument<'a>(run: &'a Entry, member: &'a Member, place: (&'a str, &'a str, u64)) {
        /// The id of the run.
        #[schemars(with = "shapes::Name")]
        run_id: &'a str = &run.run.id,
        /// Slug of the run, used in its address.
        slug: &'a str = &run.slug,
        /// Name of the file.
        file: &'a str = &member.file,
        /// The pack, a ZIP archive: absolute when the site has a `base_url` or a `files_base_url`, else relative to its root.
        pack: &'a str = place.0,
        /// Path of the file in the pack.
        member: &'a str = place.1,
        /// Where its content begins in the pack: raw DEFLATE, so that a range request gets one file.
        offset: u64 = place.2,
        /// Its size in the pack.
        packed_bytes: u64 = member.at.bytes as u64,
        /// Its size in bytes.
        bytes: u64 = member.bytes,
        /// BLAKE3 of its bytes.
        #[schemars(with = "shapes::Blake3")]
        blake3: String = blake3::Hash::from_bytes(member.blake3).to_hex().to_string(),
    }
}
