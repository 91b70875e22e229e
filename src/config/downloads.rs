//! Where the event logs, tapes and sidecars of runs are published.

use super::Publish;
use crate::links::Slug;
use crate::url;

/// How event logs, tapes and sidecars are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Downloads {
    /// Each as a file.
    Files,
    /// In ZIP archives (packs) of many runs.
    Packed,
    /// Not published.
    None,
}

/// The folder of all downloads that are not next to run pages.
const FOLDER: &str = "downloads/";
/// Allowed numbers of packs, which are named by the first hexadecimal digits of a digest.
pub const PACKS: [usize; 4] = [16, 256, 4_096, 65_536];

/// Where a file of a run is published.
#[derive(Debug, PartialEq, Eq)]
pub struct Download {
    /// Path of the file or of its pack, from the site's root.
    pub path: String,
    /// The path of the file in its pack.
    pub member: Option<String>,
}

impl Publish {
    /// The location of an event log, a tape or a sidecar of a run.
    pub fn download(&self, slug: &Slug, id: &str, file: &str) -> Option<Download> {
        match self.downloads {
            Downloads::Files => Some(Download {
                path: self.own_file(slug, file),
                member: None,
            }),
            Downloads::Packed => Some(Download {
                path: format!("{FOLDER}{}", self.pack(id)),
                member: Some(format!("{}/{file}", &**slug)),
            }),
            Downloads::None => None,
        }
    }

    /// The location of a file that a run does not share with others.
    pub fn own_file(&self, slug: &Slug, file: &str) -> String {
        if self.files_base_url.is_some() {
            return format!("{FOLDER}{}/{file}", slug.below_runs());
        }
        crate::links::run_file(slug, file)
    }

    /// The pack of a run. Depends only on the run's id, so that a new run changes no other pack.
    pub fn pack(&self, id: &str) -> String {
        let digits = self.packs.max(2).ilog(16) as usize;
        format!("{}.zip", &blake3::hash(id.as_bytes()).to_hex()[..digits])
    }

    /// Whether a file of the site is a pack.
    pub fn is_pack(&self, path: &str) -> bool {
        self.downloads == Downloads::Packed && path.starts_with(FOLDER)
    }

    /// The URL of a download; `root` leads from a page to the site's root.
    pub fn address(&self, root: &str, path: &str) -> String {
        match (&self.files_base_url, path.strip_prefix(FOLDER)) {
            (Some(base), Some(below)) => format!("{}{}", base.as_str(), url::encode(below)),
            _ => format!("{root}{}", url::encode(path)),
        }
    }

    /// The folder of the site that is published elsewhere.
    pub fn elsewhere(&self) -> Option<&'static str> {
        self.files_base_url.as_ref().map(|_| FOLDER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::RunFolders;
    use crate::url::HttpUrl;

    #[test]
    fn a_download_is_beside_the_page_or_in_the_bucket_or_in_a_pack_that_the_id_names() {
        let slug = Slug::new("pong-lark", RunFolders::Flat);
        let mut publish = Publish::default();
        let at = |publish: &Publish, slug: &Slug| {
            let found = publish.download(slug, "r-1", "a b.tape")?;
            Some((publish.address("../../", &found.path), found.member))
        };
        let beside = "../../runs/pong-lark/a%20b.tape".to_owned();
        assert_eq!(at(&publish, &slug), Some((beside, None)));
        publish.files_base_url = HttpUrl::base("https://b.example.org/x");
        let bucket = "https://b.example.org/x/pong-lark/a%20b.tape".to_owned();
        assert_eq!(at(&publish, &slug), Some((bucket, None)));
        let prefixed = Slug::new("pong-lark", RunFolders::Prefixed);
        let (address, _) = at(&publish, &prefixed).expect("an address");
        assert!(address.ends_with(&format!("x/{}/a%20b.tape", prefixed.below_runs())));
        publish.downloads = Downloads::Packed;
        let digest = blake3::hash(b"r-1").to_hex();
        for (digits, packs) in (1..).zip(PACKS) {
            publish.packs = packs;
            let pack = format!("https://b.example.org/x/{}.zip", &digest[..digits]);
            let member = Some("pong-lark/a b.tape".to_owned());
            assert_eq!(at(&publish, &prefixed), Some((pack, member)));
        }
        publish.downloads = Downloads::None;
        assert_eq!(at(&publish, &slug), None);
    }
}
