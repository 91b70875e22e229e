//! The limits of hosts of static sites.

use super::{Budget, MIB};

/// A host.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name in `[publish] host`.
    pub name: &'static str,
    /// Its name in messages.
    pub title: &'static str,
    /// Its limits; what it does not limit is absent.
    pub limits: Budget,
    /// URL of the documentation of the limits.
    pub source: &'static str,
    /// When the documentation was read.
    pub read: &'static str,
}

/// The hosts with presets.
pub static HOSTS: [Host; 5] = [
    Host {
        name: "github-pages",
        title: "GitHub Pages",
        limits: Budget {
            bytes: Some(1_000_000_000),
            ..NONE
        },
        source: "https://docs.github.com/en/pages/getting-started-with-github-pages/github-pages-limits",
        read: "2026-11",
    },
    // For the free plan; paid plans take 100,000 files.
    Host {
        name: "cloudflare-pages",
        title: "Cloudflare Pages",
        limits: Budget {
            files: Some(20_000),
            file: Some(25 * MIB),
            ..NONE
        },
        source: "https://developers.cloudflare.com/pages/platform/limits/",
        read: "2026-11",
    },
    Host {
        name: "netlify",
        title: "Netlify",
        limits: Budget {
            entries: Some(54_000),
            ..NONE
        },
        source: "https://docs.netlify.com/site-deploys/overview/",
        read: "2026-11",
    },
    // "Fewer than 100,000 files".
    Host {
        name: "huggingface",
        title: "Hugging Face",
        limits: Budget {
            files: Some(99_999),
            entries: Some(10_000),
            ..NONE
        },
        source: "https://huggingface.co/docs/hub/storage-limits",
        read: "2026-11",
    },
    // One request uploads at most 5 GB.
    Host {
        name: "s3",
        title: "Amazon S3",
        limits: Budget {
            file: Some(5_000_000_000),
            ..NONE
        },
        source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html",
        read: "2026-11",
    },
];

const NONE: Budget = Budget {
    files: None,
    bytes: None,
    file: None,
    entries: None,
};
