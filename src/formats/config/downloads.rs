//! Where the event logs, tapes and sidecars of runs are published.

use super::Publish;
use base::links::Slug;
use base::url;

words! {
    /// How event logs, tapes and sidecars are published.
    Downloads {
        /// Each as a file.
        Files = "files",
        /// Not published.
        None = "none",
    }
}

/// The folder of all downloads that are not next to run pages.
const FOLDER: &str = "downloads/";

impl Publish {
    /// The location of a file that a run does not share with others.
    pub fn own_file(&self, slug: &Slug, file: &str) -> String {
        if self.files_base_url.is_some() {
            return format!("{FOLDER}{}/{file}", slug.below_runs());
        }
        base::links::run_file(slug, file)
    }

    /// The URL of a download; `root` leads from a page to the site's root.
    pub fn address(&self, root: &str, path: &str) -> String {
        match (&self.files_base_url, path.strip_prefix(FOLDER)) {
            (Some(base), Some(below)) => format!("{}{}", base.as_str(), url::encode(below)),
            _ => format!("{root}{}", url::encode(path)),
        }
    }

    /// Whether each run has a `run.md`; `is_small` is [`Archive::is_small`](crate::model::archive::Archive::is_small).
    pub fn has_markdown(&self, is_small: bool) -> bool {
        self.markdown.unwrap_or(is_small)
    }

    /// The folder of the site that is published elsewhere.
    pub fn external_folder(&self) -> Option<&'static str> {
        self.files_base_url.as_ref().map(|_| FOLDER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::links::RunFolders;
    use base::url::HttpUrl;

    #[test]
    fn a_download_is_next_to_the_page_or_in_the_bucket() {
        let slug = Slug::new("pong-lark", RunFolders::Flat);
        let mut publish = Publish::default();
        let at = |publish: &Publish, slug: &Slug| {
            publish.address("../../", &publish.own_file(slug, "a b.tape"))
        };
        assert_eq!(at(&publish, &slug), "../../runs/pong-lark/a%20b.tape");
        publish.files_base_url = HttpUrl::base("https://b.example.org/x");
        assert_eq!(
            at(&publish, &slug),
            "https://b.example.org/x/pong-lark/a%20b.tape"
        );
        let prefixed = Slug::new("pong-lark", RunFolders::Prefixed);
        let end = format!("x/{}/a%20b.tape", prefixed.below_runs());
        assert!(at(&publish, &prefixed).ends_with(&end));
    }
}
